//! Products over semirings: a sum of the products of elements that are there, and nothing elsewhere.
//!
//! The dtypes are NumPy's: products in the common dtype of the factors, comparisons in `bool`, numbers of elements and
//! coordinates in `i64`; sums in the dtype of the products.

use super::typing::{OracleNode, OracleScope, Typed, apply, cast, convert, takes};
use super::{Refusal, value::identity};
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};
use openwork_index::notation::Syntax;

/// Where a product with nothing is nothing by itself, whatever the dtypes.
const PLAIN: [&str; 8] =
    ["plus_times", "lor_land", "lxor_land", "land_lor", "lxnor_lor", "eq_lor", "bor_band", "bxor_band"];

/// The folds that names of sums stand for, and whether they are over complements.
fn fold_of(sum: &str, truth: bool) -> (Prim, bool) {
    match sum {
        "plus" if truth => (Prim::Or, false),
        "times" if truth => (Prim::And, false),
        "plus" => (Prim::Add, false),
        "times" => (Prim::Mul, false),
        "min" => (Prim::Min, false),
        "max" | "any" => (Prim::Max, false),
        "lor" | "bor" => (Prim::Or, false),
        "land" => (Prim::And, false),
        "lxor" | "bxor" => (Prim::Xor, false),
        "band" => (Prim::Or, true),
        _ => (Prim::Xor, true),
    }
}

fn prim_of(product: &str) -> Prim {
    let name = match product {
        "times" => "mul",
        "plus" => "add",
        "minus" | "rminus" => "sub",
        "div" | "rdiv" => "div",
        "pow" => "power",
        "atan2" => "arctan2",
        "land" | "band" => "and",
        "lor" | "bor" => "or",
        "lxor" | "bxor" | "bxnor" => "xor",
        name => name.trim_start_matches("is"),
    };
    Prim::by_name(name).unwrap_or(Prim::Add)
}

fn number(s: Scalar) -> Typed {
    Typed { node: OracleNode::Const(s), dtype: s.dtype(), loose: false }
}

/// A call of a semiring.
struct SemiringCall<'a> {
    sum: &'a str,
    product: &'a str,
    factors: &'a [Syntax],
    typed: Vec<Typed>,
    common: DType,
}

