//! What is written reads back the same, and a failed write leaves nothing behind.

use openwork_algebra::{Complex, DType, Scalar};
use openwork_format::presets;
use openwork_storage::files::{ReadOptions, read_with, write};
use openwork_storage::{Coo, Tensor, pack};

/// Values that are hard to write.
fn values(dtype: DType) -> Vec<Scalar> {
    let mut out = vec![Scalar::one(dtype), Scalar::zero(dtype)];
    out.extend(Scalar::lowest(dtype));
    out.extend(Scalar::highest(dtype));
    if dtype.is_float() {
        for x in [-0.0, f64::NAN, 1e-310, 1e300, 0.1, -1.5e-7, 1e16, 123456789.0, f64::MIN_POSITIVE] {
            out.push(Scalar::from_f64(x, dtype));
        }
    }
    if dtype.is_complex() {
        out.push(Scalar::C128(Complex::new(-0.5, f64::INFINITY)).cast(dtype));
    }
    out
}

fn same_bits(a: Scalar, b: Scalar) -> bool {
    a == b && a.as_f64().is_sign_negative() == b.as_f64().is_sign_negative() || a.as_f64().is_nan()
}

#[test]
fn every_dtype_rank_and_file_format_round_trips() {
    let folder = tempfile::tempdir().unwrap();
    for dtype in DType::ALL {
        let vals = values(dtype);
        for (shape, name) in [
            (vec![40], "a.tns"),
            (vec![7, 9], "a.tns.gz"),
            (vec![3, 4, 5], "a.tns"),
            (vec![7, 9], "a.mtx"),
            (vec![7, 9], "a.mtx.gz"),
            (vec![7, 9], "a.rb"),
            (vec![7, 7], "a.rb.gz"),
            (vec![9, 7], "a.hb"),
            (vec![40], "a.ttx"),
            (vec![7, 9], "a.ttx"),
            (vec![3, 4, 5], "a.ttx.gz"),
            (vec![40], "a.bsp.npz"),
            (vec![7, 9], "a.bsp.npz"),
            (vec![3, 4, 5], "a.bsp.npz"),
        ] {
            let at = |e: usize| shape.iter().map(|d| (e * 5 + 1) % d).collect::<Vec<_>>();
            let entries: Vec<_> = vals.iter().enumerate().map(|(e, &v)| (at(e), v)).collect();
            let coo = Coo::from_entries(&shape, dtype, &entries).unwrap();
            let path = folder.path().join(name);
            for format in [presets::csf(shape.len()), presets::coo(shape.len()), presets::dense(shape.len())]
            {
                let t = pack(&coo, &format, Scalar::zero(dtype)).unwrap();
                write(&path, &t).unwrap();
                let back = read_with(&path, &ReadOptions::default()).unwrap();
                assert_eq!((back.dtype(), back.shape()), (dtype, &shape[..]), "{name}");
                let again = pack(&back, &format, Scalar::zero(dtype)).unwrap();
                assert_eq!(again, t, "{name} {dtype} {format}");
                // A file lists the elements of a dense array that are not zero, and `-0.0` is.
                let equal = |a: Scalar, b: Scalar| same_bits(a, b) || t.format().is_dense() && a.is_same(b);
                assert!(again.vals().iter().zip(t.vals().iter()).all(|(a, b)| equal(a, b)), "{name} {dtype}");
            }
        }
    }
}

#[test]
fn vectors_scalars_and_empty_tensors_have_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let (mtx, tns) = (folder.path().join("a.mtx"), folder.path().join("a.tns"));
    let read = |path| read_with(path, &ReadOptions::default()).unwrap();
    let v = Coo::from_entries(&[4], DType::F64, &[(vec![2], Scalar::F64(0.5))]).unwrap();
    for format in [presets::sparse_vector(), presets::dense(1)] {
        write(&mtx, &pack(&v, &format, Scalar::F64(0.0)).unwrap()).unwrap();
        let back = read(&mtx);
        assert_eq!(back.shape(), [4, 1]);
        assert!(back.sorted_entries().contains(&(vec![2, 0], Scalar::F64(0.5))));
    }
    write(&tns, &Tensor::scalar(Scalar::F64(2.5))).unwrap();
    assert_eq!(std::fs::read_to_string(&tns).unwrap(), "2.5\n");
    write(&mtx, &Tensor::scalar(Scalar::F64(2.5))).unwrap();
    assert_eq!(read(&mtx).shape(), [1, 1]);
    let none = Coo::from_entries(&[3, 0], DType::F64, &[]).unwrap();
    for format in [presets::dense(2), presets::csr()] {
        write(&mtx, &pack(&none, &format, Scalar::F64(0.0)).unwrap()).unwrap();
        assert_eq!((read(&mtx).shape(), read(&mtx).len()), (&[3, 0][..], 0));
    }
}

