//! The readings of a statement with an ambiguous sum, spelled as its author spells it.
//!
//! ```text
//! e = (R(i) - D(i))**2           e = sum(i, (R(i) - D(i))**2)  or  e = sum(i, R(i) - D(i))**2
//! e = (y(i) - A(i,j)*x(j))**2    e = sum(i, (y(i) - sum(j, A(i,j)*x(j)))**2)  or …
//! ```
//! Where some terms lack a variable, as `y(i)` lacks `j`, the sum over it most likely is one of the others, so that comes
//! first. Sums are written into the text, so that operators, brackets and spaces stay what they were.

use super::einsum::{Ambiguity, SumStop, Variables};
use super::{AMBIGUOUS, has_one_reading};
use crate::notation::parse::reduction;
use crate::notation::{Name, StatementSyntax, Syntax, parse};
use openwork_base::{Diagnostic, Error, Source, Span};

/// What takes the place of some bytes of a text.
struct Edit {
    place: Span,
    text: String,
}

/// Where the sum over some variables, or another reduction, is to stand.
struct PlacedSum<'e> {
    /// The name of what reduces.
    reduction: &'e str,
    body: &'e Syntax,
    variables: Vec<Name>,
}

/// How many readings are shown.
const SHOWN: usize = 5;

/// Why a statement with an implicit sum before or after a call is refused, with what to write.
pub(super) fn refusal<'e>(s: &'e StatementSyntax, variables: &Variables, ambiguity: &Ambiguity<'e>) -> Error {
    let Ambiguity { call, variable: v } = ambiguity;
    let before = |stop: &SumStop<'e>, v: &Name| match stop.parting {
        None => vec![stop.term],
        Some(call) => variables.operands_with(call, v),
    };
    let after = reading(s, variables, &|stop, _| vec![stop.term]);
    if let (true, Syntax::Apply { name, .. }) = (variables.seems_to_reduce(call, v), call) {
        let message = format!("`{}` does not reduce over `{}`: it is not said to", name.text, v.text);
        let d = Diagnostic::new(AMBIGUOUS, message).point_at(&s.source, call.span(), "");
        let own = s.functions.iter().any(|f| f.name.text == name.text);
        let said = if own { "what reduces is said to be associative and identity(v); " } else { "" };
        let after = after.map_or(String::new(), |after| format!("`{after}`"));
        let help = format!("{said}a sum of its values at every coordinate is written: {after}");
        return Error::rejection(d.help(help));
    }
    let likely = reading(s, variables, &|stop, v| match stop.parting {
        Some(call) if variables.lacks_terms_inside(call, v) => before(stop, v),
        _ => vec![stop.term],
    });
    let inside = |stop: &SumStop<'e>, v: &Name| match stop.parting {
        None => vec![stop.term],
        Some(call) => variables.innermost_with(call, v),
    };
    // A factor that lacks a variable, as `y(i)` lacks `j` in `exp(y(i)*A(i,j)*x(j))`, is what only the sums over others have.
    let missing = variables.missing_variables(&s.rhs, &variables.left_variables(&s.lhs));
    let lone = missing.iter().filter(|v| variables.lacks_factors_inside(call, v, &missing));
    let lone = lone.map(|lone| {
        reading(s, variables, &|stop, v| if v.text == lone.text { inside(stop, v) } else { vec![stop.term] })
    });
    let mut all = vec![likely, after, reduced_alike(s, variables, call, &before)];
    all.extend(lone);
    all.push(reading(s, variables, &before));
    all.push(reading(s, variables, &inside));
    let shown = &s.source.text[span_with_parentheses(&s.source, call.span()).range()];
    let message = format!("`{}` could be summed over after `{shown}` or before it", v.text);
    let d = Diagnostic::new(AMBIGUOUS, message).point_at(&s.source, call.span(), "");
    let mut readings: Vec<String> = Vec::new();
    for text in all.into_iter().flatten().map(|text| format!("`{text}`")) {
        if !readings.contains(&text) {
            readings.push(text);
        }
    }
    readings.truncate(SHOWN);
    Error::rejection(match readings.is_empty() {
        true => d,
        false => d.help(format!("write the sum: {}", readings.join(" or "))),
    })
}

/// What gives the places of sums for one where a sum stops.
type PlaceSums<'f, 'e> = &'f dyn Fn(&SumStop<'e>, &Name) -> Vec<&'e Syntax>;

/// The statement with sums around what `place` gives for each place where one stops; nothing where that is no statement
/// which says all its sums.
fn reading<'e>(s: &'e StatementSyntax, variables: &Variables, place: PlaceSums<'_, 'e>) -> Option<String> {
    write_statement(s, &place_sums(s, variables, place, &|_| "sum"))
}

