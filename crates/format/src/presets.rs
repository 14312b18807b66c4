//! Named formats: each a composition of levels and nothing else.

use crate::format::Format;
use crate::level::{Level, Props};
use crate::remap::{Coord, CoordOp, Remap, Term};
use crate::specs::{BITMAP, COMPRESSED, DENSE, SINGLETON};
use crate::text::Catalog;
use openwork_base::Source;
use std::sync::LazyLock;

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
/// A vector with a slot for every coordinate, and a bit that says whether it is taken.
pub fn bit_vector() -> Format {
    Format::new(vec![Level::new(&BITMAP)])
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
        *level = level.without_props(Props::UNIQUE);
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

/// The names `i, j, k, …` of `rank` modes, and of their coordinates after `before`, then `levels`.
fn compose(rank: usize, before: &[String], levels: &[&str]) -> Format {
    let names: Vec<String> = (0..rank).map(mode_name).collect();
    let coords: Vec<String> = before.iter().chain(&names).cloned().collect();
    composition(&format!("({}) -> ({}) : {}", names.join(","), coords.join(","), levels.join(", ")))
}
fn mode_name(m: usize) -> String {
    ["i", "j", "k", "l"].get(m).map_or_else(|| format!("i{m}"), |n| n.to_string())
}
fn composition(text: &str) -> Format {
    #[cfg(test)]
    tests::READ.set(tests::READ.get() + 1);
    let read = Catalog::default().composition(&Source::new("preset", text));
    read.unwrap_or_else(|e| panic!("a preset is a composition: {text}: {e}"))
}
/// Dense levels above the last one.
fn dense_above(rank: usize, last: &str) -> Format {
    let mut levels = vec!["dense"; rank];
    if let Some(level) = levels.last_mut() {
        *level = last;
    }
    compose(rank, &[], &levels)
}
/// `first` and singletons below it; every level but the last may repeat coordinates.
fn coordinate_list(rank: usize, first: &str, next: &str) -> Format {
    let mut levels: Vec<String> = vec![first.into()];
    levels.extend((1..rank).map(|_| next.to_string()));
    levels.truncate(rank);
    let n = levels.len();
    for level in levels.iter_mut().take(n.saturating_sub(1)) {
        *level += "(nonunique)";
    }
    let levels: Vec<&str> = levels.iter().map(String::as_str).collect();
    compose(rank, &[], &levels)
}

/// Runs of equal values along the last mode.
pub fn rle(rank: usize) -> Format {
    dense_above(rank, "runs")
}

/// Blocks of `m x n` in compressed rows of blocks, padded at the edges.
///
/// # Panics
/// When a size is zero, which format text refuses (`E0305`).
pub fn bcsr(m: u64, n: u64) -> Format {
    composition(&format!(
        "(i,j) -> (i/{m}, j/{n}, i%{m}, j%{n}, i, j) : dense, compressed, dense, dense, block, block"
    ))
}
/// Blocks of `m x n` in compressed columns of blocks, padded at the edges.
///
/// # Panics
/// When a size is zero, which format text refuses (`E0305`).
pub fn bcsc(m: u64, n: u64) -> Format {
    composition(&format!(
        "(i,j) -> (j/{n}, i/{m}, i%{m}, j%{n}, i, j) : dense, compressed, dense, dense, block, block"
    ))
}
/// Rows padded to the longest, stored one slot of all rows after the other.
pub fn ell() -> Format {
    composition("(i,j) -> (#i, i, j) : sliced, dense, singleton(padded)")
}
/// Jagged diagonals: the first element of every row, then the second of every row that has one, and so on.
pub fn jad() -> Format {
    composition("(i,j) -> (#i, i, j) : sliced, compressed, singleton")
}
/// One band around the diagonal.
pub fn band_format() -> Format {
    dense_above(2, "banded")
}
/// Non-empty diagonals, each from end to end.
pub fn dia() -> Format {
    composition("(i,j) -> (j-i, i, j) : squeezed, range, offset")
}
/// Slices of `c` rows, each padded to its longest row.
///
/// # Panics
/// When a size is zero, which format text refuses (`E0305`).
pub fn sell(c: u64) -> Format {
    composition(&format!(
        "(i,j) -> (i/{c}, #i, i%{c}, i, j) : dense, ragged, dense, block, singleton(padded)"
    ))
}
/// A grid of `b x b` blocks, the elements of each as coordinates inside it (compressed sparse blocks).
///
/// # Panics
/// When a size is zero, which format text refuses (`E0305`).
pub fn csb(b: u64) -> Format {
    composition(&format!(
        "(i,j) -> (i/{b}, j/{b}, i%{b}, j%{b}, i, j) : \
         dense, dense, compressed(nonunique), singleton, block, block"
    ))
}
/// Blocks of `b` in every mode in Morton order, elements inside them in Morton order (HiCOO).
///
/// # Panics
/// When a size is zero, which format text refuses (`E0305`).
pub fn hicoo(rank: usize, b: u64) -> Format {
    if rank == 0 {
        // A scalar has no coordinates, and so no codes of them.
        return dense(0);
    }
    let names: Vec<String> = (0..rank).map(mode_name).collect();
    let blocks: Vec<String> = names.iter().map(|n| format!("{n}/{b}")).collect();
    let inside: Vec<String> = names.iter().map(|n| format!("{n}%{b}")).collect();
    let mut coords = vec![morton(&blocks, u64::BITS)];
    coords.extend(blocks);
    coords.push(morton(&inside, u64::BITS - b.saturating_sub(1).leading_zeros()));
    coords.extend(inside);
    // Codes of very large tensors lose their highest bits, so only the coordinates themselves tell blocks apart.
    let mut list = vec!["compressed(nonunique)"];
    list.extend(vec!["singleton(nonunique)"; rank.saturating_sub(1)]);
    list.push("singleton");
    let mut levels = [list.clone(), list].concat();
    levels.extend(vec!["block"; rank]);
    compose(rank, &coords, &levels)
}
/// The most bits of a code: coordinates are numbers of 64 bits with a sign.
const CODE: usize = 62;

/// The bits of several coordinates in turn, as a remapping: the lowest bits of all, the last coordinate's first, then
/// the next, as far as the code reaches. What it does not reach is told apart by the coordinates themselves.
fn morton(coords: &[String], bits: u32) -> String {
    let local = |n: usize| format!("r{n}");
    let lets: String = coords.iter().enumerate().map(|(n, c)| format!("{}={c} in ", local(n))).collect();
    let mut parts = Vec::new();
    let rounds = (CODE / coords.len()).clamp(1, bits.max(1) as usize);
    for bit in 0..rounds {
        for n in coords.len().saturating_sub(CODE)..coords.len() {
            let shift = bit * (coords.len() - 1) + (coords.len() - 1 - n);
            parts.push(format!("(({}&{})<<{shift})", local(n), 1u64 << bit));
        }
    }
    lets + &parts.join("|")
}

/// A preset's name, the ranks it exists for, and how to make it.
pub struct Preset {
    /// Name in format text.
    pub name: &'static str,
    /// The one rank it exists for; `None` for any.
    pub rank: Option<usize>,
    /// What each of its arguments is when none are given.
    pub defaults: &'static [u64],
    /// What it is, for help texts.
    pub about: &'static str,
    /// The composition, for a rank it exists for and as many positive arguments as it has defaults.
    pub make: fn(usize, &[u64]) -> Format,
}

impl Preset {
    /// The preset for tensors of `rank` modes with its default arguments, if it exists for that rank.
    pub fn format_of_rank(&self, rank: usize) -> Option<Format> {
        self.rank.is_none_or(|r| r == rank).then(|| (self.make)(rank, self.defaults))
    }
}

macro_rules! preset {
    ($name:literal, $rank:expr, $about:literal, $make:expr) => {
        Preset { name: $name, rank: $rank, defaults: &[], about: $about, make: $make }
    };
    ($name:literal, $rank:expr, $defaults:expr, $about:literal, $make:expr) => {
        Preset { name: $name, rank: $rank, defaults: &$defaults, about: $about, make: $make }
    };
}

/// Every preset; earlier names win when a format is printed.
pub static PRESETS: &[Preset] = &[
    preset!("dense", None, "every coordinate stored", |r, _| dense(r)),
    preset!("sv", Some(1), "sparse vector", |_, _| sparse_vector()),
    preset!("csr", Some(2), "compressed sparse rows", |_, _| csr()),
    preset!("csc", Some(2), "compressed sparse columns", |_, _| csc()),
    preset!("dcsr", Some(2), "CSR without empty rows", |_, _| dcsr()),
    preset!("dcsc", Some(2), "CSC without empty columns", |_, _| dcsc()),
    preset!("csr", Some(3), "rows of (column, tube) coordinates", |_, _| {
        composition("(i,j,k) -> (i,j,k) : dense, compressed(nonunique), singleton")
    }),
    preset!("csf", None, "compressed sparse fibres", |r, _| csf(r)),
    preset!("coo", None, "sorted coordinates, one array per mode", |r, _| coo(r)),
    preset!("coo_aos", None, "sorted coordinates, one array of tuples", |r, _| {
        coordinate_list(r, "compressed_aos", "singleton_aos")
    }),
    preset!("hash", None, "a hash table per fibre", |r, _| dense_above(r, "hashed")),
    preset!("dok", None, "one hash table of coordinates", |r, _| coordinate_list(r, "hashed", "singleton")),
    preset!("bytemap", None, "dense values and a byte per value", |r, _| dense_above(r, "masked")),
    preset!("bitmap", None, "dense values and a bit per value", |r, _| dense_above(r, "bitmap")),
    preset!("ragged", None, "the front of every fibre", |r, _| dense_above(r, "ragged")),
    preset!("lil", None, "a list with room to grow per fibre", |r, _| dense_above(r, "list")),
    preset!("rle", None, "runs of equal values", |r, _| rle(r)),
    preset!("ell", Some(2), "rows padded to one length", |_, _| ell()),
    preset!("jad", Some(2), "jagged diagonals", |_, _| jad()),
    preset!("dia", Some(2), "diagonals", |_, _| dia()),
    preset!("banded", Some(2), "one band around the diagonal", |_, _| band_format()),
    preset!("sky", Some(2), "one interval per row (skyline)", |_, _| dense_above(2, "skyline")),
    preset!("lower", Some(2), "a lower triangle, packed", |_, _| dense_above(2, "lower")),
    preset!("upper", Some(2), "an upper triangle, packed", |_, _| dense_above(2, "upper")),
    preset!("sym", Some(2), "rows of the lower triangle of a symmetric matrix", |_, _| csr().for_symmetric()),
    preset!("bcsr", Some(2), [4, 4], "blocks in compressed rows", |_, a| bcsr(a[0], a[1])),
    preset!("bcsc", Some(2), [4, 4], "blocks in compressed columns", |_, a| bcsc(a[0], a[1])),
    preset!("sell", Some(2), [8], "slices of rows padded to one length", |_, a| sell(a[0])),
    preset!("csb", Some(2), [1024], "a grid of blocks of coordinates", |_, a| csb(a[0])),
    preset!("hicoo", None, [128], "blocks of coordinates in Morton order", |r, a| hicoo(r, a[0])),
    preset!("modegeneric", Some(3), "coordinates of dense fibres", |_, _| {
        composition("(i,j,k) -> (i,j,k) : compressed(nonunique), singleton, dense")
    }),
];

/// Ranks whose presets are made once: formats are compared with them wherever one is printed.
const USUAL: usize = 8;

/// What every preset without arguments makes at a usual rank.
static MADE: LazyLock<[Vec<Option<Format>>; USUAL]> = LazyLock::new(|| {
    std::array::from_fn(|rank| {
        let plain = |p: &Preset| p.defaults.is_empty().then(|| p.format_of_rank(rank)).flatten();
        PRESETS.iter().map(plain).collect()
    })
});

/// The preset that makes `format`, with its arguments.
pub(crate) fn recognise(format: &Format) -> Option<(&'static Preset, Vec<u64>)> {
    let rank = format.rank();
    fn coords(f: &Format) -> Option<&Vec<Coord>> {
        f.remap.as_ref().map(|r| &r.coords)
    }
    let fits = |made: &Format| {
        made.symmetric == format.symmetric
            && made.levels == format.levels
            && made.modes == format.modes
            && coords(made) == coords(format)
    };
    PRESETS.iter().enumerate().filter(|(_, p)| p.rank.is_none_or(|r| r == rank)).find_map(|(n, p)| {
        let found = match MADE.get(rank).and_then(|all| all[n].as_ref()) {
            Some(made) => fits(made).then(Vec::new),
            None => arguments(format, p).filter(|args| fits(&(p.make)(rank, args))),
        };
        found.map(|args| (p, args))
    })
}

/// The arguments that a preset would need to make a format: the divisors of its remapping by mode.
fn arguments(format: &Format, p: &Preset) -> Option<Vec<u64>> {
    if p.defaults.is_empty() {
        return Some(Vec::new());
    }
    let remap: &Remap = format.remap.as_deref()?;
    let divisor = |mode: usize| {
        remap.coords.iter().find_map(|c| match c.inline_locals() {
            Term::Binary(CoordOp::Div, a, b) => match (*a, *b) {
                (Term::Mode(m), Term::Const(c)) if m == mode => u64::try_from(c).ok(),
                _ => None,
            },
            _ => None,
        })
    };
    (0..p.defaults.len()).map(divisor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// How many compositions this thread has read.
        pub(super) static READ: Cell<usize> = const { Cell::new(0) };
    }

    /// Planning prints formats by the thousand.
    #[test]
    fn formats_are_printed_without_reading_presets() {
        let plain: Vec<Format> =
            (1..USUAL).flat_map(|r| PRESETS.iter().filter_map(move |p| p.format_of_rank(r))).collect();
        let texts: Vec<String> = plain.iter().map(Format::to_string).collect();
        READ.set(0);
        for (format, text) in plain.iter().zip(&texts).filter(|(f, _)| f.remap.is_none()) {
            assert_eq!((&format.to_string(), READ.get()), (text, 0));
        }
        // Only those of its own shape, for a composition with numbers.
        let _ = bcsr(2, 3).to_string();
        READ.set(0);
        assert_eq!(bcsr(2, 3).to_string(), "bcsr(2,3)");
        assert!(READ.get() < 8, "{}", READ.get());
    }

    /// Every preset for every rank with every number of arguments is a format that reads back, or refused with a code.
    #[test]
    fn every_preset_at_every_rank_is_a_format_or_refused() {
        let numbers =
            ["0", "1", "2", "3", "5", "128", "1099511627776", "1099511627777", "18446744073709551616", "-1"];
        let mut arguments: Vec<String> = ["", "()", "(,)", "(1", "(1,)", "(x)"].map(String::from).to_vec();
        for a in numbers {
            arguments.extend([
                format!("({a})"),
                format!("({a},2)"),
                format!("(2,{a})"),
                format!("({a},1,1)"),
            ]);
        }
        for rank in (0..=6).chain([20, 62, 70]) {
            for p in PRESETS {
                for given in &arguments {
                    let text = format!("{}{given}", p.name);
                    let read = |text: &str| Catalog::default().parse(&Source::new("-f A", text), rank);
                    match read(&text) {
                        Ok(format) => {
                            assert_eq!(format.rank(), rank, "{text}");
                            assert_eq!(
                                read(&format.to_string()).unwrap(),
                                format,
                                "{text} at rank {rank}: {format}"
                            );
                        }
                        Err(e) => assert!(e.code().0.starts_with("E03"), "{text} at rank {rank}: {e}"),
                    }
                }
                assert_eq!(
                    p.format_of_rank(rank).is_some(),
                    p.rank.is_none_or(|r| r == rank),
                    "{} at rank {rank}",
                    p.name
                );
            }
        }
    }
}
