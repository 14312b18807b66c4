//! Numbers that a kernel reads from its inputs before anything else, such as literals.
//!
//! They are loaded before each loop that makes no calls, and elsewhere where they are used, as constants of Cranelift are:
//! calls leave no vector register as it was, so a number that is held over one is written to the stack and read back in
//! every round of the loops around. Held from the start of the kernel, the number of `A(i,j) > 0.5` in CSR made it take 1.5x
//! the time, that of a sum of such comparisons 5.8x.

use crate::emit::{Emit, Typed};
use openwork_algebra::{Kind, Prim};
use openwork_base::{Id, Result};
use openwork_loops::{Expr, Kernel, LoopMode, Role, Stmt, VarId};
use std::collections::BTreeMap;

/// The variables that are set once, at the outermost level, to a float or complex number at a known place of an input.
#[derive(Default)]
pub(crate) struct Inputs<'k> {
    /// Where each is loaded from.
    loads: BTreeMap<VarId, &'k Expr>,
    /// Whether they are in registers: in a loop that makes no calls.
    held: bool,
}

impl<'k> Inputs<'k> {
    pub(crate) fn of(kernel: &'k Kernel) -> Inputs<'k> {
        let mut loads = BTreeMap::new();
        for s in &kernel.body {
            if let Stmt::Let { var, val: val @ Expr::Load { buf, at } } = s
                && matches!(**at, Expr::Const(_))
                && kernel.bufs.get(*buf).is_some_and(|b| b.role == Role::In && b.elem.kind() >= Kind::Float)
            {
                loads.insert(*var, val);
            }
        }
        if !loads.is_empty() {
            let mut times = vec![0; kernel.vars.len()];
            count(&kernel.body, &mut times);
            loads.retain(|var, _| times[var.index()] == 1);
        }
        Inputs { loads, held: false }
    }
    /// Whether the variable is one of them.
    pub(crate) fn has(&self, v: VarId) -> bool {
        self.loads.contains_key(&v)
    }
}

impl Emit<'_, '_> {
    /// The value of a variable that is loaded where it is used.
    pub(crate) fn input(&mut self, v: VarId) -> Result<Option<Typed>> {
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
        let used: Vec<VarId> = self.inputs.loads.keys().copied().filter(|v| uses(s, *v)).collect();
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
        let abs = |e: &Expr| match e {
            Expr::Call { prim: Prim::Abs, args } => self.k.ty(&args[0]).is_ok_and(|t| t.elem.is_complex()),
            _ => false,
        };
        match s {
            Stmt::Reserve { .. } | Stmt::For { mode: LoopMode::Wide { .. }, .. } => true,
            s => {
                expressions(s).into_iter().any(|e| any(e, &abs))
                    || blocks(s).into_iter().flatten().any(|s| self.calls(s))
            }
        }
    }
}

/// Whether `s` uses a variable.
fn uses(s: &Stmt, v: VarId) -> bool {
    let of = |e: &Expr| *e == Expr::Var(v);
    expressions(s).into_iter().any(|e| any(e, &of)) || blocks(s).into_iter().flatten().any(|s| uses(s, v))
}

/// Counts how often each variable is given a value.
fn count(body: &[Stmt], times: &mut [usize]) {
    for s in body {
        if let Stmt::Let { var, .. } | Stmt::Set { var, .. } | Stmt::For { var, .. } = s {
            times[var.index()] += 1;
        }
        blocks(s).into_iter().for_each(|b| count(b, times));
    }
}

fn any(e: &Expr, test: &impl Fn(&Expr) -> bool) -> bool {
    test(e)
        || match e {
            Expr::Const(_) | Expr::Var(_) => false,
            Expr::Load { buf: _, at: arg } | Expr::VLoad { buf: _, at: arg, lanes: _ } => any(arg, test),
            Expr::Cast { to: _, arg } | Expr::Splat { lanes: _, arg } | Expr::Fold { prim: _, arg } => {
                any(arg, test)
            }
            Expr::Call { prim: _, args } | Expr::Pack(args) => args.iter().any(|a| any(a, test)),
            Expr::AndAlso(a, b) => any(a, test) || any(b, test),
        }
}
fn expressions(s: &Stmt) -> Vec<&Expr> {
    match s {
        Stmt::Let { var: _, val } | Stmt::Set { var: _, val } => vec![val],
        Stmt::Store { buf: _, at, val, reduce: _ } => vec![at, val],
        Stmt::For { lo, hi, .. } => vec![lo, hi],
        Stmt::While { cond, .. } | Stmt::If { cond, .. } => vec![cond],
        Stmt::Reserve { buf: _, len } | Stmt::SetLen { buf: _, len } => vec![len],
        Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => Vec::new(),
    }
}
fn blocks(s: &Stmt) -> Vec<&Vec<Stmt>> {
    match s {
        Stmt::For { body, .. } | Stmt::While { body, .. } => vec![body],
        Stmt::If { then, other, .. } => vec![then, other],
        Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Store { .. } => Vec::new(),
        Stmt::Reserve { .. } | Stmt::SetLen { .. } => Vec::new(),
        Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => Vec::new(),
    }
}
