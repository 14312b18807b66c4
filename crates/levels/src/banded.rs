//! The banded level: the coordinates close to that of the level above.
//!
//! ```text
//! a 4 x 4 matrix, bounds = [1, 1]       three slots per row, those outside the matrix unused
//! row 0      . 0 1                      coordinates max(low, up - lower) .. min(low + size, up + upper + 1)
//! row 1      0 1 2                      positions p = parent * (lower + upper + 1) + coordinate - up + lower
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero, QueryResult};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Shape, WalkStart};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::BANDED};
use openwork_loops::build::{add, call, int, mul, store};
use openwork_loops::{Expr, Stmt};

/// A band around the coordinate above.
#[derive(Debug)]
pub struct Banded;

impl LevelFormat for Banded {
    fn spec(&self) -> &'static LevelSpec {
        &BANDED
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl Iterate for Banded {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let up = from.above.last().expect("a banded level has a level above it").clone();
        let (lower, upper) = (from.level.sizes[0].clone(), from.level.sizes[1].clone());
        let width = add(add(lower.clone(), upper.clone()), int(1));
        let low = from.level.low.clone();
        let first = call(Prim::Max, low.clone(), sub(up.clone(), lower.clone()));
        let end = call(Prim::Min, add(low, from.level.size.clone()), add(add(up.clone(), upper), int(1)));
        // Rows below the last one that reaches into the matrix have no slots there.
        let end = call(Prim::Max, first.clone(), end);
        // The position of coordinate `up - lower`.
        let base = mul(from.parent.lo.clone(), width);
        let at = |c: Expr| add(base.clone(), sub(c, sub(up.clone(), lower.clone())));
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
            coord: CoordSource::Counted { base: base.clone(), low: sub(up.clone(), lower.clone()) },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}

impl Insert for Banded {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let [QueryResult::Number { value: least, known }, QueryResult::Number { value: most, .. }] =
            ctx.answers
        else {
            unreachable!("the query has two answers and no coordinates")
        };
        let or = |value: Expr, none: i64| Expr::Call {
            prim: Prim::Select,
            args: vec![known.clone(), value, int(none)],
        };
        let (lower, upper) = (or(sub(int(0), least.clone()), 0), or(most.clone(), -1));
        let bounds = ctx.level.arrays[0];
        let mut code = vec![Stmt::Reserve { buf: bounds, len: int(2) }];
        let lower = ctx.hold("lower", lower, &mut code);
        let upper = ctx.hold("upper", upper, &mut code);
        code.push(store(bounds, int(0), lower.clone()));
        code.push(store(bounds, int(1), upper.clone()));
        let width = add(add(lower.clone(), upper.clone()), int(1));
        ctx.level.sizes = vec![lower, upper];
        let slots = ctx.times(ctx.parents.clone(), width);
        ctx.state.slots = Some(ctx.hold("slots", slots, &mut code));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let up = e.above.last().expect("a banded level has a level above it").clone();
        let (lower, upper) = (ctx.level.sizes[0].clone(), ctx.level.sizes[1].clone());
        let width = add(add(lower.clone(), upper), int(1));
        let position = add(mul(e.parent.clone(), width), add(sub(e.coord.clone(), up), lower));
        Inserted { code: Vec::new(), position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: ctx.level.arrays[0], len: int(2) }]
    }
}
