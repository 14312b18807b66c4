//! The singleton level: exactly one coordinate per parent.
//!
//! ```text
//! four parents, with children 3, 0, 0, 2
//! crd    3   0   0   2            the child of parent p is at position p, with coordinate crd[p]
//! ```
//! Parents without a child are marked by the empty coordinate: those of a padded singleton, and those that are empty slots
//! themselves.

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::{
    Append, ChildTest, CoordOrder, CoordSource, EmptySlots, Gaps, Iterate, LevelCounts, LevelFormat, LevelIr,
    Shape, WalkStart,
};
use openwork_algebra::Scalar;
use openwork_format::{LevelSpec, Width, specs::SINGLETON};
use openwork_loops::build::{constant, int, store, var};
use openwork_loops::{BufId, Expr, LoopKernel, LoopMode, Stmt, VarId};

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
    fn iteration(&self, from: &WalkStart) -> Shape {
        let crd = from.level.arrays[0];
        let test = match from.level.slots {
            EmptySlots::SomeEmpty => ChildTest::NotEmpty(empty(from.kernel, crd)),
            EmptySlots::AllFilled => ChildTest::Always,
        };
        chain(from, CoordSource::from_array(crd), test)
    }
    fn chains(&self) -> bool {
        true
    }
}

/// One child per parent, for one parent or a run of them.
pub(crate) fn chain(from: &WalkStart, coord: CoordSource, test: ChildTest) -> Shape {
    let order = if from.level.level.is_ordered() { CoordOrder::Sorted } else { CoordOrder::Unsorted };
    match &from.parent.hi {
        None => Shape::Single { coord, test },
        Some(hi) => Shape::Positions { lo: from.parent.lo.clone(), hi: hi.clone(), coord, order, test },
    }
}

/// The element that marks an empty slot of a coordinate array.
pub(crate) fn empty(kernel: &LoopKernel, crd: BufId) -> i64 {
    let name = kernel.bufs[crd].elem.name();
    Width::by_name(name).expect("coordinate arrays have index widths").empty()
}

impl Append for Singleton {
    fn append_init(&self, _: &LoopKernel, _: &LevelIr, _: Option<&Expr>) -> Vec<Stmt> {
        Vec::new()
    }
    fn reserve(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: level.arrays[0], len }]
    }
    fn append_coord(&self, kernel: &LoopKernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[0], at, coord)]
    }
    fn append_edges(&self, _: &LoopKernel, _: &LevelIr, _: Expr, _: Expr) -> Vec<Stmt> {
        Vec::new()
    }
    fn append_finalize(
        &self,
        _: &LoopKernel,
        level: &LevelIr,
        count: LevelCounts,
        _: VarId,
        _: Gaps,
    ) -> Vec<Stmt> {
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
