//! Several statements, of which later ones read what earlier ones compute.

use crate::compiler::Compiler;
use crate::estimate::{self, StoredCounts, Work};
use crate::form::StatementsForm;
use crate::kernel::{Kernel, Outcome, Times};
use crate::list::ListStages;
use crate::passing::JoinedStages;
use crate::ran::Ran;
use crate::session::Session;
use crate::taking::Operand;
use crate::values::{HeldValue, ReadValue, SequenceValues, ValueId, action_group};
use openwork_base::names::meant_or;
use openwork_base::{Code, Diagnostic, Error, Id, Result};
use openwork_execute::{JoinedCode, Partner, Spread, Together, run_together};
use openwork_index::notation::StatementSyntax;
use openwork_index::{Decl, Decls};
use openwork_lower::Phase;
use openwork_planner::Action;
use openwork_runtime::Watch;
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The kernels of several statements that are computed one after the other, made by [`Session::sequence`]. A statement reads
/// the result of the last one before it that computes a tensor of the operand's name, or else what the caller gives.
///
/// Kernels that read the same coordinates run together, part by part, so that what one reads or writes is in the cache for
/// the next; what is read no more is given back at once.
///
/// ```
/// use openwork::{DType, Decl, Decls, Session, Tensor, TensorExt};
/// let mut decls = Decls::default();
/// for name in ["x", "r"] {
///     decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
/// }
/// let step = Session::global().sequence("y(i) = 2 * x(i) + r(i); n = y(i) * y(i); m = max(i, y(i))", &decls, None)?;
/// let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
/// let mut made = step.run(&[("x", &x), ("r", &x)])?;
/// assert_eq!(made.names().collect::<Vec<_>>(), ["n", "m"]);
/// assert_eq!(made.take("n").unwrap().vals().as_slice::<f64>(), Some(&[126.0][..]));
/// # Ok::<(), openwork::Error>(())
/// ```
pub struct Sequence {
    kernels: Vec<Kernel>,
    values: SequenceValues,
    actions: Vec<Action>,
    /// Kernels of several statements, by the first of these.
    joined: Vec<(usize, JoinedCode)>,
    compile_time: Duration,
}

/// The results of a run of a [`Sequence`].
#[derive(Debug, Default)]
pub struct Results {
    tensors: Vec<(String, Tensor)>,
    /// How long all of it took.
    pub times: Times,
    /// What is to be said of each action that is not [`Action::Free`], in the order of [`Sequence::actions`].
    pub each: Vec<ActionTime>,
}

/// The tensors of a run.
struct SequenceMemory<'t> {
    held: Vec<HeldValue<'t>>,
    /// Whether the run is one of many rounds: the caller gave something away, or says so.
    iterates: bool,
}

impl SequenceMemory<'_> {
    fn take(&mut self, value: ValueId) -> Option<Tensor> {
        self.held[value.index()].take()
    }
    fn keep(&mut self, value: ValueId, tensor: Tensor) {
        self.held[value.index()] = HeldValue::Own(tensor);
    }
}

/// The time that one action took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionTime {
    /// How long.
    pub time: Duration,
    /// How it was spread over threads.
    pub spread: Spread,
    /// What ran for each of its statements, in order.
    pub ran: Vec<Ran>,
    /// Whether several statements ran part by part.
    pub together: bool,
    /// For each of its statements, whether one kernel computed it with others.
    pub joined: Vec<bool>,
}

impl Results {
    /// The names of the results, in the order of their statements.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.iter().map(|(name, _)| name.as_str())
    }
    /// A result.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|(n, _)| n == name).map(|(_, t)| t)
    }
    /// Hands a result over.
    pub fn take(&mut self, name: &str) -> Option<Tensor> {
        let at = self.tensors.iter().position(|(n, _)| n == name)?;
        Some(self.tensors.remove(at).1)
    }
    /// All results, by name.
    pub fn into_tensors(self) -> Vec<(String, Tensor)> {
        self.tensors
    }
}

