//! Iteration lattices: the regions of a [`Space`] and the order in which loops exhaust them.
//!
//! Built by the segment, complement, intersection and union rules of algorithm 1 of the array-programming paper (§6.3),
//! then simplified by level properties (formats thesis, §4.2.2). A point names the leaves that are present in a region; a
//! *producer* point computes there, an *omitter* point says that nothing but explicit fill values lead to a value there.

use crate::space::{Leaf, Space};
use std::collections::{BTreeSet, HashMap};

/// The most regions that loops are written for: those of a union of seven levels.
pub const REGIONS: usize = 127;

/// Whether a region computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionRole {
    /// Values are computed.
    Producer,
    /// The value is the fill value, unless an operand stores its own fill value.
    Omitter,
}

/// A region: the coordinates that are stored in exactly `leaves`.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The leaves that are present.
    pub leaves: BTreeSet<Leaf>,
    /// Whether the region's loop runs over the whole dimension.
    pub extent: Extent,
    /// What happens there.
    pub role: RegionRole,
}

/// What bounds the loop of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The stored coordinates of its leaves.
    Stored,
    /// The whole dimension.
    Dimension,
}

/// The points, larger ones first.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Sorted by falling number of leaves; the first one is the top.
    pub points: Vec<Point>,
}

impl Lattice {
    /// The lattice of a space, if that has no more than [`REGIONS`]: beyond, nobody wants its loops.
    pub fn from_space(space: &Space) -> Option<Lattice> {
        (space.regions() <= REGIONS).then(|| Lattice::build(space))
    }
    /// The lattice of a space, however many regions it has.
    pub fn build(space: &Space) -> Lattice {
        let all: Vec<Leaf> = space.leaves().into_iter().collect();
        let point = |(members, extent): LatticeRegion| {
            let leaves = members.leaves(&all);
            let role = if space.contains(&leaves) { RegionRole::Producer } else { RegionRole::Omitter };
            Point { leaves, extent, role }
        };
        let mut lattice = Lattice { points: regions(space, &all).into_iter().map(point).collect() };
        lattice.prune();
        lattice.points.sort_by(|a, b| b.leaves.len().cmp(&a.leaves.len()).then(a.leaves.cmp(&b.leaves)));
        lattice
    }
    /// Drops points beside which the same point with every full level merged too is left: full levels are present
    /// everywhere, and once one is exhausted, everything is. Walking a full level visits the whole dimension.
    pub fn simplify(mut self, full: &dyn Fn(&Leaf) -> bool) -> Lattice {
        let must: BTreeSet<Leaf> =
            self.points.iter().flat_map(|p| p.leaves.iter().filter(|l| full(l)).cloned()).collect();
        let all: BTreeSet<BTreeSet<Leaf>> = self.points.iter().map(|p| p.leaves.clone()).collect();
        let occurs = |p: &Point| must.is_subset(&p.leaves) || !all.contains(&(&p.leaves | &must));
        self.points.retain(occurs);
        if !must.is_empty() && self.points.iter().all(|p| must.is_subset(&p.leaves)) {
            self.points.iter_mut().for_each(|p| p.extent = Extent::Stored);
        }
        self
    }
    /// The numbers of the points whose regions can occur while the leaves of point `n` are not exhausted, larger ones first.
    pub fn points_below(&self, n: usize) -> Vec<usize> {
        let leaves = &self.points[n].leaves;
        (0..self.points.len()).filter(|&q| self.points[q].leaves.is_subset(leaves)).collect()
    }
    /// The top of the lattice of a union alone: its other points are all the smaller sets of leaves, too many to list.
    pub fn of_union(leaves: BTreeSet<Leaf>) -> Lattice {
        Lattice { points: vec![Point { leaves, extent: Extent::Stored, role: RegionRole::Producer }] }
    }
    /// Omitters that lie above no producer are the same as missing points.
    fn prune(&mut self) {
        let producers: Vec<BTreeSet<Leaf>> =
            self.points.iter().filter(|p| p.role == RegionRole::Producer).map(|p| p.leaves.clone()).collect();
        self.points
            .retain(|p| p.role == RegionRole::Producer || producers.iter().any(|q| q.is_subset(&p.leaves)));
    }
}

