"""NumPy's functions on arrays of ours: right, or refused by name; never an object array, never written out unasked."""

import operator
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import overrides

import openwork as ow
from cases import DTYPES, REAL, arrays, check, values

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, -4.0]])
OURS = ["csr", "csc", "coo", "dia", "ell", "bcsr(2,2)", "dense", "dense:1,0", "dcsr", "sv-like"]


def ours(format="csr", x=X):
    return ow.asarray(x, "dcsr" if format == "sv-like" else format)


# SciPy's and NumPy's operators, on either side.

SYMBOLS = [operator.add, operator.sub, operator.mul, operator.eq, operator.lt, operator.ge]


@pytest.mark.parametrize("format", OURS)
@pytest.mark.parametrize("op", SYMBOLS)
def test_operators_reach_us_from_either_side(format, op):
    a, y = ours(format), np.arange(6.0).reshape(2, 3) - 2
    check(op(a, y), op(X, y))
    check(op(y, a), op(y, X))
    check(op(a, np.asfortranarray(y)), op(X, y))
    check(op(np.float64(2), a), op(np.float64(2), X))
    check(op(a, np.float64(2)), op(X, np.float64(2)))
    check(op(np.array(2.0), a), op(2.0, X))
    check(op(y[0], a), op(y[0], X))
    if op in (operator.add, operator.sub, operator.mul):
        for kind in (sp.csr_array, sp.csc_array, sp.coo_array):
            for got in (op(kind(y), a), op(a, kind(y))):
                got = got.todense() if sp.issparse(got) else got
                assert np.array_equal(abs(np.asarray(ow.asarray(got).todense())), abs(op(X, y)))


@pytest.mark.parametrize("format", OURS)
def test_products_reach_us_from_either_side(format):
    a, y = ours(format), np.arange(6.0).reshape(2, 3)
    for got, want in [
        (y.T @ a, y.T @ X),
        (a @ y.T, X @ y.T),
        (sp.csr_array(y.T) @ a, y.T @ X),
        (sp.csc_matrix(y.T) @ a, y.T @ X),
        (a @ sp.csr_array(y.T), X @ y.T),
        (np.ones(2) @ a, np.ones(2) @ X),
        (sp.coo_array(y.T) @ a[:, 0], y.T @ X[:, 0]),
    ]:
        check(got, want)


def test_in_place_into_numpys_memory():
    y = np.ones((2, 3))
    kept = y
    y += ours()
    y *= ours("dense")
    check(kept, (1 + X) * X)
    whole = np.ones((2, 3), int)
    with pytest.raises(ow.DTypeError, match="cannot hold"):
        whole += ours()
    with pytest.raises(ow.ShapeError):
        np.add(ours(), 1.0, out=np.ones(3))
    with pytest.raises(ow.OperandError):
        np.add(ours(), 1.0, out=ours("dense"))
    check(whole, np.ones((2, 3), int))


# Ufuncs.

UNARY = [np.negative, np.positive, np.absolute, np.sign, np.square, np.conjugate, np.isnan, np.isfinite, np.floor, np.rint,
         np.sin, np.tan, np.arctan, np.sinh, np.tanh, np.expm1, np.exp, np.cos, np.sqrt, np.log1p, np.logical_not,
         np.fabs, np.signbit, np.cbrt, np.deg2rad, np.trunc, np.invert]  # fmt: skip


@given(st.data(), st.sampled_from(UNARY))
def test_functions_of_one_value(data, f):
    a, x = data.draw(arrays(dtypes=["bool", "int32", "uint64", "float32", "float64", "complex64", "complex128"], fills=(0, 1)))
    try:
        want = f(x)
        taken = want.dtype.name in DTYPES
    except TypeError:
        with pytest.raises(TypeError):
            f(a)
        return
    got = f(a)
    if not taken:
        # NumPy takes integers of 8 bits in half precision.
        assert want.dtype == np.float16 and got.dtype == np.float32
        return
    check(got, want, exact=False)
    if x.ndim:
        assert isinstance(got, ow.Array) and (a._tensor.full or got.nnz <= a.nnz)


