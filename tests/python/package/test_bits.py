"""The same statement on equal operands has the same bits: in every run, on any number of threads, in any process."""

import hashlib
import json

import numpy as np
import pytest
import scipy.sparse as sp
from process import script

import openwork as ow

STATEMENTS = {
    "two products": "C(i,j) = 2.1 * A(i,j) * A(i,j) + 0.3 * A(i,j)",
    "a quotient": "C(i,j) = A(i,j) / 3 + B(i,j) * 1.7",
    "a row beside": "C(i,j) = A(i,j) * x(j) + A(i,j)",
    "a product with a vector": "C(i) = A(i,j) * x(j) + 0.3 * x(i)",
    "a product with a matrix": "C(i,k) = A(i,j) * X(j,k)",
    "a sampled product": "C(i,j) = A(i,j) * X(i,k) * X(j,k)",
    "sums of rows": "C(i) = sum(j, 0.3 * A(i,j) + 1.7 * B(i,j))",
    "sums of columns": "C(j) = A(i,j) * x(i)",
}
FORMATS = ["csr", "csc", "coo", "dcsr", "csf", "dense", "sell(8)", "bcsr(2,2)"]
DTYPES = ["float32", "float64"]
N = 400


def operands(format, dtype):
    rng = np.random.default_rng(7)
    A, B = (sp.random_array((N, N), density=0.02, format="csr", rng=rng).astype(dtype) for _ in range(2))
    A, B = (ow.asarray(M if format != "dense" else M.toarray()).asformat(format) for M in (A, B))
    return {"A": A, "B": B, "x": rng.random(N).astype(dtype), "X": rng.random((N, 9)).astype(dtype)}


def digest(result):
    return hashlib.sha256(np.ascontiguousarray(result.todense()).tobytes()).hexdigest()[:16]


def results(name, format, dtype, runs):
    text = STATEMENTS[name]
    given = {n: a for n, a in operands(format, dtype).items() if f"{n}(" in text.partition("=")[2]}
    return [digest(ow.evaluate(text, **given)) for _ in range(runs)]


def every(runs):
    return {f"{n} {f} {d}": results(n, f, d, runs) for n in STATEMENTS for f in FORMATS for d in DTYPES}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", STATEMENTS)
def test_runs_have_the_bits_of_the_first(name, format):
    before = ow.get_num_threads()
    try:
        for dtype in DTYPES:
            found = set()
            for threads in (1, 2, 1):
                ow.set_num_threads(threads)
                found.update(results(name, format, dtype, 4))
            assert len(found) == 1, f"{len(found)} results of {dtype}"
    finally:
        ow.set_num_threads(before)


def test_processes_have_the_same_bits():
    head = "import sys; sys.path.insert(0, {!r})\nfrom test_bits import every\nimport json\n".format(__file__.rpartition("/")[0])
    told = json.loads(script(head, "print(json.dumps(every(1)))", 300))
    assert told == every(1)


ORDERS = {
    "a chain": ("y(i) = A(i,j) * B(j,k) * x(k)", [(33, 63), (1030, 2040)]),
    "a list": ("y(i) = A(i,j) * B(j,k) * x(k); z(i) = 2.0 * y(i)", [(33, 63), (1030, 2040)]),
    "a sum of all": ("y(i) = x(i) * sum(j, x(j) * x(j))", [(2050, 4000), (131073, 262143)]),
    "a sampled product": ("C(i,j) = A(i,j) * B(i,k) * A(k,j)", [(260, 510), (520, 1020)]),
    "sums of columns": ("y(j) = A(i,j) * x(i)", [(520, 1020), (16390, 32700)]),
}


def order_results(sizes):
    made = []
    for name, (text, pairs) in ORDERS.items():
        for pair in pairs:
            for format in ("csr", "dense") if pair[1] < 1000 else ("csr",):
                for n in [pair[k] for k in sizes]:
                    M = sp.random_array((n, n), density=8 / n, format="csr", rng=np.random.default_rng(n))
                    x = np.random.default_rng(n).random(n)
                    every = {"A": ow.asarray(M).asformat(format), "B": ow.asarray(M.T.tocsr()).asformat(format), "x": x}
                    given = {v: a for v, a in every.items() if f"{v}(" in text}
                    out = ow.evaluate_all(text, **given) if ";" in text else ow.evaluate(text, **given)
                made.append(digest(list(out.values())[-1] if isinstance(out, dict) else out))
    return made


