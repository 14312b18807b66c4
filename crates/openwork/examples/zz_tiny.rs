use openwork::{Session, Tensor, TensorExt};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t: usize = args[1].parse().unwrap();
    let n = 10usize;
    let pos: Vec<i32> = (0..=n as i32).map(|i| 2 * i).collect();
    let crd: Vec<i32> = (0..n as i32).flat_map(|_| [1, 5]).collect();
    let a = Tensor::from_csr(pos, crd, vec![1.0; 2 * n], [n, n]).unwrap();
    let x = Tensor::from_vec(&[n], vec![1.0; n]).unwrap();
    let session = Session::shared();
    let given: Vec<(&str, &Tensor)> = vec![("A", &a), ("x", &x)];
    let mut y = vec![0.0f64; n];
    let k = session.compile_for("y(i) = A(i,j) * x(j)", &given).unwrap().with_threads(t);
    let k = if t > 1 { k.with_chunks(4) } else { k };
    let s = Instant::now();
    let m: usize = args.get(2).map_or(1_500_000, |m| m.parse().unwrap());
    for _ in 0..m { k.run_into_slice(&mut y, &given).unwrap(); }
    println!("{:.3} us", s.elapsed().as_secs_f64() * 1e6 / m as f64);
}
