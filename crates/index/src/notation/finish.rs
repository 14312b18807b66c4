//! What holds of every statement, whether it was read or built; and what the grammar sees to of those that are read.

use super::function::Definition;
use super::habits::{self, refuse_subscripts};
use super::lex::is_name;
use super::parse::{MAX_MODES, Parser, SYNTAX, is_value};
use super::window::refuse_window;
use super::{Name, StatementSyntax, Syntax, TensorRef, semiring};
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use std::sync::Arc;

/// The text of functions as it stands before a statement.
pub(super) fn definitions_text(functions: &[Arc<Definition>]) -> String {
    functions.iter().map(|d| format!("{}; ", d.text)).collect()
}

/// Reads definitions of functions.
pub(super) fn read_definitions(text: &str) -> Result<Vec<Arc<Definition>>> {
    let source = Source::new("statement", text);
    let mut parser = Parser::new(&source)?;
    parser.definitions()?;
    match parser.remaining_tokens() {
        [_] => Ok(parser.functions),
        [(_, span), ..] => {
            let message = "definitions of functions stand here alone";
            let d = Diagnostic::new(SYNTAX, message).point_at(&source, *span, "");
            Err(Error::rejection(d.help("a function looks like def f(x, y) = x * x + y;")))
        }
        [] => Ok(Vec::new()),
    }
}

/// The statement with its text, if it is one that could be read.
pub(super) fn finish_built(statement: StatementSyntax) -> Result<StatementSyntax> {
    let s = statement.with_text();
    let mut fault = Ok(());
    let mut see = |found: Result<()>| {
        if fault.is_ok() {
            fault = found;
        }
    };
    see(check_access(&s.lhs, &s.source));
    s.each_tensor(&mut |t| see(check_access(t, &s.source)));
    [&s.rhs].into_iter().chain(&s.mask).for_each(|e| see(check_functions(e, &s.source)));
    fault?;
    check_statement(&s)?;
    refuse_subscripts(&s).map_or(Ok(s), Err)
}

/// Refuses a mask that has other variables than the result, and products of semirings that are none.
pub(super) fn check_statement(s: &StatementSyntax) -> Result<()> {
    let variables: Vec<String> = s.index_names().into_iter().map(String::from).collect();
    let is_variable = |name: &str| variables.iter().any(|v| v == name);
    check_mask(s, &is_variable)?;
    for e in std::iter::once(&s.rhs).chain(&s.mask) {
        semiring::validate(e, &is_variable).map_err(|(message, span)| refuse(&s.source, message, span))?;
    }
    Ok(())
}

/// Adds the variables of a value that says where something is written, but for those that it reduces over.
fn add_free_variables<'e>(
    e: &'e Syntax,
    is_variable: &dyn Fn(&str) -> bool,
    bound: &mut Vec<&'e str>,
    out: &mut Vec<&'e str>,
) {
    match e {
        Syntax::Number(_) => {}
        Syntax::Tensor(t) => {
            let bare = Some(&t.name).filter(|n| t.bare && is_variable(&n.text));
            let all = bare.into_iter().chain(t.variables()).map(|n| n.text.as_str());
            out.extend(all.filter(|n| !bound.contains(n)));
            t.positions.iter().for_each(|p| add_free_variables(p, is_variable, bound, out));
        }
        Syntax::Op { args, .. } => args.iter().for_each(|a| add_free_variables(a, is_variable, bound, out)),
        Syntax::Apply { args, .. } => {
            // Variables before a value are those of a reduction.
            let variable = |a: &'e Syntax| match a {
                Syntax::Tensor(t) if t.bare && is_variable(&t.name.text) => Some(t.name.text.as_str()),
                Syntax::Tensor(_) | Syntax::Number(_) | Syntax::Op { .. } | Syntax::Apply { .. } => None,
            };
            let before = args.split_last().map_or(&args[..], |(_, before)| before);
            let outer = bound.len();
            bound.extend(before.iter().map_while(variable));
            args[bound.len() - outer..].iter().for_each(|a| add_free_variables(a, is_variable, bound, out));
            bound.truncate(outer);
        }
    }
}

