//! What functions of two arrays take of memory besides operands and result (array-programming paper, figure 26): the most that
//! the process grows by during a call, over the bytes of the result. A call that needs nothing else comes to 1.
//!
//! Peaks are those that the system counts, on Linux; each process resets its own before a call.

use crate::Text;
use crate::python::Python;
use crate::timing::Effort;
use openwork::{Buffer, DType, Decl, Decls, Format, FormatExt, Scalar, Session, Tensor, TensorExt};
use openwork_storage::memory;

/// A function of the figure: its name in NumPy, the statement, the dtypes of the operands, and what the result leaves out.
struct MemoryFunction(&'static str, &'static str, [DType; 2], &'static str);

const FUNCTIONS: [MemoryFunction; 4] = [
    MemoryFunction("logical_xor", "C(i,j) = A(i,j) ^ B(i,j)", [DType::Bool, DType::Bool], "0"),
    MemoryFunction("ldexp", "C(i,j) = ldexp(A(i,j), B(i,j))", [DType::F64, DType::I32], "0"),
    MemoryFunction("right_shift", "C(i,j) = A(i,j) >> B(i,j)", [DType::I64, DType::I64], "0"),
    MemoryFunction("power", "C(i,j) = A(i,j) ** B(i,j)", [DType::F64, DType::F64], "1"),
];
/// Rows and columns, and one value in so many: arrays of a few megabytes find memory that was freed before.
const SIZE: usize = 4000;
const APART: [usize; 3] = [10, 5, 3];

/// Prints a row for every function and density.
///
/// # Errors
/// Those of the library; where the system does not count peaks.
pub fn run(effort: Effort) -> Text<()> {
    let mut python = Python::start(&[("memory.py", include_str!("peer/memory.py"))], &[])
        .map_err(|e| println!("skipped: PyData/Sparse: {e}"))
        .ok();
    println!("bytes that a call grows the process by, over those of its result; {SIZE} x {SIZE}, COO");
    println!("{:<14} {:>9} {:>12} {:>10} {:>14}", "function", "values", "result", "ours", "PyData/Sparse");
    let densities = if effort == Effort::Quick { &APART[..2] } else { &APART[..] };
    for function in &FUNCTIONS {
        let &MemoryFunction(name, _, [a, b], _) = function;
        for &apart in densities {
            let operands = [make_numbers(apart, 1, a)?, make_numbers(apart, 2, b)?];
            let (grown, result) = measure_own(function, &operands)?;
            let beside = match python.as_mut().map(|p| measure_peer(p, function, &operands)) {
                Some(Ok(ratio)) => format!("{ratio:.2}"),
                Some(Err(e)) => format!("({e})"),
                None => "-".into(),
            };
            println!(
                "{name:<14} {:>9} {:>9} kB {:>9.2}x {beside:>13}x",
                operands[0].nnz(),
                result / 1000,
                grown as f64 / result as f64
            );
        }
    }
    Ok(())
}

/// Small whole numbers at places that look random, but are the same in every run.
fn make_numbers(apart: usize, seed: u64, dtype: DType) -> Text<Tensor> {
    let text = |e: openwork::Error| e.to_string();
    let mut state = seed;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut at = 0;
    let (mut rows, mut columns, mut vals) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        at += 1 + below(2 * apart - 1);
        if at >= SIZE * SIZE {
            break;
        }
        rows.push((at / SIZE) as i32);
        columns.push((at % SIZE) as i32);
        vals.push(1.0 + below(5) as f64);
    }
    let tensor = Tensor::from_coo(&[&rows, &columns], &vals, &[SIZE, SIZE]).map_err(text)?;
    let list = tensor.to_format(&Format::parse("coo", 2).map_err(text)?).map_err(text)?;
    list.with_values(list.vals().cast(dtype).map_err(text)?, Scalar::zero(dtype)).map_err(text)
}

/// How much the process grows by during a call, and the bytes of the result.
fn measure_own(
    &MemoryFunction(_, statement, _, fill): &MemoryFunction,
    [a, b]: &[Tensor; 2],
) -> Text<(usize, usize)> {
    let text = |e: openwork::Error| e.to_string();
    let format = Format::parse("coo", 2).map_err(text)?.with_fill(fill);
    let of = |t: &Tensor| Decl {
        dtype: Some(t.dtype()),
        format: Some(t.format().clone()),
        shape: Some(t.shape().to_vec()),
        stored: Some(t.slots()),
        elements: Some(t.nnz()),
    };
    let mut decls = Decls::default();
    decls.tensors.insert("A".into(), of(a));
    decls.tensors.insert("B".into(), of(b));
    decls.tensors.insert("C".into(), Decl { format: Some(format), ..Decl::default() });
    let kernel = Session::global().compile(statement, &decls).map_err(text)?;
    // Pages of machine code and of tables are there from then on.
    drop(kernel.run(&[("A", a), ("B", b)]).map_err(text)?);
    memory::give_back();
    let before = reset_peak()?;
    let made = kernel.run(&[("A", a), ("B", b)]).map_err(text)?.tensor;
    Ok((peak("VmHWM")?.saturating_sub(before), made.bytes()))
}

/// The same of PyData/Sparse, as one number.
fn measure_peer(python: &mut Python, function: &MemoryFunction, operands: &[Tensor; 2]) -> Text<f64> {
    let &MemoryFunction(name, _, [a, b], fill) = function;
    let arrays: Vec<(String, &Buffer)> = ["a", "b"]
        .iter()
        .zip(operands)
        .flat_map(|(name, t)| {
            let parts =
                [("rows", &t.level(0).arrays[1]), ("columns", &t.level(1).arrays[0]), ("values", t.vals())];
            parts.map(|(part, array)| (format!("{name}.{part}"), array))
        })
        .collect();
    let named: Vec<(&str, &Buffer)> = arrays.iter().map(|(name, array)| (name.as_str(), *array)).collect();
    let folder = python.write(&named)?;
    let dtype =
        |d: DType| if d == DType::Bool { "bool".into() } else { format!("{}{}", numpys(d), 8 * d.size()) };
    let answer = python.ask(&format!("{folder} {name} {SIZE} {fill} {} {}", dtype(a), dtype(b)))?;
    answer.parse().map_err(|_| answer)
}

/// What NumPy calls numbers of a kind.
fn numpys(dtype: DType) -> &'static str {
    if dtype.is_int() { "int" } else { "float" }
}

/// A line of what the system says of the process, in bytes.
fn peak(name: &str) -> Text<usize> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    let line = status.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
    Ok(1024 * kilobytes.ok_or("the system does not count the memory of processes")?)
}

/// Forgets the peak, and says how large the process is.
fn reset_peak() -> Text<usize> {
    std::fs::write("/proc/self/clear_refs", "5").map_err(|e| format!("the peak is not reset: {e}"))?;
    peak("VmRSS")
}
