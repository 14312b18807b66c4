"""What looks along a mode: positions of extremes, running sums, sorted rows.

What is stored is put in order row by row, a row being what a mode runs along; the fill value stands once for all that lies
between. Nothing is written out, and the arrays of a call are as long as what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _core
from ._array import Array, from_coo, wrap
from ._convert import asarray
from ._errors import refuse
from ._listed import is_long, is_small, listed
from ._memory import ask
from ._statements import dtype_of


@dataclass
class Rows:
    """What an array stores, row by row and in order along the rows."""

    #: The coordinates of every row that stores something, in the modes that are left.
    coords: list[np.ndarray]
    #: Where the elements of each begin, and how many there are.
    starts: np.ndarray
    counts: np.ndarray
    #: Where elements are along their rows, and what they are.
    at: np.ndarray
    values: np.ndarray
    #: How long a row is.
    length: int

    def repeated(self, of_rows: np.ndarray) -> np.ndarray:
        """A value of every row, for each of its elements."""
        return np.repeat(of_rows, self.counts)

    def places(self) -> np.ndarray:
        """The number of every element in its row."""
        return np.arange(len(self.at)) - self.repeated(self.starts)

    def least(self, found: np.ndarray, otherwise: int) -> np.ndarray:
        """The first place of each row where something is found."""
        return np.minimum.reduceat(np.where(found, self.at, otherwise), self.starts)

    def gaps(self) -> np.ndarray:
        """The first coordinate of each row that nothing is stored at: its length where there is none."""
        places = self.places()
        return np.minimum(np.minimum.reduceat(np.where(self.at != places, places, self.length), self.starts), self.counts)


def rows_of(a: Array, axis: int | None) -> Rows:
    """The rows along a mode, or one of everything."""
    facts = a._tensor.facts
    if axis is not None and a.ndim == 2 and (facts.rows is not None or facts.listed) and not is_long(a.shape, a.nnz):
        # What is stored by rows of the mode, or counted into them, is in order.
        a = a.asformat("csr" if axis == 1 else "csc")
    x = listed(a)
    coords, values = x.coords, x.values
    if axis is None:
        if a.size > np.iinfo(np.int64).max:
            raise refuse("E0603", f"an array of {a.size} coordinates has no positions of 64 bits", "name an axis")
        at = np.zeros(len(values), np.int64)
        for c, size in zip(coords, a.shape):
            at = at * size + c
        kept: list[np.ndarray] = []
        length = a.size
    else:
        at = coords[axis].astype(np.int64)
        kept = [c for n, c in enumerate(coords) if n != axis]
        length = a.shape[axis]
    if not _in_order([*kept, at]):
        order = np.lexsort((at, *reversed(kept)))
        at, values, kept = at[order], values[order], [c[order] for c in kept]
    new = np.zeros(len(values), bool)
    new[:1] = True
    for c in kept:
        new[1:] |= c[1:] != c[:-1]
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(values)))
    return Rows([c[starts] for c in kept], starts, counts, at, values, length)


def _in_order(keys: list[np.ndarray]) -> bool:
    """Whether elements are in order of these keys, the first one first."""
    behind = np.zeros(max(len(keys[0]) - 1, 0), bool)
    alike = ~behind
    for key in keys:
        behind |= alike & (key[1:] < key[:-1])
        alike &= key[1:] == key[:-1]
    return not behind.any()


def over_rows(a: Array, rows: Rows, found: np.ndarray, elsewhere, axis: int | None, keepdims: bool = False):
    """An array of a value for every row: a number where there is one row, and NumPy's shape."""
    dtype = found.dtype
    if axis is None:
        only = found[0] if len(found) else dtype.type(elsewhere)
        return wrap_dense(np.full((1,) * a.ndim, only)) if keepdims and a.ndim else only
    shape, coords = [n for k, n in enumerate(a.shape) if k != axis], list(rows.coords)
    if keepdims:
        shape.insert(axis, 1)
        coords.insert(axis, np.zeros(len(found), np.int64))
    if not shape:
        return found[0] if len(found) else dtype.type(elsewhere)
    size = int(np.prod(shape, dtype=object))
    if is_small(size, len(found)):
        out = np.full(shape, elsewhere, dtype)
        out[tuple(coords)] = found
        return wrap_dense(out)
    return from_coo(coords, found, tuple(shape), fill_value=dtype.type(elsewhere))


