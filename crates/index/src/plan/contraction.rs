//! Contractions of several factors, taken in steps (the order in which a chain of products is multiplied).
//!
//! ```text
//! sum(j,k, A(i,j) * B(j,k) * C(k,l))      sum(k, sum(j, A(i,j) * B(j,k)) * C(k,l))
//!                                         sum(j, A(i,j) * sum(k, B(j,k) * C(k,l)))
//! sum(j,k, A(i,j) * u(k))                 sum(j, A(i,j) * sum(k, u(k)))
//! sum(j,l, W(i,j) * V(j,l) * c(l) * Z(l,k))      sum(j, W(i,j) * sum(l, V(j,l) * c(l) * Z(l,k)))
//! ```
//! A factor that does not depend on a variable may leave the sum over it, where the operators distribute: products over
//! sums, conjunctions over disjunctions. So a step takes a variable, gathers the factors that have it, and sums their product
//! over it, and over all that nothing else has. Results in floating point may differ in rounding, as with any other order of
//! summation.
//!
//! Orders are compared by how many products they compute and how many elements they store between, of operands that are taken
//! to be uniformly random. A beam of the cheapest beginnings is followed: of few factors that is every order, of many it is
//! more than the greedy one as far as a budget goes.

use super::regroup::{distributes, flatten};
use crate::check::Assignment;
use crate::expr::{Access, IndexExpr, IndexId, fill_of};
use openwork_algebra::{Operator, Scalar};
use openwork_base::cancel::look;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The size of a dimension that nothing is known of, and values per coordinate of the longest mode of a tensor that nothing is
/// known of.
const SIZE: f64 = 20_000.0;
const STORED: f64 = 10.0;
/// What an element that is stored between two steps costs, beside a product, and one that is walked.
const BETWEEN: f64 = 2.0;
const WALK: f64 = 0.5;
/// Steps that may be looked at in all, and beginnings that are followed at most, and at least.
const BUDGET: usize = 6000;
const WIDTHS: (usize, usize) = (2, 64);
/// Loops over more variables than these are never nested.
const NESTED: usize = 7;
/// From so many factors on a statement is not taken as it is written.
pub const LONG: usize = 9;

/// The same statement with its contraction taken in steps, the cheapest first: all orders where factors are few, and fewer the
/// more there are; not the statement itself.
pub fn groupings(a: &Assignment) -> Vec<Assignment> {
    let Some(c) = Contraction::from_assignment(a) else { return Vec::new() };
    let (most, directed) = match c.factors.len() {
        ..=4 => (24, 0),
        5..LONG => (8, 2),
        LONG..=16 => (3, 2),
        _ => (1, 1),
    };
    let mut all = c.orders(most);
    // Row by row of the result nothing is stored between steps but rows, which the number of elements does not tell.
    let ends = if a.lhs.vars.is_empty() { c.vars } else { &a.lhs.vars[..] };
    for &v in [ends.first(), ends.last()].into_iter().flatten().take(directed) {
        let order = c.order_from(v);
        all.extend(order.filter(|order| !all.contains(order)));
    }
    all.into_iter().map(|rhs| Assignment { rhs, ..a.clone() }).collect()
}

/// The same statement with its contraction in steps, where it has so many factors that it cannot be taken as it is written;
/// nothing for others.
pub fn in_steps(a: &Assignment) -> Vec<Assignment> {
    if factors(a) >= LONG { groupings(a) } else { Vec::new() }
}

/// Whether there is any order of steps.
pub fn has_steps(a: &Assignment) -> bool {
    Contraction::from_assignment(a).is_some_and(|c| !c.start().steps().is_empty())
}

/// How many factors a statement has, if it is a sum of products.
pub fn factors(a: &Assignment) -> usize {
    Contraction::from_assignment(a).map_or(0, |c| c.factors.len())
}

