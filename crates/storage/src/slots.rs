//! The conversion between formats that store every value and formats with a mark beside each slot that says whether it is an
//! element.
//!
//! ```text
//! every value     3 0 0 5          slots   3 0 0 5     marks   1 0 0 1
//! ```
//!
//! Slots without an element may hold anything; where every value is stored, that is the fill value. The other way round, what
//! differs from the fill value is an element, and values stay where they are.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::checked_product;
use crate::pack;
use crate::parallel;
use crate::tensor::{LevelArrays, Tensor, TensorParts};
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::{Cancel, look, strips};
use openwork_format::Format;
use openwork_format::rearrangement::has_plain_marks;
use std::hint::select_unpredictable;

/// Values of a task on one of several threads, a whole number of words.
const TASK: usize = 1 << 17;
/// Bits of a word.
const WORD: usize = 64;

fn is_full(format: &Format) -> bool {
    format.is_dense() && format.remap.is_none() && !format.symmetric
}

/// How many slots of `t` have a mark, if each could; nothing for other formats.
pub(crate) fn elements(t: &Tensor) -> Option<usize> {
    let last = t.rank().checked_sub(1).filter(|_| has_plain_marks(t.format()))?;
    let [marks] = &t.level(last).arrays[..] else { return None };
    let Some(words) = marks.as_slice::<i64>() else {
        let marked = |mask: &[u8]| mask.iter().filter(|&&there| there != 0).count();
        return Some(strips(marks.len()).map(|strip| marked(&marks.as_bytes()[strip])).sum());
    };
    let width = t.level_dim(last);
    // Bits behind the last slot of a row are none of its own.
    let own = |n: usize| if (n + 1) * WORD > width { (1u64 << (width % WORD)) - 1 } else { u64::MAX };
    let of_row = |row: &[i64]| {
        row.iter().enumerate().map(|(n, &word)| (word as u64 & own(n)).count_ones() as usize).sum::<usize>()
    };
    let rows = words.chunks(width.div_ceil(WORD).max(1)).map(|row| {
        look();
        of_row(row)
    });
    Some(rows.sum())
}

/// The arrays of `t` in `format`, if one of the two has marks, the other stores every value, and modes have one order; nothing
/// for other formats.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn build_arrays(
    t: &Tensor,
    format: &Format,
    fill: Scalar,
) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    if t.format().modes != format.modes || t.rank() == 0 {
        return Ok(None);
    }
    let made = if has_plain_marks(t.format()) && is_full(format) && fill.is_same(t.fill()) {
        Some((vec![LevelArrays::default(); t.rank()], filled_out(t)?))
    } else if is_full(t.format()) && has_plain_marks(format) {
        marks(t, format, fill)?.map(|levels| Ok((levels, t.vals().duplicate()?))).transpose()?
    } else {
        None
    };
    Cancel::check()?;
    Ok(made)
}

/// A tensor that a kernel made, which stores every value, with marks beside those that are no fill value, as kernels tell them
/// apart: zeros are alike. Where that is not what `format` asks for, the tensor as it is.
///
/// ```
/// use openwork_algebra::Scalar;
/// use openwork_format::specs::{BITMAP, DENSE};
/// use openwork_format::{Format, Level, presets};
/// use openwork_storage::{Buffer, Tensor, add_marks};
/// let a = Tensor::dense(&[2, 2], Buffer::from(vec![1.0, 0.0, 0.0, 4.0]))?;
/// let bits = Format { levels: vec![Level::new(&DENSE), Level::new(&BITMAP)], ..presets::dense(2) };
/// let a = add_marks(a, &bits, Scalar::F64(0.0))?.expect("values stay where they are");
/// assert_eq!((a.nnz(), a.get(&[1, 1])), (2, Some(Scalar::F64(4.0))));
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub fn add_marks(t: Tensor, format: &Format, fill: Scalar) -> Result<std::result::Result<Tensor, Tensor>> {
    let format = format.resolve(t.shape());
    let fits =
        t.rank() > 0 && t.format().modes == format.modes && is_full(t.format()) && has_plain_marks(&format);
    if !fits || fill.dtype() != t.dtype() || t.vals().may_change() {
        return Ok(Err(t));
    }
    let Some(levels) = marks(&t, &format, fill)? else { return Ok(Err(t)) };
    Cancel::check()?;
    let TensorParts { shape, vals, .. } = t.into_parts();
    pack::finish(&shape, format, fill, levels, vals).map(Ok)
}

