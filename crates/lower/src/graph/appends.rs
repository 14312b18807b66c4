//! What loops append to a result: which values, and whether there is room for all of them beforehand.
//!
//! A value that is the fill value is no element: of a loop over a whole dimension it is left out, where an operand has slots of no
//! element, and where differences and comparisons may well come out as it. Structures that are assembled for themselves hold
//! whatever the last of these compute.

use super::fuse::chain_below;
use super::{Arm, AssignAction, Keep, Walk};
use crate::lattice::{Extent, Lattice};
use crate::predicates::is_predicate;
use crate::rewrite::remove_missing;
use crate::space::Leaf;
use crate::statement::{accesses_of, assigns, var_of};
use crate::temporaries::is_workspace;
use crate::whole::grows;
use openwork_algebra::{DType, Operator, Prim};
use openwork_format::{Coords, Format, Level};
use openwork_index::cin::AssemblyMode;
use openwork_index::expr::fill_of;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorId, TensorKind, TensorVar};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of a program about what its loops append.
#[derive(Clone)]
pub(super) struct Appending<'a> {
    pub(super) program: &'a Program,
    /// The result, where it is assembled in the order of the loops.
    pub(super) result: Option<&'a Access>,
    /// Whether its values are appended.
    pub(super) appends: bool,
    /// Whether its elements may well come out as its fill value.
    settles: bool,
    /// What is assigned to each tensor.
    assigned: BTreeMap<TensorId, Vec<Assigned<'a>>>,
    /// The temporaries of which it is known whether slots of no element go into them.
    padded: RefCell<BTreeMap<TensorId, bool>>,
}

/// An assignment of a program.
#[derive(Clone, Copy)]
struct Assigned<'a> {
    lhs: &'a Access,
    op: Option<&'static Operator>,
    rhs: &'a IndexExpr,
}

/// Whether an operator often gives one and the same value for arguments that differ: comparisons and differences, and choices
/// by a mask.
fn settles(op: &Operator) -> bool {
    use Prim::{Eq, Ge, Gt, Le, Lt, Ne, Sub, Xor};
    op.is_mask() || matches!(op.prim, Sub | Eq | Ne | Lt | Le | Gt | Ge | Xor)
}

/// Whether a value is another one with its sign changed, or a product with a factor that is.
fn is_negated(e: &IndexExpr) -> bool {
    match e {
        IndexExpr::Cast { arg: value, .. } | IndexExpr::Beside { value, .. } => is_negated(value),
        IndexExpr::Predicate { .. } => false,
        IndexExpr::Call { op, args } => {
            op.prim == Prim::Neg || matches!(op.prim, Prim::Mul | Prim::Times) && args.iter().any(is_negated)
        }
        IndexExpr::Access(_)
        | IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. }
        | IndexExpr::Reduce { .. } => false,
    }
}

/// Whether a value has a part that is visited beside elements.
fn has_marks(e: &IndexExpr) -> bool {
    matches!(e, IndexExpr::Beside { .. }) || e.children().any(has_marks)
}

/// How many loops there are in a statement, one inside the other.
fn loops_in(s: &CinStmt) -> usize {
    let deepest = s.children().map(loops_in).max().unwrap_or(0);
    deepest + usize::from(matches!(s, CinStmt::Forall { .. }))
}

