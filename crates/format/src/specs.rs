//! The declarations of the level formats (formats thesis, §3.1 and tables 4.1 and 4.2; the last seven are ours).

use std::sync::{PoisonError, RwLock};

use crate::level::{ArrayDecl, ArrayRole, Assembly, Coords, Empties, InsertBy, LevelSpec, Needs, Props};

const POS: ArrayDecl = ArrayDecl { name: "pos", role: ArrayRole::Pos };
const CRD: ArrayDecl = ArrayDecl { name: "crd", role: ArrayRole::Crd };
const SORTED: Props = Props::ORDERED.union(Props::UNIQUE);
const CHOSEN: Props = Props::ORDERED.union(Props::UNIQUE).union(Props::FULL).union(Props::ZEROLESS);

const fn make_assembly(appends: bool, insert: Option<InsertBy>) -> Assembly {
    Assembly { appends, insert }
}

/// What every level declared here says of itself.
const BUILT_IN: LevelSpec = LevelSpec { any_coords: true, ..LevelSpec::BASE };

/// Every coordinate of the dimension, implicitly; no arrays.
pub static DENSE: LevelSpec = LevelSpec {
    name: "dense",
    props: SORTED.union(Props::FULL).union(Props::COMPACT),
    optional: Props::NONE,
    arrays: &[],
    coords: Coords::Every,
    empties: Empties::Never,
    spreads: true,
    assembly: make_assembly(true, Some(InsertBy::COMPUTED)),
    ..BUILT_IN
};

/// A segment of coordinates per parent: `pos[p]..pos[p+1]` into `crd`.
pub static COMPRESSED: LevelSpec = LevelSpec {
    name: "compressed",
    props: SORTED.union(Props::COMPACT),
    optional: CHOSEN,
    arrays: &[POS, CRD],
    coords: Coords::Stored,
    empties: Empties::Never,
    spreads: false,
    assembly: make_assembly(true, Some(InsertBy::Yielded)),
    query: Some("select [above] -> count(own) as n"),
    rising: true,
    ..BUILT_IN
};

/// Exactly one coordinate per parent: `crd[p]`; when padded, at most one.
pub static SINGLETON: LevelSpec = LevelSpec {
    name: "singleton",
    props: SORTED.union(Props::BRANCHLESS).union(Props::COMPACT),
    optional: CHOSEN.union(Props::PADDED),
    arrays: &[CRD],
    coords: Coords::Stored,
    empties: Empties::WherePadded,
    spreads: true,
    assembly: make_assembly(true, Some(InsertBy::Inherited)),
    ..BUILT_IN
};

/// Every coordinate has a slot; `mask` tells which ones are there.
pub static MASKED: LevelSpec = LevelSpec {
    name: "masked",
    props: SORTED,
    optional: Props::ZEROLESS,
    arrays: &[ArrayDecl { name: "mask", role: ArrayRole::Mask }],
    coords: Coords::Stored,
    empties: Empties::Always,
    spreads: true,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    ..BUILT_IN
};

/// Every coordinate has a slot; one bit tells whether it is there, 64 to a word.
pub static BITMAP: LevelSpec = LevelSpec {
    name: "bitmap",
    props: SORTED,
    optional: Props::ZEROLESS,
    arrays: &[ArrayDecl { name: "bits", role: ArrayRole::Words }],
    coords: Coords::Stored,
    empties: Empties::Always,
    spreads: true,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    ..BUILT_IN
};

/// The coordinates `0..width`, with one `width` for all parents.
pub static SLICED: LevelSpec = LevelSpec {
    name: "sliced",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[ArrayDecl { name: "width", role: ArrayRole::Size(1) }],
    coords: Coords::Interval,
    empties: Empties::Never,
    spreads: true,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    query: Some("select [] -> max(own) as w"),
    ..BUILT_IN
};

/// The `count` coordinates of `perm`, the same for all parents.
pub static SQUEEZED: LevelSpec = LevelSpec {
    name: "squeezed",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[
        ArrayDecl { name: "count", role: ArrayRole::Size(1) },
        ArrayDecl { name: "perm", role: ArrayRole::Crd },
    ],
    coords: Coords::Interval,
    empties: Empties::Never,
    spreads: true,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    query: Some("select [own] -> id() as nz"),
    ..BUILT_IN
};

