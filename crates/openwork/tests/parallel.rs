//! Kernels on several threads, at the edges: chunks without rows, rows without elements, positions that do not fit.

use openwork::{
    BackendKind, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Tensor, TensorExt, set_threads,
    threads,
};

/// A square matrix with `n` rows and about `degree(i)` elements in row `i`.
fn matrix(n: usize, format: &str, degree: impl Fn(usize) -> usize) -> Tensor {
    let mut entries: Vec<(Vec<usize>, Scalar)> = Vec::new();
    for i in 0..n {
        for k in 0..degree(i).min(n) {
            entries.push((vec![i, (i * 7 + k * 3) % n], Scalar::F64(k as f64 / 8.0 + 1.0)));
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|a, b| a.0 == b.0);
    Tensor::pack(&[n, n], &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

fn compile(statement: &str, operands: &[(&str, &Tensor)], result: Option<&str>) -> Kernel {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let decl = Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: None,
            stored: None,
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    if let Some(format) = result {
        let rank = 1 + statement.split(')').next().unwrap().matches(',').count();
        let format = Some(Format::parse(format, rank).unwrap());
        decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    }
    Session::new(BackendKind::Clif).unwrap().compile(statement, &decls).unwrap()
}

fn bits(t: &Tensor) -> Vec<Vec<u8>> {
    let levels = t.levels().iter().flat_map(|l| &l.arrays);
    levels.chain([t.vals()]).map(|b| b.as_bytes().to_vec()).collect()
}

/// Runs a statement in forced chunks on several threads, and in one piece.
fn agree(statement: &str, operands: &[(&str, &Tensor)], result: Option<&str>, how: &str) {
    let mut kernel = compile(statement, operands, result).with_threads(1);
    assert!(kernel.parallel().contains(how), "{statement}: {}", kernel.parallel());
    let whole = kernel.run(operands).unwrap();
    assert_eq!(whole.spread.threads, 1);
    for (chunks, threads) in [(2, 1), (2, 2), (3, 8), (7, 3), (1000, 2)] {
        kernel = kernel.with_chunks(chunks).with_threads(threads);
        let now = kernel.run(operands).unwrap();
        assert!(now.spread.chunks <= chunks && now.spread.threads <= threads);
        assert_eq!(bits(&now.tensor), bits(&whole.tensor), "{statement} in {chunks} chunks");
        kernel.recycle(now.tensor);
    }
}

#[test]
fn rows_of_every_shape_are_cut_and_joined() {
    // Values are multiples of an eighth, so that sums of them are exact in any order.
    for n in [0, 1, 2, 5, 64] {
        for degree in [|_| 0, |i| i % 4, |i| if i == 1 { 60 } else { 0 }] as [fn(usize) -> usize; 3] {
            for format in ["csr", "dcsr", "coo"] {
                let a = matrix(n, format, degree);
                let b = matrix(n, "csr", |i| (i + 1) % 3);
                let x = Tensor::from_vec(&[n], (0..n).map(|k| k as f64).collect()).unwrap();
                agree("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", &x)], None, "slice");
                agree("C(i,j) = A(i,j) + B(i,j)", &[("A", &a), ("B", &b)], Some("csr"), "stitched");
                agree("C(i,j) = A(i,j) + B(i,j)", &[("A", &a), ("B", &b)], Some("dcsr"), "stitched");
                agree("C(i,j) = 2 * A(i,j)", &[("A", &a)], Some("coo"), "stitched");
                agree("y(j) = A(i,j) * x(i)", &[("A", &a), ("x", &x)], None, "combined");
                agree("s = A(i,j) * x(j)", &[("A", &a), ("x", &x)], None, "combined");
            }
        }
    }
}

#[test]
fn sums_of_floats_have_the_same_bits_on_any_number_of_threads() {
    let n = 4000;
    let x = Tensor::from_vec(&[n], (0..n).map(|k| (k as f64).sqrt()).collect()).unwrap();
    let formats = ["csr", "coo"].map(|format| matrix(n, format, |i| i % 150));
    let statements = ["y(j) = A(i,j) * x(i)", "s = A(i,j) * x(j)", "y(i) = A(i,j) * x(j)"];
    for (a, statement) in formats.iter().flat_map(|a| statements.map(|statement| (a, statement))) {
        let operands = [("A", a), ("x", &x)];
        let mut kernel = compile(statement, &operands, None);
        let mut seen: Option<Vec<Vec<u8>>> = None;
        for threads in [1, 2, 3, 8] {
            kernel = kernel.with_threads(threads);
            let now = kernel.run(&operands).unwrap();
            assert!(now.spread.chunks > 1 || threads == 1, "{statement}: {:?}", now.spread);
            let now = bits(&now.tensor);
            assert_eq!(*seen.get_or_insert_with(|| now.clone()), now, "{statement} on {threads} threads");
        }
    }
}

/// Copies of the result are cleared and added up, which takes as long as several rows per element.
#[test]
fn rows_are_added_up_in_few_copies_of_the_result() {
    let (n, columns) = (500, 128);
    let a = matrix(n, "csc", |_| 400);
    let x = Tensor::from_vec(&[n, columns], vec![0.5; n * columns]).unwrap();
    let v = Tensor::from_vec(&[n], vec![0.5; n]).unwrap();
    let chunks = |statement: &str, operands: &[(&str, &Tensor)]| {
        compile(statement, operands, None).with_threads(8).run(operands).unwrap().spread.chunks
    };
    let rows = chunks("Y(i,k) = A(i,j) * x(j,k)", &[("A", &a), ("x", &x)]);
    assert!((2..=4).contains(&rows), "{rows}");
    let elements = chunks("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", &v)]);
    assert!(elements == 1, "{elements}");
}

