//! Code for one program: what a step of a variant runs.

use crate::compiler::Compiler;
use crate::stages::{PartKernel, Stages};
use openwork_base::Result;
use openwork_execute::{Job, KernelCode, Threading};
use openwork_lower::Phase;

/// A lowered program with its code.
pub(crate) struct KernelUnit {
    part: PartKernel,
    code: KernelCode,
    phase: Phase,
}

impl KernelUnit {
    /// The code of what stages end with.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub(crate) fn compile(stages: Stages, phase: Phase, compiler: &Compiler) -> Result<KernelUnit> {
        let part = stages.into_part();
        let passes = part.lowered.passes.is_some();
        let (code, _) =
            KernelCode::compile(&compiler.backend, &compiler.cache, &part.program, &part.loops, passes)?;
        Ok(KernelUnit { part, code, phase })
    }
    /// What one run knows of it.
    pub(crate) fn job(&self, threading: Threading) -> Job<'_> {
        let KernelUnit { part: PartKernel { program, lowered, loops, literals, .. }, code, phase } = self;
        Job { program, lowered, loops, literals, code, phase: *phase, threading }
    }
    /// The loops as text.
    pub(crate) fn loops_text(&self) -> String {
        openwork_loops::text::print(&self.part.lowered.kernel)
    }
}