impl<'a> Appending<'a> {
    pub(super) fn new(program: &'a Program, result: Option<&'a Access>, appends: bool) -> Appending<'a> {
        let mut assigned: BTreeMap<TensorId, Vec<Assigned<'a>>> = BTreeMap::new();
        for (lhs, op, rhs) in program.body.assignments() {
            assigned.entry(lhs.tensor).or_default().push(Assigned { lhs, op, rhs });
        }
        let padded = RefCell::default();
        let appending = Appending { program, result, appends, settles: false, assigned, padded };
        Appending { settles: appending.leaves_out_fill(), ..appending }
    }
    /// Whether a statement appends values of the result's last level.
    fn appended_by(&self, s: &CinStmt) -> Option<&'a Access> {
        self.result.filter(|r| self.appends && assigns(s, r.tensor))
    }
    /// Whether a statement appends elements along `v`.
    fn appends_along(&self, v: IndexId, s: &CinStmt) -> bool {
        let last = |r: &Access| self.program.tensors[r.tensor].format.rank().checked_sub(1);
        let own = |r: &Access| last(r).is_some_and(|k| var_of(self.program, r, k) == v);
        self.appended_by(s).is_some_and(own)
    }

    /// What an assignment does.
    pub(super) fn action(&self, lhs: &Access, op: Option<&Operator>, keep: Keep) -> AssignAction {
        let t = &self.program.tensors[lhs.tensor];
        let result = t.kind == TensorKind::Result;
        if result && self.program.assembly != AssemblyMode::InOrder || is_workspace(self.program, lhs.tensor)
        {
            return AssignAction::Insert;
        }
        if result && self.appends {
            // Runs hold the fill value as well.
            let runs = t.format.rank().checked_sub(1).is_some_and(|k| grows(t, k));
            return AssignAction::Append { keep: if runs { Keep::All } else { keep } };
        }
        if op.is_some() { AssignAction::Accumulate } else { AssignAction::Store }
    }
    /// What is kept of a result before its loops: of reductions of truth values never the fill value, as how the reduction is
    /// computed depends on the formats of the operands, and what a search has found must not.
    pub(super) fn kept_at_first(&self) -> Keep {
        if self.reduces_truths() { Keep::NotFillWhenFused } else { Keep::All }
    }
    fn reduces_truths(&self) -> bool {
        let truth = self.result.is_some_and(|r| self.program.tensors[r.tensor].dtype == DType::Bool);
        let reduces = || self.assignments().any(|a| a.op.is_some());
        truth && (self.program.directives.leaves_out_fill || reduces())
    }
    /// What is kept of elements of `v`, which loops around it count.
    pub(super) fn kept_of_counted(&self, v: IndexId, body: &CinStmt) -> Keep {
        if self.appends_along(v, body) { Keep::NotFill } else { Keep::All }
    }
    /// What is kept of what a loop over `v` appends; `whole` is whether it takes all of the dimension.
    pub(super) fn kept_of_loop(&self, v: IndexId, body: &CinStmt, lattice: &Lattice, whole: bool) -> Keep {
        // Slots that belong to no element are not stored.
        let pads = |l: &Leaf| {
            let tensor = l.access.tensor;
            self.program.tensors[tensor].format.has_padding()
                || is_predicate(self.program, tensor)
                || is_workspace(self.program, tensor) && self.holds_padding(tensor)
        };
        let padded = || lattice.points.iter().any(|p| p.leaves.iter().all(pads));
        match self.appends_along(v, body) {
            true if whole || padded() => Keep::NotFill,
            true if self.settles => Keep::NotFillWhenFused,
            true | false => Keep::All,
        }
    }
    /// What is kept where any of the operands of a union may be missing.
    pub(super) fn kept_of_union(&self, body: &CinStmt, leaves: &BTreeSet<Leaf>) -> Keep {
        // Which of its operands are missing is known when it runs.
        let marks = body.assignments().into_iter().any(|(.., rhs)| has_marks(rhs));
        if marks || self.factors_vanish(body, leaves) { Keep::NotFill } else { Keep::All }
    }
    /// Whether each round of a loop over `v` appends one value at most and leaves a position of some level behind, so that room
    /// for all can be made before.
    pub(super) fn makes_room(&self, v: IndexId, body: &CinStmt, lattice: &Lattice, arms: &[Arm]) -> bool {
        let top = &lattice.points[0];
        let tensor = |leaf: &Leaf| &self.program.tensors[leaf.access.tensor];
        // A chain that is walked in one loop appends at most one value a round as well, if nothing loops inside of it.
        let fused = |leaf: &Leaf| {
            arms[0].walk == Walk::Fused
                && loops_in(body) == chain_below(self.program, leaf)
                && !tensor(leaf).is_windowed()
        };
        let alone = arms.len() == 1 && top.leaves.len() == 1;
        let chain = || self.appended_by(body).is_some() && alone && top.leaves.iter().all(fused);
        // A position that several coordinates share would be left behind too late.
        let spans = top.leaves.iter().any(|l| tensor(l).format.levels[l.level].shares_positions());
        let rounds = !spans || arms.iter().all(|arm| arm.walk == Walk::Whole);
        top.extent == Extent::Stored && rounds && (self.appends_along(v, body) || chain())
    }

    /// Whether elements of the result that come out as its fill value are left out.
    pub(super) fn leaves_out_fill(&self) -> bool {
        let decided = self.program.directives.leaves_out_fill;
        self.appends && (decided || self.reduces_truths() || self.may_settle())
    }
    /// Whether elements of the result may well come out as its fill value though operands store something there: they are
    /// no elements then. The statement as a whole says so, not what is left of it where an operand stores nothing, so that
    /// what is stored at some coordinates does not depend on others.
    fn may_settle(&self) -> bool {
        let result = |a: &Access| self.result.is_some_and(|r| r.tensor == a.tensor);
        // Slots of a dense temporary do not tell which of them something sparse has filled.
        let spread = |a: &&Access| self.program.tensors[a.tensor].kind == TensorKind::Temp && self.spreads(a);
        let unsure = |rhs: &IndexExpr| self.may_meet_fill(rhs) || rhs.accesses().iter().any(spread);
        self.assignments().any(|a| result(a.lhs) && unsure(a.rhs))
    }
    fn may_meet_fill(&self, e: &IndexExpr) -> bool {
        match e {
            IndexExpr::Cast { arg: value, .. } | IndexExpr::Beside { value, .. } => self.may_meet_fill(value),
            IndexExpr::Predicate { .. } => true,
            // Logic says how truth values of comparisons meet.
            IndexExpr::Call { op, args } if e.dtype(&self.program.tensors) == DType::Bool => {
                settles(op) || args.iter().any(|a| self.may_meet_fill(a))
            }
            IndexExpr::Call { op, args } if op.is_mask() && args[0].says_positions(&self.program.indices) => {
                args[1..].iter().any(|a| self.may_meet_fill(a))
            }
            IndexExpr::Call { op, args } => {
                settles(op) || args.iter().any(|a| self.has_masks(a) || self.comes_of_nothing(a))
            }
            IndexExpr::Access(a) if self.program.tensors[a.tensor].kind == TensorKind::Temp => {
                // A difference is added up as its terms, what is subtracted negated.
                let mut terms = self.filling(a.tensor);
                if self.filling(a.tensor).count() > 1 && terms.any(is_negated) {
                    return true;
                }
                self.assigned_to(a.tensor)
                    .iter()
                    .any(|a| a.op.is_some_and(settles) || self.may_meet_fill(a.rhs) || self.may_be_nothing(a))
            }
            // The value elsewhere may well be the result's.
            IndexExpr::WithFill { .. } => true,
            IndexExpr::Stored { to, .. } => self.may_meet_fill(to),
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Width(_) => false,
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }

    /// Whether a statement has a value that is visited beside elements ([`openwork_index::assume`]), where one of its
    /// operands is `missing`, or may be.
    pub(super) fn is_marked(&self, s: &CinStmt, missing: &dyn Fn(&Access) -> bool) -> bool {
        let temp = |a: &Access| self.program.tensors[a.tensor].kind == TensorKind::Temp;
        let mut found = false;
        for (.., rhs) in s.assignments() {
            rhs.visit(&mut |e| {
                let IndexExpr::Beside { value, at } = e else { return };
                let mut accesses = value.accesses().into_iter();
                found |= !missing(at) && accesses.any(|a| missing(a) || temp(a));
            });
        }
        found
    }

    /// Whether a part of a value is what a mask leaves, as where that is added to what was there, through temporaries as well.
    fn has_masks(&self, e: &IndexExpr) -> bool {
        match e {
            IndexExpr::Call { op, args } if op.is_mask() && args[0].says_positions(&self.program.indices) => {
                args[1..].iter().any(|a| self.has_masks(a))
            }
            IndexExpr::Call { op, .. } if op.is_mask() => true,
            IndexExpr::Access(a) if self.program.tensors[a.tensor].kind == TensorKind::Temp => {
                self.filling(a.tensor).any(|rhs| self.has_masks(rhs))
            }
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Width(_)
            | IndexExpr::Cast { .. }
            | IndexExpr::Call { .. }
            | IndexExpr::Map { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Beside { .. } => e.children().any(|c| self.has_masks(c)),
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }

    /// Whether a part of a value may be there though no element leads to it.
    fn comes_of_nothing(&self, e: &IndexExpr) -> bool {
        match e {
            IndexExpr::Access(a) if self.program.tensors[a.tensor].kind == TensorKind::Temp => {
                let mut filling = self.assigned_to(a.tensor).iter();
                filling.any(|a| self.may_be_nothing(a) || self.comes_of_nothing(a.rhs))
            }
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Width(_)
            | IndexExpr::Cast { .. }
            | IndexExpr::Call { .. }
            | IndexExpr::Map { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Beside { .. } => e.children().any(|c| self.comes_of_nothing(c)),
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    /// Whether what goes into a temporary may be nothing, or padding: a sum of it, what is there at every coordinate, or
    /// what is visited beside elements, which loops tell apart only where it goes into the result itself
    /// ([`Appending::is_marked`]).
    fn may_be_nothing(&self, assigned: &Assigned) -> bool {
        let Assigned { lhs, op, rhs } = *assigned;
        let added = op.is_some() && (self.may_meet_nothing(lhs, rhs) || self.holds_padding(lhs.tensor));
        // Values of no constant are outside of what is stored as well.
        let everywhere = fill_of(rhs, &self.program.tensors).is_none_or(|outside| match op {
            Some(op) => op.identity_at(1, outside.dtype()).is_none_or(|id| !id.is_same(outside)),
            None => !self.program.tensors[lhs.tensor].fill.is_same(outside),
        });
        added || everywhere || has_marks(rhs)
    }
    /// Whether a sum in a scalar may turn out to have no terms, which is known when the element is already there: its
    /// variables meet in several operands that are not full, or lie below a level that has all coordinates, or are all that
    /// an operand has.
    fn may_meet_nothing(&self, sum: &Access, term: &IndexExpr) -> bool {
        let nothing =
            || self.sparse_reads(term) > 1 || self.has_bare_parents(term) || self.may_be_empty(term);
        sum.vars.is_empty() && nothing()
    }
    /// Whether a value needs something of an operand that may store nothing at all: no element of the result leads to it.
    fn may_be_empty(&self, e: &IndexExpr) -> bool {
        let of_result = |a: &Access| self.result.is_some_and(|r| r.vars.iter().any(|v| a.vars.contains(v)));
        e.accesses().into_iter().any(|a| {
            let t = &self.program.tensors[a.tensor];
            t.kind == TensorKind::Operand && !t.format.is_full() && !of_result(a)
        })
    }
    /// Whether a value needs an operand in which a coordinate may be there with nothing below it, through temporaries as
    /// well.
    fn has_bare_parents(&self, e: &IndexExpr) -> bool {
        // A slot of a full level, or of an interval, is there whether or not something is stored below it.
        let bare = |f: &Format| {
            let given = |l: &Level| l.full() || l.spec.coords == Coords::Interval;
            let below = f.levels.iter().skip_while(|l| !given(l)).skip(1);
            below.into_iter().any(|l| !l.full() && l.spec.coords != Coords::Derived)
        };
        // What is stored below a coordinate may lie outside of a window.
        let cut_below = |t: &TensorVar| {
            let cut = |m: &usize| t.windows.get(*m).is_some_and(|w| !w.is_whole());
            t.format.modes.iter().skip(1).any(cut)
        };
        e.accesses().iter().any(|a| {
            let t = &self.program.tensors[a.tensor];
            match t.kind {
                TensorKind::Temp => self.filling(a.tensor).any(|rhs| self.has_bare_parents(rhs)),
                TensorKind::Operand | TensorKind::Result => bare(&t.format) || cut_below(t),
                TensorKind::Predicate => false,
            }
        })
    }
    /// How many accesses to what is not full a value needs, through temporaries as well.
    fn sparse_reads(&self, e: &IndexExpr) -> usize {
        let one = |a: &Access| match self.program.tensors[a.tensor].kind {
            TensorKind::Temp => self.filling(a.tensor).map(|rhs| self.sparse_reads(rhs)).sum(),
            _ => usize::from(!self.program.tensors[a.tensor].format.is_full()),
        };
        e.accesses().into_iter().map(one).sum()
    }
    fn assignments(&self) -> impl Iterator<Item = &Assigned<'a>> {
        self.assigned.values().flatten()
    }
    /// What is assigned to a tensor.
    fn assigned_to(&self, tensor: TensorId) -> &[Assigned<'a>] {
        self.assigned.get(&tensor).map_or(&[], Vec::as_slice)
    }
    /// The values that a temporary is made of.
    fn filling(&self, temp: TensorId) -> impl Iterator<Item = &'a IndexExpr> {
        self.assigned_to(temp).iter().map(|a| a.rhs)
    }

    /// Whether slots of no element go into a temporary, as if they were elements.
    fn holds_padding(&self, temp: TensorId) -> bool {
        let padded = |a: &Access| {
            let t = &self.program.tensors[a.tensor];
            match t.kind {
                TensorKind::Temp => self.holds_padding(a.tensor) || self.spreads(a),
                // What a comparison leaves is no element of anything.
                TensorKind::Predicate => true,
                _ => t.format.has_padding() && !t.format.is_full(),
            }
        };
        if let Some(known) = self.padded.borrow().get(&temp) {
            return *known;
        }
        // What is made of nothing sparse has every coordinate.
        let holds = self
            .filling(temp)
            .any(|rhs| self.sparse_reads(rhs) == 0 || rhs.accesses().into_iter().any(padded));
        self.padded.borrow_mut().insert(temp, holds);
        holds
    }

    /// Whether a temporary has a slot for every coordinate though what it is made of stores only some.
    fn spreads(&self, a: &Access) -> bool {
        let dense = !a.vars.is_empty() && !is_workspace(self.program, a.tensor);
        dense && self.filling(a.tensor).any(|rhs| self.sparse_reads(rhs) > 0)
    }

    /// Whether some of the leaves of a union leave other sparse operands without effect where they are absent, though the
    /// union as a whole is not: `y + t * (a + b)` where only `y` is there.
    fn factors_vanish(&self, body: &CinStmt, leaves: &BTreeSet<Leaf>) -> bool {
        let tensors = &self.program.tensors;
        let absent = |a: &Access, but: &Leaf| leaves.iter().any(|l| l.access == *a && l != but);
        let limits =
            |a: &Access| !tensors[a.tensor].format.is_full() && !leaves.iter().any(|l| l.access == *a);
        let others: Vec<Access> = accesses_of(body).into_iter().filter(limits).collect();
        !others.is_empty()
            && leaves.iter().any(|leaf| {
                let left = accesses_of(&remove_missing(body, &|a| absent(a, leaf), tensors));
                others.iter().any(|a| !left.contains(a))
            })
    }
}
