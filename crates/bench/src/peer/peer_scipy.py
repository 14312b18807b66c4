"""SciPy: one thread. Products with dense operands call its loops without the checks around them, into memory that stays."""

import numpy as np
import scipy
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg
from scipy.sparse import _sparsetools

from operands import ell, given, made, sell, stored


class SciPy:
    def __init__(self):
        self.version = scipy.__version__

    def set_threads(self, n):
        # Only its reader of files has threads.
        scipy.io._fast_matrix_market.PARALLELISM = n

    def matmul(self, a, b):
        return lambda: given[a] @ given[b]

    def matmul_sorted(self, a, b):
        def run():
            c = given[a] @ given[b]
            c.sort_indices()
            return c

        return run

    def add(self, first, *rest):
        def run():
            c = given[first]
            for name in rest:
                c = c + given[name]
            return c

        return run

    def spmv(self, kind, a, x):
        a, x = stored(a, kind), given[x]
        y = np.zeros(a.shape[0])
        if kind == "dia":
            return lambda: a @ x
        if kind == "coo":
            arrays, head, loop = (*a.coords, a.data), (a.nnz,), _sparsetools.coo_matvec
        else:
            arrays, head = (a.indptr, a.indices, a.data), a.shape
            loop = getattr(_sparsetools, kind[:3] + "_matvec")
        if kind.startswith("bsr"):
            size = a.blocksize[0]
            head = (a.shape[0] // size, a.shape[1] // size, size, size)
            arrays = (a.indptr, a.indices, a.data.ravel())

        def run():
            y.fill(0.0)
            loop(*head, *arrays, x, y)
            return y

        return run

    def cg(self, iterations, a, b):
        # No residual is small enough to stop before.
        options = {"rtol": 0.0, "atol": 0.0, "maxiter": int(iterations)}
        return lambda: scipy.sparse.linalg.cg(given[a], given[b], **options)[0]

    def spmm(self, a, b):
        a, b = given[a], given[b]
        k = b.shape[1]
        flat, y = b.ravel(), np.zeros((a.shape[0], k))

        def run():
            y.fill(0.0)
            _sparsetools.csr_matvecs(*a.shape, k, a.indptr, a.indices, a.data, flat, y.ravel())
            return y

        return run

    def left(self, b, a):
        a, b = given[a], given[b]
        return lambda: b @ a

    def sddmm(self, a, b, d):
        a, b, d = given[a], given[b], given[d]

        def run():
            rows = np.repeat(np.arange(a.shape[0], dtype=np.int32), np.diff(a.indptr))
            dots = np.einsum("nk,nk->n", b[rows], d[a.indices])
            return sp.csr_array((a.data * dots, a.indices.copy(), a.indptr.copy()), shape=a.shape)

        return run

    def doubled(self, a):
        return lambda: given[a] * 2.0

    def absolute(self, a):
        return lambda: abs(given[a])

    def squared(self, a):
        return lambda: given[a] ** 2

    def root(self, a):
        return lambda: np.sqrt(abs(given[a]))

    def itself(self, a):
        return lambda: given[a] * given[a]

    def multiply(self, a, b):
        return lambda: given[a].multiply(given[b])

    def corner(self, a, b):
        return lambda: given[a][100:600, 100:600] + given[b][100:600, 100:600]

    def inner(self, a, b):
        return lambda: given[a][1:-1, 1:-1] + given[b][1:-1, 1:-1]

    def strided(self, step, a, b):
        n = int(step)
        return lambda: given[a][::n, ::n] + given[b][::n, ::n]

    def diagonal(self, d, a):
        matrix = sp.diags_array(given[d]).tocsr()
        return lambda: matrix @ given[a]

    def by_rows(self, d, a):
        column = given[d][:, None]
        return lambda: given[a].multiply(column)

    def truths(self, names):
        """Matrices of truth values; exclusive or is what SciPy calls different."""

        def truth(a):
            if len(a.shape) != 2:
                raise TypeError("SciPy has matrices")
            rows = sp.coo_array((a.vals, a.coords), shape=a.shape).tocsr()
            rows.sort_indices()
            return rows

        return [made.setdefault(("scipy", name), truth(given[name])) for name in names]

    def logical_xor(self, *names):
        a, b = self.truths(names)
        return lambda: a != b

    def and_xor(self, *names):
        a, b, c = self.truths(names)
        return lambda: (a != b).multiply(c)

    def xor_xor(self, *names):
        a, b, c = self.truths(names)
        return lambda: (a != b) != c

    def convert(self, source, target, name):
        if target == "ell":
            return lambda: Padded(target, ell(stored(name, source).tocsr()))
        if target.startswith("sell"):
            return lambda: Padded(target, sell(stored(name, source).tocsr(), int(target[4:])))
        a = stored(name, source)
        if target.startswith("bsr"):
            size = int(target[3:])
            return lambda: a.tobsr((size, size))
        if target == "coo":
            return lambda: a.tocoo(copy=True)
        return getattr(a, "to" + target)

    def from_coo(self, name):
        a = given[name]
        # What is known of the operand is found out again in every run.
        return lambda: sp.coo_array((a.data, a.coords), shape=a.shape).tocsr()

    def copy(self, name):
        return given[name].copy

    def mmread(self, name):
        path = given[name]
        return lambda: scipy.io.mmread(path, spmatrix=False)


class Padded:
    """Rows, columns and values of slots; those without an element have column -1."""

    def __init__(self, kind, arrays):
        self.kind, self.arrays = kind, arrays

    def entries(self):
        columns, values = self.arrays[-2:]
        if self.kind == "ell":
            rows = np.broadcast_to(np.arange(columns.shape[1]), columns.shape)
        else:
            starts, height = self.arrays[0], int(self.kind[4:])
            first = np.repeat(np.arange(starts.size - 1) * height, np.diff(starts))
            rows = (first[:, None] + np.arange(height)).ravel()
        there = columns >= 0
        return rows[there], columns[there], values[there]
