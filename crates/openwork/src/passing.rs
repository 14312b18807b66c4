//! The passes over loops, from the loops that lowering wrote to those that a backend gets.
//!
//! Most passes find nothing to do in most kernels. A kernel that a pass left as it was has been checked and simplified already,
//! and simplifying twice is simplifying once, so neither is done again.

use openwork_backend::Target;
use openwork_base::cancel::look;
use openwork_base::{Id, Result};
use openwork_execute::{Tables, outline_literals};
use openwork_index::Program;
use openwork_loops::vectorize::{VectorDecision, vectorize};
use openwork_loops::wide::{Wide, nest, rows, slices};
use openwork_loops::{
    BufId, JamOptions, JoinedKernel, Lanes, Literals, LoopKernel as Loops, LoopMode, Reassociate, Stmt,
    VectorOptions, choose, each_stmt, flat, jam, outline, poll, promote, round_products, runs,
    separate_functions, simplify, simplify_beside, sink, sum_chosen_products, sums, text, unroll, verify,
};
use openwork_lower::{Binding, Lowered};
use openwork_planner::{JoinedStatements, Plan};

/// Lowered loops, simplified, and what a backend makes of them.
pub(crate) struct Finished {
    pub(crate) lowered: Lowered,
    pub(crate) loops: Loops,
    pub(crate) literals: Tables,
    pub(crate) vectors: Vec<VectorDecision>,
}

/// A lawful kernel on its way.
struct Passing {
    kernel: Loops,
    /// A copy of its code, to see what the next pass changes.
    copy: Vec<Stmt>,
    /// Whether the simplifier would leave it as it is.
    simple: bool,
}

impl Passing {
    /// What a pass made of it.
    ///
    /// # Errors
    /// A bug where that breaks the law.
    fn apply(self, step: &'static str, pass: impl FnOnce(Loops) -> Loops) -> Result<Passing> {
        let (mut passed, same) = self.rewrite(pass);
        if !same {
            verify::check(step, &passed.kernel)?;
            passed.copy.clone_from(&passed.kernel.body);
        }
        Ok(passed)
    }
    /// What a pass made of it, simplified.
    ///
    /// # Errors
    /// A bug where that breaks the law.
    fn apply_simplified(self, step: &'static str, pass: impl FnOnce(Loops) -> Loops) -> Result<Passing> {
        let (mut passed, same) = self.rewrite(pass);
        if passed.simple {
            return Ok(passed);
        }
        if !same {
            passed.copy.clone_from(&passed.kernel.body);
        }
        let (kernel, copy) = simplify_beside(passed.kernel, passed.copy);
        verify::check(step, &kernel)?;
        Ok(Passing { kernel, copy, simple: true })
    }
    /// What a pass made of it, and whether that is the same.
    fn rewrite(self, pass: impl FnOnce(Loops) -> Loops) -> (Passing, bool) {
        look();
        let declared = |kernel: &Loops| (kernel.vars.len(), kernel.bufs.len());
        let had = declared(&self.kernel);
        let kernel = pass(self.kernel);
        let same = declared(&kernel) == had && kernel.body == self.copy;
        (Passing { kernel, simple: self.simple && same, ..self }, same)
    }
}

/// What is known of a buffer of a kernel.
#[derive(Clone, Copy, Default)]
struct BufferFacts {
    /// Whether its elements never fall.
    rises: bool,
    /// Whether it holds values of a tensor.
    values: bool,
}

/// What is known of each buffer of what a program was lowered to.
fn buffer_facts(lowered: &Lowered, program: &Program) -> Vec<BufferFacts> {
    let values = lowered.bindings.iter().map(|b| matches!(b, Binding::Values { .. }));
    lowered
        .rising_buffers(program)
        .into_iter()
        .zip(values)
        .map(|(rises, values)| BufferFacts { rises, values })
        .collect()
}

/// Loops on their way: simplified, as a backend gets them, and what became of vectors.
struct PassedLoops {
    simple: Loops,
    loops: Loops,
    vectors: Vec<VectorDecision>,
}

