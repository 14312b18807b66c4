//! Semirings by name: `min_plus(j, A(i,j), x(j))` is a product of `A` and `x` with `+` for products and `min` for sums.
//!
//! A name is that of a sum and that of a product. An operand has a value that means that there is nothing: what the sum
//! leaves as it is (0, `inf` of `min`, `false` of `lor`), or 0 where that says nothing of the operands (`times`, `any`,
//! comparisons). An element of that value is none, a product with nothing is nothing, and a sum of nothing is what the sum
//! leaves as it is. Where the product itself says so, as `inf + x` is `inf`, it is written as it is; else what is nothing is
//! told apart:
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
//! Names are written out when the whole statement is read: which of them are variables is not known before.

use super::{Name, STRUCTURE, Syntax, TensorRef};
use openwork_base::Span;

/// What a sum adds up, or a product multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Numbers,
    Truth,
    Bits,
}

/// A sum.
struct Sum {
    /// Its name in semirings.
    name: &'static str,
    of: Of,
    /// The reduction.
    reduction: &'static str,
    /// What it leaves as it is; of bits that are all set, their complement.
    zero: &'static str,
    over: Over,
}

/// What the reduction of a sum is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Values,
    /// The sum is the complement of a reduction over complements.
    Complements,
}

const fn sum(name: &'static str, of: Of, reduction: &'static str, zero: &'static str) -> Sum {
    Sum { name, of, reduction, zero, over: Over::Values }
}
const fn complement(name: &'static str, of: Of, reduction: &'static str, zero: &'static str) -> Sum {
    Sum { over: Over::Complements, ..sum(name, of, reduction, zero) }
}

