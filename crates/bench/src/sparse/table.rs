//! Results that are compared, and the table of their times.

use super::compare::ComparisonTimes;
pub use crate::sums::WeightedSums;

/// Whether a peer sorts the columns of each row of its result, as ours do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    Sorted,
    Any,
}

/// A peer in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerColumn {
    pub label: &'static str,
    /// The library and its operation, as `worker.py` names them.
    pub op: &'static str,
    pub threads: usize,
    pub order: ColumnOrder,
}

/// A column whose result is sorted or dense.
pub const fn sorted_column(label: &'static str, op: &'static str, threads: usize) -> PeerColumn {
    PeerColumn { label, op, threads, order: ColumnOrder::Sorted }
}
/// A column whose result is in no order.
pub const fn unsorted_column(label: &'static str, op: &'static str, threads: usize) -> PeerColumn {
    PeerColumn { label, op, threads, order: ColumnOrder::Any }
}

/// The rows so far of one kernel.
pub struct PeerTable {
    kernel: String,
    columns: Vec<PeerColumn>,
    rows: Vec<(String, [ComparisonTimes; 2])>,
}

impl PeerTable {
    /// An empty table.
    pub fn new(kernel: &str, columns: &[PeerColumn]) -> PeerTable {
        PeerTable { kernel: kernel.into(), columns: columns.to_vec(), rows: Vec::new() }
    }
    /// Adds a row, medians and shortest times, and prints it.
    pub fn row(&mut self, name: &str, times: [ComparisonTimes; 2]) {
        if self.rows.is_empty() {
            print!("\n{:<30}", self.kernel);
            times[0].ours.iter().for_each(|(threads, _)| print!(" {:>10}", format!("{threads}T ms")));
            self.columns.iter().for_each(|c| print!(" {:>9}", format!("{}:{}", c.label, c.threads)));
            println!();
        }
        self.line(name, &times[0]);
        self.line("  shortest", &times[1]);
        self.rows.push((name.into(), times));
    }
    fn line(&self, name: &str, times: &ComparisonTimes) {
        print!("{name:<30}");
        times.ours.iter().for_each(|(_, ms)| print!(" {ms:>10.3}"));
        self.columns.iter().for_each(|c| print!(" {:>9}", show(times.ratio(c))));
        println!();
    }
    /// Prints geometric means by column, and against the best peer of each row.
    pub fn finish(&self) {
        if self.rows.iter().all(|(_, t)| t[0].peers.is_empty()) {
            return;
        }
        self.means("geometric mean", 0);
        self.means("  of the shortest", 1);
    }
    /// The means of medians (0) or of shortest times (1).
    fn means(&self, title: &str, which: usize) {
        let rows: Vec<(&str, &ComparisonTimes)> =
            self.rows.iter().map(|(n, t)| (n.as_str(), &t[which])).collect();
        let width = 30 + 11 * rows[0].1.ours.len();
        print!("{title:<width$}");
        for column in &self.columns {
            print!(" {:>9}", show(mean(rows.iter().filter_map(|(_, t)| t.ratio(column)))));
        }
        println!();
        for (threads, _) in &rows[0].1.ours {
            against_best(&rows, *threads, "best sorted peer", |c| c.order == ColumnOrder::Sorted);
            if self.columns.iter().any(|c| c.order == ColumnOrder::Any) {
                against_best(&rows, *threads, "best peer", |_| true);
            }
        }
    }
}

fn show(ratio: Option<f64>) -> String {
    ratio.map_or("-".into(), |r| format!("{r:.2}x"))
}

/// One line on the best peer of each row, on no more threads than ours.
fn against_best(
    rows: &[(&str, &ComparisonTimes)],
    threads: usize,
    what: &str,
    fair: impl Fn(&PeerColumn) -> bool,
) {
    let best = |t: &ComparisonTimes| t.best(threads, &fair);
    let Some(mean) = mean(rows.iter().filter_map(|(_, t)| best(t).map(|b| b.1))) else { return };
    let all = rows.iter().filter_map(|(name, t)| best(t).map(|(c, ratio)| (name, c, ratio)));
    let worst = all.min_by(|a, b| a.2.total_cmp(&b.2));
    let s = if threads == 1 { "" } else { "s" };
    print!("  {threads} thread{s} against the {what}: {mean:.2}x");
    if let Some((name, column, ratio)) = worst {
        print!("; least {ratio:.2}x, {} on {name}", column.label);
    }
    println!();
}

/// The geometric mean, if there is anything to take it of.
pub fn mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
