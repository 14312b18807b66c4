//! MTTKRP with dense factors: figure 12, beside a loop in C (`mttkrp.c`).

use super::compare::{CompiledStatement, PeerMemory, PeerRun, compare};
use super::table::{PeerColumn, PeerTable, WeightedSums, sorted_column};
use super::{SparseSetting, THREADS, Text, inputs, text};
use crate::peers::CompiledPeers;
use openwork::{Buffer, Tensor, presets};
use openwork_storage::Element;
use std::cell::RefCell;
use std::time::Instant;

/// Columns of the factors.
pub const RANK: usize = 32;
/// The statement, with whatever formats.
pub const STATEMENT: &str = "A(i,j) = B(i,k,l) * C(k,j) * D(l,j)";

const COLUMNS: [PeerColumn; 2] = [sorted_column("cc", "cc.mttkrp", 1), sorted_column("cc", "cc.mttkrp", 2)];
const FLAGS: [&str; 7] = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-std=c11", "-pthread"];

/// Every tensor, on one thread and on two.
pub fn run(setting: &SparseSetting) -> Text<()> {
    if !inputs::tensors(setting).iter().any(|(name, _)| setting.wants("MTTKRP 32", name)) {
        return Ok(());
    }
    let library = match CompiledPeers::build("cc", &FLAGS, include_str!("mttkrp.c")) {
        _ if setting.alone => None,
        Ok(library) => Some(library),
        Err(e) => {
            println!("skipped: the loop in C: {e}");
            None
        }
    };
    let mut table = PeerTable::new("MTTKRP 32", &COLUMNS);
    for (name, make) in inputs::tensors(setting) {
        if !setting.wants("MTTKRP 32", &name) {
            continue;
        }
        let b = text(crate::inputs::pack_with_zero(&make()?, &presets::csf(3)))?;
        let (c, d) = (inputs::dense([b.shape()[1], RANK], 1)?, inputs::dense([b.shape()[2], RANK], 2)?);
        let operands = [("B", &b), ("C", &c), ("D", &d)];
        let ours = CompiledStatement::compile(STATEMENT, &operands, "A", &presets::dense(2), &THREADS)?;
        let y = RefCell::new(vec![0.0; b.shape()[0] * RANK]);
        let peers: Vec<PeerRun> = match &library {
            Some(library) => COLUMNS.iter().map(|&at| peer(library, at, &b, &c, &d, &y)).collect(),
            None => Vec::new(),
        };
        // The loop in C writes into memory that it keeps; so do ours.
        compare(&mut table, &setting.with_memory(PeerMemory::Kept), &name, &ours, peers)?;
    }
    table.finish();
    Ok(())
}

fn ptr<T: Element>(b: &Buffer) -> *const T {
    b.as_slice::<T>().expect("the bench packs f64 values, i64 positions and i32 coordinates").as_ptr()
}

/// The loop in C over checked tensors.
fn peer<'a>(
    library: &CompiledPeers,
    column: PeerColumn,
    b: &'a Tensor,
    c: &'a Tensor,
    d: &'a Tensor,
    y: &'a RefCell<Vec<f64>>,
) -> PeerRun<'a> {
    type P = *const i64;
    type I = *const i32;
    type V = *const f64;
    type F = unsafe extern "C" fn(i64, i64, P, I, P, I, P, I, V, V, V, *mut f64);
    // SAFETY: the signature is that of mttkrp.c.
    let f: F = unsafe { library.get("mttkrp_hoisted") };
    let call = move || {
        let mut y = y.borrow_mut();
        let start = Instant::now();
        y.fill(0.0);
        let level = |k: usize| &b.level(k).arrays;
        let (pos, crd) = (|k: usize| ptr(&level(k)[0]), |k: usize| ptr(&level(k)[1]));
        // SAFETY: the arrays of a checked CSF tensor and of factors and a result of matching shapes.
        unsafe {
            f(
                column.threads as i64,
                RANK as i64,
                pos(0),
                crd(0),
                pos(1),
                crd(1),
                pos(2),
                crd(2),
                ptr(b.vals()),
                ptr(c.vals()),
                ptr(d.vals()),
                y.as_mut_ptr(),
            );
        }
        start.elapsed()
    };
    let sums = move || {
        call();
        Ok(WeightedSums::of_rows(&y.borrow(), RANK))
    };
    PeerRun { column, sums: Box::new(sums), time: Box::new(call) }
}
