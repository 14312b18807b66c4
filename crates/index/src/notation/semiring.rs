//! Semirings by name: `min_plus(j, A(i,j), x(j))` is a product of `A` and `x` with `+` for products and `min` for sums.
//!
//! A name is that of a sum and that of a product. An operand has a value that means that there is nothing: what the sum
//! leaves as it is (0, `inf` of `min`, `false` of `lor`), or 0 where that says nothing of the operands (`times`, `any`,
//! comparisons). An element of that value is none, a product with nothing is nothing, and a sum of nothing is what the sum
//! leaves as it is. Where the product itself says so, as `inf + x` is `inf`, it is written as it is; else a test tells values
//! that mean nothing apart:
//!
//! ```text
//! min_plus(j, A(i,j), x(j))        min(j, A(i,j) + x(j))
//! plus_pair(j, A(i,j), B(j,k))     sum(j, where((A(i,j) != 0) & (B(j,k) != 0), 1, 0))
//! min_first(j, A(i,j), x(j))       min(j, where((A(i,j) != inf) & (x(j) != inf), A(i,j), inf))
//! times_plus(j, A(i,j), x(j))      prod(j, where((A(i,j) != 0) & (x(j) != 0), A(i,j) + x(j), 1))
//! any_pair(j, A(i,j), B(j,k))      where(any(j, (A(i,j) != 0) & (B(j,k) != 0)), 1, 0)
//! ```
//! `any` may be any of the products: `any_pair` ends with the first one, others are the largest, and of comparisons one that
//! holds. Where every value is one that a sum or a product takes, none says that there is nothing, and what operands store
//! decides; products of coordinates are those of the elements that meet.
//!
//! ```text
//! land_first(j, A(i,j), x(j))      all(j, where(structure(A(i,j)) & structure(x(j)), A(i,j), true))
//! band_bor(j, A(i,j), x(j))        !any(j, where(structure(A(i,j)) & structure(x(j)), !(A(i,j) | x(j)), 0))
//! min_secondi(j, A(i,j), x(j))     min(j, where((A(i,j) != inf) & (x(j) != inf), j, inf))
//! ```
//! A product is one in NumPy's common dtype of its factors, comparisons are truth values, and numbers and coordinates of
//! elements are `i64`; a sum is one in the dtype of the products, whatever these are. The value that means nothing to `min`
//! and `max` of integers is the end of their dtype, which no product keeps by itself (`inf + x` is `inf`, but 127 + 1 is no
//! `i8`). The checker writes products out, once dtypes are known (`check/semiring.rs`).

use super::{Name, Syntax};
use openwork_algebra::{DType, Scalar};
use openwork_base::Span;

/// What a sum adds up, or a product multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Numbers,
    Truth,
    Bits,
}

/// A sum.
pub(crate) struct SemiringSum {
    /// Its name in semirings.
    pub(crate) name: &'static str,
    pub(crate) of: Of,
    /// The reduction.
    pub(crate) reduction: &'static str,
    /// What it leaves as it is; of bits that are all set, their complement.
    zero: &'static str,
    pub(crate) over: SumRange,
}

/// What the reduction of a sum is over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumRange {
    Values,
    /// The sum is the complement of a reduction over complements.
    Complements,
}

const fn sum(name: &'static str, of: Of, reduction: &'static str, zero: &'static str) -> SemiringSum {
    SemiringSum { name, of, reduction, zero, over: SumRange::Values }
}
const fn complement(name: &'static str, of: Of, reduction: &'static str, zero: &'static str) -> SemiringSum {
    SemiringSum { over: SumRange::Complements, ..sum(name, of, reduction, zero) }
}

static SUMS: [SemiringSum; 14] = [
    sum("plus", Of::Numbers, "sum", "0"),
    sum("times", Of::Numbers, "prod", "1"),
    sum("min", Of::Numbers, "min", "inf"),
    sum("max", Of::Numbers, "max", "-inf"),
    sum("any", Of::Numbers, "max", "-inf"),
    sum("lor", Of::Truth, "any", "false"),
    sum("land", Of::Truth, "all", "true"),
    sum("lxor", Of::Truth, "xor", "false"),
    // Whether an even number is false.
    complement("lxnor", Of::Truth, "xor", "true"),
    complement("eq", Of::Truth, "xor", "true"),
    sum("bor", Of::Bits, "any", "0"),
    sum("bxor", Of::Bits, "xor", "0"),
    complement("band", Of::Bits, "any", "0"),
    complement("bxnor", Of::Bits, "xor", "0"),
];

