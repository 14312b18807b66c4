//! Slots and bits of elements that are listed row by row.
//!
//! ```text
//! row 0   columns 1 3      bits   0b1010     slots   . a . b       slots between elements have the fill value
//! row 1   column  0               0b0001             c . . .
//! ```

use crate::buffer::Buffer;
use crate::element::dispatch;
use crate::index::{IndexArray, with_index};
use crate::rows::rows_of;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::strips;
use openwork_format::Format;
use openwork_format::rearrangement::is_row_of_bits;

/// Bytes of a page.
const PAGE: usize = 4096;

/// The arrays of compressed rows `t` with a slot and a bit for every place of a row; nothing for other formats.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn build_arrays(
    t: &Tensor,
    format: &Format,
    fill: Scalar,
) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let Some([outer, inner]) =
        rows_of(t.format()).filter(|modes| is_row_of_bits(format) && modes[..] == format.modes)
    else {
        return Ok(None);
    };
    let [starts, columns] = &t.level(1).arrays[..] else { return Ok(None) };
    let (rows, width) = (t.shape()[outer], t.shape()[inner]);
    let each = width.div_ceil(64);
    let sizes = (rows.checked_mul(each), rows.checked_mul(width));
    let (Some(columns), Some(starts), (Some(words), Some(slots))) =
        (columns.as_slice::<i32>(), IndexArray::from_buffer(starts), sizes)
    else {
        return Ok(None);
    };
    let mut bits = Buffer::zeros(DType::I64, words)?;
    // Clearing pages that are there takes less than bringing one in eight of them in, one by one.
    let most = columns.len().saturating_mul(8) >= slots / (PAGE / t.dtype().size());
    let mut vals = if most { Buffer::filled_to_write(fill, slots)? } else { Buffer::repeat(fill, slots)? };
    dispatch!(t.dtype(), T => {
        let from = t.vals().as_slice::<T>().unwrap_or(&[]);
        let (words, slots) =
            (bits.as_mut_slice::<i64>().unwrap_or(&mut []), vals.as_mut_slice::<T>().unwrap_or(&mut []));
        with_index!(starts, starts => for row in strips(starts.len() - 1).flatten() {
            let (words, slots) = (&mut words[row * each..], &mut slots[row * width..]);
            let all = starts[row] as usize..starts[row + 1] as usize;
            for (&column, &value) in columns[all.clone()].iter().zip(&from[all]) {
                let column = column as usize;
                words[column / 64] |= 1 << (column % 64);
                slots[column] = value;
            }
        });
    });
    let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![bits] }];
    Ok(Some((levels, vals)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{pack, repack};
    use crate::unpack::unpack;
    use crate::{Coo, Tensor};
    use openwork_format::{Level, presets, specs};

    #[test]
    fn slots_and_bits_are_those_of_packing() {
        for (dtype, (m, n)) in
            DType::ALL.into_iter().zip([(1, 1), (3, 64), (5, 65), (7, 200)].into_iter().cycle())
        {
            let at = (0..m * n).filter(|e| e * e % 7 < 3).map(|e| vec![e / n, e % n]);
            let entries: Vec<_> =
                at.enumerate().map(|(e, at)| (at, Scalar::from_i64(e as i64 % 3, dtype))).collect();
            let coo = Coo::from_entries(&[m, n], dtype, &entries).unwrap();
            for (from, modes) in [(presets::csr(), [0, 1]), (presets::csc(), [1, 0])] {
                for fill in [Scalar::zero(dtype), Scalar::one(dtype)] {
                    let rows = pack(&coo, &from, fill).unwrap();
                    let to = Format {
                        levels: vec![Level::new(&specs::DENSE), Level::new(&specs::BITMAP)],
                        ..presets::csr()
                    };
                    let to = to.with_modes(modes.to_vec());
                    assert!(build_arrays(&rows, &to.resolve(&[m, n]), fill).unwrap().is_some());
                    let made = repack(&rows, &to, fill).unwrap();
                    assert_eq!(made, pack(&unpack(&rows).unwrap(), &to, fill).unwrap(), "{dtype} {m} {n}");
                    let p = made.into_parts();
                    Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
                }
            }
        }
    }
}
