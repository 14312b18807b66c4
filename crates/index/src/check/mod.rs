//! The checker, from syntax to a typed [`Assignment`]: names, ranks, dimensions, dtypes, and explicit reductions.

mod backwards;
mod compare;
mod dims;
mod einsum;
mod extremes;
mod function;
mod magnitude;
mod padded;
mod placed;
mod positions;
mod promise;
mod ranges;
mod readings;
mod samples;
mod scatter;
mod semiring;
mod structure;
mod types;
mod unsaid;
mod windows;

use crate::expr::{
    Access, GivenShape, Holds, IndexExpr, IndexId, IndexVar, PositionReach, TensorId, TensorKind, TensorVar,
};
use crate::fold::fold;
use crate::notation::function::Definition;
use crate::notation::parse::{function_names, is_function, is_value, refuse_unknown_function};
use crate::notation::{CLIP, Name, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use einsum::Variables;
pub use magnitude::{PlanSizes, compare_with_coordinates, count_order, size_order};
pub use magnitude::{typical_count, typical_size};
use openwork_algebra::{Arithmetic, DType, Operator, Prim, Scalar};
use openwork_base::names::{meant_or, nearest};
use openwork_base::{Arena, Code, Diagnostic, Error, Result, Source, Span};
use openwork_format::{Format, presets};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of a tensor before the statement is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decl {
    /// Element type; for a result, `None` takes the expression's.
    pub dtype: Option<DType>,
    /// Storage; `None` lets the planner choose (a result) or means dense (an operand).
    pub format: Option<Format>,
    /// Size of each mode, where known.
    pub shape: Option<Vec<usize>>,
    /// How many values an operand stores, where known: the planner weighs its choices by it, nothing else depends on it.
    pub stored: Option<usize>,
    /// How many of them are elements, where known: slots may be empty, and runs may have many coordinates or the fill value.
    /// What the operand would store in a format that lists elements; the planner weighs conversions by it.
    pub elements: Option<usize>,
}

/// The tensors and index sizes a statement may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decls {
    /// By tensor name.
    pub tensors: BTreeMap<String, Decl>,
    /// Sizes of index variables, by name.
    pub dims: BTreeMap<String, usize>,
    /// How annihilators stand beside infinities and NaN; `None` takes the session's way.
    pub arithmetic: Option<Arithmetic>,
    /// The sizes that the plan is made for.
    pub sizes: PlanSizes,
}

/// A typed statement: every reduction explicit, every conversion explicit, every index variable sized where possible.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// All tensors, the result included; a compound assignment also has the old value as an operand.
    pub tensors: Arena<TensorId, TensorVar>,
    /// All index variables.
    pub indices: Arena<IndexId, IndexVar>,
    /// What is computed.
    pub lhs: Access,
    /// How, folded.
    pub rhs: IndexExpr,
    /// What is read in the statement as it was written, over the modes of the operands: each fixes the sizes of its
    /// variables, also where folding left nothing of it.
    pub reads: Vec<Access>,
    /// Whether the caller fixed the result's format.
    pub format_given: FormatChoice,
    /// The text.
    pub source: Source,
}

/// Who chose a result's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatChoice {
    /// The caller; it must be respected.
    Caller,
    /// Nobody yet; the planner may.
    Planner,
}

pub(crate) const UNKNOWN: Code = Code("E0201");
pub(crate) const RANK: Code = Code("E0202");
pub(crate) const DIMENSION: Code = Code("E0203");
pub(crate) const TYPE: Code = Code("E0204");
pub(crate) const REDUCED: Code = Code("E0205");
pub(crate) const NO_SIZE: Code = Code("E0206");
pub(crate) const LITERAL: Code = Code("E0207");
pub(crate) const NARROWING: Code = Code("E0208");
pub(crate) const BAD_DECL: Code = Code("E0210");
pub(crate) const AMBIGUOUS: Code = Code("E0214");
pub(crate) const WINDOW: Code = Code("E0217");