def test_operands_of_other_sizes_before_make_no_difference():
    # A plan is kept for all operands of the same order of magnitude: it must not be that of the first ones.
    head = "import sys; sys.path.insert(0, {!r})\nfrom test_bits import order_results\nimport json\n".format(__file__.rpartition("/")[0])
    assert json.loads(script(head, "print(json.dumps(order_results([1])))", 300)) == order_results([0, 1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exact", [False, True])
def test_what_cancels_is_zero(exact, dtype):
    # A product is rounded before what somebody wrote is added to it, as NumPy's is.
    rng = np.random.default_rng(3)
    X, Y = rng.random((2, 60, 70)).astype(dtype)
    v = rng.random(1000).astype(dtype)
    with ow.exact(exact):
        for _ in range(4):
            for format in ("dense", "csr"):
                given = [ow.asarray(x).asformat(format) for x in (X, Y, -(X * Y))]
                assert not ow.evaluate("o(i,j) = X(i,j) * Y(i,j) + Z(i,j)", X=given[0], Y=given[1], Z=given[2]).todense().any()
            y = ow.evaluate("y(i) = sqrt(c * x(i) + z(i))", c=v.dtype.type(0.3), x=v, z=-(v.dtype.type(0.3) * v)).todense()
            assert (y == 0).all()


def test_sums_of_products_are_rounded_once_unless_exact():
    # One product and what is there already: exact arithmetic rounds both, as NumPy does; a sum rounds once where machines can.
    a, b = np.array([1 + 2.0**-30, -1.0]), np.array([1 + 2.0**-30, 1 + 2.0**-29])
    text = "s = sum(i, a(i) * b(i))"
    assert ow.evaluate(text, exact=True, a=a, b=b) == a[0] * b[0] + a[1] * b[1] == 0
    assert ow.evaluate(text, a=a, b=b) in (0, 2.0**-60)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "hash", "dense"])
def test_parentheses_of_elements_are_kept(format, exact):
    # Large enough that the terms of a sum are added up one after the other instead of merged.
    n = 40
    for a, b in ((1e-20, 1.0), (1.7e308, 1.7e308)):
        A, B, D = (ow.asarray(np.full((n, n), x)).asformat(format) for x in (a, b, b))
        for text in ("A(i,j) + (B(i,j) - D(i,j))", "A(i,j) - (B(i,j) - D(j,i))", "(B(i,j) - D(i,j)) + A(i,j)"):
            assert (ow.evaluate(f"C(i,j) = {text}", exact=exact, A=A, B=B, D=D).todense() == a).all(), text


def test_statements_of_a_sequence_have_the_bits_that_they_have_alone():
    given = {n: a for n, a in operands("csr", "float64").items() if n in "Ax"}
    alone = ow.evaluate("y(i) = A(i,j) * x(j) + 0.3 * x(i)", **given)
    made = ow.evaluate_all("y(i) = A(i,j) * x(j) + 0.3 * x(i); n = y(i) * y(i)", results=["y", "n"], **given)
    assert digest(made["y"]) == digest(alone)
    # What is added up over the parts of one loop is so in another order, the same in every run.
    assert np.isclose(made["n"].item(), ow.evaluate("n = y(i) * y(i)", y=alone).item(), rtol=1e-13)
    again = ow.evaluate_all("y(i) = A(i,j) * x(j) + 0.3 * x(i); n = y(i) * y(i)", results=["y", "n"], **given)
    assert digest(again["n"]) == digest(made["n"])
    kernel = ow.kernel("y(i) = A(i,j) * x(j) + 0.3 * x(i)", {"A": "csr"})
    assert digest(kernel(**given)) == digest(kernel.prepare(A=given["A"])(x=given["x"])) == digest(alone)
