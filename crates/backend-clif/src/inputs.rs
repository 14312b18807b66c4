//! Numbers that a kernel reads from its inputs before anything else, such as literals.
//!
//! They are loaded before each loop that makes no calls, and elsewhere where they are used, as constants of Cranelift are:
//! calls leave no vector register as it was, so a number that is held over one is written to the stack and read back in
//! every round of the loops around. Held from the start of the kernel, the number of `A(i,j) > 0.5` in CSR made it take 1.5x
//! the time, that of a sum of such comparisons 5.8x.
//!
//! Of more numbers than there are registers none is held, but in loops inside that use fewer: what goes on over a loop is a parameter of its
//! blocks, so that of a thousand numbers before a thousand loops there were a million, and compiling took 17 seconds.

use crate::emit::{Emit, TypedValue};
use openwork_algebra::{DTypeKind, Prim};
use openwork_base::{Id, Result};
use openwork_loops::{
    BufRole, Expr, LoopKernel, LoopMode, Stmt, VarId, any_part, born_var, each_part, each_stmt, exprs,
    set_var,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most numbers that are held in registers: as many vector registers as there are on x86-64.
const HELD: usize = 16;

/// The variables that are set once, at the outermost level, to a float or complex number at a known place of an input.
#[derive(Default)]
pub(crate) struct KernelInputs<'k> {
    /// Where each is loaded from.
    loads: BTreeMap<VarId, &'k Expr>,
    /// Whether they are in registers: in a loop that makes no calls.
    held: bool,
}

impl<'k> KernelInputs<'k> {
    pub(crate) fn collect(kernel: &'k LoopKernel) -> KernelInputs<'k> {
        let mut loads = BTreeMap::new();
        for s in &kernel.body {
            if let Stmt::Let { var, val: val @ Expr::Load { buf, at } } = s
                && matches!(**at, Expr::Const(_))
                && kernel
                    .bufs
                    .get(*buf)
                    .is_some_and(|b| b.role == BufRole::In && b.elem.kind() >= DTypeKind::Float)
            {
                loads.insert(*var, val);
            }
        }
        if !loads.is_empty() {
            // How often each variable is given a value.
            let mut times = vec![0; kernel.vars.len()];
            each_stmt(&kernel.body, &mut |s| {
                born_var(s).into_iter().chain(set_var(s)).for_each(|var| times[var.index()] += 1);
            });
            loads.retain(|var, _| times[var.index()] == 1);
        }
        KernelInputs { loads, held: false }
    }
    /// Whether the variable is one of them.
    pub(crate) fn has(&self, v: VarId) -> bool {
        self.loads.contains_key(&v)
    }
    /// Those that a statement uses.
    fn list_used(&self, s: &Stmt) -> BTreeSet<VarId> {
        let mut used = BTreeSet::new();
        let mut note = |e: &Expr| {
            if let Expr::Var(v) = e
                && self.has(*v)
            {
                used.insert(*v);
            }
        };
        each_stmt(std::slice::from_ref(s), &mut |s| exprs(s).for_each(|e| each_part(e, &mut note)));
        used
    }
}

impl Emit<'_, '_> {
    /// The value of a variable that is loaded where it is used.
    pub(crate) fn input(&mut self, v: VarId) -> Result<Option<TypedValue>> {
        match self.inputs.loads.get(&v) {
            Some(load) if !self.inputs.held => self.expr(load).map(Some),
            Some(_) | None => Ok(None),
        }
    }
    /// Emits a loop with `emit`, which finds its inputs in registers if it makes no calls.
    pub(crate) fn with_inputs(&mut self, s: &Stmt, emit: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.inputs.held || self.inputs.loads.is_empty() || self.calls(s) {
            return emit(self);
        }
        let used = self.inputs.list_used(s);
        if used.len() > HELD {
            return emit(self);
        }
        for v in used {
            let x = self.expr(self.inputs.loads[&v])?;
            self.set(v, x.val);
        }
        self.inputs.held = true;
        let done = emit(self);
        self.inputs.held = false;
        done
    }
    /// Whether running `s` may call a function: the host, a wide loop or the absolute value of a complex number.
    fn calls(&self, s: &Stmt) -> bool {
        let complex = |e: &Expr| self.k.ty(e).is_ok_and(|t| t.elem.is_complex());
        let abs = |e: &Expr| matches!(e, Expr::Call { prim: Prim::Abs, args } if complex(&args[0]));
        let mut found = false;
        each_stmt(std::slice::from_ref(s), &mut |s| {
            found |= matches!(
                s,
                Stmt::Reserve { .. } | Stmt::For { mode: LoopMode::Wide { .. } | LoopMode::Rows { .. }, .. }
            ) || exprs(s).any(|e| any_part(e, &abs));
        });
        found
    }
}
