//! Several kernels that read the same arrays as one kernel, whose loops serve all of them where they range alike.
//!
//! ```text
//! for i in 0..n {                 for i in 0..n {                   for i in 0..n {
//!   let t: f64 = 0.0                let t: f64 = 0.0                  let t: f64 = 0.0
//!   for p in pos[i]..pos[i + 1] {   for q in pos[i]..pos[i + 1] {     let u: f64 = 0.0
//!     t = t + a[p]            and     t = max(t, a[q])          =>    for p in pos[i]..pos[i + 1] {
//!   }                               }                                   t = t + a[p]
//!   y[i] = t                        z[i] = t                            u = max(u, a[p])
//! }                               }                                   }
//!                                                                     y[i] = t
//!                                                                     z[i] = u
//!                                                                   }
//! ```
//!
//! A kernel writes its own buffers only, so statements of one kernel may come before or after those of another: whatever
//! order they are in, every result is the same, bit by bit. What has to be shown is only that two loops have the same rounds:
//! their bounds are equal once every variable in them that is set once is written out, and depend on nothing but parameters,
//! variables of loops around them that are one already, and inputs.
//!
//! A loop that is left by a break stays apart, as the other kernels would be left with it.

mod slice;

use crate::kinds::{
    StmtKind, born_var, changed_buffer_mut, own_var_mut, read_buffer, read_buffer_mut, read_place, set_var,
};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{
    any_part, blocks_mut, each_part, each_stmt, each_stmt_mut, exprs, exprs_mut, has_loop, is_long, leaves,
    rewrite,
};
use openwork_base::{Id, IdMap, IdSet};
use slice::{Placed, Slice};
use std::collections::{BTreeSet, VecDeque};

/// A kernel that is to be joined with others.
pub struct JoinMember<'k> {
    /// The kernel.
    pub kernel: &'k LoopKernel,
    /// For each parameter a number: parameters of one number are the same, whichever kernel has them.
    pub params: Vec<usize>,
    /// For each buffer that is an input the same caller's array as others may have: its number.
    pub inputs: Vec<Option<usize>>,
}

/// Several kernels as one.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedKernel {
    /// The kernel.
    pub kernel: LoopKernel,
    /// For each member and each of its parameters, which of the joined kernel's that is.
    pub params: Vec<Vec<usize>>,
    /// The same for its buffers. Those that a member writes are in the member's order.
    pub bufs: Vec<Vec<usize>>,
    /// How many loops serve several members.
    pub loops: usize,
    /// How often two loops became one that have no loop inside.
    pub innermost: usize,
    /// For each member the buffers of the joined kernel that it reads or writes where an index from memory says.
    pub scattered: Vec<Vec<usize>>,
}

/// Joins kernels that are lawful.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{JoinMember, join, text::{parse, print}};
/// let kernel = |text: &str| parse(&Source::new("demo", text)).unwrap();
/// let sum = kernel("kernel k(n: i64, x: in f64[], y: out f64[]) { for i in 0..n { y[0] += x[i] } }");
/// let most = kernel("kernel k(m: i64, x: in f64[], y: out f64[]) { for k in 0..m { y[0] max= x[k] } }");
/// let member = |kernel| JoinMember { kernel, params: vec![0], inputs: vec![Some(0), None] };
/// let joined = join(&[member(&sum), member(&most)]);
/// assert_eq!((joined.loops, joined.bufs), (1, vec![vec![0, 1], vec![0, 2]]));
/// assert!(print(&joined.kernel).contains("for i in 0..n {\n    y[0] += x[i]\n    y_2[0] max= x[i]\n  }"));
/// ```
pub fn join(members: &[JoinMember]) -> JoinedKernel {
    let name = members.first().map_or("kernel", |m| m.kernel.name.as_str());
    let kernel = LoopKernel::new(name);
    let mut joiner = Joiner {
        joined: JoinedKernel {
            kernel,
            params: Vec::new(),
            bufs: Vec::new(),
            loops: 0,
            innermost: 0,
            scattered: Vec::new(),
        },
        params: Vec::new(),
        inputs: Vec::new(),
        lets: IdMap::default(),
    };
    let mut body = Vec::new();
    for member in members {
        let own = joiner.import(member);
        joiner.learn(&own);
        joiner.joined.scattered.push(joiner.find_scattered(&own));
        body = joiner.merge(body, own);
    }
    joiner.share_lets(&mut body, &mut AliveLets::default());
    joiner.joined.kernel.body = body;
    joiner.joined
}

