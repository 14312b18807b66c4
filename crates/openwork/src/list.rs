//! The stages of several statements, of which later ones read what earlier ones compute.

use crate::form::StatementsForm;
use crate::passing::{JoinedStages, joined_loops, pays};
use crate::session::Session;
use crate::stages::{CheckedStatement, Stages};
use openwork_base::cancel::stoppable;
use openwork_base::names::meant_or;
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_index::check::Assignment;
use openwork_index::notation::StatementSyntax;
use openwork_index::schedule::Schedule;
use openwork_index::{Decl, Decls, TensorKind};
use openwork_planner::{Action, JoinedStatements, ListPlan, Plan, Planner, Read};
use std::collections::BTreeMap;

/// What several statements become before they are compiled to a [`Sequence`](crate::Sequence).
#[derive(Debug)]
pub struct ListStages {
    /// The stages of each statement.
    pub stages: Vec<Stages>,
    /// What is done, in order; numbers are those of statements.
    pub actions: Vec<Action>,
    /// Statements of which one kernel computes several.
    pub joined: Vec<JoinedStages>,
    /// What each statement computes.
    pub(crate) names: Vec<String>,
    /// For each statement, what it reads of others.
    pub(crate) reads: Vec<Vec<Read>>,
    /// For each statement, the operands that the caller gives.
    pub(crate) given: Vec<Vec<String>>,
}

impl Session {
    /// Takes statements, separated by `;` or ends of lines, to loops without compiling them; `decls` and `asked` are those of
    /// [`Session::sequence`].
    ///
    /// ```
    /// use openwork::{Action, DType, Decl, Decls, Session};
    /// let mut decls = Decls::default();
    /// for name in ["A", "x"] {
    ///     decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    /// }
    /// let list = Session::global().plan("y(i) = A(i,j) * x(j); n = y(i) * y(i)", &decls, None)?;
    /// assert_eq!(list.stages[1].cin(), "(n = t) where (forall i t += y(i) * y(i))");
    /// assert_eq!(list.actions.last(), Some(&Action::Free(0)));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every diagnostic of the statements; `E0201` for a result that none of them computes.
    pub fn plan(
        &self,
        statements: &(impl StatementsForm + ?Sized),
        decls: &Decls,
        asked: Option<&[&str]>,
    ) -> Result<ListStages> {
        self.list_by(self.planner(), statements, decls, asked)
    }
    /// The same with the other ways that the planner compared for each statement ([`Stages::rejected`]).
    ///
    /// # Errors
    /// As [`Session::plan`].
    pub fn weigh_all(
        &self,
        statements: &(impl StatementsForm + ?Sized),
        decls: &Decls,
        asked: Option<&[&str]>,
    ) -> Result<ListStages> {
        self.list_by(self.planner().with_listing(), statements, decls, asked)
    }
    /// The same by a planner.
    fn list_by(
        &self,
        planner: Planner,
        statements: &(impl StatementsForm + ?Sized),
        decls: &Decls,
        asked: Option<&[&str]>,
    ) -> Result<ListStages> {
        let list = statements.read_all()?;
        let mut results = BTreeMap::new();
        let mut taken: Vec<&str> = Vec::new();
        for statement in list.iter() {
            taken.extend(statement.read_tensors());
            let name = statement.lhs.name.text.as_str();
            if let Some(decl) = decls.tensors.get(name).filter(|_| !taken.contains(&name)) {
                results.insert(name.to_string(), decl.clone());
            }
            taken.push(name);
        }
        self.list_of(planner, &list, decls, &results, asked)
    }
    /// The same for statements that are read, with what is fixed of results apart from the operands.
    pub(crate) fn list_of(
        &self,
        planner: Planner,
        list: &[StatementSyntax],
        decls: &Decls,
        results: &BTreeMap<String, Decl>,
        asked: Option<&[&str]>,
    ) -> Result<ListStages> {
        let mut known = self.apply_arithmetic(decls).into_owned();
        let (mut assignments, mut reasons, mut plans) = (Vec::new(), Vec::new(), Vec::new());
        for statement in list {
            let name = &statement.lhs.name.text;
            // A name that the statement reads as well keeps what it is; others are computed anew.
            if !statement.read_tensors().contains(&name.as_str()) {
                known.tensors.remove(name);
                known.tensors.extend(results.get(name).map(|decl| (name.clone(), decl.clone())));
            }
            let CheckedStatement { assignment: a, reasons: why, shape } =
                Stages::check_statement(statement, &known)?;
            let plan = stoppable(|| planner.plan(&a, &Schedule::new()))?;
            known.tensors.insert(name.clone(), Decl { shape, ..plan.result_decl() });
            assignments.push(a);
            reasons.push(why);
            plans.push(plan);
        }
        let names: Vec<String> = assignments.iter().map(|a| a.tensors[a.lhs.tensor].name.clone()).collect();
        if let Some(asked) = asked {
            asked.iter().try_for_each(|name| is_computed(name, &names))?;
        }
        let wanted = wanted_results(&assignments, &names, asked);
        let (registry, target) = (&self.compiler().registry, self.target());
        let pays = |one: &JoinedStatements, plans: &[Plan]| pays(one, plans, &target);
        let ListPlan { plans, actions, reads, joined } =
            stoppable(|| ListPlan::from_plans(&assignments, plans, &|n| wanted[n], registry, &pays))?;
        let given = assignments.iter().zip(&reads).map(|(a, made)| given_operands(a, made)).collect();
        let mut stages = Vec::new();
        let one = |one: JoinedStatements| stoppable(|| joined_loops(one, &plans, &target));
        let joined = joined.into_iter().map(one).collect::<Result<_>>()?;
        for ((assignment, reasons), plan) in assignments.into_iter().zip(reasons).zip(plans) {
            stages.push(stoppable(|| Stages::of_plan(assignment, reasons, plan, registry, &target))?);
        }
        Ok(ListStages { stages, actions, joined, names, reads, given })
    }
}

/// Whether the caller wants the result of each statement. Of results of one name the last one counts.
fn wanted_results(list: &[Assignment], names: &[String], asked: Option<&[&str]>) -> Vec<bool> {
    let last = |n: usize| !names[n + 1..].contains(&names[n]);
    let read = |n: usize| list[n + 1..].iter().any(|a| reads(a, &names[n]));
    let by_name = |n: usize| asked.map_or(!read(n), |asked| asked.contains(&names[n].as_str()));
    (0..list.len()).map(|n| last(n) && by_name(n)).collect()
}

/// Whether a statement reads a tensor of this name.
fn reads(a: &Assignment, name: &str) -> bool {
    a.tensors.iter().any(|(_, t)| t.kind == TensorKind::Operand && t.given == name)
}

/// Refuses the name of a result that no statement computes.
fn is_computed(name: &str, names: &[String]) -> Result<()> {
    if names.iter().any(|n| n == name) {
        return Ok(());
    }
    let known = names.iter().map(String::as_str);
    let help = meant_or(name, known, &format!("they compute {}", names.join(", ")));
    Err(Error::rejection(
        Diagnostic::new(Code("E0201"), format!("no statement computes `{name}`")).help(help),
    ))
}

/// The operands of a statement that the caller gives.
fn given_operands(a: &Assignment, made: &[Read]) -> Vec<String> {
    let operands = a.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand).map(|(_, t)| &t.given);
    let mut all: Vec<String> = Vec::new();
    for name in operands.filter(|name| made.iter().all(|r| r.name != **name)) {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}
