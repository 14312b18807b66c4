//! The syntax tree of index notation: what was written, with where it was written.

use super::IndexSum;
use super::function::Definition;
use crate::window::Window;
use openwork_algebra::Operator;
use openwork_base::{Error, Result, Source, Span};
use std::str::FromStr;
use std::sync::Arc;

/// The name before an access that asks what is stored there instead of its value: `structure(A(i,j))`.
pub const STRUCTURE: &str = "structure";

/// The name of the function that draws values between bounds: `clip(A(i,j), 0, 1)`.
pub const CLIP: &str = "clip";

/// The name before an access that is the fill value, or another one, outside of its tensor: `padded(x(i+1))`.
pub const PADDED: &str = "padded";
/// The functions that say where a smallest and a largest value is.
pub const EXTREME_PLACES: [&str; 2] = ["argmin", "argmax"];

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// `A(i,j)`, `A[i,j]` or a bare `a`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorRef {
    /// The tensor (or, for a bare name, perhaps an index variable).
    pub name: Name,
    /// Its index variables; of a mode whose index is a [position](TensorRef::positions), the text of that.
    pub indices: Vec<Name>,
    /// The part of its mode that each of them ranges over.
    pub windows: Vec<Window>,
    /// The modes that are read where a value says, in order: `A((s),j)`, `x(p(i))`, `A(3,j)`.
    pub position_modes: Vec<usize>,
    /// The values that say where.
    pub positions: Vec<Syntax>,
    /// Those of these modes whose value is a [sum of index variables](IndexSum): `x(i+1)`, but not `x((i+1))`.
    pub sum_modes: Vec<usize>,
    /// The whole access.
    pub span: Span,
    /// Whether it was written without parentheses or brackets.
    pub bare: bool,
}

impl TensorRef {
    /// A name without indices.
    pub(crate) fn bare(name: Name) -> TensorRef {
        let span = name.span;
        TensorRef {
            name,
            indices: Vec::new(),
            windows: Vec::new(),
            position_modes: Vec::new(),
            positions: Vec::new(),
            sum_modes: Vec::new(),
            span,
            bare: true,
        }
    }
    /// The value that says where a mode is read, unless an index variable does.
    pub fn position(&self, mode: usize) -> Option<&Syntax> {
        self.position_modes.iter().position(|&m| m == mode).map(|n| &self.positions[n])
    }
    /// The sum of index variables that says where a mode is read, if one does.
    pub fn index_sum(&self, mode: usize) -> Option<IndexSum> {
        let position = self.position(mode).filter(|_| self.sum_modes.contains(&mode))?;
        IndexSum::from_syntax(position, &|_| true)
    }
    /// The part of a mode that is read: of a literal position one coordinate; below zero, it counts from the end.
    ///
    /// ```
    /// use openwork_index::notation::StatementSyntax;
    /// let read: StatementSyntax = "y(j) = A(-1,j)".parse()?;
    /// read.each_tensor(&mut |a| assert_eq!(a.window(0).to_string(), "-1:"));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn window(&self, mode: usize) -> Window {
        self.position(mode).and_then(constant_window).unwrap_or(self.windows[mode])
    }
    /// The parts of all modes that are read.
    pub fn mode_windows(&self) -> impl Iterator<Item = Window> {
        (0..self.indices.len()).map(|mode| self.window(mode))
    }
    /// The index variables that stand as indices of modes.
    pub fn variables(&self) -> impl Iterator<Item = &Name> {
        let plain = |(mode, _): &(usize, &Name)| !self.position_modes.contains(mode);
        self.indices.iter().enumerate().filter(plain).map(|(_, name)| name)
    }
}

/// The window of one coordinate that an integer says; below zero, it counts from the end.
pub(crate) fn constant_window(position: &Syntax) -> Option<Window> {
    let number = |n: &Name| n.text.parse::<i64>().ok();
    let lo = match position {
        Syntax::Number(n) => number(n)?,
        Syntax::Op { op, args, .. } if op.name == "neg" => match &args[..] {
            [Syntax::Number(n)] => number(n)?.checked_neg()?,
            _ => return None,
        },
        Syntax::Op { .. } | Syntax::Tensor(_) | Syntax::Apply { .. } => return None,
    };
    let hi = if lo == -1 { None } else { Some(lo.checked_add(1)?) };
    (lo.unsigned_abs() <= 1 << 60).then_some(Window { lo, hi, step: 1 })
}

