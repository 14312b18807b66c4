//! Memory of results that were given back, for the next run of the same kernel.

use openwork_lower::Binding;
use openwork_storage::Buffer;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An array of a result, and what it is.
pub type Bound = (Binding, Buffer);

/// Arrays of recycled results, by what they were bound to: one for each array of a kernel's results.
#[derive(Debug, Default)]
pub struct Spares(Mutex<Vec<Bound>>);

impl Spares {
    /// The list. A lock whose holder panicked guards one that is whole at any time.
    fn lock(&self) -> MutexGuard<'_, Vec<Bound>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Keeps arrays of a result, in place of those that were kept for the same bindings.
    pub fn keep(&self, arrays: impl IntoIterator<Item = Bound>) {
        let mut held = self.lock();
        for (binding, buffer) in arrays {
            held.retain(|(b, _)| *b != binding);
            held.push((binding, buffer));
        }
    }
    /// An array of the same binding, if there is one.
    pub(crate) fn take(&self, binding: Binding) -> Option<Buffer> {
        let mut held = self.lock();
        held.iter().position(|(b, _)| *b == binding).map(|n| held.swap_remove(n).1)
    }
}
