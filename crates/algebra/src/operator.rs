//! Operators as users know them, with what they promise.
//!
//! The properties follow the array-programming paper, §4.3: they are facts about the mathematical function, and the
//! compiler derives iteration spaces from them (§5.2). A new operator is a new row of [`OPERATORS`]; nothing in
//! lowering changes.

use crate::dtype::{DType, DTypeKind};
use crate::library::{Domain, Library};
use crate::prim::Prim;
use crate::scalar::Scalar;
pub use crate::space::IterationAlgebra;
pub use crate::value::SpecialValue;

/// The argument positions a property holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Any argument.
    Any,
    /// Only the argument at this position (0-based).
    Arg(usize),
}

impl At {
    /// Whether position `n` is meant.
    pub fn covers(self, n: usize) -> bool {
        match self {
            At::Any => true,
            At::Arg(k) => k == n,
        }
    }
}

/// What other arguments must be for an annihilator to decide: where it is only assumed, kernels that rely on it are run
/// where the operands are known to be like that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumes {
    /// Neither infinite nor NaN: `0 * x` is 0.
    Finite,
    /// Neither zero nor NaN: `0 / x` is 0.
    Divisor,
    /// Not NaN: `min(-inf, x)` is `-inf`.
    Number,
    /// Neither NaN nor `-inf`: `inf + x` is `inf`, the product of min-plus.
    AboveLowest,
    /// Neither NaN nor `inf`: `-inf + x` is `-inf`, the product of max-plus.
    BelowHighest,
}

impl Assumes {
    /// Whether a value is as is assumed.
    ///
    /// ```
    /// use openwork_algebra::{Assumes, Scalar};
    /// assert!(Assumes::AboveLowest.holds_for(Scalar::F64(f64::INFINITY)));
    /// assert!(!Assumes::Finite.holds_for(Scalar::F64(f64::INFINITY)));
    /// ```
    pub fn holds_for(self, value: Scalar) -> bool {
        let is = |other: f64| !value.dtype().is_complex() && value.as_f64() == other;
        match self {
            Assumes::Finite => value.is_finite(),
            Assumes::Divisor => !value.is_nan() && value != Scalar::zero(value.dtype()),
            Assumes::Number => !value.is_nan(),
            Assumes::AboveLowest => !value.is_nan() && !is(f64::NEG_INFINITY),
            Assumes::BelowHighest => !value.is_nan() && !is(f64::INFINITY),
        }
    }
}

/// A scalar function and what it promises.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// Name in function-call syntax and in IR text.
    pub name: &'static str,
    /// Infix or prefix spelling, if any.
    pub symbol: Option<&'static str>,
    /// The operator of the language that this one is, in another [`Arithmetic`] or without its assumptions; `None` for
    /// operators of the language.
    pub variant_of: Option<&'static str>,
    /// What it computes.
    pub prim: Prim,
    /// `f(x, y) = f(y, x)`.
    pub commutative: bool,
    /// `f(f(x, y), z) = f(x, f(y, z))`; such an operator can reduce.
    pub associative: bool,
    /// `f(x, x) = x`.
    pub idempotent: bool,
    /// `f(id, y) = y` (at the stated argument).
    pub identity: Option<(SpecialValue, At)>,
    /// `f(a, y) = a` (at the stated argument).
    pub annihilator: Option<(SpecialValue, At)>,
    /// The primitive that lets the annihilator decide against NaN and infinities, where `prim` does not: `0 * inf` is 0 by
    /// the annihilator, and NaN by [`Prim::Mul`].
    pub guarded: Option<Prim>,
    /// What the annihilator relies on, if it is none of the function itself.
    pub assumes: Option<Assumes>,
    /// An explicit iteration algebra, and the value outside of it; it holds for the dtypes of [`Operator::space_kind`] only,
    /// and decides where the fill values of all arguments are those that it names.
    pub space: Option<(IterationAlgebra, SpecialValue)>,
    /// The dtype family for which `space` is right.
    pub space_kind: DTypeKind,
    /// What it is said to distribute over: `f(x, g(y, z)) = g(f(x, y), f(x, z))` on either side.
    pub distributes: &'static [&'static str],
}

