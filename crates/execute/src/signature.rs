//! The signature of a program: what every run asks of it, found once for all runs.

use openwork_base::{Id, Result};
use openwork_format::Format;
use openwork_index::{Access, IndexId, Program, TensorId, TensorKind, TensorVar};
use openwork_lower::Param;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Which operands a program reads, and which of its index variables range over what.
#[derive(Debug)]
pub struct Signature {
    /// Every operand, and how it has to be stored if something reads it: folding may have left it out.
    pub(crate) operands: Vec<(TensorId, Option<Format>)>,
    /// The variables of the modes of each access, in the order of the text; those of accesses that were folded come last.
    pub(crate) modes: Vec<(TensorId, Vec<IndexId>)>,
    /// The accesses of right sides: looking for them in statements takes longer than a small kernel.
    pub(crate) reads: Vec<Access>,
    /// Variables with one range: loops that fill a workspace range over what the loops that read it do.
    pub(crate) alike: Vec<(IndexId, IndexId)>,
    /// The tensors that are assigned, with the variables of each assignment.
    pub(crate) assigned: Vec<(TensorId, Vec<IndexId>)>,
    /// The variables of the modes of the result.
    pub(crate) result: Vec<IndexId>,
    /// How it is stored.
    pub(crate) layout: Option<Format>,
    /// How far variables ranged in the last run.
    pub(crate) ranges: Ranges,
}

/// The ranges of all index variables.
#[derive(Clone, Debug)]
pub struct Extents {
    /// How many values each one takes.
    pub sizes: Vec<usize>,
    /// The least value of each one; not zero for some computed coordinates.
    pub lows: Vec<i64>,
    /// How many coordinates each mode has of the operands of which a part is read.
    pub wholes: Wholes,
}

/// Sizes of modes of operands.
pub type Wholes = BTreeMap<(TensorId, usize), usize>;

impl Extents {
    /// The values of a variable.
    pub fn range(&self, v: IndexId) -> Range<i64> {
        let low = self.lows[v.index()];
        low..low + self.sizes[v.index()] as i64
    }
}

/// The ranges of variables for the sizes that were met last: finding those of computed coordinates takes as long as a
/// product of some thousand elements.
#[derive(Debug, Default)]
pub(crate) struct Ranges(Mutex<Option<KnownSizes>>);

/// The sizes that operands gave, and what follows from them.
type KnownSizes = (Vec<Option<usize>>, Wholes, Arc<Extents>);

impl Ranges {
    /// Those for these sizes, which `find` finds.
    pub(crate) fn get_or_find(
        &self,
        sizes: Vec<Option<usize>>,
        wholes: Wholes,
        find: impl FnOnce(&[Option<usize>]) -> Result<Extents>,
    ) -> Result<Arc<Extents>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&KnownSizes| known.0 == sizes && known.1 == wholes;
        if let Some((.., extents)) = lock().as_ref().filter(same) {
            return Ok(extents.clone());
        }
        let extents = Arc::new(Extents { wholes: wholes.clone(), ..find(&sizes)? });
        *lock() = Some((sizes, wholes, extents.clone()));
        Ok(extents)
    }
}

/// The parameters of a kernel for a call over `part` of its variable, or over everything, with `scale` groups of elements.
pub(crate) fn params(params: &[Param], extents: &Extents, part: Option<Range<i64>>, scale: i64) -> Vec<i64> {
    let visited = |v: IndexId| part.clone().unwrap_or(extents.range(v));
    let param = |p: &Param| match *p {
        Param::Size(v) => extents.sizes[v.index()] as i64,
        Param::Low(v) => extents.lows[v.index()],
        Param::Begin(v) => visited(v).start,
        Param::End(v) => visited(v).end,
        Param::Scale => scale,
        Param::Whole { tensor, mode } => extents.wholes.get(&(tensor, mode)).map_or(0, |&n| n as i64),
    };
    params.iter().map(param).collect()
}

impl Signature {
    /// That of a program.
    pub fn from_program(program: &Program) -> Signature {
        let assignments = program.body.assignments();
        let read: Vec<_> = assignments.iter().flat_map(|(_, _, rhs)| rhs.accesses()).collect();
        let all = program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand);
        let layout = |(id, t): (TensorId, &TensorVar)| {
            (id, read.iter().any(|a| a.tensor == id).then(|| t.declared_format()))
        };
        let operands = all.map(layout).collect();
        let walked = read.iter().map(|a| (a.tensor, program.tensors[a.tensor].mode_vars(a)));
        let folded = program.reads.iter().map(|a| (a.tensor, a.vars.clone()));
        let modes =
            walked.chain(folded).filter(|(t, _)| program.tensors[*t].kind == TensorKind::Operand).collect();
        let results = assignments.iter().map(|(lhs, ..)| *lhs);
        let result = results.into_iter().find(|a| program.tensors[a.tensor].kind == TensorKind::Result);
        let layout = result.map(|a| program.tensors[a.tensor].declared_format());
        let result = result.map_or(Vec::new(), |a| program.tensors[a.tensor].mode_vars(a));
        let assigned = assignments.iter().map(|(lhs, ..)| (lhs.tensor, lhs.vars.clone())).collect();
        let ranges = Ranges::default();
        let (alike, reads) = (program.equal_ranges(), read.into_iter().cloned().collect());
        Signature { operands, modes, reads, alike, assigned, result, layout, ranges }
    }
    /// The shape of the result over index variables that take so many values.
    pub(crate) fn shape(&self, sizes: &[usize]) -> Vec<usize> {
        self.result.iter().map(|v| sizes[v.index()]).collect()
    }
}
