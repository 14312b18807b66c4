"""The largest elements of every row are those that NumPy's sort puts first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import REAL, arrays, check


def by_sorting(x: ow.Array, k: int, axis: int, largest: bool) -> np.ndarray:
    """What is kept when the stored elements of every row are sorted, the earlier of equal ones first."""
    kept = np.full(x.shape, x.fill_value, x.dtype)
    coords, values = x.to_coo()
    rows = list(zip(*(c.tolist() for n, c in enumerate(coords) if n != axis))) or [()] * len(values)
    for row in set(rows):
        found = [e for e in range(len(values)) if rows[e] == row]
        key = (lambda e: -float(values[e])) if largest else (lambda e: float(values[e]))
        for e in sorted(sorted(found, key=lambda e: coords[axis][e]), key=key)[:k]:
            kept[tuple(c[e] for c in coords)] = values[e]
    return kept


@given(arrays(dtypes=REAL, ranks=(1, 2, 3)), st.integers(0, 4), st.integers(-3, 2), st.booleans())
def test_kept_elements_are_those_of_a_sort(pair, k, axis, largest):
    a, _ = pair
    axis = axis % a.ndim
    kept = ow.topk(a, k, axis, largest=largest)
    # Formats that store every value, or runs, have no elements of their own to leave out: those of compressed rows count.
    plain = ow.asarray(a, {1: "sv", 2: "csr"}.get(a.ndim, "csf"))
    assert kept.shape == a.shape and kept.dtype == a.dtype
    if a.format in ("csr", "csc", "dcsr", "dcsc", "coo", "csf", "sv"):
        check(kept, by_sorting(a, k, axis, largest))
    check(ow.topk(plain, k, axis, largest=largest), by_sorting(plain, k, axis, largest))


def test_formats_are_kept_and_a_row_that_stores_little_is_whole():
    x = np.array([[0.0, 5.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 2.0, 2.0]])
    for format, kept in (("csr", "csr"), ("dcsr", "dcsr"), ("csc", "csr"), ("coo", "csr")):
        found = ow.topk(ow.asarray(x, format), 2)
        assert (found.format, found.nnz) == (kept, 4)
        check(found, np.array([[0.0, 5.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 2.0, 2.0, 0.0]]))
    assert ow.topk(ow.asarray(x, "csc"), 1, axis=0).format == "csc"
    roads = ow.asarray([[np.inf, 3.0, 1.0]], "csr", fill_value=np.inf)
    check(ow.topk(roads, 1, largest=False), np.array([[np.inf, np.inf, 1.0]]))


def test_what_has_no_order_is_refused():
    a = ow.asarray([[1.0, 2.0]], "csr")
    with pytest.raises(ow.DTypeError, match="no order"):
        ow.topk(a.astype("complex128"), 1)
    with pytest.raises(ow.OpenworkError, match="-1 elements"):
        ow.topk(a, -1)
    with pytest.raises(np.exceptions.AxisError):
        ow.topk(a, 1, axis=2)
    with pytest.raises(ow.OpenworkError, match="no rows"):
        ow.topk(ow.asarray(3.0), 1)
