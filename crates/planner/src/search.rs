//! The search for cheaper ways to compute a statement.
//!
//! A statement can be planned as it is, with its contraction taken in steps, with its terms added up one after the other,
//! in pieces, with operands converted first, with a result that is converted afterwards, and with combinations of these.
//! Every way is planned and estimated ([`crate::price`]); the cheapest that is legal is built.

use crate::formats::{has_marks, in_order, intermediates, layouts, turned_formats};
use crate::memo::{Memo, outline};
use crate::operands::{change_operands, one_operand_per_use};
use crate::price::{clearing_price, conversion_price, turns, work, work_around};
use crate::step::{Alternative, Conversion};
use crate::way::{BuiltWay, Legality, Way};
use openwork_base::Result;
use openwork_base::cancel::look;
use openwork_base::machine::threshold;
use openwork_format::{Format, presets};
use openwork_index::check::Assignment;
use openwork_index::plan::{along_rows, contraction, has_shifted_rows, plan, regroup, solving, term_by_term};
use openwork_index::{Access, IndexExpr, Program, TensorId, TensorKind};
use openwork_lower::cost::{Cost, estimate, only_rows};
use std::collections::BTreeMap;

/// The most ways that are looked at, and for statements of how many operands: of larger ones each takes longer, so fewer
/// are.
const WAYS: usize = 240;
const OPERANDS: usize = 32;
/// Of products of more factors fewer ways are looked at.
const FACTORS: usize = 4;
/// Another way must be this much cheaper than the statement as it is.
const MARGIN: f64 = 0.7;
/// [`MARGIN`], or any cheaper way on a tiny machine.
fn margin() -> f64 {
    threshold(MARGIN, 1.0)
}

/// Whether a plan lists what its choice was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RivalListing {
    /// Each way that is legal.
    Listed,
    /// None: a run has no use for them.
    Forgotten,
}

/// What a search may do, and what it is to tell.
#[derive(Clone, Copy)]
pub(crate) struct SearchScope<'a> {
    pub(crate) legality: Legality<'a>,
    pub(crate) others: RivalListing,
}

/// The most alternatives that are remembered.
const SHOWN: usize = 8;

/// A way with its price.
struct Priced {
    way: Way,
    work: f64,
    /// What its loops are estimated to do.
    loops: Cost,
}

/// What a search ends with.
pub(crate) struct Weighed {
    /// The cheapest way that can be built; what was given where nothing is much cheaper.
    pub(crate) chosen: BuiltWay,
    /// What that is estimated to take.
    pub(crate) work: f64,
    /// The dearer ones that were compared, the cheapest first, as they are shown.
    pub(crate) others: Vec<(Alternative, Way)>,
}

impl Weighed {
    /// Without a comparison.
    pub(crate) fn without_rivals(chosen: BuiltWay, memo: &Memo) -> Weighed {
        Weighed { work: work(&chosen.way, memo), chosen, others: Vec::new() }
    }
}

/// Weighs ways to build an assignment against `given`, the first one that works, if that takes at least `least`.
///
/// # Errors
/// What `given` was refused for, when no other way can be built.
pub(crate) fn weigh(
    a: &Assignment,
    given: Result<BuiltWay>,
    least: f64,
    scope: SearchScope,
) -> Result<Weighed> {
    let SearchScope { legality, others: listing } = scope;
    let settled = given.as_ref().is_ok_and(|g| is_settled(a, &g.way));
    let as_given = match &given {
        Ok(g) if settled && !may_turn(a, &g.way.concrete.program) => {
            return given.map(|g| Weighed::without_rivals(g, legality.memo));
        }
        Ok(g) => work(&g.way, legality.memo),
        Err(_) => f64::INFINITY,
    };
    let as_it_is = |others| move |chosen| Weighed { chosen, work: as_given, others };
    if as_given < least {
        return given.map(as_it_is(Vec::new()));
    }
    let mut ways = ways(a, margin() * as_given, legality.memo);
    // What there is to gain then comes of another order of dense tensors.
    ways.retain(|priced| !settled || turned_in(&priced.way));
    ways.sort_by(|x, y| x.work.total_cmp(&y.work));
    let mut known: Vec<String> = given.iter().map(|g| g.way.describe()).collect();
    let mut others = Vec::new();
    let mut taken = None;
    for Priced { way, work, .. } in ways {
        look();
        let may_be_taken = taken.is_none() && work < margin() * as_given;
        let listed = listing == RivalListing::Listed && others.len() < SHOWN;
        if !may_be_taken && !listed {
            break;
        }
        let describe = way.describe();
        if known.contains(&describe) {
            continue;
        }
        known.push(describe.clone());
        // What is listed can be asked for.
        match legality.loops(&way.concrete.program) {
            Ok(loops) if may_be_taken => taken = Some((way, loops, work)),
            Ok(_) if listed => others.push((Alternative { describe, work }, way)),
            Ok(_) | Err(_) => {}
        }
    }
    let Some((way, loops, work)) = taken else {
        return given.map(as_it_is(others));
    };
    if let (Ok(given), RivalListing::Listed) = (given, listing) {
        let describe = given.way.describe();
        others.insert(0, (Alternative { describe, work: as_given }, given.way));
    }
    let gain = as_given.is_finite().then(|| as_given / work);
    let chosen = BuiltWay { way, loops, gain };
    Ok(Weighed { chosen, work, others })
}

