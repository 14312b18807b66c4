"""Several statements, of which later ones read what earlier ones compute."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from . import _core
from ._array import Array, wrap
from ._errors import refuse
from ._evaluate import _tensor
from ._functions import defined
from ._statements import NAMES, dtype_of, exactness, sizes
from ._ufuncs import into


def evaluate_all(
    exprs: str | Iterable[str],
    /,
    *,
    results: Iterable[str] | None = None,
    formats: dict[str, str] | None = None,
    dtypes: dict[str, Any] | None = None,
    dims: dict[str, int | tuple[int, ...]] | None = None,
    variant: int | None = None,
    exact: bool | None = None,
    out: dict[str, Any] | None = None,
    operands: dict[str, Any] | None = None,
    **named: Any,
) -> dict[str, Any]:
    """Computes several statements, one after the other.

    A statement reads the result of the last one before it that computes a tensor of the operand's name, or else the
    operand given. Kernels that read the same rows run together, part by part, so that what one reads or writes is in the
    cache for the next; what nobody reads any more is given back at once.

    Parameters
    ----------
    exprs : str or iterable of str
        Statements, separated by ``;`` or ends of lines.
    results : iterable of str, optional
        The results wanted; by default those in ``out``, or else those that no later statement reads.
    formats, dtypes : dict, optional
        Formats and dtypes of what is computed, by name; chosen from the operands by default.
    variant : int, optional
        As for :func:`kernel`, of the statements whose plans have such a variant: these run one after the other.
    out : dict, optional
        Where results go, by name, which is then what is returned: a NumPy array gets the values, an array of ours, as a result
        of an earlier call, is the new one from then on. All of them are as they were where anything is refused. Rounds of an iteration
        that put their results in the place of those before take turns with two pieces of memory, and ask for no more.
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

    Rounds of a power iteration, in the same memory:

    >>> x = ow.asarray([1.0, 1.0])
    >>> for _ in range(50):
    ...     made = ow.evaluate_all("y(i) = A(i,j) * x(j); x(i) = y(i) / max(k, y(k))", out={"x": x}, A=A, x=x)
    >>> made["x"] is x, x.todense()
    (True, array([1., 1.]))
    """
    text = exprs if isinstance(exprs, str) else "; ".join(exprs)
    if isinstance(results, str):
        raise refuse("E0201", f"`results` is text, and no list of names: {results!r}", f"give [{results!r}]")
    text, given = defined(text, {**(operands or {}), **named})
    if out is not None and not isinstance(out, dict):
        help = "give {'x': x}, with the array for each result"
        raise refuse("E0211", f"`out` has arrays by the names of results, and is no {type(out).__name__}", help)
    out = dict(out or {})
    if results is None and out:
        results = list(out)
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
    tensors = [_tensor(n, x) for n, x in given.items()]
    if not out:
        return {name: wrap(t) for name, t in made(*tensors)}
    return _into(out, made, tensors, results)


def _into(out: dict[str, Any], made, tensors, results) -> dict[str, Any]:
    """The results of statements, in ``out`` where that has their names."""
    known = list(dict.fromkeys(made.computed))
    for name, x in out.items():
        if name not in known:
            help = _core.meant_or(name, known, f"they compute {', '.join(known)}")
            raise refuse("E0201", f"`out` names `{name}`, which no statement computes", help)
        if results is not None and name not in results:
            raise refuse("E0201", f"`out` names `{name}`, which is not among `results`", f"add {name!r} to `results`")
        if type(x) is not Array and not isinstance(x, np.ndarray):
            raise TypeError(f"out[{name!r}] is an openwork.Array or a NumPy array, and no {type(x).__name__}")
    ours = {name: x._tensor for name, x in out.items() if type(x) is Array}
    if len(set(map(id, ours.values()))) < len(ours):
        raise refuse("E0211", "`out` has one array under several names", "give each result an array of its own")
    arrays = {name: x for name, x in out.items() if type(x) is not Array}
    for name, other in combinations(arrays, 2):
        if np.shares_memory(arrays[name], arrays[other]):
            message = f"`out` has arrays for `{name}` and `{other}` that share memory"
            raise refuse("E0211", message, "give each result an array of its own")
    for name, x in arrays.items():
        if not x.flags.writeable:
            raise refuse("E0211", f"`out` has an array for `{name}` that is read-only", "give one of your own, as a copy")
    fitting = {name: [str(d) for d in NAMES if np.can_cast(d, x.dtype, "same_kind")] for name, x in arrays.items()}
    asked = {name: (list(x.shape), fitting[name]) for name, x in arrays.items()}
    found = {name: wrap(t) for name, t in made.into(ours, asked, *tensors)}
    for name, x in arrays.items():
        into(x, found[name])
    return {name: out.get(name, found.get(name)) for name in known if name in out or name in found}


@lru_cache(maxsize=256)
def _statements(text, names, results, formats, dtypes, dims, exact, variant):
    asked = None if results is None else list(results)
    return _core.Statements(text, list(names), asked, dict(formats), dict(dtypes), sizes(dims), exact, variant)
