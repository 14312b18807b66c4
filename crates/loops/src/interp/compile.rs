//! The interpreter's compiler, from a kernel to register code.
//!
//! ```text
//! for i in 0..n { y[i] = 2 * x[i] }        r0 = n, r1 = i, r2 = 0, r4 = 2
//!
//!   0  copy r1 <- r2                  3  call mul r6 <- r4, r5
//!   1  copy r3 <- r0                  4  store y[r1] <- r6
//!   2  (test) if r1 >= r3 goto 6      5  r1 += 1, goto 2
//! ```
//!
//! Every expression node has its own registers, one per lane; variables are read where they live, and constants are
//! registers that are set before the start.

use crate::nodes::{BufId, Expr, LoopKernel, Status, Stmt, VarId};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::Id;

/// A register number.
pub(super) type Reg = u32;

/// One operation. Lanes live in consecutive registers.
#[derive(Clone, Copy, Debug)]
pub(super) enum RegOp {
    Copy {
        dst: Reg,
        src: Reg,
        lanes: u8,
    },
    Splat {
        dst: Reg,
        src: Reg,
        lanes: u8,
    },
    Load {
        dst: Reg,
        buf: BufId,
        at: Reg,
        lanes: u8,
    },
    /// Arguments beyond the arity repeat the last one.
    Call {
        prim: Prim,
        dst: Reg,
        args: [Reg; 3],
        lanes: u8,
    },
    /// The product of two registers plus a third one, rounded once.
    Fused {
        dst: Reg,
        args: [Reg; 3],
        lanes: u8,
    },
    Cast {
        to: DType,
        dst: Reg,
        src: Reg,
        lanes: u8,
    },
    Fold {
        prim: Prim,
        dst: Reg,
        src: Reg,
        lanes: u8,
    },
    Store {
        buf: BufId,
        at: Reg,
        src: Reg,
        lanes: u8,
        reduce: Option<Prim>,
    },
    /// Adds the product of two registers to what is there, rounded once.
    StoreFused {
        buf: BufId,
        at: Reg,
        factors: [Reg; 2],
        lanes: u8,
    },
    Reserve {
        buf: BufId,
        len: Reg,
    },
    SetLen {
        buf: BufId,
        len: Reg,
    },
    Jump {
        to: u32,
    },
    JumpUnless {
        cond: Reg,
        to: u32,
    },
    /// Leaves a loop when its variable has reached its end.
    LoopTest {
        var: Reg,
        hi: Reg,
        exit: u32,
    },
    /// Advances a loop variable and goes back to its test.
    LoopStep {
        var: Reg,
        step: i64,
        test: u32,
    },
    Fail(Status),
    Poll,
}

/// Register code with what a fault needs to find its statement.
#[derive(Clone, Debug)]
pub(super) struct RegisterCode {
    pub ops: Vec<RegOp>,
    /// For each operation, the number of its statement in the order of the listing.
    pub origins: Vec<u32>,
    /// The registers before the start: constants are in place.
    pub start: Vec<Scalar>,
    /// The registers of the parameters.
    pub params: Vec<Reg>,
}

/// Compiles a verified kernel.
pub(super) fn compile(kernel: &LoopKernel) -> RegisterCode {
    let mut start = Vec::new();
    let mut vars = Vec::with_capacity(kernel.vars.len());
    for (_, v) in kernel.vars.iter() {
        vars.push(start.len() as Reg);
        start.extend(std::iter::repeat_n(Scalar::zero(v.ty.elem), v.ty.lanes as usize));
    }
    let params = kernel.params.iter().map(|p| vars[p.index()]).collect();
    let code = RegisterCode { ops: Vec::new(), origins: Vec::new(), start, params };
    let mut c = RegisterCompiler { k: kernel, vars, code, count: 0, origin: 0, breaks: Vec::new() };
    c.block(&kernel.body);
    c.code
}

struct RegisterCompiler<'k> {
    k: &'k LoopKernel,
    vars: Vec<Reg>,
    code: RegisterCode,
    count: u32,
    origin: u32,
    /// The jumps out of the innermost loop.
    breaks: Vec<usize>,
}

