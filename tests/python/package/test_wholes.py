"""Reductions of all values beside NumPy's, in formats whose values are looked at as they lie and in others."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import check, layouts

FORMATS = {1: ["sv", "dense"], 2: ["csr", "csc", "coo", "dcsr", "dcsc", "hash", "rle", "ell", "bcsr(2,2)"], 3: ["csf", "coo"]}
DTYPES = ["bool", "int8", "uint8", "int64", "float32", "float64", "complex64"]


@st.composite
def drawn(draw):
    """An array of numbers, most of which are its fill value, and the same in a format."""
    shape = draw(st.sampled_from([(6,), (0,), (1, 1), (0, 3), (5, 7), (40, 30), (2, 3, 4)]))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    fill = draw(st.sampled_from([0, 1] if dtype.kind in "biu" else [0, 1, np.nan, -np.inf]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    stored = rng.random(shape) < draw(st.sampled_from([0, 0.3, 1]))
    x = np.where(stored, rng.integers(-3, 4, shape).astype(dtype), dtype.type(fill)).astype(dtype)
    return ow.asarray(x, draw(layouts(FORMATS[len(shape)])), fill_value=dtype.type(fill)), x


@given(drawn(), st.sampled_from(["sum", "min", "max", "count_nonzero"]))
def test_everything_comes_to_what_numpy_says(pair, name):
    a, x = pair
    if name in ("min", "max") and (x.size == 0 or x.dtype.kind == "c" or np.isnan(x).any()):
        return
    got, want = getattr(a, name)(), getattr(np, name)(x)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got, want, rtol=1e-5)


@given(drawn())
def test_what_is_not_zero(pair):
    a, x = pair
    try:
        found = a.nonzero()
    except ow.UnsupportedError:
        # What is not stored is not zero then.
        assert a.fill_value != 0
        return
    for got, want in zip(found, np.nonzero(x), strict=True):
        assert got.dtype == np.intp
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("format", ["dense", "rle"])
def test_values_that_are_those_of_what_is_not_stored_are_not_zero(format, order):
    x = np.array([[1.0, 1.0], [3.0, 0.0]], order=order)
    for a in (ow.asarray(x, format, fill_value=1), ow.asarray(x, "csr", fill_value=1).asformat(format)):
        for found in (a.nonzero(), np.where(a), tuple(np.argwhere(a).T)):
            np.testing.assert_array_equal(found, x.nonzero())


@pytest.mark.parametrize("format", ["csr", "coo", "ell", "dense"])
def test_nan_beside_an_infinity_is_the_same_in_every_format(format):
    a = ow.asarray([[np.nan, 0.0], [-np.inf, 2.0]], format)
    # Dense arrays have NumPy's values unless somebody says otherwise.
    assert np.isnan(a.min()) if format == "dense" else a.min() == -np.inf
    with ow.exact(False):
        assert (a.min(), a.max()) == (-np.inf, pytest.approx(np.nan, nan_ok=True))
    with ow.exact():
        assert np.isnan(a.min())


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_coordinates_are_ours_to_change(format):
    x = np.array([[0.0, 2.0], [3.0, 0.0]])
    a = ow.asarray(x, format)
    coords, values = a.to_coo()
    for array in (*coords, values):
        array[:] = 0
    check(a, x)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_variances_beside_a_large_mean_are_those_of_numpy(axis):
    r = np.random.default_rng(3)
    dense = 1e8 + r.standard_normal((60, 50))
    # Of squares alone, nothing would be left.
    dense[r.random(dense.shape) < 0.5] = 1e8
    a = ow.asarray(sp.csr_array(dense - 1e8))
    shifted = ow.asarray(dense, format="csr", fill_value=1e8)
    for x, want in ((a, (dense - 1e8).var(axis)), (shifted, dense.var(axis)), (ow.asarray(dense, format="csr"), dense.var(axis))):
        found = x.var(axis)
        np.testing.assert_allclose(found.todense() if axis is not None else found, want, rtol=1e-6)


def test_too_few_values_have_no_variance():
    a = ow.asarray([[1.0, 2.0]], format="csr")
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        assert np.isnan(ow.nanvar(a, 1, ddof=2).todense()).all()
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        assert np.isnan(ow.nanstd(a, None, ddof=5))
