"""Several statements, of which later ones read what earlier ones compute."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from . import _core
from ._array import Array, wrap
from ._errors import refuse
from ._evaluate import _tensor
from ._functions import defined
from ._statements import dtype_of, exactness, sizes


def evaluate_all(
    exprs: str | Iterable[str],
    /,
    *,
    results: Iterable[str] | None = None,
    formats: dict[str, str] | None = None,
    dtypes: dict[str, Any] | None = None,
    dims: dict[str, int] | None = None,
    variant: int | None = None,
    exact: bool | None = None,
    operands: dict[str, Any] | None = None,
    **named: Any,
) -> dict[str, Array]:
    """Computes several statements, one after the other.

    A statement reads the result of the last one before it that computes a tensor of the operand's name, or else the
    operand given. Kernels that read the same rows run together, part by part, so that what one reads or writes is in the
    cache for the next; what nobody reads any more is given back at once.

    Parameters
    ----------
    exprs : str or iterable of str
        Statements, separated by ``;`` or ends of lines.
    results : iterable of str, optional
        The results wanted; by default those that no later statement reads.
    formats, dtypes : dict, optional
        Formats and dtypes of what is computed, by name; chosen from the operands by default.
    variant : int, optional
        As for :func:`kernel`, of the statements whose plans have such a variant: these run one after the other.
    dims, exact, operands, **named
        As for :func:`evaluate`.

    Returns
    -------
    dict
        The results by name, in the order of their statements.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, openwork as ow
    >>> A = sp.csr_array([[0.0, 2.0], [3.0, 0.0]])
    >>> made = ow.evaluate_all("q(i) = A(i,j) * p(j); a = p(i) * q(i)", results=["q", "a"], A=A, p=np.array([1.0, 2.0]))
    >>> made["q"].todense(), made["a"].item()
    (array([4., 3.]), 10.0)
    """
    text = exprs if isinstance(exprs, str) else "; ".join(exprs)
    if isinstance(results, str):
        raise refuse("E0201", f"`results` is text, and no list of names: {results!r}", f"give [{results!r}]")
    text, given = defined(text, {**(operands or {}), **named})
    types = {name: str(dtype_of(d)) for name, d in (dtypes or {}).items()}
    made = _statements(
        text,
        tuple(given),
        None if results is None else tuple(results),
        tuple((formats or {}).items()),
        tuple(types.items()),
        tuple((dims or {}).items()),
        exactness(exact),
        variant,
    )
    for what, names in (("formats", formats), ("dtypes", dtypes)):
        for name in names or {}:
            if name not in made.computed:
                help = _core.meant_or(name, made.computed, f"they compute {', '.join(made.computed)}")
                raise refuse("E0201", f"`{what}` names `{name}`, which no statement computes", help)
    return {name: wrap(t) for name, t in made(*(_tensor(n, x) for n, x in given.items()))}


@lru_cache(maxsize=256)
def _statements(text, names, results, formats, dtypes, dims, exact, variant):
    asked = None if results is None else list(results)
    return _core.Statements(text, list(names), asked, dict(formats), dict(dtypes), sizes(dims), exact, variant)
