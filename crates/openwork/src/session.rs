//! A session: backends, the kernel cache, and the levels that are known.

use crate::backend_kind::BackendKind;
use crate::compiler::Compiler;
use crate::declare::declare_operands;
use crate::form::StatementForm;
use crate::kernel::Kernel;
use crate::phases::Phases;
use crate::planned::PlannedStatements;
use crate::settings::{backend_setting, check_settings};
use crate::stages::{Stages, least_work};
use crate::unread::refuse_repeated;
use openwork_algebra::Arithmetic;
use openwork_backend::interp::InterpBackend;
use openwork_backend::{Backend, Target};
use openwork_backend_c::CBackend;
use openwork_backend_clif::ClifBackend;
use openwork_base::Result;
use openwork_execute::Threading;
use openwork_index::schedule::Schedule;
use openwork_index::{Decl, Decls};
use openwork_levels::Registry;
use openwork_lower::Phase;
use openwork_planner::{Alternative, Planner};
use openwork_runtime::KernelCache;
use openwork_storage::Tensor;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Compiles and runs statements on one backend. Sessions are cheap to share between threads.
pub struct Session {
    kind: BackendKind,
    backend: Arc<dyn Backend>,
    registry: Registry,
    cache: Arc<KernelCache>,
    pub(crate) planned: PlannedStatements,
    pub(crate) threading: Threading,
    least: f64,
    /// Which candidate is taken; 0 for the planner's choice.
    taking: usize,
    arithmetic: Arithmetic,
}

