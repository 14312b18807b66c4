//! When the operands cannot be walked as they are stored, some of them are stored differently first.
//!
//! Three refusals of the planner and of lowering are lifted here, by [conversions](Conversion) that run before the
//! kernel: storage orders that contradict each other, levels that cannot be merged or located, and diagonals of sparse
//! operands. An operand that is used with different index variables becomes one operand per use, so that `A(i,j) +
//! A(j,i)` can read it in both orders. One conversion is tried before several.

use crate::choose::{Alternative, better};
use crate::convert::Conversion;
use openwork_base::cancel::look;
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_format::specs::COMPRESSED;
use openwork_format::{Format, Level, Width, presets};
use openwork_index::check::Assignment;
use openwork_index::cin::LoopHint;
use openwork_index::expr::fill_of;
use openwork_index::plan::{Plan, Reason, conversion, plan, plan_as_written, regroup};
use openwork_index::schedule::{self, Schedule};
use openwork_index::{Access, Expr, Kind, Tensor, TensorId};
use openwork_levels::Registry;
use openwork_lower::graph::Graph;
use openwork_lower::{Lowered, cases, lower, uneven};

/// Refusals that another operand format may lift.
const REPAIRABLE: [&str; 5] = ["E0404", "E0405", "E0406", "E0407", "E0408"];
/// Refusals that another result format may lift.
const UNASSEMBLED: [&str; 5] = ["E0403", "E0404", "E0406", "E0407", "E0408"];

/// Too many operands at once.
const TOO_MUCH: Code = Code("E0408");

/// Plans and lowers.
#[derive(Clone, Copy)]
pub(crate) struct Build<'a> {
    pub(crate) registry: &'a Registry,
    /// The estimated work from which on other ways are compared.
    pub(crate) least: f64,
    /// The most cases that a kernel may tell apart.
    cases: usize,
    /// Whether a schedule is going to look for what is written.
    as_written: bool,
}

/// The most cases that a kernel tells apart where there is another way. With 1000, machine code is made in a fifth of a
/// second, where operands that are merged a few at a time take a fiftieth.
const CASES: usize = 1000;

impl<'a> Build<'a> {
    /// Compares ways from `least` work on.
    pub(crate) fn new(registry: &'a Registry, least: f64) -> Build<'a> {
        Build { registry, least, cases: CASES, as_written: false }
    }
    /// With as many cases as lowering can write.
    fn whatever_it_takes(self) -> Build<'a> {
        Build { cases: usize::MAX, ..self }
    }
    fn assignment(self, a: Assignment) -> Result<(Plan, Lowered)> {
        look();
        self.plan(if self.as_written { plan_as_written(a)? } else { plan(a)? })
    }
    /// The loops of a plan.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn lowered(self, plan: &Plan) -> Result<Lowered> {
        if self.cases < usize::MAX {
            // Most regions are cases, but for those where nothing is left to do and loops that tell nothing apart.
            let graph = Graph::within(&plan.program, self.registry, 4 * self.cases)?;
            if cases(&graph, &plan.program) >= self.cases {
                let message = "merging these operands at once would take too much code";
                return Err(Error::unsupported(Diagnostic::new(TOO_MUCH, message)));
            }
        }
        lower(&plan.program, self.registry)
    }
    fn plan(self, plan: Plan) -> Result<(Plan, Lowered)> {
        look();
        let lowered = self.lowered(&plan)?;
        Ok((plan, lowered))
    }
}

/// What it took to build a statement.
pub(crate) struct Repaired {
    pub(crate) plan: Plan,
    pub(crate) lowered: Lowered,
    /// Conversions of operands before the kernel.
    pub(crate) conversions: Vec<Conversion>,
    /// The format of the result after the kernel, if the kernel makes another.
    pub(crate) finish: Option<Format>,
    /// Ways that were compared and found dearer.
    pub(crate) rejected: Vec<Alternative>,
    /// Why operands are converted.
    pub(crate) because: String,
}

impl Repaired {
    fn new(plan: Plan, lowered: Lowered, conversions: Vec<Conversion>, finish: Option<Format>) -> Repaired {
        let because = NO_ORDER.into();
        Repaired { plan, lowered, conversions, finish, rejected: Vec::new(), because }
    }
}

