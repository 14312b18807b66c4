//! The calls of one run: the arguments of each, and how their results are put together.

use crate::job::{Arguments, Job, PER_OPERAND};
use crate::joined::JoinedCode;
use crate::schedule::CallSchedule;
use crate::share::{Lends, ResultShare};
use crate::signature::{Extents, params};
use crate::spares::BoundArray;
use openwork_base::{Error, Result};
use openwork_loops::BufRole;
use openwork_lower::{Binding, ChunkJoin, is_appended};
use openwork_runtime::pieces;
use openwork_runtime::{
    BufferSlot, Callee, KernelResult, PieceArgs, Room, Shelf, ShelfUse, Watch, Watched, run, run_rows,
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
        let all = slots(&self.lowered.bindings, arguments, shelf, own);
        self.with_literals(all, shelf)
    }
    /// What the buffers are bound to, those of literals and those that only the loops have included.
    fn with_literals<'t>(self, mut all: Vec<BufferSlot<'t>>, shelf: &Arc<Shelf>) -> Vec<BufferSlot<'t>>
    where
        'k: 't,
    {
        all.extend(self.literals.slots(self.loops, all.len(), Some(shelf)));
        all
    }
    /// What the arrays are that a call makes, in their order.
    pub(crate) fn outs(self) -> impl Iterator<Item = Binding> {
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
        let made =
            unsafe { run(&*self.code.compiled, self.loops, &params, slots, watch.map(Watched::show_all))? };
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
            let made =
                unsafe { run_members(&[member], &[CalledKernel::own(0)], vec![share], &cuts, threads)? };
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
        let made = unsafe { run_members(&[member], &[CalledKernel::own(0)], vec![share], &cuts, threads)? };
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

/// A kernel that is called for members: for one, or a joined one for several that are neighbours.
pub(crate) struct CalledKernel<'a> {
    pub(crate) members: Range<usize>,
    pub(crate) joined: Option<&'a JoinedCode>,
}

impl<'a> CalledKernel<'a> {
    /// The own kernel of a member.
    pub(crate) fn own(member: usize) -> CalledKernel<'a> {
        CalledKernel { members: member..member + 1, joined: None }
    }
    /// What is called.
    fn callee<'m: 'a>(
        &self,
        members: &'m [Member<'m>],
        shares: &[ResultShare],
        without: &'a [usize],
    ) -> Callee<'a> {
        let own = || self.members.clone();
        let watch = own().find_map(|n| members[n].watch.filter(|_| !shares[n].is_combined()));
        let watch = watch.map(|watch| Watched { watch, without });
        match self.joined {
            Some(joined) => Callee { compiled: &*joined.compiled, kernel: &joined.loops, watch },
            None => {
                let job = members[self.members.start].job;
                Callee { compiled: &*job.code.compiled, kernel: job.loops, watch }
            }
        }
    }
    /// The buffers that the watch is not shown: NaN stays when parts are combined, and there is less to look at.
    fn hidden_buffers(&self, members: &[Member], shares: &[ResultShare]) -> Vec<usize> {
        let Some(joined) = self.joined else { return Vec::new() };
        let hidden = self.members.clone().enumerate().filter(|(_, n)| {
            let seen = members[*n].watch.is_some() && !shares[*n].is_combined();
            !seen
        });
        let buffers = hidden.flat_map(|(place, n)| {
            let all = 0..members[n].job.lowered.bindings.len();
            all.filter_map(move |number| joined.buffer(place, number))
        });
        buffers.collect()
    }
    /// The call over part number `n`.
    fn piece<'s>(
        &self,
        members: &'s [Member<'s>],
        n: usize,
        part: &Range<i64>,
        lent: &mut [Vec<Lends<'s>>],
    ) -> Result<PieceArgs<'s>>
    where
        'a: 's,
    {
        let mut own = self.members.clone().map(|m| members[m].piece(n, part.clone(), &mut lent[m]));
        match self.joined {
            Some(joined) => joined.join_args(own.collect()),
            None => {
                let missing = || Error::bug("run", "a kernel without a statement", "");
                let PieceArgs { params, slots } = own.next().ok_or_else(missing)?;
                let Member { job, shelf, .. } = &members[self.members.start];
                Ok(PieceArgs { params, slots: job.with_literals(slots, shelf) })
            }
        }
    }
}

impl Member<'_> {
    /// The arguments of the call over part number `n`, which writes to its share of what is lent, but for literals.
    fn piece<'s>(&'s self, n: usize, part: Range<i64>, lent: &mut [Lends<'s>]) -> PieceArgs<'s> {
        let Member { job, arguments, expected, shelf, .. } = self;
        let params = job.params(arguments.extents, Some(part));
        let all = expected.iter().sum();
        let slots = slots(&job.lowered.bindings, arguments, shelf, &mut |b| {
            let own = lent.iter_mut().find(|(of, _)| *of == b).and_then(|(_, slots)| slots.next());
            own.unwrap_or_else(|| BufferSlot::Grow(job.share_of(b, expected[n], all, arguments)))
        });
        PieceArgs { params, slots }
    }
}

/// Calls the kernels of all members over each of the parts between `cuts`, one after the other; each result has its own way to be
/// put together from what the calls make. Gives the arrays of each member's result.
///
/// # Errors
/// As [`Job::run`], for the first part that fails.
///
/// # Safety
/// As for [`run`]: the operands must be those that the kernels were compiled for; where one is the result of a member before,
/// every call reads only what that member wrote of the same part.
pub(crate) unsafe fn run_members<'m>(
    members: &'m [Member<'m>],
    kernels: &[CalledKernel<'m>],
    mut shares: Vec<ResultShare>,
    cuts: &[i64],
    threads: usize,
) -> Result<Vec<Vec<BoundArray>>> {
    let _shelves: Vec<ShelfUse> = members.iter().map(|m| ShelfUse::begin(&m.shelf)).collect();
    let unseen: Vec<Vec<usize>> = kernels.iter().map(|k| k.hidden_buffers(members, &shares)).collect();
    let callees: Vec<Callee> =
        kernels.iter().zip(&unseen).map(|(k, unseen)| k.callee(members, &shares, unseen)).collect();
    let mut lent: Vec<Vec<Lends>> = shares.iter_mut().map(ResultShare::lend).collect();
    let row = |(n, cut): (usize, &[i64])| -> Result<Vec<PieceArgs<'_>>> {
        kernels.iter().map(|kernel| kernel.piece(members, n, &(cut[0]..cut[1]), &mut lent)).collect()
    };
    let rows = cuts.windows(2).enumerate().map(row).collect::<Result<_>>()?;
    // SAFETY: the caller's promise; parts of lent memory do not overlap, and other memory grows for each call apart.
    let done = unsafe { run_rows(&callees, rows, threads)? };
    drop(lent);
    let mut made: Vec<Vec<Vec<KernelResult>>> = members.iter().map(|_| Vec::new()).collect();
    for (kernel, results) in done.into_iter().flat_map(|row| kernels.iter().zip(row)) {
        let own = match kernel.joined {
            Some(joined) => joined.split_results(results)?,
            None => vec![results],
        };
        kernel.members.clone().zip(own).for_each(|(member, own)| made[member].push(own));
    }
    let mut arrays = Vec::new();
    for ((share, member), own) in shares.into_iter().zip(members).zip(made) {
        let combined = share.is_combined();
        let joined = share.join(member.job, own, threads)?;
        for (_, buffer) in joined.iter().filter(|_| combined) {
            member.watch.map_or(Ok(()), |w| w.scan(buffer))?;
        }
        arrays.push(joined);
    }
    Ok(arrays)
}
