//! `bench plans`: how good the planner's choices are.
//!
//! Every case of a corpus (`corpus`, from the statements in `families` on the data in `data`) is compiled as it is and in
//! other ways that a user could write (`candidates`): operands or the result converted by statements of their own, other
//! loop orders, workspaces, two statements instead of one. All give the same result, which is checked, and every
//! conversion counts. A ratio is the chosen plan's time over that of the best way found, so 1 is as good as it gets. The
//! candidates know nothing of how the planner searches, and see what it does not look at.

mod candidates;
mod corpus;
mod data;
mod families;
mod formula;
mod measure;
#[cfg(test)]
mod tests;

use crate::Text;
use crate::timing::Effort;
use corpus::corpus;
use measure::{CaseOutcome, measure};

/// What is aimed at: the geometric mean of all ratios, the share of cases over [`FAR`], and the worst ratio.
const GOAL: (f64, f64, f64) = (1.15, 0.05, 4.0);
/// A plan that takes so many times as long as the best is far from it.
const FAR: f64 = 2.0;
/// From this ratio on, both plans are shown below the table.
const SHOWN: f64 = 1.5;

/// Runs every case whose name contains `filter`.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    println!("median ms, conversions included; ratio = chosen / best");
    println!("{:<64} {:>9} {:>9} {:>6}  best way", "case", "chosen", "best", "ratio");
    let mut done: Vec<(String, CaseOutcome)> = Vec::new();
    let mut wrong = 0;
    for case in corpus()?.iter().filter(|c| filter.is_none_or(|f| c.name.contains(f))) {
        let Some(outcome) = measure(case, effort)? else {
            println!("skipped: {}: its data is absent", case.name);
            continue;
        };
        let what = outcome.what.as_deref().unwrap_or("the chosen one");
        let numbers = format!("{:>9.4} {:>9.4} {:>6.2}", outcome.chosen, outcome.best, outcome.ratio());
        let counts = format!("{} ran, {} refused, {} stopped", outcome.ran, outcome.refused, outcome.stopped);
        println!("{:<64} {numbers}  {what} ({counts})", case.name);
        for difference in &outcome.wrong {
            println!("WRONG: {}: {difference}", case.name);
        }
        wrong += outcome.wrong.len();
        done.push((case.name.clone(), outcome));
    }
    summary(&mut done);
    if wrong > 0 { Err(format!("{wrong} ways gave another result than the chosen plan")) } else { Ok(()) }
}

fn summary(done: &mut [(String, CaseOutcome)]) {
    done.sort_by(|a, b| b.1.ratio().total_cmp(&a.1.ratio()));
    println!("\nplans over {SHOWN}:");
    for (name, outcome) in done.iter().filter(|(_, o)| o.ratio() > SHOWN) {
        let (part, [chosen, better]) = (100.0 * outcome.converting, outcome.estimated);
        println!("{:.2} {name}: {:.4} ms, {part:.0} % of it conversions", outcome.ratio(), outcome.chosen);
        println!("    chosen, kernel estimated {chosen:.4} ms: {}", outcome.plans[0]);
        println!("    {}, kernels estimated {better:.4} ms:", outcome.what.as_deref().unwrap_or_default());
        println!("        {}", outcome.plans[1]);
    }
    let count = done.len().max(1) as f64;
    let mean = (done.iter().map(|(_, o)| o.ratio().ln()).sum::<f64>() / count).exp();
    let far = done.iter().filter(|(_, o)| o.ratio() > FAR).count() as f64 / count;
    let worst = done.first().map_or(1.0, |(_, o)| o.ratio());
    let (goal_mean, goal_far, goal_worst) = GOAL;
    println!("\n{} cases", done.len());
    println!("geometric mean {mean:.3} (goal: at most {goal_mean})");
    println!("over {FAR}: {:.1} % (goal: at most {:.0} %)", far * 100.0, goal_far * 100.0);
    println!("worst {worst:.2} (goal: at most {goal_worst})");
}
