//! Random kernels, compared with the interpreter.
//!
//! Float leaves are small multiples of a half and trees are shallow, so that sums of products are exact and a
//! backend that contracts them into fused operations must still agree to the last bit.

use super::{assert_same, execute};
use crate::harness::Growth;
use crate::{Backend, InterpBackend};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::build::{add, and_also, call, constant, int, load, lt, mul, set, store, var};
use openwork_loops::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};

/// Elements per buffer: more than any index below plus any vector.
const ROOM: i64 = 192;
const DTYPES: [DType; 9] = [
    DType::Bool,
    DType::I8,
    DType::I32,
    DType::I64,
    DType::U16,
    DType::U64,
    DType::F32,
    DType::F64,
    DType::C128,
];

struct KernelGen<'b> {
    backend: &'b dyn Backend,
    state: u64,
    k: LoopKernel,
    inputs: Vec<BufId>,
    outputs: Vec<BufId>,
}

impl KernelGen<'_> {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 8
    }
    fn number_below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.number_below(from.len())]
    }
    fn value(&mut self, elem: DType) -> Scalar {
        let half = self.number_below(15) as f64 / 2.0 - 3.5;
        let whole = self.next() as i64;
        if elem.is_int() { Scalar::from_i64(whole, elem) } else { Scalar::from_f64(half, elem) }
    }
    /// An index below 64, from a variable in `0..48`.
    fn index(&mut self, i: VarId) -> Expr {
        match self.number_below(4) {
            0 => var(i),
            1 => add(var(i), int(self.number_below(16) as i64)),
            2 => add(add(var(i), int(20)), int(-(self.number_below(20) as i64))),
            _ => int(self.number_below(64) as i64),
        }
    }
    fn leaf(&mut self, ty: Ty, i: VarId) -> Expr {
        let at = Box::new(self.index(i));
        let n = DTYPES.iter().position(|d| *d == ty.elem).expect("a generated dtype");
        let buf = self.inputs[n];
        if ty.lanes > 1 {
            return match self.number_below(3) {
                0 => Expr::Splat { lanes: ty.lanes, arg: Box::new(self.leaf(Ty::scalar(ty.elem), i)) },
                1 => Expr::Pack((0..ty.lanes).map(|_| self.leaf(Ty::scalar(ty.elem), i)).collect()),
                _ => Expr::VLoad { buf, at, lanes: ty.lanes },
            };
        }
        match self.number_below(5) {
            0 => constant(self.value(ty.elem)),
            1 => {
                let buf = self.inputs[0];
                Expr::Cast { to: ty.elem, arg: Box::new(Expr::Load { buf, at }) }
            }
            _ => Expr::Load { buf, at },
        }
    }
    /// A tree of type `ty`.
    fn expr(&mut self, ty: Ty, depth: usize, i: VarId) -> Expr {
        if depth == 0 || self.number_below(6) == 0 {
            return self.leaf(ty, i);
        }
        if ty == Ty::BOOL {
            let of = Ty::scalar(self.pick(&DTYPES));
            let pool = [Prim::Eq, Prim::Ne, Prim::Lt, Prim::Le, Prim::Gt, Prim::Ge];
            let prim = self.pick(&pool);
            if self.number_below(3) == 0 {
                return and_also(self.expr(ty, depth - 1, i), self.expr(ty, depth - 1, i));
            }
            if prim.result(of.elem).is_some() {
                return call(prim, self.expr(of, 1, i), self.expr(of, 1, i));
            }
        }
        let prim = self.pick(&Prim::ALL);
        // Quotients are not exact.
        if prim == Prim::Div || prim.result(ty.elem) != Some(ty.elem) {
            return self.leaf(ty, i);
        }
        let mut args: Vec<Expr> = (0..prim.arity()).map(|_| self.expr(ty, depth - 1, i)).collect();
        if prim == Prim::Select {
            args[0] = match ty.lanes {
                1 => self.expr(Ty::BOOL, 1, i),
                _ => call(Prim::Eq, self.leaf(ty, i), self.leaf(ty, i)),
            };
        }
        Expr::Call { prim, args }
    }
    /// One store of a random tree to a random output.
    fn store(&mut self, i: VarId) -> Stmt {
        let n = self.number_below(DTYPES.len());
        let lanes = self.backend.lanes(DTYPES[n]);
        let lanes =
            if lanes.is_empty() || n == 0 || self.number_below(2) == 0 { 1 } else { self.pick(&lanes) };
        let ty = Ty::vector(DTYPES[n], lanes);
        let val = self.expr(ty, 2, i);
        let buf = self.outputs[n];
        if lanes > 1 && DTYPES[n].is_int() && self.number_below(4) == 0 {
            let prim = self.pick(&[Prim::Add, Prim::Mul, Prim::Min, Prim::Max, Prim::Xor]);
            return store(buf, self.index(i), Expr::Fold { prim, arg: Box::new(val) });
        }
        let reduce = [Prim::Add, Prim::Mul, Prim::Max, Prim::Or];
        let reduce = self.pick(&reduce);
        let exact = DTYPES[n].is_int() && self.number_below(3) == 0;
        Stmt::Store { buf, at: self.index(i), val, reduce: exact.then_some(reduce) }
    }
    /// Leaves a loop, now and then.
    fn leave(&mut self, i: VarId) -> Option<Stmt> {
        let cond = self.expr(Ty::BOOL, 2, i);
        (self.number_below(4) == 0).then(|| Stmt::If { cond, then: vec![Stmt::Break], other: Vec::new() })
    }
    fn block(&mut self, depth: usize, i: VarId) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..1 + self.number_below(4) {
            match self.number_below(if depth == 0 { 2 } else { 6 }) {
                0..=2 => body.push(self.store(i)),
                3 => {
                    let cond = self.expr(Ty::BOOL, 2, i);
                    body.push(Stmt::If {
                        cond,
                        then: self.block(depth - 1, i),
                        other: self.block(depth - 1, i),
                    });
                }
                4 => {
                    let j = self.k.index("j");
                    let (lo, hi) = (int(self.number_below(5) as i64), int(self.number_below(24) as i64));
                    let step = 1 + self.number_below(3) as i64;
                    let mut body_of = self.block(depth - 1, j);
                    body_of.extend(self.leave(j));
                    body_of.extend(self.block(0, j));
                    body.push(Stmt::For { var: j, lo, hi, step, mode: LoopMode::Serial, body: body_of });
                }
                _ => {
                    let (j, mut inner) = (self.k.index("w"), Vec::new());
                    inner.extend(self.block(depth - 1, j));
                    inner.extend(self.leave(j));
                    inner.push(set(j, add(mul(var(j), int(2)), int(1))));
                    body.push(Stmt::Let { var: j, val: var(i) });
                    body.push(Stmt::While { cond: lt(var(j), int(48)), body: inner });
                }
            }
        }
        body
    }
}

