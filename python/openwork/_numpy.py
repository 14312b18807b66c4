"""NumPy's protocols: what its functions and ufuncs do with arrays of ours, and what is refused.

A function that exists here runs on any format. Every other one runs on dense arrays, which NumPy reads in place, and is
refused for sparse ones: nothing is written out that nobody asked to write out.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from . import _array, _ufuncs
from ._errors import ShapeError, refuse
from ._memory import ask, ask_for_numpy, product
from ._statements import broadcast
from ._ufuncs import is_ours
from ._values import assigned, by_value

FUNCTIONS: dict[Any, Any] = {}
# Their arguments may come from these libraries as well.
_KNOWN = {"numpy", "openwork", "sparse"}


class NumPyProtocols:
    """How NumPy finds out what to do with an array of ours."""

    __slots__ = ()
    # Operators of pandas leave the work to us.
    __pandas_priority__ = 5000

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return _ufuncs.called(ufunc, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        if any(kind.__module__.partition(".")[0] not in _KNOWN for kind in types):
            return NotImplemented
        if function in FUNCTIONS:
            return FUNCTIONS[function](*args, **kwargs)
        return _call_numpy(function, args, kwargs)

    @property
    def __array__(self: Any):
        if self._tensor.dense:
            return self._as_numpy
        # SciPy's operators ask for it, and leave the operation to an operand that does not have it.
        if _is_operator(sys._getframe(1)):
            raise AttributeError("a sparse array becomes no NumPy array by itself: call todense()")
        return self._no_numpy

    def _no_numpy(self: Any, dtype=None, copy: bool | None = None) -> np.ndarray:
        raise _ufuncs.no_function("numpy.asarray", self, "to_scipy() is what SciPy's own classes and sklearn take")

    def _as_numpy(self: Any, dtype=None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.todense(), dtype=dtype, copy=copy)

    def __dlpack__(self: Any, **options):
        if not self._tensor.dense:
            raise BufferError("a sparse array has no memory to share: call todense()")
        return self.todense().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        # The memory of the processor.
        return (1, 0)


# Of SciPy's classes.
_OPERATORS = {f"__{side}{name}__" for name in ("add", "sub", "mul", "matmul", "truediv") for side in ("", "r", "i")}
_OPERATORS |= {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def _is_operator(frame) -> bool:
    """Whether an operator of SciPy's arrays is what called."""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("scipy.sparse."):
        if frame.f_code.co_name in _OPERATORS:
            return True
        frame = frame.f_back
    return False


def _call_numpy(function, args, kwargs):
    """NumPy's own function on dense arrays."""
    args, kwargs = _dense(args, function), _dense(kwargs, function)
    ask_for_numpy(function.__name__, "", args, kwargs)
    return function(*args, **kwargs)


def as_numpy(argument, function) -> Any:
    """An argument of a function that only NumPy has; a sparse array is refused by the name of the function."""
    return _dense(argument, function)


def _dense(arguments, function):
    """Arguments with NumPy's views of dense arrays; a sparse one is refused."""
    if isinstance(arguments, dict):
        return {name: _dense(x, function) for name, x in arguments.items()}
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(_dense(x, function) for x in arguments) if _plain(arguments) else arguments
    if not is_ours(arguments):
        return arguments
    if arguments._tensor.dense:
        return arguments.todense()
    raise _ufuncs.no_function(f"{function.__module__}.{function.__name__}", arguments, _instead(function))


def _plain(arguments) -> bool:
    """Whether a sequence can be made again from its items, as a named tuple cannot."""
    return type(arguments) in (list, tuple)


_SOLVERS = "scipy.sparse.linalg has functions for sparse matrices: give them to_scipy(), or the array itself where they take a LinearOperator"
_WRITERS = "openwork.save writes sparse arrays"


def _instead(function) -> str | None:
    if function.__module__.startswith("numpy.linalg"):
        return _SOLVERS
    return _WRITERS if function.__name__ in ("save", "savez", "savez_compressed", "savetxt") else None


def implements(*functions):
    def note(ours):
        for function in functions:
            FUNCTIONS[function] = ours
        return ours

    return note


