"""No array, however it was made or changed, makes a kernel read or write out of bounds: it is refused, or it is one."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import arrays, check
from openwork import _core
from openwork._array import wrap


def parts(a):
    t = a._tensor
    return (
        t.shape,
        t.layout,
        t.fill,
        [[np.array(m) for m in level] for level in t.arrays()],
        np.array(t.values()),
    )


@given(st.data())
def test_corrupted_parts(data):
    a, _ = data.draw(arrays(dtypes=["float64", "int32"], ranks=(1, 2, 3)))
    shape, layout, fill, levels, values = parts(a)
    index = [m for level in levels for m in level]
    for _ in range(data.draw(st.integers(1, 3))):
        kind = data.draw(st.sampled_from(["element", "length", "values", "shape"]))
        if kind == "element" and any(m.size for m in index):
            m = data.draw(st.sampled_from([m for m in index if m.size]))
            bad = data.draw(st.sampled_from([-1, 0, 1, 2, 3, 5, 2**31 - 1, -(2**31)]))
            m[data.draw(st.integers(0, m.size - 1))] = np.array(bad).astype(m.dtype)
        elif kind == "length" and levels:
            level = data.draw(st.sampled_from(levels))
            if level:
                n = data.draw(st.integers(0, len(level) - 1))
                level[n] = level[n][: data.draw(st.integers(0, max(0, level[n].size - 1)))]
        elif kind == "values":
            values = values[: data.draw(st.integers(0, values.size))]
        else:
            shape = tuple(data.draw(st.integers(0, 5)) for _ in shape)
    try:
        b = wrap(_core.from_parts(shape, layout, fill, levels, values))
    except ow.OpenworkError as e:
        assert not isinstance(e, ow.InternalError), e
        return
    x = b.todense()
    check(b + b, x + x)
    check(b.T, x.T)
    check(b.sum(axis=0), x.sum(axis=0))
    check(b.asformat("coo"), x)


@pytest.mark.parametrize(
    "text", ["", "csr;", "ds:7,8", "(i,j) -> (i/0,j) : dense, dense", "\0", "csr ; pos = u8", "é"]
)
def test_layouts_that_are_none(text):
    pos, crd = np.array([0, 1, 1], np.int32), np.array([0], np.int32)
    with pytest.raises(ow.OpenworkError) as caught:
        _core.from_parts((2, 2), text, 0.0, [[], [pos, crd]], np.ones(1))
    assert not isinstance(caught.value, ow.InternalError)


def test_values_changed_by_another_thread():
    x = np.zeros((300, 300))
    a = ow.asarray(x)
    stop = threading.Event()

    def write():
        rng = np.random.default_rng(0)
        while not stop.is_set():
            x[rng.integers(0, 300, 50), rng.integers(0, 300, 50)] = rng.integers(0, 2, 50)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for format in ["csr", "csc", "dia", "ell", "coo", "bcsr(2,2)", "dcsr", "hash"] * 3:
            b = a.asformat(format)
            assert b.shape == x.shape
            b.sum()
            ow.evaluate("B(j,i) = A(i,j)", "csr", A=a)
    finally:
        stop.set()
        writer.join()
