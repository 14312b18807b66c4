//! The whole compiler as the tests see it.

use crate::case::Case;
use crate::cineval;
use openwork::{
    BackendKind, Conversion, Decls, Kernel, Operand, Outcome, Session, Stages, Step, TensorExt, presets,
};
use openwork_backend::{Backend, InterpBackend};
use openwork_backend_clif::ClifBackend;
use openwork_base::{Error, Result};
use openwork_index::Program;
use openwork_index::plan::Concrete;
use openwork_loops::interp::Counts;
use openwork_loops::{BlockLength, Wide};
use openwork_lower::{ChunkJoin, Parallel};
use openwork_storage::Tensor;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A compiler under test.
pub trait Pipeline: Sync {
    /// The plan of a case, and how operands are converted for it.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn plan(&self, case: &Case) -> Result<(Concrete, Vec<Conversion>)> {
        Ok((cineval::plan_case(case)?, Vec::new()))
    }
    /// The iteration lattice of the loop over `var`, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn lattice(&self, case: &Case, var: &str) -> Option<Result<String>>;
    /// The iteration graph, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn graph(&self, _case: &Case) -> Option<Result<String>> {
        None
    }
    /// The variants of the plan, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn variants(&self, _case: &Case) -> Option<Result<String>> {
        None
    }
    /// The programs that compute the result in the memory of an operand.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn programs_in_place(&self, _case: &Case) -> Result<Vec<Program>> {
        Ok(Vec::new())
    }
    /// The program and the loops of the variant that computes the result in the memory of an operand, or `None` when this
    /// pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn in_place(&self, _case: &Case, _operand: &str) -> Option<Result<String>> {
        None
    }
    /// The loop IR, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn loops(&self, case: &Case) -> Option<Result<String>>;
    /// What the loops read in place of literals, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn literals(&self, _case: &Case) -> Option<Result<String>> {
        None
    }
    /// What the interpreter counts in one run on one thread, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn counts(&self, _case: &Case) -> Option<Result<String>> {
        None
    }
    /// Gets ready for several cases at once, where that is cheaper than one by one.
    fn prepare(&self, _cases: &[Case]) {}
    /// Runs the case on every backend, the bounds-checking interpreter first. What came out comes with what made it.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn run(&self, case: &Case) -> Result<Vec<Made>>;
}

/// What a run gave.
#[derive(Debug)]
pub struct Made {
    /// The backend, and the variant where it is not the first one that is right.
    pub by: String,
    /// The result.
    pub tensor: Tensor,
}

/// Only the stages up to CIN; no backend.
pub struct Planning;

impl Pipeline for Planning {
    fn lattice(&self, _: &Case, _: &str) -> Option<Result<String>> {
        None
    }
    fn loops(&self, _: &Case) -> Option<Result<String>> {
        None
    }
    fn run(&self, _: &Case) -> Result<Vec<Made>> {
        Ok(Vec::new())
    }
}

/// The compiler behind the public interface, on one session per backend.
pub struct CompilerPipeline {
    pub(crate) sessions: Vec<Session>,
}

/// The most kernels that a session keeps; every random case has a kernel of its own.
const KEPT: usize = 512;

