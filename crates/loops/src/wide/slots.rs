//! Slots that may be empty, as padded rows have them, in vectors: the index of an empty slot is taken as 0, and its value
//! does not count.
//!
//! ```text
//! let slot: i64 = i64(crd[p])
//! let j: i64 = select(slot != -1, slot, 0)             slot, or 0 where it is empty
//! y[i] += select(slot != -1, a[p] * x[j], 0.0)         the product, or nothing
//! ```
//!
//! Lanes of empty slots read the first element, and its product is left out by a mask: the product is computed for all lanes
//! and chosen afterwards, so that neither infinities in `x` nor what an empty slot of `a` holds can be seen.

use super::leaf::{WideIndex, WideLeaf, WidePlace, WideValue, any_value};
use super::read::WideReader;
use crate::nodes::{Expr, LoopKernel};
use openwork_algebra::{DType, Prim, Scalar};

/// `index != mark`, or the opposite.
fn test(cond: &Expr) -> Option<(&Expr, i64, Prim)> {
    match cond {
        Expr::Call { prim: prim @ (Prim::Ne | Prim::Eq), args } => match &args[..] {
            [index, Expr::Const(Scalar::I64(mark))] => Some((index, *mark, *prim)),
            _ => None,
        },
        _ => None,
    }
}

impl WideReader<'_> {
    /// An index that is 0 where its slot is empty: `select(index != mark, index, 0)`.
    pub(super) fn or_first(&mut self, args: &[Expr]) -> Result<WideIndex, String> {
        let [cond, then, other] = args else { return Err("an index has another form".into()) };
        let (index, mark, prim) = test(cond).ok_or("an index has another form")?;
        let (kept, zero) = if prim == Prim::Ne { (then, other) } else { (other, then) };
        if kept != index || *zero != Expr::Const(Scalar::I64(0)) {
            return Err("an index has another form".into());
        }
        Ok(WideIndex::Unless(self.index_of(index)?.into(), mark))
    }
    /// A value that another one stands for where its slot is empty: `select(slot != mark, value, other)`.
    pub(super) fn read_select(&mut self, args: &[Expr]) -> Result<WideValue, String> {
        let [cond, then, other] = args else { return Err("a value has another form".into()) };
        let cond = self.inline(cond);
        let (slot, mark, prim) = test(&cond).ok_or("select has no wide form")?;
        let memory = match slot {
            Expr::Cast { to: DType::I64, arg } => arg,
            slot => slot,
        };
        let Expr::Load { buf, at } = memory else { return Err("select has no wide form".into()) };
        let dtype = self.k.bufs[*buf].elem;
        let exact = dtype.is_int() && Scalar::from_i64(mark, dtype).cast(DType::I64) == Scalar::I64(mark);
        let place = self.read_load(*buf, at)?;
        if !exact || !place.moves || place.index.as_ref().is_some_and(WideIndex::moves) {
            return Err("a slot is not one after the other".into());
        }
        let (value, other) = if prim == Prim::Ne { (then, other) } else { (other, then) };
        Ok(WideValue::Unless(place, mark, [self.value(value)?, self.value(other)?].into()))
    }
}

/// Whether the slots that are tested fit the lanes of the values.
pub(super) fn check_slots(kernel: &LoopKernel, leaf: &WideLeaf) -> Result<(), String> {
    let wider =
        |place: &WidePlace| kernel.bufs[leaf.pointers[place.pointer].buf].elem.size() > leaf.elem.size();
    match any_value(&leaf.body, &|v| matches!(v, WideValue::Unless(place, ..) if wider(place))) {
        false => Ok(()),
        true => Err("its slots are wider than its values".into()),
    }
}
