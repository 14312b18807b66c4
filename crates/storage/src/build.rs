//! The state between two levels while a tensor is packed: entries in storage order, and the parent of each.

use crate::block;
use crate::buffer::Buffer;
use crate::element::dispatch;
use crate::error::unfit;
use crate::index::{IndexArray, with_index};
use crate::levels::Site;
use crate::parallel;
use crate::path;
use crate::sort;
use crate::tensor::LevelArrays;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::{look, strips, tick};
use openwork_format::remap::CoordBounds;
use openwork_format::{Coords, Format};
use std::borrow::Cow;
use std::ops::Range;

/// The position of every entry among the children of a level.
#[derive(Debug)]
pub enum Entries {
    /// All entries are at position 0.
    Root,
    /// The position is the entry's coordinate at this level, which is dense below the root and starts at 0.
    Coord(usize),
    /// Entry `e` is at position `e`.
    Entry,
    /// The position of each entry.
    Table(Vec<usize>),
}

/// Positions with what is needed to look them up.
#[derive(Clone, Copy)]
pub(crate) enum PositionReader<'b> {
    Root,
    Coord(IndexArray<'b>),
    Entry,
    Table(&'b [usize]),
}

impl PositionReader<'_> {
    #[inline]
    pub(crate) fn value_at(self, e: usize) -> usize {
        match self {
            PositionReader::Root => 0,
            PositionReader::Coord(index) => index.entry_at(e),
            PositionReader::Entry => e,
            PositionReader::Table(table) => table[e],
        }
    }
}

/// A level packed from entries: its arrays, its positions, and where every entry went.
#[derive(Debug)]
pub struct PackedLevel {
    /// The index arrays, in the order of the spec.
    pub arrays: Vec<Buffer>,
    /// How many positions the level has.
    pub positions: usize,
    /// Where every entry went.
    pub entries: Entries,
}

impl PackedLevel {
    /// The same with these arrays.
    pub fn with_arrays(self, arrays: Vec<Buffer>) -> PackedLevel {
        PackedLevel { arrays, ..self }
    }
}

/// The level to build and the entries to build it from. Entries are numbered by parent, and under one parent by their
/// stored coordinates; no two have the same coordinates.
pub struct Build<'a> {
    /// Where the level stands.
    pub site: Site,
    parents: usize,
    entries: Entries,
    format: &'a Format,
    shape: &'a [usize],
    coords: Vec<Cow<'a, Buffer>>,
    pub(crate) vals: Cow<'a, Buffer>,
    fill: Buffer,
    levels: Vec<LevelArrays>,
}

/// Entries that share a child of the level being built.
#[derive(Debug)]
pub enum Groups {
    /// Every entry has a child of its own.
    Each(usize),
    /// The first entry of each group, and the group of each entry.
    Shared {
        /// The first entry of each group.
        first: Vec<usize>,
        /// The group of each entry.
        of: Vec<usize>,
    },
}

impl Groups {
    /// The number of groups.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match self {
            Groups::Each(n) => *n,
            Groups::Shared { first, .. } => first.len(),
        }
    }
    /// The first entry of group `g`.
    pub fn first(&self, g: usize) -> usize {
        match self {
            Groups::Each(_) => g,
            Groups::Shared { first, .. } => first[g],
        }
    }
    /// The group of entry `e`.
    pub fn group_of(&self, e: usize) -> usize {
        match self {
            Groups::Each(_) => e,
            Groups::Shared { of, .. } => of[e],
        }
    }
    /// The groups as positions: group `g` at position `g`.
    pub fn entries(self) -> Entries {
        match self {
            Groups::Each(_) => Entries::Entry,
            Groups::Shared { of, .. } => Entries::Table(of),
        }
    }
}

