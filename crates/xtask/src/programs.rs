//! Every file of tests is run: where Cargo does not look for them (`autotests = false`), each is named by hand.

use crate::{files, read};
use std::path::Path;

/// Reports files in `tests` that are part of no program.
pub fn check(root: &Path) -> Vec<String> {
    let mut offences = Vec::new();
    for manifest in files(&root.join("crates"), "toml").iter().filter(|f| f.ends_with("Cargo.toml")) {
        let (listed, folder) = (read(manifest), manifest.with_file_name("tests"));
        if !listed.contains("\nautotests = false\n") {
            continue;
        }
        let all = read(&folder.join("all.rs"));
        for file in files(&folder, "rs").iter().filter(|f| f.parent() == Some(&folder)) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            if !is_run(&name, &listed, &all) {
                let shown = file.strip_prefix(root).unwrap_or(file).display();
                offences.push(format!("{shown} is neither in tests/all.rs nor a [[test]] of Cargo.toml"));
            }
        }
    }
    offences
}

/// Whether a file of tests is a program of the manifest or a module of the program `all`.
fn is_run(name: &str, manifest: &str, all: &str) -> bool {
    let program = |name: &str| manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
    program(name) || program("all") && all.lines().any(|line| line == format!("mod {name};"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nothing_names_is_found() {
        let manifest = "autotests = false\n\n[[test]]\nname = \"all\"\n\n[[test]]\nname = \"apart\"\n";
        let all = "mod first;\n// mod second;\n";
        let run = ["all", "apart", "first", "second", "other"].map(|name| is_run(name, manifest, all));
        assert_eq!(run, [true, true, true, false, false]);
        assert!(!is_run("first", "autotests = false\n", all));
        assert_eq!(check(&crate::root()), [""; 0]);
    }
}
