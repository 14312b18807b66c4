//! Random remappings: bounds, text and inversion against evaluation at every coordinate.

use openwork_base::Source;
use openwork_format::Remap;
use openwork_format::remap::{Coord, CoordOp, Evaluator, Term};

/// A small deterministic generator.
struct Random(u64);

impl Random {
    fn number_below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

const SHAPES: [[usize; 2]; 5] = [[4, 6], [1, 5], [5, 1], [3, 3], [1, 1]];
const OPS: [CoordOp; 10] = [
    CoordOp::Add,
    CoordOp::Sub,
    CoordOp::Mul,
    CoordOp::Div,
    CoordOp::Rem,
    CoordOp::And,
    CoordOp::Or,
    CoordOp::Xor,
    CoordOp::Shl,
    CoordOp::Shr,
];

fn term(r: &mut Random, depth: u64, locals: usize) -> Term {
    if depth == 0 || r.number_below(4) == 0 {
        return match r.number_below(6) {
            0 => Term::Const(r.number_below(5) as i64),
            1 if locals > 0 => Term::Local(r.number_below(locals as u64) as usize),
            n => Term::Mode((n % 2) as usize),
        };
    }
    let op = OPS[r.number_below(10) as usize];
    let a = term(r, depth - 1, locals);
    let b = match op {
        CoordOp::Div | CoordOp::Rem => Term::Const(1 + r.number_below(4) as i64),
        CoordOp::Shl | CoordOp::Shr => Term::Const(r.number_below(4) as i64),
        _ => term(r, depth - 1, locals),
    };
    Term::binary(op, a, b)
}

fn coord(r: &mut Random) -> Coord {
    let count = if r.number_below(3) == 0 { 1 + r.number_below(2) as usize } else { 0 };
    let lets = (0..count).map(|n| (format!("r{n}"), term(r, 2, n))).collect();
    Coord { lets, value: term(r, 3, count) }
}

fn remap(coords: Vec<Coord>) -> Remap {
    Remap { names: vec!["i".into(), "j".into()], coords }
}

/// The stored coordinates of every element of a shape, with the element.
fn stored_coordinates(remap: &Remap, shape: [usize; 2]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut apply = Evaluator::new(remap);
    let mut all = Vec::new();
    for i in 0..shape[0] as i64 {
        for j in 0..shape[1] as i64 {
            let mut out = Vec::new();
            apply.next(&[i, j], &mut out);
            all.push((vec![i, j], out));
        }
    }
    all
}

#[test]
fn bounds_hold_every_value() {
    let mut r = Random(1);
    let (mut tight, mut total) = (0, 0);
    for _ in 0..4000 {
        let remap = remap(vec![coord(&mut r)]);
        for shape in SHAPES {
            let range = remap.bounds(0, &shape).range();
            let values: Vec<i64> = stored_coordinates(&remap, shape).into_iter().map(|(_, c)| c[0]).collect();
            assert!(values.iter().all(|v| range.contains(v)), "{remap} {shape:?} {range:?} {values:?}");
            total += 1;
            let (low, high) = (values.iter().min(), values.iter().max());
            tight += usize::from(low == Some(&range.start) && high.map(|h| h + 1) == Some(range.end));
        }
    }
    assert!(tight * 2 > total, "{tight} of {total} are exact");
}

#[test]
fn text_reads_back() {
    let mut r = Random(2);
    for _ in 0..4000 {
        let remap = remap((0..1 + r.number_below(3)).map(|_| coord(&mut r)).collect());
        let text = remap.to_string();
        let back =
            Remap::parse(&Source::new("remap", text.as_str())).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(back, remap, "{text}");
        assert_eq!(back.to_string(), text);
    }
}

#[test]
fn inverses_are_right() {
    let mut r = Random(3);
    let mut found = 0;
    for _ in 0..6000 {
        let plain = |r: &mut Random| match r.number_below(8) {
            0 => Term::binary(CoordOp::Sub, Term::Mode(1), Term::Mode(0)),
            1 => Term::binary(CoordOp::Add, Term::Mode(0), Term::Mode(1)),
            2 => Term::binary(CoordOp::Div, Term::Mode(0), Term::Const(2)),
            3 => Term::binary(CoordOp::Rem, Term::Mode(0), Term::Const(2)),
            4 => Term::binary(CoordOp::Shr, Term::Mode(1), Term::Const(1)),
            5 => Term::binary(CoordOp::And, Term::Mode(1), Term::Const(1)),
            6 => Term::Mode(r.number_below(2) as usize),
            _ => term(r, 2, 0),
        };
        let coords =
            (0..1 + r.number_below(4)).map(|_| Coord { lets: Vec::new(), value: plain(&mut r) }).collect();
        let remap = remap(coords);
        let injective = |shape: [usize; 2]| {
            let mut all: Vec<Vec<i64>> =
                stored_coordinates(&remap, shape).into_iter().map(|(_, c)| c).collect();
            let n = all.len();
            all.sort();
            all.dedup();
            all.len() == n
        };
        for before in 0..=remap.depth() {
            for mode in 0..2 {
                let Some(form) = remap.recover(mode, before) else { continue };
                found += 1;
                assert!(form.terms.iter().all(|(_, k)| *k < before), "{remap}: {form:?}");
                for shape in SHAPES {
                    for (at, coords) in stored_coordinates(&remap, shape) {
                        assert_eq!(form.value_at(&coords), at[mode], "{remap} at {at:?}: {form:?}");
                    }
                }
            }
        }
        if remap.lost_modes().is_empty() {
            SHAPES.iter().for_each(|&s| assert!(injective(s), "{remap} {s:?}"));
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn bands_are_the_intervals_that_occur() {
    for text in ["(i,j) -> (j-i, i)", "(i,j) -> (i-j, j)", "(i,j) -> (i+j, i)", "(i,j) -> (j-i+2, j)"] {
        let remap = Remap::parse(&Source::new("remap", text)).unwrap();
        let band = remap.band(1).unwrap_or_else(|| panic!("{text} has a band"));
        for shape in SHAPES {
            for (at, coords) in stored_coordinates(&remap, shape) {
                let with = at[band.with];
                assert_eq!(coords[band.stored], band.own * coords[1] + band.other * with + band.constant);
            }
        }
    }
    for text in ["(i,j) -> (i*2+j, i)", "(i,j) -> (i, j-i)", "(i,j) -> (i/2, i)", "(i,j) -> (i+i, i)"] {
        let remap = Remap::parse(&Source::new("remap", text)).unwrap();
        assert_eq!(remap.band(1), None, "{text}");
    }
}

#[test]
fn the_bits_of_masked_small_numbers_take_no_room() {
    let remap = Remap::parse(&Source::new("remap", "(i,j) -> ((i&16)<<40, i&3)")).unwrap();
    assert_eq!(remap.bounds(0, &[10, 10]).range(), 0..1);
    assert_eq!(remap.bounds(1, &[10, 10]).range(), 0..4);
}