/// Checks a statement against declarations.
///
/// # Errors
/// `E0201` unknown tensor, `E0202` wrong number of indices, `E0203` sizes that disagree, `E0204` an operator
/// undefined for its dtypes, `E0205` a bad reduction variable, `E0206` an index variable without a size, `E0207` a
/// literal that does not fit, `E0215` and `E0216` a function that is no function, or not what is said of it, `E0208` a result dtype that would lose the kind of the value, `E0210` a declaration that contradicts itself, `E0214` an implicit sum before or after a function, `E0217` a
/// window that reaches beyond its mode.
///
/// ```
/// use openwork_algebra::DType;
/// use openwork_base::Source;
/// use openwork_index::{Decl, Decls, check, notation};
/// let mut decls = Decls::default();
/// for (name, shape) in [("A", vec![3, 4]), ("x", vec![4])] {
///     let decl = Decl { dtype: Some(DType::F64), shape: Some(shape), ..Decl::default() };
///     decls.tensors.insert(name.into(), decl);
/// }
/// let read = |t: &str| notation::parse(&Source::new("statement", t)).unwrap();
/// let good = check(&read("y(i) = A(i,j) * x(j)"), &decls).unwrap();
/// assert_eq!(good.to_string(), "y(i) = sum(j, A(i,j) * x(j))");
/// let bad = check(&read("y(i) = A(i,j) * x(i)"), &decls).unwrap_err();
/// assert_eq!(bad.code().0, "E0203");
/// ```
pub fn check(statement: &StatementSyntax, decls: &Decls) -> Result<Assignment> {
    let turned = backwards::turn_windows(statement, decls)?;
    let decls = &*turned.decls;
    let ranged = ranges::resolve_ranges(&turned.statement, decls)?;
    let statement = &*ranged.statement;
    let mut c = Checker {
        source: &statement.source,
        decls,
        result_name: &statement.lhs.name.text,
        tensors: Arena::new(),
        indices: Arena::new(),
        index_ids: BTreeMap::new(),
        operand_ids: BTreeMap::new(),
        sized_by: BTreeMap::new(),
        functions: statement.functions.clone(),
        scope: None,
        large: false,
        known: function::SharedFacts::default(),
        positions: Vec::new(),
        bound_positions: Vec::new(),
        scattered: Vec::new(),
        placed: Vec::new(),
        padding: false,
        unread: Vec::new(),
        given_shapes: ranges::given_shapes(statement, decls),
        sums_inside: ranged.inside,
    };
    c.refuse_values_as_names()?;
    [&statement.rhs].into_iter().chain(&statement.mask).try_for_each(|e| c.refuse_unknown_functions(e))?;
    for name in statement.index_names() {
        let size = decls.dims.get(name).or(ranged.sizes.get(name)).copied();
        let made_for = match ranged.inside && ranged.sizes.contains_key(name) {
            true => c.given_shapes.clone(),
            false => [].into(),
        };
        let id = c.indices.push(IndexVar {
            name: name.to_string(),
            size,
            span: Span::default(),
            derived: None,
            positional: false,
            scattered: false,
            declared: false,
            reach: PositionReach::Unknown,
            made_for,
            like: None,
        });
        c.index_ids.insert(name.to_string(), id);
    }
    let said = with_variables(statement, |variables| variables.saying_variables(&statement.lhs));
    let lhs_vars = c.result_vars(statement, &said)?;
    with_variables(statement, |variables| unsaid::refuse_unsaid_variables(statement, variables))?;
    let value = c.value(statement, &lhs_vars)?;
    c.finish(statement, lhs_vars, value)
}

/// The right-hand side with its implicit sums written out.
fn explicit(s: &StatementSyntax) -> Result<Syntax> {
    with_variables(s, |variables| {
        let left = variables.left_variables(&s.lhs);
        match variables.ambiguity(&s.rhs, &left) {
            None => Ok(variables.sum_implicit(&s.rhs, &left)),
            Some(ambiguity) => Err(readings::refusal(s, variables, &ambiguity)),
        }
    })
}

fn with_variables<T>(s: &StatementSyntax, f: impl FnOnce(&Variables) -> T) -> T {
    let names = s.index_names();
    f(&Variables { known: &|name| names.contains(&name), functions: &s.functions })
}

/// Whether the implicit sums of a statement, if it has any, are what only one way of writing them out says; [`check`]
/// refuses others.
pub fn has_one_reading(s: &StatementSyntax) -> bool {
    let is_clear =
        |variables: &Variables| variables.ambiguity(&s.rhs, &variables.left_variables(&s.lhs)).is_none();
    !sums(s) || with_variables(s, is_clear)
}

/// Whether variables that are not on the left are summed over.
fn sums(s: &StatementSyntax) -> bool {
    s.op.is_none_or(|op| op.name == "add")
}

