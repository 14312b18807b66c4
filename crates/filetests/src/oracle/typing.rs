//! Types of an expression: NumPy's promotion, with literals that take the dtype of what they meet.

use super::clip;
use super::extreme::is_place;
use super::function::{BodyNames, OracleFunction};
use super::scatter::SentLast;
use super::slice::slice_coordinates;
use super::value::{Approx, identity};
use super::{OracleInputs, Refusal};
use openwork_algebra::library::Domain;
use openwork_algebra::{Arithmetic, DType, DTypeKind, Library, Prim, Scalar};
use openwork_index::notation::function::Definition;
use openwork_index::notation::semiring::is_semiring;
use openwork_index::notation::{Name, StatementSyntax, Syntax, TensorRef};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A typed expression over numbered arrays and variables.
#[derive(Clone, Debug)]
pub(super) enum OracleNode {
    Load {
        array: String,
        modes: Vec<OracleMode>,
    },
    Const(Scalar),
    Counter(usize),
    /// A conversion.
    Cast {
        to: DType,
        arg: Box<OracleNode>,
    },
    Apply {
        prim: Prim,
        args: Vec<OracleNode>,
    },
    /// A comparison of integers by value.
    Compare {
        prim: Prim,
        args: Vec<OracleNode>,
    },
    Fold {
        prim: Prim,
        vars: Vec<usize>,
        body: Box<OracleNode>,
    },
    /// A fold by a function that the statement defines, from a first value.
    FoldBy {
        by: Rc<OracleFunction>,
        first: Scalar,
        vars: Vec<usize>,
        body: Box<OracleNode>,
    },
    /// The first place of the smallest or largest value, or of NaN.
    PlaceOfExtreme {
        prim: Prim,
        var: usize,
        body: Box<OracleNode>,
    },
    /// The value that was sent last to where the other variables are, in ascending order of these.
    LastSent(Rc<SentLast>),
    /// A local of a function, with its dtype.
    Local(usize, DType),
    /// A call of a function that the statement defines.
    Defined {
        body: Rc<OracleFunction>,
        args: Vec<OracleNode>,
    },
}

/// Where a mode of an array is read.
#[derive(Clone, Debug)]
pub(super) enum OracleMode {
    /// At so many coordinates from the first one for each value of a variable.
    Along { var: usize, first: usize, step: i64 },
    /// Where a value says.
    At(OracleNode),
}

impl OracleNode {
    pub(super) fn children(&self) -> Vec<&OracleNode> {
        match self {
            OracleNode::Load { modes, .. } => {
                let mut positions = Vec::new();
                for mode in modes {
                    if let OracleMode::At(value) = mode {
                        positions.push(value);
                    }
                }
                positions
            }
            OracleNode::Const(_) | OracleNode::Counter(_) | OracleNode::Local(..) => Vec::new(),
            OracleNode::Cast { arg, .. } => vec![arg],
            OracleNode::Apply { args, .. }
            | OracleNode::Compare { args, .. }
            | OracleNode::Defined { args, .. } => args.iter().collect(),
            OracleNode::Fold { body, .. }
            | OracleNode::FoldBy { body, .. }
            | OracleNode::PlaceOfExtreme { body, .. } => vec![body],
            OracleNode::LastSent(sent) => {
                let places = sent.places.iter().map(|(_, place)| place);
                places.chain(&sent.mask).chain([&sent.value, &sent.nothing]).collect()
            }
        }
    }
    /// Whether `v` occurs outside folds over it.
    pub(super) fn uses(&self, v: usize) -> bool {
        match self {
            OracleNode::Load { modes, .. } => modes.iter().any(|mode| match mode {
                OracleMode::Along { var, .. } => *var == v,
                OracleMode::At(value) => value.uses(v),
            }),
            OracleNode::Counter(c) => *c == v,
            OracleNode::Fold { vars, body, .. } | OracleNode::FoldBy { vars, body, .. } => {
                !vars.contains(&v) && body.uses(v)
            }
            OracleNode::PlaceOfExtreme { var, body, .. } => *var != v && body.uses(v),
            OracleNode::LastSent(sent) if sent.vars.contains(&v) => false,
            _ => self.children().into_iter().any(|c| c.uses(v)),
        }
    }
}

