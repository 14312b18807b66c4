//! Which elements of a sparse result may be stored though their value is the fill value.
//!
//! The law: those to which a stored element of an operand that is not dense contributes, unless the statement settles.
//! An element contributes unless what stands beside it decides the value without it: what is not stored, or a literal.
//! A dense operand by itself stores nothing: its values are looked at, as are index values and slots of padding. To a sum or another reduction
//! that is a part of an expression contributes whatever is stored there, as its value is not known before it is done. A
//! statement settles where the last thing done is a difference, a comparison or `^`, or logic on such: their value is
//! often the fill value, so their results are looked at as well.

use super::value::{self, Approx};
use super::{Machine, Node, Slot};
use openwork_algebra::{Arithmetic, DType, Prim, Scalar};

/// What an expression follows from at some coordinates.
#[derive(Clone, Copy)]
enum Part {
    /// What is not stored and literals, which give this.
    Known(Scalar),
    /// Index values, values of dense operands and padding as well.
    Looked,
    /// Stored elements of others.
    Stored,
    /// The same, and the value settles.
    Settled,
}

/// Whether this argument alone decides the value.
fn decides(prim: Prim, n: usize, s: Scalar) -> bool {
    let dtype = s.dtype();
    let is = |other: Option<Scalar>| other.is_some_and(|o| o.is_same(s));
    match prim {
        Prim::Mul | Prim::And => is(Some(Scalar::zero(dtype))),
        Prim::Div => n == 0 && is(Some(Scalar::zero(dtype))),
        Prim::Or => is(Scalar::all_ones(dtype)),
        Prim::Min => is(Scalar::lowest(dtype)),
        Prim::Max => is(Scalar::highest(dtype)),
        _ => false,
    }
}