static SUMS: [Sum; 14] = [
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
const PRODUCTS: [(&str, Product); 46] = [
    ("times", Product::Of(Of::Numbers, "mul")),
    ("plus", Product::Of(Of::Numbers, "add")),
    ("minus", Product::Of(Of::Numbers, "sub")),
    ("rminus", Product::Swapped("sub")),
    ("div", Product::Of(Of::Numbers, "div")),
    ("rdiv", Product::Swapped("div")),
    ("min", Product::Of(Of::Numbers, "min")),
    ("max", Product::Of(Of::Numbers, "max")),
    ("iseq", Product::Is("eq")),
    ("isne", Product::Is("ne")),
    ("isgt", Product::Is("gt")),
    ("islt", Product::Is("lt")),
    ("isge", Product::Is("ge")),
    ("isle", Product::Is("le")),
    ("eq", Product::Compared("eq")),
    ("ne", Product::Compared("ne")),
    ("gt", Product::Compared("gt")),
    ("lt", Product::Compared("lt")),
    ("ge", Product::Compared("ge")),
    ("le", Product::Compared("le")),
    ("land", Product::Of(Of::Truth, "and")),
    ("lor", Product::Of(Of::Truth, "or")),
    ("lxor", Product::Of(Of::Truth, "xor")),
    ("band", Product::Of(Of::Bits, "and")),
    ("bor", Product::Of(Of::Bits, "or")),
    ("bxor", Product::Of(Of::Bits, "xor")),
    ("bxnor", Product::ComplementOfBits("xor")),
    ("pow", Product::Of(Of::Numbers, "power")),
    ("hypot", Product::Of(Of::Numbers, "hypot")),
    ("atan2", Product::Of(Of::Numbers, "arctan2")),
    ("fmod", Product::Of(Of::Numbers, "fmod")),
    ("remainder", Product::Of(Of::Numbers, "remainder")),
    ("copysign", Product::Of(Of::Numbers, "copysign")),
    ("ldexp", Product::Of(Of::Numbers, "ldexp")),
    ("first", Product::First),
    ("second", Product::Second),
    ("pair", Product::One),
    ("oneb", Product::One),
    ("firsti", Product::At(Factor::First, 0, "0")),
    ("firsti1", Product::At(Factor::First, 0, "1")),
    ("firstj", Product::At(Factor::First, 1, "0")),
    ("firstj1", Product::At(Factor::First, 1, "1")),
    ("secondi", Product::At(Factor::Last, 0, "0")),
    ("secondi1", Product::At(Factor::Last, 0, "1")),
    ("secondj", Product::At(Factor::Last, 1, "0")),
    ("secondj1", Product::At(Factor::Last, 1, "1")),
];

/// Whose coordinates a product is.
#[derive(Clone, Copy)]
enum Factor {
    First,
    Last,
}

/// How values are multiplied.
#[derive(Clone, Copy)]
enum Product {
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
struct Semiring {
    sum: &'static Sum,
    product: Product,
}

impl Semiring {
    /// What is nothing in an operand.
    fn absent(self) -> &'static str {
        match (self.product, self.sum.name) {
            (Product::Compared(_), _) | (_, "times" | "any") => "0",
            _ if self.follows_structure() => "0",
            _ => self.sum.zero,
        }
    }
    /// What a sum of nothing is.
    fn zero(self) -> &'static str {
        if self.is_any_pair() { "0" } else { self.sum.zero }
    }
    fn is_any_pair(self) -> bool {
        self.sum.name == "any" && matches!(self.product, Product::One)
    }
    /// Whether no value says that there is nothing. What is nothing in products of `land` is `true`, which is a value as any
    /// other: only where it decides it may be, or where numbers are compared.
    fn follows_structure(self) -> bool {
        match (self.sum.name, self.product) {
            ("land" | "lxnor" | "eq", product) => {
                !matches!(product, Product::Of(_, "or") | Product::Compared(_))
            }
            (name, _) => matches!(name, "band" | "bxnor"),
        }
    }
    /// Whether a product of these has two factors.
    fn compares(self) -> bool {
        matches!(self.product, Product::Compared(_) | Product::Is(_))
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

/// Whether a name is that of a semiring.
pub fn is_semiring(name: &str) -> bool {
    parts(name).is_some()
}

/// What is nothing in the operands of a semiring, as text; nothing for other names.
///
/// ```
/// use openwork_index::notation::semiring::absent;
/// assert_eq!(absent("min_plus"), Some("inf"));
/// assert_eq!(absent("plus"), None);
/// ```
pub fn absent(name: &str) -> Option<&'static str> {
    parts(name).map(Semiring::absent)
}

/// The names of all semirings.
pub fn names() -> impl Iterator<Item = String> {
    let of = |sum: &'static Sum| PRODUCTS.iter().map(move |product| format!("{}_{}", sum.name, product.0));
    SUMS.iter().flat_map(of).filter(|name| is_semiring(name))
}

fn parts(name: &str) -> Option<Semiring> {
    let (sum, product) = name.split_once('_')?;
    let sum = SUMS.iter().find(|s| s.name == sum)?;
    let (_, product) = *PRODUCTS.iter().find(|p| p.0 == product)?;
    let (sum, product) = match (sum.name, sum.of, product) {
        (_, Of::Numbers, Product::Of(Of::Truth, op)) => (sum, Product::Truths(op)),
        // Any of some comparisons may be one that holds.
        ("any", _, Product::Compared(_)) => (SUMS.iter().find(|s| s.name == "lor")?, product),
        _ => (sum, product),
    };
    let fits = match product {
        Product::Of(of, _) => of == sum.of,
        Product::Swapped(_) | Product::Is(_) | Product::Truths(_) | Product::At(..) => sum.of == Of::Numbers,
        Product::Compared(_) => sum.of == Of::Truth,
        Product::ComplementOfBits(_) => sum.of == Of::Bits,
        Product::First | Product::Second | Product::One => true,
    };
    fits.then_some(Semiring { sum, product })
}

/// The largest expression that is written out: a factor that is told apart stands there twice.
const NODES: usize = 10_000;

/// An expression with all semirings written out.
///
/// # Errors
/// A message, and the call, where nothing is multiplied, or the expression would be too large.
pub(super) fn written_out(e: Syntax, is_variable: &dyn Fn(&str) -> bool) -> Result<Syntax, (String, Span)> {
    let all = |args: Vec<Syntax>| -> Result<Vec<Syntax>, (String, Span)> {
        args.into_iter().map(|a| written_out(a, is_variable)).collect()
    };
    Ok(match e {
        Syntax::Tensor(_) | Syntax::Number(_) => e,
        Syntax::Op { op, args, span } => Syntax::Op { op, args: all(args)?, span },
        Syntax::Apply { name, args, span } => {
            let args = all(args)?;
            match parts(&name.text) {
                None => Syntax::Apply { name, args, span },
                Some(semiring) => product(&name, semiring, (args, span), is_variable)?,
            }
        }
    })
}

/// A call of a semiring: leading variables are summed over, and what follows is multiplied.
fn product(
    name: &Name,
    semiring: Semiring,
    (mut vars, span): (Vec<Syntax>, Span),
    is_variable: &dyn Fn(&str) -> bool,
) -> Result<Syntax, (String, Span)> {
    let bound = |a: &&Syntax| matches!(a, Syntax::Tensor(t) if t.bare && is_variable(&t.name.text));
    let factors = vars.split_off(vars.iter().take_while(bound).count());
    if semiring.compares() && factors.len() != 2 {
        return Err((format!("`{}` compares two values", name.text), span));
    }
    if 2 * factors.iter().map(nodes).sum::<usize>() > NODES {
        return Err((format!("`{}` is too large when it is written out", name.text), span));
    }
    let by_structure = semiring.follows_structure();
    let by_place = by_structure || matches!(semiring.product, Product::At(..));
    let read = |e: &Syntax| matches!(e, Syntax::Tensor(t) if !(t.bare && is_variable(&t.name.text)));
    if by_place && !factors.iter().all(read) {
        return Err((
            format!("`{}` asks where elements are stored, so it multiplies tensors", name.text),
            span,
        ));
    }
    let alone = ANNIHILATING.contains(&name.text.as_str())
        || (factors.len() == 1
            && !by_place
            && semiring.absent() == semiring.zero()
            && !matches!(semiring.product, Product::One | Product::Truths(_)));
    let absent = || Syntax::number(semiring.absent(), span);
    let is_there = |e: &Syntax| match by_structure {
        true => Syntax::call(STRUCTURE, vec![e.clone()], span),
        false => Syntax::call("ne", vec![e.clone(), absent()], span),
    };
    let there = factors.iter().map(is_there).reduce(|a, b| Syntax::call("and", vec![a, b], span));
    let Some((there, mut value)) = there.zip(multiplied(semiring, factors, span)) else {
        return Err((format!("`{}` multiplies at least one value", name.text), span));
    };
    let reduced = |reduction: &str, value: Syntax| {
        let args: Vec<Syntax> = vars.iter().cloned().chain([value]).collect();
        match &args[..] {
            [alone] => alone.clone(),
            _ => Syntax::Apply { name: Name { text: reduction.into(), span: name.span }, args, span },
        }
    };
    let number = |text: &str| Syntax::number(text, span);
    let choice = |c: Syntax, a: Syntax, b: Syntax| Syntax::call("where", vec![c, a, b], span);
    if semiring.is_any_pair() {
        return Ok(choice(reduced("any", there), number("1"), number("0")));
    }
    let bits = semiring.sum.of == Of::Bits;
    let complemented = semiring.sum.over == Over::Complements && (bits || !vars.is_empty());
    let zero = if complemented && !bits { "false" } else { semiring.zero() };
    let not = |e: Syntax| Syntax::call("not", vec![e], span);
    value = if complemented { not(value) } else { value };
    value = if alone { value } else { choice(there, value, number(zero)) };
    let all = reduced(semiring.sum.reduction, value);
    Ok(if complemented { not(all) } else { all })
}

/// The product of values that are there.
fn multiplied(semiring: Semiring, factors: Vec<Syntax>, span: Span) -> Option<Syntax> {
    let mut all = factors.into_iter();
    let folded = |op: &str, mut all: std::vec::IntoIter<Syntax>, swapped: bool| {
        let first = all.next()?;
        Some(all.fold(first, |a, b| Syntax::call(op, if swapped { vec![b, a] } else { vec![a, b] }, span)))
    };
    match semiring.product {
        Product::Of(_, op) | Product::Compared(op) => folded(op, all, false),
        Product::Swapped(op) => folded(op, all, true),
        Product::Is(op) => folded(op, all, false).map(|holds| {
            Syntax::call("where", vec![holds, Syntax::number("1", span), Syntax::number("0", span)], span)
        }),
        Product::Truths(op) => {
            let truth = |e: Syntax| Syntax::call("ne", vec![e, Syntax::number("0", span)], span);
            let all: Vec<Syntax> = all.map(truth).collect();
            folded(op, all.into_iter(), false).map(|holds| {
                Syntax::call("where", vec![holds, Syntax::number("1", span), Syntax::number("0", span)], span)
            })
        }
        Product::ComplementOfBits(op) => {
            let first = all.next()?;
            let complement = |e: Syntax| Syntax::call("not", vec![e], span);
            Some(all.fold(first, |a, b| complement(Syntax::call(op, vec![a, b], span))))
        }
        Product::At(factor, mode, from) => {
            let t = match factor {
                Factor::First => all.next()?,
                Factor::Last => all.next_back()?,
            };
            let Syntax::Tensor(t) = t else { return None };
            let place = t.indices.get(mode).map(|v| Syntax::Tensor(TensorRef::bare(v.clone())));
            match (place, from) {
                (None, from) => Some(Syntax::number(from, span)),
                (Some(place), "0") => Some(place),
                (Some(place), from) => {
                    Some(Syntax::call("add", vec![place, Syntax::number(from, span)], span))
                }
            }
        }
        Product::First => all.next(),
        Product::Second => all.next_back(),
        Product::One if semiring.sum.of == Of::Truth => Some(Syntax::number("true", span)),
        Product::One => Some(Syntax::number("1", span)),
    }
}

/// How large an expression is.
fn nodes(e: &Syntax) -> usize {
    match e {
        Syntax::Tensor(_) | Syntax::Number(_) => 1,
        Syntax::Op { args, .. } | Syntax::Apply { args, .. } => 1 + args.iter().map(nodes).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse;
    use openwork_base::Source;

    #[test]
    fn names_say_what_they_are() {
        let read = |text: &str| parse(&Source::new("statement", text)).unwrap().rhs.to_string();
        for (text, wanted) in [
            ("y(i) = min_plus(j, A(i,j), x(j))", "min(j, A(i,j) + x(j))"),
            ("y(i) = lor_land(j, A(i,j), x(j))", "any(j, A(i,j) & x(j))"),
            ("y(i) = plus_pair(j, A(i,j), x(j))", "sum(j, where((A(i,j) != 0) & (x(j) != 0), 1, 0))"),
            ("y(i,j) = max_min(A(i,j), B(i,j))", "min(A(i,j), B(i,j))"),
            (
                "y(i) = max_second(j, A(i,j), x(j))",
                "max(j, where((A(i,j) != -inf) & (x(j) != -inf), x(j), -inf))",
            ),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
        for (text, wanted) in [
            (
                "y(i) = times_plus(j, A(i,j), x(j))",
                "prod(j, where((A(i,j) != 0) & (x(j) != 0), A(i,j) + x(j), 1))",
            ),
            ("y(i) = any_pair(j, A(i,j), x(j))", "where(any(j, (A(i,j) != 0) & (x(j) != 0)), 1, 0)"),
            ("y(i) = lxnor_lor(j, A(i,j), x(j))", "!xor(j, !(A(i,j) | x(j)))"),
            (
                "y(i) = land_gt(j, A(i,j), x(j))",
                "all(j, where((A(i,j) != 0) & (x(j) != 0), A(i,j) > x(j), true))",
            ),
            ("y(i) = bor_band(j, A(i,j), x(j))", "any(j, A(i,j) & x(j))"),
            (
                "y(i) = band_bor(j, A(i,j), x(j))",
                "!any(j, where(structure(A(i,j)) & structure(x(j)), !(A(i,j) | x(j)), 0))",
            ),
            (
                "y(i) = land_pair(j, A(i,j), x(j))",
                "all(j, where(structure(A(i,j)) & structure(x(j)), true, true))",
            ),
            (
                "y(i) = min_secondi1(j, A(i,j), x(j))",
                "min(j, where((A(i,j) != inf) & (x(j) != inf), j + 1, inf))",
            ),
            (
                "y(i) = any_lt(j, A(i,j), x(j))",
                "any(j, where((A(i,j) != 0) & (x(j) != 0), A(i,j) < x(j), false))",
            ),
            (
                "y(i) = plus_lxor(A(i), x(i))",
                "where((A(i) != 0) & (x(i) != 0), where((A(i) != 0) ^ (x(i) != 0), 1, 0), 0)",
            ),
            ("y(i) = plus_rminus(A(i), x(i))", "where((A(i) != 0) & (x(i) != 0), x(i) - A(i), 0)"),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
        let e = parse(&Source::new("statement", "y(i) = lor_gt(j, A(i,j), x(j), x(j))")).unwrap_err();
        assert!(e.to_string().contains("compares two values"), "{e}");
        // A name that is no variable is a factor, also where it comes first.
        assert_eq!(read("y(i) = min_plus(s, A(i,j), t)"), "s + A(i,j) + t");
        assert_eq!(read("y = plus_times(s, t)"), "s * t");
        assert!(names().count() > 30 && names().all(|n| is_semiring(&n)));
        let e = parse(&Source::new("statement", "y(i) = A(i) + plus_pair(i)")).unwrap_err();
        assert!(e.to_string().contains("multiplies at least one value"), "{e}");
        for text in ["y(i) = land_first(j, A(i,j) & x(j), x(j))", "y(i) = max_firsti(j, 2 * A(i,j), x(j))"] {
            let e = parse(&Source::new("statement", text)).unwrap_err();
            assert!(e.to_string().contains("asks where elements are stored"), "{e}");
        }
        let nested = (0..100).fold("A(i)".to_string(), |e, _| format!("plus_min({e}, A(i))"));
        let e = parse(&Source::new("statement", format!("y(i) = {nested}"))).unwrap_err();
        assert!(e.to_string().contains("too large"), "{e}");
        assert!(!is_semiring("plus_band") && !is_semiring("min_"));
    }
}