/// The passes over the loops of a kernel.
///
/// # Errors
/// A bug in a pass.
fn pass_loops(
    kernel: Loops,
    facts: &[BufferFacts],
    literals: &mut Literals,
    target: &Target,
) -> Result<PassedLoops> {
    let fact = |buf: BufId| facts.get(buf.index()).copied().unwrap_or_default();
    verify::check("lower", &kernel)?;
    let copy = kernel.body.clone();
    let simple = Passing { kernel, copy, simple: false }
        .apply_simplified("simplify", |kernel| kernel)?
        .apply("choose", choose)?
        .apply_simplified("flat", |kernel| flat(kernel, &|buf| fact(buf).rises))?
        .apply_simplified("sums", |kernel| sums(kernel, target.blocks))?;
    // Nothing after this depends on literals that are no part of the text any more.
    let kept = simple.kernel.clone();
    let plain = simple
        .apply("literals", |kernel| outline(kernel, |buf| fact(buf).values, literals))?
        .apply("round", |kernel| round_where_apart(kernel, target))?;
    let mut vectors = Vec::new();
    let loops = group_rounds(plain, target)?
        .apply_simplified("vectorize", |kernel| match lanes(target) {
            None => kernel,
            Some(options) => {
                let (kernel, decisions) = vectorize(kernel, &options);
                vectors = decisions;
                kernel
            }
        })?
        .apply("sink", sink)?
        .apply("fuse", sum_chosen_products)?
        .apply("poll", poll)?
        .kernel;
    Ok(PassedLoops { simple: kept, loops, vectors })
}

/// A kernel whose products are rounded before they are added, where a target has nothing that does both.
fn round_where_apart(kernel: Loops, target: &Target) -> Loops {
    if target.fuses { kernel } else { round_products(kernel) }
}

/// The loops of a kernel as a backend gets them.
///
/// # Errors
/// A bug in a pass.
pub(crate) fn loops_of(lowered: Lowered, program: &Program, target: &Target) -> Result<Finished> {
    let facts = buffer_facts(&lowered, program);
    let mut literals = Literals::default();
    let PassedLoops { simple, loops, vectors } = pass_loops(lowered.kernel, &facts, &mut literals, target)?;
    let passes = lowered.passes.map(|passes| {
        // Elements that are placed one by one have no use for vectors.
        passes.map_kernels(|kernel, bindings| {
            verify::check("lower", &kernel)?;
            let simple = round_where_apart(simplify(kernel), target);
            let polled = poll(sum_chosen_products(outline_literals(simple, bindings, &mut literals)));
            verify::check("poll", &polled)?;
            Ok(polled)
        })
    });
    let lowered = Lowered { kernel: simple, passes: passes.transpose()?, ..lowered };
    Ok(Finished { lowered, loops, literals: Tables::new(&literals)?, vectors })
}

/// Kernels of several statements that are one, as a backend gets it.
#[derive(Debug)]
pub struct JoinedStages {
    /// The statements.
    pub statements: Vec<usize>,
    /// The operands that several of them read, by name.
    pub operands: Vec<String>,
    /// Their kernels as one, simplified.
    pub joined: JoinedKernel,
    /// The loops that are compiled.
    pub loops: Loops,
    /// What these read in place of literals.
    pub(crate) literals: Tables,
}

/// Whether a kernel of several statements is worth while: where a backend takes the loops of one of them in vectors of its own,
/// it has to take the joined ones so as well. Four sums over rows have too many variables for that, and took 1.3 times
/// as long as one after the other; a sum over rows beside one over columns, which is none for vectors, 1.2 times.
///
/// # Errors
/// A bug in a pass.
pub(crate) fn pays(one: &JoinedStatements, plans: &[Plan], target: &Target) -> Result<bool> {
    let members = one.statements.iter().map(|&n| &plans[n]);
    let in_vectors = members.map(|Plan { lowered, concrete, .. }| {
        let facts = buffer_facts(lowered, &concrete.program);
        let passed = pass_loops(lowered.kernel.clone(), &facts, &mut Literals::default(), target)?;
        Ok(own_vectors(&passed.loops))
    });
    let some =
        in_vectors.collect::<Result<Vec<OwnVectors>>>()?.into_iter().filter(|own| *own != OwnVectors::None);
    match some.min() {
        None => Ok(true),
        Some(least) => Ok(own_vectors(&joined_loops(one.clone(), plans, target)?.loops) >= least),
    }
}

