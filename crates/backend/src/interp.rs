//! The bounds-checking interpreter as a backend.

use crate::abi::{BufferArg, Call};
use crate::{Backend, Compiled, Target, machine_fuses};
use openwork_algebra::{DType, Scalar};
use openwork_base::{Error, Id, Result};
use openwork_loops::interp::{Counts, Fault, InterpProgram, Limits, Memory, read_element, write_element};
use openwork_loops::{BlockLength, BufId, LoopKernel, Status, Wide};
use std::sync::{Arc, Mutex, PoisonError};

const STEP: &str = "interp";

/// Runs loop IR step by step and checks every access against the capacity of its buffer. A bad access is an
/// [`Error::Bug`] that names the buffer, the index and the statement.
#[derive(Clone, Debug)]
pub struct InterpBackend {
    limits: Limits,
    wide: Option<Wide>,
    blocks: BlockLength,
    counts: Option<Arc<Mutex<Counts>>>,
    writes: Option<Arc<Mutex<Vec<Write>>>>,
}

/// An element that a kernel stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The name of the buffer.
    pub buffer: String,
    /// The place in it.
    pub at: usize,
    /// The value.
    pub value: Scalar,
}

impl InterpBackend {
    /// An interpreter without a limit on the number of steps.
    pub fn new() -> InterpBackend {
        InterpBackend::with_limits(Limits { steps: u64::MAX })
    }
    /// An interpreter that gives up on kernels that run too long.
    pub fn with_limits(limits: Limits) -> InterpBackend {
        InterpBackend { limits, wide: None, blocks: BlockLength::default(), counts: None, writes: None }
    }
    /// An interpreter that asks for `wide` loops, which it runs as serial ones. For tests of their bounds.
    #[must_use]
    pub fn with_wide(self, wide: Option<Wide>) -> InterpBackend {
        InterpBackend { wide, ..self }
    }
    /// An interpreter that asks for sums in blocks of another length. For tests of their ends.
    #[must_use]
    pub fn with_blocks(self, blocks: BlockLength) -> InterpBackend {
        InterpBackend { blocks, ..self }
    }
    /// An interpreter that adds up in `counts` what all its kernels do.
    #[must_use]
    pub fn with_counts(self, counts: Arc<Mutex<Counts>>) -> InterpBackend {
        InterpBackend { counts: Some(counts), ..self }
    }
    /// An interpreter that lists in `writes`, in order, what all its kernels store: the trace of what they visit.
    #[must_use]
    pub fn with_trace(self, writes: Arc<Mutex<Vec<Write>>>) -> InterpBackend {
        InterpBackend { writes: Some(writes), ..self }
    }
}

impl Default for InterpBackend {
    fn default() -> Self {
        InterpBackend::new()
    }
}

fn bug(kernel: &LoopKernel, fault: &Fault) -> Error {
    Error::bug(STEP, fault.to_string(), format!("kernel {}", kernel.name))
}

impl Backend for InterpBackend {
    fn name(&self) -> &'static str {
        "interp"
    }
    fn identity(&self) -> String {
        format!("interp {}", env!("CARGO_PKG_VERSION"))
    }
    fn target(&self) -> Target {
        Target {
            vector_bytes: 64,
            accumulators: 4,
            wide: self.wide,
            blocks: self.blocks,
            fuses: machine_fuses(),
        }
    }
    fn compile(&self, kernel: &LoopKernel) -> Result<Box<dyn Compiled>> {
        let program = InterpProgram::new(kernel).map_err(|f| bug(kernel, &f))?;
        let (counts, writes) = (self.counts.clone(), self.writes.clone());
        Ok(Box::new(Interpreted { program, kernel: kernel.clone(), limits: self.limits, counts, writes }))
    }
    fn listing(&self, kernel: &LoopKernel) -> Result<String> {
        Ok(openwork_loops::text::print(kernel))
    }
}

/// A kernel ready to be interpreted.
struct Interpreted {
    program: InterpProgram,
    kernel: LoopKernel,
    limits: Limits,
    counts: Option<Arc<Mutex<Counts>>>,
    writes: Option<Arc<Mutex<Vec<Write>>>>,
}

