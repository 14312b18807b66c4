//! Explanations of compiled statements: what each was planned to do, in words and numbers for people.

use crate::choices::Choice;
use crate::computed::computed_indices;
use crate::discordant::discordant;
use crate::stages::Stages;
use openwork_index::cin::Storage;
use openwork_index::plan::Reason;
use openwork_index::{Access, Program, TensorId, TensorKind};
use openwork_lower::Lowered;
use openwork_lower::cost::{Cost, assumptions, estimate};
use openwork_planner::{Alternative, plain_format};
use std::fmt;

/// The plan of a statement, in words and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The statement with its sums written out.
    pub statement: String,
    /// Concrete index notation.
    pub cin: String,
    /// How every tensor is stored: name, format, and what it is.
    pub tensors: Vec<(String, String, &'static str)>,
    /// The iteration graph: what each loop runs over, and what is done there, a line each.
    pub loops: Vec<String>,
    /// How indices that are no variables are done: windows, positions, places.
    pub indices: Vec<String>,
    /// The choices that were made and why.
    pub reasons: Vec<Reason>,
    /// Accesses across the order in which a tensor is stored.
    pub discordant: Vec<String>,
    /// How runs are spread over threads where there is enough to do, or why they are not.
    pub parallel: String,
    /// Estimated work (about nanoseconds), bytes of temporaries, values of the result.
    pub cost: Cost,
    /// What nothing gives, and the estimates assume: sizes of index variables, and numbers of stored values.
    pub assumed: Vec<String>,
    /// The variants of the plan, in the order in which they are preferred.
    pub variants: Vec<Choice>,
    /// The other candidates that were compared.
    pub rejected: Vec<Alternative>,
}

impl Stages {
    /// About how many values the result stores, where it does not store all.
    pub(crate) fn result_values(&self) -> Option<usize> {
        let program = &self.plan.program;
        let sparse = !program.tensors[self.result()].format.is_full();
        sparse.then(|| estimate(program).stored as usize)
    }
    /// Explains what was planned, and why.
    ///
    /// ```
    /// use openwork::{DType, Decl, Decls, Format, FormatExt, Session};
    /// let csr = |rank| Format::parse("csr", rank);
    /// let mut decls = Decls::default();
    /// for name in ["A", "B", "C"] {
    ///     let dtype = Some(DType::F64);
    ///     decls.tensors.insert(name.into(), Decl { dtype, format: Some(csr(2)?), ..Decl::default() });
    /// }
    /// let stages = Session::global().stages("C(i,k) = A(i,j) * B(j,k)", &decls)?;
    /// let text = stages.explain().to_string();
    /// assert!(text.contains("sparse workspace"), "{text}");
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn explain(&self) -> Explanation {
        let program = &self.plan.program;
        let what = |kind| match kind {
            TensorKind::Operand => "operand",
            TensorKind::Result => "result",
            TensorKind::Temp => "temporary",
            TensorKind::Predicate => "set",
        };
        let mut mentioned: Vec<&Access> = Vec::new();
        for (lhs, _, rhs) in program.body.assignments() {
            for a in rhs.accesses().into_iter().chain([lhs]) {
                if !mentioned.iter().any(|b| b.tensor == a.tensor) {
                    mentioned.push(a);
                }
            }
        }
        mentioned.sort_by_key(|a| program.tensors[a.tensor].kind == TensorKind::Temp);
        let tensors = mentioned.iter().map(|a| {
            let t = &program.tensors[a.tensor];
            (t.name.clone(), stored_as(program, a, &self.lowered), what(t.kind))
        });
        Explanation {
            statement: self.statement.clone(),
            cin: self.cin(),
            tensors: tensors.collect(),
            loops: self.graph_text().lines().map(str::to_string).collect(),
            indices: computed_indices(program),
            reasons: self.plan.reasons.clone(),
            discordant: discordant(program),
            parallel: self.parallel(),
            cost: estimate(program),
            assumed: assumptions(program),
            variants: self.choices(),
            rejected: self.rejected.clone(),
        }
    }
}

