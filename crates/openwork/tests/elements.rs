//! What results store: elements, and nothing that equals the fill value for no other reason than that operands are stored
//! there.

use openwork::{BackendKind, Decl, Decls, Format, FormatExt, Session, Tensor, TensorExt};

const ENTRIES: [(usize, usize, f64); 6] =
    [(0, 0, 1.0), (0, 1, 2.0), (0, 2, 3.0), (1, 1, 4.0), (2, 0, 5.0), (2, 2, 6.0)];

fn session() -> Session {
    Session::new(BackendKind::Clif).unwrap()
}

fn tensor(format: &str) -> Tensor {
    let mut dense = vec![0.0; 9];
    ENTRIES.iter().for_each(|&(i, j, v)| dense[3 * i + j] = v);
    Tensor::from_vec(&[3, 3], dense).unwrap().to_format(&Format::parse(format, 2).unwrap()).unwrap()
}

fn result(format: &str) -> Decl {
    Decl { format: Some(Format::parse(format, 2).unwrap()), ..Decl::default() }
}

#[test]
fn equal_matrices_differ_nowhere() {
    for format in ["csr", "csc", "dcsr", "coo", "bcsr(2,2)", "ell", "dok", "bitmap"] {
        let (a, b) = (tensor(format), tensor(format));
        for to in ["csr", "csc", "dcsr", "coo"] {
            let statements = [
                ("C(i,j) = A(i,j) != B(i,j)", 0),
                ("C(i,j) = A(i,j) - B(i,j)", 0),
                ("C(i,j) = 2 * A(i,j) - 2 * B(i,j)", 0),
                ("C(i,j) = A(i,j) < B(i,j)", 0),
                ("C(i,j) = f64(A(i,j) > 3) + 0 * B(i,j)", 3),
                ("C(i,j) = (A(i,j) > 1) & (B(i,j) < 6)", 4),
            ];
            for (statement, stored) in statements {
                let c = session().einsum(statement, &[("A", &a), ("B", &b)], result(to)).unwrap();
                assert_eq!((c.nnz(), c.slots()), (stored, stored), "{statement}, {format} to {to}");
            }
        }
    }
}

#[test]
fn elements_are_counted_and_not_slots() {
    let formats =
        ["csr", "coo", "dok", "bitmap", "bytemap", "bcsr(2,2)", "ell", "dia", "sell(2)", "hicoo(2)"];
    for format in formats {
        assert_eq!(tensor(format).nnz(), ENTRIES.len(), "{format}");
    }
    assert_eq!(tensor("dense").nnz(), 9);
}

#[test]
fn a_level_above_dense_ones_holds_what_has_something_below_it() {
    let (rows, columns) = (10_000, 100);
    let mut dense = vec![0.0; rows * columns];
    dense[4_321 * columns + 5] = 7.0;
    let dense = Tensor::from_vec(&[rows, columns], dense).unwrap();
    for from in ["csr", "csc", "dcsr", "coo", "dense"] {
        let a = dense.to_format(&Format::parse(from, 2).unwrap()).unwrap();
        for statement in ["C(i,j) = A(i,j)", "C(i,j) = 2 * A(i,j)", "C(i,j) = A(i,j) + A(i,j)"] {
            let c = session().einsum(statement, &[("A", &a)], result("sd")).unwrap();
            assert_eq!((c.nnz(), c.slots()), (1, columns), "{statement} from {from}");
        }
    }
}

#[test]
fn runs_that_are_passed_over_show_nothing_of_earlier_results() {
    let n = 300;
    let rle = Format::parse("rle", 2).unwrap();
    let matrix = |value: &dyn Fn(usize) -> f64| {
        let dense = Tensor::from_vec(&[n, n], (0..n * n).map(value).collect::<Vec<f64>>()).unwrap();
        dense.to_format(&rle).unwrap()
    };
    let full = matrix(&|_| 3.0);
    let few = matrix(&|k| if k % 97 < 5 { 1.5 } else { 0.0 });
    let mut decls = Decls::default();
    let decl = Decl { dtype: Some(full.dtype()), format: Some(rle.clone()), ..Decl::default() };
    decls.tensors.insert("A".into(), decl);
    decls.tensors.insert("Y".into(), result("dense"));
    let kernel = session().compile("Y(i,j) = 2 * A(i,j)", &decls).unwrap();
    kernel.recycle(kernel.run(&[("A", &full)]).unwrap().tensor);
    let doubled = kernel.run(&[("A", &few)]).unwrap().tensor;
    let wanted: Vec<f64> = few.to_dense_scalars().unwrap().iter().map(|v| 2.0 * v.as_f64()).collect();
    let got: Vec<f64> = doubled.to_dense_scalars().unwrap().iter().map(|v| v.as_f64()).collect();
    assert_eq!(got, wanted);
}
