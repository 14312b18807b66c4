"""Operators in place. An array does not change: its name gets a new one, of the same shape and dtype, as NumPy keeps
both, and what NumPy refuses to do in place is refused."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array
from ._errors import refuse

if TYPE_CHECKING:
    from ._array import Array


class InPlace:
    """``a += b`` and its like."""

    __slots__ = ()

    def __iadd__(self: Any, other) -> Array:
        return _done("+", operator.add, self, other)

    def __isub__(self: Any, other) -> Array:
        return _done("-", operator.sub, self, other)

    def __imul__(self: Any, other) -> Array:
        return _done("*", operator.mul, self, other)

    def __itruediv__(self: Any, other) -> Array:
        return _done("/", operator.truediv, self, other)

    def __ifloordiv__(self: Any, other) -> Array:
        return _done("//", operator.floordiv, self, other)

    def __imod__(self: Any, other) -> Array:
        return _done("%", operator.mod, self, other)

    def __ipow__(self: Any, other) -> Array:
        return _done("**", operator.pow, self, other)

    def __imatmul__(self: Any, other) -> Array:
        return _done("@", operator.matmul, self, other)

    def __iand__(self: Any, other) -> Array:
        return _done("&", operator.and_, self, other)

    def __ior__(self: Any, other) -> Array:
        return _done("|", operator.or_, self, other)

    def __ixor__(self: Any, other) -> Array:
        return _done("^", operator.xor, self, other)

    def __ilshift__(self: Any, other) -> Array:
        return _done("<<", operator.lshift, self, other)

    def __irshift__(self: Any, other) -> Array:
        return _done(">>", operator.rshift, self, other)


def _done(symbol: str, op, a: Array, other):
    b = _array.operand(other)
    found = op(a, other if b is None else b)
    shape = getattr(found, "shape", ())
    if shape != a.shape:
        raise refuse(
            "E0203",
            f"`{symbol}=` would change the shape {a.shape} to {shape}",
            f"`a = a {symbol} b` gives the name to the other array",
        )
    if not np.can_cast(found.dtype, a.dtype, "same_kind"):
        raise refuse(
            "E0208",
            f"`{symbol}=` would change the dtype {a.dtype} to {found.dtype}",
            f"`a = a {symbol} b` gives the name to the other array, astype({str(found.dtype)!r}) makes room before",
        )
    return found.astype(a.dtype, copy=False)
