//! Loops that only feed one side of a `select`, which are moved to where that side is taken: the other side is not computed.
//!
//! ```text
//! let t: f64 = 0.0                           if m[i] {
//! for p in lo..hi {                            let t: f64 = 0.0
//!   t = t + a[p] * x[crd[p]]            =>     for p in lo..hi {
//! }                                              t = t + a[p] * x[crd[p]]
//! y[i] = select(m[i], t, 0.0)                  }
//!                                              y[i] = t
//!                                            } else {
//!                                              y[i] = 0.0
//!                                            }
//! ```
//! This is how rows outside of a mask cost nothing (array-programming paper, §7.1: omitter points). Only lets and loops that
//! set no variable but their own may be left out: they write to no buffer and cannot fail.

use crate::kinds::StmtKind;
use crate::nodes::{Expr, LoopKernel, Stmt, Ty, VarId};
use crate::walk::{blocks_mut, born_var, each_part, each_stmt, exprs, has_loop, leaves, set_var};
use openwork_algebra::Prim;
use openwork_base::IdSet;

/// Moves loops of a lawful kernel that feed one side of a choice to where that side is taken.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{choose, text::{parse, print}};
/// let text = "kernel k(n: i64, m: in bool[], x: in f64[], y: out f64[]) {
///   let t: f64 = 0.0
///   for p in 0..n { t = t + x[p] }
///   y[0] = select(m[0], t, 0.0)
/// }";
/// let k = print(&choose(parse(&Source::new("demo", text)).unwrap()));
/// assert!(k.contains("if m[0] {\n    let t: f64 = 0.0") && k.contains("else {\n    y[0] = 0.0"));
/// ```
pub fn choose(mut kernel: LoopKernel) -> LoopKernel {
    let mut body = std::mem::take(&mut kernel.body);
    block(&kernel, &mut body);
    kernel.body = body;
    kernel
}

fn block(kernel: &LoopKernel, body: &mut Vec<Stmt>) {
    for s in body.iter_mut() {
        blocks_mut(s).for_each(|b| block(kernel, b));
    }
    let mut at = 0;
    while at < body.len() {
        if let Some(from) = beginning(body, at)
            && let Some((cond, then, other)) = sides(&body[at])
            // Lanes may be chosen from both sides.
            && kernel.ty(&cond) == Ok(Ty::BOOL)
        {
            let mut fed: Vec<Stmt> = body.drain(from..at).collect();
            fed.push(then);
            body[from] = Stmt::If { cond, then: fed, other: vec![other] };
            at = from;
        }
        at += 1;
    }
}

/// Where the statements begin that only feed the first side of the choice at `at`, if there is a loop among them.
fn beginning(body: &[Stmt], at: usize) -> Option<usize> {
    let needed = needed_anyway(body, at)?;
    let mut from = at;
    while from > 0 && feeds(&body[from - 1], &needed) {
        from -= 1;
    }
    // Everything that a loop sets is born among the statements that move.
    while from < at && !is_closed(&body[from..at]) {
        from += 1;
    }
    body[from..at].iter().any(has_loop).then_some(from)
}

/// The variables that are used whatever is chosen: by the condition, by the other side, where the value is stored, and after
/// it. Nothing where the statement is no choice.
fn needed_anyway(body: &[Stmt], at: usize) -> Option<IdSet<VarId>> {
    let (Stmt::Store { val, .. } | Stmt::Set { val, .. }) = &body[at] else { return None };
    let Expr::Call { prim: Prim::Select, args } = val else { return None };
    let [condition, kept, other] = &args[..] else { return None };
    if matches!(kept, Expr::Const(_)) {
        return None;
    }
    let mut needed = IdSet::default();
    let mut note = |e: &Expr| {
        each_part(e, &mut |e| {
            if let Expr::Var(v) = e {
                needed.insert(*v);
            }
        });
    };
    note(condition);
    note(other);
    if let Stmt::Store { at, .. } = &body[at] {
        note(at);
    }
    each_stmt(&body[at + 1..], &mut |s| exprs(s).for_each(&mut note));
    Some(needed)
}

/// Whether a statement does nothing but give values to variables, and none that is needed.
fn feeds(s: &Stmt, needed: &IdSet<VarId>) -> bool {
    let plain = matches!(s, Stmt::Let { .. } | Stmt::For { .. } | Stmt::While { .. } | Stmt::Note(_));
    // What leaves a loop leaves one that moves with it.
    let mut only = plain || matches!(s, Stmt::If { .. }) && !leaves(std::slice::from_ref(s));
    each_stmt(std::slice::from_ref(s), &mut |s| {
        only &= match s.kind() {
            StmtKind::Value | StmtKind::Loop | StmtKind::Branch | StmtKind::Leave | StmtKind::Remark => true,
            StmtKind::Store | StmtKind::Room | StmtKind::End => false,
        };
        only &= born_var(s).or(set_var(s)).is_none_or(|v| !needed.contains(&v));
    });
    only
}

