//! Semirings by name: `min_plus(j, A(i,j), x(j))` is a product of `A` and `x` with `+` for products and `min` for sums.
//!
//! A name is that of a sum and that of a product. What the sum leaves as it is (0, `inf` of `min`, `false` of `lor`) means
//! that there is nothing: operands have it as their fill value, and a product with nothing is nothing; an element of
//! that value is none. Where the product
//! itself says so, as `inf + x` is `inf`, it is written as it is; else what is nothing is told apart:
//!
//! ```text
//! min_plus(j, A(i,j), x(j))        min(j, A(i,j) + x(j))
//! plus_pair(j, A(i,j), B(j,k))     sum(j, where((A(i,j) != 0) & (B(j,k) != 0), 1, 0))
//! min_first(j, A(i,j), x(j))       min(j, where((A(i,j) != inf) & (x(j) != inf), A(i,j), inf))
//! ```

use super::{Name, Syntax};
use openwork_algebra::Operator;
use openwork_base::Span;

/// A sum: its name in semirings, the reduction, and what it leaves as it is.
const SUMS: [(&str, &str, &str); 6] = [
    ("plus", "sum", "0"),
    ("min", "min", "inf"),
    ("max", "max", "-inf"),
    ("lor", "any", "false"),
    ("land", "all", "true"),
    ("lxor", "xor", "false"),
];

/// A product: its name in semirings and the operator, or which argument it is, or what it is of any two.
const PRODUCTS: [(&str, Product); 11] = [
    ("times", Product::Of("mul")),
    ("plus", Product::Of("add")),
    ("minus", Product::Of("sub")),
    ("min", Product::Of("min")),
    ("max", Product::Of("max")),
    ("land", Product::Of("and")),
    ("lor", Product::Of("or")),
    ("lxor", Product::Of("xor")),
    ("first", Product::Argument(0)),
    ("second", Product::Argument(1)),
    ("pair", Product::One),
];

#[derive(Clone, Copy)]
enum Product {
    Of(&'static str),
    Argument(usize),
    One,
}

/// Sums and products in which nothing times anything is nothing by itself.
const ANNIHILATING: [&str; 8] =
    ["plus_times", "min_plus", "max_plus", "min_max", "max_min", "lor_land", "lxor_land", "land_lor"];

/// Whether a name is that of a semiring.
pub fn is_semiring(name: &str) -> bool {
    parts(name).is_some()
}

/// What the sum of a semiring leaves as it is, as text; nothing for other names.
///
/// ```
/// use openwork_index::notation::semiring::zero;
/// assert_eq!(zero("min_plus"), Some("inf"));
/// assert_eq!(zero("plus"), None);
/// ```
pub fn zero(name: &str) -> Option<&'static str> {
    parts(name).map(|(sum, _)| sum.2)
}

/// The names of all semirings.
pub fn names() -> impl Iterator<Item = String> {
    let all =
        SUMS.iter().flat_map(|sum| PRODUCTS.iter().map(move |product| format!("{}_{}", sum.0, product.0)));
    all.filter(|name| is_semiring(name))
}

fn parts(name: &str) -> Option<(&'static (&'static str, &'static str, &'static str), Product)> {
    let (sum, product) = name.split_once('_')?;
    let logical = |n: &str| matches!(n, "land" | "lor" | "lxor");
    let sum = SUMS.iter().find(|s| s.0 == sum)?;
    let (own, product) = PRODUCTS.iter().find(|p| p.0 == product)?;
    // Truth values meet truth values.
    let fits = logical(sum.0) == logical(own) || (logical(sum.0) && *own == "pair");
    // What is nothing in products of `land` is `true`, which is a value as any other: only where it decides it may be.
    let apart = sum.0 != "land" || *own == "lor";
    (fits && apart).then_some((sum, *product))
}

/// A call of a semiring written out: leading names of index variables are summed over, and what follows is multiplied.
pub(super) fn expanded(name: &Name, args: Vec<Syntax>, span: Span) -> Option<Syntax> {
    let (sum, product) = parts(&name.text)?;
    let leading = args.iter().take_while(|a| matches!(a, Syntax::Tensor(t) if t.bare)).count();
    let mut vars = args;
    let factors = vars.split_off(leading.min(vars.len().saturating_sub(1)));
    let nothing = || number(sum.2, span);
    let plain = ANNIHILATING.contains(&name.text.as_str());
    let mut factors = factors.into_iter();
    let first = factors.next()?;
    let value = factors.fold(first, |a, b| {
        let value = match product {
            Product::Of(op) => call(op, vec![a.clone(), b.clone()], span),
            Product::Argument(n) => [&a, &b][n].clone(),
            Product::One if sum.2 == "false" => number("true", span),
            Product::One => number("1", span),
        };
        if plain {
            return value;
        }
        let there = |e: Syntax| call("ne", vec![e, nothing()], span);
        let both = call("and", vec![there(a), there(b)], span);
        call("where", vec![both, value, nothing()], span)
    });
    if vars.is_empty() {
        return Some(value);
    }
    vars.push(value);
    Some(Syntax::Apply { name: Name { text: sum.1.into(), span: name.span }, args: vars, span })
}

fn call(op: &str, args: Vec<Syntax>, span: Span) -> Syntax {
    match Operator::named(op) {
        Some(op) if op.symbol.is_some() || op.name == "neg" => Syntax::Op { op, args, span },
        _ => Syntax::Apply { name: Name { text: op.into(), span }, args, span },
    }
}

fn number(text: &str, span: Span) -> Syntax {
    match text.strip_prefix('-') {
        Some(text) => call("neg", vec![number(text, span)], span),
        None => Syntax::Number(Name { text: text.into(), span }),
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
        assert!(names().count() > 30 && names().all(|n| is_semiring(&n)));
        assert!(!is_semiring("plus_land") && !is_semiring("min_"));
    }
}