const PLAIN: Operator = Operator {
    name: "",
    symbol: None,
    variant_of: None,
    prim: Prim::Add,
    commutative: false,
    associative: false,
    idempotent: false,
    identity: None,
    annihilator: None,
    guarded: None,
    assumes: None,
    space: None,
    space_kind: DTypeKind::Bool,
    distributes: &[],
};
const fn monoid(
    name: &'static str,
    symbol: Option<&'static str>,
    prim: Prim,
    identity: SpecialValue,
) -> Operator {
    Operator {
        name,
        symbol,
        prim,
        commutative: true,
        associative: true,
        identity: Some((identity, At::Any)),
        ..PLAIN
    }
}
const fn plain(name: &'static str, symbol: Option<&'static str>, prim: Prim) -> Operator {
    Operator { name, symbol, prim, ..PLAIN }
}
/// A variant of `plain` that an infinity decides, if the other argument is as assumed.
const fn make_absorbing(
    name: &'static str,
    variant_of: &'static str,
    plain: Operator,
    annihilator: SpecialValue,
    at: At,
    assumes: Assumes,
) -> Operator {
    Operator {
        name,
        variant_of: Some(variant_of),
        annihilator: Some((annihilator, at)),
        assumes: Some(assumes),
        ..plain
    }
}

/// `a ⊕ b` is true exactly where one of them is: `(a ∪ b) ∩ ¬(a ∩ b)` (array-programming, figure 15).
const SYMMETRIC_DIFFERENCE: IterationAlgebra = IterationAlgebra::And(
    &IterationAlgebra::Or(
        &IterationAlgebra::Arg(0, SpecialValue::Zero),
        &IterationAlgebra::Arg(1, SpecialValue::Zero),
    ),
    &IterationAlgebra::Not(&IterationAlgebra::And(
        &IterationAlgebra::Arg(0, SpecialValue::Zero),
        &IterationAlgebra::Arg(1, SpecialValue::Zero),
    )),
);

/// Every operator: those of the language and their variants, then the functions of the [`Library`].
pub static OPERATORS: [Operator; CORE.len() + Library::ALL.len()] = {
    let mut all = [PLAIN; CORE.len() + Library::ALL.len()];
    let mut n = 0;
    while n < all.len() {
        all[n] = if n < CORE.len() { CORE[n] } else { of_library(Library::ALL[n - CORE.len()]) };
        n += 1;
    }
    all
};

/// A function of the library, and what it promises.
const fn of_library(f: Library) -> Operator {
    let symbol = match f {
        Library::FloorDivide => Some("//"),
        Library::Remainder => Some("%"),
        Library::LeftShift => Some("<<"),
        Library::RightShift => Some(">>"),
        _ => None,
    };
    let own = plain(f.name(), symbol, Prim::Library(f));
    let commutes = Operator { commutative: true, ..own };
    match f {
        // `0 * 2^n` and shifts of 0 are 0.
        Library::Ldexp | Library::LeftShift | Library::RightShift => {
            Operator { annihilator: Some((SpecialValue::Zero, At::Arg(0))), ..own }
        }
        // So are quotients of the integer 0, by any number, and what they leave.
        Library::FloorDivide | Library::Remainder | Library::Fmod => {
            Operator { annihilator: Some((SpecialValue::Zero, At::Arg(0))), ..own }
        }
        // `1^x` is 1, for NaN as well.
        Library::Power => Operator { annihilator: Some((SpecialValue::One, At::Arg(0))), ..own },
        Library::Hypot => commutes,
        Library::Logaddexp | Library::Logaddexp2 => {
            Operator { associative: true, identity: Some((SpecialValue::Lowest, At::Any)), ..commutes }
        }
        Library::Fmin => Operator {
            associative: true,
            idempotent: true,
            identity: Some((SpecialValue::NanOrHighest, At::Any)),
            annihilator: Some((SpecialValue::Lowest, At::Any)),
            ..commutes
        },
        Library::Fmax => Operator {
            associative: true,
            idempotent: true,
            identity: Some((SpecialValue::NanOrLowest, At::Any)),
            annihilator: Some((SpecialValue::Highest, At::Any)),
            ..commutes
        },
        // What is left of a negative number alone is its size.
        Library::Gcd => Operator {
            associative: true,
            identity: Some((SpecialValue::Least, At::Any)),
            annihilator: Some((SpecialValue::One, At::Any)),
            ..commutes
        },
        Library::Lcm => Operator { annihilator: Some((SpecialValue::Zero, At::Any)), ..commutes },
        _ => own,
    }
}

