//! Formats that would fill the machine are refused before anything is allocated.

mod common;

use common::format;
use openwork_algebra::{DType, Scalar};
use openwork_storage::{Buffer, Coo, files, memory, pack};

/// The limit is one for the whole process, so this is one test.
#[test]
fn sizes_are_known_before_memory_is_taken() {
    memory::set_limit(1 << 30);
    assert_eq!(memory::limit(), 1 << 30);
    let n = 1usize << 20;
    let entries: Vec<_> =
        (0..2000).map(|e| (vec![e * 7919 % n, e * 104_729 % n], Scalar::F64(1.0))).collect();
    let scattered = Coo::from_entries(&[n, n], DType::F64, &entries).unwrap();
    let started = std::time::Instant::now();
    for text in ["dia", "dense", "bytemap", "bitmap", "ragged", "banded", "bcsr(1000,1000)"] {
        let e = pack(&scattered, &format(text, 2), Scalar::F64(0.0)).unwrap_err();
        assert_eq!(e.code().0, "E0605", "{text}: {e}");
        let shown = e.to_string();
        assert!(shown.contains("more than the memory limit of 1.0 GiB"), "{text}: {shown}");
        assert!(shown.contains("raise the limit"), "{text}: {shown}");
    }
    for text in ["csr", "coo", "hash", "csb(1024)", "hicoo(128)", "ell", "dok", "lil", "rle"] {
        pack(&scattered, &format(text, 2), Scalar::F64(0.0)).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let far = [(vec![1 << 39, 5], Scalar::I32(1)), (vec![3, 1 << 40], Scalar::I32(1))];
    let far = Coo::from_entries(&[1 << 41, 1 << 41], DType::I32, &far).unwrap();
    for text in ["dia", "dense", "bitmap", "csr", "banded", "upper", "hash", "ell", "sky", "bcsr"] {
        let e = pack(&far, &format(text, 2), Scalar::I32(0)).unwrap_err();
        assert!(["E0605", "E0602"].contains(&e.code().0), "{text}: {e}");
    }
    for text in ["dcsr", "coo", "dok", "csf", "coo_aos"] {
        pack(&far, &format(text, 2), Scalar::I32(0)).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    archives_are_not_unpacked_beyond_the_limit();
    text_counts_towards_the_limit();
    memory::set_limit(0);
    assert!(memory::limit() > 1 << 26);
}

/// A small file may hold much text.
fn text_counts_towards_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.mtx.gz");
    let head = "%%MatrixMarket matrix coordinate real general\n9 9 1\n1 1 1\n";
    let text = format!("{head}{}", "% nothing at all\n".repeat(1 << 21));
    let mut packed =
        flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    packed.finish().unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    memory::give_back();
    memory::set_limit(memory::held_bytes() + (24 << 20));
    let e = files::read(&path).unwrap_err();
    assert!(e.code().0 == "E0605" && e.to_string().contains("the text of"), "{e}");
    // Memory for a little more than the text is enough, though text is read into memory that grows.
    memory::set_limit(memory::held_bytes() + text.len() as u64 + (3 << 20));
    assert_eq!(files::read(&path).unwrap().len(), 1);
}

/// A small archive may hold a large array.
fn archives_are_not_unpacked_beyond_the_limit() {
    let n = 1 << 20;
    let list = |d: usize| Buffer::from((0..n).map(|e| (e / d) as i32).collect::<Vec<i32>>());
    let alike = Coo::new(vec![n, 1], vec![list(1), list(n)], Buffer::from(vec![1.0; n])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alike.npz");
    files::write(&path, &pack(&alike, &format("csr", 2), Scalar::F64(0.0)).unwrap()).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 4 << 20);
    assert_eq!(files::read(&path).unwrap().len(), n);
    drop(alike);
    memory::give_back();
    memory::set_limit(memory::held_bytes() + (6 << 20));
    let e = files::read(&path).unwrap_err();
    assert_eq!(e.code().0, "E0605");
    // Before it is unpacked, not when an array is made of it.
    assert!(e.to_string().contains("alike.npz: data.npy would take"), "{e}");
}
