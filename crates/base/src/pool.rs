//! A small pool of threads: fork and join in a few microseconds.
//!
//! One piece of work is under way at a time. Its tasks are numbered and taken in order by whoever is free, the caller
//! included, so that the caller never waits for a thread that has not started: where no thread can be had, or another
//! caller has the pool, or a task itself asks for more, the caller does everything alone.
//!
//! ```text
//! caller    publish ─ task 0 ─ task 2 ─ … ─ wait until every task is done
//! worker         └──── task 1 ─ task 3 ─ … ─ look for more for a moment, then sleep
//! ```

use crate::cancel::{Cancel, cancel_error};
use crate::diag::Result;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rounds of looking before a thread lets others go first in each: some 20 microseconds.
const SPINS: usize = 2000;
/// How long it looks before it sleeps. A processor of a virtual machine that was idle wakes up as late as half a millisecond
/// after it is called: of pairs of calls that take a millisecond on two threads, half of the second ones had one.
const AWAKE: Duration = Duration::from_micros(500);

/// A thread that gives way and has its processor back later than this stood behind somebody else's work.
const CROWDED: Duration = Duration::from_micros(50);
/// For how long afterwards nobody gives way. A thread that sleeps is let in as soon as it is woken, where one that gave
/// way has to wait for everybody's turn: with two other processes on two processors, calls of two threads took 1.7 times
/// as long as those of one.
const REMEMBERED: Duration = Duration::from_millis(200);

/// When the processors were last seen to be wanted by others.
#[derive(Default)]
struct Crowd(Mutex<Option<Instant>>);

impl Crowd {
    fn is_near(&self) -> bool {
        lock(&self.0).is_some_and(|seen| seen.elapsed() < REMEMBERED)
    }
    /// Looks until something is so, for a while; whoever else wants the processor has it meanwhile.
    fn look_for(&self, something: impl Fn() -> bool) {
        for _ in 0..SPINS {
            if something() {
                return;
            }
            std::hint::spin_loop();
        }
        if self.is_near() {
            return;
        }
        let start = Instant::now();
        let mut before = start;
        while !something() && before.duration_since(start) < AWAKE {
            std::thread::yield_now();
            let now = Instant::now();
            if now.duration_since(before) > CROWDED {
                *lock(&self.0) = Some(now);
                return;
            }
            before = now;
        }
    }
}

/// Work that is cut into numbered tasks.
struct PoolJob {
    /// What runs a task. The lifetime is a lie: see [`run`].
    body: &'static (dyn Fn(usize) + Sync),
    /// How many tasks there are.
    count: usize,
    /// The next task that nobody has taken.
    next: AtomicUsize,
    /// Tasks that have ended.
    done: AtomicUsize,
    /// Whether the caller sleeps until they have, or is about to.
    awaited: AtomicBool,
    /// Workers that may still join.
    seats: AtomicUsize,
    /// What the first task that panicked said.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

#[derive(Default)]
struct PoolState {
    /// The work under way.
    job: Option<Arc<PoolJob>>,
    /// Threads that were started.
    workers: usize,
    /// Those of them that sleep, whom only the kernel can wake: that takes longer than a small job.
    asleep: usize,
}

struct Pool {
    state: Mutex<PoolState>,
    /// Counts the jobs, so that a worker sees a new one without the lock.
    epoch: AtomicUsize,
    /// Wakes workers for a new job.
    work: Condvar,
    /// Wakes the caller when every task is done.
    done: Condvar,
    /// Held by the caller that has the pool.
    caller: Mutex<()>,
    crowd: Crowd,
}

static POOL: Pool = Pool {
    state: Mutex::new(PoolState { job: None, workers: 0, asleep: 0 }),
    epoch: AtomicUsize::new(0),
    work: Condvar::new(),
    done: Condvar::new(),
    caller: Mutex::new(()),
    crowd: Crowd(Mutex::new(None)),
};

thread_local! {
    /// Whether this thread is running a task.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A lock whose holder panicked guards counters that are whole at any time.
fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `body(0)`, …, `body(count - 1)`, each once, on up to `threads` threads, and returns when all have ended. Tasks
/// are begun in order.
///
/// # Panics
/// When a task panics, after all others have ended.
pub fn run(count: usize, threads: usize, body: &(dyn Fn(usize) + Sync)) {
    let helpers = threads.min(count).saturating_sub(1);
    let free = POOL.caller.try_lock();
    let alone = helpers == 0 || INSIDE.get() || free.is_err();
    if alone {
        // Tasks of a caller that is alone may use the pool themselves once it is free.
        drop(free);
        one_by_one(count, body);
        return;
    }
    // SAFETY: the reference is only used to run a task that was taken while `next < count`, each of which counts in
    // `done` after its end; this function does not return, not even by a panic, before all of them are counted. Workers
    // that still hold the job afterwards find `next >= count` and do not touch it.
    let body =
        unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(body) };
    let job = Arc::new(PoolJob {
        body,
        count,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        awaited: AtomicBool::new(false),
        seats: AtomicUsize::new(helpers),
        panic: Mutex::new(None),
    });
    POOL.publish(&job, helpers);
    job.take_part();
    POOL.wait(&job);
    let panic = lock(&job.panic).take();
    drop(free);
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// As [`run`], for work that its caller may be asked to stop: tasks that have not begun are left out then.
///
/// # Errors
/// `E0606` when some were.
pub fn heed(count: usize, threads: usize, body: &(dyn Fn(usize) + Sync)) -> Result<()> {
    let cancel = Cancel::current();
    run(count, threads, &|n| {
        let go_on = cancel.scope(Cancel::check).is_ok();
        if go_on {
            body(n);
        }
    });
    if cancel.is_cancelled() { Err(cancel_error()) } else { Ok(()) }
}

/// Runs all tasks on this thread; the first panic goes on once all have ended, as it does where others help.
fn one_by_one(count: usize, body: &(dyn Fn(usize) + Sync)) {
    let mut first = None;
    for n in 0..count {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(n))) {
            first.get_or_insert(panic);
        }
    }
    if let Some(panic) = first {
        resume_unwind(panic);
    }
}

