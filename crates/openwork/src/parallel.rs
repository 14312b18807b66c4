//! One run on several threads: into how many chunks, cut where, and what becomes of their results.
//!
//! Chunks are chosen by the data alone, never by the number of threads, so that a result has the same bits however many
//! there are. A single thread runs chunks only where they decide about the bits: where floats are combined.

use crate::balance::Weights;
use crate::bind::Extents;
use crate::estimate::{self, Stored};
use crate::kernel::Kernel;
use crate::stages::Stages;
use openwork_base::{Error, Id, Result};
use openwork_format::ArrayRole;
use openwork_index::{IndexId, Kind, TensorId};
use openwork_loops::Role;
use openwork_lower::{Binding, Chunks, Join, Parallel, Param};
use openwork_runtime::{Piece, Room, Seam, Slot, Target, combine, pieces, run, run_pieces, stitch, threads};
use openwork_storage::{Buffer, Tensor};
use std::collections::BTreeMap;
use std::ops::Range;

/// Assignments that are worth a chunk: some 20 microseconds, several times what a chunk costs.
const GRAIN: f64 = 32_768.0;
/// The most chunks: a few for each of the threads that a memory bus feeds, so that uneven ones even out.
const MOST: usize = 64;
/// The most private copies of a result that are combined.
const COPIES: usize = 16;
/// Assignments per element of a result that make a private copy of it worth while.
const PER_COPY: f64 = 8.0;

/// What a session says about threads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Threading {
    /// How many; 0 for those of the process.
    pub(crate) threads: usize,
    /// The number of chunks, for tests.
    pub(crate) chunks: Option<usize>,
}

/// How a run was spread over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many threads it could use.
    pub threads: usize,
    /// Into how many calls of the kernel it was cut.
    pub chunks: usize,
}

/// The calls of one run.
pub(crate) struct Schedule<'s> {
    /// What is cut, if anything is.
    chunks: Option<&'s Chunks>,
    /// Where it is cut, its ends included.
    cuts: Vec<i64>,
    /// The elements that each call may append, if the operands' are all.
    expected: Vec<usize>,
    threads: usize,
}

impl<'s> Schedule<'s> {
    /// Decides how to run a kernel on operands.
    pub(crate) fn of(
        stages: &'s Stages,
        operands: &BTreeMap<TensorId, &Tensor>,
        extents: &Extents,
        threading: Threading,
    ) -> Schedule<'s> {
        let serial = Schedule { chunks: None, cuts: Vec::new(), expected: Vec::new(), threads: 1 };
        let Parallel::Chunks(chunks) = &stages.lowered.parallel else { return serial };
        let threads = if threading.threads == 0 { threads() } else { threading.threads };
        let combines = matches!(chunks.join, Join::Combine(_));
        if threads <= 1 && !combines && threading.chunks.is_none() {
            return serial;
        }
        let program = &stages.plan.program;
        let stored: Stored =
            operands.iter().map(|(id, t)| (program.tensors[*id].given.as_str(), t.nnz())).collect();
        let steps = estimate::steps(program, &stored, &extents.sizes);
        let most = match chunks.join {
            Join::Slices { .. } | Join::Stitch => MOST,
            Join::Combine(_) => {
                let result = &program.tensors[stages.result()];
                let lhs = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
                let lhs = lhs.into_iter().find(|a| a.tensor == stages.result());
                let len: f64 = lhs.map_or(1.0, |a| {
                    result.mode_vars(a).iter().map(|v| extents.sizes[v.index()] as f64).product()
                });
                ((steps / (PER_COPY * len.max(1.0))) as usize).min(COPIES)
            }
        };
        let count = threading.chunks.unwrap_or(((steps / GRAIN) as usize).min(most));
        if count <= 1 {
            return serial;
        }
        let weights = Weights::of(program, chunks.var, range(chunks.var, extents), operands);
        let cuts = weights.cuts(count);
        let all: usize = stored.values().sum();
        let share = |pair: &[i64]| weights.before(pair[1]) - weights.before(pair[0]) + all / count;
        let expected: Vec<usize> = cuts.windows(2).map(share).collect();
        let threads = threads.min(expected.len());
        Schedule { chunks: Some(chunks), cuts, expected, threads }
    }
    /// How the run is spread.
    pub(crate) fn spread(&self) -> Spread {
        Spread { threads: self.threads, chunks: self.cuts.len().saturating_sub(1).max(1) }
    }
    /// The coordinates of each call.
    fn parts(&self) -> impl Iterator<Item = Range<i64>> {
        self.cuts.windows(2).map(|c| c[0]..c[1])
    }
}

/// The values of a variable.
fn range(v: IndexId, extents: &Extents) -> Range<i64> {
    let low = extents.lows[v.index()];
    low..low + extents.sizes[v.index()] as i64
}

