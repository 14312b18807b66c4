//! Recommended formats of a matrix, by the memory and time that each candidate takes, computed from the measured structure.
//!
//! Bytes are exact. Time is an estimate for a product with a vector, `y(i) = A(i,j) * x(j)`: so much for each stored value
//! and each row, block or diagonal (`Pace`), but no less than it takes to read the bytes from memory, where they do not fit
//! the cache. The constants were measured with the kernels of this version on one core of a server (release build, f64, real
//! matrices in the cache); on another machine all of them are different, and only their order counts. In the end the
//! statement decides.

use openwork_algebra::DType;
use openwork_format::{ArrayRole, Format, presets};
use openwork_storage::Coo;
use openwork_storage::structure::Structure;

/// A format that a matrix could be stored in.
#[derive(Clone, Debug)]
pub struct FormatCandidate {
    /// The format.
    pub format: Format,
    /// Stored values, padding included.
    pub values: u128,
    /// Bytes of all arrays together.
    pub bytes: u128,
    /// An estimate of the time of a product with a vector, in nanoseconds.
    pub nanos: f64,
    /// What speaks for or against it, in one line.
    pub reason: String,
}

/// Positions of so many rows are no reason for another format.
const FEW_ROWS: usize = 1 << 16;

/// Whether a mode has many more coordinates than there are entries, so that a position for each of them is too much.
pub fn mostly_empty(size: usize, entries: usize) -> bool {
    size > FEW_ROWS && size / 4 > entries
}

/// The format for a list of coordinates when nobody chose one: `csr` for a matrix, or `coo` where its rows are
/// [`mostly_empty`]; `csf` for other tensors.
///
/// ```
/// use openwork::recommend::for_entries;
/// use openwork::{Coo, DType, Scalar};
/// let one = |n| Coo::from_entries(&[n, n], DType::F64, &[(vec![0, 1], Scalar::F64(2.0))]);
/// assert_eq!(for_entries(&one(1000)?).to_string(), "csr");
/// assert_eq!(for_entries(&one(3_000_000_000)?).to_string(), "coo");
/// # Ok::<(), openwork::Error>(())
/// ```
pub fn for_entries(coo: &Coo) -> Format {
    match *coo.shape() {
        [] => presets::dense(0),
        [rows, _] if mostly_empty(rows, coo.len()) => presets::coo(2),
        [_, _] => presets::csr(),
        _ => presets::csf(coo.rank()),
    }
}

/// The sizes that formulas are made of.
struct FormulaSizes<'a> {
    s: &'a Structure,
    value: u128,
}

impl FormulaSizes<'_> {
    /// Bytes of a coordinate.
    fn crd(&self, format: &Format) -> u128 {
        format.resolve(&self.s.shape).width(ArrayRole::Crd).dtype().size() as u128
    }
    fn candidate(&self, format: Format, size: StoredSize, pace: Pace, reason: String) -> FormatCandidate {
        let StoredSize { positions, coords, values, units } = size;
        let bytes = positions
            .saturating_mul(8)
            .saturating_add(coords.saturating_mul(self.crd(&format)))
            .saturating_add(values.saturating_mul(self.value));
        let work = values as f64 * pace.value + units as f64 * pace.unit;
        let reading = if bytes > CACHE { bytes as f64 / BANDWIDTH } else { 0.0 };
        FormatCandidate { format, values, bytes, nanos: work.max(reading), reason }
    }
}

/// What a candidate stores.
struct StoredSize {
    /// Numbers of eight bytes.
    positions: u128,
    coords: u128,
    values: u128,
    /// Rows, blocks or diagonals: what its loops begin and end for.
    units: u128,
}

/// Nanoseconds for each stored value, and for each row, block or diagonal.
struct Pace {
    value: f64,
    unit: f64,
}

const fn pace(value: f64, unit: f64) -> Pace {
    Pace { value, unit }
}
const CSR: Pace = pace(0.33, 1.2);
const DCSR: Pace = pace(0.33, 1.4);
const COO: Pace = pace(1.0, 0.0);
const DENSE: Pace = pace(0.2, 2.0);
const DIA: Pace = pace(0.35, 30.0);
const BANDED: Pace = pace(0.2, 1.8);
const BCSR: Pace = pace(0.55, 3.0);
const ELL: Pace = pace(0.7, 0.0);
const SELL: [(usize, Pace); 3] = [(4, pace(0.8, 0.0)), (8, pace(0.75, 0.0)), (32, pace(0.57, 0.0))];
/// Bytes that stay in the cache between two products.
const CACHE: u128 = 24 << 20;
/// Bytes per nanosecond from memory.
const BANDWIDTH: f64 = 19.0;

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}
fn part(of: usize, all: u128) -> f64 {
    if all == 0 { 0.0 } else { of as f64 / all as f64 }
}

