//! Memory of results that were given back, for the next run of the same kernel.

use openwork_lower::Binding;
use openwork_storage::{Buffer, Spare};

/// An array of a result, and what it is.
pub type BoundArray = (Binding, Buffer);

/// Arrays of recycled results, by what they were bound to: one for each array of a kernel's results. They are dropped when
/// there is no other memory left: kernels live as long as somebody may run them again.
#[derive(Debug, Default)]
pub struct Spares(Spare<BoundArray>);

impl Spares {
    /// Keeps arrays of a result, in place of those that were kept for the same bindings.
    pub fn keep(&self, arrays: impl IntoIterator<Item = BoundArray>) {
        let mut held = self.0.lock();
        for (binding, buffer) in arrays {
            held.retain(|(b, _)| *b != binding);
            held.push((binding, buffer));
        }
    }
    /// An array of the same binding, if there is one.
    pub(crate) fn take(&self, binding: Binding) -> Option<Buffer> {
        let mut held = self.0.lock_if_used()?;
        held.iter().position(|(b, _)| *b == binding).map(|n| held.swap_remove(n).1)
    }
}
