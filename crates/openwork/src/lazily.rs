//! Kernels that are compiled when a run first needs them: those of the variants beside the plan's own kernel.

use crate::kernel::{Kernel, StepCode, StepPlace};
use crate::stages::Stages;
use crate::unit::KernelUnit;
use openwork_base::{Error, Result};
use openwork_index::TensorId;
use openwork_index::assume::Assumptions;
use openwork_index::check::Assignment;
use openwork_index::schedule::Schedule;
use openwork_lower::{LentValues, Phase};
use openwork_planner::{Planner, Step};
use std::time::Instant;

impl Kernel {
    /// The kernel of a step, on the operands of the plan.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn unit(&self, place: StepPlace) -> Result<&KernelUnit> {
        match self.get_or_make(place, || self.compile_unit(place))? {
            StepCode::Unit(unit) => Ok(unit),
            StepCode::Statement(_) | StepCode::Nothing => {
                Err(Error::bug("run", "the step has no kernel", ""))
            }
        }
    }
    /// The kernel of a step that computes the result in place, where there is one.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn unit_in_place(&self, place: StepPlace, operand: TensorId) -> Result<Option<&KernelUnit>> {
        let (registry, target) = (&self.compiler.registry, self.compiler.backend.target());
        let make = || {
            Ok(match self.stages.to_in_place(operand, registry, &target)? {
                Some(stages) => {
                    StepCode::Unit(Box::new(KernelUnit::compile(stages, Phase::Fused, &self.compiler)?))
                }
                None => StepCode::Nothing,
            })
        };
        Ok(match self.get_or_make(place, make)? {
            StepCode::Unit(unit) => Some(unit),
            StepCode::Statement(_) | StepCode::Nothing => None,
        })
    }
    /// The kernel of a step that is a statement of its own.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn statement(&self, place: StepPlace, relies: &Assumptions) -> Result<&Kernel> {
        match self.get_or_make(place, || self.compile_statement(place, relies))? {
            StepCode::Statement(kernel) => Ok(kernel),
            StepCode::Unit(_) | StepCode::Nothing => Err(Error::bug("run", "the step is no statement", "")),
        }
    }
    fn get_or_make(&self, place: StepPlace, make: impl FnOnce() -> Result<StepCode>) -> Result<&StepCode> {
        let cell = &self.variants[place.variant].units[place.step];
        if let Some(made) = cell.get() {
            return Ok(made);
        }
        let made = make()?;
        Ok(cell.get_or_init(|| made))
    }
    fn compile_unit(&self, place: StepPlace) -> Result<StepCode> {
        let (registry, target) = (&self.compiler.registry, self.compiler.backend.target());
        let (stages, phase) = match &self.stages.variants[place.variant].steps[place.step] {
            Step::Decide => (self.stages.to_deciding(self.phase, registry, &target)?, self.phase),
            Step::Lend(lender) => match lender.by {
                LentValues::Values => (self.stages.over_values(registry, &target)?, Phase::Fused),
                LentValues::Positions => (self.stages.to_lent(registry, &target)?, Phase::Lent),
            },
            _ => return Err(Error::bug("run", "the step has no kernel of its own", "")),
        };
        Ok(StepCode::Unit(Box::new(KernelUnit::compile(stages, phase, &self.compiler)?)))
    }
    fn compile_statement(&self, place: StepPlace, relies: &Assumptions) -> Result<StepCode> {
        let statement: Assignment = match self.stages.variants[place.variant].steps[place.step] {
            Step::Find(n) => relies.failure_statement(n),
            _ => relies.strict(),
        };
        let start = Instant::now();
        // Such operands are rare: the statement is built as it is.
        let planner = Planner::new(&self.compiler.registry, f64::INFINITY);
        let target = self.compiler.backend.target();
        let stages = Stages::from_assignment(&statement, &Schedule::new(), planner, &target)?;
        let compiler = self.compiler.clone();
        let mut kernel = Kernel::from_stages(stages, compiler, Phase::Fused, self.threading, start)?;
        kernel.asked = None;
        Ok(StepCode::Statement(Box::new(kernel)))
    }
}
