//! Concrete index notation: loops, assignments and where clauses (workspaces paper, §3.2).
//!
//! ```text
//! stmt   = "forall" index stmt | access [op] "=" expr | "(" stmt ")" "where" "(" stmt ")"
//!        | "{" stmt {";" stmt} "}" | "multi" "{" stmt {";" stmt} "}" | "nop"
//! ```
//! `C where P` runs `P`, which fills a temporary, and then `C`, which reads it; the temporary starts at its fill value
//! each time the clause is entered. A result starts at its fill value. `{a; b}` runs `a` then `b`; `multi {a; b}` runs
//! both in one iteration space, in any order.

pub mod eval;
pub mod nodes;
pub mod text;
pub mod verify;

pub use nodes::{Assembly, Program, Stmt};
pub use text::Names;
