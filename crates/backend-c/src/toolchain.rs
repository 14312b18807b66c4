//! Finding and running the system's C compiler, and loading what it made.

use crate::STEP;
use crate::unit::CUnit;
use libloading::Library;
use openwork_backend::abi::{self, EntryPoint};
use openwork_backend::{Call, Compiled};
use openwork_base::{Cancel, Code as ErrorCode, Diagnostic, Error, Result};
use openwork_loops::Status;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// What every compiler is asked. Reassociation and fused products are decided in loop IR, so no `-ffast-math` and no
/// contraction; signed integers wrap.
const FLAGS: [&str; 7] =
    ["-std=gnu11", "-O3", "-march=native", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-w"];
/// What a compiler is asked if it knows the flag: gcc jams loops over positions and then gathers contiguous rows, and takes
/// stores out of loops that a `break` leaves earlier (gcc 12; a random kernel of the conformance suite).
const OPTIONAL: [&str; 2] = ["-fno-loop-unroll-and-jam", "-fno-tree-loop-distribution"];

/// A C compiler that works.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    program: OsString,
    version: String,
    flags: Vec<&'static str>,
    /// Where headers are found that a file includes by name.
    folder: Option<PathBuf>,
}

/// What decides which compiler is found: the one that is wanted, and where others are looked for.
type Environment = [Option<OsString>; 2];

fn refusal(message: String) -> Error {
    Error::refusal(Diagnostic::new(ErrorCode("E0501"), message).help(
        "install gcc or clang, or name a C compiler in the environment variable OPENWORK_CC; \
         the default backend needs none",
    ))
}

impl Toolchain {
    /// The compiler named by `OPENWORK_CC`, or the first of the usual names that runs. One that was found is not asked again,
    /// as long as the environment names the same.
    ///
    /// # Errors
    /// `E0501` where none runs.
    pub(crate) fn find() -> Result<Toolchain> {
        static FOUND: Mutex<Vec<(Environment, Toolchain)>> = Mutex::new(Vec::new());
        let environment = ["OPENWORK_CC", "PATH"].map(std::env::var_os);
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = found.iter().find(|(e, _)| *e == environment) {
            return Ok(known.clone());
        }
        let toolchain = Toolchain::choose(environment[0].clone())?;
        found.push((environment, toolchain.clone()));
        Ok(toolchain)
    }
    fn choose(wanted: Option<OsString>) -> Result<Toolchain> {
        if let Some(program) = wanted.filter(|p| !p.is_empty()) {
            let name = program.to_string_lossy().into_owned();
            return Toolchain::probe(program)
                .ok_or_else(|| refusal(format!("the C compiler {name:?} of OPENWORK_CC does not run")));
        }
        ["cc", "gcc", "clang"]
            .into_iter()
            .find_map(|name| Toolchain::probe(name.into()))
            .ok_or_else(|| refusal("no C compiler found (tried cc, gcc and clang)".to_string()))
    }
    fn probe(program: OsString) -> Option<Toolchain> {
        let out = Command::new(&program).arg("--version").stdin(Stdio::null()).output().ok()?;
        if !out.status.success() {
            return None;
        }
        let version = String::from_utf8_lossy(&out.stdout).lines().next().unwrap_or("").to_string();
        let knows = |flag: &str| {
            let mut c = Command::new(&program);
            c.args(["-Werror", flag, "-x", "c", "-E", "-", "-o"]).arg(if cfg!(windows) {
                "NUL"
            } else {
                "/dev/null"
            });
            c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            c.status().is_ok_and(|s| s.success())
        };
        let flags = FLAGS.into_iter().chain(OPTIONAL.into_iter().filter(|f| knows(f))).collect();
        Some(Toolchain { program, version, flags, folder: None })
    }
    /// The same compiler, asked for code quickly instead of for quick code.
    pub(crate) fn without_optimisation(mut self) -> Toolchain {
        self.flags.iter_mut().filter(|f| **f == "-O3").for_each(|f| *f = "-O0");
        self
    }
    /// The same compiler for a file at this path, which may include those beside it.
    pub(crate) fn with_include_path(mut self, path: &Path) -> Toolchain {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        self.folder = Some(folder.unwrap_or(Path::new(".")).to_path_buf());
        self
    }
    /// Version and flags.
    pub(crate) fn identity(&self) -> String {
        format!("{} {}", self.version, self.flags.join(" "))
    }
    /// Compiles a text into a shared object.
    ///
    /// # Errors
    /// `E0501` where the compiler does not run.
    pub(crate) fn object(&self, text: &str) -> Result<BuildOutcome> {
        let io = |e: std::io::Error| refusal(format!("cannot write the C file of a kernel: {e}"));
        let dir = tempfile::Builder::new().prefix("openwork-c-").tempdir().map_err(io)?;
        let (source, object) = (dir.path().join("kernel.c"), dir.path().join("kernel.so"));
        std::fs::write(&source, text).map_err(io)?;
        Ok(match self.build(&source, &object)? {
            Some(messages) => BuildOutcome::Refused(messages),
            None => BuildOutcome::Object(SharedObject { path: object, dir }),
        })
    }
    /// What a compiler says that does not take a file; nothing where it does.
    fn build(&self, source: &Path, object: &Path) -> Result<Option<String>> {
        let mut command = Command::new(&self.program);
        command.args(&self.flags);
        if let Some(folder) = &self.folder {
            command.arg("-iquote").arg(folder);
        }
        command.args(["-shared", "-fPIC", "-o"]).arg(object).arg(source).arg("-lm");
        let name = self.program.to_string_lossy();
        let broken = |e: std::io::Error| refusal(format!("the C compiler {name} does not run: {e}"));
        let log = object.with_extension("log");
        let messages = File::create(&log).map_err(broken)?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
        let status = wait_for(command.spawn().map_err(broken)?).map_err(broken)?;
        // A terminal interrupts the compiler as well.
        Cancel::check()?;
        if status.is_some_and(|s| s.success()) {
            return Ok(None);
        }
        let status = status.map_or(String::new(), |s| s.to_string());
        let messages = std::fs::read(&log).unwrap_or_default();
        let messages = String::from_utf8_lossy(&messages);
        let first: Vec<&str> = messages.lines().take(20).collect();
        Ok(Some(format!("the C compiler {name} failed ({status}):\n{}", first.join("\n"))))
    }
}

