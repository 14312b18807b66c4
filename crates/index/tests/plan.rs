//! Statements and the CIN the planner makes of them; the text reads back as the same program.

use openwork_algebra::DType;
use openwork_base::{Error, Source};
use openwork_format::Catalog;
use openwork_index::{Decl, Decls, check, cin, notation, plan};

/// `formats` is `A=csr x=dense …`; every index gets size 4.
fn plan_statement(text: &str, formats: &str) -> Result<plan::Concrete, Error> {
    let statement = notation::parse(&Source::new("statement", text))?;
    let mut decls = Decls::default();
    for name in statement.index_names() {
        decls.dims.insert(name.into(), 4);
    }
    for name in statement.operands() {
        let decl = Decl { dtype: Some(DType::F64), ..Decl::default() };
        decls.tensors.insert(name.into(), decl);
    }
    if statement.op.is_some() {
        let decl = Decl { dtype: Some(DType::F64), ..Decl::default() };
        decls.tensors.insert(statement.lhs.name.text.clone(), decl);
    }
    for item in formats.split_whitespace() {
        let (name, format) = item.split_once('=').unwrap();
        let rank = statement.rank_of(name).unwrap();
        let format = Catalog::default().parse(&Source::new("-f", format), rank)?;
        decls.tensors.entry(name.into()).or_default().format = Some(format);
    }
    plan::plan(check(&statement, &decls)?)
}

#[test]
fn loops_follow_storage_and_reductions_find_their_place() {
    for (text, formats, want) in [
        ("y(i) = A(i,j) * x(j)", "A=csr", "forall i (y(i) = t) where (forall j t += A(i,j) * x(j))"),
        ("y(i) = A(i,j) * x(j)", "A=csc", "forall j forall i y(i) += A(i,j) * x(j)"),
        ("y(i) = A(i,j) * x(j)", "A=coo", "forall i forall j y(i) += A(i,j) * x(j)"),
        ("C(i,k) = A(i,j) * B(j,k)", "A=csr", "forall i forall j forall k C(i,k) += A(i,j) * B(j,k)"),
        (
            "Y(i,j) = S(i,j) * A(i,k) * B(j,k)",
            "S=csr",
            "forall i forall j (Y(i,j) = t) where (forall k t += S(i,j) * A(i,k) * B(j,k))",
        ),
        (
            "Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)",
            "X=csf",
            "forall i forall j forall k forall r Y(i,r) += X(i,j,k) * B(j,r) * C(k,r)",
        ),
        (
            "Y(i,j,k) = X(i,j,l) * B(l,k)",
            "X=csf Y=ssd",
            "forall i forall j forall l forall k Y(i,j,k) += X(i,j,l) * B(l,k)",
        ),
        (
            "a(i) = b(i) + A(i,j) * x(j)",
            "A=csr",
            "forall i (a(i) = b(i) + t) where (forall j t += A(i,j) * x(j))",
        ),
        ("a(i) = b(i) / sum(j, c(j))", "", "(forall i a(i) = b(i) / t) where (forall j t += c(j))"),
        (
            "a(i) = b(i) + A(i,j) * x(j)",
            "A=csc",
            "{forall i a(i) = b(i); forall j forall i a(i) += A(i,j) * x(j)}",
        ),
        ("a = A(i,j)", "A=csr", "(a = t) where (forall i forall j t += A(i,j))"),
        ("y(i) = min(j, A(i,j))", "A=csr;fill=inf", "forall i (y(i) = t) where (forall j t min= A(i,j))"),
        (
            "y(i) += A(i,j) * x(j)",
            "A=csr",
            "forall i (y(i) = y_old(i) + t) where (forall j t += A(i,j) * x(j))",
        ),
        (
            "y(i) = A(i,j) * x(j)",
            "A=csc y=s",
            "(forall i y(i) = t(i)) where (forall j forall i t(i) += A(i,j) * x(j))",
        ),
        (
            "A(i,j) = B(j,i)",
            "B=csr A=csr",
            "(forall i forall j A(i,j) = t(i,j)) where (forall j forall i t(i,j) = B(j,i))",
        ),
        ("A(i,j) = B(i,j) + C(i,j)", "B=csc C=csc", "forall j forall i A(i,j) = B(i,j) + C(i,j)"),
    ] {
        let plan = plan_statement(text, formats).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(plan.program.to_string(), want, "{text} with {formats}");
        let p = &plan.program;
        let back = cin::text::parse(&Source::new("cin", want), p.tensors.clone(), p.indices.clone()).unwrap();
        assert_eq!(back.body, p.body, "{want}");
    }
}

#[test]
fn what_cannot_be_done_yet_is_refused_by_name() {
    for (text, formats, code) in
        [("A(i,j) = B(i,j) + C(i,j)", "B=csr C=csc A=dense", "E0404"), ("y(i) = A(i,i)", "A=csr", "E0405")]
    {
        assert_eq!(plan_statement(text, formats).unwrap_err().code().0, code, "{text} with {formats}");
    }
}

#[test]
fn result_formats_are_sensible() {
    for (text, formats, want) in [
        ("A(i,j) = B(i,j) + C(i,j)", "B=csr C=dcsr", "csr"),
        ("A(i,j) = B(i,j) + C(i,j)", "B=csr", "dense"),
        ("A(i,j) = 2 * B(i,j) * C(i,j)", "B=csc", "csc"),
        ("Y(i,j) = S(i,j) * A(i,k) * B(j,k)", "S=coo", "coo"),
        ("y(i) = A(i,j) * x(j)", "A=csr", "dense"),
        ("A(i,j) = B(i,j) + 1", "B=csr", "csr"),
    ] {
        let p = plan_statement(text, formats).unwrap().program;
        let (_, result) =
            p.tensors.iter().find(|(_, t)| t.kind == openwork_index::TensorKind::Result).unwrap();
        let plain = openwork_format::Format { pos: None, crd: None, fill: None, ..result.format.clone() };
        assert_eq!(plain.to_string(), want, "{text} with {formats}");
    }
}

/// Law 2: who assigns and who reads a temporary.
#[test]
fn temporaries_are_filled_before_they_are_read() {
    use cin::CinStmt;
    let planned = plan_statement("a(i) = b(i) / sum(j, c(j))", "").unwrap();
    let with = |body: CinStmt| cin::verify::verify(&cin::Program { body, ..planned.program.clone() });
    let CinStmt::Where { consumer, producer } = planned.program.body.clone() else { panic!("{planned:?}") };
    let both = |consumer: &CinStmt, producer: &CinStmt| CinStmt::Where {
        consumer: Box::new(consumer.clone()),
        producer: Box::new(producer.clone()),
    };
    assert_eq!(with(both(&consumer, &producer)), Ok(()));
    for (wrong, why) in [
        (both(&producer, &consumer), "read where nothing has filled it"),
        (both(&consumer, &CinStmt::Nop), "read where nothing has filled it"),
        (CinStmt::Seq(vec![*producer.clone(), *consumer.clone()]), "outside of its producer"),
        (both(&producer, &producer), "outside of its producer"),
        (
            both(&consumer, &CinStmt::Seq(vec![*producer, *consumer.clone()])),
            "read where nothing has filled it",
        ),
    ] {
        let found = with(wrong).unwrap_err();
        assert!(found.contains(why), "{found}");
    }
}
