"""Arrays side by side are NumPy's, in every format, and nothing is written out."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import DTYPES, FORMATS, arrays, check

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, -4.0]])


def sparse(a) -> bool:
    return not a._tensor.dense


@given(st.data())
def test_concatenate(data):
    first, x = data.draw(arrays(ranks=(1, 2, 3), fills=(0, 1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    fill, pairs = int(first.fill_value.real), [(first, x)]
    for _ in range(data.draw(st.integers(0, 2))):
        shape = [*x.shape]
        shape[axis] = data.draw(st.integers(0, 3))
        a, y = data.draw(arrays(shape=tuple(shape), fills=(fill,)))
        pairs.append((a if data.draw(st.booleans()) else y, y))
    given_arrays, twins = zip(*pairs)
    got = np.concatenate(given_arrays, axis=axis)
    check(got, np.concatenate(twins, axis=axis))
    check(np.concatenate(given_arrays, axis=None), np.concatenate(twins, axis=None))
    if sparse(first):
        assert sparse(got) and got.fill_value == first.fill_value
        check(got + got, np.concatenate(twins, axis=axis) + np.concatenate(twins, axis=axis))


@given(st.data(), st.sampled_from([np.vstack, np.hstack, np.dstack, np.column_stack, np.stack]))
def test_stacks(data, function):
    shape = data.draw(st.sampled_from([(3,), (0,), (2, 3), (1, 1), (0, 2), (2, 2, 3)]))
    if function is np.column_stack and len(shape) > 2:
        shape = shape[1:]
    (a, x), (b, y) = (data.draw(arrays(shape=shape, fills=(0,))) for _ in range(2))
    check(function([a, b]), function([x, y]))
    check(function((a, y, b)), function((x, y, y)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack_along_any_mode(axis):
    for format in FORMATS[2]:
        check(np.stack([ow.asarray(X, format), X * 2], axis), np.stack([X, X * 2], axis))


def test_formats():
    for format in ("csr", "csc", "coo", "dcsr", "dia", "bcsr(2,2)", "hash"):
        a = ow.asarray(X, format)
        assert np.vstack([a, ow.asarray(X, "coo")]).format == np.hstack([a, X]).format == format
    assert np.concatenate([ow.asarray(np.eye(3), "lower"), np.eye(3)]).format == "csr"
    v = ow.asarray([0.0, 3.0], "sv")
    assert (np.hstack([v, v]).format, np.vstack([v, v]).format, np.stack([ow.asarray(X, "csr")] * 2).format) == ("sv", "csr", "csf")


def test_other_operands():
    a, s = ow.asarray(X, "csr"), sp.csc_array(X)
    check(np.vstack([s.toarray(), a, s, X.tolist()]), np.vstack([X] * 4))
    check(np.append(a, [[1, 2, 3]], axis=0), np.append(X, [[1, 2, 3]], axis=0))
    check(np.append(a, 5), np.append(X, 5))
    check(np.hstack([ow.asarray([0, 2], "sv"), 3]), np.array([0, 2, 3]))
    check(np.concatenate([a]), X)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_are_numpys(dtype):
    a, x = ow.asarray(X, "csr"), np.abs(X).astype(dtype)
    for axis in (0, 1):
        for other in ("csr", "coo", "dense"):
            check(np.concatenate([a, ow.asarray(x, other)], axis), np.concatenate([X, x], axis))
            small = np.abs(X).astype("int8")
            check(np.concatenate([ow.asarray(x, "csr"), ow.asarray(small, other)], axis), np.concatenate([x, small], axis))
    check(np.concatenate([a, a], dtype="float32"), np.concatenate([X, X], dtype="float32"))
    with pytest.raises(TypeError):
        np.concatenate([a, a], dtype="int8")
    check(np.concatenate([a, a], dtype="int8", casting="unsafe"), np.concatenate([X, X], dtype="int8", casting="unsafe"))
    out = np.zeros((4, 3))
    assert np.concatenate([a, a], out=out) is out
    check(out, np.concatenate([X, X]))


def test_blocks():
    a, x = ow.asarray(X, "csr"), X
    for got, want in [
        (np.block([[a, np.ones((2, 1))], [np.zeros((1, 3)), 7]]), np.block([[x, np.ones((2, 1))], [np.zeros((1, 3)), 7]])),
        (np.block([a, a]), np.block([x, x])), (np.block([[a], [a]]), np.block([[x], [x]])), (np.block(a), x),
        (np.block([[[a]], [[x]]]), np.block([[[x]], [[x]]])), (np.block([ow.asarray([0, 1], "sv"), 4]), np.array([0, 1, 4])),
    ]:  # fmt: skip
        check(got, want)
        assert sparse(got)
    for wrong in ([[a, a], a], [[a], []], [[a, np.ones((3, 3))]]):
        with pytest.raises(ValueError):
            np.block(wrong)


def test_fill_values():
    a, b = ow.asarray(X, "csr", fill_value=np.nan), ow.asarray(X, "coo", fill_value=np.nan)
    assert np.isnan(np.vstack([a, b]).fill_value)
    x = np.array([[np.inf, 1.0], [np.inf, np.inf]])
    a = ow.asarray(x, "csr", fill_value=np.inf)
    got = np.hstack([a, x, np.zeros((2, 1))])
    check(got, np.hstack([x, x, np.zeros((2, 1))]))
    assert got.nnz == 4 and got.fill_value == np.inf
    for name, call in (("concatenate", np.concatenate), ("vstack", np.vstack), ("hstack", np.hstack), ("stack", np.stack)):
        with pytest.raises(ow.UnsupportedError, match=rf"numpy\.{name} of arrays with the fill values inf and 0"):
            call([a, ow.asarray(X[:, :2], "csr")])
    # What has no coordinates has no fill value that matters.
    check(np.vstack([a, ow.asarray(np.zeros((0, 2)), "csr")]), x)


def test_mistakes():
    a = ow.asarray(X, "csr")
    for call in (lambda: np.vstack([a, a.T]), lambda: np.concatenate([a, a[0]]), lambda: np.hstack([a, np.ones((3, 3))]),
                 lambda: np.stack([a, a.T]), lambda: np.concatenate([a, a], axis=2), lambda: np.append(a, [1], axis=0),
                 lambda: np.concatenate([a, ow.asarray(5.0)]), lambda: np.vstack([ow.asarray(X, "coo"), ow.asarray(X.T, "coo")])):  # fmt: skip
        with pytest.raises(ValueError):
            call()


def test_what_is_stored_stays_stored():
    a = ow.from_coo(([0, 1, 1], [1, 0, 0]), [0.0, 2.0, -2.0], (2, 2), format="csr")
    for format in ("csr", "csc", "coo", "dcsr"):
        b = a.asformat(format)
        assert np.vstack([b, b]).nnz == np.hstack([b, b]).nnz == np.stack([b, b]).nnz == 4


def test_nothing_is_written_out():
    n = 10**6
    a = ow.from_coo((np.arange(9), np.arange(9)), np.ones(9), (n, n), format="dcsr")
    tracemalloc.start()
    b = np.block([[a, a], [a, a]])
    assert b.shape == (2 * n, 2 * n) and b.nnz == 36 and b.format == "dcsr"
    wide = ow.from_coo(([0], [2**40]), [1.0], (2, 2**41), format="csr")
    assert np.hstack([wide, wide])[0, 2**41 + 2**40] == 1.0
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()
    many = np.hstack([ow.asarray(X, "csr")] * 500)
    check(many, np.hstack([X] * 500))
