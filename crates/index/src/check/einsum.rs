//! The Einstein summation rule, on what was written: implicit sums belong to products.
//!
//! A variable that appears only on the right is summed. The sum begins at the top of the right side. Sums, differences and
//! signs pass it on to each operand that holds the variable. A product passes it on to its only factor that holds the
//! variable, and a quotient to its dividend, where a sum, a difference or a sign stands in there. A part that it stops at is
//! summed as a whole; when the variable appears in several terms of one sum, each term is summed by itself.
//!
//! ```text
//! a(i) = b(i) + A(i,j)*x(j)      a(i) = b(i) + sum(j, A(i,j)*x(j))
//! a(i) = A(i,j) + B(i,j)         a(i) = sum(j, A(i,j)) + sum(j, B(i,j))
//! a(i) = 2 * (b(i) + A(i,j))     a(i) = 2 * (b(i) + sum(j, A(i,j)))
//! ```
//! A sum stops at an access, an index variable, a product, quotient or `&` of which several parts hold the variable, one of these
//! times or divided by what lacks it, or a conversion of these. Around anything else, such as a function, a comparison or a divisor that
//! alone holds the variable, one would sum before it and another after it: such a statement is
//! [refused](Variables::ambiguity) and says its sums itself.
//!
//! ```text
//! a(i) = abs(A(i,j) - x(j))      a(i) = sum(j, abs(A(i,j) - x(j)))  or  a(i) = abs(sum(j, A(i,j) - x(j)))
//! ```
//! Terms are found before anything has a dtype, so an implicit sum is the explicit one in every respect: it is carried out
//! in the dtype of its own term, whatever that is added to.

use crate::notation::function::Definition;
use crate::notation::parse::{dtype_name, is_reduction, reduction};
use crate::notation::semiring::is_semiring;
use crate::notation::{Name, PADDED, STRUCTURE, Syntax, TensorRef};
use openwork_algebra::{Library, Operator, Prim};
use std::sync::Arc;

/// An implicit sum that could be taken before or after a call.
pub(crate) struct Ambiguity<'e> {
    /// The function, comparison or quotient.
    pub(crate) call: &'e Syntax,
    /// The variable.
    pub(crate) variable: Name,
}

/// Where the sum over a variable stops.
pub(super) struct SumStop<'e> {
    /// What is summed as a whole.
    pub(super) term: &'e Syntax,
    /// The part of it that a sum does not commute with.
    pub(super) parting: Option<&'e Syntax>,
}

/// The index variables of a statement.
pub(crate) struct Variables<'a> {
    pub(crate) known: &'a dyn Fn(&str) -> bool,
    pub(crate) functions: &'a [Arc<Definition>],
}

