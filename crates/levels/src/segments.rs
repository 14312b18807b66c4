//! Segments: the children of parent `p` at the positions `pos[p]..pos[p + 1]`, as compressed levels and their likes keep
//! them, assembled in any order or by appending.

use crate::insert::{AssemblyCtx, QueryResult, group};
use crate::{Gaps, LevelCounts};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::build::{add, call, for_each, if_then, int, load, lt, set, var};
use openwork_loops::{BufId, Expr, LoopKernel, Status, Stmt, VarId};

impl AssemblyCtx<'_> {
    /// Sequenced edge insertion: `pos[p]..pos[p + 1]` for every parent. The counts turn into cursors: where the next child of
    /// each parent goes.
    pub fn seq_insert_edges(&mut self, pos: BufId) -> Vec<Stmt> {
        let mut code = vec![
            Stmt::Reserve { buf: pos, len: add(self.parents.clone(), int(1)) },
            self.kernel.store_index(pos, int(0), int(0)),
        ];
        let total = match &self.answers[0] {
            QueryResult::Number { value, .. } => {
                let value = value.clone();
                let cursor = self.kernel.index("next");
                self.state.cursor = Some(cursor);
                code.push(Stmt::Let { var: cursor, val: int(0) });
                let total = self.hold("slots", value, &mut code);
                code.push(self.kernel.store_index(pos, int(1), total.clone()));
                total
            }
            QueryResult::Table { stored, .. } => {
                let stored = *stored;
                self.state.scratch = Some(stored);
                let (sum, p, n) =
                    (self.kernel.index("slots"), self.kernel.index("p"), self.kernel.index("n"));
                let body = vec![
                    Stmt::Let { var: n, val: self.kernel.load_index(stored, var(p)) },
                    self.kernel.store_index(stored, var(p), var(sum)),
                    set(sum, add(var(sum), var(n))),
                    self.kernel.store_index(pos, add(var(p), int(1)), var(sum)),
                ];
                code.push(Stmt::Let { var: sum, val: int(0) });
                code.push(for_each(p, int(0), self.parents.clone(), body));
                var(sum)
            }
        };
        code.extend(self.refuse_overflow(pos, total.clone()));
        self.state.slots = Some(total);
        code
    }
    /// The next free position of a parent, and code that takes it (`yield_pos`), after [`AssemblyCtx::seq_insert_edges`].
    pub fn yield_pos(&mut self, parent: Expr) -> (Vec<Stmt>, Expr) {
        let mut code = Vec::new();
        if let Some(cursor) = self.state.cursor {
            let slot = self.copy_of(cursor, &mut code);
            code.push(set(cursor, add(var(cursor), int(1))));
            return (code, slot);
        }
        let cursors = self.state.scratch.expect("a level is opened before it is used");
        let parent = self.hold("at", parent, &mut code);
        let at = match self.state.dealt {
            Some(dealt) => self.hold("group", group(parent.clone(), dealt.scale), &mut code),
            None => parent.clone(),
        };
        let slot = self.kernel.load_index(cursors, at.clone());
        let slot = self.hold("slot", slot, &mut code);
        code.push(self.kernel.store_index(cursors, at, add(slot.clone(), int(1))));
        if let Some(dealt) = self.state.dealt {
            let key = call(Prim::And, parent, int(0xffff));
            code.push(self.kernel.store_index(dealt.keys, slot.clone(), key));
        }
        (code, slot)
    }
    /// The present value of a variable that is about to change.
    fn copy_of(&mut self, cursor: VarId, code: &mut Vec<Stmt>) -> Expr {
        let slot = self.kernel.index("slot");
        code.push(Stmt::Let { var: slot, val: var(cursor) });
        var(slot)
    }
    /// Ends the kernel where positions up to `largest` do not fit their array.
    pub fn refuse_overflow(&self, pos: BufId, largest: Expr) -> Vec<Stmt> {
        let width = self.kernel.bufs[pos].elem;
        if width == DType::I64 {
            return Vec::new();
        }
        let most = Scalar::highest(width).expect("index widths are integers").as_i64();
        if_then(lt(int(most), largest), vec![Stmt::Fail(Status::IndexOverflow)])
    }
}

/// Finalises the array of positions of a level that is appended to: the segments of parents that were skipped are empty.
/// `scratch` is free to use as a loop variable.
pub fn finalize_edges(
    kernel: &LoopKernel,
    pos: BufId,
    count: &LevelCounts,
    scratch: VarId,
    gaps: Gaps,
) -> Vec<Stmt> {
    let mut code = Vec::new();
    let width = kernel.bufs[pos].elem;
    if width != DType::I64 {
        // Positions were stored narrowed: if the last one does not fit, the result is void.
        let largest = Scalar::highest(width).expect("index widths are integers").as_i64();
        let too_big = lt(int(largest), count.positions.clone());
        code.extend(if_then(too_big, vec![Stmt::Fail(Status::IndexOverflow)]));
    }
    if gaps == Gaps::Possible {
        // A skipped parent still holds zero: its segment is empty and ends where the one before it ends.
        let at = |offset| load(pos, add(var(scratch), int(offset)));
        let fill = vec![Stmt::Store { buf: pos, at: add(var(scratch), int(1)), val: at(0), reduce: None }];
        let body = if_then(lt(at(1), at(0)), fill);
        code.push(for_each(scratch, int(0), count.parents.clone(), body));
    }
    code.push(Stmt::SetLen { buf: pos, len: add(count.parents.clone(), int(1)) });
    code
}
