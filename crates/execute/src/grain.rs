//! The grain of chunks: how much work is worth a chunk of its own.
//!
//! Work is counted in steps ([`Load`](crate::load::Load)), which the cost model estimates from the data alone, so that chunks
//! never depend on the number of threads.

use crate::job::Job;
use crate::signature::Extents;
use openwork_algebra::DType;
use openwork_base::Id;
use openwork_base::machine::threshold;
use openwork_index::cin::Storage;
use openwork_index::{TensorId, TensorKind};
use openwork_loops::BlockLength;
use openwork_lower::cost::{adds_rows, sums_lists, sums_rows};
use openwork_lower::{ChunkJoin, Parallel};

/// Steps that are worth a chunk: some 40 microseconds, several times what a chunk costs.
pub(crate) const GRAIN: f64 = 65_536.0;
/// [`GRAIN`], or one step on a tiny machine.
fn grain() -> f64 {
    threshold(GRAIN, 1.0)
}
/// Fewer chunks than these gain less than waking threads and joining results cost: products of 0.05 ms took 0.23 ms.
const FEWEST: usize = 4;
/// Grains that are worth one of [`FEWEST`] chunks where each writes its own part of one array of values: nothing has to be
/// joined, and a thread that wakes late finds nothing left to do. Four chunks cost some three microseconds.
const SMALL: f64 = 1.0 / 8.0;
/// The same where parts of a sparse result are joined.
const JOINED: f64 = 1.0 / 2.0;
/// The most chunks: a few for each of the threads that a memory bus feeds, so that uneven ones even out.
const MOST: usize = 64;
/// The most private copies of a result that are combined.
const COPIES: usize = 16;
/// Steps per element of a result or temporary that make a private copy of it worth while.
const PER_COPY: f64 = 8.0;
/// The same where rows are added up in vectors, some ten elements in the time of one: with 16 copies of a result of 256 kB,
/// the product of a csc matrix and 128 columns took 1.7 ms on one thread instead of 1.2.
const PER_COPY_OF_ROWS: f64 = 96.0;
/// How many steps of sums over elements side by side take the time of one: five chunks of a product of two rows of 32
/// at each of 11,000 elements took 0.16 ms on two threads, and 0.07 on one.
const IN_VECTORS: f64 = 4.0;

/// How many chunks a run that takes so many steps is worth.
pub(crate) fn chunks(job: Job, join: &ChunkJoin, steps: f64, extents: &Extents) -> usize {
    if steps / grain() < SMALL * FEWEST as f64 {
        return 1;
    }
    let (program, combines) = (job.program, matches!(join, ChunkJoin::Combine(_)));
    let in_vectors = sums_rows(program) || (!combines && sums_lists(program));
    let steps = if in_vectors { steps / IN_VECTORS } else { steps };
    // Every chunk has temporaries and perhaps a result of its own, which it must be worth to clear.
    let private = private_elements(job, extents, combines);
    let each = threshold(if combines && adds_rows(program) { PER_COPY_OF_ROWS } else { PER_COPY }, 0.0);
    let worth = if private > 0.0 { (steps / (each * private)) as usize } else { MOST };
    let most = worth.min(if combines { COPIES } else { MOST });
    let least =
        if matches!(join, ChunkJoin::Slices { .. } | ChunkJoin::Given { .. }) { SMALL } else { JOINED };
    let small = || !combines && steps / grain() / least >= FEWEST as f64 && !adds_rows(program);
    match (steps / grain()) as usize {
        0..FEWEST if small() => FEWEST.min(most),
        0..FEWEST => 1,
        count if combines => fit_blocks(job, count.min(most), extents),
        // Whatever is left over has one thread at work while others wait: five chunks take two threads as long as six.
        count => count.next_multiple_of(FEWEST).min(most),
    }
}

/// About so many chunks, such that sums of columns in single precision are as right in chunks as in one piece: rows up to a
/// certain number have no blocks ([`BlockLength::row`]), so a chunk has more, or no more than one block has.
fn fit_blocks(job: Job, count: usize, extents: &Extents) -> usize {
    let Parallel::Chunks(chunks) = &job.lowered.parallel else { return count };
    let single = job.program.tensors[job.result()].dtype.real() == DType::F32;
    if !single || !adds_rows(job.program) || count < 2 {
        return count;
    }
    let blocks = BlockLength::default();
    let (one, few) = (blocks.rounds as usize, blocks.row as usize);
    let rows = extents.sizes[chunks.var.index()];
    match rows.div_ceil(count) {
        each if each <= one || each > few || rows <= few => count,
        _ if rows / (few + 1) > 1 => rows / (few + 1),
        _ => rows.div_ceil(one),
    }
}

/// How many parts kernels are worth that take so many steps together.
pub(crate) fn parts(steps: f64) -> usize {
    match (steps / grain()) as usize {
        0..FEWEST => 1,
        grains => grains.next_multiple_of(FEWEST).min(MOST),
    }
}

/// How many elements of temporaries, and of the result where parts are combined, each chunk has for itself.
fn private_elements(job: Job, extents: &Extents, combines: bool) -> f64 {
    let program = job.program;
    let mut seen: Vec<TensorId> = Vec::new();
    let mut elements = 0.0;
    for (lhs, ..) in program.body.assignments() {
        let t = &program.tensors[lhs.tensor];
        let private = match t.kind {
            TensorKind::Temp => {
                t.format.is_dense() || job.lowered.storage().get(&lhs.tensor) != Some(&Storage::Hash)
            }
            TensorKind::Result => combines && t.format.is_dense(),
            TensorKind::Operand | TensorKind::Predicate => false,
        };
        if private && t.format.rank() > 0 && !seen.contains(&lhs.tensor) {
            seen.push(lhs.tensor);
            let sizes = lhs.vars.iter().map(|v| extents.sizes[v.index()] as f64);
            // The slots of a sparse workspace are only cleared as far as they are used.
            let touched = if t.format.is_dense() { 1.0 } else { 0.25 };
            elements += touched * sizes.product::<f64>();
        }
    }
    elements
}
