//! The bytes of a file, in pieces.
//!
//! An ordinary file is read piece by piece at given offsets, so several threads parse while the pieces are warm in
//! their caches, and a file that shrinks meanwhile is a short read and not a fault (as it would be for a memory
//! map). Compressed files and pipes are read into memory first.

use super::fault::{TextFault, system};
use crate::buffer::Buffer;
use crate::error::{INCOMPLETE, MALFORMED, OVER_LIMIT, too_large};
use crate::memory;
use openwork_algebra::DType;
use openwork_base::{Cancel, Diagnostic, Error, Result};
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Every piece is followed by this many line ends, so number parsing may load whole words without a bounds test.
pub(super) const PAD: usize = 32;

/// An opened file.
pub(super) struct TextFile {
    path: PathBuf,
    len: usize,
    bytes: Bytes,
}

enum Bytes {
    Memory(Buffer),
    File(File),
}

/// How the bytes of a file are kept.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Coding {
    Plain,
    Gzip,
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

impl TextFile {
    /// Opens a file; compressed text is decompressed at once.
    ///
    /// # Errors
    /// E0704 when the system refuses; E0701 or E0702 for broken or truncated gzip data; E0603 and E0605 when the text
    /// does not fit in memory.
    pub(super) fn open(path: &Path, coding: Coding) -> Result<TextFile> {
        let file = File::open(path).map_err(|e| system("open", path, &e))?;
        let meta = file.metadata().map_err(|e| system("read", path, &e))?;
        if coding == Coding::Plain && meta.is_file() && meta.len() > 0 {
            let len = meta.len() as usize;
            return Ok(TextFile { path: path.into(), len, bytes: Bytes::File(file) });
        }
        let bytes = match coding {
            Coding::Plain => slurp(path, file, coding)?,
            Coding::Gzip => slurp(path, flate2::read::MultiGzDecoder::new(io::BufReader::new(file)), coding)?,
        };
        Ok(TextFile { path: path.into(), len: bytes.len(), bytes: Bytes::Memory(bytes) })
    }
    /// Text that is in memory already, under a made-up name.
    #[cfg(test)]
    pub(super) fn from_bytes(bytes: &[u8]) -> TextFile {
        TextFile {
            path: "memory".into(),
            len: bytes.len(),
            bytes: Bytes::Memory(Buffer::from(bytes.to_vec())),
        }
    }
    /// All bytes.
    ///
    /// # Errors
    /// As [`TextFile::piece`], and E0605 where the memory limit leaves less.
    pub(super) fn read_all(&self) -> Result<Vec<u8>> {
        memory::allow(|| format!("the text of {}", self.path.display()), self.len as u128)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.len + PAD).map_err(|_| {
            too_large(format!("{}: {} bytes do not fit in memory", self.path.display(), self.len))
        })?;
        self.piece(0..self.len, &mut bytes)?;
        bytes.truncate(self.len);
        Ok(bytes)
    }
    /// Where the text comes from.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
    /// Bytes of text.
    pub(super) fn len(&self) -> usize {
        self.len
    }
    /// Puts a piece of the text, followed by [`PAD`] line ends, into `scratch`.
    ///
    /// # Errors
    /// E0704 when the system refuses; E0702 when the file has become shorter.
    pub(super) fn piece(&self, range: Range<usize>, scratch: &mut Vec<u8>) -> Result<()> {
        let len = range.len();
        match &self.bytes {
            Bytes::Memory(bytes) => {
                scratch.clear();
                scratch.extend_from_slice(&bytes.as_bytes()[range]);
                scratch.resize(len + PAD, b'\n');
            }
            Bytes::File(file) => {
                // The old contents are overwritten, so only growth costs time.
                scratch.resize(len + PAD, b'\n');
                scratch[len..].fill(b'\n');
                let mut done = 0;
                while done < len {
                    match read_at(file, &mut scratch[done..len], (range.start + done) as u64) {
                        Ok(0) => {
                            let message =
                                format!("{}: the file became shorter while it was read", self.path.display());
                            return Err(Error::rejection(Diagnostic::new(INCOMPLETE, message)));
                        }
                        Ok(n) => done += n,
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => Cancel::check()?,
                        Err(e) => return Err(system("read", &self.path, &e)),
                    }
                }
            }
        }
        Ok(())
    }
    /// The first line start at or after `at`.
    ///
    /// # Errors
    /// As [`TextFile::piece`].
    pub(super) fn line_start(&self, at: usize) -> Result<usize> {
        if at == 0 {
            return Ok(0);
        }
        // Byte `at - 1` decides whether `at` itself is the start of a line.
        let mut from = at - 1;
        let (mut step, mut scratch) = (256, Vec::new());
        while from < self.len {
            let end = self.len.min(from + step);
            self.piece(from..end, &mut scratch)?;
            if let Some(n) = scratch[..end - from].iter().position(|&b| b == b'\n') {
                return Ok(from + n + 1);
            }
            (from, step) = (end, step * 4);
        }
        Ok(self.len)
    }
    /// The text of the line that holds byte `at` (at most the first `limit` bytes of it), without its end, and where
    /// it starts.
    ///
    /// # Errors
    /// As [`TextFile::piece`].
    pub(super) fn line(&self, at: usize, limit: usize) -> Result<(usize, Vec<u8>)> {
        let mut scratch = Vec::new();
        let mut start = at.min(self.len);
        // Step back in blocks until the end of the line before is found.
        while start > 0 {
            let from = start.saturating_sub(4096);
            self.piece(from..start, &mut scratch)?;
            match scratch[..start - from].iter().rposition(|&b| b == b'\n') {
                Some(n) => {
                    start = from + n + 1;
                    break;
                }
                None => start = from,
            }
        }
        let end = self.len.min(start.saturating_add(limit));
        self.piece(start..end, &mut scratch)?;
        let line = &scratch[..end - start];
        let stop = line.iter().position(|&b| b == b'\n').unwrap_or(line.len());
        Ok((start, line[..stop].strip_suffix(b"\r").unwrap_or(&line[..stop]).to_vec()))
    }
    /// The error for a fault in this text.
    pub(super) fn fault(&self, fault: TextFault) -> Error {
        fault.error(self).unwrap_or_else(|e| e)
    }
}

