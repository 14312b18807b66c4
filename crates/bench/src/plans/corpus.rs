//! The corpus: every statement in every one of its ways of storing, on kinds of data in turn.

use super::Text;
use super::data::{RECTANGLES, Weight, kinds};
use super::families::{FAMILIES, StatementFamily};
use super::formula::Formula;

/// An operand of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusOperand {
    pub name: String,
    pub vars: Vec<char>,
    pub format: String,
}

/// One statement on one kind of data.
pub struct PlanCase {
    pub name: String,
    pub formula: Formula,
    pub operands: Vec<CorpusOperand>,
    /// The format of the result; the planner's where it is absent.
    pub result: Option<String>,
    pub weight: Weight,
    /// The name of its data.
    pub data: &'static str,
}

/// Kinds of data for each way of storing: two for the first way of a statement, one for the others.
const FIRST: usize = 1;

/// Every case on generated data, then those on real data.
pub fn corpus() -> Text<Vec<PlanCase>> {
    let mut out = Vec::new();
    for (n, family) in FAMILIES.iter().enumerate() {
        let mut turn = n;
        for (way, stored) in family.stored.iter().enumerate() {
            let suited = suitable_formats(family, stored);
            let times = if way < FIRST { 2.min(suited.len()) } else { 1 };
            for _ in 0..times {
                out.push(case(family, stored, suited[turn % suited.len()])?);
                turn += 1;
            }
        }
    }
    // Every other statement, so that the whole takes less than half an hour.
    let real = FAMILIES.iter().enumerate().step_by(2);
    for (n, family) in real.filter(|(_, f)| f.data.is_empty()) {
        let real = kinds(family.weight, true);
        out.push(case(family, family.stored[0], real[n / 2 % real.len()])?);
    }
    Ok(out)
}

fn suitable_formats(family: &StatementFamily, stored: &str) -> Vec<&'static str> {
    let only = stored.split_once('@').map(|(_, kind)| kind.trim());
    let others = RECTANGLES.iter().map(|r| r.0).filter(|r| family.data.contains(r));
    let all: Vec<&'static str> = kinds(family.weight, false).into_iter().chain(others).collect();
    let fits = |kind: &&str| match only {
        Some(only) => *kind == only,
        None => family.data.is_empty() || family.data.contains(kind),
    };
    all.into_iter().filter(fits).collect()
}

fn case(family: &StatementFamily, stored: &str, data: &'static str) -> Text<PlanCase> {
    let stored = stored.split('@').next().unwrap_or_default().trim();
    let formula = Formula::parse(family.statement)?;
    let (operands, result) = stored.split_once(" -> ").ok_or(format!("no result in {stored}"))?;
    let mut formats = operands.split(' ');
    let mut all: Vec<CorpusOperand> = Vec::new();
    for access in formula.rhs.accesses() {
        if all.iter().all(|o| o.name != access.name) {
            let format = formats.next().ok_or(format!("{}: too few formats in {stored}", family.name))?;
            let (name, vars) = (access.name.clone(), access.vars.clone());
            all.push(CorpusOperand { name, vars, format: format.into() });
        }
    }
    let name = format!("{}, {}, {data}", family.name, stored.replace(" -> ", ">").replace(' ', "*"));
    let result = (result != "?").then(|| result.to_string());
    Ok(PlanCase { name, formula, operands: all, result, weight: family.weight, data })
}
