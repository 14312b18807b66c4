//! Which way is chosen, from what is known of the operands before anything runs.

use openwork_algebra::DType;
use openwork_base::Source;
use openwork_format::{Catalog, Format};
use openwork_index::schedule::Schedule;
use openwork_index::{Decl, Decls, check, notation, plan};
use openwork_levels::Registry;
use openwork_planner::{Plan, Planner, Step};

/// An operand: its name, format, shape, and how many values it stores.
type Operand<'a> = (&'a str, &'a str, &'a [usize], usize);

/// The plan of a statement over operands that are known by their numbers alone.
fn plan_statement(statement: &str, operands: &[Operand]) -> Plan {
    planned_of(statement, operands, &[])
}

/// The same, where some operands have other dtypes.
fn planned_of(statement: &str, operands: &[Operand], dtypes: &[(&str, DType)]) -> Plan {
    let mut decls = Decls::default();
    for &(name, format, shape, stored) in operands {
        let dtype = dtypes.iter().find(|(of, _)| *of == name).map_or(DType::F64, |(_, dtype)| *dtype);
        let decl = Decl {
            dtype: Some(dtype),
            format: Some(format_of(format, shape.len())),
            shape: Some(shape.to_vec()),
            stored: Some(stored),
            elements: None,
        };
        decls.tensors.insert(name.into(), decl);
    }
    let parsed = notation::parse(&Source::new("statement", statement)).unwrap();
    let mut assignment = check(&parsed, &decls).unwrap();
    plan::result_format(&mut assignment, &mut Vec::new());
    Planner::new(&Registry::default(), 0.0).plan(&assignment, &Schedule::new()).unwrap()
}

fn format_of(text: &str, rank: usize) -> Format {
    Catalog::default().parse(&Source::new("format", text), rank).unwrap()
}

/// What is converted before the kernel of a statement, and into which format.
fn conversions(statement: &str, operands: &[Operand]) -> Vec<(String, String)> {
    converted_of(plan_statement(statement, operands))
}
fn converted_of(plan: Plan) -> Vec<(String, String)> {
    let steps = plan.steps.into_iter();
    let before = steps.filter_map(|step| match step {
        Step::Convert(c) | Step::Diagonal(c) | Step::Window(c) => {
            Some((c.source.clone(), c.format.to_string()))
        }
        _ => None,
    });
    before.collect()
}

#[test]
fn a_matrix_meets_a_sparse_vector_in_the_vectors_slots() {
    let n = 200_000;
    let product = |matrix, vector: &str, size| {
        let stored = if vector == "dense" { size } else { 2000 };
        let operands: [Operand; 2] = [("A", matrix, &[n, size], 2_000_000), ("x", vector, &[size], stored)];
        conversions("y(i) = A(i,j) * x(j)", &operands)
    };
    // To sort the matrix by columns takes thirty times as long as the product.
    let [(name, format)] = &product("csr", "sv", n)[..] else { panic!("one operand is converted") };
    assert_eq!((&**name, format.contains("bitmap")), ("x", true), "{format}");
    assert_eq!(product("csr", "dense", n), []);
    // Columns are picked as they are.
    assert_eq!(product("csc", "sv", n), []);
    // Nobody has slots for every coordinate of a huge dimension.
    assert!(product("csr", "sv", 1 << 40).iter().all(|(_, format)| !format.contains("bitmap")));
}

/// What is converted for the sum of two matrices into compressed rows, where it is known how many elements they have.
fn converted_for_a_sum(formats: [&str; 2], stored: [usize; 2], elements: Option<usize>) -> Vec<String> {
    let n = 3000;
    let mut decls = Decls::default();
    let decl = |format: &str, stored| Decl {
        dtype: Some(DType::F64),
        format: Some(format_of(format, 2)),
        shape: Some(vec![n, n]),
        stored,
        elements,
    };
    decls.tensors.insert("A".into(), decl(formats[0], Some(stored[0])));
    decls.tensors.insert("B".into(), decl(formats[1], Some(stored[1])));
    decls.tensors.insert("C".into(), Decl { shape: None, elements: None, ..decl("csr", None) });
    let parsed = notation::parse(&Source::new("statement", "C(i,j) = A(i,j) + B(i,j)")).unwrap();
    let a = check(&parsed, &decls).unwrap();
    let plan = Planner::new(&Registry::default(), 0.0).plan(&a, &Schedule::new()).unwrap();
    let before = plan.steps.into_iter().filter_map(|step| match step {
        Step::Convert(c) | Step::Diagonal(c) | Step::Window(c) => Some(c.source),
        _ => None,
    });
    before.collect()
}

