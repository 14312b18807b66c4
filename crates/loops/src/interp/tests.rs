use super::*;
use crate::build::*;
use crate::nodes::{BufId, BufRole, Expr, Init, LoopMode, Stmt, Ty, VarId};
use openwork_algebra::{DType, Prim, Scalar};

/// A kernel with a parameter `n`, an index `i`, an input `x` and an output `y`, both `i64`.
fn fixture() -> (LoopKernel, VarId, VarId, BufId, BufId) {
    let mut k = LoopKernel::new("k");
    let (n, i) = (k.param("n"), k.index("i"));
    let x = k.buf("x", DType::I64, BufRole::In);
    let y = k.buf("y", DType::I64, BufRole::Out);
    (k, n, i, x, y)
}
/// Runs with `x = 10, 11, 12, 13` and `y = 0, 0, 0, 0`; the result is `y`.
fn outcome(k: &LoopKernel, n: i64) -> Result<(Status, Vec<i64>), Fault> {
    let (x, y) = (k.bufs.ids().next().unwrap(), k.bufs.ids().nth(1).unwrap());
    let mut memory = VecMemory::new(k).with_room(100);
    memory.set_ints(x, &[10, 11, 12, 13]);
    memory.set_ints(y, &[0; 4]);
    let status = run(k, &[n], &mut memory, Limits { steps: 10_000 })?;
    Ok((status, memory.result(y).iter().map(|s| s.as_i64()).collect()))
}
#[track_caller]
fn gives(k: &LoopKernel, n: i64, y: &[i64]) {
    assert_eq!(outcome(k, n), Ok((Status::Ok, y.to_vec())), "{k}");
}
#[track_caller]
fn gives_fault(k: &LoopKernel, n: i64, message: &str) {
    assert_eq!(outcome(k, n).map_err(|f| f.to_string()), Err(message.to_string()), "{k}");
}

#[test]
fn loops_run_while_below_their_end() {
    let (mut k, n, i, _, y) = fixture();
    let counted = |step, lo: Expr| Stmt::For {
        var: i,
        lo,
        hi: var(n),
        step,
        mode: LoopMode::Vector,
        body: vec![Stmt::Store { buf: y, at: int(0), val: int(1), reduce: Some(Prim::Add) }],
    };
    k.body = vec![counted(3, int(0))];
    gives(&k, 7, &[3, 0, 0, 0]);
    gives(&k, -7, &[0, 0, 0, 0]);
    k.body = vec![counted(3, int(i64::MAX - 4))];
    gives(&k, i64::MAX - 1, &[1, 0, 0, 0]);
    // The variable would overflow before it reaches the end.
    gives_fault(&k, i64::MAX, "the variable of `vector for i in 9223372036854775803..n step 3 {` overflows");
}

#[test]
fn what_nobody_has_written_is_not_read() {
    let (mut k, n, i, x, y) = fixture();
    k.bufs[y].init = Init::Uninit;
    let adds = Stmt::Store { buf: y, at: var(i), val: load(x, var(i)), reduce: Some(Prim::Add) };
    let sets = store(y, var(i), load(x, var(i)));
    let each = |body| for_each(i, int(0), var(n), body);
    let announced = |len| Stmt::SetLen { buf: y, len: int(len) };
    k.body = vec![each(vec![adds.clone()])];
    gives_fault(&k, 2, "y[0] is read before it is written, in `y[i] += x[i]`");
    k.body = vec![each(vec![sets, adds]), announced(3)];
    gives(&k, 3, &[20, 22, 24]);
    gives_fault(&k, 2, "y[2] was never written, though 3 elements are the result");
    // Where no length is announced, the room that was made is the result.
    k.body.pop();
    k.body.insert(0, Stmt::Reserve { buf: y, len: int(4) });
    gives_fault(&k, 3, "y[3] was never written, though 4 elements are the result");
    gives(&k, 4, &[20, 22, 24, 26]);
}

#[test]
fn bounds_are_evaluated_once() {
    let (mut k, n, i, _, y) = fixture();
    let shrink = set(n, int(0));
    let count = Stmt::Store { buf: y, at: int(0), val: int(1), reduce: Some(Prim::Add) };
    k.body = vec![for_each(i, int(0), var(n), vec![shrink, count])];
    gives(&k, 3, &[3, 0, 0, 0]);
}

#[test]
fn branches_and_while() {
    let (mut k, n, _, x, y) = fixture();
    let body = vec![
        Stmt::If {
            cond: eq(var(n), int(2)),
            then: vec![store(y, int(2), load(x, var(n)))],
            other: vec![store(y, var(n), int(-1))],
        },
        set(n, call(Prim::Sub, var(n), int(1))),
    ];
    k.body = vec![Stmt::While { cond: call(Prim::Gt, var(n), int(0)), body }];
    gives(&k, 3, &[0, -1, 12, -1]);
}

#[test]
fn a_break_goes_on_after_the_innermost_loop() {
    let (mut k, n, i, x, y) = fixture();
    let stop = |cond| Stmt::If { cond, then: vec![Stmt::Break], other: vec![] };
    let some = for_each(i, int(0), int(4), vec![stop(eq(var(i), var(n))), store(y, var(i), load(x, var(i)))]);
    let more = vec![some, set(n, add(var(n), int(1))), stop(eq(var(n), int(3))), store(y, int(3), var(n))];
    k.body = vec![Stmt::While { cond: lt(var(n), int(9)), body: more }];
    gives(&k, 2, &[10, 11, 0, 0]);
    gives(&k, 1, &[10, 11, 0, 2]);
    gives(&k, 9, &[0; 4]);
}

