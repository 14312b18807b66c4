//! What loops append to a result: which values, and whether there is room for all of them beforehand.

use crate::emit::Emitter;
use crate::emit::cursor::Cursor;
use crate::emit::iter::Cursors;
use crate::emit::made::Result;
use crate::emit::scope::{Keep, Room, Scope};
use crate::emit::visit::Visit;
use crate::graph::{Walk, chain_below};
use crate::lattice::{Extent, Point};
use crate::phase::Phase;
use crate::space::Leaf;
use crate::statement::assigns;
use openwork_algebra::{DType, Operator, Prim};
use openwork_format::{Coords, Format, Level};
use openwork_index::expr::fill_of;
use openwork_index::{Access, Expr, IndexId, Kind, Stmt, Tensor, TensorId};

/// What is known of the values that loops append.
pub(crate) struct Appends {
    /// Which of them are stored.
    keep: Keep,
    /// Whether there is room for all of them.
    pub(crate) room: Room,
}

impl Appends {
    /// What is known inside of the loops.
    pub(crate) fn inside(&self, outer: &Scope) -> Scope {
        Scope { keep: self.keep, room: self.room, ..outer.clone() }
    }
    /// Whether the room has to be made before the loops.
    pub(crate) fn makes_room(&self, outer: &Scope) -> bool {
        self.room == Room::Made && outer.room == Room::Wanted
    }
}

/// Whether an operator often gives one and the same value for arguments that differ: comparisons and differences, and choices
/// by a mask.
fn settles(op: &Operator) -> bool {
    use Prim::{Eq, Ge, Gt, Le, Lt, Ne, Sub, Xor};
    op.is_mask() || matches!(op.prim, Sub | Eq | Ne | Lt | Le | Gt | Ge | Xor)
}

/// Whether a value is another one with its sign changed, or a product with a factor that is.
fn negated(e: &Expr) -> bool {
    match e {
        Expr::Cast { arg: value, .. } | Expr::Beside { value, .. } => negated(value),
        Expr::Call { op, args } => {
            op.prim == Prim::Neg || matches!(op.prim, Prim::Mul | Prim::Times) && args.iter().any(negated)
        }
        Expr::Access(_)
        | Expr::Literal(_)
        | Expr::Index(_)
        | Expr::Map { .. }
        | Expr::Width(_)
        | Expr::Stored { .. }
        | Expr::WithFill { .. }
        | Expr::Reduce { .. } => false,
    }
}

/// Whether a value has a part that is visited beside elements.
pub(crate) fn has_marks(e: &Expr) -> bool {
    matches!(e, Expr::Beside { .. }) || e.children().any(has_marks)
}

/// How many loops there are in a statement, one inside the other.
fn loops_in(s: &Stmt) -> usize {
    let deepest = s.children().map(loops_in).max().unwrap_or(0);
    deepest + usize::from(matches!(s, Stmt::Forall { .. }))
}

