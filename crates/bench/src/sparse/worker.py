"""The libraries that `bench sparse` is compared with: reads commands, runs one operation per command.

    has PEER                     ok, or the reason why it is not there
    load NAME DIR ROWS COLS      coordinates in DIR/rows.i32, DIR/cols.i32, values in DIR/vals.f64
    dense NAME ROWS COLS SEED    a dense matrix by the formula of `dense` in inputs.rs
    clear                        forgets all operands
    sum OP THREADS NAME...       weighted sums of the result and its number of entries
    time OP THREADS NAME...      nanoseconds of one run, in which the result is made in new memory
"""

import ctypes
import glob
import os
import sys
import time

import numpy as np
import scipy
import scipy.sparse as sp

operands, handles = {}, {}


def load(name, folder, rows, cols):
    i = np.fromfile(folder + "/rows.i32", dtype=np.int32)
    j = np.fromfile(folder + "/cols.i32", dtype=np.int32)
    v = np.fromfile(folder + "/vals.f64", dtype=np.float64)
    operands[name] = sp.coo_array((v, (i, j)), shape=(int(rows), int(cols))).tocsr()
    operands[name].sort_indices()


def dense(name, rows, cols, seed):
    shape = (int(rows), int(cols))
    n = np.arange(shape[0] * shape[1], dtype=np.uint64)
    bits = n * np.uint64(0x9E3779B97F4A7C15) + np.uint64((int(seed) * 0xBF58476D1CE4E5B9) % 2**64)
    operands[name] = ((bits >> np.uint64(40)) / 2.0**24).reshape(shape)


class SciPy:
    """One thread; results of products are in no order unless they are sorted."""

    def __init__(self):
        self.version = scipy.__version__

    def set_threads(self, n):
        pass

    def matmul(self, a, b):
        return operands[a] @ operands[b]

    def matmul_sorted(self, a, b):
        c = operands[a] @ operands[b]
        c.sort_indices()
        return c

    def add(self, first, *rest):
        c = operands[first]
        for name in rest:
            c = c + operands[name]
        return c

    def spmm(self, a, b):
        return operands[a] @ operands[b]

    def sddmm(self, a, b, d):
        a, b, d = operands[a], operands[b], operands[d]
        rows = np.repeat(np.arange(a.shape[0], dtype=np.int32), np.diff(a.indptr))
        dots = np.einsum("nk,nk->n", b[rows], d[a.indices])
        return a.multiply(sp.csr_array((dots, a.indices, a.indptr), shape=a.shape)).tocsr()


class Descr(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


class Mkl:
    """The inspector-executor interface through ctypes: operands have handles, results stay in MKL's memory."""

    def __init__(self):
        found = sorted(glob.glob(sys.prefix + "/lib/libmkl_rt.so*"))
        if not found:
            raise ImportError("no libmkl_rt in " + sys.prefix)
        self.lib = ctypes.CDLL(found[0])
        self.version = os.path.basename(found[0])

    def set_threads(self, n):
        self.lib.MKL_Set_Num_Threads(n)

    def handle(self, name):
        if ("mkl", name) not in handles:
            a = operands[name]
            ints, out = ctypes.POINTER(ctypes.c_int), ctypes.c_void_p()
            keep = (a.indptr.astype(np.int32), a.indices.astype(np.int32), np.ascontiguousarray(a.data))
            at = keep[0].ctypes.data_as(ints)
            end = keep[0][1:].ctypes.data_as(ints)
            crd, vals = keep[1].ctypes.data_as(ints), keep[2].ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            create = self.lib.mkl_sparse_d_create_csr
            self.check(create(ctypes.byref(out), 0, a.shape[0], a.shape[1], at, end, crd, vals))
            handles["mkl", name] = (out, keep)
        return handles["mkl", name][0]

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"MKL's status is {status}")

    def matmul(self, a, b):
        out = ctypes.c_void_p()
        self.check(self.lib.mkl_sparse_spmm(10, self.handle(a), self.handle(b), ctypes.byref(out)))
        return Made(self, out)

    def matmul_sorted(self, a, b):
        c = self.matmul(a, b)
        self.check(self.lib.mkl_sparse_order(c.handle))
        return c

    def add(self, first, *rest):
        c, made = self.handle(first), None
        for name in rest:
            out = ctypes.c_void_p()
            one = ctypes.c_double(1.0)
            self.check(self.lib.mkl_sparse_d_add(10, c, one, self.handle(name), ctypes.byref(out)))
            c, made = out, Made(self, out)  # the one before is freed
        return made

    def spmm(self, a, b):
        x = operands[b]
        y = np.empty((operands[a].shape[0], x.shape[1]))
        ptr, k, num = ctypes.POINTER(ctypes.c_double), x.shape[1], ctypes.c_double
        pointers = (x.ctypes.data_as(ptr), y.ctypes.data_as(ptr))
        # 10: no transposition; 101: rows are contiguous.
        status = self.lib.mkl_sparse_d_mm(
            10, num(1.0), self.handle(a), Descr(20, 0, 0), 101, pointers[0], k, k, num(0.0), pointers[1], k
        )
        self.check(status)
        return y