impl SemiringCall<'_> {
    /// What no value says to be nothing, as all are values.
    fn asks_what_is_stored(&self) -> bool {
        let decides = matches!(self.product, "lor" | "eq" | "ne" | "gt" | "lt" | "ge" | "le");
        matches!(self.sum, "band" | "bxnor") || matches!(self.sum, "land" | "lxnor" | "eq") && !decides
    }
    fn compares(&self) -> bool {
        matches!(self.product, "eq" | "ne" | "gt" | "lt" | "ge" | "le")
    }
    fn absent(&self, dtype: DType) -> Option<Scalar> {
        match self.sum {
            _ if self.compares() || self.asks_what_is_stored() => Some(Scalar::zero(dtype)),
            "min" => Scalar::highest(dtype),
            "max" => Scalar::lowest(dtype),
            "land" | "lxnor" | "eq" => Some(Scalar::one(dtype)),
            _ => Some(Scalar::zero(dtype)),
        }
    }
    fn in_common(&self, n: usize) -> Result<Typed, Refusal> {
        let node = convert(self.typed[n].clone(), self.common)?;
        Ok(Typed { node, dtype: self.common, loose: false })
    }
    fn fold_terms(&self, prim: Prim, all: Vec<Typed>, swap: bool) -> Result<Typed, Refusal> {
        let mut all = all.into_iter();
        let first = all.next().expect("a product has factors");
        all.try_fold(first, |a, b| apply(prim, if swap { vec![b, a] } else { vec![a, b] }))
    }
    /// The product of factors that are there.
    fn multiply_factors(&self, scope: &OracleScope) -> Result<Typed, Refusal> {
        let last = self.typed.len() - 1;
        let prim = prim_of(self.product);
        let all = || (0..=last).map(|n| self.in_common(n)).collect::<Result<Vec<_>, _>>();
        let chosen = |holds: Typed| {
            apply(
                Prim::Select,
                vec![holds, number(Scalar::one(self.common)), number(Scalar::zero(self.common))],
            )
        };
        let of_numbers = matches!(self.sum, "plus" | "times" | "min" | "max" | "any");
        match self.product {
            "first" => self.in_common(0),
            "second" => self.in_common(last),
            "pair" | "oneb" if matches!(self.sum, "lor" | "land" | "lxor" | "lxnor" | "eq") => {
                Ok(number(Scalar::Bool(true)))
            }
            "pair" | "oneb" => Ok(number(Scalar::I64(1))),
            at if at.starts_with("first") || at.starts_with("second") => self.coordinate(scope),
            "land" | "lor" | "lxor" if of_numbers => {
                let truth = |t: &Typed| apply(Prim::Ne, vec![t.clone(), number(Scalar::zero(t.dtype))]);
                let truths = self.typed.iter().map(truth).collect::<Result<Vec<_>, _>>()?;
                chosen(self.fold_terms(prim, truths, false)?)
            }
            _ if self.compares() => apply(prim, self.typed.clone()),
            name if name.starts_with("is") => chosen(apply(prim, self.typed.clone())?),
            "bxnor" => {
                let mut all = all()?.into_iter();
                let first = all.next().expect("a product has factors");
                all.try_fold(first, |a, b| apply(Prim::Not, vec![apply(prim, vec![a, b])?]))
            }
            name => self.fold_terms(prim, all()?, matches!(name, "rminus" | "rdiv")),
        }
    }
    fn coordinate(&self, scope: &OracleScope) -> Result<Typed, Refusal> {
        let factor =
            if self.product.starts_with("first") { self.factors.first() } else { self.factors.last() };
        let from = i64::from(self.product.ends_with('1'));
        let mode = usize::from(self.product.trim_end_matches('1').ends_with('j'));
        let Some(Syntax::Tensor(t)) = factor else {
            return Err(Refusal { code: "E0102", why: "no tensor".into() });
        };
        // A sum of one variable is a window of it, which counts its own coordinates.
        let window = t
            .index_sum(mode)
            .filter(|sum| sum.constant >= 0 && sum.terms.len() == 1 && sum.terms[0].coefficient > 0);
        if t.position(mode).is_some() && window.is_none() {
            return Err(Refusal { code: "E0204", why: "a position as a product".into() });
        }
        let plain = || t.indices.get(mode).map(|name| name.text.clone());
        let name = window.map(|sum| sum.terms[0].name.clone()).or_else(plain);
        let Some(v) = name.and_then(|name| scope.var(&name)) else {
            return Ok(number(Scalar::I64(from)));
        };
        let place = Typed { node: OracleNode::Counter(v), dtype: DType::I64, loose: false };
        if from == 0 { Ok(place) } else { apply(Prim::Add, vec![place, number(Scalar::I64(from))]) }
    }
    fn presence(&self, scope: &mut OracleScope) -> Result<Typed, Refusal> {
        let mut there = Vec::new();
        for (factor, t) in self.factors.iter().zip(&self.typed) {
            there.push(match self.absent(t.dtype) {
                _ if self.asks_what_is_stored() => scope.structure(factor)?,
                Some(absent) => apply(Prim::Ne, vec![t.clone(), number(absent)])?,
                None => number(Scalar::Bool(true)),
            });
        }
        self.fold_terms(Prim::And, there, false)
    }
    /// Whether a product with nothing is nothing by itself.
    fn is_plain(&self, product: DType) -> bool {
        let name = format!("{}_{}", self.sum, self.product);
        let floats = self.typed.iter().all(|t| t.dtype.kind() == DTypeKind::Float);
        let alike = self.typed.iter().all(|t| t.dtype == product);
        let plain = match name.as_str() {
            "min_plus" | "max_plus" => floats,
            "min_max" | "max_min" => floats || alike,
            name => PLAIN.contains(&name),
        };
        let places = ["firsti", "firstj", "secondi", "secondj"];
        let by_place = places.iter().any(|place| self.product.starts_with(place));
        let truths = matches!(self.product, "land" | "lor" | "lxor")
            && matches!(self.sum, "plus" | "times" | "min" | "max" | "any");
        let same = !matches!(self.sum, "times" | "any") && !self.compares() && !self.asks_what_is_stored();
        let alone =
            self.typed.len() == 1 && same && !by_place && !truths && !matches!(self.product, "pair" | "oneb");
        plain || alone
    }
}

