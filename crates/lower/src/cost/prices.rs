//! Prices of operations, in units of about a nanosecond.

/// One element: inserted into a bitmap workspace and taken out, into a hash table and sorted out.
pub(super) const INSERT: f64 = 1.5;
pub(super) const EXTRACT: f64 = 2.0;
pub(super) const HASHED_INSERT: f64 = 12.0;
pub(super) const HASHED_EXTRACT: f64 = 25.0;
/// Looking whether a bitmap workspace holds anything, and what each word of its uppermost bits adds.
pub(super) const LOOK: f64 = 8.0;
pub(super) const WORD: f64 = 0.7;
pub(super) const BITS: f64 = (1 << 18) as f64;
/// Bits of a word.
pub(super) const WORD_BITS: f64 = 64.0;
/// One step of a merge of two lists, of more, and what it costs where the list that is ahead changes, which no branch
/// predictor foresees: twice per element of the shorter lists. Two lists of one length take 7 per element, a short one beside
/// a long one little more than the long one alone.
pub(super) const MERGE_TWO: (f64, f64) = (1.5, 5.5);
pub(super) const MERGE_MORE: (f64, f64) = (3.0, 9.0);
/// The same of a union of two lists, whose steps do not wait for each other.
pub(super) const UNION_TWO: (f64, f64) = (1.5, 3.0);
/// The same of one list, or of a list and slots.
pub(super) const STEP: (f64, f64) = (1.0, 0.0);
/// One coordinate of a dimension that is counted through, and beginning any loop.
pub(super) const COUNT: f64 = 0.3;
pub(super) const BEGIN: f64 = 0.5;
/// One coordinate of a dimension at which several lists are asked whether they store it, for each of them, and what it costs
/// where one answers otherwise than before. One list alone has loops for what lies between its elements.
pub(super) const BESIDE: (f64, f64) = (1.5, 5.5);
/// One operand that is read in the innermost loop, and an element that is written: of a dense result, of one that is
/// appended to, of a dense temporary or of a row of a dense result that is added up.
pub(super) const LOAD: f64 = 0.3;
pub(super) const STORE: f64 = 0.5;
pub(super) const APPEND: f64 = 1.0;
pub(super) const KEEP: f64 = 0.3;
/// One operator more than a product that is added.
pub(super) const OPERATE: f64 = 0.25;
/// How many rounds over what lies side by side take the time of one elsewhere.
pub(super) const LANES: f64 = 4.0;
/// One element that is added to what is kept beside a mask, and one of the mask, which gets a slot and loses it.
pub(super) const MARKED_INSERT: f64 = 1.0;
pub(super) const MARK: f64 = 2.0;
/// Bytes of slots that stay in a second-level cache, and what an element beyond costs more.
pub(super) const CACHE: f64 = 1e6;
pub(super) const MISS: f64 = 5.0;
/// Bytes of a page, and what the first touch of one costs per byte.
pub(super) const PAGE: f64 = 4096.0;
pub(super) const FAULT: f64 = 0.15;
/// Elements of a dense temporary per value that operands store, and how many it may have in any case.
pub(super) const DENSE: f64 = 8.0;
pub(super) const SMALL: f64 = 1e6;
/// The price of one element of an array that is only cleared or copied.
pub const CLEAR: f64 = 0.3;
