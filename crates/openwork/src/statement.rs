//! A statement that runs on operands in any formats, with one kernel for each way that they are stored.

use crate::declare::{declare_typical, known_elements};
use crate::form::StatementForm;
use crate::kept::KeptKernel;
use crate::kernel::{Kernel, Outcome};
use crate::phases::Phases;
use crate::ran::PlannedOperand;
use crate::session::Session;
use crate::stages::Stages;
use crate::unread;
use openwork_algebra::{Arithmetic, DType, Scalar};
use openwork_base::Result;
use openwork_format::{Format, presets};
use openwork_index::notation::StatementSyntax;
use openwork_index::schedule::Schedule;
use openwork_index::{Decl, Decls, PlanSizes, compare_with_coordinates, count_order, size_order};
use openwork_storage::Tensor;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A statement, the names of its operands and what is fixed of its result, with the kernels made so far: one for each way
/// that operands are stored, planned for sizes of the same order, whatever operands came first.
///
/// [`Session::einsum`] takes a statement through every stage on each call; this finds the kernel again by what the
/// operands are stored as, in about a microsecond. Kernels of all statements that were used least recently are forgotten
/// where together they take more than half of [`cache_limit`](crate::cache_limit), and made again when they are needed.
///
/// ```
/// use openwork::{Session, Statement, Tensor, TensorExt};
/// let product = Statement::new("y(i) = A(i,j) * x(j)", ["A", "x"])?;
/// for n in [2, 3] {
///     let a = Tensor::from_vec(&[n, n], vec![1.0; n * n])?;
///     let x = Tensor::from_vec(&[n], vec![2.0; n])?;
///     let y = product.run(Session::global(), &[&a, &x])?;
///     assert_eq!(y.vals().as_slice::<f64>(), Some(&vec![2.0 * n as f64; n][..]));
/// }
/// assert_eq!(product.kernels(), 1);
/// # Ok::<(), openwork::Error>(())
/// ```
pub struct Statement {
    text: String,
    syntax: StatementSyntax,
    names: Vec<String>,
    /// What is fixed of the result.
    pub result: Decl,
    /// Sizes of index variables that no operand has.
    pub dims: BTreeMap<String, usize>,
    /// Commands that rewrite the plan; none leave it to the planner.
    pub schedule: Schedule,
    /// The variant of the plan that every kernel tries first ([`Kernel::with_variant`]), by its number.
    pub variant: Option<usize>,
    /// How annihilators stand beside infinities and NaN; `None` takes the session's way.
    pub arithmetic: Option<Arithmetic>,
    sizes: PlanSizes,
    /// What [`Statement::compile_declared`] was asked for.
    declared: Mutex<Vec<Vec<Decl>>>,
    kernels: Mutex<Vec<(Vec<OperandKey>, KeptKernel<Kernel>)>>,
}

/// More kernels than this are not kept: the oldest one goes.
const KEPT: usize = 64;

/// What a kernel depends on in an operand.
pub(crate) struct OperandKey {
    dtype: DType,
    format: Format,
    fill: Scalar,
    /// The plan is made for sizes of this order; nothing where it was made for any.
    order: Option<Vec<u32>>,
    /// Where the plan is made for the sizes themselves; kernels run on any other shape that is not [wide](OperandKey::wide).
    shape: Option<Vec<usize>>,
}

/// The sizes that plans of statements are made for: their own where parts of operands are read, whose sizes do not follow from the
/// order of those of the whole.
pub(crate) fn sizes_for_windows(list: &[StatementSyntax]) -> PlanSizes {
    match list.iter().any(StatementSyntax::has_windows) {
        true => PlanSizes::Declared,
        false => PlanSizes::Typical,
    }
}
/// The sizes that plans for operands are made for: their own where a mode is too large for the widths that kernels assume.
pub(crate) fn sizes_for_operands(sizes: PlanSizes, operands: &[&Tensor]) -> PlanSizes {
    match operands.iter().any(|t| OperandKey::wide(t)) {
        true => PlanSizes::Declared,
        false => sizes,
    }
}

