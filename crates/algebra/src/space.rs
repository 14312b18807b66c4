//! Iteration algebras: where an operator may have another value than it has elsewhere.

use crate::scalar::Scalar;
use crate::value::Value;

/// An explicit iteration algebra over the arguments of an operator (array-programming §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Where the argument is not the value: the coordinates that an operand with this fill value stores.
    Arg(usize, Value),
    /// The complement.
    Not(&'static Space),
    /// The intersection.
    And(&'static Space, &'static Space),
    /// The union.
    Or(&'static Space, &'static Space),
}

impl Space {
    /// Whether arguments that are so far from the values that it names belong to it.
    pub fn holds(&self, args: &[Scalar]) -> bool {
        match self {
            Space::Arg(n, base) => {
                args.get(*n).is_some_and(|a| base.to_scalar(a.dtype()).is_none_or(|b| !b.is_same(*a)))
            }
            Space::Not(a) => !a.holds(args),
            Space::And(a, b) => a.holds(args) && b.holds(args),
            Space::Or(a, b) => a.holds(args) || b.holds(args),
        }
    }
    /// Whether it has the coordinates where every argument is as it names it: where no operand stores anything.
    pub fn is_complement(&self) -> bool {
        match self {
            Space::Arg(..) => false,
            Space::Not(a) => !a.is_complement(),
            Space::And(a, b) => a.is_complement() && b.is_complement(),
            Space::Or(a, b) => a.is_complement() || b.is_complement(),
        }
    }
    /// Whether it names these values, where it names an argument.
    pub fn names(&self, fills: &[Option<Scalar>]) -> bool {
        match self {
            Space::Arg(n, base) => fills
                .get(*n)
                .copied()
                .flatten()
                .is_some_and(|f| base.to_scalar(f.dtype()).is_some_and(|b| b.is_same(f))),
            Space::Not(a) => a.names(fills),
            Space::And(a, b) | Space::Or(a, b) => a.names(fills) && b.names(fills),
        }
    }
}
