"""Indices and slices: NumPy's on dense arrays, numbers and slices on sparse ones."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core
from ._errors import IterationError, refuse

if TYPE_CHECKING:
    from ._array import Array

# Formats that hold a slice of what they hold, whatever it is.
_KEPT = {"csr", "csc", "dcsr", "dcsc", "coo", "coo_aos", "csf", "sv", "hash", "dok", "lil", "dia", "ell", "jad", "bitmap",
         "bytemap", "sell", "bcsr", "bcsc", "csb", "hicoo"}  # fmt: skip


class Indexed:
    """``a[i]``, ``a[i:j]``, ``a[:, k]``, ``a[i, k]``, and iteration over dense arrays."""

    __slots__ = ()

    def __getitem__(self: Any, key) -> Any:
        """A value, a row, a column or any other slice; an array of its own, as arrays do not change.

        Of a sparse array, numbers and slices of any step are taken. A row of a matrix in compressed rows takes as long as
        the row is long; slices across the way in which an array is stored look at what is stored.

        Examples
        --------
        >>> import openwork as ow
        >>> a = ow.asarray([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]], format="csr")
        >>> float(a[1, -1]), a[1].todense(), a[:, 1].todense()
        (4.0, array([3., 0., 4.]), array([2., 0.]))
        >>> a[:, ::2].todense()
        array([[0., 0.],
               [3., 4.]])
        """
        if self._tensor.dense:
            found = self.todense()[_ours_as_numpy(key)]
            return _array.asarray(found, fill_value=self.fill_value) if isinstance(found, np.ndarray) else found
        kept = _kept(key, self.shape)
        if all(n is None for _, _, n in kept):
            return self.dtype.type(_core.value_at(self._tensor, [at for at, _, _ in kept]))
        if all((at, step, n) == (0, 1, size) for (at, step, n), size in zip(kept, self.shape)):
            return self
        return _array.wrap(_core.select(self._tensor, kept, _format(self, kept)))

    def __setitem__(self, key, value):
        raise refuse(
            "E0103",
            "an array does not change, so nothing can be assigned to a part of it",
            "make another one: openwork.from_coo, openwork.evaluate, or change todense().copy()",
        )

    def __iter__(self: Any):
        if not self._tensor.dense:
            return _not_iterated()
        if self.ndim < 2:
            return iter(self.todense())
        return (self[i] for i in range(len(self)))


def _not_iterated():
    """Refuses with the first item. NumPy, which tries to iterate over whatever has an index, would turn the refusal of an
    iterator into one of its own."""
    message = "a sparse array is not iterated over"
    raise refuse("E0103", message, "a[i] is a row, to_coo() has what is stored, todense() everything", IterationError)
    yield


def _ours_as_numpy(key):
    """Arrays of ours among indices, as NumPy's."""
    if isinstance(key, tuple):
        return tuple(map(_ours_as_numpy, key))
    return key.todense() if hasattr(key, "_tensor") else key


def _kept(key, shape: tuple[int, ...]) -> list[tuple[int, int, int | None]]:
    """For each mode the first coordinate, the step and how many there are; no number where the mode goes away."""
    keys = list(key) if isinstance(key, tuple) else [key]
    dots = [n for n, k in enumerate(keys) if k is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = len(shape) - (len(keys) - len(dots))
    if missing < 0:
        modes = len(shape)
        raise IndexError(f"too many indices: the array has {modes} modes, but {modes - missing} are indexed")
    at = dots[0] if dots else len(keys)
    keys[at : at + 1] = [slice(None)] * missing
    return [_of_mode(k, n, size) for n, (k, size) in enumerate(zip(keys, shape))]


def _of_mode(key, mode: int, size: int) -> tuple[int, int, int | None]:
    if isinstance(key, slice):
        start, stop, step = key.indices(size)
        count = len(range(start, stop, step))
        # Nothing begins anywhere: Python puts it before the first coordinate where the step is negative.
        return (start, step, count) if count else (0, 1, 0)
    try:
        if isinstance(key, (bool, np.bool_)) or np.ndim(key):
            raise TypeError
        at = operator.index(key)
    except TypeError:
        raise refuse(
            "E0103",
            f"a sparse array is indexed with numbers and slices, not with {_said(key)}",
            "rows in another order are a product with a sparse matrix of ones; todense() takes every index of NumPy",
        ) from None
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for mode {mode} with size {size}")
    return at % size, 1, None


def _said(key) -> str:
    """What an index is, in a message."""
    if key is None:
        return "None"
    return f"{'an' if type(key).__name__[0] in 'aeiouA' else 'a'} {type(key).__name__}"


def _format(a: Array, kept) -> str:
    """The format of a slice: that of the array where the same modes are left."""
    rank = sum(n is not None for _, _, n in kept)
    format = a.format
    if rank == a.ndim and format.split("(")[0] in _KEPT:
        return format
    return {1: "sv", 2: "csr"}.get(rank, "csf")

