//! A cache of statements that were lowered before, for the next time that somebody compiles them: code is found in the
//! [kernel cache](openwork_runtime::KernelCache) by its loops, and this one finds the loops. Of a call of [`Session::einsum`]
//! on small operands, planning took nine tenths.
//!
//! [`Session::einsum`]: crate::Session::einsum

use crate::kept::KeptKernel;
use crate::stages::Stages;
use openwork_base::Result;
use openwork_index::Decls;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most statements that are remembered.
const MOST: usize = 64;

/// A statement, what was declared for it, and its stages as long as there is room for them.
type PlannedEntry = (String, Decls, KeptKernel<Stages>);

/// The statements that a session compiled last, the latest at the end.
#[derive(Default)]
pub(crate) struct PlannedStatements(Mutex<Vec<PlannedEntry>>);

impl PlannedStatements {
    fn entries(&self) -> MutexGuard<'_, Vec<PlannedEntry>> {
        // A poisoned lock means another thread panicked between two operations, each of which is complete.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// The stages of a statement: those of the last time for the same declarations, or made now.
    ///
    /// # Errors
    /// Those of `make`, which are not remembered.
    pub(crate) fn stages(
        &self,
        statement: &str,
        decls: &Decls,
        make: impl FnOnce() -> Result<Stages>,
    ) -> Result<Stages> {
        if let Some(found) = self.find(statement, decls) {
            return Ok(Stages::clone(&found));
        }
        let made = Arc::new(make()?);
        let entry = (statement.to_string(), decls.clone(), KeptKernel::new(&made, made.bytes()));
        let mut entries = self.entries();
        entries.retain(|(_, _, kept)| kept.alive());
        if entries.len() >= MOST {
            entries.remove(0);
        }
        entries.push(entry);
        drop(entries);
        Ok(Arc::unwrap_or_clone(made))
    }
    fn find(&self, statement: &str, decls: &Decls) -> Option<Arc<Stages>> {
        let mut entries = self.entries();
        let n = entries.iter().rposition(|(text, own, _)| text == statement && own == decls)?;
        let entry = entries.remove(n);
        let found = entry.2.get();
        entries.push(entry);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use openwork_algebra::DType;
    use openwork_index::Decl;
    use std::cell::Cell;

    fn declare_operand(dtype: DType) -> Decls {
        let mut decls = Decls::default();
        decls.tensors.insert("x".into(), Decl { dtype: Some(dtype), ..Decl::default() });
        decls
    }

    #[test]
    fn a_statement_is_planned_once_for_the_same_declarations() {
        let (planned, made) = (PlannedStatements::default(), Cell::new(0));
        let stages = |statement: &str, decls: &Decls| {
            let make = || {
                made.set(made.get() + 1);
                Session::global().stages(statement, decls)
            };
            planned.stages(statement, decls, make).map(|stages| stages.cin())
        };
        let (float, int) = (declare_operand(DType::F64), declare_operand(DType::I64));
        let first = stages("y(i) = 2 * x(i)", &float).unwrap();
        assert_eq!(stages("y(i) = 2 * x(i)", &float).unwrap(), first);
        assert_eq!(made.get(), 1);
        stages("y(i) = 2 * x(i)", &int).unwrap();
        stages("y(i) = 3 * x(i)", &float).unwrap();
        assert_eq!(made.get(), 3);
        assert!(stages("y(i) = 2 * z(i)", &float).is_err() && stages("y(i) = 2 * z(i)", &float).is_err());
        assert_eq!(made.get(), 5);
        // The one that was used longest ago is forgotten.
        for n in 0..MOST as i64 - 1 {
            stages(&format!("y(i) = {n} + x(i)"), &float).unwrap();
        }
        assert_eq!(planned.entries().len(), MOST);
        let before = made.get();
        stages("y(i) = 3 * x(i)", &float).unwrap();
        assert_eq!(made.get(), before);
        stages("y(i) = 2 * x(i)", &float).unwrap();
        assert_eq!(made.get(), before + 1);
    }

    #[test]
    fn sessions_that_plan_otherwise_do_not_share_what_they_planned() {
        let decls = declare_operand(DType::F64);
        let session = Session::new(crate::BackendKind::Interp).unwrap();
        session.compile("y(i) = 2 * x(i)", &decls).unwrap();
        assert_eq!(session.planned.entries().len(), 1);
        session.compile("y(i) = 2 * x(i)", &decls).unwrap();
        assert_eq!(session.planned.entries().len(), 1);
        assert_eq!(session.comparing_always().planned.entries().len(), 0);
    }
}
