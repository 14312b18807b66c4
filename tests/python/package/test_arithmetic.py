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


SQUARE = np.array([[1.0, 0.0, 2.0], [0.0, np.nan, 0.0], [0.0, 3.0, np.inf]])
OTHER = np.array([[1.0, np.inf, np.nan], [np.nan, 0.0, np.inf], [0.0, -np.inf, 2.0]])
ROW = np.array([np.inf, 0.0, np.nan])
ALIKE_NUMPY = {
    "product": lambda a, b, v: a * b,
    "product with a row": lambda a, b, v: a * v,
    "product with a column": lambda a, b, v: v[:, None] * a,
    "product with 0": lambda a, b, v: b * 0,
    "product with infinity": lambda a, b, v: np.inf * a,
    "product with NaN": lambda a, b, v: a * np.float32(np.nan),
    "product with a number of ours": lambda a, b, v: a * v[0],
    "multiply": lambda a, b, v: np.multiply(a, b),
    "matrices": lambda a, b, v: a @ b,
    "a vector": lambda a, b, v: a @ v,
    "a vector before": lambda a, b, v: v @ a,
    "vectors": lambda a, b, v: v @ v,
    "a stack": lambda a, b, v: np.stack([a, b]) @ b,
    "matmul": lambda a, b, v: np.matmul(a, b),
    "dot": lambda a, b, v: np.dot(a, b),
    "dot of it": lambda a, b, v: a.dot(v),
    "vdot": lambda a, b, v: np.vdot(a, b),
    "inner": lambda a, b, v: np.inner(a, b),
    "outer": lambda a, b, v: np.outer(v, v),
    "tensordot": lambda a, b, v: np.tensordot(a, b),
    "einsum": lambda a, b, v: np.einsum("ij,jk->ik", a, b),
    "einsum of three": lambda a, b, v: np.einsum("ij,jk,k->i", a, b, v),
    "einsum of lists": lambda a, b, v: np.einsum(a, [0, 1], b, [0, 1]),
    "kron": lambda a, b, v: np.kron(a, b),
    "prod": lambda a, b, v: a.prod(),
    "prod of columns": lambda a, b, v: np.prod(b, axis=0),
    "prod where": lambda a, b, v: np.prod(b, axis=0, where=[[True], [False], [True]]),
    "multiply.reduce": lambda a, b, v: np.multiply.reduce(b),
    "cumprod": lambda a, b, v: np.cumprod(b, axis=1),
    "sum of products": lambda a, b, v: (a * b).sum(axis=1),
    "max": lambda a, b, v: b.max(),
    "max of rows": lambda a, b, v: b.max(axis=1),
    "min of columns": lambda a, b, v: b.min(axis=0),
    "maximum": lambda a, b, v: np.maximum(a, b),
    "minimum": lambda a, b, v: np.minimum(a, b[::-1]),
    "maximum of a number": lambda a, b, v: np.maximum(b, np.inf),
    "average": lambda a, b, v: np.average(b, axis=1, weights=[1.0, 0.0, 2.0]),
    "trace": lambda a, b, v: np.trace(a @ b),
    "where": lambda a, b, v: np.where(a > 0, a, b) * 0,
    "quotient": lambda a, b, v: a / b,
    "power": lambda a, b, v: a**b,
}


def plain(x):
    return x.todense() if isinstance(x, ow.Array) else np.asarray(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALIKE_NUMPY)
def test_dense_arrays_are_as_exact_as_numpys(name):
    call = ALIKE_NUMPY[name]
    for dtype in ("float64", "float32"):
        x, y, v = (n.astype(dtype) for n in (SQUARE, OTHER, ROW))
        want = call(x, y, v)
        for format in ("dense", "dense:1,0"):
            a, b, w = ow.asarray(x, format), ow.asarray(y, format), ow.asarray(v)
            for operands in ((a, b, w), (a, y, v), (x, b, v), (x, y, w), (a, y, w)):
                got = call(*operands)
                np.testing.assert_array_equal(plain(got), want, f"{name} of {format} and {dtype}")
            with ow.exact():
                np.testing.assert_array_equal(plain(call(a, b, w)), want)


@pytest.mark.filterwarnings("ignore")
def test_a_sparse_operand_or_a_word_against_it_keeps_the_default():
    a, b = ow.asarray(SQUARE), ow.asarray(OTHER)
    s = ow.asarray(SQUARE, "csr")
    products = annihilated(SQUARE, OTHER)
    sums = annihilated(SQUARE[:, :, None], OTHER[None]).sum(axis=1)
    for got in (s * b, s * OTHER, b * s, OTHER * s, np.multiply(s, b), ow.evaluate("y(i,j) = a(i,j) * b(i,j)", a=a, b=b), ow.einsum("ij,ij->ij", a, b)):
        np.testing.assert_array_equal(plain(got), products)
    for got in (s @ b, s @ OTHER, np.einsum("ij,jk->ik", s, b), np.dot(s, OTHER), ow.einsum("ij,jk->ik", a, b), ow.evaluate("y(i,k) = a(i,j) * b(j,k)", a=a, b=b)):
        np.testing.assert_array_equal(plain(got), sums)
    with ow.exact(False):
        np.testing.assert_array_equal(plain(a * b), products)
        np.testing.assert_array_equal(plain(a @ OTHER), sums)
        np.testing.assert_array_equal(plain(np.einsum("ij,jk->ik", a, b)), sums)
        np.testing.assert_array_equal(plain(b * 0), np.zeros((3, 3)))
        assert b[1].max() == np.inf and b.prod() == 0
        with ow.exact():
            np.testing.assert_array_equal(plain(a * b), SQUARE * OTHER)
        np.testing.assert_array_equal(plain(a * b), products)
    np.testing.assert_array_equal(plain(a * b), SQUARE * OTHER)
    # Statements are asked for by word.
    np.testing.assert_array_equal(plain(ow.einsum("ij,ij->ij", a, b, exact=True)), SQUARE * OTHER)
    kept = ow.kernel("y(i,j) = a(i,j) * b(i,j)")
    np.testing.assert_array_equal(plain(kept(a=a, b=b)), products)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dok", "dense"])
def test_kronecker_products_have_the_arithmetic_that_is_asked_for(format):
    a, b = ow.asarray(SQUARE, format), ow.asarray(OTHER, "csr")
    with np.errstate(all="ignore"):
        exact = np.kron(SQUARE, OTHER)
    usual = np.where((np.kron(SQUARE != 0, np.ones((3, 3))) * np.kron(np.ones((3, 3)), OTHER != 0)) == 0, 0.0, exact)
    np.testing.assert_array_equal(plain(np.kron(a, b)), usual)
    with ow.exact():
        np.testing.assert_array_equal(plain(np.kron(a, b)), exact)
        np.testing.assert_array_equal(plain(np.kron(ow.asarray(ROW, "sv"), b)), np.kron(ROW, OTHER))
    # Zeros that are stored decide as others do.
    stored = ow.from_coo(([0, 1], [0, 1]), [0.0, 1.0], (2, 2))
    np.testing.assert_array_equal(plain(np.kron(stored, b))[:3], np.zeros((3, 6)))
