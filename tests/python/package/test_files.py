"""Files of NumPy, SciPy and binsparse in both directions, of Boeing, patterns, and files that are open already."""

import bz2
import gzip
import io
import json
import tempfile
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import DTYPES, check, shapes, values

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])


@given(st.data(), st.sampled_from(["csr", "csc", "coo", "bsr", "dia"]), st.booleans(), st.booleans())
def test_npz_of_scipy(data, format, matrix, compressed):
    shape = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda s: 0 not in s or format == "csr"))
    x = data.draw(values(shape, data.draw(st.sampled_from(DTYPES))))
    s = (sp.csr_matrix if matrix else sp.csr_array)(x).asformat(format)
    file = io.BytesIO()
    sp.save_npz(file, s, compressed=compressed)
    file.seek(0)
    check(ow.load(file, "csr"), x)


@given(st.data(), st.sampled_from(["csr", "csc", "coo", "dia", "ell", "dcsr", "bcsr(2,2)", "hash"]))
def test_npz_for_scipy(data, format):
    shape = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
    x = data.draw(values(shape, data.draw(st.sampled_from(DTYPES))))
    file = io.BytesIO()
    ow.save(file, ow.asarray(x, format), kind="npz")
    file.seek(0)
    back = sp.load_npz(file)
    assert isinstance(back, sp.sparray) and back.format == ("csc" if format == "csc" else "csr")
    check(back.toarray(), x)
    file.seek(0)
    check(ow.load(file, "coo"), x)


@pytest.mark.parametrize("shape", [(4,), (2, 3, 4)])
def test_npz_of_other_numbers_of_modes(shape, tmp_path):
    x = np.zeros(shape)
    x.reshape(-1)[1::3] = 2.5
    ow.save(tmp_path / "ours.npz", ow.asarray(x, "coo"))
    check(sp.load_npz(tmp_path / "ours.npz").toarray(), x)
    sp.save_npz(tmp_path / "theirs.npz", sp.coo_array(x))
    check(ow.load(tmp_path / "theirs.npz"), x)


def test_matrices_of_many_empty_rows_are_lists(tmp_path):
    n = 3_000_000_000
    path = tmp_path / "z.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{n} {n} 1\n5 {n} 2.5\n")
    a = ow.load(path)
    assert (a.format, a.shape, a[4, n - 1]) == ("coo", (n, n), 2.5)
    ow.save(tmp_path / "z.tns", a)
    assert ow.load(tmp_path / "z.tns").shape == (n, n)


def test_npz_with_old_and_odd_arrays(tmp_path):
    """Wide and narrow indices, a format in characters, coordinates by columns, room behind the last element."""
    path = tmp_path / "a.npz"
    for kind in ("int32", "int64", "uint8", ">i4"):
        for word in (b"csr", "csr", np.array("csr", ">U3")):
            parts = dict(indptr=np.array([0, 1, 3], kind), indices=np.array([1, 0, 2, 9], kind), data=[2.0, 3, 4, 9], shape=(2, 3))
            np.savez(path, format=word, **parts)
            check(ow.load(path), X)
    np.savez(path, format=b"coo", coords=np.asfortranarray([[0, 1, 1], [1, 0, 2]]), data=np.array([2.0, 3, 4], ">f8"), shape=(2, 3))
    check(ow.load(path), X)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (0, 3), (2, 3, 4)])
def test_lists_keep_dtype_and_shape(dtype, shape, tmp_path):
    largest = np.finfo(dtype).max if np.dtype(dtype).kind in "fc" else np.array(2**64 - 1, "u8").astype(dtype)
    for value in (0, 1, largest):
        x = np.zeros(shape, dtype)
        x.reshape(-1)[:1] = value
        a = ow.asarray(x, "coo" if shape else "dense")
        ow.save(tmp_path / "a.tns.gz", a)
        check(ow.load(tmp_path / "a.tns.gz", "coo" if shape else "dense"), x)
        file = io.StringIO()
        ow.save(file, a, kind="tns")
        file.seek(0)
        assert np.array_equal(ow.load(file), a)


