//! Statements as C files for other programs ([`openwork_backend_c::program`]).
//!
//! What is printed are the loops as they were lowered, in plain C: compilers make vectors of them themselves, and places
//! where a kernel can be stopped serve only callers in this process.

use crate::form::StatementForm;
use crate::session::Session;
use crate::stages::Stages;
use openwork_algebra::{Arithmetic, DType, Scalar};
use openwork_backend::Target;
use openwork_backend_c::Example;
use openwork_backend_c::program::{self, ArraySource, CEntry, CProgram, NumberSource, ProgramText};
use openwork_base::{Code, Diagnostic, Error, Id, Result};
use openwork_execute::{extents, operands};
use openwork_format::{ArrayRole, Format};
use openwork_index::notation::StatementSyntax;
use openwork_index::schedule::Schedule;
use openwork_index::{Decls, IndexId, TensorId, TensorKind};
use openwork_loops::{BlockLength, BufRole};
use openwork_lower::{Binding, Lowered, Param, Phase};
use openwork_planner::Conversion;
use openwork_storage::generate::{Generated, Generator};
use openwork_storage::{Coo, Tensor, pack, unpack};
use std::collections::BTreeMap;

mod given;

pub use given::CGiven;

/// What a C file is to hold; see [`Session::c_source`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CFile {
    /// The name of the function, with which all names begin that others see.
    pub name: String,
    /// The name of the header, where it is a file of its own.
    pub header: Option<String>,
    /// Which functions it has.
    pub functions: SourceFunctions,
    /// Whether there is a `main` that calls the function with small operands and prints what it makes.
    pub main: bool,
}

impl CFile {
    /// A file with one function of this name.
    pub fn new(name: &str) -> CFile {
        CFile { name: name.into(), header: None, functions: SourceFunctions::All, main: false }
    }
}

/// The functions that a C file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SourceFunctions {
    /// All that there are.
    #[default]
    All,
    /// The one that makes structure and values of the result at once.
    Fused,
    /// The one that makes the structure of a sparse result.
    Assemble,
    /// The one that computes values for a structure that is there; where the result is dense, there is no other.
    Compute,
}

/// A C file and its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CSource {
    /// The C file; with the text of the header in front where that is no file of its own.
    pub source: String,
    /// The header.
    pub header: String,
}

/// What the C compiler makes of loops is its own matter.
fn any_machine() -> Target {
    Target { vector_bytes: 0, accumulators: 1, wide: None, blocks: BlockLength::default(), fuses: true }
}
/// The size of dimensions in examples, where nothing else fixes it.
const SIZE: usize = 6;
/// A name that C does not take, or a file that cannot be made.
const NAME: Code = Code("E0816");

impl Session {
    /// A statement as a C file with typed functions, which needs nothing of Openwork: `name` computes the statement; where
    /// the result is sparse, and its structure can be had apart from its values, `name_assemble` makes the structure and
    /// `name_compute` the values for it. Needs no compiler.
    ///
    /// ```
    /// use openwork::{CFile, DType, Decl, Decls, Format, FormatExt, Schedule, Session};
    /// let mut decls = Decls::default();
    /// for (name, format, rank) in [("A", "csr", 2), ("x", "dense", 1)] {
    ///     let (dtype, format) = (Some(DType::F64), Some(Format::parse(format, rank)?));
    ///     decls.tensors.insert(name.into(), Decl { dtype, format, ..Decl::default() });
    /// }
    /// let file = CFile::new("spmv");
    /// let c = Session::global().c_source("y(i) = A(i,j) * x(j)", &decls, &Schedule::new(), &file)?;
    /// let head = "int spmv(int64_t i_dim, int64_t j_dim, const int64_t *A2_pos, const int32_t *A2_crd, \
    ///             const double *A_vals, const double *x_vals, double *y_vals);";
    /// assert!(c.header.contains(head), "{}", c.header);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every diagnostic of the statement and the schedule; `E0815` where tensors are converted before or after the kernel,
    /// `E0816` for a name that C or C++ does not take; `E0409` where only one phase is wanted, and the structure of the result
    /// cannot be had apart from its values.
    pub fn c_source(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
        file: &CFile,
    ) -> Result<CSource> {
        let (text, statement) = (statement.text(), statement.read()?);
        let stages = self.stages_of_function(&statement, decls, schedule, &file.name)?;
        let phases = self.phases_of(&stages, decls, file.functions)?;
        let result = &stages.plan.program.tensors[stages.result()].name;
        let fallback = self.deciding_for(&stages, Phase::Fused)?;
        let fallbacks: Vec<Option<Stages>> =
            phases.iter().map(|(phase, stages)| self.deciding_for(stages, *phase)).collect::<Result<_>>()?;
        let mut entries = Vec::new();
        if matches!(file.functions, SourceFunctions::All | SourceFunctions::Fused) || phases.is_empty() {
            entries.push(entry(
                &stages,
                fallback.as_ref(),
                &file.name,
                format!("Computes {text}."),
                Phase::Fused,
            ));
        }
        for ((phase, stages), fallback) in phases.iter().zip(&fallbacks) {
            let (end, about) = match phase {
                Phase::Assemble => {
                    ("assemble", format!("Makes the index arrays of {result}, without its values."))
                }
                Phase::Compute | Phase::Lent | Phase::Fused => (
                    "compute",
                    format!("Computes the values of {result} for index arrays that were made before."),
                ),
            };
            entries.push(entry(stages, fallback.as_ref(), &format!("{}_{end}", file.name), about, *phase));
        }
        let example = if file.main { Some(example(&stages, decls)?) } else { None };
        let (name, header) = (file.name.clone(), file.header.clone());
        let program = CProgram {
            name,
            remarks: remarks(&stages, self.arithmetic_of(decls), &text, &file.name, fallback.as_ref()),
            entries,
            header,
            example,
        };
        let ProgramText { source, header } = program::print(&program)?;
        Ok(CSource { source, header })
    }
}

