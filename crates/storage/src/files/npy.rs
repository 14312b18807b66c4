//! NumPy's `.npy`: one dense array. A magic number, a header that is a dictionary of Python's, the values.
//!
//! ```text
//! \x93NUMPY 1 0 118 0 {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  … \n values
//! ```

use super::ReadOptions;
use super::asked;
use super::output::TextOutput;
use super::text::TextFile;
use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::error::{INCOMPLETE, MALFORMED, checked_product};
use crate::tensor::Tensor;
use openwork_algebra::{DType, Scalar};
use openwork_base::cancel::tick;
use openwork_base::{Diagnostic, Error, Result};

/// An array in memory.
pub(super) struct NpyArray<'a> {
    /// The kind of the values, as NumPy writes it.
    kind: u8,
    /// Bytes of one value.
    item: usize,
    big: bool,
    columns: bool,
    pub(super) shape: Vec<usize>,
    data: &'a [u8],
    path: String,
}

/// NumPy's letter for each dtype.
pub(super) fn letter(dtype: DType) -> char {
    match dtype {
        DType::Bool => 'b',
        d if d.is_complex() => 'c',
        d if d.is_float() => 'f',
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 'u',
        _ => 'i',
    }
}

impl<'a> NpyArray<'a> {
    /// Reads the header of an array; `path` is for messages.
    ///
    /// # Errors
    /// E0701 for what is no array; E0702 for one that ends early.
    pub(super) fn parse(path: String, bytes: &'a [u8]) -> Result<NpyArray<'a>> {
        let bad = |what: &str| malformed_array(&path, what);
        let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or_else(|| bad("this is no .npy array"))?;
        let size = |n: usize| rest.get(2..2 + n).ok_or_else(|| bad("the header of the array is cut off"));
        let (len, start) = match rest.first() {
            Some(1) => (size(2)?.iter().rev().fold(0, |n, &b| n << 8 | b as usize), 4),
            _ => (size(4)?.iter().rev().fold(0, |n, &b| n << 8 | b as usize), 6),
        };
        let header = rest.get(start..start + len).ok_or_else(|| bad("the header of the array is cut off"))?;
        let header = String::from_utf8_lossy(header);
        let descr = value_of(&header, "descr").ok_or_else(|| bad("the header has no `descr`"))?;
        let descr = descr.strip_prefix(['\'', '"']).and_then(|d| d.split(['\'', '"']).next());
        let descr = descr.ok_or_else(|| bad("arrays of records are not supported"))?;
        let shape =
            value_of(&header, "shape").and_then(tuple).ok_or_else(|| bad("the header has no shape"))?;
        let columns = value_of(&header, "fortran_order").is_some_and(|v| v.starts_with("True"));
        let (order, kind, item) =
            parse_descr(descr).ok_or_else(|| bad(&format!("unknown dtype `{descr}`")))?;
        let data = &rest[start + len..];
        let wanted = checked_product("the array", &shape)?.checked_mul(item);
        if wanted.is_none_or(|n| n > data.len()) {
            let message = format!(
                "{path}: the values of shape {shape:?} take more than the {} bytes there are",
                data.len()
            );
            return Err(Error::rejection(Diagnostic::new(INCOMPLETE, message)));
        }
        let data = &data[..wanted.unwrap_or(0)];
        let big = order == b'>' || order == b'=' && cfg!(target_endian = "big");
        Ok(NpyArray { kind, item, big, columns, shape, data, path })
    }
    fn dtype(&self) -> Option<DType> {
        let like = |d: &DType| letter(*d) as u32 == self.kind as u32 && d.size() == self.item;
        DType::ALL.into_iter().find(like)
    }
    /// The values in the order of the file.
    ///
    /// # Errors
    /// E0701 for a dtype that there is none of here; E0603 and E0605.
    pub(super) fn values(&self) -> Result<Buffer> {
        let Some(dtype) = self.dtype() else {
            let message = format!("values of {} bytes and the kind `{}`", self.item, self.kind as char);
            let error = format!("{}: {message} are not supported", self.path);
            return Err(Error::rejection(Diagnostic::new(MALFORMED, error).help(
                "cast the array to a dtype of bools, integers, floats or complex numbers of usual size",
            )));
        };
        let mut out = Buffer::zeros(dtype, self.data.len() / self.item)?;
        let swapped;
        let data = if self.big == cfg!(target_endian = "big") {
            self.data
        } else {
            // The two parts of a complex number are swapped each.
            let word = if dtype.is_complex() { self.item / 2 } else { self.item };
            swapped = self.data.chunks(word).flat_map(|w| w.iter().rev().copied()).collect::<Vec<u8>>();
            &swapped
        };
        // SAFETY: `out` owns as many bytes as `data` has, every bit pattern is a value of the numeric dtypes, and bytes of
        // bools are checked where a list of coordinates is made of them.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), out.as_mut_ptr(), data.len()) };
        Ok(out)
    }
    /// The values as coordinates or sizes.
    ///
    /// # Errors
    /// E0701 for values that are no integers.
    pub(super) fn integers(&self) -> Result<Buffer> {
        let values = self.values()?;
        match values.dtype() {
            DType::I32 | DType::I64 => Ok(values),
            d if d.is_int() => values.cast(DType::I64),
            // An empty list has whatever dtype it had.
            _ if values.is_empty() => Ok(Buffer::empty(DType::I64)),
            d => Err(malformed_array(&self.path, &format!("indices are integers, not {d}"))),
        }
    }
    /// A word, of bytes or of characters.
    pub(super) fn word(&self) -> Option<String> {
        let text: Vec<u8> = match self.kind {
            b'S' => self.data.to_vec(),
            b'U' => self.data.chunks(4).map(|c| if self.big { c[3] } else { c[0] }).collect(),
            _ => return None,
        };
        Some(String::from_utf8_lossy(&text).trim_end_matches('\0').to_string())
    }
    /// Whether the first mode is fastest.
    pub(super) fn by_columns(&self) -> bool {
        self.columns && self.shape.len() > 1
    }
}

/// E0701.
pub(super) fn malformed_array(path: &str, what: &str) -> Error {
    Error::rejection(Diagnostic::new(MALFORMED, format!("{path}: {what}")))
}

/// What stands behind a key of the header.
fn value_of<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let at = header.find(&format!("'{key}'")).or_else(|| header.find(&format!("\"{key}\"")))?;
    header[at..].split_once(':').map(|(_, value)| value.trim_start())
}

