//! What a sequence says of itself: actions, times, operands, refusals.

use openwork::{Action, DType, Decl, Decls, Format, FormatExt, Session, Tensor, TensorExt};

fn decls(names: &[(&str, Option<&str>)]) -> Decls {
    let mut decls = Decls::default();
    for (name, format) in names {
        let format = format.map(|f| Format::parse(f, 2).unwrap());
        decls.tensors.insert((*name).into(), Decl { dtype: Some(DType::F64), format, ..Decl::default() });
    }
    decls
}

#[test]
fn every_action_but_giving_back_has_a_time() {
    let text = "B(i,j) = A(i,j) + A(j,i)\ny(i) = B(i,j) * x(j); s = y(i) * y(i)";
    let step = Session::global().sequence(text, &decls(&[("A", Some("csr")), ("x", None)]), None).unwrap();
    assert_eq!(step.operands(), ["A", "x"]);
    let (runs, frees): (Vec<&Action>, Vec<&Action>) =
        step.actions().iter().partition(|a| !matches!(a, Action::Free(_)));
    assert_eq!((runs.len(), frees.len()), (2, 2));
    let a = Tensor::from_vec(&[2, 2], vec![0.0, 1.0, 2.0, 0.0]).unwrap();
    let a = a.to_format(&Format::parse("csr", 2).unwrap()).unwrap();
    let x = Tensor::from_vec(&[2], vec![1.0, 10.0]).unwrap();
    let made = step.run(&[("A", &a), ("x", &x)]).unwrap();
    assert_eq!(made.each.len(), runs.len());
    assert!(made.each.iter().map(|e| e.time).sum::<std::time::Duration>() <= made.times.total);
    assert_eq!(made.get("s").unwrap().vals().as_slice::<f64>(), Some(&[909.0][..]));
    assert_eq!(made.into_tensors().len(), 1);
}

#[test]
fn names_that_nobody_computes_or_reads_are_refused() {
    let (session, x) = (Session::global(), Tensor::from_vec(&[1], vec![1.0]).unwrap());
    let decls = decls(&[("x", None)]);
    let code = |r: openwork::Result<openwork::Sequence>| r.err().map(|e| e.code().0);
    assert_eq!(code(session.sequence("y(i) = x(i)", &decls, Some(&["z"]))), Some("E0201"));
    assert_eq!(code(session.sequence("y(i) = x(i", &decls, None)), Some("E0102"));
    let step = session.sequence("y(i) = x(i); z(i) = y(i)", &decls, None).unwrap();
    let given = step.run(&[("x", &x), ("y", &x)]).unwrap_err();
    assert_eq!(given.code().0, "E0201");
    assert_eq!(step.run(&[]).unwrap_err().code().0, "E0211");
}
