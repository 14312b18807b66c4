//! Copies assembled out of order, attribute queries with the rewrites of table 6.2, and lifted operands.

use openwork_algebra::{DType, Scalar};
use openwork_base::Source;
use openwork_format::Catalog;
use openwork_index::cin::eval::{Array, eval};
use openwork_index::cin::{AssemblyMode, Program};
use openwork_index::plan::{conversion, lift, plan};
use openwork_index::query::{QuerySubject, Rewrite, canonical, optimize, parse};
use openwork_index::{Access, Assignment, CinStmt, Decl, Decls, IndexId, TensorKind, check, notation};
use std::collections::BTreeMap;

fn assignment(text: &str, formats: &[(&str, &str)]) -> Assignment {
    let statement = notation::parse(&Source::new("statement", text)).unwrap();
    let mut decls = Decls::default();
    for name in statement.index_names() {
        decls.dims.insert(name.into(), 4);
    }
    for (name, format) in formats {
        let rank = statement.rank_of(name).unwrap();
        let format = Catalog::default().parse(&Source::new("-f", *format), rank).unwrap();
        let decl = Decl { dtype: Some(DType::F64), format: Some(format), ..Decl::default() };
        decls.tensors.insert((*name).into(), decl);
    }
    check(&statement, &decls).unwrap()
}

fn out_of_order(from: &str, to: &str) -> Option<String> {
    let a = assignment("B(i,j) = A(i,j)", &[("A", from), ("B", to)]);
    let plan = conversion::out_of_order(&a).unwrap()?;
    assert!(matches!(plan.program.assembly, AssemblyMode::OutOfOrder(_)));
    Some(plan.program.to_string())
}

#[test]
fn queries_are_answered_in_the_cheapest_way() {
    for (from, to, want) in [
        ("csr", "dia", "forall i forall j forall d Q1(d) |= map(A(i,j), true)"),
        ("csr", "ell", "forall i Q1 max= width(A(i,:))"),
        ("csc", "ell", "(forall i Q1 max= W1(i)) where (forall j forall i W1(i) += map(A(i,j), 1))"),
        // A histogram of rows, not of pairs of slices and rows.
        ("csr", "sell(2)", "(forall i forall bi Q1(bi) max= W1(i)) where (forall i W1(i) = width(A(i,:)))"),
        // The counter goes on from slice to slice, so its largest value in one is no histogram.
        (
            "csr",
            "(i,j) -> (i/2, #j, i, j) : dense, ragged, dense, dense",
            "forall i forall j forall bi forall n Q1(bi) max= map(A(i,j), n + 1)",
        ),
        ("csr", "csc", "forall i forall j Q1(j) += map(A(i,j), u32(1))"),
        (
            "coo",
            "(i,j) -> (i,j) : dense, compressed(unordered)",
            "forall i forall j Q1(i) += map(A(i,j), u32(1))",
        ),
        ("csr", "hash", "forall i Q1(i) = u32(width(A(i,:)))"),
        ("csr", "ragged", "forall i forall j Q1(i) max= map(A(i,j), j + 1)"),
    ] {
        let got = out_of_order(from, to).unwrap_or_else(|| panic!("{from} to {to}"));
        assert!(got.contains(want), "{from} to {to}: {got}");
    }
}