def test_npz_of_huge_and_empty_matrices(tmp_path):
    path = tmp_path / "a.npz"
    n = 2**40
    a = ow.from_coo(([5, n - 1], [7, 0]), [1.0, 2.0], (n, n), format="coo")
    ow.save(path, a)
    assert path.stat().st_size < 2000
    s = sp.load_npz(path)
    assert s.format == "coo" and s.shape == (n, n) and s.row.tolist() == [5, n - 1]
    back = ow.load(path, "dcsr")
    assert np.array_equal(back, a.asformat("dcsr"))


def test_large_files(tmp_path):
    s = sp.random_array((20_000, 30_000), density=1e-3, rng=0, format="csr")
    ow.save(tmp_path / "a.npz", s)
    back = sp.load_npz(tmp_path / "a.npz")
    assert back.has_canonical_format and (back != s).nnz == 0
    assert (ow.load(tmp_path / "a.npz").to_scipy() != s).nnz == 0


@given(st.data())
def test_npy(data):
    shape = data.draw(shapes())
    dtype = data.draw(st.sampled_from(DTYPES))
    x = data.draw(values(shape, dtype))
    for y in (x, np.asfortranarray(x), x.astype(x.dtype.newbyteorder(">"))):
        file = io.BytesIO()
        np.save(file, y)
        file.seek(0)
        a = ow.load(file, "dense")
        # NumPy has no number that is stored by columns.
        x = y.astype(dtype)
        check(a, x)
        for b in (a, a.T.T, ow.asarray(y)):
            file = io.BytesIO()
            ow.save(file, b, kind="npy")
            file.seek(0)
            check(np.load(file), x)
    if x.ndim > 1:
        file = io.BytesIO()
        ow.save(file, ow.asarray(x).transpose((1, 0, *range(2, x.ndim))), kind=".npy")
        file.seek(0)
        check(np.load(file), x.swapaxes(0, 1))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_npy(version):
    file = io.BytesIO()
    np.lib.format.write_array(file, X, version=version)
    file.seek(0)
    check(ow.load(file), X)


def test_patterns(tmp_path):
    ones = (X != 0).astype(float)
    path = tmp_path / "a.smtx"
    path.write_text("2, 3, 3\n0 1 3 \n1 0 2\n")
    check(ow.load(path), ones)
    check(ow.load(path, dtype="int8"), ones.astype("int8"))
    ow.save(tmp_path / "b.smtx", ow.asarray(ones, "coo"))
    assert (tmp_path / "b.smtx").read_text() == "2, 3, 3\n0 1 3\n1 0 2\n"
    ow.save(tmp_path / "c.smtx.gz", ow.asarray(ones == 1, "csc"))
    check(ow.load(tmp_path / "c.smtx.gz"), ones)
    with pytest.raises(ow.FileError, match="other values than 1"):
        ow.save(path, ow.asarray(X, "csr"))
    assert path.read_text().startswith("2, 3, 3")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("2, 3\n", "E0702", ""),
        ("2, 3, 3\n0 1\n", "E0702", ":3:1"),
        ("2, 3, 3\n1 1 3\n1 0 2\n", "E0701", ":2:1"),
        ("2, 3, 3\n0 2 1\n1 0 2\n", "E0701", ":2:5"),
        ("2, 3, 3\n0 1 9\n1 0 2\n", "E0701", ":2:5"),
        ("2, 3, 3\n0 1 2\n1 0 2\n", "E0702", ":2:5"),
        ("2, 3, 3\n0 1 3\n1 0 3\n", "E0703", ":3:5"),
        ("2, 3, 3\n0 1 3\n1 0 x\n", "E0701", ":3:5"),
        ("2, 3, 3\n0 1 3\n1 0 2 1\n", "E0702", ":3:7"),
        ("-2, 3, 3\n0 1 3\n1 0 2\n", "E0701", ":1:1"),
    ],
)
def test_patterns_that_are_none(text, code, place, tmp_path):
    path = tmp_path / "a.smtx"
    path.write_text(text)
    with pytest.raises(ow.FileError) as caught:
        ow.load(path)
    assert caught.value.code == code and f"a.smtx{place}" in str(caught.value)


