//! Pairs of formats between which storage moves elements by itself: copying, counting and placing take less than a kernel.
//!
//! Which pairs these are is known from the formats alone, so that a planner can weigh a copy before there is a tensor; how
//! elements are moved is in the crate `storage`. Sizes and the widths of index arrays may still be in the way.

use crate::{Format, Props};
use std::fmt;

/// What is done to store the same elements in another format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rearrangement {
    /// Of compressed rows, every row's number is repeated: a list.
    RepeatRows,
    /// Of a sorted list, the ends of rows are noted: compressed rows.
    NoteRows,
    /// Of compressed rows, columns are counted and elements placed in turn: compressed columns.
    Transpose,
    /// Of every value, equal neighbours become one: runs.
    FindRuns,
    /// Of compressed rows, every coordinate gets a slot and elements a bit.
    SetBits,
    /// Of compressed rows, elements become those of blocks.
    FormBlocks,
    /// Of every value, those that are no fill value get a mark beside their slot.
    Mark,
    /// Of slots with marks, those without one become the fill value.
    Unmark,
    /// Every value is stored in another order of modes.
    Turn,
}

impl Rearrangement {
    /// What leads from one format to the other, if anything does.
    ///
    /// ```
    /// use openwork_format::{Rearrangement, presets};
    /// let between = Rearrangement::find;
    /// assert_eq!(between(&presets::csr(), &presets::csc()), Some(Rearrangement::Transpose));
    /// assert_eq!(between(&presets::coo(2), &presets::csr()), Some(Rearrangement::NoteRows));
    /// assert_eq!(between(&presets::csr(), &presets::dcsr()), None);
    /// ```
    pub fn find(from: &Format, to: &Format) -> Option<Rearrangement> {
        if from.rank() != to.rank() || from.symmetric || to.symmetric {
            return None;
        }
        let full = |f: &Format| f.is_dense() && f.remap.is_none();
        let same_order = from.modes == to.modes;
        if full(from) && full(to) {
            return (!same_order).then_some(Rearrangement::Turn);
        }
        if same_order && has_plain_marks(from) && full(to) {
            return Some(Rearrangement::Unmark);
        }
        if same_order && full(from) && has_plain_marks(to) {
            return Some(Rearrangement::Mark);
        }
        if same_order && full(from) && to.is_in_runs() {
            return Some(Rearrangement::FindRuns);
        }
        match (from.rows(), list_of(from), to.rows(), list_of(to)) {
            (Some(modes), _, _, Some(to)) if modes == to => Some(Rearrangement::RepeatRows),
            (_, Some(modes), Some(to), _) if modes == to => Some(Rearrangement::NoteRows),
            (Some([outer, inner]), _, Some(to), _) if [inner, outer] == to => Some(Rearrangement::Transpose),
            (Some(modes), ..) if modes[..] == to.modes && is_row_of_bits(to) => Some(Rearrangement::SetBits),
            (Some([0, 1]), ..) if to.blocked_rows().is_some() => Some(Rearrangement::FormBlocks),
            _ => None,
        }
    }
}

impl fmt::Display for Rearrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rearrangement::RepeatRows => "row numbers are repeated",
            Rearrangement::NoteRows => "ends of rows are noted",
            Rearrangement::Transpose => "columns are counted and elements placed",
            Rearrangement::FindRuns => "runs of equal values are found",
            Rearrangement::SetBits => "elements are put in slots, with bits",
            Rearrangement::FormBlocks => "elements are put in blocks",
            Rearrangement::Mark => "marks are set beside values",
            Rearrangement::Unmark => "slots without a mark are filled",
            Rearrangement::Turn => "values are copied in another order",
        })
    }
}

/// The modes of a list of coordinates of two modes.
fn list_of(format: &Format) -> Option<[usize; 2]> {
    let [outer, inner] = format.modes[..] else { return None };
    format.is_list().then_some([outer, inner])
}

/// Whether levels are dense but for the last one, which has a mark for every slot.
pub fn has_plain_marks(format: &Format) -> bool {
    let Some((last, above)) = format.levels.split_last() else { return false };
    let marked = last.is_masked() && !last.props.has(Props::ZEROLESS);
    marked && above.iter().all(|l| l.is_dense()) && format.remap.is_none() && !format.symmetric
}

/// Whether every row has a slot for each column, and bits that tell which are elements.
pub fn is_row_of_bits(format: &Format) -> bool {
    let [rows, slots] = format.levels[..] else { return false };
    let plain = format.remap.is_none() && !format.symmetric;
    plain && rows.is_dense() && slots.is_in_words() && !slots.props.has(Props::ZEROLESS)
}
