"""What order says of the values along modes: medians, quantiles, places in order; and weighted means.

The values that are not stored stand as one run between the smaller and the larger ones, so a value is found by its place without
anything being written out.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _along, _array, _core
from ._core import Expression, access, reduce
from ._along import Rows, over_rows, rows_of, wrap_dense
from ._convert import asarray
from ._errors import refuse
from ._memory import ask
from ._statements import NAMES, function, is_exact, run, statement

# Where NumPy's methods look for a quantile among n values, by their alpha and beta; those below round that place.
_PLACES = {
    "linear": (1.0, 1.0), "lower": (1.0, 1.0), "higher": (1.0, 1.0), "midpoint": (1.0, 1.0), "nearest": (1.0, 1.0),
    "weibull": (0.0, 0.0), "hazen": (0.5, 0.5), "interpolated_inverted_cdf": (0.0, 1.0),
    "median_unbiased": (1 / 3.0, 1 / 3.0), "normal_unbiased": (3 / 8.0, 3 / 8.0),
}  # fmt: skip

_ROUNDED: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.around}


class _Sorted:
    """The values along a mode, in order: those below the fill value, the fill value, and those above it."""

    def __init__(self, a, axis: int | None):
        rows = rows_of(a, axis)
        self.rows, self.fill = rows, a.fill_value
        self.values = np.asarray(_core.ascending(np.ascontiguousarray(rows.values), rows.starts.astype(np.int64)))
        below = (self.values < self.fill) | ((self.fill != self.fill) & (self.values == self.values))
        self.below = np.add.reduceat(below, rows.starts, dtype=np.int64) if len(rows.starts) else np.zeros(0, np.int64)
        self.gaps = rows.length - rows.counts

    def at(self, place: int) -> np.ndarray:
        """The values with this number in every row that stores something."""
        last = np.maximum(self.rows.counts - 1, 0)
        stored = np.where(place < self.below, place, place - self.gaps)
        found = self.values[self.rows.starts + np.clip(stored, 0, last)]
        return np.where((place >= self.below) & (place < self.below + self.gaps), self.fill, found)

    def has_nan(self) -> np.ndarray:
        """The rows with a NaN, which is the last one in order."""
        last = self.at(self.rows.length - 1)
        return last != last


def _ordered(a, axis, name: str):
    """An array of real numbers with one mode to look along, or everything in one row; and where that mode was among those left."""
    if a.dtype.kind == "c":
        raise refuse("E0208", f"values of dtype {a.dtype} have no order", f"{name} takes abs(a), the sizes of complex values")
    if axis is None or np.ndim(axis) == 0:
        return a, _along.normal(axis, a)
    gone = np.lib.array_utils.normalize_axis_tuple(axis, a.ndim)
    if len(gone) == a.ndim:
        return a, None
    left = [n for n in range(a.ndim) if n not in gone]
    size = int(np.prod([a.shape[n] for n in gone], dtype=object))
    turned = a.transpose((*left, *gone))
    return turned.reshape((*(a.shape[n] for n in left), size)), len(left)


def _kept(found: Any, axis, a, keepdims: bool) -> Any:
    """The result with modes of size 1 where it has none any more."""
    if not keepdims:
        return found
    gone = range(a.ndim) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, a.ndim)
    shape = [1 if n in gone else size for n, size in enumerate(a.shape)]
    return asarray(found).reshape(shape) if np.ndim(found) else wrap_dense(np.full(shape, found))


def median(x, axis=None, *, keepdims: bool = False):
    """The value in the middle, or the mean of the two there, along some modes or of all values. ``numpy.median``.

    Values that are not stored take part; a NaN makes a NaN of its row.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0, 1.0, 0.0], [-3.0, 0.0, 0.0, 0.0]], format="csr")
    >>> float(ow.median(a)), ow.median(a, axis=1).todense().tolist()
    (0.0, [0.5, 0.0])
    """
    a = asarray(x)
    if a._tensor.dense:
        return wrap_dense(np.median(a.todense(), axis=axis, keepdims=keepdims))
    one, along = _ordered(a, axis, "median")
    kept = np.median(np.ones(1, a.dtype)).dtype
    length = one.size if along is None else one.shape[along]
    if length == 0:
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=2)
        return _kept(over_rows(one, rows_of(one, along), np.zeros(0, kept), np.nan, along), axis, a, keepdims)
    s = _Sorted(one, along)
    with np.errstate(all="ignore"):
        # As NumPy, the mean of one value or two, in its dtype.
        middle = sorted({(length - 1) // 2, length // 2})
        found = np.mean([s.at(p) for p in middle], axis=0, dtype=kept) if len(s.rows.starts) else np.zeros(0, kept)
        found = np.where(s.has_nan(), kept.type(np.nan), found) if len(s.rows.starts) else found
    return _kept(over_rows(one, s.rows, np.asarray(found, kept), kept.type(s.fill), along), axis, a, keepdims)


def quantile(x, q, axis=None, *, method: str = "linear", keepdims: bool = False):
    """The values below which shares of all values along some modes lie. ``numpy.quantile``.

    Values that are not stored take part; a NaN makes a NaN of its row. Of several shares, the first mode has one of each.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0, 1.0, 0.0], [-3.0, 0.0, 0.0, 0.0]], format="csr")
    >>> ow.quantile(a, 0.75, axis=1).todense().tolist()
    [1.25, 0.0]
    >>> ow.quantile(a, [0.0, 1.0]).todense().tolist()
    [-3.0, 2.0]
    """
    a = asarray(x)
    shares = np.asarray(q)
    if a._tensor.dense:
        return wrap_dense(np.quantile(a.todense(), q, axis=axis, method=method, keepdims=keepdims))  # type: ignore[call-overload]
    if method not in _PLACES:
        known = ", ".join(_PLACES)
        raise refuse("E0103", f"quantiles of sparse arrays have no method `{method}`", _core.meant_or(str(method), list(_PLACES), f"there are {known}"))
    if ((shares < 0) | (shares > 1) | (shares != shares)).any():
        raise refuse("E0211", "quantiles are in the range from 0 to 1")
    one, along = _ordered(a, axis, "quantile")
    length = one.size if along is None else one.shape[along]
    if length == 0:
        raise refuse("E0202", "quantiles of no values have no result")
    # NumPy knows the dtype, and that truth values have none.
    kept = np.quantile(np.ones(2, a.dtype), q, method=method).dtype  # type: ignore[call-overload]
    s = _Sorted(one, along)
    ask("the quantiles", shares.size * max(len(s.rows.starts), 1), kept, kept)
    found: list[Any] = [_one_quantile(s, one, along, share, method, kept) for share in shares.ravel()]
    found = [_kept(f, axis, a, keepdims) for f in found]
    if shares.ndim == 0:
        return found[0]
    if not found:
        left = np.shape(_kept(over_rows(one, s.rows, np.zeros(len(s.rows.starts), kept), 0, along), axis, a, keepdims))
        return wrap_dense(np.zeros((*shares.shape, *left), kept))
    stacked = np.stack(found) if np.ndim(found[0]) else wrap_dense(np.array(found, kept))
    return stacked if shares.ndim == 1 else stacked.reshape((*shares.shape, *np.shape(found[0])))


def _one_quantile(s: _Sorted, a, axis, share, method: str, kept: np.dtype):
    alpha, beta = _PLACES[method]
    length = s.rows.length
    # In the dtype of the share, as in NumPy.
    place = (length - 1) * share if alpha == 1.0 else length * share + (alpha + share * (1 - alpha - beta)) - 1
    if method in ("lower", "higher", "nearest"):
        place = float(_ROUNDED[method](place))
    low = int(np.floor(place))
    part = 0.5 if method == "midpoint" and place != low else place - low
    low, high = (min(max(p, 0), length - 1) for p in (low, low + 1))
    part = part if low < high else 0.0
    fill = kept.type(s.fill)
    if not len(s.rows.starts):
        return over_rows(a, s.rows, np.zeros(0, kept), fill, axis)
    with np.errstate(all="ignore"):
        one, other = s.at(low).astype(kept), s.at(high).astype(kept)
        found = one if part == 0 else _between(one, other, kept.type(part))
        found = np.where(s.has_nan(), kept.type(np.nan), found) if kept.kind == "f" else found
    return over_rows(a, s.rows, found.astype(kept), fill, axis)


def _between(one: np.ndarray, other: np.ndarray, part) -> np.ndarray:
    """What lies a part of the way from one value to another: as NumPy, from the nearer end."""
    step = other - one
    return one + step * part if part < 0.5 else other - step * (1 - part)


def percentile(x, q, axis=None, *, method: str = "linear", keepdims: bool = False):
    """The values below which so many of a hundred values lie; see :func:`openwork.quantile`. ``numpy.percentile``.

    Examples
    --------
    >>> import openwork as ow
    >>> float(ow.percentile(ow.asarray([0.0, 4.0, 0.0, 8.0], format="sv"), 50))
    2.0
    """
    shares = np.asarray(q)
    if ((shares < 0) | (shares > 100) | (shares != shares)).any():
        raise refuse("E0211", "percentiles are in the range from 0 to 100")
    a = asarray(x)
    if a._tensor.dense:
        return wrap_dense(np.percentile(a.todense(), q, axis=axis, method=method, keepdims=keepdims))  # type: ignore[call-overload]
    return quantile(a, np.true_divide(q, a.dtype.type(100) if a.dtype.kind == "f" else 100), axis, method=method, keepdims=keepdims)


def argsort(x, axis: int | None = -1):
    """The coordinates along a mode in ascending order of their values, equal ones as they come. ``numpy.argsort``, ``kind="stable"``.

    Every coordinate stands in the result, which is dense; only what is stored is sorted.

    Examples
    --------
    >>> import openwork as ow
    >>> ow.argsort(ow.asarray([[0.0, 2.0, 0.0, -1.0], [3.0, 0.0, 1.0, 0.0]], format="csr")).todense()
    array([[3, 0, 2, 1],
           [1, 3, 2, 0]])
    """
    a = asarray(x)
    if a.ndim == 0:
        raise refuse("E0202", "an array without modes has no rows")
    if a.dtype.kind == "c":
        raise refuse("E0208", f"values of dtype {a.dtype} have no order", "abs(a) has the sizes of complex values")
    axis = _along.normal(axis, a)
    if a._tensor.dense:
        return wrap_dense(np.argsort(a.todense(), axis=axis, kind="stable"))
    rows, fill = rows_of(a, axis), a.fill_value
    shape = (a.size,) if axis is None else (*(n for k, n in enumerate(a.shape) if k != axis), a.shape[axis])
    place = np.zeros(len(rows.starts), np.int64)
    for c, size in zip(rows.coords, shape):
        place = place * size + c
    found = _permuted(rows, place, fill, int(np.prod(shape[:-1], dtype=object))).reshape(shape)
    return wrap_dense(found if axis is None else np.moveaxis(found, -1, axis))


def _permuted(rows: Rows, place: np.ndarray, fill, count: int) -> np.ndarray:
    """The order of every row: what is below the fill value, everything that equals it, what is above."""
    # The place and the value of every coordinate, and some more that NumPy takes meanwhile.
    ask(f"the order of {count} rows of {rows.length} coordinates", count * rows.length, np.int64, np.int64, bool, bool)
    out = np.asarray(_core.room("i64", count * rows.length)).reshape(count, rows.length)
    values, nan = rows.values, fill != fill
    below = (values < fill) | (nan & (values == values))
    equal = (values == fill) | (nan & (values != values))
    owner = rows.repeated(place)
    order = np.argsort(values, kind="stable")
    order = order[np.argsort(owner[order], kind="stable")]
    stays = np.ones((count, rows.length), bool)
    stays[owner[~equal], rows.at[~equal]] = False
    before, behind = np.bincount(owner[below], minlength=count), np.bincount(owner[~below & ~equal], minlength=count)
    along = np.arange(rows.length)
    # Row by row, the others come in the order of their coordinates.
    out[(along >= before[:, None]) & (along < rows.length - behind[:, None])] = np.nonzero(stays)[1]
    out[along < before[:, None]] = rows.at[order[below[order]]]
    out[along >= rows.length - behind[:, None]] = rows.at[order[(~below & ~equal)[order]]]
    return out


def average(x, axis=None, weights=None, *, returned: bool = False, keepdims: bool = False):
    """The mean of all values, each counted by its weight, along some modes or of all. ``numpy.average``.

    Weights have the shape of the array, or that of the modes that are averaged; they may be sparse as well.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0], [4.0, 0.0]], format="csr")
    >>> ow.average(a, axis=1, weights=[3.0, 1.0]).todense().tolist()
    [0.5, 3.0]
    """
    a = asarray(x)
    gone = _array._axes(axis, a.ndim)
    if weights is None:
        found = a.mean(axis, keepdims=keepdims)
        size = np.prod([a.shape[n] for n in gone], dtype=object)
        return (found, _like(found, float(size))) if returned else found
    w = asarray(weights)
    modes = list(range(a.ndim)) if w.shape == a.shape else list(gone)
    if w.shape != a.shape and axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape != tuple(a.shape[n] for n in modes):
        raise refuse("E0203", f"weights of the shape {w.shape} are not consistent with an array of the shape {a.shape}")
    kept = np.result_type(a.dtype, w.dtype, *(["f8"] if a.dtype.kind in "biu" else []))
    indices, cast = [f"i{n}" for n in range(a.ndim)], function(NAMES[kept])
    total = _summed(cast(access("operand", indices)) * cast(access("weights", [indices[n] for n in modes])), a, w, gone, kept, keepdims)
    whole = w.sum(gone if w.ndim == a.ndim else None, dtype=kept, keepdims=False)
    scale = whole.todense() if isinstance(whole, _array.Array) else np.asarray(whole)
    if (scale == 0).any():
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    if scale.ndim and keepdims:
        scale = scale.reshape(np.shape(total))
    dense = total.todense() if isinstance(total, _array.Array) else total
    found = wrap_dense(np.true_divide(dense, scale))
    return (found, wrap_dense(np.broadcast_to(scale, np.shape(found)).copy())) if returned else found


def _summed(value: Expression, a, w, gone: tuple[int, ...], kept: np.dtype, keepdims: bool):
    """A sum over some modes of an array and its weights."""
    left = [f"k{n}" if n in gone else f"i{n}" for n in range(a.ndim) if keepdims or n not in gone]
    dims = tuple((f"k{n}", 1) for n in gone) if keepdims else ()
    built = access("result", left).assign(reduce("sum", [f"i{n}" for n in gone], value))
    made = statement(built, ("operand", "weights"), None, str(kept), dims, exact=is_exact(a._tensor, w._tensor))
    done = run(made, a._tensor, w._tensor)
    return _array.wrap(done) if left else _array.number(done)


def _like(found, value: float):
    """A value for every element of a result."""
    dtype = found.dtype
    return wrap_dense(np.full(found.shape, value, dtype)) if np.ndim(found) else dtype.type(value)