/// A mask has variables of the result only, or those that say where that is written.
fn check_mask(s: &StatementSyntax, is_variable: &dyn Fn(&str) -> bool) -> Result<()> {
    let mut other: Option<Name> = None;
    let mut left: Vec<&str> = s.lhs.variables().map(|n| n.text.as_str()).collect();
    let says = |p| add_free_variables(p, is_variable, &mut Vec::new(), &mut left);
    s.lhs.positions.iter().for_each(says);
    let known = |v: &&Name| left.contains(&v.text.as_str());
    s.mask.iter().for_each(|mask| {
        mask.each_tensor(&mut |t| {
            let bare = Some(&t.name).filter(|n| t.bare && is_variable(&n.text));
            let first = bare.into_iter().chain(t.variables()).find(|v| !known(v));
            other = other.take().or(first.cloned());
        });
    });
    let Some(v) = other else { return Ok(()) };
    let message = format!("`{}` is no index of the result, so no mask has it", v.text);
    let d = Diagnostic::new(Code("E0205"), message).point_at(&s.source, v.span, "");
    let help = "a mask says which elements of the result are computed; what it reduces is computed before, as an operand";
    Err(Error::rejection(d.help(help)))
}

/// Refuses an access that no text has.
fn check_access(t: &TensorRef, source: &Source) -> Result<()> {
    std::iter::once(&t.name).chain(t.variables()).try_for_each(|name| check_name(name, source))?;
    if t.indices.len() > MAX_MODES {
        return Err(refuse(source, format!("a tensor of more than {MAX_MODES} modes"), t.span));
    }
    let mut pairs = t.windows.iter().zip(&t.indices);
    pairs.try_for_each(|(w, index)| match refuse_window(w, source, index.span) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    })
}

/// Refuses names of functions that are none.
fn check_functions(e: &Syntax, source: &Source) -> Result<()> {
    let (Syntax::Op { args, .. } | Syntax::Apply { args, .. }) = e else { return Ok(()) };
    if let Syntax::Apply { name, .. } = e {
        check_name(name, source)?;
    }
    args.iter().try_for_each(|arg| check_functions(arg, source))
}

fn check_name(name: &Name, source: &Source) -> Result<()> {
    match &*name.text {
        text if is_value(text) => {
            Err(refuse(source, format!("`{text}` is a value and names no tensor or index"), name.span))
        }
        text if is_name(text) => Ok(()),
        text => {
            let message = format!("`{}` is no name", text.escape_debug());
            let d = Diagnostic::new(SYNTAX, message).point_at(source, name.span, "");
            Err(Error::rejection(d.help("a name has letters, digits and `_`, and begins with no digit")))
        }
    }
}

fn refuse(source: &Source, message: impl Into<String>, span: Span) -> Error {
    Error::rejection(Diagnostic::new(SYNTAX, message).point_at(source, span, "").help(habits::STATEMENT))
}

#[cfg(test)]
mod tests {
    use crate::notation::build::{Expression, call, index, tensor};
    use crate::notation::{StatementSyntax, parse};
    use openwork_base::Result;
    use std::ops::Bound;

