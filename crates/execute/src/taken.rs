//! Operands that a run takes: their memory becomes that of the result.
//!
//! ```text
//! d(i) min= t(i)      d: 8 MB that nobody else holds; t stores 20 values; 20 of d's change
//! ```
//! A run sees such an operand through a view. Only one variant of a plan writes to its memory, and reads nothing through the
//! view; all others read it as they read any operand.

use openwork_base::{Error, Result};
use openwork_storage::tensor::TensorParts;
use openwork_storage::{Buffer, Maker, Tensor, Writers};
use std::sync::Arc;

/// Whether a tensor may be taken: it is dense, and nobody else holds or may write its memory.
pub fn may_take(tensor: &Tensor) -> bool {
    !tensor.vals().is_shared() && !tensor.vals().may_change() && tensor.format().is_dense()
}

/// Runs something on a view of a tensor that [may be taken](may_take), and gives it the memory, which it may move out. The view lives
/// as long as the run: where a copy of it is left afterwards, the memory is never freed.
///
/// # Errors
/// A bug where the parts of the tensor are none, or a result has memory that somebody still sees.
pub fn take_operand<R>(
    tensor: Tensor,
    run: impl FnOnce(&Tensor, &mut Option<Buffer>) -> Result<R>,
) -> Result<R> {
    let TensorParts { shape, format, fill, levels, mut vals } = tensor.into_parts();
    let parts = TensorParts { shape, format, fill, levels, vals: Buffer::empty(vals.dtype()) };
    let seen = Arc::new(());
    let view = view(parts, &mut vals, &seen)?;
    let mut memory = Some(vals);
    let made = run(&view, &mut memory);
    drop(view);
    if Arc::strong_count(&seen) > 1 {
        let moved = memory.is_none();
        std::mem::forget(memory);
        if moved {
            std::mem::forget(made);
            return Err(Error::bug("run", "an operand that was taken is still seen", ""));
        }
        return made;
    }
    made
}

/// A tensor in the memory of somebody who may write to it; `seen` is held by every copy of it.
pub(crate) fn view(parts: TensorParts, memory: &mut Buffer, seen: &Arc<()>) -> Result<Tensor> {
    // SAFETY: the memory outlives the tensor, which is dropped when the run ends; nothing looks at its elements but calls of
    // kernels, each at those that the call before it wrote, and none while another one writes them.
    let vals = unsafe {
        Buffer::borrow(memory.dtype(), memory.as_mut_ptr(), memory.len(), seen.clone(), Writers::Nobody)
    };
    // SAFETY: dense levels have no arrays, and a kernel that obeys the law makes the values.
    unsafe { TensorParts { vals, ..parts }.made_by(Maker::InOrder) }
}
