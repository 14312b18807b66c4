//! Levels and their properties (formats thesis, §4.1). The level formats themselves are declared in [`crate::specs`].

use std::fmt;

/// The properties of a level, as a small set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Props(u32);

impl Props {
    /// No property.
    pub const NONE: Props = Props(0);
    /// Coordinates that share a parent are stored in increasing order.
    pub const ORDERED: Props = Props(1);
    /// No coordinate is stored twice under the same parent.
    pub const UNIQUE: Props = Props(2);
    /// Every coordinate of the dimension is stored.
    pub const FULL: Props = Props(4);
    /// Every parent has exactly one child.
    pub const BRANCHLESS: Props = Props(8);
    /// No unlabelled gaps between the stored coordinates.
    pub const COMPACT: Props = Props(16);
    /// Every stored coordinate leads to a value that is not the fill value.
    pub const ZEROLESS: Props = Props(32);
    /// A parent may have no child; its slot holds the [empty](crate::Width::empty) coordinate.
    pub const PADDED: Props = Props(64);

    const NAMES: [(Props, &'static str); 7] = [
        (Props::ORDERED, "ordered"),
        (Props::UNIQUE, "unique"),
        (Props::FULL, "full"),
        (Props::BRANCHLESS, "branchless"),
        (Props::COMPACT, "compact"),
        (Props::ZEROLESS, "zeroless"),
        (Props::PADDED, "padded"),
    ];

    /// Both sets together.
    pub const fn union(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }
    /// This set less the other.
    pub const fn difference(self, other: Props) -> Props {
        Props(self.0 & !other.0)
    }
    /// Whether all of `other` is in this set.
    pub const fn has(self, other: Props) -> bool {
        self.0 & other.0 == other.0
    }
    /// The single property called `name`.
    pub fn by_name(name: &str) -> Option<Props> {
        Props::NAMES.iter().find(|(_, n)| *n == name).map(|(p, _)| *p)
    }
    /// The names of the members.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Props::NAMES.into_iter().filter(move |(p, _)| self.has(*p)).map(|(_, n)| n)
    }
}

impl fmt::Debug for Props {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// The role of an index array of a level: what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayRole {
    /// Positions, or numbers of children; of the format's position width.
    Pos,
    /// Coordinates, of the format's coordinate width.
    Crd,
    /// That many numbers that hold for the whole level (a width, a bandwidth); `i64`.
    Size(usize),
    /// One truth value per position; `bool`.
    Mask,
    /// One bit per position, 64 to a word, bit 0 first; `i64`.
    Words,
    /// Small numbers, whatever the widths of the format; `u8`.
    Bytes,
    /// Coordinates of one byte each, whatever the widths of the format; `u8`.
    ShortCrd,
}

/// One index array of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayDecl {
    /// Name in generated code: `pos`, `crd`.
    pub name: &'static str,
    /// What it holds.
    pub role: ArrayRole,
}

/// The declaration of a level format.
#[derive(Debug)]
pub struct LevelSpec {
    /// Name in format text and key in the registries of `levels` and `storage`.
    pub name: &'static str,
    /// Properties a plain mention of the level has.
    pub props: Props,
    /// Properties that format text may add to or remove from `props`.
    pub optional: Props,
    /// Its index arrays, in storage order.
    pub arrays: &'static [ArrayDecl],
    /// How its coordinates are known.
    pub coords: Coords,
    /// Whether a parent that is an element may have slots here that hold no child.
    pub empties: Empties,
    /// Whether a parent that is itself an empty slot has slots here, all of them empty. A level that keeps its children
    /// in segments has none under such a parent.
    pub spreads: bool,
    /// What the level asks of the place it stands in.
    pub needs: Needs,
    /// Whether it keeps the coordinates of levels right below that need a [head](Needs::Head) among its own.
    pub interleaves: bool,
    /// Whether the elements of its first array never fall: it says where the children of each parent begin, which is where those
    /// of the parent before it end.
    pub rising: bool,
    /// Whether it stores any coordinates of a mode of any size, in a place that has what it [needs](LevelSpec::needs): planning
    /// may store another mode in it then.
    pub any_coords: bool,
    /// How elements get into the level.
    pub assembly: Assembly,
    /// The attribute query whose answer sizes and places the level when it is assembled out of order (formats thesis,
    /// §6.2.3 and figure 6-6); `above` stands for the coordinates of the levels above, `own` for the level's.
    pub query: Option<&'static str>,
}

/// Where a level has slots that hold no child: free buckets, coordinates that a mask leaves out, padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Empties {
    /// Nowhere.
    Never,
    /// Where it is declared [padded](Props::PADDED).
    WherePadded,
    /// Anywhere.
    Always,
}

