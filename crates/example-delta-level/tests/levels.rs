//! Both levels in everything that they claim, and what makes them refuse.

use openwork::extension::LevelSpec;
use openwork::{
    DType, Decl, Decls, Format, FormatExt, Scalar, Session, Step, Tensor, TensorExt, convert,
    levels_conformance,
};
use openwork_example_delta_level::{DELTA, register, short::SHORT};

fn register_once(spec: &'static LevelSpec) -> &'static LevelSpec {
    register();
    spec
}

levels_conformance!(
    delta,
    register_once(&DELTA),
    ["(i,j) -> (i,j) : dense, delta", "(i,j) -> (j,i) : dense, delta", "(i,j) -> (i,j) : delta, compressed"]
);
levels_conformance!(
    short,
    register_once(&SHORT),
    [
        "(i,j) -> (i,j) : dense, short",
        "(i,j) -> (j,i) : dense, short",
        "(i,j) -> (i,j) : short, short",
        "(i,j) -> (i,j) : compressed, short",
        "(i,j) -> (i,j) : short, dense",
        "(i,j) -> (i,j) : short(nonunique), singleton",
    ]
);

/// More coordinates than a byte tells apart: refused by storage, by kernels that append and by those that insert.
#[test]
fn wide_tensors_are_refused() {
    register();
    let format = Format::parse("(i,j) -> (i,j) : dense, short", 2).unwrap();
    let entries = [(vec![1, 7], Scalar::F64(2.0)), (vec![0, 255], Scalar::F64(3.0))];
    for (n, fits) in [(256, true), (257, false)] {
        let packed = Tensor::pack(&[2, n], &entries, &format);
        assert_eq!(packed.as_ref().err().map(|e| e.code().0), (!fits).then_some("E0602"), "{n}");
        for source in ["csr", "csc"] {
            let s = Tensor::pack(&[2, n], &entries, &Format::parse(source, 2).unwrap()).unwrap();
            let result = Decl { format: Some(format.clone()), ..Decl::default() };
            let copied = Session::global().einsum("R(i,j) = S(i,j)", &[("S", &s)], result);
            let made = convert(Session::global(), &s, &format).map(|c| c.tensor);
            for made in [copied, made] {
                match made {
                    Ok(t) => {
                        assert!(fits && t.levels() == packed.as_ref().unwrap().levels(), "{source}, {n}")
                    }
                    Err(e) => {
                        assert!(!fits && ["E0602", "E0604"].contains(&e.code().0), "{source}, {n}: {e}")
                    }
                }
            }
        }
    }
}

fn declare_operands(operands: [(&str, &str, usize); 2]) -> Decls {
    register();
    let mut decls = Decls::default();
    for (name, format, rank) in operands {
        let format = Some(Format::parse(format, rank).unwrap());
        decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), format, ..Decl::default() });
    }
    decls
}

/// Positions that never fall, as a declaration says: rows that nothing tells apart are one range.
#[test]
fn rows_that_nothing_tells_apart_are_one_range() {
    for level in ["compressed", "short"] {
        let decls =
            declare_operands([("A", &format!("(i,j) -> (i,j) : dense, {level}"), 2), ("s", "dense", 0)]);
        let stages = Session::global().stages("s = A(i,j) * A(i,j)", &decls).unwrap();
        let loops = stages.loops_text();
        assert!(loops.contains("let begin: i64 = A2_pos[i_begin]"), "{level}: {loops}");
    }
}

/// Coordinates in an array at their positions, in order: the first and the last one of a window are searched for, and nothing
/// is taken out.
#[test]
fn windows_are_walked_in_place() {
    for (level, in_place) in [("compressed", true), ("short", true), ("delta", false)] {
        for window in ["A(i,j(2:6))", "A(i(1:3),j(1:))", "A(i,j(1:9:2))"] {
            let decls =
                declare_operands([("A", &format!("(i,j) -> (i,j) : dense, {level}"), 2), ("x", "dense", 1)]);
            let stages = Session::global().stages(&format!("y(i) = {window} * x(j)"), &decls).unwrap();
            assert_eq!(stages.steps == [Step::Kernel], in_place, "{window}, {level}: {:?}", stages.steps);
        }
    }
}

