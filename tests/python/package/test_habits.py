"""What users of NumPy and SciPy try first: their functions on our arrays, their names, and their mistakes."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow
from cases import check
from openwork import _core
from openwork._errors import from_diagnostic

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "mean"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_reductions_of_numpy(name, axis):
    f, a = getattr(np, name), ow.asarray(X, "csr")
    check(f(a, axis=axis), f(X, axis=axis))
    check(f(a, axis=axis, keepdims=True), f(X, axis=axis, keepdims=True))
    with pytest.raises(ow.OperandError):
        f(a, axis=axis, out=np.zeros(3))


def test_means_of_other_dtypes():
    a = ow.asarray(X.astype(int), "csr")
    assert np.mean(a, dtype="float32") == np.float32(1.5)
    assert a.mean(dtype=int) == 1 and np.mean(a, dtype="uint8").dtype == np.uint8


@pytest.mark.parametrize("shape", [(2**32, 2**32), (2**32, 2**32 + 1), (2**31, 2**32)])
def test_means_of_more_values_than_64_bits_count(shape):
    mean = 1 / (shape[0] * shape[1])
    a, b = (ow.from_coo(([3, 4], [5, 5]), [1.0, other], shape) for other in (0.0, np.nan))
    for found in (a.mean(), a.var(), np.average(a), np.nanmean(a), np.nanmean(b), np.nanvar(b)):
        assert found == pytest.approx(mean, rel=1e-12)
    assert a.std() == pytest.approx(mean**0.5, rel=1e-12)
    assert ow.from_coo(([3], [5]), [1.0], shape, fill_value=1.0).mean() == 1.0


def test_axes():
    x = np.arange(24.0).reshape(2, 3, 4)
    a = ow.asarray(x, "csf")
    check(a.sum(axis=(0, -1), keepdims=True), x.sum(axis=(0, -1), keepdims=True))
    check(a.transpose((1, -1, 0)), x.transpose((1, -1, 0)))
    for axes in [(0, 0, 1), (0, 1, 3), (0, 1), (0, 1, 2, 0)]:
        with pytest.raises(ValueError):
            a.transpose(axes)
    with pytest.raises(ValueError):
        a.sum(axis=(0, 0))
    with pytest.raises(IndexError):
        a.sum(axis=3)


def test_formats_by_scipys_names():
    a = ow.asarray(X, "csr")
    assert (a.T.format, a.T.tocsr().format, a.tocsc().format) == ("csc", "csr", "csc")
    check(a.T.tocsr(), X.T)


@pytest.mark.parametrize("format", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_the_formats_of_scipy(format, kind):
    check(ow.asarray(kind(X).asformat(format)), X)
    check(ow.asarray(X, "csr") + kind(X).asformat(format), X + X)


@pytest.mark.parametrize("format", ["csr", "dense", "rle"])
@pytest.mark.parametrize("dtype", [bool, "int8", float, complex])
def test_comparisons_with_what_is_no_number(format, dtype):
    x = X.astype(dtype)
    a = ow.asarray(x, format)
    for other in (None, "x", b"x", np.str_("x")):
        check(a == other, x == other)
        check(a != other, x != other)
        with pytest.raises(TypeError):
            a < other
    assert (a == object()) is False


@pytest.mark.parametrize("shape", [(-2, 2), (2**63, 2), (2**70, 1)])
def test_shapes_that_no_array_has(shape):
    with pytest.raises(ow.MemoryLimitError, match="shape"):
        ow.from_coo(([0], [0]), [1.0], shape)


def test_huge_shapes():
    with pytest.raises(ow.MemoryLimitError):
        ow.from_coo(([0], [0]), [1.0], (2**62, 2**62), format="csr")
    a = ow.from_coo(([5], [7]), [2.0], (2**40, 2**40), format="coo")
    assert a.sum() == 2.0 and (a + a).nnz == 1 and a.T.shape == a.shape and (a + 1).fill_value == 1
    assert a.sum(axis=0).nnz == 1 and (a @ a.T).nnz == 1
    for refused in (a.todense, lambda: a.asformat("csr")):
        with pytest.raises(ow.MemoryLimitError):
            refused()


@pytest.mark.parametrize("size", [2**62, 2**63 - 1])
def test_modes_as_long_as_there_are(size):
    a, last = ow.from_coo(([3],), [1.0], (size,)), ow.from_coo(([size - 1],), [1.0], (size,))
    for call in (lambda: np.repeat(a, 2), lambda: np.tile(a, 2), lambda: np.concatenate([a, a])):
        with pytest.raises(ow.MemoryLimitError, match="cannot have the size") as caught:
            call()
        assert caught.value.code == "E0603"
    for shift, at in ((5, 4), (0, size - 1), (-5, size - 6), (1 - size, 0)):
        assert np.roll(last, shift).to_coo()[0][0].tolist() == [at]


def test_elements_more_than_once_along_long_modes():
    a = ow.from_coo(([3, 7],), [1.0, 2.0], (2**40,))
    twice, again, pair = np.repeat(a, 2), np.tile(a, 2), np.tile(a, (2, 1))
    assert twice.to_coo()[0][0].tolist() == [6, 7, 14, 15] and twice.to_coo()[1].tolist() == [1.0, 1.0, 2.0, 2.0]
    assert again.to_coo()[0][0].tolist() == [3, 7, 2**40 + 3, 2**40 + 7] and twice.shape == again.shape == (2**41,)
    assert pair.shape == (2, 2**40) and pair.nnz == 4 and np.repeat(a, 0).shape == (0,)
    with pytest.raises(ValueError, match="negative"):
        np.repeat(a, -1)


def test_pickles_do_not_copy_what_protocol_5_leaves_out():
    import pickle

    a = ow.asarray(X, "csr")
    buffers = []
    data = pickle.dumps(a, 5, buffer_callback=buffers.append)
    assert len(buffers) == 3 and len(data) < 1000
    check(pickle.loads(data, buffers=buffers), X)
    # What was changed on the way is checked like any other input.
    raw = [bytearray(b.raw()) for b in buffers]
    raw[1][0:4] = (99).to_bytes(4, "little")
    with pytest.raises(ow.DataError):
        pickle.loads(data, buffers=raw)


def test_html_escapes_and_draws_what_is_small():
    assert "<svg" in ow.asarray(np.eye(5), "csr")._repr_html_()
    for a in (ow.asarray(np.zeros((0, 3)), "csr"), ow.asarray(np.ones((2, 2, 2)))):
        assert "<svg" not in a._repr_html_()
    assert "-&gt;" in ow.asarray(X, "(i,j) -> (i+j,i,j) : squeezed, range, offset")._repr_html_()


def test_threads_are_positive_numbers():
    for n in (0, -1):
        with pytest.raises(ow.OperandError, match=f"{n} threads cannot run anything"):
            ow.set_num_threads(n)


def test_sizes_are_numbers_of_0_and_more(tmp_path):
    for n in (-1, 2**63):
        for call in (
            lambda: ow.evaluate("y(i) = x", x=1.0, dims={"i": n}),
            lambda: ow.evaluate_all("y(i) = x; z(i) = y(i)", x=1.0, dims={"i": n}),
            lambda: ow.kernel("y(i) = x", dims={"i": n}),
        ):
            with pytest.raises(ow.OpenworkError, match=f"`i` cannot have the size {n}"):
                call()
        with pytest.raises(ow.OpenworkError, match=f"cannot have the size {n}"):
            ow.load(tmp_path / "a.tns", shape=(n, 2))
    assert ow.evaluate("y(i) = x", x=1.0, dims={"i": np.int64(2)}).todense().tolist() == [1.0, 1.0]


def test_an_axis_is_an_integer():
    a = ow.asarray(X, "csr")
    for axis in (1.0, "a"):
        for call in (lambda: a.sum(axis=axis), lambda: a.max(axis=axis), lambda: a.mean(axis=axis), lambda: np.sum(a, axis)):
            with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
                call()
    check(a.sum(axis=np.int64(1)), X.sum(axis=1))


def test_every_code_has_its_exception():
    chapter = Path(__file__).parents[3] / "guide/src/errors.md"
    codes = set(re.findall(r"^### (E\d{4}): ", chapter.read_text(), re.M))
    assert len(codes) > 50
    for code in codes - {"E9999"}:
        assert not isinstance(from_diagnostic(code, "", "", None), ow.InternalError), code


def test_the_stub_names_what_there_is():
    stub = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
    named = {n.name: n for n in stub.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    assert set(named) == {n for n in dir(_core) if not n.startswith("_")}
    for kind in (n for n in named.values() if isinstance(n, ast.ClassDef)):
        members = {m.name for m in kind.body if isinstance(m, ast.FunctionDef)}
        members |= {m.target.id for m in kind.body if isinstance(m, ast.AnnAssign)}
        public = {n for n in dir(getattr(_core, kind.name)) if not n.startswith("_")}
        assert {m for m in members if not m.startswith("_")} == public, kind.name


TWICE, SUM, PRODUCT, TURNED = "C(i,j) = 2 * B(i,j)", "C(i,j) = B(i,j) + B(j,i)", "C(i,k) = B(i,j) * B(j,k)", "C(i,j) = B(j,i)"


@pytest.mark.parametrize(
    "format, twice, plus_transposed, product, transposed",
    [
        ("csr", "csr", "csr", "csr", "csc"),
        ("csc", "csc", "csc", "csc", "csr"),
        ("dcsr", "dcsr", "dcsr", "dcsr", "dcsc"),
        ("coo", "coo", "coo", "csr", None),
        *((f, "csr", "csr", "csr", "csr") for f in ("ell", "jad", "sell", "hicoo", "bcsr", "dia", "csb", "hash", "dok")),
        ("rle", "rle", "rle", "dense", "(i0,i1) -> (i1,i0) : dense, runs"),
        ("dense", "dense", "dense", "dense", None),
    ],
)
def test_default_formats(format, twice, plus_transposed, product, transposed):
    """One rule for statements, operators and einsum."""
    b = ow.asarray(np.eye(3)[[1, 0, 2]], format)
    for text, wanted in ((TWICE, twice), (SUM, plus_transposed), (PRODUCT, product), (TURNED, transposed)):
        assert wanted is None or ow.evaluate(text, B=b).format == wanted, text
    assert (b @ b).format == ow.einsum("ij,jk", b, b).format == product
    assert (b + b).format == twice and (b + b.T).format == plus_transposed
    assert b.sum(axis=1).format == "dense"
    # Runs go on where sparse operands store nothing.
    runs = ow.asarray(np.ones((3, 3)), "rle")
    assert (runs + b).format == (b - runs).format == ("dense" if format == "dense" else "rle")


def test_products_of_large_sparse_matrices_are_sparse():
    n = 50_000
    a = ow.from_coo((np.arange(n), np.arange(n)[::-1].copy()), np.ones(n), (n, n), format="csr")
    for c in (a @ a, ow.einsum("ij,jk->ik", a, a), ow.evaluate("C(i,k) = A(i,j) * A(j,k)", A=a)):
        assert c.format == "csr" and c.nnz == n
    t = ow.from_coo(np.array([[1, 2], [n - 1, 0], [3, 4]]), np.ones(2), (n, n, n), format="csf")
    assert ow.evaluate("C(i,j) = T(i,j,k) * v(k)", T=t, v=np.ones(n)).format == "dcsr"


@pytest.mark.parametrize("format", ["dok", "hicoo", "dcsr", "coo"])
def test_huge_matrices_are_transposed_in_no_time(format):
    n = 2**29
    a = ow.from_coo(([5, 7], [n - 1, 3]), [2.0, 3.0], (n, n), format=format)
    assert ow.from_coo(([5], [7]), [2.0], (n, n)).format == "dcsr"
    b = ow.evaluate("C(j,i) = A(i,j)", A=a)
    assert b.nnz == 2 and ow.evaluate("s = sum(i,j, A(i,j) * B(j,i))", A=a, B=b).item() == 13.0


def test_a_large_array_is_the_same_memory_in_every_pickle():
    # joblib writes an array to a file once, and knows it again by what it is.
    a = ow.asarray(sp.random_array((3000, 3000), density=0.01, format="csr", rng=0))
    first, again = a.__reduce__()[1], a.__reduce__()[1]
    assert first[4] is again[4] and first[3][1][1] is again[3][1][1]
    k = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).prepare(A=a)
    assert k.__reduce__()[1][1]["A"] is k.__reduce__()[1][1]["A"]
    # An array whose memory a kernel has used for another result is another one.
    y = ow.evaluate("y(i) = A(i,j) * x(j)", A=np.eye(2), x=np.ones(2))
    k2 = ow.kernel("y(i) = 2 * x(i)")
    x = np.ones(100_000)
    y = k2(x=x)
    before = y.__reduce__()[1][4].copy()
    k2(x=3 * x, out=y)
    assert (y.__reduce__()[1][4] == 3 * before).all()


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("csr_array", 'asarray(x, "csr")'), ("bsr_matrix", "bcsr"), ("eye_array", "scipy.sparse.eye_array"), ("vstack", "numpy.vstack"),
        ("sqrt", "numpy.sqrt"), ("save_npz", "openwork.save"), ("linalg", "scipy.sparse.linalg"), ("array", "openwork.asarray"),
    ],
)  # fmt: skip
def test_names_of_scipy_say_what_to_write(name, instead):
    with pytest.raises(AttributeError) as found:
        getattr(ow, name)
    assert instead in str(found.value)


def test_other_names_are_not_there():
    assert not hasattr(ow, "nothing_of_the_kind") and not hasattr(ow, "float64")
    with pytest.raises(ImportError):
        from openwork import csr_array  # noqa: F401


def test_explanations_in_notebooks_list_the_variants():
    A = ow.asarray(np.eye(900), "csr")
    explained = ow.explain("B(i,j) = 2 * A(i,j) + x(j) * A(i,j)", "csr", A=A, x=np.ones(900))
    names = [name for name, _, _ in explained.variants]
    assert names[-1] in str(explained) and any("run" in (by or "") for *_, by in explained.variants)
    page = explained._repr_html_()
    assert all(f">{name}</td>" in page for name in names) and "<summary>loops</summary>" in page
    assert "A(i,j)" in page and "<pre>" in page
