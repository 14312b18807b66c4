//! An estimate of what one run does: for the rates that `openwork run` reports, and to tell whether threads are worth it.
//!
//! For each assignment of the planned program: the operators of its right-hand side, and one more if it accumulates,
//! times how often it runs. It runs where the sparse operands that limit it are stored, times the sizes of the loop
//! variables they say nothing about. Operands that must be stored at the same coordinates limit each other: over the
//! same variables the smaller one counts, over different ones their entries are taken to be spread evenly.

use openwork_base::Id;
use openwork_index::{Expr, IndexId, Kind, Program, Stmt, TensorId};
use std::collections::{BTreeMap, BTreeSet};

/// Estimates of what one run does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Arithmetic operations.
    pub flops: f64,
    /// Bytes of operands read and results written, each once.
    pub bytes: f64,
}

/// Stored values per operand, by name.
pub type Stored<'a> = BTreeMap<&'a str, usize>;

/// Where an expression may differ from its fill: `count` combinations of the variables `vars`.
#[derive(Clone, Debug)]
struct Region {
    vars: BTreeSet<IndexId>,
    count: f64,
}

/// Estimates one run of a program over operands with so many stored values.
pub fn work(program: &Program, stored: &Stored, bytes: usize) -> Work {
    let sizes: Vec<usize> = program.indices.iter().map(|(_, i)| i.size.unwrap_or(1)).collect();
    let mut estimate =
        Estimate { program, stored, sizes: &sizes, flops: 0.0, steps: 0.0, making: Vec::new() };
    estimate.stmt(&program.body, &mut Vec::new());
    Work { flops: estimate.flops, bytes: bytes as f64 }
}
/// How many assignments one run makes, over index variables that take so many values.
pub(crate) fn steps(program: &Program, stored: &Stored, sizes: &[usize]) -> f64 {
    let mut estimate = Estimate { program, stored, sizes, flops: 0.0, steps: 0.0, making: Vec::new() };
    estimate.stmt(&program.body, &mut Vec::new());
    estimate.steps
}

struct Estimate<'a> {
    program: &'a Program,
    stored: &'a Stored<'a>,
    sizes: &'a [usize],
    flops: f64,
    steps: f64,
    /// Temporaries whose making is looked at: one that is made of itself is not known.
    making: Vec<TensorId>,
}

impl Estimate<'_> {
    fn stmt(&mut self, s: &Stmt, loops: &mut Vec<IndexId>) {
        if let Stmt::Assign { op, rhs, .. } = s {
            let mut operators = op.iter().count();
            rhs.visit(&mut |e| operators += usize::from(matches!(e, Expr::Call { .. })));
            let runs = self.runs(rhs, loops);
            self.flops += operators as f64 * runs;
            self.steps += runs;
        }
        if let Stmt::Forall { index, .. } = s {
            loops.push(*index);
        }
        for child in s.children() {
            self.stmt(child, loops);
        }
        if let Stmt::Forall { .. } = s {
            loops.pop();
        }
    }
    fn runs(&self, rhs: &Expr, loops: &[IndexId]) -> f64 {
        match self.region(rhs) {
            None => self.space(loops),
            Some(region) => {
                let rest: Vec<IndexId> = loops.iter().copied().filter(|v| !region.vars.contains(v)).collect();
                // A temporary may be given a value several times where it is read once.
                (region.count * self.space(&rest)).min(self.space(loops))
            }
        }
    }
    fn space<'v>(&self, vars: impl IntoIterator<Item = &'v IndexId>) -> f64 {
        vars.into_iter().map(|&v| self.sizes[v.index()] as f64).product()
    }
    /// `None` is everywhere.
    fn region(&self, e: &Expr) -> Option<Region> {
        match e {
            Expr::Access(a) => {
                let t = &self.program.tensors[a.tensor];
                if t.kind == Kind::Temp {
                    return self.made(a.tensor);
                }
                let nnz = self.stored.get(t.given.as_str())?;
                let vars = a.vars.iter().copied().collect();
                (!t.format.is_full()).then_some(Region { vars, count: *nnz as f64 })
            }
            Expr::Literal(_) | Expr::Index(_) | Expr::Width(_) | Expr::WithFill { .. } => None,
            Expr::Cast { arg, .. } => self.region(arg),
            Expr::Reduce { body, .. }
            | Expr::Map { to: body, .. }
            | Expr::Stored { of: body, .. }
            | Expr::Beside { value: body, .. } => self.region(body),
            Expr::Call { op, args } if op.annihilator.is_some() => {
                args.iter().filter_map(|a| self.region(a)).reduce(|a, b| self.both(a, b))
            }
            Expr::Call { args, .. } => {
                let varying = args.iter().filter(|a| !matches!(a, Expr::Literal(_)));
                let regions: Option<Vec<Region>> = varying.map(|a| self.region(a)).collect();
                regions?.into_iter().reduce(|a, b| self.either(a, b))
            }
        }
    }
    /// Where a temporary is given values: at most once by each assignment to it. Taken to be everywhere, the temporaries of a
    /// sum of seven matrices of 1856 rows and 11,550 values each made it work for 53 chunks, which took twice as long on two
    /// threads as on one.
    fn made(&self, temp: TensorId) -> Option<Region> {
        if self.making.contains(&temp) {
            return None;
        }
        let making = [&self.making[..], &[temp]].concat();
        let inner = Estimate { making, flops: 0.0, steps: 0.0, ..*self };
        let all = self.program.body.assignments().into_iter().filter(|(lhs, ..)| lhs.tensor == temp);
        let regions: Vec<Region> = all.map(|(_, _, rhs)| inner.region(rhs)).collect::<Option<_>>()?;
        regions.into_iter().reduce(|a, b| Region { vars: &a.vars | &b.vars, count: a.count + b.count })
    }
    fn both(&self, a: Region, b: Region) -> Region {
        let (large, small) = if a.vars.is_superset(&b.vars) { (&a, &b) } else { (&b, &a) };
        let vars: BTreeSet<IndexId> = a.vars.union(&b.vars).copied().collect();
        if large.vars.is_superset(&small.vars) {
            let rest: Vec<IndexId> = large.vars.difference(&small.vars).copied().collect();
            return Region { vars, count: large.count.min(small.count * self.space(&rest)) };
        }
        let shared: Vec<IndexId> = a.vars.intersection(&b.vars).copied().collect();
        Region { vars, count: a.count * b.count / self.space(&shared).max(1.0) }
    }
    fn either(&self, a: Region, b: Region) -> Region {
        let vars: BTreeSet<IndexId> = a.vars.union(&b.vars).copied().collect();
        let spread = |r: &Region| {
            let rest: Vec<IndexId> = vars.difference(&r.vars).copied().collect();
            r.count * self.space(&rest)
        };
        let count = (spread(&a) + spread(&b)).min(self.space(&vars));
        Region { count, vars }
    }
}
