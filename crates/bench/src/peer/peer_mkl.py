"""MKL: the inspector-executor interface through ctypes. Operands have handles, optimised for what they are used for;
sparse results stay in MKL's memory."""

import ctypes
import glob
import os
import sys

import numpy as np
import scipy.sparse as sp

import peer_c
from operands import given, stored

DOUBLE, INT, POINTER = ctypes.c_double, ctypes.c_int, ctypes.c_void_p
PLAIN, TRANSPOSED, GENERAL, ROW_MAJOR, COLUMN_MAJOR = 10, 11, 20, 101, 102


class Descr(ctypes.Structure):
    _fields_ = [("type", INT), ("mode", INT), ("diag", INT)]


def at(array):
    return POINTER(array.ctypes.data)


def library():
    found = sorted(glob.glob(sys.prefix + "/lib/libmkl_rt.so*"))
    if not found:
        raise ImportError("no libmkl_rt in " + sys.prefix)
    return found[0]


class Mkl:
    def __init__(self):
        self.lib = ctypes.CDLL(library())
        self.version = os.path.basename(library())
        self.loops = peer_c.library()

    def set_threads(self, n):
        self.lib.MKL_Set_Num_Threads(n)

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"MKL's status is {status}")

    def call(self, name, *arguments):
        self.check(getattr(self.lib, "mkl_sparse_" + name)(*arguments))

    def handle(self, name, kind="csr"):
        return self.held(stored(name, kind), kind)

    def held(self, a, kind="csr"):
        """A matrix in MKL's hands; it reads SciPy's arrays."""
        out = POINTER()
        into, shape = ctypes.byref(out), a.shape
        if kind == "coo":
            self.call("d_create_coo", into, 0, *shape, a.nnz, at(a.row), at(a.col), at(a.data))
        elif kind.startswith("bsr"):
            size = a.blocksize[0]
            rows, cols, pos = shape[0] // size, shape[1] // size, a.indptr
            arrays = (at(pos), at(pos[1:]), at(a.indices), at(a.data))
            self.call("d_create_bsr", into, 0, ROW_MAJOR, rows, cols, size, *arrays)
        else:
            arrays = (at(a.indptr), at(a.indptr[1:]), at(a.indices), at(a.data))
            self.call("d_create_" + kind, into, 0, *shape, *arrays)
        made = Made(self, out, kind)
        made.reads = a
        return made

    def matmul(self, a, b):
        a, b = self.handle(a), self.handle(b)

        def run():
            out = POINTER()
            self.call("spmm", PLAIN, a.handle, b.handle, ctypes.byref(out))
            return Made(self, out)

        return run

    def matmul_sorted(self, a, b):
        product = self.matmul(a, b)

        def run():
            c = product()
            self.call("order", c.handle)
            return c

        return run

    def add(self, first, *rest):
        first, rest = self.handle(first), [self.handle(name) for name in rest]

        def run():
            c = first
            for b in rest:
                out = POINTER()
                self.call("d_add", PLAIN, c.handle, DOUBLE(1.0), b.handle, ctypes.byref(out))
                c = Made(self, out)  # the one before is freed
            return c

        return run

    def dense_product(self, f, loop, a, x, y, sizes):
        """MKL's product, timed by the same loop in C as the loops in C are, so that no call costs more than another."""
        self.call("optimize", a.handle)
        call = ctypes.cast(getattr(self.lib, f), POINTER)
        return peer_c.Loop(self.loops, loop, [], [np.zeros(0), x], sizes, y=y, call=call, handle=a.handle, keep=a)

    def spmv(self, kind, a, x):
        a, x = self.handle(a, kind), given[x]
        # Block formats read and write whole blocks.
        y = np.zeros(stored_rows(a))
        self.call("set_mv_hint", a.handle, PLAIN, Descr(GENERAL, 0, 0), 1000)
        return self.dense_product("mkl_sparse_d_mv", "mkl_mv", a, x, y, [])

    def spmm(self, a, b):
        a, b = self.handle(a), given[b]
        y = np.zeros((stored_rows(a), b.shape[1]))
        self.call("set_mm_hint", a.handle, PLAIN, Descr(GENERAL, 0, 0), ROW_MAJOR, b.shape[1], 1000)
        return self.dense_product("mkl_sparse_d_mm", "mkl_mm", a, b, y, [y.shape[0], b.shape[1]])

    def left(self, b, a):
        """Dense rows times a matrix: the transposed matrix times columns that lie as the rows do."""
        a, b = self.handle(a), given[b]
        y = np.zeros((b.shape[0], a.reads.shape[1]))
        self.call("set_mm_hint", a.handle, TRANSPOSED, Descr(GENERAL, 0, 0), COLUMN_MAJOR, b.shape[0], 1000)
        return self.dense_product("mkl_sparse_d_mm", "mkl_left", a, b, y, [*y.shape, b.shape[1]])

    def convert(self, source, target, name):
        # It makes no columns and reads none here: those of a matrix are the rows of its transpose.
        flip = TRANSPOSED if "csc" in (source, target) else PLAIN
        a = self.held(stored(name, "csc").T) if source == "csc" else self.handle(name, source)

        def run():
            out = POINTER()
            into = ctypes.byref(out)
            if target.startswith("bsr"):
                self.call("convert_bsr", a.handle, int(target[3:]), ROW_MAJOR, PLAIN, into)
            elif target == "coo":
                self.call("convert_coo", a.handle, PLAIN, into)
            else:
                self.call("convert_csr", a.handle, flip, into)
            return Made(self, out, target)

        return run