@pytest.mark.parametrize("format", OURS)
def test_functions_of_values_and_numbers(format):
    a = ours(format, np.abs(X))
    x = np.abs(X)
    for got, want in [
        (a**2, x**2), (2**a, 2**x), (a // 2, x // 2), (a % 2, x % 2), (7 % (a + 1), 7 % (x + 1)), (7 // (a + 1), 7 // (x + 1)),
        (np.power(a, 0.5), x**0.5), (np.hypot(a, 3.0), np.hypot(x, 3.0)), (np.copysign(a, -1), np.copysign(x, -1)),
        (np.round(a / 3, 1), np.round(x / 3, 1)), (np.clip(a, 1, 2.5), np.clip(x, 1, 2.5)),
        (np.nan_to_num(a), x), (np.angle(a), np.angle(x)), (np.maximum(a, 1.0), np.maximum(x, 1.0)),
    ]:  # fmt: skip
        check(got, want)
        assert isinstance(got, ow.Array)
    assert (a**2).nnz == a.nnz and (2**a).fill_value == (1 if not a._tensor.full else 0)


@given(st.data(), st.sampled_from([np.minimum, np.maximum, np.logical_and, np.logical_or, np.logical_xor]))
def test_functions_of_two_arrays(data, f):
    a, x = data.draw(arrays(dtypes=REAL, fills=(0, 1)))
    b, y = data.draw(arrays(shape=x.shape, dtypes=REAL))
    check(f(a, b), f(x, y))
    check(f(a, y), f(x, y))
    check(f(y, a), f(y, x))


def test_sparse_functions_stay_sparse():
    n = 10**7
    a = ow.from_coo(([1, 5], [2, 7]), [4.0, -9.0], (n, n), format="dcsr")
    b = ow.from_coo(([1, 5], [2, 8]), [4.0, 1.0], (n, n), format="dcsr")
    assert np.sqrt(abs(a)).nnz == np.maximum(a, b).nnz == 2 or np.maximum(a, b).nnz == 3
    assert np.exp(a).fill_value == 1.0 and np.isnan(a).nnz == 0 and np.isfinite(a).all()
    assert np.allclose(a, a) and not np.allclose(a, b) and np.array_equal(a, a) and not np.array_equal(a, b)
    assert not np.allclose(a, 0.0) and np.allclose(a * 0, 0) and np.allclose(0.0, a, atol=9) and np.isclose(a, 4.0).nnz == 1
    assert np.count_nonzero(a) == 2 and np.zeros_like(a).nnz == 0 and np.ones_like(a).fill_value == 1
    assert np.linalg.norm(a) == np.sqrt(97) and np.isclose(a, b).fill_value


@pytest.mark.parametrize("format", ["csr", "coo", "dense"])
def test_methods_have_the_names_that_scipy_has(format):
    x = np.array([[0.0, 2.5, 0.0], [3.0, -4.25, 0.0], [0.0, 0.0, 1.0]])
    a, s = ow.asarray(x, format), sp.csr_array(x)
    for got, want in [
        (a.diagonal(), s.diagonal()), (a.trace(), s.trace()), (a.maximum(a.T), s.maximum(s.T)), (a.minimum(1.5), np.minimum(x, 1.5)),
        (a.power(2), s.power(2)), (a.clip(-1, 2), x.clip(-1, 2)), (a.round(), x.round()), (a.swapaxes(0, 1), x.T), (a.tocoo(), s.tocoo()),
        (round(a), x.round()), (round(a / 3, 1), (x / 3).round(1)), (a.mT, x.T),
    ]:  # fmt: skip
        dense = [y.todense() if hasattr(y, "todense") else y for y in (got, want)]
        np.testing.assert_array_equal(*dense)
    for got, want in zip(a.nonzero(), s.nonzero(), strict=True):
        np.testing.assert_array_equal(got, want)
    assert a.tocoo().format == "coo"
    for name, instead in [("sqrt", "numpy.sqrt"), ("H", "conj"), ("resize", "does not change"), ("tolil", "to_scipy"), ("view", "todense")]:
        with pytest.raises(AttributeError, match=instead):
            getattr(a, name)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix])
def test_a_star_behind_a_matrix_of_scipys_is_its_product(kind):
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    m, a, v = kind(x), ow.asarray(x, "csr"), ow.asarray([0.0, 5.0], "sv")
    # As SciPy has it: what stands on the left decides.
    for got, want in [(m * a, x @ x), (m * v, x @ [0.0, 5.0]), (a * m, x * x), (np.multiply(m, a), x * x), (m @ a, x @ x)]:
        check(got, want)


