"""Counts of what is not zero, and reductions that leave NaN out, by NumPy's rules: it stands for what changes nothing, and is not counted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _along, _array
from ._convert import asarray
from ._errors import refuse
from ._moments import variance
from ._statements import dtype_of
from ._ufuncs import choose
from ._values import assigned, blocks, by_value
from ._wholes import nonzero


def count_nonzero(x, axis=None, *, keepdims: bool = False):
    """How many values are not zero, along some modes or in all; NaN is not zero. ``numpy.count_nonzero``.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0], [3.0, 1.0]], format="csr")
    >>> ow.count_nonzero(a), ow.count_nonzero(a, axis=1).todense().tolist()
    (np.int64(3), [1, 2])
    """
    a = asarray(x)
    if axis is None and not keepdims and (count := nonzero(a)) is not None:
        # A number of NumPy's, as what other reductions give, unless it has no room.
        return np.int64(count) if count < 2**63 else count
    return (a != 0).sum(axis, keepdims=keepdims)


def _has_modes(x: Any) -> bool:
    """Whether a result is an array, and not one value."""
    return np.ndim(x) > 0


def _without(a, value):
    """The array with another value where it has NaN."""
    return by_value(a, assigned(lambda x: np.where(np.isnan(x), x.dtype.type(value), x)))


def _has_nan(a) -> bool:
    if a.dtype.kind not in "fc":
        return False
    stored = np.asarray(a._tensor.values())
    return any(np.isnan(stored[b]).any() for b in blocks(stored)) or (not a._tensor.dense and bool(np.isnan(a.fill_value)))


def _there(a, axis, keepdims: bool):
    """How many values along some modes are not NaN, as a float: they may be more than 64 bits count."""
    return by_value(a, assigned(lambda x: ~np.isnan(x))).sum(axis, np.float64, keepdims=keepdims)


def _none_there(count) -> bool:
    return bool((count == 0).any())


def nansum(x, axis=None, dtype=None, *, keepdims: bool = False):
    """The sum of all values that are not NaN. ``numpy.nansum``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> a = ow.asarray([[np.nan, 0.0], [2.0, 3.0]], format="csr")
    >>> ow.nansum(a, axis=0).todense()
    array([2., 3.])
    """
    a = asarray(x)
    return (_without(a, 0) if _has_nan(a) else a).sum(axis, dtype, keepdims=keepdims)


def nanprod(x, axis=None, dtype=None, *, keepdims: bool = False):
    """The product of all values that are not NaN. ``numpy.nanprod``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> ow.nanprod(ow.asarray([[np.nan, 3.0], [2.0, 1.0]], format="csr"), axis=1).todense()
    array([3., 2.])
    """
    a = asarray(x)
    return (_without(a, 1) if _has_nan(a) else a).prod(axis, dtype, keepdims=keepdims)


def nanmin(x, axis=None, *, keepdims: bool = False):
    """The least value that is not NaN; NaN, with a warning, where there is none. ``numpy.nanmin``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> float(ow.nanmin(ow.asarray([np.nan, 2.0, 3.0], format="sv")))
    2.0
    """
    return _extreme(x, axis, keepdims, "min", np.inf)


def nanmax(x, axis=None, *, keepdims: bool = False):
    """The largest value that is not NaN; NaN, with a warning, where there is none. ``numpy.nanmax``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> float(ow.nanmax(ow.asarray([np.nan, -2.0, -3.0], format="sv", fill_value=np.nan)))
    -2.0
    """
    return _extreme(x, axis, keepdims, "max", -np.inf)


def _extreme(x, axis, keepdims, name, nothing):
    a = asarray(x)
    if not _has_nan(a):
        return getattr(a, name)(axis, keepdims=keepdims)
    if a.dtype.kind == "c":
        raise refuse("E0208", f"values of dtype {a.dtype} have no order", "abs(a) has the sizes of complex values")
    found = getattr(_without(a, nothing), name)(axis, keepdims=keepdims)
    count = _there(a, axis, keepdims)
    if not _none_there(count):
        return found
    warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
    nan = a.dtype.type(np.nan)
    return choose(count == 0, nan, found) if _has_modes(found) else nan


def nanmean(x, axis=None, dtype=None, *, keepdims: bool = False):
    """The mean of all values that are not NaN; NaN, with a warning, where there is none. ``numpy.nanmean``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> a = ow.asarray([[np.nan, 0.0], [2.0, 3.0]], format="csr")
    >>> ow.nanmean(a, axis=0).todense()
    array([2. , 1.5])
    """
    a = asarray(x)
    kept = a.dtype if dtype is None else dtype_of(dtype)
    if kept.kind not in "fc" or not _has_nan(a):
        return a.mean(axis, dtype, keepdims=keepdims)
    count = _there(a, axis, keepdims)
    if _none_there(count):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    total = _without(a, 0).sum(axis, dtype=kept, keepdims=keepdims)
    with np.errstate(all="ignore"):
        return _array.asarray(_dense(total) / _dense(count).astype(kept)) if _has_modes(total) else total / kept.type(count)


def _dense(x) -> np.ndarray:
    return x.todense() if isinstance(x, _array.Array) else np.asarray(x)


def nanvar(x, axis=None, dtype=None, ddof=0, *, keepdims: bool = False):
    """The variance of all values that are not NaN; NaN, with a warning, where there are too few. ``numpy.nanvar``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> float(ow.nanvar(ow.asarray([np.nan, 1.0, 3.0], format="sv")))
    1.0
    """
    a = asarray(x)
    # Where all values are too few, there is NaN as well, which a variance has no word for.
    if not _has_nan(a) and _array._count(a.shape, _array._axes(axis, a.ndim)) > ddof:
        return variance(a, axis, dtype, ddof, keepdims)
    if (np.asarray(_dense(_there(a, axis, keepdims))) <= ddof).any():
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
    return variance(a, axis, dtype, ddof, keepdims, skip=True)


def nanstd(x, axis=None, dtype=None, ddof=0, *, keepdims: bool = False):
    """The standard deviation of all values that are not NaN. ``numpy.nanstd``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> float(ow.nanstd(ow.asarray([np.nan, 1.0, 5.0], format="sv")))
    2.0
    """
    return np.sqrt(nanvar(x, axis, dtype, ddof, keepdims=keepdims))


def nanargmin(x, axis: int | None = None, *, keepdims: bool = False):
    """Where the least value is that is not NaN. ``numpy.nanargmin``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> int(ow.nanargmin(ow.asarray([np.nan, 0.0, -3.0], format="sv")))
    2
    """
    return _place(x, axis, keepdims, _along.argmin, np.inf)


def nanargmax(x, axis: int | None = None, *, keepdims: bool = False):
    """Where the largest value is that is not NaN. ``numpy.nanargmax``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> int(ow.nanargmax(ow.asarray([np.nan, 0.0, -3.0], format="sv")))
    1
    """
    return _place(x, axis, keepdims, _along.argmax, -np.inf)


def _place(x, axis, keepdims, of, nothing):
    a = asarray(x)
    if not _has_nan(a):
        return of(a, axis, keepdims=keepdims)
    if _none_there(_there(a, axis, False)):
        raise refuse("E0202", "there are nothing but NaN in a row", "numpy.isnan(a).all(axis) tells which")
    return of(_without(a, nothing), axis, keepdims=keepdims)


def nancumsum(x, axis: int | None = None, dtype=None):
    """Running sums in which NaN counts as 0. ``numpy.nancumsum``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> ow.nancumsum(ow.asarray([np.nan, 2.0, 0.0], format="sv")).todense()
    array([0., 2., 2.])
    """
    a = asarray(x)
    return _along.cumsum(_without(a, 0) if _has_nan(a) else a, axis, dtype)


def nancumprod(x, axis: int | None = None, dtype=None):
    """Running products in which NaN counts as 1. ``numpy.nancumprod``.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> ow.nancumprod(ow.asarray([np.nan, 2.0, 3.0], format="sv")).todense()
    array([1., 2., 6.])
    """
    a = asarray(x)
    return _along.cumprod(_without(a, 1) if _has_nan(a) else a, axis, dtype)
