//! CIN to loop IR: first everything is decided, then code is written.
//!
//! One idea per file, in the order a statement meets them; a module uses none below it (`cargo xtask tidy`). Those above
//! `emit` are functions from values to values: they read the statement, the facts of levels and the graph, and know nothing
//! of the code.
//!
//! | file | what it does |
//! |---|---|
//! | `asked` | which programs were asked about, for tests |
//! | [`space`] | sets of coordinates: the iteration algebra |
//! | [`lattice`] | the regions of a set, in the order loops exhaust them |
//! | `derive` | which coordinates of a variable a statement must visit |
//! | [`rewrite`] | what is left of a statement in a region |
//! | [`annihilate`] | annihilators beside infinities and NaN |
//! | `statement` | questions about statements that several analyses ask |
//! | `temporaries` | how each sparse temporary is kept, and read |
//! | `mask` | lists outside of which a temporary is not read |
//! | `whole` | runs of a result that are made of whole runs of operands |
//! | [`cost`] | what a program will probably cost |
//! | [`graph`] | the iteration graph: every loop's regions, and how each is walked |
//! | `phase` | a result's structure and its values in kernels of their own |
//! | `chunks` | which variable is divided among threads, and how results are joined |
//! | `cases` | how many cases the loops of a graph tell apart |
//! | `uneven` | intersections of lists whose lengths differ much |
//! | `lowered` | a kernel, and what its buffers and parameters mean |
//! | `lender` | the operands whose structure is that of the result |
//! | `legal` | what no kernel can be written for, whatever its loops are |
//! | `emit` | loop IR from the graph |
//! | `iteration` | a program with its graph: what is passed on from planning to emission |

pub mod annihilate;
#[doc(hidden)]
pub mod asked;
pub mod cost;
pub mod derive;
pub mod graph;
pub mod lattice;
pub mod rewrite;
pub mod space;

mod cases;
mod chunks;
mod emit;
mod iteration;
mod legal;
mod lender;
mod lowered;
mod mask;
mod phase;
mod statement;
mod temporaries;
mod uneven;
mod whole;

pub use annihilate::Decide;
pub use cases::cases;
pub use chunks::{Chunks, Join, Parallel};
pub use emit::appended;
pub use iteration::Iteration;
pub use lender::over_values;
pub use lowered::{Asked, Binding, By, Lender, Lowered, Param, Pass, Passes, ResultMemory};
pub use phase::Phase;
pub use uneven::uneven;

use openwork_base::Result;
use openwork_index::Program;
use openwork_levels::Registry;
use std::sync::Arc;

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
    Arc::new(Iteration::of(program, registry, decide)?).lower(registry, phase)
}
