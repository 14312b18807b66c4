//! Sums of index variables solved for one of them, so that a sparse operand is walked where it would be searched.
//!
//! ```text
//! y(i) = x(i+d) * w(d)     y(i) = sum(d, c, where(c == i + d, x(c) * w(d), 0))     for each i, each d: a search in x
//!                          y(i) = sum(d, c, where(i == c - d, x(c) * w(d), 0))     for each c of x, each d: one i
//! ```
//! The equation is the same; which of its variables has one coordinate is another. What is computed stays the same, but for
//! the order in which it is added up.

use crate::check::Assignment;
use crate::expr::{IndexExpr, IndexId, PositionReach};
use crate::positions::made_for_size;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use std::cmp::Reverse;

/// Sums that say more positions than these are left alone.
const POSITIONS: usize = 4;

/// The same statement with positions of sparse operands known before what says them: solved for variables of the result
/// where there are such, for others, and for one position alone. Nothing where no position is a sum of variables.
pub fn solve_sums(a: &Assignment) -> Vec<Assignment> {
    let searched = searched_positions(a);
    let mut out: Vec<Assignment> = Vec::new();
    if searched.len() > POSITIONS {
        return out;
    }
    // Of those of the result, the one that is stored innermost first: what is met is inserted into rows.
    let format = &a.tensors[a.lhs.tensor].format;
    let level_of = |u: IndexId| {
        let mode = a.lhs.vars.iter().position(|v| *v == u)?;
        format.modes.iter().position(|m| *m == mode)
    };
    for results_first in [true, false] {
        for from in [0, searched.len().saturating_sub(1)] {
            let solved = searched[from..].iter().try_fold(a.clone(), |a, &c| {
                let mut unknowns = unknowns(&a, c);
                unknowns.sort_by_key(|u| (level_of(*u).is_some() != results_first, Reverse(level_of(*u))));
                unknowns.into_iter().find_map(|u| solve(&a, c, u))
            });
            out.extend(solved.filter(|s| s.rhs != a.rhs && out.iter().all(|o| o.rhs != s.rhs)));
        }
    }
    let equated = equated_variables(a);
    if !equated.is_empty() {
        let mut located = a.clone();
        equated.into_iter().for_each(|v| located.indices[v].scattered = true);
        out.push(located);
    }
    out
}

/// Whether sums of variables say where a sparse operand is read, or which element of the result is met.
pub fn has_sums(a: &Assignment) -> bool {
    !(searched_positions(a).is_empty() && equated_variables(a).is_empty())
}

/// The variables of the result that an equation says others are sums with: `sum(d, x(c) * (i == c - d))`. Each is one
/// coordinate inside of the loops over the others.
fn equated_variables(a: &Assignment) -> Vec<IndexId> {
    let mut out = Vec::new();
    a.rhs.visit(&mut |e| {
        let said = a.lhs.vars.iter().copied().filter(|&v| {
            let sum = e.equated_value(v).and_then(VariableSum::read);
            !a.indices[v].scattered && sum.is_some_and(|sum| sum.terms.len() > 1)
        });
        out.extend(said.filter(|v| !out.contains(v)).collect::<Vec<_>>());
    });
    out
}

/// The positions that sums of variables say, of modes of which an operand stores coordinates.
fn searched_positions(a: &Assignment) -> Vec<IndexId> {
    let is_sum = |c: IndexId| {
        let known = matches!(a.indices[c].reach, PositionReach::Always | PositionReach::WhereNeeded);
        a.indices[c].positional
            && known
            && a.rhs.position_of(c).is_some_and(|value| VariableSum::read(value).is_some())
    };
    let mut out = Vec::new();
    for access in a.rhs.accesses() {
        let t = &a.tensors[access.tensor];
        for (level, &mode) in t.format.levels.iter().zip(&t.format.modes) {
            let Some(&c) = access.vars.get(mode) else { continue };
            if t.remap.is_none() && !level.is_dense() && is_sum(c) && !out.contains(&c) {
                out.push(c);
            }
        }
    }
    out
}

/// The variables of which the position says one, where the others are known.
fn unknowns(a: &Assignment, c: IndexId) -> Vec<IndexId> {
    let sum = a.rhs.position_of(c).and_then(VariableSum::read);
    let terms = sum.map_or(Vec::new(), |sum| sum.terms);
    let alone = |u: &IndexId| {
        let v = &a.indices[*u];
        v.derived.is_none() && !v.positional && !v.scattered
    };
    terms.into_iter().filter(|(_, n)| n.abs() == 1).map(|(u, _)| u).filter(alone).collect()
}

