"""Functions of Python as functions of statements: they are run once, on names, and what they do is written down."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from itertools import count
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from ._errors import refuse

# Longer expressions get a name, so that one that is used twice stands there once.
_LONG = 60

_SIGNS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
}
_LOGICAL = {"logical_and": "&", "logical_or": "|", "logical_xor": "^"}
_NAMES = {"negative": "-", "invert": "!", "absolute": "abs", "minimum": "min", "maximum": "max"}
# Ufuncs of numbers that statements do not have, and what to write.
_MISSING = {"bitwise_count", "fabs", "float_power", "isnat", "reciprocal", "spacing"}
_INSTEAD = {"fabs": "abs(x)", "float_power": "x ** y", "reciprocal": "1 / x", "divmod": "x // y and x % y", "modf": "x - np.trunc(x)"}


class Function:
    """A function that statements call: made by :func:`function`.

    ``text`` is its definition under the name that it has in the statement: ``f.text("f")``.
    """

    def __init__(self, params: list[str], promises: list[str], dtype: str | None, body: str):
        self._parts = (params, promises, dtype, body)

    def text(self, name: str) -> str:
        """The definition under a name."""
        params, promises, dtype, body = self._parts
        said = f": {', '.join(promises)}" if promises else ""
        result = f" -> {dtype}" if dtype else ""
        return f"def {name}({', '.join(params)}){said}{result} {body}"

    def reduce(self, x: Any, axis: Any = 0, dtype: Any = None, *, keepdims: bool = False) -> Any:
        """The values along some modes folded by the function, as by a ufunc of NumPy's; all of them where ``axis`` is ``None``.

        It is said to be associative, and has an identity, which is what a fold of nothing is. Unless it is said to be commutative,
        values come in ascending order.

        Examples
        --------
        >>> import numpy as np, openwork as ow
        >>> either = ow.function(lambda x, y: x + y - x * y, commutative=True, associative=True, identity=0)
        >>> P = ow.asarray([[0.5, 0.5, 0.0], [0.0, 0.0, 0.25]], format="csr")
        >>> either.reduce(P, axis=1).todense()
        array([0.75, 0.25])
        >>> last = ow.function(lambda x, y: np.where(y != 0, y, x), associative=True, identity=0)
        >>> last.reduce(P, axis=1).todense()
        array([0.5 , 0.25])
        """
        from ._array import _axes, _reduction, asarray, wrap
        from ._statements import dtype_of, run, statement

        a = asarray(x)
        built, dims, modes = _reduction("f", _axes(axis, a.ndim), a.ndim, keepdims)
        kept = None if dtype is None else str(dtype_of(dtype))
        made = statement(built.with_functions(self.text("f")), ("operand",), None, kept, dims)
        found = wrap(run(made, a._tensor))
        return found if modes else found.dtype.type(found.item())

    def __repr__(self) -> str:
        return f"<openwork.Function: {self.text('f')}>"


class _Tracer:
    """What is written down of a function while it runs."""

    def __init__(self, params: list[str]):
        self.lines: list[str] = []
        self.names = (name for n in count(1) if (name := f"t{n}") not in params)

    def let(self, text: str) -> Traced:
        name = next(self.names)
        self.lines.append(f"let {name} = {text};")
        return Traced(name)


_tracer: ContextVar[_Tracer | None] = ContextVar("openwork_tracer", default=None)


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A value of which only the name is known."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return f"<traced {self.text}>"

    def __bool__(self) -> bool:
        raise refuse(
            "E0215",
            "`if`, `while`, `and`, `or` and `not` of Python see no values in a function of a statement",
            "np.where(c, a, b) chooses, openwork.loop(cond, step, start) repeats, & and | combine",
        )

    def __float__(self) -> float:
        raise refuse(
            "E0215",
            "a value in a function of a statement is no number of Python's, as functions of `math` and `range` want one",
            "NumPy's functions take it: np.sin(x), np.rint(x), np.trunc(x)",
        )

    __int__ = __index__ = __complex__ = __round__ = __float__  # type: ignore[assignment]
    __trunc__ = __floor__ = __ceil__ = __float__

    @property
    def real(self) -> Traced:
        return _made(f"real({self.text})")

    @property
    def imag(self) -> Traced:
        return _made(f"imag({self.text})")

    def conjugate(self) -> Traced:
        return _made(f"conj({self.text})")

    conj = conjugate

    def __array_ufunc__(self, ufunc, method, *args, **options):
        if method != "__call__" or options:
            raise refuse("E0103", f"numpy.{ufunc.__name__}.{method} is no function of a statement's scalars")
        name, texts = ufunc.__name__, [_text(a) for a in args]
        if name in _SIGNS:
            return _made(f"({texts[0]} {_SIGNS[name]} {texts[1]})")
        if name in _LOGICAL:
            return _made(f"(({texts[0]} != 0) {_LOGICAL[name]} ({texts[1]} != 0))")
        if name == "logical_not":
            return _made(f"({texts[0]} == 0)")
        if name == "positive":
            return self
        sign = _NAMES.get(name, name)
        if sign in ("-", "!"):
            return _made(f"({sign}{texts[0]})")
        if ufunc.nout != 1 or ufunc.signature is not None or name in _MISSING:
            raise refuse("E0103", f"numpy.{name} is no function of a statement's scalars", _INSTEAD.get(name))
        return _made(f"{sign}({', '.join(texts)})")

    def __array_function__(self, func, types, args, options):
        if func is np.where and len(args) == 3:
            return where(*args)
        if func is np.clip and len(args) == 3 and not options:
            return np.minimum(np.maximum(args[0], args[1]), args[2])
        if func in (np.real, np.imag, np.angle) and len(args) == 1 and not options:
            return _made(f"{func.__name__}({self.text})")
        raise refuse("E0103", f"numpy.{func.__name__} is no function of a statement's scalars")


def _made(text: str) -> Traced:
    tracer = _tracer.get()
    return tracer.let(text) if tracer is not None and len(text) > _LONG else Traced(text)


def _text(x: Any) -> str:
    if isinstance(x, Traced):
        return x.text
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x)) if x >= 0 else f"({int(x)})"
    if isinstance(x, (float, np.floating)):
        value = repr(float(x))
        return value if value[0] != "-" else f"({value})"
    raise refuse("E0215", f"a function of a statement computes with numbers, and no {type(x).__name__}")


def where(condition: Any, a: Any, b: Any) -> Any:
    """One of two values in a function that a statement calls, as ``numpy.where``.

    Examples
    --------
    >>> import openwork as ow
    >>> positive = ow.function(lambda x: ow.where(x > 0, x, 0))
    >>> ow.evaluate("y(i) = f(x(i))", x=[-1, 2], f=positive).todense()
    array([0, 2])
    """
    if not any(isinstance(x, Traced) for x in (condition, a, b)):
        return np.where(condition, a, b)
    return _made(f"where({_text(condition)}, {_text(a)}, {_text(b)})")


def loop(cond: Callable[..., Any], step: Callable[..., Any], *start: Any) -> Any:
    """Repeats a step in a function that a statement calls, as long as a condition holds.

    Parameters
    ----------
    cond, step : callable
        Of as many values as are in ``start``; ``step`` returns their next ones, as a tuple where there are several.
    *start
        The first values.

    Examples
    --------
    >>> import openwork as ow
    >>> halved = ow.function(lambda x: ow.loop(lambda t: t > 1, lambda t: t / 2, x))
    >>> ow.evaluate("y(i) = f(x(i))", x=[12.0, 0.5], f=halved).todense()
    array([0.75, 0.5 ])
    """
    tracer = _tracer.get()
    if tracer is None:
        values = start
        while cond(*values):
            made = step(*values)
            values = made if len(start) > 1 else (made,)
        return values if len(start) > 1 else values[0]
    state = [tracer.let(_text(x)) for x in start]
    outer, tracer.lines = tracer.lines, []
    test = _text(cond(*state))
    if tracer.lines:
        raise refuse("E0215", "the condition of a loop is too long to be written down", "compute parts of it in the step")
    made = step(*state)
    after = [tracer.let(_text(x)) for x in (made if len(start) > 1 else (made,))]
    if len(after) != len(state):
        raise refuse("E0215", f"the step of a loop over {len(state)} values returns {len(after)}")
    body = tracer.lines + [f"{s.text} = {a.text};" for s, a in zip(state, after)]
    tracer.lines = [*outer, f"while {test} {{ {' '.join(body)} }}"]
    return tuple(state) if len(start) > 1 else state[0]


def function(
    body: Callable[..., Any],
    *,
    commutative: bool = False,
    associative: bool = False,
    idempotent: bool = False,
    identity: float | None = None,
    annihilator: float | tuple[float, str] | None = None,
    distributes_over: str | tuple[str, ...] = (),
    over: str | None = None,
    dtype: Any = None,
) -> Function:
    """A function that statements call, compiled with them.

    ``body`` is run once on names: it may use operators, NumPy's functions of numbers, :func:`where` and :func:`loop`. What
    is said of it decides where it is visited, and is tested on samples when a statement calls it.

    Parameters
    ----------
    body : callable
        Of one or more values.
    commutative, associative, idempotent : bool
        What is said of it.
    identity, annihilator : number, optional
        The value that leaves the other argument as it is, and the one that decides; an annihilator of one argument only is a
        pair of the value and the argument's name.
    distributes_over : str or tuple of str, optional
        Reductions that it may be taken out of, such as ``"add"``.
    over : str, optional
        An iteration algebra, such as ``"{x != 0} & !{y != 0}"``: outside of it, the function has one value.
    dtype : dtype, optional
        Of its value.

    Examples
    --------
    >>> import numpy as np, openwork as ow
    >>> A = ow.asarray([3, 0, -2, 0], format="s")
    >>> B = ow.asarray([1, 5, 0, 0], format="s")
    >>> far = ow.function(lambda x, y: abs(x - y), commutative=True)
    >>> ow.evaluate("C(i) = far(A(i), B(i))", A=A, B=B, far=far).todense()
    array([2, 5, 2, 0])
    >>> only = ow.function(lambda x, y: np.where(y == 0, x, 0), over="{x != 0} & !{y != 0}")
    >>> ow.evaluate("C(i) = only(A(i), B(i))", A=A, B=B, only=only).todense()
    array([ 0,  0, -2,  0])
    """
    params = _parameters(body)
    promises = [n for n, said in (("commutative", commutative), ("associative", associative), ("idempotent", idempotent)) if said]
    if identity is not None:
        promises.append(f"identity({_bare(identity)})")
    if annihilator is not None:
        decides, at = annihilator if isinstance(annihilator, tuple) else (annihilator, None)
        promises.append(f"annihilator({_bare(decides)}{f', {at}' if at else ''})")
    several = (distributes_over,) if isinstance(distributes_over, str) else distributes_over
    promises += [f"distributes over {name}" for name in several]
    if over is not None:
        promises.append(over)
    tracer = _Tracer(params)
    token = _tracer.set(tracer)
    try:
        value = _text(body(*(Traced(p) for p in params)))
    finally:
        _tracer.reset(token)
    lines = " ".join(tracer.lines)
    text = f"{{ {lines} {value} }}" if lines else f"= {value}"
    return Function(params, promises, None if dtype is None else _dtype(dtype), text)


def _parameters(body: Callable[..., Any]) -> list[str]:
    try:
        found = inspect.signature(body).parameters.values()
    except (TypeError, ValueError):
        found = None
    if not found or any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in found):
        raise refuse(
            "E0215",
            f"it is not known what {getattr(body, '__name__', body)!s} takes",
            "write a function of named values, such as lambda x, y: np.hypot(x, y)",
        )
    return [p.name for p in found]


def _dtype(dtype: Any) -> str:
    from ._statements import dtype_of

    found = np.dtype(str(dtype_of(dtype)))
    return "bool" if found.kind == "b" else f"{found.kind}{found.itemsize * 8}"


def _bare(x: Any) -> str:
    """A number without the parentheses that a sign needs in expressions."""
    return _text(x).removeprefix("(").removesuffix(")")


_CALLED = {Function, FunctionType, BuiltinFunctionType, np.ufunc}


def defined(expr: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The statement with the definitions of the functions that are given, and the other operands."""
    if _CALLED.isdisjoint(map(type, given.values())):
        return expr, given
    bare = next((n for n, f in given.items() if type(f) in _CALLED and type(f) is not Function), None)
    if bare is not None:
        raise refuse("E0211", f"`{bare}` is a function of Python, and no operand", f"give {bare}=openwork.function(…)")
    functions = {n: f for n, f in given.items() if type(f) is Function}
    definitions = "".join(f"{f.text(n)}; " for n, f in functions.items())
    return definitions + expr, {n: x for n, x in given.items() if n not in functions}
