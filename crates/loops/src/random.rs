//! Random lawful kernels for tests: they end, and never leave their buffers.

use crate::build::*;
use crate::interp::{Limits, VecMemory, run};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use openwork_algebra::{DType, Prim, Scalar};

/// A small deterministic generator (splitmix64).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub(crate) fn number_below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.number_below(from.len())]
    }
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.number_below(100) < percent
    }
}

const DTYPES: [DType; 8] =
    [DType::Bool, DType::I64, DType::I64, DType::I32, DType::U8, DType::F32, DType::F64, DType::C128];
/// Elements in every buffer; indices are below 8 and vectors have up to 4 lanes.
const ROOM: usize = 16;

/// A random kernel with the parameters `n` and `m`.
pub(crate) fn random_kernel(rng: &mut Rng) -> LoopKernel {
    let mut k = LoopKernel::new("random");
    let scope = vec![k.param("n"), k.param("m")];
    for (n, dtype) in DTYPES.into_iter().enumerate() {
        k.buf(format!("in{n}"), dtype, BufRole::In);
        k.buf(format!("out{n}"), dtype, BufRole::Out);
    }
    let w = k.buf("w", DType::I64, BufRole::Temp);
    let mut g = ExprGen { k, rng, free: scope.clone(), scope, reusable: Vec::new(), loops: 0, serial: false };
    let mut body = vec![Stmt::Reserve { buf: w, len: int(ROOM as i64) }];
    body.extend(g.block(3, 6));
    g.k.body = body;
    g.k
}

/// Buffers filled so that a random kernel cannot leave them.
pub(crate) fn random_memory(k: &LoopKernel, rng: &mut Rng) -> VecMemory {
    let mut memory = VecMemory::new(k);
    for (id, b) in k.bufs.iter() {
        if b.role != BufRole::Temp {
            memory.set(id, (0..ROOM).map(|_| random_scalar(b.elem, rng)));
        }
    }
    memory
}

/// Everything that a kernel leaves behind, as text: NaN prints alike, and zeros show their sign.
pub(crate) fn traces(k: &LoopKernel, seed: u64) -> String {
    let mut memory = random_memory(k, &mut Rng::new(seed));
    let status = run(k, &[2, 5], &mut memory, Limits::default());
    let outs = k.bufs.iter().filter(|(_, b)| b.role == BufRole::Out);
    let outs: Vec<_> = outs.map(|(id, _)| (memory.announced_len(id), memory.values(id))).collect();
    format!("{status:?} {outs:?}")
}

/// A value, often one at which algebra is tested.
pub(crate) fn random_scalar(dtype: DType, rng: &mut Rng) -> Scalar {
    match rng.number_below(10) {
        0 => Scalar::zero(dtype),
        1 | 2 => Scalar::one(dtype),
        3 => Scalar::lowest(dtype).unwrap_or(Scalar::one(dtype)),
        4 => Scalar::highest(dtype).unwrap_or(Scalar::zero(dtype)),
        5 => Scalar::from_f64(-0.0, dtype),
        6 => Scalar::from_i64(-1, dtype),
        7 if dtype.is_float() => Scalar::from_f64(f64::NAN, dtype),
        _ => Scalar::from_f64(rng.number_below(200) as f64 / 4.0 - 20.0, dtype),
    }
}

struct ExprGen<'r> {
    k: LoopKernel,
    rng: &'r mut Rng,
    /// Variables that are alive.
    scope: Vec<VarId>,
    /// Those that may be set.
    free: Vec<VarId>,
    /// Dead ones, to be born again.
    reusable: Vec<VarId>,
    loops: usize,
    /// Whether the loop around may be left.
    serial: bool,
}

