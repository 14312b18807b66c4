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


COMPLEX = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh rint sign "
    "conj conjugate real imag angle isnan isinf isfinite square absolute"
).split()


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", COMPLEX)
def test_functions_of_complex_numbers_are_numpys(name, dtype):
    rng = np.random.default_rng(0)
    z = (rng.standard_normal(60) * 3 + 1j * rng.standard_normal(60) * 3).astype(dtype)
    z = np.concatenate([z, np.array([0, 1, -1, 1j, -1j, complex(-1, -0.0), complex(2, 0), 0.5, complex(np.inf, 1), np.nan], dtype)])
    with np.errstate(all="ignore"):
        want = getattr(np, name)(z)
    got = ow.evaluate(f"y(i) = {name}(z(i))", z=z)
    assert got.dtype == want.dtype
    if want.dtype.kind == "b":
        assert (np.asarray(got) == want).all()
        return
    finite, eps = np.isfinite(want), 4e-15 if dtype == "c16" else 4e-6
    np.testing.assert_allclose(np.asarray(got)[finite], want[finite], rtol=eps, atol=eps)
    # Which parts of what is not finite are NaN, libraries differ about.
    assert not np.isfinite(np.asarray(got)[~finite]).any()


def test_complex_powers_and_parts_of_traced_values():
    rng = np.random.default_rng(1)
    z, w = (rng.standard_normal(40) + 1j * rng.standard_normal(40) for _ in range(2))
    z[:3] = 0, 1, -1
    for text, want in [("z(i) ** w(i)", z**w), ("z(i) ** 3", z**3), ("z(i) ** -2", (z[1:] ** -2.0)), ("z(i) ** 0.5", z**0.5)]:
        got = np.asarray(ow.evaluate(f"y(i) = {text}", z=z, w=w) if "w" in text else ow.evaluate(f"y(i) = {text}", z=z))
        np.testing.assert_allclose(got[-len(want) :][1:], want[1:], rtol=1e-12)
    for f in (lambda x: x.real + x.imag, lambda x: np.real(x) * np.imag(x), lambda x: np.conj(x) * x.conj(), lambda x: np.angle(x)):
        got = np.asarray(ow.evaluate("y(i) = f(z(i))", z=z, f=ow.function(f)))
        np.testing.assert_allclose(got, f(z), rtol=1e-12)


@pytest.mark.parametrize("format", ["csr", "coo", "csc", "bitmap", "dense"])
def test_functions_of_sparse_complex_matrices(format):
    dense = np.array([[1 + 2j, 0, -1j], [0, 0, 3]])
    a = ow.asarray(dense, format)
    for text, want in [
        ("conj(A(i,j))", dense.conj()),
        ("imag(A(i,j))", dense.imag),
        ("exp(A(i,j))", np.exp(dense)),
        ("sin(A(i,j)) * A(i,j)", np.sin(dense) * dense),
    ]:
        np.testing.assert_allclose(ow.evaluate(f"C(i,j) = {text}", A=a).todense(), want)
    y = ow.evaluate("y(i) = sum(j, conj(A(i,j)) * A(i,j))", A=a)
    np.testing.assert_allclose(y.todense(), (abs(dense) ** 2).sum(axis=1))


def test_what_a_function_distributes_over_is_tested():
    scaled = ow.function(lambda x, y: x * y * 2, distributes_over="add")
    a = ow.asarray([[1.0, 2.0], [0.0, 4.0]], "csr")
    y = ow.evaluate("y(i) = sum(j, f(A(i,j), b(i)))", A=a, b=[3.0, 5.0], f=scaled, schedule="precompute(A(i,j), {}, w)")
    np.testing.assert_allclose(y.todense(), [18, 40])
    with pytest.raises(ow.OpenworkError, match="E0216"):
        ow.evaluate("y(i) = f(b(i), b(i))", b=[3.0], f=ow.function(lambda x, y: x + y, distributes_over=("min", "add")))
