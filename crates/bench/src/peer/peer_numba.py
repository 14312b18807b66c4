"""Loops for numba, compiled on first use; rows are divided among its threads."""

import numba
import numpy as np
import scipy.sparse as sp

from operands import given

jit = numba.njit(parallel=True, fastmath=True)


@jit
def spmv(indptr, indices, data, x, y):
    for i in numba.prange(indptr.size - 1):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            total += data[p] * x[indices[p]]
        y[i] = total


@jit
def spmm(indptr, indices, data, b, y):
    for i in numba.prange(indptr.size - 1):
        y[i] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            for k in range(b.shape[1]):
                y[i, k] += data[p] * b[indices[p], k]


@jit
def sddmm(indptr, indices, data, b, d, out):
    for i in numba.prange(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            total = 0.0
            for k in range(b.shape[1]):
                total += b[i, k] * d[indices[p], k]
            out[p] = data[p] * total


@jit
def mttkrp(crd0, pos1, crd1, pos2, crd2, vals, c, d, y):
    y[:] = 0.0
    for p in numba.prange(crd0.size):
        row = y[crd0[p]]
        total = np.empty(y.shape[1])
        for q in range(pos1[p], pos1[p + 1]):
            total[:] = 0.0
            for r in range(pos2[q], pos2[q + 1]):
                for k in range(total.size):
                    total[k] += vals[r] * d[crd2[r], k]
            for k in range(total.size):
                row[k] += total[k] * c[crd1[q], k]


@jit
def ttv(crd0, pos1, crd1, pos2, crd2, vals, x, y):
    y[:] = 0.0
    for p in numba.prange(crd0.size):
        for q in range(pos1[p], pos1[p + 1]):
            total = 0.0
            for r in range(pos2[q], pos2[q + 1]):
                total += vals[r] * x[crd2[r]]
            y[crd0[p], crd1[q]] = total


class Numba:
    def __init__(self):
        self.version = numba.__version__

    def set_threads(self, n):
        numba.set_num_threads(min(n, numba.config.NUMBA_NUM_THREADS))

    def into(self, loop, arrays, y):
        def run():
            loop(*arrays, y)
            return y

        run()
        return run

    def spmv(self, kind, a, x):
        a = given[a]
        return self.into(spmv, (a.indptr, a.indices, a.data, given[x]), np.zeros(a.shape[0]))

    def spmm(self, a, b):
        a, b = given[a], given[b]
        return self.into(spmm, (a.indptr, a.indices, a.data, b), np.zeros((a.shape[0], b.shape[1])))

    def sddmm(self, a, b, d):
        a, b, d = given[a], given[b], given[d]

        def run():
            out = np.empty_like(a.data)
            sddmm(a.indptr, a.indices, a.data, b, d, out)
            return sp.csr_array((out, a.indices.copy(), a.indptr.copy()), shape=a.shape)

        run()
        return run

    def levels(self, x):
        return x.crd[0], x.pos[1], x.crd[1], x.pos[2], x.crd[2], x.vals

    def mttkrp(self, x, b, c):
        x, b, c = given[x], given[b], given[c]
        return self.into(mttkrp, (*self.levels(x), b, c), np.zeros((x.shape[0], b.shape[1])))

    def ttv(self, x, v):
        x = given[x]
        return self.into(ttv, (*self.levels(x), given[v]), np.zeros(x.shape[:2]))
