"""One thread beside two while other processes keep every core busy: medians and 99th percentiles of 200 calls.

    python crates/bench/python/busy.py [ROWS]

A begun part of the work on a core that another process takes away would make calls on two threads slow now and then. The
goal: under the same load, a median of at most 1.3 times and a 99th percentile of at most 3 times that of one thread.
"""

import multiprocessing
import sys
import time

import numpy as np
import scipy.sparse as sp

import openwork as ow

CALLS = 200


def spin(stop):
    while not stop.is_set():
        sum(range(10_000))


def product(rows):
    rng = np.random.default_rng(0)
    values, i, j = rng.random(10 * rows), rng.integers(0, rows, 10 * rows), rng.integers(0, rows, 10 * rows)
    A = ow.asarray(sp.coo_array((values, (i, j)), shape=(rows, rows)).tocsr())
    kernel, x = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).prepare(A=A), rng.random(rows)
    return lambda: kernel(x=x)


def milliseconds(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def compare(call):
    """Calls on one and on two threads in turns, so that both meet the same load. Which of them goes first is drawn: the
    scheduler takes the core away every few milliseconds, and would always hit the same one of a pair.
    """
    times = {1: [], 2: []}
    rng = np.random.default_rng(1)
    for _ in range(CALLS):
        for threads in rng.permutation([1, 2]):
            ow.set_num_threads(int(threads))
            times[threads].append(milliseconds(call))
    return [(np.median(t), np.quantile(t, 0.99)) for t in times.values()]


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    call = product(rows)
    call()
    cores = multiprocessing.cpu_count()
    for load in (0, cores, 2 * cores):
        stop = multiprocessing.Event()
        others = [multiprocessing.Process(target=spin, args=(stop,)) for _ in range(load)]
        for other in others:
            other.start()
        (m1, p1), (m2, p2) = compare(call)
        print(f"{load} busy processes: one thread {m1:.2f} / {p1:.2f} ms, two {m2:.2f} / {p2:.2f}; ratios {m2 / m1:.2f}, {p2 / p1:.2f}")
        stop.set()
        for other in others:
            other.join()


if __name__ == "__main__":
    main()
