//! The order of the modules inside `lower`: the table at the top of its `lib.rs`, as law. A module uses those above it, and
//! those that decide never see the code under construction.

use crate::{files, read};
use std::path::Path;

/// The module that holds the code under construction, with which writing begins.
const FIRST_THAT_WRITES: &str = "tensors";
/// The code under construction.
const CODE: &str = "Lowerer";

/// Reports modules that are not in the table, and uses against its order.
pub fn check(root: &Path) -> Vec<String> {
    let source = root.join("crates/lower/src");
    let order = table(&read(&source.join("lib.rs")));
    let place = |module: &str| order.iter().position(|m| m == module);
    let mut offences = Vec::new();
    let Some(writes) = place(FIRST_THAT_WRITES) else {
        return vec![format!("the table of lower/src/lib.rs has no `{FIRST_THAT_WRITES}`")];
    };
    for path in files(&source, "rs") {
        let Ok(inside) = path.strip_prefix(&source) else { continue };
        let module = inside.iter().next().map(|m| m.to_string_lossy().into_owned()).unwrap_or_default();
        let module = module.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let Some(own) = place(module) else {
            offences.push(format!("lower: `{module}` is not in the table of its lib.rs"));
            continue;
        };
        let text = read(&path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for used in uses(code) {
            if place(&used).is_some_and(|at| at > own) {
                offences.push(format!("lower: `{module}` uses `{used}`, which comes after it"));
            }
            if used == CODE && own < writes {
                offences
                    .push(format!("lower: `{module}` decides, and must not see the code that is written"));
            }
        }
    }
    offences
}

/// The modules of the table, in its order.
fn table(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | "));
    let cells = rows.filter_map(|row| row.split('|').next());
    let names = cells.map(|cell| cell.trim().trim_matches(['[', ']', '`']).to_string());
    names.filter(|name| name != "file").collect()
}

/// What code takes from its crate: `crate::NAME`, also in braces.
fn uses(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(inner) = rest.strip_prefix('{') else {
            out.push(name(rest));
            continue;
        };
        // The first name of each part, whatever stands in braces of its own.
        let (mut depth, mut begins) = (0, true);
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && !c.is_whitespace() => {
                    out.push(name(&inner[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{table, uses};

    #[test]
    fn tables_and_uses_are_read() {
        let lib = "//! | file | what |\n//! |---|---|\n//! | [`space`] | sets |\n//! | `scope` | known |\nmod scope;";
        assert_eq!(table(lib), ["space", "scope"]);
        assert_eq!(
            uses("use crate::{Lowerer, Phase};\nuse crate::space::Leaf;"),
            ["Lowerer", "Phase", "space"]
        );
        let nested = "use crate::{graph::{Arm, Loop}, scope::Scope};";
        assert_eq!(uses(nested), ["graph", "scope"]);
    }
}
