//! Loop IR: small typed imperative code over flat buffers, the last stage before machine code.
//!
//! Loops know no tensors. A [`Kernel`] reads and writes numbered buffers and is the same value for the interpreter,
//! for Cranelift and for C. Its law is checked by [`verify`](mod@verify); [`text`] prints and parses it;
//! [`interp`] runs it and checks every access against the length of its buffer.

pub mod build;
pub mod nodes;

pub use nodes::{Buf, BufId, Expr, Kernel, LoopMode, Role, Status, Stmt, Ty, Var, VarId};
