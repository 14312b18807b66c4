//! The check that arrays are a tensor.

mod order;
pub(crate) mod rows;

use crate::buffer::Buffer;
use crate::error::invalid;
use crate::levels::{Parents, Site, View, built_in, gaps, storage};
use crate::path::{self, WalkPlace, descend};
use crate::tensor::{LevelArrays, Tensor};
use crate::walk;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::{look, stoppable, tick};
use openwork_format::{ArrayDecl, ArrayRole, Coords, Format, Props, Width};
use std::ops::ControlFlow;

/// As many modes as the shape has, one level per stored coordinate with as many arrays as its spec declares, and modes
/// that can be told from stored coordinates.
pub(crate) fn ranks(shape: &[usize], format: &Format, levels: &[LevelArrays]) -> Result<()> {
    let (rank, depth) = (shape.len(), format.depth());
    if format.rank() != rank || levels.len() != depth {
        let found = levels.len();
        return Err(invalid(format!(
            "the shape has {rank} modes, the format {} modes and {depth} levels, and there are arrays for {found} levels",
            format.rank(),
        )));
    }
    check_places(shape, format)?;
    for (k, (level, arrays)) in format.levels.iter().zip(levels).enumerate() {
        let (found, wanted) = (arrays.arrays.len(), level.spec.arrays.len());
        if found != wanted {
            return Err(invalid(format!(
                "level {k} is {level} and has {wanted} arrays, but {found} are given"
            )));
        }
    }
    Ok(())
}

/// Every level has storage and can be where it is, and no mode is lost.
pub(crate) fn check_places(shape: &[usize], format: &Format) -> Result<()> {
    match &format.remap {
        None => {
            let mut modes = format.modes.clone();
            modes.sort_unstable();
            if !modes.into_iter().eq(0..format.depth()) {
                return Err(invalid(format!("the mode order {:?} is not a permutation", format.modes)));
            }
        }
        Some(remap) => {
            if remap.depth() != format.depth() {
                let (coords, levels) = (remap.depth(), format.depth());
                return Err(invalid(format!("{levels} levels for {coords} stored coordinates")));
            }
            if let Some(&lost) = remap.lost_modes().first() {
                let name = &remap.names[lost];
                return Err(invalid(format!("the stored coordinates do not determine `{name}`")));
            }
            if let Some(twice) = remap.repeated_mode() {
                return Err(invalid(format!("`{}` is stored by two coordinates", remap.names[twice])));
            }
        }
    }
    (0..format.depth()).try_for_each(|k| Site::new(format, shape, k).map(|_| ()))
}

/// The format with its open widths taken from the arrays; every array must then have the dtype of its role.
pub(crate) fn widths(format: &Format, levels: &[LevelArrays]) -> Result<Format> {
    let mut format = format.clone();
    let declared: Vec<&[ArrayDecl]> = format.levels.iter().map(|l| l.spec.arrays).collect();
    for (k, (decls, found)) in declared.into_iter().zip(levels).enumerate() {
        for (decl, array) in decls.iter().zip(&found.arrays) {
            let found = array.dtype();
            let slot = match decl.role {
                ArrayRole::Pos => &mut format.pos,
                ArrayRole::Crd => &mut format.crd,
                ArrayRole::Size(_)
                | ArrayRole::Mask
                | ArrayRole::Words
                | ArrayRole::Bytes
                | ArrayRole::ShortCrd => {
                    let wanted = format.array_dtype(decl.role);
                    if found != wanted {
                        let name = decl.name;
                        return Err(invalid(format!(
                            "level {k}: `{name}` is {found}, but it must be {wanted}"
                        )));
                    }
                    if let ArrayRole::Size(count) = decl.role
                        && array.len() != count
                    {
                        let (name, len) = (decl.name, array.len());
                        return Err(invalid(format!(
                            "level {k}: `{name}` has {len} elements instead of {count}"
                        )));
                    }
                    continue;
                }
            };
            let Some(width) = Width::by_name(found.name()) else {
                return Err(invalid(format!(
                    "level {k}: `{}` is {found}, but index arrays are u8, u16, u32, i32 or i64",
                    decl.name
                )));
            };
            let wanted = *slot.get_or_insert(width);
            if wanted != width {
                return Err(invalid(format!(
                    "level {k}: `{}` is {found}, but the format's width is {}",
                    decl.name,
                    wanted.dtype()
                )));
            }
        }
    }
    Ok(format)
}

/// Everything else that [`Tensor::new_checked`] promises.
pub(crate) fn tensor(t: &Tensor) -> Result<()> {
    stoppable(|| check_tensor(t))
}

