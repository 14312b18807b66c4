//! The stored coordinates of every entry packed into one number each, which is sorted instead of them.
//!
//! ```text
//! (i,j) -> (i/2, j/3, i%2, j%3)      entry (5,4):  i/2 = 2, j/3 = 1, i%2 = 1, j%3 = 1
//! fields of 10, 9, 1 and 2 bits      key:          10 000000001 1 01
//! ```
//! The coordinates are read off the sorted keys, so only values have to be fetched from where they were. Entries come in
//! the order of their modes; where that orders them by the first coordinate, as rows of blocks, only short runs are left
//! to sort. Otherwise they are dealt by the first bits of their keys before.

use crate::block;
use crate::buffer::Buffer;
use crate::index::{IndexArray, with_index};
use crate::parallel;
use openwork_base::Result;
use openwork_base::cancel::{strips, tick};
use openwork_base::machine::threshold;
use openwork_format::remap::{CoordBounds, Evaluator, Remap};
use openwork_format::{Coords, Format};

/// Entries that one task takes.
const BLOCK: usize = 1 << 13;
/// Bits by which keys are dealt before they are sorted.
const DIGIT: u32 = 11;

/// A key and the entry that it belongs to.
pub(crate) type KeyEntry<W> = (W, u32);

/// Where the coordinate of a level is kept in the keys.
#[derive(Clone, Copy, Debug)]
struct KeyField {
    low: i64,
    shift: u32,
    bits: u32,
}

/// Where every level's coordinate is kept.
#[derive(Debug)]
pub(crate) struct KeyLayout {
    /// `None` for levels whose coordinate is a mode that follows from the levels above.
    fields: Vec<Option<KeyField>>,
    /// Bits of a whole key.
    pub(crate) bits: u32,
}

/// A number that keys are kept in.
pub(crate) trait Word: Copy + Ord + Default + Send + Sync {
    /// A coordinate in its field.
    fn field(coord: u64, shift: u32) -> Self;
    /// Both together.
    fn union(self, other: Self) -> Self;
    /// The bits from `shift` on.
    fn bits_from(self, shift: u32) -> u64;
}
macro_rules! word {
    ($T:ty) => {
        impl Word for $T {
            fn field(coord: u64, shift: u32) -> $T {
                (coord as $T) << shift
            }
            fn union(self, other: $T) -> $T {
                self | other
            }
            fn bits_from(self, shift: u32) -> u64 {
                (self >> shift) as u64
            }
        }
    };
}
word!(u64);
word!(u128);

impl KeyLayout {
    /// The fields for a tensor of this shape; `None` where they take more bits than the largest number has.
    pub(crate) fn build(format: &Format, remap: &Remap, shape: &[usize]) -> Option<KeyLayout> {
        let mut fields = vec![None; remap.depth()];
        let mut used = 0;
        for k in (0..remap.depth()).rev() {
            let follows = format.levels[k].spec.coords == Coords::Derived;
            if follows && remap.coords[k].plain().is_some() {
                continue;
            }
            let CoordBounds { low, size } = remap.bounds(k, shape);
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            if bits > 0 {
                fields[k] = Some(KeyField { low, shift: used, bits });
                used += bits;
            } else {
                fields[k] = Some(KeyField { low, shift: 0, bits: 0 });
            }
        }
        (used <= u128::BITS).then_some(KeyLayout { fields, bits: used })
    }

