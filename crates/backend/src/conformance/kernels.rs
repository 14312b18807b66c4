//! Small complete kernels, as lowering would write them.

use super::{assert_same, succeed, zeros};
use crate::Backend;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::build::{
    add, and_also, call, eq, for_each, if_then, int, load, lt, mul, set, store, var,
};
use openwork_loops::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId, VectorOptions, vectorize};

/// `y(i) = A(i,j) * x(j)` over CSR with indices of dtype `index`.
pub fn csr_spmv(index: DType, elem: DType) -> LoopKernel {
    let mut k = LoopKernel::new(format!("spmv_{index}_{elem}"));
    let (pos, crd) = (k.buf("A2_pos", index, BufRole::In), k.buf("A2_crd", index, BufRole::In));
    let (vals, x) = (k.buf("A_vals", elem, BufRole::In), k.buf("x_vals", elem, BufRole::In));
    let y = k.buf("y_vals", elem, BufRole::Out);
    let rows = k.param("rows");
    let (i, p, j) = (k.index("i"), k.index("p"), k.index("j"));
    let sum = k.var("sum", Ty::scalar(elem));
    let product = call(Prim::Mul, load(vals, var(p)), load(x, var(j)));
    let inner = vec![
        Stmt::Let { var: j, val: k.load_index(crd, var(p)) },
        set(sum, call(Prim::Add, var(sum), product)),
    ];
    let (lo, hi) = (k.load_index(pos, var(i)), k.load_index(pos, add(var(i), int(1))));
    k.body = vec![for_each(
        i,
        int(0),
        var(rows),
        vec![
            Stmt::Let { var: sum, val: Expr::Const(Scalar::zero(elem)) },
            for_each(p, lo, hi, inner),
            store(y, var(i), var(sum)),
        ],
    )];
    k
}

/// [`csr_spmv`] with its inner loop expanded into vectors of `bytes`.
pub fn csr_spmv_vectors(index: DType, elem: DType, bytes: usize) -> LoopKernel {
    fn mark(stmts: &mut [Stmt]) {
        for s in stmts {
            if let Stmt::For { mode, body, .. } = s {
                mark(body);
                *mode = if body.iter().any(|s| matches!(s, Stmt::For { .. })) {
                    LoopMode::Serial
                } else {
                    LoopMode::Vector
                };
            }
        }
    }
    let mut k = csr_spmv(index, elem);
    mark(&mut k.body);
    let (mut k, _) = vectorize(k, &VectorOptions::new(bytes));
    k.name = format!("spmv_vectors_{bytes}");
    k
}

/// Expanded loops mean the same, for rows shorter and longer than a round.
pub fn vectorised_spmv(b: &dyn Backend) {
    let bytes = b.target().vector_bytes;
    for elem in [DType::F64, DType::F32, DType::I64, DType::I32] {
        let k = csr_spmv_vectors(DType::I32, elem, bytes);
        let lengths: Vec<i64> = (0..70).collect();
        let mut pos = vec![0i64];
        lengths.iter().for_each(|n| pos.push(pos[pos.len() - 1] + n));
        let nnz = pos[pos.len() - 1];
        let crd: Vec<i64> = (0..nnz).map(|p| p * 7 % 50).collect();
        let vals: Vec<i64> = (0..nnz).map(|p| p % 5 - 2).collect();
        let x: Vec<i64> = (0..50).map(|j| j % 9 - 4).collect();
        let sum =
            |i: usize| (pos[i]..pos[i + 1]).map(|p| vals[p as usize] * x[crd[p as usize] as usize]).sum();
        let wanted: Vec<i64> = (0..lengths.len()).map(sum).collect();
        let (p, c) = (column(DType::I32, &pos), column(DType::I32, &crd));
        let bufs = [p, c, column(elem, &vals), column(elem, &x), zeros(elem, lengths.len())];
        let got = succeed(b, &k, &bufs, &[lengths.len() as i64]);
        assert_same(&k.name, &got.bufs[4], &column(elem, &wanted));
    }
}

fn column(elem: DType, values: &[i64]) -> Vec<Scalar> {
    values.iter().map(|n| Scalar::from_i64(*n, elem)).collect()
}