/// A product that is summed.
struct Contraction<'a> {
    plus: &'static Operator,
    times: &'static Operator,
    vars: &'a [IndexId],
    factors: Vec<IndexExpr>,
    known: Vec<FactorFacts>,
    sizes: BTreeMap<IndexId, f64>,
}

/// What is known of a factor: its variables, and how many elements it has.
#[derive(Clone)]
struct FactorFacts {
    vars: Vec<IndexId>,
    elements: f64,
}

/// A factor of the statement, or a sum of a product.
enum FactorTree {
    Factor(usize),
    Sum(Vec<IndexId>, Vec<Rc<FactorTree>>),
}

/// A factor of what is left.
#[derive(Clone)]
struct ContractionPart {
    tree: Rc<FactorTree>,
    known: FactorFacts,
    /// The factors of the statement in it.
    leaves: Vec<usize>,
}

/// What is left after some steps.
#[derive(Clone)]
struct ContractionState {
    parts: Vec<ContractionPart>,
    /// What is to be summed over.
    left: Vec<IndexId>,
    cost: f64,
}

/// Whether something is summed over that one factor alone has, inside of loops that this factor does not need. Where products are
/// those of dense arrays (no zero annihilates), a sum of nothing beside an infinity would be NaN.
fn has_sums_apart(vars: &[IndexId], known: &[FactorFacts]) -> bool {
    known.iter().enumerate().any(|(n, own)| {
        let others = || known.iter().enumerate().filter(move |(m, _)| *m != n).flat_map(|(_, k)| &k.vars);
        let alone = |v: &&IndexId| vars.contains(v) && !others().any(|other| other == *v);
        own.vars.iter().any(|v| alone(&v)) && others().any(|v| !own.vars.contains(v))
    })
}

