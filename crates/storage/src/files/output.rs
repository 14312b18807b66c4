//! The output of files, which are written whole or not at all, and of numbers, fast.

use super::fault::system;
use super::line::Progress;
use super::partial;
use super::text::Coding;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::error::NOT_WRITABLE;
use crate::index::IndexArray;
use crate::parallel;
use crate::tensor::Tensor;
use openwork_algebra::Complex;
use openwork_base::{Cancel, Diagnostic, Error, Result};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Entries formatted by one thread at a time.
const BLOCK: usize = 1 << 14;
/// Blocks formatted before they are written, which bounds the memory of a write.
const BATCH: usize = 64;

/// Text that is compressed by one thread at a time. Each such piece is a member of the gzip file, which costs it less than a
/// thousandth of its size.
const MEMBER: usize = 1 << 20;

/// Where text goes: the file itself or a compressor before it.
pub(super) struct TextOutput<'a> {
    path: &'a Path,
    sink: OutputSink<'a>,
    progress: Option<Progress<'a>>,
    /// What is reported: how much of what there is has been put.
    done: u64,
    all: u64,
}

enum OutputSink<'a> {
    Plain(&'a mut File),
    Gzip(GzipMembers<'a>),
}

/// A gzip file of members that are compressed side by side.
struct GzipMembers<'a> {
    file: &'a mut File,
    text: Vec<u8>,
    /// Whether there is a member; an empty file needs one, too.
    begun: bool,
}

impl GzipMembers<'_> {
    fn put(&mut self, text: &[u8]) -> io::Result<()> {
        let room = MEMBER * parallel::threads();
        let mut rest = text;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(room - self.text.len()));
            self.text.extend_from_slice(now);
            rest = later;
            if self.text.len() == room {
                self.flush()?;
            }
        }
        Ok(())
    }
    /// Compresses what has come together.
    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() && self.begun {
            return Ok(());
        }
        let pieces: Vec<&[u8]> =
            if self.text.is_empty() { vec![&[]] } else { self.text.chunks(MEMBER).collect() };
        let packed = parallel::answers(pieces.len(), |n| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(pieces[n]).and_then(|()| encoder.finish())
        });
        for member in packed {
            self.file.write_all(&member?)?;
        }
        self.begun = true;
        self.text.clear();
        Ok(())
    }
}