impl CompilerPipeline {
    /// The compiler with the backends of `kinds`, of which there is at least one.
    ///
    /// # Errors
    /// `E0501` when a backend is not available.
    pub fn new(kinds: &[BackendKind]) -> Result<CompilerPipeline> {
        Ok(CompilerPipeline {
            sessions: kinds.iter().map(|&kind| Session::new(kind)).collect::<Result<_>>()?,
        })
    }
    /// The same, with a planner that compares the ways to build even the smallest statement.
    #[must_use]
    pub fn comparing_always(self) -> CompilerPipeline {
        CompilerPipeline { sessions: self.sessions.into_iter().map(Session::comparing_always).collect() }
    }
    /// The C compiler, asked for no optimisation and for many kernels at a time.
    pub fn hurried_c() -> CompilerPipeline {
        CompilerPipeline { sessions: vec![hurried_c()] }
    }
    /// The same, with no optimisation asked of the C compiler.
    #[must_use]
    pub fn without_optimisation(self) -> CompilerPipeline {
        let hurried = |s: Session| if s.kind() == BackendKind::C { hurried_c() } else { s };
        CompilerPipeline { sessions: self.sessions.into_iter().map(hurried).collect() }
    }
    /// The interpreter, and Cranelift with the vectors of at most `bytes` that we assemble, for loops of any length,
    /// with sums in the shortest blocks.
    ///
    /// # Errors
    /// When Cranelift is not available.
    pub fn always_wide(bytes: usize) -> Result<CompilerPipeline> {
        let clif = ClifBackend::new()?;
        let wide = clif.target().wide.map(|w| Wide { bytes: w.bytes.min(bytes), least: 1, ..w });
        let interp =
            InterpBackend::new().with_wide(Some(Wide::new(bytes, 1))).with_blocks(BlockLength::SMALL);
        let interp = Session::with_backend(BackendKind::Interp, Arc::new(interp));
        let clif = Session::with_backend(
            BackendKind::Clif,
            Arc::new(clif.with_wide(wide).with_blocks(BlockLength::SMALL)),
        );
        Ok(CompilerPipeline { sessions: vec![interp, clif] })
    }
    fn stages(&self, case: &Case) -> Result<Stages> {
        self.sessions[0].stages_scheduled(&case.text, &case.decls(&case.statement()?)?, &case.commands()?)
    }
}

/// Runs every variant of the plan. Each makes the bits of `made`, whatever NaN is written like, but for those that run for what
/// the operands are alone, whose results are given back: where annihilators decide, zeros have no sign and need not be stored,
/// what is looked for may round otherwise, and so may functions of vectors.
fn every_variant(mut kernel: Kernel, operands: &[(&str, &Tensor)], made: &Tensor) -> Result<Vec<Made>> {
    let (wanted, mut others) = (bits_of_numbers(made), Vec::new());
    let functions = kernel.stages().variants().iter().any(|v| v.values_round_apart);
    for number in 1..=kernel.stages().variants().len() {
        kernel = kernel.with_variant(number)?;
        let Outcome { tensor, ran, .. } = kernel.run(operands)?;
        let listed = kernel.stages().variants()[ran.variant - 1].name();
        let may_differ = functions || matches!(ran.name, "strict" | "deciding");
        let same = bits_of_numbers(&tensor) == wanted;
        if !(same || may_differ) || listed != ran.name {
            let text = kernel.stages().described_variants().join("\n");
            let what = format!("variant {number}, which ran as {ran}, makes something else");
            return Err(Error::bug("run", what, format!("{text}\n{tensor:?}\n{made:?}")));
        }
        if !same {
            others.push(Made { by: ran.to_string(), tensor });
        }
    }
    Ok(others)
}

/// Runs the kernel with each operand given away in whose memory it can compute its result, on its own and cut into parts: the
/// result has the bits of `made`, in that memory where the variant ran, and operands that stay are as they were.
pub(crate) fn run_in_place(kernel: &Kernel, operands: &[(&str, &Tensor)], made: &Tensor) -> Result<usize> {
    let mut count = 0;
    // Where annihilators decided, products were rounded before they were added.
    let decided = kernel.run(operands)?.ran.name == "deciding";
    for (_, place) in kernel.stages().places() {
        let Some((_, tensor)) = operands.iter().find(|(name, _)| *name == place) else { continue };
        let own = tensor.duplicate()?;
        let at = own.vals().as_ptr();
        let all = operands.iter().filter(|(name, _)| *name != place).map(|(n, t)| (*n, Operand::Borrow(t)));
        let Outcome { tensor, ran, .. } = kernel.run_taking(all.chain([(place, Operand::Take(own))]))?;
        // Arrays without elements are all at one address.
        let empty = tensor.vals().is_empty();
        let placed = if empty { ran.name == "in place" } else { tensor.vals().as_ptr() == at };
        let same = bits_of_numbers(&tensor) == bits_of_numbers(made);
        if (ran.name == "in place") != placed || !(same || decided && placed) {
            let text = kernel.stages().described_variants().join("\n");
            let what = format!("with `{place}` given away, {ran} makes something else");
            return Err(Error::bug("run", what, format!("{text}\n{tensor:?}\n{made:?}")));
        }
        count += usize::from(placed);
    }
    Ok(count)
}