/// The statement with the equation of position `c` solved for `u`.
fn solve(a: &Assignment, c: IndexId, u: IndexId) -> Option<Assignment> {
    let value = a.rhs.position_of(c)?.clone();
    let solved = VariableSum::read(&value)?.solve_for(u, c)?.into_expr();
    let equation = Equation { a, c, value, solved: call("eq", vec![IndexExpr::Index(u), solved]) };
    let mut rhs = equation.rewrite(&a.rhs, None)?;
    // One coordinate was read outside of reductions; now all are visited, and one is met.
    if !is_reduced_over(&rhs, c) {
        let op = Operator::find(if rhs.dtype(&a.tensors) == DType::Bool { "or" } else { "add" })?;
        // Other positions are inside of the reduction, which goes over them as well.
        let mut vars = rhs.free_vars();
        vars.retain(|v| *v == c || a.indices[*v].positional);
        rhs = IndexExpr::Reduce { op, vars, body: Box::new(rhs) };
    }
    let mut out = Assignment { rhs, ..a.clone() };
    out.indices[c].positional = false;
    out.indices[u].scattered = true;
    Some(out)
}

/// The equation `c == value`, which says where something is read.
struct Equation<'a> {
    a: &'a Assignment,
    c: IndexId,
    value: IndexExpr,
    /// The same for another variable.
    solved: IndexExpr,
}

impl Equation<'_> {
    /// An expression with the solved equation. `by` is what reduces over the position.
    fn rewrite(&self, e: &IndexExpr, by: Option<&'static Operator>) -> Option<IndexExpr> {
        match e {
            IndexExpr::Call { op, args } if op.is_mask() && args[0].position_of(self.c).is_some() => {
                let IndexExpr::Literal(idle) = args[2] else { return None };
                let body = match self.a.indices[self.c].reach {
                    PositionReach::Always => args[1].clone(),
                    PositionReach::WhereNeeded => self.drop_bounds(&args[1])?,
                    PositionReach::Unknown => return None,
                };
                // What is read outside of reductions is added up to nothing.
                let added = self.a.indices[self.c].reach == PositionReach::WhereNeeded || by.is_none();
                if by.is_some_and(|op| op.is_ordered()) || added && !is_zero(idle) {
                    return None;
                }
                let holds = self.replace(args[0].clone());
                Some(IndexExpr::Call { op, args: vec![holds, body, args[2].clone()] })
            }
            IndexExpr::Call { op, args } => {
                let each = |e: &IndexExpr| match e.position_of(self.c) {
                    Some(_) => self.rewrite(e, by),
                    None => Some(e.clone()),
                };
                // Beside what is read elsewhere, each element is combined once.
                let inside = by.is_some() || args.iter().any(|e| is_reduced_over(e, self.c));
                let args = args.iter().map(each).collect::<Option<_>>()?;
                inside.then_some(IndexExpr::Call { op, args })
            }
            IndexExpr::Cast { to, arg } => {
                Some(IndexExpr::Cast { to: *to, arg: Box::new(self.rewrite(arg, by)?) })
            }
            IndexExpr::Reduce { op, vars, body } => {
                let by = if vars.contains(&self.c) { Some(*op) } else { by };
                let body = Box::new(self.rewrite(body, by)?);
                Some(IndexExpr::Reduce { op, vars: vars.clone(), body })
            }
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Width(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. } => None,
        }
    }
    /// A condition with the solved equation.
    fn replace(&self, e: IndexExpr) -> IndexExpr {
        match e.as_position() {
            Some((v, _)) if v == self.c => self.solved.clone(),
            _ => e.map_children(&mut |child| self.replace(child)),
        }
    }
    /// A product without the comparisons that say that the position is a coordinate: where it is met, it is one. Outside, the
    /// product must be 0, as nothing is met there.
    fn drop_bounds(&self, e: &IndexExpr) -> Option<IndexExpr> {
        let reads = |e: &IndexExpr| e.accesses().iter().any(|a| a.vars.contains(&self.c));
        match e {
            IndexExpr::Cast { to, arg } => {
                Some(IndexExpr::Cast { to: *to, arg: Box::new(self.drop_bounds(arg)?) })
            }
            IndexExpr::Call { op, args } if op.prim == Prim::Select && !op.is_mask() => {
                let [holds, inside, IndexExpr::Literal(outside)] = &args[..] else { return None };
                let mut conditions = Vec::new();
                conjuncts(holds, &mut conditions);
                let all = conditions.len();
                conditions.retain(|e| !self.is_bound(e));
                if all - conditions.len() != 2 || !is_zero(*outside) {
                    return None;
                }
                let left = conditions.into_iter().cloned().reduce(|a, b| call("and", vec![a, b]));
                Some(match left {
                    None => inside.clone(),
                    Some(left) => IndexExpr::Call { op, args: vec![left, inside.clone(), args[2].clone()] },
                })
            }
            IndexExpr::Call { op, args } => {
                let n = args.iter().position(reads)?;
                let decides = op.annihilator_at(n, args[n].dtype(&self.a.tensors)).is_some_and(is_zero);
                let once = args.iter().filter(|e| reads(e)).count() == 1;
                let mut args = args.clone();
                args[n] = self.drop_bounds(&args[n])?;
                (decides && once).then_some(IndexExpr::Call { op, args })
            }
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Width(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => None,
        }
    }
    /// Whether a comparison holds at every coordinate of the mode.
    fn is_bound(&self, e: &IndexExpr) -> bool {
        let Assignment { rhs, tensors, indices, .. } = self.a;
        let size = || made_for_size(self.c, rhs.accesses().into_iter(), tensors, indices);
        let IndexExpr::Call { op, args } = e else { return false };
        let [value, IndexExpr::Literal(bound)] = &args[..] else { return false };
        *value == self.value
            && match op.prim {
                Prim::Ge => bound.as_i64() == 0,
                Prim::Lt => size().is_some_and(|n| bound.as_i64() == n as i64),
                _ => false,
            }
    }
}