/// Products by their names in semirings.
const PRODUCTS: [(&str, SemiringProduct); 46] = [
    ("times", SemiringProduct::Of(Of::Numbers, "mul")),
    ("plus", SemiringProduct::Of(Of::Numbers, "add")),
    ("minus", SemiringProduct::Of(Of::Numbers, "sub")),
    ("rminus", SemiringProduct::Swapped("sub")),
    ("div", SemiringProduct::Of(Of::Numbers, "div")),
    ("rdiv", SemiringProduct::Swapped("div")),
    ("min", SemiringProduct::Of(Of::Numbers, "min")),
    ("max", SemiringProduct::Of(Of::Numbers, "max")),
    ("iseq", SemiringProduct::Is("eq")),
    ("isne", SemiringProduct::Is("ne")),
    ("isgt", SemiringProduct::Is("gt")),
    ("islt", SemiringProduct::Is("lt")),
    ("isge", SemiringProduct::Is("ge")),
    ("isle", SemiringProduct::Is("le")),
    ("eq", SemiringProduct::Compared("eq")),
    ("ne", SemiringProduct::Compared("ne")),
    ("gt", SemiringProduct::Compared("gt")),
    ("lt", SemiringProduct::Compared("lt")),
    ("ge", SemiringProduct::Compared("ge")),
    ("le", SemiringProduct::Compared("le")),
    ("land", SemiringProduct::Of(Of::Truth, "and")),
    ("lor", SemiringProduct::Of(Of::Truth, "or")),
    ("lxor", SemiringProduct::Of(Of::Truth, "xor")),
    ("band", SemiringProduct::Of(Of::Bits, "and")),
    ("bor", SemiringProduct::Of(Of::Bits, "or")),
    ("bxor", SemiringProduct::Of(Of::Bits, "xor")),
    ("bxnor", SemiringProduct::ComplementOfBits("xor")),
    ("pow", SemiringProduct::Of(Of::Numbers, "power")),
    ("hypot", SemiringProduct::Of(Of::Numbers, "hypot")),
    ("atan2", SemiringProduct::Of(Of::Numbers, "arctan2")),
    ("fmod", SemiringProduct::Of(Of::Numbers, "fmod")),
    ("remainder", SemiringProduct::Of(Of::Numbers, "remainder")),
    ("copysign", SemiringProduct::Of(Of::Numbers, "copysign")),
    ("ldexp", SemiringProduct::Of(Of::Numbers, "ldexp")),
    ("first", SemiringProduct::First),
    ("second", SemiringProduct::Second),
    ("pair", SemiringProduct::One),
    ("oneb", SemiringProduct::One),
    ("firsti", SemiringProduct::At(Factor::First, 0, "0")),
    ("firsti1", SemiringProduct::At(Factor::First, 0, "1")),
    ("firstj", SemiringProduct::At(Factor::First, 1, "0")),
    ("firstj1", SemiringProduct::At(Factor::First, 1, "1")),
    ("secondi", SemiringProduct::At(Factor::Last, 0, "0")),
    ("secondi1", SemiringProduct::At(Factor::Last, 0, "1")),
    ("secondj", SemiringProduct::At(Factor::Last, 1, "0")),
    ("secondj1", SemiringProduct::At(Factor::Last, 1, "1")),
];

/// Whose coordinates a product is.
#[derive(Clone, Copy)]
pub(crate) enum Factor {
    First,
    Last,
}

