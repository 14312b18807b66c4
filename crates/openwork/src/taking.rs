//! Runs that take operands: what is given away may become the memory of the result.

use crate::kernel::{Kernel, Outcome};
use crate::running::TakenMemory;
use openwork_base::Result;
use openwork_base::threads::run_with_limit;
use openwork_execute::{may_take, take_operand};
use openwork_index::TensorId;
use openwork_storage::Tensor;

/// An operand of a run, lent or given away.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it is moved twice; a box would ask for memory in every round")]
pub enum Operand<'t> {
    /// The caller keeps it, and it is as it was afterwards.
    Borrow(&'t Tensor),
    /// The caller needs it no more: its memory may become that of the result, and is freed otherwise, also by a run that fails.
    Take(Tensor),
}

impl Operand<'_> {
    /// The tensor.
    pub fn tensor(&self) -> &Tensor {
        match self {
            Operand::Borrow(tensor) => tensor,
            Operand::Take(tensor) => tensor,
        }
    }
}

impl<'t> From<&'t Tensor> for Operand<'t> {
    fn from(tensor: &'t Tensor) -> Operand<'t> {
        Operand::Borrow(tensor)
    }
}

impl From<Tensor> for Operand<'_> {
    fn from(tensor: Tensor) -> Self {
        Operand::Take(tensor)
    }
}

impl Kernel {
    /// Runs the kernel on operands of which some are given away. Where the plan has a variant for it (`in place` in
    /// [`Stages::variants`](crate::Stages::variants)), the result is computed in the memory of one that is, which nobody else must hold: `d(i) min= t(i)` then costs
    /// what `t` stores. The result has the bits that it has without.
    ///
    /// ```
    /// use openwork::{Operand, Tensor, TensorExt, compile_for};
    /// let b = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    /// let mut x = Tensor::from_vec(&[3], vec![0.0; 3])?;
    /// let step = compile_for("x(i) = 0.5 * x(i) + b(i)", &[("x", &x), ("b", &b)])?;
    /// for _ in 0..3 {
    ///     let done = step.run_taking([("x", Operand::Take(x)), ("b", Operand::Borrow(&b))])?;
    ///     assert_eq!(done.ran.name, "in place");
    ///     x = done.tensor;
    /// }
    /// assert_eq!(x.vals().as_slice::<f64>(), Some(&[1.75, 3.5, 5.25][..]));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kernel::run`]. What was given away is freed then.
    pub fn run_taking<'t>(&self, given: impl IntoIterator<Item = (&'t str, Operand<'t>)>) -> Result<Outcome> {
        let mut own: Vec<(&str, Tensor)> = Vec::new();
        let mut lent: Vec<(&str, &Tensor)> = Vec::new();
        for (name, operand) in given {
            match operand {
                Operand::Borrow(tensor) => lent.push((name, tensor)),
                Operand::Take(tensor) => own.push((name, tensor)),
            }
        }
        let fits = |(operand, place): (TensorId, &str)| {
            let at = own.iter().position(|(name, tensor)| *name == place && may_take(tensor))?;
            Some((operand, at))
        };
        let taken = self.stages.places().find_map(fits);
        let taken = taken.map(|(operand, at)| (operand, own.swap_remove(at)));
        lent.extend(own.iter().map(|(name, t)| (*name, t)));
        self.refuse_values_alone()?;
        let Some((operand, (name, tensor))) = taken else {
            return self.run_lent(&lent, None);
        };
        take_operand(tensor, |view, memory| {
            let all: Vec<(&str, &Tensor)> = lent.iter().copied().chain([(name, view)]).collect();
            self.run_lent(&all, Some(TakenMemory { operand, memory }))
        })
    }
    fn run_lent(&self, given: &[(&str, &Tensor)], taken: Option<TakenMemory>) -> Result<Outcome> {
        run_with_limit(self.threading.threads, || self.run_given(given, taken, &|_| Ok(())))
    }
}