impl JoinedKernel {
    /// How many buffers are those of members; passes may add others.
    pub fn member_buffers(&self) -> usize {
        self.bufs.iter().flatten().max().map_or(0, |most| most + 1)
    }
}

/// The kernel that is being made, and what is known of its variables.
struct Joiner {
    joined: JoinedKernel,
    /// The variable of each number of a parameter.
    params: Vec<(usize, VarId)>,
    /// The buffer of each number of an input.
    inputs: Vec<(usize, BufId)>,
    /// What variables that are set once stand for: parameters, variables of loops and inputs only.
    lets: IdMap<VarId, Expr>,
}

impl Joiner {
    /// The code of a member in terms of the joined kernel's variables and buffers.
    fn import(&mut self, member: &JoinMember) -> Vec<Stmt> {
        let from = member.kernel;
        let mut vars: IdMap<VarId, VarId> = IdMap::default();
        let (mut params, mut copies, mut set) = (Vec::new(), Vec::new(), IdSet::<VarId>::default());
        each_stmt(&from.body, &mut |s| set.extend(set_var(s)));
        for (&v, &same) in from.params.iter().zip(&member.params) {
            let known = self.params.iter().find(|(n, _)| *n == same).map(|(_, own)| *own);
            let own = known.unwrap_or_else(|| {
                let own = self.joined.kernel.param(&from.vars[v].name);
                self.params.push((same, own));
                own
            });
            params.extend(self.joined.kernel.params.iter().position(|p| *p == own));
            vars.insert(v, own);
            // A kernel that changes a parameter has a copy of its own.
            if set.contains(&v) {
                let copy = self.joined.kernel.var(&from.vars[v].name, from.vars[v].ty);
                copies.push(Stmt::Let { var: copy, val: Expr::Var(own) });
                vars.insert(v, copy);
            }
        }
        let mut bufs = Vec::new();
        for (id, buf) in from.bufs.iter() {
            let shared = member.inputs.get(id.index()).copied().flatten();
            let known = shared.and_then(|n| self.inputs.iter().find(|(own, _)| *own == n));
            let own = known.map(|(_, own)| *own).unwrap_or_else(|| {
                let own = self.joined.kernel.buf(&buf.name, buf.elem, buf.role);
                self.joined.kernel.bufs[own].init = buf.init;
                self.inputs.extend(shared.map(|n| (n, own)));
                own
            });
            bufs.push(own);
        }
        self.joined.params.push(params);
        self.joined.bufs.push(bufs.iter().map(|b: &BufId| b.index()).collect());
        for (v, var) in from.vars.iter() {
            vars.entry(v).or_insert_with(|| self.joined.kernel.var(&var.name, var.ty));
        }
        let mut body = from.body.clone();
        rename_block(&mut body, &|v| vars.get(&v).copied(), &|b| bufs.get(b.index()).copied());
        copies.append(&mut body);
        copies
    }
    /// Notes what the lets of a body stand for.
    fn learn(&mut self, body: &[Stmt]) {
        // What a variable stands for is known where one statement gives it its only value.
        let (mut changing, mut given): (IdSet<VarId>, IdSet<VarId>) = Default::default();
        each_stmt(body, &mut |s| {
            changing.extend(set_var(s));
            changing.extend(born_var(s).filter(|v| !given.insert(*v)));
        });
        let loops = loop_variables(body);
        let params: IdSet<VarId> = self.joined.kernel.params.iter().copied().collect();
        each_stmt(body, &mut |s| {
            if let Stmt::Let { var, val } = s
                && !changing.contains(var)
                && let Some(whole) = self.expand(val, &|v| loops.contains(&v) || params.contains(&v))
            {
                self.lets.insert(*var, whole);
            }
        });
    }
    /// An expression in which every variable that is set once is written out; nothing where it depends on anything that the
    /// kernel changes.
    fn expand(&self, e: &Expr, fixed: &dyn Fn(VarId) -> bool) -> Option<Expr> {
        let mut whole = e.clone();
        let mut known = true;
        rewrite(&mut whole, &mut |part| {
            if let Expr::Var(v) = part {
                match self.lets.get(v) {
                    Some(stands) => *part = stands.clone(),
                    None => known &= fixed(*v),
                }
            }
            known &= read_buffer(part).is_none_or(|b| self.joined.kernel.bufs[b].role == BufRole::In);
        });
        (known && !is_long(&whole)).then_some(whole)
    }
    /// The buffers that a body reads or writes where an index from memory says.
    fn find_scattered(&self, body: &[Stmt]) -> Vec<usize> {
        let from_memory = |at: &Expr| {
            let whole = self.expand(at, &|_| true);
            whole.is_some_and(|at| any_part(&at, &|part| read_buffer(part).is_some()))
        };
        let mut found: BTreeSet<usize> = BTreeSet::new();
        each_stmt(body, &mut |s| {
            if let Stmt::Store { buf, at, .. } = s
                && from_memory(at)
            {
                found.insert(buf.index());
            }
            for e in exprs(s) {
                each_part(e, &mut |part| {
                    found.extend(read_place(part).filter(|(_, at)| from_memory(at)).map(|(b, _)| b.index()));
                });
            }
        });
        found.into_iter().collect()
    }
    /// Two blocks as one. `a` and `b` come from different members.
    fn merge(&mut self, a: Vec<Stmt>, b: Vec<Stmt>) -> Vec<Stmt> {
        if !a.iter().chain(&b).any(has_block) {
            let mut out = Vec::with_capacity(a.len() + b.len());
            put_beside(&mut out, a.into_iter(), b.into_iter());
            return out;
        }
        let (whole, other) = (a.clone(), b.clone());
        let mut out = Vec::with_capacity(a.len() + b.len());
        let mut rest: VecDeque<Stmt> = a.into();
        let mut pending = Vec::new();
        for (n, s) in b.into_iter().enumerate() {
            let begin = whole.len() - rest.len();
            let alike = |at: &usize| {
                let own = Placed { block: &whole, at: begin + at };
                self.are_alike(own, Placed { block: &other, at: n })
            };
            let Some(at) = (0..rest.len()).find(alike) else {
                pending.push(s);
                continue;
            };
            put_beside(&mut out, rest.drain(..at), pending.drain(..));
            let both = match rest.pop_front() {
                Some(own) => self.merge_pair(own, s),
                None => s,
            };
            out.push(both);
        }
        put_beside(&mut out, rest.into_iter(), pending.into_iter());
        out
    }
    /// Whether two statements with blocks do the same but for what is in these.
    fn are_alike(&self, a: Placed, b: Placed) -> bool {
        match (&a.block[a.at], &b.block[b.at]) {
            (
                Stmt::For { var: v, lo, hi, step, body, .. },
                Stmt::For { var: w, lo: lo_2, hi: hi_2, step: step_2, body: body_2, .. },
            ) => {
                let kinds = self.joined.kernel.vars[*v].ty == self.joined.kernel.vars[*w].ty;
                let apart = leaves(body) || leaves(body_2);
                kinds && step == step_2 && !apart && self.are_equal(a, [lo, hi], b, [lo_2, hi_2])
            }
            (Stmt::If { cond, .. }, Stmt::If { cond: cond_2, .. }) => {
                self.are_equal(a, [cond, cond], b, [cond_2, cond_2])
            }
            _ => false,
        }
    }
    /// Whether expressions of two statements have the same values there: they are the same once variables are written out, or what
    /// computes them is the same statement by statement.
    fn are_equal(&self, a: Placed, own: [&Expr; 2], b: Placed, other: [&Expr; 2]) -> bool {
        let expand = |e: &Expr| self.expand(e, &|_| true);
        let written = own.iter().zip(other).map(|(x, y)| Some(expand(x)? == expand(y)?));
        let written: Option<Vec<bool>> = written.collect();
        if let Some(same) = written
            && same.iter().all(|same| *same)
        {
            return true;
        }
        // An expression that only one of them has written out would be compared with what computes the other.
        let (x, y) = (Slice::collect(self, a, own), Slice::collect(self, b, other));
        x.is_some() && x == y
    }
    /// Two statements that are alike as one.
    fn merge_pair(&mut self, a: Stmt, b: Stmt) -> Stmt {
        match (a, b) {
            (
                Stmt::For { var, lo, hi, step, mode, body },
                Stmt::For { var: other, mode: mode_2, body: mut body_2, .. },
            ) => {
                rename_block(&mut body_2, &|v| (v == other).then_some(var), &|_| None);
                self.lets.values_mut().for_each(|e| rename_vars(e, &|v| (v == other).then_some(var)));
                let mode = if mode == mode_2 { mode } else { LoopMode::Serial };
                self.joined.loops += 1;
                self.joined.innermost += usize::from(!body.iter().chain(&body_2).any(has_loop));
                let body = self.merge(body, body_2);
                Stmt::For { var, lo, hi, step, mode, body }
            }
            (Stmt::If { cond, then, other }, Stmt::If { then: then_2, other: other_2, .. }) => {
                let then = self.merge(then, then_2);
                Stmt::If { cond, then, other: self.merge(other, other_2) }
            }
            (a, _) => a,
        }
    }
}

