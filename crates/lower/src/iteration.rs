//! A program on its way to loops: its iteration graph, made once and passed on.
//!
//! ```text
//! a program    Iteration::of     what every loop does, and whether that can be written
//!              Iteration::lower  the loops of one phase, as often as somebody wants another one
//! ```
//! A planner asks it whether a way is legal and how much code it would come to; emission, `explain` and everybody who asks
//! about loops afterwards read the same graph.

use crate::annihilate::{Decide, decided};
use crate::graph::{ARMS, Graph};
use crate::legal::{is_certain, legal, refuse_undistributed};
use crate::lowered::Lowered;
use crate::phase::Phase;
use crate::{cases, emit};
use openwork_base::{Error, Result};
use openwork_index::Program;
use openwork_levels::Registry;
use std::sync::Arc;

/// A program whose annihilators are decided, with its graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The program, with the primitives in which annihilators decide.
    pub program: Program,
    /// What it does.
    pub graph: Graph,
    /// Whether NaN in the result may stand where an annihilator decides: see `annihilate`.
    pub doubtful: bool,
}

impl Iteration {
    /// The graph of a program, letting annihilators decide as `decide` says.
    ///
    /// # Errors
    /// As [`Graph::of`]; `E0406` for a result that cannot be assembled as it is stored, and for levels below duplicates.
    pub fn of(program: &Program, registry: &Registry, decide: Decide) -> Result<Iteration> {
        Iteration::within(program, registry, decide, ARMS)
    }
    /// The same, if the graph has at most so many regions in all.
    ///
    /// # Errors
    /// As [`Iteration::of`].
    pub fn within(program: &Program, registry: &Registry, decide: Decide, most: usize) -> Result<Iteration> {
        let (program, doubtful) = decided(program, decide);
        let graph = Graph::within(&program, registry, most)?;
        legal(&program, registry, &graph, Phase::Fused)?;
        Ok(Iteration { program, graph, doubtful })
    }
    /// How many cases its loops tell apart.
    pub fn cases(&self) -> usize {
        cases::cases(&self.graph, &self.program)
    }
    /// Whether its loops can be written for sure: [`Iteration::lower`] refuses nothing then, so a planner need not write them to
    /// know whether a way is legal.
    pub fn is_certain(&self) -> bool {
        is_certain(&self.program, self.cases())
    }
    /// The graph as text.
    pub fn text(&self) -> String {
        self.graph.text(&self.program)
    }
    /// The loops of one phase of the work on its result.
    ///
    /// # Errors
    /// `E0406` and `E0407` for walks of levels that are not what these declare, `E0408` for more code than anybody wants,
    /// `E0409` for [`Phase::Lent`] where no operand lends the result its structure, `E0814` for a schedule that asks something
    /// of a loop that it cannot do.
    pub fn lower(self: &Arc<Iteration>, registry: &Registry, phase: Phase) -> Result<Lowered> {
        if phase != Phase::Fused {
            legal(&self.program, registry, &self.graph, phase)?;
        }
        let mut lowered = emit::emit(self, registry, phase).map_err(|refusal| match refusal {
            Error::Unsupported(d) if self.is_certain() => {
                Error::bug("lower", format!("a legal way is refused: {}", d.message), self.text())
            }
            refusal => refusal,
        })?;
        refuse_undistributed(&self.program, &lowered.parallel)?;
        openwork_loops::write_out(&mut lowered.kernel);
        for pass in lowered.passes.iter_mut().flat_map(|p| [&mut p.count, &mut p.place, &mut p.deal]) {
            openwork_loops::write_out(&mut pass.kernel);
        }
        Ok(lowered)
    }
}
