//! Facts from outside of a program: how many values its variables take and its tensors store.
//!
//! Everything else follows from these numbers and the program. A planner knows what was declared, or nothing; a run knows
//! its operands.

use super::computed::RemapCounts;
use openwork_base::Id;
use openwork_format::Format;
use openwork_index::{Access, IndexId, Program, TensorId, TensorKind, TensorVar};

/// The size of a dimension that nothing is known of.
const SIZE: usize = 20_000;
/// Values per coordinate of the longest mode, in a tensor that nothing is known of.
const STORED: f64 = 10.0;
/// The same of a vector, which would be full.
const OF_VECTOR: f64 = 0.02;
/// The part of its slots that are taken where there is one for every coordinate, so that their number tells nothing.
const TAKEN: f64 = 0.125;

/// How many coordinates there are in modes of these sizes; of what is not known, one is assumed.
pub fn coordinates(sizes: impl Iterator<Item = Option<usize>>) -> f64 {
    sizes.map(|n| n.unwrap_or(SIZE) as f64).product()
}
/// What a program does not declare and estimates assume, in words.
pub fn assumptions(program: &Program) -> Vec<String> {
    let unsized_indices = program.indices.iter().filter(|(_, v)| v.size.is_none() && v.derived.is_none());
    let names: Vec<&str> = unsized_indices.map(|(_, v)| v.name.as_str()).collect();
    let facts = CostFacts::from_declarations(program);
    let mut all: Vec<String> = Vec::new();
    if !names.is_empty() {
        all.push(format!("{} = {SIZE}", names.join(" = ")));
    }
    let accesses = program.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses());
    for a in accesses {
        let t = &program.tensors[a.tensor];
        let unknown = t.kind == TensorKind::Operand && t.stored.is_none() && t.elements.is_none();
        if unknown && !t.format.is_full() {
            let text = format!("{:.0} values of {}", facts.stored_count(a), t.name);
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all
}

/// How many elements a tensor is taken to have that has a slot for each of so many coordinates.
pub fn assumed_count(coordinates: f64) -> f64 {
    TAKEN * coordinates
}

/// How much a tensor stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StoredAmount {
    /// So many slots in its last level, padding included.
    Slots(f64),
    /// So many elements.
    Elements(f64),
}

/// Numbers that an estimate of a program is made of.
///
/// ```
/// # use openwork_index::{Program, TensorId};
/// # use openwork_lower::cost::{Cost, CostFacts, estimate_over};
/// /// What a run over operands with so many values does, where variables take so many values.
/// fn measured(program: &Program, sizes: &[usize], stored: impl Fn(TensorId) -> Option<usize>) -> Cost {
///     estimate_over(CostFacts::from_run(program, sizes, stored))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct CostFacts<'p> {
    pub(super) program: &'p Program,
    sizes: Vec<f64>,
    stored: Vec<Option<StoredAmount>>,
    computed: Vec<Option<RemapCounts>>,
}

