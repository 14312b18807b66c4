//! Other ways to compute a statement, as a user could write them.
//!
//! Nothing here knows how the planner finds its ways: operands and results are converted by statements of their own, a
//! statement is split in two, and schedules order loops and ask for workspaces. So what the planner does not even look at
//! is compared as well.

use super::corpus::PlanCase;
use super::formula::{Formula, FormulaAccess, FormulaNode};
use crate::inputs::BenchRandom;

/// A statement of a way, and what its result is stored as.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateStep {
    pub formula: Formula,
    /// Commands; none leave the statement to the planner.
    pub schedule: String,
    /// `None` is the format of the chosen plan's result.
    pub format: Option<String>,
}

/// Statements that compute the same, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanCandidate {
    pub what: String,
    pub steps: Vec<CandidateStep>,
}

/// The most candidates that are looked at, refused ones included.
const LOOKED_AT: usize = 72;
/// Combinations of several changes that are drawn.
const DRAWN: usize = 60;
/// How a workspace can be kept.
const KINDS: [&str; 4] = ["dense", "bitmap", "hash", "list"];

/// The likelier formats for a tensor of so many modes, and others.
fn formats(rank: usize) -> [&'static [&'static str]; 2] {
    match rank {
        0 => [&[], &[]],
        1 => [&["dense", "sv", "bitmap"], &["hash"]],
        2 => [&["csr", "csc", "dense"], &["coo", "dcsr", "dcsc", "hash", "bitmap"]],
        _ => [&["csf", "sss:0,2,1", "sss:1,0,2", "sss:1,2,0", "sss:2,0,1", "sss:2,1,0"], &["coo", "dense"]],
    }
}