/// Why operands are converted, where nothing else works.
pub(crate) const NO_ORDER: &str = "no loop order walks the operands as they are stored";

/// Builds an assignment as it is, with converted operands, or with a result that is converted afterwards.
///
/// # Errors
/// What the assignment as it is was refused for, when nothing helps.
pub(crate) fn built(a: &Assignment, schedule: &Schedule, build: Build) -> Result<Repaired> {
    match schedule.is_empty() {
        true => match planned(a, build) {
            Err(refusal) if refusal.code() == TOO_MUCH => planned(a, build.whatever_it_takes()),
            done => done,
        }
        .map(|done| galloping(done, build.whatever_it_takes())),
        false => rewritten(a, schedule, Build { as_written: true, ..build.whatever_it_takes() }),
    }
}

/// Intersections of lists whose lengths are known to differ much gallop.
fn galloping(done: Repaired, build: Build) -> Repaired {
    let known = done.plan.program.tensors.iter().filter(|(_, t)| t.stored.is_some());
    if known.count() < 2 {
        return done;
    }
    let Ok(graph) = Graph::of(&done.plan.program, build.registry) else { return done };
    let found = uneven(&graph, &done.plan.program);
    if found.is_empty() {
        return done;
    }
    let mut plan = done.plan.clone();
    for (v, ratio) in found {
        plan.program.directives.loops.entry(v).or_default().push(LoopHint::Gallop);
        let choice = format!("the loop over `{}` gallops", plan.program.indices[v].name);
        let because = format!("one list that it intersects is about {ratio:.0} times as long as another");
        plan.reasons.push(Reason { choice, because });
    }
    // Where lowering finds that they are no lists after all, they are stepped through.
    match build.plan(plan) {
        Ok((plan, lowered)) => Repaired { plan, lowered, ..done },
        Err(_) => done,
    }
}

/// The cheapest way that works.
fn planned(a: &Assignment, build: Build) -> Result<Repaired> {
    if let Some((plan, lowered)) = copy(a, build)? {
        return Ok(Repaired::new(plan, lowered, Vec::new(), None));
    }
    let mut first = first(a, build);
    if conversion::copied(a).is_some() {
        return first;
    }
    match better(a, first.as_mut().ok(), build) {
        Some(better) => Ok(better),
        None => first,
    }
}

/// The first way that works, rewritten by a schedule. Names are those of the statement as it is stored, so no other way is
/// looked for.
fn rewritten(a: &Assignment, schedule: &Schedule, build: Build) -> Result<Repaired> {
    let first = match copy(a, build)? {
        Some((plan, lowered)) => Repaired::new(plan, lowered, Vec::new(), None),
        None => first(a, build)?,
    };
    let plan = schedule::apply(first.plan, schedule)?;
    let (plan, lowered) = build.plan(plan)?;
    Ok(Repaired { plan, lowered, ..first })
}

/// The first way that works, the closest to what was asked for.
fn first(a: &Assignment, build: Build) -> Result<Repaired> {
    let with_operands = |a: &Assignment| match build.assignment(a.clone()) {
        Ok((plan, lowered)) => Ok((plan, lowered, Vec::new())),
        Err(refusal) => match in_pieces(a, &refusal, build) {
            Some((plan, lowered)) => Ok((plan, lowered, Vec::new())),
            None => by_conversion(a, refusal, build),
        },
    };
    let wanted = a.tensors[a.lhs.tensor].format.clone();
    let refusal = if in_order(&wanted) {
        match with_operands(a) {
            // A copy needs no dense workspace: storage sorts what another format holds.
            Ok((plan, ..)) if conversion::copied(a).is_some() && has_workspace(&plan) => None,
            Ok((plan, lowered, conversions)) => {
                return Ok(Repaired::new(plan, lowered, conversions, None));
            }
            Err(refusal) if !UNASSEMBLED.contains(&refusal.code().0) => return Err(refusal),
            Err(refusal) => Some(refusal),
        }
    } else {
        None
    };
    let mut last = None;
    for format in intermediates(a, &wanted) {
        let mut other = a.clone();
        other.tensors[a.lhs.tensor].format = format;
        match with_operands(&other) {
            Ok((plan, lowered, conversions)) => {
                return Ok(Repaired::new(plan, lowered, conversions, Some(wanted)));
            }
            Err(error) => last = Some(error),
        }
    }
    Err(refusal.or(last).expect("there is always an intermediate format"))
}

