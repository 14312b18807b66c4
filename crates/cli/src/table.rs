//! Aligned text, and numbers as people read them.

/// Which side the cells of a column lean to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellSide {
    Left,
    Right,
}

/// Rows of cells as lines, every column as wide as its widest cell.
pub(crate) fn table(sides: &[CellSide], rows: &[Vec<String>]) -> String {
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..sides.len()).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(sides.iter().zip(&widths))
            .map(|(text, (side, width))| match side {
                // `{:<width$}` panics beyond 65,535 columns.
                CellSide::Left => format!("{text}{}", " ".repeat(width - text.chars().count())),
                CellSide::Right => format!("{}{text}", " ".repeat(width - text.chars().count())),
            })
            .collect();
        out.push_str(format!("  {}", cells.join("  ")).trim_end());
        out.push('\n');
    }
    out
}

/// A duration in milliseconds with its unit.
pub(crate) fn millis(ms: f64) -> String {
    match ms {
        ms if ms < 0.001 => format!("{:.0} ns", ms * 1e6),
        ms if ms < 1.0 => format!("{:.1} us", ms * 1e3),
        ms if ms < 1000.0 => format!("{ms:.2} ms"),
        ms => format!("{:.2} s", ms / 1e3),
    }
}

/// A number of bytes with its unit.
pub(crate) fn bytes(n: usize) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if n < 1000 {
        return format!("{n} B");
    }
    let (mut x, mut unit) = (n as f64 / 1e3, 0);
    while x >= 999.95 && unit + 1 < units.len() {
        (x, unit) = (x / 1e3, unit + 1);
    }
    format!("{x:.1} {}", units[unit])
}

/// A shape as `3 x 4`; `scalar` for no modes.
pub(crate) fn shape(shape: &[usize]) -> String {
    match shape {
        [] => "scalar".into(),
        modes => modes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x "),
    }
}

/// A part of one in per cent, with enough digits to be told from none.
pub(crate) fn percent(part: f64) -> String {
    match part * 100.0 {
        0.0 => "0 %".into(),
        p if p >= 0.1 => format!("{p:.1} %"),
        p => format!("{p:.2e} %"),
    }
}