/// Changes to a statement.
#[derive(Clone, Debug, Default)]
struct StatementChanges {
    /// Accesses, by number, that read their tensor in another format.
    converted: Vec<(usize, &'static str)>,
    /// The number of a split, and the format of what is between.
    split: Option<(usize, &'static str)>,
    /// Loops of the last statement, in this order.
    order: Option<Vec<char>>,
    /// The number of a part, the variables of the workspace for it, and how it is kept.
    workspace: Option<(usize, Vec<char>, &'static str)>,
    /// What the result is computed in.
    result: Option<&'static str>,
    distributed: bool,
}

/// Candidates for a case, the same for the same seed: of every class in turn.
pub fn candidates(case: &PlanCase, seed: u64) -> Vec<PlanCandidate> {
    let name = case.name.bytes().fold(seed, |h, b| h.wrapping_mul(0x0100_0000_01b3) ^ u64::from(b));
    let mut e = Enumerator { case, random: BenchRandom(name) };
    let mut classes = [
        e.convert_operand(),
        e.split(),
        e.converted_twice(),
        e.order_loops(),
        e.draw_changes(),
        e.with_workspaces(),
        e.other_results(),
        e.draw_changes(),
    ];
    classes.iter_mut().for_each(|c| c.reverse());
    let mut out: Vec<PlanCandidate> = Vec::new();
    while out.len() < LOOKED_AT && classes.iter().any(|c| !c.is_empty()) {
        for class in &mut classes {
            let Some(way) = class.pop() else { continue };
            let made = e.candidate(&way);
            if out.iter().all(|known| known.steps != made.steps) {
                out.push(made);
            }
        }
    }
    out.truncate(LOOKED_AT);
    out
}

struct Enumerator<'a> {
    case: &'a PlanCase,
    random: BenchRandom,
}

impl Enumerator<'_> {
    fn accesses(&self) -> Vec<FormulaAccess> {
        self.case.formula.rhs.accesses().into_iter().cloned().collect()
    }
    fn shuffle<T>(&mut self, mut all: Vec<T>) -> Vec<T> {
        for at in (1..all.len()).rev() {
            all.swap(at, self.random.number_below(at + 1));
        }
        all
    }
    fn choose_any<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.random.number_below(all.len())].clone())
    }
    /// Other formats for an access, of the likelier or the other kind.
    fn other_formats(&self, n: usize, kind: usize) -> Vec<(usize, &'static str)> {
        let access = &self.accesses()[n];
        let given = self.case.operands.iter().find(|o| o.name == access.name).map(|o| o.format.as_str());
        formats(access.vars.len())[kind].iter().filter(|f| Some(**f) != given).map(|f| (n, *f)).collect()
    }
    /// One operand in another format.
    fn convert_operand(&mut self) -> Vec<StatementChanges> {
        let mut out = Vec::new();
        for kind in 0..2 {
            let all = (0..self.accesses().len()).flat_map(|n| self.other_formats(n, kind)).collect();
            for change in self.shuffle(all) {
                out.push(StatementChanges { converted: vec![change], ..StatementChanges::default() });
                let order = Some(self.case.formula.vars().into_iter().take(1).collect());
                out.push(StatementChanges { converted: vec![change], order, ..StatementChanges::default() });
            }
        }
        out
    }
    /// Two operands in other formats.
    fn converted_twice(&mut self) -> Vec<StatementChanges> {
        let count = self.accesses().len();
        let mut out = Vec::new();
        for a in 0..count {
            for b in a + 1..count {
                for first in self.other_formats(a, 0) {
                    let second = self.other_formats(b, 0).into_iter();
                    out.extend(second.map(|s| StatementChanges {
                        converted: vec![first, s],
                        ..StatementChanges::default()
                    }));
                }
            }
        }
        self.shuffle(out)
    }
    /// A part first, in a statement of its own.
    fn split(&mut self) -> Vec<StatementChanges> {
        let splits = self.case.formula.splits();
        let mut out = Vec::new();
        if self.case.formula.distribute().is_some() {
            out.push(StatementChanges { distributed: true, ..StatementChanges::default() });
        }
        for kind in 0..2 {
            let mut all = Vec::new();
            for (n, split) in splits.iter().enumerate() {
                let rank = split.first.target.vars.len();
                let named: &[&'static str] = if rank == 0 { &["dense"] } else { formats(rank)[kind] };
                all.extend(
                    named
                        .iter()
                        .map(|f| StatementChanges { split: Some((n, *f)), ..StatementChanges::default() }),
                );
            }
            out.extend(self.shuffle(all));
        }
        out
    }
    /// The statement as it is, in every order of its loops.
    fn order_loops(&mut self) -> Vec<StatementChanges> {
        let all = permutations(&self.case.formula.vars());
        let ways = all
            .into_iter()
            .map(|order| StatementChanges { order: Some(order), ..StatementChanges::default() })
            .collect();
        self.shuffle(ways)
    }
    /// The result in another format, and converted.
    fn other_results(&mut self) -> Vec<StatementChanges> {
        let given = self.case.result.as_deref();
        let [likely, other] = formats(self.case.formula.target.vars.len()).map(|kind| {
            let others = kind.iter().filter(|f| Some(**f) != given);
            others.map(|f| StatementChanges { result: Some(*f), ..StatementChanges::default() }).collect()
        });
        [self.shuffle::<StatementChanges>(likely), self.shuffle(other)].concat()
    }
    /// A part in a workspace, in any order of the loops.
    fn with_workspaces(&mut self) -> Vec<StatementChanges> {
        let orders = permutations(&self.case.formula.vars());
        let mut out = Vec::new();
        for order in orders {
            for workspace in self.workspaces() {
                out.push(StatementChanges {
                    order: Some(order.clone()),
                    workspace: Some(workspace),
                    ..StatementChanges::default()
                });
            }
        }
        self.shuffle(out)
    }
    fn workspaces(&self) -> Vec<(usize, Vec<char>, &'static str)> {
        let mut out = Vec::new();
        for (n, (_, vars)) in self.case.formula.parts().into_iter().enumerate() {
            let mut over: Vec<Vec<char>> = vars.iter().map(|&v| vec![v]).collect();
            if vars.len() == 2 {
                over.push(vars);
            }
            out.extend(over.into_iter().flat_map(|vars| KINDS.map(|kind| (n, vars.clone(), kind))));
        }
        out
    }
    /// Several changes together.
    fn draw_changes(&mut self) -> Vec<StatementChanges> {
        let (orders, workspaces) = (permutations(&self.case.formula.vars()), self.workspaces());
        let splits = self.case.formula.splits();
        let mut out = Vec::new();
        for _ in 0..DRAWN {
            let mut way = StatementChanges::default();
            for n in 0..self.accesses().len() {
                if self.random.number_below(2) == 0 {
                    let kind = usize::from(self.random.number_below(5) == 0);
                    let others = self.other_formats(n, kind);
                    way.converted.extend(self.choose_any(&others));
                }
            }
            match self.random.number_below(4) {
                0 => way.order = self.choose_any(&orders),
                1 => (way.order, way.workspace) = (self.choose_any(&orders), self.choose_any(&workspaces)),
                2 if !splits.is_empty() => {
                    let n = self.random.number_below(splits.len());
                    let between = self.choose_any(formats(splits[n].first.target.vars.len())[0]);
                    way.split = Some((n, between.unwrap_or("dense")));
                }
                _ => {}
            }
            if self.random.number_below(4) == 0 {
                way.result = self.choose_any(formats(self.case.formula.target.vars.len())[0]);
            }
            out.push(way);
        }
        out
    }
    /// What a way comes to, in statements.
    fn candidate(&self, way: &StatementChanges) -> PlanCandidate {
        let (mut steps, mut said) = (Vec::new(), Vec::new());
        let distributed = self.case.formula.distribute().filter(|_| way.distributed);
        said.extend(distributed.iter().map(|_| "distributed".to_string()));
        let mut formula = distributed.unwrap_or_else(|| self.case.formula.clone());
        for (at, &(n, format)) in way.converted.iter().enumerate() {
            let source = formula.rhs.accesses()[n].clone();
            let copy = FormulaAccess { name: format!("{}_{at}", source.name), vars: source.vars.clone() };
            said.push(format!("{source} as {format}"));
            formula = formula.rename(n, &copy.name);
            steps.push(CandidateStep::plan(copy, FormulaNode::Access(source), Some(format)));
        }
        let parts = formula.parts();
        if let Some((n, format)) = way.split {
            let split = formula.splits().swap_remove(n);
            said.push(format!("{} in {format} first", split.first));
            steps.push(CandidateStep {
                formula: split.first,
                schedule: String::new(),
                format: Some(format.into()),
            });
            formula = split.rest;
        }
        let mut commands = Vec::new();
        if let Some(order) = &way.order {
            commands.push(format!("reorder({})", list_vars(order)));
        }
        if let Some((part, vars, kind)) = &way.workspace {
            commands.push(format!("precompute({}, {{{}}}, w_0, {kind})", parts[*part].0, list_vars(vars)));
        }
        let schedule = commands.join("; ");
        said.extend((!schedule.is_empty()).then(|| schedule.clone()));
        let target = formula.target.clone();
        if let Some(format) = way.result {
            said.push(format!("result as {format}"));
            formula.target.name += "_0";
            let made = formula.target.clone();
            steps.push(CandidateStep { formula, schedule, format: Some(format.into()) });
            steps.push(CandidateStep::plan(target, FormulaNode::Access(made), None));
        } else {
            steps.push(CandidateStep { formula, schedule, format: None });
        }
        let what = if said.is_empty() { "as it is".into() } else { said.join("; ") };
        PlanCandidate { what, steps }
    }
}

impl CandidateStep {
    fn plan(target: FormulaAccess, rhs: FormulaNode, format: Option<&str>) -> CandidateStep {
        let formula = Formula { target, rhs };
        CandidateStep { formula, schedule: String::new(), format: format.map(str::to_string) }
    }
}

fn list_vars(vars: &[char]) -> String {
    vars.iter().map(char::to_string).collect::<Vec<_>>().join(",")
}

/// Every order of up to four variables; of more, those that begin with the first ones moved to the front.
fn permutations(vars: &[char]) -> Vec<Vec<char>> {
    if vars.len() > 4 {
        let front = |n: usize| [&vars[n..=n], &vars[..n], &vars[n + 1..]].concat();
        return (0..vars.len()).map(front).collect();
    }
    let mut out = vec![Vec::new()];
    for _ in vars {
        let longer = |p: Vec<char>| -> Vec<Vec<char>> {
            let left = vars.iter().filter(|v| !p.contains(v));
            left.map(|v| [&p[..], &[*v]].concat()).collect()
        };
        out = out.into_iter().flat_map(longer).collect();
    }
    out
}
