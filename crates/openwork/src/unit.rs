//! Code for one program: what a step of a variant runs.

use crate::compiler::Compiler;
use crate::stages::{Part, Stages};
use openwork_base::Result;
use openwork_execute::{Code, Job, Threading};
use openwork_lower::Phase;

/// A lowered program with its code.
pub(crate) struct Unit {
    part: Part,
    code: Code,
    phase: Phase,
}

impl Unit {
    /// The code of what stages end with.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn compile(stages: Stages, phase: Phase, compiler: &Compiler) -> Result<Unit> {
        let part = stages.into_part();
        let passes = part.lowered.passes.is_some();
        let (code, _) =
            Code::compile(&compiler.backend, &compiler.cache, &part.program, &part.loops, passes)?;
        Ok(Unit { part, code, phase })
    }
    /// What one run knows of it.
    pub(crate) fn job(&self, threading: Threading) -> Job<'_> {
        let Unit { part: Part { program, lowered, loops, literals, .. }, code, phase } = self;
        Job { program, lowered, loops, literals, code, phase: *phase, threading }
    }
    /// The loops as text.
    pub(crate) fn loops_text(&self) -> String {
        openwork_loops::text::print(&self.part.lowered.kernel)
    }
}