impl Session {
    /// The stages of a statement that one C function of this name computes: the planner's choice, or the cheapest way without
    /// conversions, and with temporaries of a row at most, where that has some.
    ///
    /// # Errors
    /// As [`Session::c_source`].
    fn stages_of_function(
        &self,
        statement: &StatementSyntax,
        decls: &Decls,
        schedule: &Schedule,
        name: &str,
    ) -> Result<Stages> {
        if !program::is_name(name) {
            let message = format!("`{name}` is no name for a function in C and C++");
            let help = "take letters, digits and underscores, and no word of C";
            return Err(Error::rejection(Diagnostic::new(NAME, message).help(help)));
        }
        let stages = self.stages_for(statement, decls, schedule, &any_machine())?;
        let Err(refused) = refuse_conversions(&stages) else { return Ok(stages) };
        // A temporary of several modes takes more memory than the conversion that is refused.
        let large = |s: &Stages| {
            s.plan.program.tensors.iter().any(|(_, t)| t.kind == TensorKind::Temp && t.format.rank() > 1)
        };
        let fits = |s: &Stages| refuse_conversions(s).is_ok() && !large(s);
        let other = || self.other_way(statement, decls, &any_machine(), fits);
        match self.takes_any() && schedule.is_empty() {
            true => other().ok_or(refused),
            false => Err(refused),
        }
    }
    /// The kernel for results in which NaN may stand where an annihilator decides, where that may be.
    ///
    /// # Errors
    /// What lowering refuses.
    fn deciding_for(&self, stages: &Stages, phase: Phase) -> Result<Option<Stages>> {
        if !stages.lowered.may_hide_annihilator || phase == Phase::Assemble {
            return Ok(None);
        }
        let other = self.deciding_stages(stages, phase, &any_machine())?;
        let bufs = |s: &Stages| s.lowered.kernel.bufs.iter().map(|(_, b)| b.clone()).collect::<Vec<_>>();
        // One that takes other buffers cannot stand in.
        let same = bufs(&other) == bufs(stages) && other.lowered.params == stages.lowered.params;
        Ok(same.then_some(other))
    }
    /// The phases that a file has functions for.
    ///
    /// # Errors
    /// `E0409` where one is asked for that cannot be had.
    fn phases_of(
        &self,
        stages: &Stages,
        decls: &Decls,
        asked: SourceFunctions,
    ) -> Result<Vec<(Phase, Stages)>> {
        let dense = stages.plan.program.tensors[stages.result()].format.is_dense();
        let wanted: &[Phase] = match asked {
            SourceFunctions::All => &[Phase::Assemble, Phase::Compute],
            SourceFunctions::Fused => &[],
            SourceFunctions::Compute if dense => &[],
            SourceFunctions::Assemble => &[Phase::Assemble],
            SourceFunctions::Compute => &[Phase::Compute],
        };
        let made =
            wanted.iter().map(|&phase| Ok((phase, self.phase_for(stages, phase, decls, &any_machine())?)));
        match made.collect() {
            Err(Error::Unsupported(_)) if asked == SourceFunctions::All => Ok(Vec::new()),
            made => made,
        }
    }
}

