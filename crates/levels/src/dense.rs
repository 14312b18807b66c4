//! The dense level: every coordinate is there, and nothing is stored.
//!
//! ```text
//! size 3, two parents     parent 0        parent 1
//! coordinates             0   1   2       0   1   2
//! positions               0   1   2       3   4   5      p = parent * size + coordinate - low
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::sub;
use crate::{Iterate, LevelFormat, LevelIr, Locate, Shape, WalkStart};
use openwork_format::{LevelSpec, specs::DENSE};
use openwork_loops::build::{add, mul};
use openwork_loops::{Expr, Stmt};

/// Every coordinate of the dimension, implicitly.
#[derive(Debug)]
pub struct Dense;

impl LevelFormat for Dense {
    fn spec(&self) -> &'static LevelSpec {
        &DENSE
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl Iterate for Dense {
    fn iteration(&self, _: &WalkStart) -> Shape {
        Shape::Every
    }
}

impl Locate for Dense {
    fn base(&self, level: &LevelIr, parent: Expr) -> Expr {
        sub(mul(parent, level.size.clone()), level.low.clone())
    }
    fn find(&self, _: &LevelIr, base: Expr, coord: Expr) -> Expr {
        add(base, coord)
    }
}

impl Insert for Dense {
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
