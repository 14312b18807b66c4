//! The parser of expressions in loop IR: precedence climbing, with a type check at every node.

use super::super::{AND_ALSO, COMPARISON, infix};
use super::{DEEPEST, LoopParser, MEANING, SYNTAX, dtype_named};
use crate::nodes::{Expr, Ty};
use crate::text::lex::LoopToken;
use openwork_algebra::{Complex, DType, Prim, Scalar};
use openwork_base::{Result, Span};

/// An expression that has been read.
pub(super) struct ParsedExpr {
    pub e: Expr,
    pub span: Span,
    /// Height of its tree.
    height: usize,
}

impl LoopParser<'_> {
    /// An expression that must have type `want`.
    pub(super) fn parse_typed(&mut self, want: Ty, what: &str) -> Result<Expr> {
        let read = self.expr(0)?;
        match self.k.ty(&read.e) {
            Ok(ty) if ty == want => Ok(read.e),
            Ok(ty) => self.fail(MEANING, read.span, format!("{what} must be {want}, not {ty}")),
            Err(message) => self.fail(MEANING, read.span, message),
        }
    }
    /// A node over `parts`, checked.
    fn node(&self, e: Expr, span: Span, height: usize) -> Result<ParsedExpr> {
        if height > DEEPEST {
            return self.fail(SYNTAX, span, format!("more than {DEEPEST} levels of nesting"));
        }
        match self.k.ty(&e) {
            Ok(_) => Ok(ParsedExpr { e, span, height: height + 1 }),
            Err(message) => self.fail(MEANING, span, message),
        }
    }
    fn operator(&self) -> Option<(Option<Prim>, u8)> {
        let LoopToken::Symbol(text) = self.token() else { return None };
        if text == "&&" {
            return Some((None, AND_ALSO));
        }
        let prim = Prim::ALL.into_iter().find(|p| infix(*p).is_some_and(|(s, _)| s == text))?;
        Some((Some(prim), infix(prim)?.1))
    }
    /// An expression of operators that bind at least as tightly as `level`.
    pub(super) fn expr(&mut self, level: u8) -> Result<ParsedExpr> {
        self.deeper()?;
        let mut left = self.prefix()?;
        let mut compared = false;
        while let Some((prim, own)) = self.operator().filter(|(_, own)| *own >= level) {
            if own == COMPARISON && std::mem::replace(&mut compared, own == COMPARISON) {
                return self.fail(SYNTAX, self.span(), "comparisons do not chain");
            }
            self.advance();
            let right = self.expr(own + 1)?;
            let (span, height) = (left.span.join(right.span), left.height.max(right.height));
            let e = match prim {
                Some(prim) => Expr::Call { prim, args: vec![left.e, right.e] },
                None => Expr::AndAlso(left.e.into(), right.e.into()),
            };
            left = self.node(e, span, height)?;
            compared = own == COMPARISON;
        }
        self.depth -= 1;
        Ok(left)
    }
    fn prefix(&mut self) -> Result<ParsedExpr> {
        let start = self.span();
        let prim = match self.token() {
            LoopToken::Symbol("-") => {
                if let Some((s, span)) = self.literal()? {
                    return Ok(ParsedExpr { e: Expr::Const(s), span, height: 1 });
                }
                Prim::Neg
            }
            LoopToken::Symbol("!") => Prim::Not,
            LoopToken::Symbol(_) | LoopToken::Name | LoopToken::Number | LoopToken::Note | LoopToken::End => {
                return self.atom();
            }
        };
        self.advance();
        self.deeper()?;
        let arg = self.prefix()?;
        self.depth -= 1;
        self.node(Expr::Call { prim, args: vec![arg.e] }, start.join(arg.span), arg.height)
    }
    fn atom(&mut self) -> Result<ParsedExpr> {
        let start = self.span();
        if let Some((s, span)) = self.literal()? {
            return Ok(ParsedExpr { e: Expr::Const(s), span, height: 1 });
        }
        if self.eat("(") {
            let inner = self.expr(0)?;
            let span = start.join(self.span());
            self.expect(")")?;
            return Ok(ParsedExpr { span, ..inner });
        }
        let (name, _) = self.name("an expression")?;
        if self.is("(") {
            return self.function(name, start);
        }
        if !self.eat("[") {
            let e = Expr::Var(self.var(name, start)?);
            return Ok(ParsedExpr { e, span: start, height: 1 });
        }
        let buf = self.buf(name, start)?;
        let at = self.expr(0)?;
        let lanes = if self.eat(":") { Some(self.lanes()?) } else { None };
        let span = start.join(self.span());
        self.expect("]")?;
        let e = match lanes {
            Some(lanes) => Expr::VLoad { buf, at: at.e.into(), lanes },
            None => Expr::Load { buf, at: at.e.into() },
        };
        self.node(e, span, at.height)
    }
    pub(super) fn lanes(&mut self) -> Result<u8> {
        match self.text().parse() {
            Ok(n) => {
                self.advance();
                Ok(n)
            }
            Err(_) => self.refuse_token("a number of lanes"),
        }
    }
    /// `true`, `1`, `-2.5`, `inf`, …: a constant of bool, i64 or f64. Nothing is read if there is none.
    fn literal(&mut self) -> Result<Option<(Scalar, Span)>> {
        let (from, start) = (self.at, self.span());
        let negative = self.eat("-");
        let text = self.text();
        let bool_word = !negative && (text == "true" || text == "false");
        if !(self.token() == LoopToken::Number || text == "inf" || text == "nan" || bool_word) {
            self.at = from;
            return Ok(None);
        }
        let span = start.join(self.span());
        self.advance();
        let dtype = match text {
            "true" | "false" => DType::Bool,
            _ if text.bytes().all(|c| c.is_ascii_digit()) => DType::I64,
            _ => DType::F64,
        };
        let signed = format!("{}{text}", if negative { "-" } else { "" });
        match Scalar::parse(&signed, dtype) {
            Some(s) => Ok(Some((s, span))),
            None => self.fail(MEANING, span, format!("{signed} is not of dtype {dtype}")),
        }
    }
    /// The inside of `dtype( … )` if it is a literal up to the closing parenthesis, which is read too.
    fn typed_literal(&mut self, dtype: DType) -> Result<Option<Scalar>> {
        let (from, start) = (self.at, self.span());
        let mut parts = [String::new(), String::new()];
        let mut count = 0;
        for part in &mut parts {
            if self.is("-") || (count > 0 && self.is("+")) {
                part.push_str(self.advance());
            } else if count > 0 {
                break;
            }
            let word = ["inf", "nan", "infj", "nanj", "true", "false"].contains(&self.text());
            if !(self.token() == LoopToken::Number || word) {
                break;
            }
            part.push_str(self.advance());
            count += 1;
        }
        let complex = dtype.is_complex() && parts[1].ends_with('j');
        if count == 0 || !(parts[1].is_empty() || complex) || !self.is(")") {
            self.at = from;
            return Ok(None);
        }
        let span = start.join(self.span());
        self.advance();
        let [re, im] = &parts;
        let value = match (dtype, im.strip_suffix('j')) {
            (DType::C128, Some(im)) => {
                re.parse().ok().zip(im.parse().ok()).map(|(re, im)| Scalar::C128(Complex::new(re, im)))
            }
            (DType::C64, Some(im)) => {
                re.parse().ok().zip(im.parse().ok()).map(|(re, im)| Scalar::C64(Complex::new(re, im)))
            }
            (_, None) if im.is_empty() => Scalar::parse(re, dtype),
            (_, _) => None,
        };
        match value {
            Some(s) => Ok(Some(s)),
            None => self.fail(MEANING, span, format!("this is not a {dtype}")),
        }
    }
    fn function(&mut self, name: &str, start: Span) -> Result<ParsedExpr> {
        self.expect("(")?;
        if let Some(to) = dtype_named(name) {
            if let Some(s) = self.typed_literal(to)? {
                return Ok(ParsedExpr { e: Expr::Const(s), span: start, height: 1 });
            }
            let arg = self.expr(0)?;
            let span = start.join(self.span());
            self.expect(")")?;
            return self.node(Expr::Cast { to, arg: arg.e.into() }, span, arg.height);
        }
        let mut lanes = 0;
        let mut prim = None;
        match name {
            "splat" => {
                lanes = self.lanes()?;
                self.expect(",")?;
            }
            "fold" => {
                prim = Prim::by_name(self.text());
                if prim.is_none() {
                    return self.refuse_token("a primitive such as add");
                }
                self.advance();
                self.expect(",")?;
            }
            _ => {}
        }
        let (args, span, height) = self.arguments(start)?;
        let one = |mut args: Vec<Expr>| match args.len() {
            1 => Ok(Box::new(args.remove(0))),
            _ => self.fail(SYNTAX, span, format!("{name} takes one value")),
        };
        let e = match (name, prim, Prim::by_name(name)) {
            ("pack", _, _) => Expr::Pack(args),
            ("splat", _, _) => Expr::Splat { lanes, arg: one(args)? },
            (_, Some(prim), _) => Expr::Fold { prim, arg: one(args)? },
            (_, None, Some(prim)) => Expr::Call { prim, args },
            (_, None, None) => return self.fail(MEANING, start, format!("no function is called {name}")),
        };
        self.node(e, span, height)
    }
    /// Arguments up to the closing parenthesis.
    fn arguments(&mut self, start: Span) -> Result<(Vec<Expr>, Span, usize)> {
        let (mut args, mut height) = (Vec::new(), 0);
        while !self.is(")") {
            let arg = self.expr(0)?;
            height = height.max(arg.height);
            args.push(arg.e);
            if !self.eat(",") {
                break;
            }
        }
        let span = start.join(self.span());
        self.expect(")")?;
        Ok((args, span, height))
    }
}
