//! There and back, between tensors and the types of other crates. Needs their features:
//! `cargo test -p openwork-storage --features faer,nalgebra-sparse,ndarray,sprs --test interop`.
#![cfg(all(feature = "faer", feature = "nalgebra-sparse", feature = "ndarray", feature = "sprs"))]

use openwork_algebra::Scalar;
use openwork_format::presets;
use openwork_storage::{Tensor, pack, unpack};

/// 3 x 4 with 4 elements.
fn sample() -> Tensor {
    let (rows, cols) = (vec![0usize, 2, 2, 1], vec![1usize, 0, 3, 2]);
    Tensor::from_coo(&[rows, cols], &[2.0, 5.0, 7.0, 3.0], &[3, 4]).unwrap()
}

fn assert_round_trip(a: &Tensor) {
    let plain = |t: &Tensor| {
        let coo = unpack(&pack(&unpack(t).unwrap(), &presets::csr(), Scalar::F64(0.0)).unwrap()).unwrap();
        (0..coo.len()).map(|e| (coo.coords_of(e), coo.vals().get(e).as_f64())).collect::<Vec<_>>()
    };
    assert_eq!(plain(a), plain(&sample()));
}

#[test]
fn sprs_both_orders_and_vectors() {
    let by_rows = sprs::CsMat::<f64>::try_from(&sample()).unwrap();
    assert_eq!((by_rows.is_csr(), by_rows.get(2, 3)), (true, Some(&7.0)));
    let by_columns = by_rows.to_csc();
    for matrix in [by_rows.clone(), by_columns] {
        let csr = matrix.is_csr();
        let vals = matrix.data().as_ptr();
        let tensor = Tensor::try_from(matrix).unwrap();
        assert_eq!(tensor.vals().as_slice::<f64>().unwrap().as_ptr(), vals, "nothing is copied");
        assert_round_trip(&tensor);
        assert_eq!(sprs::CsMat::<f64>::try_from(&tensor).unwrap().is_csr(), csr);
    }
    let narrow = sprs::CsMatI::<f64, i32>::new((1, 3), vec![0, 2], vec![0, 2], vec![1.0, 2.0]);
    assert_eq!(Tensor::try_from(narrow).unwrap().get(&[0, 2]), Some(Scalar::F64(2.0)));
    let vector = Tensor::try_from(sprs::CsVec::new(5, vec![1, 3], vec![1.5, 2.5])).unwrap();
    assert_eq!((vector.shape(), vector.get(&[3])), (&[5][..], Some(Scalar::F64(2.5))));
    assert!(sprs::CsMat::<f32>::try_from(&sample()).unwrap_err().to_string().contains("dtype f32"));
    assert!(sprs::CsMat::<f64>::try_from(&vector).unwrap_err().to_string().contains("a matrix is wanted"));
}

#[test]
fn ndarray_in_any_layout() {
    let a = ndarray::Array2::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as f32);
    let tensor = Tensor::try_from(a.clone()).unwrap();
    assert_eq!(tensor.get(&[1, 2]), Some(Scalar::F32(12.0)));
    assert_eq!(ndarray::Array2::<f32>::try_from(&tensor).unwrap(), a);
    let turned = Tensor::try_from(a.clone().reversed_axes()).unwrap();
    assert_eq!(turned.get(&[2, 1]), Some(Scalar::F32(12.0)));
    let part = a.slice_move(ndarray::s![1.., ..]);
    assert_eq!(Tensor::try_from(part).unwrap().vals().as_slice(), Some(&[10.0f32, 11.0, 12.0][..]));
    let scalar = Tensor::scalar(Scalar::I64(4));
    assert_eq!(ndarray::ArrayD::<i64>::try_from(&scalar).unwrap().sum(), 4);
    assert!(ndarray::Array1::<f32>::try_from(&tensor).unwrap_err().to_string().contains("dimensions"));
    assert!(
        ndarray::Array2::<f64>::try_from(&sample()).unwrap_err().to_string().contains("convert it first")
    );
}

#[test]
fn nalgebra_sparse_both_orders() {
    let by_rows = nalgebra_sparse::CsrMatrix::<f64>::try_from(&sample()).unwrap();
    let by_columns = nalgebra_sparse::CscMatrix::<f64>::try_from(&sample()).unwrap();
    assert_eq!((by_rows.nnz(), by_columns.nnz()), (4, 4));
    assert_round_trip(&Tensor::try_from(by_rows).unwrap());
    assert_round_trip(&Tensor::try_from(by_columns).unwrap());
}

#[test]
fn faer_dense_and_by_columns() {
    let sparse = faer::sparse::SparseColMat::<usize, f64>::try_from(&sample()).unwrap();
    assert_eq!(sparse.compute_nnz(), 4);
    assert_round_trip(&Tensor::try_from(&sparse).unwrap());
    let dense = faer::Mat::<f64>::from_fn(2, 3, |i, j| (10 * i + j) as f64);
    let tensor = Tensor::try_from(&dense).unwrap();
    assert_eq!(tensor.get(&[1, 2]), Some(Scalar::F64(12.0)));
    assert_eq!(faer::Mat::<f64>::try_from(&tensor).unwrap(), dense);
    assert!(faer::Mat::<f64>::try_from(&sample()).is_err());
}
