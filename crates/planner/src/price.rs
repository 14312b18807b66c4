//! The price of a way: what its kernel and the conversions around it cost.

use crate::formats::in_order;
use crate::memo::Memo;
use crate::step::Conversion;
use crate::way::Way;
use openwork_format::{Coords, Format, Level, Rearrangement};
use openwork_index::check::{Assignment, FormatChoice};
use openwork_index::cin::{AssemblyMode, Directives};
use openwork_index::{Access, CinStmt, Program, TensorKind};
use openwork_lower::cost::{CLEAR, Cost, CostFacts};

/// What a conversion costs besides its elements: a kernel of its own.
const CALL: f64 = 3000.0;
/// One element that is appended in the order of its source, placed among others of its row, placed twice, and unpacked and
/// packed by storage, in nanoseconds. Of matrices with 20,000 to 2,000,000 values, `csr` to `dcsr` takes 2 to 3, to `csc` 4 to
/// 10, `csc` to `dcsr` 8 to 13, `csf` to another order 75; blocks and diagonals take 8 to 150.
const APPEND: f64 = 3.0;
const PLACE: f64 = 8.0;
const PLACE_TWICE: f64 = 14.0;
const PACK: f64 = 75.0;
/// One element of a dense tensor that is stored in another order of its modes.
const TURN: f64 = 0.6;
/// One slot of eight bytes that gets a mark or loses it, and what that costs besides: no kernel is called.
const MARK: f64 = 0.2;
const MARKS: f64 = 500.0;
/// One slot that is looked at for an element.
const LOOK: f64 = 1.0;
/// Threads share the rows of a result, and a row that is added up stays in registers. Where loops come back to rows, each thread
/// has to have a copy of the result, or there is one thread, and rows are loaded and stored: on one thread, sums of rows of 64
/// columns take 1.6 times as long.
const COPIES: f64 = 1.6;

/// Whether the outermost loop comes back to rows of the result, or takes it in no order of rows.
fn copies(program: &Program) -> bool {
    let CinStmt::Forall { index, .. } = &program.body else { return false };
    let made = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    let mut results =
        made.filter(|a| program.tensors[a.tensor].kind == TensorKind::Result && !a.vars.is_empty());
    let first = |a: &Access| program.tensors[a.tensor].format.modes.first().copied();
    results.any(|a| first(a).and_then(|m| a.vars.get(m)) != Some(index))
}

/// Whether only the order of modes changes, of a tensor that stores every coordinate.
pub(crate) fn turns(from: &Format, to: &Format) -> bool {
    let plain = |f: &Format| f.is_dense() && f.remap.is_none();
    plain(from) && plain(to)
}

/// Whether only marks come or go, beside slots that stay where they are.
fn marks(from: &Format, to: &Format) -> bool {
    matches!(Rearrangement::find(from, to), Some(Rearrangement::Mark | Rearrangement::Unmark))
}

/// Whether elements are found by a look at every slot, of which there is one for each coordinate.
fn is_looked_through(from: &Format) -> bool {
    let slot =
        |l: &Level| l.is_dense() || l.spec.coords == Coords::Derived || l.is_masked() && !l.is_in_words();
    from.levels.iter().all(slot)
}

/// What it takes to store one element in another format.
fn element(from: &Format, to: &Format) -> f64 {
    if from.symmetric || to.symmetric || to.remap.is_some() {
        return PACK;
    }
    let slots = to.levels[..to.levels.len().saturating_sub(1)].iter().all(|l| l.is_dense());
    if from.remap.is_none()
        && from.modes == to.modes
        && from.levels.iter().all(|l| l.is_ordered())
        && in_order(to)
    {
        APPEND
    } else if slots && to.rank() <= 2 {
        PLACE
    } else if to.rank() == 2 && in_order(to) {
        PLACE_TWICE
    } else {
        PACK
    }
}

/// The work of a way, in units of about a nanosecond.
pub(crate) fn work(way: &Way, memo: &Memo) -> f64 {
    work_around(way, memo.cost(&way.concrete.program))
}

