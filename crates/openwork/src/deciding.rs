//! Results in which NaN may stand where an annihilator should have decided.
//!
//! Kernels compute `0 * inf` as the machine does; where the result has NaN, another kernel of the same plan computes it
//! anew, with annihilators that decide element by element ([`openwork_lower::annihilate`]). Operands without infinities
//! and NaN never come that far, and pay with one look at the result.

use crate::kernel::{Arrays, Compiler, Kernel};
use crate::look::has_nan;
use crate::parallel::Arguments;
use openwork_base::Result;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The kernel in which annihilators decide, compiled when a result needs it.
pub(crate) struct Deciding {
    compiler: Compiler,
    kernel: OnceLock<Box<Kernel>>,
}

impl Deciding {
    pub(crate) fn new(compiler: Compiler) -> Deciding {
        Deciding { compiler, kernel: OnceLock::new() }
    }

    /// What `plain` made of the operands, if it holds no NaN, or else what the other kernel makes of them.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn settled(&self, plain: &Kernel, made: Arrays, arguments: &Arguments) -> Result<Arrays> {
        let start = Instant::now();
        // Index arrays are integers, which have none.
        if !made.buffers.iter().any(has_nan) {
            return Ok(Arrays { time: made.time + start.elapsed(), ..made });
        }
        drop(made.buffers);
        let again = self.kernel(plain)?.arrays(arguments)?;
        Ok(Arrays { time: made.time + start.elapsed(), ..again })
    }
    fn kernel(&self, plain: &Kernel) -> Result<&Kernel> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let Compiler { backend, cache, registry } = &self.compiler;
        let stages = plain.stages.deciding(plain.phase, registry, &backend.target())?;
        let (code, cached) = cache.get(&**backend, &stages.loops)?;
        let kernel = Kernel {
            stages,
            code,
            passes: None,
            deciding: None,
            assumed: None,
            cached,
            compile_time: Duration::ZERO,
            spares: Mutex::default(),
            threading: plain.threading,
            phase: plain.phase,
        };
        Ok(self.kernel.get_or_init(|| Box::new(kernel)))
    }
}
