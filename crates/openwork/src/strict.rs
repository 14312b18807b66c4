//! Operands that are not what a kernel relies on.
//!
//! A kernel for `A(i,j) / d(i)` visits what `A` stores, which is right as long as `d` is neither 0 nor NaN anywhere
//! ([`openwork_index::assume`]). Every run looks at the operands first, unless the answer is known
//! ([`Tensor::has_any_against`]); where an operand has other values, the last variant of the plan finds their coordinates,
//! and visits them as well. Both depend on the operands alone, so a result does too.

use crate::kernel::{Kernel, Outcome, StepPlace};
use crate::ran::Ran;
use openwork_base::{Error, Result};
use openwork_execute::{Extents, may_fail};
use openwork_index::assume::Assumptions;
use openwork_planner::Step;
use openwork_storage::Tensor;
use std::time::Instant;

impl Kernel {
    /// Where what the statement relies on fails, a tensor for each check, if it does anywhere, or the variant that visits these
    /// coordinates was asked for.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn find_failures(&self, given: &[(&str, &Tensor)]) -> Result<Option<Vec<Tensor>>> {
        let Some(relies) = &self.stages.relies else { return Ok(None) };
        let strict = self.stages.variants.iter().position(|v| v.steps.contains(&Step::Strict));
        let Some(strict) = strict else { return Ok(None) };
        let asked = self.asked == Some(strict);
        if !asked && !may_fail(relies, given)? {
            return Ok(None);
        }
        let mut marks: Vec<Tensor> = Vec::new();
        for (step, what) in self.stages.variants[strict].steps.iter().enumerate() {
            if let Step::Find(_) = what {
                let kernel = self.statement(StepPlace { variant: strict, step }, relies)?;
                marks.push(kernel.run(&with_marks(relies, given, &marks))?.tensor);
            }
        }
        let set = |t: &Tensor| t.vals().as_slice::<bool>().is_some_and(|marks| marks.contains(&true));
        Ok((asked || marks.iter().any(set)).then_some(marks))
    }
    /// The result of the variant with this place for operands of which `marks` are the coordinates to be visited as well, if `check`
    /// agrees with its ranges; the run began at `start`.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn run_strict(
        &self,
        place: usize,
        given: &[(&str, &Tensor)],
        marks: &[Tensor],
        start: Instant,
        check: &dyn Fn(&Extents) -> Result<()>,
    ) -> Result<Outcome> {
        let variant = &self.stages.variants[place];
        let (Some(relies), Some(step)) =
            (&self.stages.relies, variant.steps.iter().position(|s| *s == Step::Strict))
        else {
            return Err(Error::bug("run", "the statement relies on nothing", ""));
        };
        let kernel = self.statement(StepPlace { variant: place, step }, relies)?;
        let before = start.elapsed();
        let mut outcome = kernel.run_checked(&with_marks(relies, given, marks), check)?;
        outcome.times.kernel += before;
        outcome.times.total += before;
        outcome.ran = Ran { variant: place + 1, name: variant.name(), ..outcome.ran };
        Ok(outcome)
    }
}

/// The operands with those that say where checks fail.
fn with_marks<'a>(
    relies: &'a Assumptions,
    given: &[(&'a str, &'a Tensor)],
    marks: &'a [Tensor],
) -> Vec<(&'a str, &'a Tensor)> {
    let marks = relies.names.iter().map(String::as_str).zip(marks);
    given.iter().copied().chain(marks).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Kernel, compile_for};
    use openwork_algebra::{DType, Scalar};
    use openwork_execute::look::LOOKS;
    use openwork_format::presets;
    use openwork_storage::{Coo, Tensor, pack};

    /// A path of five steps by columns, and one place on it.
    fn path() -> openwork_base::Result<(Tensor, Tensor)> {
        let steps: Vec<_> = (0..5).map(|j| (vec![j + 1, j], Scalar::F64(1.0))).collect();
        let far = Scalar::F64(f64::INFINITY);
        let a = pack(&Coo::from_entries(&[6, 6], DType::F64, &steps)?, &presets::csc(), far)?;
        let here = Coo::from_entries(&[6], DType::F64, &[(vec![0], Scalar::F64(0.0))])?;
        Ok((a, pack(&here, &presets::sparse_vector(), far)?))
    }
    /// The distance of the second place, and how often values were looked through for it.
    fn distance(kernel: &Kernel, a: &Tensor, x: &Tensor) -> openwork_base::Result<(f64, usize)> {
        LOOKS.set(0);
        let y = kernel.run(&[("A", a), ("x", x)])?.tensor.get(&[1]);
        Ok((y.map_or(f64::NAN, Scalar::as_f64), LOOKS.get()))
    }

    #[test]
    fn operands_are_looked_at_once_until_they_change() -> openwork_base::Result<()> {
        let (mut a, x) = path()?;
        let kernel = compile_for("y(i) = min(j, A(i,j) + x(j))", &[("A", &a), ("x", &x)])?;
        let (first, looks) = distance(&kernel, &a, &x)?;
        assert!(first == 1.0 && looks > 0, "{looks}");
        assert_eq!(distance(&kernel, &a, &x)?, (1.0, 0));
        a.vals_mut().set(4, Scalar::F64(f64::NAN));
        let (_, looks) = distance(&kernel, &a, &x)?;
        assert!(looks > 0);
        // NaN beside a place that is infinitely far counts, though no kernel for numbers comes there.
        let y = kernel.run(&[("A", &a), ("x", &x)])?.tensor;
        assert!(y.get(&[5]).is_some_and(|y| y.as_f64().is_nan()), "{y:?}");
        Ok(())
    }

    #[test]
    fn places_where_checks_hold_are_not_stored() -> openwork_base::Result<()> {
        let (a, x) = path()?;
        let kernel = compile_for("y(i) = min(j, A(i,j) + x(j))", &[("A", &a), ("x", &x)])?;
        let strict = kernel.stages.variants.len();
        let kernel = kernel.with_variant(strict)?;
        // Every stored value is checked, and all of them hold.
        let marks = kernel.find_failures(&[("A", &a), ("x", &x)])?.unwrap_or_default();
        assert!(!marks.is_empty() && marks.iter().all(|m| m.vals().is_empty()), "{marks:?}");
        Ok(())
    }

    #[test]
    fn what_someone_else_may_write_to_is_looked_at_every_time() -> openwork_base::Result<()> {
        let (_, x) = path()?;
        let values = std::sync::Arc::new(vec![1.0f64; 36]);
        let writers = openwork_storage::Writers::Owner;
        // SAFETY: the vector lives as long as the buffer, and whatever is written to it is a number.
        let shared = unsafe {
            openwork_storage::Buffer::borrow(DType::F64, values.as_ptr().cast(), 36, values.clone(), writers)
        };
        let a = Tensor::dense(&[6, 6], shared)?;
        let kernel = compile_for("y(i) = min(j, A(i,j) + x(j))", &[("A", &a), ("x", &x)])?;
        let looks = [distance(&kernel, &a, &x)?, distance(&kernel, &a, &x)?].map(|(_, looks)| looks);
        assert!(looks[1] > 0, "{looks:?}");
        Ok(())
    }
}
