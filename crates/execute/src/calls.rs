//! The calls of one run: what each is given, and how their results are put together.

use crate::bind::Extents;
use crate::job::{Arguments, Job, PER_OPERAND};
use crate::schedule::Schedule;
use crate::share::Share;
use crate::spares::Bound;
use openwork_base::{Id, Result};
use openwork_index::IndexId;
use openwork_loops::Role;
use openwork_lower::{Binding, Chunks, Join, Param};
use openwork_runtime::{Made, Piece, Room, Shelf, Slot, Watch, run, run_pieces};
use std::ops::Range;
use std::sync::Arc;

/// The parameters of a kernel for a call over `part` of its variable, or over everything, with `scale` groups of elements.
pub(crate) fn params(params: &[Param], extents: &Extents, part: Option<Range<i64>>, scale: i64) -> Vec<i64> {
    let visited = |v: IndexId| part.clone().unwrap_or(extents.range(v));
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
        own: &mut dyn FnMut(Binding) -> Slot<'t>,
    ) -> Vec<Slot<'t>>
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
        bindings.filter(|(_, (_, buf))| buf.role == Role::Out).map(|(binding, _)| *binding)
    }

    /// Makes the calls of a schedule and gives the arrays of the results.
    ///
    /// # Errors
    /// As [`Job::run`], for the first part that fails.
    ///
    /// # Safety
    /// As for [`run`]: the operands must be those that the kernel was compiled for.
    pub(crate) unsafe fn run_scheduled(
        self,
        schedule: &Schedule,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<Bound>> {
        if let Some(chunks) = schedule.chunks {
            // SAFETY: the caller's promise.
            return unsafe { self.run_parts(schedule, chunks, arguments, watch) };
        }
        let slots = self.slots(arguments, &schedule.shelf, &mut |b| {
            let room = self.room(b, arguments.operands);
            let expected = arguments.structure.map_or(room.expected, |s| s.vals().len());
            Slot::Grow(Room { spare: self.spare(b), expected, ..room })
        });
        let params = self.params(arguments.extents, None);
        // SAFETY: the caller's promise.
        let made = unsafe { run(&*self.code.compiled, self.loops, &params, slots, watch)? };
        let own = self.outs().zip(made).filter_map(|(binding, made)| match made {
            Made::Own(buffer) => Some((binding, buffer)),
            Made::InPlace { .. } => None,
        });
        Ok(own.collect())
    }

    /// One call for each part of a variable: each result has its own way to be put together from what the calls make.
    ///
    /// # Safety
    /// As for [`Job::run_scheduled`].
    unsafe fn run_parts(
        self,
        schedule: &Schedule,
        chunks: &Chunks,
        arguments: &Arguments,
        watch: Option<&Watch>,
    ) -> Result<Vec<Bound>> {
        let of = |(result, join): &(_, Join)| Share::open(self, (*result, *join), schedule, arguments);
        let mut shares: Vec<Share> = chunks.joins.iter().map(of).collect::<Result<_>>()?;
        let mut lent: Vec<(Binding, _)> = shares.iter_mut().flat_map(Share::lend).collect();
        let calls = schedule.parts().zip(&schedule.expected).map(|(part, expected)| Piece {
            params: self.params(arguments.extents, Some(part)),
            slots: self.slots(arguments, &schedule.shelf, &mut |b| {
                let own = lent.iter_mut().find(|(of, _)| *of == b).and_then(|(_, slices)| slices.next());
                own.map_or_else(|| Slot::Grow(self.share_of(b, *expected, arguments)), Slot::Part)
            }),
        });
        let (calls, threads) = (calls.collect(), schedule.threads);
        // NaN stays when parts are combined, and there is less to look at.
        let all_combined = !chunks.any(|join| !matches!(join, Join::Combine(_)));
        let watched = watch.filter(|_| !all_combined);
        // SAFETY: the caller's promise; parts of lent memory do not overlap, and other memory grows for each call apart.
        let mut done = unsafe { run_pieces(&*self.code.compiled, self.loops, calls, threads, watched)? };
        let mut arrays = Vec::new();
        for share in shares {
            let column = |made: &mut Vec<Made>| -> Vec<Made> {
                let own = self.outs().zip(made.iter_mut()).filter(|(b, _)| share.has(*b));
                own.map(|(_, made)| std::mem::replace(made, Made::InPlace { len: 0 })).collect()
            };
            let own: Vec<Vec<Made>> = done.iter_mut().map(column).collect();
            let combined = share.is_combined();
            let joined = share.join(self, own, threads)?;
            for (_, buffer) in joined.iter().filter(|_| combined) {
                watch.map_or(Ok(()), |w| w.over(buffer))?;
            }
            arrays.extend(joined);
        }
        Ok(arrays)
    }
    /// Room for what one call appends of an array, or for its own copy.
    fn share_of(self, binding: Binding, expected: usize, arguments: &Arguments) -> Room {
        let room = self.room(binding, arguments.operands);
        let expected = room.expected.min(expected.saturating_mul(PER_OPERAND));
        Room { expected, ..room }
    }
}