/// What a compiler made of a text.
pub(crate) enum BuildOutcome {
    /// Code.
    Object(SharedObject),
    /// Nothing, and what it said.
    Refused(String),
}

/// What the system says, which names the function that is missing.
fn system_message(e: &libloading::Error) -> String {
    std::error::Error::source(e).map_or_else(|| e.to_string(), ToString::to_string)
}

/// A shared object in a folder of its own.
pub(crate) struct SharedObject {
    path: PathBuf,
    dir: TempDir,
}

impl SharedObject {
    /// Loads it. Code of other people may ask for functions that nobody has, which is told here and not by the first call.
    fn load(self) -> std::result::Result<(Loaded, u64), String> {
        let size = std::fs::metadata(&self.path).map_err(|e| e.to_string())?.len();
        #[cfg(unix)]
        let library = {
            use libloading::os::unix::{Library as Own, RTLD_LOCAL, RTLD_NOW};
            // SAFETY: the object was just made, of our own text, which has no initialisers, or of a text whose owner wants it run.
            unsafe { Own::open(Some(&self.path), RTLD_NOW | RTLD_LOCAL) }.map(Library::from)
        };
        #[cfg(not(unix))]
        // SAFETY: as above.
        let library = unsafe { Library::new(&self.path) };
        let library = library.map_err(|e| system_message(&e))?;
        // On Unix a loaded object needs its file no longer, and a process that dies leaves nothing behind.
        let kept = if cfg!(unix) {
            let _ = self.dir.close();
            None
        } else {
            Some(self.dir)
        };
        Ok((Loaded { library, _dir: kept }, size))
    }
    /// Takes several functions out of it.
    ///
    /// # Errors
    /// Why it cannot be loaded, or which function there is not.
    pub(crate) fn functions(self, names: &[String]) -> std::result::Result<Vec<LoadedCode>, String> {
        let (library, size) = self.load()?;
        let library = Arc::new(library);
        // What is mapped beside the file: a handle, and pages that are only partly used.
        let bytes = (size as usize + LOADED) / names.len().max(1);
        let code = |name: &String| {
            // SAFETY: whoever wrote the text gave the functions of these names exactly this type.
            let entry = unsafe { library.library.get::<EntryPoint>(name.as_bytes()) };
            let entry = *entry.map_err(|e| system_message(&e))?;
            Ok(LoadedCode { entry, bytes, _library: library.clone() })
        };
        names.iter().map(code).collect()
    }
}

/// Waits for a compiler; nothing where it was not let finish, because the caller was asked to stop.
fn wait_for(mut child: Child) -> std::io::Result<Option<ExitStatus>> {
    let mut nap = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Cancel::check().is_err() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(5));
    }
}

/// Bytes of a loaded object beside those of its file.
const LOADED: usize = 16 << 10;

/// A loaded shared object. The fields are dropped in order: the code goes before its file.
struct Loaded {
    library: Library,
    _dir: Option<TempDir>,
}

/// A function of a loaded shared object.
pub(crate) struct LoadedCode {
    entry: EntryPoint,
    /// Its share of the object.
    bytes: usize,
    _library: Arc<Loaded>,
}

impl LoadedCode {
    pub(crate) fn new(toolchain: &Toolchain, unit: &CUnit) -> Result<LoadedCode> {
        let mut all = LoadedCode::load(toolchain, &unit.text, std::slice::from_ref(&unit.function))?;
        all.pop().ok_or_else(|| Error::bug(STEP, "a unit without a function", ""))
    }
    /// Compiles one text and takes several functions out of it.
    pub(crate) fn load(toolchain: &Toolchain, text: &str, functions: &[String]) -> Result<Vec<LoadedCode>> {
        match toolchain.object(text)? {
            BuildOutcome::Object(object) => object
                .functions(functions)
                .map_err(|problem| refusal(format!("cannot load a compiled kernel: {problem}"))),
            BuildOutcome::Refused(messages) => Err(refusal(messages)),
        }
    }
    /// Calls it, for whatever it gives.
    ///
    /// # Safety
    /// As for [`Compiled::run`].
    pub(crate) unsafe fn enter(&self, call: &mut Call<'_>) -> i32 {
        // SAFETY: the caller promises that `call` fits the kernel; the library is loaded as long as `self` lives.
        unsafe { (self.entry)(&mut call.raw) }
    }
}

impl Compiled for LoadedCode {
    fn bytes(&self) -> usize {
        self.bytes
    }
    unsafe fn run(&self, call: &mut Call<'_>) -> Result<Status> {
        // SAFETY: the caller's promise; `entry` was compiled from that kernel.
        let code = unsafe { self.enter(call) };
        abi::status(STEP, code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_is_refused_by_name_with_help() {
        let error = Toolchain::choose(Some("/no/such/compiler".into())).expect_err("it does not exist");
        assert_eq!(error.code(), ErrorCode("E0501"));
        let text = error.to_string();
        assert!(text.contains("/no/such/compiler") && text.contains("OPENWORK_CC"), "{text}");
    }
}
