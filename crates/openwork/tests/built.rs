//! Statements that are built plan, run and are refused as their text is.

use openwork::expr::{Expression, StatementSyntax, call, index, reduce, semiring, sum, tensor};
use openwork::function::Function;
use openwork::{
    CFile, DType, Decl, Decls, Schedule, Session, Statement, Statements, Tensor, TensorExt, declare_operands,
};

fn operands() -> (Tensor, Tensor) {
    let a = Tensor::from_csr(vec![0, 2, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0], [3, 3]).unwrap();
    (a, Tensor::from_vec(&[3], vec![1.0, 10.0, 100.0]).unwrap())
}

#[test]
fn whatever_takes_text_takes_what_is_built() -> openwork::Result<()> {
    let [i, j] = ["i", "j"].map(index);
    let (a, x) = operands();
    let given: &[(&str, &Tensor)] = &[("A", &a), ("x", &x)];
    let built = tensor("y")
        .access([i])
        .assign(sum([j], tensor("A").access([i, j]) * tensor("x").access([j])) + 1.0)?;
    let text = "y(i) = sum(j, A(i,j) * x(j)) + 1.0";
    let (session, decls) = (Session::global(), declare_operands(given));
    let want = session.einsum(text, given, Decl::default())?;
    assert_eq!(session.einsum(&built, given, Decl::default())?, want);
    assert_eq!(openwork::einsum(&built, given)?, want);
    assert_eq!(session.compile(&built, &decls)?.run(given)?.tensor, want);
    assert_eq!(Statement::new(&built, ["A", "x"])?.run(session, &[&a, &x])?, want);
    assert_eq!(session.stages(&built, &decls)?.loops_text(), session.stages(text, &decls)?.loops_text());
    assert_eq!(session.candidates(&built, &decls)?.len(), session.candidates(text, &decls)?.len());
    let c = |c: openwork::Result<openwork::CSource>| c.map(|c| c.source);
    let (none, file) = (Schedule::new(), CFile::new("f"));
    assert_eq!(
        c(session.c_source(&built, &decls, &none, &file))?,
        c(session.c_source(text, &decls, &none, &file))?
    );
    // Several of them, one of which was read.
    let norm: StatementSyntax = "n = y(i) * y(i)".parse()?;
    let list = [built.clone(), norm];
    let wanted = session.einsum("n = y(i) * y(i)", &[("y", &want)], Decl::default())?;
    assert_eq!(session.sequence(&list, &decls, None)?.run(given)?.get("n"), Some(&wanted));
    let mut both = Statements::new(&list, ["A", "x"])?.run(session, &[&a, &x])?;
    assert_eq!(both.take("n"), Some(wanted));
    assert_eq!(session.plan(&list, &decls, Some(&["y", "n"]))?.stages.len(), 2);
    Ok(())
}

#[test]
fn functions_masks_windows_and_updates_are_built() -> openwork::Result<()> {
    let i = index("i");
    let (_, x) = operands();
    let y = Tensor::from_vec(&[3], vec![5.0, 5.0, 5.0])?;
    let far = Function::from_body(["a", "b"], |[a, b]| (a - b).abs());
    let (xi, yi) = (tensor("x").access([i]), tensor("y").access([i]));
    let (session, given): (_, &[(&str, &Tensor)]) = (Session::global(), &[("x", &x), ("y", &y)]);
    let values = |t: Tensor| t.vals().as_slice::<f64>().unwrap().to_vec();
    let z = tensor("z").access([i]).assign(call("far", [&xi, &yi]))?.with_functions(&far.define("far"))?;
    assert_eq!(values(session.einsum(&z, given, Decl::default())?), [4.0, 5.0, 95.0]);
    let z = tensor("y").access([i]).update("min", &xi)?.with_mask(xi.gt(1.0))?;
    assert_eq!(values(session.einsum(&z, given, Decl::default())?), [5.0, 5.0, 5.0]);
    let (a, _) = operands();
    let j = index("j");
    let steps = semiring("min_plus", [j], [tensor("A").access([i, j]), tensor("x").access([j])]);
    let built = tensor("z").access([i]).assign(steps)?;
    let dense = a.to_format(&openwork::presets::dense(2))?;
    let z = session.einsum(&built, &[("A", &dense), ("x", &x)], Decl::default())?;
    assert_eq!(values(z), [2.0, 1.0, 1.0]);
    let part = tensor("x").access([i.part(..).stride(2)]) - Expression::from(i);
    let z = tensor("z").access([i]).assign(part)?;
    assert_eq!(values(session.einsum(&z, &given[..1], Decl::default())?), [1.0, 99.0]);
    Ok(())
}

#[test]
fn what_is_built_is_refused_as_its_text_is() {
    let i = index("i");
    let mut decls = Decls::default();
    decls.tensors.insert("x".into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    let x = || tensor("x").access([i]);
    for (value, code, part) in [
        (call("sqrd", [x()]), "E0103", "no function `sqrd`"),
        (call("sqrd", [Expression::from(i)]), "E0103", "no function `sqrd`"),
        (call("f64", [x(), x()]), "E0204", "`f64` converts 1 argument, got 2"),
        (call("sqrt", [x(), x()]), "E0204", "takes 1 arguments, got 2"),
        (call("sum", [x()]), "E0205", "does not say which variables"),
        (sum([index("k")], x()), "E0205", "`k` is no index of what `sum` reduces"),
        (reduce("squirt", [index("j")], x()), "E0103", "no function `squirt`"),
        (tensor("w").access([i]), "E0201", "`w`"),
        (x() & 1, "E0204", "and"),
        (x() + tensor("x").access([i, i]), "E0202", "indices"),
    ] {
        let built = tensor("y").access([i]).assign(value).unwrap();
        let refused = Session::global().stages(&built, &decls).unwrap_err();
        assert!(refused.code().0 == code && refused.to_string().contains(part), "{refused}");
        // It points into the text of the statement, where reading that finds the same.
        let said = refused.diagnostic().and_then(|d| d.at.clone()).map(|(s, _)| s.text.to_string());
        assert_eq!(said, Some(built.to_string()), "{refused}");
    }
    // A call of no function is not found as the tensor of its name.
    decls.tensors.insert("w".into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    let session = Session::global();
    session.compile(&tensor("y").access([i]).assign(tensor("w").access([i])).unwrap(), &decls).unwrap();
    let called = tensor("y").access([i]).assign(call("w", [Expression::from(i)])).unwrap();
    assert!(session.compile(&called, &decls).is_err());
    let none: [StatementSyntax; 0] = [];
    assert_eq!(session.plan(&none, &decls, None).unwrap_err().code().0, "E0102");
    // What went wrong inside of a function is said when that is read.
    let deep = Function::from_body(["a"], |[a]| (0..1000).fold(a, |e, _| e + 1));
    let built = tensor("y").access([i]).assign(call("f", [x()])).unwrap();
    let refused = built.with_functions(&deep.define("f")).unwrap_err().to_string();
    assert!(refused.contains("nested deeper than 500 levels"), "{refused}");
}
