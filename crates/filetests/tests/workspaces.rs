//! Workspaces of every kind against each other, at sizes where hash tables grow, keys are sorted by radix and coordinates
//! of several modes make large numbers.

use openwork::{
    BackendKind, Decl, Decls, Format, FormatExt, Scalar, Schedule, Session, Storage, Tensor, TensorExt,
};
use openwork_filetests::random::TestRandom;
use std::collections::BTreeMap;

type Entries = BTreeMap<Vec<usize>, i64>;

fn random(r: &mut TestRandom, shape: &[usize], count: usize) -> Entries {
    let one = |r: &mut TestRandom| {
        (shape.iter().map(|&d| r.number_below(d)).collect(), 1 + r.number_below(9) as i64 - 5)
    };
    (0..count).map(|_| one(r)).collect()
}
fn pack_entries(entries: &Entries, shape: &[usize], format: &str) -> Tensor {
    let all: Vec<(Vec<usize>, Scalar)> =
        entries.iter().map(|(at, v)| (at.clone(), Scalar::I64(*v))).collect();
    Tensor::pack(shape, &all, &Format::parse(format, shape.len()).unwrap()).unwrap()
}
/// The values of a statement's result at some coordinates, and how many values it stores.
fn compute_values(
    session: &Session,
    statement: &str,
    operands: &[(&str, &Tensor)],
    format: &str,
    rank: usize,
    schedule: &Schedule,
) -> openwork::Result<Tensor> {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let format = Some(t.format().clone().with_fill(t.fill().to_string()));
        let shape = Some(t.shape().to_vec());
        let decl = Decl { dtype: Some(t.dtype()), format, shape, stored: None, elements: None };
        decls.tensors.insert((*name).into(), decl);
    }
    let format = Some(Format::parse(format, rank).unwrap());
    decls.tensors.insert("A".into(), Decl { format, ..Decl::default() });
    Ok(session.compile_scheduled(statement, &decls, schedule)?.run(operands)?.tensor)
}
fn agrees(got: &Tensor, want: &Entries, why: &str) {
    assert_eq!(got.nnz(), want.len(), "{why}: stored values");
    for (at, value) in want {
        assert_eq!(got.get(at), Some(Scalar::I64(*value)), "{why} at {at:?}");
    }
}
fn sessions() -> Vec<Session> {
    BackendKind::ALL.into_iter().filter_map(|kind| Session::new(kind).ok()).collect()
}

fn product(b: &Entries, c: &Entries) -> Entries {
    let mut rows: BTreeMap<usize, Vec<(usize, i64)>> = BTreeMap::new();
    for (at, v) in c {
        rows.entry(at[0]).or_default().push((at[1], *v));
    }
    let mut out = Entries::new();
    for (at, v) in b {
        for (j, w) in rows.get(&at[1]).into_iter().flatten() {
            *out.entry(vec![at[0], *j]).or_default() += v * w;
        }
    }
    out
}

#[test]
fn rows_of_products_in_workspaces_of_every_kind() {
    let mut r = TestRandom::new(11);
    for (m, k, n, count) in
        [(5, 7, 70_000, 900), (40, 30, 300, 600), (3, 200, 1_000_000, 4000), (9, 1, 64, 40)]
    {
        let (b, c) = (random(&mut r, &[m, k], count / 4), random(&mut r, &[k, n], count));
        let want = product(&b, &c);
        let (tb, tc) = (pack_entries(&b, &[m, k], "csr"), pack_entries(&c, &[k, n], "csr"));
        for session in sessions() {
            for kept in [Storage::Hash, Storage::Bitmap] {
                let schedule = Schedule::new().precompute("B(i,k) * C(k,j)", ["j"], "w", Some(kept));
                let operands = [("B", &tb), ("C", &tc)];
                let got =
                    compute_values(&session, "A(i,j) = B(i,k) * C(k,j)", &operands, "csr", 2, &schedule);
                agrees(&got.unwrap(), &want, &format!("{m}x{k}x{n} {kept:?} {:?}", session.kind()));
            }
        }
    }
}

#[test]
fn whole_products_in_workspaces_over_two_variables() {
    let mut r = TestRandom::new(12);
    for (m, k, n, count) in [(50, 6, 60, 200), (100_000, 9, 70_000, 60), (1 << 31, 4, 1 << 31, 50)] {
        let (b, c) = (random(&mut r, &[m, k], count), random(&mut r, &[k, n], count));
        let want = product(&b, &c);
        let (tb, tc) = (pack_entries(&b, &[m, k], "dcsc"), pack_entries(&c, &[k, n], "dcsr"));
        for session in sessions() {
            let kinds = if m < 1000 { vec![Storage::Hash, Storage::Bitmap] } else { vec![Storage::Hash] };
            for kept in kinds {
                let schedule = Schedule::new().precompute("B(i,k) * C(k,j)", ["i", "j"], "w", Some(kept));
                let operands = [("B", &tb), ("C", &tc)];
                let got =
                    compute_values(&session, "A(i,j) = B(i,k) * C(k,j)", &operands, "dcsr", 2, &schedule);
                agrees(&got.unwrap(), &want, &format!("{m}x{k}x{n} {kept:?} {:?}", session.kind()));
            }
        }
    }
}

#[test]
fn more_coordinates_than_numbers_are_an_error_not_a_mixture() {
    let mut r = TestRandom::new(13);
    for (rank, size, fits) in
        [(3, 1 << 20, true), (4, 1 << 20, false), (4, 1 << 15, true), (5, 1 << 13, false)]
    {
        let shape = vec![size; rank];
        let b = random(&mut r, &shape, 300);
        let backwards: Vec<String> = (0..rank).rev().map(|m| m.to_string()).collect();
        let tb = pack_entries(&b, &shape, &format!("csf:{}", backwards.join(",")));
        let vars = ["i", "j", "k", "l", "m"][..rank].join(",");
        let statement = format!("A({vars}) = 2 * B({vars})");
        let want: Entries = b.iter().map(|(at, v)| (at.clone(), 2 * v)).filter(|(_, v)| *v != 0).collect();
        for session in sessions() {
            let schedule = Schedule::new().precompute(
                &format!("2 * B({vars})"),
                [vars.as_str()],
                "w",
                Some(Storage::Hash),
            );
            match compute_values(&session, &statement, &[("B", &tb)], "csf", rank, &schedule) {
                Ok(got) if fits => agrees(&got, &want, &statement),
                Ok(_) => panic!("{statement}: {size} to the power of {rank} is no i64"),
                Err(e) => assert_eq!((fits, e.code().0), (false, "E0603"), "{e}"),
            }
        }
    }
}
