//! The parser of index notation.

use super::alias::{self, expand_alias, is_alias};
use super::finish::check_statement;
use super::function::Definition;
use super::habits;
use super::lex::{Token, lex};
use super::semiring::{self, is_semiring};
use super::sum::IndexSum;
use super::syntax::{EXTREME_PLACES, Name, PADDED, STRUCTURE, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use openwork_algebra::{DType, Operator};
use openwork_base::names::meant_or;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use std::sync::Arc;

pub(super) const SYNTAX: Code = Code("E0102");
const COMPUTED: Code = Code("E0103");
/// Deeper nesting than this is refused, so that no text can exhaust the stack.
const MAX_DEPTH: usize = 200;
/// Longer chains of operands are refused: each operand is one level of the tree.
pub(super) const MAX_TERMS: usize = 500;
/// Indices of an access; NumPy's arrays have at most 64.
pub(super) const MAX_MODES: usize = 100;

/// Reads one statement.
///
/// # Errors
/// `E0101` and `E0102` for text that is no statement, `E0103` for `=` to places that values say.
///
/// ```
/// use openwork_base::Source;
/// use openwork_index::notation::parse;
/// let round = parse(&Source::new("statement", "y(i) = A(i,j) * x(j)")).unwrap();
/// let square = parse(&Source::new("statement", "y[i] = A[i,j] * x[j]")).unwrap();
/// assert_eq!(round.operands(), square.operands());
/// assert_eq!(round.index_names(), ["i", "j"]);
/// ```
pub fn parse(source: &Source) -> Result<StatementSyntax> {
    let mut p = Parser::new(source)?;
    let statement = p.statement()?;
    match p.peek() {
        (Token::End, _) => habits::refuse_subscripts(&statement).map_or(Ok(statement), Err),
        (_, span) if source.text[span.start as usize..].starts_with(';') => {
            let d = Diagnostic::new(SYNTAX, "there is another statement after this one");
            let help = "a sequence of statements is computed by `evaluate_all` in Python, by `Session::sequence` in Rust";
            Err(Error::rejection(d.point_at(source, span, "").help(help)))
        }
        _ => Err(p.unexpected_token("unexpected text after the statement")),
    }
}

/// What a name before values may be, besides the functions that the text defines and those that are built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherNames {
    /// Nothing.
    None,
    /// A function that some statement defined: CIN is made of statements.
    Defined,
    /// Any function: a schedule is read before the statement that it is for.
    Any,
}

/// What stands between brackets.
struct BracketArgs {
    values: Vec<Syntax>,
    /// One for each value; those of a mode as a whole where none was written.
    windows: Vec<Window>,
    /// Which of the values stand in parentheses of their own, as a whole.
    enclosed: Vec<bool>,
    /// The closing bracket.
    end: Span,
}

impl BracketArgs {
    fn is_windowed(&self) -> bool {
        self.windows.iter().any(|w| !w.is_whole())
    }
}

