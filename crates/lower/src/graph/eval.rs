//! The plain evaluator of graphs: every operand is the set of its elements' coordinates, level by level (a fibertree), and
//! dense values beside it.
//!
//! At each coordinate it sees which leaves are there and does what the region says, no more: so a region that is missing, or
//! has the wrong rest of the statement, gives another result than the statement does.

use super::{AssignAction, BoundVar, Graph, GraphNode, Loop, LoopSet, NodeKind, VarOrigin};
use crate::lattice::RegionRole;
use crate::predicates::comparison_of;
use crate::space::Leaf;
use crate::statement::var_of;
use openwork_format::Remap;
use openwork_format::remap::Term;
use openwork_index::cin::eval::{Array, CinMachine};
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorId, TensorKind};
use std::collections::{BTreeMap, BTreeSet};

/// Runs a program's graph on dense operands and returns the results; nothing for programs that count elements, which
/// coordinates alone do not tell. `sizes` has the size of every index variable that is not computed.
///
/// # Panics
/// If an operand is missing or of the wrong shape, or the graph appends out of order.
pub fn eval(
    graph: &Graph,
    program: &Program,
    operands: &BTreeMap<TensorId, Array>,
    sizes: &BTreeMap<IndexId, usize>,
) -> Option<BTreeMap<TensorId, Array>> {
    Some(evaluate_graph(graph, program, operands, sizes)?.at.results())
}

/// The visits of a graph's evaluation: every assignment that is made, in order, with the coordinates that the left side has.
///
/// # Panics
/// As [`eval`].
pub fn trace(
    graph: &Graph,
    program: &Program,
    operands: &BTreeMap<TensorId, Array>,
    sizes: &BTreeMap<IndexId, usize>,
) -> Option<Vec<VisitedElement>> {
    Some(evaluate_graph(graph, program, operands, sizes)?.visits)
}

/// A tensor that is assigned to, and where.
pub type VisitedElement = (TensorId, Vec<i64>);

fn evaluate_graph<'a>(
    graph: &Graph,
    program: &'a Program,
    operands: &BTreeMap<TensorId, Array>,
    sizes: &'a BTreeMap<IndexId, usize>,
) -> Option<GraphEvaluator<'a>> {
    let numbered = |r: &Remap| r.coords.iter().any(|c| !c.counters().is_empty());
    let counts = program.tensors.iter().any(|(_, t)| t.remap.as_deref().is_some_and(numbered));
    let counted = |e: &IndexExpr| matches!(e, IndexExpr::Map { .. } | IndexExpr::Width(_));
    if counts || program.body.assignments().into_iter().any(|(.., rhs)| counted(rhs)) {
        return None;
    }
    let fibers = operands.iter().map(|(&t, array)| (t, fibers(program, t, array))).collect();
    let at = CinMachine::new(program, operands, sizes);
    let mut e = GraphEvaluator { program, fibers, at, visits: Vec::new(), appended: Vec::new() };
    e.node(&graph.root);
    Some(e)
}

/// The prefixes of the coordinates of elements, outermost level first.
type Fibers = BTreeSet<Vec<i64>>;

/// The fibers of an operand: on dense arrays, what differs from the fill value is an element.
fn fibers(program: &Program, tensor: TensorId, array: &Array) -> Fibers {
    let t = &program.tensors[tensor];
    let mut out = Fibers::new();
    for (n, _) in array.values.iter().enumerate().filter(|(_, v)| !v.is_same(t.fill)) {
        let mut modes = vec![0i64; array.shape.len()];
        let mut rest = n;
        for (mode, &size) in modes.iter_mut().zip(&array.shape).rev() {
            *mode = (rest % size) as i64;
            rest /= size;
        }
        let stored = match &t.remap {
            None => modes,
            Some(remap) => remap.coords.iter().map(|c| value(&c.inline_locals(), &modes)).collect(),
        };
        let coords: Vec<i64> = t.format.modes.iter().map(|&m| stored[m]).collect();
        out.extend((1..=coords.len()).map(|k| coords[..k].to_vec()));
    }
    out
}

