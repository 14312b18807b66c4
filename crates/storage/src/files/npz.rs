//! SciPy's `.npz`: an archive with one `.npy` array for every part of a sparse matrix, as `scipy.sparse.save_npz` writes
//! it and `load_npz` reads it.
//!
//! | `format` | arrays beside `data` and `shape` |
//! |---|---|
//! | `csr`, `csc`, `bsr` | `indptr`, `indices` |
//! | `coo` | `row`, `col`, or `coords` for any number of modes |
//! | `dia` | `offsets` |
//!
//! An archive with a `binsparse` entry is one of [`binsparse`].

use super::archive::{Archive, Writer};
use super::npy::{self, NpyArray, malformed_array};
use super::output::TextOutput;
use super::text::TextFile;
use super::{ReadOptions, asked, binsparse};
use crate::buffer::{Buffer, RunArray};
use crate::coords::Coo;
use crate::element::Element;
use crate::index::IndexArray;
use crate::pack::pack;
use crate::parallel;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::{self, tick};
use openwork_format::presets;

/// The arrays of an archive.
pub(super) struct ArchiveParts<'a> {
    pub(super) path: String,
    archive: Archive<'a>,
}

impl ArchiveParts<'_> {
    fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let missing = || {
            let there: Vec<&str> = self.archive.names().collect();
            malformed_array(
                &self.path,
                &format!(
                    "the archive is no sparse matrix of SciPy's: it has no `{name}`, but {}",
                    there.join(", ")
                ),
            )
        };
        self.archive.file(&format!("{name}.npy"))?.ok_or_else(missing)
    }
    pub(super) fn has(&self, name: &str) -> bool {
        self.archive.names().any(|n| n.strip_suffix(".npy") == Some(name))
    }
    pub(super) fn with_array<T>(&self, name: &str, read: impl FnOnce(&NpyArray) -> Result<T>) -> Result<T> {
        let bytes = self.bytes(name)?;
        read(&NpyArray::parse(format!("{}: {name}", self.path), &bytes)?)
    }
    pub(super) fn integers(&self, name: &str) -> Result<Vec<i64>> {
        let found = self.with_array(name, |a| a.integers())?;
        Ok(IndexArray::from_buffer(&found).map_or(Vec::new(), |c| (0..c.len()).map(|n| c.get(n)).collect()))
    }
    fn sizes(&self) -> Result<Vec<usize>> {
        let fits = |n: &i64| {
            usize::try_from(*n).map_err(|_| malformed_array(&self.path, "the shape has a negative size"))
        };
        self.integers("shape")?.iter().map(fits).collect()
    }
    pub(super) fn refusal(&self, what: &str) -> openwork_base::Error {
        malformed_array(&self.path, what)
    }
}

/// Reads a sparse matrix or array.
///
/// # Errors
/// E0701 for another archive, or arrays that contradict each other; E0702, E0703, E0706 and E0603.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let bytes = text.read_all()?;
    let path = text.path().display().to_string();
    let parts = ArchiveParts { archive: Archive::open(&path, &bytes, options.progress)?, path: path.clone() };
    let coo = if parts.has(binsparse::HEADER) { binsparse::read(&parts)? } else { of_scipy(&parts)? };
    parts.archive.finish_reading();
    asked::apply_options(text, coo, options)
}

/// What `scipy.sparse.save_npz` writes.
fn of_scipy(parts: &ArchiveParts) -> Result<Coo> {
    let format = parts.with_array("format", |a| Ok(a.word().unwrap_or_default()))?;
    let shape = parts.sizes()?;
    match format.as_str() {
        "coo" => read_list(parts, shape),
        _ if shape.len() != 2 => Err(parts.refusal(&format!("the shape {shape:?} is no matrix's"))),
        "csr" => read_compressed(parts, shape, false),
        "csc" => read_compressed(parts, shape, true),
        "bsr" => blocks(parts, shape),
        "dia" => diagonals(parts, shape),
        other => {
            Err(parts.refusal(&format!("unknown format `{other}`; known are csr, csc, bsr, coo and dia")))
        }
    }
}

/// For every index the row that it lies in. `stored` is how many there are of what `indptr` counts.
fn rows(parts: &ArchiveParts, rows: usize, stored: [(&str, usize); 2]) -> Result<Buffer> {
    let pos = parts.integers("indptr")?;
    if pos.len() != rows.saturating_add(1) || !pos.is_sorted() || pos.first() != Some(&0) {
        return Err(parts.refusal(
            "`indptr` does not rise from 0 to the number of indices, one number for every row and one more",
        ));
    }
    let n = *pos.last().unwrap_or(&0) as usize;
    if let Some((name, there)) = stored.into_iter().find(|(_, there)| *there < n) {
        return Err(parts.refusal(&format!("`indptr` ends at {n}, but `{name}` has {there}")));
    }
    if i32::try_from(rows).is_ok() {
        expand_rows::<i32>(&pos, n, |i| i as i32)
    } else {
        expand_rows::<i64>(&pos, n, |i| i as i64)
    }
}

