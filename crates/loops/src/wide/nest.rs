//! Nests that add up rows, whose innermost `vector` loop is taken to the outside as a [`wide`](super) loop: a piece of the
//! row stays in registers while the loops that were around it run.
//!
//! ```text
//! for p in lo..hi {                      if lo < hi {
//!   let v: f64 = a[p]                      wide(8) for k in 0..m {
//!   let b: i64 = i64(crd[p]) * m             let sum: f64 = y[c + k]
//!   vector for k in 0..m {        =>         for p in lo..hi {
//!     y[c + k] += v * x[b + k]                 let v: f64 = a[p]
//!   }                                          let b: i64 = i64(crd[p]) * m
//! }                                            sum = sum + v * x[b + k]
//!                                            }
//!                                            y[c + k] = sum
//!                                          }
//!                                        }
//! ```
//!
//! The pass proves for itself that this is allowed and otherwise leaves the nest as it is, with a reason:
//!
//! - serial loops with step 1, each of lets and one loop, and inside all of them a `vector` loop of lets and one store
//!   that combines;
//! - nothing in the nest loads from the buffer of that store;
//! - neither the bounds of the inner loop nor the index of the store depend on a round of the loops around it.
//!
//! How long rows are does not matter: one call serves all rounds of the loops around them. A row is touched only where the
//! outermost loop has a round.
//!
//! Every element is combined with the same values in the same order as before, so floats keep their bits.

use super::{Wide, WideLeaf, joined};
use crate::build::{call, load, lt, set, store, var};
use crate::jam::{InnerSink, reads, sink};
use crate::kinds::is_plain;
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::walk::{blocks_mut, depends, exprs, substitute};
use openwork_algebra::{DType, Prim};
use openwork_base::{IdMap, IdSet};

/// What became of one nest around a `vector` loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestDecision {
    /// The name of the variable of the outermost loop that was looked at.
    pub var: String,
    /// How many loops went into the wide one, or why none did.
    pub outcome: Result<usize, String>,
}

/// Turns the nests of a lawful, simplified kernel inside out where that gives a wide loop; before [`jam`](crate::jam()).
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{Wide, wide::nest, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, m: i64, a: in f64[], x: in f64[], y: out f64[]) {
///   for p in 0..n { vector for k in 0..m { y[k] += a[p] * x[p * m + k] } }
/// }")).unwrap();
/// let (k, decisions) = nest(k, &Wide::new(64, 128));
/// assert_eq!(decisions[0].outcome, Ok(1));
/// assert!(print(&k).contains("wide(8) for k in 0..m {\n      let sum: f64 = y[k]"));
/// ```
pub fn nest(mut kernel: LoopKernel, wide: &Wide) -> (LoopKernel, Vec<NestDecision>) {
    let mut decisions = Vec::new();
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, wide, body, &mut decisions);
    joined::without_dead_stores(&mut kernel);
    (kernel, decisions)
}

fn block(
    kernel: &mut LoopKernel,
    wide: &Wide,
    body: Vec<Stmt>,
    decisions: &mut Vec<NestDecision>,
) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if let Stmt::For { var, mode: LoopMode::Serial, .. } = &s
            && let Some(loops) = depth(&s)
        {
            let name = kernel.vars.get(*var).map_or_else(String::new, |v| v.name.clone());
            let turned = turn(kernel, wide, &s).and_then(|(new, leaf)| match leaf.gathers() {
                // Of padded rows, one column after the other is read: all of them in turns would be too many for a cache.
                true => Err("its elements lie apart".into()),
                false => Ok(new),
            });
            let outcome = turned.as_ref().map(|_| loops).map_err(String::clone);
            decisions.push(NestDecision { var: name, outcome });
            if let Ok(new) = turned {
                let new = joined::merge_start(kernel, wide, &mut out, new);
                out.extend(new);
                continue;
            }
        }
        if joined::merge_finish(kernel, wide, &mut out, &s) {
            continue;
        }
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, wide, std::mem::take(inner), decisions);
        }
        out.push(s);
    }
    out
}

/// How many loops are around the one `vector` loop, each of lets and a loop.
fn depth(s: &Stmt) -> Option<usize> {
    let Stmt::For { mode, step: 1, body, .. } = s else { return None };
    if *mode == LoopMode::Vector {
        return Some(0);
    }
    let (last, before) = body.split_last()?;
    let plain = before.iter().all(is_plain);
    if plain { depth(last).map(|n| n + 1) } else { None }
}

/// The loops of a nest, and the statements of all their bodies.
fn open_nest<'s>(s: &'s Stmt, lets: &mut Vec<&'s Stmt>, vars: &mut Vec<VarId>) -> Result<&'s Stmt, String> {
    let Stmt::For { var, mode, body, .. } = s else { return Err("it is no nest".into()) };
    if *mode == LoopMode::Vector {
        return Ok(s);
    }
    vars.push(*var);
    let (last, before) = body.split_last().ok_or("its body is empty")?;
    lets.extend(before);
    open_nest(last, lets, vars)
}