impl Session {
    /// Compiles statements, separated by `;` or ends of lines, that are computed one after the other. `decls` are those of
    /// operands, and of results where a name is computed before anything reads it. `asked` names the results that the caller
    /// wants; without it, those that no later statement reads.
    ///
    /// # Errors
    /// Every diagnostic of the statements; `E0201` for a result that none of them computes; `E0501` when the backend cannot
    /// compile.
    pub fn sequence(
        &self,
        statements: &(impl StatementsForm + ?Sized),
        decls: &Decls,
        asked: Option<&[&str]>,
    ) -> Result<Sequence> {
        let start = Instant::now();
        self.sequence_from(self.plan(statements, decls, asked)?, start)
    }
    /// The same for statements that are read, with what is fixed of results apart from the operands.
    pub(crate) fn sequence_of(
        &self,
        list: &[StatementSyntax],
        decls: &Decls,
        results: &BTreeMap<String, Decl>,
        asked: Option<&[&str]>,
    ) -> Result<Sequence> {
        let start = Instant::now();
        self.sequence_from(self.list_of(self.planner(), list, decls, results, asked)?, start)
    }
    fn sequence_from(&self, list: ListStages, start: Instant) -> Result<Sequence> {
        let ListStages { stages, names, actions, joined, reads, given } = list;
        let joined = joined.into_iter().map(|one| self.compile_joined(one)).collect::<Result<_>>()?;
        let kernel = |stages| self.kernel(stages, Phase::Fused, start);
        let kernels = stages.into_iter().map(kernel).collect::<Result<Vec<Kernel>>>()?;
        let places = |k: &Kernel| k.stages().places().map(|(_, name)| name.to_string()).collect();
        let places: Vec<Vec<String>> = kernels.iter().map(places).collect();
        let values = SequenceValues::new(&names, &reads, &given, &actions, &places);
        Ok(Sequence { kernels, values, actions, joined, compile_time: start.elapsed() })
    }
    fn compile_joined(&self, one: JoinedStages) -> Result<(usize, JoinedCode)> {
        let JoinedStages { statements, joined, loops, literals, .. } = one;
        let Compiler { backend, cache, .. } = self.compiler();
        let first = statements.first().copied().unwrap_or_default();
        Ok((first, JoinedCode::compile(&backend, &cache, joined, loops, literals)?))
    }
}