/// SpMV for every index width and several value dtypes.
pub fn spmv_over_csr(b: &dyn Backend) {
    for index in [DType::I32, DType::I64, DType::U8] {
        for elem in [DType::F64, DType::F32, DType::C128, DType::I32, DType::Bool] {
            let k = csr_spmv(index, elem);
            let pos = column(index, &[0, 2, 2, 5]);
            let crd = column(index, &[0, 3, 1, 2, 3]);
            let vals = column(elem, &[1, 2, 3, 4, 5]);
            let x = column(elem, &[1, 0, 2, 1]);
            let got = succeed(b, &k, &[pos, crd, vals, x, column(elem, &[1, 1, 1])], &[3]);
            let wanted = if elem == DType::Bool { [1, 0, 1] } else { [3, 0, 13] };
            assert_same(&k.name, &got.bufs[4], &column(elem, &wanted));
        }
    }
}

/// One compressed operand of a merge.
struct MergeSide {
    pos: BufId,
    crd: BufId,
    vals: BufId,
    at: VarId,
    end: VarId,
    here: VarId,
}

impl MergeSide {
    fn new(k: &mut LoopKernel, name: &str) -> MergeSide {
        MergeSide {
            pos: k.buf(format!("{name}1_pos"), DType::I32, BufRole::In),
            crd: k.buf(format!("{name}1_crd"), DType::I32, BufRole::In),
            vals: k.buf(format!("{name}_vals"), DType::F64, BufRole::In),
            at: k.index(&format!("p{name}")),
            end: k.index(&format!("p{name}_end")),
            here: k.index(&format!("i{name}")),
        }
    }
    fn start(&self, k: &LoopKernel) -> [Stmt; 2] {
        [
            Stmt::Let { var: self.at, val: k.load_index(self.pos, int(0)) },
            Stmt::Let { var: self.end, val: k.load_index(self.pos, int(1)) },
        ]
    }
    fn more(&self) -> Expr {
        lt(var(self.at), var(self.end))
    }
    fn coordinate(&self, k: &LoopKernel) -> Stmt {
        Stmt::Let { var: self.here, val: k.load_index(self.crd, var(self.at)) }
    }
    fn value(&self) -> Expr {
        load(self.vals, var(self.at))
    }
    fn step_if(&self, cond: Expr) -> Vec<Stmt> {
        if_then(cond, vec![set(self.at, add(var(self.at), int(1)))])
    }
}

/// The output of a merge.
struct Appended {
    crd: BufId,
    vals: BufId,
    n: VarId,
}

impl Appended {
    fn append(&self, k: &LoopKernel, i: VarId, value: Expr) -> Vec<Stmt> {
        let room = add(var(self.n), int(1));
        vec![
            Stmt::Reserve { buf: self.crd, len: room.clone() },
            Stmt::Reserve { buf: self.vals, len: room },
            k.store_index(self.crd, var(self.n), var(i)),
            store(self.vals, var(self.n), value),
            set(self.n, add(var(self.n), int(1))),
        ]
    }
}

/// `c(i) = a(i) + b(i)`, all sparse vectors; the output is appended and grows.
pub fn sparse_add() -> LoopKernel {
    let mut k = LoopKernel::new("sparse_add");
    let (a, b) = (MergeSide::new(&mut k, "a"), MergeSide::new(&mut k, "b"));
    let crd = k.buf("c1_crd", DType::I32, BufRole::Out);
    let vals = k.buf("c_vals", DType::F64, BufRole::Out);
    let pos = k.buf("c1_pos", DType::I32, BufRole::Out);
    let c = Appended { crd, vals, n: k.index("pc") };
    let i = k.index("i");
    let is = |s: &MergeSide| eq(var(s.here), var(i));
    let sum = call(Prim::Add, a.value(), b.value());
    let only_b = if_then(is(&b), c.append(&k, i, b.value()));
    let only_a = Stmt::If { cond: is(&a), then: c.append(&k, i, a.value()), other: only_b };
    let both = Stmt::If { cond: and_also(is(&a), is(&b)), then: c.append(&k, i, sum), other: vec![only_a] };
    let mut merge = vec![a.coordinate(&k), b.coordinate(&k)];
    merge.push(Stmt::Let { var: i, val: call(Prim::Min, var(a.here), var(b.here)) });
    merge.push(both);
    merge.extend(a.step_if(is(&a)));
    merge.extend(b.step_if(is(&b)));
    let mut body = vec![Stmt::Let { var: c.n, val: int(0) }];
    body.extend(a.start(&k).into_iter().chain(b.start(&k)));
    body.push(Stmt::While { cond: and_also(a.more(), b.more()), body: merge });
    for s in [&a, &b] {
        let mut rest = vec![s.coordinate(&k)];
        rest.extend(c.append(&k, s.here, s.value()));
        rest.push(set(s.at, add(var(s.at), int(1))));
        body.push(Stmt::While { cond: s.more(), body: rest });
    }
    body.push(Stmt::SetLen { buf: c.crd, len: var(c.n) });
    body.push(Stmt::SetLen { buf: c.vals, len: var(c.n) });
    body.push(k.store_index(pos, int(1), var(c.n)));
    k.body = body;
    k
}

