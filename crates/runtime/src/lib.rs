//! Calls of compiled kernels: memory that grows on request, calls over parts on several threads, and a cache of kernels by
//! content.

pub mod assembly;
pub mod cache;
pub mod call;
pub mod lru;
pub mod pieces;
pub mod shelf;
pub mod stitch;
mod typed;
pub mod watch;

pub use assembly::{Pile, counters, sequence, settle};
pub use cache::{Cached, KernelCache, cache_limit, set_cache_limit};
pub use call::{BufferSlot, KernelResult, Room, SharedMemory, run};
pub use pieces::{Callee, PieceArgs, run_pieces, run_rows};
pub use shelf::{Shelf, ShelfUse};
pub use stitch::{CombinedArrays, LentArray, Seam, StitchTarget, combine, stitch};
pub use watch::{Watch, Watched};
