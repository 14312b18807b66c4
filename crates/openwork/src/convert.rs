//! The steps around a kernel: operands stored differently before it, the result after it.
//!
//! Storing a tensor differently is a statement that copies, `B(i,j) = A(i,j)`, so a kernel of its own does it where one kernel
//! can; storage unpacks and packs the rest, and small tensors, for which that takes less time than compiling. What became of
//! an operand stays with it from the second time on ([`Tensor::stored_as`]).

use crate::compiler::Compiler;
use crate::ext::TensorExt;
use crate::ran::ConversionWay;
use crate::stages::Stages;
use openwork_algebra::Scalar;
use openwork_base::cancel::stoppable;
use openwork_base::{Error, Result};
use openwork_execute::{Threading, same_layout};
use openwork_format::{Format, Rearrangement};
use openwork_index::check::Assignment;
use openwork_index::schedule::Schedule;
use openwork_index::window::{Reach, Window};
use openwork_planner::{Conversion, Planner, Step, copy_statement, plain_format, slots_to_copy};
use openwork_storage::{Buffer, Coo, KeptCoords, Tensor, pack, select, try_rearrange, unpack};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A kernel that makes a copy of a tensor in another format.
pub(crate) trait Copier: Sized {
    /// Compiles it.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    fn compile(stages: Stages, compiler: &Compiler, threading: Threading, start: Instant) -> Result<Self>;
    /// Runs it on the tensor, which it calls `A`.
    ///
    /// # Errors
    /// `E0603` when the copy does not fit in memory, `E0606` when it was asked to stop.
    fn copy(&self, tensor: &Tensor) -> Result<Tensor>;
}

/// What makes the conversions of a kernel: with other kernels, of type `K`.
pub(crate) struct Conversions<K> {
    made: Mutex<Vec<MadeCopy<K>>>,
}

/// A copy between two formats that was asked for, and its kernel where one can make it.
struct MadeCopy<K> {
    from: Format,
    to: Format,
    fill: Scalar,
    kernel: Option<Arc<K>>,
}

/// An operand as a kernel wants it.
#[derive(Clone)]
pub(crate) enum KernelOperand<'t> {
    /// What the caller gave.
    Given(&'t Tensor),
    /// Made of it in an earlier run.
    Kept(Arc<Tensor>),
    /// Made of it.
    Made(Arc<Tensor>),
}

impl KernelOperand<'_> {
    pub(crate) fn tensor(&self) -> &Tensor {
        match self {
            KernelOperand::Given(tensor) => tensor,
            KernelOperand::Kept(tensor) | KernelOperand::Made(tensor) => tensor,
        }
    }
}

impl<K> Default for Conversions<K> {
    fn default() -> Conversions<K> {
        Conversions { made: Mutex::default() }
    }
}

/// What conversions are made with, and how their runs are spread over threads.
pub(crate) struct ConversionContext<'a> {
    pub(crate) compiler: &'a Compiler,
    pub(crate) threading: Threading,
}

