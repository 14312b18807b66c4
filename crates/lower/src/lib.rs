//! The lowering of CIN to loop IR: first everything is decided, then code is written.
//!
//! One idea per file, in the order a statement meets them; a module uses none below it (`cargo xtask tidy`). Those above
//! `emit` are functions from values to values: they read the statement, the facts of levels and the graph, and know nothing
//! of the code.
//!
//! | file | what it does |
//! |---|---|
//! | `asked` | a record of the programs that were asked about, for tests |
//! | [`space`] | sets of coordinates: the iteration algebra |
//! | [`lattice`] | the regions of a set, in the order loops exhaust them |
//! | `derive` | which coordinates of a variable a statement must visit |
//! | [`rewrite`] | what is left of a statement in a region |
//! | [`annihilate`] | annihilators beside infinities and NaN |
//! | `refusal` | a refusal that points at the whole statement |
//! | `statement` | questions about statements that several analyses ask |
//! | `predicates` | comparisons of index variables as sets of coordinates |
//! | `located` | which levels of an access are located |
//! | `assembly` | which levels of a result are appended to |
//! | `temporaries` | how each sparse temporary is kept, and read |
//! | `mask` | lists outside of which a temporary is not read |
//! | `whole` | runs of a result that are made of whole runs of operands |
//! | [`cost`] | what a program will probably cost |
//! | [`graph`] | the iteration graph: every loop's regions, and how each is walked |
//! | `phase` | a result's structure and its values in kernels of their own |
//! | `chunks` | which variable is divided among threads, and how results are joined |
//! | `surroundings` | what a level knows of where it stands in a tensor |
//! | `declared` | walks of levels that are not what these declare |
//! | `placing` | whether elements that come out of order are placed in passes |
//! | `cases` | how many cases the loops of a graph tell apart, and how many are too many |
//! | `uneven` | intersections of lists whose lengths differ much |
//! | `iteration` | a program with its graph: what is passed on from planning to emission |
//! | `lowered` | a kernel, and what its buffers and parameters mean |
//! | `lender` | the operands whose structure is that of the result |
//! | `in_place` | results in the memory of an operand that is needed no more |
//! | `directives` | what a schedule asks of loops that these cannot do |
//! | `legal` | what no kernel can be written for, whatever its loops are |
//! | `emit` | loop IR from the graph |

pub mod annihilate;
#[doc(hidden)]
pub mod asked;
pub mod cost;
pub mod derive;
pub mod graph;
pub mod lattice;
pub mod rewrite;
pub mod space;

mod assembly;
mod cases;
mod chunks;
mod declared;
mod directives;
mod emit;
mod in_place;
mod iteration;
mod legal;
mod lender;
mod located;
mod lowered;
mod mask;
mod phase;
mod placing;
mod predicates;
mod refusal;
mod statement;
mod surroundings;
mod temporaries;
mod uneven;
mod whole;

pub use annihilate::Decide;
pub use cases::CodeSize;
pub use chunks::{ChunkJoin, Chunks, Parallel};
pub use emit::is_appended;
pub use in_place::{InPlace, compute_in_place, find_places, leaves_elements};
pub use iteration::Iteration;
pub use lender::over_values;
pub use lowered::{
    Binding, Lender, LentValues, Lowered, Param, PassKernel, Passes, ResultMemory, VectorRequest,
};
pub use phase::Phase;
pub use uneven::uneven;

use annihilate::decide_annihilators;
use cases::refuse_too_much;
use declared::refuse_undeclared;
use directives::{refuse_unable, refuse_undistributed};
use graph::{ARMS, Graph};
use legal::legal;
use openwork_base::{Error, Result};
use openwork_index::Program;
use openwork_index::cin::verify::verify;
use openwork_levels::Registry;
use placing::find_parallel;
pub use predicates::find_predicates;
use std::sync::Arc;

impl Iteration {
    /// The graph of a program, letting annihilators decide as `decide` says: where there is one, its loops can be written.
    ///
    /// # Errors
    /// As [`Graph::build`]; `E0406` for a result that cannot be assembled as it is stored, for levels below duplicates, and for
    /// walks that are not what their levels declare, `E0408` for more code than anybody wants, `E0814` for a schedule that asks
    /// something of a loop that it cannot do.
    pub fn build(program: &Program, registry: &Registry, decide: Decide) -> Result<Iteration> {
        Iteration::build_limited(program, registry, decide, ARMS)
    }
    /// The same, if the graph has at most so many regions in all.
    ///
    /// # Errors
    /// As [`Iteration::build`].
    pub fn build_limited(
        program: &Program,
        registry: &Registry,
        decide: Decide,
        most: usize,
    ) -> Result<Iteration> {
        // Many programs are only priced; those of which loops are wanted are held to the law.
        verify(program).map_err(|law| Error::bug("plan", law, program.to_string()))?;
        let (program, may_hide_annihilator) = decide_annihilators(program, decide);
        let program = find_predicates(program);
        let graph = Graph::build_limited(&program, registry, most)?;
        legal(&program, registry, &graph, Phase::Fused)?;
        refuse_undeclared(&program, registry, &graph)?;
        let size = CodeSize::count(&graph, &program);
        refuse_too_much(&program, &graph, size)?;
        refuse_unable(&program, registry, &graph)?;
        refuse_undistributed(&program, || find_parallel(&program, &graph, Phase::Fused))?;
        Ok(Iteration { program, graph, may_hide_annihilator, size })
    }
    /// The loops of one phase of the work on its result.
    ///
    /// # Errors
    /// `E0409` for [`Phase::Lent`] where no operand lends the result its structure, `E0406` where another phase has nothing to
    /// assemble a result with.
    pub fn lower(self: &Arc<Iteration>, registry: &Registry, phase: Phase) -> Result<Lowered> {
        if phase != Phase::Fused {
            legal(&self.program, registry, &self.graph, phase)?;
        }
        let mut lowered = emit::emit(self, registry, phase);
        openwork_loops::write_out(&mut lowered.kernel);
        for pass in lowered.passes.iter_mut().flat_map(|p| [&mut p.count, &mut p.place, &mut p.deal]) {
            openwork_loops::write_out(&mut pass.kernel);
        }
        Ok(lowered)
    }
}

/// Lowers a program over the level formats of `registry`.
///
/// # Errors
/// `E0406` for a level that cannot be walked, located or appended to as the program needs, `E0407` for an unordered
/// level that would have to be merged and for a computed coordinate that would have to be counted through, `E0408` for more
/// code than anybody wants, `E0814` for a schedule that asks something of a loop that it cannot do.
pub fn lower(program: &Program, registry: &Registry) -> Result<Lowered> {
    lower_phase(program, registry, Phase::Fused, Decide::Hidden)
}

/// Lowers one phase of the work on a sparse result that is assembled in the order of the loops, letting annihilators
/// decide as `decide` says.
///
/// # Errors
/// As [`lower`]; `E0409` for [`Phase::Lent`] where no operand lends the result its structure.
pub fn lower_phase(program: &Program, registry: &Registry, phase: Phase, decide: Decide) -> Result<Lowered> {
    Arc::new(Iteration::build(program, registry, decide)?).lower(registry, phase)
}