class Made:
    """A result in MKL's memory."""

    def __init__(self, mkl, handle):
        self.mkl, self.handle = mkl, handle

    def __del__(self):
        self.mkl.lib.mkl_sparse_destroy(self.handle)

    def tocsr(self):
        base, rows, cols = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        at, end, crd, vals = (ctypes.c_void_p() for _ in range(4))
        export = self.mkl.lib.mkl_sparse_d_export_csr
        found = [ctypes.byref(x) for x in (base, rows, cols, at, end, crd, vals)]
        self.mkl.check(export(self.handle, *found))
        n = rows.value

        def array(p, kind, count):
            return np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(kind)), (max(count, 1),))[:count].copy()

        at = array(at, ctypes.c_int, n)
        end = array(end, ctypes.c_int, n)
        indptr = np.append(at, end[-1:])
        count = int(indptr[-1])
        data = array(vals, ctypes.c_double, count)
        return sp.csr_array((data, array(crd, ctypes.c_int, count), indptr), shape=(n, cols.value))


class SparseDot:
    """MKL the way Python code calls it; results are copied into arrays of NumPy's."""

    def __init__(self):
        os.environ["MKL_RT"] = sorted(glob.glob(sys.prefix + "/lib/libmkl_rt.so*"))[0]
        import sparse_dot_mkl

        self.dot, self.version = sparse_dot_mkl.dot_product_mkl, sparse_dot_mkl.__version__

    def set_threads(self, n):
        peers["mkl"].set_threads(n)

    def matmul(self, a, b):
        return self.dot(operands[a], operands[b], reorder_output=False)

    def matmul_sorted(self, a, b):
        return self.dot(operands[a], operands[b], reorder_output=True)

    def spmm(self, a, b):
        return self.dot(operands[a], operands[b])


class GraphBlas:
    """Results are made complete, which sorts them."""

    def __init__(self):
        import graphblas

        graphblas.init("suitesparse", blocking=True)
        self.gb, self.version = graphblas, graphblas.__version__

    def set_threads(self, n):
        self.gb.ss.config["nthreads"] = n

    def handle(self, name):
        if ("gb", name) not in handles:
            handles["gb", name] = self.gb.io.from_scipy_sparse(operands[name])
        return handles["gb", name]

    def matmul(self, a, b):
        c = self.handle(a).mxm(self.handle(b), self.gb.semiring.plus_times).new()
        c.wait("materialize")
        return c

    def add(self, first, *rest):
        c = self.handle(first)
        for name in rest:
            c = c.ewise_add(self.handle(name), self.gb.binary.plus).new()
        c.wait("materialize")
        return c


class Numba:
    """The loops of an SDDMM, compiled on first use."""

    def __init__(self):
        import numba

        @numba.njit(parallel=True, fastmath=True)
        def loops(indptr, indices, data, b, d, out):
            for i in numba.prange(indptr.size - 1):
                for p in range(indptr[i], indptr[i + 1]):
                    total = 0.0
                    for k in range(b.shape[1]):
                        total += b[i, k] * d[indices[p], k]
                    out[p] = data[p] * total

        self.numba, self.loops, self.version = numba, loops, numba.__version__

    def set_threads(self, n):
        self.numba.set_num_threads(min(n, self.numba.config.NUMBA_NUM_THREADS))

    def sddmm(self, a, b, d):
        a = operands[a]
        out = np.empty_like(a.data)
        self.loops(a.indptr, a.indices, a.data, operands[b], operands[d], out)
        return sp.csr_array((out, a.indices.copy(), a.indptr.copy()), shape=a.shape)


KINDS = {"scipy": SciPy, "mkl": Mkl, "sparse_dot": SparseDot, "graphblas": GraphBlas, "numba": Numba}
peers = {}


def has(peer):
    peers[peer] = KINDS[peer]()
    return "ok " + peers[peer].version


def prepared(op, threads):
    peer, method = op.split(".")
    peers[peer].set_threads(threads)
    return getattr(peers[peer], method)


def sums(result):
    """As `Sums` in table.rs."""
    if not isinstance(result, (np.ndarray, sp.csr_array, sp.csr_matrix)):
        result = result.tocsr() if isinstance(result, Made) else peers["graphblas"].gb.io.to_scipy_sparse(result, "csr")
    rows, cols = result.shape
    left = 1.0 + (np.arange(rows) * 7919 % 1009) / 1009.0
    right = 1.0 + (np.arange(cols) * 7907 % 1013) / 1013.0
    if isinstance(result, np.ndarray):
        return left @ (result @ right), left @ (np.abs(result) @ right), result.size
    return left @ (result @ right), left @ (abs(result) @ right), result.nnz


def answer(words):
    if words[0] == "has":
        return has(words[1])
    if words[0] == "load":
        load(*words[1:])
        return "ok"
    if words[0] == "dense":
        dense(*words[1:])
        return "ok"
    if words[0] == "clear":
        operands.clear(), handles.clear()
        return "ok"
    if words[0] == "sum":
        return " ".join(repr(float(x)) for x in sums(prepared(words[1], int(words[2]))(*words[3:])))
    call = prepared(words[1], int(words[2]))
    start = time.perf_counter_ns()
    result = call(*words[3:])
    elapsed = time.perf_counter_ns() - start
    del result
    return str(elapsed)


for line in sys.stdin:
    try:
        reply = answer(line.split())
    except (Exception, SystemExit) as error:  # the other side prints it and goes on
        reply = "error: " + repr(error).replace("\n", " ")
    print(reply, flush=True)
