//! Loop IR: small typed imperative code over flat buffers, the last stage before machine code.
//!
//! Loops know no tensors. A [`LoopKernel`] reads and writes numbered buffers and is the same value for the interpreter,
//! for Cranelift and for C. Its law is checked by [`verify`](mod@verify); [`text`] prints and parses it;
//! [`interp`] runs it and checks every access against the length of its buffer. [`simplify`](mod@simplify),
//! [`choose`], [`flat`](fn@flat), [`sums`](fn@sums), [`outline`], [`apart`](mod@apart), [`wide::slices`](mod@wide::slices), [`runs`](mod@runs), [`wide::nest`](mod@wide::nest),
//! [`jam`](mod@jam), [`wide::rows`](mod@wide::rows), [`vectorize`](mod@vectorize), [`sink`](fn@sink) and
//! [`poll`](fn@poll) rewrite it, in this order, on the way to a backend.

pub mod apart;
pub mod build;
mod choice;
mod flat;
mod functions;
mod fused;
pub mod interp;
pub mod jam;
mod join;
mod kinds;
pub mod literals;
pub mod names;
mod nodes;
mod poll;
pub mod promote;
pub mod runs;
pub mod simplify;
mod sink;
pub mod sizes;
mod split;
mod squares;
mod sums;
pub mod text;
pub mod unroll;
pub mod vectorize;
pub mod verify;
mod walk;
pub mod wide;

pub use apart::separate_functions;
pub use choice::choose;
pub use flat::flat;
pub use functions::write_out;
pub use fused::{round_products, sum_chosen_products};
pub use jam::{JamOptions, jam};
pub use join::{JoinMember, JoinedKernel, join};
pub use kinds::{
    StmtKind, assigned_value, born_var, changed_buffer, index_exprs, read_buffer, read_place, set_var,
};
pub use literals::{Literals, outline};
pub use nodes::{Buf, BufId, BufRole, Expr, Init, LoopKernel, LoopMode, Status, Stmt, Ty, Var, VarId};
pub use poll::poll;
pub use promote::promote;
pub use runs::runs;
pub use simplify::{simplify, simplify_beside};
pub use sink::sink;
pub use sums::{BlockLength, sums};
pub use unroll::unroll;
pub use vectorize::{Lanes, Reassociate, VectorOptions, vectorize};
pub use verify::verify;
pub use walk::{any_part, each_part, each_stmt, exprs, mentions_buffer, substitute};
pub use wide::Wide;

#[cfg(test)]
mod random;
