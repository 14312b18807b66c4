//! Named formats: each a composition of levels and nothing else.

use crate::format::Format;
use crate::level::{COMPRESSED, DENSE, Level, Props, SINGLETON};

fn d() -> Level {
    Level::new(&DENSE)
}
fn s() -> Level {
    Level::new(&COMPRESSED)
}

/// Every coordinate stored, last mode fastest.
pub fn dense(rank: usize) -> Format {
    Format::new(vec![d(); rank])
}
/// A sparse vector.
pub fn sparse_vector() -> Format {
    Format::new(vec![s()])
}
/// Coordinates as one array per mode, sorted, without duplicates.
///
/// ```
/// let coo = openwork_format::presets::coo(3);
/// assert_eq!(coo.to_string(), "coo");
/// assert!(!coo.levels[0].unique() && coo.levels[2].unique());
/// ```
pub fn coo(rank: usize) -> Format {
    let mut levels = vec![s()];
    levels.extend((1..rank).map(|_| Level::new(&SINGLETON)));
    levels.truncate(rank);
    for level in levels.iter_mut().rev().skip(1) {
        *level = level.without(Props::UNIQUE);
    }
    Format::new(levels)
}
/// Compressed sparse rows.
pub fn csr() -> Format {
    Format::new(vec![d(), s()])
}
/// Compressed sparse columns.
pub fn csc() -> Format {
    csr().with_modes(vec![1, 0])
}
/// Compressed rows of compressed columns: empty rows take no space.
pub fn dcsr() -> Format {
    Format::new(vec![s(), s()])
}
/// Compressed columns of compressed rows: empty columns take no space.
pub fn dcsc() -> Format {
    dcsr().with_modes(vec![1, 0])
}
/// Compressed sparse fibres: every level compressed, modes in order.
pub fn csf(rank: usize) -> Format {
    Format::new(vec![s(); rank])
}

/// A preset's name, the ranks it exists for, and how to make it.
pub struct Preset {
    /// Name in format text.
    pub name: &'static str,
    /// The one rank it exists for; `None` for any.
    pub rank: Option<usize>,
    /// What it is, for help texts.
    pub about: &'static str,
    /// The composition, for a rank it exists for.
    pub make: fn(usize) -> Format,
}

/// Every preset; earlier names win when a format is printed.
pub static PRESETS: &[Preset] = &[
    Preset { name: "dense", rank: None, about: "every coordinate stored", make: dense },
    Preset { name: "sv", rank: Some(1), about: "sparse vector", make: |_| sparse_vector() },
    Preset { name: "csr", rank: Some(2), about: "compressed sparse rows", make: |_| csr() },
    Preset { name: "csc", rank: Some(2), about: "compressed sparse columns", make: |_| csc() },
    Preset { name: "dcsr", rank: Some(2), about: "CSR without empty rows", make: |_| dcsr() },
    Preset { name: "dcsc", rank: Some(2), about: "CSC without empty columns", make: |_| dcsc() },
    Preset { name: "csf", rank: None, about: "compressed sparse fibres", make: csf },
    Preset { name: "coo", rank: None, about: "sorted coordinates, one array per mode", make: coo },
];
