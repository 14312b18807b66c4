//! Loop IR as text: [`print()`] writes it, [`parse`](fn@parse) reads it back, and printing what was parsed gives the same
//! text again.
//!
//! # Grammar
//!
//! ```text
//! kernel   := "kernel" name "(" decl ("," decl)* ")" block
//! decl     := name ":" type                      a parameter
//!           | name ":" ("in"|"out"|"temp") ["uninit"|"kept"] dtype "[]"   a buffer
//! type     := dtype | dtype "x" lanes            f64, f64x4
//! block    := "{" stmt* "}"
//! stmt     := "let" name ":" type "=" expr
//!           | name "=" expr
//!           | name "[" expr "]" op? "=" expr     op: + * & | ^ or a name such as min
//!           | "vector"? "for" name "in" expr ".." expr ("step" int)? block
//!           | "while" expr block | "if" expr block ("else" block)?
//!           | "reserve" "(" name "," expr ")" | "set_len" "(" name "," expr ")"
//!           | "fail" "(" status ")" | "poll" "(" ")" | "//" remark
//! expr     := infix operators of the table below, all left-associative except comparisons, which do not chain
//!           | "-" expr | "!" expr | name | name "[" expr "]" | name "[" expr ":" lanes "]"
//!           | dtype "(" literal ")"              a constant: f32(1.5), c128(1+2j)
//!           | dtype "(" expr ")"                 a cast; a cast of a bare literal is written f32((1.5))
//!           | prim "(" expr,* ")" | "splat" "(" lanes "," expr ")" | "pack" "(" expr,* ")"
//!           | "fold" "(" prim "," expr ")" | literal | "(" expr ")"
//! ```
//!
//! Operators, loosest first: `&&`, comparisons, `|`, `^`, `&`, `+ -`, `* /`, prefix `- !`.

mod lex;
mod parse;
mod print;

pub use parse::parse;
pub use print::{Listing, listing, print, print_expr, print_stmt};

use openwork_algebra::Prim;

/// Words that cannot name a variable or buffer.
pub const RESERVED: [&str; 16] = [
    "let", "for", "in", "step", "vector", "wide", "while", "break", "if", "else", "true", "false", "inf",
    "nan", "infj", "nanj",
];

/// Whether `name` can stand for a variable or buffer in text.
///
/// ```
/// use openwork_loops::text::is_name;
/// assert!(is_name("A2_pos") && !is_name("for") && !is_name("2x") && !is_name(""));
/// ```
pub fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}

/// Precedence of `&&`.
pub(crate) const AND_ALSO: u8 = 1;
/// Precedence of comparisons.
pub(crate) const COMPARISON: u8 = 2;
/// Precedence of prefix operators.
pub(crate) const PREFIX: u8 = 8;

/// The infix spelling of a primitive and how tightly it binds.
pub(crate) fn infix(prim: Prim) -> Option<(&'static str, u8)> {
    Some(match prim {
        Prim::Eq => ("==", COMPARISON),
        Prim::Ne => ("!=", COMPARISON),
        Prim::Lt => ("<", COMPARISON),
        Prim::Le => ("<=", COMPARISON),
        Prim::Gt => (">", COMPARISON),
        Prim::Ge => (">=", COMPARISON),
        Prim::Or => ("|", 3),
        Prim::Xor => ("^", 4),
        Prim::And => ("&", 5),
        Prim::Add => ("+", 6),
        Prim::Sub => ("-", 6),
        Prim::Mul => ("*", 7),
        Prim::Div => ("/", 7),
        Prim::Min | Prim::Max | Prim::Neg | Prim::Abs | Prim::Not | Prim::Select => return None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => return None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => {
            return None;
        }
    })
}
