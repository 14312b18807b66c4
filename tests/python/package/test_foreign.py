"""Operands of pandas, PyData/Sparse, networkx and torch, which are never imported for it."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow
from cases import check

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
A = ow.asarray(X, "csr")


def test_no_library_is_imported():
    code = (
        "import openwork as ow, numpy as np, sys; a = ow.asarray([[1.0, 0.0]], 'csr');"
        "a @ np.ones(2); np.sin(a); a[0]; ow.evaluate('y(i) = a(i,j)', a=a);"
        "print([m for m in ('pandas', 'sparse', 'networkx', 'torch', 'scipy', 'sklearn') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


# pandas


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool", "complex128", "Float64", "Int32", "boolean"])
def test_series_and_frames(dtype):
    pd = pytest.importorskip("pandas")
    s = pd.Series([1, 0, 1], index=["x", "y", "z"]).astype(dtype)
    frame = pd.DataFrame({"a": s, "b": s[::-1].to_numpy()}, index=s.index)
    v, m = s.to_numpy(), frame.to_numpy(dtype=s.to_numpy().dtype)
    check(ow.asarray(s), v)
    check(ow.asarray(frame, "csc"), m)
    check(A @ s, X @ v)
    check(A @ frame, X @ m)
    check(A @ frame[["b"]], X @ m[:, 1:])
    check(A * s, X * v)
    check(s * A, v * X)
    check(ow.evaluate("y(i) = A(i,j) * s(j)", A=A, s=s), X @ v)
    assert type(A @ s) is type(A @ frame) is np.ndarray
    check(ow.asarray(pd.Series(v)[::2]), v[::2])


def test_what_pandas_has_beside_numbers_is_refused():
    pd = pytest.importorskip("pandas")
    for x in (
        pd.Series(["a", "b", "c"]),
        pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}),
        pd.Series([True, None, True], dtype="boolean"),
        pd.Series(pd.date_range("2020", periods=3)),
        pd.Series(["a", "b", "a"], dtype="category"),
    ):
        with pytest.raises(ow.DTypeError, match="not supported"):
            A @ x
    check(ow.asarray(pd.Index([1, 2])), np.array([1, 2]))
    missing = pd.Series([1, None, 3], dtype="Int64")
    if missing.to_numpy().dtype == np.float64:
        assert np.isnan(ow.asarray(missing).todense()).tolist() == [False, True, False]


@pytest.mark.parametrize("fill", [0.0, np.nan, 2.0])
def test_sparse_frames(fill):
    pd = pytest.importorskip("pandas")
    x = np.where(X == 0, fill, X)
    frame = pd.DataFrame(x).astype(pd.SparseDtype("float64", fill))
    a = ow.asarray(frame)
    check(a, x)
    assert a.format == "csr" and a.nnz == (x != fill).sum() - np.isnan(x).sum()
    np.testing.assert_equal(a.fill_value, fill)
    b = ow.asarray(frame[1])
    check(b, x[:, 1])
    assert b.format == "sv"
    check(ow.asarray(frame.iloc[:0]), x[:0])
    if fill == 0:
        check(frame.T.pipe(ow.asarray) @ np.ones(2), X.T @ np.ones(2))
        check(A + frame, X + X)


def test_large_sparse_frames_are_not_written_out():
    pd = pytest.importorskip("pandas")
    s = sp.coo_array(([1.0, 2.0], ([5, 10**7], [0, 2])), shape=(10**8, 3))
    frame = pd.DataFrame.sparse.from_spmatrix(sp.coo_matrix(s))
    a = ow.asarray(frame, "coo")
    assert a.shape == s.shape and a.nnz == 2 and a.sum() == 3.0


@pytest.mark.parametrize("dtypes", [("float64", "float64", "float64"), ("float32", "int64", "bool"), ("int8", "uint8", "int8")])
def test_frames_of_mixed_columns(dtypes):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    columns, twins = {}, []
    for n, dtype in enumerate(dtypes * 3):
        column = rng.integers(0, 3, 40) * (rng.random(40) < 0.4)
        column = column.astype(dtype)
        twins.append(column)
        # Some store everything, others have a fill value of their own.
        fill = np.dtype(dtype).type(n % 2)
        columns[str(n)] = column if n % 4 == 3 else pd.arrays.SparseArray(column, fill_value=fill)
    frame, x = pd.DataFrame(columns), np.column_stack(twins)
    for part in (frame, frame[["1", "3"]], frame[["0", "1"]], frame[["4", "2", "7"]], frame.iloc[:0]):
        twin = x[: len(part), [int(c) for c in part.columns]]
        a = ow.asarray(part)
        check(a, twin.astype(a.dtype))
        assert a.dtype == np.result_type(*(dtypes[int(c) % 3] for c in part.columns)) and not a._tensor.dense
        if len(part):
            assert a.nnz < a.size
    # The fill value is the one that stands for most.
    wide = pd.DataFrame({"a": pd.arrays.SparseArray([np.nan, 1.0, np.nan]), "b": [0.0, np.nan, 2.0], "c": pd.arrays.SparseArray([0, 0, 1])})
    check(ow.asarray(wide), np.array([[np.nan, 0.0, 0.0], [1.0, np.nan, 0.0], [np.nan, 2.0, 1.0]]))
    with pytest.raises(ow.DTypeError):
        ow.asarray(pd.DataFrame({"a": columns["0"], "b": ["x"] * 40}))


# PyData/Sparse


@pytest.mark.parametrize("kind", ["COO", "GCXS", "DOK"])
@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_arrays_of_pydata(kind, fill):
    sparse = pytest.importorskip("sparse")
    if kind == "DOK" and fill:
        pytest.skip("a DOK of NumPy's arrays has no fill value")
    x = np.where(X == 0, fill, X)
    c = sparse.COO.from_numpy(x, fill_value=fill).asformat(kind.lower())
    a = ow.asarray(c)
    check(a, x)
    assert (a.nnz, a.fill_value, a.format) == (3, fill, "csr")
    check(A + c, X + x)
    check(A * c, X * x)
    check(ow.evaluate("y(i) = c(i,j)", c=c), x.sum(axis=1))
    if not fill and kind != "DOK":
        check(A @ c.T, X @ x.T)
    if kind == "COO":
        check(c + A, x + X)
        check(c * A, x * X)


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4), (0, 2)])
def test_arrays_of_pydata_of_other_shapes(shape):
    sparse = pytest.importorskip("sparse")
    x = np.zeros(shape, "float32")
    x.reshape(-1)[::2] = 3
    check(ow.asarray(sparse.COO.from_numpy(x)), x)


# networkx


@pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
def test_graphs_are_their_adjacency_matrices(kind):
    nx = pytest.importorskip("networkx")
    g = getattr(nx, kind)()
    g.add_nodes_from("dabc")
    g.add_weighted_edges_from([("a", "b", 2.5), ("b", "c", 4.0), ("c", "c", 1.0), ("a", "b", 1.0)])
    want = nx.to_numpy_array(g)
    check(ow.asarray(g), want)
    assert ow.asarray(g).format == "csr"
    check(ow.asarray(g) @ np.ones(4), want @ np.ones(4))
    check(A[:, [0, 1, 2].index(0) :] @ ow.asarray(np.ones((3, 4))) @ g, X @ np.ones((3, 4)) @ want)
    check(ow.evaluate("d(i) = g(i,j)", g=g), want.sum(axis=1))
    assert ow.asarray(getattr(nx, kind)()).shape == (0, 0)
    plain = getattr(nx, kind)([(0, 1)])
    assert ow.asarray(plain).dtype == np.int64


# NumPy's own


def test_masked_arrays_are_refused():
    x = np.ma.masked_array(np.ones((2, 3)), mask=X == 0)
    for call in (lambda: A * x, lambda: A @ x.T, lambda: ow.asarray(x), lambda: ow.evaluate("s = x(i,j)", x=x)):
        with pytest.raises(ow.DataError, match="masked"):
            call()
    check(A * x.filled(0), X * x.filled(0))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_and_mapped_arrays(tmp_path):
    m = np.asmatrix(np.ones((3, 2)))
    check(A @ m, X @ np.ones((3, 2)))
    mapped = np.memmap(tmp_path / "x", float, "w+", shape=(3,))
    mapped[:] = 2.0
    check(A @ mapped, X @ np.full(3, 2.0))
    assert type(A @ mapped) is np.ndarray


# DLPack


class Lent:
    """What lends its memory and is no array of NumPy's."""

    def __init__(self, x):
        self.x, self.shape = x, x.shape

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint16", "complex64", "bool"])
def test_memory_that_is_lent(dtype):
    x = np.arange(6).reshape(3, 2).astype(dtype)
    for y in (x, np.asfortranarray(x), x[::2], x[:0]):
        check(ow.asarray(Lent(y)), y)
    check(A @ Lent(x), X @ x)
    check(A @ Lent(x[:, 0]), X @ x[:, 0])
    if dtype == "float64":
        assert np.shares_memory(ow.asarray(Lent(x)).todense(), x)


