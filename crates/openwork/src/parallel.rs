//! One run on several threads: into how many chunks, cut where, and what becomes of their results.
//!
//! Chunks are chosen by the data alone, never by the number of threads, so that a result has the same bits however many
//! there are. A single thread runs chunks only where they decide about the bits, where floats are combined; and where what
//! they wrote is looked at, so that this happens while it is in the cache.

use crate::balance::Weights;
use crate::bind::Extents;
use crate::estimate::{self, Stored};
use crate::kernel::{Kernel, PER_OPERAND};
use crate::stages::Stages;
use openwork_base::{Error, Id, Result};
use openwork_format::ArrayRole;
use openwork_index::cin::Storage;
use openwork_index::{Access, IndexId, Kind, Program, Stmt, TensorId};
use openwork_loops::{Init, Role};
use openwork_lower::{Binding, Chunks, Join, Parallel, Param};
use openwork_runtime::{
    Lent, Made, Piece, Room, Seam, Shelf, Slot, Target, Watch, combine, pieces, run, run_pieces, stitch,
    threads,
};
use openwork_storage::{Buffer, Tensor};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Assignments that are worth a chunk: some 40 microseconds, several times what a chunk costs.
pub(crate) const GRAIN: f64 = 65_536.0;
/// Fewer chunks than these gain less than waking threads and joining results cost: products of 0.05 ms took 0.23 ms.
const FEWEST: usize = 4;
/// The most chunks: a few for each of the threads that a memory bus feeds, so that uneven ones even out.
const MOST: usize = 64;
/// Bytes of a dense result that are looked at together: a part of the smallest second-level cache there is.
const SEEN: usize = 256 << 10;
/// The most private copies of a result that are combined.
const COPIES: usize = 16;
/// Assignments per element of a result or temporary that make a private copy of it worth while.
const PER_COPY: f64 = 8.0;
/// The same where rows are added up in vectors, some ten elements in the time of one: with 16 copies of a result of 256 kB,
/// the product of a csc matrix and 128 columns took 1.7 ms on one thread instead of 1.2.
const PER_COPY_OF_ROWS: f64 = 96.0;

/// What a session says about threads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Threading {
    /// How many; 0 for those of the process.
    pub(crate) threads: usize,
    /// The number of chunks, for tests.
    pub(crate) chunks: Option<usize>,
    /// The number of groups that elements placed out of order are dealt into, for tests.
    pub(crate) groups: Option<usize>,
}

/// How a run was spread over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many threads it could use.
    pub threads: usize,
    /// Into how many calls of the kernel it was cut.
    pub chunks: usize,
}

/// What one run works on.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    /// The operand for each declared tensor.
    pub(crate) operands: &'a BTreeMap<TensorId, &'a Tensor>,
    /// How far index variables range.
    pub(crate) extents: &'a Extents,
    /// The structure of the result, where the kernel only computes its values.
    pub(crate) structure: Option<&'a Tensor>,
}

/// The calls of one run.
pub(crate) struct Schedule<'s> {
    /// What is cut, if anything is.
    chunks: Option<&'s Chunks>,
    /// Where it is cut, its ends included.
    cuts: Vec<i64>,
    /// The elements that each call may append, unless it makes more than its operands have.
    expected: Vec<usize>,
    threads: usize,
    /// Memory that one call leaves to the next.
    shelf: Arc<Shelf>,
}

