"""Arrays of NumPy and SciPy in: zero-copy where it is sound, every refusal with its reason."""

import gc
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import FORMATS, check, values

SEVEN = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]


@given(st.data(), st.sampled_from(SEVEN), st.booleans())
def test_every_format_of_scipy(data, format, matrix):
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    dtype = data.draw(
        st.sampled_from(["bool", "int8", "int64", "uint16", "float32", "float64", "complex128"])
    )
    x = data.draw(values(shape, dtype))
    s = (sp.csr_matrix if matrix else sp.csr_array)(x).asformat(format)
    check(ow.asarray(s), x)
    check(ow.asarray(s, format="dcsr"), x)
    check(ow.asarray(s).to_scipy().toarray(), x)


@given(st.data())
def test_one_and_three_modes_of_scipy(data):
    shape = data.draw(st.sampled_from([(4,), (2, 3, 4)]))
    x = data.draw(values(shape, "float64"))
    check(ow.asarray(sp.coo_array(x)), x)


@given(st.data(), st.sampled_from(["csr", "csc"]))
def test_unsorted_and_repeated_indices(data, format):
    n = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(st.integers(0, n - 1), max_size=6), min_size=n, max_size=n))
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array(sum(rows, []), np.int32)
    vals = np.arange(1.0, len(indices) + 1)
    s = {"csr": sp.csr_array, "csc": sp.csc_array}[format]((vals, indices, indptr), shape=(n, n))
    check(ow.asarray(s), s.toarray())


