//! The record of one run: which variant of the plan ran, and what was done around its kernel.

use openwork_format::Rearrangement;
use std::fmt;

/// The record of a run: the variant of the plan that ran, and what was done around its kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its number, from 1 on, as [`Explanation::variants`](crate::Explanation::variants) lists them.
    pub variant: usize,
    /// What it is called.
    pub name: &'static str,
    /// How tensors were stored differently, in order; nothing where none were.
    pub conversions: Vec<Stored>,
}

/// A tensor that was stored differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its name.
    pub tensor: String,
    /// How that was done.
    pub how: How,
}

/// The way in which a tensor was stored differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It was kept from an earlier run.
    Kept,
    /// Storage moved its elements.
    Rearranged(Rearrangement),
    /// A kernel copied it.
    Copied,
    /// Storage unpacked and packed it.
    Packed,
    /// A part was taken out.
    TakenOut,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            How::Kept => f.write_str("kept from an earlier run"),
            How::Rearranged(way) => write!(f, "{way}"),
            How::Copied => f.write_str("copied by a kernel"),
            How::Packed => f.write_str("unpacked and packed"),
            How::TakenOut => f.write_str("a part is taken out"),
        }
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.variant {
            0 => f.write_str(self.name)?,
            n => write!(f, "{n} {}", self.name)?,
        }
        self.conversions.iter().try_for_each(|c| write!(f, "; `{}` {}", c.tensor, c.how))
    }
}
