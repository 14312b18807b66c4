//! Comparisons of index variables, which restrict what is walked, and indices that are values or sums, beside SciPy's functions and
//! beside the whole matrix.
//!
//! ```text
//! C(i,j) = A(i,j) * (j < i)       scipy.sparse.tril(A, -1)
//! y(i) = A(i,j) * (j < i) * x(j)  y(i) = A(i,j) * x(j)
//! ```
//! A first table has ratios to SciPy, a second one what an interval costs as it gets wider: the time is to follow what remains.

use crate::Text;
use crate::inputs::BenchRandom;
use crate::python::Python;
use crate::timing::{Effort, TimedSubject, interleave};
use openwork::{Buffer, Decl, Decls, Format, FormatExt, Kernel, Session, Tensor};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A statement over a square matrix `A`, a vector `x`, a position `s` and vectors `p` and `q` of them, weights `w`, `b`, `g` and `h`, an
/// image as dense `m` and as sparse `z`, and a volume `u`.
struct RelationRow {
    name: &'static str,
    statement: &'static str,
    /// The format of its result.
    format: &'static str,
    /// What SciPy calls it.
    peer: Option<&'static str>,
    /// The same in another way of ours.
    beside: Option<&'static str>,
}

const ROWS: &[RelationRow] = &[
    RelationRow {
        name: "below the diagonal",
        statement: "C(i,j) = A(i,j) * (j < i)",
        format: "csr",
        peer: Some("below"),
        beside: None,
    },
    RelationRow {
        name: "from the diagonal on",
        statement: "C(i,j) = A(i,j) * (j >= i)",
        format: "csr",
        peer: Some("above"),
        beside: None,
    },
    RelationRow {
        name: "a band",
        statement: "C(i,j) = A(i,j) * (j - i <= 2) * (i - j <= 2)",
        format: "csr",
        peer: Some("band"),
        beside: None,
    },
    RelationRow {
        name: "the diagonal",
        statement: "C(i,j) = A(i,j) * (i == j)",
        format: "csr",
        peer: Some("diagonal"),
        beside: None,
    },
    RelationRow {
        name: "one row",
        statement: "C(j) = A(i,j) * (i == s)",
        format: "sv",
        peer: Some("row"),
        beside: Some("C(j) = A(i(MIDDLE),j)"),
    },
    RelationRow {
        name: "one column",
        statement: "C(i) = A(i,j) * (j == s)",
        format: "sv",
        peer: Some("column"),
        beside: Some("C(i) = A(i,j(MIDDLE))"),
    },
    RelationRow {
        name: "product below the diagonal",
        statement: "C(i) = A(i,j) * (j < i) * x(j)",
        format: "dense",
        peer: None,
        beside: Some("C(i) = A(i,j) * x(j)"),
    },
    RelationRow {
        name: "an element of a vector",
        statement: "C(j) = x(j) * (j == s)",
        format: "sv",
        peer: None,
        beside: Some("C(j) = x(j(MIDDLE))"),
    },
    RelationRow {
        name: "a row by a scalar",
        statement: "C(j) = A((s),j)",
        format: "sv",
        peer: Some("row"),
        beside: Some("C(j) = A(i(MIDDLE),j)"),
    },
    RelationRow {
        name: "a gathered vector",
        statement: "C(i) = x(p(i))",
        format: "dense",
        peer: Some("gather"),
        beside: Some("C(i) = x(i)"),
    },
    RelationRow {
        name: "a vector backwards",
        statement: "C(i) = x(i(::-1))",
        format: "dense",
        peer: Some("backwards"),
        beside: Some("C(i) = x(i)"),
    },
    RelationRow {
        name: "a vector put at places",
        statement: "C(p(i)) = x(i)",
        format: "dense",
        peer: Some("place"),
        beside: Some("C(i) = x(p(i))"),
    },
    RelationRow {
        name: "rows put at places",
        statement: "C(p(i),j) = A(i,j)",
        format: "csr",
        peer: None,
        beside: Some("C(i,j) = A(p(i),j)"),
    },
    RelationRow {
        name: "gathered rows",
        statement: "C(i,j) = A(p(i),j)",
        format: "csr",
        peer: Some("rows"),
        beside: Some("C(i,j) = A(i,j)"),
    },
    RelationRow {
        name: "ten gathered columns",
        statement: "C(i,j) = A(i,q(j))",
        format: "csr",
        peer: Some("columns"),
        beside: None,
    },
    RelationRow {
        name: "product with a gathered one",
        statement: "C(i) = A(i,j) * x(p(j))",
        format: "dense",
        peer: Some("product"),
        beside: Some("C(i) = A(i,j) * x(j)"),
    },
    RelationRow {
        name: "added at positions",
        statement: "C(k) = sum(i, x(i) * (k == p(i)))",
        format: "dense",
        peer: Some("bincount"),
        beside: Some("C(i) = x(p(i))"),
    },
    RelationRow {
        name: "rows added at positions",
        statement: "C(k,j) = sum(i, A(i,j) * (k == p(i)))",
        format: "csr",
        peer: Some("sent"),
        beside: Some("C(i,j) = A(p(i),j)"),
    },
    RelationRow {
        name: "first of rows",
        statement: "C(i) = choose(j, A(i,j))",
        format: "dense",
        peer: None,
        beside: Some("C(i) = sum(j, A(i,j))"),
    },
    RelationRow {
        name: "place of the largest in rows",
        statement: "C(i) = argmax(j, A(i,j))",
        format: "dense",
        peer: Some("largest_in_rows"),
        beside: Some("C(i) = max(j, A(i,j))"),
    },
    RelationRow {
        name: "the same in columns",
        statement: "C(j) = argmax(i, A(i,j))",
        format: "dense",
        peer: Some("largest_in_columns"),
        beside: Some("C(j) = max(i, A(i,j))"),
    },
    RelationRow {
        name: "the same in an image",
        statement: "C(i) = argmax(j, m(i,j))",
        format: "dense",
        peer: Some("largest_in_image"),
        beside: Some("C(i) = max(j, m(i,j))"),
    },
    RelationRow {
        name: "a stencil",
        statement: "C(i) = x(i) - 2 * x(i+1) + x(i+2)",
        format: "dense",
        peer: Some("stencil"),
        beside: Some("C(i) = x(i(0:-2)) - 2 * x(i(1:-1)) + x(i(2:))"),
    },
    RelationRow {
        name: "a padded stencil",
        statement: "C(i) = padded(x(i-1)) - 2 * x(i) + padded(x(i+1))",
        format: "dense",
        peer: Some("padded_stencil"),
        beside: Some("C(i) = x(i) - 2 * x(i+1) + x(i+2)"),
    },
    RelationRow {
        name: "15 taps",
        statement: "C(i) = x(i+d) * w(d)",
        format: "dense",
        peer: Some("taps"),
        beside: None,
    },
    RelationRow {
        name: "15 padded taps",
        statement: "C(i) = padded(x(i+d-7)) * w(d)",
        format: "dense",
        peer: Some("padded_taps"),
        beside: Some("C(i) = x(i+d) * w(d)"),
    },
    RelationRow {
        name: "3 x 3 of an image",
        statement: "C(i,j) = m(i+r,j+t) * b(r,t)",
        format: "dense",
        peer: Some("inner_image"),
        beside: None,
    },
    RelationRow {
        name: "3 x 3, padded",
        statement: "C(i,j) = padded(m(i+r-1,j+t-1)) * b(r,t)",
        format: "dense",
        peer: Some("image"),
        beside: Some("C(i,j) = m(i+r,j+t) * b(r,t)"),
    },
    RelationRow {
        name: "3 x 3 of a thin image",
        statement: "C(i,j) = z(i+r,j+t) * b(r,t)",
        format: "csr",
        peer: Some("inner_image"),
        beside: Some("C(i,j) = m(i+r,j+t) * b(r,t)"),
    },
    RelationRow {
        name: "thin and padded",
        statement: "C(i,j) = padded(z(i+r-1,j+t-1)) * b(r,t)",
        format: "csr",
        peer: Some("image"),
        beside: Some("C(i,j) = z(i+r,j+t) * b(r,t)"),
    },
    RelationRow {
        name: "7 x 7, padded",
        statement: "C(i,j) = padded(m(i+r-3,j+t-3)) * g(r,t)",
        format: "dense",
        peer: Some("wide_image"),
        beside: Some("C(i,j) = m(i+r,j+t) * g(r,t)"),
    },
    RelationRow {
        name: "3 x 3 x 3, padded",
        statement: "C(i,j,l) = padded(u(i+r-1,j+t-1,l+d-1)) * h(r,t,d)",
        format: "dense",
        peer: Some("volume"),
        beside: Some("C(i,j,l) = u(i+r,j+t,l+d) * h(r,t,d)"),
    },
];

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// Rows and columns of the image, and the same of the volume.
const IMAGE: usize = 1000;
const VOLUME: usize = 128;

