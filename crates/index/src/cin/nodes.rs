//! The types of CIN.

use crate::expr::{Access, Expr, Index, IndexId, Tensor, TensorId};
use crate::query::Answer;
use openwork_algebra::Operator;
use openwork_base::{Arena, Source};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Runs the body for every value of a variable.
    Forall {
        /// The variable.
        index: IndexId,
        /// What runs.
        body: Box<Stmt>,
    },
    /// Sets or combines one element.
    Assign {
        /// The element.
        lhs: Access,
        /// How it combines with what is there; `None` replaces it.
        op: Option<&'static Operator>,
        /// The value; holds no [`Expr::Reduce`].
        rhs: Expr,
    },
    /// Runs `producer`, then `consumer`.
    Where {
        /// Reads the temporary.
        consumer: Box<Stmt>,
        /// Fills the temporary.
        producer: Box<Stmt>,
    },
    /// One after the other.
    Seq(Vec<Stmt>),
    /// Several statements over one iteration space, in any order.
    Multi(Vec<Stmt>),
    /// Nothing.
    Nop,
}

/// A statement with its declarations.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// All tensors: operands, results, temporaries.
    pub tensors: Arena<TensorId, Tensor>,
    /// All index variables.
    pub indices: Arena<IndexId, Index>,
    /// What runs.
    pub body: Stmt,
    /// How the result is assembled.
    pub assembly: Assembly,
    /// The text it came from, for diagnostics.
    pub source: Source,
}

/// How a result is assembled (formats thesis, chapter 6).
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Assembly {
    /// Elements come in storage order.
    #[default]
    InOrder,
    /// Elements come in any order, after the queries of every level of the result have been answered.
    OutOfOrder(Vec<Vec<Answer>>),
}

impl Stmt {
    /// The direct substatements.
    pub fn children(&self) -> Vec<&Stmt> {
        match self {
            Stmt::Forall { body, .. } => vec![body],
            Stmt::Assign { .. } | Stmt::Nop => Vec::new(),
            Stmt::Where { consumer, producer } => vec![producer, consumer],
            Stmt::Seq(all) | Stmt::Multi(all) => all.iter().collect(),
        }
    }
    /// Calls `f` on this statement and every one below it, parents first.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Stmt)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }
    /// Every assignment, in order of execution.
    pub fn assignments(&self) -> Vec<(&Access, Option<&'static Operator>, &Expr)> {
        let mut out = Vec::new();
        self.visit(&mut |s| {
            if let Stmt::Assign { lhs, op, rhs } = s {
                out.push((lhs, *op, rhs));
            }
        });
        out
    }
    /// `forall v0 forall v1 … body`.
    pub fn foralls(vars: &[IndexId], body: Stmt) -> Stmt {
        vars.iter().rev().fold(body, |body, &index| Stmt::Forall { index, body: Box::new(body) })
    }
}
