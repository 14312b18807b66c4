//! Loops over rows that nothing tells apart, as one loop over the elements of all of them.
//!
//! ```text
//! for i in lo..hi {                        if lo < hi {
//!   for p in pos[i]..pos[i + 1] {    =>      for p in pos[lo]..pos[hi] {
//!     t = t + x[p]                             t = t + x[p]
//!   }                                        }
//! }                                        }
//! ```
//!
//! A row ends where the next one begins, so that the elements of all rows are one range as long as positions never fall. Rows
//! of a few elements leave vectors no room, and are not foreseen; one range is a single loop.

use crate::build::{add, int, var};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::walk::{any_part, blocks_mut, each_part, each_stmt, exprs, set_var, substitute};
use openwork_algebra::{DType, Prim};
use openwork_base::IdMap;

/// Makes one loop of the rows of a lawful kernel that do not depend on which row it is. `rising` tells index arrays whose
/// elements never fall.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{flat, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, pos: in i64[], x: in f64[], y: out f64[]) {
///   let t: f64 = 0.0
///   for i in 0..n { let a: i64 = pos[i]  for p in a..pos[i + 1] { t = t + x[p] } }
///   y[0] = t
/// }")).unwrap();
/// let k = print(&flat(k, &|_| true));
/// assert!(k.contains("let begin: i64 = pos[0]\n    let end: i64 = pos[n]\n    for p in begin..end {"), "{k}");
/// ```
pub fn flat(mut kernel: LoopKernel, rising: &dyn Fn(BufId) -> bool) -> LoopKernel {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, rising, body);
    kernel
}

fn block(kernel: &mut LoopKernel, rising: &dyn Fn(BufId) -> bool, mut body: Vec<Stmt>) -> Vec<Stmt> {
    for s in &mut body {
        // Rows of the innermost levels first: of what they become, the rows around them make one range again.
        for inner in blocks_mut(s) {
            *inner = block(kernel, rising, std::mem::take(inner));
        }
        if let Some(range) = flatten_loop(kernel, rising, s) {
            *s = range;
        }
    }
    body
}

/// The most parts of an index that says where a row begins: one that is written out where it stands doubles with every variable
/// that it names twice.
const PARTS: usize = 32;

/// Rows one after the other.
struct FlatRows {
    var: VarId,
    mode: LoopMode,
    /// Where a row begins, by its number.
    begin: Expr,
    body: Vec<Stmt>,
}

/// A loop over rows as one over all that they have.
fn flatten_loop(kernel: &mut LoopKernel, rising: &dyn Fn(BufId) -> bool, s: &Stmt) -> Option<Stmt> {
    let Stmt::For { var: i, lo, hi, step: 1, mode: LoopMode::Serial, body } = s else { return None };
    let FlatRows { var: p, mode, begin, body } = rows(*i, body, IdMap::default())?;
    if !rises(kernel, rising, *i, &begin) || !is_alike(&body, *i) {
        return None;
    }
    let at = |row: &Expr| substitute(&begin, &|v| (v == *i).then(|| row.clone()));
    let (from, to) = (kernel.var("begin", Ty::INDEX), kernel.var("end", Ty::INDEX));
    let some = Expr::Call { prim: Prim::Lt, args: vec![lo.clone(), hi.clone()] };
    let all = Stmt::For { var: p, lo: var(from), hi: var(to), step: 1, mode, body };
    let then = vec![Stmt::Let { var: from, val: at(lo) }, Stmt::Let { var: to, val: at(hi) }, all];
    Some(Stmt::If { cond: some, then, other: Vec::new() })
}

/// What the body of a loop over rows is, where it is one loop over a row; `known` has the variables of the loops around it.
fn rows(i: VarId, body: &[Stmt], mut known: IdMap<VarId, Expr>) -> Option<FlatRows> {
    let written = |e: &Expr, known: &IdMap<VarId, Expr>| substitute(e, &|v| known.get(&v).cloned());
    let (last, before) = body.split_last()?;
    for s in before {
        let Stmt::Let { var, val } = s else { return None };
        let val = written(val, &known);
        let mut parts = 0;
        each_part(&val, &mut |_| parts += 1);
        if parts > PARTS {
            return None;
        }
        known.insert(*var, val);
    }
    let after = |e: &Expr| substitute(e, &|v| (v == i).then(|| add(var(i), int(1))));
    if let Stmt::For { var, lo, hi, step: 1, mode, body } = last {
        let (begin, end) = (written(lo, &known), written(hi, &known));
        let ends = end == after(&begin) && is_apart(body, &known);
        return ends.then(|| FlatRows { var: *var, mode: *mode, begin, body: body.clone() });
    }
    // Rows that were joined below are only looked at where there are some: without any, they begin where they end.
    let Stmt::If { cond: Expr::Call { prim: Prim::Lt, args }, then, other } = last else { return None };
    let (begin, end) = (written(&args[0], &known), written(&args[1], &known));
    if !other.is_empty() || end != after(&begin) {
        return None;
    }
    rows(i, then, known).filter(|below| any_part(&below.begin, &|part| *part == begin))
}

