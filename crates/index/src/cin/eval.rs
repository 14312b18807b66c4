//! The plain evaluator of CIN: dense arrays, nested loops, nothing clever.

use super::nodes::{Program, Stmt};
use crate::expr::{Access, Expr, IndexId, Kind, TensorId};
use openwork_algebra::Scalar;
use std::collections::BTreeMap;

/// A dense array of scalars, last mode fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Size of each mode.
    pub shape: Vec<usize>,
    /// `shape` product many values.
    pub values: Vec<Scalar>,
}

impl Array {
    /// An array full of one value.
    pub fn filled(shape: Vec<usize>, value: Scalar) -> Array {
        let len = shape.iter().product();
        Array { shape, values: vec![value; len] }
    }
    fn at(&self, coords: &[usize]) -> usize {
        coords.iter().zip(&self.shape).fold(0, |at, (c, size)| at * size + c)
    }
}

/// Runs `p` on dense operands and returns its results. `sizes` has the size of every index variable.
///
/// # Panics
/// If `p` breaks the law of CIN, or an operand is missing or of the wrong shape.
pub fn eval(
    p: &Program,
    operands: &BTreeMap<TensorId, Array>,
    sizes: &BTreeMap<IndexId, usize>,
) -> BTreeMap<TensorId, Array> {
    let mut m = Machine { p, sizes, arrays: operands.clone(), coords: BTreeMap::new() };
    for (lhs, _, _) in p.body.assignments() {
        m.reset(lhs);
    }
    m.stmt(&p.body);
    m.arrays.into_iter().filter(|(t, _)| p.tensors[*t].kind == Kind::Result).collect()
}

struct Machine<'a> {
    p: &'a Program,
    sizes: &'a BTreeMap<IndexId, usize>,
    arrays: BTreeMap<TensorId, Array>,
    coords: BTreeMap<IndexId, usize>,
}

impl Machine<'_> {
    /// Gives a result or temporary its first value everywhere.
    fn reset(&mut self, a: &Access) {
        let shape = a.vars.iter().map(|v| self.sizes[v]).collect();
        self.arrays.insert(a.tensor, Array::filled(shape, self.p.tensors[a.tensor].fill));
    }
    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Forall { index, body } if self.p.indices[*index].derived.is_some() => {
                // The assignments inside check the value, so binding it is enough; modes may come later.
                self.coords.insert(*index, 0);
                self.stmt(body);
                self.coords.remove(index);
            }
            Stmt::Forall { index, body } => {
                for n in 0..self.sizes[index] {
                    self.coords.insert(*index, n);
                    self.stmt(body);
                }
                self.coords.remove(index);
            }
            Stmt::Where { consumer, producer } => {
                for (lhs, _, _) in producer.assignments() {
                    if self.p.tensors[lhs.tensor].kind == Kind::Temp {
                        self.reset(lhs);
                    }
                }
                self.stmt(producer);
                self.stmt(consumer);
            }
            Stmt::Seq(all) | Stmt::Multi(all) => all.iter().for_each(|s| self.stmt(s)),
            Stmt::Nop => {}
            Stmt::Assign { rhs: Expr::Map { of, .. }, .. } if !self.holds(of) => {}
            Stmt::Assign { lhs, op, rhs } => {
                let value = self.expr(rhs);
                let coords = self.coords_of(lhs);
                let array = self.arrays.get_mut(&lhs.tensor).expect("reset made every assigned array");
                let at = array.at(&coords);
                array.values[at] = match op {
                    None => value,
                    Some(op) => {
                        op.prim.eval(&[array.values[at], value]).expect("the law gives both one dtype")
                    }
                };
            }
        }
    }
    fn coords_of(&self, a: &Access) -> Vec<usize> {
        self.p.tensors[a.tensor].mode_vars(a).iter().map(|v| self.coords[v]).collect()
    }
    /// Whether an element differs from the fill; on dense arrays nothing else tells that it is stored.
    fn holds(&self, a: &Access) -> bool {
        let array = &self.arrays[&a.tensor];
        !array.values[array.at(&self.coords_of(a))].same(self.p.tensors[a.tensor].fill)
    }
    /// The number of elements along the last level.
    fn width(&self, a: &Access) -> i64 {
        let t = &self.p.tensors[a.tensor];
        let last = t.mode_vars(a)[*t.format.modes.last().expect("a level to count")];
        let mut at = Machine {
            p: self.p,
            sizes: self.sizes,
            arrays: self.arrays.clone(),
            coords: self.coords.clone(),
        };
        let held = |at: &mut Machine, n| {
            at.coords.insert(last, n);
            at.holds(a)
        };
        (0..self.sizes[&last]).filter(|&n| held(&mut at, n)).count() as i64
    }
    fn expr(&self, e: &Expr) -> Scalar {
        match e {
            Expr::Access(a) => {
                let array = &self.arrays[&a.tensor];
                array.values[array.at(&self.coords_of(a))]
            }
            Expr::Literal(s) => *s,
            Expr::Index(v) => Scalar::I64(self.coords[v] as i64),
            Expr::Cast { to, arg } => self.expr(arg).cast(*to),
            Expr::Call { op, args } => {
                let args: Vec<Scalar> = args.iter().map(|a| self.expr(a)).collect();
                op.prim.eval(&args).expect("the law gives operators arguments they are defined for")
            }
            Expr::Map { to, .. } => self.expr(to),
            Expr::Width(a) => Scalar::I64(self.width(a)),
            Expr::Reduce { .. } => panic!("CIN has no reductions"),
        }
    }
}