impl Session {
    /// A session on the given backend.
    ///
    /// # Errors
    /// `E0501` when the backend is not available on this machine, `E0820` for a setting from the environment that says nothing.
    pub fn new(kind: BackendKind) -> Result<Session> {
        check_settings()?;
        Session::on_backend(kind)
    }
    fn on_backend(kind: BackendKind) -> Result<Session> {
        let backend: Arc<dyn Backend> = match kind {
            BackendKind::Clif => Arc::new(ClifBackend::new()?),
            BackendKind::C => Arc::new(CBackend::new()),
            BackendKind::Interp => Arc::new(InterpBackend::new()),
        };
        Ok(Session::with_backend(kind, backend))
    }
    /// A session on a backend of the caller's own.
    pub fn with_backend(kind: BackendKind, backend: Arc<dyn Backend>) -> Session {
        let (threading, cache) = (Threading::default(), Arc::default());
        Session {
            kind,
            backend,
            registry: Registry::default(),
            cache,
            planned: PlannedStatements::default(),
            threading,
            least: least_work(),
            taking: 0,
            arithmetic: Arithmetic::default(),
        }
    }
    /// A session whose planner compares the ways to build a statement however little work it is; by default it does so
    /// from about 20 microseconds on. For tests of the planner.
    #[must_use]
    pub fn comparing_always(self) -> Session {
        Session { least: 0.0, planned: PlannedStatements::default(), ..self }
    }
    /// A session whose planner takes every statement as it is stored, however much work it is, unless that cannot be built. For
    /// tests of what is stored.
    #[must_use]
    pub fn comparing_never(self) -> Session {
        Session { least: f64::INFINITY, planned: PlannedStatements::default(), ..self }
    }
    /// A session that takes another candidate than the planner's choice for every statement that it compiles: the one with
    /// this number, as [`Session::candidates`] lists them; 0 is the planner's choice.
    ///
    /// ```
    /// use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session};
    /// let (format, shape) = (Some(Format::parse("csr", 2)?), Some(vec![5000, 5000]));
    /// let decl = Decl { dtype: Some(DType::F64), format, shape, stored: Some(50_000), elements: None };
    /// let mut decls = Decls::default();
    /// decls.tensors.extend(["A", "B", "M"].map(|name| (name.to_string(), decl.clone())));
    /// let masked = "C(i,k) = M(i,k) * A(i,j) * B(j,k)";
    /// let session = Session::new(BackendKind::Clif)?;
    /// let all = session.candidates(masked, &decls)?;
    /// let other = session.with_candidate(1).stages(masked, &decls)?;
    /// assert!(all[1].describe.starts_with(&other.cin()));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    #[must_use]
    pub fn with_candidate(self, number: usize) -> Session {
        Session { taking: number, planned: PlannedStatements::default(), ..self }
    }
    /// Whether the planner chooses.
    pub(crate) fn takes_any(&self) -> bool {
        self.taking == 0
    }
    /// The ways to compute a statement that the planner compares: its choice, and the others, the cheapest first, with their
    /// estimated work.
    ///
    /// # Errors
    /// Every diagnostic of the statement.
    pub fn candidates(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
    ) -> Result<Vec<Alternative>> {
        let planner = Planner::new(&self.registry, self.least).with_listing();
        let stages =
            Stages::build_from(&*statement.read()?, &self.apply_arithmetic(decls), planner, &self.target())?;
        let chosen = Alternative { describe: stages.cin(), work: stages.work };
        Ok([vec![chosen], stages.rejected].concat())
    }
    /// The session with a number of threads of its own for every run of its kernels; 0 takes that of the process
    /// ([`set_threads`](crate::set_threads)).
    pub fn with_threads(self, threads: usize) -> Session {
        Session { threading: Threading { threads, ..self.threading }, ..self }
    }
    /// The session with another arithmetic for statements that do not ask for one themselves
    /// ([`Decls::arithmetic`]).
    ///
    /// ```
    /// use openwork::{Arithmetic, BackendKind, Decl, Format, FormatExt, Session, Tensor, TensorExt};
    /// let session = Session::new(BackendKind::Clif)?;
    /// let a = Tensor::from_vec(&[2], vec![0.0, 1.0])?.to_format(&Format::parse("s", 1)?)?;
    /// let x = Tensor::from_vec(&[2], vec![f64::INFINITY, 2.0])?;
    /// let product = |s: &Session| s.einsum("y = A(i) * x(i)", &[("A", &a), ("x", &x)], Decl::default());
    /// assert_eq!(product(&session)?.vals().as_slice(), Some(&[2.0][..]));
    /// let exact = product(&session.with_arithmetic(Arithmetic::Exact))?;
    /// assert!(exact.vals().as_slice::<f64>().unwrap()[0].is_nan());
    /// # Ok::<(), openwork::Error>(())
    /// ```
    #[must_use]
    pub fn with_arithmetic(self, arithmetic: Arithmetic) -> Session {
        Session { arithmetic, ..self }
    }
    /// The process-wide default session, on the backend that `OPENWORK_BACKEND` names, else on Cranelift; on the interpreter
    /// where Cranelift knows no instruction set. Settings that say nothing are refused when it compiles.
    pub fn global() -> &'static Session {
        static SHARED: OnceLock<Session> = OnceLock::new();
        SHARED.get_or_init(|| {
            Session::on_backend(backend_setting().unwrap_or(BackendKind::Clif))
                .or_else(|_| Session::on_backend(BackendKind::Interp))
                .expect("the interpreter is always available")
        })
    }
    /// Which backend runs.
    pub fn kind(&self) -> BackendKind {
        self.kind
    }
    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }
    /// The facts that passes assume of the backend.
    pub fn target(&self) -> Target {
        self.backend.target()
    }
    /// The compiled kernels held so far.
    pub fn cache(&self) -> &KernelCache {
        &self.cache
    }
    /// Takes a statement to loops without compiling them.
    ///
    /// # Errors
    /// Every diagnostic of the statement.
    pub fn stages(&self, statement: &(impl StatementForm + ?Sized), decls: &Decls) -> Result<Stages> {
        Stages::build_from(&*statement.read()?, &self.apply_arithmetic(decls), self.planner(), &self.target())
    }
    /// Takes a statement with a schedule to loops without compiling them.
    ///
    /// # Errors
    /// Every diagnostic of the statement and the schedule.
    pub fn stages_scheduled(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
    ) -> Result<Stages> {
        self.stages_for(statement, decls, schedule, &self.target())
    }
    /// The same with the other ways that the planner compared ([`Stages::rejected`]), each of which can be asked for
    /// ([`Session::with_candidate`]); planning takes an eighth longer for it.
    ///
    /// # Errors
    /// Every diagnostic of the statement and the schedule.
    pub fn weigh(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
    ) -> Result<Stages> {
        match schedule.is_empty() {
            true => {
                let planner = self.planner().with_listing();
                Stages::build_from(
                    &*statement.read()?,
                    &self.apply_arithmetic(decls),
                    planner,
                    &self.target(),
                )
            }
            false => self.stages_scheduled(statement, decls, schedule),
        }
    }
    /// The stages of the variant that computes the result in the memory of an operand of this name; nothing where there is none.
    ///
    /// ```
    /// use openwork::{Session, Tensor, TensorExt, declare_operands};
    /// let (d, t) = (Tensor::from_vec(&[3], vec![1.0; 3])?, Tensor::from_vec(&[3], vec![2.0; 3])?);
    /// let session = Session::global();
    /// let stages = session.stages("d(i) += t(i)", &declare_operands(&[("d", &d), ("t", &t)]))?;
    /// let in_place = session.stages_in_place(&stages, "d")?.unwrap();
    /// assert_eq!(in_place.cin(), "[over d_old] forall i d(i) += t(i)");
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the passes over loops.
    pub fn stages_in_place(&self, stages: &Stages, operand: &str) -> Result<Option<Stages>> {
        match stages.places().find(|(_, name)| *name == operand) {
            Some((operand, _)) => stages.to_in_place(operand, &self.registry, &self.target()),
            None => Ok(None),
        }
    }
    /// The same for code of another kind than the session's.
    pub(crate) fn stages_for(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
        target: &Target,
    ) -> Result<Stages> {
        let decls = self.apply_arithmetic(decls);
        match schedule.is_empty() {
            true => Stages::build_from(&*statement.read()?, &decls, self.planner(), target),
            false => Stages::from_schedule(&*statement.read()?, &decls, schedule, &self.registry, target),
        }
    }
    /// The first of the other ways to compute a statement that fits, and for which code can be made.
    pub(crate) fn other_way(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        target: &Target,
        fits: impl Fn(&Stages) -> bool,
    ) -> Option<Stages> {
        let decls = self.apply_arithmetic(decls);
        let planner = |n| Planner::new(&self.registry, self.least).with_way(n);
        let statement = statement.read().ok()?;
        let made = |n| Stages::build_from(&statement, &decls, planner(n), target).ok();
        let listed = Stages::build_from(&statement, &decls, planner(0).with_listing(), target).ok()?;
        (1..=listed.rejected.len()).filter_map(made).find(|stages| fits(stages))
    }
    /// The same plan with annihilators that decide element by element, for code of any kind.
    pub(crate) fn deciding_stages(&self, plain: &Stages, phase: Phase, target: &Target) -> Result<Stages> {
        plain.to_deciding(phase, &self.registry, target)
    }
    /// One phase of a plan, for code of any kind.
    pub(crate) fn phase_for(
        &self,
        fused: &Stages,
        phase: Phase,
        decls: &Decls,
        target: &Target,
    ) -> Result<Stages> {
        fused.in_phase(phase, decls, &self.registry, target)
    }
    /// The declarations with the arithmetic of the session, where they state none.
    pub(crate) fn apply_arithmetic<'d>(&self, decls: &'d Decls) -> Cow<'d, Decls> {
        if decls.arithmetic.is_some() || self.arithmetic == Arithmetic::default() {
            return Cow::Borrowed(decls);
        }
        Cow::Owned(Decls { arithmetic: Some(self.arithmetic), ..decls.clone() })
    }
    /// The arithmetic that a statement with these declarations has.
    pub(crate) fn arithmetic_of(&self, decls: &Decls) -> Arithmetic {
        decls.arithmetic.unwrap_or(self.arithmetic)
    }
    /// Compiles several statements together, so that [`Session::compile`] finds them in the cache. Statements that are
    /// refused are left out; compiling them reports why.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub fn prepare(&self, statements: &[(&str, &Decls)]) -> Result<()> {
        let stages: Vec<Stages> =
            statements.iter().filter_map(|(text, decls)| self.stages(text, decls).ok()).collect();
        let loops: Vec<&openwork_loops::LoopKernel> = stages.iter().map(|s| &s.loops).collect();
        self.cache.prepare(&*self.backend, &loops)
    }
    /// Compiles a statement for declared tensors. What was planned for the same ones is not planned again; who calls many
    /// times should keep the kernel, or a [`Statement`](crate::Statement).
    ///
    /// # Errors
    /// Every diagnostic of the statement; `E0501` when the backend cannot compile.
    pub fn compile(&self, statement: &(impl StatementForm + ?Sized), decls: &Decls) -> Result<Kernel> {
        let start = Instant::now();
        let make = || self.stages_for(statement, decls, &Schedule::new(), &self.target());
        let stages = self.planned.stages(&statement.text(), &self.apply_arithmetic(decls), make)?;
        self.kernel(stages, Phase::Fused, start)
    }
    /// Compiles a statement for tensors like these: of the same dtypes and formats, and of any size.
    ///
    /// ```
    /// use openwork::{Session, Tensor, TensorView};
    /// let a = Tensor::from_csr(vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0], [2, 2])?;
    /// let x = [10.0, 1.0];
    /// let x = TensorView::dense(&[2], &x)?;
    /// let product = Session::global().compile_for("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", &x)])?;
    /// let mut y = [0.0; 2];
    /// product.run_into_slice(&mut y, &[("A", &a), ("x", &x)])?;
    /// assert_eq!(y, [2.0, 30.0]);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::compile`].
    pub fn compile_for(
        &self,
        statement: &(impl StatementForm + ?Sized),
        operands: &[(&str, &Tensor)],
    ) -> Result<Kernel> {
        let mut kernel = self.compile(statement, &declare_operands(operands))?;
        kernel.forget_sizes(&BTreeMap::new());
        Ok(kernel)
    }
    /// Compiles a statement with a schedule: the plan of the statement as it is, rewritten by the commands.
    ///
    /// ```
    /// use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Schedule, Session, Storage};
    /// let format = Some(Format::parse("csr", 2)?);
    /// let sparse = Decl { dtype: Some(DType::F64), format, ..Decl::default() };
    /// let mut decls = Decls::default();
    /// for name in ["A", "B", "C"] {
    ///     decls.tensors.insert(name.into(), sparse.clone());
    /// }
    /// let schedule = Schedule::new().precompute("B(i,k) * C(k,j)", ["j"], "w", Some(Storage::Hash));
    /// let session = Session::new(BackendKind::Interp)?;
    /// let product = session.compile_scheduled("A(i,j) = B(i,k) * C(k,j)", &decls, &schedule)?;
    /// let cin = "forall i (forall j A(i,j) = w(j)) where[hash] (forall k forall j w(j) += B(i,k) * C(k,j))";
    /// assert_eq!(product.stages().cin(), cin);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every diagnostic of the statement; `E0811` to `E0814` for the schedule; `E0501` when the backend cannot compile.
    pub fn compile_scheduled(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
    ) -> Result<Kernel> {
        let start = Instant::now();
        let stages = self.stages_for(statement, decls, schedule, &self.target())?;
        self.kernel(stages, Phase::Fused, start)
    }
    /// Compiles a statement with a sparse result into two kernels: one for the structure of the result, one for its
    /// values.
    ///
    /// # Errors
    /// As [`Session::compile`]; `E0409` where the structure cannot be had apart from the values.
    pub fn compile_phases(&self, statement: &(impl StatementForm + ?Sized), decls: &Decls) -> Result<Phases> {
        self.compile_phases_scheduled(statement, decls, &Schedule::new())
    }
    /// [`Session::compile_phases`] with a schedule.
    ///
    /// # Errors
    /// As [`Session::compile_scheduled`]; `E0409` where the structure cannot be had apart from the values.
    pub fn compile_phases_scheduled(
        &self,
        statement: &(impl StatementForm + ?Sized),
        decls: &Decls,
        schedule: &Schedule,
    ) -> Result<Phases> {
        let start = Instant::now();
        let target = self.target();
        let apart = |fused: &Stages| -> Result<[Stages; 2]> {
            let phase = |phase| self.phase_for(fused, phase, decls, &target);
            Ok([phase(Phase::Assemble)?, phase(Phase::Compute)?])
        };
        let [assemble, compute] = match apart(&self.stages_for(statement, decls, schedule, &target)?) {
            // What is cheapest in one kernel may have its result converted.
            Err(refusal) if schedule.is_empty() && refusal.code().0 == "E0409" => {
                let other = self.other_way(statement, decls, &target, |stages| apart(stages).is_ok());
                other.map_or(Err(refusal), |stages| apart(&stages))?
            }
            stages => stages?,
        };
        let kernel = |stages, phase| self.kernel(stages, phase, start);
        Ok(Phases::new(kernel(assemble, Phase::Assemble)?, kernel(compute, Phase::Compute)?))
    }
    /// The planner that compiles for this session.
    pub(crate) fn planner(&self) -> Planner<'_> {
        Planner::new(&self.registry, self.least).with_way(self.taking)
    }
    /// What compiles for this session.
    pub(crate) fn compiler(&self) -> Compiler {
        let (backend, cache) = (self.backend.clone(), self.cache.clone());
        Compiler { backend, cache, registry: self.registry.clone() }
    }
    pub(crate) fn kernel(&self, stages: Stages, phase: Phase, start: Instant) -> Result<Kernel> {
        Kernel::from_stages(stages, self.compiler(), phase, self.threading, start)
    }
    /// Computes a statement over named operands. `result` may fix the result's dtype and format.
    ///
    /// ```
    /// use openwork::{BackendKind, Decl, Format, FormatExt, Session, Tensor, TensorExt};
    /// let session = Session::new(BackendKind::Interp)?;
    /// let a = Tensor::from_vec(&[2, 2], vec![0.0, 1.0, 0.0, 2.0])?;
    /// let sparse = Decl { format: Some(Format::parse("csr", 2)?), ..Decl::default() };
    /// let b = session.einsum("B(i,j) = 3 * A(i,j)", &[("A", &a)], sparse)?;
    /// assert_eq!(b.nnz(), 2);
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every diagnostic of the statement, `E0201` for an operand that it does not read or a name that is given twice, and `E0603` when memory runs out.
    pub fn einsum(
        &self,
        statement: &(impl StatementForm + ?Sized),
        operands: &[(&str, &Tensor)],
        result: Decl,
    ) -> Result<Tensor> {
        refuse_repeated(operands)?;
        let mut decls = declare_operands(operands);
        let read = statement.read()?;
        let name = &read.lhs.name.text;
        if !decls.tensors.contains_key(name) {
            decls.tensors.insert(name.clone(), result);
        }
        Ok(self.compile(statement, &decls)?.run(operands)?.tensor)
    }
}