impl RegisterCompiler<'_> {
    fn emit(&mut self, op: RegOp) -> usize {
        self.code.ops.push(op);
        self.code.origins.push(self.origin);
        self.code.ops.len() - 1
    }
    fn current_offset(&self) -> u32 {
        self.code.ops.len() as u32
    }
    fn fresh(&mut self, lanes: u8) -> Reg {
        let reg = self.code.start.len();
        self.code.start.extend(std::iter::repeat_n(Scalar::I64(0), lanes as usize));
        reg as Reg
    }
    fn var(&self, v: VarId) -> Reg {
        self.vars[v.index()]
    }
    fn lanes(&self, e: &Expr) -> u8 {
        self.k.ty(e).map_or(1, |t| t.lanes)
    }
    /// Makes a forward jump go to the next operation.
    fn land(&mut self, jump: usize) {
        let here = self.current_offset();
        match &mut self.code.ops[jump] {
            RegOp::Jump { to } | RegOp::JumpUnless { to, .. } | RegOp::LoopTest { exit: to, .. } => {
                *to = here
            }
            RegOp::Copy { .. }
            | RegOp::Splat { .. }
            | RegOp::Load { .. }
            | RegOp::Call { .. }
            | RegOp::Cast { .. }
            | RegOp::Fold { .. }
            | RegOp::Fused { .. }
            | RegOp::Store { .. }
            | RegOp::StoreFused { .. }
            | RegOp::Reserve { .. }
            | RegOp::SetLen { .. }
            | RegOp::LoopStep { .. }
            | RegOp::Fail(_)
            | RegOp::Poll => {}
        }
    }
    fn block(&mut self, body: &[Stmt]) {
        for s in body {
            self.origin = self.count;
            self.count += 1;
            self.stmt(s);
        }
    }
    fn store(&mut self, buf: BufId, at: &Expr, val: &Expr, reduce: Option<Prim>) {
        let (at, lanes) = (self.operand(at), self.lanes(val));
        if let (Some(Prim::Add), Some([x, y])) = (reduce, val.fused_factors()) {
            let factors = [self.operand(x), self.operand(y)];
            self.emit(RegOp::StoreFused { buf, at, factors, lanes });
        } else {
            let src = self.operand(val);
            self.emit(RegOp::Store { buf, at, src, lanes, reduce });
        }
    }
    fn stmt(&mut self, s: &Stmt) {
        let origin = self.origin;
        match s {
            Stmt::Let { var, val } | Stmt::Set { var, val } => self.assign(self.var(*var), val),
            Stmt::Store { buf, at, val, reduce } => self.store(*buf, at, val, *reduce),
            Stmt::For { var, lo, hi, step, mode: _, body } => {
                let (var, lo) = (self.var(*var), self.operand(lo));
                // The body may set the variables of `hi`, so the end is kept apart.
                let end = self.fresh(1);
                self.assign(end, hi);
                self.emit(RegOp::Copy { dst: var, src: lo, lanes: 1 });
                let test = self.emit(RegOp::LoopTest { var, hi: end, exit: 0 });
                let outer = std::mem::take(&mut self.breaks);
                self.block(body);
                self.origin = origin;
                self.emit(RegOp::LoopStep { var, step: *step, test: test as u32 });
                self.land(test);
                self.end(outer);
            }
            Stmt::While { cond, body } => {
                let start = self.current_offset();
                let cond = self.operand(cond);
                let test = self.emit(RegOp::JumpUnless { cond, to: 0 });
                let outer = std::mem::take(&mut self.breaks);
                self.block(body);
                self.origin = origin;
                self.emit(RegOp::Jump { to: start });
                self.land(test);
                self.end(outer);
            }
            Stmt::If { cond, then, other } => {
                let cond = self.operand(cond);
                let test = self.emit(RegOp::JumpUnless { cond, to: 0 });
                self.block(then);
                if other.is_empty() {
                    self.land(test);
                } else {
                    let skip = self.emit(RegOp::Jump { to: 0 });
                    self.land(test);
                    self.block(other);
                    self.land(skip);
                }
            }
            Stmt::Reserve { buf, len } => {
                let len = self.operand(len);
                self.emit(RegOp::Reserve { buf: *buf, len });
            }
            Stmt::SetLen { buf, len } => {
                let len = self.operand(len);
                self.emit(RegOp::SetLen { buf: *buf, len });
            }
            Stmt::Break => {
                let jump = self.emit(RegOp::Jump { to: 0 });
                self.breaks.push(jump);
            }
            Stmt::Fail(status) => {
                self.emit(RegOp::Fail(*status));
            }
            Stmt::Poll => {
                self.emit(RegOp::Poll);
            }
            Stmt::Note(_) => {}
        }
    }
    /// Lets what leaves a loop go on after it; `outer` is what leaves the loop around it.
    fn end(&mut self, outer: Vec<usize>) {
        for jump in std::mem::replace(&mut self.breaks, outer) {
            self.land(jump);
        }
    }
    /// Evaluates `e` into the registers at `dst`, which `e` may read.
    fn assign(&mut self, dst: Reg, e: &Expr) {
        match e {
            Expr::Load { .. }
            | Expr::VLoad { .. }
            | Expr::Call { .. }
            | Expr::Cast { .. }
            | Expr::Splat { .. }
            | Expr::Fold { .. } => self.compute(dst, e),
            // These write lanes or halves one by one, so they must not overwrite what they still read.
            Expr::Const(_) | Expr::Var(_) | Expr::AndAlso(..) | Expr::Pack(_) => {
                let (src, lanes) = (self.operand(e), self.lanes(e));
                self.emit(RegOp::Copy { dst, src, lanes });
            }
        }
    }
    /// The registers that hold the value of `e`.
    fn operand(&mut self, e: &Expr) -> Reg {
        match e {
            Expr::Var(v) => self.var(*v),
            Expr::Const(s) => {
                self.code.start.push(*s);
                self.code.start.len() as Reg - 1
            }
            Expr::Load { .. }
            | Expr::VLoad { .. }
            | Expr::Call { .. }
            | Expr::Cast { .. }
            | Expr::AndAlso(..)
            | Expr::Splat { .. }
            | Expr::Pack(_)
            | Expr::Fold { .. } => {
                let lanes = self.lanes(e);
                let dst = self.fresh(lanes);
                self.compute(dst, e);
                dst
            }
        }
    }
    fn compute(&mut self, dst: Reg, e: &Expr) {
        match e {
            Expr::Const(_) | Expr::Var(_) => {
                let (src, lanes) = (self.operand(e), self.lanes(e));
                self.emit(RegOp::Copy { dst, src, lanes });
            }
            Expr::Load { buf, at } => {
                let at = self.operand(at);
                self.emit(RegOp::Load { dst, buf: *buf, at, lanes: 1 });
            }
            Expr::VLoad { buf, at, lanes } => {
                let at = self.operand(at);
                self.emit(RegOp::Load { dst, buf: *buf, at, lanes: *lanes });
            }
            Expr::Call { prim, args } => {
                let lanes = self.lanes(e);
                if let Some(all) = e.fused_sum() {
                    let args = all.map(|e| self.operand(e));
                    self.emit(RegOp::Fused { dst, args, lanes });
                    return;
                }
                let mut regs = [0; 3];
                let mut last = 0;
                for (n, reg) in regs.iter_mut().enumerate() {
                    last = args.get(n).map_or(last, |a| self.operand(a));
                    *reg = last;
                }
                self.emit(RegOp::Call { prim: *prim, dst, args: regs, lanes });
            }
            Expr::Cast { to, arg } => {
                let (src, lanes) = (self.operand(arg), self.lanes(arg));
                self.emit(RegOp::Cast { to: *to, dst, src, lanes });
            }
            Expr::AndAlso(a, b) => {
                let a = self.operand(a);
                self.emit(RegOp::Copy { dst, src: a, lanes: 1 });
                let skip = self.emit(RegOp::JumpUnless { cond: dst, to: 0 });
                let b = self.operand(b);
                self.emit(RegOp::Copy { dst, src: b, lanes: 1 });
                self.land(skip);
            }
            Expr::Splat { lanes, arg } => {
                let src = self.operand(arg);
                self.emit(RegOp::Splat { dst, src, lanes: *lanes });
            }
            Expr::Pack(args) => {
                for (n, arg) in args.iter().enumerate() {
                    let src = self.operand(arg);
                    self.emit(RegOp::Copy { dst: dst + n as Reg, src, lanes: 1 });
                }
            }
            Expr::Fold { prim, arg } => {
                let (src, lanes) = (self.operand(arg), self.lanes(arg));
                self.emit(RegOp::Fold { prim: *prim, dst, src, lanes });
            }
        }
    }
}
