//! Help for habits from other languages, with what to write instead: `@`, `and`, `if`, `np.sqrt`, `A_ij`, factors side by
//! side.

use super::lex::Token;
use super::parse::SYNTAX;
use super::{Name, StatementSyntax, TensorRef};
use openwork_base::{Diagnostic, Error};

/// What to try where a statement looks otherwise.
pub(super) const STATEMENT: &str = "a statement looks like y(i) = A(i,j) * x(j)";

/// What to write for a character that no statement has.
pub(super) fn instead_of_character(c: char) -> &'static str {
    match c {
        '@' => "a product of matrices names its indices: C(i,k) = A(i,j) * B(j,k)",
        '?' => "a choice is a function: where(A(i,j) > 0, A(i,j), 0)",
        _ => STATEMENT,
    }
}

/// What to write where an operand is followed by a word, a number or a bracket.
pub(super) fn instead_of(token: Token, text: &str) -> &'static str {
    match (token, text) {
        (Token::Name, "and" | "AND") => "truth values meet by a sign: (A(i,j) > 0) & (B(i,j) > 0)",
        (Token::Name, "or" | "OR") => "truth values meet by a sign: (A(i,j) > 0) | (B(i,j) > 0)",
        (Token::Name, "not" | "NOT" | "in" | "is") => {
            "comparisons are signs: !(A(i,j) == B(i,j)), A(i,j) != B(i,j)"
        }
        (Token::Name, "if" | "else") => {
            "a choice is a function: where(A(i,j) > 0, A(i,j), 0); a mask stands behind: y(i) = x(i) where m(i)"
        }
        (Token::Sign("<" | ">" | "<=" | ">=" | "==" | "!="), _) => {
            "comparisons do not chain, and `&` binds more strongly: (A(i,j) > 2) & (A(i,j) < 5)"
        }
        (Token::Sign(","), _) => {
            "variables of a sum stand one after the other, sum(i,j, A(i,j)), and statements are separated by `;`"
        }
        (Token::Name, "for") => "indices need no loop: y(i) = A(i,j) * x(j) has every i",
        (Token::Number, text) if text.starts_with('.') => {
            "a function has its name alone, as sqrt(x(i)), and a tensor no attributes"
        }
        (Token::Name | Token::Number, _) | (Token::Sign("("), _) => {
            "a product has a sign between its factors: 2 * A(i,j) * x(j)"
        }
        _ => STATEMENT,
    }
}

/// What to write instead of an operator of truth values or bits, where it stands between other numbers.
pub(crate) fn instead_of_operator(symbol: &str, truths: bool) -> Option<&'static str> {
    match symbol {
        "-" if truths => Some(
            "of truth values, `^` is where they differ, and a sign that negates them is `!` (in Python `~`)",
        ),
        "^" => Some("a power is `**`: A(i,j) ** 2"),
        "&" | "|" => Some(
            "a number is true where it is not 0, and a comparison stands in parentheses: (A(i,j) != 0) & (x(i) > 0)",
        ),
        _ => None,
    }
}

/// `A_ij` is a name, so a statement that means indices by it would compute with scalars: it is refused.
pub(super) fn refuse_subscripts(statement: &StatementSyntax) -> Option<Error> {
    fn subscripted_name(t: &TensorRef) -> Option<&Name> {
        t.bare.then_some(&t.name).filter(|n| subscript(n).is_some())
    }
    let mut bare: Vec<&Name> = subscripted_name(&statement.lhs).into_iter().collect();
    statement.each_tensor(&mut |t| bare.extend(subscripted_name(t)));
    let vars = statement.index_names();
    let variable = |c: char| vars.iter().any(|v| v.chars().eq([c]));
    let found = bare.iter().find(|n| {
        let others = bare.iter().filter(|o| o.text != n.text).filter_map(|o| subscript(o));
        let others: String = others.collect();
        subscript(n).is_some_and(|s| s.chars().all(|c| variable(c) || others.contains(c)))
    })?;
    let (name, indices) = found.text.rsplit_once('_')?;
    let indices: Vec<String> = indices.chars().map(String::from).collect();
    let d = Diagnostic::new(SYNTAX, format!("`{}` is one name, and has no indices", found.text));
    let help = format!("write {name}({}) for an element of `{name}`", indices.join(","));
    Some(Error::rejection(d.point_at(&statement.source, found.span, "").help(help)))
}

/// The letters that look like indices at the end of a name: `ij` of `A_ij`.
fn subscript(name: &Name) -> Option<&str> {
    let (front, letters) = name.text.rsplit_once('_')?;
    let plain = !front.is_empty() && !letters.is_empty() && letters.chars().all(|c| ('i'..='n').contains(&c));
    plain.then_some(letters)
}
