//! Symmetric storage: one triangle, read as a whole.

use openwork_algebra::{DType, Scalar};
use openwork_base::Source;
use openwork_format::{Catalog, Format};
use openwork_storage::{Buffer, Coo, Tensor, pack, unpack};

fn format(text: &str) -> Format {
    Catalog::default().parse(&Source::new("format", text), 2).expect("a format")
}
fn coo(entries: &[(usize, usize, f64)]) -> Coo {
    let entries: Vec<_> = entries.iter().map(|&(i, j, v)| (vec![i, j], Scalar::F64(v))).collect();
    Coo::from_entries(&[3, 3], DType::F64, &entries).expect("in range")
}

#[test]
fn one_triangle_is_stored_and_the_whole_is_read() {
    let whole = coo(&[(0, 0, 1.0), (0, 2, 2.0), (2, 0, 2.0), (1, 1, 3.0)]);
    let zero = Scalar::F64(0.0);
    for text in ["sym", "coo; symmetric = lower", "csc; symmetric = lower", "dense; symmetric = lower"] {
        let t = pack(&whole, &format(text), zero).expect("it is symmetric");
        assert_eq!(
            t.to_dense().unwrap(),
            pack(&whole, &format("csr"), zero).unwrap().to_dense().unwrap(),
            "{text}"
        );
        assert_eq!(t.get(&[0, 2]), Some(Scalar::F64(2.0)), "{text}");
        let back = unpack(&t).expect("it fits");
        assert_eq!(back.sorted_entries(), whole.sorted_entries(), "{text}");
        Tensor::try_from(t.into_parts()).expect("it is valid");
    }
    let packed = pack(&whole, &format("sym"), zero).unwrap();
    assert_eq!((packed.slots(), packed.nnz()), (3, 4));
}

#[test]
fn what_is_not_symmetric_is_refused() {
    let zero = Scalar::F64(0.0);
    for entries in [&[(0, 2, 2.0)][..], &[(0, 2, 2.0), (2, 0, 1.0)]] {
        let error = pack(&coo(entries), &format("sym"), zero).unwrap_err();
        assert_eq!(error.code().0, "E0602", "{error}");
    }
    let wide = Coo::from_entries(&[2, 3], DType::F64, &[]).unwrap();
    assert_eq!(pack(&wide, &format("sym"), zero).unwrap_err().code().0, "E0602");
    let t = pack(&coo(&[(1, 0, 2.0), (0, 1, 2.0)]), &format("sym"), zero).unwrap();
    let mut parts = t.into_parts();
    parts.levels[1].arrays[1] = Buffer::from(vec![2i32]);
    assert_eq!(Tensor::try_from(parts).unwrap_err().code().0, "E0601");
}
