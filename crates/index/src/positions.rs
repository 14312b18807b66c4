//! Positions that a statement computes: which of its accesses they are for, and where one that is needed is none.
//!
//! ```text
//! y(i) = where(m(i), x(p(i)), 0)        x(p(i)) is needed where m(i) holds
//! y(i) = A(i,j) * x(p(j))               x(p(j)) is needed where A(i,j) is not 0
//! y(p(i)) += x(i)                       a place in y is needed where x(i) is not 0
//! ```
//! A kernel that reads at a position reads at the nearest coordinate that there is, so that it reads nothing else whatever the
//! operands hold. Before it runs, their values tell whether every position is a coordinate; where they do not, a statement of
//! its own finds the positions that are none and are needed.

use crate::assume::marks;
use crate::check::{Assignment, FormatChoice};
use crate::expr::{Access, IndexExpr, IndexId, IndexVar, PositionReach, TensorId, TensorKind, TensorVar};
use crate::plan::scopes::separate;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::{Arena, Span};
use openwork_format::presets;

/// A mode of an operand that is read where a value says, or of an updated result that is written there.
#[derive(Clone, Debug)]
pub struct PositionCheck {
    /// The access; of a result, to what it holds before.
    pub access: Access,
    /// The mode.
    pub mode: usize,
    /// The variable of the mode.
    pub var: IndexId,
    /// What it is to be, as `i64`.
    pub value: IndexExpr,
    /// The variables that the value varies with, and that are no positions themselves.
    pub over: Vec<IndexId>,
    /// The variables of the result and of the reductions around the access: without a value of one of them, nothing is read.
    pub around: Vec<IndexId>,
    /// Whether the result is written there.
    pub scattered: bool,
}

/// The positions of a statement.
#[derive(Clone, Debug)]
pub struct PositionChecks {
    /// The statement.
    pub assignment: Assignment,
    /// What it reads where values say; those that others are computed from come first.
    pub checks: Vec<PositionCheck>,
    /// The name of the operand that says how many coordinates a mode has.
    pub size_name: String,
}

impl PositionChecks {
    /// Those of a statement; nothing where it computes none.
    pub fn from_assignment(assignment: &Assignment) -> Option<PositionChecks> {
        if !assignment.indices.iter().any(|(_, v)| v.positional || v.scattered) {
            return None;
        }
        // A variable that is bound inside its own scope is another one, of which other values are needed.
        let mut own = assignment.clone();
        own.rhs = separate(own.rhs, &own.lhs.vars, &mut own.indices, &mut own.reads);
        let assignment = &own;
        let mut checks: Vec<PositionCheck> = Vec::new();
        let scattered = |v: &IndexId| assignment.indices[*v].scattered;
        let positional = |v: &IndexId| assignment.indices[*v].positional || scattered(v);
        // A result that is assigned is read nowhere.
        for access in assignment.rhs.accesses().into_iter().chain([&assignment.lhs]) {
            for (mode, v) in access.vars.iter().enumerate().filter(|(_, v)| positional(v)) {
                // A constant is the only coordinate of its window.
                let Some(value) = assignment.rhs.position_of(*v) else { continue };
                let unknown = assignment.indices[*v].reach == PositionReach::Unknown;
                if unknown && !checks.iter().any(|c| c.var == *v) {
                    let (value, over) = (value.clone(), base_variables(value, assignment));
                    let mut around = assignment.lhs.vars.clone();
                    around.retain(|v| !scattered(v));
                    add_reductions_around(&assignment.rhs, *v, &mut around);
                    let (access, var, scattered) = (access.clone(), *v, scattered(v));
                    checks.push(PositionCheck { access, mode, var, value, over, around, scattered });
                }
            }
        }
        checks.sort_by_key(|c| c.var);
        let free =
            |name: &String| assignment.tensors.iter().all(|(_, t)| t.name != *name && t.given != *name);
        let size_name = (0..).map(|n| format!("size{n}")).find(free)?;
        (!checks.is_empty()).then_some(PositionChecks { assignment: own, checks, size_name })
    }
    /// The statement that gives `true` wherever the value of check `n` is no coordinate and is needed; it reads how many there
    /// are.
    pub fn failure_statement(&self, n: usize) -> Assignment {
        let check = &self.checks[n];
        let mut out = self.assignment.clone();
        let size = out.tensors.push(TensorVar {
            dtype: DType::I64,
            format: presets::dense(0),
            ..marks(&self.size_name, 0)
        });
        let size = IndexExpr::Access(Access { tensor: size, vars: Vec::new() });
        let below = call("lt", vec![check.value.clone(), IndexExpr::Literal(Scalar::I64(0))]);
        let beyond = call("ge", vec![check.value.clone(), size]);
        let stray = call("or", vec![below, beyond]);
        let need = Need::new(&self.assignment, check.var, stray);
        let strays = need.find_strays(&self.assignment.rhs).unwrap_or(truth(false));
        let free = strays.free_vars();
        let others: Vec<IndexId> = free.into_iter().filter(|v| !check.over.contains(v)).collect();
        // A mask, so that places with a coordinate are not stored.
        let marked = call("masked", vec![strays, truth(true), truth(false)]);
        out.rhs = match others.is_empty() {
            true => marked,
            false => IndexExpr::Reduce { op: operator("or"), vars: others, body: Box::new(marked) },
        };
        let result = &mut out.tensors[out.lhs.tensor];
        *result = TensorVar { kind: TensorKind::Result, ..marks(&result.name, check.over.len()) };
        out.lhs.vars.clone_from(&check.over);
        out.format_given = FormatChoice::Caller;
        out
    }
    /// `p(i)`, as it was written.
    pub fn value_text(&self, check: &PositionCheck) -> String {
        let a = &self.assignment;
        let span: Span = a.indices[check.var].span;
        a.source.text.get(span.range()).unwrap_or(&a.indices[check.var].name).to_string()
    }
}

