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
use crate::calls::{CalledKernel, Member, run_members};
use crate::grain;
use crate::job::{Arguments, Job};
use crate::joined::JoinedCode;
use crate::schedule::expected_elements;
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
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes that all kernels together read and write of a part: half of a usual second-level cache.
const NEAR: usize = 512 << 10;
/// The most parts.
const PARTS: usize = 1 << 12;

/// One of several kernels that run together. Its result is dense and cut at the variable of its parts, or a scalar that is
/// combined, unless all of them are one kernel: then it may be appended to as well, or combined of parts, or made by one call.
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

/// Runs kernels part by part. `joined`: kernels that are one, by the first of the partners, neighbours all, for which each one is
/// called.
///
/// # Errors
/// As [`Job::run`], and those of [`operands`] and [`extents`]. Everything that was made is freed then.
pub fn run_together(
    partners: &[Partner],
    joined: &[(usize, &JoinedCode)],
    watch: &Watch,
) -> Result<Together> {
    let start = Instant::now();
    let kernels = called_kernels(partners.len(), joined);
    if let [CalledKernel { joined: Some(_), .. }] = kernels[..] {
        return run_joined(partners, &kernels, watch, start);
    }
    // What is read while it is made is bound to a view of its memory.
    let views: Vec<OnceCell<Tensor>> = partners.iter().map(|_| OnceCell::new()).collect();
    let mut memory: Vec<Option<PartnerMemory>> = Vec::new();
    let mut turns = TurnArrays::default();
    let mut bound: Vec<PartnerInputs> = Vec::new();
    let lives = ResultLives::new(partners, &kernels);
    for (n, partner) in partners.iter().enumerate() {
        let own = bind(partner, &views)?;
        let arguments = Arguments { operands: &own.0, extents: &own.1, structure: None };
        let mut room = match chunks(partner.job)?.1 {
            ChunkJoin::Slices { .. } => {
                Some(turns.open(partner.job, n, lives.span(partner, n), &arguments)?)
            }
            ChunkJoin::Stitch | ChunkJoin::Given { .. } | ChunkJoin::Combine(_) | ChunkJoin::Place => None,
        };
        if let Some(memory) = room.as_mut().filter(|_| lives.last_reader[n].is_some()) {
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
    let expected = || vec![0; count];
    let members: Vec<Member> =
        partners.iter().zip(&bound).map(|(p, bound)| member(p, bound, expected(), watch)).collect();
    let threads = thread_count(partners, count);
    // SAFETY: operands are bound and checked; those that a partner makes are read at the variable of the parts only, so a
    // call reads what the calls before it in its row wrote.
    let made = unsafe { run_members(&members, &kernels, shares, &cuts, threads)? };
    turns.shelve(|n| partners[n].job);
    let tensors = tensors(partners, made, &bound)?;
    Ok(Together { tensors, time: start.elapsed(), spread: Spread { threads, chunks: count } })
}

/// Runs partners that one kernel computes, none of which reads the result of another: in one call, or in parts where that is
/// worth the results that have to be joined.
fn run_joined(
    partners: &[Partner],
    kernels: &[CalledKernel],
    watch: &Watch,
    start: Instant,
) -> Result<Together> {
    let bound = partners.iter().map(|partner| bind(partner, &[])).collect::<Result<Vec<PartnerInputs>>>()?;
    let cuts = joined_cuts(partners, &bound)?;
    let count = cuts.len() - 1;
    let (mut shares, mut members) = (Vec::new(), Vec::new());
    for (partner, inputs) in partners.iter().zip(&bound) {
        let arguments = Arguments { operands: &inputs.0, extents: &inputs.1, structure: None };
        let (share, expected) = match &partner.job.lowered.parallel {
            Parallel::Chunks(chunks) if count > 1 => {
                let weights = measure(partner, inputs, chunks.var);
                let expected = expected_elements(partner.job, &weights, &cuts, &arguments);
                (ResultShare::open(partner.job, chunks.join, &cuts, &expected, &arguments)?, expected)
            }
            Parallel::Chunks(_) | Parallel::Serial { .. } => {
                (ResultShare::open_whole(partner.job), vec![usize::MAX])
            }
        };
        shares.push(share);
        members.push(member(partner, inputs, expected, watch));
    }
    let threads = thread_count(partners, count);
    // SAFETY: operands are bound and checked, and none of them is made here.
    let made = unsafe { run_members(&members, kernels, shares, &cuts, threads)? };
    let tensors = tensors(partners, made, &bound)?;
    Ok(Together { tensors, time: start.elapsed(), spread: Spread { threads, chunks: count } })
}

/// The tensors of the arrays that were made; nothing of a transient one whose memory others have.
fn tensors(
    partners: &[Partner],
    made: Vec<Vec<BoundArray>>,
    bound: &[PartnerInputs],
) -> Result<Vec<Option<Tensor>>> {
    let tensor = |((partner, made), (_, extents)): ((&Partner<'_>, Vec<BoundArray>), &PartnerInputs)| {
        if made.is_empty() { Ok(None) } else { partner.job.tensor(made, extents).map(Some) }
    };
    partners.iter().zip(made).zip(bound).map(tensor).collect()
}

/// On how many threads so many parts run.
fn thread_count(partners: &[Partner], parts: usize) -> usize {
    let own = partners.first().map_or(0, |p| p.job.threading.threads);
    if own == 0 { threads() } else { own }.min(parts)
}

/// The weights of the coordinates of a partner's variable.
fn measure<'p>(
    partner: &'p Partner,
    (operands, extents): &'p PartnerInputs,
    var: IndexId,
) -> CoordWeights<'p> {
    CoordWeights::measure(partner.job, var, extents.range(var), operands)
}

/// Where one kernel of all partners is cut, its ends included.
fn joined_cuts(partners: &[Partner], bound: &[PartnerInputs]) -> Result<Vec<i64>> {
    let mut weighed: Option<CoordWeights> = None;
    let mut steps = 0.0;
    for (partner, inputs) in partners.iter().zip(bound) {
        let Parallel::Chunks(chunks) = &partner.job.lowered.parallel else { return Ok(vec![0, 0]) };
        let weights = measure(partner, inputs, chunks.var);
        weighed = Some(match weighed {
            None => weights,
            Some(others) => others.and(weights)?,
        });
        steps += partner.job.code.load.steps(partner.job.program, &inputs.0, &inputs.1.sizes);
    }
    let Some(weights) = weighed else { return Ok(vec![0, 0]) };
    let mut worth = grain::parts(steps);
    for (partner, (_, extents)) in partners.iter().zip(bound) {
        let (_, join) = chunks(partner.job)?;
        let joined = match join {
            ChunkJoin::Combine(_) => partner.job.declaration().format.rank() > 0,
            ChunkJoin::Slices { .. } => false,
            ChunkJoin::Stitch | ChunkJoin::Given { .. } | ChunkJoin::Place => true,
        };
        if joined {
            // Each part has a result of its own, which its work must be worth.
            worth = worth.min(grain::chunks(partner.job, &join, steps, extents));
        }
    }
    let forced = partners.iter().find_map(|p| p.job.threading.chunks);
    Ok(weights.cuts(forced.unwrap_or(worth)))
}

/// The kernels that are called for the partners of a row.
fn called_kernels<'j>(partners: usize, joined: &[(usize, &'j JoinedCode)]) -> Vec<CalledKernel<'j>> {
    let mut kernels = Vec::new();
    let mut next = 0;
    while next < partners {
        let one = joined.iter().find(|(first, _)| *first == next).map(|(_, code)| *code);
        let end = next + one.map_or(1, JoinedCode::members);
        kernels.push(CalledKernel { members: next..end, joined: one });
        next = end;
    }
    kernels
}

