//! Calling compiled kernels: memory that grows on request, calls over parts on several threads, and a cache of kernels
//! by content.

pub mod cache;
pub mod call;
pub mod pieces;
pub mod pool;
pub mod stitch;
pub mod threads;

pub use cache::{Cached, KernelCache};
pub use call::{Contents, Made, Room, Slot, run};
pub use pieces::{Piece, run_pieces};
pub use stitch::{Lent, Seam, Target, combine, stitch};
pub use threads::{set_threads, threads};
