"""Parts of arrays along a mode: ``split`` and its like, and ``delete``; each is a slice or a list of coordinates."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

import numpy as np

from ._errors import refuse
from ._index import coordinates_of
from ._listed import format_of, is_long, listed
from ._memory import ask
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


def _without(a: Array, mode: int, obj) -> Array:
    """What is stored without some coordinates of a mode, of which there are too many to list the others."""
    size = a.shape[mode]
    if isinstance(obj, slice):
        count = len(range(*obj.indices(size)))
        ask("the coordinates that are left out", count, np.int64, np.int64)
        gone = np.arange(*obj.indices(size), dtype=np.int64)
    else:
        gone = coordinates_of(np.atleast_1d(np.asarray(obj)).reshape(-1), mode, size)
    gone = np.unique(gone)
    x = listed(a)
    at = x.coords[mode].astype(np.int64)
    before = np.searchsorted(gone, at)
    kept = ~(gone.take(before, mode="clip") == at) if len(gone) else np.ones(len(at), bool)
    coords = [*x.coords[:mode], at - before, *x.coords[mode + 1 :]]
    shape = (*a.shape[:mode], size - len(gone), *a.shape[mode + 1 :])
    return x.at(coords, shape).only(kept).array(format_of(a))


@implements_sparse(np.delete)
def _delete(arr: Array, obj, axis=None):
    a, axis = (arr.ravel(), 0) if axis is None else (arr, axis)
    mode = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    if is_long((a.shape[mode],), a.nnz):
        return _without(a, mode, as_numpy(obj, np.delete))
    # NumPy knows what is left of all coordinates.
    return a[(slice(None),) * mode + (np.delete(np.arange(a.shape[mode]), as_numpy(obj, np.delete)),)]
