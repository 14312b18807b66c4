"""Indices of several modes together, by NumPy's rules: bools for every coordinate, and lists of coordinates in pairs.

The modes that are indexed together are counted as one mode, and what is stored is looked up in the numbers that are asked for.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core
from ._memory import ask, ask_elements, product
from ._listed import Listed, format_of, is_small, is_sparse, listed, numbered, unflat
from ._statements import check_size

if TYPE_CHECKING:
    from ._array import Array


def is_mask(key: Any) -> bool:
    """Whether a key has a bool for every coordinate of several modes, or is an array of ours of bools."""
    ours = type(key) is _array.Array
    if not ours and not (isinstance(key, np.ndarray) and key.ndim > 1):
        return False
    return key.dtype == bool and key.ndim > 0


def masked(a: Array, mask: Any) -> Array:
    """The elements where a mask is true, one after the other as rows of its modes."""
    rank = mask.ndim
    if rank > a.ndim:
        raise IndexError(f"too many indices: the array has {a.ndim} modes, and the mask {rank}")
    for n, (got, size) in enumerate(zip(mask.shape, a.shape)):
        if got != size:
            raise IndexError(f"a mask of the shape {mask.shape} does not index mode {n} with size {size}")
    if rank == 2 and a._tensor.facts.rows is not None and is_sparse(mask) and mask.format == a.format and not mask.fill_value:
        return _where_true(a, mask)
    x = listed(a)
    coords, left_out = _places(mask)
    places, at = numbered(mask.shape, coords, x.coords[:rank])
    places = places if _increase(places) else np.sort(places)
    if left_out:
        # All are taken but these, so each comes that much earlier.
        before, hit = _found(places, at)
        made = Listed([at - before, *x.coords[rank:]], x.values, (), x.fill).only(~hit)
    elif rank == a.ndim and len(places) <= len(at) and _increase(at):
        stored, hit = _found(at, places)
        made = Listed([np.flatnonzero(hit)], x.values[stored[hit]], (), x.fill)
    else:
        nth, hit = _found(places, at)
        made = Listed([nth, *x.coords[rank:]], x.values, (), x.fill).only(hit)
    count = product(a.shape[:rank]) - len(places) if left_out else len(places)
    check_size(count, "the elements where a mask is true")
    made = made.at(made.coords, (count, *a.shape[rank:]))
    if rank == a.ndim > 1 and is_small(count, len(made.values)):
        return _dense(made)
    return made.array(format_of(a, len(made.shape)))


def _where_true(a: Array, mask: Array) -> Array:
    """The elements where a mask stores that it is true, of matrices that are both in compressed rows or both in columns."""
    x = listed(mask)
    x = x if x.values.all() else x.only(x.values)
    if mask._tensor.facts.rows == 1:
        # The elements are taken row by row.
        order = np.lexsort((x.coords[1], x.coords[0]))
        x = x.at([c[order] for c in x.coords], x.shape)
    return _array.asarray(_in_rows(a, x.coords), fill_value=a.fill_value)


def _increase(numbers: np.ndarray) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def _found(among: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many of those in order are below each number, and whether the next one is that number."""
    below = np.searchsorted(among, numbers)
    return below, among.take(below, mode="clip") == numbers if len(among) else np.zeros(len(numbers), bool)


def _places(mask: Any) -> tuple[list[np.ndarray], bool]:
    """The coordinates where a mask is true; or those where it is not, and that it is so."""
    if not is_sparse(mask):
        return list(np.nonzero(mask if isinstance(mask, np.ndarray) else mask.todense())), False
    x = listed(mask)
    x = x.only(x.values != x.fill)
    return x.coords, bool(x.fill)


def _dense(x: Listed) -> Array:
    values = np.full(x.shape, x.fill, x.values.dtype)
    values[tuple(x.coords)] = x.values
    return _array.asarray(values, fill_value=x.fill)


def paired(a: Array, key: Any) -> Array | None:
    """The elements at lists of coordinates for several modes together; nothing for a key of another kind."""
    spread = _spread(key if isinstance(key, tuple) else (key,), a)
    if spread is None:
        return None
    items, apart = spread
    lists = {n: np.asarray(k) for n, k in enumerate(items) if not isinstance(k, slice)}
    lists = {n: _array.coordinates_of(k.reshape(-1), n, a.shape[n]).reshape(k.shape) for n, k in lists.items()}
    modes = list(lists)
    mesh = _mesh(lists, a.ndim)
    if mesh is not None:
        for n, at in enumerate(mesh):
            a = a[(slice(None),) * n + (at,)]
        return a
    try:
        together = np.broadcast_arrays(*lists.values())
    except ValueError:
        shapes = " ".join(str(k.shape) for k in lists.values())
        raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}") from None
    shape = together[0].shape
    ask("the values at pairs of coordinates", product(shape), *[np.int64] * (1 + len(modes)), a.dtype)
    # A pair of coordinates is looked up in its row, or in its column.
    if a._tensor.facts.rows is not None and len(modes) == 2:
        return _array.asarray(_in_rows(a, [c.reshape(-1) for c in together]).reshape(shape), fill_value=a.fill_value)
    cut = a[tuple(k if isinstance(k, slice) else slice(None) for k in items)]
    x = listed(cut)
    sizes = tuple(a.shape[n] for n in modes)
    at, asked = numbered(sizes, [x.coords[n] for n in modes], [k.reshape(-1) for k in together])
    if len(modes) == a.ndim:
        return _array.asarray(_looked_up(at, x, asked).reshape(shape), fill_value=x.fill)
    # The modes come where the first of them was, or first of all where something lies between them.
    place = 0 if apart else modes[0]
    rest = [n for n in range(a.ndim) if n not in lists]
    order = np.argsort(asked, kind="stable")
    first, last = (np.searchsorted(asked[order], at, side=side) for side in ("left", "right"))
    times = last - first
    ask_elements(int(times.sum()), a.ndim + len(shape), a.dtype)
    taken = np.repeat(np.arange(len(at)), times)
    nth = np.arange(len(taken)) - np.repeat(np.cumsum(times) - times, times)
    where = unflat(order[np.repeat(first, times) + nth], shape)
    coords, left = [x.coords[n][taken] for n in rest], [cut.shape[n] for n in rest]
    coords[place:place], left[place:place] = where, shape
    return Listed(coords, x.values[taken], tuple(left), x.fill).array(format_of(a, len(left)))


