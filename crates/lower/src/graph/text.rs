//! Iteration graphs as text.
//!
//! ```text
//! C(i,k) = A(i,j) * B(j,k), all csr
//!
//! i over the dimension
//!   where t in slots with bits, taken out as it is read
//!     j over A(i,j).2
//!       k over B(j,k).2
//!         t(k) += A(i,j) * B(j,k)
//!   then
//!     k over t(k).1
//!       C(i,k) = t(k)
//! ```
//! Where a loop tells several regions apart, each has a line: the leaves that are present, and below it what is done there.

use super::{Bound, Graph, How, Loop, Node, Origin, Over, Tiled, Tiling, Walk, Where};
use crate::lattice::{Extent, Point, Role};
use crate::space::Leaf;
use openwork_index::cin::{Names, Storage};
use openwork_index::{IndexId, Program, Stmt, TensorId};
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The graph as text, one line per decision.
    pub fn text(&self, program: &Program) -> String {
        let names = Names { tensors: &program.tensors, indices: &program.indices };
        let mut p = Printer { names, storage: &self.storage, out: String::new() };
        p.node(&self.root, 0);
        p.out
    }
}

struct Printer<'a> {
    names: Names<'a>,
    storage: &'a BTreeMap<TensorId, Storage>,
    out: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&format!("{:1$}{text}\n", "", 2 * depth));
    }
    fn leaf(&self, l: &Leaf) -> String {
        format!("{}.{}", self.names.access(&l.access), l.level + 1)
    }
    fn leaves<'l>(&self, all: impl IntoIterator<Item = &'l Leaf>, between: &str) -> String {
        let all: Vec<String> = all.into_iter().map(|l| self.leaf(l)).collect();
        all.join(between)
    }

    fn node(&mut self, n: &Node, depth: usize) {
        match &n.how {
            How::Plain if n.stmt == Stmt::Nop => self.line(depth, "nothing"),
            How::Plain => self.line(depth, &self.names.stmt(&n.stmt)),
            How::Idle => self.line(depth, "nothing"),
            How::Parts(all) => all.iter().for_each(|n| self.node(n, depth)),
            How::Where(w) => self.where_(w, depth),
            How::Bind(b) => {
                let from = match (b.from, b.strays) {
                    (Origin::Counter, _) => "counts elements",
                    (Origin::Formula, false) => "follows",
                    (Origin::Formula, true) => "follows, if inside",
                };
                self.line(depth, &format!("{} {from}", self.variable(n)));
                self.inside(&b.bound, &b.body, depth + 1);
            }
            How::Tiled(t) => self.tiled(t, depth),
            How::Loop(l) => self.loop_(l, &self.variable(n), depth),
        }
    }
    fn variable(&self, n: &Node) -> String {
        match &n.stmt {
            Stmt::Forall { index, .. } => self.names.indices[*index].name.clone(),
            _ => String::new(),
        }
    }

    fn tiled(&mut self, t: &Tiled, depth: usize) {
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
            (Over::Dimension, _) if top.leaves.is_empty() => "over the dimension".to_string(),
            (Over::Dimension, _) => {
                format!("over the dimension, beside {}", self.leaves(&top.leaves, " and "))
            }
            (Over::Gaps, _) => {
                let gap = &l.lattice.points[l.lattice.points.len() - 1].leaves;
                let lists = self.leaves(top.leaves.difference(gap), " and ");
                match gap.is_empty() {
                    true => format!("over the dimension, between {lists}"),
                    false => format!("over runs of {}, between {lists}", self.leaves(gap, " and ")),
                }
            }
            (Over::Union, _) => format!("over any of {}", self.leaves(&top.leaves, ", ")),
            (Over::Words, _) if l.arms.len() == 1 => {
                format!("over words of {}", self.leaves(&top.leaves, " and "))
            }
            (Over::Words, _) => format!("over words of {}", self.leaves(&top.leaves, ", ")),
            (Over::Same, _) => format!("once, at {}", self.leaves(&top.leaves, " and ")),
            (Over::Workspace, _) => format!("over {}", self.leaves(&top.leaves, " and ")),
            (Over::Stored, walk) if l.arms.len() == 1 => {
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
            (Over::Stored, _) => format!("over regions of {}", self.leaves(&top.leaves, ", ")),
        };
        let sought = match l.sought.is_empty() {
            true => String::new(),
            false => format!(", looked up in {}", self.leaves(&l.sought, " and ")),
        };
        let followed = match l.followed.is_empty() {
            true => String::new(),
            false => format!(", along runs of {}", self.leaves(&l.followed, " and ")),
        };
        let until = match &l.until {
            None => String::new(),
            Some(u) => format!(", until {} is {}", self.names.access(&u.target), u.value),
        };
        self.line(depth, &format!("{variable} {over}{sought}{followed}{until}"));
        if l.arms.len() == 1 {
            self.inside(&l.arms[0].bound, &l.arms[0].node, depth + 1);
            return;
        }
        for (q, arm) in l.lattice.points.iter().zip(&l.arms) {
            self.line(depth + 1, &self.region(q));
            self.inside(&arm.bound, &arm.node, depth + 2);
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
    fn inside(&mut self, bound: &Bound, n: &Node, depth: usize) {
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
            Role::Producer => "in",
            Role::Omitter => "at fill values in",
        };
        format!("{role} {}", here.join(" & "))
    }
}
