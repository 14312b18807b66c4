"""Matrices and vectors of GraphBLAS of any dtype, from arrays by their coordinates."""

import numpy as np
from suitesparse_graphblas import ffi, lib

from operands import given, made

NULL = ffi.NULL
DTYPES = {"bool": ("BOOL", "bool *"), "float64": ("FP64", "double *")}


def check(status):
    if status != lib.GrB_SUCCESS:
        raise RuntimeError(f"GraphBLAS's status is {status}")


class Typed:
    """A matrix or vector of a dtype, freed with its owner."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.kind = "Matrix" if len(shape) == 2 else "Vector"
        self.name, self.pointer = DTYPES[self.dtype.name]
        self.at = ffi.new(f"GrB_{self.kind} *")
        self.call("new", self.at, getattr(lib, "GrB_" + self.name), *shape)

    def call(self, name, *arguments):
        check(getattr(lib, f"GrB_{self.kind}_{name}")(*arguments))

    def __del__(self):
        self.call("free", self.at)

    @property
    def it(self):
        return self.at[0]

    def done(self):
        self.call("wait", self.it, lib.GrB_MATERIALIZE)
        return self

    def kept(self, how):
        """The same as a bitmap, or as an array of all values."""
        self.call("set_INT32", self.it, how, lib.GxB_SPARSITY_CONTROL)
        return self.done()

    def entries(self):
        count = ffi.new("GrB_Index *")
        self.call("nvals", count, self.it)
        coords = [np.empty(count[0], dtype=np.uint64) for _ in self.shape]
        values = np.empty(count[0], dtype=self.dtype)
        at = [ffi.cast("uint64_t *", c.ctypes.data) for c in coords]
        data = ffi.cast(self.pointer, values.ctypes.data)
        self.call("extractTuples_" + self.name, *at, data, count, self.it)
        return coords[0], coords[1] if len(coords) == 2 else np.zeros_like(coords[0]), values


def array(name):
    """Made once, as making it takes longer than what it is for."""
    key = "graphblas", name
    if key not in made:
        a = given[name]
        made[key] = built(a.shape, a.coords, a.vals)
    return made[key]


def mask(name):
    """A value for every coordinate, whether it was given or not."""
    key = "graphblas mask", name
    if key not in made:
        a = given[name]
        values = np.zeros(a.shape, a.vals.dtype)
        values[a.coords] = a.vals
        made[key] = built(a.shape, np.indices(a.shape).reshape(len(a.shape), -1), values.ravel())
    return made[key]


def built(shape, coords, values):
    out = Typed(shape, values.dtype)
    coords = [np.ascontiguousarray(c, dtype=np.uint64) for c in coords]
    at = [ffi.cast("uint64_t *", c.ctypes.data) for c in coords]
    values = np.ascontiguousarray(values)
    data = ffi.cast(out.pointer, values.ctypes.data)
    first = getattr(lib, "GrB_FIRST_" + out.name)
    out.call("build_" + out.name, out.it, *at, data, values.size, first)
    return out.done()


def masked(semiring, a, x, m):
    """A product with a vector in bytes, where a mask does not have true."""
    a, x, m = array(a), array(x).kept(lib.GxB_BITMAP), mask(m).kept(lib.GxB_FULL)

    def run():
        y = Typed(a.shape[:1], a.dtype)
        check(lib.GrB_mxv(y.it, m.it, NULL, semiring, a.it, x.it, lib.GrB_DESC_C))
        return y.done()

    return run


def product(semiring, a, b):
    a, b = array(a), array(b)

    def run():
        c = Typed((a.shape[0], b.shape[1]), a.dtype)
        check(lib.GrB_mxm(c.it, NULL, NULL, semiring, a.it, b.it, NULL))
        return c.done()

    return run
