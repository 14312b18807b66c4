//! A sequence of statements that runs on operands in any formats, with kernels for each way that these are stored.

use crate::declare::declare_typical;
use crate::form::StatementsForm;
use crate::kept::KeptKernel;
use crate::sequence::{Results, Sequence};
use crate::session::Session;
use crate::statement::{OperandKey, sizes_for_operands, sizes_for_windows};
use openwork_algebra::Arithmetic;
use openwork_base::Result;
use openwork_index::notation::StatementSyntax;
use openwork_index::{Decl, Decls, PlanSizes};
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Statements that are computed one after the other ([`Session::sequence`]), the names of their operands and what is fixed of
/// their results, with the kernels made so far: a [`Statement`](crate::Statement) of several.
///
/// ```
/// use openwork::{Session, Statements, Tensor, TensorExt};
/// let step = Statements::new("y(i) = A(i,j) * x(j); n = y(i) * y(i)", ["A", "x"])?;
/// for n in [2, 3] {
///     let a = Tensor::from_vec(&[n, n], vec![1.0; n * n])?;
///     let x = Tensor::from_vec(&[n], vec![2.0; n])?;
///     let made = step.run(Session::global(), &[&a, &x])?;
///     let norm = 4.0 * (n * n * n) as f64;
///     assert_eq!(made.get("n").unwrap().vals().as_slice::<f64>(), Some(&[norm][..]));
/// }
/// assert_eq!(step.sequences(), 1);
/// # Ok::<(), openwork::Error>(())
/// ```
pub struct Statements {
    list: Vec<StatementSyntax>,
    names: Vec<String>,
    computed: Vec<(String, usize)>,
    variables: Vec<String>,
    /// What is fixed of results, by name.
    pub results: BTreeMap<String, Decl>,
    /// The results that the caller wants; `None`: those that no later statement reads.
    pub asked: Option<Vec<String>>,
    /// Sizes of index variables that no operand has.
    pub dims: BTreeMap<String, usize>,
    /// The variant that plans which have it try first ([`Sequence::with_variant`]), by its number.
    pub variant: Option<usize>,
    /// How annihilators stand beside infinities and NaN; `None` takes the session's way.
    pub arithmetic: Option<Arithmetic>,
    sizes: PlanSizes,
    made: Mutex<Vec<(Vec<OperandKey>, KeptKernel<Sequence>)>>,
}

/// More than these are not kept: the oldest goes.
const KEPT: usize = 16;

impl Statements {
    /// Statements over named operands, separated by `;` or ends of lines.
    ///
    /// # Errors
    /// `E0101` to `E0103` for text that is no statement.
    pub fn new<N: Into<String>>(
        statements: &(impl StatementsForm + ?Sized),
        names: impl IntoIterator<Item = N>,
    ) -> Result<Statements> {
        let list = statements.read_all()?.into_owned();
        let computed = list.iter().map(|s| (s.lhs.name.text.clone(), s.lhs.indices.len())).collect();
        let variables = list.iter().flat_map(|s| s.index_names().into_iter().map(String::from)).collect();
        Ok(Statements {
            sizes: sizes_for_windows(&list),
            list,
            names: names.into_iter().map(Into::into).collect(),
            computed,
            variables,
            results: BTreeMap::new(),
            asked: None,
            dims: BTreeMap::new(),
            variant: None,
            arithmetic: None,
            made: Mutex::default(),
        })
    }
    /// What each statement computes: a name and a number of modes.
    pub fn computed_results(&self) -> &[(String, usize)] {
        &self.computed
    }
    /// The index variables of all statements.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }
    /// The names of the operands, in the order that [`Statements::run`] takes them.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// How many sequences there are.
    pub fn sequences(&self) -> usize {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|(_, k)| k.alive()).count()
    }
    /// The kernels for operands stored like these.
    ///
    /// # Errors
    /// As [`Session::sequence`]; `E0808` for a variant that no plan has.
    pub fn sequence(&self, session: &Session, operands: &[&Tensor]) -> Result<Arc<Sequence>> {
        let fits = |stored: &[OperandKey]| stored.iter().zip(operands).all(|(s, t)| s.fits(t));
        // A poisoned lock means another thread panicked between two complete operations.
        let held = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held().iter().filter(|(stored, _)| fits(stored)).find_map(|(_, kept)| kept.get());
        if let Some(sequence) = found {
            return Ok(sequence);
        }
        let sizes = sizes_for_operands(self.sizes, operands);
        let tensors = self.names.iter().cloned().zip(operands.iter().map(|t| declare_typical(t))).collect();
        let decls = Decls { tensors, dims: self.dims.clone(), arithmetic: self.arithmetic, sizes };
        let asked = self.asked.as_ref().map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
        let mut sequence = session.sequence_of(&self.list, &decls, &self.results, asked.as_deref())?;
        if let Some(number) = self.variant {
            sequence = sequence.with_variant(number)?;
        }
        if sizes == PlanSizes::Typical {
            sequence.forget_sizes(&self.dims);
        }
        let sequence = Arc::new(sequence);
        let mut made = held();
        made.retain(|(_, kept)| kept.alive());
        if made.len() >= KEPT {
            made.remove(0);
        }
        let stored = operands.iter().map(|t| OperandKey::from_tensor(t, sizes)).collect();
        made.push((stored, KeptKernel::new(&sequence, sequence.bytes())));
        Ok(sequence)
    }
    /// One round of an iteration over operands in the order of their names ([`Sequence::run_round`]); also gives the kernels, to
    /// which results may be given back.
    ///
    /// # Errors
    /// As [`Session::sequence`] and [`Sequence::run`].
    pub fn run_round(&self, session: &Session, operands: &[&Tensor]) -> Result<(Results, Arc<Sequence>)> {
        let given: Vec<(&str, &Tensor)> =
            self.names.iter().map(String::as_str).zip(operands.iter().copied()).collect();
        let sequence = self.sequence(session, operands)?;
        Ok((sequence.run_round(&given)?, sequence))
    }
    /// Computes the statements over operands in the order of their names.
    ///
    /// # Errors
    /// As [`Session::sequence`] and [`Sequence::run`].
    pub fn run(&self, session: &Session, operands: &[&Tensor]) -> Result<Results> {
        let given: Vec<(&str, &Tensor)> =
            self.names.iter().map(String::as_str).zip(operands.iter().copied()).collect();
        self.sequence(session, operands)?.run(&given)
    }
}
