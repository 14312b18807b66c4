//! The types of loop IR.
//!
//! # Meaning
//!
//! - Every index, position, dimension and loop variable is an `i64`. Narrower index arrays are widened by an
//!   explicit [`Expr::Cast`] at the load.
//! - Values are scalars or short vectors of one dtype ([`Ty`]); primitives and casts apply lane by lane.
//! - Variables are mutable. [`Stmt::Let`] brings one to life; it lives to the end of the block that holds the `Let`.
//! - `In` buffers are never written. `Out` and `Temp` buffers can be read, written and grown. What they hold before they
//!   are written, memory gained by [`Stmt::Reserve`] included, is what their [`Init`] says.
//! - All expressions are evaluated eagerly except [`Expr::AndAlso`], whose right side runs only if the left is true.
//! - Nothing traps: integer arithmetic wraps, [`Prim::Div`] exists for floats and complex numbers only, and
//!   [`Prim::Quot`] and [`Prim::Rem`] give 0 for a divisor of 0.

use crate::kinds::read_buffer;
use crate::names::KernelNames;
use crate::walk::{each_part, each_stmt, exprs};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::{Arena, typed_id};
use std::collections::BTreeSet;

typed_id!(
    /// A scalar or vector variable of a kernel.
    pub struct VarId, "v"
);
typed_id!(
    /// A buffer of a kernel.
    pub struct BufId, "b"
);

/// The type of an expression: a dtype and a number of lanes (1 for a scalar).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// Element type.
    pub elem: DType,
    /// Lanes; a power of two.
    pub lanes: u8,
}

impl Ty {
    /// The type of positions, coordinates and dimensions.
    pub const INDEX: Ty = Ty { elem: DType::I64, lanes: 1 };
    /// The type of conditions.
    pub const BOOL: Ty = Ty { elem: DType::Bool, lanes: 1 };
    /// A scalar type.
    pub fn scalar(elem: DType) -> Ty {
        Ty { elem, lanes: 1 }
    }
    /// A vector type.
    pub fn vector(elem: DType, lanes: u8) -> Ty {
        Ty { elem, lanes }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Name in text; unique within a kernel.
    pub name: String,
    /// Type.
    pub ty: Ty,
}

/// The role of a buffer: what a kernel may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufRole {
    /// Read only.
    In,
    /// Read, written, grown; handed back to the caller.
    Out,
    /// Read, written, grown; empty at entry and dropped at exit.
    Temp,
}

/// What a buffer that the kernel may write holds where nobody has written yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Init {
    /// Zeros.
    #[default]
    Zeros,
    /// Nothing that means anything: no element is read before it is written, and every element that is announced (or for
    /// which room was made, where nothing is announced) has been written when the kernel ends well.
    Uninit,
    /// Zeros at first, then what the last call of the same kernel left.
    Kept,
    /// What the caller put there, all of which the kernel may read.
    Given,
}

impl Init {
    /// The word in text; zeros need none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Init::Zeros => None,
            Init::Uninit => Some("uninit"),
            Init::Kept => Some("kept"),
            Init::Given => Some("given"),
        }
    }
}

/// A flat array of one dtype.
#[derive(Clone, Debug, PartialEq)]
pub struct Buf {
    /// Name in text; unique within a kernel.
    pub name: String,
    /// Element type. Bools are bytes 0 and 1.
    pub elem: DType,
    /// What the kernel may do with it.
    pub role: BufRole,
    /// What it holds before it is written, where it is no input.
    pub init: Init,
}

/// A complete kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopKernel {
    /// Name, for listings.
    pub name: String,
    /// All variables, parameters included.
    pub vars: Arena<VarId, Var>,
    /// All buffers; the caller passes `In` and `Out` ones in this order.
    pub bufs: Arena<BufId, Buf>,
    /// The `i64` variables that the caller sets, in order (dimensions).
    pub params: Vec<VarId>,
    /// The code.
    pub body: Vec<Stmt>,
    /// What makes a new name cheap to find.
    pub(crate) names: KernelNames,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Const(Scalar),
    /// The current value of a variable.
    Var(VarId),
    /// `buf[at]`.
    Load {
        /// The buffer.
        buf: BufId,
        /// An index.
        at: Box<Expr>,
    },
    /// The vector `buf[at], …, buf[at + lanes - 1]`; no alignment is promised.
    VLoad {
        /// The buffer.
        buf: BufId,
        /// The index of lane 0.
        at: Box<Expr>,
        /// Number of lanes.
        lanes: u8,
    },
    /// A primitive, lane by lane; all arguments have one type (`Select` takes a bool of as many lanes first).
    Call {
        /// What to compute.
        prim: Prim,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A conversion, lane by lane, by the rules of [`Scalar::cast`].
    Cast {
        /// Target dtype.
        to: DType,
        /// What to convert.
        arg: Box<Expr>,
    },
    /// `left && right`, where `right` is evaluated only if `left` is true. Scalar bools.
    AndAlso(Box<Expr>, Box<Expr>),
    /// A scalar in every lane.
    Splat {
        /// Number of lanes.
        lanes: u8,
        /// The scalar.
        arg: Box<Expr>,
    },
    /// A vector from one scalar per lane (a gather when they are loads).
    Pack(Vec<Expr>),
    /// All lanes of a vector combined into a scalar by an associative, commutative primitive, in any order.
    Fold {
        /// `Add`, `Mul`, `Min`, `Max`, `And`, `Or` or `Xor`.
        prim: Prim,
        /// The vector.
        arg: Box<Expr>,
    },
}

