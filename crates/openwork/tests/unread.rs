//! Operands that a statement does not read are refused, wherever they are given for that one statement.

use openwork::{DType, Decl, Decls, Error, Session, Statement, Tensor, TensorExt, compile, einsum};

const SPMV: &str = "y(i) = A(i,j) * x(j)";

fn tensors() -> (Tensor, Tensor) {
    let a = Tensor::from_vec(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]).expect("four values");
    let x = Tensor::from_vec(&[2], vec![1.0, 1.0]).expect("two values");
    (a, x)
}

fn expect_refusal<T>(result: Result<T, Error>, part: &str) {
    let error = result.err().expect("it is refused");
    assert_eq!(error.code().0, "E0201", "{error}");
    assert!(error.to_string().contains(part), "{part:?} not in {error}");
}

#[test]
fn operands_for_one_statement_are_all_read() {
    let (a, x) = tensors();
    expect_refusal(einsum(SPMV, &[("A", &a), ("x", &x), ("B", &a)]), "no operand `B`");
    expect_refusal(einsum(SPMV, &[("A", &a), ("x", &x), ("X", &x)]), "did you mean `x`?");
    expect_refusal(einsum(SPMV, &[("A", &a), ("x", &x), ("y", &x)]), "computes `y`, and does not read it");
    let old = einsum("y(i) += A(i,j) * x(j)", &[("A", &a), ("x", &x), ("y", &x)]).expect("it is updated");
    assert_eq!(old.vals().as_slice::<f64>(), Some(&[4.0, 8.0][..]));
    let statement = Statement::new(SPMV, ["A", "x", "B"]).expect("it parses");
    expect_refusal(statement.run(Session::global(), &[&a, &x, &a]), "no operand `B`");
    expect_refusal(statement.stages(Session::global(), &[&a, &x, &a]), "no operand `B`");
}

/// What is wrong with the statement itself is said first: a name that is mistyped there leaves an operand unread.
#[test]
fn mistakes_of_the_statement_come_first() {
    let (a, x) = tensors();
    expect_refusal(
        einsum("y(i) = A(i,j) * z(j)", &[("A", &a), ("x", &x)]),
        "nothing is known of the tensor `z`",
    );
}

/// Declarations may be those of several statements; what a kernel is run on is for one.
#[test]
fn declarations_may_be_shared() {
    let (a, x) = tensors();
    let mut decls = Decls::default();
    for name in ["A", "x", "B"] {
        decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    }
    let kernel = compile(SPMV, &decls).expect("`B` is for another statement");
    assert!(kernel.run(&[("A", &a), ("x", &x)]).is_ok());
    expect_refusal(kernel.run(&[("A", &a), ("x", &x), ("B", &a)]), "no operand `B`");
    // The diagonal is read out of another tensor, and what folding leaves out is given all the same.
    let trace = einsum("t = A(i,i) + 0 * x(i)", &[("A", &a), ("x", &x)]).expect("both are read");
    assert_eq!(trace.vals().as_slice::<f64>(), Some(&[5.0][..]));
}