/// The parser, shared with CIN text.
pub(crate) struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    /// The functions that are defined so far.
    pub(crate) functions: Vec<Arc<Definition>>,
    /// How many of them stand before an earlier statement than the one that is read.
    pub(crate) before: usize,
    /// Which other names are functions.
    pub(crate) others: OtherNames,
    /// The function whose definition is read.
    pub(crate) defining: Option<String>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(source: &'a Source) -> Result<Parser<'a>> {
        Ok(Parser {
            source,
            tokens: lex(source)?,
            at: 0,
            depth: 0,
            functions: Vec::new(),
            before: 0,
            others: OtherNames::None,
            defining: None,
        })
    }
    pub(crate) fn peek(&self) -> (Token, Span) {
        self.tokens[self.at]
    }
    /// The token after the next one.
    pub(crate) fn peek_after(&self) -> (Token, Span) {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }
    /// Where the token stands that was taken last.
    pub(crate) fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }
    /// All tokens from here on.
    pub(crate) fn remaining_tokens(&self) -> &[(Token, Span)] {
        &self.tokens[self.at..]
    }
    /// This place, to come [back to](Parser::back_to).
    pub(crate) fn mark(&self) -> usize {
        self.at
    }
    pub(crate) fn back_to(&mut self, mark: usize) {
        self.at = mark;
    }
    pub(crate) fn source(&self) -> &'a Source {
        self.source
    }
    pub(crate) fn text(&self, span: Span) -> &'a str {
        &self.source.text[span.range()]
    }
    pub(crate) fn next(&mut self) -> (Token, Span) {
        let t = self.tokens[self.at];
        if t.0 != Token::End {
            self.at += 1;
        }
        t
    }
    pub(crate) fn eat(&mut self, sign: &str) -> Option<Span> {
        match self.peek() {
            (Token::Sign(s), span) if s == sign => {
                self.at += 1;
                Some(span)
            }
            _ => None,
        }
    }
    pub(crate) fn name(&self, span: Span) -> Name {
        Name { text: self.source.text[span.range()].to_string(), span }
    }
    pub(crate) fn error(&self, message: impl Into<String>, span: Span) -> Error {
        let d = Diagnostic::new(SYNTAX, message).point_at(self.source, span, "");
        Error::rejection(d.help(habits::STATEMENT))
    }
    /// The error at the next token, with what to write instead of it.
    fn unexpected_token(&self, message: &str) -> Error {
        let (token, span) = self.peek();
        let d = Diagnostic::new(SYNTAX, message).point_at(self.source, span, "");
        Error::rejection(d.help(habits::instead_of(token, self.text(span))))
    }

    pub(crate) fn statement(&mut self) -> Result<StatementSyntax> {
        self.definitions()?;
        let (token, span) = self.next();
        if token != Token::Name {
            return Err(self.error("expected the name of the result", span));
        }
        let name = self.name(span);
        self.free(&name)?;
        let lhs = match self.peek().0 {
            Token::Sign(open @ ("(" | "[")) => {
                self.at += 1;
                let args = self.args(open)?;
                let span = span.join(args.end);
                self.access(name, args, span)?
            }
            _ => TensorRef::bare(name),
        };
        let (token, span) = self.next();
        let op = match token {
            Token::Sign("=") => None,
            Token::Sign("min=") => Operator::find("min"),
            Token::Sign("max=") => Operator::find("max"),
            Token::Sign("choose=") => Operator::find("choose"),
            Token::Sign(s @ ("+=" | "*=" | "|=" | "&=" | "^=")) => Operator::find_symbol(&s[..1]),
            // `t f= e` of CIN; which operator it is, the dtype says.
            Token::Name if self.others == OtherNames::Defined && self.peek().0 == Token::Sign("=") => {
                self.at += 1;
                openwork_algebra::function::list_operators(self.text(span)).into_iter().next()
            }
            Token::Sign("-=") => return Err(self.error("there is no `-=`; write `+= -(…)`", span)),
            Token::Sign("/=") => return Err(self.error("there is no `/=`; write `*= 1 / (…)`", span)),
            _ => return Err(self.error("expected `=` or a compound assignment such as `+=`", span)),
        };
        let rhs = self.expr()?;
        let mask = self.mask()?;
        let functions = self.functions.clone().into();
        let read = StatementSyntax { lhs, op, rhs, mask, functions, source: self.source.clone() };
        check_statement(&read)?;
        Ok(read)
    }
    /// `where m(i)` behind a statement.
    fn mask(&mut self) -> Result<Option<Syntax>> {
        let (token, span) = self.peek();
        if token != Token::Name || self.source.text[span.range()] != *"where" {
            return Ok(None);
        }
        self.at += 1;
        self.expr().map(Some)
    }
    /// Binary operators by binding strength, loosest first.
    pub(crate) const LEVELS: [&'static [&'static str]; 7] = [
        &["==", "!=", "<=", ">=", "<", ">"],
        &["|"],
        &["^"],
        &["&"],
        &["<<", ">>"],
        &["+", "-"],
        &["*", "/", "//", "%"],
    ];

    pub(crate) fn expr(&mut self) -> Result<Syntax> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.peek().1;
            return Err(self.error(format!("an expression nested deeper than {MAX_DEPTH} levels"), span));
        }
        let e = self.binary(0);
        self.depth -= 1;
        e
    }
    fn binary(&mut self, level: usize) -> Result<Syntax> {
        let Some(signs) = Self::LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut terms = 1;
        while let Some(sign) = signs.iter().find(|s| self.eat(s).is_some()) {
            let op = Operator::find_symbol(sign).expect("every sign of the table is an operator");
            let right = self.binary(level + 1)?;
            let span = left.span().join(right.span());
            terms += 1;
            if terms > MAX_TERMS {
                return Err(self.error(format!("a chain of more than {MAX_TERMS} operands"), span));
            }
            left = Syntax::Op { op, args: vec![left, right], span };
            if level == 0 {
                break;
            }
        }
        Ok(left)
    }
    fn unary(&mut self) -> Result<Syntax> {
        let (token, start) = self.peek();
        let name = match token {
            Token::Sign("-") => "neg",
            Token::Sign("!" | "~") => "not",
            _ => return self.power(),
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("an expression nested deeper than {MAX_DEPTH} levels"), start));
        }
        let arg = self.unary()?;
        self.depth -= 1;
        let span = start.join(arg.span());
        let op = Operator::find(name).expect("neg and not are operators");
        Ok(Syntax::Op { op, args: vec![arg], span })
    }
    /// `a ** b`, which binds tighter than a sign before it and takes one after it: `-a ** -b` is `-(a ** (-b))`.
    fn power(&mut self) -> Result<Syntax> {
        let base = self.atom()?;
        if self.eat("**").is_none() {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.peek().1;
            return Err(self.error(format!("an expression nested deeper than {MAX_DEPTH} levels"), span));
        }
        let exponent = self.unary()?;
        self.depth -= 1;
        let span = base.span().join(exponent.span());
        Ok(Syntax::Apply { name: Name { text: "power".into(), span }, args: vec![base, exponent], span })
    }
    fn atom(&mut self) -> Result<Syntax> {
        let (token, span) = self.next();
        match token {
            Token::Number => Ok(Syntax::Number(self.name(span))),
            Token::Name => {
                let name = self.name(span);
                match self.peek().0 {
                    Token::Sign(open @ ("(" | "[")) => {
                        self.at += 1;
                        let args = self.args(open)?;
                        let span = span.join(args.end);
                        self.refuse_recursion(&name)?;
                        let named = self.is_defined(&name.text) || is_function(&name.text);
                        if args.is_windowed() && open == "(" && named {
                            let help = "a window is of an index of a tensor, as in `A(i(0:2))`";
                            let message = format!("`{}` is a function, and reads no window", name.text);
                            return Err(self.misplaced_window(&message, help, span));
                        }
                        let values = &args.values;
                        if open == "("
                            && (named || self.others == OtherNames::Any && !values.iter().all(is_bare))
                        {
                            return Ok(Syntax::Apply { name, args: args.values, span });
                        }
                        // In a function, no name is a tensor; and an index is a name.
                        let called = self.defining.is_some() || !values.iter().all(is_bare);
                        if open == "(" && called && is_alias(&name.text) {
                            return expand_alias(&name, args.values, span)
                                .map_err(|message| self.error(message, span));
                        }
                        Ok(Syntax::Tensor(self.access(name, args, span)?))
                    }
                    _ if is_value(&name.text) => Ok(Syntax::Number(name)),
                    _ => Ok(Syntax::Tensor(TensorRef::bare(name))),
                }
            }
            Token::Sign("(") => {
                let inner = self.expr()?;
                match self.eat(")") {
                    Some(_) => Ok(inner),
                    None => Err(self.unexpected_token("expected `)`")),
                }
            }
            Token::End => Err(self.error("the statement ends where an operand should follow", span)),
            Token::Sign(":") => Err(self.stray_colon(span)),
            Token::Sign(_) => Err(self.error("expected a tensor, a number or `(`", span)),
        }
    }
    fn is_defined(&self, name: &str) -> bool {
        let own = self.functions.iter().any(|f| f.name.text == name);
        own || (self.others == OtherNames::Defined
            && !openwork_algebra::function::list_operators(name).is_empty())
    }
    /// What stands between brackets.
    fn args(&mut self, open: &str) -> Result<BracketArgs> {
        let close = if open == "(" { ")" } else { "]" };
        let (mut values, mut windows, mut enclosed) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(end) = self.eat(close) {
            return Ok(BracketArgs { values, windows, enclosed, end });
        }
        loop {
            let from = self.at;
            let (value, window) = match self.windowed_variable()? {
                Some((variable, window)) => (Syntax::bare(&variable), window),
                None => (self.expr()?, Window::WHOLE),
            };
            enclosed.push(self.encloses(from));
            values.push(value);
            windows.push(window);
            if values.len() > MAX_TERMS {
                let span = self.peek().1;
                return Err(self.error(format!("a list of more than {MAX_TERMS} arguments"), span));
            }
            if let Some(end) = self.eat(close) {
                return Ok(BracketArgs { values, windows, enclosed, end });
            }
            let span = self.peek().1;
            if self.eat(":").is_some() {
                return Err(self.stray_colon(span));
            }
            if self.eat(",").is_none() {
                return Err(self.unexpected_token(&format!("expected `,` or `{close}`")));
            }
        }
    }
    /// Whether the parenthesis that stood at a mark closes just before here.
    fn encloses(&self, from: usize) -> bool {
        let mut depth = 0;
        let mut leaves = |(token, _): &(Token, Span)| {
            match token {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") => depth -= 1,
                _ => {}
            }
            depth == 0
        };
        let inside = &self.tokens[from..self.at];
        inside.iter().position(&mut leaves).is_some_and(|end| end > 0 && end + 1 == inside.len())
    }
    /// Whether a name stands between parentheses alone, as a value.
    fn is_enclosed(&self, name: &Name) -> bool {
        let sign = |n: usize, sign| self.tokens.get(n).is_some_and(|(t, _)| *t == Token::Sign(sign));
        let place = self.tokens.binary_search_by_key(&name.span.start, |(_, span)| span.start);
        place.is_ok_and(|n| n > 0 && sign(n - 1, "(") && sign(n + 1, ")"))
    }
    /// What is a value names nothing else.
    fn free(&self, name: &Name) -> Result<()> {
        match is_value(&name.text) {
            true => {
                Err(self.error(format!("`{}` is a value and names no tensor or index", name.text), name.span))
            }
            false => Ok(()),
        }
    }
    /// A tensor access: its indices are variables, or values that say where it is read.
    fn access(&self, name: Name, args: BracketArgs, span: Span) -> Result<TensorRef> {
        let BracketArgs { values: args, windows, enclosed, .. } = args;
        self.free(&name)?;
        if args.iter().any(has_fraction) || self.defining.is_some() && !args.iter().all(is_bare) {
            return Err(refuse_unknown_function(&name, &self.functions, self.source));
        }
        if args.len() > MAX_MODES {
            return Err(self.error(format!("a tensor of more than {MAX_MODES} modes"), span));
        }
        let mut t = TensorRef { windows, span, bare: false, ..TensorRef::bare(name) };
        for (mode, (arg, enclosed)) in args.into_iter().zip(enclosed).enumerate() {
            match arg {
                Syntax::Tensor(v) if v.bare && !enclosed => t.indices.push(v.name),
                Syntax::Number(n) if is_value(&n.text) => {
                    return Err(self.free(&n).expect_err("it is a value"));
                }
                position => {
                    t.indices.push(self.name(position.span()));
                    t.position_modes.push(mode);
                    let sum = IndexSum::from_syntax(&position, &|name| !self.is_enclosed(name));
                    if !enclosed && sum.is_some() {
                        t.sum_modes.push(mode);
                    }
                    t.positions.push(position);
                }
            }
        }
        Ok(t)
    }
}

