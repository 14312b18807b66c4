//! The compiler of kernels that a session and its kernels share: it also serves kernels that are only needed now and then.

use openwork_backend::Backend;
use openwork_levels::Registry;
use openwork_runtime::KernelCache;
use std::sync::Arc;

/// A backend, the code that was made before, and the levels that are known.
#[derive(Clone)]
pub(crate) struct Compiler {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) cache: Arc<KernelCache>,
    pub(crate) registry: Registry,
}
