//! The plain evaluator of CIN: dense arrays, nested loops, nothing clever.

use super::nodes::{CinStmt, Program};
use crate::expr::{Access, DerivedVar, IndexExpr, IndexId, TensorId, TensorKind, fill_of};
use openwork_algebra::{Operator, Scalar};
use openwork_format::remap::Term;
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
    pub fn with_value(shape: Vec<usize>, value: Scalar) -> Array {
        let len = shape.iter().product();
        Array { shape, values: vec![value; len] }
    }
    fn offset(&self, coords: &[usize]) -> usize {
        coords.iter().zip(&self.shape).fold(0, |at, (c, size)| at * size + c)
    }
}

/// Runs `p` on dense operands and returns its results. `sizes` has the size of every index variable that is not computed.
///
/// # Panics
/// If `p` breaks the law of CIN, or an operand is missing or of the wrong shape.
pub fn eval(
    p: &Program,
    operands: &BTreeMap<TensorId, Array>,
    sizes: &BTreeMap<IndexId, usize>,
) -> BTreeMap<TensorId, Array> {
    let mut m = CinMachine::new(p, operands, sizes);
    m.stmt(&p.body);
    m.results()
}

/// Arrays, and the coordinates of bound variables, while a program runs.
pub struct CinMachine<'a> {
    p: &'a Program,
    sizes: &'a BTreeMap<IndexId, usize>,
    arrays: BTreeMap<TensorId, Array>,
    coords: BTreeMap<IndexId, i64>,
    /// How many elements each counter has seen in the nest at hand, by the values of its modes.
    counts: BTreeMap<(IndexId, Vec<i64>), i64>,
}

