//! The matrices and tensors: whatever is in the data folder, and a few of our own.

use super::Text;
use super::facts::{MatrixFacts, MatrixKind, sort_by_difference};
use super::family::Family;
use super::{pictures, smtx};
use crate::sparse::inputs::{power_law, sort_coordinates};
use crate::timing::Effort;
use crate::{applied, inputs};
use openwork::{Coo, DType};
use openwork_storage::files;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A matrix or tensor.
pub struct MatrixSource {
    pub name: String,
    /// Sorted, without duplicates.
    pub coo: Coo,
    pub facts: MatrixFacts,
    /// The file that it is from.
    pub path: Option<PathBuf>,
}

/// Kernels on fewer entries take as long as a call.
const LEAST: usize = 5000;

fn size_limit(effort: Effort) -> usize {
    if effort == Effort::Quick { 800_000 } else { 20_000_000 }
}

/// Everything that is measured.
///
/// # Errors
/// When one of our own cannot be made.
pub fn list_sources(family: Family, folder: &Path, effort: Effort) -> Text<Vec<MatrixSource>> {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let mut found: Vec<MatrixSource> = Vec::new();
    let mut skipped: Vec<(String, String)> = Vec::new();
    for path in paths {
        let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        let source = match family.takes(&name) {
            true => read(family, &path),
            false => Err("of another format".into()),
        };
        match source.and_then(|s| suitable(s, &found, effort)) {
            Ok(source) => found.push(source),
            Err(why) => skipped.push((why, name)),
        }
    }
    if family == Family::Arrays {
        tell(skipped);
        let (pictures, arrays): (Vec<MatrixSource>, Vec<MatrixSource>) =
            found.into_iter().partition(|s| s.facts.kind == MatrixKind::Image);
        let arrays = in_order(arrays);
        let arrays = if effort == Effort::Quick { first(arrays) } else { arrays };
        let own = trees(effort)?.into_iter().chain(squares(effort)?);
        return Ok(own.chain(pictures).chain(arrays).collect());
    }
    if found.is_empty() {
        println!("nothing to read under {}: generated matrices only", folder.display());
    }
    let few = effort == Effort::Quick && !found.is_empty();
    if !few {
        found.extend(generate_sources(effort)?);
    }
    let all = in_order(found);
    let others = if few { first(all) } else { all };
    Ok(applied_ones()?.into_iter().chain(others).collect())
}

/// A source that is large enough and not too large, and not there yet.
fn suitable(source: MatrixSource, found: &[MatrixSource], effort: Effort) -> Text<MatrixSource> {
    let nnz = source.facts.nnz;
    if source.facts.kind == MatrixKind::Array && nnz < LEAST {
        return Err(format!("fewer than {LEAST} entries"));
    }
    if nnz > size_limit(effort) {
        return Err(format!("more than {} entries", size_limit(effort)));
    }
    match found.iter().find(|s| s.name == source.name && s.coo == source.coo) {
        Some(_) => Err("there twice".into()),
        None => Ok(source),
    }
}

/// Says what is left out, by the reasons.
fn tell(mut skipped: Vec<(String, String)>) {
    skipped.sort();
    for all in skipped.chunk_by(|a, b| a.0 == b.0) {
        let names: Vec<&str> = all.iter().map(|(_, name)| name.as_str()).collect();
        println!("skipped, {}: {}", all[0].0, names.join(", "));
    }
}

/// The first moves of a game of chess, most of them pruned: 20 openings on both sides, then 43 moves.
fn trees(effort: Effort) -> Text<Vec<MatrixSource>> {
    let part = if effort == Effort::Quick { 10 } else { 1 };
    let tree = |(order, leaves): (usize, usize)| {
        let shape: Vec<usize> = [20, 20].into_iter().chain((2..order).map(|_| 43)).collect();
        let coo = super::text(inputs::leaves(&shape, leaves, order as u64))?;
        let mut source = make_source(Family::Arrays, format!("chess, {order} moves"), coo, None)?;
        source.facts.kind = MatrixKind::Tree;
        Ok(source)
    };
    [(3, 5000), (5, 1_000_000 / part), (7, 3_000_000 / part)].into_iter().map(tree).collect()
}

/// Square matrices of growing size with one entry in a hundred.
fn squares(effort: Effort) -> Text<Vec<MatrixSource>> {
    let sizes: &[usize] = if effort == Effort::Quick { &[1000, 2000] } else { &[1000, 2000, 4000, 8000] };
    let square = |&n: &usize| {
        make_source(
            Family::Arrays,
            format!("1 % of {n}x{n}"),
            super::text(inputs::uniform(n, n / 100, 21))?,
            None,
        )
    };
    sizes.iter().map(square).collect()
}

