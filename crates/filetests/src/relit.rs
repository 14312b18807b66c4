//! Cases whose code another statement may have left in the cache: the same one with other literals.

use crate::case::Case;
use crate::pipeline::{CompilerPipeline, RunWay};
use openwork::{BackendKind, Decls, Session};
use openwork_base::{Error, Result};
use openwork_loops::text;
use openwork_runtime::Cached;
use openwork_storage::Tensor;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A compiler that compiles each case after a twin with other literals. Kernels with the same loops must have the same
/// code, and with it each computes what its own literals say.
pub struct Relit {
    whole: CompilerPipeline,
    shared: AtomicUsize,
}

impl Relit {
    /// With the backends of `kinds`, of which there is at least one.
    ///
    /// # Errors
    /// `E0501` when a backend is not available.
    pub fn new(kinds: &[BackendKind]) -> Result<Relit> {
        Ok(Relit { whole: CompilerPipeline::new(kinds)?, shared: AtomicUsize::new(0) })
    }
    /// How many kernels were found that a twin with other literals had left.
    pub fn shared_count(&self) -> usize {
        self.shared.load(Ordering::Relaxed)
    }
    /// Runs the twin; whether it left code that has to do for the case.
    ///
    /// # Errors
    /// A bug where kernels have the same loops and other code.
    fn twin(&self, session: &Session, case: &Case, operands: &[(&str, &Tensor)]) -> Result<bool> {
        let twin = Case { text: change_literals(&case.text), ..case.clone() };
        let (Ok(statement), Ok(commands)) = (twin.statement(), twin.commands()) else { return Ok(false) };
        let Ok(decls) = twin.decls(&statement) else { return Ok(false) };
        let Ok(kernel) = session.compile_scheduled(&twin.text, &decls, &commands) else { return Ok(false) };
        // What is refused now, the case may be as well.
        let _ = kernel.run(operands);
        let (Ok(decls), Ok(commands)) = (case.decls(&case.statement()?), case.commands()) else {
            return Ok(false);
        };
        let Ok(stages) = session.stages_scheduled(&case.text, &decls, &commands) else { return Ok(false) };
        let (mine, other) = (&stages.loops, &kernel.stages().loops);
        if twin.text == case.text || text::print(mine) != text::print(other) {
            return Ok(false);
        }
        let backend = session.backend();
        if backend.listing(mine)? != backend.listing(other)? {
            return Err(Error::bug("compile", "other code for the same loops", text::print(mine)));
        }
        Ok(stages.literals() != kernel.stages().literals())
    }
}

/// A statement with other numbers in place of those that are neither 0 nor 1.
fn change_literals(statement: &str) -> String {
    // What functions promise holds for the numbers that are in them.
    let (definitions, mut rest) = crate::case::parts(statement);
    let mut out = definitions.to_string();
    while let Some(first) = rest.chars().next() {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = if part(first) { rest.find(|c| !part(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, behind) = rest.split_at(end);
        out.push_str(match word {
            "2" => "3",
            "0.5" => "2.75",
            "1e1" => "0.3",
            "300" => "299",
            word => word,
        });
        rest = behind;
    }
    out
}

impl RunWay for Relit {
    fn compiler(&self) -> &CompilerPipeline {
        &self.whole
    }
    fn result(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Tensor> {
        let shared = self.twin(session, case, operands)?;
        let kernel = session.compile_scheduled(&case.text, decls, &case.commands()?)?;
        self.shared.fetch_add(usize::from(shared && kernel.cache_state() == Cached::Hit), Ordering::Relaxed);
        Ok(kernel.run(operands)?.tensor)
    }
}

#[cfg(test)]
mod tests {
    use super::change_literals;

    #[test]
    fn other_numbers_in_the_same_places() {
        let text = "y2(i) = 2 * x(i) + f64(0.5) / (1e1 + a_2(i)) - 20 + 1";
        assert_eq!(change_literals(text), "y2(i) = 3 * x(i) + f64(2.75) / (0.3 + a_2(i)) - 20 + 1");
    }
}