impl Variables<'_> {
    /// Makes the sums over the free variables of `e` that are not in `lhs` explicit.
    pub(crate) fn sum_implicit(&self, e: &Syntax, lhs: &[Name]) -> Syntax {
        self.missing_variables(e, lhs).iter().fold(e.clone(), |e, v| self.sum_over(e, v))
    }
    /// The first call that an implicit sum could stand before or after.
    pub(crate) fn ambiguity<'e>(&self, e: &'e Syntax, lhs: &[Name]) -> Option<Ambiguity<'e>> {
        self.missing_variables(e, lhs).into_iter().find_map(|variable| {
            let mut stops = Vec::new();
            self.stops(e, &variable, &mut stops);
            let call = stops.into_iter().find_map(|stop| stop.parting)?;
            Some(Ambiguity { call, variable })
        })
    }
    /// The free variables of `e` that are not in `lhs`.
    pub(super) fn missing_variables(&self, e: &Syntax, lhs: &[Name]) -> Vec<Name> {
        let mut missing = Vec::new();
        self.free(e, &mut Vec::new(), &mut missing);
        missing.retain(|v: &Name| lhs.iter().all(|l| l.text != v.text));
        missing
    }
    /// The variables of the left side: those of modes, and those that say where it is written.
    pub(super) fn left_variables(&self, lhs: &TensorRef) -> Vec<Name> {
        lhs.variables().cloned().chain(self.saying_variables(lhs)).collect()
    }
    /// The variables that say where the left side is written.
    pub(super) fn saying_variables(&self, lhs: &TensorRef) -> Vec<Name> {
        let mut names = Vec::new();
        lhs.positions.iter().for_each(|p| self.free(p, &mut Vec::new(), &mut names));
        names
    }
    /// Where the sum over `v` stops in `e`, from left to right.
    pub(super) fn stops<'e>(&self, e: &'e Syntax, v: &Name, out: &mut Vec<SumStop<'e>>) {
        // A reduction over a variable of the same name is about another one.
        if !self.mentions(e, v) {
            return;
        }
        if !self.seems_to_reduce(e, v) && self.passes_on(e, v) {
            return self.children(e).iter().for_each(|c| self.stops(c, v, out));
        }
        out.push(SumStop { term: e, parting: self.non_commuting_part(e, v) });
    }
    /// The operands of a call that hold `v`, as they were written; of a sum of which some terms lack it, the others.
    pub(super) fn operands_with<'e>(&self, call: &'e Syntax, v: &Name) -> Vec<&'e Syntax> {
        let with = self.children(call).iter().filter(|c| self.mentions(c, v));
        // What a name stands for, as a semiring does, is written where the name is.
        let written = |c: &'e Syntax| match c.span() == call.span() {
            true => self.operands_with(c, v),
            false if self.lacks_terms(c, v) => {
                let mut stops = Vec::new();
                self.stops(c, v, &mut stops);
                stops.into_iter().map(|stop| stop.term).collect()
            }
            false => vec![c],
        };
        with.flat_map(written).collect()
    }
    /// As [`operands_with`](Variables::operands_with), inside of all calls within the call as well.
    pub(super) fn innermost_with<'e>(&self, call: &'e Syntax, v: &Name) -> Vec<&'e Syntax> {
        let inside = |operand: &'e Syntax| match self.non_commuting_part(operand, v) {
            Some(inner) if inner.span() != call.span() && !is_additive(inner) => {
                self.innermost_with(inner, v)
            }
            _ => vec![operand],
        };
        self.operands_with(call, v).into_iter().flat_map(inside).collect()
    }
    /// Whether something inside of `e` lacks `v` and holds another of these variables.
    pub(super) fn lacks_factors_inside(&self, e: &Syntax, v: &Name, all: &[Name]) -> bool {
        match e {
            Syntax::Tensor(_) => !self.mentions(e, v) && all.iter().any(|other| self.mentions(e, other)),
            _ => self.children(e).iter().any(|c| self.lacks_factors_inside(c, v, all)),
        }
    }
    /// Whether an operand of a call has terms with `v` beside others that lack it.
    pub(super) fn lacks_terms_inside(&self, call: &Syntax, v: &Name) -> bool {
        let inner = |c: &Syntax| match c.span() == call.span() {
            true => self.lacks_terms_inside(c, v),
            false => self.lacks_terms(c, v),
        };
        self.children(call).iter().any(inner)
    }
    /// Whether a sum over `v` that goes on into `e` comes by a term that lacks `v`.
    fn lacks_terms(&self, e: &Syntax, v: &Name) -> bool {
        let lacks = |c: &Syntax| !self.mentions(c, v);
        self.mentions(e, v)
            && self.passes_on(e, v)
            && (is_additive(e) && self.children(e).iter().any(lacks)
                || self.children(e).iter().any(|c| self.lacks_terms(c, v)))
    }
    /// Whether a sum over `v` goes on to the operands of `e`.
    fn passes_on(&self, e: &Syntax, v: &Name) -> bool {
        is_additive(e) || self.scaled_part(e, v).is_some_and(|factor| self.has_terms(factor, v))
    }
    /// Whether a sum, a difference or a sign in `e` holds `v`.
    fn has_terms(&self, e: &Syntax, v: &Name) -> bool {
        if let Syntax::Tensor(_) = e {
            return false;
        }
        is_additive(e) && self.mentions(e, v)
            || !self.binds_variable(e, v) && self.children(e).iter().any(|c| self.has_terms(c, v))
    }
    /// The only part of `e` that holds `v`, where `e` is that times or divided by others, or an explicit sum of it.
    fn scaled_part<'e>(&self, e: &'e Syntax, v: &Name) -> Option<&'e Syntax> {
        let part = self.only_child_with(e, v)?;
        let scales = match (e, prim(e)) {
            (Syntax::Apply { name, .. }, _) if self.count_bound(e) > 0 => {
                reduction(&name.text).is_some_and(|op| op.prim == Prim::Add)
            }
            (Syntax::Apply { name, .. }, _) if self.find_definition(name).is_some() => false,
            (_, Some(Prim::Mul)) => true,
            (_, Some(Prim::Div)) => std::ptr::eq(part, &self.children(e)[0]),
            _ => false,
        };
        scales.then_some(part)
    }
    /// The part of a term that a sum over `v` does not commute with: nothing where the sum belongs to a product.
    fn non_commuting_part<'e>(&self, e: &'e Syntax, v: &Name) -> Option<&'e Syntax> {
        if self.seems_to_reduce(e, v) {
            return Some(e);
        }
        if let Some(part) = self.scaled_part(e, v) {
            return self.non_commuting_part(part, v);
        }
        let own = matches!(e, Syntax::Apply { name, .. } if self.find_definition(name).is_some());
        let reads = match e {
            Syntax::Tensor(_) | Syntax::Number(_) => true,
            _ if own || self.count_bound(e) > 0 => false,
            Syntax::Apply { name, .. } if [STRUCTURE, PADDED].contains(&&*name.text) => true,
            Syntax::Apply { name, args, .. } if dtype_name(&name.text).is_some() && args.len() == 1 => {
                return self.non_commuting_part(&args[0], v).map(|_| e);
            }
            _ => match prim(e) {
                Some(Prim::Library(Library::Conj | Library::Real | Library::Imag)) => {
                    return self.non_commuting_part(&self.children(e)[0], v).map(|_| e);
                }
                Some(Prim::Mul | Prim::Div | Prim::And) => self.only_child_with(e, v).is_none(),
                _ => false,
            },
        };
        (!reads).then_some(e)
    }
    /// Whether `e` is written as a reduction over `v`, of a function of two values that is not said to be one. A function that
    /// is built in may take coordinates alone, as `hypot(i, j)` and `power(j, 2)` do.
    pub(crate) fn seems_to_reduce(&self, e: &Syntax, v: &Name) -> bool {
        let Syntax::Apply { name, args, span } = e else { return false };
        let Some((last, leading)) = args.split_last() else { return false };
        let named: Vec<&Name> = leading.iter().filter_map(|a| self.variable(a)).collect();
        let plain = match self.find_definition(name) {
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
    pub(super) fn find_definition(&self, name: &Name) -> Option<&Arc<Definition>> {
        self.functions.iter().find(|f| f.name.text == name.text)
    }

    /// The variable that a bare name is.
    pub(super) fn variable<'e>(&self, e: &'e Syntax) -> Option<&'e Name> {
        match e {
            Syntax::Tensor(t) if t.bare && (self.known)(&t.name.text) => Some(&t.name),
            _ => None,
        }
    }
    /// How many of the first arguments are variables that a reduction by name binds.
    pub(super) fn count_bound(&self, e: &Syntax) -> usize {
        let Syntax::Apply { name, args, .. } = e else { return 0 };
        let leading = args.len().saturating_sub(1);
        let converts = dtype_name(&name.text).is_some() && args.len() == 1;
        if is_semiring(&name.text) && self.find_definition(name).is_none() {
            return args.iter().take_while(|a| self.variable(a).is_some()).count();
        }
        let own = self.find_definition(name).is_some_and(|f| f.reduces());
        let reduces = (own || is_reduction(&name.text)) && !converts;
        if reduces && args[..leading].iter().all(|a| self.variable(a).is_some()) { leading } else { 0 }
    }
    /// The subexpressions of `e`.
    pub(super) fn children<'e>(&self, e: &'e Syntax) -> &'e [Syntax] {
        match e {
            Syntax::Number(_) => &[],
            Syntax::Tensor(t) => &t.positions,
            Syntax::Op { args, .. } => args,
            Syntax::Apply { args, .. } => &args[self.count_bound(e)..],
        }
    }
    /// The variables that `e` binds itself.
    pub(super) fn binds<'e>(&self, e: &'e Syntax) -> Vec<&'e Name> {
        match e {
            Syntax::Apply { args, .. } => {
                args[..self.count_bound(e)].iter().filter_map(|a| self.variable(a)).collect()
            }
            Syntax::Tensor(_) | Syntax::Number(_) | Syntax::Op { .. } => Vec::new(),
        }
    }
    /// The free variables of `e`, in order of appearance.
    pub(super) fn free<'e>(&self, e: &'e Syntax, bound: &mut Vec<&'e str>, out: &mut Vec<Name>) {
        if let Syntax::Tensor(t) = e {
            let bare = self.variable(e).into_iter();
            for v in bare.chain(t.variables()) {
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
        let reads = match e {
            Syntax::Tensor(t) => {
                self.variable(e).is_some_and(|bare| bare.text == v.text)
                    || t.variables().any(|index| index.text == v.text)
            }
            Syntax::Number(_) | Syntax::Op { .. } | Syntax::Apply { .. } => false,
        };
        reads || !self.binds_variable(e, v) && self.children(e).iter().any(|c| self.mentions(c, v))
    }
    fn binds_variable(&self, e: &Syntax, v: &Name) -> bool {
        self.binds(e).iter().any(|bound| bound.text == v.text)
    }
    /// The single direct subexpression that mentions `v`, if there is just one.
    fn only_child_with<'e>(&self, e: &'e Syntax, v: &Name) -> Option<&'e Syntax> {
        let mut with = self.children(e).iter().filter(|c| self.mentions(c, v));
        let first = with.next()?;
        with.next().is_none().then_some(first)
    }
    fn sum_over(&self, mut e: Syntax, v: &Name) -> Syntax {
        if !self.mentions(&e, v) {
            return e;
        }
        let bound = self.count_bound(&e);
        if !self.seems_to_reduce(&e, v) && self.passes_on(&e, v) {
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

/// What the outermost operator of an expression computes, if that is one of the language.
fn prim(e: &Syntax) -> Option<Prim> {
    match e {
        Syntax::Op { op, .. } => Some(op.prim),
        Syntax::Apply { name, .. } => Operator::of_language(&name.text).map(|op| op.prim),
        Syntax::Tensor(_) | Syntax::Number(_) => None,
    }
}

/// Whether an expression is a sum, a difference, or has a sign.
fn is_additive(e: &Syntax) -> bool {
    matches!(prim(e), Some(Prim::Add | Prim::Sub | Prim::Neg))
}
