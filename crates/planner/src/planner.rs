//! The planner of one statement.

use crate::legalise::{copy, first, has_workspace};
use crate::memo::Memo;
use crate::pieces::pieces;
use crate::price::work;
use crate::search::{RivalListing, SearchScope, Weighed, weigh};
use crate::step::{Alternative, Plan};
use crate::way::{BuiltWay, Legality, Way};
use crate::windows::{WhichParts, taken_out};
use openwork_base::cancel::look;
use openwork_base::machine::threshold;
use openwork_base::{Code, Conflict, Diagnostic, Error, Result};
use openwork_index::check::Assignment;
use openwork_index::cin::LoopHint;
use openwork_index::plan::{self, Reason, contraction, conversion};
use openwork_index::schedule::{self, Schedule};
use openwork_levels::Registry;
use openwork_lower::uneven;

/// Work that is worth dividing among threads, in units of about a nanosecond.
const DIVIDED: f64 = 260_000.0;

/// Plans statements over the levels of a registry.
///
/// ```
/// use openwork_base::Source;
/// use openwork_format::presets;
/// use openwork_index::schedule::Schedule;
/// use openwork_index::{Decl, Decls, check, notation};
/// use openwork_levels::Registry;
/// use openwork_planner::{Planner, Step};
/// let mut decls = Decls::default();
/// let (dtype, format, shape) = (Some(openwork_algebra::DType::F64), Some(presets::csr()), Some(vec![9, 9]));
/// decls.tensors.insert("A".into(), Decl { dtype, format, shape, stored: None, elements: None });
/// let parsed = notation::parse(&Source::new("statement", "y(i) = 2 * A(i,i)"))?;
/// let (registry, statement) = (Registry::default(), check(&parsed, &decls)?);
/// let plan = Planner::new(&registry, 0.0).plan(&statement, &Schedule::new())?;
/// assert!(matches!(&plan.steps[..], [Step::Diagonal(of), Step::Kernel] if of.source == "A"));
/// # Ok::<(), openwork_base::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    registry: &'a Registry,
    least: f64,
    taking: usize,
    others: RivalListing,
}

impl<'a> Planner<'a> {
    /// A planner that looks for other ways where a statement as it is stored takes at least `least` units of work, of about
    /// a nanosecond each.
    pub fn new(registry: &'a Registry, least: f64) -> Planner<'a> {
        Planner { registry, least, taking: 0, others: RivalListing::Forgotten }
    }
    /// One that takes the way with this number among those that its own choice was compared with, as [`Plan::rejected`] lists
    /// them from 1 on; 0 is its own choice.
    #[must_use]
    pub fn with_way(self, number: usize) -> Planner<'a> {
        Planner { taking: number, ..self }
    }
    /// One whose plans list the ways that they were compared with: each can be asked for. That takes an eighth longer.
    #[must_use]
    pub fn with_listing(self) -> Planner<'a> {
        Planner { others: RivalListing::Listed, ..self }
    }
    /// The levels that it knows.
    pub fn registry(&self) -> &'a Registry {
        self.registry
    }
    /// The cheapest plan that works: the assignment as it is, with operands that are converted first, with a result that is
    /// converted afterwards. With a schedule, the first one that works, rewritten: names are those of the statement as it is
    /// stored, so no other way is looked for.
    ///
    /// # Errors
    /// What the assignment as it is was refused for, when nothing helps; `E0811` to `E0814` for the schedule; `E0808` where
    /// nothing has the number of the way to take.
    pub fn plan(&self, a: &Assignment, schedule: &Schedule) -> Result<Plan> {
        let memo = Memo::default();
        if schedule.is_empty() {
            match self.plan_parts(a, WhichParts::Unwalked, schedule, &memo) {
                Err(e) if e.conflict().is_some() && a.tensors.iter().any(|(_, t)| t.is_windowed()) => {}
                planned => return planned,
            }
        }
        self.plan_parts(a, WhichParts::All, schedule, &memo)
    }
    /// The plan of an assignment of which some parts of operands are taken out first.
    fn plan_parts(
        &self,
        a: &Assignment,
        which: WhichParts,
        schedule: &Schedule,
        memo: &Memo,
    ) -> Result<Plan> {
        let (whole, parts) = taken_out(a, which);
        let mut plan = match long(&whole, memo).filter(|_| schedule.is_empty()) {
            Some(steps) => match self.plan_whole(&steps, schedule, memo) {
                Err(e) if e.conflict().is_some() => self.plan_whole(&whole, schedule, memo)?,
                planned => planned?,
            },
            None => self.plan_whole(&whole, schedule, memo)?,
        };
        for (n, (step, reason)) in parts.into_iter().enumerate() {
            plan.steps.insert(n, step);
            plan.concrete.reasons.push(reason);
        }
        Ok(plan)
    }
    /// The plan of an assignment as it is.
    fn plan_whole(&self, a: &Assignment, schedule: &Schedule, memo: &Memo) -> Result<Plan> {
        let legality = Legality::new(self.registry, memo);
        let whatever = legality.whatever_it_takes();
        if !schedule.is_empty() {
            let built = apply_schedule(a, schedule, whatever.as_written())?;
            let work = work(&built.way, memo);
            return built.into_plan(work, Vec::new(), self.registry);
        }
        let weighed = match self.weigh_ways(a, legality) {
            Err(refusal) if refusal.conflict() == Some(Conflict::Size) => self.weigh_ways(a, whatever),
            weighed => weighed,
        };
        let Weighed { chosen, work, mut others } = weighed?;
        let (built, work) = match self.taking {
            0 => (chosen, work),
            number if number <= others.len() => {
                let (other, way) = others.remove(number - 1);
                others.insert(0, (Alternative { describe: chosen.way.describe(), work }, chosen.way));
                (legality.way(way)?, other.work)
            }
            number => return Err(missing_way(number, others.len())),
        };
        let rejected = others.into_iter().map(|(other, _)| other).collect();
        let mut plan = choose_gallops(built, whatever).into_plan(work, rejected, self.registry)?;
        // A planner that looks for ways however little there is to do divides it as well.
        if work >= threshold(DIVIDED, 0.0) || self.least == 0.0 {
            plan.pieces = pieces(&plan.concrete.program, &plan.lowered, whatever)?;
        }
        Ok(plan)
    }
    fn weigh_ways(&self, a: &Assignment, legality: Legality) -> Result<Weighed> {
        if let Some(copy) = copy(a, legality)? {
            return Ok(Weighed::without_rivals(copy, legality.memo));
        }
        let first = first(a, legality);
        // A copy in one pass needs no comparison.
        let passes = |b: &BuiltWay| b.way.conversions.is_empty() && !has_workspace(&b.way.concrete);
        // By its number one is found among all.
        let others = if self.taking > 0 { RivalListing::Listed } else { self.others };
        match conversion::copied_operand(a) {
            Some(_) if first.as_ref().is_ok_and(passes) => {
                first.map(|b| Weighed::without_rivals(b, legality.memo))
            }
            _ => weigh(a, first, self.least, SearchScope { legality, others }),
        }
    }
}

