//! Work on many elements, spread over threads.
//!
//! Everything goes through [`tasks`] to the pool that kernels run in, so that one limit holds for all of it. Tasks heed the request to [stop](Cancel) that their
//! caller heeds, and look for it before they begin.
//!
//! Bodies are called through references: a call costs nothing beside a task, and the code that hands tasks out is compiled
//! for every kind of part or answer, not for every body.

use crate::block;
use openwork_base::cancel::{Cancel, is_stoppable, look, run_for_caller};
pub(crate) use openwork_base::machine::elements_of_a_task;
use openwork_base::pool;
pub(crate) use openwork_base::threads::threads;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Runs `body(0)`, …, `body(count - 1)`, each once, on the threads there are.
pub(crate) fn tasks(count: usize, body: &(dyn Fn(usize) + Sync)) {
    let task = |n| {
        look();
        body(n);
    };
    if count < 2 {
        return (0..count).for_each(task);
    }
    let (cancel, stoppable) = (Cancel::current(), is_stoppable());
    pool::run(count, threads(), &|n| cancel.scope(|| run_for_caller(stoppable, || task(n))));
}

/// Blocks of `size` elements: the elements of block `n` of `len` elements.
pub(crate) fn block_of(n: usize, size: usize, len: usize) -> Range<usize> {
    n * size..len.min((n + 1) * size)
}

/// Gives each of `parts` to a task of its own, with its number.
pub(crate) fn for_each_part<P: Send>(parts: Vec<P>, body: impl Fn(usize, P) + Sync) {
    hand_out(parts, &body);
}

fn hand_out<P: Send>(parts: Vec<P>, body: &(dyn Fn(usize, P) + Sync)) {
    // Every part is taken once, so nobody ever waits for a lock.
    let parts: Vec<Mutex<Option<P>>> = parts.into_iter().map(|p| Mutex::new(Some(p))).collect();
    tasks(parts.len(), &|n| {
        if let Some(part) = parts[n].lock().unwrap_or_else(PoisonError::into_inner).take() {
            body(n, part);
        }
    });
}

/// Calls `body` with the number of the first element and the elements of every block of `size`.
pub(crate) fn blocks<T: Send>(all: &mut [T], size: usize, body: impl Fn(usize, &mut [T]) + Sync) {
    hand_out_blocks(all, size, &body);
}

fn hand_out_blocks<T: Send>(all: &mut [T], size: usize, body: &(dyn Fn(usize, &mut [T]) + Sync)) {
    for_each_part(all.chunks_mut(size).collect(), |n, block| body(n * size, block));
}

/// The answers of all tasks, in order.
pub(crate) fn answers<R: Send>(count: usize, body: impl Fn(usize) -> R + Sync) -> Vec<R> {
    gather(count, &body)
}

fn gather<R: Send>(count: usize, body: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let all: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    tasks(count, &|n| {
        let answer = body(n);
        *all[n].lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    });
    all.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// `value(0)`, …, `value(len - 1)`, on large pages where there are many.
pub(crate) fn collect<T: Copy + Default + Send>(len: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut out = block::room(len);
    out.resize(len, T::default());
    blocks(&mut out, elements_of_a_task(1 << 14, 1, len), |first, block| {
        block.iter_mut().enumerate().for_each(|(n, slot)| *slot = value(first + n));
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_base::threads::run_with_limit;

    #[test]
    fn every_element_is_visited_once_and_answers_keep_their_order() {
        for len in [0, 1, 9, 100_000] {
            assert_eq!(collect(len, |n| n), (0..len).collect::<Vec<_>>());
            let mut counts = vec![0u8; len];
            blocks(&mut counts, 7, |first, block| {
                assert!(first.is_multiple_of(7));
                block.iter_mut().for_each(|c| *c += 1);
            });
            assert!(counts.iter().all(|&c| c == 1));
        }
        assert_eq!(answers(5, |n| n * n), [0, 1, 4, 9, 16]);
    }

    #[test]
    fn one_thread_is_the_caller() {
        let here = std::thread::current().id();
        let ran = run_with_limit(1, || answers(100, |_| std::thread::current().id()));
        assert_eq!(ran, [here; 100]);
    }

    #[test]
    fn tasks_heed_the_request_of_their_caller() {
        let cancel = Cancel::new();
        cancel.cancel();
        let heard = cancel.scope(|| answers(100, |_| Cancel::check().is_err()));
        assert_eq!(heard, [true; 100]);
    }
}
