//! The number of threads: how many runs may use, and how many one could use.

/// The settings of a session about threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threading {
    /// How many; 0 for those of the process.
    pub threads: usize,
    /// The number of chunks, for tests.
    pub chunks: Option<usize>,
    /// The number of groups that elements placed out of order are dealt into, for tests.
    pub groups: Option<usize>,
}

/// The spread of a run over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many threads it could use.
    pub threads: usize,
    /// Into how many calls of the kernel it was cut.
    pub chunks: usize,
}
