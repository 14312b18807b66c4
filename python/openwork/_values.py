"""Functions of single values: new values beside the same index arrays, in memory that the limit counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _array, _core
from ._statements import NAMES, dtype_of, elementwise, run
from ._thresholds import threshold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._array import Array

# Values between two looks for Ctrl-C, and most of what NumPy holds beside an array of ours: so few stay in a cache.
_BLOCK = threshold(1 << 17, 4)


def blocks(values: np.ndarray) -> Iterator[slice]:
    """The parts of an array that are computed without a break; Python looks for signals between them."""
    return (slice(at, at + _BLOCK) for at in range(0, values.size, _BLOCK))


def assigned(function):
    """``function(x, out=None)`` of a function that has no ``out``."""

    def written(x, out=None):
        if out is None:
            return function(x)
        out[...] = function(x)

    return written


def by_value(a: Array, function) -> Array:
    """A function of single values, ``function(x, out=None)`` as ufuncs are, on those that are stored and on the fill value:
    what is stored stays where it is."""
    t = a._tensor
    # One value tells the dtype before there is memory for all.
    fill = function(np.zeros(1, a.dtype)[:0] if t.dense else np.full(1, a.fill_value, a.dtype))
    if fill.dtype == np.float16 and a.dtype.itemsize == 1:
        # Functions of floats take integers of 8 bits in half precision, which is none of the dtypes here.
        return by_value(a.astype(np.float32), function)
    dtype = dtype_of(fill.dtype)
    # No coordinate of a dense array has the fill value, so it is not made one that a function of 0 would have.
    fill = np.zeros(1, dtype) if t.dense else fill.astype(dtype)
    found = _with_values(t, function, dtype, fill[0].item())
    if dtype == bool and not t.dense:
        # As comparisons do, leave out what equals the fill value.
        return _array.wrap(run(_kept(a.ndim, a.format), found))
    return _array.wrap(found)


def copied(a: Array) -> Array:
    """The array with values of its own."""
    t = a._tensor
    return _array.wrap(_with_values(t, lambda x, out: np.copyto(out, x), a.dtype, t.fill))


def _with_values(t, function, dtype: np.dtype, fill):
    """A tensor with other values, which nobody else writes to."""
    given = np.asarray(t.values())
    made = np.asarray(_core.room(NAMES[dtype], given.size))
    for block in blocks(given):
        function(given[block], out=made[block])
    return _core.with_values(t, made, fill, fresh=True)


def _is_true(value):
    return value == True  # noqa: E712


def _kept(rank: int, format: str):
    indices = tuple(f"i{n}" for n in reversed(range(rank)))
    return elementwise(_is_true, (indices,), rank, format=format)