/// The form of a set of coordinates that a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoordinateSet {
    /// Those from one up to another.
    Interval,
    /// One.
    Point,
    /// Those that are asked for one by one.
    Chosen,
}

impl LevelSpec {
    /// A declaration that claims nothing, for others to begin with: `LevelSpec { name: "mine", ..LevelSpec::BASE }`.
    pub const BASE: LevelSpec = LevelSpec {
        name: "",
        props: Props::NONE,
        optional: Props::NONE,
        arrays: &[],
        coords: Coords::Stored,
        empties: Empties::Never,
        spreads: false,
        needs: Needs::Nothing,
        interleaves: false,
        rising: false,
        any_coords: false,
        assembly: Assembly { appends: false, insert: None },
        query: None,
    };
}

/// The needs of a level: what it asks of the place that it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A remapping in which coordinates above leave it an interval.
    Band,
    /// A remapping in which its coordinate follows from those above.
    Formula,
    /// A level above, from whose coordinate its own are counted.
    Above,
    /// A dense level above.
    DenseAbove,
    /// A level above that keeps its coordinates among its own.
    Head,
}

/// How elements get into a level (formats thesis, §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assembly {
    /// Whether coordinates that come in order are appended (figure 6-2), or need nothing, where every one is there.
    pub appends: bool,
    /// How it finds the position of an element that comes in any order (figure 6-6), if it can.
    pub insert: Option<InsertBy>,
}

/// How a level finds the position of an element that comes in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InsertBy {
    /// It follows from the coordinates (`get_pos`).
    Computed {
        /// How the positions of parents are known.
        edges: Edges,
    },
    /// The next one of its parent's, which all elements of that parent count on (`yield_pos`).
    Yielded,
    /// A free one of its parent's.
    Probed,
    /// That of its parent.
    Inherited,
}

impl InsertBy {
    /// Positions that coordinates give, under parents that have room for all.
    pub const COMPUTED: InsertBy = InsertBy::Computed { edges: Edges::Implicit };
    /// Positions that coordinates give, in segments whose lengths differ.
    pub const SEQUENCED: InsertBy = InsertBy::Computed { edges: Edges::Sequenced };
}

/// Where the children of each parent lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edges {
    /// At a place that the parent's position gives.
    Implicit,
    /// After those of the parent before it (sequenced edge insertion).
    Sequenced,
}

/// The coordinates of a level, by how they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coords {
    /// Every coordinate of the dimension is there.
    Every,
    /// They lie in intervals: slots without an element hold the fill value.
    Interval,
    /// They are kept in arrays: a slot is an element.
    Stored,
    /// They follow from coordinates of the levels above.
    Derived,
}

impl PartialEq for LevelSpec {
    fn eq(&self, other: &LevelSpec) -> bool {
        self.name == other.name
    }
}
impl Eq for LevelSpec {}
impl std::hash::Hash for LevelSpec {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        self.name.hash(h)
    }
}

/// One level of a format: its kind and the properties it is declared with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// The kind.
    pub spec: &'static LevelSpec,
    /// The properties in force.
    pub props: Props,
}

