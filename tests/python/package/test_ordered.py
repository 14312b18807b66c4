"""Reductions in which order matters: first and last values, places of extremes, functions that do not commute."""

import numpy as np
import pytest

import openwork as ow

VECTORS = ["dense", "sv", "hash", "bytemap", "bitmap", "rle", "coo"]
MATRICES = ["dense", "csr", "csc", "coo", "dcsr", "csf", "ell", "dia", "bcsr(2,2)", "dok", "lil", "rle", "jad", "sell", "csb", "hash"]
LAST = "def last(x, y): associative, identity(0) = where(y != 0, y, x);"


@pytest.fixture
def rng():
    return np.random.default_rng(46)


def thin(rng, shape, dtype=np.float64):
    return (rng.integers(-3, 4, shape) * (rng.random(shape) < 0.4)).astype(dtype)


def values(*args, **operands):
    return np.asarray(ow.asarray(ow.evaluate(*args, **operands)).todense())


def first(x):
    """The first value that is not 0."""
    found = np.flatnonzero(x)
    return x[found[0]] if len(found) else x.dtype.type(0)


def last(x):
    return first(x[::-1])


@pytest.mark.parametrize("format", MATRICES)
def test_first_last_and_extreme_of_rows_and_columns(rng, format):
    for shape in [(6, 8), (8, 3), (1, 1), (5, 1)]:
        for dtype in [np.float64, np.int32, np.complex128]:
            A = thin(rng, shape, dtype)
            a = ow.asarray(A, format=format)
            cases = {
                "y(i) = choose(j, A(i,j))": [first(row) for row in A],
                "y(j) = choose(i, A(i,j))": [first(column) for column in A.T],
                "y = choose(i,j, A(i,j))": first(A.ravel()),
                "y = choose(j,i, A(i,j))": first(A.T.ravel()),
                LAST + "y(i) = last(j, A(i,j))": [last(row) for row in A],
                LAST + "y(j) = last(i, A(i,j))": [last(column) for column in A.T],
                LAST + "y = last(i,j, A(i,j))": last(A.ravel()),
                LAST + "y = last(j,i, A(i,j))": last(A.T.ravel()),
            }
            if dtype is not np.complex128:
                cases |= {
                    "y(i) = argmin(j, A(i,j))": A.argmin(axis=1),
                    "y(i) = argmax(j, A(i,j))": A.argmax(axis=1),
                    "y(j) = argmin(i, A(i,j))": A.argmin(axis=0),
                    "y(j) = argmax(i, A(i,j))": A.argmax(axis=0),
                    "y(i) = argmax(j, 2 - A(i,j))": A.argmin(axis=1),
                }
            for statement, want in cases.items():
                got = values(statement, A=a)
                assert np.array_equal(got, want), (statement, shape, dtype, A, got)


def test_nan_and_infinities(rng):
    A = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0, -1.0], (200, 5))
    for format in ["dense", "csr", "csc", "coo", "rle"]:
        a = ow.asarray(A, format=format)
        assert np.array_equal(values("y(i) = choose(j, A(i,j))", A=a), [first(row) for row in A], equal_nan=True)
        for exact in (False, True):
            got = ow.evaluate("y(i) = argmin(j, A(i,j))", A=a, exact=exact).todense()
            assert np.array_equal(got, A.argmin(axis=1)), format


def test_no_values():
    assert values("y(i) = argmin(j, A(i,j))", A=np.zeros((2, 0))).tolist() == [-1, -1]
    assert values("y(i) = choose(j, A(i,j))", A=np.zeros((2, 0))).tolist() == [0, 0]


@pytest.mark.parametrize("format", VECTORS)
def test_updates_keep_what_is_there(rng, format):
    for _ in range(10):
        y, x, p = thin(rng, 9), thin(rng, 40), rng.integers(0, 9, 40)
        want = y.copy()
        for place, value in zip(p, x):
            if want[place] == 0:
                want[place] = value
        for result in VECTORS:
            given = {"x": ow.asarray(x, format=format), "y": ow.asarray(y, format=result)}
            assert np.array_equal(values("y(p(i)) choose= x(i)", result, p=p, **given), want)
        A = thin(rng, (9, 5))
        want = [old if old else first(row) for old, row in zip(y, A)]
        assert np.array_equal(values("y(i) choose= A(i,j)", y=ow.asarray(y, format=format), A=A), want)


def test_any_number_of_threads_gives_the_same(rng):
    n = 60_000
    A = ow.asarray(rng.random((n, 50)) * (rng.random((n, 50)) < 0.02), format="csr")
    x, p = thin(rng, n), rng.integers(0, 700, n)
    statements = ["y = choose(i,j, A(i,j) * (A(i,j) > 0.999))", "y(j) = choose(i, A(i,j))", LAST + "y(j) = last(i, A(i,j))", LAST + "y = last(i,j, A(i,j))"]
    found = []
    before = ow.get_num_threads()
    try:
        for threads in (1, 2, 4):
            ow.set_num_threads(threads)
            each = [values(s, A=A).tolist() for s in statements]
            each.append(values("y(p(i)) choose= x(i)", y=np.zeros(700), x=x, p=p).tolist())
            found.append(each)
    finally:
        ow.set_num_threads(before)
    dense = A.todense()
    assert found[0] == found[1] == found[2]
    assert found[0][1] == [first(column) for column in dense.T] and found[0][2] == [last(column) for column in dense.T]
    assert found[0][3] == last(dense.ravel())
    assert found[0][4] == [first(x[p == k]) for k in range(700)]


def test_functions_of_python_reduce_in_order(rng):
    keep_last = ow.function(lambda x, y: np.where(y != 0, y, x), associative=True, identity=0)
    A = thin(rng, (7, 9))
    for format in ["dense", "csr", "csc", "coo"]:
        a = ow.asarray(A, format=format)
        assert np.array_equal(keep_last.reduce(a, axis=1).todense(), [last(row) for row in A])
        assert np.array_equal(keep_last.reduce(a, axis=0).todense(), [last(column) for column in A.T])
        assert keep_last.reduce(a, axis=None) == last(A.ravel())


def test_label_propagation(rng):
    """The most frequent label among neighbours, the smallest of several."""
    n, k = 60, 5
    G = (rng.random((n, n)) < 0.1).astype(float)
    np.fill_diagonal(G, 1.0)
    labels = rng.integers(0, k, n)
    counts = np.zeros((n, k))
    for i in range(n):
        for j in np.flatnonzero(G[i]):
            counts[i, labels[j]] += 1
    got = ow.evaluate("C(i,c) = G(i,j) * (l(j) == c)", dims={"c": k}, G=ow.asarray(G, format="csr"), l=labels)
    assert np.array_equal(ow.asarray(got).todense(), counts)
    assert np.array_equal(values("y(i) = argmax(c, C(i,c))", C=got), counts.argmax(axis=1))
