//! The pipeline from text to loops, every stage kept.

use crate::form::StatementForm;
use crate::given_facts::GivenFacts;
use crate::passing::{Finished, loops_of};
use crate::settings::check_settings;
use openwork_backend::Target;
use openwork_base::cancel::stoppable;
use openwork_base::machine::threshold;
use openwork_base::{Code, Diagnostic, Error, Id, Result};
use openwork_execute::{Tables, given_name};
use openwork_format::{Coords, Format};
use openwork_index::assume::Assumptions;
use openwork_index::check::Assignment;
use openwork_index::cin::AssemblyMode;
use openwork_index::notation::StatementSyntax;
use openwork_index::plan::{Concrete, Reason, result_format};
use openwork_index::positions::PositionChecks;
use openwork_index::schedule::Schedule;
use openwork_index::{Decls, IndexId, PlanSizes, Program, TensorId, TensorKind, check};
use openwork_levels::Registry;
use openwork_loops::vectorize::{VectorDecision, VectorOutcome};
use openwork_loops::wide::{VectorFunctions, Wide};
use openwork_loops::{LoopKernel as Loops, text};
use openwork_lower::lattice::Lattice;
use openwork_lower::{
    Binding, Decide, Lowered, Parallel, Phase, compute_in_place, derive, find_places, lower_phase,
    over_values,
};
use openwork_planner::{
    Alternative, Conversion, Guard, Piece, Plan, Planner, Step, Variant, VariantFacts, variants,
};

/// Statements of less estimated work, in units of about a nanosecond, are built as they are written.
const LEAST: f64 = 20_000.0;

/// [`LEAST`], or nothing on a tiny machine.
pub(crate) fn least_work() -> f64 {
    threshold(LEAST, 0.0)
}
/// Lattices with more points than this are not listed.
const LISTED: usize = 1000;

/// A typed statement that can be planned.
pub(crate) struct CheckedStatement {
    pub(crate) assignment: Assignment,
    /// The reasons for the format of its result.
    pub(crate) reasons: Vec<Reason>,
    /// Size of each mode of the result, where known.
    pub(crate) shape: Option<Vec<usize>>,
}

/// Every stage of one statement.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The statement with its sums written out.
    pub statement: String,
    /// The planned program and the reasons for its shape.
    pub plan: Concrete,
    /// The lowered loops before vectorisation, with the meaning of their parameters.
    pub lowered: Lowered,
    /// The loops as the backend gets them. Buffers after those of the lowered loops hold literals.
    pub loops: Loops,
    /// What these hold.
    pub(crate) literals: Tables,
    /// The kernels that compute the program one after the other, where one could not be divided among threads; nothing where
    /// it is one.
    pub(crate) parts: Vec<PartKernel>,
    /// What became of every loop that could be vectorised.
    pub vectors: Vec<VectorDecision>,
    /// What is done, in order: operands that are stored differently first, the kernel, a result that is stored differently
    /// afterwards.
    pub steps: Vec<Step>,
    /// What all steps are estimated to take, in units of about a nanosecond.
    pub work: f64,
    /// Other ways to build the statement, and what they would cost, where they were asked for ([`Session::weigh`](crate::Session::weigh)).
    pub rejected: Vec<Alternative>,
    /// What the statement relies on, with the format that was chosen for its result.
    pub(crate) relies: Option<Box<Assumptions>>,
    /// Where values say what it reads.
    pub(crate) positions: Option<Box<PositionChecks>>,
    /// The ways in which it can run, in the order in which they are preferred.
    pub(crate) variants: Vec<Variant>,
    /// What is known of operands that were given.
    pub(crate) facts: GivenFacts,
}

/// One kernel of several that compute a program.
#[derive(Clone, Debug)]
pub(crate) struct PartKernel {
    pub(crate) program: Program,
    /// The temporary that it fills, by its number in the whole program.
    pub(crate) temporary: Option<TensorId>,
    pub(crate) lowered: Lowered,
    pub(crate) loops: Loops,
    pub(crate) literals: Tables,
}

/// About what a plan takes: formats, names, reasons and the statement itself.
const PLAN: usize = 12 << 10;

