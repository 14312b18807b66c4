//! One result of several calls: where each call writes, and how the parts become one.

use crate::balance::listed_before;
use crate::job::{Arguments, Job};
use crate::signature::Extents;
use crate::spares::BoundArray;
use openwork_algebra::Operator;
use openwork_base::{Error, Result, SlotCount};
use openwork_format::ArrayRole;
use openwork_index::{TensorId, TensorKind};
use openwork_loops::{BufRole, Init, text};
use openwork_lower::{Binding, ChunkJoin, Parallel, is_appended};
use openwork_runtime::{
    BufferSlot, CombinedArrays, KernelResult, LentArray, Room, Seam, SharedMemory, StitchTarget, combine,
    pieces, stitch,
};
use openwork_storage::{Buffer, Tensor};
use std::vec::IntoIter;

/// A result that several calls make.
pub(crate) struct ResultShare<'b> {
    result: TensorId,
    kind: ShareParts<'b>,
}

/// What becomes of the parts.
enum ShareParts<'b> {
    /// Each is a slice of one array of values; `full`: and must fill it.
    Slices { all: Buffer, cuts: Vec<usize>, full: bool },
    /// Each is a part of one array that others have before and after.
    Turn { memory: SharedMemory<'b>, cuts: Vec<usize> },
    /// Each appends to its share of every array, and the arrays are joined.
    Stitched(Vec<(Binding, StitchTarget)>),
    /// Each is a copy of the result, which this operator combines.
    Combined(&'static Operator),
    /// There is one call, which makes all of it: these arrays.
    Whole(Vec<Binding>),
}

/// The share that each call has of an array, in their order.
pub(crate) type Lends<'s> = (Binding, IntoIter<BufferSlot<'s>>);

impl<'b> ResultShare<'b> {
    /// Makes room for a result.
    ///
    /// # Errors
    /// `E0603` when memory runs out.
    pub(crate) fn open(
        job: Job,
        join: ChunkJoin,
        cuts: &[i64],
        expected: &[usize],
        arguments: &Arguments,
    ) -> Result<ResultShare<'b>> {
        let result = job.result();
        let kind = match join {
            ChunkJoin::Slices { per } => {
                let all = room_for_slices(job, arguments)?;
                ShareParts::Slices { all, cuts: elements(job, per, cuts, arguments.extents), full: false }
            }
            ChunkJoin::Given { level, per } => compute_given(job, result, level, per, cuts, arguments)?,
            ChunkJoin::Stitch => append_parts(job, result, cuts, expected, arguments),
            ChunkJoin::Combine(op) => ShareParts::Combined(op),
            ChunkJoin::Place => return Err(Error::bug("run", "elements that are placed have no parts", "")),
        };
        Ok(ResultShare { result, kind })
    }
    /// A result that one call makes.
    pub(crate) fn open_whole(job: Job) -> ResultShare<'b> {
        ResultShare { result: job.result(), kind: ShareParts::Whole(job.outs().collect()) }
    }
    /// A dense result in this memory, of which each part writes the coordinates between two cuts, `per` for each value of the
    /// variable that is cut.
    pub(crate) fn slices(
        job: Job,
        all: Buffer,
        per: i64,
        cuts: &[i64],
        extents: &Extents,
    ) -> ResultShare<'b> {
        let kind = ShareParts::Slices { all, cuts: elements(job, per, cuts, extents), full: false };
        ResultShare { result: job.result(), kind }
    }
    /// A dense result in memory that it has in turns with others.
    pub(crate) fn turn(
        job: Job,
        memory: SharedMemory<'b>,
        cuts: &[i64],
        extents: &Extents,
    ) -> ResultShare<'b> {
        let kind = ShareParts::Turn { memory, cuts: elements(job, 1, cuts, extents) };
        ResultShare { result: job.result(), kind }
    }
    /// The memory of each call, where it is known before.
    pub(crate) fn lend(&mut self) -> Vec<Lends<'_>> {
        let values = Binding::Values { tensor: self.result };
        let parts = |all, cuts: &[usize]| {
            let slots = pieces::slices(all, cuts).into_iter().map(BufferSlot::Part);
            slots.collect::<Vec<_>>().into_iter()
        };
        match &mut self.kind {
            ShareParts::Slices { all, cuts, .. } => vec![(values, parts(all, cuts))],
            ShareParts::Turn { memory, cuts } => {
                let part = |pair: &[usize]| memory.part(pair[0]..pair[1]).map(BufferSlot::Shared);
                let slots: Vec<BufferSlot> = cuts.windows(2).filter_map(part).collect();
                vec![(values, slots.into_iter())]
            }
            ShareParts::Stitched(targets) => {
                let lent = targets.iter_mut().filter_map(|(b, target)| Some((*b, target.lent.as_mut()?)));
                lent.map(|(b, LentArray { buffer, starts })| (b, parts(buffer, starts))).collect()
            }
            ShareParts::Combined(_) | ShareParts::Whole(_) => Vec::new(),
        }
    }
    /// Whether parts are combined by an operator.
    pub(crate) fn is_combined(&self) -> bool {
        matches!(self.kind, ShareParts::Combined(_))
    }
    /// One result of what the calls made of it.
    ///
    /// # Errors
    /// `E0603` when memory runs out, `E0604` when a position does not fit the width of its array.
    pub(crate) fn join(
        self,
        job: Job,
        made: Vec<Vec<KernelResult>>,
        threads: usize,
    ) -> Result<Vec<BoundArray>> {
        let bug = |what: &str| Error::bug("run", what, text::print(&job.lowered.kernel));
        let values = Binding::Values { tensor: self.result };
        match self.kind {
            ShareParts::Slices { all, cuts, full } => {
                for (made, cut) in made.iter().zip(cuts.windows(2)) {
                    match made[..] {
                        [KernelResult::InPlace { len }] if !full || len == cut[1] - cut[0] => {}
                        [KernelResult::InPlace { .. }] => {
                            return Err(bug("a part did not fill its values"));
                        }
                        _ => return Err(bug("a kernel wrote beyond its slice")),
                    }
                }
                Ok(vec![(values, all)])
            }
            ShareParts::Turn { .. } => Ok(Vec::new()),
            ShareParts::Stitched(targets) => {
                let (bindings, targets): (Vec<Binding>, Vec<StitchTarget>) = targets.into_iter().unzip();
                Ok(bindings.into_iter().zip(stitch(made, targets, threads)?).collect())
            }
            ShareParts::Whole(outs) => {
                let own = outs.into_iter().zip(made.into_iter().flatten());
                let own = own.filter_map(|(binding, made)| match made {
                    KernelResult::Own(buffer) => Some((binding, buffer)),
                    KernelResult::InPlace { .. } => None,
                });
                Ok(own.collect())
            }
            ShareParts::Combined(op) => {
                let CombinedArrays { all, rest } =
                    combine(made, op.prim, threads)?.ok_or_else(|| bug("nothing to combine"))?;
                rest.into_iter().for_each(|part| job.shelve(values, part));
                Ok(vec![(values, all)])
            }
        }
    }
}