/// An expression with its dtype; `loose` when literals alone made it.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) node: OracleNode,
    pub(super) dtype: DType,
    pub(super) loose: bool,
}

/// The names a statement may use.
pub(super) struct OracleScope<'a> {
    pub(super) inputs: &'a OracleInputs,
    pub(super) vars: Vec<String>,
    /// Sizes found so far.
    pub(super) sizes: BTreeMap<usize, usize>,
    /// The functions that may be called.
    pub(super) functions: Vec<Arc<Definition>>,
    /// What names mean in the body of one.
    pub(super) names: Option<BodyNames>,
    /// The statement, where it has sums of index variables, whose ranges are known.
    pub(super) with_sums: Option<Rc<StatementSyntax>>,
}

pub(super) fn refuse<T>(code: &'static str, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { code, why: why.into() })
}

/// The primitive a function or reduction name stands for.
fn function(name: &str) -> Option<Prim> {
    Some(match name {
        "sum" => Prim::Add,
        "prod" => Prim::Mul,
        "any" => Prim::Or,
        "all" => Prim::And,
        "where" => Prim::Select,
        "choose" => Prim::Choose,
        _ => return Prim::by_name(name).filter(|&p| p != Prim::Select),
    })
}
fn only_reduces(name: &str) -> bool {
    matches!(name, "sum" | "prod" | "any" | "all")
}
fn folds(prim: Prim) -> bool {
    let named = matches!(
        prim,
        Prim::Library(
            Library::Fmin | Library::Fmax | Library::Gcd | Library::Logaddexp | Library::Logaddexp2
        )
    );
    named
        || matches!(
            prim,
            Prim::Add | Prim::Mul | Prim::Min | Prim::Max | Prim::And | Prim::Or | Prim::Xor | Prim::Choose
        )
}

