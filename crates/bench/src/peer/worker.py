"""The libraries that the benchmarks are compared with: reads commands, runs one operation per command.

    has PEER                        ok and its version, or the reason why it is not there
    load NAME DIR ROWS COLS         coordinates in DIR/rows.i32, DIR/cols.i32, values in DIR/vals.f64
    loose NAME DIR ROWS COLS        the same in the order of the files, with what is there more than once
    fibres NAME DIR DIMS...         coordinates of a tensor of order three in DIR/0.i32 ..., sorted, values in DIR/vals.f64
    dense NAME SEED DIMS...         a dense vector or matrix by the formula of `dense` in inputs.rs
    array NAME DIR DTYPE DIMS...    an array of any order and dtype by its coordinates
    text NAME PATH                  a file to read
    clear                           forgets all operands
    forget                          forgets what was prepared for operations
    sum OP THREADS NAME...          weighted sums of the result and its number of entries
    turn OP THREADS WARM TIMES NAME...   nanoseconds of so many runs, after others that are not timed
    time OP THREADS NAME...         nanoseconds of one run
    triad THREADS MIB               GB/s of reading two arrays and writing one

An operation is `peer.method`, or `peer.method:argument...`. It is prepared once for its operands, and every run makes its
result in new memory, or writes a dense one where it wrote it before.
"""

import importlib
import sys
import time

import numpy as np

import operands
from sums import sums

KINDS = {
    "scipy": ("peer_scipy", "SciPy"),
    "numpy": ("peer_arrays", "NumPy"),
    "pydata": ("peer_arrays", "PyData"),
    "mkl": ("peer_mkl", "Mkl"),
    "sparse_dot": ("peer_mkl", "SparseDot"),
    "graphblas": ("peer_graphblas", "GraphBlas"),
    "numba": ("peer_numba", "Numba"),
    "eigen": ("peer_c", "Eigen"),
    "c": ("peer_c", "C"),
}
peers, ready = {}, {}
# Memory that was freed serves again, as in any process that has run for a while.
np.empty(31 << 20, dtype=np.uint8)


def has(peer):
    module, kind = KINDS[peer]
    peers[peer] = getattr(importlib.import_module(module), kind)()
    return "ok " + peers[peer].version


def prepared(op, threads, names):
    """A function without arguments that runs the operation once."""
    name, *arguments = op.split(":")
    peer, method = name.split(".")
    peers[peer].set_threads(threads)
    key = (op, threads, *names)
    if key not in ready:
        ready[key] = getattr(peers[peer], method)(*arguments, *names)
    return ready[key]


def turn(run, times):
    """The nanoseconds of each run; what it made is freed after its time was taken."""
    if hasattr(run, "turn"):
        return run.turn(times)
    out = []
    for _ in range(times):
        start = time.perf_counter_ns()
        result = run()
        out.append(time.perf_counter_ns() - start)
        del result
    return out


def answer(words):
    command, *rest = words
    if command == "has":
        return has(*rest)
    if command == "clear":
        ready.clear(), operands.clear()
        return "ok"
    if command in ("load", "loose", "fibres", "dense", "text", "array"):
        return getattr(operands, command)(*rest) or "ok"
    if command == "triad":
        return str(peers["c"].triad(int(rest[0]), int(rest[1])))
    if command == "forget":
        ready.clear()
        return "ok"
    run = prepared(rest[0], int(rest[1]), rest[4:] if command == "turn" else rest[2:])
    if command == "sum":
        return " ".join(repr(float(x)) for x in sums(run()))
    if command == "time":
        return str(turn(run, 1)[0])
    turn(run, int(rest[2]))
    return " ".join(map(str, turn(run, int(rest[3]))))


for line in sys.stdin:
    try:
        reply = answer(line.split())
    except (Exception, SystemExit) as error:  # the other side prints it and goes on
        reply = "error: " + repr(error).replace("\n", " ")
    print(reply, flush=True)