/// A tuple of sizes.
fn tuple(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split(')').next()?;
    inside
        .split(',')
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .map(|n| n.trim_end_matches('L').parse().ok())
        .collect()
}

/// The byte order, the kind and the bytes of one value.
fn parse_descr(descr: &str) -> Option<(u8, u8, usize)> {
    let bytes = descr.as_bytes();
    let (order, rest) = match bytes.first()? {
        o @ (b'<' | b'>' | b'|' | b'=') => (*o, &bytes[1..]),
        _ => (b'=', bytes),
    };
    let (&kind, size) = rest.split_first()?;
    let size: usize = std::str::from_utf8(size).ok()?.parse().ok().filter(|&n| n < 1 << 20)?;
    let item = if kind == b'U' { 4 * size } else { size };
    (kind.is_ascii_alphabetic() && kind != b'O' && item > 0).then_some((order, kind, item))
}

/// Reads an array; every value is an entry.
///
/// # Errors
/// E0701, E0702, E0603; E0703 and E0706 for a shape and dtype asked for that the file does not have.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let bytes = text.read_all()?;
    let array = NpyArray::parse(text.path().display().to_string(), &bytes)?;
    let vals = array.values()?;
    let n = vals.len();
    let mut coords = Vec::new();
    // How many entries lie between two that differ by one in a mode.
    let mut step = if array.by_columns() { 1 } else { n };
    for &dim in &array.shape {
        if !array.by_columns() {
            step /= dim.max(1);
        }
        let mut list = Buffer::zeros(Coo::coord_dtype(dim), n)?;
        match list.dtype() {
            DType::I32 => fill_coordinates(list.as_mut_slice::<i32>(), dim, step),
            _ => fill_coordinates(list.as_mut_slice::<i64>(), dim, step),
        }
        coords.push(list);
        if array.by_columns() {
            step *= dim;
        }
    }
    if let Some(progress) = options.progress {
        progress(bytes.len() as u64, bytes.len() as u64);
    }
    asked::apply_options(text, Coo::new(array.shape.clone(), coords, vals)?, options)
}

