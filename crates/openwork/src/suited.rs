//! Operands that stay the same for many runs, stored as suits the statement best.
//!
//! Which format that is depends on the statement, the structure of the operand and the machine, so it is measured, as the
//! optimisation step of an inspector-executor library does: the statement is run on the operand as it is given and in the
//! formats that may suit it, on samples of what else it reads. That takes about half as long as the runs would, at most
//! ([`SHARE`]): no format is tried that would take longer to try than is left of it. The fastest is taken where it gains
//! something ([`GAIN`]).
//!
//! ```text
//! y(i) = A(i,j) * x(j), A in ell with one long row     rows, columns | blocks, diagonals, slices | 16-bit coordinates
//! ```

use crate::conversion::convert;
use crate::declare::declare_tensor;
use crate::kernel::Kernel;
use crate::recommend;
use crate::session::Session;
use crate::statement::Statement;
use openwork_algebra::Scalar;
use openwork_base::cancel::Cancel;
use openwork_base::{Result, SlotCount};
use openwork_format::{ArrayRole, Format, Width, presets};
use openwork_index::check::{Assignment, check};
use openwork_index::window::Window;
use openwork_index::{Access, Decl, TensorKind};
use openwork_storage::structure::{Elements, Structure};
use openwork_storage::{Buffer, Tensor, unpack};
use std::time::{Duration, Instant};

/// The part of the time of all runs that may be spent on finding the best format.
const SHARE: f64 = 0.5;
/// What trying a format takes at least: compiling a kernel.
const TRIAL: Duration = Duration::from_millis(2);
/// Fewer runs than these are not worth that.
const RUNS: usize = 50;
/// Another format must take at most this part of the time of the one that is given.
const GAIN: f64 = 0.95;
/// How many times as many bytes as the smallest candidate another one may take, and as long by what is estimated.
const ROOM: u128 = 3;
const SLOW: f64 = 3.0;
/// Nanoseconds per element that it takes to see the structure of a matrix.
const SEEN: f64 = 250.0;
/// Runs that count, after one that does not.
const TIMED: usize = 5;
/// The most coordinates that 16 bits count.
const NARROW: usize = 1 << 16;

/// An operand of a statement that is about to be run many times.
#[derive(Clone, Debug)]
pub enum Stays<'t> {
    /// The same tensor in every run.
    Fixed(&'t Tensor),
    /// One that is declared like this.
    Varies(Decl),
}

/// Operands stored as suits a statement best, and the format of its result.
#[derive(Debug)]
pub struct Suited {
    /// For each operand, in the order of the statement's names, the tensor as it is best stored; nothing where that is as it
    /// is.
    pub operands: Vec<Option<Tensor>>,
    /// How the result is stored, whatever the operands are stored as.
    pub result: Format,
}

impl Statement {
    /// How operands that stay for so many runs are best stored. Values are those that the operands have now.
    ///
    /// ```
    /// use openwork::{DType, Decl, Format, FormatExt, Scalar, Session, Statement, Stays, Tensor, TensorExt};
    /// // A row of 400 elements, for which every other row of one element is padded.
    /// let at = |n: usize| if n < 400 { vec![0, n] } else { vec![n - 400, 0] };
    /// let entries: Vec<_> = (0..799).filter(|&n| n != 400).map(|n| (at(n), Scalar::F64(1.0))).collect();
    /// let a = Tensor::pack(&[400, 400], &entries, &Format::parse("ell", 2)?)?;
    /// let x = Decl { dtype: Some(DType::F64), format: Some(Format::parse("dense", 1)?), ..Decl::default() };
    /// let product = Statement::new("y(i) = A(i,j) * x(j)", ["A", "x"])?;
    /// let suited = product.suitable_formats(Session::global(), &[Stays::Fixed(&a), Stays::Varies(x)], 100_000)?;
    /// assert!(suited.operands[0].as_ref().is_some_and(|t| t.slots() < a.slots() / 100));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every diagnostic of the statement for operands as they are given, E0606 when it was asked to stop.
    pub fn suitable_formats(&self, session: &Session, operands: &[Stays], runs: usize) -> Result<Suited> {
        let decl = |o: &Stays| match o {
            Stays::Fixed(t) => declare_tensor(t),
            Stays::Varies(decl) => decl.clone(),
        };
        let decls = self.decls(operands.iter().map(decl));
        let stages = session.stages_scheduled(self.syntax(), &decls, &self.schedule)?;
        let own = stages.plan.program.tensors[stages.result()].declared_format();
        let result = stages.finish().cloned().unwrap_or(own);
        let mut suited = Suited { operands: operands.iter().map(|_| None).collect(), result };
        // Commands name loops of the statement as it is stored.
        if runs < RUNS || !self.schedule.is_empty() || self.variant.is_some() {
            return Ok(suited);
        }
        let assignment = check(self.syntax(), &decls)?;
        let samples: Option<Vec<Option<Tensor>>> = (self.names().iter().zip(operands))
            .map(|(name, o)| match o {
                Stays::Fixed(_) => Some(None),
                Stays::Varies(_) => sample(name, &assignment).map(Some),
            })
            .collect();
        let Some(samples) = samples else { return Ok(suited) };
        let given = operands.iter().zip(&samples).filter_map(|(o, sample)| match o {
            Stays::Fixed(t) => Some(*t),
            Stays::Varies(_) => sample.as_ref(),
        });
        let given: Vec<&Tensor> = given.collect();
        let mut trials = Trials::new(self.pin_result(&suited.result)?, session, given, runs)?;
        for (n, operand) in operands.iter().enumerate() {
            // What a sparse result stores follows from what operands do, which padding leaves open.
            let known = |t: &Tensor| suited.result.is_full() || compact(t.format());
            if matches!(operand, Stays::Fixed(t) if !t.format().is_full() && known(t)) {
                trials.vary(n)?;
            }
        }
        suited.operands = trials.better;
        Ok(suited)
    }
    /// The same statement with a format for its result.
    fn pin_result(&self, result: &Format) -> Result<Statement> {
        let mut pinned = Statement::new(self.syntax(), self.names().iter().cloned())?;
        pinned.result = Decl { format: Some(result.clone()), ..self.result.clone() };
        pinned.dims = self.dims.clone();
        pinned.arithmetic = self.arithmetic;
        Ok(pinned)
    }
}

