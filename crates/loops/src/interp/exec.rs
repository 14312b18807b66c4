//! The machine that runs register code.

use super::compile::{Reg, RegOp, RegisterCode};
use super::written::WrittenElements;
use super::{AccessKind, Counts, Fault, Limits, Memory};
use crate::nodes::{BufId, LoopKernel, Status};
use crate::text::print_stmt;
use crate::walk::each_stmt;
use openwork_algebra::{Prim, Scalar, fused_sum};

/// Why an operation could not be done; the statement is looked up only then.
enum ExecStop {
    Bounds { access: AccessKind, buf: BufId, index: i64 },
    Unwritten { buf: BufId, index: usize },
    Overflow,
    Foreign,
    Ended(Status),
}

pub(super) fn run(
    code: &RegisterCode,
    kernel: &LoopKernel,
    params: &[i64],
    memory: &mut impl Memory,
    limits: Limits,
    counts: &mut Counts,
) -> Result<Status, Fault> {
    if params.len() != code.params.len() {
        return Err(Fault::Params { want: code.params.len(), got: params.len() });
    }
    let mut m =
        RegisterMachine { regs: code.start.clone(), memory, written: WrittenElements::new(kernel), counts };
    let name = |buf: BufId| kernel.bufs.get(buf).map_or_else(String::new, |b| b.name.clone());
    for (&reg, &value) in code.params.iter().zip(params) {
        m.regs[reg as usize] = Scalar::I64(value);
    }
    let mut pc = 0;
    let mut left = limits.steps;
    while let Some(op) = code.ops.get(pc) {
        if left == 0 {
            return Err(Fault::TooLong { stmt: statement(kernel, code.origins[pc]) });
        }
        left -= 1;
        match m.step(op, pc) {
            Ok(next) => pc = next,
            Err(ExecStop::Ended(status)) => return Ok(status),
            Err(ExecStop::Foreign) => {
                return Err(Fault::ForeignValue { stmt: statement(kernel, code.origins[pc]) });
            }
            Err(ExecStop::Overflow) => {
                return Err(Fault::Overflow { stmt: statement(kernel, code.origins[pc]) });
            }
            Err(ExecStop::Unwritten { buf, index }) => {
                return Err(Fault::Unwritten {
                    buf: name(buf),
                    index,
                    stmt: statement(kernel, code.origins[pc]),
                });
            }
            Err(ExecStop::Bounds { access, buf, index }) => {
                return Err(Fault::OutOfBounds {
                    access,
                    buf: name(buf),
                    index,
                    len: m.memory.capacity(buf),
                    stmt: statement(kernel, code.origins[pc]),
                });
            }
        }
    }
    match m.written.gap() {
        Some((buf, index, len)) => Err(Fault::Gap { buf: name(buf), index, len }),
        None => Ok(Status::Ok),
    }
}

struct RegisterMachine<'m, M> {
    regs: Vec<Scalar>,
    memory: &'m mut M,
    written: WrittenElements,
    counts: &'m mut Counts,
}