/// Fills in the coordinates of one mode.
fn fill_coordinates<I: TryFrom<usize> + Copy>(list: Option<&mut [I]>, dim: usize, step: usize) {
    for (e, slot) in list.into_iter().flatten().enumerate() {
        tick();
        if let Ok(c) = I::try_from(e / step % dim) {
            *slot = c;
        }
    }
}

/// The header and what stands before it, so that values begin at a multiple of 64.
pub(super) fn header(descr: &str, columns: bool, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let fortran = if columns { "True" } else { "False" };
    let mut dict = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({sizes}), }}");
    let pad = (64 - (10 + dict.len() + 1) % 64) % 64;
    dict.extend(std::iter::repeat_n(' ', pad));
    dict.push('\n');
    // More than 64 KiB of sizes is no shape that memory could hold.
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((dict.len() as u16).to_le_bytes());
    out.extend(dict.as_bytes());
    out
}

/// How NumPy writes a dtype of this machine.
pub(super) fn descr(dtype: DType) -> String {
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    format!("{order}{}{}", letter(dtype), dtype.size())
}

/// Writes a dense tensor.
///
/// # Errors
/// E0704; E0707 for a tensor whose values are not all stored, as nobody asked to write them out.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    if !t.format().is_dense() {
        return Err(out.refusal(
            "a .npy file is a dense array",
            "write a .npz file, or convert the tensor to a dense format",
        ));
    }
    let modes = &t.format().modes;
    let columns = t.rank() > 1 && modes.iter().rev().enumerate().all(|(n, &m)| n == m);
    let rows = modes.iter().enumerate().all(|(n, &m)| n == m);
    let own;
    let vals = if columns || rows {
        t.vals()
    } else {
        own = t.to_dense()?;
        &own
    };
    out.put(&header(&descr(t.dtype()), columns, t.shape()))?;
    out.expect(vals.as_bytes().len());
    vals.as_bytes().chunks(1 << 20).try_for_each(|part| out.step(part, part.len()))
}

/// An array without modes that holds a number.
pub(super) fn number(value: Scalar) -> Result<Vec<u8>> {
    let mut out = header(&descr(value.dtype()), false, &[]);
    out.extend_from_slice(Buffer::repeat(value, 1)?.as_bytes());
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_back() {
        for shape in [&[][..], &[3], &[0, 4], &[2, 3, 4]] {
            for columns in [false, true] {
                let n = shape.iter().product::<usize>();
                let mut bytes = header("<f8", columns, shape);
                assert_eq!(bytes.len() % 64, 0);
                bytes.extend((0..n).flat_map(|v| (v as f64).to_le_bytes()));
                let array = NpyArray::parse("memory".into(), &bytes).unwrap();
                assert_eq!((array.shape.as_slice(), array.columns), (shape, columns));
                assert_eq!(array.values().unwrap().len(), n);
                assert!(n == 0 || NpyArray::parse("memory".into(), &bytes[..bytes.len() - 1]).is_err());
            }
        }
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let mut whole = header("<i4", false, &[2, 2]);
        whole.extend([7; 16]);
        for at in 0..whole.len() {
            for flip in [1, 0x40, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flip;
                if let Ok(array) = NpyArray::parse("memory".into(), &bytes) {
                    let _ = array.values();
                }
            }
            let _ = NpyArray::parse("memory".into(), &whole[..at]);
        }
    }
}