/// Whether the statements set no variable that is born outside of them.
fn is_closed(statements: &[Stmt]) -> bool {
    let (mut own, mut set) = (IdSet::default(), IdSet::default());
    each_stmt(statements, &mut |s| {
        own.extend(born_var(s));
        set.extend(set_var(s));
    });
    set.is_subset(&own)
}

/// A choice as its condition and the statement for either side.
fn sides(choice: &Stmt) -> Option<(Expr, Stmt, Stmt)> {
    let (Stmt::Store { val, .. } | Stmt::Set { val, .. }) = choice else { return None };
    let Expr::Call { prim: Prim::Select, args } = val else { return None };
    let [condition, kept, other] = &args[..] else { return None };
    let with = |value: &Expr| {
        let mut s = choice.clone();
        if let Stmt::Store { val, .. } | Stmt::Set { val, .. } = &mut s {
            *val = value.clone();
        }
        s
    };
    Some((condition.clone(), with(kept), with(other)))
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::random::{Rng, random_kernel, traces};
    use crate::text::{parse, print};
    use crate::verify::verify;
    use openwork_base::Source;

    #[track_caller]
    fn becomes(from: &str, to: &str) {
        let head = "kernel k(n: i64, m: in bool[], x: in f64[], y: out f64[])";
        let read = |body| parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap();
        assert_eq!(print(&choose(read(from))), print(&read(to)));
    }

    #[test]
    fn loops_move_to_the_side_that_they_feed() {
        becomes(
            "let c: bool = m[0]\nlet t: f64 = 0.0\nfor p in 0..n { t = t + x[p] }\ny[0] = select(!c, t, 0.0)",
            "let c: bool = m[0]\nif !c {\nlet t: f64 = 0.0\nfor p in 0..n { t = t + x[p] }\ny[0] = t\n} else {\ny[0] = 0.0\n}",
        );
    }

    #[test]
    fn loops_that_are_left_early_move_with_what_is_asked_before_them() {
        let (first, rest) = (
            "let t: f64 = 0.0\nfor p in 0..4 { t = t + x[p] }\n",
            "if t == 0.0 {\nfor q in 4..n {\nif x[q] != 0.0 {\nt = 1.0\nbreak\n}\n}\n}\n",
        );
        becomes(
            &format!("{first}{rest}y[0] = select(m[0], t, 0.0)"),
            &format!("if m[0] {{\n{first}{rest}y[0] = t\n}} else {{\ny[0] = 0.0\n}}"),
        );
    }

    #[test]
    fn branches_that_leave_a_loop_stay() {
        let text = "for q in 0..n {\nlet t: f64 = 0.0\nif x[q] == 0.0 {\nfor p in 0..4 { t = t + x[p] }\nbreak\n}\ny[q] = select(m[0], t, 0.0)\n}";
        becomes(text, text);
    }

    #[test]
    fn what_is_needed_anyway_stays() {
        for kept in [
            // No loop.
            "let t: f64 = x[0]\ny[0] = select(m[0], t, 0.0)",
            // Used after it, by the condition, by the other side.
            "let t: f64 = 0.0\nfor p in 0..n { t = t + x[p] }\ny[0] = select(m[0], t, 0.0)\ny[1] = t",
            "let t: f64 = 0.0\nfor p in 0..n { t = t + x[p] }\ny[0] = select(t > 0.0, t, 0.0)",
            "let t: f64 = 0.0\nfor p in 0..n { t = t + x[p] }\ny[0] = select(m[0], t, -t)",
            // Another effect.
            "let t: f64 = 0.0\nfor p in 0..n {\nt = t + x[p]\ny[p] = t\n}\ny[0] = select(m[0], t, 0.0)",
            // Both sides are constants.
            "let t: f64 = 0.0\nfor p in 0..n { t = t + x[p] }\ny[0] = select(m[0], 1.0, 0.0)",
        ] {
            becomes(kept, kept);
        }
    }

    #[test]
    fn random_kernels_do_what_they_did() {
        for seed in 0..1000 {
            let k = random_kernel(&mut Rng::new(seed));
            let c = choose(k.clone());
            if let Err(found) = verify(&c) {
                panic!("seed {seed}: {}\n{k}", found[0]);
            }
            assert_eq!(traces(&k, seed), traces(&c, seed), "seed {seed}\n{k}\n{c}");
        }
    }
}
