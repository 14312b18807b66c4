//! Calls over parts of one variable: how a kernel runs on several threads.
//!
//! The loops over the outermost variable visit the coordinates `begin..end` that the caller passes. What one call makes
//! of them is a result of its own, over these coordinates only:
//!
//! ```text
//! for i in 0..i_dim {                         for i in i_begin..i_end {
//!   for p in A2_pos[i]..A2_pos[i + 1] {         for p in A2_pos[i]..A2_pos[i + 1] {
//!     y[i] += …                                   y[i + i_shift] += …         i_shift = 0 - i_begin
//! ```
//! A stored level is narrowed to the positions of these coordinates by two searches before its loop, which are skipped
//! where the call is over the whole dimension. Nothing else in a kernel knows of threads: temporaries belong to a call,
//! and so do positions and counters.

use crate::assembly::assigned_result;
use crate::chunks::{ChunkJoin, Chunker, Chunks};
use crate::emit::Emitter;
use crate::emit::cursor::Cursor;
use crate::emit::scope::{Scope, Strip};
use crate::lowered::Param;
use crate::space::Leaf;
use openwork_algebra::Prim;
use openwork_index::{CinStmt, IndexId};
use openwork_levels::CoordSource;
use openwork_loops::build::{add, call, int, lt, mul, set, var};
use openwork_loops::{Expr as Ir, Stmt as Code, VarId};