/// What all rows read.
struct RelationOperands {
    a: Tensor,
    x: Tensor,
    s: Tensor,
    p: Tensor,
    q: Tensor,
    w: Tensor,
    b: Tensor,
    g: Tensor,
    h: Tensor,
    m: Tensor,
    u: Tensor,
    z: Tensor,
    middle: usize,
}

impl RelationOperands {
    /// A csr matrix with so many elements in each row, one of them on the diagonal.
    fn new(n: usize, degree: usize) -> Text<RelationOperands> {
        let mut r = BenchRandom(n as u64);
        let step = n / degree;
        let mut crd: Vec<i32> = Vec::with_capacity(n * degree);
        for i in 0..n {
            let row = (0..degree).map(|k| match i / step == k {
                true => i as i32,
                false => (k * step + r.number_below(step)) as i32,
            });
            crd.extend(row);
        }
        let pos: Vec<i64> = (0..=n).map(|i| (i * degree) as i64).collect();
        let vals: Vec<f64> = (0..n * degree).map(|_| (1 + r.number_below(9)) as f64).collect();
        let x: Vec<f64> = (0..n).map(|_| (1 + r.number_below(9)) as f64).collect();
        let positions: Vec<i64> = (0..n).map(|_| r.number_below(n) as i64).collect();
        let columns: Vec<i64> = (0..10).map(|_| r.number_below(n) as i64).collect();
        let weights = |n: usize| (0..n).map(|k| (k % 4) as f64 - 1.0).collect::<Vec<f64>>();
        // One pixel in a hundred is lit.
        let lit =
            |r: &mut BenchRandom| if r.number_below(100) == 0 { 1.0 + r.number_below(9) as f64 } else { 0.0 };
        let image: Vec<f64> = (0..IMAGE * IMAGE).map(|_| lit(&mut r)).collect();
        let m = text(Tensor::dense(&[IMAGE, IMAGE], Buffer::from(image)))?;
        let volume: Vec<f64> = (0..VOLUME * VOLUME * VOLUME).map(|_| r.number_below(10) as f64).collect();
        let csr = text(Format::parse("csr", 2))?;
        Ok(RelationOperands {
            w: text(Tensor::dense(&[15], Buffer::from(weights(15))))?,
            b: text(Tensor::dense(&[3, 3], Buffer::from(weights(9))))?,
            g: text(Tensor::dense(&[7, 7], Buffer::from(weights(49))))?,
            h: text(Tensor::dense(&[3, 3, 3], Buffer::from(weights(27))))?,
            u: text(Tensor::dense(&[VOLUME; 3], Buffer::from(volume)))?,
            z: text(openwork::convert(Session::global(), &m, &csr))?.tensor,
            m,
            a: text(Tensor::from_csr(pos, crd, vals, [n, n]))?,
            x: text(Tensor::dense(&[n], Buffer::from(x)))?,
            s: text(Tensor::dense(&[], Buffer::from(vec![(n / 2) as i64])))?,
            p: text(Tensor::dense(&[n], Buffer::from(positions)))?,
            q: text(Tensor::dense(&[10], Buffer::from(columns)))?,
            middle: n / 2,
        })
    }
    fn of_statement(&self, statement: &str) -> Vec<(&'static str, &Tensor)> {
        let all = [("A", &self.a), ("x", &self.x), ("s", &self.s), ("p", &self.p), ("q", &self.q)];
        let more = [("w", &self.w), ("b", &self.b), ("m", &self.m), ("z", &self.z)];
        let more = more.into_iter().chain([("g", &self.g), ("h", &self.h), ("u", &self.u)]);
        let words: Vec<&str> = statement.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        all.into_iter().chain(more).filter(|(name, _)| words.contains(name)).collect()
    }
    fn compile(&self, statement: &str, format: &str) -> Text<Kernel> {
        let left = statement.split('=').next().unwrap_or("");
        let rank = 1 + left.matches(',').count();
        let mut decls = openwork::declare_operands(&self.of_statement(statement));
        let format = Some(text(Format::parse(format, rank))?);
        let shape = left.contains("p(").then(|| vec![2 * self.middle; rank]);
        decls.tensors.insert("C".into(), Decl { format, shape, ..Decl::default() });
        if left.contains('k') {
            decls.dims.insert("k".into(), 2 * self.middle);
        }
        text(Session::global().compile(statement, &Decls { ..decls }))
    }
}

