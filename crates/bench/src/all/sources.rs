//! The matrices and tensors: whatever is in the data folder, and a few of our own.

use super::Text;
use super::facts::{Facts, unlike};
use super::smtx;
use crate::inputs;
use crate::sparse::inputs::{power_law, sorted};
use crate::timing::Effort;
use openwork::{Coo, DType};
use openwork_storage::files;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A matrix or tensor.
pub struct Source {
    pub name: String,
    /// Sorted, without duplicates.
    pub coo: Coo,
    pub facts: Facts,
    /// The file that it is from.
    pub path: Option<PathBuf>,
}

/// What is read; a file may be compressed.
const EXTENSIONS: [&str; 3] = [".mtx", ".tns", ".smtx"];
/// Kernels on fewer entries take as long as a call.
const LEAST: usize = 5000;

fn most(effort: Effort) -> usize {
    if effort == Effort::Quick { 800_000 } else { 20_000_000 }
}

/// Everything that is measured.
///
/// # Errors
/// When one of our own cannot be made.
pub fn all(folder: &Path, effort: Effort) -> Text<Vec<Source>> {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let mut found: Vec<Source> = Vec::new();
    for path in paths {
        let Some(source) = read(&path) else { continue };
        let new = found.iter().all(|s| s.name != source.name || s.coo != source.coo);
        if (LEAST..=most(effort)).contains(&source.facts.nnz) && new {
            found.push(source);
        }
    }
    if found.is_empty() {
        println!("nothing to read under {}: generated matrices only", folder.display());
    }
    let few = effort == Effort::Quick && !found.is_empty();
    if !few {
        found.extend(generated(effort)?);
    }
    let all = in_order(found);
    Ok(if few { first(all) } else { all })
}

/// Tensors from the largest on, then matrices, each as unlike those before as possible: whoever stops early has seen most.
fn in_order(found: Vec<Source>) -> Vec<Source> {
    let (mut out, matrices): (Vec<Source>, Vec<Source>) =
        found.into_iter().partition(|s| s.facts.is_tensor());
    out.sort_by_key(|s| std::cmp::Reverse(s.facts.nnz));
    let order = unlike(&matrices.iter().map(|s| &s.facts).collect::<Vec<_>>());
    let mut matrices: Vec<Option<Source>> = matrices.into_iter().map(Some).collect();
    out.extend(order.into_iter().filter_map(|n| matrices[n].take()));
    out
}

/// Two tensors and six matrices.
fn first(all: Vec<Source>) -> Vec<Source> {
    let mut left = [6, 2];
    let mut taken = |s: &Source| {
        let left = &mut left[usize::from(s.facts.is_tensor())];
        *left -= i32::from(*left >= 0);
        *left >= 0
    };
    all.into_iter().filter(|s| taken(s)).collect()
}

/// Files with the extensions that we read.
fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, out);
        } else if EXTENSIONS.iter().any(|e| name.ends_with(e) || name.ends_with(&format!("{e}.gz"))) {
            out.push(path);
        }
    }
}

/// A file of real numbers; others, and broken ones, are not measured.
fn read(path: &Path) -> Option<Source> {
    let name = path.file_name()?.to_string_lossy().trim_end_matches(".gz").to_string();
    let name = EXTENSIONS.iter().find_map(|e| name.strip_suffix(e))?.to_string();
    if path.to_string_lossy().contains(".smtx") {
        return made(name, smtx::read(path).ok()?, None).ok();
    }
    let coo = files::read(path).and_then(|coo| coo.cast(DType::F64)).ok()?;
    made(name, coo, Some(path.to_path_buf())).ok()
}

/// A source of entries in any order.
pub fn made(name: String, coo: Coo, path: Option<PathBuf>) -> Text<Source> {
    let coo = match coo.rank() {
        2 => sorted(coo)?,
        3 => super::text(
            inputs::packed(&coo, &openwork::presets::csf(3)).and_then(|t| openwork_storage::unpack(&t)),
        )?,
        order => return Err(format!("{name} is of order {order}")),
    };
    let symmetric = path.as_deref().filter(|_| coo.rank() == 2).and_then(symmetric);
    let facts = Facts::of(&coo, symmetric);
    Ok(Source { name, coo, facts, path })
}

/// Whether a file of coordinates stores both triangles as one.
fn symmetric(path: &Path) -> Option<bool> {
    let file = std::fs::File::open(path).ok()?;
    let mut text: Box<dyn Read> = Box::new(file);
    if path.extension().is_some_and(|e| e == "gz") {
        text = Box::new(flate2::read::GzDecoder::new(text));
    }
    let mut start = [0; 256];
    let length = text.read(&mut start).ok()?;
    let start = String::from_utf8_lossy(&start[..length]).to_lowercase();
    let first = start.lines().next().filter(|line| line.contains("coordinate"))?;
    Some(first.contains("symmetric"))
}

/// Matrices of kinds that are easily made, larger than a cache, and two tensors.
fn generated(effort: Effort) -> Text<Vec<Source>> {
    let small = effort == Effort::Quick;
    let n = |full: usize| if small { full / 10 } else { full };
    let side = if small { 200 } else { 800 };
    let mut out = Vec::new();
    let mut add = |name: &str, coo: Coo| made(name.into(), coo, None).map(|s| out.push(s));
    add("stencil of 5 points", super::text(inputs::stencil(side))?)?;
    add("uniform, 10 a row", super::text(inputs::uniform(n(200_000), 10, 5))?)?;
    add("power law, 16 a row", power_law(n(130_000), 16, 7)?)?;
    add("blocks of 3x3", super::text(inputs::blocks(n(30_000), 3, 6))?)?;
    add("uniform 2000x3000x4000", super::text(inputs::tensor([2000, 3000, 4000], n(2_000_000), 11))?)?;
    add("uniform 200x300x400", super::text(inputs::tensor([200, 300, 400], n(1_000_000), 12))?)?;
    Ok(out)
}