impl<M: Memory> RegisterMachine<'_, M> {
    fn get(&self, reg: Reg) -> Scalar {
        self.regs[reg as usize]
    }
    fn set(&mut self, reg: Reg, value: Scalar) {
        self.regs[reg as usize] = value;
    }
    fn index(&self, reg: Reg) -> Result<i64, ExecStop> {
        match self.get(reg) {
            Scalar::I64(n) => Ok(n),
            _ => Err(ExecStop::Foreign),
        }
    }
    /// Does one operation; the result is the number of the next.
    #[inline]
    fn step(&mut self, op: &RegOp, pc: usize) -> Result<usize, ExecStop> {
        match *op {
            RegOp::Copy { dst, src, lanes } => {
                let src = src as usize;
                self.regs.copy_within(src..src + lanes as usize, dst as usize);
            }
            RegOp::Splat { dst, src, lanes } => {
                let value = self.get(src);
                (0..lanes as Reg).for_each(|n| self.set(dst + n, value));
            }
            RegOp::Load { dst, buf, at, lanes } => {
                self.counts.loads += 1;
                let at = self.index(at)?;
                for n in 0..lanes {
                    let value = self.load(buf, at.wrapping_add(n as i64))?;
                    self.set(dst + n as Reg, value);
                }
            }
            RegOp::Call { prim, dst, args: [a, b, c], lanes } => {
                for n in 0..lanes as Reg {
                    let value = eval(prim, self.get(a + n), self.get(b + n), self.get(c + n))?;
                    self.set(dst + n, value);
                }
            }
            RegOp::Fused { dst, args, lanes } => self.fuse(dst, args, lanes)?,
            RegOp::Cast { to, dst, src, lanes } => {
                (0..lanes as Reg).for_each(|n| self.set(dst + n, self.get(src + n).cast(to)));
            }
            RegOp::Fold { prim, dst, src, lanes } => {
                let mut all = self.get(src);
                for n in 1..lanes as Reg {
                    let next = self.get(src + n);
                    all = eval(prim, all, next, next)?;
                }
                self.set(dst, all);
            }
            RegOp::Store { buf, at, src, lanes, reduce } => self.store(buf, at, src, lanes, reduce)?,
            RegOp::StoreFused { buf, at, factors, lanes } => self.store_fused(buf, at, factors, lanes)?,
            RegOp::Reserve { buf, len } => self.reserve(buf, len)?,
            RegOp::SetLen { buf, len } => self.set_len(buf, len)?,
            RegOp::Jump { to } => {
                // Only loops go back.
                self.counts.rounds += u64::from((to as usize) < pc);
                return Ok(to as usize);
            }
            RegOp::JumpUnless { cond, to } => {
                self.counts.branches += 1;
                match self.get(cond) {
                    Scalar::Bool(true) => {}
                    Scalar::Bool(false) => return Ok(to as usize),
                    _ => return Err(ExecStop::Foreign),
                }
            }
            RegOp::LoopTest { var, hi, exit } => {
                self.counts.branches += 1;
                if self.index(var)? >= self.index(hi)? {
                    return Ok(exit as usize);
                }
            }
            RegOp::LoopStep { var, step, test } => {
                self.counts.rounds += 1;
                let next = self.index(var)?.checked_add(step).ok_or(ExecStop::Overflow)?;
                self.set(var, Scalar::I64(next));
                return Ok(test as usize);
            }
            RegOp::Poll => self.poll()?,
            RegOp::Fail(status) => return Err(ExecStop::Ended(status)),
        }
        Ok(pc + 1)
    }
    fn reserve(&mut self, buf: BufId, len: Reg) -> Result<(), ExecStop> {
        let index = self.index(len)?;
        let bad = ExecStop::Bounds { access: AccessKind::Length, buf, index };
        let wanted = usize::try_from(index).map_err(|_| bad)?;
        match self.memory.reserve(buf, wanted) {
            Status::Ok => self.written.reserve(buf, wanted),
            status => return Err(ExecStop::Ended(status)),
        }
        Ok(())
    }
    fn set_len(&mut self, buf: BufId, len: Reg) -> Result<(), ExecStop> {
        let index = self.index(len)?;
        let bad = ExecStop::Bounds { access: AccessKind::Length, buf, index };
        let len = usize::try_from(index).ok().filter(|&n| self.memory.set_len(buf, n).is_some());
        self.written.announce(buf, len.ok_or(bad)?);
        Ok(())
    }
    fn poll(&self) -> Result<(), ExecStop> {
        if self.memory.is_cancelled() { Err(ExecStop::Ended(Status::Cancelled)) } else { Ok(()) }
    }
    fn load(&self, buf: BufId, index: i64) -> Result<Scalar, ExecStop> {
        let at = usize::try_from(index).ok();
        let found = at.and_then(|n| self.memory.load(buf, n).map(|value| (n, value)));
        let (at, value) = found.ok_or(ExecStop::Bounds { access: AccessKind::Load, buf, index })?;
        if self.written.holds(buf, at) { Ok(value) } else { Err(ExecStop::Unwritten { buf, index: at }) }
    }
    fn store(
        &mut self,
        buf: BufId,
        at: Reg,
        src: Reg,
        lanes: u8,
        reduce: Option<Prim>,
    ) -> Result<(), ExecStop> {
        self.counts.stores += 1;
        self.counts.loads += u64::from(reduce.is_some());
        let at = self.index(at)?;
        for n in 0..lanes {
            let index = at.wrapping_add(n as i64);
            let mut value = self.get(src + n as Reg);
            if let Some(prim) = reduce {
                value = eval(prim, self.load(buf, index)?, value, value)?;
            }
            self.put(buf, index, value)?;
        }
        Ok(())
    }
    fn fuse(&mut self, dst: Reg, [a, b, c]: [Reg; 3], lanes: u8) -> Result<(), ExecStop> {
        for n in 0..lanes as Reg {
            let sum = fused_sum(self.get(a + n), self.get(b + n), self.get(c + n));
            self.set(dst + n, sum.ok_or(ExecStop::Foreign)?);
        }
        Ok(())
    }
    fn store_fused(&mut self, buf: BufId, at: Reg, [a, b]: [Reg; 2], lanes: u8) -> Result<(), ExecStop> {
        self.counts.stores += 1;
        self.counts.loads += 1;
        let at = self.index(at)?;
        for n in 0..lanes as Reg {
            let index = at.wrapping_add(i64::from(n));
            let sum = fused_sum(self.get(a + n), self.get(b + n), self.load(buf, index)?);
            self.put(buf, index, sum.ok_or(ExecStop::Foreign)?)?;
        }
        Ok(())
    }
    fn put(&mut self, buf: BufId, index: i64, value: Scalar) -> Result<(), ExecStop> {
        let done = usize::try_from(index).ok().filter(|&n| self.memory.store(buf, n, value).is_some());
        self.written.write(buf, done.ok_or(ExecStop::Bounds { access: AccessKind::Store, buf, index })?);
        Ok(())
    }
}