impl Expr {
    /// The factors of a product that is not rounded by itself where it is added; see [`Prim::Fused`].
    pub fn fused_factors(&self) -> Option<[&Expr; 2]> {
        let Expr::Call { prim: Prim::Fused, args } = self else { return None };
        let [x, y] = &args[..] else { return None };
        Some([x, y])
    }
    /// The factors and the other summand of a sum that is rounded once.
    pub fn fused_sum(&self) -> Option<[&Expr; 3]> {
        let Expr::Call { prim: Prim::Add, args } = self else { return None };
        let [a, b] = &args[..] else { return None };
        match (a.fused_factors(), b.fused_factors()) {
            (Some([x, y]), _) => Some([x, y, b]),
            (None, Some([x, y])) => Some([x, y, a]),
            (None, None) => None,
        }
    }
}

/// How a `for` loop may be run. Every mode means the same as `Serial`, but for the order of reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopMode {
    /// One iteration after the other.
    Serial,
    /// Iterations may be taken several at a time: they touch disjoint elements, or combine into a scalar by a
    /// reassociable reduction. A hint for the vectorising pass; backends run it as `Serial`.
    Vector,
    /// Rounds that follow one another often combine into the same element. A hint for [`runs`](mod@crate::runs); backends
    /// run it as `Serial`.
    Runs,
    /// A loop for vectors of so many lanes that a backend makes itself; see [`wide`](crate::wide). What its reductions
    /// add up may be added in any order. Other backends run it as `Serial`.
    Wide {
        /// Lanes.
        lanes: u8,
    },
    /// A loop whose rounds are one after the other, around loops that a backend takes in vectors of so many lanes; see
    /// [`rows`](mod@crate::wide::rows). What those add up may be added in any order. Other backends run it as `Serial`.
    Rows {
        /// Lanes.
        lanes: u8,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Declares and sets a variable.
    Let {
        /// The variable.
        var: VarId,
        /// Its first value.
        val: Expr,
    },
    /// Sets a variable that is alive.
    Set {
        /// The variable.
        var: VarId,
        /// Its new value.
        val: Expr,
    },
    /// `buf[at] = val`, or `buf[at] = reduce(buf[at], val)`; a vector stores all its lanes from `at` on.
    Store {
        /// The buffer, `Out` or `Temp`.
        buf: BufId,
        /// Index (of lane 0).
        at: Expr,
        /// What to store.
        val: Expr,
        /// How to combine with what is there.
        reduce: Option<Prim>,
    },
    /// Runs `body` with `var = lo, lo + step, …` while `var < hi`. `lo` and `hi` are evaluated once. The variable never
    /// has to pass the largest `i64`: that would be a fault of the kernel, and compiled code does not look.
    For {
        /// The loop variable: an `i64` that `body` must not set.
        var: VarId,
        /// First value.
        lo: Expr,
        /// Exclusive end.
        hi: Expr,
        /// At least 1.
        step: i64,
        /// How it may run.
        mode: LoopMode,
        /// The code.
        body: Vec<Stmt>,
    },
    /// Runs `body` as long as `cond` holds; tested before each round.
    While {
        /// A scalar bool.
        cond: Expr,
        /// The code.
        body: Vec<Stmt>,
    },
    /// Runs one of two blocks.
    If {
        /// A scalar bool.
        cond: Expr,
        /// When it holds.
        then: Vec<Stmt>,
        /// When it does not.
        other: Vec<Stmt>,
    },
    /// Makes sure that `buf` (`Out` or `Temp`) has room for `len` elements; ends the kernel with
    /// [`Status::OutOfMemory`] when that cannot be. New room holds what the buffer's [`Init`] says.
    Reserve {
        /// The buffer.
        buf: BufId,
        /// Elements wanted.
        len: Expr,
    },
    /// Tells the caller that the first `len` elements of an `Out` buffer are the result.
    SetLen {
        /// The buffer.
        buf: BufId,
        /// Final number of elements.
        len: Expr,
    },
    /// Goes on after the innermost loop around it; the variable of that loop is dead then, and so are those of its body.
    Break,
    /// Ends the kernel with an error.
    Fail(Status),
    /// Ends the kernel with [`Status::Cancelled`] if the caller has asked it to stop. Results need not be complete then.
    Poll,
    /// A remark in the listing.
    Note(String),
}

