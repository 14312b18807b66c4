//! Functions that users define: a typed body, and the operator that it makes.
//!
//! A [`ScalarFunction`] is straight-line code with choices and loops over scalars, made for one dtype of its arguments. It is known
//! to the rest of the compiler as an [`Operator`] like any other, with what was declared of it; its code is
//! written out in loop IR where it is called, so that no backend knows of functions.

use crate::dtype::DType;
use crate::operator::Operator;
use crate::prim::Prim;
use crate::scalar::Scalar;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// After so many rounds, a loop in a function is taken not to end.
pub const ROUNDS: i64 = 1_000_000;
/// So many are made where a statement is compiled: of constants, and of samples.
const FEW: i64 = 10_000;

/// A value in the body of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionTerm {
    /// A local, by its number; parameters come first.
    Local(usize),
    /// A constant.
    Const(Scalar),
    /// A primitive, with the dtypes that it wants.
    Call(Prim, Vec<FunctionTerm>),
    /// A conversion.
    Cast(DType, Box<FunctionTerm>),
}

/// A statement in the body of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionStep {
    /// A new local and its first value.
    Let(usize, FunctionTerm),
    /// Another value for a local.
    Set(usize, FunctionTerm),
    /// One of two.
    If(FunctionTerm, Vec<FunctionStep>, Vec<FunctionStep>),
    /// As long as a truth value is true, at most [`ROUNDS`] times.
    While(FunctionTerm, Vec<FunctionStep>),
}

/// A local of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// What it is called in the definition.
    pub name: String,
    /// Its dtype.
    pub dtype: DType,
}

/// A function of scalars of one dtype.
pub struct ScalarFunction {
    /// Its name, which no other function has: the name in the definition, the dtype, and a hash of the body.
    pub name: String,
    /// Its name in the definition.
    pub called: String,
    /// How many parameters it has.
    pub arity: usize,
    /// The dtype of all arguments.
    pub dtype: DType,
    /// The dtype of the value.
    pub result: DType,
    /// Parameters and other locals.
    pub locals: Vec<Local>,
    /// What is done first.
    pub steps: Vec<FunctionStep>,
    /// What it comes to.
    pub value: FunctionTerm,
    /// How large it is where the functions that it calls are written out in it; known once it is an operator.
    pub written: usize,
}

/// One that has a name is told by it: what it calls is not shown again in every function that calls it.
impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            return f.write_str(&self.name);
        }
        let ScalarFunction { name: _, called, arity, dtype, result, locals, steps, value, written: _ } = self;
        write!(f, "{called}/{arity} {dtype} {result} {locals:?} {steps:?} {value:?}")
    }
}

impl ScalarFunction {
    /// How many operations, constants and steps it has (a loop is 20 more), with those of the functions that it calls, each as often as it is called.
    pub fn nodes(&self) -> usize {
        self.count(&|f| f.written)
    }
    /// The same where a call is one operation.
    pub fn own_nodes(&self) -> usize {
        self.count(&|_| 1)
    }
    fn count(&self, called: &dyn Fn(&ScalarFunction) -> usize) -> usize {
        steps_nodes(&self.steps, called).saturating_add(term_nodes(&self.value, called))
    }
    /// Applies it; `None` for other arguments than it takes, and where a loop does not end soon.
    pub fn eval(&self, args: &[Scalar]) -> Option<Scalar> {
        self.eval_within(args, FEW)
    }
    /// The same, where loops have so many rounds at most.
    pub fn eval_within(&self, args: &[Scalar], rounds: i64) -> Option<Scalar> {
        if args.len() != self.arity || args.iter().any(|a| a.dtype() != self.dtype) {
            return None;
        }
        let mut locals: Vec<Scalar> = args.to_vec();
        locals.extend(self.locals[self.arity..].iter().map(|l| Scalar::zero(l.dtype)));
        let mut left = rounds;
        run(&self.steps, &mut locals, &mut left)?;
        value(&self.value, &locals)
    }
    /// Whether it does nothing but compute its value.
    pub fn is_plain(&self) -> bool {
        self.steps.iter().all(|s| matches!(s, FunctionStep::Let(..)))
    }
}

