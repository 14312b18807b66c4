//! A sensible format for a result that was given none.
//!
//! Element-wise statements whose value is sparse keep the format of the operand that limits them; everything else is
//! dense.

use super::Reason;
use crate::check::{Assignment, FormatChoice};
use crate::expr::{Expr, IndexId, Tensor, TensorId};
use openwork_base::Arena;
use openwork_format::{Format, Level, Props, presets};

/// Sets the result's format if the caller did not.
pub(crate) fn choose(a: &mut Assignment, reasons: &mut Vec<Reason>) {
    if a.format_given == FormatChoice::Caller {
        return;
    }
    let (chosen, because) = match limiting(&a.rhs, &a.lhs.vars, &a.tensors) {
        Some(operand) => {
            let Tensor { name, format, .. } = &a.tensors[operand];
            // What an operand promises of its own pattern does not hold for the result.
            let promises = Props::FULL.with(Props::ZEROLESS);
            let level = |l: &Level| if l.is_dense() { *l } else { l.without(promises) };
            let levels = format.levels.iter().map(level).collect();
            if appendable(format) {
                let same = Format { fill: None, pos: None, crd: None, levels, ..format.clone() };
                (same, format!("the value is sparse, and `{name}` lends its format"))
            } else {
                let rank = format.rank();
                let plain = if rank == 2 { presets::csr() } else { presets::csf(rank) };
                (plain, format!("the value is sparse like `{name}`, whose format is not filled in order"))
            }
        }
        None => (presets::dense(a.lhs.vars.len()), "the value is not limited to a sparse pattern".into()),
    };
    let result = &mut a.tensors[a.lhs.tensor];
    result.format = Format { fill: result.format.fill.clone(), ..chosen };
    let shape: Option<Vec<usize>> = a.lhs.vars.iter().map(|&v| a.indices[v].size).collect();
    if let Some(shape) = shape {
        result.format = result.format.resolved(&shape);
    }
    let choice = format!("`{}` is {}", result.name, Format { pos: None, crd: None, ..result.format.clone() });
    reasons.push(Reason { choice, because });
}

/// Whether a result in this format can be appended to coordinate by coordinate.
fn appendable(format: &Format) -> bool {
    let appends = |l: &Level| l.spec.assembly.appends && !l.padded();
    format.remap.is_none() && !format.symmetric && format.levels.iter().all(appends)
}

/// An operand over exactly `vars` whose stored coordinates include every coordinate where `e` is not its fill.
fn limiting(e: &Expr, vars: &[IndexId], tensors: &Arena<TensorId, Tensor>) -> Option<TensorId> {
    match e {
        Expr::Access(x) => {
            let format = &tensors[x.tensor].format;
            let ordered = format.levels.iter().all(|l| l.ordered());
            (x.vars == vars && !vars.is_empty() && ordered && !format.is_full()).then_some(x.tensor)
        }
        Expr::Literal(_)
        | Expr::Index(_)
        | Expr::Map { .. }
        | Expr::Width(_)
        | Expr::Stored { .. }
        | Expr::WithFill { .. } => None,
        Expr::Cast { arg: value, .. } | Expr::Beside { value, .. } => limiting(value, vars, tensors),
        // The sum over other variables is stored where its body is limited by the result's variables alone (SDDMM).
        Expr::Reduce { body, .. } => {
            crate::expr::fill_of(e, tensors)?;
            match &**body {
                Expr::Call { .. } => limiting(body, vars, tensors),
                _ => None,
            }
        }
        Expr::Call { op, args } => {
            let fill = |arg: &Expr| crate::expr::fill_of(arg, tensors);
            let annihilates = |(n, arg): (usize, &Expr)| {
                fill(arg).is_some_and(|f| op.annihilator_at(n, f.dtype()).is_some_and(|a| a.same(f)))
            };
            if op.annihilator.is_some() {
                let limits = args.iter().enumerate().filter(|&(n, arg)| annihilates((n, arg)));
                return limits.into_iter().find_map(|(_, arg)| limiting(arg, vars, tensors));
            }
            // A union: every argument that is not constant must be limited; the first one lends its format.
            let mut varying = args.iter().filter(|arg| !matches!(arg, Expr::Literal(_))).peekable();
            varying.peek()?;
            let limits: Option<Vec<TensorId>> = varying.map(|arg| limiting(arg, vars, tensors)).collect();
            limits?.first().copied()
        }
    }
}
