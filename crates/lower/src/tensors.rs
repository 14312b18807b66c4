//! Buffers and levels of every tensor in the kernel.

use crate::{Binding, Lowerer};
use openwork_index::{Access, Kind, TensorId};
use openwork_levels::LevelIr;
use openwork_loops::build::var;
use openwork_loops::{BufId, Role};

/// A tensor in the kernel.
pub(crate) struct TensorIr {
    /// Its levels, outermost first.
    pub(crate) levels: Vec<LevelIr>,
    /// Its values; scalar temporaries have none.
    pub(crate) vals: Option<BufId>,
}

impl Lowerer<'_> {
    /// Declares buffers for every tensor that the program mentions.
    pub(crate) fn declare_tensors(&mut self) {
        let mut mentioned: Vec<Access> = Vec::new();
        for (lhs, _, rhs) in self.program.body.assignments() {
            mentioned.extend(rhs.accesses().into_iter().cloned());
            mentioned.push(lhs.clone());
        }
        mentioned.sort();
        for a in mentioned {
            if !self.tensors.contains_key(&a.tensor) {
                let ir = self.declare(&a);
                self.tensors.insert(a.tensor, ir);
            }
        }
    }

    fn declare(&mut self, a: &Access) -> TensorIr {
        let t = &self.program.tensors[a.tensor];
        let role = match t.kind {
            Kind::Operand => Role::In,
            Kind::Result => Role::Out,
            Kind::Temp => Role::Temp,
        };
        if t.kind == Kind::Temp && t.format.rank() == 0 {
            return TensorIr { levels: Vec::new(), vals: None };
        }
        let mut levels = Vec::new();
        for (k, level) in t.format.levels.iter().enumerate() {
            let mut arrays = Vec::new();
            for (n, array) in level.spec.arrays.iter().enumerate() {
                let elem = t.format.width(array.role).dtype();
                arrays.push(self.kernel.buf(format!("{}{}_{}", t.name, k + 1, array.name), elem, role));
                self.bindings.push(Binding::Index { tensor: a.tensor, level: k, array: n });
            }
            let size = var(self.sizes[&a.vars[t.format.modes[k]]]);
            levels.push(LevelIr { level: *level, arrays, size });
        }
        let vals = self.kernel.buf(format!("{}_vals", t.name), t.dtype, role);
        self.bindings.push(match t.kind {
            Kind::Temp => Binding::Scratch,
            Kind::Operand | Kind::Result => Binding::Values { tensor: a.tensor },
        });
        TensorIr { levels, vals: Some(vals) }
    }

    /// The variable that level `k` of an access stores.
    pub(crate) fn var_of(&self, a: &Access, k: usize) -> openwork_index::IndexId {
        a.vars[self.program.tensors[a.tensor].format.modes[k]]
    }
    pub(crate) fn rank(&self, t: TensorId) -> usize {
        self.program.tensors[t].format.rank()
    }
}