/// The size of the modes that these accesses read at a position, as the shapes that its statement is made for say; nothing where
/// they do not say one. The size of the variable itself may stand for all of its order of magnitude.
pub fn made_for_size<'a>(
    v: IndexId,
    reads: impl Iterator<Item = &'a Access>,
    tensors: &Arena<TensorId, TensorVar>,
    indices: &Arena<IndexId, IndexVar>,
) -> Option<usize> {
    let size = |a: &Access, mode: usize| {
        let t = &tensors[a.tensor];
        let given = indices[v].made_for.iter().find(|given| given.name == t.given)?;
        given.shape.get(mode).copied().filter(|_| t.remap.is_none() && !t.is_windowed())
    };
    let of_access = |a: &'a Access| {
        let modes = a.vars.iter().enumerate().filter(move |(_, u)| **u == v);
        modes.map(move |(mode, _)| (a, mode))
    };
    let mut all = reads.flat_map(of_access).map(|(a, mode)| size(a, mode));
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// The variables that a value varies with, where those that stand for positions stand for what these vary with.
fn base_variables(value: &IndexExpr, a: &Assignment) -> Vec<IndexId> {
    let mut out: Vec<IndexId> = Vec::new();
    let mut open = value.free_vars();
    while let Some(v) = open.pop() {
        match a.rhs.position_of(v).filter(|_| a.indices[v].positional) {
            Some(inner) => open.extend(inner.free_vars()),
            None if a.indices[v].positional || out.contains(&v) => {}
            None => out.push(v),
        }
    }
    out.sort();
    out
}

/// Adds the variables of the reductions around the comparison of a position; whether there is one inside.
fn add_reductions_around(e: &IndexExpr, v: IndexId, out: &mut Vec<IndexId>) -> bool {
    let here = e.as_position().is_some_and(|(u, _)| u == v);
    let found = here || e.children().any(|c| add_reductions_around(c, v, out));
    if let (true, IndexExpr::Reduce { vars, .. }) = (found, e) {
        out.extend(vars.iter().filter(|u| **u != v));
    }
    found
}

fn operator(name: &str) -> &'static Operator {
    Operator::find(name).expect("a built-in operator")
}
fn call(name: &str, args: Vec<IndexExpr>) -> IndexExpr {
    IndexExpr::Call { op: operator(name), args }
}
fn truth(value: bool) -> IndexExpr {
    IndexExpr::Literal(Scalar::Bool(value))
}

/// Where the accesses with one variable are needed.
struct Need<'a> {
    assignment: &'a Assignment,
    /// The variable, and those whose values are read at it: they are needed where what is read at them is.
    vars: Vec<IndexId>,
    /// Whether the variable has no coordinate.
    stray: IndexExpr,
}