#[test]
fn what_cannot_be_placed_or_would_lose_its_order_is_left_to_others() {
    let shuffled = "(i,j) -> (i,j) : dense, compressed(unordered)";
    for (from, to) in [
        // The order of the source is not the order that the lists want.
        (shuffled, "csr"),
        ("hash", "csr"),
        // Several elements share a place of a list, or there is no table of parents.
        ("csr", "bcsr(2,2)"),
        ("csr", "(i,j) -> (i,j) : masked, compressed"),
        ("csr", "dok"),
        // Values that elements share, triangles, promises.
        ("csr", "rle"),
        ("csr", "lower"),
        ("csr", "(i,j) -> (i,j) : dense, compressed(full)"),
        ("csr", "(i,j) -> (i,j) : dense, compressed(zeroless)"),
        // Elements that may be stored twice.
        ("(i,j) -> (i,j) : compressed(nonunique), singleton(nonunique)", "ell"),
        ("(i,j) -> (i,j) : dense, compressed(nonunique)", "dia"),
    ] {
        assert_eq!(out_of_order(from, to), None, "{from} to {to}");
    }
    for (from, to) in [(shuffled, shuffled), ("hash", "ell"), ("rle", "dia"), ("ell", "csc"), ("jad", "ell")]
    {
        let planned = out_of_order(from, to).is_some();
        let ordered = to != "csc";
        assert_eq!(planned, ordered || planned, "{from} to {to}");
    }
}

#[test]
fn only_copies_are_conversions() {
    let formats = [("A", "csr"), ("B", "dia")];
    for (text, copies) in [
        ("B(i,j) = A(i,j)", true),
        ("B(j,i) = A(i,j)", true),
        ("B(i,j) = 2 * A(i,j)", false),
        ("B(i,j) = A(i,i)", false),
        ("B(i,j) = A(i,k)", false),
    ] {
        assert_eq!(conversion::copied_operand(&assignment(text, &formats)).is_some(), copies, "{text}");
    }
    let mut filled = assignment("B(i,j) = A(i,j)", &formats);
    let b = filled.lhs.tensor;
    filled.tensors[b].fill = Scalar::F64(1.0);
    assert!(conversion::copied_operand(&filled).is_none(), "another fill");
}

#[test]
fn operands_are_lifted_where_their_coordinates_fit() {
    for (text, formats, fits) in [
        ("y(i) = A(i,j) * x(j)", &[("A", "dia"), ("y", "dense"), ("x", "dense")][..], true),
        ("C(i,j) = A(i,j) + B(i,j)", &[("A", "dia"), ("B", "dia"), ("C", "dense")], true),
        ("C(i,j) = A(i,j) + B(i,j)", &[("A", "dia"), ("B", "csr"), ("C", "dense")], false),
        ("C(i,j) = A(i,j) + B(j,i)", &[("A", "dia"), ("B", "dia"), ("C", "dense")], false),
        ("C(i,j) = A(i,j) + B(i,j)", &[("A", "ell"), ("B", "ell"), ("C", "dense")], false),
        // Terms have loops of their own where one is a reduction.
        (
            "y(i) = A(i,j) * x(j) + B(i,j) * x(j)",
            &[("A", "dia"), ("B", "csr"), ("y", "dense"), ("x", "dense")],
            true,
        ),
        (
            "y(i) = A(i,j) * x(j) - B(i,j) * x(j)",
            &[("A", "ell"), ("B", "ell"), ("y", "dense"), ("x", "dense")],
            true,
        ),
        (
            "y(i) = A(i,j) * B(i,j) + x(i)",
            &[("A", "dia"), ("B", "csr"), ("y", "dense"), ("x", "dense")],
            false,
        ),
        (
            "y(i) = max(sum(j, A(i,j) * x(j)), b(i))",
            &[("A", "dia"), ("b", "sv"), ("y", "dense"), ("x", "dense")],
            false,
        ),
        ("C(i,j) = A(i,j)", &[("A", "dia"), ("C", "csr")], false),
        ("C(i,j) = A(i,j)", &[("A", "dia"), ("C", "dia")], false),
        ("y(i) = A(i,i)", &[("A", "dia"), ("y", "dense")], false),
        (
            "y(i) = A(i,j)",
            &[("A", "(i,j) -> (#i, i, j) : compressed(nonunique), singleton, ragged"), ("y", "dense")],
            false,
        ),
    ] {
        let planned = plan(assignment(text, formats));
        assert_eq!(planned.is_ok(), fits, "{text} {formats:?}");
        if let Err(e) = planned {
            assert_eq!(e.code().0, "E0406");
        }
    }
}

