//! The bounds-checking interpreter, which runs a kernel slowly and safely and so says what it means.
//!
//! A kernel is verified and compiled once into a flat list of operations on numbered registers ([`InterpProgram`]), which
//! then runs over any [`Memory`]. Every access is checked against the capacity of its buffer, and against what has been
//! written where memory means nothing before; a bad one ends the run with a [`Fault`] that names the buffer, the index
//! and the statement.

mod compile;
mod counts;
mod exec;
mod memory;
mod written;

pub use counts::Counts;
pub use memory::{Memory, VecMemory, read_element, write_element};

use crate::nodes::{LoopKernel, Status};
use crate::verify::Violation;
use std::fmt;

/// Limits on what a run may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations before the run is called endless.
    pub steps: u64,
}

impl Default for Limits {
    /// Fifty million operations, about a second.
    fn default() -> Limits {
        Limits { steps: 50_000_000 }
    }
}

/// What an access wanted to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Read an element.
    Load,
    /// Write an element.
    Store,
    /// Reserve or announce a number of elements.
    Length,
}

/// A mistake of the kernel that only shows when it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The kernel breaks the law of loop IR and was not run.
    Unlawful(Vec<Violation>),
    /// The caller passed a wrong number of parameters.
    Params {
        /// How many the kernel has.
        want: usize,
        /// How many there were.
        got: usize,
    },
    /// An access outside a buffer, a negative length, or a length beyond the capacity.
    OutOfBounds {
        /// What the access was.
        access: AccessKind,
        /// The name of the buffer.
        buf: String,
        /// The index or length.
        index: i64,
        /// The capacity of the buffer.
        len: usize,
        /// The first line of the statement.
        stmt: String,
    },
    /// An element of an [`Init::Uninit`](crate::Init) buffer that is read before it is written.
    Unwritten {
        /// The name of the buffer.
        buf: String,
        /// The index.
        index: usize,
        /// The first line of the statement.
        stmt: String,
    },
    /// An element of the result that was never written, in an [`Init::Uninit`](crate::Init) buffer.
    Gap {
        /// The name of the buffer.
        buf: String,
        /// The index.
        index: usize,
        /// How many elements the kernel announced, or made room for.
        len: usize,
    },
    /// The variable of a loop would pass the largest `i64`.
    Overflow {
        /// The first line of the loop.
        stmt: String,
    },
    /// The memory handed out a value of another dtype than the buffer's.
    ForeignValue {
        /// The first line of the statement.
        stmt: String,
    },
    /// The step budget is used up.
    TooLong {
        /// The statement at which that happened.
        stmt: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unlawful(found) => found.iter().try_for_each(|v| write!(f, "{v}")),
            Fault::Params { want, got } => write!(f, "the kernel takes {want} parameters, got {got}"),
            Fault::OutOfBounds { access, buf, index, len, stmt } => {
                let what = match access {
                    AccessKind::Load => "load at",
                    AccessKind::Store => "store at",
                    AccessKind::Length => "length of",
                };
                write!(f, "{what} {index}, but {buf} has room for {len}, in `{stmt}`")
            }
            Fault::Unwritten { buf, index, stmt } => {
                write!(f, "{buf}[{index}] is read before it is written, in `{stmt}`")
            }
            Fault::Gap { buf, index, len } => {
                write!(f, "{buf}[{index}] was never written, though {len} elements are the result")
            }
            Fault::Overflow { stmt } => write!(f, "the variable of `{stmt}` overflows"),
            Fault::ForeignValue { stmt } => write!(f, "a value of the wrong dtype came back in `{stmt}`"),
            Fault::TooLong { stmt } => write!(f, "too many steps, now at `{stmt}`"),
        }
    }
}

impl std::error::Error for Fault {}

/// A verified kernel, ready to run any number of times.
#[derive(Clone, Debug)]
pub struct InterpProgram {
    code: compile::RegisterCode,
    kernel: LoopKernel,
}

impl InterpProgram {
    /// Verifies and compiles.
    pub fn new(kernel: &LoopKernel) -> Result<InterpProgram, Fault> {
        crate::verify::verify(kernel).map_err(Fault::Unlawful)?;
        Ok(InterpProgram { code: compile::compile(kernel), kernel: kernel.clone() })
    }
    /// Runs with one value per parameter.
    pub fn run(&self, params: &[i64], memory: &mut impl Memory, limits: Limits) -> Result<Status, Fault> {
        self.run_counting(params, memory, limits, &mut Counts::default())
    }
    /// Runs as [`InterpProgram::run`] does, and adds what is done to `counts`, also where it ends with a fault.
    ///
    /// # Errors
    /// As [`InterpProgram::run`].
    pub fn run_counting(
        &self,
        params: &[i64],
        memory: &mut impl Memory,
        limits: Limits,
        counts: &mut Counts,
    ) -> Result<Status, Fault> {
        exec::run(&self.code, &self.kernel, params, memory, limits, counts)
    }
}

/// Verifies, compiles and runs a kernel.
///
/// ```
/// use openwork_loops::{LoopKernel, BufRole, Status, build::*, interp::{Limits, VecMemory, run}};
/// use openwork_algebra::{DType, Scalar};
/// let mut k = LoopKernel::new("double");
/// let (n, i) = (k.param("n"), k.index("i"));
/// let x = k.buf("x", DType::I64, BufRole::In);
/// let y = k.buf("y", DType::I64, BufRole::Out);
/// k.body = vec![for_each(i, int(0), var(n), vec![store(y, var(i), mul(int(2), load(x, var(i))))])];
///
/// let mut memory = VecMemory::new(&k);
/// memory.set_ints(x, &[1, 2, 3]);
/// memory.set_ints(y, &[0; 3]);
/// assert_eq!(run(&k, &[3], &mut memory, Limits::default()), Ok(Status::Ok));
/// assert_eq!(memory.values(y), [2, 4, 6].map(Scalar::I64));
///
/// let fault = run(&k, &[4], &mut memory, Limits::default()).unwrap_err();
/// assert_eq!(fault.to_string(), "load at 3, but x has room for 3, in `y[i] = 2 * x[i]`");
/// ```
pub fn run(
    kernel: &LoopKernel,
    params: &[i64],
    memory: &mut impl Memory,
    limits: Limits,
) -> Result<Status, Fault> {
    InterpProgram::new(kernel)?.run(params, memory, limits)
}

#[cfg(test)]
mod tests;
