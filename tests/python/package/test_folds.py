"""Reductions by any ufunc, with first values and masks, medians, quantiles, weighted means and orders, against NumPy on everything written out."""

import itertools
import warnings

import numpy as np
import pytest

import openwork as ow

FORMATS = ["csr", "csc", "coo", "dcsr", "hash", "bcsr(2,2)", "ell", "dia", "bitmap", "rle", "dense"]
FEW = ["csr", "csc", "bcsr(2,2)", "rle", "dense"]
FOLDS = [np.fmin, np.fmax, np.hypot, np.logaddexp, np.logaddexp2]
WHOLE = [np.gcd, np.lcm, np.bitwise_and, np.bitwise_or, np.bitwise_xor]
AXES = [None, 0, 1, -1, (0, 1), (1,)]


def plain(x):
    return x.todense() if isinstance(x, ow.Array) else np.asarray(x)


def pair(rng, shape, dtype, format, fill=0, density=0.4, nan=False):
    """An array of ours, some of whose stored values are the fill value, and what it is written out."""
    there = rng.random(shape) < density
    values = rng.integers(-4 if np.dtype(dtype).kind in "fci" else 0, 5, shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values * np.dtype(dtype).type(1 + 2j)
    if nan:
        values[rng.random(shape) < 0.15] = np.nan
    at = np.nonzero(there)
    a = ow.from_coo(at, values[at], shape, fill_value=np.dtype(dtype).type(fill))
    if format == "dense":
        dense = np.where(there, values, np.dtype(dtype).type(fill))
        return ow.asarray(np.ascontiguousarray(dense)), dense
    made = a.asformat(f"{format}; fill = {fill}" if fill else format)
    return made, np.where(there, values, np.dtype(dtype).type(fill))


def one_or_more(ufunc, axes):
    """NumPy's `lcm` folds along one mode."""
    return [x for x in axes if ufunc is not np.lcm or x in (0, 1, 2, -1, (1,))]


def alike(got, want):
    np.testing.assert_allclose(plain(got), want, rtol=1e-5, atol=1e-12)
    assert np.shape(got) == np.shape(want)
    assert got.dtype == np.asarray(want).dtype


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ufunc", FOLDS)
@pytest.mark.parametrize("fill", [0, 3])
def test_floats_fold(ufunc, format, fill, rng=np.random.default_rng(1)):
    for dtype, axes in (("float64", (None, 0, 1)), ("float32", (-1,))):
        for nan in (False, True):
            A, a = pair(rng, (6, 7), dtype, format, fill, nan=nan)
            for axis in axes:
                alike(ufunc.reduce(A, axis=axis), ufunc.reduce(a, axis=axis))
    alike(ufunc.reduce(A, axis=(0, 1), keepdims=True), ufunc.reduce(a, axis=(0, 1), keepdims=True))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ufunc", [*WHOLE, np.fmin, np.fmax])
@pytest.mark.parametrize("fill", [0, 6])
def test_integers_fold(ufunc, format, fill, rng=np.random.default_rng(2)):
    for dtype, axes in (("int64", (0, (0, 1))), ("uint8", (1, None)), ("int16", (-1,))):
        A, a = pair(rng, (6, 7), dtype, format, fill)
        for axis in one_or_more(ufunc, axes):
            alike(ufunc.reduce(A, axis=axis), ufunc.reduce(a, axis=axis))


@pytest.mark.parametrize("ufunc", [np.logical_xor, np.bitwise_xor, np.bitwise_and, np.bitwise_or])
def test_truth_values_fold(ufunc, rng=np.random.default_rng(3)):
    for fill in (False, True):
        A, a = pair(rng, (5, 6), "bool", "csr", int(fill))
        for axis in AXES:
            alike(ufunc.reduce(A, axis=axis), ufunc.reduce(a, axis=axis))
    A, a = pair(rng, (5, 6), "float64", "csr")
    alike(np.logical_xor.reduce(A, axis=1), np.logical_xor.reduce(a, axis=1))


@pytest.mark.parametrize("format", ["csr", "coo", "ell", "rle"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
def test_small_integers_fold_as_floats_of_32_bits(dtype, format):
    x = np.array([[0, 2, 0], [3, 0, 0]]).astype(dtype)
    for ufunc in (np.hypot, np.logaddexp, np.logaddexp2):
        for axis in (None, 0, 1):
            alike(ufunc.reduce(ow.asarray(x, format), axis=axis), ufunc.reduce(x, axis=axis, dtype="float32"))
            got = ufunc.reduce(ow.asarray(x, format), axis=axis, where=x > 0, initial=1.0)
            alike(got, ufunc.reduce(x, axis=axis, where=x > 0, initial=1.0, dtype="float32"))


def test_folds_of_several_modes_and_of_nothing(rng=np.random.default_rng(4)):
    A, a = pair(rng, (3, 4, 5), "int64", "csf")
    for ufunc in WHOLE:
        for axis in one_or_more(ufunc, (None, 0, 1, 2, (0, 2), (1, 2), (0, 1, 2))):
            alike(ufunc.reduce(A, axis=axis), ufunc.reduce(a, axis=axis))
    for shape in ((0, 3), (3, 0), (1, 1), (4, 3)):
        E, e = ow.from_coo(([], []), np.zeros(0), shape), np.zeros(shape)
        for axis in (0, 1, None):
            alike(np.hypot.reduce(E, axis=axis), np.hypot.reduce(e, axis=axis))
            if e.size == 0 and (axis is None or shape[axis] == 0):
                with pytest.raises(ValueError, match="no identity"):
                    np.fmax.reduce(E, axis=axis)
            else:
                alike(np.fmax.reduce(E, axis=axis), np.fmax.reduce(e, axis=axis))
            alike(np.fmax.reduce(E, axis=axis, initial=2.0), np.fmax.reduce(e, axis=axis, initial=2.0))


@pytest.mark.parametrize("format", ["csr", "bcsr(2,2)", "dense"])
def test_folds_begin_with_values_and_leave_some_out(format, rng=np.random.default_rng(5)):
    A, a = pair(rng, (6, 7), "int64", format, 2)
    m = rng.random((6, 7)) < 0.5
    for ufunc in WHOLE:
        for axis in one_or_more(ufunc, (None, 0, 1, (0, 1))):
            alike(ufunc.reduce(A, axis=axis, initial=12), ufunc.reduce(a, axis=axis, initial=12))
            for mask in (m, m[:1], m[:, :1]):
                alike(ufunc.reduce(A, axis=axis, initial=12, where=mask), ufunc.reduce(a, axis=axis, initial=12, where=mask))
    if format != "dense":
        with pytest.raises(ValueError, match="initial"):
            np.lcm.reduce(A, axis=0, where=m)


def test_ufuncs_whose_order_counts_are_refused():
    A = ow.asarray(np.eye(3), format="csr")
    for ufunc in (np.subtract, np.divide, np.power, np.arctan2, np.copysign):
        with pytest.raises(ow.UnsupportedError, match=f"{ufunc.__name__}.reduce"):
            ufunc.reduce(A, axis=0)
    with pytest.raises(TypeError):
        np.gcd.reduce(A, axis=0)
    x = ow.asarray(np.arange(1.0, 5.0))
    assert np.subtract.reduce(x) == np.subtract.reduce(np.arange(1.0, 5.0))


@pytest.mark.parametrize("format", FEW)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint16", "bool", "complex128"])
@pytest.mark.parametrize("fill", [0, 1])
def test_masks_and_first_values_of_reductions(dtype, format, fill, rng=np.random.default_rng(6)):
    A, a = pair(rng, (6, 7), dtype, format, fill)
    m = rng.random((6, 7)) < 0.5
    masks = [m, m[:1], m[:, :1], m[0], np.array(False), ow.asarray(m, format="csr"), ow.asarray(m)]
    names = ["sum", "prod", "any", "all"] + (["min", "max"] if dtype != "complex128" else [])
    for name in names:
        start = {} if name in ("any", "all") else {"initial": a.dtype.type(2)}
        for n, axis in enumerate((None, 0, 1)):
            if start:
                alike(getattr(np, name)(A, axis=axis, **start), getattr(np, name)(a, axis=axis, **start))
            for mask in masks[n::3]:
                dense = plain(mask)
                alike(getattr(A, name)(axis=axis, where=mask, **start), getattr(a, name)(axis=axis, where=dense, **start))
        got = getattr(np, name)(A, axis=(0, 1), where=m, keepdims=True, **start)
        alike(got, getattr(np, name)(a, axis=(0, 1), where=m, keepdims=True, **start))
    if dtype != "complex128":
        with pytest.raises(ValueError, match="initial"):
            A.min(where=m)
    with pytest.raises(ow.OpenworkError, match="mask"):
        A.sum(where=np.ones((2, 6, 7), bool))
    with pytest.raises(TypeError, match="bool"):
        A.sum(where=np.ones((6, 7)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FEW)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "bool", "complex128"])
def test_means_leave_values_out(dtype, format, rng=np.random.default_rng(7)):
    A, a = pair(rng, (6, 7), dtype, format)
    m = rng.random((6, 7)) < 0.3
    for axis in (None, 0, 1, (0, 1)):
        for mask in (m, m[:1], ow.asarray(m, format="csr")):
            alike(np.mean(A, axis=axis, where=mask), np.mean(a, axis=axis, where=plain(mask)))
    with pytest.warns(RuntimeWarning):
        A.mean(axis=0, where=np.zeros((6, 7), bool))


def test_sums_of_ufuncs_begin_with_values(rng=np.random.default_rng(8)):
    A, a = pair(rng, (6, 7), "float64", "csr")
    m = rng.random((6, 7)) < 0.5
    for ufunc in (np.add, np.multiply, np.minimum, np.maximum):
        alike(ufunc.reduce(A, axis=1, initial=2.0, where=m), ufunc.reduce(a, axis=1, initial=2.0, where=m))
    alike(np.logical_or.reduce(A, axis=0, where=m), np.logical_or.reduce(a, axis=0, where=m))
    out = np.zeros(6)
    np.add.reduce(A, axis=1, initial=1.0, out=out)
    np.testing.assert_allclose(out, a.sum(axis=1) + 1)
    np.sum(A, axis=1, initial=2.0, out=out)
    np.testing.assert_allclose(out, a.sum(axis=1) + 2)
    empty = ow.from_coo(([], []), np.zeros(0), (0, 3))
    assert np.min(empty, initial=4.0) == 4.0 and np.sum(empty, initial=4.0) == 4.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "uint8", "bool"])
