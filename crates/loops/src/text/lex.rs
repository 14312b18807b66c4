//! The lexer of loop IR, from characters to tokens.

use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};

/// What a token is; its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopToken {
    /// A name or word.
    Name,
    /// A number: digits, perhaps with a fraction, an exponent and a final `j`.
    Number,
    /// Punctuation.
    Symbol(&'static str),
    /// A remark from `//` to the end of the line.
    Note,
    /// The end of the text.
    End,
}

/// Longer ones first.
const SYMBOLS: [&str; 26] = [
    "..", "==", "!=", "<=", ">=", "&&", "(", ")", "[", "]", "{", "}", ",", ":", "=", "+", "-", "*", "/", "<",
    ">", "&", "|", "^", "!", ".",
];

/// Splits a source; the last token is [`LoopToken::End`].
pub(super) fn lex(source: &Source) -> Result<Vec<(LoopToken, Span)>> {
    let text = &*source.text;
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let token = match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'0'..=b'9' => {
                at = number_end(bytes, at);
                LoopToken::Number
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += run(bytes, at, |c| c.is_ascii_alphanumeric() || c == b'_');
                LoopToken::Name
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += run(bytes, at, |c| c != b'\n');
                LoopToken::Note
            }
            _ => match SYMBOLS.into_iter().find(|s| text[at..].starts_with(s)) {
                Some(symbol) => {
                    at += symbol.len();
                    LoopToken::Symbol(symbol)
                }
                None => {
                    let c = text[at..].chars().next().unwrap_or(' ');
                    let span = Span::new(at, at + c.len_utf8());
                    let d = Diagnostic::new(Code("E0401"), format!("{c:?} means nothing in loop text"));
                    return Err(Error::rejection(d.point_at(source, span, "")));
                }
            },
        };
        tokens.push((token, Span::new(start, at)));
    }
    tokens.push((LoopToken::End, Span::new(text.len(), text.len())));
    Ok(tokens)
}

fn run(bytes: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().take_while(|&&c| belongs(c)).count()
}

/// The end of the number at `at`. A dot belongs to it only before a digit, so that `0..n` is a range.
fn number_end(bytes: &[u8], mut at: usize) -> usize {
    let digit = |n: usize| bytes.get(n).is_some_and(u8::is_ascii_digit);
    let digits = |n: usize| n + run(bytes, n, |c| c.is_ascii_digit());
    at = digits(at);
    if bytes.get(at) == Some(&b'.') && digit(at + 1) {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(at + 1), Some(b'+' | b'-')) as usize;
        if digit(at + 1 + signed) {
            at = digits(at + 1 + signed);
        }
    }
    if bytes.get(at) == Some(&b'j') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        let source = Source::new("t", "0..n 1.5e-3 2e300j 7 // rest");
        let words: Vec<_> = lex(&source).unwrap().into_iter().map(|(_, s)| &source.text[s.range()]).collect();
        assert_eq!(words, ["0", "..", "n", "1.5e-3", "2e300j", "7", "// rest", ""]);
    }
}
