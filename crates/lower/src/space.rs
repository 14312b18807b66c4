//! The iteration algebra: which coordinates of one variable a statement must visit.
//!
//! A [`Space`] combines the coordinate sets of walked levels ([`Leaf`]) by union, intersection and complement
//! (array-programming paper, §5.1). [`derive()`] reads it off operator properties and fill values (§5.2). Levels that can be
//! located hold every coordinate, so they count as the universe and never drive a loop.

use openwork_algebra::operator::Space as Template;
use openwork_algebra::{DType, Operator, Scalar};
use openwork_base::Arena;
use openwork_format::specs::DENSE;
use openwork_index::expr::fill_of_call;
use openwork_index::{Access, Expr, IndexId, Kind, Stmt, Tensor, TensorId};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The same set, but telling apart where the given leaves are present: their values matter there. This stands for
    /// the augmentation `A ∪ (B ∩ ¬B)` of the paper (§6.3).
    Beside(Box<Space>, BTreeSet<Leaf>),
}

impl Space {
    /// The intersection; the universe and the empty set simplify.
    pub fn and(self, other: Space) -> Space {
        match (self, other) {
            (Space::Empty, _) | (_, Space::Empty) => Space::Empty,
            (Space::Universe, x) | (x, Space::Universe) => x,
            (a, b) if a == b => a,
            (a, b) => Space::And(Box::new(a), Box::new(b)),
        }
    }
    /// The union; the universe swallows, but remembers what it swallowed.
    pub fn or(self, other: Space) -> Space {
        match (self, other) {
            (Space::Empty, x) | (x, Space::Empty) => x,
            (Space::Universe, x) | (x, Space::Universe) => Space::Universe.beside(x.leaves()),
            (a, b) if a == b => a,
            (a, b) => Space::Or(Box::new(a), Box::new(b)),
        }
    }
    /// The complement, pushed down to the leaves (De Morgan). A complement of a level that has levels below it cannot
    /// leave anything out yet, so it is the universe beside the leaf; `last` tells which leaves are last levels. The
    /// universe stands for sets that are not known any better, so its complement is not known either.
    pub fn not(self, last: &dyn Fn(&Leaf) -> bool) -> Space {
        match self {
            Space::Empty | Space::Universe => Space::Universe,
            Space::Leaf(l) if last(&l) => Space::Not(Box::new(Space::Leaf(l))),
            Space::Leaf(l) => Space::Universe.beside([l].into()),
            Space::Not(inner) => *inner,
            Space::And(a, b) => a.not(last).or(b.not(last)),
            Space::Or(a, b) => a.not(last).and(b.not(last)),
            Space::Beside(inner, leaves) => inner.not(last).beside(leaves),
        }
    }
    /// The same set, told apart by more leaves.
    pub fn beside(self, leaves: BTreeSet<Leaf>) -> Space {
        if self == Space::Empty {
            return self;
        }
        let known = self.leaves();
        let mut more: BTreeSet<Leaf> = leaves.into_iter().filter(|l| !known.contains(l)).collect();
        match self {
            s if more.is_empty() => s,
            Space::Beside(inner, old) => {
                more.extend(old);
                Space::Beside(inner, more)
            }
            s => Space::Beside(Box::new(s), more),
        }
    }
    /// Every leaf that occurs.
    pub fn leaves(&self) -> BTreeSet<Leaf> {
        match self {
            Space::Empty | Space::Universe => BTreeSet::new(),
            Space::Leaf(l) => [l.clone()].into(),
            Space::Not(a) => a.leaves(),
            Space::And(a, b) | Space::Or(a, b) => a.leaves().into_iter().chain(b.leaves()).collect(),
            Space::Beside(a, more) => a.leaves().into_iter().chain(more.iter().cloned()).collect(),
        }
    }
    /// At most this many regions have to be told apart, as long as no leaf occurs twice.
    pub fn regions(&self) -> usize {
        match self {
            Space::Empty => 0,
            Space::Universe | Space::Leaf(_) => 1,
            Space::Not(_) => 2,
            Space::And(a, b) => a.regions().saturating_mul(b.regions()),
            Space::Or(a, b) => {
                let (a, b) = (a.regions(), b.regions());
                a.saturating_mul(b).saturating_add(a).saturating_add(b)
            }
            Space::Beside(a, more) => {
                let doubled = 1usize.checked_shl(more.len().min(63) as u32).unwrap_or(usize::MAX);
                a.regions().saturating_mul(doubled)
            }
        }
    }
    /// The leaves, if the set is their union and nothing else.
    pub fn as_union(&self) -> Option<BTreeSet<Leaf>> {
        match self {
            Space::Leaf(l) => Some([l.clone()].into()),
            Space::Or(a, b) => Some(a.as_union()?.into_iter().chain(b.as_union()?).collect()),
            Space::Empty | Space::Universe | Space::Not(_) | Space::And(..) | Space::Beside(..) => None,
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
            Space::Beside(a, _) => a.contains(present),
        }
    }
}

