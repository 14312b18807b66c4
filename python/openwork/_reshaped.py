"""Other shapes of the same elements, in the same order: ``reshape``, ``ravel``, ``squeeze``, ``expand_dims``."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

import numpy as np

from ._errors import refuse
from ._listed import Listed, flat, format_of, listed, unflat
from ._numpy import implements_sparse

if TYPE_CHECKING:
    from ._array import Array


def reshaped(x: Listed, shape: tuple[int, ...], order: str | None = "C") -> Listed:
    """The elements in another shape of as many coordinates, which are counted row by row, or column by column."""
    if order not in ("C", "F", "A", "K", None):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if [n for n in x.shape if n != 1] == [n for n in shape if n != 1]:
        # Modes of size 1 come and go without counting.
        long = iter([c for c, n in zip(x.coords, x.shape) if n != 1])
        nowhere = np.zeros(len(x.values), np.int64)
        return x.at([nowhere if n == 1 else next(long) for n in shape], shape)
    step = -1 if order == "F" else 1
    at = flat(x.coords[::step], x.shape[::step], len(x.values))
    return x.at(unflat(at, shape[::step])[::step], shape)


def _shape(given, old: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The shape that is asked for, in which one size may be left open."""
    new = [index(n) for n in given] if np.iterable(given) else [index(given)]
    open_at = [k for k, n in enumerate(new) if n < 0]
    if len(open_at) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = int(np.prod([n for n in new if n >= 0], dtype=object))
    if open_at and known and size % known == 0:
        new[open_at[0]] = size // known
    elif open_at or known != size:
        raise refuse("E0203", f"cannot reshape an array of shape {old} into shape {tuple(new)}")
    return tuple(new)


def atleast(x: Listed, rank: int, *, behind: int = 0) -> Listed:
    """The elements with modes of size 1 before the others, or some of them behind, where there are too few."""
    lacking = max(rank - len(x.shape), 0)
    behind = min(behind, lacking)
    return reshaped(x, (1,) * (lacking - behind) + x.shape + (1,) * behind)


@implements_sparse(np.reshape)
def _reshape(a: Array, /, shape=None, order="C", *, newshape=None, copy=None):
    new = _shape(newshape if shape is None else shape, a.shape, a.size)
    if new == a.shape and order != "F":
        return a
    if copy is False:
        raise ValueError("a sparse array cannot have another shape without a copy (copy=False)")
    return reshaped(listed(a), new, order).array(format_of(a, len(new)))


@implements_sparse(np.ravel)
def _ravel(a: Array, order="C"):
    return _reshape(a, (a.size,), order)


@implements_sparse(np.squeeze)
def _squeeze(a: Array, axis=None):
    ones = [k for k, n in enumerate(a.shape) if n == 1]
    gone = ones if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, a.ndim)
    if not set(gone) <= set(ones):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return _reshape(a, tuple(n for k, n in enumerate(a.shape) if k not in gone))


def expanded(x: Listed, axis) -> Listed:
    """The elements with modes of size 1 at these places of the result."""
    axes = tuple(axis) if np.iterable(axis) else (axis,)
    places = np.lib.array_utils.normalize_axis_tuple(axes, len(x.shape) + len(axes))
    old = iter(x.shape)
    return reshaped(x, tuple(1 if k in places else next(old) for k in range(len(x.shape) + len(axes))))


@implements_sparse(np.expand_dims)
def _expand_dims(a: Array, axis):
    return expanded(listed(a), axis).array()