/// Every candidate for a matrix of this structure, the fastest first.
///
/// ```
/// use openwork::{Coo, DType, Scalar, recommend::candidates};
/// use openwork_storage::structure::{Elements, Structure};
/// let entries: Vec<_> = (0..100).map(|i| (vec![i, i], Scalar::F64(1.0))).collect();
/// let s = Structure::measure(&Elements::from_coo(&Coo::from_entries(&[100, 100], DType::F64, &entries)?)?);
/// let best = &candidates(&s, DType::F64)[0];
/// assert_eq!((best.format.to_string().as_str(), best.values), ("dia", 100));
/// # Ok::<(), openwork::Error>(())
/// ```
pub fn candidates(s: &Structure, dtype: DType) -> Vec<FormatCandidate> {
    let sizes = FormulaSizes { s, value: dtype.size() as u128 };
    let mut out = plain(&sizes);
    out.extend(diagonal(&sizes));
    out.extend(block_candidates(&sizes));
    out.extend(padded_candidates(&sizes));
    // Of formats that take the same, the plainer one.
    out.sort_by(|a, b| a.nanos.total_cmp(&b.nanos));
    out
}

/// The candidate that takes the fewest bytes; of those that take a twentieth more at most, the fastest.
pub fn smallest(candidates: &[FormatCandidate]) -> Option<&FormatCandidate> {
    let least = candidates.iter().map(|c| c.bytes).min()?;
    let close = |c: &&FormatCandidate| c.bytes - least <= least / 20;
    candidates.iter().filter(close).min_by(|a, b| a.nanos.total_cmp(&b.nanos))
}

/// Formats without padding, and the one that is all padding.
fn plain(z: &FormulaSizes) -> Vec<FormatCandidate> {
    let s = z.s;
    let [m, n] = s.shape.map(|d| d as u128);
    let nnz = s.nnz as u128;
    let rows = m - s.empty_rows as u128;
    let density = percent(s.density());
    let empty = percent(part(s.empty_rows, m));
    let lengths = format!("rows of {} to {} elements", s.per_row.min, s.per_row.max);
    let size = |positions, coords, values, units| StoredSize { positions, coords, values, units };
    vec![
        z.candidate(presets::csr(), size(m + 1, nnz, nnz, m), CSR, format!("no padding; {lengths}")),
        z.candidate(
            presets::dcsr(),
            size(rows + 3, rows + nnz, nnz, rows),
            DCSR,
            format!("{empty} of the rows are empty"),
        ),
        z.candidate(presets::coo(2), size(2, 2 * nnz, nnz, 0), COO, "a row and a column per element".into()),
        z.candidate(
            presets::dense(2),
            size(0, 0, m * n, m),
            DENSE,
            format!("{density} of all places are elements"),
        ),
    ]
}

/// Formats along diagonals.
fn diagonal(z: &FormulaSizes) -> Vec<FormatCandidate> {
    let s = z.s;
    let m = s.shape[0] as u128;
    let count = s.diagonals.count as u128;
    let (lower, upper) = s.band;
    let width = (lower as i128 + upper as i128 + 1) as u128;
    let dia = m * count;
    let band = m.saturating_mul(width);
    vec![
        z.candidate(
            presets::dia(),
            StoredSize { positions: 1, coords: count, values: dia, units: count },
            DIA,
            format!("{count} diagonals, {} of whose slots are elements", percent(part(s.nnz, dia))),
        ),
        z.candidate(
            presets::band_format(),
            StoredSize { positions: 2, coords: 0, values: band, units: m },
            BANDED,
            format!(
                "a band of {width} diagonals ({lower} below, {upper} above), {} full",
                percent(part(s.nnz, band))
            ),
        ),
    ]
}
fn block_candidates(z: &FormulaSizes) -> Vec<FormatCandidate> {
    let one = |b: &openwork_storage::structure::BlockFill| {
        let (side, blocks) = (b.size as u64, b.blocks as u128);
        let format = presets::bcsr(side, side);
        let level = |k| format.bounds(k, &z.s.shape).size as u128;
        let reason = format!("{blocks} blocks of {side} x {side}, {} full", percent(b.fill));
        let values = blocks * level(2) * level(3);
        let sizes = StoredSize { positions: level(0) + 1, coords: blocks, values, units: blocks };
        z.candidate(format, sizes, BCSR, reason)
    };
    z.s.blocks.iter().map(one).collect()
}

