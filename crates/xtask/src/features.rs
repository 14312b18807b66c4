//! The command and the Python module ask for the same features of shared dependencies as the whole workspace does.
//!
//! Cargo compiles a crate once per set of features. Where one member alone asks for another set than all together, what
//! lies above is compiled again for the tests, which takes minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Members that users build by themselves.
const ALONE: [&str; 2] = ["openwork-cli", "openwork-python"];
/// Compiled for macros only, in seconds.
const MACROS: [&str; 3] = ["proc-macro2", "quote", "syn"];

/// Reports crates whose features depend on what is built beside them.
pub fn check(root: &Path) -> Vec<String> {
    let whole = tree(root, &["--workspace", "--edges", "normal,build,dev"]);
    let mut offences = Vec::new();
    for member in ALONE {
        for (name, features) in tree(root, &["--package", member, "--edges", "normal,build"]) {
            let macros = MACROS.iter().any(|m| name.starts_with(&format!("{m} ")));
            let Some(all) = whole.get(&name).filter(|all| **all != features && !macros) else { continue };
            let more: Vec<&str> = all.difference(&features).map(String::as_str).collect();
            offences.push(format!(
                "{name} is compiled again beside {member}, with {}: ask for it in crates/base/Cargo.toml",
                more.join(", ")
            ));
        }
    }
    offences
}

/// The features of every crate in a tree of dependencies.
fn tree(root: &Path, arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["tree", "--prefix", "none", "--format", "{p}|{f}"]).args(arguments);
    let text =
        cargo.output().map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    parse_features(&text)
}

fn parse_features(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        let Some((name, features)) = line.split_once('|') else { continue };
        // A crate that was shown before is marked by a star.
        let features = features.trim_end_matches(" (*)").split(',').filter(|f| !f.is_empty());
        out.entry(name.trim().into()).or_default().extend(features.map(str::to_string));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_off_the_tree() {
        let tree = parse_features("a v1.0.0|std,alloc\nb v2.0.0| (*)\na v1.0.0|std,alloc (*)\n");
        assert_eq!(tree["a v1.0.0"].iter().collect::<Vec<_>>(), ["alloc", "std"]);
        assert!(tree["b v2.0.0"].is_empty());
    }
}
