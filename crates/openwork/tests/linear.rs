//! Conversions take memory in proportion to rows, elements and the slots of the target.

use openwork::{Coo, DType, Format, FormatExt, Scalar, Session, convert};
use openwork_storage::{memory, pack};

#[test]
fn conversions_between_sparse_formats_take_linear_memory() {
    let n = 100_000;
    let entries: Vec<(Vec<usize>, Scalar)> = (0..n)
        .flat_map(|i| {
            (0..3).map(move |k| (vec![i, (i + k).min(n - 1 - k % 2)], Scalar::F64((i % 7 + k) as f64)))
        })
        .collect();
    let coo = Coo::from_entries(&[n, n], DType::F64, &entries).unwrap();
    let source = |text: &str| pack(&coo, &Format::parse(text, 2).unwrap(), Scalar::F64(0.0)).unwrap();
    let sources = ["csr", "csc", "coo", "dcsc", "sell(8)", "ell", "rle"].map(|text| (text, source(text)));
    // Ten times what the largest of these tensors takes, and a thousandth of one number per pair of rows.
    memory::set_limit(80 << 20);
    let targets = [
        "csr",
        "csc",
        "dcsr",
        "dcsc",
        "csf",
        "coo",
        "coo_aos",
        "hash",
        "dok",
        "lil",
        "ell",
        "jad",
        "dia",
        "banded",
        "sky",
        "bcsr(2)",
        "bcsc(2)",
        "sell(2)",
        "sell(8)",
        "sell(1000)",
        "csb",
        "hicoo",
        "(i,j) -> (i/100, #i, i, j) : dense, compressed(nonunique), singleton, singleton",
    ];
    for (from, a) in &sources {
        for to in targets {
            let format = Format::parse(to, 2).unwrap();
            let made =
                convert(Session::global(), a, &format).unwrap_or_else(|e| panic!("{from} to {to}: {e}"));
            assert_eq!(made.tensor.get(&[777, 778]), a.get(&[777, 778]), "{from} to {to}");
        }
    }
    memory::set_limit(0);
}
