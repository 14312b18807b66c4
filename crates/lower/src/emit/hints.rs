//! What a schedule asks of a loop.
//!
//! ```text
//! forall[unroll(4)] j …        for j in 0..n { … }     =>     for j in 0..main step 4 { … … … … }   for j in main..n { … }
//! ```
//! Loops that cannot do it are refused before (`directives`).

use crate::emit::Emitter;
use crate::emit::assemble::always;
use crate::emit::scope::Scope;
use crate::graph::Node;
use crate::lowered::Asked;
use openwork_index::cin::LoopHint;
use openwork_index::{Access, IndexId, Stmt};
use openwork_loops::Stmt as Loop;
use openwork_loops::build::{and_also, when};
use openwork_loops::unroll::unroll_by;

impl Emitter<'_> {
    /// A `forall` as it is asked for.
    pub(crate) fn hinted(&mut self, n: &Node, scope: &Scope) -> Vec<Loop> {
        let Stmt::Forall { index: v, body } = &n.stmt else { unreachable!("only loops have hints") };
        let v = *v;
        let decide = self.deciding_before(body, scope);
        if !decide.is_empty() {
            // Loops inside need not ask again.
            let mut inner = scope.clone();
            inner.tested.extend(decide.iter().cloned());
            let code = self.hinted(n, &inner);
            let differs = |a: &Access| {
                let known = scope.values.get(a).cloned()?;
                Some(self.differs(known, self.program.tensors[a.tensor].fill))
            };
            let cond = decide.iter().filter_map(differs).reduce(and_also).unwrap_or(always());
            return when(cond, code);
        }
        let mut code = self.forall(n, scope);
        let Some(hints) = self.program.directives.loops.get(&v) else {
            return match self.worth_entering(v, body, scope) {
                Some(cond) => when(cond, code),
                None => code,
            };
        };
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
        code
    }

    /// Notes the loops that are to be taken in vectors.
    fn ask_for_vectors(&mut self, v: IndexId, code: &[Loop]) {
        let index = &self.program.indices[v].name;
        for s in code {
            let Loop::For { var, .. } = s else { continue };
            let var = self.kernel.vars[*var].name.clone();
            self.vectors.push(Asked { index: index.clone(), var });
        }
    }
}
