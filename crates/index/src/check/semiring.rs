//! Products over semirings, written out in terms of reductions and choices.
//!
//! ```text
//! min_plus(j, A(i,j), x(j))        min(j, A(i,j) + x(j))                                          of floats
//!                                  min(j, where((A(i,j) != 127) & (x(j) != 127), A(i,j) + x(j), 127))     of i8
//! plus_pair(j, A(i,j), B(j,k))     sum(j, where((A(i,j) != 0) & (B(j,k) != 0), 1, 0))
//! ```
//! What the names mean is said in [`crate::notation::semiring`].

use super::types::{TypedExpr, adapts};
use super::{Checker, TYPE};
use crate::expr::{IndexExpr, fill_of};
use crate::notation::semiring::{self, Factor, Of, Semiring, SemiringParts, SemiringProduct, SumRange};
use crate::notation::{Name, Syntax};
use openwork_algebra::{DType, DTypeKind, Operator, Scalar};
use openwork_base::{Code, Error, Result, Span};

/// An operand whose fill value is a value to the semiring.
const FILL: Code = Code("E0218");

/// A factor of a product.
struct Multiplied<'e> {
    written: &'e Syntax,
    value: TypedExpr,
}

impl Checker<'_> {
    /// A call of a semiring, which the parser has validated.
    pub(super) fn semiring(
        &mut self,
        name: &Name,
        semiring: Semiring,
        args: &[Syntax],
        span: Span,
    ) -> Result<TypedExpr> {
        let SemiringParts { variables, factors } = {
            let in_body = self.in_body();
            semiring::divide(args, &|name| !in_body && self.index_named(name).is_some())
        };
        let mut multiplied = Vec::new();
        for written in factors {
            multiplied.push(Multiplied { written, value: self.type_expr(written)? });
        }
        if !semiring.follows_structure() {
            multiplied.iter().try_for_each(|m| self.refuse_other_fill(name, semiring, m))?;
        }
        if semiring.sums_truths() {
            for m in &mut multiplied {
                m.value = self.as_truth(m.value.clone(), span)?;
            }
        }
        let common = common_dtype(&multiplied);
        let mut product = self.multiply(semiring, &multiplied, common, span)?;
        if semiring.sums_truths() {
            product = self.as_truth(product, span)?;
        }
        let reduces = !variables.is_empty();
        let vars: Vec<_> = variables
            .iter()
            .filter_map(|v| match v {
                Syntax::Tensor(t) => self.index_named(&t.name.text),
                Syntax::Number(_) | Syntax::Op { .. } | Syntax::Apply { .. } => None,
            })
            .collect();
        let reduced = |c: &mut Self, op: &'static Operator, body: TypedExpr| match reduces {
            true => c.reduce_in_its_dtype(op, vars.clone(), body, span),
            false => Ok(body),
        };
        if semiring.is_any_pair() {
            let there = self.presence(semiring, &multiplied, span)?;
            let any = reduced(self, operator("or"), there)?;
            return self.choice(any, number(Scalar::I64(1)), number(Scalar::I64(0)), span);
        }
        let op = reduction(semiring, product.dtype);
        // Without variables nothing is reduced, and the name still has to mean something.
        self.check_reduces(op, product.dtype, span)?;
        let bits = semiring.sum.of == Of::Bits;
        let complemented = semiring.sum.over == SumRange::Complements && (bits || reduces);
        let zero = match complemented {
            true => Some(Scalar::zero(product.dtype)),
            false => semiring.zero(product.dtype),
        };
        let Some(zero) = zero else { return Ok(product) };
        let plain = self.says_nothing_itself(name, semiring, &multiplied, product.dtype);
        let mut value = if complemented { self.complement(product, span)? } else { product };
        if !plain {
            let there = self.presence(semiring, &multiplied, span)?;
            value = self.choice(there, value, number(zero), span)?;
        }
        let all = reduced(self, op, value)?;
        if complemented { self.complement(all, span) } else { Ok(all) }
    }

    /// Whether a number is not 0.
    fn as_truth(&mut self, value: TypedExpr, span: Span) -> Result<TypedExpr> {
        match value.dtype {
            DType::Bool => Ok(value),
            dtype => self.apply(operator("ne"), vec![value, number(Scalar::zero(dtype))], span),
        }
    }

    /// A sparse operand has what is nothing as its fill value.
    fn refuse_other_fill(&self, name: &Name, semiring: Semiring, m: &Multiplied) -> Result<()> {
        // What is computed is values.
        let (Syntax::Tensor(_), IndexExpr::Access(access)) = (m.written, &m.value.expr) else {
            return Ok(());
        };
        let fill = fill_of(&m.value.expr, &self.tensors);
        let (Some(fill), Some(absent)) = (fill, semiring.absent(m.value.dtype)) else { return Ok(()) };
        if fill.is_same(absent) {
            return Ok(());
        }
        let written = m.written;
        let message = format!(
            "`{written}` is {fill} where nothing is stored, which is a value to `{}`: to it, {absent} is nothing",
            name.text
        );
        let d = self.reject(FILL, message, written.span());
        let given = &self.tensors[access.tensor].given;
        let help = format!(
            "give it that fill value, as asarray({given}, fill_value={absent}) does, or a dense array"
        );
        Err(Error::rejection(d.help(help)))
    }

    /// Whether a product with nothing comes to nothing by itself, so that nothing has to be told apart.
    fn says_nothing_itself(
        &self,
        name: &Name,
        semiring: Semiring,
        factors: &[Multiplied],
        product: DType,
    ) -> bool {
        let all = |is: &dyn Fn(DType) -> bool| factors.iter().all(|m| is(m.value.dtype));
        let extreme = matches!(semiring.sum.reduction, "min" | "max");
        // The ends of integers are no infinities, and those of one dtype are not those of another.
        let ends = match semiring.product {
            _ if !extreme => true,
            SemiringProduct::Of(_, "min" | "max") => {
                all(&|d| d.kind() == DTypeKind::Float) || all(&|d| d == product)
            }
            _ => all(&|d| d.kind() == DTypeKind::Float),
        };
        let by_place = semiring.follows_structure() || matches!(semiring.product, SemiringProduct::At(..));
        let alone = factors.len() == 1
            && !by_place
            && semiring.has_one_nothing()
            && !matches!(semiring.product, SemiringProduct::One | SemiringProduct::Truths(_));
        alone || semiring::annihilates(&name.text) && ends
    }

    /// Whether every factor is there.
    fn presence(&mut self, semiring: Semiring, factors: &[Multiplied], span: Span) -> Result<TypedExpr> {
        let mut there: Option<TypedExpr> = None;
        for m in factors {
            let one = match (semiring.follows_structure(), semiring.absent(m.value.dtype)) {
                (true, _) => self.structure(std::slice::from_ref(m.written), span)?,
                (false, Some(absent)) => {
                    self.apply(operator("ne"), vec![m.value.clone(), number(absent)], span)?
                }
                // What has no order has no end.
                (false, None) => number(Scalar::Bool(true)),
            };
            there = Some(match there {
                None => one,
                Some(all) => self.apply(operator("and"), vec![all, one], span)?,
            });
        }
        Ok(there.unwrap_or(number(Scalar::Bool(true))))
    }

    /// The product of values that are there.
    fn multiply(
        &mut self,
        semiring: Semiring,
        factors: &[Multiplied],
        common: DType,
        span: Span,
    ) -> Result<TypedExpr> {
        let (first, last) = (&factors[0], &factors[factors.len() - 1]);
        let in_common = |c: &Self, m: &Multiplied| -> Result<TypedExpr> {
            Ok(TypedExpr::strong(c.convert(m.value.clone(), common, span)?, common))
        };
        let all = |c: &Self| factors.iter().map(|m| in_common(c, m)).collect::<Result<Vec<_>>>();
        match semiring.product {
            SemiringProduct::Of(_, op) => {
                let all = all(self)?;
                self.fold_factors(operator(op), all, span)
            }
            SemiringProduct::Swapped(op) => {
                let all = all(self)?;
                let op = operator(op);
                let mut all = all.into_iter();
                let first = all.next().unwrap_or(number(Scalar::zero(common)));
                all.try_fold(first, |a, b| self.apply(op, vec![b, a], span))
            }
            SemiringProduct::Compared(op) => {
                self.apply(operator(op), vec![first.value.clone(), last.value.clone()], span)
            }
            SemiringProduct::Is(op) => {
                let holds = self.apply(operator(op), vec![first.value.clone(), last.value.clone()], span)?;
                self.choice(holds, number(Scalar::one(common)), number(Scalar::zero(common)), span)
            }
            SemiringProduct::Truths(op) => {
                let mut truths = Vec::new();
                for m in factors {
                    let zero = number(Scalar::zero(m.value.dtype));
                    truths.push(self.apply(operator("ne"), vec![m.value.clone(), zero], span)?);
                }
                let holds = self.fold_factors(operator(op), truths, span)?;
                self.choice(holds, number(Scalar::one(common)), number(Scalar::zero(common)), span)
            }
            SemiringProduct::ComplementOfBits(op) => {
                let mut all = all(self)?.into_iter();
                let first = all.next().unwrap_or(number(Scalar::zero(common)));
                all.try_fold(first, |a, b| {
                    let together = self.apply(operator(op), vec![a, b], span)?;
                    self.complement(together, span)
                })
            }
            SemiringProduct::At(factor, mode, from) => {
                let written = match factor {
                    Factor::First => first.written,
                    Factor::Last => last.written,
                };
                self.coordinate(written, mode, from, span)
            }
            SemiringProduct::First => in_common(self, first),
            SemiringProduct::Second => in_common(self, last),
            SemiringProduct::One if semiring.sum.of == Of::Truth => Ok(number(Scalar::Bool(true))),
            SemiringProduct::One => Ok(number(Scalar::I64(1))),
        }
    }
    /// The coordinate of an element in a mode, counted from a number.
    fn coordinate(&mut self, written: &Syntax, mode: usize, from: &str, span: Span) -> Result<TypedExpr> {
        let from = Scalar::parse(from, DType::I64).unwrap_or(Scalar::I64(0));
        let v = match written {
            Syntax::Tensor(t) => {
                if let Some(position) = t.position(mode) {
                    let message = format!("`{position}` is no index of `{}`, but a value", t.name.text);
                    let d = self.reject(TYPE, message, position.span());
                    return Err(Error::rejection(d.help("write the value itself in place of the product")));
                }
                t.indices.get(mode).map(|v| self.index(v))
            }
            Syntax::Number(_) | Syntax::Op { .. } | Syntax::Apply { .. } => None,
        };
        match v {
            None => Ok(number(from)),
            Some(v) => {
                let place = TypedExpr::strong(IndexExpr::Index(v), DType::I64);
                match from.is_same(Scalar::I64(0)) {
                    true => Ok(place),
                    false => self.apply(operator("add"), vec![place, number(from)], span),
                }
            }
        }
    }
    fn fold_factors(&mut self, op: &'static Operator, all: Vec<TypedExpr>, span: Span) -> Result<TypedExpr> {
        let mut all = all.into_iter();
        let first = all.next().unwrap_or(number(Scalar::Bool(true)));
        all.try_fold(first, |a, b| self.apply(op, vec![a, b], span))
    }
    fn choice(
        &mut self,
        condition: TypedExpr,
        value: TypedExpr,
        other: TypedExpr,
        span: Span,
    ) -> Result<TypedExpr> {
        self.apply(operator("where"), vec![condition, value, other], span)
    }
    fn complement(&mut self, value: TypedExpr, span: Span) -> Result<TypedExpr> {
        self.apply(operator("not"), vec![value], span)
    }
}

