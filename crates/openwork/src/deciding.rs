//! Results in which NaN may stand where an annihilator should have decided.
//!
//! Kernels compute `0 * inf` as the machine does; where the result has NaN, another kernel of the same plan computes it
//! anew, with annihilators that decide element by element ([`openwork_lower::annihilate`]). Operands without infinities
//! and NaN never come that far, and pay with one look at the result.

use crate::kernel::{Arrays, Compiler, Kernel};
use crate::parallel::Arguments;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_storage::Buffer;
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
            cached,
            compile_time: Duration::ZERO,
            spares: Mutex::default(),
            threading: plain.threading,
            phase: plain.phase,
        };
        Ok(self.kernel.get_or_init(|| Box::new(kernel)))
    }
}

/// Values that are looked at between two decisions.
const STRETCH: usize = 4096;

/// Whether a value, or a part of a complex one, is NaN.
fn has_nan(values: &Buffer) -> bool {
    fn any<T: Copy + PartialEq>(values: Option<&[T]>) -> bool {
        // NaN alone differs from itself; without branches, stretches are taken in vectors.
        #[allow(clippy::eq_op)]
        let nan = |stretch: &[T]| stretch.iter().fold(false, |found, &x| found | (x != x));
        values.is_some_and(|values| values.chunks(STRETCH).any(nan))
    }
    match values.dtype() {
        DType::F32 => any(values.as_slice::<f32>()),
        DType::F64 => any(values.as_slice::<f64>()),
        DType::C64 => any(values.as_slice::<openwork_algebra::Complex<f32>>()),
        DType::C128 => any(values.as_slice::<openwork_algebra::Complex<f64>>()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_found_wherever_it_stands() {
        for n in [1usize, 7, STRETCH, STRETCH + 1] {
            for at in [0, n / 2, n - 1] {
                let mut values = vec![f64::INFINITY; n];
                assert!(!has_nan(&Buffer::from(values.clone())));
                values[at] = f64::NAN;
                assert!(has_nan(&Buffer::from(values.clone())), "{at} of {n}");
                let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                assert!(has_nan(&Buffer::from(narrow)), "{at} of {n}");
            }
        }
    }
}
