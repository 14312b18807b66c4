//! The SciPy side of a benchmark: a Python process that runs one operation per command.

use openwork::Coo;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The packages of the peers, pinned.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "scipy==1.17.1", "mkl==2025.3.0"];

/// A running Python process.
pub struct Scipy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    dir: tempfile::TempDir,
}

impl Scipy {
    /// Starts Python in a virtual environment of the benchmarks' own, made on first use.
    ///
    /// # Errors
    /// When Python or its packages cannot be had.
    pub fn start() -> Result<Scipy, String> {
        let python = python()?;
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let script = dir.path().join("scipy_peer.py");
        std::fs::write(&script, include_str!("scipy.py")).map_err(|e| e.to_string())?;
        let mut child = Command::new(python)
            .arg(script)
            .env("OMP_NUM_THREADS", "1")
            .env("MKL_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let input = child.stdin.take().ok_or("no pipe to Python")?;
        let output = BufReader::new(child.stdout.take().ok_or("no pipe from Python")?);
        Ok(Scipy { child, input, output, dir })
    }
    fn ask(&mut self, command: &str) -> Result<String, String> {
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).map_err(|e| e.to_string())?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|e| e.to_string())?;
        match line.trim() {
            "" => Err("Python stopped".into()),
            error if error.starts_with("error") => Err(error.into()),
            answer => Ok(answer.into()),
        }
    }
    /// Hands a matrix over.
    ///
    /// # Errors
    /// When it cannot be written or read.
    pub fn load(&mut self, name: &str, coo: &Coo) -> Result<(), String> {
        let file = |n: &str| self.dir.path().join(n);
        for (mode, n) in [(0, "rows.i32"), (1, "cols.i32")] {
            std::fs::write(file(n), coo.coords(mode).as_bytes()).map_err(|e| e.to_string())?;
        }
        std::fs::write(file("vals.f64"), coo.vals().as_bytes()).map_err(|e| e.to_string())?;
        let folder = self.dir.path().display().to_string();
        self.ask(&format!("load {name} {folder} {} {}", coo.shape()[0], coo.shape()[1])).map(|_| ())
    }
    /// The sum of what an operation gives.
    ///
    /// # Errors
    /// What Python says.
    pub fn sum(&mut self, name: &str, op: &str) -> Result<f64, String> {
        self.ask(&format!("sum {name} {op}"))?.parse().map_err(|_| "no number".to_string())
    }
    /// The time of one run.
    ///
    /// # Errors
    /// What Python says.
    pub fn time(&mut self, name: &str, op: &str) -> Result<Duration, String> {
        let nanoseconds = self.ask(&format!("time {name} {op}"))?;
        nanoseconds.parse().map(Duration::from_nanos).map_err(|_| "no number".to_string())
    }
    /// Whether MKL is there.
    pub fn has_mkl(&mut self) -> bool {
        self.ask("mkl").is_ok_and(|a| a == "yes")
    }
}

impl Drop for Scipy {
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
    if std::fs::read_to_string(&stamp).is_ok_and(|s| s == PACKAGES.join("\n")) {
        return Ok(python);
    }
    eprintln!("installing {} into {}", PACKAGES.join(", "), folder.display());
    let run = |command: &mut Command| match command.status() {
        Ok(s) if s.success() => Ok(()),
        other => Err(format!("{command:?}: {other:?}")),
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    std::fs::write(&stamp, PACKAGES.join("\n")).map_err(|e| e.to_string())?;
    Ok(python)
}
