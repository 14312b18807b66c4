//! The in-memory kernel cache.

use openwork_backend::{Backend, Compiled};
use openwork_base::Result;
use openwork_loops::{Kernel, text};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Compiled kernels by what decides their code: the backend's identity and the text of the loops. The key is the whole
/// text, so two kernels can never be mistaken for each other.
#[derive(Default)]
pub struct KernelCache {
    kernels: Mutex<HashMap<(String, String), Arc<dyn Compiled>>>,
}

/// Whether a kernel was found or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cached {
    /// It was compiled earlier.
    Hit,
    /// It was compiled now.
    Miss,
}

impl KernelCache {
    /// The compiled form of `kernel`, made if it is not there yet.
    ///
    /// # Errors
    /// What [`Backend::compile`] reports.
    pub fn get(&self, backend: &dyn Backend, kernel: &Kernel) -> Result<(Arc<dyn Compiled>, Cached)> {
        let key = (backend.identity(), text::print(kernel));
        // A poisoned lock means another thread panicked between two map operations, each of which is complete.
        let lock = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(&key) {
            return Ok((found.clone(), Cached::Hit));
        }
        let made: Arc<dyn Compiled> = Arc::from(backend.compile(kernel)?);
        lock().insert(key, made.clone());
        Ok((made, Cached::Miss))
    }
    /// Compiles those of `kernels` that are not there yet, together.
    ///
    /// # Errors
    /// What [`Backend::compile_all`] reports.
    pub fn prepare(&self, backend: &dyn Backend, kernels: &[&Kernel]) -> Result<()> {
        let lock = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted: Vec<((String, String), &Kernel)> = Vec::new();
        for kernel in kernels {
            let key = (backend.identity(), text::print(kernel));
            if !lock().contains_key(&key) && !wanted.iter().any(|(k, _)| *k == key) {
                wanted.push((key, kernel));
            }
        }
        let list: Vec<&Kernel> = wanted.iter().map(|(_, k)| *k).collect();
        let made = backend.compile_all(&list)?;
        for ((key, _), code) in wanted.into_iter().zip(made) {
            lock().insert(key, Arc::from(code));
        }
        Ok(())
    }
    /// How many kernels are held.
    pub fn len(&self) -> usize {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
    /// Whether no kernel is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Forgets every kernel; those still in use live on until their last user is done.
    pub fn clear(&self) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
