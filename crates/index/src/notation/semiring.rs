//! Semirings by name: `min_plus(j, A(i,j), x(j))` is a product of `A` and `x` with `+` for products and `min` for sums.
//!
//! A name is that of a sum and that of a product. What the sum leaves as it is (0, `inf` of `min`, `false` of `lor`) means
//! that there is nothing: operands have it as their fill value, an element of that value is none, and a product with
//! nothing is nothing. Where the product itself says so, as `inf + x` is `inf`, it is written as it is; else what is nothing
//! is told apart:
//!
//! ```text
//! min_plus(j, A(i,j), x(j))        min(j, A(i,j) + x(j))
//! plus_pair(j, A(i,j), B(j,k))     sum(j, where((A(i,j) != 0) & (B(j,k) != 0), 1, 0))
//! min_first(j, A(i,j), x(j))       min(j, where((A(i,j) != inf) & (x(j) != inf), A(i,j), inf))
//! ```
//! Names are written out when the whole statement is read: which of them are variables is not known before.

use super::{Name, Syntax};
use openwork_base::Span;

/// A sum.
struct Sum {
    /// Its name in semirings.
    name: &'static str,
    /// The reduction.
    reduction: &'static str,
    /// What it leaves as it is.
    zero: &'static str,
}

const fn sum(name: &'static str, reduction: &'static str, zero: &'static str) -> Sum {
    Sum { name, reduction, zero }
}

static SUMS: [Sum; 6] = [
    sum("plus", "sum", "0"),
    sum("min", "min", "inf"),
    sum("max", "max", "-inf"),
    sum("lor", "any", "false"),
    sum("land", "all", "true"),
    sum("lxor", "xor", "false"),
];

/// Products by their names in semirings.
const PRODUCTS: [(&str, Product); 11] = [
    ("times", Product::Of("mul")),
    ("plus", Product::Of("add")),
    ("minus", Product::Of("sub")),
    ("min", Product::Of("min")),
    ("max", Product::Of("max")),
    ("land", Product::Of("and")),
    ("lor", Product::Of("or")),
    ("lxor", Product::Of("xor")),
    ("first", Product::First),
    ("second", Product::Second),
    ("pair", Product::One),
];

/// An operator, an argument, or 1 of any two.
#[derive(Clone, Copy)]
enum Product {
    Of(&'static str),
    First,
    Second,
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
    parts(name).map(|(sum, _)| sum.zero)
}

/// The names of all semirings.
pub fn names() -> impl Iterator<Item = String> {
    let of = |sum: &'static Sum| PRODUCTS.iter().map(move |product| format!("{}_{}", sum.name, product.0));
    SUMS.iter().flat_map(of).filter(|name| is_semiring(name))
}

fn parts(name: &str) -> Option<(&'static Sum, Product)> {
    let (sum, product) = name.split_once('_')?;
    let logical = |n: &str| matches!(n, "land" | "lor" | "lxor");
    let sum = SUMS.iter().find(|s| s.name == sum)?;
    let (own, product) = PRODUCTS.iter().find(|p| p.0 == product)?;
    // Truth values meet truth values.
    let fits = logical(sum.name) == logical(own) || (logical(sum.name) && *own == "pair");
    // What is nothing in products of `land` is `true`, which is a value as any other: only where it decides it may be.
    let apart = sum.name != "land" || *own == "lor";
    (fits && apart).then_some((sum, *product))
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
    (sum, product): (&Sum, Product),
    (mut vars, span): (Vec<Syntax>, Span),
    is_variable: &dyn Fn(&str) -> bool,
) -> Result<Syntax, (String, Span)> {
    let bound = |a: &&Syntax| matches!(a, Syntax::Tensor(t) if t.bare && is_variable(&t.name.text));
    let factors = vars.split_off(vars.iter().take_while(bound).count());
    if factors.is_empty() {
        return Err((format!("`{}` multiplies at least one value", name.text), span));
    }
    if 2 * factors.iter().map(nodes).sum::<usize>() > NODES {
        return Err((format!("`{}` is too large when it is written out", name.text), span));
    }
    let nothing = || Syntax::number(sum.zero, span);
    let there = |e: &Syntax| Syntax::call("ne", vec![e.clone(), nothing()], span);
    let folded =
        |op: &str, all: Vec<Syntax>| all.into_iter().reduce(|a, b| Syntax::call(op, vec![a, b], span));
    let alone = factors.len() == 1 || ANNIHILATING.contains(&name.text.as_str());
    let all_there = folded("and", factors.iter().map(there).collect());
    let value = match product {
        Product::Of(op) => folded(op, factors),
        Product::First => factors.into_iter().next(),
        Product::Second => factors.into_iter().next_back(),
        Product::One if sum.zero == "false" => Some(Syntax::number("true", span)),
        Product::One => Some(Syntax::number("1", span)),
    };
    let value = match (all_there, value) {
        (Some(_), Some(value)) if alone => value,
        (Some(there), Some(value)) => Syntax::call("where", vec![there, value, nothing()], span),
        (_, _) => return Err((format!("`{}` multiplies at least one value", name.text), span)),
    };
    if vars.is_empty() {
        return Ok(value);
    }
    vars.push(value);
    Ok(Syntax::Apply { name: Name { text: sum.reduction.into(), span: name.span }, args: vars, span })
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
        // A name that is no variable is a factor, also where it comes first.
        assert_eq!(read("y(i) = min_plus(s, A(i,j), t)"), "s + A(i,j) + t");
        assert_eq!(read("y = plus_times(s, t)"), "s * t");
        assert!(names().count() > 30 && names().all(|n| is_semiring(&n)));
        let e = parse(&Source::new("statement", "y(i) = A(i) + plus_pair(i)")).unwrap_err();
        assert!(e.to_string().contains("multiplies at least one value"), "{e}");
        let nested = (0..100).fold("A(i)".to_string(), |e, _| format!("plus_min({e}, A(i))"));
        let e = parse(&Source::new("statement", format!("y(i) = {nested}"))).unwrap_err();
        assert!(e.to_string().contains("too large"), "{e}");
        assert!(!is_semiring("plus_land") && !is_semiring("min_"));
    }
}
