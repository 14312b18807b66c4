//! The Python process with the libraries that are compared with.

use super::Text;
use super::compare::Peer;
use super::table::{Column, Sums};
use crate::python::Python;
use openwork::Coo;
use std::cell::RefCell;
use std::time::Duration;

/// The libraries, as `worker.py` names them.
const LIBRARIES: [&str; 5] = ["scipy", "mkl", "sparse_dot", "graphblas", "numba"];

/// The process, if there is one, and the libraries in it.
pub struct Worker {
    python: Option<RefCell<Python>>,
    present: Vec<&'static str>,
}

impl Worker {
    /// No peers.
    pub fn absent() -> Worker {
        Worker { python: None, present: Vec::new() }
    }
    /// Starts the process and names the libraries that are missing, with the reason.
    pub fn start() -> Worker {
        // A library's threads that wait for more work would take the core from who is timed next.
        let environment = [
            ("OMP_NUM_THREADS", "2".to_string()),
            ("MKL_NUM_THREADS", "2".to_string()),
            ("MKL_DYNAMIC", "FALSE".to_string()),
            ("KMP_BLOCKTIME", "0".to_string()),
            ("OMP_WAIT_POLICY", "passive".to_string()),
        ];
        let mut python = match Python::start(include_str!("worker.py"), &environment) {
            Ok(python) => python,
            Err(e) => {
                println!("skipped: every library in Python: {e}");
                return Worker::absent();
            }
        };
        let mut present = Vec::new();
        for library in LIBRARIES {
            match python.ask(&format!("has {library}")) {
                Ok(version) => {
                    println!("peer {library}: {}", version.trim_start_matches("ok "));
                    present.push(library);
                }
                Err(e) => println!("skipped: {library}: {e}"),
            }
        }
        // A Python without the packages has stopped.
        let python = (!present.is_empty()).then(|| RefCell::new(python));
        Worker { python, present }
    }
    fn ask(&self, command: &str) -> Text<String> {
        let python = self.python.as_ref().ok_or("no Python")?;
        python.borrow_mut().ask(command)
    }
    /// Forgets the operands of earlier comparisons.
    pub fn clear(&self) -> Text<()> {
        if self.python.is_some() { self.ask("clear").map(|_| ()) } else { Ok(()) }
    }
    /// Hands a matrix over.
    pub fn load(&self, name: &str, coo: &Coo) -> Text<()> {
        self.python.as_ref().map_or(Ok(()), |p| p.borrow_mut().load(name, coo))
    }
    /// Makes the dense matrix that [`super::inputs::dense`] makes.
    pub fn dense(&self, name: &str, shape: [usize; 2], seed: u64) -> Text<()> {
        if self.python.is_none() {
            return Ok(());
        }
        self.ask(&format!("dense {name} {} {} {seed}", shape[0], shape[1])).map(|_| ())
    }
    /// The columns whose library is there, applied to operands.
    pub fn peers<'a>(&'a self, columns: &[Column], operands: &str) -> Vec<Peer<'a>> {
        let present =
            |c: &&Column| self.present.iter().any(|l| c.op.split('.').next().is_some_and(|o| o == *l));
        columns.iter().filter(present).map(|&column| self.peer(column, operands)).collect()
    }
    fn peer(&self, column: Column, operands: &str) -> Peer<'_> {
        let request = format!("{} {} {operands}", column.op, column.threads);
        let (sum, time) = (format!("sum {request}"), format!("time {request}"));
        Peer {
            column,
            sums: Box::new(move || Sums::parse(&self.ask(&sum)?)),
            time: Box::new(move || {
                let nanoseconds = self.ask(&time).ok().and_then(|t| t.parse().ok());
                Duration::from_nanos(nanoseconds.expect("it ran before"))
            }),
        }
    }
}
