//! The sliced level: the first `width` coordinates, with one width for all parents.
//!
//! ```text
//! width 3, two parents    parent 0        parent 1
//! coordinates             0   1   2       0   1   2
//! positions               0   1   2       3   4   5      p = parent * width + coordinate - low
//! ```

use crate::scatter::{Element, Placed, Scatter, Site};
use crate::shape::{Coord, Order, Test, sub};
use crate::{From, LevelFormat, Seek, Shape, Sought, Walk};
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
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
    fn seek(&self) -> Option<&dyn Seek> {
        Some(self)
    }
}

impl Walk for Sliced {
    fn unfold(&self, from: &From) -> Shape {
        let width = &from.level.sizes[0];
        let base = mul(from.parent.lo.clone(), width.clone());
        Shape::Positions {
            lo: base.clone(),
            hi: mul(from.parent.end(), width.clone()),
            coord: Coord::Counted { base, low: from.level.low.clone() },
            order: Order::Sorted,
            test: Test::Always,
        }
    }
}

impl Seek for Sliced {
    fn seek(&self, from: &From, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let width = &from.level.sizes[0];
        let n = sub(coord, from.level.low.clone());
        let position = add(mul(from.parent.lo.clone(), width.clone()), n.clone());
        Sought { code: Vec::new(), position, found: lt(n, width.clone()) }
    }
}

impl Scatter for Sliced {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let mut code = Vec::new();
        let width = site.answers[0].width(int(0), site.level.low.clone());
        let width = site.hold("width", width, &mut code);
        site.level.sizes = vec![width.clone()];
        code.push(Stmt::Reserve { buf: site.level.arrays[0], len: int(1) });
        code.push(store(site.level.arrays[0], int(0), width.clone()));
        let slots = mul(site.parents.clone(), width);
        site.state.slots = Some(site.hold("slots", slots, &mut code));
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let base = mul(e.parent.clone(), site.level.sizes[0].clone());
        let position = add(base, sub(e.coord.clone(), site.level.low.clone()));
        Placed { code: Vec::new(), position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: site.level.arrays[0], len: int(1) }]
    }
}