impl Stages {
    /// About how many bytes the plan and the loops take.
    pub fn bytes(&self) -> usize {
        let passes = self
            .lowered
            .passes
            .as_ref()
            .map_or(0, |p| [&p.count, &p.place, &p.deal].iter().map(|pass| pass.kernel.bytes()).sum());
        let parts: usize = self.parts.iter().map(|p| p.loops.bytes() + p.lowered.kernel.bytes()).sum();
        let graphs = self.parts.iter().map(|p| &p.lowered).chain([&self.lowered]);
        let graphs: usize = graphs.map(|lowered| lowered.iteration.graph.bytes()).sum();
        PLAN + graphs + self.loops.bytes() + self.lowered.kernel.bytes() + passes + parts
    }
    /// Takes `statement` through parser, checker, planner and lowering for a backend's `target`.
    ///
    /// # Errors
    /// Every diagnostic of those stages.
    pub fn build(
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        registry: &Registry,
        target: &Target,
    ) -> Result<Stages> {
        Stages::from_statement(
            &*statement.read()?,
            decls,
            &Schedule::new(),
            Planner::new(registry, least_work()),
            target,
        )
    }
    /// The same with a schedule: the statement is planned as it is, without a search for cheaper ways, and rewritten.
    ///
    /// # Errors
    /// Every diagnostic of those stages, and `E0811` to `E0814` for the schedule.
    pub fn from_schedule(
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
        registry: &Registry,
        target: &Target,
    ) -> Result<Stages> {
        Stages::from_statement(
            &*statement.read()?,
            decls,
            schedule,
            Planner::new(registry, least_work()),
            target,
        )
    }
    /// As [`Stages::build`], with a planner of the caller's own.
    pub(crate) fn build_from(
        statement: &StatementSyntax,
        decls: &Decls,
        planner: Planner,
        target: &Target,
    ) -> Result<Stages> {
        Stages::from_statement(statement, decls, &Schedule::new(), planner, target)
    }
    fn from_statement(
        statement: &StatementSyntax,
        decls: &Decls,
        schedule: &Schedule,
        planner: Planner,
        target: &Target,
    ) -> Result<Stages> {
        stoppable(|| {
            let CheckedStatement { assignment, reasons, .. } = Stages::check_statement(statement, decls)?;
            let plan = planner.plan(&assignment, schedule)?;
            Stages::of_plan(assignment, reasons, plan, planner.registry(), target)
        })
    }
    /// The typed statement, with a format for its result and the reasons for it.
    ///
    /// # Errors
    /// Those of the checker, and `E0820` for a setting that says nothing: whatever is compiled comes here.
    pub(crate) fn check_statement(statement: &StatementSyntax, decls: &Decls) -> Result<CheckedStatement> {
        check_settings()?;
        let mut assignment = check(statement, decls)?;
        let shape = assignment.lhs.vars.iter().map(|&v| assignment.indices[v].size).collect();
        if decls.sizes == PlanSizes::Typical {
            assignment.round_sizes(&decls.dims);
        }
        let mut reasons = Vec::new();
        result_format(&mut assignment, &mut reasons);
        Ok(CheckedStatement { assignment: with_widths(assignment), reasons, shape })
    }
    /// The stages of a plan for a typed statement.
    ///
    /// # Errors
    /// Those of the passes over loops.
    pub(crate) fn of_plan(
        mut assignment: Assignment,
        reasons: Vec<Reason>,
        plan: Plan,
        registry: &Registry,
        target: &Target,
    ) -> Result<Stages> {
        let mut stages = Stages::from_plan(assignment.to_string(), plan, target)?;
        stages.plan.reasons.splice(0..0, reasons);
        let made = stages.plan.program.tensors[stages.result()].declared_format();
        assignment.tensors[assignment.lhs.tensor].format = stages.finish().cloned().unwrap_or(made);
        let relies = Assumptions::from_assignment(&assignment).map(Box::new);
        let positions = PositionChecks::from_assignment(&assignment).map(Box::new);
        Ok(Stages { relies, positions, ..stages }.with_variants(Phase::Fused, registry, target))
    }
    /// Takes a checked statement through planner and lowering, whatever it relies on.
    ///
    /// # Errors
    /// As [`Stages::from_schedule`].
    pub(crate) fn from_assignment(
        assignment: &Assignment,
        schedule: &Schedule,
        planner: Planner,
        target: &Target,
    ) -> Result<Stages> {
        let planned = planner.plan(assignment, schedule)?;
        let stages = Stages::from_plan(assignment.to_string(), planned, target)?;
        Ok(stages.with_variants(Phase::Fused, planner.registry(), target))
    }
    fn from_plan(statement: String, plan: Plan, target: &Target) -> Result<Stages> {
        let Plan { steps, concrete: plan, lowered, pieces, work, rejected } = plan;
        let part = |Piece { program, temporary, lowered }| -> Result<PartKernel> {
            let Finished { lowered, loops, literals, .. } = loops_of(lowered, &program, target)?;
            Ok(PartKernel { program, temporary, lowered, loops, literals })
        };
        let parts = pieces.into_iter().map(part).collect::<Result<_>>()?;
        let Finished { lowered, loops, literals, vectors } = loops_of(lowered, &plan.program, target)?;
        refuse_serial(&plan, &lowered, &vectors)?;
        Ok(Stages {
            statement,
            plan,
            lowered,
            loops,
            literals,
            parts,
            vectors,
            steps,
            work,
            rejected,
            relies: None,
            positions: None,
            variants: Vec::new(),
            facts: GivenFacts::default(),
        })
    }
    /// The same plan, lowered to one phase of the work on its result.
    ///
    /// # Errors
    /// `E0409` where the structure of the result cannot be had apart from its values.
    pub(crate) fn in_phase(
        &self,
        phase: Phase,
        decls: &Decls,
        registry: &Registry,
        target: &Target,
    ) -> Result<Stages> {
        let program = &self.plan.program;
        let whole = |because: &str| {
            let t = &program.tensors[self.result()];
            let message =
                format!("the structure of `{}` cannot be computed apart from its values: {because}", t.name);
            let d = Diagnostic::new(Code("E0409"), message);
            let d = d.point_at(&program.source, program.source.part, "");
            Error::refusal(d.help("compute it in one kernel"))
        };
        if program.assembly != AssemblyMode::InOrder {
            return Err(whole("its elements are placed out of order"));
        }
        if self.finish().is_some() {
            return Err(whole("it is converted after the kernel"));
        }
        if program.tensors[self.result()].format.is_dense() {
            return Err(whole("every element is stored"));
        }
        // Conversions leave slots out whose value is the fill, where nothing else tells that they are empty.
        let listed = |c: &&Conversion| {
            let format = decls.tensors.get(&c.source).and_then(|d| d.format.as_ref());
            format
                .and_then(|f| f.levels.last())
                .is_some_and(|l| l.spec.coords == Coords::Stored && !l.is_padded())
        };
        if let Some(c) = self.conversions().find(|c| !listed(c)) {
            return Err(whole(&format!("converting `{}` looks at its values", c.source)));
        }
        let of_phase = || loops_of(self.lowered.iteration.lower(registry, phase)?, program, target);
        let Finished { lowered, loops, literals, vectors } = stoppable(of_phase)?;
        let values = |b: &Binding| matches!(b, Binding::Values { .. });
        // Passes over loops add arrays that nothing binds.
        let read = lowered.kernel.loaded_buffers();
        let mut read = read.into_iter().filter_map(|b| lowered.bindings.get(b.index()));
        if phase == Phase::Assemble && read.any(values) {
            return Err(whole("values decide which elements are stored"));
        }
        let own = Stages { lowered, loops, literals, vectors, parts: Vec::new(), ..self.clone() };
        Ok(own.with_variants(phase, registry, target))
    }
    /// The same plan with annihilators that decide element by element, whatever stands beside them.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn to_deciding(&self, phase: Phase, registry: &Registry, target: &Target) -> Result<Stages> {
        let lowered = lower_phase(&self.plan.program, registry, phase, Decide::Everywhere)?;
        self.lower_again(lowered, target)
    }
    /// The same plan, for a result to which an operand lends its structure.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn to_lent(&self, registry: &Registry, target: &Target) -> Result<Stages> {
        self.lower_again(self.lowered.iteration.lower(registry, Phase::Lent)?, target)
    }
    /// The statement over nothing but values, for a result to which an operand lends its structure.
    ///
    /// # Errors
    /// What lowering refuses.
    pub(crate) fn over_values(&self, registry: &Registry, target: &Target) -> Result<Stages> {
        let whole = &self.plan.program;
        let program = over_values(whole).ok_or_else(|| Error::bug("lower", "no operand lends values", ""))?;
        let plan = Concrete { program, reasons: Vec::new() };
        let own = Stages { plan, steps: vec![Step::Kernel], rejected: Vec::new(), ..self.clone() };
        let lowered = lower_phase(&own.plan.program, registry, Phase::Fused, Decide::Unseen)?;
        own.lower_again(lowered, target)
    }
    /// The same plan, for a result in the memory of an operand; nothing where no loops can be written, or where its functions
    /// would be those of vectors and the kernel's those of scalars, or the other way round: their last bits differ.
    ///
    /// # Errors
    /// Those of the passes over loops.
    pub(crate) fn to_in_place(
        &self,
        operand: TensorId,
        registry: &Registry,
        target: &Target,
    ) -> Result<Option<Stages>> {
        let decided = &self.lowered.iteration.program;
        let Some(program) = compute_in_place(decided, operand) else { return Ok(None) };
        let Ok(lowered) = lower_phase(&program, registry, Phase::Fused, Decide::Hidden) else {
            return Ok(None);
        };
        let plan = Concrete { program, reasons: Vec::new() };
        let stages = Stages { plan, ..self.clone() };
        let Some(wide) = &target.wide else { return stages.lower_again(lowered, target).map(Some) };
        let agrees = |own: &Stages| wide.functions.agree_between(&self.loops, &own.loops);
        let own = stages.lower_again(lowered.clone(), target)?;
        if agrees(&own) {
            return Ok(Some(own));
        }
        // The kernel may have none in vectors: it merges what this one visits alone.
        let without = Wide { functions: VectorFunctions::NONE, ..*wide };
        let own = stages.lower_again(lowered, &Target { wide: Some(without), ..*target })?;
        Ok(agrees(&own).then_some(own))
    }
    fn lower_again(&self, lowered: Lowered, target: &Target) -> Result<Stages> {
        let Finished { lowered, loops, literals, vectors } = loops_of(lowered, &self.plan.program, target)?;
        Ok(Stages { lowered, loops, literals, vectors, parts: Vec::new(), ..self.clone() })
    }
    /// Operands that are stored in another format than the caller's before the kernel can run.
    pub fn conversions(&self) -> impl Iterator<Item = &Conversion> {
        self.steps.iter().filter_map(|step| match step {
            Step::Convert(conversion) | Step::Diagonal(conversion) | Step::Window(conversion) => {
                Some(conversion)
            }
            _ => None,
        })
    }
    /// The format that the result is converted to after the kernel, where the kernel does not assemble it itself.
    pub fn finish(&self) -> Option<&Format> {
        self.steps.iter().find_map(Step::finish)
    }
    /// Operands that are what others store, and what they are made of.
    pub fn structures(&self) -> impl Iterator<Item = &Conversion> {
        self.steps.iter().filter_map(|step| if let Step::Structure(of) = step { Some(of) } else { None })
    }
    /// The ways in which the plan can run, in the order in which they are preferred. A run takes the first one whose guards
    /// hold.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }
    /// The operands in whose memory a variant computes the result, and their names, in the order in which they are preferred.
    pub fn places(&self) -> impl Iterator<Item = (TensorId, &str)> {
        let guards = self.variants.iter().flat_map(|v| &v.guards);
        guards.filter_map(|guard| match guard {
            Guard::Taken(operand) => Some((*operand, given_name(&self.plan.program, *operand))),
            _ => None,
        })
    }
    /// The number of the variant with this name ([`Variant::name`]), from 1 on.
    pub fn variant_number(&self, name: &str) -> Option<usize> {
        self.variants.iter().position(|v| v.name() == name).map(|n| n + 1)
    }
    /// What each variant does and when, in words.
    pub fn described_variants(&self) -> Vec<String> {
        let describe = |v: &Variant| v.describe(&self.plan.program, self.relies.as_deref());
        self.variants.iter().map(describe).collect()
    }
    /// The program of the kernel, with its loops.
    pub(crate) fn into_part(self) -> PartKernel {
        let Stages { plan: Concrete { program, .. }, lowered, loops, literals, .. } = self;
        PartKernel { program, temporary: None, lowered, loops, literals }
    }
    /// The same with the variants that follow from everything else.
    fn with_variants(mut self, phase: Phase, registry: &Registry, target: &Target) -> Stages {
        let functions = target.wide.as_ref().map(|wide| wide.functions);
        let has_functions = functions.is_some_and(|all| all.any_of(&self.loops));
        let mut places = find_places(&self.lowered.iteration, &self.lowered.parallel);
        if has_functions {
            places.retain(|place| matches!(self.to_in_place(place.operand, registry, target), Ok(Some(_))));
        }
        let may_hide_annihilator =
            self.lowered.may_hide_annihilator || self.parts.iter().any(|p| p.lowered.may_hide_annihilator);
        self.variants = variants(&VariantFacts {
            program: &self.plan.program,
            steps: &self.steps,
            pieces: self.parts.len(),
            may_hide_annihilator,
            lender: self.lowered.lender.as_ref(),
            values_round_apart: has_functions,
            places,
            makes_structure_and_values: phase == Phase::Fused,
            relies: self.relies.as_deref(),
        });
        self
    }
    /// The same for code of the caller's: it computes everything by itself, so there is no other kernel for operands that this
    /// one takes to be finite, and no way around it.
    pub(crate) fn with_given_code(mut self) -> Stages {
        let because = "code of the caller's computes the whole result in one call".into();
        self.lowered = Lowered {
            parallel: Parallel::Serial { because },
            passes: None,
            may_hide_annihilator: false,
            lender: None,
            ..self.lowered
        };
        (self.relies, self.parts) = (None, Vec::new());
        let kernel = Variant { steps: self.steps.clone(), ..Variant::default() };
        self.variants = vec![kernel];
        self
    }
    /// The tensor that is computed.
    pub fn result(&self) -> TensorId {
        let mut tensors = self.plan.program.tensors.iter();
        let found = tensors.find(|(_, t)| t.kind == TensorKind::Result);
        found.map(|(id, _)| id).expect("every statement has a result")
    }
    /// How the runs of each kernel that computes the program can be spread over threads, in order.
    pub fn kernels(&self) -> impl Iterator<Item = &Parallel> {
        let whole = self.parts.is_empty().then_some(&self.lowered.parallel);
        self.parts.iter().map(|p| &p.lowered.parallel).chain(whole)
    }
    /// How runs are spread over threads where there is enough to do, or why they are not.
    pub fn parallel(&self) -> String {
        let one = |parallel: &Parallel| match parallel {
            Parallel::Serial { because } => format!("serial: {because}"),
            Parallel::Chunks(c) => c.describe(&self.plan.program.indices[c.var].name),
        };
        let each: Vec<String> = self.kernels().map(one).collect();
        match &each[..] {
            [one] => one.clone(),
            all => format!("{} kernels, one after the other: {}", all.len(), all.join("; then ")),
        }
    }
    /// CIN as text.
    pub fn cin(&self) -> String {
        self.plan.program.to_string()
    }
    /// The loops as text, before vectorisation: those of every kernel that computes the program.
    pub fn loops_text(&self) -> String {
        let whole = self.parts.is_empty().then_some(&self.lowered.kernel);
        self.parts.iter().map(|p| &p.lowered.kernel).chain(whole).map(text::print).collect()
    }
    /// What the loops read in place of literals: a line for each array, its name and its values. Kernels of statements that
    /// differ in such literals only are one kernel.
    ///
    /// ```
    /// use openwork::{DType, Decl, Decls, Format, FormatExt, Session};
    /// let format = Some(Format::parse("csr", 2)?);
    /// let mut decls = Decls::default();
    /// decls.tensors.insert("A".into(), Decl { dtype: Some(DType::F64), format, ..Decl::default() });
    /// let stages = |text: &str| Session::global().stages(text, &decls);
    /// let (half, third) = (stages("C(i,j) = A(i,j) > 0.5")?, stages("C(i,j) = A(i,j) > 0.3")?);
    /// assert_eq!(half.loops, third.loops);
    /// assert_eq!([half, third].map(|s| s.literals().join("")), ["literals_f64: 0.5", "literals_f64: 0.3"]);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn literals(&self) -> Vec<String> {
        self.literals.describe(&self.loops, self.lowered.bindings.len())
    }
    /// The iteration lattice of every `forall`, outermost first: one line per point.
    pub fn lattices(&self) -> String {
        let program = &self.plan.program;
        let mut out = String::new();
        program.body.visit(&mut |s| {
            if let openwork_index::CinStmt::Forall { index, body } = s {
                let space = derive::derive(body, *index, &program.tensors);
                if space.regions() > LISTED {
                    out.push_str(&format!(
                        "lattice {}\n  too many points to list\n",
                        program.indices[*index].name
                    ));
                } else {
                    out.push_str(&self.lattice_text(*index, &Lattice::build(&space)));
                }
            }
        });
        out
    }
    /// The iteration graph as text: what every loop runs over, and what is left to do in each of its regions.
    ///
    /// ```
    /// use openwork::{DType, Decl, Decls, Format, FormatExt, Session};
    /// let mut decls = Decls::default();
    /// for (name, format, rank) in [("A", "csr", 2), ("x", "dense", 1)] {
    ///     let (dtype, format) = (Some(DType::F64), Some(Format::parse(format, rank)?));
    ///     decls.tensors.insert(name.into(), Decl { dtype, format, ..Decl::default() });
    /// }
    /// let stages = Session::global().stages("y(i) = A(i,j) * x(j)", &decls)?;
    /// assert!(stages.graph_text().starts_with("i over the dimension\n"));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn graph_text(&self) -> String {
        self.lowered.iteration.text()
    }
    fn lattice_text(&self, v: IndexId, lattice: &Lattice) -> String {
        use openwork_lower::lattice::{Extent, RegionRole};
        let program = &self.plan.program;
        let names = openwork_index::cin::CinNames { tensors: &program.tensors, indices: &program.indices };
        let mut out = format!("lattice {}\n", program.indices[v].name);
        for p in &lattice.points {
            let mut parts: Vec<String> =
                p.leaves.iter().map(|l| format!("{}.{}", names.access(&l.access), l.level + 1)).collect();
            if p.extent == Extent::Dimension {
                parts.push("dimension".into());
            }
            let role = match p.role {
                RegionRole::Producer => "produce",
                RegionRole::Omitter => "omit",
            };
            out.push_str(&format!("  {role} {}\n", parts.join(" & ")));
        }
        out
    }
}

