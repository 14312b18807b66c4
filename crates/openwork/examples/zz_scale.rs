use openwork::{Session, Tensor, TensorExt};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let stmt = &args[1];
    let n: usize = args[2].parse().unwrap();
    let per: usize = args[3].parse().unwrap();
    // synthetic csr
    let mut pos = vec![0i32]; let mut crd = vec![]; let mut vals = vec![];
    let mut s = 12345u64;
    for _ in 0..n { let mut r: Vec<i32> = (0..per).map(|_| { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); ((s >> 33) % n as u64) as i32 }).collect(); r.sort(); r.dedup(); for c in r { crd.push(c); vals.push(1.5f64); } pos.push(crd.len() as i32); }
    let nnz = crd.len();
    let a = Tensor::from_csr(pos, crd, vals, [n, n]).unwrap();
    let x = Tensor::from_vec(&[n], vec![1.0; n]).unwrap();
    let session = Session::shared();
    let given: Vec<(&str, &Tensor)> = vec![("A", &a), ("x", &x)];
    let mut y = vec![0.0f64; n];
    println!("nnz {nnz}");
    for (t, c) in [(1, 0), (2, 0), (1, 4), (2, 2), (2, 4), (2, 8), (2, 16), (2, 32)] {
        let k = session.compile_for(stmt, &given).unwrap().with_threads(t);
        let k = if c > 0 { k.with_chunks(c) } else { k };
        let mut all = vec![];
        for _ in 0..3000 { let s = Instant::now(); k.run_into_slice(&mut y, &given).unwrap(); all.push(s.elapsed().as_nanos() as f64 / 1e3); }
        all.sort_by(f64::total_cmp);
        println!("threads {t} chunks {c}: min {:.2} p25 {:.2} median {:.2} p90 {:.2}", all[0], all[750], all[1500], all[2700]);
    }
}
