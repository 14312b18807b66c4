//! Room for what loops append to a result.

use crate::emit::Emitter;
use crate::emit::cursor::Cursor;
use crate::emit::iter::Cursors;
use crate::emit::scope::{AppendRoom, Scope};
use crate::graph::Loop;
use openwork_algebra::Prim;
use openwork_loops::Stmt as Code;
use openwork_loops::build::{add, call, int, var};

impl Emitter<'_> {
    /// Whether loops make room for what they append, where nobody around them has.
    pub(crate) fn makes_room(&self, of: &Loop, scope: &Scope) -> bool {
        let appends = self.result.as_ref().is_some_and(|r| r.last_chain().is_some());
        of.room && appends && scope.room == AppendRoom::Wanted
    }
    /// Whether a walk appends a value at every position: the values of a given structure fill the memory there is for them,
    /// which has no room for more.
    pub(crate) fn fills_given(&self, of: &Loop, iters: &Cursors) -> bool {
        let alone = of.arms.len() == 1 && iters.len() == 1 && of.sought.is_empty();
        self.phase.assembles() || alone && iters.values().all(Cursor::is_filled)
    }
    /// Room for what the loops over these walks append: each round appends at most one value and leaves at least one position of
    /// some level behind. Slots of bitmaps are those of one dimension, so one of their walks tells how many.
    pub(crate) fn room_for_all<'c>(&self, walks: impl Iterator<Item = &'c Cursor>) -> Vec<Code> {
        let left = |i: &Cursor| call(Prim::Sub, i.end.clone(), var(i.pos));
        let more = walks.map(left).reduce(add).unwrap_or(int(0));
        self.make_room_for(self.appended_by(more))
    }
}
