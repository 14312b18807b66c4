//! Statements that are built of their parts, by programs.

use super::alias::{expand_alias, is_alias};
use super::finish::{definitions_text, finish_built, read_definitions};
use super::lex::is_number;
use super::parse::{MAX_TERMS, is_bare};
use super::{CLIP, IndexSum, Name, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use openwork_algebra::Operator;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use std::fmt::{self, Display};
use std::ops::{Add, BitAnd, BitOr, BitXor, Bound, Div, Mul, Neg, Not, RangeBounds, Rem, Shl, Shr, Sub};

/// A tree that is deeper is refused, so that no program can exhaust a stack of a megabyte.
const MOST_LEVELS: usize = 500;
/// A tree of more parts is refused: an expression that is used twice in the next one, and so on, doubles.
const MOST_PARTS: usize = 1 << 16;

/// The operators of compound assignments.
const UPDATES: [&str; 8] = ["add", "mul", "and", "or", "xor", "min", "max", "choose"];

/// An index variable, by its name; of a mode, it ranges over all coordinates or [a part](IndexName::part) of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexName<'n> {
    name: &'n str,
    window: Window,
}

/// A tensor, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorName<'n>(&'n str);

/// A value of a statement: an access, a number, or what operators, functions and reductions make of others.
#[derive(Clone, Debug)]
pub struct Expression {
    syntax: Syntax,
    levels: usize,
    /// How many numbers, accesses, operators and functions it has.
    parts: usize,
    /// Whether it has values of tensors: as a position, it is no sum of index variables.
    reads: bool,
    /// What is wrong with it, which a statement of it is refused for.
    fault: Option<String>,
}

/// The index variable of this name.
pub fn index(name: &str) -> IndexName<'_> {
    IndexName { name, window: Window::WHOLE }
}

/// The tensor of this name.
pub fn tensor(name: &str) -> TensorName<'_> {
    TensorName(name)
}

impl IndexName<'_> {
    /// The variable as it ranges over a part of a mode, as in a slice of Python's: bounds below zero count from its end.
    #[must_use]
    pub fn part(self, coordinates: impl RangeBounds<i64>) -> Self {
        let lo = match coordinates.start_bound() {
            Bound::Included(&lo) => lo,
            // Nothing begins behind the last coordinate.
            Bound::Excluded(-1) => i64::MAX,
            Bound::Excluded(&lo) => lo.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let hi = match coordinates.end_bound() {
            Bound::Included(-1) => None,
            Bound::Included(&hi) => Some(hi.saturating_add(1)),
            Bound::Excluded(&hi) => Some(hi),
            Bound::Unbounded => None,
        };
        IndexName { window: Window { lo, hi, ..self.window }, ..self }
    }
    /// The variable as it ranges over every coordinate so far from the one before.
    #[must_use]
    pub fn stride(self, step: i64) -> Self {
        IndexName { window: Window { step, ..self.window }, ..self }
    }
}

/// A name without a place, as nobody wrote it.
fn plain_name(text: &str) -> Name {
    Name { text: text.to_string(), span: Span::default() }
}

/// An index of a mode: a variable, or a value that says where the mode is read.
#[derive(Clone, Debug)]
pub enum ModeIndex<'n> {
    /// A variable.
    Variable(IndexName<'n>),
    /// An integer.
    Position(Expression),
}

impl<'n> From<IndexName<'n>> for ModeIndex<'n> {
    fn from(index: IndexName<'n>) -> ModeIndex<'n> {
        ModeIndex::Variable(index)
    }
}

impl From<Expression> for ModeIndex<'_> {
    fn from(position: Expression) -> Self {
        ModeIndex::Position(position)
    }
}

impl From<i64> for ModeIndex<'_> {
    fn from(position: i64) -> Self {
        ModeIndex::Position(position.into())
    }
}

