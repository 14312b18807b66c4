//! The dense oracle: what a statement means, by the simplest nested loops.
//!
//! It reads the syntax tree and shares nothing with the checker, the planner or lowering: types, implicit sums and
//! loops are worked out here once more. Every tensor is a dense array. Integers are exact; a float comes with the
//! distance that another order of evaluation may have from it ([`Approx`]).

mod clip;
mod einstein;
mod extreme;
mod function;
mod kept;
mod ranges;
mod scatter;
mod semiring;
mod slice;
mod typing;
mod value;

pub use value::{Approx, Doubt, epsilon};

use openwork_algebra::{Arithmetic, DType, Library, Prim, Scalar};
use openwork_index::notation::{StatementSyntax, Syntax};
use scatter::{OracleTarget, Sent};
use std::collections::BTreeMap;
use typing::{OracleMode, OracleNode, OracleScope, Typed};
use value::identity;

/// A dense array, last mode fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct OracleArray {
    /// Size of each mode.
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: DType,
    /// As many values as the product of the shape.
    pub values: Vec<Scalar>,
}

/// What a statement is evaluated on.
#[derive(Clone, Debug, Default)]
pub struct OracleInputs {
    /// The operands by name; for a compound assignment also the old value of the result.
    pub arrays: BTreeMap<String, OracleArray>,
    /// Sizes of variables that no operand fixes.
    pub dims: BTreeMap<String, usize>,
    /// The dtype of the result, where it is declared.
    pub result: Option<DType>,
    /// The size of each mode of the result, where it is declared.
    pub shape: Option<Vec<usize>>,
    /// The fill value of the result as text, where it is declared.
    pub fill: Option<String>,
    /// How annihilators stand beside infinities and NaN.
    pub arithmetic: Arithmetic,
    /// What the operands that are not dense store of each of their elements.
    pub stored: BTreeMap<String, Vec<StoredSlot>>,
    /// The fill values of the operands that are not dense.
    pub fills: BTreeMap<String, Scalar>,
    /// The fill values of all operands.
    pub outside: BTreeMap<String, Scalar>,
}

/// What a format stores at some coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredSlot {
    /// Nothing.
    Absent,
    /// A slot without an element, as formats with padding have them: it holds the fill value.
    Padding,
    /// An element.
    Element,
}

/// Why a statement has no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code the checker should report.
    pub code: &'static str,
    /// The guilty part.
    pub why: String,
}

/// The meaning of a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct OracleAnswer {
    /// Size of each mode of the result.
    pub shape: Vec<usize>,
    /// Its dtype.
    pub dtype: DType,
    /// Its elements, last mode fastest.
    pub values: Vec<Approx>,
    /// Whether some element is not decided by the semantics.
    pub doubt: Option<Doubt>,
    /// Which elements a sparse result may store where their value is the fill value.
    pub kept: Vec<bool>,
}

impl OracleAnswer {
    /// The first element of `got` that is not allowed, with its position.
    pub fn mismatch(&self, got: &[Scalar]) -> Option<String> {
        if got.len() != self.values.len() {
            return Some(format!("{} values instead of {}", got.len(), self.values.len()));
        }
        let at = self.values.iter().zip(got).position(|(want, &got)| !want.allows(got))?;
        Some(format!("element {at} is {} instead of {}", got[at], self.values[at].value))
    }
}

