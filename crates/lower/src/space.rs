//! The iteration algebra: which coordinates of one variable a statement must visit.
//!
//! A [`Space`] combines the coordinate sets of walked levels ([`Leaf`]) by union, intersection and complement
//! (array-programming paper, §5.1). [`derive()`] reads it off operator properties and fill values (§5.2). Levels that can be
//! located hold every coordinate, so they count as the universe and never drive a loop.
//!
//! Most sets are known from above only: `A(i) > 0.5` is false outside of what `A` stores, and perhaps inside as well. Of
//! such a set there is no complement, so [`Support`] tells the two kinds apart, and [`Exact`] alone can be complemented.
//!
//! A set also says where operands must be told apart: the regions of `U ∪ A` are `A` and the rest, though both together
//! are the universe. A factor that does not limit a product joins it as `U ∪ factor` (the augmentation of §6.3), so that
//! each of its own regions is met.

use crate::lattice::tells_apart;
use openwork_algebra::operator::Space as Template;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::Arena;
use openwork_index::expr::fill_of_call;
use openwork_index::{Access, Expr, IndexId, Kind, Stmt, Tensor, TensorId};
use std::collections::{BTreeMap, BTreeSet};

/// The largest set that is written out; an `^` of seven operands has some 400 nodes.
const NODES: usize = 2048;

/// A level of an access that must be walked to find its coordinates.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf {
    /// The access.
    pub access: Access,
    /// Its level (storage order).
    pub level: usize,
}

/// A set of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Space {
    /// No coordinate.
    Empty,
    /// Every coordinate of the dimension.
    Universe,
    /// The coordinates stored in a level.
    Leaf(Leaf),
    /// All others.
    Not(Box<Space>),
    /// In both.
    And(Box<Space>, Box<Space>),
    /// In either.
    Or(Box<Space>, Box<Space>),
}

impl Space {
    /// The intersection; the universe simplifies.
    pub fn and(self, other: Space) -> Space {
        match (self, other) {
            (Space::Empty, _) | (_, Space::Empty) => Space::Empty,
            (Space::Universe, x) | (x, Space::Universe) => x,
            (a, b) if a == b => a,
            (a, b) => Space::And(Box::new(a), Box::new(b)),
        }
    }
    /// The union; the universe does not swallow what has to be told apart.
    pub fn or(self, other: Space) -> Space {
        match (self, other) {
            (Space::Empty, x) | (x, Space::Empty) => x,
            (a, b) if a == b => a,
            (a, b) => Space::Or(Box::new(a), Box::new(b)),
        }
    }
    /// All coordinates, told apart as this set tells them apart.
    pub fn everywhere(self) -> Space {
        Space::Universe.or(self)
    }
    /// Every leaf that occurs.
    pub fn leaves(&self) -> BTreeSet<Leaf> {
        match self {
            Space::Empty | Space::Universe => BTreeSet::new(),
            Space::Leaf(l) => [l.clone()].into(),
            Space::Not(a) => a.leaves(),
            Space::And(a, b) | Space::Or(a, b) => a.leaves().into_iter().chain(b.leaves()).collect(),
        }
    }
    /// How large the set is, written out.
    fn nodes(&self) -> usize {
        match self {
            Space::Empty | Space::Universe | Space::Leaf(_) => 1,
            Space::Not(a) => 1 + a.nodes(),
            Space::And(a, b) | Space::Or(a, b) => 1 + a.nodes() + b.nodes(),
        }
    }
    /// At most this many regions have to be told apart: no more than there are sets of its leaves, however often these
    /// occur.
    pub fn regions(&self) -> usize {
        let subsets = 1usize.checked_shl(self.leaves().len() as u32).unwrap_or(usize::MAX);
        self.regions_apart().min(subsets)
    }
    /// As many regions as there would be if no leaf occurred twice.
    fn regions_apart(&self) -> usize {
        match self {
            Space::Empty => 0,
            Space::Universe | Space::Leaf(_) => 1,
            Space::Not(_) => 2,
            Space::And(a, b) => a.regions_apart().saturating_mul(b.regions_apart()),
            Space::Or(a, b) => {
                let (a, b) = (a.regions_apart(), b.regions_apart());
                a.saturating_mul(b).saturating_add(a).saturating_add(b)
            }
        }
    }
    /// The leaves, if the set is their union and nothing else.
    pub fn as_union(&self) -> Option<BTreeSet<Leaf>> {
        match self {
            Space::Leaf(l) => Some([l.clone()].into()),
            Space::Or(a, b) => Some(a.as_union()?.into_iter().chain(b.as_union()?).collect()),
            Space::Empty | Space::Universe | Space::Not(_) | Space::And(..) => None,
        }
    }
    /// Whether a coordinate that is stored in exactly the leaves of `present` belongs to the set.
    pub fn contains(&self, present: &BTreeSet<Leaf>) -> bool {
        match self {
            Space::Empty => false,
            Space::Universe => true,
            Space::Leaf(l) => present.contains(l),
            Space::Not(a) => !a.contains(present),
            Space::And(a, b) => a.contains(present) && b.contains(present),
            Space::Or(a, b) => a.contains(present) || b.contains(present),
        }
    }
}