#[test]
fn little_work_stays_on_one_thread() {
    let a = matrix(100, "csr", |_| 5);
    let x = Tensor::from_vec(&[100], vec![1.0; 100]).unwrap();
    let kernel = compile("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", &x)], None).with_threads(8);
    let spread = kernel.run(&[("A", &a), ("x", &x)]).unwrap().spread;
    assert_eq!((spread.threads, spread.chunks), (1, 1));
}

/// Elements that are written side by side are divided sooner than rows that vectors add up, which take a tenth of the time.
#[test]
fn a_dense_result_is_divided_as_soon_as_that_pays() {
    let chunks = |n: usize, degree: usize, columns: Option<usize>| {
        let a = matrix(n, "csr", |_| degree);
        let shape: Vec<usize> = std::iter::once(n).chain(columns).collect();
        let x = Tensor::from_vec(&shape, vec![1.0; shape.iter().product()]).unwrap();
        let statement = if columns.is_some() { "y(i,k) = A(i,j) * x(j,k)" } else { "y(i) = A(i,j) * x(j)" };
        let operands = [("A", &a), ("x", &x)];
        compile(statement, &operands, None).with_threads(2).run(&operands).unwrap().spread.chunks
    };
    assert_eq!([chunks(2000, 20, None), chunks(2000, 12, None), chunks(500, 5, Some(32))], [4, 1, 1]);
}

/// What a row stores is added up in vectors where nothing else is read: a quarter of the time of a product with a vector.
#[test]
fn sums_of_rows_are_divided_later_than_products() {
    let chunks = |n: usize, format: &str| {
        let a = matrix(n, format, |_| 20);
        let operands = [("A", &a)];
        compile("y(i) = A(i,j)", &operands, None).with_threads(2).run(&operands).unwrap().spread.chunks
    };
    for format in ["csr", "dcsr"] {
        assert_eq!([chunks(2000, format), chunks(8000, format)], [1, 4], "{format}");
    }
}

/// Dense blocks below a list are written where they will stay, by parts of any size: of lists that a part does not have, of blocks that
/// turn out to be zero, of two operands that list the same and of one that is not cut.
#[test]
fn blocks_below_a_list_are_joined_in_any_number_of_parts() {
    let (n, fibres, columns) = (40, 9, 5);
    let tensor = |format: &str, keep: &dyn Fn(usize, usize) -> bool| {
        let mut entries: Vec<(Vec<usize>, Scalar)> = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..fibres).map(move |j| (i, j))).filter(|&(i, j)| keep(i, j)) {
            for k in 0..=(i + j) % 3 {
                let value = if (i * j) % 7 == 1 { 0.0 } else { (i + 2 * j + k) as f64 + 0.5 };
                entries.push((vec![i, j, 2 * k], Scalar::F64(value)));
            }
        }
        Tensor::pack(&[n, fibres, 6], &entries, &Format::parse(format, 3).unwrap()).unwrap()
    };
    let x = Tensor::from_vec(&[6, columns], (0..6 * columns).map(|v| v as f64 - 3.5).collect()).unwrap();
    for format in ["csf", "dss", "ssd", "coo"] {
        let (a, b) =
            (tensor(format, &|i, j| (i * j) % 4 < 2 && i % 5 > 0), tensor(format, &|i, j| (i + j) % 3 == 0));
        let (one, two) = ([("A", &a), ("X", &x)], [("A", &a), ("B", &b), ("X", &x)]);
        let stitched = "their pieces of the result are stitched";
        for result in ["ssd", "dsd"] {
            agree("C(i,j,r) = A(i,j,k) * X(k,r)", &one, Some(result), stitched);
            agree("C(i,j,r) = A(i,j,k) * X(k,r) + B(i,j,k) * X(k,r)", &two, Some(result), stitched);
        }
    }
}

