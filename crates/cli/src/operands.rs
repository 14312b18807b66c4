//! Reading and generating operands.
//!
//! Matrix files state their shape. A `.tns` file does not: its modes are as large as its coordinates need, and grow to
//! the sizes that other operands or `-d` give their index variables. Generated operands take all their sizes from
//! there.

use crate::args::NamedValue;
use crate::fault;
use crate::header::{self, ValueListing};
use crate::progress;
use crate::request::{self, Request};
use crate::sizes::VarSizes;
use crate::target;
use openwork::recommend::for_entries;
use openwork::{
    Code, Coo, DType, Decl, Diagnostic, Error, Format, Result, Source, Tensor, TensorExt, presets,
};
use openwork_storage::files;
use openwork_storage::generate::{Generated, Generator};
use openwork_storage::pack;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where an operand comes from.
#[derive(Clone, Debug)]
pub(crate) enum OperandOrigin {
    /// A file.
    File(PathBuf),
    /// A generator, with its text.
    Generator(Generator, String),
}

/// An operand that is ready to be used.
#[derive(Debug)]
pub(crate) struct FileOperand {
    pub(crate) name: String,
    pub(crate) origin: String,
    pub(crate) tensor: Tensor,
    pub(crate) load_time: Duration,
    /// Why it has its format, when nobody asked for one.
    pub(crate) reason: Option<(String, String)>,
}

impl FileOperand {
    /// What the compiler needs to know of it.
    pub(crate) fn decl(&self) -> Decl {
        let t = &self.tensor;
        let format = t.format().clone().with_fill(t.fill().to_string());
        Decl {
            dtype: Some(t.dtype()),
            format: Some(format),
            shape: Some(t.shape().to_vec()),
            stored: Some(t.slots()),
            elements: Some(t.nnz()),
        }
    }
}

/// Where every operand of a statement comes from, in the statement's order.
///
/// # Errors
/// `E0704` for files that are not there, `E0708` for generators, `E0801` to `E0804` for flags that do not suit the
/// statement.
pub(crate) fn origins(
    request: &Request,
    inputs: &[NamedValue],
    generators: &[NamedValue],
) -> Result<Vec<(String, OperandOrigin)>> {
    let out = some_origins(request, inputs, generators)?;
    match request.operands().into_iter().find(|name| !out.iter().any(|(n, _)| n == name)) {
        Some(name) => Err(no_data(request, name)),
        None => Ok(out),
    }
}

/// Where the operands come from that have an origin.
///
/// # Errors
/// Every diagnostic of the flags.
pub(crate) fn some_origins(
    request: &Request,
    inputs: &[NamedValue],
    generators: &[NamedValue],
) -> Result<Vec<(String, OperandOrigin)>> {
    let operands = request.operands();
    let role = |flag: &str, pair: &NamedValue| {
        if operands.contains(&pair.name.as_str()) {
            return Ok(());
        }
        let message = format!("`{}` is computed, not read", pair.name);
        Err(request::wrong_role(flag, pair, message, "write it to a file with -o"))
    };
    let mut files = request.tensors("-i", inputs, |_, pair| {
        role("-i", pair)?;
        let path = PathBuf::from(&pair.value);
        std::fs::metadata(&path).map_err(|e| fault::system("open", path.display(), &e))?;
        Ok(OperandOrigin::File(path))
    })?;
    let generated = request.tensors("-g", generators, |_, pair| {
        role("-g", pair)?;
        let generator = Generator::parse(&Source::new(format!("-g {}", pair.name), pair.value.as_str()))?;
        Ok(OperandOrigin::Generator(generator, pair.value.clone()))
    })?;
    for pair in generators {
        request::refuse_repeated("-i and -g", pair, files.get(&pair.name))?;
    }
    files.extend(generated);
    let mut out = Vec::new();
    for name in operands {
        out.extend(files.remove(name).map(|origin| (name.to_string(), origin)));
    }
    Ok(out)
}

fn no_data(request: &Request, name: &str) -> Error {
    let place = request.places(name).into_iter().next();
    let old = request.results().contains(&name);
    let message = match old {
        true => format!("the statement updates `{name}`, but its old value is not given"),
        false => format!("the operand `{name}` has no data"),
    };
    let mut d = Diagnostic::new(fault::NO_DATA, message)
        .help(format!("read it with -i {name}=FILE, or generate it with -g {name}=random:seed=1"));
    if let Some((_, place)) = place {
        d = d.point_at(&request.source, place.name.span, "");
    }
    Error::rejection(d)
}