#[test]
fn runs_of_few_elements_become_lists_where_every_coordinate_would_be_visited() {
    let few = Some(90_000);
    assert_eq!(converted_for_a_sum(["rle", "csr"], [180_000, 90_000], few), ["A"]);
    assert_eq!(converted_for_a_sum(["csr", "rle"], [90_000, 180_000], few), ["B"]);
    assert_eq!(converted_for_a_sum(["rle", "hash"], [180_000, 768_000], few), ["A", "B"]);
}

#[test]
fn operands_in_runs_stay_in_runs() {
    let sum = |a, b| {
        let n = 2_000_000;
        conversions("s = A(i) * B(i)", &[("A", a, &[n], 15_000), ("B", b, &[n], 15_000)])
    };
    assert_eq!(sum("rle", "rle"), []);
    assert_eq!(sum("rle", "sv"), []);
    assert_eq!(sum("rle", "(i) -> (i) : bitmap"), []);
}

/// The plan's statement, as text.
fn chosen_statement(statement: &str, operands: &[Operand]) -> String {
    plan_statement(statement, operands).concrete.program.to_string()
}

#[test]
fn sums_of_sparse_operands_are_multiplied_out_and_differences_are_not() {
    let n = 20_000;
    let over = |statement: &str| {
        let matrix: (&str, &[usize], usize) = ("csr", &[n, n], 200_000);
        let of = |name| (name, matrix.0, matrix.1, matrix.2);
        chosen_statement(statement, &[of("A"), of("B"), ("x", "dense", &[n], n)])
    };
    let sum = over("y(i) = (A(i,j) + B(i,j)) * x(j)");
    assert!(sum.contains("A(i,j) * x(j)") && sum.contains("B(i,j) * x(j)"), "{sum}");
    let difference = over("y(i) = (A(i,j) - B(i,j)) * x(j)");
    assert!(difference.contains("(A(i,j) - B(i,j)) * x(j)"), "{difference}");
    // One operand leaves nothing to merge.
    let one = over("y(i) = (A(i,j) + 2) * x(j) + B(i,j) * x(j)");
    assert!(one.contains("A(i,j) + 2"), "{one}");
}

#[test]
fn long_fibres_are_added_up_before_they_meet_what_does_not_vary_along_them() {
    let mttkrp = |stored| {
        let tensor: Operand = ("B", "csf", &[5, 200, 60], stored);
        let factors: [Operand; 2] =
            [("C", "dense", &[60, 32], 60 * 32), ("D", "dense", &[200, 32], 200 * 32)];
        chosen_statement("A(i,j) = B(i,k,l) * C(l,j) * D(k,j)", &[tensor, factors[0], factors[1]])
    };
    // Figure 10b of the workspaces paper, where fibres have sixty elements, and not where they have one or two.
    assert!(!mttkrp(60_000).contains("B(i,k,l) * C(l,j) * D(k,j)"), "{}", mttkrp(60_000));
    assert!(mttkrp(1_200).contains("B(i,k,l) * C(l,j) * D(k,j)"), "{}", mttkrp(1_200));
}

