//! What a schedule asks of loops that these cannot do, read off the graph.
//!
//! | asked | of a loop that |
//! |---|---|
//! | unroll, vectorize | counts its rounds: over a dimension, one list, one walk of runs, or words |
//! | vectorize | has rounds that do not depend on each other: each assigns an element of its own, or adds to a scalar |
//! | parallelize | the kernel can be called over parts of |

use crate::chunks::Parallel;
use crate::declared::is_known_in_steps;
use crate::graph::{
    Arm, BoundVar, Graph, GraphNode, Loop, LoopSet, NodeKind, VarOrigin, Walk, counters, same_interval,
};
use crate::refusal::refuse;
use crate::statement::var_of;
use crate::temporaries::is_workspace;
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_index::cin::{AssemblyMode, LoopHint};
use openwork_index::{Access, CinStmt, IndexId, Program, TensorKind};
use openwork_levels::Registry;

/// Refuses loops that cannot do what a schedule asks of them, the inner ones first.
///
/// # Errors
/// `E0814`.
pub(crate) fn refuse_unable(program: &Program, registry: &Registry, graph: &Graph) -> Result<()> {
    let asked = |hint: &LoopHint| matches!(hint, LoopHint::Unroll(_) | LoopHint::Vectorize);
    if !program.directives.loops.values().flatten().any(asked) {
        return Ok(());
    }
    let counts = program.assembly != AssemblyMode::InOrder && !counters(program, &program.body).is_empty();
    HintCheck { program, registry, counts }.node(&graph.root)
}

/// Refuses a kernel that cannot be called over parts of the loop that a schedule wants distributed.
///
/// # Errors
/// `E0814`.
pub(crate) fn refuse_undistributed(program: &Program, parallel: impl FnOnce() -> Parallel) -> Result<()> {
    let mut all = program.directives.loops.iter();
    let Some((&v, _)) = all.find(|(_, hints)| hints.contains(&LoopHint::Parallelize)) else {
        return Ok(());
    };
    let name = &program.indices[v].name;
    let why = match parallel() {
        Parallel::Chunks(c) if c.var == v => return Ok(()),
        Parallel::Chunks(c) => format!("the kernel is cut into parts of `{}`", program.indices[c.var].name),
        Parallel::Serial { because } => because,
    };
    let message = format!("the loop over `{name}` cannot be distributed over threads: {why}");
    Err(refuse(program, Diagnostic::new(Code("E0814"), message), "leave parallelize out"))
}

struct HintCheck<'a> {
    program: &'a Program,
    registry: &'a Registry,
    /// Whether elements are numbered as they come.
    counts: bool,
}

/// The loops that a variable takes its values in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RoundCount {
    /// Each has a number.
    Counted,
    /// Several walks step through coordinates.
    Merged,
    /// Elements are taken out of a workspace.
    Drained,
    /// There is no loop, or one around it.
    None,
}

