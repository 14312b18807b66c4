//! Source text and positions in it.

use std::sync::Arc;

/// A half-open byte range of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` (byte offsets).
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }
    /// The smallest span that holds both.
    pub fn join(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// As a range of byte offsets.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text that diagnostics can point into: a statement, a format, a command-line flag, a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What to call the text in a message, e.g. `statement`, `-f A=…` or a path.
    pub name: Arc<str>,
    /// The text itself.
    pub text: Arc<str>,
    /// The number of its first line: 1, unless the text is an excerpt.
    pub first_line: usize,
    /// What of the text is meant: all of it, or one statement of several.
    pub part: Span,
}

impl Source {
    /// A source called `name`.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Source {
        Source::excerpt(name, text, 1)
    }
    /// An excerpt of a source, from line `first_line` on.
    pub fn excerpt(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, first_line: usize) -> Source {
        let text: Arc<str> = text.into();
        let part = Span::new(0, text.len());
        Source { name: name.into(), text, first_line, part }
    }
    /// The same text, of which a part is meant.
    ///
    /// ```
    /// use openwork_base::{Source, Span};
    /// let both = Source::new("statement", "y = a; z = b");
    /// assert_eq!(both.select_part(Span::new(7, 12)).part_text(), "z = b");
    /// assert_eq!(both.part_text(), "y = a; z = b");
    /// ```
    pub fn select_part(&self, part: Span) -> Source {
        Source { part, ..self.clone() }
    }
    /// The text that is meant.
    pub fn part_text(&self) -> &str {
        &self.text[self.part.range()]
    }
    /// The 1-based line and column (in characters) of a byte offset.
    ///
    /// ```
    /// let s = openwork_base::Source::new("demo", "ab\ncd");
    /// assert_eq!(s.line_col(4), (2, 2));
    /// ```
    pub fn line_col(&self, at: usize) -> (usize, usize) {
        let at = (0..=at.min(self.text.len())).rev().find(|&n| self.text.is_char_boundary(n)).unwrap_or(0);
        let before = &self.text[..at];
        let line = before.matches('\n').count() + self.first_line;
        let col = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, col)
    }
}
