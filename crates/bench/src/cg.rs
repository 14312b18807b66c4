//! Conjugate gradients: the twenty lines of `crates/openwork/examples/cg.rs` beside the same loop over the same arrays, written
//! by hand. Compiling the kernel counts. On one thread, in turns; the shortest and the middle times.

use crate::Text;
use crate::timing::{Effort, TimedSubject, median, rounds};
use openwork::Tensor;
use std::time::Instant;

#[path = "../../openwork/examples/cg.rs"]
#[allow(dead_code, reason = "its own main and matrix are those of the example")]
mod example;

/// A matrix in compressed rows.
pub struct CsrRows {
    pub pos: Vec<i64>,
    pub crd: Vec<i32>,
    pub vals: Vec<f64>,
}

/// The five-point stencil of Poisson's equation on a square grid.
pub fn poisson(side: usize) -> CsrRows {
    let mut rows = CsrRows { pos: vec![0], crd: Vec::new(), vals: Vec::new() };
    for (i, j) in (0..side * side).map(|n| (n / side, n % side)) {
        let mut put = |there: bool, n: usize, value: f64| {
            if there {
                rows.crd.push(n as i32);
                rows.vals.push(value);
            }
        };
        let n = i * side + j;
        put(i > 0, n.wrapping_sub(side), -1.0);
        put(j > 0, n.wrapping_sub(1), -1.0);
        put(true, n, 4.0);
        put(j + 1 < side, n + 1, -1.0);
        put(i + 1 < side, n + side, -1.0);
        rows.pos.push(rows.crd.len() as i64);
    }
    rows
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The loop by hand: the solution, and how many products it took.
fn by_hand(a: &CsrRows, b: &[f64]) -> (Vec<f64>, usize) {
    let (mut x, mut r, mut p, mut q) = (vec![0.0; b.len()], b.to_vec(), b.to_vec(), vec![0.0; b.len()]);
    let mut rr = dot(&r, &r);
    let mut products = 0;
    while rr > 1e-20 * dot(b, b) {
        for (q, ends) in q.iter_mut().zip(a.pos.windows(2)) {
            let (from, to) = (ends[0] as usize, ends[1] as usize);
            *q = a.crd[from..to].iter().zip(&a.vals[from..to]).map(|(&j, v)| v * p[j as usize]).sum();
        }
        products += 1;
        let step = rr / dot(&p, &q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
        let before = std::mem::replace(&mut rr, dot(&r, &r));
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + rr / before * *p);
    }
    (x, products)
}

/// Prints a row for every size.
///
/// # Errors
/// Those of the library, and solutions that differ.
pub fn run(effort: Effort) -> Text<()> {
    let sides: &[usize] = if effort == Effort::Quick { &[30, 100] } else { &[30, 100, 300, 600] };
    println!("shortest and middle ms; ratio = the library's over the loop by hand");
    println!("{:>9} {:>9} {:>19} {:>19} {:>13}", "unknowns", "products", "library", "by hand", "ratio");
    for &side in sides {
        let rows = poisson(side);
        let n = side * side;
        let b: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
        let a = Tensor::from_csr(rows.pos.clone(), rows.crd.clone(), rows.vals.clone(), [n, n]);
        let a = a.map_err(|e| e.to_string())?;
        let (x, products) = by_hand(&rows, &b);
        let found = example::cg(&a, &b).map_err(|e| e.to_string())?;
        let size = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if x.iter().zip(&found).any(|(x, y)| (x - y).abs() > 1e-7 * size) {
            return Err(format!("the solutions of {n} unknowns differ"));
        }
        let mut subjects: [TimedSubject; 2] = [
            Box::new(|| {
                let start = Instant::now();
                let _ = std::hint::black_box(example::cg(&a, &b));
                start.elapsed()
            }),
            Box::new(|| {
                let start = Instant::now();
                let _ = std::hint::black_box(by_hand(&rows, &b));
                start.elapsed()
            }),
        ];
        let times = rounds(&mut subjects, effort);
        let least = |n: usize| times[n].iter().copied().fold(f64::INFINITY, f64::min);
        let middle = |n: usize| median(times[n].clone());
        println!(
            "{n:>9} {products:>9} {:>9.3} {:>9.3} {:>9.3} {:>9.3} {:>6.2} {:>6.2}",
            least(0),
            middle(0),
            least(1),
            middle(1),
            least(0) / least(1),
            middle(0) / middle(1)
        );
    }
    Ok(())
}
