//! Reductions that do not say which variables they reduce over, as NumPy's do not.
//!
//! ```text
//! s = sum(abs(A(i,j)))           sum(i,j, abs(A(i,j)))
//! y(i) = sum(A(i,j), j)          sum(j, A(i,j))
//! y(i) = max(A(i,j))             max(j, A(i,j))
//! ```

use super::REDUCED;
use super::einsum::Variables;
use super::readings::span_with_parentheses;
use crate::notation::parse::is_reduction;
use crate::notation::{Name, StatementSyntax, Syntax};
use openwork_algebra::Operator;
use openwork_base::{Diagnostic, Error, Result};

/// Refuses the first reduction without variables, or with variables behind its value.
pub(super) fn refuse_unsaid_variables(s: &StatementSyntax, variables: &Variables) -> Result<()> {
    let mut bound: Vec<Name> = variables.left_variables(&s.lhs);
    let mut parts = std::iter::once(&s.rhs).chain(&s.mask);
    match parts.find_map(|e| find_unsaid(s, variables, e, &mut bound)) {
        None => Ok(()),
        Some(refusal) => Err(refusal),
    }
}

fn find_unsaid(
    s: &StatementSyntax,
    variables: &Variables,
    e: &Syntax,
    bound: &mut Vec<Name>,
) -> Option<Error> {
    if let Syntax::Apply { name, args, .. } = e
        && variables.find_definition(name).is_none()
        && is_reduction(&name.text)
        && variables.count_bound(e) == 0
    {
        // Of several values it is a function.
        let plain = Operator::of_language(&name.text).is_some() && args.len() > 1;
        let value = args.iter().find(|a| variables.variable(a).is_none());
        if let Some(value) = value.filter(|_| !plain) {
            return Some(refusal(s, variables, e, value, bound));
        }
    }
    let outer = bound.len();
    bound.extend(variables.binds(e).into_iter().cloned());
    let found = variables.children(e).iter().find_map(|c| find_unsaid(s, variables, c, bound));
    bound.truncate(outer);
    found
}

fn refusal(
    s: &StatementSyntax,
    variables: &Variables,
    call: &Syntax,
    value: &Syntax,
    bound: &[Name],
) -> Error {
    let Syntax::Apply { name, args, span } = call else { return Error::bug("check", "no call", "") };
    let mut over: Vec<Name> = args.iter().filter_map(|a| variables.variable(a)).cloned().collect();
    let mut free = Vec::new();
    variables.free(value, &mut Vec::new(), &mut free);
    let is_open = |v: &Name| bound.iter().all(|b| b.text != v.text);
    for v in free.into_iter().filter(is_open) {
        if over.iter().all(|known| known.text != v.text) {
            over.push(v);
        }
    }
    let unknown = args.iter().find_map(|a| match a {
        Syntax::Tensor(t) if t.bare && args.len() > 1 && variables.variable(a).is_none() => Some(&t.name),
        _ => None,
    });
    if let Some(first) = unknown.filter(|first| args.first().is_some_and(|a| a.span() == first.span)) {
        let message = format!("`{}` is no index of what `{}` reduces", first.text, name.text);
        let help = format!("variables come first, and what is reduced has them: `{0}(j, A(i,j))`", name.text);
        let d = Diagnostic::new(REDUCED, message).point_at(&s.source, first.span, "");
        return Error::rejection(d.help(help));
    }
    let message = format!("`{}` does not say which variables it reduces over", name.text);
    let text = &s.source.text[span_with_parentheses(&s.source, value.span()).range()];
    let over: Vec<&str> = over.iter().map(|v| v.text.as_str()).collect();
    let values = args.iter().filter(|a| variables.variable(a).is_none()).count();
    let help = match over.is_empty() || values > 1 {
        true => format!("they come first, as in `{}(j, A(i,j))`", name.text),
        false => format!("they come first: `{}({}, {text})`", name.text, over.join(",")),
    };
    Error::rejection(Diagnostic::new(REDUCED, message).point_at(&s.source, *span, "").help(help))
}