/// Evaluates a statement.
///
/// # Errors
/// When the statement is ill-typed, with the code the checker should give.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_base::Source;
/// use openwork_filetests::oracle::{OracleArray, OracleInputs, evaluate};
/// use openwork_index::notation::parse;
/// let x = OracleArray { shape: vec![2], dtype: DType::I64, values: vec![Scalar::I64(3), Scalar::I64(4)] };
/// let inputs = OracleInputs { arrays: [("x".to_string(), x)].into(), ..OracleInputs::default() };
/// let dot = evaluate(&parse(&Source::new("statement", "a = x(i) * x(i)")).unwrap(), &inputs).unwrap();
/// assert_eq!(dot.values[0].value, Scalar::I64(25));
/// ```
pub fn evaluate(s: &StatementSyntax, inputs: &OracleInputs) -> Result<OracleAnswer, Refusal> {
    let vars: Vec<String> = s.index_names().iter().map(ToString::to_string).collect();
    let functions = s.functions.to_vec();
    let ranges = ranges::find_ranges(s, inputs)?;
    let with_sums = ranges.is_some().then(|| std::rc::Rc::new(s.clone()));
    let mut scope = OracleScope { inputs, vars, sizes: BTreeMap::new(), functions, names: None, with_sums };
    let ranges = ranges.unwrap_or_default();
    for (v, name) in scope.vars.clone().iter().enumerate() {
        if let Some(&size) = ranges.get(name).or(inputs.dims.get(name)) {
            scope.size(v, size)?;
        }
    }
    let target = OracleTarget::new(s, &mut scope)?;
    let lefts = target.vars.clone();
    if let (None, Some(shape)) = (s.op, &inputs.shape) {
        if shape.len() != lefts.len() {
            return Err(Refusal { code: "E0202", why: s.lhs.name.text.clone() });
        }
        lefts.iter().zip(shape).try_for_each(|(&v, &size)| scope.size(v, size))?;
    }
    let Meaning { value, sent } = meaning(s, &mut scope, &target, inputs.result)?;
    let left_out = left_out(s, &mut scope, &target)?;
    let dtype = match s.op {
        Some(_) => value.dtype,
        None => inputs.result.unwrap_or(value.dtype),
    };
    let value = typing::store_value(value, dtype)?;
    let sizes = (0..scope.vars.len()).map(|v| match scope.sizes.get(&v) {
        Some(&size) => Ok(size),
        None => Err(Refusal { code: "E0206", why: scope.vars[v].clone() }),
    });
    let mut m = OracleMachine {
        inputs,
        sizes: sizes.collect::<Result<_, _>>()?,
        at: Vec::new(),
        locals: Vec::new(),
        doubt: None,
        strays: false,
    };
    m.at = vec![0; m.sizes.len()];
    let shape: Vec<usize> = lefts.iter().map(|&v| m.sizes[v]).collect();
    let (mut values, mut kept) = (Vec::new(), Vec::new());
    if m.work(&value.node) * shape.iter().product::<usize>() as f64 > MOST {
        return Ok(OracleAnswer { shape, dtype, values, doubt: Some(Doubt::Vast), kept });
    }
    let mut strays = false;
    m.run_for_all(&lefts, &mut |m| {
        m.strays = false;
        let element = m.eval(&value.node);
        strays |= m.strays;
        values.push(element);
        kept.push(m.is_kept(&value.node) && !left_out.as_ref().is_some_and(|l| m.is_left_out(l)));
    });
    let plain: Vec<usize> = lefts.iter().copied().filter(|v| *v < scope.vars.len()).collect();
    let plain: Vec<usize> = plain.into_iter().filter(|v| !scope.vars[*v].starts_with('#')).collect();
    if strays || sent.is_some_and(|sent| m.lacks_a_place(&sent, &plain)) {
        return Err(Refusal { code: "E0608", why: "a position that is none".into() });
    }
    Ok(OracleAnswer { shape, dtype, values, doubt: m.doubt, kept })
}

/// Whether a value makes what stands beside it unneeded, whatever that is.
fn decides_alone(prim: Prim, n: usize, s: Scalar, exact: bool) -> bool {
    let zero = || n == 0 && s.is_same(Scalar::zero(s.dtype()));
    match prim {
        // 0 divided by 0 is NaN.
        Prim::Div => false,
        Prim::Mul | Prim::Min | Prim::Max if exact && s.dtype().is_inexact() => false,
        Prim::Library(Library::FloorDivide | Library::Remainder | Library::Fmod) => {
            !s.dtype().is_inexact() && zero()
        }
        Prim::Library(Library::LeftShift | Library::RightShift | Library::Ldexp) => zero(),
        _ => kept::decides(prim, n, s),
    }
}

/// Whether a mask is true; outermost, `!` is the complement.
fn truth(mask: &Syntax, scope: &mut OracleScope) -> Result<Typed, Refusal> {
    if let Syntax::Op { op, args, .. } = mask
        && op.prim == Prim::Not
    {
        let inner = truth(&args[0], scope)?;
        return typing::apply(Prim::Not, vec![inner]);
    }
    let value = scope.expr(mask)?;
    typing::truth(value)
}

/// What a statement says.
struct Meaning {
    value: Typed,
    /// What it sends to places that values say.
    sent: Option<Sent>,
}

