//! Indices that are values: what is read, what is refused, and what it costs.

use crate::relations::{count, matrix};
use openwork::{
    BackendKind, Buffer, Format, FormatExt, Session, Tensor, TensorExt, compile_for, declare_operands,
    presets,
};

fn integers(values: &[i64]) -> Tensor {
    Tensor::dense(&[values.len()], Buffer::from(values.to_vec())).unwrap()
}

#[test]
fn what_is_gathered_is_what_is_read() {
    let a = matrix(1000, 20);
    let s = Tensor::dense(&[], Buffer::from(vec![777i64])).unwrap();
    for statement in ["R(j) = A((s),j)", "R(j) = A(777,j)", "R(j) = A((s + 0),j)", "R(j) = A(-223,j)"] {
        let reads = if statement.contains('s') { vec![("A", &a), ("s", &s)] } else { vec![("A", &a)] };
        for format in ["dense", "sv"] {
            let (counts, made) = count(statement, &reads, format, 1);
            assert!(counts.rounds < 150, "{statement} into {format}: {} rounds", counts.rounds);
            assert_eq!(made.get(&[4]).unwrap().as_f64(), (777 * 20 + 3) as f64, "{statement}");
        }
    }
    let p = integers(&[3, 999, 3]);
    let (counts, made) = count("R(i,j) = A(p(i),j)", &[("A", &a), ("p", &p)], "csr", 2);
    assert!(counts.rounds < 150, "{} rounds", counts.rounds);
    assert_eq!(made.vals().len(), 60);
    // A long list is searched for each position.
    let x = matrix(1, 100_000);
    let (counts, _) = count("R(i) = x(0,p(i)) + 1", &[("x", &x), ("p", &p)], "dense", 1);
    assert!(counts.rounds < 200, "{} rounds", counts.rounds);
}

#[test]
fn a_frontier_reads_what_it_needs() {
    let frontier = (0..100_000).map(|k| if k % 5000 == 7 { 1.0 } else { 0.0 }).collect();
    let f = Tensor::from_vec(&[100_000], frontier).unwrap().to_format(&presets::sparse_vector()).unwrap();
    let p = integers(&(0..100_000).map(|k| (k * 7) % 100_000).collect::<Vec<_>>());
    let x = Tensor::from_vec(&[100_000], vec![2.0; 100_000]).unwrap();
    let (counts, made) = count("R(i) = F(i) * x(p(i))", &[("F", &f), ("p", &p), ("x", &x)], "sv", 1);
    assert!(counts.rounds < 100, "{} rounds", counts.rounds);
    assert_eq!(made.vals().len(), 20);
}

#[test]
fn every_position_that_is_none_is_refused_on_every_backend() {
    let x = Tensor::from_vec(&[5], vec![10.0, 11.0, 12.0, 13.0, 14.0]).unwrap();
    let sparse = x.to_format(&presets::sparse_vector()).unwrap();
    for bad in [-1, 5, i64::MAX, i64::MIN, -6, 1 << 40] {
        for at in 0..4 {
            let mut values = [0, 4, 2, 1];
            values[at] = bad;
            let p = integers(&values);
            for (x, p) in [(&x, &p), (&sparse, &p), (&x, &p.to_format(&presets::sparse_vector()).unwrap())] {
                let given: &[(&str, &Tensor)] = &[("x", x), ("p", p)];
                for backend in [BackendKind::Interp, BackendKind::Clif] {
                    let session = Session::new(backend).unwrap();
                    for statement in ["R(i) = x(p(i))", "R(i) = x(p(i)) + x(i)", "R = x(p(i))"] {
                        let five = integers(&[0, 1, 2, 3, bad]);
                        let same: &[(&str, &Tensor)] = &[("x", x), ("p", &five)];
                        let given = if statement.contains("x(i)") { same } else { given };
                        let kernel = session.compile(statement, &declare_operands(given)).unwrap();
                        let e = kernel.run(given).unwrap_err();
                        assert_eq!(e.code().0, "E0608", "{statement}: {e}");
                        assert!(e.to_string().contains(&format!("is {bad} at i = ")), "{e}");
                    }
                    // Where it is not needed it may be anything.
                    let guarded = "R(i) = where((p(i) >= 0) & (p(i) < 5), x(p(i)), -1)";
                    let made =
                        session.compile(guarded, &declare_operands(given)).unwrap().run(given).unwrap();
                    let expected = |v: i64| if v == bad { -1.0 } else { 10.0 + v as f64 };
                    let got = made.tensor.to_dense().unwrap();
                    assert_eq!(got.as_slice::<f64>().unwrap(), values.map(expected), "{bad} at {at}");
                }
            }
        }
    }
}