/// Tensors from the largest on, then matrices, each as unlike those before as possible: whoever stops early has seen most.
fn in_order(found: Vec<MatrixSource>) -> Vec<MatrixSource> {
    let (mut out, matrices): (Vec<MatrixSource>, Vec<MatrixSource>) =
        found.into_iter().partition(|s| !s.facts.is_matrix());
    out.sort_by_key(|s| std::cmp::Reverse(s.facts.nnz));
    let order = sort_by_difference(&matrices.iter().map(|s| &s.facts).collect::<Vec<_>>());
    let mut matrices: Vec<Option<MatrixSource>> = matrices.into_iter().map(Some).collect();
    out.extend(order.into_iter().filter_map(|n| matrices[n].take()));
    out
}

/// Two tensors and six matrices.
fn first(all: Vec<MatrixSource>) -> Vec<MatrixSource> {
    let mut left = [6, 2];
    let mut taken = |s: &MatrixSource| {
        let left = &mut left[usize::from(!s.facts.is_matrix())];
        *left -= i32::from(*left >= 0);
        *left >= 0
    };
    all.into_iter().filter(|s| taken(s)).collect()
}

/// All files below a folder.
fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            collect(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// A file of real numbers; others, and broken ones, are not measured.
fn read(family: Family, path: &Path) -> Text<MatrixSource> {
    let file = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let (name, end) = file.trim_end_matches(".gz").rsplit_once('.').unwrap_or((&file, ""));
    match end {
        "smtx" => make_source(family, name.into(), smtx::read(path)?, None),
        "pgm" | "png" => {
            let mut source = make_source(family, name.into(), pictures::read(path)?, None)?;
            source.facts.kind = MatrixKind::Image;
            Ok(source)
        }
        _ => {
            let coo = files::read(path).and_then(|coo| coo.cast(DType::F64));
            let coo = coo.map_err(|_| "no file of real numbers")?;
            make_source(family, name.into(), coo, Some(path.to_path_buf()))
        }
    }
}

/// A source of entries in any order.
pub fn make_source(family: Family, name: String, coo: Coo, path: Option<PathBuf>) -> Text<MatrixSource> {
    let coo = match (coo.rank(), family) {
        (2, _) => sort_coordinates(coo)?,
        (3, _) | (4.., Family::Arrays) => {
            let fibres = openwork::presets::csf(coo.rank());
            super::text(inputs::pack_with_zero(&coo, &fibres).and_then(|t| openwork_storage::unpack(&t)))?
        }
        (order, _) => return Err(format!("of order {order}")),
    };
    let symmetric = path.as_deref().filter(|_| coo.rank() == 2).and_then(symmetric);
    let facts = MatrixFacts::from_entries(&coo, symmetric);
    Ok(MatrixSource { name, coo, facts, path })
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

/// Small matrices and a tensor as applications have them. They come first: they take little time, and are unlike all others.
fn applied_ones() -> Text<Vec<MatrixSource>> {
    let all = [
        ("knowledge graph", applied::knowledge_graph([3000, 40, 3000], 30_000, 35)),
        ("least squares", applied::least_squares([1850, 712], 31)),
        ("circuit", applied::circuit(1200, 32)),
        ("linear program", applied::linear_program([800, 2000], 33)),
        ("road map", applied::roads(160, 34)),
    ];
    all.into_iter()
        .map(|(name, coo)| make_source(Family::All, name.into(), super::text(coo)?, None))
        .collect()
}

/// Matrices of kinds that are easily made, larger than a cache, and two tensors.
fn generate_sources(effort: Effort) -> Text<Vec<MatrixSource>> {
    let small = effort == Effort::Quick;
    let n = |full: usize| if small { full / 10 } else { full };
    let side = if small { 200 } else { 800 };
    let mut out = Vec::new();
    let mut add =
        |name: &str, coo: Coo| make_source(Family::All, name.into(), coo, None).map(|s| out.push(s));
    add("stencil of 5 points", super::text(inputs::stencil(side))?)?;
    add("uniform, 10 a row", super::text(inputs::uniform(n(200_000), 10, 5))?)?;
    add("power law, 16 a row", power_law(n(130_000), 16, 7)?)?;
    add("blocks of 3x3", super::text(inputs::blocks(n(30_000), 3, 6))?)?;
    add("uniform 2000x3000x4000", super::text(inputs::tensor([2000, 3000, 4000], n(2_000_000), 11))?)?;
    add("uniform 200x300x400", super::text(inputs::tensor([200, 300, 400], n(1_000_000), 12))?)?;
    Ok(out)
}