/// Refuses a plan with other steps than its kernel.
fn refuse_conversions(stages: &Stages) -> Result<()> {
    let plain = |f: &Format| Format { pos: None, crd: None, fill: None, ..f.clone() };
    let refused = |message: String, help: String| {
        Err(Error::refusal(Diagnostic::new(Code("E0815"), message).help(help)))
    };
    if let Some(c) = stages.structures().next() {
        let message = format!("{}, which a C file does not do", c.describe_structure());
        return refused(message, format!("give what `{}` stores as an operand of truth values", c.source));
    }
    let mut conversions = stages.conversions();
    if let Some(c) = conversions.find(|c| c.takes_part() || c.takes_diagonal() || c.from != c.format) {
        let message = format!("{}, which a C file does not do", c.describe());
        return match (c.takes_part(), c.takes_diagonal()) {
            (true, _) => {
                refused(message, format!("give that part of `{}` as an operand of its own", c.source))
            }
            (_, true) => refused(message, "give the diagonal as an operand of its own".into()),
            // One declaration serves one of its uses.
            _ if is_read_otherwise(stages, c) => {
                let (name, format) = (&c.source, plain(&c.format));
                refused(message, format!("name the two uses of `{name}` apart, and declare one as {format}"))
            }
            _ => refused(message, format!("declare `{}` as {}", c.source, plain(&c.format))),
        };
    }
    match stages.finish() {
        None => Ok(()),
        Some(format) => {
            let result = &stages.plan.program.tensors[stages.result()];
            let message = format!(
                "`{}` is converted to {} after the kernel, which a C file does not do",
                result.name,
                plain(format)
            );
            refused(message, format!("declare `{}` as {}", result.name, plain(&result.declared_format())))
        }
    }
}

/// Whether the tensor that a conversion takes is read as it is as well, or in a third format.
fn is_read_otherwise(stages: &Stages, c: &Conversion) -> bool {
    let others = stages.conversions().filter(|o| o.source == c.source && o.tensor != c.tensor);
    let given = |id| stages.plan.program.tensors[id].given == c.source && id != c.tensor;
    let operands = || stages.plan.program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand);
    others.count() > 0 || operands().any(|(id, _)| given(id))
}

/// What a reader of the file should know.
fn remarks(
    stages: &Stages,
    arithmetic: Arithmetic,
    statement: &str,
    name: &str,
    deciding: Option<&Stages>,
) -> Vec<String> {
    let program = &stages.plan.program;
    let mut all =
        vec![format!("{name}: {statement}"), "Made by Openwork; needs nothing of it.".into(), String::new()];
    for (_, t) in program.tensors.iter().filter(|(_, t)| t.kind != TensorKind::Temp) {
        all.push(format!("  {}: {}, {}", t.name, t.dtype, plain(&t.declared_format())));
    }
    if program.tensors.iter().any(|(_, t)| !t.dtype.is_int()) {
        let named = match arithmetic {
            Arithmetic::Annihilating => "annihilating",
            Arithmetic::Exact => "exact",
        };
        // No tensor has a name of two words.
        all.push(format!("  the arithmetic: {named}"));
    }
    all.push(format!("  loops: {}", stages.cin()));
    all.push(String::new());
    all.push("Index arrays must be those of valid tensors: nothing is checked.".into());
    if stages.lowered.may_hide_annihilator && deciding.is_none() {
        all.push("Where a 0 meets an infinity or NaN, the result is NaN, as in NumPy.".into());
    }
    if stages.relies.is_some() {
        all.push(
            "Where nothing is stored, operands are taken to be finite, and divisors not to be 0.".into(),
        );
    }
    all
}

/// A format without index widths that it has anyway: what is said of a tensor whose sizes are known is what is said without.
fn plain(format: &Format) -> Format {
    let bare = Format { pos: None, crd: None, ..format.clone() };
    let other = |role| format.array_dtype(role) != bare.array_dtype(role);
    let pos = format.pos.filter(|_| other(ArrayRole::Pos));
    let crd = format.crd.filter(|_| other(ArrayRole::Crd));
    Format { pos, crd, ..bare }
}

