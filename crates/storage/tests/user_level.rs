//! A level format of another crate, with the public API only: coordinates as differences of one byte each.
//!
//! A difference that is too large for a byte is preceded by *escapes*, slots that hold no element and skip 255
//! coordinates each. The coordinates of a parent decode from its first slot on.

mod common;

use common::{Random, entries, every_coordinate, format, meaning, patterns};
use openwork_algebra::{DType, Scalar};
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_format::level::{ArrayDecl, ArrayRole, Coords, Empties, LevelSpec, Props};
use openwork_storage::levels::{Build, Entries, LevelStorage, PackedLevel, Parents, View, register};
use openwork_storage::{Coo, Tensor, pack, unpack};
use std::ops::Range;

static SPEC: LevelSpec = LevelSpec {
    name: "delta",
    props: Props::ORDERED.union(Props::UNIQUE),
    optional: Props::NONE,
    arrays: &[
        ArrayDecl { name: "pos", role: ArrayRole::Pos },
        ArrayDecl { name: "delta", role: ArrayRole::Crd },
    ],
    coords: Coords::Stored,
    empties: Empties::Always,
    spreads: false,
    ..LevelSpec::BASE
};

struct Delta;

fn broken_level(message: String) -> Error {
    Error::rejection(Diagnostic::new(Code("E0601"), message))
}

impl LevelStorage for Delta {
    fn name(&self) -> &'static str {
        "delta"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (pos, delta) = (view.index(0), view.index(1));
        if pos.len() != parents.count + 1 || pos.get(0) != 0 || pos.get(parents.count) != delta.len() as i64 {
            return Err(broken_level(format!("level {}: `pos` does not fit", view.number())));
        }
        for p in 0..parents.count {
            if pos.get(p + 1) < pos.get(p) || pos.get(p + 1) > delta.len() as i64 {
                return Err(broken_level(format!("level {}: pos[{}] falls", view.number(), p + 1)));
            }
            if !parents.is_live(p) && pos.get(p + 1) != pos.get(p) {
                return Err(broken_level(format!("level {}: parent {p} is empty", view.number())));
            }
            let mut coords = Vec::new();
            self.decode(view, p, &[], &mut coords);
            if coords.into_iter().flatten().any(|c| !view.site.contains(c)) {
                return Err(broken_level(format!("level {}: parent {p} goes too far", view.number())));
            }
        }
        Ok(delta.len())
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        view.index(0).entry_at(parent)..view.index(0).entry_at(parent + 1)
    }
    fn coord(&self, view: &View, parent: usize, position: usize, above: &[i64]) -> Option<i64> {
        let mut coords = Vec::new();
        self.decode(view, parent, above, &mut coords);
        coords[position - view.index(0).entry_at(parent)]
    }
    fn sequential(&self) -> bool {
        true
    }
    fn decode(&self, view: &View, parent: usize, above: &[i64], out: &mut Vec<Option<i64>>) {
        let mut at = view.low();
        for p in self.children(view, parent, above) {
            match view.filled_coordinate(view.index(1).get(p)) {
                Some(step) => {
                    at += step;
                    out.push(Some(at));
                }
                None => {
                    at += 255;
                    out.push(None);
                }
            }
        }
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        let (mut lengths, mut writes, mut place) = (Vec::new(), Vec::new(), vec![0; groups.len()]);
        let mut next = 0;
        build.groups_by_parent(&groups, |p, children| {
            let (start, mut at) = (next, build.site.bounds.low);
            for g in children {
                let c = build.coord(groups.first(g));
                next += ((c - at) / 255) as usize;
                writes.push((next, (c - at) % 255));
                place[g] = next;
                (next, at) = (next + 1, c);
            }
            lengths.push((p, next - start));
        });
        let (pos, _, positions) = build.pos_of(&lengths)?;
        let delta = build.crd(positions, true, |write| writes.iter().for_each(|&(q, d)| write(q, d)))?;
        let entries = Entries::Table((0..build.len()).map(|e| place[groups.group_of(e)]).collect());
        Ok(PackedLevel { arrays: vec![pos, delta], positions, entries })
    }
}

#[test]
fn a_level_of_another_crate_is_packed_checked_and_walked() {
    openwork_format::specs::register(&SPEC);
    register(&Delta);
    let mut r = Random(3);
    for (text, shape) in [
        ("(i) -> (i) : delta ; crd = u8", vec![3000]),
        ("(i,j) -> (i,j) : dense, delta ; crd = u8", vec![4, 900]),
        ("(i,j) -> (i,j) : delta, delta ; crd = u8", vec![600, 3]),
        ("(i,j) -> (i,j) : delta, dense ; crd = u8", vec![600, 3]),
        ("(i,j) -> (i,j) : delta, compressed ; crd = u8", vec![600, 3]),
        ("(i,j) -> (i,j) : hashed, delta ; crd = u8", vec![3, 600]),
        ("(i,j) -> (i,j) : delta, masked ; crd = u8", vec![300, 5]),
        ("(i,j) -> (i-j, i) : delta, delta ; crd = u8", vec![20, 30]),
        ("(i,j,k) -> (k,i,j) : delta, masked, delta", vec![3, 4, 5]),
    ] {
        let format = format(text, shape.len());
        for at in patterns(&mut r, &shape) {
            let few: Vec<_> = at.into_iter().take(120).collect();
            let coo = Coo::from_entries(&shape, DType::F32, &entries(&mut r, &few, DType::F32)).unwrap();
            let fill = Scalar::F32(1.0);
            let t = pack(&coo, &format, fill).unwrap_or_else(|e| panic!("{text}: {e}"));
            let t = Tensor::try_from(t.into_parts()).unwrap();
            let want = meaning(&coo, fill);
            assert_eq!(t.to_dense_scalars().unwrap(), want, "{text}");
            assert_eq!(meaning(&unpack(&t).unwrap(), fill), want, "{text}");
            for (at, v) in every_coordinate(&shape).iter().zip(&want).step_by(7) {
                assert_eq!(t.get(at), Some(*v), "{text}");
            }
        }
    }
    let far = Coo::from_entries(&[1000], DType::F32, &[(vec![600], Scalar::F32(2.0))]).unwrap();
    let t = pack(&far, &format("(i) -> (i) : delta ; crd = u8", 1), Scalar::F32(0.0)).unwrap();
    assert_eq!(t.level(0).arrays[1].as_slice(), Some(&[255u8, 255, 90][..]));
    assert_eq!((t.slots(), t.nnz()), (3, 1));
}

/// Formats mean what they meant when they were made, so a name cannot be given to another level.
#[test]
fn a_name_has_one_level() {
    static OTHER: LevelSpec = LevelSpec { name: "delta", ..LevelSpec::BASE };
    static DENSE: LevelSpec = LevelSpec { name: "dense", ..LevelSpec::BASE };
    for _ in 0..2 {
        openwork_format::specs::register(&SPEC);
    }
    for taken in [&OTHER, &DENSE] {
        assert!(std::panic::catch_unwind(|| openwork_format::specs::register(taken)).is_err());
    }
    let found = openwork_format::specs::registered_levels();
    assert_eq!(found.iter().filter(|s| s.name == "delta").count(), 1);
    assert!(found.iter().any(|s| std::ptr::eq(*s, &SPEC)));
}