impl<'a> Contraction<'a> {
    /// That of a statement, where its product distributes over its sum.
    fn from_assignment(a: &'a Assignment) -> Option<Contraction<'a>> {
        let IndexExpr::Reduce { op: plus, vars, body } = &a.rhs else { return None };
        let times = distributes(plus, body)?;
        let mut factors = Vec::new();
        flatten(body, times, &mut factors);
        let mut sizes = BTreeMap::new();
        let known = factors.iter().map(|e| FactorFacts::from_expr(e, a, &mut sizes)).collect::<Vec<_>>();
        let several = known.iter().filter(|k| !k.vars.is_empty()).count() > 2;
        let apart = times.annihilator.is_some() && has_sums_apart(vars, &known);
        (several || apart).then_some(Contraction { plus, times, vars, factors, known, sizes })
    }
    fn start(&self) -> ContractionState {
        let part = |(n, known): (usize, &FactorFacts)| ContractionPart {
            tree: Rc::new(FactorTree::Factor(n)),
            known: known.clone(),
            leaves: vec![n],
        };
        ContractionState {
            parts: self.known.iter().enumerate().map(part).collect(),
            left: self.vars.to_vec(),
            cost: 0.0,
        }
    }
    /// The cheapest orders.
    fn orders(&self, most: usize) -> Vec<IndexExpr> {
        let n = self.factors.len();
        let width = (BUDGET / (n * n * n)).clamp(WIDTHS.0, WIDTHS.1);
        let mut beam = vec![self.start()];
        let mut found: Vec<(f64, ContractionState)> = Vec::new();
        while !beam.is_empty() {
            let mut next: BTreeMap<Vec<Vec<usize>>, ContractionState> = BTreeMap::new();
            for state in &beam {
                look();
                for (group, own) in state.steps() {
                    let state = self.contract_group(state, &group, own);
                    let old = next.get(&state.key()).map(|old| old.cost);
                    if old.is_none_or(|cost| state.cost < cost) {
                        next.insert(state.key(), state);
                    }
                }
            }
            beam = next.into_values().collect();
            beam.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            beam.truncate(width);
            let whole = |s: &ContractionState| (s.cost + self.at_once(&s.parts), s.clone());
            found.extend(beam.iter().map(whole).filter(|(cost, _)| cost.is_finite()));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.truncate(most);
        found.iter().map(|(_, state)| self.to_expr(state)).collect()
    }
    /// The order that begins at a variable, and goes on along the factors: what is stored between steps is a row for each of
    /// its coordinates.
    fn order_from(&self, from: IndexId) -> Option<IndexExpr> {
        let mut near = Vec::new();
        let mut open = vec![from];
        while let Some(v) = open.pop() {
            if near.contains(&v) {
                continue;
            }
            near.push(v);
            let beside = self.known.iter().rev().filter(|k| k.vars.contains(&v));
            open.extend(beside.flat_map(|k| k.vars.iter().rev().copied()));
        }
        let mut state = self.start();
        let place = |own: &[IndexId]| own.iter().filter_map(|v| near.iter().position(|w| w == v)).min();
        loop {
            let steps = state.steps();
            let Some((group, own)) =
                steps.into_iter().min_by_key(|(_, own)| place(own).unwrap_or(usize::MAX))
            else {
                break;
            };
            state = self.contract_group(&state, &group, own);
        }
        (state.left.len() < self.vars.len()).then(|| self.to_expr(&state))
    }
    /// What is left once a group of parts is multiplied and summed over its own variables.
    fn contract_group(
        &self,
        state: &ContractionState,
        group: &[usize],
        own: Vec<IndexId>,
    ) -> ContractionState {
        let members: Vec<ContractionPart> = group.iter().map(|&n| state.parts[n].clone()).collect();
        let mut vars = union(&members);
        let products = self.products(&members);
        vars.retain(|v| !own.contains(v));
        let room = self.room(&vars);
        // So many of the elements are met by at least one product.
        let elements = room * -(-products / room.max(1.0)).exp_m1();
        let walked: f64 = members.iter().map(|p| p.known.elements).sum();
        let cost = state.cost + products + BETWEEN * elements + WALK * walked;
        let mut leaves: Vec<usize> = members.iter().flat_map(|p| p.leaves.iter().copied()).collect();
        leaves.sort_unstable();
        let left = state.left.iter().copied().filter(|v| !own.contains(v)).collect();
        let tree = Rc::new(FactorTree::Sum(own, members.into_iter().map(|p| p.tree).collect()));
        let mut parts = state.parts.clone();
        parts[group[0]] = ContractionPart { tree, known: FactorFacts { vars, elements }, leaves };
        let mut n = 0;
        parts.retain(|_| (!group[1..].contains(&n), n += 1).0);
        ContractionState { parts, left, cost }
    }
    /// What the parts that are left cost, multiplied in one nest of loops: the products of each loop, the cheapest first.
    fn at_once(&self, parts: &[ContractionPart]) -> f64 {
        let mut rest: Vec<ContractionPart> =
            parts.iter().filter(|p| !p.known.vars.is_empty()).cloned().collect();
        if union(&rest).len() > NESTED {
            return f64::INFINITY;
        }
        let mut cost: f64 = rest.iter().map(|p| WALK * p.known.elements).sum();
        let mut taken: Vec<ContractionPart> = Vec::new();
        while !rest.is_empty() {
            let with = |n: usize| self.products(&[&taken[..], &rest[n..=n]].concat());
            let all: Vec<f64> = (0..rest.len()).map(with).collect();
            let next = (0..rest.len()).min_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap_or(0);
            cost += all[next];
            taken.push(rest.remove(next));
        }
        cost
    }
    /// How many products there are where all parts store something.
    fn products(&self, parts: &[ContractionPart]) -> f64 {
        let density = |p: &ContractionPart| p.known.elements / self.room(&p.known.vars).max(1.0);
        self.room(&union(parts)) * parts.iter().map(density).product::<f64>()
    }
    fn room(&self, vars: &[IndexId]) -> f64 {
        vars.iter().map(|v| self.sizes.get(v).copied().unwrap_or(SIZE)).product()
    }
    fn to_expr(&self, state: &ContractionState) -> IndexExpr {
        let trees: Vec<Rc<FactorTree>> = state.parts.iter().map(|p| p.tree.clone()).collect();
        self.sum(&state.left, &trees)
    }
    fn sum(&self, vars: &[IndexId], of: &[Rc<FactorTree>]) -> IndexExpr {
        let each = of.iter().map(|tree| match &**tree {
            FactorTree::Factor(n) => self.factors[*n].clone(),
            FactorTree::Sum(vars, of) => self.sum(vars, of),
        });
        let product = each.reduce(|a, b| IndexExpr::Call { op: self.times, args: vec![a, b] });
        let body = product.unwrap_or(IndexExpr::Literal(Scalar::Bool(true)));
        if vars.is_empty() {
            return body;
        }
        IndexExpr::Reduce { op: self.plus, vars: vars.to_vec(), body: Box::new(body) }
    }
}

impl ContractionState {
    /// Groups of parts with the variables that nothing else has, one for each variable that is left to be summed over; not all
    /// parts, as that is what is left.
    fn steps(&self) -> Vec<(Vec<usize>, Vec<IndexId>)> {
        let having =
            |v: IndexId| (0..self.parts.len()).filter(move |&n| self.parts[n].known.vars.contains(&v));
        let all = self.parts.iter().filter(|p| !p.known.vars.is_empty()).count();
        let mut out: Vec<(Vec<usize>, Vec<IndexId>)> = Vec::new();
        for &v in &self.left {
            let group: Vec<usize> = having(v).collect();
            if group.is_empty() || group.len() == all || out.iter().any(|(known, _)| *known == group) {
                continue;
            }
            let own = |v: &IndexId| having(*v).all(|n| group.contains(&n)) && having(*v).next().is_some();
            let own = self.left.iter().copied().filter(own).collect();
            out.push((group, own));
        }
        out
    }
    /// Which factors are summed together: what else there is to know follows from that.
    fn key(&self) -> Vec<Vec<usize>> {
        let mut key: Vec<Vec<usize>> = self.parts.iter().map(|p| p.leaves.clone()).collect();
        key.sort();
        key
    }
}

/// The variables of several parts.
fn union(parts: &[ContractionPart]) -> Vec<IndexId> {
    let mut out: Vec<IndexId> = Vec::new();
    for v in parts.iter().flat_map(|p| &p.known.vars) {
        if !out.contains(v) {
            out.push(*v);
        }
    }
    out
}

impl FactorFacts {
    fn from_expr(e: &IndexExpr, a: &Assignment, sizes: &mut BTreeMap<IndexId, f64>) -> FactorFacts {
        let vars = e.free_vars();
        for &v in &vars {
            sizes.insert(v, a.indices[v].size.map_or(SIZE, |n| n as f64));
        }
        let room: f64 = vars.iter().map(|v| sizes[v]).product();
        let zero = fill_of(e, &a.tensors).is_some_and(|f| f.is_same(Scalar::zero(f.dtype())));
        if !zero {
            return FactorFacts { vars, elements: room };
        }
        // An operand is repeated along the variables that it does not have.
        let repeated = |x: &Access| {
            let own: f64 = vars.iter().filter(|v| x.vars.contains(v)).map(|v| sizes[v]).product();
            elements(x, a, own) * room / own.max(1.0)
        };
        let all: f64 = e.accesses().into_iter().map(repeated).sum();
        FactorFacts { vars, elements: all.min(room) }
    }
}

/// How many elements an access has, of so many coordinates.
fn elements(x: &Access, a: &Assignment, room: f64) -> f64 {
    let t = &a.tensors[x.tensor];
    if t.format.is_dense() {
        return room;
    }
    let longest = x.vars.iter().map(|&v| a.indices[v].size.map_or(SIZE, |n| n as f64)).fold(1.0, f64::max);
    let stored = t.elements.or(t.stored).map_or(STORED * longest, |n| n as f64);
    stored.min(room)
}