impl OracleScope<'_> {
    pub(super) fn var(&self, name: &str) -> Option<usize> {
        self.vars.iter().position(|v| v == name)
    }
    /// Whether a name is that of a function that reduces.
    pub(super) fn reduces(&self, name: &str) -> bool {
        match self.find_definition(name) {
            Some(f) => f.reduces(),
            None => is_place(name) || function(name).is_some_and(folds),
        }
    }
    /// Whether a call of a name converts.
    pub(super) fn converts(&self, name: &str, args: usize) -> bool {
        args == 1 && DType::ALL.into_iter().any(|d| d.name() == name)
    }
    /// Fixes the size of a variable.
    pub(super) fn size(&mut self, v: usize, size: usize) -> Result<(), Refusal> {
        match self.sizes.insert(v, size) {
            Some(old) if old != size => refuse("E0203", format!("{} is {old} and {size}", self.vars[v])),
            _ => Ok(()),
        }
    }
    /// The element that a reference reads.
    pub(super) fn load(&mut self, t: &TensorRef) -> Result<Typed, Refusal> {
        self.load_from(t.name.text.clone(), t)
    }
    fn load_from(&mut self, array_name: String, t: &TensorRef) -> Result<Typed, Refusal> {
        let Some(array) = self.inputs.arrays.get(&array_name) else {
            return refuse("E0201", t.name.text.clone());
        };
        if array.shape.len() != t.indices.len() {
            return refuse("E0202", t.name.text.clone());
        }
        let mut modes = Vec::new();
        for (mode, ((name, window), &size)) in t.indices.iter().zip(&t.windows).zip(&array.shape).enumerate()
        {
            if let Some(position) = t.position(mode) {
                modes.push(OracleMode::At(self.position(position, size)?));
                continue;
            }
            let v = self.var(&name.text).expect("every index of the statement is in scope");
            let read = slice_coordinates(window, size as i64)
                .ok_or_else(|| Refusal { code: "E0217", why: format!("{window} of {size}") })?;
            if !self.bounds_only(t, mode) {
                self.size(v, read.len())?;
            }
            let first = read.first().copied().unwrap_or(0);
            modes.push(OracleMode::Along { var: v, first, step: window.step });
        }
        let node = OracleNode::Load { array: array_name, modes };
        Ok(Typed { node, dtype: array.dtype, loose: false })
    }
    /// Whether an index alone bounds its variable only, which has its range already.
    fn bounds_only(&self, t: &TensorRef, mode: usize) -> bool {
        let shifts = |s: &Rc<StatementSyntax>| s.is_shifted(&t.name.text, &t.indices[mode].text);
        t.windows[mode].is_whole() && self.with_sums.as_ref().is_some_and(shifts)
    }
    /// An access that has another value outside.
    fn pad_access(&mut self, args: &[Syntax]) -> Result<Typed, Refusal> {
        let (Some(Syntax::Tensor(t)), 1..=2) = (args.first(), args.len()) else {
            return refuse("E0204", "padded");
        };
        let Some(array) = self.inputs.arrays.get(&t.name.text).filter(|_| !t.bare) else {
            return refuse(if t.bare { "E0204" } else { "E0201" }, "padded");
        };
        let (shape, dtype) = (array.shape.clone(), array.dtype);
        if shape.len() != t.indices.len() {
            return refuse("E0202", t.name.text.clone());
        }
        let outside = match args.get(1) {
            Some(other) => self.expr(other)?,
            None => {
                let fill = self.inputs.outside.get(&t.name.text).copied().unwrap_or(Scalar::zero(dtype));
                Typed { node: OracleNode::Const(fill), dtype, loose: false }
            }
        };
        let yes = OracleNode::Const(Scalar::Bool(true));
        let mut holds = Typed { node: yes, dtype: DType::Bool, loose: false };
        let mut modes = Vec::new();
        for (mode, &size) in shape.iter().enumerate() {
            let place = match t.position(mode) {
                Some(position) => self.position(position, size)?,
                None if t.windows[mode].is_whole() => {
                    OracleNode::Counter(self.var(&t.indices[mode].text).expect("the index is in scope"))
                }
                None => return refuse("E0204", "a padded window"),
            };
            if matches!(place, OracleNode::Const(_)) {
                modes.push(OracleMode::At(place));
                continue;
            }
            let limit = |n: usize| OracleNode::Const(Scalar::I64(n as i64));
            for (prim, n) in [(Prim::Ge, 0), (Prim::Lt, size)] {
                let node = OracleNode::Compare { prim, args: vec![place.clone(), limit(n)] };
                let side = Typed { node, dtype: DType::Bool, loose: false };
                holds = apply(Prim::And, vec![holds, side])?;
            }
            modes.push(OracleMode::At(place));
        }
        let node = OracleNode::Load { array: t.name.text.clone(), modes };
        apply(Prim::Select, vec![holds, Typed { node, dtype, loose: false }, outside])
    }
    /// A value that says where a mode of `size` coordinates is read; a literal below zero counts from the end.
    pub(super) fn position(&mut self, e: &Syntax, size: usize) -> Result<OracleNode, Refusal> {
        let literal = match e {
            Syntax::Number(n) => n.text.parse::<i64>().ok(),
            Syntax::Op { op, args, .. } if op.prim == Prim::Neg => match &args[..] {
                [Syntax::Number(n)] => n.text.parse::<i64>().ok().map(|n| -n),
                _ => None,
            },
            _ => None,
        };
        if let Some(n) = literal {
            let place = if n < 0 { n + size as i64 } else { n };
            return match (0..size as i64).contains(&place) {
                true => Ok(OracleNode::Const(Scalar::I64(place))),
                false => refuse("E0217", format!("{n} of {size}")),
            };
        }
        let value = self.expr(e)?;
        match value.dtype.is_int() {
            true => Ok(cast(value.node, value.dtype, DType::I64)),
            false => refuse("E0204", "a position that is no integer"),
        }
    }
    pub(super) fn expr(&mut self, e: &Syntax) -> Result<Typed, Refusal> {
        match e {
            Syntax::Number(n) => number(n),
            Syntax::Tensor(t) if self.names.is_some() => {
                self.local(&t.name.text).unwrap_or_else(|| refuse("E0201", t.name.text.clone()))
            }
            Syntax::Tensor(t) => match self.var(&t.name.text) {
                Some(v) if t.bare => {
                    Ok(Typed { node: OracleNode::Counter(v), dtype: DType::I64, loose: false })
                }
                _ => self.load(t),
            },
            Syntax::Op { op, args, .. } => self.call(op.prim, args),
            Syntax::Apply { name, args, .. } => self.call_named(name, args),
        }
    }
    fn call(&mut self, prim: Prim, args: &[Syntax]) -> Result<Typed, Refusal> {
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
        apply(prim, args)
    }
    /// Whether an operand stores something there.
    pub(super) fn structure(&mut self, arg: &Syntax) -> Result<Typed, Refusal> {
        match arg {
            Syntax::Tensor(t) if self.names.is_none() && !(t.bare && self.var(&t.name.text).is_some()) => {
                self.load_from(format!("structure({})", t.name.text), t)
            }
            _ => refuse("E0204", "structure"),
        }
    }
    fn call_named(&mut self, name: &Name, args: &[Syntax]) -> Result<Typed, Refusal> {
        let dtype = DType::ALL.into_iter().find(|d| d.name() == name.text);
        if let (Some(to), [arg]) = (dtype, args) {
            let arg = self.expr(arg)?;
            return Ok(Typed { node: cast(arg.node, arg.dtype, to), dtype: to, loose: false });
        }
        if name.text == "padded" {
            return self.pad_access(args);
        }
        if name.text == "structure" {
            return match args {
                [arg] => self.structure(arg),
                _ => refuse("E0204", "structure"),
            };
        }
        if is_semiring(&name.text) && self.find_definition(&name.text).is_none() {
            return self.semiring(&name.text, args);
        }
        let bare = |a: &Syntax| match a {
            Syntax::Tensor(t) if t.bare => self.var(&t.name.text),
            _ => None,
        };
        let (body, leading) = match args.split_last() {
            Some(split) => split,
            None => return refuse("E0204", "no arguments"),
        };
        let leading: Option<Vec<usize>> = leading.iter().map(bare).collect();
        if let Some(f) = self.find_definition(&name.text) {
            return match leading {
                Some(vars) if !vars.is_empty() && f.reduces() => self.fold_by(&f, vars, body),
                _ => self.apply_defined(&f, args),
            };
        }
        if is_place(&name.text) {
            return match leading.as_deref() {
                Some(&[var]) => self.place_of_extreme(&name.text, var, body),
                _ => refuse("E0205", name.text.clone()),
            };
        }
        if name.text == "clip" {
            return clip::apply_clip(args.iter().map(|a| self.expr(a)).collect::<Result<_, _>>()?);
        }
        let Some(prim) = function(&name.text) else { return refuse("E0204", name.text.clone()) };
        match leading {
            Some(vars) if !vars.is_empty() && folds(prim) => {
                let body = self.expr(body)?;
                let repeated = (1..vars.len()).any(|n| vars[..n].contains(&vars[n]));
                if repeated || vars.iter().any(|&v| !body.node.uses(v)) {
                    return refuse("E0205", name.text.clone());
                }
                fold(prim, vars, body)
            }
            _ if only_reduces(&name.text) => refuse("E0205", name.text.clone()),
            _ if prim.arity() == 2 && args.len() > 2 && folds(prim) => {
                let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
                let mut args = args.into_iter();
                let first = args.next().expect("more than two arguments");
                args.try_fold(first, |left, right| apply(prim, vec![left, right]))
            }
            _ if prim.arity() != args.len() => refuse("E0204", name.text.clone()),
            _ => self.call(prim, args),
        }
    }
}

