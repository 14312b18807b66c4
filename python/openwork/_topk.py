"""The few largest elements of every row."""

from __future__ import annotations

import operator

import numpy as np

from . import _core
from ._array import Array, wrap
from ._convert import asarray
from ._errors import refuse
from ._listed import is_long, listed


def topk(x, k: int, axis: int = -1, *, largest: bool = True) -> Array:
    """The array with nothing but the ``k`` largest stored elements of every row, each where it was.

    Only what is stored takes part, so a row that stores fewer elements keeps them all. Of equal values those with lower
    coordinates are kept; NaN is kept last. ``to_coo()`` of the result has the coordinates and values.

    Parameters
    ----------
    x : array_like or sparse
        Anything that :func:`openwork.asarray` takes, of any number of modes but none.
    k : int
        How many elements of a row are kept at most.
    axis : int, optional
        The mode along which elements are compared: the last one, so rows of a matrix; 0 is columns.
    largest : bool, optional
        Whether the largest are kept, or the smallest.

    Returns
    -------
    Array
        In the format of ``x`` where that is compressed along the axis (``csr`` for rows, ``csc`` for columns, ``csf``), else
        in that format; where most rows store nothing, without a position for each (``dcsr``, ``dcsc``).

    Examples
    --------
    >>> import openwork as ow
    >>> scores = ow.asarray([[0.0, 0.3, 0.9, 0.5], [0.7, 0.0, 0.0, 0.0]], format="csr")
    >>> ow.topk(scores, 2)
    <openwork.Array: shape=(2, 4), dtype=float64, format=csr, nnz=3: (0,2) 0.9, (0,3) 0.5, (1,0) 0.7>
    >>> ow.topk(scores, 1, axis=0).todense()
    array([[0. , 0.3, 0.9, 0.5],
           [0.7, 0. , 0. , 0. ]])
    """
    array = asarray(x)
    k = operator.index(k)
    if array.ndim == 0:
        raise refuse("E0202", "an array without modes has no rows")
    if array.dtype.kind == "c":
        raise refuse("E0208", f"values of dtype {array.dtype} have no order", "abs(a) has the sizes of complex values")
    if k < 0:
        raise refuse("E0202", f"{k} elements cannot be kept of a row")
    axis = np.lib.array_utils.normalize_axis_index(axis, array.ndim)
    facts = array._tensor.facts
    if array.ndim == 2 and facts.along != axis and is_long((array.shape[1 - axis],), array.nnz):
        return _of_many_rows(array, k, axis, largest)
    if array.ndim == 2 and not facts.elements:
        # A kernel makes rows of blocks and diagonals many times as fast as they are looked through.
        array = array.asformat("csr" if axis == 1 else "csc")
    if axis == array.ndim - 1:
        return wrap(_core.topk(array._tensor, k, largest))
    order = (*(n for n in range(array.ndim) if n != axis), axis)
    back = tuple(np.argsort(order).tolist())
    return wrap(_core.topk(array.transpose(order)._tensor, k, largest)).transpose(back)


def _of_many_rows(a: Array, k: int, axis: int, largest: bool) -> Array:
    """The largest elements of the rows of a matrix of which most store nothing, without a position for each."""
    x = listed(a)
    rows = x if axis == 1 else x.at(x.coords[::-1], a.shape[::-1])
    kept = wrap(_core.topk(rows.array("dcsr")._tensor, k, largest))
    return kept if axis == 1 else kept.T
