"""Functions of Python in statements, against the same functions in NumPy."""

import math

import numpy as np
import pytest

import openwork as ow

A = np.array([[3.0, 0.0, -2.0], [0.0, 0.0, 1.5]])
B = np.array([[1.0, 5.0, 0.0], [0.0, 2.0, -1.5]])


def _sparse(x, format="csr"):
    return ow.asarray(x, format=format)


@pytest.mark.parametrize("format", ["csr", "coo", "dense", "bitmap"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x * y + x,
        lambda x, y: abs(x - y),
        lambda x, y: np.hypot(x, y),
        lambda x, y: np.where(x > y, x, y * 2),
        lambda x, y: np.minimum(np.maximum(x, 0), 1) + y,
        lambda x, y: -x + 3 * y**2,
        lambda t1, t2: np.where(np.logical_and(t1, np.logical_not(t2)), abs(t1 * t1 * t2 + t1 * t2 * t2 + t1 * 3 + t2 * 5), t2),
        lambda x, y: ow.where((x != 0) & (y != 0), 1.0, 0.0),
    ],
)
def test_a_lambda_is_what_numpy_makes_of_it(f, format):
    got = ow.evaluate("C(i,j) = f(A(i,j), B(i,j))", A=_sparse(A, format), B=_sparse(B, format), f=ow.function(f))
    np.testing.assert_allclose(got.todense(), f(A, B))


def test_values_that_are_used_often_are_computed_once():
    def power(x):
        for _ in range(30):
            x = x * x + 0.001
        return x

    f = ow.function(power)
    assert len(f.text("f")) < 3000
    got = ow.evaluate("y(i) = f(x(i))", x=[0.5, 0.0], f=f)
    np.testing.assert_allclose(got.todense(), [power(0.5), power(0.0)])


def test_loops():
    steps = ow.function(lambda x: ow.loop(lambda t, n: t > 1, lambda t, n: (t / 2, n + 1), x, 0 * x)[1])
    got = ow.evaluate("y(i) = f(x(i))", x=[12.0, 0.5, 1024.0], f=steps)
    assert got.todense().tolist() == [4.0, 0.0, 10.0]
    assert ow.loop(lambda t: t > 1, lambda t: t / 2, 12.0) == 0.75
    endless = ow.function(lambda x: ow.loop(lambda t: t > 1, lambda t: t + 1, x))
    with pytest.raises(ow.OpenworkError, match="E0607"):
        ow.evaluate("y(i) = f(x(i))", x=[2.0], f=endless)


def test_what_is_said_decides_what_is_visited():
    only = ow.function(lambda x, y: np.where(y == 0, x, 0), over="{x != 0} & !{y != 0}")
    made = ow.evaluate("C(i,j) = f(A(i,j), B(i,j))", A=_sparse(A), B=_sparse(B), f=only)
    assert made.todense().tolist() == np.where(B == 0, A, 0).tolist()
    # An element of A beside one of B is no part of the result.
    assert made.nnz == 1
    larger = ow.function(
        lambda x, y: np.where(x > y, x, y), commutative=True, associative=True, idempotent=True, identity=-np.inf
    )
    top = ow.evaluate("y(i) = f(j, A(i,j))", A=_sparse(A), f=larger)
    assert top.todense().tolist() == A.max(axis=1).tolist()
    both = ow.evaluate_all("y(i) = f(j, A(i,j)); z = f(i, y(i))", A=_sparse(A), f=larger)
    assert both["z"].item() == A.max()


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: ow.function(lambda x: x if x > 0 else -x), "np.where"),
        (lambda: ow.function(lambda x: x and 1), "np.where"),
        (lambda: ow.function(lambda x: [x]), "list"),
        (lambda: ow.function(lambda x: np.sum(x)), "numpy.sum"),
        (lambda: ow.function(lambda x: float(x)), "np.rint"),
        (lambda: ow.function(lambda x: math.sin(x)), "np.sin"),
        (lambda: ow.function(lambda x: round(x)), "np.rint"),
        (lambda: ow.function(lambda x: sum(range(x))), "np.rint"),
        (lambda: ow.function(lambda x: np.reciprocal(x)), "numpy.reciprocal.*\\n.*1 / x"),
        (lambda: ow.function(lambda x: np.divmod(x, 2)[0]), "numpy.divmod"),
        (lambda: ow.evaluate("C(i,j) = f(A(i,j))", A=A, f=lambda x: x), r"f=openwork.function\(…\)"),
        (lambda: ow.evaluate("C(i,j) = f(A(i,j))", A=A, f=np.sin), r"f=openwork.function\(…\)"),
        (lambda: ow.function(lambda *x: x[0]), "lambda x, y"),
        (lambda: ow.function(lambda: 1), "lambda x, y"),
        (lambda: ow.function(max), "lambda x, y"),
    ],
)
def test_what_cannot_be_traced_is_refused(make, part):
    with pytest.raises((ow.OpenworkError, TypeError), match=part):
        make()


@pytest.mark.parametrize("f", [f for f in vars(np).values() if isinstance(f, np.ufunc)], ids=lambda f: f.__name__)
def test_ufuncs_are_functions_of_statements_or_refused_by_name(f):
    try:
        made = ow.function((lambda x: f(x)) if f.nin == 1 else (lambda x: f(x, 3)))
    except ow.UnsupportedError as refused:
        assert f"numpy.{f.__name__} is no function" in str(refused)
        return
    for x in (np.array([4.0, 2.5, -1.0]), np.array([4, 2, -1])):
        try:
            with np.errstate(all="ignore"):
                want = f(x) if f.nin == 1 else f(x, 3)
        except TypeError:
            with pytest.raises(ow.DTypeError):
                ow.evaluate("y(i) = f(x(i))", x=x, f=made)
        else:
            np.testing.assert_allclose(ow.evaluate("y(i) = f(x(i))", x=x, f=made).todense(), want, rtol=1e-14)


def test_what_does_not_hold_is_refused():
    wrong = ow.function(lambda x, y: x - y, commutative=True)
    with pytest.raises(ow.OpenworkError, match="E0216"):
        ow.evaluate("C(i,j) = f(A(i,j), B(i,j))", A=_sparse(A), B=_sparse(B), f=wrong)