/// Values for a structure that an operand lends are written side by side as well, once runs have visited so many elements.
#[test]
fn values_of_a_known_structure_are_divided_as_soon_as_that_pays() {
    let (n, columns) = (500, 32);
    let a = matrix(n, "csr", |_| 15);
    let x = Tensor::from_vec(&[n, columns], vec![0.5; n * columns]).unwrap();
    let operands = [("A", &a), ("x", &x)];
    let kernel = compile("C(i,j) = A(i,j) * x(i,k) * x(j,k)", &operands, Some("csr")).with_threads(2);
    let chunks = || kernel.run(&operands).unwrap().spread.chunks;
    let all: Vec<usize> = (0..40).map(|_| chunks()).collect();
    assert_eq!((all[0], all[39]), (1, 4));
}

/// Loops over blocks of rows and loops over rows are cut at the same rows, in blocks that the last one does not fill.
#[test]
fn terms_over_blocks_and_over_rows_are_cut_alike() {
    for n in [1, 2, 5, 16, 63] {
        for degree in [|_| 0, |i| i % 4, |i| if i == 1 { 60 } else { 2 }] as [fn(usize) -> usize; 3] {
            let (a, x) = (matrix(n, "bcsr(3,2)", degree), Tensor::from_vec(&[n], vec![1.5; n]).unwrap());
            for other in ["csr", "dcsr", "coo", "dia"] {
                let b = matrix(n, other, |i| (i + 1) % 3);
                let operands = [("A", &a), ("B", &b), ("x", &x)];
                let how = "chunks of bi, each writes its slice of the result";
                agree("y(i) = A(i,j) * x(j) + B(i,j) * x(j)", &operands, None, how);
                agree("y(i) = B(i,j) * x(j) - A(i,j) * x(j) + x(i)", &operands, None, how);
            }
        }
    }
}

#[test]
fn every_format_is_cut_or_says_why_not() {
    let spmv = "y(i) = A(i,j) * x(j)";
    let x = Tensor::from_vec(&[10], vec![1.5; 10]).unwrap();
    let slices = |v: &str| format!("chunks of {v}, each writes its slice of the result");
    for (format, wanted) in [
        ("csr", slices("i")),
        ("coo", slices("i")),
        ("dia", slices("i")),
        ("ell", slices("i")),
        ("bcsr(2,4)", slices("bi")),
        ("bitmap", slices("i")),
        ("csc", "chunks of j, their results are combined by add".into()),
        ("bcsc(2,4)", "chunks of bj, their results are combined by add".into()),
    ] {
        let a = matrix(10, format, |i| i);
        let operands = [("A", &a), ("x", &x)];
        assert_eq!(compile(spmv, &operands, None).parallel(), wanted, "{format}");
        agree(spmv, &operands, None, "chunks");
    }
    let a = matrix(10, "csr", |_| 5);
    for (result, wanted) in [
        ("csc", "chunks of i, each places its elements after all were counted"),
        ("ell", "serial: the result is no list of elements under dense levels"),
        ("dense; fill = 1", "chunks of i, each writes its slice of the result"),
        ("(i,j) -> (j,i) : dense, dense", "serial: `C` is assigned in no order that slices follow"),
    ] {
        assert_eq!(compile("C(i,j) = A(i,j)", &[("A", &a)], Some(result)).parallel(), wanted);
    }
}