impl Emitter<'_> {
    fn chunker(&self) -> Chunker<'_> {
        Chunker { program: self.program, phase: self.phase }
    }
    /// The scope of one statement of a sequence: where the part is one of blocks, and the statement's loops are over the
    /// coordinates that are in them, it is these.
    pub(crate) fn part_of(&self, s: &CinStmt, scope: &Scope) -> Scope {
        let mut scope = scope.clone();
        if let Some(part) = scope.part.clone().filter(|_| scope.coords.is_empty())
            && let Ok(v) = self.chunker().common(s)
            && v != part.v
        {
            let (lo, hi) = self.elements(&part);
            scope.part = Some(Strip { v, lo, hi });
        }
        scope
    }
    /// The coordinates in the blocks of a strip; those of the strip where it is no strip of blocks.
    fn elements(&self, strip: &Strip) -> (Ir, Ir) {
        let (whole, per) = self.chunker().blocks_of(strip.v);
        match per {
            1 => (strip.lo.clone(), strip.hi.clone()),
            per => {
                let end = call(Prim::Min, mul(strip.hi.clone(), int(per)), var(self.sizes[&whole]));
                (mul(strip.lo.clone(), int(per)), end)
            }
        }
    }
    /// Makes the kernel one over a part of a variable, and gives the scope to lower it in.
    pub(crate) fn cut_into(&mut self, chunks: &Chunks) -> Scope {
        let v = chunks.var;
        let name = self.chunker().name(v).to_string();
        let begin = self.kernel.param(&format!("{name}_begin"));
        let end = self.kernel.param(&format!("{name}_end"));
        self.params.extend([Param::Begin(v), Param::End(v)]);
        let strip = Strip { v, lo: var(begin), hi: var(end) };
        let mut scope = Scope { part: Some(strip.clone()), ..Scope::default() };
        if matches!(chunks.join, ChunkJoin::Slices { .. } | ChunkJoin::Stitch) {
            self.cut_result(v, &strip, &mut scope);
        }
        scope
    }
    /// A result whose outermost level is dense has the coordinates of the part only, counted from its first one.
    fn cut_result(&mut self, v: IndexId, strip: &Strip, scope: &mut Scope) {
        let Some(result) = assigned_result(self.program).cloned() else { return };
        if !self.program.tensors[result.tensor].format.levels[0].is_dense() {
            return;
        }
        let (whole, _) = self.chunker().blocks_of(v);
        let (lo, hi) = self.elements(strip);
        let name = self.chunker().name(whole).to_string();
        let shift = self.kernel.index(&format!("{name}_shift"));
        let part = self.kernel.index(&format!("{name}_part"));
        self.prologue.push(Code::Let { var: shift, val: call(Prim::Sub, int(0), lo.clone()) });
        self.prologue.push(Code::Let { var: part, val: call(Prim::Sub, hi, lo) });
        if let Some(ir) = self.tensors.get_mut(&result.tensor) {
            ir.levels[0].size = var(part);
        }
        scope.bases.insert((result, 0), var(shift));
    }

    /// Narrows a walk to the coordinates of the strip or the part.
    ///
    /// ```text
    /// if i_begin > 0 { search pA1 }       the first position whose coordinate is at least i_begin
    /// if i_end < i_dim { search A1_end }  the first one whose coordinate is at least i_end
    /// ```
    pub(crate) fn narrow_walk(
        &mut self,
        iter: Cursor,
        leaf: &Leaf,
        scope: &Scope,
        code: &mut Vec<Code>,
    ) -> Cursor {
        let v = self.var_of(&leaf.access, leaf.level);
        let Some(strip) = scope.cut(v).cloned() else { return iter };
        let name = self.chunker().name(v).to_string();
        let (lo, hi) = (self.start_of(v), self.end_of(v, scope));
        self.narrow_between(iter, &name, &strip, &Strip { v, lo, hi }, code)
    }
    /// Narrows a walk to the coordinates of a strip; `whole` is all of the dimension.
    pub(crate) fn narrow_between(
        &mut self,
        iter: Cursor,
        name: &str,
        strip: &Strip,
        whole: &Strip,
        code: &mut Vec<Code>,
    ) -> Cursor {
        let Strip { lo, hi, .. } = strip.clone();
        let stop = self.kernel.index(&format!("{name}_stop"));
        code.push(Code::Let { var: stop, val: iter.end.clone() });
        match &iter.coord {
            CoordSource::Stored { .. } | CoordSource::Listed { .. } | CoordSource::Windowed(_) => {
                let (first, end) = (whole.lo.clone(), whole.hi.clone());
                let search = self.search(&iter, iter.pos, var(iter.pos), var(stop), lo.clone());
                code.push(Code::If { cond: lt(first, lo), then: search, other: Vec::new() });
                let search = self.search(&iter, stop, var(iter.pos), var(stop), hi.clone());
                code.push(Code::If { cond: lt(hi, end), then: search, other: Vec::new() });
            }
            CoordSource::Counted { base, low } => {
                let at = |bound: Ir| add(call(Prim::Sub, bound, low.clone()), base.clone());
                code.push(set(iter.pos, call(Prim::Max, var(iter.pos), at(lo))));
                // A part beyond the interval is empty, not less than that.
                let last = call(Prim::Min, var(stop), at(hi));
                code.push(set(stop, call(Prim::Max, var(iter.pos), last)));
            }
            CoordSource::Is(_) | CoordSource::Stepped { .. } => {
                unreachable!("these cannot be searched")
            }
        }
        Cursor { end: var(stop), ..iter }
    }

    /// Sets `found` to the first position in a range whose coordinate is at least `bound`, or to its end.
    pub(crate) fn search(&mut self, iter: &Cursor, found: VarId, lo: Ir, hi: Ir, bound: Ir) -> Vec<Code> {
        let (first, last) = (self.kernel.index("first"), self.kernel.index("last"));
        let middle = self.kernel.index("middle");
        let half = call(Prim::Shr, add(var(first), var(last)), int(1));
        let before = lt(iter.coord.value_at(&self.kernel, var(middle)), bound);
        let step = vec![
            Code::Let { var: middle, val: half },
            Code::If {
                cond: before,
                then: vec![set(first, add(var(middle), int(1)))],
                other: vec![set(last, var(middle))],
            },
        ];
        vec![
            Code::Let { var: first, val: lo },
            Code::Let { var: last, val: hi },
            Code::While { cond: lt(var(first), var(last)), body: step },
            set(found, var(first)),
        ]
    }
}