/// Whether a block neither reads nor sets some variables.
fn is_apart(body: &[Stmt], from: &IdMap<VarId, Expr>) -> bool {
    let mut apart = true;
    each_stmt(body, &mut |s| {
        let reads = |e: &Expr| any_part(e, &|part| matches!(part, Expr::Var(v) if from.contains_key(v)));
        apart &= !exprs(s).any(reads) && set_var(s).is_none_or(|v| !from.contains_key(&v));
    });
    apart
}

/// Whether an index never falls as `i` rises: it is an element of an array that never does, at such an index.
fn rises(kernel: &LoopKernel, rising: &dyn Fn(BufId) -> bool, i: VarId, e: &Expr) -> bool {
    if let Expr::Cast { to: DType::I64, arg } = e {
        return rises(kernel, rising, i, arg);
    }
    let Expr::Load { buf, at } = e else { return false };
    let at_row = **at == var(i) || rises(kernel, rising, i, at);
    at_row && kernel.bufs[*buf].role == BufRole::In && rising(*buf)
}

/// Whether a block does the same whatever the row is, and goes on to its end.
fn is_alike(body: &[Stmt], i: VarId) -> bool {
    let mut alike = true;
    each_stmt(body, &mut |s| {
        let names = |e: &Expr| any_part(e, &|part| matches!(part, Expr::Var(v) if *v == i));
        alike &= !matches!(s, Stmt::Break) && !exprs(s).any(names);
    });
    alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify;
    use crate::text::{parse, print};
    use crate::verify::verify;
    use openwork_base::{Id, Source};

    const HEAD: &str = "kernel k(n: i64, pos: in i64[], low: in i32[], x: in f64[], y: out f64[])";

    fn read(body: &str) -> LoopKernel {
        let text = format!("{HEAD} {{\n{body}\n}}\n");
        simplify(parse(&Source::new("test", text)).unwrap_or_else(|e| panic!("{e}")))
    }
    fn flatten_body(body: &str) -> String {
        let k = simplify(flat(read(body), &|buf| buf.index() < 2));
        verify(&k).unwrap();
        print(&k)
    }

    #[test]
    fn levels_of_rows_become_one_range() {
        let found = flatten_body(
            "let t: f64 = 0.0
             for i in 0..n {
               let a: i64 = pos[i]
               let b: i64 = pos[i + 1]
               for q in a..b {
                 let c: i64 = i64(low[q])
                 vector for p in c..i64(low[q + 1]) { t = t + x[p] }
               }
             }
             y[0] = t",
        );
        let wanted = "  if 0 < n {
    let begin_2: i64 = i64(low[pos[0]])
    let end_2: i64 = i64(low[pos[n]])
    vector for p in begin_2..end_2 {
      t = t + x[p]
    }
  }
";
        assert!(found.contains(wanted), "{found}");
    }

    #[test]
    fn rows_that_differ_stay() {
        for kept in [
            // What is added is that of a row,
            "for i in 0..n { for p in pos[i]..pos[i + 1] { y[i] += x[p] } }",
            // or the loop ends with one,
            "for i in 0..n { for p in pos[i]..pos[i + 1] { if x[p] > 0.0 { break } y[0] += x[p] } }",
            // rows leave something out, or come back to something,
            "for i in 0..n { for p in pos[i]..pos[i + 2] { y[0] += x[p] } }",
            "for i in 0..n { for p in pos[i] + 1..pos[i + 1] { y[0] += x[p] } }",
            // there is more to do,
            "for i in 0..n { for p in pos[i]..pos[i + 1] { y[0] += x[p] } y[1] += 1.0 }",
            "for i in 0..n { let a: i64 = pos[i]  for p in a..pos[i + 1] { y[a] += x[p] } }",
            // what is looked at is something else,
            "for i in 0..n { if pos[i] < pos[i + 1] { for p in i64(low[i])..i64(low[i + 1]) { y[0] += x[p] } } }",
            // or another order.
            "for i in 0..n step 2 { for p in pos[i]..pos[i + 1] { y[0] += x[p] } }",
        ] {
            assert_eq!(flatten_body(kept), print(&read(kept)), "{kept}");
        }
    }

    #[test]
    fn positions_that_may_fall_are_followed() {
        let rows = "for i in 0..n { for p in pos[i]..pos[i + 1] { y[0] += x[p] } }";
        assert_eq!(flat(read(rows), &|_| false), read(rows));
    }
}
