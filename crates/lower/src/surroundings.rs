//! What a level knows of where it stands in a tensor: coordinates that are interleaved with those of levels above, and what the
//! remapping says about its own.

use crate::statement::stays_inside;
use openwork_format::{Level, Needs};
use openwork_index::TensorVar;
use openwork_levels::{InsideDim, LevelIr, RemapGiven, Structs};
use openwork_loops::build::int;
use openwork_loops::{BufId, Expr};

/// Where the coordinates of level `k` lie among interleaved ones; `above` is the level right above.
pub(crate) fn interleaved_coords(
    levels: &[Level],
    k: usize,
    arrays: &[BufId],
    above: Option<&LevelIr>,
) -> Option<Structs> {
    let follows = |l: &&Level| l.spec.needs == Needs::Head;
    if levels[k].spec.interleaves {
        let more = levels[k + 1..].iter().take_while(follows).count();
        return Some(Structs { crd: arrays[1], stride: 1 + more as i64, offset: 0 });
    }
    let above = above?.structs.filter(|_| follows(&&levels[k]))?;
    Some(Structs { offset: above.offset + 1, ..above })
}

/// What the remapping of a lifted tensor says about level `k`; `width` is how many coordinates a level has.
pub(crate) fn remap_facts(t: &TensorVar, k: usize, width: &dyn Fn(usize) -> Expr) -> RemapGiven {
    let Some(remap) = &t.remap else { return RemapGiven::Nothing };
    let level = t.format.levels[k];
    if level.spec.needs == Needs::Band
        && let Some(band) = remap.band(k)
    {
        let with = remap.coords.iter().position(|c| c.plain() == Some(band.with));
        let (own, other, constant) = (band.own, band.other, band.constant);
        return RemapGiven::Band {
            level: band.stored,
            own,
            other,
            constant,
            width: with.map_or(int(0), width),
        };
    }
    if level.spec.needs == Needs::Formula
        && let Some(form) = remap.coords[k].plain().and_then(|m| remap.recover(m, k))
    {
        let inside =
            if stays_inside(t, remap, k, &form.terms) { InsideDim::Known } else { InsideDim::Unknown };
        return RemapGiven::Linear { terms: form.terms, constant: form.constant, inside };
    }
    RemapGiven::Nothing
}
