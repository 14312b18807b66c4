//! `openwork convert`: from one file and format to another.

use crate::args::{ConvertArgs, Mode};
use crate::operands;
use crate::progress;
use crate::request;
use crate::summary::{TENSOR_SIDES, TensorLine, json};
use crate::table::{millis, table};
use crate::target;
use openwork::{Catalog, Result, Source};
use openwork_storage::files;
use std::time::Instant;

/// Converts and gives what is printed.
///
/// # Errors
/// Every diagnostic of the flags and the files.
pub(crate) fn convert(args: &ConvertArgs) -> Result<String> {
    let dtype = args.dtype.as_deref().map(|text| request::dtype(&Source::new("-t", text))).transpose()?;
    // The number of modes is known once the file is read; until then only the name and the folder can be wrong.
    target::tensor_file(&args.to_file, 0)?;
    let start = Instant::now();
    let coo = progress::read(&args.from, None, dtype)?;
    target::tensor_file(&args.to_file, coo.rank())?;
    let format = match &args.to {
        Some(text) => Catalog::default().parse(&Source::new("--to", text.as_str()), coo.rank())?,
        None => operands::file_format(&args.from, coo.rank()).0,
    };
    let name = args.from.display().to_string();
    let tensor = operands::packed(&name, &coo, &format)?;
    drop(coo);
    let load = start.elapsed();
    files::write(&args.to_file, &tensor)?;
    let written = vec![args.to_file.display().to_string()];
    let load_ms = Some(load.as_secs_f64() * 1e3);
    let line = TensorLine { files: Some(written), load_ms, ..TensorLine::of(&name, &tensor) };
    Ok(match args.json.mode() {
        Mode::Json => json(&line),
        Mode::Human => {
            let cells = TensorLine { load_ms: None, ..line }.cells();
            let total = millis(start.elapsed().as_secs_f64() * 1e3);
            format!("{}  in {total}\n", table(&TENSOR_SIDES, &[cells]).trim_end())
        }
    })
}
