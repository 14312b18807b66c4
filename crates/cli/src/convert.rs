//! `openwork convert`: from one file and format to another.

use crate::args::{ConvertArgs, OutputMode};
use crate::operands;
use crate::progress;
use crate::request;
use crate::summary::{ReasonLine, TENSOR_SIDES, TensorLine, json};
use crate::table::{self, CellSide, millis, percent, table};
use crate::target;
use openwork::{
    Catalog, Converted, Format, Result, Session, Source, Tensor, conversion_footprint, conversion_stages,
};
use openwork_storage::elements;
use serde::Serialize;
use std::time::Instant;

/// What `convert` reports.
#[derive(Serialize)]
struct ConvertReport {
    #[serde(flatten)]
    target: TensorLine,
    /// The tensor as it was read.
    source: TensorLine,
    /// Stored values that are elements; the others are padding.
    elements: usize,
    padding: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversion: Option<KernelConversion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ConvertExplanation>,
}

/// How a kernel converted.
#[derive(Serialize)]
struct KernelConversion {
    direct: bool,
    how: String,
    steps: Vec<ReasonLine>,
    compile_ms: f64,
    run_ms: f64,
}

/// What is known before.
#[derive(Serialize)]
struct ConvertExplanation {
    values: u128,
    bytes: u128,
    cin: String,
    loops: String,
}

/// Converts and gives what is printed.
///
/// # Errors
/// Every diagnostic of the flags and the files, `E0602` for a format that cannot hold the tensor, `E0605` for one that
/// would take more memory than the limit.
pub(crate) fn convert(args: &ConvertArgs) -> Result<String> {
    let dtype = args.dtype.as_deref().map(|text| request::dtype(&Source::new("-t", text))).transpose()?;
    // The number of modes is known once the file is read; until then only the name and the folder can be wrong.
    target::tensor_file(&args.to_file, 0)?;
    let start = Instant::now();
    let coo = progress::read(&args.from, None, dtype, args.base.is_zero())?;
    target::tensor_file(&args.to_file, coo.rank())?;
    let wanted = args
        .to
        .as_ref()
        .map(|text| Catalog::default().parse(&Source::new("--to", text.as_str()), coo.rank()));
    let wanted = wanted.transpose()?;
    let name = args.from.display().to_string();
    let found = operands::file_format(&args.from, &coo).0;
    // The background of a file is what the format asked for says it is.
    let fill = wanted.as_ref().and_then(|f| f.fill.clone());
    let source = operands::pack_entries(&name, &coo, &Format { fill, ..found })?;
    drop(coo);
    let load_ms = Some(start.elapsed().as_secs_f64() * 1e3);
    let explanation =
        wanted.as_ref().filter(|_| args.explain).map(|f| explain_conversion(args, &source, f)).transpose()?;
    let to = |f: &Format| {
        progress::run_with_message(format!("converting to {f}"), || {
            openwork::convert(Session::global(), &source, f)
        })
    };
    let converted = wanted.as_ref().map(to).transpose()?;
    let result = converted.as_ref().map_or(&source, |c| &c.tensor);
    progress::write(&args.to_file, result)?;
    let elements = elements(result);
    let report = ConvertReport {
        target: TensorLine {
            files: Some(vec![args.to_file.display().to_string()]),
            load_ms,
            ..TensorLine::from_tensor(&name, result)
        },
        source: TensorLine::from_tensor(&name, &source),
        elements,
        padding: if result.slots() == 0 { 0.0 } else { 1.0 - elements as f64 / result.slots() as f64 },
        conversion: converted.as_ref().map(KernelConversion::from_converted),
        explanation,
    };
    Ok(match args.json.mode() {
        OutputMode::Json => json(&report),
        OutputMode::Human => report.human(start.elapsed().as_secs_f64() * 1e3),
    })
}

/// What will be done, printed before it is: a conversion that runs out of memory has been explained by then.
fn explain_conversion(args: &ConvertArgs, source: &Tensor, format: &Format) -> Result<ConvertExplanation> {
    let stages = conversion_stages(Session::global(), source, format)?;
    let (cin, loops) = (stages.cin(), stages.loops_text());
    let size = conversion_footprint(source, format);
    if args.json.mode() == OutputMode::Human {
        let size = match &size {
            Ok(f) => format!("{} in {} stored values", table::bytes(saturate(f.bytes)), f.values),
            Err(_) => "more than the memory limit".into(),
        };
        let text = format!("cin\n{}\nloops\n{}\nwill take {size}\n", cin.trim_end(), loops.trim_end());
        crate::print(&text)?;
    }
    let size = size?;
    Ok(ConvertExplanation { values: size.values, bytes: size.bytes, cin, loops })
}
fn saturate(n: u128) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

impl KernelConversion {
    fn from_converted(c: &Converted) -> KernelConversion {
        let step = |(choice, because): &(String, String)| ReasonLine {
            choice: choice.clone(),
            because: because.clone(),
        };
        KernelConversion {
            direct: c.direct,
            how: c.how.clone(),
            steps: c.steps.iter().map(step).collect(),
            compile_ms: c.compile_time.as_secs_f64() * 1e3,
            run_ms: c.time.as_secs_f64() * 1e3,
        }
    }
}

impl ConvertReport {
    fn human(self, total_ms: f64) -> String {
        let ConvertReport { target, source, elements, padding, conversion, .. } = self;
        let (from, to) = (source.format.clone(), target.format.clone());
        let values = format!("{elements} elements, {} of the stored values are padding", percent(padding));
        let lines = match &conversion {
            Some(_) => vec![source.cells(), TensorLine { load_ms: None, ..target }.cells()],
            None => vec![TensorLine { load_ms: None, ..target }.cells()],
        };
        let mut out = table(&TENSOR_SIDES, &lines);
        let mut rows = vec![vec!["elements".to_string(), values]];
        if let Some(how) = conversion {
            let times = format!("{} to compile, {} to run", millis(how.compile_ms), millis(how.run_ms));
            rows.push(vec!["converted".into(), format!("{from} to {to} {}", how.how)]);
            rows.push(vec![String::new(), times]);
            let reason = |r: &ReasonLine| vec![String::new(), format!("{}: {}", r.choice, r.because)];
            rows.extend(how.steps.iter().map(reason));
        }
        rows.push(vec!["total".into(), millis(total_ms)]);
        out += &table(&[CellSide::Left, CellSide::Left], &rows);
        out
    }
}
