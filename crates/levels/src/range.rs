//! The range level: the interval of coordinates that a coordinate above leaves.
//!
//! ```text
//! rows of the diagonals of a 4 x 6 matrix, stored coordinate d = j - i
//! d = -3      rows 3..4          max(0, -d) .. min(4, 6 - d)
//! d =  4      rows 0..2          positions p = parent * 4 + row
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, RemapGiven, Seek, Shape, Sought, WalkStart};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::RANGE};
use openwork_loops::build::{add, and_also, call, int, lt, mul};
use openwork_loops::{Expr, Stmt, VarId};

/// An interval that the coordinates above decide.
#[derive(Debug)]
pub struct Range;

impl LevelFormat for Range {
    fn spec(&self) -> &'static LevelSpec {
        &RANGE
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
    fn seek(&self) -> Option<&dyn Seek> {
        Some(self)
    }
}

impl Seek for Range {
    fn seek(&self, from: &WalkStart, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let (first, end) = interval(from);
        let base = mul(from.parent.lo.clone(), from.level.size.clone());
        let position = add(base, sub(coord.clone(), from.level.low.clone()));
        let found = and_also(call(Prim::Le, first, coord.clone()), lt(coord, end));
        Sought { code: Vec::new(), position, found }
    }
}

/// The coordinates `first..end` that a band leaves, cut to the dimension.
fn interval(from: &WalkStart) -> (Expr, Expr) {
    let RemapGiven::Band { level, own, other, constant, width } = &from.level.given else {
        unreachable!("a range level stands below a sum or difference")
    };
    // coordinate = own * (d - constant) - own * other * w with w in 0..width
    let d = sub(from.above[*level].clone(), int(*constant));
    let at_zero = if *own == 1 { d } else { sub(int(0), d) };
    let (first, end) = if own * other == 1 {
        (add(sub(at_zero.clone(), width.clone()), int(1)), add(at_zero, int(1)))
    } else {
        (at_zero.clone(), add(at_zero, width.clone()))
    };
    let low = from.level.low.clone();
    let high = add(low.clone(), from.level.size.clone());
    (call(Prim::Max, low, first), call(Prim::Min, high, end))
}

impl Iterate for Range {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let (first, end) = interval(from);
        let base = mul(from.parent.lo.clone(), from.level.size.clone());
        let low = from.level.low.clone();
        let at = |c: Expr| add(base.clone(), sub(c, low.clone()));
        let hi = match &from.parent.hi {
            None => at(end),
            // A run holds one parent or none.
            Some(hi) => {
                let some = call(Prim::Ne, from.parent.lo.clone(), hi.clone());
                Expr::Call { prim: Prim::Select, args: vec![some, at(end), at(first.clone())] }
            }
        };
        Shape::Positions {
            lo: at(first),
            hi,
            coord: CoordSource::Counted { base: base.clone(), low: low.clone() },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}

impl Insert for Range {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let mut code = Vec::new();
        let slots = ctx.times(ctx.parents.clone(), ctx.level.size.clone());
        ctx.state.slots = Some(ctx.hold("slots", slots, &mut code));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let base = mul(e.parent.clone(), ctx.level.size.clone());
        let position = add(base, sub(e.coord.clone(), ctx.level.low.clone()));
        Inserted { code: Vec::new(), position }
    }
    fn insert_finalize(&self, _: &mut AssemblyCtx) -> Vec<Stmt> {
        Vec::new()
    }
}
