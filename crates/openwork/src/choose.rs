//! Choosing among the ways to build a statement.
//!
//! A statement can be planned as it is, with its contraction taken in steps, with its terms added up one after the other,
//! in pieces, with operands converted first, with a result that is converted afterwards, and with combinations of these. Every way is planned and estimated
//! ([`openwork_lower::cost`]); the cheapest that can be lowered is built.

use crate::convert::Conversion;
use crate::repair::{self, Build, Repaired};
use openwork_base::cancel::look;
use openwork_format::{Format, presets};
use openwork_index::check::Assignment;
use openwork_index::plan::{Plan, plan, regroup, term_by_term};
use openwork_index::{Access, Kind, TensorId};
use openwork_lower::cost::{self, CLEAR, CONVERT, Cost, estimate};

/// The most ways that are looked at, and for statements of how many operands: of larger ones each takes longer, so fewer
/// are.
const WAYS: usize = 240;
const OPERANDS: usize = 32;
/// What a conversion costs besides its elements: a kernel of its own.
const CALL: f64 = 3000.0;
/// Another way must be this much cheaper than the statement as it is.
const MARGIN: f64 = 0.7;

/// The most alternatives that are remembered.
const SHOWN: usize = 8;

/// A way to build a statement that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What it would do.
    pub describe: String,
    /// Its estimated work, in units of about a nanosecond.
    pub work: f64,
}

/// A planned way.
struct Way {
    plan: Plan,
    conversions: Vec<Conversion>,
    finish: Option<Format>,
    work: f64,
}

/// The cheapest way that can be built, if it is cheaper than `given`; the dearer ones that were compared are noted.
pub(crate) fn better(a: &Assignment, given: Option<&mut Repaired>, build: Build) -> Option<Repaired> {
    let work = match &given {
        Some(g) if settled(a, g) => return None,
        Some(g) => total(&g.plan, &g.conversions, g.finish.as_ref(), &estimate(&g.plan.program)),
        None => f64::INFINITY,
    };
    if work < build.least {
        return None;
    }
    let mut ways = ways(a);
    ways.sort_by(|x, y| x.work.total_cmp(&y.work));
    let as_given = given.as_ref().map(|g| describe_built(g));
    let mut rejected: Vec<Alternative> = Vec::new();
    let mut taken = None;
    for way in ways {
        look();
        let mut describe = describe(&way);
        if taken.is_none() && way.work < MARGIN * work {
            match build.lowered(&way.plan) {
                Ok(lowered) => {
                    taken = Some((way, lowered));
                    continue;
                }
                Err(refusal) => describe += &format!("; refused as {}", refusal.code().0),
            }
        }
        if rejected.len() < SHOWN && as_given.as_ref() != Some(&describe) {
            rejected.push(Alternative { describe, work: way.work });
        }
    }
    let Some((way, lowered)) = taken else {
        if let Some(g) = given {
            g.rejected = rejected;
        }
        return None;
    };
    if let Some(g) = given {
        rejected.insert(0, Alternative { describe: describe_built(g), work });
    }
    let Way { plan, conversions, finish, work: way_work } = way;
    let because = match work.is_finite() {
        true => format!(
            "the statement as it is stored would take about {} times as long",
            (work / way_work).round()
        ),
        false => repair::NO_ORDER.into(),
    };
    Some(Repaired { plan, lowered, conversions, finish, rejected, because })
}

/// Whether nothing could be gained: at most one sparse operand is walked, as it is stored.
fn settled(a: &Assignment, g: &Repaired) -> bool {
    let mut sparse: Vec<&Access> = a.rhs.accesses();
    sparse.retain(|x| !a.tensors[x.tensor].format.is_dense());
    let workspaces = g.plan.program.tensors.iter().any(|(_, t)| t.kind == Kind::Temp && t.format.rank() > 1);
    let steps = regroup::groupings(a).is_empty();
    // What computed coordinates cost is not estimated; walking them as they are stored was the reason for them.
    let lifted = g.plan.program.tensors.iter().any(|(_, t)| t.remap.is_some());
    let untouched = g.conversions.is_empty() && g.finish.is_none();
    untouched && (lifted || sparse.len() < 2 && steps && !workspaces)
}

