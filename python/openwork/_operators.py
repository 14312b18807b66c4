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
from ._statements import _EXACT
from ._statements import operand as read
from ._ufuncs import called

if TYPE_CHECKING:
    from ._array import Array


def _reflected(make: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator with its operands changed round."""

    def reflected(a, b):
        return make(b, a)

    return reflected


class _Sign:
    """An operator: what it makes of expressions, and the statements that it is for the arrays it was called with."""

    __slots__ = ("_keeps_zeros", "known", "make")

    known: _core.Operator

    def __init__(self, make: Callable[[Any, Any], Any], *, keeps_zeros: bool = False):
        self.make, self._keeps_zeros = make, keeps_zeros

    def __getattr__(self, name: str):
        if name != "known":
            raise AttributeError(name)
        # Made when it is first needed: what the environment says wrong is refused by a use, not by the import of the package.
        self.known = _core.Operator(self._keeps_zeros)
        return self.known


_ADD, _SUB, _MUL, _TRUEDIV = _Sign(operator.add), _Sign(operator.sub), _Sign(operator.mul, keeps_zeros=True), _Sign(operator.truediv, keeps_zeros=True)
_AND, _OR, _XOR = map(_Sign, (operator.and_, operator.or_, operator.xor))
_EQ, _NE, _LT, _LE, _GT, _GE = map(_Sign, (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge))
_RADD, _RSUB, _RMUL = _Sign(_reflected(operator.add)), _Sign(_reflected(operator.sub)), _Sign(_reflected(operator.mul), keeps_zeros=True)
_RTRUEDIV, _RAND, _ROR, _RXOR = (_Sign(_reflected(make)) for make in (operator.truediv, operator.and_, operator.or_, operator.xor))
_MATMUL = _Sign(operator.matmul)


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
            return _binary(_ADD, self, other)

        def __radd__(self, other):
            return _binary(_RADD, self, other)

        def __sub__(self, other):
            return _binary(_SUB, self, other)

        def __rsub__(self, other):
            return _binary(_RSUB, self, other)

        def __mul__(self, other):
            return _binary(_MUL, self, other)

        def __rmul__(self, other):
            # The older classes of SciPy, which are matrices, have `*` for their product.
            if type(other) not in (int, float) and _array.is_matrix(other):
                return _matmul(other, self, other)
            return _binary(_RMUL, self, other)

        multiply = __mul__

        def __truediv__(self, other):
            return _binary(_TRUEDIV, self, other)

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
            return _binary(_AND, self, other)

        def __rand__(self, other):
            return _binary(_RAND, self, other)

        def __or__(self, other):
            return _binary(_OR, self, other)

        def __ror__(self, other):
            return _binary(_ROR, self, other)

        def __xor__(self, other):
            return _binary(_XOR, self, other)

        def __rxor__(self, other):
            return _binary(_RXOR, self, other)

        def __eq__(self, other):
            return _binary(_EQ, self, other)

        def __ne__(self, other):
            return _binary(_NE, self, other)

        def __lt__(self, other):
            return _binary(_LT, self, other)

        def __le__(self, other):
            return _binary(_LE, self, other)

        def __gt__(self, other):
            return _binary(_GT, self, other)

        def __ge__(self, other):
            return _binary(_GE, self, other)

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


def _binary(sign: _Sign, a: Array, other):
    """An operator element by element, with NumPy's broadcasting."""
    if type(other) is _array.Array:
        found = run(sign.known.alike, a._tensor, other._tensor, _EXACT.get())
        if found is not None:
            if sign in _QUOTIENTS:
                warn_of_filling(found, a._tensor, other._tensor)
            return _array.wrap(found)
    elif not getattr(other, "shape", isinstance(other, (list, tuple))):
        found = run(sign.known.scaled, a._tensor, other, _EXACT.get())
        return _with_scalar(sign, a, other) if found is None else _array.wrap(found)
    b = operand(other)
    if b is None:
        return NotImplemented
    left, right = a._tensor, b._tensor
    shape, exact = left.shape, is_exact(left, right)
    if shape == right.shape:
        made = same_shape(sign.make, 2, len(shape), exact)
        sign.known.keep(len(shape), exact, made)
    else:
        shape, indices = broadcast([shape, right.shape])
        truths = (left.dtype == "bool", right.dtype == "bool")
        made = elementwise(sign.make, indices, len(shape), truths=truths, exact=exact)
    found = run(made, left, right)
    if sign in _QUOTIENTS:
        warn_of_filling(found, left, right)
    return result(found, other)


def _with_scalar(sign: _Sign, a: Array, value):
    """An operator with a number. Where the number decides what is stored it is part of the statement; elsewhere it is
    an operand, so that one kernel serves all numbers."""
    if sign in _EQUALITIES and (value is None or isinstance(value, (str, bytes))):
        # No value is equal to it, as none is to NaN.
        value = math.nan
    if type(value) not in (float, int) and not isinstance(value, (numbers.Number, np.generic, np.ndarray)):
        return NotImplemented
    value = value[()] if isinstance(value, np.ndarray) else value
    if isinstance(value, int) and not isinstance(value, bool):
        value = _fitting(sign, a.dtype, value)
    t = a._tensor
    exact, indices = is_exact(t), _array.indices_of(t.ndim)
    number = None if t.full or (t.fill == 0 and sign in _SCALES) else literal(value)
    if number is not None:
        return _array.wrap(run(elementwise(sign.make, (indices,), t.ndim, numbers=(None, number), exact=exact), t))
    # Beside a number of Python's, floats keep their dtype.
    given: Any = value
    same = type(value) in (float, int) and a.dtype.kind in "fc"
    dtype = a.dtype if same else dtype_of(np.result_type(a.dtype, given))
    scalar = _core.single(dtype.type(value).item(), str(dtype))
    made = elementwise(sign.make, (indices, ()), t.ndim, exact=exact)
    sign.known.keep(t.ndim, exact, made, number=True)
    return _array.wrap(run(made, t, scalar))


_QUOTIENTS = (_TRUEDIV, _RTRUEDIV)
_SCALES = (_MUL, _RMUL, _TRUEDIV)
_EQUALITIES = (_EQ, _NE)
_COMPARISONS = (*_EQUALITIES, _LT, _LE, _GT, _GE)


def _fitting(sign: _Sign, dtype: np.dtype, number: int) -> int | float:
    """An integer of Python's as an operator with an array takes it, by NumPy's rules: among integers it has to fit their
    dtype, unless they are divided or compared."""
    # What every dtype holds, as asking it takes a microsecond.
    if 0 <= number < 128:
        return number
    whole = np.iinfo(dtype if dtype.kind in "iu" else np.int64)
    if whole.min <= number <= whole.max:
        return number
    if dtype.kind in "fc" or sign in _QUOTIENTS:
        return float(number)
    if sign in _COMPARISONS:
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
    done = run(_MATMUL.known.product, s, t, _EXACT.get())
    if done is not None:
        return result(done, other) if done.ndim else number(done)
    first, second = s.shape, t.shape
    if not first or not second:
        raise refuse("E0202", "a matrix product needs modes to sum over", "multiply by a number with *")
    _meet(first, second)
    ranks, exact = (len(first), len(second)), is_exact(s, t)
    if ranks not in _MODES:
        return _batched(_array.wrap(s), _array.wrap(t), other)
    truth = s.dtype == t.dtype == "bool"
    made = _product(ranks, truth, exact)
    if not truth:
        _MATMUL.known.keep(2 * ranks[0] + ranks[1] - 2, exact, made)
    done = run(made, s, t)
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
    factors = (read("left", [*left, *rows, "j"], truth=one), read("right", [*right, "j", *columns], truth=two))
    built = product(access("result", batch + rows + columns), ["j"], factors, truth=one and two)
    # As of matrices, the product with a dense operand of NumPy's is one.
    numpys = type(other) is not _array.Array and (a._tensor.dense or b._tensor.dense)
    format = "dense" if numpys and not _array.is_scipy(other) else None
    return result(run(statement(built, ("left", "right"), format, exact=is_exact(a._tensor, b._tensor)), a._tensor, b._tensor), other)
