//! Sparse workspaces: temporaries that take elements in any order and are read like any compressed tensor
//! (workspaces paper, §4.3; Gustavson's algorithm needs one per row).
//!
//! ```text
//! t(k) += v      insert:   where k was seen first, remember it; combine v with what is there
//!                extract:  the coordinates seen, sorted, and their values, become a compressed tensor; all is forgotten
//! ```
//! A **bitmap** workspace has a slot for every coordinate and a tree of bits over them, 64 children to a word, so that
//! the coordinates come out sorted without a sort. A **hash** workspace has a slot for every coordinate that was seen;
//! they are sorted by radix. A **list** workspace has a slot for every coordinate and lists those that are taken, where their
//! order does not matter. Each forgets in time proportional to what it held. Coordinates of several modes are one number,
//! the last mode running fastest.

mod bare;
mod bitmap;
mod hash;
mod list;
mod marked;
mod sort;
mod tree;

use crate::emit::Emitter;
use crate::emit::cursor::Cursor;
use crate::emit::scope::{AppendRoom, Scope};
use crate::emit::visit::Visit;
use crate::graph::{LoopSet, Where};
use crate::lowered::Binding;
use crate::temporaries::{DrainOrder, order_of};
use bare::Bare;
use bitmap::BitmapWorkspace;
use hash::Hash;
use list::ListWorkspace;
use marked::Marked;
use openwork_algebra::{Operator, Prim, Scalar};
use openwork_index::cin::Storage;
use openwork_index::{Access, CinStmt, TensorId, TensorVar};
use openwork_loops::build::{add, call, constant, for_each, if_then, int, load, lt, mul, set, store, var};
use openwork_loops::{BufId, BufRole, Expr as Ir, LoopKernel, LoopMode, Status, Stmt as Code, Ty, VarId};

/// A sparse temporary while it is filled.
#[derive(Clone)]
pub(crate) struct Workspace {
    slots: WorkspaceSlots,
    shape: WorkspaceShape,
}

/// What is known of a workspace.
#[derive(Clone)]
struct WorkspaceShape {
    /// The coordinates that there are, as an expression over parameters.
    size: Ir,
    /// The value of coordinates that were not seen.
    fill: Scalar,
}

#[derive(Clone)]
enum WorkspaceSlots {
    Bitmap(BitmapWorkspace),
    Hash(Hash),
    List(ListWorkspace),
    Bare(Bare),
    Marked(Marked),
}

/// The code around a temporary that is read beside a mask only.
pub(crate) struct MaskedCode {
    /// Opens the mask's list.
    pub(crate) code: Vec<Code>,
    /// Whether the mask has any coordinate: else nothing is read, so nothing needs to be computed.
    pub(crate) any: Ir,
    /// Gives its coordinates slots.
    pub(crate) open: Vec<Code>,
    /// Takes them away.
    pub(crate) close: Code,
}

/// What happens to the elements of a workspace when it is emptied.
struct Each<'e> {
    /// Before at most so many of them.
    room: &'e mut dyn FnMut(&mut Emitter, Ir) -> Vec<Code>,
    /// In which order.
    order: DrainOrder,
    /// To each: its coordinate and value.
    element: &'e mut PerElement<'e>,
}

/// The code for one element, given where its coordinate and value are held.
type PerElement<'e> = dyn FnMut(&mut Emitter, VarId, VarId) -> Vec<Code> + 'e;

impl Workspace {
    fn drain(&self, l: &mut Emitter, each: &mut Each) -> Vec<Code> {
        match &self.slots {
            WorkspaceSlots::Bitmap(b) => b.drain(l, &self.shape, each),
            WorkspaceSlots::Hash(h) => h.drain(l, &self.shape, each),
            WorkspaceSlots::List(list) => list.drain(l, &self.shape, each),
            WorkspaceSlots::Bare(b) => b.drain(l, &self.shape, each),
            WorkspaceSlots::Marked(_) => unreachable!("its reader looks at it where its mask is"),
        }
    }
}