/// The function of one kernel.
fn entry<'k>(
    stages: &'k Stages,
    deciding: Option<&'k Stages>,
    name: &str,
    about: String,
    phase: Phase,
) -> CEntry<'k> {
    let lowered = &stages.lowered;
    let numbers = lowered.params.iter().map(|p| number(stages, p)).collect();
    let arrays = (0..lowered.kernel.bufs.len()).map(|n| array(stages, n, phase)).collect();
    let deciding = deciding.map(|d| &d.lowered.kernel);
    CEntry { name: name.into(), about, kernel: &lowered.kernel, deciding, numbers, arrays }
}

fn number(stages: &Stages, param: &Param) -> NumberSource {
    let program = &stages.plan.program;
    let at = |wanted: Param| stages.lowered.params.iter().position(|p| *p == wanted);
    let name = |v: IndexId| &program.indices[v].name;
    match *param {
        Param::Size(v) if program.indices[v].derived.is_some() => {
            NumberSource::Given(format!("how many values {} takes, a computed coordinate", name(v)))
        }
        Param::Size(v) => NumberSource::Given(format!("how many values {} takes", name(v))),
        Param::Low(v) => NumberSource::Given(format!("the least value of {}", name(v))),
        Param::Begin(v) => NumberSource::Sum(at(Param::Low(v)).into_iter().collect()),
        Param::End(v) => {
            NumberSource::Sum([Param::Low(v), Param::Size(v)].into_iter().filter_map(at).collect())
        }
        Param::Scale => NumberSource::Sum(Vec::new()),
        Param::Whole { tensor, mode } => {
            NumberSource::Given(format!("the size of mode {mode} of {}", program.tensors[tensor].given))
        }
    }
}

/// Where a buffer comes from, and what it holds.
fn array(stages: &Stages, n: usize, phase: Phase) -> ArraySource {
    let (program, lowered) = (&stages.plan.program, &stages.lowered);
    let Some((buf, declared)) = lowered.kernel.bufs.iter().nth(n) else { return ArraySource::Own };
    // Passes over loops add arrays that nothing binds, as the totals of sums in single precision.
    let Some(binding) = lowered.bindings.get(n).copied() else { return ArraySource::Own };
    let written = declared.role != BufRole::In;
    if !written && !lowered.kernel.loaded_buffers().contains(&buf) {
        return ArraySource::Unread;
    }
    match binding {
        Binding::Index { tensor, level, array } => {
            let about = index_array(stages, tensor, level, array);
            match (written, program.tensors[tensor].kind) {
                (true, _) => ArraySource::Made(about),
                (false, TensorKind::Result) => ArraySource::Known(about),
                (false, TensorKind::Operand | TensorKind::Temp | TensorKind::Predicate) => {
                    ArraySource::Read(about)
                }
            }
        }
        Binding::Values { tensor } => {
            let about = format!("the values of {}", program.tensors[tensor].name);
            match (written, dense_sizes(stages, tensor)) {
                (false, _) => ArraySource::Read(about),
                (true, Some(sizes)) if phase == Phase::Fused => ArraySource::Filled(about, sizes),
                (true, _) => ArraySource::Made(about),
            }
        }
        Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => ArraySource::Own,
    }
}

/// The parameters whose product is the number of values, where a result stores every one.
fn dense_sizes(stages: &Stages, result: TensorId) -> Option<Vec<usize>> {
    let (program, lowered) = (&stages.plan.program, &stages.lowered);
    let t = &program.tensors[result];
    if !t.format.is_dense() || t.remap.is_some() {
        return None;
    }
    let lhs = program.body.assignments().into_iter().map(|(lhs, _, _)| lhs).find(|a| a.tensor == result)?;
    let size = |v: &IndexId| lowered.params.iter().position(|p| *p == Param::Size(*v));
    lhs.vars.iter().map(size).collect()
}

fn index_array(stages: &Stages, tensor: TensorId, level: usize, array: usize) -> String {
    let program = &stages.plan.program;
    let t = &program.tensors[tensor];
    let spec = t.format.levels[level].spec;
    let accesses = program.body.assignments();
    let accesses = accesses.iter().flat_map(|(lhs, _, rhs)| rhs.accesses().into_iter().chain([*lhs]));
    let access = accesses.filter(|a| a.tensor == tensor).find_map(|a| a.vars.get(t.format.modes[level]));
    let of = access.map_or(String::new(), |v| format!(" of {}", program.indices[*v].name));
    let what = match spec.arrays[array].role {
        ArrayRole::Pos => format!("where the coordinates{of} of each parent begin, or how many there are"),
        ArrayRole::Crd => format!("coordinates{of}"),
        ArrayRole::Size(count) => format!("{count} sizes"),
        ArrayRole::Mask => format!("which coordinates{of} are there"),
        ArrayRole::Words => format!("which coordinates{of} are there, a bit each"),
        ArrayRole::Bytes | ArrayRole::ShortCrd => format!("bytes for coordinates{of}"),
    };
    format!("{}, level {} ({}): {what}", t.name, level + 1, spec.name)
}

