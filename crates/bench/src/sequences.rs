//! Steps of iterations that touch little of large vectors: the time of each among more and more elements, which should be the
//! same. Sizes are run in turns; the shortest times count.

use crate::Text;
use crate::inputs::BenchRandom;
use crate::several;
use crate::short_lists;
use crate::solvers;
use crate::timing::{Effort, TimedSubject, rounds};
use openwork::{
    Coo, DType, Decl, Format, FormatExt, Kernel, Operand, Scalar, Session, Tensor, declare_operands,
};
use openwork_storage::pack;
use std::time::Instant;

/// Edges per vertex.
const DEGREE: usize = 16;
/// Elements of the small operand.
const FEW: usize = 20;
/// Runs that are timed as one.
const BATCH: u32 = 20;

/// A step: its statement, over a square matrix `A`, a vector `x` of few elements, matrices `R` and `C` with as few rows and dense
/// vectors `d`, `u`, `e` and `v`, of which `C`, `e` and `v` are of single precision; and the format of its result.
struct TimedStep {
    name: &'static str,
    statement: &'static str,
    result: &'static str,
}

const ROWS: &[TimedStep] = &[
    TimedStep { name: "push", statement: "y(j) = A(i,j) * x(i)", result: "sv" },
    TimedStep { name: "push, shortest", statement: "y(j) = min(i, A(i,j) + x(i))", result: "sv" },
    TimedStep {
        name: "push, any",
        statement: "y(j) = any(i, structure(A(i,j)) & structure(x(i)))",
        result: "sv",
    },
    TimedStep { name: "push, unvisited", statement: "y(j) = A(i,j) * x(i) where d(j) == 0", result: "sv" },
    TimedStep { name: "few of a dense vector", statement: "y(i) = x(i) * d(i)", result: "sv" },
    TimedStep { name: "minimum with few", statement: "d(i) min= x(i)", result: "dense" },
    TimedStep { name: "sum with few", statement: "d(i) += x(i)", result: "dense" },
    TimedStep { name: "sums of few rows", statement: "d(i) += R(i,j) * u(j)", result: "dense" },
    TimedStep { name: "few rows, f32", statement: "e(i) += C(i,j) * v(j)", result: "dense" },
];

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// The operands among so many vertices.
struct StepOperands {
    a: Tensor,
    x: Tensor,
    rows: Tensor,
    single_rows: Tensor,
    d: Tensor,
    u: Tensor,
    e: Tensor,
    v: Tensor,
}

impl StepOperands {
    fn new(n: usize, fill: Scalar) -> openwork::Result<StepOperands> {
        let mut r = BenchRandom(n as u64);
        let mut coords = [Vec::new(), Vec::new()];
        for i in 0..n {
            for _ in 0..DEGREE {
                coords[0].push(i as i32);
                coords[1].push(r.number_below(n) as i32);
            }
        }
        let vals: Vec<f64> = (0..n * DEGREE).map(|_| r.unit() + 0.5).collect();
        let coo =
            Coo::new(vec![n, n], coords.map(openwork::Buffer::from).into(), openwork::Buffer::from(vals))?;
        let a = pack(&coo, &Format::parse("csr", 2)?, fill)?;
        let few: Vec<_> = (0..FEW).map(|k| (vec![k * n / FEW], Scalar::F64(r.unit()))).collect();
        let x = pack(&Coo::from_entries(&[n], DType::F64, &few)?, &Format::parse("sv", 1)?, fill)?;
        let few_rows = |dtype: DType, format: &str| {
            let at = |k: usize| vec![k / DEGREE * n / FEW, k % DEGREE];
            let some: Vec<_> = (0..FEW * DEGREE).map(|k| (at(k), Scalar::from_f64(0.5, dtype))).collect();
            pack(
                &Coo::from_entries(&[n, DEGREE], dtype, &some)?,
                &Format::parse(format, 2)?,
                Scalar::zero(dtype),
            )
        };
        let (rows, single_rows) = (few_rows(DType::F64, "dcsr")?, few_rows(DType::F32, "coo")?);
        let [d, u] = [n, DEGREE].map(|n| Tensor::dense(&[n], openwork::Buffer::from(vec![0f64; n])));
        let [e, v] = [n, DEGREE].map(|n| Tensor::dense(&[n], openwork::Buffer::from(vec![0f32; n])));
        Ok(StepOperands { a, x, rows, single_rows, d: d?, u: u?, e: e?, v: v? })
    }
    fn select_given(&self, statement: &str) -> Vec<(&str, &Tensor)> {
        let matrices = [("A", &self.a), ("R", &self.rows), ("C", &self.single_rows)];
        let vectors = [("x", &self.x), ("d", &self.d), ("u", &self.u), ("e", &self.e), ("v", &self.v)];
        let all = matrices.into_iter().chain(vectors);
        all.filter(|(name, _)| statement.contains(&format!("{name}("))).collect()
    }
}

