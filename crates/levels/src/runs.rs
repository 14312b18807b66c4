//! The run-length level: runs of coordinates that share one value.
//!
//! ```text
//! one parent, size 6, values a a b b b a
//! pos    0           3
//! crd    2   5   6                 run r covers the coordinates from the end of the run before it up to crd[r]
//! ```

use crate::segments::finalize_edges;
use crate::{Append, Gaps, Iterate, LevelCounts, LevelFormat, LevelIr, Shape, WalkStart};
use openwork_format::{LevelSpec, specs::RUNS};
use openwork_loops::build::{add, int};
use openwork_loops::{Expr, LoopKernel, Stmt, VarId};

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
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl Iterate for Runs {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let pos = from.level.arrays[0];
        Shape::Runs {
            lo: from.kernel.load_index(pos, from.parent.lo.clone()),
            hi: from.kernel.load_index(pos, from.parent.end()),
            ends: from.level.arrays[1],
            low: from.level.low.clone(),
        }
    }
}

/// What is appended at a position is where its run ends; that runs cover every coordinate is up to the loops.
impl Append for Runs {
    fn append_init(&self, kernel: &LoopKernel, level: &LevelIr, parents: Option<&Expr>) -> Vec<Stmt> {
        let pos = level.arrays[0];
        let len = add(parents.cloned().unwrap_or(int(0)), int(1));
        vec![Stmt::Reserve { buf: pos, len }, kernel.store_index(pos, int(0), int(0))]
    }
    fn reserve(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: level.arrays[1], len }]
    }
    fn append_coord(&self, kernel: &LoopKernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[1], at, coord)]
    }
    fn append_edges(&self, kernel: &LoopKernel, level: &LevelIr, parent: Expr, end: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[0], add(parent, int(1)), end)]
    }
    fn append_finalize(
        &self,
        kernel: &LoopKernel,
        level: &LevelIr,
        count: LevelCounts,
        scratch: VarId,
        gaps: Gaps,
    ) -> Vec<Stmt> {
        let mut code = finalize_edges(kernel, level.arrays[0], &count, scratch, gaps);
        code.push(Stmt::SetLen { buf: level.arrays[1], len: count.positions });
        code
    }
}
