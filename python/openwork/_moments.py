"""Variances: what is stored is looked at, the fill value counts as often as it stands for something."""

from __future__ import annotations

import numpy as np

from . import _array
from ._errors import refuse
from ._statements import access, dtype_of, literal, run, statement


def variance(a, axis, dtype, ddof, keepdims: bool):
    """``numpy.var`` of an array of ours: a number, or a dense array of ours."""
    kept = a.dtype if a.dtype.kind in "fc" else np.dtype("float64")
    kept = kept if dtype is None else dtype_of(dtype)
    if kept.kind not in "fc":
        raise refuse("E0208", f"a variance is no {kept}", "give a dtype of floats")
    x = a if a.dtype == kept else a.astype(kept)
    gone = _array._axes(axis, a.ndim)
    count = int(np.prod([a.shape[n] for n in gone], dtype=np.int64))
    if x._tensor.dense:
        return _wrapped(np.var(x.todense(), axis=gone, ddof=ddof, keepdims=keepdims))
    mean = np.asarray(x.mean(gone).todense() if len(gone) < a.ndim else x.mean(gone))
    fill = x.fill_value
    indices = [f"i{n}" for n in range(a.ndim)]
    left = [i for n, i in enumerate(indices) if n not in gone]
    over = ",".join(indices[n] for n in gone)
    value, middle = access("a", indices), access("m", left)
    stored = f"{value} != {_written(fill)}"
    apart = f"abs({value} - {middle})"
    real = str(np.dtype(kept.type(0).real.dtype))
    y = access("y", left)
    squares = statement(f"{y} = sum({over}, where({stored}, {apart} * {apart}, 0))", ("a", "m"), "dense", real)
    visited = statement(f"{y} = sum({over}, i64({stored}))", ("a",), "dense", "int64")
    m = _array.asarray(mean.copy())._tensor
    with np.errstate(all="ignore"):
        known = np.asarray(run(squares, x._tensor, m).take_dense()).reshape(mean.shape)
        seen = np.asarray(run(visited, x._tensor).take_dense()).reshape(mean.shape)
        others = np.where(seen < count, (count - seen) * np.abs(fill - mean) ** 2, 0)
        found = np.asarray((known + others) / np.float64(max(count - ddof, 0)), dtype=real)
    if keepdims:
        found = found.reshape([1 if n in gone else size for n, size in enumerate(a.shape)])
    return _wrapped(found)


def _written(fill) -> str:
    """The fill value in a statement; parts of a complex one are added up."""
    if isinstance(fill, np.complexfloating):
        return f"({literal(float(fill.real))})" if fill.imag == 0 else "nan"
    return literal(fill) or "nan"


def _wrapped(found):
    """A number as it is, an array as one of ours."""
    found = np.asarray(found)
    return found[()] if found.ndim == 0 else _array.asarray(found)