def wrap_dense(x):
    """A NumPy array as one of ours; numbers stay as they are."""
    x = np.asarray(x)
    return x[()] if x.ndim == 0 else asarray(np.ascontiguousarray(x))


def normal(axis, a: Array) -> int | None:
    """The mode that ``axis`` means; nothing for all, also where there is one or none."""
    if axis is None:
        return None
    return np.lib.array_utils.normalize_axis_index(axis, a.ndim)


def _same(x, y) -> np.ndarray:
    return (x == y) | ((x != x) & (y != y))


def _extreme(x, axis, keepdims: bool, name: str):
    """``numpy.argmax`` and ``argmin``."""
    a = asarray(x)
    axis = normal(axis, a)
    length = a.size if axis is None else a.shape[axis]
    if length == 0:
        raise refuse("E0202", f"{name} over no values has no result")
    if a._tensor.dense:
        return wrap_dense(getattr(np, name)(a.todense(), axis=axis, keepdims=keepdims))
    if axis is None and a.ndim == 2 and not a._tensor.full and is_small(a.shape[0], a.nnz):
        a = a.asformat("csr")
    if axis is None and (found := _extreme_of_all(a, name)) is not None:
        return wrap_dense(np.full((1,) * a.ndim, found)) if keepdims else np.intp(found)
    better = np.maximum if name.endswith("max") else np.minimum
    rows, fill = rows_of(a, axis), a.fill_value
    if not len(rows.starts):
        return over_rows(a, rows, np.zeros(0, np.intp), 0, axis, keepdims)
    with np.errstate(all="ignore"):
        best = better.reduceat(rows.values, rows.starts)
        gap = rows.counts < rows.length
        total = np.where(gap, better(best, fill), best)
    stored = rows.least(_same(rows.values, rows.repeated(total)), rows.length)
    left_out = np.where(gap & _same(total, fill), rows.gaps(), rows.length)
    return over_rows(a, rows, np.minimum(stored, left_out).astype(np.intp), 0, axis, keepdims)


def _extreme_of_all(a: Array, name: str) -> int | None:
    """Where the extreme of all values is, if it is beyond the fill value: what is stored row by row is not moved then."""
    t = a._tensor
    values = np.asarray(t.values()) if t.facts.rows == 0 else np.zeros(0)
    if not len(values):
        return None
    first = int(getattr(values, name)())
    best, fill = values[first], a.fill_value
    beyond = best != best or (best > fill if name.endswith("max") else best < fill)
    if fill != fill or not beyond:
        return None
    pos, crd = (np.asarray(m) for m in t.arrays()[1])
    row = int(np.searchsorted(pos, first, side="right")) - 1
    return row * a.shape[1] + int(crd[first])


def argmax(x, axis: int | None = None, *, keepdims: bool = False):
    """Where the largest value is: over all coordinates in order, or along a mode. ``numpy.argmax``.

    Values that are not stored take part. Of several places it is the first; a NaN counts as the largest value.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0, 0.0], [-3.0, 0.0, 0.0]], format="csr")
    >>> int(ow.argmax(a)), ow.argmax(a, axis=1).todense().tolist()
    (1, [1, 1])
    """
    return _extreme(x, axis, keepdims, "argmax")


def argmin(x, axis: int | None = None, *, keepdims: bool = False):
    """Where the least value is: over all coordinates in order, or along a mode. ``numpy.argmin``.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0, 0.0], [-3.0, 0.0, 0.0]], format="csr")
    >>> int(ow.argmin(a)), ow.argmin(a, axis=0).todense().tolist()
    (3, [1, 1, 0])
    """
    return _extreme(x, axis, keepdims, "argmin")


