"""Updates at places that values say, beside NumPy's ``ufunc.at``."""

import numpy as np
import pytest

import openwork as ow

UPDATES = {"+=": np.add, "*=": np.multiply, "min=": np.minimum, "max=": np.maximum, "|=": np.bitwise_or, "^=": np.bitwise_xor}
VECTORS = ["dense", "sv", "hash", "bytemap", "bitmap", "rle", "coo"]
MATRICES = ["dense", "csr", "csc", "coo", "dcsr", "csf", "ell", "dia", "bcsr(2,2)", "dok", "lil", "rle", "jad", "sell", "csb"]


@pytest.fixture
def rng():
    return np.random.default_rng(44)


def thin(rng, shape, dtype=np.int64):
    return (rng.integers(-3, 4, shape) * (rng.random(shape) < 0.5)).astype(dtype)


def values(*args, **operands):
    return ow.asarray(ow.evaluate(*args, **operands)).todense()


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.float64])
def test_vectors_in_every_format(rng, update, dtype):
    if dtype is np.float64 and update in ("|=", "^="):
        pytest.skip("bits of floats")
    for position in VECTORS:
        for n, format in enumerate(VECTORS):
            x, y, p = thin(rng, 40, dtype), thin(rng, 9, dtype), rng.integers(0, 9, 40).astype([np.int64, np.int32, np.uint8][n % 3])
            want = y.copy()
            UPDATES[update].at(want, p.astype(int), x)
            given = {"y": ow.asarray(y, format=VECTORS[n - 3]), "x": ow.asarray(x, format=VECTORS[n - 1]), "p": ow.asarray(p, format=position)}
            got = values(f"y(p(i)) {update} x(i)", format, **given)
            assert got.dtype == want.dtype and np.array_equal(got, want), (update, given, format)


@pytest.mark.parametrize("format", MATRICES)
def test_matrices_in_every_format(rng, format):
    A, C, p, q = thin(rng, (6, 8)), thin(rng, (5, 8)), rng.integers(0, 5, 6), rng.integers(0, 8, 8)
    rows, columns, both, diagonal = C.copy(), C.copy(), C.copy(), thin(rng, (6, 6))
    np.add.at(rows, p, A)
    np.maximum.at(columns, (slice(None), q), A[:5])
    np.add.at(both, (p[:, None], q[None, :]), A)
    x = thin(rng, 6)
    for result in (format, "dense", "csr"):
        given = {"C": ow.asarray(C, format=format), "A": ow.asarray(A, format=format), "p": p}
        assert np.array_equal(values("C(p(i),j) += A(i,j)", result, **given), rows)
        assert np.array_equal(values("C(p(i),q(j)) += A(i,j)", result, q=q, **given), both)
        given = {"C": ow.asarray(C, format=format), "A": ow.asarray(A[:5], format=format), "q": q}
        assert np.array_equal(values("C(i,q(j)) max= A(i,j)", result, **given), columns)
        D = ow.asarray(diagonal, format=format)
        assert np.array_equal(values("D(i,i) += x(i)", result, D=D, x=x), diagonal + np.diag(x))


def test_counts_and_sums_of_rows(rng):
    a, b = rng.integers(0, 30, 500), rng.integers(0, 40, 500)
    want = np.zeros((3, 4), dtype=int)
    np.add.at(want, (a // 10, b % 4), 1)
    assert np.array_equal(values("H(a(i) // 10, b(i) % 4) += 1", H=np.zeros((3, 4), dtype=int), a=a, b=b), want)
    A, p = thin(rng, (500, 7), np.float64), rng.integers(0, 5, 500)
    want = np.bincount(p, A.sum(1), 5)
    assert np.allclose(values("y(p(i)) += A(i,j)", y=np.zeros(5), A=ow.asarray(A), p=p), want)
    assert np.allclose(values("y(k) = sum(i, sum(j, A(i,j)) * (k == p(i)))", A=A, p=p, dims={"k": 5}), want)
    kept = rng.random(500) < 0.5
    assert np.allclose(values("y(p(i)) += A(i,j) where m(i)", y=np.zeros(5), A=A, p=p, m=kept), np.bincount(p[kept], A[kept].sum(1), 5))


def test_one_element(rng):
    y, x = thin(rng, 6, np.float64), rng.random(4)
    want = y.copy()
    want[2] += x.sum()
    want[-1] += 1
    first = values("y((s)) += x(i)", y=y, x=x, s=2)
    assert np.allclose(values("y(-1) += 1", y=first), want)
    assert np.allclose(values("y(2*i+1) += x(i)", y=np.zeros(8), x=x)[1::2], x)


def test_several_statements_and_results_in_place(rng):
    p, x = rng.integers(0, 50, 200), rng.random(200)
    made = ow.evaluate_all("d(p(i)) += x(i); e(k) = 2 * d(k); d(p(i)) += x(i)", d=np.zeros(50), p=p, x=x)
    sums = np.bincount(p, x, 50)
    assert np.allclose(np.asarray(made["d"]), 2 * sums) and np.allclose(np.asarray(made["e"]), 2 * sums)


@pytest.mark.parametrize("bad", [-1, 9, 2**62, -(2**63)])
def test_places_outside(rng, bad):
    p = np.array([1, bad, 8])
    with pytest.raises(ow.OpenworkError, match="E0608") as refused:
        ow.evaluate("y(p(i)) += x(i)", y=np.zeros(9), x=np.ones(3), p=p)
    assert f"`p(i)` is {bad} at i = 1" in str(refused.value)
    assert np.array_equal(values("y(p(i)) += x(i)", y=np.zeros(9), x=np.array([1.0, 0.0, 2.0]), p=p), [0, 1, 0, 0, 0, 0, 0, 0, 2])
    with pytest.raises(ow.OpenworkError, match="E0608"):
        ow.evaluate("y(p(i)) += x(i)", y=np.zeros(9), x=np.array([1.0, np.nan, 2.0]), p=p)


def test_what_is_refused(rng):
    for text, code in [
        ("y(p(i)) = x(i)", "E0201"),  # `=` makes a new array
        ("w(i,i) = x(i)", "E0206"),
        ("z(p(i)) += x(i)", "E0201"),
        ("y(x(i)) += x(i)", "E0204"),
        ("y(p(i),i) += x(i)", "E0202"),
        ("y(sum(j, p(j))) += x(i) where x(j) > 0", "E0205"),
        ("y(p(i)) += x(j)", None),
    ]:
        given = {"y": np.zeros(5), "x": np.ones(5), "p": np.arange(5)}
        if code is None:
            assert np.array_equal(values(text, **given), np.full(5, 5.0))
            continue
        with pytest.raises(ow.OpenworkError, match=code):
            ow.evaluate(text, **{name: value for name, value in given.items() if name in text})


def test_a_place_from_the_end_follows_the_size():
    for n in (7, 6, 5, 7, 1):
        want = np.zeros(n)
        want[-1] = 1
        assert np.array_equal(values("y(-1) += 1", y=np.zeros(n)), want)
        assert np.array_equal(values("y(-1) = 1", dims={"y": (n,)}), want)
