//! The masked level: a slot for every coordinate, and a truth value that says whether it is there.
//!
//! ```text
//! size 4, two parents     parent 0          parent 1
//! mask                    1  0  0  1        0  1  0  0
//! children                0        3           1          p = parent * size + coordinate - low
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Seek, Shape, Sought, WalkStart};
use openwork_algebra::Scalar;
use openwork_format::{LevelSpec, specs::MASKED};
use openwork_loops::build::{add, constant, load, mul, store};
use openwork_loops::{Expr, Stmt, VarId};

/// A slot and a truth value per coordinate.
#[derive(Debug)]
pub struct Masked;

impl LevelFormat for Masked {
    fn spec(&self) -> &'static LevelSpec {
        &MASKED
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

impl Iterate for Masked {
    fn iteration(&self, from: &WalkStart) -> Shape {
        slots(from, ChildTest::Mask(from.level.arrays[0]))
    }
}

/// A slot per coordinate of the dimension.
pub(crate) fn slots(from: &WalkStart, test: ChildTest) -> Shape {
    let base = mul(from.parent.lo.clone(), from.level.size.clone());
    Shape::Positions {
        lo: base.clone(),
        hi: mul(from.parent.end(), from.level.size.clone()),
        coord: CoordSource::Counted { base, low: from.level.low.clone() },
        order: CoordOrder::Sorted,
        test,
    }
}

impl Seek for Masked {
    fn seek(&self, from: &WalkStart, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let base = mul(from.parent.lo.clone(), from.level.size.clone());
        let position = add(base, sub(coord, from.level.low.clone()));
        Sought { code: Vec::new(), found: load(from.level.arrays[0], position.clone()), position }
    }
}

impl Insert for Masked {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let mut code = Vec::new();
        let slots = ctx.times(ctx.parents.clone(), ctx.level.size.clone());
        ctx.state.slots = Some(ctx.hold("slots", slots, &mut code));
        code.push(Stmt::Reserve { buf: ctx.level.arrays[0], len: ctx.slots() });
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let base = mul(e.parent.clone(), ctx.level.size.clone());
        let mut code = Vec::new();
        let position = ctx.hold("slot", add(base, sub(e.coord.clone(), ctx.level.low.clone())), &mut code);
        code.push(store(ctx.level.arrays[0], position.clone(), constant(Scalar::Bool(true))));
        Inserted { code, position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: ctx.level.arrays[0], len: ctx.slots() }]
    }
}
