//! What comparisons leave of a dimension: intervals, points, and coordinates that are asked for one by one.
//!
//! ```text
//! j < i       interval    positions 0 .. i          coordinate = position
//! j == i      point       positions i .. i + 1
//! j != i      chosen      positions 0 .. size, where the comparison holds
//! ```
//! Nothing is kept of them: where a walk starts, [`LevelIr::given`] says what the comparison leaves. Where another level is
//! walked beside one of these, that walk is narrowed instead.

use crate::shape::{ChildTest, CoordOrder, CoordSource};
use crate::{Iterate, LevelFormat, LevelIr, RemapGiven, Shape, WalkStart};
use openwork_format::{
    LevelSpec,
    specs::{CHOSEN_ONES, INTERVAL, POINT},
};
use openwork_loops::build::int;

/// Coordinates for which a comparison holds.
#[derive(Debug)]
pub struct Interval {
    spec: &'static LevelSpec,
}

/// Those from one up to another.
pub const INTERVAL_LEVEL: Interval = Interval { spec: &INTERVAL };
/// One.
pub const POINT_LEVEL: Interval = Interval { spec: &POINT };
/// Those that are asked for one by one.
pub const CHOSEN_LEVEL: Interval = Interval { spec: &CHOSEN_ONES };

impl LevelFormat for Interval {
    fn spec(&self) -> &'static LevelSpec {
        self.spec
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
}

impl Iterate for Interval {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let LevelIr { size, given, .. } = from.level;
        let (lo, hi, test) = match given {
            RemapGiven::Between { lo, hi } => (lo.clone(), hi.clone(), ChildTest::Always),
            RemapGiven::Such { coord, holds } => {
                (int(0), size.clone(), ChildTest::Always.such_that(*coord, holds.clone()))
            }
            RemapGiven::Nothing | RemapGiven::Linear { .. } | RemapGiven::Band { .. } => {
                unreachable!("lowering says what the comparison leaves")
            }
        };
        let coord = CoordSource::Counted { base: int(0), low: int(0) };
        Shape::Positions { lo, hi, coord, order: CoordOrder::Sorted, test }
    }
}
