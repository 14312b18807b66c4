"""Sums of index variables, beside NumPy's slices and SciPy's correlations."""

import numpy as np
import pytest
from scipy import ndimage

import openwork as ow

VECTORS = ["dense", "sv", "hash", "bytemap", "bitmap", "rle", "coo"]
MATRICES = ["dense", "csr", "csc", "coo", "dcsr", "csf", "ell", "dia", "bcsr(2,2)", "dok", "lil", "rle", "jad", "sell", "csb"]


@pytest.fixture
def rng():
    return np.random.default_rng(44)


def thin(rng, shape):
    return rng.integers(-3, 4, shape) * (rng.random(shape) < 0.5)


def values(*args, **operands):
    return ow.asarray(ow.evaluate(*args, **operands)).todense()


@pytest.mark.parametrize("format", VECTORS)
def test_vectors_in_every_format(rng, format):
    x, w = thin(rng, 20), rng.integers(-3, 4, 4)
    given = ow.asarray(x, format=format)
    for text, want in [
        ("y(i) = x(i) - x(i+1)", x[:-1] - x[1:]),
        ("y(i) = x(i) - 2*x(i+1) + x(i+2)", x[:-2] - 2 * x[1:-1] + x[2:]),
        ("y(i) = x(2*i+1)", x[1::2]),
        ("y(i) = x(2*i) - x(2*i+1)", x[::2] - x[1::2]),
        ("y(i) = x(19-i)", x[::-1]),
        ("y(i) = x(18-2*i)", x[18::-2]),
        ("y = x(i+5)", x[5:].sum()),
        ("y(i) = x(i+30)", x[30:]),
        ("y(i) = x(i+d) * w(d)", np.convolve(x, w[::-1], "valid")),
        ("y(i) = x(i-d+3) * w(d)", np.convolve(x, w, "valid")),
        ("y(i) = padded(x(i+d-2)) * w(d)", ndimage.correlate1d(x, w, mode="constant")),
        ("y(i) = padded(x(i+1), 9)", np.append(x[1:], 9)),
        ("y(i) = x(i) + padded(x(i-1))", x + np.append(0, x[:-1])),
    ]:
        taken = {"x": given} | ({"w": w} if "w(" in text else {})
        for result in (None, "dense") if text.startswith("y =") else (None, "dense", "sv", format):
            got = values(text, result, **taken) if result else values(text, **taken)
            assert got.shape == np.shape(want) and np.array_equal(got, want), (text, format, result)


@pytest.mark.parametrize("format", MATRICES)
def test_matrices_in_every_format(rng, format):
    a, b = thin(rng, (9, 8)), rng.integers(-2, 3, (3, 3))
    given = {"A": ow.asarray(a, format=format)}
    assert np.array_equal(values("y(i) = A(i,i+1)", **given), np.diag(a, 1))
    assert np.array_equal(values("C(i,j) = A(i+1,j) - A(i,j+2)", **given), a[1:, :-2] - a[:-1, 2:])
    both = given | {"B": b}
    want = ndimage.correlate(a, b, mode="constant")
    for result in ("dense", "csr", "coo"):
        assert np.array_equal(values("C(i,j) = padded(A(i+p-1,j+q-1)) * B(p,q)", result, **both), want)
        assert np.array_equal(values("C(i,j) = A(i+p,j+q) * B(p,q)", result, **both), want[1:-1, 1:-1])


def test_toeplitz_and_hankel(rng):
    c, x = rng.integers(-3, 4, 9), rng.integers(-3, 4, 4)
    t = np.array([[c[i - j + 3] for j in range(4)] for i in range(6)])
    assert np.array_equal(values("y(i) = c(i-j+3) * x(j)", c=c, x=x), t @ x)
    h = np.array([[c[i + j] for j in range(4)] for i in range(6)])
    assert np.array_equal(values("H(i,j) = c(i+j) * (x(j) == x(j))", c=c, x=x), h)


def test_sizes_follow_the_operands(rng):
    for n in (3, 5, 30, 4):
        for m in (1, 2, 5):
            x, w = rng.random(n), rng.random(m)
            want = np.convolve(x, w[::-1], "valid") if m <= n else np.zeros(0)
            assert np.allclose(values("y(i) = x(i+d) * w(d)", x=x, w=w), want)
            assert np.array_equal(values("y(i) = x(i) - x(i+1)", x=x), x[:-1] - x[1:])
    empty = np.zeros(0)
    assert values("y(i) = padded(x(i+1))", x=empty).shape == (0,)
    assert values("y(i) = x(i) - x(i+1)", x=empty).shape == (0,)


def test_other_fill_values(rng):
    x = ow.asarray(np.array([7, 1, 7, 2]), format="sv", fill_value=7)
    assert np.array_equal(values("y(i) = padded(x(i+2))", x=x), [7, 2, 7, 7])
    assert np.array_equal(values("y(i) = padded(x(p(i)), -1)", x=x, p=np.array([3, 4, -1, 0])), [2, -1, -1, 7])


def test_updates(rng):
    x, y = np.arange(4), np.ones(5, int)
    assert np.array_equal(values("y(i+1) += x(i)", y=y, x=x), [1, 1, 2, 3, 4])
    assert np.array_equal(values("y(i) += x(i+1)", y=np.ones(3, int), x=x), [2, 3, 4])
    assert np.array_equal(values("y(4-i) += x(i)", y=y, x=x), [1, 4, 3, 2, 1])


def test_what_is_refused(rng):
    x, w = np.ones(9), np.ones(3)
    for text, code, part in [
        ("y(i) = w(i) * x(i+7)", "E0217", "`i` takes 3 values"),
        ("y(i) = x(i-d) * w(d)", "E0217", "write x(i-d+2)"),
        ("y(i) = x(20-i)", "E0217", "write x(8-i)"),
        ("y(i) = padded(x(-9223372036854775807*i-1))", "E0217", "64 bits"),
        ("y(i,j) = x(i+j)", "E0206", "`i` and `j`"),
        ("y(i) = x(i+s)", "E0206", "(s)"),
        ("y(i) = padded(x(i) + 1)", "E0204", "padded"),
        ("w(i+1) += w(i)", "E0203", "`i` takes 3 values"),
    ]:
        taken = {"x": x, "w": w, "s": 2}
        taken = {k: v for k, v in taken.items() if k + "(" in text or k == "s" and "+s" in text}
        with pytest.raises(ow.OpenworkError) as e:
            ow.evaluate(text, **taken)
        assert code in str(e.value) and part in str(e.value), (text, str(e.value))
    # A value may lie outside where nothing is needed.
    assert np.array_equal(values("y(i) = where(i < 2, x((i+7)), 0) * w(i)", x=x, w=w), [1, 1, 0])