fn number(n: &Name) -> Result<Typed, Refusal> {
    let text = n.text.as_str();
    if let "true" | "false" = text {
        return Ok(Typed {
            node: OracleNode::Const(Scalar::Bool(text == "true")),
            dtype: DType::Bool,
            loose: false,
        });
    }
    let dtype = match text.chars().all(|c| c.is_ascii_digit()) {
        true if text.parse::<i64>().is_ok() => DType::I64,
        true => DType::U64,
        false => DType::F64,
    };
    match Scalar::parse(text, dtype) {
        Some(value) => Ok(Typed { node: OracleNode::Const(value), dtype, loose: true }),
        None => refuse("E0207", text),
    }
}

pub(super) fn cast(node: OracleNode, from: DType, to: DType) -> OracleNode {
    if from == to { node } else { OracleNode::Cast { to, arg: Box::new(node) } }
}

/// A fold, if the primitive folds in the dtype.
pub(super) fn fold(prim: Prim, vars: Vec<usize>, body: Typed) -> Result<Typed, Refusal> {
    fold_as_is(prim, vars, numbers(prim, body))
}

/// A fold in the dtype of what is folded, also of truth values.
pub(super) fn fold_as_is(prim: Prim, vars: Vec<usize>, body: Typed) -> Result<Typed, Refusal> {
    let prim = of_truths(prim, body.dtype);
    if identity(prim, body.dtype).is_none() {
        return refuse("E0204", format!("{} over {}", prim.name(), body.dtype));
    }
    let node = OracleNode::Fold { prim, vars, body: Box::new(body.node) };
    Ok(Typed { node, dtype: body.dtype, loose: false })
}

