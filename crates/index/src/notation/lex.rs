//! The tokens of index notation.

use super::habits::instead_of_character;
use super::parse::is_value;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name: letters, digits, `_`, `'`; not starting with a digit.
    Name,
    /// A number: `2`, `0.5`, `1e-3`.
    Number,
    /// Punctuation or an operator symbol.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// Signs, longest first.
const SIGNS: &[&str] = &[
    "choose=", "min=", "max=", "==", "!=", "<=", ">=", "+=", "->", "-=", "*=", "/=", "|=", "&=", "^=", "=>",
    "=", "<<", ">>", "<", ">", "+", "-", "**", "//", "%", "*", "/", "&", "|", "^", "!", "(", ")", "[", "]",
    ",", ":", "~", "{", "}", ";",
];

/// Splits `source` into tokens with their places; the last one is [`Token::End`].
///
/// # Errors
/// `E0101` for a character that starts no token.
pub fn lex(source: &Source) -> Result<Vec<(Token, Span)>> {
    let text = &*source.text;
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (token, len) = if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            (Token::Sign(sign), sign.len())
        } else if let Some(end) = name_len(rest) {
            (Token::Name, end)
        } else if c.is_ascii_digit() || c == '.' {
            (Token::Number, number_len(rest))
        } else {
            let d = Diagnostic::new(Code("E0101"), format!("unexpected character `{}`", c.escape_default()));
            let span = Span::new(at, at + c.len_utf8());
            return Err(Error::rejection(d.point_at(source, span, "").help(instead_of_character(c))));
        };
        tokens.push((token, Span::new(at, at + len)));
        at += len;
    }
    tokens.push((Token::End, Span::new(at, at)));
    Ok(tokens)
}

/// The length of the name at the start of `text`, if one stands there.
fn name_len(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    (first.is_alphabetic() || first == '_').then(|| text.find(|c| !inside(c)).unwrap_or(text.len()))
}

/// Whether all of a text is a name.
pub(super) fn is_name(text: &str) -> bool {
    name_len(text) == Some(text.len())
}

/// Whether all of a text is a number or a value that has a name.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.starts_with(|c: char| c.is_ascii_digit() || c == '.') && text != ".";
    is_value(text) || digits && number_len(text) == text.len()
}

/// The length of the number at the start of `text`.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    end
}
