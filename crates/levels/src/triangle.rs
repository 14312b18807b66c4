//! The lower and the upper level: packed triangles.
//!
//! ```text
//! lower, 3 x 3                          upper, 3 x 3
//! 0                                     0 1 2
//! 1 2                                     3 4
//! 3 4 5                                     5
//! ```
//! Row `i` of a lower triangle has the first `min(i + 1, size)` coordinates, of an upper one those from `i` on. The level
//! above is dense, so a parent's position tells its row and its triangle: position = triangle * rows + row.

use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Shape, WalkStart};
use openwork_algebra::Prim;
use openwork_format::{
    LevelSpec,
    specs::{LOWER, UPPER},
};
use openwork_loops::Expr;
use openwork_loops::build::{add, call, int, mul};

/// A packed triangle.
#[derive(Debug)]
pub struct Triangle {
    spec: &'static LevelSpec,
    /// Slots of the rows before a row of a triangle.
    before: fn(row: Expr, size: Expr) -> Expr,
    /// First coordinate of a row and the coordinate past its last, less the least coordinate.
    row: fn(row: Expr, size: Expr) -> (Expr, Expr),
}

/// The lower triangle.
pub const LOWER_LEVEL: Triangle = Triangle {
    spec: &LOWER,
    before: |i, size| {
        let full = min(i.clone(), size.clone());
        add(triangle_number(full.clone()), mul(sub(i, full), size))
    },
    row: |i, size| (int(0), min(add(i, int(1)), size)),
};
/// The upper triangle.
pub const UPPER_LEVEL: Triangle = Triangle {
    spec: &UPPER,
    before: |i, size| {
        let some = min(i, size.clone());
        sub(mul(some.clone(), size), triangle_number(sub(some, int(1))))
    },
    row: |i, size| (min(i, size.clone()), size),
};

fn min(a: Expr, b: Expr) -> Expr {
    call(Prim::Min, a, b)
}
/// `n (n + 1) / 2`.
fn triangle_number(n: Expr) -> Expr {
    call(Prim::Shr, mul(n.clone(), add(n, int(1))), int(1))
}

impl LevelFormat for Triangle {
    fn spec(&self) -> &'static LevelSpec {
        self.spec
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
}

impl Iterate for Triangle {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let size = from.level.size.clone();
        let up = from.above.last().expect("a triangle has a level above it").clone();
        let row = sub(up, from.level.low_above.clone());
        let triangle = call(Prim::Quot, from.parent.lo.clone(), from.level.size_above.clone());
        let slots = (self.before)(from.level.size_above.clone(), size.clone());
        let start = add(mul(triangle, slots), (self.before)(row.clone(), size.clone()));
        let (first, end) = (self.row)(row, size);
        let count = sub(end, first.clone());
        let hi = match &from.parent.hi {
            None => add(start.clone(), count),
            // A run holds one parent or none.
            Some(hi) => add(start.clone(), mul(count, sub(hi.clone(), from.parent.lo.clone()))),
        };
        Shape::Positions {
            lo: start.clone(),
            hi,
            coord: CoordSource::Counted { base: start, low: add(first, from.level.low.clone()) },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}
