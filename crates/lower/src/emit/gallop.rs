//! Intersections of lists of very different lengths: whoever is behind gallops to where the others are (Bentley and Yao's
//! unbounded search), so that the time goes with the shorter list and the logarithm of the longer one.
//!
//! ```text
//! while pA < A_end && pB < B_end {
//!   let iA = A_crd[pA]   let iB = B_crd[pB]   let i = max(iA, iB)
//!   if iA == i && iB == i { …   pA = pA + 1   pB = pB + 1 }
//!   else {
//!     if iA < i { hop from pA: 1, 2, 4, … positions as long as A's coordinates are less than i; then halve }
//!     if iB < i { … }
//!   }
//! }
//! ```

use crate::emit::Emitter;
use crate::emit::assemble::always;
use crate::emit::cursor::Cursor;
use crate::emit::iter::Cursors;
use crate::emit::visit::Visit;
use openwork_algebra::Prim;
use openwork_loops::build::{add, and_also, call, eq, if_then, int, lt, mul, set, var};
use openwork_loops::{Expr as Ir, Stmt as Code, VarId};

impl Emitter<'_> {
    /// The loop.
    pub(crate) fn over_galloping(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        let p = &visit.of.lattice.points[0];
        let name = self.program.indices[visit.v].name.clone();
        let running: Vec<Cursor> = p.leaves.iter().map(|l| iters[l].clone()).collect();
        let i = self.kernel.index(&name);
        let mut body = Vec::new();
        let (mut more, mut all): (Vec<Ir>, Vec<Ir>) = (Vec::new(), Vec::new());
        let mut coords: Vec<VarId> = Vec::new();
        for (leaf, iter) in p.leaves.iter().zip(&running) {
            more.push(iter.more());
            let t = &self.program.tensors[leaf.access.tensor].name;
            let c = self.kernel.index(&format!("{name}{t}"));
            body.push(Code::Let { var: c, val: iter.coord(&self.kernel) });
            all.push(eq(var(c), var(i)));
            coords.push(c);
        }
        let largest = coords.iter().map(|&c| var(c)).reduce(|a, b| call(Prim::Max, a, b));
        body.push(Code::Let { var: i, val: largest.unwrap_or(int(i64::MIN)) });
        let Some(case) = self.case(visit, var(i), 0, iters) else { return Vec::new() };
        let mut met = self.ends_where_decided(visit, case.code);
        met.extend(running.iter().map(|iter| iter.next()));
        let mut behind = Vec::new();
        for (iter, &c) in running.iter().zip(&coords) {
            let hop = self.hop(iter, var(i));
            behind.extend(if_then(lt(var(c), var(i)), hop));
        }
        let both = |conds: Vec<Ir>| conds.into_iter().reduce(and_also).unwrap_or(always());
        body.push(Code::If { cond: both(all), then: met, other: behind });
        vec![Code::While { cond: both(more), body }]
    }

    /// Moves to the first position whose coordinate is at least `bound`; that of the current one is less.
    fn hop(&mut self, iter: &Cursor, bound: Ir) -> Vec<Code> {
        let [first, last, step] = ["first", "last", "hop"].map(|n| self.kernel.index(n));
        let before = |l: &Emitter, at: Ir| lt(iter.coord.value_at(&l.kernel, at), bound.clone());
        let ahead = add(var(first), var(step));
        let hopping = and_also(lt(ahead.clone(), iter.end.clone()), before(self, ahead.clone()));
        let middle = self.kernel.index("middle");
        // `first` is before the bound all along; `last` is not, or the end.
        let half = call(Prim::Shr, add(var(first), var(last)), int(1));
        let halve = vec![
            Code::Let { var: middle, val: half },
            Code::If {
                cond: before(self, var(middle)),
                then: vec![set(first, var(middle))],
                other: vec![set(last, var(middle))],
            },
        ];
        vec![
            Code::Let { var: first, val: var(iter.pos) },
            Code::Let { var: step, val: int(1) },
            Code::While {
                cond: hopping,
                body: vec![set(first, ahead.clone()), set(step, mul(var(step), int(2)))],
            },
            Code::Let { var: last, val: call(Prim::Min, ahead, iter.end.clone()) },
            Code::While { cond: lt(add(var(first), int(1)), var(last)), body: halve },
            set(iter.pos, var(last)),
        ]
    }
}
