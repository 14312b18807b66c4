//! Zip archives, as far as NumPy writes and reads them: files one behind the other, stored or deflated, then a directory.
//!
//! ```text
//! local header, name, bytes | local header, name, bytes | … | directory: one record per file | end: where it begins
//! ```
//! Sizes and offsets beyond 32 bits stand in an extra field of their own (Zip64).

use super::line::Progress;
use crate::error::{INCOMPLETE, MALFORMED, too_large};
use crate::memory;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use openwork_base::{Cancel, Diagnostic, Error, Result};
use std::io::{Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

const LOCAL: u32 = 0x0403_4b50;
const RECORD: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// What stands in 32 bits for a number that is elsewhere.
const WIDE: u32 = u32::MAX;

/// A file in an archive.
#[derive(Debug)]
struct ArchiveEntry {
    name: String,
    deflated: bool,
    checksum: u32,
    packed: u64,
    size: u64,
    at: u64,
}

/// An archive in memory.
pub(super) struct Archive<'a> {
    path: &'a str,
    bytes: &'a [u8],
    entries: Vec<ArchiveEntry>,
    progress: Option<Progress<'a>>,
    /// Bytes of files that have been read, and those there are.
    done: AtomicU64,
    all: u64,
}

/// A position in the bytes, from which little-endian numbers are read.
struct ByteCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteCursor<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(n)?;
        let found = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(found)
    }
    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }
    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}

impl<'a> Archive<'a> {
    /// Reads the directory.
    ///
    /// # Errors
    /// E0701 for bytes that are no archive, or one with what NumPy does not write.
    pub(super) fn open(
        path: &'a str,
        bytes: &'a [u8],
        progress: Option<Progress<'a>>,
    ) -> Result<Archive<'a>> {
        let entries = directory(bytes)
            .ok_or_else(|| malformed_archive(path, "this is no zip archive, or its directory is damaged"))?;
        let all = entries.iter().fold(0u64, |sum, e| sum.saturating_add(e.size));
        Ok(Archive { path, bytes, entries, progress, done: AtomicU64::new(0), all })
    }
    /// Says that so many more bytes of files have been read. Some files are read twice.
    fn did(&self, more: usize) {
        let before = self.done.fetch_add(more as u64, Ordering::Relaxed);
        if let Some(progress) = self.progress {
            progress(self.all.min(before.saturating_add(more as u64)), self.all);
        }
    }
    /// Says that all has been read that is going to be.
    pub(super) fn finish_reading(&self) {
        self.did(usize::try_from(self.all).unwrap_or(usize::MAX));
    }
    /// The names of all files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.as_str())
    }
    /// The bytes of a file; nothing where there is none of that name.
    ///
    /// # Errors
    /// E0701 for damaged bytes; E0702 for an archive that ends early; E0603 out of memory, E0605 beyond the limit.
    pub(super) fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(entry) = self.entries.iter().find(|e| e.name == name) else { return Ok(None) };
        let range = self.place(entry).ok_or_else(|| {
            let message = format!("{}: the archive ends before the end of {name}", self.path);
            Error::rejection(Diagnostic::new(INCOMPLETE, message))
        })?;
        let packed = &self.bytes[range];
        // Nothing is packed to less than a thousandth.
        let room = (entry.size as usize).min(packed.len().saturating_mul(1100));
        memory::allow(|| format!("{}: {name}", self.path), room as u128)?;
        let mut out = Vec::new();
        out.try_reserve_exact(room)
            .map_err(|_| too_large(format!("{}: {name} has {} bytes", self.path, entry.size)))?;
        if entry.deflated {
            let mut decoder = DeflateDecoder::new(packed).take(entry.size.saturating_add(1));
            let mut block = vec![0; 1 << 20];
            loop {
                Cancel::check()?;
                match decoder.read(&mut block) {
                    Ok(0) => break,
                    Ok(n) => {
                        out.extend_from_slice(&block[..n]);
                        self.did(n);
                    }
                    Err(_) => return Err(malformed_archive(self.path, &format!("{name} is damaged"))),
                }
            }
        } else {
            out.extend_from_slice(packed);
            self.did(out.len());
        }
        if out.len() as u64 != entry.size || crc32fast::hash(&out) != entry.checksum {
            return Err(malformed_archive(self.path, &format!("{name} is damaged: its checksum is another")));
        }
        Ok(Some(out))
    }
    /// Where the bytes of a file lie, behind its own header.
    fn place(&self, entry: &ArchiveEntry) -> Option<Range<usize>> {
        let mut c = ByteCursor { bytes: self.bytes, at: usize::try_from(entry.at).ok()? };
        if c.u32()? != LOCAL {
            return None;
        }
        c.take(22)?;
        let (name, extra) = (c.u16()?, c.u16()?);
        c.take(name as usize + extra as usize)?;
        let start = c.at;
        c.take(usize::try_from(entry.packed).ok()?)?;
        Some(start..c.at)
    }
}

