//! The singleton level: exactly one coordinate per parent.
//!
//! ```text
//! four parents, with children 3, 0, 0, 2
//! crd    3   0   0   2            the child of parent p is at position p, with coordinate crd[p]
//! ```
//! Parents without a child are marked by the empty coordinate: those of a padded singleton, and those that are empty slots
//! themselves.

use crate::scatter::{Element, Placed, Scatter, Site};
use crate::{Append, Coord, Counts, From, Gaps, LevelFormat, LevelIr, Order, Shape, Slots, Test, Walk};
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
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl Walk for Singleton {
    fn unfold(&self, from: &From) -> Shape {
        let crd = from.level.arrays[0];
        let test = match from.level.slots {
            Slots::SomeEmpty => Test::NotEmpty(empty(from.kernel, crd)),
            Slots::AllFilled => Test::Always,
        };
        chain(from, Coord::stored(crd), test)
    }
    fn chains(&self) -> bool {
        true
    }
}

/// One child per parent, for one parent or a run of them.
pub(crate) fn chain(from: &From, coord: Coord, test: Test) -> Shape {
    let order = if from.level.level.ordered() { Order::Sorted } else { Order::Unsorted };
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

impl Scatter for Singleton {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let crd = site.level.arrays[0];
        site.state.slots = Some(site.parents.clone());
        let mut code = vec![Stmt::Reserve { buf: crd, len: site.parents.clone() }];
        if site.level.level.padded() {
            let slots = site.parents.clone();
            code.push(all_empty(site, crd, slots));
        }
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let crd = site.level.arrays[0];
        let code = vec![site.kernel.store_index(crd, e.parent.clone(), e.coord.clone())];
        Placed { code, position: e.parent.clone() }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: site.level.arrays[0], len: site.slots() }]
    }
}

/// Marks the first `slots` elements of a coordinate array as empty.
pub(crate) fn all_empty(site: &mut Site, crd: BufId, slots: Expr) -> Stmt {
    let mark = Scalar::I64(empty(site.kernel, crd)).cast(site.kernel.bufs[crd].elem);
    let p = site.kernel.index("p");
    let body = vec![store(crd, var(p), constant(mark))];
    Stmt::For { var: p, lo: int(0), hi: slots, step: 1, mode: LoopMode::Vector, body }
}
