//! Compressed and singleton levels whose coordinates are interleaved: an array of structs.
//!
//! ```text
//! three elements (0,3) (0,5) (2,1)
//! pos    0           3
//! crd    0 3   0 5   2 1           coordinate of level n of the chain at position p: crd[p * levels + n]
//! ```

use crate::compressed::{next_slot, segments};
use crate::scatter::{Element, Placed, Scatter, Site};
use crate::shape::{Coord, Order, Test};
use crate::singleton::chain;
use crate::{From, LevelFormat, LevelIr, Shape, Walk};
use openwork_format::{
    LevelSpec,
    specs::{COMPRESSED_AOS, SINGLETON_AOS},
};
use openwork_loops::build::{add, int, mul};
use openwork_loops::{Expr, Stmt};

/// A segment of structs per parent.
#[derive(Debug)]
pub struct CompressedAos;
/// One more field of the structs.
#[derive(Debug)]
pub struct SingletonAos;

fn coord(level: &LevelIr) -> Coord {
    let s = level.structs.expect("lowering finds the chain of every level in structs");
    Coord::Stored { crd: s.crd, stride: s.stride, offset: s.offset }
}

impl LevelFormat for CompressedAos {
    fn spec(&self) -> &'static LevelSpec {
        &COMPRESSED_AOS
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
}
impl LevelFormat for SingletonAos {
    fn spec(&self) -> &'static LevelSpec {
        &SINGLETON_AOS
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
}

impl Walk for CompressedAos {
    fn unfold(&self, from: &From) -> Shape {
        let pos = from.level.arrays[0];
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let order = if from.level.level.ordered() { Order::Sorted } else { Order::Unsorted };
        Shape::Positions { lo, hi, coord: coord(from.level), order, test: Test::Always }
    }
    fn chains(&self) -> bool {
        true
    }
}
impl Walk for SingletonAos {
    fn unfold(&self, from: &From) -> Shape {
        chain(from, coord(from.level), Test::Always)
    }
    fn chains(&self) -> bool {
        true
    }
}

impl Scatter for CompressedAos {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let pos = site.level.arrays[0];
        let mut code = segments(site, pos);
        code.push(Stmt::Reserve { buf: site.level.arrays[1], len: elements(site) });
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let (mut code, position) = next_slot(site, e.parent.clone());
        code.push(field(site, position.clone(), e));
        Placed { code, position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: site.level.arrays[0], len: add(site.parents.clone(), int(1)) },
            Stmt::SetLen { buf: site.level.arrays[1], len: elements(site) },
        ]
    }
}

impl Scatter for SingletonAos {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        site.state.slots = Some(site.parents.clone());
        Vec::new()
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        Placed { code: vec![field(site, e.parent.clone(), e)], position: e.parent.clone() }
    }
    fn close(&self, _: &mut Site) -> Vec<Stmt> {
        Vec::new()
    }
}

fn structs(site: &Site) -> crate::Structs {
    site.level.structs.expect("lowering finds the chain of every level in structs")
}
fn elements(site: &Site) -> Expr {
    mul(site.slots(), int(structs(site).stride))
}
fn field(site: &mut Site, position: Expr, e: &Element) -> Stmt {
    let s = structs(site);
    site.kernel.store_index(s.crd, add(mul(position, int(s.stride)), int(s.offset)), e.coord.clone())
}
