//! The way from the root of a tensor to its values: levels one below the other, stored coordinates turned back into
//! modes, and slots recognised whose coordinates contradict each other.
//!
//! A level that has a slot for every coordinate of an interval has slots that belong to no element of a remapped
//! tensor: of `(i,j) -> (i/2, i, j)`, those where `i/2` is not the `i/2` above. Such a slot is noticed at the first
//! level at which all modes of a coordinate are known, and no walk goes below it.

use crate::levels::{IndexArray, LevelStorage, Site, View, linear, storage};
use crate::tensor::LevelArrays;
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_format::remap::{Coord, Linear, Remap, Term};
use openwork_format::{Coords, Format, Needs};
use std::ops::ControlFlow;

/// One level of a walk.
pub(crate) struct WalkStep<'a> {
    pub(crate) storage: &'static dyn LevelStorage,
    pub(crate) view: View<'a>,
    pub(crate) rules: Rules<'a>,
    /// The coordinates by position, where the level has them so.
    pub(crate) crd: Option<IndexArray<'a>>,
    sequential: bool,
    shares: bool,
    /// Positions of the last level that nobody asks for, whatever their coordinates.
    pub(crate) skips: Option<&'a dyn Fn(usize) -> bool>,
}

/// What the stored coordinates down to a level tell that those above it do not.
#[derive(Default)]
pub(crate) struct Rules<'a> {
    /// The mode that the level stores as it is, when it was not known before.
    plain: Option<usize>,
    /// Other modes that are known now, with their sizes.
    solved: Vec<(usize, Linear, usize)>,
    /// Stored coordinates that can be compared with what the remapping says.
    compared: Vec<(usize, &'a Coord)>,
}

impl<'a> Rules<'a> {
    /// Whether every coordinate agrees with those above.
    pub(crate) fn is_plain(&self) -> bool {
        self.solved.is_empty() && self.compared.is_empty()
    }
    /// Those of every level.
    fn collect(format: &'a Format, shape: &[usize]) -> Vec<Rules<'a>> {
        let Some(remap) = &format.remap else {
            return format.modes.iter().map(|&m| Rules { plain: Some(m), ..Rules::default() }).collect();
        };
        let mut all: Vec<Rules> = (0..remap.depth()).map(|_| Rules::default()).collect();
        let known: Vec<(usize, Linear)> = (0..remap.rank()).map(|m| source(remap, m)).collect();
        for (m, (k, form)) in known.iter().enumerate() {
            if *form == Linear::coord(*k) {
                all[*k].plain = Some(m);
            } else {
                all[*k].solved.push((m, form.clone(), shape[m]));
            }
        }
        for (k, coord) in remap.coords.iter().enumerate() {
            let modes = coord.inline_locals().modes();
            let at = modes.iter().map(|&m| known[m].0).fold(k, usize::max);
            let source = modes.iter().any(|&m| known[m] == (k, Linear::coord(k)) && coord.plain() == Some(m));
            let computed = format.levels[k].spec.needs == Needs::Formula;
            if coord.counters().is_empty() && !source && !computed {
                all[at].compared.push((k, coord));
            }
        }
        all
    }
}

/// The first level at which a mode is known, and how.
fn source(remap: &Remap, mode: usize) -> (usize, Linear) {
    let at = |k: usize| remap.recover(mode, k + 1).map(|form| (k, form));
    // Formats whose modes cannot all be recovered have no storage.
    (0..remap.depth()).find_map(at).unwrap_or((0, Linear::default()))
}

/// Where a walk is.
pub(crate) struct WalkPlace {
    /// The stored coordinates so far.
    pub(crate) path: Vec<i64>,
    /// The modes known so far; others hold what they were before.
    pub(crate) modes: Vec<usize>,
    locals: Vec<i64>,
    decoded: Vec<Vec<Option<i64>>>,
}

impl WalkPlace {
    pub(crate) fn new(format: &Format) -> WalkPlace {
        let (depth, rank) = (format.depth(), format.rank());
        let decoded = vec![Vec::new(); depth];
        WalkPlace { path: vec![0; depth], modes: vec![0; rank], locals: Vec::new(), decoded }
    }
}

impl WalkStep<'_> {
    /// Whether coordinates are had for a parent at a time, or a position has several.
    pub(crate) fn is_decoded(&self) -> bool {
        self.sequential || self.shares
    }
    /// Puts coordinate `c` of this level on the path. Returns whether it agrees with those above.
    #[inline]
    pub(crate) fn enter(&self, place: &mut WalkPlace, c: i64) -> bool {
        place.path[self.view.site.number] = c;
        if let Some(mode) = self.rules.plain {
            place.modes[mode] = c as usize;
        }
        self.rules.is_plain() || self.agrees(place)
    }
    fn agrees(&self, place: &mut WalkPlace) -> bool {
        for (mode, form, size) in &self.rules.solved {
            match linear(form, &place.path).and_then(|c| usize::try_from(c).ok()).filter(|c| c < size) {
                Some(c) => place.modes[*mode] = c,
                None => return false,
            }
        }
        let WalkPlace { path, modes, locals, .. } = place;
        self.rules.compared.iter().all(|(k, coord)| value(coord, modes, locals) == path[*k])
    }
}

