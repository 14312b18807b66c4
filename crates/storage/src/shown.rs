//! Tensors as text, with shape, format and first elements.

use crate::select::first;
use crate::tensor::{Tensor, TensorParts};
use openwork_format::Format;
use std::fmt;

/// How many elements are shown.
const SHOWN: usize = 8;

impl fmt::Display for Tensor {
    /// Shape, dtype, format, and the first elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Outline(self), if self.format().is_dense() { "values" } else { "stored" })?;
        let Ok(mut elements) = first(self, SHOWN + 1) else { return Ok(()) };
        let more = elements.len() > SHOWN;
        elements.truncate(SHOWN);
        for (n, (at, value)) in elements.iter().enumerate() {
            f.write_str(if n == 0 { ": " } else { ", " })?;
            if !self.format().is_dense() {
                let at: Vec<String> = at.iter().map(usize::to_string).collect();
                write!(f, "({}) ", at.join(","))?;
            }
            write!(f, "{value}")?;
        }
        f.write_str(if more { ", …" } else { "" })
    }
}

impl fmt::Debug for Tensor {
    /// What it is, without its arrays, which may be large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({} slots)", Outline(self))
    }
}

impl fmt::Debug for TensorParts {
    /// The lengths of the arrays.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<Vec<usize>> =
            self.levels.iter().map(|l| l.arrays.iter().map(|a| a.len()).collect()).collect();
        write!(
            f,
            "Parts({:?} {}, levels of {lengths:?}, {} values)",
            self.shape,
            self.format,
            self.vals.len()
        )
    }
}

/// Shape, dtype, format and number of values.
struct Outline<'t>(&'t Tensor);

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outline(t) = self;
        let shape: Vec<String> = t.shape().iter().map(usize::to_string).collect();
        let shape = if shape.is_empty() { "scalar".to_string() } else { shape.join(" x ") };
        // Widths follow from the shape, mostly.
        let format = Format { pos: None, crd: None, ..t.format().clone() };
        write!(f, "{shape} {} {format}, {}", t.dtype(), t.slots())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Buffer, Coo, Tensor, pack};
    use openwork_algebra::Scalar;
    use openwork_format::presets;

    #[test]
    fn text_has_the_first_elements_and_debug_none() {
        let dense = Tensor::dense(&[100, 3], Buffer::from(vec![1.5f32; 300])).unwrap();
        let eight = ["1.5"; 8].join(", ");
        assert_eq!(dense.to_string(), format!("100 x 3 f32 dense, 300 values: {eight}, …"));
        assert_eq!(Tensor::scalar(Scalar::I64(4)).to_string().split(": ").last(), Some("4"));
        let entries: Vec<_> = (0..20).map(|n| (vec![n, 19 - n], Scalar::F64(n as f64))).collect();
        let coo = Coo::from_entries(&[20, 20], openwork_algebra::DType::F64, &entries).unwrap();
        let sparse = pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap();
        assert!(sparse.to_string().starts_with("20 x 20 f64 csr, 20 stored: (0,19) 0, (1,18) 1"), "{sparse}");
        for text in [format!("{sparse:?}"), format!("{:?}", sparse.clone().into_parts())] {
            assert!(text.len() < 120 && !text.contains("17"), "{text}");
        }
    }
}
