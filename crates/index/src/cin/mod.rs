//! Concrete index notation: loops, assignments and where clauses (workspaces paper, §3.2).
//!
//! ```text
//! stmt   = "forall" [hints] index stmt | access [op] "=" expr | "(" stmt ")" "where" [kept] "(" stmt ")"
//!        | "{" stmt {";" stmt} "}" | "multi" "{" stmt {";" stmt} "}" | "nop"
//! hints  = "[" hint {"," hint} "]"       hint = "unroll" "(" number ")" | "vectorize" | "parallelize"
//! kept   = "[" ("dense" | "bitmap" | "hash") "]"
//! ```
//! `C where P` runs `P`, which fills a temporary, and then `C`, which reads it; the temporary starts at its fill value
//! each time the clause is entered. A result starts at its fill value. `{a; b}` runs `a` then `b`; `multi {a; b}` runs
//! both in one iteration space, in any order. Hints and kinds of workspaces are what a [schedule](crate::schedule) asked
//! for.

pub mod eval;
pub mod nodes;
pub mod text;
pub mod verify;

pub use nodes::{AssemblyMode, CinStmt, Directives, LoopHint, Program, Storage};
pub use text::CinNames;
