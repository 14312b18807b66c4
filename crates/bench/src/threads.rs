//! The same kernels on one thread and on more.

use crate::Text;
use crate::inputs;
use crate::timing::{Effort, TimedSubject, median, rounds};
use openwork::{Decl, Decls, Format, FormatExt, Kernel, Session, Tensor, presets, threads};

type ThreadCase<'a> = (&'static str, &'static str, Vec<(&'static str, &'a Tensor)>, Option<Format>);

/// The chunks of large kernels.
const CHUNKS: usize = 64;

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// Runs every case whose name contains `filter` on one thread and on 2, 4, … up to those of the process.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let (n, side) = match effort {
        Effort::Quick => (20_000, 300),
        Effort::Full | Effort::Long => (400_000, 1000),
    };
    let most = threads().max(2);
    let counts: Vec<usize> =
        std::iter::successors(Some(2), |t| Some(t * 2)).take_while(|t| *t <= most).collect();
    println!("median and shortest ms on Cranelift; how many times as fast as on 1 thread by the shortest");
    for (input, coo, other) in [
        ("uniform", text(inputs::uniform(n, 10, 3))?, text(inputs::uniform(n, 10, 4))?),
        ("stencil", text(inputs::stencil(side))?, text(inputs::stencil(side))?),
    ] {
        let packed = |format: &Format| text(inputs::pack_with_zero(&coo, format));
        let (csr, csc, dcsr) =
            (packed(&presets::csr())?, packed(&presets::csc())?, packed(&presets::csf(2))?);
        let list = packed(&presets::coo(2))?;
        let second = text(inputs::pack_with_zero(&other, &presets::csr()))?;
        let rows = csr.shape()[0];
        let x = text(inputs::dense(&[rows], 9))?;
        let wide = text(inputs::dense(&[rows, 32], 10))?;
        let sum = "C(i,j) = A(i,j) + B(i,j)";
        let cases: Vec<ThreadCase> = vec![
            ("SpMV csr", "y(i) = A(i,j) * x(j)", vec![("A", &csr), ("x", &x)], None),
            ("SpMV coo", "y(i) = A(i,j) * x(j)", vec![("A", &list), ("x", &x)], None),
            ("SpMV csc", "y(i) = A(i,j) * x(j)", vec![("A", &csc), ("x", &x)], None),
            ("dot csr", "s = A(i,j) * A(i,j)", vec![("A", &csr)], None),
            ("SpMM 32 csr", "C(i,k) = A(i,j) * B(j,k)", vec![("A", &csr), ("B", &wide)], None),
            ("add csr", sum, vec![("A", &csr), ("B", &second)], Some(presets::csr())),
            ("add dcsr", sum, vec![("A", &dcsr), ("B", &second)], Some(presets::csf(2))),
            ("scale csr", "C(i,j) = 2 * A(i,j)", vec![("A", &csr)], Some(presets::csr())),
        ];
        for (name, statement, operands, format) in cases {
            let label = format!("{name} {input}");
            if filter.is_none_or(|f| label.contains(f)) {
                println!("{}", line(&label, statement, &operands, format, effort, &counts)?);
            }
        }
    }
    measure_fibres(n, filter, effort, &counts)
}

/// Products of tensors whose fibres are short or long with a matrix: blocks of values below a list.
fn measure_fibres(n: usize, filter: Option<&str>, effort: Effort, counts: &[usize]) -> Text<()> {
    for (name, shape) in [("TTM 32 short", [n / 4, n, 300]), ("TTM 32 long", [n / 400, 10, 300])] {
        if filter.is_some_and(|f| !name.contains(f)) {
            continue;
        }
        let a = text(inputs::pack_with_zero(&text(inputs::tensor(shape, n, 5))?, &presets::csf(3)))?;
        let x = text(inputs::dense(&[shape[2], 32], 10))?;
        let format = Some(text(Format::parse("ssd", 3))?);
        println!(
            "{}",
            line(name, "C(i,j,r) = A(i,j,k) * X(k,r)", &[("A", &a), ("X", &x)], format, effort, counts)?
        );
    }
    Ok(())
}

/// One row of the table.
fn line(
    label: &str,
    statement: &str,
    operands: &[(&str, &Tensor)],
    format: Option<Format>,
    effort: Effort,
    counts: &[usize],
) -> Text<String> {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let decl = Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: None,
            stored: Some(t.slots()),
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    let kernel = |threads: usize| -> Text<Kernel> {
        Ok(text(Session::global().compile(statement, &decls))?.with_threads(threads))
    };
    let mut kernels: Vec<Kernel> = [1].iter().chain(counts).map(|&t| kernel(t)).collect::<Text<_>>()?;
    // What chunks cost, apart from what threads gain.
    let last = kernels.len();
    kernels.push(kernel(1)?.with_chunks(CHUNKS));
    let mut subjects: Vec<TimedSubject> = Vec::new();
    for kernel in &kernels {
        subjects.push(Box::new(move || {
            let done = kernel.run(operands).expect("the operands are what the kernel was compiled for");
            kernel.recycle(done.tensor);
            done.times.kernel
        }));
    }
    let times = rounds(&mut subjects, effort);
    // Beside other work, the shortest time says more about a machine than the median.
    let least = |n: usize| times[n].iter().copied().fold(f64::INFINITY, f64::min);
    let show = |n: usize| format!("{:8.3} {:8.3}", median(times[n].clone()), least(n));
    let mut row = format!("{label:<20} 1: {}", show(0));
    for (n, count) in counts.iter().enumerate() {
        row += &format!("   {count}: {} ({:.2}x)", show(n + 1), least(0) / least(n + 1));
    }
    row += &format!("   1 in {CHUNKS} chunks: {} ({:.2}x)", show(last), least(0) / least(last));
    Ok(row)
}
