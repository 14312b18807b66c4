//! Complex tensors: files give back what was written, and formats take any fill value.

use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::Source;
use openwork_format::{Catalog, presets};
use openwork_storage::files::{self, ReadOptions};
use openwork_storage::{Coo, pack, unpack};

/// Every combination of special parts, in a dtype.
fn values(dtype: DType) -> Vec<Scalar> {
    let parts = [0.0, -0.0, 1.5, -1e300, 1e-40, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.1];
    let pair = |re: f64| parts.map(|im| Scalar::C128(Complex { re, im }).cast(dtype));
    parts.into_iter().flat_map(pair).collect()
}

/// The bits of the parts; all NaN are one.
fn bits(s: Scalar) -> [u64; 2] {
    let z = s.as_complex();
    [z.re, z.im].map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
}

#[test]
fn files_read_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    for dtype in [DType::C64, DType::C128] {
        let values = values(dtype);
        let n = values.len();
        let entries: Vec<_> = values.iter().enumerate().map(|(e, v)| (vec![e, n - 1 - e], *v)).collect();
        let coo = Coo::from_entries(&[n, n], dtype, &entries).unwrap();
        let t = pack(&coo, &presets::csr(), Scalar::zero(dtype)).unwrap();
        for name in ["a.tns", "a.tns.gz", "a.mtx", "a.mtx.gz"] {
            let path = folder.path().join(name);
            files::write(&path, &t).unwrap();
            let back = files::read(&path).unwrap();
            assert_eq!((back.shape(), back.dtype(), back.len()), (coo.shape(), dtype, n), "{name} {dtype}");
            let back = unpack(&pack(&back, &presets::csr(), Scalar::zero(dtype)).unwrap()).unwrap();
            for (e, (got, want)) in back.vals().iter().zip(&values).enumerate() {
                assert_eq!(bits(got), bits(*want), "{name}: {want} is read as {got}");
                assert_eq!(back.coords_of(e), [e as i64, (n - 1 - e) as i64], "{name}");
            }
            let other = if dtype == DType::C64 { DType::C128 } else { DType::C64 };
            let asked = ReadOptions { dtype: Some(other), ..ReadOptions::default() };
            assert_eq!(files::read_with(&path, &asked).unwrap().dtype(), other);
            let asked = ReadOptions { dtype: Some(DType::F64), ..ReadOptions::default() };
            assert_eq!(files::read_with(&path, &asked).unwrap_err().code().0, "E0706", "{name}");
        }
    }
}

#[test]
fn any_value_is_a_fill_value() {
    for dtype in [DType::C64, DType::C128] {
        for fill in values(dtype) {
            let format = presets::csr().with_fill(fill.to_string());
            let read = Catalog::default().parse(&Source::new("format", format.to_string()), 2).unwrap();
            assert_eq!(read.fill_value(dtype).map(bits), Some(bits(fill)), "{format}");
        }
    }
}
