//! One run of a job: the calls that it makes, and the arrays that come of them.

use crate::job::{Arguments, Job};
use crate::schedule::CallSchedule;
use crate::spares::BoundArray;
use crate::threading::Spread;
use openwork_base::Result;
use openwork_runtime::Watch;
use openwork_storage::Buffer;
use openwork_storage::error::{OVER_LIMIT, TOO_LARGE};
use std::time::{Duration, Instant};

/// The arrays that the calls of one run made.
pub struct Arrays {
    /// The arrays of the result, and what each one is.
    pub buffers: Vec<BoundArray>,
    /// How long it took.
    pub time: Duration,
    /// How it was spread over threads.
    pub spread: Spread,
}

impl Job<'_> {
    /// Runs the kernel on operands that [`operands`](crate::operands) and [`extents`](crate::extents) checked; what it makes
    /// is shown to `watch`.
    ///
    /// # Errors
    /// `E0603` when memory runs out, `E0602` when coordinates collide in a hash table, `E0604` when a position does not fit
    /// the width of its array, `E0606` when it was asked to stop. Everything that was made is freed then.
    pub fn run(self, arguments: &Arguments, watch: Option<&Watch>) -> Result<Arrays> {
        let start = Instant::now();
        // SAFETY: the bindings come from the lowering that made the kernel; `bind` checked dtypes, formats and sizes;
        // tensors are validated when they are made, so their index arrays stay in bounds.
        let (buffers, spread) = match unsafe { self.run_in_passes(arguments)? } {
            Some((buffers, spread)) => {
                for (_, buffer) in &buffers {
                    watch.map_or(Ok(()), |w| w.scan(buffer))?;
                }
                (buffers, spread)
            }
            None => {
                let schedule = CallSchedule::decide(self, arguments, watch.is_some());
                // SAFETY: as above.
                unsafe { self.run_or_again(schedule, arguments, watch)? }
            }
        };
        Ok(Arrays { buffers, time: start.elapsed(), spread })
    }

    /// Runs a kernel that computes its result in the memory of an operand, which is `memory`.
    ///
    /// # Errors
    /// As [`Job::run`]; the memory is freed then.
    pub fn run_in_place(self, arguments: &Arguments, memory: Buffer) -> Result<Arrays> {
        let start = Instant::now();
        let schedule = CallSchedule::decide(self, arguments, false);
        let spread = schedule.spread();
        // SAFETY: as in `run`; nobody else holds the memory, which has an element for each of the result.
        let buffers = unsafe { self.run_over(schedule, arguments, memory)? };
        Ok(Arrays { buffers, time: start.elapsed(), spread })
    }

    /// Makes the calls of a schedule. Where they need more memory than there is, one call does the work again, alone, where it makes the
    /// same: pieces have room of their own, and are there beside the array that they are joined to.
    ///
    /// # Errors
    /// As [`Job::run`].
    ///
    /// # Safety
    /// As for [`Job::run_scheduled`].
    unsafe fn run_or_again(
        self,
        schedule: CallSchedule,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<(Vec<BoundArray>, Spread)> {
        let (spread, alone) = (schedule.spread(), schedule.single_call());
        // SAFETY: the caller's promise.
        match (unsafe { self.run_scheduled(schedule, arguments, watch) }, alone) {
            (Err(e), Some(alone)) if e.code() == OVER_LIMIT || e.code() == TOO_LARGE => {
                let spread = alone.spread();
                // SAFETY: the caller's promise.
                unsafe { self.run_scheduled(alone, arguments, watch) }.map(|made| (made, spread))
            }
            (done, _) => done.map(|made| (made, spread)),
        }
    }
}
