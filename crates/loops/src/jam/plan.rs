//! The plan of a jam: whether the rounds of a loop may be taken together, and how.

use super::JamOptions;
use crate::kinds::{StmtKind, read_buffer};
use crate::nodes::{BufId, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::vectorize::{Reassociate, RoundFacts, straighten};
use crate::verify::reduces_in_lanes;
use crate::walk::{any_part, each_stmt, exprs};
use openwork_algebra::{DType, DTypeKind, Prim};
use openwork_base::IdSet;

/// A loop nest that may be jammed.
#[derive(Clone, Debug)]
pub(super) struct JamPlan {
    /// Outer rounds per round of the main loop; a power of two, at least 2.
    pub factor: usize,
    pub outer: ForLoop,
    pub inner: ForLoop,
    /// How the one store combines.
    pub prim: Prim,
    /// The dtype of what it combines.
    pub elem: DType,
    /// The outer loop variable, and the variables whose values differ from round to round because of it.
    pub varying: IdSet<VarId>,
}

/// A `for` loop with step 1. The body of the outer one is without the inner one, which follows it.
#[derive(Clone, Debug)]
pub(super) struct ForLoop {
    pub var: VarId,
    pub lo: Expr,
    pub hi: Expr,
    pub body: Vec<Stmt>,
}

/// The statement by which the inner loop accumulates, with index arithmetic put where it is used.
pub(crate) struct InnerSink {
    pub buf: BufId,
    pub at: Expr,
    pub prim: Prim,
    pub elem: DType,
}

/// Whether `s` is a `vector` loop.
pub(super) fn is_vector_loop(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Vector, .. })
}

/// Plans the jamming of a loop that holds a `vector` loop, or says why it must stay as it is.
pub(super) fn plan(kernel: &LoopKernel, options: &JamOptions, s: &Stmt) -> Result<JamPlan, String> {
    if options.factor < 2 {
        return Err("one round at a time was asked for".into());
    }
    let (outer, inner) = nest(s)?;
    let name = |v: VarId| kernel.vars.get(v).map_or("", |v| &v.name);
    let sink =
        accumulates(kernel, &inner).map_err(|why| format!("in the loop over {}, {why}", name(inner.var)))?;
    let target = &kernel.bufs[sink.buf].name;
    if loads(&outer.body, sink.buf)
        || loads(&inner.body, sink.buf)
        || bounds(&inner).any(|e| reads(e, sink.buf))
    {
        return Err(format!("{target} is loaded in its body"));
    }
    let varying = varying_vars(&outer, &inner);
    if bounds(&inner).any(|e| mentions(e, &varying)) {
        return Err(format!("the bounds of {} change from round to round", name(inner.var)));
    }
    if mentions(&sink.at, &varying) {
        return Err(format!("where {target} is stored to changes from round to round"));
    }
    if !regroups(&sink, options.reassociate) {
        return Err(format!("the order in which {target} is reduced is strict"));
    }
    let factor = 1 << options.factor.min(16).ilog2();
    Ok(JamPlan { factor, outer, inner, prim: sink.prim, elem: sink.elem, varying })
}

/// The two loops: lets, and then the inner loop.
fn nest(s: &Stmt) -> Result<(ForLoop, ForLoop), String> {
    let outer = as_loop(s).ok_or("its step is not 1")?;
    let [before @ .., last] = &outer.body[..] else { return Err("its body is empty".into()) };
    if !is_vector_loop(last) {
        return Err("something follows its inner loop".into());
    }
    for s in before {
        match s {
            Stmt::Let { .. } => {}
            s => match s.kind() {
                StmtKind::Remark => {}
                StmtKind::Loop => return Err("it holds several loops".into()),
                StmtKind::Value => return Err("a variable is set in its body".into()),
                StmtKind::Store => return Err("it stores outside of its inner loop".into()),
                kind => return Err(kind.why_not_straight().into()),
            },
        }
    }
    let inner = as_loop(last).ok_or("the step of its inner loop is not 1")?;
    Ok((ForLoop { body: before.to_vec(), ..outer }, inner))
}

