//! Random schedules for a planned statement: loops in another order, parts of values in workspaces of every kind.

use super::TestRandom;
use crate::case::{Case, CaseOperand};
use crate::cineval::plan_unscheduled;
use openwork_index::cin::CinNames;
use openwork_index::{CinStmt, IndexExpr, IndexId, Program};

/// Gives a case one to three commands, each chosen from what the ones before made of the plan.
pub(super) fn add_schedule(mut case: Case, r: &mut TestRandom) -> Case {
    // A workspace takes factors out of sums, so infinities meet in another order; as with any order of a sum, what
    // comes of them differs.
    let values = |t: &CaseOperand| t.entries.iter().all(|(_, v)| v.is_finite()) && t.fill().is_finite();
    let finite = case.tensors.iter().all(values) && !["inf", "nan"].iter().any(|w| case.text.contains(w));
    for n in 0..r.pick_weighted(&[(45, 1), (40, 2), (15, 3)]) {
        let Ok(plan) = plan_unscheduled(&case) else { return case };
        let Some(command) = command(&plan.program, n, finite, r) else { return case };
        let more = if case.schedule.is_empty() { command } else { format!("{}; {command}", case.schedule) };
        case = Case { schedule: more, ..case };
    }
    case
}

fn command(p: &Program, n: usize, finite: bool, r: &mut TestRandom) -> Option<String> {
    let loops = loops(&p.body);
    if loops.is_empty() {
        return None;
    }
    let name = |v: &IndexId| p.indices[*v].name.clone();
    // Parts of a split loop are there to be exchanged.
    let split = n > 0 && loops.iter().any(|&v| p.indices[v].derived.is_some());
    let kind = if split && r.chance(70) { 0 } else { r.number_below(20) };
    Some(match kind {
        0..7 => {
            let mut vars: Vec<String> = loops.iter().map(name).collect();
            r.shuffle(&mut vars);
            vars.truncate(2 + r.number_below(3));
            format!("reorder({})", vars.join(","))
        }
        7..15 => return precompute(p, n, r).filter(|_| finite),
        17 => format!("gallop({})", name(&r.pick(&loops))),
        15..17 => format!("split({},s{n}a,s{n}b,{})", name(&r.pick(&loops)), 2 + r.number_below(3)),
        18 => format!("unroll({},{})", name(&r.pick(&loops)), 2 + r.number_below(3)),
        _ => format!("vectorize({})", name(&r.pick(&loops))),
    })
}

fn precompute(p: &Program, n: usize, r: &mut TestRandom) -> Option<String> {
    let names = CinNames { tensors: &p.tensors, indices: &p.indices };
    let all = p.body.assignments();
    let (lhs, _, rhs) = *all.get(r.number_below(all.len().max(1)))?;
    let mut parts: Vec<&IndexExpr> = Vec::new();
    rhs.visit(&mut |e| {
        if matches!(e, IndexExpr::Access(_) | IndexExpr::Call { .. }) {
            parts.push(e);
        }
    });
    // The text of a complex number is no expression.
    let complex = |e: &&IndexExpr| matches!(e, IndexExpr::Literal(s) if s.dtype().is_complex());
    parts.retain(|e| {
        let mut plain = true;
        e.visit(&mut |x| plain &= !complex(&x));
        plain
    });
    let part = *parts.get(r.number_below(parts.len().max(1)))?;
    let mut vars: Vec<IndexId> =
        part.free_vars().into_iter().filter(|v| p.indices[*v].derived.is_none()).collect();
    // Mostly those of the target, so that the rest is added up.
    vars.retain(|v| if lhs.vars.contains(v) { r.chance(85) } else { r.chance(40) });
    let vars: Vec<String> = vars.iter().map(|&v| p.indices[v].name.clone()).collect();
    let kept =
        ["", ", dense", ", bitmap", ", hash", ", list"][if vars.is_empty() { 0 } else { r.number_below(5) }];
    let (name, kept) =
        if r.chance(15) { (p.tensors[lhs.tensor].name.clone(), "") } else { (format!("w{n}"), kept) };
    let inner = if r.chance(10) && !name.starts_with('y') && !vars.is_empty() {
        format!(", {{{}}}", vars.iter().map(|v| format!("{v}{n}w")).collect::<Vec<_>>().join(","))
    } else {
        String::new()
    };
    Some(format!("precompute({}, {{{}}}{inner}, {name}{kept})", names.expr(part), vars.join(",")))
}

fn loops(s: &CinStmt) -> Vec<IndexId> {
    let mut out = Vec::new();
    s.visit(&mut |s| {
        if let CinStmt::Forall { index, .. } = s
            && !out.contains(index)
        {
            out.push(*index);
        }
    });
    out
}
