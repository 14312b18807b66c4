//! A compiled statement.

use crate::compiler::Compiler;
use crate::convert::{Conversions, Copier};
use crate::ran::{PlannedOperand, Ran};
use crate::stages::{PartKernel, Stages};
use crate::unit::KernelUnit;
use openwork_backend::Compiled;
use openwork_base::machine::forced_variant;
use openwork_base::threads::run_with_limit;
use openwork_base::{Diagnostic, Error, Result, SlotCount};
use openwork_execute::{Extents, Job, KernelCode, Signature, Spread, Threading, VariantProgress};
use openwork_lower::Phase;
use openwork_planner::{Step, Variant};
use openwork_runtime::Cached;
use openwork_storage::{Element, Tensor};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A kernel that can run many times, on any operands of the dtypes and formats it was compiled for.
pub struct Kernel {
    /// What runs ask of the statement as a whole.
    pub(crate) signature: Signature,
    pub(crate) stages: Stages,
    /// The code of each kernel that computes it, in order: one, or those of [`Stages::parts`].
    codes: Vec<KernelCode>,
    /// What became of each variant of the plan.
    pub(crate) variants: Vec<TriedVariant>,
    /// The kernels that find positions which are none, once one of them was needed.
    pub(crate) stray_finders: Vec<OnceLock<Box<Kernel>>>,
    /// Makes code that is only needed now and then.
    pub(crate) compiler: Compiler,
    /// What makes its conversions.
    pub(crate) copies: Conversions<Kernel>,
    cached: Cached,
    compile_time: Duration,
    pub(crate) threading: Threading,
    /// Which part of the work on its result it does.
    pub(crate) phase: Phase,
    /// The variant that was asked for, by its place among all.
    pub(crate) asked: Option<usize>,
    /// The operands that its plan was made for, where it serves others of about the same order.
    pub(crate) planned_for: Option<Arc<[PlannedOperand]>>,
}

/// A variant of a plan: how runs went, and the code of each of its steps, once it was needed.
pub(crate) struct TriedVariant {
    pub(crate) progress: VariantProgress,
    pub(crate) units: Vec<OnceLock<StepCode>>,
}

/// What a step of a variant runs.
pub(crate) enum StepCode {
    /// A kernel on the plan's operands.
    Unit(Box<KernelUnit>),
    /// A statement of its own.
    Statement(Box<Kernel>),
    /// No code: the step cannot be taken.
    Nothing,
}

/// A step of a variant, by their places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepPlace {
    pub(crate) variant: usize,
    pub(crate) step: usize,
}

