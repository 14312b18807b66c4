//! The compressed level: a segment of coordinates per parent.
//!
//! ```text
//! two parents, children {0, 2} and {1}
//! pos    0       2   3          children of parent p: positions pos[p] .. pos[p + 1]
//! crd    0   2   1
//! ```
//! Children of a run of parents `lo..hi` are `pos[lo] .. pos[hi]`: segments follow one another, which chains the
//! iterators of duplicate parents without a copy (formats thesis, §4.2.4).

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::segments::finalize_edges;
use crate::{
    Append, ChildTest, CoordOrder, CoordSource, Gaps, Iterate, LevelCounts, LevelFormat, LevelIr, Shape,
    WalkStart,
};
use openwork_format::{ArrayRole, LevelSpec, specs::COMPRESSED};
use openwork_loops::build::{add, int};
use openwork_loops::{BufId, Expr, LoopKernel, Stmt, VarId};

/// A segment of coordinates per parent.
#[derive(Debug)]
pub struct Compressed;

fn pos(level: &LevelIr) -> BufId {
    level.arrays[0]
}
fn crd(level: &LevelIr) -> BufId {
    level.arrays[1]
}

impl LevelFormat for Compressed {
    fn spec(&self) -> &'static LevelSpec {
        debug_assert_eq!(
            COMPRESSED.arrays.iter().map(|a| a.role).collect::<Vec<_>>(),
            [ArrayRole::Pos, ArrayRole::Crd]
        );
        &COMPRESSED
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

impl Iterate for Compressed {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let pos = pos(from.level);
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let order = if from.level.level.is_ordered() { CoordOrder::Sorted } else { CoordOrder::Unsorted };
        Shape::Positions {
            lo,
            hi,
            coord: CoordSource::from_array(crd(from.level)),
            order,
            test: ChildTest::Always,
        }
    }
    fn chains(&self) -> bool {
        true
    }
}

impl Append for Compressed {
    fn append_init(&self, kernel: &LoopKernel, level: &LevelIr, parents: Option<&Expr>) -> Vec<Stmt> {
        let len = add(parents.cloned().unwrap_or(int(0)), int(1));
        vec![Stmt::Reserve { buf: pos(level), len }, kernel.store_index(pos(level), int(0), int(0))]
    }
    fn reserve(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: crd(level), len }]
    }
    fn append_coord(&self, kernel: &LoopKernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(crd(level), at, coord)]
    }
    fn append_edges(&self, kernel: &LoopKernel, level: &LevelIr, parent: Expr, end: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(pos(level), add(parent, int(1)), end)]
    }
    fn append_finalize(
        &self,
        kernel: &LoopKernel,
        level: &LevelIr,
        count: LevelCounts,
        scratch: VarId,
        gaps: Gaps,
    ) -> Vec<Stmt> {
        let mut code = finalize_edges(kernel, pos(level), &count, scratch, gaps);
        code.push(Stmt::SetLen { buf: crd(level), len: count.positions });
        code
    }
}

impl Insert for Compressed {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let (pos, crd) = (pos(ctx.level), crd(ctx.level));
        let mut code = ctx.seq_insert_edges(pos);
        code.push(Stmt::Reserve { buf: crd, len: ctx.slots() });
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let crd = crd(ctx.level);
        let (mut code, position) = ctx.yield_pos(e.parent.clone());
        code.push(ctx.kernel.store_index(crd, position.clone(), e.coord.clone()));
        Inserted { code, position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: pos(ctx.level), len: add(ctx.parents.clone(), int(1)) },
            Stmt::SetLen { buf: crd(ctx.level), len: ctx.slots() },
        ]
    }
}