impl<'s> Schedule<'s> {
    /// Decides how to run a kernel on operands. `watched`: its result is looked at.
    pub(crate) fn of(
        stages: &'s Stages,
        operands: &BTreeMap<TensorId, &Tensor>,
        extents: &Extents,
        threading: Threading,
        watched: bool,
    ) -> Schedule<'s> {
        let shelf = Arc::new(Shelf::default());
        let serial = Schedule {
            chunks: None,
            cuts: Vec::new(),
            expected: Vec::new(),
            threads: 1,
            shelf: shelf.clone(),
        };
        let Parallel::Chunks(chunks) = &stages.lowered.parallel else { return serial };
        if chunks.join == Join::Place {
            return serial;
        }
        let threads = if threading.threads == 0 { threads() } else { threading.threads };
        let combines = matches!(chunks.join, Join::Combine(_));
        let program = &stages.plan.program;
        let seen = match chunks.join {
            Join::Slices { .. } if watched => result_bytes(program, extents) / SEEN,
            Join::Slices { .. } | Join::Stitch | Join::Given { .. } | Join::Combine(_) | Join::Place => 0,
        };
        if threads <= 1 && !combines && seen <= 1 && threading.chunks.is_none() {
            return serial;
        }
        let stored: Stored =
            operands.iter().map(|(id, t)| (program.tensors[*id].given.as_str(), t.slots())).collect();
        let steps = estimate::steps(program, &stored, &extents.sizes);
        // Every chunk has temporaries and perhaps a result of its own, which it must be worth to clear.
        let private = private_elements(stages, extents, combines);
        let each = if combines && adds_rows(program) { PER_COPY_OF_ROWS } else { PER_COPY };
        let worth = if private > 0.0 { (steps / (each * private)) as usize } else { MOST };
        let most = worth.min(if combines { COPIES } else { MOST });
        let count = (steps / GRAIN) as usize;
        let count = if count < FEWEST { 1 } else { count.min(most) };
        let count = if threads <= 1 && !combines { count.min(seen) } else { count };
        let count = threading.chunks.unwrap_or(count);
        if count <= 1 {
            return serial;
        }
        let weights = Weights::of(program, chunks.var, range(chunks.var, extents), operands);
        let cuts = weights.cuts(count);
        let sparse = operands.values().filter(|t| !t.format().is_dense());
        // Operands that are not cut are taken to be spread evenly.
        let rest = match sparse.clone().count() > weights.known() {
            true => sparse.map(|t| t.slots()).sum::<usize>() / count,
            false => 0,
        };
        let share = |pair: &[i64]| weights.stored_between(pair[0]..pair[1]) + rest;
        let expected: Vec<usize> = cuts.windows(2).map(share).collect();
        let threads = threads.min(expected.len());
        Schedule { chunks: Some(chunks), cuts, expected, threads, shelf }
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

/// The bytes of a dense result.
fn result_bytes(program: &Program, extents: &Extents) -> usize {
    let results = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    let bytes = results.filter(|lhs| program.tensors[lhs.tensor].kind == Kind::Result).map(|lhs| {
        let sizes = lhs.vars.iter().map(|v| extents.sizes[v.index()]);
        sizes.fold(program.tensors[lhs.tensor].dtype.size(), usize::saturating_mul)
    });
    bytes.max().unwrap_or(0)
}

/// Whether a statement adds to its result in innermost loops over coordinates that every operand and the result store
/// side by side.
fn adds_rows(program: &Program) -> bool {
    fn innermost(s: &Stmt) -> Vec<(IndexId, &Stmt)> {
        let own = match s {
            Stmt::Forall { index, body } if matches!(**body, Stmt::Assign { .. }) => vec![(*index, &**body)],
            _ => Vec::new(),
        };
        own.into_iter().chain(s.children().into_iter().flat_map(innermost)).collect()
    }
    let dense = |a: &Access, v: IndexId| {
        let format = &program.tensors[a.tensor].format;
        let mode = |v| a.vars.iter().position(|x| *x == v);
        let level = mode(v).and_then(|m| format.modes.iter().position(|&l| l == m));
        level.is_none_or(|k| format.levels[k].is_dense())
    };
    innermost(&program.body).into_iter().any(|(v, s)| {
        let Stmt::Assign { lhs, rhs, .. } = s else { return false };
        let adds = program.tensors[lhs.tensor].kind == Kind::Result && lhs.vars.contains(&v);
        adds && dense(lhs, v) && rhs.accesses().into_iter().all(|a| dense(a, v))
    })
}

/// How many elements of temporaries, and of the result where parts are combined, each chunk has for itself.
fn private_elements(stages: &Stages, extents: &Extents, combines: bool) -> f64 {
    let program = &stages.plan.program;
    let mut seen: Vec<TensorId> = Vec::new();
    let mut elements = 0.0;
    for (lhs, ..) in program.body.assignments() {
        let t = &program.tensors[lhs.tensor];
        let private = match t.kind {
            Kind::Temp => {
                t.format.is_dense() || stages.lowered.storage.get(&lhs.tensor) != Some(&Storage::Hash)
            }
            Kind::Result => combines && t.format.is_dense(),
            Kind::Operand => false,
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

/// The parameters of a kernel for a call over `part` of its variable, or over everything, with `scale` groups of elements.
pub(crate) fn params(params: &[Param], extents: &Extents, part: Option<Range<i64>>, scale: i64) -> Vec<i64> {
    let visited = |v: IndexId| part.clone().unwrap_or(range(v, extents));
    let param = |p: &Param| match *p {
        Param::Size(v) => extents.sizes[v.index()] as i64,
        Param::Low(v) => extents.lows[v.index()],
        Param::Begin(v) => visited(v).start,
        Param::End(v) => visited(v).end,
        Param::Scale => scale,
    };
    params.iter().map(param).collect()
}

/// What the buffers of a kernel are bound to but for those of literals: the operands, the structure of the result where it is given, and `own` for
/// each one that it writes.
pub(crate) fn slots<'t>(
    bindings: &[Binding],
    arguments: &Arguments<'t>,
    shelf: &Arc<Shelf>,
    own: &mut dyn FnMut(Binding) -> Slot<'t>,
) -> Vec<Slot<'t>> {
    let slot = |(number, binding): (usize, &Binding)| match *binding {
        // What is no operand is the result.
        Binding::Index { tensor, level, array } => {
            match arguments.operands.get(&tensor).copied().or(arguments.structure) {
                Some(t) => Slot::Read(&t.level(level).arrays[array]),
                None => own(*binding),
            }
        }
        Binding::Values { tensor } => match arguments.operands.get(&tensor) {
            Some(t) => Slot::Read(t.vals()),
            None => own(*binding),
        },
        Binding::Scratch => Slot::Grow(Room::new()),
        Binding::Kept => Slot::Grow(Room::kept(shelf.clone(), number)),
        Binding::Cursors | Binding::Keys => own(*binding),
    };
    // One more for literals, most of which are of one dtype.
    let mut all = Vec::with_capacity(bindings.len() + 1);
    all.extend(bindings.iter().enumerate().map(slot));
    all
}

/// The values of a variable.
pub(crate) fn range(v: IndexId, extents: &Extents) -> Range<i64> {
    let low = extents.lows[v.index()];
    low..low + extents.sizes[v.index()] as i64
}

impl Kernel {
    /// The parameters of a call over `part` of its variable, or over everything.
    fn params(&self, extents: &Extents, part: Option<Range<i64>>) -> Vec<i64> {
        params(&self.stages.lowered.params, extents, part, 0)
    }
    /// The operands, the structure of the result where it is given, `own` for each buffer that the kernel writes, and
    /// literals.
    fn slots<'t>(
        &'t self,
        arguments: &Arguments<'t>,
        shelf: &Arc<Shelf>,
        own: &mut dyn FnMut(Binding) -> Slot<'t>,
    ) -> Vec<Slot<'t>> {
        let Stages { lowered, loops, literals, .. } = &self.stages;
        let mut all = slots(&lowered.bindings, arguments, shelf, own);
        all.extend(literals.slots(loops, all.len()));
        all
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
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<Buffer>> {
        let (operands, extents) = (arguments.operands, arguments.extents);
        let loops = &self.stages.loops;
        let Some(chunks) = schedule.chunks else {
            let slots = self.slots(arguments, &schedule.shelf, &mut |b| {
                let room = self.room(b, operands);
                let expected = arguments.structure.map_or(room.expected, |s| s.vals().len());
                Slot::Grow(Room { spare: self.spare(b), expected, ..room })
            });
            // SAFETY: the caller's promise.
            let made = unsafe { run(&*self.code, loops, &self.params(extents, None), slots, watch)? };
            let own = made.into_iter().filter_map(|made| match made {
                Made::Own(buffer) => Some(buffer),
                Made::InPlace { .. } => None,
            });
            return Ok(own.collect());
        };
        if let Join::Slices { per } = chunks.join {
            // SAFETY: the caller's promise.
            return unsafe { self.run_slices(schedule, per, arguments, watch) };
        }
        if let Join::Given { level, per } = chunks.join {
            // SAFETY: the caller's promise.
            return unsafe { self.run_given(schedule, (level, per), arguments, watch) };
        }
        if let Join::Combine(op) = chunks.join {
            let calls = schedule.parts().map(|part| Piece {
                params: self.params(extents, Some(part)),
                slots: self.slots(arguments, &schedule.shelf, &mut |b| Slot::Grow(self.room(b, operands))),
            });
            // SAFETY: the caller's promise; every piece grows memory of its own.
            let done = unsafe { run_pieces(&*self.code, loops, calls.collect(), schedule.threads, None)? };
            let none = || Error::bug("run", "nothing to combine", "");
            let all = combine(done, op.prim, schedule.threads)?.ok_or_else(none)?;
            // NaN stays when it is combined, and there is less to look at.
            watch.map_or(Ok(()), |w| w.over(&all))?;
            return Ok(vec![all]);
        }
        // SAFETY: the caller's promise.
        unsafe { self.run_stitched(schedule, arguments, watch) }
    }

    /// Every part appends to its share of each array, and the arrays are joined.
    ///
    /// # Safety
    /// As for [`Kernel::run_scheduled`].
    unsafe fn run_stitched(
        &self,
        schedule: &Schedule,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<Buffer>> {
        let (operands, extents) = (arguments.operands, arguments.extents);
        let mut starts = vec![0];
        for share in &schedule.expected {
            starts.push(starts[starts.len() - 1] + share);
        }
        let mut targets = self.targets();
        for (binding, target) in &mut targets {
            let room = self.room(*binding, operands);
            // What is appended in order; other arrays are short, or have gaps that must be cleared.
            if target.seam == Seam::Append && room.init == Init::Uninit && !self.multiplies() {
                let total = starts[starts.len() - 1];
                // Memory of an earlier run that does not suffice would have to be copied.
                let spare = target.spare.take().filter(|b| b.capacity() >= total);
                // Where there is no memory for all that may come, pieces take what they need.
                let buffer = pieces::whole(target.dtype, total, Room { spare, ..room }, &target.name).ok();
                target.lent = buffer.map(|buffer| Lent { buffer, starts: starts.clone() });
            }
        }
        let mut shares: Vec<(Binding, _)> = Vec::new();
        for (binding, target) in &mut targets {
            if let Some(Lent { buffer, starts }) = &mut target.lent {
                shares.push((*binding, pieces::slices(buffer, starts).into_iter()));
            }
        }
        let calls = schedule.parts().zip(&schedule.expected).map(|(part, expected)| Piece {
            params: self.params(extents, Some(part)),
            slots: self.slots(arguments, &schedule.shelf, &mut |b| {
                let share = shares.iter_mut().find(|(of, _)| *of == b).and_then(|(_, slices)| slices.next());
                let room = self.room(b, operands);
                let expected = room.expected.min(expected.saturating_mul(PER_OPERAND));
                share.map_or_else(|| Slot::Grow(Room { expected, ..room }), Slot::Part)
            }),
        });
        let calls: Vec<Piece> = calls.collect();
        // SAFETY: the caller's promise; shares do not overlap.
        let done = unsafe { run_pieces(&*self.code, &self.stages.loops, calls, schedule.threads, watch)? };
        stitch(done, targets.into_iter().map(|(_, target)| target).collect(), schedule.threads)
    }

    /// Every part writes its slice of one dense array.
    ///
    /// # Safety
    /// As for [`Kernel::run_scheduled`].
    unsafe fn run_slices(
        &self,
        schedule: &Schedule,
        per: i64,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<Buffer>> {
        let (operands, extents) = (arguments.operands, arguments.extents);
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
                slots: self
                    .slots(arguments, &schedule.shelf, &mut |_| Slot::Part(slice.take().unwrap_or_default())),
            }
        });
        let (calls, threads) = (calls.collect(), schedule.threads);
        // SAFETY: the caller's promise; slices do not overlap.
        let done = unsafe { run_pieces(&*self.code, &self.stages.loops, calls, threads, watch)? };
        if done.iter().flatten().any(|made| matches!(made, Made::Own(_))) {
            return Err(Error::bug("run", "a kernel wrote beyond its slice", self.stages.loops_text()));
        }
        Ok(vec![all])
    }

