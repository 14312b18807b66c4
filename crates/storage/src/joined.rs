//! Matrices in compressed rows, joined below or beside one another; the same for compressed columns.
//!
//! ```text
//! a .    c d       below:  a .        beside:  a . c d
//! . b    . .               . b                 . b . .
//!                          c d
//!                          . .
//! ```
//! Rows of the operands follow one another or alternate in the result, so that nothing is sorted or checked again.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::{invalid, too_large};
use crate::index::{IndexArray, with_index};
use crate::parallel;
use crate::picked::{is_rows, parts, pieces};
use crate::proof::Maker;
use crate::tensor::{LevelArrays, Tensor, TensorParts};
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::{Cancel, stoppable, strips, tick};
use openwork_format::{ArrayRole, Format};
use std::borrow::Cow;
use std::ops::Range;

/// Rows that are copied by one task where matrices are below one another.
const ROWS: usize = 1 << 14;

/// Matrices that follow one another along `mode`, all in the same compressed rows or columns and of one dtype; what is not
/// stored has the value `fill`. Nothing for other formats.
///
/// ```
/// use openwork_algebra::Scalar;
/// use openwork_storage::{Tensor, join_matrices};
/// let a = Tensor::from_csr(vec![0, 1, 1], vec![1], vec![2.0], [2, 2])?;
/// let b = join_matrices(&[&a, &a], 1, Scalar::F64(0.0))?.unwrap();
/// assert_eq!((b.shape(), b.get(&[0, 3])), (&[2, 4][..], Some(Scalar::F64(2.0))));
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// # Errors
/// E0601 where other sizes than those of `mode` differ, E0603 and E0605 when the memory cannot be had, E0606 when it was asked
/// to stop.
pub fn join_matrices(all: &[&Tensor], mode: usize, fill: Scalar) -> Result<Option<Tensor>> {
    let Some(first) = all.first() else { return Ok(None) };
    let alike = |t: &&Tensor| {
        let format = t.format();
        is_rows(format) && format.modes == first.format().modes && t.dtype() == first.dtype()
    };
    if !all.iter().all(alike) || mode > 1 {
        return Ok(None);
    }
    if all.iter().any(|t| t.shape()[1 - mode] != first.shape()[1 - mode]) {
        return Err(invalid("matrices beside one another have other numbers of rows"));
    }
    let total = all.iter().try_fold(0, |sum: usize, t| sum.checked_add(t.shape()[mode]));
    let mut shape = first.shape().to_vec();
    shape[mode] = total.ok_or_else(|| too_large("the matrices have more rows than can be counted"))?;
    let format = Format { pos: None, crd: None, ..first.format().clone() }.resolve(&shape);
    stoppable(|| {
        let sources = all.iter().map(|t| JoinSource::from_tensor(t, &format)).collect::<Result<Vec<_>>>()?;
        let (ends, crd, vals) = match first.format().modes[0] == mode {
            true => stack_rows(&sources, first.dtype())?,
            false => {
                let shifts = all.iter().scan(0, |at, t| {
                    let own = *at;
                    *at += t.shape()[mode];
                    Some(own as i64)
                });
                stack_columns(&sources, &shifts.collect::<Vec<_>>(), first.dtype())?
            }
        };
        Cancel::check()?;
        let pos = Buffer::from(ends).cast(format.array_dtype(ArrayRole::Pos))?;
        let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![pos, crd] }];
        let parts = TensorParts { shape: shape.clone(), format: format.clone(), fill, levels, vals };
        // SAFETY: rows are those of tensors, whose coordinates rise; where several make one, those of each come behind the
        // ones of the matrix before it, which are smaller. `ends` counts the elements.
        unsafe { parts.made_by(Maker::Packing) }.map(Some)
    })
}

/// Where every row of a matrix begins, its coordinates as wide as the result's, and its values.
struct JoinSource<'a> {
    starts: Cow<'a, [i64]>,
    crd: Cow<'a, Buffer>,
    vals: &'a Buffer,
}

