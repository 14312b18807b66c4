//! Counts of what a run on the interpreter has done.

use std::fmt;
use std::ops::AddAssign;

/// Operations of loop IR that a run has carried out, whatever machine it ran on; one on vectors counts once. A kernel
/// whose counts rise has become worse, or does more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads of buffers, those of stores that combine included.
    pub loads: u64,
    /// Writes to buffers.
    pub stores: u64,
    /// Tests of conditions: those of loops before each round and after the last, of `if`, and of `&&`.
    pub branches: u64,
    /// Rounds of loops.
    pub rounds: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.loads += other.loads;
        self.stores += other.stores;
        self.branches += other.branches;
        self.rounds += other.rounds;
    }
}

impl fmt::Display for Counts {
    /// `loads 12, stores 3, branches 5, rounds 4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { loads, stores, branches, rounds } = self;
        write!(f, "loads {loads}, stores {stores}, branches {branches}, rounds {rounds}")
    }
}