/// The same, of loops that are estimated so.
pub(crate) fn work_around(way: &Way, estimated: Cost) -> f64 {
    let program = &way.concrete.program;
    let facts = CostFacts::from_declarations(program);
    let all = program.body.assignments();
    let reads = all.into_iter().flat_map(|(_, _, rhs)| rhs.accesses()).collect::<Vec<_>>();
    let before = read_price(&facts, &reads, &way.conversions);
    let mut work = estimated.work * if copies(program) { COPIES } else { 1.0 } + before;
    let made = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    let Some(made) = made.into_iter().find(|a| program.tensors[a.tensor].kind == TensorKind::Result) else {
        return work;
    };
    let format = &program.tensors[made.tensor].format;
    let dense = format.is_dense().then(|| facts.room(made));
    let cleared = if format.is_dense() { CLEAR * facts.words(made) } else { 0.0 };
    if let Some(finish) = way.finish.as_ref().filter(|f| turns(format, f)) {
        work += CALL + if format.modes == finish.modes { 0.0 } else { TURN * facts.room(made) };
    } else if way.finish.as_ref().is_some_and(|f| marks(format, f)) {
        work += MARKS + MARK * facts.words(made);
    } else if let Some(finish) = &way.finish {
        let size = |m: usize| made.vars.get(m).map_or(1.0, |&v| facts.size(v));
        let passed = if finish.remap.is_some() {
            0.0
        } else {
            outer(format, &size) + outer(finish, &size) * slots(finish, &size)
        };
        // A dense intermediate is searched for its values.
        let stored = estimated.stored.min(dense.unwrap_or(f64::INFINITY));
        work += CALL + element(format, finish) * stored + CLEAR * passed + dense.unwrap_or(0.0);
    }
    work + cleared
}

/// The conversions of operands that are read so.
fn read_price(facts: &CostFacts, reads: &[&Access], conversions: &[Conversion]) -> f64 {
    let mut work = 0.0;
    for c in conversions.iter().filter(|c| c.from != c.format) {
        let Some(access) = reads.iter().find(|a| a.tensor == c.tensor) else { continue };
        if turns(&c.from, &c.format) {
            work += CALL + TURN * facts.room(access);
            continue;
        }
        if marks(&c.from, &c.format) {
            work += MARKS + MARK * facts.words(access);
            continue;
        }
        let format = facts.format(access);
        let size = |m: usize| access.vars.get(m).map_or(1.0, |&v| facts.size(v));
        let passed = outer(&c.from, &size) + outer(format, &size) * slots(format, &size);
        let looked = if is_looked_through(&c.from) { LOOK * facts.room(access) } else { 0.0 };
        work += CALL + element(&c.from, &c.format) * facts.stored_count(access) + CLEAR * passed + looked;
    }
    work
}

/// What conversions of the operands of an assignment take, whatever its loops are: known before it is planned.
pub(crate) fn conversion_price(a: &Assignment, conversions: &[Conversion]) -> f64 {
    let program = without_loops(a);
    read_price(&CostFacts::from_declarations(&program), &a.rhs.accesses(), conversions)
}

/// What the memory of a dense result takes, whatever the loops of an assignment are.
pub(crate) fn clearing_price(a: &Assignment) -> f64 {
    let program = without_loops(a);
    let facts = CostFacts::from_declarations(&program);
    let fixed = a.format_given == FormatChoice::Caller;
    if fixed && facts.format(&a.lhs).is_dense() { CLEAR * facts.words(&a.lhs) } else { 0.0 }
}

/// What an assignment declares, as a program that does nothing.
fn without_loops(a: &Assignment) -> Program {
    Program {
        tensors: a.tensors.clone(),
        indices: a.indices.clone(),
        body: CinStmt::Nop,
        assembly: AssemblyMode::default(),
        begins: None,
        directives: Directives::default(),
        reads: Vec::new(),
        source: a.source.clone(),
    }
}

/// How many slots the last level of a format has under each position above it, where it has one for every coordinate.
fn slots(format: &Format, size: &dyn Fn(usize) -> f64) -> f64 {
    match format.levels[..] {
        [.., last] if last.is_table() => size(*format.modes.last().unwrap_or(&0)),
        _ => 1.0,
    }
}

/// How many positions the dense levels above all others have, where modes have these sizes.
fn outer(format: &Format, size: &dyn Fn(usize) -> f64) -> f64 {
    if format.remap.is_some() {
        return 0.0;
    }
    let levels = format.levels.iter().zip(&format.modes);
    levels.take_while(|(l, _)| l.is_dense()).map(|(_, &m)| size(m)).product()
}