#[test]
fn equal_coordinates_share_a_variable_and_counters_do_not() {
    let formats = [("A", "bcsr(2,2)"), ("B", "bcsr(2,2)"), ("C", "dense")];
    let a = lift::lift(assignment("C(i,j) = A(i,j) * B(i,j)", &formats)).unwrap();
    let vars: Vec<Vec<IndexId>> = a.rhs.accesses().into_iter().map(|x| x.vars.clone()).collect();
    assert_eq!(vars[0], vars[1]);
    assert_eq!(vars[0].len(), 6);
    let names: Vec<&str> = vars[0].iter().map(|v| a.indices[*v].name.as_str()).collect();
    assert_eq!(names, ["bi", "bj", "ri", "rj", "i", "j"]);
}

/// A query about an operand with the given format, in canonical form and optimised, and which rewrites applied.
struct Asked {
    before: Program,
    after: Program,
    rewrites: Vec<Rewrite>,
    text: String,
}

fn ask(format: &str, query: &str) -> Asked {
    let mut a = assignment("B(i,j) = A(i,j)", &[("A", format), ("B", "ell")]);
    let source = a.rhs.accesses()[0].clone();
    let loops: Vec<IndexId> = a.tensors[source.tensor].format.modes.iter().map(|&m| source.vars[m]).collect();
    let (i, j) = (source.vars[0], source.vars[1]);
    let names = vec![("i".to_string(), vec![i]), ("j".to_string(), vec![j])];
    let subject = QuerySubject { of: source, loops, names };
    let query = parse(&Source::new("query", query)).unwrap();
    let (s, answer) = canonical(&subject, &query.by, &query.aggregates[0], &mut a.tensors, &a.indices);
    let (t, rewrites) = optimize(s.clone(), &mut a.tensors, &a.indices);
    let mut tensors = a.tensors;
    // The answer becomes a result, so that the evaluator hands it out.
    tensors[answer.temp].kind = TensorKind::Result;
    let b = a.lhs.tensor;
    tensors[b].kind = TensorKind::Temp;
    let program = |body: CinStmt| Program {
        tensors: tensors.clone(),
        indices: a.indices.clone(),
        body,
        assembly: AssemblyMode::InOrder,
        begins: None,
        directives: Default::default(),
        reads: a.reads.clone(),
        source: a.source.clone(),
    };
    let (before, after) = (program(s), program(t));
    let text = after.to_string();
    Asked { before, after, rewrites, text }
}

fn answer(p: &Program, values: &[f64]) -> Vec<Scalar> {
    let array = Array { shape: vec![4, 4], values: values.iter().map(|v| Scalar::F64(*v)).collect() };
    let operands: BTreeMap<_, _> = p
        .tensors
        .iter()
        .filter(|(_, t)| t.kind == TensorKind::Operand)
        .map(|(id, _)| (id, array.clone()))
        .collect();
    let sizes = p.indices.iter().map(|(v, _)| (v, 4)).collect();
    eval(p, &operands, &sizes).pop_first().unwrap().1.values
}

