//! Statements.

use crate::expr::{infix, wraps};
use crate::spell::{ExprText, Prec, c_type};
use crate::unit::{CPrinter, one_line};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::{Id, Result};
use openwork_loops::{BufId, BufRole, Expr, Status, Stmt, Ty, VarId};

impl CPrinter<'_> {
    /// Prints statements as (part of) one block.
    pub(crate) fn statements(&mut self, stmts: &[Stmt]) -> Result<()> {
        stmts.iter().try_for_each(|s| self.statement(s))
    }
    fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        let alive = self.alive.len();
        self.indent += 1;
        self.statements(stmts)?;
        self.indent -= 1;
        self.alive.truncate(alive);
        Ok(())
    }
    fn statement(&mut self, s: &Stmt) -> Result<()> {
        match s {
            Stmt::Let { var, val } | Stmt::Set { var, val } => self.assign(*var, val),
            Stmt::Store { buf, at, val, reduce } => self.store(*buf, at, val, *reduce),
            Stmt::For { var, lo, hi, step, mode: _, body } => self.for_loop(*var, lo, hi, *step, body),
            Stmt::While { cond, body } => {
                let cond = self.print_typed(cond, Ty::BOOL)?;
                self.line(&format!("while ({}) {{", cond.text));
                self.block(body)?;
                self.line("}");
                Ok(())
            }
            Stmt::If { cond, then, other } => self.if_else("", cond, then, other),
            Stmt::Reserve { buf, len } => self.reserve(*buf, len),
            Stmt::SetLen { buf, len } => {
                self.writable(*buf)?;
                let len = self.index(len)?;
                self.line(&format!("call->bufs[{}].len = {};", buf.index(), len.text));
                Ok(())
            }
            Stmt::Break => {
                self.line("break;");
                Ok(())
            }
            Stmt::Fail(status) => {
                self.line(&format!("return {}; // {}", *status as i32, status.name()));
                Ok(())
            }
            Stmt::Poll => {
                self.poll();
                Ok(())
            }
            Stmt::Note(text) => {
                self.line(&format!("// {}", one_line(text)));
                Ok(())
            }
        }
    }
    fn writable(&self, buf: BufId) -> Result<()> {
        match self.k.bufs.get(buf).map(|b| b.role) {
            Some(BufRole::Out | BufRole::Temp) => Ok(()),
            Some(BufRole::In) => self.bug(format!("{} is read only", self.k.bufs[buf].name)),
            None => self.bug(format!("no buffer {buf:?}")),
        }
    }
    fn assign(&mut self, var: VarId, val: &Expr) -> Result<()> {
        let Some(ty) = self.k.vars.get(var).map(|v| v.ty) else {
            return self.bug(format!("no variable {var:?}"));
        };
        let is_mask = ty.elem == DType::Bool && ty.lanes > 1;
        let x = if is_mask {
            let bytes = match self.masks.get(&var) {
                Some(bytes) => *bytes,
                None => self.mask_bytes(val)?,
            };
            self.masks.insert(var, bytes);
            self.mask(val, bytes)?
        } else if ty == Ty::INDEX && self.indices.contains(&var) {
            self.index(val)?
        } else {
            self.print_typed(val, ty)?
        };
        let c = match is_mask {
            true => self.mask_type(self.masks[&var], ty.lanes)?,
            false => self.type_name(ty)?,
        };
        let name = self.var(var);
        if self.alive.contains(&var) {
            self.line(&format!("{name} = {};", x.text));
            return Ok(());
        }
        self.alive.push(var);
        let keep = if self.changing.contains(&var) { "" } else { "const " };
        self.line(&format!("{keep}{c} {name} = {};", x.text));
        Ok(())
    }
    fn store(&mut self, buf: BufId, at: &Expr, val: &Expr, reduce: Option<Prim>) -> Result<()> {
        self.writable(buf)?;
        let ty = match self.k.ty(val) {
            Ok(ty) if ty.elem == self.k.bufs[buf].elem => ty,
            Ok(ty) => return self.bug(format!("{ty:?} stored to {}", self.k.bufs[buf].name)),
            Err(e) => return self.bug(e),
        };
        if ty.lanes > 1 {
            return self.store_vector(buf, at, val, ty, reduce);
        }
        let factors = match val.fused_factors().filter(|_| reduce == Some(Prim::Add)) {
            Some([x, y]) => Some([self.expr(x)?, self.expr(y)?]),
            None => None,
        };
        let x = self.expr(val)?;
        let name = self.buf(buf)?;
        let at = self.index(at)?;
        let place = ExprText::atom(format!("{name}[{}]", at.text), ty);
        if let Some([x, y]) = factors {
            let sum = self.fused_sum(&[x, y, place.clone()])?;
            self.line(&format!("{} = {};", place.text, sum.text));
            return Ok(());
        }
        let Some(prim) = reduce else {
            self.line(&format!("{} = {};", place.text, x.text));
            return Ok(());
        };
        if prim.result(ty.elem) != Some(ty.elem) {
            return self.bug(format!("{} of {}", prim.name(), ty.elem));
        }
        let plain = !prim.is_comparison() && !ty.elem.is_complex() && !wraps(prim, ty.elem);
        match infix(prim, ty.elem).filter(|_| plain) {
            Some((op, _)) => self.line(&format!("{} {op}= {};", place.text, x.text)),
            None => {
                let new = self.apply(prim, &[place.clone(), x])?;
                self.line(&format!("{} = {};", place.text, new.text));
            }
        }
        Ok(())
    }
    fn if_else(&mut self, lead: &str, cond: &Expr, then: &[Stmt], other: &[Stmt]) -> Result<()> {
        let cond = self.print_typed(cond, Ty::BOOL)?;
        self.line(&format!("{lead}if ({}) {{", cond.text));
        self.block(then)?;
        if let [Stmt::If { cond, then, other }] = other {
            return self.if_else("} else ", cond, then, other);
        }
        if !other.is_empty() {
            self.line("} else {");
            self.block(other)?;
        }
        self.line("}");
        Ok(())
    }
    /// Whether an expression keeps its value during a loop, so that it can be the bound as it stands.
    fn is_fixed(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(_) => true,
            Expr::Var(v) => !self.changing.contains(v),
            // Computed anew, or from memory.
            _ => false,
        }
    }
    fn for_loop(&mut self, var: VarId, lo: &Expr, hi: &Expr, step: i64, body: &[Stmt]) -> Result<()> {
        if self.k.vars.get(var).map(|v| v.ty) != Some(Ty::INDEX) || step < 1 {
            return self.bug(format!("for {var:?} step {step}"));
        }
        let (lo, end) = (self.index(lo)?, self.index(hi)?);
        let name = self.var(var);
        let (more, bound) = if self.is_fixed(hi) {
            (String::new(), end.as_operand(Prec::Sum))
        } else {
            let bound = self.names.give(&format!("{name}_end"));
            (format!(", {bound} = {}", end.text), bound)
        };
        let next = if step == 1 { format!("{name}++") } else { format!("{name} += {step}") };
        self.line(&format!("for (int64_t {name} = {}{more}; {name} < {bound}; {next}) {{", lo.text));
        self.alive.push(var);
        self.block(body)?;
        self.alive.pop();
        self.line("}");
        Ok(())
    }
    fn unlikely(&mut self) {
        self.helper("unlikely", || "#define unlikely(condition) __builtin_expect(condition, 0)\n".into());
    }
    /// The flag is volatile, so that it is read every time.
    fn poll(&mut self) {
        self.unlikely();
        self.line("if (unlikely(*call->stop))");
        let status = Status::Cancelled;
        self.line(&format!("    return {}; // {}", status as i32, status.name()));
    }
    fn reserve(&mut self, buf: BufId, len: &Expr) -> Result<()> {
        self.writable(buf)?;
        self.unlikely();
        let len = self.index(len)?;
        let (name, n) = (self.buf(buf)?, buf.index());
        if self.opened_once.contains(&buf) {
            self.line(&format!(
                "if (unlikely((uint64_t){} > call->bufs[{n}].cap)) {{",
                len.as_operand(Prec::Unary)
            ));
            self.line(&format!("    const int32_t status = call->grow(call, {n}, {});", len.text));
            self.line("    if (status)");
            self.line("        return status;");
            self.line("}");
            // From here on the memory stays where it is, and only this pointer leads to it.
            let ty = c_type(self.k.bufs[buf].elem);
            self.line(&format!("{ty} *restrict {name} = call->bufs[{n}].ptr;"));
            return Ok(());
        }
        self.line(&format!("if (unlikely((uint64_t){} > {name}_cap)) {{", len.as_operand(Prec::Unary)));
        self.indent += 1;
        self.line(&format!("const int32_t status = call->grow(call, {n}, {});", len.text));
        self.line("if (status)");
        self.line("    return status;");
        self.line(&format!("{name} = call->bufs[{n}].ptr;"));
        self.line(&format!("{name}_cap = call->bufs[{n}].cap;"));
        self.indent -= 1;
        self.line("}");
        Ok(())
    }
    /// An expression that says where in memory something is, or how much there is.
    pub(crate) fn index(&mut self, e: &Expr) -> Result<ExprText> {
        let outer = std::mem::replace(&mut self.in_index, true);
        let text = self.print_typed(e, Ty::INDEX);
        self.in_index = outer;
        text
    }
    /// An expression of a known type.
    pub(crate) fn print_typed(&mut self, e: &Expr, ty: Ty) -> Result<ExprText> {
        let x = self.expr(e)?;
        if x.ty == ty { Ok(x) } else { self.bug(format!("expected {ty:?}, got {:?}", x.ty)) }
    }
    /// The C name of a type other than a vector of bools.
    pub(crate) fn type_name(&mut self, ty: Ty) -> Result<String> {
        if ty.lanes > 1 {
            return self.vector_type(ty);
        }
        self.complex(ty.elem);
        Ok(c_type(ty.elem).to_string())
    }
    /// `x` with its type spelled out, where C would see an `int`.
    pub(crate) fn explicit(&self, x: &ExprText) -> ExprText {
        if !x.ty.elem.is_int() || matches!(x.ty.elem, DType::I32 | DType::U32 | DType::U64) {
            return x.clone();
        }
        let text = format!("({}){}", c_type(x.ty.elem), x.as_operand(Prec::Unary));
        ExprText { text, prec: Prec::Unary, ty: x.ty }
    }
    /// Whether every one of these is a literal.
    pub(crate) fn all_literal(args: &[Expr]) -> bool {
        args.iter().all(|a| matches!(a, Expr::Const(Scalar::I64(_))))
    }
}
