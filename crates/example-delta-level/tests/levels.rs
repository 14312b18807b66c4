//! Both levels in everything that they claim, and what makes them refuse.

use openwork::extension::LevelSpec;
use openwork::{Decl, Format, FormatExt, Scalar, Session, Tensor, TensorExt, convert, levels_conformance};
use openwork_example_delta_level::{DELTA, register, short::SHORT};

fn registered(spec: &'static LevelSpec) -> &'static LevelSpec {
    register();
    spec
}

levels_conformance!(
    delta,
    registered(&DELTA),
    ["(i,j) -> (i,j) : dense, delta", "(i,j) -> (j,i) : dense, delta", "(i,j) -> (i,j) : delta, compressed"]
);
levels_conformance!(
    short,
    registered(&SHORT),
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
            let copied = Session::shared().einsum("R(i,j) = S(i,j)", &[("S", &s)], result);
            let made = convert(Session::shared(), &s, &format).map(|c| c.tensor);
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
                Session::shared().einsum(statement, given, Decl::default())
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
