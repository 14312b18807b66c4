"""Operators: each is a statement in index notation, compiled for the formats at hand."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from . import _array, _core
from ._core import access
from ._errors import refuse, warn_of_filling
from ._statements import NAMES, broadcast, dtype_of, elementwise, is_exact, literal, product, run, same_shape, statement
from ._statements import _same_shape
from ._statements import operand as read
from ._ufuncs import called

if TYPE_CHECKING:
    from ._array import Array


def _reflected(make: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator with its operands changed round."""

    def reflected(a, b):
        return make(b, a)

    return reflected


_RADD, _RSUB, _RMUL = _reflected(operator.add), _reflected(operator.sub), _reflected(operator.mul)
_RTRUEDIV, _RAND, _ROR, _RXOR = map(_reflected, (operator.truediv, operator.and_, operator.or_, operator.xor))


class Binary(Protocol):
    """What type checkers know of an operator: arrays and numbers give an array; beside others, a dense result is NumPy's."""

    @overload
    def __call__(self, other: Array | complex, /) -> Array: ...
    @overload
    def __call__(self, other: Any, /) -> Any: ...


class Product(Protocol):
    """What type checkers know of a product, which is a number for two vectors, and NumPy's where it is dense beside NumPy's."""

    def __call__(self, other: Any, /) -> Any: ...


class Operators:
    """Operators of one array, and of two."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self: Any) -> Array:
        return _array.wrap(run(same_shape(operator.neg, 1, self.ndim), self._tensor))

    def __pos__(self: Any) -> Array:
        return self.copy()

    def __abs__(self: Any) -> Array:
        return _array.wrap(run(same_shape(abs, 1, self.ndim), self._tensor))

    def __invert__(self: Any) -> Array:
        return _array.wrap(run(same_shape(operator.invert, 1, self.ndim), self._tensor))

    if TYPE_CHECKING:
        __add__: Binary
        __radd__: Binary
        __sub__: Binary
        __rsub__: Binary
        __mul__: Binary
        __rmul__: Binary
        __truediv__: Binary
        __rtruediv__: Binary
        __pow__: Binary
        __rpow__: Binary
        __floordiv__: Binary
        __rfloordiv__: Binary
        __mod__: Binary
        __rmod__: Binary
        __and__: Binary
        __rand__: Binary
        __or__: Binary
        __ror__: Binary
        __xor__: Binary
        __rxor__: Binary
        __lshift__: Binary
        __rlshift__: Binary
        __rshift__: Binary
        __rrshift__: Binary
        __lt__: Binary
        __le__: Binary
        __gt__: Binary
        __ge__: Binary
        __eq__: Binary  # type: ignore[assignment]
        __ne__: Binary  # type: ignore[assignment]
        multiply: Binary
        __matmul__: Product
        __rmatmul__: Product
        dot: Product
    else:

        def __add__(self, other):
            return _binary(operator.add, self, other)

        def __radd__(self, other):
            return _binary(_RADD, self, other)

        def __sub__(self, other):
            return _binary(operator.sub, self, other)

        def __rsub__(self, other):
            return _binary(_RSUB, self, other)

        def __mul__(self, other):
            return _binary(operator.mul, self, other)

        def __rmul__(self, other):
            # The older classes of SciPy, which are matrices, have `*` for their product.
            if _array.is_matrix(other):
                return _matmul(other, self, other)
            return _binary(_RMUL, self, other)

        multiply = __mul__

        def __truediv__(self, other):
            return _binary(operator.truediv, self, other)

        def __rtruediv__(self, other):
            return _binary(_RTRUEDIV, self, other)

        def __pow__(self, other):
            return called(np.power, "__call__", (self, other), {})

        def __rpow__(self, other):
            return called(np.power, "__call__", (other, self), {})

        def __floordiv__(self, other):
            return called(np.floor_divide, "__call__", (self, other), {})

        def __rfloordiv__(self, other):
            return called(np.floor_divide, "__call__", (other, self), {})

        def __mod__(self, other):
            return called(np.remainder, "__call__", (self, other), {})

        def __rmod__(self, other):
            return called(np.remainder, "__call__", (other, self), {})

        def __divmod__(self, other):
            return called(np.divmod, "__call__", (self, other), {})

        def __rdivmod__(self, other):
            return called(np.divmod, "__call__", (other, self), {})

        def __lshift__(self, other):
            return called(np.left_shift, "__call__", (self, other), {})

        def __rlshift__(self, other):
            return called(np.left_shift, "__call__", (other, self), {})

        def __rshift__(self, other):
            return called(np.right_shift, "__call__", (self, other), {})

        def __rrshift__(self, other):
            return called(np.right_shift, "__call__", (other, self), {})

        def __and__(self, other):
            return _binary(operator.and_, self, other)

        def __rand__(self, other):
            return _binary(_RAND, self, other)

        def __or__(self, other):
            return _binary(operator.or_, self, other)

        def __ror__(self, other):
            return _binary(_ROR, self, other)

        def __xor__(self, other):
            return _binary(operator.xor, self, other)

        def __rxor__(self, other):
            return _binary(_RXOR, self, other)

        def __eq__(self, other):
            return _binary(operator.eq, self, other)

        def __ne__(self, other):
            return _binary(operator.ne, self, other)

        def __lt__(self, other):
            return _binary(operator.lt, self, other)

        def __le__(self, other):
            return _binary(operator.le, self, other)

        def __gt__(self, other):
            return _binary(operator.gt, self, other)

        def __ge__(self, other):
            return _binary(operator.ge, self, other)

        def __matmul__(self, other):
            return _matmul(self, other, other)

        def __rmatmul__(self, other):
            return _matmul(other, self, other)

        def dot(self, other, out=None):
            return np.dot(self, other, out)


def result(tensor: _core.Tensor, other):
    """A NumPy array where the other operand is not ours and the result is dense, as in SciPy; else an array of ours."""
    if other is not None and type(other) is not _array.Array and tensor.dense:
        return np.asarray(tensor.take_dense())
    return _array.wrap(tensor)


def _binary(make: Callable, a: Array, other):
    """An operator element by element, with NumPy's broadcasting."""
    if type(other) is not _array.Array and not getattr(other, "shape", isinstance(other, (list, tuple))):
        return _with_scalar(make, a, other)
    b = operand(other)
    if b is None:
        return NotImplemented
    left, right = a._tensor, b._tensor
    shape = left.shape
    if shape == right.shape:
        made = _same_shape(make, 2, len(shape), is_exact(left, right))
    else:
        shape, indices = broadcast([shape, right.shape])
        truths = (left.dtype == "bool", right.dtype == "bool")
        made = elementwise(make, tuple(map(tuple, indices)), len(shape), truths=truths, exact=is_exact(left, right))
    found = run(made, left, right)
    if make in _QUOTIENTS:
        warn_of_filling(found, left, right)
    return result(found, other)


