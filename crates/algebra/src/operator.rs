//! Operators as users know them, with what they promise.
//!
//! The properties follow the array-programming paper, §4.3: they are facts about the mathematical function, and the
//! compiler derives iteration spaces from them (§5.2). A new operator is a new row of [`OPERATORS`]; nothing in
//! lowering changes.

use crate::dtype::{DType, Kind};
use crate::prim::Prim;
use crate::scalar::Scalar;

/// A distinguished value, resolved per dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// 0 or `false`.
    Zero,
    /// 1 or `true`.
    One,
    /// The smallest value (`-inf` for floats).
    Lowest,
    /// The largest value (`inf` for floats).
    Highest,
    /// Every bit set.
    AllOnes,
}

impl Value {
    /// The value in `dtype`, if that dtype has it.
    pub fn of(self, dtype: DType) -> Option<Scalar> {
        match self {
            Value::Zero => Some(Scalar::zero(dtype)),
            Value::One => Some(Scalar::one(dtype)),
            Value::Lowest => Scalar::lowest(dtype),
            Value::Highest => Scalar::highest(dtype),
            Value::AllOnes => Scalar::all_ones(dtype),
        }
    }
}

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

/// An explicit iteration algebra over the arguments of an operator (array-programming §5.1): `Arg(n)` is the set
/// of coordinates where argument `n` differs from [`Space`]'s base value, which the operator states beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Where the argument is not the base value.
    Arg(usize),
    /// The complement.
    Not(&'static Space),
    /// The intersection.
    And(&'static Space, &'static Space),
    /// The union.
    Or(&'static Space, &'static Space),
}

/// A scalar function and what it promises.
#[derive(Debug)]
pub struct Operator {
    /// Name in function-call syntax and in IR text.
    pub name: &'static str,
    /// Infix or prefix spelling, if any.
    pub symbol: Option<&'static str>,
    /// What it computes.
    pub prim: Prim,
    /// `f(x, y) = f(y, x)`.
    pub commutative: bool,
    /// `f(f(x, y), z) = f(x, f(y, z))`; such an operator can reduce.
    pub associative: bool,
    /// `f(x, x) = x`.
    pub idempotent: bool,
    /// `f(id, y) = y` (at the stated argument).
    pub identity: Option<(Value, At)>,
    /// `f(a, y) = a` (at the stated argument).
    pub annihilator: Option<(Value, At)>,
    /// An explicit iteration algebra with the base value its arguments must have as fill; it holds for the dtypes
    /// of [`Operator::space_kind`] only.
    pub space: Option<(Space, Value)>,
    /// The dtype family for which `space` is right.
    pub space_kind: Kind,
}