impl HintCheck<'_> {
    fn node(&self, n: &GraphNode) -> Result<()> {
        match &n.how {
            NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => {}
            NodeKind::Parts(all) => all.iter().try_for_each(|n| self.node(n))?,
            NodeKind::Where(w) => {
                self.node(&w.producer)?;
                self.node(&w.reader)?;
            }
            NodeKind::Bind(b) => self.node(&b.body)?,
            NodeKind::Tiled(t) => self.parts(&t.node)?,
            NodeKind::Loop(_) => self.parts(n)?,
        }
        match &n.stmt {
            CinStmt::Forall { index, .. } if n.how != NodeKind::Idle => self.loop_over(*index, n),
            _ => Ok(()),
        }
    }
    fn parts(&self, n: &GraphNode) -> Result<()> {
        match &n.how {
            NodeKind::Loop(l) => l.arms.iter().try_for_each(|arm| self.node(&arm.node)),
            _ => self.node(n),
        }
    }
    fn loop_over(&self, v: IndexId, n: &GraphNode) -> Result<()> {
        let Some(hints) = self.program.directives.loops.get(&v) else { return Ok(()) };
        for hint in hints {
            match hint {
                LoopHint::Unroll(_) => self.refuse_uncounted(v, n)?,
                LoopHint::Vectorize => {
                    self.refuse_uncounted(v, n)?;
                    self.refuse_dependent(v, n)?;
                }
                // The graph is refused where a loop cannot gallop; what runs the kernel distributes.
                LoopHint::Gallop | LoopHint::Parallelize => {}
            }
        }
        Ok(())
    }

    /// Loops that do not count, or that are no loops.
    fn refuse_uncounted(&self, v: IndexId, n: &GraphNode) -> Result<()> {
        let name = &self.program.indices[v].name;
        let rounds = match &n.how {
            NodeKind::Loop(l) => rounds(l),
            NodeKind::Plain
            | NodeKind::Assign(_)
            | NodeKind::Idle
            | NodeKind::Parts(_)
            | NodeKind::Where(_)
            | NodeKind::Bind(_)
            | NodeKind::Tiled(_) => RoundCount::None,
        };
        let message = match rounds {
            RoundCount::Counted => return Ok(()),
            RoundCount::Drained => {
                format!("the loop over `{name}` takes elements out of a workspace as it finds them")
            }
            RoundCount::Merged => {
                format!("the loop over `{name}` merges several operands, so its rounds are not counted")
            }
            RoundCount::None => format!("nothing is counted to loop over `{name}`"),
        };
        let help = "precompute an operand into a dense workspace, or leave the command out";
        Err(self.refusal(message, help))
    }
    /// Loops whose rounds cannot be taken several at a time.
    fn refuse_dependent(&self, v: IndexId, n: &GraphNode) -> Result<()> {
        if let NodeKind::Loop(l) = &n.how
            && self.has_independent_rounds(l)
        {
            return Ok(());
        }
        let name = &self.program.indices[v].name;
        let message = format!(
            "rounds of the loop over `{name}` are not independent: they branch, loop, append or meet again"
        );
        Err(self.refusal(message, "only an innermost loop that assigns or adds up can be taken in vectors"))
    }
    fn refusal(&self, message: String, help: &str) -> Error {
        refuse(self.program, Diagnostic::new(Code("E0814"), message), help)
    }

    fn has_independent_rounds(&self, l: &Loop) -> bool {
        let top = &l.lattice.points[0].leaves;
        let found = |leaf| top.iter().any(|walked| same_interval(self.program, walked, leaf));
        let looked_up = !l.sought.iter().all(found) || !l.followed.is_empty();
        let walked = match l.over {
            LoopSet::Dimension => top.is_empty(),
            LoopSet::Stored => {
                let straight = |arm: &Arm| matches!(arm.walk, Walk::Positions | Walk::Fused);
                let counted = top.iter().all(|leaf| !is_known_in_steps(self.program, self.registry, leaf));
                l.arms.iter().all(straight) && counted
            }
            LoopSet::Gaps | LoopSet::Union | LoopSet::Words | LoopSet::Same | LoopSet::Workspace => false,
        };
        walked && !looked_up && l.arms.iter().all(|arm| self.is_independent(l.var, &arm.bound, &arm.node))
    }
    /// Whether what is done at one coordinate of `v` does not meet what is done at others.
    fn is_independent(&self, v: IndexId, bound: &BoundVar, n: &GraphNode) -> bool {
        let mut inner = n;
        let mut asked = 0;
        while let Some((below, asks)) = self.without_a_loop(inner).filter(|_| bound.once && !self.counts) {
            asked += asks;
            inner = below;
        }
        let CinStmt::Assign { lhs, .. } = &inner.stmt else { return false };
        bound.checks.is_empty() && asked <= 1 && self.meets_no_other(v, lhs)
    }
    /// What is done where a variable has a value without a loop, and whether something is asked before.
    fn without_a_loop<'n>(&self, n: &'n GraphNode) -> Option<(&'n GraphNode, usize)> {
        match &n.how {
            NodeKind::Bind(b) if b.from == VarOrigin::Formula => {
                Some((&b.body, usize::from(b.strays) + usize::from(!b.bound.checks.is_empty())))
            }
            NodeKind::Loop(l) if l.sought.is_empty() && l.followed.is_empty() && l.arms.len() == 1 => {
                let arm = &l.arms[0];
                let once = l.over == LoopSet::Same || l.over == LoopSet::Stored && arm.walk == Walk::Once;
                let asks = usize::from(arm.empties) + usize::from(!arm.bound.checks.is_empty());
                once.then_some((&arm.node, asks))
            }
            NodeKind::Plain
            | NodeKind::Assign(_)
            | NodeKind::Idle
            | NodeKind::Parts(_)
            | NodeKind::Where(_)
            | NodeKind::Tiled(_) => None,
            NodeKind::Bind(_) | NodeKind::Loop(_) => None,
        }
    }
    /// Whether an assignment at one coordinate of `v` touches an element of its own, or adds to a scalar.
    fn meets_no_other(&self, v: IndexId, lhs: &Access) -> bool {
        let t = &self.program.tensors[lhs.tensor];
        if t.kind == TensorKind::Temp && t.format.rank() == 0 {
            return true;
        }
        let located = |k: usize| {
            let found = |f: &dyn openwork_levels::LevelFormat| f.locate().is_some();
            self.registry.get(t.format.levels[k].spec).is_some_and(found)
        };
        let placed = t.kind == TensorKind::Result && self.program.assembly != AssemblyMode::InOrder;
        let own = match placed {
            true => !t.format.levels.iter().any(|l| l.shares_cursors() || l.is_in_words()),
            // An element that is appended goes behind the one before.
            false => (0..t.format.rank()).next_back().is_some_and(located),
        };
        own && !is_workspace(self.program, lhs.tensor)
            && (0..t.format.rank()).any(|k| var_of(self.program, lhs, k) == v)
    }
}

/// The loops that a variable takes its values in.
fn rounds(l: &Loop) -> RoundCount {
    match l.over {
        LoopSet::Workspace => RoundCount::Drained,
        LoopSet::Union | LoopSet::Gaps => RoundCount::Merged,
        LoopSet::Dimension | LoopSet::Words => RoundCount::Counted,
        LoopSet::Same => RoundCount::None,
        LoopSet::Stored => {
            let does = |arm: &Arm| arm.node.stmt != CinStmt::Nop;
            let several = |n: usize| l.lattice.points[n].leaves.len() > 1;
            let merged = |(n, arm): (usize, &Arm)| match arm.walk {
                Walk::Merge => true,
                Walk::Gallop => does(arm),
                Walk::Runs | Walk::Whole => does(arm) && several(n),
                Walk::Once | Walk::Positions | Walk::Fused | Walk::Words => false,
            };
            let counted = |arm: &Arm| does(arm) && arm.walk != Walk::Once;
            match (l.arms.iter().enumerate().any(merged), l.arms.iter().any(counted)) {
                (true, _) => RoundCount::Merged,
                (false, true) => RoundCount::Counted,
                (false, false) => RoundCount::None,
            }
        }
    }
}
