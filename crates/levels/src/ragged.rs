//! The ragged level: the first few coordinates, a number of its own for every parent.
//!
//! ```text
//! two parents with coordinates {0, 1, 2} and {0}
//! pos    0           3   4         coordinates low .. low + pos[p + 1] - pos[p], positions pos[p] + coordinate - low
//! ```

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero, QueryResult};
use crate::shape::{ChildTest, CoordOrder, CoordSource, sub};
use crate::{Iterate, LevelFormat, Seek, Shape, Sought, WalkStart};
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

impl Iterate for Ragged {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let pos = from.level.arrays[0];
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        Shape::Positions {
            lo: lo.clone(),
            hi: from.kernel.load_index(pos, from.parent.end()),
            coord: CoordSource::Counted { base: lo, low: from.level.low.clone() },
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
}

impl Seek for Ragged {
    fn seek(&self, from: &WalkStart, coord: Expr, _: &mut dyn FnMut(&str) -> VarId) -> Sought {
        let pos = from.level.arrays[0];
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let position = add(lo, sub(coord, from.level.low.clone()));
        Sought { code: Vec::new(), found: lt(position.clone(), hi), position }
    }
}

impl Insert for Ragged {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let pos = ctx.level.arrays[0];
        let low = ctx.level.low.clone();
        let mut code = vec![Stmt::Reserve { buf: pos, len: add(ctx.parents.clone(), int(1)) }];
        let sum = ctx.kernel.index("slots");
        code.push(Stmt::Let { var: sum, val: int(0) });
        code.push(ctx.kernel.store_index(pos, int(0), int(0)));
        let answer = &ctx.answers[0];
        match answer {
            QueryResult::Number { .. } => {
                code.push(set(sum, answer.width(int(0), low)));
                code.push(ctx.kernel.store_index(pos, int(1), var(sum)));
            }
            QueryResult::Table { .. } => {
                let p = ctx.kernel.index("p");
                let body = vec![
                    set(sum, ctx.plus(var(sum), answer.width(var(p), low))),
                    ctx.kernel.store_index(pos, add(var(p), int(1)), var(sum)),
                ];
                code.push(for_each(p, int(0), ctx.parents.clone(), body));
            }
        }
        code.extend(ctx.refuse_overflow(pos, var(sum)));
        ctx.state.slots = Some(var(sum));
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        let start = ctx.kernel.load_index(ctx.level.arrays[0], e.parent.clone());
        let position = add(start, sub(e.coord.clone(), ctx.level.low.clone()));
        Inserted { code: Vec::new(), position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        vec![Stmt::SetLen { buf: ctx.level.arrays[0], len: add(ctx.parents.clone(), int(1)) }]
    }
}
