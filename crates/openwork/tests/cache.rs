//! Kernels within a number of bytes. The limit is one for the process: one test.

use openwork::{DType, Decl, Session, Statement, Tensor, TensorExt, kept_bytes, presets, set_cache_limit};

/// Statements that differ in more than their literals: a sum or a product for each bit of `n`.
fn statement(n: usize) -> Statement {
    let sign = |k: usize| if n >> k & 1 == 0 { '+' } else { '*' };
    let value = (0..9).fold("x(i)".to_string(), |value, k| format!("({value} {} x(i))", sign(k)));
    Statement::new(&format!("y(i) = {value}"), ["x"]).unwrap()
}
/// What it makes of a small number, exactly.
fn value(n: usize, x: f64) -> f64 {
    (0..9).fold(x, |value, k| if n >> k & 1 == 0 { value + x } else { value * x })
}

#[test]
fn kernels_take_no_more_than_their_limit() {
    let limit = 2 << 20;
    set_cache_limit(limit);
    let session = Session::global();
    let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0]).unwrap();
    let check = |n: usize, statement: &Statement| {
        let y = statement.run(session, &[&x]).unwrap();
        let want = [1.0, 2.0, 3.0].map(|x| value(n, x));
        assert_eq!(y.vals().as_slice::<f64>(), Some(&want[..]), "{n}");
    };
    let all: Vec<Statement> = (0..400).map(statement).collect();
    // A kernel in use lives on, whatever is forgotten.
    let mine = all[0].kernel(session, &[&x]).unwrap();
    let (mut most, mut code) = (0, 0);
    for round in 0..2 {
        for (n, s) in all.iter().enumerate() {
            check(n, s);
            assert!(session.cache().bytes() <= limit / 2, "{}", session.cache().bytes());
            assert!(kept_bytes() <= limit / 2, "{}", kept_bytes());
            most = most.max(session.cache().len());
            code = code.max(all.iter().map(Statement::kernels).sum());
        }
        assert!((5..400).contains(&most) && (5..400).contains(&code), "round {round}: {most} {code}");
    }
    assert!(mine.run(&[("x", &x)]).is_ok());
    // The last one is still there, the first of this round is not.
    assert_eq!((all[399].kernels(), all[1].kernels()), (1, 0));
    // One that is used again and again is not forgotten.
    for (n, s) in all.iter().enumerate().skip(1) {
        check(n, s);
        check(5, &all[5]);
        assert!(n < 5 || all[5].kernels() == 1);
    }
    // A statement takes its kernels with it, and a limit below one kernel keeps none.
    drop(mine);
    drop(all);
    assert_eq!(kept_bytes(), 0);
    set_cache_limit(2);
    let one = statement(3);
    check(3, &one);
    check(3, &one);
    assert_eq!((session.cache().len(), one.kernels()), (0, 0));
    // One that was asked for by declarations is made again by them, not for the sizes of operands.
    let format = Some(presets::dense(1));
    let declared = vec![Decl { dtype: Some(DType::F64), format, ..Decl::default() }];
    one.compile_declared(session, declared).unwrap();
    let again = one.kernel(session, &[&x]).unwrap();
    assert!(one.run_on(session, &again, &[&x], None).unwrap().ran.planned_for.is_none());
    set_cache_limit(0);
    check(3, &one);
    assert_eq!((session.cache().len(), one.kernels()), (1, 1));
}
