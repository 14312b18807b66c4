//! A text of several statements.

/// The statements of a text, separated by `;` or ends of lines, each with the definitions of functions that stand before it.
///
/// ```
/// use openwork_index::notation::split;
/// assert_eq!(split("y(i) = x(i); z = y(i) * y(i)"), ["y(i) = x(i)", "z = y(i) * y(i)"]);
/// let text = "def sq(x) {\n  let t = x; t * t }\ny(i) = sq(x(i))\nz = y(i)";
/// assert_eq!(split(text)[1], "def sq(x) {\n  let t = x; t * t }; z = y(i)");
/// ```
pub fn split(text: &str) -> Vec<String> {
    let (mut definitions, mut statements) = (String::new(), Vec::new());
    for part in parts(text).map(str::trim).filter(|s| !s.is_empty()) {
        if is_definition(part) {
            // The same definition may stand before each statement that needs it.
            let known = definitions.contains(&format!("{part}; "));
            definitions.push_str(&if known { String::new() } else { format!("{part}; ") });
        } else {
            statements.push(format!("{definitions}{part}"));
        }
    }
    // Definitions alone are no statement: reading them says so.
    if statements.is_empty() && !definitions.is_empty() {
        statements.push(definitions);
    }
    statements
}

/// Whether `def` stands before a name.
fn is_definition(part: &str) -> bool {
    let rest = part.strip_prefix("def").unwrap_or("");
    let name = rest.trim_start();
    rest.len() > name.len() && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// What stands between separators that are in no braces.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    text.split(move |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ';' | '\n')
    })
}
