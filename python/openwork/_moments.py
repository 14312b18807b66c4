"""Variances: what is stored is looked at, the fill value counts as often as it stands for something."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from . import _array, _folds, _groups
from ._core import access, call, reduce
from ._errors import refuse
from ._statements import dtype_of, literal, operand, run_all, statements
from ._values import assigned, by_value

if TYPE_CHECKING:
    from ._core import Value


def variance(a, axis, dtype, ddof, keepdims: bool, *, skip: bool = False, where=True):
    """``numpy.var`` of an array of ours, or ``numpy.nanvar`` where NaN is skipped: a number, or a dense array of ours."""
    kept = a.dtype if a.dtype.kind in "fc" else np.dtype("float64")
    kept = kept if dtype is None else dtype_of(dtype)
    if kept.kind not in "fc":
        raise refuse("E0208", f"a variance is no {kept}", "give a dtype of floats")
    x = a if a.dtype == kept else a.astype(kept)
    gone = _array._axes(axis, a.ndim)
    if where is not True:
        return _within(x, gone, ddof, keepdims, where)
    count = np.asarray(_array._count(a.shape, gone))
    if x._tensor.dense:
        if not skip:
            return _wrapped(np.var(x.todense(), axis=gone, ddof=ddof, keepdims=keepdims))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return _wrapped(np.nanvar(x.todense(), axis=gone, ddof=ddof, keepdims=keepdims))
    if not gone:
        # Of every value by itself.
        of_one = np.nanvar if skip else np.var
        return by_value(x, assigned(lambda v: of_one(v[:, None], axis=1, ddof=ddof)))
    if not skip and _groups.are_many(x, gone):
        return _groups.variance(x, gone, ddof, keepdims)
    mean = _mean(x, gone, skip)
    fill = x.fill_value
    indices = [f"i{n}" for n in range(a.ndim)]
    left = [i for n, i in enumerate(indices) if n not in gone]
    over = [indices[n] for n in gone]
    value = access("operand", indices)
    stored, apart = value != _written(fill), abs(value - access("mean", left))
    if skip:
        stored = stored & (value == value)
    real = str(np.dtype(kept.type(0).real.dtype))
    built = [
        access("y", left).assign(reduce("sum", over, call("where", stored, apart * apart, 0))),
        access("n", left).assign(reduce("sum", over, call("i64", stored))),
    ]
    dtypes = {"y": real, "n": "int64"}
    if skip:
        built.append(access("k", left).assign(reduce("sum", over, call("f64", value == value))))
        dtypes["k"] = "float64"
    m = _array.asarray(mean.copy())._tensor
    made = run_all(statements(built, ("operand", "mean"), dtypes), x._tensor, m)
    known, seen, numbers = (np.asarray(made[n].take_dense()).reshape(mean.shape) if n in made else count for n in "ynk")
    count = numbers if skip else count
    with np.errstate(all="ignore"):
        others = np.where(seen < count, (count - seen) * np.abs(fill - mean) ** 2, 0)
        left_over = np.maximum(count - ddof, 0) * 1.0
        found = np.asarray((known + others) / left_over, dtype=real)
        if skip:
            found = np.where(left_over == 0, found.dtype.type(np.nan), found)
    if keepdims:
        found = found.reshape([1 if n in gone else size for n, size in enumerate(a.shape)])
    return _wrapped(found)


def _within(x, gone: tuple[int, ...], ddof, keepdims: bool, where):
    """The variance of the values where a mask is true."""
    mask = _folds.mask_of(where, x)
    if x._tensor.dense:
        return _wrapped(np.var(x.todense(), axis=gone, ddof=ddof, keepdims=keepdims, where=mask.todense()))
    count, fill = _folds.how_many(x, gone, True, mask), x.fill_value
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        mean = np.asarray(_array.asarray(_folds.mean(x, gone, x.dtype, True, mask)).todense()).reshape(count.shape)
        indices = [f"i{n}" for n in range(x.ndim)]
        left = [i for n, i in enumerate(indices) if n not in gone]
        # A mode of size 1 goes along the whole mode of the array.
        behind = x.ndim - mask.ndim
        chosen = operand("mask", [indices[behind + n] for n, size in enumerate(mask.shape) if size != 1], truth=True)
        w = mask.reshape([size for size in mask.shape if size != 1])._tensor
        m = _array.asarray(mean.reshape([size for n, size in enumerate(x.shape) if n not in gone]))._tensor
        value, over = access("operand", indices), [indices[n] for n in gone]
        stored, apart = chosen & (value != _written(fill)), abs(value - operand("mean", left))
        real = str(np.dtype(x.dtype.type(0).real.dtype))
        built = [
            access("y", left).assign(reduce("sum", over, call("where", stored, apart * apart, 0))),
            access("n", left).assign(reduce("sum", over, call("i64", stored))),
        ]
        made = run_all(statements(built, ("operand", "mean", "mask"), {"y": real, "n": "int64"}), x._tensor, m, w)
        known, seen = (np.asarray(made[name].take_dense()).reshape(count.shape) for name in "yn")
        others = count - seen
        rest = np.where(others > 0, others * np.abs(fill - mean) ** 2, 0)
        found = np.asarray((known + rest) / np.maximum(count - ddof, 0), dtype=real)
    if (count <= ddof).any():
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4)
    return _wrapped(found if keepdims else found.squeeze(gone))


def _mean(x, gone: tuple[int, ...], skip: bool) -> np.ndarray:
    if not skip:
        return np.asarray(x.mean(gone).todense() if len(gone) < x.ndim else x.mean(gone))
    from ._nans import nanmean

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = nanmean(x, gone)
    return found.todense() if isinstance(found, _array.Array) else np.asarray(found)


def _written(fill) -> Value:
    """The fill value in a statement, which has no complex ones."""
    if isinstance(fill, np.complexfloating):
        return float(fill.real) if fill.imag == 0 else np.nan
    number = literal(fill)
    return np.nan if number is None else number.value


def _wrapped(found):
    """A number as it is, an array as one of ours."""
    found = np.asarray(found)
    return found[()] if found.ndim == 0 else _array.asarray(found)
