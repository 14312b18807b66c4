//! Statements.

use crate::emit::{Emit, FmaSupport, TypedValue, Val};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_loops::{BufId, BufRole, Expr, LoopMode, Stmt, Ty, VarId};

impl Emit<'_, '_> {
    /// Emits statements in order.
    pub(crate) fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }
    fn stmt(&mut self, s: &Stmt) -> Result<()> {
        tick();
        match s {
            Stmt::Let { var, .. } if self.inputs.has(*var) => Ok(()),
            Stmt::Let { var, val } | Stmt::Set { var, val } => self.assign(*var, val),
            Stmt::Store { buf, at, val, reduce } => self.store(*buf, at, val, *reduce),
            Stmt::For { mode: LoopMode::Wide { .. } | LoopMode::Rows { .. }, .. } if self.wide_loop(s)? => {
                Ok(())
            }
            Stmt::For { var, lo, hi, step, mode: _, body } => {
                self.with_addresses(s, |e| e.with_inputs(s, |e| e.for_loop(*var, lo, hi, *step, body)))
            }
            Stmt::While { cond, body } => {
                self.with_addresses(s, |e| e.with_inputs(s, |e| e.while_loop(cond, body)))
            }
            Stmt::If { cond, then, other } => self.if_else(cond, then, other),
            Stmt::Reserve { buf, len } => {
                self.writable(*buf)?;
                let len = self.scalar_of(len, DType::I64)?;
                self.reserve(*buf, len)
            }
            Stmt::SetLen { buf, len } => {
                self.writable(*buf)?;
                let len = self.scalar_of(len, DType::I64)?;
                self.set_len(*buf, len);
                Ok(())
            }
            Stmt::Break => {
                let Some(&after) = self.after.last() else { return self.bug("a break outside of loops") };
                self.b.ins().jump(after, &[]);
                self.unreachable();
                Ok(())
            }
            Stmt::Fail(status) => {
                self.ret(*status);
                self.unreachable();
                Ok(())
            }
            Stmt::Poll => {
                self.poll();
                Ok(())
            }
            Stmt::Note(_) => Ok(()),
        }
    }
    /// What follows cannot be reached, but it still needs a block.
    fn unreachable(&mut self) {
        let dead = self.b.create_block();
        self.enter(dead);
    }
    /// The rounds of a loop, which goes on at `done`.
    fn rounds(&mut self, body: &[Stmt], done: Block) -> Result<()> {
        self.after.push(done);
        let emitted = self.block(body);
        self.after.pop();
        emitted
    }
    fn writable(&self, buf: BufId) -> Result<()> {
        match self.k.bufs.get(buf).map(|b| b.role) {
            Some(BufRole::Out | BufRole::Temp) => Ok(()),
            Some(BufRole::In) => self.bug(format!("{} is read only", self.k.bufs[buf].name)),
            None => self.bug(format!("no buffer {buf:?}")),
        }
    }
    fn assign(&mut self, var: VarId, val: &Expr) -> Result<()> {
        let x = self.expr(val)?;
        match self.k.vars.get(var).map(|v| v.ty) {
            Some(ty) if ty == x.ty => self.set(var, x.val),
            Some(ty) => return self.bug(format!("{:?} is {ty:?}, set to {:?}", var, x.ty)),
            None => return self.bug(format!("no variable {var:?}")),
        }
        Ok(())
    }
    fn store(&mut self, buf: BufId, at: &Expr, val: &Expr, reduce: Option<Prim>) -> Result<()> {
        self.writable(buf)?;
        let elem = self.k.bufs[buf].elem;
        // The fused form has to be seen before the product is taken apart from the sum.
        if reduce == Some(Prim::Add)
            && self.fma == FmaSupport::Native
            && let Some([x, y]) = val.fused_factors()
        {
            let [x, y] = self.factors(x, y)?;
            let place = self.place(buf, at)?;
            let old = self.load_from(place, x.ty)?;
            let new = self.emit_fma(x, y, old)?;
            return self.store_to(place, new);
        }
        let mut x = self.expr(val)?;
        if x.ty.elem != elem {
            return self.bug(format!("{:?} stored to {}", x.ty, self.k.bufs[buf].name));
        }
        let place = self.place(buf, at)?;
        if let Some(prim) = reduce {
            let old = self.load_from(place, x.ty)?;
            x = self.apply(prim, &[old, x])?;
        }
        self.store_to(place, x)
    }
    fn if_else(&mut self, cond: &Expr, then: &[Stmt], other: &[Stmt]) -> Result<()> {
        let [yes, done] = std::array::from_fn(|_| self.b.create_block());
        if other.is_empty() {
            self.branch(cond, yes, done)?;
        } else {
            let no = self.b.create_block();
            self.branch(cond, yes, no)?;
            self.arm(no, other, done)?;
        }
        self.arm(yes, then, done)?;
        self.enter(done);
        Ok(())
    }
    fn arm(&mut self, block: Block, stmts: &[Stmt], done: Block) -> Result<()> {
        self.enter(block);
        self.block(stmts)?;
        self.b.ins().jump(done, &[]);
        Ok(())
    }
    fn while_loop(&mut self, cond: &Expr, body: &[Stmt]) -> Result<()> {
        let [head, done] = std::array::from_fn(|_| self.b.create_block());
        self.branch(cond, head, done)?;
        self.b.switch_to_block(head);
        self.rounds(body, done)?;
        self.branch(cond, head, done)?;
        self.b.seal_block(head);
        self.enter(done);
        Ok(())
    }
    fn for_loop(&mut self, var: VarId, lo: &Expr, hi: &Expr, step: i64, body: &[Stmt]) -> Result<()> {
        if self.k.vars.get(var).map(|v| v.ty) != Some(Ty::INDEX) || step < 1 {
            return self.bug(format!("for {var:?} step {step}"));
        }
        let first = self.expr(lo)?;
        let end = self.scalar_of(hi, DType::I64)?;
        let [head, done] = std::array::from_fn(|_| self.b.create_block());
        let start = self.scalar_value(first, DType::I64)?;
        self.set(var, first.val);
        if let (Expr::Const(Scalar::I64(a)), Expr::Const(Scalar::I64(b))) = (lo, hi)
            && a < b
        {
            self.b.ins().jump(head, &[]);
        } else {
            let enters = self.b.ins().icmp(IntCC::SignedLessThan, start, end);
            self.b.ins().brif(enters, head, &[], done, &[]);
        }
        self.b.switch_to_block(head);
        self.rounds(body, done)?;
        let now = self.get(var);
        let now = self.scalar_value(TypedValue { val: now, ty: Ty::INDEX }, DType::I64)?;
        let stride = self.b.ins().iconst(types::I64, step);
        let next = self.b.ins().iadd(now, stride);
        self.set(var, Val::One(next));
        let again = self.b.ins().icmp(IntCC::SignedLessThan, next, end);
        self.b.ins().brif(again, head, &[], done, &[]);
        self.b.seal_block(head);
        self.enter(done);
        Ok(())
    }
}