/// The status with which a kernel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Status {
    /// All results are complete.
    Ok = 0,
    /// A buffer could not grow.
    OutOfMemory = 1,
    /// A position or coordinate does not fit the width of its array.
    IndexOverflow = 2,
    /// A run-time check failed.
    CheckFailed = 3,
    /// The caller asked to stop.
    Cancelled = 4,
    /// Coordinates collide in a hash table.
    Crowded = 5,
    /// A loop in a function that a user defined does not end.
    Endless = 6,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 7] = [
        Status::Ok,
        Status::OutOfMemory,
        Status::IndexOverflow,
        Status::CheckFailed,
        Status::Cancelled,
        Status::Crowded,
        Status::Endless,
    ];
    /// The status with this number.
    pub fn from_code(code: i32) -> Option<Status> {
        Status::ALL.into_iter().find(|s| *s as i32 == code)
    }
    /// Name in text.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::OutOfMemory => "out_of_memory",
            Status::IndexOverflow => "index_overflow",
            Status::CheckFailed => "check_failed",
            Status::Cancelled => "cancelled",
            Status::Crowded => "crowded",
            Status::Endless => "endless",
        }
    }
}

impl LoopKernel {
    /// A kernel without parameters or code.
    pub fn new(name: impl Into<String>) -> LoopKernel {
        LoopKernel {
            name: name.into(),
            vars: Arena::new(),
            bufs: Arena::new(),
            params: Vec::new(),
            body: Vec::new(),
            names: KernelNames::default(),
        }
    }
    /// The buffers that are read.
    pub fn loaded_buffers(&self) -> BTreeSet<BufId> {
        let mut out = BTreeSet::new();
        each_stmt(&self.body, &mut |s| {
            for e in exprs(s) {
                each_part(e, &mut |part| {
                    out.extend(read_buffer(part));
                });
            }
        });
        out
    }
    /// The type of an expression, or what is wrong with it.
    pub fn ty(&self, e: &Expr) -> Result<Ty, String> {
        let scalar_index = |at: &Expr| match self.ty(at)? {
            Ty::INDEX => Ok(()),
            other => Err(format!("an index must be a scalar i64, not {other:?}")),
        };
        Ok(match e {
            Expr::Const(s) => Ty::scalar(s.dtype()),
            Expr::Var(v) => self.vars.get(*v).ok_or_else(|| format!("no variable {v:?}"))?.ty,
            Expr::Load { buf, at } => {
                scalar_index(at)?;
                Ty::scalar(self.bufs.get(*buf).ok_or_else(|| format!("no buffer {buf:?}"))?.elem)
            }
            Expr::VLoad { buf, at, lanes } => {
                scalar_index(at)?;
                Ty::vector(self.bufs.get(*buf).ok_or_else(|| format!("no buffer {buf:?}"))?.elem, *lanes)
            }
            Expr::Call { prim, args } => self.call_ty(*prim, args)?,
            Expr::Cast { to, arg } => Ty { elem: *to, ..self.ty(arg)? },
            Expr::AndAlso(a, b) => {
                if self.ty(a)? != Ty::BOOL || self.ty(b)? != Ty::BOOL {
                    return Err("both sides of && must be scalar bools".into());
                }
                Ty::BOOL
            }
            Expr::Splat { lanes, arg } => match self.ty(arg)? {
                Ty { elem, lanes: 1 } => Ty::vector(elem, *lanes),
                _ => return Err("splat takes a scalar".into()),
            },
            Expr::Pack(lanes) => {
                let first = self.ty(lanes.first().ok_or("an empty pack")?)?;
                for lane in lanes {
                    if self.ty(lane)? != first || first.lanes != 1 {
                        return Err("pack takes scalars of one type".into());
                    }
                }
                Ty::vector(first.elem, lanes.len() as u8)
            }
            Expr::Fold { prim, arg } => {
                let t = self.ty(arg)?;
                if prim.arity() != 2 || prim.result(t.elem) != Some(t.elem) {
                    return Err(format!("fold by {} over {}", prim.name(), t.elem));
                }
                Ty::scalar(t.elem)
            }
        })
    }
    fn call_ty(&self, prim: Prim, args: &[Expr]) -> Result<Ty, String> {
        if args.len() != prim.arity() {
            return Err(format!("{} takes {} arguments, got {}", prim.name(), prim.arity(), args.len()));
        }
        let types: Vec<Ty> = args.iter().map(|a| self.ty(a)).collect::<Result<_, _>>()?;
        let operands = if prim == Prim::Select { &types[1..] } else { &types[..] };
        let first = operands[0];
        if operands.iter().any(|t| *t != first) {
            return Err(format!("{} of {types:?}: the types differ", prim.name()));
        }
        if prim == Prim::Select && types[0] != (Ty { elem: DType::Bool, lanes: first.lanes }) {
            return Err("select takes a bool first".into());
        }
        if matches!(prim, Prim::Library(_) | Prim::Choose | Prim::Defined(_)) && first.lanes > 1 {
            return Err(format!("{} is a function of scalars", prim.name()));
        }
        match prim.result(first.elem) {
            Some(elem) => Ok(Ty { elem, lanes: first.lanes }),
            None => Err(format!("{} is not defined for {}", prim.name(), first.elem)),
        }
    }
}