/// The nest inside out, and its `wide` loop as it is understood.
pub(super) fn turn(kernel: &mut LoopKernel, wide: &Wide, s: &Stmt) -> Result<(Vec<Stmt>, WideLeaf), String> {
    let Stmt::For { var: outer, lo: first, hi: end, .. } = s else { return Err("it is no nest".into()) };
    let (mut lets, mut vars) = (Vec::new(), Vec::new());
    let inner = open_nest(s, &mut lets, &mut vars)?;
    let Stmt::For { var: k, lo, hi, body, .. } = inner else { return Err("it is no nest".into()) };
    if ![first, end].into_iter().all(simple) {
        return Err("its bounds are no variables".into());
    }
    let InnerSink { buf, at, prim, elem } = sink(kernel, inner)?;
    if !matches!(elem, DType::F32 | DType::F64) {
        return Err(format!("there are no wide vectors of {elem}"));
    }
    let name = kernel.bufs[buf].name.clone();
    let nested = lets.iter().chain([&inner]).flat_map(|s| exprs(s));
    if nested.chain(body.iter().flat_map(exprs)).any(|e| reads(e, buf)) || loop_reads(s, buf) {
        return Err(format!("{name} is loaded in its body"));
    }
    let mut outside = Outside::new(vars.iter().copied());
    lets.iter().for_each(|s| outside.learn(s));
    let at = outside.hoist(&at).ok_or_else(|| format!("where {name} is stored to changes"))?;
    let bound = |e| outside.hoist(e).ok_or_else(|| "the bounds of its inner loop change".to_string());
    let (lo, hi) = (bound(lo)?, bound(hi)?);
    let sum = kernel.var("sum", Ty::scalar(elem));
    let row = turn_nest(s, sum, prim);
    let body = vec![Stmt::Let { var: sum, val: load(buf, at.clone()) }, row, store(buf, at, var(sum))];
    let mode = LoopMode::Wide { lanes: wide.lanes(elem.size()) };
    let cond = lt(first.clone(), end.clone());
    let new = Stmt::For { var: *k, lo, hi, step: 1, mode, body };
    let leaf = WideLeaf::read(kernel, &new, wide)?;
    debug_assert!(vars.contains(outer));
    Ok((vec![Stmt::If { cond, then: vec![new], other: Vec::new() }], leaf))
}

/// Whether a bound may be written twice.
fn simple(e: &Expr) -> bool {
    matches!(e, Expr::Const(_) | Expr::Var(_))
}

fn loop_reads(s: &Stmt, buf: crate::BufId) -> bool {
    let Stmt::For { body, .. } = s else { return false };
    exprs(s).any(|e| reads(e, buf)) || body.last().is_some_and(|inner| loop_reads(inner, buf))
}

/// What can be said outside of the nest.
pub(super) struct Outside {
    /// Variables that mean nothing there.
    inner: IdSet<VarId>,
    /// Those that do, by their values there.
    known: IdMap<VarId, Expr>,
}

impl Outside {
    pub(super) fn new(inner: impl IntoIterator<Item = VarId>) -> Outside {
        Outside { inner: inner.into_iter().collect(), known: IdMap::default() }
    }
    pub(super) fn learn(&mut self, s: &Stmt) {
        if let Stmt::Let { var, val } = s {
            if let Some(val) = self.hoist(val) {
                self.known.insert(*var, val);
            } else {
                self.inner.insert(*var);
            }
        }
    }
    /// `e` as it can be computed outside, if it can: without memory, which a loop without rounds may not touch.
    pub(super) fn hoist(&self, e: &Expr) -> Option<Expr> {
        let e = substitute(e, &|v| self.known.get(&v).cloned());
        (!depends(&e, &|v| self.inner.contains(&v))).then_some(e)
    }
}

/// The nest without its `vector` loop, whose store joins `sum`.
fn turn_nest(s: &Stmt, sum: VarId, prim: Prim) -> Stmt {
    let Stmt::For { var: v, lo, hi, step, mode, body } = s else { return s.clone() };
    let mut out = Vec::new();
    for inner in body {
        match inner {
            Stmt::For { mode: LoopMode::Vector, body, .. } => {
                out.extend(body.iter().map(|s| match s {
                    Stmt::Store { val, .. } => set(sum, call(prim, var(sum), val.clone())),
                    s => s.clone(),
                }));
            }
            Stmt::For { .. } => out.push(turn_nest(inner, sum, prim)),
            s => out.push(s.clone()),
        }
    }
    Stmt::For { var: *v, lo: lo.clone(), hi: hi.clone(), step: *step, mode: *mode, body: out }
}
