//! The guards of a plan's variants: whether one may run, by the operands and by what runs did before.

use crate::bounds;
use crate::look::operand_has_any_against;
use openwork_base::{Arena, Result};
use openwork_index::assume::{Assumptions, Check};
use openwork_index::{Program, TensorId, TensorVar};
use openwork_planner::{Guard, Unless, Variant};
use openwork_runtime::Watch;
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What runs of one kernel have seen of a variant.
#[derive(Debug, Default)]
pub struct VariantProgress {
    /// How many elements they visited.
    visited: AtomicUsize,
    /// Whether a result of it had something that it must not have.
    rejected: AtomicBool,
}

/// A run that looks for its variant.
pub struct VariantRun<'a> {
    /// The program of the plan.
    pub program: &'a Program,
    /// The operands, stored as its kernel wants them.
    pub operands: &'a BTreeMap<TensorId, &'a Tensor>,
    /// The operand that is given away.
    pub taken: Option<TensorId>,
    /// Whether the variant was asked for: it runs whether or not it is faster.
    pub asked: bool,
}

impl VariantProgress {
    /// Whether a variant may run on operands where what the statement relies on holds.
    ///
    /// # Errors
    /// `E0606` when it was asked to stop.
    pub fn admits(&self, variant: &Variant, run: &VariantRun) -> Result<bool> {
        for guard in variant.guards.iter().filter(|guard| !(run.asked && guard.is_about_speed())) {
            if !self.holds(guard, run)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// Notes that a result had something that it must not have.
    pub fn reject(&self) {
        self.rejected.store(true, Ordering::Relaxed);
    }
    /// Whether a result had something that it must not have.
    pub fn is_rejected(&self) -> bool {
        self.rejected.load(Ordering::Relaxed)
    }
    fn holds(&self, guard: &Guard, run: &VariantRun) -> Result<bool> {
        let operands = run.operands;
        Ok(match guard {
            // Asked of operands as they are given, before this.
            Guard::Values => true,
            Guard::Slots { operand, least } => operands[operand].slots() >= *least,
            Guard::SameStructure { operand, others } => {
                others.iter().all(|other| operands[operand].stores_as(operands[other]))
            }
            Guard::Visited { operand, least } => {
                let before = self.visited.load(Ordering::Relaxed);
                let all = before.saturating_add(operands[operand].slots());
                if before < *least {
                    self.visited.store(all, Ordering::Relaxed);
                }
                all >= *least
            }
            Guard::NeverRejected => !self.is_rejected(),
            Guard::Taken(operand) => run.taken == Some(*operand),
            Guard::Checked(checks) => {
                let given = |id: TensorId| operands.get(&id).copied();
                for check in checks {
                    if may_fail_check(check, &run.program.tensors, &given)? {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }
}

/// What looks for values that must not be in the result of a variant; nothing where all may.
pub fn watch_for(variant: &Variant) -> Option<Watch> {
    let value = variant.unless.iter().find_map(|unless| match unless {
        Unless::Value(value) => Some(*value),
        Unless::Nan => None,
    });
    match (value, variant.rejects_nan()) {
        (Some(value), nan) => Some(Watch::for_value(value, nan)),
        (None, true) => Some(Watch::new()),
        (None, false) => None,
    }
}

/// Whether what a statement relies on holds of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relied {
    /// It holds everywhere.
    Holds,
    /// Some value of an operand is against it.
    Fails,
    /// Only the values of the expression in it tell, which are made in a run.
    Unknown,
}

/// Whether what a statement relies on holds of operands, as far as a look at each of them tells.
///
/// # Errors
/// `E0606` when it was asked to stop.
pub fn relied_on(relies: &Assumptions, given: &[(&str, &Tensor)]) -> Result<Relied> {
    let tensors = &relies.assignment.tensors;
    let mut found = Relied::Holds;
    for check in relies.checks.iter().filter_map(|check| failing_check(relies, check, given).transpose()) {
        match check?.operand(tensors) {
            Some(_) => return Ok(Relied::Fails),
            None => found = Relied::Unknown,
        }
    }
    Ok(found)
}

/// Whether some value may not be what a statement relies on: a look at the operands does not tell that it is.
///
/// # Errors
/// `E0606` when it was asked to stop.
pub fn may_fail(relies: &Assumptions, given: &[(&str, &Tensor)]) -> Result<bool> {
    for check in &relies.checks {
        if failing_check(relies, check, given)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The check itself where a look at the operands does not tell that it holds.
fn failing_check<'c>(
    relies: &Assumptions,
    check: &'c Check,
    given: &[(&str, &Tensor)],
) -> Result<Option<&'c Check>> {
    let tensors = &relies.assignment.tensors;
    let named = |t: TensorId| {
        let name = &tensors[t].given;
        given.iter().find(|(n, _)| n == name).map(|(_, t)| *t)
    };
    Ok(may_fail_check(check, tensors, &named)?.then_some(check))
}

/// Whether a look at the operands does not tell that a check holds.
fn may_fail_check<'t>(
    check: &Check,
    tensors: &Arena<TensorId, TensorVar>,
    given: &dyn Fn(TensorId) -> Option<&'t Tensor>,
) -> Result<bool> {
    match check.operand(tensors).and_then(given) {
        Some(operand) => operand_has_any_against(check.assumes, operand),
        None => Ok(!bounds::holds(check, tensors, given)?),
    }
}
