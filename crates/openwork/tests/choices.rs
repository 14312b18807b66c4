//! The marks of variants in explanations: they name the variant that the given operands take.

use openwork::{
    Arithmetic, Explanation, Format, FormatExt, Session, SomeRuns, Statement, TakenBy, Tensor, TensorExt,
};

/// 40 x 40 with values at every seventh place, the first of them `odd`.
fn matrix(format: &str, odd: f64) -> Tensor {
    let mut values = vec![0.0; 1600];
    (0..1600).step_by(7).for_each(|n| values[n] = 1.0 + n as f64);
    values[7] = odd;
    Tensor::from_vec(&[40, 40], values).unwrap().to_format(&Format::parse(format, 2).unwrap()).unwrap()
}

fn vector(odd: f64) -> Tensor {
    let mut values: Vec<f64> = (0..40).map(|n| 0.5 + n as f64).collect();
    values[3] = odd;
    Tensor::from_vec(&[40], values).unwrap()
}

/// The explanation for these operands, and the number of the variant that a first run of a new kernel takes.
fn explain_and_run(statement: &Statement, operands: &[&Tensor]) -> (Explanation, usize) {
    let session = Session::global();
    let explanation = statement.stages(session, operands).unwrap().explain();
    let kernel = statement.kernel(session, operands).unwrap();
    let ran = statement.run_on(session, &kernel, operands, None).unwrap().ran;
    (explanation, ran.variant)
}

#[test]
fn a_marked_variant_is_the_one_that_runs() {
    let texts = [
        "y(i) = A(i,j) * x(j)",
        "C(i,j) = A(i,j) * x(j)",
        "C(i,j) = A(i,j) / x(j)",
        "C(i,j) = A(i,j) * B(i,j)",
        "C(i,j) = A(i,j) + B(i,j)",
        "C(i,j) = A(i,j) * x(i) * x(j)",
        "C(j,i) = A(i,j)",
        "y(i) = min(j, A(i,j) + x(j))",
    ];
    let (mut tried, mut rejected, mut failed) = (0, 0, 0);
    for text in texts {
        for (odd, arithmetic) in [1.5, 0.0, f64::INFINITY, f64::NAN]
            .into_iter()
            .flat_map(|odd| [Arithmetic::Annihilating, Arithmetic::Exact].map(|a| (odd, a)))
        {
            for format in ["csr", "dcsr", "coo"] {
                let all = [("A", matrix(format, 2.0)), ("B", matrix("csr", odd)), ("x", vector(odd))];
                let own: Vec<_> = all.iter().filter(|(name, _)| text.contains(&format!("{name}("))).collect();
                let mut statement = Statement::new(text, own.iter().map(|(name, _)| *name)).unwrap();
                statement.arithmetic = Some(arithmetic);
                let operands: Vec<&Tensor> = own.iter().map(|(_, t)| t).collect();
                let (explanation, ran) = explain_and_run(&statement, &operands);
                let place = format!("{text} {odd} {arithmetic:?} {format}: {ran} ran\n{explanation}");
                let is_first = |t| matches!(t, TakenBy::Runs(SomeRuns::Every | SomeRuns::First));
                let is_tried = |t| matches!(t, TakenBy::TriedBy(SomeRuns::Every | SomeRuns::First));
                let marks: Vec<TakenBy> = explanation.variants.iter().map(|v| v.taken).collect();
                match (marks[ran - 1], marks.iter().position(|t| is_first(*t) || is_tried(*t))) {
                    (TakenBy::Runs(_) | TakenBy::TriedBy(_), Some(first)) => {
                        assert_eq!(first + 1, ran, "{place}")
                    }
                    (TakenBy::After(tried), Some(first)) => {
                        assert!(
                            tried == first + 1 && odd.is_nan() | odd.is_infinite() | (odd == 0.0),
                            "{place}"
                        );
                        rejected += 1;
                    }
                    // Whether what is relied on holds of values that are computed shows in a run.
                    (TakenBy::Others, None) => assert!(text.contains("x(i) * x(j)"), "{place}"),
                    _ => panic!("{place}"),
                }
                tried += usize::from(marks.iter().any(|t| is_tried(*t)));
                failed += usize::from(explanation.variants[ran - 1].name == "strict");
            }
        }
    }
    assert!(tried > 20 && rejected > 2 && failed > 5, "{tried} {rejected} {failed}");
}

#[test]
fn a_plan_with_one_variant_lists_it() {
    let statement = Statement::new("y(i) = x(i)", ["x"]).unwrap();
    let text = statement.stages(Session::global(), &[&vector(1.0)]).unwrap().explain().to_string();
    assert!(text.contains("variants\n  1  "), "{text}");
}

#[test]
fn assumed_sizes_are_named() {
    let (session, a) = (Session::global(), matrix("csr", 1.0));
    let statement = Statement::new("y(i) = A(i,j) * x(j)", ["A", "x"]).unwrap();
    let known = statement.stages(session, &[&a, &vector(1.0)]).unwrap().explain();
    assert!(known.assumed.is_empty() && !known.to_string().contains("assumed"), "{known}");
    let decls = [Some("csr"), None].map(|f| openwork::Decl {
        dtype: Some(openwork::DType::F64),
        format: f.map(|f| Format::parse(f, 2).unwrap()),
        ..openwork::Decl::default()
    });
    let kernel = statement.compile_declared(session, decls.to_vec()).unwrap();
    let text = kernel.stages().explain().to_string();
    assert!(text.contains("assumed    i = j = 20000, 200000 values of A"), "{text}");
}
