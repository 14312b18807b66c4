//! Coordinate remapping notation (formats thesis, §3.2): how the coordinates of an element become the coordinates under
//! which its format stores it.
//!
//! ```text
//! (i,j) -> (j-i, i, j)                           DIA: elements of one diagonal together
//! (i,j) -> (i/2, j/3, i%2, j%3, i, j)            BCSR: elements of one 2 x 3 block together
//! (i,j) -> (k=#i in k, i, j)                     ELL: at most one element of each row together
//! ```
//! A remapping is data: [`Remap::parse`] reads it, `Display` prints it, [`Remap::bounds`] says how far each stored
//! coordinate ranges, [`Evaluator`] applies it, and [`Remap::recover`] turns it around.

mod bounds;
mod columns;
mod eval;
mod inverse;
mod parse;
mod print;

pub use bounds::CoordBounds;
pub use eval::Evaluator;
pub use inverse::{Band, Linear};

/// A binary operation on coordinates. Arithmetic wraps; `/` and `%` round towards minus infinity, and their right side
/// is a positive constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CoordOp {
    Or,
    Xor,
    And,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// An expression over the coordinates of an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Const(i64),
    /// A coordinate of the element: the mode's number.
    Mode(usize),
    /// A variable of the coordinate's `let`s, by its place among them.
    Local(usize),
    /// `#i j`: how many elements with the same coordinates in these modes came before.
    Counter(Vec<usize>),
    /// An operation.
    Binary(CoordOp, Box<Term>, Box<Term>),
}

/// One stored coordinate: `r=i/2 in s=j/2 in (r&1)|((s&1)<<1)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coord {
    /// Local variables, each defined over those before it.
    pub lets: Vec<(String, Term)>,
    /// The coordinate.
    pub value: Term,
}

/// A coordinate remapping.
///
/// ```
/// use openwork_base::Source;
/// use openwork_format::Remap;
/// let dia = Remap::parse(&Source::new("remap", "(i,j) -> (j-i, i, j)")).unwrap();
/// assert_eq!(dia.to_string(), "(i,j) -> (j-i,i,j)");
/// assert_eq!(dia.bounds(0, &[4, 6]).range(), -3..6);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remap {
    /// Names of the modes, for text.
    pub names: Vec<String>,
    /// The stored coordinates, outermost first.
    pub coords: Vec<Coord>,
}

impl Coord {
    /// A coordinate that is a mode of the element.
    pub fn mode(mode: usize) -> Coord {
        Coord { lets: Vec::new(), value: Term::Mode(mode) }
    }
    /// The mode that the coordinate simply repeats.
    pub fn plain(&self) -> Option<usize> {
        match self.inline_locals() {
            Term::Mode(m) => Some(m),
            _ => None,
        }
    }
    /// The value with every local variable replaced by its definition.
    pub fn inline_locals(&self) -> Term {
        let mut known: Vec<Term> = Vec::new();
        for (_, term) in &self.lets {
            let term = term.substitute(&known);
            known.push(term);
        }
        self.value.substitute(&known)
    }
    /// Every counter in the coordinate.
    pub fn counters(&self) -> Vec<Vec<usize>> {
        let mut out = Vec::new();
        self.lets.iter().map(|(_, t)| t).chain([&self.value]).for_each(|t| t.counters(&mut out));
        out
    }
}

impl Term {
    /// An operation on two terms.
    pub fn binary(op: CoordOp, a: Term, b: Term) -> Term {
        Term::Binary(op, Box::new(a), Box::new(b))
    }
    fn substitute(&self, locals: &[Term]) -> Term {
        match self {
            Term::Local(n) => locals[*n].clone(),
            Term::Binary(op, a, b) => Term::binary(*op, a.substitute(locals), b.substitute(locals)),
            Term::Const(_) | Term::Mode(_) | Term::Counter(_) => self.clone(),
        }
    }
    fn counters(&self, out: &mut Vec<Vec<usize>>) {
        match self {
            Term::Counter(modes) if !out.contains(modes) => out.push(modes.clone()),
            Term::Binary(_, a, b) => {
                a.counters(out);
                b.counters(out);
            }
            Term::Counter(_) | Term::Const(_) | Term::Mode(_) | Term::Local(_) => {}
        }
    }
    /// The modes that the term depends on, counters included.
    pub fn modes(&self) -> Vec<usize> {
        fn go(t: &Term, out: &mut Vec<usize>) {
            match t {
                Term::Mode(m) if !out.contains(m) => out.push(*m),
                Term::Counter(modes) => modes.iter().for_each(|m| go(&Term::Mode(*m), out)),
                Term::Binary(_, a, b) => {
                    go(a, out);
                    go(b, out);
                }
                Term::Mode(_) | Term::Const(_) | Term::Local(_) => {}
            }
        }
        let mut out = Vec::new();
        go(self, &mut out);
        out
    }
    /// Whether a counter occurs.
    pub fn counts(&self) -> bool {
        match self {
            Term::Counter(_) => true,
            Term::Binary(_, a, b) => a.counts() || b.counts(),
            Term::Const(_) | Term::Mode(_) | Term::Local(_) => false,
        }
    }
}

impl CoordOp {
    /// The operation on two numbers.
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            CoordOp::Or => a | b,
            CoordOp::Xor => a ^ b,
            CoordOp::And => a & b,
            CoordOp::Shl => a.wrapping_shl(b as u32),
            CoordOp::Shr => a.wrapping_shr(b as u32),
            CoordOp::Add => a.wrapping_add(b),
            CoordOp::Sub => a.wrapping_sub(b),
            CoordOp::Mul => a.wrapping_mul(b),
            CoordOp::Div => a.wrapping_div_euclid(if b == 0 { 1 } else { b }),
            CoordOp::Rem => a.wrapping_rem_euclid(if b == 0 { 1 } else { b }),
        }
    }
    /// The symbol by which the operator is written.
    pub fn symbol(self) -> &'static str {
        match self {
            CoordOp::Or => "|",
            CoordOp::Xor => "^",
            CoordOp::And => "&",
            CoordOp::Shl => "<<",
            CoordOp::Shr => ">>",
            CoordOp::Add => "+",
            CoordOp::Sub => "-",
            CoordOp::Mul => "*",
            CoordOp::Div => "/",
            CoordOp::Rem => "%",
        }
    }
    /// How tightly it binds; larger is tighter (the grammar of the thesis, figure 3-5).
    pub(crate) fn strength(self) -> u8 {
        match self {
            CoordOp::Or => 1,
            CoordOp::Xor => 2,
            CoordOp::And => 3,
            CoordOp::Shl | CoordOp::Shr => 4,
            CoordOp::Add | CoordOp::Sub => 5,
            CoordOp::Mul | CoordOp::Div | CoordOp::Rem => 6,
        }
    }
}

impl Remap {
    /// The number of modes of the tensor.
    pub fn rank(&self) -> usize {
        self.names.len()
    }
    /// The number of stored coordinates.
    pub fn depth(&self) -> usize {
        self.coords.len()
    }
    /// Whether some coordinate counts elements.
    pub fn counts(&self) -> bool {
        self.coords.iter().any(|c| !c.counters().is_empty())
    }
    /// Whether the remapping only reorders modes.
    pub fn permutation(&self) -> Option<Vec<usize>> {
        let modes: Vec<usize> = self.coords.iter().map(Coord::plain).collect::<Option<_>>()?;
        let mut sorted = modes.clone();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..self.rank()).then_some(modes)
    }
}
