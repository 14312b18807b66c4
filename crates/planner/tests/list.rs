//! Plans for several statements, and for one in several kernels, from declarations alone.

use openwork_algebra::DType;
use openwork_base::Source;
use openwork_format::Catalog;
use openwork_index::check::Assignment;
use openwork_index::schedule::Schedule;
use openwork_index::{Decl, Decls, check, notation, plan};
use openwork_levels::Registry;
use openwork_lower::Parallel;
use openwork_planner::{Action, ListPlan, Plan, Planner};

/// Typed statements; `D` is a dcsr matrix of doubles, every other name with a capital a csr one, `few` a sparse vector, others are dense.
fn type_statements(statements: &[&str]) -> Vec<(Assignment, Plan)> {
    let mut decls = Decls::default();
    let one = |statement: &&str| {
        let parsed = notation::parse(&Source::new("statement", *statement)).unwrap();
        for name in parsed.read_tensors() {
            let matrix = name.chars().next().is_some_and(char::is_uppercase);
            let format = match name {
                "few" => "sv",
                "D" => "dcsr",
                _ if matrix => "csr",
                _ => "dense",
            };
            let rank = if matrix { 2 } else { usize::from(!["a", "s"].contains(&name)) };
            let format = Catalog::default().parse(&Source::new("format", format), rank).unwrap();
            let (shape, stored) = (Some(vec![100_000; rank]), Some(1_000_000));
            let decl = Decl { dtype: Some(DType::F64), format: Some(format), shape, stored, elements: None };
            decls.tensors.entry(name.to_string()).or_insert(decl);
        }
        let name = parsed.lhs.name.text.clone();
        if !parsed.read_tensors().contains(&name.as_str()) {
            decls.tensors.remove(&name);
        }
        let mut a = check(&parsed, &decls).unwrap();
        plan::result_format(&mut a, &mut Vec::new());
        let registry = Registry::default();
        let plan = Planner::new(&registry, 0.0).plan(&a, &Schedule::new()).unwrap();
        decls.tensors.insert(name, plan.result_decl());
        (a, plan)
    };
    statements.iter().map(one).collect()
}

fn plan_list(statements: &[&str], asked: &[usize]) -> ListPlan {
    let (list, plans): (Vec<Assignment>, Vec<Plan>) = type_statements(statements).into_iter().unzip();
    ListPlan::from_plans(&list, plans, &|n| asked.contains(&n), &Registry::default(), &|_, _| Ok(true))
        .unwrap()
}

#[test]
fn what_changes_few_elements_runs_alone() {
    use Action::{Free, Run, Together};
    let actions = |statements: &[&str]| plan_list(statements, &[statements.len() - 1]).actions;
    let few = ["e(i) = 2 * d(i)", "e(i) += few(i)", "e(i) += few(i)"];
    assert_eq!(actions(&few), [Run(0), Run(1), Free(0), Run(2), Free(1)]);
    // What is read again has to stay as it is; what changes everywhere may as well be done part by part.
    let kept = ["e(i) = 2 * d(i)", "f(i) = e(i) + few(i)", "g(i) = e(i) + f(i)"];
    assert_eq!(actions(&kept), [Together(vec![0, 1, 2]), Free(0), Free(1)]);
    let all = ["e(i) = 2 * d(i)", "e(i) += d(i)"];
    assert_eq!(actions(&all), [Together(vec![0, 1]), Free(0)]);
    // Two of them are no kernel of both, and one whose other nest goes everywhere changes everything.
    let others = ["z(i) = y(i) + few(i)", "w(i) = v(i) + 2 * few(i)"];
    assert_eq!(plan_list(&others, &[0, 1]).actions, [Run(0), Run(1)]);
    let nests = ["e(i) = 2 * d(i)", "e(i) = 2 * e(i) + D(i,j) * d(j)", "g(i) = 2 * e(i)"];
    assert_eq!(actions(&nests)[0], Together(vec![0, 1, 2]));
}

#[test]
fn statements_that_share_rows_run_together() {
    use Action::{Free, Run, Together};
    let together = |statements: &[&str]| plan_list(statements, &[statements.len() - 1]).actions;
    // One reads what the other makes, row by row; both read the rows of a matrix, or the elements of a vector.
    assert_eq!(together(&["y(i) = A(i,j) * x(j)", "a = y(i) * y(i)"]), [Together(vec![0, 1]), Free(0)]);
    assert_eq!(together(&["y(i) = A(i,j) * x(j)", "z(i) = A(i,j) * v(j)"]), [Together(vec![0, 1]), Free(0)]);
    assert_eq!(together(&["y(i) = 2 * x(i)", "a = x(p)"]), [Together(vec![0, 1]), Free(0)]);
    // The other one needs all of the result, or ranges over something else.
    assert_eq!(together(&["y(i) = A(i,j) * x(j)", "z(i) = A(i,j) * y(j)"]), [Run(0), Run(1), Free(0)]);
    assert_eq!(together(&["y(i) = A(i,j) * x(j)", "a = v(j) * v(j)"]), [Run(0), Free(0), Run(1)]);
    assert_eq!(together(&["y(i) = A(i,j) * x(j)", "z(j) = A(i,j) * v(i)"]), [Run(0), Free(0), Run(1)]);
    // Folding leaves nothing of what links them.
    assert_eq!(together(&["y(j) = 2 * x(j)", "a = v(i) + 0 * y(j)"]), [Run(0), Run(1), Free(0)]);
    // A total is there only when all parts are.
    assert_eq!(together(&["a = x(i) * x(i)", "y(i) = a * x(i)"]), [Run(0), Run(1), Free(0)]);
    // Sparse results are pieced together afterwards.
    assert_eq!(together(&["B(i,j) = 2 * A(i,j)", "y(i) = B(i,j) * x(j)"]), [Run(0), Run(1), Free(0)]);
}

