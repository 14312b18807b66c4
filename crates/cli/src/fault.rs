//! Mistakes of the caller that no lower crate can see, and how every error is shown.
//!
//! | code | meaning |
//! |---|---|
//! | E0800 | a command line that does not parse (JSON only) |
//! | E0801 | a flag names a tensor or index variable that the statement does not have |
//! | E0802 | the same thing given twice |
//! | E0803 | a flag for a tensor in the wrong role: data for a result, output of an operand |
//! | E0804 | an operand without a file or generator |
//! | E0805 | an unknown dtype |
//! | E0806 | a size that is no number |
//! | E0807 | a file whose tensor has another number of modes than the statement uses |
//! | E0809 | a picture that cannot be drawn: unknown extension, or the tensor is no matrix |
//! | E0818 | a flag or command that is about one statement, where there are several |
//! | E0819 | a C file of the user's that computes something else than the statement |

use crate::args::OutputMode;
use openwork::{Code, Diagnostic, Error, Source, Span};
use openwork_base::diag::{REPORT, Style};
use openwork_storage::error::SYSTEM;
use serde::Serialize;
use std::io::IsTerminal;

/// A flag names something that the statement does not have.
pub(crate) const UNKNOWN: Code = Code("E0801");
/// The same thing twice.
pub(crate) const TWICE: Code = Code("E0802");
/// A tensor in the wrong role.
pub(crate) const ROLE: Code = Code("E0803");
/// An operand without data.
pub(crate) const NO_DATA: Code = Code("E0804");
/// An unknown dtype.
pub(crate) const DTYPE: Code = Code("E0805");
/// A size that is no number.
pub(crate) const SIZE: Code = Code("E0806");
/// Another number of modes than the statement uses.
pub(crate) const RANK: Code = Code("E0807");
/// An index variable without a size.
pub(crate) const NO_SIZE: Code = Code("E0206");
/// What is about one statement, where there are several.
pub(crate) const SEVERAL: Code = Code("E0818");
/// A C file that is not for the statement.
pub(crate) const SOURCE: Code = Code("E0819");
/// A picture that cannot be drawn.
pub(crate) const PLOT: Code = Code("E0809");

/// A mistake without a place.
pub(crate) fn rejection(code: Code, message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::rejection(Diagnostic::new(code, message).help(help))
}

/// A mistake at a place of a text.
pub(crate) fn rejected_at(
    code: Code,
    message: impl Into<String>,
    source: &Source,
    span: Span,
    help: impl Into<String>,
) -> Error {
    Error::rejection(Diagnostic::new(code, message).point_at(source, span, "").help(help))
}

/// The whole of a text.
pub(crate) fn full_span(source: &Source) -> Span {
    Span::new(0, source.text.len())
}

/// What the operating system refused.
pub(crate) fn system(verb: &str, what: impl std::fmt::Display, e: &std::io::Error) -> Error {
    Error::rejection(Diagnostic::new(SYSTEM, format!("cannot {verb} {what}: {e}")))
}

/// The error with the flag that does what its help says, which speaks of no command line.
pub(crate) fn with_flags(e: Error) -> Error {
    let Error::Rejected(d) = e else { return e };
    let place = d.at.as_ref().filter(|_| d.code == NO_SIZE && d.help.is_some());
    // A result that is assigned where values say has a shape of its own.
    let shaped = d.help.as_deref().and_then(|help| help.strip_prefix("give `")?.split_once("` a shape"));
    if let (Some(_), Some((name, _))) = (place, shaped) {
        let help = format!("give `{name}` a shape: -d {name}=100, with a size for each mode");
        return Error::Rejected(Box::new(Diagnostic { help: Some(help), ..*d }));
    }
    // What values say is sized by its tensor, as the help says.
    let is_name = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let named = place.and_then(|(source, span)| source.text.get(span.range()));
    let Some(name) = named.filter(is_name) else {
        return Error::Rejected(d);
    };
    let help = format!("give `{name}` a size: -d {name}=100");
    Error::rejection(Diagnostic { help: Some(help), ..*d })
}

/// The exit status of an error.
pub(crate) fn status(e: &Error) -> u8 {
    match e {
        Error::Rejected(_) => 1,
        Error::Unsupported(_) => 3,
        _ => crate::INTERNAL,
    }
}

#[derive(Serialize)]
struct FaultReport<'a> {
    error: ErrorBody<'a>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
    span: Option<FaultPlace<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct FaultPlace<'a> {
    source: &'a str,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
}

fn json(body: ErrorBody) -> String {
    serde_json::to_string(&FaultReport { error: body }).unwrap_or_else(|_| "{\"error\":null}".into())
}

/// An error as text for stderr.
pub(crate) fn render_error(e: &Error, mode: OutputMode) -> String {
    match (mode, e.diagnostic()) {
        (OutputMode::Human, Some(d)) => d.render(style()),
        (OutputMode::Human, None) => e.to_string(),
        (OutputMode::Json, Some(d)) => {
            let span = d.at.as_ref().map(|(source, span)| {
                let (line, column) = source.line_col(span.start as usize);
                FaultPlace {
                    source: &source.name,
                    start: span.start as usize,
                    end: span.end as usize,
                    line,
                    column,
                }
            });
            json(ErrorBody { code: d.code.0, message: &d.message, span, help: d.help.as_deref() })
        }
        (OutputMode::Json, None) => {
            json(ErrorBody { code: e.code().0, message: &e.message(), span: None, help: Some(REPORT) })
        }
    }
}

/// A bad command line as JSON.
pub(crate) fn usage_json(text: &str) -> String {
    let message = text.trim().strip_prefix("error: ").unwrap_or(text.trim());
    let (message, help) = message.split_once("\n").unwrap_or((message, ""));
    let help = Some(help.trim()).filter(|h| !h.is_empty());
    json(ErrorBody { code: "E0800", message: message.trim(), span: None, help })
}

/// Colour for terminals whose user has not asked for none.
fn style() -> Style {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    if std::io::stderr().is_terminal() && !unwanted { Style::Colour } else { Style::Plain }
}
