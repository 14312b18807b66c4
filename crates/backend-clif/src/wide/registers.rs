//! Which registers are free.

use super::encode::{Gpr, Prefix, R8, RAX, RBP, RBX, RCX, RDI, RDX, RSI, Vec_};

/// There are not enough registers, or a number does not fit: the loop is taken another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// Integers that a call passes in registers.
pub(super) const PASSED: [Gpr; 6] = [RDI, RSI, RDX, RCX, R8, R8 + 1];
/// Floats that a call passes in registers: `xmm0` to `xmm7`.
pub(super) const PASSED_FLOATS: usize = 8;
/// Registers that belong to the caller.
pub(super) const SAVED: [Gpr; 6] = [RBX, RBP, R8 + 4, R8 + 5, R8 + 6, R8 + 7];

/// Registers that a function may change.
pub(super) const CHANGED: [Gpr; 9] = [RAX, RCX, RDX, RSI, RDI, R8, R8 + 1, R8 + 2, R8 + 3];

/// The registers that nothing lives in.
pub(super) struct Registers {
    general: Vec<Gpr>,
    vectors: Vec<Vec_>,
    /// How many vector registers there are.
    count: Vec_,
    /// Registers for what is needed only within a statement.
    temporary: usize,
    /// … and for the variables of loops inside, which are used more often than those around them.
    pub inside: usize,
    /// One bit for every general register that was ever taken.
    pub touched: u16,
}

impl Registers {
    /// All of them but those that `ints` and `floats` arguments are passed in. A statement needs up to `temporary`.
    pub fn new(prefix: Prefix, ints: usize, floats: usize, temporary: usize) -> Registers {
        let mut general: Vec<Gpr> = SAVED.to_vec();
        general.extend(PASSED.iter().skip(ints).rev());
        general.extend([R8 + 3, R8 + 2, RAX]);
        let count = match prefix {
            Prefix::Vex => 16,
            Prefix::Evex => 32,
        };
        let vectors = (floats.min(PASSED_FLOATS) as Vec_..count).collect();
        Registers { general, vectors, count, temporary, inside: 0, touched: 0 }
    }
    pub fn general(&mut self) -> Result<Gpr, Full> {
        let r = self.general.pop().ok_or(Full)?;
        self.touched |= 1 << r;
        Ok(r)
    }
    /// Whether only those are left that single statements need.
    pub fn few(&self) -> bool {
        self.general.len() < self.temporary + self.inside
    }
    pub fn free(&mut self, r: Gpr) {
        self.general.push(r);
    }
    /// Those that functions leave as they are come first from now on.
    pub fn prefer_kept(&mut self) {
        // The last one is taken first.
        self.general.sort_by_key(|r| !CHANGED.contains(r));
    }
    /// Whether the next one is one that functions leave as it is, and another one is left.
    pub fn keeps(&self) -> bool {
        self.general.iter().filter(|r| !CHANGED.contains(r)).count() > 1
    }
    /// Frees one that functions change: it is taken last.
    pub fn free_lost(&mut self, r: Gpr) {
        self.general.insert(0, r);
    }
    /// The registers in use that a function may change.
    pub fn list_clobbered(&self) -> (Vec<Gpr>, Vec<Vec_>) {
        let general = CHANGED.into_iter().filter(|r| !self.general.contains(r));
        let vectors = (0..self.count).filter(|r| !self.vectors.contains(r));
        (general.collect(), vectors.collect())
    }
    pub fn vector(&mut self) -> Result<Vec_, Full> {
        self.vectors.pop().ok_or(Full)
    }
    pub fn free_vector(&mut self, r: Vec_) {
        self.vectors.push(r);
    }
}
