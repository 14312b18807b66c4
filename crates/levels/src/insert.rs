//! Out-of-order assembly (formats thesis, §6.2.4 and figure 6-6): levels that place elements as they come.
//!
//! A level is opened once, when the levels above it are and its attribute query has been answered: it inserts its edges,
//! sequenced over the positions of its parents, and initialises its arrays. Then every element is placed, level by
//! level, and at the end each level is closed.

use crate::LevelIr;
use openwork_algebra::{Prim, Scalar};
use openwork_loops::build::{add, call, int, load, mul, var};
use openwork_loops::{Expr, LoopKernel, Stmt};

/// A level under assembly.
#[derive(Debug)]
pub struct AssemblyCtx<'a> {
    /// The kernel, for new variables.
    pub kernel: &'a mut LoopKernel,
    /// The level; [`Insert::insert_init`] sets its sizes.
    pub level: &'a mut LevelIr,
    /// The number of positions of the level above.
    pub parents: Expr,
    /// The answers to the level's query, in the order of its aggregates.
    pub answers: &'a [QueryResult],
    /// The level's own state, kept from [`Insert::insert_init`] to [`Insert::insert_finalize`].
    pub state: &'a mut InsertState,
}

/// The answer of one aggregate.
#[derive(Clone, Debug)]
pub enum QueryResult {
    /// One number for the whole level, and whether there is any element.
    Number {
        /// The number.
        value: Expr,
        /// Whether it means something.
        known: Expr,
    },
    /// One element of `stored` per position of the level above, or per coordinate of the level itself.
    Table {
        /// The elements.
        stored: openwork_loops::BufId,
        /// The answer is `sign * (element - shift)`.
        shift: i64,
        /// 1 or -1.
        sign: i64,
    },
}

impl QueryResult {
    /// How many coordinates from `low` to the largest one, which is the answer, of the parent at `p`: none where there is
    /// no element.
    pub fn width(&self, p: Expr, low: Expr) -> Expr {
        let (largest, known) = match self {
            QueryResult::Number { value, known } => (value.clone(), known.clone()),
            QueryResult::Table { stored, shift, .. } => {
                let none = if *shift == 0 { i64::MIN } else { 0 };
                let held = load(*stored, p);
                (call(Prim::Sub, held.clone(), int(*shift)), call(Prim::Ne, held, int(none)))
            }
        };
        let width = call(Prim::Sub, add(largest, int(1)), low);
        match &known {
            // Answers that are shifted start at zero, which makes no width.
            Expr::Call { args, .. } if args.get(1) == Some(&int(0)) => width,
            _ => Expr::Call { prim: Prim::Select, args: vec![known, width, int(0)] },
        }
    }
}

/// What a level remembers while it is assembled.
#[derive(Clone, Debug, Default)]
pub struct InsertState {
    /// The number of positions.
    pub slots: Option<Expr>,
    /// A scratch array.
    pub scratch: Option<openwork_loops::BufId>,
    /// A running number.
    pub cursor: Option<openwork_loops::VarId>,
    /// The groups that elements are dealt into, where they do not go to their places at once.
    pub dealt: Option<Dealt>,
}

/// Groups of neighbouring parents, each with one cursor for all elements under them.
#[derive(Clone, Copy, Debug)]
pub struct Dealt {
    /// The number of groups per parent, in units of 2^-32.
    pub scale: openwork_loops::VarId,
    /// Where it is noted which parent of its group an element belongs to: the parent modulo 2^16.
    pub keys: openwork_loops::BufId,
}

/// The number of the group that `parent` is in: `parent * scale / 2^32`.
pub fn group(parent: Expr, scale: openwork_loops::VarId) -> Expr {
    call(Prim::Shr, mul(parent, var(scale)), int(32))
}

/// An element on its way into the tensor.
#[derive(Clone, Debug)]
pub struct Nonzero<'a> {
    /// Its position in the level above.
    pub parent: Expr,
    /// Its coordinate at this level.
    pub coord: Expr,
    /// Its coordinates at the levels above.
    pub above: &'a [Expr],
}

/// Where an element went.
#[derive(Clone, Debug)]
pub struct Inserted {
    /// Code that finds its position and stores what the level keeps about it.
    pub code: Vec<Stmt>,
    /// The position.
    pub position: Expr,
}

/// Places elements in any order.
pub trait Insert {
    /// Inserts edges and initialises coordinates; sets `ctx.state.slots`.
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt>;
    /// `get_pos` or `yield_pos`, then `insert_coord`.
    fn insert_coord(&self, ctx: &mut AssemblyCtx, element: &Nonzero) -> Inserted;
    /// Finalises, and states the lengths of the level's arrays.
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt>;
}

/// More slots than any memory has: where more are counted, the request for so many is refused.
const TOO_MANY: i64 = 1 << 60;

impl AssemblyCtx<'_> {
    /// `each` slots for every one of `count`: as many as there is no memory for where the product is beyond that. What
    /// follows from sizes alone is looked at before the kernel runs.
    pub fn times(&self, count: Expr, each: Expr) -> Expr {
        if self.is_known(&count) && self.is_known(&each) {
            return mul(count, each);
        }
        let most = match &each {
            Expr::Const(Scalar::I64(n)) => int((TOO_MANY / (*n).max(1)).max(1)),
            _ => {
                let most = call(Prim::Quot, int(TOO_MANY), call(Prim::Max, each.clone(), int(1)));
                call(Prim::Max, most, int(1))
            }
        };
        mul(call(Prim::Min, count, most), each)
    }
    /// `sum` slots and `more`, or as many as there is no memory for.
    pub fn plus(&self, sum: Expr, more: Expr) -> Expr {
        let room = call(Prim::Sub, int(TOO_MANY), sum.clone());
        add(sum, call(Prim::Min, more, room))
    }
    /// Whether a number follows from sizes alone.
    fn is_known(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(_) => true,
            Expr::Var(v) => self.kernel.params.contains(v),
            Expr::Call { args, .. } => args.iter().all(|a| self.is_known(a)),
            _ => false,
        }
    }
    /// The number of positions of this level.
    pub fn slots(&self) -> Expr {
        self.state.slots.clone().expect("a level is opened before it is used")
    }
    /// Keeps a value in a new variable.
    pub fn hold(&mut self, name: &str, val: Expr, code: &mut Vec<Stmt>) -> Expr {
        match val {
            simple @ (Expr::Const(_) | Expr::Var(_)) => simple,
            computed => {
                let held = self.kernel.index(name);
                code.push(Stmt::Let { var: held, val: computed });
                openwork_loops::build::var(held)
            }
        }
    }
}
