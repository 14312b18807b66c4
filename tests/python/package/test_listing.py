"""The elements of every format, one by one: what lists them, and what is made of the lists."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from cases import FORMATS, arrays
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow


@given(st.data())
def test_every_format_lists_what_it_stores(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3), fills=(0, 1)))
    coords, values = a.to_coo()
    assert values.dtype == a.dtype and len(values) == (len(values) if a._tensor.full else a.nnz)
    got = np.full(x.shape, a.fill_value, a.dtype)
    got[tuple(coords)] = values
    np.testing.assert_array_equal(got, x)
    if a.format not in ("csc", "dcsc", "csr", "coo") and a.ndim == 2:
        flat = np.ravel_multi_index(coords, x.shape) if x.size else np.zeros(0)
        assert (np.diff(flat) > 0).all()


@pytest.mark.parametrize("format", [*FORMATS[2][1:], "sym", "banded"])
def test_what_is_made_of_lists_is_the_same_for_every_format(format):
    x = np.array([[2.0, 1, 0, 0], [1, 0, 3, 0], [0, 3, -1, 4], [0, 0, 4, 0.5]])
    a, like = ow.asarray(x, format=format), ow.asarray(x, format="csr")
    np.testing.assert_array_equal(a.to_scipy().toarray(), x)
    for function in (lambda b: ow.topk(b, 1), lambda b: ow.topk(b, 2, axis=0), ow.sort, lambda b: ow.median(b, 0), lambda b: ow.argmax(b, 1)):
        np.testing.assert_array_equal(function(a).todense(), function(like).todense())
    for kind in ("mtx",) if a._tensor.dense else ("npz", "mtx"):
        file = io.BytesIO()
        ow.save(file, a, kind=kind)
        file.seek(0)
        np.testing.assert_array_equal((sp.load_npz(file) if kind == "npz" else ow.load(file)).todense(), x)