/// Whether nothing could be gained: at most one sparse operand is walked, as it is stored.
fn is_settled(a: &Assignment, given: &Way) -> bool {
    let mut sparse: Vec<&Access> = a.rhs.accesses();
    sparse.retain(|x| !a.tensors[x.tensor].format.is_dense());
    let workspaces =
        given.concrete.program.tensors.iter().any(|(_, t)| t.kind == TensorKind::Temp && t.format.rank() > 1);
    let steps = !contraction::has_steps(a);
    // What computed coordinates cost is not estimated; walking them as they are stored was the reason for them.
    let lifted = given.concrete.program.tensors.iter().any(|(_, t)| t.remap.is_some());
    let marked = without_marks(a).is_some();
    let untouched = given.conversions.is_empty() && given.finish.is_none() && !marked;
    untouched
        && (lifted
            || sparse.len() < 2 && steps && !workspaces && !solving::has_sums(a) && !has_shifted_rows(a))
}

/// Whether a dense tensor is stored in another order of its modes.
fn turned_in(way: &Way) -> bool {
    let program = &way.concrete.program;
    let other = |from: &Format, to: &Format| turns(from, to) && from.modes != to.modes;
    let mut results = program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Result);
    way.conversions.iter().any(|c| other(&c.from, &c.format))
        || way.finish.as_ref().is_some_and(|f| results.any(|(_, t)| other(&t.format, f)))
}

/// The most elements of a dense tensor that is stored in another order for one statement: memory for it is needed beside the
/// tensor's own.
const TURNED: f64 = (1 << 27) as f64;
/// [`TURNED`], or some elements on a tiny machine.
fn most_turned() -> f64 {
    threshold(TURNED, 16.0)
}

/// The most elements of a dense tensor that a sparse result is made as: memory for it is needed beside the result's, and
/// is not what anybody expects who asked for a sparse one.
const BETWEEN: f64 = (1 << 27) as f64;
/// [`BETWEEN`], or some elements on a tiny machine.
fn most_between() -> f64 {
    threshold(BETWEEN, 64.0)
}

/// Whether dense tensors may be stored in another order so that loops run in vectors: some does not as they are.
fn may_turn(a: &Assignment, given: &Program) -> bool {
    !only_rows(given) && has_turned(a)
}

/// Whether some dense operand has other orders.
fn has_turned(a: &Assignment) -> bool {
    a.rhs.accesses().into_iter().any(|x| !turned_of(a, x).is_empty())
}

/// Other orders of what an access reads or assigns, if it is dense.
fn turned_of(a: &Assignment, x: &Access) -> Vec<Format> {
    if room(a, x) > most_turned() { Vec::new() } else { turned_formats(&a.tensors[x.tensor].format) }
}

/// How many elements an access has if all are stored, where the sizes are known.
fn room(a: &Assignment, x: &Access) -> f64 {
    x.vars.iter().map(|&v| a.indices[v].size.unwrap_or(0) as f64).product()
}

/// The ways that were found, and what another has to cost to be looked at.
struct FoundWays<'a> {
    ways: Vec<Priced>,
    /// What is dearer is not taken.
    limit: f64,
    /// The different prices, in order.
    prices: Vec<f64>,
    memo: &'a Memo,
    /// Where ways are whose programs have the same outline.
    alike: BTreeMap<u64, Vec<usize>>,
}

impl FoundWays<'_> {
    /// How many prices tell that there are enough ways to take, to show, and to be as it is stored: ways that are described
    /// alike have one price.
    const ENOUGH: usize = SHOWN + 2;

    /// Whether a way is not worth planning: it would not be taken for what it takes at least, and enough are there to show.
    fn is_hopeless(&self, at_least: f64) -> bool {
        at_least >= self.limit && self.prices.len() >= FoundWays::ENOUGH
    }
    fn add(&mut self, way: Way) {
        // Ways with the same loops differ in what is done around these.
        let program = &way.concrete.program;
        let key = outline(program, 0);
        let alike = self.alike.entry(key).or_default();
        let known = alike.iter().map(|&n| &self.ways[n]).find(|p| p.way.concrete.program == *program);
        let loops = known.map(|p| p.loops).or_else(|| self.memo.known_cost(key, program));
        let loops = loops.unwrap_or_else(|| estimate(program));
        alike.push(self.ways.len());
        let priced = Priced { work: work_around(&way, loops), loops, way };
        let at = self.prices.partition_point(|&p| p < priced.work);
        if self.prices.get(at) != Some(&priced.work) {
            self.prices.insert(at, priced.work);
        }
        self.ways.push(priced);
    }
}