/// NumPy's common dtype of the factors.
fn common_dtype(factors: &[Multiplied]) -> DType {
    let strong = factors.iter().map(|m| &m.value).filter(|v| !v.weak).map(|v| v.dtype).reduce(DType::promote);
    let met = factors.iter().map(|m| match strong {
        Some(d) if m.value.weak && adapts(m.value.dtype, d) => d,
        _ => m.value.dtype,
    });
    met.reduce(DType::promote).unwrap_or(DType::F64)
}

/// The operator that sums products of a dtype: a sum of truth values is one of them here, not their number.
fn reduction(semiring: Semiring, product: DType) -> &'static Operator {
    operator(match (semiring.sum.reduction, product) {
        ("sum" | "any", DType::Bool) => "or",
        ("prod" | "all", DType::Bool) => "and",
        ("sum", _) => "add",
        ("prod", _) => "mul",
        ("any", _) => "or",
        ("all", _) => "and",
        (name, _) => name,
    })
}

fn operator(name: &str) -> &'static Operator {
    Operator::find(name).unwrap_or_else(|| unreachable!("`{name}` of the tables is an operator"))
}

fn number(value: Scalar) -> TypedExpr {
    TypedExpr::strong(IndexExpr::Literal(value), value.dtype())
}

#[cfg(test)]
mod tests {
    use crate::{Decl, Decls, check, notation};
    use openwork_algebra::DType;
    use openwork_base::Source;
    use openwork_format::presets;