const CORE: &[Operator] = &[
    PLUS,
    MINUS,
    Operator { guarded: Some(Prim::Times), ..TIMES },
    // What stands beside a numerator that is not stored is assumed to divide: 0/0 is NaN.
    Operator {
        annihilator: Some((SpecialValue::Zero, At::Arg(0))),
        assumes: Some(Assumes::Divisor),
        ..QUOTIENT
    },
    Operator { guarded: Some(Prim::Least), ..LEAST },
    Operator { guarded: Some(Prim::Most), ..MOST },
    plain("neg", None, Prim::Neg),
    plain("abs", None, Prim::Abs),
    Operator { commutative: true, ..plain("eq", Some("=="), Prim::Eq) },
    Operator {
        commutative: true,
        space: Some((SYMMETRIC_DIFFERENCE, SpecialValue::Zero)),
        ..plain("ne", Some("!="), Prim::Ne)
    },
    plain("lt", Some("<"), Prim::Lt),
    plain("le", Some("<="), Prim::Le),
    plain("gt", Some(">"), Prim::Gt),
    plain("ge", Some(">="), Prim::Ge),
    Operator {
        idempotent: true,
        annihilator: Some((SpecialValue::Zero, At::Any)),
        ..monoid("and", Some("&"), Prim::And, SpecialValue::AllOnes)
    },
    Operator {
        idempotent: true,
        annihilator: Some((SpecialValue::AllOnes, At::Any)),
        ..monoid("or", Some("|"), Prim::Or, SpecialValue::Zero)
    },
    Operator {
        space: Some((SYMMETRIC_DIFFERENCE, SpecialValue::Zero)),
        ..monoid("xor", Some("^"), Prim::Xor, SpecialValue::Zero)
    },
    plain("not", Some("!"), Prim::Not),
    // The first of two that is not 0.
    Operator {
        commutative: false,
        idempotent: true,
        ..monoid("choose", None, Prim::Choose, SpecialValue::Zero)
    },
    plain("where", None, Prim::Select),
    // A choice by a mask: elements that it leaves out are not stored.
    Operator { variant_of: Some("where"), ..plain("masked", None, Prim::Select) },
    // The same functions where annihilators decide nothing by themselves, as in IEEE arithmetic: first as long as operands
    // are what they are assumed to be, then without any assumption.
    Operator { name: "mul_finite", variant_of: Some("mul"), assumes: Some(Assumes::Finite), ..TIMES },
    Operator { name: "min_number", variant_of: Some("min"), assumes: Some(Assumes::Number), ..LEAST },
    Operator { name: "max_number", variant_of: Some("max"), assumes: Some(Assumes::Number), ..MOST },
    Operator { name: "mul_ieee", variant_of: Some("mul"), annihilator: None, ..TIMES },
    Operator { name: "div_ieee", variant_of: Some("div"), ..QUOTIENT },
    Operator { name: "min_ieee", variant_of: Some("min"), annihilator: None, ..LEAST },
    Operator { name: "max_ieee", variant_of: Some("max"), annihilator: None, ..MOST },
    // Sums that an infinity decides, as the products of min-plus and max-plus are: used where an operand leaves it out.
    make_absorbing("add_highest", "add", PLUS, SpecialValue::Highest, At::Any, Assumes::AboveLowest),
    make_absorbing("add_lowest", "add", PLUS, SpecialValue::Lowest, At::Any, Assumes::BelowHighest),
    make_absorbing("sub_highest", "sub", MINUS, SpecialValue::Highest, At::Arg(0), Assumes::BelowHighest),
    make_absorbing("sub_lowest", "sub", MINUS, SpecialValue::Lowest, At::Arg(0), Assumes::AboveLowest),
    // And where they are let decide element by element.
    Operator { name: "times", variant_of: Some("mul"), prim: Prim::Times, ..TIMES },
    Operator { name: "least", variant_of: Some("min"), prim: Prim::Least, ..LEAST },
    Operator { name: "most", variant_of: Some("max"), prim: Prim::Most, ..MOST },
];

