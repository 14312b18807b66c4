//! Functions that a statement defines: what a call of one becomes.
//!
//! A function that is an expression, and of which nothing is promised, is written out where it is called: the coordinates
//! that it has to be visited at, the rest of it in a region, and its annihilators follow from the operators in it. Any other
//! is an operator, made for the dtype in which its arguments meet, whose code is [`openwork_algebra::ScalarFunction`].

use super::types::{TypedExpr, adapts};
use super::{Checker, Decls, UNKNOWN};
use crate::expr::{Access, Holds, IndexExpr, TensorKind, TensorVar};
use crate::notation::function::{BlockValue, BodyBlock, BodyStep, Definition, FUNCTION};
use crate::notation::parse::dtype_name;
use crate::notation::{Name, Syntax, TensorRef};
use openwork_algebra::function::{self, FunctionTerm, Local};
use openwork_algebra::{DType, Operator, Prim, Scalar, ScalarFunction};
use openwork_base::cancel::look;
use openwork_base::names::meant_or;
use openwork_base::{Arena, Code, Error, Id, Result, Span};
use openwork_format::presets;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The largest expression that stands where a function is called; beyond, it is called.
pub(super) const NODES: usize = 500;
/// The largest function that there is code of, with all that it calls.
const LARGEST: usize = 20_000;
/// A function that is too large.
pub(super) const LARGE: Code = Code("E0609");

/// What the names in a body mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyScope {
    names: BTreeMap<String, TypedExpr>,
    /// How many of the locals are parameters: the first ones.
    parameters: usize,
    /// The dtype that numbers take where nothing else says one.
    meet: Option<DType>,
}

/// A definition, known by its address, and the dtype in which its arguments meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DefinitionKey {
    address: usize,
    meet: DType,
}

/// What was found of functions, each by where its definition is, for the dtype in which its arguments meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionFacts {
    operators: BTreeMap<DefinitionKey, &'static Operator>,
    /// The sizes of arguments with which it was too large to be written out.
    large: BTreeMap<DefinitionKey, Vec<usize>>,
}

/// The same for all that is read of one statement.
pub(crate) type SharedFacts = Rc<RefCell<FunctionFacts>>;

impl FunctionFacts {
    /// Whether a function is too large with arguments that are smaller than these.
    fn is_too_large(&self, key: DefinitionKey, sizes: &[usize]) -> bool {
        let smaller = |of: &Vec<usize>| of.len() == sizes.len() && of.iter().zip(sizes).all(|(a, b)| a <= b);
        self.large.get(&key).is_some_and(smaller)
    }
}

/// The value of a block, and what is done before.
type Done = (Vec<function::FunctionStep>, TypedExpr);