def implements_sparse(*functions):
    """Notes a function for sparse arrays; NumPy's own is called where all arrays are dense."""

    def note(ours):
        for function in functions:
            FUNCTIONS[function] = _or_numpys(function, ours)
        return ours

    return note


def _or_numpys(function, ours):
    def called(*args, **kwargs):
        if _has_sparse(args) or _has_sparse(tuple(kwargs.values())):
            return ours(*args, **kwargs)
        return _call_numpy(function, args, kwargs)

    return called


def _has_sparse(arguments) -> bool:
    if isinstance(arguments, (list, tuple)):
        return any(map(_has_sparse, arguments))
    return is_ours(arguments) and not arguments._tensor.dense


def _without_option(function: str, option: str) -> str:
    """What to write instead of an option, where leaving it out means something else."""
    if option == "where":
        skipped = "NaN is skipped, so `ow.where(mask, a, np.nan)` leaves out what the mask does"
        return skipped if function.startswith("nan") else "compute it everywhere, and choose with `ow.where(mask, …, …)`"
    return "combine what comes of it with the value that it begins with" if option == "initial" else "leave it out"


def refused(function: str, options: dict) -> None:
    """Refuses options of NumPy's that no array of ours heeds."""
    for name, value in options.items():
        if value is not None and value is not np._NoValue:
            raise refuse("E0103", f"numpy.{function} has no `{name}` for openwork arrays", _without_option(function, name))


def _reduction(name: str, *more: str):
    known = ("dtype", "out", "keepdims", *more)

    def reduced(a, axis=None, *args, **options):
        refused(name, {n: v for n, v in options.items() if n not in known and not (n == "where" and v is True)})
        given = {n: v for n, v in options.items() if n in known and v is not np._NoValue}
        # Of plain reductions the methods refuse it.
        out = given.pop("out", None) if "initial" in given else None
        return _ufuncs.into(out, getattr(_array.asarray(a), name)(axis, *args, **given))

    return reduced


for _name in ("sum", "prod", "min", "max"):
    FUNCTIONS[getattr(np, _name)] = _reduction(_name, "initial", "where")
for _name in ("any", "all", "mean"):
    FUNCTIONS[getattr(np, _name)] = _reduction(_name, "where")
for _name in ("var", "std"):
    FUNCTIONS[getattr(np, _name)] = _reduction(_name, "ddof", "where")
FUNCTIONS[np.amin], FUNCTIONS[np.amax] = FUNCTIONS[np.min], FUNCTIONS[np.max]


@implements(np.shape)
def _shape(a):
    return a.shape


@implements(np.ndim)
def _ndim(a):
    return a.ndim


@implements(np.size)
def _size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


@implements(np.copy)
def _copy(a, order="K", subok=False):
    return a.copy()


@implements(np.result_type)
def _result_type(*operands):
    return np.result_type(*(x.dtype if is_ours(x) else x for x in operands))


@implements(np.can_cast)
def _can_cast(from_, to, casting: Any = "safe"):
    return np.can_cast(from_.dtype, to, casting)


@implements(np.iscomplexobj)
def _iscomplexobj(x):
    return x.dtype.kind == "c"


@implements(np.isrealobj)
def _isrealobj(x):
    return x.dtype.kind != "c"


@implements(np.transpose, np.matrix_transpose)
def _transpose(a, axes=None):
    return a.transpose(axes)


FUNCTIONS[np.where] = _ufuncs.choose
FUNCTIONS[np.matrix_transpose] = lambda a: a.transpose((*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))


@implements(np.swapaxes)
def _swapaxes(a, axis1, axis2):
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return a.transpose(tuple(order))


@implements(np.moveaxis)
def _moveaxis(a, source, destination):
    # NumPy knows the rule; an array that takes no memory shows it.
    shown = np.moveaxis(np.broadcast_to(np.int8(0), (1,) * a.ndim), source, destination)
    sources, targets = (np.lib.array_utils.normalize_axis_tuple(x, shown.ndim) for x in (source, destination))
    rest = [n for n in range(a.ndim) if n not in sources]
    for target, origin in sorted(zip(targets, sources)):
        rest.insert(target, origin)
    return a.transpose(tuple(rest))