#[test]
fn dense_operands_are_turned_up_to_a_size_whatever_the_matrix_stores() {
    let turned = |rows: usize, columns: usize, dtype| {
        let x: &[usize] = &[rows, columns];
        let operands: [Operand; 2] =
            [("X", "dense", x, rows * columns), ("A", "csr", &[columns, 5000], 20 * columns)];
        let steps = planned_of("C(i,k) = X(i,j) * A(j,k)", &operands, &[("A", dtype)]).steps;
        steps.iter().any(|s| matches!(s, Step::Convert(c) if c.source == "X" && c.format.is_dense()))
    };
    for dtype in [DType::F64, DType::F32, DType::I64, DType::I8, DType::Bool, DType::C128] {
        assert!(turned(64, 10_000, dtype), "{dtype}");
    }
    // Memory for the whole of it would be needed once more.
    assert!(turned(64, (1 << 27) / 64, DType::F64) && !turned(64, (1 << 27) / 64 + 1, DType::F64));
}

#[test]
fn sums_of_many_dense_operands_in_two_orders_are_planned() {
    let names: Vec<String> = (0..40).map(|n| format!("A{n}")).collect();
    let order = |n: usize| if n.is_multiple_of(2) { "dense" } else { "(i,j) -> (j,i) : dense, dense" };
    let shape: &[usize] = &[200, 200];
    let operands: Vec<Operand> =
        names.iter().enumerate().map(|(n, name)| (&**name, order(n), shape, 40_000)).collect();
    let all: Vec<String> = names.iter().map(|name| format!("{name}(i,j)")).collect();
    let plan = plan_statement(&format!("C(i,j) = {}", all.join(" + ")), &operands);
    assert!(plan.steps.contains(&Step::Kernel));
}

#[test]
fn slots_with_marks_are_met_as_every_value_where_vectors_gain_more_than_marks() {
    let n = 256;
    let text = "E(i,j) = (H(i,j) & R(i,j)) ^ (L(i,j) & R(i,j))";
    for marks in ["bitmap", "bytemap"] {
        let of = |name| -> Operand { (name, marks, &[256, 256], 65536) };
        let operands = [of("H"), of("L"), of("R"), of("E")];
        let bools = [("H", DType::Bool), ("L", DType::Bool), ("R", DType::Bool), ("E", DType::Bool)];
        let plan = planned_of(text, &operands, &bools);
        assert!(matches!(plan.steps.last(), Some(Step::Finish(_))), "{marks}: {:?}", plan.steps);
        let every: Vec<String> = converted_of(plan).into_iter().map(|(_, to)| to).collect();
        assert_eq!(every, ["dense"; 3], "{marks}");
    }
    // Of few elements most words are empty.
    let summed = |dtype, n: usize, elements| {
        let mut decls = Decls::default();
        for name in ["H", "R", "E"] {
            let (dtype, format) = (Some(dtype), Some(format_of("bitmap", 2)));
            let (shape, stored) = (Some(vec![n, n]), Some(n * n));
            decls
                .tensors
                .insert(name.into(), Decl { dtype, format, shape, stored, elements: Some(elements) });
        }
        let parsed = notation::parse(&Source::new("statement", "E(i,j) = H(i,j) + R(i,j)")).unwrap();
        let assignment = check(&parsed, &decls).unwrap();
        Planner::new(&Registry::default(), 0.0).plan(&assignment, &Schedule::new()).unwrap()
    };
    assert_eq!(converted_of(summed(DType::Bool, n, n * n / 4)).len(), 2);
    assert_eq!(converted_of(summed(DType::F64, n, n * n / 2)).len(), 2);
    assert!(converted_of(summed(DType::F64, n, n)).is_empty());
    // Whatever a list becomes that has a slot for every coordinate takes those slots: another list before gains nothing.
    assert!(converted_of(summed(DType::F64, 1000, 1000)).is_empty());
    // A sparse result would store the fill value wherever `y` stores something and `H` nothing.
    let masked =
        [("y", "csr", &[n, n][..], n * n / 2), ("H", "bitmap", &[n, n], n * n), ("z", "csr", &[n, n], 0)];
    let bools = [("y", DType::Bool), ("H", DType::Bool), ("z", DType::Bool)];
    let plan = planned_of("z(i,j) = y(i,j) & H(j,i)", &masked, &bools);
    let result = plan.concrete.program.tensors.iter().find(|(_, t)| t.name == "z").unwrap().1;
    let every = converted_of(plan.clone()).iter().any(|(_, to)| to == "dense");
    assert!(!every || result.format.is_dense(), "{:?}", plan.steps);
    // Few of eight bytes each fit into a vector.
    let product: [Operand; 2] = [("A", "bitmap", &[n, n], n * n), ("B", "bitmap", &[n, n], n * n)];
    assert!(conversions("C(i,j) = A(i,j) * B(i,j)", &product).is_empty());
}

