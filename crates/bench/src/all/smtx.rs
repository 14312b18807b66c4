//! Patterns of pruned layers in `.smtx` files: three lines, with sizes, positions and columns.

use super::Text;
use crate::inputs::BenchRandom;
use openwork::{Buffer, Coo};
use std::io::Read;
use std::path::Path;

/// The matrix of a file, with random values.
///
/// # Errors
/// When the file cannot be read, or does not hold what it says.
pub fn read(path: &Path) -> Text<Coo> {
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut text = String::new();
    let read = match path.extension() {
        Some(e) if e == "gz" => flate2::read::GzDecoder::new(file).read_to_string(&mut text),
        _ => { file }.read_to_string(&mut text),
    };
    read.map_err(|e| e.to_string())?;
    parse_smtx(&text)
}

fn parse_smtx(text: &str) -> Text<Coo> {
    let mut lines = text.lines().map(|line| {
        let words = line.split([',', ' ']).filter(|w| !w.is_empty());
        words.map(|w| w.parse::<usize>().map_err(|e| e.to_string())).collect::<Text<Vec<usize>>>()
    });
    let mut next = || lines.next().unwrap_or_else(|| Err("the file ends early".into()));
    let (sizes, pos, cols) = (next()?, next()?, next()?);
    let &[rows, columns, nnz] = &sizes[..] else { return Err("three sizes come first".into()) };
    if pos.len() != rows + 1 || pos[rows] != nnz || cols.len() != nnz || pos.windows(2).any(|p| p[0] > p[1]) {
        return Err("positions and columns of other sizes".into());
    }
    let row = (0..rows).flat_map(|i| std::iter::repeat_n(i as i32, pos[i + 1] - pos[i]));
    let col = cols.iter().map(|&j| j as i32);
    let mut random = BenchRandom(nnz as u64);
    let vals: Vec<f64> = (0..nnz).map(|_| random.unit() - 0.5).collect();
    let coords = vec![Buffer::from(row.collect::<Vec<_>>()), Buffer::from(col.collect::<Vec<_>>())];
    super::text(Coo::new(vec![rows, columns], coords, Buffer::from(vals)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_pattern_are_read() {
        let coo = parse_smtx("2, 3, 3\n0 1 3\n2 0 1\n").expect("a pattern");
        assert_eq!((coo.shape(), coo.coords_of(2)), (&[2, 3][..], vec![1, 1]));
        assert!(parse_smtx("2, 3, 3\n0 1 3\n2 0\n").is_err());
    }
}
