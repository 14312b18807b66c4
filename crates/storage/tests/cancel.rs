//! Everything that takes long looks for a request to stop, so often that it ends soon, and can be done again.

use openwork_algebra::{DType, Scalar};
use openwork_base::{Error, Result, Source};
use openwork_format::presets::PRESETS;
use openwork_format::{Catalog, Format};
use openwork_storage::{
    Buffer, Cancel, Coo, Tensor, canonical, files, footprint, generate::Generator, pack, try_rearrange,
    unpack,
};

/// Between two looks there are at most so many elements in one pass.
const PERIOD: usize = 1 << 16;
const N: usize = 150_000;
const ZERO: Scalar = Scalar::F64(0.0);

/// Scattered entries of a matrix, no two at the same place.
fn entries(n: usize, size: usize) -> Coo {
    let column =
        |at: fn(usize, usize) -> usize| Buffer::from((0..n).map(|e| at(e, size) as i32).collect::<Vec<_>>());
    let vals = Buffer::from((0..n).map(|e| e as f64 + 1.0).collect::<Vec<_>>());
    Coo::new(
        vec![size, size],
        vec![column(|e, size| e * 7919 % size), column(|e, size| (e + e / size * 31) % size)],
        vals,
    )
    .unwrap()
}

fn format(text: &str) -> Format {
    Catalog::default().parse(&Source::new("format", text), 2).unwrap()
}

/// Formats that hold any matrix.
fn formats() -> Vec<Format> {
    let names = PRESETS.iter().map(|p| match p.name {
        "bcsr" | "bcsc" => format!("{}(2,2)", p.name),
        "sell" => "sell(8)".into(),
        "csb" => "csb(64)".into(),
        "hicoo" => "hicoo(8)".into(),
        name => name.into(),
    });
    let any = names.filter(|n| !["sv", "sym", "lower", "upper", "modegeneric"].contains(&n.as_str()));
    any.map(|n| format(&n)).collect()
}

fn is_stopped<T>(result: Result<T>) -> bool {
    result.is_err_and(|e: Error| e.code().0 == "E0606")
}

/// Runs work to its end, then stops it at its first, second, … and last look, each time with the right error.
fn stops<T>(what: &str, work: impl Fn() -> Result<T>) -> u64 {
    let counted = Cancel::new();
    counted.scope(&work).unwrap_or_else(|e| panic!("{what}: {e}"));
    let looks = counted.looks();
    assert!(looks > 0, "{what} never looks");
    for at in [1, 2, looks / 2, looks].into_iter().filter(|&at| at > 0 && at <= looks) {
        let cancel = Cancel::at_look(at);
        // Work on several threads may look in another order, but never less often than one that is stopped.
        assert!(is_stopped(cancel.scope(&work)), "{what} stopped at look {at} of {looks}");
    }
    looks
}

#[test]
fn packing_looks_every_so_many_entries() {
    let coo = entries(N, 800);
    for f in formats() {
        let looks = stops(&f.to_string(), || pack(&coo, &f, ZERO));
        assert!(looks as usize >= N / PERIOD, "{f}: {looks} looks for {N} entries");
        stops(&format!("the footprint of {f}"), || footprint(&coo, &f, ZERO));
    }
}

#[test]
fn unpacking_and_checking_look_every_so_many_entries() {
    let coo = entries(N, 800);
    for f in formats() {
        let t = pack(&coo, &f, ZERO).unwrap();
        let looks = stops(&format!("unpacking {f}"), || unpack(&t));
        assert!(looks as usize >= N / PERIOD, "{f}: {looks} looks for {N} entries");
        stops(&format!("{f} made dense"), || t.to_dense());
        let checked = || {
            let levels = t.levels().to_vec();
            Tensor::new_checked(t.shape().to_vec(), t.format().clone(), t.fill(), levels, t.vals().clone())
        };
        stops(&format!("checking {f}"), checked);
    }
}

#[test]
fn short_ways_between_formats_look_every_so_many_entries() {
    let coo = entries(N, 800);
    for (from, to) in [("csr", "csc"), ("csr", "coo"), ("coo", "csr"), ("csr", "bcsr(2,2)")] {
        let (t, f) = (pack(&coo, &format(from), ZERO).unwrap(), format(to));
        assert!(try_rearrange(&t, &f, ZERO).unwrap().is_some());
        let looks = stops(&format!("{from} to {to}"), || try_rearrange(&t, &f, ZERO));
        assert!(looks as usize >= N / PERIOD, "{from} to {to}: {looks} looks for {N} entries");
    }
}

#[test]
fn turning_looks_every_so_many_values_however_long_rows_are() {
    let columns = "(i,j) -> (j,i) : dense, dense";
    for shape in [[900, 700], [3, 400_000], [400_000, 3], [1, 400_000]] {
        let n = shape[0] * shape[1];
        let t = Tensor::dense(&shape, Buffer::from(vec![1.5; n])).unwrap();
        let looks = stops(&format!("{shape:?} by columns"), || try_rearrange(&t, &format(columns), ZERO));
        assert!(looks as usize >= n / PERIOD, "{shape:?}: {looks} looks for {n} values");
    }
    // What lies side by side in both orders is copied.
    let t = Tensor::dense(&[2, 2, 200_000], Buffer::from(vec![1.5; 800_000])).unwrap();
    let turned =
        Catalog::default().parse(&Source::new("format", "(i,j,k) -> (j,i,k) : dense, dense, dense"), 3);
    let turned = turned.unwrap();
    let looks = stops("slices", || try_rearrange(&t, &turned, ZERO));
    assert!(looks as usize >= 800_000 / PERIOD, "{looks} looks");
}

#[test]
fn arrays_of_other_libraries_are_sorted_or_the_work_ends() {
    let t = pack(&entries(N, 800), &format("csr"), ZERO).unwrap();
    let mut arrays = t.level(1).clone();
    let crd = arrays.arrays[1].as_mut_slice::<i32>().unwrap();
    crd.swap(0, 1);
    let work = || canonical(vec![800, 800], format("csr"), ZERO, arrays.clone(), t.vals().clone());
    stops("sorting a row", work);
}

#[test]
fn generators_look_every_so_many_values() {
    for text in ["random:seed=1", "range", "sparse:density=0.3", "sparse:density=0.9"] {
        let generator = Generator::parse(&Source::new("-g", text)).unwrap();
        let looks = stops(text, || generator.generate(&[1000, 500], DType::F64));
        assert!(looks as usize >= 100_000 / PERIOD, "{text}: {looks}");
    }
}

#[test]
fn files_are_read_and_written_whole_or_not_at_all() {
    let t = pack(&entries(N, 800), &format("csr"), ZERO).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.mtx", "a.mtx.gz", "a.tns", "a.tns.gz", "a.rb", "a.npz", "a.bsp.npz"] {
        let path = folder.path().join(name);
        files::write(&path, &t).unwrap();
        let before = std::fs::read(&path).unwrap();
        let changed = t.with_own_values().unwrap();
        stops(&format!("writing {name}"), || files::write(folder.path().join("other.mtx"), &changed));
        let cancel = Cancel::at_look(3);
        assert!(is_stopped(cancel.scope(|| files::write(&path, &changed))), "{name}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name} is as it was");
        stops(&format!("reading {name}"), || files::read(&path));
        assert_eq!(files::read(&path).unwrap().len(), unpack(&t).unwrap().len());
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 8, "nothing is left of what was stopped");
}
