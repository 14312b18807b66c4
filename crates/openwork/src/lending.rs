//! Results whose structure an operand lends ([`openwork_lower::Lender`]): `2 * A`, `abs(A)`, `A * x`, sampled products, and
//! `A + B` where both store the same elements.
//!
//! The kernel of the statement appends coordinates and values one by one. Another kernel writes nothing but values, in the
//! places of the operand's, and the result shares the operand's index arrays, which nobody writes to: it is one over vectors of
//! values, or knows the operand's positions ([`By`]). It is compiled once runs have done enough for it to pay.
//!
//! Where the statement's kernel would leave out values that are the fill value, or an annihilator would have to decide beside
//! NaN, the values are looked through, and the statement's own kernel computes such results, from then on alone: both ways
//! store the same elements.

use crate::kernel::{Compiler, Kernel};
use crate::unread;
use openwork_base::machine::threshold;
use openwork_base::{Error, Result};
use openwork_execute::{Arguments, Spread};
use openwork_format::ArrayRole;
use openwork_index::TensorId;
use openwork_loops::Kernel as Loops;
use openwork_lower::{Binding, By, Lender, Phase};
use openwork_runtime::Watch;
use openwork_storage::{Buffer, Tensor, TensorView};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Elements below which the statement's own kernel is as fast.
const FEW: usize = 512;
/// Elements that runs must have visited before the other kernel is compiled: that takes half a millisecond, and saves some
/// two nanoseconds for each.
const WORTH: usize = 1 << 18;

/// The kernel that computes nothing but values, compiled when it pays.
pub(crate) struct Lending {
    compiler: Compiler,
    lender: Lender,
    kernel: OnceLock<Box<Kernel>>,
    /// How many elements runs have visited.
    visited: AtomicUsize,
    /// Whether a result did not store all that the operand does.
    differed: AtomicBool,
    /// Whether the two kernels may give other last bits: functions of vectors are not those of scalars. Then what was run
    /// before decides nothing, as equal operands have equal results.
    apart: bool,
}

/// What the kernel made.
pub(crate) struct Filled {
    pub(crate) tensor: Tensor,
    pub(crate) time: Duration,
    pub(crate) spread: Spread,
}

impl Lending {
    /// For the kernel whose loops these are.
    pub(crate) fn new(lender: Lender, compiler: Compiler, loops: &Loops) -> Lending {
        let (kernel, visited, differed) = (OnceLock::new(), AtomicUsize::new(0), AtomicBool::new(false));
        let apart = compiler.backend.target().wide.is_some_and(|wide| wide.functions.any_of(loops));
        Lending { compiler, lender, kernel, visited, differed, apart }
    }
    /// The same, with its kernel to be compiled anew: as it is to run otherwise.
    pub(crate) fn afresh(self) -> Lending {
        let (kernel, visited, differed) = (OnceLock::new(), AtomicUsize::new(0), AtomicBool::new(false));
        Lending { kernel, visited, differed, ..self }
    }