/// Formats that pad rows.
fn padded_candidates(z: &FormulaSizes) -> Vec<FormatCandidate> {
    let s = z.s;
    let (m, most) = (s.shape[0] as u128, s.per_row.max as u128);
    let ell = m.saturating_mul(most);
    let deviation =
        format!("{:.1} elements per row with a deviation of {:.1}", s.per_row.mean, s.per_row.deviation);
    let mut out = vec![z.candidate(
        presets::ell(),
        StoredSize { positions: 1, coords: ell, values: ell, units: 0 },
        ELL,
        format!("rows padded to {most}, {} full; {deviation}", percent(part(s.nnz, ell))),
    )];
    for slice in &s.slices {
        let (height, slots) = (slice.height as u64, slice.slots);
        let format = presets::sell(height);
        let slices = format.bounds(0, &s.shape).size as u128;
        let reason = format!("slices of {height} rows padded to their longest, {} full", percent(slice.fill));
        let pace = SELL.iter().find(|(h, _)| *h == slice.height).map_or(ELL, |(_, p)| pace(p.value, p.unit));
        let size = StoredSize { positions: slices + 1, coords: slots, values: slots, units: 0 };
        out.push(z.candidate(format, size, pace, reason));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::Scalar;
    use openwork_storage::structure::{BlockFill, Diagonals, Elements, PerRow};
    use openwork_storage::{Coo, pack};

    /// Some elements of a matrix.
    fn matrix(shape: [usize; 2], keep: impl Fn(usize, usize) -> bool, dtype: DType) -> Coo {
        let mut entries = Vec::new();
        for i in 0..shape[0] {
            entries.extend((0..shape[1]).filter(|&j| keep(i, j)).map(|j| (vec![i, j], Scalar::one(dtype))));
        }
        Coo::from_entries(&shape, dtype, &entries).unwrap()
    }
    fn all_candidates(coo: &Coo) -> Vec<FormatCandidate> {
        candidates(&Structure::measure(&Elements::from_coo(coo).unwrap()), coo.dtype())
    }

    #[test]
    fn the_formulas_are_exact() {
        let scattered = |i: usize, j: usize| (i * 31 + j * 17 + i * j).is_multiple_of(7) && i % 5 != 2;
        for dtype in [DType::F64, DType::F32] {
            for shape in [[13, 17], [40, 9], [1, 1], [8, 8], [5, 0]] {
                for coo in [
                    matrix(shape, scattered, dtype),
                    matrix(shape, |i, j| i.abs_diff(j) < 2, dtype),
                    matrix(shape, |i, j| j > i + 3, dtype),
                    matrix(shape, |_, _| true, dtype),
                    matrix(shape, |_, _| false, dtype),
                ] {
                    for c in all_candidates(&coo) {
                        let t = pack(&coo, &c.format, Scalar::zero(dtype)).unwrap();
                        let found = (t.slots() as u128, t.bytes() as u128);
                        assert_eq!(
                            (c.values, c.bytes),
                            found,
                            "{} of {shape:?}, {} elements",
                            c.format,
                            coo.len()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn clear_cases_are_told_apart() {
        let named = |c: &FormatCandidate| c.format.to_string();
        let both = |coo: &Coo| {
            let all = all_candidates(coo);
            (named(&all[0]), smallest(&all).map(named).unwrap())
        };
        let check = |shape, keep: fn(usize, usize) -> bool, fast: &str, small: &str| {
            assert_eq!(both(&matrix(shape, keep, DType::F64)), (fast.to_string(), small.to_string()));
        };
        check([60, 60], |_, _| true, "dense", "dense");
        check([200, 200], |i, j| i.abs_diff(j) < 20, "banded", "banded");
        check([300, 300], |i, j| i.abs_diff(j) < 2, "dia", "dia");
        check([60, 60], |i, j| (i / 3 * 7 + j / 3 * 5).is_multiple_of(11), "csr", "bcsr(3,3)");
        check([600, 60], |i, j| i.is_multiple_of(50) && (i / 50 + j * 7).is_multiple_of(9), "dcsr", "dcsr");
        let skewed = |i, j| i == j || (i * 7 + j * j * 3) % 50 < 1 + 10 * usize::from(i % 9 == 0);
        check([200, 200], skewed, "csr", "csr");
        check([200, 200], |i, j| (i * 7 + j).is_multiple_of(50), "csr", "ell");
    }

    #[test]
    fn large_matrices_are_limited_by_their_bytes() {
        // Full 3 x 3 blocks, too many for the cache.
        let blocks = 4_000_000;
        let s = Structure {
            shape: [3_000_000, 3_000_000],
            nnz: 9 * blocks,
            symmetry: None,
            per_row: PerRow { min: 12, mean: 12.0, max: 30, deviation: 1.0, histogram: Vec::new() },
            empty_rows: 0,
            empty_columns: 0,
            diagonals: Diagonals { count: 4_000_000, places: 1 << 50, fill: 0.0 },
            band: (2_999_999, 2_999_999),
            blocks: vec![BlockFill { size: 3, blocks, fill: 1.0 }],
            slices: Vec::new(),
        };
        let all = candidates(&s, DType::F64);
        let of = |name: &str| all.iter().find(|c| c.format.to_string() == name).unwrap();
        let csr = of("csr");
        assert!((csr.nanos - csr.bytes as f64 / BANDWIDTH).abs() < 1.0);
        assert_eq!(smallest(&all).unwrap().format.to_string(), "bcsr(3,3)");
    }
}