/// Hears whether all that was written is taken. Where files lie on other machines, that is told when they are closed.
///
/// Nothing waits until a disk has it: a matrix that is written can mostly be made again, `numpy.save` and its like do not
/// wait either, and of small files that took most of the time, 0.5 ms each on a disk without moving parts.
#[cfg(target_os = "linux")]
fn confirm_written(file: &File) -> io::Result<()> {
    use std::os::fd::IntoRawFd;
    // The file itself stays open, as it is locked.
    let other = file.try_clone()?.into_raw_fd();
    // SAFETY: nobody else has this descriptor.
    match unsafe { libc::close(other) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
#[cfg(not(target_os = "linux"))]
fn confirm_written(file: &File) -> io::Result<()> {
    file.sync_data()
}

impl TextOutput<'_> {
    /// Lets `fill` write a file that appears under its name only when everything has been written.
    ///
    /// # Errors
    /// E0704 when the system refuses, and the errors of `fill`; nothing is left behind then.
    pub(super) fn write_file(
        path: &Path,
        coding: Coding,
        progress: Option<Progress>,
        fill: impl FnOnce(&mut TextOutput) -> Result<()>,
    ) -> Result<()> {
        let refused = |e: &io::Error| system("write", path, e);
        // A link is followed, so that the file it names is replaced and not the link.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if target.exists() && !target.is_file() {
            if target.is_dir() {
                return Err(refused(&io::Error::from(io::ErrorKind::IsADirectory)));
            }
            // A device or a pipe cannot be replaced; it takes the text as it comes.
            let mut file = File::options().write(true).open(&target).map_err(|e| refused(&e))?;
            return TextOutput::write_through(path, coding, &mut file, progress, fill);
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let mut temporary = partial::create(&folder, &target).map_err(|e| refused(&e))?;
        // The temporary file deletes itself when it is dropped on the way out of an error.
        TextOutput::write_through(path, coding, temporary.as_file_mut(), progress, fill)?;
        confirm_written(temporary.as_file()).map_err(|e| refused(&e))?;
        temporary.persist(&target).map_err(|e| refused(&e.error))?;
        Ok(())
    }
    fn write_through(
        path: &Path,
        coding: Coding,
        file: &mut File,
        progress: Option<Progress>,
        fill: impl FnOnce(&mut TextOutput) -> Result<()>,
    ) -> Result<()> {
        let sink = match coding {
            Coding::Plain => OutputSink::Plain(file),
            Coding::Gzip => OutputSink::Gzip(GzipMembers { file, text: Vec::new(), begun: false }),
        };
        let mut out = TextOutput { path, sink, progress, done: 0, all: 0 };
        fill(&mut out)?;
        match out.sink {
            OutputSink::Plain(file) => file.flush(),
            OutputSink::Gzip(mut members) => members.flush().and_then(|()| members.file.flush()),
        }
        .map_err(|e| system("write", path, &e))
    }
    /// Writes text.
    ///
    /// # Errors
    /// E0704 when the system refuses.
    pub(super) fn put(&mut self, text: &[u8]) -> Result<()> {
        match &mut self.sink {
            OutputSink::Plain(file) => file.write_all(text),
            OutputSink::Gzip(members) => members.put(text),
        }
        .map_err(|e| system("write", self.path, &e))
    }
    /// Writes bytes that are so much of what is expected.
    ///
    /// # Errors
    /// E0704 when the system refuses; E0606.
    pub(super) fn step(&mut self, bytes: &[u8], of: usize) -> Result<()> {
        Cancel::check()?;
        self.put(bytes)?;
        self.did(of);
        Ok(())
    }
    /// Says that there is so much more to put: entries of text, or bytes.
    pub(super) fn expect(&mut self, more: usize) {
        self.all += more as u64;
    }
    /// Says that so much has been put.
    fn did(&mut self, more: usize) {
        self.done += more as u64;
        if let Some(progress) = self.progress {
            progress(self.done.min(self.all), self.all);
        }
    }
    /// Writes `n` lines, formatted in parallel by `line` and written in order.
    ///
    /// # Errors
    /// E0704 when the system refuses.
    pub(super) fn lines(&mut self, n: usize, line: impl Fn(usize, &mut Vec<u8>) + Sync) -> Result<()> {
        let blocks = n.div_ceil(BLOCK);
        self.expect(n);
        for batch in (0..blocks).step_by(BATCH) {
            Cancel::check()?;
            let format = |b: usize| {
                let mut text = Vec::new();
                for e in parallel::block_of(batch + b, BLOCK, n) {
                    line(e, &mut text);
                    text.push(b'\n');
                }
                text
            };
            for (b, text) in parallel::answers(BATCH.min(blocks - batch), format).iter().enumerate() {
                Cancel::check()?;
                self.put(text)?;
                self.did(parallel::block_of(batch + b, BLOCK, n).len());
            }
        }
        Ok(())
    }
    /// The refusal of a tensor that this file format cannot hold: E0707.
    pub(super) fn refusal(&self, message: &str, help: &str) -> Error {
        let message = format!("cannot write {}: {message}", self.path.display());
        Error::refusal(Diagnostic::new(NOT_WRITABLE, message).help(help))
    }
    /// Refuses a tensor whose missing entries are not zero, because in a file they would be.
    pub(super) fn needs_zero_fill(&self, t: &Tensor) -> Result<()> {
        if t.fill().truthy() && !t.format().is_full() {
            let message = format!(
                "entries that are not stored have the value {}, and a file would make them 0",
                t.fill()
            );
            return Err(self.refusal(&message, "convert the tensor to a dense format first"));
        }
        Ok(())
    }
}

/// Writes every stored value as `i j k value`, in storage order; every value of a dense tensor, zeros included.
///
/// # Errors
/// E0704, E0707 and E0603.
pub(super) fn write_tns(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    out.needs_zero_fill(t)?;
    let coo = crate::unpack::list_values(t)?;
    if let Some(line) = super::tns::comment(&coo) {
        out.put(line.as_bytes())?;
    }
    write_entries(&coo, out, LineUnit::None)
}

/// A coordinate to add to every line.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum LineUnit {
    None,
    /// A second coordinate 1: a vector as a matrix of one column.
    Column,
}

/// Writes entries as lines of 1-based coordinates and the value.
///
/// # Errors
/// E0704.
pub(super) fn write_entries(coo: &Coo, out: &mut TextOutput, unit: LineUnit) -> Result<()> {
    let coords: Vec<IndexArray> = (0..coo.rank()).map(|m| coo.index(m)).collect();
    dispatch!(coo.dtype(), T => {
        let vals = coo.vals().as_slice::<T>().unwrap_or(&[]);
        out.lines(coo.len(), |e, text| {
            for c in &coords {
                text.extend_from_slice(itoa::Buffer::new().format(c.get(e) + 1).as_bytes());
                text.push(b' ');
            }
            if unit == LineUnit::Column {
                text.extend_from_slice(b"1 ");
            }
            vals[e].print(text);
        })
    })
}

/// Writing a value so that it reads back the same.
pub(super) trait Print: Element {
    /// Appends the text of the value.
    fn print(self, text: &mut Vec<u8>);
}

macro_rules! print_int {
    ($($t:ty),*) => {$(
        impl Print for $t {
            fn print(self, text: &mut Vec<u8>) {
                text.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
            }
        }
    )*};
}
print_int!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Print for bool {
    fn print(self, text: &mut Vec<u8>) {
        text.push(b'0' + self as u8);
    }
}

macro_rules! print_float {
    ($($t:ty),*) => {$(
        impl Print for $t {
            fn print(self, text: &mut Vec<u8>) {
                if self.is_nan() {
                    text.extend_from_slice(b"nan");
                } else if self.is_infinite() {
                    text.extend_from_slice(if self > 0.0 { b"inf" } else { b"-inf" });
                } else {
                    let mut buffer = ryu::Buffer::new();
                    let digits = buffer.format_finite(self);
                    // Whole numbers need no point to be read as reals.
                    text.extend_from_slice(digits.strip_suffix(".0").unwrap_or(digits).as_bytes());
                }
            }
        }
        impl Print for Complex<$t> {
            fn print(self, text: &mut Vec<u8>) {
                self.re.print(text);
                text.push(b' ');
                self.im.print(text);
            }
        }
    )*};
}
print_float!(f32, f64);
