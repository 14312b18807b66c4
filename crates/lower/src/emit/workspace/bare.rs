//! The workspace of slots alone, for a row of the result whose structure is given: the row lists what the workspace holds.
//!
//! ```text
//! given row   crd  1 4 7       take out:  vals[q] = slots[crd[q]],  slots[crd[q]] = fill
//! ```

use super::{Each, WorkspaceShape, take};
use crate::emit::Emitter;
use openwork_loops::build::{call, for_each, var};
use openwork_loops::{BufId, Expr as Ir, Stmt as Code};

#[derive(Clone)]
pub(super) struct Bare {
    /// The value of every coordinate.
    pub(super) slots: BufId,
    /// The coordinates of the given row.
    pub(super) crd: BufId,
    /// Its positions.
    pub(super) row: (Ir, Ir),
}

impl Bare {
    /// Visits the coordinates of the row, and forgets their values.
    pub(super) fn drain(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let (lo, hi) = self.row.clone();
        let (q, at) = (l.kernel.index("q"), l.kernel.index("at"));
        let mut code = (each.room)(l, call(openwork_algebra::Prim::Sub, hi.clone(), lo.clone()));
        let mut body = vec![Code::Let { var: at, val: l.kernel.load_index(self.crd, var(q)) }];
        let (taken, value) = take(l, self.slots, w, at);
        body.extend(taken);
        body.extend((each.element)(l, at, value));
        code.push(for_each(q, lo, hi, body));
        code
    }
}
