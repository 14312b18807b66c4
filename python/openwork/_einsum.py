"""NumPy's ``einsum`` notation as index notation."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import numpy as np

from . import _core
from ._core import BuiltStatement, access, call, index
from ._array import Array, wrap
from ._array import operand as as_operand
from ._convert import asarray, refilled
from ._errors import OpenworkError, refuse
from ._statements import broadcast, dtype_of, exactness, is_exact, product, statement
from ._statements import operand as read


def einsum(
    subscripts,
    *operands,
    format: str | None = None,
    dtype=None,
    exact: bool | None = None,
    semiring: str | None = None,
) -> Array:
    """A sum of products in NumPy's notation, as one kernel.

    Ellipses broadcast, repeated letters take diagonals, and without ``->`` the letters that appear once are kept in
    alphabetical order. Operands and lists of numbers may also alternate, as in ``np.einsum(a, [0, 1], b, [1, 2])``.

    Parameters
    ----------
    subscripts : str
        As for :func:`numpy.einsum`.
    operands : array_like or sparse
        Anything that :func:`openwork.asarray` takes.
    format : str, optional
        The format of the result; chosen from the operands by default.
    dtype : dtype, optional
        The dtype of the result.
    exact : bool, optional
        Arithmetic as NumPy has it for dense arrays; by default that of :func:`openwork.exact`.
    semiring : str, optional
        What sums and products are, as in GraphBLAS: ``"min_plus"``, ``"max_min"``, ``"lor_land"``, ``"plus_pair"``… What
        sparse operands do not store is nothing, whatever their fill value: ``inf`` for ``min``, so that ``min_plus`` follows
        the edges of a graph. The result has that value where nothing meets.

    Examples
    --------
    >>> import openwork as ow
    >>> roads = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr")
    >>> ow.einsum("ij,j->i", roads, [0.0, 1.0], semiring="min_plus").todense()
    array([3., 3.])
    >>> a = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr")
    >>> ow.einsum("ij,jk->ik", a, a, format="csr").todense()
    array([[6., 0.],
           [0., 6.]])
    >>> ow.einsum("ii", a).item()
    0.0
    """
    return _summed(subscripts, operands, format, dtype, exactness(exact), semiring)


def numpys(subscripts, *operands, dtype=None) -> Array:
    """As :func:`einsum`, with the arithmetic that NumPy's functions have."""
    return _summed(subscripts, operands, None, dtype, None)


def _summed(subscripts, operands, format, dtype, exact: bool | None, semiring: str | None = None) -> Array:
    """A sum of products; as exact as NumPy's functions are where it is not said how."""
    lists = not isinstance(subscripts, str)
    if lists:
        subscripts, operands = _from_lists(subscripts, *operands)
    arrays = [_array(n, x) for n, x in enumerate(operands)]
    name = None if dtype is None else str(dtype_of(dtype))
    if semiring is not None:
        arrays = _over(semiring, arrays)
    try:
        truths = tuple(x.dtype == bool for x in arrays)
        built, names = _translated(subscripts, tuple(x.shape for x in arrays), truths, name in (None, "bool"), semiring)
        tensors = [x._tensor for x in arrays]
        exact = is_exact(*tensors) if exact is None else exact
        return wrap(statement(built, names, format, name, exact=exact)(*tensors))
    except OpenworkError as e:
        raise _as_written(e, subscripts, lists) from None


def _over(semiring: str, arrays: list[Array]) -> list[Array]:
    """The operands with what is nothing in a semiring as their fill value."""
    known = _core.semirings()
    if semiring not in known:
        help = _core.meant_or(semiring, known, "a sum and a product, as in min_plus, max_times, lor_land or plus_pair")
        raise refuse("E0211", f"there is no semiring `{semiring}`", help)
    return [_with_nothing(semiring, x) for x in arrays]


def _with_nothing(semiring: str, x: Array) -> Array:
    """An array whose fill value is what is nothing in a semiring: of integers, an end of their dtype."""
    zero = _core.semiring_zero(semiring, str(x.dtype))
    if zero is None:
        # A sum that has no such value refuses the dtype by name.
        return x
    if zero in ("false", "true"):
        return _filled(x, zero == "true", np.dtype(bool))
    return _filled(x, int(zero) if x.dtype.kind in "iu" else float(zero), x.dtype)


def _filled(x: Array, fill, dtype: np.dtype) -> Array:
    """An array of what this one stores, in a dtype, all else having another value. It is kept beside the array, so that what
    is found out about it, and made of it, serves the next product as well."""
    t = x._tensor
    if t.dense:
        return x if x.dtype == dtype else x.astype(dtype)
    if x.dtype == dtype and t.fill == fill:
        return x
    about = (t.version, fill, dtype)
    of, known, made = getattr(x, "_refilled", (None, None, None))
    if of is t and known == about and made is not None:
        return made
    made = refilled(x, fill, dtype)
    # What has values of its own would not follow those that somebody else writes to.
    if not t.foreign or (x.dtype == dtype and not t.padded):
        x._refilled = t, about, made
    return made


def _as_written(e: OpenworkError, subscripts: str, lists: bool) -> OpenworkError:
    """The exception in the notation of the caller, who wrote no statement."""
    made = "statement:" in str(e)
    compiled = made or e.code in ("E0210", "E0603", "E0604")
    if not compiled and not lists:
        return e

    def ours(text: str | None) -> str | None:
        if text and lists:
            text = re.sub(r"index `([A-Za-z])`", lambda m: f"index `{_number(m[1])}`", text)
            text = re.sub(r"`([A-Za-z.,]+(->[A-Za-z.]*)?)`", lambda m: f"`{_as_lists(m[1])}`", text)
        return text

    message = f"{e.message}, in `{subscripts}`" if compiled else e.message
    return refuse(e.code, ours(message) or "", ours(e.help))


