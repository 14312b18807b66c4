//! The corpus and its candidates, without running anything.

use super::candidates::candidates;
use super::corpus::{PlanCase, corpus};
use super::data::{DataSource, RECTANGLES, kinds};
use super::formula::Formula;
use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session};

/// Cases whose statement is refused, by name: none so far.
const REFUSED: &[&str] = &[];

fn generate() -> Vec<PlanCase> {
    let mut all = corpus().unwrap();
    let made =
        |c: &PlanCase| kinds(c.weight, false).contains(&c.data) || RECTANGLES.iter().any(|r| r.0 == c.data);
    all.retain(made);
    all
}

fn decls(case: &PlanCase) -> Decls {
    let source = DataSource::open(case.data, case.weight).unwrap().expect("it is generated");
    let mut decls = Decls::default();
    for o in &case.operands {
        let decl = Decl {
            dtype: Some(DType::F64),
            format: Some(Format::parse(&o.format, o.vars.len()).unwrap()),
            shape: Some(o.vars.iter().map(|&v| source.size(v)).collect()),
            stored: Some(source.stored_count(&o.vars, &o.format)),
            elements: None,
        };
        decls.tensors.insert(o.name.clone(), decl);
    }
    let target = &case.formula.target;
    let format = case.result.as_ref().map(|f| Format::parse(f, target.vars.len()).unwrap());
    decls.tensors.insert(target.name.clone(), Decl { format, ..Decl::default() });
    decls
}

#[test]
fn the_corpus_has_many_cases_with_names_of_their_own() {
    let all = generate();
    assert!(all.len() >= 150, "{}", all.len());
    let mut names: Vec<String> = corpus().unwrap().into_iter().map(|c| c.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn every_statement_is_built_or_refused_by_name() {
    let session = Session::new(BackendKind::Clif).unwrap();
    for case in generate() {
        let built = session.stages(&case.formula.to_string(), &decls(&case));
        let refused = REFUSED.contains(&case.name.as_str());
        assert_eq!(built.is_err(), refused, "{}: {:?}", case.name, built.err().map(|e| e.to_string()));
    }
}

#[test]
fn candidates_are_the_same_for_the_same_seed_and_read_back() {
    let mut other = 0;
    for case in generate() {
        let all = candidates(&case, 1);
        assert_eq!(all, candidates(&case, 1), "{}", case.name);
        other += usize::from(all != candidates(&case, 2));
        for (n, candidate) in all.iter().enumerate() {
            assert!(all[..n].iter().all(|c| c.steps != candidate.steps), "{}: {}", case.name, candidate.what);
            for (at, step) in candidate.steps.iter().enumerate() {
                let known = candidate.steps[..at].iter().map(|s| &s.formula.target.name);
                let known: Vec<&String> = known.chain(case.operands.iter().map(|o| &o.name)).collect();
                assert!(!known.contains(&&step.formula.target.name), "{}: {}", case.name, candidate.what);
                assert_eq!(Formula::parse(&step.formula.to_string()).as_ref(), Ok(&step.formula));
            }
        }
    }
    assert!(other > 100, "{other}");
}

#[test]
fn statements_are_split_where_a_part_is_worth_a_tensor() {
    let splits = |text: &str| -> Vec<String> {
        let all = Formula::parse(text).unwrap().splits();
        all.iter().map(|s| format!("{}; {}", s.first, s.rest)).collect()
    };
    assert_eq!(
        splits("C(i,k) = M(i,k) * A(i,j) * B(j,k)"),
        [
            "Part(i,k,j) = M(i,k) * A(i,j); C(i,k) = Part(i,k,j) * B(j,k)",
            "Part(i,k,j) = M(i,k) * B(j,k); C(i,k) = Part(i,k,j) * A(i,j)",
            "Part(i,k) = A(i,j) * B(j,k); C(i,k) = M(i,k) * Part(i,k)",
        ]
    );
    assert_eq!(splits("y(i) = A(i,j) * x(j)"), [] as [&str; 0]);
    assert_eq!(
        splits("y(i) = (A(i,j) + B(i,j)) * x(j)"),
        ["Part(i,j) = A(i,j) + B(i,j); y(i) = Part(i,j) * x(j)"; 2]
    );
    assert_eq!(splits("y(i) = A(i,j) * x(j) + b(i)"), ["Part(i) = A(i,j) * x(j); y(i) = Part(i) + b(i)"]);
}
