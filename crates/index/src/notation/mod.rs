//! Index notation as text and as a syntax tree.
//!
//! ```text
//! statement = access assign expr ["where" expr]
//! assign    = "=" | "+=" | "*=" | "&=" | "|=" | "^=" | "min=" | "max="
//! expr      = or [("==" | "!=" | "<" | "<=" | ">" | ">=") or]
//! or        = xor {"|" xor}          xor = and {"^" and}         and = shift {"&" shift}
//! shift     = sum {("<<" | ">>") sum}
//! sum       = product {("+" | "-") product}
//! product   = unary {("*" | "/" | "//" | "%") unary}
//! unary     = ("-" | "!") unary | atom ["**" unary]
//! atom      = number | "true" | "false" | "inf" | "nan" | name | name args | "(" expr ")"
//! args      = "(" expr {"," expr} ")" | "[" expr {"," expr} "]"
//! ```
//! A name followed by arguments is a function if an operator or reduction has that name, else a tensor access.

pub mod lex;
pub mod parse;
pub mod semiring;
mod show;
pub mod syntax;

pub use parse::parse;
pub use syntax::{Name, Statement, Syntax, TensorRef};
