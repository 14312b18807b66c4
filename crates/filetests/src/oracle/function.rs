//! Functions that a statement defines, run step by step.
//!
//! All arguments are taken in one dtype; numbers alone take it as well. What is said of a function decides where it says so:
//! an annihilator, and the one value outside of an iteration algebra.

use super::typing::{self, OracleNode, OracleScope, Typed};
use super::value::Approx;
use super::{OracleMachine, Refusal};
use openwork_algebra::{DType, DTypeKind, Scalar};
use openwork_index::notation::Syntax;
use openwork_index::notation::function::{
    BlockValue, BodyBlock, BodyStep as Written, Definition, PromiseKind, SpaceSyntax,
};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A statement of a body over numbered locals.
#[derive(Clone, Debug)]
enum OracleStep {
    Set(usize, OracleNode),
    If(OracleNode, Vec<OracleStep>, Vec<OracleStep>),
    While(OracleNode, Vec<OracleStep>),
}

/// A function for arguments of one dtype.
#[derive(Clone, Debug)]
pub(crate) struct OracleFunction {
    definition: Arc<Definition>,
    dtype: DType,
    locals: usize,
    steps: Vec<OracleStep>,
    value: OracleNode,
    pub(super) result: DType,
}

/// Names in a body.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyNames {
    known: BTreeMap<String, Typed>,
    /// How many locals there are.
    count: usize,
    meet: Option<DType>,
}

fn refuse<T>(code: &'static str, why: &str) -> Result<T, Refusal> {
    Err(Refusal { code, why: why.into() })
}