# Open files


@pytest.mark.parametrize(
    "kind", ["mtx", "tns", "npz", "smtx", "rb", "hb", "ttx", "bsp.npz", "mtx.gz", "npz.gz", "tns.gz", "smtx.gz", "rb.gz"]
)
def test_open_files(kind, tmp_path):
    x = (X != 0).astype(float) if "smtx" in kind else X
    a = ow.asarray(x, "csr")
    file = io.BytesIO()
    ow.save(file, a, kind=kind)
    file.seek(0)
    check(ow.load(file), x)
    with open(tmp_path / f"a.{kind}", "wb") as named:
        ow.save(named, a)
    check(ow.load(tmp_path / f"a.{kind}"), x)
    with open(tmp_path / f"a.{kind}", "rb") as named:
        check(ow.load(named), x)
    if not kind.endswith(("gz", "npz")):
        with open(tmp_path / "text", "w") as text:
            ow.save(text, a, kind=kind)
        with open(tmp_path / "text") as text:
            check(ow.load(text), x)


def test_open_files_of_others(tmp_path):
    s = sp.coo_array(X)
    file = io.BytesIO()
    scipy.io.mmwrite(file, s)
    check(ow.load(io.BytesIO(file.getvalue())), X)
    check(ow.load(io.StringIO(file.getvalue().decode())), X)
    (tmp_path / "a").write_bytes(bz2.compress(file.getvalue()))
    with bz2.open(tmp_path / "a") as unpacked:
        check(ow.load(unpacked), X)
    with gzip.open(tmp_path / "b.gz", "wt") as packed:
        ow.save(packed, s, kind="mtx")
    with gzip.open(tmp_path / "b.gz") as unpacked:
        check(scipy.io.mmread(unpacked).toarray(), X)
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as folder:
        folder.writestr("m.mtx", file.getvalue())
    with zipfile.ZipFile(tmp_path / "c.zip") as folder, folder.open("m.mtx") as inside:
        check(ow.load(inside, "csc"), X)


def test_open_files_that_do_not_say_what_they_are():
    with pytest.raises(ow.FileError, match="kind") as caught:
        ow.save(io.BytesIO(), X)
    assert caught.value.code == "E0705"
    with pytest.raises(ow.FileError):
        ow.save(io.BytesIO(), X, kind="xyz")
    with pytest.raises(ow.FileError):
        ow.save("a.mtx", X, kind="npz")
    for nothing in (b"", b"\x1f\x8b", b"PK\x03\x04", b"\x93NUMPY", b"what is this"):
        with pytest.raises(ow.FileError):
            ow.load(io.BytesIO(nothing))


# What is refused


def test_arrays_that_a_file_cannot_hold(tmp_path):
    a = ow.asarray(X, "csr")
    for name, array, part in [
        ("a.npy", a, "dense array"),
        ("a.npz", a.todense(), "sparse array"),
        ("a.npz", a + 1, "not stored"),
        ("a.smtx", ow.asarray(np.ones((2, 2, 2)), "csf"), "matrices"),
    ]:
        with pytest.raises(ow.FileError, match=part) as caught:
            ow.save(tmp_path / name, array)
        assert caught.value.code == "E0707" and "help" in str(caught.value)
        assert not list(tmp_path.iterdir())


