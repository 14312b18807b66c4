//! Every file under `tests/files` is one test. `BLESS=1` rewrites the sections of those that differ. Where few random cases are
//! wanted (`OPENWORK_CASES`), the C compiler is asked for no optimisation, which is most of what it takes for these.

use libtest_mimic::{Arguments, Trial};
use openwork::BackendKind;
use openwork_filetests::differential::budget;
use openwork_filetests::pipeline::CompilerPipeline;
use openwork_filetests::testfile;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Random cases, from which on C is compiled as users have it.
const MANY: usize = 1000;

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
    let backends = [BackendKind::Interp, BackendKind::Clif, BackendKind::C];
    let compiler = CompilerPipeline::new(&backends).or_else(|_| CompilerPipeline::new(&backends[..2]));
    let compiler = compiler.expect("the interpreter and Cranelift are always available");
    let compiler =
        Arc::new(if budget(MANY).count() < MANY { compiler.without_optimisation() } else { compiler });
    let trials = all.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("").display().to_string();
        let compiler = compiler.clone();
        Trial::test(name, move || testfile::run(&path, &*compiler).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
