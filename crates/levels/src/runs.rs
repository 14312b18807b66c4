//! The run-length level: runs of coordinates that share one value.
//!
//! ```text
//! one parent, size 6, values a a b b b a
//! pos    0           3
//! crd    2   5   6                 run r covers the coordinates from the end of the run before it up to crd[r]
//! ```

use crate::{From, Iterate, LevelFormat, Shape};
use openwork_format::{LevelSpec, specs::RUNS};

/// Runs of equal values.
#[derive(Debug)]
pub struct Runs;

impl LevelFormat for Runs {
    fn spec(&self) -> &'static LevelSpec {
        &RUNS
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
}

impl Iterate for Runs {
    fn iteration(&self, from: &From) -> Shape {
        let pos = from.level.arrays[0];
        Shape::Runs {
            lo: from.kernel.load_index(pos, from.parent.lo.clone()),
            hi: from.kernel.load_index(pos, from.parent.end()),
            ends: from.level.arrays[1],
            low: from.level.low.clone(),
        }
    }
}
