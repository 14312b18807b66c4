//! Iteration algebras: where an operator may have another value than it has elsewhere.

use crate::scalar::Scalar;
use crate::value::SpecialValue;

/// An explicit iteration algebra over the arguments of an operator (array-programming §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationAlgebra {
    /// Where the argument is not the value: the coordinates that an operand with this fill value stores.
    Arg(usize, SpecialValue),
    /// The complement.
    Not(&'static IterationAlgebra),
    /// The intersection.
    And(&'static IterationAlgebra, &'static IterationAlgebra),
    /// The union.
    Or(&'static IterationAlgebra, &'static IterationAlgebra),
}

impl IterationAlgebra {
    /// Whether arguments that are so far from the values that it names belong to it.
    pub fn holds(&self, args: &[Scalar]) -> bool {
        match self {
            IterationAlgebra::Arg(n, base) => {
                args.get(*n).is_some_and(|a| base.to_scalar(a.dtype()).is_none_or(|b| !b.is_same(*a)))
            }
            IterationAlgebra::Not(a) => !a.holds(args),
            IterationAlgebra::And(a, b) => a.holds(args) && b.holds(args),
            IterationAlgebra::Or(a, b) => a.holds(args) || b.holds(args),
        }
    }
    /// Whether it has the coordinates where every argument is as it names it: where no operand stores anything.
    pub fn is_complement(&self) -> bool {
        match self {
            IterationAlgebra::Arg(..) => false,
            IterationAlgebra::Not(a) => !a.is_complement(),
            IterationAlgebra::And(a, b) => a.is_complement() && b.is_complement(),
            IterationAlgebra::Or(a, b) => a.is_complement() || b.is_complement(),
        }
    }
    /// Whether it names these values, where it names an argument.
    pub fn names(&self, fills: &[Option<Scalar>]) -> bool {
        match self {
            IterationAlgebra::Arg(n, base) => fills
                .get(*n)
                .copied()
                .flatten()
                .is_some_and(|f| base.to_scalar(f.dtype()).is_some_and(|b| b.is_same(f))),
            IterationAlgebra::Not(a) => a.names(fills),
            IterationAlgebra::And(a, b) | IterationAlgebra::Or(a, b) => a.names(fills) && b.names(fills),
        }
    }
}
