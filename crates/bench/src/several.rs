//! Several results of one matrix as one sequence, beside each statement alone, for a csr matrix that no cache has.

use crate::Text;
use crate::inputs::BenchRandom;
use crate::timing::{Effort, TimedSubject, rounds};
use openwork::{Buffer, Format, FormatExt, Scalar, Sequence, Session, Tensor, declare_operands};
use std::time::Instant;

/// Statements over a square matrix `A` and vectors `x` and `u`.
struct SeveralRow {
    name: &'static str,
    statements: &'static [&'static str],
}

const ROWS: &[SeveralRow] = &[
    SeveralRow { name: "sum, squares by rows", statements: &["s(i) = A(i,j)", "v(i) = A(i,j) * A(i,j)"] },
    SeveralRow {
        name: "mean, variance by rows",
        statements: &["m(i) = sum(j, A(i,j)) / 16", "v(i) = sum(j, A(i,j) * A(i,j)) / 16"],
    },
    SeveralRow { name: "min, max by rows", statements: &["m(i) = min(j, A(i,j))", "n(i) = max(j, A(i,j))"] },
    SeveralRow { name: "sums by both axes", statements: &["s(i) = A(i,j)", "t(j) = A(i,j)"] },
    SeveralRow { name: "sum, squares of all", statements: &["s = A(i,j)", "t = A(i,j) * A(i,j)"] },
    SeveralRow {
        name: "two products",
        statements: &["y(i) = A(i,j) * x(j)", "z(i) = A(i,j) * A(i,j) * x(j)"],
    },
    SeveralRow { name: "A x, x A", statements: &["y(i) = A(i,j) * x(j)", "z(j) = A(i,j) * u(i)"] },
    SeveralRow {
        name: "four by rows",
        statements: &[
            "s(i) = A(i,j)",
            "v(i) = A(i,j) * A(i,j)",
            "m(i) = min(j, A(i,j))",
            "n(i) = max(j, A(i,j))",
        ],
    },
    SeveralRow {
        name: "softmax by rows",
        statements: &[
            "m(i) = max(j, F(i,j))",
            "s(i) = sum(j, exp(F(i,j) - m(i)))",
            "P(i,j) = exp(F(i,j) - m(i)) / s(i)",
        ],
    },
];

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// A square csr matrix of so many rows with `degree` elements each, in no order of columns.
fn matrix(n: usize, degree: usize) -> Text<Tensor> {
    let mut r = BenchRandom(n as u64);
    let step = (n / degree).max(1);
    // One column of each stretch, so that rows ascend.
    let mut crd = Vec::with_capacity(n * degree);
    for _ in 0..n {
        crd.extend((0..degree).map(|k| (k * step + r.number_below(step)) as i32));
    }
    let pos: Vec<i64> = (0..=n).map(|i| (i * degree) as i64).collect();
    let vals: Vec<f64> = (0..n * degree).map(|_| r.number_below(1000) as f64 / 250.0 - 2.0).collect();
    text(Tensor::from_csr(pos, crd, vals, [n, n]))
}

/// The same with a fill value that the exponential makes 0 of.
fn far_matrix(a: &Tensor) -> Text<Tensor> {
    let coo = text(openwork_storage::unpack(a))?;
    text(openwork_storage::pack(&coo, &text(Format::parse("csr", 2))?, Scalar::F64(f64::NEG_INFINITY)))
}