impl PoolJob {
    /// Runs tasks as long as there are any.
    fn take_part(&self) {
        loop {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            if n >= self.count {
                return;
            }
            INSIDE.set(true);
            let ended = catch_unwind(AssertUnwindSafe(|| (self.body)(n)));
            INSIDE.set(false);
            if let Err(panic) = ended {
                lock(&self.panic).get_or_insert(panic);
            }
            // In one order with the caller's note and look: one of the two sees what the other did.
            let all = self.done.fetch_add(1, Ordering::SeqCst) + 1 == self.count;
            if all && self.awaited.load(Ordering::SeqCst) {
                // Under the lock, so that the caller cannot miss it between its look and its sleep.
                let _state = lock(&POOL.state);
                POOL.done.notify_all();
            }
        }
    }
    fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst) == self.count
    }
    /// Whether one more worker may join.
    fn seat(&self) -> bool {
        self.seats.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
    }
}

impl Pool {
    /// Shows the workers a job; starts those that are missing.
    fn publish(&'static self, job: &Arc<PoolJob>, helpers: usize) {
        let mut state = lock(&self.state);
        while state.workers < helpers {
            let name = format!("openwork-{}", state.workers + 1);
            let epoch = self.epoch.load(Ordering::Relaxed);
            match std::thread::Builder::new().name(name).spawn(move || self.serve(epoch)) {
                Ok(_) => state.workers += 1,
                // Whoever is there does the work.
                Err(_) => break,
            }
        }
        state.job = Some(job.clone());
        self.epoch.fetch_add(1, Ordering::Release);
        let asleep = state.asleep;
        // Those that look for work take the lock at once.
        drop(state);
        (0..asleep.min(helpers)).for_each(|_| self.work.notify_one());
    }
    /// Waits until every task of a job has ended, and takes it away.
    fn wait(&self, job: &PoolJob) {
        self.crowd.look_for(|| job.is_done());
        let mut state = lock(&self.state);
        job.awaited.store(true, Ordering::SeqCst);
        while !job.is_done() {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
    }
    /// The life of a worker, from the job after number `seen` on.
    fn serve(&self, mut seen: usize) {
        loop {
            self.crowd.look_for(|| self.epoch.load(Ordering::Acquire) != seen);
            let job = {
                let mut state = lock(&self.state);
                while self.epoch.load(Ordering::Acquire) == seen {
                    state.asleep += 1;
                    state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.asleep -= 1;
                }
                seen = self.epoch.load(Ordering::Acquire);
                state.job.clone()
            };
            if let Some(job) = job.filter(|j| j.seat()) {
                job.take_part();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of `count` tasks runs.
    fn visits(count: usize, threads: usize) -> Vec<usize> {
        let seen: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
        run(count, threads, &|n| {
            seen[n].fetch_add(1, Ordering::Relaxed);
        });
        seen.into_iter().map(AtomicUsize::into_inner).collect()
    }

    #[test]
    fn every_task_runs_once() {
        for threads in [0, 1, 2, 3, 8] {
            for count in [0, 1, 2, 7, 1000] {
                assert_eq!(visits(count, threads), vec![1; count], "{count} tasks on {threads} threads");
            }
        }
    }

    /// How often a thread looks for what is there from look number `at` on.
    fn looks(crowd: &Crowd, at: usize) -> usize {
        let looked = Cell::new(0);
        crowd.look_for(|| {
            looked.set(looked.get() + 1);
            looked.get() >= at
        });
        looked.get()
    }

    #[test]
    fn nobody_gives_way_in_a_crowd() {
        let crowd = Crowd::default();
        assert_eq!(looks(&crowd, 5), 5);
        assert_eq!(looks(&crowd, SPINS + 1), SPINS + 1, "it goes on looking");
        *lock(&crowd.0) = Some(Instant::now() + REMEMBERED);
        assert_eq!(looks(&crowd, SPINS + 1), SPINS, "it sleeps at once");
        *lock(&crowd.0) = Instant::now().checked_sub(2 * REMEMBERED);
        assert_eq!(looks(&crowd, SPINS + 1), SPINS + 1, "that was long ago");
    }

    #[test]
    fn many_jobs_follow_one_another() {
        for _ in 0..5000 {
            assert_eq!(visits(3, 3), [1; 3]);
        }
    }

    #[test]
    fn callers_at_the_same_time_all_finish() {
        std::thread::scope(|s| {
            for _ in 0..6 {
                s.spawn(|| (0..500).for_each(|n| assert_eq!(visits(n % 9, 4), vec![1; n % 9])));
            }
        });
    }

    #[test]
    fn tasks_may_have_tasks() {
        let total = AtomicUsize::new(0);
        run(5, 4, &|_| {
            run(7, 4, &|_| {
                total.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(total.into_inner(), 35);
    }

    #[test]
    fn a_panic_reaches_the_caller_after_the_other_tasks() {
        for threads in [1, 2, 4] {
            let ended = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                run(20, threads, &|n| {
                    assert!(n != 3, "task three");
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }));
            let panic = caught.unwrap_err();
            assert_eq!(panic.downcast_ref::<&str>().copied(), Some("task three"));
            assert_eq!(ended.into_inner(), 19);
            assert_eq!(visits(9, threads), [1; 9], "the pool still works");
        }
    }
}