def _spread(keys: tuple, a: Array) -> tuple[list[Any], bool] | None:
    """A key for each mode, where some are lists: bools as the coordinates where they are true; and whether NumPy puts the modes of
    the lists first, as something else than a list or a number lies between them, be it for no mode at all."""
    items = [_as_list(k) for k in keys]
    if not all(k is Ellipsis or isinstance(k, slice) or _is_array(k) or (hasattr(k, "__index__") and not _is_bool(k)) for k in items):
        return None
    if not any(_is_array(k) and k.ndim for k in items):
        return None
    dots = [n for n, k in enumerate(items) if k is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    together = [n for n, k in enumerate(items) if k is not Ellipsis and not isinstance(k, slice)]
    apart = together[-1] - together[0] >= len(together)
    indexed = sum(k.ndim if is_mask(k) else 1 for k in items if k is not Ellipsis)
    missing = a.ndim - indexed
    if missing < 0:
        raise IndexError(f"too many indices: the array has {a.ndim} modes, but {indexed} are indexed")
    at = dots[0] if dots else len(items)
    items[at : at + len(dots)] = [slice(None)] * missing
    found: list[Any] = []
    for k in items:
        if is_mask(k):
            _fits(k, len(found), a.shape)
            found.extend(_true(k))
        elif _is_array(k) and k.ndim:
            # Bools as the coordinates where they are true.
            found.append(_array.coordinates_of(k, len(found), a.shape[len(found)]) if k.dtype == bool else k)
        else:
            found.append(k if isinstance(k, slice) else operator.index(k))
    return found, apart


def _as_list(key: Any) -> Any:
    """An item of a key: sequences, and arrays of ours but sparse masks, as NumPy's arrays."""
    if _array.is_scipy(key):
        key = _array.asarray(key)
    if type(key) is _array.Array:
        return key.todense() if key._tensor.dense else key
    return np.asarray(key) if isinstance(key, (list, tuple, range)) else key


def _is_array(key: Any) -> bool:
    return isinstance(key, np.ndarray) or is_mask(key)


def _is_bool(key: Any) -> bool:
    return isinstance(key, (bool, np.bool_))


def _true(mask: Any) -> tuple[np.ndarray, ...]:
    """The coordinates of each mode where a mask is true."""
    if not is_sparse(mask) or mask.fill_value:
        return np.nonzero(mask if isinstance(mask, np.ndarray) else mask.todense())
    coords, _ = _places(mask)
    order = np.lexsort(coords[::-1])
    return tuple(c[order] for c in coords)


def _fits(mask: Any, mode: int, shape: tuple[int, ...]) -> None:
    """Bools for several modes beside other keys have the sizes of those modes."""
    sizes = shape[mode : mode + mask.ndim]
    if sizes != mask.shape:
        raise IndexError(f"a mask of the shape {mask.shape} does not index modes of the sizes {sizes}")


def _mesh(lists: dict[int, np.ndarray], rank: int) -> list[np.ndarray] | None:
    """The coordinates of each mode, where all of them meet all others: ``numpy.ix_``."""
    if len(lists) < max(rank, 2):
        return None
    most = max(k.ndim for k in lists.values())
    shapes = [(1,) * (most - k.ndim) + k.shape for k in lists.values()]
    alone = most == rank and all(size == 1 or m == n for n, shape in enumerate(shapes) for m, size in enumerate(shape))
    return [k.reshape(-1) for k in lists.values()] if alone else None


def _looked_up(at: np.ndarray, x: Listed, asked: np.ndarray) -> np.ndarray:
    """The values of the elements with these numbers, or the fill value where there is none."""
    found, values = np.full(len(asked), x.fill, x.values.dtype), x.values
    if not _increase(at):
        order = np.argsort(at)
        at, values = at[order], values[order]
    # Numbers in order are found several times faster.
    order = np.argsort(asked)
    asked = asked[order]
    places, hit = _found(at, asked)
    found[order[hit]] = values[places[hit]]
    return found


def _in_rows(a: Array, at: list[np.ndarray]) -> np.ndarray:
    """The values at these coordinates of compressed rows or columns."""
    return np.asarray(_core.looked_up(a._tensor, *(np.ascontiguousarray(c, np.int64) for c in at)))
