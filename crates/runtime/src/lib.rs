//! Calling compiled kernels: memory that grows on request, and a cache of kernels by content.

pub mod cache;
pub mod call;

pub use cache::{Cached, KernelCache};
pub use call::{Contents, Room, Slot, run};
