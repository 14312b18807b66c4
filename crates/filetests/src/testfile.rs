//! `.t` files: a statement with its operands, and what each stage makes of it.
//!
//! ```text
//! # SpMV
//! tensor A f64[3,4] csr = (0,1):2 (2,0):5
//! tensor x f64[4] dense = 1 1 1 1
//! dim k = 5
//! result y f64 dense             `result y[3] f64 dense` declares the shape as well
//! schedule unroll(j,2)
//! expr y(i) = A(i,j) * x(j)
//! > cin
//! forall i (y(i) = t) where (forall[unroll(2)] j t += A(i,j) * x(j))
//! > out
//! y = 2 0 5
//! ```
//! Statements before the last one, each with its `result` line above it, make operands of those below them, which read the
//! arrays that a kernel made. A format text with spaces stands in quotes. Data is a list of `(coordinates):value` or of all values, last mode
//! fastest. The sections `> cin`, `> lattice j`, `> graph`, `> variants`, `> in-place x`, `> loops`, `> out` and `> error E0203` are optional and in any order; what
//! stands under `> counts` beside each `> loops` is what one run of them does, and should not rise without a reason;
//! with the environment variable `BLESS` set they are rewritten. Whatever the sections, every evaluator must agree
//! with the oracle.

mod header;

use crate::case::Case;
use crate::cineval;
use crate::differential::{link_chain, wrong_result};
use crate::oracle::{self, OracleAnswer};
use crate::pipeline::Pipeline;
use openwork_algebra::Scalar;
use openwork_base::machine::is_tiny;
use openwork_base::{Error, Result};
use std::path::Path;

/// A test file in parts.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFile {
    /// Everything before the first section, as written.
    pub header: String,
    /// What it declares.
    pub case: Case,
    /// The sections in order: what stands after `>`, and the lines below.
    pub sections: Vec<(String, String)>,
}

impl TestFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// A message that names the line which is not of the grammar.
    ///
    /// ```
    /// use openwork_filetests::testfile::TestFile;
    /// let t = TestFile::parse("tensor x i64[2] dense = 1 2\nexpr a = x(i)\n> out\na = 3\n").unwrap();
    /// assert_eq!(t.case.tensors[0].entries.len(), 2);
    /// assert_eq!(t.sections, [("out".to_string(), "a = 3\n".to_string())]);
    /// ```
    pub fn parse(text: &str) -> std::result::Result<TestFile, String> {
        let start = if text.starts_with('>') { Some(0) } else { text.find("\n>").map(|n| n + 1) };
        let (header, rest) = text.split_at(start.unwrap_or(text.len()));
        let mut sections: Vec<(String, String)> = Vec::new();
        for line in rest.lines() {
            match (line.strip_prefix('>'), sections.last_mut()) {
                (Some(name), _) => sections.push((name.trim().to_string(), String::new())),
                (None, Some((_, body))) => {
                    body.push_str(line);
                    body.push('\n');
                }
                (None, None) => unreachable!("the rest starts with a section"),
            }
        }
        let case = header::case(header)?;
        Ok(TestFile { header: header.into(), case, sections })
    }
    fn text(&self) -> String {
        let mut out = self.header.clone();
        for (name, body) in &self.sections {
            out.push_str(&format!("> {name}\n{body}"));
        }
        out
    }
    /// The file with every section as `pipeline` makes it.
    ///
    /// # Errors
    /// What the evaluators disagree about, or an error that no section expects.
    pub fn actual(&self, pipeline: &dyn Pipeline) -> std::result::Result<TestFile, String> {
        let case =
            link_chain(&self.case, pipeline).map_err(|verdict| format!("a statement before: {verdict:?}"))?;
        let outcome = outcome(&case, pipeline)?;
        let mut actual = self.clone();
        let beside = |name| self.sections.iter().position(|(n, _)| n == name);
        if let (Some(at), None) = (beside("loops"), beside("counts")) {
            actual.sections.insert(at + 1, ("counts".into(), String::new()));
        }
        for (name, body) in &mut actual.sections {
            let made = section(name, body, &case, &outcome, pipeline)?;
            if let Some((new_name, text)) = made {
                *name = new_name;
                *body = text;
            }
        }
        if let (Err(e), false) = (&outcome, self.sections.iter().any(|(name, _)| name.starts_with("error"))) {
            return Err(format!("no section expects the error\n{e}"));
        }
        Ok(actual)
    }
}