/// The compressed tensor that the elements of a workspace become.
struct Extract {
    /// `pos` and `crd` of each level.
    levels: Vec<(BufId, BufId)>,
    vals: BufId,
    /// The size of each mode.
    sizes: Vec<Ir>,
    /// How many positions of each level are taken.
    counts: Vec<VarId>,
    /// The last coordinate of each level but the last.
    latest: Vec<VarId>,
}

impl Emitter<'_> {
    /// Whether a tensor is a sparse temporary.
    pub(crate) fn is_workspace(&self, t: TensorId) -> bool {
        self.workspaces.contains_key(&t)
    }

    /// Declares the memory of a sparse temporary; its levels are those that its reader walks.
    pub(crate) fn declare_workspace(&mut self, a: &Access) {
        let t = &self.program.tensors[a.tensor];
        let sizes: Vec<Ir> = (0..t.format.depth()).map(|k| self.extent(a, k).1).collect();
        let size = self.number_of_keys(&sizes);
        let (kernel, prologue) = (&mut self.kernel, &mut self.prologue);
        let slots = match self.storage[&a.tensor] {
            Storage::Hash => WorkspaceSlots::Hash(Hash::declare(kernel, t, prologue)),
            Storage::List => WorkspaceSlots::List(ListWorkspace::declare(kernel, t, &size, prologue)),
            Storage::Marked => WorkspaceSlots::Marked(Marked::declare(kernel, t, &size, prologue)),
            Storage::Bitmap | Storage::Dense => {
                WorkspaceSlots::Bitmap(BitmapWorkspace::declare(kernel, t, &size, prologue))
            }
        };
        self.bindings.resize(self.kernel.bufs.len(), Binding::Kept);
        let shape = WorkspaceShape { size, fill: t.fill };
        self.workspaces.insert(a.tensor, Workspace { slots, shape });
    }

    /// How many coordinates there are. Coordinates of several modes are one number, so a kernel for more of them than an
    /// `i64` counts fails before it begins.
    fn number_of_keys(&mut self, sizes: &[Ir]) -> Ir {
        let mut size = sizes.first().cloned().unwrap_or(int(1));
        for next in sizes.iter().skip(1) {
            let most = call(Prim::Quot, int(i64::MAX), call(Prim::Max, next.clone(), int(1)));
            self.prologue.extend(if_then(lt(most, size.clone()), vec![Code::Fail(Status::IndexOverflow)]));
            size = mul(size, next.clone());
        }
        size
    }

    /// `lhs op= value` for a sparse temporary. A plain assignment does not keep what is the fill value anyway.
    pub(crate) fn insert(
        &mut self,
        lhs: &Access,
        op: Option<&'static Operator>,
        value: Ir,
        scope: &Scope,
    ) -> Vec<Code> {
        let t = &self.program.tensors[lhs.tensor];
        let (dtype, fill) = (t.dtype, t.fill);
        let mut at = int(0);
        for k in 0..t.format.depth() {
            at = add(mul(at, self.extent(lhs, k).1), scope.coords[&self.var_of(lhs, k)].clone());
        }
        let mut code = Vec::new();
        let at = self.hold("at", at, &mut code);
        let held = self.kernel.var("value", Ty::scalar(dtype));
        code.push(Code::Let { var: held, val: value });
        let w = &self.workspaces[&lhs.tensor];
        let insert = match &w.slots {
            WorkspaceSlots::Bitmap(b) => b.insert(&mut self.kernel, at, var(held), op),
            WorkspaceSlots::Hash(h) => h.insert(&mut self.kernel, at, var(held), op, fill),
            WorkspaceSlots::List(list) => list.insert(&self.kernel, at, var(held), op),
            WorkspaceSlots::Bare(b) => vec![combine(b.slots, at, var(held), op)],
            WorkspaceSlots::Marked(m) => m.insert(&mut self.kernel, at, var(held), op),
        };
        match op {
            Some(_) => code.extend(insert),
            None => code.extend(if_then(self.differs(var(held), fill), insert)),
        }
        code
    }

    /// Around the filling and reading of a temporary that is read beside a mask only: the code that gives the mask's
    /// coordinates slots, whether there are any, and the code that takes them away again.
    pub(crate) fn emit_masked(&mut self, w: &Where, scope: &Scope) -> Option<MaskedCode> {
        let (Some(mask), Some(lhs)) = (&w.marked, w.producer.stmt.target()) else { return None };
        let Some(Workspace { slots: WorkspaceSlots::Marked(m), shape }) =
            self.workspaces.get(&lhs.tensor).cloned()
        else {
            return None;
        };
        let mut code = Vec::new();
        let Cursor { coord, pos, end, .. } = self.open_cursor(mask, &self.program.body, scope, &mut code);
        let room = m.make_room(call(Prim::Sub, end.clone(), var(pos)));
        let mut over = |each: &dyn Fn(&mut LoopKernel, Ir, Ir) -> Vec<Code>| {
            let (q, at) = (self.kernel.index("q"), self.kernel.index("at"));
            let mut body = vec![Code::Let { var: at, val: coord.value_at(&self.kernel, var(q)) }];
            body.extend(each(&mut self.kernel, var(q), var(at)));
            for_each(q, var(pos), end.clone(), body)
        };
        let open = over(&|kernel, q, at| m.open(kernel, q, var(pos), at, shape.fill));
        let close = over(&|kernel, _, at| vec![m.close(kernel, at)]);
        let open = room.into_iter().chain([open]).collect();
        Some(MaskedCode { code, any: lt(var(pos), end), open, close })
    }

    /// What a marked temporary holds at a coordinate of its mask: whether anything came there, and the value.
    pub(crate) fn look_up_marked(&mut self, t: TensorId, at: Ir, code: &mut Vec<Code>) -> Option<(Ir, Ir)> {
        let WorkspaceSlots::Marked(m) = self.workspaces.get(&t)?.slots else { return None };
        let (find, taken, value) = m.look_up(&mut self.kernel, at);
        code.push(find);
        Some((taken, value))
    }

    /// Once a sparse temporary is complete: its elements become the compressed tensor that its reader walks.
    pub(crate) fn close_workspace(&mut self, tensor: TensorId) -> Vec<Code> {
        let Some(w) = self.workspaces.get(&tensor).cloned() else { return Vec::new() };
        let ir = &self.tensors[&tensor];
        let levels = ir.levels.iter().map(|l| (l.arrays[0], l.arrays[1])).collect();
        let sizes = ir.levels.iter().map(|l| l.size.clone()).collect();
        let vals = ir.vals;
        let name = self.program.tensors[tensor].name.clone();
        let mut code = Vec::new();
        let mut to = Extract { levels, vals, sizes, counts: Vec::new(), latest: Vec::new() };
        to.open(&mut self.kernel, &name, &mut code);
        let mut each = Each {
            room: &mut |_, more| to.room(more),
            order: DrainOrder::Sorted,
            element: &mut |l, at, value| to.push(&mut l.kernel, var(at), var(value)),
        };
        code.extend(w.drain(self, &mut each));
        code.extend(to.close(&self.kernel));
        code
    }

    /// Before a sparse temporary is filled: where its reader alone makes a row of the result whose structure is given, it
    /// needs no list of what it holds. Gives what it was, for after the reader: that row is known nowhere else.
    pub(crate) fn read_by_position(&mut self, w: &Where, scope: &Scope) -> Option<(TensorId, Workspace)> {
        let tensor = w.drained?;
        let reader = &w.reader.stmt;
        let listed = self.workspaces.get(&tensor)?.clone();
        let slots = match &listed.slots {
            WorkspaceSlots::Bitmap(BitmapWorkspace { slots, .. })
            | WorkspaceSlots::List(ListWorkspace { slots, .. }) => *slots,
            WorkspaceSlots::Hash(_) | WorkspaceSlots::Bare(_) | WorkspaceSlots::Marked(_) => return None,
        };
        let CinStmt::Forall { index, .. } = reader else { return None };
        let (crd, row) = self.given_row(*index, scope)?;
        if !self.fills_result(reader) {
            return None;
        }
        let bare = Workspace { slots: WorkspaceSlots::Bare(Bare { slots, crd, row }), ..listed.clone() };
        self.workspaces.insert(tensor, bare);
        Some((tensor, listed))
    }
    /// Whether `s` assigns the result.
    fn fills_result(&self, s: &CinStmt) -> bool {
        self.result.as_ref().is_some_and(|r| s.assignments().iter().any(|(lhs, ..)| lhs.tensor == r.tensor))
    }

    /// The loop over a variable that only a workspace drives: its elements are taken out as they are visited.
    pub(crate) fn over_workspace(&mut self, visit: &Visit) -> Option<Vec<Code>> {
        if visit.of.over != LoopSet::Workspace {
            return None;
        }
        let leaf = visit.of.lattice.points[0].leaves.first()?.clone();
        let w = self.workspaces[&leaf.access.tensor].clone();
        let whole = CinStmt::Forall { index: visit.v, body: Box::new(visit.body.clone()) };
        let exact = self.phase.assembles() || matches!(w.slots, WorkspaceSlots::Bare(_));
        let makes_room = exact && self.makes_room(visit.of, visit.scope);
        let room = if makes_room { AppendRoom::Made } else { visit.scope.room };
        let inside = Scope { room, ..visit.scope.clone() };
        let mut each = Each {
            room: &mut |l, more| if makes_room { l.make_room_for(more) } else { Vec::new() },
            order: order_of(self.program, leaf.access.tensor, &whole),
            element: &mut |l, at, value| {
                let mut scope = inside.clone();
                scope.values.insert(leaf.access.clone(), var(value));
                let arm = &visit.of.arms[0];
                l.region(visit.v, var(at), &arm.node, &arm.bound, scope, Vec::new()).code
            },
        };
        Some(w.drain(self, &mut each))
    }
}