/// The primitive on a dtype: no truth value is NaN, and the smaller of two is one.
fn of_truths(prim: Prim, dtype: DType) -> Prim {
    match prim {
        Prim::Library(Library::Fmin) if dtype == DType::Bool => Prim::Min,
        Prim::Library(Library::Fmax) if dtype == DType::Bool => Prim::Max,
        Prim::Choose if dtype == DType::Bool => Prim::Or,
        _ => prim,
    }
}

/// Sums and products of truth values are those of 0 and 1.
fn numbers(prim: Prim, body: Typed) -> Typed {
    if body.dtype != DType::Bool || !matches!(prim, Prim::Add | Prim::Mul) {
        return body;
    }
    Typed { node: cast(body.node, DType::Bool, DType::I64), dtype: DType::I64, loose: false }
}

/// Whether a loose value of dtype `own` takes the dtype `other` instead of widening it.
pub(super) fn takes(own: DType, other: DType) -> bool {
    let wanted = if own.kind() == DTypeKind::Float { DTypeKind::Float } else { DTypeKind::Unsigned };
    other.kind() >= wanted
}

/// The arguments meet in one dtype, in which the primitive must be defined.
pub(super) fn apply(prim: Prim, args: Vec<Typed>) -> Result<Typed, Refusal> {
    if let (Prim::Neg, [Typed { node: OracleNode::Const(Scalar::U64(n)), loose: true, .. }]) =
        (prim, &args[..])
    {
        let least = Typed { node: OracleNode::Const(Scalar::I64(i64::MIN)), dtype: DType::I64, loose: true };
        return if *n == i64::MIN.unsigned_abs() { Ok(least) } else { refuse("E0207", format!("-{n}")) };
    }
    if prim == Prim::Select {
        return choose(args);
    }
    let loose = args.iter().all(|a| a.loose);
    if prim.is_comparison() && args.iter().all(|a| a.dtype.is_int()) {
        let args = args.into_iter().map(|a| a.node).collect();
        return Ok(Typed { node: OracleNode::Compare { prim, args }, dtype: DType::Bool, loose });
    }
    let firm = args.iter().filter(|a| !a.loose).map(|a| a.dtype).reduce(DType::promote);
    let loose = || args.iter().filter(|a| a.loose).map(|a| a.dtype);
    let Some((meet, _)) = common_dtype(&args) else { return refuse("E0204", prim.name()) };
    let prim = of_truths(prim, meet);
    let integral = |d: DType| d.kind() < DTypeKind::Float;
    // Each integer asks for the least floats that hold its dtype.
    let float = |d: DType| match d.size() {
        _ if !integral(d) => d,
        1 | 2 => DType::F32,
        _ => DType::F64,
    };
    let meet = match prim {
        Prim::Div if integral(meet) => DType::F64,
        Prim::Library(f) if f.domain() == Domain::Floats => {
            let widening = loose().filter(|&own| firm.is_none_or(|d| !takes(own, d)));
            let all = args.iter().filter(|a| !a.loose).map(|a| a.dtype).chain(widening);
            all.map(float).reduce(DType::promote).unwrap_or(meet)
        }
        Prim::Library(_) if meet == DType::Bool => DType::I8,
        _ => meet,
    };
    let Some(dtype) = prim.result(meet) else { return refuse("E0204", format!("{} of {meet}", prim.name())) };
    let loose = firm.is_none();
    let args: Vec<OracleNode> = args.into_iter().map(|a| convert(a, meet)).collect::<Result<_, _>>()?;
    let node =
        folded_integer(prim, &args, dtype).filter(|_| loose).unwrap_or(OracleNode::Apply { prim, args });
    Ok(Typed { node, dtype, loose })
}