/// Prints for each row the time of the sequence, of each statement alone, and the ratio to the slowest and to all of them.
///
/// # Errors
/// Those of the library, and results that differ.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let is_asked = |row: &&SeveralRow| filter.is_none_or(|f| row.name.contains(f));
    if !ROWS.iter().any(|row| is_asked(&row)) {
        return Ok(());
    }
    let shapes: &[(usize, usize)] = match effort {
        Effort::Quick => &[(20_000, 16)],
        Effort::Full | Effort::Long => &[(20_000, 16), (2_000_000, 16), (4_000_000, 4)],
    };
    for &(n, degree) in shapes {
        println!(
            "\nshortest ms over a csr matrix of {n} rows of {degree}; `of slowest`: the sequence over the slowest one alone, `of all`: over the sum"
        );
        println!("{:<24} {:>8} {:>10} {:>10}  alone", "results", "sequence", "of slowest", "of all");
        let a = matrix(n, degree)?;
        let f = far_matrix(&a)?;
        let x = text(Tensor::dense(&[n], Buffer::from(vec![0.5; n])))?;
        let u = text(Tensor::dense(&[n], Buffer::from(vec![0.25; n])))?;
        for row in ROWS.iter().filter(is_asked) {
            time_row(row, &[("A", &a), ("x", &x), ("u", &u), ("F", &f)], effort)?;
        }
    }
    Ok(())
}

/// The operands that statements read.
fn select_given<'t>(given: &[(&'t str, &'t Tensor)], statements: &str) -> Vec<(&'t str, &'t Tensor)> {
    let reads = |name: &str| {
        let mut words = statements.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| word == name)
    };
    given.iter().filter(|(name, _)| reads(name)).copied().collect()
}

fn time_row(row: &SeveralRow, given: &[(&str, &Tensor)], effort: Effort) -> Text<()> {
    let names: Vec<&str> = row.statements.iter().map(|s| &s[..1]).collect();
    let all = row.statements.join("; ");
    let own = select_given(given, &all);
    let whole: Sequence = text(Session::global().sequence(&all, &declare_operands(&own), Some(&names)))?;
    let mut made = text(whole.run(&own))?;
    let mut alone: Vec<(Sequence, Vec<(&str, Tensor)>)> = Vec::new();
    let mut before: Vec<(&str, Tensor)> = Vec::new();
    for (statement, name) in row.statements.iter().zip(&names) {
        let mut own = select_given(given, statement);
        let read = statement.split_once('=').map_or("", |(_, right)| right);
        let made_before: Vec<(&str, Tensor)> = before
            .iter()
            .filter(|(known, _)| !select_given(&[(known, given[0].1)], read).is_empty())
            .map(|(known, t)| Ok((*known, text(t.duplicate())?)))
            .collect::<Text<_>>()?;
        own.extend(made_before.iter().map(|(name, t)| (*name, t)));
        let one = text(Session::global().sequence(statement, &declare_operands(&own), None))?;
        let result = text(one.run(&own))?.take(name).ok_or("a statement without a result")?;
        let beside = made.take(name).ok_or("a sequence without a result")?;
        let close = |(a, b): (openwork::Scalar, openwork::Scalar)| {
            (a.as_f64() - b.as_f64()).abs() <= 1e-9 * a.as_f64().abs().max(1.0)
        };
        if !result.vals().iter().zip(beside.vals().iter()).all(close) {
            return Err(format!("`{statement}` differs in a sequence"));
        }
        before.push((name, result));
        alone.push((one, made_before));
    }
    let mut subjects: Vec<TimedSubject> = vec![Box::new(|| {
        let start = Instant::now();
        let _ = std::hint::black_box(whole.run(&own));
        start.elapsed()
    })];
    for ((one, made_before), statement) in alone.iter().zip(row.statements) {
        let mut own = select_given(given, statement);
        own.extend(made_before.iter().map(|(name, t)| (*name, t)));
        subjects.push(Box::new(move || {
            let start = Instant::now();
            let _ = std::hint::black_box(one.run(&own));
            start.elapsed()
        }));
    }
    let least = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
    let times: Vec<f64> = rounds(&mut subjects, effort).into_iter().map(least).collect();
    let (slowest, sum) = times[1..].iter().fold((0.0f64, 0.0), |(m, s), t| (m.max(*t), s + t));
    let each: String = times[1..].iter().map(|t| format!(" {t:.2}")).collect();
    println!(
        "{:<24} {:>8.2} {:>10.2} {:>10.2} {each}",
        row.name,
        times[0],
        times[0] / slowest,
        times[0] / sum
    );
    Ok(())
}
