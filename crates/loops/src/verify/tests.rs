use super::*;
use crate::build::*;
use crate::nodes::Var;
use openwork_algebra::Scalar;

/// A kernel with one parameter `n`, a loop variable `i`, a float `t`, and buffers of each role.
struct Fixture {
    k: LoopKernel,
    n: VarId,
    i: VarId,
    t: VarId,
    x: BufId,
    y: BufId,
    w: BufId,
}
fn fixture() -> Fixture {
    let mut k = LoopKernel::new("k");
    let (n, i) = (k.param("n"), k.index("i"));
    let t = k.var("t", Ty::scalar(DType::F64));
    let x = k.buf("x", DType::F64, BufRole::In);
    let y = k.buf("y", DType::F64, BufRole::Out);
    let w = k.buf("w", DType::I32, BufRole::Temp);
    Fixture { k, n, i, t, x, y, w }
}
fn f(x: f64) -> Expr {
    constant(Scalar::F64(x))
}
fn loop_over(v: VarId, step: i64, body: Vec<Stmt>) -> Stmt {
    Stmt::For { var: v, lo: int(0), hi: int(4), step, mode: LoopMode::Serial, body }
}
/// `body` breaks exactly `law`, and the message says `part`.
#[track_caller]
fn breaks(mut k: LoopKernel, body: Vec<Stmt>, law: LawPart, part: &str) {
    k.body = body;
    let found = verify(&k).expect_err("a violation");
    assert!(found.iter().all(|v| v.law == law), "{found:?}");
    assert!(found[0].to_string().contains(part), "{}", found[0]);
}

#[test]
fn lawful_code_passes() {
    let Fixture { mut k, n, i, t, x, y, w } = fixture();
    k.body = vec![
        loop_over(i, 1, vec![Stmt::Let { var: t, val: load(x, var(i)) }, store(y, var(i), var(t))]),
        loop_over(i, 2, vec![Stmt::Let { var: t, val: f(0.0) }, set(t, f(1.0))]),
        Stmt::Reserve { buf: w, len: var(n) },
        Stmt::SetLen { buf: y, len: var(n) },
        Stmt::Fail(Status::CheckFailed),
    ];
    assert_eq!(verify(&k), Ok(()));
}

#[test]
fn only_temporaries_keep_and_nothing_given_is_uninit() {
    for (init, role, lawful) in [
        (Init::Kept, BufRole::Temp, true),
        (Init::Kept, BufRole::Out, false),
        (Init::Kept, BufRole::In, false),
        (Init::Given, BufRole::Out, true),
        (Init::Given, BufRole::Temp, false),
        (Init::Given, BufRole::In, false),
        (Init::Uninit, BufRole::Out, true),
        (Init::Uninit, BufRole::In, false),
    ] {
        let Fixture { mut k, x, y, w, .. } = fixture();
        let b = if role == BufRole::Temp { w } else { [x, y][usize::from(role == BufRole::Out)] };
        k.bufs[b].init = init;
        match lawful {
            true => assert_eq!(verify(&k), Ok(())),
            false => breaks(k, vec![], LawPart::Roles, "in its role"),
        }
    }
}

#[test]
fn names_are_unique_and_writable() {
    let Fixture { mut k, .. } = fixture();
    k.vars.push(Var { name: "x".into(), ty: Ty::INDEX });
    breaks(k, vec![], LawPart::Names, "two things are called x");
    let Fixture { mut k, .. } = fixture();
    k.vars.push(Var { name: "for".into(), ty: Ty::INDEX });
    breaks(k, vec![], LawPart::Names, "\"for\" cannot be written");
    breaks(LoopKernel::new("a b"), vec![], LawPart::Names, "\"a b\" cannot be written");
}

#[test]
fn parameters_are_distinct_indices() {
    let Fixture { mut k, n, t, .. } = fixture();
    k.params = vec![n, n];
    breaks(k, vec![], LawPart::Parameters, "twice");
    let Fixture { mut k, .. } = fixture();
    k.params = vec![t];
    breaks(k, vec![], LawPart::Parameters, "t is not an i64");
}

#[test]
fn variables_are_used_only_while_alive() {
    let Fixture { k, i, t, y, .. } = fixture();
    let read = || store(y, int(0), var(t));
    let born = || Stmt::Let { var: t, val: f(0.0) };
    let scope = |body, part| breaks(k.clone(), body, LawPart::Scope, part);
    scope(vec![read()], "y[0] = t\n  ^^^^^^^^ t is not alive here");
    scope(vec![set(t, f(0.0))], "t is not alive");
    scope(vec![loop_over(i, 1, vec![born()]), read()], "t is not alive");
    scope(vec![Stmt::If { cond: lt(int(0), int(1)), then: vec![born()], other: vec![read()] }], "not alive");
    scope(vec![loop_over(i, 1, vec![]), store(y, var(i), f(0.0))], "i is not alive");
    scope(vec![born(), born()], "t is already alive");
    scope(vec![loop_over(i, 1, vec![loop_over(i, 1, vec![])])], "i is already alive");
    scope(vec![Stmt::Let { var: t, val: var(t) }], "t is not alive");
}

