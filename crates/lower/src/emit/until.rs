//! Loops that end where their reduction is decided.
//!
//! ```text
//! for p in lo..hi { t = t or (a[p] and x[crd[p]]) }                  rows may be short: what is beyond is asked for
//!     =>  for p in lo..end { t = t or (a[p] and x[crd[p]]) }         where end = min(lo + 4, hi)
//!         if end < hi && !t { for p in end..hi { if a[p] and x[crd[p]] { t = true; break } } }
//! for i in 0..n { t = t or x[i] }                                    rounds in vectors run on for a while
//!     =>  for s in 0..n step 128 { for i in s..min(s + 128, n) { t = t or x[i] }; if t { break } }
//! while p < p_end && q < q_end { …; t = t or (a[p] and b[q]); … }    a merge asks as it goes
//!     =>  while p < p_end && q < q_end { …; if a[p] and b[q] { t = true; break }; … }
//! for i in 0..n { for p in pos[i]..pos[i + 1] { … } }                so does what encloses loops
//!     =>  for i in 0..n { for p in pos[i]..pos[i + 1] { … }; if t { break } }
//! ```

use crate::emit::Emitter;
use crate::emit::visit::Visit;
use crate::graph::{KeptValues, Until};
use openwork_algebra::{Prim, Scalar};
use openwork_base::machine::threshold;
use openwork_index::TensorId;
use openwork_loops::build::{add, call, constant, eq, if_then, int, load, lt, var};
use openwork_loops::{BufId, Expr as Ir, LoopMode, Stmt as Code, Ty, VarId};

/// Rounds in vectors between two questions.
const STRETCH: i64 = 128;
/// Rounds before the first question. An answer that is chance costs as much as ten of them, and most rows of road maps and
/// meshes have no more than this.
const FIRST: i64 = 4;

