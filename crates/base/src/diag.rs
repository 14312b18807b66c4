//! Diagnostics: what is wrong, where, why, and what to try.
//!
//! A [`Diagnostic`] has a stable [`Code`]. [`Error`] separates three worlds that must never be mixed up: a mistake
//! of the user ([`Error::Rejected`]), a well-formed request that this version refuses by name
//! ([`Error::Unsupported`]), and a mistake of ours ([`Error::Bug`]).

use crate::source::{Source, Span};
use std::fmt;

/// A stable error code such as `E0201`. All codes are in `guide/src/errors.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Why a program cannot be built over operands and a result as they are stored; storing one of them differently may help.
/// Planning decides by these, and users see the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conflict {
    /// The result would be filled in another order than it is stored in.
    Assembly,
    /// The storage orders of operands contradict each other, or the loops around them.
    Order,
    /// A diagonal needs a search in a level that is not dense.
    Diagonal,
    /// A level cannot be walked, located or appended to where the program needs it.
    Level,
    /// A level that lists its coordinates in no order would have to be merged.
    Unordered,
    /// A merge of so many operands that its code would be too large.
    Size,
}

impl Conflict {
    /// The code that users see.
    pub fn code(self) -> Code {
        Code(match self {
            Conflict::Assembly => "E0403",
            Conflict::Order => "E0404",
            Conflict::Diagonal => "E0405",
            Conflict::Level => "E0406",
            Conflict::Unordered => "E0407",
            Conflict::Size => "E0408",
        })
    }
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// What storing tensors differently may lift.
    pub conflict: Option<Conflict>,
    /// What is wrong, one sentence without a final stop.
    pub message: String,
    /// Where: the text and the offending range.
    pub at: Option<(Source, Span)>,
    /// What the caret line says; empty for a bare caret.
    pub label: String,
    /// Further places of the same text that explain the problem.
    pub notes: Vec<(Span, String)>,
    /// What to try.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            conflict: None,
            message: message.into(),
            at: None,
            label: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }
    /// A diagnostic without a place, of a conflict.
    pub fn from_conflict(conflict: Conflict, message: impl Into<String>) -> Diagnostic {
        Diagnostic { conflict: Some(conflict), ..Diagnostic::new(conflict.code(), message) }
    }
    /// Points at `span` of `source`, with the text of the caret line.
    pub fn point_at(mut self, source: &Source, span: Span, label: impl Into<String>) -> Diagnostic {
        self.at = Some((source.clone(), span));
        self.label = label.into();
        self
    }
    /// Points at a second place of the same source.
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.notes.push((span, text.into()));
        self
    }
    /// Says what to try.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
    /// The full message with source lines and carets, without colour unless asked.
    pub fn render(&self, style: Style) -> String {
        use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
        let title = Level::ERROR.primary_title(self.message.as_str()).id(self.code.0);
        let mut group = annotate_snippets::Group::with_title(title);
        if let Some((source, span)) = &self.at {
            let len = source.text.len();
            let clamp = |s: Span| s.range().start.min(len)..s.range().end.min(len);
            let mut snippet =
                Snippet::source(&*source.text).path(&*source.name).line_start(source.first_line);
            let mut primary = AnnotationKind::Primary.span(clamp(*span));
            if !self.label.is_empty() {
                primary = primary.label(self.label.as_str());
            }
            snippet = snippet.annotation(primary);
            for (place, text) in &self.notes {
                snippet =
                    snippet.annotation(AnnotationKind::Context.span(clamp(*place)).label(text.as_str()));
            }
            group = group.element(snippet);
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Colour => Renderer::styled(),
        };
        renderer.render(&[group]).to_string()
    }
}

/// Whether a rendered diagnostic carries terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// ANSI colours.
    Colour,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Style::Plain))
    }
}

/// Everything that can go wrong, by whose fault it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The user's text, file or data is wrong.
    Rejected(Box<Diagnostic>),
    /// The request is well formed, but this version refuses it by name.
    Unsupported(Box<Diagnostic>),
    /// An internal check failed: please report it, with the IR it carries.
    Bug {
        /// The pass or component.
        step: &'static str,
        /// The law that was broken.
        check: String,
        /// The offending IR as text, or empty.
        ir: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rejected(d) | Error::Unsupported(d) => d.fmt(f),
            Error::Bug { step, check, ir } => {
                let ir = if ir.is_empty() { String::new() } else { format!("\n{ir}") };
                write!(f, "error[E9999]: internal error in {step}: {check}\n  = help: {REPORT}{ir}")
            }
        }
    }
}

/// What to do about a mistake of ours.
pub const REPORT: &str = "this is a mistake in openwork, not in the input: please report it with this text";

impl std::error::Error for Error {}

/// A result with our [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A user mistake.
    pub fn rejection(d: Diagnostic) -> Error {
        Error::Rejected(Box::new(d))
    }
    /// A named refusal.
    pub fn refusal(d: Diagnostic) -> Error {
        Error::Unsupported(Box::new(d))
    }
    /// A broken law of ours: `check` says which, `ir` is what broke it.
    pub fn bug(step: &'static str, check: impl Into<String>, ir: impl Into<String>) -> Error {
        Error::Bug { step, check: check.into(), ir: ir.into() }
    }
    /// What is wrong, without a place or help.
    pub fn message(&self) -> String {
        match self {
            Error::Rejected(d) | Error::Unsupported(d) => d.message.clone(),
            Error::Bug { step, check, ir } => {
                format!("internal error in {step}: {check}\n{ir}").trim_end().into()
            }
        }
    }
    /// What to try; for a mistake of ours, to report it.
    pub fn help(&self) -> Option<&str> {
        self.diagnostic().map_or(Some(REPORT), |d| d.help.as_deref())
    }
    /// The diagnostic, when there is one.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self {
            Error::Rejected(d) | Error::Unsupported(d) => Some(d),
            Error::Bug { .. } => None,
        }
    }
    /// The conflict that storing tensors differently may lift, if it is one.
    pub fn conflict(&self) -> Option<Conflict> {
        self.diagnostic().and_then(|d| d.conflict)
    }
    /// The stable code; `E9999` for a bug of ours.
    pub fn code(&self) -> Code {
        self.diagnostic().map_or(Code("E9999"), |d| d.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_points_at_its_source() {
        let s = Source::new("statement", "y(i) = A(i,j)");
        let d = Diagnostic::new(Code("E0000"), "no such tensor")
            .point_at(&s, Span::new(7, 8), "unknown")
            .help("declare it");
        let text = d.render(Style::Plain);
        for part in ["error[E0000]: no such tensor", "statement:1:8", "^ unknown", "help: declare it"] {
            assert!(text.contains(part), "{part:?} not in\n{text}");
        }
    }
}
