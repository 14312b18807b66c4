//! Several kernels in one pass over the parts of a dimension that they share.
//!
//! ```text
//! y(i) = A(i,j) * x(j)        part 0: y(0..99) = …, s += …        y(0..99) is in the cache when it is read
//! s = y(i) * y(i)             part 1: y(100..199) = …, s += …
//! ```
//! A part is small enough for a second-level cache, so that what one kernel reads or writes of a part is there for the next
//! one. Where parts are cut depends on the operands alone, so results have the same bits on any number of threads.
//!
//! Results that nobody reads but these kernels are [transient](Partner::transient): their memory goes to the next of them once
//! their last reader is through, so that a chain of kernels needs two arrays, however long it is ([`crate::turns`]).

use crate::balance::CoordWeights;
use crate::bind::{extents, operands};
use crate::calls::{Member, run_members};
use crate::grain;
use crate::job::{Arguments, Job};
use crate::share::ResultShare;
use crate::signature::Extents;
use crate::spares::BoundArray;
use crate::taken;
use crate::threading::Spread;
use crate::turns::{PartnerMemory, TurnArrays};
use openwork_base::machine::threshold;
use openwork_base::threads::threads;
use openwork_base::{Error, Result, SlotCount};
use openwork_index::{IndexId, TensorId};
use openwork_lower::{ChunkJoin, Parallel};
use openwork_runtime::Watch;
use openwork_storage::tensor::TensorParts;
use openwork_storage::{Buffer, Tensor};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes that all kernels together read and write of a part: half of a usual second-level cache.
const NEAR: usize = 512 << 10;
/// The most parts.
const PARTS: usize = 1 << 12;

/// One of several kernels that run together. Its result is dense and cut at the variable of its parts, or a scalar that is
/// combined.
pub struct Partner<'t> {
    /// The kernel.
    pub job: Job<'t>,
    /// Operands by name, as the kernel wants them.
    pub given: Vec<(&'t str, &'t Tensor)>,
    /// Operands that partners before this one make: their names here, and the number of the partner. The kernel reads them at
    /// the variable of its parts, in their outermost level.
    pub made: Vec<(&'t str, usize)>,
    /// Whether what it makes is shown to the watch.
    pub watched: bool,
    /// Whether only partners read its result.
    pub transient: bool,
}

/// The results of kernels that ran together.
pub struct Together {
    /// The result of each one; nothing of a transient one whose memory others have.
    pub tensors: Vec<Option<Tensor>>,
    /// How long all of it took.
    pub time: Duration,
    /// How it was spread over threads.
    pub spread: Spread,
}

/// The operands of a kernel and the ranges of its variables.
type PartnerInputs<'t> = (BTreeMap<TensorId, &'t Tensor>, Arc<Extents>);

/// Runs kernels part by part.
///
/// # Errors
/// As [`Job::run`], and those of [`operands`] and [`extents`]. Everything that was made is freed then.
pub fn run_together(partners: &[Partner], watch: &Watch) -> Result<Together> {
    let start = Instant::now();
    // What is read while it is made is bound to a view of its memory.
    let views: Vec<OnceCell<Tensor>> = partners.iter().map(|_| OnceCell::new()).collect();
    let mut memory: Vec<Option<PartnerMemory>> = Vec::new();
    let mut turns = TurnArrays::default();
    let mut bound: Vec<PartnerInputs> = Vec::new();
    for (n, partner) in partners.iter().enumerate() {
        let own = bind(partner, &views)?;
        let arguments = Arguments { operands: &own.0, extents: &own.1, structure: None };
        let mut room = match chunks(partner.job)?.1 {
            ChunkJoin::Slices { .. } => {
                Some(turns.open(partner.job, n, last_reader(partners, n), &arguments)?)
            }
            ChunkJoin::Stitch | ChunkJoin::Given { .. } | ChunkJoin::Combine(_) | ChunkJoin::Place => None,
        };
        let read = partners.iter().any(|p| p.made.iter().any(|(_, of)| *of == n));
        if let Some(memory) = room.as_mut().filter(|_| read) {
            let all = turns.buffer(memory);
            let _ = views[n].set(view(partner.job, all, &own.1)?);
        }
        memory.push(room);
        bound.push(own);
    }
    let cuts = cuts(partners, &bound, &memory, &turns)?;
    let arrays = turns.share_all();
    let mut shares: Vec<ResultShare> = Vec::new();
    for ((partner, memory), (operands, extents)) in partners.iter().zip(memory).zip(&bound) {
        let arguments = Arguments { operands, extents, structure: None };
        shares.push(match memory {
            Some(PartnerMemory::Own(all)) => ResultShare::slices(partner.job, all, 1, &cuts, extents),
            Some(PartnerMemory::Turn(k)) => ResultShare::turn(partner.job, arrays[k], &cuts, extents),
            None => ResultShare::open(partner.job, chunks(partner.job)?.1, &cuts, &[], &arguments)?,
        });
    }
    let count = cuts.len() - 1;
    let members: Vec<Member> =
        partners.iter().zip(&bound).map(|(partner, bound)| member(partner, bound, count, watch)).collect();
    let own = partners.first().map_or(0, |p| p.job.threading.threads);
    let threads = if own == 0 { threads() } else { own }.min(count);
    // SAFETY: operands are bound and checked; those that a partner makes are read at the variable of the parts only, so a
    // call reads what the calls before it in its row wrote.
    let made = unsafe { run_members(&members, shares, &cuts, threads)? };
    turns.shelve(|n| partners[n].job);
    let tensor = |((partner, made), (_, extents)): ((&Partner<'_>, Vec<BoundArray>), &PartnerInputs)| {
        if made.is_empty() { Ok(None) } else { partner.job.tensor(made, extents).map(Some) }
    };
    let tensors = partners.iter().zip(made).zip(&bound).map(tensor).collect::<Result<_>>()?;
    Ok(Together { tensors, time: start.elapsed(), spread: Spread { threads, chunks: count } })
}

/// The last partner that reads a transient result, or the one that makes it; nothing for results that others see, the watch
/// among them.
fn last_reader(partners: &[Partner], n: usize) -> Option<usize> {
    let transient = partners[n].transient && !partners[n].watched;
    let reads = |p: &Partner| p.made.iter().any(|(_, of)| *of == n);
    transient.then(|| partners.iter().rposition(reads).unwrap_or(n))
}

/// A partner that runs in so many parts.
fn member<'s>(
    partner: &'s Partner<'_>,
    bound: &'s PartnerInputs<'_>,
    parts: usize,
    watch: &'s Watch,
) -> Member<'s> {
    Member {
        job: partner.job,
        arguments: Arguments { operands: &bound.0, extents: &bound.1, structure: None },
        expected: vec![0; parts],
        shelf: partner.job.code.shelf.clone(),
        watch: partner.watched.then_some(watch),
    }
}