impl Sequence {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let joined = self.joined.iter().map(|(_, code)| code.bytes()).sum::<usize>();
        self.kernels.iter().map(Kernel::bytes).sum::<usize>() + joined
    }
    /// Sizes of index variables other than those in `dims` come from operands, on every run.
    pub(crate) fn forget_sizes(&mut self, dims: &BTreeMap<String, usize>) {
        self.kernels.iter_mut().for_each(|kernel| kernel.forget_sizes(dims));
    }
    /// The kernels, one for each statement.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }
    /// What is done, in order; numbers are those of statements.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }
    /// The statements that one kernel computes, for each kernel that computes several.
    ///
    /// ```
    /// use openwork::{Session, Tensor, TensorExt, declare_operands};
    /// let a = Tensor::from_csr(vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0], [2, 2])?;
    /// let given: &[(&str, &Tensor)] = &[("A", &a)];
    /// let text = "s(i) = A(i,j); m(i) = max(j, A(i,j))";
    /// let both = Session::global().sequence(text, &declare_operands(given), None)?;
    /// assert_eq!(both.joined_statements().collect::<Vec<_>>(), [0..2]);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn joined_statements(&self) -> impl Iterator<Item = Range<usize>> {
        self.joined.iter().map(|(first, code)| *first..first + code.members())
    }
    /// An estimate of what one run does, over operands with so many stored values, reading and writing so many bytes. Of what
    /// one statement computes for another, the planner estimates how much is stored.
    pub fn work(&self, given: &StoredCounts, bytes: usize) -> Work {
        let estimated = |n: &usize| self.kernels[*n].stages().result_values();
        let flops = self.kernels.iter().enumerate().map(|(n, kernel)| {
            let made = self.values.reads(n).iter().filter_map(|r| {
                let of = self.values.statement(r.value)?;
                Some((r.name.as_str(), estimated(&of)?))
            });
            let stored: StoredCounts = given.iter().map(|(&name, &n)| (name, n)).chain(made).collect();
            estimate::work(&kernel.stages().plan.program, &stored, 0).flops
        });
        Work { flops: flops.sum(), bytes: bytes as f64 }
    }
    /// How long it took from text to callable code.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }
    /// The operands that the caller gives.
    pub fn operands(&self) -> Vec<&str> {
        self.values.given_values().map(|(_, name)| name).collect()
    }
    /// The sequence with a number of threads of its own; 0 takes that of the process.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Sequence {
        let kernels = self.kernels.into_iter().map(|k| k.with_threads(threads)).collect();
        Sequence { kernels, ..self }
    }
    /// The sequence with one of its plans' variants to be tried first ([`Kernel::with_variant`]) by every statement whose plan
    /// has one with this number; the others run as they would without. Statements that run together do so as their kernels
    /// are: where one of them is asked for anything else, they run one after the other.
    ///
    /// ```
    /// use openwork::{Session, Tensor, TensorExt, declare_operands};
    /// let a = Tensor::from_csr(vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0], [2, 2])?;
    /// let x = Tensor::from_vec(&[2], vec![1.0, 2.0])?;
    /// let given: &[(&str, &Tensor)] = &[("A", &a), ("x", &x)];
    /// let make = || Session::global().sequence("y(i) = A(i,j) * x(j); z(i) = 2 * y(i)", &declare_operands(given), None);
    /// assert!(make()?.run(given)?.each[0].together);
    /// let apart = make()?.with_variant(2)?.run(given)?;
    /// let numbers: Vec<usize> = apart.each[0].ran.iter().map(|ran| ran.variant).collect();
    /// assert_eq!((apart.each[0].together, numbers), (false, vec![2, 2]));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0808` for a number that no plan has.
    pub fn with_variant(self, number: usize) -> Result<Sequence> {
        let most = self.kernels.iter().map(|k| k.stages().variants().len()).max().unwrap_or(1);
        let own = |k: Kernel| match number <= most && number > k.stages().variants().len() {
            true => Ok(k),
            false => k.with_variant(number),
        };
        let kernels = self.kernels.into_iter().map(own).collect::<Result<_>>()?;
        Ok(Sequence { kernels, ..self })
    }
    /// The sequence with kernels in up to so many chunks, however little there is to do: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_chunks(self, chunks: usize) -> Sequence {
        let kernels = self.kernels.into_iter().map(|k| k.with_chunks(chunks)).collect();
        Sequence { kernels, ..self }
    }
    /// Runs the statements on named operands.
    ///
    /// # Errors
    /// As [`Kernel::run`], for the first statement that fails: everything that was made before it is given back. `E0201`
    /// for an operand that no statement reads.
    pub fn run(&self, given: &[(&str, &Tensor)]) -> Result<Results> {
        self.run_taking(given.iter().map(|&(name, tensor)| (name, Operand::Borrow(tensor))))
    }
    /// Runs the statements on operands of which some are given away: their memory becomes that of results where plans have
    /// variants for it ([`Kernel::run_taking`]), or waits for the next run, as does that of results which are read no more.
    /// So rounds of an iteration, each of which gives the results of the one before away, ask for no memory from the third one on.
    ///
    /// ```
    /// use openwork::{Operand, Session, Tensor, TensorExt, declare_operands};
    /// let a = Tensor::from_csr(vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0], [2, 2])?;
    /// let mut x = Tensor::from_vec(&[2], vec![1.0, 1.0])?;
    /// let decls = declare_operands(&[("A", &a), ("x", &x)]);
    /// let step = Session::global().sequence("y(i) = A(i,j) * x(j); n = max(i, y(i)); x(i) = y(i) / n", &decls, Some(&["x", "n"]))?;
    /// for _ in 0..10 {
    ///     let mut made = step.run_taking([("A", Operand::Borrow(&a)), ("x", Operand::Take(x))])?;
    ///     x = made.take("x").unwrap();
    /// }
    /// assert_eq!(x.vals().as_slice::<f64>(), Some(&[1.0, 1.0][..]));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sequence::run`]. What was given away is freed then.
    pub fn run_taking<'t>(&self, given: impl IntoIterator<Item = (&'t str, Operand<'t>)>) -> Result<Results> {
        self.run_with(given, false)
    }
    /// Runs the statements as one round of an iteration whose operands stay the caller's: memory of results that are read no more
    /// waits for the next run, and so does what is [given back](Sequence::recycle).
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn run_round(&self, given: &[(&str, &Tensor)]) -> Result<Results> {
        self.run_with(given.iter().map(|&(name, tensor)| (name, Operand::Borrow(tensor))), true)
    }
    /// Gives a result back, so that the next run uses its memory again for a result of this name.
    ///
    /// ```
    /// use openwork::{Session, Tensor, TensorExt, declare_operands};
    /// let mut x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    /// let step = Session::global().sequence("x(i) = 0.5 * x(i) + 1", &declare_operands(&[("x", &x)]), None)?;
    /// for _ in 0..10 {
    ///     let next = step.run_round(&[("x", &x)])?.take("x").unwrap();
    ///     step.recycle("x", std::mem::replace(&mut x, next));
    /// }
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn recycle(&self, name: &str, result: Tensor) {
        let statement = (0..self.kernels.len()).rfind(|&n| self.values.name(self.values.result(n)) == name);
        if let Some(n) = statement {
            self.kernels[self.values.memory_owner(n)].recycle(result);
        }
    }
    fn run_with<'t>(
        &self,
        given: impl IntoIterator<Item = (&'t str, Operand<'t>)>,
        iterates: bool,
    ) -> Result<Results> {
        let start = Instant::now();
        let mut memory = SequenceMemory { held: self.values.open(), iterates };
        for (name, operand) in given {
            let held = &mut memory.held[self.given_value(name)?.index()];
            if held.tensor().is_some() {
                return Err(refuse_again(name));
            }
            *held = match operand {
                Operand::Borrow(tensor) => HeldValue::Lent(tensor),
                Operand::Take(tensor) => HeldValue::Own(tensor),
            };
            memory.iterates |= matches!(held, HeldValue::Own(_));
        }
        let mut results = Results::default();
        for (at, action) in self.actions.iter().enumerate() {
            let group = match action {
                Action::Run(_) | Action::Together(_) => action_group(action),
                Action::Free(n) => {
                    self.keep_memory(*n, &mut memory);
                    continue;
                }
            };
            let transient = self.values.freed_results(at);
            let done = self.run_group(group, transient, &mut memory, &mut results.times)?;
            results.each.push(done);
            for &value in self.values.dead(at) {
                self.keep_taken(value, &mut memory);
            }
        }
        let names = (0..self.kernels.len()).map(|n| self.values.result(n));
        let tensors = names.filter_map(|v| Some((self.values.name(v).to_string(), memory.take(v)?)));
        results.tensors = tensors.collect();
        results.times.total = start.elapsed();
        Ok(results)
    }
    /// What the caller gives under a name.
    ///
    /// # Errors
    /// `E0201` for a name that no statement reads.
    fn given_value(&self, name: &str) -> Result<ValueId> {
        if let Some(value) = self.values.given_value(name) {
            return Ok(value);
        }
        let message = format!("no statement reads an operand `{name}`");
        let known = self.operands();
        let help = meant_or(name, known.clone(), &format!("the operands are {}", known.join(", ")));
        Err(Error::rejection(Diagnostic::new(Code("E0201"), message).help(help)))
    }
    /// Gives back what statement `n` made and nobody reads any more. Its memory waits for the next run, where operands are given
    /// away: somebody iterates.
    fn keep_memory(&self, n: usize, memory: &mut SequenceMemory) {
        let dead = memory.take(self.values.result(n));
        if let Some(dead) = dead.filter(|_| memory.iterates) {
            self.kernels[n].recycle(dead);
        }
    }
    /// What was given away and is read no more waits for the next run of the statement that computes a tensor of its name; of
    /// others the memory is given back.
    fn keep_taken(&self, value: ValueId, memory: &mut SequenceMemory) {
        if let Some(dead) = memory.take(value)
            && let Some(n) = self.values.keeper(value)
        {
            self.kernels[n].recycle(dead);
        }
    }
    /// What a statement reads, of what there is.
    fn operands_of<'m>(&'m self, n: usize, memory: &'m SequenceMemory<'_>) -> Vec<(&'m str, &'m Tensor)> {
        let reads = self.values.reads(n).iter();
        reads.filter_map(|r| Some((r.name.as_str(), memory.held[r.value.index()].tensor()?))).collect()
    }
    /// Runs the kernel of a statement, in the memory of an operand that nobody reads afterwards where it can.
    fn run_alone(&self, n: usize, memory: &mut SequenceMemory) -> Result<Outcome> {
        let place = self.values.places(n).iter().find_map(|r| Some((r.name.as_str(), memory.take(r.value)?)));
        let others = self.operands_of(n, memory).into_iter().map(|(name, t)| (name, Operand::Borrow(t)));
        self.kernels[n].run_taking(others.chain(place.map(|(name, dead)| (name, Operand::Take(dead)))))
    }
    /// Runs the kernels of an action: of several part by part, and one after the other where NaN shows that an annihilator has
    /// to decide in one of them, or where one of them is to try another variant first.
    fn run_group(
        &self,
        group: &[usize],
        transient: &[usize],
        memory: &mut SequenceMemory,
        times: &mut Times,
    ) -> Result<ActionTime> {
        let begun = Instant::now();
        let together = group.len() > 1 && group.iter().all(|&n| self.kernels[n].asks_for_its_kernel());
        if together && let Some(done) = self.run_together(group, transient, memory)? {
            times.kernel += done.time;
            return Ok(ActionTime { time: begun.elapsed(), ..done });
        }
        times.kernel += begun.elapsed();
        let mut spread = Spread { threads: 1, chunks: 1 };
        let mut ran = Vec::new();
        for &n in group {
            let outcome = self.run_alone(n, memory)?;
            times.conversions += outcome.times.conversions;
            times.kernel += outcome.times.kernel;
            spread.threads = spread.threads.max(outcome.spread.threads);
            spread.chunks = spread.chunks.max(outcome.spread.chunks);
            ran.push(outcome.ran);
            memory.keep(self.values.result(n), outcome.tensor);
        }
        let joined = vec![false; ran.len()];
        Ok(ActionTime { time: begun.elapsed(), spread, ran, together: false, joined })
    }
    /// The kernels of several statements of a group, by the place of the first of these in it.
    fn joined_in(&self, group: &[usize]) -> Vec<(usize, &JoinedCode)> {
        let place = |first: usize| group.iter().position(|&n| n == first);
        self.joined.iter().filter_map(|(first, code)| Some((place(*first)?, code))).collect()
    }
    /// Runs kernels part by part; nothing where one of them has made NaN that it must not make.
    fn run_together(
        &self,
        group: &[usize],
        transient: &[usize],
        memory: &mut SequenceMemory,
    ) -> Result<Option<ActionTime>> {
        let partner = |&n: &usize| {
            let kernel = &self.kernels[n];
            let inside = |r: &ReadValue| {
                let of = self.values.statement(r.value)?;
                group.iter().position(|&m| m == of)
            };
            Partner {
                job: kernel.job(),
                // What the group makes is not there yet.
                given: self.operands_of(n, memory),
                made: self
                    .values
                    .reads(n)
                    .iter()
                    .filter_map(|r| Some((r.name.as_str(), inside(r)?)))
                    .collect(),
                watched: kernel.rejects_nan(),
                transient: transient.contains(&n),
            }
        };
        let partners: Vec<Partner> = group.iter().map(partner).collect();
        let watch = Watch::new();
        let Together { tensors, time, spread } = run_together(&partners, &self.joined_in(group), &watch)?;
        drop(partners);
        if watch.has_found() {
            return Ok(None);
        }
        for (&n, tensor) in group.iter().zip(tensors) {
            if let Some(tensor) = tensor {
                memory.keep(self.values.result(n), tensor);
            }
        }
        let ran = group.iter().map(|&n| self.kernels[n].own_ran()).collect();
        let joined = group.iter().map(|n| self.joined_statements().any(|all| all.contains(n))).collect();
        Ok(Some(ActionTime { time, spread, ran, together: true, joined }))
    }
}

/// The refusal of a name that two operands are given under.
fn refuse_again(name: &str) -> Error {
    let d = Diagnostic::new(Code("E0201"), format!("two operands are given under the name `{name}`"));
    Error::rejection(d.help("give each operand once, under the name that the statements call it by"))
}
