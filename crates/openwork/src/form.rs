//! Statements as they are given: as text, or built of [expressions](crate::expr).

use openwork_base::{Code, Diagnostic, Error, Result, Source};
use openwork_index::notation::{self, StatementSyntax};
use std::borrow::Cow;
use std::sync::Arc;

/// A statement: text, which is read when it is needed, or one that was [built](crate::expr) or read before.
pub trait StatementForm {
    /// Its text: two statements of one text are the same.
    fn text(&self) -> Cow<'_, str>;
    /// The statement.
    ///
    /// # Errors
    /// `E0101` to `E0103` and `E0215` for text that is no statement.
    fn read(&self) -> Result<Cow<'_, StatementSyntax>>;
}

/// Statements that are computed one after the other: text, in which `;` or ends of lines separate them, or several that were
/// [built](crate::expr).
pub trait StatementsForm {
    /// The statements.
    ///
    /// # Errors
    /// `E0101` to `E0103` and `E0215` for text that is none.
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>>;
}

impl StatementForm for str {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        notation::parse(&Source::new("statement", self)).map(Cow::Owned)
    }
}

impl StatementForm for String {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        self.as_str().read()
    }
}

impl StatementForm for StatementSyntax {
    fn text(&self) -> Cow<'_, str> {
        // Functions may stand elsewhere in the text.
        match self.functions.is_empty() {
            true => Cow::Borrowed(self.source.part_text()),
            false => Cow::Owned(self.to_string()),
        }
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        Ok(Cow::Borrowed(self))
    }
}

impl<S: StatementForm + ?Sized> StatementForm for &S {
    fn text(&self) -> Cow<'_, str> {
        S::text(self)
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        S::read(self)
    }
}

impl<S: StatementForm + ?Sized> StatementForm for Box<S> {
    fn text(&self) -> Cow<'_, str> {
        S::text(self)
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        S::read(self)
    }
}

impl<S: StatementForm + ?Sized> StatementForm for Arc<S> {
    fn text(&self) -> Cow<'_, str> {
        S::text(self)
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        S::read(self)
    }
}

impl StatementForm for Cow<'_, str> {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
    fn read(&self) -> Result<Cow<'_, StatementSyntax>> {
        str::read(self)
    }
}

impl StatementsForm for str {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        notation::parse_all(&Source::new("statement", self)).map(Cow::Owned)
    }
}

impl StatementsForm for String {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        self.as_str().read_all()
    }
}

impl StatementsForm for StatementSyntax {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        Ok(Cow::Borrowed(std::slice::from_ref(self)))
    }
}

impl StatementsForm for [StatementSyntax] {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        match self {
            [] => {
                let d = Diagnostic::new(Code("E0102"), "there is no statement");
                Err(Error::rejection(d.help("give one at least")))
            }
            all => Ok(Cow::Borrowed(all)),
        }
    }
}

impl<const N: usize> StatementsForm for [StatementSyntax; N] {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        self.as_slice().read_all()
    }
}

impl StatementsForm for Vec<StatementSyntax> {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        self.as_slice().read_all()
    }
}

impl<S: StatementsForm + ?Sized> StatementsForm for &S {
    fn read_all(&self) -> Result<Cow<'_, [StatementSyntax]>> {
        S::read_all(self)
    }
}
