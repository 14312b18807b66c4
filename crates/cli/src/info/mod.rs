//! `openwork info`: what is in a file.

mod matrix;
mod picture;
mod recommend;
mod spy;
mod tensor;
mod values;

use crate::args::{InfoArgs, OutputMode};
use crate::fault;
use crate::header::{self, FileHeader};
use crate::progress;
use crate::summary::json;
use crate::table::{self, CellSide, table};
use crate::target::{self, Picture};
use matrix::Matrix;
use openwork::Result;
use openwork_storage::structure::{Elements, Structure};
use recommend::Advice;
use serde::Serialize;
use tensor::Modes;
use values::ValueStats;

/// Everything that is known of a file.
#[derive(Serialize)]
struct InfoReport {
    file: String,
    shape: Vec<usize>,
    /// Stored entries after duplicates were added up.
    nnz: usize,
    duplicates: usize,
    density: f64,
    dtype: &'static str,
    /// The symmetry the file declares.
    declared_symmetry: Option<String>,
    field: Option<String>,
    values: ValueStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<Matrix>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<Modes>,
    /// The format to store a matrix in, and why.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    advice: Option<Advice>,
}

/// Reads a file and gives what is printed.
///
/// # Errors
/// The errors of reading, and `E0809` for a picture that cannot be drawn.
pub(crate) fn info(args: &InfoArgs) -> Result<String> {
    let plot = args.plot.as_deref().map(|path| target::picture(path).map(|p| (path, p))).transpose()?;
    let FileHeader { symmetry, field, .. } = header::peek(&args.file);
    let coo = progress::read(&args.file, None, None, args.base.is_zero())?;
    let (shape, listed) = (coo.shape().to_vec(), coo.len());
    let size: f64 = shape.iter().map(|&d| d as f64).product();
    let mut report = InfoReport {
        file: args.file.display().to_string(),
        nnz: 0,
        duplicates: 0,
        density: 0.0,
        dtype: coo.dtype().name(),
        declared_symmetry: symmetry,
        field,
        values: ValueStats::default(),
        matrix: None,
        modes: None,
        advice: None,
        shape,
    };
    let mut picture = String::new();
    if coo.rank() == 2 {
        let entries = Elements::from_coo(&coo)?;
        drop(coo);
        let structure = Structure::measure(&entries);
        report.nnz = entries.len();
        report.values = ValueStats::measure(entries.vals());
        report.advice = Some(Advice::from_structure(&structure, entries.vals().dtype()));
        report.matrix = Some(Matrix::from_structure(&structure));
        picture = spy::text(&entries);
        match plot {
            Some((path, Picture::Svg)) => target::write_whole(path, picture::svg(&entries).as_bytes())?,
            Some((path, Picture::Png)) => target::write_whole(path, &picture::png(&entries)?)?,
            None => {}
        }
    } else if let Some((path, _)) = plot {
        let message = format!("cannot draw {}: the file holds no matrix", path.display());
        return Err(fault::rejection(fault::PLOT, message, "leave --plot out"));
    } else {
        let (modes, values) = Modes::measure(&coo)?;
        (report.nnz, report.values, report.modes) = (modes.nnz, values, Some(modes));
    }
    report.duplicates = listed - report.nnz;
    report.density = if size == 0.0 { 0.0 } else { report.nnz as f64 / size };
    Ok(match args.json.mode() {
        OutputMode::Json => json(&report),
        OutputMode::Human => report.human() + &picture,
    })
}

/// A row of a two-column table.
fn row(name: &str, text: impl Into<String>) -> Vec<String> {
    vec![name.into(), text.into()]
}

impl InfoReport {
    fn human(&self) -> String {
        let mut rows = vec![
            row("shape", table::shape(&self.shape)),
            row("stored", format!("{} ({} of all)", self.nnz, table::percent(self.density))),
        ];
        if self.duplicates > 0 {
            rows.push(row("duplicates", format!("{}, added up", self.duplicates)));
        }
        let field = self.field.as_ref().map_or(String::new(), |f| format!(" (field {f})"));
        rows.push(row("dtype", format!("{}{field}", self.dtype)));
        rows.extend(self.values.rows());
        let declared = self.declared_symmetry.as_ref();
        rows.extend(declared.map(|s| row("declared", s.as_str())));
        rows.extend(self.matrix.iter().flat_map(Matrix::rows));
        rows.extend(self.modes.iter().flat_map(Modes::rows));
        let mut out = format!("{}\n{}", self.file, table(&[CellSide::Left, CellSide::Left], &rows));
        out += &self.matrix.as_ref().map_or(String::new(), Matrix::histogram);
        out += &self.advice.as_ref().map_or(String::new(), Advice::text);
        out
    }
}
