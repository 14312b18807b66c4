"""Norms of vectors and matrices: sums and extremes of absolute values, which make no array of squares."""

from __future__ import annotations

import numpy as np

from . import _array
from ._errors import refuse
from ._statements import NAMES, access, run, statement

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
    value = f"{NAMES[dtype]}({access('a', indices)})"
    over = ",".join(indices[n] for n in axes)
    squares = f"{value} * {value}"
    text = f"{access('y', left)} = {f'sum({over}, {squares})' if axes else squares}"
    done = run(statement(text, ("a",), None, str(dtype), dims), size._tensor)
    return _array.wrap(done) if left else dtype.type(done.item())