/// What a result stores, and what that adds up to.
fn summary(t: &Tensor) -> (usize, f64) {
    let values = t.vals().iter().map(|v| v.as_f64()).filter(|v| *v != 0.0);
    values.fold((0, 0.0), |(n, sum), v| (n + 1, sum + v))
}

/// Prints, for each row, the time, and the ratio of SciPy's and of another way of ours to it.
///
/// # Errors
/// Those of the library, and results that differ.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let files = [("relations.py", include_str!("peer/relations.py"))];
    let python = match Python::start(&files, &[]) {
        Ok(python) => Some(RefCell::new(python)),
        Err(e) => {
            eprintln!("without SciPy: {e}");
            None
        }
    };
    let shapes: &[(usize, usize)] = match effort {
        Effort::Quick => &[(10_000, 16)],
        Effort::Full | Effort::Long => &[(10_000, 16), (100_000, 16), (10_000, 200), (1_000_000, 8)],
    };
    for &(n, degree) in shapes {
        let operands = RelationOperands::new(n, degree)?;
        if let Some(python) = &python {
            let mut python = python.borrow_mut();
            let [pos, crd] = [0, 1].map(|k| &operands.a.level(1).arrays[k]);
            let [x, p, q] = [&operands.x, &operands.p, &operands.q].map(|t| t.vals());
            let vals = operands.a.vals();
            let [w, b, m] = [&operands.w, &operands.b, &operands.m].map(|t| t.vals());
            let all = [("pos", pos), ("crd", crd), ("vals", vals), ("x", x), ("p", p), ("q", q)];
            let [g, h, u] = [&operands.g, &operands.h, &operands.u].map(|t| t.vals());
            let all = [&all[..], &[("w", w), ("b", b), ("m", m), ("g", g), ("h", h), ("u", u)]].concat();
            let folder = python.write(&all)?;
            python.ask(&format!("load {folder} {n}"))?;
        }
        println!("\nmedian ms over a csr matrix of {n} rows of {degree}");
        println!(
            "{:<28} {:>9} {:>9} {:>7} {:>9} {:>7}",
            "statement", "ours", "SciPy", "ratio", "other", "ratio"
        );
        for row in ROWS.iter().filter(|row| filter.is_none_or(|f| row.name.contains(f))) {
            time_row(row, &operands, python.as_ref(), effort)?;
        }
    }
    if filter.is_none_or(|f| "widths".contains(f)) {
        time_widths(effort)?;
    }
    Ok(())
}

