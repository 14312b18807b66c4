"""Reductions as NumPy has them beyond those of whole arrays: ones that begin with a value, that leave values out, and by other ufuncs.

A value that is left out is one that changes nothing, in the kernel that folds all. For ufuncs that statements do not reduce by,
NumPy folds what is stored, and the fill value once for all places that have it.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _along, _array
from ._core import access, call, reduce
from ._convert import asarray
from ._errors import refuse
from ._statements import NAMES, Number, dtype_of, is_exact, literal, operand, run, statement

if TYPE_CHECKING:
    from ._array import Array

#: The ufunc of a reduction, and what changes nothing in it.
_NAMED: dict[str, tuple[Any, Any]] = {
    "sum": (np.add, 0), "prod": (np.multiply, 1), "min": (np.minimum, None), "max": (np.maximum, None), "any": (np.logical_or, False),
    "all": (np.logical_and, True),
}  # fmt: skip
#: What sums and products of truth values are.
_OF_TRUTHS = {"sum": "any", "prod": "all"}


def plain(initial, where) -> bool:
    """Whether a reduction begins with nothing and leaves nothing out."""
    return initial is np._NoValue and where is True


def begun(a, name: str, axis, dtype, keepdims: bool, initial=np._NoValue, where=True) -> Array | Any:
    """A reduction by name that begins with a value, or leaves values out: one of nothing is the value that it begins with."""
    kept = np.dtype(bool) if name in ("any", "all") else a.dtype if name in ("min", "max") else a._wide()
    kept = kept if dtype is None else dtype_of(dtype)
    if kept == bool and name in _OF_TRUTHS:
        name, dtype = _OF_TRUTHS[name], None
    ufunc, idle = _NAMED[name]
    begins = initial is not np._NoValue and initial is not None
    if where is not True and idle is None and not begins:
        raise without_identity(ufunc)
    if where is not True:
        found = _within(a, name, axis, kept, keepdims, where, initial if idle is None else idle)
    elif a.size == 0 and idle is None and begins:
        return _along.wrap_dense(ufunc.reduce(np.empty(a.shape, kept), axis=axis, initial=initial, keepdims=keepdims))
    else:
        found = getattr(a, name)(axis, keepdims=keepdims, **({} if dtype is None else {"dtype": kept}))
    if not begins:
        return found
    return ufunc(found, kept.type(initial)) if np.ndim(found) == 0 else ufunc(found, kept.type(initial)).astype(kept)


def _within(a, name: str, axis, kept: np.dtype, keepdims: bool, where, idle) -> Any:
    """A reduction of the values where a mask is true."""
    mask = mask_of(where, a)
    gone = _array._axes(axis, a.ndim)
    if name in ("min", "max") and not a._tensor.dense and gone:
        along = [a.ndim - mask.ndim + n for n, size in enumerate(mask.shape) if size != 1]
        if len(along) == 1 and mask.shape[along[0] - a.ndim] == a.shape[along[0]]:
            return _extreme_along(a, name, kept, keepdims, (gone, along[0]), mask, idle)
    indices = [f"i{n}" for n in range(a.ndim)]
    behind = a.ndim - mask.ndim
    # A mode of size 1 goes along the whole mode of the array.
    over_one = [f"_{n}" if size == 1 != a.shape[behind + n] else indices[behind + n] for n, size in enumerate(mask.shape)]
    value = access("operand", indices)
    value = value != 0 if kept == bool else value if a.dtype == kept else call(NAMES[kept], value)
    # Of complex numbers, what changes nothing is real.
    nothing = literal(kept.type(idle)) or Number(complex(idle).real, NAMES[kept])
    value = call("where", operand("mask", over_one, truth=True), value, nothing.value)
    left = [f"k{n}" if n in gone else i for n, i in enumerate(indices) if keepdims or n not in gone]
    dims = tuple((f"k{n}", 1) for n in gone) if keepdims else ()
    built = access("result", left).assign(reduce(name, [indices[n] for n in gone], value))
    made = statement(built, ("operand", "mask"), None, str(kept), dims, exact=is_exact(a._tensor, mask._tensor))
    done = run(made, a._tensor, mask._tensor)
    return _array.wrap(done) if left else _array.number(done)


def _extreme_along(a, name: str, kept: np.dtype, keepdims: bool, modes: tuple[tuple[int, ...], int], mask, idle) -> Any:
    """A minimum or maximum where a mask along one mode is true: of what the mask leaves, as beside a value that differs between
    places every place would be visited."""
    gone, along = modes
    chosen = mask.todense().reshape(-1)
    if along in gone:
        a = a[(slice(None),) * along + (np.flatnonzero(chosen),)]
        if a.size == 0:
            shape = [1 if n in gone else size for n, size in enumerate(a.shape) if keepdims or n not in gone]
            return asarray(np.full(shape, idle, kept)) if shape else kept.type(idle)
        found = getattr(a, name)(gone, keepdims=keepdims)
        return found.astype(kept) if isinstance(found, _array.Array) else kept.type(found)
    if a.size == 0:
        return asarray(getattr(np, name)(np.empty(a.shape, kept), gone, keepdims=keepdims, initial=idle))
    found = getattr(a, name)(gone, keepdims=True).astype(kept).todense()
    chosen = chosen.reshape([-1 if n == along else 1 for n in range(a.ndim)])
    found = np.where(chosen, found, kept.type(idle))
    return asarray(found if keepdims else found.squeeze(gone))


def mask_of(where, a) -> Any:
    """A mask of truth values that reaches no further than the array."""
    mask = asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    fits = mask.ndim <= a.ndim and all(m in (1, n) for m, n in zip(mask.shape[::-1], a.shape[::-1]))
    if not fits:
        raise refuse("E0203", f"a mask of the shape {mask.shape} does not fit an array of the shape {a.shape}")
    return mask


def mean(a, axis, kept: np.dtype, keepdims: bool, where) -> Array | Any:
    """The mean of the values where a mask is true; NaN, with a warning, where there is none."""
    total: Any = begun(a, "sum", axis, kept, keepdims, where=where)
    count = how_many(a, axis, keepdims, where)
    if (count == 0).any():
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=3)
    with np.errstate(all="ignore"):
        if np.ndim(total) == 0:
            return total / kept.type(count) if kept.kind in "fc" else (total / count).astype(kept)
        return asarray(np.asarray(total.todense() / count, kept))


def how_many(a, axis, keepdims: bool, where) -> np.ndarray:
    """How many values along some modes a mask leaves, as a NumPy array."""
    mask = mask_of(where, a)
    shape = (1,) * (a.ndim - mask.ndim) + mask.shape
    gone = _array._axes(axis, a.ndim)
    # A mode that the mask has not counts as often as it has coordinates: nothing is written out along it.
    every = mask.reshape(shape) if mask.ndim else np.full(shape, mask.item())
    found = every.sum(gone, keepdims=True)
    found = np.asarray(found.todense() if isinstance(found, _array.Array) else found)
    times = math.prod(size for n, size in enumerate(a.shape) if n in gone and shape[n] == 1)
    found = np.broadcast_to(found * times, tuple(1 if n in gone else size for n, size in enumerate(a.shape)))
    return found if keepdims else found.squeeze(gone)


# Those for which it does not matter in which order values come.
FOLDS = {
    np.fmin, np.fmax, np.gcd, np.lcm, np.hypot, np.logaddexp, np.logaddexp2, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
    np.logical_xor,
}  # fmt: skip


def folded(ufunc, a, axis=0, dtype=None, keepdims: bool = False, initial=np._NoValue, where=True):
    """``ufunc.reduce`` of a sparse array."""
    one = np.ones((1,) * max(a.ndim, 1), a.dtype)
    # NumPy knows the dtype, and which ones a ufunc does not take.
    result = ufunc.reduce(one, axis=0, dtype=dtype).dtype
    if result == np.float16 and dtype is None:
        # Integers of 8 bits, which functions of floats take in half precision: none of the dtypes here.
        a, result = a.astype(np.float32), np.dtype(np.float32)
    kept = dtype_of(bool if ufunc is np.logical_xor else result)
    # What it begins with; nothing where it begins with the first of its values.
    initial = ufunc.identity if initial is np._NoValue else initial
    a = a != 0 if kept == bool != a.dtype else a
    if where is not True:
        if initial is None:
            raise without_identity(ufunc)
        # What changes nothing, where there is such a value; those without one may meet a value twice.
        idle = initial if ufunc.identity is None else ufunc.identity
        a = np.where(where, a, _as(kept, idle))
    a = asarray(a)
    if initial is ufunc.identity and _is_compiled(ufunc, a, axis, kept):
        return a._reduced(_COMPILED[ufunc], axis, keepdims, kept)
    if axis is None:
        return _along_one(ufunc, a, None, kept, keepdims, initial)
    # The last mode first, so that the others keep their numbers; what it begins with is met once.
    axes = sorted(np.lib.array_utils.normalize_axis_tuple(axis, a.ndim), reverse=True)
    for n in axes[:-1]:
        begin = initial if ufunc.identity is None and 0 in a.shape else ufunc.identity
        a = _along_one(ufunc, asarray(a), n, kept, keepdims, begin)
    if not axes:
        # Every value by itself.
        a = a.astype(kept, copy=False)
        return a if initial is None else ufunc(_as(kept, initial), a)
    return _along_one(ufunc, asarray(a), axes[-1], kept, keepdims, initial)


# The reductions of statements, and those that do not mind how often a value comes.
_COMPILED = {
    np.fmin: "fmin", np.fmax: "fmax", np.bitwise_and: "all", np.bitwise_or: "any", np.bitwise_xor: "xor", np.logical_xor: "xor",
    np.logaddexp: "logaddexp", np.logaddexp2: "logaddexp2", np.gcd: "gcd",
}  # fmt: skip
_ONCE = {np.fmin, np.fmax, np.bitwise_and, np.bitwise_or}


def _is_compiled(ufunc, a, axis, kept: np.dtype) -> bool:
    """Whether a statement folds what is stored alone: where the fill value counts once, or for nothing."""
    # NumPy calls two functions for every value of those.
    logarithms = ufunc in (np.logaddexp, np.logaddexp2)
    if ufunc not in _COMPILED or a._tensor.dense and not logarithms or a.dtype != kept or 0 in a.shape:
        return False
    if ufunc is np.gcd and kept.kind != "u":
        return False
    return logarithms or ufunc in _ONCE or bool(a.fill_value == ufunc.identity)


def _along_one(ufunc, a, axis, kept, keepdims, initial):
    if a._tensor.dense:
        given = {} if initial is None else {"initial": _as(kept, initial)}
        return _along.wrap_dense(ufunc.reduce(a.todense(), axis=axis, dtype=kept, keepdims=keepdims, **given))
    length = a.size if axis is None else a.shape[axis]
    if length == 0 and initial is None:
        raise refuse("E0202", f"numpy.{ufunc.__name__}.reduce over no values has no result, as it has no identity", "give `initial`")
    rows, fill = _along.rows_of(a, axis), a.fill_value.astype(kept)
    with np.errstate(all="ignore"):
        total = np.zeros(0, kept)
        if len(rows.starts):
            total = ufunc.reduceat(rows.values.astype(kept), rows.starts, dtype=kept)
            gaps = rows.length - rows.counts
            total = np.where(gaps > 0, ufunc(total, repeated(ufunc, fill, gaps)), total)
        elsewhere = repeated(ufunc, fill, np.array([rows.length]))[0]
        if initial is not None:
            begin = _as(kept, initial)
            total = ufunc(begin, total)
            elsewhere = ufunc(begin, elsewhere) if length else begin
        if ufunc is np.lcm and len(rows.starts):
            total = _multiples(rows, total, fill, None if initial is None else _as(kept, initial))
    return _along.over_rows(a, rows, total.astype(kept), kept.type(elsewhere), axis, keepdims)


# Values of rows that are written out at once, and in all.
_AT_ONCE, _IN_ALL = 1 << 20, 1 << 27


def _multiples(rows: _along.Rows, total: np.ndarray, fill, initial) -> np.ndarray:
    """Least common multiples of rows, of which those that do not fit the dtype hang on the order of the values: as NumPy's, that of
    coordinates."""
    values, gaps = rows.values.astype(total.dtype), rows.length - rows.counts > 0
    zero = np.logical_or.reduceat(values == 0, rows.starts) | (gaps & (fill == 0)) | (initial == 0)
    # What all divide is a multiple that fits, so those on the way to it fitted as well.
    fits = np.logical_and.reduceat(rows.repeated(total) % np.where(values == 0, 1, values) == 0, rows.starts) & (total > 0)
    fits &= (~gaps | (total % (fill or 1) == 0)) & (total % (initial or 1) == 0)
    lost = np.flatnonzero(~fits & ~zero)
    if len(lost) * rows.length > _IN_ALL:
        room = None if total.dtype.itemsize == 8 else "astype('int64') has room for larger ones"
        raise refuse("E0207", f"least common multiples do not fit the dtype {NAMES[total.dtype]}", room)
    begins = {} if initial is None else {"initial": initial}
    step = max(_AT_ONCE // rows.length, 1)
    for some in (lost[at : at + step] for at in range(0, len(lost), step)):
        written = np.full((len(some), rows.length), fill, total.dtype)
        counts, starts = rows.counts[some], rows.starts[some]
        which = np.repeat(np.arange(len(some)), counts)
        stored = np.arange(len(which)) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
        written[which, rows.at[stored]] = values[stored]
        total[some] = np.lcm.reduce(written, axis=1, **begins)
    return total


def _as(dtype: np.dtype, value):
    """A value in a dtype; the bits of -1 are all set in any."""
    return np.asarray(value).astype(dtype)[()]


def repeated(ufunc, value, counts: np.ndarray) -> np.ndarray:
    """What a value comes to that is folded so many times, by doubling; the value itself for none."""
    different, of = np.unique(counts, return_inverse=True)
    total, begun = np.full(len(different), value), np.zeros(len(different), bool)
    power, left = np.array(value), different.copy()
    while (left > 0).any():
        odd = left & 1 == 1
        total = np.where(odd & begun, ufunc(total, power), np.where(odd, power, total))
        begun |= odd
        left >>= 1
        power = ufunc(power, power)
    return total[of]


def without_identity(ufunc) -> Exception:
    """The refusal of a mask where nothing says what a reduction of nothing is."""
    return refuse("E0211", f"numpy.{ufunc.__name__} has no identity, which a reduction with `where` begins with", "give `initial`")


def refuse_order(ufunc) -> Exception:
    """The refusal of a reduction whose value hangs on the order of its values, or that is no function of two."""
    names = ", ".join(sorted(f.__name__ for f in FOLDS))
    help = f"of sparse arrays reduce sum, prod, min, max, any, all, and {names}"
    return refuse("E0103", f"numpy.{ufunc.__name__}.reduce does not take sparse arrays", f"{help}; todense() is a NumPy array")

