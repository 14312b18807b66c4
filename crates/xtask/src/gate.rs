//! Every function that Python calls goes through the gate, `crates/python/src/gate.rs`.

use crate::{files, read};
use std::path::Path;

/// Reports entry points that do not begin with the gate.
pub fn check(root: &Path) -> Vec<String> {
    let mut offences = Vec::new();
    for path in files(&root.join("crates/python/src"), "rs") {
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        for (line, name) in find_ungated(&read(&path)) {
            offences.push(format!("{shown}:{line}: the entry point {name} does not begin with gate::entry"));
        }
    }
    offences
}

/// Entry points of formatted code whose body does not begin with the gate, with their lines.
fn find_ungated(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    let (mut methods, mut function) = (false, false);
    for (n, line) in lines.iter().enumerate() {
        methods = (methods && *line != "}") || line.starts_with("#[pymethods");
        function |= line.starts_with("#[pyfunction");
        let depth = line.len() - line.trim_start().len();
        let Some((_, rest)) = line.split_once("fn ").filter(|_| depth == 4 * usize::from(methods)) else {
            continue;
        };
        if !line.trim_start().starts_with("//") && (methods || std::mem::take(&mut function)) {
            let body = lines[n..].iter().skip_while(|l| !l.ends_with('{')).nth(1);
            if !body.is_some_and(|l| l.trim_start().starts_with("gate::entry(")) {
                out.push((n + 1, rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn entry_points_without_a_gate_are_found() {
        let text = "\
#[pyfunction]
#[pyo3(signature = (a, b = 1))]
pub(crate) fn long(
    a: u8,
) -> PyResult<u8> {
    gate::entry(|| Ok(a))
}
#[pyfunction]
fn bad() -> u8 {
    1
}
fn helper() -> u8 {
    2
}
#[pymethods]
impl A {
    /// No fn here.
    #[getter]
    fn good(&self) -> PyResult<u8> {
        gate::entry(|| {
            fn inner() {}
            Ok(1)
        })
    }
    unsafe fn worse(&self) -> u8 {
        gate_entry(1)
    }
}
impl A {
    fn own(&self) {
        other()
    }
}
";
        assert_eq!(super::find_ungated(text), [(9, "bad".into()), (25, "worse".into())]);
    }
}
