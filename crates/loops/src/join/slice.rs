//! What computes the bounds of a loop, where variables change on the way: a search for the beginning of a part.
//!
//! ```text
//! let first: i64 = pos[0]            the same statements for
//! let last: i64 = pos[1]             both kernels, but for the
//! while first < last { … }           names of their variables:
//! for p in first..pos[1] { … }       the loops have the same rounds
//! ```

use super::Joiner;
use crate::kinds::{StmtKind, born_var, own_var_mut, read_buffer, set_var};
use crate::nodes::{BufRole, Expr, Stmt, Ty, VarId};
use crate::walk::{each_part, each_stmt, each_stmt_mut, exprs, exprs_mut, rewrite};
use openwork_base::{Id, IdMap, IdSet};

/// A statement of a block.
#[derive(Clone, Copy)]
pub(super) struct Placed<'s> {
    pub(super) block: &'s [Stmt],
    pub(super) at: usize,
}

/// What computes some expressions in the block of the statement that has them, with variables numbered as they come: equal slices compute equal
/// values.
#[derive(PartialEq)]
pub(super) struct Slice {
    statements: Vec<Stmt>,
    results: Vec<Expr>,
    types: Vec<Ty>,
}

/// The longest slice: a search for the beginning of a part has a dozen statements.
const LONGEST_SLICE: usize = 64;

impl Slice {
    /// Nothing where memory that the kernel writes is read or written on the way, or a variable changes that the block does not
    /// give its first value.
    pub(super) fn collect(joiner: &Joiner, place: Placed, wanted: [&Expr; 2]) -> Option<Slice> {
        let mut needed: IdSet<VarId> = IdSet::default();
        wanted.iter().for_each(|e| each_part(e, &mut |part| needed.extend(read_var(part))));
        let mut statements: Vec<Stmt> = Vec::new();
        let mut length = 0;
        for s in place.block[..place.at].iter().rev() {
            let (mut given, mut pure, mut count) = (IdSet::<VarId>::default(), true, 0);
            let one = std::slice::from_ref(s);
            each_stmt(one, &mut |s| {
                count += 1;
                given.extend(set_var(s).or(born_var(s)));
                pure &=
                    !matches!(s.kind(), StmtKind::Store | StmtKind::Room | StmtKind::End | StmtKind::Leave);
            });
            if given.is_disjoint(&needed) {
                continue;
            }
            length += count;
            if !pure || length > LONGEST_SLICE {
                return None;
            }
            each_stmt(one, &mut |s| {
                exprs(s).for_each(|e| each_part(e, &mut |part| needed.extend(read_var(part))));
            });
            statements.insert(0, s.clone());
        }
        let mut slice =
            Slice { statements, results: wanted.iter().map(|e| (*e).clone()).collect(), types: Vec::new() };
        slice.number(joiner).then_some(slice)
    }
    /// Numbers the variables that the statements give life to, and writes out the others; false where one of these changes, or memory
    /// that the kernel writes is read.
    fn number(&mut self, joiner: &Joiner) -> bool {
        let mut own: IdMap<VarId, VarId> = IdMap::default();
        let mut set: IdSet<VarId> = IdSet::default();
        each_stmt(&self.statements, &mut |s| {
            set.extend(set_var(s));
            if let Some(v) = born_var(s)
                && !own.contains_key(&v)
            {
                own.insert(v, VarId::new(NUMBERED + own.len()));
                self.types.push(joiner.joined.kernel.vars[v].ty);
            }
        });
        if !set.iter().all(|v| own.contains_key(v)) {
            return false;
        }
        let mut known = true;
        let mut write_out = |e: &mut Expr| {
            rewrite(e, &mut |part| {
                known &= read_buffer(part).is_none_or(|b| joiner.joined.kernel.bufs[b].role == BufRole::In);
                if let Expr::Var(v) = part {
                    match (own.get(v), joiner.lets.get(v)) {
                        (Some(own), _) => *v = *own,
                        (None, Some(stands)) => *part = stands.clone(),
                        (None, None) => {}
                    }
                }
            });
        };
        each_stmt_mut(&mut self.statements, &mut |s| {
            exprs_mut(s).for_each(&mut write_out);
            if let Some(v) = own_var_mut(s) {
                *v = own.get(v).copied().unwrap_or(*v);
            }
        });
        self.results.iter_mut().for_each(write_out);
        known
    }
}

/// The number of the first variable of a slice: no kernel has as many.
const NUMBERED: usize = 1 << 24;

fn read_var(e: &Expr) -> Option<VarId> {
    if let Expr::Var(v) = e { Some(*v) } else { None }
}