def stored_rows(made):
    return made.shape()[0]


class Made:
    """A matrix in MKL's memory, or an operand of its own."""

    def __init__(self, mkl, handle, kind="csr"):
        self.mkl, self.handle, self.kind = mkl, handle, kind

    def __del__(self):
        self.mkl.lib.mkl_sparse_destroy(self.handle)

    def exported(self):
        """Sizes, and addresses of the arrays."""
        base, rows, cols, size, layout = (INT() for _ in range(5))
        arrays = [POINTER() for _ in range(4)]
        f = "d_export_" + {"csc": "csr"}.get(self.kind, self.kind[:3])
        head = [base, layout, rows, cols, size] if self.kind.startswith("bsr") else [base, rows, cols]
        if self.kind == "coo":
            head, arrays = head + [size], arrays[:3]
        self.mkl.call(f, self.handle, *map(ctypes.byref, head + arrays))
        return rows.value, cols.value, size.value, arrays

    def shape(self):
        if self.kind == "csc":
            return self.columns_shape()
        rows, cols, size, _ = self.exported()
        return (rows * size, cols * size) if self.kind.startswith("bsr") else (rows, cols)

    def columns_shape(self):
        base, rows, cols = (INT() for _ in range(3))
        found = [base, rows, cols, *(POINTER() for _ in range(4))]
        self.mkl.call("d_export_csc", self.handle, *map(ctypes.byref, found))
        return rows.value, cols.value

    def entries(self):
        rows, cols, size, arrays = self.exported()

        def array(p, kind, count):
            return np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(kind)), (max(count, 1),))[:count].copy()

        if self.kind == "coo":
            i, j, v = (array(p, kind, size) for p, kind in zip(arrays, (INT, INT, DOUBLE)))
            return i, j, v
        indptr = np.append(array(arrays[0], INT, rows), array(arrays[1], INT, rows)[-1:])
        count = int(indptr[-1])
        indices = array(arrays[2], INT, count)
        if self.kind.startswith("bsr"):
            data = array(arrays[3], DOUBLE, count * size * size).reshape(count, size, size)
            out = sp.bsr_array((data, indices, indptr), shape=(rows * size, cols * size)).tocoo()
            return *out.coords, out.data
        data = array(arrays[3], DOUBLE, count)
        i = np.repeat(np.arange(rows), np.diff(indptr))
        return (indices, i, data) if self.kind == "csc" else (i, indices, data)


class SparseDot:
    """MKL the way Python code calls it; results are copied into arrays of NumPy's."""

    def __init__(self):
        os.environ["MKL_RT"] = library()
        import sparse_dot_mkl

        self.dot, self.version = sparse_dot_mkl.dot_product_mkl, sparse_dot_mkl.__version__
        self.lib = ctypes.CDLL(library())

    def set_threads(self, n):
        self.lib.MKL_Set_Num_Threads(n)

    def matmul(self, a, b):
        return lambda: self.dot(given[a], given[b], reorder_output=False)

    def matmul_sorted(self, a, b):
        return lambda: self.dot(given[a], given[b], reorder_output=True)

    def spmm(self, a, b):
        return lambda: self.dot(given[a], given[b])
