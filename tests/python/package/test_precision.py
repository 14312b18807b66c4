"""Sums of single precision are right to 1e-6 however long they are: along any axis, in reductions, statements and products."""

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow

# 0.1 as `f32` rounds to the same side over and over: added up one by one, 200,000 of it are wrong in the fourth digit.
N = 200_000
TENTH = np.float32(0.1)
EXACT = float(TENTH)


def row():
    return sp.csr_array((np.full(N, TENTH), np.arange(N), np.array([0, N])), shape=(1, N))


def column():
    return sp.csr_array((np.full(N, TENTH), np.zeros(N, np.int64), np.arange(N + 1)), shape=(N, 1))


def error(result, wanted):
    if hasattr(result, "asformat"):
        result = result.asformat("dense")
    result = np.asarray(result)
    assert result.dtype in (np.float32, np.complex64)
    return np.abs(result.astype(np.complex128) / wanted - 1).max()


def right(result, wanted):
    assert error(result, wanted) < 1e-6


# `dia` and `banded` of a tall matrix would take memory for all its diagonals.
WIDE_ONLY = ["dia", "banded"]
FORMATS = ["csr", "csc", "coo", "coo_aos", "dcsr", "dcsc", "dok", "bitmap", "bytemap", "rle", "dense", "ell", "sell(8)", "jad"]
FORMATS += ["bcsr(2,2)", "bcsr(4,4)", "csb(64)", "sky"]


@pytest.mark.parametrize("fmt", FORMATS)
def test_reductions(fmt):
    R, C = ow.asarray(row()).asformat(fmt), ow.asarray(column()).asformat(fmt)
    right(R.sum(axis=1), N * EXACT)
    right(C.sum(axis=0), N * EXACT)
    right(R.sum(), N * EXACT)
    right(C.mean(axis=0), EXACT)
    right(C.T.sum(axis=1), N * EXACT)


def test_dense_arrays():
    tall, wide = np.full((N, 4), TENTH), np.full((4, N), TENTH)
    for array in (tall, wide):
        A = ow.asarray(array)
        for axis in (0, 1, None):
            count = array.size if axis is None else array.shape[axis]
            right(A.sum(axis=axis), count * EXACT)
    right(ow.asarray(wide) @ ow.asarray(tall), N * EXACT**2)


@pytest.mark.parametrize("fmt", FORMATS + WIDE_ONLY)
def test_products_in_every_format(fmt):
    wide = sp.csr_array(np.full((2, N), TENTH))
    A, B = ow.asarray(wide).asformat(fmt), ow.asarray(wide.T)
    right(A @ np.ones(N, np.float32), N * EXACT)
    for columns in (2, 5, 32):
        right(A @ np.ones((N, columns), np.float32), N * EXACT)
    right((A @ B).asformat("dense"), N * EXACT**2)
    right(ow.evaluate("Y(i,j) = A(i,k) * A(j,k)", A=A), N * EXACT**2)
    if fmt in WIDE_ONLY:
        return
    T = ow.asarray(wide.T.tocsr()).asformat(fmt)
    right(np.ones(N, np.float32) @ T, N * EXACT)
    for columns in (2, 5, 32):
        right(np.ones((columns, N), np.float32) @ T, N * EXACT)
        right(T.T @ np.ones((N, columns), np.float32), N * EXACT)
    right(ow.asarray(wide) @ T, N * EXACT**2)
    right((T.T @ T).asformat("dense"), N * EXACT**2)
    x, z = np.ones(N, np.float32), np.ones(2, np.float32)
    right(ow.evaluate("s = A(i,j) * x(i) * z(j)", A=T, x=x, z=z), 2 * N * EXACT)
    right(ow.evaluate("y(j) = sum(i, where(m(i), A(i,j), 0))", A=T, m=np.ones(N, bool)), N * EXACT)
    right(ow.evaluate("y(j) = sum(i, A(i,j) + x(i) * A(i,j))", "sv", A=T, x=x), 2 * N * EXACT)


@pytest.mark.parametrize("fmt", ["csr", "coo", "dcsr", "bitmap", "ell", "sell(8)", "bcsr(2,2)", "csb(64)"])
def test_one_long_column_among_short_ones(fmt):
    # Beside 299 short columns, blocks that are as long as the array wants them would be one.
    rows = np.concatenate([np.arange(N), np.arange(2000)])
    columns = np.concatenate([np.full(N, 7), 8 + np.arange(2000) % 290])
    A = sp.csr_array((np.full(len(rows), TENTH), (rows, columns)), shape=(N, 300))
    counts = np.bincount(columns, minlength=300)
    A = ow.asarray(A).asformat(fmt)
    for sums in (A.sum(axis=0), np.ones(N, np.float32) @ A):
        sums = np.asarray(sums.asformat("dense") if isinstance(sums, ow.Array) else sums)
        right(sums[counts > 0], counts[counts > 0] * EXACT)


@pytest.mark.parametrize("fmt", FORMATS + WIDE_ONLY)
def test_rows_of_some_hundred_elements(fmt):
    # One block of so many would be wrong by 5e-6.
    rows = ow.asarray(sp.csr_array(np.full((40, 900), TENTH))).asformat(fmt)
    right(rows @ np.ones(900, np.float32), 900 * EXACT)
    right(rows.sum(axis=1), 900 * EXACT)
    right(rows @ np.ones((900, 8), np.float32), 900 * EXACT)


