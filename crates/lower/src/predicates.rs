//! Comparisons of index variables as sets of coordinates, which loops walk as they walk levels.
//!
//! ```text
//! y(i) += masked(j < i, A(i,j), 0)       the set [j < i] of j, an interval that is known once i is
//! ```
//! A set is a tensor of a program of which nothing is kept. Its last variable is the one that is bound last; which one that
//! is depends on the order of the loops, so sets are found when that is known.

use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_format::{CoordinateSet, Level, presets};
use openwork_index::{
    Access, CinStmt, Holds, IndexExpr, IndexId, Program, TensorId, TensorKind, TensorVar, fold,
};
use std::collections::BTreeMap;

/// The program with a set for every comparison of index variables.
pub fn find_predicates(program: Program) -> Program {
    if !program.body.assignments().into_iter().any(|(.., rhs)| compares_indices(rhs)) {
        return program;
    }
    let (tensors, known) = (program.tensors.clone(), BTreeMap::new());
    let mut finder = PredicateFinder { program: &program, tensors, known, made: BTreeMap::new() };
    let body = finder.stmt(program.body.clone(), &mut Vec::new());
    Program { tensors: finder.tensors, body, ..program }
}

/// Whether an expression has a comparison with an index variable in it.
fn compares_indices(e: &IndexExpr) -> bool {
    fn has_indices(e: &IndexExpr) -> bool {
        matches!(e, IndexExpr::Index(_)) || e.children().any(has_indices)
    }
    let compares = matches!(e, IndexExpr::Call { op, .. } if op.prim.is_comparison());
    compares && has_indices(e) || e.children().any(compares_indices)
}

/// The statement with the comparisons themselves in place of sets.
pub(crate) fn forget_predicates(s: CinStmt, forgotten: &dyn Fn(&Access) -> bool) -> CinStmt {
    replace_predicates(s, &|set, holds| match forgotten(set) {
        true => holds,
        false => IndexExpr::Predicate { set: set.clone(), holds: Box::new(holds) },
    })
}

/// The statement where comparisons hold.
pub(crate) fn settle_predicates(s: CinStmt, holding: &dyn Fn(&Access) -> bool) -> CinStmt {
    replace_predicates(s, &|set, holds| match holding(set) {
        true => IndexExpr::Literal(Scalar::Bool(true)),
        false => IndexExpr::Predicate { set: set.clone(), holds: Box::new(holds) },
    })
}

fn replace_predicates(s: CinStmt, by: &dyn Fn(&Access, IndexExpr) -> IndexExpr) -> CinStmt {
    fn expr(e: IndexExpr, by: &dyn Fn(&Access, IndexExpr) -> IndexExpr) -> IndexExpr {
        if !has_predicates(&e) {
            return e;
        }
        match e.map_children(&mut |c| expr(c, by)) {
            IndexExpr::Predicate { set, holds } => by(&set, *holds),
            IndexExpr::Cast { to, arg } => fold::cast(to, *arg),
            // What an operator assumes need not hold beside a mark.
            IndexExpr::Call { op, args } => fold::call(op, args),
            e => e,
        }
    }
    match s {
        CinStmt::Assign { lhs, op, rhs } => CinStmt::Assign { lhs, op, rhs: expr(rhs, by) },
        s => s.map_children(&mut |c| replace_predicates(c, by)),
    }
}

fn has_predicates(e: &IndexExpr) -> bool {
    matches!(e, IndexExpr::Predicate { .. }) || e.children().any(has_predicates)
}

/// The comparison that says what a set has.
pub(crate) fn comparison_of(s: &CinStmt, set: TensorId) -> Option<&IndexExpr> {
    let mut found = None;
    for (_, _, rhs) in s.assignments() {
        rhs.visit(&mut |e| {
            if let IndexExpr::Predicate { set: a, holds } = e
                && a.tensor == set
            {
                found = Some(&**holds);
            }
        });
    }
    found
}

/// Whether a tensor is a set of coordinates.
pub(crate) fn is_predicate(program: &Program, t: TensorId) -> bool {
    program.tensors[t].kind == TensorKind::Predicate
}

/// What a comparison leaves of the coordinates of a variable; bounds are of the variables that are bound outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VariableBounds {
    /// The variable is at least this.
    pub(crate) least: Option<IndexExpr>,
    /// And at most this.
    pub(crate) most: Option<IndexExpr>,
    /// Or it is more than this.
    pub(crate) above: Option<IndexExpr>,
    /// And less than this.
    pub(crate) below: Option<IndexExpr>,
}

