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

use crate::kinds::{
    StmtKind, born_var, changed_buffer_mut, own_var_mut, read_buffer, read_buffer_mut, read_place, set_var,
};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{
    any_part, blocks_mut, each_part, each_stmt, each_stmt_mut, exprs, exprs_mut, has_loop, is_long, leaves,
    rewrite,
};
use openwork_base::{Id, IdMap, IdSet};
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
        let mut out = Vec::with_capacity(a.len() + b.len());
        let mut rest: VecDeque<Stmt> = a.into();
        let mut pending = Vec::new();
        for s in b {
            let Some(at) = rest.iter().position(|other| self.are_alike(other, &s)) else {
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
    fn are_alike(&self, a: &Stmt, b: &Stmt) -> bool {
        let same = |x: &Expr, y: &Expr| {
            let any = |_: VarId| true;
            let (x, y) = (self.expand(x, &any), self.expand(y, &any));
            x.is_some() && x == y
        };
        match (a, b) {
            (
                Stmt::For { var: v, lo, hi, step, body, .. },
                Stmt::For { var: w, lo: lo_2, hi: hi_2, step: step_2, body: body_2, .. },
            ) => {
                let kinds = self.joined.kernel.vars[*v].ty == self.joined.kernel.vars[*w].ty;
                kinds
                    && step == step_2
                    && same(lo, lo_2)
                    && same(hi, hi_2)
                    && !leaves(body)
                    && !leaves(body_2)
            }
            (Stmt::If { cond, .. }, Stmt::If { cond: cond_2, .. }) => same(cond, cond_2),
            _ => false,
        }
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
mod tests {
    use super::{JoinMember, JoinedKernel, join};
    use crate::interp::{Limits, VecMemory, run};
    use crate::nodes::{BufId, BufRole, LoopKernel, Status};
    use crate::random::{Rng, random_kernel, random_memory};
    use crate::text::{parse, print};
    use crate::verify::verify;
    use openwork_base::{Id, Source};

    /// Kernels whose parameters and inputs are the same in their order.
    fn join_all(kernels: &[LoopKernel]) -> JoinedKernel {
        let inputs = |k: &LoopKernel| {
            let number = |(id, b): (BufId, &crate::nodes::Buf)| (b.role == BufRole::In).then_some(id.index());
            k.bufs.iter().map(number).collect()
        };
        let member = |kernel| JoinMember {
            kernel,
            params: (0..kernel.params.len()).collect(),
            inputs: inputs(kernel),
        };
        join(&kernels.iter().map(member).collect::<Vec<_>>())
    }

    /// What the kernels make of one memory, and what they make as one.
    fn compare(seed: u64, kernels: &[LoopKernel]) {
        let joined = join_all(kernels);
        if let Err(found) = verify(&joined.kernel) {
            panic!("seed {seed}: {}\n{}", found[0], joined.kernel);
        }
        let mut all = VecMemory::new(&joined.kernel);
        let mut ends = Vec::new();
        for (kernel, numbers) in kernels.iter().zip(&joined.bufs) {
            let mut own = random_memory(kernel, &mut Rng::new(seed));
            for (id, _) in kernel.bufs.iter().filter(|(_, b)| b.role != BufRole::Temp) {
                all.set(BufId::new(numbers[id.index()]), own.values(id).iter().copied());
            }
            let status = run(kernel, &[2, 5], &mut own, Limits::default());
            ends.push((own, status));
        }
        let status = run(&joined.kernel, &[2, 5], &mut all, Limits::default());
        let fine = |s: &Result<Status, _>| matches!(s, Ok(Status::Ok));
        assert_eq!(fine(&status), ends.iter().all(|(_, s)| fine(s)), "seed {seed}\n{}", joined.kernel);
        if !fine(&status) {
            return;
        }
        for ((kernel, numbers), (own, _)) in kernels.iter().zip(&joined.bufs).zip(&ends) {
            for (id, _) in kernel.bufs.iter().filter(|(_, b)| b.role == BufRole::Out) {
                let both = [(own, id), (&all, BufId::new(numbers[id.index()]))];
                let [alone, beside] =
                    both.map(|(m, id)| format!("{:?} {:?}", m.announced_len(id), m.values(id)));
                assert_eq!(alone, beside, "seed {seed}\n{}", joined.kernel);
            }
        }
    }

    #[test]
    fn random_kernels_make_as_one_what_each_makes() {
        let mut loops = 0;
        for seed in 0..1500 {
            let kernel = |n: u64| random_kernel(&mut Rng::new(seed + n));
            compare(seed, &[kernel(0), kernel(1)]);
            compare(seed, &[kernel(0), kernel(0)]);
            compare(seed, &[kernel(0), kernel(1), kernel(0)]);
            loops += join_all(&[kernel(0), kernel(0)]).loops;
        }
        assert!(loops > 300, "{loops} loops of random kernels became one");
    }

    fn join_pair(a: &str, b: &str) -> JoinedKernel {
        let kernel = |body: &str| {
            let head = "kernel k(n: i64, pos: in i64[], x: in f64[], y: out f64[])";
            parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap()
        };
        join_all(&[kernel(a), kernel(b)])
    }

    #[test]
    fn loops_over_the_same_rounds_are_one() {
        let rows = |name: &str, inside: &str| {
            format!(
                "for {name} in 0..n {{ let lo: i64 = pos[{name}]\nlet t: f64 = 0.0
                 for p in lo..pos[{name} + 1] {{ {inside} }}\ny[{name}] = t }}"
            )
        };
        let joined = join_pair(&rows("i", "t = t + x[p]"), &rows("k", "t = max(t, x[p])"));
        assert_eq!((joined.loops, joined.innermost), (2, 1), "{}", print(&joined.kernel));
        assert_eq!(
            print(&joined.kernel).matches("pos[i]").count(),
            1,
            "a let that is there already is dropped"
        );
        assert_eq!(joined.bufs, [[0, 1, 2], [0, 1, 3]]);
    }

    #[test]
    fn other_rounds_stay_apart() {
        let each = "for i in 0..n { y[i] = x[i] }";
        for other in [
            "for i in 1..n { y[i] = x[i] }",
            "for i in 0..n step 2 { y[i] = x[i] }",
            "for i in 0..pos[0] { y[i] = x[i] }",
            "let k: i64 = n\nk = k - 1\nfor i in 0..k { y[i] = x[i] }",
            "for i in 0..i64(y[0]) { y[i] = x[i] }",
            "for i in 0..n { if x[i] == 0.0 { break }\ny[i] = x[i] }",
        ] {
            let joined = join_pair(each, other);
            assert_eq!(joined.loops, 0, "{}", print(&joined.kernel));
        }
    }

    #[test]
    fn scattered_arrays_are_those_that_memory_tells_the_place_of() {
        let joined = join_pair("for i in 0..n { y[pos[i]] = 1.0 }", "for i in 0..n { y[i] = x[pos[i]] }");
        assert_eq!(joined.scattered, [[2], [1]]);
    }
}
