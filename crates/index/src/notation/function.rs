//! Definitions of functions, which stand before a statement.
//!
//! ```text
//! definition = "def" name "(" name {"," name} ")" [":" promise {"," promise}] ["->" dtype] body ";"
//! promise    = "commutative" | "associative" | "idempotent" | "identity" at | "annihilator" at | "distributes" "over" name | space
//! at         = "(" number ["," parameter] ")"
//! space      = both {"|" both}     both = part {"&" part}     part = "!" part | "(" space ")" | "{" parameter "!=" number "}"
//! body       = "=" expr | "{" case {";" case} "}" | block
//! case       = pattern {"," pattern} "=>" (expr | block)      pattern = number | parameter | "_"
//! block      = "{" {step} value "}"
//! step       = "let" name "=" expr ";" | name "=" expr ";" | "while" expr steps | "if" expr steps ["else" steps]
//! steps      = "{" {step} "}"
//! value      = expr | "if" expr block "else" block
//! ```
//! A space is an iteration algebra (array-programming paper, §5.1): where the function may have another value than it has
//! elsewhere. A case is what the function is where arguments have the values of its patterns (§4.3); the first one that fits
//! is taken.

use super::lex::Token;
use super::parse::{Parser, is_function, is_value};
use super::{Name, Syntax, semiring};
use openwork_base::{Code, Diagnostic, Error, Result, Span};
use std::sync::Arc;

/// A definition that cannot be.
pub(crate) const FUNCTION: Code = Code("E0215");
/// More parameters are refused: the regions of so many operands are too many to tell apart.
const PARAMETERS: usize = 16;
/// And more cases: each is a choice inside of another.
const CASES: usize = 50;

/// A function as it was defined.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Name>,
    /// What is said of it.
    pub promises: Vec<Promise>,
    /// The dtype of its value, where that is not what the body has.
    pub result: Option<Name>,
    /// What it computes, cases written as choices.
    pub body: BodyBlock,
    /// Functions that were defined before it, which it may call.
    pub known: Arc<[Arc<Definition>]>,
    /// As it was written.
    pub text: String,
}

/// A promise about a function, which its author makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    /// What.
    pub kind: PromiseKind,
    /// Where it stands.
    pub span: Span,
}

/// A property of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum PromiseKind {
    /// `f(x, y) = f(y, x)`.
    Commutative,
    /// `f(f(x, y), z) = f(x, f(y, z))`.
    Associative,
    /// `f(x, x) = x`.
    Idempotent,
    /// `f(v, y) = y`, for the parameter that is named, or any.
    Identity(Name, Option<usize>),
    /// `f(v, y) = v`, for the parameter that is named, or any.
    Annihilator(Name, Option<usize>),
    /// `f(x, g(y, z)) = g(f(x, y), f(x, z))`, and so on the other side.
    Distributes(Name),
    /// Elsewhere it has one value.
    Space(SpaceSyntax),
}

/// An iteration algebra as written.
#[derive(Clone, Debug, PartialEq)]
pub enum SpaceSyntax {
    /// `{x != 0}`: a parameter, and a number.
    Arg(usize, Name),
    /// The complement.
    Not(Box<SpaceSyntax>),
    /// The intersection.
    And(Box<SpaceSyntax>, Box<SpaceSyntax>),
    /// The union.
    Or(Box<SpaceSyntax>, Box<SpaceSyntax>),
}

/// Steps, and a value.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyBlock {
    /// What is done first.
    pub steps: Vec<BodyStep>,
    /// What it comes to.
    pub value: BlockValue,
}

/// The value of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockValue {
    /// An expression.
    Of(Syntax),
    /// One of two blocks.
    If(Syntax, Box<BodyBlock>, Box<BodyBlock>),
}

/// A statement in a body.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyStep {
    /// `let t = e;`
    Let(Name, Syntax),
    /// `t = e;`
    Set(Name, Syntax),
    /// `while c { … }`
    While(Syntax, Vec<BodyStep>),
    /// `if c { … } else { … }`
    If(Syntax, Vec<BodyStep>, Vec<BodyStep>),
}