/// Values, with the fill value where there is no element.
fn filled_out(t: &Tensor) -> Result<Buffer> {
    let last = t.rank() - 1;
    let [marks] = &t.level(last).arrays[..] else { return t.vals().duplicate() };
    let width = t.level_dim(last);
    // SAFETY: every value is written before it is read.
    let mut out = unsafe { Buffer::to_write(t.dtype(), t.vals().len())? };
    dispatch!(t.dtype(), T => {
        let fill = T::from_scalar(t.fill());
        let (all, from) = (out.as_mut_slice::<T>().unwrap_or(&mut []), t.vals().as_slice::<T>().unwrap_or(&[]));
        if let Some(words) = marks.as_slice::<i64>() {
            let each = width.div_ceil(WORD);
            parallel::blocks(all, rows_of_a_task(width, from.len()) * width.max(1), |first, part| {
                let words = &words[first / width * each..];
                let rows = part.chunks_mut(width).zip(from[first..].chunks(width)).zip(words.chunks(each));
                for ((row, from), words) in rows {
                    for ((to, from), &word) in row.chunks_mut(WORD).zip(from.chunks(WORD)).zip(words) {
                        let slots = to.iter_mut().zip(from).enumerate();
                        slots.for_each(|(b, (to, &v))| *to = select_unpredictable(word >> b & 1 != 0, v, fill));
                    }
                }
            });
        } else {
            let mask = marks.as_bytes();
            let size = parallel::elements_of_a_task(TASK, 1, all.len());
            parallel::blocks(all, size, |first, part| {
                let slots = part.iter_mut().zip(&from[first..]).zip(&mask[first..]);
                slots.for_each(|((to, &v), &there)| *to = select_unpredictable(there != 0, v, fill));
            });
        }
    });
    Ok(out)
}

/// How many rows of some values each are a task, of `len` values in all.
fn rows_of_a_task(width: usize, len: usize) -> usize {
    (parallel::elements_of_a_task(TASK, 1, len) / width.max(1)).max(1)
}

/// The levels that mark what differs from the fill value; nothing where that is a complex number that is none.
fn marks(t: &Tensor, format: &Format, fill: Scalar) -> Result<Option<Vec<LevelArrays>>> {
    if fill.is_nan() && fill.dtype().is_complex() {
        return Ok(None);
    }
    let last = t.rank() - 1;
    let (width, n) = (t.shape()[format.modes[last]], t.vals().len());
    let marks = if format.levels[last].is_in_words() {
        let each = width.div_ceil(WORD);
        let parents = n.checked_div(width).unwrap_or(0);
        let mut bits =
            Buffer::zeros_to_write(DType::I64, checked_product("the words of bits", &[parents, each])?)?;
        if let (Some(words), true) = (bits.as_mut_slice::<i64>(), n > 0) {
            dispatch!(t.dtype(), T => {
                let (vals, fill) = (t.vals().as_slice::<T>().unwrap_or(&[]), T::from_scalar(fill));
                parallel::blocks(words, rows_of_a_task(width, vals.len()) * each, |first, part| {
                    let rows = part.chunks_mut(each).zip(vals[first / each * width..].chunks(width));
                    for (words, row) in rows {
                        words.iter_mut().zip(row.chunks(WORD)).for_each(|(word, row)| *word = bits_of(row, fill));
                    }
                });
            });
        }
        bits
    } else {
        let mut mask = Buffer::zeros_to_write(DType::Bool, n)?;
        if let Some(mask) = mask.as_mut_slice::<bool>() {
            dispatch!(t.dtype(), T => {
                let (vals, fill) = (t.vals().as_slice::<T>().unwrap_or(&[]), T::from_scalar(fill));
                let size = parallel::elements_of_a_task(TASK, 1, mask.len());
                parallel::blocks(mask, size, |first, part| {
                    part.iter_mut().zip(&vals[first..]).for_each(|(there, &v)| *there = differs(v, fill));
                });
            });
        }
        mask
    };
    let mut levels = vec![LevelArrays::default(); last];
    levels.push(LevelArrays { arrays: vec![marks] });
    Ok(Some(levels))
}

/// Whether a value is another than the fill value; all NaN are one, and zeros of both signs are.
fn differs<T: Element>(value: T, fill: T) -> bool {
    // What is no NaN equals itself.
    let is_number = |x: T, again: T| x == again;
    if is_number(fill, fill) { value != fill } else { is_number(value, value) }
}

/// A bit for each of up to 64 values.
fn bits_of<T: Element>(row: &[T], fill: T) -> i64 {
    if let Some(row) = row.first_chunk() {
        return word_of(row, fill);
    }
    let mut whole = [fill; WORD];
    whole[..row.len()].copy_from_slice(row);
    word_of(&whole, fill)
}

/// The bits of a whole word. Its length is known, so that vectors compare its values.
fn word_of<T: Element>(row: &[T; WORD], fill: T) -> i64 {
    gather_bits(&row.map(|v| u8::from(differs(v, fill)))) as i64
}

