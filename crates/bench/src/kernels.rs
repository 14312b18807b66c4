//! Generated kernels beside the same loops in C.

use crate::Text;
use crate::inputs;
use crate::peers::CompiledPeers;
use crate::timing::{Effort, TimedSubject, interleave};
use openwork::{
    BackendKind, Buffer, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Tensor, presets,
};
use std::time::{Duration, Instant};

/// One comparison: a statement, its operands, and the C loop as a closure over a result array.
struct KernelCase<'a> {
    name: String,
    statement: &'static str,
    operands: Vec<(&'static str, &'a Tensor)>,
    result: Decl,
    /// Runs the C loop and returns its time; fills the given values when asked to.
    peer: Box<dyn FnMut() -> (Duration, f64) + 'a>,
}

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}
fn ptr<T: openwork_storage::Element>(b: &Buffer) -> *const T {
    b.as_slice::<T>().expect("the bench packs f64 values, i64 positions and i32 coordinates").as_ptr()
}
fn pos(t: &Tensor, level: usize) -> *const i64 {
    ptr(&t.level(level).arrays[0])
}
fn crd(t: &Tensor, level: usize) -> *const i32 {
    let arrays = &t.level(level).arrays;
    ptr(&arrays[arrays.len() - 1])
}
fn vals(t: &Tensor) -> *const f64 {
    ptr(t.vals())
}
fn checksum(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// Runs every case whose name contains `filter`.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let peers = CompiledPeers::compile()?;
    let sessions = [text(Session::new(BackendKind::Clif))?, text(Session::new(BackendKind::C))?];
    println!("medians in ms; ratio = ours / gcc {}", crate::peers::FLAGS[..3].join(" "));
    println!("{:<34} {:>9} {:>9} {:>7} {:>9} {:>7}", "kernel", "gcc", "clif", "ratio", "c", "ratio");
    let wanted = |name: &str| filter.is_none_or(|f| name.contains(f));
    matrices(&peers, effort, &sessions, &wanted)?;
    tensors(&peers, effort, &sessions, &wanted)
}

fn matrices(
    peers: &CompiledPeers,
    effort: Effort,
    sessions: &[Session],
    wanted: &dyn Fn(&str) -> bool,
) -> Text<()> {
    let small = effort == Effort::Quick;
    let side = if small { 100 } else { 1000 };
    let n = if small { 2000 } else { 200_000 };
    let inputs = [
        ("stencil", text(inputs::stencil(side))?, text(inputs::stencil(side))?),
        ("uniform", text(inputs::uniform(n, 10, 3))?, text(inputs::uniform(n, 10, 4))?),
        ("uniform-L2", text(inputs::uniform(5000, 10, 5))?, text(inputs::uniform(5000, 10, 6))?),
        ("rows-of-40", text(inputs::uniform(n / 8, 40, 7))?, text(inputs::uniform(n / 8, 40, 8))?),
    ];
    for (name, a, b) in &inputs {
        let (csr, other) = (
            text(inputs::pack_with_zero(a, &presets::csr()))?,
            text(inputs::pack_with_zero(b, &presets::csr()))?,
        );
        let coo = text(inputs::pack_with_zero(a, &presets::coo(2)))?;
        let rows = csr.shape()[0];
        let x = text(inputs::dense(&[rows], 9))?;
        run_case(spmv_csr(peers, name, &csr, &x), effort, sessions, wanted)?;
        run_case(spmv_coo(peers, name, &coo, &x), effort, sessions, wanted)?;
        for k in [32, 128] {
            let label = format!("SpMM {k} csr {name}");
            if wanted(&label) && !(*name == "stencil" && k == 128 && !small) {
                let dense = text(inputs::dense(&[rows, k], 10))?;
                run_case(spmm(peers, label, &csr, &dense, k), effort, sessions, wanted)?;
            }
        }
        run_case(add(peers, name, &csr, &other), effort, sessions, wanted)?;
    }
    Ok(())
}

fn tensors(
    peers: &CompiledPeers,
    effort: Effort,
    sessions: &[Session],
    wanted: &dyn Fn(&str) -> bool,
) -> Text<()> {
    let (shape, nnz) = match effort {
        Effort::Quick => ([200, 300, 400], 20_000),
        Effort::Full | Effort::Long => ([2000, 3000, 4000], 5_000_000),
    };
    let coo = text(inputs::tensor(shape, nnz, 11))?;
    let csf = text(inputs::pack_with_zero(&coo, &presets::csf(3)))?;
    drop(coo);
    let (b, c) = (text(inputs::dense(&[shape[1], 32], 12))?, text(inputs::dense(&[shape[2], 32], 13))?);
    let x = text(inputs::dense(&[shape[2]], 14))?;
    run_case(mttkrp(peers, &csf, &b, &c), effort, sessions, wanted)?;
    run_case(ttv(peers, &csf, &x), effort, sessions, wanted)
}

