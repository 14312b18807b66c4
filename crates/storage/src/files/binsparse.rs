//! The reader of binsparse: arrays, and a descriptor in JSON that says what they are, in one of NumPy's archives.
//!
//! ```text
//! {"version": "0.1.0", "format": "CSR", "shape": [2, 3], "number_of_stored_values": 3,
//!  "data_types": {"pointers_to_1": "int64", "indices_1": "int32", "values": "float64"}}
//! ```
//! Every format is a tower of levels over the values, outermost first: `dense`, which has all coordinates of one or more
//! modes, and `sparse`, which lists them; `transpose` says which mode is which. Names are abbreviations of such towers.

use super::expand::expand;
use super::header::HeaderSymmetry;
use super::lines::Columns;
use super::npz::ArchiveParts;
use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::index::IndexArray;
use crate::memory;
use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::cancel::tick;
use openwork_base::{Result, SlotCount};
use serde_json::Value;

/// The entry of an archive that has the descriptor.
pub(super) const HEADER: &str = "binsparse";

/// A level, with the number of its modes.
#[derive(Clone, Copy)]
enum BinsparseLevel {
    Dense(usize),
    Sparse(usize),
}

/// What a name abbreviates: levels, and whether columns come first.
fn expand_name(name: &str) -> Option<(Vec<BinsparseLevel>, bool)> {
    use BinsparseLevel::{Dense, Sparse};
    Some(match name {
        "DVEC" => (vec![Dense(1)], false),
        "DMAT" | "DMATR" => (vec![Dense(2)], false),
        "DMATC" => (vec![Dense(2)], true),
        "CVEC" => (vec![Sparse(1)], false),
        "CSR" => (vec![Dense(1), Sparse(1)], false),
        "CSC" => (vec![Dense(1), Sparse(1)], true),
        "DCSR" => (vec![Sparse(1), Sparse(1)], false),
        "DCSC" => (vec![Sparse(1), Sparse(1)], true),
        "COO" | "COOR" => (vec![Sparse(2)], false),
        "COOC" => (vec![Sparse(2)], true),
        _ => return None,
    })
}

/// An archive with its descriptor.
struct Container<'a> {
    parts: &'a ArchiveParts<'a>,
    descriptor: Value,
    /// What is taken from every index and position.
    base: i64,
}

/// Reads a tensor; symmetric ones are expanded.
///
/// # Errors
/// E0701 for a descriptor that is none, or contradicts the arrays, and for fill values other than 0.
pub(super) fn read(parts: &ArchiveParts) -> Result<Coo> {
    let text = parts.with_array(HEADER, |a| Ok(a.word().unwrap_or_default()))?;
    let found: Value = serde_json::from_str(&text)
        .map_err(|e| parts.refusal(&format!("the binsparse descriptor is no JSON: {e}")))?;
    // In other containers the descriptor stands one level deeper.
    let descriptor = found.get(HEADER).cloned().unwrap_or(found);
    let base = descriptor.get("index_base").and_then(Value::as_i64).unwrap_or(0);
    let c = Container { parts, descriptor, base };
    let version = c.word("version")?;
    if !version.starts_with("0.") && !version.starts_with("1.") {
        return Err(parts.refusal(&format!("binsparse of version {version} is not supported, only 0 and 1")));
    }
    if c.descriptor.get("fill").and_then(Value::as_bool) == Some(true) {
        let fill = c.values("fill_value", 1)?;
        if fill.is_empty() || fill.get(0).truthy() {
            let message =
                "what it does not store has another value than 0, which a list of coordinates cannot say";
            return Err(parts.refusal(message));
        }
    }
    let (levels, transpose) = c.levels()?;
    let shape = c.shape()?;
    let modes: usize = levels
        .iter()
        .map(|l| match l {
            BinsparseLevel::Dense(n) | BinsparseLevel::Sparse(n) => *n,
        })
        .sum();
    let mut order = transpose.clone();
    order.sort_unstable();
    if modes != shape.len() || order != (0..shape.len()).collect::<Vec<_>>() {
        return Err(parts.refusal(&format!("levels of {modes} modes do not hold the shape {shape:?}")));
    }
    let sizes: Vec<usize> = transpose.iter().map(|&m| shape[m]).collect();
    let inner = c.coordinates(&levels, &sizes)?;
    let stored = c.number("number_of_stored_values")?;
    let count = inner.first().map_or(1, Vec::len);
    if count != stored {
        return Err(
            parts.refusal(&format!("the arrays have {count} coordinates, the descriptor {stored} values"))
        );
    }
    let vals = c.values("values", count)?;
    let mut coords: Vec<Buffer> = shape.iter().map(|_| Buffer::empty(DType::I64)).collect();
    for (m, list) in transpose.iter().zip(inner) {
        coords[*m] = Buffer::from(list);
    }
    c.expand_triangle(shape, coords, vals)
}

