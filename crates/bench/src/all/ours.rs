//! Our side of a case.

use super::Text;
use super::operands::{Operands, PeerOperand};
use super::rows::{OutputMemory, OwnMethod, RUNS, TableRow};
use crate::sums::WeightedSums;
use openwork::{
    Buffer, Coo, DType, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Statement, Stays, Tensor,
};
use openwork_base::threads::run_with_limit;
use openwork_storage::buffer::Writers;
use openwork_storage::files::{ReadOptions, read_with};
use openwork_storage::{LevelArrays, canonical, pack};
use std::sync::Arc;
use std::time::Instant;

/// The numbers of threads that everything is timed with.
pub const THREADS: [usize; 2] = [1, 2];

/// What a run makes.
enum RunOutput {
    Tensor(Tensor),
    List(Coo),
}

/// One run on the kernel for a number of threads.
type KernelRun = Box<dyn Fn(usize) -> openwork::Result<RunOutput> + Send + Sync>;

/// How we compute a row.
pub struct Runner {
    run: KernelRun,
    kernels: Arc<Vec<Kernel>>,
    memory: OutputMemory,
    /// Bytes of the operands.
    operands: usize,
}

/// Operands by name.
type HeldOperands = Vec<(&'static str, Arc<Tensor>)>;

/// The operands of a statement, the matrix as is best for many runs where it is to be prepared for them.
fn prepare_operands(
    text: &str,
    threads: usize,
    memory: OutputMemory,
    tensors: &[(&'static str, Arc<Tensor>)],
    decls: &Decls,
) -> Text<HeldOperands> {
    let mut held = tensors.to_vec();
    if memory != OutputMemory::Prepared {
        return Ok(held);
    }
    let session = super::text(Session::new(Session::global().kind()))?.with_threads(threads);
    let names: Vec<&str> = tensors.iter().map(|(name, _)| *name).collect();
    let mut statement = super::text(Statement::new(text, names.iter().copied()))?;
    let result = decls.tensors.iter().find(|(name, _)| !names.contains(&name.as_str()));
    statement.result = result.map(|(_, decl)| decl.clone()).unwrap_or_default();
    // What stays is the matrix, which is the first operand.
    let stays = tensors.iter().enumerate().map(|(n, (_, t))| match n {
        0 => Stays::Fixed(t),
        _ => Stays::Varies(crate::sparse::decl(t)),
    });
    let suited = super::text(statement.suitable_formats(&session, &stays.collect::<Vec<_>>(), RUNS))?;
    for ((_, tensor), other) in held.iter_mut().zip(suited.operands) {
        if let Some(other) = other {
            *tensor = Arc::new(other);
        }
    }
    Ok(held)
}

impl Runner {
    /// Compiles what a row computes.
    ///
    /// # Errors
    /// What is wrong with the statement, or an operand that the row does not take.
    pub fn new(row: &TableRow, operands: &Operands, given: &[(&'static str, PeerOperand)]) -> Text<Runner> {
        match (&row.ours, given) {
            (OwnMethod::Statement(text, format, memory), _) => {
                Runner::statement(text, *memory, operands, format, given)
            }
            (OwnMethod::Pack, [(_, PeerOperand::List(list))]) => Ok(Runner::pack(list.clone())),
            (OwnMethod::Adopt, [(_, PeerOperand::Tensor(t))]) => Ok(Runner::adopt(t.clone())),
            (OwnMethod::Read, [(_, PeerOperand::File(path))]) => {
                let (path, bytes) = (path.clone(), std::fs::metadata(path).map_or(0, |m| m.len()));
                let run = move |_: usize| {
                    let options = ReadOptions { dtype: Some(DType::F64), ..ReadOptions::default() };
                    read_with(&path, &options).map(RunOutput::List)
                };
                Ok(Runner::plain(Box::new(run), bytes as usize))
            }
            _ => Err(format!("{} has operands of another kind", row.name)),
        }
    }
    fn plain(run: KernelRun, operands: usize) -> Runner {
        Runner { run, kernels: Arc::default(), memory: OutputMemory::New, operands }
    }
    fn statement(
        text: &str,
        memory: OutputMemory,
        operands: &Operands,
        format: &str,
        given: &[(&'static str, PeerOperand)],
    ) -> Text<Runner> {
        let mut tensors: Vec<(&'static str, Arc<Tensor>)> = Vec::new();
        let mut decls = Decls::default();
        for (name, operand) in given {
            let PeerOperand::Tensor(t) = operand else { return Err(format!("{name} is no tensor")) };
            decls.tensors.insert((*name).into(), crate::sparse::decl(t));
            tensors.push((name, t.clone()));
        }
        let text = operands.fill_template(text);
        let (result, _) = text.split_once(" = ").ok_or("a statement")?;
        let (result, modes) = result.split_once('(').unwrap_or((result, ""));
        let rank = if modes.is_empty() { 0 } else { modes.split(',').count() };
        let format = super::text(Format::parse(&operands.fill_template(format), rank))?;
        decls.tensors.insert(result.into(), Decl { format: Some(format), ..Decl::default() });
        let prepared = THREADS.iter().map(|&n| prepare_operands(&text, n, memory, &tensors, &decls));
        let prepared = prepared.collect::<Text<Vec<HeldOperands>>>()?;
        let compile = |(&n, held): (&usize, &HeldOperands)| {
            let mut decls = decls.clone();
            decls.tensors.extend(held.iter().map(|(name, t)| ((*name).to_string(), crate::sparse::decl(t))));
            Ok(super::text(Session::global().compile(&text, &decls))?.with_threads(n))
        };
        let kernels = Arc::new(THREADS.iter().zip(&prepared).map(compile).collect::<Text<Vec<Kernel>>>()?);
        let bytes = tensors.iter().map(|(_, t)| t.bytes()).sum();
        let shared = kernels.clone();
        let run = move |n: usize| {
            let given: Vec<(&str, &Tensor)> = prepared[n].iter().map(|(n, t)| (*n, &**t)).collect();
            shared[n].run(&given).map(|done| RunOutput::Tensor(done.tensor))
        };
        Ok(Runner { run: Box::new(run), kernels, memory, operands: bytes })
    }
    /// As `from_coo` of the Python package: everything is copied, then packed.
    fn pack(list: Arc<Coo>) -> Runner {
        let bytes = list.coords(0).bytes() + list.coords(1).bytes() + list.vals().bytes();
        let run = move |_: usize| {
            let coords = (0..2).map(|m| list.coords(m).duplicate()).collect::<openwork::Result<_>>()?;
            let copy = Coo::new(list.shape().to_vec(), coords, list.vals().duplicate()?)?;
            let format = Format::parse("csr ; pos = i32 ; crd = i32", 2)?;
            pack(&copy, &format, Scalar::F64(0.0)).map(RunOutput::Tensor)
        };
        Runner::plain(Box::new(run), bytes)
    }
    /// As `asarray` of the Python package: values are read where they are, index arrays copied as they are checked.
    fn adopt(t: Arc<Tensor>) -> Runner {
        let bytes = t.bytes();
        let run = move |_: usize| {
            // SAFETY: an array of a tensor that the buffer keeps alive, and that nobody changes.
            let foreign = |b: &Buffer| unsafe {
                Buffer::borrow(b.dtype(), b.as_ptr(), b.len(), t.clone(), Writers::Owner)
            };
            let arrays = t.level(1).arrays.iter().map(foreign).collect();
            let (format, vals) = (Format::parse("csr", 2)?, foreign(t.vals()));
            canonical(t.shape().to_vec(), format, t.fill(), LevelArrays { arrays }, vals)
                .map(RunOutput::Tensor)
        };
        Runner::plain(Box::new(run), bytes)
    }
    /// The sums of the result, which are the same on any number of threads, and the bytes of operands and result.
    ///
    /// # Errors
    /// When a run fails, or threads matter.
    pub fn check(&self) -> Text<(WeightedSums, usize)> {
        let mut first: Option<(WeightedSums, usize)> = None;
        for (n, &threads) in THREADS.iter().enumerate() {
            let out = super::text(run_with_limit(threads, || (self.run)(n)))?;
            let (sums, bytes) = match &out {
                RunOutput::Tensor(t) => (WeightedSums::from_tensor(t)?, t.bytes()),
                RunOutput::List(coo) => (WeightedSums::of_entries(coo)?, 16 * coo.len()),
            };
            if first.is_some_and(|(f, _)| !f.agree(&sums)) {
                return Err(format!("another result on {threads} threads"));
            }
            self.dispose(n, out);
            first = Some((sums, bytes + self.operands));
        }
        first.ok_or("nothing ran".into())
    }
    /// The milliseconds of so many runs, after others that are not timed.
    ///
    /// # Errors
    /// When a run fails.
    pub fn turn(&self, n: usize, warm: usize, times: usize) -> Text<Vec<f64>> {
        run_with_limit(THREADS[n], || {
            let mut out = Vec::with_capacity(times);
            for k in 0..warm + times {
                let start = Instant::now();
                let made = (self.run)(n);
                let time = start.elapsed();
                self.dispose(n, super::text(made)?);
                if k >= warm {
                    out.push(time.as_secs_f64() * 1e3);
                }
            }
            Ok(out)
        })
    }
    fn dispose(&self, n: usize, out: RunOutput) {
        if let (OutputMemory::Kept | OutputMemory::Prepared, RunOutput::Tensor(t)) = (self.memory, out) {
            self.kernels[n].recycle(t);
        }
    }
    /// What was planned, in a line.
    pub fn plan(&self) -> String {
        let Some(kernel) = self.kernels.first() else { return "storage does it, without a kernel".into() };
        let stages = kernel.stages();
        let mut parts = vec![stages.cin()];
        parts.extend(stages.conversions().map(|c| c.describe()));
        parts.extend(stages.finish().map(|f| format!("the result is converted to {f}")));
        parts.join("; ")
    }
}
