//! Conjugate gradients on Poisson's equation, an iteration of which is one sequence of statements that is given the vectors of
//! the iteration before, beside the same loop by hand and SciPy's. All of them take so many iterations; compiling does not
//! count, vectors to begin with do.

use crate::Text;
use crate::cg::{CsrRows, poisson};
use crate::inputs;
use crate::sums::WeightedSums;
use crate::timing::{Effort, TimedSubject, rounds_within};
use crate::worker::{PAUSE, Peers, Worker};
use openwork::{Buffer, Operand, Scalar, Sequence, Session, Tensor, declare_operands};
use std::time::{Duration, Instant};

/// An iteration. `rr` is what the residual's square was before.
const STEP: &str = "q(i) = A(i,j) * p(j); a = p(i) * q(i); \
    x(i) = x(i) + rr / a * p(i); r(i) = r(i) - rr / a * q(i); s = r(i) * r(i); \
    p(i) = r(i) + s / rr * p(i)";
/// What an iteration hands on, and under which name the next one reads it.
const STATE: [(&str, &str); 4] = [("x", "x"), ("r", "r"), ("p", "p"), ("s", "rr")];
/// Partial sums of a dot product by hand.
const LANES: usize = 8;

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// So many iterations over a square grid of so many points a side.
struct SolverRow {
    side: usize,
    iterations: usize,
    threads: usize,
}

/// A matrix and a right side as everybody has them.
struct PoissonProblem {
    rows: CsrRows,
    a: Tensor,
    b: Vec<f64>,
}

impl PoissonProblem {
    fn new(side: usize) -> Text<PoissonProblem> {
        let (rows, n) = (poisson(side), side * side);
        let a = text(Tensor::from_csr(rows.pos.clone(), rows.crd.clone(), rows.vals.clone(), [n, n]))?;
        let b = text(inputs::formula(&[n], 3))?.vals().as_slice::<f64>().unwrap_or_default().to_vec();
        Ok(PoissonProblem { rows, a, b })
    }
    fn compile(&self, threads: usize) -> Text<Sequence> {
        let x = vector(self.b.clone())?;
        let given =
            [("A", &self.a), ("x", &x), ("r", &x), ("p", &x), ("rr", &Tensor::scalar(Scalar::F64(1.0)))];
        let asked = STATE.map(|(made, _)| made);
        let step = text(Session::global().sequence(STEP, &declare_operands(&given), Some(&asked)))?;
        Ok(step.with_threads(threads))
    }
    /// The vector that the sequence arrives at.
    fn solve(&self, step: &Sequence, iterations: usize) -> Text<Tensor> {
        let rr = Tensor::scalar(Scalar::F64(dot(&self.b, &self.b)));
        let mut state =
            [vector(vec![0.0; self.b.len()])?, vector(self.b.clone())?, vector(self.b.clone())?, rr];
        for _ in 0..iterations {
            let taken = STATE.iter().zip(state).map(|((_, read), tensor)| (*read, Operand::Take(tensor)));
            let mut made = text(step.run_taking([("A", Operand::Borrow(&self.a))].into_iter().chain(taken)))?;
            state = STATE.map(|(name, _)| made.take(name).expect("it was asked for"));
        }
        let [x, ..] = state;
        Ok(x)
    }
    /// The same by hand, each thread for its rows.
    fn solve_by_hand(&self, iterations: usize, threads: usize) -> Vec<f64> {
        let n = self.b.len();
        let (mut x, mut r, mut p, mut q) = (vec![0.0; n], self.b.clone(), self.b.clone(), vec![0.0; n]);
        let mut rr = dot(&r, &r);
        let part = n.div_ceil(threads);
        for _ in 0..iterations {
            let rows = q.chunks_mut(part).zip(self.rows.pos[..n].chunks(part)).zip(p.chunks(part));
            let pq = sum_parts(rows.enumerate(), |(k, ((q, _), own))| {
                self.rows.multiply(k * part, &p, q);
                dot(own, q)
            });
            let step = rr / pq;
            let rows = x.chunks_mut(part).zip(r.chunks_mut(part)).zip(p.chunks(part)).zip(q.chunks(part));
            let left = sum_parts(rows, |(((x, r), p), q)| {
                add_scaled(x, step, p);
                add_scaled(r, -step, q);
                dot(r, r)
            });
            let turn = left / rr;
            rr = left;
            sum_parts(p.chunks_mut(part).zip(r.chunks(part)), |(p, r)| {
                p.iter_mut().zip(r).for_each(|(p, r)| *p = r + turn * *p);
                0.0
            });
        }
        x
    }
}

impl CsrRows {
    /// The rows from one on of the product with a vector.
    fn multiply(&self, from: usize, x: &[f64], y: &mut [f64]) {
        for (y, ends) in y.iter_mut().zip(self.pos[from..].windows(2)) {
            let own = ends[0] as usize..ends[1] as usize;
            *y = self.crd[own.clone()].iter().zip(&self.vals[own]).map(|(&j, v)| v * x[j as usize]).sum();
        }
    }
}

fn vector(vals: Vec<f64>) -> Text<Tensor> {
    text(Tensor::dense(&[vals.len()], Buffer::from(vals)))
}

/// A dot product in several sums, which processors add at the same time.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (whole, rest) = (a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), a.len() / LANES * LANES);
    let mut sums = [0.0; LANES];
    for (a, b) in whole {
        (0..LANES).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + a[rest..].iter().zip(&b[rest..]).map(|(a, b)| a * b).sum::<f64>()
}