/// The right side with every reduction explicit and a compound assignment written out.
fn meaning(
    s: &StatementSyntax,
    scope: &mut OracleScope,
    target: &OracleTarget,
    to: Option<DType>,
) -> Result<Meaning, Refusal> {
    let outer = |v: &usize| target.vars.contains(v) || target.said.contains(v);
    let missing: Vec<usize> = (0..scope.vars.len())
        .filter(|v| !outer(v) && einstein::uses(&s.rhs, &scope.vars[*v], scope))
        .collect();
    let names: Vec<String> = missing.iter().map(|&v| scope.vars[v].clone()).collect();
    let adds = s.op.is_none_or(|op| op.prim == Prim::Add);
    let rhs = if adds { einstein::sum_all(&s.rhs, &names, scope)? } else { s.rhs.clone() };
    let rhs = scope.expr(&rhs)?;
    let mask = s.mask.as_ref().map(|mask| truth(mask, scope)).transpose()?;
    let Some(op) = s.op else {
        if target.is_scattered() {
            let value = target.last_sent(s, rhs, mask, scope)?;
            return Ok(Meaning { value, sent: None });
        }
        let value = assigned_value(rhs, mask, to)?;
        return Ok(Meaning { value, sent: None });
    };
    let old = scope.load(&target.whole_access(&s.lhs, scope))?;
    if adds && old.dtype == DType::Bool {
        return Err(Refusal { code: "E0208", why: "a count in a bool".into() });
    }
    let new = typing::store_value(rhs, old.dtype)?;
    if target.is_scattered() {
        let new = Typed { loose: false, ..new };
        let idle = identity(op.prim, old.dtype);
        let new = match mask.zip(idle) {
            Some((mask, idle)) => typing::mask_value(mask, new, idle)?,
            None => new,
        };
        let vars = if adds { target.said.clone() } else { [&target.said[..], &missing].concat() };
        let (new, sent) = target.sum_arrivals(op, new, vars, scope)?;
        let value = typing::apply(op.prim, vec![old, new])?;
        return Ok(Meaning { value, sent: Some(sent) });
    }
    let new = match adds || missing.is_empty() {
        true => new,
        false => typing::fold_as_is(op.prim, missing, new)?,
    };
    let updated = typing::apply(op.prim, vec![old.clone(), Typed { loose: false, ..new }])?;
    let value = match mask {
        None => updated,
        Some(mask) => typing::apply(Prim::Select, vec![mask, updated, old])?,
    };
    Ok(Meaning { value, sent: None })
}

/// The value of `=`, with a mask.
fn assigned_value(value: Typed, mask: Option<Typed>, to: Option<DType>) -> Result<Typed, Refusal> {
    let Some(mask) = mask else { return Ok(value) };
    let value = typing::store_value(value.clone(), to.unwrap_or(value.dtype))?;
    let value = Typed { loose: false, ..value };
    let idle = match &value.node {
        OracleNode::Fold { prim, .. } => identity(*prim, value.dtype),
        OracleNode::FoldBy { first, .. } => Some(*first),
        _ => None,
    };
    let idle = idle.unwrap_or(Scalar::zero(value.dtype));
    typing::mask_value(mask, value, idle)
}

/// What a mask leaves out: where it is false, and nothing was before.
struct LeftOut {
    mask: OracleNode,
    old: Option<OracleNode>,
}

fn left_out(
    s: &StatementSyntax,
    scope: &mut OracleScope,
    target: &OracleTarget,
) -> Result<Option<LeftOut>, Refusal> {
    // What is sent nowhere is no matter of elements.
    let Some(mask) = s.mask.as_ref().filter(|_| !target.is_scattered()) else { return Ok(None) };
    let mask = truth(mask, scope)?.node;
    let old = s.op.map(|_| scope.load(&s.lhs)).transpose()?.map(|old| old.node);
    Ok(Some(LeftOut { mask, old }))
}

/// The most that the oracle reads.
const MOST: f64 = (1u64 << 21) as f64;

/// The factors of a product.
fn factors(node: &OracleNode) -> Vec<&OracleNode> {
    match node {
        OracleNode::Apply { prim: Prim::Mul, args } => args.iter().flat_map(factors).collect(),
        OracleNode::Cast { arg, .. } => factors(arg),
        node => vec![node],
    }
}

/// Whether a product may be summed in steps: it has several factors, or one of them alone has something that is summed over,
/// and not all that the other has.
fn is_summed_in_steps(vars: &[usize], known: usize, body: &OracleNode) -> bool {
    let apart = |own: &OracleNode, other: &OracleNode| {
        vars.iter().any(|v| own.uses(*v) && !other.uses(*v))
            && (0..known).any(|v| other.uses(v) && !own.uses(v))
    };
    match factors(body)[..] {
        [a, b] => apart(a, b) || apart(b, a),
        ref all => all.len() > 2,
    }
}