/// Refuses a name before values that is no function's.
pub(crate) fn refuse_unknown_function(name: &Name, defined: &[Arc<Definition>], source: &Source) -> Error {
    let message = format!("there is no function `{}`", name.text);
    let d = Diagnostic::new(COMPUTED, message).point_at(source, name.span, "");
    let known = function_names().chain(alias::names()).map(String::from).chain(semiring::names());
    let known: Vec<String> = known.chain(defined.iter().map(|f| f.name.text.clone())).collect();
    let help = "functions have NumPy's names: sqrt, maximum, where…";
    Error::refusal(d.help(meant_or(&name.text, known.iter().map(String::as_str), help)))
}

/// The operator that a reduction's name stands for: `sum`, `prod`, `any`, `all`, or the operator's own name.
pub fn reduction(name: &str) -> Option<&'static Operator> {
    match name {
        "sum" => Operator::find("add"),
        "prod" => Operator::find("mul"),
        "any" => Operator::find("or"),
        "all" => Operator::find("and"),
        _ => Operator::of_language(name).filter(|op| op.associative && op.identity.is_some()),
    }
}

/// Whether a name before index variables and a value is that of a reduction.
pub fn is_reduction(name: &str) -> bool {
    reduction(name).is_some() || EXTREME_PLACES.contains(&name)
}

