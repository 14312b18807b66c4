//! The parser of loop IR. Expressions are checked against [`LoopKernel::ty`] while they are read, so a type error points at the
//! smallest wrong expression; the rest of the law is for [`verify`](fn@crate::verify::verify).

use super::lex::{LoopToken, lex};
use super::{infix, is_name};
use crate::nodes::{Buf, BufId, BufRole, Expr, Init, LoopKernel, LoopMode, Status, Stmt, Ty, Var, VarId};
use openwork_algebra::{DType, Prim};
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use std::collections::HashMap;

/// Bad syntax.
const SYNTAX: Code = Code("E0401");
/// Unknown names and wrong types.
const MEANING: Code = Code("E0402");
/// How deep expressions and blocks may nest; deeper ones could exhaust the stack of a later pass.
const DEEPEST: usize = 250;

/// Reads a kernel.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::text::{parse, print};
/// let text = "kernel k(n: i64, y: out f64[]) {\n  for i in 0..n {\n    y[i] = f64(i) / 2.0\n  }\n}\n";
/// let kernel = parse(&Source::new("demo", text)).unwrap();
/// assert_eq!(print(&kernel), text);
///
/// let wrong = parse(&Source::new("demo", "kernel k(n: i64) { n = m }")).unwrap_err();
/// assert!(wrong.to_string().contains("nothing is called m"));
/// ```
pub fn parse(source: &Source) -> Result<LoopKernel> {
    let tokens = lex(source)?;
    let mut p = LoopParser { source, tokens, at: 0, k: LoopKernel::new(""), names: HashMap::new(), depth: 0 };
    p.kernel()?;
    Ok(p.k)
}

#[derive(Clone, Copy)]
enum NamedItem {
    Var(VarId),
    Buf(BufId),
}

struct LoopParser<'s> {
    source: &'s Source,
    tokens: Vec<(LoopToken, Span)>,
    at: usize,
    k: LoopKernel,
    names: HashMap<&'s str, NamedItem>,
    depth: usize,
}

// Tokens.
impl<'s> LoopParser<'s> {
    fn token(&self) -> LoopToken {
        self.tokens[self.at].0
    }
    fn span(&self) -> Span {
        self.tokens[self.at].1
    }
    fn text(&self) -> &'s str {
        &self.source.text[self.span().range()]
    }
    fn advance(&mut self) -> &'s str {
        let text = self.text();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        text
    }
    fn fail<T>(&self, code: Code, span: Span, message: impl Into<String>) -> Result<T> {
        Err(Error::rejection(Diagnostic::new(code, message).point_at(self.source, span, "")))
    }
    fn refuse_token<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.token() {
            LoopToken::End => "the end".to_string(),
            LoopToken::Name | LoopToken::Number | LoopToken::Symbol(_) => format!("`{}`", self.text()),
            LoopToken::Note => "a remark".to_string(),
        };
        self.fail(SYNTAX, self.span(), format!("expected {wanted}, found {found}"))
    }
    fn is(&self, text: &str) -> bool {
        matches!(self.token(), LoopToken::Symbol(_) | LoopToken::Name) && self.text() == text
    }
    fn follows(&self, text: &str) -> bool {
        let next = self.tokens[(self.at + 1).min(self.tokens.len() - 1)].1;
        &self.source.text[next.range()] == text
    }
    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }
    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.refuse_token(&format!("`{text}`")) }
    }
    fn name(&mut self, what: &str) -> Result<(&'s str, Span)> {
        let span = self.span();
        if self.token() != LoopToken::Name || !is_name(self.text()) {
            return self.refuse_token(what);
        }
        Ok((self.advance(), span))
    }
    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(SYNTAX, self.span(), format!("more than {DEEPEST} levels of nesting"));
        }
        Ok(())
    }
}

