//! Tensors converted into another format by a generated kernel.
//!
//! The statement is `B(i,j) = A(i,j)`. Where the levels of the target can place elements, the kernel assembles it
//! directly from the source; otherwise it goes through another format, and storage packs the rest.

use crate::ext::TensorExt;
use crate::kernel::Outcome;
use crate::ran::{ConversionWay, Ran};
use crate::session::Session;
use crate::stages::Stages;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_format::Format;
use openwork_index::{Decl, Decls};
use openwork_planner::{Step, plain_format};
use openwork_storage::{Footprint, Tensor, footprint, unpack};
use std::time::{Duration, Instant};

/// A converted tensor, and how it was made.
#[derive(Debug)]
pub struct Converted {
    /// The tensor.
    pub tensor: Tensor,
    /// Whether one kernel assembled it directly from the source.
    pub direct: bool,
    /// How it was made, in words.
    pub how: String,
    /// The choices of the planner for the kernel that ran, and why.
    pub steps: Vec<(String, String)>,
    /// From text to callable code.
    pub compile_time: Duration,
    /// Everything after that, steps outside of the kernel included.
    pub time: Duration,
}

/// The fill value of a tensor in a format: the format's where it names one, else the source's.
fn fill(source: &Tensor, format: &Format) -> Scalar {
    let named = format.fill.as_ref().and_then(|_| format.fill_value(source.dtype()));
    named.unwrap_or(source.fill())
}

/// The statement that copies a tensor of `rank` modes, and its declarations.
fn statement(source: &Tensor, format: &Format) -> (String, Decls) {
    let names: Vec<String> = (0..source.rank()).map(|m| format!("i{m}")).collect();
    let at = if names.is_empty() { String::new() } else { format!("({})", names.join(",")) };
    let decl = |format: &Format, fill: Scalar| Decl {
        dtype: Some(source.dtype()),
        format: Some(format.clone().with_fill(fill.to_string())),
        shape: Some(source.shape().to_vec()),
        stored: None,
        elements: None,
    };
    let mut decls = Decls::default();
    decls.tensors.insert("A".into(), decl(source.format(), source.fill()));
    decls.tensors.insert("B".into(), decl(&format.resolve(source.shape()), fill(source, format)));
    (format!("B{at} = A{at}"), decls)
}

/// How [`convert`] would make the tensor, without making it.
///
/// # Errors
/// Every diagnostic of a statement.
pub fn conversion_stages(session: &Session, source: &Tensor, format: &Format) -> Result<Stages> {
    let (text, decls) = statement(source, format);
    session.stages(&text, &decls)
}

/// How large the tensor would be that [`convert`] makes, exactly, from its elements.
///
/// # Errors
/// `E0602` for a format that cannot hold the tensor, `E0605` for index arrays beyond the memory limit.
pub fn conversion_footprint(source: &Tensor, format: &Format) -> Result<Footprint> {
    footprint(&unpack(source)?, format, fill(source, format))
}

/// Converts a tensor; the fill value stays unless the format names another one, which coordinates that are not stored
/// then have.
///
/// ```
/// use openwork::{Format, FormatExt, Scalar, Session, Tensor, TensorExt, convert};
/// let entries = [(vec![0, 1], Scalar::F64(2.0)), (vec![1, 2], Scalar::F64(5.0))];
/// let a = Tensor::pack(&[3, 3], &entries, &Format::parse("csr", 2)?)?;
/// let b = convert(Session::global(), &a, &Format::parse("dia", 2)?)?;
/// assert!(b.direct);
/// assert_eq!((b.tensor.nnz(), b.tensor.get(&[1, 2])), (2, Some(Scalar::F64(5.0))));
/// # Ok::<(), openwork::Error>(())
/// ```
///
/// # Errors
/// Every diagnostic of a statement; `E0602` for a format that cannot hold the tensor, `E0605` beyond the memory limit.
pub fn convert(session: &Session, source: &Tensor, format: &Format) -> Result<Converted> {
    let wanted = fill(source, format);
    if !wanted.is_same(source.fill()) {
        // The elements stay and the background changes, which no statement says.
        let start = Instant::now();
        let tensor = source.to_format(format)?;
        let how = format!("{}, as the fill value becomes {wanted}", ConversionWay::Packed);
        let (compile_time, time, steps) = (Duration::ZERO, start.elapsed(), Vec::new());
        return Ok(Converted { tensor, direct: false, how, steps, compile_time, time });
    }
    let (text, decls) = statement(source, format);
    let kernel = session.compile(&text, &decls)?;
    let stages = kernel.stages();
    let compile_time = kernel.compile_time();
    let start = Instant::now();
    let Outcome { tensor, ran, .. } = kernel.run(&[("A", source)])?;
    let time = start.elapsed();
    let by_kernel = stages.variants()[ran.variant - 1].steps.contains(&Step::Kernel);
    let reasons = stages.plan.reasons.iter().filter(|_| by_kernel);
    let steps = reasons.map(|r| (r.choice.clone(), r.because.clone())).collect();
    let direct = by_kernel && ran.conversions.is_empty();
    Ok(Converted { tensor, direct, how: how_it_was_made(stages, &ran, by_kernel), steps, compile_time, time })
}

/// What a run of a copy did, in words.
fn how_it_was_made(stages: &Stages, ran: &Ran, by_kernel: bool) -> String {
    let done: Vec<String> = ran.conversions.iter().map(|c| format!("`{}` {}", c.tensor, c.how)).collect();
    match (by_kernel, ran.conversions.last()) {
        (true, None) => "directly, by one kernel".into(),
        (true, Some(_)) => {
            let made = stages.plan.program.tensors[stages.result()].declared_format();
            format!("by a kernel that makes `B` as {}, and {}", plain_format(&made), done.join(", and "))
        }
        (false, Some(last)) => format!("by storage, without a kernel of the plan: {}", last.how),
        (false, None) => "by storage, without a kernel of the plan".into(),
    }
}