impl OperandKey {
    pub(crate) fn from_tensor(t: &Tensor, sizes: PlanSizes) -> OperandKey {
        let shape = (sizes == PlanSizes::Declared).then(|| t.shape().to_vec());
        let order = Some(OperandKey::orders(t).collect());
        OperandKey { dtype: t.dtype(), format: t.format().clone(), fill: t.fill(), order, shape }
    }
    /// The order of magnitude of every mode, and of the numbers of values and elements: what [`declare_typical`] depends on.
    fn orders(t: &Tensor) -> impl Iterator<Item = u32> {
        let count = |n: usize| {
            let beside = match compare_with_coordinates(n, t.shape()) {
                Ordering::Less => 0,
                Ordering::Equal => 1,
                Ordering::Greater => 2,
            };
            3 * count_order(n) + beside
        };
        let elements = known_elements(t).map_or(u32::MAX, count);
        t.shape().iter().map(|&n| size_order(n)).chain([count(t.slots()), elements])
    }
    fn from_decl(decl: &Decl) -> OperandKey {
        let dtype = decl.dtype.unwrap_or(DType::F64);
        let format = decl.format.clone().unwrap_or_else(|| presets::dense(0));
        let fill = format.fill_value(dtype).unwrap_or(Scalar::zero(dtype));
        OperandKey { dtype, format, fill, order: None, shape: None }
    }
    pub(crate) fn wide(t: &Tensor) -> bool {
        t.shape().iter().any(|&n| n > i32::MAX as usize)
    }
    pub(crate) fn fits(&self, t: &Tensor) -> bool {
        let shaped = match &self.shape {
            Some(shape) => shape == t.shape(),
            None => !OperandKey::wide(t),
        };
        let ordered = self.order.as_ref().is_none_or(|o| o.iter().copied().eq(OperandKey::orders(t)));
        self.dtype == t.dtype()
            && shaped
            && ordered
            && self.fill.is_same(t.fill())
            && openwork_execute::same_layout(&self.format, t.format())
    }
}