/// Reads and generates all operands.
///
/// # Errors
/// The errors of files and generators; `E0206` when nothing fixes a size that a generator needs; `E0807` for files
/// with another number of modes.
pub(crate) fn load(request: &Request, origins: &[(String, OperandOrigin)]) -> Result<Vec<FileOperand>> {
    let mut loader = Loader { request, sizes: VarSizes::from_flags(request), read: BTreeMap::new() };
    let files = || {
        origins.iter().filter_map(|(name, origin)| match origin {
            OperandOrigin::File(path) => Some((name.as_str(), path.as_path())),
            OperandOrigin::Generator(..) => None,
        })
    };
    let shapeless = |path: &Path| target::extension(path) == "tns";
    for (name, path) in files().filter(|(_, p)| !shapeless(p)) {
        loader.matrix(name, path)?;
    }
    loader.lists(&files().filter(|(_, p)| shapeless(p)).collect::<Vec<_>>())?;
    let shapes = loader.generated_shapes(origins)?;
    let mut out = Vec::new();
    for (name, origin) in origins {
        let start = Instant::now();
        let (mut operand, before) = match origin {
            OperandOrigin::File(path) => {
                let (coo, time) = loader.read.remove(name).ok_or_else(|| lost_operand(name))?;
                (store_operand(request, name, path, &coo)?, time)
            }
            OperandOrigin::Generator(generator, text) => {
                let shape = shapes.get(name).ok_or_else(|| lost_operand(name))?;
                (generate(request, name, generator, text, shape)?, Duration::ZERO)
            }
        };
        operand.load_time = before + start.elapsed();
        out.push(operand);
    }
    Ok(out)
}

fn lost_operand(name: &str) -> Error {
    Error::bug("operands", format!("`{name}` was neither read nor generated"), "")
}

struct Loader<'a> {
    request: &'a Request,
    sizes: VarSizes<'a>,
    read: BTreeMap<String, (Coo, Duration)>,
}

impl Loader<'_> {
    fn open(&self, name: &str, path: &Path, dims: Option<Vec<usize>>) -> Result<(Coo, Duration)> {
        let start = Instant::now();
        let dtype = self.request.dtypes.get(name).copied();
        let from_zero = self.request.from_zero && files::leaves_base_open(path);
        let coo = progress::read(path, dims, dtype, from_zero)?;
        let coo = fit(coo, self.request, name, path)?;
        Ok((coo, start.elapsed()))
    }
    /// A file that states its shape fixes the sizes of its index variables.
    fn matrix(&mut self, name: &str, path: &Path) -> Result<()> {
        let (coo, time) = self.open(name, path, None)?;
        self.sizes.learn(name, coo.shape());
        self.read.insert(name.into(), (coo, time));
        Ok(())
    }
    /// Files that state no shape.
    fn lists(&mut self, files: &[(&str, &Path)]) -> Result<()> {
        let mut extents = VarSizes::empty(self.request);
        for (name, path) in files {
            let dims = self.sizes.shape(name).filter(|_| self.sizes.consistent(name));
            let (coo, time) = self.open(name, path, dims)?;
            extents.grow(name, coo.shape());
            self.read.insert((*name).into(), (coo, time));
        }
        self.sizes.fill_from(extents);
        for (name, _) in files {
            let known = self.sizes.mode_sizes(name);
            if let Some((coo, time)) = self.read.remove(*name) {
                self.read.insert((*name).into(), (grow_shape(coo, &known)?, time));
            }
        }
        Ok(())
    }
    /// The shapes of generated tensors. One that is used in several places may fix further sizes.
    fn generated_shapes(
        &mut self,
        origins: &[(String, OperandOrigin)],
    ) -> Result<BTreeMap<String, Vec<usize>>> {
        let mut waiting: Vec<&str> = origins
            .iter()
            .filter(|(_, origin)| matches!(origin, OperandOrigin::Generator(..)))
            .map(|(name, _)| name.as_str())
            .collect();
        let mut shapes = BTreeMap::new();
        loop {
            let before = waiting.len();
            waiting.retain(|name| match self.sizes.shape(name) {
                None => true,
                Some(shape) => {
                    self.sizes.learn(name, &shape);
                    shapes.insert(name.to_string(), shape);
                    false
                }
            });
            match waiting.first() {
                None => return Ok(shapes),
                Some(name) if waiting.len() == before => return Err(self.no_size(name)),
                Some(_) => {}
            }
        }
    }
    fn no_size(&self, name: &str) -> Error {
        let Some((statement, index)) = self.sizes.find_unsized(name) else { return lost_operand(name) };
        let message =
            format!("nothing fixes the size of `{}`, which the generated tensor `{name}` needs", index.text);
        let span = self.request.index_span(statement, &index.text).unwrap_or(index.span);
        let all = vec!["100"; self.request.rank(name)].join(",");
        let help = match index.text.chars().all(|c| c.is_alphanumeric() || c == '_') {
            true => format!("give it one: -d {}=100", index.text),
            false => format!("give the sizes of its modes: -d {name}={all}"),
        };
        fault::rejected_at(Code("E0206"), message, &self.request.source, span, help)
    }
}

