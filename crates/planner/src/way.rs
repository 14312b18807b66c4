//! A way to compute a statement, and whether it is legal.

use crate::formats::plain_format;
use crate::loops::Loops;
use crate::memo::Memo;
use crate::step::{Alternative, Conversion, Plan, Step};
use openwork_base::cancel::look;
use openwork_base::{Conflict, Diagnostic, Error, Result};
use openwork_format::Format;
use openwork_index::check::Assignment;
use openwork_index::plan::{Concrete, Reason, plan, plan_as_written};
use openwork_index::{Program, TensorKind};
use openwork_levels::Registry;
use openwork_lower::{Decide, Iteration, Lowered};

/// A program, and what is stored differently around its kernel.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) concrete: Concrete,
    /// Conversions of operands before the kernel.
    pub(crate) conversions: Vec<Conversion>,
    /// The format of the result after the kernel, if the kernel makes another.
    pub(crate) finish: Option<Format>,
}

impl Way {
    /// With everything as it is stored.
    pub(crate) fn plain(concrete: Concrete) -> Way {
        Way { concrete, conversions: Vec::new(), finish: None }
    }
    /// What it would do, in words. Ways that are described alike are compared once, so what is said more decides what is planned.
    pub(crate) fn describe(&self) -> String {
        let mut parts = vec![self.concrete.program.to_string()];
        parts.extend(self.conversions.iter().map(Conversion::describe));
        let after = |f| format!("the result is converted to {} afterwards", plain_format(f));
        parts.extend(self.finish.as_ref().map(after));
        parts.join("; ")
    }
}

/// A way that is legal.
pub(crate) struct BuiltWay {
    pub(crate) way: Way,
    pub(crate) loops: Loops,
    /// How many times as long the statement would take as it is stored, where that is why it is not taken so.
    pub(crate) gain: Option<f64>,
}

/// Why tensors are stored differently, where nothing else works.
const NO_ORDER: &str = "no loop order walks the operands as they are stored";
const UNFILLED: &str = "it is not filled in the order of the loops";

/// What becomes of a result that is converted after the kernel, in words.
fn finish_text(program: &Program, to: &Format) -> String {
    let result = program.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result);
    let made = result.map(|(_, t)| plain_format(&t.declared_format()).to_string()).unwrap_or_default();
    format!("the kernel makes the result as {made}, which is then converted to {}", plain_format(to))
}

impl BuiltWay {
    /// After conversions of operands.
    pub(crate) fn with_conversions(mut self, conversions: Vec<Conversion>) -> BuiltWay {
        self.way.conversions = conversions;
        self
    }
    /// With a result that is converted afterwards.
    pub(crate) fn with_finish(mut self, format: Format) -> BuiltWay {
        self.way.finish = Some(format);
        self
    }
    /// The steps, with reasons for each that is not the kernel, and the loops of that.
    ///
    /// # Errors
    /// A bug in lowering.
    pub(crate) fn into_plan(
        self,
        work: f64,
        rejected: Vec<Alternative>,
        registry: &Registry,
    ) -> Result<Plan> {
        let lowered = self.loops.write(registry)?;
        let Way { mut concrete, conversions, finish } = self.way;
        let longer = self.gain.map(|gain| {
            format!("the statement as it is stored would take about {} times as long", gain.round())
        });
        let mut steps = Vec::new();
        for conversion in conversions {
            let (choice, step) = (conversion.describe(), conversion.into_step());
            if !matches!(step, Step::Alias(_)) {
                let because = longer.clone().unwrap_or_else(|| NO_ORDER.into());
                concrete.reasons.push(Reason { choice, because });
            }
            steps.push(step);
        }
        steps.push(Step::Kernel);
        if let Some(format) = finish {
            let choice = finish_text(&concrete.program, &format);
            concrete.reasons.push(Reason { choice, because: longer.unwrap_or_else(|| UNFILLED.into()) });
            steps.push(Step::Finish(format));
        }
        Ok(Plan { steps, concrete, lowered, pieces: Vec::new(), work, rejected })
    }
}

/// What a way must be to be legal: one whose iteration graph has no more cases than allowed, and loops that can be
/// written.
#[derive(Clone, Copy)]
pub(crate) struct Legality<'a> {
    pub(crate) registry: &'a Registry,
    /// The most cases that a kernel may tell apart.
    cases: usize,
    /// Whether a schedule is going to look for what is written.
    as_written: bool,
    /// What the plan has asked already.
    pub(crate) memo: &'a Memo,
}

/// The most cases that a kernel tells apart where there is another way. With 1000, machine code is made in a fifth of a
/// second, where operands that are merged a few at a time take a fiftieth.
const CASES: usize = 1000;

impl<'a> Legality<'a> {
    pub(crate) fn new(registry: &'a Registry, memo: &'a Memo) -> Legality<'a> {
        Legality { registry, cases: CASES, as_written: false, memo }
    }
    /// With as many cases as lowering can write.
    pub(crate) fn whatever_it_takes(self) -> Legality<'a> {
        Legality { cases: usize::MAX, ..self }
    }
    /// Of programs that a schedule looks into.
    pub(crate) fn as_written(self) -> Legality<'a> {
        Legality { as_written: true, ..self }
    }
    /// An assignment as it is stored.
    ///
    /// # Errors
    /// What the planner of index notation refuses, and lowering.
    pub(crate) fn assignment(self, a: Assignment) -> Result<BuiltWay> {
        self.way(Way::plain(self.plan(a)?))
    }
    /// The program of an assignment as it is stored.
    ///
    /// # Errors
    /// What the planner of index notation refuses.
    pub(crate) fn plan(self, a: Assignment) -> Result<Concrete> {
        look();
        if self.as_written { plan_as_written(a) } else { plan(a) }
    }
    /// A way, if it is legal.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn way(self, way: Way) -> Result<BuiltWay> {
        let loops = self.loops(&way.concrete.program)?;
        Ok(BuiltWay { way, loops, gain: None })
    }
    /// The loops of a program, if they can be written: its graph tells.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn loops(self, program: &Program) -> Result<Loops> {
        look();
        self.memo.loops(program, self.cases, || Ok(Loops::new(self.build_graph(program)?)))
    }
    /// The loops of a program, written.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn lower(self, program: &Program) -> Result<Lowered> {
        self.loops(program)?.write(self.registry)
    }
    /// The graph of a program, if it has no more cases than allowed.
    ///
    /// # Errors
    /// What has no graph, or too large a one.
    fn build_graph(self, program: &Program) -> Result<Iteration> {
        if self.cases == usize::MAX {
            return Iteration::build(program, self.registry, Decide::Hidden);
        }
        // Most regions are cases, but for those where nothing is left to do and loops that tell nothing apart.
        let most = self.cases.saturating_mul(4);
        let iteration = Iteration::build_limited(program, self.registry, Decide::Hidden, most)?;
        if iteration.size.cases >= self.cases {
            let message = "merging these operands at once would take too much code";
            return Err(Error::refusal(Diagnostic::from_conflict(Conflict::Size, message)));
        }
        Ok(iteration)
    }
}
