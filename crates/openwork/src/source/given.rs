//! C files that somebody edited, as kernels ([`openwork_backend_c::given`]).

use super::{entry, remarks};
use crate::form::StatementForm;
use crate::kernel::Kernel;
use crate::session::Session;
use openwork_backend_c::given::{self, GivenFile};
use openwork_backend_c::program::CProgram;
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_index::Decls;
use openwork_index::schedule::Schedule;
use openwork_lower::Phase;
use std::path::Path;
use std::time::Instant;

/// A C file with a function that computes a statement, as [`Session::c_source`] writes it and people edit it; see
/// [`Session::compile_c`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CGiven<'a> {
    /// The name of the function.
    pub function: &'a str,
    /// Where the file is, for messages; it may include headers beside it.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
}

/// A file that was written for something else.
const OTHER: Code = Code("E0819");

impl Session {
    /// A kernel that calls a function of a C file, compiled by the system's compiler, instead of code of ours.
    ///
    /// The function is native code of the caller's and trusted as such: **nothing checks what it reads and writes**. The arrays of
    /// its result are checked when it is done. It runs on the thread of the call, cannot be asked to stop, and memory that it
    /// takes itself counts for no limit.
    ///
    /// ```no_run
    /// use openwork::{CFile, CGiven, Decls, Schedule, Session, Tensor, TensorExt, declare_operands};
    /// let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    /// let (statement, decls, schedule) = ("y(i) = 2 * x(i)", declare_operands(&[("x", &x)]), Schedule::new());
    /// let file = Session::global().c_source(statement, &decls, &schedule, &CFile::new("twice"))?;
    /// let text = file.source.replace("2.0 *", "3.0 *");
    /// let edited = CGiven { function: "twice", path: "twice.c".as_ref(), text: &text };
    /// let thrice = Session::global().compile_c(statement, &decls, &schedule, &edited)?;
    /// assert_eq!(thrice.run(&[("x", &x)])?.tensor, Tensor::from_vec(&[3], vec![3.0, 6.0, 9.0])?);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::c_source`]; `E0819` for a file that says that it was written for something else, does not compile or has no
    /// function of this name and type; `E0501` without a C compiler. Runs of the kernel end with `E0601` where what the function
    /// makes is no valid tensor.
    pub fn compile_c(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
        file: &CGiven,
    ) -> Result<Kernel> {
        let start = Instant::now();
        let (text, statement) = (statement.text(), statement.read()?);
        let stages = self.stages_of_function(&statement, decls, schedule, file.function)?;
        let remarks = remarks(&stages, self.arithmetic_of(decls), &text, file.function, None);
        said_for(file, &remarks)?;
        let called = entry(&stages, None, file.function, String::new(), Phase::Fused);
        let program = CProgram {
            name: file.function.into(),
            remarks,
            entries: vec![called],
            header: None,
            example: None,
        };
        let code = given::compile(&program, &GivenFile { path: file.path, text: file.text })?;
        Ok(Kernel::from_code(stages, code, self.compiler(), self.threading, start))
    }
}

/// Refuses a file whose first comment names another statement or arithmetic, or other dtypes and formats: its arguments may have the same
/// types and mean something else. What the comment does not name is not asked for.
fn said_for(file: &CGiven, wanted: &[String]) -> Result<()> {
    let comment = file.text.split_once("/*").and_then(|(_, rest)| rest.split_once("*/"));
    let comment = comment.map_or("", |(comment, _)| comment);
    let lines: Vec<&str> = comment.lines().map(|l| l.trim().trim_start_matches('*').trim()).collect();
    // `spmv: y(i) = …`, `A: f64, csr`; other lines of ours have no such beginning or are not about what goes in and out.
    let facts = wanted.iter().enumerate().filter(|(n, l)| *n == 0 || l.starts_with("  "));
    for (_, wanted) in facts.filter(|(_, l)| !l.trim().starts_with("loops:")) {
        let Some((name, fact)) = wanted.trim().split_once(": ") else { continue };
        let said = lines.iter().find_map(|l| l.split_once(": ").filter(|(n, _)| *n == name));
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        if let Some((_, said)) = said.filter(|(_, said)| plain(said) != plain(fact)) {
            let message = format!(
                "{} was written for `{name}: {said}`, and this is `{name}: {fact}`",
                file.path.display()
            );
            let help = "give the flags that it was written with, or correct its first comment";
            return Err(Error::rejection(Diagnostic::new(OTHER, message).help(help)));
        }
    }
    Ok(())
}
