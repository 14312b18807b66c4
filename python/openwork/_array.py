"""The array: what its storage is, and operators that become statements."""

from __future__ import annotations

import sys
from functools import lru_cache
from math import prod
from typing import Any, Literal

import numpy as np

from . import _core, _ufuncs
from ._core import BuiltStatement, access, call, reduce
from ._errors import refuse
from ._html import html
from ._index import Indexed, coordinates_of  # noqa: F401
from ._inplace import InPlace
from ._listed import is_long
from ._methods import Methods
from ._modes import _axes, _count
from ._numpy import NumPyProtocols
from ._operators import Operators, number, operand, result  # noqa: F401
from ._solvers import ASKING, LinearMap, refuse_slow_ways
from ._statements import NAMES, dtype_of, elementwise, function, is_exact, run, statement, unchanged
from ._thresholds import threshold

_DTYPES = {str(d): d for d in NAMES}
# What NumPy calls an order of elements in memory, and a rule for casts.
Order = Literal["C", "F", "A", "K", None]
Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


class Array(Operators, LinearMap, Indexed, InPlace, Methods, NumPyProtocols):
    """An n-dimensional array in any format, of any dtype and fill value of the compiler.

    Arrays are made by :func:`openwork.asarray`, :func:`openwork.from_coo`, :func:`openwork.load` and by computing; they
    do not change. Operators become statements in index notation, so they are compiled for the formats at hand, once.
    An operator with a NumPy operand gives a NumPy array where the result is dense, as in SciPy.

    A sparse array becomes no NumPy array by itself: ``np.asarray(a)`` is refused. Use :meth:`todense`.

    Examples
    --------
    >>> import openwork as ow
    >>> a = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr")
    >>> (a + a) * a
    <openwork.Array: shape=(2, 2), dtype=float64, format=csr, nnz=2: (0,1) 8, (1,0) 18>
    >>> (2 * a - a.T).todense()
    array([[0., 1.],
           [4., 0.]])
    """

    __slots__ = ("__weakref__", "_pickled", "_refilled", "_tensor")
    __hash__ = None  # type: ignore[assignment]

    _tensor: _core.Tensor
    _pickled: tuple[Any, ...]
    _refilled: tuple[Any, ...]

    def __init__(self, *args: Any, **kwargs: Any):
        raise TypeError("arrays are made by openwork.asarray, openwork.from_coo and openwork.load")

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of every mode."""
        return self._tensor.shape

    @property
    def ndim(self) -> int:
        """The number of modes."""
        return self._tensor.ndim

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return prod(self.shape)

    @property
    def dtype(self) -> np.dtype:
        """NumPy's dtype of the values."""
        if sys._getframe(1).f_code.co_name in ASKING:
            refuse_slow_ways(sys._getframe(1))
        return _DTYPES[self._tensor.dtype]

    @property
    def format(self) -> str:
        """How it is stored: a preset's name where one fits, else the levels in full."""
        return self._tensor.format

    @property
    def nnz(self) -> int:
        """The number of stored elements. Explicit zeros count where the format tells them from padding (as in csr, coo,
        ell, hash); padding does not count.
        """
        return self._tensor.nnz

    @property
    def fill_value(self) -> Any:
        """The value of every coordinate that is not stored."""
        return self.dtype.type(self._tensor.fill)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays together."""
        return self._tensor.nbytes

    def __repr__(self) -> str:
        fill = self.fill_value
        shown = "" if fill == 0 else f", fill={fill}"
        what = f"shape={self.shape}, dtype={self.dtype}, format={self.format}, nnz={self.nnz}"
        return f"<openwork.Array: {what}{shown}{_first(self)}>"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes

    def _repr_html_(self) -> str:
        return html(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without modes")
        return self.shape[0]

    def item(self) -> Any:
        """The only value of an array of size 1, as Python's number.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.evaluate("s = x(i) * x(i)", x=[3.0, 4.0]).item()
        25.0
        """
        if self.ndim == 0:
            return self._tensor.item()
        if self.size != 1:
            raise refuse(
                "E0202", f"an array of shape {self.shape} has no single value", "todense() gives them all; SciPy's and sklearn's own classes are made of to_scipy()"
            )
        return self.todense().item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only an integer without modes is an index")
        return int(self.item())

    # Other forms

    def todense(self, order: Order = None, out: np.ndarray | None = None, *, copy: bool = False) -> np.ndarray:
        """The array as a NumPy array, every coordinate written out.

        The values of a dense array are not copied: the NumPy array reads them in place and is read-only. With ``copy`` it
        is one of your own, to be written to, as it is without where the array is not dense. ``order`` and ``out`` are as in
        SciPy: ``"F"`` for column after column, and an array of this shape that the values go into.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.from_coo([[0, 1], [1, 0]], [2, 3], (2, 2)).todense()
        array([[0, 2],
               [3, 0]])
        """
        if out is not None:
            _ufuncs.into(out, self)
            return out
        if self._tensor.dense:
            view = np.asarray(self._tensor.dense_view(), order=order)
            return view.copy("K") if copy and not view.flags.writeable else view
        if order == "F":
            return self.T.todense().T
        return np.asarray(converted(self._tensor, "dense").take_dense(), order=order)

    toarray = todense

    def to_coo(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """The coordinates of every mode, and the values: in storage order where elements are stored one by one, as in csr, csc
        and coo, and row by row of all other formats.

        Examples
        --------
        >>> import openwork as ow
        >>> (rows, columns), values = ow.asarray([[0, 2], [3, 0]], format="csc").to_coo()
        >>> rows.tolist(), columns.tolist(), values.tolist()
        ([1, 0], [0, 1], [3, 2])
        """
        coords, values = in_turn(self._tensor).coordinates()
        return tuple(np.asarray(c) for c in coords), np.asarray(values)

    def to_scipy(self, *, copy: bool = False):
        """The array as a SciPy sparse array: ``csr``, ``csc`` and ``bcsr`` as they are, everything else as ``coo``.

        Without ``copy`` the values and coordinates of the first three are read in place, and read-only.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr").to_scipy().indices
        array([1, 0], dtype=int32)
        """
        return to_scipy(self, copy)

    def asformat(self, format: str | None) -> Array:
        """The array in another format; the array itself where it has that format already, or where none is named.

        The fill value stays unless the format names another one (``"csr; fill = inf"``), which coordinates that are not
        stored then have.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[1.0, 0.0], [0.0, 2.0]]).asformat("dia")
        <openwork.Array: shape=(2, 2), dtype=float64, format=dia, nnz=2>
        """
        if format is None or format == self.format:
            return self
        if not isinstance(format, str):
            raise TypeError(f"a format is a text such as 'csr', not {type(format).__name__}")
        return wrap(converted(self._tensor, format))

    def astype(self, dtype, casting: Casting = "unsafe", copy: bool = True) -> Array:
        """The array with its values cast as NumPy casts them, which are its own; without ``copy`` the array itself where
        it has that dtype already. Floats beyond an integer dtype become its nearest value, and NaN becomes 0.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0, 2]], format="csr").astype("float32").dtype
        dtype('float32')
        """
        to = dtype_of(dtype)
        if not np.can_cast(self.dtype, to, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {to!r} according to the rule '{casting}'")
        if to == self.dtype:
            return self.copy() if copy else self
        cast = elementwise(
            function(NAMES[to]), (indices_of(self.ndim),), self.ndim, format=self.format, dtype=str(to)
        )
        return wrap(run(cast, self._tensor))

    def copy(self) -> Array:
        """The same array with values of its own, where it read those of somebody else's memory.

        Examples
        --------
        >>> import numpy as np, openwork as ow
        >>> x = np.array([1.0, 2.0])
        >>> a, b = ow.asarray(x), ow.asarray(x).copy()
        >>> x[0] = 7.0
        >>> a.todense(), b.todense()
        (array([7., 2.]), array([1., 2.]))
        """
        return copied(self)

    def conj(self) -> Array:
        """The complex conjugate of every value; the array itself where they are real.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0, 2 + 1j]], format="csr").conj().todense()
        array([[0.-0.j, 2.-1.j]])
        """
        return by_value(self, np.conjugate) if self.dtype.kind == "c" else self

    conjugate = conj

    @property
    def real(self) -> Array:
        """The real part of every value; the array itself where they are real."""
        return by_value(self, assigned(np.real)) if self.dtype.kind == "c" else self

    @property
    def imag(self) -> Array:
        """The imaginary part of every value; an array that stores nothing where they are real."""
        if self.dtype.kind == "c" or self._tensor.dense:
            return by_value(self, assigned(np.imag))
        return np.zeros_like(self)  # type: ignore[return-value]

    @property
    def T(self) -> Array:
        """The array with its modes reversed; a view of the same memory where the format allows it.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0, 2], [3, 0]], format="csr").T.format
        'csc'
        """
        return self.transpose()

    @property
    def mT(self) -> Array:
        """The array with its last two modes exchanged."""
        return np.matrix_transpose(self)  # type: ignore[return-value]

    def transpose(self, axes: tuple[int, ...] | None = None) -> Array:
        """The array with its modes in another order; a view of the same memory where the format allows it."""
        axes = tuple(reversed(range(self.ndim))) if axes is None else _axes(axes, self.ndim)
        if len(axes) != self.ndim:
            raise refuse("E0202", f"{len(axes)} axes for an array of {self.ndim} modes")
        view = self._tensor.permuted(axes)
        if view is not None:
            return wrap(view)
        # A statement that copies leaves out elements that are the fill value where others are padding.
        return wrap(converted(self._tensor, "csr" if self.ndim == 2 else "csf")).transpose(axes)

    def tocsr(self) -> Array:
        """The array in compressed rows.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr").T.tocsr()
        <openwork.Array: shape=(2, 2), dtype=float64, format=csr, nnz=2>
        """
        return self.asformat("csr")

    def tocsc(self) -> Array:
        """The array in compressed columns."""
        return self.asformat("csc")

    def __reduce__(self):
        t = self._tensor
        arrays = [[np.asarray(m) for m in level] for level in t.arrays()]
        parts = (t.shape, t.layout, t.fill, arrays, np.asarray(t.values()))
        if t.nbytes < _LARGE:
            return _restored, parts
        # The same views as the last time, where the memory is the same: joblib writes an array that it has met before to no
        # second file.
        before = getattr(self, "_pickled", None)
        if before is None or _places(before) != _places(parts):
            self._pickled = parts
        return _restored, self._pickled

    # Reductions

    def sum(self, axis=None, dtype=None, out=None, *, keepdims: bool = False, initial=np._NoValue, where=True):
        """The sum over some modes or all; integers are added up in 64 bits, as NumPy does.

        ``out`` is there because ``np.sum(a)`` passes it; no reduction takes one. ``initial`` is what it begins with, and ``where``
        a mask of what it adds up, which may be sparse as well.

        Examples
        --------
        >>> import openwork as ow
        >>> a = ow.asarray([[1, 0], [2, 3]], format="csr")
        >>> int(a.sum()), a.sum(axis=0).todense().tolist()
        (6, [3, 3])
        >>> a.sum(axis=0, initial=10, where=[[True], [False]]).todense().tolist()
        [11, 10]
        """
        _none(out)
        if not _folds.plain(initial, where):
            return _folds.begun(self, "sum", axis, dtype, keepdims, initial, where)
        return self._folded("sum", axis, keepdims, dtype)

    def prod(self, axis=None, dtype=None, out=None, *, keepdims: bool = False, initial=np._NoValue, where=True):
        """The product over some modes or all."""
        _none(out)
        if not _folds.plain(initial, where):
            return _folds.begun(self, "prod", axis, dtype, keepdims, initial, where)
        return self._folded("prod", axis, keepdims, dtype)

    def min(self, axis=None, out=None, *, keepdims: bool = False, initial=np._NoValue, where=True):
        """The least value over some modes or all; values that are not stored take part."""
        _none(out)
        if not _folds.plain(initial, where):
            return _folds.begun(self, "min", axis, None, keepdims, initial, where)
        return self._reduced("min", self._nonempty("min", axis), keepdims, self.dtype)

    def max(self, axis=None, out=None, *, keepdims: bool = False, initial=np._NoValue, where=True):
        """The largest value over some modes or all; values that are not stored take part."""
        _none(out)
        if not _folds.plain(initial, where):
            return _folds.begun(self, "max", axis, None, keepdims, initial, where)
        return self._reduced("max", self._nonempty("max", axis), keepdims, self.dtype)

    def any(self, axis=None, out=None, *, keepdims: bool = False, where=True):
        """Whether some value is not zero."""
        _none(out)
        if where is not True:
            return _folds.begun(self, "any", axis, None, keepdims, where=where)
        return (self if self.dtype == bool else self != 0)._reduced("any", axis, keepdims, np.dtype(bool))

    def all(self, axis=None, out=None, *, keepdims: bool = False, where=True):
        """Whether no value is zero."""
        _none(out)
        if where is not True:
            return _folds.begun(self, "all", axis, None, keepdims, where=where)
        return (self if self.dtype == bool else self != 0)._reduced("all", axis, keepdims, np.dtype(bool))

    def mean(self, axis=None, dtype=None, out=None, *, keepdims: bool = False, where=True):
        """The mean over some modes or all."""
        _none(out)
        kept = self.dtype if self.dtype.kind in "fc" else np.dtype("float64")
        kept = kept if dtype is None else dtype_of(dtype)
        if where is not True:
            return _folds.mean(self, axis, kept, keepdims, where)
        total, count = self.sum(axis, dtype=kept, keepdims=keepdims), _count(self.shape, _axes(axis, self.ndim))
        # Integers are divided as such where a mean of integers is asked for, and cut off.
        return total / kept.type(count) if kept.kind in "fc" else (total / count).astype(kept)

    def var(self, axis=None, dtype=None, out=None, ddof=0, *, keepdims: bool = False, where=True):
        """The variance over some modes or all; values that are not stored take part. ``where`` is a mask of those that do.

        Examples
        --------
        >>> import openwork as ow
        >>> a = ow.asarray([[1.0, 0.0], [2.0, 3.0]], format="csr")
        >>> float(a.var()), a.var(axis=0).todense().tolist()
        (1.25, [0.25, 2.25])
        """
        _none(out)
        return variance(self, axis, dtype, ddof, keepdims, where=where)

    def std(self, axis=None, dtype=None, out=None, ddof=0, *, keepdims: bool = False, where=True):
        """The standard deviation over some modes or all; values that are not stored take part."""
        _none(out)
        return np.sqrt(variance(self, axis, dtype, ddof, keepdims, where=where))

    def argmax(self, axis: int | None = None, out=None, *, keepdims: bool = False):
        """Where the largest value is; see :func:`openwork.argmax`."""
        _none(out)
        return _along.argmax(self, axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, out=None, *, keepdims: bool = False):
        """Where the least value is; see :func:`openwork.argmin`."""
        _none(out)
        return _along.argmin(self, axis, keepdims=keepdims)

    def cumsum(self, axis: int | None = None, dtype=None, out=None):
        """Running sums; see :func:`openwork.cumsum`."""
        _none(out)
        return _along.cumsum(self, axis, dtype)

    def cumprod(self, axis: int | None = None, dtype=None, out=None):
        """Running products; see :func:`openwork.cumprod`."""
        _none(out)
        return _along.cumprod(self, axis, dtype)

    def count_nonzero(self, axis=None, *, keepdims: bool = False):
        """How many values are not zero, along some modes or in all; see :func:`openwork.count_nonzero`."""
        return _nans.count_nonzero(self, axis, keepdims=keepdims)

    def _wide(self) -> np.dtype:
        return {"b": _DTYPES["int64"], "i": _DTYPES["int64"], "u": _DTYPES["uint64"]}.get(
            self.dtype.kind, self.dtype
        )

    def _nonempty(self, name: str, axis):
        if 0 in (self.shape[a] for a in _axes(axis, self.ndim)):
            raise refuse("E0202", f"{name} over no values has no result")
        return axis

    def _folded(self, op: str, axis, keepdims: bool, dtype):
        """A sum or a product in a dtype that values are cast to before, as NumPy does."""
        kept = self._wide() if dtype is None else dtype_of(dtype)
        if kept == bool:
            return (self.any if op == "sum" else self.all)(axis, keepdims=keepdims)
        a = self if np.can_cast(self.dtype, kept, "safe") else self.astype(kept)
        return a._reduced(op, axis, keepdims, kept)

    def _reduced(self, op: str, axis, keepdims: bool, dtype: np.dtype):
        whole = _wholes.reduced(self, op, dtype) if axis is None and not keepdims else None
        if whole is None:
            gone = _axes(axis, self.ndim)
            if op != "sum" and _groups.are_many(self, gone):
                return _groups.reduced(self, op, gone, keepdims, dtype)
            # Truth values are numbers of the dtype before they are counted: counts of 64 bits would have no room in a smaller one.
            cast = NAMES[dtype] if self.dtype == bool != dtype else ""
            built, dims, modes = _reduction(op, gone, self.ndim, keepdims, cast)
            done = run(statement(built, ("operand",), None, str(dtype), dims, exact=is_exact(self._tensor)), self._tensor)
            return wrap(done) if modes else number(done)
        return whole


Array.__module__ = "openwork"


@lru_cache(maxsize=256)
def _reduction(op: str, gone: tuple[int, ...], ndim: int, keepdims: bool, cast: str = "") -> tuple[BuiltStatement, tuple[tuple[str, int], ...], int]:
    """The statement of a reduction of values or of what they are cast to, sizes that only it has, and how many modes are left."""
    indices = [f"i{n}" for n in range(ndim)]
    value = access("operand", indices)
    right = reduce(op, [indices[a] for a in gone], call(cast, value) if cast else value)
    # A mode that is kept has an index of its own on the left, of size 1.
    left = [f"k{n}" if n in gone else i for n, i in enumerate(indices) if keepdims or n not in gone]
    dims = tuple((f"k{n}", 1) for n in gone) if keepdims else ()
    return access("result", left).assign(right), dims, len(left)


def wrap(tensor: _core.Tensor) -> Array:
    """The array of a tensor."""
    array = object.__new__(Array)
    array._tensor = tensor
    return array


# The elements that a repr shows.
_SHOWN = 3


def _first(a: Array) -> str:
    """The first elements, for a repr; of a dense array, the first values."""
    found = _core.first(a._tensor, _SHOWN + 1)
    text = [f"{value:.5g}" if isinstance(value, (float, complex)) else str(value) for _, value in found]
    if not a._tensor.dense:
        text = [f"({','.join(map(str, at))}) {value}" for (at, _), value in zip(found, text)]
    if not text:
        return ""
    return f": {', '.join(text[:_SHOWN])}" + (", …" if len(text) > _SHOWN else "")


# Modes beyond this need wider coordinates than kernels for any shape have.
_WIDE = 2**31 - 1


def converted(tensor: _core.Tensor, format: str) -> _core.Tensor:
    """The tensor in another format: a statement like any other, except where its fill value changes or is one that no
    coordinate has."""
    if "fill" not in format and not tensor.padded and is_long(tensor.shape, tensor.nnz) and not _appended(tensor, format):
        # Kernels and counts have a position for every coordinate of a mode.
        coords, values = tensor.coordinates()
        return _core.coordinates(tensor.shape, format, tensor.fill, coords, values)
    if "fill" in format or (tensor.full and tensor.fill != 0) or max(tensor.shape, default=0) > _WIDE:
        return _core.convert(tensor, format)
    return run(elementwise(unchanged, (indices_of(tensor.ndim),), tensor.ndim, format=format), tensor)


def _appended(tensor: _core.Tensor, format: str) -> bool:
    """Whether elements come in the order that they are appended in."""
    to = _core.facts(format, tensor.ndim)
    return to is not None and to.appended and tensor.facts.appended


def in_turn(tensor: _core.Tensor) -> _core.Tensor:
    """The tensor in a format that has its elements one by one: a kernel lists those of blocks, slots and tables up to a hundred
    times as fast as they are looked through."""
    facts = tensor.facts
    # Elements of rows and lists are copied as they lie; those of columns stay in their order.
    copied = facts.rows is not None or facts.listed or (facts.elements and not facts.in_order)
    if tensor.ndim < 2 or copied or is_long(tensor.shape, tensor.nnz):
        return tensor
    return converted(tensor, "coo")


def indices_of(ndim: int) -> tuple[str, ...]:
    """The indices of all modes of an operand."""
    return tuple(f"i{n}" for n in reversed(range(ndim)))


# Arrays from this size on are the same ones in every pickle.
_LARGE = threshold(1 << 18)


def _places(parts) -> list:
    """What tells the parts of one pickle from those of another: a shape, a format, a fill value, and memory."""
    shape, layout, fill, arrays, values = parts
    memory = [a.__array_interface__["data"][0] for level in arrays for a in level]
    return [shape, layout, repr(fill), *memory, values.__array_interface__["data"][0]]


def _restored(shape, layout, fill, arrays, values) -> Array:
    """An array from its pickled parts, which are checked like any other input, and copied where their memory is not aligned."""
    return wrap(_core.from_parts(shape, layout, fill, [[_plain(m) for m in level] for level in arrays], _plain(values)))


def _none(out) -> None:
    """Refuses memory for a result: arrays do not change."""
    if out is not None:
        raise refuse("E0211", "reductions make arrays of their own: leave `out` out")


# Conversions make arrays, and operators convert: one of the two has to come last. The modules that the class inherits from
# find all of these here, at the time of a call.
from ._convert import _plain, asarray, from_coo, is_matrix, is_scipy, to_scipy  # noqa: E402, F401
from ._foreign import taken  # noqa: E402, F401
from ._moments import variance  # noqa: E402
from ._values import assigned, by_value, copied  # noqa: E402
from . import _along, _folds, _groups, _nans, _wholes  # noqa: E402  # isort: skip
