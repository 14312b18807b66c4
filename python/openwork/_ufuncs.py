"""Ufuncs: those that are operators, those that act on values one by one, and the rest on dense arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array
from ._core import access, call, reduce
from ._errors import refuse
from ._memory import ask_for_numpy
from ._statements import NAMES, broadcast, elementwise, function, is_exact, literal, run, statement
from ._statements import operand as read
from ._values import assigned, by_value

if TYPE_CHECKING:
    from ._array import Array

# The method of the left operand, and that of the right one.
_OPERATORS = {
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("multiply", "multiply"),
    np.divide: ("__truediv__", "__rtruediv__"),
    np.bitwise_and: ("__and__", "__rand__"),
    np.bitwise_or: ("__or__", "__ror__"),
    np.bitwise_xor: ("__xor__", "__rxor__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
    np.matmul: ("__matmul__", "__rmatmul__"),
}
# What statements have for those that are operators.
_SIGNS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv, np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_, np.bitwise_xor: operator.xor, np.equal: operator.eq, np.not_equal: operator.ne, np.less: operator.lt,
    np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
}  # fmt: skip
# Functions of the language, and what is made of them.
_MADE = {
    np.minimum: function("min"),
    np.maximum: function("max"),
    np.logical_and: lambda a, b: (a != 0) & (b != 0),
    np.logical_or: lambda a, b: (a != 0) | (b != 0),
    np.logical_xor: lambda a, b: (a != 0) ^ (b != 0),
}
# The same, for sparse arrays.
_SPARSE = {
    np.float_power: lambda a, b: call("power", call("f64", a), call("f64", b)),
    np.floor_divide: function("floor_divide"),
    np.remainder: function("remainder"),
    np.left_shift: function("left_shift"),
    np.right_shift: function("right_shift"),
} | {
    ufunc: function(ufunc.__name__)
    for ufunc in (
        np.power, np.fmod, np.fmin, np.fmax, np.hypot, np.arctan2, np.copysign, np.nextafter, np.logaddexp, np.ldexp, np.gcd, np.lcm,
        np.heaviside, np.logaddexp2,
    )
}  # fmt: skip
_REDUCTIONS = {
    np.add: "sum",
    np.multiply: "prod",
    np.minimum: "min",
    np.maximum: "max",
    np.logical_and: "all",
    np.logical_or: "any",
}


def is_ours(x) -> bool:
    """Whether something is an array of ours."""
    return type(x) is _array.Array


def called(ufunc, method: str, inputs, kwargs):
    """What ``ufunc.method(*inputs, **kwargs)`` is, where an array of ours takes part."""
    out = kwargs.pop("out", None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if is_ours(out):
        raise refuse("E0211", f"numpy.{ufunc.__name__} has no array of ours as `out`: arrays do not change")
    kwargs = {name: x for name, x in kwargs.items() if not (name == "where" and x is True)}
    inputs = _taken(ufunc, inputs)
    if method == "reduce" and is_ours(inputs[0]) and (ufunc in _REDUCTIONS or not inputs[0]._tensor.dense):
        return into(out, _reduced(ufunc, *inputs, **kwargs))
    if method == "__call__" and list(kwargs) == ["where"] and any(is_ours(x) and not x._tensor.dense for x in (*inputs, kwargs["where"])):
        return _masked(ufunc, inputs, kwargs["where"], out)
    found = _found(ufunc, inputs) if method == "__call__" and not kwargs else None
    if found is NotImplemented:
        return NotImplemented
    if found is None:
        return _by_numpy(ufunc, method, inputs, kwargs, out)
    return into(out, found) if ufunc.nout == 1 or out is None else tuple(map(into, out, found))


def _taken(ufunc, inputs) -> Any:
    """The operands, those of SciPy's as ours: NumPy would take them for one object each. Operators look for themselves."""
    return inputs if ufunc in _OPERATORS else tuple(_array.asarray(x) if _array.is_scipy(x) else x for x in inputs)


def _found(ufunc, inputs):
    """The result, where the ufunc exists here."""
    ours = [x for x in inputs if is_ours(x)]
    if not ours:
        return NotImplemented
    if ufunc in _OPERATORS:
        left, right = inputs
        forward, backward = _OPERATORS[ufunc]
        return getattr(left, forward)(right) if is_ours(left) else getattr(right, backward)(left)
    if ufunc.nout == 1 and ufunc.signature is None and all(is_ours(x) or np.ndim(x) == 0 for x in inputs):
        if len(ours) == 1:
            return by_value(ours[0], lambda x, out=None: ufunc(*(x if is_ours(i) else i for i in inputs), out=out))
    if ufunc is np.divmod and not all(x._tensor.dense for x in ours):
        return tuple(called(part, "__call__", inputs, {}) for part in (np.floor_divide, np.remainder))
    if ufunc in _MADE:
        return _function(_MADE[ufunc], *inputs)
    # Dense arrays are NumPy's own.
    if ufunc in _SPARSE and not all(x._tensor.dense for x in ours):
        a, b = (x if is_ours(x) else np.asarray(x) for x in inputs)
        if ufunc is np.float_power and "c" in (a.dtype.kind, b.dtype.kind):
            raise refuse("E0204", "numpy.float_power of sparse arrays takes real numbers", "todense() takes complex ones")
        if ufunc is np.power and np.result_type(a.dtype, b.dtype).kind in "iu" and b.dtype.kind == "i" and a.size and b.size and b.min() < 0:
            raise ValueError("integers to negative integer powers are not allowed, as in NumPy: the base can be a float")
        return _function(_SPARSE[ufunc], *inputs)
    return None


