//! The bitmap level: a slot for every coordinate, and one bit that says whether it is there.
//!
//! ```text
//! size 70, one parent      bits of word 0: coordinates 0..64      bits of word 1: coordinates 64..70
//! words of parent p        p * ceil(size / 64) ..                 unused bits are zero
//! positions                p * size + coordinate - low
//! ```
//! Intersections of bitmaps walk the words of their conjunction, one set bit at a time.

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::{bit, sub};
use crate::{Iterate, LevelFormat, Seek, Shape, Sought, WalkStart};
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
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
    fn seek(&self) -> Option<&dyn Seek> {
        Some(self)
    }
}

/// The first word of a parent.
fn first(from: &WalkStart) -> Expr {
    let words = call(Prim::Shr, add(from.level.size.clone(), int(63)), int(6));
    mul(from.parent.lo.clone(), words)
}

impl Iterate for Bitmap {
    fn iteration(&self, from: &WalkStart) -> Shape {
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
    fn seek(&self, from: &WalkStart, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let n = sub(coord, from.level.low.clone());
        let position = add(mul(from.parent.lo.clone(), from.level.size.clone()), n.clone());
        Sought { code: Vec::new(), position, found: bit(from.level.arrays[0], first(from), n) }
    }
}

/// Words per parent.
fn words(level: &crate::LevelIr) -> Expr {
    call(Prim::Shr, add(level.size.clone(), int(63)), int(6))
}

impl Insert for Bitmap {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let mut code = Vec::new();
        let slots = ctx.times(ctx.parents.clone(), ctx.level.size.clone());
        ctx.state.slots = Some(ctx.hold("slots", slots, &mut code));
        let len = ctx.times(ctx.parents.clone(), words(ctx.level));
        code.push(Stmt::Reserve { buf: ctx.level.arrays[0], len });
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let mut code = Vec::new();
        let n = ctx.hold("bit", sub(e.coord.clone(), ctx.level.low.clone()), &mut code);
        let first = mul(e.parent.clone(), words(ctx.level));
        let at = add(first, call(Prim::Shr, n.clone(), int(6)));
        let val = call(Prim::Shl, int(1), call(Prim::And, n.clone(), int(63)));
        code.push(Stmt::Store { buf: ctx.level.arrays[0], at, val, reduce: Some(Prim::Or) });
        Inserted { code, position: add(mul(e.parent.clone(), ctx.level.size.clone()), n) }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let len = mul(ctx.parents.clone(), words(ctx.level));
        vec![Stmt::SetLen { buf: ctx.level.arrays[0], len }]
    }
}
