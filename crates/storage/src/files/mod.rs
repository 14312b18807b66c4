//! Files: MatrixMarket (`.mtx`), FROSTT (`.tns`), TACO's tensors (`.ttx`), NumPy's arrays (`.npy`), SciPy's sparse ones
//! (`.npz`), binsparse in NumPy's archives (`.bsp.npz`), Rutherford-Boeing (`.rb`), Harwell-Boeing (`.hb`, `.rua`…) and patterns
//! of the Deep Learning Matrix Collection (`.smtx`), each plain or gzip'd (`.gz`), chosen by extension.
//!
//! A new file format is one row of the table in this file, with its reader and its writer in files of their own.

mod archive;
mod asked;
mod binsparse;
mod binsparse_write;
mod boeing;
mod boeing_write;
mod decimal;
mod expand;
mod fault;
mod field;
mod fortran;
mod header;
mod line;
mod lines;
mod mtx;
mod mtx_write;
mod narrow;
mod npy;
mod npz;
mod output;
mod partial;
mod scan;
mod smtx;
mod text;
mod tns;
mod ttx;

pub use line::Progress;

use crate::coords::Coo;
use crate::error::{EXTENSION, NOT_WRITABLE};
use crate::tensor::Tensor;
use openwork_algebra::DType;
use openwork_base::cancel::stoppable;
use openwork_base::{Diagnostic, Error, Result};
use output::TextOutput;
use std::path::Path;
use text::{Coding, TextFile};

/// A file format.
struct FileFormat {
    extension: &'static str,
    about: &'static str,
    read: fn(&TextFile, &ReadOptions) -> Result<Coo>,
    write: fn(&Tensor, &mut TextOutput) -> Result<()>,
}

static FORMATS: [FileFormat; 9] = [
    FileFormat { extension: "mtx", about: "MatrixMarket", read: mtx::read, write: mtx_write::write },
    FileFormat { extension: "tns", about: "FROSTT", read: tns::read, write: output::write_tns },
    FileFormat { extension: "ttx", about: "TACO", read: ttx::read, write: ttx::write },
    FileFormat { extension: "npy", about: "NumPy, dense", read: npy::read, write: npy::write },
    FileFormat { extension: "npz", about: "SciPy, sparse", read: npz::read, write: npz::write },
    FileFormat { extension: "bsp.npz", about: "binsparse", read: npz::read, write: binsparse_write::write },
    FileFormat {
        extension: "rb",
        about: "Rutherford-Boeing",
        read: boeing::read,
        write: boeing_write::write,
    },
    FileFormat {
        extension: "hb",
        about: "Harwell-Boeing",
        read: boeing::read,
        write: boeing_write::write_harwell,
    },
    FileFormat { extension: "smtx", about: "patterns", read: smtx::read, write: smtx::write },
];

/// Harwell-Boeing under an extension that says what is inside, as `.rua` does.
static TYPED: FileFormat =
    FileFormat { extension: "rua", about: "Harwell-Boeing", read: boeing::read, write: boeing_write::refuse };

/// Containers of binsparse that would take a library in C.
const UNREAD: [&str; 4] = ["h5", "hdf5", "zarr", "nc"];

/// The options of a reader of files.
#[derive(Default, Clone)]
pub struct ReadOptions<'a> {
    /// The shape. A `.tns` file that does not state one is as small as its entries allow without this; one that does, and a
    /// `.mtx` file, may be read into a larger shape than their own.
    pub dims: Option<Vec<usize>>,
    /// The dtype of the values. A `.mtx` file's own values are cast, which must keep their kind
    /// ([`DType::casts_to`]); the ones of a pattern and the values of a `.tns` file are read in any dtype.
    pub dtype: Option<DType>,
    /// Whether coordinates of a `.tns` file begin at 0; no other file leaves that open.
    pub from_zero: bool,
    /// Called as reading proceeds, with the bytes of text done and in all; from any thread, not always in order.
    pub progress: Option<Progress<'a>>,
}

/// Reads a file, by its extension.
///
/// # Errors
/// E0701 malformed, with line and column; E0702 ends early, or a wrong number of entries; E0703 coordinate out of
/// range; E0704 the system cannot open or read it; E0705 unknown extension; E0603 out of memory.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("a.mtx");
/// std::fs::write(&path, "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 2.5\n3 1 -1e-3\n").unwrap();
/// let a = openwork_storage::files::read(&path)?;
/// assert_eq!((a.shape(), a.len()), (&[3, 3][..], 3));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Coo> {
    read_with(path, &ReadOptions::default())
}

/// Reads a file, by its extension, with a shape, a dtype or a progress report of the caller's.
///
/// # Errors
/// As [`read`]; E0706 when the values do not cast to the dtype.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("a.tns");
/// use openwork_storage::files::{ReadOptions, read_with};
/// std::fs::write(&path, "1 2 3 4.5\n").unwrap();
/// let a = read_with(&path, &ReadOptions { dims: Some(vec![5, 5, 5]), ..ReadOptions::default() })?;
/// assert_eq!((a.shape(), a.coords_of(0)), (&[5, 5, 5][..], vec![0, 1, 2]));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Coo> {
    let path = path.as_ref();
    let (format, coding) = format_of(path)?;
    if options.from_zero && !leaves_base_open(path) {
        let message = format!("{}: only `.tns` files are read with a base of 0", path.display());
        let help = "leave the base out: other files say where coordinates begin";
        return Err(Error::rejection(Diagnostic::new(EXTENSION, message).help(help)));
    }
    stoppable(|| (format.read)(&TextFile::open(path, coding)?, options))
}

