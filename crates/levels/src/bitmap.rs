//! The bitmap level: a slot for every coordinate, and one bit that says whether it is there.
//!
//! ```text
//! size 70, one parent      bits of word 0: coordinates 0..64      bits of word 1: coordinates 64..70
//! words of parent p        p * ceil(size / 64) ..                 unused bits are zero
//! positions                p * size + coordinate - low
//! ```
//! Intersections of bitmaps walk the words of their conjunction, one set bit at a time.

use crate::scatter::{Element, Placed, Scatter, Site};
use crate::shape::{bit, sub};
use crate::{From, LevelFormat, Seek, Shape, Sought, Walk};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::BITMAP};
use openwork_loops::build::{add, call, int, mul};
use openwork_loops::{Expr, Stmt, VarId};

/// A slot and a bit per coordinate.
#[derive(Debug)]
pub struct Bitmap;

impl LevelFormat for Bitmap {
    fn spec(&self) -> &'static LevelSpec {
        &BITMAP
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

/// The first word of a parent.
fn first(from: &From) -> Expr {
    let words = call(Prim::Shr, add(from.level.size.clone(), int(63)), int(6));
    mul(from.parent.lo.clone(), words)
}

impl Walk for Bitmap {
    fn unfold(&self, from: &From) -> Shape {
        Shape::Bits {
            words: from.level.arrays[0],
            first: first(from),
            base: mul(from.parent.lo.clone(), from.level.size.clone()),
            low: from.level.low.clone(),
            size: match &from.parent.hi {
                None => from.level.size.clone(),
                // A run holds one parent or none.
                Some(hi) => mul(sub(hi.clone(), from.parent.lo.clone()), from.level.size.clone()),
            },
        }
    }
}

impl Seek for Bitmap {
    fn seek(&self, from: &From, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let n = sub(coord, from.level.low.clone());
        let position = add(mul(from.parent.lo.clone(), from.level.size.clone()), n.clone());
        Sought { code: Vec::new(), position, found: bit(from.level.arrays[0], first(from), n) }
    }
}

/// Words per parent.
fn words(level: &crate::LevelIr) -> Expr {
    call(Prim::Shr, add(level.size.clone(), int(63)), int(6))
}

impl Scatter for Bitmap {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let mut code = Vec::new();
        let slots = mul(site.parents.clone(), site.level.size.clone());
        site.state.slots = Some(site.hold("slots", slots, &mut code));
        let len = mul(site.parents.clone(), words(site.level));
        code.push(Stmt::Reserve { buf: site.level.arrays[0], len });
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let mut code = Vec::new();
        let n = site.hold("bit", sub(e.coord.clone(), site.level.low.clone()), &mut code);
        let first = mul(e.parent.clone(), words(site.level));
        let at = add(first, call(Prim::Shr, n.clone(), int(6)));
        let val = call(Prim::Shl, int(1), call(Prim::And, n.clone(), int(63)));
        code.push(Stmt::Store { buf: site.level.arrays[0], at, val, reduce: Some(Prim::Or) });
        Placed { code, position: add(mul(e.parent.clone(), site.level.size.clone()), n) }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        let len = mul(site.parents.clone(), words(site.level));
        vec![Stmt::SetLen { buf: site.level.arrays[0], len }]
    }
}
