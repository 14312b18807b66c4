//! The dense level: every coordinate is there, and nothing is stored.
//!
//! ```text
//! size 3, two parents     parent 0        parent 1
//! coordinates             0   1   2       0   1   2
//! positions               0   1   2       3   4   5      p = parent * size + coordinate
//! ```

use crate::{LevelFormat, LevelIr, Locate, Place, Shape, Walk};
use openwork_format::{LevelSpec, level::DENSE};
use openwork_loops::build::{add, mul};
use openwork_loops::{Expr, Kernel};

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
    fn locate(&self) -> Option<&dyn Locate> {
        Some(self)
    }
}

impl Walk for Dense {
    fn unfold(&self, _: &Kernel, _: &LevelIr, _: &Place) -> Shape {
        Shape::Every
    }
}

impl Locate for Dense {
    fn base(&self, level: &LevelIr, parent: Expr) -> Expr {
        mul(parent, level.size.clone())
    }
    fn find(&self, _: &LevelIr, base: Expr, coord: Expr) -> Expr {
        add(base, coord)
    }
}
