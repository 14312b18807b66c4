//! The first line of a file: whether it lists coordinates, and the symmetry it declares.
//!
//! The readers give entries written out in full, whatever the header said; this is what `info` and default formats
//! still want to know. A header that makes no sense is left for the reader to report.

use crate::target;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// How a file lists its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueListing {
    /// Coordinates with values.
    Coordinate,
    /// Every value.
    Array,
}

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileHeader {
    pub(crate) listing: ValueListing,
    /// `general`, `symmetric`, `skew-symmetric` or `hermitian`; `None` where the file format has no such thing.
    pub(crate) symmetry: Option<String>,
    /// `real`, `integer`, `complex`, `pattern`, …; `None` where the file format has no such thing.
    pub(crate) field: Option<String>,
}

/// Looks at the first line of a file.
pub(crate) fn peek(path: &Path) -> FileHeader {
    let plain = FileHeader { listing: ValueListing::Coordinate, symmetry: None, field: None };
    match target::extension(path).as_str() {
        "mtx" | "ttx" => {}
        "npy" => return FileHeader { listing: ValueListing::Array, ..plain },
        _ => return plain,
    }
    let Some(line) = first_line(path) else { return plain };
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let listing = if words.get(2) == Some(&"array") { ValueListing::Array } else { ValueListing::Coordinate };
    let word = |n: usize| words.get(n).map(|w| w.to_string());
    FileHeader { listing, symmetry: word(4), field: word(3) }
}

fn first_line(path: &Path) -> Option<String> {
    const LONGEST: u64 = 1 << 12;
    // Looking into a pipe would take the line away from the reader.
    if !path.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    let zipped = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    let text: Box<dyn Read> = if zipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut line = String::new();
    BufReader::new(text.take(LONGEST)).read_line(&mut line).ok()?;
    Some(line)
}
