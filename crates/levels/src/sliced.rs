//! The sliced level: the first `width` coordinates, with one width for all parents.
//!
//! ```text
//! width 3, two parents    parent 0        parent 1
//! coordinates             0   1   2       0   1   2
//! positions               0   1   2       3   4   5      p = parent * width + coordinate - low
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Seek, Shape, Sought, WalkStart};
use openwork_format::{LevelSpec, specs::SLICED};
use openwork_loops::build::{add, int, lt, mul, store};
use openwork_loops::{Expr, Stmt, VarId};

/// The front of the dimension.
#[derive(Debug)]
pub struct Sliced;

impl LevelFormat for Sliced {
    fn spec(&self) -> &'static LevelSpec {
        &SLICED
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

impl Iterate for Sliced {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let width = &from.level.sizes[0];
        let base = mul(from.parent.lo.clone(), width.clone());
        Shape::Positions {
            lo: base.clone(),
            hi: mul(from.parent.end(), width.clone()),
            coord: CoordSource::Counted { base, low: from.level.low.clone() },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}

impl Seek for Sliced {
    fn seek(&self, from: &WalkStart, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let width = &from.level.sizes[0];
        let n = sub(coord, from.level.low.clone());
        let position = add(mul(from.parent.lo.clone(), width.clone()), n.clone());
        Sought { code: Vec::new(), position, found: lt(n, width.clone()) }
    }
}

impl Insert for Sliced {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let mut code = Vec::new();
        let width = ctx.answers[0].width(int(0), ctx.level.low.clone());
        let width = ctx.hold("width", width, &mut code);
        ctx.level.sizes = vec![width.clone()];
        code.push(Stmt::Reserve { buf: ctx.level.arrays[0], len: int(1) });
        code.push(store(ctx.level.arrays[0], int(0), width.clone()));
        let slots = ctx.times(ctx.parents.clone(), width);
        ctx.state.slots = Some(ctx.hold("slots", slots, &mut code));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let base = mul(e.parent.clone(), ctx.level.sizes[0].clone());
        let position = add(base, sub(e.coord.clone(), ctx.level.low.clone()));
        Inserted { code: Vec::new(), position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: ctx.level.arrays[0], len: int(1) }]
    }
}
