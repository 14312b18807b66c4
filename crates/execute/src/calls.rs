//! The calls of one run: the arguments of each, and how their results are put together.

use crate::job::{Arguments, Job, PER_OPERAND};
use crate::schedule::CallSchedule;
use crate::share::{Lends, ResultShare};
use crate::signature::{Extents, params};
use crate::spares::BoundArray;
use openwork_base::{Error, Result};
use openwork_loops::BufRole;
use openwork_lower::{Binding, ChunkJoin, is_appended};
use openwork_runtime::pieces;
use openwork_runtime::{
    BufferSlot, Callee, KernelResult, PieceArgs, Room, Shelf, ShelfUse, Watch, run, run_rows,
};
use openwork_storage::Buffer;
use std::ops::Range;
use std::sync::Arc;

/// What the buffers of a kernel are bound to but for those of literals: the operands, the structure of the result where it is
/// given, and `own` for each one that it writes.
pub(crate) fn slots<'t>(
    bindings: &[Binding],
    arguments: &Arguments<'t>,
    shelf: &Arc<Shelf>,
    own: &mut dyn FnMut(Binding) -> BufferSlot<'t>,
) -> Vec<BufferSlot<'t>> {
    let slot = |(number, binding): (usize, &Binding)| match *binding {
        // What is no operand is the result.
        Binding::Index { tensor, level, array } => {
            match arguments.operands.get(&tensor).copied().or(arguments.structure) {
                Some(t) => BufferSlot::Read(&t.level(level).arrays[array]),
                None => own(*binding),
            }
        }
        Binding::Values { tensor } => match arguments.operands.get(&tensor) {
            Some(t) => BufferSlot::Read(t.vals()),
            None => own(*binding),
        },
        Binding::Scratch | Binding::Kept => BufferSlot::Grow(Room::from_shelf(shelf.clone(), number)),
        Binding::Cursors | Binding::Keys => own(*binding),
    };
    // One more for literals, most of which are of one dtype.
    let mut all = Vec::with_capacity(bindings.len() + 1);
    all.extend(bindings.iter().enumerate().map(slot));
    all
}

impl<'k> Job<'k> {
    /// The parameters of a call over `part` of its variable, or over everything.
    fn params(self, extents: &Extents, part: Option<Range<i64>>) -> Vec<i64> {
        params(&self.lowered.params, extents, part, 0)
    }
    /// The operands, the structure of the result where it is given, `own` for each buffer that the kernel writes, and
    /// literals.
    fn slots<'t>(
        self,
        arguments: &Arguments<'t>,
        shelf: &Arc<Shelf>,
        own: &mut dyn FnMut(Binding) -> BufferSlot<'t>,
    ) -> Vec<BufferSlot<'t>>
    where
        'k: 't,
    {
        let mut all = slots(&self.lowered.bindings, arguments, shelf, own);
        all.extend(self.literals.slots(self.loops, all.len()));
        all
    }
    /// What the arrays are that a call makes, in their order.
    fn outs(self) -> impl Iterator<Item = Binding> {
        let bindings = self.lowered.bindings.iter().zip(self.lowered.kernel.bufs.iter());
        bindings.filter(|(_, (_, buf))| buf.role == BufRole::Out).map(|(binding, _)| *binding)
    }

    /// Makes the calls of a schedule and gives the arrays of the result.
    ///
    /// # Errors
    /// As [`Job::run`], for the first part that fails.
    ///
    /// # Safety
    /// As for [`run`]: the operands must be those that the kernel was compiled for.
    pub(crate) unsafe fn run_scheduled(
        self,
        schedule: CallSchedule,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<BoundArray>> {
        if let Some(chunks) = schedule.chunks {
            // SAFETY: the caller's promise.
            return unsafe { self.run_parts(schedule, chunks.join, arguments, watch) };
        }
        let _shelf = ShelfUse::begin(&schedule.shelf);
        let slots = self.slots(arguments, &schedule.shelf, &mut |b| {
            let room = self.room(b, arguments);
            let expected = arguments.structure.map_or(room.expected, |s| s.vals().len());
            BufferSlot::Grow(Room { spare: self.spare(b), expected, ..room })
        });
        let params = self.params(arguments.extents, None);
        // SAFETY: the caller's promise.
        let made = unsafe { run(&*self.code.compiled, self.loops, &params, slots, watch)? };
        let own = self.outs().zip(made).filter_map(|(binding, made)| match made {
            KernelResult::Own(buffer) => Some((binding, buffer)),
            KernelResult::InPlace { .. } => None,
        });
        Ok(own.collect())
    }

    /// Makes the calls of a schedule, for a result in this memory.
    ///
    /// # Errors
    /// As [`Job::run`], for the first part that fails.
    ///
    /// # Safety
    /// As for [`run`]: the operands must be those that the kernel was compiled for, none of them in this memory.
    pub(crate) unsafe fn run_over(
        self,
        schedule: CallSchedule,
        arguments: &Arguments,
        mut memory: Buffer,
    ) -> Result<Vec<BoundArray>> {
        let CallSchedule { chunks, cuts, expected, threads, shelf, .. } = schedule;
        if let Some(chunks) = chunks {
            let ChunkJoin::Slices { per } = chunks.join else {
                return Err(Error::bug("run", "the parts of a result in place are no slices", ""));
            };
            let share = ResultShare::slices(self, memory, per, &cuts, arguments.extents);
            let member = Member { job: self, arguments: *arguments, expected, shelf, watch: None };
            // SAFETY: the caller's promise.
            let made = unsafe { run_members(&[member], vec![share], &cuts, threads)? };
            return Ok(made.into_iter().flatten().collect());
        }
        let len = memory.len();
        let values = Binding::Values { tensor: self.result() };
        let mut parts = pieces::slices(&mut memory, &[0, len]).into_iter().map(BufferSlot::Part);
        let _shelf = ShelfUse::begin(&shelf);
        let slots = self.slots(arguments, &shelf, &mut |b| {
            let own = if b == values { parts.next() } else { None };
            own.unwrap_or_else(|| BufferSlot::Grow(self.room(b, arguments)))
        });
        let params = self.params(arguments.extents, None);
        // SAFETY: the caller's promise.
        let made = unsafe { run(&*self.code.compiled, self.loops, &params, slots, None)? };
        match made[..] {
            [KernelResult::InPlace { len: written }] if written == len => Ok(vec![(values, memory)]),
            _ => Err(Error::bug("run", "a kernel left the memory of its result", "")),
        }
    }

    /// One call for each part of a variable.
    ///
    /// # Safety
    /// As for [`Job::run_scheduled`].
    unsafe fn run_parts(
        self,
        schedule: CallSchedule,
        join: ChunkJoin,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<BoundArray>> {
        let CallSchedule { cuts, expected, threads, shelf, .. } = schedule;
        let share = ResultShare::open(self, join, &cuts, &expected, arguments)?;
        let member = Member { job: self, arguments: *arguments, expected, shelf, watch };
        // SAFETY: the caller's promise.
        let made = unsafe { run_members(&[member], vec![share], &cuts, threads)? };
        Ok(made.into_iter().flatten().collect())
    }
    /// Room for what one call appends of an array, or for its own copy.
    fn share_of(self, binding: Binding, own: usize, all: usize, arguments: &Arguments) -> Room {
        let room = self.room(binding, arguments);
        let expected = match is_appended(binding, self.program) {
            true => room.expected.min(own.saturating_mul(PER_OPERAND)),
            // Blocks are taken to be spread as elements are.
            false => (room.expected as u128 * own as u128 / all.max(1) as u128) as usize,
        };
        Room { expected, spare: self.spare(binding), ..room }
    }
}

/// A kernel that is called over parts, perhaps one of several.
pub(crate) struct Member<'a> {
    pub(crate) job: Job<'a>,
    pub(crate) arguments: Arguments<'a>,
    /// The elements that each call may append, unless it makes more than its operands have.
    pub(crate) expected: Vec<usize>,
    /// Memory that one call leaves to the next.
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) watch: Option<&'a Watch>,
}