fn describe(way: &Way) -> String {
    text(&way.plan, &way.conversions, way.finish.as_ref())
}
fn describe_built(g: &Repaired) -> String {
    text(&g.plan, &g.conversions, g.finish.as_ref())
}
fn text(plan: &Plan, conversions: &[Conversion], finish: Option<&Format>) -> String {
    let mut parts = vec![plan.program.to_string()];
    parts.extend(conversions.iter().map(Conversion::describe));
    parts.extend(finish.map(|f| format!("the result is converted to {} afterwards", repair::plainly(f))));
    parts.join("; ")
}

/// The work of a plan with the conversions around it.
fn total(plan: &Plan, conversions: &[Conversion], finish: Option<&Format>, estimated: &Cost) -> f64 {
    let program = &plan.program;
    let reads = |t: TensorId| {
        let all = program.body.assignments();
        all.into_iter().flat_map(|(_, _, rhs)| rhs.accesses()).find(|a| a.tensor == t).cloned()
    };
    let mut work = estimated.work;
    for c in conversions {
        let Some(access) = reads(c.tensor) else { continue };
        let format = &program.tensors[c.tensor].format;
        let mut room = 1.0;
        let mut cleared = 0.0;
        for (level, &m) in format.levels.iter().zip(&format.modes) {
            room *= access.vars.get(m).map_or(1.0, |&v| cost::size(program, v));
            if level.is_dense() || level.is_table() {
                cleared = room;
            }
            if !level.is_dense() {
                break;
            }
        }
        work += CALL + CONVERT * cost::stored(program, &access) + CLEAR * cleared;
    }
    let target = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    let target = target.into_iter().find(|a| program.tensors[a.tensor].kind == Kind::Result);
    let dense =
        target.filter(|a| program.tensors[a.tensor].format.is_dense()).map(|a| cost::room(program, a));
    if finish.is_some() {
        // A dense intermediate is searched for its values.
        work += CALL + CONVERT * estimated.stored.min(dense.unwrap_or(f64::INFINITY)) + dense.unwrap_or(0.0);
    }
    work + CLEAR * dense.unwrap_or(0.0)
}

/// Every way to build a statement besides the one that [`repair`] finds first.
fn ways(a: &Assignment) -> Vec<Way> {
    let mut groupings = vec![a.clone()];
    groupings.extend(regroup::groupings(a));
    groupings.extend(regroup::in_pieces(a));
    let operands = a.rhs.accesses().len();
    let most = if operands > OPERANDS { WAYS * OPERANDS / operands } else { WAYS };
    let mut out = Vec::new();
    for grouped in &groupings {
        let each = (most / groupings.len()).max(1);
        ways_of(grouped, each, &mut out);
    }
    out
}

fn ways_of(a: &Assignment, most: usize, out: &mut Vec<Way>) {
    let wanted = a.tensors[a.lhs.tensor].format.clone();
    let given = repair::in_order(&wanted);
    let mut results: Vec<Option<Format>> = Vec::new();
    if given {
        results.push(None);
    }
    let other = |f: &Format| !given || f.levels != wanted.levels || f.modes != wanted.modes;
    results.extend(repair::intermediates(a, &wanted).into_iter().filter(other).map(Some));
    let (split, always) = repair::one_operand_per_use(a);
    let sparse: Vec<TensorId> = split
        .tensors
        .iter()
        .filter(|(id, t)| t.kind == Kind::Operand && !t.format.is_dense() && used(&split, *id))
        .map(|(id, _)| id)
        .collect();
    // As it is first, then with one operand converted, then with more.
    let mut changes: Vec<Vec<(TensorId, Format)>> = vec![Vec::new()];
    for &t in &sparse {
        let mut more: Vec<Format> = layouts(&split.tensors[t].format, mostly_empty(&split, t));
        more.extend(in_slots(&split, t));
        let known = changes.clone();
        for change in known {
            for format in &more {
                changes.push([&change[..], &[(t, format.clone())]].concat());
            }
        }
        if changes.len() > most {
            break;
        }
    }
    changes.sort_by_key(Vec::len);
    changes.truncate(most.div_ceil(results.len().max(1)));
    for change in &changes {
        for result in &results {
            out.extend(way(a, &split, &always, change, result.as_ref(), |a| plan(a).ok()));
            let sums = |a| term_by_term(a).and_then(Result::ok);
            out.extend(way(a, &split, &always, change, result.as_ref(), sums));
        }
    }
}

