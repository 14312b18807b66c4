//! The kernels that statements keep between runs, all of them together within half of
//! [`cache_limit`](crate::cache_limit).

use crate::kernel::Kernel;
use openwork_runtime::cache_limit;
use openwork_runtime::lru::Lru;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

static KEPT: LazyLock<Mutex<Lru<u64, Arc<Kernel>>>> = LazyLock::new(Mutex::default);

fn kept() -> MutexGuard<'static, Lru<u64, Arc<Kernel>>> {
    // A poisoned lock means another thread panicked between two operations, each of which is complete.
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// About how many bytes the kernels take that statements keep.
///
/// ```
/// use openwork::{Session, Statement, Tensor, TensorExt, cache_limit, kept_bytes};
/// let x = Tensor::from_vec(&[2], vec![1.0, 2.0])?;
/// Statement::new("y(i) = 2 * x(i)", ["x"])?.run(Session::shared(), &[&x])?;
/// assert!(kept_bytes() <= cache_limit() / 2);
/// # Ok::<(), openwork::Error>(())
/// ```
pub fn kept_bytes() -> u64 {
    kept().bytes()
}

/// A kernel that is kept as long as there is room for it and its statement lives.
pub(crate) struct Kept {
    number: u64,
}

impl Kept {
    pub(crate) fn new(kernel: &Arc<Kernel>) -> Kept {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let gone = kept().insert(number, kernel.clone(), kernel.bytes() as u64, cache_limit() / 2);
        drop(gone);
        Kept { number }
    }
    /// The kernel, which is used now, if it is still there.
    pub(crate) fn get(&self) -> Option<Arc<Kernel>> {
        kept().get(&self.number).cloned()
    }
    /// Whether it is still there.
    pub(crate) fn alive(&self) -> bool {
        kept().contains(&self.number)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let gone = kept().remove(&self.number);
        drop(gone);
    }
}
