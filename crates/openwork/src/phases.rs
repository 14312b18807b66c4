//! A sparse result in two kernels: its structure, which can be kept, and its values, as often as they change.

use crate::ext::TensorExt;
use crate::kernel::{Kernel, Outcome, Times};
use crate::ran::Ran;
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_execute::Arguments;
use openwork_format::Format;
use openwork_index::TensorId;
use openwork_lower::Phase;
use openwork_planner::Conversion;
use openwork_storage::{Buffer, Tensor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A statement with a sparse result in two kernels, made by [`Session::compile_phases`](crate::Session::compile_phases).
///
/// ```
/// use openwork::{DType, Decl, Decls, Format, FormatExt, Session, Tensor, TensorExt};
/// let format = Some(Format::parse("csr", 2)?);
/// let sparse = Decl { dtype: Some(DType::F64), format: format.clone(), ..Decl::default() };
/// let mut decls = Decls::default();
/// for name in ["A", "B", "C"] {
///     decls.tensors.insert(name.into(), sparse.clone());
/// }
/// let product = Session::global().compile_phases("C(i,k) = A(i,j) * B(j,k)", &decls)?;
/// let csr = |values: Vec<f64>| Tensor::from_vec(&[2, 2], values)?.to_format(&Format::parse("csr", 2)?);
/// let b = csr(vec![0.0, 5.0, 7.0, 0.0])?;
/// let pattern = product.pattern(&[("A", &csr(vec![1.0, 0.0, 0.0, 1.0])?), ("B", &b)])?;
/// for scale in [2.0, 3.0] {
///     let a = csr(vec![scale, 0.0, 0.0, scale])?;
///     let c = product.compute(&pattern, &[("A", &a), ("B", &b)])?.tensor;
///     assert_eq!(c.vals().as_slice::<f64>(), Some(&[5.0 * scale, 7.0 * scale][..]));
/// }
/// # Ok::<(), openwork::Error>(())
/// ```
pub struct Phases {
    pub(crate) assemble: Kernel,
    pub(crate) compute: Kernel,
    /// What assembles structures, as text: patterns that others made are not taken.
    assembly: Arc<str>,
}

/// Which elements a result stores, for operands with a certain structure. Its index arrays are shared by the results that
/// are computed for it.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// `true` for every element.
    tensor: Arc<Tensor>,
    /// What the operands were: names, formats, and fingerprints of their structure.
    operands: Vec<(String, Format, u128)>,
    /// Fingerprints of what steps before the kernel made of them: which slots of a format belong to elements, values may say.
    made: Vec<u128>,
    /// How far index variables ranged.
    sizes: Vec<usize>,
    /// What assembled it.
    assembly: Arc<str>,
}

impl Pattern {
    /// The pattern as a tensor of bools, `true` where the result stores an element.
    pub fn tensor(&self) -> &Arc<Tensor> {
        &self.tensor
    }
    /// How many elements the result stores.
    pub fn nnz(&self) -> usize {
        self.tensor.nnz()
    }
    /// An operand in the widths of the one that the pattern was made for.
    fn adapt<'t>(&self, name: &str, tensor: &'t Tensor) -> Result<Cow<'t, Tensor>> {
        let Some((_, format, print)) = self.operands.iter().find(|(n, ..)| n == name) else {
            return Ok(Cow::Borrowed(tensor));
        };
        let plain = |f: &Format| Format { pos: None, crd: None, fill: None, ..f.clone() };
        let given = match tensor.format() {
            same if same == format => Cow::Borrowed(tensor),
            other if plain(other) == plain(format) => Cow::Owned(tensor.to_format(format)?),
            _ => Cow::Borrowed(tensor),
        };
        if given.structure_fingerprint() == *print {
            return Ok(given);
        }
        let message = format!("`{name}` stores other elements than the one that the pattern was made for");
        Err(Pattern::of_others(message))
    }
    fn of_others(message: impl Into<String>) -> Error {
        let d = Diagnostic::new(Code("E0213"), message);
        Error::rejection(d.help("make a pattern for these operands"))
    }
}