fn spmv_csr<'a>(peers: &'a CompiledPeers, name: &str, a: &'a Tensor, x: &'a Tensor) -> KernelCase<'a> {
    type F = unsafe extern "C" fn(i64, *const i64, *const i32, *const f64, *const f64, *mut f64);
    // SAFETY: the signature is that of peers.c.
    let f: F = unsafe { peers.get("spmv_csr") };
    let n = a.shape()[0];
    let mut y = vec![0.0; n];
    let peer = move || {
        let start = Instant::now();
        // SAFETY: the arrays of a checked CSR matrix; `y` has one element per row.
        unsafe { f(n as i64, pos(a, 1), crd(a, 1), vals(a), vals(x), y.as_mut_ptr()) };
        (start.elapsed(), checksum(&y))
    };
    KernelCase {
        name: format!("SpMV csr {name}"),
        statement: "y(i) = A(i,j) * x(j)",
        operands: vec![("A", a), ("x", x)],
        result: Decl::default(),
        peer: Box::new(peer),
    }
}

fn spmv_coo<'a>(peers: &'a CompiledPeers, name: &str, a: &'a Tensor, x: &'a Tensor) -> KernelCase<'a> {
    type F = unsafe extern "C" fn(i64, *const i32, *const i32, *const f64, *const f64, *mut f64);
    // SAFETY: the signature is that of peers.c.
    let f: F = unsafe { peers.get("spmv_coo") };
    let mut y = vec![0.0; a.shape()[0]];
    let peer = move || {
        let start = Instant::now();
        y.fill(0.0);
        // SAFETY: the arrays of a checked COO matrix; `y` has one element per row.
        unsafe { f(a.slots() as i64, crd(a, 0), crd(a, 1), vals(a), vals(x), y.as_mut_ptr()) };
        (start.elapsed(), checksum(&y))
    };
    KernelCase {
        name: format!("SpMV coo {name}"),
        statement: "y(i) = A(i,j) * x(j)",
        operands: vec![("A", a), ("x", x)],
        result: Decl::default(),
        peer: Box::new(peer),
    }
}

fn spmm<'a>(
    peers: &'a CompiledPeers,
    name: String,
    a: &'a Tensor,
    b: &'a Tensor,
    k: usize,
) -> KernelCase<'a> {
    type F = unsafe extern "C" fn(i64, i64, *const i64, *const i32, *const f64, *const f64, *mut f64);
    // SAFETY: the signature is that of peers.c.
    let f: F = unsafe { peers.get("spmm_csr") };
    let n = a.shape()[0];
    let mut c = vec![0.0; n * k];
    let operand = b.clone();
    let peer = move || {
        let start = Instant::now();
        c.fill(0.0);
        // SAFETY: the arrays of a checked CSR matrix; `c` has one row of `k` per row of `a`.
        unsafe { f(n as i64, k as i64, pos(a, 1), crd(a, 1), vals(a), vals(&operand), c.as_mut_ptr()) };
        (start.elapsed(), checksum(&c))
    };
    KernelCase {
        name,
        statement: "C(i,k) = A(i,j) * B(j,k)",
        operands: vec![("A", a), ("B", b)],
        result: Decl::default(),
        peer: Box::new(peer),
    }
}

fn add<'a>(peers: &'a CompiledPeers, name: &str, b: &'a Tensor, c: &'a Tensor) -> KernelCase<'a> {
    type F = unsafe extern "C" fn(
        i64,
        *const i64,
        *const i32,
        *const f64,
        *const i64,
        *const i32,
        *const f64,
        *mut i64,
        *mut f64,
    ) -> i64;
    // SAFETY: the signature is that of peers.c.
    let f: F = unsafe { peers.get("add_csr") };
    let n = b.shape()[0];
    let mut out = vec![0i64; n + 1];
    let mut sum = 0.0;
    // SAFETY: the arrays of checked CSR matrices of equal shape; `out` has one element more than there are rows.
    unsafe {
        f(n as i64, pos(b, 1), crd(b, 1), vals(b), pos(c, 1), crd(c, 1), vals(c), out.as_mut_ptr(), &mut sum)
    };
    let null = std::ptr::null_mut();
    let peer = move || {
        let start = Instant::now();
        // SAFETY: as above; a null sum is allowed.
        unsafe {
            f(n as i64, pos(b, 1), crd(b, 1), vals(b), pos(c, 1), crd(c, 1), vals(c), out.as_mut_ptr(), null)
        };
        (start.elapsed(), sum)
    };
    KernelCase {
        name: format!("csr + csr {name}"),
        statement: "A(i,j) = B(i,j) + C(i,j)",
        operands: vec![("B", b), ("C", c)],
        result: Decl::default(),
        peer: Box::new(peer),
    }
}