/// The statement in which a function that can reduce does so as well: `min(s(i), min(j, A(i,j) + x(j)))`.
fn reduced_alike<'e>(
    s: &'e StatementSyntax,
    variables: &Variables,
    call: &'e Syntax,
    before: PlaceSums<'_, 'e>,
) -> Option<String> {
    let Syntax::Apply { name, .. } = call else { return None };
    reduction(&name.text).filter(|op| op.idempotent)?;
    let own = |stop: &SumStop<'e>| match stop.parting {
        Some(parting) if parting.span() == call.span() => name.text.as_str(),
        _ => "sum",
    };
    write_statement(s, &place_sums(s, variables, before, &own))
}

fn place_sums<'e>(
    s: &'e StatementSyntax,
    variables: &Variables,
    place: PlaceSums<'_, 'e>,
    name: &dyn Fn(&SumStop<'e>) -> &'e str,
) -> Vec<PlacedSum<'e>> {
    let mut sums: Vec<PlacedSum> = Vec::new();
    for v in variables.missing_variables(&s.rhs, &variables.left_variables(&s.lhs)) {
        let mut stops = Vec::new();
        variables.stops(&s.rhs, &v, &mut stops);
        let bodies = stops.iter().flat_map(|stop| place(stop, &v).into_iter().map(|body| (name(stop), body)));
        for (reduction, body) in bodies {
            match sums.iter_mut().find(|sum| sum.body.span() == body.span()) {
                Some(sum) if sum.variables.iter().any(|known| known.text == v.text) => {}
                Some(sum) => sum.variables.push(v.clone()),
                None => sums.push(PlacedSum { reduction, body, variables: vec![v.clone()] }),
            }
        }
    }
    sums
}

fn write_statement(s: &StatementSyntax, sums: &[PlacedSum]) -> Option<String> {
    let text = edit_text(s, sums);
    let defined: String = s.functions.iter().map(|d| format!("{}; ", d.text)).collect();
    let read = parse(&Source::new("statement", format!("{defined}{text}"))).ok()?;
    has_one_reading(&read).then_some(text)
}

/// The text of a statement, without what is defined before it, with reductions written into it.
fn edit_text(s: &StatementSyntax, sums: &[PlacedSum]) -> String {
    let mut edits: Vec<Edit> = Vec::new();
    // What is around others begins before them.
    let mut sums: Vec<&PlacedSum> = sums.iter().collect();
    sums.sort_by_key(|sum| {
        std::cmp::Reverse(span_with_parentheses(&s.source, sum.body.span()).range().len())
    });
    for PlacedSum { reduction, body, variables } in sums {
        let names: Vec<&str> = variables.iter().map(|v| v.text.as_str()).collect();
        let text = format!("{reduction}({}, ", names.join(","));
        let span = span_with_parentheses(&s.source, body.span());
        match parentheses(&s.source, span) {
            // Those that stand there become those of the sum.
            Some(open) => edits.push(Edit { place: open, text }),
            None => {
                let at = |n: u32| Span { start: n, end: n };
                edits.push(Edit { place: at(span.start), text });
                edits.push(Edit { place: at(span.end), text: ")".into() });
            }
        }
    }
    edits.sort_by_key(|edit| edit.place.start);
    let (mut out, mut from) = (String::new(), s.lhs.span.start);
    for Edit { place, text } in edits {
        out += &s.source.text[from as usize..place.start as usize];
        out += &text;
        from = place.end;
    }
    let rest = &s.source.text[from as usize..s.source.part.end as usize];
    out + rest.trim_end_matches(|c: char| c.is_whitespace() || c == ';')
}

/// The place of an expression with the parentheses that it opens or closes: those around an operand are not in its own.
pub(super) fn span_with_parentheses(source: &Source, span: Span) -> Span {
    let (mut open, mut missing) = (0, 0);
    for c in source.text[span.range()].chars() {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' if open > 0 => open -= 1,
            ')' | ']' => missing += 1,
            _ => {}
        }
    }
    let (before, after) = source.text.split_at(span.start as usize);
    let start = before.rmatch_indices('(').nth((missing as usize).wrapping_sub(1)).map(|(at, _)| at);
    let end = after
        .match_indices(')')
        .filter(|(at, _)| *at >= span.range().len())
        .nth((open as usize).wrapping_sub(1));
    Span {
        start: start.map_or(span.start, |at| at as u32),
        end: end.map_or(span.end, |(at, _)| span.start + at as u32 + 1),
    }
}

/// The opening one of the parentheses around an expression, unless a function has its arguments in them.
fn parentheses(source: &Source, span: Span) -> Option<Span> {
    let before = source.text[..span.start as usize].trim_end();
    let after = source.text[span.end as usize..].trim_start();
    let outside = before.strip_suffix('(')?.trim_end();
    let called = outside.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let start = u32::try_from(before.len() - 1).ok()?;
    (after.starts_with(')') && !called).then_some(Span { start, end: span.start })
}
