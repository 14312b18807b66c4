//! Reductions that are decided before their loop is through.
//!
//! ```text
//! t |= A(i,j) * x(j)      j over A(i,j).2, until t is true
//! ```
//! A reduction that has come to its annihilator keeps it, whatever else comes: true for `or`, false for `and`, zero for a
//! product of integers, any value but 0 for `choose`. The loop ends there. Infinities decide nothing, as NaN may follow.

use super::{Arm, GraphNode, LoopSet, NodeKind, Walk};
use openwork_algebra::{DType, Operator, Scalar};
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorId, TensorKind};
use std::collections::BTreeSet;
use std::fmt;

/// The reduction that ends a loop early.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// What the loop reduces to.
    pub target: Access,
    /// The values that it keeps.
    pub kept: KeptValues,
    /// Whether what is combined with it changes nothing unless it is that value: so it is with truth values.
    pub at_once: bool,
}

/// The values of a reduction that nothing changes which is combined with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeptValues {
    /// This one.
    One(Scalar),
    /// All but this one.
    AllBut(Scalar),
}

impl KeptValues {
    /// Those of an operator.
    fn find(op: &Operator, dtype: DType) -> Option<KeptValues> {
        let decides = op.annihilator_at(0, dtype).filter(|_| !dtype.is_inexact());
        decides.map(KeptValues::One).or(op.passes_over(dtype).map(KeptValues::AllBut))
    }
}

impl fmt::Display for KeptValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeptValues::One(value) => write!(f, "is {value}"),
            KeptValues::AllBut(value) => write!(f, "is not {value}"),
        }
    }
}

/// What ends the loop over `v` before all of its coordinates were visited, if anything may.
pub(super) fn find_until(
    program: &Program,
    v: IndexId,
    body: &CinStmt,
    over: LoopSet,
    arms: &[Arm],
) -> Option<Until> {
    // Elements are taken out of a workspace, all of them; a loop over runs has others inside.
    let stepped = match over {
        LoopSet::Dimension | LoopSet::Stored | LoopSet::Union | LoopSet::Words | LoopSet::Gaps => true,
        LoopSet::Same | LoopSet::Workspace => false,
    };
    let leaves = |arm: &Arm| matches!(arm.walk, Walk::Once | Walk::Runs | Walk::Whole);
    if !stepped || arms.iter().any(leaves) || program.assembly != AssemblyMode::InOrder {
        return None;
    }
    let inside = bound_in(body, v);
    let mut reduced: Option<Until> = None;
    let mut counted_for = Vec::new();
    for (lhs, op, rhs) in outer_assignments(body) {
        if let Some(accounting) = counts_for(program, lhs.tensor, rhs) {
            counted_for.push(accounting);
            continue;
        }
        let dtype = program.tensors[lhs.tensor].dtype;
        let kept = KeptValues::find(op?, dtype)?;
        let fixed = !lhs.vars.iter().any(|w| inside.contains(w));
        match &reduced {
            None if fixed && stays_in_place(program, lhs) => {
                let at_once = changes_nothing_else(op?, dtype, kept);
                reduced = Some(Until { target: lhs.clone(), kept, at_once });
            }
            Some(same) if same.target == *lhs && same.kept == kept => {}
            None | Some(_) => return None,
        }
    }
    // A test in each round is worth it where either value is likely.
    let own_counts = |u: &Until| counted_for.iter().all(|&of| of == u.target.tensor);
    let likely = |u: &Until| u.at_once || matches!(u.kept, KeptValues::AllBut(_));
    // A loop over gaps has others inside, in which the question is asked where most values decide.
    let asked = |u: &Until| match over {
        LoopSet::Gaps => matches!(u.kept, KeptValues::AllBut(_)),
        _ => likely(u) || arms.iter().any(|a| loops(&a.node)),
    };
    reduced.filter(own_counts).filter(asked)
}

/// Whether, of two values, one decides and the other one is the identity.
fn changes_nothing_else(op: &Operator, dtype: DType, kept: KeptValues) -> bool {
    let KeptValues::One(value) = kept else { return false };
    let other = match value {
        Scalar::Bool(b) if dtype == DType::Bool => Scalar::Bool(!b),
        _ => return false,
    };
    let same = |found: Option<Scalar>, wanted| found.is_some_and(|f| f.is_same(wanted));
    same(op.annihilator_at(1, dtype), value) && same(op.identity_at(1, dtype), other)
}

/// The variables that get values here.
fn bound_in(body: &CinStmt, v: IndexId) -> BTreeSet<IndexId> {
    let mut inside = BTreeSet::from([v]);
    body.visit(&mut |s| {
        if let CinStmt::Forall { index, .. } = s {
            inside.insert(*index);
        }
    });
    inside
}

/// The assignments to what outlives a round: temporaries that are filled in it are gone after it.
fn outer_assignments(body: &CinStmt) -> Vec<(&Access, Option<&'static Operator>, &IndexExpr)> {
    let mut own = BTreeSet::new();
    body.visit(&mut |s| {
        if let CinStmt::Where { producer, .. } = s {
            own.extend(producer.assignments().into_iter().map(|(lhs, ..)| lhs.tensor));
        }
    });
    let all = body.assignments().into_iter();
    all.filter(|(lhs, ..)| !own.contains(&lhs.tensor)).collect()
}

/// Whether values that have to come in order are reduced over `v`, or in several rounds for one of its coordinates unless that is
/// met once.
pub(super) fn reduces_in_order(body: &CinStmt, v: IndexId, once: bool) -> bool {
    let all = outer_assignments(body);
    let over = |lhs: &Access| !once || !lhs.vars.contains(&v);
    all.iter().any(|(lhs, op, _)| op.is_some_and(Operator::is_ordered) && over(lhs))
}

/// The reduction for which alone elements are counted here, to account for the others: if it is decided, it is so without
/// them. A reduction that is not decided needs all of them counted.
fn counts_for(program: &Program, counter: TensorId, rhs: &IndexExpr) -> Option<TensorId> {
    let one = match rhs {
        IndexExpr::Stored { to, .. } => **to == IndexExpr::Literal(Scalar::I64(1)),
        e => *e == IndexExpr::Literal(Scalar::I64(1)),
    };
    let mut accounts: Vec<TensorId> = Vec::new();
    for (.., rhs) in program.body.assignments() {
        rhs.visit(&mut |e| {
            if let IndexExpr::WithFill { folded, visited, .. } = e
                && let (IndexExpr::Access(of), IndexExpr::Access(c)) = (&**folded, &**visited)
                && c.tensor == counter
            {
                accounts.push(of.tensor);
            }
        });
    }
    let (first, others) = accounts.split_first()?;
    (one && others.iter().all(|of| of == first)).then_some(*first)
}

/// Whether an element can be read again while it is reduced to: it is no part of a list.
fn stays_in_place(program: &Program, lhs: &Access) -> bool {
    let t = &program.tensors[lhs.tensor];
    match t.kind {
        TensorKind::Operand | TensorKind::Predicate => false,
        TensorKind::Temp | TensorKind::Result => t.format.levels.iter().all(|l| l.is_dense()),
    }
}

/// Whether anything is looped over here.
fn loops(n: &GraphNode) -> bool {
    match &n.how {
        NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => false,
        NodeKind::Parts(all) => all.iter().any(loops),
        NodeKind::Where(w) => loops(&w.producer) || loops(&w.reader),
        NodeKind::Bind(b) => loops(&b.body),
        NodeKind::Tiled(_) => true,
        NodeKind::Loop(l) => l.arms.iter().any(|a| a.walk != Walk::Once || loops(&a.node)),
    }
}
