"""Operators in place, results in NumPy's memory, copies, pickled kernels, sizes and first values."""

import copy
import operator
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import arrays, check, values

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
            operator.iand, operator.ior, operator.ixor]  # fmt: skip


@given(st.data(), st.sampled_from(IN_PLACE))
def test_operators_in_place(data, op):
    """What NumPy refuses is refused, and what it does has the same dtype."""
    a, x = data.draw(arrays(ranks=(1, 2), dtypes=["bool", "int8", "int64", "uint64", "float32", "float64", "complex64"]))
    dtype = data.draw(st.sampled_from(["bool", "int8", "int64", "float64", "complex64"]))
    y = data.draw(st.sampled_from([2, 2.5, True, data.draw(values(x.shape, dtype, fill=1, zeros=False))]))
    other = y if np.ndim(y) == 0 or data.draw(st.booleans()) else ow.asarray(y)
    if op in (operator.ifloordiv, operator.imod, operator.ipow) and np.ndim(y):
        return
    try:
        want = op(x.copy(), y)
    except TypeError:
        with pytest.raises(TypeError):
            op(a, other)
        return
    before = a
    got = op(a, other)
    check(got, want, exact=False)
    assert isinstance(got, ow.Array)
    check(before, x)


@pytest.mark.parametrize("format", ["csr", "dense", "coo"])
def test_shapes_and_dtypes_stay(format):
    a = ow.asarray(X, format)
    row = ow.asarray(np.ones(3))
    with pytest.raises(ow.ShapeError, match="would change the shape"):
        row += a
    with pytest.raises(ow.ShapeError, match="would change the shape"):
        a @= np.ones((3, 2))
    whole = ow.asarray(X.astype(int), format)
    with pytest.raises(ow.DTypeError, match="would change the dtype int64 to float64"):
        whole /= 2
    with pytest.raises(ow.DTypeError):
        whole += np.ones((2, 3))
    with pytest.raises(TypeError):
        a += "text"
    a += row
    check(a, X + 1)
    a @= np.eye(3)
    check(a, X + 1)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_results_in_numpys_memory(dtype):
    x = np.arange(3.0)
    whole = np.zeros((4, 6), dtype)
    for out in (np.zeros(2, dtype), whole[:2, 1], whole[::-1, 3][:2], np.zeros((2, 1), dtype)[:, 0]):
        assert ow.evaluate("y(i) = A(i,j) * x(j)", A=X, x=x, out=out) is out
        check(out, (X @ x).astype(dtype))
    for format in (None, "csr"):
        out = np.asfortranarray(np.ones((2, 3), dtype))
        ow.evaluate("C(i,j) = A(i,j) * B(i,j)", format, A=ow.asarray(X, "csr"), B=ow.asarray(X, "csc"), out=out)
        check(out, (X * X).astype(dtype))
    scalar = np.zeros((), dtype)
    assert ow.evaluate("s = x(i) * x(i)", x=x, out=scalar) is scalar and scalar == 5.0
    k = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).prepare(A=X)
    out = np.zeros(2, dtype)
    assert k(x=x, out=out) is out
    check(out, (X @ x).astype(dtype))
    y = np.ones(3)
    ow.evaluate("z(i) = A(i,j) * y(j)", A=np.ones((3, 3)), y=y, out=y)
    check(y, np.full(3, 3.0))


def test_memory_that_cannot_have_the_result():
    def into(out):
        return ow.evaluate("y(i) = A(i,j) * x(j)", A=X, x=np.ones(3), out=out)

    fixed = np.zeros(2)
    fixed.flags.writeable = False
    for out, kind in (
        (np.zeros(3), ow.ShapeError),
        (np.zeros((2, 1)), ow.ShapeError),
        (np.zeros(2, int), ow.DTypeError),
        ([0.0, 0.0], TypeError),
        (fixed, ValueError),
    ):
        with pytest.raises(kind):
            into(out)
    kept = np.full(2, 7.0)
    with pytest.raises(ow.ShapeError):
        ow.evaluate("y(i) = A(i,j) * x(i)", A=X, x=np.ones(3), out=kept)
    assert kept.tolist() == [7.0, 7.0]
    ours = ow.asarray(np.zeros(2))
    assert into(ours) is ours
    check(ours, X.sum(axis=1))
    # An operand of that name is given in the dictionary.
    check(ow.evaluate("y(i) = 2 * out(i)", operands={"out": np.ones(2)}), np.full(2, 2.0))