impl<'a> JoinSource<'a> {
    fn from_tensor(t: &'a Tensor, format: &Format) -> Result<JoinSource<'a>> {
        let [pos, crd] = &t.level(1).arrays[..] else { return Err(invalid("rows without two arrays")) };
        let starts = match IndexArray::from_buffer(pos) {
            Some(IndexArray::I64(starts)) => Cow::Borrowed(starts),
            Some(other) => with_index!(other, s => Cow::Owned(s.iter().map(|&at| at as i64).collect())),
            None => return Err(invalid("positions of an unknown width")),
        };
        let wanted = format.array_dtype(ArrayRole::Crd);
        let crd = if crd.dtype() == wanted { Cow::Borrowed(crd) } else { Cow::Owned(crd.cast(wanted)?) };
        Ok(JoinSource { starts, crd, vals: t.vals() })
    }
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }
}

type JoinedArrays = (Vec<i64>, Buffer, Buffer);

/// Rows below rows: arrays one after the other.
fn stack_rows(sources: &[JoinSource], dtype: DType) -> Result<JoinedArrays> {
    let mut ends = Vec::with_capacity(1 + sources.iter().map(JoinSource::rows).sum::<usize>());
    ends.push(0);
    for source in sources {
        let before = ends[ends.len() - 1];
        for strip in strips(source.rows()) {
            ends.extend(source.starts[strip.start + 1..strip.end + 1].iter().map(|&end| before + end));
        }
    }
    let total = ends[ends.len() - 1] as usize;
    let crd: Vec<&Buffer> = sources.iter().map(|s| &*s.crd).collect();
    let vals: Vec<&Buffer> = sources.iter().map(|s| s.vals).collect();
    let index = crd[0].dtype();
    Ok((
        ends,
        dispatch!(index, T => chain_arrays::<T>(&crd, total))?,
        dispatch!(dtype, T => chain_arrays::<T>(&vals, total))?,
    ))
}

/// Arrays one after the other.
fn chain_arrays<T: Element>(all: &[&Buffer], total: usize) -> Result<Buffer> {
    // SAFETY: every element is written below: the arrays fill it.
    let mut out = unsafe { Buffer::to_write(T::DTYPE, total)? };
    let mut rest = out.as_mut_slice::<T>().unwrap_or(&mut []);
    let (mut tasks, together) = (Vec::new(), parallel::elements_of_a_task(ROWS, 1, total));
    for from in all.iter().map(|b| b.as_slice::<T>().unwrap_or(&[])) {
        let (own, after) = rest.split_at_mut(from.len());
        tasks.extend(own.chunks_mut(together).zip(from.chunks(together)));
        rest = after;
    }
    parallel::for_each_part(tasks, |_, (own, from)| own.copy_from_slice(from));
    Ok(out)
}

/// Rows beside rows: every one has its elements behind those of the same row before, `shifts` further on.
fn stack_columns(sources: &[JoinSource], shifts: &[i64], dtype: DType) -> Result<JoinedArrays> {
    let mut ends = vec![0; sources[0].starts.len()];
    for source in sources {
        for strip in strips(ends.len()) {
            ends[strip.clone()].iter_mut().zip(&source.starts[strip]).for_each(|(end, own)| *end += own);
        }
    }
    let index = sources[0].crd.dtype();
    let parts = parts(&ends);
    let turns = Turns { sources, parts: &parts, ends: &ends };
    let crd = match index {
        DType::I32 => turns.merge_array::<i32>(
            |s| &s.crd,
            |own, from, n| {
                own.iter_mut().zip(from).for_each(|(slot, &c)| *slot = c + shifts[n] as i32);
            },
        )?,
        _ => turns.merge_array::<i64>(
            |s| &s.crd,
            |own, from, n| {
                own.iter_mut().zip(from).for_each(|(slot, &c)| *slot = c + shifts[n]);
            },
        )?,
    };
    let vals =
        dispatch!(dtype, T => turns.merge_array::<T>(|s| s.vals, |own, from, _| own.copy_from_slice(from)))?;
    Ok((ends, crd, vals))
}

/// Rows of several matrices that make one each.
struct Turns<'a> {
    sources: &'a [JoinSource<'a>],
    parts: &'a [Range<usize>],
    ends: &'a [i64],
}