impl Statement {
    /// A statement over named operands, whose result follows from them.
    ///
    /// # Errors
    /// `E0101` to `E0103` for text that is no statement.
    pub fn new<N: Into<String>>(
        statement: &(impl StatementForm + ?Sized),
        names: impl IntoIterator<Item = N>,
    ) -> Result<Statement> {
        let (text, syntax) = (statement.text().into_owned(), statement.read()?.into_owned());
        Ok(Statement {
            text,
            names: names.into_iter().map(Into::into).collect(),
            result: Decl::default(),
            dims: BTreeMap::new(),
            schedule: Schedule::default(),
            variant: None,
            arithmetic: None,
            sizes: sizes_for_windows(std::slice::from_ref(&syntax)),
            syntax,
            declared: Mutex::default(),
            kernels: Mutex::default(),
        })
    }
    /// The statement.
    pub fn syntax(&self) -> &StatementSyntax {
        &self.syntax
    }
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The names of the operands, in the order that [`Statement::run`] takes them.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// How many kernels there are.
    pub fn kernels(&self) -> usize {
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.iter().filter(|(_, kept)| kept.alive()).count()
    }
    /// The declarations for operands declared like this.
    pub fn decls(&self, operands: impl IntoIterator<Item = Decl>) -> Decls {
        let tensors = self.names.iter().cloned().zip(operands).collect();
        let (dims, arithmetic) = (self.dims.clone(), self.arithmetic);
        let mut decls = Decls { tensors, dims, arithmetic, sizes: PlanSizes::Declared };
        decls.tensors.entry(self.syntax.lhs.name.text.clone()).or_insert_with(|| self.result.clone());
        decls
    }
    /// The declarations for operands stored like these, with their sizes, as kernels for them are planned: for all operands of the
    /// same order of magnitude.
    pub fn decls_of(&self, operands: &[&Tensor]) -> Decls {
        // A schedule may name sizes.
        let own = if self.schedule.is_empty() { self.sizes } else { PlanSizes::Declared };
        let sizes = sizes_for_operands(own, operands);
        Decls { sizes, ..self.decls(operands.iter().map(|t| declare_typical(t))) }
    }
    /// The kernel for operands declared like these, by dtype and format; calls with such operands find it.
    ///
    /// # Errors
    /// Every diagnostic of the statement, `E0808` for a variant that the plan has not.
    pub fn compile_declared(&self, session: &Session, operands: Vec<Decl>) -> Result<Arc<Kernel>> {
        let mut declared = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        if !declared.contains(&operands) {
            declared.push(operands.clone());
        }
        drop(declared);
        self.make_declared(session, operands)
    }
    fn make_declared(&self, session: &Session, operands: Vec<Decl>) -> Result<Arc<Kernel>> {
        let stored = operands.iter().map(OperandKey::from_decl).collect();
        let kernel = Arc::new(self.compile(session, &self.decls(operands))?);
        self.keep(stored, &kernel);
        Ok(kernel)
    }
    /// The declarations that a kernel was asked for by, if these operands are stored so: one that was forgotten is made again by
    /// them, with the same plan.
    fn find_declared(&self, operands: &[&Tensor]) -> Option<Vec<Decl>> {
        let fits = |all: &&Vec<Decl>| {
            let mut pairs = all.iter().zip(operands);
            pairs.all(|(decl, t)| OperandKey::from_decl(decl).fits(t))
        };
        let declared = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        declared.iter().find(fits).cloned()
    }
    fn compile(&self, session: &Session, decls: &Decls) -> Result<Kernel> {
        let kernel = session.compile_scheduled(&self.syntax, decls, &self.schedule)?;
        match self.variant {
            Some(number) => kernel.with_variant(number),
            None => Ok(kernel),
        }
    }
    fn keep(&self, stored: Vec<OperandKey>, kernel: &Arc<Kernel>) {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.retain(|(_, kept)| kept.alive());
        if kernels.len() >= KEPT {
            kernels.remove(0);
        }
        kernels.push((stored, KeptKernel::new(kernel, kernel.bytes())));
    }
    /// The kernel for operands stored like these.
    ///
    /// # Errors
    /// Every diagnostic of the statement, `E0808` for a variant that the plan has not.
    pub fn kernel(&self, session: &Session, operands: &[&Tensor]) -> Result<Arc<Kernel>> {
        let fits = |stored: &[OperandKey]| stored.iter().zip(operands).all(|(s, t)| s.fits(t));
        {
            // A poisoned lock means another thread panicked between two complete operations.
            let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
            let mut fitting = kernels.iter().filter(|(stored, _)| fits(stored));
            if let Some(kernel) = fitting.find_map(|(_, kept)| kept.get()) {
                return Ok(kernel);
            }
        }
        if let Some(declared) = self.find_declared(operands) {
            return self.make_declared(session, declared);
        }
        let decls = self.decls_of(operands);
        let mut kernel = self.compile(session, &decls)?;
        if decls.sizes == PlanSizes::Typical {
            kernel.forget_sizes(&self.dims);
            let planned = self.names.iter().filter_map(|name| {
                decls.tensors.get(name).map(|declared| PlannedOperand::new(name, declared))
            });
            kernel.planned_for = Some(planned.collect());
        }
        let kernel = Arc::new(kernel);
        self.keep(operands.iter().map(|t| OperandKey::from_tensor(t, decls.sizes)).collect(), &kernel);
        Ok(kernel)
    }
    /// What the statement becomes for these operands, without compiling it.
    ///
    /// # Errors
    /// Every diagnostic of the statement and its schedule, `E0201` for an operand that it does not read.
    pub fn stages(&self, session: &Session, operands: &[&Tensor]) -> Result<Stages> {
        let stages = session.weigh(&self.syntax, &self.decls_of(operands), &self.schedule)?;
        unread::all_are_read(&stages, self.names.iter().map(String::as_str))?;
        let given: Vec<(&str, &Tensor)> =
            self.names.iter().map(String::as_str).zip(operands.iter().copied()).collect();
        stages.with_given(&given)
    }
    /// The kernels that compute the structure of the result and its values apart, for operands stored like these.
    ///
    /// # Errors
    /// Every diagnostic of the statement; `E0409` where the structure cannot be had apart from the values.
    pub fn phases(&self, session: &Session, operands: &[&Tensor]) -> Result<Phases> {
        // They are made for one structure, and with it for its sizes.
        let decls = Decls { sizes: PlanSizes::Declared, ..self.decls_of(operands) };
        session.compile_phases_scheduled(&self.syntax, &decls, &self.schedule)
    }
    /// Computes the statement over operands in the order of their names.
    ///
    /// # Errors
    /// Every diagnostic of the statement, and `E0603` when memory runs out.
    pub fn run(&self, session: &Session, operands: &[&Tensor]) -> Result<Tensor> {
        let kernel = self.kernel(session, operands)?;
        Ok(self.run_on(session, &kernel, operands, None)?.tensor)
    }
    /// Runs a kernel of this statement, for a result that may take the place of `out` ([`Kernel::run_for`]).
    ///
    /// # Errors
    /// As [`Kernel::run_for`].
    pub fn run_on(
        &self,
        session: &Session,
        kernel: &Kernel,
        operands: &[&Tensor],
        out: Option<&Tensor>,
    ) -> Result<Outcome> {
        let given: Vec<(&str, &Tensor)> =
            self.names.iter().map(String::as_str).zip(operands.iter().copied()).collect();
        let done = match out {
            Some(out) => kernel.run_for(out, &given),
            None => kernel.run(&given),
        };
        let mut done = done.map_err(|e| self.locate_error(session, operands, e))?;
        done.ran.planned_for = kernel.planned_for.clone();
        Ok(done)
    }
    /// Kernels for any size cannot point at the index whose sizes disagree; the checker can, once it is told them.
    fn locate_error(
        &self,
        session: &Session,
        operands: &[&Tensor],
        error: openwork_base::Error,
    ) -> openwork_base::Error {
        let placed = error.diagnostic().is_some_and(|d| d.at.is_some());
        if placed || !error.code().0.starts_with("E02") {
            return error;
        }
        session.stages(&self.syntax, &self.decls_of(operands)).err().unwrap_or(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormatExt, TensorExt};
    use openwork_algebra::Scalar;

    #[test]
    fn a_plan_names_the_sizes_that_it_was_made_for() {
        let session = Session::global();
        let double = Statement::new("y(i) = 2 * x(i)", ["x"]).unwrap();
        let planned = [1000, 1001, 100_000].map(|n| {
            let x = Tensor::from_vec(&[n], vec![1.0; n]).unwrap();
            let kernel = double.kernel(session, &[&x]).unwrap();
            let ran = double.run_on(session, &kernel, &[&x], None).unwrap().ran;
            ran.planned_for.unwrap_or_default().iter().map(ToString::to_string).collect::<String>()
        });
        let thousand = "`x` of about 768 with about 768 values";
        assert_eq!(planned, [thousand, thousand, "`x` of about 98304 with about 98304 values"]);
    }

    #[test]
    fn tensors_with_a_slot_for_every_coordinate_are_told_apart_by_their_elements() {
        let filled = |n: usize, text: &str| {
            let entries: Vec<(Vec<usize>, Scalar)> =
                (0..n).map(|e| (vec![e / 100, e % 100], Scalar::F64(1.0))).collect();
            Tensor::pack(&[100, 100], &entries, &Format::parse(text, 2).unwrap()).unwrap()
        };
        for text in ["bitmap", "bytemap", "csr"] {
            let few = OperandKey::from_tensor(&filled(100, text), PlanSizes::Typical);
            assert!(few.fits(&filled(110, text)) && !few.fits(&filled(9000, text)), "{text}");
        }
        assert!(
            OperandKey::from_tensor(&filled(100, "dense"), PlanSizes::Typical).fits(&filled(9000, "dense"))
        );
    }
}
