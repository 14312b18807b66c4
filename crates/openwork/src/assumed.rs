//! Operands that are not what a kernel relies on.
//!
//! A kernel for `A(i,j) / d(i)` visits what `A` stores, which is right as long as `d` is neither 0 nor NaN anywhere
//! ([`openwork_index::assume`]). Every run looks at the operands first, unless it is known what is found there
//! ([`Tensor::has_any_against`]); where one is not like that, another kernel visits
//! the coordinates in question as well. Both depend on the operands alone, so a result does too.

use crate::bounds;
use crate::kernel::{Compiler, Kernel, Outcome};
use crate::look::operand_has_any_against;
use crate::stages::Stages;
use openwork_base::Result;
use openwork_execute::{Extents, Threading};
use openwork_index::TensorId;
use openwork_index::assume::{Assumptions, Check};
use openwork_index::check::Assignment;
use openwork_index::schedule::Schedule;
use openwork_lower::Phase;
use openwork_planner::Planner;
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;

/// What a statement relies on, and the kernels for when it does not hold.
pub(crate) struct Assumed {
    what: Assumptions,
    compiler: Compiler,
    /// Finds where a check fails, one for each.
    finding: Vec<OnceLock<Box<Kernel>>>,
    /// The kernel that goes there.
    strict: OnceLock<Box<Kernel>>,
}

impl Assumed {
    pub(crate) fn new(what: Assumptions, compiler: Compiler) -> Assumed {
        let finding = what.checks.iter().map(|_| OnceLock::new()).collect();
        Assumed { what, compiler, finding, strict: OnceLock::new() }
    }
    /// The same, with its kernels to be compiled anew: as they are to run otherwise.
    pub(crate) fn afresh(self) -> Assumed {
        Assumed::new(self.what, self.compiler)
    }
    /// The kernels take operands of any size, except for the given variables.
    pub(crate) fn forget_sizes(&mut self, kept: &BTreeMap<String, usize>) {
        let indices = &mut self.what.assignment.indices;
        for v in indices.ids() {
            if !kept.contains_key(&indices[v].name) {
                indices[v].size = None;
            }
        }
    }

    /// The result for operands that are not what `plain` relies on, if `check` agrees with its ranges; nothing for others.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn run(
        &self,
        plain: &Kernel,
        given: &[(&str, &Tensor)],
        check: &dyn Fn(&Extents) -> Result<()>,
    ) -> Result<Option<Outcome>> {
        let start = Instant::now();
        let Some(marks) = self.marks(plain, given)? else { return Ok(None) };
        let kernel = self.kernel(&self.strict, plain, || self.what.strict())?;
        let before = start.elapsed();
        let mut outcome = kernel.run_checked(&self.with_marks(given, &marks), check)?;
        outcome.times.kernel += before;
        outcome.times.total += before;
        Ok(Some(outcome))
    }

    /// Where each check fails, if any does.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn marks(&self, plain: &Kernel, given: &[(&str, &Tensor)]) -> Result<Option<Vec<Tensor>>> {
        let tensors = &self.what.assignment.tensors;
        let named = |t: TensorId| {
            let name = &tensors[t].given;
            given.iter().find(|(n, _)| n == name).map(|(_, t)| *t)
        };
        let suspected = |check: &Check| match check.operand(tensors).and_then(named) {
            Some(operand) => operand_has_any_against(check.assumes, operand),
            None => Ok(!bounds::holds(check, tensors, &named)?),
        };
        let mut open = false;
        for check in &self.what.checks {
            open = open || suspected(check)?;
        }
        if !open {
            return Ok(None);
        }
        let mut marks: Vec<Tensor> = Vec::new();
        for (n, finding) in self.finding.iter().enumerate() {
            let kernel = self.kernel(finding, plain, || self.what.failing(n))?;
            marks.push(kernel.run(&self.with_marks(given, &marks))?.tensor);
        }
        let set = |t: &Tensor| t.vals().as_slice::<bool>().is_some_and(|marks| marks.contains(&true));
        Ok(marks.iter().any(set).then_some(marks))
    }
    /// The operands with those that say where checks fail.
    fn with_marks<'a>(
        &'a self,
        given: &[(&'a str, &'a Tensor)],
        marks: &'a [Tensor],
    ) -> Vec<(&'a str, &'a Tensor)> {
        let marks = self.what.names.iter().map(String::as_str).zip(marks);
        given.iter().copied().chain(marks).collect()
    }
    /// The kernel that is held, or else is to be made of a statement.
    fn kernel<'a>(
        &'a self,
        held: &'a OnceLock<Box<Kernel>>,
        plain: &Kernel,
        statement: impl FnOnce() -> Assignment,
    ) -> Result<&'a Kernel> {
        if let Some(kernel) = held.get() {
            return Ok(kernel);
        }
        let kernel = Box::new(self.compiled(&statement(), plain.threading)?);
        Ok(held.get_or_init(|| kernel))
    }

    fn compiled(&self, a: &Assignment, threading: Threading) -> Result<Kernel> {
        let start = Instant::now();
        let Compiler { backend, registry, .. } = &self.compiler;
        // Such operands are rare: the statement is built as it is.
        let planner = Planner::new(registry, f64::INFINITY);
        let stages = Stages::of(a, &Schedule::new(), planner, &backend.target())?;
        Kernel::of(stages, self.compiler.clone(), Phase::Fused, threading, start)
    }
}

#[cfg(test)]
mod tests {
    use crate::look::LOOKS;
    use crate::{Kernel, compile_for};
    use openwork_algebra::{DType, Scalar};
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
    fn what_someone_else_may_write_to_is_looked_at_every_time() -> openwork_base::Result<()> {
        let (_, x) = path()?;
        let values = std::sync::Arc::new(vec![1.0f64; 36]);
        let writers = openwork_storage::Writers::Owner;
        // SAFETY: the vector lives as long as the buffer, and whatever is written to it is a number.
        let shared = unsafe {
            openwork_storage::Buffer::shared(DType::F64, values.as_ptr().cast(), 36, values.clone(), writers)
        };
        let a = Tensor::dense(&[6, 6], shared)?;
        let kernel = compile_for("y(i) = min(j, A(i,j) + x(j))", &[("A", &a), ("x", &x)])?;
        let looks = [distance(&kernel, &a, &x)?, distance(&kernel, &a, &x)?].map(|(_, looks)| looks);
        assert!(looks[1] > 0, "{looks:?}");
        Ok(())
    }
}
