//! Files that are being written, beside the files they will become.
//!
//! ```text
//! y.tns   <-   .openwork-4f0c8a6e51b2d397-Ab3xYz.part         the number stands for `y.tns`
//! ```
//! A file deletes itself when its writer fails, but not when the writer is killed. So a writer keeps its file locked, and
//! the next one that writes to the same target deletes those that nobody has locked: the system gives back the locks of
//! whoever is gone. Where files cannot be locked, none are deleted.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

const END: &str = ".part";
/// Random letters in a name.
const LETTERS: usize = 6;

/// How the names of files that will become `target` begin.
fn start(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default();
    format!(".openwork-{:016x}-", xxh3_64(name.as_encoded_bytes()))
}

/// A new file in `folder` that will become `target`, with the permissions that `target` has or an ordinary new file would
/// have. What earlier writers of `target` left behind is deleted.
pub(super) fn create(folder: &Path, target: &Path) -> io::Result<NamedTempFile> {
    let start = start(target);
    // Whether they can be deleted or not, this file can be written.
    let _ = clean(folder, &start);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&start).suffix(END).rand_bytes(LETTERS);
    match std::fs::metadata(target) {
        Ok(meta) => builder.permissions(meta.permissions()),
        #[cfg(unix)]
        Err(_) => builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)),
        #[cfg(not(unix))]
        Err(_) => &mut builder,
    };
    loop {
        let file = builder.tempfile_in(folder)?;
        match file.as_file().try_lock() {
            // Before it was locked, another writer may have taken it for one that was left behind.
            Ok(()) if !file.path().exists() => {}
            Err(TryLockError::WouldBlock) => {}
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}

/// Deletes the files of writers that are gone.
fn clean(folder: &Path, start: &str) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let letters = name.to_str().and_then(|n| n.strip_prefix(start)?.strip_suffix(END));
        let ours =
            letters.is_some_and(|l| l.len() == LETTERS && l.bytes().all(|b| b.is_ascii_alphanumeric()));
        if !ours || !entry.file_type()?.is_file() {
            continue;
        }
        // Another writer may be faster, and permissions may forbid it.
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::output::TextOutput;
    use crate::files::text::Coding;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// Where the process that is killed writes to; only it has this.
    const KILLED: &str = "OPENWORK_TEST_KILLED_WRITER";

    fn partial(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|n| n.ends_with(END)).collect()
    }
    fn write(target: &Path) {
        TextOutput::write_file(target, Coding::Plain, None, |out| out.put(b"whole")).unwrap();
        assert_eq!(std::fs::read(target).unwrap(), b"whole");
    }

    /// Not a test but the process that [`what_killed_writers_leave_is_deleted`] kills in the middle of writing.
    #[test]
    fn a_writer_that_never_ends() {
        let Some(target) = std::env::var_os(KILLED) else { return };
        let forever = |out: &mut TextOutput| {
            out.put(b"half")?;
            println!("writing");
            std::io::stdout().flush().unwrap();
            loop {
                std::thread::park();
            }
        };
        TextOutput::write_file(Path::new(&target), Coding::Plain, None, forever).unwrap();
    }

    #[test]
    fn what_killed_writers_leave_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("y.tns");
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "files::partial::tests::a_writer_that_never_ends", "--nocapture"])
            .env(KILLED, &target)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = std::io::BufReader::new(writer.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("writing") {
            line.clear();
            assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0, "the writer ended");
        }
        // As long as it lives, its file stays.
        write(&target);
        assert_eq!(partial(folder.path()).len(), 1);
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert_eq!(partial(folder.path()).len(), 1);
        write(&folder.path().join("other.tns"));
        assert_eq!(partial(folder.path()).len(), 1, "another target's files are not ours to delete");
        write(&target);
        assert_eq!(partial(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn files_with_other_names_stay() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("y.tns");
        let start = start(&target);
        for name in [
            format!("{start}Ab3xYz7{END}"),
            format!("{start}../xyz{END}").replace('/', "_"),
            format!("{start}Ab3xYz"),
        ] {
            std::fs::write(folder.path().join(name), "mine").unwrap();
        }
        std::fs::create_dir(folder.path().join(format!("{start}Ab3xYz{END}"))).unwrap();
        write(&target);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5);
    }
}