/// An expression as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Syntax {
    /// A tensor access, or a bare name.
    Tensor(TensorRef),
    /// A number, `true` or `false`, as text.
    Number(Name),
    /// An operator written as a symbol.
    Op {
        /// Which one.
        op: &'static Operator,
        /// Its operands.
        args: Vec<Syntax>,
        /// The whole expression.
        span: Span,
    },
    /// A function or reduction written by name: `min(a, b)`, `sum(j, e)`.
    Apply {
        /// The name.
        name: Name,
        /// The arguments.
        args: Vec<Syntax>,
        /// The whole expression.
        span: Span,
    },
}

impl Syntax {
    /// The operator or function called `op` of arguments.
    pub(crate) fn call(op: &str, args: Vec<Syntax>, span: Span) -> Syntax {
        match Operator::find(op) {
            Some(op) if op.symbol.is_some() || op.name == "neg" => Syntax::Op { op, args, span },
            _ => Syntax::Apply { name: Name { text: op.into(), span }, args, span },
        }
    }
    /// A number, perhaps with a sign.
    pub(crate) fn number(text: &str, span: Span) -> Syntax {
        match text.strip_prefix('-') {
            Some(text) => Syntax::call("neg", vec![Syntax::number(text, span)], span),
            None => Syntax::Number(Name { text: text.into(), span }),
        }
    }
    /// A bare name.
    pub(crate) fn bare(name: &Name) -> Syntax {
        Syntax::Tensor(TensorRef::bare(name.clone()))
    }
    /// Where the expression stands.
    pub fn span(&self) -> Span {
        match self {
            Syntax::Tensor(t) => t.span,
            Syntax::Number(n) => n.span,
            Syntax::Op { span, .. } | Syntax::Apply { span, .. } => *span,
        }
    }
    /// Whether a tensor is reached by a sum with a variable where nothing is [`PADDED`].
    fn shifts(&self, tensor: &str, variable: &str) -> bool {
        match self {
            Syntax::Number(_) => false,
            Syntax::Apply { name, .. } if name.text == PADDED => false,
            Syntax::Op { args, .. } | Syntax::Apply { args, .. } => {
                args.iter().any(|a| a.shifts(tensor, variable))
            }
            Syntax::Tensor(t) => {
                let mut sums = t.sum_modes.iter().filter_map(|&mode| t.index_sum(mode));
                t.name.text == tensor && sums.any(|sum| sum.coefficient(variable) != 0)
                    || t.positions.iter().any(|p| p.shifts(tensor, variable))
            }
        }
    }
    /// Whether something is read that is [`PADDED`].
    pub(crate) fn pads(&self) -> bool {
        match self {
            Syntax::Tensor(t) => t.positions.iter().any(Syntax::pads),
            Syntax::Number(_) => false,
            Syntax::Op { args, .. } => args.iter().any(Syntax::pads),
            Syntax::Apply { name, args, .. } => name.text == PADDED || args.iter().any(Syntax::pads),
        }
    }
    /// Calls `f` on every tensor reference, left to right.
    pub fn each_tensor<'a>(&'a self, f: &mut dyn FnMut(&'a TensorRef)) {
        match self {
            Syntax::Tensor(t) => {
                f(t);
                t.positions.iter().for_each(|p| p.each_tensor(f));
            }
            Syntax::Number(_) => {}
            Syntax::Op { args, .. } | Syntax::Apply { args, .. } => {
                args.iter().for_each(|a| a.each_tensor(f));
            }
        }
    }
}

/// `lhs op= rhs`.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementSyntax {
    /// What is assigned.
    pub lhs: TensorRef,
    /// The operator of a compound assignment.
    pub op: Option<&'static Operator>,
    /// What it is assigned.
    pub rhs: Syntax,
    /// Where: `y(i) = A(i,j) * x(j) where !m(i)`. Elements elsewhere are what a reduction of nothing is, or 0; of a
    /// compound assignment, what they were.
    pub mask: Option<Syntax>,
    /// The functions that are defined before it.
    pub functions: Arc<[Arc<Definition>]>,
    /// The text, for diagnostics.
    pub source: Source,
}

/// ```
/// use openwork_index::notation::StatementSyntax;
/// let read: StatementSyntax = "y(i) = A(i,j) * x(j)".parse()?;
/// assert_eq!(read.operands(), ["A", "x"]);
/// # Ok::<(), openwork_base::Error>(())
/// ```
impl FromStr for StatementSyntax {
    type Err = Error;
    fn from_str(text: &str) -> Result<StatementSyntax> {
        super::parse(&Source::new("statement", text))
    }
}

