//! Index notation printed from its syntax tree, with the parentheses that it needs.

use super::parse::Parser;
use super::{Name, StatementSyntax, Syntax, TensorRef};
use crate::window::access;
use std::fmt;

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

/// An operand of an operator that takes what binds at least as tightly as `least`.
struct OperandText<'a>(&'a Syntax, usize);

impl fmt::Display for OperandText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OperandText(e, least) = self;
        if level(e) < *least { write!(f, "({e})") } else { write!(f, "{e}") }
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = level(self);
        match self {
            Syntax::Tensor(t) => write!(f, "{t}"),
            Syntax::Number(n) => f.write_str(&n.text),
            Syntax::Op { op, args, .. } => match &args[..] {
                [a, b] => {
                    // Comparisons do not chain.
                    let left = if own == 0 { 1 } else { own };
                    let sign = op.symbol.unwrap_or(op.name);
                    write!(f, "{} {sign} {}", OperandText(a, left), OperandText(b, own + 1))
                }
                [a] => write!(f, "{}{}", if op.name == "neg" { "-" } else { "!" }, OperandText(a, UNARY)),
                args => call(f, op.name, args),
            },
            Syntax::Apply { name, args, .. } => call(f, &name.text, args),
        }
    }
}

fn call(f: &mut fmt::Formatter<'_>, name: &str, args: &[Syntax]) -> fmt::Result {
    let args: Vec<String> = args.iter().map(Syntax::to_string).collect();
    write!(f, "{name}({})", args.join(", "))
}

impl fmt::Display for TensorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indices = self.indices.iter().map(|Name { text, .. }| text.as_str());
        match self.bare {
            true => f.write_str(&self.name.text),
            false => f.write_str(&access(&self.name.text, indices, &self.windows)),
        }
    }
}

impl fmt::Display for StatementSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let op = self.op.map_or("", |op| op.symbol.unwrap_or(op.name));
        self.functions.iter().try_for_each(|d| write!(f, "{}; ", d.text))?;
        write!(f, "{} {op}= {}", self.lhs, self.rhs)?;
        self.mask.as_ref().map_or(Ok(()), |mask| write!(f, " where {mask}"))
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
        ] {
            let read = parse(&Source::new("statement", text)).unwrap();
            assert_eq!(read.to_string(), text);
        }
    }
}