    /// The right side, with `A` of one dtype in csr with a fill value and `x` of another, dense.
    fn written_out(text: &str, a: DType, fill: &str, x: DType) -> Result<String, String> {
        let mut decls = Decls::default();
        for (name, dtype, rank) in [("A", a, 2), ("x", x, 1)] {
            let mut format = if rank == 2 { presets::csr() } else { presets::dense(1) };
            format.fill = (rank == 2).then(|| fill.into());
            let decl = Decl {
                dtype: Some(dtype),
                format: Some(format),
                shape: Some([3, 4][2 - rank..].to_vec()),
                ..Decl::default()
            };
            decls.tensors.insert(name.into(), decl);
        }
        let read = notation::parse(&Source::new("statement", text)).map_err(|e| e.to_string())?;
        let done = check(&read, &decls).map_err(|e| e.to_string())?.to_string();
        Ok(done.split_once(" = ").map_or(String::new(), |(_, rhs)| rhs.to_string()))
    }

    #[test]
    fn names_say_what_they_are() {
        use DType::{Bool, F32, F64, I8, I64};
        for (text, a, fill, x, wanted) in [
            ("y(i) = min_plus(j, A(i,j), x(j))", F64, "inf", F64, "min(j, A(i,j) + x(j))"),
            (
                "y(i) = min_plus(j, A(i,j), x(j))",
                I8,
                "127",
                I8,
                "min(j, where((A(i,j) != i8(127)) & (x(j) != i8(127)), A(i,j) + x(j), i8(127)))",
            ),
            ("y(i) = min_max(j, A(i,j), x(j))", I8, "127", I8, "min(j, max(A(i,j), x(j)))"),
            ("y(i) = plus_times(j, A(i,j), x(j))", Bool, "false", Bool, "any(j, A(i,j) * x(j))"),
            ("y(i) = lor_land(j, A(i,j), x(j))", Bool, "false", Bool, "any(j, A(i,j) & x(j))"),
            (
                "y(i) = plus_pair(j, A(i,j), x(j))",
                F32,
                "0",
                F64,
                "sum(j, where((A(i,j) != f32(0)) & (x(j) != 0.0), 1, 0))",
            ),
            (
                "y(i) = max_second(j, A(i,j), x(j))",
                I64,
                "-9223372036854775808",
                I64,
                "max(j, where((A(i,j) != i64(-9223372036854775808)) & (x(j) != i64(-9223372036854775808)), x(j), i64(-9223372036854775808)))",
            ),
            (
                "y(i) = any_pair(j, A(i,j), x(j))",
                F64,
                "0",
                F64,
                "where(any(j, (A(i,j) != 0.0) & (x(j) != 0.0)), 1, 0)",
            ),
            (
                "y(i) = min_secondi1(j, A(i,j), x(j))",
                F64,
                "inf",
                F64,
                "min(j, where((A(i,j) != f64(inf)) & (x(j) != f64(inf)), j + 1, 9223372036854775807))",
            ),
        ] {
            assert_eq!(written_out(text, a, fill, x).as_deref(), Ok(wanted), "{text} of {a}");
        }
        let refused = written_out("y(i) = min_plus(j, A(i,j), x(j))", F64, "0", F64).unwrap_err();
        assert!(refused.contains("E0218") && refused.contains("asarray(A, fill_value=inf)"), "{refused}");
    }
}
