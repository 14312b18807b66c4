//! The chance that a coordinate belongs to a set.

use super::facts::CostFacts;
use crate::space::{Leaf, Space};
use openwork_index::{Access, IndexId};
use std::collections::{BTreeMap, BTreeSet};

/// The chance that an access is present, where that is not certain.
pub(super) type AccessChances = BTreeMap<Access, f64>;

/// The chance of an access.
pub(super) fn weight(weights: &AccessChances, a: &Access) -> f64 {
    weights.get(a).copied().unwrap_or(1.0)
}

impl CostFacts<'_> {
    /// The chance that a coordinate of `v` belongs to a set.
    ///
    /// Tensors over the same variables are often stored at the same places, being masks, terms or factors of each other, so the
    /// smallest one counts in an intersection; others are taken to be spread evenly. In a union nothing is taken to be in both.
    pub(super) fn chance(&self, s: &Space, v: IndexId, weights: &AccessChances) -> f64 {
        match s {
            Space::Empty => 0.0,
            Space::Universe => 1.0,
            Space::Leaf(l) => self.presence(l, v, weights),
            Space::Not(a) => 1.0 - self.chance(a, v, weights),
            Space::Or(a, b) => (self.chance(a, v, weights) + self.chance(b, v, weights)).min(1.0),
            Space::And(..) => {
                let (mut least, mut others) = (BTreeMap::<BTreeSet<IndexId>, f64>::new(), 1.0);
                for part in conjuncts(s) {
                    match part {
                        Space::Leaf(l) => {
                            let own = self.presence(l, v, weights);
                            let alike = least.entry(l.access.vars.iter().copied().collect()).or_insert(1.0);
                            *alike = alike.min(own);
                        }
                        part => others *= self.chance(part, v, weights),
                    }
                }
                others * least.into_values().product::<f64>()
            }
        }
    }
    /// The chance that a coordinate is in a leaf.
    fn presence(&self, l: &Leaf, v: IndexId, weights: &AccessChances) -> f64 {
        (weight(weights, &l.access) * self.children(l) / self.size(v)).min(1.0)
    }
}

/// What a coordinate has to be in, all of it.
fn conjuncts(s: &Space) -> Vec<&Space> {
    match s {
        Space::And(a, b) => [conjuncts(a), conjuncts(b)].concat(),
        s => vec![s],
    }
}