/// A merge of too many operands, taken in pieces.
fn in_pieces(a: &Assignment, refusal: &Error, build: Build) -> Option<(Plan, Lowered)> {
    let pieces = regroup::in_pieces(a).filter(|_| refusal.code() == TOO_MUCH)?;
    build.assignment(pieces).ok()
}

/// A statement that only copies is a conversion: in one pass where the source's order is the target's, else out of
/// order, where the target's levels can place elements.
fn copy(a: &Assignment, build: Build) -> Result<Option<(Plan, Lowered)>> {
    let wanted = &a.tensors[a.lhs.tensor].format;
    if conversion::copied(a).is_none() {
        return Ok(None);
    }
    if in_order(wanted) {
        let one_pass = |p: &Plan| p.program.tensors.iter().all(|(_, t)| t.kind != Kind::Temp);
        if let Some(done) = build.assignment(a.clone()).ok().filter(|(p, _)| one_pass(p)) {
            return Ok(Some(done));
        }
    }
    match conversion::out_of_order(a)?.map(|plan| build.plan(plan)) {
        Some(Err(refusal)) if REPAIRABLE.contains(&refusal.code().0) => Ok(None),
        Some(built) => built.map(Some),
        None => Ok(None),
    }
}

/// Whether a plan goes through a dense temporary.
fn has_workspace(plan: &Plan) -> bool {
    plan.program.tensors.iter().any(|(_, t)| t.kind == Kind::Temp && t.format.rank() > 0)
}

/// Whether results in this format are assembled coordinate by coordinate.
pub(crate) fn in_order(format: &Format) -> bool {
    let appends = |l: &Level| l.spec.assembly.appends && !l.padded();
    format.remap.is_none() && !format.symmetric && format.levels.iter().all(appends)
}

/// Formats that a result can be computed in, the closest first: sparse only where the value is.
pub(crate) fn intermediates(a: &Assignment, wanted: &Format) -> Vec<Format> {
    let rank = wanted.rank();
    let like = |f: Format| {
        let widths = Format { crd: wanted.crd, ..f };
        Format { fill: wanted.fill.clone(), ..with_roomy_widths(&widths) }
    };
    let mut out = Vec::new();
    // Runs cover every coordinate, most of them perhaps with the fill value.
    let mut tensors = a.tensors.clone();
    for (id, t) in a.tensors.iter().filter(|(_, t)| t.format.levels.iter().any(|l| l.shares_positions())) {
        tensors[id].format = presets::csf(t.format.rank());
    }
    let rest = fill_of(&a.rhs, &tensors);
    let same = || rest.is_some_and(|f| f.same(a.tensors[a.lhs.tensor].fill));
    if (fill_of(&a.rhs, &a.tensors).is_some() || same()) && rank > 0 {
        if rank == 2 {
            out.push(like(presets::csr()));
            out.push(like(presets::csc()));
        }
        out.push(like(presets::csf(rank)));
    }
    out.push(like(presets::dense(rank)));
    out
}

/// A format without what other messages say: its widths and fill.
pub(crate) fn plainly(format: &Format) -> Format {
    Format { pos: None, crd: None, fill: None, ..format.clone() }
}