impl TriedVariant {
    fn new(variant: &Variant) -> TriedVariant {
        TriedVariant {
            progress: VariantProgress::default(),
            units: variant.steps.iter().map(|_| OnceLock::new()).collect(),
        }
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub tensor: Tensor,
    /// How long it took.
    pub times: Times,
    /// How the work was spread over threads.
    pub spread: Spread,
    /// What ran.
    pub ran: Ran,
}

/// The times that a run took: in the kernel, in what had to be stored differently around it, and from beginning to end.
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
    pub(crate) fn from_stages(
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
            let (code, from) =
                KernelCode::compile(&compiler.backend, &compiler.cache, program, loops, passes)?;
            codes.push(code);
            cached = if from == Cached::Miss { from } else { cached };
        }
        let kernel = Kernel::from_codes(stages, codes, compiler, threading);
        // Phases have variants of their own, whose numbers nobody knows.
        let asked = kernel.asked.filter(|_| phase == Phase::Fused);
        let kernel = Kernel { phase, cached, asked, ..kernel };
        Ok(Kernel { compile_time: start.elapsed(), ..kernel })
    }
    /// Code of the caller's in place of the kernel of lowered stages, which were begun at `start`. It computes everything by
    /// itself: there is no other kernel for operands that this one takes to be finite, and no way around it.
    pub(crate) fn from_code(
        stages: Stages,
        code: Box<dyn Compiled>,
        compiler: Compiler,
        threading: Threading,
        start: Instant,
    ) -> Kernel {
        let stages = stages.with_given_code();
        let codes = vec![KernelCode::from_compiled(code, &stages.plan.program)];
        let kernel = Kernel::from_codes(stages, codes, compiler, threading);
        Kernel { compile_time: start.elapsed(), ..kernel }
    }
    fn from_codes(
        stages: Stages,
        codes: Vec<KernelCode>,
        compiler: Compiler,
        threading: Threading,
    ) -> Kernel {
        Kernel {
            signature: Signature::from_program(&stages.plan.program),
            codes,
            variants: stages.variants.iter().map(TriedVariant::new).collect(),
            stray_finders: stages.positions.iter().flat_map(|p| &p.checks).map(|_| OnceLock::new()).collect(),
            compiler,
            copies: Conversions::default(),
            cached: Cached::Miss,
            compile_time: Duration::ZERO,
            threading,
            phase: Phase::Fused,
            planned_for: None,
            asked: forced_variant().map(|number| number.clamp(1, stages.variants.len()) - 1),
            stages,
        }
    }
    /// The kernel on other threads, chunks and groups, with those that it falls back to.
    fn spread_by(self, threading: Threading) -> Kernel {
        let variants = self.stages.variants.iter().map(TriedVariant::new).collect();
        let stray_finders = self.stray_finders.iter().map(|_| OnceLock::new()).collect();
        Kernel { threading, variants, stray_finders, copies: Conversions::default(), ..self }
    }
    /// The kernel with one of its plan's variants to be tried first, by its number from 1 on ([`Stages::variants`]): one that
    /// would not be faster as well. Where it cannot be right for the operands, the next one runs; [`Outcome::ran`] tells.
    ///
    /// ```
    /// use openwork::{Tensor, compile_for, presets, TensorExt};
    /// let a = Tensor::from_vec(&[2, 2], vec![0.0, 1.0, 0.0, 2.0])?.to_format(&presets::csr())?;
    /// let kernel = compile_for("B(i,j) = 2 * A(i,j)", &[("A", &a)])?;
    /// assert_eq!(kernel.run(&[("A", &a)])?.ran.name, "kernel");
    /// assert_eq!(kernel.with_variant(1)?.run(&[("A", &a)])?.ran.name, "values");
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0808` for a number that no variant has.
    pub fn with_variant(self, number: usize) -> Result<Kernel> {
        let all = self.stages.variants.len();
        if (1..=all).contains(&number) {
            return Ok(Kernel { asked: Some(number - 1), ..self });
        }
        let message = format!("there is no variant {number}");
        let help = match all {
            1 => "the plan has one variant only, number 1".to_string(),
            _ => format!("the plan has {all} variants, numbered from 1"),
        };
        Err(Error::rejection(Diagnostic::new(openwork_base::Code("E0808"), message).help(help)))
    }
    /// Whether the kernel of the plan is what is tried first, as far as somebody asks, and nothing is looked at before: other
    /// variants do not run part by part with those of other statements.
    pub(crate) fn asks_for_its_kernel(&self) -> bool {
        // Positions are looked at before a kernel runs.
        self.asked.is_none_or(|asked| asked == self.own_variant()) && self.stages.positions.is_none()
    }
    /// The record of a run of the plan's kernel with nothing around it.
    pub(crate) fn own_ran(&self) -> Ran {
        let own = self.own_variant();
        Ran { variant: own + 1, name: self.stages.variants[own].name(), ..Ran::default() }
    }
    /// The place of the variant that runs the kernel of the plan.
    fn own_variant(&self) -> usize {
        let runs_kernel = |v: &Variant| v.steps.contains(&Step::Kernel);
        self.stages.variants.iter().position(runs_kernel).unwrap_or(0)
    }
    /// The planner weighs its choices by the sizes at hand, but the code takes any: operands say theirs on every call. Sizes
    /// of the variables in `dims` stay.
    pub(crate) fn forget_sizes(&mut self, dims: &BTreeMap<String, usize>) {
        let relies = self.stages.relies.as_mut().map(|relies| &mut relies.assignment.indices);
        let positions = self.stages.positions.as_mut().map(|positions| &mut positions.assignment.indices);
        let own = [&mut self.stages.plan.program.indices];
        for indices in relies.into_iter().chain(positions).chain(own) {
            for v in indices.ids() {
                // What follows from the sizes of operands holds for those.
                if !dims.contains_key(&indices[v].name)
                    && indices[v].made_for.is_empty()
                    && !indices[v].declared
                {
                    indices[v].size = None;
                }
            }
        }
    }
    /// What one run knows of it; of several kernels, what it knows of the one that makes the result.
    pub(crate) fn job(&self) -> Job<'_> {
        self.jobs().next_back().expect("every kernel has code")
    }
    /// What one run knows of each of its kernels.
    pub(crate) fn jobs(&self) -> impl DoubleEndedIterator<Item = Job<'_>> {
        let Kernel { stages, phase, threading, .. } = self;
        let job = move |(n, code)| {
            let (program, lowered, loops, literals) = match stages.parts.get(n) {
                Some(PartKernel { program, lowered, loops, literals, .. }) => {
                    (program, lowered, loops, literals)
                }
                None => (&stages.plan.program, &stages.lowered, &stages.loops, &stages.literals),
            };
            Job { program, lowered, loops, literals, code, phase: *phase, threading: *threading }
        };
        self.codes.iter().enumerate().map(job)
    }
    /// Whether NaN in what its own kernel makes is computed anew.
    pub(crate) fn rejects_nan(&self) -> bool {
        self.stages.variants.iter().any(Variant::rejects_nan)
    }
    /// Every stage the kernel went through.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }
    /// About how many bytes it takes: its code, and the stages that it went through. Kernels that it makes later, for
    /// operands with infinities and NaN, are not counted.
    pub fn bytes(&self) -> usize {
        self.codes.iter().map(KernelCode::bytes).sum::<usize>() + self.stages.bytes()
    }
    /// How long it took from text to callable code.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }
    /// Whether the code came from the cache.
    pub fn cache_state(&self) -> Cached {
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
        let format = self.stages.finish().cloned().unwrap_or(result.declared_format());
        let refuse = |code, message: String, help: &str| {
            Err(Error::rejection(Diagnostic::new(openwork_base::Code(code), message).help(help)))
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
            match SlotCount::product(&shape).count() == Some(len) {
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
            Err(Error::rejection(
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
        self.refuse_values_alone()?;
        // What storage does around the kernel has as many threads.
        run_with_limit(self.threading.threads, || self.run_given(given, None, check))
    }

    /// Refuses a kernel that computes values for a pattern, which a plain run does not give.
    pub(crate) fn refuse_values_alone(&self) -> Result<()> {
        if self.phase != Phase::Compute {
            return Ok(());
        }
        let message = "the kernel computes values for a pattern, and none was given";
        let d = Diagnostic::new(openwork_base::Code("E0213"), message);
        Err(Error::rejection(d.help("give it to `Phases::compute`")))
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
        let lends = |step: &Step| matches!(step, Step::Lend(_));
        let steps = self.stages.variants.iter().zip(&self.variants);
        // One whose result was rejected does not run again.
        let lending = steps.filter(|(_, tried)| !tried.progress.is_rejected());
        let lending = lending.flat_map(|(v, tried)| v.steps.iter().zip(&tried.units)).find(|(s, _)| lends(s));
        match lending.and_then(|(_, unit)| unit.get()) {
            Some(StepCode::Unit(unit)) => unit.job(self.threading).keep_values(result.into_parts().vals),
            Some(StepCode::Statement(_) | StepCode::Nothing) | None => self.job().recycle(result),
        }
    }
}

impl Copier for Kernel {
    fn compile(stages: Stages, compiler: &Compiler, threading: Threading, start: Instant) -> Result<Kernel> {
        Kernel::from_stages(stages, compiler.clone(), Phase::Fused, threading, start)
    }
    fn copy(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(self.run(&[("A", tensor)])?.tensor)
    }
}