impl Level {
    /// The level with its default properties.
    pub fn new(spec: &'static LevelSpec) -> Level {
        Level { spec, props: spec.props }
    }
    /// The same level without `props`.
    pub fn without_props(self, props: Props) -> Level {
        Level { props: self.props.difference(props), ..self }
    }
    /// Whether coordinates under one parent are in increasing order.
    pub fn is_ordered(self) -> bool {
        self.props.has(Props::ORDERED)
    }
    /// Whether coordinates under one parent are distinct.
    pub fn unique(self) -> bool {
        self.props.has(Props::UNIQUE)
    }
    /// Whether every coordinate is stored.
    pub fn full(self) -> bool {
        self.props.has(Props::FULL)
    }
    /// Whether every parent has exactly one child.
    pub fn branchless(self) -> bool {
        self.props.has(Props::BRANCHLESS)
    }
    /// Whether the stored coordinates have no gaps.
    pub fn compact(self) -> bool {
        self.props.has(Props::COMPACT)
    }
    /// Whether slots may be empty.
    pub fn is_padded(self) -> bool {
        self.props.has(Props::PADDED)
    }
    /// Whether a parent that is an element may have slots here that hold no child.
    pub fn has_empties(self) -> bool {
        match self.spec.empties {
            Empties::Never => false,
            Empties::WherePadded => self.is_padded(),
            Empties::Always => true,
        }
    }
    fn keeps(self, role: ArrayRole) -> bool {
        self.spec.arrays.iter().any(|a| a.role == role)
    }
    fn keeps_coords(self) -> bool {
        self.keeps(ArrayRole::Crd) || self.keeps(ArrayRole::ShortCrd)
    }
    /// Whether several coordinates share a position: every one is there, and arrays say which.
    pub fn shares_positions(self) -> bool {
        self.spec.coords == Coords::Every && !self.is_dense()
    }
    /// Whether every slot holds a coordinate that an array keeps, perhaps but for padding.
    pub fn is_listed(self) -> bool {
        self.spec.coords == Coords::Stored && self.spec.empties != Empties::Always
    }
    /// Whether the children of parent `p` are the segment `pos[p]..pos[p + 1]` of a list: its two arrays are these.
    pub fn in_segments(self) -> bool {
        let two = matches!(
            self.spec.arrays,
            [
                ArrayDecl { role: ArrayRole::Pos, .. },
                ArrayDecl { role: ArrayRole::Crd | ArrayRole::ShortCrd | ArrayRole::Bytes, .. }
            ]
        );
        self.is_listed() && two && !self.spec.interleaves
    }
    /// Whether those segments are sorted and distinct coordinates in an array of the format's width, and nothing more is claimed.
    pub fn is_plain_list(self) -> bool {
        let claimed = Props::ORDERED.union(Props::UNIQUE).union(Props::COMPACT);
        self.in_segments() && self.keeps(ArrayRole::Crd) && self.props == claimed
    }
    /// Whether each parent has one child, whose coordinate is in an array of the level's own.
    pub fn is_plain_tail(self) -> bool {
        self.follows_list() && !self.is_padded() && self.keeps(ArrayRole::Crd) && self.spec.arrays.len() == 1
    }
    /// Whether each parent has a segment of a list, in which coordinates of levels below may lie as well.
    pub fn heads_list(self) -> bool {
        self.in_segments() || self.spec.interleaves
    }
    /// Whether each position has its coordinate in an array, of its own or shared with other levels.
    pub fn lists_coords(self) -> bool {
        self.spec.coords == Coords::Stored && (self.keeps_coords() || self.spec.needs == Needs::Head)
    }
    /// Whether the children of parent `p` begin where an array of positions says, and end where it says for the next parent.
    pub fn has_ends(self) -> bool {
        let positions = self.spec.arrays.iter().filter(|a| a.role == ArrayRole::Pos).count();
        positions == 1 && self.spec.arrays[0].role == ArrayRole::Pos
    }
    /// Whether there is one child at most for each parent, whose coordinate an array keeps.
    pub fn follows_list(self) -> bool {
        self.is_listed() && self.branchless()
    }
    /// Whether a slot that holds no child says so by its coordinate.
    pub fn marks_empties(self) -> bool {
        self.spec.coords == Coords::Stored && self.has_empties() && self.keeps(ArrayRole::Crd)
    }
    /// Whether slots may hold no child though the level is not [padded](Props::PADDED), and say so.
    pub fn leaves_slots(self) -> bool {
        self.spec.coords == Coords::Stored && self.spec.empties == Empties::Always
    }
    /// Whether a walk of the children of a parent meets slots without a child: those behind the end of a list are not walked.
    pub fn tests_slots(self) -> bool {
        self.leaves_slots() && self.spec.arrays.iter().filter(|a| a.role == ArrayRole::Pos).count() < 2
    }
    /// Whether there are slots for many coordinates of which few may be there: not only for those of a list.
    pub fn is_table(self) -> bool {
        self.leaves_slots() && !self.keeps(ArrayRole::Pos)
    }
    /// Whether a slot per coordinate tells whether that is there.
    pub fn is_masked(self) -> bool {
        self.keeps(ArrayRole::Mask) || self.is_in_words()
    }
    /// Whether a bit tells that, of which neighbours share a word.
    pub fn is_in_words(self) -> bool {
        self.keeps(ArrayRole::Words)
    }
    /// Whether the coordinates under a parent begin with the least one and go as far as an array says.
    pub fn is_prefix(self) -> bool {
        let kept = self.spec.arrays.iter().all(|a| matches!(a.role, ArrayRole::Pos | ArrayRole::Size(_)));
        self.spec.coords == Coords::Interval && self.compact() && kept && self.spec.arrays.len() == 1
    }
    /// How it takes elements that come in any order.
    pub fn insert(self) -> Option<InsertBy> {
        self.spec.assembly.insert
    }
    /// Whether elements count on one cursor, or look for room, in what their parent has.
    pub fn shares_cursors(self) -> bool {
        matches!(self.insert(), Some(InsertBy::Yielded | InsertBy::Probed))
    }
    /// Whether the level is one of those that are declared here, whose walks and arrays are known; not one of another crate.
    pub fn is_built_in(self) -> bool {
        crate::specs::LEVELS.contains(&self.spec)
    }
    /// The level of a set of coordinates that a comparison says.
    pub fn from_set(set: CoordinateSet) -> Level {
        Level::new(match set {
            CoordinateSet::Interval => &crate::specs::INTERVAL,
            CoordinateSet::Point => &crate::specs::POINT,
            CoordinateSet::Chosen => &crate::specs::CHOSEN_ONES,
        })
    }
    /// Whether a set has one coordinate at most.
    pub fn is_point(self) -> bool {
        self.is(&crate::specs::POINT)
    }
    /// Whether the level is of this kind.
    pub fn is(self, spec: &LevelSpec) -> bool {
        self.spec == spec
    }
    /// Whether the level is dense: every coordinate is there, and nothing is kept about them.
    pub fn is_dense(self) -> bool {
        self.spec.coords == Coords::Every && self.spec.arrays.is_empty()
    }
}