/// The lowest bits of bytes, side by side.
#[cfg(target_arch = "x86_64")]
fn gather_bits(bytes: &[u8; WORD]) -> u64 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8, _mm_slli_epi16};
    let (sixteens, _) = bytes.as_chunks::<16>();
    sixteens.iter().enumerate().fold(0, |word, (n, sixteen)| {
        // SAFETY: there are sixteen bytes, and every processor of this architecture has the instructions.
        let bits = unsafe { _mm_movemask_epi8(_mm_slli_epi16(_mm_loadu_si128(sixteen.as_ptr().cast()), 7)) };
        word | (bits as u64) << (16 * n)
    })
}
#[cfg(not(target_arch = "x86_64"))]
fn gather_bits(bytes: &[u8; WORD]) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    // The bits of eight bytes meet in the uppermost one, each at its own place.
    let of = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().enumerate().fold(0, |word, (n, eight)| word | of(eight) << (8 * n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Coo;
    use crate::pack::{pack, try_rearrange};
    use crate::random::Random;
    use crate::unpack::unpack;
    use openwork_format::specs::{BITMAP, MASKED};
    use openwork_format::{Level, presets};

    fn formats(rank: usize) -> [Format; 2] {
        [&BITMAP, &MASKED].map(|spec| {
            let mut format = presets::dense(rank);
            format.levels[rank - 1] = Level::new(spec);
            format
        })
    }
    fn some_elements(shape: &[usize], dtype: DType, odds: u128) -> Coo {
        let mut random = Random::new(5);
        let mut entries = Vec::new();
        for at in 0..shape.iter().product::<usize>() {
            let mut rest = at;
            let coords = shape.iter().rev().map(|n| (rest % n, rest /= n).0).collect::<Vec<_>>();
            if random.number_below(odds) == 0 {
                entries.push((
                    coords.into_iter().rev().collect(),
                    Scalar::F64(random.number_below(3) as f64).cast(dtype),
                ));
            }
        }
        Coo::from_entries(shape, dtype, &entries).unwrap()
    }

    #[test]
    fn values_are_those_of_packing() {
        let shapes = [
            vec![1],
            vec![65],
            vec![0, 3],
            vec![3, 0],
            vec![5, 64],
            vec![7, 130],
            vec![3, 4, 9],
            vec![700, 400],
        ];
        for (n, shape) in shapes.iter().enumerate() {
            let dtype = [DType::Bool, DType::F64, DType::I32, DType::C128, DType::U8, DType::F32][n % 6];
            for fill in [Scalar::zero(dtype), Scalar::F64(1.0).cast(dtype)] {
                let coo = some_elements(shape, dtype, 3);
                for marks in formats(shape.len()) {
                    let packed = pack(&coo, &marks, fill).unwrap();
                    let dense = presets::dense(shape.len());
                    let every = try_rearrange(&packed, &dense, fill).unwrap().expect("every value");
                    assert_eq!(every, pack(&coo, &dense, fill).unwrap(), "{marks} of {shape:?}");
                    let back = try_rearrange(&every, &marks, fill).unwrap().expect("marks");
                    // Elements that are the fill value are none.
                    let kept = unpack(&packed).unwrap();
                    assert_eq!(elements(&packed), Some(kept.len()), "{marks} of {shape:?}");
                    let differ = (0..kept.len()).filter(|&e| !kept.vals().get(e).is_same(fill)).count();
                    assert_eq!(back.nnz(), differ, "{marks} of {shape:?}");
                    assert_eq!(try_rearrange(&back, &dense, fill).unwrap().unwrap(), every);
                    assert_eq!(add_marks(every, &marks, fill).unwrap().unwrap(), back);
                    let p = back.into_parts();
                    Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
                }
            }
        }
    }

    #[test]
    fn all_nan_are_one_fill_value_and_so_are_both_zeros() {
        let nan = Scalar::F64(f64::NAN);
        let dense = Tensor::dense(&[3], Buffer::from(vec![f64::NAN, 0.0, -f64::NAN])).unwrap();
        for marks in formats(1) {
            assert_eq!(try_rearrange(&dense, &marks, nan).unwrap().unwrap().nnz(), 1);
            let (zero, zeros) =
                (Scalar::F64(0.0), Tensor::dense(&[2], Buffer::from(vec![-0.0, 0.0])).unwrap());
            assert_eq!(try_rearrange(&zeros, &marks, zero).unwrap().unwrap().nnz(), 0);
            assert_eq!(add_marks(zeros, &marks, zero).unwrap().unwrap().nnz(), 0);
        }
    }

    #[test]
    fn what_slots_hold_beside_elements_is_forgotten() {
        let bits = LevelArrays { arrays: vec![Buffer::from(vec![0b10i64])] };
        let [format, _] = formats(1);
        let vals = Buffer::from(vec![7.0, 8.0, 9.0]);
        let t = Tensor::new_checked(vec![3], format, Scalar::F64(0.5), vec![bits], vals).unwrap();
        let every = try_rearrange(&t, &presets::dense(1), Scalar::F64(0.5)).unwrap().unwrap();
        assert_eq!(every.vals().as_slice::<f64>(), Some(&[0.5, 8.0, 0.5][..]));
    }
}