impl<'a> Need<'a> {
    fn new(assignment: &'a Assignment, var: IndexId, stray: IndexExpr) -> Need<'a> {
        let mut vars = vec![var];
        let mut next = 0;
        // What is read where something was sent is no matter of what sends it.
        let scattered = assignment.indices[var].scattered;
        while let Some(&read) = vars.get(next).filter(|_| !scattered) {
            let says = |v: &IndexId| assignment.rhs.position_of(*v).is_some_and(|value| value.mentions(read));
            let computed = assignment.indices.iter().filter(|(_, i)| i.positional || i.scattered);
            let new: Vec<IndexId> =
                computed.map(|(v, _)| v).filter(|v| !vars.contains(v) && says(v)).collect();
            vars.extend(new);
            next += 1;
        }
        Need { assignment, vars, stray }
    }
    fn is_scattered(&self, v: IndexId) -> bool {
        self.assignment.indices[v].scattered
    }
    /// Whether an expression needs an access whose variable has no coordinate; nothing where it has none.
    fn find_strays(&self, e: &IndexExpr) -> Option<IndexExpr> {
        match e {
            IndexExpr::Access(a) => {
                let read = |v: &IndexId| self.vars.contains(v) && !self.is_scattered(*v);
                a.vars.iter().any(read).then(|| self.stray.clone())
            }
            IndexExpr::Literal(_) | IndexExpr::Index(_) | IndexExpr::Width(_) => None,
            IndexExpr::Cast { arg, .. } => self.find_strays(arg),
            IndexExpr::Beside { value, .. } | IndexExpr::Predicate { holds: value, .. } => {
                self.find_strays(value)
            }
            // One coordinate where something is reduced is one too many.
            IndexExpr::Reduce { body, .. } => self.find_strays(body),
            IndexExpr::Map { to, .. } | IndexExpr::Stored { to, .. } => self.find_strays(to),
            IndexExpr::WithFill { folded, .. } => self.find_strays(folded),
            // What is read at a position says whether that is needed.
            IndexExpr::Call { .. } if self.says_where(e) => None,
            IndexExpr::Call { op, args } => match (&args[..], op.prim) {
                ([holds, yes, no], Prim::Select) => {
                    let chosen = self.find_in_choice(holds, yes, no);
                    // What changes nothing needs no place.
                    let sent = self.says_place(holds).then(|| {
                        let changes = call("ne", vec![yes.clone(), no.clone()]);
                        call("masked", vec![self.stray.clone(), changes, truth(false)])
                    });
                    join([sent, chosen].into_iter().flatten())
                }
                _ => self.find_in_call(op, args),
            },
        }
    }
    /// Whether a comparison says where something is read or written.
    fn says_where(&self, e: &IndexExpr) -> bool {
        let indices = &self.assignment.indices;
        e.as_position().is_some_and(|(v, _)| indices[v].positional || indices[v].scattered)
    }
    /// Whether a condition says a place in the result that a position decides.
    fn says_place(&self, holds: &IndexExpr) -> bool {
        match holds {
            IndexExpr::Call { op, args } if op.prim == Prim::And => args.iter().any(|a| self.says_place(a)),
            other => other.as_position().is_some_and(|(v, _)| self.vars.contains(&v) && self.is_scattered(v)),
        }
    }
    /// Only what is chosen is needed. What a position is compared with is its own matter.
    fn find_in_choice(&self, holds: &IndexExpr, yes: &IndexExpr, no: &IndexExpr) -> Option<IndexExpr> {
        let chosen = self.find_strays(yes).map(|e| call("masked", vec![holds.clone(), e, truth(false)]));
        let other = self.find_strays(no).map(|e| {
            let not = call("not", vec![holds.clone()]);
            call("masked", vec![not, e, truth(false)])
        });
        join([self.find_strays(holds), chosen, other].into_iter().flatten())
    }
    /// An argument is not needed beside another one that decides, as long as that is needed itself and has its coordinate.
    fn find_in_call(&self, op: &'static Operator, args: &[IndexExpr]) -> Option<IndexExpr> {
        let needs: Vec<Option<IndexExpr>> = args.iter().map(|a| self.find_strays(a)).collect();
        let op = op.without_assumptions();
        let needed = needs.iter().enumerate().filter_map(|(n, need)| {
            let deciding = args.iter().enumerate().filter(|(m, _)| *m != n).filter_map(|(m, other)| {
                // There is no element of the result at a place that is none.
                if other.free_vars().iter().any(|v| self.vars.contains(v) && self.is_scattered(*v)) {
                    return None;
                }
                let dtype = other.dtype(&self.assignment.tensors);
                let decides = op.annihilator_at(m, dtype)?;
                // Comparisons stay what they are: sets.
                let open = match decides {
                    Scalar::Bool(false) => other.clone(),
                    Scalar::Bool(true) => call("not", vec![other.clone()]),
                    _ => call("ne", vec![other.clone(), IndexExpr::Literal(decides)]),
                };
                // What is read at another place tells nothing.
                Some(match &needs[m] {
                    None => open,
                    Some(stray) => call("or", vec![open, stray.clone()]),
                })
            });
            let need = need.clone()?;
            Some(deciding.fold(need, |need, open| call("masked", vec![open, need, truth(false)])))
        });
        join(needed)
    }
}

fn join(all: impl Iterator<Item = IndexExpr>) -> Option<IndexExpr> {
    all.reduce(|a, b| call("or", vec![a, b]))
}