impl fmt::Display for Level {
    /// `compressed`, or `compressed(nonunique)` where the properties differ from the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.name)?;
        let added = self.props.difference(self.spec.props).names().map(str::to_string);
        let removed = self.spec.props.difference(self.props).names().map(negate_name);
        let words: Vec<String> = removed.chain(added).collect();
        if words.is_empty() { Ok(()) } else { write!(f, "({})", words.join(",")) }
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How format text spells the absence of a property: `unordered`, `nonunique`, `nonfull`…
pub(crate) fn negate_name(name: &str) -> String {
    match name {
        "ordered" => "unordered".into(),
        "padded" => "unpadded".into(),
        _ => format!("non{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Needs};
    use crate::specs::LEVELS;

    /// The names of the levels of which a fact holds.
    fn level_names(fact: impl Fn(Level) -> bool) -> Vec<&'static str> {
        LEVELS.iter().filter(|spec| fact(Level::new(spec))).map(|spec| spec.name).collect()
    }

    #[test]
    fn facts_of_the_built_in_levels() {
        assert_eq!(level_names(Level::is_dense), ["dense"]);
        assert_eq!(level_names(Level::shares_positions), ["runs"]);
        assert_eq!(
            level_names(Level::is_listed),
            ["compressed", "singleton", "compressed_aos", "singleton_aos"]
        );
        assert_eq!(level_names(Level::in_segments), ["compressed"]);
        assert_eq!(level_names(Level::is_plain_list), ["compressed"]);
        assert_eq!(level_names(Level::is_plain_tail), ["singleton"]);
        assert_eq!(
            level_names(|l| l.spec.rising),
            ["compressed", "ragged", "compressed_aos", "runs", "skyline"]
        );
        assert!(LEVELS.iter().all(|spec| spec.any_coords));
        assert_eq!(level_names(Level::heads_list), ["compressed", "compressed_aos"]);
        assert_eq!(
            level_names(Level::has_ends),
            ["compressed", "ragged", "compressed_aos", "runs", "skyline"]
        );
        assert_eq!(level_names(Level::follows_list), ["singleton", "singleton_aos"]);
        assert_eq!(level_names(Level::marks_empties), ["hashed", "list"]);
        assert_eq!(level_names(Level::leaves_slots), ["masked", "bitmap", "hashed", "list"]);
        assert_eq!(level_names(Level::tests_slots), ["masked", "bitmap", "hashed"]);
        assert_eq!(level_names(Level::is_table), ["masked", "bitmap", "hashed"]);
        let lists = ["compressed", "singleton", "hashed", "compressed_aos", "singleton_aos", "list"];
        assert_eq!(level_names(Level::lists_coords), lists);
        assert_eq!(level_names(Level::is_masked), ["masked", "bitmap"]);
        assert_eq!(level_names(Level::is_in_words), ["bitmap"]);
        assert_eq!(level_names(Level::is_prefix), ["sliced", "ragged"]);
        assert_eq!(level_names(Level::shares_cursors), ["compressed", "hashed", "compressed_aos", "list"]);
        assert_eq!(level_names(|l| l.insert().is_none()), ["runs", "lower", "upper"]);
        assert_eq!(level_names(|l| l.spec.assembly.appends), ["dense", "compressed", "singleton", "runs"]);
        let needs = level_names(|l| l.spec.needs != Needs::Nothing);
        assert_eq!(needs, ["range", "offset", "block", "singleton_aos", "banded", "lower", "upper"]);
    }
}