/// Whether a region of a set in which `leaf` is missing has its like with `leaf`, wherever that belongs to the set: then what
/// is computed there knows whether the operand is.
pub(crate) fn tells_apart(space: &Space, leaf: &Leaf) -> bool {
    if let Some(all) = space.as_union() {
        return all.contains(leaf);
    }
    if space.regions() > REGIONS {
        return false;
    }
    let all: Vec<Leaf> = space.leaves().into_iter().collect();
    let known: BTreeSet<BTreeSet<Leaf>> =
        regions(space, &all).into_iter().map(|(members, _)| members.leaves(&all)).collect();
    known.iter().filter(|region| !region.contains(leaf)).all(|region| {
        let with = region | &BTreeSet::from([leaf.clone()]);
        !space.contains(&with) || known.contains(&with)
    })
}

/// A set of leaves by their numbers in a sorted list of all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct LeafSet(Vec<u64>);

impl LeafSet {
    fn empty(leaves: &[Leaf]) -> LeafSet {
        LeafSet(vec![0; leaves.len().div_ceil(64)])
    }
    fn one(leaf: &Leaf, leaves: &[Leaf]) -> LeafSet {
        let mut set = LeafSet::empty(leaves);
        if let Ok(n) = leaves.binary_search(leaf) {
            set.0[n / 64] |= 1 << (n % 64);
        }
        set
    }
    fn union(&self, other: &LeafSet) -> LeafSet {
        LeafSet(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }
    fn leaves(&self, leaves: &[Leaf]) -> BTreeSet<Leaf> {
        let held = |n: &usize| self.0[n / 64] >> (n % 64) & 1 == 1;
        (0..leaves.len()).filter(held).map(|n| leaves[n].clone()).collect()
    }
}

type LatticeRegion = (LeafSet, Extent);

/// The leaf sets of the regions, by the rules of algorithm 1. Roles are not paired up rule by rule as there: a pair of
/// points that disagree about a repeated operand would have to be filtered out, which loses regions. The algebra itself
/// says what each region is.
fn regions(space: &Space, leaves: &[Leaf]) -> Vec<LatticeRegion> {
    match space {
        Space::Empty => Vec::new(),
        Space::Universe => vec![(LeafSet::empty(leaves), Extent::Dimension)],
        Space::Leaf(l) => vec![(LeafSet::one(l, leaves), Extent::Stored)],
        Space::Not(inner) => {
            let none = LeafSet::empty(leaves);
            let all = inner.leaves().iter().fold(none.clone(), |all, l| all.union(&LeafSet::one(l, leaves)));
            vec![(all, Extent::Dimension), (none, Extent::Dimension)]
        }
        Space::And(a, b) => distinct(product(&regions(a, leaves), &regions(b, leaves), |l, r| match l {
            Extent::Dimension => r,
            Extent::Stored => Extent::Stored,
        })),
        Space::Or(a, b) => {
            let (left, right) = (regions(a, leaves), regions(b, leaves));
            let merged = product(&left, &right, |l, r| match l {
                Extent::Dimension => Extent::Dimension,
                Extent::Stored => r,
            });
            distinct(merged.chain(left.iter().cloned()).chain(right.iter().cloned()))
        }
    }
}

fn product<'r>(
    left: &'r [LatticeRegion],
    right: &'r [LatticeRegion],
    extent: impl Fn(Extent, Extent) -> Extent + 'r,
) -> impl Iterator<Item = LatticeRegion> + 'r {
    let pairs = left.iter().flat_map(move |l| right.iter().map(move |r| (l, r)));
    pairs.map(move |(l, r)| (l.0.union(&r.0), extent(l.1, r.1)))
}

