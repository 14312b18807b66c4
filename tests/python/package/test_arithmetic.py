"""The two arithmetics beside infinities and NaN, in every format."""

import numpy as np
import pytest

import openwork as ow

FORMATS = ["dense", "csr", "csc", "dcsr", "coo", "dok", "hash", "bitmap", "bytemap", "ell", "dia", "bcsr(2,2)", "sell(2)", "rle"]

A = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, np.inf]])
X = np.array([[1.0, np.inf, np.nan], [np.nan, 0.0, np.inf], [0.0, -np.inf, 2.0]])


def annihilated(a, b):
    with np.errstate(invalid="ignore"):
        return np.where((a == 0) | (b == 0), 0.0, a * b)


@pytest.mark.parametrize("format", FORMATS)
def test_products(format):
    a = ow.asarray(A, format=format)
    ours = ow.evaluate("Y(i,j) = A(i,j) * X(i,j)", A=a, X=X).todense()
    np.testing.assert_array_equal(ours, annihilated(A, X))
    sums = annihilated(A[:, :, None], X[None, :, :]).sum(axis=1)
    np.testing.assert_array_equal(np.asarray(ow.einsum("ij,jk->ik", a, X).todense()), sums)
    with np.errstate(invalid="ignore"):
        exact = ow.evaluate("Y(i,j) = A(i,j) * X(i,j)", exact=True, A=a, X=X).todense()
        np.testing.assert_array_equal(exact, A * X)
        with ow.exact():
            np.testing.assert_array_equal(ow.evaluate("y(i) = A(i,j) * x(j)", A=a, x=X[0]).todense(), A @ X[0])
            product = a * X
            product = product.todense() if isinstance(product, ow.Array) else product
            np.testing.assert_array_equal(product, A * X)
        np.testing.assert_array_equal(ow.einsum("ij,jk->ik", a, X, exact=True).todense(), (A[:, :, None] * X).sum(axis=1))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("other", ["dense", "csr", "dcsr"])
def test_quotients(format, other):
    a, x = ow.asarray(A, format=format), ow.asarray(X, format=other)
    with np.errstate(invalid="ignore", divide="ignore"):
        for exact in (False, True):
            ours = ow.evaluate("Y(i,j) = A(i,j) / X(i,j)", exact=exact, A=a, X=x).todense()
            np.testing.assert_array_equal(ours, A / X)
            d = np.array([2.0, 0.0, 4.0])
            ours = ow.evaluate("Y(i,j) = A(i,j) / d(i)", exact=exact, A=a, d=d).todense()
            np.testing.assert_array_equal(ours, A / d[:, None])
            ours = ow.evaluate("Y(i,j) = A(i,j) / sum(k, A(i,k))", exact=exact, A=a).todense()
            np.testing.assert_array_equal(ours, A / A.sum(axis=1, keepdims=True))


def test_the_result_is_sparse_where_nothing_is_divided_by_zero():
    n = 1000
    a = ow.asarray(np.diag(np.arange(1.0, n + 1)), format="csr")
    for d in (np.full(n, 2.0), np.full(n, np.inf)):
        y = ow.evaluate("Y(i,j) = A(i,j) / d(i)", A=a, d=d)
        assert (y.format, y.nnz, y.fill_value) == ("csr", n, 0.0)
    # A row of NaN beside the elements, which are as many with it as without.
    for other in (2.0, np.inf):
        d = np.full(n, other)
        d[7] = 0.0
        assert ow.evaluate("Y(i,j) = A(i,j) / d(i)", A=a, d=d).nnz == 2 * n - 1


def test_equal_matrices_differ_nowhere():
    a, b = (ow.asarray(np.eye(5), format="csr") for _ in range(2))
    assert (a != b).nnz == 0 and (a - b).nnz == 0 and (a > 1).nnz == 0 and (a + b).nnz == 5


SPECIAL = [float("inf"), float("-inf"), float("nan"), np.float32("inf"), np.float64("nan")]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("value", SPECIAL)
def test_operators_take_infinite_and_undefined_scalars(value, exact):
    dense = np.array([[1.0, 0.0, -2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.5]])
    for format in ("csr", "dense", "dok", "dia"):
        a = ow.asarray(dense, format=format)
        with ow.exact(exact):
            results = {
                "sum": (a + value, dense + value),
                "difference": (value - a, value - dense),
                "greater": (a > value, dense > value),
                "equal": (a == value, dense == value),
                "product": (a * value, dense * value),
                "quotient": (a / value, dense / value),
            }
        for name, (got, want) in results.items():
            if name == "product" and not exact:
                want = np.where(dense == 0, 0.0, want)
            got = got if isinstance(got, np.ndarray) else got.todense()
            np.testing.assert_array_equal(got, want, f"{name} of {format} with {value}")
    integers = ow.asarray(np.array([1, 0, 3]), format="sv")
    np.testing.assert_array_equal((integers + value).todense(), np.array([1, 0, 3]) + value)


def test_statements_have_infinities():
    A = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr")
    far = ow.evaluate("y(i,j) = A(i,j) + inf * (A(i,j) == 0)", A=A)
    np.testing.assert_array_equal(far.todense(), [[np.inf, 2.0], [3.0, np.inf]])
    with pytest.raises(Exception, match="is a value"):
        ow.evaluate("y(i) = inf(i)", inf=[1.0])


def test_operators_that_ran_before_are_exact_as_well():
    a, x = ow.asarray([[0.0, 1.0], [2.0, 0.0]], "csr"), np.array([[np.inf, np.inf], [1.0, np.nan]])
    for operate in (lambda: a * x, lambda: a @ x, lambda: a * x[0], lambda: ow.einsum("ij,ij->ij", a, x)):
        dense = lambda y: y.todense() if isinstance(y, ow.Array) else y  # noqa: E731
        usual = dense(operate())
        with ow.exact():
            found = dense(operate())
        assert np.isnan(found).sum() > np.isnan(usual).sum()
        np.testing.assert_array_equal(dense(operate()), usual)