/// The entries with as many modes as the statement uses: a matrix of one column or row also serves as a vector, and
/// one of one entry as a scalar.
fn fit(coo: Coo, request: &Request, name: &str, path: &Path) -> Result<Coo> {
    let rank = request.rank(name);
    let surplus = coo.rank().saturating_sub(rank);
    let units: Vec<usize> = (0..coo.rank()).rev().filter(|&m| coo.shape()[m] == 1).take(surplus).collect();
    if surplus == 0 && coo.rank() == rank {
        return Ok(coo);
    }
    if surplus > 0 && units.len() == surplus && coo.rank() == 2 {
        let (mut shape, mut coords, vals) = coo.into_parts();
        for mode in units {
            shape.remove(mode);
            coords.remove(mode);
        }
        return Coo::new(shape, coords, vals);
    }
    let shape = crate::table::shape(coo.shape());
    let message = format!("{} holds a tensor of {} modes ({shape})", path.display(), coo.rank());
    let help = format!("`{name}` is written with {} indices", rank);
    let mut d = Diagnostic::new(fault::RANK, message).help(help);
    if let Some((_, place)) = request.places(name).first() {
        d = d.point_at(&request.source, place.span, format!("{rank} indices"));
    }
    Err(Error::rejection(d))
}

/// The entries in a larger shape.
fn grow_shape(coo: Coo, known: &[Option<usize>]) -> Result<Coo> {
    let (shape, coords, vals) = coo.into_parts();
    let grown: Vec<usize> =
        shape.iter().zip(known).map(|(&size, known)| known.map_or(size, |k| k.max(size))).collect();
    Coo::new(grown, coords, vals)
}

/// The format of a file's tensor when nobody chose one, and why.
pub(crate) fn file_format(path: &Path, coo: &Coo) -> (Format, &'static str) {
    if header::peek(path).listing == ValueListing::Array {
        return (presets::dense(coo.rank()), "the file lists every value");
    }
    let format = for_entries(coo);
    match coo.rank() == 2 && format.is_list() {
        true => (format, "the file lists coordinates, in few of its rows"),
        false => (format, "the file lists coordinates"),
    }
}

/// The format of coordinates that are yet to be made.
fn sparse_format(rank: usize) -> Format {
    match rank {
        0 => presets::dense(0),
        2 => presets::csr(),
        rank => presets::csf(rank),
    }
}

fn store_operand(request: &Request, name: &str, path: &Path, coo: &Coo) -> Result<FileOperand> {
    let (format, reason) = choose_format(request, name, || file_format(path, coo));
    let tensor = pack_entries(name, coo, &format)?;
    let origin = path.display().to_string();
    Ok(FileOperand { name: name.into(), origin, tensor, load_time: Duration::ZERO, reason })
}

fn generate(
    request: &Request,
    name: &str,
    generator: &Generator,
    text: &str,
    shape: &[usize],
) -> Result<FileOperand> {
    let dtype = request.dtypes.get(name).copied().unwrap_or(DType::F64);
    let (format, reason) = choose_format(request, name, || match generator {
        Generator::Sparse { .. } | Generator::Pattern { .. } => {
            (sparse_format(shape.len()), "the generator makes coordinates")
        }
        Generator::Ones | Generator::Random { .. } | Generator::Range => {
            (presets::dense(shape.len()), "the generator makes every value")
        }
    });
    request::fill(name, &format, dtype)?;
    let making = format!("generating {name}");
    let tensor = match progress::run_with_message(making, || generator.generate(shape, dtype))? {
        Generated::Dense(t) if *t.format() == format.resolve(shape) => t,
        Generated::Dense(t) => t.to_format(&format)?,
        Generated::Sparse(coo) => pack_entries(name, &coo, &format)?,
    };
    Ok(FileOperand { name: name.into(), origin: text.into(), tensor, load_time: Duration::ZERO, reason })
}

/// The format that was asked for, or the default with its reason.
fn choose_format(
    request: &Request,
    name: &str,
    default: impl FnOnce() -> (Format, &'static str),
) -> (Format, Option<(String, String)>) {
    match request.formats.get(name) {
        Some(format) => (format.clone(), None),
        None => {
            let (format, because) = default();
            let reason = (format!("`{name}` is {format}"), because.to_string());
            (format, Some(reason))
        }
    }
}

/// Entries in a format.
///
/// # Errors
/// `E0210` for a fill that is no value of the dtype, and what `pack` reports.
pub(crate) fn pack_entries(name: &str, coo: &Coo, format: &Format) -> Result<Tensor> {
    pack(coo, format, request::fill(name, format, coo.dtype())?)
}
