//! Levels and their properties (formats thesis, §4.1). The level formats themselves are declared in [`crate::specs`].

use std::fmt;

/// The properties of a level, as a small set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Props(u8);

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
    pub const fn with(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }
    /// This set less the other.
    pub const fn without(self, other: Props) -> Props {
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

/// What an index array of a level holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayRole {
    /// Positions, or numbers of children; of the format's position width.
    Pos,
    /// Coordinates, of the format's coordinate width.
    Crd,
    /// A few numbers that hold for the whole level (a width, a bandwidth); `i64`.
    Size,
    /// One truth value per position; `bool`.
    Mask,
    /// One bit per position, 64 to a word, bit 0 first; `i64`.
    Words,
    /// Small numbers, whatever the widths of the format; `u8`.
    Bytes,
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

/// How the coordinates of a level are known.
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
    pub fn without(self, props: Props) -> Level {
        Level { props: self.props.without(props), ..self }
    }
    /// Whether coordinates under one parent are in increasing order.
    pub fn ordered(self) -> bool {
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
    pub fn padded(self) -> bool {
        self.props.has(Props::PADDED)
    }
    /// Whether a parent that is an element may have slots here that hold no child.
    pub fn has_empties(self) -> bool {
        match self.spec.empties {
            Empties::Never => false,
            Empties::WherePadded => self.padded(),
            Empties::Always => true,
        }
    }
    /// Whether the level is of this kind.
    pub fn is(self, spec: &LevelSpec) -> bool {
        self.spec == spec
    }
}

impl fmt::Display for Level {
    /// `compressed`, or `compressed(nonunique)` where the properties differ from the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.name)?;
        let added = self.props.without(self.spec.props).names().map(str::to_string);
        let removed = self.spec.props.without(self.props).names().map(negated);
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
pub(crate) fn negated(name: &str) -> String {
    match name {
        "ordered" => "unordered".into(),
        "padded" => "unpadded".into(),
        _ => format!("non{name}"),
    }
}