/// Functions are told apart by their names.
impl PartialEq for ScalarFunction {
    fn eq(&self, other: &ScalarFunction) -> bool {
        self.name == other.name
    }
}
impl Eq for ScalarFunction {}
impl std::hash::Hash for ScalarFunction {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
impl PartialOrd for ScalarFunction {
    fn partial_cmp(&self, other: &ScalarFunction) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for ScalarFunction {
    fn cmp(&self, other: &ScalarFunction) -> std::cmp::Ordering {
        self.name.cmp(&other.name)
    }
}

/// The operations that a loop counts as: what is alive around it makes code of many loops slow to compile.
const LOOP: usize = 20;

fn steps_nodes(steps: &[FunctionStep], called: &dyn Fn(&ScalarFunction) -> usize) -> usize {
    let of = |term: &FunctionTerm| term_nodes(term, called);
    let inside = |steps: &[FunctionStep]| steps_nodes(steps, called);
    let each = |step: &FunctionStep| match step {
        FunctionStep::Let(_, term) | FunctionStep::Set(_, term) => of(term),
        FunctionStep::If(cond, then, other) => {
            of(cond).saturating_add(inside(then)).saturating_add(inside(other))
        }
        FunctionStep::While(cond, body) => of(cond).saturating_add(inside(body)).saturating_add(LOOP),
    };
    steps.iter().map(each).fold(steps.len(), usize::saturating_add)
}

fn term_nodes(term: &FunctionTerm, called: &dyn Fn(&ScalarFunction) -> usize) -> usize {
    match term {
        FunctionTerm::Local(_) | FunctionTerm::Const(_) => 1,
        FunctionTerm::Cast(_, arg) => term_nodes(arg, called).saturating_add(1),
        FunctionTerm::Call(prim, args) => {
            let own = if let Prim::Defined(f) = prim { called(f) } else { 1 };
            args.iter().map(|a| term_nodes(a, called)).fold(own, usize::saturating_add)
        }
    }
}

fn run(steps: &[FunctionStep], locals: &mut [Scalar], left: &mut i64) -> Option<()> {
    for step in steps {
        match step {
            FunctionStep::Let(n, term) | FunctionStep::Set(n, term) => locals[*n] = value(term, locals)?,
            FunctionStep::If(cond, then, other) => {
                run(if value(cond, locals)?.truthy() { then } else { other }, locals, left)?;
            }
            FunctionStep::While(cond, body) => {
                while value(cond, locals)?.truthy() {
                    *left -= 1;
                    if *left < 0 {
                        return None;
                    }
                    run(body, locals, left)?;
                }
            }
        }
    }
    Some(())
}

fn value(term: &FunctionTerm, locals: &[Scalar]) -> Option<Scalar> {
    match term {
        FunctionTerm::Local(n) => locals.get(*n).copied(),
        FunctionTerm::Const(s) => Some(*s),
        FunctionTerm::Call(prim, args) => {
            let args: Vec<Scalar> = args.iter().map(|a| value(a, locals)).collect::<Option<_>>()?;
            prim.eval(&args)
        }
        FunctionTerm::Cast(to, arg) => Some(value(arg, locals)?.cast(*to)),
    }
}

/// The operators of all functions that were defined, by what they are.
static DEFINED: Mutex<Option<HashMap<String, &'static Operator>>> = Mutex::new(None);

/// The operator that something defined by `key` makes of a function: `make` is asked once for each key, unless it fails, and
/// says the function again with what holds of it. Definitions are few, and live as long as the process.
///
/// # Errors
/// Those of `make`.
pub fn operator<E>(
    key: String,
    make: impl FnOnce() -> Result<(ScalarFunction, Operator), E>,
) -> Result<&'static Operator, E> {
    let held = || DEFINED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(op) = held().get_or_insert_default().get(&key) {
        return Ok(op);
    }
    // Not while others wait: what is said of a function is tested here.
    let (function, promises) = make()?;
    let mut defined = held();
    let defined = defined.get_or_insert_default();
    if let Some(op) = defined.get(&key) {
        return Ok(op);
    }
    let name = format!("{}.{}.{:08x}", function.called, function.dtype, hash(&key));
    let written = function.nodes();
    let function: &'static ScalarFunction = Box::leak(Box::new(ScalarFunction { name, written, ..function }));
    let op = Operator {
        name: &function.name,
        variant_of: Some(&function.called),
        prim: Prim::Defined(function),
        ..promises
    };
    let op: &'static Operator = Box::leak(Box::new(op));
    defined.insert(key, op);
    Ok(op)
}

/// The operators of functions that are called `name`.
pub fn list_operators(name: &str) -> Vec<&'static Operator> {
    let defined = DEFINED.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |op: &&&Operator| matches!(op.prim, Prim::Defined(f) if f.called == name);
    defined.iter().flat_map(HashMap::values).filter(fits).copied().collect()
}

/// FNV-1a, so that names do not depend on the run.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> ScalarFunction {
        let x = || FunctionTerm::Local(1);
        let float = |x| FunctionTerm::Const(Scalar::F64(x));
        ScalarFunction {
            name: String::new(),
            called: "halved".into(),
            arity: 1,
            dtype: DType::F64,
            result: DType::F64,
            locals: ["x", "t"].map(|n| Local { name: n.into(), dtype: DType::F64 }).into(),
            steps: vec![
                FunctionStep::Let(1, FunctionTerm::Local(0)),
                FunctionStep::While(
                    FunctionTerm::Call(Prim::Gt, vec![x(), float(1.0)]),
                    vec![FunctionStep::Set(1, FunctionTerm::Call(Prim::Mul, vec![x(), float(0.5)]))],
                ),
            ],
            value: x(),
            written: 0,
        }
    }

    #[test]
    fn bodies_compute_and_end() {
        let make = || Ok::<_, ()>((half(), Operator::promising_nothing(Prim::Neg)));
        let op = operator("halved".into(), make).unwrap();
        assert_eq!(op.eval(&[Scalar::F64(12.0)]), Some(Scalar::F64(0.75)));
        assert_eq!(op.eval(&[Scalar::F64(f64::INFINITY)]), None);
        assert_eq!(op.eval(&[Scalar::F32(1.0)]), None);
        assert_eq!((op.language_name(), op.arity()), ("halved", 1));
        assert!(std::ptr::eq(op, operator("halved".into(), || Err(())).unwrap()));
        assert_eq!(list_operators("halved"), [op]);
        assert!(list_operators("doubled").is_empty());
    }
}
