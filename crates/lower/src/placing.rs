//! Whether the elements of a result that is assembled out of order can be placed in passes over parts of the source.

use crate::chunks::{ChunkJoin, Chunker, Chunks, Parallel};
use crate::graph::{Graph, NodeKind};
use crate::phase::Phase;
use openwork_format::{Format, InsertBy, Level};
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexId, Program};

/// The nest whose elements are placed in passes.
pub(crate) struct Placing {
    /// The program without the queries: what they would answer is counted.
    pub(crate) program: Program,
    /// Its graph.
    pub(crate) graph: Graph,
    /// The variable whose parts are visited.
    pub(crate) var: IndexId,
    /// What is assigned.
    pub(crate) access: Access,
    /// The level of the result that lists elements.
    pub(crate) list: usize,
}

/// The variable whose parts a kernel can be called over, or why there is none.
pub(crate) fn find_parallel(program: &Program, graph: &Graph, phase: Phase) -> Parallel {
    let chunks = match program.assembly {
        AssemblyMode::InOrder => (Chunker { program, phase }).divide(graph),
        AssemblyMode::OutOfOrder(_) => {
            placing(program, graph).map(|placing| Chunks { var: placing.var, join: ChunkJoin::Place })
        }
    };
    match chunks {
        Ok(chunks) => Parallel::Chunks(chunks),
        Err(because) => Parallel::Serial { because },
    }
}

/// The nest of a program whose elements are placed in passes, or why they are not.
pub(crate) fn placing(program: &Program, graph: &Graph) -> Result<Placing, String> {
    if program.assembly == AssemblyMode::InOrder {
        return Err("the result is filled in order".into());
    }
    let mut nest = &graph.root;
    while let NodeKind::Where(w) = &nest.how {
        nest = &w.reader;
    }
    let assigned = nest.stmt.assignments().first().map(|(lhs, ..)| (*lhs).clone());
    let (CinStmt::Forall { index, .. }, Some(access)) = (&nest.stmt, assigned) else {
        return Err("it is not one nest of loops".into());
    };
    let Some(list) = list_under_dense(&program.tensors[access.tensor].format) else {
        return Err("the result is no list of elements under dense levels".into());
    };
    let mut counts = false;
    nest.stmt.visit(&mut |s| {
        if let CinStmt::Forall { index, .. } = s {
            counts |= program.indices[*index].derived.as_ref().is_some_and(|d| d.counts());
        }
    });
    if counts {
        return Err("elements are numbered as they come".into());
    }
    let graph = Graph { root: nest.clone(), ..graph.clone() };
    (Chunker { program, phase: Phase::Fused }).cuts(&graph, *index)?;
    let program = Program { body: nest.stmt.clone(), ..program.clone() };
    Ok(Placing { program, graph, var: *index, access, list })
}

/// The level that lists elements, where only dense ones are above it and nothing but their coordinates below.
fn list_under_dense(format: &Format) -> Option<usize> {
    let levels = &format.levels;
    let list = levels.iter().position(|l| !l.is_dense())?;
    let lists = levels[list].heads_list() && levels[list].insert() == Some(InsertBy::Yielded);
    let chained = |l: &Level| l.follows_list() && !l.is_padded();
    (list > 0 && lists && levels[list + 1..].iter().all(chained)).then_some(list)
}
