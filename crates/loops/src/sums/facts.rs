//! Facts about a loop, found before it is changed.

use crate::kinds::{changed_buffer, read_buffer};
use crate::nodes::{BufId, Expr, Stmt, VarId};
use crate::walk::{any_part, born_var, each_part, each_stmt, set_var, substitute};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a loop.
pub(super) struct SumFacts {
    /// Variables that are born or set in it.
    inside: BTreeSet<VarId>,
    /// Definitions in it that hold wherever they are visible.
    lets: BTreeMap<VarId, Expr>,
    /// The bounds of loops in it.
    pub loops: BTreeMap<VarId, (Expr, Expr)>,
    /// Arrays that are written in it.
    pub written: BTreeSet<BufId>,
}

impl SumFacts {
    pub fn new(s: &Stmt) -> SumFacts {
        let mut f = SumFacts {
            inside: BTreeSet::new(),
            lets: BTreeMap::new(),
            loops: BTreeMap::new(),
            written: BTreeSet::new(),
        };
        let mut changed = BTreeSet::new();
        each_stmt(std::slice::from_ref(s), &mut |s| {
            f.inside.extend(born_var(s).into_iter().chain(set_var(s)));
            changed.extend(set_var(s));
            match s {
                Stmt::Let { var, val } => {
                    if f.lets.insert(*var, val.clone()).is_some() {
                        changed.insert(*var);
                    }
                }
                Stmt::For { var, lo, hi, step: 1, .. } => {
                    if f.loops.insert(*var, (lo.clone(), hi.clone())).is_some() {
                        changed.insert(*var);
                    }
                }
                s => f.written.extend(changed_buffer(s)),
            }
        });
        // A round of the loop itself has one value of its variable.
        changed.extend(born_var(s));
        f.lets.retain(|v, _| !changed.contains(v));
        f.loops.retain(|v, _| !changed.contains(v));
        f
    }

    pub fn is_fixed(&self, e: &Expr) -> bool {
        !any_part(e, &|part| match part {
            Expr::Var(v) => self.inside.contains(v),
            part => read_buffer(part).is_some_and(|buf| self.written.contains(&buf)),
        })
    }

    /// An expression without variables of the loop's own lets; nothing where it would become large.
    pub fn written_out(&self, e: &Expr) -> Option<Expr> {
        let mut e = e.clone();
        while any_part(&e, &|part| matches!(part, Expr::Var(v) if self.lets.contains_key(v))) {
            e = substitute(&e, &|v| self.lets.get(&v).cloned());
            let mut size = 0;
            each_part(&e, &mut |_| size += 1);
            if size > 64 {
                return None;
            }
        }
        Some(e)
    }
}
