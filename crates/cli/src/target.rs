//! Files that will be written, checked before the work whose outcome they are to hold.

use crate::fault;
use openwork::{Code, Result};
use openwork_storage::error::SYSTEM;
use openwork_storage::files;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The extension of a path in lower case, a final `.gz` aside.
pub(crate) fn extension(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    stem.rsplit_once('.').map_or(String::new(), |(_, e)| e.to_string())
}

/// Checks that a tensor of `rank` modes can be written to `path`, as far as that can be known before.
///
/// # Errors
/// `E0705` for an unknown extension, `E0707` for a tensor that the file format cannot hold, `E0704` when the folder
/// does not exist or cannot be written to.
pub(crate) fn tensor_file(path: &Path, rank: usize) -> Result<()> {
    files::writable(path, rank)?;
    writable(path)
}

/// Checks that a file can appear at `path`.
///
/// # Errors
/// `E0704` when it is a folder, or its folder does not exist or cannot be written to.
pub(crate) fn writable(path: &Path) -> Result<()> {
    let refuse = |why: String, help: &str| {
        Err(fault::rejection(SYSTEM, format!("cannot write {}: {why}", path.display()), help))
    };
    if path.is_dir() {
        return refuse("it is a folder".into(), "name a file in it");
    }
    let folder = folder(path);
    if !folder.is_dir() {
        return refuse(format!("there is no folder {}", folder.display()), "make the folder first");
    }
    // Only trying tells whether a folder can be written to; the probe is gone when it is dropped. What is there and
    // no regular file (a pipe, a device) is opened when it is written.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    match tempfile::Builder::new().prefix(".openwork-").tempfile_in(&folder) {
        Ok(_probe) => Ok(()),
        Err(e) => refuse(e.to_string(), "choose another folder"),
    }
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Writes bytes to a file that appears whole or not at all.
///
/// # Errors
/// `E0704` when the system refuses.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let refused = |e: &std::io::Error| fault::system("write", path.display(), e);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".openwork-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder(path)).map_err(|e| refused(&e))?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(|e| refused(&e))?;
    file.persist(path).map_err(|e| refused(&e.error))?;
    Ok(())
}

/// The picture formats of `info --plot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Picture {
    Svg,
    Png,
}

/// Which picture the name of a file asks for.
///
/// # Errors
/// `E0809` for another extension than `.svg` and `.png`, `E0704` as [`writable`].
pub(crate) fn picture(path: &Path) -> Result<Picture> {
    const UNKNOWN: Code = fault::PLOT;
    let picture = match path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("svg") => Picture::Svg,
        Some("png") => Picture::Png,
        Some(_) | None => {
            let message = format!("cannot tell from its name what to draw into {}", path.display());
            return Err(fault::rejection(UNKNOWN, message, "name a .svg or .png file"));
        }
    };
    writable(path)?;
    Ok(picture)
}