/// The meaning of a case on which every evaluator agrees, or the error that everyone reports.
fn outcome(case: &Case, pipeline: &dyn Pipeline) -> std::result::Result<Result<OracleAnswer>, String> {
    let results = || -> Result<_> { Ok((pipeline.plan(case)?, pipeline.run(case)?)) };
    let ((plan, conversions), results) = match results() {
        Ok(both) => both,
        Err(e @ Error::Bug { .. }) => return Err(e.to_string()),
        Err(e) => return Ok(Err(e)),
    };
    let statement = case.statement().map_err(|e| e.to_string())?;
    let answer = oracle::evaluate(&statement, &case.inputs_converted(&conversions))
        .map_err(|why| format!("the oracle refuses what the checker accepts: {} {}", why.code, why.why))?;
    if let Some(wrong) = answer.mismatch(&cineval::values(case, &plan.program, &conversions)) {
        return Err(format!("CIN: {wrong}\n{}", plan.program));
    }
    for program in pipeline.programs_in_place(case).map_err(|e| e.to_string())? {
        if let Some(wrong) = answer.mismatch(&cineval::values(case, &program, &conversions)) {
            return Err(format!("in place: {wrong}\n{program}"));
        }
    }
    let graph = cineval::values_of_graph(case, &plan.program, &conversions);
    if let Some(wrong) = graph.and_then(|got| answer.mismatch(&got)) {
        return Err(format!("graph: {wrong}\n{}", plan.program));
    }
    for made in &results {
        if let Some(wrong) = wrong_result(&made.tensor, &answer) {
            return Err(format!("{}: {wrong}\n{}", made.by, plan.program));
        }
    }
    Ok(Ok(answer))
}

/// The name and text of a section as they should be; `None` where the pipeline has no such stage or the text holds.
fn section(
    name: &str,
    body: &str,
    case: &Case,
    outcome: &Result<OracleAnswer>,
    pipeline: &dyn Pipeline,
) -> std::result::Result<Option<(String, String)>, String> {
    let line = |text: String| format!("{}\n", text.trim_end());
    let (kind, argument) = name.split_once(' ').unwrap_or((name, ""));
    let stage = |text: Option<Result<String>>| match text {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some((name.to_string(), line(text)))),
        Some(Err(e)) => Err(e.to_string()),
    };
    match (kind, outcome) {
        ("error", Err(e)) => Ok(Some((format!("error {}", e.code()), line(e.to_string())))),
        ("error", Ok(_)) => Err("an error is expected, but everything went well".into()),
        ("cin", _) => stage(Some(pipeline.plan(case).map(|(plan, _)| plan.program.to_string()))),
        ("graph", _) => stage(pipeline.graph(case)),
        ("in-place", _) => stage(pipeline.in_place(case, argument.trim())),
        ("variants", _) => stage(pipeline.variants(case)),
        ("loops", _) => stage(pipeline.loops(case)),
        ("counts", _) => stage(pipeline.counts(case)),
        ("literals", _) => stage(pipeline.literals(case)),
        ("lattice", _) => stage(pipeline.lattice(case, argument.trim())),
        ("out", Ok(answer)) => {
            let left = case.result_name();
            let held = body.trim().strip_prefix(left).and_then(|rest| rest.trim_start().strip_prefix('='));
            let listed = held.and_then(|data| header::dense(data, answer.dtype, &answer.shape));
            match listed {
                Some(values) if answer.mismatch(&values).is_none() => Ok(None),
                _ => Ok(Some((name.to_string(), format!("{left} ={}\n", values(answer))))),
            }
        }
        ("out", Err(e)) => Err(e.to_string()),
        _ => Err(format!("there is no section `> {name}`")),
    }
}

/// All values where they are few, else those that are not zero with their coordinates.
fn values(answer: &OracleAnswer) -> String {
    let scalars: Vec<Scalar> = answer.values.iter().map(|v| v.value).collect();
    let zero = Scalar::zero(answer.dtype);
    let mostly_zero = scalars.iter().filter(|v| v.is_same(zero)).count() * 2 > scalars.len();
    if scalars.len() <= 8 || !mostly_zero {
        return scalars.iter().map(|v| format!(" {v}")).collect();
    }
    let mut out = String::new();
    for (flat, value) in scalars.iter().enumerate().filter(|(_, v)| !v.is_same(zero)) {
        let mut rest = flat;
        let mut at: Vec<String> =
            answer.shape.iter().rev().map(|d| ((rest % d).to_string(), rest /= d).0).collect();
        at.reverse();
        out.push_str(&format!(" ({}):{value}", at.join(",")));
    }
    out
}

/// Runs one file, or rewrites it when `BLESS` is set.
///
/// # Errors
/// What differs, as text.
pub fn run(path: &Path, pipeline: &dyn Pipeline) -> std::result::Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let file = TestFile::parse(&text)?;
    let actual = file.actual(pipeline)?;
    // Listings are those of the usual thresholds; with the lowest ones a file says what comes out.
    if is_tiny() {
        let results = |file: TestFile| -> Vec<_> {
            file.sections.into_iter().filter(|(name, _)| !is_listing(name)).collect()
        };
        return compare(&results(file), &results(actual));
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(path, actual.text()).map_err(|e| e.to_string());
    }
    if file.sections.len() != actual.sections.len() {
        return Err("there is no `> counts` beside `> loops` (BLESS=1 adds it)".into());
    }
    compare(&file.sections, &actual.sections)
}

/// Whether a section lists a stage, and not what comes out.
fn is_listing(name: &str) -> bool {
    !name.starts_with("out") && !name.starts_with("error")
}

fn compare(wanted: &[(String, String)], made: &[(String, String)]) -> std::result::Result<(), String> {
    for ((name, want), (new, got)) in wanted.iter().zip(made) {
        if name != new || want != got {
            return Err(format!("expected\n> {name}\n{want}but got\n> {new}\n{got}(BLESS=1 accepts it)"));
        }
    }
    Ok(())
}
