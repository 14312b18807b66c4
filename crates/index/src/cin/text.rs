//! CIN as text: print and parse.

use super::nodes::{AssemblyMode, CinStmt, Directives, LoopHint, Program, Storage};
use crate::assume::drop_vain_assumptions;
use crate::expr::{Access, Holds, IndexExpr, IndexId, IndexVar, TensorId, TensorKind, TensorVar};
use crate::notation::lex::Token;
use crate::notation::parse::{OtherNames, Parser, reduction_name};
use crate::notation::{STRUCTURE, Syntax, TensorRef};
use crate::window;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::{Arena, Code, Diagnostic, Error, Result, Source, Span};
use std::fmt;

/// How tightly a prefix operator binds: tighter than every binary one.
const PREFIX: usize = Parser::LEVELS.len();

/// Prints tensors, variables and expressions by name.
#[derive(Clone, Copy, Debug)]
pub struct CinNames<'a> {
    /// The tensors.
    pub tensors: &'a Arena<TensorId, TensorVar>,
    /// The index variables.
    pub indices: &'a Arena<IndexId, IndexVar>,
}

impl CinNames<'_> {
    /// `A(i,j)`; a scalar is its bare name.
    pub fn access(&self, a: &Access) -> String {
        let TensorVar { name, given, windows, holds, kind, .. } = &self.tensors[a.tensor];
        if *kind == TensorKind::Predicate {
            return format!("[{given}]");
        }
        let vars = a.vars.iter().map(|&v| self.indices[v].name.as_str());
        match (vars.len(), windows.is_empty()) {
            (0, _) => name.clone(),
            (_, true) => window::access(name, vars, &[]),
            (_, false) if *holds == Holds::Structure => {
                format!("{STRUCTURE}({})", window::access(given, vars, windows))
            }
            (_, false) => window::access(given, vars, windows),
        }
    }
    /// An access with a colon for the variable of its last level.
    fn above_last(&self, a: &Access) -> String {
        let t = &self.tensors[a.tensor];
        let last = t.format.modes.last().copied();
        let name = |m: usize| if Some(m) == last { ":" } else { self.indices[a.vars[m]].name.as_str() };
        let vars: Vec<&str> = (0..a.vars.len()).map(name).collect();
        format!("{}({})", t.name, vars.join(","))
    }
    /// An expression with as few parentheses as reading it back allows.
    pub fn expr(&self, e: &IndexExpr) -> String {
        self.operand_text(e, 0)
    }
    /// `e`, in parentheses if it binds looser than `at_least`.
    fn operand_text(&self, e: &IndexExpr, at_least: usize) -> String {
        let (text, binds) = match e {
            IndexExpr::Access(a) => (self.access(a), 9),
            IndexExpr::Index(v) => (self.indices[*v].name.clone(), 9),
            IndexExpr::Literal(s) => literal(*s),
            IndexExpr::Cast { to, arg } => (format!("{to}({})", self.expr(arg)), 9),
            IndexExpr::Reduce { op, vars, body } => {
                let vars: Vec<&str> = vars.iter().map(|&v| self.indices[v].name.as_str()).collect();
                (format!("{}({}, {})", reduction_name(op), vars.join(", "), self.expr(body)), 9)
            }
            IndexExpr::Map { of, to } => (format!("map({}, {})", self.access(of), self.expr(to)), 9),
            IndexExpr::Beside { value, at } => {
                (format!("beside({}, {})", self.expr(value), self.access(at)), 9)
            }
            IndexExpr::Predicate { holds, .. } => return self.operand_text(holds, at_least),
            IndexExpr::Stored { of, to } if of == to => (format!("stored({})", self.expr(of)), 9),
            IndexExpr::Stored { of, to } => (format!("stored({}, {})", self.expr(of), self.expr(to)), 9),
            IndexExpr::WithFill { op, folded, visited, vars, fill } => {
                let vars: Vec<&str> = vars.iter().map(|&v| self.indices[v].name.as_str()).collect();
                let (name, fill) = (reduction_name(op), self.expr(fill));
                let (folded, visited) = (self.expr(folded), self.expr(visited));
                (format!("with_fill({name}, {folded}, {visited}, {fill}, {})", vars.join(", ")), 9)
            }
            IndexExpr::Width(a) => (format!("width({})", self.above_last(a)), 9),
            IndexExpr::Call { op, args } => self.call(op, args),
        };
        if binds < at_least { format!("({text})") } else { text }
    }
    fn call(&self, op: &Operator, args: &[IndexExpr]) -> (String, usize) {
        let level = op.symbol.and_then(|s| Parser::LEVELS.iter().position(|l| l.contains(&s)));
        match (op.symbol, level, args) {
            (Some(sign), Some(level), [a, b]) => {
                // Comparisons do not chain, so both sides bind tighter; the others associate to the left.
                let left = if level == 0 { 1 } else { level };
                (format!("{} {sign} {}", self.operand_text(a, left), self.operand_text(b, level + 1)), level)
            }
            (_, _, [a]) if op.name == "neg" => (format!("-{}", self.operand_text(a, PREFIX + 1)), PREFIX),
            (_, _, [a]) if op.name == "not" => (format!("!{}", self.operand_text(a, PREFIX + 1)), PREFIX),
            _ => {
                let args: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
                (format!("{}({})", op.language_name(), args.join(", ")), 9)
            }
        }
    }
    /// A statement on one line.
    pub fn stmt(&self, s: &CinStmt) -> String {
        self.directed_text(s, &Directives::default())
    }
    /// A statement on one line, with what a schedule asked for.
    fn directed_text(&self, s: &CinStmt, d: &Directives) -> String {
        match s {
            CinStmt::Forall { index, body } => {
                let hints = d.loops.get(index).map_or(String::new(), |all| hints(all));
                format!("forall{hints} {} {}", self.indices[*index].name, self.directed_text(body, d))
            }
            CinStmt::Assign { lhs, op, rhs } => {
                let op = op.map_or("", |op| op.symbol.unwrap_or(op.language_name()));
                let gap = if op.starts_with(char::is_alphabetic) { " " } else { "" };
                format!("{}{gap} {op}= {}", self.access(lhs), self.expr(rhs)).replace("  ", " ")
            }
            CinStmt::Where { consumer, producer } => {
                let kept = producer.target().and_then(|a| d.storage.get(&a.tensor));
                let kept = kept.map_or(String::new(), |s| format!("[{}]", s.name()));
                format!(
                    "({}) where{kept} ({})",
                    self.directed_text(consumer, d),
                    self.directed_text(producer, d)
                )
            }
            CinStmt::Seq(all) => format!("{{{}}}", self.list(all, d)),
            CinStmt::Multi(all) => format!("multi {{{}}}", self.list(all, d)),
            CinStmt::Nop => "nop".into(),
        }
    }
    fn list(&self, all: &[CinStmt], d: &Directives) -> String {
        all.iter().map(|s| self.directed_text(s, d)).collect::<Vec<_>>().join("; ")
    }
}

