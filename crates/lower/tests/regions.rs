//! The regions of a statement against what it means: at a coordinate where any set of operands stores any values, explicit
//! fill values among them, the region that a kernel chooses must give the value of the statement.

use openwork_algebra::{DType, Scalar};
use openwork_base::Source;
use openwork_format::presets;
use openwork_index::expr::IndexExpr;
use openwork_index::plan::plan;
use openwork_index::{CinStmt, Decl, Decls, Program, TensorId, TensorKind, check, notation};
use openwork_lower::derive::derive;
use openwork_lower::lattice::{Lattice, RegionRole};
use openwork_lower::space::Leaf;
use std::collections::{BTreeMap, BTreeSet};

/// A small deterministic source of numbers.
struct Random(u64);

impl Random {
    fn number_below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.number_below(items.len())]
    }
}

/// Truth values `B0…`, whole numbers `N0…`, and a dense vector of each kind.
const BOOLS: [&str; 5] = ["B0(i)", "B1(i)", "B2(i)", "T0(i)", "D0(i)"];
const NUMBERS: [&str; 5] = ["N0(i)", "N1(i)", "N2(i)", "M0(i)", "E0(i)"];

fn truth(r: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return if r.number_below(12) == 0 {
            r.pick(&["true", "false"]).into()
        } else {
            r.pick(&BOOLS).into()
        };
    }
    match r.number_below(8) {
        0..5 => {
            let op = r.pick(&["&", "|", "^", "!=", "=="]);
            format!("({} {op} {})", truth(r, depth - 1), truth(r, depth - 1))
        }
        5 => format!("(!{})", truth(r, depth - 1)),
        _ => {
            let op = r.pick(&["<", ">", "!=", "==", ">="]);
            format!("({} {op} {})", number(r, depth - 1), number(r, depth - 1))
        }
    }
}

fn number(r: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return if r.number_below(6) == 0 {
            r.pick(&["0", "1", "2"]).into()
        } else {
            r.pick(&NUMBERS).into()
        };
    }
    match r.number_below(9) {
        0..4 => format!("({} * {})", number(r, depth - 1), number(r, depth - 1)),
        4..6 => format!("({} + {})", number(r, depth - 1), number(r, depth - 1)),
        6 => {
            let op = r.pick(&["min", "max"]);
            format!("{op}({}, {})", number(r, depth - 1), number(r, depth - 1))
        }
        7 => format!("({} - {})", number(r, depth - 1), number(r, depth - 1)),
        _ => format!("i64({})", truth(r, depth - 1)),
    }
}

fn decls() -> Decls {
    let mut decls = Decls::default();
    let mut declare = |name: &str, dtype, fill: Option<&str>, dense: bool| {
        let plain = if dense { presets::dense(1) } else { presets::sparse_vector() };
        let format = Some(fill.map_or(plain.clone(), |f| plain.with_fill(f)));
        decls.tensors.insert(
            name.into(),
            Decl { dtype: Some(dtype), format, shape: Some(vec![9]), stored: None, elements: None },
        );
    };
    for n in ["B0", "B1", "B2"] {
        declare(n, DType::Bool, None, false);
    }
    for n in ["N0", "N1", "N2"] {
        declare(n, DType::I64, None, false);
    }
    declare("T0", DType::Bool, Some("true"), false);
    declare("M0", DType::I64, Some("1"), false);
    declare("D0", DType::Bool, None, true);
    declare("E0", DType::I64, None, true);
    decls
}

/// The value of an expression where operands have these values.
fn value(e: &IndexExpr, at: &BTreeMap<TensorId, Scalar>) -> Scalar {
    match e {
        IndexExpr::Access(a) => at[&a.tensor],
        IndexExpr::Literal(s) => *s,
        IndexExpr::Cast { to, arg } => value(arg, at).cast(*to),
        IndexExpr::Call { op, args } => {
            let args: Vec<Scalar> = args.iter().map(|a| value(a, at)).collect();
            op.prim.eval(&args).unwrap()
        }
        other => panic!("{other:?} is no element-wise expression"),
    }
}

/// What the statement assigns at a coordinate, as the regions tell: the result's fill where there is none.
fn by_regions(
    p: &Program,
    rhs: &IndexExpr,
    fill: Scalar,
    lattice: &Lattice,
    stored: &BTreeMap<Leaf, Scalar>,
    dense: &BTreeMap<TensorId, Scalar>,
) -> Scalar {
    let present: BTreeSet<Leaf> = stored.keys().cloned().collect();
    let Some(point) = lattice.points.iter().find(|q| q.leaves.is_subset(&present)) else { return fill };
    assert!(matches!(point.role, RegionRole::Producer | RegionRole::Omitter));
    let mut at: BTreeMap<TensorId, Scalar> = p.tensors.iter().map(|(id, t)| (id, t.fill)).collect();
    at.extend(dense.iter().map(|(id, v)| (*id, *v)));
    at.extend(point.leaves.iter().map(|l| (l.access.tensor, stored[l])));
    value(rhs, &at)
}