/// A set that an expression is known to differ on from the value it has elsewhere: at every coordinate of it, unless an
/// operand stores its own fill value there.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact(Space);

impl Exact {
    /// The coordinates of a last level: what is stored there is an element.
    pub fn leaf(leaf: Leaf) -> Exact {
        Exact(Space::Leaf(leaf))
    }
    /// Every coordinate.
    pub fn everything() -> Exact {
        Exact(Space::Universe)
    }
    /// In both.
    pub fn and(self, other: Exact) -> Exact {
        Exact(self.0.and(other.0))
    }
    /// In either.
    pub fn or(self, other: Exact) -> Exact {
        Exact(self.0.or(other.0))
    }
    /// All others, the complement pushed down to the leaves (De Morgan).
    pub fn complement(self) -> Exact {
        fn not(s: Space) -> Space {
            match s {
                Space::Empty => Space::Universe,
                Space::Universe => Space::Empty,
                leaf @ Space::Leaf(_) => Space::Not(Box::new(leaf)),
                Space::Not(inner) => *inner,
                Space::And(a, b) => not(*a).or(not(*b)),
                Space::Or(a, b) => not(*a).and(not(*b)),
            }
        }
        Exact(not(self.0))
    }
    /// The set.
    pub fn set(self) -> Space {
        self.0
    }
}

/// Where an expression differs from the value it has elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// Everywhere in the set.
    Exact(Exact),
    /// Nowhere else.
    Within(Space),
}

impl Support {
    fn space(&self) -> &Space {
        match self {
            Support::Exact(Exact(space)) | Support::Within(space) => space,
        }
    }
    /// The set.
    pub fn set(self) -> Space {
        match self {
            Support::Exact(exact) => exact.set(),
            Support::Within(space) => space,
        }
    }
    fn and(self, other: Support) -> Support {
        match (self, other) {
            (Support::Exact(a), Support::Exact(b)) => Support::Exact(a.and(b)),
            (a, b) => Support::Within(a.set().and(b.set())),
        }
    }
    fn or(self, other: Support) -> Support {
        match (self, other) {
            (Support::Exact(a), Support::Exact(b)) => Support::Exact(a.or(b)),
            (a, b) => Support::Within(a.set().or(b.set())),
        }
    }
    /// Of a set that is known from above only, the complement may be anything.
    fn complement(self) -> Support {
        match self {
            Support::Exact(exact) => Support::Exact(exact.complement()),
            Support::Within(space) => Support::Within(space.everywhere()),
        }
    }
}

/// The set of coordinates of `var` that `stmt` must visit.
pub fn derive(stmt: &Stmt, var: IndexId, tensors: &Arena<TensorId, Tensor>) -> Space {
    Deriver { var, tensors, temps: BTreeMap::new() }.stmt(stmt)
}

/// Where an expression varies.
#[derive(Clone)]
struct Part {
    support: Support,
    /// The constant value taken elsewhere; `None`: not one constant.
    outside: Option<Scalar>,
}

impl Part {
    fn within(space: Space, outside: Option<Scalar>) -> Part {
        Part { support: Support::Within(space), outside }
    }
    fn set(self) -> Space {
        self.support.set()
    }
}

struct Deriver<'a> {
    var: IndexId,
    tensors: &'a Arena<TensorId, Tensor>,
    /// Temporaries that are filled inside the statement.
    temps: BTreeMap<TensorId, Part>,
}

