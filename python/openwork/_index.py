"""Indices: NumPy's on dense arrays; numbers, slices, lists and bools on sparse ones."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core
from ._errors import IterationError, refuse
from ._listed import is_long
from ._memory import ask
from ._picked import is_mask, masked, paired
from ._thresholds import threshold

if TYPE_CHECKING:
    from ._array import Array


class Indexed:
    """``a[i]``, ``a[i:j]``, ``a[:, k]``, ``a[i, k]``, ``a[[i, j]]``, ``a[rows, columns]``, ``a[mask]``, and iteration over dense arrays."""

    __slots__ = ()

    def __getitem__(self: Any, key) -> Any:
        """A value, a row, a column or any other slice; an array of its own, as arrays do not change.

        Of a sparse array, numbers and slices of any step are taken, ``None`` for a new mode, and for a mode a list: coordinates in any order and
        more than once, or a bool for every coordinate, which several modes may share. Lists for several modes are pairs, as in NumPy, and
        ``a[numpy.ix_(rows, columns)]`` takes some rows and some columns. The values at pairs for all modes are a dense array;
        so are those where a mask is true, unless they are far more than what is stored. A row of a matrix in compressed
        rows takes as long as the row is long, and so do several of them; slices across the way in which an array is stored
        look at what is stored.

        Examples
        --------
        >>> import openwork as ow
        >>> a = ow.asarray([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]], format="csr")
        >>> float(a[1, -1]), a[1].todense(), a[:, 1].todense()
        (4.0, array([3., 0., 4.]), array([2., 0.]))
        >>> a[:, ::2].todense()
        array([[0., 0.],
               [3., 4.]])
        >>> a[[1, 0, 1]].nnz, a[:, [False, True, True]].todense().tolist()
        (5, [[2.0, 0.0], [0.0, 4.0]])
        >>> a[[0, 1, 1], [1, 1, 2]].todense(), a[a > 2].todense()
        (array([2., 0., 4.]), array([3., 4.]))
        """
        if self._tensor.dense:
            found = self.todense()[_ours_as_numpy(key)]
            return _array.asarray(found, fill_value=self.fill_value) if isinstance(found, np.ndarray) else found
        key = _with_lists(key)
        if is_mask(key):
            return masked(self, key)
        new = _new_modes(key, self.ndim)
        if new is not None:
            return np.expand_dims(self[new[0]], new[1])
        lists = _lists(key, self.ndim)
        if lists is not None:
            mode, at, key = lists
            found = taken(self, mode, coordinates_of(at, mode, self.shape[mode]))
            return found if key is None else found[key]
        pairs = paired(self, key)
        if pairs is not None:
            return pairs
        kept = _kept(key, self.shape)
        if all(n is None for _, _, n in kept):
            return self.dtype.type(_core.value_at(self._tensor, [at for at, _, _ in kept]))
        if all((at, step, n) == (0, 1, size) for (at, step, n), size in zip(kept, self.shape)):
            return _array.wrap(self._tensor.share())
        if self.ndim == 2 and _by_rows(self, kept):
            return self.asformat("csr")[key].asformat(_format(self, kept))
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


_NUMBERS = (int, np.integer)
# Parts of fewer bytes are found one by one, whatever part of the array that is.
_SMALL = threshold(1 << 16)


def taken(a: Array, mode: int, at: np.ndarray) -> Array:
    """The coordinates of a mode that a list names, in its order."""
    wanted = kept_format(a)
    # The list, its order, and where each of its coordinates begins.
    ask("a list of coordinates", at.size, *[np.int64] * 5)
    if a.ndim != 2 or a._tensor.nbytes < _SMALL or is_long(a.shape, a.nnz):
        return _array.wrap(_core.taken(a._tensor, mode, at, wanted))
    # Rows are picked from rows, whatever else they are stored as, and columns from columns or rows.
    facts = a._tensor.facts
    through = "csr" if facts.in_order or not facts.elements else "csc"
    return _array.wrap(_core.taken(a.asformat(through)._tensor, mode, at, through)).asformat(wanted)


def _by_rows(a: Array, kept) -> bool:
    """Whether a slice of a matrix keeps so much of it that compressed rows are made of it and cut."""
    counts = [n for _, _, n in kept]
    if is_long(a.shape[:1], a.nnz):
        # Rows that store nothing would be most of them.
        return False
    facts = a._tensor.facts
    # Elements in another order are found one by one and put together as coordinates faster than they are made of rows.
    if None in counts or facts.rows is not None or facts.scattered:
        return False
    part = a._tensor.nbytes * float(np.prod([n / max(size, 1) for n, size in zip(counts, a.shape)]))
    return part > _SMALL and 16 * part > a._tensor.nbytes


def _not_iterated():
    """Refuses with the first item. NumPy, which tries to iterate over whatever has an index, would turn the refusal of an
    iterator into one of its own."""
    message = "a sparse array is not iterated over"
    raise refuse("E0103", message, "a[i] is a row, to_coo() has what is stored, todense() everything", IterationError)
    yield


def _ours_as_numpy(key):
    """Arrays of ours and of SciPy's among indices, as NumPy's."""
    if isinstance(key, tuple):
        return tuple(map(_ours_as_numpy, key))
    if _array.is_scipy(key):
        return key.toarray()
    return key.todense() if hasattr(key, "_tensor") else key


def _new_modes(key, rank: int) -> tuple[tuple, tuple[int, ...]] | None:
    """Of a key that makes new modes the key without them, and their places in what that takes."""
    keys = key if isinstance(key, tuple) else (key,)
    old = tuple(k for k in keys if k is not None)
    if len(old) == len(keys):
        return None
    if not all(k is Ellipsis or isinstance(k, slice) or _is_number(k) for k in old):
        raise refuse("E0103", "a sparse array has no new modes (None) beside lists", "a[rows][:, None] has them afterwards")
    places, at = [], 0
    dots = rank - sum(k is not Ellipsis for k in old)
    for k in keys:
        if k is None:
            places.append(at)
        at += dots if k is Ellipsis else int(k is None or isinstance(k, slice))
    return old, tuple(places)


def _with_lists(key):
    """A key whose sequences are lists, which a tuple is only among other items, and whose masks of SciPy's are ours."""
    if isinstance(key, tuple):
        return tuple(list(k) if isinstance(k, tuple) else _with_lists(k) for k in key)
    if isinstance(key, range):
        return list(key)
    return _array.asarray(key) if _array.is_scipy(key) else key