impl Kernel {
    /// The parameters of a call over `part` of its variable, or over everything.
    fn params(&self, extents: &Extents, part: Option<Range<i64>>) -> Vec<i64> {
        let visited = |v: IndexId| part.clone().unwrap_or(range(v, extents));
        let param = |p: &Param| match *p {
            Param::Size(v) => extents.sizes[v.index()] as i64,
            Param::Low(v) => extents.lows[v.index()],
            Param::Begin(v) => visited(v).start,
            Param::End(v) => visited(v).end,
        };
        self.stages.lowered.params.iter().map(param).collect()
    }
    /// The operands, and `own` for each buffer that the kernel writes.
    fn slots<'t>(
        &self,
        operands: &BTreeMap<TensorId, &'t Tensor>,
        own: &mut dyn FnMut(Binding) -> Slot<'t>,
    ) -> Vec<Slot<'t>> {
        let slot = |binding: &Binding| match *binding {
            Binding::Index { tensor, level, array } => match operands.get(&tensor) {
                Some(t) => Slot::Read(&t.level(level).arrays[array]),
                None => own(*binding),
            },
            Binding::Values { tensor } => match operands.get(&tensor) {
                Some(t) => Slot::Read(t.vals()),
                None => own(*binding),
            },
            Binding::Scratch => Slot::Grow(Room::new()),
        };
        self.stages.lowered.bindings.iter().map(slot).collect()
    }

    /// Makes the calls of a schedule and gives the arrays of the result.
    ///
    /// # Errors
    /// As [`Kernel::run`], for the first part that fails.
    ///
    /// # Safety
    /// As for [`run`]: the operands must be those that the kernel was compiled for.
    pub(crate) unsafe fn run_scheduled(
        &self,
        schedule: &Schedule,
        operands: &BTreeMap<TensorId, &Tensor>,
        extents: &Extents,
    ) -> Result<Vec<Buffer>> {
        let loops = &self.stages.loops;
        let Some(chunks) = schedule.chunks else {
            let slots = self.slots(operands, &mut |b| {
                Slot::Grow(Room { spare: self.spare(b), ..self.room(b, operands) })
            });
            // SAFETY: the caller's promise.
            return unsafe { run(&*self.code, loops, &self.params(extents, None), slots) };
        };
        if let Join::Slices { per } = chunks.join {
            // SAFETY: the caller's promise.
            return unsafe { self.run_slices(schedule, per, operands, extents) };
        }
        let calls = schedule.parts().zip(&schedule.expected);
        let calls = calls.map(|(part, &expected)| Piece {
            params: self.params(extents, Some(part)),
            slots: self.slots(operands, &mut |b| {
                let room = self.room(b, operands);
                Slot::Grow(Room { expected: expected.min(room.expected), ..room })
            }),
        });
        // SAFETY: the caller's promise; every piece grows memory of its own.
        let done = unsafe { run_pieces(&*self.code, loops, calls.collect(), schedule.threads)? };
        if let Join::Combine(op) = chunks.join {
            let pieces: Vec<Buffer> = done.into_iter().flatten().collect();
            let none = || Error::bug("run", "nothing to combine", "");
            return Ok(vec![combine(pieces, op.prim, schedule.threads).ok_or_else(none)?]);
        }
        stitch(done, self.targets(), schedule.threads)
    }

    /// Every part writes its slice of one dense array.
    ///
    /// # Safety
    /// As for [`Kernel::run_scheduled`].
    unsafe fn run_slices(
        &self,
        schedule: &Schedule,
        per: i64,
        operands: &BTreeMap<TensorId, &Tensor>,
        extents: &Extents,
    ) -> Result<Vec<Buffer>> {
        let t = &self.stages.plan.program.tensors[self.stages.result()];
        let shape = self.result_shape(&extents.sizes);
        let rows = shape[t.format.modes[0]];
        let inner: usize =
            shape.iter().enumerate().filter(|(m, _)| *m != t.format.modes[0]).map(|(_, n)| n).product();
        let values = Binding::Values { tensor: self.stages.result() };
        let room = Room { spare: self.spare(values), ..self.room(values, operands) };
        let mut all = pieces::whole(t.dtype, rows * inner, room, &t.name)?;
        let row = |cut: &i64| (cut.saturating_mul(per).max(0) as usize).min(rows);
        let cuts: Vec<usize> = schedule.cuts.iter().map(|c| row(c) * inner).collect();
        let calls = schedule.parts().zip(pieces::slices(&mut all, &cuts)).map(|(part, slice)| {
            let mut slice = Some(slice);
            Piece {
                params: self.params(extents, Some(part)),
                // A dense result has one array.
                slots: self.slots(operands, &mut |_| Slot::Part(slice.take().unwrap_or_default())),
            }
        });
        // SAFETY: the caller's promise; slices do not overlap.
        unsafe { run_pieces(&*self.code, &self.stages.loops, calls.collect(), schedule.threads)? };
        Ok(vec![all])
    }

    /// The arrays of the result, in the kernel's order.
    fn targets(&self) -> Vec<Target> {
        let program = &self.stages.plan.program;
        let bindings = self.stages.lowered.bindings.iter().zip(self.stages.lowered.kernel.bufs.iter());
        let outs = bindings.filter(|(_, (_, buf))| buf.role == Role::Out);
        outs.map(|(binding, (_, buf))| {
            let seam = match *binding {
                Binding::Index { tensor, level, array } => {
                    let format = &program.tensors[tensor].format;
                    debug_assert_eq!(program.tensors[tensor].kind, Kind::Result);
                    match format.levels[level].spec.arrays[array].role {
                        ArrayRole::Pos if level == 0 => Seam::Root,
                        ArrayRole::Pos => Seam::Positions,
                        _ => Seam::Append,
                    }
                }
                Binding::Values { .. } | Binding::Scratch => Seam::Append,
            };
            Target { seam, name: buf.name.clone(), spare: self.spare(*binding) }
        })
        .collect()
    }
}