/// Prints the tables, with the rows whose names contain `filter`.
///
/// # Errors
/// Those of the library, and results that differ.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let rows: Vec<&TimedStep> =
        ROWS.iter().filter(|row| filter.is_none_or(|f| row.name.contains(f))).collect();
    if !rows.is_empty() {
        time_steps(&rows, effort)?;
    }
    if filter.is_none_or(|f| "chain".contains(f)) {
        chains(effort)?;
    }
    short_lists::run(effort, filter)?;
    solvers::run(effort, filter)?;
    several::run(effort, filter)
}

/// Prints a line for every step.
fn time_steps(rows: &[&TimedStep], effort: Effort) -> Text<()> {
    let sizes: &[usize] = match effort {
        Effort::Quick => &[1_000, 10_000, 100_000],
        Effort::Full | Effort::Long => &[1_000, 10_000, 100_000, 1_000_000, 10_000_000],
    };
    println!(
        "shortest us of a step with {FEW} elements among so many; ratio = the longest over the shortest"
    );
    let heads: String = sizes.iter().map(|n| format!(" {n:>10}")).collect();
    println!("{:<24}{heads} {:>7}", "step", "ratio");
    let zero =
        sizes.iter().map(|n| text(StepOperands::new(*n, Scalar::F64(0.0)))).collect::<Text<Vec<_>>>()?;
    let far = sizes.iter().map(|n| text(StepOperands::new(*n, Scalar::F64(f64::INFINITY))));
    let far = far.collect::<Text<Vec<_>>>()?;
    for row in rows {
        let shortest = row.statement.contains("min");
        let times = time_row(row, if shortest { &far } else { &zero }, effort)?;
        let (least, most) = times.iter().fold((f64::INFINITY, 0.0f64), |(l, m), t| (l.min(*t), m.max(*t)));
        let cells: String = times.iter().map(|t| format!(" {t:>10.2}")).collect();
        println!("{:<24}{cells} {:>7.2}", row.name, most / least);
    }
    Ok(())
}