/// Small operands for a statement.
///
/// # Errors
/// Those of packing them.
fn example(stages: &Stages, decls: &Decls) -> Result<Example> {
    let given = example_operands(stages, decls)?;
    let named: Vec<(&str, &Tensor)> = given.iter().map(|(name, t)| (name.as_str(), t)).collect();
    let program = &stages.plan.program;
    let signature = openwork_execute::Signature::from_program(program);
    let bound = operands(program, &signature, &named)?;
    let extents = extents(program, &signature, &bound)?;
    let Lowered { params, bindings, .. } = &stages.lowered;
    let number = |p: &Param| match *p {
        Param::Size(v) => Some(extents.sizes[v.index()] as i64),
        Param::Low(v) => Some(extents.lows[v.index()]),
        Param::Whole { tensor, mode } => extents.wholes.get(&(tensor, mode)).map(|&n| n as i64),
        Param::Begin(_) | Param::End(_) | Param::Scale => None,
    };
    let array = |(n, b): (usize, &Binding)| -> Option<Vec<Scalar>> {
        if array(stages, n, Phase::Fused) == ArraySource::Unread {
            return None;
        }
        match *b {
            Binding::Index { tensor, level, array } => {
                Some(bound.get(&tensor)?.level(level).arrays[array].iter().collect())
            }
            Binding::Values { tensor } => Some(bound.get(&tensor)?.vals().iter().collect()),
            Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => None,
        }
    };
    Ok(Example {
        numbers: params.iter().filter_map(number).collect(),
        arrays: bindings.iter().enumerate().filter_map(array).collect(),
    })
}

/// Small operands for a statement, by name.
///
/// # Errors
/// Those of packing them.
pub(crate) fn example_operands(stages: &Stages, decls: &Decls) -> Result<Vec<(String, Tensor)>> {
    let program = &stages.plan.program;
    let size = |v: &IndexId| {
        let index = &program.indices[*v];
        decls.dims.get(&index.name).copied().or(index.size).unwrap_or(SIZE)
    };
    let body = program.body.assignments();
    let walked = body.iter().flat_map(|(_, _, rhs)| rhs.accesses());
    let mut shapes: BTreeMap<TensorId, Vec<usize>> = BTreeMap::new();
    for a in walked {
        shapes.entry(a.tensor).or_insert(program.tensors[a.tensor].mode_vars(a).iter().map(size).collect());
    }
    for a in &program.reads {
        shapes.entry(a.tensor).or_insert(a.vars.iter().map(size).collect());
    }
    let mut out: Vec<(String, Tensor)> = Vec::new();
    for (id, t) in program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand) {
        let Some(shape) = shapes.get(&id).filter(|_| !out.iter().any(|(name, _)| *name == t.given)) else {
            continue;
        };
        let tensor = small(shape, t.dtype, &t.declared_format(), t.fill, out.len() as u64)?;
        out.push((t.given.clone(), tensor));
    }
    Ok(out)
}

/// A tensor with some elements; on the diagonal, where its format holds no others.
fn small(shape: &[usize], dtype: DType, format: &Format, fill: Scalar, seed: u64) -> Result<Tensor> {
    let density = if format.is_dense() { 1.0 } else { 0.3 };
    let drawn = match Generator::generate(&Generator::Sparse { density, seed }, shape, dtype)? {
        Generated::Sparse(coo) => coo,
        Generated::Dense(t) => unpack(&t)?,
    };
    let drawn_tensor = pack(&drawn, format, fill);
    if drawn_tensor.is_ok() {
        return drawn_tensor;
    }
    let along = shape.iter().copied().min().unwrap_or(1);
    let entries: Vec<(Vec<usize>, Scalar)> =
        (0..along).map(|n| (vec![n; shape.len()], Scalar::from_i64(n as i64 + 1, dtype))).collect();
    pack(&Coo::from_entries(shape, dtype, &entries)?, format, fill)
}

#[cfg(test)]
mod tests;