impl Extract {
    fn open(&mut self, kernel: &mut LoopKernel, name: &str, code: &mut Vec<Code>) {
        for k in 0..self.levels.len() {
            let count = kernel.index(&format!("{name}{}_count", k + 1));
            code.push(Code::Let { var: count, val: int(0) });
            self.counts.push(count);
            if k + 1 < self.levels.len() {
                let latest = kernel.index(&format!("{name}{}_latest", k + 1));
                code.push(Code::Let { var: latest, val: int(-1) });
                self.latest.push(latest);
            }
        }
    }
    /// Room for `more` further elements.
    fn room(&self, more: Ir) -> Vec<Code> {
        let last = self.levels.len() - 1;
        let len = add(var(self.counts[last]), more);
        let mut code = vec![
            Code::Reserve { buf: self.levels[last].1, len: len.clone() },
            Code::Reserve { buf: self.vals, len: len.clone() },
        ];
        // There are at most as many coordinates above as elements.
        for k in 0..last {
            code.push(Code::Reserve { buf: self.levels[k].1, len: len.clone() });
            code.push(Code::Reserve { buf: self.levels[k + 1].0, len: add(len.clone(), int(1)) });
        }
        code
    }
    /// Appends an element, in order.
    fn push(&self, kernel: &mut LoopKernel, at: Ir, value: Ir) -> Vec<Code> {
        let last = self.levels.len() - 1;
        let mut code = Vec::new();
        let mut rest = at;
        for k in 0..last {
            let below = self.sizes[k + 1..].iter().cloned().fold(int(1), mul);
            let c = kernel.index("c");
            code.push(Code::Let { var: c, val: call(Prim::Quot, rest.clone(), below.clone()) });
            let next = kernel.index("rest");
            code.push(Code::Let { var: next, val: call(Prim::Sub, rest, mul(var(c), below)) });
            rest = var(next);
            let mut fresh = vec![
                kernel.store_index(self.levels[k].1, var(self.counts[k]), var(c)),
                kernel.store_index(self.levels[k + 1].0, var(self.counts[k]), var(self.counts[k + 1])),
                set(self.counts[k], add(var(self.counts[k]), int(1))),
                set(self.latest[k], var(c)),
            ];
            fresh.extend(self.latest[k + 1..].iter().map(|&v| set(v, int(-1))));
            code.extend(if_then(call(Prim::Ne, var(c), var(self.latest[k])), fresh));
        }
        code.push(kernel.store_index(self.levels[last].1, var(self.counts[last]), rest));
        code.push(store(self.vals, var(self.counts[last]), value));
        code.push(set(self.counts[last], add(var(self.counts[last]), int(1))));
        code
    }
    /// Ends every segment.
    fn close(&self, kernel: &LoopKernel) -> Vec<Code> {
        let mut code = Vec::new();
        let mut parents = int(1);
        for (k, &(pos, _)) in self.levels.iter().enumerate() {
            code.push(Code::Reserve { buf: pos, len: add(parents.clone(), int(1)) });
            if k == 0 {
                code.push(kernel.store_index(pos, int(0), int(0)));
            }
            code.push(kernel.store_index(pos, parents, var(self.counts[k])));
            parents = var(self.counts[k]);
        }
        code
    }
}