fn value(t: &Term, modes: &[i64]) -> i64 {
    match t {
        Term::Const(c) => *c,
        Term::Mode(m) => modes[*m],
        Term::Binary(op, a, b) => op.apply(value(a, modes), value(b, modes)),
        Term::Local(_) | Term::Counter(_) => unreachable!("inlined, and no counter"),
    }
}

struct GraphEvaluator<'a> {
    program: &'a Program,
    fibers: BTreeMap<TensorId, Fibers>,
    at: CinMachine<'a>,
    visits: Vec<VisitedElement>,
    /// Where the result was appended to last, outermost level first.
    appended: Vec<i64>,
}

impl GraphEvaluator<'_> {
    fn node(&mut self, n: &GraphNode) {
        match (&n.how, &n.stmt) {
            // An element with the value that others have elsewhere may count as one of these.
            (NodeKind::Assign(_), CinStmt::Assign { rhs: IndexExpr::Stored { of, .. }, .. })
                if self.at.is_outside(of) => {}
            (NodeKind::Assign(action), CinStmt::Assign { lhs, op, rhs }) => {
                if matches!(action, AssignAction::Append { .. }) {
                    self.append(lhs);
                }
                self.at.assign(lhs, *op, rhs);
                let coords = lhs.vars.iter().filter_map(|&v| self.at.bound_value(v)).collect();
                self.visits.push((lhs.tensor, coords));
            }
            (NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle, _) => {}
            (NodeKind::Parts(all), _) => all.iter().for_each(|n| self.node(n)),
            (NodeKind::Where(w), _) => {
                for (lhs, ..) in w.producer.stmt.assignments() {
                    if self.program.tensors[lhs.tensor].kind == TensorKind::Temp {
                        self.at.reset(lhs);
                    }
                }
                self.node(&w.producer);
                self.node(&w.reader);
            }
            (NodeKind::Bind(b), CinStmt::Forall { index, .. }) => {
                let known = match b.from {
                    VarOrigin::Formula => self.determined_value(*index),
                    VarOrigin::Counter => None,
                };
                if let Some(n) = known {
                    self.visit(*index, n, &b.body, &b.bound);
                }
            }
            (NodeKind::Bind(_), _) => unreachable!("only loops bind variables"),
            (NodeKind::Loop(l), rest) => self.walk(l, rest),
            (NodeKind::Tiled(t), _) => self.node(&t.node),
        }
    }

    /// What is appended comes behind all that was.
    fn append(&mut self, lhs: &Access) {
        let t = &self.program.tensors[lhs.tensor];
        if !t.format.levels.iter().all(|l| l.is_ordered()) {
            return;
        }
        let at = (0..t.format.rank()).filter_map(|k| self.at.bound_value(var_of(self.program, lhs, k)));
        let at: Vec<i64> = at.collect();
        assert!(self.appended <= at, "`{}` is appended at {at:?} after {:?}", t.name, self.appended);
        self.appended = at;
    }

    fn walk(&mut self, l: &Loop, rest: &CinStmt) {
        let (low, size) = self.at.range(l.var);
        for n in low..low + size as i64 {
            self.at.bind(l.var, Some(n));
            // One interval stands for those of others, whose elements may differ.
            let same = |leaf: &Leaf, other: &Leaf| super::same_interval(self.program, leaf, other);
            let kept = |leaf: &Leaf| {
                l.confined.get(leaf).is_none_or(|sets| sets.iter().all(|s| self.holds(s, rest)))
            };
            let there = |leaf: &&Leaf| {
                let held = self.holds(leaf, rest);
                kept(leaf) && (held || l.sought.iter().any(|s| same(leaf, s) && self.holds(s, rest)))
            };
            let here: BTreeSet<&Leaf> = l.lattice.points[0].leaves.iter().filter(there).collect();
            let fits = |q: &BTreeSet<Leaf>| match l.over {
                // Slots of one block are there or not as a whole.
                LoopSet::Union | LoopSet::Same => !here.is_empty(),
                LoopSet::Dimension
                | LoopSet::Gaps
                | LoopSet::Stored
                | LoopSet::Words
                | LoopSet::Workspace => q.iter().all(|leaf| here.contains(leaf)),
            };
            let arm = l.lattice.points.iter().position(|q| fits(&q.leaves));
            // What holds the same interval need not hold an element where the other does.
            let found = |l: &Leaf| self.is_interval(l) || self.holds(l, rest);
            // No operand holds its fill value here: where nothing else leads to a value, there is none.
            let computes = |arm: &usize| l.lattice.points[*arm].role == RegionRole::Producer;
            if let Some(arm) = arm.filter(computes).filter(|_| l.sought.iter().all(found)) {
                self.visit(l.var, n, &l.arms[arm].node, &l.arms[arm].bound);
            }
            self.at.bind(l.var, None);
        }
    }
    fn is_interval(&self, l: &Leaf) -> bool {
        super::state::interval(self.program, l).is_some()
    }

    /// Does what is left to do at a coordinate, if the computed coordinates that the graph names agree with it.
    fn visit(&mut self, v: IndexId, n: i64, body: &GraphNode, bound: &BoundVar) {
        let size = self.at.range(v);
        if n < size.0 || n >= size.0 + size.1 as i64 {
            return;
        }
        self.at.bind(v, Some(n));
        let agrees =
            bound.checks.iter().all(|&x| match (&self.program.indices[x].derived, self.at.bound_value(x)) {
                (Some(d), Some(at)) => d.value(&|m| self.at.bound_value(m).unwrap_or(0)) == at,
                (Some(_) | None, _) => true,
            });
        if agrees {
            self.node(body);
        }
        self.at.bind(v, None);
    }

    /// The value of a variable that bound ones decide.
    fn determined_value(&self, v: IndexId) -> Option<i64> {
        if let Some(d) = &self.program.indices[v].derived {
            return Some(d.value(&|m| self.at.bound_value(m).unwrap_or(0)));
        }
        self.program.indices.iter().filter_map(|(_, i)| i.derived.as_ref()).find_map(|d| {
            let mode = d.modes().iter().position(|m| *m == v)?;
            let bound = |k: usize| self.at.bound_value(d.vars[k]).is_some();
            let form = d.remap.recover_from(mode, &bound)?;
            let terms = form.terms.iter().map(|&(c, k)| c * self.at.bound_value(d.vars[k]).unwrap_or(0));
            Some(terms.sum::<i64>() + form.constant)
        })
    }

    /// Whether a leaf holds the coordinate that is bound, where a statement is what is left of the program.
    fn holds(&self, l: &Leaf, rest: &CinStmt) -> bool {
        let Leaf { access, level } = l;
        let t = &self.program.tensors[access.tensor];
        if t.kind == TensorKind::Predicate {
            let found = comparison_of(rest, access.tensor);
            let holds = found.or_else(|| comparison_of(&self.program.body, access.tensor));
            let holds = holds.expect("a set is of a comparison");
            return self.at.evaluate(holds).truthy();
        }
        if t.format.levels[*level].full() {
            return true;
        }
        let coords =
            |a: &Access| (0..=*level).map(|k| self.at.bound_value(var_of(self.program, a, k))).collect();
        let Some(coords): Option<Vec<i64>> = coords(access) else { return false };
        match self.fibers.get(&access.tensor) {
            Some(fibers) => fibers.contains(&coords),
            // A temporary changes while it is filled.
            None => fibers(self.program, access.tensor, self.at.array(access.tensor)).contains(&coords),
        }
    }
}
