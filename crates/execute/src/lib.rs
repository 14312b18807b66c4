//! One run of a compiled kernel: binding, chunks, passes, joins, and who holds which memory when.
//!
//! A [`Job`] is a compiled kernel with the stages it comes from; [`Job::run`] takes checked operands to the arrays of its
//! result, [`Job::tensor`] makes a tensor of them. It knows nothing of text, of planning, or of why a kernel exists.
//!
//! **The law of memory.** Operands are borrowed for a run and never written, but for one that is *taken*: nobody else holds it, its
//! memory is that of the result, and every element of it is read before it is assigned (`taken`). Arrays of results belong to the run
//! until it ends: each call of a kernel grows arrays of its own, or writes its share of one array that nobody else writes
//! (`share`, `placing`, or one array that results of kernels which run together have in turns, `turns`); scratch memory belongs to
//! one call, and waits for the next one, as kept memory does, on a shelf that the kernel's code owns. A run that fails or is
//! cancelled frees all of it, what was taken as well, whichever call failed, and touches nothing else that was there before
//! it; one that succeeds hands its arrays out. Memory that comes back ([`Job::recycle`]) waits in the kernel's
//! [`Spares`] for its next run. All unsafe code between the backends' calling convention and the public interface is here
//! and in `runtime`.
//!
//! One idea per file; a module uses none below it.
//!
//! | file | what it does |
//! |---|---|
//! | `threading` | how many threads there are, and were |
//! | `spares` | memory that was given back |
//! | `literals` | what kernels read in place of literals |
//! | `signature` | what every run asks of a program, found once |
//! | `bind` | operands against declarations, ranges of index variables |
//! | `bounding` | the operands that tell how much a result may store |
//! | `look` | what is among the values of an operand |
//! | `bounds` | between which numbers an expression is |
//! | `variant` | whether a variant of a plan may run |
//! | `load` | how much a run does |
//! | `job` | what one run knows |
//! | `balance` | where to cut a dimension so that parts take alike long |
//! | `limits` | what is refused before anything runs |
//! | `grain` | how much work is worth a chunk |
//! | `schedule` | into how many chunks a run is cut |
//! | `share` | one result of several calls |
//! | `joined` | kernels of several statements that are one |
//! | `calls` | the calls of a run |
//! | `placing` | results that are assembled out of order, in passes |
//! | `run` | one run |
//! | `made` | the tensor of the arrays of a run |
//! | `taken` | operands whose memory becomes that of the result |
//! | `turns` | memory that results have in turns |
//! | `together` | several kernels in one pass over parts |

mod balance;
mod bind;
mod bounding;
mod bounds;
mod calls;
mod grain;
mod job;
mod joined;
mod limits;
mod literals;
mod load;
pub mod look;
mod made;
mod placing;
mod run;
mod schedule;
mod share;
mod signature;
mod spares;
mod taken;
mod threading;
mod together;
mod turns;
mod variant;

pub use bind::{extents, given_name, operands, reach, same_layout};
pub use bounds::is_coordinate;
pub use job::{Arguments, Job, KernelCode};
pub use joined::JoinedCode;
pub use literals::{Tables, outline_literals};
pub use run::Arrays;
pub use signature::{Extents, Signature};
pub use spares::{BoundArray, Spares};
pub use taken::{may_take, take_operand};
pub use threading::{Spread, Threading};
pub use together::{Partner, Together, run_together};
pub use variant::{Relied, VariantProgress, VariantRun, may_fail, relied_on, watch_for};