impl Phases {
    pub(crate) fn new(assemble: Kernel, compute: Kernel) -> Phases {
        let stages = &assemble.stages;
        let mut assembly = stages.loops_text();
        assembly.extend(stages.conversions().map(Conversion::describe));
        Phases { assemble, compute, assembly: assembly.into() }
    }
    /// The kernels with a number of threads of their own; 0 takes that of the process.
    pub fn with_threads(self, threads: usize) -> Phases {
        let (assemble, compute) = (self.assemble.with_threads(threads), self.compute.with_threads(threads));
        Phases { assemble, compute, ..self }
    }
    /// The kernels in up to so many chunks, however little there is to do: for tests.
    #[doc(hidden)]
    pub fn with_chunks(self, chunks: usize) -> Phases {
        let (assemble, compute) = (self.assemble.with_chunks(chunks), self.compute.with_chunks(chunks));
        Phases { assemble, compute, ..self }
    }
    /// The kernel that assembles the structure of the result.
    pub fn assemble(&self) -> &Kernel {
        &self.assemble
    }
    /// The kernel that computes values for a given structure.
    pub fn value_kernel(&self) -> &Kernel {
        &self.compute
    }
    /// The elements that the result stores for these operands. Only how operands are stored matters, not their values.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub fn pattern(&self, given: &[(&str, &Tensor)]) -> Result<Pattern> {
        debug_assert_eq!(self.assemble.phase, Phase::Assemble);
        self.assemble.check_positions(given)?;
        let ((tensor, sizes, made), _) = self.assemble.with_operands(given, |operands, extents| {
            let arrays = self.assemble.arrays(&Arguments { operands, extents, structure: None })?;
            let tensor = self.assemble.job().tensor(arrays.buffers, extents)?;
            Ok((tensor, extents.sizes.clone(), fingerprints_of_made(given, operands)))
        })?;
        let print = |(name, t): &(&str, &Tensor)| {
            ((*name).to_string(), t.format().clone(), t.structure_fingerprint())
        };
        let operands = given.iter().map(print).collect();
        Ok(Pattern { tensor: Arc::new(tensor), operands, made, sizes, assembly: self.assembly.clone() })
    }
    /// The result for operands that are stored as those were for which the pattern was made; where only the widths of their
    /// index arrays differ, they are converted. It shares the index arrays of the pattern.
    ///
    /// # Errors
    /// `E0213` where the pattern is that of another statement, or an operand stores other elements than the one that the
    /// pattern was made for; `E0409` where a value makes the result store more than the pattern does; else as
    /// [`Kernel::run`].
    pub fn compute(&self, pattern: &Pattern, given: &[(&str, &Tensor)]) -> Result<Outcome> {
        debug_assert_eq!(self.compute.phase, Phase::Compute);
        if pattern.assembly != self.assembly {
            return Err(Pattern::of_others("the pattern was made by another statement"));
        }
        let start = Instant::now();
        self.compute.check_positions(given)?;
        if self.compute.find_failures(given)?.is_some() {
            let message = "the result stores more than the pattern: a divisor of something that is not stored is zero or \
                           NaN, or what stands beside a factor that is not stored is infinite or NaN";
            let d = Diagnostic::new(Code("E0409"), message);
            return Err(Error::refusal(d.help("compute it in one kernel")));
        }
        let mut adapted: Vec<(&str, Cow<Tensor>)> = Vec::new();
        for (name, tensor) in given {
            adapted.push((name, pattern.adapt(name, tensor)?));
        }
        let own = adapted.iter().any(|(_, t)| matches!(t, Cow::Owned(_)));
        let adapting = if own { start.elapsed() } else { Duration::ZERO };
        let given: Vec<(&str, &Tensor)> = adapted.iter().map(|(n, t)| (*n, &**t)).collect();
        let (mut outcome, converting) = self.compute.with_operands(&given, |operands, extents| {
            if extents.sizes != pattern.sizes {
                return Err(Pattern::of_others("the pattern was made for other sizes"));
            }
            if fingerprints_of_made(&given, operands) != pattern.made {
                let message = "the values of an operand say which of its elements are stored, and they are not those that the \
                               pattern was made for";
                return Err(Pattern::of_others(message));
            }
            let structure = Some(&*pattern.tensor);
            let made = self.compute.arrays(&Arguments { operands, extents, structure })?;
            let tensor =
                self.compute.with_values(&pattern.tensor, made.buffers.into_iter().map(|(_, b)| b))?;
            let times = Times { kernel: made.time, ..Times::default() };
            let ran = Ran { name: "for a pattern", ..Ran::default() };
            Ok(Outcome { tensor, times, spread: made.spread, ran })
        })?;
        outcome.times.conversions = adapting + converting.time;
        outcome.ran.conversions = converting.done;
        outcome.times.total = start.elapsed();
        Ok(outcome)
    }
}

/// Fingerprints of the operands of a kernel that are none of the tensors that were given.
fn fingerprints_of_made(given: &[(&str, &Tensor)], operands: &BTreeMap<TensorId, &Tensor>) -> Vec<u128> {
    let made = operands.values().filter(|t| !given.iter().any(|(_, own)| std::ptr::eq(*own, **t)));
    made.map(|t| t.structure_fingerprint()).collect()
}

impl Kernel {
    /// A result with the structure of a pattern.
    fn with_values(
        &self,
        pattern: &Arc<Tensor>,
        mut buffers: impl Iterator<Item = Buffer>,
    ) -> Result<Tensor> {
        let t = &self.stages.plan.program.tensors[self.stages.result()];
        let own = |what: &str| Error::bug("run", what, self.stages.loops_text());
        let vals = buffers.next().ok_or_else(|| own("no values were computed"))?;
        if vals.len() != pattern.vals().len() || pattern.format().levels != t.format.levels {
            return Err(own("the values do not belong to the pattern"));
        }
        pattern.with_values(vals, t.fill)
    }
}
