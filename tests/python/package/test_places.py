"""Assignments to places that values say, windows on the left, and windows that run backwards, beside NumPy's."""

import numpy as np
import pytest

import openwork as ow

VECTORS = ["dense", "sv", "hash", "bytemap", "bitmap", "rle", "coo"]
MATRICES = ["dense", "csr", "csc", "coo", "dcsr", "csf", "ell", "dia", "bcsr(2,2)", "dok", "lil", "rle", "jad", "sell", "csb"]


@pytest.fixture
def rng():
    return np.random.default_rng(45)


def thin(rng, shape, dtype=np.float64):
    return (rng.integers(-3, 4, shape) * (rng.random(shape) < 0.5)).astype(dtype)


def values(*args, **operands):
    return ow.asarray(ow.evaluate(*args, **operands)).todense()


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.bool_, np.float64, np.complex128])
def test_the_last_value_counts_in_every_format(rng, dtype):
    for position in VECTORS:
        for n, format in enumerate(VECTORS):
            x, p = thin(rng, 40, dtype), rng.integers(0, 9, 40).astype([np.int64, np.int32, np.uint8][n % 3])
            want = np.zeros(12, dtype)
            want[p] = x  # NumPy stores one after the other
            given = {"x": ow.asarray(x, format=VECTORS[n - 1]), "p": ow.asarray(p, format=position)}
            got = values("y(p(i)) = x(i)", format, dims={"y": (12,)}, **given)
            assert got.dtype == want.dtype and np.array_equal(got, want), (given, format)


@pytest.mark.parametrize("format", MATRICES)
def test_matrices_in_every_format(rng, format):
    A, p, q = thin(rng, (6, 8)), rng.integers(0, 5, 6), rng.integers(0, 9, (6, 8))
    a, b, v = rng.integers(0, 6, 30), rng.integers(0, 8, 30), thin(rng, 30)
    rows, pairs, one = np.zeros((5, 8)), np.zeros((6, 8)), np.zeros(9)
    for i in range(6):
        rows[p[i]] = A[i]
    for i in range(30):
        pairs[a[i], b[i]] = v[i]
    one[q.ravel()] = A.ravel()
    part = thin(rng, (6, 8))
    placed, added = part.copy(), part.copy()
    placed[1:5:2, 7:1:-3] = A[:2, :2]
    added[1:5:2, 2:4] += A[:2, :2]
    for result in (format, "dense", "csr"):
        given = {"A": ow.asarray(A, format=format), "p": p}
        assert np.array_equal(values("C(p(i),j) = A(i,j)", result, dims={"C": (5, 8)}, **given), rows)
        assert np.array_equal(values("H(a(i),b(i)) = v(i)", result, dims={"H": (6, 8)}, a=a, b=b, v=v), pairs)
        assert np.array_equal(values("D(i,i) = v(i)", result, dims={"D": (30, 30)}, v=v), np.diag(v))
        C, A2 = ow.asarray(part, format=format), ow.asarray(A[:2, :2], format=format)
        assert np.array_equal(values("C(i(1:5:2),j(7:1:-3)) = A(i,j)", result, C=C, A=A2), placed)
        assert np.array_equal(values("C(i(1:5:2),j(2:4)) += A(i,j)", result, C=C, A=A2), added)
        assert np.array_equal(values("B(i,j) = A(i(::-1),j(6:0:-2))", result, A=given["A"]), A[::-1, 6:0:-2])
    assert np.array_equal(values("y(q(i,j)) = A(i,j)", dims={"y": (9,)}, A=given["A"], q=q), one)


def test_threads_and_sizes(rng):
    n = 100_000
    x, p = rng.random(n), rng.integers(0, 5000, n)
    want = np.zeros(5000)
    want[p] = x
    before = ow.get_num_threads()
    try:
        for threads in (1, 2, 4):
            ow.set_num_threads(threads)
            assert np.array_equal(values("y(p(i)) = x(i)", dims={"y": (5000,)}, x=x, p=p), want)
    finally:
        ow.set_num_threads(before)


def test_a_kernel_is_found_again_for_other_shapes(rng):
    for n, m in [(5, 3), (50, 3), (5, 30), (0, 3), (7, 7)]:
        x, p = rng.random(n), rng.integers(0, m, n)
        want = np.zeros(m)
        want[p] = x
        assert np.array_equal(values("y(p(i)) = x(i)", dims={"y": (m,)}, x=x, p=p), want)
        y = rng.random(2 * n + 1)
        want = y.copy()
        want[1::2] = x
        assert np.array_equal(values("y(i(1::2)) = x(i)", x=x, y=y), want)
        assert np.array_equal(values("y(i) = x(i(::-1))", x=x), x[::-1])


def test_sequences(rng):
    x, p, q = rng.random(6), rng.integers(0, 4, 6), np.array([2, 0, 3, 1])
    y = np.zeros(4)
    y[p] = x
    made = ow.evaluate_all("y(p(i)) = x(i); z(i) = 2 * y(q(i))", dims={"y": (4,)}, x=x, p=p, q=q)
    assert np.array_equal(ow.asarray(made["z"]).todense(), 2 * y[q])


def test_what_nothing_is_sent_to(rng):
    got = ow.evaluate("y(p(i)) = x(i)", "(i) -> (i) : compressed; fill = 7", dims={"y": (4,)}, x=np.array([1.0]), p=np.array([2]))
    assert np.array_equal(got.todense(), [7, 7, 1, 7])
    m = np.array([True, False, False])
    got = values("y(p(i)) = x(i) where m(i)", dims={"y": (3,)}, x=np.array([1.0, 2, 4]), p=np.array([1, 1, -9]), m=m)
    assert np.array_equal(got, [0, 1, 0])


@pytest.mark.parametrize(
    "code, expr, operands",
    [
        ("E0206", "y(p(i)) = x(i)", {}),
        ("E0206", "D(i,i) = x(i)", {}),
        ("E0608", "y(p(i)) = x(i)", {"dims": {"y": (2,)}}),
        ("E0201", "y(i(0:2)) = x(i)", {}),
        ("E0202", "y(p(i)) = x(i)", {"dims": {"y": (2, 3)}}),
        ("E0201", "y(p(i)) = x(i)", {"dims": {"y": (5,), "z": (5,)}}),
        ("E0217", "z(i) = x(i(3:0:-1))", {}),
        ("E0103", "z(i) = x(i(0:3:0))", {}),
        ("E0203", "y(p(i)) = x(i) * w(i)", {"dims": {"y": (5,)}, "w": np.ones(4)}),
        ("E0201", "y(p(i)) = c", {"dims": {"y": (5,)}}),
    ],
)
def test_what_is_refused(code, expr, operands):
    given = {name: v for name, v in {"x": np.ones(3), "p": np.array([1, 4, 0])}.items() if f"{name}(" in expr}
    with pytest.raises(ow.OpenworkError) as e:
        ow.evaluate(expr, **{**given, **operands})
    assert e.value.code == code, e.value
