//! Dtypes of expressions: NumPy promotion, with literals that adapt to their neighbours.

use super::{Checker, LITERAL, NARROWING, REDUCED, TYPE, compare};
use crate::expr::{IndexExpr, IndexId, TensorId, TensorVar};
use crate::fold::fold;
use crate::notation::habits::instead_of_operator;
use crate::notation::parse::{dtype_name, reduction};
use crate::notation::{CLIP, EXTREME_PLACES, Name, PADDED, STRUCTURE, Syntax, semiring};
use openwork_algebra::{DType, DTypeKind, Operator, Prim, Scalar};
use openwork_base::{Arena, Error, Result, Span};

/// A typed expression; `weak` when it is made of literals only and may still take another dtype of its kind.
#[derive(Clone, Debug)]
pub(crate) struct TypedExpr {
    pub(crate) expr: IndexExpr,
    pub(crate) dtype: DType,
    pub(crate) weak: bool,
}

impl TypedExpr {
    pub(crate) fn strong(expr: IndexExpr, dtype: DType) -> TypedExpr {
        TypedExpr { expr, dtype, weak: false }
    }
}

impl Checker<'_> {
    /// Types an expression as written; reductions by name become [`IndexExpr::Reduce`].
    pub(crate) fn type_expr(&mut self, e: &Syntax) -> Result<TypedExpr> {
        match e {
            Syntax::Number(n) => self.literal(n),
            Syntax::Tensor(t) if self.in_body() => self.local(t),
            Syntax::Tensor(t) => {
                if let Some(v) = self.index_named(&t.name.text).filter(|_| t.bare) {
                    let value = self.placed_value(v).unwrap_or(IndexExpr::Index(v));
                    return Ok(TypedExpr::strong(value, DType::I64));
                }
                let access = self.access(t)?;
                let dtype = self.tensors[access.tensor].dtype;
                Ok(TypedExpr::strong(IndexExpr::Access(access), dtype))
            }
            Syntax::Op { op, args, span } => {
                let args = args.iter().map(|a| self.type_expr(a)).collect::<Result<_>>()?;
                self.apply(op, args, *span)
            }
            Syntax::Apply { name, args, span } => self.function(name, args, *span),
        }
    }

    fn literal(&self, n: &Name) -> Result<TypedExpr> {
        let (dtype, weak) = match n.text.as_str() {
            "true" | "false" => (DType::Bool, false),
            "inf" | "nan" => (DType::F64, true),
            t if t.contains(['.', 'e', 'E']) => (DType::F64, true),
            t if Scalar::parse(t, DType::I64).is_none() => (DType::U64, true),
            _ => (DType::I64, true),
        };
        match Scalar::parse(&n.text, dtype) {
            Some(value) => Ok(TypedExpr { expr: IndexExpr::Literal(value), dtype, weak }),
            None => Err(Error::rejection(self.reject(
                LITERAL,
                format!("`{}` is no number we can hold", n.text),
                n.span,
            ))),
        }
    }

    /// `min(j, e)` reduces when `j` is an index variable; otherwise the name is a function of values.
    fn function(&mut self, name: &Name, args: &[Syntax], span: Span) -> Result<TypedExpr> {
        if let (Some(to), [arg]) = (dtype_name(&name.text), args) {
            let arg = self.type_expr(arg)?;
            let expr =
                if arg.dtype == to { arg.expr } else { IndexExpr::Cast { to, arg: Box::new(arg.expr) } };
            return Ok(TypedExpr::strong(expr, to));
        }
        self.refuse_tensor_as_function(name)?;
        if let (CLIP, [value, bounds @ ..]) = (name.text.as_str(), args)
            && self.find_definition(&name.text).is_none()
        {
            return self.type_clip(value, bounds, span);
        }
        if name.text == STRUCTURE {
            return self.structure(args, span);
        }
        if name.text == PADDED {
            return self.pad_access(args, span);
        }
        if let (None, Some(semiring)) = (self.find_definition(&name.text), semiring::parts(&name.text)) {
            return self.semiring(name, semiring, args, span);
        }
        let leading = args.iter().take(args.len().saturating_sub(1));
        let vars: Vec<Option<IndexId>> = leading
            .map(|a| match a {
                Syntax::Tensor(t) if t.bare => self.index_named(&t.name.text),
                _ => None,
            })
            .collect();
        let all_vars: Option<Vec<IndexId>> = vars.iter().copied().collect();
        let hidden = self.hide_placed(all_vars.as_deref().unwrap_or(&[]));
        let typed = self.reduction_or_function(name, args, all_vars, span);
        self.placed.extend(hidden);
        typed
    }
    fn reduction_or_function(
        &mut self,
        name: &Name,
        args: &[Syntax],
        all_vars: Option<Vec<IndexId>>,
        span: Span,
    ) -> Result<TypedExpr> {
        let own = self.find_definition(&name.text);
        if own.is_none() && EXTREME_PLACES.contains(&name.text.as_str()) {
            return self.place_of_extreme(name, args, all_vars.as_deref(), span);
        }
        if let Some(function) = own {
            return match all_vars.filter(|vars| !vars.is_empty() && function.reduces()) {
                Some(vars) => {
                    let body = self.type_expr(&args[args.len() - 1])?;
                    let op = self.instance(&function, body.dtype, span)?;
                    self.reduce(op, vars, body, span)
                }
                None => self.call(&function, args, span),
            };
        }
        match (reduction(&name.text), all_vars) {
            (Some(op), Some(vars)) if !vars.is_empty() => {
                let body = self.type_expr(&args[args.len() - 1])?;
                self.reduce(op, vars, body, span)
            }
            _ => self.apply_named(name, args, span),
        }
    }

    /// A function of values that is an operator.
    fn apply_named(&mut self, name: &Name, args: &[Syntax], span: Span) -> Result<TypedExpr> {
        match Operator::of_language(&name.text) {
            Some(op) if op.arity() == args.len() => {
                let args = args.iter().map(|a| self.type_expr(a)).collect::<Result<_>>()?;
                self.apply(op, args, span)
            }
            // `max(a, b, c)` is `max(max(a, b), c)`.
            Some(op) if op.associative && args.len() > 2 => {
                let mut args = args.iter();
                let first = self.type_expr(args.next().expect("more than two"))?;
                args.try_fold(first, |left, right| {
                    let right = self.type_expr(right)?;
                    self.apply(op, vec![left, right], span)
                })
            }
            Some(op) => {
                let (takes, given) = (op.arity(), args.len());
                let message = format!("`{}` takes {takes} arguments, got {given}", name.text);
                Err(Error::rejection(self.reject(TYPE, message, span)))
            }
            None if dtype_name(&name.text).is_some() => {
                let message = format!("`{}` converts 1 argument, got {}", name.text, args.len());
                Err(Error::rejection(self.reject(TYPE, message, span)))
            }
            None => {
                let d = self.reject(REDUCED, format!("`{}` reduces over index variables", name.text), span);
                Err(Error::rejection(d.help(format!("write `{}(j, A(i,j))`", name.text))))
            }
        }
    }

    /// `clip(x, low, high)`: bounds that the dtype of `x` does not hold are its ends.
    fn type_clip(&mut self, value: &Syntax, bounds: &[Syntax], span: Span) -> Result<TypedExpr> {
        let mut all = vec![self.type_expr(value)?];
        for bound in bounds {
            all.push(self.type_expr(bound)?);
        }
        let strong = all.iter().filter(|a| !a.weak).map(|a| a.dtype).reduce(DType::promote);
        if let Some(to) = strong.filter(|d| d.is_int()) {
            all.iter_mut().filter(|a| a.weak).for_each(|a| draw_into(a, to));
        }
        let mut all = all.into_iter();
        let first = all.next().expect("a value and bounds");
        all.zip(["max", "min"]).try_fold(first, |value, (bound, name)| {
            let op = Operator::find(name).expect("extremes are operators");
            self.apply(op, vec![value, bound], span)
        })
    }

    fn reduce(
        &mut self,
        op: &'static Operator,
        vars: Vec<IndexId>,
        body: TypedExpr,
        span: Span,
    ) -> Result<TypedExpr> {
        let body = count_truths(op, body);
        self.reduce_in_its_dtype(op, vars, body, span)
    }
    /// A reduction in the dtype of what it reduces, also where that has truth values.
    pub(super) fn reduce_in_its_dtype(
        &mut self,
        op: &'static Operator,
        vars: Vec<IndexId>,
        body: TypedExpr,
        span: Span,
    ) -> Result<TypedExpr> {
        let varying = self.varying_variables(&body.expr);
        for (n, v) in vars.iter().enumerate() {
            let name = self.indices[*v].name.clone();
            if vars[..n].contains(v) || !varying.contains(v) {
                let message =
                    format!("`{name}` cannot be reduced here: it must appear in the body, once reduced");
                return Err(Error::rejection(self.reject(REDUCED, message, span)));
            }
        }
        let op = of_truths(op, &[body.dtype]);
        self.check_reduces(op, body.dtype, span)?;
        let op = self.arithmetic(op, body.dtype);
        let (reduced, positions) = self.reduce_positions(op, body.expr);
        let vars = [vars, positions].concat();
        let expr = match reduced {
            // However it is written, a sum of sums is one.
            IndexExpr::Reduce { op: inner, vars: inside, body } if inner == op => {
                let all = if op.is_ordered() { [vars, inside] } else { [inside, vars] };
                IndexExpr::Reduce { op, vars: all.concat(), body }
            }
            body => IndexExpr::Reduce { op, vars, body: Box::new(body) },
        };
        Ok(TypedExpr::strong(expr, body.dtype))
    }
    pub(crate) fn check_reduces(&self, op: &Operator, dtype: DType, span: Span) -> Result<()> {
        if op.reduces(dtype) {
            return Ok(());
        }
        let message = format!("`{}` cannot reduce values of dtype {dtype}", op.name);
        let refused = self.reject(TYPE, message, span);
        // Of arguments they are converted, as of NumPy's functions.
        let floats = !dtype.is_float() && !dtype.is_complex() && op.reduces(DType::F64);
        let help = || {
            format!(
                "it reduces floats: convert what it reduces, `f64(…)`, as `{}` of two arguments does",
                op.name
            )
        };
        Err(Error::rejection(if floats { refused.help(help()) } else { refused }))
    }

    /// Applies an operator: arguments meet in one dtype by NumPy's rules; literals follow the others.
    pub(crate) fn apply(
        &mut self,
        op: &'static Operator,
        mut args: Vec<TypedExpr>,
        span: Span,
    ) -> Result<TypedExpr> {
        if let (Prim::Neg, [TypedExpr { expr: IndexExpr::Literal(Scalar::U64(n)), weak: true, .. }]) =
            (op.prim, &args[..])
        {
            return self.negate_literal(*n, span);
        }
        if op.prim.is_comparison() {
            compare::keep_values(&mut args);
            args = match compare::compare_mixed(op, args) {
                Ok(compared) => return Ok(compared),
                Err(args) => args,
            };
        }
        let meeting = &args[op.dtype_arguments()];
        let strong: Vec<DType> = meeting.iter().filter(|a| !a.weak).map(|a| a.dtype).collect();
        let weak = strong.is_empty();
        let mut dtypes = strong;
        for arg in meeting.iter().filter(|a| a.weak) {
            let widest = dtypes.iter().copied().reduce(DType::promote);
            match widest {
                Some(d) if adapts(arg.dtype, d) => {}
                _ => dtypes.push(arg.dtype),
            }
        }
        let op = of_truths(op, &dtypes);
        let Some((meet, result)) = op.types(&dtypes) else {
            let shown: Vec<String> = dtypes.iter().map(DType::to_string).collect();
            let spelled = if op.name == "neg" { "-" } else { op.symbol.unwrap_or(op.name) };
            let message = format!("`{spelled}` is not defined for {}", shown.join(" and "));
            let d = self.reject(TYPE, message, span);
            let truths = dtypes.iter().all(|d| *d == DType::Bool);
            return Err(Error::rejection(match instead_of_operator(spelled, truths) {
                Some(help) => d.help(help),
                None => d,
            }));
        };
        let taken = args.into_iter().enumerate().map(|(n, a)| self.convert(a, op.takes(n, meet), span));
        let args = taken.collect::<Result<_>>()?;
        let expr = IndexExpr::Call { op: self.arithmetic(op, meet), args };
        // A number has its sign before it meets a dtype.
        let expr = if weak { fold(expr) } else { expr };
        Ok(TypedExpr { expr, dtype: result, weak })
    }

    /// Minus a literal beyond the largest signed number.
    fn negate_literal(&self, n: u64, span: Span) -> Result<TypedExpr> {
        if n == 1 << 63 {
            return Ok(TypedExpr {
                expr: IndexExpr::Literal(Scalar::I64(i64::MIN)),
                dtype: DType::I64,
                weak: true,
            });
        }
        Err(Error::rejection(self.reject(LITERAL, format!("`-{n}` is no number we can hold"), span)))
    }

    /// Converts to a dtype that the value can take without loss of kind.
    pub(crate) fn convert(&self, value: TypedExpr, to: DType, span: Span) -> Result<IndexExpr> {
        if value.dtype == to {
            return Ok(value.expr);
        }
        if let IndexExpr::Literal(s) = value.expr {
            let cast = s.cast(to);
            // Within 64 bits, a number comes back from a dtype that has it for another one.
            let same_side = !(to.is_int() && s.dtype().is_int()) || wide(cast) == wide(s);
            let kept = to.kind() >= DTypeKind::Float || cast.cast(s.dtype()).is_same(s) && same_side;
            if !kept {
                let message = format!("the number {s} does not fit the dtype {to}");
                return Err(Error::rejection(self.reject(LITERAL, message, span)));
            }
            return Ok(IndexExpr::Literal(cast));
        }
        // A choice between numbers is one of them, each of which has to fit.
        if let (true, IndexExpr::Call { op, args }) = (value.weak, &value.expr)
            && let (Prim::Select, [condition, yes, no]) = (op.prim, &args[..])
        {
            let [yes, no] = [yes, no].map(|e| {
                self.convert(TypedExpr { expr: e.clone(), dtype: value.dtype, weak: true }, to, span)
            });
            return Ok(IndexExpr::Call { op, args: vec![condition.clone(), yes?, no?] });
        }
        Ok(IndexExpr::Cast { to, arg: Box::new(value.expr) })
    }

    /// Converts the value of a statement to the dtype of its result. A reduction is carried out in that dtype.
    pub(crate) fn coerce_result(&self, value: TypedExpr, to: DType, span: Span) -> Result<IndexExpr> {
        let fits = value.dtype.casts_to(to) || (value.weak && adapts(value.dtype, to));
        if !fits {
            let message =
                format!("a value of dtype {} cannot be stored as {to} without losing its kind", value.dtype);
            let d = self.reject(NARROWING, message, span);
            let help = match to {
                DType::Bool if value.dtype.kind() < DTypeKind::Float => {
                    "declare the result as i64, or write any(…), for whether one of them is true, or |=, which takes truth values"
                }
                _ => "declare the result with a wider dtype",
            };
            return Err(Error::rejection(d.help(help)));
        }
        if value.dtype == to {
            return Ok(value.expr);
        }
        match value.expr {
            IndexExpr::Reduce { op, vars, body } if op.reduces(to) => {
                let body = self.coerce_reduced(op, *body, to, span)?;
                Ok(IndexExpr::Reduce { op, vars, body: Box::new(body) })
            }
            expr => self.convert(TypedExpr { expr, ..value }, to, span),
        }
    }
    /// What is reduced, in another dtype. At other coordinates than a position it is what changes nothing in that.
    fn coerce_reduced(
        &self,
        op: &'static Operator,
        body: IndexExpr,
        to: DType,
        span: Span,
    ) -> Result<IndexExpr> {
        match body {
            IndexExpr::Call { op: mask, args } if mask.is_mask() && args[0].says_positions(&self.indices) => {
                let value = self.coerce_reduced(op, args[1].clone(), to, span)?;
                let idle = op.identity_at(1, to).unwrap_or(Scalar::zero(to));
                Ok(IndexExpr::Call { op: mask, args: vec![args[0].clone(), value, IndexExpr::Literal(idle)] })
            }
            body => {
                let body = strip_count(body, &self.tensors);
                let dtype = body.dtype(&self.tensors);
                self.convert(TypedExpr { expr: body, dtype, weak: false }, to, span)
            }
        }
    }
}

