//! Operands with computed coordinates become tensors of higher order (formats thesis, §3.2).
//!
//! ```text
//! A stored as (i,j) -> (j-i, i, j)
//! y(i) = sum(j, A(i,j) * x(j))          y(i) = sum(j, d, A(d,i,j) * x(j))     where d = j-i
//! ```
//! Equal coordinates of several operands share a variable, so that operands stored alike are merged level by level.

use super::added::flatten;
use super::scopes::separate;
use crate::check::Assignment;
use crate::cin::{CinStmt, Program};
use crate::expr::{Access, DerivedVar, IndexExpr, IndexId, IndexVar, PositionReach, TensorId, TensorKind};
use openwork_algebra::Operator;
use openwork_base::{Arena, Conflict, Diagnostic, Error, Result, Span};
use openwork_format::Remap;
use openwork_format::remap::{Coord, CoordOp, Term};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Lifts every remapped operand.
///
/// # Errors
/// `E0406` where the loops over stored coordinates would not fit the result or the other sparse operands.
pub fn lift(mut a: Assignment) -> Result<Assignment> {
    if let Some((_, t)) = a.tensors.iter().find(|(_, t)| t.format.symmetric) {
        let message = format!("`{}` stores one triangle of a symmetric matrix", t.name);
        let all = a.source.part;
        let d = Diagnostic::from_conflict(Conflict::Level, message).point_at(&a.source, all, "");
        return Err(Error::refusal(d.help("store it whole")));
    }
    let remapped = |a: &Assignment| a.tensors.iter().any(|(_, t)| t.format.remap.is_some());
    if !remapped(&a) {
        return Ok(a);
    }
    refuse_misfits(&a)?;
    // Computed coordinates name the variables that they follow from, so these must be apart before.
    a.rhs = separate(a.rhs, &a.lhs.vars, &mut a.indices, &mut a.reads);
    let mut known: Vec<(Access, Access)> = Vec::new();
    let mut rhs = a.rhs.clone();
    for access in a.rhs.accesses() {
        let Some(remap) = a.tensors[access.tensor].format.remap.clone() else { continue };
        if known.iter().all(|(old, _)| old != access) {
            let vars = variables(&remap, access, &mut a.indices);
            known.push((access.clone(), Access { tensor: access.tensor, vars }));
        }
    }
    rhs = replace(rhs, &known, &a.indices);
    let ids: Vec<_> = a.tensors.ids().collect();
    for t in ids {
        let t = &mut a.tensors[t];
        if t.kind == TensorKind::Operand {
            t.remap = t.format.remap.take();
        }
    }
    a.rhs = rhs;
    Ok(a)
}

/// The refusal of a statement as a whole.
fn refusal(a: &Assignment, message: String) -> Error {
    let all = a.source.part;
    let d = Diagnostic::from_conflict(Conflict::Level, message).point_at(&a.source, all, "");
    Error::refusal(d.help("store the operands alike, or without computed coordinates"))
}

/// Loops over computed coordinates visit the modes in an order of their own.
fn refuse_misfits(a: &Assignment) -> Result<()> {
    let result = &a.tensors[a.lhs.tensor];
    if result.format.remap.is_some() || result.format.levels.iter().any(|l| !l.is_dense()) {
        let message =
            format!("`{}` would have to be filled in the order of computed coordinates", result.name);
        return Err(refusal(a, message));
    }
    for x in sparse(a, &a.rhs) {
        let t = &a.tensors[x.tensor];
        let repeated = (0..x.vars.len()).any(|m| x.vars[..m].contains(&x.vars[m]));
        if t.format.remap.is_some() && repeated {
            let message = format!("`{}` has computed coordinates and is used on a diagonal", t.name);
            return Err(refusal(a, message));
        }
        if counts(a, x) && t.format.has_padding() {
            return Err(refusal(a, format!("`{}` has slots without elements under every count", t.name)));
        }
    }
    if let Some(t) = lifted_in_order(a, &a.rhs) {
        let message =
            format!("the computed coordinates of `{}` come in an order of their own", a.tensors[t].name);
        return Err(refusal(a, message));
    }
    // Terms of a sum may be added up in loops of their own.
    let mut terms = Vec::new();
    flatten(&a.rhs, Operator::find("add").expect("add is an operator"), false, &mut terms);
    match terms.iter().find_map(|(term, _)| refuse_merge(a, term)) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}

/// An operand with computed coordinates that a reduction visits whose values have to come in order.
fn lifted_in_order(a: &Assignment, e: &IndexExpr) -> Option<TensorId> {
    match e {
        IndexExpr::Reduce { op, body, .. } if op.is_ordered() => {
            let lifted = |x: &Access| a.tensors[x.tensor].format.remap.is_some().then_some(x.tensor);
            body.accesses().into_iter().find_map(lifted)
        }
        e => e.children().find_map(|c| lifted_in_order(a, c)),
    }
}

/// The accesses to operands that are not dense.
fn sparse<'e>(a: &Assignment, e: &'e IndexExpr) -> Vec<&'e Access> {
    let mut accesses = e.accesses();
    accesses.retain(|x| !a.tensors[x.tensor].format.is_dense());
    accesses.dedup();
    accesses
}
/// Whether an operand numbers its elements.
fn counts(a: &Assignment, x: &Access) -> bool {
    a.tensors[x.tensor].format.remap.as_ref().is_some_and(|r| r.counts())
}

