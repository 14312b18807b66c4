"""Division by what is empty: what it warns of, and what divides rows instead."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from cases import FORMATS, REAL, arrays, check
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow

EMPTY_ROW = np.array([[3.0, 0, 1, 0], [0, 0, 0, 0], [0, 2, 0, 0]])


def quotient(a, s):
    return a / s


def test_a_quotient_that_fills_rows_warns_once_for_each_place():
    a = ow.asarray(EMPTY_ROW, format="csr")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            got = quotient(a, a.sum(axis=1)[:, None])
        np.divide(a, EMPTY_ROW.sum(axis=1)[:, None])
    check(got, EMPTY_ROW / EMPTY_ROW.sum(axis=1)[:, None])
    assert len(seen) == 2
    for w in seen:
        assert w.category is RuntimeWarning and w.filename == __file__
        assert 'openwork.normalize(A, axis=1, norm="sum")' in str(w.message) and "where=" in str(w.message)


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dia", "bcsr(2,2)"])
def test_every_format_warns(format):
    a = ow.asarray(EMPTY_ROW, format=format)
    with pytest.warns(RuntimeWarning, match="normalize"):
        a / EMPTY_ROW.sum(axis=1)[:, None]


def test_quotients_of_two_sparse_operands_warn_where_rows_are_filled():
    x = np.diag(np.arange(40.0))
    a, s = ow.asarray(x, format="csr"), ow.asarray(x.sum(axis=1)[:, None], format="csr")
    with pytest.warns(RuntimeWarning, match="normalize"):
        a / s


def test_quotients_that_fill_nothing_are_quiet():
    a = ow.asarray(EMPTY_ROW, format="csr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a / 2.0, a / np.ones((3, 1)), a / (EMPTY_ROW + 1), a / ow.asarray(EMPTY_ROW.T.reshape(3, 4), format="csr")
        ow.asarray(EMPTY_ROW) / ow.asarray(np.zeros((3, 4))), a / np.inf, np.ones(4) / ow.asarray(np.ones((3, 4)), format="csr")


@pytest.mark.parametrize("norm", ["sum", "max", 1, 2, 3.5, np.inf])
@pytest.mark.parametrize("format", FORMATS[2] + ["sym", "banded"])
def test_normalize_keeps_pattern_and_format(norm, format):
    x = EMPTY_ROW[:, :3] if format != "sym" else np.array([[3.0, 0, 1], [0, 0, 0], [1, 0, 2]])
    a = ow.asarray(x, format=format)
    for axis in (0, 1, -1, (0, 1), None):
        got = ow.normalize(a, axis, norm)
        check(got, _normalized(x, axis, norm), exact=False)
        assert got.nnz == a.nnz
        assert got.format == ("csr" if format == "sym" and axis not in ((0, 1), None) else a.format)


def _normalized(x, axis, norm):
    if norm in ("sum", "max"):
        size = getattr(x, norm)(axis=axis, keepdims=True)
    else:
        size = (np.abs(x) ** norm).sum(axis, keepdims=True) ** (1 / norm) if norm != np.inf else np.abs(x).max(axis, keepdims=True)
    return np.where(x != 0, x / np.where(size == 0, 1, size), 0)


@given(st.data())
def test_normalize_of_any_array(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3), dtypes=REAL))
    x = x if x.dtype.kind == "f" else x.astype(float)
    axes = data.draw(st.sets(st.integers(0, a.ndim - 1), min_size=1))
    norm = data.draw(st.sampled_from(["sum", "max", 1, 2, np.inf]))
    got = ow.normalize(a, tuple(axes), norm)
    want = _normalized(x, tuple(axes), norm) if x.size else x
    check(got, want.astype(x.dtype), exact=False)
    assert got.nnz == a.nnz and got.format == a.format


def test_normalize_leaves_alone_what_has_no_norm():
    a = ow.asarray([[1.0, -1.0], [0.0, 0.0]], format="csr")
    assert ow.normalize(a, norm="sum").todense().tolist() == [[1.0, -1.0], [0.0, 0.0]]
    assert ow.normalize(ow.from_coo([[0], [1]], [0.0], (2, 3))).nnz == 1
    assert ow.normalize(ow.from_coo([[], []], [], (0, 3))).shape == (0, 3)
    check(ow.normalize(ow.asarray([[3, 4j]], format="csr")), np.array([[0.6, 0.8j]]), exact=False)
    assert np.isnan(ow.normalize(ow.asarray([[np.nan, 0.0, 2.0]], format="csr")).to_coo()[1]).tolist() == [True, True]
    for bad in ({"norm": "min"}, {"norm": 0}, {"norm": True}):
        with pytest.raises(ow.OperandError, match="norms of orders"):
            ow.normalize(a, **bad)
    with pytest.raises(ow.DTypeError, match="no order"):
        ow.normalize(a.astype("c8"), norm="max")
    with pytest.raises(ow.UnsupportedError, match="fill value"):
        ow.normalize(ow.asarray([[1.0, np.inf]], format="csr", fill_value=np.inf))


UFUNCS = [np.divide, np.floor_divide, np.remainder, np.add, np.multiply, np.power, np.maximum, np.less, np.hypot]


@given(st.data())
def test_ufuncs_where_a_mask_is_true(data):
    a, x = data.draw(arrays(ranks=(2,), dtypes=["float32", "float64", "int32"]))
    b, y = data.draw(arrays(shape=x.shape, dtypes=["float64", "int64"], formats=["csr", "dense", "coo", "dia"]))
    mask, m = data.draw(arrays(shape=x.shape, dtypes=["bool"], formats=["csr", "dense", "coo"]))
    ufunc = data.draw(st.sampled_from(UFUNCS))
    y, b = (np.abs(y), abs(b)) if ufunc is np.power else (y, b)
    part = data.draw(st.sampled_from(["whole", "rows", "numpy"]))
    if part == "rows":
        m, y = m[:, :1], y[:, :1]
        mask, b = m, y
    elif part == "numpy":
        mask, b = m, y
    if a._tensor.dense:
        a = a.asformat("csr")
    want = np.where(m, ufunc(x, y), np.zeros((), ufunc(x, y).dtype))
    got = ufunc(a, b, where=mask)
    got = got.todense() if isinstance(got, ow.Array) else got
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)
    out = np.full(x.shape, 7, want.dtype)
    assert ufunc(a, b, where=mask, out=out) is out
    np.testing.assert_allclose(out, np.where(m, want, out.dtype.type(7)), rtol=1e-6)


def test_a_mask_keeps_a_quotient_sparse():
    a = ow.asarray(sp.random_array((3000, 3000), density=1e-4, rng=1), format="csr")
    s = a.sum(axis=1).todense()[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.divide(a, s, where=s != 0).nnz == np.divide(a, s, where=a != 0).nnz == a.nnz
        assert np.log(a, where=a > 0).nnz == a.nnz
        assert np.divide(1.0, a, where=a != 0).nnz == a.nnz
    stated = ow.evaluate("y(i,j) = A(i,j) / s(i) where structure(A(i,j))", A=a, s=s[:, 0])
    assert stated.nnz == a.nnz and stated.format == "csr"
    with pytest.raises(TypeError, match="bool"):
        np.divide(a, s, where=s)
    with pytest.raises(ow.ShapeError, match="reaches beyond"):
        np.divide(a, 2.0, where=np.ones((2, 3000, 3000), bool))
