//! What computes the statements of a command line: a kernel, or the kernels of several in sequence.

use crate::operands::FileOperand;
use crate::request::Request;
use openwork::estimate::{self, StoredCounts};
use openwork::{
    Action, ActionTime, Decls, Kernel, Ran, Result, Sequence, Session, Spread, Stages, Tensor, Times, Work,
};
use std::time::Duration;

/// One statement, or several.
pub(crate) enum CompiledRequest {
    One(Box<Kernel>),
    Several(Box<Sequence>),
}

/// What a run gave.
pub(crate) struct OneRun {
    /// The results that are wanted.
    pub(crate) tensors: Vec<(String, Tensor)>,
    pub(crate) times: Times,
    /// Each step of several statements; what is to be said of the only one.
    pub(crate) each: Vec<ActionTime>,
}

impl OneRun {
    /// What ran, of a single statement.
    pub(crate) fn single(&self) -> Option<&Ran> {
        match &self.each[..] {
            [ActionTime { ran, .. }] if ran.len() == 1 => ran.first(),
            _ => None,
        }
    }
}

impl CompiledRequest {
    /// Compiles the statements; of several, the results called `wanted` are kept.
    ///
    /// # Errors
    /// Every diagnostic of the statements, the schedule and the backend.
    pub(crate) fn compile(
        session: &Session,
        text: &str,
        request: &Request,
        decls: &Decls,
        wanted: &[&str],
    ) -> Result<CompiledRequest> {
        Ok(match request.statements.len() {
            1 => {
                let statement = single(request, text);
                let kernel = session.compile_scheduled(statement, decls, &request.schedule)?;
                CompiledRequest::One(Box::new(kernel))
            }
            _ => CompiledRequest::Several(Box::new(session.sequence(text, decls, Some(wanted))?)),
        })
    }
    /// With one of the variants of the plan to be tried first, by its number; of several plans, in those that have it.
    ///
    /// # Errors
    /// `E0808` for a number that no variant has.
    pub(crate) fn with_variant(self, number: Option<usize>) -> Result<CompiledRequest> {
        let Some(number) = number else { return Ok(self) };
        Ok(match self {
            CompiledRequest::One(kernel) => CompiledRequest::One(Box::new(kernel.with_variant(number)?)),
            CompiledRequest::Several(sequence) => {
                CompiledRequest::Several(Box::new(sequence.with_variant(number)?))
            }
        })
    }
    /// Runs them once.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub(crate) fn run(&self, operands: &[FileOperand]) -> Result<OneRun> {
        let given: Vec<(&str, &Tensor)> = operands.iter().map(|o| (o.name.as_str(), &o.tensor)).collect();
        match self {
            CompiledRequest::One(kernel) => {
                let made = kernel.run(&given)?;
                let stages = kernel.stages();
                let name = stages.plan.program.tensors[stages.result()].name.clone();
                let (time, ran) = (made.times.total, vec![made.ran]);
                let each =
                    vec![ActionTime { time, spread: made.spread, ran, together: false, joined: vec![false] }];
                Ok(OneRun { tensors: vec![(name, made.tensor)], times: made.times, each })
            }
            CompiledRequest::Several(sequence) => {
                let made = sequence.run(&given)?;
                let (times, each) = (made.times, made.each.clone());
                Ok(OneRun { tensors: made.into_tensors(), times, each })
            }
        }
    }
    /// The stages of every statement.
    pub(crate) fn stages(&self) -> Vec<&Stages> {
        match self {
            CompiledRequest::One(kernel) => vec![kernel.stages()],
            CompiledRequest::Several(sequence) => sequence.kernels().iter().map(Kernel::stages).collect(),
        }
    }
    /// The statements of every step, by their numbers.
    pub(crate) fn steps(&self) -> Vec<Vec<usize>> {
        match self {
            CompiledRequest::One(_) => vec![vec![0]],
            CompiledRequest::Several(sequence) => {
                sequence.actions().iter().filter_map(statements_of).collect()
            }
        }
    }
    pub(crate) fn compile_time(&self) -> Duration {
        match self {
            CompiledRequest::One(kernel) => kernel.compile_time(),
            CompiledRequest::Several(sequence) => sequence.compile_time(),
        }
    }
    /// An estimate of what one run does.
    pub(crate) fn work(&self, stored: &StoredCounts, bytes: usize) -> Work {
        match self {
            CompiledRequest::One(kernel) => estimate::work(&kernel.stages().plan.program, stored, bytes),
            CompiledRequest::Several(sequence) => sequence.work(stored, bytes),
        }
    }
}

impl OneRun {
    /// The most threads and chunks of any step.
    pub(crate) fn max_spread(&self) -> Spread {
        let most = |of: fn(&Spread) -> usize| self.each.iter().map(|e| of(&e.spread)).max().unwrap_or(1);
        Spread { threads: most(|s| s.threads), chunks: most(|s| s.chunks) }
    }
}

/// The statements that an action runs, if it runs any.
pub(crate) fn statements_of(action: &Action) -> Option<Vec<usize>> {
    match action {
        Action::Run(n) => Some(vec![*n]),
        Action::Together(all) => Some(all.clone()),
        Action::Free(_) => None,
    }
}

/// The text of the only statement, with its definitions and without what separates statements.
pub(crate) fn single<'t>(request: &Request, text: &'t str) -> &'t str {
    let end = request.statements.first().map_or(text.len(), |s| s.source.part.range().end);
    text[..end].trim_start_matches(|c: char| c == ';' || c.is_whitespace())
}
