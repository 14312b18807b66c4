//! Formats that operands and results may be stored in instead of their own.

use openwork_format::specs::COMPRESSED;
use openwork_format::{Format, Level, Width, presets};
use openwork_index::check::Assignment;
use openwork_index::expr::fill_of;
use openwork_index::plan::is_huge;
pub(crate) use openwork_index::plan::{has_marks, in_order};

/// Formats that a result can be computed in, the closest first: sparse only where the value is.
pub(crate) fn intermediates(a: &Assignment, wanted: &Format) -> Vec<Format> {
    let rank = wanted.rank();
    let like = |f: Format| {
        let widths = Format { crd: wanted.crd, ..f };
        Format { fill: wanted.fill.clone(), ..with_roomy_widths(&widths) }
    };
    let mut out = Vec::new();
    // Runs cover every coordinate, most of them perhaps with the fill value.
    let mut tensors = a.tensors.clone();
    for (id, t) in a.tensors.iter().filter(|(_, t)| t.format.levels.iter().any(|l| l.shares_positions())) {
        tensors[id].format = presets::csf(t.format.rank());
    }
    let rest = fill_of(&a.rhs, &tensors);
    let same = || rest.is_some_and(|f| f.is_same(a.tensors[a.lhs.tensor].fill));
    if (fill_of(&a.rhs, &a.tensors).is_some() || same()) && rank > 0 {
        // Nobody has a position for every row of a huge matrix.
        let huge = a.lhs.vars.iter().any(|&v| a.indices[v].size.is_some_and(is_huge));
        if rank == 2 && huge {
            out.push(like(presets::dcsr()));
            out.push(like(presets::dcsc()));
        } else if rank == 2 {
            out.push(like(presets::csr()));
            out.push(like(presets::csc()));
        }
        out.push(like(presets::csf(rank)));
    }
    out.push(like(presets::dense(rank)));
    out
}

/// A format without what other messages say: its widths and fill.
pub fn plain_format(format: &Format) -> Format {
    Format { pos: None, crd: None, fill: None, ..format.clone() }
}

/// The same format with index arrays wide enough for any order of the modes: the caller chose narrow ones for his own.
pub(crate) fn with_roomy_widths(format: &Format) -> Format {
    let crd = match format.crd {
        Some(Width::I64 | Width::U32) => Width::I64,
        Some(Width::U8 | Width::U16 | Width::I32) | None => Width::I32,
    };
    format.clone().with_widths(Width::I64, crd)
}

/// Other formats for the same tensor, the closest first.
pub(crate) fn alternatives(format: &Format) -> Vec<Format> {
    let mut out = Vec::new();
    let format = &with_roomy_widths(format);
    let regular = compressed_format(format);
    if regular != *format {
        out.push(regular.clone());
    }
    for modes in permutations(format.rank()) {
        if modes != regular.modes {
            if in_order(format) && holds_any_order(format) {
                out.push(Format { modes: modes.clone(), ..format.clone() });
            }
            out.push(Format { modes, ..regular.clone() });
        }
    }
    out
}

/// Whether levels hold the coordinates of whatever mode they store: one of another crate may hold those of small modes alone,
/// which nobody knows before it has refused them.
fn holds_any_order(format: &Format) -> bool {
    format.levels.iter().all(|l| l.spec.any_coords)
}

/// The same tensor with every level that is not dense sorted, unique and compressed; without computed coordinates.
pub(crate) fn compressed_format(format: &Format) -> Format {
    if format.remap.is_some() || format.symmetric {
        let rank = format.rank();
        let plain = if rank == 2 { presets::csr() } else { presets::csf(rank) };
        return Format { fill: format.fill.clone(), ..with_roomy_widths(&plain) };
    }
    let level = |l: &Level| if l.is_dense() { *l } else { Level::new(&COMPRESSED) };
    let levels = format.levels.iter().map(level).collect();
    Format { levels, ..with_roomy_widths(format) }
}

/// The orders in which a dense tensor has another mode last than it has: what is last lies side by side.
pub(crate) fn turned_formats(format: &Format) -> Vec<Format> {
    let rank = format.rank();
    if !format.is_dense() || format.remap.is_some() || !(2..=3).contains(&rank) {
        return Vec::new();
    }
    let last = |n: usize| {
        let mut modes = format.modes.clone();
        let mode = modes.remove(n);
        modes.push(mode);
        Format { modes, ..format.clone() }
    };
    (0..rank - 1).map(last).collect()
}

/// All mode orders; tensors of more than five modes are left to the global order.
pub(crate) fn permutations(rank: usize) -> Vec<Vec<usize>> {
    if rank > 5 {
        return Vec::new();
    }
    let mut out = vec![Vec::new()];
    for _ in 0..rank {
        out = out
            .into_iter()
            .flat_map(|p: Vec<usize>| {
                (0..rank).filter(|m| !p.contains(m)).map(|m| [&p[..], &[m]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    out
}

/// The plain layouts of a tensor: rows, columns, and fibres in every order of up to three modes.
pub(crate) fn layouts(format: &Format, mostly_empty: bool) -> Vec<Format> {
    let like = |f: Format| {
        let widths = Format { crd: format.crd, ..f };
        Format { fill: format.fill.clone(), ..with_roomy_widths(&widths) }
    };
    let all: Vec<Format> = match format.rank() {
        1 => vec![presets::sparse_vector()],
        2 if mostly_empty => vec![presets::dcsr(), presets::dcsc()],
        2 => vec![presets::csr(), presets::csc()],
        3 => permutations(3).into_iter().map(|m| presets::csf(3).with_modes(m)).collect(),
        _ => Vec::new(),
    };
    let same = |f: &Format| f.levels == format.levels && f.modes == format.modes && format.remap.is_none();
    all.into_iter().filter(|f| !same(f)).map(like).collect()
}