    /// The key of every entry, in the order of the entries.
    pub(crate) fn keys<W: Word>(&self, remap: &Remap, modes: &[IndexArray], n: usize) -> Vec<KeyEntry<W>> {
        let mut pairs: Vec<KeyEntry<W>> = block::room(n);
        pairs.resize(n, (W::default(), 0));
        if remap.counts() {
            // Counters must see the entries one after the other.
            let mut evaluator = Evaluator::new(remap);
            let (mut at, mut out) = (vec![0; modes.len()], Vec::new());
            for (e, pair) in pairs.iter_mut().enumerate() {
                tick();
                at.iter_mut().zip(modes).for_each(|(slot, m)| *slot = m.get(e));
                evaluator.next(&at, &mut out);
                *pair = (self.key(&out), e as u32);
            }
            return pairs;
        }
        parallel::blocks(&mut pairs, parallel::elements_of_a_task(BLOCK, 1, n), |first, pairs| {
            let range = first..first + pairs.len();
            let wide = |m: &IndexArray| -> Vec<i64> {
                with_index!(*m, s => s[range.clone()].iter().map(|&c| c as i64).collect())
            };
            let at: Vec<Vec<i64>> = modes.iter().map(wide).collect();
            let at: Vec<&[i64]> = at.iter().map(Vec::as_slice).collect();
            let columns = remap.columns(&at, pairs.len()).expect("it does not count");
            pairs.iter_mut().zip(range.clone()).for_each(|(pair, e)| pair.1 = e as u32);
            for (column, field) in columns.iter().zip(&self.fields) {
                let Some(KeyField { low, shift, .. }) = *field else { continue };
                for (pair, &c) in pairs.iter_mut().zip(column) {
                    pair.0 = pair.0.union(W::field(c.wrapping_sub(low) as u64, shift));
                }
            }
        });
        pairs
    }
    fn key<W: Word>(&self, coords: &[i64]) -> W {
        let field = |(c, f): (&i64, &Option<KeyField>)| {
            f.map_or(W::default(), |f| W::field(c.wrapping_sub(f.low) as u64, f.shift))
        };
        coords.iter().zip(&self.fields).map(field).fold(W::default(), W::union)
    }

    /// Sorts entries by their keys, which are all different.
    pub(crate) fn sort<W: Word>(&self, pairs: &mut Vec<KeyEntry<W>>) {
        let lead = self.fields.iter().flatten().find(|f| f.bits > 0).map_or(0, |f| f.shift);
        let first = |p: &KeyEntry<W>| p.0.bits_from(lead);
        if !pairs.is_sorted_by_key(first) {
            deal(pairs, self.bits.saturating_sub(DIGIT));
            return;
        }
        let mut rest = &mut pairs[..];
        let (mut tasks, size) = (Vec::new(), parallel::elements_of_a_task(BLOCK, 1, rest.len()));
        while !rest.is_empty() {
            let mut end = rest.len().min(size);
            while end < rest.len() && first(&rest[end]) == first(&rest[end - 1]) {
                end += 1;
            }
            let (task, after) = rest.split_at_mut(end);
            tasks.push(task);
            rest = after;
        }
        parallel::for_each_part(tasks, |_, task| {
            for run in task.chunk_by_mut(|a, b| first(a) == first(b)) {
                run.sort_unstable_by_key(|p| p.0);
            }
        });
    }

    /// The coordinates of level `k`, read off the keys; `None` for a level that has no field.
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub(crate) fn coords<W: Word>(&self, k: usize, pairs: &[KeyEntry<W>]) -> Option<Result<Buffer>> {
        let KeyField { low, shift, bits } = self.fields[k]?;
        let mask = if bits == u64::BITS { u64::MAX } else { (1 << bits) - 1 };
        let read = move |p: &KeyEntry<W>| low.wrapping_add((p.0.bits_from(shift) & mask) as i64);
        let largest = i128::from(low) + i128::from(mask);
        let short = i128::from(i32::MIN) <= i128::from(low) && largest <= i128::from(i32::MAX);
        Some(if short { column(pairs, |p| read(p) as i32) } else { column(pairs, read) })
    }
}

fn column<W: Word, T: crate::Element>(
    pairs: &[KeyEntry<W>],
    read: impl Fn(&KeyEntry<W>) -> T + Sync,
) -> Result<Buffer> {
    let mut out = Buffer::zeros_to_write(T::DTYPE, pairs.len())?;
    let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
    parallel::blocks(slots, parallel::elements_of_a_task(BLOCK, 1, pairs.len()), |first, slots| {
        slots.iter_mut().zip(&pairs[first..]).for_each(|(slot, p)| *slot = read(p));
    });
    Ok(out)
}

