"""What NumPy takes beside arrays of ours: asked for before it is taken, so that the memory limit counts it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from . import _core

# Fewer bytes are not asked for.
_SMALL = 1 << 20
_MOST = 2**64 - 1


def ask(what: str, count: int, *dtypes) -> None:
    """Refuses arrays of so many elements, one of each dtype, where they are more than the memory limit leaves."""
    size = int(count) * sum(np.dtype(d).itemsize for d in dtypes)
    if size > _SMALL:
        _core.allow(what, min(size, _MOST))


def ask_elements(count: int, rank: int, dtype) -> None:
    """Refuses so many elements as lists: a coordinate for each mode, and a value."""
    ask(f"a list of {count} elements with {rank} coordinates each", count, *[np.int64] * rank, dtype)


def product(sizes: Iterable[int]) -> int:
    """How many coordinates there are, whatever 64 bits hold."""
    return int(np.prod([int(n) for n in sizes], dtype=object))