/// Random kernels leave the same memory behind as the interpreter.
pub fn random_kernels_agree_with_the_interpreter(backend: &dyn Backend) {
    let oracle = InterpBackend::new();
    for seed in 1..=30u64 {
        let k = LoopKernel::new(format!("random_{seed}"));
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut g = KernelGen { backend, state, k, inputs: Vec::new(), outputs: Vec::new() };
        for (role, name) in [(BufRole::In, "in"), (BufRole::Out, "out")] {
            let bufs: Vec<BufId> = DTYPES.iter().map(|d| g.k.buf(format!("{name}_{d}"), *d, role)).collect();
            if role == BufRole::In { g.inputs = bufs } else { g.outputs = bufs }
        }
        let i = g.k.param("n");
        let mut body = Vec::new();
        for _ in 0..4 {
            body.extend(g.block(3, i));
        }
        body.push(store(g.outputs[0], var(i), load(g.inputs[0], var(i))));
        g.k.body = body;
        let bufs: Vec<Vec<Scalar>> =
            (0..2).flat_map(|_| DTYPES).map(|d| (0..ROOM).map(|_| g.value(d)).collect()).collect();
        let wanted = execute(&oracle, &g.k, &bufs, &[seed as i64], Growth::Failing);
        let got = execute(backend, &g.k, &bufs, &[seed as i64], Growth::Failing);
        for (d, (got, wanted)) in DTYPES.iter().zip(got.bufs.iter().zip(&wanted.bufs).skip(DTYPES.len())) {
            assert_same(&format!("random kernel {seed}, {d}"), got, wanted);
        }
    }
}
