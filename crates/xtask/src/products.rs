//! Products of sizes are `Slots`: an integer that wraps becomes an array that is too short.

use crate::{files, read};
use std::path::Path;

/// The crates that compute numbers of slots.
const COUNTING: [&str; 6] = ["storage", "runtime", "execute", "openwork", "cli", "python"];

/// Reports products over iterators there, but for those of floats and of numbers with 128 bits.
pub fn check(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for name in COUNTING {
        let src = root.join("crates").join(name).join("src");
        for path in files(&src, "rs") {
            let inside = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            out.extend(
                find_wrapping(&read(&path)).map(|line| format!("{inside}:{line}: multiply sizes as `Slots`")),
            );
        }
    }
    out
}

/// The lines of a file, tests left out, that multiply numbers of a list in a type that wraps or ends.
fn find_wrapping(text: &str) -> impl Iterator<Item = usize> + use<> {
    let product = |line: &str| {
        let plain = line.contains(".product()") || line.contains(".product::<usize>()");
        let folded = line.contains("fold(1") && line.contains("mul") || line.contains("usize::checked_mul)");
        let wide = ["f64", "u128", "i128"].iter().any(|t| line.contains(t));
        (plain || folded) && !wide && !line.trim_start().starts_with("//")
    };
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let found: Vec<usize> = lines.enumerate().filter(|(_, l)| product(l)).map(|(n, _)| n + 1).collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    #[test]
    fn products_of_sizes_are_found() {
        let text = "\
let n: usize = shape.iter().product();
let n = shape.iter().product::<usize>();
let n: f64 = shape.iter().map(|&n| n as f64).product();
let n = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
let n = sizes.try_fold(1, usize::checked_mul);
let n = dims.iter().map(|&d| d as u128).product();
let n = Slots::of(shape).count();
#[cfg(test)]
let n: usize = shape.iter().product();
";
        assert_eq!(super::find_wrapping(text).collect::<Vec<_>>(), [1, 2, 4, 5]);
    }
}