fn mttkrp<'a>(peers: &'a CompiledPeers, x: &'a Tensor, b: &'a Tensor, c: &'a Tensor) -> KernelCase<'a> {
    type P = *const i64;
    type I = *const i32;
    type V = *const f64;
    type F = unsafe extern "C" fn(i64, P, I, P, I, P, I, V, V, V, *mut f64);
    // SAFETY: the signature is that of peers.c.
    let f: F = unsafe { peers.get("mttkrp_csf") };
    let rank = b.shape()[1];
    let mut y = vec![0.0; x.shape()[0] * rank];
    let peer = move || {
        let start = Instant::now();
        y.fill(0.0);
        // SAFETY: the arrays of a checked CSF tensor and of factors of matching shapes.
        unsafe {
            f(
                rank as i64,
                pos(x, 0),
                crd(x, 0),
                pos(x, 1),
                crd(x, 1),
                pos(x, 2),
                crd(x, 2),
                vals(x),
                vals(b),
                vals(c),
                y.as_mut_ptr(),
            )
        };
        (start.elapsed(), checksum(&y))
    };
    KernelCase {
        name: "MTTKRP 32 csf".into(),
        statement: "Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)",
        operands: vec![("X", x), ("B", b), ("C", c)],
        result: Decl::default(),
        peer: Box::new(peer),
    }
}

fn ttv<'a>(peers: &'a CompiledPeers, t: &'a Tensor, x: &'a Tensor) -> KernelCase<'a> {
    type P = *const i64;
    type I = *const i32;
    type V = *const f64;
    type F = unsafe extern "C" fn(i64, P, I, P, I, P, I, V, V, *mut f64);
    // SAFETY: the signature is that of peers.c.
    let f: F = unsafe { peers.get("ttv_csf") };
    let (i, j) = (t.shape()[0], t.shape()[1]);
    let mut y = vec![0.0; i * j];
    let peer = move || {
        let start = Instant::now();
        y.fill(0.0);
        // SAFETY: the arrays of a checked CSF tensor; `y` is the dense result.
        unsafe {
            f(
                j as i64,
                pos(t, 0),
                crd(t, 0),
                pos(t, 1),
                crd(t, 1),
                pos(t, 2),
                crd(t, 2),
                vals(t),
                vals(x),
                y.as_mut_ptr(),
            )
        };
        (start.elapsed(), checksum(&y))
    };
    KernelCase {
        name: "TTV csf".into(),
        statement: "Y(i,j) = X(i,j,k) * x(k)",
        operands: vec![("X", t), ("x", x)],
        result: Decl { format: Some(Format::parse("dense", 2).expect("a preset")), ..Decl::default() },
        peer: Box::new(peer),
    }
}

fn run_case(
    mut case: KernelCase,
    effort: Effort,
    sessions: &[Session],
    wanted: &dyn Fn(&str) -> bool,
) -> Text<()> {
    if !wanted(&case.name) {
        return Ok(());
    }
    let kernels: Vec<Kernel> = sessions.iter().map(|s| compile(&case, s)).collect::<Text<_>>()?;
    let (_, expected) = (case.peer)();
    for kernel in &kernels {
        let out = text(kernel.run(&case.operands))?.tensor;
        let got = checksum(out.vals().as_slice::<f64>().ok_or("an f64 result")?);
        if (got - expected).abs() > 1e-9 * expected.abs() {
            return Err(format!("{}: results differ: {got} against {expected}", case.name));
        }
    }
    let operands = &case.operands;
    let peer = &mut case.peer;
    let mut subjects: Vec<TimedSubject> = vec![Box::new(move || peer().0)];
    for kernel in &kernels {
        subjects.push(Box::new(move || {
            // The C loops write into memory that they keep; so do ours.
            let outcome = kernel.run(operands).expect("it ran before");
            kernel.recycle(outcome.tensor);
            outcome.times.kernel
        }));
    }
    let ms = interleave(&mut subjects, effort);
    print!("{:<34} {:>9.3}", case.name, ms[0]);
    for ours in &ms[1..] {
        print!(" {:>9.3} {:>7.2}", ours, ours / ms[0]);
    }
    println!();
    Ok(())
}

fn compile(case: &KernelCase, session: &Session) -> Text<Kernel> {
    let mut decls = Decls::default();
    for (name, tensor) in &case.operands {
        let decl = Decl {
            dtype: Some(tensor.dtype()),
            format: Some(tensor.format().clone().with_fill(Scalar::F64(0.0).to_string())),
            shape: Some(tensor.shape().to_vec()),
            stored: None,
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    let result = case.statement.split('(').next().unwrap_or("");
    decls.tensors.insert(result.into(), case.result.clone());
    text(session.compile(case.statement, &decls))
}