/// The number of every row as often as the row has elements.
fn expand_rows<T: Element>(pos: &[i64], n: usize, number: impl Fn(usize) -> T) -> Result<Buffer> {
    let mut out = RunArray::<T>::with_capacity(n)?;
    for (i, ends) in pos.windows(2).enumerate() {
        tick();
        out.push(number(i), (ends[1] - ends[0]) as usize);
    }
    Ok(out.into_buffer())
}

fn read_compressed(parts: &ArchiveParts, shape: Vec<usize>, by_columns: bool) -> Result<Coo> {
    // What is deflated takes longest to read, one thread each.
    let mut read = parallel::answers(2, |n| match n {
        0 => parts.with_array("indices", |a| a.integers()),
        _ => parts.with_array("data", |a| a.values()),
    })
    .into_iter();
    let (Some(inner), Some(vals)) = (read.next(), read.next()) else {
        return Err(cancel::cancel_error());
    };
    let (mut inner, mut vals) = (inner?, vals?);
    let outer =
        rows(parts, shape[usize::from(by_columns)], [("indices", inner.len()), ("data", vals.len())])?;
    inner.truncate(outer.len());
    vals.truncate(outer.len());
    let (i, j) = if by_columns { (inner, outer) } else { (outer, inner) };
    Coo::new(shape, vec![i, j], vals)
}

fn blocks(parts: &ArchiveParts, shape: Vec<usize>) -> Result<Coo> {
    let (sizes, mut vals, by_columns) =
        parts.with_array("data", |a| Ok((a.shape.clone(), a.values()?, a.by_columns())))?;
    let [count, r, c] = sizes[..] else {
        return Err(parts.refusal("the blocks of a bsr matrix have three modes"));
    };
    if by_columns {
        return Err(parts.refusal("blocks that are stored by columns are not supported"));
    }
    if r == 0 || c == 0 || !shape[0].is_multiple_of(r) {
        return Err(parts.refusal(&format!("blocks of {r} by {c} do not fill a matrix of shape {shape:?}")));
    }
    let inner = parts.integers("indices")?;
    let outer = rows(parts, shape[0] / r, [("indices", inner.len()), ("data", count)])?;
    let Some(outer) = IndexArray::from_buffer(&outer) else {
        return Err(parts.refusal("rows of an unknown width"));
    };
    let n = outer.len() * r * c;
    let (mut is, mut js) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (i, &j) in (0..outer.len()).map(|e| outer.get(e)).zip(&inner) {
        for at in 0..r * c {
            tick();
            is.push(i * r as i64 + (at / c) as i64);
            js.push(j.saturating_mul(c as i64).saturating_add((at % c) as i64));
        }
    }
    vals.truncate(n);
    Coo::new(shape, vec![Buffer::from(is), Buffer::from(js)], vals)
}

fn read_list(parts: &ArchiveParts, shape: Vec<usize>) -> Result<Coo> {
    let vals = parts.with_array("data", |a| a.values())?;
    if !parts.has("coords") {
        let coords = vec![Buffer::from(parts.integers("row")?), Buffer::from(parts.integers("col")?)];
        return Coo::new(shape, coords, vals);
    }
    let (sizes, by_columns) = parts.with_array("coords", |a| Ok((a.shape.clone(), a.by_columns())))?;
    let all = parts.integers("coords")?;
    let n = vals.len();
    if sizes != [shape.len(), n] {
        return Err(parts.refusal(&format!(
            "`coords` has the shape {sizes:?}, but there are {n} values of {} modes",
            shape.len()
        )));
    }
    let modes = shape.len();
    let at = |m: usize, e: usize| if by_columns { all[e * modes + m] } else { all[m * n + e] };
    let coords = (0..modes).map(|m| Buffer::from((0..n).map(|e| at(m, e)).collect::<Vec<i64>>())).collect();
    Coo::new(shape, coords, vals)
}

