//! Openwork: say *what* to compute in index notation and *how* each tensor is stored; the kernel for exactly that is
//! generated, compiled in the process, and run.
//!
//! ```
//! use openwork::{Format, FormatExt, Scalar, Tensor, TensorExt, einsum};
//! let entries = [(vec![0, 1], Scalar::F64(2.0)), (vec![2, 0], Scalar::F64(5.0))];
//! let a = Tensor::pack(&[3, 2], &entries, &Format::parse("csr", 2)?)?;
//! let x = Tensor::from_vec(&[2], vec![10.0, 100.0])?;
//! let y = einsum("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", &x)])?;
//! assert_eq!(y.vals().as_slice::<f64>(), Some(&[200.0, 0.0, 50.0][..]));
//! # Ok::<(), openwork::Error>(())
//! ```
//!
//! Arrays of a program's own become tensors without a copy: [`Tensor::from_csr`] and [`Tensor::from_coo`] take them,
//! [`TensorView`] borrows them, [`Kernel::run_into_slice`] writes to them. With the features `sprs`, `ndarray`, `faer` and
//! `nalgebra-sparse` there is `TryFrom` between tensors and the types of these crates.
//!
//! [`einsum`] does everything in one call; [`compile`] makes a [`Kernel`] that runs many times. A [`Session`] chooses
//! the backend, holds the kernel cache and knows user-defined levels.

mod backend_kind;
mod choices;
mod compiler;
mod computed;
mod conversion;
mod convert;
mod declare;
mod discordant;
#[cfg(doctest)]
mod documents;
pub mod estimate;
mod explain;
pub mod expr;
mod ext;
pub mod extension;
mod form;
pub mod function;
mod given_facts;
mod kept;
mod kernel;
mod lazily;
mod list;
mod modules;
mod operands;
mod passing;
mod phases;
mod planned;
mod positions;
mod ran;
pub mod recommend;
mod running;
mod sequence;
mod session;
mod settings;
mod source;
mod stages;
mod statement;
mod statements;
mod strict;
mod suited;
mod taking;
mod unit;
mod unread;
mod values;

pub use backend_kind::BackendKind;
pub use choices::{Choice, SomeRuns, TakenBy};
pub use conversion::{Converted, conversion_footprint, conversion_stages, convert};
pub use declare::declare_operands;
pub use estimate::Work;
pub use explain::Explanation;
pub use ext::{FormatExt, TensorExt};
pub use form::{StatementForm, StatementsForm};
pub use kept::kept_bytes;
pub use kernel::{Kernel, Outcome, Times};
pub use list::ListStages;
pub use openwork_algebra::{Arithmetic, Complex, DType, Operator, Scalar};
pub use openwork_base::threads::{set_threads, threads};
pub use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
pub use openwork_execute::Spread;
pub use openwork_format::{Catalog, Format, Level, Width, presets};
pub use openwork_index::cin::Storage;
pub use openwork_index::notation::semiring;
pub use openwork_index::schedule::Schedule;
pub use openwork_index::{Decl, Decls, PlanSizes};
pub use openwork_planner::{Action, Alternative, Conversion, Step};
pub use openwork_planner::{Guard, Unless, Variant};
pub use openwork_runtime::{cache_limit, set_cache_limit};
pub use openwork_storage::{BorrowedArray, Buffer, Cancel, Coo, Tensor, TensorView};
pub use passing::JoinedStages;
pub use phases::{Pattern, Phases};
pub use ran::{ConversionWay, PlannedOperand, Ran, StoredTensor};
pub use sequence::{ActionTime, Results, Sequence};
pub use session::Session;
pub use settings::{backend_setting, check_settings};
pub use source::{CFile, CGiven, CSource, SourceFunctions};
pub use stages::Stages;
pub use statement::Statement;
pub use statements::Statements;
pub use suited::{Stays, Suited};
pub use taking::Operand;

/// Computes one statement over named operands, on the shared default session.
///
/// The result has the dtype and a format that follow from the operands (see [`Session::einsum`] to choose them).
///
/// # Errors
/// Every diagnostic of the statement, and `E0603` when memory runs out.
pub fn einsum(statement: &(impl StatementForm + ?Sized), operands: &[(&str, &Tensor)]) -> Result<Tensor> {
    Session::global().einsum(statement, operands, Decl::default())
}

/// Compiles one statement for tensors like these, on the shared default session: see [`Session::compile_for`].
///
/// # Errors
/// Every diagnostic of the statement.
pub fn compile_for(
    statement: &(impl StatementForm + ?Sized),
    operands: &[(&str, &Tensor)],
) -> Result<Kernel> {
    Session::global().compile_for(statement, operands)
}

/// Compiles one statement for declared tensors, on the shared default session.
///
/// ```
/// use openwork::{DType, Decl, Decls, Format, FormatExt, Tensor, TensorExt, compile};
/// let mut decls = Decls::default();
/// let f64_decl = Decl { dtype: Some(DType::F64), ..Decl::default() };
/// decls.tensors.insert("x".into(), f64_decl);
/// let double = compile("y(i) = 2 * x(i)", &decls)?;
/// for n in 0..3 {
///     let x = Tensor::from_vec(&[2], vec![n as f64, 1.0])?;
///     let y = double.run(&[("x", &x)])?.tensor;
///     assert_eq!(y.vals().as_slice::<f64>(), Some(&[2.0 * n as f64, 2.0][..]));
/// }
/// # Ok::<(), openwork::Error>(())
/// ```
///
/// # Errors
/// Every diagnostic of the statement.
pub fn compile(statement: &(impl StatementForm + ?Sized), decls: &Decls) -> Result<Kernel> {
    Session::global().compile(statement, decls)
}
