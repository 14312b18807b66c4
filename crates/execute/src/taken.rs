//! Operands that a run takes: their memory becomes that of the result.
//!
//! ```text
//! d(i) min= t(i)      d: 8 MB that nobody else holds; t stores 20 values; 20 of d's change
//! ```
//! A run sees such an operand through a view. Only one variant of a plan writes to its memory, and reads nothing through the
//! view; all others read it as they read any operand.

use openwork_base::Result;
use openwork_storage::tensor::TensorParts;
use openwork_storage::{Buffer, Maker, Tensor, Writers};
use std::sync::Arc;

/// The memory of a dense operand that a run takes, and a view of it.
pub struct TakenOperand {
    /// The operand, as long as the memory is there.
    pub view: Tensor,
    /// Its memory.
    pub memory: Buffer,
}

impl TakenOperand {
    /// Whether a tensor may be taken: it is dense, and nobody else holds or may write its memory.
    pub fn may_be(tensor: &Tensor) -> bool {
        !tensor.vals().is_shared() && !tensor.vals().may_change() && tensor.format().is_dense()
    }
    /// Takes a tensor that [may be](TakenOperand::may_be) taken.
    ///
    /// # Errors
    /// A bug where the parts of the tensor are none.
    pub fn take(tensor: Tensor) -> Result<TakenOperand> {
        let TensorParts { shape, format, fill, levels, vals: mut memory } = tensor.into_parts();
        let vals = Buffer::empty(memory.dtype());
        let view = view(TensorParts { shape, format, fill, levels, vals }, &mut memory)?;
        Ok(TakenOperand { view, memory })
    }
}

/// A tensor in the memory of somebody who may write to it.
pub(crate) fn view(parts: TensorParts, memory: &mut Buffer) -> Result<Tensor> {
    // SAFETY: the memory outlives the tensor, which is dropped when the run ends; nothing looks at its elements but calls of
    // kernels, each at those that the call before it wrote, and none while another one writes them.
    let vals = unsafe {
        Buffer::borrow(memory.dtype(), memory.as_mut_ptr(), memory.len(), Arc::new(()), Writers::Nobody)
    };
    // SAFETY: dense levels have no arrays, and a kernel that obeys the law makes the values.
    unsafe { TensorParts { vals, ..parts }.made_by(Maker::InOrder) }
}
