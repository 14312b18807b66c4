"""Norms of vectors and matrices: sums and extremes of absolute values, which make no array of squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _array
from ._core import access, call, reduce
from ._errors import FormatError, refuse
from ._statements import NAMES, run, statement

if TYPE_CHECKING:
    from ._array import Array

_OTHERS = "scipy.sparse.linalg has functions for sparse matrices: give them to_scipy()"


def norm(x, ord=None, axis=None, keepdims: bool = False):
    """The norm of vectors or matrices along one mode or two, or of all values. ``numpy.linalg.norm``.

    Singular values are not computed: ``ord`` of a matrix is none of 2, -2 and ``"nuc"``.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[3.0, 0.0], [4.0, 1.0]], format="csr")
    >>> ow.norm(a, axis=0).todense().tolist(), float(ow.norm(a, 1)), ow.norm(a, 1, axis=1).todense().tolist()
    ([5.0, 1.0], 7.0, [3.0, 5.0])
    """
    x = _array.asarray(x)
    # Integers are floats before anything is computed: their absolute values may be no integers of their width.
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    if axis is None:
        axes = tuple(range(x.ndim))
        if ord is None:
            return _root(x, axes, keepdims)
        if x.ndim not in (1, 2):
            raise refuse("E0202", f"a norm of order {ord} is one of vectors or matrices", "name one axis or two")
    else:
        axes = np.lib.array_utils.normalize_axis_tuple(axis, x.ndim)
        if len(axes) not in (1, 2):
            raise refuse("E0202", f"{len(axes)} axes are those of no vectors and no matrices", "name one axis or two")
    return of_vectors(x, ord, axes, keepdims) if len(axes) == 1 else of_matrices(x, ord, axes, keepdims)


def normalize(x, axis: int | tuple[int, ...] | None = 1, norm: float | Literal["sum", "max"] = 2) -> Array:
    """The array with every row divided by its norm, in the same format, and with the same elements stored.

    Rows whose norm is 0 stay as they are, so nothing is stored where nothing was: ``A / A.sum(axis=1)[:, None]`` has NaN in
    all of a row that is empty.

    Parameters
    ----------
    x : array_like or sparse
        Anything that :func:`openwork.asarray` takes, whose values that are not stored are 0.
    axis : int or tuple of int, optional
        The modes that are added up or compared, as in NumPy's reductions: 1 for the rows of a matrix, 0 for its columns,
        several for parts of arrays of more modes, ``None`` for everything.
    norm : "sum", "max" or number, optional
        What is divided by: the sum, the largest value (0 among them, where it is not stored), or a norm of that order, as
        :func:`openwork.norm` has it: 1 of absolute values, 2 of squares, ``inf`` for the largest absolute value.

    Returns
    -------
    Array
        Of floats, as quotients are; in the format of ``x``, but for symmetric ones, which rows of other norms are not.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[3.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]], format="csr")
    >>> ow.normalize(a, axis=1, norm="sum")
    <openwork.Array: shape=(3, 3), dtype=float64, format=csr, nnz=3: (0,0) 0.75, (0,2) 0.25, (2,1) 1>
    >>> ow.normalize(a, axis=0, norm="max").todense().tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    a = _array.asarray(x)
    if a.fill_value != 0 and not a._tensor.full:
        raise refuse("E0103", f"rows with the fill value {a.fill_value} are not normalized by what they store", "it takes arrays whose fill value is 0")
    axes = tuple(range(a.ndim)) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, a.ndim)
    a = a if a.dtype.kind in "fc" else a.astype(np.float64)
    if a.size == 0 or not axes:
        return a
    size = _array.by_value(_array.asarray(_sizes(a, axes, norm)), _array.assigned(lambda s: np.where(s == 0, s.dtype.type(1), s)))
    indices = [f"i{n}" for n in range(a.ndim)]
    by = access("size", [i for n, i in enumerate(indices) if n not in axes])
    value = access("operand", indices)
    # A choice, as a mask would leave out explicit zeros.
    built = access("result", indices).assign(call("where", call("structure", value), value / by, 0))
    # Where the result is stored like the array by itself, its coordinates are as wide.
    format = None if a._tensor.lends and not a._tensor.dense else a.format
    try:
        return _array.wrap(run(statement(built, ("operand", "size"), format, str(a.dtype)), a._tensor, size._tensor))
    except FormatError:
        # Rows of different norms are symmetric no more.
        return _array.wrap(run(statement(built, ("operand", "size"), None, str(a.dtype)), a._tensor, size._tensor))