impl<K: Copier> Conversions<K> {
    /// An operand as a kernel wants it, stored differently than what the caller gives, and how that was done.
    ///
    /// # Errors
    /// `E0602` to `E0604` of packing, `E0606` when it was asked to stop.
    pub(crate) fn operand(
        &self,
        conversion: &Conversion,
        given: &Tensor,
        making: &ConversionContext,
    ) -> Result<(KernelOperand<'static>, ConversionWay)> {
        let mut how = ConversionWay::Kept;
        let part = part(conversion, given)?;
        let tensor = given.stored_as(&part, &conversion.modes, &conversion.format, |given| {
            if !part.is_empty() {
                how = ConversionWay::TakenOut;
                return taken_out(given, &part, &conversion.format);
            }
            if conversion.takes_diagonal() {
                how = ConversionWay::TakenOut;
                return diagonal(conversion, given);
            }
            let (made, done) = self.copy_tensor(given, &conversion.format, making)?;
            how = done;
            Ok(made)
        })?;
        Ok((
            if how == ConversionWay::Kept {
                KernelOperand::Kept(tensor)
            } else {
                KernelOperand::Made(tensor)
            },
            how,
        ))
    }
    /// A tensor in another format, and how it was made: by storage where it has a way, by a kernel where there are elements
    /// enough and one makes it, unpacked and packed else.
    ///
    /// # Errors
    /// As [`Conversions::operand`].
    pub(crate) fn copy_tensor(
        &self,
        tensor: &Tensor,
        to: &Format,
        making: &ConversionContext,
    ) -> Result<(Tensor, ConversionWay)> {
        let fill = to.fill.as_ref().and_then(|_| to.fill_value(tensor.dtype())).unwrap_or(tensor.fill());
        if let Some(way) = Rearrangement::find(tensor.format(), to)
            && let Some(made) = try_rearrange(tensor, to, fill)?
        {
            return Ok((made, ConversionWay::Rearranged(way)));
        }
        match self.kernel(tensor, to, making)? {
            Some(kernel) => Ok((kernel.copy(tensor)?, ConversionWay::Copied)),
            None if tensor.vals().may_change() => {
                Ok((tensor.with_own_values()?.to_format(to)?, ConversionWay::Packed))
            }
            None => Ok((tensor.to_format(to)?, ConversionWay::Packed)),
        }
    }
    /// The kernel that makes such tensors, if one kernel does.
    fn kernel(&self, tensor: &Tensor, to: &Format, making: &ConversionContext) -> Result<Option<Arc<K>>> {
        let wide = tensor.shape().iter().any(|&n| n > i32::MAX as usize);
        let few = tensor.slots() < slots_to_copy();
        let changed = to.fill.as_ref().and_then(|_| to.fill_value(tensor.dtype()));
        if wide || few || changed.is_some_and(|fill| !fill.is_same(tensor.fill())) {
            return Ok(None);
        }
        let to = &to.resolve(tensor.shape());
        let (from, fill) = (tensor.format(), tensor.fill());
        // A poisoned lock means another thread panicked between two complete operations.
        let held = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |m: &&MadeCopy<K>| m.from == *from && m.to == *to && m.fill.is_same(fill);
        if let Some(made) = held().iter().find(same) {
            return Ok(made.kernel.clone());
        }
        let kernel = compile_copy(&copy_statement(from, to, fill), from, making)?.map(Arc::new);
        held().push(MadeCopy { from: from.clone(), to: to.clone(), fill, kernel: kernel.clone() });
        Ok(kernel)
    }
}

/// The kernel of a statement that copies a tensor of this format, if one kernel does.
fn compile_copy<K: Copier>(
    statement: &Assignment,
    from: &Format,
    making: &ConversionContext,
) -> Result<Option<K>> {
    let start = Instant::now();
    let Compiler { backend, registry, .. } = making.compiler;
    // A copy is built as it is: nothing else is cheaper.
    let planner = Planner::new(registry, f64::INFINITY);
    match stoppable(|| Stages::from_assignment(statement, &Schedule::new(), planner, &backend.target())) {
        Ok(stages) if is_direct(&stages, from) => {
            K::compile(stages, making.compiler, making.threading, start).map(Some)
        }
        Err(stopped) if stopped.conflict().is_none() => Err(stopped),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Whether kernels make the copy: one, or one into a plain format that another one makes the target of.
fn is_direct(stages: &Stages, from: &Format) -> bool {
    let between = &stages.plan.program.tensors[stages.result()].format;
    match &stages.steps[..] {
        [Step::Kernel] => true,
        [Step::Kernel, Step::Finish(_)] => !between.is_dense() && plain_format(between) != plain_format(from),
        _ => false,
    }
}

/// A part of a tensor, with index arrays of the widths that are wanted.
fn taken_out(given: &Tensor, part: &[KeptCoords], format: &Format) -> Result<Tensor> {
    let format = format.clone().with_fill(given.fill().to_string());
    let made = select(given, part, &format)?;
    if same_layout(made.format(), &format) { Ok(made) } else { made.to_format(&format) }
}

/// The coordinates of each mode that a conversion takes; nothing where it takes all of them.
fn part(conversion: &Conversion, given: &Tensor) -> Result<Vec<KeptCoords>> {
    let each = |(window, &size): (&Window, &usize)| {
        let Reach { start, step, count } = openwork_execute::reach(&conversion.source, window, size)?;
        Ok(KeptCoords::Every { start, step: step as isize, count })
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
