//! A Python process that answers one line per command, in a virtual environment of the benchmarks' own.

use openwork::Buffer;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The packages of the peers, pinned.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "scipy==1.17.1", "mkl==2025.3.0"];
/// Packages of peers that are left out where they cannot be had: the rest goes on without those that cannot be installed.
const OPTIONAL: [&str; 5] = [
    "cmeel-eigen==3.4.1",
    "sparse_dot_mkl==0.9.10",
    "suitesparse-graphblas==10.5.1.1",
    "numba==0.68.1",
    "sparse==0.19.3",
];

/// A running Python process.
pub struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    dir: tempfile::TempDir,
}

impl Python {
    /// Starts Python with a script, and modules beside it: the first of the given files runs.
    ///
    /// # Errors
    /// When Python or its packages cannot be had.
    pub fn start(files: &[(&str, &str)], environment: &[(&str, String)]) -> Result<Python, String> {
        let python = python()?;
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).map_err(|e| e.to_string())?;
        }
        let libraries = python.parent().and_then(Path::parent).map(|p| p.join("lib")).unwrap_or_default();
        let mut child = Command::new(python)
            .arg(dir.path().join(files[0].0))
            .env("LD_LIBRARY_PATH", libraries)
            .envs(environment.iter().map(|(k, v)| (*k, v)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let input = child.stdin.take().ok_or("no pipe to Python")?;
        let output = BufReader::new(child.stdout.take().ok_or("no pipe from Python")?);
        Ok(Python { child, input, output, dir })
    }
    /// The answer to a command.
    ///
    /// # Errors
    /// What Python says, or that it stopped.
    pub fn ask(&mut self, command: &str) -> Result<String, String> {
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).map_err(|e| e.to_string())?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|e| e.to_string())?;
        match line.trim() {
            "" => Err("Python stopped".into()),
            error if error.starts_with("error") => Err(error.into()),
            answer => Ok(answer.into()),
        }
    }
    /// Writes arrays to files that the process can read, and says in which folder.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&self, arrays: &[(&str, &Buffer)]) -> Result<String, String> {
        for (name, array) in arrays {
            std::fs::write(self.dir.path().join(name), array.as_bytes()).map_err(|e| e.to_string())?;
        }
        Ok(self.dir.path().display().to_string())
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It ends by itself once its input is closed; killing it makes sure that nothing is left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The interpreter with the peers' packages: `OPENWORK_BENCH_PYTHON`, or one in `.venv-bench`.
fn python() -> Result<PathBuf, String> {
    if let Ok(own) = std::env::var("OPENWORK_BENCH_PYTHON") {
        return Ok(own.into());
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.venv-bench");
    let python = folder.join("bin/python");
    let stamp = folder.join("installed.txt");
    let wanted: Vec<&str> = PACKAGES.iter().chain(&OPTIONAL).copied().collect();
    if std::fs::read_to_string(&stamp).is_ok_and(|s| s == wanted.join("\n")) {
        return Ok(python);
    }
    eprintln!("installing {} into {}", wanted.join(", "), folder.display());
    let run = |command: &mut Command| match command.status() {
        Ok(s) if s.success() => Ok(()),
        other => Err(format!("{command:?}: {other:?}")),
    };
    let install = |packages: &[&str]| {
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    install(&PACKAGES)?;
    for package in OPTIONAL {
        if let Err(e) = install(&[package]) {
            eprintln!("{e}");
        }
    }
    std::fs::write(&stamp, wanted.join("\n")).map_err(|e| e.to_string())?;
    Ok(python)
}