fn has_block(s: &Stmt) -> bool {
    matches!(s.kind(), StmtKind::Loop | StmtKind::Branch)
}

/// Statements of two members beside each other, what they compute before what they store.
fn put_beside(out: &mut Vec<Stmt>, a: impl Iterator<Item = Stmt>, b: impl Iterator<Item = Stmt>) {
    let computes = |s: &Stmt| matches!(s.kind(), StmtKind::Value);
    let (mut a, mut b) = (a.peekable(), b.peekable());
    while let Some(s) = a.next_if(computes) {
        out.push(s);
    }
    while let Some(s) = b.next_if(computes) {
        out.push(s);
    }
    out.extend(a);
    out.extend(b);
}

/// The lets that are alive where a block is, by what they stand for, and the variables in whose place one of these is read.
#[derive(Default)]
struct AliveLets {
    alive: Vec<(Expr, VarId)>,
    same: IdMap<VarId, VarId>,
}

impl Joiner {
    /// Drops lets that stand for what another one that is alive stands for.
    fn share_lets(&mut self, block: &mut Vec<Stmt>, known: &mut AliveLets) {
        let alive = known.alive.len();
        block.retain_mut(|s| {
            exprs_mut(s).for_each(|e| rename_vars(e, &|v| known.same.get(&v).copied()));
            blocks_mut(s).for_each(|inner| self.share_lets(inner, known));
            let Stmt::Let { var, .. } = s else { return true };
            let Some(whole) = self.lets.get(var).filter(|whole| !matches!(whole, Expr::Const(_))) else {
                return true;
            };
            if let Some((_, own)) = known.alive.iter().find(|(e, _)| e == whole) {
                known.same.insert(*var, *own);
                return false;
            }
            known.alive.push((whole.clone(), *var));
            true
        });
        known.alive.truncate(alive);
    }
}