impl<'a> Build<'a> {
    pub(crate) fn new(
        format: &'a Format,
        shape: &'a [usize],
        coords: Vec<Cow<'a, Buffer>>,
        vals: Cow<'a, Buffer>,
        fill: Scalar,
    ) -> Result<Build<'a>> {
        Ok(Build {
            site: Site::new(format, shape, 0)?,
            parents: 1,
            entries: Entries::Root,
            format,
            shape,
            coords,
            vals,
            fill: Buffer::repeat(fill, 1)?,
            levels: Vec::new(),
        })
    }
    /// Takes the arrays of a level and moves on to the next one, if there is one.
    pub(crate) fn advance(&mut self, packed: PackedLevel) -> Result<()> {
        self.levels.push(LevelArrays { arrays: packed.arrays });
        (self.parents, self.entries) = (packed.positions, packed.entries);
        self.by_position()?;
        if self.levels.len() < self.format.levels.len() {
            self.site = Site::new(self.format, self.shape, self.levels.len())?;
        }
        Ok(())
    }
    /// Puts the entries in the order of their positions, which a hash table does not keep.
    fn by_position(&mut self) -> Result<()> {
        let Entries::Table(table) = &self.entries else { return Ok(()) };
        if table.is_sorted() {
            return Ok(());
        }
        if u32::try_from(table.len()).is_err() {
            let message =
                format!("placing {} entries out of order: at most {} can be", table.len(), u32::MAX);
            return Err(unfit(message, "choose a format with ordered levels"));
        }
        let order = sort::by_positions(table, self.parents);
        let sorted = parallel::collect(order.len(), |e| table[order[e] as usize]);
        let moved =
            |b: &Buffer| dispatch!(b.dtype(), T => sort::gather(b.as_slice::<T>().unwrap_or(&[]), &order));
        for c in &mut self.coords {
            *c = Cow::Owned(moved(c)?);
        }
        self.vals = Cow::Owned(moved(&self.vals)?);
        self.entries = Entries::Table(sorted);
        Ok(())
    }
    /// The arrays of all levels, the positions of the last one, and where the entries are.
    pub(crate) fn finish(self) -> Result<(Vec<LevelArrays>, Buffer)> {
        if matches!(self.entries, Entries::Entry) {
            let vals = self.vals.duplicate()?;
            return Ok((self.levels, vals));
        }
        self.claim("the values", self.parents, self.vals.dtype().size())?;
        let mut out = Buffer::repeat(self.fill.get(0), self.parents)?;
        dispatch!(self.vals.dtype(), T => {
            let (from, to) =
                (self.vals.as_slice::<T>().unwrap_or(&[]), out.as_mut_slice::<T>().unwrap_or(&mut []));
            let parents = self.parents_of();
            for strip in strips(from.len()) {
                strip.for_each(|e| to[parents.value_at(e)] = from[e]);
            }
        });
        Ok((self.levels, out))
    }
    /// Bytes of the index arrays of the levels so far.
    pub(crate) fn index_bytes(&self) -> u128 {
        self.levels.iter().flat_map(|l| &l.arrays).map(|b| b.bytes() as u128).sum()
    }
    /// The format, with every width decided.
    pub fn format(&self) -> &'a Format {
        self.format
    }
    /// The size of every mode.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
    /// The number of parents that the level has.
    pub fn parents(&self) -> usize {
        self.parents
    }
    /// The number of entries.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.vals.len()
    }
    /// The parent of entry `e`; it never falls from one entry to the next.
    pub fn parent(&self, e: usize) -> usize {
        tick();
        self.position_at(&self.entries, e)
    }
    /// The position of entry `e` in a level that was just built.
    pub fn position(&self, packed: &PackedLevel, e: usize) -> usize {
        self.position_at(&packed.entries, e)
    }
    fn position_at(&self, entries: &Entries, e: usize) -> usize {
        self.reader(entries).value_at(e)
    }
    /// The parents of all entries, for loops over them.
    pub(crate) fn parents_of(&self) -> PositionReader<'_> {
        self.reader(&self.entries)
    }
    fn reader<'b>(&'b self, entries: &'b Entries) -> PositionReader<'b> {
        match entries {
            Entries::Root => PositionReader::Root,
            Entries::Coord(level) => PositionReader::Coord(self.index(*level)),
            Entries::Entry => PositionReader::Entry,
            Entries::Table(table) => PositionReader::Table(table),
        }
    }
    /// The coordinate of entry `e` at this level.
    pub fn coord(&self, e: usize) -> i64 {
        self.coord_at(self.site.number, e)
    }
    /// The stored coordinate of entry `e` at level `k`.
    pub fn coord_at(&self, k: usize, e: usize) -> i64 {
        tick();
        self.index(k).get(e)
    }
    /// The range of the coordinates of level `k`.
    pub fn bounds_at(&self, k: usize) -> CoordBounds {
        self.format.bounds(k, self.shape)
    }
    /// The coordinates of all entries at level `k`.
    pub fn index(&self, k: usize) -> IndexArray<'_> {
        IndexArray::from_buffer(&self.coords[k]).unwrap_or(IndexArray::I64(&[]))
    }
    /// The memory of the value of an entry, or of the fill value.
    pub fn bits(&self, entry: Option<usize>) -> &[u8] {
        let (buffer, at) = entry.map_or((&self.fill, 0), |e| (&*self.vals, e));
        let size = buffer.dtype().size();
        &buffer.as_bytes()[at * size..(at + 1) * size]
    }
    /// The coordinates of entry `e` in the tensor's modes, for messages.
    pub fn describe(&self, e: usize) -> String {
        let stored: Vec<i64> = (0..self.coords.len()).map(|k| self.coord_at(k, e)).collect();
        let modes: Vec<String> = path::modes(self.format, &stored).iter().map(i64::to_string).collect();
        format!("({})", modes.join(", "))
    }
    /// Which parents are elements; the others are empty slots.
    pub fn live(&self) -> Result<Vec<bool>> {
        path::live(self.format, self.shape, &self.levels, self.parents)
    }
    /// The last of the branchless levels that follow this one, or this one.
    pub fn chain_end(&self) -> usize {
        let rest = &self.format.levels[self.site.number + 1..];
        self.site.number + rest.iter().take_while(|l| l.branchless()).count()
    }
    /// Groups the entries by child. Branchless levels below share the positions of this one, so their coordinates
    /// tell children apart as well.
    pub fn groups(&self) -> Groups {
        let end = self.chain_end();
        if end + 1 == self.format.levels.len() {
            // Duplicates are gone, so whole tuples are all different.
            return Groups::Each(self.len());
        }
        let chain: Vec<IndexArray> = (self.site.number..=end).map(|k| self.index(k)).collect();
        // Column by column: one kind of array at a time is compared many times as fast.
        let mut begins = vec![false; self.len()];
        begins.iter_mut().take(1).for_each(|b| *b = true);
        for column in chain {
            with_index!(column, s => mark_changes(&mut begins, |e| s[e]));
        }
        match self.parents_of() {
            PositionReader::Root => {}
            PositionReader::Coord(index) => with_index!(index, s => mark_changes(&mut begins, |e| s[e])),
            PositionReader::Entry => begins.fill(true),
            PositionReader::Table(table) => mark_changes(&mut begins, |e| table[e]),
        }
        look();
        let count = begins.iter().filter(|b| **b).count();
        let (mut first, mut of) = (block::room(count), block::room(self.len()));
        for strip in strips(begins.len()) {
            for e in strip {
                if begins[e] {
                    first.push(e);
                }
                of.push(first.len() - 1);
            }
        }
        Groups::Shared { first, of }
    }
    /// A unique level above singletons cannot hold a coordinate that several entries share.
    ///
    /// # Errors
    /// E0602 when it would have to.
    pub fn refuse_twins(&self, groups: &Groups) -> Result<()> {
        // Groups differ somewhere up to the end of the chain; they must differ already at its first unique level.
        // Levels that compute their coordinates cannot make a difference.
        let decides = |&k: &usize| {
            let level = self.format.levels[k];
            level.unique() && level.spec.coords != Coords::Derived
        };
        let Some(unique) = (self.site.number..self.chain_end()).find(decides) else {
            return Ok(());
        };
        let chain: Vec<IndexArray> = (self.site.number..=unique).map(|k| self.index(k)).collect();
        let parents = self.parents_of();
        for g in 1..groups.len() {
            tick();
            let (a, b) = (groups.first(g - 1), groups.first(g));
            if parents.value_at(a) == parents.value_at(b) && sort::compare(&chain, a, b).is_eq() {
                let coord = self.coord_at(unique, b);
                return Err(unfit(
                    format!(
                        "level {unique} is unique and a singleton follows, but coordinate {coord} has several children"
                    ),
                    "declare the level `nonunique`, or follow it with a compressed level",
                ));
            }
        }
        Ok(())
    }
    /// Calls `each` with every parent that has entries, in order, and its entries.
    pub fn by_parent(&self, each: impl FnMut(usize, Range<usize>)) {
        self.groups_by_parent(&Groups::Each(self.len()), each);
    }
    /// Calls `each` with every parent that has groups, in order, and its groups.
    pub fn groups_by_parent(&self, groups: &Groups, mut each: impl FnMut(usize, Range<usize>)) {
        let mut from = 0;
        while from < groups.len() {
            let parent = self.parent(groups.first(from));
            let same = |&g: &usize| self.parent(groups.first(g)) == parent;
            let end = from + 1 + (from + 1..groups.len()).take_while(same).count();
            each(parent, from..end);
            from = end;
        }
    }
    /// Positions that are those of the parents.
    pub fn same_positions(&self, arrays: Vec<Buffer>) -> PackedLevel {
        let entries = match &self.entries {
            Entries::Root => Entries::Root,
            Entries::Coord(k) => Entries::Coord(*k),
            Entries::Entry => Entries::Entry,
            Entries::Table(table) => Entries::Table(table.clone()),
        };
        PackedLevel { arrays, positions: self.parents, entries }
    }
    /// A slot for every coordinate under every parent.
    ///
    /// # Errors
    /// E0605 for more slots than there can be.
    pub fn build_full(&self) -> Result<PackedLevel> {
        let k = self.site.number;
        let CoordBounds { low, size } = self.site.bounds;
        if matches!(self.entries, Entries::Root) && low == 0 {
            // Under the root a child is its coordinate, which is already stored.
            return Ok(PackedLevel { arrays: Vec::new(), positions: size, entries: Entries::Coord(k) });
        }
        let coord = self.index(k);
        self.slots(size, |e| (coord.get(e) - low) as usize)
    }
    /// `width` slots under every parent, and the slot of every entry among them.
    ///
    /// # Errors
    /// E0605 for more slots than there can be.
    pub fn slots(&self, width: usize, slot: impl Fn(usize) -> usize + Sync + Send) -> Result<PackedLevel> {
        let parents = self.parents_of();
        self.table(self.product(&[self.parents, width])?, |e| parents.value_at(e) * width + slot(e))
    }
    /// `positions` slots, and the position of every entry.
    ///
    /// # Errors
    /// E0605 for more positions than there can be.
    pub fn table(
        &self,
        positions: usize,
        place: impl Fn(usize) -> usize + Sync + Send,
    ) -> Result<PackedLevel> {
        let positions = self.countable(Some(positions))?;
        let table = parallel::collect(self.len(), place);
        Ok(PackedLevel { arrays: Vec::new(), positions, entries: Entries::Table(table) })
    }
}

/// Marks every entry whose value is another than that of the entry before.
fn mark_changes<T: PartialEq>(begins: &mut [bool], value: impl Fn(usize) -> T) {
    for strip in strips(begins.len()) {
        let first = strip.start.max(1);
        for (n, begins) in begins[first..strip.end].iter_mut().enumerate() {
            *begins |= value(first + n) != value(first + n - 1);
        }
    }
}
