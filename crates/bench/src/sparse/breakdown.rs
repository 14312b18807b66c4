//! Where the time of a product goes: table 2, the matrix times a random one of density 4e-4.

use super::products::unordered_csr;
use super::table::{PeerColumn, WeightedSums, sorted_column, unsorted_column};
use super::worker;
use super::{SparseSetting, Text, decl, inputs, text};
use crate::timing::{TimedSubject, interleave};
use crate::worker::Worker;
use openwork::{DType, Decl, Decls, Format, Kernel, Pattern, Phases, Session, Tensor, presets};
use std::time::{Duration, Instant};

const KERNEL: &str = "table 2";
const STATEMENT: &str = "C(i,k) = A(i,j) * S(j,k)";
const DENSITY: f64 = 4e-4;
const PEERS: [PeerColumn; 3] = [
    sorted_column("scipy+s", "scipy.matmul_sorted", 1),
    unsorted_column("scipy", "scipy.matmul", 1),
    unsorted_column("mkl", "mkl.matmul", 1),
];

/// A row of the paper's table that is ours: its name, and a timer of one run.
type BreakdownRow<'a> = (&'static str, Box<dyn Fn() -> Duration + 'a>);

fn make_timer<'a>(run: impl Fn() + 'a) -> Box<dyn Fn() -> Duration + 'a> {
    Box::new(move || {
        let start = Instant::now();
        run();
        start.elapsed()
    })
}

/// The operands' declarations with a format for the result.
fn declare_operands(operands: &[(&str, &Tensor)], format: &Format) -> Decls {
    let mut decls = Decls::default();
    for (name, t) in operands {
        decls.tensors.insert((*name).into(), decl(t));
    }
    let result = Decl { dtype: Some(DType::F64), format: Some(format.clone()), ..Decl::default() };
    decls.tensors.insert("C".into(), result);
    decls
}

/// Structure alone, values alone into a structure that is there, and both in one kernel; rows sorted or in any order.
struct BreakdownKernels<'a> {
    operands: &'a [(&'a str, &'a Tensor)],
    fused: Kernel,
    phases: Phases,
    pattern: Pattern,
}

impl<'a> BreakdownKernels<'a> {
    fn compile(operands: &'a [(&'a str, &'a Tensor)], format: &Format) -> Text<BreakdownKernels<'a>> {
        let decls = declare_operands(operands, format);
        let fused = text(Session::global().compile(STATEMENT, &decls))?.with_threads(1);
        let phases = text(Session::global().compile_phases(STATEMENT, &decls))?.with_threads(1);
        let pattern = text(phases.pattern(operands))?;
        Ok(BreakdownKernels { operands, fused, phases, pattern })
    }
    fn sums(&self) -> Text<WeightedSums> {
        let fused = WeightedSums::from_tensor(&text(self.fused.run(self.operands))?.tensor)?;
        let computed =
            WeightedSums::from_tensor(&text(self.phases.compute(&self.pattern, self.operands))?.tensor)?;
        if computed == fused { Ok(fused) } else { Err("the phases compute something else".into()) }
    }
    fn rows(&self, labels: [&'static str; 3]) -> [BreakdownRow<'_>; 3] {
        let [assemble, compute, fused] = labels;
        [
            (assemble, make_timer(|| drop(self.phases.pattern(self.operands)))),
            (compute, make_timer(|| drop(self.phases.compute(&self.pattern, self.operands)))),
            (fused, make_timer(|| drop(self.fused.run(self.operands)))),
        ]
    }
}

/// Every matrix, on one thread as in the paper.
pub fn run(setting: &SparseSetting, worker: &Worker) -> Text<()> {
    let mut title = true;
    for (name, make) in inputs::matrices(setting) {
        if !setting.wants(KERNEL, &name) {
            continue;
        }
        let coo = inputs::sort_coordinates(make()?)?;
        let cols = coo.shape()[1];
        let random = inputs::sort_coordinates(inputs::random([cols, cols], DENSITY, 40)?)?;
        let (a, s) = (inputs::csr(&coo)?, inputs::csr(&random)?);
        worker.clear()?;
        worker.load("A", &coo)?;
        worker.load("S", &random)?;
        let operands = [("A", &a), ("S", &s)];
        let (by_row, any) = (
            BreakdownKernels::compile(&operands, &presets::csr())?,
            BreakdownKernels::compile(&operands, &unordered_csr()?)?,
        );
        let mut peers = worker::peers(worker, &PEERS, "A S");
        for sums in [by_row.sums()?, any.sums()?] {
            for peer in &peers {
                if !(peer.sums)()?.agree(&sums) {
                    return Err(format!("{KERNEL} {name}: {} gives another result", peer.column.op));
                }
            }
        }
        let mut rows: Vec<BreakdownRow> = by_row.rows(["assemble", "compute", "fused"]).into();
        rows.extend(any.rows(["assemble/u", "compute/u", "fused/u"]));
        if std::mem::take(&mut title) {
            head(&rows);
        }
        let mut subjects: Vec<TimedSubject> =
            rows.iter_mut().map(|(_, run)| Box::new(run) as TimedSubject).collect();
        peers.iter_mut().for_each(|p| subjects.push(Box::new(&mut p.time)));
        let times = interleave(&mut subjects, setting.effort);
        drop(subjects);
        print!("{name:<30}");
        let (ours, theirs) = times.split_at(rows.len());
        ours.iter().for_each(|ms| print!(" {ms:>10.3}"));
        for column in &PEERS {
            let at = peers.iter().position(|p| p.column == *column);
            print!(" {:>10}", at.map_or("-".into(), |n| format!("{:.3}", theirs[n])));
        }
        println!();
    }
    Ok(())
}

fn head(rows: &[BreakdownRow]) {
    println!(
        "\n{KERNEL}: ms to multiply by a random matrix of density {DENSITY}, 1 thread; /u: rows in any order"
    );
    print!("{:<30}", "");
    rows.iter().for_each(|(label, _)| print!(" {label:>10}"));
    PEERS.iter().for_each(|c| print!(" {:>10}", c.label));
    println!();
}