/// Copies a tensor in parts, with elements placed at once and dealt into groups, and in one call.
fn copy_in_parts(a: &Tensor, result: &str, interpreted: bool) {
    let rank = a.shape().len();
    let at = ["i", "i,j", "i,j,k"][rank - 1];
    let mut decls = Decls::default();
    let format = Some(a.format().clone());
    decls.tensors.insert("A".into(), Decl { dtype: Some(a.dtype()), format, ..Decl::default() });
    let format = Some(Format::parse(result, rank).unwrap());
    decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    let kind = if interpreted { BackendKind::Interp } else { BackendKind::Clif };
    let session = Session::new(kind).unwrap();
    let kernel = || session.compile(&format!("C({at}) = A({at})"), &decls).unwrap();
    let what = format!("{} -> {result}", a.format());
    assert!(kernel().parallel().contains("places"), "{what}: {}", kernel().parallel());
    let whole = kernel().with_threads(1).run(&[("A", a)]).unwrap();
    assert_eq!(whole.spread.chunks, 1);
    for (chunks, threads) in [(1, 1), (2, 2), (3, 3), (8, 8), (1000, 2)] {
        for groups in [None, Some(1), Some(3), Some(1000)] {
            let mut kernel = kernel().with_threads(threads).with_chunks(chunks);
            if let Some(groups) = groups {
                kernel = kernel.with_groups(groups);
            }
            for _ in 0..2 {
                let now = kernel.run(&[("A", a)]).unwrap();
                assert!(now.spread.chunks <= chunks && now.spread.threads <= threads);
                let how = format!("{what} in {chunks} parts and {groups:?} groups");
                assert_eq!(bits(&now.tensor), bits(&whole.tensor), "{how}");
                kernel.recycle(now.tensor);
            }
        }
    }
}

#[test]
fn elements_are_placed_in_the_order_of_the_source_by_any_number_of_threads() {
    let heavy_row = |i| if i == 1 { 60 } else { 0 };
    for n in [0, 1, 2, 5, 64] {
        for degree in [|_| 0, |i| i % 4, heavy_row] as [fn(usize) -> usize; 3] {
            for (from, to) in [("csr", "csc"), ("coo", "csc"), ("dcsr", "csc"), ("csc", "csr")] {
                copy_in_parts(&matrix(n, from, degree), to, n == 5);
            }
        }
    }
    // One column has everything.
    let column: Vec<_> = (0..70).map(|i| (vec![i, 3], Scalar::F64(i as f64))).collect();
    copy_in_parts(&Tensor::pack(&[70, 9], &column, &Format::parse("csr", 2).unwrap()).unwrap(), "csc", true);
}

#[test]
fn elements_of_any_size_are_placed_and_dealt() {
    let a = matrix(64, "csr", |i| i % 5);
    copy_in_parts(&a, "csc; pos = i32; crd = u8", true);
    copy_in_parts(&a, "(i,j) -> (j,i) : dense, compressed_aos", true);
    for value in [Scalar::Bool(true), Scalar::I16(-3), Scalar::F32(0.5), Scalar::C128(1.5.into())] {
        let entries: Vec<_> = (0..200).map(|n| (vec![n % 13, n * 7 % 29, n * 5 % 17], value)).collect();
        let a = Tensor::pack(&[13, 29, 17], &entries, &Format::parse("csf", 3).unwrap()).unwrap();
        copy_in_parts(&a, "(i,j,k) -> (j,i,k) : dense, compressed(nonunique), singleton", true);
        copy_in_parts(&a, "(i,j,k) -> (j,i,k) : dense, compressed_aos(nonunique), singleton_aos", false);
        copy_in_parts(&a, "(i,j,k) -> (k,j,i) : dense, dense, compressed", false);
    }
}

#[test]
fn widely_scattered_elements_are_dealt_without_being_asked() {
    // 40 elements in each of 20000 rows, anywhere in the row.
    let n = 20_000;
    let entries: Vec<_> = (0..40 * n)
        .map(|e| (vec![e / 40, (e as u64 * e as u64 % 1_000_003) as usize % n], Scalar::F64(e as f64)))
        .collect();
    let a = Tensor::pack(&[n, n], &entries, &Format::parse("csr", 2).unwrap()).unwrap();
    let mut kernel = compile("C(i,j) = A(i,j)", &[("A", &a)], Some("csc"));
    let columns = Tensor::pack(&[n, n], &entries, &Format::parse("csc", 2).unwrap()).unwrap();
    for threads in [1, 2, 3, 8] {
        kernel = kernel.with_threads(threads);
        let now = kernel.run(&[("A", &a)]).unwrap();
        assert!(now.spread.chunks > 1 || threads == 1, "{:?}", now.spread);
        assert_eq!(bits(&now.tensor), bits(&columns), "on {threads} threads");
    }
}

