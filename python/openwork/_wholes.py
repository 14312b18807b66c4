"""What all values of an array come to: their sum, extremes, and which are not zero.

Where nothing but elements is stored, or what is not an element has the fill value, the values are looked at as they lie, by
NumPy, whatever their coordinates are; what is not stored takes part as one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._array import Array

def elements(a: Array) -> np.ndarray | None:
    """The values of the elements, where they are all that is stored."""
    return np.asarray(a._tensor.values()) if a._tensor.facts.elements else None


def _others(a: Array, values: np.ndarray) -> int:
    """How many coordinates have the fill value and are not stored."""
    return a.size - len(values)


def reduced(a: Array, op: str, dtype: np.dtype) -> Any:
    """A reduction of all values; nothing where a statement makes it."""
    values = elements(a) if op in _KNOWN else None
    return None if values is None else _KNOWN[op](a, values, dtype)


def _sum(a: Array, values: np.ndarray, dtype: np.dtype):
    fill = a.fill_value
    if (fill != 0 and _others(a, values)) or dtype.kind == "b" or not np.can_cast(values.dtype, dtype, "same_kind"):
        return None
    with np.errstate(all="ignore"):
        return values.sum(dtype=dtype)


def _extreme(name: str):
    better = np.maximum if name == "max" else np.minimum

    def found(a: Array, values: np.ndarray, dtype: np.dtype):
        if values.dtype.kind == "c" or not len(values):
            return None
        best = getattr(values, name)()
        best = better(best, a.fill_value) if _others(a, values) else best
        # What NaN comes to beside an infinity is a question of the arithmetic, which statements answer.
        return None if best != best else best

    return found


_KNOWN = {"sum": _sum, "max": _extreme("max"), "min": _extreme("min")}


def nonzero(a: Array) -> int | None:
    """How many values are not zero; nothing where a statement counts them."""
    values = elements(a)
    if values is None:
        return None
    return int(np.count_nonzero(values)) + (_others(a, values) if a.fill_value != 0 else 0)
