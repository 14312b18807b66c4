//! Statements of up to 64 operands: what planning and lowering write stays small, whatever the operators and formats. The
//! times are printed by `bench latency`; here, loops are counted.

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session};

/// The statement of a kind over operands `C0`, `C1`, … and `B`.
fn statement(kind: &str, n: usize) -> String {
    let each = |f: &dyn Fn(usize) -> String, sign: &str| (0..n).map(f).collect::<Vec<_>>().join(sign);
    let value = match kind {
        "sum beside a product" => format!("B(i,j) * ({})", each(&|k| format!("C{k}(i,j)"), " + ")),
        "sum of products" => each(&|k| format!("C{k}(i,j) * B(i,j)"), " + "),
        "product of sums" => each(&|k| format!("(C{k}(i,j) + B(i,j))"), " * "),
        "or of comparisons" => each(&|k| format!("(C{k}(i,j) > B(i,j))"), " | "),
        "xor" => each(&|k| format!("(C{k}(i,j) > 0.5)"), " ^ "),
        _ => (0..n).fold("B(i,j)".into(), |inner, k| {
            format!("({inner} {} C{k}(i,j))", if k % 2 == 0 { "*" } else { "+" })
        }),
    };
    format!("Y(i,j) = {value}")
}

fn decls(format: &str, n: usize, with_b: bool) -> Decls {
    let mut decls = Decls::default();
    let format = Format::parse(format, 2).expect("a preset");
    let operand = || Decl { dtype: Some(DType::F64), format: Some(format.clone()), ..Decl::default() };
    for k in 0..n {
        decls.tensors.insert(format!("C{k}"), operand());
    }
    if with_b {
        decls.tensors.insert("B".into(), operand());
    }
    let csr = Format::parse("csr", 2).expect("a preset");
    decls.tensors.insert("Y".into(), Decl { format: Some(csr), ..Decl::default() });
    decls
}

/// Code does not double with every operand.
fn stays_small(kind: &str) {
    let session = Session::new(BackendKind::Interp).expect("the interpreter");
    for format in ["csr", "coo", "hash"] {
        for n in (3..=10).chain([16, 64]) {
            let text = statement(kind, n);
            let kernel = session.compile(&text, &decls(format, n, text.contains("B(")));
            let kernel = kernel.unwrap_or_else(|e| panic!("{kind}, {n} of {format}: {e}"));
            let lines = kernel.stages().loops_text().lines().count();
            println!("{kind}, {n} of {format}: {lines} lines");
            assert!(lines <= 12_000 + 50 * n, "{kind}, {n} of {format}: {lines} lines of loop IR");
        }
    }
}

// A test for each kind: together they would be on one core.

#[test]
fn sums_beside_a_product_stay_small() {
    stays_small("sum beside a product");
}

#[test]
fn sums_of_products_stay_small() {
    stays_small("sum of products");
}

#[test]
fn products_of_sums_stay_small() {
    stays_small("product of sums");
}

#[test]
fn ors_of_comparisons_stay_small() {
    stays_small("or of comparisons");
}

#[test]
fn xors_stay_small() {
    stays_small("xor");
}

#[test]
fn operators_in_turns_stay_small() {
    stays_small("in turns");
}