/// Until when the results of partners are read by others.
struct ResultLives {
    /// For each partner, the last one that reads its result.
    last_reader: Vec<Option<usize>>,
    /// For each partner, the number of the kernel that is called for it.
    kernel: Vec<usize>,
}

impl ResultLives {
    fn new(partners: &[Partner], kernels: &[CalledKernel]) -> ResultLives {
        let mut last_reader = vec![None; partners.len()];
        for (n, partner) in partners.iter().enumerate() {
            partner.made.iter().for_each(|(_, of)| last_reader[*of] = Some(n));
        }
        let kernel =
            kernels.iter().enumerate().flat_map(|(k, called)| called.members.clone().map(move |_| k));
        ResultLives { last_reader, kernel: kernel.collect() }
    }
    /// The numbers of the kernels that make a transient result and that read it last; nothing for results that others see, the
    /// watch among them.
    fn span(&self, partner: &Partner, n: usize) -> Option<RangeInclusive<usize>> {
        let last = self.last_reader[n].unwrap_or(n);
        (partner.transient && !partner.watched).then(|| self.kernel[n]..=self.kernel[last])
    }
}

/// A partner that runs in parts, which append about so many elements.
fn member<'s>(
    partner: &'s Partner<'_>,
    bound: &'s PartnerInputs<'_>,
    expected: Vec<usize>,
    watch: &'s Watch,
) -> Member<'s> {
    Member {
        job: partner.job,
        arguments: Arguments { operands: &bound.0, extents: &bound.1, structure: None },
        expected,
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
    let reads = job.code.signature.reads.iter();
    let mut own = reads.filter(|a| program.tensors[a.tensor].given == name);
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
    for ((partner, inputs), memory) in partners.iter().zip(bound).zip(memory) {
        let (program, (var, _)) = (partner.job.program, chunks(partner.job)?);
        let (operands, extents) = inputs;
        let weights = measure(partner, inputs, var);
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
    let mut reads = job.code.signature.reads.iter();
    reads.any(|a| a.tensor == operand && format.modes.first().is_some_and(|&m| a.vars.get(m) == Some(&var)))
}
