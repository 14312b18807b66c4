//! Loops marked `runs`, of which four rounds at a time are added up where they meet the same element.
//!
//! ```text
//! runs for p in lo..hi {               for p in lo..first { … }          up to a multiple of four
//!   let i: i64 = i64(row[p])           for p in first..last step 4 {
//!   y[i] += a[p]                =>       let i: i64 = i64(row[p])  let i_2: i64 = i64(row[p + 1]) …
//! }                                      if i == i_4 && i == i_2 & i == i_3 {
//!                                          y[i] += a[p] + a[p + 1] + (a[p + 2] + a[p + 3])
//!                                        } else {
//!                                          y[i] += a[p]  y[i_2] += a[p + 1]  …
//!                                        }
//!                                      }
//!                                      for p in last..hi { … }
//! ```
//!
//! An element that every round loads, adds to and stores takes the time of a store that is loaded again, which is twice that of
//! the addition; in a list of coordinates in order, a row is met as often as it has elements. Groups of four begin at
//! multiples of four, so that a loop over a part of the rounds adds in the same order.

use crate::build::{add, and_also, call, eq, int, var};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::unroll::copy;
use crate::vectorize::{Reassociate, tree};
use crate::walk::{any_part, blocks_mut};
use openwork_algebra::Prim;

/// Rounds that are taken together.
const GROUP: i64 = 4;

/// Groups the rounds of the `runs` loops of a lawful kernel; those whose form is another one become serial.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{Reassociate, runs, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, row: in i32[], a: in f64[], y: out f64[]) {
///   runs for p in 0..n { y[i64(row[p])] += a[p] }
/// }")).unwrap();
/// assert!(print(&runs(k, Reassociate::Allowed)).contains("step 4"));
/// ```
pub fn runs(mut kernel: LoopKernel, reassociate: Reassociate) -> LoopKernel {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, reassociate, body);
    kernel
}

fn block(kernel: &mut LoopKernel, reassociate: Reassociate, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if let Stmt::For { mode: mode @ LoopMode::Runs, .. } = &mut s {
            *mode = LoopMode::Serial;
            if let Some(groups) = group_rounds(kernel, reassociate, &s) {
                out.extend(groups);
                continue;
            }
        }
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, reassociate, std::mem::take(inner));
        }
        out.push(s);
    }
    out
}

/// The loop in groups, if it is of lets and one store that combines what it does not read.
fn group_rounds(kernel: &mut LoopKernel, reassociate: Reassociate, s: &Stmt) -> Option<Vec<Stmt>> {
    let Stmt::For { var: p, lo, hi, step: 1, mode, body } = s else { return None };
    let (Stmt::Store { buf, at: _, val, reduce: Some(prim) }, lets) = body.split_last()? else { return None };
    let (buf, prim) = (*buf, *prim);
    let reads = |e: &Expr| any_part(e, &|part| matches!(part, Expr::Load { buf: b, .. } if *b == buf));
    let plain = lets.iter().all(|s| matches!(s, Stmt::Let { val, .. } if !reads(val)));
    let reorders = !kernel.bufs[buf].elem.is_int() && reassociate == Reassociate::Strict;
    if !plain || reads(val) || reorders {
        return None;
    }
    let name = kernel.vars[*p].name.clone();
    let [first, last] = ["first", "last"].map(|part| kernel.index(&format!("{name}_{part}")));
    let aligned = |e: Expr| call(Prim::And, e, int(-GROUP));
    let begin = call(Prim::Min, aligned(add(lo.clone(), int(GROUP - 1))), hi.clone());
    let end = call(Prim::Max, var(first), aligned(hi.clone()));
    let one_by_one = |lo, hi| Stmt::For { var: *p, lo, hi, step: 1, mode: *mode, body: body.clone() };
    Some(vec![
        Stmt::Let { var: first, val: begin },
        Stmt::Let { var: last, val: end },
        one_by_one(lo.clone(), var(first)),
        group(kernel, *p, var(first), var(last), body, prim),
        one_by_one(var(last), hi.clone()),
    ])
}

/// The loop over whole groups.
fn group(kernel: &mut LoopKernel, p: VarId, lo: Expr, hi: Expr, body: &[Stmt], prim: Prim) -> Stmt {
    let name = kernel.vars[p].name.clone();
    let q = kernel.index(&name);
    let (mut lets, mut stores) = (Vec::new(), Vec::new());
    for n in 0..GROUP {
        let mut round = copy(kernel, body, p, &add(var(q), int(n)));
        stores.extend(round.pop());
        lets.append(&mut round);
    }
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for s in &stores {
        if let Stmt::Store { at, val, .. } = s {
            places.push(at.clone());
            values.push(val.clone());
        }
    }
    // Of sorted coordinates, the last one tells.
    let like = |n: usize| eq(places[0].clone(), places[n].clone());
    let cond = and_also(like(3), call(Prim::And, like(1), like(2)));
    let mut one = stores[0].clone();
    if let Stmt::Store { val, .. } = &mut one {
        *val = tree(prim, values);
    }
    lets.push(Stmt::If { cond, then: vec![one], other: stores });
    Stmt::For { var: q, lo, hi, step: GROUP, mode: LoopMode::Serial, body: lets }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{Limits, VecMemory, run};
    use crate::nodes::Status;
    use crate::text::{parse, print};
    use crate::verify;
    use openwork_algebra::Scalar;
    use openwork_base::Source;

    const SUMS: &str = "kernel k(lo: i64, hi: i64, row: in i32[], a: in f64[], y: out f64[]) {
      runs for p in lo..hi { let i: i64 = i64(row[p])\n y[i] += a[p] * 2.0 }
    }";

    fn read(text: &str) -> LoopKernel {
        parse(&Source::new("test", text)).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn every_round_is_taken_once_wherever_a_loop_begins_and_ends() {
        let k = read(SUMS);
        let [whole, groups] = [k.clone(), runs(k, Reassociate::Allowed)];
        assert_eq!(verify(&groups), Ok(()));
        let rows = [0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 1, 1, 1, 1, 3, 3, 4, 4, 4, 4, 4];
        for lo in 0..rows.len() as i64 {
            for hi in -1..=rows.len() as i64 {
                let [a, b] = [&whole, &groups].map(|k| {
                    let mut memory = VecMemory::new(k);
                    let ids: Vec<_> = k.bufs.ids().collect();
                    memory.set(ids[0], rows.iter().map(|r| Scalar::I32(*r)).collect::<Vec<_>>());
                    memory.set(ids[1], (0..rows.len()).map(|n| Scalar::F64(n as f64)).collect::<Vec<_>>());
                    memory.set(ids[2], vec![Scalar::F64(0.5); 5]);
                    assert_eq!(run(k, &[lo, hi], &mut memory, Limits::default()), Ok(Status::Ok));
                    memory.values(ids[2]).to_vec()
                });
                assert_eq!(a, b, "{lo}..{hi}");
            }
        }
    }

    #[test]
    fn what_reads_its_sums_or_keeps_their_order_stays() {
        let serial = print(&read(&SUMS.replace("runs ", "")));
        assert_eq!(print(&runs(read(SUMS), Reassociate::Strict)), serial);
        for other in [
            SUMS.replace("a[p]", "y[p]"),
            SUMS.replace("+=", "="),
            SUMS.replace("let i", "y[0] += 1.0\n let i"),
        ] {
            let serial = print(&read(&other.replace("runs ", "")));
            assert_eq!(print(&runs(read(&other), Reassociate::Allowed)), serial);
        }
    }
}
