"""Parts of arrays along a mode: ``split`` and its like, and ``delete``; each is a slice or a list of coordinates."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

import numpy as np

from ._errors import refuse
from ._numpy import as_numpy, implements_sparse

if TYPE_CHECKING:
    from ._array import Array


def _cut(a: Array, mode: int, part: slice) -> Array:
    return a[(slice(None),) * mode + (part,)]


@implements_sparse(np.array_split)
def _array_split(ary: Array, indices_or_sections, axis=0):
    mode = np.lib.array_utils.normalize_axis_index(axis, ary.ndim)
    size = ary.shape[mode]
    if np.iterable(indices_or_sections):
        inner = [index(n) for n in indices_or_sections]
    else:
        count = index(indices_or_sections)
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        # The first parts are longer by one, where they cannot all be as long.
        inner = [n * (size // count) + min(n, size % count) for n in range(1, count)]
    return [_cut(ary, mode, slice(*ends)) for ends in zip([0, *inner], [*inner, size])]


@implements_sparse(np.split)
def _split(ary: Array, indices_or_sections, axis=0):
    if not np.iterable(indices_or_sections) and ary.shape[axis] % index(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return _array_split(ary, indices_or_sections, axis)


def _along(name: str, least: int, mode: int):
    def called(ary: Array, indices_or_sections):
        if ary.ndim < least:
            raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
        return _split(ary, indices_or_sections, mode if ary.ndim > 1 else 0)

    return called


implements_sparse(np.hsplit)(_along("hsplit", 1, 1))
implements_sparse(np.vsplit)(_along("vsplit", 2, 0))
implements_sparse(np.dsplit)(_along("dsplit", 3, 2))


def _unstack(x: Array, /, *, axis=0):
    mode = np.lib.array_utils.normalize_axis_index(axis, x.ndim)
    if x.ndim == 1:
        raise refuse("E0103", "numpy.unstack of a sparse vector has its values one by one", "todense() is an array of them")
    return tuple(x[(slice(None),) * mode + (n,)] for n in range(x.shape[mode]))


# NumPy has it from 2.1 on.
if hasattr(np, "unstack"):
    implements_sparse(np.unstack)(_unstack)


@implements_sparse(np.delete)
def _delete(arr: Array, obj, axis=None):
    a, axis = (arr.ravel(), 0) if axis is None else (arr, axis)
    mode = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    # NumPy knows what is left of all coordinates.
    return a[(slice(None),) * mode + (np.delete(np.arange(a.shape[mode]), as_numpy(obj, np.delete)),)]