@pytest.mark.parametrize("fmt", FORMATS)
def test_long_columns_of_full_matrices(fmt):
    # Of a few rows that are left over in a grid of blocks, too.
    A = ow.asarray(sp.csr_array(np.full((3003, 61), TENTH))).asformat(fmt)
    right(A.sum(axis=0), 3003 * EXACT)
    right(np.ones(3003, np.float32) @ A, 3003 * EXACT)


@pytest.mark.parametrize("rows", [600, 1000, 1100, 3003])
@pytest.mark.parametrize("fmt", ["dense", "bitmap", "bytemap"])
def test_columns_of_rows_that_are_divided(fmt, rows):
    # A part of 190 rows would be one block.
    A = ow.asarray(np.full((rows, 2000), TENTH), format=fmt)
    right(A.sum(axis=0), rows * EXACT)
    right(np.ones(rows, np.float32) @ A, rows * EXACT)


@pytest.mark.parametrize("columns", [1, 3, 16])
def test_products(columns):
    R, C, ones = ow.asarray(row()), ow.asarray(column()), np.ones(N, np.float32)
    right(R @ ones, N * EXACT)
    right(ones @ C, N * EXACT)
    right(C.T @ ones, N * EXACT)
    right(R @ np.ones((N, columns), np.float32), N * EXACT)
    right(C.T @ np.ones((N, columns), np.float32), N * EXACT)
    right((R @ C).asformat("dense"), N * EXACT**2)
    right((C.T @ C).asformat("dense"), N * EXACT**2)


@pytest.mark.parametrize(
    ("statement", "times"),
    [
        ("s = C(i,j)", 1),
        ("s = C(i,j) * C(i,j)", EXACT),
        ("s = C(i,j) * r(i)", 1),
        ("y(j) = C(i,j)", 1),
        ("y(j) = sum(i, C(i,j) + 2 * C(i,j))", 3),
        ("y(j) = C(i,j) * r(i) + C(i,j)", 2),
        ("y(j) = max(C(i,j), 0) * r(i)", 1),
        ("y(j) = sum(i, where(C(i,j) > 0, C(i,j), r(i)))", 1),
    ],
)
@pytest.mark.parametrize("fmt", [None, "sv"])
def test_statements(statement, times, fmt):
    C, r = ow.asarray(column()), np.ones(N, np.float32)
    operands = {"C": C} | ({"r": r} if "r(i)" in statement else {})
    if fmt and statement.startswith("s"):
        pytest.skip("a scalar has no other format")
    right(ow.evaluate(statement, fmt, **operands), N * EXACT * times)


def test_complex_numbers():
    C = ow.asarray((column() * np.complex64(1 - 2j)).astype(np.complex64))
    right(C.sum(axis=0), N * complex(np.complex64(TENTH * (1 - 2j))))
    right(C.T.sum(axis=1), N * complex(np.complex64(TENTH * (1 - 2j))))


def test_many_columns_with_their_share():
    # Two thousand sums of two thousand elements each, in every order of storage.
    A = sp.csr_array(np.full((2000, 2000), TENTH))
    for fmt in ("csr", "csc", "coo"):
        for axis in (0, 1):
            right(ow.asarray(A).asformat(fmt).sum(axis=axis), 2000 * EXACT)


def test_long_sums_that_had_something_before():
    C = ow.asarray(column())
    out = np.full(1, np.float32(1000))
    y = ow.evaluate("y(j) += C(i,j)", C=C, y=out)
    right(y, 1000 + N * EXACT)


@pytest.fixture
def threads():
    before = ow.get_num_threads()
    yield ow.set_num_threads
    ow.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("fmt", ["csr", "csc", "coo", "coo_aos", "dcsr", "dia", "ell", "sell(8)", "rle", "bitmap"])
def test_threads_make_the_same_bits(threads, fmt, dtype):
    rng = np.random.default_rng(7)

    def drawn(*shape):
        real = rng.random(shape).astype(dtype)
        return real + (1j * rng.random(shape)).astype(dtype) if dtype[0] == "c" else real

    for rows, columns in [(1000, 7), (20, 2000), (700, 300)]:
        dense = drawn(rows, columns)
        dense[rng.random(dense.shape) < 0.3] = 0
        A, B = ow.asarray(dense, format=fmt), ow.asarray(np.ascontiguousarray(dense[:, :40].T), format="csr")
        x, z, X = drawn(columns), drawn(rows), drawn(columns, 3)
        computed = {
            "A @ x": lambda: A @ x,
            "z @ A": lambda: z @ A,
            "A @ X": lambda: A @ X,
            "B @ A": lambda: B @ A,
            "rows": lambda: A.sum(axis=1),
            "columns": lambda: A.sum(axis=0),
            "all": lambda: A.sum(),
        }
        for name, compute in computed.items():
            bits = set()
            for n in (1, 2, 3):
                threads(n)
                result = compute()
                bits.add(np.asarray(result.asformat("dense") if hasattr(result, "asformat") else result).tobytes())
            assert len(bits) == 1, (name, rows, columns)


def test_threads_make_the_same_bits_of_products_with_lists(threads):
    for fmt in ("coo", "coo_aos", "dcsr"):
        A = ow.asarray(np.full((5, 200), TENTH), format=fmt)
        B = ow.asarray(np.full((200, 32), TENTH), format="csr")
        bits = set()
        for n in (1, 2, 3):
            threads(n)
            bits.add(np.asarray((A @ B).asformat("dense")).tobytes())
        assert len(bits) == 1, fmt