impl<'n> TensorName<'n> {
    /// Its element at these index variables, or where values say.
    ///
    /// ```
    /// use openwork_index::notation::build::{ModeIndex, index, tensor};
    /// let (i, j) = (index("i"), index("j"));
    /// let row = ModeIndex::from(tensor("p").access([i]));
    /// let y = tensor("y").access([i, j]).assign(tensor("A").access([row, j.into()]))?;
    /// assert_eq!(y.to_string(), "y(i,j) = A(p(i),j)");
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn access<'i, I: Into<ModeIndex<'i>>>(self, indices: impl IntoIterator<Item = I>) -> Expression {
        let mut t = TensorRef { bare: false, ..TensorRef::bare(plain_name(self.0)) };
        let mut positions = Vec::new();
        for (mode, index) in indices.into_iter().enumerate() {
            let (name, window) = match index.into() {
                ModeIndex::Variable(i) => (i.name, i.window),
                ModeIndex::Position(value) => {
                    t.position_modes.push(mode);
                    if !value.reads && IndexSum::from_syntax(&value.syntax, &|_| true).is_some() {
                        t.sum_modes.push(mode);
                    }
                    positions.push(value);
                    ("", Window::WHOLE)
                }
            };
            t.indices.push(plain_name(name));
            t.windows.push(window);
        }
        if positions.is_empty() {
            return Expression::leaf(Syntax::Tensor(t));
        }
        Expression::combine(positions, |positions| Ok(Syntax::Tensor(TensorRef { positions, ..t })))
    }
    /// The value of a tensor without modes.
    pub fn scalar(self) -> Expression {
        Expression { reads: true, ..Expression::leaf(Syntax::bare(&plain_name(self.0))) }
    }
}

impl From<IndexName<'_>> for Expression {
    fn from(index: IndexName<'_>) -> Expression {
        Expression::leaf(Syntax::bare(&plain_name(index.name)))
    }
}

impl From<&Expression> for Expression {
    fn from(e: &Expression) -> Expression {
        e.clone()
    }
}

impl From<bool> for Expression {
    fn from(value: bool) -> Expression {
        Expression::number(&value.to_string())
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl From<$t> for Expression {
            fn from(value: $t) -> Expression {
                Expression::number(&format!("{value:?}"))
            }
        }
    )*};
}
numbers!(f64 f32 i64 i32 u64);

impl Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            None => self.syntax.fmt(f),
            // No text that has this is read.
            Some(fault) => write!(f, "<{fault}>"),
        }
    }
}

/// A number as the language writes it, perhaps with a sign: `2`, `-0.5`, `1e300`, `inf`, `nan`, `true`.
///
/// ```
/// use openwork_index::notation::build::{number, tensor};
/// let large = tensor("y").scalar().assign(number("18446744073709551615"))?;
/// assert_eq!(large.to_string(), "y = 18446744073709551615");
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn number(text: &str) -> Expression {
    match is_number(text.strip_prefix('-').unwrap_or(text)) {
        true => Expression::number(text),
        false => Expression { fault: Some(format!("`{text}` is no number")), ..Expression::from(false) },
    }
}

/// Calls a function of statements by its name, or one that is defined before the statement.
///
/// ```
/// use openwork_index::notation::build::{call, index, tensor};
/// let x = tensor("x").access([index("i")]);
/// let y = tensor("y").access([index("i")]).assign(call("hypot", [&x, &2.0.into()]));
/// assert_eq!(y?.to_string(), "y(i) = hypot(x(i), 2.0)");
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn call<E: Into<Expression>>(function: &str, args: impl IntoIterator<Item = E>) -> Expression {
    let args: Vec<Expression> = args.into_iter().map(Into::into).collect();
    let (name, span) = (plain_name(function), Span::default());
    if !is_alias(function) {
        return Expression::combine(args, |args| Ok(Syntax::Apply { name, args, span }));
    }
    if let (CLIP, [x, low, high]) = (function, &args[..])
        && args.iter().all(|a| is_bare(&a.syntax))
    {
        // Behind such a name, names alone would be indices. Without numbers, no bound is drawn into a dtype.
        return x.max(low).min(high);
    }
    let made = Expression::combine(args, |args| expand_alias(&name, args, span));
    // Some are two operators, one above the other, and some have numbers beside.
    Expression { levels: made.levels + 1, parts: made.parts.saturating_mul(2), ..made }
}