def cumsum(x, axis: int | None = None, dtype=None) -> Array:
    """The sum of all values up to each coordinate along a mode, or over all of them as one row. ``numpy.cumsum``.

    Where the fill value adds nothing, the result has runs of equal values along the mode (the format ``rle``), as many as are
    stored and the gaps between; else every coordinate has a value of its own, and the result is dense.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0, 2, 0, 1], [3, 0, 0, 0]], format="csr")
    >>> ow.cumsum(a, axis=1)
    <openwork.Array: shape=(2, 4), dtype=int64, format=rle, nnz=7: (0,1) 2, (0,2) 2, (0,3) 3, …>
    >>> ow.cumsum(a).todense().tolist()
    [0, 2, 2, 3, 6, 6, 6, 6]
    """
    return _running(np.add, x, axis, dtype)


def cumprod(x, axis: int | None = None, dtype=None) -> Array:
    """The product of all values up to each coordinate along a mode, or over all of them as one row. ``numpy.cumprod``.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[2, 3, 0, 1], [0, 5, 5, 5]], format="csr")
    >>> ow.cumprod(a, axis=1).todense().tolist()
    [[2, 6, 0, 0], [0, 0, 0, 0]]
    """
    return _running(np.multiply, x, axis, dtype)


def _running(op, x, axis, dtype) -> Array:
    a = asarray(x)
    kept = a._wide() if dtype is None else dtype_of(dtype)
    axis = normal(axis, a)
    fill = a.fill_value.astype(kept)
    # Met once, it changes nothing any more.
    steady = fill != fill or fill == 0 or (op is np.multiply and fill == 1)
    if a._tensor.dense or a.size == 0 or not steady:
        return asarray(np.ascontiguousarray(op.accumulate(_flat(a, axis), axis=axis or 0, dtype=kept)))
    rows = rows_of(a, axis)
    ends, values, owners = _events(rows, kept, fill)
    with np.errstate(all="ignore"):
        _accumulate(op, values, np.flatnonzero(np.diff(owners, prepend=-1)))
    shape = (a.size,) if axis is None else (*(n for k, n in enumerate(a.shape) if k != axis), a.shape[axis])
    above = int(np.prod(shape[:-1], dtype=object))
    place = np.zeros(len(rows.starts), np.int64)
    for c, size in zip(rows.coords, shape):
        place = place * size + c
    ask("runs for every row", above, np.int64, np.int64, np.int64, kept)
    # A row without elements is one run of what the fill value comes to.
    runs = np.ones(above, np.int64)
    runs[place] = np.bincount(owners, minlength=len(place))
    pos = np.concatenate([[0], np.cumsum(runs)])
    all_ends = np.full(pos[-1], rows.length, np.int64)
    all_values = np.full(pos[-1], op.accumulate(np.array([fill, fill]))[0])
    inside = np.repeat(pos[place], runs[place]) + np.arange(len(ends)) - np.repeat(np.cumsum(runs[place]) - runs[place], runs[place])
    all_ends[inside], all_values[inside] = ends, values
    levels: list[list[np.ndarray]] = [[] for _ in shape[:-1]]
    made = _core.from_parts(shape, f"{_runs(len(shape))} ; pos = i64 ; crd = i64", 0, [*levels, [pos, all_ends]], all_values)
    if axis is None or axis == a.ndim - 1:
        return wrap(made)
    order = (*(n for n in range(a.ndim) if n != axis), axis)
    return wrap(made).transpose(tuple(np.argsort(order).tolist()))


def _runs(rank: int) -> str:
    names = ",".join(f"i{n}" for n in range(rank))
    return f"({names}) -> ({names}) : {', '.join(['dense'] * (rank - 1) + ['runs'])}"


def _flat(a: Array, axis: int | None) -> np.ndarray:
    dense = a.todense()
    return dense.reshape(-1) if axis is None else dense


