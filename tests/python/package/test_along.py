"""Positions, running sums, sorted rows, what leaves NaN out, and norms: NumPy's results on any format, dtype and fill."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import DTYPES, FORMATS, NUMERIC, REAL, arrays, check, layouts, shapes, values

FLOATS = ["float32", "float64", "complex64", "complex128"]


@st.composite
def special(draw, dtypes=DTYPES, ranks=(1, 2, 3)):
    """An array of ours and its twin, of any fill value, NaN and infinities among its values and fills."""
    shape = draw(shapes(ranks))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    inexact = dtype.kind in "fc"
    fill = draw(st.sampled_from([0, 1, 2, np.nan, np.inf] if inexact else [0, 1]))
    x = draw(values(shape, dtype, fill))
    if inexact and x.size and draw(st.booleans()):
        at = draw(st.lists(st.integers(0, x.size - 1), max_size=3))
        x.reshape(-1)[at] = draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    return ow.asarray(x, format=draw(layouts(FORMATS[len(shape)])), fill_value=dtype.type(fill)), x


def quiet(function, *args, **options):
    """NumPy's result, without its warnings; nothing where it refuses."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **options)
        except (ValueError, TypeError):
            return None


def compared(ours, numpys, a, x, *args, exact=True, **options):
    want = quiet(numpys, x, *args, **options)
    if want is None:
        with pytest.raises((ow.OpenworkError, TypeError)):
            quiet_ours(ours, a, *args, **options)
    else:
        check(quiet_ours(ours, a, *args, **options), want, exact)


def quiet_ours(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


axes = st.one_of(st.none(), st.integers(-3, 2))


def fitting(axis, a):
    return axis if axis is None else axis % a.ndim


@given(special(), axes, st.booleans())
def test_positions_of_extremes(pair, axis, keepdims):
    a, x = pair
    axis = fitting(axis, a)
    for ours, numpys in ((ow.argmax, np.argmax), (ow.argmin, np.argmin)):
        compared(ours, numpys, a, x, axis, keepdims=keepdims)
    compared(np.argmax, np.argmax, a, x, axis)
    compared(lambda a, n: a.argmin(n), np.argmin, a, x, axis)


@given(special(), axes)
def test_running_sums_and_products(pair, axis):
    a, x = pair
    axis = fitting(axis, a)
    compared(ow.cumsum, np.cumsum, a, x, axis)
    compared(np.cumprod, np.cumprod, a, x, axis, exact=False)
    compared(lambda a, n: a.cumsum(n, "float64"), lambda x, n: x.cumsum(n, "float64"), *(
        (a, x) if x.dtype.kind != "c" else (abs(a), abs(x))
    ), axis)  # fmt: skip


@given(special(dtypes=REAL), axes)
def test_sorted_rows(pair, axis):
    a, x = pair
    axis = fitting(axis, a)
    compared(ow.sort, np.sort, a, x, axis)
    found = ow.sort(a, axis)
    assert found._tensor.dense or found.nnz <= a.nnz


@given(special(dtypes=REAL), axes, st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0]))
def test_values_by_their_place(pair, axis, keepdims, share):
    a, x = pair
    axis = fitting(axis, a)
    if x.size and 0 not in x.shape:
        compared(ow.median, np.median, a, x, axis, keepdims=keepdims, exact=False)
        for method in ("linear", "lower", "higher", "hazen"):
            compared(ow.quantile, np.quantile, a, x, share, axis, method=method, keepdims=keepdims, exact=False)
    compared(ow.argsort, lambda x, n: np.argsort(x, n, kind="stable"), a, x, axis)


@given(special(dtypes=REAL), axes, st.booleans())
def test_folds_of_ufuncs(pair, axis, keepdims):
    a, x = pair
    axis = fitting(axis, a)
    whole = (np.gcd, np.bitwise_and, np.bitwise_or, np.bitwise_xor) if x.dtype.kind in "iu" else ()
    for ufunc in (np.fmin, np.fmax, np.logical_xor, *whole):
        # Dense arrays are NumPy's own, its refusals too.
        if quiet(ufunc.reduce, x, axis) is not None:
            compared(ufunc.reduce, ufunc.reduce, a, x, axis, keepdims=keepdims)
    if x.dtype.kind == "f":
        for ufunc in (np.hypot, np.logaddexp):
            compared(ufunc.reduce, ufunc.reduce, a, x, axis, keepdims=keepdims, exact=False)


@given(special(dtypes=NUMERIC), axes, st.booleans(), st.integers(0, 2**30))
def test_reductions_that_leave_values_out(pair, axis, sparse, seed):
    a, x = pair
    axis = fitting(axis, a)
    mask = np.random.default_rng(seed).random(x.shape) < 0.5
    ours = ow.asarray(mask, format="coo") if sparse and x.ndim > 1 else mask
    for name in ("sum", "any", "all", *(("min", "max") if x.dtype.kind != "c" else ())):
        given = {"initial": x.dtype.type(3)} if name in ("min", "max") else {}
        want = quiet(getattr(x, name), axis=axis, where=mask, **given)
        if not np.isnan(np.asarray(want, complex)).any():
            check(quiet_ours(getattr(a, name), axis=axis, where=ours, **given), want, exact=False)


