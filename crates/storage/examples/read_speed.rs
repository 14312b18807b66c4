//! How fast a large MatrixMarket file is read.
//!
//! ```text
//! cargo run --release -p openwork-storage --example read_speed -- DIR [short|long|pattern] [RUNS]
//! ```
//! writes `DIR/KIND.mtx` (about 100 MB, always the same bytes) unless it is there, reads it `RUNS` times (5 unless
//! told) and prints the median seconds and megabytes per second, then the seconds to pack the entries into CSR.
//! `short` values have seven digits, as most collections print them; `long` values have all seventeen.

use openwork_algebra::Scalar;
use openwork_format::presets;
use openwork_storage::{files, pack};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

const ROWS: u64 = 1_000_000;
const MEGABYTES: usize = 100;

/// SplitMix64, so that the file is the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn generate(path: &Path, kind: &str) -> std::io::Result<()> {
    let mut state = 42;
    let mut body = String::new();
    let mut entries = 0u64;
    // Columns rise, as they do in most collections; rows within a column are random.
    while body.len() < MEGABYTES * 1_000_000 {
        let (row, col) = (1 + next(&mut state) % ROWS, 1 + entries / 5 % ROWS);
        let unit = (next(&mut state) >> 11) as f64 / (1u64 << 53) as f64;
        let _ = match kind {
            "short" => writeln!(body, "{row} {col} {:.7}", unit * 2.0 - 1.0),
            "long" => writeln!(body, "{row} {col} {}", unit * 2.0 - 1.0),
            _ => writeln!(body, "{row} {col}"),
        };
        entries += 1;
    }
    let field = if kind == "pattern" { "pattern" } else { "real" };
    let mut file = std::fs::File::create(path)?;
    writeln!(file, "%%MatrixMarket matrix coordinate {field} general\n{ROWS} {ROWS} {entries}")?;
    file.write_all(body.as_bytes())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args.first().ok_or("usage: read_speed DIR [short|long|pattern] [RUNS]")?;
    let kind = args.get(1).map_or("short", String::as_str);
    let runs: usize = args.get(2).map_or(Ok(5), |n| n.parse())?;
    let path = Path::new(folder).join(format!("{kind}.mtx"));
    if !path.exists() {
        generate(&path, kind)?;
    }
    let size = std::fs::metadata(&path)?.len() as f64 / 1e6;
    let mut seconds = Vec::new();
    let mut coo = None;
    for _ in 0..runs.max(1) {
        drop(coo.take());
        let start = Instant::now();
        coo = Some(files::read(&path)?);
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let median = seconds[seconds.len() / 2];
    let coo = coo.ok_or("nothing was read")?;
    let start = Instant::now();
    let packed = pack(&coo, &presets::csr(), Scalar::F64(0.0))?;
    let pack_seconds = start.elapsed().as_secs_f64();
    println!(
        "{kind}: {size:.0} MB, {} entries, read {median:.4} s ({:.0} MB/s), pack to csr {pack_seconds:.4} s ({} stored)",
        coo.len(),
        size / median,
        packed.nnz()
    );
    Ok(())
}