impl<'p> CostFacts<'p> {
    /// What a program declares of sizes and stored values; what it does not declare is assumed.
    pub fn from_declarations(program: &'p Program) -> CostFacts<'p> {
        let mode = |v: IndexId| program.indices[v].size.unwrap_or(SIZE);
        let size = |v: IndexId| match &program.indices[v].derived {
            // Computed coordinates range as far as the modes let them.
            Some(d) => {
                let shape: Vec<usize> = d.modes().into_iter().map(mode).collect();
                d.remap.bounds(d.coord, &shape).size
            }
            None => mode(v),
        };
        let sizes = program.indices.ids().map(|v| size(v) as f64).collect();
        let known = |t: &TensorVar| match t.elements {
            // Where every coordinate has a slot, their number tells nothing.
            Some(n) if t.format.levels.iter().any(|l| l.is_masked()) => {
                Some(StoredAmount::Elements(n as f64))
            }
            _ => Some(StoredAmount::Slots(t.stored? as f64)),
        };
        CostFacts::collect(program, sizes, program.tensors.iter().map(|(_, t)| known(t)).collect())
    }
    /// The facts that a run over operands knows: how many values each variable takes, computed ones included, and how many
    /// slots each operand has.
    pub fn from_run(
        program: &'p Program,
        sizes: &[usize],
        slots: impl Fn(TensorId) -> Option<usize>,
    ) -> CostFacts<'p> {
        let sizes = sizes.iter().map(|&n| n as f64).collect();
        CostFacts::collect(program, sizes, vec![None; program.tensors.len()]).with_slots(slots)
    }
    fn collect(program: &'p Program, sizes: Vec<f64>, stored: Vec<Option<StoredAmount>>) -> CostFacts<'p> {
        let mut facts = CostFacts { program, sizes, stored, computed: vec![None; program.tensors.len()] };
        if program.tensors.iter().all(|(_, t)| t.remap.is_none()) {
            return facts;
        }
        for (lhs, _, rhs) in program.body.assignments() {
            for a in rhs.accesses().into_iter().chain([lhs]) {
                let (t, known) = (&program.tensors[a.tensor], &facts.computed[a.tensor.index()]);
                if let (Some(remap), None) = (&t.remap, known) {
                    let computed = RemapCounts::from_remap(remap, &|k| facts.size(a.vars[k]));
                    facts.computed[a.tensor.index()] = Some(computed);
                }
            }
        }
        facts
    }
    /// The same with other numbers of slots of operands, where these are known.
    #[must_use]
    pub fn with_slots(mut self, slots: impl Fn(TensorId) -> Option<usize>) -> CostFacts<'p> {
        for id in self.program.tensors.ids() {
            if let Some(n) = slots(id) {
                self.stored[id.index()] = Some(StoredAmount::Slots(n as f64));
            }
        }
        self
    }
    /// A temporary holds so many elements each time it is read.
    pub(super) fn holds(&mut self, temporary: TensorId, elements: f64) {
        self.stored[temporary.index()] = Some(StoredAmount::Elements(elements));
    }

    /// What the computed coordinates of an access tell apart, if it has some.
    pub(super) fn computed_coordinates(&self, a: &Access) -> Option<&RemapCounts> {
        // What a program was before its operands were lifted reads modes.
        self.computed[a.tensor.index()].as_ref().filter(|c| c.prefixes.len() == a.vars.len())
    }

    /// The variables of the modes of an access.
    pub(super) fn modes(&self, a: &Access) -> impl Iterator<Item = IndexId> {
        let computed = self.computed_coordinates(a);
        let count = computed.map_or(a.vars.len(), |c| c.modes.len());
        (0..count).map(move |m| a.vars[computed.map_or(m, |c| c.modes[m])])
    }
    /// How many values a variable takes.
    pub fn size(&self, v: IndexId) -> f64 {
        self.sizes[v.index()]
    }
    /// How what an access reads or assigns is stored.
    pub fn format(&self, a: &Access) -> &'p Format {
        &self.program.tensors[a.tensor].format
    }
    /// How many elements an access would have if all were stored.
    pub fn room(&self, a: &Access) -> f64 {
        self.modes(a).map(|v| self.size(v)).product()
    }
    /// How many words of eight bytes an access would take if all of its elements were stored.
    pub fn words(&self, a: &Access) -> f64 {
        self.room(a) * self.program.tensors[a.tensor].dtype.size() as f64 / 8.0
    }
    /// The values that a tensor stores.
    pub fn stored_count(&self, a: &Access) -> f64 {
        match self.contents(a) {
            StoredAmount::Slots(n) | StoredAmount::Elements(n) => n,
        }
    }
    /// The same, by what is known of them.
    pub(super) fn contents(&self, a: &Access) -> StoredAmount {
        let t = &self.program.tensors[a.tensor];
        let all = self.room(a);
        if t.format.is_dense() && t.remap.is_none() {
            return StoredAmount::Slots(all);
        }
        match self.stored[a.tensor.index()] {
            // Blocks and diagonals stick out.
            Some(StoredAmount::Slots(n)) if t.remap.is_some() => StoredAmount::Slots(n),
            Some(StoredAmount::Slots(n)) if n >= all && t.format.levels.iter().any(|l| l.is_masked()) => {
                StoredAmount::Elements(assumed_count(all))
            }
            Some(StoredAmount::Slots(n)) => StoredAmount::Slots(n.min(all)),
            Some(StoredAmount::Elements(n)) => StoredAmount::Elements(n.min(all)),
            None if t.format.levels.iter().any(|l| l.is_masked()) => {
                StoredAmount::Elements(assumed_count(all))
            }
            None => {
                let longest = self.modes(a).map(|v| self.size(v)).fold(1.0, f64::max);
                let assumed = if self.modes(a).count() == 1 { OF_VECTOR } else { STORED };
                StoredAmount::Elements((assumed * longest).min(all))
            }
        }
    }
}