def _sizes(a: Array, axes: tuple[int, ...], norm) -> Any:
    """What :func:`normalize` divides by."""
    if norm == "sum":
        return a.sum(axes)
    if norm == "max" and a.dtype.kind != "c":
        return a.max(axes)
    if norm == "max":
        raise refuse("E0208", f"values of dtype {a.dtype} have no order", "norm=numpy.inf has their absolute values")
    if isinstance(norm, (int, float, np.integer, np.floating)) and not isinstance(norm, bool) and norm > 0:
        return of_vectors(a, norm, axes, False)
    raise refuse("E0211", f"rows are not normalized by {norm!r}", 'there are "sum", "max", and norms of orders above 0, such as 1, 2 and numpy.inf')


def of_vectors(x, ord, axes: tuple[int, ...], keepdims: bool):
    """Norms of what some modes hold, as one vector."""
    if ord is None or ord == 2:
        return _root(x, axes, keepdims)
    if isinstance(ord, str):
        raise refuse("E0211", f"vectors have no norm of order `{ord}`", "orders of vectors are numbers")
    real = x.real.dtype.type
    if ord == 0:
        count = (x != 0).sum(axes, keepdims=keepdims)
        return count.astype(real) if np.ndim(count) else real(count)
    size = abs(x)
    if ord == np.inf:
        # Of no values it is 0, as in NumPy.
        empty = 0 in (x.shape[n] for n in axes)
        return size.sum(axes, keepdims=keepdims) if empty else size.max(axes, keepdims=keepdims)
    if ord == -np.inf:
        return size.min(axes, keepdims=keepdims)
    if ord == 1:
        return size.sum(axes, keepdims=keepdims)
    with np.errstate(all="ignore"):
        sums = (size ** real(ord)).sum(axes, keepdims=keepdims)
        return sums ** real(1 / ord)


def of_matrices(x, ord, axes: tuple[int, ...], keepdims: bool):
    """Norms of what two modes hold, as matrices."""
    if ord is None or ord == "fro":
        return _root(x, axes, keepdims)
    if ord not in (1, -1, np.inf, -np.inf):
        raise refuse("E0103", f"numpy.linalg.norm of order {ord} does not take sparse arrays", _OTHERS)
    added, compared = axes if abs(ord) == 1 else reversed(axes)
    sums = abs(x).sum(added, keepdims=True)
    if ord > 0:
        # Of no rows or columns it is 0, as in NumPy.
        empty = sums.shape[compared] == 0
        found = sums.sum(compared, keepdims=True) if empty else sums.max(compared, keepdims=True)
    else:
        found = sums.min(compared, keepdims=True)
    return found if keepdims else found.sum(axes, dtype=found.dtype)


def _root(x, axes: tuple[int, ...], keepdims: bool):
    return np.sqrt(_squares(x, axes, keepdims))


def _squares(x, axes: tuple[int, ...], keepdims: bool):
    """The sums of squares over some modes: one kernel, which makes no array of squares."""
    size = abs(x) if x.dtype.kind == "c" else x
    dtype = np.result_type(size.dtype, np.float32)
    indices = [f"i{n}" for n in range(x.ndim)]
    left = [f"k{n}" if n in axes else i for n, i in enumerate(indices) if keepdims or n not in axes]
    dims = tuple((f"k{n}", 1) for n in axes) if keepdims else ()
    value = call(NAMES[dtype], access("operand", indices))
    built = access("result", left).assign(reduce("sum", [indices[n] for n in axes], value * value))
    done = run(statement(built, ("operand",), None, str(dtype), dims), size._tensor)
    return _array.wrap(done) if left else dtype.type(done.item())