/// The name under which an operator reduces: the inverse of [`reduction`].
pub fn reduction_name(op: &Operator) -> &'static str {
    match op.language_name() {
        "add" => "sum",
        "mul" => "prod",
        "or" => "any",
        "and" => "all",
        name => name,
    }
}

pub(crate) fn is_function(name: &str) -> bool {
    let operator = Operator::of_language(name).is_some() || reduction(name).is_some();
    operator
        || dtype_name(name).is_some()
        || is_semiring(name)
        || name == STRUCTURE
        || name == PADDED
        || EXTREME_PLACES.contains(&name)
}

/// Whether a name is that of a value, and so of nothing else.
pub fn is_value(name: &str) -> bool {
    matches!(name, "true" | "false" | "inf" | "nan")
}

/// The dtype whose own name `name` is; `f64(x)` converts.
pub fn dtype_name(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|d| d.name() == name)
}

/// The names that are followed by values in parentheses.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    let others = ["sum", "prod", "any", "all", STRUCTURE, PADDED].into_iter().chain(EXTREME_PLACES);
    others.chain(Operator::language().map(|op| op.name))
}

/// Whether an argument may be an index: a name alone.
pub(super) fn is_bare(e: &Syntax) -> bool {
    matches!(e, Syntax::Tensor(t) if t.bare)
}