/// Other variables and buffers in the place of some.
fn rename_block(
    body: &mut [Stmt],
    vars: &impl Fn(VarId) -> Option<VarId>,
    bufs: &impl Fn(BufId) -> Option<BufId>,
) {
    each_stmt_mut(body, &mut |s| {
        for e in exprs_mut(s) {
            rename_vars(e, vars);
            rewrite(e, &mut |part| {
                if let Some(buf) = read_buffer_mut(part) {
                    *buf = bufs(*buf).unwrap_or(*buf);
                }
            });
        }
        if let Some(var) = own_var_mut(s) {
            *var = vars(*var).unwrap_or(*var);
        }
        if let Some(buf) = changed_buffer_mut(s) {
            *buf = bufs(*buf).unwrap_or(*buf);
        }
    });
}
fn rename_vars(e: &mut Expr, vars: &impl Fn(VarId) -> Option<VarId>) {
    rewrite(e, &mut |part| {
        if let Expr::Var(v) = part {
            *v = vars(*v).unwrap_or(*v);
        }
    });
}

/// The variables of loops.
fn loop_variables(body: &[Stmt]) -> IdSet<VarId> {
    let mut loops = IdSet::default();
    each_stmt(body, &mut |s| {
        if let Stmt::For { var, .. } = s {
            loops.insert(*var);
        }
    });
    loops
}

#[cfg(test)]
mod tests;