def _function(make: Callable, *inputs):
    """A function of several arguments, element by element."""
    # Numbers are written where they stand: they have no place that is not stored.
    numbers = tuple(None if is_ours(x) or np.ndim(x) else literal(x) for x in inputs)
    arrays = [_array.asarray(x) for x, number in zip(inputs, numbers) if number is None]
    shape, indices = broadcast([x.shape for x in arrays])
    truths = tuple(x.dtype == bool for x in arrays)
    tensors = [x._tensor for x in arrays]
    made = elementwise(make, indices, len(shape), numbers=numbers, truths=truths, exact=is_exact(*tensors))
    other = next((x for x, number in zip(inputs, numbers) if not is_ours(x) and number is None), None)
    return _array.result(run(made, *tensors), other)


@lru_cache(maxsize=128)
def _under(make: Callable) -> Callable:
    """The function where its first argument is true, and its last argument elsewhere."""

    def chosen(mask, *values):
        return call("where", mask, make(*values[:-1]), values[-1])

    return chosen


def _masked(ufunc, inputs, where, out):
    """A ufunc where a mask is true; elsewhere is what ``out`` has, or the fill value of the first sparse operand."""
    if ufunc.nout > 1 or ufunc.signature is not None:
        raise refuse("E0103", f"numpy.{ufunc.__name__} has no `where` for sparse arrays", "numpy.where(mask, result, 0) leaves values out afterwards")
    mask = _array.asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    shape, _ = broadcast([np.shape(x) for x in inputs])
    if broadcast([shape, mask.shape])[0] != shape:
        raise refuse("E0203", f"a mask of the shape {mask.shape} reaches beyond the result of the shape {shape}")
    inputs = tuple(_harmless(x, mask) for x in inputs)
    elsewhere = next((x.fill_value for x in inputs if is_ours(x) and not x._tensor.dense), 0)
    make = _SIGNS.get(ufunc) or _MADE.get(ufunc) or _SPARSE.get(ufunc)
    arrays = [_array.operand(x) for x in inputs if np.ndim(x)]
    # NumPy knows the dtype.
    dtype = ufunc(*(np.ones(1, x.dtype) if hasattr(x, "dtype") else x for x in inputs)).dtype
    if make is None or len(arrays) != 2 or any(x is None for x in arrays) or dtype not in NAMES:
        # Functions of single values change nothing but these; what they say of others is of no account.
        with np.errstate(all="ignore"):
            found = _found(ufunc, inputs)
        if found is None or found is NotImplemented or isinstance(found, tuple):
            raise no_function(f"numpy.{ufunc.__name__} with `where`", next(x for x in (*inputs, where) if is_ours(x)))
        found = choose(mask, found, found.dtype.type(elsewhere))
    else:
        found = _function(_under(make), mask, *inputs, dtype.type(elsewhere))
    if out is None:
        return found
    return _into_where(out, found, mask)


def _harmless(x, mask: Array) -> Any:
    """A dense operand with another value where a mask leaves it out, so that no zero there is divided by."""
    dense = x.todense() if is_ours(x) and x._tensor.dense else x
    if not isinstance(dense, (np.ndarray, list, tuple)) or not mask._tensor.dense:
        return x
    dense = np.asarray(dense)
    if dense.ndim == 0 or broadcast([mask.shape, dense.shape])[0] != dense.shape:
        return x
    made = np.where(mask.todense(), dense, dense.dtype.type(1))
    return _array.asarray(made) if is_ours(x) else made


def _into_where(out, found, mask: Array):
    """The array of the caller's with the result in it where a mask is true."""
    kept = into(np.empty_like(out) if isinstance(out, np.ndarray) else out, found)
    np.copyto(out, kept, where=mask.todense())
    return out


def choose(condition, *values):
    """``numpy.where`` of three arguments, where one is an array of ours."""
    if not any(is_ours(x) and not x._tensor.dense for x in (condition, *values)):
        dense = [x.todense() if is_ours(x) else x for x in (condition, *values)]
        ask_for_numpy("where", "", dense, {})
        return np.where(*dense)
    if len(values) == 2:
        return _function(function("where"), condition, *values)
    return np.nonzero(condition)