/// `[unroll(4), vectorize]`.
fn hints(all: &[LoopHint]) -> String {
    let text = |h: &LoopHint| match h {
        LoopHint::Unroll(n) => format!("unroll({n})"),
        LoopHint::Vectorize => "vectorize".into(),
        LoopHint::Parallelize => "parallelize".into(),
        LoopHint::Gallop => "gallop".into(),
    };
    format!("[{}]", all.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// A constant that reads back with its dtype, and how tightly its text binds.
fn literal(s: Scalar) -> (String, usize) {
    let text = match s {
        // Without three hundred digits.
        Scalar::F32(x) if x.is_finite() && x.abs() >= 1e16 => format!("{x:e}"),
        Scalar::F64(x) if x.is_finite() && x.abs() >= 1e16 => format!("{x:e}"),
        s => s.to_string(),
    };
    match s.dtype() {
        DType::Bool => (text, 9),
        DType::I64 if !text.starts_with('-') => (text, 9),
        DType::F64 if text.starts_with(|c: char| c.is_ascii_digit()) => {
            (if text.contains(['.', 'e']) { text } else { format!("{text}.0") }, 9)
        }
        dtype => (format!("{dtype}({text})"), 9),
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = CinNames { tensors: &self.tensors, indices: &self.indices };
        if let Some(begins) = self.begins {
            write!(f, "[over {}] ", self.tensors[begins].name)?;
        }
        f.write_str(&names.directed_text(&self.body, &self.directives))
    }
}

/// Reads a CIN statement over given tensors and index variables.
///
/// # Errors
/// `E0102` for text that is no CIN, `E0201` for a name that is not declared.
pub fn parse(
    source: &Source,
    tensors: Arena<TensorId, TensorVar>,
    indices: Arena<IndexId, IndexVar>,
) -> Result<Program> {
    let names = CinNames { tensors: &tensors, indices: &indices };
    let mut p = Parser::new(source)?;
    p.others = OtherNames::Defined;
    let mut r = CinReader { p, source, names, directives: Directives::default() };
    let begins = r.beginning()?;
    let body = r.stmt()?;
    let directives = std::mem::take(&mut r.directives);
    match r.p.peek() {
        (Token::End, _) => {
            let assembly = AssemblyMode::default();
            let reads = body.assignments().into_iter().flat_map(|(_, _, e)| e.accesses()).cloned().collect();
            Ok(Program {
                tensors,
                indices,
                body,
                assembly,
                begins,
                directives,
                reads,
                source: source.clone(),
            })
        }
        (_, span) => Err(r.p.error("unexpected text after the statement", span)),
    }
}

struct CinReader<'a> {
    p: Parser<'a>,
    source: &'a Source,
    names: CinNames<'a>,
    directives: Directives,
}

impl CinReader<'_> {
    fn word(&self) -> &str {
        match self.p.peek() {
            (Token::Name, span) => &self.source.text[span.range()],
            _ => "",
        }
    }
    fn expect(&mut self, sign: &str) -> Result<()> {
        match self.p.eat(sign) {
            Some(_) => Ok(()),
            None => Err(self.p.error(format!("expected `{sign}`"), self.p.peek().1)),
        }
    }
    /// `[over y_old]`: the operand in whose memory the result is computed; or nothing.
    fn beginning(&mut self) -> Result<Option<TensorId>> {
        if self.p.eat("[").is_none() {
            return Ok(None);
        }
        let over = self.p.next().1;
        let at = self.p.next().1;
        let text = &self.source.text;
        let named = self.names.tensors.iter().find(|(_, t)| t.name == text[at.range()]).map(|(id, _)| id);
        if text[over.range()] != *"over" || named.is_none() {
            return Err(self.p.error("expected `over` and an operand", over));
        }
        self.expect("]")?;
        Ok(named)
    }
    fn stmt(&mut self) -> Result<CinStmt> {
        match self.word() {
            "forall" => {
                self.p.next();
                let hints = self.hints()?;
                let span = self.p.next().1;
                let index = self.index(span)?;
                if !hints.is_empty() {
                    self.directives.loops.insert(index, hints);
                }
                Ok(CinStmt::Forall { index, body: Box::new(self.stmt()?) })
            }
            "multi" => {
                self.p.next();
                Ok(CinStmt::Multi(self.list()?))
            }
            "nop" => {
                self.p.next();
                Ok(CinStmt::Nop)
            }
            "" if matches!(self.p.peek().0, Token::Sign("{")) => Ok(CinStmt::Seq(self.list()?)),
            "" => {
                self.expect("(")?;
                let consumer = Box::new(self.stmt()?);
                self.expect(")")?;
                if self.word() != "where" {
                    return Err(self.p.error("expected `where`", self.p.peek().1));
                }
                self.p.next();
                let kept = self.parse_storage()?;
                self.expect("(")?;
                let producer = Box::new(self.stmt()?);
                self.expect(")")?;
                if let (Some(kept), Some(a)) = (kept, producer.target()) {
                    self.directives.storage.insert(a.tensor, kept);
                }
                Ok(CinStmt::Where { consumer, producer })
            }
            _ => {
                let s = self.p.statement()?;
                let lhs = self.access(&s.lhs)?;
                let dtype = self.names.tensors[lhs.tensor].dtype;
                let op = s.op.map(|op| defined_for(op.language_name(), dtype).unwrap_or(op));
                Ok(CinStmt::Assign { lhs, op, rhs: self.expr(&s.rhs)? })
            }
        }
    }
    /// `[unroll(4), vectorize]`, or nothing.
    fn hints(&mut self) -> Result<Vec<LoopHint>> {
        let mut all = Vec::new();
        if self.p.eat("[").is_none() {
            return Ok(all);
        }
        loop {
            let at = self.p.next().1;
            all.push(match &self.source.text[at.range()] {
                "unroll" => {
                    self.expect("(")?;
                    let at = self.p.next().1;
                    let number = self.source.text[at.range()].parse().ok();
                    self.expect(")")?;
                    LoopHint::Unroll(number.ok_or_else(|| self.p.error("expected a number", at))?)
                }
                "vectorize" => LoopHint::Vectorize,
                "parallelize" => LoopHint::Parallelize,
                "gallop" => LoopHint::Gallop,
                _ => return Err(self.p.error("expected what is asked of the loop", at)),
            });
            if self.p.eat(",").is_none() {
                self.expect("]")?;
                return Ok(all);
            }
        }
    }
    /// `[hash]`, or nothing.
    fn parse_storage(&mut self) -> Result<Option<Storage>> {
        if self.p.eat("[").is_none() {
            return Ok(None);
        }
        let at = self.p.next().1;
        let kept = Storage::by_name(&self.source.text[at.range()]);
        self.expect("]")?;
        kept.map(Some).ok_or_else(|| self.p.error("expected `dense`, `bitmap` or `hash`", at))
    }
    fn list(&mut self) -> Result<Vec<CinStmt>> {
        self.expect("{")?;
        let mut all = vec![self.stmt()?];
        while self.p.eat(";").is_some() {
            all.push(self.stmt()?);
        }
        self.expect("}")?;
        Ok(all)
    }
    fn unknown_name(&self, span: Span) -> Error {
        let name = &self.source.text[span.range()];
        Error::rejection(Diagnostic::new(Code("E0201"), format!("`{name}` is not declared")).point_at(
            self.source,
            span,
            "",
        ))
    }
    fn index(&self, span: Span) -> Result<IndexId> {
        let name = &self.source.text[span.range()];
        let found = self.names.indices.iter().find(|(_, i)| i.name == name);
        found.map(|(id, _)| id).ok_or_else(|| self.unknown_name(span))
    }
    fn access(&self, t: &TensorRef) -> Result<Access> {
        self.access_to(t, Holds::Values)
    }
    fn access_to(&self, t: &TensorRef, holds: Holds) -> Result<Access> {
        let windowed = t.windows.iter().any(|w| !w.is_whole());
        let found = self.names.tensors.iter().find(|(_, x)| match windowed {
            true => x.given == t.name.text && x.windows == t.windows && x.holds == holds,
            false => x.name == t.name.text && !x.is_windowed(),
        });
        let (tensor, _) = found.ok_or_else(|| self.unknown_name(t.name.span))?;
        let vars = t.indices.iter().map(|n| self.index(n.span)).collect::<Result<_>>()?;
        Ok(Access { tensor, vars })
    }
    /// Reads an expression exactly as written: no promotion, no implicit sums.
    fn expr(&self, e: &Syntax) -> Result<IndexExpr> {
        Ok(match e {
            Syntax::Number(n) => {
                let dtype = match n.text.as_str() {
                    "true" | "false" => DType::Bool,
                    "inf" | "nan" => DType::F64,
                    t if t.contains(['.', 'e', 'E']) => DType::F64,
                    _ => DType::I64,
                };
                IndexExpr::Literal(Scalar::parse(&n.text, dtype).ok_or_else(|| self.unknown_name(n.span))?)
            }
            Syntax::Tensor(t) if t.bare && self.index(t.span).is_ok() => {
                IndexExpr::Index(self.index(t.span)?)
            }
            Syntax::Tensor(t) => IndexExpr::Access(self.access(t)?),
            Syntax::Op { op, args, .. } => self.call(op, args)?,
            Syntax::Apply { name, args, span } => {
                if let (STRUCTURE, [Syntax::Tensor(t)]) = (name.text.as_str(), &args[..]) {
                    return Ok(IndexExpr::Access(self.access_to(t, Holds::Structure)?));
                }
                match (name.text.parse::<DType>(), Operator::find(&name.text)) {
                    (Ok(to), _) if args.len() == 1 => self.cast(to, &args[0])?,
                    (_, Some(op)) if op.arity() == args.len() => self.call(op, args)?,
                    _ => self.call_definition(&name.text, args, *span)?,
                }
            }
        })
    }
    /// A call of a function that was defined in a statement, for the dtype of these arguments.
    fn call_definition(&self, name: &str, args: &[Syntax], span: Span) -> Result<IndexExpr> {
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>>>()?;
        let dtype = args.last().map(|a| a.dtype(self.names.tensors));
        match dtype.and_then(|dtype| defined_for(name, dtype)) {
            Some(op) if op.arity() == args.len() => Ok(IndexExpr::Call { op, args }),
            _ => Err(self.unknown_name(span)),
        }
    }
    fn call(&self, op: &'static Operator, args: &[Syntax]) -> Result<IndexExpr> {
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<_>>()?;
        // Text does not say what is relied on: that is as for a statement.
        Ok(drop_vain_assumptions(IndexExpr::Call { op, args }, self.names.tensors))
    }
    /// `f32(1.5)` is a literal, `f32(A(i))` a conversion.
    fn cast(&self, to: DType, arg: &Syntax) -> Result<IndexExpr> {
        let text = self.source.text[arg.span().range()].trim();
        if let Some(value) = Scalar::parse(text, to) {
            return Ok(IndexExpr::Literal(value));
        }
        Ok(IndexExpr::Cast { to, arg: Box::new(self.expr(arg)?) })
    }
}

/// The operator of a function that was defined in a statement, for arguments of a dtype.
fn defined_for(name: &str, dtype: DType) -> Option<&'static Operator> {
    let takes = |op: &&Operator| matches!(op.prim, Prim::Defined(f) if f.dtype == dtype);
    openwork_algebra::function::list_operators(name).into_iter().find(|op| takes(op))
}
