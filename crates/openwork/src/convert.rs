//! Operands stored differently for one kernel: in another format, or reduced to a diagonal.

use crate::ext::TensorExt;
use openwork_base::{Error, Result};
use openwork_format::Format;
use openwork_index::TensorId;
use openwork_storage::{Buffer, Coo, Tensor, pack, unpack};

/// How an operand of a kernel is made from what the caller gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The operand of the program.
    pub tensor: TensorId,
    /// The name under which the caller gives the tensor it is made from.
    pub source: String,
    /// For each mode of the given tensor, the mode of the operand that has the same coordinate. Two modes with the same
    /// number keep only the entries whose coordinates there agree: a diagonal.
    pub modes: Vec<usize>,
    /// The format of the operand.
    pub format: Format,
}

impl Conversion {
    /// What is done, for the list of reasons.
    pub fn describe(&self) -> String {
        let plain = Format { pos: None, crd: None, fill: None, ..self.format.clone() };
        let what = if self.takes_diagonal() { "the diagonal of " } else { "" };
        format!("{what}`{}` is converted to {plain} before the kernel runs", self.source)
    }
    fn takes_diagonal(&self) -> bool {
        (0..self.modes.len()).any(|m| self.modes[..m].contains(&self.modes[m]))
    }
    /// Makes the operand.
    ///
    /// # Errors
    /// `E0602` to `E0604` of packing.
    pub fn apply(&self, given: &Tensor) -> Result<Tensor> {
        if !self.takes_diagonal() {
            return given.to(&self.format);
        }
        let coo = unpack(given)?;
        let coord = |mode: usize, e: usize| coo.coords(mode).get(e).as_i64();
        let first: Vec<usize> = (0..=self.modes.iter().copied().max().unwrap_or(0))
            .filter_map(|k| self.modes.iter().position(|&m| m == k))
            .collect();
        let on_diagonal =
            |e: &usize| (0..self.modes.len()).all(|m| coord(m, *e) == coord(first[self.modes[m]], *e));
        let kept: Vec<usize> = (0..coo.len()).filter(on_diagonal).collect();
        let shape: Vec<usize> = first.iter().map(|&m| coo.shape()[m]).collect();
        let take = |from: &Buffer| -> Result<Buffer> {
            let mut to = Buffer::zeros(from.dtype(), kept.len())?;
            kept.iter().enumerate().for_each(|(n, &e)| to.set(n, from.get(e)));
            Ok(to)
        };
        let coords = first.iter().map(|&m| take(coo.coords(m))).collect::<Result<Vec<_>>>()?;
        let diagonal = Coo::new(shape, coords, take(coo.vals())?)
            .map_err(|e| Error::bug("diagonal", e.to_string(), ""))?;
        let format = self.format.clone().with_fill(given.fill().to_string());
        pack(&diagonal, &format, given.fill())
    }
}
