//! A compiled statement.

use crate::assumed::Assumed;
use crate::bind::{self, Extents};
use crate::convert::{Conversions, Operand};
use crate::deciding::Deciding;
use crate::ext::TensorExt;
use crate::parallel::{Arguments, Schedule, Spread, Threading};
use crate::stages::Stages;
use openwork_algebra::Scalar;
use openwork_backend::{Backend, Compiled};
use openwork_base::{Code, Diagnostic, Error, Id, Result};
use openwork_format::{ArrayRole, Format};
use openwork_index::cin::{Assembly, Storage};
use openwork_index::{Kind, TensorId};
use openwork_levels::Registry;
use openwork_loops::Init;
use openwork_lower::{Binding, Phase, appended};
use openwork_planner::Step;
use openwork_runtime::{Cached, KernelCache, Room, Watch};
use openwork_storage::tensor::Parts;
use openwork_storage::{Buffer, LevelArrays, Maker, Tensor};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A kernel that can run many times, on any operands of the dtypes and formats it was compiled for.
pub struct Kernel {
    pub(crate) stages: Stages,
    pub(crate) code: Arc<dyn Compiled>,
    /// What compiles the passes of an assembly, once they are worth it.
    pub(crate) passes: Option<Compiler>,
    /// The kernel for operands with infinities and NaN, where its own results may need it.
    pub(crate) deciding: Option<Deciding>,
    /// The kernels for operands that are not what it relies on.
    pub(crate) assumed: Option<Assumed>,
    /// What makes its conversions, where it has other steps than itself.
    pub(crate) conversions: Option<Conversions>,
    pub(crate) cached: Cached,
    pub(crate) compile_time: Duration,
    /// Memory of recycled results, by what it was bound to.
    pub(crate) spares: Mutex<Vec<(Binding, Buffer)>>,
    pub(crate) threading: Threading,
    /// Which part of the work on its result it does.
    pub(crate) phase: Phase,
}

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

/// What the calls of one run made.
pub(crate) struct Arrays {
    /// The arrays of the result that the kernel writes, in its order.
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) time: Duration,
    pub(crate) spread: Spread,
}

/// The elements of a product per element of its operands for which there is room at first.
pub(crate) const PER_OPERAND: usize = 8;

/// A tensor that is assigned, in messages: the planner's own have names that nobody gave them.
fn shown(t: &openwork_index::Tensor) -> String {
    if t.kind == Kind::Temp { "a workspace".into() } else { format!("`{}`", t.given) }
}

/// Sparse workspaces number the coordinates of all their modes together, those with bits in whole words.
fn count_coordinates(shape: &[usize], storage: Storage) -> Result<()> {
    let count = shape.iter().try_fold(1i64, |n, &size| n.checked_mul(i64::try_from(size).ok()?));
    let rest = if storage == Storage::Hash { 0 } else { 63 };
    if count.is_some_and(|n| n <= i64::MAX - rest) {
        return Ok(());
    }
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    let message = format!("a workspace of {} has more coordinates than 64 bits count", shape.join(" x "));
    let d = Diagnostic::new(Code("E0603"), message);
    Err(Error::rejected(d.help("store the operands in the order of the result, so that a row is enough")))
}