    /// Every part computes the values of its positions of a given structure.
    ///
    /// # Safety
    /// As for [`Kernel::run_scheduled`].
    unsafe fn run_given(
        &self,
        schedule: &Schedule,
        (level, per): (usize, i64),
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<Buffer>> {
        let t = &self.stages.plan.program.tensors[self.stages.result()];
        let unknown = || Error::bug("run", "the structure of the result is not given", "");
        let structure = arguments.structure.ok_or_else(unknown)?;
        let shape = structure.shape();
        let sizes: Vec<usize> = t.format.modes.iter().map(|&m| shape[m]).collect();
        let (rows, block): (usize, usize) =
            (sizes[1..level].iter().product(), sizes[level + 1..].iter().product());
        let positions = structure.level(level).arrays.first().ok_or_else(unknown)?;
        let cut = |c: &i64| {
            let row = (c.saturating_mul(per).max(0) as usize).min(sizes[0]) * rows;
            positions.get(row).as_i64().max(0) as usize * block
        };
        let cuts: Vec<usize> = schedule.cuts.iter().map(cut).collect();
        let values = Binding::Values { tensor: self.stages.result() };
        let room = Room { spare: self.spare(values), ..self.room(values, arguments.operands) };
        let mut all = pieces::whole(t.dtype, structure.vals().len(), room, &t.name)?;
        let calls = schedule.parts().zip(pieces::slices(&mut all, &cuts)).map(|(part, slice)| {
            let mut slice = Some(slice);
            Piece {
                params: self.params(arguments.extents, Some(part)),
                slots: self
                    .slots(arguments, &schedule.shelf, &mut |_| Slot::Part(slice.take().unwrap_or_default())),
            }
        });
        let (calls, threads) = (calls.collect(), schedule.threads);
        // SAFETY: the caller's promise; slices do not overlap.
        let done = unsafe { run_pieces(&*self.code, &self.stages.loops, calls, threads, watch)? };
        let wanted = cuts.windows(2).map(|c| c[1] - c[0]);
        let filled =
            |(made, len): (&Vec<Made>, usize)| matches!(made[..], [Made::InPlace { len: n }] if n == len);
        if !done.iter().zip(wanted).all(filled) {
            return Err(Error::bug("run", "a part did not fill its values", self.stages.loops_text()));
        }
        Ok(vec![all])
    }

    /// The arrays of the result, in the kernel's order.
    fn targets(&self) -> Vec<(Binding, Target)> {
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
                Binding::Values { .. }
                | Binding::Scratch
                | Binding::Kept
                | Binding::Cursors
                | Binding::Keys => Seam::Append,
            };
            (
                *binding,
                Target {
                    seam,
                    dtype: buf.elem,
                    name: buf.name.clone(),
                    spare: self.spare(*binding),
                    lent: None,
                },
            )
        })
        .collect()
    }
}