def _with_scalar(make: Callable, a: Array, value):
    """An operator with a number. Where the number decides what is stored it is part of the statement; elsewhere it is
    an operand, so that one kernel serves all numbers."""
    if make in _EQUALITIES and (value is None or isinstance(value, (str, bytes))):
        # No value is equal to it, as none is to NaN.
        value = math.nan
    if type(value) not in (float, int) and not isinstance(value, (numbers.Number, np.generic, np.ndarray)):
        return NotImplemented
    value = value[()] if isinstance(value, np.ndarray) else value
    if isinstance(value, int) and not isinstance(value, bool):
        value = _fitting(make, a.dtype, value)
    t = a._tensor
    keeps = t.full or (t.fill == 0 and make in (operator.mul, _RMUL, operator.truediv))
    number = None if keeps else literal(value)
    if number is not None:
        indices = (_array.indices_of(t.ndim),)
        return _array.wrap(run(elementwise(make, indices, t.ndim, numbers=(None, number), exact=is_exact(t)), t))
    # Beside a number of Python's, floats keep their dtype.
    given: Any = value
    if t.dtype == "float64" and type(value) in (float, int):
        scalar = _core.single(float(given), "float64")
    else:
        same = type(value) in (float, int) and a.dtype.kind in "fc"
        dtype = a.dtype if same else dtype_of(np.result_type(a.dtype, given))
        scalar = _core.single(dtype.type(value).item(), str(dtype))
    return _array.wrap(run(elementwise(make, (_array.indices_of(t.ndim), ()), t.ndim, exact=is_exact(t)), t, scalar))


_QUOTIENTS = (operator.truediv, _RTRUEDIV)
_EQUALITIES = (operator.eq, operator.ne)
_COMPARISONS = (*_EQUALITIES, operator.lt, operator.le, operator.gt, operator.ge)


