//! `B(i,j) = A(i,j)` between any two formats, and `B(j,i) = A(i,j)`, against the entries that A was made from.

use crate::common::{Matrix, format_of, formats, pack_matrix, patterns};
use openwork::{BackendKind, DType, Decl, Decls, Kernel, Scalar, Session, Tensor};
use openwork_filetests::random::TestRandom;
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
        stored: None,
        elements: None,
    };
    decls.tensors.insert("A".into(), source);
    let to = format_of(target, rank).with_fill(fill.to_string());
    decls.tensors.insert(
        "B".into(),
        Decl { dtype: Some(from.dtype()), format: Some(to), shape: None, stored: None, elements: None },
    );
    session.compile(text, &decls).map_err(|e| e.to_string())
}

/// The whole matrix of sources and targets for one rank.
struct Grid {
    sessions: [Session; 2],
    r: TestRandom,
    tally: Tally,
    wrong: Vec<String>,
}

/// One source, target and statement.
struct Pair<'a> {
    source: &'a str,
    target: &'a str,
    text: &'a str,
    /// Whether the statement transposes.
    turned: bool,
    dtype: DType,
    fill: Scalar,
    /// Tells apart which patterns are left out.
    salt: usize,
}

impl Grid {
    /// The kernels of a pair for operands stored like `from`, one per session; none if it is refused.
    fn kernels(&mut self, pair: &Pair, from: &Tensor) -> Vec<Kernel> {
        let made = self.sessions.iter().map(|s| compile(s, pair.text, from, pair.target, pair.fill));
        match made.collect::<Result<Vec<_>, _>>() {
            Ok(all) => {
                let stages = all[0].stages();
                if stages.steps == [openwork::Step::Kernel] {
                    self.tally.direct += 1;
                } else {
                    *self.tally.detours.entry(format!("to {}", pair.target)).or_default() += 1;
                }
                all
            }
            Err(e) => {
                let line = e.lines().next().unwrap_or("").to_string();
                self.wrong.push(format!("{} -> {} ({}): {line}", pair.source, pair.target, pair.text));
                *self.tally.refused.entry(line).or_default() += 1;
                Vec::new()
            }
        }
    }
    /// Every pattern on every shape.
    fn pair(&mut self, pair: &Pair, shapes: &[&[usize]]) {
        let mut kernels: Option<Vec<Kernel>> = None;
        let mut widths = String::new();
        self.tally.pairs += 1;
        for shape in shapes {
            for (p, at) in patterns(&mut self.r, shape).iter().enumerate() {
                // Every pattern meets every format; not every pair meets every pattern on every shape.
                if p > 2 && !(p + pair.salt).is_multiple_of(3) {
                    continue;
                }
                let a = Matrix::new(&mut self.r, shape, at, pair.dtype, pair.fill);
                let a = a.drop_outside(pair.source).turn(pair.turned, pair.target);
                let Ok(from) = pack_matrix(&a, &format!("{}{widths}", pair.source)) else { continue };
                if widths.is_empty() {
                    let chosen = |w: Option<openwork::Width>| w.map_or("i64", |w| w.dtype().name());
                    let f = from.format();
                    widths = format!("; pos = {}; crd = {}", chosen(f.pos), chosen(f.crd));
                }
                let all = match kernels.take() {
                    Some(all) => all,
                    None => self.kernels(pair, &from),
                };
                for (n, kernel) in all.iter().enumerate() {
                    let name = self.sessions[n].kind().name();
                    self.run(pair, kernel, name, &a, &from);
                }
                kernels = Some(all);
            }
        }
        self.sessions.iter().for_each(|s| s.cache().clear());
    }
    /// One conversion against the oracle.
    fn run(&mut self, pair: &Pair, kernel: &Kernel, backend: &str, a: &Matrix, from: &Tensor) {
        self.tally.runs += 1;
        let Pair { source, target, text, dtype, .. } = pair;
        let what = || format!("{backend}: {source} -> {target} {text} {dtype} {a:?}");
        let made = match kernel.run(&[("A", from)]) {
            Ok(outcome) => outcome.tensor,
            Err(e) => return self.wrong.push(format!("{}: {e}", what())),
        };
        let want = a.dense(pair.turned);
        let got = made.to_dense_scalars().unwrap_or_default();
        let same = got.len() == want.len() && got.iter().zip(&want).all(|(x, y)| x.is_same(*y));
        if !same {
            self.wrong.push(format!("{}: {got:?} instead of {want:?}", what()));
        } else if let Err(e) = Tensor::try_from(made.clone().into_parts()) {
            self.wrong.push(format!("{}: {e}\n{made:?}", what()));
        }
        kernel.recycle(made);
    }
}

fn matrix(rank: usize, shapes: &[&[usize]]) {
    let session = |kind| Session::new(kind).expect("available");
    let tally = Tally { pairs: 0, direct: 0, runs: 0, refused: BTreeMap::new(), detours: BTreeMap::new() };
    let sessions = [session(BackendKind::Interp), session(BackendKind::Clif)];
    let mut grid = Grid { sessions, r: TestRandom::new(rank as u64), tally, wrong: Vec::new() };
    let all = formats(rank);
    let vars = ["i", "j", "k"][..rank].join(",");
    let turned: Vec<&str> = ["i", "j", "k"][..rank].iter().rev().copied().collect();
    let texts = [format!("B({vars}) = A({vars})"), format!("B({}) = A({vars})", turned.join(","))];
    for (n, source) in all.iter().enumerate() {
        for (m, target) in all.iter().enumerate() {
            for (way, text) in texts.iter().enumerate().take(if rank == 1 { 1 } else { 2 }) {
                let dtype = DTYPES[(n * 5 + m * 3 + way) % DTYPES.len()];
                let fill = Scalar::from_i64(i64::from((n + m) % 5 == 0), dtype);
                let turned = way == 1;
                grid.pair(&Pair { source, target, text, turned, dtype, fill, salt: n + m }, shapes);
                assert!(grid.wrong.len() <= 12, "{}", grid.wrong.join("\n"));
            }
        }
    }
    let Tally { pairs, direct, runs, refused, detours } = &grid.tally;
    let _ = writeln!(
        std::io::stderr(),
        "rank {rank}: {} formats, {pairs} pairs, {direct} assembled directly, {runs} runs; refused {refused:?}; not direct {detours:?}",
        all.len()
    );
    assert!(grid.wrong.is_empty(), "{}", grid.wrong.join("\n"));
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
