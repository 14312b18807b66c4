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

use crate::chunks::{ChunkJoin, Chunks};
use crate::emit::Emitter;
use crate::emit::contents;
use crate::emit::scatter::{ScatterTask, Scattering};
use crate::lowered::{Binding, Param, PassKernel, Passes};
use crate::phase::Phase;
use crate::placing::Placing;
use openwork_algebra::DType;
use openwork_levels::Registry;
use openwork_levels::insert::{Dealt, InsertState};
use openwork_loops::BufRole;

/// Which of the passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhichPass {
    Count,
    Place,
    Deal,
}

/// The passes of an assembly.
pub(crate) fn passes(placing: &Placing, registry: &Registry) -> Passes {
    let pass = |which| pass(placing, registry, which);
    let (count, place, deal) = (pass(WhichPass::Count), pass(WhichPass::Place), pass(WhichPass::Deal));
    Passes { var: placing.var, list: placing.list, count, place, deal }
}

fn pass(placing: &Placing, registry: &Registry, which: WhichPass) -> PassKernel {
    let Placing { program, graph, var, access, list } = placing;
    let list = *list;
    let mut l = Emitter::new(program, registry, graph, Phase::Fused);
    let scope = l.cut_into(&Chunks { var: *var, join: ChunkJoin::Place });
    let cursors = l.kernel.buf("cursors", DType::U32, BufRole::Out);
    l.bindings.push(Binding::Cursors);
    let mut scale = || {
        l.params.push(Param::Scale);
        l.kernel.param("scale")
    };
    let mut task = ScatterTask::Place;
    let mut state = InsertState { scratch: Some(cursors), ..InsertState::default() };
    match which {
        WhichPass::Count => task = ScatterTask::Count { list, counters: cursors, scale: scale() },
        WhichPass::Place => {}
        WhichPass::Deal => {
            let scale = scale();
            let keys = l.kernel.buf("keys", DType::U16, BufRole::Out);
            l.bindings.push(Binding::Keys);
            state.dealt = Some(Dealt { scale, keys });
        }
    }
    let mut levels = l.inserted_levels(access);
    levels[list].state = state;
    let vals = l.tensors[&access.tensor].vals;
    l.scattering = Some(Scattering { access: access.clone(), levels, vals, task });
    let nest = l.nest(&graph.root, &scope);
    l.kernel.body = std::mem::take(&mut l.prologue);
    l.kernel.body.extend(nest);
    contents::of_a_pass(&mut l.kernel, &l.bindings);
    PassKernel { kernel: l.kernel, bindings: l.bindings, params: l.params }
}