/// The dtype in which several values meet, and whether numbers alone made them.
fn common_dtype(args: &[Typed]) -> Option<(DType, bool)> {
    let firm = args.iter().filter(|a| !a.loose).map(|a| a.dtype).reduce(DType::promote);
    let meet = args.iter().filter(|a| a.loose).fold(firm, |meet, a| match meet {
        Some(d) if takes(a.dtype, d) => Some(d),
        Some(d) => Some(d.promote(a.dtype)),
        None => Some(a.dtype),
    });
    Some((meet?, firm.is_none()))
}

/// The integer that numbers alone come to: it must fit as one that is written does.
fn folded_integer(prim: Prim, args: &[OracleNode], dtype: DType) -> Option<OracleNode> {
    let number = |node: &OracleNode| match node {
        OracleNode::Const(s) => Some(Approx::exact(*s)),
        _ => None,
    };
    let all: Vec<Approx> = args.iter().map(number).collect::<Option<_>>()?;
    let value = super::value::apply(prim, &all, Arithmetic::default(), &mut None).value;
    (dtype.is_int() && value.dtype() == dtype).then_some(OracleNode::Const(value))
}

/// `where(c, a, b)`: the condition is a truth value, the others meet.
fn choose(mut args: Vec<Typed>) -> Result<Typed, Refusal> {
    let condition = truth(args.remove(0))?.node;
    let Some((dtype, loose)) = common_dtype(&args) else { return refuse("E0204", "where") };
    let args: Vec<OracleNode> = args.into_iter().map(|a| convert(a, dtype)).collect::<Result<_, _>>()?;
    let args = [vec![condition], args].concat();
    Ok(Typed { node: OracleNode::Apply { prim: Prim::Select, args }, dtype, loose })
}

/// Whether a value is not zero.
pub(super) fn truth(value: Typed) -> Result<Typed, Refusal> {
    let node = cast(value.node, value.dtype, DType::Bool);
    Ok(Typed { node, dtype: DType::Bool, loose: false })
}

/// The value where a mask is true, else `idle`.
pub(super) fn mask_value(mask: Typed, value: Typed, idle: Scalar) -> Result<Typed, Refusal> {
    let idle = Typed { node: OracleNode::Const(idle), dtype: value.dtype, loose: value.loose };
    apply(Prim::Select, vec![mask, value, idle])
}

/// The value in another dtype; an integer literal must fit exactly.
pub(super) fn convert(value: Typed, to: DType) -> Result<OracleNode, Refusal> {
    if let OracleNode::Const(s) = value.node {
        let there = s.cast(to);
        let below = |s: Scalar| s.dtype().kind() == DTypeKind::Signed && s.as_i64() < 0;
        let sign_stays = !(to.is_int() && s.dtype().is_int()) || below(there) == below(s);
        let fits = to.kind() >= DTypeKind::Float || there.cast(s.dtype()).is_same(s) && sign_stays;
        return if fits { Ok(OracleNode::Const(there)) } else { refuse("E0207", s.to_string()) };
    }
    if let (true, OracleNode::Apply { prim: Prim::Select, args }) = (value.loose, &value.node) {
        let branch = |n: usize| convert(Typed { node: args[n].clone(), dtype: value.dtype, loose: true }, to);
        return Ok(OracleNode::Apply {
            prim: Prim::Select,
            args: vec![args[0].clone(), branch(1)?, branch(2)?],
        });
    }
    Ok(cast(value.node, value.dtype, to))
}

/// The value as it is stored in a result of dtype `to`; a reduction is carried out in that dtype.
pub(super) fn store_value(value: Typed, to: DType) -> Result<Typed, Refusal> {
    let (from, loose) = (value.dtype, value.loose);
    if !(from.casts_to(to) || (loose && takes(from, to))) {
        return refuse("E0208", format!("{from} as {to}"));
    }
    let node = match value.node {
        node if from == to => node,
        OracleNode::Fold { prim, vars, body } if identity(prim, to).is_some() => {
            let body = Typed { node: *body, dtype: from, loose: false };
            // Folds of folds by one operator are one fold.
            let body = match &body.node {
                OracleNode::Fold { prim: inner, .. } if *inner == prim => store_value(body, to)?.node,
                _ => convert(body, to)?,
            };
            OracleNode::Fold { prim, vars, body: Box::new(body) }
        }
        node => convert(Typed { node, ..value }, to)?,
    };
    Ok(Typed { node, dtype: to, loose })
}
