//! Dtypes, scalar values, and operators with their algebraic properties.
//!
//! Lowering never asks *which* operator it sees, only what the operator promises ([`Operator`]): commutative,
//! associative, idempotent, identity, annihilator (per argument), or an explicit iteration algebra
//! (array-programming paper, §4.3 and §5.2). Machine code only sees [`Prim`], a closed set of typed primitives.

pub mod complex;
mod dtype;
mod eval;
pub mod function;
pub mod library;
pub mod operator;
pub mod prim;
pub mod scalar;
mod space;
mod value;

pub use dtype::{DType, DTypeKind};
pub use eval::fused_sum;
pub use function::ScalarFunction;
pub use library::Library;
pub use num_complex::Complex;
pub use operator::{Arithmetic, Assumes, IterationAlgebra, Operator};
pub use prim::Prim;
pub use scalar::Scalar;
