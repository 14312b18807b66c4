"""Indices that are values, beside NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow

N = 60
FORMATS = ["csr", "csc", "coo", "dcsr", "csf", "dense", "dok", "sell(8)", "bcsr(2,2)", "rle", "dia", "bitmap", "hash", "lil"]
INTEGERS = ["int8", "uint8", "int16", "uint32", "int32", "int64", "uint64"]


def values(statement, **operands):
    made = ow.evaluate(statement, **operands)
    return made if isinstance(made, np.ndarray) else made.todense()


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def matrix(rng):
    return sp.random_array((N, N), density=0.1, format="csr", rng=rng)


@pytest.mark.parametrize("format", FORMATS)
def test_rows_columns_and_points(matrix, rng, format):
    A, D = ow.asarray(matrix, format=format), matrix.toarray()
    p, q = rng.integers(0, N, 2 * N), rng.integers(0, N, 30)
    pairs = rng.integers(0, N, (2, 40))
    assert np.array_equal(values("C(i,j) = A(p(i),j)", A=A, p=p), D[p])
    assert np.array_equal(values("C(i,j) = A(i,q(j))", A=A, q=q), D[:, q])
    assert np.array_equal(values("C(i,j) = A(p(i),q(j))", A=A, p=p, q=q), D[np.ix_(p, q)])
    at = values("y(i) = A(r(i),s(i))", A=A, r=pairs[0], s=pairs[1])
    assert np.array_equal(at, D[pairs[0], pairs[1]])
    assert np.array_equal(values("y(j) = A((s),j)", A=A, s=7), D[7])
    assert np.array_equal(values("y(j) = A(3,j)", A=A), D[3])
    assert np.array_equal(values("y(i) = A(i,-1)", A=A), D[:, -1])
    assert np.allclose(values("y(i) = A(p(i),j) * A(p(i),j)", A=A, p=p), (D[p] ** 2).sum(1))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("format", ["dense", "sv", "rle", "bytemap"])
def test_positions_of_any_dtype_and_format(rng, dtype, format):
    x = rng.random(50)
    p = rng.integers(0, 50, 200).astype(dtype)
    got = values("y(i) = x(p(i)) + x((7 * i) % 50)", x=x, p=ow.asarray(p, format=format))
    assert np.array_equal(got, x[p] + x[(7 * np.arange(200)) % 50])


def test_twice_and_in_sums(rng):
    parent = rng.integers(0, 100, 100)
    assert np.array_equal(values("q(i) = p(p(i))", p=parent), parent[parent])
    E, w = rng.random((100, 16)), rng.random(100)
    got = values("y(k) = sum(i, w(i) * E(p(i),k))", E=E, w=w, p=parent)
    assert np.allclose(got, w @ E[parent])
    got = values("m(k) = max(i, E(p(i),k))", E=E, p=parent)
    assert np.array_equal(got, E[parent].max(0))


@pytest.mark.parametrize("bad", [-1, 50, 2**40, -(2**63)])
def test_positions_that_are_none(rng, bad):
    x, p = rng.random(50), np.arange(10)
    p[6] = bad
    with pytest.raises(ow.OpenworkError, match="E0608.*") as refused:
        ow.evaluate("y(i) = x(p(i))", x=x, p=p)
    assert f"`p(i)` is {bad} at i = 6" in str(refused.value)
    kept = values("y(i) = where((p(i) >= 0) & (p(i) < 50), x(p(i)), -1)", x=x, p=p)
    assert kept[6] == -1 and np.array_equal(kept[:6], x[:6])
    # What was looked at is looked at again where others may write to it.
    p[6] = 3
    assert values("y(i) = x(p(i))", x=x, p=p)[6] == x[3]
    p[6] = bad
    with pytest.raises(ow.OpenworkError, match="E0608"):
        ow.evaluate("y(i) = x(p(i))", x=x, p=p)


def test_positions_are_integers(rng):
    with pytest.raises(ow.OpenworkError, match="E0204"):
        ow.evaluate("y(i) = x(p(i))", x=rng.random(5), p=rng.random(5))
