//! The programs that one plan has asked about already, with the answers: different ways to build a statement often have the
//! same loops.

use crate::loops::Loops;
use openwork_base::Result;
use openwork_index::{CinStmt, Program};
use openwork_lower::cost::{Cost, estimate};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What one plan knows of programs.
#[derive(Default)]
pub(crate) struct Memo {
    costs: RefCell<ProgramMemo<Cost>>,
    loops: RefCell<ProgramMemo<Result<Loops>>>,
}

impl Memo {
    /// What a program is estimated to do.
    pub(crate) fn cost(&self, program: &Program) -> Cost {
        let key = outline(program, 0);
        if let Some(known) = self.costs.borrow().find(key, program) {
            return *known;
        }
        let cost = estimate(program);
        self.costs.borrow_mut().keep(key, program, cost);
        cost
    }
    /// The same, where it is known already.
    pub(crate) fn known_cost(&self, key: u64, program: &Program) -> Option<Cost> {
        self.costs.borrow().find(key, program).copied()
    }
    /// The loops of a program of at most so many cases, as `make` has them.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn loops(
        &self,
        program: &Program,
        cases: usize,
        make: impl FnOnce() -> Result<Loops>,
    ) -> Result<Loops> {
        let key = outline(program, cases);
        if let Some(known) = self.loops.borrow().find(key, program) {
            return known.clone();
        }
        let made = make();
        self.loops.borrow_mut().keep(key, program, made.clone());
        made
    }
}

/// Facts of programs, by outlines of these.
struct ProgramMemo<T>(BTreeMap<u64, Vec<(Program, T)>>);

impl<T> Default for ProgramMemo<T> {
    fn default() -> ProgramMemo<T> {
        ProgramMemo(BTreeMap::new())
    }
}

impl<T> ProgramMemo<T> {
    fn find(&self, key: u64, program: &Program) -> Option<&T> {
        self.0.get(&key)?.iter().find(|(known, _)| known == program).map(|(_, fact)| fact)
    }
    fn keep(&mut self, key: u64, program: &Program, fact: T) {
        self.0.entry(key).or_default().push((program.clone(), fact));
    }
}

/// A number that programs have in common where their tensors are stored alike and their loops have one order, for the same
/// `purpose`.
pub(crate) fn outline(program: &Program, purpose: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    purpose.hash(&mut hasher);
    for (_, t) in program.tensors.iter() {
        t.format.modes.hash(&mut hasher);
        t.format.levels.iter().for_each(|l| std::ptr::from_ref(l.spec).hash(&mut hasher));
    }
    program.body.visit(&mut |s| match s {
        CinStmt::Forall { index, .. } => index.hash(&mut hasher),
        s => std::mem::discriminant(s).hash(&mut hasher),
    });
    hasher.finish()
}
