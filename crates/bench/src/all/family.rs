//! Which rows are run, and beside whom.

use super::rows::TableRow;
use super::{arrays, rows};

/// A list of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Sparse linear algebra, conversions and files.
    All,
    /// Functions of arrays in general.
    Arrays,
}

impl Family {
    pub fn rows(self) -> &'static [TableRow] {
        match self {
            Family::All => rows::ROWS,
            Family::Arrays => arrays::ROWS,
        }
    }
    /// The peers, as `peer/worker.py` names them.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Family::All => &["c", "scipy", "mkl", "graphblas", "numba", "eigen"],
            Family::Arrays => &["c", "numpy", "scipy", "pydata", "graphblas"],
        }
    }
    /// Whether there may be something in a file with such an end.
    pub fn takes(self, name: &str) -> bool {
        let ends: &[&str] = match self {
            Family::All => &[".mtx", ".tns", ".smtx"],
            Family::Arrays => &[".mtx", ".tns", ".smtx", ".pgm", ".png"],
        };
        ends.iter().any(|e| name.ends_with(e) || name.ends_with(&format!("{e}.gz")))
    }
}