/// Whether a factor of a product is a sum, which may be multiplied out.
fn has_a_sum(node: &OracleNode) -> bool {
    match node {
        OracleNode::Apply { prim: Prim::Mul, args } => {
            args.iter().any(|e| matches!(e, OracleNode::Apply { prim: Prim::Add, .. }) || has_a_sum(e))
        }
        OracleNode::Cast { arg, .. } => has_a_sum(arg),
        _ => false,
    }
}

struct OracleMachine<'a> {
    inputs: &'a OracleInputs,
    sizes: Vec<usize>,
    at: Vec<usize>,
    /// Those of the function that runs.
    locals: Vec<Approx>,
    doubt: Option<Doubt>,
    /// Whether something was read where an array has no element.
    strays: bool,
}

impl OracleMachine<'_> {
    /// Runs `body` for all values of `vars`, the last one fastest.
    fn run_for_all(&mut self, vars: &[usize], body: &mut dyn FnMut(&mut Self)) {
        let Some((&v, rest)) = vars.split_first() else { return body(self) };
        let outer = self.at[v];
        for n in 0..self.sizes[v] {
            self.at[v] = n;
            self.run_for_all(rest, body);
        }
        self.at[v] = outer;
    }
    /// Which element of an array of this shape is read, if there is one; what has none is remembered.
    fn place(&mut self, modes: &[OracleMode], shape: &[usize]) -> Option<usize> {
        let mut flat = Some(0);
        for (mode, &size) in modes.iter().zip(shape) {
            let coord = match mode {
                OracleMode::Along { var, first, step } => {
                    usize::try_from(*first as i64 + self.at[*var] as i64 * step).ok()
                }
                OracleMode::At(value) => {
                    let said = self.eval(value).value.as_i64();
                    usize::try_from(said).ok().filter(|c| *c < size)
                }
            };
            flat = flat.zip(coord).map(|(flat, c)| flat * size + c);
        }
        self.strays |= flat.is_none();
        flat
    }
    /// The values of arguments. One that was read nowhere counts, unless another one decides without it.
    fn eval_args(&mut self, prim: Prim, args: &[OracleNode]) -> Vec<Approx> {
        let before = self.strays;
        let mut strays = Vec::new();
        let values: Vec<Approx> = args
            .iter()
            .map(|a| {
                self.strays = false;
                let value = self.eval(a);
                strays.push(self.strays);
                value
            })
            .collect();
        let exact = self.inputs.arithmetic == Arithmetic::Exact;
        let decided = |n: usize| {
            (0..values.len()).any(|m| m != n && !strays[m] && decides_alone(prim, m, values[m].value, exact))
        };
        let needed = |n: &usize| match (prim, values.first()) {
            (Prim::Select, Some(holds)) => *n == 0 || (*n == 1) == holds.value.truthy(),
            _ => !decided(*n),
        };
        self.strays = before || (0..values.len()).filter(|n| strays[*n]).any(|n| needed(&n));
        values
    }
    /// How much is read for one value.
    fn work(&self, node: &OracleNode) -> f64 {
        let each: f64 = node.children().into_iter().map(|c| self.work(c)).sum();
        match node {
            OracleNode::Fold { vars, .. } | OracleNode::FoldBy { vars, .. } => {
                vars.iter().map(|&v| self.sizes[v] as f64).product::<f64>() * each
            }
            OracleNode::PlaceOfExtreme { var, .. } => self.sizes[*var] as f64 * each,
            OracleNode::LastSent(sent) => {
                sent.vars.iter().map(|&v| self.sizes[v] as f64).product::<f64>() * each
            }
            _ => each.max(1.0),
        }
    }
    /// Whether everything in the sums and products of an expression is finite.
    fn is_finite(&mut self, node: &OracleNode) -> bool {
        match node {
            OracleNode::Apply { args, .. } => args.iter().all(|e| self.is_finite(e)),
            OracleNode::Cast { arg, .. } => self.is_finite(arg),
            leaf => {
                // Whether it is needed is another question.
                let before = self.strays;
                let finite = self.eval(leaf).value.is_finite();
                self.strays = before;
                finite
            }
        }
    }
    fn is_left_out(&mut self, l: &LeftOut) -> bool {
        !self.eval(&l.mask).value.truthy() && !l.old.as_ref().is_some_and(|old| self.is_kept(old))
    }
    fn eval(&mut self, node: &OracleNode) -> Approx {
        match node {
            OracleNode::Load { array, modes } => {
                let array = &self.inputs.arrays[array];
                let place = self.place(modes, &array.shape);
                Approx::exact(place.map_or(Scalar::zero(array.dtype), |flat| array.values[flat]))
            }
            OracleNode::Const(s) => Approx::exact(*s),
            OracleNode::Local(n, _) => self.locals[*n],
            OracleNode::Defined { body, args } => {
                let args: Vec<Approx> = args.iter().map(|a| self.eval(a)).collect();
                self.call_function(body, args)
            }
            OracleNode::FoldBy { by, first, vars, body } => {
                let mut total = Approx::exact(*first);
                self.run_for_all(vars, &mut |m| {
                    let term = m.eval(body);
                    total = m.call_function(by, vec![total, term]);
                });
                total
            }
            OracleNode::PlaceOfExtreme { prim, var, body } => self.place_of_extreme(*prim, *var, body),
            OracleNode::Counter(v) => Approx::exact(Scalar::I64(self.at[*v] as i64)),
            OracleNode::Cast { to, arg } => {
                let arg = self.eval(arg);
                arg.cast(*to, &mut self.doubt)
            }
            OracleNode::Apply { prim, args } => {
                let args = self.eval_args(*prim, args);
                value::apply(*prim, &args, self.inputs.arithmetic, &mut self.doubt)
            }
            OracleNode::Compare { prim, args } => {
                let number = |s: Scalar| match s {
                    Scalar::U64(n) => i128::from(n),
                    s => i128::from(s.as_i64()),
                };
                let order = number(self.eval(&args[0]).value).cmp(&number(self.eval(&args[1]).value));
                Approx::exact(Scalar::Bool(match prim {
                    Prim::Lt => order.is_lt(),
                    Prim::Le => order.is_le(),
                    Prim::Gt => order.is_gt(),
                    Prim::Ge => order.is_ge(),
                    Prim::Eq => order.is_eq(),
                    _ => order.is_ne(),
                }))
            }
            OracleNode::Fold { prim, vars, body } => self.reduce(*prim, vars, body),
            OracleNode::LastSent(sent) => self.with_last(sent, &mut |m, e| m.eval(e)),
        }
    }
    /// A reduction by a primitive.
    fn reduce(&mut self, prim: Prim, vars: &[usize], body: &OracleNode) -> Approx {
        let mut total: Option<Approx> = None;
        let in_steps = prim == Prim::Add && is_summed_in_steps(vars, self.sizes.len(), body);
        let multiplied_out = prim == Prim::Add && has_a_sum(body);
        let mut largest = 1.0;
        self.run_for_all(vars, &mut |m| {
            let term = m.eval(body);
            if term.value.is_finite() {
                largest *= term.value.as_complex().norm().max(1.0);
            }
            let infinite = in_steps && !term.value.is_finite();
            if infinite || multiplied_out && !m.is_finite(body) {
                m.doubt = m.doubt.or(Some(Doubt::Regrouped));
            }
            total = Some(match total {
                None => term,
                Some(sum) => value::apply(prim, &[sum, term], m.inputs.arithmetic, &mut m.doubt),
            });
        });
        let empty = Approx::exact(self.empty(prim, body));
        if prim == Prim::Mul && !Scalar::from_f64(largest, empty.value.dtype()).is_finite() {
            self.doubt = self.doubt.or(Some(Doubt::Regrouped));
        }
        if let Some(sum) = total {
            // One where nothing is combined yet stands beside it in some orders only.
            value::apply(prim, &[sum, empty], self.inputs.arithmetic, &mut self.doubt);
        }
        total.unwrap_or(empty)
    }
    /// What a fold over nothing gives.
    fn empty(&self, prim: Prim, body: &OracleNode) -> Scalar {
        value::identity(prim, self.dtype(body)).expect("typing made sure that the primitive folds")
    }
    fn dtype(&self, node: &OracleNode) -> DType {
        match node {
            OracleNode::Load { array, .. } => self.inputs.arrays[array].dtype,
            OracleNode::Const(s) => s.dtype(),
            OracleNode::Counter(_) | OracleNode::PlaceOfExtreme { .. } => DType::I64,
            OracleNode::Local(_, dtype) => *dtype,
            OracleNode::LastSent(sent) => self.dtype(&sent.value),
            OracleNode::Defined { body, .. } => body.result,
            OracleNode::Cast { to, .. } => *to,
            OracleNode::Compare { .. } => DType::Bool,
            OracleNode::Apply { prim, args } => prim
                .result(self.dtype(args.last().expect("calls have arguments")))
                .expect("typing checked it"),
            OracleNode::Fold { body, .. } | OracleNode::FoldBy { body, .. } => self.dtype(body),
        }
    }
}
