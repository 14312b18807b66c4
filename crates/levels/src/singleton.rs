//! The singleton level: exactly one coordinate per parent.
//!
//! ```text
//! four parents, with children 3, 0, 0, 2
//! crd    3   0   0   2            the child of parent p is at position p, with coordinate crd[p]
//! ```

use crate::{Append, Counts, Gaps, LevelFormat, LevelIr, Place, Shape, Walk};
use openwork_format::{LevelSpec, level::SINGLETON};
use openwork_loops::{Expr, Kernel, Stmt, VarId};

/// One coordinate per parent.
#[derive(Debug)]
pub struct Singleton;

impl LevelFormat for Singleton {
    fn spec(&self) -> &'static LevelSpec {
        &SINGLETON
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl Walk for Singleton {
    fn unfold(&self, _: &Kernel, level: &LevelIr, parent: &Place) -> Shape {
        let crd = level.arrays[0];
        match &parent.hi {
            None => Shape::Single { crd },
            Some(hi) if level.level.ordered() => Shape::Sorted { lo: parent.lo.clone(), hi: hi.clone(), crd },
            Some(hi) => Shape::Unsorted { lo: parent.lo.clone(), hi: hi.clone(), crd },
        }
    }
}

impl Append for Singleton {
    fn init(&self, _: &Kernel, _: &LevelIr, _: Option<&Expr>) -> Vec<Stmt> {
        Vec::new()
    }
    fn room(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: level.arrays[0], len }]
    }
    fn coord(&self, kernel: &Kernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[0], at, coord)]
    }
    fn edges(&self, _: &Kernel, _: &LevelIr, _: Expr, _: Expr) -> Vec<Stmt> {
        Vec::new()
    }
    fn finish(&self, _: &Kernel, level: &LevelIr, count: Counts, _: VarId, _: Gaps) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: level.arrays[0], len: count.positions }]
    }
}