#[test]
fn positions_of_all_pieces_together_must_fit() {
    // 40 rows of 10; each of five pieces of 80 fits 8 bits.
    let a = matrix(40, "csr", |_| 10);
    let kernel = compile("C(i,j) = 2 * A(i,j)", &[("A", &a)], Some("csr; pos = u8"));
    let error = kernel.with_chunks(5).with_threads(2).run(&[("A", &a)]).unwrap_err();
    assert_eq!(error.code().0, "E0604");
    let kernel = compile("C(i,j) = A(i,j)", &[("A", &a)], Some("csc; pos = u8"));
    let kernel = kernel.with_chunks(5).with_threads(2);
    assert_eq!(kernel.run(&[("A", &a)]).unwrap_err().code().0, "E0604");
    assert_eq!(kernel.with_groups(3).run(&[("A", &a)]).unwrap_err().code().0, "E0604");
}

#[test]
fn the_number_of_threads_is_set_for_the_process() {
    set_threads(3);
    assert_eq!(threads(), 3);
    set_threads(0);
    assert!(threads() >= 1);
}

/// An infinity beside a stored zero, in one chunk of many: what was computed from it is seen and decided.
#[test]
fn nan_is_seen_in_whichever_chunk_it_stands() {
    let n = 64;
    let mut entries = vec![(vec![50, 3], Scalar::F64(0.0))];
    entries.extend((0..n).map(|i| (vec![i, i], Scalar::F64(2.0))));
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let a = Tensor::pack(&[n, n], &entries, &Format::parse("csr", 2).unwrap()).unwrap();
    let x =
        Tensor::from_vec(&[n, 3], (0..3 * n).map(|k| if k == 10 { f64::INFINITY } else { 1.0 }).collect());
    let operands = [("A", &a), ("B", &x.unwrap())];
    for (statement, result, how) in [
        ("C(i,k) = A(i,j) * B(j,k)", None, "slice"),
        ("C(i,k) = A(i,j) * B(j,k)", Some("csr"), "stitched"),
        ("c(k) = A(i,j) * B(j,k)", None, "combine"),
    ] {
        agree(statement, &operands, result, how);
        let made = compile(statement, &operands, result).run(&operands).unwrap().tensor;
        let values = made.vals().as_slice::<f64>().unwrap();
        assert!(
            values.iter().all(|v| !v.is_nan()) && values.contains(&f64::INFINITY),
            "{statement}: {values:?}"
        );
    }
}

/// A large dense result is looked at while it is in the cache, on one thread too.
#[test]
fn large_results_are_looked_at_in_chunks() {
    let (n, k) = (4000, 64);
    let a = matrix(n, "csr", |_| 4);
    let x = Tensor::from_vec(&[n, k], vec![1.0; n * k]).unwrap();
    let small = Tensor::from_vec(&[n, 1], vec![1.0; n]).unwrap();
    let kernel = compile("C(i,k) = A(i,j) * B(j,k)", &[("A", &a), ("B", &x)], None).with_threads(1);
    let spread = |x: &Tensor| kernel.run(&[("A", &a), ("B", x)]).unwrap().spread;
    assert_eq!(spread(&x).threads, 1);
    assert!(spread(&x).chunks > 1);
    assert_eq!(spread(&small).chunks, 1);
}

#[test]
fn results_hold_no_memory_for_elements_that_did_not_come() {
    // Few of the coordinates are in both, and threads had room for all of them.
    let (a, b) = (matrix(40_000, "csr", |_| 5), matrix(40_000, "csr", |i| usize::from(i % 400 == 0)));
    let both = [("A", &a), ("B", &b)];
    for (chunks, threads) in [(1, 1), (16, 2)] {
        let kernel = compile("C(i,j) = A(i,j) * B(i,j)", &both, Some("csr"));
        let made = kernel.with_chunks(chunks).with_threads(threads).run(&both).unwrap().tensor;
        assert!(made.nnz() < 1000);
        for array in made.levels().iter().flat_map(|l| &l.arrays).chain([made.vals()]) {
            assert!(
                array.capacity() <= (4 * array.len()).max(1 << 16),
                "{} of {}",
                array.capacity(),
                array.len()
            );
        }
    }
}

#[test]
fn chunks_are_dealt_to_two_and_to_four_threads_alike() {
    for per_row in [12, 14, 17, 22, 30] {
        let (a, x) = (matrix(20_000, "csr", |_| per_row), vector(20_000));
        let operands = [("A", &a), ("x", &x)];
        let spread =
            compile("y(i) = A(i,j) * x(j)", &operands, None).with_threads(2).run(&operands).unwrap().spread;
        assert!(spread.chunks > 1 && spread.chunks.is_multiple_of(4), "{per_row}: {} chunks", spread.chunks);
    }
}

fn vector(n: usize) -> Tensor {
    Tensor::from_vec(&[n], vec![1.0; n]).unwrap()
}