/// How annihilators stand beside infinities and NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arithmetic {
    /// A value that an operator declares an annihilator decides, stored or not: `0 * inf` is 0. Sparse operands are never
    /// looked at where they store nothing.
    #[default]
    Annihilating,
    /// As IEEE 754 and NumPy have it for dense arrays: `0 * inf` is NaN.
    Exact,
}

const PLUS: Operator = monoid("add", Some("+"), Prim::Add, SpecialValue::Zero);
const MINUS: Operator =
    Operator { identity: Some((SpecialValue::Zero, At::Arg(1))), ..plain("sub", Some("-"), Prim::Sub) };
const TIMES: Operator = Operator {
    annihilator: Some((SpecialValue::Zero, At::Any)),
    ..monoid("mul", Some("*"), Prim::Mul, SpecialValue::One)
};
const QUOTIENT: Operator =
    Operator { identity: Some((SpecialValue::One, At::Arg(1))), ..plain("div", Some("/"), Prim::Div) };
const LEAST: Operator = Operator {
    idempotent: true,
    annihilator: Some((SpecialValue::Lowest, At::Any)),
    ..monoid("min", None, Prim::Min, SpecialValue::Highest)
};
const MOST: Operator = Operator {
    idempotent: true,
    annihilator: Some((SpecialValue::Highest, At::Any)),
    ..monoid("max", None, Prim::Max, SpecialValue::Lowest)
};