@pytest.mark.parametrize("shape", [(4, 4), (6, 4), (2, 6)])
def test_blocks_are_read_in_place(shape):
    x = np.kron(np.eye(shape[0] // 2, shape[1] // 2), np.ones((2, 2)))
    s = sp.bsr_array(x, blocksize=(2, 2))
    a = ow.asarray(s)
    assert a.format == "bcsr(2,2)"
    check(a, x)
    check(a @ np.ones(shape[1]), x @ np.ones(shape[1]))


def test_values_are_read_in_place_and_indices_are_not():
    s = sp.random_array((20, 20), density=0.3, format="csr", rng=3)
    a = ow.asarray(s)
    s.data[:] = 7
    assert a.to_coo()[1].max() == 7, "documented: values are those of the memory"
    before = a.to_coo()[0][1].copy()
    s.indices[:] = 10**6
    np.testing.assert_array_equal(a.to_coo()[0][1], before)
    assert np.isfinite(a @ np.ones(20)).all()
    b = ow.asarray(s.data, copy=True)
    s.data[:] = 8
    assert b.todense().max() == 7


class Own(np.ndarray):
    """A class of a user's."""


def test_copies_of_ours_are_copies():
    x = np.array([1.0, 2.0])
    a = ow.asarray(x)
    assert ow.asarray(a) is a and ow.asarray(a, dtype=float) is a
    options = [{}, {"dtype": float}, {"format": "dense"}, {"fill_value": 5.0}]
    copies = [ow.asarray(y, copy=True, **given) for y in (a, x, x.view(Own)) for given in options]
    x[0] = 9.0
    for copy in copies:
        assert copy.todense().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("format", ["dense", "csr", "coo", "ell", "bitmap", "rle"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float64"])
def test_copies_of_results_stay(format, dtype):
    x = np.array([[0, 1], [1, 0]], dtype)
    k = ow.kernel("y(i,j) = A(i,j)", {"A": format}, {"A": dtype}, format=format)
    y = k(A=x)
    copies = [ow.asarray(y, copy=True), y.astype(dtype), +y]
    k(A=x[::-1], out=y)
    assert y.todense()[0, 0] == 1
    for copy in copies:
        check(copy, x)


def test_borrowed_memory_lives_as_long_as_it_is_read():
    x = np.arange(1000.0)
    references = sys.getrefcount(x)
    a = ow.asarray(x)
    assert np.shares_memory(a.todense(), x)
    assert sys.getrefcount(x) > references
    del a
    gc.collect()
    assert sys.getrefcount(x) == references
    b = ow.asarray(np.arange(1000.0))
    gc.collect()
    assert b.sum() == 499500


def test_values_that_decide_what_is_stored_are_settled_first():
    x = np.zeros(1000)
    a = ow.asarray(x)
    x[::2] = 1
    assert a.asformat("sv").nnz == 500


@pytest.mark.parametrize(
    "x",
    [
        np.arange(12.0)[::2],
        np.arange(12.0).reshape(3, 4)[:, ::2],
        np.arange(6.0)[::-1],
        np.arange(6, dtype=">f8"),
        np.frombuffer(b"\0" + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64),
        np.broadcast_to(np.arange(3), (2, 3)),
        np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    ],
    ids=["strided", "columns", "reversed", "big-endian", "unaligned", "broadcast", "permuted"],
)
def test_layouts_that_are_copied(x):
    check(ow.asarray(x), x.astype(x.dtype.newbyteorder("=")))
    with pytest.raises(ValueError, match="in place"):
        ow.asarray(x, copy=False)


def test_read_only_input():
    x = np.arange(4.0)
    x.flags.writeable = False
    assert np.shares_memory(ow.asarray(x, copy=False).todense(), x)
    s = sp.eye_array(4, format="csr")
    for part in (s.data, s.indices, s.indptr):
        part.flags.writeable = False
    check(ow.asarray(s) @ x, x)


def test_nested_lists_and_numbers():
    check(ow.asarray([[1, 2], [3, 4]]), [[1, 2], [3, 4]])
    assert ow.asarray(2.5).item() == 2.5
    check(ow.asarray([[0, 1], [1, 0]], format="csr", dtype="float32"), np.array([[0, 1], [1, 0]], "float32"))
    assert ow.asarray([[0, 1], [1, 0]], format="ds", fill_value=1).nnz == 2


@pytest.mark.parametrize("dtype", ["float16", "object", "datetime64[s]", "longdouble", "U3"])
def test_dtypes_that_are_not_ours(dtype):
    with pytest.raises(ow.DTypeError, match="not supported"):
        ow.asarray(np.zeros(3, dtype))
    if dtype in ("float16", "longdouble"):
        with pytest.raises(ow.DTypeError, match="float64"):
            s = sp.csr_array(np.eye(3))
            s.data = s.data.astype(dtype)
            ow.asarray(s)


def handmade(pos, crd, n=3, kind=sp.csr_array):
    s = kind((n, n))
    s.indptr, s.indices = np.array(pos), np.array(crd)
    s.data = np.ones(len(crd))
    return s


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize(
    ("pos", "crd"),
    [
        ([0, 1, 2, 3], [0, 3, 1]),
        ([0, 1, 2, 3], [0, -1, 1]),
        ([0, 2, 1, 3], [0, 1, 2]),
        ([1, 1, 2, 3], [0, 1, 2]),
        ([0, 1, 2, 9], [0, 1, 2]),
        ([0, 1, 2], [0, 1]),
        ([0, 1, -2, 3], [0, 1, 2]),
        ([0, 0, 0, -5], [0, 1, 2]),
        ([0, 1, 2, 3], [0, 2**40, 1]),
    ],
)
def test_handmade_indices_are_refused(pos, crd, kind):
    with pytest.raises(ow.OpenworkError) as caught:
        ow.asarray(handmade(pos, crd, kind=kind))
    assert caught.value.code in ("E0601", "E0604")


def test_handmade_coordinates_are_refused():
    s = sp.coo_array((np.ones(2), ([0, 1], [0, 1])), shape=(2, 2))
    for bad in (-1, 2, 2**40):
        s.coords = (np.array([0, bad]), np.array([0, 1]))
        with pytest.raises(ow.DataError, match="outside"):
            ow.asarray(s)
    with pytest.raises(ow.OpenworkError):
        ow.from_coo(([0, 1], [0]), [1.0, 2.0], (2, 2))
    with pytest.raises(ow.OpenworkError):
        ow.from_coo(([0.5],), [1.0], (2,))
    with pytest.raises(ow.OpenworkError):
        ow.from_coo(([2**63],), [1.0], (2,))


def test_blocks_of_the_wrong_shape_are_refused():
    s = sp.bsr_array(np.eye(4), blocksize=(2, 2))
    s.indices = np.array([0, 5], np.int32)
    with pytest.raises(ow.DataError):
        ow.asarray(s)


@pytest.mark.parametrize("kind", [sp.dia_array, sp.dia_matrix])
def test_handmade_diagonals_are_refused(kind):
    def made(offsets, data):
        s = kind((np.ones((2, 4)), [0, 1]), shape=(4, 4))
        s.offsets, s.data = np.array(offsets), data
        return s

    two = np.ones((2, 4))
    cases = [([n, 1], two) for n in (2**31, 2**62, 2**63 - 1, -(2**63))]
    cases += [([0], two), ([0, 1, 2], two), ([1, 1], two), ([0, 1], np.ones(4)), ([0, 1], np.ones((2, 4, 1)))]
    for offsets, data in cases:
        for format in (None, "csr"):
            with pytest.raises(ow.DataError) as caught:
                ow.asarray(made(offsets, data), format)
            assert caught.value.code == "E0601"
    with pytest.raises(ow.DTypeError):
        ow.asarray(made([0.5, 1], two))
    with pytest.raises(ow.DataError):
        ow.asarray(np.eye(4), "csr") + made([2**62, 1], two)


@pytest.mark.parametrize("kind", [sp.lil_array, sp.lil_matrix])
def test_handmade_lists_are_refused(kind):
    for rows, values in (([1], [2.0] * 100_000), ([1] * 100_000, [2.0]), ([], [2.0])):
        s = kind((3, 3))
        s.rows[0], s.data[0] = rows, values
        with pytest.raises(ow.DataError, match="more columns than values, or fewer"):
            ow.asarray(s)
    s.rows = s.rows[:2]
    with pytest.raises(ow.DataError, match="no list for each"):
        ow.asarray(s)


@given(st.data())
def test_diagonals_that_reach_beyond_a_matrix(data):
    shape = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
    offsets = data.draw(st.lists(st.integers(-9, 9) | st.sampled_from([2**31 - 1, -(2**31)]), unique=True, max_size=4))
    width = data.draw(st.integers(0, 9))
    s = sp.dia_array((np.arange(1.0, len(offsets) * width + 1).reshape(len(offsets), width), offsets), shape=shape)
    x = np.zeros(shape)
    for row in range(shape[0]):
        for column in range(min(shape[1], width)):
            x[row, column] = sum(d[column] for d, offset in zip(s.data, offsets) if column - row == offset)
    check(ow.asarray(s), x)
    check(ow.asarray(s, "csr"), x)


# Large enough for what storage does without a kernel, too.
@pytest.mark.parametrize("size", [5, 30])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("format", [f for f in FORMATS[2] if not f.startswith("dense")])
def test_zeros_with_a_minus_are_the_fill_value(format, dtype, size):
    x = np.zeros((size, size), dtype)
    x[0, 0], x[1, 1], x[4, 4] = 1, -0.0, 2
    x[2:4, 2:4] = -x[0:2, 3:5]
    made = [ow.asarray(x, format=format), ow.asarray(ow.asarray(x), format=format), ow.asarray(x, format="bcsr(2,2)")]
    for a in [*made, -made[0], made[0] * -1, ow.evaluate("y(i,j) = -a(i,j)", format, a=made[0])]:
        for b in [a, a.asformat(format), a.asformat("csr"), a.asformat("dok")]:
            stored = len(b.to_coo()[1])
            assert stored == np.count_nonzero(x), (b.format, stored)


def test_huge_shapes():
    s = sp.coo_array(([1.0], ([2**40], [5])), shape=(2**41, 2**41))
    a = ow.asarray(s)
    assert a.shape == (2**41, 2**41) and a.nnz == 1
    with pytest.raises(MemoryError):
        a.todense()
    with pytest.raises(ow.MemoryLimitError):
        a.asformat("csr")
    assert a.asformat("dcsr").T.to_coo()[0][0].tolist() == [5]
    assert (a + a).to_coo()[1].tolist() == [2.0]
    with pytest.raises((ow.OpenworkError, OverflowError)):
        ow.from_coo(([0], [0]), [1.0], (2**70, 2))


def test_formats_that_are_no_text():
    a = ow.asarray(np.eye(2), "csr")
    assert a.asformat(None) is a
    for call in (lambda: a.asformat(3), lambda: ow.convert(a, 3), lambda: ow.asarray(np.eye(2), 3)):
        with pytest.raises(TypeError, match="a format is a text"):
            call()


def test_formats_that_are_none():
    with pytest.raises(ow.FormatError) as caught:
        ow.asarray(np.eye(2), format="crs")
    assert "^" in str(caught.value) and caught.value.code == "E0301"
    with pytest.raises(ow.FormatError):
        ow.asarray(np.ones((2, 2)), format="lower")
    with pytest.raises(ow.FormatError, match="fill value"):
        ow.asarray(np.eye(2), format="csr", fill_value=1).to_scipy()


def test_files(tmp_path):
    s = sp.random_array((7, 5), density=0.4, format="csr", rng=0)
    for name in ("a.mtx", "a.tns", "a.mtx.gz"):
        ow.save(tmp_path / name, s)
        check(ow.load(tmp_path / name, shape=(7, 5)), s.toarray())
    assert ow.load(tmp_path / "a.mtx").format == "csr"
    assert ow.load(tmp_path / "a.mtx", "dcsc", dtype="complex128").dtype == np.complex128
    ow.save(tmp_path / "d.mtx", np.ones((2, 3)))
    assert ow.load(tmp_path / "d.mtx").format == "dense"
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n")
    with pytest.raises(ow.FileError, match="bad.mtx"):
        ow.load(tmp_path / "bad.mtx")
    with pytest.raises(OSError):
        ow.load(tmp_path / "missing.mtx")
    with pytest.raises(ow.FileError, match="known file formats"):
        ow.save(tmp_path / "a.xyz", s)


def test_info():
    found = ow.info(sp.eye_array(100, format="csr"))
    assert found["symmetric"] and found["bandwidth"] == (0, 0)
    assert "recommended" in repr(found)
    assert ow.info([1.0, 2.0])["shape"] == (2,)


PARTS = [0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan")]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("extension", ["tns", "tns.gz", "mtx", "mtx.gz"])
def test_complex_files_read_back(dtype, extension, tmp_path):
    x = np.zeros((6, 6), dtype)
    x.real, x.imag = np.array(PARTS)[:, None], np.array(PARTS)[None, :]
    a = ow.asarray(x, format="csr")
    ow.save(tmp_path / f"a.{extension}", a)
    back = ow.load(tmp_path / f"a.{extension}")
    assert back.dtype == dtype and back.shape == a.shape
    np.testing.assert_array_equal(back.todense(), a.todense())
    with pytest.raises(ow.FileError):
        ow.load(tmp_path / f"a.{extension}", dtype="float64")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_fill_values(dtype):
    for re in PARTS:
        for im in PARTS:
            fill = complex(re, im)
            a = ow.from_coo([[0], [1]], np.array([2 + 1j], dtype), (2, 2), fill_value=fill)
            wanted = np.full((2, 2), fill, dtype)
            wanted[0, 1] = 2 + 1j
            for b in [a, a.asformat("coo"), a.asformat("csc").T.T, pickle.loads(pickle.dumps(a))]:
                np.testing.assert_array_equal(b.todense(), wanted)
                assert "fill" in repr(b) or fill == 0
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal((a + a).todense(), wanted + wanted)
            np.testing.assert_array_equal((-a).todense(), -wanted)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_coordinates_in_order_are_those_in_any_order(dtype):
    rng = np.random.default_rng(3)
    n, shape = 3000, (120, 200)
    rows, columns = rng.integers(0, shape[0], n).astype(dtype), rng.integers(0, shape[1], n).astype(dtype)
    values = rng.integers(1, 9, n).astype(float)
    order = np.lexsort((columns, rows))
    wanted = np.zeros(shape)
    np.add.at(wanted, (rows.astype(int), columns.astype(int)), values)
    for at in (slice(None), order, order[::-1]):
        for format in ("csr", "csc", "coo"):
            check(ow.from_coo((rows[at], columns[at]), values[at], shape, format=format), wanted)
    # Values are copied where no entry has to be moved, too.
    given = np.ones(200)
    a = ow.from_coo((np.arange(200), np.arange(200)), given, (200, 200), format="coo")
    line = ow.from_coo((np.arange(200),), given, (200,))
    given[:] = 7
    assert a.sum() == line.sum() == 200


def test_coordinates_beyond_32_bits_are_told_as_they_were_given():
    with pytest.raises(ow.DataError, match=str(2**32 + 1)):
        ow.from_coo(([0, 2**32 + 1], [0, 1]), [1.0, 2.0], (5, 5))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool", "complex128"])
def test_runs_of_a_dense_array_are_those_of_its_elements(dtype):
    x = np.repeat(np.random.default_rng(0).integers(0, 3, (60, 20)), 9, axis=1).astype(dtype)
    runs = ow.asarray(x, format="rle")
    check(runs, x)
    by_rows = ow.asarray(x, format="csr").asformat("rle")
    assert runs.nbytes == by_rows.nbytes
    check(ow.asarray(np.asfortranarray(x), format="rle"), x)


@pytest.mark.parametrize("format", ["csr", "coo", "dia", "bcsr(2,2)", "hash", "dense"])
def test_fill_values_of_arrays_that_have_another(format):
    """What is stored stays stored and all else has the new value; it was not heeded for arrays of ours."""
    x = np.array([[0.0, 2.0], [3.0, 0.0]])
    a = ow.asarray(ow.asarray(x, format), "csr", fill_value=np.inf)
    want = x if format == "dense" else np.where(x == 0, np.inf, x)
    assert a.fill_value == np.inf and a.nnz == (4 if format == "dense" else 2)
    assert np.array_equal(a.todense(), want)
    b = ow.asarray(a)
    assert b.fill_value == np.inf and ow.asarray(a, dtype="float32").fill_value == np.inf
    whole = ow.asarray(ow.asarray(x.astype(int), "csr"), fill_value=7.0)
    assert whole.todense().tolist() == [[7, 2], [3, 7]] and whole.dtype == int
