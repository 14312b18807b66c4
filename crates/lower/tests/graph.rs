//! What the iteration graph decides, of one statement after the other, and what it is refused for. Text tests show graphs of
//! whole programs (`> graph`), and every random plan's graph is held to its law and evaluated.

mod common;

use common::{Tensor, plan_program, program};
use openwork_base::{Result, Source};
use openwork_format::{Catalog, LevelSpec, specs};
use openwork_index::{CinStmt, Program, TensorKind};
use openwork_levels::{
    ChildTest, CoordOrder, CoordSource, Gaps, Iterate, LevelFormat, Registry, Shape, WalkStart,
};
use openwork_lower::graph::coverage::{Coverage, Covered, coverage};
use openwork_lower::graph::{AssignAction, Graph, GraphNode, Keep, Loop, NodeKind, law};
use openwork_lower::{CodeSize, Parallel, lower, uneven};
use std::sync::Arc;

fn graph(p: &Program) -> Result<Graph> {
    let graph = Graph::build(p, &Registry::default())?;
    assert_eq!(law::broken_law(&graph, p), None, "{}", graph.text(p));
    Ok(graph)
}

/// The lines of a graph, without what stands before them.
fn lines(statement: &str, tensors: &[Tensor]) -> Vec<String> {
    let p = program(statement, tensors);
    let graph = graph(&p).unwrap_or_else(|e| panic!("{statement}: {e}"));
    graph.text(&p).lines().map(|line| line.trim().to_string()).collect()
}

#[test]
fn what_a_loop_runs_over() {
    let dense = ("y", "dense", 1, None);
    let first = |statement: &str, tensors: &[Tensor]| lines(statement, tensors)[0].clone();
    for (format, over) in [
        ("dense", "i over the dimension"),
        ("sv", "i over x(i).1"),
        ("(i) -> (i) : bitmap", "i over words of x(i).1"),
        ("(i) -> (i) : hashed", "i over x(i).1"),
    ] {
        assert_eq!(first("y(i) = x(i)", &[("x", format, 1, None), dense]), over, "{format}");
    }
    let two = |a, b| first("y(i) = a(i) * b(i)", &[("a", a, 1, None), ("b", b, 1, None), dense]);
    assert_eq!(two("sv", "sv"), "i over a(i).1 and b(i).1");
    assert_eq!(two("sv", "dense"), "i over a(i).1");
    let sum = first("y(i) = a(i) + b(i)", &[("a", "sv", 1, None), ("b", "dense", 1, None), dense]);
    assert_eq!(sum, "i over the dimension, between a(i).1");
    assert_eq!(two("sv", "(i) -> (i) : hashed"), "i over a(i).1, looked up in b(i).1");
    assert_eq!(two("(i) -> (i) : bitmap", "(i) -> (i) : bitmap"), "i over words of a(i).1 and b(i).1");
}

#[test]
fn what_loops_over_runs_and_words_have_in_common() {
    let two = |statement: &str, a, b| {
        lines(statement, &[("a", a, 1, None), ("b", b, 1, None), ("y", "dense", 1, None)])
    };
    let product = |a, b| two("y(i) = a(i) * b(i)", a, b)[0].clone();
    let (runs, words) = ("rle", "(i) -> (i) : bitmap");
    assert_eq!(product(runs, runs), "i over runs of a(i).1 and b(i).1 but those of the fill value");
    assert_eq!(product(runs, "sv"), "i over b(i).1, along runs of a(i).1");
    assert_eq!(product(words, runs), "i over words of a(i).1, along runs of b(i).1");
    // Nothing is walked in order that runs could go along with.
    let looked_up = "i over runs of a(i).1 but those of the fill value, looked up in b(i).1";
    assert_eq!(product(runs, "(i) -> (i) : hashed"), looked_up);
    let sum = |a, b| two("y(i) = a(i) + b(i)", a, b)[0].clone();
    assert_eq!(sum(runs, runs), "i over runs of a(i).1 and b(i).1");
    assert_eq!(sum(runs, "sv"), "i over runs of a(i).1, between b(i).1");
    assert_eq!(sum(words, words), "i over words of a(i).1, b(i).1");
    assert_eq!(sum(words, "sv"), "i over regions of a(i).1, b(i).1");
    // Words of `^` are those that one of the two has; the other bits are asked for explicit zeros.
    let either = two("y(i) = (a(i) != 0) ^ (b(i) != 0)", words, words);
    assert_eq!(either[..2], ["i over words of a(i).1, b(i).1", "in a(i).1 & b(i).1"]);
}