    /// The result of the statement of `plain` over the operand's index arrays; nothing where its own kernel has to compute it.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn run(&self, plain: &Kernel, arguments: &Arguments) -> Result<Option<Filled>> {
        let operand = arguments.operands[&self.lender.operand];
        let same = |other: &TensorId| operand.stores_as(arguments.operands[other]);
        // Tests that ask for chunks compare them with the kernel's own.
        let forced = plain.threading.chunks.is_some();
        let elements = operand.slots();
        if self.differed.load(Ordering::Relaxed)
            || !(forced || self.apart || elements >= threshold(FEW, 1))
            || !self.lender.others.iter().all(same)
            || !(forced || self.apart || self.pays(elements))
        {
            return Ok(None);
        }
        let result = &plain.stages.plan.program.tensors[plain.stages.result()];
        // The kernel over vectors decides for itself beside NaN.
        let doubtful = plain.deciding.is_some() && self.lender.by == By::Positions;
        let watch = match (self.lender.drops, doubtful) {
            (true, doubtful) => Some(Watch::for_value(result.fill, doubtful)),
            (false, true) => Some(Watch::new()),
            (false, false) => None,
        };
        let start = Instant::now();
        let (values, spread) = match self.lender.by {
            By::Values => self.over_values(plain, arguments, watch.as_ref())?,
            By::Positions => self.over_positions(plain, operand, arguments, watch.as_ref())?,
        };
        if watch.is_some_and(|watch| watch.found()) {
            self.differed.store(!self.apart, Ordering::Relaxed);
            return Ok(None);
        }
        let width = |role| result.format.width(role);
        let widths = (width(ArrayRole::Pos), width(ArrayRole::Crd));
        let tensor = operand.with_values_in(widths, values, result.fill)?;
        Ok(tensor.map(|tensor| Filled { tensor, time: start.elapsed(), spread }))
    }
    /// The values of the result, made of those of the operand and of scalars.
    fn over_values(
        &self,
        plain: &Kernel,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<(Buffer, Spread)> {
        let kernel = self.kernel(plain)?;
        let lenders = self.lender.others.iter().chain([&self.lender.operand]);
        let views: BTreeMap<TensorId, TensorView> = lenders
            .map(|id| Ok((*id, TensorView::values_of(arguments.operands[id])?)))
            .collect::<Result<_>>()?;
        let all = arguments.operands.iter().map(|(id, t)| {
            let values = views.get(id).map_or(*t, |view| &**view);
            (openwork_execute::given_name(&plain.stages.plan.program, *id), values)
        });
        // What a conversion made of an operand is read in its place.
        let given: Vec<(&str, &Tensor)> =
            all.filter(|(name, _)| unread::is_read(&kernel.stages, name)).collect();
        let outcome = kernel.run(&given)?;
        watch.map_or(Ok(()), |watch| watch.over(outcome.tensor.vals()))?;
        Ok((outcome.tensor.into_parts().vals, outcome.spread))
    }
    /// The values of the result at the operand's positions.
    fn over_positions(
        &self,
        plain: &Kernel,
        operand: &Tensor,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<(Buffer, Spread)> {
        let kernel = self.kernel(plain)?;
        let made = kernel.job().run(&Arguments { structure: Some(operand), ..*arguments }, watch)?;
        let values = made.buffers.into_iter().find(|(b, _)| matches!(b, Binding::Values { .. }));
        match values {
            Some((_, values)) => Ok((values, made.spread)),
            None => Err(Error::bug("run", "no values were computed", kernel.stages.loops_text())),
        }
    }
    /// Whether the kernel is there, or worth its while, for a run over so many elements.
    fn pays(&self, elements: usize) -> bool {
        // On a tiny machine from the second run on: the first one shows that both have the same bits.
        let visited = || self.visited.fetch_add(elements, Ordering::Relaxed);
        self.kernel.get().is_some() || visited().saturating_add(elements) >= threshold(WORTH, elements + 1)
    }
    /// Keeps the memory of values that were computed here; gives back what was not.
    pub(crate) fn recycle(&self, result: Tensor) -> Option<Tensor> {
        let Some(kernel) = self.kernel.get() else { return Some(result) };
        kernel.job().keep_values(result.into_parts().vals);
        None
    }
    fn kernel(&self, plain: &Kernel) -> Result<&Kernel> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let start = Instant::now();
        let Compiler { backend, registry, .. } = &self.compiler;
        let (stages, phase) = match self.lender.by {
            By::Values => (plain.stages.over_values(registry, &backend.target())?, Phase::Fused),
            By::Positions => (plain.stages.lent(registry, &backend.target())?, Phase::Lent),
        };
        let kernel = Kernel::of(stages, self.compiler.clone(), phase, plain.threading, start)?;
        Ok(self.kernel.get_or_init(|| Box::new(kernel)))
    }
}