/// The format of a tensor; a workspace by its kind.
fn stored_as(program: &Program, a: &Access, lowered: &Lowered) -> String {
    let t = &program.tensors[a.tensor];
    match t.kind {
        TensorKind::Temp if t.format.rank() == 0 => "a scalar".into(),
        TensorKind::Temp if t.format.is_dense() => "dense".into(),
        TensorKind::Temp => match lowered.storage().get(&a.tensor) {
            Some(Storage::Hash) => "sparse, filled by hashing".into(),
            Some(Storage::Marked) => "filled by position where the result may have an element".into(),
            Some(Storage::List) => "sparse, filled by position with a list".into(),
            Some(Storage::Bitmap | Storage::Dense) | None => {
                "sparse, filled by position with a tree of bits".into()
            }
        },
        TensorKind::Operand | TensorKind::Predicate => plain_format(&t.declared_format()).to_string(),
        TensorKind::Result => {
            format!("{}{}", plain_format(&t.declared_format()), lender_text(program, lowered))
        }
    }
}

/// Whose index arrays the result may share.
fn lender_text(program: &Program, lowered: &Lowered) -> String {
    let Some(lender) = &lowered.lender else { return String::new() };
    let name = |id: &TensorId| program.tensors[*id].name.clone();
    let others: Vec<String> = lender.others.iter().map(name).collect();
    let own = name(&lender.operand);
    match others.is_empty() {
        true => format!(", at the positions of {own}"),
        false => format!(", at the positions of {own} if {} stores the same", others.join(" and ")),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "statement\n  {}", self.statement)?;
        writeln!(f, "plan\n  {}", self.cin)?;
        writeln!(f, "loops")?;
        self.loops.iter().try_for_each(|l| writeln!(f, "  {l}"))?;
        if !self.indices.is_empty() {
            writeln!(f, "indices")?;
            self.indices.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        writeln!(f, "tensors")?;
        self.tensors.iter().try_for_each(|(name, format, what)| writeln!(f, "  {name}: {what}, {format}"))?;
        if !self.discordant.is_empty() {
            writeln!(f, "against the storage")?;
            self.discordant.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        writeln!(f, "threads\n  {}", self.parallel)?;
        writeln!(f, "estimates")?;
        writeln!(f, "  work       {}", time(self.cost.work))?;
        writeln!(f, "  temporary  {}", bytes(self.cost.memory))?;
        writeln!(f, "  result     about {} values", short(self.cost.stored))?;
        if !self.assumed.is_empty() {
            writeln!(f, "  assumed    {}, as nothing says another number", self.assumed.join(", "))?;
        }
        if !self.reasons.is_empty() {
            writeln!(f, "choices")?;
            self.reasons.iter().try_for_each(|r| writeln!(f, "  {r}"))?;
        }
        writeln!(f, "variants")?;
        for (variant, n) in self.variants.iter().zip(1..) {
            writeln!(f, "  {n}  {variant}")?;
        }
        if !self.rejected.is_empty() {
            writeln!(f, "compared with")?;
            let numbered = self.rejected.iter().zip(1..);
            numbered
                .into_iter()
                .try_for_each(|(a, n)| writeln!(f, "  {n}  {:>9}  {}", time(a.work), a.describe))?;
        }
        Ok(())
    }
}

/// `1.5 ms`: what an estimate comes to.
fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.1} s", ns / 1e9),
    }
}
fn bytes(n: f64) -> String {
    match n {
        n if n < 1e3 => format!("{n:.0} B"),
        n if n < 1e6 => format!("{:.1} kB", n / 1e3),
        n if n < 1e9 => format!("{:.1} MB", n / 1e6),
        n => format!("{:.1} GB", n / 1e9),
    }
}
fn short(n: f64) -> String {
    if n < 1e5 { format!("{n:.0}") } else { format!("{n:.1e}") }
}