impl VariableBounds {
    /// The bounds of `v` that a comparison comes to, if that has the variable alone on one side, or in a sum that cannot
    /// overflow.
    pub(crate) fn find(comparison: &IndexExpr, v: IndexId) -> Option<VariableBounds> {
        let IndexExpr::Call { op, args } = comparison else { return None };
        let [left, right] = &args[..] else { return None };
        let (prim, e) = match (left, right) {
            (IndexExpr::Index(u), e) if *u == v && !e.mentions(v) => (op.prim, e.clone()),
            (e, IndexExpr::Index(u)) if *u == v && !e.mentions(v) => (mirror(op.prim), e.clone()),
            _ => isolate(op.prim, left, right, v)?,
        };
        let none = VariableBounds { least: None, most: None, above: None, below: None };
        Some(match prim {
            Prim::Lt => VariableBounds { below: Some(e), ..none },
            Prim::Le => VariableBounds { most: Some(e), ..none },
            Prim::Gt => VariableBounds { above: Some(e), ..none },
            Prim::Ge => VariableBounds { least: Some(e), ..none },
            Prim::Eq => VariableBounds { least: Some(e.clone()), most: Some(e), ..none },
            _ => return None,
        })
    }
    fn is_point(&self) -> bool {
        self.least.is_some() && self.most.is_some()
    }
}

/// The comparison with its sides exchanged.
fn mirror(prim: Prim) -> Prim {
    match prim {
        Prim::Lt => Prim::Gt,
        Prim::Le => Prim::Ge,
        Prim::Gt => Prim::Lt,
        Prim::Ge => Prim::Le,
        other => other,
    }
}
/// What holds where a comparison does not.
fn negate_comparison(prim: Prim) -> Option<&'static str> {
    Some(match prim {
        Prim::Lt => "ge",
        Prim::Le => "gt",
        Prim::Gt => "le",
        Prim::Ge => "lt",
        Prim::Eq => "ne",
        Prim::Ne => "eq",
        _ => return None,
    })
}

/// The largest literal in a sum that is known not to overflow beside index variables.
const SMALL: i64 = 1 << 40;

/// Index variables with their factors, and a constant.
#[derive(Default)]
struct ComparedSum {
    factors: BTreeMap<IndexId, i64>,
    constant: i64,
}

impl ComparedSum {
    /// Adds `sign * e`, if that is a sum of index variables and literals.
    fn add(&mut self, e: &IndexExpr, sign: i64) -> Option<()> {
        match e {
            IndexExpr::Index(v) => *self.factors.entry(*v).or_default() += sign,
            IndexExpr::Literal(Scalar::I64(n)) if (-SMALL..=SMALL).contains(n) => self.constant += sign * n,
            IndexExpr::Call { op, args } => match (op.prim, &args[..]) {
                (Prim::Add, [a, b]) => {
                    self.add(a, sign)?;
                    self.add(b, sign)?;
                }
                (Prim::Sub, [a, b]) => {
                    self.add(a, sign)?;
                    self.add(b, -sign)?;
                }
                (Prim::Neg, [a]) => self.add(a, -sign)?,
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }
}

/// `left prim right` as a comparison of `v` alone with something else, where both are sums of index variables.
fn isolate(prim: Prim, left: &IndexExpr, right: &IndexExpr, v: IndexId) -> Option<(Prim, IndexExpr)> {
    let mut sum = ComparedSum::default();
    sum.add(left, 1)?;
    sum.add(right, -1)?;
    // `own * v + others prim 0`
    let own = sum.factors.remove(&v)?;
    let prim = match own {
        1 => prim,
        -1 => mirror(prim),
        _ => return None,
    };
    let mut total = IndexExpr::Literal(Scalar::I64(-own * sum.constant));
    for (u, factor) in sum.factors {
        let (name, times) = if -own * factor < 0 { ("sub", own * factor) } else { ("add", -own * factor) };
        if times > 4 {
            return None;
        }
        for _ in 0..times {
            total = fold::call(operator(name), vec![total, IndexExpr::Index(u)]);
        }
    }
    Some((prim, total))
}

fn operator(name: &str) -> &'static Operator {
    Operator::find(name).expect("an operator of the language")
}

/// Whether a comparison may leave out what is beside it, or is a value among others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Restriction {
    Yes,
    No,
    /// Nor may anything inside of it.
    Never,
}

/// The same of an argument: conditions and factors limit, and so do terms. Where an operator assumes something of what stands
/// beside its annihilator, as in exact arithmetic, or of a divisor, comparisons are numbers.
fn restricts_argument(op: &Operator, n: usize, restricts: Restriction) -> Restriction {
    match op.prim {
        _ if restricts == Restriction::Never => Restriction::Never,
        Prim::Select if n == 0 => Restriction::Yes,
        Prim::Select | Prim::And | Prim::Or | Prim::Not | Prim::Add | Prim::Sub | Prim::Neg => restricts,
        Prim::Mul | Prim::Times if op.assumes.is_none() && op.annihilator.is_some() => Restriction::Yes,
        _ => Restriction::No,
    }
}

