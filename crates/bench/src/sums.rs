//! What equal results have in common, so that they need not be handed from one process to another.

use crate::Text;
use openwork::{DType, Tensor};
use openwork_storage::{Coo, unpack};

/// Sums with weights that differ by row and column, and the number of entries that are not negligible: zeros that one side
/// stores and another drops do not count, nor what is left of a sum that cancels. `peer/sums.py` has the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedSums {
    pub weighted: f64,
    pub absolute: f64,
    pub entries: usize,
}

fn left_factor(i: usize) -> f64 {
    1.0 + (i * 7919 % 1009) as f64 / 1009.0
}
fn right(j: usize) -> f64 {
    1.0 + (j * 7907 % 1013) as f64 / 1013.0
}

impl WeightedSums {
    /// The sums of a tensor in any format. Modes after the first count as one; where something else than zero is not
    /// stored, those of the differences from that.
    pub fn from_tensor(t: &Tensor) -> Text<WeightedSums> {
        let cols: usize = t.shape().iter().skip(1).product();
        let numbers = t.vals().cast(DType::F64).map_err(|e| e.to_string())?;
        let fill = t.fill().as_f64();
        let vals = || numbers.as_slice::<f64>().ok_or("the result has f64 values");
        if t.format().is_dense() {
            return Ok(WeightedSums::of_rows(vals()?, cols));
        }
        if t.dtype() != DType::F64 || (fill != 0.0 && fill.is_finite()) {
            let coo = unpack(t).and_then(|coo| coo.cast(DType::F64)).map_err(|e| e.to_string())?;
            return WeightedSums::of_differences(&coo, if fill.is_finite() { fill } else { 0.0 });
        }
        let format = t.format().to_string();
        if ["csr", "(i,j) -> (i,j) : dense, compressed"].iter().any(|rows| format.starts_with(rows)) {
            return WeightedSums::of_compressed(t, vals()?);
        }
        WeightedSums::of_entries(&unpack(t).map_err(|e| e.to_string())?)
    }
    /// The sums of a matrix in CSR.
    fn of_compressed(t: &Tensor, vals: &[f64]) -> Text<WeightedSums> {
        let arrays = &t.level(1).arrays;
        let pos: Vec<usize> = arrays[0].iter().map(|p| p.as_i64() as usize).collect();
        let crd = arrays[1].as_slice::<i32>().ok_or("the result has i32 coordinates")?;
        let rows = pos.windows(2).enumerate();
        Ok(WeightedSums::gather(
            vals,
            rows.flat_map(|(i, span)| (span[0]..span[1]).map(move |p| (i, crd[p] as usize))),
        ))
    }
    /// The sums of entries, each with its coordinates.
    pub fn of_entries(coo: &Coo) -> Text<WeightedSums> {
        WeightedSums::of_differences(coo, 0.0)
    }
    fn of_differences(coo: &Coo, from: f64) -> Text<WeightedSums> {
        let vals = coo.vals().as_slice::<f64>().ok_or("the result has f64 values")?;
        let place = |e: usize| {
            let at = |mode: usize| coo.coords(mode).get(e).as_i64() as usize;
            let rest = (1..coo.rank()).fold(0, |j, mode| j * coo.shape()[mode] + at(mode));
            (at(0), rest)
        };
        let differences: Vec<f64> = vals.iter().map(|v| v - from).collect();
        Ok(WeightedSums::gather(&differences, (0..vals.len()).map(place)))
    }
    /// The sums of a dense array in rows.
    pub fn of_rows(vals: &[f64], cols: usize) -> WeightedSums {
        WeightedSums::gather(vals, (0..vals.len()).map(|p| (p / cols, p % cols)))
    }
    fn gather(vals: &[f64], places: impl Iterator<Item = (usize, usize)>) -> WeightedSums {
        let least = 1e-9 * vals.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let mut out = WeightedSums { weighted: 0.0, absolute: 0.0, entries: 0 };
        // What is infinitely far is no entry.
        for ((i, j), v) in places.zip(vals).filter(|(_, v)| v.is_finite()) {
            out.weighted += left_factor(i) * right(j) * v;
            out.absolute += left_factor(i) * right(j) * v.abs();
            out.entries += usize::from(v.abs() > least);
        }
        out
    }
    /// Three numbers, as the peers' process prints them.
    pub fn parse(answer: &str) -> Text<WeightedSums> {
        let numbers: Vec<f64> = answer.split(' ').filter_map(|w| w.parse().ok()).collect();
        match numbers[..] {
            [weighted, absolute, entries] => {
                Ok(WeightedSums { weighted, absolute, entries: entries as usize })
            }
            _ => Err(format!("no three numbers: {answer}")),
        }
    }
    /// Whether two results agree up to rounding.
    pub fn agree(&self, other: &WeightedSums) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * self.absolute.max(f64::MIN_POSITIVE);
        near(self.weighted, other.weighted)
            && near(self.absolute, other.absolute)
            && self.entries == other.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_result_has_other_sums() {
        let right = WeightedSums::of_rows(&[1.0, 0.0, -2.0, 4.0], 2);
        assert!(right.agree(&WeightedSums::of_rows(&[1.0, 0.0, -2.0, 4.0 + 1e-12], 2)));
        for wrong in
            [[0.0, 1.0, -2.0, 4.0], [1.0, 0.0, 2.0, 4.0], [1.0, 0.0, -2.0, 4.001], [1.0, 1e-5, -2.0, 4.0]]
        {
            assert!(!right.agree(&WeightedSums::of_rows(&wrong, 2)), "{wrong:?}");
        }
    }
}