fn time_row(
    row: &RelationRow,
    operands: &RelationOperands,
    python: Option<&RefCell<Python>>,
    effort: Effort,
) -> Text<()> {
    let part = format!("{}:{}", operands.middle, operands.middle + 1);
    let beside = row.beside.map(|s| s.replace("MIDDLE", &part));
    let statements: Vec<&str> = [row.statement].into_iter().chain(beside.as_deref()).collect();
    let mut kernels = Vec::new();
    for statement in statements {
        let kernel = operands.compile(statement, row.format)?;
        let own = operands.of_statement(statement);
        let made = text(kernel.run(&own))?.tensor;
        kernels.push((kernel, own, summary(&made)));
    }
    let ask = |python: &RefCell<Python>, name: &str| -> Text<(f64, usize, f64)> {
        let answer = python.borrow_mut().ask(&format!("run {name}"))?;
        let numbers: Vec<f64> = answer.split(' ').map(|w| w.parse().unwrap_or(f64::NAN)).collect();
        Ok((numbers[0], numbers[1] as usize, numbers[2]))
    };
    if let (Some(python), Some(name)) = (python, row.peer) {
        let (_, stored, sum) = ask(python, name)?;
        if (stored, sum) != kernels[0].2 {
            return Err(format!("`{}` is {:?} instead of {:?}", row.name, kernels[0].2, (stored, sum)));
        }
    }
    let mut subjects: Vec<TimedSubject> = Vec::new();
    for (kernel, own, _) in &kernels {
        subjects.push(Box::new(move || {
            let start = Instant::now();
            let made = kernel.run(own).expect("it ran before");
            let time = start.elapsed();
            kernel.recycle(made.tensor);
            time
        }));
    }
    if let (Some(python), Some(name)) = (python, row.peer) {
        subjects.push(Box::new(move || Duration::from_secs_f64(ask(python, name).expect("it ran before").0)));
    }
    let times = interleave(&mut subjects, effort);
    let shown = |time: Option<f64>| match time {
        Some(time) => format!("{time:>9.4} {:>7.2}", time / times[0]),
        None => format!("{:>9} {:>7}", "", ""),
    };
    let peer = row.peer.and(python).map(|_| times[times.len() - 1]);
    println!("{:<28} {:>9.4} {} {}", row.name, times[0], shown(peer), shown(row.beside.map(|_| times[1])));
    Ok(())
}

