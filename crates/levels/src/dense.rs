//! The dense level: every coordinate is there, and nothing is stored.
//!
//! ```text
//! size 3, two parents     parent 0        parent 1
//! coordinates             0   1   2       0   1   2
//! positions               0   1   2       3   4   5      p = parent * size + coordinate - low
//! ```

use crate::scatter::{Element, Placed, Scatter, Site};
use crate::shape::sub;
use crate::{From, LevelFormat, LevelIr, Locate, Shape, Walk};
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
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl Walk for Dense {
    fn unfold(&self, _: &From) -> Shape {
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

impl Scatter for Dense {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let mut code = Vec::new();
        let slots = mul(site.parents.clone(), site.level.size.clone());
        site.state.slots = Some(site.hold("slots", slots, &mut code));
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let base = mul(e.parent.clone(), site.level.size.clone());
        let position = add(base, sub(e.coord.clone(), site.level.low.clone()));
        Placed { code: Vec::new(), position }
    }
    fn close(&self, _: &mut Site) -> Vec<Stmt> {
        Vec::new()
    }
}