fn used(a: &Assignment, t: TensorId) -> bool {
    a.rhs.accesses().iter().any(|x| x.tensor == t)
}

fn way(
    a: &Assignment,
    split: &Assignment,
    always: &[Conversion],
    change: &[(TensorId, Format)],
    result: Option<&Format>,
    plan: impl FnOnce(Assignment) -> Option<Plan>,
) -> Option<Way> {
    // Without a change every use reads the same operand, where it can.
    let (mut changed, mut conversions) =
        if change.is_empty() { (a.clone(), Vec::new()) } else { repair::changed(split, always, change) };
    let finish = result.map(|_| changed.tensors[changed.lhs.tensor].format.clone());
    if let Some(format) = result {
        let lhs = changed.lhs.tensor;
        changed.tensors[lhs].format = format.clone();
    }
    conversions.retain(|c| used(&changed, c.tensor));
    let plan = plan(changed)?;
    let work = total(&plan, &conversions, finish.as_ref(), &estimate(&plan.program));
    Some(Way { plan, conversions, finish, work })
}

/// Whether a matrix has many more rows or columns than values, so that a position for each of them is too much.
fn mostly_empty(a: &Assignment, t: TensorId) -> bool {
    let Some(stored) = a.tensors[t].stored else { return false };
    let reads = a.rhs.accesses().into_iter().filter(|x| x.tensor == t);
    let sizes = reads.flat_map(|x| x.vars.iter().filter_map(|&v| a.indices[v].size));
    sizes.max().is_some_and(|size| size / 4 > stored)
}

/// The most slots of a vector that is made to look coordinates up in, whatever else is stored.
const SLOTS: usize = 1 << 20;

/// A sparse vector with a slot for every coordinate, so that coordinates are looked up in it instead of merged: where slots
/// are few, or not many more than the operands store.
fn in_slots(a: &Assignment, t: TensorId) -> Option<Format> {
    let format = &a.tensors[t].format;
    let access = a.rhs.accesses().into_iter().find(|x| x.tensor == t)?.clone();
    let [v] = access.vars[..] else { return None };
    let size = a.indices[v].size?;
    let stored = a.tensors.iter().filter_map(|(_, t)| t.stored).max().unwrap_or(0);
    let list = format.remap.is_none() && format.levels[0].lists_coords();
    let bits = Format { pos: None, crd: None, fill: format.fill.clone(), ..presets::bit_vector() };
    (list && size <= SLOTS.max(8 * stored)).then_some(bits)
}

/// The plain layouts of a tensor: rows, columns, and fibres in every order of up to three modes.
fn layouts(format: &Format, mostly_empty: bool) -> Vec<Format> {
    let like = |f: Format| {
        let widths = Format { crd: format.crd, ..f };
        Format { fill: format.fill.clone(), ..repair::with_roomy_widths(&widths) }
    };
    let all: Vec<Format> = match format.rank() {
        1 => vec![presets::sparse_vector()],
        2 if mostly_empty => vec![presets::dcsr(), presets::dcsc()],
        2 => vec![presets::csr(), presets::csc()],
        3 => repair::permutations(3).into_iter().map(|m| presets::csf(3).with_modes(m)).collect(),
        _ => Vec::new(),
    };
    let same = |f: &Format| f.levels == format.levels && f.modes == format.modes && format.remap.is_none();
    all.into_iter().filter(|f| !same(f)).map(like).collect()
}
