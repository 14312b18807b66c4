"""The modes of an array that an argument means, and how many coordinates they have."""

from __future__ import annotations

import operator
from math import prod

import numpy as np


def _count(shape: tuple[int, ...], modes: tuple[int, ...]) -> float:
    """The number of coordinates of some modes, which may be more than 64 bits have."""
    return prod(float(shape[n]) for n in modes)


def _axes(axis, ndim: int) -> tuple[int, ...]:
    """The modes that ``axis`` means, in order."""
    if axis is None:
        return tuple(range(ndim))
    if not np.iterable(axis):
        axis = operator.index(axis)
    return np.lib.array_utils.normalize_axis_tuple(axis, ndim)
