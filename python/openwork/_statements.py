"""Statements for operators, built of expressions, once for each way that operands line up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, partial, reduce
from itertools import zip_longest
from operator import and_, mul
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import BuiltStatement, Expression, access, call
from ._errors import OpenworkError, refuse

if TYPE_CHECKING:
    from ._core import Value

# The compiler's name of each dtype.
NAMES = {
    np.dtype(numpy): ours
    for numpy, ours in [
        ("bool", "bool"),
        ("int8", "i8"),
        ("int16", "i16"),
        ("int32", "i32"),
        ("int64", "i64"),
        ("uint8", "u8"),
        ("uint16", "u16"),
        ("uint32", "u32"),
        ("uint64", "u64"),
        ("float32", "f32"),
        ("float64", "f64"),
        ("complex64", "c64"),
        ("complex128", "c128"),
    ]
}


_KNOWN = [str(d) for d in NAMES]


def dtype_of(dtype) -> np.dtype:
    """A dtype of ours, or :class:`DTypeError`."""
    try:
        # Every call with an array comes here, so nothing is made but what is asked for.
        found = np.dtype(dtype).newbyteorder("=")
        if found in NAMES:
            return found
    except TypeError:
        help = _core.meant_or(str(dtype), _KNOWN, f"known are {', '.join(_KNOWN)}")
        raise refuse("E0805", f"`{dtype}` is no dtype", help) from None
    raise refuse("E0805", f"the dtype {found} is not supported", f"known are {', '.join(_KNOWN)}")


def no_operand(text: str, name: str, known) -> OpenworkError:
    """The exception for an operand that a statement does not have."""
    known = list(known)
    help = f"its operands are {', '.join(known)}" if known else "it has no operand at all"
    if name in _OF_KERNELS:
        help = f"`{name}` is for the function `openwork.kernel`, which makes kernels; {help}"
    return refuse("E0201", f"`{text}` has no operand `{name}`", _core.meant_or(name, known, help))


# What is fixed when a kernel is made, and no operand of a call.
_OF_KERNELS = ("formats", "dtypes", "format", "dtype", "dims", "exact", "schedule", "variant")


# Nothing where nobody asked for one of the two arithmetics.
_EXACT: ContextVar[bool | None] = ContextVar("openwork_exact", default=None)


@contextmanager
def exact(on: bool = True):
    """Arithmetic as NumPy has it for dense arrays, for every operation in the ``with`` statement.

    A kernel keeps the arithmetic that it was made with. By default a zero decides a product, stored or not, whatever stands beside it, and
    ``0 * inf`` is 0; here it is NaN. Products are rounded before they are added here, as NumPy's are; by default both are one
    step (a fused multiply-add) where the machine can, so that last bits differ. Operators, methods and NumPy's functions of dense arrays alone are exact in any case, unless
    ``exact(False)`` is in force.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> A = ow.asarray([[0.0, 1.0], [2.0, 0.0]], format="csr")
    >>> A @ np.array([np.inf, 1.0])
    array([ 1., inf])
    >>> with ow.exact():
    ...     A @ np.array([np.inf, 1.0])
    array([nan, inf])
    >>> D = A.asformat("dense")
    >>> D @ np.array([np.inf, 1.0])
    array([nan, inf])
    >>> with ow.exact(False):
    ...     D @ np.array([np.inf, 1.0])
    array([ 1., inf])
    """
    before = _EXACT.set(on)
    try:
        yield
    finally:
        _EXACT.reset(before)


def exactness(asked: bool | None = None) -> bool:
    """Whether a statement is exact: as it is asked to be, else as is in force, which is not unless somebody said so."""
    return bool(_EXACT.get() if asked is None else asked)


def is_exact(*tensors: _core.Tensor) -> bool:
    """Whether operators and NumPy's functions are exact: as is in force, else as NumPy is, where no operand is sparse."""
    asked = _EXACT.get()
    if asked is not None:
        return asked
    # A loop, as an iterator of its own takes longer than asking two tensors.
    for t in tensors:
        if not t.dense:
            return False
    return True


def statement(
    text: str | BuiltStatement,
    names: tuple,
    format: str | None = None,
    dtype: str | None = None,
    dims: tuple = (),
    schedule: str | None = None,
    exact: bool | None = None,
    variant: int | None = None,
):
    """The statement with this text, or that was built; the kernels it has compiled stay with it."""
    return _statement(text, names, format, dtype, dims, schedule, exactness(exact), variant)


@lru_cache(maxsize=1024)
def _statement(text, names, format, dtype, dims, schedule, exact, variant):
    return _core.Statement(text, list(names), format, dtype, sizes(dims), schedule, exact, variant)


def statements(built: Sequence[BuiltStatement], names: tuple, dtypes: dict[str, str]):
    """Statements with dense results of these dtypes, by name; where they visit the same elements, one kernel computes them."""
    return _statements(tuple(built), names, tuple(dtypes.items()), exactness())


@lru_cache(maxsize=256)
def _statements(built, names, dtypes, exact):
    results = list(dict(dtypes))
    return _core.Statements(list(built), list(names), results, dict.fromkeys(results, "dense"), dict(dtypes), {}, exact, None)


def sizes(dims) -> dict[str, int | tuple[int, ...]]:
    """The sizes of index variables, of which each may have one, and the shape of a result that is assigned where values say."""
    dims = dict(dims or {})
    for name, n in dims.items():
        for size in n if isinstance(n, (tuple, list)) else (n,):
            check_size(size, f"`{name}`")
    return dims