@given(special(dtypes=NUMERIC), axes, st.booleans())
def test_reductions_without_nan(pair, axis, keepdims):
    a, x = pair
    axis = fitting(axis, a)
    for name in ("nansum", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanargmin", "nanargmax", "nanprod"):
        # Zeros decide products here, whatever stands beside them.
        if x.dtype.kind == "c" and name in ("nanmin", "nanmax", "nanprod"):
            continue
        want = quiet(getattr(np, name), x, axis, keepdims=keepdims)
        if name == "nanprod" and want is not None and np.isnan(want).any():
            continue
        compared(getattr(ow, name), getattr(np, name), a, x, axis, keepdims=keepdims, exact=False)
        if not keepdims:
            compared(getattr(np, name), getattr(np, name), a, x, axis, exact=False)
    compared(ow.nancumsum, np.nancumsum, a, x, axis, exact=False)
    compared(np.nancumprod, np.nancumprod, a, x, axis, exact=False)
    compared(ow.count_nonzero, np.count_nonzero, a, x, axis, keepdims=keepdims)


@given(
    arrays(dtypes=[d for d in NUMERIC if d != "float32"], ranks=(1, 2, 3), fills=(0, 1)),
    st.sampled_from([None, 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf]), axes, st.booleans(),
)  # fmt: skip
def test_norms_of_vectors(pair, order, axis, keepdims):
    a, x = pair
    axis = fitting(axis, a)
    if axis is None and a.ndim != 1 and order is not None:
        axis = -1
    compared(ow.norm, np.linalg.norm, a, x, order, axis, keepdims, exact=False)
    compared(np.linalg.vector_norm, np.linalg.vector_norm, a, x, axis=axis, ord=2 if order is None else order, exact=False)


@given(arrays(dtypes=["int16", "float64", "complex128"], ranks=(2, 3)), st.sampled_from(["fro", 1, -1, np.inf, -np.inf]))
def test_norms_of_matrices(pair, order):
    a, x = pair
    for axis in ((0, 1), (1, 0), (-1, 0)):
        compared(ow.norm, np.linalg.norm, a, x, order, axis, exact=False)
        compared(np.linalg.norm, np.linalg.norm, a, x, order, axis, True, exact=False)


def test_nothing_is_written_out():
    # A table of all coordinates would take 8 EB.
    rows = np.array([5, 5, 10**8, 10**9 - 1])
    columns = np.array([7, 9, 3, 10**9 - 1])
    a = ow.from_coo((rows, columns), [2.0, np.nan, -1.0, 4.0], (10**9, 10**9), format="dcsr")
    assert int(ow.argmax(a)) == 5 * 10**9 + 9 and int(ow.nanargmin(a)) == 10**17 + 3 and int(ow.nanargmax(a)) == 10**18 - 1
    best = ow.argmax(a, axis=1)
    assert best.shape == (10**9,) and best.nnz <= 4 and best[5] == 9 and best[10**9 - 1] == 10**9 - 1 and best[0] == 0
    found = ow.sort(a, axis=1)
    assert found.format == "dcsr" and sorted(found.to_coo()[0][1].tolist()) == [0, 10**9 - 2, 10**9 - 1, 10**9 - 1]
    long = ow.from_coo(([3, 10**9],), [2, 5], (10**12,), format="sv")
    running = ow.cumsum(long)
    assert running.nbytes < 1000 and running[2] == 0 and running[10**9 - 1] == 2 and running[10**12 - 1] == 7


def test_results_of_numpys_names_and_refusals():
    a = ow.asarray([[0.0, 2.0], [np.nan, 1.0]], "csr")
    out = np.zeros(2, np.int64)
    assert np.argmax(a, axis=1, out=out) is out and out.tolist() == [1, 0]
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        ow.nanmin(ow.asarray([[np.nan], [1.0]], "csr"), axis=1)
    with pytest.warns(RuntimeWarning, match="Mean of empty"):
        ow.nanmean(ow.asarray([[np.nan], [1.0]], "csr"), axis=1)
    for refused, code in (
        (lambda: ow.nanargmin(ow.asarray([[np.nan], [1.0]], "csr"), axis=1), "E0202"),
        (lambda: ow.argmax(ow.asarray(np.zeros((0, 2)), "csr")), "E0202"),
        (lambda: ow.sort(a.astype("complex128")), "E0208"),
        (lambda: ow.norm(a, 2), "E0103"),
        (lambda: ow.norm(a, "nuc"), "E0103"),
        (lambda: np.nansum(a, where=np.ones((2, 2), bool)), "E0103"),
        (lambda: np.sort(a, order="x"), "E0103"),
    ):
        with pytest.raises(ow.OpenworkError) as caught:
            refused()
        assert caught.value.code == code, caught.value
    with pytest.raises(np.exceptions.AxisError):
        ow.cumsum(a, axis=2)