/// A reduction over index variables, by the name of an operator that reduces or of a defined function; over none of them, the value
/// itself. Products of a [semiring] have their factors apart.
pub fn reduce<'i>(
    name: &str,
    over: impl IntoIterator<Item = IndexName<'i>>,
    value: impl Into<Expression>,
) -> Expression {
    let mut args: Vec<Expression> = over.into_iter().map(Expression::from).collect();
    match args.is_empty() {
        true => value.into(),
        false => {
            args.push(value.into());
            call(name, args)
        }
    }
}

/// The sum of products of a semiring over index variables, by its name: `semiring("min_plus", [j], [a, x])`.
///
/// ```
/// use openwork_index::notation::build::{index, semiring, tensor};
/// let [i, j] = ["i", "j"].map(index);
/// let steps = [tensor("A").access([i, j]), tensor("x").access([j])];
/// let y = tensor("y").access([i]).assign(semiring("min_plus", [j], steps))?;
/// assert_eq!(y.to_string(), "y(i) = min_plus(j, A(i,j), x(j))");
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn semiring<'i>(
    name: &str,
    over: impl IntoIterator<Item = IndexName<'i>>,
    factors: impl IntoIterator<Item = Expression>,
) -> Expression {
    call(name, over.into_iter().map(Expression::from).chain(factors))
}

macro_rules! reductions {
    ($($name:ident $reduction:literal $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name<'i>(over: impl IntoIterator<Item = IndexName<'i>>, value: impl Into<Expression>) -> Expression {
            reduce($reduction, over, value)
        }
    )*};
}
reductions! {
    sum "sum" "The sum over index variables.";
    product "prod" "The product over index variables.";
    minimum "min" "The smallest value over index variables.";
    maximum "max" "The largest value over index variables.";
    first "choose" "The first value over index variables that is not 0, in ascending order.";
}

