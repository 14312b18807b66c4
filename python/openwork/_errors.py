"""The exceptions, by the code that the compiler gives its diagnostics.

Every one is an :class:`OpenworkError` and one of Python's own classes, so that code written for NumPy catches it too.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Tensor


class OpenworkError(Exception):
    """Anything that was refused, with the whole diagnostic as its text.

    Attributes
    ----------
    code : str
        The stable code, such as ``"E0203"``; the guide's ``errors.md`` explains them all.
    message : str
        What is wrong, in one sentence.
    help : str or None
        What to try.

    Examples
    --------
    >>> import openwork as ow
    >>> try:
    ...     ow.evaluate("y(i) = A(i,j) * x(i)", A=[[1.0, 2.0]], x=[1.0, 2.0, 3.0])
    ... except ow.ShapeError as e:
    ...     print(e.code)
    ...     print(e)  # doctest: +NORMALIZE_WHITESPACE
    E0203
    error[E0203]: `i` ranges over 1 values, but mode 0 of `x` has 3
     --> statement:1:19
      |
    1 | y(i) = A(i,j) * x(i)
      |          - size 1 ^ size 3
      |
      = help: use different index variables, or operands of matching shapes
    """

    code: str = "E9999"
    message: str = ""
    help: str | None = None


class ParseError(OpenworkError, ValueError):
    """Text that is no statement, or a statement that contradicts itself."""


class ShapeError(OpenworkError, ValueError):
    """Numbers of indices or sizes that disagree."""


class DTypeError(OpenworkError, TypeError):
    """A dtype that is not supported, or values that do not fit theirs."""


class NumberError(DTypeError, OverflowError):
    """A number that does not fit its dtype."""


class FormatError(OpenworkError, ValueError):
    """Text that is no format, or a format that cannot hold the data."""


class OperandError(OpenworkError, ValueError):
    """An operand that is missing or not what the kernel was compiled for."""


class DataError(OpenworkError, ValueError):
    """Arrays or coordinates that are no valid array."""


class UnsupportedError(OpenworkError, NotImplementedError):
    """A sensible request that this version refuses by name."""


class IterationError(UnsupportedError, TypeError, KeyError):
    """Iteration over a sparse array.

    It is a ``KeyError`` so that NumPy, which tries to iterate over whatever has an index, takes the array for one object
    and leaves operators to it; SciPy relies on that.
    """

    def __str__(self) -> str:
        return Exception.__str__(self)


class MemoryLimitError(OpenworkError, MemoryError):
    """More memory than there is, or than the limit allows."""


class IndexWidthError(OpenworkError, OverflowError):
    """A position or coordinate that does not fit its index width."""


class FileError(OpenworkError, OSError):
    """A file that cannot be read or written."""


class InternalError(OpenworkError, RuntimeError):
    """A mistake of ours: please report it with its text."""


_BY_CODE: dict[str, type[OpenworkError]] = {
    "E0103": UnsupportedError,
    "E0202": ShapeError,
    "E0203": ShapeError,
    "E0204": DTypeError,
    "E0206": ShapeError,
    "E0207": NumberError,
    "E0208": DTypeError,
    "E0209": UnsupportedError,
    "E0211": OperandError,
    "E0212": OperandError,
    "E0213": OperandError,
    "E0217": ShapeError,
    "E0501": UnsupportedError,
    "E0601": DataError,
    "E0602": FormatError,
    "E0603": MemoryLimitError,
    "E0604": IndexWidthError,
    "E0605": MemoryLimitError,
    # Ctrl-C raises KeyboardInterrupt instead.
    "E0606": OpenworkError,
    "E0805": DTypeError,
    "E0807": OperandError,
    "E0811": ParseError,
    "E0812": ParseError,
    "E0813": UnsupportedError,
    "E0814": UnsupportedError,
    "E9999": InternalError,
}
_BY_GROUP = {
    "E01": ParseError,
    "E02": ParseError,
    "E03": FormatError,
    "E04": UnsupportedError,
    "E05": UnsupportedError,
    "E06": DataError,
    "E07": FileError,
    "E08": OperandError,
}


# Where users find them.
for _kind in (OpenworkError, *OpenworkError.__subclasses__(), IterationError, NumberError):
    _kind.__module__ = "openwork"


def from_diagnostic(code: str, text: str, message: str, help: str | None) -> OpenworkError:
    """The exception for a diagnostic."""
    kind = _BY_CODE.get(code) or _BY_GROUP.get(code[:3], InternalError)
    error = kind(text)
    error.code, error.message, error.help = code, message, help
    return error


def refuse(
    code: str, message: str, help: str | None = None, kind: type[OpenworkError] | None = None
) -> OpenworkError:
    """An exception of the Python layer, in the shape of the compiler's."""
    text = f"error[{code}]: {message}" + (f"\nhelp: {help}" if help else "")
    if kind is None:
        return from_diagnostic(code, text, message, help)
    error = kind(text)
    error.code, error.message, error.help = code, message, help
    return error


def warn(message: str, category: type[Warning]) -> None:
    """A warning of the line of the user's that called the package, from wherever in it."""
    level, frame = 2, sys._getframe(0).f_back
    # The first one is this function's caller.
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "openwork":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


# The same text every time, so that Python shows it once for each place.
_FILLING = (
    "a quotient stores more than its operands, as 0 / 0 is NaN: openwork.normalize(A, axis=1, norm=\"sum\"), or norm=\"max\" or 2, "
    "divides rows and keeps what is stored, numpy.divide(A, s, where=s != 0) leaves zeros of s out"
)


def warn_of_filling(found: Tensor, *operands: Tensor) -> None:
    """Warns of a quotient that stores what no operand does: NaN where nothing is divided by zero."""
    if all(t.full for t in operands):
        return
    counts = [t.nnz for t in operands]
    # Two sparse operands are both stored in what they have to themselves.
    most = max(counts) if any(t.full for t in operands) else sum(counts)
    if found.nnz > most:
        warn(_FILLING, RuntimeWarning)
