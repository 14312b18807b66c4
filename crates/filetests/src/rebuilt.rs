//! Statements built again of what was read, by the functions that programs build them with.

use openwork::expr::{Expression, ModeIndex, StatementSyntax, call, index, number, tensor};
use openwork_base::Result;
use openwork_index::notation::{Syntax, TensorRef};
use std::ops::Bound;

/// The same statement, built of its parts.
///
/// # Errors
/// Where what was read cannot be built.
///
/// # Panics
/// Where it is another one.
pub fn rebuild(read: &StatementSyntax) -> Result<StatementSyntax> {
    let variables = read.index_names();
    let build = |e: &Syntax| rebuild_value(e, &variables);
    let left = rebuild_access(&read.lhs, &variables);
    let made = match read.op {
        None => left.assign(build(&read.rhs)),
        Some(op) => left.update(op.name, build(&read.rhs)),
    };
    let definitions: String = read.functions.iter().map(|f| format!("{}\n", f.text)).collect();
    let mut made = made?.with_functions(&definitions)?;
    if let Some(mask) = &read.mask {
        made = made.with_mask(build(mask))?;
    }
    assert_eq!(made.to_string(), read.to_string());
    Ok(made)
}

fn rebuild_access(t: &TensorRef, variables: &[&str]) -> Expression {
    if t.bare {
        return tensor(&t.name.text).scalar();
    }
    let indices = t.indices.iter().zip(&t.windows).enumerate().map(|(mode, (name, window))| {
        if let Some(position) = t.position(mode) {
            let value = rebuild_value(position, variables);
            let is_sum = t.sum_modes.contains(&mode);
            return ModeIndex::Position(if is_sum { value } else { value.as_value() });
        }
        let end = window.hi.map_or(Bound::Unbounded, Bound::Excluded);
        let index = index(&name.text).part((Bound::Included(window.lo), end));
        ModeIndex::Variable(index.stride(window.step))
    });
    tensor(&t.name.text).access(indices)
}

fn rebuild_value(e: &Syntax, variables: &[&str]) -> Expression {
    let build = |e: &Syntax| rebuild_value(e, variables);
    match e {
        Syntax::Tensor(t) if t.bare && variables.contains(&t.name.text.as_str()) => {
            index(&t.name.text).into()
        }
        Syntax::Tensor(t) => rebuild_access(t, variables),
        Syntax::Number(n) => number(&n.text),
        Syntax::Apply { name, args, .. } => call(&name.text, args.iter().map(build)),
        Syntax::Op { op, args, .. } => match (op.symbol.unwrap_or(op.name), &args[..]) {
            ("!", [a]) => !build(a),
            (_, [a]) => -build(a),
            ("+", [a, b]) => build(a) + build(b),
            ("-", [a, b]) => build(a) - build(b),
            ("*", [a, b]) => build(a) * build(b),
            ("/", [a, b]) => build(a) / build(b),
            ("%", [a, b]) => build(a) % build(b),
            ("&", [a, b]) => build(a) & build(b),
            ("|", [a, b]) => build(a) | build(b),
            ("^", [a, b]) => build(a) ^ build(b),
            ("<<", [a, b]) => build(a) << build(b),
            (">>", [a, b]) => build(a) >> build(b),
            ("==", [a, b]) => build(a).eq(build(b)),
            ("!=", [a, b]) => build(a).ne(build(b)),
            ("<", [a, b]) => build(a).lt(build(b)),
            ("<=", [a, b]) => build(a).le(build(b)),
            (">", [a, b]) => build(a).gt(build(b)),
            (">=", [a, b]) => build(a).ge(build(b)),
            ("//", [a, b]) => build(a).floor_divide(build(b)),
            (sign, args) => panic!("no builder for `{sign}` of {} values", args.len()),
        },
    }
}
