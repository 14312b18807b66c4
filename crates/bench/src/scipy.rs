//! The SciPy side of a benchmark: a Python process that runs one operation per command.

use crate::python::{self, Python};
use openwork::Coo;
use std::time::Duration;

/// A running Python process.
pub struct Scipy(Python);

impl Scipy {
    /// Starts Python in a virtual environment of the benchmarks' own, made on first use.
    ///
    /// # Errors
    /// When Python or its packages cannot be had.
    pub fn start() -> Result<Scipy, String> {
        Python::start(include_str!("scipy.py"), &python::one_thread()).map(Scipy)
    }
    fn ask(&mut self, command: &str) -> Result<String, String> {
        self.0.ask(command)
    }
    /// Hands a matrix over.
    ///
    /// # Errors
    /// When it cannot be written or read.
    pub fn load(&mut self, name: &str, coo: &Coo) -> Result<(), String> {
        self.0.load(name, coo)
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