/// Reads everything into memory that the limit counts.
fn slurp(path: &Path, mut from: impl Read, coding: Coding) -> Result<Buffer> {
    let mut out = Buffer::empty(DType::U8);
    let mut filled = 0;
    loop {
        if out.len() - filled < 1 << 16 {
            make_room(&mut out, path)?;
        }
        Cancel::check()?;
        match from.read(&mut out.as_mut_slice::<u8>().unwrap_or(&mut [])[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if coding == Coding::Gzip => return Err(gzip_error(path, &e)),
            Err(e) => return Err(system("read", path, &e)),
        }
    }
    out.truncate(filled);
    Ok(out)
}

/// More room for text: a part of what there is, or as much as can be had.
fn make_room(out: &mut Buffer, path: &Path) -> Result<()> {
    let len = out.len();
    let more = (len / 4).clamp(1 << 18, 1 << 28);
    let refused = match out.try_resize(len + more) {
        Ok(()) => return Ok(()),
        Err(e) => e,
    };
    let less = [more / 2, more / 8, 1 << 17].into_iter();
    if less.into_iter().any(|more| out.try_resize(len + more).is_ok()) {
        return Ok(());
    }
    if refused.code() == OVER_LIMIT {
        return Err(memory::refusal(&format!("the text of {}", path.display()), (len + more) as u128));
    }
    Err(too_large(format!("{}: more than {len} bytes of text do not fit in memory", path.display())))
}

fn gzip_error(path: &Path, e: &io::Error) -> Error {
    let name = path.display();
    Error::rejection(match e.kind() {
        io::ErrorKind::UnexpectedEof => {
            Diagnostic::new(INCOMPLETE, format!("{name}: the gzip data ends early"))
                .help("fetch the file again")
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Diagnostic::new(MALFORMED, format!("{name}: not gzip data, or damaged ({e})"))
        }
        _ => return system("read", path, e),
    })
}

/// The number of line ends.
pub(super) fn count_lines(bytes: &[u8]) -> usize {
    // Blocks shorter than 256 are counted in bytes, which is what makes this loop a vector loop.
    let block = |b: &[u8]| b.iter().map(|&c| (c == b'\n') as u8).sum::<u8>() as usize;
    bytes.chunks(192).map(block).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_from_anywhere() {
        let text = TextFile::from_bytes(b"ab\n\ncdef\r\ngh");
        for (at, start) in [(0, 0), (1, 3), (3, 3), (4, 4), (5, 10), (10, 10), (11, 12), (12, 12)] {
            assert_eq!(text.line_start(at).unwrap(), start, "{at}");
        }
        for (at, start, line) in [(0, 0, "ab"), (3, 3, ""), (7, 4, "cdef"), (11, 10, "gh")] {
            assert_eq!(text.line(at, 100).unwrap(), (start, line.into()));
        }
        assert_eq!(count_lines(&[b'\n'; 1000]), 1000);
    }
}
