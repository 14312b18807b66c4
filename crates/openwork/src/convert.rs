//! The steps around a kernel: operands stored differently before it, the result after it.
//!
//! Storing a tensor differently is a statement that copies, `B(i,j) = A(i,j)`, so a kernel of its own does it where one kernel
//! can; storage unpacks and packs the rest, and small tensors, for which that takes less time than compiling. What became of
//! an operand stays with it from the second time on ([`Tensor::stored_as`]).

use crate::ext::TensorExt;
use crate::kernel::{Compiler, Kernel};
use crate::stages::Stages;
use openwork_algebra::Scalar;
use openwork_base::cancel::stoppable;
use openwork_base::machine::threshold;
use openwork_base::{Error, Result};
use openwork_execute::{Threading, same_layout};
use openwork_format::Format;
use openwork_index::schedule::Schedule;
use openwork_index::window::{Reach, Window};
use openwork_lower::Phase;
use openwork_planner::{Conversion, Planner, Step, copying, plainly};
use openwork_storage::{Buffer, Coo, Kept, Tensor, pack, rearranged, select, unpack};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Tensors of fewer values are packed anew: no kernel is worth its compilation.
const SMALL: usize = 4096;

/// What makes the conversions of a kernel.
pub(crate) struct Conversions {
    compiler: Compiler,
    made: Mutex<Vec<Made>>,
}

/// A copy between two formats that was asked for, and its kernel where one can make it.
struct Made {
    from: Format,
    to: Format,
    fill: Scalar,
    kernel: Option<Arc<Kernel>>,
}

/// An operand as a kernel wants it.
#[derive(Clone)]
pub(crate) enum Operand<'t> {
    /// What the caller gave.
    Given(&'t Tensor),
    /// Made of it in an earlier run.
    Kept(Arc<Tensor>),
    /// Made of it.
    Made(Arc<Tensor>),
}

impl Operand<'_> {
    pub(crate) fn tensor(&self) -> &Tensor {
        match self {
            Operand::Given(tensor) => tensor,
            Operand::Kept(tensor) | Operand::Made(tensor) => tensor,
        }
    }
}

impl Conversions {
    pub(crate) fn new(compiler: Compiler) -> Conversions {
        Conversions { compiler, made: Mutex::default() }
    }
    /// The same, with its kernels to be compiled anew: as they are to run otherwise.
    pub(crate) fn afresh(self) -> Conversions {
        Conversions::new(self.compiler)
    }

    /// An operand as a kernel wants it, stored differently than what the caller gives.
    ///
    /// # Errors
    /// `E0602` to `E0604` of packing, `E0606` when it was asked to stop.
    pub(crate) fn operand(
        &self,
        conversion: &Conversion,
        given: &Tensor,
        threading: Threading,
    ) -> Result<Operand<'static>> {
        let mut made = false;
        let part = part(conversion, given)?;
        let tensor = given.stored_as(&part, &conversion.modes, &conversion.format, |given| {
            made = true;
            if !part.is_empty() {
                return taken_out(given, &part, &conversion.format);
            }
            if conversion.takes_diagonal() {
                return diagonal(conversion, given);
            }
            self.copied(given, &conversion.format, threading)
        })?;
        Ok(if made { Operand::Made(tensor) } else { Operand::Kept(tensor) })
    }
    /// A tensor in another format.
    ///
    /// # Errors
    /// As [`Conversions::operand`].
    pub(crate) fn copied(&self, tensor: &Tensor, to: &Format, threading: Threading) -> Result<Tensor> {
        let fill = to.fill.as_ref().and_then(|_| to.fill_value(tensor.dtype())).unwrap_or(tensor.fill());
        if let Some(made) = rearranged(tensor, to, fill)? {
            return Ok(made);
        }
        match self.kernel(tensor, to, threading)? {
            Some(kernel) => Ok(kernel.run(&[("A", tensor)])?.tensor),
            None if tensor.vals().may_change() => tensor.with_own_values()?.to(to),
            None => tensor.to(to),
        }
    }
    /// The kernel that makes such tensors, if one kernel does.
    fn kernel(&self, tensor: &Tensor, to: &Format, threading: Threading) -> Result<Option<Arc<Kernel>>> {
        let wide = tensor.shape().iter().any(|&n| n > i32::MAX as usize);
        let few = tensor.slots() < threshold(SMALL, 1);
        let changed = to.fill.as_ref().and_then(|_| to.fill_value(tensor.dtype()));
        if wide || few || changed.is_some_and(|fill| !fill.same(tensor.fill())) {
            return Ok(None);
        }
        let to = &to.resolved(tensor.shape());
        let (from, fill) = (tensor.format(), tensor.fill());
        // A poisoned lock means another thread panicked between two complete operations.
        let held = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |m: &&Made| m.from == *from && m.to == *to && m.fill.same(fill);
        if let Some(made) = held().iter().find(same) {
            return Ok(made.kernel.clone());
        }
        let kernel = self.compiled(from, to, fill, threading)?.map(Arc::new);
        held().push(Made { from: from.clone(), to: to.clone(), fill, kernel: kernel.clone() });
        Ok(kernel)
    }
    fn compiled(
        &self,
        from: &Format,
        to: &Format,
        fill: Scalar,
        threading: Threading,
    ) -> Result<Option<Kernel>> {
        let start = Instant::now();
        let Compiler { backend, registry, .. } = &self.compiler;
        // A copy is built as it is: nothing else is cheaper.
        let planner = Planner::new(registry, f64::INFINITY);
        let statement = copying(from, to, fill);
        let stages = stoppable(|| Stages::of(&statement, &Schedule::new(), planner, &backend.target()));
        match stages {
            Ok(stages) if is_direct(&stages, from) => {
                Kernel::of(stages, self.compiler.clone(), Phase::Fused, threading, start).map(Some)
            }
            Err(stopped) if stopped.conflict().is_none() => Err(stopped),
            Ok(_) | Err(_) => Ok(None),
        }
    }
}