/// The values of diagonals that are not zero; the others are what fills the arrays up.
fn diagonals(parts: &ArchiveParts, shape: Vec<usize>) -> Result<Coo> {
    let offsets = parts.integers("offsets")?;
    let (sizes, by_columns, vals) =
        parts.with_array("data", |a| Ok((a.shape.clone(), a.by_columns(), a.values()?)))?;
    let [count, width] = sizes[..] else {
        return Err(parts.refusal("the diagonals of a dia matrix have two modes"));
    };
    if offsets.len() != count {
        return Err(parts.refusal(&format!("{} offsets, but {count} diagonals", offsets.len())));
    }
    let (mut is, mut js, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for (d, &off) in offsets.iter().enumerate() {
        for j in 0..width.min(shape[1]) {
            tick();
            let i = (j as i64).saturating_sub(off);
            let p = if by_columns { j * count + d } else { d * width + j };
            if i >= 0 && i < shape[0] as i64 && vals.get(p).truthy() {
                is.push(i);
                js.push(j as i64);
                found.push(p);
            }
        }
    }
    let mut kept = Buffer::zeros(vals.dtype(), found.len())?;
    found.iter().enumerate().for_each(|(e, &p)| kept.set(e, vals.get(p)));
    Coo::new(shape, vec![Buffer::from(is), Buffer::from(js)], kept)
}

/// Rows without elements for each that has one, up to which a position is kept for every row.
const EMPTY: usize = 8;

/// Writes a sparse tensor: a matrix in compressed columns or rows, everything else, and matrices of mostly empty rows, as
/// coordinates.
///
/// # Errors
/// E0704; E0707 for dense tensors and other fill values than 0.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    out.needs_zero_fill(t)?;
    if t.format().is_dense() {
        return Err(out.refusal(
            "a .npz file is a sparse array",
            "write a .npy file, or convert the tensor to a sparse format",
        ));
    }
    if let Some([outer, _]) = t.format().rows() {
        return write_compressed(t, if outer == 0 { "csr" } else { "csc" }, out);
    }
    let coo = unpack(t)?;
    if t.rank() == 2 && t.shape()[0] <= EMPTY * coo.len() + 1000 {
        let rows = pack(&coo, &presets::csr(), Scalar::zero(t.dtype()))?;
        return write_compressed(&rows, "csr", out);
    }
    write_listed(&coo, out)
}

fn write_compressed(t: &Tensor, format: &str, out: &mut TextOutput) -> Result<()> {
    let [pos, crd] = &t.level(1).arrays[..] else {
        return Err(out.refusal("it has no positions and coordinates", "convert it to csr"));
    };
    out.expect(pos.as_bytes().len() + crd.as_bytes().len() + t.vals().as_bytes().len());
    let mut archive = Writer::new(|bytes: &[u8], packed: usize| out.step(bytes, packed));
    for (name, array) in [("indices", crd), ("indptr", pos)] {
        let array = if array.dtype() == DType::I32 { array.duplicate()? } else { array.cast(DType::I64)? };
        put(&mut archive, name, &[array.len()], &[&array])?;
    }
    finish(archive, format, t.shape(), t.vals())
}

fn write_listed(coo: &Coo, out: &mut TextOutput) -> Result<()> {
    out.expect(coo.len() * (coo.rank() * size_of::<i64>() + coo.dtype().size()));
    let mut archive = Writer::new(|bytes: &[u8], packed: usize| out.step(bytes, packed));
    let coords: Vec<Buffer> =
        (0..coo.rank()).map(|m| coo.coords(m).cast(DType::I64)).collect::<Result<_>>()?;
    if let [rows, columns] = &coords[..] {
        put(&mut archive, "row", &[rows.len()], &[rows])?;
        put(&mut archive, "col", &[rows.len()], &[columns])?;
    } else {
        put(&mut archive, "coords", &[coords.len(), coo.len()], &coords.iter().collect::<Vec<_>>())?;
    }
    finish(archive, "coo", coo.shape(), coo.vals())
}

/// Adds one array, whose rows are these.
pub(super) fn put<W: FnMut(&[u8], usize) -> Result<()>>(
    archive: &mut Writer<W>,
    name: &str,
    shape: &[usize],
    rows: &[&Buffer],
) -> Result<()> {
    let dtype = rows.first().map_or(DType::I64, |b| b.dtype());
    let head = npy::header(&npy::descr(dtype), false, shape);
    let parts: Vec<&[u8]> = std::iter::once(&head[..]).chain(rows.iter().map(|b| b.as_bytes())).collect();
    archive.file(&format!("{name}.npy"), &parts)
}

/// Adds what every format has, and the directory.
fn finish<W: FnMut(&[u8], usize) -> Result<()>>(
    mut archive: Writer<W>,
    format: &str,
    shape: &[usize],
    vals: &Buffer,
) -> Result<()> {
    let word = npy::header(&format!("|S{}", format.len()), false, &[]);
    archive.file("format.npy", &[&word, format.as_bytes()])?;
    let sizes = Buffer::from(shape.iter().map(|&n| n as i64).collect::<Vec<_>>());
    put(&mut archive, "shape", &[shape.len()], &[&sizes])?;
    put(&mut archive, "data", &[vals.len()], &[vals])?;
    // SciPy makes a sparse array of it, not a matrix.
    archive.file("_is_array.npy", &[&npy::number(Scalar::Bool(true))?])?;
    archive.finish()
}