fn as_loop(s: &Stmt) -> Option<ForLoop> {
    let Stmt::For { var, lo, hi, step: 1, mode: _, body } = s else { return None };
    Some(ForLoop { var: *var, lo: lo.clone(), hi: hi.clone(), body: body.clone() })
}

/// How a `vector` loop with step 1 accumulates.
pub(crate) fn sink(kernel: &LoopKernel, s: &Stmt) -> Result<InnerSink, String> {
    accumulates(kernel, &as_loop(s).ok_or("its step is not 1")?)
}

/// How the inner loop accumulates; its body must be lets and one store, element after element.
fn accumulates(kernel: &LoopKernel, inner: &ForLoop) -> Result<InnerSink, String> {
    let body = straighten(kernel, &inner.body)?;
    let facts = RoundFacts::new(kernel, inner.var, &body)?;
    let mut found = None;
    for s in &body {
        match s {
            Stmt::Let { .. } => {}
            Stmt::Store { buf, at, val, reduce } => {
                let name = &kernel.bufs[*buf].name;
                let Some(prim) = *reduce else { return Err(format!("{name} is overwritten")) };
                let Ty { elem, lanes: 1 } = kernel.ty(val)? else {
                    return Err("there are vectors already".into());
                };
                if facts.stride(at) != Some(1) {
                    return Err(format!("{name} is not stored to element after element"));
                }
                if found.replace(InnerSink { buf: *buf, at: at.clone(), prim, elem }).is_some() {
                    return Err("there are several stores".into());
                }
            }
            s => match s.kind() {
                StmtKind::Remark => {}
                StmtKind::Value => return Err("a variable is set".into()),
                StmtKind::Store
                | StmtKind::Loop
                | StmtKind::Branch
                | StmtKind::Room
                | StmtKind::Leave
                | StmtKind::End => {
                    return Err("the body is not straight-line".into());
                }
            },
        }
    }
    found.ok_or_else(|| "nothing is stored".into())
}

/// The variables whose values depend on the round of the outer loop. The value of a let that depends on no such
/// variable is the same in every round: nothing that it may load is stored to.
fn varying_vars(outer: &ForLoop, inner: &ForLoop) -> IdSet<VarId> {
    let mut varying = IdSet::from_iter([outer.var]);
    for s in outer.body.iter().chain(&inner.body) {
        if let Stmt::Let { var, val } = s
            && mentions(val, &varying)
        {
            varying.insert(*var);
        }
    }
    varying
}

fn bounds(l: &ForLoop) -> impl Iterator<Item = &Expr> {
    [&l.lo, &l.hi].into_iter()
}

pub(crate) fn reads(e: &Expr, buf: BufId) -> bool {
    any_part(e, &|part| read_buffer(part) == Some(buf))
}

fn loads(body: &[Stmt], buf: BufId) -> bool {
    let mut found = false;
    each_stmt(body, &mut |s| found |= exprs(s).any(|e| reads(e, buf)));
    found
}

/// Whether `e` reads one of these variables.
pub(super) fn mentions(e: &Expr, vars: &IdSet<VarId>) -> bool {
    any_part(e, &|part| matches!(part, Expr::Var(v) if vars.contains(v)))
}

/// Whether `a + (b + c)` may stand for `(a + b) + c`. The order of the operands stays, so `min` and `max` give the same
/// bits even for zeros of either sign and NaN.
fn regroups(sink: &InnerSink, how: Reassociate) -> bool {
    if !reduces_in_lanes(sink.prim, sink.elem) {
        return false;
    }
    let inexact = sink.elem.kind() >= DTypeKind::Float
        && !matches!(sink.prim, Prim::Min | Prim::Max | Prim::Least | Prim::Most);
    !inexact || how == Reassociate::Allowed
}