def _fitting(make: Callable, dtype: np.dtype, number: int) -> int | float:
    """An integer of Python's as an operator with an array takes it, by NumPy's rules: among integers it has to fit their
    dtype, unless they are divided or compared."""
    # What every dtype holds, as asking it takes a microsecond.
    if 0 <= number < 128:
        return number
    whole = np.iinfo(dtype if dtype.kind in "iu" else np.int64)
    if whole.min <= number <= whole.max:
        return number
    if dtype.kind in "fc" or make in _QUOTIENTS:
        return float(number)
    if make in _COMPARISONS:
        # It is beyond all integers of the dtype, as an infinity is.
        return math.inf if number > 0 else -math.inf
    message = f"the number {number} does not fit the dtype {NAMES[whole.dtype]}"
    raise refuse("E0207", message, "cast the array to a wider dtype before, such as a.astype(float)")


def operand(x) -> Array | None:
    """An array of ours from whatever can be an operand; nothing for other things."""
    if type(x) is _array.Array:
        return x
    if type(x) is np.ndarray or isinstance(x, (np.ndarray, list, tuple)) or _array.is_scipy(x):
        return _array.asarray(x)
    found = _array.taken(x)
    return None if found is None else _array.asarray(found)


def _tensor(x) -> _core.Tensor | None:
    """The tensor of an operand, with the shortest ways first: small products take no longer than what is around them."""
    if type(x) is _array.Array:
        return x._tensor
    if type(x) is np.ndarray:
        tensor = _core.in_place(x)
        if tensor is not None:
            return tensor
    found = operand(x)
    return None if found is None else found._tensor


# The indices of the factors and of their product, by the numbers of modes.
_MODES = {
    (2, 2): (["i", "j"], ["j", "k"], ["i", "k"]),
    (2, 1): (["i", "j"], ["j"], ["i"]),
    (1, 2): (["j"], ["j", "k"], ["k"]),
    (1, 1): (["j"], ["j"], []),
}


@lru_cache(maxsize=64)
def _product(ranks: tuple[int, int], truth: bool, exact: bool):
    """The product of factors with so many modes, both of which may hold truth values."""
    left, right, made = _MODES[ranks]
    factors = (access("left", left), access("right", right))
    return statement(product(access("result", made), ["j"], factors, truth=truth), ("left", "right"), exact=exact)


def _matmul(left, right, other):
    """A matrix product by NumPy's rules. Two sparse matrices have a sparse product."""
    s, t = _tensor(left), _tensor(right)
    if s is None or t is None:
        return NotImplemented
    first, second = s.shape, t.shape
    if not first or not second:
        raise refuse("E0202", "a matrix product needs modes to sum over", "multiply by a number with *")
    _meet(first, second)
    ranks = (len(first), len(second))
    if ranks not in _MODES:
        return _batched(_array.wrap(s), _array.wrap(t), other)
    done = run(_product(ranks, s.dtype == t.dtype == "bool", is_exact(s, t)), s, t)
    return number(done) if len(first) == len(second) == 1 else result(done, other)


def _meet(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """The last mode of one factor and the one of the other that it is summed with have one size."""
    columns, rows = left[-1], right[-2 if len(right) > 1 else 0]
    if columns != rows:
        message = f"shapes {left} and {right} have no product"
        raise refuse("E0203", f"{message}: its sum ranges over {columns} values in one and over {rows} in the other")


def number(tensor: _core.Tensor):
    """The value of a tensor without modes, as NumPy's number."""
    return np.dtype(tensor.dtype).type(tensor.item())


def _batched(a: Array, b: Array, other):
    """Matrix products over leading modes that broadcast."""
    rows, columns = ["i"] * (a.ndim > 1), ["k"] * (b.ndim > 1)
    shape, (left, right) = broadcast([a.shape[: -2 if rows else -1], b.shape[: -2 if columns else -1]])
    batch = [f"i{n}" for n in reversed(range(len(shape)))]
    one, two = (x.dtype == bool for x in (a, b))
    factors = (read("left", left + rows + ["j"], truth=one), read("right", right + ["j", *columns], truth=two))
    built = product(access("result", batch + rows + columns), ["j"], factors, truth=one and two)
    # As of matrices, the product with a dense operand of NumPy's is one.
    numpys = type(other) is not _array.Array and (a._tensor.dense or b._tensor.dense)
    format = "dense" if numpys and not _array.is_scipy(other) else None
    return result(run(statement(built, ("left", "right"), format, exact=is_exact(a._tensor, b._tensor)), a._tensor, b._tensor), other)
