//! `bench divided`: where two threads take longer than one, over formats, statements, shapes and sizes.
//!
//! Whether a run is divided is decided from an estimate of its work. A call that takes longer than estimated stays on one thread;
//! a call that takes less is divided in vain. `divided` looks for both. Calls come in groups, as in a loop, and alone between calls on one thread. What seems to take
//! longer is measured again, longer each time, and listed if it does so every time: other work on the machine seldom stays.

use crate::Text;
use crate::conversion::fits;
use crate::inputs::{self, BenchRandom};
use crate::timing::{Effort, median};
use openwork::{Buffer, Coo, Decl, Decls, Format, FormatExt, Kernel, Session, Tensor};
use std::time::{Duration, Instant};

const FORMATS: [&str; 17] = [
    "csr",
    "csc",
    "dcsr",
    "dcsc",
    "coo",
    "rle",
    "bcsr(2,2)",
    "bcsr(4,4)",
    "bcsc(2,2)",
    "ell",
    "jad",
    "sell(8)",
    "dia",
    "csb(64)",
    "hicoo(16)",
    "dense",
    "(i,j) -> (i,j) : dense, bitmap",
];

/// What is computed, and its text. Results have the format that the planner chooses.
const STATEMENTS: [(&str, &str); 14] = [
    ("A@x", "y(i) = A(i,j) * x(j)"),
    ("x@A", "y(j) = z(i) * A(i,j)"),
    ("A@X", "Y(i,k) = A(i,j) * X(j,k)"),
    ("X@A", "Y(k,j) = Z(k,i) * A(i,j)"),
    ("sum rows", "y(i) = A(i,j)"),
    ("sum columns", "y(j) = A(i,j)"),
    ("max columns", "y(j) = max(i, A(i,j))"),
    ("sum", "s = A(i,j)"),
    ("2A", "C(i,j) = 2 * A(i,j)"),
    ("A+B", "C(i,j) = A(i,j) + B(i,j)"),
    ("A*B", "C(i,j) = A(i,j) * B(i,j)"),
    ("A*B+1.3A", "C(i,j) = A(i,j) * B(i,j) + 1.3 * A(i,j)"),
    ("A*(x@Y)", "C(i,j) = A(i,j) * U(i,k) * V(j,k)"),
    ("A.T", "C(j,i) = A(i,j)"),
];
/// Columns of dense matrices.
const COLUMNS: usize = 8;
/// What counts as longer.
const LONGER: f64 = 1.15;
/// More slots than these are not measured.
const MOST: usize = 8_000_000;

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// One of the matrices.
struct DividedInput {
    name: String,
    coo: Coo,
    other: Coo,
}

/// A kernel on one thread and on two, and what it is given.
struct DividedCase<'t> {
    kernels: [Kernel; 2],
    operands: Vec<(&'static str, &'t Tensor)>,
}

/// Runs everything whose name (format, statement, matrix) contains `filter`.
///
/// # Errors
/// When a matrix cannot be made or a statement cannot be compiled.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let sizes: &[usize] = match effort {
        Effort::Quick => &[20_000, 80_000],
        Effort::Full | Effort::Long => &[2000, 20_000, 80_000, 300_000, 2_000_000],
    };
    println!("time on two threads / on one, calls in groups and alone, where above {LONGER} three times");
    let (mut measured, mut ratios) = (0, Vec::new());
    for input in sizes.iter().flat_map(|&n| matrices(n)) {
        let input = text(input)?;
        for format in FORMATS {
            for ratio in measure_statements(&input, format, filter)? {
                measured += 1;
                ratios.push(ratio);
            }
        }
    }
    if measured > 0 {
        println!("{measured} measured; the middle ratio {:.2}", median(ratios));
    }
    Ok(())
}

/// Matrices of about so many elements.
fn matrices(n: usize) -> impl Iterator<Item = openwork::Result<DividedInput>> {
    let shapes = [("square", [n / 10, n / 10]), ("tall", [n / 3, 40]), ("wide", [40, n / 3])];
    let spread = shapes.into_iter().map(move |(name, shape)| {
        let (coo, other) = (spread(shape, n, 3)?, spread(shape, n, 4)?);
        Ok(DividedInput { name: format!("{name} {n}"), coo, other })
    });
    let band = move || {
        let (coo, other) = (inputs::band(n / 5, 2)?, inputs::band(n / 5, 2)?);
        Ok(DividedInput { name: format!("band {n}"), coo, other })
    };
    spread.chain(std::iter::once_with(band))
}

/// Random coordinates.
fn spread(shape: [usize; 2], n: usize, seed: u64) -> openwork::Result<Coo> {
    let mut r = BenchRandom(seed);
    let coords = shape.map(|d| Buffer::from((0..n).map(|_| r.number_below(d) as i32).collect::<Vec<i32>>()));
    let vals: Vec<f64> = (0..n).map(|_| r.unit() + 0.5).collect();
    Coo::new(shape.to_vec(), coords.to_vec(), Buffer::from(vals))
}

