//! The law of iteration graphs: what every one of them satisfies.
//!
//! 1. A variable is bound once on the way to a statement, by a loop or without one, and every variable that a statement names
//!    is bound there or computed from such.
//! 2. A loop has as many arms as its lattice has points, at least one, the leaves of every one among those of the first.
//! 3. A leaf is over the loop's variable, and coordinates are looked up in leaves that are not walked.
//! 4. Regions of stored coordinates have leaves; one loop over a union has one arm.
//! 5. What is left to do in a region neither reads an operand whose leaf is absent there, nor assigns what the statement
//!    does not.
//! 6. Strips are cut of a variable that has a loop inside.
//! 7. What ends a loop early is assigned in it, at a place that does not follow its variable.
//! 8. Values are appended to a result whose last level is, and to nothing else; they are inserted into results that come out of
//!    order and into sparse temporaries, and stored or combined everywhere else.
//! 9. A reader that takes the elements out of a temporary is entered whatever stands beside them.

use super::{
    AssignAction, EntryGuard, Graph, GraphNode, LevelMaking, Loop, LoopSet, NodeKind, ResultPlan, Tiled,
    Tiling,
};
use crate::lattice::Extent;
use crate::space::Leaf;
use crate::statement::var_of;
use crate::temporaries::is_workspace;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorKind};
use std::collections::BTreeSet;

/// The first law that a graph breaks, as text.
pub fn broken_law(graph: &Graph, program: &Program) -> Option<String> {
    GraphLaw { program, result: graph.result.as_ref() }.node(&graph.root, &BTreeSet::new()).err()
}

/// Whether a variable gets a value without a loop somewhere.
fn binds(n: &GraphNode, v: IndexId) -> bool {
    match &n.how {
        NodeKind::Plain | NodeKind::Idle | NodeKind::Assign(_) => false,
        NodeKind::Parts(all) => all.iter().any(|n| binds(n, v)),
        NodeKind::Where(w) => binds(&w.producer, v) || binds(&w.reader, v),
        NodeKind::Bind(b) => {
            matches!(n.stmt, CinStmt::Forall { index, .. } if index == v) || binds(&b.body, v)
        }
        NodeKind::Tiled(t) => binds(&t.node, v),
        NodeKind::Loop(l) => l.arms.iter().any(|arm| binds(&arm.node, v)),
    }
}

struct GraphLaw<'a> {
    program: &'a Program,
    result: Option<&'a ResultPlan>,
}

type LawResult = Result<(), String>;