/// The most of a kernel that a backend takes in vectors which it assembles itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OwnVectors {
    None,
    /// Loops: a call for each.
    Loops,
    /// Loops over rows: a call for all of them.
    Rows,
}

fn own_vectors(kernel: &Loops) -> OwnVectors {
    let mut most = OwnVectors::None;
    each_stmt(&kernel.body, &mut |s| {
        if let Stmt::For { mode, .. } = s {
            most = most.max(match mode {
                LoopMode::Rows { .. } => OwnVectors::Rows,
                LoopMode::Wide { .. } => OwnVectors::Loops,
                LoopMode::Serial | LoopMode::Vector | LoopMode::Runs => OwnVectors::None,
            });
        }
    });
    most
}

/// The loops of joined kernels as a backend gets them, of statements with these plans.
///
/// # Errors
/// A bug in a pass.
pub(crate) fn joined_loops(
    JoinedStatements { statements, operands, joined }: JoinedStatements,
    plans: &[Plan],
    target: &Target,
) -> Result<JoinedStages> {
    let mut facts = vec![BufferFacts::default(); joined.kernel.bufs.len()];
    for (&n, numbers) in statements.iter().zip(&joined.bufs) {
        let Plan { lowered, concrete, .. } = &plans[n];
        for (fact, &number) in buffer_facts(lowered, &concrete.program).into_iter().zip(numbers) {
            facts[number] = fact;
        }
    }
    let mut literals = Literals::default();
    let PassedLoops { simple, loops, .. } = pass_loops(joined.kernel, &facts, &mut literals, target)?;
    let joined = JoinedKernel { kernel: simple, ..joined };
    Ok(JoinedStages { statements, operands, joined, loops, literals: Tables::new(&literals)? })
}

impl JoinedStages {
    /// The simplified loops as text.
    pub fn loops_text(&self) -> String {
        text::print(&self.joined.kernel)
    }
    /// One line for each array of literals that the loops read: its name, and what it holds.
    pub fn literals(&self) -> Vec<String> {
        self.literals.describe(&self.loops, self.joined.member_buffers())
    }
}

/// Loops whose rounds are grouped as suits vectors, before any is in them; as they are where a backend has none.
fn group_rounds(plain: Passing, target: &Target) -> Result<Passing> {
    if target.vector_bytes == 0 {
        return Ok(plain);
    }
    let in_wide = |kernel, pass: &dyn Fn(Loops, &Wide) -> Loops| match &target.wide {
        Some(wide) => pass(kernel, wide),
        None => kernel,
    };
    let options = JamOptions { factor: 4, reassociate: Reassociate::Allowed };
    plain
        .apply("apart", |kernel| in_wide(kernel, &|kernel, wide| separate_functions(kernel, wide.functions)))?
        .apply_simplified("slices", |kernel| {
            in_wide(kernel, &|kernel, wide| slices(kernel, wide, Reassociate::Allowed))
        })?
        .apply_simplified("unroll", unroll)?
        .apply_simplified("promote", |kernel| promote(kernel, Reassociate::Allowed))?
        .apply("runs", |kernel| runs(kernel, Reassociate::Allowed))?
        .apply_simplified("nest", |kernel| in_wide(kernel, &|kernel, wide| nest(kernel, wide).0))?
        .apply_simplified("jam", |kernel| jam(kernel, &options).0)?
        .apply("rows", |kernel| in_wide(kernel, &|kernel, wide| rows(kernel, wide).0))
}

/// How loops are taken in vectors, where a backend has any.
fn lanes(target: &Target) -> Option<VectorOptions> {
    let lanes = Lanes { bytes: target.vector_bytes, accumulators: target.accumulators };
    let options = VectorOptions { lanes, unroll: 4, reassociate: Reassociate::Allowed, wide: target.wide };
    (target.vector_bytes > 0).then_some(options)
}