/// The ratios of all statements on a matrix in a format, where it fits.
fn measure_statements(input: &DividedInput, format: &str, filter: Option<&str>) -> Text<Vec<f64>> {
    let name = |statement: &str| format!("{format} {statement} {}", input.name);
    let wanted = STATEMENTS.iter().filter(|(s, _)| filter.is_none_or(|f| name(s).contains(f)));
    let wanted: Vec<_> = wanted.collect();
    let shape = input.coo.shape().to_vec();
    let whole = format == "dense" || format.contains("bitmap");
    let slots = shape.iter().product::<usize>();
    if wanted.is_empty() || !fits(&input.coo, format) || (whole && slots > MOST) {
        return Ok(Vec::new());
    }
    let parsed = text(Format::parse(format, 2))?;
    let (a, b) = (
        text(inputs::pack_with_zero(&input.coo, &parsed))?,
        text(inputs::pack_with_zero(&input.other, &parsed))?,
    );
    let dense = |shape: &[usize]| text(inputs::dense(shape, 9));
    let (rows, columns) = (shape[0], shape[1]);
    let all = [
        ("A", a),
        ("B", b),
        ("x", dense(&[columns])?),
        ("z", dense(&[rows])?),
        ("X", dense(&[columns, COLUMNS])?),
        ("Z", dense(&[COLUMNS, rows])?),
        ("U", dense(&[rows, COLUMNS])?),
        ("V", dense(&[columns, COLUMNS])?),
    ];
    let mut out = Vec::new();
    for (statement, source) in wanted {
        let read = |name: &str| source.split_once('=').is_some_and(|(_, e)| e.contains(&format!("{name}(")));
        let operands = all.iter().filter(|(n, _)| read(n)).map(|(n, t)| (*n, t)).collect();
        let case = DividedCase::compile(source, operands).map_err(|e| format!("{}: {e}", name(statement)))?;
        if let Some((ratio, line)) = case.judge() {
            out.push(ratio);
            line.into_iter().for_each(|line| println!("{:<52} {line}", name(statement)));
        }
    }
    Ok(out)
}

impl<'t> DividedCase<'t> {
    fn compile(source: &str, operands: Vec<(&'static str, &'t Tensor)>) -> Text<DividedCase<'t>> {
        let mut decls = Decls::default();
        for (name, t) in &operands {
            let decl = Decl {
                dtype: Some(t.dtype()),
                format: Some(t.format().clone()),
                shape: Some(t.shape().to_vec()),
                stored: Some(t.slots()),
                elements: None,
            };
            decls.tensors.insert((*name).into(), decl);
        }
        let kernel = |threads: usize| {
            Ok::<_, String>(text(Session::global().compile(source, &decls))?.with_threads(threads))
        };
        Ok(DividedCase { kernels: [kernel(1)?, kernel(2)?], operands })
    }
    /// How long a call takes; nothing where there is no memory for it.
    fn call(&self, threads: usize) -> Option<Duration> {
        let start = Instant::now();
        let done = self.kernels[threads - 1].run(&self.operands).ok()?;
        let time = start.elapsed();
        drop(done);
        Some(time)
    }
    /// The ratio of calls in groups, and what to print where two threads seem to take longer every time.
    fn judge(&self) -> Option<(f64, Option<String>)> {
        let (mut groups, mut alone) = (f64::INFINITY, f64::INFINITY);
        let mut times = [0.0; 2];
        for milliseconds in [30.0, 120.0, 300.0] {
            let (now, ratio) = self.groups(milliseconds)?;
            if ratio < groups {
                (groups, times) = (ratio, now);
            }
            alone = alone.min(self.call_ratio(milliseconds)?);
            if groups.max(alone) <= LONGER {
                return Some((groups, None));
            }
        }
        let [one, two] = times;
        let line = format!("1: {one:8.3} ms   2: {two:8.3} ms   {groups:5.2}, alone {alone:5.2}");
        Some((groups, Some(line)))
    }
    /// Medians on one thread and on two, of calls in groups of one length, and their ratio.
    fn groups(&self, milliseconds: f64) -> Option<([f64; 2], f64)> {
        let mut times = [Vec::new(), Vec::new()];
        let start = Instant::now();
        while times[1].len() < 12 || start.elapsed().as_secs_f64() * 1e3 < milliseconds {
            for threads in [1, 2] {
                self.call(threads)?;
                for _ in 0..4 {
                    times[threads - 1].push(self.call(threads)?.as_secs_f64() * 1e3);
                }
            }
            if start.elapsed().as_secs_f64() * 1e3 > 4.0 * milliseconds && times[1].len() >= 4 {
                break;
            }
        }
        let medians = times.map(median);
        Some((medians, medians[1] / medians[0]))
    }
    /// The ratio of a call on two threads to one on one thread, in turns.
    fn call_ratio(&self, milliseconds: f64) -> Option<f64> {
        let mut times = [Vec::new(), Vec::new()];
        let start = Instant::now();
        while times[1].len() < 5 || start.elapsed().as_secs_f64() * 1e3 < milliseconds {
            for threads in [1, 2] {
                times[threads - 1].push(self.call(threads)?.as_secs_f64() * 1e3);
            }
            if start.elapsed().as_secs_f64() * 1e3 > 4.0 * milliseconds && times[1].len() >= 3 {
                break;
            }
        }
        let [one, two] = times.map(median);
        Some(two / one)
    }
}
