"""What an array is, and its other forms."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import openwork as ow
from openwork._errors import refuse
from cases import DTYPES, FORMATS, arrays, check, layouts


@given(arrays(fills=(0, 1)))
def test_dense_round_trip(pair):
    a, x = pair
    check(a, x)
    assert (a.shape, a.ndim, a.dtype, a.size) == (x.shape, x.ndim, x.dtype, x.size)
    check(a.asformat("dense"), x)


@given(st.data())
def test_conversions(data):
    a, x = data.draw(arrays(fills=(0, 1)))
    format = data.draw(layouts(FORMATS[x.ndim]))
    b = a.asformat(format)
    check(b, x)
    check(ow.convert(x, format), x)
    assert b.fill_value == a.fill_value


@given(arrays(fills=(0, 1)), st.sampled_from([2, 4, 5]))
def test_pickles(pair, protocol):
    a, x = pair
    b = pickle.loads(pickle.dumps(a, protocol))
    check(b, x)
    assert (b.format, b.fill_value, b.nnz) == (a.format, a.fill_value, a.nnz)


@given(arrays(ranks=(1, 2, 3, 4)))
def test_coordinates(pair):
    a, x = pair
    coords, values = a.to_coo()
    again = np.zeros(x.shape, x.dtype)
    again[tuple(coords)] = values
    check(again, x)
    check(ow.from_coo(coords, values, x.shape), x)


@given(st.data())
def test_casts(data):
    a, x = data.draw(arrays(dtypes=["bool", "int8", "int64", "uint8", "float32", "float64"]))
    dtype = data.draw(st.sampled_from(DTYPES))
    # What NumPy makes of a negative float in an unsigned dtype depends on the machine; here it is 0.
    assume(x.dtype.kind != "f" or np.dtype(dtype).kind != "u" or (x >= 0).all())
    check(a.astype(dtype), x.astype(dtype))


@pytest.mark.parametrize("format", ["csr", "dense"])
def test_casts_with_the_arguments_of_scipy(format):
    x = np.array([[0.0, 2.5], [3.0, 0.0]])
    a = ow.asarray(x, format)
    check(a.astype("float32", copy=False), x.astype("float32"))
    check(a.astype("int8", casting="unsafe"), x.astype("int8"))
    with pytest.raises(TypeError, match="rule 'safe'"):
        a.astype("int8", "safe")
    assert a.astype(float, copy=False) is a
    was, cast, plus = x.copy(), a.astype(float), +a
    x[0, 1] = 7.0
    check(cast, was)
    check(plus, was)


@given(arrays(ranks=(0, 1, 2, 3)))
def test_orders_and_memory_of_dense_results(pair):
    a, x = pair
    for got in (a.todense("F"), a.toarray(order="F")):
        check(ow.asarray(got), x)
        assert got.flags.f_contiguous
    assert a.toarray(order="C").flags.c_contiguous
    own = a.todense(copy=True)
    assert own.flags.writeable
    out = np.ones(x.shape, a.dtype, order="F")
    assert a.toarray(out=out) is out
    check(ow.asarray(out), x)
    with pytest.raises(ow.ShapeError, match="shape"):
        a.todense(out=np.zeros((2, *x.shape), a.dtype))


@given(arrays(ranks=(1, 2, 3)))
def test_scipy_round_trip(pair):
    a, x = pair
    check(a.to_scipy().toarray(), x)


def test_out_of_band_pickles_are_not_copied():
    a = ow.asarray(sp.random_array((50, 50), density=0.2, format="csr", rng=1))
    buffers = []
    data = pickle.dumps(a, 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and len(buffers) == 3
    b = pickle.loads(data, buffers=buffers)
    check(b, a.todense())
    assert b._tensor.values().nbytes == 8 * a.nnz


def test_copies_of_python():
    a = ow.asarray([[0, 2], [3, 0]], format="csr")
    check(copy.deepcopy(a), a.todense())


def test_what_an_array_prints():
    a = ow.asarray([[1, np.inf], [np.inf, 2]], format="csr", fill_value=np.inf)
    assert repr(a) == "<openwork.Array: shape=(2, 2), dtype=float64, format=csr, nnz=2, fill=inf: (0,0) 1, (1,1) 2>"
    page = a._repr_html_()
    assert "<svg" in page and "todense()" in page and page.count("<rect") == 2
    assert "<svg" not in ow.asarray([1.0])._repr_html_()


def test_numbers_of_single_values():
    one = ow.asarray([[3]])
    assert (one.item(), float(one), int(one), complex(one), bool(one)) == (3, 3.0, 3, 3 + 0j, True)
    with pytest.raises(ow.ShapeError, match="no single value"):
        bool(ow.asarray([1, 2]))
    assert "abc"[ow.evaluate("n = sum(i, x(i))", x=[1, 1])] == "c"
    for no_index in (ow.asarray(1.0), one, ow.asarray(True)):
        with pytest.raises(TypeError):
            "abc"[no_index]


def test_no_array_by_itself():
    a = ow.asarray([[1.0, 2.0]], "csr")
    with pytest.raises(ow.UnsupportedError, match=r"to_scipy\(\)"):
        np.asarray(a)
    with pytest.raises(TypeError, match="todense"):
        list(a)
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError, match="asarray"):
        ow.Array([1.0])


def test_exported_memory_keeps_the_array_alive():
    a = ow.asarray(np.arange(5.0), copy=True)
    x = a.todense()
    watched = weakref.ref(a)
    del a
    gc.collect()
    assert watched() is None
    assert x.tolist() == [0, 1, 2, 3, 4] and not x.flags.writeable
    s = ow.asarray(sp.eye_array(4, format="csr")).to_scipy()
    gc.collect()
    assert (s @ np.ones(4)).tolist() == [1, 1, 1, 1]


def test_results_can_be_written_to():
    a = ow.asarray(sp.eye_array(3, format="csr"))
    y = a @ np.ones(3)
    y += 1
    assert y.tolist() == [2, 2, 2]
    assert a.todense().flags.writeable


def test_column_major_views():
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    a = ow.asarray(x)
    view = a.todense()
    check(view, x)
    assert np.shares_memory(view, x)


LISTED = ["csr", "csc", "coo", "hash", "ell", "jad", "sell(8)", "sell(2)", "lil", "bitmap", "bytemap", "dok", "csb(2)", "hicoo(2)"]


@pytest.mark.parametrize("format", LISTED)
def test_stored_zeros_stay_with_another_fill_value_and_transposed(format):
    rng = np.random.default_rng(0)
    for _ in range(12):
        shape = tuple(rng.integers(1, 7, 2).tolist())
        coords = np.nonzero(rng.random(shape) < 0.5)
        values = rng.integers(0, 3, len(coords[0])).astype(float)
        A = ow.from_coo(coords, values, shape).asformat(format)
        want = np.full(shape, np.inf)
        want[coords] = values
        assert A.nnz == A.T.nnz == len(values)
        B = ow.asarray(A, fill_value=np.inf)
        assert B.nnz == len(values)
        np.testing.assert_array_equal(B.todense(), want)
        np.testing.assert_array_equal((B + 1).todense(), want + 1)
        x = rng.integers(0, 5, shape[1]).astype(float)
        np.testing.assert_array_equal(ow.einsum("ij,j->i", A, x, semiring="min_plus").todense(), (want + x).min(1))
        np.testing.assert_array_equal(ow.topk(A, 1, axis=0).todense(), ow.topk(A.asformat("csr"), 1, axis=0).todense())


@pytest.mark.parametrize("format", ["csr", "coo", "dense", "bcsr(2,2)", "hash"])
def test_out_of_band_pickles_that_are_not_aligned(format):
    for dtype in ("float64", "int16", "complex64", "bool"):
        x = np.array([[1, 0, 2], [0, 0, 3]]).astype(dtype)
        a, buffers = ow.asarray(x, format), []
        data = pickle.dumps(a, 5, buffer_callback=buffers.append)
        b = pickle.loads(data, buffers=[memoryview(b"x" + part.raw())[1:] for part in buffers])
        check(b, x)
        assert b.format == a.format
        check(b + b, x + x)


@pytest.mark.parametrize("kind", [*ow.OpenworkError.__subclasses__(), ow.OpenworkError, ow.IterationError, ow.NumberError])
def test_exceptions_pickle(kind):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        e = refuse("E0605", "no memory", "buy some", kind)
        again = pickle.loads(pickle.dumps(e, protocol))
        assert type(again) is kind and str(again) == str(e)
        assert (again.code, again.message, again.help) == ("E0605", "no memory", "buy some")


@pytest.mark.parametrize("format", ["csr", "coo", "ell", "rle", "hash"])
def test_imaginary_parts_of_real_values_are_not_stored(format):
    for dtype in ("float64", "int8", "bool"):
        x = np.array([[1, 0, 2], [0, 0, 3]]).astype(dtype)
        for fill in (0, 1):
            a = ow.asarray(x, format, fill_value=fill)
            check(a.imag, x.imag)
            check(np.imag(a), x.imag)
            assert a.imag.fill_value == 0 and (a._tensor.full or a.imag.nnz == 0)