impl Member<'_> {
    /// The call over part number `n`, which writes to its share of what is lent.
    fn piece<'s>(&'s self, n: usize, part: Range<i64>, lent: &mut [Lends<'s>]) -> PieceArgs<'s> {
        let Member { job, arguments, expected, shelf, .. } = self;
        let params = job.params(arguments.extents, Some(part));
        let all = expected.iter().sum();
        let slots = job.slots(arguments, shelf, &mut |b| {
            let own = lent.iter_mut().find(|(of, _)| *of == b).and_then(|(_, slots)| slots.next());
            own.unwrap_or_else(|| BufferSlot::Grow(job.share_of(b, expected[n], all, arguments)))
        });
        PieceArgs { params, slots }
    }
}

/// Calls every member over each of the parts between `cuts`, one after the other; each result has its own way to be put
/// together from what the calls make. Gives the arrays of each member's result.
///
/// # Errors
/// As [`Job::run`], for the first part that fails.
///
/// # Safety
/// As for [`run`]: the operands must be those that the kernels were compiled for; where one is the result of a member before,
/// every call reads only what that member wrote of the same part.
pub(crate) unsafe fn run_members<'m>(
    members: &'m [Member<'m>],
    mut shares: Vec<ResultShare>,
    cuts: &[i64],
    threads: usize,
) -> Result<Vec<Vec<BoundArray>>> {
    let _shelves: Vec<ShelfUse> = members.iter().map(|m| ShelfUse::begin(&m.shelf)).collect();
    let callee = |(m, share): (&'m Member<'_>, &ResultShare)| Callee {
        compiled: &*m.job.code.compiled,
        kernel: m.job.loops,
        // NaN stays when parts are combined, and there is less to look at.
        watch: m.watch.filter(|_| !share.is_combined()),
    };
    let callees: Vec<Callee> = members.iter().zip(&shares).map(callee).collect();
    let mut lent: Vec<Vec<Lends>> = shares.iter_mut().map(ResultShare::lend).collect();
    let row = |(n, cut): (usize, &[i64])| -> Vec<PieceArgs<'_>> {
        members.iter().zip(&mut lent).map(|(member, lent)| member.piece(n, cut[0]..cut[1], lent)).collect()
    };
    let rows: Vec<Vec<PieceArgs>> = cuts.windows(2).enumerate().map(row).collect();
    // SAFETY: the caller's promise; parts of lent memory do not overlap, and other memory grows for each call apart.
    let mut done = unsafe { run_rows(&callees, rows, threads)? };
    drop(lent);
    let mut arrays = Vec::new();
    for (k, (share, member)) in shares.into_iter().zip(members).enumerate() {
        let own = done.iter_mut().map(|row| std::mem::take(&mut row[k])).collect();
        let combined = share.is_combined();
        let joined = share.join(member.job, own, threads)?;
        for (_, buffer) in joined.iter().filter(|_| combined) {
            member.watch.map_or(Ok(()), |w| w.scan(buffer))?;
        }
        arrays.push(joined);
    }
    Ok(arrays)
}