#[test]
fn every_rewrite_of_table_6_2_applies_and_keeps_the_answer() {
    use Rewrite::{InlineTemporary, ReductionToAssign, SimplifyWidthCount};
    for (format, query, rewrites, want) in [
        (
            "csr",
            "select [i] -> count(j) as n",
            &[ReductionToAssign, InlineTemporary, SimplifyWidthCount, ReductionToAssign][..],
            "forall i Q1(i) = u32(width(A(i,:)))",
        ),
        (
            "csc",
            "select [i] -> count(j) as n",
            &[ReductionToAssign, InlineTemporary],
            "forall j forall i Q1(i) += map(A(i,j), u32(1))",
        ),
        (
            "dense",
            "select [i] -> count(j) as n",
            &[ReductionToAssign, InlineTemporary],
            "forall i forall j Q1(i) += map(A(i,j), u32(1))",
        ),
        (
            "csr",
            "select [] -> count(i,j) as n",
            &[ReductionToAssign, InlineTemporary, SimplifyWidthCount],
            "forall i Q1 += u32(width(A(i,:)))",
        ),
        // Distinct columns cannot be counted element by element.
        (
            "csr",
            "select [] -> count(j) as n",
            &[],
            "(forall j Q1 += map(W1(j), u32(1))) where (forall i forall j W1(j) |= map(A(i,j), true))",
        ),
        ("csr", "select [i] -> id() as nz", &[], "forall i forall j Q1(i) |= map(A(i,j), true)"),
        (
            "csr",
            "select [i,j] -> id() as nz",
            &[ReductionToAssign],
            "forall i forall j Q1(i,j) = map(A(i,j), true)",
        ),
        ("csr", "select [i] -> max(j) as w", &[], "forall i forall j Q1(i) max= map(A(i,j), j + 1)"),
        ("csr", "select [] -> min(j-i) as l", &[], "forall i forall j Q1 max= map(A(i,j), -(j - i))"),
    ] {
        let asked = ask(format, query);
        assert_eq!(asked.text, want, "{format}: {query}");
        assert_eq!(asked.rewrites, rewrites, "{format}: {query}");
        let mut seed = 5u64;
        for _ in 0..20 {
            let mut next = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                if (seed >> 33).is_multiple_of(3) { 1.0 } else { 0.0 }
            };
            let values: Vec<f64> = (0..16).map(|_| next()).collect();
            assert_eq!(answer(&asked.before, &values), answer(&asked.after, &values), "{format}: {query}");
        }
    }
}

#[test]
fn the_largest_counter_is_a_histogram() {
    let plan = out_of_order("csc", "ell").unwrap();
    assert!(plan.contains("W1(i) += map(A(i,j), 1)") && !plan.contains("n + 1"), "{plan}");
}

/// Every copy that is planned out of order copies, in the evaluator.
#[test]
fn copies_copy() {
    let values: Vec<Scalar> = (0..16).map(|n| Scalar::F64(f64::from((n * 7) % 5 % 3))).collect();
    let formats = [
        "csr",
        "csc",
        "coo",
        "ell",
        "jad",
        "dia",
        "hash",
        "banded",
        "sky",
        "bcsr(2,2)",
        "sell(2)",
        "(i,j) -> (i/2, #j, i, j) : dense, ragged, dense, dense",
        "bitmap",
        "lil",
    ];
    let mut planned = 0;
    for from in formats {
        for to in formats {
            for text in ["B(i,j) = A(i,j)", "B(j,i) = A(i,j)"] {
                let a = assignment(text, &[("A", from), ("B", to)]);
                let Some(plan) = conversion::out_of_order(&a).unwrap() else { continue };
                planned += 1;
                let p = plan.program;
                let array = Array { shape: vec![4, 4], values: values.clone() };
                let source: Vec<Access> =
                    p.body.assignments().iter().flat_map(|(_, _, rhs)| rhs.accesses()).cloned().collect();
                let operand =
                    source.iter().find(|x| p.tensors[x.tensor].kind == TensorKind::Operand).unwrap().tensor;
                let sizes =
                    p.indices.iter().filter(|(_, i)| i.derived.is_none()).map(|(v, _)| (v, 4)).collect();
                let got = eval(&p, &[(operand, array)].into(), &sizes).pop_first().unwrap().1.values;
                let turned = text.starts_with("B(j");
                let want: Vec<Scalar> =
                    (0..16).map(|n| values[if turned { n % 4 * 4 + n / 4 } else { n }]).collect();
                assert_eq!(got, want, "{from} to {to}: {p}");
            }
        }
    }
    assert!(planned > 150, "{planned}");
}
