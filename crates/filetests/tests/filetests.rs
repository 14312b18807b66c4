//! Every file under `tests/files` is one test. `BLESS=1` rewrites the sections of those that differ.

use libtest_mimic::{Arguments, Trial};
use openwork_filetests::pipeline::Planning;
use openwork_filetests::testfile;
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of tests exists")
        .map(|e| e.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "t") {
            out.push(path);
        }
    }
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut all = Vec::new();
    files(&root, &mut all);
    let trials = all.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("").display().to_string();
        Trial::test(name, move || testfile::run(&path, &Planning).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
