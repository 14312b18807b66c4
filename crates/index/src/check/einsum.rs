//! The Einstein summation rule, on what was written.
//!
//! A variable that appears only on the right is summed over the smallest additive term that holds all its
//! appearances; when it appears in several terms of one sum, each term is summed by itself.
//!
//! ```text
//! a(i) = b(i) + A(i,j)*x(j)      a(i) = b(i) + sum(j, A(i,j)*x(j))
//! a(i) = A(i,j) + B(i,j)         a(i) = sum(j, A(i,j)) + sum(j, B(i,j))
//! a(i) = 2 * (b(i) + A(i,j))     a(i) = 2 * (b(i) + sum(j, A(i,j)))
//! ```
//! Where a function such as `max` stands in the term around all appearances, one would sum before it and another after it:
//! such a statement is [refused](Variables::parted) and says its sums itself.
//!
//! ```text
//! a(i) = max(0, A(i,j)*x(j))     a(i) = sum(j, max(0, A(i,j)*x(j)))  or  a(i) = max(0, sum(j, A(i,j)*x(j)))
//! ```
//! Terms are found before anything has a dtype, so an implicit sum is the explicit one in every respect: it is carried out
//! in the dtype of its own term, whatever that is added to.

use crate::notation::function::Definition;
use crate::notation::parse::{dtype_name, reduction};
use crate::notation::{Name, Syntax, TensorRef};
use openwork_algebra::{Operator, Prim};
use std::sync::Arc;

/// Where an implicit sum stands beside functions that do not commute with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Around the whole term.
    Term,
    /// Around the argument that has the variable.
    Argument,
}

/// The index variables of a statement.
pub(crate) struct Variables<'a> {
    pub(crate) known: &'a dyn Fn(&str) -> bool,
    pub(crate) functions: &'a [Arc<Definition>],
    pub(crate) reading: Reading,
}

