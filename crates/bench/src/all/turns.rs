//! Timing: everybody takes turns, in random order, and warms up before each.

use super::Text;
use crate::inputs::BenchRandom;
use crate::timing::median;
use crate::worker::PAUSE;
use std::time::{Duration, Instant};

/// Runs so many times, after others that are not timed, and returns the milliseconds of each.
pub type TimedRun<'a> = Box<dyn FnMut(usize, usize) -> Text<Vec<f64>> + 'a>;

/// Somebody who takes turns.
pub struct Contender<'a> {
    /// Who is meant.
    pub key: ContenderKey,
    pub threads: usize,
    pub turn: TimedRun<'a>,
}

/// Us, or a peer by its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContenderKey {
    Ours,
    Peer(String),
}

/// The shortest time and the median, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnTimes {
    pub min: f64,
    pub median: f64,
}

impl TurnTimes {
    fn from_samples(all: Vec<f64>) -> TurnTimes {
        TurnTimes { min: all.iter().copied().fold(f64::INFINITY, f64::min), median: median(all) }
    }
    /// The better of each.
    pub fn best_of(self, other: TurnTimes) -> TurnTimes {
        TurnTimes { min: self.min.min(other.min), median: self.median.min(other.median) }
    }
    /// How many times as long as another these took.
    pub fn ratio_to(self, other: TurnTimes) -> TurnTimes {
        TurnTimes { min: self.min / other.min, median: self.median / other.median }
    }
}

/// A turn is at least this long where runs are short, in milliseconds.
const TURN: f64 = 0.4;
/// Runs of more than so many milliseconds do not gain from a cache that is warm.
const LONG: f64 = 20.0;
/// Several threads work for so many milliseconds before they are timed: a processor that was idle comes half a millisecond
/// after it is called. Those who wait for all their threads have them after one run, and those who do not were timed alone.
const AWAKE: f64 = 1.5;
const ROUNDS: usize = 25;

/// Times everybody until the budget is used up. Everybody ran before, so the first pass counts where runs are long; short
/// runs have three more rounds at least, and those that take seconds one or none.
///
/// # Errors
/// When a run fails.
pub fn times(all: &mut [Contender], budget: Duration, random: &mut BenchRandom) -> Text<Vec<TurnTimes>> {
    let start = Instant::now();
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
    let mut counts = vec![(0, 0); all.len()];
    for n in shuffle_order(all.len(), random) {
        let once = median((all[n].turn)(0, 1)?);
        let runs = ((TURN / once.max(1e-6)).ceil() as usize).clamp(1, 50);
        counts[n] = (warm(once, all[n].threads), runs);
        if once >= LONG {
            found[n].push(once);
        }
    }
    let least = min_rounds(start.elapsed(), found.iter().any(Vec::is_empty));
    for round in 0..ROUNDS {
        if round >= least && start.elapsed() > budget {
            break;
        }
        for n in shuffle_order(all.len(), random) {
            let (warm, runs) = counts[n];
            found[n].extend((all[n].turn)(warm, runs)?);
            if all[n].threads > 1 {
                std::thread::sleep(PAUSE);
            }
        }
    }
    Ok(found.into_iter().map(TurnTimes::from_samples).collect())
}

/// Runs before those that are timed, where one takes so long.
fn warm(once: f64, threads: usize) -> usize {
    match threads {
        _ if once >= LONG => 0,
        1 => 1,
        _ => ((AWAKE / once.max(1e-6)).ceil() as usize).clamp(1, 200),
    }
}

/// Rounds after a first pass that took so long; one at least where somebody was too fast for it.
fn min_rounds(pass: Duration, fast: bool) -> usize {
    match pass.as_secs() {
        0 => 3,
        1..=5 => 2,
        6..=15 => 1,
        _ => usize::from(fast),
    }
}

fn shuffle_order(count: usize, random: &mut BenchRandom) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for n in (1..count).rev() {
        order.swap(n, random.number_below(n + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_threads_work_until_all_are_there() {
        assert_eq!(
            [warm(LONG, 2), warm(0.1, 1), warm(0.1, 2), warm(19.0, 2), warm(0.0, 2)],
            [0, 1, 15, 1, 200]
        );
    }

    #[test]
    fn everybody_takes_turns() {
        let candidate = |key: ContenderKey, ms: f64| {
            let turn: TimedRun = Box::new(move |_, times| Ok(vec![ms; times]));
            Contender { key, threads: 1, turn }
        };
        let mut all = [candidate(ContenderKey::Ours, 1.0), candidate(ContenderKey::Peer("x.f".into()), 30.0)];
        let times = times(&mut all, Duration::ZERO, &mut BenchRandom(1)).expect("nothing fails");
        assert_eq!(times[1].ratio_to(times[0]), TurnTimes { min: 30.0, median: 30.0 });
        let mut order = shuffle_order(9, &mut BenchRandom(2));
        order.sort_unstable();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
    }
}
