//! The writer of MatrixMarket files.

use super::output::{LineUnit, Print, TextOutput, write_entries};
use crate::element::dispatch;
use crate::tensor::Tensor;
use openwork_algebra::{DType, DTypeKind};
use openwork_base::Result;

/// Writes a tensor of at most two modes: an array when its format is dense, else its stored entries in storage order.
/// A dtype that the field does not tell is stated in a `%%GraphBLAS type` comment, which other readers skip.
///
/// # Errors
/// E0704, E0603; E0707 for more modes or a fill value other than 0.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    if t.rank() > 2 {
        let message = format!("MatrixMarket holds matrices, and this tensor has {} modes", t.rank());
        return Err(out.refusal(&message, "write a .tns file"));
    }
    out.needs_zero_fill(t)?;
    let dtype = t.dtype();
    let layout = if t.format().is_dense() { "array" } else { "coordinate" };
    let mut head = format!("%%MatrixMarket matrix {layout} {} general\n", field_of(dtype));
    if let Some(name) = graphblas_name(dtype) {
        head += &format!("%%GraphBLAS type {name}\n");
    }
    let rows = t.shape().first().copied().unwrap_or(1);
    let cols = t.shape().get(1).copied().unwrap_or(1);
    if layout == "array" {
        out.put(format!("{head}{rows} {cols}\n").as_bytes())?;
        let dense = t.to_dense()?;
        return dispatch!(dtype, T => {
            let vals = dense.as_slice::<T>().unwrap_or(&[]);
            out.lines(vals.len(), |e, text| vals[e % rows * cols + e / rows].print(text))
        });
    }
    let coo = crate::unpack(t)?;
    out.put(format!("{head}{rows} {cols} {}\n", coo.len()).as_bytes())?;
    let unit = if t.rank() == 1 { LineUnit::Column } else { LineUnit::None };
    write_entries(&coo, out, unit)
}

/// The field of a header for values of a dtype.
pub(super) fn field_of(dtype: DType) -> &'static str {
    match dtype.kind() {
        DTypeKind::Bool | DTypeKind::Signed | DTypeKind::Unsigned => "integer",
        DTypeKind::Float => "real",
        DTypeKind::Complex => "complex",
    }
}

/// The name of a dtype that cannot be told from the field; `None` for the three that are the fields' defaults.
pub(super) fn graphblas_name(dtype: DType) -> Option<&'static str> {
    match dtype {
        DType::F64 | DType::I64 | DType::C128 => None,
        DType::Bool => Some("bool"),
        DType::I8 => Some("int8_t"),
        DType::I16 => Some("int16_t"),
        DType::I32 => Some("int32_t"),
        DType::U8 => Some("uint8_t"),
        DType::U16 => Some("uint16_t"),
        DType::U32 => Some("uint32_t"),
        DType::U64 => Some("uint64_t"),
        DType::F32 => Some("float"),
        DType::C64 => Some("FC32"),
    }
}
