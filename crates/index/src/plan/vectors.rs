//! Vectors of intermediate values, which are computed once before all loops instead of again in each round.
//!
//! ```text
//! y(i) = sum(j, A(i,j) * sum(k, B(j,k) * x(k)))      t(j) = sum(k, B(j,k) * x(k));  y(i) = sum(j, A(i,j) * t(j))
//! y(i) = sum(j, A(i,j) * (r(j) / d(j)))              t(j) = r(j) / d(j);            y(i) = sum(j, A(i,j) * t(j))
//! ```

use super::Reason;
use super::concretize::Concretizer;
use super::workspace::ReductionWorkspace;
use crate::cin::CinStmt;
use crate::expr::{Access, Holds, IndexExpr, IndexId, TensorKind, TensorVar};
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::machine::threshold;
use openwork_format::presets;

/// The largest vector that is computed before everything else.
const VECTOR: usize = 1 << 26;
/// A combination of vectors is computed first where it would be computed this many times for each of its elements: what is
/// saved is an access that misses the cache and an operation each time, what it costs is to write the vector and to read it.
const TIMES: usize = 4;

impl Concretizer<'_> {
    /// The whole statement, with vectors that are computed before it.
    pub(super) fn statement(&mut self, lhs: &Access, rhs: IndexExpr) -> Result<CinStmt> {
        let mut before = Vec::new();
        let rhs = self.vectors_before(lhs, rhs, false, &mut before);
        let vector = |a: &&&Access| a.vars.len() == 1 && self.tensors[a.tensor].format.is_dense();
        // A combination of two, for which every part of a statement of many terms would be looked through.
        let rhs = match rhs.accesses().iter().filter(vector).count() {
            0 | 1 => rhs,
            _ => self.composed_before(lhs, rhs, &[], &mut before),
        };
        let body = self.concretize_assignment(lhs, rhs)?;
        Ok(CinStmt::compute_first(before, body))
    }
    /// Reductions inside of others that vary with no variable, or with one only, and not with those of the result, are scalars
    /// and vectors: they are computed before everything else, as `sum(k, B(j,k) * x(k))` above, instead of again for every `i`.
    /// One that cannot be stays where it is.
    fn vectors_before(
        &mut self,
        lhs: &Access,
        e: IndexExpr,
        inside: bool,
        out: &mut Vec<CinStmt>,
    ) -> IndexExpr {
        let deeper = inside || matches!(e, IndexExpr::Reduce { .. });
        let e = e.map_children(&mut |child| self.vectors_before(lhs, child, deeper, out));
        let IndexExpr::Reduce { vars, .. } = &e else { return e };
        let vector = match e.free_vars()[..] {
            [] => true,
            [v] => !lhs.vars.contains(&v) && self.indices[v].size.is_some_and(|n| n <= threshold(VECTOR, 8)),
            _ => false,
        };
        let again = inside && vector && !vars.is_empty() && !lhs.vars.is_empty();
        if !again || !self.computed_coordinates(&e).is_empty() {
            return e;
        }
        let sparse_target = !self.tensors[lhs.tensor].format.is_dense();
        let computed = self.attempt(|c| {
            let mut taken = Vec::new();
            c.take_reductions(e.clone(), &mut taken);
            let t = taken.pop().expect("a reduction is taken");
            let tensor = t.temp;
            let ReductionWorkspace { modes, producer, .. } = c.place(t, &[], 0, None, sparse_target)?;
            Ok((Access { tensor, vars: modes }, producer))
        });
        match computed {
            Ok((vector, producer)) => {
                out.push(producer);
                IndexExpr::Access(vector)
            }
            Err(_) => e,
        }
    }
    /// Combinations of dense vectors over one variable, inside of a reduction over it that visits its coordinates several
    /// times each, are vectors as well. `around`: what the reductions around are over.
    fn composed_before(
        &mut self,
        lhs: &Access,
        e: IndexExpr,
        around: &[IndexExpr],
        out: &mut Vec<CinStmt>,
    ) -> IndexExpr {
        if lhs.vars.is_empty() {
            return e;
        }
        if let Some(v) =
            self.is_composed(lhs, &e).filter(|&v| self.visits(around, v) >= Some(threshold(TIMES, 1)))
        {
            let dtype = e.dtype(&self.tensors);
            let name = self.fresh_name();
            let choice =
                format!("`{name}({})` is computed first, into a dense temporary", self.indices[v].name);
            self.reasons
                .push(Reason { choice, because: "each of its elements is read several times".into() });
            let (given, fill, format, kind) =
                (name.clone(), Scalar::zero(dtype), presets::dense(1), TensorKind::Temp);
            let (stored, elements, windows, holds) = (None, None, Vec::new(), Holds::Values);
            let remap = None;
            let temp =
                TensorVar { name, given, dtype, format, remap, stored, elements, fill, kind, windows, holds };
            let target = Access { tensor: self.tensors.push(temp), vars: vec![v] };
            let assign = CinStmt::Assign { lhs: target.clone(), op: None, rhs: e };
            out.push(CinStmt::foralls(&[v], assign));
            return IndexExpr::Access(target);
        }
        match e {
            IndexExpr::Reduce { op, vars, body } => {
                let around = [around, &[(*body).clone()]].concat();
                let body = Box::new(self.composed_before(lhs, *body, &around, out));
                IndexExpr::Reduce { op, vars, body }
            }
            // What says where something is visited stays what it is.
            IndexExpr::Stored { .. }
            | IndexExpr::Map { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::WithFill { .. } => e,
            e => e.map_children(&mut |child| self.composed_before(lhs, child, around, out)),
        }
    }
    /// The variable of a combination of at least two dense vectors, one that the result does not have.
    fn is_composed(&self, lhs: &Access, e: &IndexExpr) -> Option<IndexId> {
        let plain = matches!(e, IndexExpr::Call { .. });
        let [v] = e.free_vars()[..] else { return None };
        let known = self.indices[v].size.is_some_and(|n| n <= threshold(VECTOR, 8))
            && self.indices[v].derived.is_none()
            && !self.indices[v].positional;
        let mut read: Vec<&Access> = e.accesses();
        let dense = read.iter().all(|a| {
            let t = &self.tensors[a.tensor];
            t.format.is_dense() && t.remap.is_none() && a.vars.len() <= 1
        });
        read.retain(|a| !a.vars.is_empty());
        read.dedup();
        let mut only_calls = true;
        e.visit(&mut |e| {
            only_calls &= matches!(
                e,
                IndexExpr::Access(_)
                    | IndexExpr::Literal(_)
                    | IndexExpr::Call { .. }
                    | IndexExpr::Cast { .. }
            );
        });
        (plain && known && dense && only_calls && read.len() >= 2 && !lhs.vars.contains(&v)).then_some(v)
    }
    /// How many times loops over what stands around visit each coordinate of a variable, where that is known.
    fn visits(&self, around: &[IndexExpr], v: IndexId) -> Option<usize> {
        let size = self.indices[v].size.filter(|&n| n > 0)?;
        let innermost = around.last()?;
        let over = innermost.accesses().into_iter().filter(|a| a.vars.contains(&v) && a.vars.len() > 1);
        over.filter_map(|a| {
            let t = &self.tensors[a.tensor];
            let all = a.vars.iter().map(|u| self.indices[*u].size).try_fold(1usize, |n, s| n.checked_mul(s?));
            let stored = if t.format.is_full() { all } else { t.stored };
            stored.map(|n| n / size)
        })
        .min()
    }
}
