//! The values of a sequence: what the caller gives and what statements compute, by number. Names are looked up when a sequence is
//! made, and of what the caller gives; a run knows numbers.

use openwork_base::{Arena, typed_id};
use openwork_planner::{Action, Read};
use openwork_storage::Tensor;

typed_id!(
    /// A value of a sequence.
    pub(crate) struct ValueId,
    "value"
);

/// A value of a sequence.
pub(crate) struct ListedValue {
    /// The name under which the caller gives or gets it.
    name: String,
    /// The statement that computes it; nothing of what the caller gives.
    statement: Option<usize>,
    /// The last statement that reads it.
    last_reader: Option<usize>,
    /// The statement whose kernel has use for the memory of what the caller gave away.
    keeper: Option<usize>,
}

/// A value that a statement reads, under the name that it has there.
#[derive(Clone)]
pub(crate) struct ReadValue {
    pub(crate) name: String,
    pub(crate) value: ValueId,
}

/// Which values there are, who reads them, and until when.
pub(crate) struct SequenceValues {
    values: Arena<ValueId, ListedValue>,
    /// For each statement, what it reads.
    reads: Vec<Vec<ReadValue>>,
    /// For each statement, what it computes.
    made: Vec<ValueId>,
    /// For each statement, the operands in whose memory it may compute its result, as nobody reads them afterwards.
    places: Vec<Vec<ReadValue>>,
    /// For each action, the statements whose results are given back right after it.
    freed: Vec<Vec<usize>>,
    /// For each action, what the caller gives and nobody reads afterwards.
    dead: Vec<Vec<ValueId>>,
}

/// The statements of an action that runs some.
pub(crate) fn action_group(action: &Action) -> &[usize] {
    match action {
        Action::Run(n) => std::slice::from_ref(n),
        Action::Together(group) => group,
        Action::Free(_) => &[],
    }
}

