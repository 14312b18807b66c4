//! The kernels that statements keep between runs, all of them together within half of
//! [`cache_limit`](crate::cache_limit).

use openwork_runtime::cache_limit;
use openwork_runtime::lru::Lru;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// A kernel, or all those of a sequence.
type AnyKernel = Arc<dyn Any + Send + Sync>;

static KEPT: LazyLock<Mutex<Lru<u64, AnyKernel>>> = LazyLock::new(Mutex::default);

fn lock_cache() -> MutexGuard<'static, Lru<u64, AnyKernel>> {
    // A poisoned lock means another thread panicked between two operations, each of which is complete.
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// About how many bytes the kernels take that statements keep.
///
/// ```
/// use openwork::{Session, Statement, Tensor, TensorExt, cache_limit, kept_bytes};
/// let x = Tensor::from_vec(&[2], vec![1.0, 2.0])?;
/// Statement::new("y(i) = 2 * x(i)", ["x"])?.run(Session::global(), &[&x])?;
/// assert!(kept_bytes() <= cache_limit() / 2);
/// # Ok::<(), openwork::Error>(())
/// ```
pub fn kept_bytes() -> u64 {
    lock_cache().bytes()
}

/// A kernel, or those of a sequence, kept as long as there is room and the statement lives.
pub(crate) struct KeptKernel<T> {
    number: u64,
    of: PhantomData<fn() -> T>,
}

impl<T: Any + Send + Sync> KeptKernel<T> {
    pub(crate) fn new(made: &Arc<T>, bytes: usize) -> KeptKernel<T> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let gone = lock_cache().insert(number, made.clone(), bytes as u64, cache_limit() / 2);
        drop(gone);
        KeptKernel { number, of: PhantomData }
    }
    /// What is kept, which is used now, if it is still there.
    pub(crate) fn get(&self) -> Option<Arc<T>> {
        let held = lock_cache().get(&self.number).cloned();
        held.and_then(|held| held.downcast().ok())
    }
    /// Whether it is still there.
    pub(crate) fn alive(&self) -> bool {
        lock_cache().contains(&self.number)
    }
}

impl<T> Drop for KeptKernel<T> {
    fn drop(&mut self) {
        let gone = lock_cache().remove(&self.number);
        drop(gone);
    }
}