/// Every way to build a statement besides the one that [`crate::legalise`] finds first, but for those whose conversions
/// alone take `limit`, where there are enough others to show.
fn ways(a: &Assignment, limit: f64, memo: &Memo) -> Vec<Priced> {
    let mut groupings = vec![a.clone()];
    groupings.extend(contraction::groupings(a));
    groupings.extend(regroup::in_pieces(a));
    groupings.extend(regroup::sums_apart(a));
    groupings.extend(regroup::multiplied_out(a));
    groupings.extend(solving::solve_sums(a));
    let operands = a.rhs.accesses().len();
    let most = if operands > OPERANDS { WAYS * OPERANDS / operands } else { WAYS };
    let factors = contraction::factors(a);
    let most = if factors > FACTORS { most * FACTORS / (factors * factors) } else { most };
    let (ways, prices, alike) = Default::default();
    let mut found = FoundWays { ways, limit, prices, memo, alike };
    for grouped in &groupings {
        let each = (most / groupings.len()).max(1);
        ways_of(grouped, each, &mut found);
    }
    found.ways
}

fn ways_of(a: &Assignment, most: usize, found: &mut FoundWays) {
    let wanted = a.tensors[a.lhs.tensor].format.clone();
    let given = in_order(&wanted);
    let mut results: Vec<Option<Format>> = Vec::new();
    if given {
        results.push(None);
    }
    let other = |f: &Format| !given || f.levels != wanted.levels || f.modes != wanted.modes;
    // What stores every coordinate is filled in any order: to collect what is to be placed in it gains nothing.
    if !given || !wanted.is_dense() {
        let fits = |f: &Format| !f.is_dense() || room(a, &a.lhs) <= most_between();
        results.extend(intermediates(a, &wanted).into_iter().filter(|f| other(f) && fits(f)).map(Some));
    }
    let turns = has_turned(a) && plan(a.clone()).is_ok_and(|p| !only_rows(&p.program));
    if turns {
        results.extend(turned_of(a, &a.lhs).into_iter().map(Some));
    }
    let (split, always) = one_operand_per_use(a);
    let changes = changes_of(&split, turns, most, results.len());
    let unmarked = without_marks(&split);
    let mut floor = Floor::new(&split, &always);
    let cleared: Vec<f64> =
        results.iter().map(|result| clearing_price(&in_format(a, result.as_ref()))).collect();
    for change in changes.iter().chain(&unmarked) {
        let converted = floor.work_of_change(change);
        let hopeless: Vec<bool> = cleared.iter().map(|c| found.is_hopeless(converted + c)).collect();
        if hopeless.iter().all(|h| *h) {
            continue;
        }
        // Without a change every use reads the same operand, where it can.
        let (changed, mut conversions) = if change.is_empty() {
            (a.clone(), Vec::new())
        } else {
            change_operands(&split, &always, change)
        };
        conversions.retain(|c| is_used(&changed, c.tensor));
        for (result, cleared) in results.iter().zip(&cleared) {
            let assignment = in_format(&changed, result.as_ref());
            // A sparse result would store the fill value wherever what stands beside it is stored.
            let stores_all = assignment.tensors[assignment.lhs.tensor].format.is_dense();
            if Some(change) == unmarked.as_ref() && !stores_all {
                continue;
            }
            if found.is_hopeless(converted + cleared) {
                continue;
            }
            let sums = term_by_term(&assignment).and_then(Result::ok);
            let rows = along_rows(&assignment).and_then(Result::ok);
            let merged = plan(assignment).ok();
            let finish = result.as_ref().map(|_| wanted.clone());
            for concrete in merged.into_iter().chain(sums).chain(rows) {
                let (conversions, finish) = (conversions.clone(), finish.clone());
                found.add(Way { concrete, conversions, finish });
            }
        }
    }
}

