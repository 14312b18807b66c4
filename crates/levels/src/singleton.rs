//! The singleton level: exactly one coordinate per parent.
//!
//! ```text
//! four parents, with children 3, 0, 0, 2
//! crd    3   0   0   2            the child of parent p is at position p, with coordinate crd[p]
//! ```
//! Parents without a child are marked by the empty coordinate: those of a padded singleton, and those that are empty slots
//! themselves.

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::{Append, Coord, Counts, From, Gaps, Iterate, LevelFormat, LevelIr, Order, Shape, Slots, Test};
use openwork_algebra::Scalar;
use openwork_format::{LevelSpec, Width, specs::SINGLETON};
use openwork_loops::build::{constant, int, store, var};
use openwork_loops::{BufId, Expr, Kernel, LoopMode, Stmt, VarId};

/// One coordinate per parent.
#[derive(Debug)]
pub struct Singleton;

impl LevelFormat for Singleton {
    fn spec(&self) -> &'static LevelSpec {
        &SINGLETON
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl Iterate for Singleton {
    fn iteration(&self, from: &From) -> Shape {
        let crd = from.level.arrays[0];
        let test = match from.level.slots {
            Slots::SomeEmpty => Test::NotEmpty(empty(from.kernel, crd)),
            Slots::AllFilled => Test::Always,
        };
        chain(from, Coord::from_array(crd), test)
    }
    fn chains(&self) -> bool {
        true
    }
}

/// One child per parent, for one parent or a run of them.
pub(crate) fn chain(from: &From, coord: Coord, test: Test) -> Shape {
    let order = if from.level.level.is_ordered() { Order::Sorted } else { Order::Unsorted };
    match &from.parent.hi {
        None => Shape::Single { coord, test },
        Some(hi) => Shape::Positions { lo: from.parent.lo.clone(), hi: hi.clone(), coord, order, test },
    }
}

/// The element that marks an empty slot of a coordinate array.
pub(crate) fn empty(kernel: &Kernel, crd: BufId) -> i64 {
    let name = kernel.bufs[crd].elem.name();
    Width::by_name(name).expect("coordinate arrays have index widths").empty()
}

impl Append for Singleton {
    fn append_init(&self, _: &Kernel, _: &LevelIr, _: Option<&Expr>) -> Vec<Stmt> {
        Vec::new()
    }
    fn reserve(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: level.arrays[0], len }]
    }
    fn append_coord(&self, kernel: &Kernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[0], at, coord)]
    }
    fn append_edges(&self, _: &Kernel, _: &LevelIr, _: Expr, _: Expr) -> Vec<Stmt> {
        Vec::new()
    }
    fn append_finalize(&self, _: &Kernel, level: &LevelIr, count: Counts, _: VarId, _: Gaps) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: level.arrays[0], len: count.positions }]
    }
}

impl Insert for Singleton {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let crd = ctx.level.arrays[0];
        ctx.state.slots = Some(ctx.parents.clone());
        let mut code = vec![Stmt::Reserve { buf: crd, len: ctx.parents.clone() }];
        if ctx.level.level.is_padded() {
            let slots = ctx.parents.clone();
            code.push(all_empty(ctx, crd, slots));
        }
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let crd = ctx.level.arrays[0];
        let code = vec![ctx.kernel.store_index(crd, e.parent.clone(), e.coord.clone())];
        Inserted { code, position: e.parent.clone() }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: ctx.level.arrays[0], len: ctx.slots() }]
    }
}

/// Marks the first `slots` elements of a coordinate array as empty.
pub(crate) fn all_empty(ctx: &mut AssemblyCtx, crd: BufId, slots: Expr) -> Stmt {
    let mark = Scalar::I64(empty(ctx.kernel, crd)).cast(ctx.kernel.bufs[crd].elem);
    let p = ctx.kernel.index("p");
    let body = vec![store(crd, var(p), constant(mark))];
    Stmt::For { var: p, lo: int(0), hi: slots, step: 1, mode: LoopMode::Vector, body }
}