/// A stored coordinate that counts no elements, of an element with these modes.
pub(crate) fn value(coord: &Coord, modes: &[usize], locals: &mut Vec<i64>) -> i64 {
    fn go(t: &Term, modes: &[usize], locals: &[i64]) -> i64 {
        match t {
            Term::Const(c) => *c,
            Term::Mode(m) => modes[*m] as i64,
            Term::Local(n) => locals[*n],
            Term::Binary(op, a, b) => op.apply(go(a, modes, locals), go(b, modes, locals)),
            Term::Counter(_) => 0,
        }
    }
    locals.clear();
    for (_, term) in &coord.lets {
        let local = go(term, modes, locals);
        locals.push(local);
    }
    go(&coord.value, modes, locals)
}

/// The levels that have arrays, outermost first. What those with stored coordinates keep was checked: it contradicts nothing
/// above, and is not compared once more, which takes a microsecond for a code of the bits of coordinates.
///
/// # Errors
/// E0602 for a level that has no storage.
pub(crate) fn steps<'a>(
    format: &'a Format,
    shape: &[usize],
    levels: &'a [LevelArrays],
) -> Result<Vec<WalkStep<'a>>> {
    let mut steps = unchecked_steps(format, shape, levels)?;
    for (step, level) in steps.iter_mut().zip(&format.levels) {
        if level.spec.coords == Coords::Stored {
            step.rules.compared.clear();
        }
    }
    Ok(steps)
}

/// As [`steps`], of levels that may keep coordinates that contradict those above.
///
/// # Errors
/// As [`steps`].
pub(crate) fn unchecked_steps<'a>(
    format: &'a Format,
    shape: &[usize],
    levels: &'a [LevelArrays],
) -> Result<Vec<WalkStep<'a>>> {
    let mut rules = Rules::collect(format, shape).into_iter();
    (0..levels.len())
        .map(|k| {
            let storage = storage(format.levels[k])?;
            let view = View::new(Site::new(format, shape, k)?, levels);
            Ok(WalkStep {
                storage,
                crd: storage.stored_coordinates(&view),
                view,
                rules: rules.next().unwrap_or_default(),
                sequential: storage.sequential(),
                shares: format.levels[k].shares_positions()
                    || crate::levels::built_in(format.levels[k]).is_none(),
                skips: None,
            })
        })
        .collect()
}

/// Calls `visit` at every element of the last step, in storage order, with the position there.
pub(crate) fn descend<B>(
    steps: &[WalkStep],
    parent: usize,
    place: &mut WalkPlace,
    visit: &mut impl FnMut(&WalkPlace, usize) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let Some((step, rest)) = steps.split_first() else {
        return visit(place, parent);
    };
    if step.is_decoded() {
        return descend_decoded(step, rest, parent, place, visit);
    }
    let k = step.view.site.number;
    let children = step.storage.children(&step.view, parent, &place.path[..k]);
    if let Some(crd) = step.crd {
        for p in children {
            tick();
            if step.enter(place, crd.get(p)) {
                descend(rest, p, place, visit)?;
            }
        }
        return ControlFlow::Continue(());
    }
    for p in children {
        tick();
        if let Some(c) = step.storage.coord(&step.view, parent, p, &place.path[..k])
            && step.enter(place, c)
        {
            descend(rest, p, place, visit)?;
        }
    }
    ControlFlow::Continue(())
}

/// As [`descend`], for levels that decode a parent at a time, or whose positions have several coordinates.
fn descend_decoded<B>(
    step: &WalkStep,
    rest: &[WalkStep],
    parent: usize,
    place: &mut WalkPlace,
    visit: &mut impl FnMut(&WalkPlace, usize) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let k = step.view.site.number;
    let mut coords = std::mem::take(&mut place.decoded[k]);
    coords.clear();
    step.storage.decode(&step.view, parent, &place.path[..k], &mut coords);
    let children = step.storage.children(&step.view, parent, &place.path[..k]);
    for (p, first) in children.zip(&coords) {
        tick();
        let Some(first) = *first else { continue };
        if step.skips.is_some_and(|skips| skips(p)) {
            continue;
        }
        for c in first..step.storage.end(&step.view, p, first) {
            tick();
            if step.enter(place, c) {
                descend(rest, p, place, visit)?;
            }
        }
    }
    place.decoded[k] = coords;
    ControlFlow::Continue(())
}

/// Which of the `count` positions of the levels so far are elements.
///
/// # Errors
/// E0602 for a level that has no storage.
pub(crate) fn live(
    format: &Format,
    shape: &[usize],
    levels: &[LevelArrays],
    count: usize,
) -> Result<Vec<bool>> {
    let mut live = vec![false; count];
    let steps = steps(format, shape, levels)?;
    let _ = descend(&steps, 0, &mut WalkPlace::new(format), &mut |_, p| {
        live[p] = true;
        ControlFlow::<()>::Continue(())
    });
    Ok(live)
}

/// The modes of an element with these stored coordinates.
pub(crate) fn modes(format: &Format, stored: &[i64]) -> Vec<i64> {
    match &format.remap {
        None => (0..format.rank()).map(|m| stored[format.level_of_mode(m)]).collect(),
        Some(remap) => (0..remap.rank())
            .map(|m| {
                let (_, form) = source(remap, m);
                linear(&form, stored).unwrap_or(0)
            })
            .collect(),
    }
}