def check_size(n, what: str) -> None:
    """Refuses a size that no mode has; what is no number is Python's to refuse."""
    if isinstance(n, (int, np.integer)) and not 0 <= n < 2**63:
        raise refuse("E0603", f"{what} cannot have the size {n}", "sizes are numbers of 0 and more, below 2**63")


def run(made, *given: Any) -> Any:
    """The result of a statement that nobody wrote, so that no message shows it: operands are called by their places."""
    try:
        return made(*given)
    except OpenworkError as e:
        if "statement:" not in str(e):
            raise
        raise refuse(e.code, e.message, e.help) from None


def run_all(made, *tensors: _core.Tensor) -> dict[str, _core.Tensor]:
    """The results of several statements that nobody wrote, by name."""
    return dict(run(made, *tensors))


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...]]:
    """The common shape by NumPy's rules, and for each operand the index of every mode: ``i0`` counts from the last
    mode, and a mode of size 1 that is repeated gets ``_`` and its number."""
    return _broadcast(tuple(shapes))


# Small operations take no longer than finding this out.
@lru_cache(maxsize=1024)
def _broadcast(shapes):
    rows = list(zip_longest(*(reversed(s) for s in shapes), fillvalue=None))
    result = []
    for row in rows:
        sizes = {n for n in row if n is not None}
        wide = sizes - {1}
        if len(wide) > 1:
            raise refuse("E0203", f"shapes {' and '.join(map(str, shapes))} do not broadcast")
        result.append(wide.pop() if wide else 1)
    indices = (
        tuple(f"i{n}" if size == result[n] else f"_{n}" for n, size in enumerate(reversed(s)))[::-1]
        for s in shapes
    )
    return tuple(reversed(result)), tuple(indices)


def operand(name: str, indices: Sequence[str], *, truth: bool = False) -> Expression:
    """An access whose modes of size 1 are reduced away, which repeats their only value: a sum of one, or any of one truth value."""
    ones = [i for i in dict.fromkeys(indices) if i.startswith("_")]
    return _core.reduce("any" if truth else "sum", ones, access(name, indices))


def product(left: Expression, over: Sequence[str], factors: Sequence[Expression], *, truth: bool = False) -> BuiltStatement:
    """The statement of a sum of products over some indices; of truth values, whether all factors are true anywhere, as in NumPy."""
    if not truth:
        return left.assign(reduce(mul, factors))
    return left.assign(_core.reduce("any", over, reduce(and_, factors)))


class Number:
    """A number of a statement, as Python's own classes have it. Two are equal where the statement is the same with either: 1, 1.0,
    True and -0.0 are apart."""

    __slots__ = ("_key", "value")

    def __init__(self, number: bool | int | float, dtype: str | None = None):
        # Classes derived of these may have other texts.
        own = next(kind for kind in (bool, float, int) if isinstance(number, kind))
        plain = own(number)
        self.value: Value = plain if dtype is None else call(dtype, plain)
        self._key = (own, float(plain).hex() if own is float else plain, dtype)

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return type(other) is Number and self._key == other._key


def literal(value) -> Number | None:
    """A number as statements have it; nothing for those that they cannot have."""
    if isinstance(value, np.generic):
        # A number of a dtype that is not ours may be none of Python's.
        name, number = NAMES[dtype_of(value.dtype)], value.item()
        return Number(number, name) if isinstance(number, (bool, int, float)) else None
    return Number(value) if isinstance(value, (bool, int, float)) else None


@lru_cache(maxsize=None)
def function(name: str) -> Callable[..., Expression]:
    """A function of statements by its name, the same object each time, as what statements are found by."""
    return partial(call, name)


def unchanged(value: Expression) -> Expression:
    """What makes a statement a copy."""
    return value


# What operands are called in messages, by how many there are.
_PLACES = ((), ("operand",), ("left", "right"), ("first", "second", "third"), ("first", "second", "third", "fourth"))


def elementwise(
    make: Callable[..., Any],
    indices: tuple[tuple[str, ...], ...],
    rank: int,
    *,
    numbers: tuple[Number | None, ...] = (),
    truths: tuple[bool, ...] = (),
    exact: bool | None = None,
    **fixed,
):
    """The statement of a function over operands with these indices, some of which hold truth values. Where it takes numbers as well,
    `numbers` has one for each argument, and nothing for an operand. `make` is part of what the statement is found by."""
    return _elementwise(make, indices, rank, numbers, truths, exact=exactness(exact), **fixed)


@lru_cache(maxsize=1024)
def _elementwise(make, indices, rank, numbers, truths, **fixed):
    left = access("result", [f"i{n}" for n in reversed(range(rank))])
    names = _PLACES[len(indices)]
    truths = truths or (False,) * len(names)
    operands = iter([operand(n, i, truth=truth) for n, i, truth in zip(names, indices, truths)])
    values = operands if not numbers else [next(operands) if x is None else x.value for x in numbers]
    return statement(left.assign(make(*values)), names, **fixed)


def same_shape(make: Callable[..., Any], operands: int, rank: int, exact: bool | None = None):
    """As :func:`elementwise`, for operands of one shape."""
    return _same_shape(make, operands, rank, exactness(exact))


@lru_cache(maxsize=256)
def _same_shape(make, operands, rank, exact):
    # Whatever decides what a statement means is part of what it is found by.
    indices = tuple(f"i{n}" for n in reversed(range(rank)))
    return elementwise(make, (indices,) * operands, rank, exact=exact)