/// The rows of a dense result, and the elements of each.
pub(crate) fn rows(job: Job, extents: &Extents) -> (usize, usize) {
    let (shape, t) = (job.shape(&extents.sizes), job.declaration());
    let inner = shape.iter().enumerate().filter(|(m, _)| *m != t.format.modes[0]).map(|(_, n)| n);
    (shape[t.format.modes[0]], SlotCount::product(inner).saturate())
}
/// One array for the slices of all parts.
///
/// # Errors
/// `E0603` when memory runs out.
pub(crate) fn room_for_slices(job: Job, arguments: &Arguments) -> Result<Buffer> {
    let (rows, inner) = rows(job, arguments.extents);
    let all = SlotCount::ONE.times(rows).times(inner).saturate();
    compute_whole(job, job.result(), all, arguments)
}
/// The elements at which slices begin, `per` rows for each value of the variable that is cut.
fn elements(job: Job, per: i64, cuts: &[i64], extents: &Extents) -> Vec<usize> {
    let (rows, inner) = rows(job, extents);
    let row = |cut: &i64| (cut.saturating_mul(per).max(0) as usize).min(rows);
    cuts.iter().map(|c| row(c) * inner).collect()
}

/// Every part computes the values of its positions of a given structure.
fn compute_given(
    job: Job,
    result: TensorId,
    level: usize,
    per: i64,
    cuts: &[i64],
    arguments: &Arguments,
) -> Result<ShareParts<'static>> {
    let t = &job.program.tensors[result];
    let unknown = || Error::bug("run", "the structure of the result is not given", "");
    let structure: &Tensor = arguments.structure.ok_or_else(unknown)?;
    let shape = structure.shape();
    let sizes: Vec<usize> = t.format.modes.iter().map(|&m| shape[m]).collect();
    let [rows, block] =
        [&sizes[1..level], &sizes[level + 1..]].map(|sizes| SlotCount::product(sizes).saturate());
    let positions = structure.level(level).arrays.first().ok_or_else(unknown)?;
    let cut = |c: &i64| {
        let row = (c.saturating_mul(per).max(0) as usize).min(sizes[0]) * rows;
        positions.get(row).as_i64().max(0) as usize * block
    };
    let cuts = cuts.iter().map(cut).collect();
    Ok(ShareParts::Slices {
        all: compute_whole(job, result, structure.vals().len(), arguments)?,
        cuts,
        full: true,
    })
}