#[test]
fn statements_with_a_loop_in_common_are_one_kernel() {
    let joined = |statements: &[&str]| -> Vec<Vec<usize>> {
        let plan = plan_list(statements, &(0..statements.len()).collect::<Vec<_>>());
        plan.joined.into_iter().map(|one| one.statements).collect()
    };
    assert_eq!(joined(&["s(i) = A(i,j)", "v(i) = A(i,j) * A(i,j)", "m(i) = max(j, A(i,j))"]), [[0, 1, 2]]);
    // Sums over rows beside sums over columns, of which each thread has its own; totals; what is appended.
    assert_eq!(joined(&["s(i) = A(i,j)", "t(j) = A(i,j)"]), [[0, 1]]);
    assert_eq!(joined(&["s = A(i,j)", "t = A(i,j) * A(i,j)"]), [[0, 1]]);
    assert_eq!(joined(&["s(i) = A(i,j)", "t = A(i,j) * A(i,j)"]), [[0, 1]]);
    // A loop that only one has inside leaves nothing in common.
    assert!(joined(&["s = v(i) * v(i)", "y(i) = A(i,j) * v(i)"]).is_empty());
    // One reads what the other makes.
    assert!(joined(&["y(i) = A(i,j) * x(j)", "z(i) = A(i,j) * x(j) + y(i)"]).is_empty());
    // Elements of x and of z in no order are too many for a cache, as far as anybody knows.
    assert!(joined(&["y(i) = A(i,j) * x(j)", "z(j) = A(i,j) * u(i)"]).is_empty());
    assert_eq!(joined(&["y(i) = A(i,j) * x(j)", "z(i) = A(i,j) * A(i,j) * x(j)"]), [[0, 1]]);
    // What is changed may be changed where it is.
    assert!(joined(&["s(i) = A(i,j)", "t(j) += A(i,j)"]).is_empty());
}

#[test]
fn results_are_given_back_after_their_last_reader() {
    use Action::{Free, Run};
    let statements = ["B(i,j) = 2 * A(i,j)", "C(i,k) = B(i,j) * B(j,k)", "D(i,j) = B(i,j) + C(i,j)"];
    let plan = plan_list(&statements, &[2]);
    assert_eq!(plan.actions, [Run(0), Run(1), Run(2), Free(0), Free(1)]);
    assert_eq!(plan_list(&statements, &[0, 1, 2]).actions, [Run(0), Run(1), Run(2)]);
    // A name that is computed again is another tensor from there on.
    let again = plan_list(&["y(i) = A(i,j) * x(j)", "y(i) = A(i,j) * y(j)", "z(i) = A(i,j) * y(j)"], &[2]);
    assert_eq!(again.actions, [Run(0), Run(1), Free(0), Run(2), Free(1)]);
    assert_eq!(
        again.reads.iter().map(|r| r.iter().map(|r| r.of).collect()).collect::<Vec<Vec<_>>>(),
        [vec![], vec![0], vec![1]]
    );
}

#[test]
fn a_temporary_before_all_loops_is_a_kernel_of_its_own() {
    let kernels = |statement: &str| {
        let (_, plan) = type_statements(&[statement]).remove(0);
        let divided = |p: &Parallel| matches!(p, Parallel::Chunks(_));
        let pieces: Vec<bool> = plan.pieces.iter().map(|p| divided(&p.lowered.parallel)).collect();
        (divided(&plan.lowered.parallel), pieces)
    };
    assert_eq!(kernels("y(i) = A(i,j) * x(j)"), (true, vec![]));
    assert_eq!(kernels("y(i) = A(i,j) * B(j,k) * x(k)"), (false, vec![true, true]));
    assert_eq!(kernels("y(i) = x(i) / sum(j, x(j))"), (false, vec![true, true]));
    // A total inside of a sum is added up once.
    assert_eq!(kernels("y(i) = A(i,j) * x(j) / sum(k, x(k))"), (false, vec![true, true]));
    // Totals that go into a formula, but not those that are only copied, whose parts the kernel combines.
    assert_eq!(kernels("o = sqrt(sum(i, x(i) * x(i)))"), (false, vec![true, false]));
    assert_eq!(kernels("o = sum(i, x(i) * x(i))"), (true, vec![]));
    // A step of page rank: what is divided for every element of a vector is not divided for every element of the matrix.
    assert_eq!(kernels("y(i) = 0.15 / s + 0.85 * A(i,j) * (r(j) / d(j))"), (false, vec![true, true]));
    // So little work is not worth it.
    let registry = Registry::default();
    let (mut a, _) = type_statements(&["y(i) = A(i,j) * B(j,k) * x(k)"]).remove(0);
    let all: Vec<_> = a.indices.ids().collect();
    all.into_iter().for_each(|v| a.indices[v].size = Some(100));
    let ids: Vec<_> = a.tensors.ids().collect();
    ids.into_iter().for_each(|t| a.tensors[t].stored = Some(500));
    assert!(Planner::new(&registry, 20_000.0).plan(&a, &Schedule::new()).unwrap().pieces.is_empty());
}