/// The statement with its implicit sums written out; where a function leaves open whether it comes before or after a
/// sum ([`check`] refuses that), the sum comes after.
///
/// ```
/// use openwork_base::Source;
/// use openwork_index::{check::with_sums, notation};
/// let read = notation::parse(&Source::new("statement", "y(i) = b(i) + max(0, A(i,j))")).unwrap();
/// assert_eq!(with_sums(&read).to_string(), "y(i) = b(i) + sum(j, max(0, A(i,j)))");
/// ```
pub fn with_sums(s: &StatementSyntax) -> StatementSyntax {
    let summed =
        || with_variables(s, |variables| variables.sum_implicit(&s.rhs, &variables.left_variables(&s.lhs)));
    StatementSyntax { rhs: if sums(s) { summed() } else { s.rhs.clone() }, ..s.clone() }
}

/// State of one check.
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a Source,
    decls: &'a Decls,
    result_name: &'a str,
    pub(crate) tensors: Arena<TensorId, TensorVar>,
    pub(crate) indices: Arena<IndexId, IndexVar>,
    index_ids: BTreeMap<String, IndexId>,
    operand_ids: BTreeMap<(String, Holds, Vec<Window>), TensorId>,
    /// Where each index variable got its size, for messages.
    pub(crate) sized_by: BTreeMap<IndexId, Span>,
    /// The functions that may be called.
    functions: Arc<[Arc<Definition>]>,
    /// What names mean in the body of a function, while that is read.
    scope: Option<function::BodyScope>,
    /// Whether something in it is too large to be written out where it is named.
    large: bool,
    /// What is known of functions by now.
    known: function::SharedFacts,
    /// The modes that are read where a value says.
    positions: Vec<positions::Position>,
    /// Their variables that are bound already.
    bound_positions: Vec<IndexId>,
    /// The modes of the result that are written where a value says.
    scattered: Vec<scatter::ScatteredMode>,
    /// The variables that have a value, as a place in the result says them.
    placed: Vec<placed::PlacedVariable>,
    /// Whether what is read is not read where it would be outside.
    padding: bool,
    /// What is read nowhere, as it has no element.
    unread: Vec<Access>,
    /// The shapes that the statement is checked for, where it has sums of index variables.
    given_shapes: Arc<[GivenShape]>,
    /// Whether sums of index variables are known to be coordinates.
    sums_inside: bool,
}