/// What an interval of columns costs as it gets wider, in rows of 10,000 elements.
fn time_widths(effort: Effort) -> Text<()> {
    let (rows, degree) = (50, 10_000);
    let crd: Vec<i32> = (0..rows).flat_map(|_| (0..degree).map(|k| 2 * k as i32)).collect();
    let pos: Vec<i64> = (0..=rows).map(|i| (i * degree) as i64).collect();
    let a = text(Tensor::from_csr(pos, crd, vec![1.0; rows * degree], [rows, 2 * degree]))?;
    println!("\nmedian us of `y(i) = A(i,j) * (j >= 5000) * (j < 5000 + w)` over {rows} rows of {degree}");
    println!("{:>8} {:>9} {:>12}", "w", "us", "ns per value");
    for width in [0i64, 10, 100, 1000, 10_000] {
        let statement = format!("y(i) = A(i,j) * (j >= 5000) * (j < {})", 5000 + width);
        let own = [("A", &a)];
        let kernel = text(Session::global().compile(&statement, &openwork::declare_operands(&own)))?;
        text(kernel.run(&own))?;
        let mut subjects: Vec<TimedSubject> = vec![Box::new(|| {
            let start = Instant::now();
            let made = kernel.run(&own).expect("it ran before");
            let time = start.elapsed();
            kernel.recycle(made.tensor);
            time
        })];
        let us = interleave(&mut subjects, effort)[0] * 1e3;
        let values = (rows as i64 * width / 2).max(1) as f64;
        println!("{width:>8} {us:>9.2} {:>12.2}", us * 1e3 / values);
    }
    Ok(())
}
