//! Compiles and loads loops in C: `peers.c` and others.

use libloading::Library;
use std::process::Command;

/// The flags that the milestone names.
pub const FLAGS: &[&str] = &["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-std=c11"];

/// The compiled peers.
pub struct CompiledPeers {
    library: Library,
    _dir: tempfile::TempDir,
}

impl CompiledPeers {
    /// Compiles the peers with gcc.
    pub fn compile() -> Result<CompiledPeers, String> {
        CompiledPeers::build("gcc", FLAGS, include_str!("peers.c"))
    }
    /// Compiles a source in C that has no initialisers.
    pub fn build(compiler: &str, flags: &[&str], text: &str) -> Result<CompiledPeers, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (source, object) = (dir.path().join("peers.c"), dir.path().join("peers.so"));
        std::fs::write(&source, text).map_err(|e| e.to_string())?;
        let status = Command::new(compiler).args(flags).arg("-o").arg(&object).arg(&source).status();
        match status {
            Ok(s) if s.success() => {}
            other => return Err(format!("{compiler} did not compile the peers: {other:?}")),
        }
        // SAFETY: the library holds only the functions of that source and has no initialisers.
        let library = unsafe { Library::new(&object) }.map_err(|e| e.to_string())?;
        Ok(CompiledPeers { library, _dir: dir })
    }
    /// The function called `name`.
    ///
    /// # Safety
    /// `F` must be the function's type in the source.
    pub unsafe fn get<F: Copy>(&self, name: &str) -> F {
        // SAFETY: passed on to the caller.
        unsafe { *self.library.get::<F>(name.as_bytes()).expect("the source defines it") }
    }
}
