//! Conjugate gradients over a program's own arrays: `cargo run --release -p openwork --example cg`.

use openwork::{Result, Tensor, TensorExt, TensorView, compile_for};

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The solution of `a x = b` for a symmetric positive definite matrix.
pub fn cg(a: &Tensor, b: &[f64]) -> Result<Vec<f64>> {
    let (n, mut x, mut r, mut p) = (b.len(), vec![0.0; b.len()], b.to_vec(), b.to_vec());
    let mut q = Tensor::from_vec(&[n], vec![0.0; n])?;
    let product = compile_for("q(i) = A(i,j) * p(j)", &[("A", a), ("p", &q)])?;
    let mut rr = dot(&r, &r);
    while rr > 1e-20 * dot(b, b) {
        product.run_into(&mut q, &[("A", a), ("p", &*TensorView::dense(&[n], &p)?)])?;
        let q = q.vals().as_slice().unwrap_or(&[]);
        let step = rr / dot(&p, q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
        r.iter_mut().zip(q).for_each(|(r, q)| *r -= step * q);
        let before = std::mem::replace(&mut rr, dot(&r, &r));
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + rr / before * *p);
    }
    Ok(x)
}

/// A chain of springs, held at both ends.
pub fn main() -> Result<()> {
    let n = 200;
    let near = (0..n).flat_map(|i| (i.max(1) - 1..(i + 2).min(n)).map(move |j| (i, j)));
    let (rows, cols): (Vec<usize>, Vec<usize>) = near.unzip();
    let vals: Vec<f64> = rows.iter().zip(&cols).map(|(i, j)| if i == j { 2.0 } else { -1.0 }).collect();
    let a = Tensor::from_coo(&[rows, cols], &vals, &[n, n])?;
    let x = cg(&a, &vec![1.0; n])?;
    // The exact solution is a parabola.
    let exact = |i: usize| (i + 1) as f64 * (n - i) as f64 / 2.0;
    let worst = (0..n).map(|i| (x[i] - exact(i)).abs()).fold(0.0, f64::max);
    println!("{a}");
    println!("{n} springs give by {:.1} in the middle, off by {worst:.1e}", x[n / 2]);
    assert!(worst < 1e-6);
    Ok(())
}
