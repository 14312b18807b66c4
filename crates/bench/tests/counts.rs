//! What the kernels of the benchmarks do in one run on small operands, as the interpreter counts it, and how much code they
//! are: the number of Cranelift instructions without vectors, which no machine changes. Both are committed in `counts.txt`
//! and rise only with a reason; `BLESS=1 cargo test -p openwork-bench --test counts` writes what they are.

mod workload;

use openwork::{BackendKind, Session, Tensor};
use openwork_backend::{Backend, InterpBackend};
use openwork_backend_clif::ClifBackend;
use openwork_loops::interp::Counts;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use workload::Workload;

/// A line of the table.
fn line(label: &str, statement: &str, formats: &[(&str, &str)]) -> Result<String, String> {
    let text = |e: openwork::Error| e.to_string();
    let Workload { decls, tensors } = Workload::small(statement, formats)?;
    let counts = Arc::new(Mutex::new(Counts::default()));
    let backend = Arc::new(InterpBackend::new().with_counts(counts.clone()));
    let session = Session::with_backend(BackendKind::Interp, backend).with_threads(1);
    let stages = session.stages(statement, &decls).map_err(text)?;
    let clif = ClifBackend::new().and_then(|b| b.listing(&stages.lowered.kernel)).map_err(text)?;
    let code = clif.lines().filter(|l| l.starts_with("    ") && !l.trim().is_empty()).count();
    let operands: Vec<(&str, &Tensor)> = tensors.iter().map(|(n, t)| (n.as_str(), t)).collect();
    session.compile(statement, &decls).map_err(text)?.run(&operands).map_err(text)?;
    let counts = *counts.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(format!("{label:<32} {counts}, code {code}"))
}

#[test]
fn kernels_do_what_they_did() {
    let mut table = String::new();
    for (label, statement, formats) in workload::list_all() {
        let line = line(&label, statement, formats).unwrap_or_else(|e| panic!("{label}: {e}"));
        table.push_str(&line);
        table.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &table).expect("the table can be written");
        return;
    }
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let changed = table.lines().filter(|line| !before.lines().any(|old| old == *line));
    let changed: Vec<&str> = changed.collect();
    assert!(before == table, "kernels of the benchmarks do something else now:\n{}", changed.join("\n"));
}