def test_archives_that_are_no_matrix(tmp_path):
    path = tmp_path / "a.npz"
    good = dict(format=b"csr", indptr=[0, 1, 3], indices=[1, 0, 2], data=[2.0, 3, 4], shape=(2, 3))
    cases = [
        ({"format": b"xyz"}, "E0701", "unknown format"),
        ({"indptr": [0, 3, 1]}, "E0701", "indptr"),
        ({"indptr": [0, 1]}, "E0701", "indptr"),
        ({"indptr": [0, 1, 9]}, "E0701", "`indptr` ends at 9, but `indices` has 3"),
        ({"data": [2.0, 3]}, "E0701", "`indptr` ends at 3, but `data` has 2"),
        ({"indices": [1, 0, 3]}, "E0703", "outside|range"),
        ({"indices": [1, 0, -1]}, "E0703", "outside|range"),
        ({"indices": [1.0, 0, 2]}, "E0701", "integers"),
        ({"data": np.array([1, 2, 3], "f2")}, "E0701", "not supported"),
        ({"data": np.array(["a", "b", "c"])}, "E0701", "not supported"),
        ({"shape": (2, 3, 4)}, "E0701", "matrix"),
        ({"shape": (-2, 3)}, "E0701", "negative"),
        ({"format": b"coo"}, "E0701", "`row`"),
        ({"format": b"dia", "offsets": [0]}, "E0701", "two modes"),
        ({"format": b"bsr"}, "E0701", "three modes"),
    ]
    for change, code, part in cases:
        np.savez(path, **(good | change))
        with pytest.raises(ow.FileError, match=part) as caught:
            ow.load(path)
        assert caught.value.code == code, change
    np.savez(path, a=X, b=X)
    with pytest.raises(ow.FileError, match="it has no `format`, but a.npy, b.npy"):
        ow.load(path)
    np.savez(path, **good)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at])
        with pytest.raises(ow.OpenworkError):
            ow.load(path)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            ow.load(path)
        except ow.OpenworkError as e:
            assert not isinstance(e, ow.InternalError)
    np.savez(path, **good)
    check(ow.load(path, shape=(4, 4)).sum(), np.float64(9))
    with pytest.raises(ow.FileError, match="does not fit the shape"):
        ow.load(path, shape=(2, 2))
    assert ow.load(path, dtype="float32").dtype == np.float32
    with pytest.raises(ow.FileError, match="does not cast"):
        ow.load(path, dtype="int64")


def test_arrays_of_objects_are_not_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}, []], object), allow_pickle=True)
    np.save(tmp_path / "b.npy", np.zeros(2, [("x", "f8")]))
    for name in ("a.npy", "b.npy"):
        with pytest.raises(ow.FileError):
            ow.load(tmp_path / name)


# Rutherford-Boeing and Harwell-Boeing


@given(st.data(), st.sampled_from(["csr", "coo", "dia"]), st.sampled_from(["float64", "int64"]))
def test_harwell_boeing_for_scipy(data, format, dtype):
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    x = data.draw(values(shape, dtype))
    if not x.any() or not np.isfinite(x).all():
        return
    file = io.StringIO()
    ow.save(file, ow.asarray(x, format), kind="hb")
    file.seek(0)
    back = scipy.io.hb_read(file, spmatrix=False)
    check(back.toarray().astype(dtype), x)
    file.seek(0)
    check(ow.load(file, dtype=dtype), x)


@given(st.data(), st.sampled_from(["float64", "float32", "int32"]))
def test_harwell_boeing_of_scipy(data, dtype):
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    x = data.draw(values(shape, dtype))
    if not x.any() or not np.isfinite(x).all():
        return
    file = io.StringIO()
    scipy.io.hb_write(file, sp.csc_array(x))
    for text in (file.getvalue(), file.getvalue().replace("\n", "\r\n")):
        found = ow.load(io.StringIO(text, newline=""))
        # SciPy writes sixteen digits or less.
        assert np.allclose(found.todense(), x, rtol=1e-6, atol=0), text


def test_scipys_fields_are_narrower_than_it_says():
    x = np.array([[0, 2.0, 0], [3.0, 0, -4.5], [0, 0, 1.0]])
    file = io.StringIO()
    scipy.io.hb_write(file, sp.csc_array(x))
    check(ow.load(io.StringIO(file.getvalue())), x)


def test_large_matrices_of_boeing(tmp_path):
    s = sp.random_array((3000, 2000), density=1e-2, rng=0, format="csc")
    ow.save(tmp_path / "a.hb", s)
    assert (scipy.io.hb_read(tmp_path / "a.hb", spmatrix=False) != s).nnz == 0
    scipy.io.hb_write(tmp_path / "b.rua", s)
    back = ow.load(tmp_path / "b.rua")
    assert back.nnz == s.nnz and abs(back.to_scipy() - s).max() < 1e-15


# binsparse

