//! Levels and their properties (formats thesis, table 4.1 and §4.1).

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

    const NAMES: [(Props, &'static str); 6] = [
        (Props::ORDERED, "ordered"),
        (Props::UNIQUE, "unique"),
        (Props::FULL, "full"),
        (Props::BRANCHLESS, "branchless"),
        (Props::COMPACT, "compact"),
        (Props::ZEROLESS, "zeroless"),
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
    /// Positions: where the children of a parent begin and end; one more element than there are parents.
    Pos,
    /// Coordinates: one element per stored child.
    Crd,
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

const POS: ArrayDecl = ArrayDecl { name: "pos", role: ArrayRole::Pos };
const CRD: ArrayDecl = ArrayDecl { name: "crd", role: ArrayRole::Crd };

/// Every coordinate of the dimension, implicitly; no arrays.
pub static DENSE: LevelSpec = LevelSpec {
    name: "dense",
    props: Props::ORDERED.with(Props::UNIQUE).with(Props::FULL).with(Props::COMPACT),
    optional: Props::NONE,
    arrays: &[],
};

/// A segment of coordinates per parent: `pos[p]..pos[p+1]` into `crd`.
pub static COMPRESSED: LevelSpec = LevelSpec {
    name: "compressed",
    props: Props::ORDERED.with(Props::UNIQUE).with(Props::COMPACT),
    optional: Props::ORDERED.with(Props::UNIQUE).with(Props::FULL).with(Props::ZEROLESS),
    arrays: &[POS, CRD],
};

/// Exactly one coordinate per parent: `crd[p]`.
pub static SINGLETON: LevelSpec = LevelSpec {
    name: "singleton",
    props: Props::ORDERED.with(Props::UNIQUE).with(Props::BRANCHLESS).with(Props::COMPACT),
    optional: Props::ORDERED.with(Props::UNIQUE).with(Props::FULL).with(Props::ZEROLESS),
    arrays: &[CRD],
};

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
    if name == "ordered" { "unordered".into() } else { format!("non{name}") }
}
