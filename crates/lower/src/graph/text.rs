//! Iteration graphs as text.
//!
//! ```text
//! C(i,k) = A(i,j) * B(j,k), all csr
//!
//! C(i,k).1 located, C(i,k).2 appended
//! i over the dimension
//!   where t in slots with bits, taken out as it is read
//!     j over A(i,j).2
//!       k over B(j,k).2
//!         t(k) += A(i,j) * B(j,k), inserted
//!   then
//!     k over t(k).1, with room for all
//!       C(i,k) = t(k), appended
//! ```
//! Where a loop tells several regions apart, each has a line: the leaves that are present, and below it what is done there.

use super::{
    AssignAction, BoundVar, EntryGuard, Graph, GraphNode, Keep, LevelMaking, Loop, LoopSet, NodeKind,
    ResultPlan, Tiled, Tiling, VarOrigin, Walk, Where,
};
use crate::lattice::{Extent, Point, RegionRole};
use crate::space::Leaf;
use openwork_index::cin::{CinNames, Storage};
use openwork_index::{CinStmt, IndexId, Program, TensorId, TensorKind};
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The graph as text, one line per decision.
    pub fn text(&self, program: &Program) -> String {
        let names = CinNames { tensors: &program.tensors, indices: &program.indices };
        let mut p = GraphPrinter { names, storage: &self.storage, out: String::new() };
        p.result(self.result.as_ref());
        p.node(&self.root, 0);
        p.out
    }
}

struct GraphPrinter<'a> {
    names: CinNames<'a>,
    storage: &'a BTreeMap<TensorId, Storage>,
    out: String,
}