fn add_scaled(y: &mut [f64], by: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += by * x);
}

/// Does the same to every part, each on a thread of its own, and adds up what comes of it.
fn sum_parts<P: Send>(parts: impl Iterator<Item = P>, work: impl Fn(P) -> f64 + Sync) -> f64 {
    let mut parts = parts;
    let first = parts.next();
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let own = first.map_or(0.0, work);
        others.into_iter().fold(own, |sum, other| sum + other.join().expect("loops by hand do not panic"))
    })
}

/// Prints a line for every size and number of threads, where the rows are asked for.
///
/// # Errors
/// Those of the library, and solutions that differ.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    if filter.is_some_and(|f| !"conjugate gradients".contains(f)) {
        return Ok(());
    }
    let rows: &[SolverRow] = match effort {
        Effort::Quick => &[
            SolverRow { side: 8, iterations: 20, threads: 1 },
            SolverRow { side: 100, iterations: 20, threads: 1 },
        ],
        Effort::Full | Effort::Long => &[
            SolverRow { side: 8, iterations: 20, threads: 1 },
            SolverRow { side: 100, iterations: 200, threads: 1 },
            SolverRow { side: 1000, iterations: 50, threads: 1 },
            SolverRow { side: 1000, iterations: 50, threads: 2 },
        ],
    };
    println!("\nconjugate gradients, an iteration as one sequence: shortest and middle us of an iteration;");
    println!(
        "`to hand`: the sequence's over that of the loop by hand; `to SciPy`: SciPy's over the sequence's"
    );
    let scipy = Worker::start(&["scipy"]);
    println!(
        "{:>9} {:>7} {:>19} {:>19} {:>19} {:>13} {:>13}",
        "unknowns", "threads", "sequence", "by hand", "SciPy", "to hand", "to SciPy"
    );
    rows.iter().try_for_each(|row| time_row(row, &scipy, effort))
}

/// Looks whether everybody arrives at the same vector; whether SciPy is there to be timed.
fn compare_solutions(
    row: &SolverRow,
    problem: &PoissonProblem,
    step: &Sequence,
    scipy: &Worker,
) -> Text<bool> {
    let found = problem.solve(step, row.iterations)?;
    let by_hand = problem.solve_by_hand(row.iterations, row.threads);
    let size = by_hand.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let far = |(x, y): (&f64, &f64)| (x - y).abs().is_nan() || (x - y).abs() > 1e-9 * size;
    if by_hand.iter().zip(found.vals().as_slice().unwrap_or_default()).any(far) {
        return Err(format!("the solutions of {} unknowns differ", by_hand.len()));
    }
    let op = format!("scipy.cg:{}", row.iterations);
    if row.threads > 1 || !scipy.has(&op) {
        return Ok(false);
    }
    scipy.clear()?;
    scipy.load("A", &text(openwork_storage::unpack(&problem.a))?)?;
    scipy.dense("b", &[by_hand.len()], 3)?;
    let theirs = WeightedSums::parse(&scipy.ask(&format!("sum {op} 1 A b"))?)?;
    match WeightedSums::from_tensor(&found)?.agree(&theirs) {
        true => Ok(true),
        false => Err(format!("SciPy's solution of {} unknowns differs", by_hand.len())),
    }
}

fn time_row(row: &SolverRow, scipy: &Worker, effort: Effort) -> Text<()> {
    let problem = PoissonProblem::new(row.side)?;
    let step = problem.compile(row.threads)?;
    let has_scipy = compare_solutions(row, &problem, &step, scipy)?;
    let op = format!("scipy.cg:{}", row.iterations);
    let mut subjects: Vec<TimedSubject> = vec![
        Box::new(|| {
            let start = Instant::now();
            let _ = std::hint::black_box(problem.solve(&step, row.iterations));
            let time = start.elapsed();
            // Threads that wait for more work spin for a while.
            std::thread::sleep(PAUSE);
            time
        }),
        Box::new(|| {
            let start = Instant::now();
            let _ = std::hint::black_box(problem.solve_by_hand(row.iterations, row.threads));
            start.elapsed()
        }),
    ];
    if has_scipy {
        subjects.push(Box::new(|| scipy.time(&op, 1, "A b")));
    }
    let (count, budget) = if effort == Effort::Quick { (3, 1) } else { (21, 20) };
    let times = rounds_within(&mut subjects, count, Duration::from_secs(budget));
    print_line(row, times);
    Ok(())
}

/// Prints what an iteration took the sequence, the loop by hand and SciPy, if it is there.
fn print_line(row: &SolverRow, times: Vec<Vec<f64>>) {
    let iteration = 1e3 / row.iterations as f64;
    let both: Vec<[f64; 2]> = times
        .into_iter()
        .map(|mut all| {
            all.sort_by(f64::total_cmp);
            [all[0] * iteration, all[all.len() / 2] * iteration]
        })
        .collect();
    let cells = |of: Option<&[f64; 2]>| of.map_or("-".into(), |[s, m]| format!("{s:.1} {m:.1}"));
    let ratio = |over: Option<&[f64; 2]>, under: &[f64; 2]| {
        over.map_or("-".into(), |over| format!("{:.2} {:.2}", over[0] / under[0], over[1] / under[1]))
    };
    println!(
        "{:>9} {:>7} {:>19} {:>19} {:>19} {:>13} {:>13}",
        row.side * row.side,
        row.threads,
        cells(both.first()),
        cells(both.get(1)),
        cells(both.get(2)),
        ratio(both.first(), &both[1]),
        ratio(both.get(2), &both[0])
    );
}
