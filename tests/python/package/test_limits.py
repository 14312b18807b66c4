"""The memory limit: what would take more is refused before it is taken, also what NumPy takes."""

import pytest
from process import script

HEAD = """
import resource
import numpy as np, scipy.sparse as sp, openwork as ow
n = 1000
A = ow.asarray(sp.random_array((n, n), density=0.1, format="csr", rng=1))
C, D = A.asformat("coo"), A.asformat("dok")
T = C.reshape(1, n, n)
v, w, s = ow.asarray(np.ones(6000)), ow.asarray(np.ones((6000, 1)), format="dense"), ow.asarray(np.ones((5000, 1000)))
one = ow.from_coo([[0], [1]], [1.0], (20000, 20000))

def refused(function):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        function()
    except ow.MemoryLimitError as e:
        assert e.code == "E0605", e
    else:
        raise AssertionError("nothing was refused")
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    # Some of what a case gives is of 160 MiB, or two of 80 that are made twice.
    assert more < 330, f"{more} MiB were taken before"
"""
CASES = {
    "broadcast_to": "np.broadcast_to(A, (500, n, n))", "broadcast_to of a list": "np.broadcast_to(C, (500, n, n))",
    "repeat": "np.repeat(A, 500, axis=0)", "repeat of a list": "np.repeat(C, 500, axis=0)", "repeat of columns": "np.repeat(D, 500, axis=1)",
    "repeat of all": "np.repeat(A, 500)", "repeat far": "np.repeat(ow.from_coo([np.arange(20) * 2**36], np.ones(20), (2**41,)), 2 * 10**6)", "tile": "np.tile(C, (25, 20))",
    "stack": "np.stack([A] * 300)", "vstack": "np.vstack([C] * 300)", "hstack": "np.hstack([D] * 300)", "dstack": "np.dstack([A] * 300)",
    "append": "np.append(C, np.ones((20000, n)), axis=0)", "kron": "np.kron(A, C)", "kron beside a dense array": "np.kron(C, np.ones((20, 20)))",
    "a list of coordinates": "T[:, np.repeat(np.arange(n), 500)]", "coordinates of a vector": "C.ravel()[np.full(2 * 10**7, np.nonzero(C.ravel())[0][0])]",
    "argsort": "ow.argsort(one, axis=1)", "cumsum": "ow.cumsum(ow.from_coo([[0], [1]], [1.0], (2**26, 2)), axis=1)",
    "quantiles": "ow.quantile(T, np.linspace(0, 1, 100000), axis=2)", "pairs": "T[:, np.zeros((10000, 1000), int), np.zeros((10000, 1000), int)]",
    "full_like": "np.zeros_like(ow.asarray(np.ones(3)), shape=(20000, 2000))", "a statement": "ow.evaluate('y(i,j,k) = A(i,j) * x(k)', A=A, x=np.ones(500))",
    "todense": "one.todense()", "outer": "np.add.outer(v, v)", "kron of dense arrays": "np.kron(v, v)", "where of dense arrays": "np.where(w > 0, w, w.T)",
    "repeat of a dense array": "np.repeat(v, 5000)", "tile of a dense array": "np.tile(v, (50, 100))", "power": "np.power(w, w.T)", "floor_divide": "w // w.T",
    "runs of rows that store nothing": "ow.from_coo([[0], [2**28 - 1]], [1.0], (2**28, 2**28)).asformat('rle')",
    "a matrix with a diagonal": "np.diag(v)", "stack of dense arrays": "np.stack([s] * 6)",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_beyond_the_limit_is_refused_before_it_is_taken(name):
    script(HEAD, f"refused(lambda: {CASES[name]})", 120, OPENWORK_MEMORY_LIMIT="200M", OPENBLAS_NUM_THREADS="1")


def test_what_fits_is_not_refused():
    body = """
    np.broadcast_to(A, (5, n, n)), np.repeat(C, 5, axis=0), np.tile(A, (2, 2)), np.stack([A] * 3), np.vstack([C] * 3), np.kron(A[:9], A[:9])
    np.repeat(v, np.r_[10**6, np.ones(5999, int)]), np.diag(v[:100], 3), np.savez("/dev/null", s=s, words=np.array(["one", "two"]))
    ow.argsort(A), ow.cumsum(A, axis=1), A[A > 0.5], A.ravel(), np.roll(D, 1), np.tril(T[0]), A[np.arange(n), np.arange(n)], np.delete(A, [1], axis=0)
    """
    script(HEAD, body, 120, OPENWORK_MEMORY_LIMIT="200M", OPENBLAS_NUM_THREADS="1")


def test_kernels_hold_no_memory_that_others_need():
    # Kernels are kept for the next call, each with another format, and what their results took may not stay with them.
    body = """
    for format in "csr csc coo dcsr dok bytemap hash lil dcsc ell jad bitmap rle".split():
        B = A.asformat(format)
        B @ B, ow.evaluate("y(i,j) = a(i,k) * b(k,j)", "csr", a=B, b=C), np.maximum(A, B), np.cumsum(B, 0)
    # What a result in place of another one leaves is kept for the next such run, until somebody needs it.
    kernels = [ow.kernel(f"y(i,j) = A(i,j) + {k}") for k in range(1, 11)]
    for kernel in kernels:
        y = kernel(A=A)
        kernel(A=A, out=y), kernel(A=A, out=y)
    del y
    many = ow.evaluate("y(i,j,k) = A(i,j) * v(k)", "dense", A=A, v=np.ones(18))
    del many
    # So are other ways of storing an operand, which stay beside it from its second use on.
    used = [A.asformat("dok") for _ in range(8)]
    for B in used * 3:
        np.ones(n) @ B
    many = ow.evaluate("y(i,j,k) = A(i,j) * v(k)", "dense", A=A, v=np.ones(19))
    """
    script(HEAD, body, 120, OPENWORK_MEMORY_LIMIT="200M", OPENBLAS_NUM_THREADS="1")
