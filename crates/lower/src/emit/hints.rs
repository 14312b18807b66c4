//! Hints that a schedule gives for a loop, carried out as the loop is written.
//!
//! ```text
//! forall[unroll(4)] j …        for j in 0..n { … }     =>     for j in 0..main step 4 { … … … … }   for j in main..n { … }
//! ```
//! Loops that cannot do it are refused before (`directives`).

use crate::emit::Emitter;
use crate::emit::scope::Scope;
use crate::graph::GraphNode;
use crate::lowered::VectorRequest;
use openwork_index::cin::LoopHint;
use openwork_index::{CinStmt, IndexId};
use openwork_loops::Stmt as Loop;
use openwork_loops::unroll::unroll_by;

impl Emitter<'_> {
    /// A `forall` as it is asked for.
    pub(crate) fn apply_hints(&mut self, n: &GraphNode, scope: &Scope) -> Vec<Loop> {
        let CinStmt::Forall { index: v, .. } = &n.stmt else { unreachable!("only loops have hints") };
        let v = *v;
        let mut code = self.forall(n, scope);
        let hints = self.program.directives.loops.get(&v).into_iter().flatten();
        for hint in hints {
            match hint {
                LoopHint::Unroll(rounds) => {
                    let mut out = Vec::with_capacity(code.len());
                    for s in code {
                        out.extend(unroll_by(&mut self.kernel, s, i64::from(*rounds)));
                    }
                    code = out;
                }
                LoopHint::Vectorize => self.ask_for_vectors(v, &code),
                // The graph says which loops gallop; the outermost one is distributed by what runs the kernel.
                LoopHint::Gallop | LoopHint::Parallelize => {}
            }
        }
        self.guard_entry(&n.guard, code, scope)
    }

    /// Notes the loops that are to be taken in vectors.
    fn ask_for_vectors(&mut self, v: IndexId, code: &[Loop]) {
        let index = &self.program.indices[v].name;
        for s in code {
            let Loop::For { var, .. } = s else { continue };
            let var = self.kernel.vars[*var].name.clone();
            self.vectors.push(VectorRequest { index: index.clone(), var });
        }
    }
}