impl Checker<'_> {
    pub(crate) fn in_body(&self) -> bool {
        self.scope.is_some()
    }
    /// The function that is called `name`, if the statement defines one.
    pub(crate) fn find_definition(&self, name: &str) -> Option<Arc<Definition>> {
        self.functions.iter().find(|f| f.name.text == name).cloned()
    }
    /// A name in a body.
    pub(crate) fn local(&self, t: &TensorRef) -> Result<TypedExpr> {
        let names = self.scope.as_ref().map(|s| &s.names);
        let found = names.and_then(|n| n.get(&t.name.text)).filter(|_| t.bare);
        found.cloned().ok_or_else(|| {
            let name = &t.name.text;
            let message = if t.bare {
                format!("there is no `{name}` in this function")
            } else {
                format!("there is no function `{name}`, and a function knows no tensor but what it is called with")
            };
            let known = names.into_iter().flatten().map(|(name, _)| name.as_str());
            let help = "a function knows its parameters, what it defines with `let`, and functions that are defined before it";
            Error::rejection(self.reject(UNKNOWN, message, t.span).help(meant_or(name, known, help)))
        })
    }

    /// A call of a function that the statement defines.
    pub(crate) fn call(&mut self, f: &Definition, args: &[Syntax], span: Span) -> Result<TypedExpr> {
        let args = args.iter().map(|a| self.type_expr(a)).collect::<Result<Vec<_>>>()?;
        let folded = f.params.len() == 2 && args.len() > 2 && f.reduces();
        if args.len() != f.params.len() && !folded {
            let message = format!("`{}` takes {} arguments, got {}", f.name.text, f.params.len(), args.len());
            return Err(Error::rejection(self.reject(super::TYPE, message, span)));
        }
        let strong = args.iter().filter(|a| !a.weak).map(|a| a.dtype).reduce(DType::promote);
        let all = args.iter().map(|a| match strong {
            Some(d) if a.weak && adapts(a.dtype, d) => d,
            _ => a.dtype,
        });
        let meet = all.reduce(DType::promote).expect("there are arguments");
        let args = args.into_iter().map(|a| self.convert(a, meet, span)).collect::<Result<Vec<_>>>()?;
        if f.is_expression()
            && let Some(value) = self.written_out(f, &args, meet, span)?
        {
            return Ok(value);
        }
        let op = self.instance(f, meet, span)?;
        let result = op.prim.result(meet).unwrap_or(meet);
        if !folded {
            return Ok(TypedExpr::strong(IndexExpr::Call { op, args }, result));
        }
        let all = args.into_iter().reduce(|a, b| IndexExpr::Call { op, args: vec![a, b] });
        Ok(TypedExpr::strong(all.expect("there are arguments"), result))
    }

    /// The body with arguments in place of parameters; nothing if that is too large, or computes a reduction twice.
    fn written_out(
        &mut self,
        f: &Definition,
        args: &[IndexExpr],
        meet: DType,
        span: Span,
    ) -> Result<Option<TypedExpr>> {
        look();
        let key = DefinitionKey { address: std::ptr::from_ref(f).addr(), meet };
        let sizes: Vec<(usize, usize)> = args.iter().map(size).collect();
        let (before, after) =
            sizes.iter().fold((0, 0), |(n, r), (nodes, reductions)| (n + nodes, r + reductions));
        let each: Vec<usize> = sizes.into_iter().map(|(nodes, _)| nodes).collect();
        if 2 * before <= NODES && self.known.borrow().is_too_large(key, &each) {
            return Ok(None);
        }
        let typed = args.iter().map(|a| TypedExpr::strong(a.clone(), meet));
        let names = f.params.iter().map(|p| p.text.clone()).zip(typed).collect();
        let scope = Some(BodyScope { names, meet: Some(meet), parameters: 0 });
        let (outer, functions) = (
            std::mem::replace(&mut self.scope, scope),
            std::mem::replace(&mut self.functions, f.known.clone()),
        );
        let outer_is_large = std::mem::take(&mut self.large);
        let value = self.expression(&f.body).and_then(|value| self.settle_value(value, f.name.span));
        (self.scope, self.functions) = (outer, functions);
        let large = std::mem::replace(&mut self.large, outer_is_large);
        let value = value?;
        let (nodes, reductions) = size(&value.expr);
        self.refuse_large(&f.name.text, expanded_size(&value.expr) - nodes, span)?;
        if large || nodes > NODES.max(2 * before) {
            self.known.borrow_mut().large.entry(key).or_insert(each);
            return Ok(None);
        }
        Ok((reductions <= after).then_some(value))
    }
    /// A block without steps, but lets.
    fn expression(&mut self, block: &BodyBlock) -> Result<TypedExpr> {
        let outer = self.scope.clone();
        let value = self.expression_inside(block);
        self.scope = outer;
        value
    }
    fn expression_inside(&mut self, block: &BodyBlock) -> Result<TypedExpr> {
        for step in &block.steps {
            if let BodyStep::Let(name, value) = step {
                let value = self.type_expr(value)?;
                let mut value = self.settle_value(value, name.span)?;
                if size(&value.expr).0 > NODES {
                    // Written out wherever it is named, it would be larger and larger.
                    self.large = true;
                    value.expr = IndexExpr::Literal(Scalar::zero(value.dtype));
                }
                self.name(name, value);
            }
        }
        match &block.value {
            BlockValue::Of(e) => self.type_expr(e),
            BlockValue::If(cond, then, other) => {
                let choice = [self.truth(cond)?, self.expression(then)?, self.expression(other)?];
                self.apply(choose(), choice.into(), cond.span())
            }
        }
    }
    fn name(&mut self, name: &Name, value: TypedExpr) {
        if let Some(scope) = &mut self.scope {
            scope.names.insert(name.text.clone(), value);
        }
    }

    /// The operator of a function for arguments of a dtype.
    ///
    /// # Errors
    /// Those of its body, `E0215` for a definition that cannot be, `E0216` where it is not what is said of it,
    /// and `E0609` where it is too large.
    pub(crate) fn instance(&self, f: &Definition, meet: DType, span: Span) -> Result<&'static Operator> {
        look();
        let key = DefinitionKey { address: std::ptr::from_ref(f).addr(), meet };
        if let Some(op) = self.known.borrow().operators.get(&key) {
            return Ok(op);
        }
        let decls = Decls { arithmetic: self.decls.arithmetic, ..Decls::default() };
        let mut body = Checker {
            source: self.source,
            decls: &decls,
            result_name: "",
            tensors: Arena::new(),
            indices: Arena::new(),
            index_ids: BTreeMap::new(),
            operand_ids: BTreeMap::new(),
            sized_by: BTreeMap::new(),
            functions: f.known.clone(),
            large: false,
            known: self.known.clone(),
            positions: Vec::new(),
            bound_positions: Vec::new(),
            scattered: Vec::new(),
            placed: Vec::new(),
            padding: false,
            unread: Vec::new(),
            given_shapes: [].into(),
            sums_inside: false,
            scope: Some(BodyScope { parameters: f.params.len(), meet: Some(meet), ..BodyScope::default() }),
        };
        for param in &f.params {
            let local = body.fresh(&param.text, meet);
            body.name(param, local);
        }
        let (steps, value) = body.block(&f.body)?;
        let value = match &f.result {
            None => body.settle_value(value, f.name.span)?,
            Some(name) => {
                let Some(to) = dtype_name(&name.text) else {
                    let message = format!("`{}` is no dtype", name.text);
                    return Err(Error::rejection(self.reject(FUNCTION, message, name.span)));
                };
                TypedExpr::strong(body.coerce_result(value, to, name.span)?, to)
            }
        };
        let result = value.dtype;
        let value = body.term(value.expr);
        let locals =
            body.tensors.iter().map(|(_, t)| Local { name: t.name.clone(), dtype: t.dtype }).collect();
        let function = ScalarFunction {
            name: String::new(),
            called: f.name.text.clone(),
            arity: f.params.len(),
            dtype: meet,
            result,
            locals,
            steps,
            value,
            written: 0,
        };
        // What it has of its own is as long as the text.
        self.refuse_large(&f.name.text, function.nodes() - function.own_nodes(), span)?;
        let op = self.promised_operator(f, function, span)?;
        self.known.borrow_mut().operators.insert(key, op);
        Ok(op)
    }
    /// Written out where it is called, a function must be of a size that a kernel can have.
    ///
    /// # Errors
    /// `E0609` where it is larger.
    fn refuse_large(&self, name: &str, nodes: usize, span: Span) -> Result<()> {
        if nodes <= LARGEST {
            return Ok(());
        }
        let message = format!("`{name}` is too large: the functions that it calls have {nodes} operations");
        let help = format!(
            "a function is written out where it is called, each time, and may have {LARGEST} operations then, of which a loop is 20; compute parts of \
             it in statements of their own"
        );
        Err(Error::refusal(self.reject(LARGE, message, span).help(help)))
    }
    /// A statement must be of such a size as well.
    ///
    /// # Errors
    /// `E0609` where it is larger.
    pub(crate) fn refuse_large_calls(&self, e: &IndexExpr, span: Span) -> Result<()> {
        self.refuse_large(self.result_name, expanded_size(e) - size(e).0, span)
    }
    /// A new local, as the access of a scalar.
    fn fresh(&mut self, name: &str, dtype: DType) -> TypedExpr {
        let (format, fill) = (presets::dense(0), Scalar::zero(dtype));
        let (name, given) = (name.to_string(), name.to_string());
        let tensor = TensorVar {
            name,
            given,
            dtype,
            format,
            remap: None,
            fill,
            kind: TensorKind::Temp,
            stored: None,
            elements: None,
            windows: Vec::new(),
            holds: Holds::Values,
        };
        let tensor = self.tensors.push(tensor);
        TypedExpr::strong(IndexExpr::Access(Access { tensor, vars: Vec::new() }), dtype)
    }
    /// A value of numbers alone takes the dtype of the arguments, where it can.
    fn settle_value(&self, value: TypedExpr, span: Span) -> Result<TypedExpr> {
        let to = self.scope.as_ref().and_then(|s| s.meet).filter(|to| value.weak && adapts(value.dtype, *to));
        Ok(match to {
            Some(to) => TypedExpr::strong(self.convert(value, to, span)?, to),
            None => TypedExpr { weak: false, ..value },
        })
    }

    fn block(&mut self, block: &BodyBlock) -> Result<Done> {
        let outer = self.scope.clone();
        let done = self.block_inside(block);
        self.scope = outer;
        done
    }
    fn block_inside(&mut self, block: &BodyBlock) -> Result<Done> {
        let mut steps = self.steps(&block.steps)?;
        match &block.value {
            BlockValue::Of(e) => Ok((steps, self.type_expr(e)?)),
            BlockValue::If(cond, then, other) => {
                let (condition, span) = (self.truth(cond)?, cond.span());
                let (mut then, mut other) = (self.block(then)?, self.block(other)?);
                let choice = vec![condition.clone(), then.1.clone(), other.1.clone()];
                let value = self.apply(choose(), choice, span)?;
                if then.0.is_empty() && other.0.is_empty() {
                    return Ok((steps, value));
                }
                let value = self.settle_value(value, span)?;
                let dtype = value.dtype;
                let made = self.fresh("value", dtype);
                let local = number_of(&made);
                steps.push(function::FunctionStep::Let(local, FunctionTerm::Const(Scalar::zero(dtype))));
                for (steps, value) in [&mut then, &mut other] {
                    let value = self.convert(value.clone(), dtype, span)?;
                    steps.push(function::FunctionStep::Set(local, self.term(value)));
                }
                steps.push(function::FunctionStep::If(self.term(condition.expr), then.0, other.0));
                Ok((steps, made))
            }
        }
    }
    /// Steps in a block of their own.
    fn inner(&mut self, steps: &[BodyStep]) -> Result<Vec<function::FunctionStep>> {
        let outer = self.scope.clone();
        let done = self.steps(steps);
        self.scope = outer;
        done
    }
    fn steps(&mut self, steps: &[BodyStep]) -> Result<Vec<function::FunctionStep>> {
        let mut done = Vec::new();
        for step in steps {
            done.push(match step {
                BodyStep::Let(name, value) => {
                    let value = self.type_expr(value)?;
                    let value = self.settle_value(value, name.span)?;
                    let local = self.fresh(&name.text, value.dtype);
                    let number = number_of(&local);
                    self.name(name, local);
                    function::FunctionStep::Let(number, self.term(value.expr))
                }
                BodyStep::Set(name, value) => self.set(name, value)?,
                BodyStep::While(cond, body) => {
                    let cond = self.truth(cond)?;
                    let body = self.inner(body)?;
                    function::FunctionStep::While(self.term(cond.expr), body)
                }
                BodyStep::If(cond, then, other) => {
                    let cond = self.truth(cond)?;
                    let (then, other) = (self.inner(then)?, self.inner(other)?);
                    function::FunctionStep::If(self.term(cond.expr), then, other)
                }
            });
        }
        Ok(done)
    }
    fn set(&mut self, name: &Name, value: &Syntax) -> Result<function::FunctionStep> {
        let bare = TensorRef::bare(name.clone());
        let local = self.local(&bare)?;
        let number = number_of(&local);
        if self.scope.as_ref().is_some_and(|s| number < s.parameters) {
            let message = format!("`{}` is a parameter, and keeps its value", name.text);
            let d = self.reject(FUNCTION, message, name.span);
            return Err(Error::rejection(
                d.help(format!("write let t = {}; and give t other values", name.text)),
            ));
        }
        let value = self.type_expr(value)?;
        let value = self.coerce_result(value, local.dtype, name.span)?;
        Ok(function::FunctionStep::Set(number, self.term(value)))
    }
    /// An expression over locals as code.
    fn term(&self, e: IndexExpr) -> FunctionTerm {
        match e {
            IndexExpr::Access(a) => FunctionTerm::Local(a.tensor.index()),
            IndexExpr::Literal(s) => FunctionTerm::Const(s),
            IndexExpr::Cast { to, arg } => FunctionTerm::Cast(to, Box::new(self.term(*arg))),
            IndexExpr::Call { op, args } => {
                let dtype = args.last().map_or(DType::F64, |a| a.dtype(&self.tensors));
                let args: Vec<FunctionTerm> = args.into_iter().map(|a| self.term(a)).collect();
                FunctionTerm::Call(deciding_prim(op, dtype, &args), args)
            }
            IndexExpr::Index(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => unreachable!("a body has parameters, numbers and functions"),
        }
    }
}

