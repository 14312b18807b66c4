"""The SciPy (and, where it is installed, MKL) side of the benchmarks: reads commands, runs one operation per command.

    load NAME DIR ROWS COLS      coordinates in DIR/rows.i32, DIR/cols.i32, values in DIR/vals.f64
    sum NAME OP                  checksum of the operation's result
    time NAME OP                 nanoseconds of one run
"""

import ctypes
import glob
import sys
import time

import numpy as np
import scipy.sparse as sp

matrices, vectors, kept = {}, {}, {}


def load(name, folder, rows, cols):
    shape = (int(rows), int(cols))
    i = np.fromfile(folder + "/rows.i32", dtype=np.int32)
    j = np.fromfile(folder + "/cols.i32", dtype=np.int32)
    v = np.fromfile(folder + "/vals.f64", dtype=np.float64)
    coo = sp.coo_array((v, (i, j)), shape=shape)
    matrices.clear(), kept.clear()
    matrices[name] = {"coo": coo, "csr": coo.tocsr()}
    matrices[name]["csc"] = matrices[name]["csr"].tocsc()
    vectors[name] = np.linspace(1.0, 2.0, shape[1])


def ell(csr):
    """Rows padded to the longest, slot by slot; SciPy has no such format, so this is NumPy's best route."""
    counts = np.diff(csr.indptr)
    width = int(counts.max(initial=0))
    rows = np.repeat(np.arange(csr.shape[0]), counts)
    slots = np.arange(csr.nnz) - np.repeat(csr.indptr[:-1], counts)
    columns = np.full((width, csr.shape[0]), -1, dtype=np.int32)
    values = np.zeros((width, csr.shape[0]))
    columns[slots, rows] = csr.indices
    values[slots, rows] = csr.data
    return columns, values


def sell(csr, height):
    """Slices of rows, each padded to its longest; NumPy's best route again."""
    counts = np.diff(csr.indptr)
    slices = -(-csr.shape[0] // height)
    widths = np.zeros(slices * height, dtype=np.int64)
    widths[: csr.shape[0]] = counts
    starts = np.concatenate([[0], np.cumsum(widths.reshape(slices, height).max(axis=1))])
    rows = np.repeat(np.arange(csr.shape[0]), counts)
    slots = np.arange(csr.nnz) - np.repeat(csr.indptr[:-1], counts)
    at = (starts[rows // height] + slots) * height + rows % height
    columns = np.full(starts[-1] * height, -1, dtype=np.int32)
    values = np.zeros(starts[-1] * height)
    columns[at] = csr.indices
    values[at] = csr.data
    return columns, values


def stored(name, op):
    """A matrix in another format, made once."""
    if (name, op) not in kept:
        csr = matrices[name]["csr"]
        if op == "dia":
            kept[name, op] = csr.todia()
        elif op == "csr":
            kept[name, op] = csr
        else:
            size = int(op[3:])
            kept[name, op] = csr.tobsr((size, size))
    return kept[name, op]


def run(name, op):
    kinds = matrices[name]
    if op.startswith("spmv_"):
        return stored(name, op[5:]) @ vectors[name]
    if op.startswith("mkl_"):
        return mkl.multiply(name, op[4:])
    source, target = op.split("_")
    a = kinds[source]
    if target == "csr":
        return a.tocsr()
    if target == "csc":
        return a.tocsc()
    if target == "dia":
        return a.todia()
    if target == "ell":
        return ell(a if source == "csr" else a.tocsr())
    if target.startswith("sell"):
        return sell(a if source == "csr" else a.tocsr(), int(target[4:]))
    return a.tobsr((int(target[3:]), int(target[3:])))


def checksum(result):
    if isinstance(result, tuple):
        return float(result[1].sum())
    return float(result.sum())


class Mkl:
    """The inspector-executor interface of MKL through ctypes, single-threaded."""

    def __init__(self):
        found = glob.glob(sys.prefix + "/lib/libmkl_rt.so*")
        self.lib = ctypes.CDLL(found[0]) if found else None
        self.handles = {}
        if self.lib:
            self.lib.MKL_Set_Num_Threads(1)

    def multiply(self, name, kind):
        key = (name, kind)
        x = vectors[name]
        if key not in self.handles:
            self.handles.clear()
            self.handles[key] = self.make(name, kind)
        handle, descr, keep, rows = self.handles[key]
        y = np.zeros(rows)
        ptr = ctypes.POINTER(ctypes.c_double)
        padded = keep[-1]
        padded[: x.size] = x
        self.lib.mkl_sparse_d_mv(
            10, ctypes.c_double(1.0), handle, descr, padded.ctypes.data_as(ptr), ctypes.c_double(0.0), y.ctypes.data_as(ptr)
        )
        return y

    def make(self, name, kind):
        class Descr(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]

        a = stored(name, kind)
        ints = ctypes.POINTER(ctypes.c_int)
        pos, crd, data = a.indptr.astype(np.int32), a.indices.astype(np.int32), np.ascontiguousarray(a.data)
        handle = ctypes.c_void_p()
        begin = pos.ctypes.data_as(ints)
        end = pos[1:].ctypes.data_as(ints)
        values = data.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        if kind == "csr":
            status = self.lib.mkl_sparse_d_create_csr(
                ctypes.byref(handle), 0, a.shape[0], a.shape[1], begin, end, crd.ctypes.data_as(ints), values
            )
        else:
            size = a.blocksize[0]
            rows, cols = a.shape[0] // size, a.shape[1] // size
            status = self.lib.mkl_sparse_d_create_bsr(
                ctypes.byref(handle), 0, 101, rows, cols, size, begin, end, crd.ctypes.data_as(ints), values
            )
        assert status == 0, status
        descr = Descr(20, 0, 0)
        self.lib.mkl_sparse_set_mv_hint(handle, 10, descr, 1000)
        self.lib.mkl_sparse_optimize(handle)
        return handle, descr, (pos, crd, data, np.zeros(max(a.shape))), a.shape[0]


mkl = Mkl()

for line in sys.stdin:
    words = line.split()
    try:
        if words[0] == "load":
            load(*words[1:])
            answer = "ok"
        elif words[0] == "sum":
            answer = repr(checksum(run(words[1], words[2])))
        elif words[0] == "time":
            start = time.perf_counter_ns()
            result = run(words[1], words[2])
            answer = str(time.perf_counter_ns() - start)
            del result
        elif words[0] == "mkl":
            answer = "yes" if mkl.lib else "no"
        else:
            answer = "error: unknown command"
    except Exception as error:  # the other side prints it and goes on
        answer = "error: " + repr(error).replace("\n", " ")
    print(answer, flush=True)