impl Emitter<'_> {
    /// The code of a round, which ends the loop around it if that decides the reduction.
    pub(crate) fn ends_where_decided(&self, visit: &Visit, mut round: Vec<Code>) -> Vec<Code> {
        if let Some(until) = &visit.of.until {
            self.leaves_after(until, visit, &mut round);
        }
        round
    }
    /// What asks, after a loop inside a round, whether the reduction is decided.
    pub(crate) fn ends_if_decided(&self, visit: &Visit) -> Vec<Code> {
        let decided = visit.of.until.as_ref().and_then(|until| self.is_decided(until, visit));
        decided.map(|cond| if_then(cond, vec![Code::Break])).unwrap_or_default()
    }

    fn leaves_after(&self, until: &Until, visit: &Visit, round: &mut Vec<Code>) {
        let last = match round.last_mut() {
            None => return,
            Some(Code::If { then, other, .. }) if !has_loops(then) && !has_loops(other) => {
                self.leaves_after(until, visit, then);
                self.leaves_after(until, visit, other);
                return;
            }
            Some(last) => last,
        };
        if let Some(mut chosen) = only_where_chosen(until, last) {
            if let Code::If { then, .. } = &mut chosen {
                then.extend(self.ends_if_decided(visit));
            }
            *last = chosen;
            return;
        }
        match self.decides(until, last) {
            Some(cond) => {
                let decided = match (round.pop(), until.kept) {
                    (Some(Code::Set { var, .. }), KeptValues::One(value)) => {
                        Code::Set { var, val: constant(value) }
                    }
                    (Some(Code::Store { buf, at, .. }), KeptValues::One(value)) => {
                        Code::Store { buf, at, val: constant(value), reduce: None }
                    }
                    _ => unreachable!("only what sets or stores one value decides"),
                };
                round.extend(if_then(cond, vec![decided, Code::Break]));
            }
            None => round.extend(self.ends_if_decided(visit)),
        }
    }

    /// Whether a truth value that is combined with the reduction decides it. Nothing changes where it does not: the other
    /// truth value is the identity.
    fn decides(&self, until: &Until, s: &Code) -> Option<Ir> {
        let KeptValues::One(kept) = until.kept else { return None };
        if !until.at_once {
            return None;
        }
        let value = match s {
            Code::Set { var: held, val: Ir::Call { args, .. } }
                if self.temps.get(&until.target.tensor) == Some(held) =>
            {
                match &args[..] {
                    [Ir::Var(again), value] if again == held => value,
                    _ => return None,
                }
            }
            Code::Store { buf, val, reduce, .. } if self.holds(until.target.tensor, *buf) => {
                match reduce {
                    Some(_) => val,
                    // It was found to decide already.
                    None if *val == constant(kept) => return Some(constant(Scalar::Bool(true))),
                    None => return None,
                }
            }
            _ => return None,
        };
        Some(is(value.clone(), until.kept))
    }

    /// Whether an array has the values of a tensor.
    fn holds(&self, tensor: TensorId, buf: BufId) -> bool {
        self.tensors.get(&tensor).is_some_and(|ir| ir.vals == buf)
    }

    /// Whether the reduction has come to the value that it keeps.
    fn is_decided(&self, until: &Until, visit: &Visit) -> Option<Ir> {
        let held = match self.temps.get(&until.target.tensor) {
            Some(&temp) => var(temp),
            None => {
                let mut scope = visit.scope.clone();
                self.locate(&until.target, &mut scope);
                let place = self.leaf_place(&until.target, &scope)?;
                load(self.tensors[&until.target.tensor].vals, place.lo)
            }
        };
        Some(is(held, until.kept))
    }

    /// How rounds of a loop over positions are taken where it may end early: what they read lies anywhere, so vectors would
    /// not make up for rounds in vain.
    pub(crate) fn mode_until_decided(&self, visit: &Visit, counted: bool, mode: LoopMode) -> LoopMode {
        let directed = self.program.directives.loops.contains_key(&visit.v);
        if visit.of.until.is_some() && !counted && !directed { LoopMode::Serial } else { mode }
    }
    /// Whether all that a round does is to combine a truth value with the reduction.
    pub(crate) fn is_straight(&self, visit: &Visit, round: &[Code]) -> bool {
        let Some(until) = &visit.of.until else { return false };
        let [lets @ .., last] = round else { return false };
        lets.iter().all(|s| matches!(s, Code::Let { .. })) && self.decides(until, last).is_some()
    }
    /// `for v in lo..hi` in vectors, with a question between one stretch of rounds and the next.
    pub(crate) fn in_stretches(
        &mut self,
        visit: &Visit,
        v: VarId,
        lo: Ir,
        hi: Ir,
        body: Vec<Code>,
    ) -> Vec<Code> {
        let asked = self.ends_if_decided(visit);
        let directed = self.program.directives.loops.contains_key(&visit.v);
        let sought = match &visit.of.until {
            Some(until) if !directed => self.sought_in_stretch(until, &body, &asked),
            _ => None,
        };
        let whole = |lo: Ir, hi: Ir| match sought {
            Some(sought) => sought.loops(v, lo, hi),
            None => vec![Code::For { var: v, lo, hi, step: 1, mode: LoopMode::Vector, body }],
        };
        if asked.is_empty() || directed {
            return whole(lo, hi);
        }
        let (from, to) = (self.kernel.index("stretch"), self.kernel.index("stretch_end"));
        let end = call(Prim::Min, add(var(from), int(threshold(STRETCH, 2))), hi.clone());
        let mut stretch = vec![Code::Let { var: to, val: end }];
        stretch.extend(whole(var(from), var(to)));
        stretch.extend(asked);
        vec![Code::For {
            var: from,
            lo,
            hi,
            step: threshold(STRETCH, 2),
            mode: LoopMode::Serial,
            body: stretch,
        }]
    }
    /// A round that does nothing but look for a value that is kept, as a question for many rounds at once.
    fn sought_in_stretch(&mut self, until: &Until, round: &[Code], asked: &[Code]) -> Option<SoughtValue> {
        let [lets @ .., last] = round else { return None };
        let chosen = only_where_chosen(until, last).or_else(|| only_where_other(until, last))?;
        let Code::If { cond, mut then, other } = chosen else { return None };
        if !lets.iter().all(|s| matches!(s, Code::Let { .. })) || asked.is_empty() {
            return None;
        }
        then.extend_from_slice(asked);
        let hit = self.kernel.var("hit", Ty::BOOL);
        let found = call(Prim::Or, var(hit), cond.clone());
        let question = [lets, &[Code::Set { var: hit, val: found }]].concat();
        let answer = [lets, &[Code::If { cond, then, other }]].concat();
        Some(SoughtValue { hit, question, answer })
    }
    /// `for v in lo..hi`, the first rounds without a question, the others if they did not decide.
    pub(crate) fn first_unasked(
        &mut self,
        visit: &Visit,
        v: VarId,
        lo: Ir,
        hi: Ir,
        unasked: Vec<Code>,
        asked: Vec<Code>,
    ) -> Vec<Code> {
        let each = |lo, hi, body| Code::For { var: v, lo, hi, step: 1, mode: LoopMode::Serial, body };
        let Some(decided) = visit.of.until.as_ref().and_then(|until| self.is_decided(until, visit)) else {
            return vec![each(lo, hi, unasked)];
        };
        let end = self.kernel.index("first_end");
        let first = call(Prim::Min, add(lo.clone(), int(threshold(FIRST, 1))), hi.clone());
        let more =
            Code::If { cond: decided, then: Vec::new(), other: vec![each(var(end), hi.clone(), asked)] };
        let mut code = vec![Code::Let { var: end, val: first }, each(lo, var(end), unasked)];
        code.extend(if_then(lt(var(end), hi), vec![more]));
        code
    }
}

