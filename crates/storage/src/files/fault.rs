//! A fault at a byte of a file, and the diagnostic that tells it with line and column.

use super::text::{TextFile, count_lines};
use crate::error::SYSTEM;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use std::io;
use std::path::Path;

/// The longest part of an offending line that a message shows, in bytes.
const SHOWN: usize = 240;

/// A mistake at a byte of a text.
#[derive(Debug)]
pub(super) struct TextFault {
    /// The first offending byte.
    pub(super) at: usize,
    /// How many bytes offend.
    pub(super) len: usize,
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: Option<&'static str>,
}

impl TextFault {
    pub(super) fn new(code: Code, at: usize, len: usize, message: impl Into<String>) -> TextFault {
        TextFault { at, len, code, message: message.into(), help: None }
    }
    pub(super) fn help(mut self, help: &'static str) -> TextFault {
        self.help = Some(help);
        self
    }
    /// The same mistake in a text of which the old one is a piece that starts at `offset`.
    pub(super) fn shift(mut self, offset: usize) -> TextFault {
        self.at += offset;
        self
    }
    /// `path:line:column: message`, with a caret under the offending bytes of that line. The text is read again to
    /// count its lines, which only the unlucky pay for.
    pub(super) fn error(self, text: &TextFile) -> Result<Error> {
        let (start, line) = text.line(self.at, SHOWN + (1 << 16))?;
        let number = count_before(text, start)? + 1;
        let shown = (self.at - start).min(line.len());
        // A caret far to the right of a long line needs the text around it, not the beginning.
        let skip = shown.saturating_sub(SHOWN / 2);
        let cut = |from: usize, to: usize| String::from_utf8_lossy(&line[from..to]).into_owned();
        let before = cut(skip, shown);
        let end = (shown + self.len).min(line.len()).min(shown + SHOWN);
        let guilty = cut(shown, end);
        let after = cut(end, line.len().min(end.max(skip + SHOWN)));
        let span = Span::new(before.len(), before.len() + guilty.len());
        let column = String::from_utf8_lossy(&line[..shown]).chars().count() + 1;
        let path = text.path().display();
        let source = Source::excerpt(path.to_string(), format!("{before}{guilty}{after}"), number);
        let mut d = Diagnostic::new(self.code, format!("{path}:{number}:{column}: {}", self.message));
        d = d.point_at(&source, span, "");
        if let Some(help) = self.help {
            d = d.help(help);
        }
        Ok(Error::rejection(d))
    }
}

/// The number of lines that end before byte `at`.
fn count_before(text: &TextFile, at: usize) -> Result<usize> {
    let (mut lines, mut from, mut scratch) = (0, 0, Vec::new());
    while from < at {
        let end = at.min(from + (1 << 20));
        text.piece(from..end, &mut scratch)?;
        lines += count_lines(&scratch[..end - from]);
        from = end;
    }
    Ok(lines)
}

/// The system's own words for why a file cannot be opened, read or written.
pub(super) fn system(verb: &str, path: &Path, e: &io::Error) -> Error {
    Error::rejection(Diagnostic::new(SYSTEM, format!("cannot {verb} {}: {e}", path.display())))
}
