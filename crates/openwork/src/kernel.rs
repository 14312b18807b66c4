//! A compiled statement.

use crate::assumed::Assumed;
use crate::convert::{Conversions, Operand};
use crate::deciding::Deciding;
use crate::ext::TensorExt;
use crate::lending::{Filled, Lending};
use crate::stages::{Copied, Part, Stages};
use crate::unread;
use openwork_backend::{Backend, Compiled};
use openwork_base::machine::threshold;
use openwork_base::threads::within;
use openwork_base::{Diagnostic, Error, Result, Slots};
use openwork_execute::{Arguments, Arrays, Code, Extents, Job, Signature, Spread, Threading};
use openwork_format::Format;
use openwork_index::TensorId;
use openwork_index::cin::Assembly;
use openwork_levels::Registry;
use openwork_lower::{Lowered, Parallel, Phase};
use openwork_planner::Step;
use openwork_runtime::{Cached, KernelCache, Watch};
use openwork_storage::{Element, Tensor, marked, rearranged};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A kernel that can run many times, on any operands of the dtypes and formats it was compiled for.
pub struct Kernel {
    /// What runs ask of the statement as a whole.
    signature: Signature,
    pub(crate) stages: Stages,
    /// The code of each kernel that computes it, in order: one, or those of [`Stages::parts`].
    pub(crate) codes: Vec<Code>,
    /// The kernel for operands with infinities and NaN, where its own results may need it.
    pub(crate) deciding: Option<Deciding>,
    /// The kernel for results to which an operand lends its structure.
    pub(crate) lending: Option<Lending>,
    /// The kernels for operands that are not what it relies on.
    pub(crate) assumed: Option<Assumed>,
    /// What makes its conversions, where it has other steps than itself.
    pub(crate) conversions: Option<Conversions>,
    pub(crate) cached: Cached,
    pub(crate) compile_time: Duration,
    pub(crate) threading: Threading,
    /// Which part of the work on its result it does.
    pub(crate) phase: Phase,
    /// Whether it copies an operand.
    copies: bool,
}

/// Elements below which a copy is left to the kernel: it takes no longer.
const FEW: usize = 512;

/// Compiles kernels that are only needed now and then.
#[derive(Clone)]
pub(crate) struct Compiler {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) cache: Arc<KernelCache>,
    pub(crate) registry: Registry,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub tensor: Tensor,
    /// How long it took.
    pub times: Times,
    /// How the work was spread over threads.
    pub spread: Spread,
}

/// How long a run took: in the kernel, in what had to be stored differently around it, and from beginning to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Storing operands differently before the kernel, and the result afterwards: the steps that [`Kernel::stages`] lists,
    /// and copies of values that someone else may write to. Nothing where all of it was kept from earlier runs.
    pub conversions: Duration,
    /// Inside the kernel, the passes of an assembly and the joining of chunks included.
    pub kernel: Duration,
    /// The whole call: checks and everything between included.
    pub total: Duration,
}

