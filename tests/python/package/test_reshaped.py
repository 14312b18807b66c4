"""Other shapes, other places and parts of arrays are NumPy's, in every format."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import FORMATS, arrays, check

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, -4.0]])
SHAPES = {6: [(6,), (3, 2), (1, 6), (-1,), (2, -1), (1, 2, 3), 6], 0: [(0,), (0, 3), (2, 0, 4)], 1: [(), (1,), (1, 1, 1)]}


@given(st.data())
def test_reshape(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3, 4), fills=(0, 1)))
    sizes = [n for n in range(1, x.size + 1) if x.size % n == 0] or [0]
    shapes = SHAPES.get(x.size, []) + [(n, -1) for n in sizes if n] + [x.shape, (1, *x.shape), x.shape[::-1]]
    shape, order = data.draw(st.sampled_from(shapes)), data.draw(st.sampled_from(["C", "F"]))
    check(np.reshape(a, shape, order=order), np.reshape(x, shape, order=order))
    got = a.reshape(shape, order=order)
    check(got, x.reshape(shape, order=order))
    check(a.ravel(order), x.ravel(order))
    check(a.flatten(), x.flatten())
    check(np.ravel(a), np.ravel(x))
    assert all(isinstance(y, ow.Array) for y in (got, a.ravel(), a.flatten()))
    if not a._tensor.dense:
        assert got.fill_value == a.fill_value
        assert got.ndim == 0 or not got._tensor.dense


@given(st.data())
def test_modes_of_size_1(data):
    shape = tuple(data.draw(st.lists(st.sampled_from([1, 1, 2, 0]), min_size=1, max_size=4)))
    a, x = data.draw(arrays(shape=shape, fills=(0, 1)))
    check(np.squeeze(a), np.squeeze(x))
    check(a.squeeze(), x.squeeze())
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    if shape[axis] == 1:
        check(np.squeeze(a, axis), np.squeeze(x, axis))
    else:
        with pytest.raises(ValueError, match="not equal to one"):
            np.squeeze(a, axis)
    if x.ndim < 4:
        check(np.expand_dims(a, axis), np.expand_dims(x, axis))
        check(np.expand_dims(a, (0, -1)), np.expand_dims(x, (0, -1)))
    check(np.atleast_2d(a), np.atleast_2d(x))
    one, two = np.atleast_1d(a, 3)
    check(one, np.atleast_1d(x))
    check(two, np.array([3]))


def test_formats_of_shapes():
    assert ow.asarray(X, "csc").reshape(3, 2).format == "csc" and ow.asarray(X, "csr").ravel().format == "sv"
    assert ow.asarray(X, "dia").reshape(3, 2).format == "csr" and ow.asarray(X, "csr").reshape(1, 2, 3).format == "csf"
    a = ow.asarray(X, "dia")
    assert a.reshape(2, 3) is a and a.reshape((2, -1)).format == "dia"
    long = ow.from_coo(([1], [2]), [1.0], (2**20, 2**20), format="csr")
    assert long.reshape(-1, 1).format == "dcsr" and long.reshape(-1, 1)[2**20 + 2, 0] == 1.0
    huge = ow.from_coo(([1], [2]), [1.0], (2**40, 2**40), format="dcsr")
    with pytest.raises(ow.MemoryLimitError, match="64 bits"):
        huge.ravel()
    assert np.expand_dims(huge, 0)[0, 1, 2] == np.squeeze(np.expand_dims(huge, 0))[1, 2] == 1.0


def test_shapes_that_do_not_fit():
    a = ow.asarray(X, "csr")
    for shape in ((4,), (-1, -1), (-1, 4), (5, -1), (0, -1)):
        with pytest.raises(ValueError):
            a.reshape(shape)
    with pytest.raises(TypeError):
        a.reshape(1.5)
    with pytest.raises(ValueError):
        a.reshape(6, copy=False)
    with pytest.raises(ValueError):
        a.ravel("X")


@given(st.data())
def test_elements_elsewhere(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3), fills=(0, 1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shift = data.draw(st.integers(-5, 5))
    check(np.flip(a), np.flip(x))
    check(np.flip(a, axis), np.flip(x, axis))
    check(np.flipud(a), np.flipud(x))
    check(np.roll(a, shift), np.roll(x, shift))
    check(np.roll(a, shift, axis), np.roll(x, shift, axis))
    check(np.roll(a, (1, shift), (0, axis)), np.roll(x, (1, shift), (0, axis)))
    check(np.repeat(a, 2, axis), np.repeat(x, 2, axis))
    check(np.repeat(a, 2), np.repeat(x, 2))
    times = data.draw(st.lists(st.integers(0, 3), min_size=x.shape[axis], max_size=x.shape[axis]))
    check(a.repeat(times, axis), x.repeat(times, axis))
    reps = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
    check(np.tile(a, reps), np.tile(x, reps))
    check(np.tile(a, 2), np.tile(x, 2))
    check(np.broadcast_to(a, (2, *x.shape)), np.broadcast_to(x, (2, *x.shape)))
    more, wide = np.expand_dims(a, axis), [*x.shape]
    wide.insert(axis % (x.ndim + 1), 3)
    check(np.broadcast_to(more, wide), np.broadcast_to(np.expand_dims(x, axis), wide))
    if x.shape[axis]:
        check(np.take(a, [0, -1, 0], axis), np.take(x, [0, -1, 0], axis))
        check(np.take(a, [5, -9], axis, mode="wrap"), np.take(x, [5, -9], axis, mode="wrap"))
        check(np.take(a, 0, axis), np.take(x, 0, axis))
    if x.ndim > 1:
        check(np.fliplr(a), np.fliplr(x))
        for axes in ((0, 1), (1, 0), (0, -1)):
            check(np.rot90(a, shift, axes), np.rot90(x, shift, axes))


@given(st.data())
def test_parts_along_a_mode(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3), fills=(0, 1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    size = x.shape[axis]
    for many in (1, 3, [1], [2, 1], [-1, 9], []):
        for got, want in zip(np.array_split(a, many, axis), np.array_split(x, many, axis), strict=True):
            check(got, want)
    for got, want in zip(np.split(a, size or 1, axis), np.split(x, size or 1, axis), strict=True):
        check(got, want)
    if x.ndim > 1:
        for got, want in zip(np.unstack(a, axis=axis), np.unstack(x, axis=axis), strict=True):
            check(got, want)
    for function, rank in ((np.hsplit, 1), (np.vsplit, 2), (np.dsplit, 3)):
        if x.ndim >= rank:
            for got, want in zip(function(a, [1]), function(x, [1]), strict=True):
                check(got, want)
        else:
            with pytest.raises(ValueError):
                function(a, [1])
    if x.size > 1 and size > 1:
        for gone in (0, [0, -1], slice(None, None, 2)):
            check(np.delete(a, gone, axis), np.delete(x, gone, axis))
        check(np.delete(a, 1), np.delete(x, 1))
        with pytest.raises(ValueError, match="equal division"):
            np.split(a, size + 1, axis)


@given(st.data())
def test_triangles_and_diagonals(data):
    a, x = data.draw(arrays(ranks=(2, 3)))
    k = data.draw(st.integers(-4, 4))
    check(np.tril(a, k), np.tril(x, k))
    check(np.triu(a, k), np.triu(x, k))
    if x.ndim == 2:
        check(np.diag(a, k), np.diag(x, k))
        check(np.diagonal(a, k), np.diagonal(x, k))
        check(np.diagonal(a, k, 1, 0), np.diagonal(x, k, 1, 0))
        check(a.diagonal(k), x.diagonal(k))
        if x.dtype.kind in "iufc" and x.dtype.itemsize == 8:
            check(a.trace(k), x.trace(k))
    v, y = data.draw(arrays(ranks=(1,)))
    check(np.diag(v, k), np.diag(y, k))


@given(st.data())
def test_kron(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3)))
    b, y = data.draw(arrays(ranks=(1, 2)))
    check(np.kron(a, b), np.kron(x, y))
    check(np.kron(a, y), np.kron(x, y))
    check(np.kron(x, b), np.kron(x, y))


def test_formats_of_parts():
    for format in ("csr", "csc", "coo", "dcsr", "dcsc", "hash", "coo:1,0", "(i,j) -> (i,j) : dense, compressed(unordered)"):
        a = ow.asarray(X, format)
        for found in (np.flip(a), np.roll(a, 1, 0), np.tril(a), np.rot90(a), np.kron(a, a), np.tile(a, (2, 2)), np.repeat(a, 2, 1)):
            assert found.format == a.format, found
    assert np.tril(ow.asarray(X, "dia")).format == "csr" and np.diag(ow.asarray([1.0, 0.0], "sv")).format == "csr"
    check(np.kron(ow.asarray(X, "csr"), sp.coo_array(X)), np.kron(X, X))


def test_what_has_zeros_beside_a_fill_value_is_refused():
    for format in FORMATS[2]:
        a = ow.asarray(X, format, fill_value=1)
        if a._tensor.dense:
            continue
        for call, name in ((np.tril, "tril"), (np.triu, "triu"), (lambda a: np.kron(a, a), "kron"), (lambda a: np.diag(a.ravel()), "diag")):
            with pytest.raises(ow.UnsupportedError, match=rf"numpy\.{name} of an array with the fill value 1"):
                call(a)
    with pytest.raises(ow.ShapeError):
        np.tril(ow.asarray([0.0, 1.0], "sv"))
    with pytest.raises(ValueError):
        np.fliplr(ow.asarray([0.0, 1.0], "sv"))


def test_what_is_stored_stays_stored():
    a = ow.from_coo(([0, 1, 1], [1, 0, 0]), [0.0, 2.0, -2.0], (2, 2))
    for found in (a.ravel(), a.reshape(1, 4), np.flip(a), np.roll(a, 1), np.rot90(a), np.expand_dims(a, 0)):
        assert found.nnz == 2