impl ExprGen<'_> {
    fn block(&mut self, depth: usize, most: usize) -> Vec<Stmt> {
        let (scope, free) = (self.scope.len(), self.free.len());
        let count = self.rng.number_below(most + 1);
        let mut body = Vec::new();
        for _ in 0..count {
            self.stmt(depth, &mut body);
        }
        self.reusable.extend(self.scope.drain(scope..));
        self.free.truncate(free);
        body
    }
    fn ty(&mut self) -> Ty {
        Ty { elem: self.rng.pick(&DTYPES), lanes: self.rng.pick(&[1, 1, 1, 2, 4]) }
    }
    fn stmt(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        match self.rng.number_below(if depth == 0 { 11 } else { 17 }) {
            0..=3 => {
                let old = self.reusable.len();
                let again = old > 0 && self.rng.chance(30);
                let at = self.rng.number_below(old);
                let (mut var, mut ty) = (None, self.ty());
                if again {
                    let v = self.reusable.swap_remove(at);
                    if !self.scope.contains(&v) {
                        (var, ty) = (Some(v), self.k.vars[v].ty);
                    }
                }
                let val = self.expr(ty, 3);
                let var = var.unwrap_or_else(|| self.k.var("t", ty));
                out.push(Stmt::Let { var, val });
                self.scope.push(var);
                if self.rng.chance(50) {
                    self.free.push(var);
                }
            }
            4 | 5 => {
                let var = self.rng.pick(&self.free.clone());
                let val = self.expr(self.k.vars[var].ty, 3);
                out.push(set(var, val));
            }
            6..=8 => out.push(self.store()),
            9 => out.push(Stmt::Note("seen".into())),
            10 => {
                let buf = self.buf(|r| r != BufRole::In);
                let len = call(Prim::And, self.expr(Ty::INDEX, 2), int(15));
                out.push(Stmt::Reserve { buf, len: len.clone() });
                if self.k.bufs[buf].role == BufRole::Out {
                    out.push(Stmt::SetLen { buf, len });
                }
            }
            11 | 12 => out.push(self.for_loop(depth)),
            13 => {
                // A counter that nothing else sets ends the loop.
                let c = self.k.index("c");
                out.push(Stmt::Let { var: c, val: int(0) });
                let cond = and_also(lt(var(c), int(3)), self.expr(Ty::BOOL, 2));
                let mut body = vec![set(c, add(var(c), int(1)))];
                body.extend(self.rounds(true, depth, 3));
                out.push(Stmt::While { cond, body });
            }
            14 if self.serial && self.rng.chance(60) => out.push(Stmt::Break),
            14 if self.rng.chance(20) => out.push(Stmt::Poll),
            14 if self.rng.chance(10) => out.push(Stmt::Fail(crate::nodes::Status::CheckFailed)),
            _ => {
                let cond = self.expr(Ty::BOOL, 3);
                let then = self.block(depth - 1, 3);
                let other = self.block(depth - 1, 2);
                out.push(Stmt::If { cond, then, other });
            }
        }
    }
    /// The body of a loop.
    fn rounds(&mut self, serial: bool, depth: usize, most: usize) -> Vec<Stmt> {
        let outer = std::mem::replace(&mut self.serial, serial);
        let body = self.block(depth - 1, most);
        self.serial = outer;
        body
    }
    fn for_loop(&mut self, depth: usize) -> Stmt {
        let v = self.k.index("i");
        self.loops += 1;
        let lo = if self.rng.chance(50) { int(0) } else { call(Prim::And, self.expr(Ty::INDEX, 2), int(1)) };
        let hi = if self.rng.chance(50) {
            int(self.rng.number_below(4) as i64)
        } else {
            call(Prim::And, self.expr(Ty::INDEX, 2), int(3))
        };
        let before = self.scope.len();
        self.scope.push(v);
        let mode = self.rng.pick(&[LoopMode::Serial, LoopMode::Vector]);
        let body = self.rounds(mode == LoopMode::Serial, depth, 4);
        self.scope.truncate(before);
        let step = self.rng.pick(&[1, 1, 2, 5]);
        Stmt::For { var: v, lo, hi, step, mode, body }
    }
    fn buf(&mut self, fits: impl Fn(BufRole) -> bool) -> BufId {
        let all: Vec<BufId> = self.k.bufs.iter().filter(|(_, b)| fits(b.role)).map(|(id, _)| id).collect();
        self.rng.pick(&all)
    }
    fn store(&mut self) -> Stmt {
        let buf = self.buf(|r| r != BufRole::In);
        let ty = Ty { elem: self.k.bufs[buf].elem, lanes: self.rng.pick(&[1, 1, 4]) };
        let (at, val) = (self.small_index(), self.expr(ty, 4));
        let prims: Vec<Prim> =
            Prim::ALL.into_iter().filter(|p| crate::verify::reduces(*p, ty.elem)).collect();
        let reduce = self.rng.chance(40).then(|| self.rng.pick(&prims));
        Stmt::Store { buf, at, val, reduce }
    }
    /// An index below 8.
    fn small_index(&mut self) -> Expr {
        call(Prim::And, self.expr(Ty::INDEX, 2), int(7))
    }
    fn leaf(&mut self, ty: Ty) -> Expr {
        let known: Vec<VarId> = self.scope.iter().copied().filter(|v| self.k.vars[*v].ty == ty).collect();
        if !known.is_empty() && self.rng.chance(60) {
            return var(self.rng.pick(&known));
        }
        let s = constant(random_scalar(ty.elem, self.rng));
        if ty.lanes == 1 { s } else { Expr::Splat { lanes: ty.lanes, arg: s.into() } }
    }
    fn expr(&mut self, ty: Ty, fuel: usize) -> Expr {
        if fuel == 0 || self.rng.chance(15) {
            return self.leaf(ty);
        }
        let fuel = fuel - 1;
        match self.rng.number_below(10) {
            0 | 1 => self.load(ty),
            2 => {
                let from = Ty { elem: self.rng.pick(&DTYPES), lanes: ty.lanes };
                Expr::Cast { to: ty.elem, arg: self.expr(from, fuel).into() }
            }
            3 if ty.lanes > 1 => {
                let lane = Ty::scalar(ty.elem);
                if self.rng.chance(50) {
                    return Expr::Splat { lanes: ty.lanes, arg: self.expr(lane, fuel).into() };
                }
                Expr::Pack((0..ty.lanes).map(|_| self.expr(lane, fuel)).collect())
            }
            3 => {
                let prims: Vec<Prim> =
                    Prim::ALL.into_iter().filter(|p| crate::verify::reduces(*p, ty.elem)).collect();
                let arg = self.expr(Ty::vector(ty.elem, 4), fuel);
                Expr::Fold { prim: self.rng.pick(&prims), arg: arg.into() }
            }
            4 if ty == Ty::BOOL => Expr::AndAlso(self.expr(ty, fuel).into(), self.expr(ty, fuel).into()),
            _ => self.call(ty, fuel),
        }
    }
    fn load(&mut self, ty: Ty) -> Expr {
        let fits: Vec<BufId> =
            self.k.bufs.iter().filter(|(_, b)| b.elem == ty.elem).map(|(id, _)| id).collect();
        let (buf, at) = (self.rng.pick(&fits), self.small_index());
        if ty.lanes == 1 { load(buf, at) } else { Expr::VLoad { buf, at: at.into(), lanes: ty.lanes } }
    }
    fn call(&mut self, ty: Ty, fuel: usize) -> Expr {
        let prim = self.rng.pick(&Prim::ALL);
        let from = if prim.is_comparison() { self.rng.pick(&DTYPES) } else { ty.elem };
        if prim.result(from) != Some(ty.elem) {
            return self.leaf(ty);
        }
        let operand = Ty { elem: from, lanes: ty.lanes };
        let mut args: Vec<Expr> = (0..prim.arity()).map(|_| self.expr(operand, fuel)).collect();
        if prim == Prim::Select {
            args[0] = self.expr(Ty { elem: DType::Bool, lanes: ty.lanes }, fuel);
        }
        Expr::Call { prim, args }
    }
}

#[test]
fn random_kernels_are_lawful_and_never_fault() {
    for seed in 0..1000 {
        let mut rng = Rng::new(seed);
        let k = random_kernel(&mut rng);
        let mut memory = random_memory(&k, &mut rng);
        if let Err(fault) = run(&k, &[2, 5], &mut memory, Limits::default()) {
            panic!("seed {seed}: {fault}\n{k}");
        }
    }
}
