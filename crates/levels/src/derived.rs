//! The offset and the block level: one coordinate, computed from coordinates above.
//!
//! ```text
//! offset      diagonal d = j - i above row i           j = d + i
//! block       block row b = i / 3 above r = i % 3      i = 3 b + r
//! ```
//! The child of a parent has the parent's position. Blocks at the edge of a tensor reach over it, so a computed
//! coordinate may have to be compared with the size.

use crate::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use crate::shape::{ChildTest, CoordSource};
use crate::singleton::chain;
use crate::{InsideDim, Iterate, LevelFormat, RemapGiven, Shape, WalkStart};
use openwork_format::{
    LevelSpec,
    specs::{BLOCK, OFFSET},
};
use openwork_loops::build::{add, int, mul};
use openwork_loops::{Expr, Stmt};

/// One computed coordinate per parent.
#[derive(Debug)]
pub struct Derived {
    spec: &'static LevelSpec,
}

/// The offset level.
pub const OFFSET_LEVEL: Derived = Derived { spec: &OFFSET };
/// The block level.
pub const BLOCK_LEVEL: Derived = Derived { spec: &BLOCK };

impl LevelFormat for Derived {
    fn spec(&self) -> &'static LevelSpec {
        self.spec
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

/// `constant + sum of factor * coordinate`.
pub fn linear(terms: &[(i64, usize)], constant: i64, above: &[Expr]) -> Expr {
    let sum = terms.iter().fold(None, |sum: Option<Expr>, &(factor, k)| {
        let term = above[k].clone();
        Some(match (sum, factor) {
            (None, f) => mul(term, int(f)),
            (Some(s), 1) => add(s, term),
            (Some(s), -1) => crate::shape::sub(s, term),
            (Some(s), f) => add(s, mul(term, int(f))),
        })
    });
    add(sum.unwrap_or(int(0)), int(constant))
}

impl Iterate for Derived {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let RemapGiven::Linear { terms, constant, inside } = &from.level.given else {
            unreachable!("a derived level stands where its coordinate is determined")
        };
        let test = match inside {
            InsideDim::Known => ChildTest::Always,
            InsideDim::Unknown => ChildTest::Inside(from.level.size.clone()),
        };
        chain(from, CoordSource::Is(linear(terms, *constant, from.above)), test)
    }
}

impl Insert for Derived {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        ctx.state.slots = Some(ctx.parents.clone());
        Vec::new()
    }
    fn insert_coord(&self, _: &mut AssemblyCtx, e: &Nonzero) -> Inserted {
        Inserted { code: Vec::new(), position: e.parent.clone() }
    }
    fn insert_finalize(&self, _: &mut AssemblyCtx) -> Vec<Stmt> {
        Vec::new()
    }
}