/// Sorts pairs that are in no order: by their bits from `shift` on first, then each lot by itself.
fn deal<W: Word>(pairs: &mut Vec<KeyEntry<W>>, shift: u32) {
    if pairs.len() < threshold(BLOCK, 2) {
        pairs.sort_unstable_by_key(|p| p.0);
        return;
    }
    let digit = |p: &KeyEntry<W>| p.0.bits_from(shift) as usize;
    let mut next = vec![0usize; 1 << DIGIT];
    for strip in strips(pairs.len()) {
        pairs[strip].iter().for_each(|p| next[digit(p)] += 1);
    }
    let counts = next.clone();
    let mut sum = 0;
    for slot in &mut next {
        (*slot, sum) = (sum, sum + *slot);
    }
    let mut dealt = block::room(pairs.len());
    dealt.resize(pairs.len(), (W::default(), 0));
    for strip in strips(pairs.len()) {
        for p in &pairs[strip] {
            let slot = &mut next[digit(p)];
            dealt[*slot] = *p;
            *slot += 1;
        }
    }
    let mut rest = &mut dealt[..];
    let mut lots = Vec::new();
    for count in counts {
        let (lot, after) = rest.split_at_mut(count);
        lots.push(lot);
        rest = after;
    }
    parallel::for_each_part(lots, |_, lot| lot.sort_unstable_by_key(|p| p.0));
    *pairs = dealt;
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_base::Source;
    use openwork_format::Catalog;

    /// Keys of scattered entries, sorted, give every level's coordinates in lexicographic order.
    fn sorts<W: Word>(text: &str, n: usize, size: usize) {
        let format = Catalog::default().parse(&Source::new("format", text), 2).unwrap();
        let remap = format.remap.clone().unwrap();
        let mut at: Vec<(i64, i64)> =
            (0..n).map(|e| ((e * 7919 % size) as i64, (e * 104_729 % size) as i64)).collect();
        at.sort_unstable();
        at.dedup();
        let (rows, cols): (Vec<i64>, Vec<i64>) = at.iter().copied().unzip();
        let modes = [IndexArray::I64(&rows), IndexArray::I64(&cols)];
        let layout = KeyLayout::build(&format, &remap, &[size, size]).unwrap();
        assert!(layout.bits as usize <= 8 * size_of::<W>());
        let mut pairs = layout.keys::<W>(&remap, &modes, at.len());
        layout.sort(&mut pairs);
        let mut evaluator = Evaluator::new(&remap);
        let mut out = Vec::new();
        let mut wanted: Vec<(Vec<i64>, u32)> = Vec::new();
        for (e, &(i, j)) in at.iter().enumerate() {
            evaluator.next(&[i, j], &mut out);
            wanted.push((out.clone(), e as u32));
        }
        wanted.sort();
        for k in 0..remap.depth() {
            let Some(column) = layout.coords(k, &pairs) else { continue };
            let column = column.unwrap();
            assert!(wanted.iter().enumerate().all(|(e, w)| column.get(e).as_i64() == w.0[k]), "{text}");
        }
        assert!(pairs.iter().zip(&wanted).all(|(p, w)| p.1 == w.1), "{text}");
    }

    #[test]
    fn keys_sort_as_coordinates_do() {
        for n in [0, 1, 50, 30_000] {
            sorts::<u64>("bcsr(3,2)", n, 1000);
            sorts::<u64>("bcsc(3,2)", n, 1000);
            sorts::<u64>("dia", n, 1000);
            sorts::<u128>("hicoo(4)", n, 1000);
            sorts::<u128>("bcsr(3,2)", n, 1 << 40);
        }
        sorts::<u64>("bcsr(1,1)", 1, 1);
    }
}
