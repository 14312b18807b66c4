//! The contents of a result's arrays before a kernel writes them: whether memory has to be clear.
//!
//! ```text
//! y_vals: out uninit f64[]    every element is assigned          Y2_crd: out uninit i32[]   elements are appended
//! y_vals: out f64[]           elements are added to              Y2_pos: out i64[]          rows may be left out
//! ```
//! The interpreter checks that kernels keep to this.

use crate::lowered::{Binding, Lowered, ResultMemory};
use openwork_base::Id;
use openwork_format::{ArrayRole, Format, Level};
use openwork_index::{Program, TensorKind};
use openwork_loops::{BufId, BufRole, Init, LoopKernel};

/// Whether a result in this format has slots that assembly may leave as they are.
fn leaves_slots(format: &Format) -> bool {
    format.has_padding() || format.levels.iter().any(|l| !l.is_dense() && !l.compact() || l.is_padded())
}

/// Whether loops append to the array, in a result that they fill in order.
pub fn is_appended(binding: Binding, program: &Program) -> bool {
    match binding {
        Binding::Index { tensor, level, array } => {
            let t = &program.tensors[tensor];
            t.kind == TensorKind::Result && t.format.levels[level].spec.arrays[array].role == ArrayRole::Crd
        }
        Binding::Values { tensor } => {
            let t = &program.tensors[tensor];
            let listed = |l: &Level| l.shares_positions() || !l.full() && !leaves_slots(&t.format);
            t.kind == TensorKind::Result && t.format.levels.last().is_some_and(listed)
        }
        Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => false,
    }
}

/// Says of every array of a pass that what it writes was not there before: other calls write the rest of it.
pub(crate) fn of_a_pass(kernel: &mut LoopKernel, bindings: &[Binding]) {
    for (n, &binding) in bindings.iter().enumerate() {
        let buf = &mut kernel.bufs[BufId::new(n)];
        if buf.role == BufRole::Out && binding != Binding::Cursors {
            buf.init = Init::Uninit;
        }
    }
}

impl Lowered {
    /// Says of every array that the kernel writes what it holds before.
    pub(crate) fn with_contents(mut self, program: &Program) -> Lowered {
        let overwritten = self.result == ResultMemory::Overwritten;
        // Where elements are counted first, every position is written as well.
        let counted = self.passes.is_some();
        for (n, &binding) in self.bindings.iter().enumerate() {
            let buf = &mut self.kernel.bufs[BufId::new(n)];
            buf.init = match (buf.role, binding) {
                (BufRole::In, _) => Init::Zeros,
                (_, Binding::Kept) => Init::Kept,
                (BufRole::Out, Binding::Values { .. }) if program.begins.is_some() => Init::Given,
                (_, Binding::Values { .. }) if overwritten || counted => Init::Uninit,
                (_, Binding::Index { .. }) if counted => Init::Uninit,
                _ if is_appended(binding, program) => Init::Uninit,
                _ => Init::Zeros,
            };
        }
        self
    }
}