impl Variables<'_> {
    /// Makes the sums over the free variables of `e` that are not in `lhs` explicit.
    pub(crate) fn sum_implicit(&self, e: &Syntax, lhs: &[Name]) -> Syntax {
        self.missing(e, lhs).iter().fold(e.clone(), |e, v| self.sum_over(e, v))
    }
    /// The first call that an implicit sum could stand before or after, with the variable.
    pub(crate) fn parted<'e>(&self, e: &'e Syntax, lhs: &[Name]) -> Option<(&'e Syntax, Name)> {
        self.missing(e, lhs).into_iter().find_map(|v| Some((self.parted_by(e, &v)?, v)))
    }
    /// The free variables of `e` that are not in `lhs`.
    fn missing(&self, e: &Syntax, lhs: &[Name]) -> Vec<Name> {
        let mut missing = Vec::new();
        self.free(e, &mut Vec::new(), &mut missing);
        missing.retain(|v: &Name| lhs.iter().all(|l| l.text != v.text));
        missing
    }
    /// The call in a term of `e` of whose arguments one has all appearances of `v` in the term and another has none. A call
    /// of one argument is the whole term, as are products and quotients.
    fn parted_by<'e>(&self, e: &'e Syntax, v: &Name) -> Option<&'e Syntax> {
        // A reduction over a variable of the same name is about another one.
        if !self.mentions(e, v) {
            return None;
        }
        if self.seems_to_reduce(e, v) {
            return Some(e);
        }
        if self.has_term_below(e, v) {
            return self.children(e).iter().find_map(|c| self.parted_by(c, v));
        }
        self.call_around(e, v)
    }
    /// Whether `e` is written as a reduction over `v`, of a function of two values that is not said to be one. A function that
    /// is built in may take coordinates alone, as `hypot(i, j)` and `power(j, 2)` do.
    pub(crate) fn seems_to_reduce(&self, e: &Syntax, v: &Name) -> bool {
        let Syntax::Apply { name, args, span } = e else { return false };
        let Some((last, leading)) = args.split_last() else { return false };
        let named: Vec<&Name> = leading.iter().filter_map(|a| self.variable(a)).collect();
        let plain = match self.defined(name) {
            Some(f) => f.params.len() == 2 && !f.reduces(),
            None => {
                let two = Operator::of_language(&name.text).is_some_and(|op| op.arity() == 2);
                // `x ** y` is a call of `power` as well.
                let by_name = name.span != *span && self.variable(last).is_none() && self.mentions(last, v);
                two && by_name && reduction(&name.text).is_none()
            }
        };
        plain && named.len() == leading.len() && named.iter().any(|n| n.text == v.text)
    }
    fn call_around<'e>(&self, e: &'e Syntax, v: &Name) -> Option<&'e Syntax> {
        let only = self.only_child_with(e, v)?;
        if self.parts(e) { Some(e) } else { self.call_around(only, v) }
    }
    /// Whether `e` is a function of several arguments, or a reduction, that a sum over one of them does not commute with.
    fn parts(&self, e: &Syntax) -> bool {
        let arithmetic = |op: &Operator| matches!(op.prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Div);
        match e {
            Syntax::Tensor(_) | Syntax::Number(_) => false,
            Syntax::Op { op, args, .. } => args.len() > 1 && !arithmetic(op),
            Syntax::Apply { name, .. } if self.bound(e) > 0 => {
                reduction(&name.text).is_none_or(|op| op.prim != Prim::Add)
            }
            Syntax::Apply { name, args, .. } => {
                let own = self.defined(name).is_some();
                let applies = Operator::of_language(&name.text).is_some_and(|op| !arithmetic(op));
                args.len() > 1 && (own || applies)
            }
        }
    }
    fn defined(&self, name: &Name) -> Option<&Arc<Definition>> {
        self.functions.iter().find(|f| f.name.text == name.text)
    }

    /// The variable that a bare name is.
    fn variable<'e>(&self, e: &'e Syntax) -> Option<&'e Name> {
        match e {
            Syntax::Tensor(t) if t.bare && (self.known)(&t.name.text) => Some(&t.name),
            _ => None,
        }
    }
    /// How many of the first arguments are variables that a reduction by name binds.
    fn bound(&self, e: &Syntax) -> usize {
        let Syntax::Apply { name, args, .. } = e else { return 0 };
        let leading = args.len().saturating_sub(1);
        let converts = dtype_name(&name.text).is_some() && args.len() == 1;
        let own = self.defined(name).is_some_and(|f| f.reduces());
        let reduces = (own || reduction(&name.text).is_some()) && !converts;
        if reduces && args[..leading].iter().all(|a| self.variable(a).is_some()) { leading } else { 0 }
    }
    /// The subexpressions of `e`.
    fn children<'e>(&self, e: &'e Syntax) -> &'e [Syntax] {
        match e {
            Syntax::Tensor(_) | Syntax::Number(_) => &[],
            Syntax::Op { args, .. } => args,
            Syntax::Apply { args, .. } => &args[self.bound(e)..],
        }
    }
    /// The variables that `e` binds itself.
    fn binds<'e>(&self, e: &'e Syntax) -> Vec<&'e Name> {
        match e {
            Syntax::Apply { args, .. } => {
                args[..self.bound(e)].iter().filter_map(|a| self.variable(a)).collect()
            }
            Syntax::Tensor(_) | Syntax::Number(_) | Syntax::Op { .. } => Vec::new(),
        }
    }
    /// The free variables of `e`, in order of appearance.
    fn free<'e>(&self, e: &'e Syntax, bound: &mut Vec<&'e str>, out: &mut Vec<Name>) {
        if let Syntax::Tensor(t) = e {
            let bare = self.variable(e).into_iter();
            for v in bare.chain(&t.indices) {
                if !bound.contains(&v.text.as_str()) && out.iter().all(|known| known.text != v.text) {
                    out.push(v.clone());
                }
            }
        }
        let outer = bound.len();
        bound.extend(self.binds(e).into_iter().map(|v| v.text.as_str()));
        self.children(e).iter().for_each(|c| self.free(c, bound, out));
        bound.truncate(outer);
    }
    fn mentions(&self, e: &Syntax, v: &Name) -> bool {
        let mut free = Vec::new();
        self.free(e, &mut Vec::new(), &mut free);
        free.iter().any(|f| f.text == v.text)
    }
    /// The single direct subexpression that mentions `v`, if there is just one.
    fn only_child_with<'e>(&self, e: &'e Syntax, v: &Name) -> Option<&'e Syntax> {
        let mut with = self.children(e).iter().filter(|c| self.mentions(c, v));
        let first = with.next()?;
        with.next().is_none().then_some(first)
    }
    /// Whether a sum of several terms lies between `e` and the appearances of `v` in it.
    fn has_term_of(&self, e: &Syntax, v: &Name) -> bool {
        let terms = is_additive(e) && self.children(e).iter().any(|c| self.mentions(c, v));
        terms || !is_additive(e) && self.only_child_with(e, v).is_some_and(|c| self.has_term_of(c, v))
    }

    /// Whether the terms that `v` is summed over are below `e`, not `e` itself.
    fn has_term_below(&self, e: &Syntax, v: &Name) -> bool {
        is_additive(e) || self.only_child_with(e, v).is_some_and(|c| self.has_term_of(c, v))
    }

    fn sum_over(&self, mut e: Syntax, v: &Name) -> Syntax {
        if !self.mentions(&e, v) {
            return e;
        }
        let bound = self.bound(&e);
        let before_a_call = self.reading == Reading::Argument && self.call_around(&e, v).is_some();
        if before_a_call || self.has_term_below(&e, v) {
            if let Syntax::Op { args, .. } | Syntax::Apply { args, .. } = &mut e {
                let terms = args.split_off(bound);
                args.extend(terms.into_iter().map(|c| self.sum_over(c, v)));
            }
            return e;
        }
        let span = e.span();
        let variable = TensorRef::bare(v.clone());
        match &mut e {
            Syntax::Apply { name, args, .. } if name.text == "sum" && bound > 0 => {
                args.insert(bound, Syntax::Tensor(variable));
                e
            }
            _ => {
                let name = Name { text: "sum".into(), span };
                Syntax::Apply { name, args: vec![Syntax::Tensor(variable), e], span }
            }
        }
    }
}

fn is_additive(e: &Syntax) -> bool {
    let op = match e {
        Syntax::Op { op, .. } => Some(*op),
        Syntax::Apply { name, .. } => Operator::of_language(&name.text),
        Syntax::Tensor(_) | Syntax::Number(_) => None,
    };
    op.is_some_and(|op| matches!(op.prim, Prim::Add | Prim::Sub))
}