impl Compiled for Interpreted {
    fn bytes(&self) -> usize {
        // The program is another form of the same nodes.
        2 * self.kernel.bytes()
    }
    unsafe fn run(&self, call: &mut Call<'_>) -> Result<Status> {
        let params = call.params().to_vec();
        let mut memory = CallMemory { kernel: &self.kernel, call, writes: self.writes.as_deref() };
        let mut own = Counts::default();
        let done = self.program.run_counting(&params, &mut memory, self.limits, &mut own);
        if let Some(all) = &self.counts {
            *all.lock().unwrap_or_else(PoisonError::into_inner) += own;
        }
        done.map_err(|f| bug(&self.kernel, &f))
    }
}

/// The buffers of a call; only [`Compiled::run`] makes one, whose caller answers for the slots.
struct CallMemory<'k, 'c, 'a> {
    kernel: &'k LoopKernel,
    call: &'c mut Call<'a>,
    writes: Option<&'k Mutex<Vec<Write>>>,
}

impl CallMemory<'_, '_, '_> {
    fn slot(&self, buf: BufId) -> BufferArg {
        // SAFETY: the caller of `run` promised one slot per buffer of the kernel, and `buf` is one of its buffers.
        unsafe { *self.call.raw.bufs.add(buf.index()) }
    }
    /// The address of an element, if there is one.
    fn element(&self, buf: BufId, at: usize) -> Option<(*mut u8, DType)> {
        let (slot, elem) = (self.slot(buf), self.kernel.bufs.get(buf)?.elem);
        // SAFETY: `at` is below the capacity, and the caller of `run` promised that much memory.
        ((at as u64) < slot.cap).then(|| (unsafe { slot.ptr.add(at * elem.size()) }, elem))
    }
}

impl Memory for CallMemory<'_, '_, '_> {
    fn load(&self, buf: BufId, at: usize) -> Option<Scalar> {
        let (p, elem) = self.element(buf, at)?;
        // SAFETY: `p` points at an element of this dtype, readable, and nothing writes it meanwhile.
        read_element(elem, unsafe { std::slice::from_raw_parts(p, elem.size()) })
    }
    fn store(&mut self, buf: BufId, at: usize, value: Scalar) -> Option<()> {
        let (p, elem) = self.element(buf, at)?;
        if value.dtype() != elem {
            return None;
        }
        if let Some(writes) = self.writes {
            let write = Write { buffer: self.kernel.bufs.get(buf)?.name.clone(), at, value };
            writes.lock().unwrap_or_else(PoisonError::into_inner).push(write);
        }
        // SAFETY: `p` points at an element of this dtype, writable since the verifier lets no kernel store to an
        // input, and nothing else uses it meanwhile.
        write_element(value, unsafe { std::slice::from_raw_parts_mut(p, elem.size()) })
    }
    fn capacity(&self, buf: BufId) -> usize {
        self.slot(buf).cap as usize
    }
    fn reserve(&mut self, buf: BufId, len: usize) -> Status {
        if self.slot(buf).cap >= len as u64 {
            return Status::Ok;
        }
        let grow = self.call.raw.grow;
        // SAFETY: `grow` is called as compiled code calls it: with its own call and one of its buffers.
        let code = unsafe { grow(&mut self.call.raw, buf.index() as u64, len as u64) };
        Status::from_code(code).unwrap_or(Status::CheckFailed)
    }
    fn set_len(&mut self, buf: BufId, len: usize) -> Option<()> {
        // SAFETY: as in `slot`.
        unsafe { (*self.call.raw.bufs.add(buf.index())).len = len as u64 };
        Some(())
    }
    fn is_cancelled(&self) -> bool {
        self.call.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Growth, run};
    use openwork_algebra::Scalar;
    use openwork_loops::BufRole;
    use openwork_loops::build::{for_each, int, load, store, var};

    crate::conformance!(InterpBackend::new());

    #[test]
    fn a_bad_access_is_a_bug_that_names_the_place() {
        let mut k = LoopKernel::new("over");
        let (x, y) = (k.buf("x", DType::F64, BufRole::In), k.buf("y", DType::F64, BufRole::Out));
        let i = k.index("i");
        k.body = vec![for_each(i, int(0), int(3), vec![store(y, var(i), load(x, var(i)))])];
        let code = InterpBackend::new().compile(&k).expect("lawful");
        let bufs = [vec![Scalar::F64(1.0); 2], vec![Scalar::F64(0.0); 3]];
        let error = run(&*code, &k, &bufs, &[], Growth::Failing).expect_err("x has two elements");
        assert!(error.to_string().contains("load at 2, but x has room for 2"), "{error}");
    }
}
