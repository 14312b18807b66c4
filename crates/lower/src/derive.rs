//! The set of coordinates of one variable that a statement must visit, read off operator properties and fill values
//! (array-programming paper, §5.2). Levels that can be located hold every coordinate, so they count as the universe and never
//! drive a loop.
//!
//! A factor that does not limit a product joins it as `U ∪ factor`, and so does an argument that a function's algebra leaves
//! out where the others decide (the augmentation of §6.3), so that each of its own regions is met.

use crate::lattice::{Extent, Lattice, Point, tells_apart};
use crate::space::{Exact, Leaf, Space, Support};
use openwork_algebra::operator::IterationAlgebra as Template;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::Arena;
use openwork_format::Props;
use openwork_index::expr::fill_of_call;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, TensorId, TensorKind, TensorVar};
use std::collections::BTreeMap;

/// The largest set that is written out; an `^` of seven operands has some 400 nodes.
const NODES: usize = 2048;

/// The set of coordinates of `var` that `stmt` must visit.
pub fn derive(stmt: &CinStmt, var: IndexId, tensors: &Arena<TensorId, TensorVar>) -> Space {
    Deriver { var, tensors, temps: BTreeMap::new() }.stmt(stmt)
}

/// Whether nothing happens where a level that stores every coordinate holds the fill value: that is so where nothing would
/// happen beside a level that leaves the fill value out. What that relies on is checked for such operands as well
/// (`openwork_index::assume`), since they may be converted.
pub(crate) fn only_beside(
    tensors: &Arena<TensorId, TensorVar>,
    var: IndexId,
    body: &CinStmt,
    leaf: &Leaf,
) -> bool {
    let beside = |p: &Point| p.extent == Extent::Stored && p.leaves.contains(leaf);
    let space = derive_beside(tensors, var, body, [leaf]);
    Lattice::from_space(&space).is_some_and(|l| l.points.iter().all(beside))
}

/// The set of coordinates to visit if some levels left the fill value out.
pub(crate) fn derive_beside<'l>(
    tensors: &Arena<TensorId, TensorVar>,
    var: IndexId,
    body: &CinStmt,
    leaves: impl IntoIterator<Item = &'l Leaf>,
) -> Space {
    let mut tensors = tensors.clone();
    for leaf in leaves {
        let level = &mut tensors[leaf.access.tensor].format.levels[leaf.level];
        *level = level.without_props(Props::FULL);
    }
    derive(body, var, &tensors)
}

/// Where an expression varies.
#[derive(Clone)]
struct SpacePart {
    support: Support,
    /// The constant value taken elsewhere; `None`: not one constant.
    outside: Option<Scalar>,
}

impl SpacePart {
    fn from_space(space: Space, outside: Option<Scalar>) -> SpacePart {
        SpacePart { support: Support::Within(space), outside }
    }
    fn set(self) -> Space {
        self.support.set()
    }
}

struct Deriver<'a> {
    var: IndexId,
    tensors: &'a Arena<TensorId, TensorVar>,
    /// Temporaries that are filled inside the statement.
    temps: BTreeMap<TensorId, SpacePart>,
}