/// Applies a primitive; the commonest cases skip the general path.
#[inline]
fn eval(prim: Prim, a: Scalar, b: Scalar, c: Scalar) -> Result<Scalar, ExecStop> {
    match (prim, a, b) {
        (Prim::Add, Scalar::I64(x), Scalar::I64(y)) => return Ok(Scalar::I64(x.wrapping_add(y))),
        (Prim::Mul, Scalar::I64(x), Scalar::I64(y)) => return Ok(Scalar::I64(x.wrapping_mul(y))),
        (Prim::Lt, Scalar::I64(x), Scalar::I64(y)) => return Ok(Scalar::Bool(x < y)),
        (Prim::Eq, Scalar::I64(x), Scalar::I64(y)) => return Ok(Scalar::Bool(x == y)),
        (Prim::Add, Scalar::F64(x), Scalar::F64(y)) => return Ok(Scalar::F64(x + y)),
        (Prim::Mul, Scalar::F64(x), Scalar::F64(y)) => return Ok(Scalar::F64(x * y)),
        _ => {}
    }
    let found = match prim.arity() {
        1 => prim.eval(&[a]),
        2 => prim.eval(&[a, b]),
        _ => prim.eval(&[a, b, c]),
    };
    found.ok_or(ExecStop::Foreign)
}

/// The first line of the `n`-th statement in the order of the listing.
fn statement(kernel: &LoopKernel, n: u32) -> String {
    let (mut left, mut found) = (n, None);
    each_stmt(&kernel.body, &mut |s| {
        if left == 0 {
            found = found.or(Some(s));
        }
        left = left.saturating_sub(1);
    });
    found.map_or_else(String::new, |s| print_stmt(kernel, s))
}
