//! The order of the modules inside `lower`, `planner`, `execute` and `openwork`: the tables at the top of their `lib.rs`, of `emit.rs`
//! and `modules.rs`, as law. A module uses those above it; in `lower` those that decide never see the code under construction, as `emit` comes last.

use crate::{files, read};
use std::path::Path;

/// A crate, its file with a table of modules, and the folder of these.
const TABLES: [(&str, &str, &str); 5] = [
    ("lower", "lib.rs", ""),
    ("lower", "emit.rs", "emit"),
    ("planner", "lib.rs", ""),
    ("execute", "lib.rs", ""),
    ("openwork", "modules.rs", ""),
];

/// Reports modules that are not in their table, and uses against its order.
pub fn check(root: &Path) -> Vec<String> {
    let mut offences = Vec::new();
    for (name, file, folder) in TABLES {
        let source = root.join("crates").join(name).join("src");
        let order = table(&read(&source.join(file)));
        let within = source.join(folder);
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}::") };
        for path in files(&within, "rs") {
            let Some(module) = module_of(&path, &within).filter(|m| m != "lib") else { continue };
            let text = read(&path);
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let found = find_violations(&order, &module, &uses(code, &prefix));
            offences.extend(found.into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    offences
}

/// The module below a folder that a file belongs to.
fn module_of(path: &Path, folder: &Path) -> Option<String> {
    let first = path.strip_prefix(folder).ok()?.iter().next()?.to_string_lossy().into_owned();
    Some(first.trim_end_matches(".rs").to_string())
}

/// What a module uses though it comes later in the order.
fn find_violations(order: &[String], module: &str, used: &[String]) -> Vec<String> {
    let place = |module: &str| order.iter().position(|m| m == module);
    let Some(own) = place(module) else {
        return vec![format!("`{module}` is not in the table of its modules")];
    };
    let later = used.iter().filter(|used| place(used).is_some_and(|at| at > own));
    later.map(|used| format!("`{module}` uses `{used}`, which comes after it")).collect()
}

/// The modules of the table, in its order.
fn table(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | "));
    let cells = rows.filter_map(|row| row.split('|').next());
    let names = cells.map(|cell| cell.trim().trim_matches(['[', ']', '`']).to_string());
    names.filter(|name| name != "file").collect()
}

/// What code takes from a module of its crate: `crate::PREFIX::NAME`, also in braces.
fn uses(code: &str, prefix: &str) -> Vec<String> {
    let mut out = Vec::new();
    for rest in code.split(&format!("crate::{prefix}")).skip(1) {
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
    use super::{find_violations, table, uses};

    #[test]
    fn tables_are_read_and_uses_compared_with_them() {
        let lib = "//! | file | what |\n//! |---|---|\n//! | [`space`] | sets |\n//! | `scope` | known |\nmod scope;";
        assert_eq!(table(lib), ["space", "scope"]);
        let code =
            "use crate::{Phase, emit::Emitter};\nuse crate::emit::scope::Scope;\nuse crate::space::Leaf;";
        assert_eq!(uses(code, ""), ["Phase", "emit", "emit", "space"]);
        assert_eq!(uses(code, "emit::"), ["scope"]);
        let nested = "use crate::{graph::{Arm, Loop}, lowered::Lowered};";
        assert_eq!(uses(nested, ""), ["graph", "lowered"]);
        let order = ["space", "graph", "emit"].map(String::from);
        assert_eq!(find_violations(&order, "emit", &["space".into(), "graph".into()]), [""; 0]);
        assert_eq!(find_violations(&order, "graph", &["emit".into()]).len(), 1);
        assert_eq!(find_violations(&order, "cases", &[]).len(), 1);
    }
}
