//! The masked level: a slot for every coordinate, and a truth value that says whether it is there.
//!
//! ```text
//! size 4, two parents     parent 0          parent 1
//! mask                    1  0  0  1        0  1  0  0
//! children                0        3           1          p = parent * size + coordinate - low
//! ```

use crate::scatter::{Element, Placed, Scatter, Site};
use crate::shape::{Coord, Order, Test, sub};
use crate::{From, LevelFormat, Seek, Shape, Sought, Walk};
use openwork_algebra::Scalar;
use openwork_format::{LevelSpec, specs::MASKED};
use openwork_loops::build::{add, constant, load, mul, store};
use openwork_loops::{Expr, Stmt, VarId};

/// A slot and a truth value per coordinate.
#[derive(Debug)]
pub struct Masked;

impl LevelFormat for Masked {
    fn spec(&self) -> &'static LevelSpec {
        &MASKED
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

impl Walk for Masked {
    fn unfold(&self, from: &From) -> Shape {
        slots(from, Test::Mask(from.level.arrays[0]))
    }
}

/// A slot per coordinate of the dimension.
pub(crate) fn slots(from: &From, test: Test) -> Shape {
    let base = mul(from.parent.lo.clone(), from.level.size.clone());
    Shape::Positions {
        lo: base.clone(),
        hi: mul(from.parent.end(), from.level.size.clone()),
        coord: Coord::Counted { base, low: from.level.low.clone() },
        order: Order::Sorted,
        test,
    }
}

impl Seek for Masked {
    fn seek(&self, from: &From, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let base = mul(from.parent.lo.clone(), from.level.size.clone());
        let position = add(base, sub(coord, from.level.low.clone()));
        Sought { code: Vec::new(), found: load(from.level.arrays[0], position.clone()), position }
    }
}

impl Scatter for Masked {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let mut code = Vec::new();
        let slots = mul(site.parents.clone(), site.level.size.clone());
        site.state.slots = Some(site.hold("slots", slots, &mut code));
        code.push(Stmt::Reserve { buf: site.level.arrays[0], len: site.slots() });
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let base = mul(e.parent.clone(), site.level.size.clone());
        let mut code = Vec::new();
        let position = site.hold("slot", add(base, sub(e.coord.clone(), site.level.low.clone())), &mut code);
        code.push(store(site.level.arrays[0], position.clone(), constant(Scalar::Bool(true))));
        Placed { code, position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: site.level.arrays[0], len: site.slots() }]
    }
}
