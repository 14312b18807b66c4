"""NumPy's names for what looks along modes, leaves NaN out, and measures: its parameters, in its order."""

from __future__ import annotations

import inspect

import numpy as np

from . import _along, _nans, _norms, _order, _ufuncs
from ._errors import refuse
from ._numpy import FUNCTIONS, implements, refused


@implements(np.ptp)
def _ptp(a, axis=None, out=None, keepdims=False):
    return _ufuncs.into(out, a.max(axis, keepdims=keepdims) - a.min(axis, keepdims=keepdims))


@implements(np.linalg.vector_norm)
def _vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    axes = range(x.ndim) if axis is None else axis
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    return _norms.of_vectors(x, ord, np.lib.array_utils.normalize_axis_tuple(axes, x.ndim), keepdims)


@implements(np.linalg.matrix_norm)
def _matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return _norms.norm(x, ord, (-2, -1), keepdims)


def _adapted(ours, *order: str, free: tuple[str, ...] = ()):
    """A function of ours with NumPy's parameters, which stand in this order behind the array; ``free`` ones change nothing."""
    known = inspect.signature(ours).parameters

    def called(a, *args, **options):
        given = {**dict(zip(order, args)), **options}
        out = given.pop("out", None)
        given = {n: v for n, v in given.items() if n == "axis" or (n not in free and v is not None and v is not np._NoValue)}
        refused(ours.__name__, {n: v for n, v in given.items() if n not in known})
        return _ufuncs.into(out, ours(a, **given))

    return called


for _name in ("argmax", "argmin"):
    FUNCTIONS[getattr(np, _name)] = _adapted(getattr(_along, _name), "axis", "out")
    FUNCTIONS[getattr(np, f"nan{_name}")] = _adapted(getattr(_nans, f"nan{_name}"), "axis", "out")
for _name in ("cumsum", "cumprod"):
    FUNCTIONS[getattr(np, _name)] = _adapted(getattr(_along, _name), "axis", "dtype", "out")
    FUNCTIONS[getattr(np, f"nan{_name}")] = _adapted(getattr(_nans, f"nan{_name}"), "axis", "dtype", "out")


def _quantiles(ours):
    def called(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, **options):
        refused(ours.__name__, options)
        return _ufuncs.into(out, ours(a, q, axis, method=method, keepdims=bool(keepdims) and keepdims is not np._NoValue))

    return called


FUNCTIONS[np.quantile], FUNCTIONS[np.percentile] = _quantiles(_order.quantile), _quantiles(_order.percentile)


def _cumulative(ours):
    """The function of the array API's name, which wants a mode of an array with several."""

    def called(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        if include_initial:
            raise refuse("E0103", f"numpy.{ours.__name__} has no `include_initial` for openwork arrays", "leave it out")
        if axis is None and x.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        return _ufuncs.into(out, ours(x, axis, dtype))

    return called


# NumPy has them from 2.1 on.
for _name, _ours in (("cumulative_sum", _along.cumsum), ("cumulative_prod", _along.cumprod)):
    if hasattr(np, _name):
        FUNCTIONS[getattr(np, _name)] = _cumulative(_ours)
for _name in ("nansum", "nanprod", "nanmean"):
    FUNCTIONS[getattr(np, _name)] = _adapted(getattr(_nans, _name), "axis", "dtype", "out", "keepdims")
for _name in ("nanmin", "nanmax"):
    FUNCTIONS[getattr(np, _name)] = _adapted(getattr(_nans, _name), "axis", "out", "keepdims")
for _name in ("nanvar", "nanstd"):
    FUNCTIONS[getattr(np, _name)] = _adapted(getattr(_nans, _name), "axis", "dtype", "out", "ddof", "keepdims")
FUNCTIONS[np.count_nonzero] = _nans.count_nonzero
FUNCTIONS[np.sort] = _adapted(_along.sort, "axis", "kind", "order", free=("kind", "stable"))
FUNCTIONS[np.argsort] = _adapted(_order.argsort, "axis", "kind", "order", free=("kind", "stable"))
FUNCTIONS[np.median] = _adapted(_order.median, "axis", "out", "overwrite_input", "keepdims", free=("overwrite_input",))
FUNCTIONS[np.average] = _adapted(_order.average, "axis", "weights", "returned")
FUNCTIONS[np.linalg.norm] = _adapted(_norms.norm, "ord", "axis", "keepdims")
