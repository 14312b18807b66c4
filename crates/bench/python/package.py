"""The Python package beside SciPy in one process: `python crates/bench/python/package.py [FILTER] [--quick]`.

Results are compared first. Runs of both are interleaved, so that a busy machine slows both; printed are the medians,
their ratio (above 1 the package is faster), and for tiny operands what a call costs.
"""

import platform
import sys
import time

import numpy as np
import scipy
import scipy.sparse as sp

import openwork as ow
from openwork import _core

QUICK = "--quick" in sys.argv
FILTER = next((a for a in sys.argv[1:] if not a.startswith("-")), "")
ROUNDS = 7 if QUICK else 31


def once(f, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        f()
    return (time.perf_counter() - start) / repeat


def medians(*functions):
    """The median time of each, runs interleaved."""
    for f in functions:
        f()
        f()
    repeats = [max(1, int(2e-3 / max(once(f, 1), 1e-7))) for f in functions]
    times = [[once(f, r) for f, r in zip(functions, repeats)] for _ in range(ROUNDS)]
    return np.median(times, axis=0)


def overhead():
    """What calls on tiny operands cost; the kernel itself takes about 0.1 microseconds there."""
    a = sp.random_array((4, 4), density=0.5, format="csr", rng=0)
    A, x = ow.asarray(a), np.ones(4)
    X = ow.asarray(x)
    product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": A._tensor.layout}).prepare(A=A)
    spared = product(x=X)
    calls = {
        "kernel(x=Array)": lambda: product(x=X),
        "kernel(x=Array, out=y)": lambda: product(x=X, out=spared),
        "kernel(x=ndarray)": lambda: product(x=x),
        "A @ Array": lambda: A @ X,
        "A @ ndarray": lambda: A @ x,
        "A + A": lambda: A + A,
        "2.0 * A": lambda: 2.0 * A,
        "evaluate": lambda: ow.evaluate("y(i) = A(i,j) * x(j)", A=A, x=X),
        "einsum": lambda: ow.einsum("ij,j->i", A, X),
        "asarray(ndarray)": lambda: ow.asarray(x),
        "asarray(csr)": lambda: ow.asarray(a),
        "SciPy: a @ x": lambda: a @ x,
        "SciPy: a + a": lambda: a + a,
    }
    for name, time_s in zip(calls, medians(*calls.values())):
        print(f"call      {name:24} {time_s * 1e6:9.2f} us")


def same(got, want):
    dense = got.todense() if isinstance(got, ow.Array) else got
    wanted = want.toarray() if sp.issparse(want) else want
    np.testing.assert_allclose(dense, wanted, rtol=1e-12)


def beside_scipy():
    sizes = [(2_000, 5), (20_000, 5), (100_000, 10)] + ([] if QUICK else [(300_000, 10)])
    for n, per_row in sizes:
        a, b = (sp.random_array((n, n), density=per_row / n, format="csr", rng=r) for r in (0, 1))
        A, B, x = ow.asarray(a), ow.asarray(b), np.random.default_rng(2).random(n)
        d = sp.diags_array(x)
        D = ow.asarray(d)
        # Nine diagonals; truth values; a few columns, and all of them in another order.
        e = sp.diags_array([x] * 9, offsets=range(-4, 5), shape=(n, n))
        E = ow.asarray(e)
        p, q, r = (m.astype(bool) for m in (a, b, a.T.tocsr()))
        P, Q, R = (ow.asarray(m) for m in (p, q, r))
        some, order = [0, 1, n // 2], np.random.default_rng(3).permutation(n)
        cases = {
            "A @ x": (lambda: A @ x, lambda: a @ x),
            "A @ B": (lambda: A @ B, lambda: a @ b),
            "A + B": (lambda: A + B, lambda: a + b),
            "A.multiply(B)": (lambda: A.multiply(B), lambda: a.multiply(b)),
            "A * 2.0": (lambda: A * 2.0, lambda: a * 2.0),
            "abs(A)": (lambda: abs(A), lambda: abs(a)),
            "A ** 2": (lambda: A**2, lambda: a**2),
            "np.sqrt(abs(A))": (lambda: np.sqrt(abs(A)), lambda: np.sqrt(abs(a))),
            "A * A": (lambda: A * A, lambda: a * a),
            "D @ A": (lambda: D @ A, lambda: d @ a),
            "E @ E": (lambda: E @ E, lambda: e @ e),
            "P ^ Q ^ R": (
                lambda: ow.evaluate("y(i,j) = p(i,j) ^ q(i,j) ^ r(i,j)", "csr", p=P, q=Q, r=R),
                lambda: (p != q) != r,
            ),
            "A[:, some]": (lambda: A[:, some], lambda: a[:, some]),
            "A[:, order]": (lambda: A[:, order], lambda: a[:, order]),
            "A.T.tocsr()": (lambda: A.T.tocsr(), lambda: a.T.tocsr()),
            "import": (lambda: ow.asarray(a), lambda: a.copy()),
        }
        for name, (ours, theirs) in cases.items():
            if FILTER not in name:
                continue
            try:
                if n <= 2_000 and name != "import":
                    same(ours(), theirs())
                mine, scipys = medians(ours, theirs)
            except ow.OpenworkError as e:
                print(f"{a.nnz:9} {name:14} refused: {e.message}")
                continue
            times = f"{mine * 1e6:11.1f} us   SciPy {scipys * 1e6:11.1f} us"
            print(f"{a.nnz:9} {name:14} {times}   ratio {scipys / mine:5.2f}")


print(
    f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, {platform.processor()}"
)
print(f"backend {_core.backend()}, {ow.get_num_threads()} thread")
if not FILTER:
    overhead()
beside_scipy()
