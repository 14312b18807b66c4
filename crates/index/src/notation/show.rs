//! Index notation printed from its syntax tree, with the parentheses that it needs; a tree that was built then knows where each
//! part of it stands in the text.

use super::finish::definitions_text;
use super::function::Definition;
use super::parse::{Parser, is_bare, is_function};
use super::{IndexSum, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use openwork_base::{Source, Span};
use std::fmt;
use std::sync::Arc;

/// Binds tighter than every binary operator.
const UNARY: usize = Parser::LEVELS.len();

/// How tightly the outermost operator of an expression binds.
fn level(e: &Syntax) -> usize {
    match e {
        Syntax::Op { op, args, .. } if args.len() == 2 => {
            let sign = op.symbol.unwrap_or("");
            Parser::LEVELS.iter().position(|signs| signs.contains(&sign)).unwrap_or(UNARY)
        }
        Syntax::Op { .. } => UNARY,
        Syntax::Tensor(_) | Syntax::Number(_) | Syntax::Apply { .. } => UNARY + 1,
    }
}

/// Writes a tree, and into it where each of its parts stands, as [`parse`](super::parse()) would find them.
#[derive(Default)]
struct Printer {
    text: String,
    functions: Arc<[Arc<Definition>]>,
}

impl Printer {
    /// Appends text, and says where it stands.
    fn push(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text);
        Span::new(start, self.text.len())
    }
    fn is_function(&self, name: &str) -> bool {
        is_function(name) || self.functions.iter().any(|f| f.name.text == name)
    }
    fn expr(&mut self, e: &mut Syntax) -> Span {
        let own = level(e);
        match e {
            Syntax::Tensor(t) => self.access(t),
            Syntax::Number(n) => {
                n.span = self.push(&n.text);
                n.span
            }
            Syntax::Op { op, args, span } => {
                *span = match &mut args[..] {
                    [a, b] => {
                        // Comparisons do not chain.
                        let left = self.operand(a, if own == 0 { 1 } else { own });
                        self.push(&format!(" {} ", op.symbol.unwrap_or(op.name)));
                        left.join(self.operand(b, own + 1))
                    }
                    [a] => {
                        let sign = if op.name == "neg" { "-" } else { op.symbol.unwrap_or(op.name) };
                        self.push(sign).join(self.operand(a, UNARY))
                    }
                    args => {
                        let name = self.push(op.name);
                        name.join(self.arguments(args))
                    }
                };
                *span
            }
            Syntax::Apply { name, args, span } => {
                name.span = self.push(&name.text);
                // A name that is no function's would be a tensor's before indices: the text of what is refused is that of nothing else.
                let apart = !self.is_function(&name.text) && args.iter().all(is_bare);
                self.push(if apart { "(" } else { "" });
                *span = name.span.join(self.arguments(args));
                self.push(if apart { ")" } else { "" });
                *span
            }
        }
    }
    /// An operand of an operator that takes what binds at least as tightly as `least`.
    fn operand(&mut self, e: &mut Syntax, least: usize) -> Span {
        if level(e) >= least {
            return self.expr(e);
        }
        self.push("(");
        let inside = self.expr(e);
        self.push(")");
        inside
    }
    fn arguments(&mut self, args: &mut [Syntax]) -> Span {
        let start = self.push("(");
        for (n, arg) in args.iter_mut().enumerate() {
            self.push(if n > 0 { ", " } else { "" });
            self.expr(arg);
        }
        start.join(self.push(")"))
    }
    fn access(&mut self, t: &mut TensorRef) -> Span {
        t.name.span = self.push(&t.name.text);
        t.span = t.name.span;
        if !t.bare {
            // In parentheses, a function would be called.
            let [open, close] = if self.is_function(&t.name.text) { ["[", "]"] } else { ["(", ")"] };
            self.push(open);
            for (n, index) in t.indices.iter_mut().enumerate() {
                self.push(if n > 0 { "," } else { "" });
                if let Some(at) = t.position_modes.iter().position(|&m| m == n) {
                    index.span = self.position(&mut t.positions[at], t.sum_modes.contains(&n));
                    index.text = self.text[index.span.range()].to_string();
                    continue;
                }
                index.span = self.push(&index.text);
                if let Some(window) = t.windows.get(n).filter(|w: &&Window| !w.is_whole()) {
                    self.push(&format!("({window})"));
                }
            }
            t.span = t.span.join(self.push(close));
        }
        t.span
    }
    /// A value that says where a mode is read: outside of parentheses, a name would be a variable, and so would all names of a
    /// sum.
    fn position(&mut self, e: &mut Syntax, is_sum: bool) -> Span {
        let apart = !is_sum && (is_bare(e) || IndexSum::from_syntax(e, &|_| true).is_some());
        self.push(if apart { "(" } else { "" });
        let span = self.expr(e);
        self.push(if apart { ")" } else { "" });
        span
    }
    fn statement(&mut self, s: &mut StatementSyntax) {
        self.functions = s.functions.clone();
        let op = s.op.map_or("", |op| op.symbol.unwrap_or(op.name));
        self.access(&mut s.lhs);
        self.push(&format!(" {op}= "));
        self.expr(&mut s.rhs);
        if let Some(mask) = &mut s.mask {
            self.push(" where ");
            self.expr(mask);
        }
    }
}

impl StatementSyntax {
    /// The statement with its text as [`source`](StatementSyntax::source), in which each part of it has its place; the text of its
    /// functions stands before it.
    pub(super) fn with_text(mut self) -> StatementSyntax {
        let mut printer = Printer { text: definitions_text(&self.functions), ..Printer::default() };
        printer.statement(&mut self);
        self.source = Source::new("statement", printer.text);
        self
    }
}

fn print<T: Clone>(
    f: &mut fmt::Formatter<'_>,
    tree: &T,
    write: impl FnOnce(&mut Printer, &mut T),
) -> fmt::Result {
    let mut printer = Printer::default();
    write(&mut printer, &mut tree.clone());
    f.write_str(&printer.text)
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(f, self, |printer, e| {
            printer.expr(e);
        })
    }
}

impl fmt::Display for TensorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(f, self, |printer, t| {
            printer.access(t);
        })
    }
}

impl fmt::Display for StatementSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&definitions_text(&self.functions))?;
        print(f, self, Printer::statement)
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::parse;
    use openwork_base::Source;

    #[test]
    fn what_is_read_is_written_with_the_parentheses_it_needs() {
        for text in [
            "y(i) = sum(j, A(i,j) * x(j)) + 2.5",
            "y = (a + b) * -c - (d - e) - f",
            "y = a / (b / c) / !(d & e | f ^ g)",
            "y = (a < b) == (c >= d)",
            "y(i) max= max(A(i), (b | c) & d)",
            "y() += abs(-(a - inf))",
            "B(i,j) = A(i(1:5:2),j(2:6:2)) + C(i(-3:),j(::2))",
            "y(i) = sum[i] * min where !m(i)",
            "def f(x) = x + 1; y(i) = f(f[i]) << 2",
            "y(i) = A((s),-1) + x(p(i) + 2 * q(r(i))) * B(i + 1,i,3)",
            "y(i) = x((i + 1)) + x(2 * i - d) * w(d)",
        ] {
            let read = parse(&Source::new("statement", text)).unwrap();
            assert_eq!(read.to_string(), text);
            // Every part of it stands where the parser found it.
            assert_eq!(read.clone().with_text(), read);
        }
    }
}
