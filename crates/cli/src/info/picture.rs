//! The pattern of a matrix as SVG and PNG: darker where more of a cell is stored.

use super::spy::Grid;
use openwork::{Error, Result};
use openwork_storage::structure::Elements;
use std::ops::Range;

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
    let grid = Grid::count(e, CELLS, CELLS);
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

/// The picture as PNG: the rectangles of the SVG, a byte per pixel.
///
/// # Errors
/// A bug when the encoder refuses what was drawn.
pub(crate) fn png(e: &Elements) -> Result<Vec<u8>> {
    let canvas = Canvas::from_grid(&Grid::count(e, CELLS, CELLS));
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(PALETTE.iter().chain(&SHADES).flat_map(|c| rgb(c)).collect::<Vec<u8>>());
    let written = encoder.write_header().and_then(|mut w| w.write_image_data(&canvas.pixels));
    written.map_err(|e| Error::bug("picture", e.to_string(), ""))?;
    Ok(out)
}

/// What surrounds the cells: the page, the frame, an empty cell. The shades follow in the palette.
const PALETTE: [&str; 3] = ["#ffffff", "#888888", "#fafafa"];

/// Pixels as numbers in the palette, row by row.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn from_grid(grid: &Grid) -> Canvas {
        let side = PIXELS / grid.width.max(grid.height) as f64;
        let edge = |cell: usize| (MARGIN + cell as f64 * side).round() as usize;
        let around = MARGIN as usize;
        let (width, height) = (edge(grid.width) + around, edge(grid.height) + around);
        let mut canvas = Canvas { width, height, pixels: vec![0; width * height] };
        canvas.fill(around - 1..edge(grid.width) + 1, around - 1..edge(grid.height) + 1, 1);
        for (n, &count) in grid.counts.iter().enumerate() {
            let (x, y) = (n % grid.width, n / grid.width);
            let colour = shade_of(grid, count).map_or(2, |shade| PALETTE.len() + shade);
            canvas.fill(edge(x)..edge(x + 1), edge(y)..edge(y + 1), colour as u8);
        }
        canvas
    }
    fn fill(&mut self, across: Range<usize>, down: Range<usize>, colour: u8) {
        for y in down {
            self.pixels[y * self.width..][across.clone()].fill(colour);
        }
    }
}

/// The bytes of `#rrggbb`.
fn rgb(colour: &str) -> [u8; 3] {
    let bits = u32::from_str_radix(&colour[1..], 16).unwrap_or(0);
    [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]
}