@pytest.mark.parametrize("fill", [0, 1])
def test_medians(dtype, format, fill, rng=np.random.default_rng(9)):
    for shape in ((6, 7), (5, 4), (1, 3), (3, 1)):
        for density in (0.1, 0.5, 1.0):
            A, a = pair(rng, shape, dtype, format, fill, density, nan=dtype == "float64" and density == 0.5)
            for axis in AXES:
                for keepdims in (False, True):
                    alike(np.median(A, axis=axis, keepdims=keepdims), np.median(a, axis=axis, keepdims=keepdims))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", ["csr", "coo", "bcsr(2,2)", "rle", "dense"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "uint64"])
def test_quantiles(dtype, format, rng=np.random.default_rng(10)):
    methods = [
        "linear", "lower", "higher", "midpoint", "nearest", "weibull", "hazen", "interpolated_inverted_cdf", "median_unbiased",
        "normal_unbiased",
    ]  # fmt: skip
    for shape, fill in (((6, 7), 0), ((5, 4), 3), ((1, 1), 0)):
        A, a = pair(rng, shape, dtype, format, fill)
        for method in methods:
            for axis in (None, 0, 1, (0, 1)):
                for q in (0.0, 0.3, 0.5, 1.0, [0.25, 0.9], [[0.1], [0.6]]):
                    alike(np.quantile(A, q, axis=axis, method=method), np.quantile(a, q, axis=axis, method=method))
                got = np.percentile(A, [10, 75], axis=axis, method=method, keepdims=True)
                alike(got, np.percentile(a, [10, 75], axis=axis, method=method, keepdims=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_quantiles_among_infinities(dtype, rng=np.random.default_rng(17)):
    assert np.quantile(ow.asarray([[1.0, 2.0, np.inf]], format="csr"), 1, axis=1).todense() == [np.inf]
    assert np.quantile(ow.asarray([[1.0, np.inf]], format="csr"), 0, axis=1).todense() == [1.0]
    for fill in (0.0, np.inf, -np.inf):
        x = rng.choice([-np.inf, -1.0, 0.0, 2.0, np.inf], (30, 5)).astype(dtype)
        a = ow.asarray(x, format="csr", fill_value=fill)
        for method in ("linear", "lower", "higher", "midpoint", "nearest", "hazen"):
            for q in (0, 0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0, 1):
                got, want = np.quantile(a, q, axis=1, method=method).todense(), np.quantile(x, q, axis=1, method=method)
                # At the place of a value it is that value, where NumPy multiplies what it does not add by 0.
                known = want == want
                alike(got[known], want[known])
        assert (plain(np.percentile(a, [0, 100], axis=1)) == [x.min(axis=1), x.max(axis=1)]).all()


def test_quantiles_of_three_modes_and_refusals(rng=np.random.default_rng(11)):
    A, a = pair(rng, (3, 4, 5), "float64", "csf")
    for axis in (0, 1, 2, (0, 2), (2, 1), None):
        alike(np.median(A, axis=axis), np.median(a, axis=axis))
        alike(np.quantile(A, 0.7, axis=axis, keepdims=True), np.quantile(a, 0.7, axis=axis, keepdims=True))
    for q in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="range"):
            np.quantile(A, q)
    with pytest.raises(ow.UnsupportedError, match="inverted_cdf"):
        np.quantile(A, 0.5, method="inverted_cdf")
    with pytest.raises(ow.UnsupportedError, match="weights"):
        np.quantile(A, 0.5, weights=np.ones(A.shape), method="inverted_cdf")
    with pytest.raises(ow.OpenworkError, match="no order"):
        np.median(ow.asarray(np.eye(2) * 1j, format="csr"))
    with pytest.raises(TypeError):
        np.quantile(ow.asarray(np.eye(2, dtype=bool), format="csr"), 0.5)
    with pytest.warns(RuntimeWarning):
        assert np.isnan(np.median(ow.from_coo(([], []), np.zeros(0), (0, 3))))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "uint8", "bool"])
