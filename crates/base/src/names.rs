//! Names that somebody may have meant.

/// As many names as a message offers.
const OFFERED: usize = 3;
/// A word that begins another is that word cut short, from so many letters on.
const STEM: usize = 3;

/// The names nearest to one that is not known, nearest first: at most three, of those that are one mistake away for every
/// three letters. A mistake is a letter too many, too few, another or two exchanged; case is none.
///
/// ```
/// use openwork_base::names::nearest;
/// assert_eq!(nearest("cssr", ["coo", "csr", "csc"]), ["csr"]);
/// assert_eq!(nearest("maximum", ["min", "max"]), ["max"]);
/// assert!(nearest("q", ["i", "j"]).is_empty());
/// ```
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let mut near: Vec<(usize, &str)> = Vec::new();
    for other in known {
        let letters: Vec<char> = other.to_lowercase().chars().collect();
        let mistakes = mistakes(&name, &letters);
        let short = name.len().min(letters.len());
        let stem = short >= STEM && name[..short] == letters[..short];
        // What has no letter in common is no mistyped name.
        let allowed = (name.len().max(STEM) / 3).min(name.len().max(letters.len()).saturating_sub(1));
        if (mistakes <= allowed || stem) && near.iter().all(|(_, n)| *n != other) {
            near.push((mistakes, other));
        }
    }
    near.sort_by_key(|(mistakes, _)| *mistakes);
    near.into_iter().take(OFFERED).map(|(_, other)| other).collect()
}

/// The question whether one of the [`nearest`] names was meant; nothing where none is near.
///
/// ```
/// use openwork_base::names::suggest;
/// let asked = suggest("csx", ["csr", "coo", "csc", "csf"]);
/// assert_eq!(asked.as_deref(), Some("did you mean `csr`, `csc` or `csf`?"));
/// ```
pub fn suggest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let quoted: Vec<String> = nearest(name, known).into_iter().map(|n| format!("`{n}`")).collect();
    let (last, before) = quoted.split_last()?;
    let or = if before.is_empty() { "" } else { " or " };
    Some(format!("did you mean {}{or}{last}?", before.join(", ")))
}

/// The same question before what is known.
///
/// ```
/// use openwork_base::names::meant_or;
/// assert_eq!(meant_or("A1", ["A"], "it has A"), "did you mean `A`? it has A");
/// assert_eq!(meant_or("B", ["A"], "it has A"), "it has A");
/// ```
pub fn meant_or<'k>(name: &str, known: impl IntoIterator<Item = &'k str>, help: &str) -> String {
    suggest(name, known).map_or_else(|| help.to_string(), |asked| format!("{asked} {help}"))
}

/// How many mistakes make one word of the other.
fn mistakes(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let other = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + other);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_offered() {
        let functions = ["sum", "prod", "any", "all", "min", "max", "neg", "abs", "eq", "lt", "not"];
        for (name, wanted) in [
            ("sqrt", vec![]),
            ("exp", vec![]),
            ("mean", vec![]),
            ("x", vec![]),
            ("", vec![]),
            ("ab", vec!["abs"]),
            ("MAX", vec!["max"]),
            ("mxa", vec!["max"]),
            ("summ", vec!["sum"]),
            ("product", vec!["prod"]),
            ("mix", vec!["min", "max"]),
        ] {
            assert_eq!(nearest(name, functions), wanted, "{name}");
        }
        assert_eq!(nearest("ax", ["ay", "az", "a", "aw", "bx"]).len(), 3);
    }
}
