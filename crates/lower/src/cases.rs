//! How many cases the loops of a program tell apart, before they are written: an analysis of CIN.
//!
//! A loop that merges has a piece of code for each region of its lattice, once for every larger region whose loop it is
//! met in, and loops inside multiply:
//!
//! ```text
//! for i, a row of A or of B {  for j { … }  }        regions {A, B}, {A}, {B}: 3 loops, 5 cases
//! ```

use crate::forall::walked_without;
use crate::lattice::{Extent, Lattice, REGIONS};
use crate::rewrite::without;
use crate::space::{Leaf, derive};
use openwork_index::{Access, Kind, Program, Stmt};
use openwork_levels::Registry;
use std::collections::BTreeSet;

/// What a level costs that a loop steps through beside others in one case, and an element that goes into a sparse
/// workspace, in cases.
const BESIDE: usize = 3;

/// How many cases the code of a program has, as far as `most`: what is told apart by a look at the levels alone, not what
/// turns out to be fused or located. Loops that cost more than their cases, unions, and what
/// fills and reads workspaces, count as what they cost.
pub fn cases(program: &Program, registry: &Registry, most: usize) -> usize {
    Count { program, registry, most }.of(&program.body).min(most)
}

struct Count<'a> {
    program: &'a Program,
    registry: &'a Registry,
    most: usize,
}

impl Count<'_> {
    /// Those of a statement; nothing is looked at beyond the limit.
    fn of(&self, s: &Stmt) -> usize {
        match s {
            Stmt::Nop => 0,
            Stmt::Assign { lhs, .. } => {
                let target = &self.program.tensors[lhs.tensor];
                match target.kind {
                    // One variable has bits, several are hashed.
                    Kind::Temp if !target.format.is_dense() => BESIDE * lhs.vars.len().min(2),
                    Kind::Temp | Kind::Operand | Kind::Result => 1,
                }
            }
            Stmt::Forall { .. } => self.of_loop(s),
            Stmt::Where { .. } => BESIDE + self.of_all(s),
            Stmt::Seq(_) | Stmt::Multi(_) => self.of_all(s),
        }
    }
    fn of_all(&self, s: &Stmt) -> usize {
        s.children().into_iter().fold(0, |sum, part| if sum < self.most { sum + self.of(part) } else { sum })
    }
    fn of_loop(&self, s: &Stmt) -> usize {
        let Stmt::Forall { index, body } = s else { return self.of(s) };
        let space = derive(body, *index, &self.program.tensors);
        let listed = |leaves: &BTreeSet<Leaf>| leaves.len() >= 3 && leaves.iter().all(|l| self.is_listed(l));
        if let Some(union) = space.as_union().filter(listed) {
            return BESIDE * union.len() + self.of(body);
        }
        if space.regions() > REGIONS {
            return self.most;
        }
        let full = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].full();
        let lattice = Lattice::build(&space).simplify(&full);
        let mut sum = 0;
        for q in &lattice.points {
            let missing = |a: &Access| {
                walked_without(self.program, self.registry, *index, a, &|l| q.leaves.contains(l))
            };
            let larger = lattice.points.iter().filter(|p| p.leaves.is_superset(&q.leaves)).count();
            let times = if lattice.points[0].extent == Extent::Dimension { 1 } else { larger };
            sum += times * self.of(&without(body, &missing, &self.program.tensors));
            if sum >= self.most {
                return self.most;
            }
        }
        sum
    }
    /// Whether a level and those below it are lists, of which several merge in one case.
    fn is_listed(&self, leaf: &Leaf) -> bool {
        let levels = &self.program.tensors[leaf.access.tensor].format.levels;
        levels[leaf.level..].iter().all(|l| l.is_listed())
    }
}
