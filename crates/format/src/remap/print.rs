//! Remappings as text.

use super::{Coord, CoordOp, Remap, Term};
use std::fmt::{self, Display, Formatter};

impl Display for Remap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let coords: Vec<String> = self.coords.iter().map(|c| self.coord(c)).collect();
        write!(f, "({}) -> ({})", self.names.join(","), coords.join(","))
    }
}

impl Remap {
    /// A stored coordinate as text.
    pub fn coord(&self, c: &Coord) -> String {
        let locals: Vec<&str> = c.lets.iter().map(|(name, _)| name.as_str()).collect();
        let mut out = String::new();
        for (n, (name, term)) in c.lets.iter().enumerate() {
            out.push_str(&format!("{name}={} in ", self.term(term, &locals[..n], 0)));
        }
        out + &self.term(&c.value, &locals, 0)
    }
    fn term(&self, t: &Term, locals: &[&str], around: u8) -> String {
        match t {
            Term::Const(c) => c.to_string(),
            Term::Mode(m) => self.names[*m].clone(),
            Term::Local(n) => locals[*n].to_string(),
            Term::Counter(modes) => {
                let names: Vec<&str> = modes.iter().map(|&m| self.names[m].as_str()).collect();
                format!("#{}", names.join(" "))
            }
            Term::Binary(op, a, b) => {
                let own = op.strength();
                // Every level of the grammar groups to the left, and a counter swallows the names after it.
                let left = self.term(a, locals, own);
                let right = self.term(b, locals, own + 1);
                let text = format!("{left}{}{right}", operator_text(*op));
                if own < around { format!("({text})") } else { text }
            }
        }
    }
}

fn operator_text(op: CoordOp) -> &'static str {
    op.symbol()
}