/// The interval that the coordinate above leaves: row coordinates of a diagonal.
pub static RANGE: LevelSpec = LevelSpec {
    name: "range",
    props: SORTED,
    optional: Props::ZEROLESS,
    arrays: &[],
    coords: Coords::Interval,
    empties: Empties::Always,
    spreads: true,
    needs: Needs::Band,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    ..BUILT_IN
};

/// One coordinate, computed from a sum or difference stored above: the column of a diagonal's row.
pub static OFFSET: LevelSpec = LevelSpec {
    name: "offset",
    props: SORTED.union(Props::BRANCHLESS).union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[],
    coords: Coords::Derived,
    empties: Empties::Always,
    spreads: true,
    needs: Needs::Formula,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    ..BUILT_IN
};

/// One coordinate, computed from a quotient and a remainder stored above: the row of a block's row.
pub static BLOCK: LevelSpec = LevelSpec {
    name: "block",
    props: SORTED.union(Props::BRANCHLESS).union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[],
    coords: Coords::Derived,
    empties: Empties::Always,
    spreads: true,
    needs: Needs::Formula,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    ..BUILT_IN
};

/// The coordinates `0..pos[p+1]-pos[p]` of parent `p`.
pub static RAGGED: LevelSpec = LevelSpec {
    name: "ragged",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[POS],
    coords: Coords::Interval,
    empties: Empties::Never,
    spreads: false,
    assembly: make_assembly(false, Some(InsertBy::SEQUENCED)),
    query: Some("select [above] -> max(own) as w"),
    rising: true,
    ..BUILT_IN
};

/// A hash table of `width` buckets per parent, open addressing; a non-unique level hashes the whole tuple that it
/// starts with the singletons below it.
pub static HASHED: LevelSpec = LevelSpec {
    name: "hashed",
    props: Props::UNIQUE,
    optional: Props::UNIQUE.union(Props::ZEROLESS),
    arrays: &[ArrayDecl { name: "width", role: ArrayRole::Size(1) }, CRD],
    coords: Coords::Stored,
    empties: Empties::Always,
    spreads: true,
    assembly: make_assembly(false, Some(InsertBy::Probed)),
    query: Some("select [above] -> count(own) as n"),
    ..BUILT_IN
};

/// A compressed level that keeps its coordinates and those of the levels right below it as array of structs.
pub static COMPRESSED_AOS: LevelSpec = LevelSpec {
    name: "compressed_aos",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ORDERED.union(Props::UNIQUE).union(Props::ZEROLESS),
    arrays: &[POS, CRD],
    coords: Coords::Stored,
    empties: Empties::Never,
    spreads: false,
    interleaves: true,
    assembly: make_assembly(false, Some(InsertBy::Yielded)),
    query: Some("select [above] -> count(own) as n"),
    rising: true,
    ..BUILT_IN
};

/// A singleton level whose coordinates lie in the structs of the `compressed_aos` level above it.
pub static SINGLETON_AOS: LevelSpec = LevelSpec {
    name: "singleton_aos",
    props: SORTED.union(Props::BRANCHLESS).union(Props::COMPACT),
    optional: Props::ORDERED.union(Props::UNIQUE).union(Props::ZEROLESS),
    arrays: &[],
    coords: Coords::Stored,
    empties: Empties::Never,
    spreads: true,
    needs: Needs::Head,
    assembly: make_assembly(false, Some(InsertBy::Inherited)),
    ..BUILT_IN
};

/// A list per parent with room to grow: `begin[p]..end[p]` into `crd`.
pub static LIST: LevelSpec = LevelSpec {
    name: "list",
    props: SORTED,
    optional: CHOSEN,
    arrays: &[
        ArrayDecl { name: "begin", role: ArrayRole::Pos },
        ArrayDecl { name: "end", role: ArrayRole::Pos },
        CRD,
    ],
    coords: Coords::Stored,
    empties: Empties::Always,
    spreads: false,
    assembly: make_assembly(false, Some(InsertBy::Yielded)),
    query: Some("select [above] -> count(own) as n"),
    ..BUILT_IN
};