/// Which operands are stored in which other formats, in at most as many ways as are to be looked at with so many results.
fn changes_of(split: &Assignment, turns: bool, most: usize, results: usize) -> Vec<Vec<(TensorId, Format)>> {
    let sparse: Vec<TensorId> = split
        .tensors
        .iter()
        .filter(|(id, t)| t.kind == TensorKind::Operand && !t.format.is_dense() && is_used(split, *id))
        .map(|(id, _)| id)
        .collect();
    // As it is first, then with one operand converted, then with more.
    let mut changes: Vec<Vec<(TensorId, Format)>> = vec![Vec::new()];
    for &t in &sparse {
        let mut more: Vec<Format> = layouts(&split.tensors[t].format, mostly_empty(split, t));
        more.extend(in_slots(split, t));
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
    add_turns(split, &mut changes, turns, most);
    changes.sort_by_key(Vec::len);
    changes.truncate(most.div_ceil(results.max(1)));
    changes
}

/// An assignment that makes another result, if one is given.
fn in_format(a: &Assignment, result: Option<&Format>) -> Assignment {
    let mut a = a.clone();
    if let Some(format) = result {
        a.tensors[a.lhs.tensor].format = format.clone();
    }
    a
}

/// What changes of operands take at least, known before anything is planned: each operand's conversion, which others do not
/// change.
struct Floor<'a> {
    split: &'a Assignment,
    always: &'a [Conversion],
    known: Vec<(TensorId, Format, f64)>,
}

impl<'a> Floor<'a> {
    fn new(split: &'a Assignment, always: &'a [Conversion]) -> Floor<'a> {
        Floor { split, always, known: Vec::new() }
    }
    fn work_of_change(&mut self, change: &[(TensorId, Format)]) -> f64 {
        if change.is_empty() {
            return 0.0;
        }
        let whatever = self.always.iter().filter(|c| change.iter().all(|(t, _)| *t != c.tensor));
        let whatever: f64 = whatever.map(|c| conversion_price(self.split, std::slice::from_ref(c))).sum();
        whatever + change.iter().map(|(t, format)| self.work_of_operand(*t, format)).sum::<f64>()
    }
    fn work_of_operand(&mut self, t: TensorId, format: &Format) -> f64 {
        if let Some((.., work)) = self.known.iter().find(|(u, f, _)| *u == t && f == format) {
            return *work;
        }
        let (changed, mut conversions) = change_operands(self.split, self.always, &[(t, format.clone())]);
        conversions.retain(|c| c.tensor == t);
        let work = conversion_price(&changed, &conversions);
        self.known.push((t, format.clone(), work));
        work
    }
}

/// Every operand that has a mark beside each slot as if all were elements, so that loops run in vectors: where values alone
/// say what comes of them.
fn without_marks(a: &Assignment) -> Option<Vec<(TensorId, Format)>> {
    let every =
        |f: &Format| Format { modes: f.modes.clone(), fill: f.fill.clone(), ..presets::dense(f.rank()) };
    let reads = a.rhs.accesses();
    let fits = |id| reads.iter().find(|x| x.tensor == id).is_some_and(|x| room(a, x) <= most_turned());
    let marked: Vec<(TensorId, Format)> = a
        .tensors
        .iter()
        .filter(|(id, t)| t.kind == TensorKind::Operand && has_marks(&t.format) && fits(*id))
        .map(|(id, t)| (id, every(&t.format)))
        .collect();
    (!marked.is_empty() && is_of_values(&a.rhs)).then_some(marked)
}

/// Whether an expression is one of values, not of which are stored.
fn is_of_values(e: &IndexExpr) -> bool {
    let mut of_values = true;
    e.visit(&mut |part| match part {
        IndexExpr::Access(_)
        | IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Call { .. }
        | IndexExpr::Cast { .. } => {}
        IndexExpr::Reduce { .. } => {}
        IndexExpr::Map { .. } | IndexExpr::Width(_) | IndexExpr::Beside { .. } => of_values = false,
        IndexExpr::Predicate { .. } => of_values = false,
        IndexExpr::Stored { .. } | IndexExpr::WithFill { .. } => of_values = false,
    });
    of_values
}

/// Adds changes that store dense operands in other orders: of each operand alone, or, where vectors are all that there is to
/// gain, of several together and with the changes that there are.
fn add_turns(a: &Assignment, changes: &mut Vec<Vec<(TensorId, Format)>>, together: bool, most: usize) {
    let reads: BTreeMap<TensorId, &Access> = a.rhs.accesses().into_iter().map(|x| (x.tensor, x)).collect();
    for (t, x) in reads {
        if changes.len() > most {
            break;
        }
        let known = if together { changes.clone() } else { vec![Vec::new()] };
        for format in turned_of(a, x) {
            changes.extend(known.iter().map(|change| [&change[..], &[(t, format.clone())]].concat()));
        }
    }
}

fn is_used(a: &Assignment, t: TensorId) -> bool {
    a.rhs.accesses().iter().any(|x| x.tensor == t)
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
    (list && size <= threshold(SLOTS, 4).max(8 * stored)).then_some(bits)
}
