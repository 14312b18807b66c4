//! Promises about a function, tested on samples: exactly on integers, within rounding on floats, NaN and infinities apart.

use super::Checker;
use super::samples::TestedFunction;
use crate::notation::Name;
use crate::notation::function::{Definition, FUNCTION, Promise, PromiseKind, SpaceSyntax};
use openwork_algebra::function::{self, FunctionStep, FunctionTerm, Local};
use openwork_algebra::operator::{At, IterationAlgebra, SpecialValue};
use openwork_algebra::{DType, Operator, Prim, Scalar, ScalarFunction};
use openwork_base::{Code, Diagnostic, Error, Result, Span};

/// A function is not what is said of it.
const BROKEN: Code = Code("E0216");

impl Checker<'_> {
    /// The operator of a function with what is said of it, which is tested the first time.
    ///
    /// # Errors
    /// `E0216` with arguments for which it is not so, `E0215` for a promise that no such function can keep.
    pub(crate) fn promised_operator(
        &self,
        f: &Definition,
        function: ScalarFunction,
        call: Span,
    ) -> Result<&'static Operator> {
        let key = format!("{} {function:?}", f.text);
        function::operator(key, || self.test_promises(f, function, call))
    }
    fn test_promises(
        &self,
        f: &Definition,
        function: ScalarFunction,
        call: Span,
    ) -> Result<(ScalarFunction, Operator)> {
        let mut plain = Operator::promising_nothing(Prim::Add);
        plain.space_kind = function.dtype.kind();
        let of = TestedFunction::new(&f.name.text, &function, self.named_by(f, function.dtype)?);
        let mut decided: Vec<(PromiseTest, Scalar)> = Vec::new();
        let mut distributes: Vec<&'static str> = Vec::new();
        for promise in &f.promises {
            let broken = |why: String| {
                let d = Diagnostic::new(
                    BROKEN,
                    format!("`{}` is not {}: {why}", f.name.text, promise_text(promise)),
                );
                let d = d.point_at(self.source, promise.span, "").note(call, "called here");
                Error::rejection(d.help("say only what holds for all arguments"))
            };
            self.binary(f, &function, promise)?;
            match &promise.kind {
                PromiseKind::Commutative => {
                    of.commutes().map_err(&broken)?;
                    plain.commutative = true;
                }
                PromiseKind::Associative => {
                    of.associates().map_err(&broken)?;
                    plain.associative = true;
                }
                PromiseKind::Idempotent => {
                    of.repeats().map_err(&broken)?;
                    plain.idempotent = true;
                }
                PromiseKind::Identity(v, n) => {
                    let value = self.value_of(v, function.dtype)?;
                    of.leaves(value, *n).map_err(&broken)?;
                    plain.identity = Some((SpecialValue::Given(value), to_position(*n)));
                }
                PromiseKind::Annihilator(v, n) => {
                    let value = self.value_of(v, function.dtype)?;
                    let sure = of.decides(value, *n).map_err(&broken)?;
                    plain.annihilator = Some((SpecialValue::Given(value), to_position(*n)));
                    decided.extend((!sure).then_some((PromiseTest::Is(*n), value)));
                }
                PromiseKind::Distributes(over) => {
                    let over = self.reduced_by(over, function.dtype)?;
                    of.distributes(over).map_err(&broken)?;
                    distributes.push(over.name);
                }
                PromiseKind::Space(space) => {
                    let space = self.space(space, function.dtype)?;
                    let Some((outside, sure)) = of.outside_value(&space).map_err(&broken)? else { continue };
                    plain.space = Some((space, SpecialValue::Given(outside)));
                    decided.extend((!sure).then_some((PromiseTest::Outside(space), outside)));
                }
            }
        }
        // What leaves the other argument as it is does so on either side.
        plain.identity = plain.identity.map(|(v, at)| (v, if plain.commutative { At::Any } else { at }));
        // As functions, they are few and stay.
        plain.distributes = if distributes.is_empty() { &[] } else { distributes.leak() };
        let function = decided.into_iter().fold(function, |f, (test, value)| add_decision(f, test, value));
        Ok((function, plain))
    }

    /// Some promises are about functions of two arguments that have a value of their dtype.
    fn binary(&self, f: &Definition, function: &ScalarFunction, promise: &Promise) -> Result<()> {
        let closed = function.result == function.dtype;
        let (arguments, own) = match promise.kind {
            PromiseKind::Commutative => (true, false),
            PromiseKind::Associative | PromiseKind::Idempotent | PromiseKind::Identity(..) => (true, true),
            PromiseKind::Annihilator(..) | PromiseKind::Distributes(_) => (false, true),
            PromiseKind::Space(_) => (false, false),
        };
        let several = matches!(promise.kind, PromiseKind::Distributes(_)) && function.arity > 2;
        let message = if several {
            format!("only a function of one or two arguments can be {}", promise_text(promise))
        } else if arguments && function.arity != 2 {
            format!("only a function of two arguments can be {}", promise_text(promise))
        } else if own && !closed {
            format!(
                "`{}` takes {} and gives {}, so it cannot be {}",
                f.name.text,
                function.dtype,
                function.result,
                promise_text(promise)
            )
        } else {
            return Ok(());
        };
        Err(Error::rejection(self.reject(FUNCTION, message, promise.span)))
    }
    /// The operator of a reduction.
    fn reduced_by(&self, name: &Name, dtype: DType) -> Result<&'static Operator> {
        Operator::find(&name.text).filter(|op| op.reduces(dtype)).ok_or_else(|| {
            let message = format!("`{}` does not reduce {dtype}, so nothing distributes over it", name.text);
            Error::rejection(self.reject(FUNCTION, message, name.span))
        })
    }
    fn value_of(&self, v: &Name, dtype: DType) -> Result<Scalar> {
        Scalar::parse(&v.text, dtype).ok_or_else(|| {
            let message = format!("`{}` is no {dtype}, and the function is called with such values", v.text);
            Error::rejection(self.reject(FUNCTION, message, v.span))
        })
    }
    fn space(&self, s: &SpaceSyntax, dtype: DType) -> Result<IterationAlgebra> {
        // As functions, they are few and stay.
        let kept = |s: &SpaceSyntax| {
            self.space(s, dtype).map(|s| -> &'static IterationAlgebra { Box::leak(Box::new(s)) })
        };
        Ok(match s {
            SpaceSyntax::Arg(n, v) => {
                IterationAlgebra::Arg(*n, SpecialValue::Given(self.value_of(v, dtype)?))
            }
            SpaceSyntax::Not(a) => IterationAlgebra::Not(kept(a)?),
            SpaceSyntax::And(a, b) => IterationAlgebra::And(kept(a)?, kept(b)?),
            SpaceSyntax::Or(a, b) => IterationAlgebra::Or(kept(a)?, kept(b)?),
        })
    }
    /// The values that promises name.
    fn named_by(&self, f: &Definition, dtype: DType) -> Result<Vec<Scalar>> {
        let mut all = Vec::new();
        for promise in &f.promises {
            match &promise.kind {
                PromiseKind::Identity(v, _) | PromiseKind::Annihilator(v, _) => {
                    all.push(self.value_of(v, dtype)?);
                }
                PromiseKind::Space(s) => self.collect_scalars(s, dtype, &mut all)?,
                PromiseKind::Commutative | PromiseKind::Associative | PromiseKind::Idempotent => {}
                PromiseKind::Distributes(_) => {}
            }
        }
        Ok(all)
    }
    fn collect_scalars(&self, s: &SpaceSyntax, dtype: DType, all: &mut Vec<Scalar>) -> Result<()> {
        match s {
            SpaceSyntax::Arg(_, v) => all.push(self.value_of(v, dtype)?),
            SpaceSyntax::Not(a) => self.collect_scalars(a, dtype, all)?,
            SpaceSyntax::And(a, b) | SpaceSyntax::Or(a, b) => {
                self.collect_scalars(a, dtype, all)?;
                self.collect_scalars(b, dtype, all)?;
            }
        }
        Ok(())
    }
}

