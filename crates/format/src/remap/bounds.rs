//! How far stored coordinates range: interval arithmetic over the sizes of the modes.

use super::{Coord, Op, Remap, Term};
use std::ops::Range;

/// The coordinates `low .. low + size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least coordinate; negative for the diagonals of a matrix.
    pub low: i64,
    /// How many coordinates there are.
    pub size: usize,
}

impl Bounds {
    /// As a range.
    pub fn range(self) -> std::ops::Range<i64> {
        self.low..self.low.saturating_add_unsigned(self.size as u64)
    }
}

/// Least and largest value.
type Interval = (i128, i128);

impl Remap {
    /// The range of stored coordinate `k` of a tensor of this shape; empty where the tensor has no elements.
    pub fn bounds(&self, k: usize, shape: &[usize]) -> Bounds {
        if let Some((_, _, c)) = self.quotient_of(k) {
            // Blocks have one size, however small the tensor is.
            return Bounds { low: 0, size: usize::try_from(c).unwrap_or(usize::MAX) };
        }
        let coord = &self.coords[k];
        if coord.inlined().modes().iter().any(|&m| shape[m] == 0) {
            return Bounds { low: 0, size: 0 };
        }
        let whole: Vec<Range<i64>> = shape.iter().map(|&n| 0..i64::try_from(n).unwrap_or(i64::MAX)).collect();
        let (low, high) = interval(&self.coords[k], shape, &whole);
        let clamp = |x: i128| x.clamp(i64::MIN as i128, i64::MAX as i128);
        let (low, high) = (clamp(low), clamp(high));
        Bounds { low: low as i64, size: usize::try_from(high - low + 1).unwrap_or(usize::MAX) }
    }
    /// A range that holds stored coordinate `k` of every element whose modes lie in these ranges, of a tensor of this shape.
    ///
    /// ```
    /// use openwork_base::Source;
    /// use openwork_format::Remap;
    /// let blocks = Remap::parse(&Source::new("remap", "(i,j) -> (i/4, j/4, i%4, j%4, i, j)")).unwrap();
    /// assert_eq!(blocks.bounds_within(0, &[40, 40], &[6..14, 0..40]).range(), 1..4);
    /// ```
    pub fn bounds_within(&self, k: usize, shape: &[usize], modes: &[Range<i64>]) -> Bounds {
        let whole = self.bounds(k, shape);
        if self.coords[k].inlined().modes().iter().any(|&m| modes[m].is_empty()) {
            return Bounds { size: 0, ..whole };
        }
        let (low, high) = interval(&self.coords[k], shape, modes);
        let all = whole.range();
        let (low, high) = (low.max(all.start as i128), (high + 1).min(all.end as i128));
        Bounds { low: low as i64, size: usize::try_from(high - low).unwrap_or(0) }
    }
}

fn interval(coord: &Coord, shape: &[usize], modes: &[Range<i64>]) -> Interval {
    let mut locals: Vec<Interval> = Vec::new();
    for (_, term) in &coord.lets {
        let found = term_interval(term, shape, modes, &locals);
        locals.push(found);
    }
    term_interval(&coord.value, shape, modes, &locals)
}

fn term_interval(t: &Term, shape: &[usize], modes: &[Range<i64>], locals: &[Interval]) -> Interval {
    match t {
        Term::Const(c) => (*c as i128, *c as i128),
        Term::Mode(m) => (modes[*m].start as i128, modes[*m].end as i128 - 1),
        Term::Local(n) => locals[*n],
        Term::Counter(alike) => {
            // Elements that agree in these modes differ in the others, whichever of them are asked for.
            let others = (0..shape.len()).filter(|m| !alike.contains(m));
            let most = others.fold(1i128, |n, m| n.saturating_mul(shape[m] as i128));
            (0, most.min(i64::MAX as i128) - 1)
        }
        Term::Binary(op, a, b) => {
            let side = |t: &Term| term_interval(t, shape, modes, locals);
            operation(*op, side(a), side(b))
        }
    }
}

fn operation(op: Op, a: Interval, b: Interval) -> Interval {
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (all.into_iter().fold(i128::MAX, i128::min), all.into_iter().fold(i128::MIN, i128::max))
    };
    const ANYTHING: Interval = (i64::MIN as i128, i64::MAX as i128);
    let non_negative = a.0 >= 0 && b.0 >= 0;
    let found = match op {
        Op::Add => (a.0 + b.0, a.1 + b.1),
        Op::Sub => (a.0 - b.1, a.1 - b.0),
        Op::Mul => corners(&|x, y| x.saturating_mul(y)),
        Op::Div if b.0 == b.1 && b.0 > 0 => (a.0.div_euclid(b.0), a.1.div_euclid(b.0)),
        Op::Rem if b.0 == b.1 && b.0 > 0 => {
            // Blocks have one size, however small the tensor is.
            (0, b.0 - 1)
        }
        // Numbers below the lowest bit of a mask have none of its bits.
        Op::And if a.0 >= 0 && b.0 == b.1 && b.0 > 0 && a.1 < 1 << b.0.trailing_zeros() => (0, 0),
        Op::And if a.0 >= 0 || b.0 >= 0 => {
            // The result has no bits beyond those of the argument that is not negative.
            let least = [a, b].into_iter().filter(|x| x.0 >= 0).map(|x| x.1).min().unwrap_or(0);
            (0, least)
        }
        Op::Or | Op::Xor if non_negative => {
            let most = a.1.max(b.1) as u128;
            (0, (most + 1).next_power_of_two() as i128 - 1)
        }
        Op::And | Op::Or | Op::Xor => {
            // Numbers of so many bits and a sign.
            let magnitude = |x: i128| if x < 0 { -x } else { x + 1 };
            let most = [a.0, a.1, b.0, b.1].map(magnitude).into_iter().fold(1, i128::max);
            let power = (most as u128).next_power_of_two() as i128;
            (-power, power - 1)
        }
        Op::Shl if b.0 >= 0 && b.1 < 63 => corners(&|x, y| x.saturating_mul(1i128 << y)),
        Op::Shr if b.0 >= 0 && b.1 < 64 => corners(&|x, y| x >> y),
        Op::Div | Op::Rem | Op::Shl | Op::Shr => ANYTHING,
    };
    if found.0 < ANYTHING.0 || found.1 > ANYTHING.1 { ANYTHING } else { found }
}
