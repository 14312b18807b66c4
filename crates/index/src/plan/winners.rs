//! Which of several values a place gets is known before the places are written.
//!
//! ```text
//! y(p(i)) = x(i)      (forall c y(c) = masked(t(c) >= 0, x(t(c)), 0)) where (forall i forall c t(c) max= masked(c == p(i), i, -2^63))
//! ```

use super::concretize::Concretizer;
use super::workspace::ReductionWorkspace;
use crate::cin::CinStmt;
use crate::expr::{Access, IndexExpr, IndexId};
use openwork_base::Result;

/// A reduction that is computed first.
pub(super) struct KnownWinner {
    reduction: IndexExpr,
    /// The temporary that has it.
    temp: Access,
    /// What fills that.
    pub(super) producer: CinStmt,
}

impl Concretizer<'_> {
    /// An expression in which reductions to places that values say are read from temporaries, which are computed before it. One
    /// that is combined with the result itself is sent there directly.
    pub(super) fn winners_before(
        &mut self,
        lhs: &Access,
        e: IndexExpr,
        known: &mut Vec<KnownWinner>,
    ) -> Result<IndexExpr> {
        if !self.indices.iter().any(|(_, v)| v.scattered) {
            return Ok(e);
        }
        match e {
            IndexExpr::Reduce { op, vars, body } => {
                let body = Box::new(self.winners_inside(lhs, *body, known)?);
                Ok(IndexExpr::Reduce { op, vars, body })
            }
            IndexExpr::Call { op, args } => {
                let updates = |a: &IndexExpr| matches!(a, IndexExpr::Reduce { op: own, .. } if *own == op);
                let update = args.iter().any(updates);
                let each = |a| if update { Ok(a) } else { self.winners_inside(lhs, a, known) };
                Ok(IndexExpr::Call { op, args: args.into_iter().map(each).collect::<Result<_>>()? })
            }
            e => Ok(e),
        }
    }
    fn winners_inside(
        &mut self,
        lhs: &Access,
        e: IndexExpr,
        known: &mut Vec<KnownWinner>,
    ) -> Result<IndexExpr> {
        let mut refusal = None;
        let e = e.map_children(&mut |child| match self.winners_inside(lhs, child.clone(), known) {
            Ok(child) => child,
            Err(e) => {
                refusal = Some(e);
                child
            }
        });
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        let IndexExpr::Reduce { body, .. } = &e else { return Ok(e) };
        let scattered = |v: &IndexId| self.indices[*v].scattered && body.position_of(*v).is_some();
        if !body.free_vars().iter().any(scattered) {
            return Ok(e);
        }
        if let Some(known) = known.iter().find(|k| is_same_reduction(&k.reduction, &e)) {
            return Ok(IndexExpr::Access(known.temp.clone()));
        }
        let sparse_target = !self.tensors[lhs.tensor].format.is_dense();
        let mut taken = Vec::new();
        self.take_reductions(e.clone(), &mut taken);
        let t = taken.pop().expect("a reduction is taken");
        let tensor = t.temp;
        let ReductionWorkspace { modes, producer, .. } = self.place(t, &[], 0, None, sparse_target)?;
        let temp = Access { tensor, vars: modes };
        known.push(KnownWinner { reduction: e, temp: temp.clone(), producer });
        Ok(IndexExpr::Access(temp))
    }
}

/// Whether two reductions are the same but for the names of their variables.
fn is_same_reduction(a: &IndexExpr, b: &IndexExpr) -> bool {
    let (
        IndexExpr::Reduce { op, vars, body },
        IndexExpr::Reduce { op: other_op, vars: other_vars, body: other },
    ) = (a, b)
    else {
        return false;
    };
    let renamed = |v: IndexId| other_vars.iter().position(|w| *w == v).map_or(v, |n| vars[n]);
    op == other_op && vars.len() == other_vars.len() && **body == rename(other.as_ref().clone(), &renamed)
}
fn rename(e: IndexExpr, renamed: &dyn Fn(IndexId) -> IndexId) -> IndexExpr {
    e.with_vars(renamed).map_children(&mut |c| rename(c, renamed))
}