impl Operator {
    /// A primitive of which nothing is promised, without a name.
    pub const fn promising_nothing(prim: Prim) -> Operator {
        Operator { prim, ..PLAIN }
    }
    /// The algebra and the value outside of it, if it decides for arguments of these fill values.
    pub fn space_for(&self, fills: &[Option<Scalar>], dtype: DType) -> Option<(&IterationAlgebra, Scalar)> {
        let (space, outside) = self.space.as_ref().filter(|_| self.space_kind == dtype.kind())?;
        let outside = outside.to_scalar(self.prim.result(dtype)?)?;
        space.names(fills).then_some((space, outside))
    }
    /// The operator called `name` (`add`, `min`, …), variants included.
    ///
    /// ```
    /// use openwork_algebra::{DType, Operator, Scalar};
    /// let mul = Operator::find("mul").unwrap();
    /// assert_eq!(mul.annihilator_at(0, DType::F64), Some(Scalar::F64(0.0)));
    /// assert_eq!(mul.identity_at(1, DType::F64), Some(Scalar::F64(1.0)));
    /// ```
    pub fn find(name: &str) -> Option<&'static Operator> {
        OPERATORS.iter().find(|op| op.name == name)
    }
    /// The operators that statements name.
    pub fn language() -> impl Iterator<Item = &'static Operator> {
        OPERATORS.iter().filter(|op| op.variant_of.is_none())
    }
    /// The operator of the language called `name`.
    pub fn of_language(name: &str) -> Option<&'static Operator> {
        Operator::find(name).filter(|op| op.variant_of.is_none())
    }
    /// Its name in the language: variants have that of the operator they are variants of.
    pub fn language_name(&self) -> &'static str {
        self.variant_of.unwrap_or(self.name)
    }
    /// Whether it chooses between a value and that of elements which a mask leaves out, and which no sparse result stores.
    pub fn is_mask(&self) -> bool {
        self.name == "masked"
    }
    /// The binary or prefix operator spelled `symbol`.
    pub fn find_symbol(symbol: &str) -> Option<&'static Operator> {
        Operator::language().find(|op| op.symbol == Some(symbol))
    }
    /// Number of arguments.
    pub fn arity(&self) -> usize {
        self.prim.arity()
    }
    /// The arguments whose dtypes decide in which dtype all are taken: not the condition of `where`, which is a truth value,
    /// nor the exponent of `ldexp`.
    pub fn dtype_arguments(&self) -> std::ops::Range<usize> {
        if self.prim == Prim::Select {
            return 1..3;
        }
        if self.prim == Prim::Library(Library::Ldexp) { 0..1 } else { 0..self.arity() }
    }
    /// The dtype in which argument `n` is taken, where those that [meet](Operator::dtype_arguments) are taken as `meet`.
    pub fn takes(&self, n: usize, meet: DType) -> DType {
        if self.prim == Prim::Select && n == 0 { DType::Bool } else { meet }
    }
    /// The dtype in which arguments of dtypes `args`, those that [meet](Operator::dtype_arguments), do so, and the dtype of the
    /// result; `None` when undefined.
    pub fn types(&self, args: &[DType]) -> Option<(DType, DType)> {
        let promoted = |each: &dyn Fn(DType) -> DType| args.iter().map(|&a| each(a)).reduce(DType::promote);
        let mut meet = promoted(&|a| a)?;
        if self.prim == Prim::Div {
            meet = meet.true_divide();
        }
        if let Prim::Library(f) = self.prim {
            meet = match f.domain() {
                // As NumPy, which has half precision for the smallest: each in the least floats that hold its integers.
                Domain::Floats => promoted(&|a| match a.kind() {
                    DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Signed if a.size() <= 2 => DType::F32,
                    DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Signed => DType::F64,
                    DTypeKind::Float | DTypeKind::Complex => a,
                })?,
                // Truth values are numbers here, as in NumPy.
                _ if meet == DType::Bool => DType::I8,
                Domain::Reals | Domain::Integers | Domain::Numbers | Domain::Test => meet,
            };
        }
        Some((meet, self.prim.result(meet)?))
    }
    /// The value that leaves the other argument unchanged when it stands at position `n`.
    pub fn identity_at(&self, n: usize, dtype: DType) -> Option<Scalar> {
        self.identity.filter(|(_, at)| at.covers(n)).and_then(|(v, _)| v.to_scalar(dtype))
    }
    /// The identity at position `n`, where it leaves infinities unchanged as well: one is no such value for products and
    /// quotients of complex numbers.
    ///
    /// ```
    /// use openwork_algebra::{Complex, DType, Operator, Scalar};
    /// let (one, inf) = (Complex::new(1.0, 0.0), Complex::new(f64::INFINITY, 0.0));
    /// let product = Operator::find("mul").unwrap().eval(&[Scalar::C128(one), Scalar::C128(inf)]);
    /// assert!(matches!(product, Some(Scalar::C128(p)) if p.re.is_infinite() && p.im.is_nan()));
    /// assert_eq!(Operator::find("mul").unwrap().strict_identity_at(0, DType::C128), None);
    /// ```
    pub fn strict_identity_at(&self, n: usize, dtype: DType) -> Option<Scalar> {
        let twists = dtype.is_complex() && matches!(self.prim, Prim::Mul | Prim::Times | Prim::Div);
        self.identity_at(n, dtype).filter(|_| !twists)
    }
    /// The value that decides the result when it stands at position `n`.
    pub fn annihilator_at(&self, n: usize, dtype: DType) -> Option<Scalar> {
        let integers = dtype.kind() < DTypeKind::Float;
        let exists = match (self.prim, self.assumes) {
            // The float 0 divided by 0 is NaN.
            (Prim::Library(Library::FloorDivide | Library::Remainder | Library::Fmod), _) => integers,
            // Integers have no infinity: the largest one wraps.
            (_, Some(Assumes::AboveLowest | Assumes::BelowHighest)) => dtype.kind() == DTypeKind::Float,
            _ => true,
        };
        self.annihilator.filter(|(_, at)| exists && at.covers(n)).and_then(|(v, _)| v.to_scalar(dtype))
    }
    /// What it computes, annihilators included; `None` where the primitive is not defined for these arguments.
    ///
    /// ```
    /// use openwork_algebra::{Operator, Scalar};
    /// let args = [Scalar::F64(0.0), Scalar::F64(f64::INFINITY)];
    /// assert_eq!(Operator::find("mul").unwrap().eval(&args), Some(Scalar::F64(0.0)));
    /// assert_eq!(Operator::find("mul_ieee").unwrap().eval(&args), Some(Scalar::F64(f64::NAN)));
    /// ```
    pub fn eval(&self, args: &[Scalar]) -> Option<Scalar> {
        self.guarded.and_then(|p| p.eval(args)).or_else(|| self.prim.eval(args))
    }
    /// The operator of this name in the given arithmetic; those that mean the same in both are themselves. On `dtype`s
    /// without infinities and NaN there is one arithmetic.
    pub fn in_arithmetic(&'static self, arithmetic: Arithmetic, dtype: DType) -> &'static Operator {
        let exact = match self.name {
            "mul" => "mul_finite",
            "min" => "min_number",
            "max" => "max_number",
            _ => return self,
        };
        match arithmetic {
            Arithmetic::Exact if dtype.kind() >= DTypeKind::Float => Operator::find(exact).unwrap_or(self),
            Arithmetic::Exact | Arithmetic::Annihilating => self,
        }
    }
    /// The same function, relying on nothing: for operands that are not what is [assumed](Operator::assumes).
    pub fn without_assumptions(&'static self) -> &'static Operator {
        let ieee = match self.name {
            "mul_finite" => "mul_ieee",
            "min_number" => "min_ieee",
            "max_number" => "max_ieee",
            "div" => "div_ieee",
            "add_highest" | "add_lowest" => "add",
            "sub_highest" | "sub_lowest" => "sub",
            _ => return self,
        };
        Operator::find(ieee).unwrap_or(self)
    }
    /// The same function, decided by an infinity as long as what stands beside it is as assumed: for operands that leave
    /// that infinity out.
    ///
    /// ```
    /// use openwork_algebra::{DType, Operator, Scalar};
    /// let add = Operator::find("add").unwrap();
    /// let inf = Some(Scalar::F64(f64::INFINITY));
    /// assert!(add.absorbing_variants().any(|op| op.annihilator_at(0, DType::F64) == inf));
    /// ```
    pub fn absorbing_variants(&self) -> impl Iterator<Item = &'static Operator> {
        let name = self.name;
        let infinite =
            |op: &&Operator| matches!(op.assumes, Some(Assumes::AboveLowest | Assumes::BelowHighest));
        OPERATORS.iter().filter(move |op| op.variant_of == Some(name)).filter(infinite)
    }
    /// The operator that decides element by element what this one leaves to its annihilator; itself where there is nothing
    /// to decide.
    pub fn guard_variant(&'static self) -> &'static Operator {
        let same = |op: &&Operator| Some(op.prim) == self.guarded;
        self.guarded.and_then(|_| OPERATORS.iter().find(same)).unwrap_or(self)
    }
    /// Whether the operator can reduce in `dtype`: associative, closed, with an identity, which is one on both sides unless the
    /// operator commutes.
    pub fn reduces(&self, dtype: DType) -> bool {
        self.associative
            && self.prim.result(dtype) == Some(dtype)
            && self.identity_at(0, dtype).is_some()
            && (self.commutative || self.identity_at(1, dtype).is_some())
    }
    /// Whether what it reduces has to come in order.
    pub fn is_ordered(&self) -> bool {
        !self.commutative
    }
    /// The value that it passes over, where it keeps the first one that is another: `f(x, y) = x` unless `x` is that.
    ///
    /// ```
    /// use openwork_algebra::{DType, Operator, Scalar};
    /// let choose = Operator::find("choose").unwrap();
    /// assert_eq!(choose.passes_over(DType::F64), Some(Scalar::F64(0.0)));
    /// assert_eq!(Operator::find("add").unwrap().passes_over(DType::F64), None);
    /// ```
    pub fn passes_over(&self, dtype: DType) -> Option<Scalar> {
        (self.prim == Prim::Choose).then(|| Scalar::zero(dtype))
    }
}

impl PartialEq for Operator {
    fn eq(&self, other: &Operator) -> bool {
        self.name == other.name
    }
}
impl Eq for Operator {}

#[cfg(test)]
mod tests;
