//! The values of a file: range and explicit zeros.

use super::row;
use openwork::{Buffer, Scalar};
use serde::Serialize;

/// What the stored values are like. Complex numbers are compared by their absolute values.
#[derive(Serialize, Default, Debug, Clone, PartialEq)]
pub(crate) struct ValueStats {
    /// Stored values that are zero.
    pub(crate) explicit_zeros: usize,
    /// Stored values that are not a number.
    pub(crate) nans: usize,
    /// The smallest value; `None` without any.
    pub(crate) min: Option<f64>,
    /// The largest value; `None` without any.
    pub(crate) max: Option<f64>,
}

impl ValueStats {
    pub(crate) fn measure(vals: &Buffer) -> ValueStats {
        let complex = vals.dtype().is_complex();
        let mut out = ValueStats::default();
        for value in vals.iter() {
            out.see(value, if complex { value.as_complex().norm() } else { value.as_f64() });
        }
        out
    }
    fn see(&mut self, value: Scalar, size: f64) {
        self.explicit_zeros += usize::from(!value.truthy());
        if size.is_nan() {
            self.nans += 1;
            return;
        }
        self.min = Some(self.min.map_or(size, |m| m.min(size)));
        self.max = Some(self.max.map_or(size, |m| m.max(size)));
    }
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        if let (Some(min), Some(max)) = (self.min, self.max) {
            rows.push(row("values", format!("{} to {}", short(min), short(max))));
        }
        rows.push(row("explicit zeros", self.explicit_zeros.to_string()));
        if self.nans > 0 {
            rows.push(row("not a number", self.nans.to_string()));
        }
        rows
    }
}

/// Whole numbers without a point, very small and very large ones with an exponent.
fn short(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x}") } else { format!("{x:?}") }
}
