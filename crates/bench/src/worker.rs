//! The Python process with the libraries that are compared with (`peer/worker.py`).

use crate::Text;
use crate::python::Python;
use crate::sums::WeightedSums;
use openwork::{Buffer, Coo};
use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

/// The modules of the process; the first is what runs.
const MODULES: [(&str, &str); 13] = [
    ("worker.py", include_str!("peer/worker.py")),
    ("operands.py", include_str!("peer/operands.py")),
    ("sums.py", include_str!("peer/sums.py")),
    ("peer_scipy.py", include_str!("peer/peer_scipy.py")),
    ("peer_arrays.py", include_str!("peer/peer_arrays.py")),
    ("vectors.py", include_str!("peer/vectors.py")),
    ("peer_mkl.py", include_str!("peer/peer_mkl.py")),
    ("peer_graphblas.py", include_str!("peer/peer_graphblas.py")),
    ("peer_numba.py", include_str!("peer/peer_numba.py")),
    ("peer_c.py", include_str!("peer/peer_c.py")),
    ("args.h", include_str!("peer/args.h")),
    ("loops.c", include_str!("peer/loops.c")),
    ("eigen.cpp", include_str!("peer/eigen.cpp")),
];

/// An operation of a library on named operands.
#[derive(Clone, Debug)]
pub struct PeerCall {
    pub op: String,
    pub threads: usize,
    pub operands: String,
}

/// The process, if there is one, and the libraries in it.
pub struct Worker {
    python: Option<RefCell<Python>>,
    present: Vec<(&'static str, String)>,
}

/// Threads that wait for more work spin for a while, in these libraries as in ours, and sleep before the next one is timed.
pub const PAUSE: Duration = Duration::from_millis(2);

fn environment() -> Vec<(&'static str, String)> {
    vec![
        ("OMP_NUM_THREADS", "2".into()),
        ("MKL_NUM_THREADS", "2".into()),
        ("NUMBA_NUM_THREADS", "2".into()),
        // NumPy's own, which would still wait for work when others are timed.
        ("OPENBLAS_NUM_THREADS", "1".into()),
        ("MKL_DYNAMIC", "FALSE".into()),
        ("KMP_BLOCKTIME", "1".into()),
        ("GOMP_SPINCOUNT", "20000".into()),
        ("MALLOC_ARENA_MAX", "1".into()),
    ]
}

impl Worker {
    /// No peers.
    pub fn absent() -> Worker {
        Worker { python: None, present: Vec::new() }
    }
    /// Starts the process and names the libraries that are missing, with the reason.
    pub fn start(libraries: &[&'static str]) -> Worker {
        let mut python = match Python::start(&MODULES, &environment()) {
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
                    let version = version.trim_start_matches("ok ").to_string();
                    println!("peer {library}: {version}");
                    present.push((*library, version));
                }
                Err(e) => println!("skipped: {library}: {e}"),
            }
        }
        // A Python without the packages has stopped.
        let python = (!present.is_empty()).then(|| RefCell::new(python));
        Worker { python, present }
    }
    /// The answer to a command.
    pub fn ask(&self, command: &str) -> Text<String> {
        let python = self.python.as_ref().ok_or("no Python")?;
        python.borrow_mut().ask(command)
    }
    /// The libraries that are there, with their versions.
    pub fn present(&self) -> &[(&'static str, String)] {
        &self.present
    }
    /// Forgets the operands of earlier comparisons.
    pub fn clear(&self) -> Text<()> {
        if self.python.is_some() { self.ask("clear").map(|_| ()) } else { Ok(()) }
    }
    /// Hands a matrix over; duplicates are added up.
    pub fn load(&self, name: &str, coo: &Coo) -> Text<()> {
        self.hand("load", name, coo, ["rows.i32", "cols.i32"])
    }
    /// Hands a matrix over as a list of entries, in their order.
    pub fn loose(&self, name: &str, coo: &Coo) -> Text<()> {
        self.hand("loose", name, coo, ["rows.i32", "cols.i32"])
    }
    /// Hands a tensor of order three over: its entries are sorted and different.
    pub fn fibres(&self, name: &str, coo: &Coo) -> Text<()> {
        self.hand("fibres", name, coo, ["0.i32", "1.i32", "2.i32"])
    }
    /// Hands an array of any order and dtype over, which its peers have by its coordinates.
    pub fn array(&self, name: &str, coo: &Coo) -> Text<()> {
        let Some(python) = &self.python else { return Ok(()) };
        let files: Vec<String> = (0..coo.rank()).map(|mode| format!("{mode}.i32")).collect();
        let mut arrays: Vec<(&str, &Buffer)> =
            files.iter().enumerate().map(|(mode, file)| (file.as_str(), coo.coords(mode))).collect();
        arrays.push(("vals", coo.vals()));
        let folder = python.borrow().write(&arrays)?;
        let dims: Vec<String> = coo.shape().iter().map(usize::to_string).collect();
        self.ask(&format!("array {name} {folder} {} {}", coo.dtype(), dims.join(" "))).map(|_| ())
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
    /// Names a file that is to be read.
    ///
    /// # Errors
    /// When it is not there.
    pub fn text(&self, name: &str, path: &Path) -> Text<()> {
        if self.python.is_some() {
            self.ask(&format!("text {name} {}", path.display())).map(|_| ())
        } else {
            Ok(())
        }
    }
    /// The time of one run.
    pub fn time(&self, op: &str, threads: usize, operands: &str) -> Duration {
        let nanoseconds = self.ask(&format!("time {op} {threads} {operands}"));
        Duration::from_nanos(nanoseconds.ok().and_then(|t| t.parse().ok()).expect("it ran before"))
    }
}

/// Those who compute the same as we do.
pub trait Peers {
    /// Whether the library of an operation is there.
    fn has(&self, op: &str) -> bool;
    /// Forgets what was prepared for operations, which holds their results.
    ///
    /// # Errors
    /// When the process stopped.
    fn forget(&self) -> Text<()>;
    /// What the result of an operation adds up to.
    ///
    /// # Errors
    /// What the library says.
    fn sums(&self, what: &PeerCall) -> Text<WeightedSums>;
    /// The milliseconds of so many runs, after others that are not timed.
    ///
    /// # Errors
    /// What the library says.
    fn turn(&self, what: &PeerCall, warm: usize, times: usize) -> Text<Vec<f64>>;
}

impl Peers for Worker {
    fn has(&self, op: &str) -> bool {
        self.present.iter().any(|(l, _)| op.split('.').next().is_some_and(|o| o == *l))
    }
    fn forget(&self) -> Text<()> {
        if self.python.is_some() { self.ask("forget").map(|_| ()) } else { Ok(()) }
    }
    fn sums(&self, PeerCall { op, threads, operands }: &PeerCall) -> Text<WeightedSums> {
        WeightedSums::parse(&self.ask(&format!("sum {op} {threads} {operands}"))?)
    }
    fn turn(
        &self,
        PeerCall { op, threads, operands }: &PeerCall,
        warm: usize,
        times: usize,
    ) -> Text<Vec<f64>> {
        let answer = self.ask(&format!("turn {op} {threads} {warm} {times} {operands}"))?;
        Ok(answer.split(' ').filter_map(|ns| ns.parse::<f64>().ok()).map(|ns| ns / 1e6).collect())
    }
}