/// A result whose index widths nobody gave counts coordinates as large as its dimensions, where these are known.
fn with_widths(mut a: Assignment) -> Assignment {
    let shape: Option<Vec<usize>> = a.lhs.vars.iter().map(|&v| a.indices[v].size).collect();
    if let Some(shape) = shape {
        let result = &mut a.tensors[a.lhs.tensor];
        let large = shape.iter().any(|&n| n > i32::MAX as usize);
        if large && result.format.crd.is_none() {
            result.format = result.format.resolve(&shape);
        }
    }
    a
}

/// Refuses a schedule that asks for vectors where the vectoriser found none.
fn refuse_serial(plan: &Concrete, lowered: &Lowered, vectors: &[VectorDecision]) -> Result<()> {
    for asked in &lowered.vectors {
        let own: Vec<&VectorDecision> = vectors.iter().filter(|d| d.var == asked.var).collect();
        let serial = |d: &&VectorDecision| match (&d.outcome, d.wide) {
            (VectorOutcome::Serial(why), None) => Some(why.clone()),
            (VectorOutcome::Serial(_), Some(_)) | (VectorOutcome::Vectors { .. }, _) => None,
        };
        let reasons: Vec<String> = own.iter().filter_map(serial).collect();
        if let Some(why) = reasons.first().filter(|_| reasons.len() == own.len()) {
            let source = &plan.program.source;
            let message = format!("the loop over `{}` cannot be taken in vectors: {why}", asked.index);
            let d = Diagnostic::new(Code("E0814"), message).point_at(source, source.part, "");
            return Err(Error::refusal(d.help("leave vectorize out")));
        }
    }
    Ok(())
}
