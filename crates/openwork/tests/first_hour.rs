//! What somebody with arrays of their own writes first.

use openwork::{Format, FormatExt, Scalar, Tensor, TensorExt, TensorView, compile_for, einsum};

#[path = "../examples/cg.rs"]
#[allow(dead_code, reason = "its own main is run here")]
mod cg;

#[test]
fn conjugate_gradients_take_twenty_lines() {
    cg::main().unwrap();
    let text = include_str!("../examples/cg.rs");
    let body = text.split_once("fn cg(").unwrap().1.split_once("\n}\n").unwrap().0;
    assert!(body.lines().count() <= 20, "{}", body.lines().count());
}

#[test]
fn arrays_become_tensors_without_a_copy_where_they_can() {
    let (pos, crd, vals) = (vec![0usize, 2, 3], vec![0u32, 2, 1], vec![1.0, 2.0, 3.0]);
    let place = vals.as_ptr();
    let a = Tensor::from_csr(pos, crd, vals, [2, 3]).unwrap();
    assert_eq!(a.vals().as_slice::<f64>().unwrap().as_ptr(), place);
    let x = [1.0, 10.0, 100.0];
    let x = TensorView::dense(&[3], &x).unwrap();
    let y = einsum("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", &x)]).unwrap();
    assert_eq!(y.to_string(), "2 f64 dense, 2 values: 201, 30");
    let unsorted = Tensor::from_csr(vec![0, 3], vec![2, 0, 2], vec![1, 2, 4], [1, 3]).unwrap();
    assert_eq!(unsorted.to_string(), "1 x 3 i32 csr, 2 stored: (0,0) 2, (0,2) 5");
    for broken in [
        Tensor::from_csr(vec![0, 2], vec![0, 9], vec![1.0, 2.0], [1, 3]),
        Tensor::from_csr(vec![0, 5], vec![0, 1], vec![1.0, 2.0], [1, 3]),
        Tensor::from_csr(vec![0, usize::MAX], vec![0, 1], vec![1.0, 2.0], [1, 3]),
        Tensor::from_coo(&[vec![0, 3]], &[1.0, 2.0], &[3]),
        Tensor::from_coo(&[vec![-1i64]], &[1.0], &[3]),
        Tensor::from_coo(&[vec![0], vec![0, 1]], &[1.0], &[3, 3]),
        Tensor::from_coo(&[vec![0]], &[1.0], &[3, 3]),
    ] {
        assert_eq!(broken.unwrap_err().code().0, "E0601");
    }
}

#[test]
fn what_is_lent_is_not_kept() {
    let (pos, crd, mut vals) = ([0i64, 1, 2], [1i32, 0], [2.0, 3.0]);
    let operands = |vals: &[f64]| {
        let a = TensorView::csr(&pos, &crd, vals, [2, 2]).unwrap();
        // Another format, so that a copy is converted, and what is kept of it.
        let columns = Format::parse("csc", 2).unwrap();
        let b = a.to_format(&columns).unwrap();
        einsum("C(i,j) = A(i,j) + B(i,j)", &[("A", &a), ("B", &b)]).unwrap()
    };
    let before = operands(&vals);
    vals[0] = 20.0;
    let after = operands(&vals);
    assert_eq!((before.get(&[0, 1]), after.get(&[0, 1])), (Some(Scalar::F64(4.0)), Some(Scalar::F64(40.0))));
    let view = TensorView::csr(&pos, &crd, &vals, [2, 2]).unwrap();
    let same = einsum("C(i,j) = A(i,j)", &[("A", &view)]).unwrap();
    let copy = view.tensor().clone();
    assert_ne!(copy.vals().as_ptr(), view.vals().as_ptr());
    assert_ne!(same.vals().as_ptr(), view.vals().as_ptr());
}

#[test]
fn kernels_for_tensors_at_hand_take_others_of_any_size() {
    let line = |n: usize| Tensor::from_coo(&[(0..n).collect::<Vec<_>>()], &vec![2.0; n], &[n]).unwrap();
    let (small, large) = (line(3), line(500));
    let x: Vec<f64> = (0..500).map(f64::from).collect();
    let small_x = TensorView::dense(&[3], &x[..3]).unwrap();
    let kernel = compile_for("y(i) = A(i) + x(i)", &[("A", &small), ("x", &small_x)]).unwrap();
    let (mut three, mut many) = ([0.0; 3], [0.0; 500]);
    kernel.run_into_slice(&mut three, &[("A", &small), ("x", &small_x)]).unwrap();
    kernel
        .run_into_slice(&mut many, &[("A", &large), ("x", &TensorView::dense(&[500], &x).unwrap())])
        .unwrap();
    assert_eq!((three, many[499]), ([2.0, 3.0, 4.0], 501.0));
    let given: &[(&str, &Tensor)] = &[("A", &small), ("x", &small_x)];
    assert_eq!(kernel.run_into_slice(&mut [0.0; 2], given).unwrap_err().code().0, "E0203");
    assert_eq!(kernel.run_into_slice(&mut [0.0f32; 3], given).unwrap_err().code().0, "E0212");
    let sparse = compile_for("y(i) = A(i) * x(i)", given).unwrap();
    assert_eq!(sparse.run_into_slice(&mut three, given).unwrap_err().code().0, "E0212");
}
