//! Windows of index variables: `i(1:5:2)`.

use super::lex::Token;
use super::parse::Parser;
use super::syntax::Name;
use crate::window::Window;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};

const UNSUPPORTED: Code = Code("E0103");
/// Beyond this, a kernel could not count to the coordinate behind a window.
const MOST: i64 = 1 << 60;

impl Parser<'_> {
    /// A variable with a window behind it, if one stands here.
    pub(super) fn windowed_variable(&mut self) -> Result<Option<(Name, Window)>> {
        if !self.window_ahead() {
            return Ok(None);
        }
        let variable = self.next().1;
        let close = if matches!(self.next().0, Token::Sign("[")) { "]" } else { ")" };
        let lo = self.parse_bound()?;
        self.eat(":");
        let hi = self.parse_bound()?;
        let step = if self.eat(":").is_some() { self.parse_bound()? } else { None };
        let (token, span) = self.peek();
        if token != Token::Sign(close) {
            return Err(match token {
                Token::End => self.error(format!("expected `{close}` behind the window"), span),
                _ => self.no_number(span),
            });
        }
        self.next();
        let name = self.name(variable);
        let Some((step, at)) = step else {
            return Ok(Some((name, Window { lo: value(lo, 0), hi: hi.map(|(hi, _)| hi), step: 1 })));
        };
        if let Some(refusal) = refuse_step(step, self.source(), at) {
            return Err(refusal);
        }
        // Backwards, a window begins at the end.
        let first = if step < 0 { -1 } else { 0 };
        Ok(Some((name, Window { lo: value(lo, first), hi: hi.map(|(hi, _)| hi), step })))
    }
    /// Whether a name, a bracket, perhaps a bound, and a colon stand here.
    fn window_ahead(&self) -> bool {
        let tokens: Vec<Token> = self.remaining_tokens().iter().take(5).map(|(t, _)| *t).collect();
        let [Token::Name, Token::Sign("(" | "["), rest @ ..] = &tokens[..] else { return false };
        let colon = |t: Option<&Token>| matches!(t, Some(Token::Sign(":")));
        match rest {
            [Token::Sign("-"), Token::Number | Token::Name, after @ ..] => colon(after.first()),
            [Token::Number | Token::Name, after @ ..] => colon(after.first()),
            all => colon(all.first()),
        }
    }
    /// A bound or a step, if one stands here.
    fn parse_bound(&mut self) -> Result<Option<(i64, Span)>> {
        let minus = self.eat("-");
        let (token, span) = self.peek();
        match token {
            Token::Number => {
                self.next();
                let all = minus.map_or(span, |m| m.join(span));
                let number = self.text(span).parse().ok().filter(|&n: &i64| n <= MOST);
                let number = number.ok_or_else(|| self.no_number(all))?;
                Ok(Some((if minus.is_some() { -number } else { number }, all)))
            }
            Token::Sign(":" | ")" | "]") if minus.is_none() => Ok(None),
            _ => Err(self.no_number(span)),
        }
    }
    fn no_number(&self, span: Span) -> Error {
        refuse_bound(self.source(), span)
    }
    /// A colon where an index or a value should stand, or behind one.
    pub(super) fn stray_colon(&self, span: Span) -> Error {
        let d = Diagnostic::new(UNSUPPORTED, "a window stands behind an index variable");
        let help = "write `j(0:2)` for the coordinates 0 and 1, with a variable that ranges over them";
        Error::refusal(d.point_at(self.source(), span, "").help(help))
    }
    /// A window on the left, or of what is no tensor.
    pub(super) fn misplaced_window(&self, message: &str, help: &str, span: Span) -> Error {
        let d = Diagnostic::new(UNSUPPORTED, message).point_at(self.source(), span, "");
        Error::refusal(d.help(help))
    }
}

/// The refusal of a window whose numbers are none.
fn refuse_bound(source: &Source, span: Span) -> Error {
    let d = Diagnostic::new(UNSUPPORTED, "the bounds and the step of a window are integers, 2^60 at most");
    let help = "write a window as `i(1:5)` or `i(1:5:2)`, with its numbers in the statement";
    Error::refusal(d.point_at(source, span, "").help(help))
}

/// The refusal of a window that no text has.
pub(super) fn refuse_window(window: &Window, source: &Source, span: Span) -> Option<Error> {
    let numbers = [window.lo, window.hi.unwrap_or(0), window.step];
    match numbers.iter().all(|n| (-MOST..=MOST).contains(n)) {
        true => refuse_step(window.step, source, span),
        false => Some(refuse_bound(source, span)),
    }
}

/// The refusal of a step that does not lead on.
fn refuse_step(step: i64, source: &Source, span: Span) -> Option<Error> {
    if step != 0 {
        return None;
    }
    let message = "the step of a window leads on, or back";
    let d = Diagnostic::new(UNSUPPORTED, message).point_at(source, span, "");
    Some(Error::refusal(d.help("leave the step out to read every coordinate")))
}

fn value(bound: Option<(i64, Span)>, default: i64) -> i64 {
    bound.map_or(default, |(value, _)| value)
}
