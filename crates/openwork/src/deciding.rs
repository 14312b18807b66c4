//! Results in which NaN may stand where an annihilator should have decided.
//!
//! Kernels compute `0 * inf` as the machine does; where the result has NaN, another kernel of the same plan computes it
//! anew, with annihilators that decide element by element ([`openwork_lower::annihilate`]). Operands without infinities
//! and NaN never come that far, and pay with one look at the result.

use crate::kernel::{Compiler, Kernel};
use openwork_base::Result;
use openwork_execute::{Arguments, Arrays};
use std::sync::OnceLock;
use std::time::Instant;

/// The kernel in which annihilators decide, compiled when a result needs it.
pub(crate) struct Deciding {
    compiler: Compiler,
    kernel: OnceLock<Box<Kernel>>,
}

impl Deciding {
    pub(crate) fn new(compiler: Compiler) -> Deciding {
        Deciding { compiler, kernel: OnceLock::new() }
    }
    /// The same, with its kernel to be compiled anew: as it is to run otherwise.
    pub(crate) fn afresh(self) -> Deciding {
        Deciding::new(self.compiler)
    }

    /// What the kernel makes of operands of which `plain` made something with NaN.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn anew(&self, plain: &Kernel, made: Arrays, arguments: &Arguments) -> Result<Arrays> {
        drop(made.buffers);
        let again = self.kernel(plain)?.arrays(arguments)?;
        Ok(Arrays { time: made.time + again.time, ..again })
    }
    fn kernel(&self, plain: &Kernel) -> Result<&Kernel> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let start = Instant::now();
        let Compiler { backend, registry, .. } = &self.compiler;
        let stages = plain.stages.deciding(plain.phase, registry, &backend.target())?;
        let kernel = Kernel::of(stages, self.compiler.clone(), plain.phase, plain.threading, start)?;
        Ok(self.kernel.get_or_init(|| Box::new(kernel)))
    }
}
