//! Buffers and levels of every tensor in the kernel.

use crate::emit::Emitter;
use crate::emit::window::WindowIr;
use crate::lowered::Binding;
use crate::phase::Phase;
use crate::predicates::is_predicate;
use crate::surroundings::{interleaved_coords, remap_facts};
use openwork_format::ArrayRole;
use openwork_index::{Access, TensorId, TensorKind};
use openwork_levels::{EmptySlots, LevelIr};
use openwork_loops::build::{int, load, var};
use openwork_loops::{BufId, BufRole, Expr, Stmt};

/// A tensor in the kernel, if it has memory: scalar temporaries are variables.
pub(crate) struct TensorIr {
    /// Its levels, outermost first.
    pub(crate) levels: Vec<LevelIr>,
    /// Its values.
    pub(crate) vals: BufId,
    /// The part of each level that is read, where that is not all of it.
    pub(crate) windows: Vec<Option<WindowIr>>,
}

impl Emitter<'_> {
    /// Declares buffers for every tensor that the program mentions.
    pub(crate) fn declare_tensors(&mut self) {
        let mut mentioned: Vec<Access> = Vec::new();
        for (lhs, _, rhs) in self.program.body.assignments() {
            mentioned.extend(rhs.accesses().into_iter().cloned());
            mentioned.push(lhs.clone());
        }
        mentioned.sort();
        let is_scalar = |a: &Access| {
            let t = &self.program.tensors[a.tensor];
            t.kind == TensorKind::Temp && t.format.rank() == 0
        };
        mentioned.retain(|a| !is_predicate(self.program, a.tensor));
        for a in mentioned {
            if !self.tensors.contains_key(&a.tensor) && !is_scalar(&a) {
                let ir = self.declare(&a);
                self.tensors.insert(a.tensor, ir);
            }
        }
    }

    fn declare(&mut self, a: &Access) -> TensorIr {
        let t = &self.program.tensors[a.tensor];
        let role = match t.kind {
            TensorKind::Operand | TensorKind::Predicate => BufRole::In,
            TensorKind::Result => BufRole::Out,
            TensorKind::Temp => BufRole::Temp,
        };
        let (mut levels, mut windows): (Vec<LevelIr>, Vec<_>) = Default::default();
        for (k, level) in t.format.levels.iter().enumerate() {
            let mut arrays = Vec::new();
            let mut sizes = Vec::new();
            // Where the result has the structure of an operand, the arrays of that are read.
            let lent = t.kind == TensorKind::Result && self.phase == Phase::Lent;
            let own = if lent { &[] } else { level.spec.arrays };
            for (n, array) in own.iter().enumerate() {
                let elem = t.format.array_dtype(array.role);
                let role = if t.kind == TensorKind::Result { self.phase.index_role() } else { role };
                let buf = self.kernel.buf(format!("{}{}_{}", t.name, k + 1, array.name), elem, role);
                arrays.push(buf);
                self.bindings.push(match t.kind {
                    TensorKind::Temp => Binding::Scratch,
                    TensorKind::Operand | TensorKind::Result | TensorKind::Predicate => {
                        Binding::Index { tensor: a.tensor, level: k, array: n }
                    }
                });
                if let ArrayRole::Size(count) = array.role
                    && t.kind == TensorKind::Operand
                {
                    sizes.extend(self.load_sizes(buf, &format!("{}{}_{}", t.name, k + 1, array.name), count));
                }
            }
            let (low, size) = self.extent(a, k);
            let window = self.declare_window(a, k);
            let size = window.as_ref().and_then(|w: &WindowIr| w.whole.clone()).unwrap_or(size);
            windows.push(window);
            let (low_above, size_above) = if k == 0 { (int(0), int(1)) } else { self.extent(a, k - 1) };
            let structs = interleaved_coords(&t.format.levels, k, &arrays, levels.last());
            let given = remap_facts(t, k, &|n| self.extent(a, n).1);
            let slots = if t.declared_format().has_empties(k) {
                EmptySlots::SomeEmpty
            } else {
                EmptySlots::AllFilled
            };
            levels.push(LevelIr {
                level: *level,
                arrays,
                sizes,
                low,
                size,
                low_above,
                size_above,
                structs,
                given,
                slots,
            });
        }
        let vals = self.kernel.buf(format!("{}_vals", t.name), t.dtype, role);
        self.bindings.push(match t.kind {
            TensorKind::Temp => Binding::Scratch,
            TensorKind::Operand | TensorKind::Result | TensorKind::Predicate => {
                Binding::Values { tensor: a.tensor }
            }
        });
        if t.kind == TensorKind::Temp && !t.format.is_dense() {
            self.declare_workspace(a);
        }
        TensorIr { levels, vals, windows }
    }

    /// The numbers of an array of sizes, each in a variable from the start of the kernel.
    fn load_sizes(&mut self, buf: BufId, name: &str, count: usize) -> Vec<Expr> {
        let mut out = Vec::new();
        for n in 0..count {
            let held = self.kernel.index(name);
            self.prologue.push(Stmt::Let { var: held, val: load(buf, int(n as i64)) });
            out.push(var(held));
        }
        out
    }
    /// The least coordinate of level `k` and how many there are.
    pub(crate) fn extent(&self, a: &Access, k: usize) -> (Expr, Expr) {
        let v = self.var_of(a, k);
        if let Some(size) = self.block_size(v) {
            return (int(0), int(size));
        }
        (self.lows.get(&v).map_or(int(0), |&low| var(low)), var(self.sizes[&v]))
    }
    /// The variable that level `k` of an access stores.
    pub(crate) fn var_of(&self, a: &Access, k: usize) -> openwork_index::IndexId {
        a.vars[self.program.tensors[a.tensor].format.modes[k]]
    }
    pub(crate) fn rank(&self, t: TensorId) -> usize {
        self.program.tensors[t].format.rank()
    }
}