#[test]
fn and_also_guards_its_right_side() {
    let (mut k, n, _, x, y) = fixture();
    let ok = and_also(lt(var(n), int(4)), eq(load(x, var(n)), int(12)));
    k.body = if_then(ok, vec![store(y, int(0), int(1))]);
    gives(&k, 2, &[1, 0, 0, 0]);
    gives(&k, 3, &[0; 4]);
    gives(&k, 99, &[0; 4]);
}

#[test]
fn a_value_may_read_the_variable_it_sets() {
    let (mut k, _, _, x, y) = fixture();
    let v = k.var("v", Ty::vector(DType::I64, 2));
    let b = k.var("b", Ty::BOOL);
    let lane = |prim| Expr::Fold { prim, arg: var(v).into() };
    let less = |a, b| lt(int(a), int(b));
    k.body = vec![
        Stmt::Let { var: v, val: Expr::VLoad { buf: x, at: int(1).into(), lanes: 2 } },
        set(v, Expr::Pack(vec![lane(Prim::Add), lane(Prim::Max)])),
        store(y, int(0), var(v)),
        Stmt::Let { var: b, val: less(2, 1) },
        set(b, Expr::AndAlso(less(1, 2).into(), var(b).into())),
        Stmt::If { cond: var(b), then: vec![store(y, int(3), int(1))], other: vec![] },
    ];
    gives(&k, 0, &[23, 12, 0, 0]);
}

#[test]
fn vectors_work_lane_by_lane() {
    let (mut k, _, _, x, y) = fixture();
    let four = |at| Expr::VLoad { buf: x, at: int(at).into(), lanes: 4 };
    let two = Expr::Splat { lanes: 4, arg: int(12).into() };
    let small = Expr::Call { prim: Prim::Lt, args: vec![four(0), two.clone()] };
    let picked = Expr::Call { prim: Prim::Select, args: vec![small, four(0), two] };
    k.body = vec![Stmt::Store { buf: y, at: int(0), val: picked, reduce: Some(Prim::Add) }];
    gives(&k, 0, &[10, 11, 12, 12]);
    k.body = vec![store(y, int(1), four(0))];
    let fault = outcome(&k, 0).unwrap_err().to_string();
    assert_eq!(fault, "store at 4, but y has room for 4, in `y[1] = x[0 : 4]`");
    k.body = vec![store(y, int(0), four(-1))];
    let fault = outcome(&k, 0).unwrap_err().to_string();
    assert_eq!(fault, "load at -1, but x has room for 4, in `y[0] = x[-1 : 4]`");
}

#[test]
fn buffers_grow_by_zeros_and_end_where_told() {
    let (mut k, n, _, _, y) = fixture();
    k.body = vec![
        store(y, int(0), int(5)),
        Stmt::Reserve { buf: y, len: var(n) },
        Stmt::SetLen { buf: y, len: call(Prim::Sub, var(n), int(1)) },
    ];
    gives(&k, 7, &[5, 0, 0, 0, 0, 0]);
    assert_eq!(outcome(&k, 101).unwrap().0, Status::OutOfMemory);
    assert!(outcome(&k, -1).unwrap_err().to_string().starts_with("length of -1"));
    assert!(outcome(&k, 0).unwrap_err().to_string().starts_with("length of -1, but y has room for 4"));
}

#[test]
fn failures_limits_and_bad_calls() {
    let (mut k, n, _, _, y) = fixture();
    k.body = vec![store(y, int(0), int(1)), Stmt::Fail(Status::CheckFailed), store(y, int(9), int(1))];
    assert_eq!(outcome(&k, 0), Ok((Status::CheckFailed, vec![1, 0, 0, 0])));
    k.body = vec![Stmt::While { cond: lt(int(0), int(1)), body: vec![set(n, int(1))] }];
    assert!(matches!(outcome(&k, 0), Err(Fault::TooLong { .. })));
    k.body = vec![store(y, int(0), constant(Scalar::F64(0.0)))];
    assert!(matches!(outcome(&k, 0), Err(Fault::Unlawful(_))));
    let mut memory = VecMemory::new(&k);
    k.body = vec![];
    assert_eq!(run(&k, &[], &mut memory, Limits::default()), Err(Fault::Params { want: 1, got: 0 }));
}

#[test]
fn a_million_steps_are_quick() {
    let (mut k, n, i, _, y) = fixture();
    let more = Stmt::Store { buf: y, at: int(0), val: var(i), reduce: Some(Prim::Add) };
    k.body = vec![for_each(i, int(0), var(n), vec![more])];
    let mut memory = VecMemory::new(&k);
    memory.set_ints(y, &[0; 1]);
    let start = std::time::Instant::now();
    assert_eq!(run(&k, &[300_000], &mut memory, Limits::default()), Ok(Status::Ok));
    assert_eq!(memory.values(y)[0], Scalar::I64(300_000 * 299_999 / 2));
    println!("{:?}", start.elapsed());
}