/// The refusal to merge all that an expression reads, where operands with computed coordinates are stored unlike others.
pub(super) fn refuse_merge(a: &Assignment, e: &IndexExpr) -> Option<Error> {
    let accesses = sparse(a, e);
    let remap = |x: &Access| a.tensors[x.tensor].format.remap.clone().map(|r| r.coords.clone());
    let alike = |x: &Access, y: &Access| !counts(a, x) && x.vars == y.vars && remap(x) == remap(y);
    let unlike = |x: &&&Access| remap(x).is_some() && accesses.iter().any(|y| y != *x && !alike(x, y));
    let name = &a.tensors[accesses.iter().find(unlike)?.tensor].name;
    Some(refusal(a, format!("`{name}` would have to be merged with operands stored differently")))
}

/// Whether some loop of a planned program is over an operand with computed coordinates, and around another that is stored
/// differently.
pub(super) fn mixes(p: &Program) -> bool {
    fn nests(s: &CinStmt) -> Vec<&CinStmt> {
        match s {
            CinStmt::Seq(all) => all.iter().flat_map(nests).collect(),
            CinStmt::Where { consumer, producer } => [nests(consumer), nests(producer)].concat(),
            CinStmt::Forall { .. } | CinStmt::Assign { .. } | CinStmt::Multi(_) | CinStmt::Nop => vec![s],
        }
    }
    let mixed = |nest: &CinStmt| {
        let all = nest.assignments();
        let mut accesses: Vec<&Access> = all.iter().flat_map(|(.., rhs)| rhs.accesses()).collect();
        accesses.retain(|x| {
            p.tensors[x.tensor].kind == TensorKind::Operand && !p.tensors[x.tensor].format.is_dense()
        });
        let alike = |x: &Access, y: &Access| {
            let remap = |x: &Access| p.tensors[x.tensor].remap.as_ref().map(|r| r.coords.clone());
            x.vars == y.vars && remap(x) == remap(y)
        };
        accesses.iter().any(|x| p.tensors[x.tensor].remap.is_some() && !accesses.iter().all(|y| alike(x, y)))
    };
    nests(&p.body).into_iter().any(mixed)
}

/// One variable per stored coordinate of a lifted access.
pub(super) fn variables(
    remap: &Arc<Remap>,
    access: &Access,
    indices: &mut Arena<IndexId, IndexVar>,
) -> Vec<IndexId> {
    let mut fresh = Vec::new();
    let mut vars = Vec::new();
    for (k, coord) in remap.coords.iter().enumerate() {
        if let Some(mode) = coord.plain() {
            vars.push(access.vars[mode]);
            continue;
        }
        let same = |i: &IndexVar| {
            i.derived.as_ref().is_some_and(|d| {
                d.remap.coords[d.coord].inline_locals() == coord.inline_locals()
                    && d.modes() == access.vars
                    && !d.counts()
            })
        };
        let found = indices.iter().find(|(_, i)| same(i)).map(|(id, _)| id);
        vars.push(found.unwrap_or_else(|| {
            let name = name(coord, access, indices);
            let id = indices.push(IndexVar {
                name,
                size: None,
                span: Span::default(),
                derived: None,
                positional: false,
                scattered: false,
                declared: false,
                reach: PositionReach::Unknown,
                made_for: [].into(),
                like: None,
            });
            fresh.push((id, k));
            id
        }));
    }
    for (id, coord) in fresh {
        indices[id].derived = Some(DerivedVar { remap: remap.clone(), coord, vars: vars.clone() });
    }
    vars
}

/// `bi` for a quotient of `i`, `ri` for a remainder, `d` for a diagonal, `n` for a counter, `m` for anything else.
fn name(coord: &Coord, access: &Access, indices: &Arena<IndexId, IndexVar>) -> String {
    let of = |t: &Term| match t {
        Term::Mode(m) => indices[access.vars[*m]].name.clone(),
        _ => String::new(),
    };
    let base = match coord.inline_locals() {
        Term::Counter(_) => "n".to_string(),
        Term::Binary(CoordOp::Div | CoordOp::Shr, a, _) => format!("b{}", of(&a)),
        Term::Binary(CoordOp::Rem | CoordOp::And, a, _) => format!("r{}", of(&a)),
        Term::Binary(CoordOp::Add | CoordOp::Sub, ..) => "d".to_string(),
        Term::Binary(CoordOp::Or | CoordOp::Xor | CoordOp::Shl | CoordOp::Mul, ..)
        | Term::Const(_)
        | Term::Mode(_)
        | Term::Local(_) => "m".to_string(),
    };
    let free = |name: &String| indices.iter().all(|(_, i)| i.name != *name);
    let mut names = (0..).map(|n| if n == 0 { base.clone() } else { format!("{base}{n}") });
    names.find(free).expect("names do not run out")
}

/// Accesses replaced, and every reduction extended by the computed coordinates that its variables decide.
fn replace(e: IndexExpr, known: &[(Access, Access)], indices: &Arena<IndexId, IndexVar>) -> IndexExpr {
    match e {
        IndexExpr::Reduce { op, mut vars, body } => {
            let body = replace(*body, known, indices);
            let inside: BTreeSet<IndexId> = body.free_vars().into_iter().collect();
            for v in inside {
                let decided = indices[v]
                    .derived
                    .as_ref()
                    .is_some_and(|d| d.depends_on().iter().any(|m| vars.contains(m)));
                if decided && !vars.contains(&v) {
                    vars.push(v);
                }
            }
            IndexExpr::Reduce { op, vars, body: Box::new(body) }
        }
        e => {
            let lifted =
                |a: Access| known.iter().find(|(old, _)| *old == a).map_or(a, |(_, new)| new.clone());
            e.with_access(&lifted).map_children(&mut |c| replace(c, known, indices))
        }
    }
}