impl GraphLaw<'_> {
    fn name(&self, v: IndexId) -> &str {
        &self.program.indices[v].name
    }
    fn node(&self, n: &GraphNode, bound: &BTreeSet<IndexId>) -> LawResult {
        match (&n.how, &n.stmt) {
            (NodeKind::Idle, CinStmt::Forall { .. }) | (NodeKind::Plain, CinStmt::Nop) => Ok(()),
            (NodeKind::Assign(action), CinStmt::Assign { lhs, rhs, .. }) => {
                self.does(lhs, *action)?;
                self.assignment(lhs, rhs, bound)
            }
            (NodeKind::Parts(all), CinStmt::Seq(_) | CinStmt::Multi(_)) => {
                all.iter().try_for_each(|n| self.node(n, bound))
            }
            (NodeKind::Where(w), CinStmt::Where { .. }) => {
                self.node(&w.producer, bound)?;
                if w.drained.is_some() && w.reader.guard != EntryGuard::default() {
                    return Err("a loop that takes the elements out of a temporary may not be entered".into());
                }
                self.node(&w.reader, bound)
            }
            (NodeKind::Tiled(t), CinStmt::Forall { .. }) if t.node.stmt == n.stmt => {
                self.strips(t)?;
                self.node(&t.node, bound)
            }
            (NodeKind::Bind(b), CinStmt::Forall { index, .. }) => {
                self.node(&b.body, &self.bind(*index, bound)?)
            }
            (NodeKind::Loop(l), CinStmt::Forall { index, .. }) if l.var == *index => {
                self.shape(l)?;
                let inside = self.bind(l.var, bound)?;
                for (q, arm) in l.lattice.points.iter().zip(&l.arms) {
                    self.check_rest(&n.stmt, &arm.node.stmt, l, &q.leaves)?;
                    self.node(&arm.node, &inside)?;
                }
                Ok(())
            }
            _ => Err("a statement is done as if it were another one".into()),
        }
    }
    /// The rows that strips are cut of have a loop: all strips would do what is done without one.
    fn strips(&self, t: &Tiled) -> LawResult {
        match t.by {
            Tiling::Strips(rows) if binds(&t.node, rows) => {
                Err(format!("`{}` is cut into strips without a loop", self.name(rows)))
            }
            Tiling::Strips(_) | Tiling::Blocks(_) => Ok(()),
        }
    }
    /// What an assignment does is what its target needs.
    fn does(&self, lhs: &Access, action: AssignAction) -> LawResult {
        let own = self.result.filter(|r| r.access.tensor == lhs.tensor);
        let fits = match (action, own) {
            (AssignAction::Append { .. }, Some(r)) => r.appends_values(),
            (AssignAction::Append { .. }, None) => false,
            (AssignAction::Insert, Some(r)) => r.levels.iter().all(|making| *making == LevelMaking::Insert),
            (AssignAction::Insert, None) => is_workspace(self.program, lhs.tensor),
            (AssignAction::Store | AssignAction::Accumulate, Some(r)) => !r.appends_values(),
            (AssignAction::Store | AssignAction::Accumulate, None) => !is_workspace(self.program, lhs.tensor),
        };
        let name = &self.program.tensors[lhs.tensor].name;
        if fits { Ok(()) } else { Err(format!("`{name}` is not assigned as it is made")) }
    }
    fn bind(&self, v: IndexId, bound: &BTreeSet<IndexId>) -> Result<BTreeSet<IndexId>, String> {
        let mut inside = bound.clone();
        match inside.insert(v) {
            true => Ok(inside),
            false => Err(format!("`{}` is bound twice", self.name(v))),
        }
    }
    fn assignment(&self, lhs: &Access, rhs: &IndexExpr, bound: &BTreeSet<IndexId>) -> LawResult {
        let mut named: Vec<IndexId> = lhs.vars.clone();
        rhs.visit(&mut |e| match e {
            // Children along the last level are counted, not visited.
            IndexExpr::Access(a) | IndexExpr::Map { of: a, .. } => named.extend(&a.vars),
            IndexExpr::Index(v) => named.push(*v),
            _ => {}
        });
        let known = |v: &IndexId| {
            let derived = self.program.indices[*v].derived.as_ref();
            bound.contains(v) || derived.is_some_and(|d| d.modes().iter().all(|m| bound.contains(m)))
        };
        match named.iter().find(|v| !known(v)) {
            None => Ok(()),
            Some(v) => Err(format!("`{}` has no value where it is used", self.name(*v))),
        }
    }
    fn shape(&self, l: &Loop) -> LawResult {
        let v = self.name(l.var);
        let points = &l.lattice.points;
        let Some(top) = points.first().filter(|_| points.len() == l.arms.len()) else {
            return Err(format!(
                "the loop over `{v}` has {} arms for {} regions",
                l.arms.len(),
                points.len()
            ));
        };
        if points.iter().any(|q| !q.leaves.is_subset(&top.leaves)) {
            return Err(format!("a region of the loop over `{v}` lies beside the first one"));
        }
        let own = |leaf: &Leaf| var_of(self.program, &leaf.access, leaf.level) == l.var;
        if !top.leaves.iter().chain(&l.sought).chain(&l.followed).all(own) {
            return Err(format!("the loop over `{v}` walks a level over another variable"));
        }
        if l.sought.iter().chain(&l.followed).any(|leaf| top.leaves.contains(leaf)) {
            return Err(format!("the loop over `{v}` looks up what it walks"));
        }
        let sets = || l.confined.values().flatten();
        let walked = |leaf: &Leaf| top.leaves.contains(leaf) || l.sought.contains(leaf);
        if !l.confined.keys().all(walked) {
            return Err(format!("the loop over `{v}` keeps a walk to a set that it does not have"));
        }
        // Lists are searched for a coordinate that is visited whatever they hold.
        let is_point =
            |set: &Leaf| self.program.tensors[set.access.tensor].format.levels[set.level].is_point();
        if !sets().all(own) || sets().any(|set| top.leaves.contains(set) && !is_point(set)) {
            return Err(format!("the loop over `{v}` is kept to a set that it walks"));
        }
        if l.arms.iter().zip(points).any(|(arm, q)| !arm.skips.is_subset(&q.leaves)) {
            return Err(format!("the loop over `{v}` passes over runs that it does not walk"));
        }
        let stored = !matches!(l.over, LoopSet::Dimension | LoopSet::Gaps);
        if stored && points.iter().any(|q| q.leaves.is_empty() || q.extent == Extent::Dimension) {
            return Err(format!("the loop over `{v}` walks nothing"));
        }
        if let Some(until) = &l.until {
            let assigned =
                |arm: &super::Arm| arm.node.stmt.assignments().iter().any(|(lhs, ..)| **lhs == until.target);
            if until.target.vars.contains(&l.var) || !l.arms.iter().any(assigned) {
                return Err(format!("the loop over `{v}` ends with something else"));
            }
        }
        match (l.over, points.len()) {
            (LoopSet::Union | LoopSet::Same | LoopSet::Workspace, 2..) => {
                Err(format!("one loop over `{v}` has several arms"))
            }
            _ => Ok(()),
        }
    }
    fn check_rest(&self, whole: &CinStmt, rest: &CinStmt, l: &Loop, here: &BTreeSet<Leaf>) -> LawResult {
        let all = whole.assignments();
        if rest.assignments().iter().any(|(lhs, ..)| !all.iter().any(|(of, ..)| of == lhs)) {
            return Err(format!("a region of the loop over `{}` assigns something else", self.name(l.var)));
        }
        if l.over == LoopSet::Union {
            return Ok(());
        }
        let absent = |leaf: &&Leaf| !here.contains(leaf) && !l.sought.contains(leaf);
        for leaf in l.lattice.points[0].leaves.iter().filter(absent) {
            let operand = self.program.tensors[leaf.access.tensor].kind == TensorKind::Operand;
            let read = rest.assignments().into_iter().any(|(.., rhs)| rhs.accesses().contains(&&leaf.access));
            if operand && read {
                let name = &self.program.tensors[leaf.access.tensor].name;
                return Err(format!("`{name}` is read in a region of `{}` without it", self.name(l.var)));
            }
        }
        Ok(())
    }
}
