//! Out-of-order assembly in passes over parts of the source, so that several threads place elements in one result.
//!
//! ```text
//! count   for each element of a part    cursors[group] += 1
//! place   for each element of a part    slot = cursors[parent]++                      crd[slot] = ..  vals[slot] = ..
//! deal    for each element of a part    slot = cursors[group]++  keys[slot] = parent  crd[slot] = ..  vals[slot] = ..
//! ```
//! Between the first pass and the others, whoever calls them turns the counts of all parts into cursors: those of one
//! group follow one another in the order of the parts, so that elements keep the order of the source however many parts
//! there are. With one group per parent, `place` makes the result. With fewer groups, `deal` leaves each group in a
//! stretch of the result that fits into a cache, where its elements are sorted by their keys afterwards: two passes in
//! and near the cache are cheaper than one that misses it with every element.
//!
//! Targets are a list of elements under dense levels, whose parents are numbers that need no tables.

use crate::chunks::{Chunker, Chunks, Join};
use crate::emit::Emitter;
use crate::emit::contents;
use crate::emit::scatter::{Scattering, Task};
use crate::graph::Graph;
use crate::lowered::{Binding, Param, Pass, Passes};
use crate::phase::Phase;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_format::{Format, InsertBy};
use openwork_index::cin::Assembly;
use openwork_index::{Access, IndexId, Program, Stmt};
use openwork_levels::Registry;
use openwork_levels::insert::{Dealt, State};
use openwork_loops::Role;

/// What was asked for, or why there is none.
type OrWhyNot<T> = std::result::Result<T, String>;

/// Which of the passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Count,
    Place,
    Deal,
}

/// Lowers the passes of a program, or says why it has none.
///
/// # Errors
/// What lowering its loops refuses.
pub(crate) fn passes(program: &Program, registry: &Registry) -> Result<OrWhyNot<Passes>> {
    if program.assembly == Assembly::InOrder {
        return Ok(Err("the result is filled in order".into()));
    }
    // Without the queries: what they would answer is counted.
    let mut nest = &program.body;
    while let Stmt::Where { consumer, .. } = nest {
        nest = consumer;
    }
    let Stmt::Forall { index, .. } = nest else { return Ok(Err("it is not one nest of loops".into())) };
    let result = nest.assignments().first().map(|(lhs, ..)| (*lhs).clone());
    let access = result.expect("the assembly is an assignment in loops");
    let Some(list) = list_under_dense(&program.tensors[access.tensor].format) else {
        return Ok(Err("the result is no list of elements under dense levels".into()));
    };
    let mut counters = false;
    nest.visit(&mut |s| {
        if let Stmt::Forall { index, .. } = s {
            counters |= program.indices[*index].derived.as_ref().is_some_and(|d| d.counts());
        }
    });
    if counters {
        return Ok(Err("elements are numbered as they come".into()));
    }
    let program = Program { body: nest.clone(), ..program.clone() };
    let graph = Graph::of(&program, registry)?;
    let pass = |which| pass(&program, &graph, registry, *index, &access, list, which);
    let mut made = Vec::new();
    for which in [Which::Count, Which::Place, Which::Deal] {
        match pass(which)? {
            Ok(pass) => made.push(pass),
            Err(because) => return Ok(Err(because)),
        }
    }
    let mut made = made.into_iter();
    let mut next = || made.next().expect("three were made");
    Ok(Ok(Passes { var: *index, list, count: next(), place: next(), deal: next() }))
}

/// The level that lists elements, where only dense ones are above it and nothing but their coordinates below.
fn list_under_dense(format: &Format) -> Option<usize> {
    let levels = &format.levels;
    let list = levels.iter().position(|l| !l.is_dense())?;
    let lists = levels[list].heads_list() && levels[list].insert() == Some(InsertBy::Yielded);
    let chained = |l: &openwork_format::Level| l.follows_list() && !l.padded();
    (list > 0 && lists && levels[list + 1..].iter().all(chained)).then_some(list)
}

fn pass(
    program: &Program,
    graph: &Graph,
    registry: &Registry,
    v: IndexId,
    access: &Access,
    list: usize,
    which: Which,
) -> Result<OrWhyNot<Pass>> {
    let phase = Phase::Fused;
    if let Err(because) = (Chunker { program, phase }).cuts(graph, v) {
        return Ok(Err(because));
    }
    let mut l = Emitter::new(program, registry, graph, phase);
    let scope = l.cut_into(&Chunks { var: v, join: Join::Place });
    let cursors = l.kernel.buf("cursors", DType::U32, Role::Out);
    l.bindings.push(Binding::Cursors);
    let mut scale = || {
        l.params.push(Param::Scale);
        l.kernel.param("scale")
    };
    let mut task = Task::Place;
    let mut state = State { scratch: Some(cursors), ..State::default() };
    match which {
        Which::Count => task = Task::Count { list, counters: cursors, scale: scale() },
        Which::Place => {}
        Which::Deal => {
            let scale = scale();
            let keys = l.kernel.buf("keys", DType::U16, Role::Out);
            l.bindings.push(Binding::Keys);
            state.dealt = Some(Dealt { scale, keys });
        }
    }
    let depth = program.tensors[access.tensor].format.depth();
    let states = (0..depth).map(|k| if k == list { state.clone() } else { State::default() });
    l.scattering = Some(Scattering { access: access.clone(), states: states.collect(), task });
    let nest = l.nest(&graph.root, &scope)?;
    l.kernel.body = std::mem::take(&mut l.prologue);
    l.kernel.body.extend(nest);
    contents::of_a_pass(&mut l.kernel, &l.bindings);
    Ok(Ok(Pass { kernel: l.kernel, bindings: l.bindings, params: l.params }))
}
