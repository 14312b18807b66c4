"""`out=`: the array has the new values, or it is as it was, itself, its memory and what others read of it."""

import os

import numpy as np
import process
import pytest
import scipy.sparse as sp

import openwork as ow

A = sp.random_array((40, 40), density=0.2, rng=np.random.default_rng(1), format="csr")
SUM = ("C(i,j) = A(i,j) + B(i,j)", {"A": "csr", "B": "csr"})
PRODUCT = ("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr"})
VECTOR = ("C(i) = A(i,j) * B(j)", {"A": "csr"})


def snapshot(a):
    """What an array holds, and what it is."""
    return id(a), a.format, a.dtype, a.shape, a.todense().copy()


def same(before, after):
    assert before[:4] == after[:4]
    np.testing.assert_array_equal(before[4], after[4])


@pytest.mark.parametrize("case", [SUM, PRODUCT, VECTOR])
@pytest.mark.parametrize("format", [None, "csc", "dense", "dia"])
def test_a_call_that_fails_leaves_the_array(case, format):
    text, formats = case
    if case is VECTOR:
        format, b, other = None, np.ones(40), np.ones(30)
    else:
        b, other = A, A[:30, :30].tocsr()
    k = ow.kernel(text, formats, format=format)
    out = k(A=A, B=b)
    k(A=2 * A, B=b, out=out)
    view = out.to_scipy() if out.ndim == 2 else out.todense()
    read = view.toarray().copy() if out.ndim == 2 else view.copy()
    before = snapshot(out)
    with pytest.raises(ow.ShapeError):
        k(A=A, B=other, out=out)
    with pytest.raises(ow.OperandError):
        k(A=A, out=out)
    with pytest.raises(ow.OperandError):
        k(A=A, B=b.astype("f4"), out=out)
    same(before, snapshot(out))
    wrong = ow.asarray(np.ones((3, 3)) if out.ndim == 2 else np.ones(3))
    held = snapshot(wrong)
    with pytest.raises(ow.ShapeError, match="`out`"):
        k(A=A, B=b, out=wrong)
    same(held, snapshot(wrong))
    integers = ow.asarray(np.ones(out.shape, "i4"))
    with pytest.raises(ow.OperandError, match="`out`"):
        k(A=A, B=b, out=integers)
    with pytest.raises(TypeError):
        k(A=A, B=b, out=np.ones(out.shape).tolist())
    assert k(A=A, B=b, out=out) is out
    np.testing.assert_allclose(out.todense(), k(A=A, B=b).todense())
    np.testing.assert_array_equal(view.toarray() if out.ndim == 2 else view, read)


def test_an_operand_may_be_the_array():
    k = ow.kernel(*SUM)
    out, wanted = ow.asarray(A), A.toarray()
    for _ in range(4):
        wanted = 2 * wanted
        k(A=out, B=out, out=out)
        np.testing.assert_allclose(out.todense(), wanted)
    k = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).prepare(A=A)
    y, wanted = ow.asarray(np.ones(40)), np.ones(40)
    for _ in range(4):
        wanted = A @ wanted
        k(x=y, out=y)
        np.testing.assert_allclose(y.todense(), wanted)


HEAD = """
import os, signal, threading
import numpy as np
import openwork as ow

def held(out):
    return [np.asarray(m).copy() for level in out._tensor.arrays() for m in level] + [np.asarray(out._tensor.values()).copy()]

def left_alone(out, error, call):
    before, kept = held(out), out._tensor
    try:
        call()
    except error:
        pass
    else:
        raise SystemExit("nothing was raised")
    assert out._tensor is kept
    for a, b in zip(before, held(out), strict=True):
        np.testing.assert_array_equal(a, b)
"""


@pytest.mark.parametrize("format", ["csr", "csc", "dense"])
def test_the_memory_limit_leaves_the_array(format):
    body = f"""
        few, many = ow.asarray(np.eye(300, 10), "csr"), ow.asarray(np.ones((300, 10)), "csr")
        wide = ow.asarray(np.ones((10, 300)), "csr")
        k = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {{"A": "csr", "B": "csr"}}, format="csr")
        out = k(A=few, B=wide)
        k(A=few, B=wide, out=out)
        left_alone(out, ow.MemoryLimitError, lambda: k(A=many, B=wide, out=out))
        d = ow.kernel("C(i,j) = x(i) * x(j)", format="{format}")
        y = ow.from_coo([[1], [2]], [3.0], (1000, 1000))
        left_alone(y, ow.MemoryLimitError, lambda: d(x=np.ones(1000), out=y))
        k(A=few, B=wide, out=out)
        assert out.nnz == 3000
    """
    process.script(HEAD, body, 300, OPENWORK_MEMORY_LIMIT="1000000")


# What makes values beside the index arrays of `a`, and the dtype and format of that.
VALUED = {
    "a * 2.0": ("float", "csr"),
    "a / 2.0": ("float", "csr"),
    "a ** 2": ("float", "csr"),
    "np.sqrt(a)": ("int32", "csr"),
    "np.exp(a)": ("float", "dense"),
    "np.arctan2(1.0, a)": ("float", "csr"),
    "np.conj(a)": ("complex", "csr"),
    "np.nan_to_num(a)": ("float", "csr"),
    "np.isnan(a)": ("float", "csr"),
    "a.copy()": ("float", "csr"),
}


@pytest.mark.parametrize("made", VALUED)
def test_the_memory_limit_counts_values(made):
    dtype, format = VALUED[made]
    body = f"""
        import pytest
        a, kept = ow.asarray(np.ones((100, 300), "{dtype}"), "{format}"), []
        with pytest.raises(ow.MemoryLimitError):
            for _ in range(250):
                kept.append({made})
        assert kept
        kept.clear()
        assert ({made}).shape == a.shape
    """
    process.script(HEAD, body, 300, OPENWORK_MEMORY_LIMIT="4000000")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("handler", ["default", "own"])
@pytest.mark.parametrize("format", ["csr", "dense", "csc"])
def test_an_interrupt_leaves_the_array(format, handler):
    body = f"""
        def handle(*_):
            raise KeyboardInterrupt
        if "{handler}" == "own":
            signal.signal(signal.SIGINT, handle)
        n = 3000
        full = ow.asarray(np.ones((n, n)), "csr")
        k = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {{"A": "csr", "B": "csr"}}, format="{format}")
        few = ow.asarray(np.eye(n), "csr")
        out = k(A=few, B=few)
        k(A=few, B=few, out=out)
        def stopped():
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            k(A=full, B=full, out=out)
        left_alone(out, KeyboardInterrupt, stopped)
        assert out.nnz in (n, n * n)
        k(A=few, B=full, out=out)
        assert out.todense()[5, 7] == 1.0
    """
    process.script(HEAD, body, 300)