struct PredicateFinder<'a> {
    program: &'a Program,
    tensors: openwork_base::Arena<TensorId, TensorVar>,
    /// The sets that comparisons have, by the order in which their variables are bound.
    known: BTreeMap<(String, Vec<IndexId>), TensorId>,
    /// The temporaries that are computed, by how many loops are around them.
    made: BTreeMap<TensorId, usize>,
}

impl PredicateFinder<'_> {
    fn stmt(&mut self, s: CinStmt, bound: &mut Vec<IndexId>) -> CinStmt {
        match s {
            CinStmt::Forall { index, body } => {
                bound.push(index);
                let body = Box::new(self.stmt(*body, bound));
                bound.pop();
                CinStmt::Forall { index, body }
            }
            CinStmt::Assign { lhs, op, rhs } => {
                CinStmt::Assign { lhs, op, rhs: self.expr(rhs, Restriction::Yes, bound) }
            }
            CinStmt::Where { ref producer, .. } => {
                let made = producer.targets().into_iter().map(|lhs| (lhs.tensor, bound.len()));
                self.made.extend(made);
                s.map_children(&mut |c| self.stmt(c, bound))
            }
            s => s.map_children(&mut |c| self.stmt(c, bound)),
        }
    }
    /// An expression with its sets; `restricts` is whether a comparison in its place may leave out what is beside it.
    fn expr(&mut self, e: IndexExpr, restricts: Restriction, bound: &[IndexId]) -> IndexExpr {
        match e {
            IndexExpr::Predicate { .. } => e,
            IndexExpr::Cast { to, arg } => {
                IndexExpr::Cast { to, arg: Box::new(self.expr(*arg, restricts, bound)) }
            }
            IndexExpr::Call { op, args } => match (op.prim, &args[..]) {
                (Prim::Not, [inner]) if negation(inner).is_some() => {
                    let negated = negation(inner).expect("it was found");
                    self.expr(negated, restricts, bound)
                }
                (prim, [a, b]) if prim.is_comparison() && self.is_of_indices(a, b, bound) => {
                    match restricts {
                        Restriction::Yes => self.add_set(IndexExpr::Call { op, args }, bound),
                        Restriction::No | Restriction::Never => IndexExpr::Call { op, args },
                    }
                }
                _ => {
                    let inner: Vec<Restriction> = (0..args.len())
                        .map(|n| match self.is_assumed_to_decide(op, &args, n) {
                            true => restricts_argument(op, n, restricts),
                            false => Restriction::Never,
                        })
                        .collect();
                    let each = args.into_iter().zip(inner);
                    let told = each.map(|(a, restricts)| self.expr(a, restricts, bound));
                    IndexExpr::Call { op, args: told.collect() }
                }
            },
            e => e.map_children(&mut |c| self.expr(c, Restriction::No, bound)),
        }
    }
    /// What an operator assumes was looked at for arguments that decide where nothing is stored: a set would leave out more.
    fn is_assumed_to_decide(&self, op: &Operator, args: &[IndexExpr], n: usize) -> bool {
        op.assumes.is_none()
            || openwork_index::expr::fill_of(&args[n], &self.program.tensors).is_some_and(|fill| {
                op.annihilator_at(n, fill.dtype()).is_some_and(|annihilator| annihilator.is_same(fill))
            })
    }
    /// Whether both sides are integers that are known where their variables are.
    fn is_of_indices(&self, a: &IndexExpr, b: &IndexExpr, bound: &[IndexId]) -> bool {
        if let IndexExpr::Index(v) = a
            && self.program.indices[*v].positional
        {
            return bound.contains(v) && b.is_known_outside(&self.program.tensors);
        }
        let integers = |e: &IndexExpr| e.dtype(&self.program.tensors) == DType::I64;
        let plain = |e: &IndexExpr| self.is_plain(e, bound);
        integers(a)
            && integers(b)
            && (plain(a) && plain(b) || self.locates(a, b, bound) || self.locates(b, a, bound))
    }
    /// Whether a side is the variable that is bound last, and the other one, whatever it is, is known before.
    fn locates(&self, side: &IndexExpr, other: &IndexExpr, bound: &[IndexId]) -> bool {
        let IndexExpr::Index(v) = side else { return false };
        let depth = |v: &IndexId| bound.iter().position(|b| b == v);
        let known = |u: &IndexId| depth(u).is_some_and(|d| depth(v).is_some_and(|own| d < own));
        // A temporary is computed outside of the loop.
        let made = |a: &&Access| {
            self.program.tensors[a.tensor].kind != TensorKind::Temp
                || self.made.get(&a.tensor).is_some_and(|d| depth(v).is_some_and(|own| *d <= own))
        };
        other.is_known_outside(&self.program.tensors)
            && other.free_vars().iter().all(known)
            && other.accesses().iter().all(made)
    }
    fn is_plain(&self, e: &IndexExpr, bound: &[IndexId]) -> bool {
        match e {
            IndexExpr::Literal(_) => true,
            IndexExpr::Index(v) => bound.contains(v),
            IndexExpr::Access(a) => {
                let t = &self.program.tensors[a.tensor];
                let read = t.kind == TensorKind::Operand && t.format.is_dense() && t.remap.is_none();
                let whole = t.format.levels.iter().all(|l| l.is_dense());
                read && whole && t.dtype.is_int() && a.vars.iter().all(|v| bound.contains(v))
            }
            IndexExpr::Cast { to, arg } => {
                to.is_int() && arg.dtype(&self.program.tensors).is_int() && self.is_plain(arg, bound)
            }
            IndexExpr::Call { op, args } => {
                let sums =
                    matches!(op.prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg | Prim::Min | Prim::Max);
                sums && args.iter().all(|a| self.is_plain(a, bound))
            }
            IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => false,
        }
    }
    /// A comparison with its set, if it has index variables, the last of which elements of operands do not depend on.
    fn add_set(&mut self, holds: IndexExpr, bound: &[IndexId]) -> IndexExpr {
        let free = holds.free_vars();
        let vars: Vec<IndexId> = bound.iter().copied().filter(|v| free.contains(v)).collect();
        let Some(&last) = vars.last() else { return holds };
        let computed = vars.iter().any(|&v| self.program.indices[v].derived.is_some());
        if computed && !self.program.indices[last].positional
            || holds.accesses().iter().any(|a| a.vars.contains(&last))
        {
            return holds;
        }
        let form = match VariableBounds::find(&holds, last) {
            Some(bounds) if bounds.is_point() => CoordinateSet::Point,
            Some(_) => CoordinateSet::Interval,
            None => CoordinateSet::Chosen,
        };
        let names = openwork_index::cin::CinNames { tensors: &self.tensors, indices: &self.program.indices };
        let text = names.expr(&holds);
        let tensor = match self.known.get(&(text.clone(), vars.clone())) {
            Some(&known) => known,
            None => {
                let name = format!("{}_set", self.program.indices[last].name);
                let set = self.tensors.push(make_set(name, text.clone(), vars.len(), form));
                self.known.insert((text, vars.clone()), set);
                set
            }
        };
        IndexExpr::Predicate { set: Access { tensor, vars }, holds: Box::new(holds) }
    }
}