impl Definition {
    /// Whether it is an expression and nothing else, which can stand where it is called.
    pub fn is_expression(&self) -> bool {
        fn plain(b: &BodyBlock) -> bool {
            b.steps.iter().all(|s| matches!(s, BodyStep::Let(..)))
                && match &b.value {
                    BlockValue::Of(_) => true,
                    BlockValue::If(_, then, other) => plain(then) && plain(other),
                }
        }
        self.promises.is_empty() && self.result.is_none() && plain(&self.body)
    }
    /// Whether it is said to be something that can reduce.
    pub fn reduces(&self) -> bool {
        let promised = |is: fn(&PromiseKind) -> bool| self.promises.iter().any(|p| is(&p.kind));
        let commutes = promised(|p| matches!(p, PromiseKind::Commutative));
        promised(|p| matches!(p, PromiseKind::Associative))
            && self.promises.iter().any(|p| match &p.kind {
                PromiseKind::Identity(_, side) => commutes || side.is_none(),
                _ => false,
            })
    }
}

impl Parser<'_> {
    /// The definitions before a statement.
    pub(crate) fn definitions(&mut self) -> Result<()> {
        while let Some(start) = self.eat_word("def") {
            let definition = self.definition(start)?;
            let earlier = self.functions.iter().find(|f| f.name.text == definition.name.text);
            match earlier {
                None => self.functions.push(Arc::new(definition)),
                // The same definition may stand before each statement that needs it.
                Some(earlier) if earlier.text == definition.text => {}
                Some(_) => return self.refuse_twice(&definition.name),
            }
            while self.eat(";").is_some() {}
        }
        Ok(())
    }
    /// Whether the next token is this word; then it is taken.
    pub(crate) fn eat_word(&mut self, word: &str) -> Option<Span> {
        let (token, span) = self.peek();
        let found = token == Token::Name && self.text(span) == word;
        // A word before `=`, `(` or `[` is the name of a result.
        let names = word == "def" && !matches!(self.peek_after().0, Token::Name);
        (found && !names).then(|| self.next().1)
    }
    fn wrong<T>(&self, message: impl Into<String>, span: Span) -> Result<T> {
        let d = Diagnostic::new(FUNCTION, message).point_at(self.source(), span, "");
        Err(Error::rejection(d.help("a function looks like def f(x, y) = x * x + y;")))
    }
    fn refuse_twice<T>(&self, name: &Name) -> Result<T> {
        self.wrong(format!("`{}` is defined twice", name.text), name.span)
    }
    fn expect(&mut self, sign: &str) -> Result<Span> {
        match self.eat(sign) {
            Some(span) => Ok(span),
            None => self.wrong(format!("expected `{sign}`"), self.peek().1),
        }
    }
    fn word(&mut self, what: &str) -> Result<Name> {
        let (token, span) = self.next();
        let name = self.name(span);
        if token != Token::Name || is_value(&name.text) {
            return self.wrong(format!("expected {what}"), span);
        }
        Ok(name)
    }
    /// A number, with its sign.
    fn number(&mut self) -> Result<Name> {
        let minus = self.eat("-");
        let (token, span) = self.next();
        let name = self.name(span);
        if token != Token::Number && !is_value(&name.text) {
            return self.wrong("expected a number", span);
        }
        Ok(match minus {
            None => name,
            Some(start) => Name { text: format!("-{}", name.text), span: start.join(span) },
        })
    }

    /// An expression in a body, where no name is a variable.
    fn scalar(&mut self) -> Result<Syntax> {
        let read = self.expr()?;
        match semiring::validate(&read, &|_| false) {
            Ok(_) => Ok(read),
            Err((message, span)) => self.wrong(message, span),
        }
    }

    fn definition(&mut self, start: Span) -> Result<Definition> {
        let name = self.word("the name of the function")?;
        if is_function(&name.text) || matches!(name.text.as_str(), "where" | "def") {
            return self.wrong(format!("`{}` is a function already", name.text), name.span);
        }
        if self.functions[self.before..].iter().any(|f| f.name.text == name.text) {
            return self.refuse_twice(&name);
        }
        let params = self.parameters()?;
        let mut promises = Vec::new();
        if self.eat(":").is_some() {
            promises.push(self.promise(&params)?);
            while self.eat(",").is_some() {
                promises.push(self.promise(&params)?);
            }
        }
        let result = match self.eat("->") {
            Some(_) => Some(self.word("a dtype")?),
            None => None,
        };
        let known: Arc<[Arc<Definition>]> = self.functions.clone().into();
        self.defining = Some(name.text.clone());
        let body = match self.peek().0 {
            Token::Sign("{") if self.has_cases() => self.cases(&params)?,
            Token::Sign("{") => self.block(0)?,
            _ => {
                let sign = self.expect("=")?;
                if self.peek().0 == Token::Sign("{") {
                    return self.wrong("cases and steps stand in braces without `=`", sign);
                }
                BodyBlock { steps: Vec::new(), value: BlockValue::Of(self.scalar()?) }
            }
        };
        self.defining = None;
        let end = self.last();
        let text = self.text(start.join(end)).to_string();
        Ok(Definition { name, params, promises, result, body, known, text })
    }
    /// A function does not call itself: it might never end.
    pub(crate) fn refuse_recursion(&self, name: &Name) -> Result<()> {
        if self.defining.as_ref() != Some(&name.text) {
            return Ok(());
        }
        let d = Diagnostic::new(FUNCTION, format!("`{}` calls itself", name.text));
        let d = d.point_at(self.source(), name.span, "");
        Err(Error::rejection(d.help("functions are not recursive: write a loop, while c { … }")))
    }
    fn parameters(&mut self) -> Result<Vec<Name>> {
        let start = self.expect("(")?;
        let mut params: Vec<Name> = Vec::new();
        loop {
            let name = self.word("a parameter")?;
            if params.iter().any(|p| p.text == name.text) {
                return self.wrong(format!("`{}` is a parameter twice", name.text), name.span);
            }
            params.push(name);
            if let Some(end) = self.eat(")") {
                if params.len() > PARAMETERS {
                    return self.wrong(format!("more than {PARAMETERS} parameters"), start.join(end));
                }
                return Ok(params);
            }
            self.expect(",")?;
        }
    }
    fn promise(&mut self, params: &[Name]) -> Result<Promise> {
        let start = self.peek().1;
        let kind = match self.peek().0 {
            Token::Name => {
                let word = self.word("a property")?;
                match word.text.as_str() {
                    "commutative" => PromiseKind::Commutative,
                    "associative" => PromiseKind::Associative,
                    "idempotent" => PromiseKind::Idempotent,
                    "identity" => self.parse_parameter(params).map(|(v, n)| PromiseKind::Identity(v, n))?,
                    "annihilator" => {
                        self.parse_parameter(params).map(|(v, n)| PromiseKind::Annihilator(v, n))?
                    }
                    "distributes" if self.text(self.peek().1) == "over" => {
                        self.word("over")?;
                        PromiseKind::Distributes(self.word("a function")?)
                    }
                    other => {
                        let message = format!("`{other}` is no property of functions");
                        let d = Diagnostic::new(FUNCTION, message).point_at(self.source(), word.span, "");
                        let help = "known are commutative, associative, idempotent, identity(v), annihilator(v), distributes \
                                    over add, and where it is not the same everywhere: {x != 0} | {y != 0}";
                        return Err(Error::rejection(d.help(help)));
                    }
                }
            }
            Token::Sign(_) | Token::Number | Token::End => PromiseKind::Space(self.union(params, 0)?),
        };
        Ok(Promise { kind, span: start.join(self.peek().1) })
    }
    /// `(v)`, or `(v, x)` for one parameter.
    fn parse_parameter(&mut self, params: &[Name]) -> Result<(Name, Option<usize>)> {
        self.expect("(")?;
        let value = self.number()?;
        let param = match self.eat(",") {
            Some(_) => Some(self.parameter(params)?),
            None => None,
        };
        self.expect(")")?;
        Ok((value, param))
    }
    fn parameter(&mut self, params: &[Name]) -> Result<usize> {
        let name = self.word("a parameter")?;
        match params.iter().position(|p| p.text == name.text) {
            Some(n) => Ok(n),
            None => self.wrong(format!("`{}` is no parameter", name.text), name.span),
        }
    }
    fn union(&mut self, params: &[Name], depth: usize) -> Result<SpaceSyntax> {
        let mut all = self.intersection(params, depth)?;
        while self.eat("|").is_some() {
            all = SpaceSyntax::Or(Box::new(all), Box::new(self.intersection(params, depth)?));
        }
        Ok(all)
    }
    fn intersection(&mut self, params: &[Name], depth: usize) -> Result<SpaceSyntax> {
        let mut all = self.region(params, depth)?;
        while self.eat("&").is_some() {
            all = SpaceSyntax::And(Box::new(all), Box::new(self.region(params, depth)?));
        }
        Ok(all)
    }
    fn region(&mut self, params: &[Name], depth: usize) -> Result<SpaceSyntax> {
        /// Deeper nesting could exhaust the stack.
        const DEPTH: usize = 50;
        let (token, span) = self.next();
        if depth > DEPTH {
            return self.wrong(format!("nested deeper than {DEPTH} levels"), span);
        }
        match token {
            Token::Sign("!") => Ok(SpaceSyntax::Not(Box::new(self.region(params, depth + 1)?))),
            Token::Sign("(") => {
                let inner = self.union(params, depth + 1)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign("{") => {
                let param = self.parameter(params)?;
                self.expect("!=")?;
                let value = self.number()?;
                self.expect("}")?;
                Ok(SpaceSyntax::Arg(param, value))
            }
            Token::Sign(_) | Token::Number | Token::Name | Token::End => {
                self.wrong("expected a property, or where the function is not the same: {x != 0}", span)
            }
        }
    }

    /// Cases, as choices: the first one that fits is taken.
    fn cases(&mut self, params: &[Name]) -> Result<BodyBlock> {
        let open = self.expect("{")?;
        let mut cases = Vec::new();
        let last = loop {
            let (fits, body) = self.case(params)?;
            while self.eat(";").is_some() {}
            let ended = self.eat("}").is_some();
            match (fits, ended) {
                (None, true) => break body,
                (None, false) => return self.wrong("what follows is never taken", self.peek().1),
                (Some(_), true) => {
                    let all: Vec<&str> = params.iter().map(|p| p.text.as_str()).collect();
                    let message = format!("the last case has to be for all values: {} => …", all.join(", "));
                    return self.wrong(message, open);
                }
                (Some(fits), false) => cases.push((fits, body)),
            }
            if cases.len() > CASES {
                return self.wrong(format!("more than {CASES} cases"), open);
            }
        };
        let otherwise = |other, (fits, body)| BodyBlock {
            steps: Vec::new(),
            value: BlockValue::If(fits, Box::new(body), Box::new(other)),
        };
        Ok(cases.into_iter().rev().fold(last, otherwise))
    }
    /// Whether `=>` comes before anything that no list of patterns has.
    fn has_cases(&self) -> bool {
        let inside = self.remaining_tokens().iter().skip(1).map(|(token, _)| token);
        let mut rest =
            inside.skip_while(|t| matches!(t, Token::Name | Token::Number | Token::Sign("," | "-")));
        rest.next() == Some(&Token::Sign("=>"))
    }
    /// When a case is taken, if not always, and what it comes to.
    fn case(&mut self, params: &[Name]) -> Result<(Option<Syntax>, BodyBlock)> {
        let mut fits: Option<Syntax> = None;
        for (n, param) in params.iter().enumerate() {
            if n > 0 {
                self.expect(",")?;
            }
            let (token, span) = self.peek();
            if token == Token::Name && (self.text(span) == param.text || self.text(span) == "_") {
                self.next();
                continue;
            }
            let value = self.number()?;
            let is = Self::is_value_of(param, &value);
            fits = Some(match fits {
                None => is,
                Some(both) => Syntax::call("and", vec![both, is], span),
            });
        }
        self.expect("=>")?;
        let body = match self.peek().0 {
            Token::Sign("{") => self.block(0)?,
            Token::Sign(_) | Token::Name | Token::Number | Token::End => {
                BodyBlock { steps: Vec::new(), value: self.value(0)? }
            }
        };
        Ok((fits, body))
    }
    /// Whether a parameter is a value: of NaN, that it is not equal to itself.
    fn is_value_of(param: &Name, value: &Name) -> Syntax {
        let (span, x) = (param.span.join(value.span), Syntax::bare(param));
        match value.text.as_str() {
            "nan" => Syntax::call("ne", vec![x.clone(), x], span),
            text => Syntax::call("eq", vec![x, Syntax::number(text, value.span)], span),
        }
    }
    fn block(&mut self, depth: usize) -> Result<BodyBlock> {
        self.expect("{")?;
        let steps = self.steps(depth)?;
        let value = self.value(depth)?;
        self.eat(";");
        self.expect("}")?;
        Ok(BodyBlock { steps, value })
    }
    fn value(&mut self, depth: usize) -> Result<BlockValue> {
        if self.eat_word("if").is_none() {
            return Ok(BlockValue::Of(self.scalar()?));
        }
        let cond = self.scalar()?;
        let then = self.block(depth + 1)?;
        if self.eat_word("else").is_none() {
            return self.wrong("an `if` that is a value needs an `else`", self.peek().1);
        }
        let other = match self.peek() {
            (Token::Name, span) if self.text(span) == "if" => {
                BodyBlock { steps: Vec::new(), value: self.value(depth + 1)? }
            }
            _ => self.block(depth + 1)?,
        };
        Ok(BlockValue::If(cond, Box::new(then), Box::new(other)))
    }
    /// All steps before a value, or before the end of the braces.
    fn steps(&mut self, depth: usize) -> Result<Vec<BodyStep>> {
        /// Deeper nesting could exhaust the stack.
        const DEPTH: usize = 50;
        if depth > DEPTH {
            return self.wrong(format!("nested deeper than {DEPTH} levels"), self.peek().1);
        }
        let mut steps = Vec::new();
        while let Some(step) = self.step(depth)? {
            steps.push(step);
        }
        Ok(steps)
    }
    fn step(&mut self, depth: usize) -> Result<Option<BodyStep>> {
        if self.eat_word("let").is_some() {
            let name = self.word("a name")?;
            self.expect("=")?;
            let value = self.scalar()?;
            self.expect(";")?;
            return Ok(Some(BodyStep::Let(name, value)));
        }
        if self.eat_word("while").is_some() {
            let cond = self.scalar()?;
            return Ok(Some(BodyStep::While(cond, self.inner(depth + 1)?)));
        }
        if self.peek_after().0 == Token::Sign("=") {
            let name = self.word("a name")?;
            self.expect("=")?;
            let value = self.scalar()?;
            self.expect(";")?;
            return Ok(Some(BodyStep::Set(name, value)));
        }
        self.choice(depth)
    }
    /// An `if` that is no value: its blocks have none.
    fn choice(&mut self, depth: usize) -> Result<Option<BodyStep>> {
        let start = self.mark();
        if self.eat_word("if").is_none() {
            return Ok(None);
        }
        let cond = self.scalar()?;
        self.expect("{")?;
        let then = self.steps(depth + 1)?;
        if self.eat("}").is_none() {
            self.back_to(start);
            return Ok(None);
        }
        let other = match self.eat_word("else") {
            None => Vec::new(),
            Some(_) => match self.choice(depth + 1)? {
                Some(step) => vec![step],
                None => self.inner(depth + 1)?,
            },
        };
        Ok(Some(BodyStep::If(cond, then, other)))
    }
    fn inner(&mut self, depth: usize) -> Result<Vec<BodyStep>> {
        self.expect("{")?;
        let steps = self.steps(depth)?;
        self.expect("}")?;
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse;
    use openwork_base::Source;

    fn parse_definition(text: &str) -> Result<Definition> {
        let text = format!("{text}; y(i) = A(i)");
        parse(&Source::new("statement", text)).map(|s| (*s.functions[0]).clone())
    }

    #[test]
    fn definitions_are_read() {
        let f = parse_definition(
            "def f(x, y): commutative, identity(-1.5, y), {x != 0} & !({y != inf} | {x != 1}) -> f32 = x * y",
        );
        let f = f.unwrap();
        assert_eq!((f.name.text.as_str(), f.params.len(), f.promises.len()), ("f", 2, 3));
        assert!(matches!(&f.promises[1].kind, PromiseKind::Identity(v, Some(1)) if v.text == "-1.5"));
        assert!(matches!(&f.promises[2].kind, PromiseKind::Space(SpaceSyntax::And(..))));
        assert_eq!(f.result.as_ref().unwrap().text, "f32");
        assert!(!f.is_expression());
        assert!(parse_definition("def f(x) = x + 1").unwrap().is_expression());
        let f = parse_definition(
            "def f(x) { let t = x; while t > 1 { t = t / 2; } if x < 0 { -t } else if x > 3 { 1 } else { t } }",
        );
        let f = f.unwrap();
        assert_eq!(f.body.steps.len(), 2);
        assert!(
            matches!(&f.body.value, BlockValue::If(_, _, other) if matches!(other.value, BlockValue::If(..)))
        );
        let f = parse_definition("def f(x, y) { x, 0 => abs(x); -1, _ => { let t = y; t }; x, y => x - y }")
            .unwrap();
        let BlockValue::If(first, _, rest) = &f.body.value else { panic!("{f:?}") };
        assert_eq!(first.to_string(), "y == 0");
        assert!(matches!(&rest.value, BlockValue::If(second, ..) if second.to_string() == "x == -1"));
        let f = parse_definition("def f(x) { let t = 0; if x > 0 { t = 1; } else if x < -9 { t = 2; } t }")
            .unwrap();
        assert!(matches!(&f.body.steps[1], BodyStep::If(_, _, other) if other.len() == 1));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("def sum(x) = x", "is a function already"),
            ("def f(x, x) = x", "parameter twice"),
            ("def f() = 1", "expected a parameter"),
            ("def f(x): distributes = x", "no property"),
            ("def f(x): {y != 0} = x", "no parameter"),
            ("def f(x): identity(x) = x", "expected a number"),
            ("def f(x) { let t = x }", "expected `;`"),
            ("def f(x) { if x > 0 { x } }", "needs an `else`"),
            ("def f(x, y) { x, 0 => x }", "for all values"),
            ("def f(x) { x => x; 0 => x }", "never taken"),
            ("def f(x) = x; def f(x) = x", "defined twice"),
            ("def f(x) x", "expected `=`"),
            ("def f(x) = { let t = x; t }", "without `=`"),
            ("def f(x) = { 0 => 1; x => x }", "without `=`"),
            ("def f(x) = f(x - 1)", "calls itself"),
        ] {
            let e = parse_definition(text).unwrap_err();
            assert!(e.code().0 == "E0215" && e.to_string().contains(part), "{text}: {e}");
        }
    }

    #[test]
    fn a_result_may_be_called_def() {
        let s = parse(&Source::new("statement", "def(i) = A(i)")).unwrap();
        assert_eq!(s.lhs.name.text, "def");
    }
}