def _is_number(key) -> bool:
    return hasattr(key, "__index__") and np.ndim(key) == 0 and not isinstance(key, (bool, np.bool_))


def _lists(key, rank: int):
    """Of a key with a list among its items the mode of that, the list, and the key of the other modes, if there is one."""
    keys = key if isinstance(key, tuple) else (key,)
    found = [n for n, k in enumerate(keys) if isinstance(k, (list, np.ndarray)) and np.ndim(k)]
    others = [k for n, k in enumerate(keys) if n not in found]
    # Beside a number, NumPy puts the mode of the list first where another one lies between them.
    alone = all(k is Ellipsis or isinstance(k, slice) or (rank < 3 and isinstance(k, _NUMBERS)) for k in others)
    if len(found) != 1 or not alone or np.ndim(keys[found[0]]) > 1:
        return None
    (at,) = found
    dots = next((n for n, k in enumerate(keys) if k is Ellipsis), len(keys))
    mode = at if at < dots else rank - (len(keys) - at)
    if not 0 <= mode < rank or sum(k is not Ellipsis for k in keys) > rank:
        raise IndexError(f"too many indices: the array has {rank} modes, but {len(keys)} are indexed")
    rest = tuple(slice(None) if n == at else k for n, k in enumerate(keys))
    plain = all(k is Ellipsis or isinstance(k, slice) and k == slice(None) for k in rest)
    return mode, np.asarray(keys[at]), None if plain else rest


def coordinates_of(at: np.ndarray, mode: int, size: int) -> np.ndarray:
    """Coordinates from a list of them, counted from the end where they are negative, or from a bool for each."""
    if at.dtype == bool:
        if len(at) != size:
            raise IndexError(f"{len(at)} bools do not index mode {mode} with size {size}")
        return np.flatnonzero(at).astype(np.int64)
    if at.dtype.kind not in "iu" and at.size:
        raise IndexError(f"a list of coordinates has integers or bools, and not {at.dtype}")
    # Twice over, and bools for what is out of bounds.
    ask("a list of coordinates", at.size, np.int64, np.int64, bool, bool, bool)
    found = at.astype(np.int64)
    outside = (found < -size) | (found >= size)
    if outside.any():
        raise IndexError(f"index {found[outside][0]} is out of bounds for mode {mode} with size {size}")
    return np.where(found < 0, found + size, found)


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
        raise _no_index(key) from None
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for mode {mode} with size {size}")
    return at % size, 1, None


def _no_index(key):
    return refuse(
        "E0103",
        f"a sparse array is indexed with numbers, slices, lists and bools, not with {_said(key)}",
        "todense() takes every index of NumPy",
    )


def _said(key) -> str:
    """What an index is, in a message."""
    if key is None:
        return "None"
    if isinstance(key, (bool, np.bool_)):
        return "a single bool: a mask has one for every coordinate"
    return f"{'an' if type(key).__name__[0] in 'aeiouA' else 'a'} {type(key).__name__}"


def _format(a: Array, kept) -> str:
    """The format of a slice: that of the array where the same modes are left."""
    rank = sum(n is not None for _, _, n in kept)
    return kept_format(a) if rank == a.ndim else _PLAIN.get(rank, "csf")


def kept_format(a: Array) -> str:
    """The format of the array, where that holds any part of it."""
    return a.format if a._tensor.facts.parts else _PLAIN.get(a.ndim, "csf")


_PLAIN = {1: "sv", 2: "csr"}