impl Expression {
    fn leaf(syntax: Syntax) -> Expression {
        Expression { syntax, levels: 1, parts: 1, reads: false, fault: None }
    }
    /// A number as the language writes it, perhaps with a sign.
    fn number(text: &str) -> Expression {
        let text = if text.contains("NaN") { "nan" } else { text };
        Expression { levels: 2, parts: 2, ..Expression::leaf(Syntax::number(text, Span::default())) }
    }
    /// What is made of other values.
    fn combine(
        args: Vec<Expression>,
        make: impl FnOnce(Vec<Syntax>) -> std::result::Result<Syntax, String>,
    ) -> Expression {
        let levels = 1 + args.iter().map(|a| a.levels).max().unwrap_or(0);
        let parts = args.iter().fold(1, |sum: usize, a| sum.saturating_add(a.parts));
        let reads = args.iter().any(|a| a.reads);
        let fault = args.iter().find_map(|a| a.fault.clone());
        let large = || match () {
            () if levels > MOST_LEVELS => {
                Some(format!("an expression nested deeper than {MOST_LEVELS} levels"))
            }
            () if parts > MOST_PARTS => Some(format!("an expression of more than {MOST_PARTS} parts")),
            () if args.len() > MAX_TERMS => Some(format!("a list of more than {MAX_TERMS} arguments")),
            () => None,
        };
        let made = match fault.or_else(large) {
            Some(fault) => Err(fault),
            None => make(args.into_iter().map(|a| a.syntax).collect()),
        };
        match made {
            Ok(syntax) => Expression { syntax, levels, parts, reads, fault: None },
            Err(fault) => Expression { fault: Some(fault), ..Expression::from(false) },
        }
    }
    /// An operator by the name that [`Operator::find`] knows it by.
    fn operator(name: &str, args: Vec<Expression>) -> Expression {
        Expression::combine(args, |args| Ok(Syntax::call(name, args, Span::default())))
    }
    /// The same value, which as a position is one that is computed, though it is a sum of index variables: no range follows
    /// from it, and it may lie outside where nothing is needed.
    #[must_use]
    pub fn as_value(self) -> Expression {
        Expression { reads: true, ..self }
    }
    /// `a` where it is true, else `b`.
    pub fn choose(&self, a: impl Into<Expression>, b: impl Into<Expression>) -> Expression {
        call("where", [self.clone(), a.into(), b.into()])
    }
    /// The smaller one.
    pub fn min(&self, other: impl Into<Expression>) -> Expression {
        self.extreme("min", other.into())
    }
    /// The larger one.
    pub fn max(&self, other: impl Into<Expression>) -> Expression {
        self.extreme("max", other.into())
    }
    /// The smaller or larger one. A variable in front of a value would be reduced over, so it stands behind.
    fn extreme(&self, name: &str, other: Expression) -> Expression {
        match is_bare(&self.syntax) && !is_bare(&other.syntax) {
            true => call(name, [other, self.clone()]),
            false => call(name, [self.clone(), other]),
        }
    }
    /// A power of it.
    pub fn pow(&self, other: impl Into<Expression>) -> Expression {
        call("power", [self.clone(), other.into()])
    }
    /// The quotient, rounded down to a whole number.
    pub fn floor_divide(&self, other: impl Into<Expression>) -> Expression {
        Expression::operator("floor_divide", vec![self.clone(), other.into()])
    }
    /// A function of it and perhaps of others, by its name: `x.call("hypot", [y])`.
    pub fn call<const N: usize>(&self, function: &str, others: [Expression; N]) -> Expression {
        call(function, std::iter::once(self.clone()).chain(others))
    }
    /// The statement that assigns a value to this access; index variables that it does not have are summed over.
    ///
    /// ```
    /// use openwork_index::notation::build::{index, tensor};
    /// let (i, j) = (index("i"), index("j"));
    /// let product = tensor("A").access([i, j]) * tensor("x").access([j]);
    /// let y = tensor("y").access([i]).assign(product)?;
    /// assert_eq!(y.to_string(), "y(i) = A(i,j) * x(j)");
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0102` where this is no access, and for what is no name; `E0103` for a window on the left, and for one that no text has.
    pub fn assign(self, value: impl Into<Expression>) -> Result<StatementSyntax> {
        self.build(None, value.into())
    }
    /// The statement that updates what this access holds, by an operator that reduces: `update("min", …)` writes `min=`, and
    /// `update("sum", …)` writes `+=`.
    ///
    /// # Errors
    /// As [`Expression::assign`], and `E0102` for an operator that updates nothing.
    pub fn update(self, reduction: &str, value: impl Into<Expression>) -> Result<StatementSyntax> {
        match super::parse::reduction(reduction).filter(|op| UPDATES.contains(&op.name)) {
            Some(op) => self.build(Some(op), value.into()),
            None => {
                let d = Diagnostic::new(Code("E0102"), format!("`{reduction}` updates no tensor"));
                Err(Error::rejection(
                    d.help("those that do are sum, prod, min, max, any, all, xor and choose"),
                ))
            }
        }
    }
    fn build(self, op: Option<&'static Operator>, value: Expression) -> Result<StatementSyntax> {
        if let Some(fault) = self.fault.or(value.fault) {
            return Err(refuse_built(fault));
        }
        let Syntax::Tensor(lhs) = self.syntax else {
            return Err(refuse_built(format!(
                "`{}` is no access, so nothing is assigned to it",
                self.syntax
            )));
        };
        let (source, functions) = (Source::new("statement", ""), [].into());
        finish_built(StatementSyntax { lhs, op, rhs: value.syntax, mask: None, functions, source })
    }
}

impl StatementSyntax {
    /// The statement for elements at which a mask holds: `y(i) = … where m(i)`.
    ///
    /// # Errors
    /// `E0205` for a mask that has other variables than the result, `E0102` for a second one, and those of the mask itself.
    pub fn with_mask(self, mask: impl Into<Expression>) -> Result<StatementSyntax> {
        let mask = mask.into();
        let second =
            self.mask.is_some().then(|| "the statement has a mask already; one may be `a & b`".to_string());
        match mask.fault.or(second) {
            Some(fault) => Err(refuse_built(fault)),
            None => finish_built(StatementSyntax { mask: Some(mask.syntax), ..self }),
        }
    }
}

impl StatementSyntax {
    /// The statement with functions that it may [call], as their definitions stand before a statement.
    ///
    /// ```
    /// use openwork_index::notation::build::{call, index, tensor};
    /// let i = index("i");
    /// let far = call("far", [tensor("a").access([i]), tensor("b").access([i])]);
    /// let y = tensor("y").access([i]).assign(far)?.with_functions("def far(x, y) = abs(x - y);")?;
    /// assert_eq!(y.to_string(), "def far(x, y) = abs(x - y); y(i) = far(a(i), b(i))");
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0101`, `E0102` and `E0215` for text that defines no function, or two of one name.
    pub fn with_functions(self, definitions: &str) -> Result<StatementSyntax> {
        // They stand where the text of the statement has them, behind those that are there.
        let new = definitions_text(&read_definitions(definitions)?);
        let functions = read_definitions(&(definitions_text(&self.functions) + &new))?;
        if let Some(f) = functions.iter().find(|f| is_alias(&f.name.text)) {
            let d = Diagnostic::new(Code("E0215"), format!("`{}` is a function already", f.name.text));
            return Err(Error::rejection(d.help("choose another name: a call that is built means that one")));
        }
        let functions = functions.into();
        finish_built(StatementSyntax { functions, ..self })
    }
}

fn refuse_built(message: String) -> Error {
    Error::rejection(Diagnostic::new(Code("E0102"), message).help(super::habits::STATEMENT))
}

macro_rules! functions {
    ($($name:ident)*) => {
        /// Functions of one value.
        impl Expression {
            $(#[doc = concat!("`", stringify!($name), "` of it.")]
            pub fn $name(&self) -> Expression {
                call(stringify!($name), [self])
            })*
        }
    };
}
functions!(abs sqrt exp log log1p expm1 sin cos tan arctan sinh cosh tanh floor ceil rint trunc sign real imag conj isnan);

macro_rules! comparisons {
    ($($name:ident $doc:literal)*) => {
        /// Comparisons.
        impl Expression {
            $(#[doc = $doc]
            pub fn $name(&self, other: impl Into<Expression>) -> Expression {
                Expression::operator(stringify!($name), vec![self.clone(), other.into()])
            })*
        }
    };
}
comparisons! {
    eq "Whether both are equal."
    ne "Whether they differ."
    lt "Whether it is less."
    le "Whether it is not greater."
    gt "Whether it is greater."
    ge "Whether it is not less."
}

macro_rules! operators {
    ($($trait:ident $method:ident $name:literal)*) => {$(
        impl<E: Into<Expression>> $trait<E> for Expression {
            type Output = Expression;
            fn $method(self, other: E) -> Expression {
                Expression::operator($name, vec![self, other.into()])
            }
        }
        impl<E: Into<Expression>> $trait<E> for &Expression {
            type Output = Expression;
            fn $method(self, other: E) -> Expression {
                Expression::operator($name, vec![self.clone(), other.into()])
            }
        }
        operators!(@number $trait $method $name f64 i64 i32);
    )*};
    (@number $trait:ident $method:ident $name:literal $($t:ty)*) => {$(
        impl $trait<Expression> for $t {
            type Output = Expression;
            fn $method(self, other: Expression) -> Expression {
                Expression::operator($name, vec![self.into(), other])
            }
        }
        impl $trait<&Expression> for $t {
            type Output = Expression;
            fn $method(self, other: &Expression) -> Expression {
                Expression::operator($name, vec![self.into(), other.clone()])
            }
        }
    )*};
}
operators!(Add add "add" Sub sub "sub" Mul mul "mul" Div div "div" Rem rem "remainder" BitAnd bitand "and" BitOr bitor "or"
    BitXor bitxor "xor" Shl shl "left_shift" Shr shr "right_shift");

macro_rules! signs {
    ($($trait:ident $method:ident $name:literal)*) => {$(
        impl $trait for Expression {
            type Output = Expression;
            fn $method(self) -> Expression {
                Expression::operator($name, vec![self])
            }
        }
        impl $trait for &Expression {
            type Output = Expression;
            fn $method(self) -> Expression {
                Expression::operator($name, vec![self.clone()])
            }
        }
    )*};
}
signs!(Neg neg "neg" Not not "not");
