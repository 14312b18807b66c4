//! Schedules on planned statements: the new CIN, its text read back, and how text is read.

use openwork_algebra::DType;
use openwork_base::Source;
use openwork_format::Catalog;
use openwork_index::cin::{self, Storage};
use openwork_index::plan::{Concrete, plan};
use openwork_index::schedule::{Schedule, apply};
use openwork_index::{Decl, Decls, check, notation};

/// Plans a statement; `formats` is `name=format name=format`, and other tensors are dense.
fn plan_statement(text: &str, formats: &str) -> Concrete {
    let statement = notation::parse(&Source::new("statement", text)).unwrap();
    let mut decls = Decls::default();
    for name in statement.operands() {
        decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    }
    for pair in formats.split_whitespace() {
        let (name, format) = pair.split_once('=').unwrap();
        let rank = statement.rank_of(name).unwrap();
        let format = Catalog::default().parse(&Source::new("format", format), rank).unwrap();
        decls.tensors.entry(name.into()).or_default().format = Some(format);
    }
    plan(check(&statement, &decls).unwrap()).unwrap()
}
fn schedule_statement(text: &str, formats: &str, schedule: &str) -> openwork_base::Result<Concrete> {
    apply(plan_statement(text, formats), &Schedule::parse(schedule)?)
}

#[test]
fn commands_rewrite_plans_and_the_text_reads_back() {
    let product = "A(i,j) = B(i,k) * C(k,j)";
    for (text, formats, schedule, want) in [
        (product, "", "reorder(k,j,i)", "forall k forall j forall i A(i,j) += B(i,k) * C(k,j)"),
        (
            product,
            "A=csr B=csr C=csr",
            "precompute(C(k,j) * B(i,k), j, w, hash); unroll(k,4);",
            "forall i (forall j A(i,j) = w(j)) where[hash] (forall[unroll(4)] k forall j w(j) += B(i,k) * C(k,j))",
        ),
        (
            product,
            "A=csr B=csc C=csr",
            "precompute(B(i,k) * C(k,j), {i,j}, w, bitmap)",
            "(forall i forall j A(i,j) = w(i,j)) where[bitmap] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))",
        ),
        (
            "y(i) = A(i,j) * x(j) * z(j)",
            "A=csr",
            "precompute(z(j) * x(j), j, w, dense)",
            "(forall i (y(i) = t) where (forall j t += A(i,j) * w(j))) where[dense] (forall j w(j) = z(j) * x(j))",
        ),
        (
            "A(i,j) = B(i,j) + C(i,j) + D(i,j)",
            "",
            "precompute(B(i,j) + C(i,j), {i,j}, A); precompute(B(i,j), j, A)",
            "{forall i {forall j A(i,j) = B(i,j); forall j A(i,j) += C(i,j)}; forall i forall j A(i,j) += D(i,j)}",
        ),
        (
            "y(i) = A(i,j) * x(j)",
            "A=csr",
            "parallelize(i,CPUThread,NoRaces); vectorize(j)",
            "forall[parallelize] i (y(i) = t) where (forall[vectorize] j t += A(i,j) * x(j))",
        ),
        (
            "A(i,j) = B(i,j)",
            "",
            "precompute(B(i,j), j, jw, w)",
            "forall i (forall j A(i,j) = w(j)) where (forall jw w(jw) = B(i,jw))",
        ),
    ] {
        let new = schedule_statement(text, formats, schedule);
        let p = match new {
            Ok(plan) => plan.program,
            Err(e) => panic!("{text} with {schedule}: {e}"),
        };
        assert_eq!(p.to_string(), want, "{text} with {schedule}");
        let printed = Source::new("cin", p.to_string());
        let back = cin::text::parse(&printed, p.tensors.clone(), p.indices.clone()).unwrap();
        assert_eq!((back.body, back.directives), (p.body, p.directives), "{}", printed.text);
    }
}

#[test]
fn a_built_schedule_is_the_text() {
    let built = Schedule::new().reorder(["j", "i"]).vectorize("i").parallelize("j").precompute(
        "B(i)",
        ["i"],
        "w",
        Some(Storage::Dense),
    );
    let text = "reorder(j,i); vectorize(i); parallelize(j); precompute(B(i), {i}, w, dense)";
    assert_eq!(built.to_string(), text);
    assert!(Schedule::parse(" ; ").is_err() && Schedule::parse("  ").unwrap().is_empty());
}

#[test]
fn mistakes_point_at_the_guilty_word() {
    for (schedule, code, column) in [
        ("reorder(i,k", "E0811", 12),
        ("reorder(i,k) unroll(i,2)", "E0811", 14),
        ("unroll(i,2); tile(i)", "E0811", 14),
        ("precompute(B(i,k) $, j, w)", "E0811", 19),
        ("unroll(i,2); unroll(q,2)", "E0812", 21),
        ("precompute(B(i,j), j, w)", "E0812", 12),
        ("unroll(i,1)", "E0813", 10),
        ("precompute(B(i,k), {k,k}, w)", "E0813", 23),
        ("precompute(B(i,k), k, i)", "E0813", 23),
        ("parallelize(i,GPUBlock,NoRaces)", "E0814", 15),
    ] {
        let e = schedule_statement("A(i,j) = B(i,k) * C(k,j)", "", schedule).unwrap_err();
        let d = e.diagnostic().unwrap();
        let (s, span) = d.at.as_ref().unwrap();
        assert_eq!((d.code.0, s.line_col(span.start as usize).1), (code, column), "{schedule}: {e}");
    }
}
