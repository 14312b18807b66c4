//! What a program will probably cost: the planner's yardstick.
//!
//! Operands are taken to be uniformly random with the number of values they declare, so that a level's expected number
//! of positions, and the chance that a coordinate is stored in it, follow from sizes alone. Loops cost what they walk,
//! assignments what they touch. The unit is about a nanosecond; only ratios matter.

use crate::derive::derive;
use crate::lattice::{Extent, Lattice};
use crate::mask::mask;
use crate::space::{Leaf, Space};
use crate::statement::var_of;
use openwork_format::Level;
use openwork_index::cin::Storage;
use openwork_index::{Access, Expr, IndexId, Kind, Program, Stmt, TensorId};
use std::collections::{BTreeMap, BTreeSet};

/// The size of a dimension that nothing is known of.
const SIZE: f64 = 20_000.0;
/// Values per coordinate of the longest mode, in a tensor that nothing is known of.
const STORED: f64 = 10.0;
/// The same of a vector, which would be full.
const OF_VECTOR: f64 = 0.02;

/// One element: inserted into a bitmap workspace and taken out, into a hash table and sorted out, converted.
const INSERT: f64 = 1.5;
const EXTRACT: f64 = 2.0;
/// Looking whether a bitmap workspace holds anything, and what each word of its uppermost bits adds.
const LOOK: f64 = 8.0;
const WORD: f64 = 0.7;
const BITS: f64 = (1 << 18) as f64;
const HASHED_INSERT: f64 = 12.0;
const HASHED_EXTRACT: f64 = 25.0;
/// One step of a merge of two lists, of more, and what it costs where the list that is ahead changes, which no branch
/// predictor foresees: twice per element of the shorter lists. Two lists of one length take 7 per element, a short one beside
/// a long one little more than the long one alone.
const MERGE_TWO: (f64, f64) = (1.5, 5.5);
const MERGE_MORE: (f64, f64) = (3.0, 9.0);
/// The same of a union of two lists, whose steps do not wait for each other.
const UNION_TWO: (f64, f64) = (1.5, 3.0);
/// One element that is added to what is kept beside a mask, and one of the mask, which gets a slot and loses it.
const MARKED_INSERT: f64 = 1.0;
const MARK: f64 = 2.0;
/// Bytes of slots that stay in a second-level cache, and what an element beyond costs more.
const CACHE: f64 = 1e6;
const MISS: f64 = 5.0;
/// Bytes of a page, and what the first touch of one costs per byte.
const PAGE: f64 = 4096.0;
const FAULT: f64 = 0.15;
/// Elements of a dense temporary per value that operands store, and how many it may have in any case.
const DENSE: f64 = 8.0;
const SMALL: f64 = 1e6;
/// One element of an array that is only cleared or copied.
pub const CLEAR: f64 = 0.3;

/// An estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Work, in units of about a nanosecond.
    pub work: f64,
    /// Bytes of the temporaries.
    pub memory: f64,
    /// Values that the result will have.
    pub stored: f64,
}

/// Estimates a program.
pub fn estimate(program: &Program) -> Cost {
    let mut e = Estimator::of(program);
    let work = e.stmt(&program.body, &Context { weights: BTreeMap::new(), times: 1.0, innermost: None });
    Cost { work, memory: e.memory, stored: e.stored }
}

/// How many values a variable takes, as declared or assumed.
pub fn size(program: &Program, v: IndexId) -> f64 {
    program.indices[v].size.map_or(SIZE, |n| n as f64)
}
/// How many coordinates an access has.
pub fn room(program: &Program, a: &Access) -> f64 {
    a.vars.iter().map(|&v| size(program, v)).product()
}

/// The values that a tensor stores, as declared or assumed.
pub fn stored(program: &Program, a: &Access) -> f64 {
    Estimator::of(program).stored(a)
}

/// Expected children of one position above a leaf.
pub fn children(program: &Program, l: &Leaf) -> f64 {
    Estimator::of(program).children(l)
}