impl Kernel {
    /// The kernel of lowered stages, which were begun at `start`.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn of(
        stages: Stages,
        compiler: Compiler,
        phase: Phase,
        threading: Threading,
        start: Instant,
    ) -> Result<Kernel> {
        let (mut codes, mut cached) = (Vec::new(), Cached::Hit);
        let program = &stages.plan.program;
        let whole = stages.parts.is_empty().then_some((program, &stages.loops, &stages.lowered));
        let parts = stages.parts.iter().map(|p| (&p.program, &p.loops, &p.lowered));
        for (program, loops, lowered) in parts.chain(whole) {
            let passes = lowered.passes.is_some();
            let (code, from) = Code::of(&compiler.backend, &compiler.cache, program, loops, passes)?;
            codes.push(code);
            cached = if from == Cached::Miss { from } else { cached };
        }
        Ok(Kernel::with(stages, (codes, cached), compiler, phase, threading, start))
    }
    /// Code of the caller's in place of the kernel of lowered stages, which were begun at `start`. It computes everything by
    /// itself: there is no other kernel for operands that this one takes to be finite, and no way around it.
    pub(crate) fn given(
        mut stages: Stages,
        code: Box<dyn Compiled>,
        compiler: Compiler,
        threading: Threading,
        start: Instant,
    ) -> Kernel {
        let because = "code of the caller's computes the whole result in one call".into();
        stages.lowered = Lowered {
            parallel: Parallel::Serial { because },
            passes: None,
            doubtful: false,
            lender: None,
            ..stages.lowered
        };
        (stages.relies, stages.parts) = (None, Vec::new());
        let codes = vec![Code::given(code, &stages.plan.program)];
        let kernel = Kernel::with(stages, (codes, Cached::Miss), compiler, Phase::Fused, threading, start);
        Kernel { copies: false, ..kernel }
    }
    fn with(
        mut stages: Stages,
        (codes, cached): (Vec<Code>, Cached),
        compiler: Compiler,
        phase: Phase,
        threading: Threading,
        start: Instant,
    ) -> Kernel {
        let assumed = stages.relies.take().map(|what| Assumed::new(*what, compiler.clone()));
        // What hides NaN of a temporary from the result is another kernel than the one that makes it.
        let doubtful = stages.lowered.doubtful || stages.parts.iter().any(|p| p.lowered.doubtful);
        let deciding = doubtful.then(|| Deciding::new(compiler.clone()));
        let lender = stages.lowered.lender.clone().filter(|_| stages.parts.is_empty());
        let lending = lender.map(|lender| Lending::new(lender, compiler.clone(), &stages.loops));
        let steps = stages.steps.iter().any(|step| *step != Step::Kernel);
        let conversions = steps.then(|| Conversions::new(compiler));
        let signature = Signature::of(&stages.plan.program);
        let copies = stages.copied().is_some();
        let compile_time = start.elapsed();
        Kernel {
            signature,
            stages,
            codes,
            deciding,
            lending,
            assumed,
            conversions,
            cached,
            compile_time,
            threading,
            phase,
            copies,
        }
    }
    /// The kernel on other threads, chunks and groups, with those that it falls back to.
    fn spread_by(self, threading: Threading) -> Kernel {
        let (deciding, assumed) = (self.deciding.map(Deciding::afresh), self.assumed.map(Assumed::afresh));
        let (conversions, lending) =
            (self.conversions.map(Conversions::afresh), self.lending.map(Lending::afresh));
        Kernel { threading, deciding, lending, assumed, conversions, ..self }
    }
    /// The planner weighs its choices by the sizes at hand, but the code takes any: operands say theirs on every call. Sizes
    /// of the variables in `dims` stay.
    pub(crate) fn forget_sizes(&mut self, dims: &BTreeMap<String, usize>) {
        if let Some(assumed) = &mut self.assumed {
            assumed.forget_sizes(dims);
        }
        let indices = &mut self.stages.plan.program.indices;
        for v in indices.ids() {
            if !dims.contains_key(&indices[v].name) {
                indices[v].size = None;
            }
        }
    }
    /// What one run knows of it; of several kernels, what it knows of the one that makes the result.
    pub(crate) fn job(&self) -> Job<'_> {
        self.jobs().next_back().expect("every kernel has code")
    }
    /// What one run knows of each of its kernels.
    fn jobs(&self) -> impl DoubleEndedIterator<Item = Job<'_>> {
        let Kernel { stages, phase, threading, .. } = self;
        let job = move |(n, code)| {
            let (program, lowered, loops, literals) = match stages.parts.get(n) {
                Some(Part { program, lowered, loops, literals, .. }) => (program, lowered, loops, literals),
                None => (&stages.plan.program, &stages.lowered, &stages.loops, &stages.literals),
            };
            Job { program, lowered, loops, literals, code, phase: *phase, threading: *threading }
        };
        self.codes.iter().enumerate().map(job)
    }
    /// Every stage the kernel went through.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }
    /// About how many bytes it takes: its code, and the stages that it went through. Kernels that it makes later, for
    /// operands with infinities and NaN, are not counted.
    pub fn bytes(&self) -> usize {
        self.codes.iter().map(Code::bytes).sum::<usize>() + self.stages.bytes()
    }
    /// How long it took from text to callable code.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }
    /// Whether the code came from the cache.
    pub fn cached(&self) -> Cached {
        self.cached
    }
    /// How runs are spread over threads where there is enough to do, or why they are not.
    pub fn parallel(&self) -> String {
        self.stages.parallel()
    }
    /// The kernel with a number of threads of its own; 0 takes that of the process
    /// ([`set_threads`](crate::set_threads)).
    pub fn with_threads(self, threads: usize) -> Kernel {
        let threading = Threading { threads, ..self.threading };
        self.spread_by(threading)
    }
    /// The kernel in up to so many chunks, however little there is to do: for tests.
    #[doc(hidden)]
    pub fn with_chunks(self, chunks: usize) -> Kernel {
        let threading = Threading { chunks: Some(chunks), ..self.threading };
        self.spread_by(threading)
    }
    /// The kernel with elements placed out of order dealt into so many groups, wherever there are parents for them: for
    /// tests.
    #[doc(hidden)]
    pub fn with_groups(self, groups: usize) -> Kernel {
        let threading = Threading { groups: Some(groups), ..self.threading };
        self.spread_by(threading)
    }
    /// Runs the kernel on named operands. In the scope of a [`Cancel`](openwork_storage::Cancel), another thread can stop
    /// it:
    ///
    /// ```
    /// use openwork::{Cancel, DType, Decl, Decls, Tensor, TensorExt, compile};
    /// let mut decls = Decls::default();
    /// decls.tensors.insert("x".into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    /// let kernel = compile("C(i,j) = x(i) * x(j)", &decls)?;
    /// let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    ///
    /// let cancel = Cancel::new();
    /// let handle = cancel.clone();
    /// std::thread::spawn(move || handle.cancel()).join().unwrap();
    /// let stopped = cancel.scope(|| kernel.run(&[("x", &x)]));
    /// assert_eq!(stopped.unwrap_err().code().0, "E0606");
    /// assert!(kernel.run(&[("x", &x)]).is_ok());
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0211` for a missing operand, `E0201` for one that the statement does not read, `E0212` for one of another dtype
    /// or format, `E0203` for sizes that disagree, `E0603` when the result does not fit in memory, `E0604` when it does not fit its index widths, `E0606` when it was
    /// asked to stop, `E0213` for a kernel that computes values for a pattern:
    /// [`Phases::compute`](crate::Phases::compute) gives it one.
    pub fn run(&self, given: &[(&str, &Tensor)]) -> Result<Outcome> {
        self.run_checked(given, &|_| Ok(()))
    }

    /// Runs the kernel and puts its result in place of `out`, a tensor of the same dtype and shape in any format. Unless
    /// all of it succeeds, nothing happens to `out`. So the result is never written to its memory: the kernel keeps that
    /// for the run after, as [`Kernel::recycle`] does, and two results take turns.
    ///
    /// ```
    /// use openwork::{Decl, DType, Decls, Tensor, TensorExt, compile};
    /// let mut decls = Decls::default();
    /// decls.tensors.insert("x".into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    /// let kernel = compile("y(i) = 2 * x(i)", &decls)?;
    /// let mut y = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    /// let three = Tensor::from_vec(&[3], vec![3.0; 3])?;
    /// kernel.run_into(&mut y, &[("x", &three)])?;
    /// assert_eq!(y, Tensor::from_vec(&[3], vec![6.0; 3])?);
    /// let two = Tensor::from_vec(&[2], vec![3.0; 2])?;
    /// assert_eq!(kernel.run_into(&mut y, &[("x", &two)]).unwrap_err().code().0, "E0203");
    /// assert_eq!(y, Tensor::from_vec(&[3], vec![6.0; 3])?);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kernel::run_for`]; `out` is as it was then.
    pub fn run_into(&self, out: &mut Tensor, given: &[(&str, &Tensor)]) -> Result<()> {
        let outcome = self.run_for(out, given)?;
        self.recycle(std::mem::replace(out, outcome.tensor));
        Ok(())
    }

    /// Runs the kernel and writes the values of its dense result to a slice, last mode fastest.
    ///
    /// ```
    /// use openwork::{TensorView, compile_for};
    /// let x = [1.0, 2.0];
    /// let operands: &[(&str, &openwork::Tensor)] = &[("x", &*TensorView::dense(&[2], &x)?)];
    /// let mut outer = [0.0; 4];
    /// compile_for("C(i,j) = x(i) * x(j)", operands)?.run_into_slice(&mut outer, operands)?;
    /// assert_eq!(outer, [1.0, 2.0, 2.0, 4.0]);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kernel::run`]; `E0212` where the result is not dense in natural order or has another dtype than `T`, `E0203` where
    /// it has another number of values than `out`.
    pub fn run_into_slice<T: Element>(&self, out: &mut [T], given: &[(&str, &Tensor)]) -> Result<()> {
        let result = &self.stages.plan.program.tensors[self.stages.result()];
        let format = self.stages.finish().cloned().unwrap_or(result.declared());
        let refuse = |code, message: String, help: &str| {
            Err(Error::rejected(Diagnostic::new(openwork_base::Code(code), message).help(help)))
        };
        if !format.is_dense() || format.remap.is_some() || !format.modes.is_sorted() {
            let message = format!("the result is stored as {format}, and a slice holds every value");
            return refuse("E0212", message, "run the kernel into a tensor");
        }
        if result.dtype != T::DTYPE {
            let message = format!("the result has dtype {}, and the slice {}", result.dtype, T::DTYPE);
            return refuse("E0212", message, "give a slice of the result's type");
        }
        let outcome = self.run_checked(given, &|extents| {
            let (shape, len) = (self.job().shape(&extents.sizes), out.len());
            match Slots::of(&shape).count() == Some(len) {
                true => Ok(()),
                false => {
                    refuse("E0203", format!("the result has shape {shape:?}, and the slice {len} values"), "")
                }
            }
        })?;
        out.copy_from_slice(outcome.tensor.vals().as_slice::<T>().unwrap_or(&[]));
        self.recycle(outcome.tensor);
        Ok(())
    }

    /// As [`Kernel::run`], for a result that is to take the place of `out`: one of another dtype or shape is refused before
    /// anything runs. `out` may be an operand as well.
    ///
    /// # Errors
    /// As [`Kernel::run`]; `E0212` where the result has another dtype than `out`, `E0203` where it has another shape.
    pub fn run_for(&self, out: &Tensor, given: &[(&str, &Tensor)]) -> Result<Outcome> {
        let result = &self.stages.plan.program.tensors[self.stages.result()];
        self.run_checked(given, &|extents| {
            let shape = self.job().shape(&extents.sizes);
            let (code, message) = if result.dtype != out.dtype() {
                ("E0212", format!("the result has dtype {}, and `out` has {}", result.dtype, out.dtype()))
            } else if shape != out.shape() {
                ("E0203", format!("the result has shape {shape:?}, and `out` has {:?}", out.shape()))
            } else {
                return Ok(());
            };
            Err(Error::rejected(
                Diagnostic::new(openwork_base::Code(code), message)
                    .help("give an earlier result of this kernel"),
            ))
        })
    }

    pub(crate) fn run_checked(
        &self,
        given: &[(&str, &Tensor)],
        check: &dyn Fn(&Extents) -> Result<()>,
    ) -> Result<Outcome> {
        if self.phase == Phase::Compute {
            let message = "the kernel computes values for a pattern, and none was given";
            let d = Diagnostic::new(openwork_base::Code("E0213"), message);
            return Err(Error::rejected(d.help("give it to `Phases::compute`")));
        }
        // What storage does around the kernel has as many threads.
        within(self.threading.threads, || self.run_given(given, check))
    }
    fn run_given(
        &self,
        given: &[(&str, &Tensor)],
        check: &dyn Fn(&Extents) -> Result<()>,
    ) -> Result<Outcome> {
        let start = Instant::now();
        if let Some(assumed) = &self.assumed
            && let Some(outcome) = assumed.run(self, given, check)?
        {
            return Ok(outcome);
        }
        let mut runs = true;
        let (mut outcome, converting) = self.with_operands(given, |operands, extents| {
            check(extents)?;
            if let Some(tensor) = self.rearranged(operands)? {
                let spread = Spread { threads: 1, chunks: 1 };
                runs = false;
                return Ok(Outcome { tensor, times: Times::default(), spread });
            }
            let arguments = Arguments { operands, extents, structure: None };
            if let Some(lending) = &self.lending
                && let Some(Filled { tensor, time, spread }) = lending.run(self, &arguments)?
            {
                return Ok(Outcome { tensor, times: Times { kernel: time, ..Times::default() }, spread });
            }
            let made = self.arrays(&arguments)?;
            let tensor = self.job().tensor(made.buffers, extents)?;
            let times = Times { kernel: made.time, ..Times::default() };
            Ok(Outcome { tensor, times, spread: made.spread })
        })?;
        outcome.times.conversions = converting;
        if !runs {
            outcome.times.conversions = start.elapsed();
        } else if let Some(format) = self.stages.finish() {
            let finishing = Instant::now();
            let made = outcome.tensor;
            let named = format.fill.as_ref().and_then(|_| format.fill_value(made.dtype()));
            let fill = named.unwrap_or(made.fill());
            outcome.tensor = match marked(made, format, fill)? {
                Ok(tensor) => tensor,
                Err(made) => self.finished(&made, format)?,
            };
            outcome.times.conversions += finishing.elapsed();
        }
        outcome.times.total = start.elapsed();
        Ok(outcome)
    }
    /// The result of a statement that copies an operand, where that takes no kernel: storage has a short way, or all that there
    /// is to do is to convert it.
    fn rearranged(&self, operands: &BTreeMap<TensorId, &Tensor>) -> Result<Option<Tensor>> {
        let forced = self.threading.chunks.is_some() || self.threading.groups.is_some();
        if !self.copies || forced {
            return Ok(None);
        }
        let Some(Copied { operand, modes, format }) = self.stages.copied() else { return Ok(None) };
        let operand = operands[&operand];
        if operand.slots() >= threshold(FEW, 1) {
            if modes.is_sorted() {
                if let Some(tensor) = rearranged(operand, format, operand.fill())? {
                    return Ok(Some(tensor));
                }
            } else if format.remap.is_none() {
                // Of computed coordinates the kernel makes the result, which is converted.
                let order = format.modes.iter().map(|&m| modes[m]).collect();
                let own = Format { modes: order, ..format.clone() };
                if let Some(tensor) = rearranged(operand, &own, operand.fill())? {
                    return renamed(tensor, &modes, format).map(Some);
                }
            }
        }
        self.stages.only_finishes().then(|| self.finished(operand, format)).transpose()
    }
    /// What a kernel made, in the format of the result.
    fn finished(&self, made: &Tensor, format: &Format) -> Result<Tensor> {
        match &self.conversions {
            Some(conversions) => conversions.copied(made, format, self.threading),
            None => made.to(format),
        }
    }

    /// Calls `f` with the operands as the kernel wants them, checked, and the ranges of index variables. Also gives the time
    /// that it took to store operands differently.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn with_operands<T>(
        &self,
        given: &[(&str, &Tensor)],
        f: impl FnOnce(&BTreeMap<TensorId, &Tensor>, &Extents) -> Result<T>,
    ) -> Result<(T, Duration)> {
        unread::refuse_repeated(given)?;
        unread::all_are_read(&self.stages, given.iter().map(|(name, _)| *name))?;
        // Most runs take their operands as they are given.
        if self.conversions.is_none() && !given.iter().any(|(_, t)| self.must_not_change(t)) {
            return Ok((self.bound(given, f)?, Duration::ZERO));
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
        let mut nothing = own.is_empty();
        let mut converted: Vec<(&str, Operand)> = Vec::new();
        for (step, conversions) in self.stages.steps.iter().zip(self.conversions.iter().cycle()) {
            let (c, alias) = match step {
                Step::Alias(c) => (c, true),
                Step::Convert(c) | Step::Diagonal(c) | Step::Window(c) => (c, false),
                Step::Structure(c) => {
                    let from = given.iter().find(|(n, _)| *n == c.source);
                    let made = from.map(|(_, t)| t.structure()).transpose()?;
                    converted.extend(made.map(|made| (c.made.as_str(), Operand::Made(made))));
                    nothing = false;
                    continue;
                }
                Step::Kernel | Step::Finish(_) => continue,
            };
            let before = converted.iter().rev().find(|(n, _)| *n == c.source).map(|(_, made)| made);
            let from = given.iter().find(|(n, _)| *n == c.source).map(|(_, t)| *t);
            let operand = match (before, from) {
                (Some(made), _) if alias => made.clone(),
                (Some(made), _) => conversions.operand(c, made.tensor(), self.threading)?,
                (None, Some(given)) if alias => Operand::Given(given),
                (None, Some(given)) => conversions.operand(c, given, self.threading)?,
                (None, None) => continue,
            };
            nothing &= !matches!(operand, Operand::Made(_));
            converted.push((&c.made, operand));
        }
        let converting = if nothing { Duration::ZERO } else { start.elapsed() };
        // What was made last of a name is what the kernel reads.
        let mut all: Vec<(&str, &Tensor)> = converted.iter().rev().map(|(n, t)| (*n, t.tensor())).collect();
        all.extend(given.iter().filter(|(n, _)| !converted.iter().any(|(c, _)| c == n)));
        Ok((self.bound(&all, f)?, converting))
    }
    /// Calls `f` with operands that are stored as the kernel wants them, once they are checked.
    fn bound<T>(
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
        let twice = self.stages.plan.program.assembly != Assembly::InOrder;
        twice && t.vals().may_change() && (t.format().has_padding() || t.format().is_full())
    }

    /// Gives a result of this kernel back, so that the next run uses its memory again.
    ///
    /// ```
    /// use openwork::{Decl, DType, Decls, Tensor, TensorExt, compile};
    /// let mut decls = Decls::default();
    /// decls.tensors.insert("x".into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    /// let kernel = compile("y(i) = x(i) * x(i)", &decls)?;
    /// let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    /// for _ in 0..10 {
    ///     let y = kernel.run(&[("x", &x)])?.tensor;
    ///     kernel.recycle(y);
    /// }
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn recycle(&self, result: Tensor) {
        let own = match &self.lending {
            Some(lending) => lending.recycle(result),
            None => Some(result),
        };
        if let Some(result) = own {
            self.job().recycle(result);
        }
    }

    /// Runs the kernel on checked operands.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn arrays(&self, arguments: &Arguments) -> Result<Arrays> {
        let watch = self.deciding.as_ref().map(|_| Watch::new());
        let made = self.made(arguments, watch.as_ref())?;
        match &self.deciding {
            Some(deciding) if watch.is_some_and(|w| w.found()) => deciding.anew(self, made, arguments),
            Some(_) | None => Ok(made),
        }
    }
    /// Runs the kernels one after the other; what those before the last one make are operands of later ones.
    fn made(&self, arguments: &Arguments, watch: Option<&Watch>) -> Result<Arrays> {
        if self.codes.len() == 1 {
            return self.job().run(arguments, watch);
        }
        let mut temporaries: Vec<(TensorId, Tensor)> = Vec::new();
        let mut time = Duration::ZERO;
        for (job, part) in self.jobs().zip(&self.stages.parts) {
            let made = temporaries.iter().map(|(id, t)| (*id, t));
            let operands = arguments.operands.iter().map(|(id, t)| (*id, *t)).chain(made).collect();
            let arrays = job.run(&Arguments { operands: &operands, ..*arguments }, watch)?;
            time += arrays.time;
            match part.temporary {
                Some(temp) => temporaries.push((temp, job.tensor(arrays.buffers, arguments.extents)?)),
                None => return Ok(Arrays { time, ..arrays }),
            }
        }
        Err(Error::bug("run", "no kernel makes the result", self.stages.loops_text()))
    }
}

/// A dense tensor whose modes are those of another one with these numbers.
fn renamed(tensor: Tensor, modes: &[usize], format: &Format) -> Result<Tensor> {
    let p = tensor.into_parts();
    let shape = modes.iter().map(|&m| p.shape[m]).collect();
    Tensor::new_checked(shape, format.clone(), p.fill, p.levels, p.vals)
}
