use openwork::{Session, Statement, Tensor, TensorExt};
use std::time::Instant;
#[inline(never)]
fn zz_once(s: &Statement, session: &Session, a: &Tensor, x: &Tensor) { std::hint::black_box(s.run(session, &[a, x]).unwrap()); }
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n = 10usize;
    let pos: Vec<i32> = (0..=n as i32).map(|i| 2 * i).collect();
    let crd: Vec<i32> = (0..n as i32).flat_map(|_| [1, 5]).collect();
    let a = Tensor::from_csr(pos, crd, vec![1.0; 2 * n], [n, n]).unwrap();
    let x = Tensor::from_vec(&[n], vec![1.0; n]).unwrap();
    let session = Session::shared();
    let s = Statement::new("y(i) = A(i,j) * x(j)", ["A", "x"]).unwrap();
    let m: usize = args.get(1).map_or(1_500_000, |m| m.parse().unwrap());
    zz_once(&s, session, &a, &x);
    let start = Instant::now();
    for _ in 0..m { zz_once(&s, session, &a, &x); }
    println!("{:.3} us", start.elapsed().as_secs_f64() * 1e6 / m as f64);
}