/// A dense operand of ones, if its shape follows from the operands that stay.
fn sample(name: &str, a: &Assignment) -> Option<Tensor> {
    let (_, t) = a.tensors.iter().find(|(_, t)| t.given == name && t.kind == TensorKind::Operand)?;
    let shape = shape(name, a)?;
    let plain = t.format.is_dense() && t.format.modes.is_sorted() && t.format.remap.is_none();
    let count = SlotCount::product(&shape).count().filter(|_| plain)?;
    // Where there is no memory for a sample, nothing is measured.
    Tensor::dense(&shape, Buffer::repeat(Scalar::one(t.dtype), count).ok()?).ok()
}

/// The least shape of an operand of which every part has as many coordinates as its variables, if these are known.
fn shape(name: &str, a: &Assignment) -> Option<Vec<usize>> {
    let of_it = |id| a.tensors[id].given == name && a.tensors[id].kind == TensorKind::Operand;
    let reads: Vec<&Access> = a.reads.iter().filter(|r| of_it(r.tensor)).collect();
    // The size of a variable, and its window.
    let wanted = |r: &Access, mode: usize| {
        let window = a.tensors[r.tensor].windows.get(mode).copied().unwrap_or(Window::WHOLE);
        Some((a.indices[*r.vars.get(mode)?].size?, window))
    };
    let size = |mode: usize| {
        let all: Vec<(usize, Window)> = reads.iter().map(|r| wanted(r, mode)).collect::<Option<_>>()?;
        let rooms: Vec<usize> = all.iter().map(|(n, w)| w.room(*n)).collect::<Option<_>>()?;
        let size = rooms.into_iter().max()?;
        all.iter().all(|(n, w)| w.reach(size).is_ok_and(|r| r.count == *n)).then_some(size)
    };
    (0..reads.first()?.vars.len()).map(size).collect()
}

/// Runs of one statement on operands in several formats.
struct Trials<'t> {
    statement: Statement,
    session: &'t Session,
    given: Vec<&'t Tensor>,
    /// What is faster than what was given.
    better: Vec<Option<Tensor>>,
    /// Milliseconds of the fastest so far.
    best: f64,
    runs: f64,
    start: Instant,
    /// What it took to try the last one.
    trial: Duration,
    /// Whether the result stores some coordinates only.
    sparse: bool,
}

