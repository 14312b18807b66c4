//! The hashed level: a hash table per parent, open addressing with linear probing.
//!
//! ```text
//! width 8, one parent, coordinates 6, 0, 8        start of a coordinate: spread(c - low) % 8; E marks an empty bucket
//! crd    0   6   8   E   E   E   E   E            8 starts at 1, which is taken by 6, and goes on to 2
//! ```
//! The width is a power of two and at least twice the number of children, so probing ends at an empty bucket; no
//! coordinate is more than [`FARTHEST`] buckets behind its start. A non-unique level places the tuple that the singletons
//! below it complete, and can only be walked.

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero, QueryResult};
use crate::shape::{ChildTest, CoordOrder, CoordSource, equals, sub};
use crate::singleton::{all_empty, empty};
use crate::{Iterate, LevelFormat, Seek, Shape, Sought, WalkStart};
use openwork_algebra::Prim;
use openwork_format::spread::{FACTOR, FARTHEST, FOLD, HIGH};
use openwork_format::{LevelSpec, specs::HASHED};
use openwork_loops::build::{add, and_also, call, for_each, if_then, int, lt, mul, set, store, var};
use openwork_loops::{Expr, Status, Stmt, VarId};

/// A hash table per parent.
#[derive(Debug)]
pub struct Hashed;

/// Sets `at` to the bucket, out of `mask + 1`, where the search for an offset begins: `spread` of the format crate.
pub fn start(at: VarId, offset: Expr, mask: Expr) -> Vec<Stmt> {
    let folded = || call(Prim::Xor, var(at), call(Prim::And, call(Prim::Shr, var(at), int(FOLD)), int(HIGH)));
    let round = || set(at, mul(folded(), int(FACTOR)));
    vec![Stmt::Let { var: at, val: offset }, round(), round(), set(at, call(Prim::And, folded(), mask))]
}
/// Ends the kernel where the bucket that was found is too far from the one where the search began.
pub fn check_distance(at: VarId, begin: VarId, mask: Expr) -> Vec<Stmt> {
    let far = call(Prim::And, sub(var(at), var(begin)), mask);
    if_then(lt(int(FARTHEST), far), vec![Stmt::Fail(Status::Crowded)])
}

impl LevelFormat for Hashed {
    fn spec(&self) -> &'static LevelSpec {
        &HASHED
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

impl Iterate for Hashed {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let width = &from.level.sizes[0];
        let crd = from.level.arrays[1];
        Shape::Positions {
            lo: mul(from.parent.lo.clone(), width.clone()),
            hi: mul(from.parent.end(), width.clone()),
            coord: CoordSource::from_array(crd),
            order: CoordOrder::Unsorted,
            test: ChildTest::NotEmpty(empty(from.kernel, crd)),
        }
    }
}

impl Seek for Hashed {
    /// Probes from the coordinate's start until it or an empty bucket is met.
    fn seek(&self, from: &WalkStart, coord: Expr, fresh: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let width = &from.level.sizes[0];
        let crd = from.level.arrays[1];
        let mark = empty(from.kernel, crd);
        let (base, slot) = (fresh("table"), fresh("bucket"));
        let mask = sub(width.clone(), int(1));
        let offset = sub(coord.clone(), from.level.low.clone());
        let here = from.kernel.load_index(crd, add(var(base), var(slot)));
        let other = call(Prim::Ne, here.clone(), coord.clone());
        let taken = call(Prim::Ne, here.clone(), int(mark));
        let next = set(slot, call(Prim::And, add(var(slot), int(1)), mask.clone()));
        let mut code = vec![Stmt::Let { var: base, val: mul(from.parent.lo.clone(), width.clone()) }];
        code.extend(start(slot, offset, mask));
        code.push(Stmt::While { cond: and_also(other, taken), body: vec![next] });
        Sought { code, position: add(var(base), var(slot)), found: equals(here, coord) }
    }
}

impl Insert for Hashed {
    /// Every parent gets the power of two that leaves the fullest table half empty.
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let (width_array, crd) = (ctx.level.arrays[0], ctx.level.arrays[1]);
        let (most, width) = (ctx.kernel.index("most"), ctx.kernel.index("width"));
        let mut code = vec![Stmt::Let { var: most, val: int(0) }];
        match ctx.answers[0].clone() {
            QueryResult::Number { value, .. } => code.push(set(most, value)),
            QueryResult::Table { stored, .. } => {
                let p = ctx.kernel.index("p");
                let larger = set(most, call(Prim::Max, var(most), ctx.kernel.load_index(stored, var(p))));
                code.push(for_each(p, int(0), ctx.parents.clone(), vec![larger]));
            }
        }
        let double = vec![set(width, add(var(width), var(width)))];
        let small = lt(var(width), add(var(most), var(most)));
        code.extend([
            Stmt::Let { var: width, val: int(1) },
            Stmt::While { cond: small, body: double },
            Stmt::Reserve { buf: width_array, len: int(1) },
            store(width_array, int(0), var(width)),
        ]);
        ctx.level.sizes = vec![var(width)];
        let slots = ctx.times(ctx.parents.clone(), var(width));
        let slots = ctx.hold("slots", slots, &mut code);
        ctx.state.slots = Some(slots.clone());
        code.push(Stmt::Reserve { buf: crd, len: slots.clone() });
        code.push(all_empty(ctx, crd, slots));
        code
    }
    /// Elements are distinct, so the first empty bucket is free for this one, if it is not too far.
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let crd = ctx.level.arrays[1];
        let mark = empty(ctx.kernel, crd);
        let [base, slot, begin] = ["table", "bucket", "start"].map(|name| ctx.kernel.index(name));
        let mask = sub(ctx.level.sizes[0].clone(), int(1));
        let at = add(var(base), var(slot));
        let taken = call(Prim::Ne, ctx.kernel.load_index(crd, at.clone()), int(mark));
        let next = set(slot, call(Prim::And, add(var(slot), int(1)), mask.clone()));
        let mut code = vec![Stmt::Let { var: base, val: mul(e.parent.clone(), ctx.level.sizes[0].clone()) }];
        code.extend(start(begin, sub(e.coord.clone(), ctx.level.low.clone()), mask.clone()));
        code.push(Stmt::Let { var: slot, val: var(begin) });
        code.push(Stmt::While { cond: taken, body: vec![next] });
        code.extend(check_distance(slot, begin, mask));
        code.push(ctx.kernel.store_index(crd, at.clone(), e.coord.clone()));
        Inserted { code, position: at }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: ctx.level.arrays[0], len: int(1) },
            Stmt::SetLen { buf: ctx.level.arrays[1], len: ctx.slots() },
        ]
    }
}
