//! Limits on results and temporaries: those that are too large are refused before anything runs.

use crate::job::Job;
use crate::signature::{Extents, params};
use openwork_base::{Code, Diagnostic, Error, Id, Result, SlotCount};
use openwork_format::{ArrayRole, Needs};
use openwork_index::cin::{AssemblyMode, Storage};
use openwork_index::{IndexId, TensorId, TensorKind};
use openwork_loops::sizes::products;
use openwork_lower::Param;
use openwork_storage::Tensor;
use openwork_storage::levels::Site;
use std::collections::BTreeMap;

/// A tensor that is assigned, in messages: the planner's own have names that nobody gave them.
fn display_name(t: &openwork_index::TensorVar) -> String {
    if t.kind == TensorKind::Temp { "a workspace".into() } else { format!("`{}`", t.given) }
}

/// Sparse workspaces number the coordinates of all their modes together, those with bits in whole words.
fn count_coordinates(shape: &[usize], storage: Storage) -> Result<()> {
    let rest = if storage == Storage::Hash { 0 } else { 63 };
    if SlotCount::product(shape).count().is_some_and(|n| n <= isize::MAX as usize - rest) {
        return Ok(());
    }
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    let message = format!("a workspace of {} has more coordinates than 64 bits count", shape.join(" x "));
    let d = Diagnostic::new(Code("E0603"), message);
    Err(Error::rejection(d.help("store the operands in the order of the result, so that a row is enough")))
}

impl Job<'_> {
    /// Refuses operands for which the kernel could not count or address what it makes.
    ///
    /// # Errors
    /// `E0603` and `E0604`.
    pub fn check(self, operands: &BTreeMap<TensorId, &Tensor>, extents: &Extents) -> Result<()> {
        self.check_sizes(extents)?;
        self.check_results(extents)?;
        self.check_products(extents)?;
        self.check_counts(operands)
    }
    /// Refuses variables for which a loop cannot count to one past the last value.
    fn check_sizes(self, extents: &Extents) -> Result<()> {
        let far = extents.sizes.iter().position(|&size| size >= i64::MAX as usize);
        let Some((_, index)) = far.and_then(|n| self.program.indices.iter().nth(n)) else { return Ok(()) };
        let message = format!("`{}` takes more values than a loop can count", index.name);
        let d = Diagnostic::new(Code("E0603"), message);
        Err(Error::rejection(d.help("declare a size below 2^63 - 1")))
    }
    /// Refuses sizes whose products wrap in the kernel: numbers of slots beyond 64 bits.
    fn check_products(self, extents: &Extents) -> Result<()> {
        let all = self.code.products.get_or_init(|| products(&self.lowered.kernel));
        if all.is_empty() {
            return Ok(());
        }
        let given = params(&self.lowered.params, extents, None, 0);
        let Some(wrong) = all.iter().find(|p| !p.fits(&given)) else { return Ok(()) };
        let size = |n: usize| match self.lowered.params[n] {
            Param::Size(v) => Some(format!("{} of `{}`", given[n], self.program.indices[v].name)),
            _ => None,
        };
        let sizes: Vec<String> = wrong.params().into_iter().filter_map(size).collect();
        let message = format!(
            "the sizes {} make more slots than 64 bits count, in {}",
            sizes.join(", "),
            display_name(self.declaration())
        );
        let d = Diagnostic::new(Code("E0603"), message);
        Err(Error::rejection(
            d.help("store it in a format that keeps nothing but its elements, such as `coo`"),
        ))
    }
    /// Refuses, before anything runs, results and temporaries whose size cannot be addressed, and dimensions that the
    /// coordinates of results cannot count.
    fn check_results(self, extents: &Extents) -> Result<()> {
        let size = |v: &IndexId| extents.sizes[v.index()];
        let program = self.program;
        for (tensor, vars) in &self.code.signature.assigned {
            let t = &program.tensors[*tensor];
            if vars.iter().any(|v| size(v) == 0) {
                continue;
            }
            let shape = || vars.iter().map(size).collect::<Vec<usize>>();
            if t.kind == TensorKind::Temp && !t.format.is_dense() {
                count_coordinates(&shape(), self.lowered.storage()[tensor])?;
                continue;
            }
            // What is counted from the coordinates above must not wrap.
            let counted = t.format.levels.iter().enumerate().filter(|(_, l)| l.spec.needs == Needs::Above);
            for (k, _) in counted.filter(|_| t.kind == TensorKind::Result) {
                Site::new(&t.format, &shape(), k)?;
            }
            let mut dense_run = SlotCount::ONE;
            for (level, &mode) in t.format.levels.iter().zip(&t.format.modes) {
                let size = size(&vars[mode]);
                let width = t.format.width(ArrayRole::Crd);
                let listed = level.spec.arrays.iter().any(|a| a.role == ArrayRole::Crd);
                let low = extents.lows[vars[mode].index()];
                // Runs have the coordinate where they end, behind the last one.
                let past = i128::from(!level.shares_positions());
                let largest = i128::from(low) + size as i128 - past;
                // The mark of empty slots is no coordinate.
                let marks = level.marks_empties();
                let most = i128::from(width.max()) - i128::from(marks && width.empty() > 0);
                if listed && (largest > most || (low < 0 && width.empty() > 0)) {
                    let message = format!(
                        "coordinates of {} go from {low} to {largest}, beyond {}",
                        display_name(t),
                        width.dtype()
                    );
                    let d = Diagnostic::new(Code("E0604"), message)
                        .help("give it wider coordinates: `; crd = i64`");
                    return Err(Error::rejection(d));
                }
                // Slots below a list are made one element after the other.
                let every = level.is_dense() || level.is_masked();
                dense_run = if every { dense_run.times(size) } else { SlotCount::ONE };
                if dense_run.bytes(t.dtype.size()) > isize::MAX as u128 {
                    let shape: Vec<String> = shape().iter().map(usize::to_string).collect();
                    let message =
                        format!("{} of {} would be too large for memory", display_name(t), shape.join(" x "));
                    let d = Diagnostic::new(Code("E0603"), message).help("store it in a sparse format");
                    return Err(Error::rejection(d));
                }
            }
        }
        Ok(())
    }

    /// Kernels that assemble out of order count elements in 32 bits.
    fn check_counts(self, operands: &BTreeMap<TensorId, &Tensor>) -> Result<()> {
        let counts = self.program.assembly != AssemblyMode::InOrder;
        let most = operands.values().map(|t| t.slots()).max().unwrap_or(0);
        if counts && most > u32::MAX as usize {
            let message = format!("{most} values are more than an assembly out of order can count");
            return Err(Error::rejection(Diagnostic::new(Code("E0604"), message)));
        }
        Ok(())
    }
}