/// The operands of a partner, those that are being made among them.
fn bind<'t>(partner: &Partner<'t>, views: &'t [OnceCell<Tensor>]) -> Result<PartnerInputs<'t>> {
    let mut all = partner.given.clone();
    for &(name, of) in &partner.made {
        reads_own_part(partner.job, name)?;
        let unknown = || Error::bug("run", format!("`{name}` is read before it is made"), "");
        all.push((name, views.get(of).and_then(OnceCell::get).ok_or_else(unknown)?));
    }
    let (program, signature) = (partner.job.program, &partner.job.code.signature);
    let operands = operands(program, signature, &all)?;
    let extents = extents(program, signature, &operands)?;
    partner.job.check(&operands, &extents)?;
    Ok((operands, extents))
}

/// The variable of the parts of a job, and how its result is joined.
fn chunks(job: Job) -> Result<(IndexId, ChunkJoin)> {
    match &job.lowered.parallel {
        Parallel::Chunks(chunks) => Ok((chunks.var, chunks.join)),
        Parallel::Serial { because } => {
            Err(Error::bug("run", format!("a kernel cannot be run in parts: {because}"), ""))
        }
    }
}

/// Refuses a kernel that reads more of an operand than the part that it is called for.
fn reads_own_part(job: Job, name: &str) -> Result<()> {
    let program = job.program;
    let Parallel::Chunks(chunks) = &job.lowered.parallel else { return Ok(()) };
    let reads = program.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses());
    let mut own = reads.into_iter().filter(|a| program.tensors[a.tensor].given == name);
    match own.all(|a| chunks.is_slice(program, a)) {
        true => Ok(()),
        false => Err(Error::bug("run", format!("`{name}` is read beyond the part that is made"), "")),
    }
}

/// A tensor in the memory of a result that is not made yet.
fn view(job: Job, all: &mut Buffer, extents: &Extents) -> Result<Tensor> {
    let t = job.declaration();
    let parts = TensorParts {
        shape: job.shape(&extents.sizes),
        format: t.declared_format(),
        fill: t.fill,
        levels: vec![Default::default(); t.format.depth()],
        vals: Buffer::empty(t.dtype),
    };
    taken::view(parts, all, &Arc::new(()))
}

/// Where the variable of the parts is cut, its ends included.
fn cuts(
    partners: &[Partner],
    bound: &[PartnerInputs],
    memory: &[Option<PartnerMemory>],
    turns: &TurnArrays,
) -> Result<Vec<i64>> {
    let mut weighed: Option<CoordWeights> = None;
    let (mut steps, mut bytes) = (0.0, turns.bytes());
    let mut seen: Vec<*const Tensor> = Vec::new();
    for ((partner, (operands, extents)), memory) in partners.iter().zip(bound).zip(memory) {
        let (program, (var, _)) = (partner.job.program, chunks(partner.job)?);
        let weights = CoordWeights::measure(program, var, extents.range(var), operands);
        weighed = Some(match weighed {
            None => weights,
            Some(others) => others.and(weights)?,
        });
        steps += partner.job.code.load.steps(program, operands, &extents.sizes);
        bytes += match memory {
            // Each array counts once.
            Some(PartnerMemory::Turn(_)) => 0,
            Some(PartnerMemory::Own(_)) | None => job_bytes(partner.job, extents),
        };
        for (id, t) in operands {
            // What partners make was counted with them.
            let made = partner.made.iter().any(|(name, _)| program.tensors[*id].given == *name);
            if !made && in_parts(partner.job, *id, var) && !seen.contains(&std::ptr::from_ref(*t)) {
                seen.push(*t);
                bytes += t.bytes();
            }
        }
    }
    let Some(weights) = weighed else { return Ok(vec![0, 0]) };
    let forced = partners.iter().find_map(|p| p.job.threading.chunks);
    let worth = grain::parts(steps).max((bytes / threshold(NEAR, 8)).min(PARTS));
    Ok(weights.cuts(forced.unwrap_or(worth)))
}

/// Bytes of a result that is made in parts.
fn job_bytes(job: Job, extents: &Extents) -> usize {
    SlotCount::product(&job.shape(&extents.sizes)).times(job.declaration().dtype.size()).saturate()
}

/// Whether an operand is read part by part.
fn in_parts(job: Job, operand: TensorId, var: IndexId) -> bool {
    let format = &job.program.tensors[operand].format;
    let assignments = job.program.body.assignments();
    let mut reads = assignments.into_iter().flat_map(|(_, _, rhs)| rhs.accesses());
    reads.any(|a| a.tensor == operand && format.modes.first().is_some_and(|&m| a.vars.get(m) == Some(&var)))
}
