//! What must hold for loops to be entered, as the graph says.

use crate::emit::Emitter;
use crate::emit::scope::Scope;
use crate::graph::EntryGuard;
use crate::space::Leaf;
use openwork_index::Access;
use openwork_loops::build::{and_also, if_then, lt};
use openwork_loops::{Expr as Ir, Stmt as Code};

impl Emitter<'_> {
    /// `code`, where it has to be entered.
    pub(crate) fn guard_entry(&self, guard: &EntryGuard, code: Vec<Code>, scope: &Scope) -> Vec<Code> {
        let differs = |a: &Access| {
            let known = scope.values.get(a).cloned()?;
            Some(self.differs(known, self.program.tensors[a.tensor].fill))
        };
        let filled = guard.segments.iter().filter_map(|leaf| self.is_filled(leaf, scope)).reduce(and_also);
        let decided = guard.decided.iter().filter_map(differs).reduce(and_also);
        // Truth values are asked first.
        [filled, decided].into_iter().flatten().fold(code, |code, cond| if_then(cond, code))
    }
    /// Whether the segment of a level has elements.
    fn is_filled(&self, leaf: &Leaf, scope: &Scope) -> Option<Ir> {
        let mut scope = scope.clone();
        self.locate(&leaf.access, &mut scope);
        let parent = scope.parent(&leaf.access, leaf.level)?;
        let pos = self.tensors[&leaf.access.tensor].levels[leaf.level].arrays[0];
        let end = parent.end();
        Some(lt(self.kernel.load_index(pos, parent.lo), self.kernel.load_index(pos, end)))
    }
}
