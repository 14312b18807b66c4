//! Results that are assembled out of order, in passes over parts of the source: on several threads, and where elements
//! are scattered so widely that placing each at once would miss the cache.
//!
//! The parts do not decide about the result: elements keep the order of the source in any number of them.

use crate::balance::CoordWeights;
use crate::calls::slots;
use crate::grain::GRAIN;
use crate::job::{Arguments, Job};
use crate::signature::{Extents, params};
use crate::spares::BoundArray;
use crate::threading::Spread;
use openwork_algebra::DType;
use openwork_base::machine::threshold;
use openwork_base::threads::threads;
use openwork_base::{Error, Id, Result, SlotCount};
use openwork_format::{ArrayRole, Needs};
use openwork_loops::Init;
use openwork_lower::{Binding, PassKernel, Passes};
use openwork_runtime::{
    BufferSlot, PieceArgs, Pile, Room, SharedMemory, Shelf, counters, pieces, run_pieces, sequence, settle,
};
use openwork_storage::Buffer;
use std::ops::Range;
use std::sync::Arc;

/// Elements from which on passes are worth more than they cost.
const LEAST: usize = 4 * GRAIN as usize;
/// Parts whose elements are counted one by one: each has counters for all parents.
const PARTS: usize = 8;
/// Parts whose elements are only dealt into groups.
const DEALT_PARTS: usize = 16;
/// Elements of a group: with their keys, places and copies they fill a second-level cache.
const PILE: usize = 1 << 15;
/// The fewest groups: elements in a row that go to the same group wait for one another's cursor.
const FEWEST_GROUPS: usize = 160;
/// The most groups: the ends of all of them, in three arrays, stay in a first-level cache.
const MOST_GROUPS: usize = 240;
/// Keys tell so many parents of a group apart.
const KEYS: usize = 1 << 16;
/// Elements that come after one another are looked at in runs of this many, to see how widely they scatter.
const RUN: usize = 1 << 14;
/// Equal stretches of the result that a run is found to touch or not.
const STRETCHES: usize = 1 << 12;
/// A run that reaches over so many bytes does not find them in the cache again.
const REACH: f64 = 4e6;

/// How elements are placed.
struct Placement<'s> {
    passes: &'s Passes,
    /// The pass that moves elements.
    way: PlacingWay,
    /// Where the variable of the passes is cut, its ends included.
    cuts: Vec<i64>,
    /// The number of parents of the list.
    parents: usize,
    threads: usize,
}

/// How elements get where they belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlacingWay {
    /// Each at once.
    Place,
    /// First into one of so many groups, which are sorted afterwards.
    Deal(usize),
}

impl Placement<'_> {
    fn groups(&self) -> usize {
        match self.way {
            PlacingWay::Place => self.parents,
            PlacingWay::Deal(groups) => groups,
        }
    }
    fn parts(&self) -> usize {
        self.cuts.len() - 1
    }
}

/// Groups per parent in units of 2^-32, rounded down, so that the last parent is in the last group or before.
fn scale(groups: usize, parents: usize) -> i64 {
    ((groups << 32) / parents) as i64
}
/// The first parent of a group.
fn first_of(group: usize, groups: usize, parents: usize) -> usize {
    (group << 32).div_ceil(scale(groups, parents) as usize).min(parents)
}

impl<'k> Job<'k> {
    /// Assembles the result in passes where that is worth it.
    ///
    /// # Errors
    /// As [`Job::run`].
    ///
    /// # Safety
    /// As for [`openwork_runtime::run`]: the operands must be those that the kernel was compiled for.
    pub(crate) unsafe fn run_in_passes(self, given: &Arguments) -> Result<Option<(Vec<BoundArray>, Spread)>> {
        let Some(passes) = &self.lowered.passes else { return Ok(None) };
        // SAFETY: the caller's promise.
        let Some(placement) = (unsafe { self.placement(passes, given)? }) else {
            return Ok(None);
        };
        // SAFETY: the caller's promise.
        let buffers = unsafe { self.place_elements(&placement, given)? };
        let spread = Spread { threads: placement.threads.min(placement.parts()), chunks: placement.parts() };
        Ok(Some((buffers, spread)))
    }

