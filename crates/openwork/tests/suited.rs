//! Operands that stay for many runs: whatever format is found for them, results are those of the operands as given.

use openwork::{
    DType, Decl, Format, FormatExt, Scalar, Session, Statement, Stays, Suited, Tensor, TensorExt,
};

fn format(text: &str, rank: usize) -> Format {
    Format::parse(text, rank).expect("a format")
}
fn matrix(shape: [usize; 2], keep: impl Fn(usize, usize) -> bool, stored: &str) -> Tensor {
    let all = (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j)));
    let value = |i: usize, j: usize| Scalar::F64((1 + (i * 7 + j * 3) % 5) as f64);
    let entries: Vec<_> = all.filter(|&(i, j)| keep(i, j)).map(|(i, j)| (vec![i, j], value(i, j))).collect();
    Tensor::pack(&shape, &entries, &format(stored, 2)).expect("a matrix")
}
fn dense(shape: &[usize]) -> Tensor {
    let count = shape.iter().product();
    Tensor::from_vec(shape, (0..count).map(|n| (n % 7) as f64 - 2.0).collect()).expect("a tensor")
}
fn declare_tensor(t: &Tensor) -> Decl {
    Decl { dtype: Some(DType::F64), format: Some(t.format().clone()), ..Decl::default() }
}

/// What suits the first operand, after comparing results with and without it.
fn find_suited(text: &str, names: &[&str], operands: &[&Tensor], runs: usize) -> Suited {
    let session = Session::global();
    let statement = Statement::new(text, names.iter().copied()).expect("a statement");
    let stays: Vec<Stays> = (operands.iter().enumerate())
        .map(|(n, t)| if n == 0 { Stays::Fixed(t) } else { Stays::Varies(declare_tensor(t)) })
        .collect();
    let suited = statement.suitable_formats(session, &stays, runs).expect("it is tried");
    let wanted = statement.run(session, operands).expect("it runs");
    let others: Vec<&Tensor> =
        suited.operands.iter().zip(operands).map(|(s, t)| s.as_ref().unwrap_or(t)).collect();
    let mut pinned = Statement::new(text, names.iter().copied()).expect("a statement");
    pinned.result.format = Some(suited.result.clone());
    // Values are small integers, so that sums are the same in any order.
    assert_eq!(pinned.run(session, &others).expect("it runs"), wanted, "{text}");
    suited
}

#[test]
fn results_are_those_of_the_operands_as_given() {
    let scattered = |i: usize, j: usize| (i * 31 + j * 17 + i * j).is_multiple_of(7);
    let kinds: [fn(usize, usize) -> bool; 3] =
        [|i, j| i.abs_diff(j) < 2, |i, j| i == 5 || j == 3, |i, j| (i / 3 + j / 3).is_multiple_of(4)];
    for stored in ["csr", "csc", "coo", "ell", "sell(8)", "bcsr(2,2)", "dia", "dcsr", "csr ; crd = i64"] {
        for shape in [[60, 60], [1, 90], [0, 4], [33, 47]] {
            for (n, keep) in kinds.iter().enumerate() {
                let a = matrix(shape, keep, stored);
                match n {
                    0 => find_suited("y(j) = A(i,j) * z(i)", &["A", "z"], &[&a, &dense(&[shape[0]])], 100),
                    _ => find_suited("y(i) = A(i,j) * x(j)", &["A", "x"], &[&a, &dense(&[shape[1]])], 100),
                };
            }
        }
    }
    // Samples of what varies have room for every part that is read.
    let (a, x) = (matrix([12, 20], scattered, "csr"), dense(&[41]));
    for part in ["1:21", "0:40:2", "-21:-1", "21:", "1:-1:2", ":20"] {
        find_suited(&format!("y(i) = A(i,j) * x(j({part}))"), &["A", "x"], &[&a, &x], 100);
    }
    find_suited("y(i) = A(i,j) * (x(j(1:21)) - x(j(0:20)))", &["A", "x"], &[&a, &x], 100);
    let a = matrix([50, 40], scattered, "csr");
    let b = dense(&[40, 6]);
    find_suited("C(i,k) = A(i,j) * B(j,k)", &["A", "B"], &[&a, &b], 100);
    find_suited("C(i,j) = A(i,j) * x(j)", &["A", "x"], &[&a, &dense(&[40])], 100);
}

#[test]
fn padding_is_not_kept_for_many_runs() {
    let a = matrix([900, 900], |i, j| i == j || i == 4, "ell");
    let found = find_suited("y(i) = A(i,j) * x(j)", &["A", "x"], &[&a, &dense(&[900])], 1_000_000);
    let stored = found.operands[0].as_ref().expect("another format").slots();
    assert!(stored < a.slots() / 50, "{stored} of {}", a.slots());
    assert!(found.result.is_dense());
}

#[test]
fn nothing_is_tried_where_nothing_can_be_measured() {
    let a = matrix([900, 900], |i, j| i == j || i == 4, "ell");
    let session = Session::global();
    let kept_of = |statement: &Statement, a: &Tensor, other: Decl, runs: usize| {
        let stays = [Stays::Fixed(a), Stays::Varies(other)];
        statement
            .suitable_formats(session, &stays, runs)
            .expect("it is planned")
            .operands
            .iter()
            .all(Option::is_none)
    };
    let kept = |statement: &Statement, other: Decl, runs: usize| kept_of(statement, &a, other, runs);
    let product = Statement::new("y(i) = A(i,j) * x(j)", ["A", "x"]).expect("a statement");
    let x = declare_tensor(&dense(&[1]));
    assert!(kept(&product, x.clone(), 3), "few runs");
    let sparse = Decl { format: Some(format("s", 1)), ..x.clone() };
    assert!(kept(&product, sparse, 1_000_000), "an operand of which nothing is known");
    let other = Statement::new("C(i,k) = A(i,j) * B(j,k)", ["A", "B"]).expect("a statement");
    let b = Decl { format: Some(format("dense", 2)), ..x.clone() };
    assert!(kept(&other, b, 1_000_000), "a size that is not known");
    let mut scheduled = Statement::new("y(i) = A(i,j) * x(j)", ["A", "x"]).expect("a statement");
    scheduled.schedule = openwork::Schedule::new().parallelize("i");
    let rows = matrix([900, 900], |i, j| i == j || i == 4, "csr");
    assert!(kept_of(&scheduled, &rows, x, 1_000_000), "a schedule");
}
