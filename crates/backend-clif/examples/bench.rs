//! Cranelift against `gcc -O3 -march=native -ffast-math` on loops written by hand in loop IR.
//!
//! `cargo run --release -p openwork-backend-clif --example bench [-- asm]`; with `asm` it prints the machine code.

use openwork_algebra::{DType, Prim};
use openwork_backend::abi::{BufferArg, Call, EntryPoint, RawCall};
use openwork_backend::conformance::{csr_spmv, csr_spmv_vectors};
use openwork_backend::{Backend, Compiled};
use openwork_backend_clif::ClifBackend;
use openwork_loops::build::{add, for_each, int, load, mul, var};
use openwork_loops::{BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const K: i64 = 32;
static NEVER: AtomicBool = AtomicBool::new(false);

const C: &str = "
#include <stdint.h>
typedef struct { void *ptr; uint64_t cap, len; } buf;
typedef struct { buf *bufs; const int64_t *params; } call;
int32_t spmv(call *c) {
    int64_t rows = c->params[0];
    const int32_t *restrict pos = c->bufs[0].ptr, *restrict crd = c->bufs[1].ptr;
    const double *restrict vals = c->bufs[2].ptr, *restrict x = c->bufs[3].ptr;
    double *restrict y = c->bufs[4].ptr;
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t p = pos[i]; p < pos[i + 1]; p++) sum += vals[p] * x[crd[p]];
        y[i] = sum;
    }
    return 0;
}
int32_t spmm(call *c) {
    int64_t rows = c->params[0], K = c->params[1];
    const int32_t *restrict pos = c->bufs[0].ptr, *restrict crd = c->bufs[1].ptr;
    const double *restrict vals = c->bufs[2].ptr, *restrict x = c->bufs[3].ptr;
    double *restrict y = c->bufs[4].ptr;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = pos[i]; p < pos[i + 1]; p++) {
            int64_t j = crd[p];
            for (int64_t k = 0; k < K; k++) y[i * K + k] += vals[p] * x[j * K + k];
        }
    return 0;
}
";

/// `y(i,k) += A(i,j) * x(j,k)`, row by row, with `unroll` vectors of two lanes at a time.
fn spmm(unroll: u8) -> LoopKernel {
    let mut k = LoopKernel::new(format!("spmm_x{unroll}"));
    let (pos, crd) = (k.buf("pos", DType::I32, BufRole::In), k.buf("crd", DType::I32, BufRole::In));
    let (vals, x) = (k.buf("vals", DType::F64, BufRole::In), k.buf("x", DType::F64, BufRole::In));
    let y = k.buf("y", DType::F64, BufRole::Out);
    let (rows, width) = (k.param("rows"), k.param("width"));
    let (i, p, c) = (k.index("i"), k.index("p"), k.index("c"));
    let (from, to) = (k.index("from"), k.index("to"));
    let a = k.var("a", Ty::vector(DType::F64, 2));
    let step = 2 * i64::from(unroll);
    let at = |row, n: i64| add(add(var(row), var(c)), int(n));
    let one = |n: i64| {
        let loaded = Expr::VLoad { buf: x, at: Box::new(at(from, n)), lanes: 2 };
        let val = Expr::Call { prim: Prim::Mul, args: vec![var(a), loaded] };
        Stmt::Store { buf: y, at: at(to, n), val, reduce: Some(Prim::Add) }
    };
    let axpy = Stmt::For {
        var: c,
        lo: int(0),
        hi: var(width),
        step,
        mode: LoopMode::Serial,
        body: (0..i64::from(unroll)).map(|n| one(2 * n)).collect(),
    };
    let body = vec![
        Stmt::Let { var: from, val: mul(k.load_index(crd, var(p)), var(width)) },
        Stmt::Let { var: a, val: Expr::Splat { lanes: 2, arg: Box::new(load(vals, var(p))) } },
        axpy,
    ];
    let bound = |k: &LoopKernel, at: Expr| k.load_index(pos, at);
    let nest = for_each(p, bound(&k, var(i)), bound(&k, add(var(i), int(1))), body);
    k.body =
        vec![for_each(i, int(0), var(rows), vec![Stmt::Let { var: to, val: mul(var(i), var(width)) }, nest])];
    k
}

/// A random CSR matrix with a dense operand, and room for the result.
struct SpmvInput {
    pos: Vec<i32>,
    crd: Vec<i32>,
    vals: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    params: [i64; 2],
}

