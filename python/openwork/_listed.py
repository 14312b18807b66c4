"""What an array stores as coordinates and values, and arrays of such: what moves elements about computes on these lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core
from ._errors import refuse
from ._memory import ask, ask_elements, product
from ._thresholds import threshold

if TYPE_CHECKING:
    from ._array import Array

# Coordinates of a mode of which from_coo takes a position for each for too many.
HUGE = 2**27


# Modes that are longer, for each element, are not listed.
_LONG = 4
# Those of fewer coordinates always may be.
_MANY = threshold(1 << 20)
# Results in one mode of no more elements than this, or than what is stored times some, are dense.
_SMALL = 1 << 16
_STORED = 16


def is_small(count: int, stored: int) -> bool:
    """Whether a result of so many elements is dense, where so many of them are stored."""
    return count <= max(_SMALL, _STORED * stored)


def is_long(sizes: tuple[int, ...], count: int) -> bool:
    """Whether a position for every coordinate of a mode would be far more than there are elements."""
    return max(sizes, default=0) > max(_MANY, _LONG * (count + 1))


@dataclass
class Listed:
    """Elements, in any order and at most once at each coordinate; everything else has the fill value."""

    coords: list[np.ndarray]
    values: np.ndarray
    shape: tuple[int, ...]
    fill: Any

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return int(np.prod(self.shape, dtype=object))

    def at(self, coords: list[np.ndarray], shape: tuple[int, ...]) -> Listed:
        """The same values elsewhere."""
        return Listed(coords, self.values, shape, self.fill)

    def only(self, kept: np.ndarray) -> Listed:
        """Some of the elements: a bool for each."""
        return Listed([c[kept] for c in self.coords], self.values[kept], self.shape, self.fill)

    def array(self, format: str | None = None) -> Array:
        """The array, in the format of :func:`openwork.from_coo` unless there is another one."""
        facts = None if format is None else _core.facts(format, len(self.shape))
        rows = None if facts is None else facts.rows
        if facts is None or (rows is not None and self.shape[rows] >= HUGE):
            format = None
        # Rows and lists are made of elements at once; rows on the way have positions, of which there would be more than elements.
        made_at_once = format is None or rows is not None or (facts is not None and facts.listed)
        first = format if made_at_once or is_long(self.shape, len(self.values)) else None
        made = _array.from_coo(self.coords, self.values, self.shape, format=first, fill_value=self.fill)
        # Kernels make the others of rows, several times as fast as they are packed.
        return made if format == first else made.asformat(format)


def listed(a: Array, fill: Any = None) -> Listed:
    """What an array stores; of a dense one, what differs from the fill value."""
    t = a._tensor
    if t.dense:
        dense, fill = a.todense(), a.fill_value if fill is None else fill
        other = np.asarray(~same(dense, fill))
        ask_elements(int(np.count_nonzero(other)), a.ndim, a.dtype)
        coords = list(np.nonzero(other)) if a.ndim else []
        return Listed(coords, np.atleast_1d(dense[other]), a.shape, fill)
    mode = t.facts.rows
    if mode is not None:
        pos, crd = (np.asarray(m) for m in t.arrays()[1])
        # Positions may be as narrow as coordinates of the other mode are.
        pos = pos.astype(np.int64, copy=False)
        wide = index_dtype(a.shape[mode])
        ask("the rows of elements", len(crd), np.dtype(wide))
        outer = np.repeat(np.arange(len(pos) - 1, dtype=wide), pos[1:] - pos[:-1])
        crd = _wide(crd, a.shape[-1 - mode])
        return Listed([outer, crd] if mode == 0 else [crd, outer], np.asarray(t.values()), a.shape, a.fill_value)
    if a.ndim > 1 and not t.full and not t.facts.listed and not is_long(a.shape, a.nnz):
        # A kernel lists the elements of other formats; to_coo() goes from one to the next, which takes 50 times as long.
        a = a.asformat("coo")
        t = a._tensor
    if t.facts.listed:
        coords, values = [np.asarray(level[-1]) for level in t.arrays()], np.asarray(t.values())
    else:
        found, values = a.to_coo()
        coords = list(found)
    return Listed([_wide(c, n) for c, n in zip(coords, a.shape)], values, a.shape, a.fill_value)


def index_dtype(size: int) -> np.dtype:
    """The dtype that coordinates of a mode are computed in: signed, and with room for its size."""
    return np.dtype(np.int32 if size <= np.iinfo(np.int32).max else np.int64)


def _wide(coords: np.ndarray, size: int) -> np.ndarray:
    """Coordinates as they are where they can be computed with, and in 64 bits where an array stores them in fewer."""
    return coords if coords.dtype in (index_dtype(size), np.int64) else coords.astype(np.int64)


def format_of(a: Array, rank: int | None = None) -> str | None:
    """The format for elements of an array that are anywhere in another one: that of the array where it can be."""
    anywhere = a.ndim == (a.ndim if rank is None else rank) and a._tensor.facts.anywhere
    return a.format if anywhere else None


def same(x, y) -> Any:
    """Whether values are equal, NaN being equal to itself."""
    return (x == y) | ((x != x) & (y != y))


def flat(coords, shape: tuple[int, ...], count: int) -> np.ndarray:
    """The numbers of coordinates, which are counted row by row."""
    size = int(np.prod(shape, dtype=object))
    if size > np.iinfo(np.int64).max:
        raise refuse("E0603", f"{size} coordinates of the shape {shape} have no numbers of 64 bits")
    ask("the numbers of coordinates", count, np.int64)
    at = np.zeros(count, np.int64)
    for n, (c, length) in enumerate(zip(coords, shape)):
        at = at * length + c if n else c.astype(np.int64)
    return at


def numbered(shape: tuple[int, ...], *lists: list[np.ndarray]) -> list[np.ndarray]:
    """Numbers of the coordinates in several lists, in their order: the same number for the same coordinates. Of more coordinates
    than 64 bits count, those that are there are numbered."""
    counts = [len(coords[0]) for coords in lists]
    if product(shape) <= np.iinfo(np.int64).max:
        return [flat(coords, shape, n) for coords, n in zip(lists, counts)]
    ask("the numbers of coordinates", sum(counts), *[np.int64] * 4)
    at = np.zeros(sum(counts), np.int64)
    for together in zip(*lists):
        different, number = np.unique(np.concatenate([c.astype(np.int64) for c in together]), return_inverse=True)
        at = np.unique(at * len(different) + number, return_inverse=True)[1]
    return np.split(at, np.cumsum(counts)[:-1])


def unflat(at: np.ndarray, shape: tuple[int, ...]) -> list[np.ndarray]:
    """The coordinates with these numbers."""
    ask(f"coordinates of {len(shape)} modes", len(at), *[np.int64] * len(shape))
    coords: list[np.ndarray] = []
    for length in shape[:0:-1]:
        # Of no coordinates there are no numbers.
        at, c = np.divmod(at, max(length, 1))
        coords.append(c)
    return [at, *reversed(coords)] if shape else []


def is_sparse(x: Any) -> bool:
    """Whether something is an array of ours that NumPy does not read in place."""
    return type(x) is _array.Array and not x._tensor.dense
