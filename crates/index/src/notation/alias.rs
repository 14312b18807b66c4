//! NumPy's names of functions that have another name here, or are made of others: `square(A(i,j))` is `power(A(i,j), 2)`.
//! Only `clip` stays what it is, as its bounds are drawn into the dtype of its values.
//!
//! Before indices alone such a name is a tensor's, as `degrees(i)` is; so nobody has to rename one.

use super::{CLIP, Name, Syntax};
use openwork_base::Span;

/// Names, and those of the language.
const RENAMED: [(&str, &str); 23] = [
    ("absolute", "abs"),
    ("negative", "neg"),
    ("subtract", "sub"),
    ("multiply", "mul"),
    ("divide", "div"),
    ("true_divide", "div"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("pow", "power"),
    ("mod", "remainder"),
    ("equal", "eq"),
    ("not_equal", "ne"),
    ("less", "lt"),
    ("less_equal", "le"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
    ("bitwise_and", "and"),
    ("bitwise_or", "or"),
    ("bitwise_xor", "xor"),
    ("invert", "not"),
    ("bitwise_not", "not"),
    ("ifelse", "where"),
    ("conjugate", "conj"),
];

/// Names of functions that are made of others, and how many arguments they take.
const MADE: [(&str, usize); 11] = [
    (CLIP, 3),
    ("square", 1),
    ("positive", 1),
    ("logical_and", 2),
    ("logical_or", 2),
    ("logical_xor", 2),
    ("logical_not", 1),
    ("deg2rad", 1),
    ("radians", 1),
    ("rad2deg", 1),
    ("degrees", 1),
];

/// Every name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    RENAMED.iter().map(|(name, _)| *name).chain(MADE.iter().map(|(name, _)| *name))
}

pub(super) fn is_alias(name: &str) -> bool {
    names().any(|known| known == name)
}

/// What a call of such a name is.
///
/// # Errors
/// A message where it takes another number of arguments.
pub(super) fn expand_alias(name: &Name, args: Vec<Syntax>, span: Span) -> Result<Syntax, String> {
    if let Some((_, other)) = RENAMED.iter().find(|(known, _)| *known == name.text) {
        return Ok(Syntax::Apply { name: Name { text: (*other).into(), span: name.span }, args, span });
    }
    let takes = MADE.iter().find(|(known, _)| *known == name.text).map_or(0, |(_, takes)| *takes);
    let given = args.len();
    let call = |op: &str, args: Vec<Syntax>| Syntax::call(op, args, span);
    let number = |text: &str| Syntax::number(text, span);
    let mut args = args.into_iter();
    let (Some(x), y, z) = (args.next(), args.next(), args.next()) else {
        return Err(wrong(name, takes, given));
    };
    let is = |op: &str, x: Syntax| call(op, vec![x, number("0")]);
    Ok(match (name.text.as_str(), y, z) {
        _ if given != takes => return Err(wrong(name, takes, given)),
        (CLIP, Some(low), Some(high)) => Syntax::Apply { name: name.clone(), args: vec![x, low, high], span },
        ("square", ..) => call("power", vec![x, number("2")]),
        ("logical_and", Some(y), _) => call("and", vec![is("ne", x), is("ne", y)]),
        ("logical_or", Some(y), _) => call("or", vec![is("ne", x), is("ne", y)]),
        ("logical_xor", Some(y), _) => call("xor", vec![is("ne", x), is("ne", y)]),
        ("logical_not", ..) => is("eq", x),
        ("deg2rad" | "radians", ..) => call("mul", vec![x, number("0.017453292519943295")]),
        ("rad2deg" | "degrees", ..) => call("mul", vec![x, number("57.29577951308232")]),
        _ => x,
    })
}

/// What a call of a name is in other words, where the name is one of these.
pub(crate) fn other_spelling(name: &Name, args: Vec<Syntax>, span: Span) -> Option<Syntax> {
    expand_alias(name, args, span).ok().filter(|_| is_alias(&name.text))
}

fn wrong(name: &Name, takes: usize, given: usize) -> String {
    format!("`{}` takes {takes} arguments, got {given}", name.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse;
    use openwork_base::Source;

    #[test]
    fn names_of_numpys_are_written_out() {
        let read = |text: &str| parse(&Source::new("statement", text)).map(|s| s.rhs.to_string());
        for (text, means) in [
            ("y(i) = clip(A(i), 0, 1)", "clip(A(i), 0, 1)"),
            ("y(i) = maximum(A(i), 0) - square(A(i))", "max(A(i), 0) - power(A(i), 2)"),
            ("y(i) = maximum(j, A(i,j))", "max(j, A(i,j))"),
            ("y(i) = logical_xor(A(i), B(i))", "(A(i) != 0) ^ (B(i) != 0)"),
            ("y(i) = degrees(i) * square(i)", "degrees(i) * square(i)"),
            ("def clip(x, y, z) = x; y(i) = clip(A(i), 0, 1)", "clip(A(i), 0, 1)"),
        ] {
            assert_eq!(read(text).unwrap(), means, "{text}");
        }
        assert!(read("y(i) = clip(A(i), 0)").unwrap_err().to_string().contains("takes 3 arguments, got 2"));
        assert!(names().all(is_alias));
    }
}
