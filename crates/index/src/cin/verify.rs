//! The law of CIN.
//!
//! 1. Every access has one variable per mode, and every variable is bound by a `forall` around it, once.
//! 2. No operand is assigned. A temporary is assigned by a producer, and read by its consumer or by producers inside it
//!    only: not before it holds anything, nor where it is still being filled.
//! 3. No [`IndexExpr::Reduce`] occurs; the arguments of an operator have one dtype, for which it is defined.
//! 4. The value assigned has the dtype of the tensor, and a compound operator reduces in that dtype.
//! 5. A variable that is bound around an assignment but not used on its left occurs under a compound operator only:
//!    a plain `=` never runs twice for one element. A computed coordinate of used variables may be bound: the body runs
//!    only where it has its value.
//! 6. The operand that a result begins as is dense, as the result is, has its dtype, and is not read by itself.

use super::nodes::{CinStmt, Program};
use super::text::CinNames;
use crate::expr::{Access, IndexExpr, IndexId, TensorId, TensorKind, TensorVar, is_assigned_once};
use openwork_algebra::DType;

/// Checks the law; the error says which sentence is broken, where.
///
/// # Errors
/// The broken rule with the guilty statement as text.
pub fn verify(p: &Program) -> Result<(), String> {
    if let Some(begins) = p.begins {
        verify_beginning(p, begins)?;
    }
    CinChecker { p, bound: Vec::new(), filling: Vec::new(), filled: Vec::new() }.stmt(&p.body)
}

/// Rule 6.
fn verify_beginning(p: &Program, begins: TensorId) -> Result<(), String> {
    let from = &p.tensors[begins];
    let all = p.body.assignments();
    let results = all.iter().map(|(lhs, ..)| &p.tensors[lhs.tensor]);
    let mut results = results.filter(|t| t.kind == TensorKind::Result);
    let fits =
        |t: &TensorVar| t.format.is_dense() && t.format.modes == from.format.modes && t.dtype == from.dtype;
    if from.kind != TensorKind::Operand || !from.format.is_dense() || !results.all(fits) {
        return Err(format!("the result cannot begin as `{}`", from.name));
    }
    match all.iter().flat_map(|(.., rhs)| rhs.accesses()).any(|a| a.tensor == begins) {
        true => Err(format!("`{}` is read beside the result that begins as it", from.name)),
        false => Ok(()),
    }
}

struct CinChecker<'a> {
    p: &'a Program,
    bound: Vec<IndexId>,
    /// Temporaries of the producers around a statement.
    filling: Vec<TensorId>,
    /// Temporaries whose consumer a statement is in.
    filled: Vec<TensorId>,
}

