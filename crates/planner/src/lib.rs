//! The planner: from a typed statement to the steps that compute it.
//!
//! [`Planner::plan`] takes an assignment whose tensors say how they are stored and, where it is known, how many values they
//! have, and gives a [`Plan`]: operands that are stored differently first, the program of a kernel, a result that is stored
//! differently afterwards, with reasons, and with the ways that were weighed and rejected. It needs no storage, threads or
//! backends: a way is legal where its iteration graph can be built and written, and costs what [`openwork_lower::cost`]
//! estimates.
//!
//! One idea per file; a module uses none below it.
//!
//! | file | what it does |
//! |---|---|
//! | `step` | the steps of a plan |
//! | `copying` | statements that copy a tensor into another format |
//! | `formats` | formats that operands and results may be stored in instead of their own |
//! | `operands` | statements with some operands stored differently, each use by itself |
//! | `windows` | parts of operands that are taken out first |
//! | `loops` | the loops of a way, which are written once it is chosen |
//! | `memo` | the programs that one plan has asked about |
//! | `way` | a way to compute a statement, before its loops are written |
//! | `price` | the price of a way, conversions included |
//! | `legalise` | the first legal way, the one closest to what was asked for |
//! | `search` | the search for cheaper ways |
//! | `pieces` | programs in several kernels, so that threads can share the work |
//! | `thresholds` | the least work for which a variant is worth while |
//! | `variant` | one way in which a plan can run, and when it does |
//! | `variants` | all variants of a plan |
//! | `planner` | the plan of one statement |
//! | `together` | statements whose kernels run over the same parts |
//! | `joining` | statements whose kernels are one |
//! | `list` | the plans of several statements |

mod copying;
mod formats;
mod joining;
mod legalise;
mod list;
mod loops;
mod memo;
mod operands;
mod pieces;
mod planner;
mod price;
mod search;
mod step;
mod thresholds;
mod together;
mod variant;
mod variants;
mod way;
mod windows;

pub use copying::copy_statement;
pub use formats::plain_format;
pub use joining::JoinedStatements;
pub use list::{Action, ListPlan};
pub use planner::Planner;
pub use step::{Alternative, Conversion, Piece, Plan, Read, Rearranged, Step};
pub use thresholds::slots_to_copy;
pub use variant::{Guard, Unless, Variant};
pub use variants::{VariantFacts, variants};
