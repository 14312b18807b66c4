//! The record of one run: which variant of the plan ran, and what was done around its kernel.

use openwork_format::Rearrangement;
use openwork_storage::Tensor;
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
    /// The operands that the plan was made for, where those of this run have other sizes: plans of a
    /// [`Statement`](crate::Statement) serve all operands of about the same order.
    pub planned_for: Option<Arc<[PlannedOperand]>>,
}

/// An operand that a plan was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedOperand {
    /// Its name.
    pub tensor: String,
    /// How many coordinates each mode has.
    pub shape: Vec<usize>,
    /// How many values are stored.
    pub values: usize,
}

impl PlannedOperand {
    pub(crate) fn new(name: &str, t: &Tensor) -> PlannedOperand {
        PlannedOperand { tensor: name.into(), shape: t.shape().to_vec(), values: t.slots() }
    }
    /// Whether an operand has these sizes.
    pub(crate) fn has_sizes_of(&self, t: &Tensor) -> bool {
        self.shape == t.shape() && self.values == t.slots()
    }
}

impl fmt::Display for PlannedOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        write!(f, "`{}` of {} with {} values", self.tensor, sizes.join(" x "), self.values)
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
        for (n, operand) in self.planned_for.iter().flat_map(|all| all.iter()).enumerate() {
            write!(f, "{}{operand}", if n == 0 { "; planned for " } else { ", " })?;
        }
        Ok(())
    }
}
