"""Arrays side by side: ``concatenate``, ``stack`` and what NumPy makes of them.

Compressed rows on top of each other or side by side are copied row by row; everything else is what is stored, moved along one
mode.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core, _ufuncs
from ._errors import refuse
from ._index import kept_format
from ._listed import Listed, index_dtype, is_sparse, listed, same
from ._memory import ask_elements
from ._numpy import implements_sparse
from ._reshaped import atleast, expanded, reshaped
from ._statements import check_size

if TYPE_CHECKING:
    from ._array import Array


def array_of(x: Any) -> Array:
    """An array of ours from whatever NumPy's functions take."""
    found = _array.operand(x)
    return _array.asarray(x) if found is None else found


def _kept(arrays: list[Array], dtype, casting) -> np.dtype:
    """The dtype of the result."""
    if dtype is None:
        return np.result_type(*(a.dtype for a in arrays))
    kept = _array.dtype_of(dtype)
    for a in arrays:
        if not np.can_cast(a.dtype, kept, casting):
            raise TypeError(f"Cannot cast array data from {a.dtype!r} to {kept!r} according to the rule '{casting}'")
    return kept


def _fill(arrays: list[Array], dtype: np.dtype, name: str) -> Any:
    """The fill value that sparse arrays have in common; dense ones and those of no coordinates take any."""
    sparse = [a for a in arrays if is_sparse(a)]
    # Those of no coordinates come last.
    some = [a for a in sparse if a.size] or sparse[:1]
    fills = [np.asarray(a.fill_value).astype(dtype)[()] for a in some]
    other = next((f for f in fills if not same(f, fills[0])), None)
    if other is not None:
        raise refuse(
            "E0103",
            f"numpy.{name} of arrays with the fill values {fills[0]} and {other} has no fill value",
            "dense arrays go beside any: give todense() of those that have one of the two",
        )
    return fills[0]


def _joined(lists: list[Listed], axis: int, dtype: np.dtype, fill) -> Listed:
    """Elements one after the other along a mode."""
    first = lists[0].shape
    ask_elements(sum(len(x.values) for x in lists), len(first), dtype)
    if len({(len(x.shape), *x.shape[:axis], *x.shape[axis + 1 :]) for x in lists}) > 1:
        shapes = ", ".join(str(x.shape) for x in lists[:9])
        message = f"arrays of the shapes {shapes} cannot be joined along axis {axis}"
        raise refuse("E0203", message, "all sizes but the one of that axis are the same")
    *starts, size = accumulate((x.shape[axis] for x in lists), initial=0)
    check_size(size, f"axis {axis} of the result")
    shape = (*first[:axis], size, *first[axis + 1 :])
    coords = [np.concatenate([x.coords[n] for x in lists]) for n in range(len(shape)) if n != axis]
    index = index_dtype(shape[axis])
    moved, at = np.empty(sum(len(x.values) for x in lists), index), 0
    for x, start in zip(lists, starts):
        np.add(x.coords[axis], start, out=moved[at : at + len(x.values)], casting="unsafe", dtype=index)
        at += len(x.values)
    coords.insert(axis, moved)
    return Listed(coords, np.concatenate([x.values for x in lists], dtype=dtype, casting="unsafe"), shape, fill)


def _compressed(arrays: list[Array], format: str, axis: int, dtype: np.dtype, fill) -> Array | None:
    """Compressed rows, or columns, whose elements need no other order."""
    if any(a.ndim != 2 or a.shape[1 - axis] != arrays[0].shape[1 - axis] for a in arrays):
        return None
    tensors = []
    for a in arrays:
        if a.format != format:
            a = (_array.asarray(a.todense(), fill_value=fill) if a._tensor.dense else a).asformat(format)
        t = a._tensor
        cast = t.dtype != str(dtype) and np.asarray(t.values()).astype(dtype)
        tensors.append(t if cast is False else _core.with_values(t, cast, fill.item(), True))
    made = _core.joined(tensors, axis, fill.item())
    return None if made is None else _array.wrap(made)


def _by_rows(arrays: list[Array], axis: int) -> bool:
    """Whether lists of coordinates are compressed rows on the way: beside one another, and of no many more rows than elements."""
    lists = axis == 1 and all(a._tensor.facts.listed for a in arrays)
    return lists and arrays[0].shape[0] <= 4 * sum(a.nnz for a in arrays)


def _sequence(arrays: list[Array], format: str, dtype: np.dtype, fill) -> Array | None:
    """Lists of coordinates, which are in order: those that come first in the first mode stay first."""
    if any(a.format != format or a.shape[1:] != arrays[0].shape[1:] for a in arrays):
        return None
    joined = _joined([listed(a) for a in arrays], 0, dtype, fill)
    index = index_dtype(max(joined.shape))
    first, *others = [c.astype(index, copy=False) for c in joined.coords]
    levels = [[np.array([0, len(first)], np.int64), first], *([c] for c in others)]
    layout = f"{format} ; pos = i64 ; crd = {'i32' if index.itemsize == 4 else 'i64'}"
    return _array.wrap(_core.from_parts(joined.shape, layout, fill.item(), levels, joined.values))