impl Deriver<'_> {
    fn stmt(&mut self, s: &CinStmt) -> Space {
        match s {
            CinStmt::Nop => Space::Empty,
            CinStmt::Forall { body, .. } => self.stmt(body),
            CinStmt::Seq(all) | CinStmt::Multi(all) => {
                all.iter().fold(Space::Empty, |space, s| space.or(self.stmt(s)))
            }
            CinStmt::Where { consumer, producer } => {
                let space = self.stmt(producer);
                for (lhs, _, _) in producer.assignments() {
                    let t = &self.tensors[lhs.tensor];
                    if t.kind == TensorKind::Temp {
                        // The temporary keeps its first value where the producer has nothing to visit.
                        self.temps.insert(lhs.tensor, SpacePart::from_space(space.clone(), Some(t.fill)));
                    }
                }
                self.stmt(consumer)
            }
            // Nothing happens where nothing is stored.
            CinStmt::Assign { rhs: rhs @ (IndexExpr::Map { .. } | IndexExpr::Stored { .. }), .. } => {
                self.expr(rhs).set()
            }
            CinStmt::Assign { lhs, op, rhs } => {
                let SpacePart { support, outside } = self.expr(rhs);
                let target = &self.tensors[lhs.tensor];
                let harmless = match op {
                    Some(op) => op.identity_at(1, target.dtype),
                    None => Some(target.fill),
                };
                match (outside, harmless) {
                    (Some(a), Some(b)) if a.is_same(b) => support.set(),
                    _ => support.set().extend_everywhere(),
                }
            }
        }
    }

    fn expr(&self, e: &IndexExpr) -> SpacePart {
        match e {
            // It differs from its value nowhere, so where an algebra complements it, it does everywhere.
            IndexExpr::Literal(s) => {
                SpacePart { support: Support::Exact(Exact::everything().complement()), outside: Some(*s) }
            }
            IndexExpr::Index(_) => SpacePart::from_space(Space::Universe, None),
            IndexExpr::Access(a) => self.access(a),
            IndexExpr::Cast { to, arg } => {
                let SpacePart { support, outside } = self.expr(arg);
                SpacePart::from_space(support.set(), outside.map(|s| s.cast(*to)))
            }
            IndexExpr::Call { op, args } => self.call(op, args),
            IndexExpr::Map { of, to } => {
                SpacePart::from_space(self.access(of).set(), Some(Scalar::zero(to.dtype(self.tensors))))
            }
            IndexExpr::Beside { value, at } => {
                let SpacePart { support, outside } = self.expr(value);
                let usual = support.set();
                // There, no operand limits the others: each has to be told apart.
                let all = value.accesses().into_iter().map(|a| self.access(a).set());
                let apart = all.fold(Space::Universe, Space::or);
                SpacePart::from_space(usual.or(self.access(at).set().and(apart)), outside)
            }
            IndexExpr::Stored { of, to } => {
                let mut set = self.expr(of).set();
                // What is folded there is made of the same elements, but perhaps kept in another list. Where it has a place for
                // every coordinate already, it is read wherever there is an element.
                to.visit(&mut |e| {
                    if let IndexExpr::WithFill { folded, visited, .. } = e {
                        for part in [folded, visited]
                            .into_iter()
                            .filter(|e| self.varies(e) && !self.has_every_place(e))
                        {
                            set = set.clone().or(self.expr(part).set());
                        }
                    }
                });
                SpacePart::from_space(set, Some(Scalar::zero(to.dtype(self.tensors))))
            }
            // Where nothing is folded there is a value as well, of which there is no constant: perhaps there is no coordinate.
            IndexExpr::WithFill { folded, visited, .. } => {
                let apart = self.expr(folded).set().or(self.expr(visited).set());
                SpacePart::from_space(apart.extend_everywhere(), None)
            }
            IndexExpr::Predicate { set, holds } => self.predicate(set, holds),
            IndexExpr::Width(of) => SpacePart::from_space(self.access(of).set(), Some(Scalar::I64(0))),
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    /// A set. Where what its coordinates are computed from is not stored, it has others.
    fn predicate(&self, set: &Access, holds: &IndexExpr) -> SpacePart {
        let SpacePart { support, outside } = self.access(set);
        let read = holds.accesses().into_iter().map(|a| self.access(a).set());
        let told: Vec<Space> = read.filter(|space| !space.leaves().is_empty()).collect();
        match told.into_iter().reduce(Space::or) {
            None => SpacePart { support, outside },
            Some(told) => SpacePart::from_space(support.set().and(told.extend_everywhere()), outside),
        }
    }
    /// Whether an expression may have another value at another coordinate; what was folded before the loop has not.
    fn varies(&self, e: &IndexExpr) -> bool {
        let inside = |a: &Access| self.temps.contains_key(&a.tensor) || a.vars.contains(&self.var);
        e.accesses().into_iter().any(|a| self.tensors[a.tensor].kind != TensorKind::Temp || inside(a))
    }
    /// Whether every temporary in an expression was filled before, and has a place for each coordinate. One that is filled inside
    /// is filled by other accesses, whose levels are walked beside those here.
    fn has_every_place(&self, e: &IndexExpr) -> bool {
        e.accesses().into_iter().all(|a| {
            let t = &self.tensors[a.tensor];
            t.kind == TensorKind::Temp && t.format.is_dense() && !self.temps.contains_key(&a.tensor)
        })
    }
    fn access(&self, a: &Access) -> SpacePart {
        let t = &self.tensors[a.tensor];
        if let Some(part) = self.temps.get(&a.tensor) {
            return part.clone();
        }
        if t.format.is_dense() {
            return SpacePart::from_space(Space::Universe, None);
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
        SpacePart { support, outside: (!t.format.is_full()).then_some(t.fill) }
    }

    /// The cases of the paper's §5.2, in its order: an explicit algebra, an annihilator, else the union.
    fn call(&self, op: &Operator, args: &[IndexExpr]) -> SpacePart {
        let parts: Vec<SpacePart> = args.iter().map(|a| self.expr(a)).collect();
        let fills: Vec<Option<Scalar>> = parts.iter().map(|p| p.outside).collect();
        let outside = fill_of_call(op, &fills);
        if op.prim == Prim::Select {
            return choice(parts, outside);
        }
        let dtype = args[0].dtype(self.tensors);
        if let Some((template, outside)) = op.space_for(&fills, dtype) {
            return SpacePart { support: explicit(template, &parts), outside: Some(outside) };
        }
        let annihilates = |n: usize| match (fills[n], op.annihilator_at(n, dtype)) {
            (Some(fill), Some(a)) => fill.is_same(a) && outside.is_some_and(|o| o.is_same(a)),
            _ => false,
        };
        let supports = parts.into_iter().map(|p| p.support);
        let support = if (0..args.len()).all(annihilates) {
            supports.reduce(Support::and)
        } else if (0..args.len()).any(annihilates) {
            let apart = |(n, s): (usize, Support)| {
                if annihilates(n) { s } else { Support::Within(s.set().extend_everywhere()) }
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
                SpacePart { support: exact, outside }
            }
            support => SpacePart::from_space(support.set(), outside),
        }
    }
}

/// Of `where(c, a, b)`, the value that is chosen where nothing is stored of `c` decides outside: the other one is told apart
/// inside of `c` only.
fn choice(parts: Vec<SpacePart>, outside: Option<Scalar>) -> SpacePart {
    let chosen = parts[0].outside;
    let [c, a, b] = [0, 1, 2].map(|n| parts[n].support.clone().set());
    // Where the other one has the value from outside as well, it limits the choice.
    let same = |n: usize| matches!((parts[n].outside, outside), (Some(x), Some(y)) if x.is_same(y));
    let told = |n: usize, space: Space| if same(n) { space } else { space.extend_everywhere() };
    let space = match chosen {
        Some(Scalar::Bool(false)) => c.clone().and(told(1, a)).or(b.and(c.extend_everywhere())),
        Some(Scalar::Bool(true)) => c.clone().and(told(2, b)).or(a.and(c.extend_everywhere())),
        _ if same(1) && same(2) => a.or(b).and(c.extend_everywhere()),
        _ => c.or(a).or(b),
    };
    SpacePart::from_space(space, outside)
}

/// An operator's own algebra, with the arguments' sets for its variables.
fn explicit(template: &Template, parts: &[SpacePart]) -> Support {
    fn fill_in(t: &Template, parts: &[SpacePart]) -> Support {
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
        false => support.and(Support::Exact(Exact::told_apart(leaf))),
    })
}
