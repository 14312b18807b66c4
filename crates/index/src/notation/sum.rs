//! Sums of index variables, as they stand for the coordinate of a mode: `x(i+1)`, `A(i+p,2*j)`.

use super::{Name, Syntax};
use openwork_algebra::Prim;
use std::fmt;

/// A sum of index variables with integer coefficients, and a constant.
///
/// ```
/// use openwork_index::notation::{IndexSum, StatementSyntax};
/// let read: StatementSyntax = "y(i) = x(9-2*i)".parse()?;
/// read.each_tensor(&mut |x| {
///     let Some(sum) = x.index_sum(0) else { return };
///     assert_eq!(sum.to_string(), "9-2*i");
///     assert_eq!((sum.constant, sum.coefficient("i")), (9, -2));
/// });
/// # Ok::<(), openwork_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSum {
    /// The variables, each with its coefficient, which is not 0.
    pub terms: Vec<IndexTerm>,
    /// What is added to them.
    pub constant: i64,
}

/// A variable of a sum, times a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexTerm {
    /// The variable.
    pub name: String,
    /// The number.
    pub coefficient: i64,
}

impl IndexSum {
    /// A variable alone.
    pub(crate) fn variable(name: &str) -> IndexSum {
        IndexSum { terms: vec![IndexTerm { name: name.into(), coefficient: 1 }], constant: 0 }
    }
    /// What an expression says, if that is a sum of variables: one at least, which none of the others takes away.
    pub(crate) fn from_syntax(e: &Syntax, is_variable: &dyn Fn(&Name) -> bool) -> Option<IndexSum> {
        let mut sum = IndexSum { terms: Vec::new(), constant: 0 };
        sum.add(e, 1, is_variable)?;
        sum.terms.retain(|term| term.coefficient != 0);
        (!sum.terms.is_empty()).then_some(sum)
    }
    /// The coefficient of a variable; 0 of one that the sum has not.
    pub fn coefficient(&self, name: &str) -> i64 {
        self.terms.iter().find(|term| term.name == name).map_or(0, |term| term.coefficient)
    }
    fn add(&mut self, e: &Syntax, factor: i64, is_variable: &dyn Fn(&Name) -> bool) -> Option<()> {
        match e {
            Syntax::Number(_) => {
                self.constant = self.constant.checked_add(number(e)?.checked_mul(factor)?)?
            }
            Syntax::Tensor(t) if t.bare && is_variable(&t.name) => {
                match self.terms.iter_mut().find(|term| term.name == t.name.text) {
                    Some(term) => term.coefficient = term.coefficient.checked_add(factor)?,
                    None => {
                        self.terms.push(IndexTerm { name: t.name.text.clone(), coefficient: factor });
                    }
                }
            }
            Syntax::Op { op, args, .. } => match (op.prim, &args[..]) {
                (Prim::Neg, [a]) => self.add(a, factor.checked_neg()?, is_variable)?,
                (Prim::Add, [a, b]) => {
                    self.add(a, factor, is_variable)?;
                    self.add(b, factor, is_variable)?;
                }
                (Prim::Sub, [a, b]) => {
                    self.add(a, factor, is_variable)?;
                    self.add(b, factor.checked_neg()?, is_variable)?;
                }
                (Prim::Mul, [a, b]) => match (number(a), number(b)) {
                    (Some(n), _) => self.add(b, factor.checked_mul(n)?, is_variable)?,
                    (None, Some(n)) => self.add(a, factor.checked_mul(n)?, is_variable)?,
                    (None, None) => return None,
                },
                _ => return None,
            },
            Syntax::Tensor(_) | Syntax::Apply { .. } => return None,
        }
        Some(())
    }
}

/// An integer literal, perhaps with a sign.
fn number(e: &Syntax) -> Option<i64> {
    match e {
        Syntax::Number(n) => n.text.parse().ok(),
        Syntax::Op { op, args, .. } if op.prim == Prim::Neg && args.len() == 1 => {
            number(&args[0])?.checked_neg()
        }
        Syntax::Op { .. } | Syntax::Tensor(_) | Syntax::Apply { .. } => None,
    }
}

/// What is added first comes first: `i+2*d-1`, and `9-i` where the first variable is taken away.
impl fmt::Display for IndexSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let leads = self.terms.first().is_some_and(|term| term.coefficient < 0) && self.constant != 0;
        if leads {
            write!(f, "{}", self.constant)?;
        }
        for (n, IndexTerm { name, coefficient }) in self.terms.iter().enumerate() {
            let sign = match (n == 0 && !leads, *coefficient < 0) {
                (_, true) => "-",
                (true, false) => "",
                (false, false) => "+",
            };
            match coefficient.unsigned_abs() {
                1 => write!(f, "{sign}{name}")?,
                times => write!(f, "{sign}{times}*{name}")?,
            }
        }
        match (leads, self.constant) {
            (true, _) | (false, 0) => Ok(()),
            (false, c) => write!(f, "{c:+}"),
        }
    }
}
