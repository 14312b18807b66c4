"""Parts of arrays in statements, against slices of NumPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import FORMATS, arrays, check

A = sp.random_array((12, 9), density=0.4, format="csr", rng=0)
D = A.toarray()


def bound(size):
    return st.one_of(st.none(), st.integers(-size, size))


@st.composite
def windows(draw, size):
    """A slice of a mode, and how it is written in a statement."""
    lo, hi, step = draw(bound(size)), draw(bound(size)), draw(st.one_of(st.none(), st.integers(1, size + 1)))
    text = ":".join("" if b is None else str(b) for b in (lo, hi))
    return slice(lo, hi, step), text if step is None else f"{text}:{step}"


@given(st.data(), st.sampled_from(FORMATS[2]))
def test_parts_are_those_of_numpy(data, format):
    a, x = data.draw(arrays(shape=(5, 6), dtypes=["int64", "float64"]))
    rows, columns = data.draw(windows(5)), data.draw(windows(6))
    part = x[rows[0], columns[0]]
    text = f"A(i({rows[1]}), j({columns[1]}))"
    check(ow.evaluate(f"B(i,j) = {text}", A=ow.convert(a, format)), part)
    check(ow.evaluate(f"y(j) = sum(i, 2 * {text})", A=ow.convert(a, format)), (2 * part).sum(axis=0))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dense", "dcsr", "csf", "dia", "ell", "bcsr(2,2)", "hash", "rle"])
def test_several_parts_of_one_array(format):
    a = ow.asarray(A, format=format)
    got = ow.evaluate("B(i,j) = A(i(1:5:2), j(2:6:2)) + A(i(3:7:2), j(:4:2)) * A(i(:2), j(-2:))", A=a)
    check(got, D[1:5:2, 2:6:2] + D[3:7:2, :4:2] * D[:2, -2:], exact=False)


def test_operands_are_read_in_place():
    x = np.arange(10.0)
    difference = ow.kernel("y(i) = x(i(1:)) - x(i(:-1))", {"x": "dense"})
    check(difference(x=x), np.diff(x))
    x[3] = 50.0
    check(difference(x=x), np.diff(x))
    # One kernel serves arrays of any size.
    for n in (2, 7, 1000):
        check(difference(x=np.sqrt(np.arange(n))), np.diff(np.sqrt(np.arange(n))), exact=False)


def test_products_with_parts():
    x = np.arange(6.0)
    for operand in (A, A.tocsc(), A.tocoo(), D, ow.asarray(A)):
        check(ow.evaluate("y(i) = A(i(2:11:3), j(1:7)) * x(j)", A=operand, x=x), D[2:11:3, 1:7] @ x, exact=False)


def test_windows_that_do_not_fit_are_refused():
    for text in ("y(i) = x(i(0:11))", "y(i) = x(i(11:))", "y(i) = x(i(-11:))"):
        with pytest.raises(ow.ShapeError, match="E0217"):
            ow.evaluate(text, x=np.ones(10))
    kernel = ow.kernel("y(i) = x(i(2:8))", {"x": "dense"})
    with pytest.raises(ow.ShapeError, match="E0217"):
        kernel(x=np.ones(7))
    with pytest.raises(ow.ShapeError, match="E0203"):
        ow.evaluate("y(i) = x(i(0:3)) + x(i(0:4))", x=np.ones(10))
    for text in ("y(i) = x(0:2)", "y(i) = x(i(::0))"):
        with pytest.raises(ow.UnsupportedError, match="E0103"):
            ow.evaluate(text, x=np.ones(10))


def test_parts_of_what_was_computed_before():
    x = np.arange(2000.0)
    text = "t(i) = x(i) * x(i); y(i) = t(i(1:)) - t(i(:-1)); n = y(i(::7)) * y(i(::7))"
    made = ow.evaluate_all(text, results=["y", "n"], x=x)
    check(made["y"], np.diff(x * x), exact=False)
    assert np.isclose(made["n"].item(), (np.diff(x * x)[::7] ** 2).sum())
