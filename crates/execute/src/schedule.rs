//! One run on several threads: how many chunks there are, where they are cut, and how their results are joined.
//!
//! Chunks are chosen by the data alone, never by the number of threads, so that a result has the same bits however many there
//! are. A single thread runs chunks only where they decide about the bits: where floats are combined, or where loops around
//! the one that is cut add up several rounds at a time. It also runs chunks where their results are looked at, so that this
//! happens while they are in the cache.

use crate::balance::CoordWeights;
use crate::bounding::find_bounding_operands;
use crate::grain;
use crate::job::{Arguments, Job};
use crate::signature::Extents;
use crate::threading::Spread;
use openwork_base::machine::threshold;
use openwork_base::threads::threads;
use openwork_base::{Id, SlotCount};
use openwork_index::IndexId;
use openwork_index::cin::CinStmt;
use openwork_lower::{ChunkJoin, Chunks, Parallel};
use openwork_runtime::Shelf;
use std::sync::Arc;

/// Bytes of a dense result that are looked at together: a part of the smallest second-level cache there is.
const SEEN: usize = 256 << 10;
/// The calls of one run.
pub(crate) struct CallSchedule<'s> {
    /// What is cut, if anything is.
    pub(crate) chunks: Option<&'s Chunks>,
    /// Where it is cut, its ends included.
    pub(crate) cuts: Vec<i64>,
    /// The elements that each call may append, unless it makes more than its operands have.
    pub(crate) expected: Vec<usize>,
    pub(crate) threads: usize,
    /// Memory that one call leaves to the next.
    pub(crate) shelf: Arc<Shelf>,
    /// Whether the chunks decide about the bits of the result.
    decides: bool,
}

/// Whether a loop is around the one that is cut: how many of its rounds a chunk has decides which of them are added up first, as
/// those over the diagonals of a matrix do.
fn regroups(body: &CinStmt, cut: IndexId) -> bool {
    match body {
        CinStmt::Forall { index, .. } => *index != cut,
        CinStmt::Seq(all) | CinStmt::Multi(all) => all.iter().any(|s| regroups(s, cut)),
        CinStmt::Where { consumer, producer } => regroups(consumer, cut) || regroups(producer, cut),
        CinStmt::Assign { .. } | CinStmt::Nop => false,
    }
}

impl<'s> CallSchedule<'s> {
    /// One call.
    fn serial(shelf: Arc<Shelf>) -> CallSchedule<'s> {
        CallSchedule {
            chunks: None,
            cuts: Vec::new(),
            expected: Vec::new(),
            threads: 1,
            shelf,
            decides: false,
        }
    }
    /// The same work in one call, if it is in several, and one makes the same bits.
    pub(crate) fn single_call(&self) -> Option<CallSchedule<'s>> {
        (self.chunks.is_some() && !self.decides).then(|| CallSchedule::serial(Arc::default()))
    }
    /// Decides how to run a kernel on operands. `watched`: its result is looked at.
    pub(crate) fn decide(job: Job<'s>, arguments: &Arguments, watched: bool) -> CallSchedule<'s> {
        let shelf = job.code.shelf.clone();
        let serial = CallSchedule::serial(shelf.clone());
        let Parallel::Chunks(chunks) = &job.lowered.parallel else { return serial };
        if chunks.join == ChunkJoin::Place {
            return serial;
        }
        let (operands, extents, threading) = (arguments.operands, arguments.extents, job.threading);
        let threads = if threading.threads == 0 { threads() } else { threading.threads };
        let combines = matches!(chunks.join, ChunkJoin::Combine(_));
        let program = job.program;
        let sliced = matches!(chunks.join, ChunkJoin::Slices { .. });
        let seen = if watched && sliced { result_bytes(job, extents) / threshold(SEEN, 8) } else { 0 };
        let decides = combines || regroups(&program.body, chunks.var);
        if threads <= 1 && !decides && seen <= 1 && threading.chunks.is_none() {
            return serial;
        }
        let steps = job.code.load.steps(program, operands, &extents.sizes);
        let count = grain::chunks(job, &chunks.join, steps, extents);
        let count = if threads <= 1 && !decides { count.min(seen) } else { count };
        let count = threading.chunks.unwrap_or(count);
        if count <= 1 {
            return serial;
        }
        let weights = CoordWeights::measure(job, chunks.var, extents.range(chunks.var), operands);
        let cuts = weights.cuts(count);
        let expected = expected_elements(job, &weights, &cuts, arguments);
        let threads = threads.min(expected.len());
        CallSchedule { chunks: Some(chunks), cuts, expected, threads, shelf, decides }
    }
    /// How the run is spread.
    pub(crate) fn spread(&self) -> Spread {
        Spread { threads: self.threads, chunks: self.cuts.len().saturating_sub(1).max(1) }
    }
}

/// The elements that the call over each part may append, unless it makes more than its operands have.
pub(crate) fn expected_elements(
    job: Job,
    weights: &CoordWeights,
    cuts: &[i64],
    arguments: &Arguments,
) -> Vec<usize> {
    let (operands, count) = (arguments.operands, cuts.len().saturating_sub(1).max(1));
    let bounding = find_bounding_operands(job.program, job.result(), &|id| Some(operands.get(&id)?.slots()));
    // Operands that are not cut are taken to be spread evenly.
    let whole = bounding.iter().filter(|id| !weights.knows(**id));
    let rest = whole.filter_map(|id| operands.get(id)).map(|t| t.slots()).sum::<usize>() / count;
    let share = |pair: &[i64]| weights.stored_between(pair[0]..pair[1], &bounding) + rest;
    cuts.windows(2).map(share).collect()
}

/// The bytes of a dense result.
fn result_bytes(job: Job, extents: &Extents) -> usize {
    let sizes = job.code.signature.result.iter().map(|v| extents.sizes[v.index()]);
    sizes.fold(SlotCount::ONE, SlotCount::times).times(job.declaration().dtype.size()).saturate()
}