impl Checker<'_> {
    /// A tensor or variable that is called like a value could not be meant by its name.
    fn refuse_values_as_names(&self) -> Result<()> {
        let mut names = self.decls.tensors.keys().chain(self.decls.dims.keys());
        match names.find(|name| is_value(name)) {
            None => Ok(()),
            Some(name) => {
                let message = format!("`{name}` is a value, so no tensor or index has this name");
                let all = self.source.part;
                Err(Error::rejection(self.reject(BAD_DECL, message, all).help("choose another name")))
            }
        }
    }
    /// Text has no call of what is no function; a statement that is built may.
    fn refuse_unknown_functions(&self, e: &Syntax) -> Result<()> {
        let (Syntax::Op { args, .. } | Syntax::Apply { args, .. }) = e else { return Ok(()) };
        if let Syntax::Apply { name, .. } = e
            && !is_function(&name.text)
            && name.text != CLIP
            && self.find_definition(&name.text).is_none()
        {
            return Err(refuse_unknown_function(name, &self.functions, self.source));
        }
        args.iter().try_for_each(|arg| self.refuse_unknown_functions(arg))
    }
    /// Parentheses behind the name of a function call it, also where a tensor has the same name.
    pub(crate) fn refuse_tensor_as_function(&self, name: &Name) -> Result<()> {
        let given = self.decls.tensors.get(&name.text).is_some_and(|d| d.dtype.is_some());
        if !given || name.text == self.result_name {
            return Ok(());
        }
        let message = format!("`{}` is a function, and a tensor has its name", name.text);
        let help = format!("write `{}[i]` for the tensor", name.text);
        Err(Error::rejection(self.reject(BAD_DECL, message, name.span).help(help)))
    }
    pub(crate) fn reject(&self, code: Code, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(code, message).point_at(self.source, span, "")
    }
    pub(crate) fn index(&mut self, name: &Name) -> IndexId {
        let id = self.index_ids[&name.text];
        if self.indices[id].span == Span::default() {
            self.indices[id].span = name.span;
        }
        id
    }
    pub(crate) fn index_named(&self, name: &str) -> Option<IndexId> {
        self.index_ids.get(name).copied()
    }

    /// The operator as the statement's arithmetic has it.
    pub(crate) fn arithmetic(&self, op: &'static Operator, dtype: DType) -> &'static Operator {
        op.in_arithmetic(self.decls.arithmetic.unwrap_or_default(), dtype)
    }
    /// The typed right-hand side, reductions explicit, a compound assignment spelled out.
    fn value(&mut self, s: &StatementSyntax, lhs_vars: &[IndexId]) -> Result<types::TypedExpr> {
        if s.op.is_none() && self.is_scattered() {
            return self.value_at_places(s, lhs_vars);
        }
        let adds = sums(s);
        let written = if adds { explicit(s)? } else { s.rhs.clone() };
        let rhs = self.type_expr(&written)?;
        let Some(op) = s.op else {
            let Some(mask) = &s.mask else { return Ok(rhs) };
            // In the dtype of the result: what stands where the mask is false is a value of that.
            let dtype = self.decls.tensors.get(self.result_name).and_then(|d| d.dtype).unwrap_or(rhs.dtype);
            let rhs = types::TypedExpr::strong(self.coerce_result(rhs, dtype, s.rhs.span())?, dtype);
            return self.mask_value(rhs, None, mask);
        };
        let old = self.access(&self.whole_result(&s.lhs, lhs_vars))?;
        let dtype = self.tensors[old.tensor].dtype;
        let op = types::of_truths(op, &[dtype]);
        if op.prim == Prim::Add && dtype == DType::Bool {
            let message =
                format!("`{}` holds truth values, and sums of truth values are counts", s.lhs.name.text);
            let d = self.reject(NARROWING, message, s.lhs.span);
            let help = "write |= for whether one of them is true, or y = any(j, …); count in a tensor of i64";
            return Err(Error::rejection(d.help(help)));
        }
        let rhs = self.coerce_result(rhs, dtype, s.rhs.span())?;
        let rhs = match &s.mask {
            Some(mask) => self.mask_value(types::TypedExpr::strong(rhs, dtype), Some(op), mask)?.expr,
            None => rhs,
        };
        let rhs = self.compare_scattered(rhs, op, dtype)?;
        let mut missing = self.varying_variables(&rhs);
        missing.retain(|v| !lhs_vars.contains(v));
        let reduced = if missing.is_empty() {
            rhs
        } else {
            self.check_reduces(op, dtype, s.rhs.span())?;
            let op = self.arithmetic(op, dtype);
            let (body, positions) = self.reduce_positions(op, rhs);
            IndexExpr::Reduce { op, vars: [missing, positions].concat(), body: Box::new(body) }
        };
        let old = types::TypedExpr::strong(IndexExpr::Access(old), dtype);
        self.apply(op, vec![old, types::TypedExpr::strong(reduced, dtype)], s.rhs.span())
    }

    /// A mask as truth values. Outermost, `!` is the complement of what is true, of numbers as well.
    pub(crate) fn truth(&mut self, mask: &Syntax) -> Result<types::TypedExpr> {
        if let Syntax::Op { op, args, span } = mask
            && op.name == "not"
        {
            let inner = self.truth(&args[0])?;
            return self.apply(op, vec![inner], *span);
        }
        let typed = self.type_expr(mask)?;
        let expr = match typed.dtype {
            DType::Bool => typed.expr,
            _ => IndexExpr::Cast { to: DType::Bool, arg: Box::new(typed.expr) },
        };
        Ok(types::TypedExpr::strong(expr, DType::Bool))
    }

    /// The value where a mask is true: elsewhere what changes nothing, what a reduction of nothing is, or 0.
    fn mask_value(
        &mut self,
        value: types::TypedExpr,
        op: Option<&'static Operator>,
        mask: &Syntax,
    ) -> Result<types::TypedExpr> {
        let reduced = match &value.expr {
            IndexExpr::Reduce { op, .. } => Some(*op),
            _ => None,
        };
        let idle = op.or(reduced).and_then(|op| op.identity_at(1, value.dtype));
        let idle = IndexExpr::Literal(idle.unwrap_or(Scalar::zero(value.dtype)));
        let idle = types::TypedExpr::strong(idle, value.dtype);
        let condition = self.truth(mask)?;
        let choose = Operator::find("masked").expect("masks are operators");
        self.apply(choose, vec![condition, value, idle], mask.span())
    }

    /// A checked operand access; declares the tensor on first sight.
    pub(crate) fn access(&mut self, t: &TensorRef) -> Result<Access> {
        self.access_to(t, Holds::Values)
    }
    fn access_to(&mut self, t: &TensorRef, holds: Holds) -> Result<Access> {
        let placed = self.read_at_places(t)?;
        let t = placed.as_ref().unwrap_or(t);
        let name = &t.name.text;
        let Some(decl) = self.decls.tensors.get(name).filter(|d| d.dtype.is_some()) else {
            return Err(self.refuse_unknown_tensor(t));
        };
        let vars: Vec<IndexId> =
            (0..t.indices.len()).map(|mode| self.mode_var(t, mode)).collect::<Result<_>>()?;
        let rank = decl
            .shape
            .as_ref()
            .map(Vec::len)
            .or(decl.format.as_ref().map(Format::rank))
            .unwrap_or(vars.len());
        if rank != vars.len() {
            let message = format!("`{name}` has {rank} modes, but is used with {} indices", vars.len());
            return Err(Error::rejection(self.reject(RANK, message, t.span)));
        }
        if let Some(shape) = &decl.shape {
            for (mode, (&v, &size)) in vars.iter().zip(shape).enumerate() {
                self.size_mode(v, t, mode, size)?;
            }
        }
        let tensor = self.operand(name, decl, rank, holds, Self::windows_of(t))?;
        if self.tensors[tensor].format.rank() != vars.len() {
            let message = format!("`{name}` is used with different numbers of indices");
            return Err(Error::rejection(self.reject(RANK, message, t.span)));
        }
        Ok(Access { tensor, vars })
    }
    /// `y_old`, or with more underscores where the caller has a tensor of that name.
    fn name_of_old_value(&self) -> String {
        let mut name = format!("{}_old", self.result_name);
        let taken = |name: &String| {
            self.decls.tensors.contains_key(name) || self.tensors.iter().any(|(_, t)| t.name == *name)
        };
        while taken(&name) {
            name.push('_');
        }
        name
    }
    fn refuse_unknown_tensor(&self, t: &TensorRef) -> Error {
        let declared = self.decls.tensors.iter().filter(|(_, d)| d.dtype.is_some());
        let known: Vec<&str> = declared.map(|(name, _)| name.as_str()).collect();
        // `erf(A(i,j))` is a call, unless a tensor has almost that name.
        if !t.positions.is_empty()
            && t.name.text != self.result_name
            && nearest(&t.name.text, known.clone()).is_empty()
        {
            return refuse_unknown_function(&t.name, &self.functions, self.source);
        }
        Error::rejection(self.describe_unknown_tensor(t, known))
    }
    fn describe_unknown_tensor(&self, t: &TensorRef, known: Vec<&str>) -> Diagnostic {
        let name = &t.name;
        let d = self.reject(UNKNOWN, format!("nothing is known of the tensor `{}`", name.text), name.span);
        if name.text == self.result_name {
            return d.help(format!("this reads the old value of `{}`: give it as an operand", name.text));
        }
        if let Some(function) = self.function_of_scalars(t) {
            let read = Syntax::Tensor(t.clone());
            let message = format!("`{read}` is an element of a tensor, as `{}(i)` would be", name.text);
            return d.help(format!("{message}; the function of scalars is written `{function}`"));
        }
        let help = match known[..] {
            [] => "give it as an operand".to_string(),
            _ => format!("known tensors are {}; give the others as operands", known.join(", ")),
        };
        // `mx(a, b)` may be a tensor or a function.
        let functions: Vec<&str> = function_names().filter(|_| !t.bare).collect();
        d.help(meant_or(&name.text, known.into_iter().chain(functions), &help))
    }
    /// What one of NumPy's names before names of scalars alone would be as a function.
    fn function_of_scalars(&self, t: &TensorRef) -> Option<Syntax> {
        let is_scalar = |n: &Name| self.decls.tensors.get(&n.text).is_some_and(|d| d.dtype.is_some());
        let named = !t.bare && !t.indices.is_empty() && t.indices.iter().all(is_scalar);
        let args = t.indices.iter().map(|n| Syntax::Tensor(TensorRef::bare(n.clone()))).collect();
        if named { crate::notation::alias::other_spelling(&t.name, args, t.span) } else { None }
    }
    fn declare(
        &mut self,
        name: String,
        shown: &str,
        decl: &Decl,
        kind: TensorKind,
        rank: usize,
    ) -> Result<TensorId> {
        let dtype = decl.dtype.expect("the caller checked that the dtype is known");
        let mut format = decl.format.clone().unwrap_or_else(|| presets::dense(rank));
        if let Some(shape) = &decl.shape {
            if format.rank() != shape.len() {
                let message =
                    format!("`{shown}` has {} modes but a format of {}", shape.len(), format.rank());
                return Err(Error::rejection(Diagnostic::new(BAD_DECL, message)));
            }
            format = format.resolve(shape);
        }
        let fill = self.fill(&format, dtype, shown)?;
        let given = shown.to_string();
        let Decl { stored, elements, .. } = *decl;
        let (remap, windows, holds) = (None, Vec::new(), Holds::Values);
        let tensor =
            TensorVar { name, given, dtype, format, remap, fill, kind, stored, elements, windows, holds };
        Ok(self.tensors.push(tensor))
    }
    fn fill(&self, format: &Format, dtype: DType, shown: &str) -> Result<Scalar> {
        format.fill_value(dtype).ok_or_else(|| {
            let text = format.fill.as_deref().unwrap_or("");
            let is_number =
                [DType::I64, DType::U64, DType::F64].iter().any(|&d| Scalar::parse(text, d).is_some());
            let code = if is_number { LITERAL } else { BAD_DECL };
            let message = format!("the fill `{text}` of `{shown}` is no {dtype}");
            Error::rejection(Diagnostic::new(code, message))
        })
    }

    /// Declares the result, converts the value to its dtype, and checks that every index has a size.
    fn finish(
        mut self,
        s: &StatementSyntax,
        vars: Vec<IndexId>,
        value: types::TypedExpr,
    ) -> Result<Assignment> {
        let name = &s.lhs.name.text;
        let mut decl = self.decls.tensors.get(name).cloned().unwrap_or_default();
        let value_dtype = value.dtype;
        let dtype = decl.dtype.unwrap_or(value_dtype);
        let rhs = self.coerce_result(value, dtype, s.rhs.span())?;
        let outside = decl.format.as_ref().filter(|f| f.fill.is_some()).and_then(|f| f.fill_value(dtype));
        let rhs = self.compare_positions(rhs, outside);
        let format_given = if decl.format.is_some() { FormatChoice::Caller } else { FormatChoice::Planner };
        let rank = decl.format.as_ref().map_or(vars.len(), Format::rank);
        if rank != vars.len() {
            let message = format!("`{name}` has a format of {rank} modes, but {} indices", vars.len());
            return Err(Error::rejection(self.reject(RANK, message, s.lhs.span)));
        }
        if let Some(shape) = decl.shape.clone() {
            if shape.len() != vars.len() {
                let message =
                    format!("`{name}` has {} modes, but is used with {} indices", shape.len(), vars.len());
                return Err(Error::rejection(self.reject(RANK, message, s.lhs.span)));
            }
            for (mode, (&v, &size)) in vars.iter().zip(&shape).enumerate() {
                self.size_index(v, size, s.lhs.indices[mode].span, &format!("mode {mode} of `{name}`"))?;
            }
        }
        self.every_index_has_a_size(&rhs)?;
        self.refuse_large_calls(&rhs, s.rhs.span())?;
        let reads = rhs.accesses().into_iter().chain(&self.unread).cloned().collect();
        let rhs = crate::assume::drop_vain_assumptions(fold(rhs), &self.tensors);
        decl.dtype = Some(dtype);
        decl.shape = vars.iter().map(|&v| self.indices[v].size).collect();
        let given_fill = decl.format.as_ref().is_some_and(|f| f.fill.is_some());
        let tensor = self.declare(name.clone(), name, &decl, TensorKind::Result, rank)?;
        if !given_fill {
            let inferred = crate::expr::fill_of(&rhs, &self.tensors);
            if let Some(fill) = inferred.filter(|f| f.dtype() == dtype && !f.is_same(Scalar::zero(dtype))) {
                self.tensors[tensor].fill = fill;
                self.tensors[tensor].format.fill = Some(fill.to_string().into());
            }
        }
        let lhs = Access { tensor, vars };
        let source = self.source.clone();
        windows::name_parts(&mut self.tensors);
        Ok(Assignment { tensors: self.tensors, indices: self.indices, lhs, rhs, reads, format_given, source })
    }
}

impl std::fmt::Display for Assignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = crate::cin::CinNames { tensors: &self.tensors, indices: &self.indices };
        write!(f, "{} = {}", names.access(&self.lhs), names.expr(&self.rhs))
    }
}
