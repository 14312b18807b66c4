"""SuiteSparse:GraphBLAS through its C interface. Results are made complete, which sorts them."""

import numpy as np
import suitesparse_graphblas as package
import vectors
from suitesparse_graphblas import ffi, lib

from operands import given, made, stored

package.initialize(blocking=True)
# Kernels are those that it comes with; compiling others would need a compiler at run time.
lib.GrB_Global_set_INT32(lib.GrB_GLOBAL, lib.GxB_JIT_RUN, lib.GxB_JIT_C_CONTROL)

NULL = ffi.NULL


def check(status):
    if status != lib.GrB_SUCCESS:
        raise RuntimeError(f"GraphBLAS's status is {status}")


def uints(array):
    array = np.ascontiguousarray(array, dtype=np.uint64)
    return array, ffi.cast("uint64_t *", array.ctypes.data)


class Object:
    """A matrix or vector, freed with its owner. `flip` says that it stands for its transpose."""

    def __init__(self, *shape, flip=False):
        self.kind, self.flip = ("Matrix", flip) if len(shape) == 2 else ("Vector", False)
        self.at = ffi.new(f"GrB_{self.kind} *")
        self.call("new", self.at, lib.GrB_FP64, *shape)

    def call(self, name, *arguments):
        check(getattr(lib, f"GrB_{self.kind}_{name}")(*arguments))

    def __del__(self):
        self.call("free", self.at)

    @property
    def it(self):
        return self.at[0]

    def built(self, coordinates, values):
        """Values of the same coordinates are added up."""
        keep = [uints(c) for c in coordinates]
        values = np.ascontiguousarray(values)
        pointers = [pointer for _, pointer in keep]
        self.call("build_FP64", self.it, *pointers, ffi.cast("double *", values.ctypes.data), values.size, lib.GrB_PLUS_FP64)
        return self.done()

    def done(self):
        self.call("wait", self.it, lib.GrB_MATERIALIZE)
        return self

    def entries(self):
        count = ffi.new("GrB_Index *")
        self.call("nvals", count, self.it)
        arrays = [np.empty(count[0], dtype=np.uint64) for _ in range(2)]
        values = np.empty(count[0])
        pointers = [ffi.cast("uint64_t *", a.ctypes.data) for a in arrays]
        pointers = pointers if self.kind == "Matrix" else pointers[:1]
        self.call("extractTuples_FP64", *pointers, ffi.cast("double *", values.ctypes.data), count, self.it)
        i, j = arrays[0], arrays[1] if self.kind == "Matrix" else np.zeros_like(arrays[0])
        return (j, i, values) if self.flip else (i, j, values)


class GraphBlas:
    def __init__(self):
        self.version = ".".join(map(str, package.libgraphblas_version))
        self.semiring = lib.GrB_PLUS_TIMES_SEMIRING_FP64

    def set_threads(self, n):
        check(lib.GrB_Global_set_INT32(lib.GrB_GLOBAL, n, lib.GxB_GLOBAL_NTHREADS))

    def handle(self, name, kind="csr"):
        """Made once, as making it takes longer than what it is for."""
        key = "graphblas", name, kind
        if key not in made:
            made[key] = self.matrix(name, kind)
        return made[key]

    def matrix(self, name, kind):
        a = stored(name, "coo")
        out = Object(*a.shape)
        if kind == "csc":
            out.call("set_INT32", out.it, lib.GrB_COLMAJOR, lib.GrB_STORAGE_ORIENTATION_HINT)
        return out.built((a.row, a.col), a.data)

    def full(self, name):
        key = "graphblas", name
        if key not in made:
            made[key] = self.dense(name)
        return made[key]

    def dense(self, name):
        a = given[name]
        out = Object(*a.shape).built(np.indices(a.shape).reshape(a.ndim, -1), a.ravel())
        out.call("set_INT32", out.it, lib.GxB_FULL, lib.GxB_SPARSITY_CONTROL)
        return out.done()

    def matmul(self, a, b, semiring=None):
        shape = given[a].shape[0], given[b].shape[1]
        a, b, semiring = self.handle(a), self.handle(b), semiring or self.semiring

        def run():
            c = Object(*shape)
            check(lib.GrB_mxm(c.it, NULL, NULL, semiring, a.it, b.it, NULL))
            return c.done()

        return run

    matmul_sorted = matmul

    def min_plus(self, a, b):
        return self.matmul(a, b, lib.GrB_MIN_PLUS_SEMIRING_FP64)

    def min_plus_vector(self, a, x):
        return self.spmv("csr", a, x, lib.GrB_MIN_PLUS_SEMIRING_FP64)

    def add(self, first, *rest):
        shape = given[first].shape
        first, rest = self.handle(first), [self.handle(name) for name in rest]

        def run():
            c = first
            for b in rest:
                out = Object(*shape)
                check(lib.GrB_Matrix_eWiseAdd_BinaryOp(out.it, NULL, NULL, lib.GrB_PLUS_FP64, c.it, b.it, NULL))
                c = out
            return c.done()

        return run

    def spmv(self, kind, a, x, semiring=None):
        rows = given[a].shape[0]
        a, x, semiring = self.handle(a, kind), self.full(x), semiring or self.semiring

        def run():
            y = Object(rows)
            check(lib.GrB_mxv(y.it, NULL, NULL, semiring, a.it, x.it, NULL))
            return y.done()

        return run

    def spmm(self, a, b):
        shape = given[a].shape[0], given[b].shape[1]
        a, b = self.handle(a), self.full(b)

        def run():
            c = Object(*shape)
            check(lib.GrB_mxm(c.it, NULL, NULL, self.semiring, a.it, b.it, NULL))
            return c.done()

        return run

    def left(self, b, a):
        shape = given[b].shape[0], given[a].shape[1]
        a, b = self.handle(a), self.full(b)

        def run():
            c = Object(*shape)
            check(lib.GrB_mxm(c.it, NULL, NULL, self.semiring, b.it, a.it, NULL))
            return c.done()

        return run

    def sddmm(self, a, b, d):
        shape = given[a].shape
        a, b, d = self.handle(a), self.full(b), self.full(d)

        def run():
            dots, c = Object(*shape), Object(*shape)
            check(lib.GrB_mxm(dots.it, a.it, NULL, self.semiring, b.it, d.it, lib.GrB_DESC_ST1))
            check(lib.GrB_Matrix_eWiseMult_BinaryOp(c.it, NULL, NULL, lib.GrB_TIMES_FP64, a.it, dots.it, NULL))
            return c.done()

        return run

    def convert(self, source, target, name):
        # By rows to by rows of the transpose: the same work, and nothing is kept of it.
        shape, a = given[name].shape[::-1], self.handle(name)

        def run():
            out = Object(*shape, flip=True)
            check(lib.GrB_transpose(out.it, NULL, NULL, a.it, NULL))
            return out.done()

        return run

    def from_coo(self, name):
        a = given[name]
        return lambda: Object(*a.shape).built((a.row, a.col), a.data)

    def masked(self, name, dtype, *names):
        return vectors.masked(typed(name, dtype), *names)

    def product(self, name, dtype, *names):
        return vectors.product(typed(name, dtype), *names)


def typed(name, dtype):
    return getattr(lib, f"GrB_{name}_SEMIRING_{dtype}")