/// Where an estimate stands.
#[derive(Clone)]
struct Context {
    /// The chance that an access is present, where it is not certain.
    weights: BTreeMap<Access, f64>,
    /// How often the statement runs in all.
    times: f64,
    /// The variable of the loop around the statement: what does not vary with it is read before.
    innermost: Option<IndexId>,
}

struct Estimator<'a> {
    program: &'a Program,
    /// Expected values of sparse temporaries each time they are read.
    temps: BTreeMap<TensorId, f64>,
    /// Sparse temporaries that are read beside a mask only.
    marked: BTreeSet<TensorId>,
    memory: f64,
    stored: f64,
}

impl<'a> Estimator<'a> {
    fn of(program: &'a Program) -> Estimator<'a> {
        Estimator { program, temps: BTreeMap::new(), marked: BTreeSet::new(), memory: 0.0, stored: 0.0 }
    }
    fn size(&self, v: IndexId) -> f64 {
        size(self.program, v)
    }
    fn sizes(&self, a: &Access) -> f64 {
        room(self.program, a)
    }
    fn stored(&self, a: &Access) -> f64 {
        let t = &self.program.tensors[a.tensor];
        let all = self.sizes(a);
        if t.format.is_dense() {
            return all;
        }
        let longest = a.vars.iter().map(|&v| self.size(v)).fold(1.0, f64::max);
        let known = t.stored.map(|n| n as f64).or_else(|| self.temps.get(&a.tensor).copied());
        let assumed = if a.vars.len() == 1 { OF_VECTOR } else { STORED };
        known.unwrap_or(assumed * longest).min(all)
    }
    /// Expected coordinates of level `k`: the distinct prefixes of uniformly random coordinates. Duplicates are visited
    /// once.
    fn positions(&self, a: &Access, k: usize) -> f64 {
        let format = &self.program.tensors[a.tensor].format;
        let values = self.stored(a);
        if k + 1 == format.depth() && !format.levels[k].is_dense() {
            return values.max(1e-9);
        }
        let mut room = 1.0;
        let mut taken = 1.0;
        for (level, &m) in format.levels[..=k].iter().zip(&format.modes) {
            let size = self.size(a.vars[m]);
            room *= size;
            taken = match level.is_dense() {
                true => taken * size,
                false => distinct(values, room).min(taken * size),
            };
        }
        taken.max(1e-9)
    }
    /// Expected coordinates of one position above a leaf.
    fn children(&self, l: &Leaf) -> f64 {
        if self.is_runs(l) {
            return self.size(var_of(self.program, &l.access, l.level));
        }
        self.slots(l)
    }
    /// Whether coordinates of a leaf share positions, so that all of them are there.
    fn is_runs(&self, l: &Leaf) -> bool {
        self.program.tensors[l.access.tensor].format.levels[l.level].shares_positions()
    }
    /// Expected positions of one position above a leaf.
    fn slots(&self, l: &Leaf) -> f64 {
        let above = if l.level == 0 { 1.0 } else { self.positions(&l.access, l.level - 1) };
        self.positions(&l.access, l.level) / above
    }
    /// Expected steps through the children of one position above a leaf, duplicates included.
    fn steps(&self, l: &Leaf) -> f64 {
        let format = &self.program.tensors[l.access.tensor].format;
        if format.levels[l.level].unique() {
            return self.slots(l);
        }
        let above = if l.level == 0 { 1.0 } else { self.positions(&l.access, l.level - 1) };
        self.stored(&l.access) / above
    }
    fn chance(&self, s: &Space, v: IndexId, cx: &Context) -> f64 {
        let weight = |l: &Leaf| cx.weights.get(&l.access).copied().unwrap_or(1.0);
        match s {
            Space::Empty => 0.0,
            Space::Universe => 1.0,
            Space::Leaf(l) => (weight(l) * self.children(l) / self.size(v)).min(1.0),
            Space::Not(a) => 1.0 - self.chance(a, v, cx),
            Space::And(a, b) => self.chance(a, v, cx) * self.chance(b, v, cx),
            Space::Or(a, b) => 1.0 - (1.0 - self.chance(a, v, cx)) * (1.0 - self.chance(b, v, cx)),
        }
    }

    fn stmt(&mut self, s: &Stmt, cx: &Context) -> f64 {
        match s {
            Stmt::Nop => 0.0,
            Stmt::Seq(all) | Stmt::Multi(all) => all.iter().map(|s| self.stmt(s, cx)).sum(),
            Stmt::Forall { index, body } => self.forall(*index, body, cx),
            Stmt::Where { consumer, producer } => {
                self.marked.extend(self.mask(producer, consumer).map(|(t, _)| t));
                let produced = self.stmt(producer, cx);
                let marks = self.mask(producer, consumer).map_or(0.0, |(_, mask)| MARK * self.slots(&mask));
                produced + marks + self.temporary(producer, cx) + self.stmt(consumer, cx)
            }
            Stmt::Assign { lhs, rhs, .. } => self.assign(lhs, rhs, cx),
        }
    }
    fn assign(&mut self, lhs: &Access, rhs: &Expr, cx: &Context) -> f64 {
        let t = &self.program.tensors[lhs.tensor];
        // An element of a large array that is not visited in order is a cache miss or two.
        let varies = |a: &&Access| cx.innermost.is_none_or(|v| a.vars.contains(&v));
        let loads = rhs.accesses().into_iter().filter(varies).count() as f64 * 0.3;
        let store = match t.kind {
            Kind::Result if t.format.is_dense() => 0.5,
            Kind::Result => 1.0,
            Kind::Operand => 0.0,
            Kind::Temp if t.format.is_dense() => 0.3,
            Kind::Temp if self.marked.contains(&lhs.tensor) => MARKED_INSERT,
            Kind::Temp if self.hashes(lhs) => HASHED_INSERT,
            Kind::Temp => match self.sizes(lhs) * t.dtype.size() as f64 {
                room if room < CACHE => INSERT,
                _ => INSERT + MISS,
            },
        };
        if t.kind == Kind::Result {
            self.stored += cx.times;
        }
        loads + store
    }
    /// The mask beside which a temporary is read, as far as it shows before a graph is made.
    fn mask(&self, producer: &Stmt, reader: &Stmt) -> Option<(TensorId, Leaf)> {
        let t = producer.target()?;
        Some((t.tensor, mask(self.program, t, reader, &|l| self.level(l).lists_coords())?))
    }
    fn level(&self, l: &Leaf) -> Level {
        self.program.tensors[l.access.tensor].format.levels[l.level]
    }
    /// Whether a sparse temporary is a hash table.
    fn hashes(&self, a: &Access) -> bool {
        crate::temporaries::storage_of(self.program, a) == Storage::Hash
    }

    /// Clearing and reading out what a producer fills.
    fn temporary(&mut self, producer: &Stmt, cx: &Context) -> f64 {
        let Some((lhs, _, _)) = producer.assignments().last().copied() else { return 0.0 };
        let t = &self.program.tensors[lhs.tensor];
        if t.kind != Kind::Temp || lhs.vars.is_empty() {
            return 0.0;
        }
        let (room, bytes) = (self.sizes(lhs), t.dtype.size() as f64);
        if t.format.is_dense() {
            self.memory += room * bytes;
            if room > self.most_dense() {
                return f64::INFINITY;
            }
            return room * CLEAR + self.faults(room * bytes, cx);
        }
        if room >= i64::MAX as f64 {
            // Its coordinates cannot be numbered.
            return f64::INFINITY;
        }
        let held = distinct(self.assigned(producer, cx), room);
        self.temps.insert(lhs.tensor, held);
        let hashed = self.hashes(lhs);
        let footprint = if hashed { held * (bytes + 40.0) } else { room * (bytes + 0.2) };
        self.memory += footprint;
        if self.marked.contains(&lhs.tensor) {
            return self.faults(footprint.min(held * PAGE), cx);
        }
        let look = if hashed { LOOK } else { LOOK + WORD * room / BITS };
        look + held * if hashed { HASHED_EXTRACT } else { EXTRACT }
            + self.faults(footprint.min(held * PAGE), cx)
    }
    /// The most elements of a dense temporary: memory is bounded by what is stored, however sparse that is.
    fn most_dense(&self) -> f64 {
        let reads = self.program.reads.iter().map(|a| self.stored(a)).sum::<f64>();
        (DENSE * reads).max(SMALL)
    }
    /// What the first touch of a workspace's pages costs each run of its loops: memory is taken once.
    fn faults(&self, touched: f64, cx: &Context) -> f64 {
        touched * FAULT / cx.times.max(1.0)
    }
    /// How many assignments one run of a statement makes.
    fn assigned(&self, s: &Stmt, cx: &Context) -> f64 {
        match s {
            Stmt::Nop => 0.0,
            Stmt::Assign { .. } => 1.0,
            Stmt::Forall { index, body } => {
                let (visits, _, inner) = self.visits(*index, body, cx);
                visits * self.assigned(body, &inner)
            }
            Stmt::Where { consumer, .. } => self.assigned(consumer, cx),
            Stmt::Seq(all) | Stmt::Multi(all) => all.iter().map(|s| self.assigned(s, cx)).sum(),
        }
    }

    fn forall(&mut self, v: IndexId, body: &Stmt, cx: &Context) -> f64 {
        let (visits, walked, inner) = self.visits(v, body, cx);
        walked + visits * self.stmt(body, &inner)
    }
    /// How many coordinates are visited, what finding them costs, and what is known inside.
    fn visits(&self, v: IndexId, body: &Stmt, cx: &Context) -> (f64, f64, Context) {
        let size = self.size(v);
        let derived = self.program.indices[v].derived.is_some();
        let space = derive(body, v, &self.program.tensors);
        let mut inner = cx.clone();
        let leaves: Vec<Leaf> = space.leaves().into_iter().collect();
        let whole = |l: Lattice| l.points.first().is_some_and(|p| p.extent == Extent::Dimension);
        let dimension = space.as_union().is_none() && Lattice::of(&space).is_some_and(whole);
        // A computed coordinate that no level lists follows from others.
        if derived && leaves.is_empty() {
            return (1.0, 0.5, inner);
        }
        let chance = if dimension { 1.0 } else { self.chance(&space, v, cx) };
        let visits = (size * chance).max(1e-9);
        let table = |l: &&Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].is_table();
        let seekable = |l: &&Leaf| table(l) || self.marked.contains(&l.access.tensor);
        let steps: Vec<f64> = leaves.iter().filter(|l| !seekable(l)).map(|l| self.steps(l)).collect();
        let mut walked: f64 = steps.iter().sum();
        if dimension {
            walked += size * 0.3;
        } else {
            // Runs are followed.
            let walks = leaves.iter().filter(|l| !self.is_runs(l) && !self.marked.contains(&l.access.tensor));
            let (step, miss) = match walks.count() {
                0 | 1 => (1.0, 0.0),
                2 if space.as_union().is_some_and(|all| all.len() == 2) => UNION_TWO,
                2 => MERGE_TWO,
                _ => MERGE_MORE,
            };
            let longest = steps.iter().copied().fold(0.0, f64::max);
            walked = step * walked + 2.0 * miss * (walked - longest);
        }
        for l in &leaves {
            let here = cx.weights.get(&l.access).copied().unwrap_or(1.0);
            let present = (here * self.children(l) / visits).min(1.0);
            inner.weights.insert(l.access.clone(), present);
        }
        inner.times *= visits;
        inner.innermost = Some(v);
        (visits, walked + 0.5, inner)
    }
}

/// Expected distinct ones among `n` uniform draws from `room`.
fn distinct(n: f64, room: f64) -> f64 {
    if room <= 0.0 { 0.0 } else { -room * (-n / room).exp_m1() }
}