/// The primitive of an operator in a body: what an annihilator decides, it decides by value, unless a finite number or the
/// same value stands beside it.
fn deciding_prim(op: &Operator, dtype: DType, args: &[FunctionTerm]) -> Prim {
    let number = |t: &FunctionTerm| matches!(t, FunctionTerm::Const(s) if s.is_finite() && !s.is_same(Scalar::zero(s.dtype())));
    let tame = args.iter().any(number) || args.windows(2).all(|two| two[0] == two[1]);
    match op.guarded {
        Some(prim) if !tame && prim.result(dtype).is_some() => prim,
        _ => op.prim,
    }
}

fn choose() -> &'static Operator {
    Operator::find("where").expect("choices are operators")
}

/// The number of a local that stands for itself.
fn number_of(local: &TypedExpr) -> usize {
    match &local.expr {
        IndexExpr::Access(a) => a.tensor.index(),
        _ => unreachable!("a local is an access"),
    }
}

/// How many nodes an expression has where the functions that it calls are written out.
fn expanded_size(e: &IndexExpr) -> usize {
    let mut nodes = 0usize;
    e.visit(&mut |e| {
        nodes = nodes.saturating_add(match e {
            IndexExpr::Call { op: Operator { prim: Prim::Defined(f), .. }, .. } => f.written.max(1),
            _ => 1,
        });
    });
    nodes
}

/// How many nodes an expression has, and how many of them reduce.
pub(super) fn size(e: &IndexExpr) -> (usize, usize) {
    let (mut nodes, mut reductions) = (0, 0);
    e.visit(&mut |e| {
        nodes += 1;
        reductions += usize::from(matches!(e, IndexExpr::Reduce { .. }));
    });
    (nodes, reductions)
}
