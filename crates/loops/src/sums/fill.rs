//! Loops that give every element of an array a value.

use crate::build::int;
use crate::nodes::{BufId, Expr, Stmt, VarId};
use crate::walk::{mentions_buffer, substitute};
use openwork_algebra::Prim;
use openwork_base::IdMap;

/// Definitions that stand in definitions, at most.
const NESTED: usize = 8;

/// A loop around a store.
struct FillLoop<'a> {
    var: VarId,
    lo: &'a Expr,
    hi: &'a Expr,
}

/// Whether loops give every one of `len` elements of an array a value before anything else is done with it. `lets` are the
/// definitions of variables that nothing else sets.
pub(super) fn is_filled(body: &[Stmt], buf: BufId, len: &Expr, lets: &IdMap<VarId, Expr>) -> bool {
    let mut loops: Vec<FillLoop> = Vec::new();
    let mut inner = body;
    let mentions = |s: &&Stmt| !matches!(s, Stmt::Reserve { .. }) && mentions_buffer(s, buf);
    loop {
        match inner.iter().find(mentions) {
            Some(Stmt::For { var, lo, hi, step: 1, body, .. }) => {
                loops.push(FillLoop { var: *var, lo, hi });
                inner = body;
            }
            Some(Stmt::Store { at, reduce: None, .. }) => {
                return covers(&write_out(at, lets), &write_out(len, lets), &loops, lets);
            }
            _ => return false,
        }
    }
}

/// Whether an index goes through all of `0..len` as the loops go through their ranges.
fn covers(at: &Expr, len: &Expr, loops: &[FillLoop], lets: &IdMap<VarId, Expr>) -> bool {
    let Some((FillLoop { var, lo, hi }, around)) = loops.split_last() else { return false };
    let (lo, hi) = (write_out(lo, lets), write_out(hi, lets));
    if around.is_empty() {
        return match parts(at, Prim::Add) {
            None => *at == Expr::Var(*var) && lo == int(0) && hi == *len,
            // A part of the rows begins at the first place.
            Some(_) => {
                let starts = |e: &Expr| matches!(parts(e, Prim::Sub), Some([zero, from]) if *zero == int(0) && *from == lo);
                other_part(at, Prim::Add, &Expr::Var(*var)).is_some_and(starts)
                    && matches!(parts(len, Prim::Sub), Some([to, from]) if *to == hi && *from == lo)
            }
        };
    }
    let row = other_part(at, Prim::Add, &Expr::Var(*var)).and_then(|base| other_part(base, Prim::Mul, &hi));
    let rows = other_part(len, Prim::Mul, &hi);
    lo == int(0) && row.zip(rows).is_some_and(|(row, rows)| covers(row, rows, around, lets))
}

/// The two arguments of a call of a primitive.
fn parts(e: &Expr, prim: Prim) -> Option<&[Expr; 2]> {
    match e {
        Expr::Call { prim: p, args } if *p == prim => args.as_slice().try_into().ok(),
        _ => None,
    }
}

/// What a sum or a product has besides one of its two parts.
fn other_part<'e>(e: &'e Expr, prim: Prim, part: &Expr) -> Option<&'e Expr> {
    let [a, b] = parts(e, prim)?;
    if b == part { Some(a) } else { (a == part).then_some(b) }
}

/// An expression with what variables are in their place.
fn write_out(e: &Expr, lets: &IdMap<VarId, Expr>) -> Expr {
    let mut e = e.clone();
    for _ in 0..NESTED {
        let next = substitute(&e, &|v| lets.get(&v).cloned());
        if next == e {
            break;
        }
        e = next;
    }
    e
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::definitions;
    use crate::text::parse;
    use openwork_base::Source;

    fn fills(text: &str) -> bool {
        let text = format!(
            "kernel k(n: i64, m: i64, a: i64, b: i64, x: in f32[], y: out uninit f32[]) {{\n{text}\n}}"
        );
        let kernel = parse(&Source::new("fills", text)).unwrap();
        let len =
            kernel.body.iter().find_map(|s| if let Stmt::Reserve { len, .. } = s { Some(len) } else { None });
        let y = kernel.bufs.ids().last().unwrap();
        is_filled(&kernel.body, y, len.unwrap(), &definitions(&kernel.body))
    }

    #[test]
    fn nests_and_parts_of_rows_fill_an_array() {
        assert!(fills("reserve(y, n)\nfor i in 0..n { y[i] = x[i] }"));
        assert!(fills(
            "let s: i64 = 0 - a\nlet p: i64 = b - a\nreserve(y, p)\nfor i in a..b { y[s + i] = x[i] }"
        ));
        let rows = "let s: i64 = 0 - a\nlet p: i64 = b - a\nreserve(y, p * m)\nfor i in a..b {\nlet r: i64 = (s + i) * m\nfor k in 0..m { y[r + k] = x[i] }\n}";
        assert!(fills(rows));
    }
    #[test]
    fn less_than_all_does_not_fill_an_array() {
        assert!(!fills("reserve(y, n)\nfor i in 1..n { y[i] = x[i] }"));
        assert!(!fills("reserve(y, n)\nfor i in 0..n { y[i + i] = x[i] }"));
        assert!(!fills("reserve(y, n)\nfor i in 0..n { y[i] += x[i] }"));
        assert!(!fills("reserve(y, n * m)\nfor i in 0..n { for k in 0..n { y[i * m + k] = x[i] } }"));
        assert!(!fills("reserve(y, n)\nfor i in a..b { y[i] = x[i] }"));
    }
}