impl Emitter<'_> {
    /// Which values the loops append, and whether room for all of them can be made beforehand.
    pub(crate) fn appends(&self, visit: &Visit, top: &Point, iters: &Cursors, whole: bool) -> Appends {
        let assigned = |r: &Result| assigns(visit.body, r.tensor);
        let appends = self.result.as_ref().is_some_and(|r| assigned(r) && self.appends_values(&r.access));
        let last = |r: &Result| self.var_of(&r.access, self.rank(r.tensor) - 1) == visit.v;
        let appended_last = appends && self.result.as_deref().is_some_and(last);
        // A chain that is walked in one loop appends at most one value a round as well, if nothing loops inside of it.
        let alone = visit.of.arms.len() == 1 && top.leaves.len() == 1;
        let fused = |leaf: &Leaf| {
            visit.of.arms[0].walk == Walk::Fused
                && loops_in(visit.body) == chain_below(self.program, leaf)
                && !self.program.tensors[leaf.access.tensor].is_windowed()
        };
        let appended_chain = appends && alone && top.leaves.iter().all(fused);
        // Slots that belong to no element are not stored.
        let pads = |l: &Leaf| {
            let tensor = l.access.tensor;
            self.program.tensors[tensor].format.has_padding()
                || self.is_workspace(tensor) && self.holds_padding(tensor)
        };
        let padded = || visit.of.lattice.points.iter().any(|p| p.leaves.iter().all(pads));
        let unsure = appended_last && (whole || padded() || self.may_settle());
        let keep = if unsure { Keep::NotFill } else { visit.scope.keep };
        // A position that several coordinates share would be left behind too late.
        let spans = iters.values().any(|i| i.spans().is_some());
        let rounds = !spans || visit.of.arms.iter().all(|arm| arm.walk == Walk::Whole);
        let stored = top.extent == Extent::Stored && rounds && visit.scope.room == Room::Wanted;
        // The values of a given structure fill the memory there is for them, which has no room for more.
        let all = alone && visit.of.sought.is_empty() && iters.values().all(Cursor::is_filled);
        let exact = self.phase.assembles() || all;
        let made = (appended_last || appended_chain) && stored && exact;
        Appends { keep, room: if made { Room::Made } else { visit.scope.room } }
    }

    /// Whether elements of the result may well come out as its fill value though operands store something there: they are
    /// no elements then. The statement as a whole says so, not what is left of it where an operand stores nothing, so that
    /// what is stored at some coordinates does not depend on others. Structures that are assembled for themselves hold
    /// whatever is computed.
    fn may_settle(&self) -> bool {
        let result = |a: &Access| self.result.as_ref().is_some_and(|r| r.tensor == a.tensor);
        // Slots of a dense temporary do not tell which of them something sparse has filled.
        let spread = |a: &&Access| self.program.tensors[a.tensor].kind == Kind::Temp && self.spreads(a);
        let unsure = |rhs: &Expr| self.settled(rhs) || rhs.accesses().iter().any(spread);
        let to_result = |(lhs, _, rhs): (&Access, _, &Expr)| result(lhs) && unsure(rhs);
        self.phase == Phase::Fused && self.program.body.assignments().into_iter().any(to_result)
    }
    fn settled(&self, e: &Expr) -> bool {
        match e {
            Expr::Cast { arg: value, .. } | Expr::Beside { value, .. } => self.settled(value),
            // Logic says how truth values of comparisons meet.
            Expr::Call { op, args } if e.dtype(&self.program.tensors) == DType::Bool => {
                settles(op) || args.iter().any(|a| self.settled(a))
            }
            Expr::Call { op, args } => {
                settles(op) || args.iter().any(|a| self.has_masks(a) || self.comes_of_nothing(a))
            }
            Expr::Access(a) if self.program.tensors[a.tensor].kind == Kind::Temp => {
                // A difference is added up as its terms, what is subtracted negated.
                let mut terms = self.filling(a.tensor);
                if self.filling(a.tensor).count() > 1 && terms.any(negated) {
                    return true;
                }
                let all = self.program.body.assignments().into_iter();
                all.filter(|(lhs, ..)| lhs.tensor == a.tensor).any(|(lhs, op, rhs)| {
                    op.is_some_and(settles) || self.settled(rhs) || self.may_be_nothing(lhs, op, rhs)
                })
            }
            // The value elsewhere may well be the result's.
            Expr::WithFill { .. } => true,
            Expr::Stored { to, .. } => self.settled(to),
            Expr::Access(_) | Expr::Literal(_) | Expr::Index(_) | Expr::Map { .. } | Expr::Width(_) => false,
            Expr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }

    /// Whether a statement has a value that is visited beside elements ([`openwork_index::assume`]), where one of its
    /// operands is `missing`, or may be.
    pub(crate) fn is_marked(&self, s: &Stmt, missing: &dyn Fn(&Access) -> bool) -> bool {
        let temp = |a: &Access| self.program.tensors[a.tensor].kind == Kind::Temp;
        let mut found = false;
        for (.., rhs) in s.assignments() {
            rhs.visit(&mut |e| {
                let Expr::Beside { value, at } = e else { return };
                let mut accesses = value.accesses().into_iter();
                found |= !missing(at) && accesses.any(|a| missing(a) || temp(a));
            });
        }
        found
    }

    /// Whether a part of a value is what a mask leaves, as where that is added to what was there, through temporaries as well.
    fn has_masks(&self, e: &Expr) -> bool {
        match e {
            Expr::Call { op, .. } if op.is_mask() => true,
            Expr::Access(a) if self.program.tensors[a.tensor].kind == Kind::Temp => {
                self.filling(a.tensor).any(|rhs| self.has_masks(rhs))
            }
            Expr::Access(_)
            | Expr::Literal(_)
            | Expr::Index(_)
            | Expr::Width(_)
            | Expr::Cast { .. }
            | Expr::Call { .. }
            | Expr::Map { .. }
            | Expr::Stored { .. }
            | Expr::WithFill { .. }
            | Expr::Beside { .. } => e.children().any(|c| self.has_masks(c)),
            Expr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }

    /// Whether a part of a value may be there though no element leads to it.
    fn comes_of_nothing(&self, e: &Expr) -> bool {
        match e {
            Expr::Access(a) if self.program.tensors[a.tensor].kind == Kind::Temp => {
                let all = self.program.body.assignments().into_iter();
                let mut filling = all.filter(|(lhs, ..)| lhs.tensor == a.tensor);
                filling.any(|(lhs, op, rhs)| self.may_be_nothing(lhs, op, rhs) || self.comes_of_nothing(rhs))
            }
            Expr::Access(_)
            | Expr::Literal(_)
            | Expr::Index(_)
            | Expr::Width(_)
            | Expr::Cast { .. }
            | Expr::Call { .. }
            | Expr::Map { .. }
            | Expr::Stored { .. }
            | Expr::WithFill { .. }
            | Expr::Beside { .. } => e.children().any(|c| self.comes_of_nothing(c)),
            Expr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    /// Whether what goes into a temporary may be nothing, or padding: a sum of it, what is there at every coordinate, or
    /// what is visited beside elements, which loops tell apart only where it goes into the result itself
    /// ([`Emitter::is_marked`]).
    fn may_be_nothing(&self, lhs: &Access, op: Option<&Operator>, rhs: &Expr) -> bool {
        let added = op.is_some() && (self.may_meet_nothing(lhs, rhs) || self.holds_padding(lhs.tensor));
        // Values of no constant are outside of what is stored as well.
        let everywhere = fill_of(rhs, &self.program.tensors).is_none_or(|outside| match op {
            Some(op) => op.identity_at(1, outside.dtype()).is_none_or(|id| !id.same(outside)),
            None => !self.program.tensors[lhs.tensor].fill.same(outside),
        });
        added || everywhere || has_marks(rhs)
    }
    /// Whether a sum in a scalar may turn out to have no terms, which is known when the element is already there: its
    /// variables meet in several operands that are not full, or lie below a level that has all coordinates.
    fn may_meet_nothing(&self, sum: &Access, term: &Expr) -> bool {
        sum.vars.is_empty() && (self.sparse_reads(term) > 1 || self.has_bare_parents(term))
    }
    /// Whether a value needs an operand in which a coordinate may be there with nothing below it, through temporaries as
    /// well.
    fn has_bare_parents(&self, e: &Expr) -> bool {
        // A slot of a full level, or of an interval, is there whether or not something is stored below it.
        let bare = |f: &Format| {
            let given = |l: &Level| l.full() || l.spec.coords == Coords::Interval;
            let below = f.levels.iter().skip_while(|l| !given(l)).skip(1);
            below.into_iter().any(|l| !l.full() && l.spec.coords != Coords::Derived)
        };
        // What is stored below a coordinate may lie outside of a window.
        let cut_below = |t: &Tensor| {
            let cut = |m: &usize| t.windows.get(*m).is_some_and(|w| !w.is_whole());
            t.format.modes.iter().skip(1).any(cut)
        };
        e.accesses().iter().any(|a| {
            let t = &self.program.tensors[a.tensor];
            match t.kind {
                Kind::Temp => self.filling(a.tensor).any(|rhs| self.has_bare_parents(rhs)),
                Kind::Operand | Kind::Result => bare(&t.format) || cut_below(t),
            }
        })
    }
    /// How many accesses to what is not full a value needs, through temporaries as well.
    fn sparse_reads(&self, e: &Expr) -> usize {
        let one = |a: &Access| match self.program.tensors[a.tensor].kind {
            Kind::Temp => self.filling(a.tensor).map(|rhs| self.sparse_reads(rhs)).sum(),
            _ => usize::from(!self.program.tensors[a.tensor].format.is_full()),
        };
        e.accesses().into_iter().map(one).sum()
    }
    /// The values that a temporary is made of.
    fn filling(&self, temp: TensorId) -> impl Iterator<Item = &Expr> {
        let all = self.program.body.assignments().into_iter();
        all.filter(move |(lhs, ..)| lhs.tensor == temp).map(|(.., rhs)| rhs)
    }

    /// Whether slots of no element go into a temporary, as if they were elements.
    fn holds_padding(&self, temp: TensorId) -> bool {
        let padded = |a: &Access| {
            let t = &self.program.tensors[a.tensor];
            match t.kind {
                Kind::Temp => self.holds_padding(a.tensor) || self.spreads(a),
                _ => t.format.has_padding() && !t.format.is_full(),
            }
        };
        // What is made of nothing sparse has every coordinate.
        self.filling(temp).any(|rhs| self.sparse_reads(rhs) == 0 || rhs.accesses().into_iter().any(padded))
    }

    /// Whether a temporary has a slot for every coordinate though what it is made of stores only some.
    fn spreads(&self, a: &Access) -> bool {
        let dense = !a.vars.is_empty() && !self.is_workspace(a.tensor);
        dense && self.filling(a.tensor).any(|rhs| self.sparse_reads(rhs) > 0)
    }

    /// The scope of a variable without a loop of its own, whose values loops around it count.
    pub(crate) fn counted(&self, v: IndexId, body: &Stmt, scope: &Scope) -> Scope {
        let result = |r: &Result| {
            let appends = assigns(body, r.tensor) && self.appends_values(&r.access);
            appends && self.var_of(&r.access, self.rank(r.tensor) - 1) == v
        };
        let appended = self.result.as_deref().is_some_and(result);
        let keep = if appended { Keep::NotFill } else { scope.keep };
        Scope { keep, ..scope.clone() }
    }

    /// The same for a loop whose elements come from nowhere but a workspace.
    pub(crate) fn appends_elements(&self, visit: &Visit) -> Appends {
        self.appends(visit, &visit.of.lattice.points[0], &Cursors::new(), false)
    }
}
