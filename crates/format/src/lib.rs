//! Tensor formats, as pure data.
//!
//! A [`Format`] stacks [`Level`]s (one per stored coordinate), says which coordinate each level stores (a mode, or what a
//! [`Remap`] computes), and fixes the fill value and the widths of the index arrays (formats thesis, chapters 2-4). How a
//! level is walked or assembled lives in the `levels` crate; how its arrays are kept in memory lives in `storage`. Both look
//! a level up by [`LevelSpec::name`], so a new level adds a spec here and one file there.

mod facts;
pub mod format;
pub mod level;
pub mod presets;
pub mod rearrangement;
pub mod remap;
mod sanity;
pub mod specs;
pub mod spread;
pub mod text;
pub mod width;

pub use format::Format;
pub use level::{
    ArrayDecl, ArrayRole, Assembly, CoordinateSet, Coords, Edges, Empties, InsertBy, Level, LevelSpec, Needs,
    Props,
};
pub use rearrangement::Rearrangement;
pub use remap::Remap;
pub use text::Catalog;
pub use width::Width;