fn malformed_archive(path: &str, message: &str) -> Error {
    Error::rejection(Diagnostic::new(MALFORMED, format!("{path}: {message}")))
}

/// The records of the directory.
fn directory(bytes: &[u8]) -> Option<Vec<ArchiveEntry>> {
    // A comment of at most 64 KiB may follow the end record.
    let first = bytes.len().saturating_sub(22 + 0xffff);
    let end = (first..bytes.len().saturating_sub(21))
        .rev()
        .find(|&at| bytes[at..].starts_with(&END.to_le_bytes()))?;
    let mut c = ByteCursor { bytes, at: end + 8 };
    let (_, count) = (c.u16()?, c.u16()?);
    let (_, start) = (c.u32()?, c.u32()?);
    let (mut count, mut start) = (count as u64, start as u64);
    if count == 0xffff || start == WIDE as u64 {
        let mut locator = ByteCursor { bytes, at: end.checked_sub(20)? };
        if locator.u32()? == LOCATOR_64 {
            locator.take(4)?;
            let mut wide = ByteCursor { bytes, at: usize::try_from(locator.u64()?).ok()? };
            if wide.u32()? != END_64 {
                return None;
            }
            wide.take(28)?;
            (count, _, start) = (wide.u64()?, wide.u64()?, wide.u64()?);
        }
    }
    let mut c = ByteCursor { bytes, at: usize::try_from(start).ok()? };
    (0..count).map(|_| record(&mut c)).collect()
}

/// One record of the directory.
fn record(c: &mut ByteCursor) -> Option<ArchiveEntry> {
    if c.u32()? != RECORD {
        return None;
    }
    c.take(4)?;
    let (flags, method) = (c.u16()?, c.u16()?);
    // Encrypted files, and other ways to pack, are none of NumPy's.
    if flags & 1 != 0 || !matches!(method, 0 | 8) {
        return None;
    }
    c.take(4)?;
    let checksum = c.u32()?;
    let (mut packed, mut size) = (c.u32()? as u64, c.u32()? as u64);
    let (name, extra, comment) = (c.u16()?, c.u16()?, c.u16()?);
    c.take(8)?;
    let mut at = c.u32()? as u64;
    let name = String::from_utf8_lossy(c.take(name as usize)?).into_owned();
    let mut extra = ByteCursor { bytes: c.take(extra as usize)?, at: 0 };
    c.take(comment as usize)?;
    while let (Some(id), Some(len)) = (extra.u16(), extra.u16()) {
        let mut field = ByteCursor { bytes: extra.take(len as usize)?, at: 0 };
        if id == 1 {
            for number in [&mut size, &mut packed, &mut at] {
                if *number == WIDE as u64 {
                    *number = field.u64()?;
                }
            }
        }
    }
    Some(ArchiveEntry { name, deflated: method == 8, checksum, packed, size, at })
}

/// An archive being written, file by file, to whatever takes bytes in order.
pub(super) struct Writer<W: FnMut(&[u8], usize) -> Result<()>> {
    /// Takes packed bytes, and how many bytes have been packed.
    put: W,
    at: u64,
    entries: Vec<ArchiveEntry>,
    /// Numbers from here on are written wide; a test has less than an archive of 4 GiB.
    wide: u64,
}

