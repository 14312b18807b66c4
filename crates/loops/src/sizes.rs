//! Products of sizes that a kernel computes: integers of kernels wrap, so whoever runs one asks first.
//!
//! A size is a parameter, a number, or what is computed of sizes alone; a variable that is given such a value once is one
//! as well. Numbers that are counted as the kernel runs are none: where these are multiplied, the kernel itself bounds them.

use crate::nodes::{Expr, LoopKernel, Stmt, VarId};
use crate::walk::{each_stmt, exprs, parts};
use openwork_algebra::{Prim, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// What a kernel computes of sizes, where something is multiplied.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeProduct(SizeExpr);

/// An expression over parameters, by their numbers.
#[derive(Clone, Debug, PartialEq)]
enum SizeExpr {
    Number(i64),
    Param(usize),
    Call(Prim, Box<SizeExpr>, Box<SizeExpr>),
}

impl SizeProduct {
    /// Whether every product in it fits in 64 bits with these parameters.
    pub fn fits(&self, params: &[i64]) -> bool {
        value(&self.0, params).is_some()
    }
    /// The numbers of the parameters in it.
    pub fn params(&self) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        self.0.collect(&mut out);
        out
    }
}

impl SizeExpr {
    fn collect(&self, out: &mut BTreeSet<usize>) {
        match self {
            SizeExpr::Number(_) => {}
            SizeExpr::Param(n) => drop(out.insert(*n)),
            SizeExpr::Call(_, a, b) => [a, b].into_iter().for_each(|s| s.collect(out)),
        }
    }
    fn multiplies(&self) -> bool {
        match self {
            SizeExpr::Number(_) | SizeExpr::Param(_) => false,
            SizeExpr::Call(prim, a, b) => {
                matches!(prim, Prim::Mul | Prim::Shl) || a.multiplies() || b.multiplies()
            }
        }
    }
}

/// The value, unless it or what it is computed of does not fit.
fn value(s: &SizeExpr, params: &[i64]) -> Option<i64> {
    let (prim, a, b) = match s {
        SizeExpr::Number(n) => return Some(*n),
        SizeExpr::Param(n) => return params.get(*n).copied(),
        SizeExpr::Call(prim, a, b) => (*prim, value(a, params), value(b, params)),
    };
    // Nothing times what cannot be counted is nothing.
    if prim == Prim::Mul && (a == Some(0) || b == Some(0)) {
        return Some(0);
    }
    let (a, b) = (a?, b?);
    match prim {
        Prim::Add => a.checked_add(b),
        Prim::Sub => a.checked_sub(b),
        Prim::Mul => a.checked_mul(b),
        Prim::Min => Some(a.min(b)),
        Prim::Max => Some(a.max(b)),
        Prim::Shl => a.checked_mul(1i64.checked_shl(u32::try_from(b).ok()?).filter(|&f| f > 0)?),
        Prim::Shr => a.checked_shr(u32::try_from(b).ok()?),
        _ => None,
    }
}

/// The products of sizes that a kernel computes, each of them once.
pub fn products(kernel: &LoopKernel) -> Vec<SizeProduct> {
    let mut known: BTreeMap<VarId, SizeExpr> =
        kernel.params.iter().enumerate().map(|(n, &v)| (v, SizeExpr::Param(n))).collect();
    let mut changes = BTreeSet::new();
    each_stmt(&kernel.body, &mut |s| {
        if let Stmt::Set { var, .. } = s {
            changes.insert(*var);
        }
    });
    let mut found: Vec<SizeProduct> = Vec::new();
    each_stmt(&kernel.body, &mut |s| {
        exprs(s).for_each(|e| collect(e, &known, &mut found));
        if let Stmt::Let { var, val } = s
            && !changes.contains(var)
            && let Some(size) = size(val, &known)
        {
            known.insert(*var, size);
        }
    });
    found
}

/// Notes the largest sizes in `e` that multiply.
fn collect(e: &Expr, known: &BTreeMap<VarId, SizeExpr>, found: &mut Vec<SizeProduct>) {
    let Some(size) = size(e, known) else {
        return parts(e).for_each(|part| collect(part, known, found));
    };
    let product = SizeProduct(size);
    if product.0.multiplies() && !found.contains(&product) {
        found.push(product);
    }
}

/// `e` as a size, if it is one.
fn size(e: &Expr, known: &BTreeMap<VarId, SizeExpr>) -> Option<SizeExpr> {
    match e {
        Expr::Const(Scalar::I64(n)) => Some(SizeExpr::Number(*n)),
        Expr::Var(v) => known.get(v).cloned(),
        Expr::Call {
            prim: prim @ (Prim::Add | Prim::Sub | Prim::Mul | Prim::Min | Prim::Max | Prim::Shl | Prim::Shr),
            args,
        } => match &args[..] {
            [a, b] => Some(SizeExpr::Call(*prim, size(a, known)?.into(), size(b, known)?.into())),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::products;
    use crate::text::parse;
    use openwork_base::Source;

    #[test]
    fn products_of_sizes_are_found_and_looked_at() {
        let text = "kernel k(n: i64, m: i64, x: in i64[], y: out f64[]) {
  let all: i64 = n * m
  reserve(y, shr(all * 8 + 63, 6))
  let count: i64 = 0
  for p in 0..n {
    count = count + x[p * m]
  }
  set_len(y, count * m)
}
";
        let found = products(&parse(&Source::new("test", text)).unwrap());
        let params: Vec<Vec<usize>> = found.iter().map(|p| p.params().into_iter().collect()).collect();
        assert_eq!(params, [[0, 1], [0, 1]], "what is counted is no size");
        let fits = |n, m| found.iter().map(|p| p.fits(&[n, m])).collect::<Vec<bool>>();
        assert_eq!(fits(1 << 31, 1 << 28), [true, true]);
        assert_eq!(fits(1 << 31, 1 << 31), [true, false]);
        assert_eq!(fits(1 << 32, 1 << 32), [false, false]);
        assert_eq!(fits(0, i64::MAX), [true, true]);
    }
}