fn to_position(param: Option<usize>) -> At {
    param.map_or(At::Any, At::Arg)
}

fn promise_text(promise: &Promise) -> String {
    match &promise.kind {
        PromiseKind::Commutative => "commutative".into(),
        PromiseKind::Associative => "associative".into(),
        PromiseKind::Idempotent => "idempotent".into(),
        PromiseKind::Identity(v, _) => format!("the other argument beside {}", v.text),
        PromiseKind::Annihilator(v, _) => format!("decided by {}", v.text),
        PromiseKind::Distributes(over) => format!("one that distributes over {}", over.text),
        PromiseKind::Space(_) => "one value outside of where it is said to be another".into(),
    }
}

/// Where a promise decides the value.
enum PromiseTest {
    /// Where an argument is a value.
    Is(Option<usize>),
    /// Outside of an algebra.
    Outside(IterationAlgebra),
}

/// The function with a value that something decides.
fn add_decision(f: ScalarFunction, test: PromiseTest, value: Scalar) -> ScalarFunction {
    let test = match test {
        PromiseTest::Is(Some(n)) => is(n, value),
        PromiseTest::Is(None) => (0..f.arity)
            .map(|n| is(n, value))
            .reduce(|a, b| FunctionTerm::Call(Prim::Or, vec![a, b]))
            .unwrap_or(FunctionTerm::Const(Scalar::Bool(false))),
        PromiseTest::Outside(space) => FunctionTerm::Call(Prim::Not, vec![inside_test(&space, f.dtype)]),
    };
    let value = FunctionTerm::Const(value);
    if f.is_plain() {
        let value = FunctionTerm::Call(Prim::Select, vec![test, value, f.value]);
        return ScalarFunction { value, ..f };
    }
    let mut locals = f.locals;
    let made = locals.len();
    locals.push(Local { name: "value".into(), dtype: f.result });
    let mut steps = f.steps;
    steps.push(FunctionStep::Set(made, f.value));
    let steps = vec![FunctionStep::Let(made, value), FunctionStep::If(test, Vec::new(), steps)];
    ScalarFunction { locals, steps, value: FunctionTerm::Local(made), ..f }
}

/// Whether a parameter is a value.
fn is(n: usize, value: Scalar) -> FunctionTerm {
    match value.is_nan() {
        true => FunctionTerm::Call(Prim::Ne, vec![FunctionTerm::Local(n), FunctionTerm::Local(n)]),
        false => FunctionTerm::Call(Prim::Eq, vec![FunctionTerm::Local(n), FunctionTerm::Const(value)]),
    }
}

fn inside_test(space: &IterationAlgebra, dtype: DType) -> FunctionTerm {
    let both = |prim, a: &IterationAlgebra, b: &IterationAlgebra| {
        FunctionTerm::Call(prim, vec![inside_test(a, dtype), inside_test(b, dtype)])
    };
    match space {
        IterationAlgebra::Arg(n, base) => match base.to_scalar(dtype) {
            Some(base) => FunctionTerm::Call(Prim::Not, vec![is(*n, base)]),
            None => FunctionTerm::Const(Scalar::Bool(true)),
        },
        IterationAlgebra::Not(a) => FunctionTerm::Call(Prim::Not, vec![inside_test(a, dtype)]),
        IterationAlgebra::And(a, b) => both(Prim::And, a, b),
        IterationAlgebra::Or(a, b) => both(Prim::Or, a, b),
    }
}