#[test]
fn gaps_between_stored_coordinates_are_taken_by_themselves_where_little_is_done() {
    let first = |statement: &str, tensors: &[Tensor]| lines(statement, tensors)[0].clone();
    let vectors = [("a", "sv", 1, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
    assert_eq!(first("y(i) = max(a(i), x(i))", &vectors), "i over the dimension, between a(i).1");
    // Rows that are walked inside take the time anyway.
    let rows = [("A", "dcsr", 2, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
    assert_eq!(first("y(i) = max(sum(j, A(i,j)), x(i))", &rows), "i over the dimension, beside A(i,j).1");
}

#[test]
fn loops_in_tiles() {
    let all = |format| {
        let tensors = [("A", format, 2, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
        lines("y(i) = A(i,j) * x(j)", &tensors)
    };
    assert_eq!(all("dia")[0], "strips of i");
    assert_eq!(all("csr")[0], "i over the dimension");
    let blocked = all("bcsr(2,4)");
    let tiles: Vec<&String> = blocked.iter().filter(|l| l.starts_with("blocks of")).collect();
    assert_eq!(tiles.len(), 1, "{blocked:?}");
    assert!(tiles[0].ends_with("whole ones and others"), "{tiles:?}");
}

/// The analysis says that every walk over the variable can begin anywhere; what writes the kernel takes it at its word.
#[test]
fn what_is_divided_among_threads_can_be_searched() {
    let levels: Vec<&str> = openwork_format::specs::LEVELS.iter().map(|spec| spec.name).collect();
    let mut lowered = 0;
    for level in &levels {
        let one = format!("(i) -> (i) : {level}");
        let rows = format!("(i,j) -> (i,j) : {level}, compressed");
        for (statement, rank, format) in [
            ("y(i) = a(i)", 1, &one),
            ("y(i) = a(i) * b(i)", 1, &one),
            ("y(i) = a(i) + b(i)", 1, &one),
            ("y(i) = max(a(i), x(i))", 1, &one),
            ("y(i) = a(i,j) * x(j)", 2, &rows),
            ("y(i) = a(i,j) * b(i,j)", 2, &rows),
        ] {
            if Catalog::default().parse(&Source::new("format", format.as_str()), rank).is_err() {
                continue;
            }
            let other = if rank == 1 { "sv" } else { "dcsr" };
            let tensors = [
                ("a", format.as_str(), rank, None),
                ("b", other, rank, None),
                ("x", "dense", 1, None),
                ("y", "dense", 1, None),
            ];
            let Some(p) = plan_program(statement, &tensors) else { continue };
            match lower(&p, &Registry::default()) {
                Ok(_) => lowered += 1,
                Err(e) => assert!(!e.to_string().contains("searched"), "{statement}, {format}: {e}"),
            }
        }
    }
    assert!(lowered > 3 * levels.len(), "{lowered} of {} levels", levels.len());
}

#[test]
fn what_cannot_be_written_is_known_before_it_is_written() {
    use openwork_lower::{Decide, Iteration};
    let refused = |statement: &str, tensors: &[Tensor]| {
        let p = plan_program(statement, tensors)?;
        Iteration::build(&p, &Registry::default(), Decide::Hidden).err().map(|e| e.code().0)
    };
    let (unordered, dense) = ("(i) -> (i) : compressed(unordered)", ("y", "dense", 1, None));
    let (x, z) = (("x", unordered, 1, None), ("z", "sv", 1, None));
    // One list is walked as it comes, others are merged and appended in order.
    assert_eq!(refused("y(i) = 2 * x(i)", &[x, dense]), None);
    assert_eq!(refused("y(i) = x(i) + z(i)", &[x, z, dense]), Some("E0407"));
    assert_eq!(refused("y(i) = 2 * x(i)", &[x, ("y", "sv", 1, None)]), Some("E0407"));
    assert_eq!(refused("y(i) = 2 * z(i)", &[z, ("y", "(i) -> (i) : hashed", 1, None)]), Some("E0406"));
}

/// A list that declares what it does not do.
#[derive(Debug)]
struct Liar {
    walk: fn(&WalkStart) -> Shape,
}

static LIAR: LevelSpec = LevelSpec { name: "liar", ..specs::COMPRESSED };

impl LevelFormat for Liar {
    fn spec(&self) -> &'static LevelSpec {
        &LIAR
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
}
impl Iterate for Liar {
    fn iteration(&self, from: &WalkStart) -> Shape {
        (self.walk)(from)
    }
}

#[test]
fn walks_that_are_not_what_levels_declare_are_refused_before_anything_is_written() {
    use openwork_lower::{Decide, Iteration};
    let message = |walk: fn(&WalkStart) -> Shape| {
        let mut p = program("y(i) = A(i,j)", &[("A", "csr", 2, None), ("y", "dense", 1, None)]);
        let (a, mut t) = p.tensors.iter().map(|(id, t)| (id, t.clone())).next().expect("A");
        t.format.levels[1].spec = &LIAR;
        p.tensors[a] = t;
        let mut registry = Registry::default();
        registry.register(Arc::new(Liar { walk }));
        Iteration::build(&p, &registry, Decide::Hidden).err().map(|e| format!("{} {e}", e.code().0))
    };
    fn list(from: &WalkStart, order: CoordOrder, test: ChildTest) -> Shape {
        let coord = CoordSource::from_array(from.level.arrays[1]);
        Shape::Positions { lo: from.parent.lo.clone(), hi: from.parent.end(), coord, order, test }
    }
    assert_eq!(message(|from| list(from, CoordOrder::Sorted, ChildTest::Always)), None);
    let said = |walk, words: &str| {
        let message = message(walk).unwrap_or_default();
        assert!(message.starts_with("E0406") && message.contains(words), "{words}: {message}");
    };
    said(|from| list(from, CoordOrder::Unsorted, ChildTest::Always), "does not have the order");
    said(
        |from| list(from, CoordOrder::Sorted, ChildTest::NotEmpty(-1)),
        "tests slots that it does not declare",
    );
    said(|_| Shape::Every, "cannot be located here");
    said(
        |from| Shape::Single {
            coord: CoordSource::from_array(from.level.arrays[1]),
            test: ChildTest::Always,
        },
        "does not have the children that it declares",
    );
    said(
        |from| {
            let (lo, hi, low) = (from.parent.lo.clone(), from.parent.end(), from.level.low.clone());
            Shape::Runs { lo, hi, ends: from.level.arrays[1], low }
        },
        "is not walked as it declares",
    );
}

#[test]
fn which_variable_is_divided_among_threads() {
    let how = |statement: &str, tensors: &[Tensor]| {
        let p = program(statement, tensors);
        match lower(&p, &Registry::default()).expect("it is lowered").parallel {
            Parallel::Serial { because } => because,
            Parallel::Chunks(c) => c.describe(&p.indices[c.var].name),
        }
    };
    let spmv = |format| {
        how(
            "y(i) = A(i,j) * x(j)",
            &[("A", format, 2, None), ("x", "dense", 1, None), ("y", "dense", 1, None)],
        )
    };
    assert_eq!(spmv("csr"), "chunks of i, each writes its slice of the result");
    assert_eq!(spmv("coo"), "chunks of i, each writes its slice of the result");
    assert_eq!(spmv("csc"), "chunks of j, their results are combined by add");
    assert_eq!(spmv("(i,j) -> (i,j) : hashed, compressed"), "an operand's level over `i` cannot be searched");
    let vector = |format| how("y(i) = 2 * a(i)", &[("a", format, 1, None), ("y", "dense", 1, None)]);
    assert_eq!(vector("sv"), "chunks of i, each writes its slice of the result");
    assert_eq!(vector("rle"), "an operand's level over `i` cannot be searched");
    let kept = |format| how("y(i) = 2 * a(i)", &[("a", "sv", 1, None), ("y", format, 1, None)]);
    assert_eq!(kept("sv"), "chunks of i, their pieces of the result are stitched");
}

#[test]
fn levels_of_a_list_are_walked_together_where_nothing_runs_between_them() {
    let tensors = [("A", "coo", 2, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
    let all = lines("y(i) = A(i,j) * x(j)", &tensors);
    assert_eq!(all[..2], ["i over A(i,j).1 with what is below", "j once, at A(i,j).2"]);
    // Rows of x are added up in registers, an element of y at a time.
    let tensors = [("A", "coo", 2, None), ("X", "dense", 2, None), ("Y", "dense", 2, None)];
    let all = lines("Y(i,k) = A(i,j) * X(j,k)", &tensors);
    assert_eq!(all[..2], ["i over A(i,j).1", "j over A(i,j).2"]);
}

#[test]
fn runs_of_the_fill_value_are_passed_over_where_nothing_happens() {
    let tensors = [("a", "(i) -> (i) : runs", 1, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
    let over = |statement| lines(statement, &tensors)[0].clone();
    assert_eq!(over("y(i) = a(i) * x(i)"), "i over runs of a(i).1 but those of the fill value");
    assert_eq!(over("y(i) = a(i) + x(i)"), "i over runs of a(i).1");
}

#[test]
fn regions_have_what_is_left_of_a_statement() {
    let sv = |name| (name, "sv", 1, None);
    let all = lines("y(i) = a(i) * b(i) + c(i)", &[sv("a"), sv("b"), sv("c"), ("y", "dense", 1, None)]);
    let want = [
        "i over regions of a(i).1, b(i).1, c(i).1",
        "in a(i).1 & b(i).1 & c(i).1",
        "y(i) = a(i) * b(i) + c(i)",
        "in a(i).1 & b(i).1",
        "y(i) = a(i) * b(i)",
        "in c(i).1",
        "y(i) = c(i)",
    ];
    assert_eq!(all, want);
    let union = lines("y(i) = a(i) + b(i) + c(i)", &[sv("a"), sv("b"), sv("c"), ("y", "dense", 1, None)]);
    assert_eq!(union, ["i over any of a(i).1, b(i).1, c(i).1", "y(i) = a(i) + b(i) + c(i)"]);
}

#[test]
fn a_graph_has_as_many_cases_as_its_code() {
    let sv = |name| (name, "sv", 1, None);
    let count = |statement: &str| {
        let p = program(statement, &[sv("a"), sv("b"), sv("c"), ("y", "dense", 1, None)]);
        CodeSize::count(&graph(&p).expect("it has a graph"), &p).cases
    };
    assert_eq!(count("y(i) = a(i) * b(i)"), 1);
    assert_eq!(count("y(i) = a(i) + b(i)"), 5);
    // Where c is alone, and where it is not there, is met in loops of their own as well.
    assert_eq!(count("y(i) = a(i) * b(i) + c(i)"), 1 + 2 + 2);
}

#[test]
fn variables_of_code_are_about_as_many_as_its_graph_says() {
    let said_and_written = |statement: &str, tensors: &[Tensor]| {
        let p = program(statement, tensors);
        let said = CodeSize::count(&graph(&p).expect("it has a graph"), &p).variables;
        (said, lower(&p, &Registry::default()).ok().map(|l| l.kernel.vars.len()))
    };
    for format in ["csr", "dcsr", "coo", "csf"] {
        for count in [1, 2, 4, 5, 6] {
            let names: Vec<String> = (0..2 * count).map(|n| format!("x{n}")).collect();
            let mut tensors: Vec<Tensor> =
                names.iter().map(|name| (name.as_str(), format, 2, None)).collect();
            tensors.extend([("b", format, 2, None), ("y", "dense", 2, None)]);
            for (with, between) in [("+", " * "), ("*", " + ")] {
                let terms: Vec<String> =
                    names.iter().take(count).map(|x| format!("({x}(i,j) {with} b(i,j))")).collect();
                let statement = format!("y(i,j) = {}", terms.join(between));
                let Some(p) = plan_program(&statement, &tensors) else { continue };
                if Graph::build(&p, &Registry::default()).is_err() {
                    continue;
                }
                match said_and_written(&statement, &tensors) {
                    (said, None) => assert!(said > 4000, "{statement}, {format}: {said}"),
                    (said, Some(written)) => {
                        let off = said.abs_diff(written);
                        assert!(off < 30 + written / 10, "{statement}, {format}: {said}, not {written}");
                    }
                }
            }
        }
    }
}

#[test]
fn too_many_regions_and_levels_out_of_reach_are_refused() {
    let names: Vec<String> = (0..16).map(|n| format!("x{n}")).collect();
    let tensors: Vec<Tensor> = names.iter().map(|name| (name.as_str(), "sv", 1, None)).collect();
    let products: Vec<String> = names.chunks(2).map(|x| format!("{}(i) * {}(i)", x[0], x[1])).collect();
    let p = program(&format!("y(i) = {}", products.join(" + ")), &tensors);
    assert_eq!(graph(&p).map_err(|e| e.code().0).err(), Some("E0408"));
    let p = program("y(i) = x0(i) + x1(i)", &tensors);
    let few = Graph::build_limited(&p, &Registry::default(), 2).map_err(|e| e.code().0);
    assert_eq!(few.err(), Some("E0408"));
    let mut p = program("Y(i,j) = A(i,j)", &[("A", "dcsr", 2, None), ("Y", "dense", 2, None)]);
    let CinStmt::Forall { index: i, body } = p.body.clone() else { panic!("{p}") };
    let CinStmt::Forall { index: j, body } = *body else { panic!("{p}") };
    let inner = CinStmt::Forall { index: i, body };
    p.body = CinStmt::Forall { index: j, body: Box::new(inner) };
    assert_eq!(graph(&p).map_err(|e| e.code().0).err(), Some("E0406"));
}

#[test]
fn lists_of_known_and_different_lengths_are_worth_galloping() {
    let ratio = |few| {
        let p = program("y = a(i) * b(i)", &[("a", "sv", 1, Some(few)), ("b", "sv", 1, Some(900))]);
        uneven(&graph(&p).expect("it has a graph"), &p).first().map(|(_, ratio)| ratio.round())
    };
    assert_eq!((ratio(9), ratio(300)), (Some(100.0), None));
}

/// The first loop of a graph.
fn first_loop(n: &mut GraphNode) -> &mut Loop {
    match &mut n.how {
        NodeKind::Loop(l) => l,
        NodeKind::Where(w) => first_loop(&mut w.producer),
        NodeKind::Bind(b) => first_loop(&mut b.body),
        NodeKind::Parts(all) => first_loop(&mut all[0]),
        NodeKind::Tiled(t) => first_loop(&mut t.node),
        NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => panic!("there is no loop"),
    }
}

#[test]
fn the_law_tells_what_is_wrong_with_a_graph() {
    let tensors = [("a", "sv", 1, None), ("b", "sv", 1, None), ("y", "dense", 1, None)];
    let p = program("y(i) = a(i) + b(i)", &tensors);
    let broken = |change: fn(&mut Loop)| {
        let mut graph = graph(&p).expect("it has a graph");
        change(first_loop(&mut graph.root));
        law::broken_law(&graph, &p).unwrap_or_default()
    };
    assert_eq!(broken(|_| ()), "");
    assert!(broken(|l| l.arms.truncate(2)).contains("2 arms for 3 regions"));
    assert!(broken(|l| l.lattice.points.swap(0, 1)).contains("lies beside the first"));
    assert!(broken(|l| l.arms.swap(1, 2)).contains("is read in a region of `i` without it"));
    assert!(broken(|l| l.arms[1].node = l.arms[0].node.clone()).contains("without it"));
    assert!(broken(|l| l.sought = l.lattice.points[1].leaves.iter().cloned().collect()).contains("looks up"));
    let inner = |l: &mut Loop| {
        let again = GraphNode::new(l.arms[0].node.stmt.clone(), NodeKind::Plain);
        let var = l.var;
        let stmt = CinStmt::Forall { index: var, body: Box::new(again.stmt.clone()) };
        l.arms[0].node = GraphNode::new(stmt, NodeKind::Loop(Box::new(Loop { arms: vec![], ..l.clone() })));
    };
    assert!(!broken(inner).is_empty());
    let appends =
        |l: &mut Loop| l.arms[0].node.how = NodeKind::Assign(AssignAction::Append { keep: Keep::All });
    assert!(broken(appends).contains("`y` is not assigned as it is made"));
}

#[test]
fn what_becomes_of_values_is_decided_before_anything_is_written() {
    let matrix = |name, format| (name, format, 2, None);
    let of = |statement: &str, result| {
        let tensors = [matrix("A", "csr"), matrix("B", "csr"), matrix("D", "dense"), matrix("C", result)];
        lines(statement, &tensors)
    };
    let made = "C(i,j).1 located, C(i,j).2 appended";
    assert_eq!(
        of("C(i,j) = 2 * A(i,j)", "csr"),
        [
            made,
            "i over the dimension",
            "j over A(i,j).2, with room for all",
            "C(i,j) = 2.0 * A(i,j), appended"
        ]
    );
    assert!(of("C(i,j) = 2 * A(i,j)", "dense").iter().all(|line| !line.contains("append")));
    // Differences may be nothing where both operands store something, and a dimension has more than elements.
    let last = |statement: &str| of(statement, "csr").pop();
    let all = last("C(i,j) = A(i,j) + D(i,j)").unwrap_or_default();
    assert!(all.ends_with(", appended unless it is the fill value"), "{all}");
    let both = of("C(i,j) = A(i,j) - B(i,j)", "csr");
    assert!(
        both.iter().any(|line| line.ends_with(", appended unless it settles at the fill value")),
        "{both:?}"
    );
}

#[test]
fn a_loop_ends_early_only_with_what_it_decides() {
    let tensors = [("A", "csr", 2, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
    let p = program("y(i) = any(j, (A(i,j) != 0) & (x(j) != 0))", &tensors);
    let all = graph(&p).expect("it has a graph");
    let loops = all.loops();
    let ends: Vec<bool> = loops.iter().map(|l| l.until.is_some()).collect();
    assert_eq!(ends, [false, true]);
    let mut wrong = all.clone();
    first_loop(&mut wrong.root).until = loops[1].until.clone();
    assert_eq!(law::broken_law(&wrong, &p), None);
    let mut until = loops[1].until.clone().expect("it ends");
    until.target.vars = vec![loops[0].var];
    first_loop(&mut wrong.root).until = Some(until);
    assert!(law::broken_law(&wrong, &p).unwrap_or_default().contains("ends with something else"));
}

/// Which elements of the result are assigned, and which chains may leave parents open.
fn statement_coverage(statement: &str, tensors: &[Tensor], chains: &[(usize, usize)]) -> Coverage {
    let p = program(statement, tensors);
    let all = p.body.assignments();
    let result = all.iter().map(|(lhs, ..)| *lhs).find(|a| p.tensors[a.tensor].kind == TensorKind::Result);
    let result = result.expect("it has a result");
    coverage(&graph(&p).expect("it has a graph"), &p, result, chains)
}

#[test]
fn write_coverage_tells_what_needs_first_values() {
    let (csr, x) = (("A", "csr", 2, None), ("x", "dense", 1, None));
    let dense = |rank| ("y", "dense", rank, None);
    let of = |statement: &str, tensors: &[Tensor]| statement_coverage(statement, tensors, &[]).covered;
    // Sums in scalars are assigned when they are through.
    assert_eq!(of("y(i) = x(i) * 2", &[x, dense(1)]), Covered::All);
    assert_eq!(of("y(i) = A(i,j) * x(j)", &[csr, x, dense(1)]), Covered::All);
    assert_eq!(of("y(i,j) = A(i,j) + x(i)", &[csr, x, dense(2)]), Covered::All);
    assert_eq!(of("y(i,j) = A(i,j)", &[csr, dense(2)]), Covered::Some);
    assert_eq!(of("y(i) = x(i)", &[("x", "sv", 1, None), dense(1)]), Covered::Some);
    let product = [csr, ("X", "dense", 2, None), ("y", "dense", 2, None)];
    let rows = statement_coverage("y(i,k) = A(i,j) * X(j,k)", &product, &[]);
    assert_eq!((rows.covered, rows.rows.is_some()), (Covered::Rows, true));
    // A row of a compressed operand may be missing.
    let product = [("A", "dcsr", 2, None), ("X", "dense", 2, None), ("y", "dense", 2, None)];
    let rows = statement_coverage("y(i,k) = A(i,j) * X(j,k)", &product, &[]);
    assert_eq!((rows.covered, rows.rows.is_some()), (Covered::Some, false));
}

#[test]
fn parents_that_a_loop_skips_are_left_open() {
    let open = |format: &str| {
        let tensors = [("A", format, 2, None), ("Y", "csr", 2, None)];
        statement_coverage("Y(i,j) = A(i,j)", &tensors, &[(1, 1)]).open
    };
    assert_eq!(open("csr"), [Gaps::None]);
    assert_eq!(open("dcsr"), [Gaps::Possible]);
    assert_eq!(open("coo"), [Gaps::Possible]);
}