impl OracleScope<'_> {
    /// The function of this name.
    pub(super) fn find_definition(&self, name: &str) -> Option<Arc<Definition>> {
        self.functions.iter().find(|f| f.name.text == name).cloned()
    }
    /// A name in a body.
    pub(super) fn local(&self, name: &str) -> Option<Result<Typed, Refusal>> {
        let names = self.names.as_ref()?;
        Some(names.known.get(name).cloned().map_or_else(|| refuse("E0201", name), Ok))
    }
    /// A call.
    pub(super) fn apply_defined(&mut self, f: &Arc<Definition>, args: &[Syntax]) -> Result<Typed, Refusal> {
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
        if args.len() != f.params.len() {
            return refuse("E0204", &f.name.text);
        }
        let firm = args.iter().filter(|a| !a.loose).map(|a| a.dtype).reduce(DType::promote);
        let own = |a: &Typed| match firm {
            Some(d) if a.loose && typing::takes(a.dtype, d) => d,
            _ => a.dtype,
        };
        let Some(meet) = args.iter().map(own).reduce(DType::promote) else { return refuse("E0204", "call") };
        let args = args.into_iter().map(|a| typing::convert(a, meet)).collect::<Result<Vec<_>, _>>()?;
        let body = self.body(f, meet)?;
        let dtype = body.result;
        Ok(Typed { node: OracleNode::Defined { body: Rc::new(body), args }, dtype, loose: false })
    }
    /// A reduction by a function, from what leaves every value as it is.
    pub(super) fn fold_by(
        &mut self,
        f: &Arc<Definition>,
        vars: Vec<usize>,
        body: &Syntax,
    ) -> Result<Typed, Refusal> {
        let body = self.expr(body)?;
        if vars.iter().any(|&v| !body.node.uses(v)) {
            return refuse("E0205", &f.name.text);
        }
        let first = f.promises.iter().find_map(|p| match &p.kind {
            PromiseKind::Identity(v, _) => Scalar::parse(&v.text, body.dtype),
            _ => None,
        });
        let Some(first) = first else { return refuse("E0215", &f.name.text) };
        let by = Rc::new(self.body(f, body.dtype)?);
        let node = OracleNode::FoldBy { by, first, vars, body: Box::new(body.node) };
        Ok(Typed { node, dtype: body.dtype, loose: false })
    }
    /// The function for arguments of a dtype.
    pub(super) fn body(&self, f: &Arc<Definition>, meet: DType) -> Result<OracleFunction, Refusal> {
        let names = BodyNames { meet: Some(meet), ..BodyNames::default() };
        let functions = f.known.to_vec();
        let mut inner = OracleScope {
            inputs: self.inputs,
            vars: Vec::new(),
            sizes: BTreeMap::new(),
            functions,
            with_sums: None,
            names: Some(names),
        };
        for p in &f.params {
            inner.fresh(&p.text, meet);
        }
        let (steps, value) = inner.block(&f.body)?;
        let value = inner.settle_value(value)?;
        let result = f.result.as_ref().map(|n| DType::ALL.into_iter().find(|d| d.name() == n.text));
        let value = match result {
            None => value,
            Some(None) => return refuse("E0215", "no dtype"),
            Some(Some(to)) => typing::store_value(value, to)?,
        };
        let locals = inner.names.map_or(0, |n| n.count);
        let (result, value) = (value.dtype, value.node);
        Ok(OracleFunction { definition: f.clone(), dtype: meet, locals, steps, value, result })
    }
    fn fresh(&mut self, name: &str, dtype: DType) -> usize {
        let Some(names) = &mut self.names else { return 0 };
        let n = names.count;
        names.count += 1;
        names.known.insert(name.into(), Typed { node: OracleNode::Local(n, dtype), dtype, loose: false });
        n
    }
    fn settle_value(&self, value: Typed) -> Result<Typed, Refusal> {
        let meet = self.names.as_ref().and_then(|n| n.meet);
        match meet.filter(|to| value.loose && typing::takes(value.dtype, *to)) {
            Some(to) => {
                let node = typing::convert(value, to)?;
                Ok(Typed { node, dtype: to, loose: false })
            }
            None => Ok(Typed { loose: false, ..value }),
        }
    }
    fn block(&mut self, b: &BodyBlock) -> Result<(Vec<OracleStep>, Typed), Refusal> {
        let known = self.names.as_ref().map(|n| n.known.clone());
        let mut steps = self.steps(&b.steps)?;
        let value = match &b.value {
            BlockValue::Of(e) => self.expr(e)?,
            BlockValue::If(cond, then, other) => {
                let cond = super::truth(cond, self)?;
                let (mut then, mut other) = (self.block(then)?, self.block(other)?);
                // The type of a choice, whichever is taken.
                let choice = vec![cond.clone(), then.1.clone(), other.1.clone()];
                let choice = typing::apply(openwork_algebra::Prim::Select, choice)?;
                if then.0.is_empty() && other.0.is_empty() {
                    choice
                } else {
                    let dtype = self.settle_value(choice)?.dtype;
                    let n = self.fresh("", dtype);
                    for (steps, value) in [&mut then, &mut other] {
                        let value = typing::convert(value.clone(), dtype)?;
                        steps.push(OracleStep::Set(n, value));
                    }
                    steps.push(OracleStep::If(cond.node, then.0, other.0));
                    Typed { node: OracleNode::Local(n, dtype), dtype, loose: false }
                }
            }
        };
        if let (Some(names), Some(known)) = (&mut self.names, known) {
            names.known = known;
        }
        Ok((steps, value))
    }
    fn inner(&mut self, steps: &[Written]) -> Result<Vec<OracleStep>, Refusal> {
        let known = self.names.as_ref().map(|n| n.known.clone());
        let steps = self.steps(steps)?;
        if let (Some(names), Some(known)) = (&mut self.names, known) {
            names.known = known;
        }
        Ok(steps)
    }
    fn steps(&mut self, steps: &[Written]) -> Result<Vec<OracleStep>, Refusal> {
        let mut out = Vec::new();
        for s in steps {
            out.push(match s {
                Written::Let(name, e) => {
                    let value = self.expr(e)?;
                    let value = self.settle_value(value)?;
                    OracleStep::Set(self.fresh(&name.text, value.dtype), value.node)
                }
                Written::Set(name, e) => {
                    let Some(Typed { node: OracleNode::Local(n, dtype), .. }) =
                        self.local(&name.text).transpose()?
                    else {
                        return refuse("E0201", &name.text);
                    };
                    let value = self.expr(e)?;
                    OracleStep::Set(n, typing::store_value(value, dtype)?.node)
                }
                Written::While(cond, body) => {
                    OracleStep::While(super::truth(cond, self)?.node, self.inner(body)?)
                }
                Written::If(cond, then, other) => {
                    OracleStep::If(super::truth(cond, self)?.node, self.inner(then)?, self.inner(other)?)
                }
            });
        }
        Ok(out)
    }
}

