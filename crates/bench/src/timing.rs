//! Interleaved timing.

use std::time::{Duration, Instant};

/// How many rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few: to see that everything runs.
    Quick,
    /// Enough for stable medians.
    Full,
    /// As many as there is time for: for profilers.
    Long,
}

/// Something that can be timed; it returns the time that counts.
pub type TimedSubject<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// What this thread has computed so far. Time in which others had its core does not count: on a busy machine a call that
/// is longer than a time slice is always interrupted, and a shorter one seldom.
pub fn cpu_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a `timespec` that is written to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Runs the subjects in turns and returns the median of each, in milliseconds.
pub fn interleave(subjects: &mut [TimedSubject<'_>], effort: Effort) -> Vec<f64> {
    rounds(subjects, effort).into_iter().map(median).collect()
}

/// Runs the subjects in turns and returns the times of each, in milliseconds.
pub fn rounds(subjects: &mut [TimedSubject<'_>], effort: Effort) -> Vec<Vec<f64>> {
    let (rounds, budget) = match effort {
        Effort::Quick => (3, Duration::from_secs(1)),
        Effort::Full => (41, Duration::from_secs(6)),
        Effort::Long => (usize::MAX, Duration::from_secs(8)),
    };
    rounds_within(subjects, rounds, budget)
}

/// Runs the subjects in turns, so many times or, after a few, until the budget is used up; returns the times of each, in
/// milliseconds.
pub fn rounds_within(subjects: &mut [TimedSubject<'_>], rounds: usize, budget: Duration) -> Vec<Vec<f64>> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); subjects.len()];
    let start = Instant::now();
    for round in 0..rounds {
        for (subject, times) in subjects.iter_mut().zip(&mut times) {
            let time = subject().as_secs_f64() * 1e3;
            // The first round warms caches and page tables.
            if round > 0 {
                times.push(time);
            }
        }
        if round >= 3 && start.elapsed() > budget {
            break;
        }
    }
    times
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
