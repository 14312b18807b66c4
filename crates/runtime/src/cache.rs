//! The in-memory kernel cache, and how much memory kernels may take.

use crate::lru::Lru;
use openwork_backend::{Backend, Compiled};
use openwork_base::Result;
use openwork_base::cancel::stoppable;
use openwork_base::settings::Setting;
use openwork_loops::{LoopKernel, text};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit that was set; 0 asks the environment.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// The variable that sets it for a process.
static SETTING: Setting<u64> = Setting::new(
    "OPENWORK_KERNEL_CACHE",
    "a number of bytes above 0, as `16M` or `64K`",
    openwork_storage::memory::parse,
);
const DEFAULT: u64 = 64 << 20;

/// Looks whether `OPENWORK_KERNEL_CACHE` is understood.
///
/// # Errors
/// `E0820` where it is not.
pub fn check_settings() -> Result<()> {
    SETTING.check()
}

/// The most bytes that compiled kernels which nobody holds take: what [`set_cache_limit`] said last, else the
/// environment's `OPENWORK_KERNEL_CACHE` (as `16M`), else 64 MiB. Half of it is for code and the text of its loops, half for
/// the kernels that statements keep, with their plans.
pub fn cache_limit() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => SETTING.value().copied().unwrap_or(DEFAULT),
        bytes => bytes,
    }
}

/// Sets [`cache_limit`] for the whole process; 0 goes back to the default. What is beyond it goes when the next kernel
/// comes.
pub fn set_cache_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Bytes of a cache entry beside its code and its text.
const ENTRY: usize = 300;

type CacheKey = (String, String);

/// Compiled kernels by what decides their code: the backend's identity and the text of the loops. The key is the whole
/// text, so two kernels can never be mistaken for each other. Those used least recently are forgotten beyond half of
/// [`cache_limit`].
#[derive(Default)]
pub struct KernelCache {
    kernels: Mutex<Lru<CacheKey, Arc<dyn Compiled>>>,
}

/// The origin of a kernel: whether it was found or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cached {
    /// It was compiled earlier.
    Hit,
    /// It was compiled now.
    Miss,
}

impl KernelCache {
    fn lock(&self) -> MutexGuard<'_, Lru<CacheKey, Arc<dyn Compiled>>> {
        // A poisoned lock means another thread panicked between two operations, each of which is complete.
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn keep(&self, key: CacheKey, code: Arc<dyn Compiled>) {
        let bytes = (code.bytes() + key.0.len() + key.1.len() + ENTRY) as u64;
        let gone = self.lock().insert(key, code, bytes, cache_limit() / 2);
        drop(gone);
    }
    /// The compiled form of `kernel`, made if it is not there.
    ///
    /// # Errors
    /// What [`Backend::compile`] reports.
    pub fn get(&self, backend: &dyn Backend, kernel: &LoopKernel) -> Result<(Arc<dyn Compiled>, Cached)> {
        let key = (backend.identity(), text::print(kernel));
        if let Some(found) = self.lock().get(&key) {
            return Ok((found.clone(), Cached::Hit));
        }
        let made: Arc<dyn Compiled> = Arc::from(stoppable(|| backend.compile(kernel))?);
        self.keep(key, made.clone());
        Ok((made, Cached::Miss))
    }
    /// Compiles those of `kernels` that are not there, together.
    ///
    /// # Errors
    /// What [`Backend::compile_all`] reports.
    pub fn prepare(&self, backend: &dyn Backend, kernels: &[&LoopKernel]) -> Result<()> {
        let mut wanted: Vec<(CacheKey, &LoopKernel)> = Vec::new();
        for kernel in kernels {
            let key = (backend.identity(), text::print(kernel));
            if !self.lock().contains(&key) && !wanted.iter().any(|(k, _)| *k == key) {
                wanted.push((key, kernel));
            }
        }
        let list: Vec<&LoopKernel> = wanted.iter().map(|(_, k)| *k).collect();
        let made = stoppable(|| backend.compile_all(&list))?;
        for ((key, _), code) in wanted.into_iter().zip(made) {
            self.keep(key, Arc::from(code));
        }
        Ok(())
    }
    /// How many kernels are held.
    pub fn len(&self) -> usize {
        self.lock().len()
    }
    /// The bytes that held kernels take, by an estimate: code with its tables, and the text that it is found by.
    pub fn bytes(&self) -> u64 {
        self.lock().bytes()
    }
    /// Whether no kernel is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Forgets every kernel; those still in use live on until their last user is done.
    pub fn clear(&self) {
        let gone = self.lock().shrink(0);
        drop(gone);
    }
}
