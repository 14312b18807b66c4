//! The pattern of a matrix as SVG and PNG: darker where more of a cell is stored.

use super::spy::Grid;
use openwork::{Error, Result};
use openwork_storage::structure::Elements;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Cells along the longer side.
const CELLS: usize = 256;
/// Pixels along the longer side, margins aside.
const PIXELS: f64 = 768.0;
/// White around the frame.
const MARGIN: f64 = 16.0;
/// Shades from the least to the most filled cells.
const SHADES: [&str; 5] = ["#9db8d9", "#6f97c8", "#4475b3", "#24548f", "#0b2f5c"];

/// The picture as SVG.
pub(crate) fn svg(e: &Elements) -> String {
    let grid = Grid::of(e, CELLS, CELLS);
    let side = PIXELS / grid.width.max(grid.height) as f64;
    let (width, height) = (grid.width as f64 * side, grid.height as f64 * side);
    let (all_wide, all_high) = ((width + 2.0 * MARGIN).ceil(), (height + 2.0 * MARGIN).ceil());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all_wide}\" height=\"{all_high}\" \
         viewBox=\"0 0 {all_wide} {all_high}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <g transform=\"translate({MARGIN},{MARGIN})\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fafafa\" stroke=\"#888888\"/>\n\
         <g transform=\"scale({side})\">\n"
    );
    for (shade, colour) in SHADES.iter().enumerate() {
        let path = runs(&grid, shade);
        if !path.is_empty() {
            out += &format!("<path fill=\"{colour}\" d=\"{path}\"/>\n");
        }
    }
    out + "</g>\n</g>\n</svg>\n"
}

/// The cells of one shade, neighbours in a row as one rectangle.
fn runs(grid: &Grid, shade: usize) -> String {
    let mut path = String::new();
    for (y, row) in grid.counts.chunks(grid.width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|&a, &b| shade_of(grid, a) == shade_of(grid, b)) {
            let len = run.len();
            if run.first().and_then(|&n| shade_of(grid, n)) == Some(shade) {
                path += &format!("M{x} {y}h{len}v1h-{len}z");
            }
            x += len;
        }
    }
    path
}

/// The shade of a cell with `n` entries; `None` for an empty one.
fn shade_of(grid: &Grid, n: u32) -> Option<usize> {
    // The square root keeps thin patterns visible beside dense ones.
    let part = (n as f64 / (grid.scale * grid.scale)).min(1.0).sqrt();
    (n > 0).then(|| ((part * SHADES.len() as f64).ceil() as usize).clamp(1, SHADES.len()) - 1)
}

/// The picture as PNG.
///
/// # Errors
/// A bug when our own SVG cannot be drawn.
pub(crate) fn png(e: &Elements) -> Result<Vec<u8>> {
    let text = svg(e);
    let broken = |what: String| Error::bug("picture", what, "");
    let tree = Tree::from_str(&text, &Options::default()).map_err(|e| broken(e.to_string()))?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| broken(format!("a picture of {} x {}", size.width(), size.height())))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| broken(e.to_string()))
}