#[test]
fn positions_are_looked_at_in_sequences_too() {
    let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0]).unwrap();
    let session = Session::new(BackendKind::Clif).unwrap();
    for (p, code) in
        [(integers(&[0, 1, 2]), None), (integers(&[0, 1, 1]), None), (integers(&[0, 1, 3]), Some("E0608"))]
    {
        let given: &[(&str, &Tensor)] = &[("x", &x), ("p", &p)];
        let text = "y(i) = x(p(i)); z(i) = 2 * x(p(i)) + y(i)";
        let sequence = session.sequence(text, &declare_operands(given), None).unwrap();
        let outcome = sequence.run(given);
        assert_eq!(outcome.err().map(|e| e.code().0), code);
    }
}

#[test]
fn a_mode_without_coordinates_is_read_nowhere() {
    let none = Tensor::from_vec(&[0], Vec::<f64>::new()).unwrap();
    let p = integers(&[0, 0]);
    let given: &[(&str, &Tensor)] = &[("x", &none), ("p", &p)];
    for statement in ["y(i) = x(p(i))", "y(i) = where(p(i) > 0, x(p(i)), 1)"] {
        let refused = compile_for(statement, given).unwrap().run(given).unwrap_err();
        assert_eq!(refused.code().0, "E0608", "{refused}");
    }
    let nobody = integers(&[]);
    let given: &[(&str, &Tensor)] = &[("x", &none), ("p", &nobody)];
    assert_eq!(compile_for("y(i) = x(p(i))", given).unwrap().run(given).unwrap().tensor.shape(), [0]);
}

#[test]
fn chunks_gather_the_same() {
    let p = integers(&(0..1000).map(|k| (k * 37) % 100).collect::<Vec<_>>());
    let a = matrix(100, 7);
    let given: &[(&str, &Tensor)] = &[("A", &a), ("p", &p)];
    let kernel = |n| compile_for("C(i,j) = A(p(i),j)", given).unwrap().with_chunks(n);
    let one = kernel(1).run(given).unwrap().tensor;
    for n in [3, 8, 64] {
        assert_eq!(kernel(n).run(given).unwrap().tensor, one, "{n} chunks");
    }
}

#[test]
fn an_element_that_is_stored_twice_is_a_sum() {
    // What is stored of it is a coordinate, and the element is none.
    let format = Format::parse("(i) -> (i) : compressed(nonunique)", 1).unwrap();
    let mut parts = integers(&[2, 2]).to_format(&format).unwrap().into_parts();
    parts.levels[0].arrays[1] = Buffer::from(vec![0i32, 0]);
    let p = Tensor::new_checked(parts.shape, parts.format, parts.fill, parts.levels, parts.vals).unwrap();
    assert_eq!(p.get(&[0]).unwrap().as_i64(), 4);
    let x = Tensor::from_vec(&[4], vec![10.0, 11.0, 12.0, 13.0]).unwrap();
    let given: &[(&str, &Tensor)] = &[("x", &x), ("p", &p)];
    let refused = compile_for("y(i) = x(p(i))", given).unwrap().run(given).unwrap_err();
    assert!(refused.code().0 == "E0608" && refused.to_string().contains("is 4 at i = 0"), "{refused}");
}

#[test]
fn positions_in_positions_are_looked_at_in_few_rounds() {
    let n = 300;
    let spread = |k: i64| (k * 37) % n;
    let p = integers(&(0..n).map(|k| if k == 5 { -1 } else { spread(k) }).collect::<Vec<_>>());
    let q = integers(&(0..n).map(|k| if k == 7 { n } else { spread(k + 1) }).collect::<Vec<_>>());
    let x = Tensor::from_vec(&[n as usize], (0..n).map(|k| k as f64).collect()).unwrap();
    // Where p is -1 and q is 300, nothing is needed; so is what they are positions of.
    let g = Tensor::from_vec(&[n as usize], (0..n).map(|k| k != 5 && k != 7 && spread(k + 1) != 5).collect())
        .unwrap();
    let given: &[(&str, &Tensor)] = &[("x", &x), ("p", &p), ("q", &q), ("g", &g)];
    let (counts, made) = count("R = sum(i, where(g(i), x(p(q(i))) * x(p(i)), 0))", given, "dense", 0);
    assert!(counts.rounds < 10_000, "{} rounds", counts.rounds);
    let kept = (0..n).filter(|k| *k != 5 && *k != 7 && spread(k + 1) != 5);
    let expected: i64 = kept.map(|k| spread(spread(k + 1)) * spread(k)).sum();
    assert_eq!(made.get(&[]).unwrap().as_f64(), expected as f64);
}
