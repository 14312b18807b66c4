"""Triangles, diagonals and Kronecker products."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

import numpy as np

from ._errors import refuse
from ._joined import array_of
from ._listed import Listed, format_of, is_sparse, listed
from ._memory import ask_elements
from ._numpy import implements_sparse
from ._reshaped import atleast
from ._statements import is_exact

if TYPE_CHECKING:
    from ._array import Array


def _zero_elsewhere(a: Array, name: str) -> None:
    """Refuses an array whose fill value would stand beside zeros."""
    if a.fill_value != 0 and is_sparse(a):
        message = f"numpy.{name} of an array with the fill value {a.fill_value} has zeros beside it"
        raise refuse("E0103", message, "it takes arrays whose fill value is 0")


def _triangle(m: Array, k, name: str, kept) -> Array:
    _zero_elsewhere(m, name)
    if m.ndim < 2:
        raise refuse("E0202", f"numpy.{name} of openwork arrays takes matrices", "of a vector it would be dense")
    x = listed(m)
    return x.only(kept(x.coords[-1].astype(np.int64) - x.coords[-2], index(k))).array(format_of(m))


@implements_sparse(np.tril)
def _tril(m: Array, k=0):
    return _triangle(m, k, "tril", np.less_equal)


@implements_sparse(np.triu)
def _triu(m: Array, k=0):
    return _triangle(m, k, "triu", np.greater_equal)


def diagonal_of(a: Array, offset: int = 0) -> Array:
    """A diagonal of a matrix, above the main one or below."""
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(a.shape[0] - row, a.shape[1] - column), 0)
    x = listed(a)
    x = x.only(x.coords[1].astype(np.int64) - x.coords[0] == offset)
    return x.at([x.coords[0] - row], (length,)).array()


@implements_sparse(np.diag)
def _diag(v: Array, k=0):
    k = index(k)
    if v.ndim == 2:
        return diagonal_of(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    _zero_elsewhere(v, "diag")
    x, size = listed(v), v.shape[0] + abs(k)
    at = x.coords[0].astype(np.int64)
    return x.at([at + max(-k, 0), at + max(k, 0)], (size, size)).array()


@implements_sparse(np.kron)
def _kron(a, b):
    one, other = array_of(a), array_of(b)
    for factor in (one, other):
        _zero_elsewhere(factor, "kron")
    like = one if is_sparse(one) else other
    rank = max(one.ndim, other.ndim)
    if is_exact(one._tensor, other._tensor):
        return _exact_kron(one, other, rank).asformat(format_of(like, rank))
    x, y = (atleast(listed(f, f.dtype.type(0)), rank) for f in (one, other))
    ask_elements(len(x.values) * len(y.values), rank, np.result_type(one.dtype, other.dtype))
    coords = [_outer(np.add, c.astype(np.int64) * n, d.astype(np.int64)) for c, n, d in zip(x.coords, y.shape, y.coords)]
    with np.errstate(invalid="ignore", over="ignore"):
        values = _outer(np.multiply, x.values, y.values)
    if values.dtype.kind in "fc":
        # A zero decides, stored or not.
        values[x.values == 0], values[:, y.values == 0] = 0, 0
    made = Listed([c.reshape(-1) for c in coords], values.reshape(-1), tuple(n * m for n, m in zip(x.shape, y.shape)), values.dtype.type(0))
    return made.array(format_of(like, rank))


def _outer(ufunc, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``ufunc.outer``, some rows at a time, so that Python hears Ctrl-C in between."""
    made = np.empty((len(x), len(y)), np.result_type(x, y))
    rows = max(1, (1 << 22) // max(1, len(y)))
    for first in range(0, len(x), rows):
        part = slice(first, first + rows)
        ufunc(x[part, None], y, out=made[part])
    return made


def _exact_kron(one: Array, other: Array, rank: int) -> Array:
    """The product where zeros that are not stored meet infinities and NaN as well: one kernel, whose result gets its shape."""
    from ._einsum import numpys

    x, y = (f if f.ndim == rank else f.reshape((1,) * (rank - f.ndim) + f.shape) for f in (one, other))
    pairs = [mode for n in range(rank) for mode in (n, rank + n)]
    found = numpys(x, list(range(rank)), y, list(range(rank, 2 * rank)), pairs)
    return found.reshape(tuple(n * m for n, m in zip(x.shape, y.shape)))
