"""Elements elsewhere: turned around, shifted, taken more than once; ``flip``, ``roll``, ``rot90``, ``repeat``, ``tile``, ``take``."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

import numpy as np

from . import _array
from ._joined import array_of
from ._listed import Listed, format_of, is_long, is_sparse, listed
from ._memory import ask, ask_elements
from ._numpy import implements_sparse
from ._reshaped import atleast, reshaped
from ._statements import check_size

if TYPE_CHECKING:
    from ._array import Array

# Modes that are longer, for each element, are not listed.
_LONG = 4
_normal = np.lib.array_utils.normalize_axis_tuple


def _turned(x: Listed, modes) -> Listed:
    """The elements counted from the other end."""
    return x.at([n - 1 - c if k in modes else c for k, (c, n) in enumerate(zip(x.coords, x.shape))], x.shape)


@implements_sparse(np.flip)
def _flip(m: Array, axis=None):
    modes = tuple(range(m.ndim)) if axis is None else _normal(axis, m.ndim)
    # Rows and columns of these are picked in any order.
    if m._tensor.facts.rows is not None:
        return m[tuple(slice(None, None, -1 if n in modes else None) for n in range(2))]
    return _turned(listed(m), modes).array(format_of(m))


@implements_sparse(np.flipud)
def _flipud(m: Array):
    return _flip(m, 0)


@implements_sparse(np.fliplr)
def _fliplr(m: Array):
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return _flip(m, 1)


@implements_sparse(np.rot90)
def _rot90(m: Array, k=1, axes=(0, 1)):
    first, second = (np.lib.array_utils.normalize_axis_index(n, m.ndim) for n in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    x = _turned(listed(m), {0: (), 1: (second,), 2: (first, second), 3: (first,)}[k % 4])
    order = list(range(m.ndim))
    if k % 2:
        order[first], order[second] = second, first
    return x.at([x.coords[n] for n in order], tuple(m.shape[n] for n in order)).array(format_of(m))


@implements_sparse(np.roll)
def _roll(a: Array, shift, axis=None):
    if axis is not None and np.ndim(axis) == 0 and np.ndim(shift) == 0 and a._tensor.facts.rows is not None:
        (mode,) = _normal(axis, 2)
        if a.shape[mode] <= _LONG * (a.nnz + 1):
            return _taken(a, np.roll(np.arange(a.shape[mode]), index(shift)), mode)
    return _shifted(a, shift, axis)


def _shifted(a: Array, shift, axis):
    x = listed(a)
    if axis is None:
        x, axis = reshaped(x, (a.size,)), 0
    axes = _normal(axis, len(x.shape), allow_duplicate=True)
    coords = [*x.coords]
    for s, n in np.broadcast(shift, axes):
        # Nothing is shifted where there is nothing.
        size = max(x.shape[n], 1)
        ahead = size - index(s) % size
        # As differences, for a sum may be of more than 64 bits.
        at = coords[n].astype(np.int64) - ahead
        coords[n] = np.where(at < 0, at + size, at)
    return reshaped(x.at(coords, x.shape), a.shape).array(format_of(a))


def _taken(a: Array, places: np.ndarray, mode: int) -> Array:
    """The array with these coordinates of a mode, where some come more than once."""
    return a[(slice(None),) * mode + (places,)]


@implements_sparse(np.take)
def _take(a: Array, indices, axis=None, out=None, mode="raise"):
    from ._ufuncs import into

    if axis is None:
        a, axis = a.ravel(), 0
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    places = np.asarray(indices)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if mode != "raise":
        places = places % a.shape[axis] if mode == "wrap" else np.clip(places, 0, a.shape[axis] - 1)
    return into(out, a[(slice(None),) * axis + (places if places.ndim else int(places),)])


@implements_sparse(np.repeat)
def _repeat(a: Array, repeats, axis=None):
    if axis is None:
        a, axis = a.ravel(), 0
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    if np.size(repeats) == 1 and _is_long(a, axis):
        times = index(np.asarray(repeats).item())
        return _copies(a, axis, times, lambda at, copies: at * times + copies)
    ask("the coordinates that are repeated", _length(a, axis, repeats), np.int64)
    return _taken(a, np.repeat(np.arange(a.shape[axis]), repeats), axis)


def _length(a: Array, axis: int, repeats) -> int:
    """How long a mode becomes that is repeated."""
    times = np.asarray(repeats)
    return a.shape[axis] * int(times.item()) if times.size == 1 else int(times.sum(dtype=np.int64))


def _is_long(a: Array, mode: int) -> bool:
    """Whether a list of a mode's coordinates would be far longer than what is stored."""
    return is_long((a.shape[mode],), a.nnz)


def _copies(a: Array, mode: int, times: int, place) -> Array:
    """The array with its elements several times along a mode: each copy has a place beside the others."""
    if times < 0:
        raise ValueError("repeats may not contain negative values.")
    size = a.shape[mode] * times
    check_size(size, f"axis {mode} of the result")
    x = listed(a)
    ask_elements(len(x.values) * times, a.ndim, a.dtype)
    coords = [np.repeat(c, times) for c in x.coords]
    coords[mode] = place(x.coords[mode].astype(np.int64)[:, None], np.arange(times)).reshape(-1)
    shape = (*a.shape[:mode], size, *a.shape[mode + 1 :])
    return Listed(coords, np.repeat(x.values, times), shape, x.fill).array(format_of(a))


@implements_sparse(np.tile)
def _tile(A: Array, reps):
    times = [index(n) for n in reps] if np.iterable(reps) else [index(reps)]
    rank = max(A.ndim, len(times))
    a = A if A.ndim == rank else atleast(listed(A), rank).array()
    for mode, (n, size) in enumerate(zip((1,) * (rank - len(times)) + tuple(times), a.shape)):
        if n != 1 and _is_long(a, mode):
            a = _copies(a, mode, n, lambda at, copies, size=size: at + copies * size)
        elif n != 1:
            ask("the coordinates that are repeated", size * n, np.int64)
            a = _taken(a, np.tile(np.arange(size), n), mode)
    return a


def _reaches(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether one shape becomes another by repeating modes of size 1. NumPy knows no shapes of more coordinates than memory has."""
    behind = new[len(new) - len(old) :]
    return len(old) <= len(new) and all(n in (1, m) for n, m in zip(old, behind))


@implements_sparse(np.broadcast_to)
def _broadcast_to(array: Array, shape, subok=False):
    shape = tuple(index(n) for n in shape) if np.iterable(shape) else (index(shape),)
    if not _reaches(array.shape, shape):
        raise ValueError(f"an array of shape {array.shape} cannot be broadcast to shape {shape}")
    return _tile(array, [n if size == 1 else 1 for n, size in zip(shape, (1,) * (len(shape) - array.ndim) + array.shape)])


def _at_least(rank: int, behind: int = 0):
    def one(x):
        a = array_of(x)
        if a.ndim >= rank:
            return a
        return atleast(listed(a), rank, behind=behind).array() if is_sparse(a) else _array.asarray(a.todense()[(None,) * (rank - a.ndim)])

    return lambda *arrays: one(arrays[0]) if len(arrays) == 1 else tuple(map(one, arrays))


implements_sparse(np.atleast_1d)(_at_least(1))
implements_sparse(np.atleast_2d)(_at_least(2))
