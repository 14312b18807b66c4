//! The list level: a list of coordinates per parent, with room to grow behind it.
//!
//! ```text
//! two parents, children {0, 2} and {1}; E marks room
//! begin  0           3
//! end    2           4             children of parent p: positions begin[p] .. end[p]
//! crd    0   2   E   1   E
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero, QueryResult};
use crate::shape::{ChildTest, CoordOrder, CoordSource};
use crate::singleton::all_empty;
use crate::{Iterate, LevelFormat, Shape, WalkStart};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::LIST};
use openwork_loops::build::{add, call, for_each, int, lt, set, var};
use openwork_loops::{Expr, Stmt};

/// A list with room to grow per parent.
#[derive(Debug)]
pub struct List;

impl LevelFormat for List {
    fn spec(&self) -> &'static LevelSpec {
        &LIST
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl Iterate for List {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let (begin, end) = (from.level.arrays[0], from.level.arrays[1]);
        let lo = from.kernel.load_index(begin, from.parent.lo.clone());
        let hi = from.kernel.load_index(end, from.parent.lo.clone());
        let hi = match &from.parent.hi {
            None => hi,
            // A run holds one parent or none.
            Some(stop) => {
                let some = call(Prim::Ne, from.parent.lo.clone(), stop.clone());
                Expr::Call { prim: Prim::Select, args: vec![some, hi, lo.clone()] }
            }
        };
        let order = if from.level.level.is_ordered() { CoordOrder::Sorted } else { CoordOrder::Unsorted };
        Shape::Positions {
            lo,
            hi,
            coord: CoordSource::from_array(from.level.arrays[2]),
            order,
            test: ChildTest::Always,
        }
    }
}

impl Insert for List {
    /// Every list that is not empty gets a quarter of its length as room, at least one slot.
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let (begin, end, crd) = (ctx.level.arrays[0], ctx.level.arrays[1], ctx.level.arrays[2]);
        let (sum, p, n) = (ctx.kernel.index("slots"), ctx.kernel.index("p"), ctx.kernel.index("n"));
        let count = match ctx.answers[0].clone() {
            QueryResult::Number { value, .. } => value,
            QueryResult::Table { stored, .. } => ctx.kernel.load_index(stored, var(p)),
        };
        let room = call(Prim::Max, int(1), call(Prim::Shr, var(n), int(2)));
        let body = vec![
            Stmt::Let { var: n, val: count },
            ctx.kernel.store_index(begin, var(p), var(sum)),
            ctx.kernel.store_index(end, var(p), var(sum)),
            Stmt::If {
                cond: lt(int(0), var(n)),
                then: vec![set(sum, add(var(sum), add(var(n), room)))],
                other: Vec::new(),
            },
        ];
        let mut code = vec![
            Stmt::Reserve { buf: begin, len: ctx.parents.clone() },
            Stmt::Reserve { buf: end, len: ctx.parents.clone() },
            Stmt::Let { var: sum, val: int(0) },
            for_each(p, int(0), ctx.parents.clone(), body),
        ];
        code.extend(ctx.refuse_overflow(begin, var(sum)));
        ctx.state.slots = Some(var(sum));
        code.push(Stmt::Reserve { buf: crd, len: var(sum) });
        code.push(all_empty(ctx, crd, var(sum)));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let (end, crd) = (ctx.level.arrays[1], ctx.level.arrays[2]);
        let mut code = Vec::new();
        let at = ctx.hold("at", e.parent.clone(), &mut code);
        let slot = ctx.kernel.load_index(end, at.clone());
        let position = ctx.hold("slot", slot, &mut code);
        code.push(ctx.kernel.store_index(end, at, add(position.clone(), int(1))));
        code.push(ctx.kernel.store_index(crd, position.clone(), e.coord.clone()));
        Inserted { code, position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: ctx.level.arrays[0], len: ctx.parents.clone() },
            Stmt::SetLen { buf: ctx.level.arrays[1], len: ctx.parents.clone() },
            Stmt::SetLen { buf: ctx.level.arrays[2], len: ctx.slots() },
        ]
    }
}