fn hurried_c() -> Session {
    Session::with_backend(BackendKind::C, Arc::new(openwork_backend_c::CBackend::without_optimisation()))
}

/// A way to run kernels on each session of a compiler.
pub trait RunWay: Sync {
    /// The compiler.
    fn compiler(&self) -> &CompilerPipeline;
    /// Runs a case on one session.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn result(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Tensor>;
    /// The same with results that may have other bits: those of variants that run for what the operands are alone.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn results(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Vec<Made>> {
        let tensor = self.result(session, case, decls, operands)?;
        Ok(vec![Made { by: session.kind().name().into(), tensor }])
    }
}

impl RunWay for CompilerPipeline {
    fn compiler(&self) -> &CompilerPipeline {
        self
    }
    fn result(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Tensor> {
        run_again(&session.compile_scheduled(&case.text, decls, &case.commands()?)?, operands)
    }
    fn results(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Vec<Made>> {
        let kernel = session.compile_scheduled(&case.text, decls, &case.commands()?)?;
        let tensor = run_again(&kernel, operands)?;
        run_in_place(&kernel, operands, &tensor)?;
        let name = session.kind().name();
        // A C compiler takes its time.
        let variants = match session.kind() {
            BackendKind::C => Vec::new(),
            _ => every_variant(kernel, operands, &tensor)?,
        };
        let others = variants
            .into_iter()
            .map(|v| Made { by: format!("{name}, variant {}", v.by), ..v })
            .collect::<Vec<_>>();
        Ok([Made { by: name.into(), tensor }].into_iter().chain(others).collect())
    }
}

/// The result of four runs, which have the same bits: each but the first writes into the memory of the one before, and what it
/// pays to compile by then may run.
pub(crate) fn run_again(kernel: &Kernel, operands: &[(&str, &Tensor)]) -> Result<Tensor> {
    let mut last = kernel.run(operands)?.tensor;
    let first = bits(&last);
    for run in 1..4 {
        kernel.recycle(last);
        last = kernel.run(operands)?.tensor;
        if bits(&last) != first {
            let message = format!("run {run} has other bits than run 0");
            return Err(Error::bug("run", message, kernel.stages().loops_text()));
        }
    }
    Ok(last)
}

impl<W: RunWay> Pipeline for W {
    fn plan(&self, case: &Case) -> Result<(Concrete, Vec<Conversion>)> {
        let stages = self.compiler().stages(case)?;
        let conversions = stages.steps.iter().filter_map(|step| match step {
            Step::Alias(c) | Step::Convert(c) | Step::Diagonal(c) | Step::Window(c) => Some(c.clone()),
            // What is stored of an operand is an operand of the case already.
            _ => None,
        });
        let conversions = conversions.collect();
        Ok((stages.plan, conversions))
    }
    /// The points of every lattice over `var`, in the order of the loops.
    fn lattice(&self, case: &Case, var: &str) -> Option<Result<String>> {
        let text = match self.compiler().stages(case) {
            Ok(stages) => stages.lattices(),
            Err(e) => return Some(Err(e)),
        };
        let mut wanted = false;
        let lines = text.lines().filter(|line| {
            if let Some(name) = line.strip_prefix("lattice ") {
                wanted = name.trim() == var;
                return false;
            }
            wanted
        });
        Some(Ok(lines.map(|line| format!("{}\n", line.trim())).collect()))
    }
    fn graph(&self, case: &Case) -> Option<Result<String>> {
        Some(self.compiler().stages(case).map(|stages| stages.graph_text()))
    }
    fn variants(&self, case: &Case) -> Option<Result<String>> {
        let each = |s: Stages| s.explain().variants.iter().map(|v| format!("{v}\n")).collect();
        Some(self.compiler().stages(case).map(each))
    }
    fn programs_in_place(&self, case: &Case) -> Result<Vec<Program>> {
        let (session, stages) = (&self.compiler().sessions[0], self.compiler().stages(case)?);
        let each = stages.places().map(|(_, name)| session.stages_in_place(&stages, name));
        Ok(each.collect::<Result<Vec<_>>>()?.into_iter().flatten().map(|s| s.plan.program).collect())
    }
    fn in_place(&self, case: &Case, operand: &str) -> Option<Result<String>> {
        let session = &self.compiler().sessions[0];
        let stages = self.compiler().stages(case).and_then(|s| session.stages_in_place(&s, operand));
        Some(stages.map(|s| s.map_or("nothing\n".into(), |s| format!("{}\n{}", s.cin(), s.loops_text()))))
    }
    fn loops(&self, case: &Case) -> Option<Result<String>> {
        Some(self.compiler().stages(case).map(|stages| stages.loops_text()))
    }
    fn literals(&self, case: &Case) -> Option<Result<String>> {
        Some(self.compiler().stages(case).map(|stages| stages.literals().join("\n")))
    }
    fn counts(&self, case: &Case) -> Option<Result<String>> {
        Some(count_work(case))
    }
    fn prepare(&self, cases: &[Case]) {
        let typed: Vec<(&str, Decls)> = cases
            .iter()
            .filter(|c| c.schedule.is_empty())
            .filter_map(|c| Some((c.text.as_str(), c.decls(&c.statement().ok()?).ok()?)))
            .collect();
        let list: Vec<(&str, &Decls)> = typed.iter().map(|(text, decls)| (*text, decls)).collect();
        for session in self.compiler().sessions.iter().filter(|s| s.kind() == BackendKind::C) {
            if session.cache().len() > KEPT {
                session.cache().clear();
            }
            // A failure here shows again, with its case, when the case is run.
            let _ = session.prepare(&list);
        }
    }
    fn run(&self, case: &Case) -> Result<Vec<Made>> {
        let decls = case.decls(&case.statement()?)?;
        let packed = case.pack()?;
        let operands: Vec<(&str, &Tensor)> = packed.iter().map(|(name, t)| (name.as_str(), t)).collect();
        let one = |session: &Session| {
            if session.cache().len() > KEPT {
                session.cache().clear();
            }
            self.results(session, case, &decls, &operands)
        };
        Ok(self
            .compiler()
            .sessions
            .iter()
            .map(one)
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }
}

/// The compiler with kernels that run in several chunks on several threads: their results have the bits of a run in one
/// piece, and the same bits for every number of threads.
pub struct Chunked {
    whole: CompilerPipeline,
    met: Mutex<BTreeMap<String, usize>>,
}

impl Chunked {
    /// With the backends of `kinds`, of which there is at least one.
    ///
    /// # Errors
    /// `E0501` when a backend is not available.
    pub fn new(kinds: &[BackendKind]) -> Result<Chunked> {
        Ok(Chunked { whole: CompilerPipeline::new(kinds)?, met: Mutex::default() })
    }
    /// The same, with a planner that compares the ways to build even the smallest statement, and divides the smallest work.
    #[must_use]
    pub fn comparing_always(self) -> Chunked {
        Chunked { whole: self.whole.comparing_always(), ..self }
    }
    /// How many runs were cut into several chunks, by what became of their results.
    pub fn chunk_counts(&self) -> BTreeMap<String, usize> {
        self.met.lock().expect("no thread panics while it counts").clone()
    }
    fn count(&self, kernel: &openwork::Kernel, outcome: &openwork::Outcome) {
        let kernels = kernel.stages().kernels().count();
        let join = match &kernel.stages().lowered.parallel {
            _ if kernels > 1 => "several kernels",
            Parallel::Chunks(c) if outcome.spread.chunks > 1 => match c.join {
                ChunkJoin::Slices { .. } => "slices",
                ChunkJoin::Stitch => "stitched",
                ChunkJoin::Combine(_) => "combined",
                ChunkJoin::Given { .. } => "given",
                ChunkJoin::Place => "placed",
            },
            Parallel::Chunks(_) => "too small",
            Parallel::Serial { because } => because,
        };
        *self.met.lock().expect("no thread panics while it counts").entry(join.into()).or_default() += 1;
    }
}

/// Chunks and threads that results must not depend on.
pub(crate) const SPREADS: [(usize, usize); 5] = [(3, 1), (3, 2), (3, 8), (8, 3), (64, 2)];

impl RunWay for Chunked {
    fn compiler(&self) -> &CompilerPipeline {
        &self.whole
    }
    fn result(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Tensor> {
        let mut kernel = session.compile_scheduled(&case.text, decls, &case.commands()?)?.with_threads(1);
        let mut last = kernel.run(operands)?.tensor;
        // Sums of floats depend on where chunks end, but on nothing else.
        let combines =
            |p: &Parallel| matches!(p, Parallel::Chunks(c) if matches!(c.join, ChunkJoin::Combine(_)));
        let combined = kernel.stages().kernels().any(combines);
        let rounded = combined && last.dtype().is_inexact();
        let mut before = 0;
        for (chunks, threads) in SPREADS {
            kernel = kernel.with_chunks(chunks).with_threads(threads);
            let outcome = kernel.run(operands)?;
            self.count(&kernel, &outcome);
            let now = outcome.tensor;
            // Vectors and scalars make NaN with other bits, and where vectors begin depends on the chunks.
            let same = match before == chunks {
                true => bits(&now) == bits(&last),
                false => rounded || bits_of_numbers(&now) == bits_of_numbers(&last),
            };
            if !same {
                let message = format!("another result in {chunks} chunks on {threads} threads");
                return Err(Error::bug("run", message, kernel.stages().loops_text()));
            }
            let placed = run_in_place(&kernel, operands, &now)?;
            if placed > 0 {
                *self
                    .met
                    .lock()
                    .expect("no thread panics while it counts")
                    .entry("in place".into())
                    .or_default() += placed;
            }
            kernel.recycle(std::mem::replace(&mut last, now));
            before = chunks;
        }
        Ok(last)
    }
}

/// Every array of a tensor as bytes. What is in slots that are marked as empty is nobody's business: a zero of either sign, where
/// storage sets marks beside values that are there.
pub(crate) fn bits(t: &Tensor) -> Vec<Vec<u8>> {
    let levels = t.levels().iter().flat_map(|l| &l.arrays);
    levels.chain([values(t).vals()]).map(|b| b.as_bytes().to_vec()).collect()
}

/// A tensor with the same values, and fill values in slots that are marked as empty.
fn values(t: &Tensor) -> Cow<'_, Tensor> {
    let marked = t.rank() > 0 && t.format().levels.iter().any(|l| l.is_masked());
    let full = marked.then(|| t.to_format(&presets::dense(t.rank()).with_fill(t.fill().to_string())).ok());
    full.flatten().map_or(Cow::Borrowed(t), Cow::Owned)
}

/// The same with one NaN in place of all.
pub(crate) fn bits_of_numbers(t: &Tensor) -> Vec<Vec<u8>> {
    let mut all = bits(t);
    if let Some(values) = all.last_mut() {
        let numbers = self::values(t);
        let slots = values.chunks_exact_mut(t.dtype().size()).enumerate();
        slots.filter(|(n, _)| numbers.vals().get(*n).is_nan()).for_each(|(_, slot)| slot.fill(0xff));
    }
    all
}

/// What the kernels of a case do, conversions included.
fn count_work(case: &Case) -> Result<String> {
    let counts = Arc::new(Mutex::new(Counts::default()));
    let backend = Arc::new(InterpBackend::new().with_counts(counts.clone()));
    let session = Session::with_backend(BackendKind::Interp, backend).with_threads(1);
    let packed = case.pack()?;
    let operands: Vec<(&str, &Tensor)> = packed.iter().map(|(name, t)| (name.as_str(), t)).collect();
    let decls = case.decls(&case.statement()?)?;
    session.compile_scheduled(&case.text, &decls, &case.commands()?)?.run(&operands)?;
    let counts = *counts.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(counts.to_string())
}