impl Kernel {
    /// The kernel of lowered stages, which were begun at `start`.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn of(
        mut stages: Stages,
        compiler: Compiler,
        phase: Phase,
        threading: Threading,
        start: Instant,
    ) -> Result<Kernel> {
        let (code, cached) = compiler.cache.get(&*compiler.backend, &stages.loops)?;
        let assumed = stages.relies.take().map(|what| Assumed::new(*what, compiler.clone()));
        let deciding = stages.lowered.doubtful.then(|| Deciding::new(compiler.clone()));
        let steps = stages.steps.iter().any(|step| *step != Step::Kernel);
        let conversions = steps.then(|| Conversions::new(compiler.clone()));
        let passes = stages.lowered.passes.is_some().then_some(compiler);
        let (compile_time, spares) = (start.elapsed(), Mutex::default());
        Ok(Kernel {
            stages,
            code,
            passes,
            deciding,
            assumed,
            conversions,
            cached,
            compile_time,
            spares,
            threading,
            phase,
        })
    }
    /// The kernel on other threads, chunks and groups, with those that it falls back to.
    fn spread_by(self, threading: Threading) -> Kernel {
        let (deciding, assumed) = (self.deciding.map(Deciding::afresh), self.assumed.map(Assumed::afresh));
        let conversions = self.conversions.map(Conversions::afresh);
        Kernel { threading, deciding, assumed, conversions, ..self }
    }
    /// Every stage the kernel went through.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }
    /// About how many bytes it takes: its code, and the stages that it went through. Kernels that it makes later, for
    /// operands with infinities and NaN, are not counted.
    pub fn bytes(&self) -> usize {
        self.code.bytes() + self.stages.bytes()
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

    /// As [`Kernel::run`], for a result that is to take the place of `out`: one of another dtype or shape is refused before
    /// anything runs. `out` may be an operand as well.
    ///
    /// # Errors
    /// As [`Kernel::run`]; `E0212` where the result has another dtype than `out`, `E0203` where it has another shape.
    pub fn run_for(&self, out: &Tensor, given: &[(&str, &Tensor)]) -> Result<Outcome> {
        let result = &self.stages.plan.program.tensors[self.stages.result()];
        self.run_checked(given, &|extents| {
            let shape = self.result_shape(&extents.sizes);
            let (code, message) = if result.dtype != out.dtype() {
                ("E0212", format!("the result has dtype {}, and `out` has {}", result.dtype, out.dtype()))
            } else if shape != out.shape() {
                ("E0203", format!("the result has shape {shape:?}, and `out` has {:?}", out.shape()))
            } else {
                return Ok(());
            };
            Err(Error::rejected(
                Diagnostic::new(Code(code), message).help("give an earlier result of this kernel"),
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
            let d = Diagnostic::new(Code("E0213"), message);
            return Err(Error::rejected(d.help("give it to `Phases::compute`")));
        }
        let start = Instant::now();
        if let Some(assumed) = &self.assumed
            && let Some(outcome) = assumed.run(self, given, check)?
        {
            return Ok(outcome);
        }
        let (mut outcome, converting) = self.with_operands(given, |operands, extents| {
            check(extents)?;
            let made = self.arrays(&Arguments { operands, extents, structure: None })?;
            let tensor = self.assembled(made.buffers, extents)?;
            let times = Times { kernel: made.time, ..Times::default() };
            Ok(Outcome { tensor, times, spread: made.spread })
        })?;
        outcome.times.conversions = converting;
        if let Some(format) = self.stages.finish() {
            let finishing = Instant::now();
            let tensor = match &self.conversions {
                Some(conversions) => conversions.copied(&outcome.tensor, format, self.threading)?,
                None => outcome.tensor.to(format)?,
            };
            self.recycle(std::mem::replace(&mut outcome.tensor, tensor));
            outcome.times.conversions += finishing.elapsed();
        }
        outcome.times.total = start.elapsed();
        Ok(outcome)
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
        let start = Instant::now();
        bind::all_are_read(&self.stages, given.iter().map(|(name, _)| *name))?;
        let program = &self.stages.plan.program;
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
                Step::Convert(c) | Step::Diagonal(c) => (c, false),
                Step::Kernel | Step::Finish(_) => continue,
            };
            let Some((_, tensor)) = given.iter().find(|(n, _)| *n == c.source) else { continue };
            let operand = match alias {
                true => Operand::Given(tensor),
                false => conversions.operand(c, tensor, self.threading)?,
            };
            nothing &= !matches!(operand, Operand::Made(_));
            converted.push((bind::given_name(program, c.tensor), operand));
        }
        let converting = if nothing { Duration::ZERO } else { start.elapsed() };
        let mut all: Vec<(&str, &Tensor)> = converted.iter().map(|(n, t)| (*n, t.tensor())).collect();
        all.extend(given.iter().filter(|(n, _)| !converted.iter().any(|(c, _)| c == n)));
        let operands = bind::operands(program, &all)?;
        let extents = bind::extents(program, &operands)?;
        self.check_result(&extents)?;
        self.check_counts(&operands)?;
        Ok((f(&operands, &extents)?, converting))
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
        let tensor = self.stages.result();
        if !bind::same_layout(result.format(), &self.stages.plan.program.tensors[tensor].declared()) {
            return;
        }
        let parts = result.into_parts();
        let mut spares = self.spares();
        spares.clear();
        for (level, arrays) in parts.levels.into_iter().enumerate() {
            for (array, buffer) in arrays.arrays.into_iter().enumerate() {
                spares.push((Binding::Index { tensor, level, array }, buffer));
            }
        }
        spares.push((Binding::Values { tensor }, parts.vals));
    }

    /// Memory of recycled results. A lock whose holder panicked guards a list that is whole at any time.
    fn spares(&self) -> MutexGuard<'_, Vec<(Binding, Buffer)>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Memory of a recycled result for the same array, if there is some.
    pub(crate) fn spare(&self, binding: Binding) -> Option<Buffer> {
        let mut spares = self.spares();
        spares.iter().position(|(b, _)| *b == binding).map(|n| spares.swap_remove(n).1)
    }
    /// Room for an array of the result: sized by the operands where it is appended to.
    pub(crate) fn room(&self, binding: Binding, operands: &BTreeMap<TensorId, &Tensor>) -> Room {
        let (program, lowered) = (&self.stages.plan.program, &self.stages.lowered);
        let declared = lowered.bindings.iter().zip(lowered.kernel.bufs.iter()).find(|(b, _)| **b == binding);
        let init = declared.map_or(Init::Zeros, |(_, (_, buf))| buf.init);
        if !appended(binding, program) {
            return Room { init, ..Room::new() };
        }
        let stored: usize = operands.values().filter(|t| !t.format().is_dense()).map(|t| t.slots()).sum();
        // Address space that is not written costs nothing.
        let expected = if self.multiplies() { stored.saturating_mul(PER_OPERAND) } else { stored };
        Room { expected, init, ..Room::new() }
    }

    /// Whether the result may have many more elements than the operands: it comes from a sparse workspace.
    pub(crate) fn multiplies(&self) -> bool {
        let sparse = |t: &openwork_index::Tensor| t.kind == Kind::Temp && !t.format.is_dense();
        self.stages.plan.program.tensors.iter().any(|(_, t)| sparse(t))
    }

    pub(crate) fn result_shape(&self, sizes: &[usize]) -> Vec<usize> {
        let program = &self.stages.plan.program;
        let id = self.stages.result();
        let lhs = program.body.assignments().into_iter().map(|(lhs, _, _)| lhs).find(|a| a.tensor == id);
        lhs.map_or(Vec::new(), |a| {
            program.tensors[id].mode_vars(a).iter().map(|v| sizes[v.index()]).collect()
        })
    }

    /// Refuses, before anything runs, results and temporaries whose size cannot be addressed, and dimensions that the
    /// result's coordinates cannot count.
    fn check_result(&self, extents: &Extents) -> Result<()> {
        let sizes = &extents.sizes;
        let program = &self.stages.plan.program;
        for (lhs, _, _) in program.body.assignments() {
            let t = &program.tensors[lhs.tensor];
            let shape: Vec<usize> = lhs.vars.iter().map(|v| sizes[v.index()]).collect();
            if shape.contains(&0) {
                continue;
            }
            if t.kind == Kind::Temp && !t.format.is_dense() {
                count_coordinates(&shape, self.stages.lowered.storage[&lhs.tensor])?;
                continue;
            }
            let mut dense_run: Option<u64> = Some(t.dtype.size() as u64);
            for (level, &mode) in t.format.levels.iter().zip(&t.format.modes) {
                let size = shape[mode] as u64;
                let width = t.format.width(ArrayRole::Crd);
                let listed = level.spec.arrays.iter().any(|a| a.role == ArrayRole::Crd);
                let low = extents.lows[lhs.vars[mode].index()];
                let largest = i128::from(low) + i128::from(size) - 1;
                // The mark of empty slots is no coordinate.
                let marks = level.marks_empties();
                let most = i128::from(width.max()) - i128::from(marks && width.empty() > 0);
                if listed && (largest > most || (low < 0 && width.empty() > 0)) {
                    let message = format!(
                        "coordinates of {} go from {low} to {largest}, beyond {}",
                        shown(t),
                        width.dtype()
                    );
                    let d = Diagnostic::new(Code("E0604"), message)
                        .help("give it wider coordinates: `; crd = i64`");
                    return Err(Error::rejected(d));
                }
                dense_run = match level.is_dense() {
                    true => dense_run.and_then(|n| n.checked_mul(size)),
                    false => Some(t.dtype.size() as u64),
                };
                if dense_run.is_none_or(|n| n > isize::MAX as u64) {
                    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
                    let message =
                        format!("{} of {} would be too large for memory", shown(t), shape.join(" x "));
                    let d = Diagnostic::new(Code("E0603"), message).help("store it in a sparse format");
                    return Err(Error::rejected(d));
                }
            }
        }
        Ok(())
    }

    /// Kernels that assemble out of order count elements in 32 bits.
    fn check_counts(&self, operands: &BTreeMap<TensorId, &Tensor>) -> Result<()> {
        let counts = self.stages.plan.program.assembly != Assembly::InOrder;
        let most = operands.values().map(|t| t.slots()).max().unwrap_or(0);
        if counts && most > u32::MAX as usize {
            let message = format!("{most} values are more than an assembly out of order can count");
            return Err(Error::rejected(Diagnostic::new(Code("E0604"), message)));
        }
        Ok(())
    }

    /// Runs the kernel on checked operands.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn arrays(&self, arguments: &Arguments) -> Result<Arrays> {
        let start = Instant::now();
        let watch = self.deciding.as_ref().map(|_| Watch::new());
        // SAFETY: the bindings come from the lowering that made the kernel; `bind` checked dtypes, formats and sizes;
        // tensors are validated when they are made, so their index arrays stay in bounds.
        let (buffers, spread) = match unsafe { self.run_in_passes(arguments)? } {
            Some((buffers, spread)) => {
                for buffer in &buffers {
                    watch.as_ref().map_or(Ok(()), |w| w.over(buffer))?;
                }
                (buffers, spread)
            }
            None => {
                let (operands, extents) = (arguments.operands, arguments.extents);
                let schedule = Schedule::of(&self.stages, operands, extents, self.threading, watch.is_some());
                // SAFETY: as above.
                (unsafe { self.run_scheduled(&schedule, arguments, watch.as_ref())? }, schedule.spread())
            }
        };
        let made = Arrays { buffers, time: start.elapsed(), spread };
        match &self.deciding {
            Some(deciding) if watch.is_some_and(|w| w.found()) => deciding.anew(self, made, arguments),
            Some(_) | None => Ok(made),
        }
    }

    /// The result tensor of the arrays that a kernel made. Where it made no values, all of them are `true`.
    pub(crate) fn assembled(&self, buffers: Vec<Buffer>, extents: &Extents) -> Result<Tensor> {
        let (program, lowered) = (&self.stages.plan.program, &self.stages.lowered);
        let result = self.stages.result();
        let t = &program.tensors[result];
        debug_assert_eq!(t.kind, Kind::Result);
        let mut levels: Vec<LevelArrays> = t.format.levels.iter().map(|_| LevelArrays::default()).collect();
        let mut vals = Buffer::empty(t.dtype);
        let outs = lowered.bindings.iter().filter(|b| match b {
            Binding::Index { tensor, .. } | Binding::Values { tensor } => *tensor == result,
            Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => false,
        });
        for (binding, buffer) in outs.zip(buffers) {
            match binding {
                Binding::Index { level, .. } => levels[*level].arrays.push(buffer),
                Binding::Values { .. } => vals = buffer,
                Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => {}
            }
        }
        let shape = self.result_shape(&extents.sizes);
        // The widths that the kernel was lowered with.
        let (pos, crd) = (t.format.width(ArrayRole::Pos), t.format.width(ArrayRole::Crd));
        let mut format = t.declared().with_widths(pos, crd);
        let mut fill = t.fill;
        if self.phase == Phase::Assemble {
            (fill, format.fill) = (Scalar::Bool(false), None);
            vals = Buffer::from(vec![true; elements(&t.format, &levels, &shape)]);
        }
        let maker = match program.assembly {
            Assembly::InOrder => Maker::InOrder,
            Assembly::OutOfOrder(_) => Maker::OutOfOrder,
        };
        let parts = Parts { shape, format, fill, levels, vals };
        // SAFETY: the kernel was lowered for this format, and obeys the law, which was checked after every pass.
        unsafe { parts.made_by(maker) }.map_err(|e| {
            Error::bug("run", format!("the result is not a valid tensor: {e}"), self.stages.loops_text())
        })
    }
}

/// How many values belong to the positions of appended levels.
fn elements(format: &Format, levels: &[LevelArrays], shape: &[usize]) -> usize {
    let per_level = |(k, arrays): (usize, &LevelArrays)| {
        let crd = format.levels[k].spec.arrays.iter().position(|a| a.role == ArrayRole::Crd);
        (crd.map(|n| arrays.arrays[n].len()), shape[format.modes[k]])
    };
    levels.iter().enumerate().map(per_level).fold(1, |above, (listed, size)| listed.unwrap_or(above * size))
}