impl GraphPrinter<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&format!("{:1$}{text}\n", "", 2 * depth));
    }
    fn leaf(&self, l: &Leaf) -> String {
        if self.names.tensors[l.access.tensor].kind == TensorKind::Predicate {
            return self.names.access(&l.access);
        }
        format!("{}.{}", self.names.access(&l.access), l.level + 1)
    }
    fn leaves<'l>(&self, all: impl IntoIterator<Item = &'l Leaf>, between: &str) -> String {
        let all: Vec<String> = all.into_iter().map(|l| self.leaf(l)).collect();
        all.join(between)
    }

    /// How the levels of a result are made, if not all of them are located.
    fn result(&mut self, result: Option<&ResultPlan>) {
        let Some(ResultPlan { access, levels }) = result else { return };
        if levels.iter().all(|making| *making == LevelMaking::Locate) {
            return;
        }
        let each = levels.iter().enumerate().map(|(k, making)| {
            let how = match making {
                LevelMaking::Locate => "located",
                LevelMaking::Append => "appended",
                LevelMaking::Join => "appended beside",
                LevelMaking::Insert => "inserted",
            };
            format!("{} {how}", self.leaf(&Leaf { access: access.clone(), level: k }))
        });
        let each: Vec<String> = each.collect();
        self.line(0, &each.join(", "));
    }

    /// What must hold for a node to be done, in words.
    fn guard(&self, guard: &EntryGuard) -> Option<String> {
        let decided = guard.decided.iter().map(|a| self.names.access(a));
        let filled = guard.segments.iter().map(|leaf| format!("{} has elements", self.leaf(leaf)));
        let all: Vec<String> = decided.chain(filled).collect();
        (!all.is_empty()).then(|| format!("if {}", all.join(" and ")))
    }
    fn node(&mut self, n: &GraphNode, mut depth: usize) {
        if let Some(guard) = self.guard(&n.guard) {
            self.line(depth, &guard);
            depth += 1;
        }
        match &n.how {
            NodeKind::Plain | NodeKind::Idle => self.line(depth, "nothing"),
            NodeKind::Assign(action) => self.line(depth, &self.assignment(&n.stmt, *action)),
            NodeKind::Parts(all) => all.iter().for_each(|n| self.node(n, depth)),
            NodeKind::Where(w) => self.where_(w, depth),
            NodeKind::Bind(b) => {
                let from = match (b.from, b.strays) {
                    (VarOrigin::Counter, _) => "counts elements",
                    (VarOrigin::Formula, false) => "follows",
                    (VarOrigin::Formula, true) => "follows, if inside",
                };
                self.line(depth, &format!("{} {from}", self.variable(n)));
                self.print_inner(&b.bound, &b.body, depth + 1);
            }
            NodeKind::Tiled(t) => self.print_tiled(t, depth),
            NodeKind::Loop(l) => self.loop_(l, &self.variable(n), depth),
        }
    }
    fn variable(&self, n: &GraphNode) -> String {
        match &n.stmt {
            CinStmt::Forall { index, .. } => self.names.indices[*index].name.clone(),
            _ => String::new(),
        }
    }

    /// An assignment, and what becomes of its value where that is not to be seen.
    fn assignment(&self, s: &CinStmt, action: AssignAction) -> String {
        let what = match action {
            AssignAction::Store | AssignAction::Accumulate => "",
            AssignAction::Append { keep: Keep::All } => ", appended",
            AssignAction::Append { keep: Keep::NotFillWhenFused } => {
                ", appended unless it settles at the fill value"
            }
            AssignAction::Append { keep: Keep::NotFill } => ", appended unless it is the fill value",
            AssignAction::Insert => ", inserted",
        };
        format!("{}{what}", self.names.stmt(s))
    }

    fn print_tiled(&mut self, t: &Tiled, depth: usize) {
        let name = |v: &IndexId| &*self.names.indices[*v].name;
        let line = match &t.by {
            Tiling::Strips(v) => format!("strips of {}", name(v)),
            Tiling::Blocks(all) => {
                let names: Vec<&str> = all.iter().map(name).collect();
                format!("blocks of {}, whole ones and others", names.join(" and "))
            }
        };
        self.line(depth, &line);
        self.node(&t.node, depth + 1);
    }

    fn where_(&mut self, w: &Where, depth: usize) {
        let target = w.producer.stmt.target().map(|lhs| lhs.tensor);
        let mut filled: Vec<&str> = Vec::new();
        for lhs in w.producer.stmt.targets() {
            let name = &*self.names.tensors[lhs.tensor].name;
            if !filled.contains(&name) {
                filled.push(name);
            }
        }
        let kept = match target.and_then(|t| self.storage.get(&t)) {
            Some(Storage::Hash) => " in a hash table",
            Some(Storage::List) => " in slots with a list",
            Some(Storage::Marked) => " in slots",
            Some(Storage::Bitmap | Storage::Dense) => " in slots with bits",
            None => "",
        };
        let taken = match &w.marked {
            _ if w.drained.is_some() => ", taken out as it is read".to_string(),
            Some(mask) => format!(", marked by {}", self.leaves([mask], "")),
            None => String::new(),
        };
        self.line(depth, &format!("where {}{kept}{taken}", filled.join(", ")));
        self.node(&w.producer, depth + 1);
        self.line(depth, "then");
        self.node(&w.reader, depth + 1);
    }

    fn loop_(&mut self, l: &Loop, variable: &str, depth: usize) {
        let top = &l.lattice.points[0];
        let over = match (l.over, l.arms[0].walk) {
            (LoopSet::Dimension, _) if top.leaves.is_empty() => "over the dimension".to_string(),
            (LoopSet::Dimension, _) => {
                format!("over the dimension, beside {}", self.leaves(&top.leaves, " and "))
            }
            (LoopSet::Gaps, _) => {
                let gap = &l.lattice.points[l.lattice.points.len() - 1].leaves;
                let lists = self.leaves(top.leaves.difference(gap), " and ");
                match gap.is_empty() {
                    true => format!("over the dimension, between {lists}"),
                    false => format!("over runs of {}, between {lists}", self.leaves(gap, " and ")),
                }
            }
            (LoopSet::Union, _) => format!("over any of {}", self.leaves(&top.leaves, ", ")),
            (LoopSet::Words, _) if l.arms.len() == 1 => {
                format!("over words of {}", self.leaves(&top.leaves, " and "))
            }
            (LoopSet::Words, _) => format!("over words of {}", self.leaves(&top.leaves, ", ")),
            (LoopSet::Same, _) => format!("once, at {}", self.leaves(&top.leaves, " and ")),
            (LoopSet::Workspace, _) => format!("over {}", self.leaves(&top.leaves, " and ")),
            (LoopSet::Stored, walk) if l.arms.len() == 1 => {
                let leaves = self.leaves(&top.leaves, " and ");
                match walk {
                    Walk::Once => format!("once, at {leaves}"),
                    Walk::Positions | Walk::Merge => format!("over {leaves}"),
                    Walk::Fused => format!("over {leaves} with what is below"),
                    Walk::Runs | Walk::Whole => self.runs(&l.arms[0].skips, top, leaves),
                    Walk::Words => format!("over words of {leaves}"),
                    Walk::Gallop => format!("galloping over {leaves}"),
                }
            }
            (LoopSet::Stored, _) => format!("over regions of {}", self.leaves(&top.leaves, ", ")),
        };
        let sought = match l.sought.is_empty() {
            true => String::new(),
            false => format!(", looked up in {}", self.leaves(&l.sought, " and ")),
        };
        let followed = match l.followed.is_empty() {
            true => String::new(),
            false => format!(", along runs of {}", self.leaves(&l.followed, " and ")),
        };
        let confined = match l.confined.is_empty() {
            true => String::new(),
            false => {
                let sets: BTreeSet<&Leaf> = l.confined.values().flatten().collect();
                format!(", kept to {}", self.leaves(sets, " and "))
            }
        };
        let until = match &l.until {
            None => String::new(),
            Some(u) => format!(", until {} {}", self.names.access(&u.target), u.kept),
        };
        let room = if l.room { ", with room for all" } else { "" };
        self.line(depth, &format!("{variable} {over}{sought}{followed}{confined}{until}{room}"));
        if l.arms.len() == 1 {
            self.print_inner(&l.arms[0].bound, &l.arms[0].node, depth + 1);
            return;
        }
        for (q, arm) in l.lattice.points.iter().zip(&l.arms) {
            self.line(depth + 1, &self.region(q));
            self.print_inner(&arm.bound, &arm.node, depth + 2);
        }
    }
    fn runs(&self, skips: &BTreeSet<Leaf>, q: &Point, all: String) -> String {
        let but = match skips.is_empty() {
            true => String::new(),
            false if *skips == q.leaves => " but those of the fill value".into(),
            false => format!(" but those of the fill value in {}", self.leaves(skips, " and ")),
        };
        format!("over runs of {all}{but}")
    }
    /// What is done at a coordinate, after what has to be checked.
    fn print_inner(&mut self, bound: &BoundVar, n: &GraphNode, depth: usize) {
        if bound.checks.is_empty() {
            return self.node(n, depth);
        }
        let names: Vec<&str> = bound.checks.iter().map(|v| &*self.names.indices[*v].name).collect();
        self.line(depth, &format!("if {} agrees", names.join(" and ")));
        self.node(n, depth + 1);
    }
    fn region(&self, q: &Point) -> String {
        let mut here: Vec<String> = q.leaves.iter().map(|l| self.leaf(l)).collect();
        if q.extent == Extent::Dimension && here.is_empty() {
            here.push("none".into());
        }
        let role = match q.role {
            RegionRole::Producer => "in",
            RegionRole::Omitter => "at fill values in",
        };
        format!("{role} {}", here.join(" & "))
    }
}
