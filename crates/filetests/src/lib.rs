//! Tests of the whole compiler: text tests, the dense oracle, random programs.
//!
//! | module | what lives there |
//! |---|---|
//! | [`case`] | one statement with its operands; the header of a `.t` file |
//! | [`oracle`] | what a statement means, by dense nested loops |
//! | [`mod@cineval`] | a case through parser, checker and planner, evaluated as CIN |
//! | [`pipeline`] | a case through the whole compiler |
//! | [`testfile`] | `.t` files: read, run, bless |
//! | [`random`] | random cases |
//! | [`mod@shrink`] | smaller cases that fail in the same way |
//! | [`size`] | what results may take |
//! | [`differential`] | many random cases against the oracle |
//! | [`digest`] | the bits of what every variant of a case makes |

pub mod case;
pub mod cineval;
pub mod differential;
pub mod digest;
pub mod oracle;
pub mod phased;
pub mod pipeline;
pub mod random;
pub mod rebuilt;
pub mod relit;
pub mod reused;
pub mod sequences;
pub mod shrink;
pub mod size;
pub mod testfile;
