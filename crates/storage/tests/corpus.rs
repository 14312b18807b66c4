//! Every MatrixMarket and FROSTT file of the shared data reads as its index says.
//!
//! The data are found through `OPENWORK_DATA`, or beside the repository; without them the test says so and passes.

use openwork_algebra::{DType, Scalar};
use openwork_format::presets;
use openwork_storage::{Coo, files, pack};
use std::path::{Path, PathBuf};

fn data() -> Option<PathBuf> {
    let folder = match std::env::var_os("OPENWORK_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if folder.join("INDEX.md").is_file() {
        return Some(folder);
    }
    println!("skipped: no data in {}", folder.display());
    None
}

/// A row of the index: the file, the sizes of its modes and the number of entries; no sizes for a broken file.
struct Row {
    file: String,
    sizes: Option<Vec<usize>>,
    entries: usize,
}

fn rows(folder: &Path) -> Vec<Row> {
    let number = |text: &str| text.replace(',', "").parse::<usize>().ok();
    let index = std::fs::read_to_string(folder.join("INDEX.md")).unwrap();
    let mut out = Vec::new();
    for line in index.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(file) = cells.get(1).and_then(|c| c.strip_prefix('`')?.strip_suffix('`')) else {
            continue;
        };
        if !file.ends_with(".mtx.gz") && !file.ends_with(".tns.gz") {
            continue;
        }
        let sizes = match cells[4].starts_with("order") {
            true => cells[3].split('x').map(number).collect(),
            false => number(cells[3]).zip(number(cells[4])).map(|(r, c)| vec![r, c]),
        };
        out.push(Row { file: file.into(), sizes, entries: number(cells[5]).unwrap_or(0) });
    }
    out
}

#[test]
fn every_file_has_the_sizes_and_entries_of_the_index() {
    let Some(folder) = data() else { return };
    let rows = rows(&folder);
    assert!(rows.len() > 140, "only {} rows understood", rows.len());
    let mut wrong = Vec::new();
    for row in &rows {
        match (files::read(folder.join(&row.file)), &row.sizes) {
            (Ok(coo), Some(sizes)) if coo.shape() == sizes && coo.len() == row.entries => {
                let t = pack(&coo, &presets::csf(coo.rank()), Scalar::zero(coo.dtype())).unwrap();
                if t.nnz() > row.entries {
                    wrong.push(format!("{}: {} entries after packing", row.file, t.nnz()));
                }
            }
            // A .tns file says nothing about coordinates beyond its last ones; the index does.
            (Ok(coo), Some(sizes)) if row.file.ends_with(".tns.gz") && coo.len() == row.entries => {
                let options = files::ReadOptions { dims: Some(sizes.clone()), ..Default::default() };
                assert_eq!(files::read_with(folder.join(&row.file), &options).unwrap().len(), row.entries);
            }
            (Ok(coo), sizes) => {
                wrong.push(format!(
                    "{}: {sizes:?} {}, read {:?} {}",
                    row.file,
                    row.entries,
                    coo.shape(),
                    coo.len()
                ));
            }
            (Err(e), None) if e.code().0.starts_with("E070") => {
                assert!(e.to_string().contains(".mtx.gz:"), "{e}");
            }
            (Err(e), _) => wrong.push(format!("{}: {e}", row.file)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corner_cases_have_the_values_they_state() {
    let Some(folder) = data() else { return };
    let read = |name: &str| files::read(folder.join(format!("format_cases/{name}.mtx.gz"))).unwrap();
    let at = |coo: &Coo, i: usize, j: usize| {
        pack(coo, &presets::dcsr(), Scalar::zero(coo.dtype())).unwrap().get(&[i, j])
    };

    let fp64 = read("matrix_fp64");
    assert_eq!(at(&fp64, 3, 0), Some(Scalar::F64(f64::NEG_INFINITY)));
    let int64 = read("matrix_int64");
    assert_eq!(at(&int64, 0, 1), Some(Scalar::I64(i64::MAX)));
    assert_eq!(read("matrix_bool").dtype(), DType::Bool);
    assert_eq!(read("comments_cover").dtype(), DType::I32);
    let skew = read("skew_fp32");
    assert_eq!((at(&skew, 5, 4), at(&skew, 4, 5)), (Some(Scalar::F32(-0.1816)), Some(Scalar::F32(0.1816))));
    let hermitian = read("cholmod_cha");
    let (low, high) = (at(&hermitian, 1, 0).unwrap(), at(&hermitian, 0, 1).unwrap());
    assert_eq!(low.as_complex().conj(), high.as_complex());
    let full = read("full");
    assert_eq!((at(&full, 1, 0), at(&full, 0, 1)), (Some(Scalar::F64(0.709)), Some(Scalar::F64(0.276))));

    let west = files::read(folder.join("matrices/west0067.mtx.gz")).unwrap().sorted_entries();
    assert_eq!(read("west0067_jumbled").sorted_entries().len(), west.len());
}