/// Builds again with converted operands; `refusal` is what the caller's own formats led to.
///
/// # Errors
/// `refusal`, when no conversion helps.
fn by_conversion(a: &Assignment, refusal: Error, build: Build) -> Result<(Plan, Lowered, Vec<Conversion>)> {
    if !REPAIRABLE.contains(&refusal.code().0) {
        return Err(refusal);
    }
    let (a, always) = one_operand_per_use(a);
    let attempt = |changes: &[(TensorId, Format)]| attempt(&a, &always, changes, build);
    if let Some(done) = attempt(&[]) {
        return Ok(done);
    }
    let sparse: Vec<TensorId> = a
        .tensors
        .iter()
        .filter(|(_, t)| t.kind == Kind::Operand && !t.format.is_dense())
        .map(|(id, _)| id)
        .collect();
    // Operands stored in another order, or with computed coordinates, as plain lists.
    let unusual: Vec<(TensorId, Format)> = sparse
        .iter()
        .filter(|&&t| !in_order(&a.tensors[t].format))
        .map(|&t| (t, compressed(&a.tensors[t].format)))
        .collect();
    if unusual.len() > 1
        && let Some(done) = attempt(&unusual)
    {
        return Ok(done);
    }
    for &operand in &sparse {
        for format in candidates(&a.tensors[operand].format) {
            if let Some(done) = attempt(&[(operand, format)]) {
                return Ok(done);
            }
        }
    }
    // Every operand in one global order of the variables: the result's if it is appended to, or that of appearance.
    let all: Vec<(TensorId, Format)> = sparse
        .iter()
        .map(|&t| (t, in_global_order(&a, t)))
        .filter(|(t, f)| a.tensors[*t].format != *f)
        .collect();
    if let Some(done) = attempt(&all) {
        return Ok(done);
    }
    // Merges that would take too much code go away with the operands that need them.
    let dense = |t: TensorId| {
        let format = &a.tensors[t].format;
        (t, Format { fill: format.fill.clone(), ..with_roomy_widths(&presets::dense(format.rank())) })
    };
    let one = sparse.iter().find_map(|&t| attempt(&[dense(t)]));
    one.or_else(|| attempt(&sparse.iter().map(|&t| dense(t)).collect::<Vec<_>>())).ok_or(refusal)
}

fn attempt(
    a: &Assignment,
    always: &[Conversion],
    changes: &[(TensorId, Format)],
    build: Build,
) -> Option<(Plan, Lowered, Vec<Conversion>)> {
    let (changed, conversions) = changed(a, always, changes);
    let (plan, lowered) = build.assignment(changed).ok()?;
    Some((plan, lowered, conversions))
}

/// An assignment with some operands stored in other formats, and the conversions that make them so.
pub(crate) fn changed(
    a: &Assignment,
    always: &[Conversion],
    changes: &[(TensorId, Format)],
) -> (Assignment, Vec<Conversion>) {
    let mut changed = a.clone();
    let mut conversions = always.to_vec();
    for (tensor, format) in changes {
        let covered = covered(a, *tensor);
        let t = &mut changed.tensors[*tensor];
        if t.format.levels.iter().any(|l| l.shares_positions()) {
            t.stored = covered;
        }
        t.format = format.clone();
        match conversions.iter_mut().find(|c| c.tensor == *tensor) {
            Some(known) => known.format = format.clone(),
            None => conversions.push(Conversion {
                tensor: *tensor,
                source: given_name(a, *tensor),
                modes: (0..format.rank()).collect(),
                format: format.clone(),
            }),
        }
    }
    (changed, conversions)
}

/// How many coordinates an operand has, where the sizes are known: those that its runs cover, each a value elsewhere.
fn covered(a: &Assignment, operand: TensorId) -> Option<usize> {
    let all = a.rhs.accesses();
    let access = all.into_iter().find(|x| x.tensor == operand)?;
    access.vars.iter().try_fold(1usize, |n, &v| n.checked_mul(a.indices[v].size?))
}

fn given_name(a: &Assignment, operand: TensorId) -> String {
    a.tensors[operand].given.clone()
}