def _events(rows: Rows, dtype: np.dtype, fill) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The elements of every row and the gaps between them, in order: where each ends, its value, and the number of its row."""
    owner = rows.repeated(np.arange(len(rows.starts)))
    before = np.zeros(len(rows.at), np.int64)
    before[1:] = rows.at[:-1] + 1
    before[rows.starts] = 0
    last = rows.at[rows.starts + rows.counts - 1] + 1
    behind, ahead = last < rows.length, before < rows.at
    # Every element stands behind those before it, the gaps up to it, and the gaps at the ends of rows before its own.
    places = np.arange(len(rows.at)) + np.cumsum(ahead) + (np.cumsum(behind) - behind)[owner]
    tails = places[rows.starts + rows.counts - 1][behind] + 1
    size = len(rows.at) + int(ahead.sum()) + len(tails)
    ends, owners, values = np.empty(size, np.int64), np.empty(size, np.int64), np.full(size, fill, dtype)
    ends[places], owners[places], values[places] = rows.at + 1, owner, rows.values.astype(dtype)
    gaps = places[ahead] - 1
    ends[gaps], owners[gaps] = rows.at[ahead], owner[ahead]
    ends[tails], owners[tails] = rows.length, np.flatnonzero(behind)
    return ends, values, owners


def _accumulate(op, values: np.ndarray, starts: np.ndarray) -> None:
    """Every value becomes what it and those before it in its row come to, in NumPy's order."""
    counts = np.diff(np.append(starts, len(values)))
    if len(starts) <= counts.max(initial=0):
        for start, count in zip(starts.tolist(), counts.tolist()):
            values[start : start + count] = op.accumulate(values[start : start + count])
        return
    # The rows side by side, one element after the other; longer rows come first.
    order = np.argsort(-counts, kind="stable")
    starts, counts = starts[order], counts[order]
    left = len(starts)
    for n in range(1, counts.max(initial=0)):
        left = int(np.searchsorted(-counts[:left], -n, side="left"))
        at = starts[:left] + n
        values[at] = op(values[at - 1], values[at])


def sort(x, axis: int | None = -1) -> Array:
    """The values along a mode in ascending order, or all of them as one row. ``numpy.sort``.

    What is not stored stays so: it lies between the smaller and the larger values. NaN comes last.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0, 0.0, -1.0], [3.0, 0.0, 1.0, 0.0]], format="csr")
    >>> ow.sort(a).todense()
    array([[-1.,  0.,  0.,  2.],
           [ 0.,  0.,  1.,  3.]])
    """
    a = asarray(x)
    axis = normal(axis, a)
    if a.ndim == 0:
        raise refuse("E0202", "an array without modes has no rows")
    if a.dtype.kind == "c":
        raise refuse("E0208", f"values of dtype {a.dtype} have no order", "abs(a) has the sizes of complex values")
    if a._tensor.dense:
        return asarray(np.ascontiguousarray(np.sort(_flat(a, axis), axis=-1 if axis is None else axis)))
    rows, fill = rows_of(a, axis), a.fill_value
    values = np.asarray(_core.ascending(np.ascontiguousarray(rows.values), rows.starts.astype(np.int64)))
    places = rows.places()
    # NumPy's order has NaN behind all others.
    below = (values < fill) | ((fill != fill) & (values == values))
    at = np.where(below, places, rows.length - rows.repeated(rows.counts) + places)
    coords = [rows.repeated(c) for c in rows.coords]
    coords.insert(0 if axis is None else axis, at)
    shape = (a.size,) if axis is None else a.shape
    return from_coo(coords, values, shape, format=_sorted_format(a, axis), fill_value=fill)


def _sorted_format(a: Array, axis: int | None) -> str | None:
    """Formats that store coordinates one by one stay as they are; others might not be able to hold sorted rows."""
    facts = a._tensor.facts
    return a.format if axis is not None and facts.elements and facts.anywhere else None