impl SequenceValues {
    /// The values of statements that compute tensors of these names, and read what others compute and what is given. `places`:
    /// the operands of each statement that its kernel can compute in the memory of, by name.
    pub(crate) fn new(
        names: &[String],
        reads: &[Vec<Read>],
        given: &[Vec<String>],
        actions: &[Action],
        places: &[Vec<String>],
    ) -> SequenceValues {
        let mut values: Arena<ValueId, ListedValue> = Arena::new();
        for (n, name) in given.iter().enumerate().flat_map(|(n, names)| names.iter().map(move |s| (n, s))) {
            let known = values.iter().find(|(_, v)| v.name == *name).map(|(id, _)| id);
            match known {
                Some(id) => values[id].last_reader = Some(n),
                None => {
                    let (name, keeper) = (name.clone(), names.iter().rposition(|own| own == name));
                    values.push(ListedValue { name, statement: None, last_reader: Some(n), keeper });
                }
            }
        }
        let given_id = |values: &Arena<ValueId, ListedValue>, name: &str| {
            values.iter().find(|(_, v)| v.statement.is_none() && v.name == name).map(|(id, _)| id)
        };
        let made: Vec<ValueId> = (names.iter().enumerate())
            .map(|(n, name)| {
                let last = reads.iter().rposition(|all| all.iter().any(|r| r.of == n));
                let (name, statement) = (name.clone(), Some(n));
                values.push(ListedValue { name, statement, last_reader: last, keeper: None })
            })
            .collect();
        let reads: Vec<Vec<ReadValue>> = (given.iter().zip(reads))
            .map(|(given, reads)| {
                let given = given.iter().filter_map(|name| Some((name, given_id(&values, name)?)));
                let all = given.chain(reads.iter().map(|r| (&r.name, made[r.of])));
                all.map(|(name, value)| ReadValue { name: name.clone(), value }).collect()
            })
            .collect();
        let freed: Vec<Vec<usize>> = (0..actions.len()).map(|at| freed_after(actions, at)).collect();
        let dead = actions.iter().map(|action| {
            let ends = |v: &ListedValue| v.last_reader.is_some_and(|n| action_group(action).contains(&n));
            values.iter().filter(|(_, v)| v.statement.is_none() && ends(v)).map(|(id, _)| id).collect()
        });
        let dead = dead.collect();
        let ends_at = |value: ValueId, n: usize| match values[value].statement {
            None => values[value].last_reader == Some(n),
            Some(of) => {
                let alone = actions.iter().position(|a| *a == Action::Run(n));
                alone.is_some_and(|at| freed[at].contains(&of))
            }
        };
        let places = (places.iter().zip(&reads).enumerate())
            .map(|(n, (places, reads))| {
                let own = places.iter().filter_map(|name| reads.iter().find(|r| r.name == *name));
                own.filter(|r| ends_at(r.value, n)).cloned().collect()
            })
            .collect();
        let mut all = SequenceValues { values, reads, made, places, freed, dead };
        let keepers: Vec<Option<usize>> =
            all.values.iter().map(|(_, v)| v.keeper.map(|n| all.memory_owner(n))).collect();
        all.values.ids().zip(keepers).for_each(|(id, keeper)| all.values[id].keeper = keeper);
        all
    }
    /// What a statement reads.
    pub(crate) fn reads(&self, n: usize) -> &[ReadValue] {
        &self.reads[n]
    }
    /// What a statement computes.
    pub(crate) fn result(&self, n: usize) -> ValueId {
        self.made[n]
    }
    /// The operands in whose memory a statement may compute its result.
    pub(crate) fn places(&self, n: usize) -> &[ReadValue] {
        &self.places[n]
    }
    /// The statements whose results are given back right after an action.
    pub(crate) fn freed_results(&self, action: usize) -> &[usize] {
        &self.freed[action]
    }
    /// What the caller gives and nobody reads after an action.
    pub(crate) fn dead(&self, action: usize) -> &[ValueId] {
        &self.dead[action]
    }
    /// The name of a value.
    pub(crate) fn name(&self, value: ValueId) -> &str {
        &self.values[value].name
    }
    /// The statement that computes a value.
    pub(crate) fn statement(&self, value: ValueId) -> Option<usize> {
        self.values[value].statement
    }
    /// The statement whose kernel has use for the memory of what the caller gave away.
    pub(crate) fn keeper(&self, value: ValueId) -> Option<usize> {
        self.values[value].keeper
    }
    /// What the caller gives, by name.
    pub(crate) fn given_value(&self, name: &str) -> Option<ValueId> {
        self.given_values().find(|(_, own)| *own == name).map(|(id, _)| id)
    }
    /// What the caller gives.
    pub(crate) fn given_values(&self) -> impl Iterator<Item = (ValueId, &str)> {
        let given = self.values.iter().take_while(|(_, v)| v.statement.is_none());
        given.map(|(id, v)| (id, v.name.as_str()))
    }
    /// The statement whose result has the memory in which statement `n` computes its own: the first one of those that do so one
    /// after the other.
    pub(crate) fn memory_owner(&self, n: usize) -> usize {
        let before = self.places[n].iter().find_map(|r| self.statement(r.value));
        before.map_or(n, |before| self.memory_owner(before))
    }
    /// Room for the values of a run.
    pub(crate) fn open<'t>(&self) -> Vec<HeldValue<'t>> {
        self.values.iter().map(|_| HeldValue::Absent).collect()
    }
}

/// The statements whose results are given back right after an action.
fn freed_after(actions: &[Action], at: usize) -> Vec<usize> {
    let freed = actions[at + 1..].iter().map_while(|action| match action {
        Action::Free(n) => Some(*n),
        Action::Run(_) | Action::Together(_) => None,
    });
    freed.collect()
}

/// A value during a run.
#[expect(clippy::large_enum_variant, reason = "it is moved twice; a box would ask for memory in every round")]
pub(crate) enum HeldValue<'t> {
    /// Nobody gave or computed it yet, or it is read no more.
    Absent,
    /// The caller keeps it.
    Lent(&'t Tensor),
    /// The caller gave it away, or a statement computed it.
    Own(Tensor),
}

impl HeldValue<'_> {
    /// The tensor, if there is one.
    pub(crate) fn tensor(&self) -> Option<&Tensor> {
        match self {
            HeldValue::Absent => None,
            HeldValue::Lent(tensor) => Some(tensor),
            HeldValue::Own(tensor) => Some(tensor),
        }
    }
    /// Takes what the run owns; what is lent stays.
    pub(crate) fn take(&mut self) -> Option<Tensor> {
        match std::mem::replace(self, HeldValue::Absent) {
            HeldValue::Own(tensor) => Some(tensor),
            other => {
                *self = other;
                None
            }
        }
    }
}
