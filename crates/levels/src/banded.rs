//! The banded level: the coordinates close to that of the level above.
//!
//! ```text
//! a 4 x 4 matrix, bounds = [1, 1]       three slots per row, those outside the matrix unused
//! row 0      . 0 1                      coordinates max(low, up - lower) .. min(low + size, up + upper + 1)
//! row 1      0 1 2                      positions p = parent * (lower + upper + 1) + coordinate - up + lower
//! ```

use crate::scatter::{Element, Placed, Reply, Scatter, Site};
use crate::shape::{Coord, Order, Test, sub};
use crate::{From, LevelFormat, Shape, Walk};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::BANDED};
use openwork_loops::build::{add, call, int, mul, store};
use openwork_loops::{Expr, Stmt};

/// A band around the coordinate above.
#[derive(Debug)]
pub struct Banded;

impl LevelFormat for Banded {
    fn spec(&self) -> &'static LevelSpec {
        &BANDED
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
}

impl Walk for Banded {
    fn unfold(&self, from: &From) -> Shape {
        let up = from.above.last().expect("a banded level has a level above it").clone();
        let (lower, upper) = (from.level.sizes[0].clone(), from.level.sizes[1].clone());
        let width = add(add(lower.clone(), upper.clone()), int(1));
        let low = from.level.low.clone();
        let first = call(Prim::Max, low.clone(), sub(up.clone(), lower.clone()));
        let end = call(Prim::Min, add(low, from.level.size.clone()), add(add(up.clone(), upper), int(1)));
        // Rows below the last one that reaches into the matrix have no slots there.
        let end = call(Prim::Max, first.clone(), end);
        // The position of coordinate `up - lower`.
        let base = mul(from.parent.lo.clone(), width);
        let at = |c: Expr| add(base.clone(), sub(c, sub(up.clone(), lower.clone())));
        let hi = match &from.parent.hi {
            None => at(end),
            // A run holds one parent or none.
            Some(hi) => {
                let some = call(Prim::Ne, from.parent.lo.clone(), hi.clone());
                Expr::Call { prim: Prim::Select, args: vec![some, at(end), at(first.clone())] }
            }
        };
        Shape::Positions {
            lo: at(first),
            hi,
            coord: Coord::Counted { base: base.clone(), low: sub(up.clone(), lower.clone()) },
            order: Order::Sorted,
            test: Test::Always,
        }
    }
}

impl Scatter for Banded {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let [Reply::Number { value: least, known }, Reply::Number { value: most, .. }] = site.answers else {
            unreachable!("the query has two answers and no coordinates")
        };
        let or = |value: Expr, none: i64| Expr::Call {
            prim: Prim::Select,
            args: vec![known.clone(), value, int(none)],
        };
        let (lower, upper) = (or(sub(int(0), least.clone()), 0), or(most.clone(), -1));
        let bounds = site.level.arrays[0];
        let mut code = vec![Stmt::Reserve { buf: bounds, len: int(2) }];
        let lower = site.hold("lower", lower, &mut code);
        let upper = site.hold("upper", upper, &mut code);
        code.push(store(bounds, int(0), lower.clone()));
        code.push(store(bounds, int(1), upper.clone()));
        let width = add(add(lower.clone(), upper.clone()), int(1));
        site.level.sizes = vec![lower, upper];
        let slots = mul(site.parents.clone(), width);
        site.state.slots = Some(site.hold("slots", slots, &mut code));
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let up = e.above.last().expect("a banded level has a level above it").clone();
        let (lower, upper) = (site.level.sizes[0].clone(), site.level.sizes[1].clone());
        let width = add(add(lower.clone(), upper), int(1));
        let position = add(mul(e.parent.clone(), width), add(sub(e.coord.clone(), up), lower));
        Placed { code: Vec::new(), position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: site.level.arrays[0], len: int(2) }]
    }
}
