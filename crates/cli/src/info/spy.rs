//! The pattern of a matrix as text: a character per entry where it fits, else Braille dots.

use openwork_storage::structure::Elements;

/// Most characters of a line.
const WIDTH: usize = 60;
/// Most lines.
const HEIGHT: usize = 30;

/// Entries counted on a grid with the proportions of the matrix.
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Row by row.
    pub(crate) counts: Vec<u32>,
    /// Matrix rows (and columns) per cell.
    pub(crate) scale: f64,
}

impl Grid {
    /// Counts the entries on a grid of at most so many cells.
    pub(crate) fn count(e: &Elements, most_wide: usize, most_high: usize) -> Grid {
        let [rows, cols] = e.shape();
        let scale = (rows as f64 / most_high as f64).max(cols as f64 / most_wide as f64).max(1.0);
        let cells = |size: usize, most: usize| ((size as f64 / scale).ceil() as usize).clamp(1, most);
        let (width, height) = (cells(cols, most_wide), cells(rows, most_high));
        let mut counts = vec![0u32; width * height];
        for (i, j) in e.places() {
            let cell = |at: u64, most: usize| ((at as f64 / scale) as usize).min(most - 1);
            let n = &mut counts[cell(i, height) * width + cell(j, width)];
            *n = n.saturating_add(1);
        }
        Grid { width, height, counts, scale }
    }
}

/// The pattern in a frame.
pub(crate) fn text(e: &Elements) -> String {
    let [rows, cols] = e.shape();
    if rows == 0 || cols == 0 {
        return String::new();
    }
    let lines = if rows <= HEIGHT && cols <= WIDTH / 2 { letters(e) } else { braille(e) };
    let width = lines.first().map_or(0, |l| l.chars().count());
    let mut out = format!("+{}+\n", "-".repeat(width));
    for line in lines {
        out += &format!("|{line}|\n");
    }
    out + &format!("+{}+\n", "-".repeat(width))
}

/// Two characters per entry, which makes them about square.
fn letters(e: &Elements) -> Vec<String> {
    let grid = Grid::count(e, WIDTH, HEIGHT);
    let line = |row: &[u32]| row.iter().map(|&n| if n > 0 { "*" } else { "." }).collect::<Vec<_>>().join(" ");
    grid.counts.chunks(grid.width).map(line).collect()
}

/// Two by four dots per character.
fn braille(e: &Elements) -> Vec<String> {
    // Dot (row, column) of a character is this bit of its code point.
    const BITS: [[u32; 2]; 4] = [[0, 3], [1, 4], [2, 5], [6, 7]];
    let grid = Grid::count(e, WIDTH * 2, HEIGHT * 4);
    let character = |y: usize, x: usize| {
        let mut code = 0x2800;
        for (dy, bits) in BITS.iter().enumerate() {
            for (dx, bit) in bits.iter().enumerate() {
                let (row, col) = (4 * y + dy, 2 * x + dx);
                if row < grid.height && col < grid.width && grid.counts[row * grid.width + col] > 0 {
                    code |= 1 << bit;
                }
            }
        }
        char::from_u32(code).unwrap_or(' ')
    };
    let line = |y: usize| (0..grid.width.div_ceil(2)).map(|x| character(y, x)).collect();
    (0..grid.height.div_ceil(4)).map(line).collect()
}