def test_reductions_of_ufuncs():
    for format in OURS:
        a = ours(format)
        check(np.add.reduce(a), X.sum(axis=0))
        check(np.maximum.reduce(a, axis=1), X.max(axis=1))
        check(np.multiply.reduce(a, axis=None), X.prod())
        check(np.add.reduce(a, initial=3), np.add.reduce(X, initial=3))
        check(np.var(a, where=np.ones(X.shape, bool)), X.var())
    with pytest.raises(ow.UnsupportedError, match="initial"):
        np.logical_or.reduce(ours(), initial=True)
    with pytest.raises(ow.UnsupportedError, match="where"):
        np.nanvar(ours(), where=np.ones(X.shape, bool))


# Comparisons of whole arrays.

ODD = np.array([0.0, 1.0, 1.0 + 1e-6, np.inf, -np.inf, np.nan, 1e-9, -1.0])


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("formats", [("sv", "sv"), ("sv", "dense"), ("dense", "sv"), ("dense", "dense"), ("sv", None)])
def test_close_values(formats, equal_nan):
    x, y = (np.ascontiguousarray(m.ravel()) for m in np.meshgrid(ODD, ODD))
    a, b = (m if f is None else ow.asarray(m, f) for m, f in zip((x, y), formats))
    for options in ({}, {"rtol": 1e-3}, {"atol": 2.5, "rtol": 0}):
        want = np.isclose(x, y, equal_nan=equal_nan, **options)
        check(np.isclose(a, b, equal_nan=equal_nan, **options), want)
        for n in range(len(x)):
            p, q = (m[n : n + 1] if f is None else ow.asarray(m[n : n + 1], f) for m, f in zip((x, y), formats))
            assert np.allclose(p, q, equal_nan=equal_nan, **options) == want[n]
            assert np.array_equal(p, q, equal_nan=equal_nan) == np.array_equal(x[n : n + 1], y[n : n + 1], equal_nan=equal_nan)


@given(st.data())
def test_close_arrays_of_every_dtype(data):
    a, x = data.draw(arrays(fills=(0, 1)))
    b, y = data.draw(arrays(shape=x.shape, fills=(0, 1)))
    assert np.allclose(a, b) == np.allclose(x, y) and np.allclose(a, y) == np.allclose(y, a) == np.allclose(x, y)
    assert np.array_equal(a, b) == np.array_equal(x, y) and np.array_equiv(a, b) == np.array_equiv(x, y)
    assert np.allclose(a, a) and np.array_equal(a, x) and not np.array_equal(a, x[None])


def test_close_arrays_are_not_written_out():
    n = 3000
    a = ow.from_coo((np.arange(n), np.arange(n)), np.ones(n), (n, n))
    d = np.zeros((n, n))
    np.fill_diagonal(d, 1.0)
    tracemalloc.start()
    assert np.allclose(a, d) and np.allclose(d, a) and np.allclose(a, a + 1e-12 * a)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()
    check(np.allclose(a[:3, :1], np.ones(1)), False)


# Products and shapes.


@pytest.mark.parametrize("format", OURS)
def test_products(format):
    a, v, w = ours(format), np.ones(3), np.arange(12.0).reshape(3, 4)
    for got, want in [
        (np.dot(a, v), np.dot(X, v)), (np.dot(w.T, a.T), np.dot(w.T, X.T)), (np.dot(a, 2.0), X * 2), (np.dot(2.0, a), X * 2),
        (np.matmul(a, w), X @ w), (np.matmul(w.T, a.T), w.T @ X.T), (np.inner(a, v), np.inner(X, v)),
        (np.tensordot(a, w, 1), X @ w), (np.tensordot(w, a, ((0,), (1,))), np.tensordot(w, X, ((0,), (1,)))),
        (np.tensordot(a, a, 2), np.tensordot(X, X, 2)), (np.einsum("ij,jk->ik", a, w), X @ w),
        (np.einsum("ij,kj", a, a), X @ X.T), (np.outer(a[0], a[1]), np.outer(X[0], X[1])),
        (np.outer(a, a[0]), np.outer(X, X[0])), (np.outer(2.0, a[0]), np.outer(2.0, X[0])), (np.vdot(a, a), np.vdot(X, X)), (np.vdot(a, X.T), np.vdot(X, X.T)),
        (np.vdot(a[0], v), X[0] @ v), (np.trace(a @ a.T), np.trace(X @ X.T)), (np.diagonal(a @ a.T), np.diagonal(X @ X.T)),
        (np.linalg.norm(a), np.linalg.norm(X)), (np.linalg.norm(a, 1), np.linalg.norm(X, 1)),
        (np.linalg.norm(a, np.inf), np.linalg.norm(X, np.inf)), (np.linalg.norm(a[1]), np.linalg.norm(X[1])),
    ]:  # fmt: skip
        check(got, want, exact=False)
        assert got is not NotImplemented and (type(got) is ow.Array or np.asarray(got).dtype != object)
    assert type(np.dot(a, v)) is type(np.einsum("ij,j", a, v)) is np.ndarray