/// Whether an argument has a number that no index has: `max2(0.5, x)` calls a function.
fn has_fraction(e: &Syntax) -> bool {
    match e {
        Syntax::Tensor(_) | Syntax::Apply { .. } => false,
        Syntax::Number(n) => n.text.contains(['.', 'e', 'E']) && !is_value(&n.text),
        Syntax::Op { args, .. } => args.iter().any(has_fraction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<StatementSyntax> {
        parse(&Source::new("statement", text))
    }
    /// Fully parenthesised, to see how operators bind.
    fn shape(e: &Syntax) -> String {
        match e {
            Syntax::Tensor(t) => t.name.text.clone(),
            Syntax::Number(n) => n.text.clone(),
            Syntax::Op { op, args, .. } => format!("{}({})", op.name, list(args)),
            Syntax::Apply { name, args, .. } => format!("{}[{}]", name.text, list(args)),
        }
    }
    fn list(args: &[Syntax]) -> String {
        args.iter().map(shape).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn operators_bind_as_in_python() {
        for (text, want) in [
            ("y = a + b * c - d", "sub(add(a,mul(b,c)),d)"),
            ("y = -a * b", "mul(neg(a),b)"),
            ("y = a & b == c | d", "eq(and(a,b),or(c,d))"),
            ("y = a / b / c", "div(div(a,b),c)"),
            ("y(i) = min(j, A(i,j)) + max(a, 2)", "add(min[j,A],max[a,2])"),
            ("y = !(a < 1e-3)", "not(lt(a,1e-3))"),
            ("y = -a ** -b ** c", "neg(power[a,neg(power[b,c])])"),
            ("y = a + b << c & d", "and(left_shift(add(a,b),c),d)"),
            ("y = a // b % c * d", "mul(remainder(floor_divide(a,b),c),d)"),
        ] {
            assert_eq!(shape(&read(text).unwrap().rhs), want, "{text}");
        }
    }

    #[test]
    fn compound_assignments_and_scalars() {
        assert_eq!(read("y(i) min= A(i,j)").unwrap().op.unwrap().name, "min");
        assert_eq!(read("a += b(i)").unwrap().lhs.indices.len(), 0);
        assert_eq!(read("a() = b(i)").unwrap().lhs.indices.len(), 0);
        assert_eq!(read("a = b(i) * c").unwrap().operands(), ["b", "c"]);
    }

    #[test]
    fn mistakes_point_at_the_guilty_character() {
        for (text, code, column) in [
            ("y(i) = A(i,j) * ", "E0102", 17),
            ("y(i) = A(i,j", "E0102", 13),
            ("y(i) A(i)", "E0102", 6),
            ("y(i) = A(i) $", "E0101", 13),
            ("y(i) = A(i); z(i) = A(i)", "E0102", 12),
            ("= A(i)", "E0102", 1),
            ("y(i) = A(0:2)", "E0103", 11),
            ("y(i) = A(:)", "E0103", 10),
            ("y(i) = A(i(0:2:0))", "E0103", 16),
            ("y(i) = A(i(0:n))", "E0103", 14),
            ("y(i) = sqrt(i(0:2))", "E0103", 8),
            ("y(i) = f(0.5, A(i))", "E0103", 8),
            ("y(i) = A(i, 2.5)", "E0103", 8),
            ("y(i) -= A(i)", "E0102", 6),
            ("y = a b", "E0102", 7),
        ] {
            let e = read(text).unwrap_err();
            let d = e.diagnostic().unwrap();
            let (s, span) = d.at.as_ref().unwrap();
            assert_eq!((d.code.0, s.line_col(span.start as usize).1), (code, column), "{text}: {e}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        let text = format!("y = {}a{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(read(&text).unwrap_err().code().0, "E0102");
        assert_eq!(read(&format!("y = {}a", "-".repeat(100_000))).unwrap_err().code().0, "E0102");
    }
}