def _reduced(ufunc, a, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True):
    if ufunc not in _REDUCTIONS:
        from . import _folds

        if ufunc not in _folds.FOLDS:
            raise _folds.refuse_order(ufunc)
        return into(out, _folds.folded(ufunc, a, axis, dtype, keepdims, initial, where))
    name, given = _REDUCTIONS[ufunc], {"keepdims": keepdims}
    if name in ("any", "all"):
        # Reductions of truth values begin with none.
        if initial is not np._NoValue:
            raise refuse("E0103", f"numpy.{ufunc.__name__}.reduce has no `initial` for openwork arrays", "leave it out")
        return into(out, getattr(a, name)(axis, where=where, **given))
    if dtype is not None:
        a, given = (a.astype(dtype, copy=False), given) if name in ("min", "max") else (a, {**given, "dtype": dtype})
    return into(out, getattr(a, name)(axis, initial=initial, where=where, **given))


def _by_numpy(ufunc, method: str, inputs, kwargs, out):
    """NumPy's ufunc on the memory of dense arrays."""
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    for x in inputs:
        if is_ours(x) and not x._tensor.dense:
            with_options = f"{name} with `{next(iter(kwargs))}`" if kwargs else name
            raise no_function(with_options, x)
    views = [x.todense() if is_ours(x) else x for x in inputs]
    kwargs = {n: x.todense() if is_ours(x) else x for n, x in kwargs.items()}
    if out is not None:
        kwargs["out"] = out
    else:
        ask_for_numpy(ufunc.__name__, method, views, kwargs)
    found = getattr(ufunc, method)(*views, **kwargs)
    if out is not None or not all(is_ours(x) or np.ndim(x) == 0 for x in inputs):
        return found
    wrapped = lambda x: _array.asarray(x) if isinstance(x, np.ndarray) and x.dtype in NAMES else x  # noqa: E731
    return tuple(map(wrapped, found)) if isinstance(found, tuple) else wrapped(found)


def into(out, found):
    """The result, or the array of the caller's with the result in it."""
    if out is None:
        return found
    if not isinstance(out, np.ndarray):
        raise refuse("E0211", f"`out` is a NumPy array, and no {type(out).__name__}")
    dense = found.todense() if is_ours(found) else np.asarray(found)
    if dense.shape != out.shape:
        raise refuse("E0203", f"the result has the shape {dense.shape}, and `out` the shape {out.shape}")
    if not np.can_cast(dense.dtype, out.dtype, "same_kind"):
        raise refuse("E0208", f"the result has the dtype {dense.dtype}, which `out` of dtype {out.dtype} cannot hold")
    np.copyto(out, dense, casting="same_kind")
    return out


def close(a, b, rtol: float, atol: float, equal_nan: bool, *, every: bool, same: bool = False):
    """Which values are near, or whether all are, by the rules of ``numpy.isclose``, without writing anything out."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        ours, number_first = (b, True) if np.ndim(a) == 0 else (a, False)
        number = np.asarray(a if number_first else b)[()]
        if is_ours(ours) and not is_ours(number):
            # A number is looked at here, so that what is not stored has one answer.
            def near(v):
                return np.isclose(number, v, rtol, atol, equal_nan) if number_first else np.isclose(v, number, rtol, atol, equal_nan)

            found = by_value(ours, assigned(near))
            return bool(found.all()) if every else found
    one, other = _array.asarray(a), _array.asarray(b)
    shape, indices = broadcast([one.shape, other.shape])
    names = ("left", "right")
    x, y = (read(name, i, truth=a.dtype == bool) for name, i, a in zip(names, indices, (one, other)))
    test = x == y
    if not same:
        # Wide enough for both: the imaginary part of either one counts.
        kind = NAMES[np.result_type(one.dtype, other.dtype, np.float64)]
        x, y = call(kind, x), call(kind, y)
        test = (abs(x - y) <= float(atol) + float(rtol) * abs(y)) & (abs(y) < np.inf) | test
    if equal_nan:
        test = test | (x != x) & (y != y)
    left = [f"i{n}" for n in reversed(range(len(shape)))]
    if not every:
        return _array.result(run(statement(access("result", left).assign(test), names), one._tensor, other._tensor), _twin(a, b))
    if 0 in shape:
        return True
    every_one = access("result", []).assign(reduce("all", left, test))
    return run(statement(every_one, names, None, "bool"), one._tensor, other._tensor).item()


def _twin(a, b):
    """The operand that is not ours, if there is one."""
    return next((x for x in (a, b) if not is_ours(x)), None)


def no_function(name: str, a: Array, help: str | None = None):
    """The refusal of something that NumPy has and sparse arrays do not."""
    size = a.size * a.dtype.itemsize
    scaled = next((f"{size / n:.3g} {unit}" for n, unit in _UNITS if size >= n), f"{size} bytes")
    dense = f"todense() is a NumPy array of {scaled}"
    return refuse("E0103", f"{name} does not take sparse arrays", f"{help}; {dense}" if help else dense)


_UNITS = [(10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")]