/// A product of many factors in steps, the cheapest of some orders: a nest with a loop for each of many variables takes longer
/// to plan than steps take to run.
fn long(a: &Assignment, memo: &Memo) -> Option<Assignment> {
    let price = |a: &Assignment| {
        look();
        let planned = plan::plan(a.clone()).ok()?;
        Some(work(&Way::plain(planned), memo))
    };
    let priced = contraction::in_steps(a).into_iter().filter_map(|a| Some((price(&a)?, a)));
    priced.min_by(|(x, _), (y, _)| x.total_cmp(y)).map(|(_, a)| a)
}

/// No way has this number.
fn missing_way(number: usize, others: usize) -> Error {
    let message = format!("there is no candidate {number}");
    let help = match others {
        0 => "the planner compared its choice with nothing else".to_string(),
        1 => "the planner compared its choice with one other candidate, number 1".into(),
        n => format!("the planner compared its choice with {n} others, numbered from 1"),
    };
    Error::rejection(Diagnostic::new(Code("E0808"), message).help(help))
}

/// The first way that works, rewritten by a schedule.
fn apply_schedule(a: &Assignment, schedule: &Schedule, legality: Legality) -> Result<BuiltWay> {
    let mut way = match copy(a, legality)? {
        Some(copy) => copy.way,
        None => first(a, legality)?.way,
    };
    way.concrete = schedule::apply(way.concrete, schedule)?;
    legality.way(way)
}

/// Intersections of lists whose lengths are known to differ much gallop.
fn choose_gallops(built: BuiltWay, legality: Legality) -> BuiltWay {
    let program = &built.way.concrete.program;
    if program.tensors.iter().filter(|(_, t)| t.stored.is_some()).count() < 2 {
        return built;
    }
    let iteration = &built.loops.iteration;
    let found = uneven(&iteration.graph, &iteration.program);
    if found.is_empty() {
        return built;
    }
    let mut way = built.way.clone();
    for (v, ratio) in found {
        let program = &mut way.concrete.program;
        program.directives.loops.entry(v).or_default().push(LoopHint::Gallop);
        let choice = format!("the loop over `{}` gallops", program.indices[v].name);
        let because = format!("one list that it intersects is about {ratio:.0} times as long as another");
        way.concrete.reasons.push(Reason { choice, because });
    }
    // Where lowering finds that they are no lists after all, they are stepped through.
    match legality.loops(&way.concrete.program) {
        Ok(loops) => BuiltWay { way, loops, ..built },
        Err(_) => built,
    }
}