DESCRIPTOR = {"version": "0.1", "format": "CSR", "shape": [2, 3], "number_of_stored_values": 3}
TYPES = {"pointers_to_1": "int64", "indices_1": "int32", "values": "float64"}
ARRAYS = {"pointers_to_1": np.array([0, 1, 3]), "indices_1": np.array([1, 0, 2], "i4"), "values": np.array([2.0, 3, 4])}


def described(path, change=None, types=None, **arrays):
    text = json.dumps(DESCRIPTOR | {"data_types": TYPES | (types or {})} | (change or {}))
    np.savez(path, binsparse=text, **{k: v for k, v in (ARRAYS | arrays).items() if v is not None})
    return path


@given(st.data(), st.sampled_from(["csr", "csc", "coo", "dcsr", "dia", "dense"]))
def test_binsparse_for_its_reference(data, format):
    binsparse = pytest.importorskip("binsparse")
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    x = data.draw(values(shape, data.draw(st.sampled_from(DTYPES))))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a.bsp.npz"
        ow.save(path, ow.asarray(x, format))
        tensor = binsparse.load_binsparse(path)
        assert tensor.format == {"csr": "CSR", "csc": "CSC", "dense": "DMATR"}.get(format, "COOR")
        found = np.zeros(shape, x.dtype)
        if tensor.format == "DMATR":
            found[...] = np.asarray(tensor.values).reshape(shape)
        elif tensor.format == "COOR":
            found[tensor.indices_0, tensor.indices_1] = tensor.values
        else:
            outer = np.repeat(np.arange(len(tensor.pointers_to_1) - 1), np.diff(tensor.pointers_to_1))
            at = (outer, tensor.indices_1)
            found[at if format == "csr" else at[::-1]] = tensor.values
        check(found, x)
        again = f"{folder}/b.npz"
        binsparse.save_binsparse(tensor, again)
        check(ow.load(again), x)


@pytest.mark.parametrize(
    ("change", "types", "arrays"),
    [
        ({}, {}, {}),
        ({"index_base": 1}, {}, {k: ARRAYS[k] + 1 for k in ("pointers_to_1", "indices_1")}),
        ({"fill": True}, {"fill_value": "float64"}, {"fill_value": np.zeros(1)}),
        ({"format": "DCSR"}, {"indices_0": "uint8"}, {"indices_0": np.arange(2, dtype="u1")}),
        (
            {"format": "COO"},
            {"indices_0": "int64"},
            {"indices_0": np.array([0, 1, 1]), "pointers_to_1": None},
        ),
        (
            {"format": "CSC"},
            {},
            {"pointers_to_1": np.array([0, 1, 2, 3]), "indices_1": np.array([1, 0, 1]), "values": np.array([3.0, 2, 4])},
        ),
        (
            {"format": "DMATC", "number_of_stored_values": 6},
            {},
            {"values": X.ravel(order="F"), "pointers_to_1": None},
        ),
        (
            {
                "format": "custom",
                "custom": {
                    "transpose": [1, 0],
                    "level": {"level_desc": "sparse", "rank": 2, "level": {"level_desc": "element"}},
                },
            },
            {"indices_0": "int64"},
            {"indices_0": np.array([0, 1, 2]), "indices_1": np.array([1, 0, 1]), "values": np.array([3.0, 2, 4])},
        ),
    ],
)
def test_descriptors_of_binsparse(change, types, arrays, tmp_path):
    check(ow.load(described(tmp_path / "a.npz", change, types, **arrays)), X)


def test_values_and_structures_of_binsparse(tmp_path):
    same = described(tmp_path / "a.npz", {}, {"values": "iso[int8]"}, values=np.array([7], "i1"))
    assert ow.load(same).todense().tolist() == [[0, 7, 0], [7, 0, 7]] and ow.load(same).dtype == "int8"
    pairs = np.array([1.0, 2, 3, 4, 5, 6], "f4")
    numbers = ow.load(described(tmp_path / "a.npz", {}, {"values": "complex[float32]"}, values=pairs))
    assert numbers.dtype == "complex64" and numbers.todense()[1, 2] == 5 + 6j
    truth = ow.load(described(tmp_path / "a.npz", {}, {"values": "bint8"}, values=np.array([1, 0, 3], "u1")))
    assert truth.dtype == bool and truth.todense().tolist() == [[False, True, False], [False, False, True]]
    square = {"shape": [2, 2], "structure": "symmetric_lower"}
    both = ow.load(described(tmp_path / "a.npz", square, indices_1=np.array([0, 0, 1])))
    assert both.todense().tolist() == [[2, 3], [3, 4]]


