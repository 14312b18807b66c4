//! A way to compute a statement, and whether it is legal.

use crate::formats::plainly;
use crate::step::{Alternative, Conversion, Plan, Step};
use openwork_base::cancel::look;
use openwork_base::{Conflict, Diagnostic, Error, Result};
use openwork_format::Format;
use openwork_index::check::Assignment;
use openwork_index::plan::{Concrete, Reason, plan, plan_as_written};
use openwork_levels::Registry;
use openwork_lower::graph::Graph;
use openwork_lower::{Lowered, cases, lower};

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
    /// What it would do, in words.
    pub(crate) fn describe(&self) -> String {
        let mut parts = vec![self.concrete.program.to_string()];
        parts.extend(self.conversions.iter().map(Conversion::describe));
        let after = |f| format!("the result is converted to {} afterwards", plainly(f));
        parts.extend(self.finish.as_ref().map(after));
        parts.join("; ")
    }
}

/// A way with its loops.
pub(crate) struct Built {
    pub(crate) way: Way,
    pub(crate) lowered: Lowered,
    /// How many times as long the statement would take as it is stored, where that is why it is not taken so.
    pub(crate) gain: Option<f64>,
}

/// Why tensors are stored differently, where nothing else works.
const NO_ORDER: &str = "no loop order walks the operands as they are stored";
const UNFILLED: &str = "it is not filled in the order of the loops";

impl Built {
    /// After conversions of operands.
    pub(crate) fn converting(mut self, conversions: Vec<Conversion>) -> Built {
        self.way.conversions = conversions;
        self
    }
    /// With a result that is converted afterwards.
    pub(crate) fn finished(mut self, format: Format) -> Built {
        self.way.finish = Some(format);
        self
    }
    /// The steps, with reasons for each that is not the kernel.
    pub(crate) fn into_plan(self, work: f64, rejected: Vec<Alternative>) -> Plan {
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
            let choice = format!("the result is converted to {} after the kernel", plainly(&format));
            concrete.reasons.push(Reason { choice, because: longer.unwrap_or_else(|| UNFILLED.into()) });
            steps.push(Step::Finish(format));
        }
        Plan { steps, concrete, lowered: self.lowered, pieces: Vec::new(), work, rejected }
    }
}

/// What a way must be to be legal: one whose iteration graph has no more cases than allowed, and can be lowered.
#[derive(Clone, Copy)]
pub(crate) struct Legality<'a> {
    pub(crate) registry: &'a Registry,
    /// The most cases that a kernel may tell apart.
    cases: usize,
    /// Whether a schedule is going to look for what is written.
    as_written: bool,
}

/// The most cases that a kernel tells apart where there is another way. With 1000, machine code is made in a fifth of a
/// second, where operands that are merged a few at a time take a fiftieth.
const CASES: usize = 1000;

impl<'a> Legality<'a> {
    pub(crate) fn new(registry: &'a Registry) -> Legality<'a> {
        Legality { registry, cases: CASES, as_written: false }
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
    pub(crate) fn assignment(self, a: Assignment) -> Result<Built> {
        look();
        self.way(Way::plain(if self.as_written { plan_as_written(a)? } else { plan(a)? }))
    }
    /// A way, with its loops.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn way(self, way: Way) -> Result<Built> {
        let lowered = self.lowered(&way)?;
        Ok(Built { way, lowered, gain: None })
    }
    /// The loops of a way.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn lowered(self, way: &Way) -> Result<Lowered> {
        look();
        let program = &way.concrete.program;
        if self.cases < usize::MAX {
            // Most regions are cases, but for those where nothing is left to do and loops that tell nothing apart.
            let graph = Graph::within(program, self.registry, 4 * self.cases)?;
            if cases(&graph, program) >= self.cases {
                let message = "merging these operands at once would take too much code";
                return Err(Error::unsupported(Diagnostic::of(Conflict::Size, message)));
            }
        }
        lower(program, self.registry)
    }
}