fn make_set(name: String, text: String, rank: usize, form: CoordinateSet) -> TensorVar {
    let mut format = presets::dense(rank);
    format.levels[rank - 1] = Level::from_set(form);
    TensorVar {
        name,
        given: text,
        dtype: DType::Bool,
        format,
        remap: None,
        fill: Scalar::Bool(false),
        kind: TensorKind::Predicate,
        stored: None,
        windows: Vec::new(),
        holds: Holds::Values,
        elements: None,
    }
}

/// What holds where an expression of comparisons of integers does not, if that is such an expression as well.
fn negation(e: &IndexExpr) -> Option<IndexExpr> {
    let IndexExpr::Call { op, args } = e else { return None };
    let both = |name| {
        let args = args.iter().map(negation).collect::<Option<Vec<_>>>()?;
        Some(IndexExpr::Call { op: operator(name), args })
    };
    match (op.prim, &args[..]) {
        (Prim::Not, [inner]) => Some(inner.clone()),
        (Prim::And, [_, _]) => both("or"),
        (Prim::Or, [_, _]) => both("and"),
        // Of numbers that may be NaN, neither of two comparisons need hold.
        (prim, [a, _]) if is_integer(a) => {
            Some(IndexExpr::Call { op: operator(negate_comparison(prim)?), args: args.clone() })
        }
        _ => None,
    }
}
/// Whether an argument of a comparison is an integer by its form.
fn is_integer(e: &IndexExpr) -> bool {
    match e {
        IndexExpr::Index(_) | IndexExpr::Literal(Scalar::I64(_)) => true,
        IndexExpr::Cast { to, .. } => *to == DType::I64,
        IndexExpr::Call { args, op } => {
            matches!(op.prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg | Prim::Min | Prim::Max)
                && args.iter().all(is_integer)
        }
        _ => false,
    }
}
