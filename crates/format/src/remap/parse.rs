//! The parser of remapping notation, by the grammar of the formats thesis (figure 3-5).

use super::{Coord, CoordOp, Remap, Term};
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};

const BAD_TEXT: Code = Code("E0301");
const BAD_NAME: Code = Code("E0303");
const BAD_DIVISOR: Code = Code("E0308");
const BAD_COUNTER: Code = Code("E0309");

impl Remap {
    /// Reads `(i,j) -> (j-i, i, j)`.
    ///
    /// # Errors
    /// `E0301` for text outside the grammar, `E0303` for a name that is bound nowhere or twice, `E0308` for a division
    /// by anything but a positive constant, `E0309` for a counter over something that is no mode.
    pub fn parse(source: &Source) -> Result<Remap> {
        let mut at = 0;
        let remap = Remap::parse_at(source, &mut at)?;
        if source.text[at..].trim().is_empty() {
            return Ok(remap);
        }
        let here = Span::new(at, source.text.len());
        Err(Error::rejection(
            Diagnostic::new(BAD_TEXT, "unexpected text after the remapping").point_at(source, here, ""),
        ))
    }
    /// Reads a remapping that starts at byte `at`, and moves `at` past it.
    pub(crate) fn parse_at(source: &Source, at: &mut usize) -> Result<Remap> {
        let mut reader = RemapReader {
            source,
            at: *at,
            names: Vec::new(),
            locals: Vec::new(),
            sizes: Vec::new(),
            depth: 0,
            operations: 0,
        };
        let remap = reader.remap()?;
        *at = reader.at;
        Ok(remap)
    }
}

struct RemapReader<'a> {
    source: &'a Source,
    at: usize,
    names: Vec<String>,
    locals: Vec<String>,
    /// How large each local variable is once those before it are written out.
    sizes: Vec<usize>,
    /// Open parentheses.
    depth: usize,
    /// Operations read so far.
    operations: usize,
}

/// The most operations of a coordinate with its local variables written out, which it is in generated code; the Morton
/// codes of HiCOO have about a thousand.
const OPERATIONS: usize = 4_000;
/// The deepest nesting of parentheses.
const NESTING: usize = 200;

/// The operators of each level of the grammar, loosest first; `<<` before `<` would matter if there were a `<`.
const LEVELS: [&[CoordOp]; 6] = [
    &[CoordOp::Or],
    &[CoordOp::Xor],
    &[CoordOp::And],
    &[CoordOp::Shl, CoordOp::Shr],
    &[CoordOp::Add, CoordOp::Sub],
    &[CoordOp::Mul, CoordOp::Div, CoordOp::Rem],
];

