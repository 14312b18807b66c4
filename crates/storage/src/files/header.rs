//! The header of a MatrixMarket file.

use super::fault::TextFault;
use super::scan::TextCursor;
use super::text::{PAD, TextFile};
use crate::error::{INCOMPLETE, MALFORMED};
use openwork_algebra::DType;
use openwork_base::Result;

/// The longest header line that is read; no honest one comes near.
const LONGEST: usize = 1 << 16;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct MtxHeader {
    pub(super) object: HeaderObject,
    pub(super) layout: Arrangement,
    pub(super) field: FieldName,
    pub(super) symmetry: HeaderSymmetry,
    /// The dtype of a `%%GraphBLAS type` line.
    pub(super) declared: Option<DType>,
    /// The numbers of the size line.
    pub(super) sizes: Vec<usize>,
    /// Where the size line starts.
    pub(super) sizes_at: usize,
    /// Where the entries begin.
    pub(super) body: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HeaderObject {
    Matrix,
    Vector,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Arrangement {
    Coordinate,
    Array,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FieldName {
    Real,
    Integer,
    Unsigned,
    Complex,
    Pattern,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HeaderSymmetry {
    General,
    Symmetric,
    Skew,
    Hermitian,
}

const OBJECTS: [(&str, HeaderObject); 2] =
    [("matrix", HeaderObject::Matrix), ("vector", HeaderObject::Vector)];
const LAYOUTS: [(&str, Arrangement); 2] =
    [("coordinate", Arrangement::Coordinate), ("array", Arrangement::Array)];
const FIELDS: [(&str, FieldName); 6] = [
    ("real", FieldName::Real),
    ("double", FieldName::Real),
    ("integer", FieldName::Integer),
    ("unsigned-integer", FieldName::Unsigned),
    ("complex", FieldName::Complex),
    ("pattern", FieldName::Pattern),
];
const SYMMETRIES: [(&str, HeaderSymmetry); 4] = [
    ("general", HeaderSymmetry::General),
    ("symmetric", HeaderSymmetry::Symmetric),
    ("skew-symmetric", HeaderSymmetry::Skew),
    ("hermitian", HeaderSymmetry::Hermitian),
];

impl MtxHeader {
    /// Reads the banner, the comments and the size line.
    ///
    /// # Errors
    /// E0701 for a malformed header; E0702 for a file that ends within it.
    pub(super) fn read(text: &TextFile) -> Result<MtxHeader> {
        let (_, banner) = text.line(0, LONGEST)?;
        let mut header = banner_line(&banner).map_err(|f| text.fault(f))?;
        let mut at = text.line_start(1)?;
        while at < text.len() {
            let (start, line) = text.line(at, LONGEST)?;
            let words = words(&line);
            match words.first() {
                None => {}
                Some((_, word)) if word.starts_with('%') => header.comment(&words),
                Some(_) => {
                    (header.sizes_at, header.body) = (start, text.line_start(start + 1)?);
                    return header.size_line(line, start).map_err(|f| text.fault(f));
                }
            }
            at = text.line_start(at + 1)?;
        }
        Err(text.fault(TextFault::new(
            INCOMPLETE,
            text.len(),
            0,
            "the file ends before the line with the sizes",
        )))
    }
    /// SuiteSparse:GraphBLAS and LAGraph state the type of the entries in a comment of this form.
    fn comment(&mut self, words: &[(usize, String)]) {
        if let [(_, mark), (_, key), (_, name), rest @ ..] = words
            && mark.eq_ignore_ascii_case("%%graphblas")
            && key.eq_ignore_ascii_case("type")
        {
            let name = rest.iter().fold(name.clone(), |all, (_, word)| format!("{all} {word}"));
            let found = match name.to_ascii_lowercase().as_str() {
                "fc32" | "float complex" => Some(DType::C64),
                "fc64" | "double complex" => Some(DType::C128),
                other => other.parse().ok(),
            };
            self.declared = found.or(self.declared);
        }
    }
    fn size_line(mut self, line: Vec<u8>, start: usize) -> std::result::Result<MtxHeader, TextFault> {
        let wanted: &[&str] = match (self.object, self.layout) {
            (HeaderObject::Matrix, Arrangement::Coordinate) => &["rows", "columns", "entries"],
            (HeaderObject::Matrix, Arrangement::Array) => &["rows", "columns"],
            (HeaderObject::Vector, Arrangement::Coordinate) => &["length", "entries"],
            (HeaderObject::Vector, Arrangement::Array) => &["length"],
        };
        let mut padded = line;
        let len = padded.len();
        padded.resize(len + PAD, b'\n');
        let mut c = TextCursor::new(&padded);
        for what in wanted {
            c.spaces();
            let at = c.position();
            let size = c.take_unsigned().filter(|_| c.at_gap()).and_then(|n| usize::try_from(n).ok());
            // Sizes beyond `i64` could not be stored as coordinates.
            match size.filter(|&n| n <= i64::MAX as usize) {
                Some(size) => self.sizes.push(size),
                None => {
                    c.seek(at);
                    let token = c.token();
                    let found = if token.is_empty() {
                        "the line ends".to_string()
                    } else {
                        format!("found `{}`", String::from_utf8_lossy(&token[..token.len().min(40)]))
                    };
                    let message = format!("expected the number of {what}, {found}");
                    return Err(TextFault::new(MALFORMED, start + at, token.len(), message));
                }
            }
        }
        c.spaces();
        if c.peek() != b'\n' {
            let message = format!("unexpected text after the sizes ({})", wanted.join(", "));
            return Err(TextFault::new(MALFORMED, start + c.position(), c.token().len(), message));
        }
        Ok(self)
    }
}

/// The words of a line with where they start, in characters that may have been repaired.
fn words(line: &[u8]) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut at = 0;
    for word in line.split(|b| b.is_ascii_whitespace()) {
        if !word.is_empty() {
            out.push((at, String::from_utf8_lossy(word).into_owned()));
        }
        at += word.len() + 1;
    }
    out
}

fn banner_line(line: &[u8]) -> std::result::Result<MtxHeader, TextFault> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let words = words(line);
    // Some programs write one percent sign.
    let is_banner = |w: &str| ["%%MatrixMarket", "%MatrixMarket"].iter().any(|b| w.eq_ignore_ascii_case(b));
    let banner = words.first().filter(|(_, w)| is_banner(w));
    if banner.is_none() {
        let len = words.first().map_or(0, |(_, w)| w.len().min(40));
        let help = "the first line is `%%MatrixMarket matrix coordinate real general` or the like";
        return Err(TextFault::new(MALFORMED, 0, len, "not a MatrixMarket file").help(help));
    }
    let object = word(&words, 1, "object", &OBJECTS, line.len())?;
    let layout = word(&words, 2, "format", &LAYOUTS, line.len())?;
    let field = word(&words, 3, "field", &FIELDS, line.len())?;
    let symmetry = word(&words, 4, "symmetry", &SYMMETRIES, line.len())?;
    if let Some((at, extra)) = words.get(5) {
        return Err(TextFault::new(MALFORMED, *at, extra.len(), "unexpected text after the symmetry"));
    }
    let clash = match (object, layout, field, symmetry) {
        (_, Arrangement::Array, FieldName::Pattern, _) => {
            Some((3, "an array has values, so it is no pattern"))
        }
        (_, _, FieldName::Pattern, HeaderSymmetry::Hermitian) => {
            Some((4, "a pattern is general, symmetric or skew-symmetric"))
        }
        (_, _, FieldName::Real | FieldName::Integer | FieldName::Unsigned, HeaderSymmetry::Hermitian) => {
            Some((4, "only complex matrices are Hermitian"))
        }
        (
            HeaderObject::Vector,
            _,
            _,
            HeaderSymmetry::Symmetric | HeaderSymmetry::Skew | HeaderSymmetry::Hermitian,
        ) => Some((4, "a vector is general")),
        _ => None,
    };
    if let Some((n, message)) = clash {
        return Err(TextFault::new(MALFORMED, words[n].0, words[n].1.len(), message));
    }
    Ok(MtxHeader { object, layout, field, symmetry, declared: None, sizes: Vec::new(), sizes_at: 0, body: 0 })
}

/// Word `n` of the banner as one of its choices, in any case.
fn word<T: Copy>(
    words: &[(usize, String)],
    n: usize,
    what: &str,
    choices: &[(&str, T)],
    len: usize,
) -> std::result::Result<T, TextFault> {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let Some((at, word)) = words.get(n) else {
        let message = format!("the header ends before its {what} ({})", names.join(", "));
        return Err(TextFault::new(MALFORMED, len, 0, message));
    };
    choices.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, t)| *t).ok_or_else(|| {
        let shown: String = word.chars().take(40).collect();
        TextFault::new(
            MALFORMED,
            *at,
            word.len(),
            format!("`{shown}` is no {what}: expected {}", names.join(", ")),
        )
    })
}