    #[test]
    fn what_is_built_is_what_its_text_says() {
        let (i, j) = (index("i"), index("j"));
        let (a, x) = (tensor("A").access([i, j]), tensor("x").access([j]));
        let (s, last) = (tensor("s").scalar(), -1);
        let built = [
            tensor("y").access([i]).assign(&a * &x + 2.5),
            tensor("y").access([i]).update("min", &a * &x - -&s),
            tensor("y").access([i]).assign(call("max", [&s, &x.call("square", [])]).eq(i)),
            tensor("y")
                .access([i])
                .assign((&a * &x).lt(1))
                .and_then(|y| y.with_mask(!tensor("m").access([i]))),
            tensor("sum").access([i]).assign(tensor("x").access([i.part(1..).stride(2)]) << 2),
            tensor("y").scalar().assign(f64::NEG_INFINITY).and_then(|y| y.with_functions("def f(x) = x\n")),
            tensor("y").scalar().assign(&s / (&s / &s) % -2),
            tensor("y")
                .access([i])
                .assign(tensor("x").access([i.part(1..=last)]) + tensor("x").access([i.part(-3..=-2)])),
            tensor("y").scalar().assign(call("clip", [&s, &s, &tensor("t").scalar()])),
            tensor("y").scalar().assign((0..480).fold(Expression::from(1), |e, _| e + 1)),
        ];
        let mut texts = Vec::new();
        for statement in built {
            let statement = statement.unwrap();
            let read = parse(&statement.source).unwrap();
            assert_eq!(read.lhs, statement.lhs);
            assert_eq!((&read.rhs, &read.mask), (&statement.rhs, &statement.mask), "{statement}");
            assert_eq!(read.functions, statement.functions);
            texts.push(statement.to_string());
        }
        assert_eq!(texts[2], "y(i) = max(s, power(x(j), 2)) == i");
        assert_eq!(texts[4], "sum[i] = x(i(1::2)) << 2");
        let larger = tensor("y").access([i]).assign(Expression::from(i).max(tensor("x").access([i])));
        assert_eq!(larger.unwrap().to_string(), "y(i) = max(x(i), i)");
        assert_eq!(texts[7], "y(i) = x(i(1:)) + x(i(-3:-1))");
        assert_eq!(texts[5], "def f(x) = x; y = -inf");
    }

    #[test]
    fn what_no_text_says_is_refused() {
        let i = index("i");
        let y = || tensor("y").access([i]);
        let x = || tensor("x").access([i]);
        let code = |built: Result<StatementSyntax>| {
            let e = built.unwrap_err();
            (e.code().0, e.to_string())
        };
        for (built, part) in [
            (y().assign(tensor("x)").access([i])), "`x)` is no name"),
            (y().assign(tensor("nan").access([i])), "is a value"),
            (y().assign(tensor("x").access([index("2")])), "`2` is no name"),
            (y().assign(call("f g", [x()])), "`f g` is no name"),
            (tensor("").access([i]).assign(1), "`` is no name"),
            ((x() + 1).assign(x()), "no access"),
            (y().update("left_shift", x()), "updates no tensor"),
            (y().assign(x().call("square", [x()])), "takes 1 arguments, got 2"),
            (y().assign(tensor("x").access([i; 101])), "more than 100 modes"),
            (y().assign((0..100_000).fold(x(), |e, _| e + 1)), "nested deeper"),
            (y().assign((0..100_000).fold(x(), |e, _| -e)), "nested deeper"),
            (y().assign(x()).and_then(|y| y.with_functions("def f(x) = x; 1")), "alone"),
            (y().assign(call("max", vec![x(); 501])), "more than 500 arguments"),
            (y().assign((0..40).fold(x(), |e, _| &e * &e)), "more than 65536 parts"),
            (y().assign(x()).and_then(|y| y.with_mask(x())).and_then(|y| y.with_mask(x())), "a mask already"),
        ] {
            let (code, message) = code(built);
            assert!(code == "E0102" && message.contains(part), "{message}");
        }
        assert_eq!(code(y().assign(tensor("x").access([i.stride(0)]))).0, "E0103");
        assert_eq!(code(y().assign(tensor("x").access([i.part(..=i64::MAX)]))).0, "E0103");
        let masked = y().assign(x()).and_then(|y| y.with_mask(tensor("m").access([index("k")])));
        assert_eq!(code(masked).0, "E0205");
        for (first, second, part) in [
            ("def f(x) = x", "def f(x) = x + 1", "defined twice"),
            ("def square(x) = x", "", "is a function already"),
        ] {
            let s = y().assign(call("f", [x()])).and_then(|y| y.with_functions(first));
            let (code, message) = code(s.and_then(|y| y.with_functions(second)));
            assert!(code == "E0215" && message.contains(part), "{message}");
        }
        assert_eq!(
            code(y().assign(tensor("x").access([i.part((Bound::Excluded(-1), Bound::Unbounded))]))).0,
            "E0103"
        );
    }
}