/// Whether kernels make the copy: one, or one into a plain format that another one makes the target of.
fn is_direct(stages: &Stages, from: &Format) -> bool {
    let between = &stages.plan.program.tensors[stages.result()].format;
    match &stages.steps[..] {
        [Step::Kernel] => true,
        [Step::Kernel, Step::Finish(_)] => !between.is_dense() && plainly(between) != plainly(from),
        _ => false,
    }
}

/// A part of a tensor, with index arrays of the widths that are wanted.
fn taken_out(given: &Tensor, part: &[Kept], format: &Format) -> Result<Tensor> {
    let format = format.clone().with_fill(given.fill().to_string());
    let made = select(given, part, &format)?;
    if same_layout(made.format(), &format) { Ok(made) } else { made.to(&format) }
}

/// The coordinates of each mode that a conversion takes; nothing where it takes all of them.
fn part(conversion: &Conversion, given: &Tensor) -> Result<Vec<Kept>> {
    let each = |(window, &size): (&Window, &usize)| {
        let Reach { start, step, count } = openwork_execute::reach(&conversion.source, window, size)?;
        Ok(Kept::Every { start, step: step as isize, count })
    };
    conversion.windows.iter().zip(given.shape()).map(each).collect()
}

/// The entries of a tensor whose coordinates agree in modes with the same number.
fn diagonal(conversion: &Conversion, given: &Tensor) -> Result<Tensor> {
    let coo = unpack(given)?;
    let modes = &conversion.modes;
    let coord = |mode: usize, e: usize| coo.coords(mode).get(e).as_i64();
    let first: Vec<usize> = (0..=modes.iter().copied().max().unwrap_or(0))
        .filter_map(|k| modes.iter().position(|&m| m == k))
        .collect();
    let on_diagonal = |e: &usize| (0..modes.len()).all(|m| coord(m, *e) == coord(first[modes[m]], *e));
    let kept: Vec<usize> = (0..coo.len()).filter(on_diagonal).collect();
    let shape: Vec<usize> = first.iter().map(|&m| coo.shape()[m]).collect();
    let take = |from: &Buffer| -> Result<Buffer> {
        let mut to = Buffer::zeros(from.dtype(), kept.len())?;
        kept.iter().enumerate().for_each(|(n, &e)| to.set(n, from.get(e)));
        Ok(to)
    };
    let coords = first.iter().map(|&m| take(coo.coords(m))).collect::<Result<Vec<_>>>()?;
    let diagonal =
        Coo::new(shape, coords, take(coo.vals())?).map_err(|e| Error::bug("diagonal", e.to_string(), ""))?;
    let format = conversion.format.clone().with_fill(given.fill().to_string());
    pack(&diagonal, &format, given.fill())
}
