//! Index notation as text and as a syntax tree.
//!
//! ```text
//! text      = {separator} {definition ";"} statement {separator {definition ";"} statement} {separator}
//! separator = ";" | end of a line
//! statement = access assign expr ["where" expr]
//! assign    = "=" | "+=" | "*=" | "&=" | "|=" | "^=" | "min=" | "max=" | "choose="
//! expr      = or [("==" | "!=" | "<" | "<=" | ">" | ">=") or]
//! or        = xor {"|" xor}          xor = and {"^" and}         and = shift {"&" shift}
//! shift     = sum {("<<" | ">>") sum}
//! sum       = product {("+" | "-") product}
//! product   = unary {("*" | "/" | "//" | "%") unary}
//! unary     = ("-" | "!") unary | atom ["**" unary]
//! atom      = number | "true" | "false" | "inf" | "nan" | name | name args | "(" expr ")"
//! args      = "(" arg {"," arg} ")" | "[" arg {"," arg} "]"
//! arg       = expr | window          window = name "(" [bound] ":" [bound] [":" [bound]] ")"
//! bound     = ["-"] integer
//! ```
//! Definitions of functions may stand before a statement ([`function`]).
//!
//! A name followed by arguments is a function if an operator or reduction has that name, else a tensor access.

pub(crate) mod alias;
pub mod build;
mod finish;
pub mod function;
pub(crate) mod habits;
pub mod lex;
mod list;
pub mod parse;
pub mod semiring;
mod show;
mod sum;
pub mod syntax;
mod window;

pub use list::parse_all;
pub use parse::parse;
pub use sum::{IndexSum, IndexTerm};
pub use syntax::{CLIP, EXTREME_PLACES, Name, PADDED, STRUCTURE, StatementSyntax, Syntax, TensorRef};