/// Prints how long chains of statements over dense vectors take as one sequence, and one after the other.
fn chains(effort: Effort) -> Text<()> {
    let n = if effort == Effort::Quick { 200_000 } else { 2_000_000 };
    println!("\nshortest ms of chains over {n} values; ratio = as a sequence over one after the other");
    println!("{:<24} {:>10} {:>10} {:>7}", "statements", "sequence", "one by one", "ratio");
    let x = text(Tensor::dense(&[n], openwork::Buffer::from(vec![1.0; n])))?;
    for length in [2, 6, 20, 60] {
        let step = |k: usize| format!("y{k}(i) = 0.5 * y{}(i) + 1", k - 1);
        let list: Vec<String> = (1..=length).map(step).collect();
        let given = [("y0", &x)];
        let sequence = text(Session::global().sequence(&list.join("; "), &declare_operands(&given), None))?;
        let names: Vec<String> = (0..=length).map(|k| format!("y{k}")).collect();
        let compile = |(statement, name): (&String, &String)| {
            text(Session::global().compile(statement, &declare_operands(&[(name.as_str(), &x)])))
        };
        let kernels = list.iter().zip(&names).map(compile).collect::<Text<Vec<Kernel>>>()?;
        let one_by_one = || {
            let mut last: Option<Tensor> = None;
            for (k, kernel) in kernels.iter().enumerate() {
                let made =
                    kernel.run(&[(&names[k], last.as_ref().unwrap_or(&x))]).expect("it ran before").tensor;
                last = Some(made);
            }
            last
        };
        let whole = text(sequence.run(&given))?.into_tensors();
        if whole.last().map(|(_, t)| t) != one_by_one().as_ref() {
            return Err(format!("chains of {length} differ"));
        }
        let mut subjects: [TimedSubject; 2] = [
            Box::new(|| {
                let start = Instant::now();
                let _ = std::hint::black_box(sequence.run(&given));
                start.elapsed()
            }),
            Box::new(|| {
                let start = Instant::now();
                let _ = std::hint::black_box(one_by_one());
                start.elapsed()
            }),
        ];
        let least: Vec<f64> = rounds(&mut subjects, effort)
            .into_iter()
            .map(|t| t.into_iter().fold(f64::INFINITY, f64::min))
            .collect();
        println!("{length:<24} {:>10.2} {:>10.2} {:>7.2}", least[0], least[1], least[0] / least[1]);
    }
    Ok(())
}

/// A tensor of no use.
fn nothing() -> Tensor {
    Tensor::dense(&[0], openwork::Buffer::empty(DType::F64)).expect("no values are no values")
}

/// The shortest microseconds of a step, for each size. A result that may take the place of an operand does: each run is given
/// the result of the one before.
fn time_row(row: &TimedStep, sizes: &[StepOperands], effort: Effort) -> Text<Vec<f64>> {
    let mut subjects: Vec<TimedSubject> = Vec::new();
    for operands in sizes {
        let given = operands.select_given(row.statement);
        let mut decls = declare_operands(&given);
        let (name, _) = row.statement.split_once('(').unwrap_or((row.statement, ""));
        if !given.iter().any(|(other, _)| *other == name) {
            let format = Some(text(Format::parse(row.result, 1))?);
            decls.tensors.insert(name.into(), Decl { format, ..Decl::default() });
        }
        let kernel: Kernel = text(Session::global().compile(row.statement, &decls))?;
        text(kernel.run(&given))?;
        let place = kernel.stages().places().next().map(|(_, name)| name.to_string());
        if let Some(place) = place {
            let first = given.iter().find(|(name, _)| *name == place).map_or(&operands.d, |(_, t)| t);
            let mut state = text(first.duplicate())?;
            subjects.push(Box::new(move || {
                let start = Instant::now();
                for _ in 0..BATCH {
                    let lent = given.iter().filter(|(name, _)| *name != place);
                    let lent = lent.map(|&(name, t)| (name, Operand::Borrow(t)));
                    let taken = std::mem::replace(&mut state, nothing());
                    let all = lent.chain([(place.as_str(), Operand::Take(taken))]);
                    state = kernel.run_taking(all).expect("it ran before").tensor;
                }
                start.elapsed() / BATCH
            }));
            continue;
        }
        subjects.push(Box::new(move || {
            let start = Instant::now();
            for _ in 0..BATCH {
                let done = kernel.run(&given).expect("it ran before");
                kernel.recycle(done.tensor);
            }
            start.elapsed() / BATCH
        }));
    }
    let least = |times: Vec<f64>| 1e3 * times.into_iter().fold(f64::INFINITY, f64::min);
    Ok(rounds(&mut subjects, effort).into_iter().map(least).collect())
}
