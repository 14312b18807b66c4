//! Typed primitives: the closed set of scalar operations that loop IR and backends know.
//!
//! All arguments have the same dtype (casts are explicit in the IRs), except that [`Prim::Select`] takes a bool
//! first. Integer arithmetic wraps. `Min` and `Max` return NaN if either argument is NaN; `Times`, `Least` and `Most` are
//! products and extrema that one argument may decide against infinities and NaN. `Div` is a true division
//! and exists for floats and complex numbers only; `Quot` and `Rem` exist for integers only and give 0 for a divisor
//! of 0; shifts take their amount modulo the bit width. So no primitive can trap.

use crate::dtype::{DType, DTypeKind};
use crate::function::ScalarFunction;
use crate::library::Library;

/// A typed scalar primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Prim {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    /// The product of two floats, for a sum: as an argument of an addition it is not rounded by itself, so that
    /// `add(fused(x, y), z)` is rounded once. Of two such arguments the first one is meant. Anywhere else it is `mul`.
    Fused,
    /// The product of floats or complex numbers, and 0 wherever an argument is 0: beside an infinity and NaN, too.
    Times,
    /// The smaller float, and `-inf` wherever an argument is: beside NaN, too.
    Least,
    /// The larger float, and `inf` wherever an argument is: beside NaN, too.
    Most,
    Neg,
    Abs,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Xor,
    Not,
    /// `select(c, a, b)`: `a` where `c`, else `b`; both are evaluated.
    Select,
    /// The Euclidean quotient of integers: the remainder that belongs to it is never negative, so a positive divisor
    /// rounds down. 0 for a divisor of 0; the smallest number by -1 wraps to itself.
    Quot,
    /// The Euclidean remainder: from 0 to below the absolute value of the divisor. 0 for a divisor of 0.
    Rem,
    /// `x * 2^n` for integers; the amount counts modulo the bit width.
    Shl,
    /// `x / 2^n` rounded down for integers (arithmetic when signed, logical when not); the amount counts modulo the
    /// bit width.
    Shr,
    /// The number of zero bits below the lowest set bit of an integer; the bit width for 0.
    Ctz,
    /// The number of set bits of an integer.
    Popcount,
    /// `choose(a, b)`: `a` where that is not 0, else `b`; on scalars only, and in no kernel that a backend gets.
    Choose,
    /// A function of a mathematical library; on scalars only.
    Library(Library),
    /// A function that a user defined; on scalars only, and in no kernel that a backend gets.
    Defined(&'static ScalarFunction),
}

impl Prim {
    /// Every primitive that backends know, but functions.
    pub const ALL: [Prim; 29] = [
        Prim::Add,
        Prim::Sub,
        Prim::Mul,
        Prim::Div,
        Prim::Min,
        Prim::Max,
        Prim::Fused,
        Prim::Times,
        Prim::Least,
        Prim::Most,
        Prim::Neg,
        Prim::Abs,
        Prim::Eq,
        Prim::Ne,
        Prim::Lt,
        Prim::Le,
        Prim::Gt,
        Prim::Ge,
        Prim::And,
        Prim::Or,
        Prim::Xor,
        Prim::Not,
        Prim::Select,
        Prim::Quot,
        Prim::Rem,
        Prim::Shl,
        Prim::Shr,
        Prim::Ctz,
        Prim::Popcount,
    ];
    /// The name used in IR text.
    pub fn name(self) -> &'static str {
        match self {
            Prim::Add => "add",
            Prim::Sub => "sub",
            Prim::Mul => "mul",
            Prim::Div => "div",
            Prim::Min => "min",
            Prim::Max => "max",
            Prim::Fused => "fused",
            Prim::Times => "times",
            Prim::Least => "least",
            Prim::Most => "most",
            Prim::Neg => "neg",
            Prim::Abs => "abs",
            Prim::Eq => "eq",
            Prim::Ne => "ne",
            Prim::Lt => "lt",
            Prim::Le => "le",
            Prim::Gt => "gt",
            Prim::Ge => "ge",
            Prim::And => "and",
            Prim::Or => "or",
            Prim::Xor => "xor",
            Prim::Not => "not",
            Prim::Select => "select",
            Prim::Quot => "quot",
            Prim::Rem => "rem",
            Prim::Shl => "shl",
            Prim::Shr => "shr",
            Prim::Ctz => "ctz",
            Prim::Popcount => "popcount",
            Prim::Choose => "choose",
            Prim::Library(f) => f.name(),
            Prim::Defined(f) => &f.name,
        }
    }
    /// Every primitive that backends know.
    pub fn list_all() -> impl Iterator<Item = Prim> {
        Prim::ALL.into_iter().chain(Library::ALL.iter().map(|f| Prim::Library(*f)))
    }
    /// The primitive called `name`.
    pub fn by_name(name: &str) -> Option<Prim> {
        Prim::list_all().chain([Prim::Choose]).find(|p| p.name() == name)
    }
    /// Number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Prim::Neg | Prim::Abs | Prim::Not | Prim::Ctz | Prim::Popcount => 1,
            Prim::Select => 3,
            Prim::Library(f) => f.arity(),
            Prim::Defined(f) => f.arity,
            Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Choose => 2,
            Prim::Fused | Prim::Times | Prim::Least | Prim::Most => 2,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => 2,
            Prim::And | Prim::Or | Prim::Xor | Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr => 2,
        }
    }
    /// Whether the result is a truth value whatever the arguments.
    pub fn is_comparison(self) -> bool {
        matches!(self, Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge)
    }
    /// The result dtype for arguments of dtype `arg` (of the two branches, for `Select`), or `None` when the
    /// primitive is not defined there.
    pub fn result(self, arg: DType) -> Option<DType> {
        let kind = arg.kind();
        match self {
            Prim::Add | Prim::Mul | Prim::Eq | Prim::Ne | Prim::Select | Prim::Choose => {}
            Prim::Sub | Prim::Neg if kind == DTypeKind::Bool => return None,
            Prim::Sub | Prim::Neg | Prim::Abs => {}
            Prim::Div | Prim::Times if kind < DTypeKind::Float => return None,
            Prim::Div | Prim::Times => {}
            Prim::Fused | Prim::Least | Prim::Most if kind != DTypeKind::Float => return None,
            Prim::Fused | Prim::Least | Prim::Most => {}
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge
                if kind == DTypeKind::Complex =>
            {
                return None;
            }
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {}
            Prim::And | Prim::Or | Prim::Xor | Prim::Not if kind >= DTypeKind::Float => return None,
            Prim::And | Prim::Or | Prim::Xor | Prim::Not => {}
            Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr | Prim::Ctz | Prim::Popcount if !arg.is_int() => {
                return None;
            }
            Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr | Prim::Ctz | Prim::Popcount => {}
            Prim::Library(f) => return f.result(arg),
            Prim::Defined(f) => return (f.dtype == arg).then_some(f.result),
        }
        Some(match self {
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => DType::Bool,
            Prim::Abs => arg.real(),
            Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg => arg,
            Prim::Fused | Prim::Times | Prim::Least | Prim::Most => arg,
            Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => arg,
            Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr | Prim::Ctz | Prim::Popcount => arg,
            Prim::Choose | Prim::Library(_) | Prim::Defined(_) => arg,
        })
    }
}