def _number(letter: str) -> int:
    """The number that stands for a letter in the form with lists."""
    return ord(letter) - (ord("A") if letter.isupper() else ord("a") - 26)


def _as_lists(text: str) -> str:
    """Letters as the lists that they were made of."""

    def term(letters: str) -> str:
        parts = re.findall(r"\.\.\.|[A-Za-z]", letters)
        return f"[{', '.join('...' if p == '...' else str(_number(p)) for p in parts)}]"

    left, arrow, right = text.partition("->")
    return ", ".join(map(term, left.split(","))) + (f" -> {term(right)}" if arrow else "")


def _array(n: int, x) -> Array:
    """Operand number ``n``."""
    array = as_operand(x)
    if array is None and np.ndim(x) == 0 and np.isscalar(x):
        array = asarray(x)
    if array is None:
        raise refuse("E0211", f"operand {n} is no array")
    return array


def _from_lists(*args):
    """The form in which operands and lists of numbers alternate, as letters."""
    output = args[-1] if len(args) % 2 else None
    pairs = args[: len(args) - len(args) % 2]

    def term(numbers):
        return "".join("..." if n is Ellipsis else chr(ord("A" if n < 26 else "a") + n % 26) for n in numbers)

    text = ",".join(term(numbers) for numbers in pairs[1::2])
    return text if output is None else f"{text}->{term(output)}", pairs[::2]


def _terms(subscripts: str, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """The indices of every operand and of the result; those of an ellipsis are numbers, counted from the last."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise refuse("E0202", f"`{subscripts}` has {len(terms)} operands, but {len(ranks)} are given")
    inputs = [_indices(t, r - len(t.replace("...", ""))) for t, r in zip(terms, ranks)]
    dots = sorted({i for term in inputs for i in term if i.isdigit()}, key=int, reverse=True)
    if not arrow:
        once = Counter(left.replace("...", "").replace(",", ""))
        return inputs, dots + sorted(i for i, n in once.items() if n == 1)
    output = _indices(right, len(dots))
    unknown = set(output) - {i for term in inputs for i in term}
    if unknown or len(set(output)) < len(output):
        raise refuse("E0102", f"the result of `{subscripts}` repeats an index or has one that no operand has")
    return inputs, output


def _indices(term: str, covered: int) -> list[str]:
    """The indices of a term whose ellipsis covers so many modes."""
    before, dots, after = term.partition("...")
    if not (before + after).isalpha() and before + after:
        raise refuse("E0102", f"`{term}` is not made of letters and one ellipsis")
    if covered < 0 or (covered and not dots):
        modes = len(before + after) + covered
        raise refuse("E0202", f"`{term}` does not have the {modes} modes of its operand")
    return [*before, *(str(n) for n in reversed(range(covered))), *after]


def _sizes(subscripts: str, inputs: list[list[str]], shapes: tuple[tuple[int, ...], ...]) -> dict[str, int]:
    """The size of every letter: one in each operand and the same in all, along which modes of size 1 of other operands are repeated."""
    sizes: dict[str, tuple[int, int]] = {}
    for n, (term, shape) in enumerate(zip(inputs, shapes)):
        own: dict[str, int] = {}
        for i, size in zip(term, shape):
            known, first = sizes.get(i, (size, n))
            if i in own:
                known, first = own[i], n
            if known != size and not i.isdigit() and (i in own or 1 not in (known, size)):
                raise refuse(
                    "E0203",
                    f"index `{i}` of `{subscripts}` ranges over {known} values in operand {first}, but over {size} in {n}",
                )
            own[i] = size
            sizes[i] = (size, n) if sizes.get(i, (1, 0))[0] == 1 else sizes[i]
    return {i: size for i, (size, _) in sizes.items()}


@lru_cache(maxsize=1024)
def _translated(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], truths: tuple[bool, ...], kept: bool, semiring: str | None = None
) -> tuple[BuiltStatement, tuple[str, ...]]:
    """The statement, and the names of its operands: some hold truth values, which a result may be kept of."""
    inputs, output = _terms(subscripts, [len(s) for s in shapes])
    sizes = _sizes(subscripts, inputs, shapes)
    dots = [tuple(n for n, i in zip(s, term) if i.isdigit()) for s, term in zip(shapes, inputs)]
    _, broadcasted = broadcast(dots)
    names = tuple(f"operand_{n}" for n in range(len(inputs)))
    factors = []
    for name, term, shape, covered, truth in zip(names, inputs, shapes, broadcasted, truths):
        rest = iter(covered)
        # What is repeated along a letter has an index of its own.
        own = [next(rest) if i.isdigit() else f"_{i}" if n == 1 != sizes[i] else i for i, n in zip(term, shape)]
        factors.append(read(name, own, truth=truth))
    left = access("result", [f"i{i}" if i.isdigit() else i for i in output])
    summed = sorted({i for term in inputs for i in term} - set(output))
    over = [f"i{i}" if i.isdigit() else i for i in summed]
    if semiring is None:
        return product(left, over, factors, truth=kept and all(truths)), names
    return left.assign(call(semiring, *map(index, over), *factors)), names
