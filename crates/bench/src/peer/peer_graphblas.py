"""SuiteSparse:GraphBLAS through python-graphblas. Results are made complete, which sorts them."""

import graphblas as gb

from operands import given, stored

gb.init("suitesparse", blocking=True)


class GraphBlas:
    def __init__(self):
        self.version = ".".join(map(str, gb.ss.about["library_version"])) + ", 64-bit indices"
        self.handles = {}

    def set_threads(self, n):
        gb.ss.config["nthreads"] = n

    def handle(self, name, kind="csr"):
        a = stored(name, kind)
        if kind == "csc":
            handle = gb.io.from_scipy_sparse(a)
            handle.ss.config["format"] = "by_col"
            return handle
        return gb.io.from_scipy_sparse(a)

    def full(self, name):
        a = given[name]
        return gb.Vector.from_dense(a) if a.ndim == 1 else gb.Matrix.from_dense(a)

    def done(self, made):
        made.wait("materialize")
        return Made(made)

    def matmul(self, a, b):
        a, b = self.handle(a), self.handle(b)
        return lambda: self.done(a.mxm(b, gb.semiring.plus_times).new())

    matmul_sorted = matmul

    def add(self, first, *rest):
        first, rest = self.handle(first), [self.handle(name) for name in rest]

        def run():
            c = first
            for b in rest:
                c = c.ewise_add(b, gb.binary.plus).new()
            return self.done(c)

        return run

    def spmv(self, kind, a, x):
        a, x = self.handle(a, kind), self.full(x)
        return lambda: self.done(a.mxv(x, gb.semiring.plus_times).new())

    def spmm(self, a, b):
        a, b = self.handle(a), self.full(b)
        return lambda: self.done(a.mxm(b, gb.semiring.plus_times).new())

    def sddmm(self, a, b, d):
        a, b, d = self.handle(a), self.full(b), self.full(d)

        def run():
            dots = b.mxm(d.T, gb.semiring.plus_times).new(mask=a.S)
            return self.done(a.ewise_mult(dots, gb.binary.times).new())

        return run

    def convert(self, source, target, name):
        if {source, target} != {"csr", "csc"}:
            raise NotImplementedError(f"{source} to {target}")
        # By rows to by rows of the transpose: the same work, and nothing is kept of it.
        a = self.handle(name)
        return lambda: self.done(a.T.new()).flipped()

    def from_coo(self, name):
        a = given[name]

        def run():
            plus = gb.binary.plus
            return self.done(gb.Matrix.from_coo(a.row, a.col, a.data, nrows=a.shape[0], ncols=a.shape[1], dup_op=plus))

        return run


class Made:
    def __init__(self, made, flip=False):
        self.made, self.flip = made, flip

    def flipped(self):
        return Made(self.made, True)

    def entries(self):
        if isinstance(self.made, gb.Vector):
            i, v = self.made.to_coo()
            return i, 0 * i, v
        i, j, v = self.made.to_coo()
        return (j, i, v) if self.flip else (i, j, v)
