//! `B(i,j) = A(i,j)` between any two formats, and `B(j,i) = A(i,j)`, against the entries that A was made from.

mod common;

use common::{Matrix, at_all, formats, named, packed, patterns};
use openwork::{BackendKind, DType, Decl, Decls, Kernel, Scalar, Session, Tensor};
use openwork_filetests::random::Random;
use std::collections::BTreeMap;
use std::io::Write;

/// The dtypes in turn.
const DTYPES: [DType; 13] = DType::ALL;

struct Tally {
    pairs: usize,
    direct: usize,
    runs: usize,
    refused: BTreeMap<String, usize>,
    detours: BTreeMap<String, usize>,
}

fn compile(
    session: &Session,
    text: &str,
    from: &Tensor,
    target: &str,
    fill: Scalar,
) -> Result<Kernel, String> {
    let mut decls = Decls::default();
    let rank = from.shape().len();
    let source = Decl {
        dtype: Some(from.dtype()),
        format: Some(from.format().clone().with_fill(fill.to_string())),
        shape: None,
    };
    decls.tensors.insert("A".into(), source);
    let to = named(target, rank).with_fill(fill.to_string());
    decls.tensors.insert("B".into(), Decl { dtype: Some(from.dtype()), format: Some(to), shape: None });
    session.compile(text, &decls).map_err(|e| e.to_string())
}

fn matrix(rank: usize, shapes: &[&[usize]]) {
    let sessions = [
        Session::new(BackendKind::Interp).expect("always available"),
        Session::new(BackendKind::Clif).expect("always available"),
    ];
    let all = formats(rank);
    let mut r = Random::new(rank as u64);
    let mut tally =
        Tally { pairs: 0, direct: 0, runs: 0, refused: BTreeMap::new(), detours: BTreeMap::new() };
    let vars = ["i", "j", "k"][..rank].join(",");
    let turned: Vec<&str> = ["i", "j", "k"][..rank].iter().rev().copied().collect();
    let texts = [format!("B({vars}) = A({vars})"), format!("B({}) = A({vars})", turned.join(","))];
    let mut wrong = Vec::new();
    for (n, source) in all.iter().enumerate() {
        for (m, target) in all.iter().enumerate() {
            for (way, text) in texts.iter().enumerate().take(if rank == 1 { 1 } else { 2 }) {
                let dtype = DTYPES[(n * 5 + m * 3 + way) % DTYPES.len()];
                let fill = Scalar::from_i64(i64::from((n + m) % 5 == 0), dtype);
                let mut kernels: Option<Vec<Kernel>> = None;
                let mut widths = String::new();
                tally.pairs += 1;
                for shape in shapes {
                    let all_patterns = patterns(&mut r, shape);
                    for (p, at) in all_patterns.iter().enumerate() {
                        // Every pattern meets every format; not every pair meets every pattern on every shape.
                        if p > 2 && (p + n + m) % 3 != 0 {
                            continue;
                        }
                        let a =
                            Matrix::new(&mut r, shape, at, dtype, fill).kept(source).turned(way == 1, target);
                        let Ok(from) = packed(&a, &format!("{source}{widths}")) else { continue };
                        if widths.is_empty() {
                            let chosen = |w: Option<openwork::Width>| w.map_or("i64", |w| w.dtype().name());
                            let f = from.format();
                            widths = format!("; pos = {}; crd = {}", chosen(f.pos), chosen(f.crd));
                        }
                        let kernels = kernels.get_or_insert_with(|| {
                            let made = sessions.iter().map(|s| compile(s, text, &from, target, fill));
                            match made.collect::<Result<Vec<_>, _>>() {
                                Ok(all) => {
                                    let stages = all[0].stages();
                                    if stages.finish.is_none() && stages.conversions.is_empty() {
                                        tally.direct += 1;
                                    } else {
                                        *tally.detours.entry(format!("to {target}")).or_default() += 1;
                                    }
                                    all
                                }
                                Err(e) => {
                                    let line = e.lines().next().unwrap_or("").to_string();
                                    wrong.push(format!("{source} -> {target} ({text}): {line}"));
                                    *tally.refused.entry(line).or_default() += 1;
                                    Vec::new()
                                }
                            }
                        });
                        for (kernel, session) in kernels.iter().zip(&sessions) {
                            tally.runs += 1;
                            let what = || {
                                format!(
                                    "{}: {source} -> {target} {text} {dtype} {shape:?} {a:?}",
                                    session.kind().name()
                                )
                            };
                            let made = match kernel.run(&[("A", &from)]) {
                                Ok(outcome) => outcome.tensor,
                                Err(e) => {
                                    wrong.push(format!("{}: {e}", what()));
                                    continue;
                                }
                            };
                            let want = a.dense(way == 1);
                            let got = made.to_dense_scalars().unwrap_or_default();
                            let same =
                                got.len() == want.len() && got.iter().zip(&want).all(|(x, y)| x.same(*y));
                            if !same {
                                wrong.push(format!("{}: {got:?} instead of {want:?}", what()));
                            } else if let Err(e) = Tensor::try_from(made.clone().into_parts()) {
                                wrong.push(format!("{}: {e}\n{made:?}", what()));
                            }
                            kernel.recycle(made);
                        }
                    }
                }
                if wrong.len() > 12 {
                    panic!("{}", wrong.join("\n"));
                }
            }
            for s in &sessions {
                s.cache().clear();
            }
        }
    }
    let Tally { pairs, direct, runs, refused, detours } = &tally;
    let _ = writeln!(
        std::io::stderr(),
        "rank {rank}: {} formats, {pairs} pairs, {direct} assembled directly, {runs} runs; refused {refused:?}; not direct {detours:?}",
        all.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let _ = at_all(&[1]);
}

#[test]
fn vectors() {
    matrix(1, &[&[7], &[1], &[0], &[70]]);
}

#[test]
fn matrices() {
    matrix(2, &[&[4, 5], &[3, 3], &[1, 1], &[0, 3], &[3, 0], &[6, 2]]);
}

#[test]
fn third_order() {
    matrix(3, &[&[3, 2, 4], &[2, 2, 2], &[2, 0, 1]]);
}