impl CinChecker<'_> {
    fn names(&self) -> CinNames<'_> {
        CinNames { tensors: &self.p.tensors, indices: &self.p.indices }
    }
    fn stmt(&mut self, s: &CinStmt) -> Result<(), String> {
        match s {
            CinStmt::Forall { index, body } => {
                if self.bound.contains(index) {
                    return Err(format!("variable bound twice in `{}`", self.names().stmt(s)));
                }
                self.bound.push(*index);
                self.stmt(body)?;
                self.bound.pop();
                Ok(())
            }
            CinStmt::Where { consumer, producer } => {
                let (outer_filling, outer_filled) = (self.filling.len(), self.filled.len());
                let made = self.produced_temporaries(producer);
                self.filling.extend(&made);
                self.stmt(producer)?;
                self.filling.truncate(outer_filling);
                self.filled.extend(made);
                self.stmt(consumer)?;
                self.filled.truncate(outer_filled);
                Ok(())
            }
            CinStmt::Seq(all) | CinStmt::Multi(all) => all.iter().try_for_each(|s| self.stmt(s)),
            CinStmt::Nop => Ok(()),
            CinStmt::Assign { lhs, op, rhs } => {
                self.access(lhs)?;
                let target = &self.p.tensors[lhs.tensor];
                let at = self.names().stmt(s);
                match target.kind {
                    TensorKind::Operand | TensorKind::Predicate => {
                        return Err(format!("operand assigned in `{at}`"));
                    }
                    TensorKind::Temp if !self.filling.contains(&lhs.tensor) => {
                        return Err(format!("temporary assigned outside of its producer in `{at}`"));
                    }
                    TensorKind::Temp | TensorKind::Result => {}
                }
                let dtype = self.expr(rhs)?;
                if dtype != target.dtype {
                    return Err(format!("a value of {dtype} is assigned to {} in `{at}`", target.dtype));
                }
                match op {
                    Some(op) if !op.reduces(dtype) => Err(format!("{} does not reduce in `{at}`", op.name)),
                    None if target.kind == TensorKind::Result
                        && self
                            .bound
                            .iter()
                            .any(|v| !is_assigned_once(*v, &lhs.vars, &self.bound, &self.p.indices)) =>
                    {
                        Err(format!("`=` runs more than once for an element in `{at}`"))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
    /// The temporaries that a producer assigns for its consumer.
    fn produced_temporaries(&self, producer: &CinStmt) -> Vec<TensorId> {
        let all = producer.assignments().into_iter().map(|(lhs, ..)| lhs.tensor);
        all.filter(|&t| self.p.tensors[t].kind == TensorKind::Temp).collect()
    }
    fn read(&self, a: &Access) -> Result<(), String> {
        let temp = self.p.tensors[a.tensor].kind == TensorKind::Temp;
        if temp && !self.filled.contains(&a.tensor) {
            return Err(format!("`{}` is read where nothing has filled it", self.names().access(a)));
        }
        self.access(a)
    }
    fn access(&self, a: &Access) -> Result<(), String> {
        let rank = self.p.tensors[a.tensor].format.rank();
        if a.vars.len() != rank {
            return Err(format!("`{}` needs {rank} variables", self.names().access(a)));
        }
        match a.vars.iter().find(|v| !self.bound.contains(v)) {
            Some(&v) => {
                Err(format!("`{}` is not bound in `{}`", self.p.indices[v].name, self.names().access(a)))
            }
            None => Ok(()),
        }
    }
    fn expr(&self, e: &IndexExpr) -> Result<DType, String> {
        match e {
            IndexExpr::Access(a) => self.read(a).map(|()| self.p.tensors[a.tensor].dtype),
            IndexExpr::Literal(s) => Ok(s.dtype()),
            IndexExpr::Index(v) if self.bound.contains(v) => Ok(DType::I64),
            IndexExpr::Index(v) => Err(format!("`{}` is not bound", self.p.indices[*v].name)),
            IndexExpr::Cast { to, arg } => self.expr(arg).map(|_| *to),
            IndexExpr::Map { of, to } => {
                self.read(of)?;
                self.expr(to)
            }
            IndexExpr::Beside { value, at } => {
                self.read(at)?;
                self.expr(value)
            }
            IndexExpr::Predicate { set, holds } => {
                self.read(set)?;
                self.expr(holds)
            }
            IndexExpr::Stored { of, to } => {
                self.expr(of)?;
                self.expr(to)
            }
            IndexExpr::WithFill { folded, visited, fill, .. } => {
                let dtype = self.expr(fill)?;
                match (self.expr(folded)? == dtype, self.expr(visited)?) {
                    (true, DType::I64) => Ok(dtype),
                    (true | false, _) => Err(format!("dtypes in `{}`", self.names().expr(e))),
                }
            }
            IndexExpr::Width(a) => {
                let last = self.p.tensors[a.tensor].format.modes.last().map(|&m| a.vars[m]);
                match a.vars.iter().find(|v| Some(**v) != last && !self.bound.contains(v)) {
                    Some(&v) => Err(format!("`{}` is not bound", self.p.indices[v].name)),
                    None => Ok(DType::I64),
                }
            }
            IndexExpr::Reduce { .. } => Err(format!("reduction in `{}`", self.names().expr(e))),
            IndexExpr::Call { op, args } => {
                let types = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
                let meet = types.last().copied().unwrap_or(DType::Bool);
                let wrong = |(n, t): (usize, &DType)| *t != op.takes(n, meet);
                if types.len() != op.arity() || types.iter().enumerate().any(wrong) {
                    return Err(format!("arguments of {types:?} in `{}`", self.names().expr(e)));
                }
                op.prim.result(meet).ok_or_else(|| format!("{} is undefined for {meet}", op.name))
            }
        }
    }
}