fn check_statement(text: &str, r: &mut Random) {
    let parsed = notation::parse(&Source::new("statement", text)).unwrap();
    let p = plan(check(&parsed, &decls()).unwrap()).unwrap().program;
    let CinStmt::Forall { index, body } = &p.body else { panic!("{p}") };
    let CinStmt::Assign { lhs, op: None, rhs } = &**body else { panic!("{p}") };
    let fill = p.tensors[lhs.tensor].fill;
    let lattice = Lattice::build(&derive(body, *index, &p.tensors));
    let leaves: Vec<Leaf> = {
        let sparse = |a: &&openwork_index::Access| !p.tensors[a.tensor].format.is_dense();
        let all: BTreeSet<_> = rhs.accesses().into_iter().filter(sparse).cloned().collect();
        all.into_iter().map(|access| Leaf { access, level: 0 }).collect()
    };
    let any = |t: TensorId, r: &mut Random| match p.tensors[t].dtype {
        DType::Bool => Scalar::Bool(r.number_below(2) == 1),
        _ => Scalar::I64(r.number_below(4) as i64 - 1),
    };
    for subset in 0..1usize << leaves.len() {
        for _ in 0..4 {
            let here = leaves.iter().enumerate().filter(|(n, _)| subset >> n & 1 == 1);
            let stored: BTreeMap<Leaf, Scalar> =
                here.map(|(_, l)| (l.clone(), any(l.access.tensor, r))).collect();
            let full = p.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand && t.format.is_dense());
            let dense: BTreeMap<TensorId, Scalar> = full.map(|(id, _)| (id, any(id, r))).collect();
            let mut at: BTreeMap<TensorId, Scalar> = p.tensors.iter().map(|(id, t)| (id, t.fill)).collect();
            at.extend(dense.iter().map(|(id, v)| (*id, *v)));
            at.extend(stored.iter().map(|(l, v)| (l.access.tensor, *v)));
            let wanted = value(rhs, &at);
            let got = by_regions(&p, rhs, fill, &lattice, &stored, &dense);
            assert_eq!(got, wanted, "{text} with {stored:?} and {dense:?}: {lattice:?}");
        }
    }
}

#[test]
fn regions_give_the_value_of_the_statement() {
    let mut r = Random(11);
    // Of a range as many as it has cases: what is drawn here follows from what was drawn before.
    let asked = std::env::var("OPENWORK_CASES").unwrap_or_default();
    let count = |text: &str| text.parse::<usize>().ok();
    let cases = match asked.split_once("..") {
        Some((first, end)) => count(end).zip(count(first)).map(|(end, first)| end.saturating_sub(first)),
        None => count(&asked),
    };
    for n in 0..cases.unwrap_or(2000) {
        let depth = 1 + r.number_below(3);
        let text = if n % 2 == 0 { truth(&mut r, depth) } else { number(&mut r, depth) };
        if text.contains("(i)") {
            check_statement(&format!("y(i) = {text}"), &mut r);
        }
    }
}

#[test]
fn regions_of_statements_that_were_once_wrong() {
    let mut r = Random(5);
    for text in [
        // An operand in a product inside a sum, and again in another factor.
        "(N0(i) * N1(i) + N2(i)) * (1 + N0(i))",
        "(N0(i) * N1(i) + N2(i)) * (1 - N0(i))",
        "(B0(i) & B1(i) | B2(i)) & !B0(i)",
        // Complements of sets that are known from above only.
        "(N0(i) > 1) != (N0(i) > 2)",
        "B0(i) ^ (B0(i) & D0(i))",
        "!((N0(i) < 0) ^ (N0(i) >= 1))",
        // Factors that leave nothing over.
        "N0(i) + N1(i) * 0",
        "N0(i) * 0 - N1(i) * N2(i)",
    ] {
        check_statement(&format!("y(i) = {text}"), &mut r);
    }
}

/// `^` mentions each argument twice, so the set of a chain would double with every operand.
#[test]
fn the_set_of_a_long_chain_stays_small() {
    let names: Vec<String> = (0..24).map(|n| format!("B{n}")).collect();
    let mut decls = Decls::default();
    for name in &names {
        let format = Some(presets::sparse_vector());
        let decl =
            Decl { dtype: Some(DType::Bool), format, shape: Some(vec![9]), stored: None, elements: None };
        decls.tensors.insert(name.clone(), decl);
    }
    let text = format!("y(i) = {}(i)", names.join("(i) ^ "));
    let statement = notation::parse(&Source::new("statement", text)).expect("it is a statement");
    let program = plan(check(&statement, &decls).expect("it is well typed")).expect("it has a plan").program;
    let CinStmt::Forall { index, body } = &program.body else { panic!("{program}") };
    let space = derive(body, *index, &program.tensors);
    assert_eq!(space.leaves().len(), names.len());
    assert_eq!(Lattice::from_space(&space), None);
}