#[test]
fn what_is_stored_is_taken_once_and_before_parts_of_it() {
    let n = 1000;
    let operands: [Operand; 2] = [("x", "dense", &[10], 10), ("m", "hash", &[n], 30)];
    let text = "y(i) = x(i) where structure(m(i(0:10))) | structure(m(i(10:20)))";
    let plan = plan_statement(text, &operands);
    let made: Vec<&str> = plan
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Structure(of) => Some(of.source.as_str()),
            Step::Window(of) => Some(of.made.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(made, ["m", "structure(m)(0:10)", "structure(m)(10:20)"]);
}

/// About the work of the chosen plan, in nanoseconds.
fn chosen_work(statement: &str, operands: &[Operand]) -> f64 {
    plan_statement(statement, operands).work
}

/// A chain of matrices of one size and format from `v0` to the last variable.
fn chain(count: usize, format: &str, size: usize, stored: usize) -> f64 {
    let names: Vec<String> = (0..count).map(|n| format!("A{n}")).collect();
    let shape: &[usize] = &[size, size];
    let operands: Vec<Operand> = names.iter().map(|name| (&**name, format, shape, stored)).collect();
    let factors: Vec<String> = (0..count).map(|n| format!("A{n}(v{n},v{})", n + 1)).collect();
    chosen_work(&format!("Y(v0,v{count}) = {}", factors.join(" * ")), &operands)
}

#[test]
fn products_of_many_factors_are_taken_in_steps() {
    let two = chain(2, "dense", 12, 144);
    let sparse = chain(2, "csr", 2000, 2000);
    for count in [3, 6, 7, 8, 9, 12, 20] {
        let steps = (count - 1) as f64;
        let work = chain(count, "dense", 12, 144);
        assert!(work < 4.0 * steps * two, "{count} dense ones: {work}, two: {two}");
        let work = chain(count, "csr", 2000, 2000);
        assert!(work < 4.0 * steps * sparse, "{count} sparse ones: {work}, two: {sparse}");
    }
    // Stars of sums, and rings.
    let names: Vec<String> = (0..12).map(|n| format!("A{n}")).collect();
    let shape: &[usize] = &[30, 30];
    let all: Vec<Operand> = names.iter().map(|name| (&**name, "dense", shape, 900)).collect();
    for count in [4, 8, 12] {
        let star: Vec<String> = (0..count).map(|n| format!("A{n}(c,v{n})")).collect();
        let work = chosen_work(&format!("y(c) = {}", star.join(" * ")), &all[..count]);
        assert!(work < 4000.0 * count as f64, "a star of {count}: {work}");
        let ring: Vec<String> = (0..count).map(|n| format!("A{n}(v{n},v{})", (n + 1) % count)).collect();
        let work = chosen_work(&format!("s = {}", ring.join(" * ")), &all[..count]);
        assert!(work < 200_000.0 * count as f64, "a ring of {count}: {work}");
    }
}

#[test]
fn numbers_and_vectors_inside_of_a_chain_cost_next_to_nothing() {
    let n = 20_000;
    let (square, thin): (&[usize], &[usize]) = (&[n, n], &[n, 16]);
    let vectors: [Operand; 3] =
        [("a", "dense", &[n], n), ("b", "dense", &[2000], 2000), ("c", "dense", &[n], n)];
    let chain: [Operand; 3] =
        [("W", "csr", square, 80_000), ("V", "csr", square, 80_000), ("Z", "dense", thin, 16 * n)];
    let plain = chosen_work("Y(i,k) = W(i,j) * V(j,l) * Z(l,k)", &chain);
    let with = [&chain[..], &vectors[2..]].concat();
    for factors in [
        "W(i,j) * V(j,l) * c(l) * Z(l,k)",
        "W(i,j) * c(j) * V(j,l) * Z(l,k)",
        "c(i) * W(i,j) * V(j,l) * Z(l,k)",
        "2 * W(i,j) * c(j) * V(j,l) * c(l) * Z(l,k) * 3",
    ] {
        let work = chosen_work(&format!("Y(i,k) = {factors}"), &with);
        assert!(work < 1.5 * plain, "{factors}: {work}, without {plain}");
    }
    // A step of a network over a hypergraph.
    let graph: [Operand; 2] = [("H", "csr", &[n, 2000], 40_000), ("X", "dense", thin, 16 * n)];
    let plain = chosen_work("Y(u,k) = H(u,e) * H(v,e) * X(v,k)", &graph);
    let with = [&graph[..], &vectors[..2]].concat();
    let work = chosen_work("Y(u,k) = a(u) * H(u,e) * b(e) * H(v,e) * a(v) * X(v,k)", &with);
    assert!(work < 1.5 * plain, "{work}, without {plain}");
}

/// How many graphs and estimates one plan of a statement takes; each is of another program.
fn count_asked(statement: &str, operands: &[Operand]) -> (usize, usize) {
    let plan = || openwork_lower::asked::watch(|| plan_statement(statement, operands));
    let ((_, asked), fills) = openwork_index::asked::watch_fills(plan);
    let again = (0..fills.len()).filter(|&n| fills[..n].contains(&fills[n])).count();
    // Each estimated program has its own formats, of which a few questions of this kind are asked anew.
    let most = 20 + 8 * asked.estimates.len();
    assert!(again <= most, "{statement}: {again} fills were asked for again");
    for all in [&asked.graphs, &asked.estimates] {
        for (n, program) in all.iter().enumerate() {
            assert!(!all[..n].contains(program), "{statement}: asked twice about {program}");
        }
    }
    (asked.graphs.len(), asked.estimates.len())
}

#[test]
fn one_plan_asks_about_a_program_once() {
    let n = 3000;
    let list = |name, format| -> Operand { (name, format, &[3000, 3000], 30_000) };
    let dense = |name| -> Operand { (name, "dense", &[3000, 3000], 9_000_000) };
    // Nothing is compared with a matrix times a vector.
    let vector: [Operand; 2] = [list("A", "csr"), ("x", "dense", &[n], n)];
    assert_eq!(count_asked("y(i) = A(i,j) * x(j)", &vector), (1, 1));
    let (graphs, estimates) = count_asked("C(i,j) = A(i,j) + B(i,j)", &[list("A", "csr"), list("B", "csr")]);
    assert!(graphs == 1 && estimates > 5, "{graphs} graphs, {estimates} estimates");
    for (statement, operands) in [
        ("C(i,j) = A(i,j)", vec![list("A", "csc")]),
        ("C(i,j) = A(i,j) * B(j,i)", vec![list("A", "csr"), list("B", "csr")]),
        ("C(i,j) = A(i,j) * B(i,j)", vec![list("A", "coo"), list("B", "csc")]),
        ("C(i,k) = A(i,j) * B(j,k)", vec![list("A", "csr"), list("B", "csr")]),
        ("C(i,l) = A(i,j) * B(j,k) * D(k,l)", vec![list("A", "csr"), list("B", "csr"), list("D", "csr")]),
        ("C(i,j) = S(i,j) * A(i,k) * B(j,k)", vec![list("S", "csr"), dense("A"), dense("B")]),
        (
            "C(i,j) = A(i,j) - 2 * B(i,j) + D(j,i)",
            vec![list("A", "csr"), list("B", "dcsr"), list("D", "csr")],
        ),
    ] {
        let (graphs, estimates) = count_asked(statement, &operands);
        assert!(graphs < 8 && estimates < 250, "{statement}: {graphs} graphs, {estimates} estimates");
    }
}

/// Gaps between the elements of a row take no time where the extreme is not the fill value, so rows cost what they store; columns of
/// a matrix that is stored by rows would be asked for at every coordinate.
#[test]
fn a_matrix_is_turned_for_the_places_of_extremes_of_its_columns() {
    let n = 15_000;
    let converted = |statement| conversions(statement, &[("A", "csr", &[n, n], 400_000)]);
    assert_eq!(converted("y(i) = argmax(j, A(i,j))"), []);
    let [(name, format)] = &converted("y(j) = argmax(i, A(i,j))")[..] else { panic!("one is converted") };
    assert_eq!((&**name, format.starts_with("csc")), ("A", true), "{format}");
}

/// The loops of a statement, and the steps after its kernel.
fn loops(statement: &str, operands: &[Operand]) -> String {
    plan_statement(statement, operands).concrete.program.to_string()
}

#[test]
fn what_is_stored_is_walked_below_sums_of_variables() {
    let x: Operand = ("x", "sv", &[100_000], 1000);
    let w: Operand = ("w", "dense", &[5], 5);
    let images: [Operand; 2] = [("z", "csr", &[1000, 1000], 10_000), ("b", "dense", &[3, 3], 9)];
    for (statement, equation) in [
        ("y(i) = x(i+d) * w(d)", "i == c - d"),
        ("y(i) = x(9+i-d) * w(d)", "i == c + d - 9"),
        ("y(i) = x(i+2*d) * w(d)", "i == c - 2 * d"),
        ("y(i) = 2 * sum(d, x(i+d) * w(d)) + 1", "i == c - d"),
        ("y(i) = padded(x(i+d-2)) * w(d)", "i == c - d + 2"),
        // No variable of the result is in the sum.
        ("y = x(i+d) * u(i) * w(d)", "i == c - d"),
    ] {
        let cin = loops(statement, &[x, w, ("u", "dense", &[99_996], 99_996)]);
        assert!(cin.contains(equation), "{statement}: {cin}");
    }
    for statement in ["C(i,j) = z(i+r,j+t) * b(r,t)", "C(i,j) = padded(z(i+r-1,j+t-1)) * b(r,t)"] {
        // Rows are found; columns of what they store follow.
        let cin = loops(statement, &images);
        assert!(cin.contains("c == i + r") && cin.contains("j == c1 - t"), "{statement}: {cin}");
    }
    let beside: Operand = ("v", "sv", &[100_004], 100);
    let cin = loops("y(k) = sum(i,d, x(i) * w(d) * v(k) * (k == i + d))", &[x, w, beside]);
    assert!(!cin.contains("forall k forall"), "{cin}");
}

#[test]
fn sums_of_variables_are_searched_where_nothing_else_is_right() {
    let x: Operand = ("x", "sv", &[100_000], 1000);
    let w: Operand = ("w", "dense", &[5], 5);
    for statement in [
        // The first of several is found in their order.
        "y(i) = choose(d, x(i+d) * w(d))",
        // Outside of the operand a value is added as well.
        "y(i) = padded(x(i+d-2), 1) * w(d)",
        // Neither of the variables is the sum less the other.
        "y(i) = x(2*i+2*d) * w(d)",
    ] {
        let cin = loops(statement, &[x, w]);
        assert!(cin.contains("c == "), "{statement}: {cin}");
    }
}

#[test]
fn nobody_makes_a_sparse_result_as_a_dense_one_of_its_whole_size() {
    let z: Operand = ("z", "csr", &[100_000, 100_000], 1_000_000);
    let result: Operand = ("C", "csr", &[99_998, 99_998], 1);
    let plan = plan_statement("C(i,j) = z(i+r,j+t) * b(r,t)", &[z, ("b", "dense", &[3, 3], 9), result]);
    let dense = plan.concrete.program.tensors.iter().filter(|(_, t)| t.format.is_dense());
    let names: Vec<&str> = dense.map(|(_, t)| t.name.as_str()).collect();
    assert_eq!(names, ["b"], "rows of the result are lists");
}