/// The same in runs, beside compressed rows: sums, windows of all kinds, and what is merged with them.
#[test]
fn what_levels_say_of_themselves_changes_no_result() {
    register();
    let (n, m) = (9, 200);
    let of = |keep: fn(usize) -> bool| -> Vec<(Vec<usize>, Scalar)> {
        let all = (0..n * m).filter(|&p| keep(p) && p / m != 4);
        all.map(|p| (vec![p / m, p % m], Scalar::F64((p % 11) as f64 - 5.0))).collect()
    };
    let (some, others) = (of(|p| p % 7 < 2), of(|p| p % 5 == 0));
    let pack = |entries: &[(Vec<usize>, Scalar)], format: &str| {
        Tensor::pack(&[n, m], entries, &Format::parse(format, 2).unwrap()).unwrap()
    };
    let b = pack(&others, "csr");
    let statements = [
        "s = A(i,j) * A(i,j)",
        "s = A(i,j)",
        "s = max(i, max(j, A(i,j)))",
        "y(i) = A(i,j(2:6))",
        "y(i) = A(i(3:8),j(20:))",
        "y(j) = A(i,j(150:200:7))",
        "C(i,j) = A(i(1:6),j(5:90)) + B(i(2:7),j(100:185))",
        "C(i,j) = A(i(1:6),j(5:90)) * B(i(2:7),j(100:185))",
        "C(i,j) = A(i,j(0:100)) + A(i,j(100:200))",
    ];
    for levels in
        ["dense, short", "compressed, short", "short, short", "dense, delta", "dense, short(nonunique)"]
    {
        let a = pack(&some, &format!("(i,j) -> (i,j) : {levels}"));
        for statement in statements {
            let run = |a: &Tensor| {
                let both: [(&str, &Tensor); 2] = [("A", a), ("B", &b)];
                let given = if statement.contains('B') { &both[..] } else { &both[..1] };
                let made = Session::global().einsum(statement, given, Decl::default());
                made.unwrap_or_else(|e| panic!("{statement} of {levels}: {e}")).to_dense_scalars().unwrap()
            };
            assert_eq!(run(&a), run(&pack(&some, "csr")), "{statement} of {levels}");
        }
    }
}

/// What a declaration says of positions is held to, whatever the level's own check lets through.
#[test]
fn positions_that_fall_are_refused() {
    register();
    let format = Format::parse("(i,j) -> (i,j) : dense, short", 2).unwrap();
    let t = Tensor::pack(&[2, 4], &[(vec![0, 1], Scalar::F64(1.0)), (vec![1, 2], Scalar::F64(2.0))], &format);
    let mut parts = t.unwrap().into_parts();
    parts.levels[1].arrays[0] = vec![0_i64, 3, 2].into();
    assert_eq!(Tensor::try_from(parts).unwrap_err().code().0, "E0601");
}

/// An operand that a statement needs in another order is not stored in levels that may not hold its other modes.
#[test]
fn other_orders_are_stored_in_levels_that_hold_any_mode() {
    register();
    let (n, m) = (1000, 200);
    let entries: Vec<(Vec<usize>, Scalar)> =
        (0..n).map(|i| (vec![i, i * 7 % m], Scalar::F64(i as f64 + 1.0))).collect();
    let csr = Tensor::pack(&[n, m], &entries, &Format::parse("csr", 2).unwrap()).unwrap();
    let turned: Vec<(Vec<usize>, Scalar)> = entries.iter().map(|(at, v)| (vec![at[1], at[0]], *v)).collect();
    let other = Tensor::pack(&[m, n], &turned, &Format::parse("csr", 2).unwrap()).unwrap();
    for levels in ["dense, short", "compressed, short", "dense, delta"] {
        let format = Format::parse(&format!("(i,j) -> (i,j) : {levels}"), 2).unwrap();
        let a = Tensor::pack(&[n, m], &entries, &format).unwrap();
        let statements = [
            "R(j,i) = A(i,j)",
            "R(j,i) = A(i,j) + B(j,i)",
            "R(j,i) = A(i,j) * B(j,i)",
            "R(i,k) = A(j,i) * A(j,k)",
            "R(j) = A(i,j) * A(i,j)",
            "R(j,k) = A(i,j) * B(k,i)",
        ];
        for statement in statements {
            let run = |a: &Tensor| {
                let both: [(&str, &Tensor); 2] = [("A", a), ("B", &other)];
                let given = if statement.contains('B') { &both[..] } else { &both[..1] };
                Session::global().einsum(statement, given, Decl::default())
            };
            let made = run(&a).unwrap_or_else(|e| panic!("{statement} of {levels}: {e}"));
            let wanted = run(&csr).unwrap();
            assert_eq!(
                made.to_dense_scalars().unwrap(),
                wanted.to_dense_scalars().unwrap(),
                "{statement} of {levels}"
            );
        }
    }
}
