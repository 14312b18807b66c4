//! CIN to loop IR.
//!
//! One idea per file, in the order a statement meets them:
//!
//! | file | what it does |
//! |---|---|
//! | [`space`] | which coordinates of a variable a statement must visit |
//! | [`lattice`] | the regions of that set, in the order loops exhaust them |
//! | [`rewrite`] | what is left of a statement in a region |
//! | `tensors` | buffers and levels of every tensor in the kernel |
//! | `scope` | coordinates, positions and values known at a point of the code |
//! | `forall` | one variable: iterators, loops, cases |
//! | `merge` | the forms of loops: over a dimension, over one level, over several levels |
//! | `assemble` | appending to sparse results |
//! | `compute` | expressions and assignments |

pub mod lattice;
pub mod rewrite;
pub mod space;

mod assemble;
mod compute;
mod forall;
mod merge;
mod scope;
mod tensors;

use openwork_base::{Code, Diagnostic, Error, Result, Span};
use openwork_index::{IndexId, Kind, Program, Stmt, TensorId};
use openwork_levels::Registry;
use openwork_loops::{Kernel, VarId};
use std::collections::BTreeMap;

/// What a buffer of the kernel is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// An index array of a level.
    Index {
        /// The tensor.
        tensor: TensorId,
        /// Its level.
        level: usize,
        /// Which of the level's arrays.
        array: usize,
    },
    /// The values of a tensor.
    Values {
        /// The tensor.
        tensor: TensorId,
    },
    /// Memory of the kernel's own.
    Scratch,
}

/// A kernel and what its parameters mean.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The code.
    pub kernel: Kernel,
    /// One per buffer of the kernel, in order.
    pub bindings: Vec<Binding>,
    /// The index variable whose size each parameter is, in order.
    pub params: Vec<IndexId>,
    /// What the values of a dense result must hold when the kernel starts.
    pub result: ResultMemory,
}

/// What the memory of a dense result must hold before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultMemory {
    /// Anything: every element is assigned.
    Overwritten,
    /// Zeros.
    Cleared,
}

/// Lowers a program over the level formats of `registry`.
///
/// # Errors
/// `E0406` for a level that cannot be walked, located or appended to as the program needs, `E0407` for an unordered
/// level that would have to be merged.
pub fn lower(program: &Program, registry: &Registry) -> Result<Lowered> {
    let mut l = Lowerer::new(program, registry)?;
    let scope = scope::Scope::default();
    let mut body = l.open_result()?;
    let loops = l.stmt(&program.body, &scope)?;
    body.extend(l.first_values());
    body.extend(loops);
    body.extend(l.close_result());
    l.kernel.body = body;
    let overwritten = l.result.as_ref().is_some_and(|r| r.coverage == assemble::Coverage::All);
    let result = if overwritten { ResultMemory::Overwritten } else { ResultMemory::Cleared };
    Ok(Lowered { kernel: l.kernel, bindings: l.bindings, params: program.indices.ids().collect(), result })
}

/// State of one lowering: the kernel under construction and its name tables.
struct Lowerer<'a> {
    program: &'a Program,
    registry: &'a Registry,
    kernel: Kernel,
    bindings: Vec<Binding>,
    /// The size of each index variable.
    sizes: BTreeMap<IndexId, VarId>,
    tensors: BTreeMap<TensorId, tensors::TensorIr>,
    /// Scalar temporaries.
    temps: BTreeMap<TensorId, VarId>,
    result: Option<assemble::Result>,
}

impl<'a> Lowerer<'a> {
    fn new(program: &'a Program, registry: &'a Registry) -> Result<Lowerer<'a>> {
        let mut l = Lowerer {
            program,
            registry,
            kernel: Kernel::new("kernel"),
            bindings: Vec::new(),
            sizes: BTreeMap::new(),
            tensors: BTreeMap::new(),
            temps: BTreeMap::new(),
            result: None,
        };
        for (v, index) in program.indices.iter() {
            let size = l.kernel.param(&format!("{}_dim", index.name));
            l.sizes.insert(v, size);
        }
        l.declare_tensors();
        l.refuse_runs_above_located()?;
        Ok(l)
    }

    /// A run of positions that share a coordinate has no single position for a level below to be located from.
    fn refuse_runs_above_located(&self) -> Result<()> {
        for (_, t) in self.program.tensors.iter().filter(|(_, t)| t.kind == Kind::Operand) {
            let located =
                |l: &openwork_format::Level| self.registry.get(l.spec).is_some_and(|f| f.locate().is_some());
            let repeating = t.format.levels.iter().position(|l| !l.unique());
            if repeating.is_some_and(|k| t.format.levels[k..].iter().any(located)) {
                let message = format!("`{}` stores duplicate coordinates above a dense level", t.name);
                return Err(self.refuse("E0406", message, "store the upper levels unique"));
            }
        }
        Ok(())
    }

    fn stmt(&mut self, s: &Stmt, scope: &scope::Scope) -> Result<Vec<openwork_loops::Stmt>> {
        match s {
            Stmt::Nop => Ok(Vec::new()),
            Stmt::Forall { index, body } => self.forall(*index, body, scope),
            Stmt::Assign { lhs, op, rhs } => self.assign(lhs, *op, rhs, scope),
            Stmt::Where { consumer, producer } => {
                let mut code = self.open_temporaries(producer, scope)?;
                code.extend(self.stmt(producer, scope)?);
                code.extend(self.stmt(consumer, scope)?);
                Ok(code)
            }
            Stmt::Seq(all) | Stmt::Multi(all) => {
                let mut code = Vec::new();
                for s in all {
                    code.extend(self.stmt(s, scope)?);
                }
                Ok(code)
            }
        }
    }

    /// A named refusal that points at the whole statement.
    fn refuse(&self, code: &'static str, message: impl Into<String>, help: &str) -> Error {
        let source = &self.program.source;
        let all = Span::new(0, source.text.len());
        Error::unsupported(Diagnostic::new(Code(code), message).at(source, all, "").help(help))
    }
}
