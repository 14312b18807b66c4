//! Results that are updated where values say: what arrives, what is refused, and what it costs.

use crate::relations::count;
use openwork::{BackendKind, Buffer, Session, Tensor, TensorExt, compile_for, declare_operands, presets};

fn integers(values: &[i64]) -> Tensor {
    Tensor::dense(&[values.len()], Buffer::from(values.to_vec())).unwrap()
}

fn sparse_vector(t: &Tensor) -> Tensor {
    t.to_format(&presets::sparse_vector()).unwrap()
}

#[test]
fn chunks_scatter_the_same() {
    let p = integers(&(0..1000).map(|k| (k * k * 37) % 100).collect::<Vec<_>>());
    let x = Tensor::from_vec(&[1000], (0..1000).map(|k| 1.0 / (1 + k % 17) as f64).collect()).unwrap();
    let y = Tensor::from_vec(&[100], (0..100).map(|k| k as f64 / 8.0).collect()).unwrap();
    let all = [
        (&y, &x),
        (&sparse_vector(&y), &x),
        (&y, &sparse_vector(&x)),
        (&sparse_vector(&y), &sparse_vector(&x)),
    ];
    for update in [
        "y(p(i)) += x(i)",
        "y(p(i)) min= -x(i)",
        "y(p(i)) choose= x(i)",
        "y(p(i)) max= x(i)",
        "y(p(i)) *= 1 + x(i)",
        "y(k) += x(i) * (k == p(i))",
    ] {
        for (y, x) in all {
            let given: &[(&str, &Tensor)] = &[("y", y), ("x", x), ("p", &p)];
            let kernel = |n| compile_for(update, given).unwrap().with_chunks(n);
            let one = kernel(1).run(given).unwrap().tensor;
            for n in [3, 8, 64] {
                assert_eq!(kernel(n).run(given).unwrap().tensor, one, "{update} in {n} chunks");
            }
        }
    }
}

#[test]
fn every_place_outside_is_refused_on_every_backend() {
    let x = Tensor::from_vec(&[4], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    let y = Tensor::from_vec(&[5], vec![0.0; 5]).unwrap();
    for bad in [-1, 5, i64::MAX, i64::MIN, 1 << 40] {
        for at in 0..4 {
            let mut values = [0, 4, 2, 1];
            values[at] = bad;
            let p = integers(&values);
            for (x, p, y) in
                [(&x, &p, &y), (&sparse_vector(&x), &p, &sparse_vector(&y)), (&x, &sparse_vector(&p), &y)]
            {
                let given: &[(&str, &Tensor)] = &[("x", x), ("p", p), ("y", y)];
                for backend in [BackendKind::Interp, BackendKind::Clif] {
                    let session = Session::new(backend).unwrap();
                    for update in ["y(p(i)) += x(i)", "y(p(i)) max= x(i)"] {
                        let kernel = session.compile(update, &declare_operands(given)).unwrap();
                        let e = kernel.run(given).unwrap_err();
                        assert!(
                            e.code().0 == "E0608" && e.to_string().contains(&format!("is {bad} at i = {at}")),
                            "{e}"
                        );
                    }
                    // What changes nothing needs no place.
                    let guarded = "y(p(i)) += where((p(i) >= 0) & (p(i) < 5), x(i), 0)";
                    let made =
                        session.compile(guarded, &declare_operands(given)).unwrap().run(given).unwrap();
                    let mut expected = [0.0; 5];
                    for (n, &v) in values.iter().enumerate().filter(|(n, _)| *n != at) {
                        expected[v as usize] += (n + 1) as f64;
                    }
                    let got = made.tensor.to_dense().unwrap();
                    assert_eq!(got.as_slice::<f64>().unwrap(), expected, "{bad} at {at}");
                }
            }
        }
    }
}

#[test]
fn a_result_without_places_takes_what_changes_nothing() {
    let none = Tensor::from_vec(&[0], Vec::<f64>::new()).unwrap();
    let p = integers(&[0, 3]);
    for (x, code) in [(vec![0.0, 0.0], None), (vec![0.0, f64::NAN], Some("E0608"))] {
        let x = Tensor::from_vec(&[2], x).unwrap();
        let given: &[(&str, &Tensor)] = &[("y", &none), ("x", &x), ("p", &p)];
        let outcome = compile_for("y(p(i)) += x(i)", given).unwrap().run(given);
        assert_eq!(outcome.err().map(|e| e.code().0), code);
    }
}

#[test]
fn few_that_arrive_are_few_rounds() {
    let frontier = (0..100_000).map(|k| if k % 5000 == 7 { 1.0 } else { 0.0 }).collect();
    let f = sparse_vector(&Tensor::from_vec(&[100_000], frontier).unwrap());
    let p = integers(&(0..100_000).map(|k| (k * 7) % 100_000).collect::<Vec<_>>());
    // Neither the loops nor what reads the workspace go over the dimension.
    let (counts, made) = count("R(p(i)) += F(i)", &[("F", &f), ("p", &p), ("R", &f)], "sv", 1);
    assert!(counts.rounds < 300, "{} rounds", counts.rounds);
    assert_eq!(made.to_dense().unwrap().as_slice::<f64>().unwrap().iter().sum::<f64>(), 40.0);
    let x = Tensor::from_vec(&[1000], vec![1.0; 1000]).unwrap();
    let d =
        Tensor::from_vec(&[1000, 1000], vec![0.0; 1_000_000]).unwrap().to_format(&presets::csr()).unwrap();
    let (counts, made) = count("R(i,i) += x(i)", &[("x", &x), ("R", &d)], "csr", 2);
    assert!(counts.rounds < 10_000, "{} rounds", counts.rounds);
    assert_eq!(made.vals().len(), 1000);
}