@given(arrays(ranks=(1, 2, 3)))
def test_shapes_and_orders(pair):
    a, x = pair
    assert (np.shape(a), np.ndim(a), np.size(a)) == (x.shape, x.ndim, x.size)
    assert np.result_type(a, np.float32(1)) == np.result_type(x, np.float32(1))
    assert np.iscomplexobj(a) == np.iscomplexobj(x) and np.isrealobj(a) == np.isrealobj(x)
    check(np.transpose(a), x.T)
    check(np.swapaxes(a, 0, -1), np.swapaxes(x, 0, -1))
    check(np.moveaxis(a, 0, -1), np.moveaxis(x, 0, -1))
    check(np.copy(a), x)
    check(np.real(a), np.real(x))
    check(np.imag(a), np.imag(x))
    check(np.count_nonzero(a), np.count_nonzero(x))
    check(np.zeros_like(a), np.zeros_like(x))
    check(np.full_like(a, 1), np.full_like(x, 1))
    for got, want in zip(np.nonzero(a), np.nonzero(x), strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.argwhere(a), np.argwhere(x))


# What is refused.

REFUSED = [
    (lambda a: np.lexsort((a, a)), "numpy.lexsort"),
    (lambda a: np.unique(a), "numpy.unique"),
    (lambda a: np.insert(a, 0, 1), "numpy.insert"),
    (lambda a: np.linalg.inv(a @ a.T), "numpy.linalg.inv"),
    (lambda a: np.linalg.solve(a, np.ones(2)), "to_scipy"),
    (lambda a: np.fft.fft(a), "numpy.fft"),
    (lambda a: np.nanquantile(a, 0.5), "numpy.nanquantile"),
    (lambda a: np.nanmedian(a), "numpy.nanmedian"),
    (lambda a: np.add.accumulate(a), "numpy.add.accumulate"),
    (lambda a: np.modf(a, where=np.ones((2, 3), bool)), "where"),
    (lambda a: np.modf(a), "numpy.modf"),
    (lambda a: np.save("x.npy", a), "openwork.save"),
]


@pytest.mark.parametrize(("call", "part"), REFUSED)
def test_refusals_have_the_name_of_the_function(call, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ow.UnsupportedError, match=part) as caught:
        call(ours())
    assert caught.value.code == "E0103" and "todense()" in str(caught.value) or "where" in part
    huge = ow.from_coo(([0], [0]), [1.0], (10**7, 10**7), format="dcsr")
    assert "800 TB" in str(pytest.raises(ow.UnsupportedError, np.unique, huge).value)
    # The order of all values would have to be written out.
    with pytest.raises(ow.MemoryLimitError):
        np.argsort(huge)


def test_functions_of_other_libraries_get_their_turn():
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return "theirs"

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "theirs"

    assert np.concatenate([ours(), Other()]) == "theirs"
    assert np.hypot(Other(), ours()) == "theirs"


# Dense arrays are as NumPy's.