#[test]
fn a_list_says_what_its_entries_do_not_tell() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tns");
    let text = |shape: &[usize], dtype, entries: &[(Vec<usize>, Scalar)]| {
        let coo = Coo::from_entries(shape, dtype, entries).unwrap();
        let t = pack(&coo, &presets::coo(shape.len()), Scalar::zero(dtype)).unwrap();
        write(&path, &t).unwrap();
        let back = read_with(&path, &ReadOptions::default()).unwrap();
        assert_eq!((back.shape(), back.dtype()), (shape, dtype));
        assert_eq!(back.sorted_entries(), coo.sorted_entries());
        std::fs::read_to_string(&path).unwrap()
    };
    let one = |v| [(vec![2, 3], v)];
    assert_eq!(text(&[3, 4], DType::F64, &one(Scalar::F64(0.5))), "3 4 0.5\n");
    assert_eq!(text(&[3, 5], DType::F64, &one(Scalar::F64(0.5))), "# openwork: shape is 3 5\n3 4 0.5\n");
    let large = Scalar::U64(u64::MAX);
    let said = "# openwork: values are u64\n3 4 18446744073709551615\n";
    assert_eq!(text(&[3, 4], DType::U64, &one(large)), said);
    let said = "# openwork: values are f32, shape is 9 9\n3 4 0.1\n";
    assert_eq!(text(&[9, 9], DType::F32, &one(Scalar::F32(0.1))), said);
    assert_eq!(text(&[2, 0, 4], DType::Bool, &[]), "# openwork: values are bool, shape is 2 0 4\n");
    let read = |text: &str, dims: Option<Vec<usize>>, dtype| {
        std::fs::write(&path, text).unwrap();
        read_with(&path, &ReadOptions { dims, dtype, ..ReadOptions::default() })
    };
    let larger = read(said, Some(vec![9, 10]), Some(DType::C128)).unwrap();
    assert_eq!((larger.shape(), larger.vals().get(0)), (&[9, 10][..], Scalar::F32(0.1).cast(DType::C128)));
    assert_eq!(read(said, Some(vec![9, 8]), None).unwrap_err().code().0, "E0703");
    assert_eq!(read("# openwork: shape is 3 3\n3 4 1\n", None, None).unwrap_err().code().0, "E0703");
    assert_eq!(read("# openwork: shape is 3 3 3\n3 4 1\n", None, None).unwrap_err().code().0, "E0701");
    // Other comments are not ours.
    for comment in
        ["# values are u8, shape is 9 9", "# openwork: shape is 3 x, values are u7", "# openwork: "]
    {
        let coo = read(&format!("{comment}\n3 4 1.5\n"), None, None).unwrap();
        assert_eq!((coo.shape(), coo.dtype()), (&[3, 4][..], DType::F64), "{comment}");
    }
}

#[test]
fn failed_writes_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let path = folder.path().join("a.mtx");
    let cube = Tensor::dense(&[1, 1, 1], vec![1.0].into()).unwrap();
    assert_eq!(write(&path, &cube).unwrap_err().code().0, "E0707");
    let inf = Scalar::F64(f64::INFINITY);
    let distances = Coo::from_entries(&[2, 2], DType::F64, &[(vec![0, 1], Scalar::F64(1.0))]).unwrap();
    let e = write(&path, &pack(&distances, &presets::csr(), inf).unwrap()).unwrap_err();
    assert_eq!(e.code().0, "E0707");
    assert!(e.to_string().contains("have the value inf"), "{e}");
    assert!(names().is_empty());
    // An older file survives a write that fails.
    std::fs::write(&path, "old").unwrap();
    assert!(write(&path, &cube).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(), ["a.mtx"]);
    let missing = folder.path().join("no/such/a.mtx");
    assert_eq!(write(&missing, &Tensor::scalar(Scalar::F64(1.0))).unwrap_err().code().0, "E0704");
    assert_eq!(write(folder.path().join("a.csv"), &cube).unwrap_err().code().0, "E0705");
    std::fs::create_dir(folder.path().join("b.mtx")).unwrap();
    assert_eq!(write(folder.path().join("b.mtx"), &Tensor::scalar(inf)).unwrap_err().code().0, "E0704");
}

#[cfg(unix)]
#[test]
fn new_files_have_ordinary_permissions_and_links_are_followed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.tns"), folder.path().join("link.tns"));
    std::fs::write(folder.path().join("plain"), "").unwrap();
    let mode = |p: &std::path::Path| std::fs::metadata(p).unwrap().permissions().mode();
    write(&real, &Tensor::scalar(Scalar::F64(1.0))).unwrap();
    assert_eq!(mode(&real), mode(&folder.path().join("plain")));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write(&link, &Tensor::scalar(Scalar::F64(2.0))).unwrap();
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "2\n");
}