def test_memory_elsewhere_is_refused_with_the_reason():
    class Elsewhere(Lent):
        def __dlpack__(self, **options):
            raise BufferError("on another device")

    with pytest.raises(ow.DataError, match="on another device"):
        A @ Elsewhere(np.ones(3))


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    t = torch.arange(6, dtype=torch.float64).reshape(3, 2)
    check(A @ t, X @ t.numpy())
    assert np.shares_memory(ow.asarray(t).todense(), t.numpy())
    assert torch.equal(torch.from_dlpack(ow.asarray(A @ t).copy()), torch.from_numpy(X @ t.numpy()))
    for bad in (t.requires_grad_(), torch.eye(2).to_sparse(), torch.ones(2, dtype=torch.bfloat16)):
        with pytest.raises(ow.OpenworkError):
            ow.asarray(bad)


def test_graphs_are_what_networkx_makes_of_them():
    nx = pytest.importorskip("networkx")
    whole = nx.gnp_random_graph(30, 0.2, seed=1)
    heavy = nx.DiGraph([("c", "a", {"weight": 2.5}), ("a", "b", {}), ("c", "c", {"weight": -1}), ("b", "a", {"weight": 0})])
    mixed = nx.Graph([(1, 0, {"weight": 3}), (0, 0, {}), (5, 1, {"color": "red"})])
    several = nx.MultiDiGraph([(0, 1), (0, 1), (1, 2)])
    lonely = nx.empty_graph(3)
    graphs = [whole, heavy, mixed, several, lonely, whole.to_directed(), nx.subgraph_view(whole, filter_node=lambda n: n % 2 == 0),
              heavy.reverse(copy=False), whole.subgraph(range(5)), nx.freeze(mixed.copy())]  # fmt: skip
    for graph in graphs:
        made, wanted = ow.asarray(graph), nx.to_scipy_sparse_array(graph, format="csr")
        assert made.format == "csr" and made.nnz == wanted.nnz
        check(made, wanted.toarray())
