//! A run of a plan: its variants one after the other, until one has made the result.

use crate::convert::ConversionContext;
use crate::kernel::{Kernel, Outcome, StepPlace, Times, TriedVariant};
use crate::operands::Converting;
use crate::ran::{ConversionWay, Ran, StoredTensor};
use crate::unit::KernelUnit;
use openwork_base::{Error, Result};
use openwork_execute::{Arguments, Arrays, Extents, Spread, VariantRun, watch_for};
use openwork_format::{ArrayRole, Format};
use openwork_index::{TensorId, TensorKind};
use openwork_lower::{Binding, Lender, LentValues};
use openwork_planner::{Rearranged, Step, Variant};
use openwork_runtime::Watch;
use openwork_storage::{Buffer, Tensor, TensorView, add_marks, try_rearrange};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a variant made.
struct VariantResult {
    tensor: Tensor,
    /// In kernels.
    time: Duration,
    spread: Spread,
    /// How the result was stored differently, where that is all that was done.
    copied: Option<ConversionWay>,
}

/// The memory of an operand that is given away.
pub(crate) struct TakenMemory<'m> {
    pub(crate) operand: TensorId,
    /// It is there until a kernel has it.
    pub(crate) memory: &'m mut Option<Buffer>,
}

/// One thread that did it all.
const ALONE: Spread = Spread { threads: 1, chunks: 1 };