impl OracleScope<'_> {
    /// A call of a semiring; nothing where the name is none.
    pub(super) fn semiring(&mut self, name: &str, args: &[Syntax]) -> Result<Typed, Refusal> {
        let (sum, product) = name.split_once('_').unwrap_or((name, ""));
        let variable = |scope: &Self, a: &Syntax| match a {
            Syntax::Tensor(t) if t.bare && scope.names.is_none() => scope.var(&t.name.text),
            _ => None,
        };
        let vars: Vec<usize> = args.iter().map_while(|a| variable(self, a)).collect();
        let factors = &args[vars.len()..];
        let typed = factors.iter().map(|f| self.expr(f)).collect::<Result<Vec<_>, _>>()?;
        let firm = typed.iter().filter(|t| !t.loose).map(|t| t.dtype).reduce(DType::promote);
        let met = typed.iter().map(|t| match firm {
            Some(d) if t.loose && takes(t.dtype, d) => d,
            _ => t.dtype,
        });
        let common = met.reduce(DType::promote).expect("a product has factors");
        // Any of some comparisons is one that holds.
        let compared = matches!(product, "eq" | "ne" | "gt" | "lt" | "ge" | "le");
        let sum = if sum == "any" && compared { "lor" } else { sum };
        let call = SemiringCall { sum, product, factors, typed, common };
        if !call.asks_what_is_stored() {
            for (factor, t) in factors.iter().zip(&call.typed) {
                let fill = self.fill_of(factor);
                if let (Some(fill), Some(absent)) = (fill, call.absent(t.dtype))
                    && !fill.is_same(absent)
                {
                    return Err(Refusal { code: "E0218", why: name.into() });
                }
            }
        }
        let logical = matches!(sum, "lor" | "land" | "lxor" | "lxnor" | "eq") && !call.compares();
        let truth = |t: Typed| match t.dtype {
            DType::Bool => Ok(t),
            dtype => apply(Prim::Ne, vec![t, number(Scalar::zero(dtype))]),
        };
        let call = match logical {
            true => {
                let typed = call.typed.into_iter().map(truth).collect::<Result<Vec<_>, _>>()?;
                SemiringCall { typed, common: DType::Bool, ..call }
            }
            false => call,
        };
        if sum == "any" && matches!(product, "pair" | "oneb") {
            let there = call.presence(self)?;
            let any = self.sum_of(Prim::Or, &vars, there)?;
            return apply(Prim::Select, vec![any, number(Scalar::I64(1)), number(Scalar::I64(0))]);
        }
        let product = call.multiply_factors(self)?;
        let product = if logical { truth(product)? } else { product };
        let (prim, complements) = fold_of(sum, product.dtype == DType::Bool);
        let bits = matches!(sum, "band" | "bxnor");
        let complemented = complements && (bits || !vars.is_empty());
        let zero = match complemented {
            true => Some(Scalar::zero(product.dtype)),
            false if complements => Some(Scalar::one(product.dtype)),
            false => identity(prim, product.dtype),
        };
        let Some(zero) = zero else {
            return Err(Refusal { code: "E0204", why: name.into() });
        };
        let plain = call.is_plain(product.dtype);
        let mut value = if complemented { apply(Prim::Not, vec![product])? } else { product };
        if !plain {
            let there = call.presence(self)?;
            let zero =
                Typed { node: cast(OracleNode::Const(zero), zero.dtype(), value.dtype), ..number(zero) };
            value = apply(Prim::Select, vec![there, value, zero])?;
        }
        let all = self.sum_of(prim, &vars, value)?;
        if complemented { apply(Prim::Not, vec![all]) } else { Ok(all) }
    }
    fn sum_of(&self, prim: Prim, vars: &[usize], body: Typed) -> Result<Typed, Refusal> {
        if vars.is_empty() {
            return Ok(body);
        }
        let repeated = (1..vars.len()).any(|n| vars[..n].contains(&vars[n]));
        if repeated || vars.iter().any(|&v| !body.node.uses(v)) {
            return Err(Refusal { code: "E0205", why: prim.name().into() });
        }
        if identity(prim, body.dtype).is_none() {
            return Err(Refusal { code: "E0204", why: prim.name().into() });
        }
        let node = OracleNode::Fold { prim, vars: vars.to_vec(), body: Box::new(body.node) };
        Ok(Typed { node, dtype: body.dtype, loose: false })
    }
    /// The fill value of an operand that is not dense.
    fn fill_of(&self, factor: &Syntax) -> Option<Scalar> {
        match factor {
            Syntax::Tensor(t) if self.names.is_none() && !(t.bare && self.var(&t.name.text).is_some()) => {
                self.inputs.fills.get(&t.name.text).copied()
            }
            _ => None,
        }
    }
}