impl<W: FnMut(&[u8], usize) -> Result<()>> Writer<W> {
    pub(super) fn new(put: W) -> Writer<W> {
        Writer { put, at: 0, entries: Vec::new(), wide: WIDE as u64 }
    }
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len() as u64;
        (self.put)(bytes, 0)
    }
    /// Adds a file, deflated.
    ///
    /// # Errors
    /// Those of whatever takes the bytes.
    pub(super) fn file(&mut self, name: &str, parts: &[&[u8]]) -> Result<()> {
        // The fastest level: what is packed are numbers, and higher ones take several times as long for some percent.
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut hasher = crc32fast::Hasher::new();
        let mut size = 0;
        for chunk in parts.iter().flat_map(|p| p.chunks(1 << 20)) {
            Cancel::check()?;
            hasher.update(chunk);
            size += chunk.len() as u64;
            // Writing to memory does not fail.
            let _ = encoder.write_all(chunk);
            (self.put)(&[], chunk.len())?;
        }
        let packed = encoder.finish().unwrap_or_default();
        let entry = ArchiveEntry {
            name: name.into(),
            deflated: true,
            checksum: hasher.finalize(),
            packed: packed.len() as u64,
            size,
            at: self.at,
        };
        let mut head = LOCAL.to_le_bytes().to_vec();
        self.describe(&entry, &mut head);
        let extra = self.extra(&[entry.size, entry.packed]);
        head.extend((name.len() as u16).to_le_bytes());
        head.extend((extra.len() as u16).to_le_bytes());
        head.extend(name.as_bytes());
        head.extend(extra);
        self.write(&head)?;
        self.write(&packed)?;
        self.entries.push(entry);
        Ok(())
    }
    /// What a file's own header and its record share, up to the lengths of name and extra field.
    fn describe(&self, e: &ArchiveEntry, head: &mut Vec<u8>) {
        let version: u16 = 45;
        head.extend(version.to_le_bytes());
        // No flags, deflated, the first of January 1980.
        for short in [0u16, 8, 0, 0x21] {
            head.extend(short.to_le_bytes());
        }
        head.extend(e.checksum.to_le_bytes());
        let both = e.size >= self.wide || e.packed >= self.wide;
        for n in [e.packed, e.size] {
            head.extend((if both { WIDE } else { n as u32 }).to_le_bytes());
        }
    }
    /// The extra field with these numbers, where one of them is wide; a file's own header has all or none.
    fn extra(&self, numbers: &[u64]) -> Vec<u8> {
        if numbers.iter().all(|&n| n < self.wide) {
            return Vec::new();
        }
        let mut out = vec![1, 0];
        out.extend((8 * numbers.len() as u16).to_le_bytes());
        numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
        out
    }
    /// Writes the directory.
    ///
    /// # Errors
    /// As [`Writer::file`].
    pub(super) fn finish(mut self) -> Result<()> {
        let start = self.at;
        for e in std::mem::take(&mut self.entries) {
            let mut head = RECORD.to_le_bytes().to_vec();
            head.extend(45u16.to_le_bytes());
            self.describe(&e, &mut head);
            let both = e.size >= self.wide || e.packed >= self.wide;
            let mut numbers = if both { vec![e.size, e.packed] } else { Vec::new() };
            numbers.extend((e.at >= self.wide).then_some(e.at));
            let extra = self.extra(&numbers);
            for short in [e.name.len() as u16, extra.len() as u16, 0, 0, 0] {
                head.extend(short.to_le_bytes());
            }
            head.extend(0u32.to_le_bytes());
            head.extend((if e.at >= self.wide { WIDE } else { e.at as u32 }).to_le_bytes());
            head.extend(e.name.as_bytes());
            head.extend(extra);
            self.write(&head)?;
            self.entries.push(e);
        }
        self.end(start)
    }
    fn end(&mut self, start: u64) -> Result<()> {
        let (count, size, at) = (self.entries.len() as u64, self.at - start, self.at);
        let wide = start >= self.wide;
        let mut tail = Vec::new();
        if wide {
            tail.extend(END_64.to_le_bytes());
            tail.extend(44u64.to_le_bytes());
            tail.extend([45, 0, 45, 0]);
            tail.extend([0; 8]);
            for n in [count, count, size, start] {
                tail.extend(n.to_le_bytes());
            }
            tail.extend(LOCATOR_64.to_le_bytes());
            tail.extend([0; 4]);
            tail.extend(at.to_le_bytes());
            tail.extend(1u32.to_le_bytes());
        }
        tail.extend(END.to_le_bytes());
        for short in [0, 0, count as u16, count as u16] {
            tail.extend(short.to_le_bytes());
        }
        for n in [size as u32, if wide { WIDE } else { start as u32 }] {
            tail.extend(n.to_le_bytes());
        }
        tail.extend([0, 0]);
        self.write(&tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(wide: u64) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = Writer::new(|bytes: &[u8], _| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        writer.wide = wide;
        writer.file("a.npy", &[b"hello ", b"hello hello"]).unwrap();
        writer.file("b.npy", &[]).unwrap();
        writer.finish().unwrap();
        out
    }

    #[test]
    fn what_is_written_reads_back_narrow_and_wide() {
        for wide in [0, 1, 5, 20, 60, WIDE as u64] {
            let bytes = archive(wide);
            let read = Archive::open("memory", &bytes, None).unwrap();
            assert_eq!(read.names().collect::<Vec<_>>(), ["a.npy", "b.npy"]);
            assert_eq!(read.file("a.npy").unwrap().unwrap(), b"hello hello hello", "{wide}");
            assert_eq!(read.file("b.npy").unwrap().unwrap(), b"");
            assert!(read.file("c.npy").unwrap().is_none());
        }
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        for wide in [0, WIDE as u64] {
            let whole = archive(wide);
            for at in 0..whole.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut bytes = whole.clone();
                    bytes[at] ^= flip;
                    if let Ok(read) = Archive::open("memory", &bytes, None) {
                        let names: Vec<String> = read.names().map(str::to_string).collect();
                        names.iter().for_each(|n| drop(read.file(n)));
                    }
                }
                if let Ok(read) = Archive::open("memory", &whole[..at], None) {
                    assert!(read.file("a.npy").is_err() || read.names().count() == 0);
                }
            }
        }
    }
}