/// Each leaf set once; the wider extent wins.
fn distinct(regions: impl Iterator<Item = LatticeRegion>) -> Vec<LatticeRegion> {
    let mut places: HashMap<LeafSet, usize> = HashMap::new();
    let mut out: Vec<LatticeRegion> = Vec::new();
    for (members, extent) in regions {
        match places.get(&members) {
            None => {
                places.insert(members.clone(), out.len());
                out.push((members, extent));
            }
            Some(&n) if extent == Extent::Dimension => out[n].1 = extent,
            Some(_) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Exact;
    use openwork_base::Id;
    use openwork_index::{Access, TensorId};

    fn leaf(n: usize) -> Leaf {
        Leaf { access: Access { tensor: TensorId::new(n), vars: Vec::new() }, level: 0 }
    }
    fn a(n: usize) -> Space {
        Space::Leaf(leaf(n))
    }
    fn show(l: &Lattice) -> String {
        let one = |p: &Point| {
            let mut s: String =
                p.leaves.iter().map(|l| (b'a' + l.access.tensor.index() as u8) as char).collect();
            s.push_str(if p.extent == Extent::Dimension { "U" } else { "" });
            s.push_str(if p.role == RegionRole::Omitter { "!" } else { "" });
            s
        };
        l.points.iter().map(one).collect::<Vec<_>>().join(" ")
    }
    /// The complement, of a set that holds what its leaves store.
    fn not(s: Space) -> Space {
        exact(&s).complement().set()
    }
    fn exact(s: &Space) -> Exact {
        match s {
            Space::Leaf(l) => Exact::leaf(l.clone()),
            Space::Not(a) => exact(a).complement(),
            Space::And(a, b) => exact(a).and(exact(b)),
            Space::Or(a, b) => exact(a).or(exact(b)),
            Space::Empty | Space::Universe => Exact::everything(),
        }
    }

    #[test]
    fn the_lattices_of_the_paper() {
        for (space, want) in [
            (a(0).and(a(1)), "ab"),
            (a(0).or(a(1)), "ab a b"),
            (a(0).and(not(a(1))), "ab! a"),
            (a(0).or(not(a(1))), "abU aU bU! U"),
            (a(0).or(a(1)).and(not(a(0).and(a(1)))), "ab! a b"),
            (a(0).or(a(0).and(a(1))), "ab a"),
            (Space::Universe.or(a(0)), "aU U"),
            (a(0).and(a(1).extend_everywhere()), "ab a"),
            (a(0).and(a(1)).or(a(2)).and(a(0).extend_everywhere()), "abc ab ac c"),
            (a(0).and(a(1)).extend_everywhere(), "abU U"),
            (a(0).or(a(1)).or(a(2)), "abc ab ac bc a b c"),
            (a(0).and(a(1).or(a(2))), "abc ab ac"),
        ] {
            assert_eq!(show(&Lattice::build(&space)), want, "{space:?}");
        }
    }

    #[test]
    fn unions_are_recognised() {
        assert_eq!(a(0).or(a(1)).or(a(2)).as_union().map(|l| l.len()), Some(3));
        assert_eq!(a(0).or(a(1).and(a(2))).as_union(), None);
        assert_eq!(Space::Universe.or(a(1)).as_union(), None);
    }

    /// A small deterministic source of spaces.
    fn random(seed: &mut u64, depth: u32) -> Space {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let pick = (*seed >> 33) % if depth == 0 { 3 } else { 7 };
        match pick {
            0..=2 => a(((*seed >> 40) % 3) as usize),
            3 => random(seed, depth - 1).and(random(seed, depth - 1)),
            4 => random(seed, depth - 1).or(random(seed, depth - 1)),
            5 => not(random(seed, depth - 1)),
            _ => random(seed, depth - 1).extend_everywhere(),
        }
    }

    #[test]
    fn every_region_of_the_algebra_is_a_point_and_nothing_else_computes() {
        let mut seed = 7;
        for _ in 0..3000 {
            let space = random(&mut seed, 3);
            let lattice = Lattice::build(&space);
            for subset in 0..8u32 {
                let present: BTreeSet<Leaf> = (0..3).filter(|n| subset >> n & 1 == 1).map(leaf).collect();
                let known: BTreeSet<Leaf> = present.intersection(&space.leaves()).cloned().collect();
                let hit = lattice.points.iter().find(|p| p.leaves.is_subset(&known));
                let computes = hit.is_some_and(|p| p.role == RegionRole::Producer);
                assert_eq!(
                    computes,
                    space.contains(&present),
                    "{space:?} at {present:?}: {}",
                    show(&lattice)
                );
            }
        }
    }
}
