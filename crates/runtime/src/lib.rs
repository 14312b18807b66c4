//! Calls of compiled kernels: memory that grows on request, calls over parts on several threads, and a cache of kernels by
//! content.

pub mod assembly;
pub mod cache;
pub mod call;
pub mod lru;
pub mod pieces;
pub mod stitch;
mod typed;
pub mod watch;

pub use assembly::{Pile, counters, sequence, settle};
pub use cache::{Cached, KernelCache, cache_limit, set_cache_limit};
pub use call::{Made, Room, Shared, Shelf, Slot, run};
pub use pieces::{Callee, Piece, run_pieces, run_rows};
pub use stitch::{Lent, Seam, Target, combine, stitch};
pub use watch::Watch;