/// Sparse vector addition: the classic two-way merge.
pub fn sparse_addition_with_appended_output(b: &dyn Backend) {
    let k = sparse_add();
    let (i32s, f64s) = (|v: &[i64]| column(DType::I32, v), |v: &[i64]| column(DType::F64, v));
    let cases: [(&[i64], &[i64]); 5] =
        [(&[0, 2, 5, 9], &[1, 2, 9, 10, 11]), (&[], &[3]), (&[3], &[]), (&[], &[]), (&[1, 2], &[1, 2])];
    for (left, right) in cases {
        let (av, bv): (Vec<i64>, Vec<i64>) =
            (left.iter().map(|i| 10 + i).collect(), right.iter().map(|i| 200 + i).collect());
        let bufs = [
            i32s(&[0, left.len() as i64]),
            i32s(left),
            f64s(&av),
            i32s(&[0, right.len() as i64]),
            i32s(right),
            f64s(&bv),
            vec![],
            vec![],
            zeros(DType::I32, 2),
        ];
        let got = succeed(b, &k, &bufs, &[]);
        let mut sum = std::collections::BTreeMap::new();
        for (i, v) in left.iter().zip(&av).chain(right.iter().zip(&bv)) {
            *sum.entry(*i).or_insert(0) += v;
        }
        let n = sum.len();
        assert_eq!((got.lens[6], got.lens[7]), (Some(n as u64), Some(n as u64)));
        assert_same("crd", &got.bufs[6][..n], &i32s(&sum.keys().copied().collect::<Vec<_>>()));
        assert_same("vals", &got.bufs[7][..n], &f64s(&sum.values().copied().collect::<Vec<_>>()));
        assert_same("pos", &got.bufs[8], &i32s(&[0, n as i64]));
    }
}

/// Insertion sort of the input inside a temporary, then a copy out.
pub fn sort_in_a_temporary(b: &dyn Backend) {
    let mut k = LoopKernel::new("insertion_sort");
    let (x, temp) = (k.buf("x", DType::I16, BufRole::In), k.buf("temp", DType::I16, BufRole::Temp));
    let out = k.buf("out", DType::I16, BufRole::Out);
    let n = k.param("n");
    let (i, j) = (k.index("i"), k.index("j"));
    let v = k.var("v", Ty::scalar(DType::I16));
    let before = add(var(j), int(-1));
    let shift = Stmt::While {
        cond: and_also(lt(int(0), var(j)), call(Prim::Gt, load(temp, before.clone()), var(v))),
        body: vec![store(temp, var(j), load(temp, before.clone())), set(j, before)],
    };
    let copy = store(out, add(mul(var(i), int(2)), int(1)), load(temp, var(i)));
    k.body = vec![
        Stmt::Reserve { buf: temp, len: var(n) },
        for_each(
            i,
            int(0),
            var(n),
            vec![
                Stmt::Let { var: v, val: load(x, var(i)) },
                Stmt::Let { var: j, val: var(i) },
                shift,
                store(temp, var(j), var(v)),
            ],
        ),
        for_each(i, int(0), var(n), vec![copy]),
    ];
    let values = [5i64, -3, 32767, 5, 0, -32768, 9, 1];
    let got = succeed(b, &k, &[column(DType::I16, &values), vec![], zeros(DType::I16, 16)], &[8]);
    let mut sorted = values;
    sorted.sort_unstable();
    let spread: Vec<i64> = sorted.iter().flat_map(|v| [0, *v]).collect();
    assert_same(&k.name, &got.bufs[2], &column(DType::I16, &spread));
}