/// Gives every distinct use of a sparse operand a tensor of its own, and every use on a diagonal the diagonal.
pub(crate) fn one_operand_per_use(a: &Assignment) -> (Assignment, Vec<Conversion>) {
    let mut out = a.clone();
    let mut conversions: Vec<Conversion> = Vec::new();
    let mut seen: Vec<(Access, Access)> = Vec::new();
    let mut uses: Vec<TensorId> = Vec::new();
    for access in a.rhs.accesses() {
        let t = &a.tensors[access.tensor];
        if t.format.is_dense() || t.kind != Kind::Operand || seen.iter().any(|(old, _)| old == access) {
            continue;
        }
        let mut vars = access.vars.clone();
        let mut modes = Vec::new();
        for (m, v) in access.vars.iter().enumerate() {
            let first = access.vars.iter().position(|w| w == v).unwrap_or(m);
            modes.push(if first == m {
                modes.iter().copied().max().map_or(0, |k: usize| k + 1)
            } else {
                modes[first]
            });
        }
        let diagonal = modes.iter().copied().max().map_or(0, |k| k + 1) < vars.len();
        if !diagonal && !uses.contains(&access.tensor) {
            uses.push(access.tensor);
            continue;
        }
        let mut format = t.format.clone();
        if diagonal {
            let mut kept = Vec::new();
            vars.retain(|v| {
                let new = !kept.contains(v);
                kept.push(*v);
                new
            });
            let roomy = with_roomy_widths(&format);
            format = Format { fill: format.fill, pos: roomy.pos, crd: roomy.crd, ..presets::csf(vars.len()) };
        }
        let name =
            (2..).map(|n| format!("{}_{n}", t.name)).find(|n| out.tensors.iter().all(|(_, t)| t.name != *n));
        let tensor = {
            let name = name.unwrap_or_default();
            out.tensors.push(Tensor { given: name.clone(), name, format: format.clone(), ..t.clone() })
        };
        conversions.push(Conversion { tensor, source: given_name(a, access.tensor), modes, format });
        seen.push((access.clone(), Access { tensor, vars }));
    }
    out.rhs = renamed(out.rhs, &seen);
    (out, conversions)
}

fn renamed(e: Expr, uses: &[(Access, Access)]) -> Expr {
    let other = |a: Access| uses.iter().find(|(old, _)| *old == a).map_or(a, |(_, new)| new.clone());
    e.with_access(&other).map_children(&mut |c| renamed(c, uses))
}

/// The same format with index arrays wide enough for any order of the modes: the caller chose narrow ones for his own.
pub(crate) fn with_roomy_widths(format: &Format) -> Format {
    let crd = match format.crd {
        Some(Width::I64 | Width::U32) => Width::I64,
        Some(Width::U8 | Width::U16 | Width::I32) | None => Width::I32,
    };
    format.clone().with_widths(Width::I64, crd)
}

/// Other formats for the same tensor, the closest first.
fn candidates(format: &Format) -> Vec<Format> {
    let mut out = Vec::new();
    let format = &with_roomy_widths(format);
    let regular = compressed(format);
    if regular != *format {
        out.push(regular.clone());
    }
    for modes in permutations(format.rank()) {
        if modes != regular.modes {
            if in_order(format) {
                out.push(Format { modes: modes.clone(), ..format.clone() });
            }
            out.push(Format { modes, ..regular.clone() });
        }
    }
    out
}

/// The same tensor with every level that is not dense sorted, unique and compressed; without computed coordinates.
fn compressed(format: &Format) -> Format {
    if format.remap.is_some() || format.symmetric {
        let rank = format.rank();
        let plain = if rank == 2 { presets::csr() } else { presets::csf(rank) };
        return Format { fill: format.fill.clone(), ..with_roomy_widths(&plain) };
    }
    let level = |l: &Level| if l.is_dense() { *l } else { Level::new(&COMPRESSED) };
    let levels = format.levels.iter().map(level).collect();
    Format { levels, ..with_roomy_widths(format) }
}

/// All mode orders; tensors of more than five modes are left to the global order.
pub(crate) fn permutations(rank: usize) -> Vec<Vec<usize>> {
    if rank > 5 {
        return Vec::new();
    }
    let mut out = vec![Vec::new()];
    for _ in 0..rank {
        out = out
            .into_iter()
            .flat_map(|p: Vec<usize>| {
                (0..rank).filter(|m| !p.contains(m)).map(|m| [&p[..], &[m]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    out
}

/// The modes of `tensor` sorted by a global order of the variables: the result's storage order, then appearance.
fn in_global_order(a: &Assignment, tensor: TensorId) -> Format {
    let format = compressed(&a.tensors[tensor].format);
    let Some(access) = a.rhs.accesses().into_iter().find(|x| x.tensor == tensor).cloned() else {
        return format;
    };
    let result = &a.tensors[a.lhs.tensor].format;
    let rank_of = |v| {
        let level = result.modes.iter().position(|&m| a.lhs.vars[m] == v);
        (level.unwrap_or(usize::MAX), v)
    };
    let mut modes: Vec<usize> = (0..format.rank()).collect();
    modes.sort_by_key(|&m| rank_of(access.vars[m]));
    Format { modes, ..format }
}
