//! Operands that are converted: whatever format they come in, in chunks, again and again, while their values change.

use openwork::{BackendKind, Decl, Decls, Format, FormatExt, Scalar, Session, Tensor, TensorExt};

const N: usize = 90;
/// Enough values that conversions are kernels.
const STORED: usize = 4500;

fn matrix(format: &str, seed: usize) -> Tensor {
    let place = |e: usize| {
        let at = (e * 7919 + seed) % (N * N);
        vec![at / N, at % N]
    };
    let entries: Vec<_> = (0..STORED).map(|e| (place(e), Scalar::F64((e % 13) as f64 - 6.5))).collect();
    Tensor::pack(&[N, N], &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

/// The value at every coordinate.
fn dense(t: &Tensor) -> Vec<f64> {
    let t = t.to_format(&Format::parse("dense", 2).unwrap()).unwrap();
    t.vals().as_slice::<f64>().unwrap().to_vec()
}

#[test]
fn conversions_follow_the_values_in_every_format() {
    let formats = [
        "csr",
        "csc",
        "coo",
        "dcsr",
        "dcsc",
        "ell",
        "jad",
        "sell(8)",
        "dia",
        "hicoo",
        "bcsr(2,2)",
        "hash",
        "dok",
        "lil",
        "bitmap",
    ];
    let mut converted = 0;
    for a in formats {
        for (b, result) in [("csr", "csr"), ("csc", "dcsr"), ("ell", "csc")] {
            for chunks in [1, 3] {
                converted += usize::from(follows(a, b, result, chunks));
            }
        }
    }
    assert!(converted > 60, "{converted} of 90 convert something");
}

/// Checks one sum over four runs, between which values change; whether something is converted.
fn follows(a: &str, b: &str, result: &str, chunks: usize) -> bool {
    let (mut left, mut right) = (matrix(a, 1), matrix(b, 2));
    let decl = |t: &Tensor| {
        let (dtype, format) = (Some(t.dtype()), Some(t.format().clone()));
        Decl { dtype, format, shape: Some(vec![N, N]), stored: Some(t.slots()), elements: None }
    };
    let mut decls = Decls::default();
    decls.tensors.insert("A".into(), decl(&left));
    decls.tensors.insert("B".into(), decl(&right));
    let format = Some(Format::parse(result, 2).unwrap());
    decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    let session = Session::new(BackendKind::Clif).unwrap();
    let kernel = session.compile("C(i,j) = A(i,j) + 2 * B(j,i)", &decls).unwrap().with_chunks(chunks);
    for run in 0..6 {
        let found = dense(&kernel.run(&[("A", &left), ("B", &right)]).unwrap().tensor);
        let (x, y) = (dense(&left), dense(&right));
        let wanted = |p: usize| x[p] + 2.0 * y[p % N * N + p / N];
        assert!((0..N * N).all(|p| found[p] == wanted(p)), "{a} + {b}' as {result}, run {run}");
        // The third run finds what the second one kept; then a value changes.
        if run >= 2 {
            let at = |t: &Tensor| (0..t.slots()).find(|&p| t.vals().get(p).truthy()).unwrap();
            let place = if run % 2 == 0 { &mut left } else { &mut right };
            let slot = at(place);
            place.vals_mut().set(slot, Scalar::F64(100.0 + run as f64));
        }
    }
    kernel.stages().steps.len() > 1
}
