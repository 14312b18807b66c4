//! The text of a schedule.

use super::SYNTAX;
use crate::notation::lex::Token;
use crate::notation::parse::{OtherNames, Parser};
use crate::notation::{Name, Syntax};
use openwork_base::{Error, Result, Source, Span};

/// One command as written.
#[derive(Clone, Debug)]
pub(super) struct ScheduleCall {
    pub(super) name: Name,
    pub(super) args: Vec<Arg>,
    pub(super) span: Span,
    pub(super) source: Source,
}

/// An argument.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    /// An expression; a bare name and a number are ones.
    Expr(Syntax),
    /// `{i,j}`.
    Set(Vec<Name>),
}

impl Arg {
    /// A bare name.
    pub(super) fn name(&self) -> Option<&Name> {
        match self {
            Arg::Expr(Syntax::Tensor(t)) if t.bare => Some(&t.name),
            Arg::Expr(_) | Arg::Set(_) => None,
        }
    }
    /// A bare name, or several in braces.
    pub(super) fn names(&self) -> Option<Vec<&Name>> {
        match self {
            Arg::Set(all) => Some(all.iter().collect()),
            Arg::Expr(_) => self.name().map(|n| vec![n]),
        }
    }
    /// Whether it is `true` or `false`.
    pub(super) fn is_truth(&self) -> bool {
        let text = match self {
            Arg::Expr(Syntax::Number(n)) => &n.text,
            Arg::Expr(_) | Arg::Set(_) => {
                return self.name().is_some_and(|n| ["true", "false"].contains(&n.text.as_str()));
            }
        };
        text == "true" || text == "false"
    }
    /// A whole number with its place.
    pub(super) fn number(&self) -> Option<(usize, Span)> {
        match self {
            Arg::Expr(Syntax::Number(n)) => n.text.parse().ok().map(|value| (value, n.span)),
            Arg::Expr(_) | Arg::Set(_) => None,
        }
    }
}

/// Reads commands separated by `;`, or by `,` as TACO writes them.
///
/// # Errors
/// `E0811`.
pub(super) fn parse(source: &Source) -> Result<Vec<ScheduleCall>> {
    read(source).map_err(as_schedule)
}

/// Mistakes in expressions are mistakes of the schedule.
fn as_schedule(e: Error) -> Error {
    let recode = |mut d: Box<openwork_base::Diagnostic>| {
        d.code = SYNTAX;
        d.help = Some("a schedule looks like reorder(i,k,j); precompute(B(i,k)*C(k,j), j, w)".into());
        Error::Rejected(d)
    };
    match e {
        Error::Rejected(d) | Error::Unsupported(d) => recode(d),
        other => other,
    }
}

fn read(source: &Source) -> Result<Vec<ScheduleCall>> {
    let mut p = Parser::new(source)?;
    p.others = OtherNames::Any;
    let mut calls = Vec::new();
    loop {
        match p.peek() {
            (Token::End, _) => return Ok(calls),
            (Token::Name, _) => calls.push(call(&mut p, source)?),
            (_, span) => return Err(p.error("expected the name of a schedule command", span)),
        }
        match p.peek() {
            (Token::End, _) => return Ok(calls),
            (Token::Sign(";" | ","), _) => p.next(),
            (_, span) => return Err(p.error("expected `;` or `,` after the command", span)),
        };
    }
}

fn call(p: &mut Parser, source: &Source) -> Result<ScheduleCall> {
    let start = p.next().1;
    let name = Name { text: source.text[start.range()].to_string(), span: start };
    if p.eat("(").is_none() {
        return Err(p.error(format!("expected `(` after `{}`", name.text), p.peek().1));
    }
    let mut args = Vec::new();
    loop {
        args.push(argument(p, source)?);
        if let Some(end) = p.eat(")") {
            return Ok(ScheduleCall { name, args, span: start.join(end), source: source.clone() });
        }
        if p.eat(",").is_none() {
            return Err(p.error("expected `,` or `)`", p.peek().1));
        }
    }
}

fn argument(p: &mut Parser, source: &Source) -> Result<Arg> {
    if p.eat("{").is_none() {
        return p.expr().map(Arg::Expr);
    }
    let mut all = Vec::new();
    if p.eat("}").is_some() {
        return Ok(Arg::Set(all));
    }
    loop {
        match p.next() {
            (Token::Name, span) => all.push(Name { text: source.text[span.range()].to_string(), span }),
            (_, span) => return Err(p.error("expected an index variable", span)),
        }
        if p.eat("}").is_some() {
            return Ok(Arg::Set(all));
        }
        if p.eat(",").is_none() {
            return Err(p.error("expected `,` or `}`", p.peek().1));
        }
    }
}
