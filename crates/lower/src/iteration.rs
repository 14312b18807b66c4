//! A program on its way to loops: its iteration graph, made once and passed on.
//!
//! ```text
//! a program    Iteration::build     what every loop does, and whether that can be written
//!              Iteration::lower  the loops of one phase, as often as somebody wants another one
//! ```
//! A planner asks it whether a way is legal and how much code it would come to; emission, `explain` and everybody who asks
//! about loops afterwards read the same graph.

use crate::cases::CodeSize;
use crate::graph::Graph;
use openwork_index::Program;

/// A program whose annihilators are decided, with its graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The program, with the primitives in which annihilators decide.
    pub program: Program,
    /// What it does.
    pub graph: Graph,
    /// Whether NaN in the result may stand where an annihilator decides: see `annihilate`.
    pub may_hide_annihilator: bool,
    /// How much code it comes to.
    pub size: CodeSize,
}

impl Iteration {
    /// The graph as text.
    pub fn text(&self) -> String {
        self.graph.text(&self.program)
    }
}