impl Deriver<'_> {
    fn stmt(&mut self, s: &Stmt) -> Space {
        match s {
            Stmt::Nop => Space::Empty,
            Stmt::Forall { body, .. } => self.stmt(body),
            Stmt::Seq(all) | Stmt::Multi(all) => {
                all.iter().fold(Space::Empty, |space, s| space.or(self.stmt(s)))
            }
            Stmt::Where { consumer, producer } => {
                let space = self.stmt(producer);
                for (lhs, _, _) in producer.assignments() {
                    let t = &self.tensors[lhs.tensor];
                    if t.kind == Kind::Temp {
                        // The temporary keeps its first value where the producer has nothing to visit.
                        self.temps.insert(lhs.tensor, Part::within(space.clone(), Some(t.fill)));
                    }
                }
                self.stmt(consumer)
            }
            // Nothing happens where nothing is stored.
            Stmt::Assign { rhs: rhs @ (Expr::Map { .. } | Expr::Stored { .. }), .. } => self.expr(rhs).set(),
            Stmt::Assign { lhs, op, rhs } => {
                let Part { support, outside } = self.expr(rhs);
                let target = &self.tensors[lhs.tensor];
                let harmless = match op {
                    Some(op) => op.identity_at(1, target.dtype),
                    None => Some(target.fill),
                };
                match (outside, harmless) {
                    (Some(a), Some(b)) if a.same(b) => support.set(),
                    _ => support.set().everywhere(),
                }
            }
        }
    }

    fn expr(&self, e: &Expr) -> Part {
        match e {
            // It differs from its value nowhere, so where an algebra complements it, it does everywhere.
            Expr::Literal(s) => {
                Part { support: Support::Exact(Exact::everything().complement()), outside: Some(*s) }
            }
            Expr::Index(_) => Part::within(Space::Universe, None),
            Expr::Access(a) => self.access(a),
            Expr::Cast { to, arg } => {
                let Part { support, outside } = self.expr(arg);
                Part::within(support.set(), outside.map(|s| s.cast(*to)))
            }
            Expr::Call { op, args } => self.call(op, args),
            Expr::Map { of, to } => {
                Part::within(self.access(of).set(), Some(Scalar::zero(to.dtype(self.tensors))))
            }
            Expr::Beside { value, at } => {
                let Part { support, outside } = self.expr(value);
                let usual = support.set();
                // There, no operand limits the others: each has to be told apart.
                let all = value.accesses().into_iter().map(|a| self.access(a).set());
                let apart = all.fold(Space::Universe, Space::or);
                Part::within(usual.or(self.access(at).set().and(apart)), outside)
            }
            Expr::Stored { of, to } => {
                let mut set = self.expr(of).set();
                // What is folded there is made of the same elements, but perhaps kept in another list.
                to.visit(&mut |e| {
                    if let Expr::WithFill { folded, visited, .. } = e {
                        set = set.clone().or(self.expr(folded).set()).or(self.expr(visited).set());
                    }
                });
                Part::within(set, Some(Scalar::zero(to.dtype(self.tensors))))
            }
            // Where nothing is folded there is a value as well, of which there is no constant: perhaps there is no coordinate.
            Expr::WithFill { folded, visited, .. } => {
                let apart = self.expr(folded).set().or(self.expr(visited).set());
                Part::within(apart.everywhere(), None)
            }
            Expr::Width(of) => Part::within(self.access(of).set(), Some(Scalar::I64(0))),
            Expr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    fn access(&self, a: &Access) -> Part {
        let t = &self.tensors[a.tensor];
        if let Some(part) = self.temps.get(&a.tensor) {
            return part.clone();
        }
        if t.format.is_dense() {
            return Part::within(Space::Universe, None);
        }
        let walked = (0..t.format.rank())
            .find(|&k| a.vars[t.format.modes[k]] == self.var && !t.format.levels[k].is_dense());
        let support = match walked {
            // Under a coordinate of an upper level there may be anything.
            Some(level) if level + 1 == t.format.rank() => {
                Support::Exact(Exact::leaf(Leaf { access: a.clone(), level }))
            }
            Some(level) => Support::Within(Space::Leaf(Leaf { access: a.clone(), level })),
            None => Support::Within(Space::Universe),
        };
        Part { support, outside: (!t.format.is_full()).then_some(t.fill) }
    }

    /// The cases of the paper's §5.2, in its order: an explicit algebra, an annihilator, else the union.
    fn call(&self, op: &Operator, args: &[Expr]) -> Part {
        let parts: Vec<Part> = args.iter().map(|a| self.expr(a)).collect();
        let fills: Vec<Option<Scalar>> = parts.iter().map(|p| p.outside).collect();
        let outside = fill_of_call(op, &fills);
        if op.prim == Prim::Select {
            return choice(parts, outside);
        }
        let dtype = args[0].dtype(self.tensors);
        if let Some((template, outside)) = op.space_for(&fills, dtype) {
            return Part { support: explicit(template, &parts), outside: Some(outside) };
        }
        let annihilates = |n: usize| match (fills[n], op.annihilator_at(n, dtype)) {
            (Some(fill), Some(a)) => fill.same(a) && outside.is_some_and(|o| o.same(a)),
            _ => false,
        };
        let supports = parts.into_iter().map(|p| p.support);
        let support = if (0..args.len()).all(annihilates) {
            supports.reduce(Support::and)
        } else if (0..args.len()).any(annihilates) {
            let apart = |(n, s): (usize, Support)| {
                if annihilates(n) { s } else { Support::Within(s.set().everywhere()) }
            };
            supports.enumerate().map(apart).reduce(Support::and)
        } else {
            supports.reduce(Support::or)
        };
        let support = support.unwrap_or(Support::Within(Space::Empty));
        // Truth values that differ from one of them are the other one; of other values nothing is known.
        let same_fills = fills.iter().all(|f| f.is_some() && *f == fills[0]);
        let decides = matches!(
            op.prim,
            Prim::And | Prim::Or | Prim::Not | Prim::Mul | Prim::Add | Prim::Min | Prim::Max
        );
        match support {
            exact @ Support::Exact(_) if dtype == DType::Bool && same_fills && decides => {
                Part { support: exact, outside }
            }
            support => Part::within(support.set(), outside),
        }
    }
}

/// Of `where(c, a, b)`, the value that is chosen where nothing is stored of `c` decides outside: the other one is told apart
/// inside of `c` only.
fn choice(parts: Vec<Part>, outside: Option<Scalar>) -> Part {
    let chosen = parts[0].outside;
    let [c, a, b] = [0, 1, 2].map(|n| parts[n].support.clone().set());
    // Where the other one has the value from outside as well, it limits the choice.
    let same = |n: usize| matches!((parts[n].outside, outside), (Some(x), Some(y)) if x.same(y));
    let told = |n: usize, space: Space| if same(n) { space } else { space.everywhere() };
    let space = match chosen {
        Some(Scalar::Bool(false)) => c.clone().and(told(1, a)).or(b.and(c.everywhere())),
        Some(Scalar::Bool(true)) => c.clone().and(told(2, b)).or(a.and(c.everywhere())),
        _ if same(1) && same(2) => a.or(b).and(c.everywhere()),
        _ => c.or(a).or(b),
    };
    Part::within(space, outside)
}

/// An operator's own algebra, with the arguments' sets for its variables.
fn explicit(template: &Template, parts: &[Part]) -> Support {
    fn fill_in(t: &Template, parts: &[Part]) -> Support {
        match t {
            Template::Arg(n, _) => parts[*n].support.clone(),
            Template::Not(a) => fill_in(a, parts).complement(),
            Template::And(a, b) => fill_in(a, parts).and(fill_in(b, parts)),
            Template::Or(a, b) => fill_in(a, parts).or(fill_in(b, parts)),
        }
    }
    let support = fill_in(template, parts);
    let leaves = || parts.iter().flat_map(|p| p.support.space().leaves());
    if support.space().nodes() > NODES {
        // A template that mentions an argument twice doubles what is below it. There are too many regions then, or the
        // same few over and over: each leaf is told apart everywhere.
        return Support::Within(leaves().map(Space::Leaf).fold(Space::Universe, Space::or));
    }
    // Arguments that do not decide whether there is a value do decide which (the augmentation of §6.3).
    leaves().fold(support, |support, leaf| match tells_apart(support.space(), &leaf) {
        true => support,
        false => support.and(Support::Exact(Exact(Space::Leaf(leaf).everywhere()))),
    })
}