/// The values of all parts together.
fn compute_whole(job: Job, result: TensorId, len: usize, arguments: &Arguments) -> Result<Buffer> {
    let t = &job.program.tensors[result];
    let values = Binding::Values { tensor: result };
    let room = Room { spare: job.spare(values), ..job.room(values, arguments) };
    pieces::allocate(t.dtype, len, room, &t.name)
}

/// Every part appends to its share of each array, and the arrays are joined.
fn append_parts(
    job: Job,
    result: TensorId,
    cuts: &[i64],
    expected: &[usize],
    arguments: &Arguments,
) -> ShareParts<'static> {
    let listed = starts(expected.iter().copied());
    let blocks = starts_of_blocks(job, cuts, arguments);
    let mut targets = targets(job, result);
    for (binding, target) in &mut targets {
        let room = job.room(*binding, arguments);
        // What is appended in order, and blocks below that; other arrays are short, or have gaps that must be cleared.
        let starts = match *binding {
            _ if is_appended(*binding, job.program) => Some(&listed),
            Binding::Values { .. } => blocks.as_ref(),
            _ => None,
        };
        let Some(starts) = starts.filter(|_| target.seam == Seam::Append && !job.multiplies()) else {
            continue;
        };
        if room.init == Init::Uninit {
            let total = starts[starts.len() - 1];
            // Memory of an earlier run that does not suffice would have to be copied.
            let spare = target.spare.take().filter(|b| b.capacity() >= total);
            // Where there is no memory for all that may come, pieces take what they need.
            let buffer = pieces::allocate(target.dtype, total, Room { spare, ..room }, &target.name).ok();
            target.lent = buffer.map(|buffer| LentArray { buffer, starts: starts.clone() });
        }
    }
    ShareParts::Stitched(targets)
}

/// Where shares of these lengths begin, and where the last one ends.
fn starts(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + length);
    }
    starts
}

/// The values at which shares begin of dense blocks below a list: one block for each element that operands list there, where
/// all of these are cut with the result.
fn starts_of_blocks(job: Job, cuts: &[i64], arguments: &Arguments) -> Option<Vec<usize>> {
    let Parallel::Chunks(chunks) = &job.lowered.parallel else { return None };
    let blocks = job.blocks(arguments)?;
    let is_cut = |t: &Tensor| {
        let mut all = job.code.signature.modes.iter();
        all.any(|(id, vars)| {
            let declared = &job.program.tensors[*id];
            let own = arguments.operands.get(id).is_some_and(|own| std::ptr::eq(*own, t));
            let outermost = declared.format.modes.first().and_then(|&m| vars.get(m));
            own && !declared.is_windowed() && outermost == Some(&chunks.var)
        })
    };
    if !blocks.lists.iter().all(|(t, _)| is_cut(t)) {
        return None;
    }
    let before = |cut: &i64| -> Option<usize> {
        let counts = blocks.lists.iter().map(|&(t, level)| listed_before(t, level, *cut));
        counts.sum::<Option<usize>>()?.checked_mul(blocks.size)
    };
    let at: Vec<usize> = cuts.iter().map(before).collect::<Option<_>>()?;
    Some(starts(at.windows(2).map(|pair| pair[1].saturating_sub(pair[0]))))
}

/// The arrays of a result, in the kernel's order.
fn targets(job: Job, result: TensorId) -> Vec<(Binding, StitchTarget)> {
    let bindings = job.lowered.bindings.iter().zip(job.lowered.kernel.bufs.iter());
    let outs = bindings.filter(|(_, (_, buf))| buf.role == BufRole::Out);
    let target = |(binding, (_, buf)): (&Binding, (_, &openwork_loops::Buf))| {
        let seam = match *binding {
            Binding::Index { tensor, level, array } if tensor == result => {
                let format = &job.program.tensors[tensor].format;
                debug_assert_eq!(job.program.tensors[tensor].kind, TensorKind::Result);
                match format.levels[level].spec.arrays[array].role {
                    ArrayRole::Pos if level == 0 => Seam::Root,
                    ArrayRole::Pos => Seam::Positions,
                    _ => Seam::Append,
                }
            }
            Binding::Values { tensor } if tensor == result => Seam::Append,
            Binding::Index { .. }
            | Binding::Values { .. }
            | Binding::Scratch
            | Binding::Kept
            | Binding::Cursors
            | Binding::Keys => return None,
        };
        let spare = job.spare(*binding);
        Some((*binding, StitchTarget { seam, dtype: buf.elem, name: buf.name.clone(), spare, lent: None }))
    };
    outs.filter_map(target).collect()
}
