//! Levels of which a window is read (array-programming paper, §7.3).
//!
//! ```text
//! A(i(1:5:2), j(2:6:2)), A csr
//! located    pA1 = i * 2 + 1
//! walked     search pA2, the first position whose coordinate is at least 2
//!            search A2_end, the first one whose coordinate is at least 6
//!            j = (crd[pA2] - 2) / 2, where crd[pA2] == j * 2 + 2
//! ```
//! Everything else in a kernel sees the coordinates of the window only.

use crate::emit::Emitter;
use crate::emit::cursor::{Cursor, CursorForm};
use crate::lowered::Param;
use crate::space::Leaf;
use openwork_index::{Access, Window};
use openwork_levels::{ChildTest, CoordSource, Strided};
use openwork_loops::build::{add, int, mul, var};
use openwork_loops::{Expr as Ir, Stmt as Code};

/// The part of a level that is read.
#[derive(Clone, Debug)]
pub(crate) struct WindowIr {
    /// As it is written.
    written: Window,
    /// The first coordinate.
    start: Ir,
    /// How many coordinates it has.
    count: Ir,
    /// How many the level has, where something follows from that.
    pub(crate) whole: Option<Ir>,
}

impl Emitter<'_> {
    /// The window of level `k` of an access, if it is not all of it.
    pub(crate) fn declare_window(&mut self, a: &Access, k: usize) -> Option<WindowIr> {
        let t = &self.program.tensors[a.tensor];
        let mode = t.format.modes[k];
        let written = *t.windows.get(mode)?;
        let (name, strides) = (format!("{}{}_whole", t.name, k + 1), k > 0 && t.format.levels[k].is_dense());
        let whole = (strides || written.lo < 0).then(|| {
            self.params.push(Param::Whole { tensor: a.tensor, mode });
            var(self.kernel.param(&name))
        });
        let start = match &whole {
            Some(whole) if written.lo < 0 => add(whole.clone(), int(written.lo)),
            _ => int(written.lo),
        };
        Some(WindowIr { written, start, count: self.extent(a, k).1, whole })
    }
    fn window(&self, a: &Access, k: usize) -> Option<&WindowIr> {
        // A set has none.
        self.tensors.get(&a.tensor)?.windows.get(k)?.as_ref()
    }
    /// The coordinate of the level that its window numbers `coord`.
    pub(crate) fn outside_window(&self, a: &Access, k: usize, coord: Ir) -> Ir {
        match self.window(a, k) {
            None => coord,
            Some(w) if w.written.step == 1 => add(coord, w.start.clone()),
            Some(w) => add(mul(coord, int(w.written.step)), w.start.clone()),
        }
    }
    /// The coordinates of a list as the window numbers them.
    fn number_coords(&self, w: &WindowIr, cursor: &Cursor) -> Strided {
        let CoordSource::Stored { crd, .. } = cursor.coord else {
            unreachable!("a part is read of lists only")
        };
        Strided { crd, elem: self.kernel.bufs[crd].elem, start: w.start.clone(), step: w.written.step }
    }
    /// The only child of a parent, if it lies in the window.
    pub(crate) fn of_window(&self, leaf: &Leaf, cursor: Cursor) -> Cursor {
        let Some(w) = self.window(&leaf.access, leaf.level) else { return cursor };
        let of = self.number_coords(w, &cursor);
        Cursor {
            coord: CoordSource::Windowed(of.clone()),
            test: ChildTest::Within(of, w.count.clone()),
            ..cursor
        }
    }
    /// A walk over a list, from the first position in the window to the last.
    pub(crate) fn narrow_to_window(&mut self, leaf: &Leaf, cursor: Cursor, code: &mut Vec<Code>) -> Cursor {
        let Some(w) = self.window(&leaf.access, leaf.level).cloned() else { return cursor };
        let of = self.number_coords(&w, &cursor);
        let name = format!("{}{}", self.program.tensors[leaf.access.tensor].name, leaf.level + 1);
        let stop = self.kernel.index(&format!("{name}_stop"));
        code.push(Code::Let { var: stop, val: cursor.end.clone() });
        let Window { lo, hi, step } = w.written;
        if lo != 0 {
            code.extend(self.search(&cursor, cursor.pos, var(cursor.pos), var(stop), w.start.clone()));
        }
        if hi.is_some() {
            let last = add(w.start, mul(w.count, int(step)));
            code.extend(self.search(&cursor, stop, var(cursor.pos), var(stop), last));
        }
        let form = if step == 1 { cursor.form.clone() } else { CursorForm::Strided(of.clone()) };
        let cursor = Cursor { coord: CoordSource::Windowed(of.clone()), end: var(stop), form, ..cursor };
        if step > 1 {
            code.extend(cursor.to_window(&of));
        }
        cursor
    }
}
