"""What NumPy takes beside arrays of ours: asked for before it is taken, so that the memory limit counts it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from . import _core
from ._thresholds import threshold

# Fewer bytes are not asked for.
_SMALL = threshold(1 << 20)
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


def ask_for_numpy(name: str, method: str, arguments, options) -> None:
    """Refuses what a function of NumPy makes of dense arrays, where that is more than the memory limit leaves.

    Most functions make as much as they are given, broadcast; `outer`, `kron`, `repeat`, `tile` and `diag` make more. Others
    that do are not seen.
    """
    arrays = list(_arrays((*arguments, *options.values())))
    if not arrays:
        return
    sizes, shapes = [a.size for a in arrays], [a.shape for a in arrays]
    try:
        count = product(np.broadcast_shapes(*shapes))
    except ValueError:
        count = 0
    count = max(count, sum(sizes))
    if method == "outer" or name in ("outer", "kron"):
        count = product(sizes)
    elif name in ("repeat", "tile"):
        times = arguments[1] if len(arguments) > 1 else options.get("repeats", options.get("reps", 1))
        each = np.asarray(times, dtype=object).ravel()
        count = sizes[0] * product(each) if name == "tile" else sizes[0] // max(1, len(each)) * sum(each)
    elif name == "diagflat" or name == "diag" and arrays[0].ndim == 1:
        count = (sizes[0] + abs(arguments[1] if len(arguments) > 1 else options.get("k", 0))) ** 2
    elif method in ("reduce", "at") or name in _SMALLER:
        return
    # Words beside numbers, as in a file of several arrays, have no common dtype.
    ask(f"what numpy.{name} makes of {count} elements", count, max((a.dtype for a in arrays), key=lambda dtype: dtype.itemsize))


# What these make is smaller than what they are given, a view of it, or a file.
_SMALLER = {
    "sum", "prod", "min", "max", "amin", "amax", "mean", "std", "var", "median", "any", "all", "argmin", "argmax", "count_nonzero", "dot", "vdot",
    "trace", "shape", "ndim", "size", "reshape", "ravel", "transpose", "squeeze", "swapaxes", "moveaxis", "expand_dims", "broadcast_to",
    "array_equal", "diagonal", "flip", "split", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "may_share_memory",
    "shares_memory", "copyto", "iscomplexobj", "isrealobj", "result_type", "can_cast", "save", "savez", "savez_compressed", "savetxt",
}  # fmt: skip


def _arrays(arguments):
    for x in arguments:
        if isinstance(x, np.ndarray):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from _arrays(x)
