//! Several statements in one text.

use super::habits::refuse_subscripts;
use super::lex::Token;
use super::parse::Parser;
use super::syntax::StatementSyntax;
use openwork_base::{Result, Source, Span};

/// Reads statements that are separated by `;` or ends of lines. Each knows the functions that are defined before it, and which
/// part of the text it is.
///
/// ```
/// use openwork_base::Source;
/// use openwork_index::notation::parse_all;
/// let read = |text: &str| parse_all(&Source::new("statements", text)).unwrap();
/// let both = read("y(i) = x(i)\n  * x(i); z = y(i) * y(i)");
/// assert_eq!(both[1].source.part_text(), "z = y(i) * y(i)");
/// assert_eq!(read("y = x; def sq(x) {\n  let t = x; t * t }\nz = sq(y)\nw = sq(z);")[2].functions.len(), 1);
/// ```
///
/// # Errors
/// As [`parse`](super::parse()), for the first statement that is none.
pub fn parse_all(source: &Source) -> Result<Vec<StatementSyntax>> {
    let mut p = Parser::new(source)?;
    let mut all = Vec::new();
    while p.eat(";").is_some() {}
    loop {
        p.before = p.functions.len();
        p.definitions()?;
        let start = p.peek().1;
        let statement = p.statement()?;
        let source = source.select_part(start.join(p.last()));
        all.push(refuse_subscripts(&statement).map_or(Ok(StatementSyntax { source, ..statement }), Err)?);
        let (token, span) = p.take_separator();
        match token {
            Some(Token::End) => return Ok(all),
            Some(_) => {}
            None => return Err(p.error("unexpected text after the statement", span)),
        }
    }
}

impl Parser<'_> {
    /// The token that begins the next statement, if a `;` or the end of a line stands before it, and its place.
    fn take_separator(&mut self) -> (Option<Token>, Span) {
        let end = self.last().end as usize;
        let gap = self.text(Span::new(end, self.peek().1.start as usize));
        let mut apart = gap.contains('\n');
        while self.eat(";").is_some() {
            apart = true;
        }
        let (token, span) = self.peek();
        ((apart || token == Token::End).then_some(token), span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_where_a_line_does_and_nothing_goes_on() {
        let all = |text: &str| parse_all(&Source::new("statements", text));
        let parts = |text: &str| {
            let parts =
                all(text).unwrap().iter().map(|s| s.source.part_text().to_string()).collect::<Vec<_>>();
            parts.join(" | ")
        };
        for (text, want) in [
            ("y = a; z = b;", "y = a | z = b"),
            (";\n y = a\n\nz = b", "y = a | z = b"),
            ("y = a\n + b\nz = c", "y = a\n + b | z = c"),
            ("y(i) = a(i)\n  where m(i)\nz = b", "y(i) = a(i)\n  where m(i) | z = b"),
            ("def f(x) = x * x\ny = f(a)\ndef f(x) = x * x; z = f(b)", "y = f(a) | z = f(b)"),
        ] {
            assert_eq!(parts(text), want, "{text}");
        }
        for (text, code, column) in [
            ("y = a; z = (b", "E0102", 14),
            ("y = a z = b", "E0102", 7),
            ("y = a; def f(x) = x", "E0102", 20),
            ("", "E0102", 1),
            ("def f(x) = x; y = f(a); def f(x) = 2 * x; z = f(b)", "E0215", 29),
        ] {
            let e = all(text).unwrap_err();
            let (s, span) = e.diagnostic().unwrap().at.clone().unwrap();
            assert_eq!((e.code().0, s.line_col(span.start as usize).1), (code, column), "{text}: {e}");
        }
    }
}