@implements(np.dot)
def _dot(a, b, out=None):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return _ufuncs.into(out, a * b)
    if np.ndim(a) > 2 or np.ndim(b) > 2:
        return _ufuncs.into(out, np.tensordot(a, b, axes=(-1, -min(2, np.ndim(b)))))
    return _ufuncs.into(out, a @ b)


@implements(np.vdot)
def _vdot(a, b):
    a, b = _vector(a), _vector(b)
    # The conjugate of a bool is none in NumPy.
    return (np.conjugate(a) if np.iscomplexobj(a) else _array.asarray(a)) @ b


def _vector(x):
    """Something as one row, as the functions of vectors take it."""
    return x if np.ndim(x) == 1 else np.ravel(x)


@implements(np.inner)
def _inner(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    return np.tensordot(a, b, axes=(-1, -1))


@implements(np.outer)
def _outer(a, b, out=None):
    return _ufuncs.into(out, _einsum("i,j->ij", _vector(a), _vector(b)))


@implements(np.tensordot)
def _tensordot(a, b, axes=2):
    left, right = np.ndim(a), np.ndim(b)
    if isinstance(axes, int):
        gone = (range(left - axes, left), range(axes)) if axes >= 0 else ((axes,), (axes,))
    else:
        gone = axes
    normal = np.lib.array_utils.normalize_axis_tuple
    from_a, from_b = (normal(tuple(n) if np.iterable(n) else n, r) for n, r in zip(gone, (left, right)))
    if len(from_a) != len(from_b):
        raise refuse("E0202", f"numpy.tensordot pairs {len(from_a)} modes with {len(from_b)}")
    in_a, in_b = list(range(left)), list(range(left, left + right))
    for m, n in zip(from_a, from_b):
        in_b[n] = in_a[m]
    kept = [n for m, n in enumerate(in_a) if m not in from_a] + [n for m, n in enumerate(in_b) if m not in from_b]
    return _einsum(a, in_a, b, in_b, kept)


@implements(np.einsum)
def _numpy_einsum(*operands, out=None, optimize=False, dtype=None, **options):
    refused("einsum", options)
    return _ufuncs.into(out, _einsum(*operands, dtype=dtype))


def _einsum(*operands, dtype=None):
    """NumPy's or SciPy's operands beside one of ours give a NumPy array where the result is dense."""
    from ._einsum import numpys

    found = numpys(*operands, dtype=dtype)
    arrays = [x for x in operands if hasattr(x, "shape")]
    if found.ndim == 0:
        return found.dtype.type(found.item())
    return found.todense() if found._tensor.dense and not all(map(is_ours, arrays)) else found


@implements(np.trace)
def _trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    if _is_main(a, offset, axis1, axis2):
        return _ufuncs.into(out, _einsum("ii", a, dtype=dtype or a._wide()))
    return _ufuncs.into(out, _diagonal(a, offset, axis1, axis2).sum(dtype=dtype or a._wide()))


@implements(np.diagonal)
def _diagonal(a, offset=0, axis1=0, axis2=1):
    if _is_main(a, offset, axis1, axis2):
        return _einsum("ii->i", a)
    one, other = np.lib.array_utils.normalize_axis_tuple((axis1, axis2), a.ndim)
    if a.ndim != 2:
        raise refuse("E0202", "numpy.diagonal of openwork arrays takes matrices", "openwork.einsum('iij->ij', a) takes more modes")
    if a._tensor.dense:
        return _array.asarray(np.diagonal(a.todense(), offset, axis1, axis2))
    from ._parts import diagonal_of

    return diagonal_of(a, operator.index(offset) if one < other else -operator.index(offset))


def _is_main(a, offset, axis1, axis2) -> bool:
    """Whether it is the diagonal that an index has which stands twice."""
    return a.ndim == 2 and not offset and (axis1, axis2) in ((0, 1), (1, 0)) and a.shape[0] == a.shape[1]


@implements(np.nonzero)
def _nonzero(a):
    if bool(a.fill_value):
        if a._tensor.full:
            # Dense arrays and runs have a value for every coordinate, and most of them are not zero.
            return np.nonzero(a.todense())
        raise _ufuncs.no_function("numpy.nonzero", a, "what is not stored is not zero: to_coo() has what is stored")
    # A list of coordinates of a matrix is row by row.
    in_order = a.ndim == 2 and not a._tensor.dense
    coords, values = (a.asformat("coo") if in_order else a).to_coo()
    kept = values != 0
    coords = coords if kept.all() else [c[kept] for c in coords]
    found = tuple(c.astype(np.intp) for c in coords)
    return found if in_order or _in_order(found) else tuple(c[np.lexsort(found[::-1])] for c in found)


def _in_order(coords) -> bool:
    """Whether coordinates come row by row, as most formats store them."""
    earlier = np.zeros(max(coords[0].size - 1, 0), bool)
    for c in reversed(coords):
        earlier = (c[:-1] < c[1:]) | ((c[:-1] == c[1:]) & earlier)
    return bool(earlier.all())


@implements(np.argwhere)
def _argwhere(a):
    return np.stack(_nonzero(a), axis=-1)


@implements(np.zeros_like, np.empty_like)
def _zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return _filled(a, 0, dtype, shape)


@implements(np.ones_like)
def _ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return _filled(a, 1, dtype, shape)


@implements(np.full_like)
def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return _filled(a, fill_value, dtype, shape)


def _filled(a, value, dtype, shape):
    """A NumPy array, to be written to, like a dense array; one that stores nothing, like a sparse one."""
    shape = a.shape if shape is None else tuple(np.atleast_1d(shape).tolist())
    dtype = a.dtype if dtype is None else dtype
    if a._tensor.dense:
        ask(f"a dense array of the shape {shape}", product(shape), dtype)
        return np.full(shape, value, dtype)
    nothing, nowhere = np.zeros(0, dtype), np.zeros(0, int)
    format = a.format if len(shape) == a.ndim else None
    return _array.from_coo([nowhere] * len(shape), nothing, shape, format=format, fill_value=value)


@implements(np.real)
def _real(a):
    return a.real


@implements(np.imag)
def _imag(a):
    return a.imag


for _function in (np.round, np.around, np.nan_to_num, np.angle, np.fix, np.isreal, np.iscomplex, np.sinc, np.i0):

    def _by_value(a, *args, _function=_function, **kwargs):
        refused(_function.__name__, {"out": kwargs.pop("out", None)})
        return by_value(a, assigned(lambda x: _function(x, *args, **kwargs)))

    FUNCTIONS[_function] = _by_value


@implements(np.clip)
def _clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **options):
    refused("clip", options)
    low, high = a_min if min is None else min, a_max if max is None else max
    if not all(x is None or np.ndim(x) == 0 for x in (low, high)):
        raise refuse("E0103", "numpy.clip of openwork arrays takes numbers", "numpy.maximum(low, numpy.minimum(a, high))")
    return _ufuncs.into(out, by_value(a, lambda x, out=None: np.clip(x, low, high, out=out)))


@implements(np.isclose)
def _isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return _ufuncs.close(a, b, rtol, atol, equal_nan, every=False)


@implements(np.allclose)
def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_ufuncs.close(a, b, rtol, atol, equal_nan, every=True))


@implements(np.array_equal)
def _array_equal(a1, a2, equal_nan=False):
    return np.shape(a1) == np.shape(a2) and _same(a1, a2, equal_nan)


@implements(np.array_equiv)
def _array_equiv(a1, a2):
    try:
        broadcast([np.shape(a1), np.shape(a2)])
    except ShapeError:
        return False
    return _same(a1, a2, False)


def _same(a, b, equal_nan: bool) -> bool:
    return bool(_ufuncs.close(a, b, 0.0, 0.0, equal_nan, every=True, same=True))


@implements(np.array_repr, np.array_str, np.array2string)
def _text(a, *args, **kwargs):
    return repr(a)