impl Container<'_> {
    fn word(&self, key: &str) -> Result<String> {
        let word = self.descriptor.get(key).and_then(Value::as_str);
        word.map(String::from).ok_or_else(|| self.parts.refusal(&format!("the descriptor has no `{key}`")))
    }
    fn number(&self, key: &str) -> Result<usize> {
        let number = self.descriptor.get(key).and_then(Value::as_u64);
        let number = number.and_then(|n| usize::try_from(n).ok());
        number.ok_or_else(|| self.parts.refusal(&format!("the descriptor has no number `{key}`")))
    }
    fn shape(&self) -> Result<Vec<usize>> {
        let sizes = self.descriptor.get("shape").and_then(Value::as_array);
        let sizes = sizes.and_then(|s| s.iter().map(|n| usize::try_from(n.as_u64()?).ok()).collect());
        sizes.ok_or_else(|| self.parts.refusal("the descriptor has no `shape` of sizes"))
    }
    /// The levels, and for the modes of each which mode of the tensor it is.
    fn levels(&self) -> Result<(Vec<BinsparseLevel>, Vec<usize>)> {
        let name = self.word("format")?;
        if name != "custom" {
            let (levels, columns) = expand_name(&name)
                .ok_or_else(|| self.parts.refusal(&format!("`{name}` is no format of binsparse")))?;
            let rank = self.shape()?.len();
            let transpose = if columns { (0..rank).rev().collect() } else { (0..rank).collect() };
            return Ok((levels, transpose));
        }
        let bad =
            || self.parts.refusal("the custom format has no levels that are dense, sparse, then element");
        let custom = self.descriptor.get("custom").ok_or_else(bad)?;
        let mut level = custom.get("level").ok_or_else(bad)?;
        let mut levels = Vec::new();
        loop {
            let kind = level.get("level_desc").and_then(Value::as_str).ok_or_else(bad)?;
            if kind == "element" {
                break;
            }
            let rank =
                level.get("rank").and_then(Value::as_u64).filter(|r| (1..=64).contains(r)).ok_or_else(bad)?;
            levels.push(match kind {
                "dense" => BinsparseLevel::Dense(rank as usize),
                "sparse" => BinsparseLevel::Sparse(rank as usize),
                _ => return Err(bad()),
            });
            level = level.get("level").ok_or_else(bad)?;
        }
        let rank = self.shape()?.len();
        let transpose = match custom.get("transpose").and_then(Value::as_array) {
            Some(list) => {
                list.iter().map(|n| Some(n.as_u64()? as usize)).collect::<Option<_>>().ok_or_else(bad)?
            }
            None => (0..rank).collect(),
        };
        Ok((levels, transpose))
    }
    /// The type that the descriptor gives an array.
    fn stated_type(&self, name: &str) -> Result<&str> {
        let stated = self.descriptor.get("data_types").and_then(|t| t.get(name)).and_then(Value::as_str);
        stated.ok_or_else(|| self.parts.refusal(&format!("the descriptor has no type for `{name}`")))
    }
    fn integers(&self, name: &str) -> Result<Vec<i64>> {
        if self.stated_type(name)?.contains('[') {
            return Err(self
                .parts
                .refusal(&format!("`{name}` has one value for all, which indices have not")));
        }
        let mut list = self.parts.integers(name)?;
        list.iter_mut().for_each(|n| *n = n.saturating_sub(self.base));
        Ok(list)
    }
    /// An array of so many values, by its type: `iso[…]` has one for all, `complex[…]` two numbers for each.
    fn values(&self, name: &str, count: usize) -> Result<Buffer> {
        let stated = self.stated_type(name)?.to_string();
        let inside = |text: &str, word: &str| {
            text.strip_prefix(word)?.strip_prefix('[')?.strip_suffix(']').map(String::from)
        };
        let (same, kind) = match inside(&stated, "iso") {
            Some(kind) => (true, kind),
            None => (false, stated),
        };
        let (complex, kind) = match inside(&kind, "complex") {
            Some(kind) => (true, kind),
            None => (false, kind),
        };
        let wanted = match kind.as_str() {
            "bint8" => DType::Bool,
            word => {
                word.parse().map_err(|_| self.parts.refusal(&format!("`{word}` is no type of binsparse")))?
            }
        };
        let read = self.parts.with_array(name, |a| a.values())?.cast(wanted)?;
        let one = if complex { 2 } else { 1 };
        let there = if same { one } else { count.saturating_mul(one) };
        if read.len() != there {
            return Err(self.parts.refusal(&format!("`{name}` has {} numbers, not {there}", read.len())));
        }
        let dtype = match (complex, wanted) {
            (false, dtype) => dtype,
            (true, DType::F32) => DType::C64,
            (true, DType::F64) => DType::C128,
            (true, _) => return Err(self.parts.refusal("complex numbers have parts of float32 or float64")),
        };
        let value = |e: usize| match complex {
            true => {
                let value = Complex { re: read.get(2 * e).as_f64(), im: read.get(2 * e + 1).as_f64() };
                Scalar::C128(value).cast(dtype)
            }
            false => read.get(e),
        };
        if same {
            return Buffer::repeat(value(0), count);
        }
        if !complex {
            return Ok(read);
        }
        let mut out = Buffer::zeros(dtype, count)?;
        for e in 0..count {
            tick();
            out.set(e, value(e));
        }
        Ok(out)
    }
    /// The coordinates of every stored value, a list for each mode of the levels.
    fn coordinates(&self, levels: &[BinsparseLevel], sizes: &[usize]) -> Result<Vec<Vec<i64>>> {
        let (mut lists, mut positions): (Vec<Vec<i64>>, usize) = (Vec::new(), 1);
        let mut depth = 0;
        for level in levels {
            let parents = match level {
                BinsparseLevel::Dense(rank) => {
                    let inner = &sizes[depth..depth + rank];
                    let each = SlotCount::product(inner);
                    let all = each.times(positions);
                    memory::allow(|| self.parts.path.clone(), all.bytes(8 * (depth + rank)))?;
                    let (each, count) = (each.saturate(), all.saturate());
                    let parents: Vec<usize> = (0..count).map(|q| q / each.max(1)).collect();
                    lists = gather_parents(&lists, &parents);
                    let mut below = each;
                    for &size in inner {
                        below /= size.max(1);
                        lists.push((0..count).map(|q| (q / below.max(1) % size.max(1)) as i64).collect());
                    }
                    parents.len()
                }
                BinsparseLevel::Sparse(rank) => {
                    let found: Vec<Vec<i64>> = (depth..depth + rank)
                        .map(|m| self.integers(&format!("indices_{m}")))
                        .collect::<Result<_>>()?;
                    let count = found[0].len();
                    if found.iter().any(|f| f.len() != count) {
                        return Err(self
                            .parts
                            .refusal("lists of indices of one level have different lengths"));
                    }
                    if depth > 0 {
                        let parents = self.parents(&format!("pointers_to_{depth}"), positions, count)?;
                        lists = gather_parents(&lists, &parents);
                    }
                    lists.extend(found);
                    count
                }
            };
            (positions, depth) = (
                parents,
                depth
                    + match level {
                        BinsparseLevel::Dense(n) | BinsparseLevel::Sparse(n) => n,
                    },
            );
        }
        Ok(lists)
    }
    /// For every child the parent in whose segment it lies.
    fn parents(&self, name: &str, positions: usize, count: usize) -> Result<Vec<usize>> {
        let pos = self.integers(name)?;
        let rises = pos.is_sorted() && pos.first() == Some(&0) && pos.last() == Some(&(count as i64));
        if pos.len() != positions.saturating_add(1) || !rises {
            let message =
                format!("`{name}` does not rise from 0 to {count}, a number for every parent and one more");
            return Err(self.parts.refusal(&message));
        }
        let mut out = Vec::with_capacity(count);
        for (p, ends) in pos.windows(2).enumerate() {
            tick();
            out.extend(std::iter::repeat_n(p, (ends[1] - ends[0]) as usize));
        }
        Ok(out)
    }
    /// Both triangles of a matrix of which one is stored.
    fn expand_triangle(&self, shape: Vec<usize>, coords: Vec<Buffer>, vals: Buffer) -> Result<Coo> {
        let structure = self.descriptor.get("structure").and_then(Value::as_str).unwrap_or("general");
        let (kind, _) = structure.rsplit_once('_').unwrap_or((structure, ""));
        let symmetry = match kind {
            "general" => return Coo::new(shape, coords, vals),
            "symmetric" => HeaderSymmetry::Symmetric,
            "hermitian" => HeaderSymmetry::Hermitian,
            "skew_symmetric" => HeaderSymmetry::Skew,
            _ => return Err(self.parts.refusal(&format!("`{structure}` is no structure of binsparse"))),
        };
        if shape.len() != 2 || shape[0] != shape[1] {
            return Err(self.parts.refusal(&format!("a symmetric matrix is square, not {shape:?}")));
        }
        let one_side = match (IndexArray::from_buffer(&coords[0]), IndexArray::from_buffer(&coords[1])) {
            (Some(i), Some(j)) => {
                let below = (0..i.len()).all(|e| i.get(e) >= j.get(e));
                below || (0..i.len()).all(|e| i.get(e) <= j.get(e))
            }
            _ => false,
        };
        if !one_side {
            return Err(self.parts.refusal("a symmetric matrix stores one triangle, and this one has both"));
        }
        let dtype = vals.dtype();
        let mut columns = Columns { entries: vals.len(), coords, vals, extent: shape.clone() };
        if dispatch!(dtype, T => expand::<T>(&mut columns, symmetry))?.is_err() {
            return Err(self.parts.refusal("a value has no mirror image in a skew-symmetric matrix"));
        }
        let (coords, vals) = columns.into_parts();
        Coo::new(shape, coords, vals)
    }
}

/// Lists with the elements of every child's parent.
fn gather_parents(lists: &[Vec<i64>], parents: &[usize]) -> Vec<Vec<i64>> {
    lists.iter().map(|list| parents.iter().map(|&p| list[p]).collect()).collect()
}
