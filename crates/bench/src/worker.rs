//! The Python process with the libraries that are compared with (`peer/worker.py`).

use crate::peers;
use crate::python::Python;
use openwork::{Buffer, Coo};
use std::cell::RefCell;
use std::time::Duration;

type Text<T> = Result<T, String>;

/// The modules of the process; the first is what runs.
const MODULES: [(&str, &str); 8] = [
    ("worker.py", include_str!("peer/worker.py")),
    ("operands.py", include_str!("peer/operands.py")),
    ("sums.py", include_str!("peer/sums.py")),
    ("peer_scipy.py", include_str!("peer/peer_scipy.py")),
    ("peer_mkl.py", include_str!("peer/peer_mkl.py")),
    ("peer_graphblas.py", include_str!("peer/peer_graphblas.py")),
    ("peer_numba.py", include_str!("peer/peer_numba.py")),
    ("peer_c.py", include_str!("peer/peer_c.py")),
];

/// The process, if there is one, and the libraries in it.
pub struct Worker {
    python: Option<RefCell<Python>>,
    present: Vec<&'static str>,
    /// The compiled loops in C, which live as long as the process.
    _loops: Option<tempfile::TempDir>,
}

fn environment() -> Vec<(&'static str, String)> {
    vec![
        ("OMP_NUM_THREADS", "2".into()),
        ("MKL_NUM_THREADS", "2".into()),
        ("NUMBA_NUM_THREADS", "2".into()),
        ("MKL_DYNAMIC", "FALSE".into()),
        ("KMP_BLOCKTIME", "1".into()),
        ("GOMP_SPINCOUNT", "20000".into()),
    ]
}

impl Worker {
    /// No peers.
    pub fn absent() -> Worker {
        Worker { python: None, present: Vec::new(), _loops: None }
    }
    /// Starts the process and names the libraries that are missing, with the reason.
    pub fn start(libraries: &[&'static str]) -> Worker {
        let mut environment = environment();
        let flags: Vec<&str> = peers::FLAGS.iter().chain(&["-fopenmp"]).copied().collect();
        let loops = match peers::compile("gcc", &flags, include_str!("peer/loops.c")) {
            Ok((dir, object)) => {
                environment.push(("OPENWORK_BENCH_LOOPS", object.display().to_string()));
                Some(dir)
            }
            Err(e) => {
                println!("skipped: loops in C, and what is timed by them: {e}");
                None
            }
        };
        let mut python = match Python::start(&MODULES, &environment) {
            Ok(python) => python,
            Err(e) => {
                println!("skipped: every library in Python: {e}");
                return Worker::absent();
            }
        };
        let mut present = Vec::new();
        for library in libraries {
            match python.ask(&format!("has {library}")) {
                Ok(version) => {
                    println!("peer {library}: {}", version.trim_start_matches("ok "));
                    present.push(*library);
                }
                Err(e) => println!("skipped: {library}: {e}"),
            }
        }
        // A Python without the packages has stopped.
        let python = (!present.is_empty()).then(|| RefCell::new(python));
        Worker { python, present, _loops: loops }
    }
    /// The answer to a command.
    pub fn ask(&self, command: &str) -> Text<String> {
        let python = self.python.as_ref().ok_or("no Python")?;
        python.borrow_mut().ask(command)
    }
    /// Whether the library of an operation is there.
    pub fn has(&self, op: &str) -> bool {
        self.present.iter().any(|l| op.split('.').next().is_some_and(|o| o == *l))
    }
    /// Forgets the operands of earlier comparisons.
    pub fn clear(&self) -> Text<()> {
        if self.python.is_some() { self.ask("clear").map(|_| ()) } else { Ok(()) }
    }
    /// Hands a matrix over; duplicates are added up.
    pub fn load(&self, name: &str, coo: &Coo) -> Text<()> {
        self.hand("load", name, coo, ["rows.i32", "cols.i32"])
    }
    fn hand<const N: usize>(&self, command: &str, name: &str, coo: &Coo, files: [&str; N]) -> Text<()> {
        let Some(python) = &self.python else { return Ok(()) };
        let mut arrays: Vec<(&str, &Buffer)> =
            files.iter().enumerate().map(|(mode, file)| (*file, coo.coords(mode))).collect();
        arrays.push(("vals.f64", coo.vals()));
        let folder = python.borrow().write(&arrays)?;
        let dims: Vec<String> = coo.shape().iter().map(usize::to_string).collect();
        self.ask(&format!("{command} {name} {folder} {}", dims.join(" "))).map(|_| ())
    }
    /// Makes the dense tensor that [`crate::inputs::formula`] makes.
    pub fn dense(&self, name: &str, shape: &[usize], seed: u64) -> Text<()> {
        if self.python.is_none() {
            return Ok(());
        }
        let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
        self.ask(&format!("dense {name} {seed} {}", dims.join(" "))).map(|_| ())
    }
    /// The nanoseconds of one run.
    pub fn time(&self, op: &str, threads: usize, operands: &str) -> Duration {
        let nanoseconds = self.ask(&format!("time {op} {threads} {operands}"));
        Duration::from_nanos(nanoseconds.ok().and_then(|t| t.parse().ok()).expect("it ran before"))
    }
}