/// Runs of equal values: run `r` of a parent covers the coordinates from the run before it up to `crd[r]`, exclusive.
pub static RUNS: LevelSpec = LevelSpec {
    name: "runs",
    props: SORTED.union(Props::FULL),
    optional: Props::NONE,
    arrays: &[POS, CRD],
    coords: Coords::Every,
    empties: Empties::Never,
    spreads: true,
    assembly: make_assembly(true, None),
    rising: true,
    ..BUILT_IN
};

/// The coordinates from `lower` below to `upper` above the parent's coordinate: `bounds = [lower, upper]`.
pub static BANDED: LevelSpec = LevelSpec {
    name: "banded",
    props: SORTED,
    optional: Props::ZEROLESS,
    arrays: &[ArrayDecl { name: "bounds", role: ArrayRole::Size(2) }],
    coords: Coords::Interval,
    empties: Empties::Always,
    spreads: true,
    needs: Needs::Above,
    assembly: make_assembly(false, Some(InsertBy::COMPUTED)),
    query: Some("select [] -> min(own - up) as lower, max(own - up) as upper"),
    ..BUILT_IN
};

/// The coordinates up to the parent's, packed: a lower triangle.
pub static LOWER: LevelSpec = LevelSpec {
    name: "lower",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[],
    coords: Coords::Interval,
    empties: Empties::Never,
    spreads: true,
    needs: Needs::DenseAbove,
    assembly: make_assembly(false, None),
    ..BUILT_IN
};

/// The coordinates from the parent's on, packed: an upper triangle.
pub static UPPER: LevelSpec = LevelSpec {
    name: "upper",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[],
    coords: Coords::Interval,
    empties: Empties::Never,
    spreads: true,
    needs: Needs::DenseAbove,
    assembly: make_assembly(false, None),
    ..BUILT_IN
};

/// One interval per parent: `pos[p+1]-pos[p]` coordinates from `first[p]` on.
pub static SKYLINE: LevelSpec = LevelSpec {
    name: "skyline",
    props: SORTED.union(Props::COMPACT),
    optional: Props::ZEROLESS,
    arrays: &[POS, ArrayDecl { name: "first", role: ArrayRole::Crd }],
    coords: Coords::Interval,
    empties: Empties::Never,
    spreads: false,
    assembly: make_assembly(false, Some(InsertBy::SEQUENCED)),
    query: Some("select [above] -> min(own) as first, max(own) as last"),
    rising: true,
    ..BUILT_IN
};

/// Every built-in level format.
pub static LEVELS: [&LevelSpec; 20] = [
    &DENSE,
    &COMPRESSED,
    &SINGLETON,
    &MASKED,
    &BITMAP,
    &SLICED,
    &SQUEEZED,
    &RANGE,
    &OFFSET,
    &BLOCK,
    &RAGGED,
    &HASHED,
    &COMPRESSED_AOS,
    &SINGLETON_AOS,
    &LIST,
    &RUNS,
    &BANDED,
    &LOWER,
    &UPPER,
    &SKYLINE,
];

/// What a comparison leaves of the coordinates: those from a first one up to a last one. No format has it: it is a level of sets
/// that statements name, with nothing kept of them.
pub static INTERVAL: LevelSpec = LevelSpec {
    name: "interval",
    props: SORTED.union(Props::COMPACT),
    coords: Coords::Interval,
    ..LevelSpec::BASE
};

/// The same of an equation: one coordinate, or none.
pub static POINT: LevelSpec = LevelSpec { name: "point", ..INTERVAL };

/// The same of what is no interval: each coordinate of the dimension is asked for.
pub static CHOSEN_ONES: LevelSpec =
    LevelSpec { name: "chosen", props: SORTED, empties: Empties::Always, ..INTERVAL };

static REGISTERED: RwLock<Vec<&'static LevelSpec>> = RwLock::new(Vec::new());

/// Makes a user-defined level known to format text in the whole process; once more changes nothing.
///
/// # Panics
/// If another declaration has the name: formats and tensors that were made with that would change their meaning.
pub fn register(spec: &'static LevelSpec) {
    let mut all = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let found = LEVELS.iter().chain(&*all).copied().find(|s| s.name == spec.name);
    match found {
        Some(other) => {
            let same = std::ptr::eq(other, spec);
            drop(all);
            assert!(same, "`{}` is the name of another level", spec.name);
        }
        None => all.push(spec),
    }
}
/// The registered user-defined levels.
pub fn registered_levels() -> Vec<&'static LevelSpec> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone()
}
