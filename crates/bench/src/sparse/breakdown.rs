//! Where the time of a product goes: table 2, the matrix times a random one of density 4e-4.

use super::compare::Ours;
use super::table::{Column, sorted, unsorted};
use super::worker::Worker;
use super::{Setting, Text, inputs};
use crate::timing::{Subject, interleave};
use openwork::{Format, FormatExt, Tensor, presets};

const KERNEL: &str = "table 2";
const DENSITY: f64 = 4e-4;
const PEERS: [Column; 3] = [
    sorted("scipy+s", "scipy.matmul_sorted", 1),
    unsorted("scipy", "scipy.matmul", 1),
    unsorted("mkl", "mkl.matmul", 1),
];

/// A row of the paper's table that is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Coordinates alone.
    Assemble,
    /// Values alone, into coordinates that are there.
    Compute,
    /// Both in one kernel.
    Fused,
    /// Both in one kernel, rows in no order.
    FusedUnsorted,
}

const PARTS: [(Part, &str); 4] = [
    (Part::Assemble, "assembly"),
    (Part::Compute, "compute"),
    (Part::Fused, "fused"),
    (Part::FusedUnsorted, "unsorted"),
];

/// The kernel of a part, or why there is none.
fn kernel<'a>(part: Part, operands: &[(&'a str, &'a Tensor)]) -> Text<Ours<'a>> {
    let product = |format: &Format| Ours::compile("C(i,k) = A(i,j) * S(j,k)", operands, ("C", format), &[1]);
    match part {
        // To be compiled here once kernels can be asked for one of the two.
        Part::Assemble | Part::Compute => Err("kernels only assemble and compute at once".into()),
        Part::Fused => product(&presets::csr()),
        Part::FusedUnsorted => {
            let unsorted = super::text(Format::parse("(i,j) -> (i,j) : dense, compressed(unordered)", 2))?;
            let ours = product(&unsorted)?;
            ours.sums()?;
            Ok(ours)
        }
    }
}

/// Every matrix, on one thread as in the paper.
pub fn run(setting: &Setting, worker: &Worker) -> Text<()> {
    let mut title = true;
    for (name, make) in inputs::matrices(setting) {
        if !setting.wants(KERNEL, &name) {
            continue;
        }
        let coo = inputs::sorted(make()?)?;
        let cols = coo.shape()[1];
        let random = inputs::sorted(inputs::random([cols, cols], DENSITY, 40)?)?;
        let (a, s) = (inputs::csr(&coo)?, inputs::csr(&random)?);
        worker.clear()?;
        worker.load("A", &coo)?;
        worker.load("S", &random)?;
        let operands = [("A", &a), ("S", &s)];
        let parts: Vec<Text<Ours>> = PARTS.iter().map(|(part, _)| kernel(*part, &operands)).collect();
        if std::mem::take(&mut title) {
            head(&parts);
        }
        let mut peers = worker.peers(&PEERS, "A S");
        let mut subjects: Vec<Subject> = Vec::new();
        for part in parts.iter().flatten() {
            let sums = part.sums()?;
            for peer in &peers {
                if !(peer.sums)()?.agree(&sums) {
                    return Err(format!("{KERNEL} {name}: {} gives another result", peer.column.op));
                }
            }
            subjects.push(Box::new(|| part.time(0, setting.memory)));
        }
        peers.iter_mut().for_each(|p| subjects.push(Box::new(&mut p.time)));
        let times = interleave(&mut subjects, setting.effort);
        drop(subjects);
        let mut at = times.into_iter();
        // What did not run has no time.
        let mut cell = |ran: bool| if ran { at.next() } else { None };
        let mut cells: Vec<Option<f64>> = parts.iter().map(|p| cell(p.is_ok())).collect();
        cells.extend(PEERS.iter().map(|c| cell(peers.iter().any(|p| p.column == *c))));
        print!("{name:<30}");
        for ms in cells {
            print!(" {:>10}", ms.map_or("-".into(), |t| format!("{t:.3}")));
        }
        println!();
    }
    Ok(())
}

fn head(parts: &[Text<Ours>]) {
    println!("\n{KERNEL}: ms to multiply by a random matrix of density {DENSITY}, 1 thread");
    for (part, (_, label)) in parts.iter().zip(PARTS) {
        if let Err(e) = part {
            println!("skipped: {label}: {}", e.lines().next().unwrap_or_default());
        }
    }
    print!("{:<30}", "");
    PARTS.iter().for_each(|(_, label)| print!(" {label:>10}"));
    PEERS.iter().for_each(|c| print!(" {:>10}", c.label));
    println!();
}