impl<'a> CinMachine<'a> {
    /// The operands as given; results and temporaries hold their first values.
    pub fn new(
        p: &'a Program,
        operands: &BTreeMap<TensorId, Array>,
        sizes: &'a BTreeMap<IndexId, usize>,
    ) -> CinMachine<'a> {
        let (coords, counts) = (BTreeMap::new(), BTreeMap::new());
        let mut m = CinMachine { p, sizes, arrays: operands.clone(), coords, counts };
        for (lhs, _, _) in p.body.assignments() {
            m.reset(lhs);
        }
        m
    }
    /// The results.
    pub fn results(self) -> BTreeMap<TensorId, Array> {
        self.arrays.into_iter().filter(|(t, _)| self.p.tensors[*t].kind == TensorKind::Result).collect()
    }
    /// Gives a variable a value, or none.
    pub fn bind(&mut self, v: IndexId, to: Option<i64>) {
        match to {
            Some(n) => self.coords.insert(v, n),
            None => self.coords.remove(&v),
        };
    }
    /// The value of a variable that was given one.
    pub fn bound_value(&self, v: IndexId) -> Option<i64> {
        self.coords.get(&v).copied()
    }
    /// What a tensor holds.
    pub fn array(&self, t: TensorId) -> &Array {
        &self.arrays[&t]
    }
    /// Gives a result or temporary its first value everywhere.
    pub fn reset(&mut self, a: &Access) {
        if let Some(begins) = self.p.begins.filter(|_| self.p.tensors[a.tensor].kind == TensorKind::Result) {
            self.arrays.insert(a.tensor, self.arrays[&begins].clone());
            return;
        }
        let shape = self.p.tensors[a.tensor].mode_vars(a).into_iter().map(|v| self.range(v).1).collect();
        self.arrays.insert(a.tensor, Array::with_value(shape, self.p.tensors[a.tensor].fill));
    }
    /// The least value of a variable and how many there are.
    pub fn range(&self, v: IndexId) -> (i64, usize) {
        match &self.p.indices[v].derived {
            None => (0, self.sizes[&v]),
            Some(d) => {
                let shape: Vec<usize> = d.modes().iter().map(|m| self.sizes[m]).collect();
                let bounds = d.remap.bounds(d.coord, &shape);
                (bounds.low, bounds.size)
            }
        }
    }
    /// Whether a computed coordinate follows from modes that are bound around or inside `body`.
    fn follows(&self, d: &DerivedVar, v: IndexId, body: &CinStmt) -> bool {
        let mut inside = Vec::new();
        body.visit(&mut |s| {
            if let CinStmt::Forall { index, .. } = s {
                inside.push(*index);
            }
        });
        let bound = d.depends_on().iter().all(|m| inside.contains(m) || self.coords.contains_key(m));
        // A table over counts is read at all of them.
        let listed = |e: &IndexExpr| match e {
            IndexExpr::Map { of, .. } => {
                of.vars.contains(&v) && self.p.tensors[of.tensor].kind == TensorKind::Temp
            }
            _ => false,
        };
        bound && !(d.counts() && body.assignments().into_iter().any(|(_, _, rhs)| listed(rhs)))
    }
    /// The element that a nest maps, where it maps one.
    fn mapped_element(body: &CinStmt) -> Option<&Access> {
        body.assignments().into_iter().find_map(|(_, _, rhs)| match rhs {
            IndexExpr::Map { of, .. } => Some(of),
            _ => None,
        })
    }
    fn stmt(&mut self, s: &CinStmt) {
        match s {
            CinStmt::Forall { index, body } => match &self.p.indices[*index].derived {
                Some(d) if self.follows(d, *index, body) => {
                    if d.counts() {
                        let modes = d.modes();
                        let inner = modes.iter().any(|m| !self.coords.contains_key(m));
                        if inner || Self::mapped_element(body).is_some_and(|of| !self.holds(of)) {
                            // Nothing reads what a stored count is; only elements are counted.
                            if inner {
                                self.coords.insert(*index, 0);
                                self.stmt(body);
                                self.coords.remove(index);
                            }
                            return;
                        }
                        let named = match d.remap.coords[d.coord].inline_locals() {
                            Term::Counter(named) => named,
                            _ => Vec::new(),
                        };
                        let key = named.into_iter().map(|m| self.coords[&d.mode(m)]).collect();
                        let count = self.counts.entry((*index, key)).or_insert(0);
                        self.coords.insert(*index, *count);
                        *count += 1;
                    }
                    self.stmt(body);
                    self.coords.remove(index);
                }
                _ => {
                    let (low, size) = self.range(*index);
                    let position = self.p.indices[*index].positional.then(|| position_in(body, *index));
                    for n in low..low + size as i64 {
                        self.coords.insert(*index, n);
                        if let Some(Some(position)) = position
                            && self.nearest(*index, position) != n
                        {
                            continue;
                        }
                        self.stmt(body);
                    }
                    self.coords.remove(index);
                }
            },
            CinStmt::Where { consumer, producer } => {
                for (lhs, _, _) in producer.assignments() {
                    if self.p.tensors[lhs.tensor].kind == TensorKind::Temp {
                        self.reset(lhs);
                    }
                }
                self.counts.clear();
                self.stmt(producer);
                self.counts.clear();
                self.stmt(consumer);
            }
            CinStmt::Seq(all) | CinStmt::Multi(all) => all.iter().for_each(|s| self.stmt(s)),
            CinStmt::Nop => {}
            CinStmt::Assign { rhs: IndexExpr::Map { of, .. }, .. } if !self.holds(of) => {}
            // What has the value elsewhere may be anything: it is accounted for with the others.
            CinStmt::Assign { rhs: IndexExpr::Stored { of, .. }, .. } if self.is_outside(of) => {}
            CinStmt::Assign { lhs, op, rhs } => self.assign(lhs, *op, rhs),
        }
    }
    /// Whether an expression has the value here that it has where no operand stores anything.
    pub fn is_outside(&self, e: &IndexExpr) -> bool {
        fill_of(e, &self.p.tensors).is_some_and(|fill| self.expr(e).is_same(fill))
    }
    /// What a reduction comes to whose `folded` values were found at `visited` coordinates of all.
    fn with_fill(&self, op: &Operator, folded: Scalar, visited: i64, all: usize, fill: Scalar) -> Scalar {
        let mut out = folded;
        for _ in visited..all as i64 {
            out = op.eval(&[out, fill]).expect("the law gives both one dtype");
            if op.idempotent {
                break;
            }
        }
        out
    }
    /// `lhs op= rhs` at the values of bound variables.
    ///
    /// # Panics
    /// If a variable has no value, or the statement breaks the law of CIN.
    pub fn assign(&mut self, lhs: &Access, op: Option<&'static Operator>, rhs: &IndexExpr) {
        let value = self.expr(rhs);
        let coords = self.coords_of(lhs);
        let array = self.arrays.get_mut(&lhs.tensor).expect("reset made every assigned array");
        let at = array.offset(&coords);
        array.values[at] = match op {
            None => value,
            Some(op) => op.eval(&[array.values[at], value]).expect("the law gives both one dtype"),
        };
    }
    /// The value of a variable.
    fn value(&self, v: IndexId) -> i64 {
        match (&self.p.indices[v].derived, self.coords.get(&v)) {
            (_, Some(n)) => *n,
            (Some(d), None) => d.value(&|m| self.coords[&m]),
            (None, None) => panic!("every variable is bound"),
        }
    }
    fn coords_of(&self, a: &Access) -> Vec<usize> {
        let vars = self.p.tensors[a.tensor].mode_vars(a);
        vars.into_iter().map(|v| (self.value(v) - self.range(v).0) as usize).collect()
    }
    /// Whether an element differs from the fill; on dense arrays nothing else tells that it is stored.
    fn holds(&self, a: &Access) -> bool {
        let array = &self.arrays[&a.tensor];
        !array.values[array.offset(&self.coords_of(a))].is_same(self.p.tensors[a.tensor].fill)
    }
    /// Whether computed coordinates that are bound have the values that the modes give them.
    fn consistent(&self, a: &Access) -> bool {
        a.vars.iter().all(|v| match (&self.p.indices[*v].derived, self.coords.get(v)) {
            (Some(d), Some(n)) if !d.counts() => d.value(&|m| self.coords[&m]) == *n,
            _ => true,
        })
    }
    /// The number of elements along the last level.
    fn width(&self, a: &Access) -> i64 {
        let t = &self.p.tensors[a.tensor];
        let last = a.vars[*t.format.modes.last().expect("a level to count")];
        let mut at = CinMachine {
            p: self.p,
            sizes: self.sizes,
            arrays: self.arrays.clone(),
            coords: self.coords.clone(),
            counts: BTreeMap::new(),
        };
        let held = |at: &mut CinMachine, n| {
            at.coords.insert(last, n as i64);
            at.consistent(a) && at.holds(a)
        };
        (0..self.range(last).1).filter(|&n| held(&mut at, n)).count() as i64
    }
    /// The coordinate of a positional variable that is nearest to a value.
    fn nearest(&self, v: IndexId, value: &IndexExpr) -> i64 {
        let last = (self.range(v).1 as i64 - 1).max(0);
        self.expr(value).as_i64().clamp(0, last)
    }
    /// The value of an expression where the variables in it are bound.
    pub fn evaluate(&self, e: &IndexExpr) -> Scalar {
        self.expr(e)
    }
    fn expr(&self, e: &IndexExpr) -> Scalar {
        match e {
            IndexExpr::Access(a) => {
                let array = &self.arrays[&a.tensor];
                array.values[array.offset(&self.coords_of(a))]
            }
            IndexExpr::Literal(s) => *s,
            IndexExpr::Index(v) => Scalar::I64(self.value(*v)),
            IndexExpr::Cast { to, arg } => self.expr(arg).cast(*to),
            IndexExpr::Call { op, args } => {
                if let Some((v, value)) = e.as_position()
                    && self.p.indices[v].positional
                {
                    return Scalar::Bool(self.value(v) == self.nearest(v, value));
                }
                let args: Vec<Scalar> = args.iter().map(|a| self.expr(a)).collect();
                op.eval(&args).expect("the law gives operators arguments they are defined for")
            }
            IndexExpr::Map { to: value, .. }
            | IndexExpr::Beside { value, .. }
            | IndexExpr::Predicate { holds: value, .. } => self.expr(value),
            IndexExpr::Width(a) => Scalar::I64(self.width(a)),
            IndexExpr::Stored { to, .. } => self.expr(to),
            IndexExpr::WithFill { op, folded, visited, vars, fill } => {
                let all = vars.iter().map(|&v| self.range(v).1).product();
                self.with_fill(op, self.expr(folded), self.expr(visited).as_i64(), all, self.expr(fill))
            }
            IndexExpr::Reduce { .. } => panic!("CIN has no reductions"),
        }
    }
}

/// The value that a statement says a positional variable is.
fn position_in(s: &CinStmt, v: IndexId) -> Option<&IndexExpr> {
    s.assignments().into_iter().find_map(|(_, _, rhs)| rhs.position_of(v))
}