/// Kernels rely on what a declaration says of the first array, whoever checks the level; `positions` are those it has.
fn check_rising(view: &View, positions: usize) -> Result<()> {
    let pos = view.index(0);
    let all = (0..pos.len()).map(|p| pos.get(p));
    let ends = !pos.is_empty() && pos.get(0) >= 0 && pos.get(pos.len() - 1) <= positions as i64;
    if ends && all.is_sorted() {
        return Ok(());
    }
    let (level, name) = (view.level(), view.level().spec.arrays[0].name);
    Err(invalid(format!("`{name}` of the level {level} falls, or says more than its {positions} positions")))
}

fn check_tensor(t: &Tensor) -> Result<()> {
    let mut parents = 1;
    for k in 0..t.format().depth() {
        look();
        let view = View::new(Site::new(t.format(), t.shape(), k)?, t.levels());
        let above = &t.levels()[..k];
        // Levels are checked from the outermost in, so those above can be walked.
        let live = gaps(t.format(), k).then(|| path::live(t.format(), t.shape(), above, parents));
        let live = live.transpose()?;
        let parents_of = Parents { count: parents, live: live.as_deref() };
        let level = view.level();
        parents = storage(level)?.check(&view, parents_of)?;
        if level.spec.rising && built_in(level).is_none() {
            check_rising(&view, parents)?;
        }
        contradictions(t, k)?;
    }
    if t.vals().len() != parents {
        return Err(invalid(format!(
            "the last level has {parents} positions, but there are {} values",
            t.vals().len()
        )));
    }
    bools(t.vals())?;
    (0..t.format().depth()).try_for_each(|k| order::level(t, k))?;
    check_repeats(t)?;
    crate::symmetric::check(t)?;
    zeroless(t)
}

/// Bools are 0 or 1.
///
/// # Errors
/// E0601 at the first that is not.
pub(crate) fn bools(vals: &Buffer) -> Result<()> {
    let bytes = if vals.dtype() == DType::Bool { vals.as_bytes() } else { &[] };
    match bytes.iter().position(|&b| b > 1) {
        Some(p) => Err(invalid(format!("value {p} is the byte {}, but a bool is 0 or 1", bytes[p]))),
        None => Ok(()),
    }
}

/// A level that keeps its coordinates in arrays keeps none that contradicts those above.
fn contradictions(t: &Tensor, k: usize) -> Result<()> {
    if t.format().remap.is_none() || t.format().levels[k].spec.coords != Coords::Stored {
        return Ok(());
    }
    let above = path::steps(t.format(), t.shape(), &t.levels()[..k])?;
    let Some(step) = path::unchecked_steps(t.format(), t.shape(), &t.levels()[..=k])?.pop() else {
        return Ok(());
    };
    if step.rules.is_plain() {
        return Ok(());
    }
    let mut scratch = WalkPlace::new(t.format());
    let mut decoded = Vec::new();
    let found = descend(&above, 0, &mut WalkPlace::new(t.format()), &mut |place, parent| {
        let path = &place.path[..k];
        scratch.path[..k].copy_from_slice(path);
        scratch.modes.copy_from_slice(&place.modes);
        decoded.clear();
        step.storage.decode(&step.view, parent, path, &mut decoded);
        for (p, c) in step.storage.children(&step.view, parent, path).zip(&decoded) {
            if let Some(c) = *c
                && !step.enter(&mut scratch, c)
            {
                return ControlFlow::Break((p, scratch.path[..=k].to_vec()));
            }
        }
        ControlFlow::Continue(())
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break((p, path)) => Err(invalid(format!(
            "level {k}: no element has the stored coordinates {path:?} of position {p}, whatever those below"
        ))),
    }
}

/// Where elements are numbered, the levels cannot tell whether one is there under two numbers.
fn check_repeats(t: &Tensor) -> Result<()> {
    if !t.format().remap.as_ref().is_some_and(|r| r.counts()) {
        return Ok(());
    }
    let rank = t.rank();
    let mut all: Vec<usize> = Vec::new();
    let mut n = 0usize;
    walk::positions(t, |coords, _| {
        all.extend_from_slice(coords);
        n += 1;
    });
    let at = |e: usize| &all[e * rank..(e + 1) * rank];
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| {
        tick();
        at(a).cmp(at(b))
    });
    match order.windows(2).find(|w| at(w[0]) == at(w[1])) {
        None => Ok(()),
        Some(w) => Err(invalid(format!("the element at {:?} is stored twice", at(w[0])))),
    }
}

/// A zeroless last level has no element that is the fill value; slots that are no elements hold it by design.
fn zeroless(t: &Tensor) -> Result<()> {
    let zeroless = t.format().levels.last().is_some_and(|l| l.props.has(Props::ZEROLESS));
    if !zeroless || t.format().has_padding() {
        return Ok(());
    }
    let mut fault = None;
    walk::positions(t, |_, p| {
        if fault.is_none() && t.vals().get(p).is_same(t.fill()) {
            fault = Some(p);
        }
    });
    match fault {
        None => Ok(()),
        Some(p) => {
            Err(invalid(format!("the last level is declared zeroless, but value {p} is the fill value")))
        }
    }
}