@pytest.mark.parametrize("protocol", [2, 5])
def test_kernels_are_pickled(protocol):
    x = np.arange(3.0)
    k = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}, {"A": "float32", "x": "float32"}, format="sv", dims=None, exact=True)
    for given_before in (k, k.prepare(A=X.astype("f4"))):
        again = pickle.loads(pickle.dumps(given_before, protocol))
        assert repr(again) == repr(k) and again._statement.text == k._statement.text
        operands = {"x": x.astype("f4")} | ({} if given_before is not k else {"A": X.astype("f4")})
        check(again(**operands), X.astype("f4") @ x.astype("f4"))
        assert again(**operands).format == "sv"
    assert copy.deepcopy(k)(A=X.astype("f4"), x=x.astype("f4")).format == "sv"
    exact = pickle.loads(pickle.dumps(k.prepare(A=X.astype("f4"))))
    assert np.isnan(exact(x=np.array([np.inf, 1, 1], "f4")).todense()[0])


def test_kernels_are_pickled_for_other_processes():
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    k = ow.kernel("s = A(i,j) * x(j)", {"A": "csr"}).prepare(A=X)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(_sum, k, np.ones(3)).result().item() == 9.0


def _sum(k, x):
    return k(x=x)


@given(arrays(fills=(0, 1)))
def test_copies_are_their_own(pair):
    a, x = pair
    b = a.copy()
    check(b, x)
    assert (b.format, b.fill_value, b.shape) == (a.format, a.fill_value, a.shape)
    check(copy.copy(a), x)
    check(copy.deepcopy(a), x)


@pytest.mark.parametrize("format", ["csr", "dense", "dense:1,0"])
def test_dense_copies_are_writable(format):
    a = ow.asarray(X, format)
    for d in (a.todense(copy=True), a.todense().copy(), ow.asarray(X, "csr").todense()):
        d[0, 0] = 9.0
        check(a, X)
    assert a.todense(copy=True).flags.writeable and (format == "csr" or not a.todense().flags.writeable)


def test_sizes_in_memory():
    a = ow.asarray(np.ones((100, 100)), "csr")
    assert a.nbytes < sys.getsizeof(a) < a.nbytes + 200


@pytest.mark.parametrize(
    ("x", "format", "text"),
    [
        (X, "csr", "nnz=3: (0,1) 2, (1,0) 3, (1,2) 4>"),
        (X, "csc", "nnz=3: (1,0) 3, (0,1) 2, (1,2) 4>"),
        (X, "dia", "nnz=3: (1,0) 3, (0,1) 2, (1,2) 4>"),
        (X, "dense", "nnz=6: 0, 2, 0, …>"),
        (X * np.pi, "ell", "nnz=3: (0,1) 6.2832, (1,0) 9.4248, (1,2) 12.566>"),
        (X.astype(int), "coo", "nnz=3: (0,1) 2, (1,0) 3, (1,2) 4>"),
        (X > 2, "csr", "nnz=2: (1,0) True, (1,2) True>"),
        (X * 1j, "csr", "nnz=3: (0,1) 0+2j, (1,0) 0+3j, (1,2) 0+4j>"),
        (np.zeros((0, 3)), "csr", "nnz=0>"),
        (np.zeros((0, 3)), "dense", "nnz=0>"),
        (np.float64(2.5), "dense", "nnz=1: 2.5>"),
        (np.array([np.nan, 0, np.inf]), "sv", "nnz=2: (0) nan, (2) inf>"),
    ],
)
def test_first_values(x, format, text):
    assert repr(ow.asarray(x, format)).endswith(text)


def test_first_values_of_what_is_large():
    a = ow.from_coo(([5], [7]), [2.0], (2**40, 2**40), format="coo")
    assert repr(a).endswith("(5,7) 2>")
    huge = ow.asarray(sp.random_array((10**5, 10**5), density=1e-4, rng=0, format="csr"))
    assert repr(huge).endswith("…>") and len(repr(huge)) < 160
