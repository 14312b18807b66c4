//! The runs level: neighbouring coordinates with the same value share it. Run `r` ends before coordinate `crd[r]`, and
//! the runs of every parent cover all coordinates.

use super::segments::{check_end, check_pos};
use super::{Build, Entries, LevelStorage, PackedLevel, Parents, View};
use crate::error::invalid;
use openwork_base::Result;
use openwork_base::cancel::tick;
use std::ops::Range;

pub(super) struct RunsStorage;

impl LevelStorage for RunsStorage {
    fn name(&self) -> &'static str {
        "runs"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, pos, crd) = (view.number(), view.index(0), view.index(1));
        // Empty slots have runs as well, so that every parent covers all coordinates.
        let last = check_pos(view, pos, Parents { live: None, ..parents })?;
        check_end(view, last, "crd", crd.len())?;
        let end = view.site.bounds.range().end;
        for p in 0..parents.count {
            let mut before = view.low();
            for q in pos.entry_at(p)..pos.entry_at(p + 1) {
                let c = crd.get(q);
                if c <= before || c > end {
                    let message =
                        format!("level {k}: crd[{q}] is {c}, but a run that follows {before} ends in");
                    return Err(invalid(format!("{message} {}..={end}", before + 1)));
                }
                before = c;
            }
            if before != end {
                let message = format!("level {k}: the runs of parent {p} end at {before}, not at {end}");
                return Err(invalid(message));
            }
        }
        Ok(last)
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        let first = position == view.index(0).entry_at(parent);
        Some(if first { view.low() } else { view.index(1).get(position - 1) })
    }
    fn end(&self, view: &View, position: usize, _first: i64) -> i64 {
        view.index(1).get(position)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let children = self.children(view, parent, above);
        let past = super::segments::search(view.index(1), children, coord).end;
        Some(past..past + 1)
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let mut runs =
            Building { build, low: build.site.bounds.low, starts: vec![], ends: vec![], last: None };
        let end = build.site.bounds.range().end;
        // Lists that grow take up to twice what is in them.
        let bytes =
            |parents: usize, runs: usize| parents.saturating_add(runs).saturating_mul(2 * size_of::<i64>());
        // Every parent has a run at least.
        build.allow("runs", bytes(build.parents(), build.parents()))?;
        let mut table = vec![0; build.len()];
        let mut e = 0;
        for p in 0..build.parents() {
            tick();
            runs.begin();
            let mut next = runs.low;
            while e < build.len() && build.parent(e) == p {
                let c = build.coord(e);
                if c > next {
                    runs.extend(None, c);
                }
                runs.extend(Some(e), c + 1);
                table[e] = runs.ends.len() - 1;
                (next, e) = (c + 1, e + 1);
            }
            if next < end {
                runs.extend(None, end);
            }
            // A parent alone may have as many runs as there are coordinates, so the sum is watched as it grows.
            build.allow("runs", bytes(p, runs.ends.len()))?;
        }
        let (starts, ends) = (runs.starts, runs.ends);
        let pos = build.pos(build.parents() + 1, ends.len(), |write| {
            starts.iter().enumerate().for_each(|(p, &s)| write(p, s));
            write(starts.len(), ends.len());
        })?;
        let crd = build.crd(ends.len(), false, |write| {
            ends.iter().enumerate().for_each(|(r, &end)| write(r, end));
        })?;
        Ok(PackedLevel { arrays: vec![pos, crd], positions: ends.len(), entries: Entries::Table(table) })
    }
}

/// Runs as they grow.
struct Building<'a, 'b> {
    build: &'a Build<'b>,
    low: i64,
    /// The first run of every parent so far.
    starts: Vec<usize>,
    ends: Vec<i64>,
    /// The entry whose value the last run has, `None` for the fill value; none at the start of a parent.
    last: Option<Option<usize>>,
}

impl Building<'_, '_> {
    fn begin(&mut self) {
        self.starts.push(self.ends.len());
        self.last = None;
    }
    /// Goes on up to `end` with the value of an entry, or the fill value.
    fn extend(&mut self, value: Option<usize>, end: i64) {
        let same = self.last.is_some_and(|last| self.build.bits(last) == self.build.bits(value));
        match self.ends.last_mut().filter(|_| same) {
            Some(last) => *last = end,
            None => self.ends.push(end),
        }
        self.last = Some(value);
    }
}