/// Rounds that look for a value, first whether there is one.
///
/// ```text
/// for j in lo..hi { t = choose(t, x[j]) }
///     =>  hit = false; for j in lo..hi { hit = hit or x[j] != 0 }
///         if hit { for j in lo..hi { if x[j] != 0 { t = choose(t, x[j]); if t != 0 { break } } } }
/// ```
struct SoughtValue {
    hit: VarId,
    question: Vec<Code>,
    answer: Vec<Code>,
}

impl SoughtValue {
    fn loops(self, v: VarId, lo: Ir, hi: Ir) -> Vec<Code> {
        let each = |mode, body| Code::For { var: v, lo: lo.clone(), hi: hi.clone(), step: 1, mode, body };
        let found = vec![each(LoopMode::Serial, self.answer)];
        let mut code = vec![Code::Let { var: self.hit, val: constant(Scalar::Bool(false)) }];
        code.push(each(LoopMode::Vector, self.question));
        code.extend(if_then(var(self.hit), found));
        code
    }
}

/// A value that may be kept is combined where it is one.
fn only_where_other(until: &Until, s: &Code) -> Option<Code> {
    let (Code::Set { var: held, val: Ir::Call { prim: Prim::Choose, args } }, KeptValues::AllBut(passed)) =
        (s, until.kept)
    else {
        return None;
    };
    let [Ir::Var(again), value] = &args[..] else { return None };
    let cond = call(Prim::Ne, value.clone(), constant(passed));
    (again == held).then(|| Code::If { cond, then: vec![s.clone()], other: Vec::new() })
}

/// What is chosen under a condition, or else passed over, is computed where that holds.
///
/// ```text
/// t = choose(t, select(c, v, 0))      if c { t = choose(t, v) }
/// ```
fn only_where_chosen(until: &Until, s: &Code) -> Option<Code> {
    let (Code::Set { var: held, val: Ir::Call { prim, args } }, KeptValues::AllBut(passed)) = (s, until.kept)
    else {
        return None;
    };
    let [Ir::Var(again), Ir::Call { prim: Prim::Select, args: choice }] = &args[..] else { return None };
    let [cond, value, elsewhere] = &choice[..] else { return None };
    let same = *prim == Prim::Choose && again == held && *elsewhere == constant(passed);
    let then = vec![Code::Set { var: *held, val: call(Prim::Choose, var(*held), value.clone()) }];
    same.then(|| Code::If { cond: cond.clone(), then, other: Vec::new() })
}

fn has_loops(code: &[Code]) -> bool {
    code.iter().any(|s| match s {
        Code::If { then, other, .. } => has_loops(then) || has_loops(other),
        s => matches!(s, Code::For { .. } | Code::While { .. }),
    })
}

/// Whether a value is one of those.
fn is(held: Ir, kept: KeptValues) -> Ir {
    match kept {
        KeptValues::One(Scalar::Bool(true)) => held,
        KeptValues::One(Scalar::Bool(false)) => Ir::Call { prim: Prim::Not, args: vec![held] },
        KeptValues::One(value) => eq(held, constant(value)),
        KeptValues::AllBut(value) => call(Prim::Ne, held, constant(value)),
    }
}