impl Kernel {
    /// The result for operands that the caller gives, if `check` agrees with its ranges.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn run_given(
        &self,
        given: &[(&str, &Tensor)],
        mut taken: Option<TakenMemory>,
        check: &dyn Fn(&Extents) -> Result<()>,
    ) -> Result<Outcome> {
        let start = Instant::now();
        self.check_positions(given)?;
        let failures = self.find_failures(given)?;
        // The one guard that is asked of operands as they are given, before any is stored differently.
        let mut first = self.variants_to_try();
        let first = first.find(|(_, variant, _)| failures.is_none() || !variant.has_value_guard());
        if let (Some((number, ..)), Some(failures)) = (first, &failures) {
            return self.run_strict(number, given, failures, start, check);
        }
        let ((number, made), converting) = self.with_operands(given, |operands, extents| {
            check(extents)?;
            self.run_first_admitted(operands, extents, &mut taken)
        })?;
        let variant = &self.stages.variants[number];
        let VariantResult { tensor, time: kernel, spread, copied } = made;
        let Converting { time: conversions, done } = converting;
        let ran = Ran { variant: number + 1, name: variant.name(), conversions: done, planned_for: None };
        let times = Times { conversions, kernel, total: Duration::ZERO };
        let mut outcome = Outcome { tensor, times, spread, ran };
        if let Some(how) = copied {
            outcome.times.conversions = start.elapsed();
            outcome.ran.conversions.push(self.stored_form(how));
        } else if let Some(format) = variant.steps.iter().find_map(Step::finish) {
            let finishing = Instant::now();
            let (tensor, how) = self.finish_result(outcome.tensor, format)?;
            outcome.tensor = tensor;
            outcome.ran.conversions.push(self.stored_form(how));
            outcome.times.conversions += finishing.elapsed();
        }
        outcome.times.total = start.elapsed();
        Ok(outcome)
    }
    /// How the result was stored differently.
    fn stored_form(&self, how: ConversionWay) -> StoredTensor {
        StoredTensor { tensor: self.stages.plan.program.tensors[self.stages.result()].name.clone(), how }
    }
    /// What a kernel made, in the format of the result.
    fn finish_result(&self, made: Tensor, format: &Format) -> Result<(Tensor, ConversionWay)> {
        let named = format.fill.as_ref().and_then(|_| format.fill_value(made.dtype()));
        let fill = named.unwrap_or(made.fill());
        match add_marks(made, format, fill)? {
            Ok(tensor) => Ok((tensor, ConversionWay::Rearranged(openwork_format::Rearrangement::Mark))),
            Err(made) => self.copies.copy_tensor(&made, format, &self.making()),
        }
    }
    fn making(&self) -> ConversionContext<'_> {
        ConversionContext { compiler: &self.compiler, threading: self.threading }
    }
    /// The variants from the one on that was asked for, with their places among all.
    fn variants_to_try(&self) -> impl Iterator<Item = (usize, &Variant, &TriedVariant)> {
        let all = self.stages.variants.iter().zip(&self.variants).enumerate();
        all.skip(self.asked.unwrap_or(0)).map(|(n, (variant, tried))| (n, variant, tried))
    }
    /// What the first variant makes whose guards hold, and whose result has nothing that it must not have; and its place.
    fn run_first_admitted(
        &self,
        operands: &BTreeMap<TensorId, &Tensor>,
        extents: &Extents,
        taken: &mut Option<TakenMemory>,
    ) -> Result<(usize, VariantResult)> {
        let mut rejected = Duration::ZERO;
        for (n, variant, tried) in self.variants_to_try() {
            let (program, taken_operand) = (&self.stages.plan.program, taken.as_ref().map(|t| t.operand));
            let run = VariantRun { program, operands, taken: taken_operand, asked: self.asked == Some(n) };
            if !tried.progress.admits(variant, &run)? {
                continue;
            }
            let begun = Instant::now();
            let arguments = Arguments { operands, extents, structure: None };
            if let Some(mut computed) = self.compute(n, variant, &arguments, taken)? {
                computed.time += if computed.copied.is_none() { rejected } else { Duration::ZERO };
                return Ok((n, computed));
            }
            rejected += begun.elapsed();
        }
        Err(Error::bug("run", "no variant of the plan computes the result", self.stages.loops_text()))
    }
    /// What a variant makes; nothing where its result is rejected, or storage has no way after all.
    fn compute(
        &self,
        n: usize,
        variant: &Variant,
        arguments: &Arguments,
        taken: &mut Option<TakenMemory>,
    ) -> Result<Option<VariantResult>> {
        for (step, what) in variant.steps.iter().enumerate() {
            let place = StepPlace { variant: n, step };
            match what {
                Step::Rearrange(way) => return rearrange(way, arguments.operands),
                Step::ReturnOperand(operand) => {
                    return self.convert(arguments.operands[operand], variant).map(Some);
                }
                Step::Lend(lender) => return self.lend(place, lender, arguments),
                Step::InPlace(operand) => return self.run_in_place(place, *operand, arguments, taken),
                Step::Kernel | Step::Piece(_) | Step::Decide => {
                    let Some(made) = self.run_kernels_watched(place, arguments)? else { return Ok(None) };
                    let tensor = self.job().tensor(made.buffers, arguments.extents)?;
                    return Ok(Some(VariantResult {
                        tensor,
                        time: made.time,
                        spread: made.spread,
                        copied: None,
                    }));
                }
                Step::Alias(_) | Step::Convert(_) | Step::Diagonal(_) | Step::Structure(_) => {}
                Step::Window(_) | Step::Find(_) | Step::Strict | Step::Finish(_) => {}
            }
        }
        Ok(None)
    }
    /// The result in the memory of an operand that is given away; nothing where no kernel computes it there.
    fn run_in_place(
        &self,
        place: StepPlace,
        operand: TensorId,
        arguments: &Arguments,
        taken: &mut Option<TakenMemory>,
    ) -> Result<Option<VariantResult>> {
        let Some(unit) = self.unit_in_place(place, operand)? else { return Ok(None) };
        let own = taken.take_if(|t| t.operand == operand);
        let Some(memory) = own.and_then(|t| t.memory.take()) else { return Ok(None) };
        let job = unit.job(self.threading);
        let made = job.run_in_place(arguments, memory)?;
        let tensor = job.tensor(made.buffers, arguments.extents)?;
        Ok(Some(VariantResult { tensor, time: made.time, spread: made.spread, copied: None }))
    }
    /// An operand in the format that a variant finishes with.
    fn convert(&self, operand: &Tensor, variant: &Variant) -> Result<VariantResult> {
        let format = variant.steps.iter().find_map(Step::finish).unwrap_or(operand.format());
        let (tensor, how) = self.copies.copy_tensor(operand, format, &self.making())?;
        Ok(VariantResult { tensor, time: Duration::ZERO, spread: ALONE, copied: Some(how) })
    }
    /// Runs kernels on checked operands: those of the first variant that computes arrays and is not rejected.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn arrays(&self, arguments: &Arguments) -> Result<Arrays> {
        let mut rejected = Duration::ZERO;
        for (n, variant, _) in self.variants_to_try() {
            let own = |step: &Step| matches!(step, Step::Kernel | Step::Piece(_) | Step::Decide);
            let Some(step) = variant.steps.iter().position(own) else { continue };
            let begun = Instant::now();
            if let Some(made) = self.run_kernels_watched(StepPlace { variant: n, step }, arguments)? {
                return Ok(Arrays { time: made.time + rejected, ..made });
            }
            rejected += begun.elapsed();
        }
        Err(Error::bug("run", "no variant of the plan computes arrays", self.stages.loops_text()))
    }
    /// The arrays that the kernels of a variant make; nothing where they are rejected.
    fn run_kernels_watched(&self, place: StepPlace, arguments: &Arguments) -> Result<Option<Arrays>> {
        let variant = &self.stages.variants[place.variant];
        let watch = watch_for(variant);
        let made = match variant.steps[place.step] {
            Step::Decide => {
                let unit = self.unit(place)?;
                unit.job(self.threading).run(arguments, watch.as_ref())?
            }
            _ => self.run_kernels(arguments, watch.as_ref())?,
        };
        Ok(if watch.is_some_and(|watch| watch.has_found()) { None } else { Some(made) })
    }
    /// Runs the kernels one after the other; what those before the last one make are operands of later ones.
    fn run_kernels(&self, arguments: &Arguments, watch: Option<&Watch>) -> Result<Arrays> {
        if self.stages.parts.is_empty() {
            return self.job().run(arguments, watch);
        }
        let mut temporaries: Vec<(TensorId, Tensor)> = Vec::new();
        let mut time = Duration::ZERO;
        for (job, part) in self.jobs().zip(&self.stages.parts) {
            let made = temporaries.iter().map(|(id, t)| (*id, t));
            let operands = arguments.operands.iter().map(|(id, t)| (*id, *t)).chain(made).collect();
            let arrays = job.run(&Arguments { operands: &operands, ..*arguments }, watch)?;
            time += arrays.time;
            match part.temporary {
                Some(temp) => temporaries.push((temp, job.tensor(arrays.buffers, arguments.extents)?)),
                None => {
                    for (job, (_, temporary)) in self.jobs().zip(temporaries) {
                        job.shelve_tensor(temporary);
                    }
                    return Ok(Arrays { time, ..arrays });
                }
            }
        }
        Err(Error::bug("run", "no kernel makes the result", self.stages.loops_text()))
    }

    /// The result over the index arrays of an operand that lends its structure; nothing where a value is rejected.
    fn lend(
        &self,
        place: StepPlace,
        lender: &Lender,
        arguments: &Arguments,
    ) -> Result<Option<VariantResult>> {
        let variant = &self.stages.variants[place.variant];
        let watch = watch_for(variant);
        let unit = self.unit(place)?;
        let start = Instant::now();
        let (values, spread) = match lender.by {
            LentValues::Values => self.over_values(unit, lender, arguments, watch.as_ref())?,
            LentValues::Positions => self.over_positions(unit, lender, arguments, watch.as_ref())?,
        };
        if watch.is_some_and(|watch| watch.has_found()) {
            self.variants[place.variant].progress.reject();
            return Ok(None);
        }
        let result = &self.stages.plan.program.tensors[self.stages.result()];
        let width = |role| result.format.width(role);
        let (pos, crd) = (width(ArrayRole::Pos), width(ArrayRole::Crd));
        let operand = &arguments.operands[&lender.operand];
        let tensor = operand.with_values_in(pos, crd, values, result.fill)?;
        let time = start.elapsed();
        Ok(tensor.map(|tensor| VariantResult { tensor, time, spread, copied: None }))
    }
    /// The values of the result, made of those of the operand and of scalars.
    fn over_values(
        &self,
        unit: &KernelUnit,
        lender: &Lender,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<(Buffer, Spread)> {
        let job = unit.job(self.threading);
        let lenders = lender.others.iter().chain([&lender.operand]);
        let views: BTreeMap<TensorId, TensorView> = lenders
            .map(|id| Ok((*id, TensorView::values_of(arguments.operands[id])?)))
            .collect::<Result<_>>()?;
        let reads = |name: &str| {
            job.program.tensors.iter().any(|(_, t)| t.kind == TensorKind::Operand && t.given == name)
        };
        let name = |id: TensorId| openwork_execute::given_name(&self.stages.plan.program, id);
        // An operand that is read as a whole and in part is there twice.
        let viewed = |id: TensorId| views.contains_key(&id) || !views.keys().any(|v| name(*v) == name(id));
        let given: Vec<(&str, &Tensor)> = (arguments.operands.iter())
            .filter(|(id, _)| reads(name(**id)) && viewed(**id))
            .map(|(id, t)| (name(*id), views.get(id).map_or(*t, |view| &**view)))
            .collect();
        let operands = openwork_execute::operands(job.program, job.code.signature(), &given)?;
        let extents = openwork_execute::extents(job.program, job.code.signature(), &operands)?;
        job.check(&operands, &extents)?;
        let made = job.run(&Arguments { operands: &operands, extents: &extents, structure: None }, watch)?;
        Ok((values_of(made.buffers, unit)?, made.spread))
    }
    /// The values of the result at the operand's positions.
    fn over_positions(
        &self,
        unit: &KernelUnit,
        lender: &Lender,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<(Buffer, Spread)> {
        let structure = Some(arguments.operands[&lender.operand]);
        let made = unit.job(self.threading).run(&Arguments { structure, ..*arguments }, watch)?;
        Ok((values_of(made.buffers, unit)?, made.spread))
    }
}

/// The values among the arrays of a result.
fn values_of(buffers: Vec<(Binding, Buffer)>, unit: &KernelUnit) -> Result<Buffer> {
    let values = buffers.into_iter().find(|(b, _)| matches!(b, Binding::Values { .. }));
    let bug = || Error::bug("run", "no values were computed", unit.loops_text());
    values.map(|(_, values)| values).ok_or_else(bug)
}

/// What storage makes of an operand; nothing where sizes or widths are in its way.
fn rearrange(way: &Rearranged, operands: &BTreeMap<TensorId, &Tensor>) -> Result<Option<VariantResult>> {
    let operand = operands[&way.operand];
    let Some(made) = try_rearrange(operand, &way.own, operand.fill())? else { return Ok(None) };
    let tensor = if way.modes.is_sorted() { made } else { rename_modes(made, &way.modes, &way.format)? };
    let copied = Some(ConversionWay::Rearranged(way.way));
    Ok(Some(VariantResult { tensor, time: Duration::ZERO, spread: ALONE, copied }))
}

/// A dense tensor whose modes are those of another one with these numbers.
fn rename_modes(tensor: Tensor, modes: &[usize], format: &Format) -> Result<Tensor> {
    let p = tensor.into_parts();
    let shape = modes.iter().map(|&m| p.shape[m]).collect();
    Tensor::new_checked(shape, format.clone(), p.fill, p.levels, p.vals)
}
