//! Compressed and singleton levels whose coordinates are interleaved: an array of structs.
//!
//! ```text
//! three elements (0,3) (0,5) (2,1)
//! pos    0           3
//! crd    0 3   0 5   2 1           coordinate of level n of the chain at position p: crd[p * levels + n]
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::{ChildTest, CoordOrder, CoordSource};
use crate::singleton::chain;
use crate::{Iterate, LevelFormat, LevelIr, Shape, WalkStart};
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

fn coord(level: &LevelIr) -> CoordSource {
    let s = level.structs.expect("lowering finds the chain of every level in structs");
    CoordSource::Stored { crd: s.crd, stride: s.stride, offset: s.offset }
}

impl LevelFormat for CompressedAos {
    fn spec(&self) -> &'static LevelSpec {
        &COMPRESSED_AOS
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}
impl LevelFormat for SingletonAos {
    fn spec(&self) -> &'static LevelSpec {
        &SINGLETON_AOS
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl Iterate for CompressedAos {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let pos = from.level.arrays[0];
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let order = if from.level.level.is_ordered() { CoordOrder::Sorted } else { CoordOrder::Unsorted };
        Shape::Positions { lo, hi, coord: coord(from.level), order, test: ChildTest::Always }
    }
    fn chains(&self) -> bool {
        true
    }
}
impl Iterate for SingletonAos {
    fn iteration(&self, from: &WalkStart) -> Shape {
        chain(from, coord(from.level), ChildTest::Always)
    }
    fn chains(&self) -> bool {
        true
    }
}

impl Insert for CompressedAos {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let pos = ctx.level.arrays[0];
        let mut code = ctx.seq_insert_edges(pos);
        code.push(Stmt::Reserve {
            buf: ctx.level.arrays[1],
            len: ctx.times(ctx.slots(), int(structs(ctx).stride)),
        });
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let (mut code, position) = ctx.yield_pos(e.parent.clone());
        code.push(field(ctx, position.clone(), e));
        Inserted { code, position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: ctx.level.arrays[0], len: add(ctx.parents.clone(), int(1)) },
            Stmt::SetLen { buf: ctx.level.arrays[1], len: elements(ctx) },
        ]
    }
}

impl Insert for SingletonAos {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        ctx.state.slots = Some(ctx.parents.clone());
        Vec::new()
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        Inserted { code: vec![field(ctx, e.parent.clone(), e)], position: e.parent.clone() }
    }
    fn insert_finalize(&self, _: &mut AssemblyCtx) -> Vec<Stmt> {
        Vec::new()
    }
}

fn structs(ctx: &AssemblyCtx) -> crate::Structs {
    ctx.level.structs.expect("lowering finds the chain of every level in structs")
}
fn elements(ctx: &AssemblyCtx) -> Expr {
    mul(ctx.slots(), int(structs(ctx).stride))
}
fn field(ctx: &mut AssemblyCtx, position: Expr, e: &Nonzero) -> Stmt {
    let s = structs(ctx);
    ctx.kernel.store_index(s.crd, add(mul(position, int(s.stride)), int(s.offset)), e.coord.clone())
}