@pytest.mark.parametrize("fill", [0, 1])
def test_orders(dtype, format, fill, rng=np.random.default_rng(12)):
    for shape in ((6, 7), (5, 1), (1, 5), (0, 3), (3, 0)):
        A, a = pair(rng, shape, dtype, format, fill, nan=dtype == "float32" and shape == (6, 7))
        for axis in (0, 1, -1, None):
            got = np.argsort(A, axis=axis)
            np.testing.assert_array_equal(plain(got), np.argsort(a, axis=axis, kind="stable"))
            assert got.dtype == np.intp
    x = rng.integers(-2, 3, 40) * (rng.random(40) < 0.5)
    np.testing.assert_array_equal(plain(ow.argsort(ow.asarray(x, format="sv"))), np.argsort(x, kind="stable"))


def test_orders_around_a_fill_value_that_is_no_number(rng=np.random.default_rng(13)):
    there, values = rng.random((5, 8)) < 0.5, rng.integers(-2, 3, (5, 8)).astype(float)
    values[rng.random((5, 8)) < 0.2] = np.nan
    at = np.nonzero(there)
    A, a = ow.from_coo(at, values[at], (5, 8), fill_value=np.nan), np.where(there, values, np.nan)
    np.testing.assert_array_equal(plain(np.argsort(A, axis=1)), np.argsort(a, axis=1, kind="stable"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(plain(np.median(A, axis=1)), np.median(a, axis=1))
        np.testing.assert_array_equal(plain(np.fmax.reduce(A, axis=1)), np.fmax.reduce(a, axis=1))


@pytest.mark.parametrize("format", FEW)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex64"])
@pytest.mark.parametrize("fill", [0, 1])
def test_weighted_means(dtype, format, fill, rng=np.random.default_rng(14)):
    A, a = pair(rng, (6, 7), dtype, format, fill)
    w = rng.integers(1, 5, (6, 7)).astype(float)
    for axis in (None, 0, 1, (0, 1)):
        for keepdims, weights in ((False, w), (True, w.astype("int32")), (False, ow.asarray(w, format="csr"))):
            alike(np.average(A, axis=axis, keepdims=keepdims), np.average(a, axis=axis, keepdims=keepdims))
            dense = plain(weights)
            alike(np.average(A, axis=axis, weights=weights, keepdims=keepdims), np.average(a, axis=axis, weights=dense, keepdims=keepdims))
        got, scale = np.average(A, axis=axis, weights=w, returned=True)
        want, wanted = np.average(a, axis=axis, weights=w, returned=True)
        alike(got, want)
        alike(scale, wanted)
    for axis, n in ((0, 6), (1, 7), (-1, 7)):
        one = rng.random(n) + 0.5
        alike(np.average(A, axis=axis, weights=one), np.average(a, axis=axis, weights=one))
        got, scale = np.average(A, axis=axis, weights=one, returned=True)
        np.testing.assert_allclose(plain(scale), np.average(a, axis=axis, weights=one, returned=True)[1])
    with pytest.raises(ZeroDivisionError):
        np.average(A, axis=0, weights=np.zeros(6))
    with pytest.raises(TypeError):
        np.average(A, weights=np.ones(7))
    with pytest.raises(ValueError, match="consistent"):
        np.average(A, axis=0, weights=np.ones(5))


@pytest.mark.parametrize("format", FEW)
def test_own_functions_fold(format, rng=np.random.default_rng(16)):
    said = {"commutative": True, "associative": True}
    larger = ow.function(lambda x, y: np.where(x > y, x, y), identity=-np.inf, **said)
    bits = ow.function(lambda x, y: x ^ y, identity=0, **said)
    for dtype, f, ufunc in (("float64", larger, np.maximum), ("int64", bits, np.bitwise_xor)):
        for fill in (0, 3):
            A, a = pair(rng, (6, 7), dtype, format, fill)
            for axis in (None, 0, 1, (0, 1)):
                for keepdims in (False, True):
                    alike(f.reduce(A, axis=axis, keepdims=keepdims), ufunc.reduce(a, axis=axis, keepdims=keepdims))
    with pytest.raises(ow.OpenworkError, match="does not reduce"):
        ow.function(lambda x, y: x - y).reduce(ow.asarray(np.eye(3), format=format))
@pytest.mark.parametrize("dtype", ["float64", "int32", "uint8"])
@pytest.mark.parametrize("name", ["fmin", "fmax"])
def test_statements_fold_by_functions(name, dtype, rng=np.random.default_rng(15)):
    for format in FORMATS:
        for fill in (0, 2):
            A, a = pair(rng, (6, 7), dtype, format, fill, nan=dtype == "float64")
            ufunc = getattr(np, name)
            np.testing.assert_array_equal(plain(ow.evaluate(f"y(i) = {name}(j, A(i,j))", A=A)), ufunc.reduce(a, axis=1))
            np.testing.assert_array_equal(plain(ow.evaluate(f"y(j) = {name}(i, A(i,j))", A=A)), ufunc.reduce(a, axis=0))
            assert plain(ow.evaluate(f"y = {name}(i, j, A(i,j))", A=A)) == ufunc.reduce(a, axis=None) or np.isnan(ufunc.reduce(a, axis=None))
    x = np.array([1.0, 2.0, -np.inf])
    np.testing.assert_allclose(plain(ow.evaluate("y = logaddexp(i, x(i))", x=x)), np.logaddexp.reduce(x))
    u = rng.integers(0, 30, (4, 6)).astype("uint32") * (rng.random((4, 6)) < 0.5)
    got = ow.evaluate("y(i) = gcd(j, A(i,j))", A=ow.asarray(u.astype("uint32"), format="csr"))
    np.testing.assert_array_equal(plain(got), np.gcd.reduce(u.astype("uint32"), axis=1))




@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
def test_dtypes_that_are_asked_for(name, format, rng=np.random.default_rng(14)):
    for dtype in ("bool", "int8", "uint64", "float32", "complex64"):
        for fill in (0, 1) if format in FEW else (0,):
            A, a = pair(rng, (5, 4), dtype, format, fill, density=0.6)
            A, a = (abs(A), abs(a)) if dtype != "complex64" else (A, a)
            mask = rng.random((5, 4)) < 0.5
            for kept in ("bool", "uint16", "int64", "float32", "complex128"):
                if dtype == "complex64" and kept == "uint16":
                    continue
                for given in ({"axis": None}, {"axis": 0, "keepdims": True}, {"axis": (1, 0)}, {"axis": 1, "where": mask}):
                    if name == "mean" and "where" in given and kept[0] not in "fc":
                        continue
                    alike(getattr(np, name)(A, dtype=kept, **given), getattr(np, name)(a, dtype=kept, **given))
                if name != "mean":
                    begun = {"axis": 0, "initial": 2}
                    alike(getattr(A, name)(dtype=kept, **begun), getattr(a, name)(dtype=kept, **begun))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
def test_multiples_that_do_not_fit_are_numpys(format, rng=np.random.default_rng(15)):
    for dtype in ("int8", "uint8", "int64"):
        most = np.iinfo(dtype).max
        for fill in (0, 1, 6):
            x = np.where(rng.random((5, 6)) < 0.6, rng.integers(1, most, (5, 6)), fill).astype(dtype)
            A = ow.asarray(x, format, fill_value=fill)
            for given in ({"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": 0, "initial": 5}):
                alike(np.lcm.reduce(A, **given), np.lcm.reduce(x, **given))
            if format != "dense":
                alike(np.lcm.reduce(A, axis=None), np.lcm.reduce(x.ravel()))


def test_multiples_of_huge_rows_that_do_not_fit_are_refused():
    a = ow.from_coo(([0, 0], [1, 2**40]), [2**61 - 1, 2**31 - 1], (2, 2**41), fill_value=3)
    with pytest.raises(ow.NumberError, match="do not fit"):
        np.lcm.reduce(a, axis=1)
    few = ow.from_coo(([0, 0], [1, 2**40]), [4, 6], (2, 2**41), fill_value=3)
    assert np.lcm.reduce(few, axis=1).todense().tolist() == [12, 3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
def test_no_axis_at_all(format, rng=np.random.default_rng(16)):
    A, a = pair(rng, (4, 3), "float64", format, nan=True)
    for name in ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "count_nonzero"):
        for keepdims in (False, True):
            alike(getattr(np, name)(A, axis=(), keepdims=keepdims), getattr(np, name)(a, axis=(), keepdims=keepdims))
    for ufunc in (np.add, np.multiply, np.minimum, np.hypot, np.logaddexp, np.fmax):
        alike(ufunc.reduce(A, axis=()), ufunc.reduce(a, axis=()))
        alike(ufunc.reduce(A, axis=(), initial=2.0), ufunc.reduce(a, axis=(), initial=2.0))
    whole = (A != 0).astype(int)
    alike(np.hypot.reduce(whole, axis=()), np.hypot.reduce((a != 0).astype(int), axis=()))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia"])
def test_a_mask_along_one_mode_is_not_written_out(format):
    """Whether it lies along what is folded or along what is left; what it leaves may be nothing."""
    rng = np.random.default_rng(5)
    d = np.where(rng.random((5, 6)) < 0.4, rng.standard_normal((5, 6)), 0)
    a = ow.asarray(d, format=format)
    for mask in (rng.random(6) < 0.5, rng.random((5, 1)) < 0.5, np.zeros(6, bool), np.ones((5, 1), bool)):
        for axis, keepdims, name in itertools.product((None, 0, 1), (False, True), ("min", "max")):
            given = {"axis": axis, "where": mask, "initial": 0.25, "keepdims": keepdims}
            found, wanted = plain(getattr(np, name)(a, **given)), getattr(np, name)(d, **given)
            np.testing.assert_array_equal(found, wanted, strict=axis is not None or keepdims)
    # Written out, the mask would take 400 GB.
    large = ow.from_coo([[3, 5], [1, 2]], [1.0, 2.0], (2 * 10**5, 2 * 10**6), format="csr")
    chosen = np.arange(2 * 10**6) % 2 == 0
    assert float(large.mean(where=chosen)) == 2.0 / (2 * 10**5 * 10**6)
    assert float(np.max(large, where=chosen, initial=-1.0)) == 2.0


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dok", "bcsr(2,2)", "dense"])
@pytest.mark.parametrize("fill", [0.0, 2.5])
def test_variances_within_a_mask(format, fill):
    rng = np.random.default_rng(7)
    X = np.where(rng.random((6, 8)) < 0.4, rng.normal(size=(6, 8)), fill)
    a = ow.asarray(X, format=format, fill_value=fill)
    masks = [rng.random((6, 8)) < 0.6, rng.random(8) < 0.7, rng.random((6, 1)) < 0.7, np.zeros((6, 8), bool), np.True_]
    for mask, axis, keepdims, ddof in itertools.product(masks, [None, 0, 1, (0, 1), ()], [False, True], [0, 1]):
        for given in (mask, ow.asarray(mask, format="csr") if mask.shape == X.shape else mask):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                for name in ("var", "std"):
                    wanted = getattr(np, name)(X, axis=axis, ddof=ddof, keepdims=keepdims, where=mask)
                    found = getattr(a, name)(axis, ddof=ddof, keepdims=keepdims, where=given)
                    np.testing.assert_allclose(found, wanted, atol=1e-14)
                    found = getattr(np, name)(a, axis=axis, ddof=ddof, keepdims=keepdims, where=given)
                    np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_options_without_a_meaning_here_say_what_to_write():
    a = ow.asarray(np.array([[1.0, 0.0], [np.nan, 3.0]]), format="csr")
    mask = np.array([[True, False], [True, True]])
    with pytest.raises(ow.UnsupportedError, match=r"ow.where\(mask, a, np.nan\)"):
        np.nansum(a, where=mask)
    assert ow.nansum(ow.where(mask, a, np.nan)) == np.nansum(a.todense(), where=mask)