impl StatementSyntax {
    /// Calls `f` on every tensor that is read, left to right.
    pub fn each_tensor<'a>(&'a self, f: &mut dyn FnMut(&'a TensorRef)) {
        self.lhs.positions.iter().for_each(|p| p.each_tensor(f));
        self.rhs.each_tensor(f);
        self.mask.iter().for_each(|mask| mask.each_tensor(f));
    }
    /// Whether a part of some tensor is read, as sums of index variables say or windows, or places in the result follow from its size.
    pub fn has_windows(&self) -> bool {
        let mut found = self.has_sums() || self.places_follow_sizes();
        self.each_tensor(&mut |t| found |= t.windows.iter().any(|w| !w.is_whole()));
        found
    }
    /// Whether sums of index variables say where something is read or written, or something is read outside.
    pub fn has_sums(&self) -> bool {
        let mut found = self.rhs.pads() || self.mask.as_ref().is_some_and(Syntax::pads);
        found |= !self.lhs.sum_modes.is_empty();
        self.each_tensor(&mut |t| found |= !t.sum_modes.is_empty());
        found
    }
    /// Names of the tensors that are read, without the bare names that are index variables, in order of appearance.
    pub fn operands(&self) -> Vec<&str> {
        let vars = self.index_names();
        let mut names: Vec<&str> = Vec::new();
        self.each_tensor(&mut |t| {
            let name = t.name.text.as_str();
            let is_variable = t.bare && vars.contains(&name);
            if !is_variable && !names.contains(&name) {
                names.push(name);
            }
        });
        names
    }
    /// Names of the tensors whose values it takes: those that are read, and the result where that is updated.
    ///
    /// ```
    /// use openwork_base::Source;
    /// use openwork_index::notation::parse;
    /// let read = |text: &str| parse(&Source::new("statement", text)).unwrap();
    /// assert_eq!(read("y(i) = A(i,j) * x(j)").read_tensors(), ["A", "x"]);
    /// assert_eq!(read("y(i) += A(i,j)").read_tensors(), ["A", "y"]);
    /// ```
    pub fn read_tensors(&self) -> Vec<&str> {
        let mut names = self.operands();
        let result = self.lhs.name.text.as_str();
        if self.keeps_old() && !names.contains(&result) {
            names.push(result);
        }
        names
    }
    /// Whether the result begins with what it holds: where it is updated, and where a part of it is assigned.
    pub fn keeps_old(&self) -> bool {
        self.op.is_some() || self.lhs.windows.iter().any(|w| !w.is_whole())
    }
    /// Whether places in the result follow from sizes: it is assigned at places, or a place or part counts from the end of a mode.
    pub fn places_follow_sizes(&self) -> bool {
        let from_the_end = |p: &Syntax| constant_window(p).is_some_and(|w| w.lo < 0);
        let windowed = self.lhs.windows.iter().any(|w| !w.is_whole());
        self.assigns_places() || windowed || self.lhs.positions.iter().any(from_the_end)
    }
    /// Whether modes of the result are assigned where values say.
    pub fn assigns_places(&self) -> bool {
        let all = &self.lhs.indices;
        let repeats = (0..all.len()).any(|n| all[..n].iter().any(|other| other.text == all[n].text));
        self.op.is_none() && (self.keeps_old() || repeats || !self.lhs.positions.is_empty())
    }
    /// Names of all index variables, in order of appearance.
    pub fn index_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for n in self.lhs.variables() {
            if !names.contains(&n.text.as_str()) {
                names.push(&n.text);
            }
        }
        self.each_tensor(&mut |t| {
            for n in t.variables() {
                if !names.contains(&n.text.as_str()) {
                    names.push(&n.text);
                }
            }
        });
        self.add_names_of_sums(&mut names);
        names
    }
    /// Whether a sum with a variable reaches a tensor: the variable alone is bounded by a mode of that, and may take fewer values.
    pub fn is_shifted(&self, tensor: &str, variable: &str) -> bool {
        let parts = std::iter::once(&self.rhs).chain(&self.mask).chain(&self.lhs.positions);
        parts.into_iter().any(|e| e.shifts(tensor, variable))
    }
    /// In sums of index variables, every name is one.
    fn add_names_of_sums<'a>(&'a self, names: &mut Vec<&'a str>) {
        let mut see = |t: &'a TensorRef| {
            for position in t.sum_modes.iter().filter_map(|&mode| t.position(mode)) {
                position.each_tensor(&mut |variable| {
                    if !names.contains(&variable.name.text.as_str()) {
                        names.push(&variable.name.text);
                    }
                });
            }
        };
        see(&self.lhs);
        self.each_tensor(&mut see);
    }
    /// The number of indices that the tensor called `name` is written with, the first time it appears.
    pub fn rank_of(&self, name: &str) -> Option<usize> {
        let mut rank = None;
        self.each_tensor(&mut |t| {
            if t.name.text == name && rank.is_none() {
                rank = Some(t.indices.len());
            }
        });
        if self.lhs.name.text == name { Some(self.lhs.indices.len()) } else { rank }
    }
}