/// Whether arguments lie in an algebra.
fn is_inside(s: &SpaceSyntax, args: &[Scalar]) -> bool {
    match s {
        SpaceSyntax::Arg(n, v) => {
            Scalar::parse(&v.text, args[*n].dtype()).is_none_or(|v| !v.is_same(args[*n]))
        }
        SpaceSyntax::Not(a) => !is_inside(a, args),
        SpaceSyntax::And(a, b) => is_inside(a, args) && is_inside(b, args),
        SpaceSyntax::Or(a, b) => is_inside(a, args) || is_inside(b, args),
    }
}

impl OracleMachine<'_> {
    /// The value of a function of arguments.
    pub(super) fn call_function(&mut self, f: &OracleFunction, args: Vec<Approx>) -> Approx {
        let values: Vec<Scalar> = args.iter().map(|a| a.value).collect();
        if let Some(decided) = self.promised_value(f, &values) {
            return Approx::exact(decided);
        }
        self.compute_body(f, args)
    }
    fn compute_body(&mut self, f: &OracleFunction, mut args: Vec<Approx>) -> Approx {
        args.resize(f.locals, Approx::exact(Scalar::zero(f.dtype)));
        let outer = std::mem::replace(&mut self.locals, args);
        self.run(&f.steps);
        let value = self.eval(&f.value);
        self.locals = outer;
        value
    }
    fn run(&mut self, steps: &[OracleStep]) {
        for s in steps {
            match s {
                OracleStep::Set(n, e) => self.locals[*n] = self.eval(e),
                OracleStep::If(cond, then, other) => {
                    let taken = self.eval(cond).value.truthy();
                    self.run(if taken { then } else { other });
                }
                OracleStep::While(cond, body) => {
                    while self.eval(cond).value.truthy() {
                        self.run(body);
                    }
                }
            }
        }
    }
    /// What promises decide.
    fn promised_value(&mut self, f: &OracleFunction, args: &[Scalar]) -> Option<Scalar> {
        let definition = f.definition.clone();
        for promise in &definition.promises {
            match &promise.kind {
                PromiseKind::Annihilator(v, n) => {
                    let v = Scalar::parse(&v.text, f.dtype)?;
                    let at = |k: usize| n.is_none_or(|n| n == k) && args[k].is_same(v);
                    if (0..args.len()).any(at) {
                        return Some(v);
                    }
                }
                PromiseKind::Space(s) if !is_inside(s, args) => return self.outside_value(f, s),
                PromiseKind::Space(_)
                | PromiseKind::Commutative
                | PromiseKind::Associative
                | PromiseKind::Idempotent
                | PromiseKind::Distributes(_)
                | PromiseKind::Identity(..) => {}
            }
        }
        None
    }
    /// The value outside of an algebra: that of any numbers there.
    fn outside_value(&mut self, f: &OracleFunction, s: &SpaceSyntax) -> Option<Scalar> {
        let mut tried: Vec<Scalar> = [0, 1, 2].iter().map(|&n| Scalar::from_i64(n, f.dtype)).collect();
        if f.dtype.kind() >= DTypeKind::Float {
            tried.extend(["inf", "-inf"].iter().filter_map(|t| Scalar::parse(t, f.dtype)));
        }
        let arity = f.definition.params.len();
        let all = tried.len().pow(arity as u32);
        let at = |mut n: usize| {
            let mut args = Vec::new();
            for _ in 0..arity {
                args.push(tried[n % tried.len()]);
                n /= tried.len();
            }
            args
        };
        let outside = (0..all).map(at).filter(|args| !is_inside(s, args));
        let mut made =
            outside.map(|args| self.compute_body(f, args.into_iter().map(Approx::exact).collect()).value);
        made.find(|v| !v.is_nan())
    }
}