/// Whether files of this name do not say where coordinates begin: see [`ReadOptions::from_zero`].
pub fn leaves_base_open(path: impl AsRef<Path>) -> bool {
    format_of(path.as_ref()).is_ok_and(|(format, _)| format.extension == "tns")
}

/// Writes a tensor to a file, by its extension. The file appears whole or not at all: it is written beside its final
/// name and moved there at the end.
///
/// A `.tns` file has the stored values in storage order, below a comment with dtype and shape where these do not tell. A `.mtx` file lists coordinates, or is an `array` for dense
/// formats; a vector becomes one column. Every value reads back as it was, in its dtype.
///
/// # Errors
/// E0704 when the system cannot write; E0705 for an unknown extension; E0707 for a tensor the file format cannot
/// hold: more than two modes in `.mtx`, or a fill value other than 0.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("x.tns.gz");
/// use openwork_storage::{Buffer, Tensor, files};
/// files::write(&path, &Tensor::dense(&[2], Buffer::from(vec![0.5, -1.0]))?)?;
/// assert_eq!(files::read(&path)?.vals().as_slice(), Some(&[0.5, -1.0][..]));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<()> {
    write_with(path, tensor, &WriteOptions::default())
}

/// The options of a writer of files.
#[derive(Default, Clone)]
pub struct WriteOptions<'a> {
    /// Called as writing proceeds, with how much is done and how much there is: entries of text, bytes of arrays.
    pub progress: Option<Progress<'a>>,
}

/// Writes a tensor to a file, by its extension, with a progress report of the caller's.
///
/// # Errors
/// As [`write()`].
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("x.mtx");
/// use openwork_storage::files::{WriteOptions, write_with};
/// use openwork_storage::{Buffer, Tensor};
/// use std::sync::atomic::{AtomicU64, Ordering};
/// let x = Tensor::dense(&[2], Buffer::from(vec![0.5, -1.0]))?;
/// let done = AtomicU64::new(0);
/// let report = |now, all| done.store(100 * now / all, Ordering::Relaxed);
/// write_with(&path, &x, &WriteOptions { progress: Some(&report) })?;
/// assert_eq!(done.into_inner(), 100);
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn write_with(path: impl AsRef<Path>, tensor: &Tensor, options: &WriteOptions) -> Result<()> {
    let path = path.as_ref();
    let (format, coding) = format_of(path)?;
    stoppable(|| TextOutput::write_file(path, coding, options.progress, |out| (format.write)(tensor, out)))
}

/// Checks that a tensor of so many modes can be written under a name, as far as that can be known before.
///
/// # Errors
/// E0705 for an unknown extension; E0707 for what the file format cannot hold.
pub fn writable(path: impl AsRef<Path>, rank: usize) -> Result<()> {
    let path = path.as_ref();
    let (format, _) = format_of(path)?;
    let most = match format.extension {
        "mtx" | "rb" | "hb" | "smtx" | "rua" => 2,
        _ => usize::MAX,
    };
    if rank <= most {
        return Ok(());
    }
    let extension = format.extension;
    let message =
        format!("cannot write {}: .{extension} files hold matrices, not {rank} modes", path.display());
    Err(Error::refusal(Diagnostic::new(NOT_WRITABLE, message).help("write a .tns file")))
}

/// The extensions that [`read`] and [`write()`] know, for help texts: `.mtx (MatrixMarket), .tns (FROSTT)`.
pub fn known_extensions() -> String {
    let names: Vec<String> = FORMATS.iter().map(|f| format!(".{} ({})", f.extension, f.about)).collect();
    names.join(", ")
}

/// The file format and the coding that the name of a file asks for.
fn format_of(path: &Path) -> Result<(&'static FileFormat, Coding)> {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let (stem, coding) = match name.strip_suffix(".gz") {
        Some(stem) => (stem, Coding::Gzip),
        None => (name.as_str(), Coding::Plain),
    };
    let extension = match stem.strip_suffix(".bsp.npz") {
        Some(_) => "bsp.npz",
        None => stem.rsplit_once('.').map_or("", |(_, e)| e),
    };
    if UNREAD.contains(&extension) {
        let message =
            format!("{} is a container of HDF5, NetCDF or Zarr, which is not supported", path.display());
        let help = "binsparse for Python writes the same arrays to a .npz file, which is read here";
        return Err(Error::refusal(Diagnostic::new(EXTENSION, message).help(help)));
    }
    if is_typed(extension) {
        return Ok((&TYPED, coding));
    }
    let format = FORMATS.iter().find(|f| f.extension == extension).ok_or_else(|| {
        let what = if extension.is_empty() {
            "has no extension".into()
        } else {
            format!("has the unknown extension `.{extension}`")
        };
        Error::rejection(
            Diagnostic::new(EXTENSION, format!("{} {what}", path.display()))
                .help(format!("the known file formats are {}, each also with .gz", known_extensions())),
        )
    })?;
    Ok((format, coding))
}

/// Whether an extension is the type of a Harwell-Boeing matrix: values, symmetry, assembled or elemental.
fn is_typed(extension: &str) -> bool {
    let bytes = extension.as_bytes();
    let of = |n: usize, letters: &[u8]| bytes.get(n).is_some_and(|b| letters.contains(b));
    bytes.len() == 3 && of(0, b"rcp") && of(1, b"urshz") && of(2, b"ae")
}