impl<'t> Trials<'t> {
    fn new(
        statement: Statement,
        session: &'t Session,
        given: Vec<&'t Tensor>,
        runs: usize,
    ) -> Result<Trials<'t>> {
        let better = given.iter().map(|_| None).collect();
        let (runs, start, best) = (runs as f64, Instant::now(), f64::INFINITY);
        let sparse = statement.result.format.as_ref().is_some_and(|f| !f.is_full());
        let mut trials =
            Trials { statement, session, given, better, best, runs, start, trial: TRIAL, sparse };
        trials.best = trials.time(None)? * GAIN;
        trials.trial = trials.start.elapsed().max(TRIAL);
        Ok(trials)
    }
    /// How much longer it may take: the faster the runs are, the less.
    fn remaining_time(&self) -> Duration {
        let share = Duration::try_from_secs_f64(self.best / 1e3 * self.runs * SHARE);
        share.unwrap_or(Duration::MAX).saturating_sub(self.start.elapsed())
    }
    /// Whether there is time for another format.
    fn has_time(&self) -> bool {
        self.remaining_time() >= self.trial
    }
    /// An operand as it is best stored by now.
    fn so_far(&self, n: usize) -> &Tensor {
        self.better[n].as_ref().unwrap_or(self.given[n])
    }
    /// Tries other formats of one operand.
    fn vary(&mut self, n: usize) -> Result<()> {
        for format in unpadded_formats(self.given[n]) {
            self.consider(n, &format)?;
        }
        let seeing = Duration::from_secs_f64(SEEN / 1e9 * self.so_far(n).slots() as f64);
        if self.given[n].rank() == 2 && seeing.saturating_add(self.trial) <= self.remaining_time() {
            for format in structured_formats(self.so_far(n))? {
                if !self.sparse || compact(&format) {
                    self.consider(n, &format)?;
                }
            }
        }
        if let Some(format) = narrow(self.so_far(n)) {
            self.consider(n, &format)?;
        }
        Ok(())
    }
    /// Takes an operand in a format where that is faster than everything before.
    fn consider(&mut self, n: usize, format: &Format) -> Result<()> {
        let known =
            is_same_format(self.given[n].format(), format) || is_same_format(self.so_far(n).format(), format);
        if known || !self.has_time() {
            return Ok(());
        }
        let start = Instant::now();
        let timed = convert(self.session, self.so_far(n), format)
            .and_then(|c| Ok((self.time(Some((n, &c.tensor)))?, c.tensor)));
        self.trial = start.elapsed().max(TRIAL);
        match timed {
            Ok((time, tensor)) if time < self.best => (self.best, self.better[n]) = (time, Some(tensor)),
            Ok(_) => {}
            // A format that cannot hold the operand, or that the statement is refused for, is none that suits.
            Err(e) if e.diagnostic().is_some() => Cancel::check()?,
            Err(bug) => return Err(bug),
        }
        Ok(())
    }
    /// The shortest time of some runs with one operand in another format, in milliseconds.
    fn time(&self, other: Option<(usize, &Tensor)>) -> Result<f64> {
        let mut operands: Vec<&Tensor> = (0..self.given.len()).map(|n| self.so_far(n)).collect();
        if let Some((n, tensor)) = other {
            operands[n] = tensor;
        }
        let kernel = self.statement.kernel(self.session, &operands)?;
        let mut least = f64::INFINITY;
        // What a kernel has stored differently stays from the second run on.
        let warm = 1 + usize::from(kernel.stages().conversions().next().is_some());
        for run in 0..warm + TIMED {
            let took = self.run(&kernel, &operands)?;
            if run >= warm {
                least = least.min(took);
            }
            if took > SLOW * self.best && run + 1 >= warm {
                break;
            }
        }
        Ok(least)
    }
    fn run(&self, kernel: &Kernel, operands: &[&Tensor]) -> Result<f64> {
        let done = self.statement.run_on(self.session, kernel, operands, None)?;
        kernel.recycle(done.tensor);
        Ok(done.times.total.as_secs_f64() * 1e3)
    }
}

/// Formats without padding, in other orders of the modes.
fn unpadded_formats(t: &Tensor) -> Vec<Format> {
    let like = |f: Format| Format { fill: t.format().fill.clone(), ..f };
    let all = match t.rank() {
        1 => vec![presets::sparse_vector()],
        2 => vec![presets::csr(), presets::csc()],
        3 => [[0, 1, 2], [1, 0, 2], [2, 0, 1]].map(|m| presets::csf(3).with_modes(m.to_vec())).to_vec(),
        _ => Vec::new(),
    };
    all.into_iter().map(like).collect()
}

/// Formats that follow the structure of a matrix, the most promising first.
fn structured_formats(t: &Tensor) -> Result<Vec<Format>> {
    let structure = Structure::measure(&Elements::from_coo(&unpack(t)?)?);
    let all = recommend::candidates(&structure, t.dtype());
    let (Some(fastest), Some(least)) = (all.first(), all.iter().map(|c| c.bytes).min()) else {
        return Ok(Vec::new());
    };
    let may = |c: &&recommend::FormatCandidate| c.bytes <= ROOM * least && c.nanos <= SLOW * fastest.nanos;
    let known = unpadded_formats(t);
    let formats = all
        .iter()
        .filter(may)
        .map(|c| c.format.clone())
        .filter(|f| !known.iter().any(|k| is_same_format(k, f)));
    Ok(formats.filter(|f| !f.is_full()).map(|f| Format { fill: t.format().fill.clone(), ..f }).collect())
}

/// The same format with coordinates of 16 bits, where they suffice.
fn narrow(t: &Tensor) -> Option<Format> {
    let format = t.format();
    let listed = format.levels.iter().any(|l| l.spec.arrays.iter().any(|a| a.role == ArrayRole::Crd));
    let fits = format.remap.is_none() && t.shape().iter().all(|&size| size <= NARROW);
    let wide = format.width(ArrayRole::Crd).max() > Width::U16.max();
    (listed && fits && wide).then(|| Format { crd: Some(Width::U16), ..format.clone() })
}

/// Whether two formats have the same levels, and both or neither coordinates of 16 bits.
fn is_same_format(a: &Format, b: &Format) -> bool {
    let short = |f: &Format| f.crd == Some(Width::U16);
    let levels = a.levels == b.levels && a.modes == b.modes && a.remap == b.remap;
    levels && a.symmetric == b.symmetric && short(a) == short(b)
}

/// Whether a format stores the elements that it is given and nothing else.
fn compact(format: &Format) -> bool {
    !format.has_padding() && !format.is_full() && !format.symmetric
}