impl RemapReader<'_> {
    fn remaining_text(&self) -> &str {
        &self.source.text[self.at..]
    }
    fn skip_space(&mut self) {
        self.at += self.remaining_text().len() - self.remaining_text().trim_start().len();
    }
    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.remaining_text().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }
    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            return Ok(());
        }
        let next = self.remaining_text().chars().next().map_or(0, char::len_utf8);
        Err(self.error(BAD_TEXT, format!("expected `{token}`"), Span::new(self.at, self.at + next)))
    }
    fn error(&self, code: Code, message: impl Into<String>, span: Span) -> Error {
        Error::rejection(Diagnostic::new(code, message).point_at(self.source, span, "").help(
            "coordinates are made of modes, constants, `+ - * / % << >> & ^ |`, counters `#i` and \
             `name = value in …`: `(i,j) -> (i/2, j/2, i%2, j%2, i, j)`",
        ))
    }
    fn word(&mut self) -> (String, Span) {
        self.skip_space();
        let rest = self.remaining_text();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest[..len].to_string();
        let span = Span::new(self.at, self.at + len);
        self.at += len;
        (word, span)
    }

    fn remap(&mut self) -> Result<Remap> {
        self.expect("(")?;
        while !self.eat(")") {
            let (name, span) = self.word();
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(self.error(BAD_TEXT, "expected the name of a mode", span));
            }
            if self.names.contains(&name) {
                return Err(self.error(BAD_NAME, format!("`{name}` names two modes"), span));
            }
            self.names.push(name);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        self.expect("->")?;
        self.expect("(")?;
        let mut coords = Vec::new();
        while !self.eat(")") {
            coords.push(self.coord()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(Remap { names: std::mem::take(&mut self.names), coords })
    }
    fn coord(&mut self) -> Result<Coord> {
        self.locals.clear();
        self.sizes.clear();
        let start = self.at;
        let mut lets = Vec::new();
        while let Some(name) = self.binding()? {
            let term = self.term(0)?;
            self.expect("in")?;
            self.sizes.push(self.size(&term, start)?);
            lets.push((name.clone(), term));
            self.locals.push(name);
        }
        let value = self.term(0)?;
        self.size(&value, start)?;
        Ok(Coord { lets, value })
    }
    /// How large a term is with its local variables written out.
    fn size(&self, t: &Term, start: usize) -> Result<usize> {
        fn go(t: &Term, sizes: &[usize]) -> usize {
            match t {
                Term::Const(_) | Term::Mode(_) | Term::Counter(_) => 1,
                Term::Local(n) => sizes[*n],
                Term::Binary(_, a, b) => go(a, sizes).saturating_add(go(b, sizes)).saturating_add(1),
            }
        }
        let size = go(t, &self.sizes);
        if size > OPERATIONS {
            let message = format!("a coordinate of more than {OPERATIONS} operations");
            return Err(self.error(BAD_TEXT, message, Span::new(start, self.at)));
        }
        Ok(size)
    }
    /// `name =`, if that comes next.
    fn binding(&mut self) -> Result<Option<String>> {
        let start = self.at;
        let (name, span) = self.word();
        if name.is_empty() || !self.eat("=") {
            self.at = start;
            return Ok(None);
        }
        if self.names.contains(&name) || self.locals.contains(&name) {
            return Err(self.error(BAD_NAME, format!("`{name}` is bound already"), span));
        }
        Ok(Some(name))
    }
    fn term(&mut self, level: usize) -> Result<Term> {
        let Some(ops) = LEVELS.get(level) else { return self.factor() };
        let mut left = self.term(level + 1)?;
        loop {
            self.skip_space();
            let minus = self.remaining_text().starts_with("->");
            let Some(&op) = ops.iter().find(|op| !minus && self.remaining_text().starts_with(op.symbol()))
            else {
                return Ok(left);
            };
            self.at += op.symbol().len();
            self.skip_space();
            let start = self.at;
            let right = self.term(level + 1)?;
            let positive = matches!(right, Term::Const(c) if c > 0);
            if matches!(op, CoordOp::Div | CoordOp::Rem) && !positive {
                let message = format!("`{}` needs a positive constant on its right", op.symbol());
                return Err(self.error(BAD_DIVISOR, message, Span::new(start, self.at)));
            }
            self.operations += 1;
            if self.operations > OPERATIONS {
                let message = format!("a remapping of more than {OPERATIONS} operations");
                return Err(self.error(BAD_TEXT, message, Span::new(start, self.at)));
            }
            left = Term::binary(op, left, right);
        }
    }
    fn factor(&mut self) -> Result<Term> {
        if self.eat("(") {
            self.depth += 1;
            if self.depth > NESTING {
                let here = Span::new(self.at - 1, self.at);
                return Err(self.error(BAD_TEXT, "too many parentheses inside one another", here));
            }
            let inner = self.term(0)?;
            self.expect(")")?;
            self.depth -= 1;
            return Ok(inner);
        }
        if self.eat("#") {
            return self.counter();
        }
        let negative = self.eat("-");
        let (word, span) = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = if negative { format!("-{word}") } else { word };
            return match digits.parse() {
                Ok(c) => Ok(Term::Const(c)),
                Err(_) => Err(self.error(BAD_TEXT, format!("`{digits}` is no number"), span)),
            };
        }
        if word.is_empty() || negative {
            let next = self.remaining_text().chars().next().map_or(0, char::len_utf8);
            let here = Span::new(self.at, self.at + next);
            return Err(self.error(BAD_TEXT, "expected a coordinate", here));
        }
        if let Some(n) = self.locals.iter().position(|l| *l == word) {
            return Ok(Term::Local(n));
        }
        match self.names.iter().position(|n| *n == word) {
            Some(m) => Ok(Term::Mode(m)),
            None => Err(self.error(BAD_NAME, format!("`{word}` is not on the left of `->`"), span)),
        }
    }
    /// The modes after a `#`; `in` ends them where it is a keyword.
    fn counter(&mut self) -> Result<Term> {
        let mut modes = Vec::new();
        loop {
            let start = self.at;
            let (word, span) = self.word();
            let keyword = word == "in" && !self.names.contains(&word);
            if word.is_empty() || keyword {
                self.at = start;
                return Ok(Term::Counter(modes));
            }
            match self.names.iter().position(|n| *n == word) {
                Some(m) if modes.contains(&m) => {
                    return Err(self.error(BAD_COUNTER, format!("`{word}` is counted over twice"), span));
                }
                Some(m) => modes.push(m),
                None => {
                    let message = format!("a counter counts over modes, and `{word}` is none");
                    return Err(self.error(BAD_COUNTER, message, span));
                }
            }
        }
    }
}
