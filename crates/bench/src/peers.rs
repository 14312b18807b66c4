//! Compiles and loads `peers.c`.

use libloading::Library;
use std::process::Command;

/// The flags that the milestone names.
pub const FLAGS: &[&str] = &["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-std=c11"];

/// The compiled peers.
pub struct Peers {
    library: Library,
    _dir: tempfile::TempDir,
}

impl Peers {
    /// Compiles the peers with gcc.
    pub fn compile() -> Result<Peers, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (source, object) = (dir.path().join("peers.c"), dir.path().join("peers.so"));
        std::fs::write(&source, include_str!("peers.c")).map_err(|e| e.to_string())?;
        let status = Command::new("gcc").args(FLAGS).arg("-o").arg(&object).arg(&source).status();
        match status {
            Ok(s) if s.success() => {}
            other => return Err(format!("gcc did not compile the peers: {other:?}")),
        }
        // SAFETY: the library holds only the functions of peers.c and has no initialisers.
        let library = unsafe { Library::new(&object) }.map_err(|e| e.to_string())?;
        Ok(Peers { library, _dir: dir })
    }
    /// The function called `name`.
    ///
    /// # Safety
    /// `F` must be the function's type in peers.c.
    pub unsafe fn get<F: Copy>(&self, name: &str) -> F {
        // SAFETY: passed on to the caller.
        unsafe { *self.library.get::<F>(name.as_bytes()).expect("peers.c defines it") }
    }
}
