"""Reductions along modes of arrays with so many rows that most of them store nothing: the result stores what rows that store something come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _folds
from ._errors import refuse
from ._listed import HUGE, is_long, listed, numbered, same
from ._memory import product

if TYPE_CHECKING:
    from ._array import Array

_UFUNCS: dict[str, Any] = {"max": np.maximum, "min": np.minimum, "prod": np.multiply, "all": np.logical_and, "any": np.logical_or}


class Groups:
    """The elements of every row that stores something, one row after the other."""

    def __init__(self, a: Array, gone: tuple[int, ...]):
        x = listed(a)
        left = [n for n in range(a.ndim) if n not in gone]
        (number,) = numbered(tuple(a.shape[n] for n in left), [x.coords[n] for n in left])
        order = np.argsort(number, kind="stable")
        number = number[order]
        new = np.ones(len(number), bool)
        new[1:] = number[1:] != number[:-1]
        self.array, self.gone = a, gone
        self.values, self.starts = x.values[order], np.flatnonzero(new)
        self.counts = np.diff(np.append(self.starts, len(number)))
        self.coords = [x.coords[n][order][self.starts] for n in left]
        self.length = product(a.shape[n] for n in gone)
        # More than 64 bits count may be left out of a row.
        self.gaps = (self.length - self.counts.astype(object)).astype(np.float64) if self.length >= 2**63 else self.length - self.counts

    def result(self, found: np.ndarray, elsewhere, keepdims: bool) -> Array:
        """An array of a value for every row."""
        a, coords = self.array, list(self.coords)
        shape = [1 if n in self.gone else size for n, size in enumerate(a.shape) if keepdims or n not in self.gone]
        if keepdims:
            for n in self.gone:
                coords.insert(n, np.zeros(len(found), np.int64))
        kept = ~same(found, found.dtype.type(elsewhere))
        made = _array.from_coo([c[kept] for c in coords], found[kept], tuple(shape), fill_value=found.dtype.type(elsewhere))
        # Of fewer rows the result is dense, as that of a sum is.
        return made if product(shape) >= HUGE else made.asformat("dense")


def are_many(a: Array, gone: tuple[int, ...]) -> bool:
    """Whether a reduction has so many rows that most of them store nothing."""
    left = product(size for n, size in enumerate(a.shape) if n not in gone)
    return not a._tensor.full and 0 < len(gone) < a.ndim and 0 not in a.shape and is_long((left,), a.nnz)


def reduced(a: Array, op: str, gone: tuple[int, ...], keepdims: bool, dtype: np.dtype) -> Array:
    """A reduction by name of an array with many rows."""
    groups, ufunc = Groups(a, gone), _UFUNCS[op]
    fill, values = a.fill_value.astype(dtype), groups.values.astype(dtype)
    # A row of nothing but the fill value.
    rest = fill
    if op == "prod" and fill != 0 and fill != 1:
        if groups.length >= 2**63:
            raise refuse("E0603", f"the fill value {fill} is not multiplied {groups.length} times", "its rows are longer than 64 bits count")
        rest = _folds.repeated(ufunc, fill, np.array([groups.length]))[0]
    found = np.zeros(0, dtype)
    with np.errstate(all="ignore"):
        if len(groups.starts):
            found = ufunc.reduceat(values, groups.starts).astype(dtype)
            left_out = _folds.repeated(ufunc, fill, groups.gaps) if rest is not fill else fill
            found = np.where(groups.gaps > 0, ufunc(found, left_out), found).astype(dtype)
    return groups.result(found, rest, keepdims)


def variance(a: Array, gone: tuple[int, ...], ddof, keepdims: bool) -> Array:
    """The variance along modes of an array of floats with many rows."""
    groups, fill = Groups(a, gone), a.fill_value
    real = fill.real.dtype
    scale = max(float(groups.length) - ddof, 0.0)
    with np.errstate(all="ignore"):
        # A row of nothing but the fill value, as NumPy computes it.
        elsewhere = np.abs(fill - fill) ** 2 * groups.length / np.float64(scale)
        found = np.zeros(0)
        if len(groups.starts):
            total = np.add.reduceat(groups.values, groups.starts) + np.where(groups.gaps > 0, groups.gaps * fill, 0)
            mean = total / groups.length
            apart = np.abs(groups.values - np.repeat(mean, groups.counts)) ** 2
            others = np.where(groups.gaps > 0, groups.gaps * np.abs(fill - mean) ** 2, 0)
            found = (np.add.reduceat(apart, groups.starts) + others) / scale
    return groups.result(np.asarray(found, real), real.type(elsewhere), keepdims)