const PLAIN: Operator = Operator {
    name: "",
    symbol: None,
    prim: Prim::Add,
    commutative: false,
    associative: false,
    idempotent: false,
    identity: None,
    annihilator: None,
    space: None,
    space_kind: Kind::Bool,
};
const fn monoid(name: &'static str, symbol: Option<&'static str>, prim: Prim, identity: Value) -> Operator {
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

/// `a ⊕ b` is true exactly where one of them is: `(a ∪ b) ∩ ¬(a ∩ b)` (array-programming, figure 15).
const SYMMETRIC_DIFFERENCE: Space = Space::And(
    &Space::Or(&Space::Arg(0), &Space::Arg(1)),
    &Space::Not(&Space::And(&Space::Arg(0), &Space::Arg(1))),
);

/// Every operator of the language.
pub static OPERATORS: &[Operator] = &[
    monoid("add", Some("+"), Prim::Add, Value::Zero),
    Operator { identity: Some((Value::Zero, At::Arg(1))), ..plain("sub", Some("-"), Prim::Sub) },
    Operator { annihilator: Some((Value::Zero, At::Any)), ..monoid("mul", Some("*"), Prim::Mul, Value::One) },
    Operator {
        identity: Some((Value::One, At::Arg(1))),
        annihilator: Some((Value::Zero, At::Arg(0))),
        ..plain("div", Some("/"), Prim::Div)
    },
    Operator {
        idempotent: true,
        annihilator: Some((Value::Lowest, At::Any)),
        ..monoid("min", None, Prim::Min, Value::Highest)
    },
    Operator {
        idempotent: true,
        annihilator: Some((Value::Highest, At::Any)),
        ..monoid("max", None, Prim::Max, Value::Lowest)
    },
    plain("neg", None, Prim::Neg),
    plain("abs", None, Prim::Abs),
    Operator { commutative: true, ..plain("eq", Some("=="), Prim::Eq) },
    Operator {
        commutative: true,
        space: Some((SYMMETRIC_DIFFERENCE, Value::Zero)),
        ..plain("ne", Some("!="), Prim::Ne)
    },
    plain("lt", Some("<"), Prim::Lt),
    plain("le", Some("<="), Prim::Le),
    plain("gt", Some(">"), Prim::Gt),
    plain("ge", Some(">="), Prim::Ge),
    Operator {
        idempotent: true,
        annihilator: Some((Value::Zero, At::Any)),
        ..monoid("and", Some("&"), Prim::And, Value::AllOnes)
    },
    Operator {
        idempotent: true,
        annihilator: Some((Value::AllOnes, At::Any)),
        ..monoid("or", Some("|"), Prim::Or, Value::Zero)
    },
    Operator {
        space: Some((SYMMETRIC_DIFFERENCE, Value::Zero)),
        ..monoid("xor", Some("^"), Prim::Xor, Value::Zero)
    },
    plain("not", Some("!"), Prim::Not),
];

impl Operator {
    /// The operator called `name` (`add`, `min`, …).
    ///
    /// ```
    /// use openwork_algebra::{DType, Operator, Scalar};
    /// let mul = Operator::named("mul").unwrap();
    /// assert_eq!(mul.annihilator_at(0, DType::F64), Some(Scalar::F64(0.0)));
    /// assert_eq!(mul.identity_at(1, DType::F64), Some(Scalar::F64(1.0)));
    /// ```
    pub fn named(name: &str) -> Option<&'static Operator> {
        OPERATORS.iter().find(|op| op.name == name)
    }
    /// The binary or prefix operator spelled `symbol`.
    pub fn spelled(symbol: &str) -> Option<&'static Operator> {
        OPERATORS.iter().find(|op| op.symbol == Some(symbol))
    }
    /// Number of arguments.
    pub fn arity(&self) -> usize {
        self.prim.arity()
    }
    /// The dtype in which arguments of dtypes `args` meet, and the dtype of the result; `None` when undefined.
    pub fn types(&self, args: &[DType]) -> Option<(DType, DType)> {
        let mut meet = *args.first()?;
        for a in &args[1..] {
            meet = meet.promote(*a);
        }
        if self.prim == Prim::Div {
            meet = meet.true_divide();
        }
        Some((meet, self.prim.result(meet)?))
    }
    /// The value that leaves the other argument unchanged when it stands at position `n`.
    pub fn identity_at(&self, n: usize, dtype: DType) -> Option<Scalar> {
        self.identity.filter(|(_, at)| at.covers(n)).and_then(|(v, _)| v.of(dtype))
    }
    /// The value that decides the result when it stands at position `n`.
    pub fn annihilator_at(&self, n: usize, dtype: DType) -> Option<Scalar> {
        self.annihilator.filter(|(_, at)| at.covers(n)).and_then(|(v, _)| v.of(dtype))
    }
    /// What it computes; `None` where the primitive is not defined for these arguments.
    pub fn eval(&self, args: &[Scalar]) -> Option<Scalar> {
        self.prim.eval(args)
    }
    /// Whether the operator can reduce in `dtype`: commutative, associative, closed, with an identity.
    pub fn reduces(&self, dtype: DType) -> bool {
        self.commutative
            && self.associative
            && self.prim.result(dtype) == Some(dtype)
            && self.identity_at(0, dtype).is_some()
    }
}

impl PartialEq for Operator {
    fn eq(&self, other: &Operator) -> bool {
        self.name == other.name
    }
}
impl Eq for Operator {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sample values of a dtype; zero, one and the extremes are where properties live.
    fn samples(dt: DType) -> Vec<Scalar> {
        let mut v: Vec<Scalar> = [0, 1, 2, 5, -3].iter().map(|&n| Scalar::from_i64(n, dt)).collect();
        v.extend(Scalar::lowest(dt));
        v.extend(Scalar::highest(dt));
        v
    }

    /// Infinity times zero is the one documented exception to annihilation (DESIGN §4).
    fn excepted(op: &Operator, x: Scalar, y: Scalar) -> bool {
        let bad = |s: Scalar| !s.as_f64().is_finite() || s.as_f64() == 0.0;
        (op.prim == Prim::Mul || op.prim == Prim::Div)
            && x.dtype().kind() >= Kind::Float
            && (bad(x) && bad(y))
    }

    #[test]
    fn declared_properties_hold_on_samples_of_every_dtype() {
        for op in OPERATORS.iter().filter(|op| op.arity() == 2) {
            for dt in DType::ALL.into_iter().filter(|&dt| op.prim.result(dt).is_some()) {
                let f = |x, y| op.prim.eval(&[x, y]).unwrap();
                for x in samples(dt) {
                    if op.idempotent {
                        assert_eq!(f(x, x), x, "{} {dt} idempotent", op.name);
                    }
                    for n in 0..2 {
                        let put = |v| if n == 0 { f(v, x) } else { f(x, v) };
                        if let Some(id) = op.identity_at(n, dt) {
                            assert_eq!(put(id), x, "{} {dt} identity {n} {x}", op.name);
                        }
                        if let Some(a) = op.annihilator_at(n, dt).filter(|&a| !excepted(op, a, x)) {
                            assert_eq!(put(a), a, "{} {dt} annihilator {n} {x}", op.name);
                        }
                    }
                    for y in samples(dt) {
                        if op.commutative && !excepted(op, x, y) {
                            assert_eq!(f(x, y), f(y, x), "{} {dt} commutes", op.name);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn only_monoids_reduce() {
        let names = |dt| OPERATORS.iter().filter(|o| o.reduces(dt)).map(|o| o.name).collect::<Vec<_>>();
        assert_eq!(names(DType::F64), ["add", "mul", "min", "max"]);
        assert_eq!(names(DType::Bool), ["add", "mul", "min", "max", "and", "or", "xor"]);
        assert_eq!(names(DType::C64), ["add", "mul"]);
    }
}
