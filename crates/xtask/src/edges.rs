//! Which crate may know which: the table of `ARCHITECTURE.md`, as law.

use crate::read;
use std::collections::BTreeMap;
use std::path::Path;

/// Crate and what it may know. Tooling may know anything.
const ALLOWED: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("algebra", &["base"]),
    ("format", &["base", "algebra"]),
    ("loops", &["base", "algebra"]),
    ("index", &["base", "algebra", "format"]),
    ("levels", &["base", "algebra", "loops", "format"]),
    ("lower", &["base", "algebra", "format", "loops", "index", "levels"]),
    ("planner", &["base", "algebra", "format", "loops", "index", "levels", "lower"]),
    ("storage", &["base", "algebra", "format"]),
    ("backend", &["base", "algebra", "loops"]),
    ("backend-clif", &["base", "algebra", "loops", "backend"]),
    ("backend-c", &["base", "algebra", "loops", "backend"]),
    ("runtime", &["base", "algebra", "format", "loops", "storage", "backend"]),
    (
        "execute",
        &["base", "algebra", "format", "loops", "index", "lower", "planner", "storage", "backend", "runtime"],
    ),
    (
        "openwork",
        &[
            "base",
            "algebra",
            "format",
            "loops",
            "index",
            "levels",
            "lower",
            "planner",
            "storage",
            "backend",
            "backend-clif",
            "backend-c",
            "runtime",
            "execute",
        ],
    ),
    ("cli", &["base", "algebra", "format", "index", "storage", "openwork"]),
    ("python", &["base", "index", "storage", "openwork"]),
    ("example-delta-level", &["openwork"]),
];
const TOOLING: &[&str] = &["filetests", "fuzz", "bench", "xtask"];

/// Reports forbidden and unlisted edges, and external dependencies without a reason in `docs/dependencies.md`.
pub fn check(root: &Path) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let reasons = read(&root.join("docs/dependencies.md"));
    let mut offences = Vec::new();
    let Ok(entries) = std::fs::read_dir(root.join("crates")) else { return vec!["no crates folder".into()] };
    let mut crates: Vec<_> =
        entries.flatten().map(|e| e.path()).filter(|p| p.join("Cargo.toml").exists()).collect();
    crates.sort();
    for path in crates {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let (normal, all) = dependencies(&read(&path.join("Cargo.toml")));
        for dep in all.iter().filter(|d| !d.starts_with("openwork")) {
            if !reasons.contains(&format!("`{dep}`")) {
                offences
                    .push(format!("{name} depends on {dep}, which has no reason in docs/dependencies.md"));
            }
        }
        if TOOLING.contains(&name.as_str()) {
            continue;
        }
        let Some(may_know) = allowed.get(name.as_str()) else {
            offences.push(format!("crate {name} is not in the table of allowed edges"));
            continue;
        };
        for dep in normal {
            let inner = if dep == "openwork" { Some("openwork") } else { dep.strip_prefix("openwork-") };
            if let Some(inner) = inner.filter(|d| !may_know.contains(d)) {
                offences.push(format!("{name} must not know {inner}"));
            }
        }
    }
    offences
}

/// Names under `[dependencies]`, and under any dependency table.
fn dependencies(manifest: &str) -> (Vec<String>, Vec<String>) {
    let (mut normal, mut all) = (Vec::new(), Vec::new());
    let mut table = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            table = line;
        } else if table.ends_with("dependencies]") && line.contains('=') && !line.starts_with('#') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or("").to_string();
            if table == "[dependencies]" {
                normal.push(name.clone());
            }
            all.push(name);
        }
    }
    (normal, all)
}

#[cfg(test)]
mod tests {
    #[test]
    fn tables_are_told_apart() {
        let text =
            "[dependencies]\na.workspace = true\nb = \"1\"\n[dev-dependencies]\nc = { path = \"x\" }\n";
        assert_eq!(
            super::dependencies(text),
            (vec!["a".into(), "b".into()], vec!["a".into(), "b".into(), "c".into()])
        );
    }
}