impl SpmvInput {
    fn new(rows: usize, per_row: usize, width: usize) -> SpmvInput {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        let nnz = rows * per_row;
        SpmvInput {
            pos: (0..=rows).map(|i| (i * per_row) as i32).collect(),
            crd: (0..nnz).map(|_| (next() % rows) as i32).collect(),
            vals: (0..nnz).map(|n| n as f64 / 1e3).collect(),
            x: (0..rows * width).map(|n| n as f64 / 7.0).collect(),
            y: vec![0.0; rows * width],
            params: [rows as i64, width as i64],
        }
    }
    fn slots(&mut self) -> [BufferArg; 5] {
        let slot = |ptr: *mut u8, cap: usize| BufferArg { ptr, cap: cap as u64, len: 0 };
        [
            slot(self.pos.as_mut_ptr().cast(), self.pos.len()),
            slot(self.crd.as_mut_ptr().cast(), self.crd.len()),
            slot(self.vals.as_mut_ptr().cast(), self.vals.len()),
            slot(self.x.as_mut_ptr().cast(), self.x.len()),
            slot(self.y.as_mut_ptr().cast(), self.y.len()),
        ]
    }
    fn time(&mut self, n_params: usize, rounds: usize, run: &dyn Fn(&mut Call<'_>)) -> f64 {
        let params = self.params;
        let mut slots = self.slots();
        let mut call = Call::new(&mut slots, &params[..n_params], no_growth, std::ptr::null_mut(), &NEVER);
        let start = Instant::now();
        for _ in 0..rounds {
            run(&mut call);
        }
        start.elapsed().as_secs_f64() / rounds as f64
    }
}

/// # Safety
/// None of these kernels grows a buffer.
unsafe extern "C" fn no_growth(_: *mut RawCall, _: u64, _: u64) -> i32 {
    1
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn compare(name: &str, code: &dyn Compiled, c: EntryPoint, n_params: usize, mut input: SpmvInput) {
    // SAFETY: `SpmvInput` holds the buffers of these kernels, with indices in range.
    let ours = |call: &mut Call<'_>| drop(unsafe { code.run(call) });
    // SAFETY: the C function follows the calling convention, for the same buffers.
    let theirs = |call: &mut Call<'_>| assert_eq!(unsafe { c(&mut call.raw) }, 0);
    input.time(n_params, 1, &ours);
    let mine = std::mem::replace(&mut input.y, vec![0.0; input.x.len()]);
    input.time(n_params, 1, &theirs);
    for (a, b) in mine.iter().zip(&input.y) {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{name}: {a} and {b}");
    }
    let once = input.time(n_params, 3, &theirs);
    let rounds = (0.02 / once).ceil() as usize;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        a.push(input.time(n_params, rounds, &ours));
        b.push(input.time(n_params, rounds, &theirs));
    }
    let (a, b) = (median(a), median(b));
    println!("{name:28} clif {:9.1} us   gcc {:9.1} us   ratio {:.2}", a * 1e6, b * 1e6, a / b);
}

fn latency(backend: &ClifBackend, k: &LoopKernel) {
    let times = (0..21).map(|_| {
        let start = Instant::now();
        drop(backend.compile(k).expect("valid"));
        start.elapsed().as_secs_f64()
    });
    let all: Vec<f64> = times.collect();
    println!(
        "{:28} compile: first {:.2} ms, median {:.2} ms",
        k.name,
        all[0] * 1e3,
        median(all.clone()) * 1e3
    );
}

fn main() {
    let backend = ClifBackend::new().expect("a known machine");
    let kernels =
        [csr_spmv(DType::I32, DType::F64), spmm(1), spmm(4), csr_spmv_vectors(DType::I32, DType::F64, 16)];
    if std::env::args().any(|a| a == "asm") {
        for k in &kernels {
            println!("{}\n{}", backend.listing(k).expect("valid"), backend.disassembly(k).expect("valid"));
        }
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (dir.path().join("c.c"), dir.path().join("c.so"));
    std::fs::write(&source, C).expect("written");
    let flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-o"];
    let status = std::process::Command::new("gcc").args(flags).arg(&object).arg(&source).status();
    assert!(status.expect("gcc runs").success());
    // SAFETY: made from the text above, which has no initialisers.
    let library = unsafe { libloading::Library::new(&object) }.expect("loaded");
    // SAFETY: both functions follow the calling convention.
    let get = |name: &str| unsafe { *library.get::<EntryPoint>(name.as_bytes()).expect("a function") };
    for k in kernels.iter().chain([&openwork_backend::conformance::sparse_add()]) {
        latency(&backend, k);
    }
    let codes: Vec<_> = kernels.iter().map(|k| backend.compile(k).expect("valid")).collect();
    for (name, rows, per_row) in [("L2", 8_000, 8), ("large", 1_000_000, 10), ("long rows, L2", 500, 100)] {
        compare(&format!("spmv {name}"), &*codes[0], get("spmv"), 1, SpmvInput::new(rows, per_row, 1));
        compare(
            &format!("spmv {name}, vectors"),
            &*codes[3],
            get("spmv"),
            1,
            SpmvInput::new(rows, per_row, 1),
        );
    }
    for width in [8, K as usize, 128] {
        for (n, code) in codes[1..3].iter().enumerate() {
            let name = format!("spmm K={width} f64x2 x{}", [1, 4][n]);
            compare(&name, &**code, get("spmm"), 2, SpmvInput::new(20_000, 10, width));
        }
    }
}