#[test]
fn loop_variables_are_left_alone() {
    let Fixture { k, i, t, .. } = fixture();
    breaks(
        k.clone(),
        vec![loop_over(i, 1, vec![set(i, int(2))])],
        LawPart::LoopVariables,
        "i is a loop variable",
    );
    breaks(k, vec![loop_over(t, 1, vec![])], LawPart::LoopVariables, "t is not an i64");
}

#[test]
fn everything_is_typed() {
    let Fixture { k, n, t, x, y, w, .. } = fixture();
    let types = |body, part| breaks(k.clone(), body, LawPart::Types, part);
    types(vec![Stmt::Let { var: t, val: int(1) }], "the value of t must be f64, not i64");
    types(vec![store(w, int(0), int(1))], "w holds i32, not i64");
    types(vec![store(y, f(0.0), f(0.0))], "an index must be i64, not f64");
    types(vec![store(y, int(0), load(x, f(1.0)))], "an index must be a scalar i64");
    types(vec![Stmt::While { cond: int(1), body: vec![] }], "a condition must be bool");
    types(vec![Stmt::If { cond: var(n), then: vec![], other: vec![] }], "a condition must be bool");
    types(vec![Stmt::Reserve { buf: y, len: f(1.0) }], "a length must be i64");
    types(vec![set(n, call(Prim::Add, var(n), f(1.0)))], "the types differ");
    types(vec![store(y, int(0), Expr::Splat { lanes: 3, arg: f(0.0).into() })], "3 lanes");
    types(vec![store(y, int(0), Expr::VLoad { buf: x, at: int(0).into(), lanes: 0 })], "0 lanes");
    types(vec![store(y, int(0), Expr::Pack(vec![f(0.0); 3]))], "3 lanes");
    types(vec![store(BufId::new(9), int(0), int(0))], "there is no buffer b9");
    types(vec![Stmt::Let { var: VarId::new(9), val: int(0) }], "there is no variable v9");
    let half = Stmt::For { var: n, lo: f(0.5), hi: int(1), step: 1, mode: LoopMode::Serial, body: vec![] };
    let mut free = k.clone();
    free.params.clear();
    breaks(free, vec![half], LawPart::Types, "a bound must be i64, not f64");
}

#[test]
fn roles_are_kept() {
    let Fixture { k, x, w, .. } = fixture();
    breaks(k.clone(), vec![store(x, int(0), f(0.0))], LawPart::Roles, "x is an input");
    let mut read = k.clone();
    read.bufs[x].init = Init::Uninit;
    breaks(read, vec![], LawPart::Roles, "x cannot be uninit in its role");
    breaks(k.clone(), vec![Stmt::Reserve { buf: x, len: int(1) }], LawPart::Roles, "x is an input");
    breaks(k.clone(), vec![Stmt::SetLen { buf: w, len: int(1) }], LawPart::Roles, "w is not an output");
    breaks(k, vec![Stmt::SetLen { buf: x, len: int(1) }], LawPart::Roles, "x is not an output");
}

#[test]
fn steps_reductions_and_failures() {
    let Fixture { k, i, y, .. } = fixture();
    breaks(k.clone(), vec![loop_over(i, 0, vec![])], LawPart::Steps, "at least 1, not 0");
    let sub = Stmt::Store { buf: y, at: int(0), val: f(1.0), reduce: Some(Prim::Sub) };
    breaks(k.clone(), vec![sub], LawPart::Reductions, "sub does not reduce f64");
    let fold = Expr::Fold { prim: Prim::Div, arg: Expr::Splat { lanes: 2, arg: f(1.0).into() }.into() };
    breaks(k.clone(), vec![store(y, int(0), fold)], LawPart::Reductions, "div does not reduce f64");
    breaks(k, vec![Stmt::Fail(Status::Ok)], LawPart::Failure, "ok is not an error");
}

#[test]
fn breaks_leave_serial_loops() {
    let Fixture { k, i, .. } = fixture();
    let inside = |mode| Stmt::For { var: i, lo: int(0), hi: int(4), step: 1, mode, body: vec![Stmt::Break] };
    let stop = || Stmt::If { cond: lt(int(0), int(1)), then: vec![Stmt::Break], other: vec![] };
    breaks(k.clone(), vec![stop()], LawPart::Breaks, "there is no loop around it");
    breaks(k.clone(), vec![loop_over(i, 1, vec![]), stop()], LawPart::Breaks, "there is no loop around it");
    for mode in [LoopMode::Vector, LoopMode::Runs] {
        breaks(k.clone(), vec![inside(mode)], LawPart::Breaks, "the loop around it is not serial");
    }
    let mut lawful = k;
    let again = Stmt::While { cond: lt(int(0), int(1)), body: vec![inside(LoopMode::Serial), stop()] };
    lawful.body = vec![loop_over(i, 2, vec![stop()]), again];
    assert_eq!(verify(&lawful), Ok(()));
}

#[test]
fn a_violation_points_into_the_listing() {
    let Fixture { mut k, i, y, t, .. } = fixture();
    k.body = vec![loop_over(i, 1, vec![store(y, var(i), var(t))])];
    let found = verify(&k).unwrap_err();
    let want = "\
Scope: t is not alive here
kernel k(n: i64, x: in f64[], y: out f64[], w: temp i32[]) {
  for i in 0..4 {
    y[i] = t
    ^^^^^^^^ t is not alive here
  }
}
";
    assert_eq!(found[0].to_string(), want);
    assert_eq!(found[0].stmt, Some(1));
}