/// The value of an integer, whatever its dtype.
fn wide(s: Scalar) -> i128 {
    match s {
        Scalar::U64(n) => i128::from(n),
        s => i128::from(s.as_i64()),
    }
}

/// An integer that a dtype of integers does not hold becomes the end of the dtype on its side.
fn draw_into(bound: &mut TypedExpr, to: DType) {
    let IndexExpr::Literal(s) = bound.expr else { return };
    let (Some(low), Some(high)) = (Scalar::lowest(to), Scalar::highest(to)) else { return };
    if s.dtype().is_int() && wide(s) < wide(low) {
        *bound = TypedExpr::strong(IndexExpr::Literal(low), to);
    } else if s.dtype().is_int() && wide(s) > wide(high) {
        *bound = TypedExpr::strong(IndexExpr::Literal(high), to);
    }
}

/// The operator on these dtypes. No truth value is NaN, so that the smaller number of two is the smaller value: one itself, as in
/// NumPy, where other functions take truth values for numbers. The first that is true is one of them.
pub(super) fn of_truths(op: &'static Operator, dtypes: &[DType]) -> &'static Operator {
    let plain = match op.name {
        "fmin" => "min",
        "fmax" => "max",
        "choose" => "or",
        _ => return op,
    };
    let all = dtypes.iter().all(|&d| d == DType::Bool);
    Operator::find(plain).filter(|_| all).unwrap_or(op)
}

/// What a sum or product reduces: truth values are numbers, as in NumPy.
pub(crate) fn count_truths(op: &Operator, body: TypedExpr) -> TypedExpr {
    match (op.prim, body.dtype) {
        (Prim::Add | Prim::Mul, DType::Bool) => {
            let expr = IndexExpr::Cast { to: DType::I64, arg: Box::new(body.expr) };
            TypedExpr::strong(expr, DType::I64)
        }
        _ => body,
    }
}

/// The truth values that a reduction counts, which the dtype of a result takes as they are.
fn strip_count(body: IndexExpr, tensors: &Arena<TensorId, TensorVar>) -> IndexExpr {
    match body {
        IndexExpr::Cast { to: DType::I64, arg } if arg.dtype(tensors) == DType::Bool => *arg,
        body => body,
    }
}

/// Whether a literal of dtype `literal` takes the dtype of its neighbour `other` instead of promoting it.
pub(crate) fn adapts(literal: DType, other: DType) -> bool {
    match literal.kind() {
        DTypeKind::Float => other.kind() >= DTypeKind::Float,
        _ => other.kind() >= DTypeKind::Unsigned,
    }
}
