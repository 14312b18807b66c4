//! The formats that suit a matrix.

use crate::table::{self, CellSide, table};
use openwork::DType;
use openwork::recommend::{FormatCandidate, candidates, smallest};
use openwork_storage::structure::Structure;
use serde::Serialize;

/// How many candidates people are shown.
const SHOWN: usize = 6;

/// A format that the matrix could be stored in.
#[derive(Serialize, Debug)]
struct Line {
    format: String,
    bytes: u128,
    values: u128,
    /// An estimate of the time of a product with a vector.
    spmv_us: f64,
    reason: String,
    /// Whether it is among what is asked for most often.
    #[serde(skip)]
    familiar: bool,
}

/// Every candidate, the fastest first.
#[derive(Serialize, Debug)]
pub(crate) struct Advice {
    recommended: String,
    /// The one with the fewest bytes.
    smallest: String,
    candidates: Vec<Line>,
}

impl Advice {
    pub(crate) fn from_structure(structure: &Structure, dtype: DType) -> Advice {
        let line = |c: FormatCandidate| Line {
            familiar: c.format.is_dense() || c.format.rows() == Some([0, 1]) || c.format.is_list(),
            format: c.format.to_string(),
            bytes: c.bytes,
            values: c.values,
            spmv_us: c.nanos / 1e3,
            reason: c.reason,
        };
        let all = candidates(structure, dtype);
        let named = |c: Option<&FormatCandidate>| c.map_or(String::new(), |c| c.format.to_string());
        let (recommended, smallest) = (named(all.first()), named(smallest(&all)));
        Advice { recommended, smallest, candidates: all.into_iter().map(line).collect() }
    }
    pub(crate) fn text(&self) -> String {
        let row = |c: &Line| {
            let bytes = usize::try_from(c.bytes).unwrap_or(usize::MAX);
            let time = format!("about {}", table::millis(c.spmv_us / 1e3));
            vec![c.format.clone(), table::bytes(bytes), time, c.reason.clone()]
        };
        // The best ones, and what is asked for most often.
        let shown = self.candidates.iter().enumerate();
        let shown = shown.filter(|(n, c)| *n < SHOWN || c.familiar || c.format == self.smallest);
        let rows: Vec<Vec<String>> = shown.map(|(_, c)| row(c)).collect();
        let sides = [CellSide::Left, CellSide::Right, CellSide::Right, CellSide::Left];
        let what = match self.recommended == self.smallest {
            true => format!("{}, the fastest and the smallest", self.recommended),
            false => format!("{}, or {} for the least memory", self.recommended, self.smallest),
        };
        format!(
            "recommended: {what}\nbytes, and the time of a product with a vector\n{}",
            table(&sides, &rows)
        )
    }
}