/// What holds together.
fn conjuncts<'e>(e: &'e IndexExpr, out: &mut Vec<&'e IndexExpr>) {
    match e {
        IndexExpr::Call { op, args } if op.prim == Prim::And => args.iter().for_each(|e| conjuncts(e, out)),
        e => out.push(e),
    }
}
fn is_zero(s: Scalar) -> bool {
    s.is_same(Scalar::zero(s.dtype()))
}
fn call(name: &str, args: Vec<IndexExpr>) -> IndexExpr {
    IndexExpr::Call { op: Operator::find(name).expect("the operator is known"), args }
}
fn is_reduced_over(e: &IndexExpr, v: IndexId) -> bool {
    matches!(e, IndexExpr::Reduce { vars, .. } if vars.contains(&v))
        || e.children().any(|c| is_reduced_over(c, v))
}

/// The number that a variable is multiplied by in a sum of index variables; nothing where a value is no such sum.
pub fn coefficient(value: &IndexExpr, v: IndexId) -> Option<i64> {
    let sum = VariableSum::read(value)?;
    Some(sum.terms.iter().find(|(u, _)| *u == v).map_or(0, |(_, n)| *n))
}

/// A sum of index variables, each times a number, and of a constant.
struct VariableSum {
    terms: Vec<(IndexId, i64)>,
    constant: i64,
}

impl VariableSum {
    /// What an expression says, if that is such a sum.
    fn read(e: &IndexExpr) -> Option<VariableSum> {
        let mut sum = VariableSum { terms: Vec::new(), constant: 0 };
        sum.add(e, 1)?;
        sum.terms.retain(|(_, n)| *n != 0);
        Some(sum)
    }
    fn add(&mut self, e: &IndexExpr, factor: i64) -> Option<()> {
        match e {
            IndexExpr::Literal(s) => {
                self.constant = self.constant.checked_add(s.as_i64().checked_mul(factor)?)?;
            }
            IndexExpr::Index(v) => match self.terms.iter_mut().find(|(u, _)| u == v) {
                Some((_, n)) => *n = n.checked_add(factor)?,
                None => self.terms.push((*v, factor)),
            },
            IndexExpr::Call { op, args } => match (op.prim, &args[..]) {
                (Prim::Neg, [a]) => self.add(a, factor.checked_neg()?)?,
                (Prim::Add, [a, b]) => {
                    self.add(a, factor)?;
                    self.add(b, factor)?;
                }
                (Prim::Sub, [a, b]) => {
                    self.add(a, factor)?;
                    self.add(b, factor.checked_neg()?)?;
                }
                (Prim::Mul, [IndexExpr::Literal(n), e] | [e, IndexExpr::Literal(n)]) => {
                    self.add(e, factor.checked_mul(n.as_i64())?)?;
                }
                _ => return None,
            },
            IndexExpr::Access(_)
            | IndexExpr::Cast { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => return None,
        }
        Some(())
    }
    /// What one of the variables is where the sum is `c`: its coefficient is 1 or -1.
    fn solve_for(&self, u: IndexId, c: IndexId) -> Option<VariableSum> {
        let (_, sign) = *self.terms.iter().find(|(v, n)| *v == u && n.abs() == 1)?;
        let mut terms = vec![(c, sign)];
        for (v, n) in self.terms.iter().filter(|(v, _)| *v != u) {
            terms.push((*v, n.checked_mul(-sign)?));
        }
        // The sum begins with what is added, if anything is.
        terms.sort_by_key(|(_, n)| *n < 0);
        Some(VariableSum { terms, constant: self.constant.checked_mul(-sign)? })
    }
    fn into_expr(self) -> IndexExpr {
        let number = |n: i64| IndexExpr::Literal(Scalar::I64(n));
        let times = |v: IndexId, n: i64| match n {
            1 => IndexExpr::Index(v),
            n => call("mul", vec![number(n), IndexExpr::Index(v)]),
        };
        let mut terms = self.terms.into_iter();
        let (first, n) = terms.next().expect("a position is one of the terms");
        let start = if n == -1 { call("neg", vec![IndexExpr::Index(first)]) } else { times(first, n) };
        let sum = terms.fold(start, |sum, (v, n)| match n {
            n if n < 0 => call("sub", vec![sum, times(v, -n)]),
            n => call("add", vec![sum, times(v, n)]),
        });
        match self.constant {
            0 => sum,
            k if k < 0 => call("sub", vec![sum, number(-k)]),
            k => call("add", vec![sum, number(k)]),
        }
    }
}