/// The set of coordinates of `var` that `stmt` must visit.
pub fn derive(stmt: &Stmt, var: IndexId, tensors: &Arena<TensorId, Tensor>) -> Space {
    Deriver { var, tensors, temps: BTreeMap::new() }.stmt(stmt)
}

/// A set, and the constant value taken outside it (`None`: not one constant).
type Part = (Space, Option<Scalar>);

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
                        self.temps.insert(lhs.tensor, (space.clone(), Some(t.fill)));
                    }
                }
                self.stmt(consumer)
            }
            // Nothing happens where nothing is stored.
            Stmt::Assign { rhs: rhs @ Expr::Map { .. }, .. } => self.expr(rhs).0,
            Stmt::Assign { lhs, op, rhs } => {
                let (space, outside) = self.expr(rhs);
                let target = &self.tensors[lhs.tensor];
                let harmless = match op {
                    Some(op) => op.identity_at(1, target.dtype),
                    None => Some(target.fill),
                };
                match (outside, harmless) {
                    (Some(a), Some(b)) if a.same(b) => space,
                    _ => Space::Universe.or(space),
                }
            }
        }
    }

    fn expr(&self, e: &Expr) -> Part {
        match e {
            Expr::Literal(s) => (Space::Empty, Some(*s)),
            Expr::Index(_) => (Space::Universe, None),
            Expr::Access(a) => self.access(a),
            Expr::Cast { to, arg } => {
                let (space, outside) = self.expr(arg);
                (space, outside.map(|s| s.cast(*to)))
            }
            Expr::Call { op, args } => self.call(op, args),
            Expr::Map { of, to } => (self.access(of).0, Some(Scalar::zero(to.dtype(self.tensors)))),
            Expr::Width(of) => (self.access(of).0, Some(Scalar::I64(0))),
            Expr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    fn access(&self, a: &Access) -> Part {
        let t = &self.tensors[a.tensor];
        if let Some(part) = self.temps.get(&a.tensor) {
            return part.clone();
        }
        if t.format.is_dense() {
            return (Space::Universe, None);
        }
        let walked = (0..t.format.rank())
            .find(|&k| a.vars[t.format.modes[k]] == self.var && t.format.levels[k].spec != &DENSE);
        let space = match walked {
            Some(level) => Space::Leaf(Leaf { access: a.clone(), level }),
            None => Space::Universe,
        };
        (space, (!t.format.is_full()).then_some(t.fill))
    }

    /// The cases of the paper's §5.2, in its order: an explicit algebra, an annihilator, else the union.
    fn call(&self, op: &Operator, args: &[Expr]) -> Part {
        let parts: Vec<Part> = args.iter().map(|a| self.expr(a)).collect();
        let fills: Vec<Option<Scalar>> = parts.iter().map(|(_, f)| *f).collect();
        let outside = fill_of_call(op, &fills);
        let dtype = args[0].dtype(self.tensors);
        if let Some(space) = self.explicit(op, &parts, dtype) {
            return (space, outside);
        }
        let annihilates = |n: usize| match (fills[n], op.annihilator_at(n, dtype)) {
            (Some(fill), Some(a)) => fill.same(a) && outside.is_some_and(|o| o.same(a)),
            _ => false,
        };
        if (0..args.len()).any(annihilates) {
            let mut space = Space::Universe;
            let mut others = BTreeSet::new();
            for (n, (part, _)) in parts.into_iter().enumerate() {
                if annihilates(n) {
                    space = space.and(part);
                } else {
                    others.extend(part.leaves());
                }
            }
            return (space.beside(others), outside);
        }
        let space = parts.into_iter().fold(Space::Empty, |space, (part, _)| space.or(part));
        (space, outside)
    }

    /// An operator's own algebra, with the arguments' sets for its variables, if their fills are its base value.
    fn explicit(&self, op: &Operator, parts: &[Part], dtype: DType) -> Option<Space> {
        let (template, base) = op.space.as_ref().filter(|_| op.space_kind == dtype.kind())?;
        let base = base.of(dtype)?;
        if !parts.iter().all(|(_, fill)| fill.is_some_and(|f| f.same(base))) {
            return None;
        }
        let last = |l: &Leaf| l.level + 1 == self.tensors[l.access.tensor].format.rank();
        fn fill_in(t: &Template, parts: &[Part], last: &dyn Fn(&Leaf) -> bool) -> Space {
            match t {
                Template::Arg(n) => parts[*n].0.clone(),
                Template::Not(a) => fill_in(a, parts, last).not(last),
                Template::And(a, b) => fill_in(a, parts, last).and(fill_in(b, parts, last)),
                Template::Or(a, b) => fill_in(a, parts, last).or(fill_in(b, parts, last)),
            }
        }
        Some(fill_in(template, parts, &last))
    }
}