    /// Decides how to place elements; `None` where one call does everything as well.
    ///
    /// # Safety
    /// As for [`Job::run_in_passes`].
    unsafe fn placement<'s>(
        self,
        passes: &'s Passes,
        given: &Arguments<'_>,
    ) -> Result<Option<Placement<'s>>> {
        let forced = self.threading.chunks.is_some() || self.threading.groups.is_some();
        let (operands, extents) = (given.operands, given.extents);
        let stored = operands.values().map(|t| t.vals().len()).max().unwrap_or(0);
        let parents = self.parents(passes, extents).filter(|&n| n > 0 && n < 1 << 31);
        let Some(parents) = parents.filter(|&n| forced || (stored >= threshold(LEAST, 1) && n <= stored))
        else {
            return Ok(None);
        };
        let threads = if self.threading.threads == 0 { threads() } else { self.threading.threads };
        let weights = CoordWeights::measure(self, passes.var, extents.range(passes.var), operands);
        let fewest = parents.div_ceil(KEYS / 2);
        let groups = (stored / threshold(PILE, 1))
            .clamp(threshold(FEWEST_GROUPS, 2), MOST_GROUPS)
            .max(fewest)
            .min(parents);
        let way = match self.threading.groups {
            Some(groups) => PlacingWay::Deal(groups.clamp(fewest, parents)),
            None if forced || fewest > 8 * MOST_GROUPS => PlacingWay::Place,
            // SAFETY: the caller's promise.
            None => match unsafe { self.reach(passes, &weights, parents, stored, given)? } {
                near if near < threshold(REACH, 0.0) => PlacingWay::Place,
                _ => PlacingWay::Deal(groups),
            },
        };
        if threads <= 1 && way == PlacingWay::Place && !forced {
            return Ok(None);
        }
        let parts = match way {
            _ if threads <= 1 => 1,
            PlacingWay::Deal(_) => DEALT_PARTS,
            // Counters take a tenth of what the source and the result take, and more of them take longer to add up.
            PlacingWay::Place => {
                let tenth = 2 * (stored * self.element_bytes() + parents * 8) / 10;
                (tenth / (4 * parents)).min(threads).clamp(2, PARTS)
            }
        };
        let cuts = weights.cuts(self.threading.chunks.unwrap_or(parts));
        Ok(Some(Placement { passes, way, cuts, parents, threads }))
    }

    /// The number of parents of the list.
    fn parents(self, passes: &Passes, extents: &Extents) -> Option<usize> {
        let t = self.declaration();
        let lhs = self.program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
        let lhs = lhs.into_iter().find(|a| a.tensor == self.result())?;
        let sizes = t.format.modes[..passes.list].iter().map(|&m| extents.sizes[lhs.vars[m].index()]);
        sizes.fold(SlotCount::ONE, SlotCount::times).count()
    }
    /// Bytes of one element of the result.
    fn element_bytes(self) -> usize {
        let t = self.declaration();
        let listed =
            t.format.levels.iter().filter(|l| l.spec.coords == openwork_format::Coords::Stored).count();
        t.dtype.size() + listed * t.format.array_dtype(ArrayRole::Crd).size()
    }

    /// How many bytes of the result a run of elements of the source is spread over.
    ///
    /// # Safety
    /// As for [`Job::run_in_passes`].
    unsafe fn reach(
        self,
        passes: &Passes,
        weights: &CoordWeights,
        parents: usize,
        stored: usize,
        given: &Arguments<'_>,
    ) -> Result<f64> {
        let cuts = weights.cuts(stored / threshold(RUN, 1));
        let stretches = STRETCHES.min(parents);
        let mut touched = 0;
        for n in [1, 3, 5] {
            let at = (cuts.len() - 1) * n / 6;
            let mut table = counters(stretches, 1)?;
            let part = cuts[at]..cuts[at + 1];
            // SAFETY: the caller's promise; the table has a counter for every stretch.
            unsafe { self.count(passes, &[part], scale(stretches, parents), &mut table, 1, given)? };
            touched += table.as_slice::<u32>().map_or(0, |t| t.iter().filter(|&&n| n > 0).count());
        }
        Ok(touched as f64 / (3 * stretches) as f64 * (stored * self.element_bytes()) as f64)
    }

    /// Counts the elements of each group, apart for every part.
    ///
    /// # Safety
    /// As for [`Job::run_in_passes`]; `table` has a counter per part and group.
    unsafe fn count(
        self,
        passes: &Passes,
        parts: &[Range<i64>],
        scale: i64,
        table: &mut Buffer,
        threads: usize,
        given: &Arguments<'_>,
    ) -> Result<()> {
        let groups = table.len() / parts.len().max(1);
        let shelf = Arc::new(Shelf::default());
        let cuts: Vec<usize> = (0..=parts.len()).map(|n| n * groups).collect();
        let calls = parts.iter().zip(pieces::slices(table, &cuts)).map(|(part, counters)| {
            let mut counters = Some(counters);
            self.piece(&passes.count, given, part.clone(), scale, &shelf, &mut |b| match b {
                Binding::Cursors => BufferSlot::Part(counters.take().unwrap_or_default()),
                Binding::Index { .. }
                | Binding::Values { .. }
                | Binding::Scratch
                | Binding::Kept
                | Binding::Keys => BufferSlot::Grow(Room::new()),
            })
        });
        // SAFETY: the caller's promise; parts have counters of their own.
        unsafe { self.run_pass(&passes.count, calls.collect(), threads) }
    }

    /// One call of a pass.
    fn piece<'t>(
        self,
        pass: &PassKernel,
        given: &Arguments<'t>,
        part: Range<i64>,
        scale: i64,
        shelf: &Arc<Shelf>,
        own: &mut dyn FnMut(Binding) -> BufferSlot<'t>,
    ) -> PieceArgs<'t>
    where
        'k: 't,
    {
        let mut slots = slots(&pass.bindings, given, shelf, own);
        slots.extend(self.literals.slots(&pass.kernel, slots.len(), None));
        PieceArgs { params: params(&pass.params, given.extents, Some(part), scale), slots }
    }

    /// Compiles a pass, if this is its first run, and makes its calls.
    ///
    /// # Safety
    /// As for [`run_pieces`].
    unsafe fn run_pass(self, pass: &PassKernel, calls: Vec<PieceArgs<'_>>, threads: usize) -> Result<()> {
        let Some((backend, cache)) = &self.code.passes else {
            return Err(Error::bug("run", "nothing compiles the passes of an assembly", ""));
        };
        let (code, _) = cache.get(&**backend, &pass.kernel)?;
        // SAFETY: the caller's promise.
        unsafe { run_pieces(&*code, &pass.kernel, calls, threads, None)? };
        Ok(())
    }

    /// Counts elements, places them, and gives the arrays of the result in the kernel's order.
    ///
    /// # Safety
    /// As for [`Job::run_in_passes`].
    unsafe fn place_elements(self, p: &Placement, given: &Arguments<'_>) -> Result<Vec<BoundArray>> {
        let (result, t) = (self.result(), self.declaration());
        let groups = p.groups();
        let scale = scale(groups, p.parents);
        let parts: Vec<Range<i64>> = p.cuts.windows(2).map(|c| c[0]..c[1]).collect();
        let mut cursors = counters(parts.len() * groups, p.threads)?;
        // SAFETY: the caller's promise.
        unsafe { self.count(p.passes, &parts, scale, &mut cursors, p.threads, given)? };
        let pos = Binding::Index { tensor: result, level: p.passes.list, array: 0 };
        let memory = |binding: Binding, dtype, len| {
            let spare = self.spare(binding);
            pieces::allocate(dtype, len, Room { spare, init: Init::Uninit, ..Room::new() }, &t.name)
        };
        let mut starts = memory(pos, t.format.array_dtype(ArrayRole::Pos), p.parents + 1)?;
        let mut piles = Buffer::empty(DType::I64);
        let elements = {
            let all = cursors.as_mut_slice::<u32>().unwrap_or(&mut []);
            let mut tables: Vec<&mut [u32]> = all.chunks_mut(groups).collect();
            if p.way != PlacingWay::Place {
                piles = Buffer::zeros(DType::I64, groups + 1)?;
            }
            let sequenced = if p.way == PlacingWay::Place { &mut starts } else { &mut piles };
            sequence(&mut tables, sequenced, p.threads)?
        };
        let mut made: Vec<BoundArray> = Vec::new();
        for binding in &self.lowered.bindings {
            match *binding {
                Binding::Index { tensor, level, array } if tensor == result && *binding != pos => {
                    let dtype = t.format.array_dtype(t.format.levels[level].spec.arrays[array].role);
                    made.push((*binding, memory(*binding, dtype, elements * self.record(level))?));
                }
                Binding::Values { tensor } if tensor == result => {
                    made.push((*binding, memory(*binding, t.dtype, elements)?));
                }
                Binding::Index { .. }
                | Binding::Values { .. }
                | Binding::Scratch
                | Binding::Kept
                | Binding::Cursors
                | Binding::Keys => {}
            }
        }
        let mut keys = match p.way {
            PlacingWay::Place => Buffer::empty(DType::U16),
            PlacingWay::Deal(_) => {
                pieces::allocate(DType::U16, elements, Room { init: Init::Uninit, ..Room::new() }, "keys")?
            }
        };
        // SAFETY: the caller's promise; there is an element in every array for each that was counted.
        unsafe { self.move_elements(p, scale, &mut cursors, &mut keys, &mut made, given)? };
        let (bindings, mut arrays): (Vec<Binding>, Vec<Buffer>) = made.into_iter().unzip();
        if let PlacingWay::Deal(_) = p.way {
            let start = |g: usize| piles.get(g).as_i64() as usize;
            let pile = |g: usize| Pile {
                elements: start(g)..start(g + 1),
                parents: first_of(g, groups, p.parents)..first_of(g + 1, groups, p.parents),
            };
            let piles: Vec<Pile> = (0..groups).map(pile).collect();
            settle(&piles, keys.as_slice::<u16>().unwrap_or(&[]), &mut arrays, &mut starts, p.threads)?;
        }
        let mut made: Vec<BoundArray> = bindings.into_iter().zip(arrays).collect();
        made.push((pos, starts));
        let order = |b: &Binding| self.lowered.bindings.iter().position(|other| other == b);
        made.sort_by_key(|(b, _)| order(b));
        Ok(made)
    }
    /// How many coordinates an element has in the array of a level.
    fn record(self, level: usize) -> usize {
        let levels = &self.declaration().format.levels;
        1 + levels[level + 1..].iter().take_while(|l| l.spec.needs == Needs::Head).count()
    }

    /// Runs the pass that moves elements.
    ///
    /// # Safety
    /// As for [`Job::run_in_passes`]; the cursors lead to elements of the arrays, no two of them to the same.
    unsafe fn move_elements(
        self,
        p: &Placement,
        scale: i64,
        cursors: &mut Buffer,
        keys: &mut Buffer,
        made: &mut [(Binding, Buffer)],
        given: &Arguments<'_>,
    ) -> Result<()> {
        let pass = if p.way == PlacingWay::Place { &p.passes.place } else { &p.passes.deal };
        let shelf = Arc::new(Shelf::default());
        let mut shared: Vec<(Binding, SharedMemory)> =
            made.iter_mut().map(|(b, array)| (*b, SharedMemory::new(array))).collect();
        shared.push((Binding::Keys, SharedMemory::new(keys)));
        let cuts: Vec<usize> = (0..=p.parts()).map(|n| n * p.groups()).collect();
        let parts = p.cuts.windows(2).zip(pieces::slices(cursors, &cuts));
        let calls = parts.map(|(part, cursors)| {
            let mut cursors = Some(cursors);
            self.piece(pass, given, part[0]..part[1], scale, &shelf, &mut |b| match b {
                Binding::Cursors => BufferSlot::Part(cursors.take().unwrap_or_default()),
                other => shared
                    .iter()
                    .find(|(b, _)| *b == other)
                    .map_or_else(|| BufferSlot::Grow(Room::new()), |(_, memory)| BufferSlot::Shared(*memory)),
            })
        });
        // SAFETY: the caller's promise: every call writes the elements that its own cursors lead to.
        unsafe { self.run_pass(pass, calls.collect(), p.threads) }
    }
}