// Declarations and statements.
impl LoopParser<'_> {
    fn kernel(&mut self) -> Result<()> {
        self.expect("kernel")?;
        self.k.name = self.name("the name of the kernel")?.0.to_string();
        self.expect("(")?;
        while !self.is(")") {
            self.declaration()?;
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        self.k.body = self.block()?;
        if self.token() != LoopToken::End {
            return self.refuse_token("nothing after the kernel");
        }
        Ok(())
    }
    fn declaration(&mut self) -> Result<()> {
        let (name, span) = self.name("a parameter or buffer")?;
        if self.names.contains_key(name) {
            return self.fail(MEANING, span, format!("two things are called {name}"));
        }
        self.expect(":")?;
        let role = [("in", BufRole::In), ("out", BufRole::Out), ("temp", BufRole::Temp)];
        let named = match role.into_iter().find(|(word, _)| self.is(word)) {
            Some((_, role)) => {
                self.advance();
                let init = self.init();
                let elem = self.dtype()?;
                self.expect("[")?;
                self.expect("]")?;
                NamedItem::Buf(self.k.bufs.push(Buf { name: name.to_string(), elem, role, init }))
            }
            None => {
                let (ty, span) = self.ty()?;
                if ty != Ty::INDEX {
                    return self.fail(MEANING, span, "a parameter is an i64");
                }
                let v = self.k.vars.push(Var { name: name.to_string(), ty });
                self.k.params.push(v);
                NamedItem::Var(v)
            }
        };
        self.names.insert(name, named);
        Ok(())
    }
    fn init(&mut self) -> Init {
        let word = [Init::Uninit, Init::Kept, Init::Given]
            .into_iter()
            .find(|i| i.name().is_some_and(|word| self.is(word)));
        if word.is_some() {
            self.advance();
        }
        word.unwrap_or_default()
    }
    fn dtype(&mut self) -> Result<DType> {
        match dtype_named(self.text()) {
            Some(dtype) => {
                self.advance();
                Ok(dtype)
            }
            None => self.refuse_token("a dtype such as f64"),
        }
    }
    fn ty(&mut self) -> Result<(Ty, Span)> {
        let (text, span) = (self.text(), self.span());
        let ty = match (dtype_named(text), text.rsplit_once('x')) {
            (Some(elem), _) => Some(Ty::scalar(elem)),
            (None, Some((elem, lanes))) => {
                dtype_named(elem).zip(lanes.parse().ok()).map(|(elem, lanes)| Ty::vector(elem, lanes))
            }
            (None, None) => None,
        };
        match ty {
            Some(ty) => {
                self.advance();
                Ok((ty, span))
            }
            None => self.refuse_token("a type such as f64 or f64x4"),
        }
    }
    /// The variable that a `let` or `for` declares: a new one, or one of the same name and type.
    fn declare(&mut self, name: &str, span: Span, ty: Ty) -> Result<VarId> {
        let text = self.source.text.get(span.range()).unwrap_or_default();
        match self.names.get(name) {
            Some(NamedItem::Var(v)) if self.k.vars[*v].ty == ty => Ok(*v),
            Some(NamedItem::Var(v)) => {
                let old = self.k.vars[*v].ty;
                self.fail(MEANING, span, format!("{name} is {old} elsewhere, not {ty}"))
            }
            Some(NamedItem::Buf(_)) => self.fail(MEANING, span, format!("{name} is a buffer")),
            None => {
                let v = self.k.vars.push(Var { name: name.to_string(), ty });
                self.names.insert(text, NamedItem::Var(v));
                Ok(v)
            }
        }
    }
    fn block(&mut self) -> Result<Vec<Stmt>> {
        self.expect("{")?;
        self.deeper()?;
        let mut body = Vec::new();
        while !self.is("}") {
            body.push(self.stmt()?);
        }
        self.depth -= 1;
        self.expect("}")?;
        Ok(body)
    }
    fn stmt(&mut self) -> Result<Stmt> {
        if self.token() == LoopToken::Note {
            let text = self.advance().trim_start_matches("//");
            return Ok(Stmt::Note(text.strip_prefix(' ').unwrap_or(text).trim_end().to_string()));
        }
        if self.token() != LoopToken::Name {
            return self.refuse_token("a statement");
        }
        match self.text() {
            "let" => self.let_stmt(),
            "for" | "vector" | "wide" => self.for_stmt(),
            "rows" if self.follows("(") => self.for_stmt(),
            "runs" if self.follows("for") => self.for_stmt(),
            "while" => {
                self.advance();
                let cond = self.parse_typed(Ty::BOOL, "a condition")?;
                Ok(Stmt::While { cond, body: self.block()? })
            }
            "if" => {
                self.advance();
                let cond = self.parse_typed(Ty::BOOL, "a condition")?;
                let then = self.block()?;
                let other = if self.eat("else") { self.block()? } else { Vec::new() };
                Ok(Stmt::If { cond, then, other })
            }
            "reserve" if self.follows("(") => {
                let (buf, len) = self.parse_sized()?;
                Ok(Stmt::Reserve { buf, len })
            }
            "set_len" if self.follows("(") => {
                let (buf, len) = self.parse_sized()?;
                Ok(Stmt::SetLen { buf, len })
            }
            "break" => {
                self.advance();
                Ok(Stmt::Break)
            }
            "fail" if self.follows("(") => self.fail_stmt(),
            "poll" if self.follows("(") => {
                self.advance();
                self.expect("(")?;
                self.expect(")")?;
                Ok(Stmt::Poll)
            }
            _ => self.assignment(),
        }
    }
    fn let_stmt(&mut self) -> Result<Stmt> {
        self.expect("let")?;
        let (name, span) = self.name("a variable")?;
        self.expect(":")?;
        let (ty, _) = self.ty()?;
        self.expect("=")?;
        let known = self.names.contains_key(name);
        let var = self.declare(name, span, ty)?;
        if !known {
            // The variable is not alive in its own first value.
            self.names.remove(name);
        }
        let val = self.parse_typed(ty, &format!("the value of {name}"))?;
        let text = &self.source.text[span.range()];
        self.names.insert(text, NamedItem::Var(var));
        Ok(Stmt::Let { var, val })
    }
    fn for_stmt(&mut self) -> Result<Stmt> {
        let mode = self.loop_mode()?;
        self.expect("for")?;
        let (name, span) = self.name("a loop variable")?;
        self.expect("in")?;
        let lo = self.parse_typed(Ty::INDEX, "a bound")?;
        self.expect("..")?;
        let hi = self.parse_typed(Ty::INDEX, "a bound")?;
        let mut step = 1;
        if self.eat("step") {
            let negative = self.eat("-");
            if self.token() != LoopToken::Number {
                return self.refuse_token("a step");
            }
            let sign = if negative { "-" } else { "" };
            match format!("{sign}{}", self.text()).parse() {
                Ok(n) => step = n,
                Err(_) => return self.refuse_token("an integer step"),
            }
            self.advance();
        }
        let var = self.declare(name, span, Ty::INDEX)?;
        Ok(Stmt::For { var, lo, hi, step, mode, body: self.block()? })
    }
    fn loop_mode(&mut self) -> Result<LoopMode> {
        if self.eat("vector") {
            return Ok(LoopMode::Vector);
        }
        if self.eat("runs") {
            return Ok(LoopMode::Runs);
        }
        let rows = self.eat("rows");
        if !rows && !self.eat("wide") {
            return Ok(LoopMode::Serial);
        }
        self.expect("(")?;
        let lanes = self.lanes()?;
        self.expect(")")?;
        Ok(if rows { LoopMode::Rows { lanes } } else { LoopMode::Wide { lanes } })
    }
    fn fail_stmt(&mut self) -> Result<Stmt> {
        self.advance();
        self.expect("(")?;
        let Some(status) = Status::ALL.into_iter().find(|s| s.name() == self.text()) else {
            return self.refuse_token("a status such as check_failed");
        };
        self.advance();
        self.expect(")")?;
        Ok(Stmt::Fail(status))
    }
    fn parse_sized(&mut self) -> Result<(BufId, Expr)> {
        self.advance();
        self.expect("(")?;
        let (name, span) = self.name("a buffer")?;
        let buf = self.buf(name, span)?;
        self.expect(",")?;
        let len = self.parse_typed(Ty::INDEX, "a length")?;
        self.expect(")")?;
        Ok((buf, len))
    }
    fn assignment(&mut self) -> Result<Stmt> {
        let (name, span) = self.name("a statement")?;
        if self.eat("=") {
            let var = self.var(name, span)?;
            let ty = self.k.vars[var].ty;
            let val = self.parse_typed(ty, &format!("the value of {name}"))?;
            return Ok(Stmt::Set { var, val });
        }
        let buf = self.buf(name, span)?;
        self.expect("[")?;
        let at = self.parse_typed(Ty::INDEX, "an index")?;
        self.expect("]")?;
        let mut reduce = None;
        if !self.is("=") {
            let text = self.text();
            let symbol = Prim::ALL.into_iter().find(|p| infix(*p).is_some_and(|(s, _)| s == text));
            reduce = symbol.or_else(|| Prim::by_name(text));
            if reduce.is_none() {
                return self.refuse_token("`=` or an operator before it");
            }
            self.advance();
        }
        self.expect("=")?;
        let val = self.expr(0)?;
        let (got, want) = (self.k.ty(&val.e).map(|t| t.elem), self.k.bufs[buf].elem);
        if got != Ok(want) {
            return self.fail(MEANING, val.span, format!("{name} holds {want}"));
        }
        Ok(Stmt::Store { buf, at, val: val.e, reduce })
    }
    fn buf(&self, name: &str, span: Span) -> Result<BufId> {
        match self.names.get(name) {
            Some(NamedItem::Buf(b)) => Ok(*b),
            Some(NamedItem::Var(_)) => {
                self.fail(MEANING, span, format!("{name} is a variable, not a buffer"))
            }
            None => self.fail(MEANING, span, format!("nothing is called {name}")),
        }
    }
    fn var(&self, name: &str, span: Span) -> Result<VarId> {
        match self.names.get(name) {
            Some(NamedItem::Var(v)) => Ok(*v),
            Some(NamedItem::Buf(_)) => {
                self.fail(MEANING, span, format!("{name} is a buffer, not a variable"))
            }
            None => self.fail(MEANING, span, format!("nothing is called {name}")),
        }
    }
}

fn dtype_named(text: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|d| d.name() == text)
}

#[path = "parse_expr.rs"]
mod expr;

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
