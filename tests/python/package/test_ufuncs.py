"""Every ufunc of NumPy's, over sparse arrays of every dtype: its values, or a refusal that has its name."""

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow
from cases import check

DTYPES = ["bool", "i1", "i4", "i8", "u1", "u4", "u8", "f4", "f8", "c8", "c16"]
ALL = sorted({f for n in np.__all__ if isinstance(f := getattr(np, n), np.ufunc) and f.signature is None}, key=lambda f: f.__name__)
# Those that make several arrays of one.
SEVERAL = {np.modf, np.frexp}
# NumPy has these for complex numbers, by its order or by logarithms.
REAL = {np.fmax, np.fmin, np.maximum, np.minimum, np.greater, np.greater_equal, np.less, np.less_equal, np.power, np.float_power}
# These have more dtypes than NumPy's.
MORE = {np.gcd, np.lcm, np.ldexp, np.power}


def _values(dtype, rng):
    dtype = np.dtype(dtype)
    x = rng.integers(-3, 4, (4, 5)) * (rng.random((4, 5)) < 0.6)
    if dtype.kind == "c":
        return (x + 1j * np.where(x, 2, 0)).astype(dtype)
    return (x > 0 if dtype.kind == "b" else abs(x) if dtype.kind == "u" else x * (1.25 if dtype.kind == "f" else 1)).astype(dtype)


def _outcome(f, args):
    try:
        with np.errstate(all="ignore"):
            return f(*args)
    except Exception as e:
        return e


def _near(got, want):
    assert type(got) is ow.Array
    # Half precision is float32 here.
    assert got.dtype == (np.float32 if want.dtype == np.float16 else want.dtype)
    rtol = 2e-3 if want.dtype == np.float16 else 1e-6 if want.dtype in ("f4", "c8") else 1e-14
    np.testing.assert_allclose(got.todense(), want, rtol=rtol, atol=rtol, equal_nan=True)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_values_of_numpys_ufuncs(f):
    rng = np.random.default_rng(0)
    for left in DTYPES:
        for right in DTYPES if f.nin == 2 else [None]:
            args = [_values(left, rng)] + ([_values(right, rng)] if right else [])
            want, got = _outcome(f, [x.copy() for x in args]), _outcome(f, [ow.asarray(x, "csr") for x in args])
            if isinstance(got, Exception):
                complex_ = any(x.dtype.kind == "c" for x in args)
                refused = isinstance(got, (ow.OpenworkError, ValueError)) and (f in SEVERAL or (f in REAL and complex_))
                # A signed power of an integer without sign may be one too many.
                assert isinstance(want, Exception) or refused or f is np.power, (left, right, got)
            elif isinstance(want, Exception):
                assert f in MORE, (left, right, got)
            elif f.nout == 2:
                for mine, numpys in zip(got, want, strict=True):
                    _near(mine, numpys)
            else:
                _near(got, want)


def test_complex_powers_lose_no_part():
    a = ow.asarray([[1j, 0]], "csr")
    with pytest.raises(ow.DTypeError, match="float_power"):
        np.float_power(a, a)
    check(np.float_power(a, 2).todense(), np.float_power(a.todense(), 2), exact=False)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8"])
@pytest.mark.parametrize("format", ["csr", "coo", "dense"])
def test_functions_of_small_integers_are_floats_of_32_bits(dtype, format):
    x = np.array([[0, 1, 0], [1, 1, 0]]).astype(dtype)
    for f in (np.sqrt, np.sin, np.exp, np.rint, np.arctan):
        got = f(ow.asarray(x, format))
        assert got.dtype == np.float32
        np.testing.assert_allclose(got.todense(), f(x.astype(np.float32)), rtol=1e-6)


def test_shifts_and_quotients_with_remainders():
    x = np.array([[0, 5, 0], [-7, 9, 0]])
    a = ow.asarray(x, "csr")
    for got, want in [(a << 2, x << 2), (a >> 1, x >> 1), (3 << abs(a), 3 << abs(x)), (a << abs(a), x << abs(x)), (64 >> abs(a), 64 >> abs(x))]:
        check(got.todense(), want)
    for other in (3, np.array([2, 3, 4]), a * 2 + 1):
        dense = other.todense() if isinstance(other, ow.Array) else other
        for got, want in zip(divmod(a, other), divmod(x, dense), strict=True):
            check(got if isinstance(got, np.ndarray) else got.todense(), want)
    for got, want in zip(divmod(20, abs(a) + 1), divmod(20, abs(x) + 1), strict=True):
        check(got.todense(), want)
    b = a
    b <<= 1
    b >>= 2
    check(b.todense(), (x << 1) >> 2)
    out = np.empty_like(x), np.empty_like(x)
    np.divmod(a, a * 2 + 1, out=out)
    check(out[1], x % (x * 2 + 1))


@pytest.mark.parametrize("format", ["csr", "coo", "dense"])
def test_reductions_that_begin_with_a_value(format):
    x = np.array([[0, 5, 0], [-7, 9, 0]])
    a = ow.asarray(x, format)
    for f in (np.sum, np.prod, np.min, np.max):
        for given in ({}, {"axis": 1}, {"axis": 0, "keepdims": True}, {"axis": (0, 1)}):
            for initial in (-3, 4):
                got, want = f(a, initial=initial, **given), f(x, initial=initial, **given)
                check(got.todense() if isinstance(got, ow.Array) else got, want)
    nothing = ow.asarray(np.zeros((0, 3)), "csr")
    check(np.min(nothing, axis=0, initial=2.0), np.full(3, 2.0))
    with pytest.raises(ow.ShapeError):
        np.min(nothing, axis=0)


def test_cumulative_functions_of_the_array_api():
    x = np.array([[0, 5, 0], [-7, 9, 0]])
    for f in (np.cumulative_sum, np.cumulative_prod):
        for axis in (0, 1):
            check(f(ow.asarray(x, "csr"), axis=axis).todense(), f(x, axis=axis))
        check(f(ow.asarray(x[1], "sv")).todense(), f(x[1]))
        with pytest.raises(ValueError, match="axis"):
            f(ow.asarray(x, "csr"))
        with pytest.raises(ow.UnsupportedError, match="include_initial"):
            f(ow.asarray(x, "csr"), axis=0, include_initial=True)


@pytest.mark.parametrize("f", [np.remainder, np.floor_divide, np.power, np.fmax, np.hypot, np.left_shift, np.gcd, np.arctan2])
@pytest.mark.parametrize("format", ["csr", "dense"])
def test_functions_of_arrays_of_ours_and_of_scipys(f, format):
    # NumPy takes what SciPy has for one object, and makes arrays of objects.
    x, y = np.array([[0, 2, 3], [5, 0, 7]]), np.array([[4, 1, 2], [1, 3, 2]])
    for kind in (sp.csr_array, sp.coo_matrix):
        found = f(ow.asarray(x, format), kind(y))
        check(ow.asarray(found), f(x, y), exact=False)
    unsigned = np.array([[1, 2, 3], [5, 1, 7]], np.uint64)
    check(np.power(ow.asarray(unsigned, format), kind(-y)), unsigned ** -y, exact=False)
    with pytest.raises(ValueError, match="negative"):
        np.power(ow.asarray(x, format), kind(-y))