/// Memory of a workspace's own.
fn scratch(kernel: &mut LoopKernel, t: &TensorVar, what: &str, elem: openwork_algebra::DType) -> BufId {
    kernel.buf(format!("{}_{what}", t.name), elem, BufRole::Temp)
}

/// A slot for every coordinate, which holds the fill value where none is taken. New memory is zero: other fill values are put
/// into all slots, and one more, which tells the next run that they are there.
fn slots(kernel: &mut LoopKernel, t: &TensorVar, size: &Ir, code: &mut Vec<Code>) -> BufId {
    let slots = scratch(kernel, t, "slots", t.dtype);
    let zero = Scalar::zero(t.dtype);
    if t.fill.is_same(zero) {
        code.push(Code::Reserve { buf: slots, len: size.clone() });
        return slots;
    }
    let all = add(size.clone(), int(1));
    code.push(Code::Reserve { buf: slots, len: all.clone() });
    let q = kernel.index("q");
    let fill = Code::Store { buf: slots, at: var(q), val: constant(t.fill), reduce: None };
    let filled = Code::For { var: q, lo: int(0), hi: all, step: 1, mode: LoopMode::Vector, body: vec![fill] };
    let last = load(slots, size.clone());
    if equals(t.fill, zero) {
        // Of a negative zero nobody can tell.
        code.push(filled);
    } else {
        // What is no NaN equals itself.
        let other = if equals(t.fill, t.fill) { Prim::Ne } else { Prim::Eq };
        let than = if other == Prim::Ne { constant(t.fill) } else { last.clone() };
        code.extend(if_then(call(other, last, than), vec![filled]));
    }
    slots
}

/// Whether two values compare as equal, as zeros of both signs do.
fn equals(a: Scalar, b: Scalar) -> bool {
    Operator::find("eq").and_then(|eq| eq.eval(&[a, b])) == Some(Scalar::Bool(true))
}

/// Takes the value of coordinate `at` out of its slot: the code, and the variable that holds it.
fn take(l: &mut Emitter, slots: BufId, w: &WorkspaceShape, at: VarId) -> (Vec<Code>, VarId) {
    let value = l.kernel.var("value", Ty::scalar(w.fill.dtype()));
    let code =
        vec![Code::Let { var: value, val: load(slots, var(at)) }, store(slots, var(at), constant(w.fill))];
    (code, value)
}

/// `buf[at] op= value`.
fn combine(buf: BufId, at: Ir, value: Ir, op: Option<&'static Operator>) -> Code {
    Code::Store { buf, at, val: value, reduce: op.map(|op| op.prim) }
}

/// What an element holds once `value` has reached it first.
fn first(value: Ir, op: Option<&'static Operator>, fill: Scalar) -> Ir {
    match op {
        // The operator decides, as in a slot that began with the fill: it may change even the first value.
        Some(op) => call(op.prim, constant(fill), value),
        None => value,
    }
}