/// How values are multiplied.
#[derive(Clone, Copy)]
pub(crate) enum SemiringProduct {
    /// By an operator.
    Of(Of, &'static str),
    /// By an operator of numbers, the later value first.
    Swapped(&'static str),
    /// 1 where a comparison of two numbers holds, else 0.
    Is(&'static str),
    /// Whether a comparison of two numbers holds.
    Compared(&'static str),
    /// 1 where an operator of truth values holds of numbers that are not 0, else 0.
    Truths(&'static str),
    /// The complement of an operator of bits.
    ComplementOfBits(&'static str),
    /// The coordinate in a mode, counted from a number; of a vector, which is a column, the second one is the first that there is.
    At(Factor, usize, &'static str),
    First,
    Second,
    One,
}

/// A sum and a product that go together.
#[derive(Clone, Copy)]
pub(crate) struct Semiring {
    pub(crate) sum: &'static SemiringSum,
    pub(crate) product: SemiringProduct,
}

impl Semiring {
    /// What is nothing in an operand of a dtype; none where that has no such value.
    pub(crate) fn absent(self, dtype: DType) -> Option<Scalar> {
        parse_value(self.absent_text(), dtype)
    }
    /// What a sum of nothing is, in the dtype of the products.
    pub(crate) fn zero(self, dtype: DType) -> Option<Scalar> {
        parse_value(self.sum.zero, dtype)
    }
    /// Whether an operand and a sum have the same value for nothing.
    pub(crate) fn has_one_nothing(self) -> bool {
        self.absent_text() == self.sum.zero
    }
    /// Whether nothing times anything is nothing by itself, as infinities and zeros have it.
    fn absent_text(self) -> &'static str {
        match (self.product, self.sum.name) {
            (SemiringProduct::Compared(_), _) | (_, "times" | "any") => "0",
            _ if self.follows_structure() => "0",
            _ => self.sum.zero,
        }
    }
    /// Whether factors are truth values, whatever numbers they are: those of logical sums, but for comparisons of numbers.
    pub(crate) fn sums_truths(self) -> bool {
        self.sum.of == Of::Truth && !matches!(self.product, SemiringProduct::Compared(_))
    }
    pub(crate) fn is_any_pair(self) -> bool {
        self.sum.name == "any" && matches!(self.product, SemiringProduct::One)
    }
    /// Whether no value says that there is nothing. What is nothing in products of `land` is `true`, which is a value as any
    /// other: only where it decides it may be, or where numbers are compared.
    pub(crate) fn follows_structure(self) -> bool {
        match (self.sum.name, self.product) {
            ("land" | "lxnor" | "eq", product) => {
                !matches!(product, SemiringProduct::Of(_, "or") | SemiringProduct::Compared(_))
            }
            (name, _) => matches!(name, "band" | "bxnor"),
        }
    }
    /// Whether a product of these has two factors.
    fn compares(self) -> bool {
        matches!(self.product, SemiringProduct::Compared(_) | SemiringProduct::Is(_))
    }
}

/// A value by its name in a dtype: integers have their ends for infinities.
fn parse_value(text: &str, dtype: DType) -> Option<Scalar> {
    match text {
        "inf" => Scalar::highest(dtype),
        "-inf" => Scalar::lowest(dtype),
        "1" | "true" => Some(Scalar::one(dtype)),
        _ => Some(Scalar::zero(dtype)),
    }
}

/// Sums and products in which nothing times anything is nothing by itself.
const ANNIHILATING: [&str; 12] = [
    "plus_times",
    "min_plus",
    "max_plus",
    "min_max",
    "max_min",
    "lor_land",
    "lxor_land",
    "land_lor",
    "lxnor_lor",
    "eq_lor",
    "bor_band",
    "bxor_band",
];

/// Whether nothing times anything is nothing by itself in a semiring, where nothing is an infinity, zero or a truth value.
pub(crate) fn annihilates(name: &str) -> bool {
    ANNIHILATING.contains(&name)
}

/// Whether a name is that of a semiring.
pub fn is_semiring(name: &str) -> bool {
    parts(name).is_some()
}

/// What is nothing in operands of a dtype of a semiring; nothing for other names, and where the dtype has no such value. To
/// sums of truth values it is a truth value, whatever the dtype.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_index::notation::semiring::absent;
/// assert_eq!(absent("min_plus", DType::F64), Some(Scalar::F64(f64::INFINITY)));
/// assert_eq!(absent("min_plus", DType::I8), Some(Scalar::I8(127)));
/// assert_eq!(absent("plus", DType::F64), None);
/// ```
pub fn absent(name: &str, dtype: DType) -> Option<Scalar> {
    let semiring = parts(name)?;
    match semiring.absent_text() {
        text @ ("true" | "false") => parse_value(text, DType::Bool),
        text => parse_value(text, dtype),
    }
}

/// The names of all semirings.
pub fn names() -> impl Iterator<Item = String> {
    let of =
        |sum: &'static SemiringSum| PRODUCTS.iter().map(move |product| format!("{}_{}", sum.name, product.0));
    SUMS.iter().flat_map(of).filter(|name| is_semiring(name))
}

pub(crate) fn parts(name: &str) -> Option<Semiring> {
    let (sum, product) = name.split_once('_')?;
    let sum = SUMS.iter().find(|s| s.name == sum)?;
    let (_, product) = *PRODUCTS.iter().find(|p| p.0 == product)?;
    let (sum, product) = match (sum.name, sum.of, product) {
        (_, Of::Numbers, SemiringProduct::Of(Of::Truth, op)) => (sum, SemiringProduct::Truths(op)),
        // Any of some comparisons may be one that holds.
        ("any", _, SemiringProduct::Compared(_)) => (SUMS.iter().find(|s| s.name == "lor")?, product),
        _ => (sum, product),
    };
    let fits = match product {
        SemiringProduct::Of(of, _) => of == sum.of,
        SemiringProduct::Swapped(_)
        | SemiringProduct::Is(_)
        | SemiringProduct::Truths(_)
        | SemiringProduct::At(..) => sum.of == Of::Numbers,
        SemiringProduct::Compared(_) => sum.of == Of::Truth,
        SemiringProduct::ComplementOfBits(_) => sum.of == Of::Bits,
        SemiringProduct::First | SemiringProduct::Second | SemiringProduct::One => true,
    };
    fits.then_some(Semiring { sum, product })
}

/// The largest expression that is written out: a factor that is told apart stands there twice.
const NODES: usize = 10_000;

/// What a call of a semiring is made of.
pub(crate) struct SemiringParts<'e> {
    /// The variables that are summed over.
    pub(crate) variables: &'e [Syntax],
    /// What is multiplied.
    pub(crate) factors: &'e [Syntax],
}

/// Parts a call of a semiring: leading variables are summed over, and what follows is multiplied.
pub(crate) fn divide<'e>(args: &'e [Syntax], is_variable: &dyn Fn(&str) -> bool) -> SemiringParts<'e> {
    let bound = |a: &&Syntax| matches!(a, Syntax::Tensor(t) if t.bare && is_variable(&t.name.text));
    let (variables, factors) = args.split_at(args.iter().take_while(bound).count());
    SemiringParts { variables, factors }
}

/// Checks the semirings of an expression.
///
/// # Errors
/// A message, and the call, where nothing is multiplied, or the expression would be too large.
pub(super) fn validate(e: &Syntax, is_variable: &dyn Fn(&str) -> bool) -> Result<usize, (String, Span)> {
    let (Syntax::Op { args, .. } | Syntax::Apply { args, .. }) = e else { return Ok(1) };
    let mut size = 1_usize;
    for arg in args {
        size = size.saturating_add(validate(arg, is_variable)?);
    }
    match e {
        Syntax::Apply { name, args, span } if is_semiring(&name.text) => {
            validate_product(name, args, is_variable).map_err(|message| (message, *span))?;
            size = size.saturating_mul(2);
            if size > NODES {
                return Err((format!("`{}` is too large when it is written out", name.text), *span));
            }
        }
        _ => {}
    }
    Ok(size)
}

fn validate_product(name: &Name, args: &[Syntax], is_variable: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let Some(semiring) = parts(&name.text) else { return Ok(()) };
    let SemiringParts { factors, .. } = divide(args, is_variable);
    if factors.is_empty() {
        return Err(format!("`{}` multiplies at least one value", name.text));
    }
    if semiring.compares() && factors.len() != 2 {
        return Err(format!("`{}` compares two values", name.text));
    }
    let by_place = semiring.follows_structure() || matches!(semiring.product, SemiringProduct::At(..));
    let read = |e: &Syntax| matches!(e, Syntax::Tensor(t) if !(t.bare && is_variable(&t.name.text)));
    if by_place && !factors.iter().all(read) {
        return Err(format!("`{}` asks where elements are stored, so it multiplies tensors", name.text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse;
    use openwork_base::Source;

    #[test]
    fn what_is_no_product_is_refused() {
        let read = |text: &str| parse(&Source::new("statement", text));
        let message = |text: &str| read(text).unwrap_err().to_string();
        let e = message("y(i) = lor_gt(j, A(i,j), x(j), x(j))");
        assert!(e.contains("compares two values"), "{e}");
        assert!(names().count() > 30 && names().all(|n| is_semiring(&n)));
        let e = message("y(i) = A(i) + plus_pair(i)");
        assert!(e.contains("multiplies at least one value"), "{e}");
        for text in ["y(i) = land_first(j, A(i,j) & x(j), x(j))", "y(i) = max_firsti(j, 2 * A(i,j), x(j))"] {
            let e = message(text);
            assert!(e.contains("asks where elements are stored"), "{e}");
        }
        let nested = (0..100).fold("A(i)".to_string(), |e, _| format!("plus_min({e}, A(i))"));
        let e = message(&format!("y(i) = {nested}"));
        assert!(e.contains("too large"), "{e}");
        assert!(!is_semiring("plus_band") && !is_semiring("min_"));
    }
}
