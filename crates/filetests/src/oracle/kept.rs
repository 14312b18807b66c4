//! Which elements of a sparse result may be stored though their value is the fill value.
//!
//! The law: those to which a stored element of an operand that is not dense contributes, unless the statement settles.
//! An element contributes unless what stands beside it decides the value without it: what is not stored, or a literal.
//! A dense operand by itself stores nothing: its values are looked at, as are index values and slots of padding. To a sum or another reduction
//! that is a part of an expression contributes whatever is stored there, as its value is not known before it is done. A
//! statement settles where the last thing done is a difference, a comparison or `^`, or logic on such: their value is
//! often the fill value, so their results are looked at as well.

use super::value::{self, Approx};
use super::{OracleMachine, OracleNode, StoredSlot};
use openwork_algebra::{Arithmetic, DType, Library, Prim, Scalar};

/// What an expression follows from at some coordinates.
#[derive(Clone, Copy)]
enum KeptPart {
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
pub(super) fn decides(prim: Prim, n: usize, s: Scalar) -> bool {
    let dtype = s.dtype();
    let is = |other: Option<Scalar>| other.is_some_and(|o| o.is_same(s));
    match prim {
        Prim::Mul | Prim::And => is(Some(Scalar::zero(dtype))),
        Prim::Div => n == 0 && is(Some(Scalar::zero(dtype))),
        Prim::Or => is(Scalar::all_ones(dtype)),
        Prim::Min => is(Scalar::lowest(dtype)),
        Prim::Max => is(Scalar::highest(dtype)),
        Prim::Library(f) => match f {
            Library::Fmin => is(Scalar::lowest(dtype)),
            Library::Fmax => is(Scalar::highest(dtype)),
            Library::Gcd => is(Some(Scalar::one(dtype))),
            Library::Lcm => is(Some(Scalar::zero(dtype))),
            Library::Power => n == 0 && is(Some(Scalar::one(dtype))),
            _ => false,
        },
        _ => false,
    }
}

impl OracleMachine<'_> {
    /// Whether an element may be kept though its value is the fill value, at the coordinates that are looked at.
    pub(super) fn is_kept(&mut self, node: &OracleNode) -> bool {
        // The reduction that is the statement is nobody's part.
        let part = match node {
            // Over a dimension of size 0 nobody looks.
            OracleNode::Fold { .. } if self.is_empty(node) => KeptPart::Stored,
            OracleNode::Fold { prim, vars, body } => match self.fold(*prim, vars, body) {
                KeptPart::Known(s) if !self.is_decided(node, s) => KeptPart::Stored,
                part => part,
            },
            OracleNode::LastSent(sent) => {
                // What is replaced may have been stored.
                return self.with_last(sent, &mut |m, e| m.is_kept(e)) || self.is_kept(&sent.nothing);
            }
            _ => self.part(node),
        };
        match part {
            // NaN is no annihilator: kernels compute what is stored beside it.
            KeptPart::Known(_) | KeptPart::Looked => self.eval(node).value.is_nan() && self.touches(node),
            part => matches!(part, KeptPart::Stored),
        }
    }
    /// Whether a reduction, or one that it is of, has a dimension of size 0.
    fn is_empty(&self, node: &OracleNode) -> bool {
        match node {
            OracleNode::Fold { vars, body, .. } => {
                vars.iter().any(|&v| self.sizes[v] == 0) || self.is_empty(body)
            }
            _ => false,
        }
    }
    fn part(&mut self, node: &OracleNode) -> KeptPart {
        match node {
            OracleNode::Load { array, modes } => {
                let Some(stored) = self.inputs.stored.get(array) else { return KeptPart::Looked };
                let array = &self.inputs.arrays[array];
                let Some(flat) = self.place(modes, &array.shape) else { return KeptPart::Looked };
                match stored[flat] {
                    StoredSlot::Absent => KeptPart::Known(array.values[flat]),
                    StoredSlot::Padding => KeptPart::Looked,
                    StoredSlot::Element => KeptPart::Stored,
                }
            }
            OracleNode::Counter(_) => KeptPart::Looked,
            OracleNode::Const(s) => KeptPart::Known(*s),
            OracleNode::Cast { to, arg } => match self.part(arg) {
                KeptPart::Known(s) => KeptPart::Known(s.cast(*to)),
                other => other,
            },
            // A literal condition leaves one of two values.
            OracleNode::Apply { prim: Prim::Select, args } if self.is_constant(&args[0]) => {
                let chosen = if self.eval(&args[0]).value.truthy() { 1 } else { 2 };
                self.part(&args[chosen])
            }
            OracleNode::Apply { prim, args } => {
                let parts: Vec<KeptPart> = args.iter().map(|a| self.part(a)).collect();
                let truth = self.dtype(node) == DType::Bool;
                match self.combine_parts(*prim, &parts, truth) {
                    KeptPart::Settled if self.may_be_plain(*prim, args) => KeptPart::Stored,
                    KeptPart::Known(s) if !self.is_decided(node, s) => strongest_part(*prim, &parts, truth),
                    part => part,
                }
            }
            OracleNode::Local(..) => KeptPart::Looked,
            OracleNode::LastSent(sent) => self.with_last(sent, &mut |m, e| m.part(e)),
            // Functions that users define are operators of which nothing is known here.
            OracleNode::Defined { args, .. } => {
                let parts: Vec<KeptPart> = args.iter().map(|a| self.part(a)).collect();
                match parts.iter().all(|p| matches!(p, KeptPart::Known(_))) {
                    true => KeptPart::Known(self.eval(node).value),
                    false if parts.iter().any(|p| matches!(p, KeptPart::Stored | KeptPart::Settled)) => {
                        KeptPart::Stored
                    }
                    false => KeptPart::Looked,
                }
            }
            OracleNode::Compare { prim, args } => {
                let parts: Vec<KeptPart> = args.iter().map(|a| self.part(a)).collect();
                match parts.iter().all(|p| matches!(p, KeptPart::Known(_))) {
                    true => KeptPart::Known(self.eval(node).value),
                    false => strongest_part(*prim, &parts, true),
                }
            }
            OracleNode::PlaceOfExtreme { var, body, .. } => {
                let mut stored = false;
                self.run_for_all(&[*var], &mut |m| stored |= m.touches(body));
                if stored { KeptPart::Stored } else { KeptPart::Looked }
            }
            OracleNode::Fold { vars, body, .. } | OracleNode::FoldBy { vars, body, .. } => {
                let mut stored = false;
                self.run_for_all(vars, &mut |m| stored |= m.touches(body));
                if stored { KeptPart::Stored } else { KeptPart::Looked }
            }
        }
    }
    /// Whether anything that is read here is stored, other than beside a literal that decides the value.
    fn touches(&mut self, node: &OracleNode) -> bool {
        if matches!(node, OracleNode::Apply { .. }) && self.is_constant(node) {
            let value = self.eval(node).value;
            if self.is_decided(node, value) {
                return false;
            }
        }
        match node {
            OracleNode::Load { .. } => matches!(self.part(node), KeptPart::Stored),
            OracleNode::Fold { .. } | OracleNode::FoldBy { .. } | OracleNode::PlaceOfExtreme { .. } => {
                matches!(self.part(node), KeptPart::Stored)
            }
            _ => node.children().into_iter().any(|c| self.touches(c)),
        }
    }
    /// Whether what seems to decide a value does: not beside infinities and NaN, and a literal only where it does so for
    /// any values, which zeros do not in quotients, nor anything beside numbers that may be NaN in the exact arithmetic.
    fn is_decided(&mut self, node: &OracleNode, s: Scalar) -> bool {
        let any = match node {
            OracleNode::Apply { prim, args } => {
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
    fn is_constant(&mut self, node: &OracleNode) -> bool {
        match node {
            OracleNode::Load { .. }
            | OracleNode::Counter(_)
            | OracleNode::Local(..)
            | OracleNode::LastSent(_) => false,
            OracleNode::Defined { args, .. } => args.iter().all(|a| self.is_constant(a)),
            OracleNode::PlaceOfExtreme { .. } => false,
            OracleNode::Const(_) => true,
            OracleNode::Cast { arg, .. } => self.is_constant(arg),
            // Over a dimension of size 0 there is no value to look at.
            OracleNode::Fold { vars, body, .. } | OracleNode::FoldBy { vars, body, .. } => {
                vars.iter().all(|&v| self.sizes[v] > 0) && self.is_constant(body)
            }
            OracleNode::Compare { args, .. } => args.iter().all(|a| self.is_constant(a)),
            OracleNode::Apply { prim: Prim::Select, args } if self.is_constant(&args[0]) => {
                let chosen = if self.eval(&args[0]).value.truthy() { 1 } else { 2 };
                self.is_constant(&args[chosen])
            }
            OracleNode::Apply { prim, args } => {
                let constant: Vec<bool> = args.iter().map(|a| self.is_constant(a)).collect();
                let relies = self.relies(*prim, self.dtype(node));
                let mut decided = |n: usize| constant[n] && decides(*prim, n, self.eval(&args[n]).value);
                !relies && (0..args.len()).any(&mut decided) || constant.iter().all(|c| *c)
            }
        }
    }
    /// Whether a literal may leave nothing to do of a difference or comparison: `x - 0`, `x ^ false`, `x != false`.
    fn may_be_plain(&mut self, prim: Prim, args: &[OracleNode]) -> bool {
        let truths = prim.is_comparison() && self.dtype(&args[0]) == DType::Bool;
        args.iter().any(|a| self.is_constant(a)) && (truths || matches!(prim, Prim::Sub | Prim::Xor))
    }
    fn fold(&mut self, prim: Prim, vars: &[usize], body: &OracleNode) -> KeptPart {
        let truth = self.dtype(body) == DType::Bool;
        let mut total: Option<KeptPart> = None;
        self.run_for_all(vars, &mut |m| {
            let term = m.part(body);
            total = Some(match total {
                None => term,
                Some(sum) => m.combine_parts(prim, &[sum, term], truth),
            });
        });
        total.unwrap_or_else(|| KeptPart::Known(self.empty(prim, body)))
    }
    fn combine_parts(&mut self, prim: Prim, parts: &[KeptPart], truth: bool) -> KeptPart {
        // What is divided by a stored element is computed: the element may be zero.
        let divided = prim == Prim::Div && matches!(parts[1], KeptPart::Stored | KeptPart::Settled);
        for (n, part) in parts.iter().enumerate().filter(|_| !divided) {
            if let KeptPart::Known(s) = part
                && decides(prim, n, *s)
            {
                return *part;
            }
        }
        let known = parts.iter().map(|p| match p {
            KeptPart::Known(s) => Some(Approx::exact(*s)),
            _ => None,
        });
        match known.collect::<Option<Vec<_>>>() {
            Some(args) => {
                let value = value::apply(prim, &args, self.inputs.arithmetic, &mut None);
                KeptPart::Known(value.value)
            }
            None => strongest_part(prim, parts, truth),
        }
    }
}

/// What a value follows from that several parts make.
fn strongest_part(prim: Prim, parts: &[KeptPart], truth: bool) -> KeptPart {
    let stored = parts.iter().any(|p| matches!(p, KeptPart::Stored | KeptPart::Settled));
    let own = prim.is_comparison() || matches!(prim, Prim::Sub | Prim::Xor);
    match stored {
        false => KeptPart::Looked,
        true if own || truth && parts.iter().any(|p| matches!(p, KeptPart::Settled)) => KeptPart::Settled,
        true => KeptPart::Stored,
    }
}
