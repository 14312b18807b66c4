//! The operands of a run: those that the caller gives, stored as the kernel wants them.

use crate::convert::{ConversionContext, KernelOperand};
use crate::kernel::Kernel;
use crate::ran::StoredTensor;
use crate::unread;
use openwork_base::Result;
use openwork_execute::Extents;
use openwork_index::TensorId;
use openwork_index::cin::AssemblyMode;
use openwork_planner::Step;
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What was done to store operands differently.
#[derive(Debug, Default)]
pub(crate) struct Converting {
    /// How long it took; nothing where all of it was kept from earlier runs.
    pub(crate) time: Duration,
    /// How each was made.
    pub(crate) done: Vec<StoredTensor>,
}

impl Kernel {
    /// Calls `f` with the operands as the kernel wants them, checked, and the ranges of index variables. Also gives what was
    /// done to store operands differently.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn with_operands<T>(
        &self,
        given: &[(&str, &Tensor)],
        f: impl FnOnce(&BTreeMap<TensorId, &Tensor>, &Extents) -> Result<T>,
    ) -> Result<(T, Converting)> {
        unread::refuse_repeated(given)?;
        unread::all_are_read(&self.stages, given.iter().map(|(name, _)| *name))?;
        // Most runs take their operands as they are given.
        let plain = matches!(self.stages.steps[..], [Step::Kernel] | [Step::Kernel, Step::Finish(_)]);
        if plain && !given.iter().any(|(_, t)| self.must_not_change(t)) {
            return Ok((self.call_with_operands(given, f)?, Converting::default()));
        }
        let start = Instant::now();
        let mut own: Vec<(&str, Tensor)> = Vec::new();
        for (name, tensor) in given.iter().filter(|(_, t)| self.must_not_change(t)) {
            own.push((name, tensor.with_own_values()?));
        }
        let mut given: Vec<(&str, &Tensor)> = given.to_vec();
        for (name, tensor) in &mut given {
            if let Some((_, copy)) = own.iter().find(|(n, _)| n == name) {
                *tensor = copy;
            }
        }
        let mut done = Vec::new();
        let making = ConversionContext { compiler: &self.compiler, threading: self.threading };
        let mut nothing = own.is_empty();
        let mut converted: Vec<(&str, KernelOperand)> = Vec::new();
        for step in &self.stages.steps {
            let (c, alias) = match step {
                Step::Alias(c) => (c, true),
                Step::Convert(c) | Step::Diagonal(c) | Step::Window(c) => (c, false),
                Step::Structure(c) => {
                    let from = given.iter().find(|(n, _)| *n == c.source);
                    let made = from.map(|(_, t)| t.structure()).transpose()?;
                    converted.extend(made.map(|made| (c.made.as_str(), KernelOperand::Made(made))));
                    nothing = false;
                    continue;
                }
                _ => continue,
            };
            let before = converted.iter().rev().find(|(n, _)| *n == c.source).map(|(_, made)| made);
            let from = given.iter().find(|(n, _)| *n == c.source).map(|(_, t)| *t);
            let operand = match (before, from) {
                (Some(made), _) if alias => made.clone(),
                (None, Some(given)) if alias => KernelOperand::Given(given),
                (None, None) => continue,
                (made, given) => {
                    let Some(source) = made.map(KernelOperand::tensor).or(given) else { continue };
                    let (operand, how) = self.copies.operand(c, source, &making)?;
                    done.push(StoredTensor { tensor: c.source.clone(), how });
                    operand
                }
            };
            nothing &= !matches!(operand, KernelOperand::Made(_));
            converted.push((&c.made, operand));
        }
        let time = if nothing { Duration::ZERO } else { start.elapsed() };
        // What was made last of a name is what the kernel reads.
        let mut all: Vec<(&str, &Tensor)> = converted.iter().rev().map(|(n, t)| (*n, t.tensor())).collect();
        all.extend(given.iter().filter(|(n, _)| !converted.iter().any(|(c, _)| c == n)));
        Ok((self.call_with_operands(&all, f)?, Converting { time, done }))
    }
    /// Calls `f` with operands that are stored as the kernel wants them, once they are checked.
    fn call_with_operands<T>(
        &self,
        given: &[(&str, &Tensor)],
        f: impl FnOnce(&BTreeMap<TensorId, &Tensor>, &Extents) -> Result<T>,
    ) -> Result<T> {
        let program = &self.stages.plan.program;
        let operands = openwork_execute::operands(program, &self.signature, given)?;
        let extents = openwork_execute::extents(program, &self.signature, &operands)?;
        self.jobs().try_for_each(|job| job.check(&operands, &extents))?;
        f(&operands, &extents)
    }

    /// Whether values that someone else may write to would have to stay the same during a run: where they decide what is
    /// stored, and elements are counted before they are placed. What conversions make is of one moment by itself.
    fn must_not_change(&self, t: &Tensor) -> bool {
        let twice = self.stages.plan.program.assembly != AssemblyMode::InOrder;
        twice && t.vals().may_change() && (t.format().has_padding() || t.format().is_full())
    }
}
