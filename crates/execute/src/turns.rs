//! Memory that results of kernels which run together have in turns.
//!
//! ```text
//! a(i) = x(i) + 1        array 0
//! b(i) = 2 * a(i)        array 1
//! c(i) = b(i) - x(i)     array 0: a is read no more
//! ```
//! Kernels of one part run one after the other on one thread, and parts of an array do not overlap, so the memory of a result
//! is free once its last reader is through.

use crate::job::{Arguments, Job};
use crate::share::{room_for_slices, rows};
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_loops::Init;
use openwork_lower::Binding;
use openwork_runtime::SharedMemory;
use openwork_storage::Buffer;
use std::ops::RangeInclusive;

/// Where a kernel writes a dense result.
pub(crate) enum PartnerMemory {
    /// An array of its own.
    Own(Buffer),
    /// The array with this number, which others have before and after it.
    Turn(usize),
}

/// The arrays that results have in turns.
#[derive(Default)]
pub(crate) struct TurnArrays(Vec<TurnArray>);

struct TurnArray {
    buffer: Buffer,
    dtype: DType,
    /// How many rows, and the elements of each: parts of results that have an array in turns are cut alike.
    rows: (usize, usize),
    /// The number of the kernel that reads its present contents last, of those that are called one after the other.
    last_reader: usize,
    /// The job that had it first.
    first_owner: usize,
}

impl TurnArrays {
    /// Memory for the result of job `n` of those that run together. `life`: the numbers of the kernels that write it and that read it
    /// last, among those that are called one after the other; nothing where others read it as well.
    ///
    /// # Errors
    /// `E0603` when memory runs out.
    pub(crate) fn open(
        &mut self,
        job: Job,
        n: usize,
        life: Option<RangeInclusive<usize>>,
        arguments: &Arguments,
    ) -> Result<PartnerMemory> {
        let Some((writer, last_reader)) = life.filter(|_| writes_all(job)).map(RangeInclusive::into_inner)
        else {
            return Ok(PartnerMemory::Own(room_for_slices(job, arguments)?));
        };
        let (rows, dtype) = (rows(job, arguments.extents), job.declaration().dtype);
        let free = |a: &TurnArray| a.last_reader < writer && a.dtype == dtype && a.rows == rows;
        let number = match self.0.iter().position(free) {
            Some(number) => {
                self.0[number].last_reader = last_reader;
                number
            }
            None => {
                let buffer = room_for_slices(job, arguments)?;
                self.0.push(TurnArray { buffer, dtype, rows, last_reader, first_owner: n });
                self.0.len() - 1
            }
        };
        Ok(PartnerMemory::Turn(number))
    }
    /// The array behind the memory of a kernel.
    pub(crate) fn buffer<'b>(&'b mut self, memory: &'b mut PartnerMemory) -> &'b mut Buffer {
        match memory {
            PartnerMemory::Own(buffer) => buffer,
            PartnerMemory::Turn(number) => &mut self.0[*number].buffer,
        }
    }
    /// The arrays, for calls that write to parts of them.
    pub(crate) fn share_all(&mut self) -> Vec<SharedMemory<'_>> {
        self.0.iter_mut().map(|a| SharedMemory::new(&mut a.buffer)).collect()
    }
    /// Keeps the arrays for the next run, each for the kernel that had it first.
    pub(crate) fn shelve<'j>(self, job: impl Fn(usize) -> Job<'j>) {
        for TurnArray { buffer, first_owner, .. } in self.0 {
            let job = job(first_owner);
            job.shelve(Binding::Values { tensor: job.result() }, buffer);
        }
    }
    /// The bytes of all arrays.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|a| a.buffer.bytes()).sum()
    }
}

/// Whether a kernel writes every value of its result, whatever it finds there.
fn writes_all(job: Job) -> bool {
    let values = Binding::Values { tensor: job.result() };
    let mut buffers = job.lowered.bindings.iter().zip(job.lowered.kernel.bufs.iter());
    buffers.any(|(binding, (_, buf))| *binding == values && buf.init == Init::Uninit)
}
