//! The ragged level: the first few coordinates, a number of its own for every parent.
//!
//! ```text
//! two parents with coordinates {0, 1, 2} and {0}
//! pos    0           3   4         coordinates low .. low + pos[p + 1] - pos[p], positions pos[p] + coordinate - low
//! ```

use crate::compressed::refuse_overflow;
use crate::scatter::{Element, Placed, Reply, Scatter, Site};
use crate::shape::{Coord, Order, Test, sub};
use crate::{From, LevelFormat, Seek, Shape, Sought, Walk};
use openwork_format::{LevelSpec, specs::RAGGED};
use openwork_loops::build::{add, for_each, int, lt, set, var};
use openwork_loops::{Expr, Stmt, VarId};

/// The front of the dimension, of any length.
#[derive(Debug)]
pub struct Ragged;

impl LevelFormat for Ragged {
    fn spec(&self) -> &'static LevelSpec {
        &RAGGED
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

impl Walk for Ragged {
    fn unfold(&self, from: &From) -> Shape {
        let pos = from.level.arrays[0];
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        Shape::Positions {
            lo: lo.clone(),
            hi: from.kernel.load_index(pos, from.parent.end()),
            coord: Coord::Counted { base: lo, low: from.level.low.clone() },
            order: Order::Sorted,
            test: Test::Always,
        }
    }
}

impl Seek for Ragged {
    fn seek(&self, from: &From, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let pos = from.level.arrays[0];
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let position = add(lo, sub(coord, from.level.low.clone()));
        Sought { code: Vec::new(), found: lt(position.clone(), hi), position }
    }
}

impl Scatter for Ragged {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let pos = site.level.arrays[0];
        let low = site.level.low.clone();
        let mut code = vec![Stmt::Reserve { buf: pos, len: add(site.parents.clone(), int(1)) }];
        let sum = site.kernel.index("slots");
        code.push(Stmt::Let { var: sum, val: int(0) });
        code.push(site.kernel.store_index(pos, int(0), int(0)));
        let answer = &site.answers[0];
        match answer {
            Reply::Number { .. } => {
                code.push(set(sum, answer.width(int(0), low)));
                code.push(site.kernel.store_index(pos, int(1), var(sum)));
            }
            Reply::Table { .. } => {
                let p = site.kernel.index("p");
                let body = vec![
                    set(sum, add(var(sum), answer.width(var(p), low))),
                    site.kernel.store_index(pos, add(var(p), int(1)), var(sum)),
                ];
                code.push(for_each(p, int(0), site.parents.clone(), body));
            }
        }
        code.extend(refuse_overflow(site, pos, var(sum)));
        site.state.slots = Some(var(sum));
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let start = site.kernel.load_index(site.level.arrays[0], e.parent.clone());
        let position = add(start, sub(e.coord.clone(), site.level.low.clone()));
        Placed { code: Vec::new(), position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: site.level.arrays[0], len: add(site.parents.clone(), int(1)) }]
    }
}
