//! The record of one run: which variant of the plan ran, and what was done around its kernel.

use openwork_format::Rearrangement;
use openwork_index::{Decl, typical_size};
use std::fmt;
use std::sync::Arc;

/// The record of a run: the variant of the plan that ran, and what was done around its kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its number, from 1 on, as [`Explanation::variants`](crate::Explanation::variants) lists them.
    pub variant: usize,
    /// What it is called.
    pub name: &'static str,
    /// How tensors were stored differently, in order; nothing where none were.
    pub conversions: Vec<StoredTensor>,
    /// What the plan was made for, where it is not the sizes of this run's operands: plans of a [`Statement`](crate::Statement) are
    /// made for sizes that stand for all of the same order of magnitude.
    pub planned_for: Option<Arc<[PlannedOperand]>>,
}

/// The sizes of an operand that a plan was made for: they stand for all of the same order of magnitude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedOperand {
    /// Its name.
    pub tensor: String,
    /// How many coordinates each mode has.
    pub shape: Vec<usize>,
    /// About how many values are stored.
    pub values: usize,
}

impl PlannedOperand {
    pub(crate) fn new(name: &str, declared: &Decl) -> PlannedOperand {
        let shape = declared.shape.iter().flatten().map(|&n| typical_size(n)).collect();
        PlannedOperand { tensor: name.into(), shape, values: declared.stored.unwrap_or(0) }
    }
}

impl fmt::Display for PlannedOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        write!(f, "`{}` of about {} with about {} values", self.tensor, sizes.join(" x "), self.values)
    }
}

/// A tensor that was stored differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTensor {
    /// Its name.
    pub tensor: String,
    /// How that was done.
    pub how: ConversionWay,
}

/// The way in which a tensor was stored differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionWay {
    /// It was kept from an earlier run.
    Kept,
    /// Storage moved its elements.
    Rearranged(Rearrangement),
    /// A kernel copied it.
    Copied,
    /// Storage listed its elements with their coordinates, and stored these anew.
    Packed,
    /// A part was taken out.
    TakenOut,
}

impl fmt::Display for ConversionWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConversionWay::Kept => f.write_str("kept from an earlier run"),
            ConversionWay::Rearranged(way) => write!(f, "{way}"),
            ConversionWay::Copied => f.write_str("copied by a kernel"),
            ConversionWay::Packed => f.write_str("unpacked to a list of its elements and packed"),
            ConversionWay::TakenOut => f.write_str("a part is taken out"),
        }
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.variant {
            0 => f.write_str(self.name)?,
            n => write!(f, "{n} {}", self.name)?,
        }
        self.conversions.iter().try_for_each(|c| write!(f, "; `{}` {}", c.tensor, c.how))?;
        Ok(())
    }
}