impl Machine<'_> {
    /// Whether an element may be kept though its value is the fill value, at the coordinates that are looked at.
    pub(super) fn is_kept(&mut self, node: &Node) -> bool {
        // The reduction that is the statement is nobody's part.
        let part = match node {
            // Over a dimension of size 0 nobody looks.
            Node::Fold { .. } if self.is_empty(node) => Part::Stored,
            Node::Fold { prim, vars, body } => match self.fold(*prim, vars, body) {
                Part::Known(s) if !self.is_decided(node, s) => Part::Stored,
                part => part,
            },
            _ => self.part(node),
        };
        match part {
            // NaN is no annihilator: kernels compute what is stored beside it.
            Part::Known(_) | Part::Looked => self.eval(node).value.is_nan() && self.touches(node),
            part => matches!(part, Part::Stored),
        }
    }
    /// Whether a reduction, or one that it is of, has a dimension of size 0.
    fn is_empty(&self, node: &Node) -> bool {
        match node {
            Node::Fold { vars, body, .. } => vars.iter().any(|&v| self.sizes[v] == 0) || self.is_empty(body),
            _ => false,
        }
    }
    fn part(&mut self, node: &Node) -> Part {
        match node {
            Node::Load { array, vars, from } => {
                let Some(stored) = self.inputs.stored.get(array) else { return Part::Looked };
                let array = &self.inputs.arrays[array];
                let flat = self.place(vars, from, &array.shape);
                match stored[flat] {
                    Slot::Absent => Part::Known(array.values[flat]),
                    Slot::Padding => Part::Looked,
                    Slot::Element => Part::Stored,
                }
            }
            Node::Counter(_) => Part::Looked,
            Node::Const(s) => Part::Known(*s),
            Node::Cast { to, arg } => match self.part(arg) {
                Part::Known(s) => Part::Known(s.cast(*to)),
                other => other,
            },
            // A literal condition leaves one of two values.
            Node::Apply { prim: Prim::Select, args } if self.is_constant(&args[0]) => {
                let chosen = if self.eval(&args[0]).value.truthy() { 1 } else { 2 };
                self.part(&args[chosen])
            }
            Node::Apply { prim, args } => {
                let parts: Vec<Part> = args.iter().map(|a| self.part(a)).collect();
                let truth = self.dtype(node) == DType::Bool;
                match self.combine_parts(*prim, &parts, truth) {
                    Part::Settled if self.may_be_plain(*prim, args) => Part::Stored,
                    Part::Known(s) if !self.is_decided(node, s) => strongest_part(*prim, &parts, truth),
                    part => part,
                }
            }
            Node::Local(..) => Part::Looked,
            // Functions that users define are operators of which nothing is known here.
            Node::Defined { args, .. } => {
                let parts: Vec<Part> = args.iter().map(|a| self.part(a)).collect();
                match parts.iter().all(|p| matches!(p, Part::Known(_))) {
                    true => Part::Known(self.eval(node).value),
                    false if parts.iter().any(|p| matches!(p, Part::Stored | Part::Settled)) => Part::Stored,
                    false => Part::Looked,
                }
            }
            Node::Compare { prim, args } => {
                let parts: Vec<Part> = args.iter().map(|a| self.part(a)).collect();
                match parts.iter().all(|p| matches!(p, Part::Known(_))) {
                    true => Part::Known(self.eval(node).value),
                    false => strongest_part(*prim, &parts, true),
                }
            }
            Node::Fold { vars, body, .. } | Node::FoldBy { vars, body, .. } => {
                let mut stored = false;
                self.run_for_all(vars, &mut |m| stored |= m.touches(body));
                if stored { Part::Stored } else { Part::Looked }
            }
        }
    }
    /// Whether anything that is read here is stored, other than beside a literal that decides the value.
    fn touches(&mut self, node: &Node) -> bool {
        if matches!(node, Node::Apply { .. }) && self.is_constant(node) {
            let value = self.eval(node).value;
            if self.is_decided(node, value) {
                return false;
            }
        }
        match node {
            Node::Load { .. } => matches!(self.part(node), Part::Stored),
            Node::Fold { .. } | Node::FoldBy { .. } => matches!(self.part(node), Part::Stored),
            _ => node.children().into_iter().any(|c| self.touches(c)),
        }
    }
    /// Whether what seems to decide a value does: not beside infinities and NaN, and a literal only where it does so for
    /// any values, which zeros do not in quotients, nor anything beside numbers that may be NaN in the exact arithmetic.
    fn is_decided(&mut self, node: &Node, s: Scalar) -> bool {
        let any = match node {
            Node::Apply { prim, args } => {
                let relies = self.relies(*prim, s.dtype());
                let constant: Vec<bool> = args.iter().map(|a| self.is_constant(a)).collect();
                !relies || constant.iter().all(|c| *c == constant[0])
            }
            _ => true,
        };
        any && self.eval(node).value.is_same(s)
    }
    /// Whether what decides relies on what stands beside it.
    fn relies(&self, prim: Prim, dtype: DType) -> bool {
        // NaN is neither less nor greater than what every other value is compared with.
        let exact =
            matches!(prim, Prim::Mul | Prim::Min | Prim::Max) && self.inputs.arithmetic == Arithmetic::Exact;
        prim == Prim::Div || exact && dtype.is_inexact()
    }
    /// Whether literals alone decide a value.
    fn is_constant(&mut self, node: &Node) -> bool {
        match node {
            Node::Load { .. } | Node::Counter(_) | Node::Local(..) => false,
            Node::Defined { args, .. } => args.iter().all(|a| self.is_constant(a)),
            Node::Const(_) => true,
            Node::Cast { arg, .. } => self.is_constant(arg),
            // Over a dimension of size 0 there is no value to look at.
            Node::Fold { vars, body, .. } | Node::FoldBy { vars, body, .. } => {
                vars.iter().all(|&v| self.sizes[v] > 0) && self.is_constant(body)
            }
            Node::Compare { args, .. } => args.iter().all(|a| self.is_constant(a)),
            Node::Apply { prim: Prim::Select, args } if self.is_constant(&args[0]) => {
                let chosen = if self.eval(&args[0]).value.truthy() { 1 } else { 2 };
                self.is_constant(&args[chosen])
            }
            Node::Apply { prim, args } => {
                let constant: Vec<bool> = args.iter().map(|a| self.is_constant(a)).collect();
                let relies = self.relies(*prim, self.dtype(node));
                let mut decided = |n: usize| constant[n] && decides(*prim, n, self.eval(&args[n]).value);
                !relies && (0..args.len()).any(&mut decided) || constant.iter().all(|c| *c)
            }
        }
    }
    /// Whether a literal may leave nothing to do of a difference or comparison: `x - 0`, `x ^ false`, `x != false`.
    fn may_be_plain(&mut self, prim: Prim, args: &[Node]) -> bool {
        let truths = prim.is_comparison() && self.dtype(&args[0]) == DType::Bool;
        args.iter().any(|a| self.is_constant(a)) && (truths || matches!(prim, Prim::Sub | Prim::Xor))
    }
    fn fold(&mut self, prim: Prim, vars: &[usize], body: &Node) -> Part {
        let truth = self.dtype(body) == DType::Bool;
        let mut total: Option<Part> = None;
        self.run_for_all(vars, &mut |m| {
            let term = m.part(body);
            total = Some(match total {
                None => term,
                Some(sum) => m.combine_parts(prim, &[sum, term], truth),
            });
        });
        total.unwrap_or_else(|| Part::Known(self.empty(prim, body)))
    }
    fn combine_parts(&mut self, prim: Prim, parts: &[Part], truth: bool) -> Part {
        // What is divided by a stored element is computed: the element may be zero.
        let divided = prim == Prim::Div && matches!(parts[1], Part::Stored | Part::Settled);
        for (n, part) in parts.iter().enumerate().filter(|_| !divided) {
            if let Part::Known(s) = part
                && decides(prim, n, *s)
            {
                return *part;
            }
        }
        let known = parts.iter().map(|p| match p {
            Part::Known(s) => Some(Approx::exact(*s)),
            _ => None,
        });
        match known.collect::<Option<Vec<_>>>() {
            Some(args) => {
                let value = value::apply(prim, &args, self.inputs.arithmetic, &mut None);
                Part::Known(value.value)
            }
            None => strongest_part(prim, parts, truth),
        }
    }
}

/// What a value follows from that several parts make.
fn strongest_part(prim: Prim, parts: &[Part], truth: bool) -> Part {
    let stored = parts.iter().any(|p| matches!(p, Part::Stored | Part::Settled));
    let own = prim.is_comparison() || matches!(prim, Prim::Sub | Prim::Xor);
    match stored {
        false => Part::Looked,
        true if own || truth && parts.iter().any(|p| matches!(p, Part::Settled)) => Part::Settled,
        true => Part::Stored,
    }
}