@pytest.mark.parametrize("order", ["dense", "dense:1,0"])
def test_dense_arrays_are_read_by_numpy(order):
    y = ours(order)
    assert np.shares_memory(np.asarray(y), y.todense())
    assert np.asarray(y, dtype="float32").dtype == np.float32 and np.array(y).flags.writeable
    with pytest.raises(ValueError):
        np.asarray(y, dtype="float32", copy=False)
    check(np.array([y, y]), np.array([X, X]))
    check(np.sort(y), np.sort(X))
    check(np.concatenate([y, X]), np.concatenate([X, X]))
    check(np.var(y, axis=0), np.var(X, axis=0))
    check(np.where(y > 0, y, -1.0), np.where(X > 0, X, -1.0))
    check(np.hypot(y, y), np.hypot(X, X))
    check(np.power(np.abs(y), np.ones((2, 3))), np.abs(X))
    check(np.add.accumulate(y), np.add.accumulate(X))
    for got, want in zip(np.modf(y), np.modf(X)):
        check(got, want)
    check(np.linalg.pinv(y), np.linalg.pinv(X))
    assert isinstance(np.hypot(y, y), ow.Array) and type(np.hypot(y, X)) is np.ndarray
    assert "array" not in str(y) or repr(y) == np.array_repr(y)
    check(np.from_dlpack(y), X)
    assert [float(v) for v in y[0]] == X[0].tolist() and len(list(y)) == 2 and 2.0 in y[0]


def test_sparse_arrays_share_no_memory():
    with pytest.raises(BufferError, match="todense"):
        np.from_dlpack(ours())


@given(st.data())
def test_results_beside_other_arrays_are_numpys(data):
    x = data.draw(values((3, 3), "float64"))
    a, d = ow.asarray(x, "csr"), ow.asarray(x)
    assume(x.any())
    for other in (x, x.tolist(), np.asfortranarray(x), sp.csr_array(x)):
        assert type(d @ other) is type(d + other) is np.ndarray
    assert type(a @ x.tolist()) is np.ndarray and isinstance(a @ d, ow.Array)
    assert isinstance(a @ sp.csr_array(x), ow.Array) and isinstance(a * x, ow.Array)
    assert isinstance(d + 1, ow.Array) and isinstance(a.sum(axis=0), ow.Array)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_norms_of_rows_and_columns(axis):
    x = np.arange(12.0).reshape(3, 4) * (np.arange(12).reshape(3, 4) % 2)
    for format in ("csr", "csc", "dense"):
        a = ow.asarray(x, format)
        check(np.linalg.norm(a, axis=axis), np.linalg.norm(x, axis=axis), exact=False)
        check(np.linalg.norm(a, 2, axis, keepdims=True), np.linalg.norm(x, axis=axis, keepdims=True), exact=False)
        check(np.linalg.norm(a, 1, axis=axis), np.linalg.norm(x, 1, axis=axis), exact=False)


def _plain(found) -> bool:
    """Whether a result has no array of objects in it, such as NumPy makes of what it does not know."""
    if isinstance(found, (list, tuple)):
        return all(map(_plain, found))
    return not (isinstance(found, np.ndarray) and found.dtype == object)


# Those that read text and files take no arrays at all.
NO_ARRAYS = {"fromfile", "fromstring", "frombuffer", "genfromtxt", "loadtxt", "fromregex"}


@pytest.mark.filterwarnings("ignore")
def test_no_function_of_numpys_makes_arrays_of_objects():
    a, v = ow.asarray(np.eye(4), "csr"), ow.asarray([0.0, 1.0, 0.0, 2.0], "sv")
    tried = [(a,), (a, a), ([a, a],), (a, 1), (v,), (v, v), (v, a), (1, a), (a, a, a), (v, v, v)]
    functions = [f for f in overrides.get_overridable_numpy_array_functions() if f.__name__ not in NO_ARRAYS]
    assert len(functions) > 250
    for f in functions:
        answered = set()
        for arguments in tried:
            try:
                assert _plain(f(*arguments)), f"{f.__name__}{arguments}"
                answered.add("made")
            except ow.OpenworkError as e:
                answered.add("named" if f.__name__ in str(e) else "refused")
            except (TypeError, ValueError, IndexError, AttributeError):
                # Too few arguments, or such as it has none of.
                answered.add("wrong")
        assert answered, f.__name__
        if f in FUNCTIONS_OF_ONE:
            assert answered & {"made", "named"}, f"{f.__name__}: {answered}"
    for f in overrides.get_overridable_numpy_ufuncs():
        try:
            assert _plain(f(*[a] * f.nin)), f.__name__
        except (ow.OpenworkError, TypeError, ValueError):
            pass


FUNCTIONS_OF_ONE = {
    np.median, np.unique, np.diff, np.gradient, np.cov, np.average, np.argsort, np.linalg.inv, np.linalg.svd, np.fft.fft,
    np.sum, np.reshape, np.concatenate, np.dot, np.allclose, np.linalg.norm, np.nonzero, np.nanmedian, np.trapezoid,
}  # fmt: skip
