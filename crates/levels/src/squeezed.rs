//! The squeezed level: the coordinates of `perm`, the same ones for every parent.
//!
//! ```text
//! diagonals of a matrix   perm    -3  -1   0   1          count 4
//! positions                        0   1   2   3          p = parent * count + place in perm
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero, QueryResult};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Shape, WalkStart};
use openwork_algebra::DType;
use openwork_format::{LevelSpec, specs::SQUEEZED};
use openwork_loops::build::{add, cast, for_each, if_then, int, load, mul, set, store, var};
use openwork_loops::{BufRole, Stmt};

/// One list of coordinates for all parents.
#[derive(Debug)]
pub struct Squeezed;

impl LevelFormat for Squeezed {
    fn spec(&self) -> &'static LevelSpec {
        &SQUEEZED
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl Iterate for Squeezed {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let count = &from.level.sizes[0];
        let base = mul(from.parent.lo.clone(), count.clone());
        Shape::Positions {
            lo: base.clone(),
            hi: mul(from.parent.end(), count.clone()),
            coord: CoordSource::Listed { crd: from.level.arrays[1], base },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}

impl Insert for Squeezed {
    /// Collects the coordinates that occur, and notes the place of each one.
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let QueryResult::Table { stored, .. } = ctx.answers[0].clone() else {
            unreachable!("the query is a map of the level's coordinates")
        };
        let (count, perm) = (ctx.level.arrays[0], ctx.level.arrays[1]);
        let (size, low) = (ctx.level.size.clone(), ctx.level.low.clone());
        let places = ctx.kernel.buf("places", DType::I64, BufRole::Temp);
        ctx.state.scratch = Some(places);
        let (k, c, d) = (ctx.kernel.index("count"), ctx.kernel.index("c"), ctx.kernel.index("c"));
        let is_there = |c| cast(DType::I64, DType::Bool, load(stored, var(c)));
        let found = vec![
            ctx.kernel.store_index(perm, var(k), add(var(d), low)),
            store(places, var(d), var(k)),
            set(k, add(var(k), int(1))),
        ];
        let total = ctx.kernel.index("count");
        let mut code = vec![
            Stmt::Let { var: total, val: int(0) },
            for_each(c, int(0), size.clone(), vec![set(total, add(var(total), is_there(c)))]),
            Stmt::Reserve { buf: count, len: int(1) },
            store(count, int(0), var(total)),
            Stmt::Reserve { buf: perm, len: var(total) },
            Stmt::Reserve { buf: places, len: size.clone() },
            Stmt::Let { var: k, val: int(0) },
            for_each(d, int(0), size, if_then(load(stored, var(d)), found)),
        ];
        ctx.level.sizes = vec![var(total)];
        let slots = ctx.times(ctx.parents.clone(), var(total));
        ctx.state.slots = Some(ctx.hold("slots", slots, &mut code));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let places = ctx.state.scratch.expect("a level is opened before it is used");
        let base = mul(e.parent.clone(), ctx.level.sizes[0].clone());
        let position = add(base, load(places, sub(e.coord.clone(), ctx.level.low.clone())));
        Inserted { code: Vec::new(), position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: ctx.level.arrays[0], len: int(1) },
            Stmt::SetLen { buf: ctx.level.arrays[1], len: ctx.level.sizes[0].clone() },
        ]
    }
}
