//! Lists of spare memory, which somebody may need again and can do without: results that a kernel was given back, other ways
//! of storing a tensor. All of them are emptied before an array is refused for want of memory.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// A list whose contents may be gone the next time one looks.
///
/// ```
/// use openwork_storage::{Buffer, Spare, memory};
/// let spare = Spare::default();
/// spare.lock().push(Buffer::zeros(openwork_algebra::DType::F64, 100)?);
/// memory::give_back();
/// assert!(spare.lock().is_empty());
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub struct Spare<T>(OnceLock<Arc<Mutex<Vec<T>>>>);

/// What can be emptied, whatever it holds.
trait Empty: Send + Sync {
    fn empty(&self);
}

impl<T: Send> Empty for Mutex<Vec<T>> {
    fn empty(&self) {
        // Whoever has the lock may be the one who needs memory.
        let held = self.try_lock().map(|mut held| std::mem::take(&mut *held));
        drop(held);
    }
}

/// Every list that was ever looked into, as long as it is there.
static ALL: Mutex<Vec<Weak<dyn Empty>>> = Mutex::new(Vec::new());

/// What a lock guards. One whose holder panicked guards what is whole at any time.
fn lock_anyway<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Empties every list that nobody has locked.
pub(crate) fn empty_all() {
    let lists: Vec<_> = lock_anyway(&ALL).iter().filter_map(Weak::upgrade).collect();
    for list in lists {
        list.empty();
    }
}

impl<T: Send + 'static> Spare<T> {
    /// The list, for as long as one holds the lock, which must not be while one asks for memory.
    pub fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        lock_anyway(self.0.get_or_init(|| {
            let list = Arc::new(Mutex::new(Vec::new()));
            let shared: Arc<dyn Empty> = list.clone();
            let mut all = lock_anyway(&ALL);
            // The lists that are gone are looked for as often as their number doubles.
            if all.len() == all.capacity() {
                all.retain(|list| list.strong_count() > 0);
            }
            all.push(Arc::downgrade(&shared));
            list
        }))
    }
    /// The list, if anybody ever looked into it.
    pub fn lock_if_used(&self) -> Option<MutexGuard<'_, Vec<T>>> {
        self.0.get().map(|list| lock_anyway(list))
    }
}

impl<T> Default for Spare<T> {
    fn default() -> Spare<T> {
        Spare(OnceLock::new())
    }
}

impl<T> fmt::Debug for Spare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spare")
    }
}
