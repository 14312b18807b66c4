//! `--source`: a C function of the user's in place of generated code.

use crate::args::SourceFlags;
use crate::compiled::{CompiledRequest, single};
use crate::fault;
use crate::operands::FileOperand;
use crate::request::Request;
use crate::summary::ReasonLine;
use openwork::{CGiven, Decl, Decls, Error, Format, Result, Session};
use std::path::PathBuf;

/// A C file with the function that is called.
pub(crate) struct GivenKernel {
    path: PathBuf,
    text: String,
    function: String,
}

impl GivenKernel {
    /// Reads the file that the flags name.
    ///
    /// # Errors
    /// `E0704` for a file that cannot be read, `E0818` where there are several statements.
    pub(crate) fn read(flags: &SourceFlags, request: &Request) -> Result<Option<GivenKernel>> {
        let Some(path) = flags.source.clone() else { return Ok(None) };
        request.one_statement("a C file")?;
        let text = std::fs::read_to_string(&path).map_err(|e| fault::system("read", path.display(), &e))?;
        let function = flags.name.clone().unwrap_or_else(|| "kernel".into());
        Ok(Some(GivenKernel { path, text, function }))
    }
    /// The kernel that calls it.
    ///
    /// # Errors
    /// As [`Session::compile_c`].
    pub(crate) fn compile(
        &self,
        session: &Session,
        text: &str,
        request: &Request,
        operands: &[FileOperand],
    ) -> Result<CompiledRequest> {
        let file = CGiven { function: &self.function, path: &self.path, text: &self.text };
        let (statement, decls) = (single(request, text), decls(request, operands));
        let kernel = session.compile_c(statement, &decls, &request.schedule, &file)?;
        Ok(CompiledRequest::One(Box::new(kernel)))
    }
    /// What a reader of the report should know.
    pub(crate) fn reason(&self) -> ReasonLine {
        ReasonLine {
            choice: format!("`{}` of {} is called", self.function, self.path.display()),
            because: "--source names it; nothing checks what it reads and writes".into(),
        }
    }
    /// The error for a result that is another one than that of the statement.
    pub(crate) fn differs(&self, difference: &str) -> Error {
        let message = format!(
            "`{}` of {} computes something else than the statement: {difference}",
            self.function,
            self.path.display()
        );
        fault::rejection(
            fault::SOURCE,
            message,
            "correct the file, or leave --verify out where that is meant",
        )
    }
}

/// What `compile` declares, whatever the data: plans for other sizes may call a function with other arguments.
fn decls(request: &Request, operands: &[FileOperand]) -> Decls {
    let arithmetic = Some(request.arithmetic);
    let mut decls = Decls { dims: request.dims.clone(), arithmetic, ..Decls::default() };
    for FileOperand { name, tensor, .. } in operands {
        let stored = || Format { pos: None, crd: None, ..tensor.format().clone() };
        let format = request.formats.get(name).cloned().unwrap_or_else(stored);
        let decl = Decl {
            dtype: Some(tensor.dtype()),
            format: Some(format),
            shape: None,
            stored: None,
            elements: None,
        };
        decls.tensors.insert(name.clone(), decl);
    }
    request.declare_results(&mut decls);
    decls
}
