"""What an array is like, and settings of the process."""

from __future__ import annotations

from typing import Any

from . import _core
from ._convert import asarray
from ._errors import refuse


class Info(dict):
    """What :func:`info` found, by name; printed as a table."""

    def __repr__(self) -> str:
        lines = [f"{name:18} {value}" for name, value in self.items() if name != "candidates"]
        for format, size, micros, reason in self.get("candidates", [])[:6]:
            lines.append(
                f"  {format:16} {size:>12} bytes, product with a vector about {micros:.1f} us: {reason}"
            )
        return "\n".join(lines)


def info(x) -> Info:
    """The structure of an array, and for a matrix the formats that suit it.

    Candidates are ``(format, bytes, microseconds, reason)``: bytes are exact, the time of a product with a vector is an
    estimate from constants that were measured elsewhere.

    Examples
    --------
    >>> import scipy.sparse as sp, openwork as ow
    >>> found = ow.info(sp.eye_array(1000, format="csr"))
    >>> found["diagonals"], found["recommended"]
    (1, 'dia')
    """
    array = asarray(x)
    names = ("shape", "dtype", "format", "fill_value", "nbytes", "nnz")
    found: dict[str, Any] = {name: getattr(array, name) for name in names}
    if array.ndim == 2:
        found |= _core.structure(array._tensor)
    return Info(found)


def set_num_threads(n: int) -> None:
    """Sets how many threads a kernel may use; as many as there are processors at first.

    Results have the same bits whatever the number.
    """
    if n < 1:
        raise refuse("E0820", f"{n} threads cannot run anything", "give 1 or more")
    _core.set_num_threads(n)


def get_num_threads() -> int:
    """How many threads a kernel may use.

    Examples
    --------
    >>> import openwork as ow
    >>> ow.set_num_threads(2)
    >>> ow.get_num_threads()
    2
    """
    return _core.num_threads()


def free_memory() -> None:
    """Gives back to the system what waits for the next call: workspaces, and memory of results that are read no more.

    It is given back by itself before an array is refused; this is for when other programs need it.

    Examples
    --------
    >>> import openwork as ow
    >>> ow.free_memory()
    """
    _core.free_memory()
