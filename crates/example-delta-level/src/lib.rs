//! Level formats of another crate: coordinates as differences of one byte each, which kernels iterate, and
//! [coordinates of one byte](short), which they assemble as well.
//!
//! ```text
//! two parents, children {2, 3, 700} and {0}; E is 255, an escape
//! pos    0                       5     6
//! step   2   0   E   E  186      0            child: coordinate before + 1 + step;  escape: no child, 255 further
//! ```
//! A compressed level takes four or eight bytes per coordinate, this one takes one wherever neighbours are less than 256
//! apart. Coordinates decode from the first of a parent to the last only, which is how kernels walk them.
//!
//! ```
//! use openwork::{Format, FormatExt, Scalar, Tensor, TensorExt, einsum};
//! openwork_example_delta_level::register();
//! let entries = [(vec![0, 2], Scalar::F64(2.0)), (vec![0, 700], Scalar::F64(5.0))];
//! let format = Format::parse("(i,j) -> (i,j) : dense, delta", 2)?;
//! let a = Tensor::pack(&[1, 800], &entries, &format)?;
//! let y = einsum("y(i) = A(i,j) * A(i,j)", &[("A", &a)])?;
//! assert_eq!(y.vals().as_slice::<f64>(), Some(&[29.0][..]));
//! # Ok::<(), openwork::Error>(())
//! ```

use openwork::extension::code::{
    ChildTest, CoordOrder, CoordSource, Iterate, LevelFormat, Shape, WalkStart, build,
};
use openwork::extension::storage::{Build, Entries, LevelStorage, PackedLevel, Parents, View};
use openwork::extension::{ArrayDecl, ArrayRole, Coords, Empties, LevelSpec, Props, register_level};
use openwork::{Buffer, Code, Diagnostic, Error, Result, Scalar};
use std::ops::Range;
use std::sync::Arc;

pub mod short;

/// The declaration.
pub static DELTA: LevelSpec = LevelSpec {
    name: "delta",
    props: Props::ORDERED.union(Props::UNIQUE),
    optional: Props::NONE,
    arrays: &[
        ArrayDecl { name: "pos", role: ArrayRole::Pos },
        ArrayDecl { name: "step", role: ArrayRole::Bytes },
    ],
    coords: Coords::Stored,
    empties: Empties::Always,
    spreads: false,
    rising: true,
    any_coords: true,
    ..LevelSpec::BASE
};

/// A slot without a child.
const ESCAPE: u8 = 255;
/// How far an escape goes, and the largest step.
const FAR: i64 = 255;
const MOST: i64 = 254;

/// Makes `delta` and `short` known to the process. Call it before the first session is made.
pub fn register() {
    register_level(&short::SHORT, &short::Short, Arc::new(short::Short));
    register_level(&DELTA, &Delta, Arc::new(Delta));
}

/// Both the storage and the code.
#[derive(Debug)]
struct Delta;

impl LevelFormat for Delta {
    fn spec(&self) -> &'static LevelSpec {
        &DELTA
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
}

impl Iterate for Delta {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let (pos, step) = (from.level.arrays[0], from.level.arrays[1]);
        let before = build::add(from.level.low.clone(), build::int(-1));
        Shape::Positions {
            lo: from.kernel.load_index(pos, from.parent.lo.clone()),
            hi: from.kernel.load_index(pos, from.parent.end()),
            coord: CoordSource::Stepped { steps: step, most: MOST, before },
            order: CoordOrder::Sorted,
            test: ChildTest::AtMost { array: step, most: Scalar::U8(ESCAPE - 1) },
        }
    }
}

pub(crate) fn violation(view: &View, what: String) -> Error {
    Error::rejection(Diagnostic::new(Code("E0601"), format!("level {}: {what}", view.number())))
}

fn steps<'a>(view: &View<'a>) -> &'a [u8] {
    view.arrays[1].as_slice().unwrap_or(&[])
}

impl LevelStorage for Delta {
    fn name(&self) -> &'static str {
        DELTA.name
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (pos, steps) = (view.index(0), steps(view));
        if pos.len() != parents.count + 1 || pos.get(0) != 0 || pos.get(parents.count) != steps.len() as i64 {
            return Err(violation(view, "`pos` does not fit the parents and `step`".into()));
        }
        let end = view.low() + view.size() as i64;
        for p in 0..parents.count {
            let (first, last) = (pos.get(p), pos.get(p + 1));
            if last < first || last > steps.len() as i64 {
                return Err(violation(view, format!("pos[{}] is {last} after {first}", p + 1)));
            }
            if !parents.is_live(p) && first != last {
                return Err(violation(view, format!("parent {p} is an empty slot, but it has children")));
            }
            let mut at = view.low() - 1;
            for &s in &steps[first as usize..last as usize] {
                at += 1 + i64::from(s).min(MOST);
                if at >= end {
                    return Err(violation(view, format!("the steps of parent {p} go to {at}, up to {end}")));
                }
            }
        }
        Ok(steps.len())
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, parent: usize, position: usize, above: &[i64]) -> Option<i64> {
        let children = self.children(view, parent, above);
        let steps = &steps(view)[children.start..=position];
        let before: i64 = steps.iter().map(|&s| 1 + i64::from(s).min(MOST)).sum();
        (steps.last() != Some(&ESCAPE)).then_some(view.low() - 1 + before)
    }
    fn sequential(&self) -> bool {
        true
    }
    fn decode(&self, view: &View, parent: usize, above: &[i64], out: &mut Vec<Option<i64>>) {
        let mut at = view.low() - 1;
        for &s in &steps(view)[self.children(view, parent, above)] {
            at += 1 + i64::from(s).min(MOST);
            out.push((s != ESCAPE).then_some(at));
        }
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        // Far neighbours take many escapes, so they are counted before they are made.
        let mut slots = groups.len();
        build.groups_by_parent(&groups, |_, children| {
            let last = build.coord(groups.first(children.end - 1));
            slots = slots.saturating_add(((last - build.site.bounds.low) / FAR) as usize);
        });
        build.allow("steps", slots)?;
        let (mut lengths, mut steps, mut place) = (Vec::new(), Vec::new(), vec![0; groups.len()]);
        build.groups_by_parent(&groups, |p, children| {
            let (start, mut at) = (steps.len(), build.site.bounds.low - 1);
            for g in children {
                let c = build.coord(groups.first(g));
                let escapes = (c - at - 1) / FAR;
                steps.resize(steps.len() + escapes as usize, ESCAPE);
                place[g] = steps.len();
                steps.push((c - at - 1 - escapes * FAR) as u8);
                at = c;
            }
            lengths.push((p, steps.len() - start));
        });
        let (pos, _, positions) = build.pos_of(&lengths)?;
        let entries = Entries::Table((0..build.len()).map(|e| place[groups.group_of(e)]).collect());
        Ok(PackedLevel { arrays: vec![pos, Buffer::from(steps)], positions, entries })
    }
}