@pytest.mark.parametrize(
    ("change", "types", "arrays", "words"),
    [
        ({"format": "CSX"}, {}, {}, "`CSX` is no format"),
        ({"version": "7.0"}, {}, {}, "version 7.0"),
        ({"shape": [2]}, {}, {}, "do not hold the shape"),
        ({"shape": [3, 3]}, {}, {}, "does not rise"),
        ({"number_of_stored_values": 4}, {}, {}, "3 coordinates, the descriptor 4"),
        ({"fill": True}, {"fill_value": "float64"}, {"fill_value": np.ones(1)}, "another value than 0"),
        ({"structure": "symmetric_lower"}, {}, {}, "is square"),
        ({"structure": "symmetric_lower", "shape": [3, 3]}, {}, {"pointers_to_1": np.array([0, 1, 2, 3])}, "one triangle"),
        ({"structure": "round"}, {}, {}, "no structure"),
        ({"format": "custom"}, {}, {}, "custom format"),
        ({}, {"values": "float16"}, {}, "no type of binsparse"),
        ({}, {"values": "complex[int8]"}, {}, "has 3 numbers, not 6"),
        ({}, {"indices_1": "iso[int64]"}, {}, "one value for all"),
        ({}, {}, {"pointers_to_1": np.array([0, 2, 1])}, "does not rise"),
        ({}, {}, {"indices_1": None}, "has no `indices_1`"),
        ({"shape": [10**13, 10**13], "format": "DMAT"}, {"values": "iso[int8]"}, {}, "memory"),
    ],
)
def test_descriptors_that_contradict_their_arrays(change, types, arrays, words, tmp_path):
    with pytest.raises(ow.OpenworkError, match=words):
        ow.load(described(tmp_path / "a.npz", change, types, **arrays))
    with pytest.raises(ow.FileError, match="no JSON"):
        np.savez(tmp_path / "b.npz", binsparse="{")
        ow.load(tmp_path / "b.npz")


def test_lists_that_begin_at_zero(tmp_path):
    path = tmp_path / "a.tns"
    path.write_text("0 1 2.0\n1 0 3.0\n1 2 4.0\n")
    check(ow.load(path, "coo", base=0), X)
    assert ow.load(path, base=0, shape=(4, 5)).shape == (4, 5)
    with path.open("rb") as file:
        check(ow.load(file, "coo", base=0), X)
    with pytest.raises(ow.OpenworkError, match="unless the file is read with a base of 0"):
        ow.load(path)
    for base in (2, -1, "0"):
        with pytest.raises(ValueError, match="coordinates begin at 0 or 1"):
            ow.load(path, base=base)
    ow.save(tmp_path / "a.mtx", ow.asarray(X, "csr"))
    with pytest.raises(ow.OpenworkError, match="only `.tns` files are read with a base of 0"):
        ow.load(tmp_path / "a.mtx", base=0)


def test_spellings_of_other_programs(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%MatrixMarket matrix coordinate integer general\n2 3 3\n1 2 2.0\n2 1 3\n2 3 4e0\n")
    a = ow.load(path)
    assert a.dtype == np.int64
    check(a.astype(float), X)
    path.write_text("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n")
    assert (ow.load(path).todense() == [[0, -1], [1, 0]]).all()


def test_products_of_sizes_do_not_wrap():
    for shape in [(2**32, 2**32), (2**33, 2**31 + 1), (2**40, 2**40)]:
        a = ow.from_coo(([0, 5], [5, 7]), [1.0, 2.0], shape, format="coo")
        for format in ("bytemap", "bitmap", "dense"):
            with pytest.raises(ow.MemoryLimitError):
                a.asformat(format)
