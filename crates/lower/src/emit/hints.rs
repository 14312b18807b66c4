//! Hints that a schedule gives for a loop, carried out as the loop is written.
//!
//! ```text
//! forall[unroll(4)] j …        for j in 0..n { … }     =>     for j in 0..main step 4 { … … … … }   for j in main..n { … }
//! ```
//! Only a loop that counts can be unrolled or taken in vectors: a merge of several operands steps through them one
//! coordinate at a time.

use crate::emit::Emitter;
use crate::emit::assemble::always;
use crate::emit::scope::Scope;
use crate::graph::{How, Node, Over};
use crate::lowered::Asked;
use openwork_base::{Code, Diagnostic, Result};
use openwork_index::cin::LoopHint;
use openwork_index::{Access, IndexId, Stmt};
use openwork_loops::build::{and_also, when};
use openwork_loops::unroll::unroll_by;
use openwork_loops::{LoopMode, Stmt as Loop};

impl Emitter<'_> {
    /// A `forall` as it is asked for.
    pub(crate) fn hinted(&mut self, n: &Node, scope: &Scope) -> Result<Vec<Loop>> {
        let Stmt::Forall { index: v, body } = &n.stmt else { unreachable!("only loops have hints") };
        let v = *v;
        let decide = self.deciding_before(body, scope);
        if !decide.is_empty() {
            // Loops inside need not ask again.
            let mut inner = scope.clone();
            inner.tested.extend(decide.iter().cloned());
            let code = self.hinted(n, &inner)?;
            let differs = |a: &Access| {
                let known = scope.values.get(a).cloned()?;
                Some(self.differs(known, self.program.tensors[a.tensor].fill))
            };
            let cond = decide.iter().filter_map(differs).reduce(and_also).unwrap_or(always());
            return Ok(when(cond, code));
        }
        let mut code = self.forall(n, scope)?;
        let Some(hints) = self.program.directives.loops.get(&v) else {
            return Ok(match self.worth_entering(v, body, scope) {
                Some(cond) => when(cond, code),
                None => code,
            });
        };
        let drains = matches!(&n.how, How::Loop(of) if of.over == Over::Workspace);
        for hint in hints {
            let counted = !matches!(hint, LoopHint::Parallelize | LoopHint::Gallop);
            if counted && !code.is_empty() {
                self.refuse_other_loops(v, &code, drains)?;
            }
            match hint {
                LoopHint::Unroll(rounds) => {
                    let mut out = Vec::with_capacity(code.len());
                    for s in code {
                        out.extend(unroll_by(&mut self.kernel, s, i64::from(*rounds)));
                    }
                    code = out;
                }
                LoopHint::Vectorize => self.ask_for_vectors(v, &code)?,
                // The graph says which loops gallop; the outermost one is distributed by what runs the kernel.
                LoopHint::Gallop | LoopHint::Parallelize => {}
            }
        }
        Ok(code)
    }

    /// Loops that do not count, or that are no loops.
    fn refuse_other_loops(&self, v: IndexId, code: &[Loop], drains: bool) -> Result<()> {
        let name = &self.program.indices[v].name;
        let merges = code.iter().any(|s| matches!(s, Loop::While { .. }));
        let counts = code.iter().any(|s| matches!(s, Loop::For { step: 1, .. }));
        let message = match (drains, merges, counts) {
            (true, ..) => {
                format!("the loop over `{name}` takes elements out of a workspace as it finds them")
            }
            (_, true, _) => {
                format!("the loop over `{name}` merges several operands, so its rounds are not counted")
            }
            (_, _, false) => format!("nothing is counted to loop over `{name}`"),
            (false, false, true) => return Ok(()),
        };
        let help = "precompute an operand into a dense workspace, or leave the command out";
        Err(self.refuse(Diagnostic::new(Code("E0814"), message), help))
    }

    fn ask_for_vectors(&mut self, v: IndexId, code: &[Loop]) -> Result<()> {
        let index = self.program.indices[v].name.clone();
        for s in code {
            let Loop::For { var, mode, .. } = s else { continue };
            if *mode != LoopMode::Vector {
                let message = format!(
                    "rounds of the loop over `{index}` are not independent: they branch, loop, append or meet again"
                );
                let help = "only an innermost loop that assigns or adds up can be taken in vectors";
                return Err(self.refuse(Diagnostic::new(Code("E0814"), message), help));
            }
            let var = self.kernel.vars[*var].name.clone();
            self.vectors.push(Asked { index: index.clone(), var });
        }
        Ok(())
    }
}
