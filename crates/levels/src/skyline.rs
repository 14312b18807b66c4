//! The skyline level: one interval of coordinates per parent.
//!
//! ```text
//! three parents with coordinates {0}, {0, 1}, {1, 2}
//! pos    0   1       3       5          number of coordinates: pos[p + 1] - pos[p]
//! first  0   0       1                  coordinates first[p] .., positions pos[p] + coordinate - first[p]
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero, QueryResult};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Seek, Shape, Sought, WalkStart};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::SKYLINE};
use openwork_loops::build::{add, and_also, call, for_each, int, load, lt, mul, set, var};
use openwork_loops::{Expr, Stmt, VarId};

/// One interval per parent.
#[derive(Debug)]
pub struct Skyline;

impl LevelFormat for Skyline {
    fn spec(&self) -> &'static LevelSpec {
        &SKYLINE
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

impl Iterate for Skyline {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let (pos, first) = (from.level.arrays[0], from.level.arrays[1]);
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let low = from.kernel.load_index(first, from.parent.lo.clone());
        Shape::Positions {
            lo: lo.clone(),
            hi: from.kernel.load_index(pos, from.parent.end()),
            coord: CoordSource::Counted { base: lo, low },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}

impl Seek for Skyline {
    fn seek(&self, from: &WalkStart, coord: Expr, fresh: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let (pos, first) = (from.level.arrays[0], from.level.arrays[1]);
        let at = fresh("at");
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let begin = from.kernel.load_index(first, from.parent.lo.clone());
        let val = add(lo.clone(), sub(coord, begin));
        let found = and_also(call(Prim::Le, lo, var(at)), lt(var(at), hi));
        Sought { code: vec![Stmt::Let { var: at, val }], position: var(at), found }
    }
}

impl Insert for Skyline {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let (pos, first) = (ctx.level.arrays[0], ctx.level.arrays[1]);
        let low = ctx.level.low.clone();
        let (sum, p) = (ctx.kernel.index("slots"), ctx.kernel.index("p"));
        let (least, most) = (ctx.kernel.index("least"), ctx.kernel.index("most"));
        let answer = |reply: &QueryResult| match reply {
            QueryResult::Number { value, known } => (value.clone(), known.clone()),
            QueryResult::Table { stored, sign, shift } => {
                let value = mul(sub(load(*stored, var(p)), int(*shift)), int(*sign));
                (value, call(Prim::Ne, load(*stored, var(p)), int(i64::MIN)))
            }
        };
        let ((lo, known), (hi, _)) = (answer(&ctx.answers[0]), answer(&ctx.answers[1]));
        let or = |value, none| Expr::Call { prim: Prim::Select, args: vec![known.clone(), value, none] };
        let body = vec![
            Stmt::Let { var: least, val: or(lo, low.clone()) },
            Stmt::Let { var: most, val: or(hi, sub(low, int(1))) },
            ctx.kernel.store_index(first, var(p), var(least)),
            set(sum, ctx.plus(var(sum), add(sub(var(most), var(least)), int(1)))),
            ctx.kernel.store_index(pos, add(var(p), int(1)), var(sum)),
        ];
        let mut code = vec![
            Stmt::Reserve { buf: pos, len: add(ctx.parents.clone(), int(1)) },
            Stmt::Reserve { buf: first, len: ctx.parents.clone() },
            Stmt::Let { var: sum, val: int(0) },
            ctx.kernel.store_index(pos, int(0), int(0)),
            for_each(p, int(0), ctx.parents.clone(), body),
        ];
        code.extend(ctx.refuse_overflow(pos, var(sum)));
        ctx.state.slots = Some(var(sum));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let start = ctx.kernel.load_index(ctx.level.arrays[0], e.parent.clone());
        let least = ctx.kernel.load_index(ctx.level.arrays[1], e.parent.clone());
        Inserted { code: Vec::new(), position: add(start, sub(e.coord.clone(), least)) }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: ctx.level.arrays[0], len: add(ctx.parents.clone(), int(1)) },
            Stmt::SetLen { buf: ctx.level.arrays[1], len: ctx.parents.clone() },
        ]
    }
}