def _join(arrays, axis, name: str, shaped=None, rank: int = 0, out=None, dtype=None, casting="same_kind"):
    """Arrays joined along a mode; those of fewer modes than ``rank`` are ``shaped`` before."""
    ours = [array_of(x) for x in arrays]
    kept = _kept(ours, dtype, casting)
    fill = _fill(ours, kept, name)
    like = next(a for a in ours if is_sparse(a))
    as_they_are = shaped is None or all(a.ndim >= rank for a in ours)
    if as_they_are and axis is not None:
        axis = np.lib.array_utils.normalize_axis_index(axis, like.ndim)
        found = None
        facts = like._tensor.facts
        # Rows, or columns, are stored one after the other, as lists in order are.
        compressed = facts.rows is not None
        if like.ndim == 2 and (compressed or _by_rows(ours, axis)):
            found = _compressed(ours, like.format if compressed else "csr", axis, kept, fill)
            found = found if found is None or compressed else found.asformat(like.format)
        elif facts.listed and axis == 0:
            found = _sequence(ours, like.format, kept, fill)
        if found is not None:
            return _ufuncs.into(out, found)
    ask_elements(sum(a.nnz for a in ours if is_sparse(a)), max(like.ndim, rank), kept)
    lists = [listed(a, fill) if shaped is None else shaped(listed(a, fill)) for a in ours]
    if axis is None:
        lists, axis = [reshaped(x, (x.size,)) for x in lists], 0
    modes = len(lists[0].shape)
    if modes == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    made = _joined(lists, np.lib.array_utils.normalize_axis_index(axis, modes), kept, fill)
    return _ufuncs.into(out, made.array(kept_format(like) if like.ndim == modes else None))


@implements_sparse(np.concatenate)
def _concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return _join(arrays, axis, "concatenate", out=out, dtype=dtype, casting=casting)


@implements_sparse(np.vstack)
def _vstack(tup, *, dtype=None, casting="same_kind"):
    return _join(tup, 0, "vstack", lambda x: atleast(x, 2), 2, dtype=dtype, casting=casting)


@implements_sparse(np.hstack)
def _hstack(tup, *, dtype=None, casting="same_kind"):
    axis = 0 if len(tup) and np.ndim(tup[0]) < 2 else 1
    return _join(tup, axis, "hstack", lambda x: atleast(x, 1), 1, dtype=dtype, casting=casting)


@implements_sparse(np.dstack)
def _dstack(tup):
    return _join(tup, 2, "dstack", lambda x: atleast(x, 3, behind=1), 3)


@implements_sparse(np.column_stack)
def _column_stack(tup):
    return _join(tup, 1, "column_stack", lambda x: atleast(x, 2, behind=1), 2)


@implements_sparse(np.stack)
def _stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    shapes = {np.shape(x) for x in arrays}
    if len(shapes) > 1:
        raise ValueError("all input arrays must have the same shape")
    rank = len(shapes.pop()) + 1
    axis = np.lib.array_utils.normalize_axis_index(axis, rank)
    return _join(arrays, axis, "stack", lambda x: expanded(x, axis), rank, out=out, dtype=dtype, casting=casting)


@implements_sparse(np.append)
def _append(arr, values, axis=None):
    return _join([arr, values], axis, "append")


@implements_sparse(np.block)
def _block(arrays):
    depth = _depth(arrays)
    rank = max(depth, _most_modes(arrays))
    return _blocks(arrays, rank - depth, rank)


def _depth(nested) -> int:
    """How many lists are in one another."""
    if not isinstance(nested, list):
        return 0
    depths = {_depth(x) for x in nested}
    if len(depths) != 1:
        raise ValueError("lists of numpy.block are as deep in one place as in the other, and none is empty")
    return depths.pop() + 1


def _most_modes(nested) -> int:
    return max(map(_most_modes, nested)) if isinstance(nested, list) else np.ndim(nested)


def _blocks(nested, axis: int, rank: int) -> Any:
    """The innermost lists go along the last mode, and those around them along the one before."""
    if not isinstance(nested, list):
        x = array_of(nested)
        if x.ndim >= rank:
            return x
        return atleast(listed(x), rank).array() if is_sparse(x) else x.todense()[(None,) * (rank - x.ndim)]
    parts = [_blocks(x, axis + 1, rank) for x in nested]
    if len(parts) == 1:
        return parts[0]
    return _join(parts, axis, "block") if any(map(is_sparse, parts)) else np.concatenate(parts, axis=axis)