impl Turns<'_> {
    /// An array of all matrices, row by row; `copy` is told which matrix a piece comes from.
    fn merge_array<T: Element>(
        &self,
        array: impl for<'s> Fn(&'s JoinSource<'s>) -> &'s Buffer,
        copy: impl Fn(&mut [T], &[T], usize) + Sync,
    ) -> Result<Buffer> {
        let from = |s| array(s).as_slice::<T>().unwrap_or(&[]);
        let from: Vec<(&[i64], &[T])> = self.sources.iter().map(|s| (&*s.starts, from(s))).collect();
        // SAFETY: every element is written below: the rows fill the array.
        let mut out = unsafe { Buffer::to_write(T::DTYPE, self.ends[self.ends.len() - 1] as usize)? };
        let all = out.as_mut_slice::<T>().unwrap_or(&mut []);
        parallel::for_each_part(pieces(all, self.parts, self.ends), |p, mut rest| {
            for row in self.parts[p].clone() {
                tick();
                for (n, (starts, from)) in from.iter().enumerate() {
                    let from = &from[starts[row] as usize..starts[row + 1] as usize];
                    let (own, others) = std::mem::take(&mut rest).split_at_mut(from.len());
                    copy(own, from, n);
                    rest = others;
                }
            }
        });
        Cancel::check()?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coo, pack};
    use openwork_base::threads::run_with_limit;
    use openwork_format::{Width, presets};

    fn draw_matrix(shape: [usize; 2], n: usize, dtype: DType, seed: u64) -> Coo {
        let mut random = crate::random::Random::new(seed);
        let mut below = |size: usize| random.number_below(size.max(1) as u128) as usize;
        let n = if shape.contains(&0) { 0 } else { n };
        let entries: Vec<(Vec<usize>, Scalar)> = (0..n)
            .map(|e| (vec![below(shape[0]), below(shape[1])], Scalar::F64((e % 50) as f64).cast(dtype)))
            .collect();
        Coo::from_entries(&shape, dtype, &entries).unwrap()
    }

    #[test]
    fn rows_are_those_of_packing_all_elements() {
        for (mode, format) in
            [(0, presets::csr()), (1, presets::csr()), (0, presets::csc()), (1, presets::csc())]
        {
            for (n, dtype) in [(30, DType::F64), (2000, DType::I8), (60_000, DType::C64)] {
                let sizes = [[7, 300], [300, 300], [0, 300], [1, 300]];
                let shape = |s: [usize; 2]| if mode == 0 { s } else { [s[1], s[0]] };
                let lists: Vec<Coo> =
                    (0u64..).zip(sizes).map(|(k, s)| draw_matrix(shape(s), n, dtype, k)).collect();
                let narrow = Format { pos: Some(Width::U32), crd: Some(Width::I64), ..format.clone() };
                let fill = Scalar::one(dtype);
                let tensors: Vec<Tensor> = lists
                    .iter()
                    .enumerate()
                    .map(|(k, coo)| pack(coo, if k == 1 { &narrow } else { &format }, fill).unwrap())
                    .collect();
                let all: Vec<&Tensor> = tensors.iter().collect();
                let mut entries = Vec::new();
                let mut shift = 0;
                for t in &all {
                    let coo = crate::unpack(t).unwrap();
                    entries.extend((0..coo.len()).map(|e| {
                        let mut at: Vec<usize> = coo.coords_of(e).iter().map(|&c| c as usize).collect();
                        at[mode] += shift;
                        (at, coo.vals().get(e))
                    }));
                    shift += t.shape()[mode];
                }
                let wanted = Coo::from_entries(&shape([308, 300]), dtype, &entries).unwrap();
                let wanted = pack(&wanted, &format, fill).unwrap();
                for threads in [1, 3] {
                    let made = run_with_limit(threads, || join_matrices(&all, mode, fill)).unwrap().unwrap();
                    assert_eq!(made, wanted, "{format} along {mode} of {n}");
                    let p = made.into_parts();
                    Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
                }
            }
        }
    }

    #[test]
    fn what_is_not_in_the_same_rows_is_left_alone() {
        let coo = draw_matrix([4, 4], 6, DType::F64, 1);
        let zero = Scalar::F64(0.0);
        let of = |format: &Format| pack(&coo, format, zero).unwrap();
        let (rows, columns, list) = (of(&presets::csr()), of(&presets::csc()), of(&presets::coo(2)));
        for all in [vec![&rows, &columns], vec![&list, &list], vec![]] {
            assert_eq!(join_matrices(&all, 0, zero).unwrap(), None);
        }
        let wide = pack(&draw_matrix([4, 5], 6, DType::F64, 1), &presets::csr(), zero).unwrap();
        assert_eq!(join_matrices(&[&rows, &wide], 0, zero).unwrap_err().code().0, "E0601");
    }
}
