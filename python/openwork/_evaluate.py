"""Statements over named operands, kernels that are compiled once, and explanations."""

from __future__ import annotations

from collections import deque
from operator import index
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._array import Array, _restored, operand, wrap
from ._convert import asarray
from ._errors import refuse
from ._functions import defined
from ._html import explanation
from ._statements import dtype_of, exactness, no_operand, sizes, statement
from ._ufuncs import into


def evaluate(
    expr: str,
    format: str | None = None,
    /,
    *,
    dtype=None,
    dims: dict[str, int | tuple[int, ...]] | None = None,
    schedule=None,
    variant: int | None = None,
    exact: bool | None = None,
    out: Array | np.ndarray | None = None,
    operands: dict[str, Any] | None = None,
    **named: Any,
) -> Any:
    """Computes a statement in index notation.

    Parameters
    ----------
    expr : str
        Such as ``"y(i) = A(i,j) * x(j)"``; variables that appear only on the right are summed.
    format : str, optional
        The format of the result, by name or letters; chosen from the operands by default.
    dtype : dtype, optional
        The dtype of the result.
    dims : dict, optional
        Sizes of index variables that no operand has, and the shape of a result that is assigned where values say: ``{"y": (10, 20)}``.
    schedule : str, optional
        As for :func:`kernel`.
    variant : int, optional
        As for :func:`kernel`.
    exact : bool, optional
        Arithmetic as NumPy has it for dense arrays; by default that of :func:`openwork.exact`.
    out : Array or numpy.ndarray, optional
        Where the result goes, which is then what is returned: a NumPy array gets its values and keeps its dtype, an array
        of ours is as for :meth:`Kernel.__call__`. It is as it was where anything is refused.
    operands : dict, optional
        Operands whose names are those of parameters; others are given by name.
    **named
        Operands: arrays, NumPy arrays, SciPy arrays, numbers or nested lists, and functions (:func:`function`).

    Raises
    ------
    ParseError, ShapeError, DTypeError, UnsupportedError
        With the place in the statement, before anything runs.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, openwork as ow
    >>> A = sp.csr_array([[0.0, 2.0], [3.0, 0.0]])
    >>> ow.evaluate("C(i,j) = A(i,j) * A(j,i)", "csr", A=A).todense()
    array([[0., 6.],
           [6., 0.]])
    >>> ow.evaluate("d(i) = min(j, A(i,j) + s(j))", A=ow.asarray(A, fill_value=np.inf), s=[0.0, 1.0]).todense()
    array([3., 3.])
    >>> y = np.zeros(2)
    >>> ow.evaluate("y(i) = A(i,j) * x(j)", A=A, x=[1.0, 1.0], out=y) is y
    True
    >>> y
    array([2., 3.])
    """
    if isinstance(out, np.ndarray) and format is None:
        format = "dense"
    made, tensors = _bound(expr, format, dtype, dims, schedule, exact, {**(operands or {}), **named}, variant)
    return _into(out, made, tensors)


def _into(out, made, tensors):
    """The result of a statement, in ``out`` where there is one."""
    if type(out) is Array:
        made.into(out._tensor, *tensors)
        return out
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError(f"out is an openwork.Array or a NumPy array, and no {type(out).__name__}")
    if type(out) is np.ndarray:
        tensor = made(*tensors)
        found = np.asarray(tensor.dense_view()) if tensor.dense and out.ndim else None
        if found is None or found.shape != out.shape or found.dtype != out.dtype:
            return into(out, wrap(tensor))
        out[...] = found
        return out
    return into(out, wrap(made(*tensors)))


def _bound(expr, format, dtype, dims, schedule, exact, given, variant=None):
    """The statement, and the tensors of its operands in its order."""
    expr, given = defined(expr, given)
    name = None if dtype is None else str(dtype_of(dtype))
    made = statement(expr, tuple(given), format, name, tuple((dims or {}).items()), schedule, exact, variant)
    return made, [_tensor(n, x) for n, x in given.items()]


def _tensor(name: str, x) -> _core.Tensor:
    if isinstance(x, str):
        raise refuse(
            "E0211",
            f"the operand `{name}` is text, and no array",
            'the format of the result is the second argument, `evaluate(expr, "csr", …)`; other names are operands',
        )
    array = operand(x)
    if array is None and (isinstance(x, np.generic) or np.isscalar(x)):
        array = asarray(x)
    if array is None:
        raise refuse("E0211", f"the operand `{name}` is no array: {type(x).__name__}")
    return array._tensor


_PARTS = ("statement", "format", "dtype", "plan", "reasons", "variants", "cin", "lattices", "graph", "loops", "code")


class Explanation:
    """What a statement becomes: printed, the plan in words; each stage is an attribute.

    Attributes
    ----------
    statement, format, dtype : str
        The statement, and what its result is.
    plan : str
        What is stored how, what drives each loop, the choices, the estimated cost, and what was rejected.
    reasons : list of (str, str)
        Every choice that was made, and why.
    variants : list of (str, str, str or None)
        The variants of the plan in the order in which they are tried: what each is called, what it does and when, and
        which runs with the operands at hand take it. The guide ("Internals") says what each name means.
    cin, lattices, graph, loops, code : str
        The stages: loops over index variables, which operands are walked together, loops over memory, C.
    """

    statement: str
    format: str
    dtype: str
    plan: str
    reasons: list[tuple[str, str]]
    variants: list[tuple[str, str, str | None]]
    cin: str
    lattices: str
    graph: str
    loops: str
    code: str

    def __init__(self, parts: _core.Explanation):
        self._parts = parts

    def __getattr__(self, name: str):
        # Each is written down when it is asked for: a kernel that is made, or comes from a pickle, needs none.
        if name not in _PARTS or "_parts" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        self.__dict__[name] = value = getattr(self._parts, name)
        return value

    def __dir__(self):
        return sorted({*super().__dir__(), *_PARTS})

    def __getstate__(self):
        return {name: getattr(self, name) for name in _PARTS}

    def __str__(self) -> str:
        return f"{self.statement}\nresult: {self.format}, {self.dtype}\n{self.plan.rstrip()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return explanation(self)


def explain(
    expr: str,
    format: str | None = None,
    /,
    *,
    dtype=None,
    dims: dict[str, int | tuple[int, ...]] | None = None,
    schedule=None,
    exact: bool | None = None,
    operands: dict[str, Any] | None = None,
    **named: Any,
) -> Explanation:
    """What :func:`evaluate` would do with the same arguments, without doing it.

    Examples
    --------
    >>> import openwork as ow
    >>> A = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr")
    >>> e = ow.explain("C(i,j) = A(i,j) + B(i,j)", A=A, B=A)
    >>> e.format
    'csr'
    >>> print(e.cin)
    forall i forall j C(i,j) = A(i,j) + B(i,j)
    """
    made, tensors = _bound(expr, format, dtype, dims, schedule, exact, {**(operands or {}), **named})
    return Explanation(made.explain(*tensors))


class Times(NamedTuple):
    """Seconds of one run: in conversions of operands and of the result, in the kernel, and in all; what ran, on how many
    threads, and in how many chunks, which threads share.

    ``variant`` has the number and the name of the plan's variant, as :func:`explain` lists them, what was stored
    differently, the formats that :meth:`Kernel.prepare` chose, and the sizes that the plan was made for where the operands
    have others. Nothing is stored differently where an operand is read in place, as a NumPy array is.
    """

    conversions: float
    kernel: float
    total: float
    variant: str
    threads: int
    chunks: int


class Kernel:
    """A statement compiled for operands of fixed formats and dtypes; made by :func:`kernel`.

    Calls are cheap and may come from several threads; a kernel can be pickled, with what was prepared. Operands that are not stored as the kernel expects them are
    converted on every call; :meth:`prepare` does that once.
    """

    def __init__(self, expr, formats, dtypes, result, dtype, dims, exact=None, schedule=None, variant=None):
        _, self._ranks = _core.notation(expr)
        self._layouts = {n: formats.get(n, "dense") for n, _ in self._ranks}
        self._formats = {n: _core.parse_format(self._layouts[n], r) for n, r in self._ranks}
        self._dtypes = {n: dtype_of(dtypes.get(n, "float64")) for n, _ in self._ranks}
        self._expected = {n: _core.Layout(self._layouts[n], r, str(self._dtypes[n])) for n, r in self._ranks}
        for name in (*formats, *dtypes):
            if name not in self._layouts:
                raise no_operand(expr, name, self._layouts)
        name = None if dtype is None else str(dtype_of(dtype))
        exact = exactness(exact)
        self._declared = (expr, self._layouts, self._dtypes, result, name, dims, exact, schedule, variant)
        names = [n for n, _ in self._ranks]
        self._statement = _core.Statement(expr, names, result, name, sizes(dims), schedule, exact, variant)
        self._stages = self._statement.compile(
            [(r, self._layouts[n], str(self._dtypes[n])) for n, r in self._ranks]
        )
        self._prepared: dict[str, _core.Tensor] = {}
        # What was prepared as arrays, which pickles are made of.
        self._shown: dict[str, Array] = {}

    def __repr__(self) -> str:
        stored = {**self._formats, **{n: t.format for n, t in self._prepared.items()}}
        operands = ", ".join(f"{n}: {stored[n]} {self._dtypes[n]}" for n, _ in self._ranks)
        return f"<openwork.Kernel: {self._statement.text} [{operands}]>"

    def __reduce__(self):
        # Code is compiled again where it is loaded, for the processor there.
        for n, t in self._prepared.items():
            if n not in self._shown or self._shown[n]._tensor is not t:
                self._shown[n] = wrap(t)
        return _remade, (self._declared, {n: self._shown[n] for n in self._prepared})

    @property
    def explanation(self) -> Explanation:
        """What the statement became."""
        return Explanation(self._stages)

    def prepare(self, *, runs: int | None = None, **operands: Any) -> Kernel:
        """The same kernel with some operands fixed: converted once, and left out of calls.

        With ``runs``, about how many calls there will be, the fixed operands are stored as is fastest for these, whatever their
        formats are: some are tried, which takes at most half as long as the calls would; for fewer
        than 50 calls none are.
        Values are then those of now, and the result is stored as it would be without. Operands that are given later are stored as
        the kernel says. A kernel with a schedule or a variant keeps its formats.

        Examples
        --------
        >>> import openwork as ow
        >>> product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
        >>> with_a = product.prepare(A=[[0.0, 2.0], [3.0, 0.0]])
        >>> [with_a(x=[n, 1.0]).todense().tolist() for n in (1.0, 2.0)]
        [[2.0, 3.0], [2.0, 6.0]]
        >>> padded = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "ell"})
        >>> padded.prepare(A=[[0.0, 2.0], [3.0, 0.0]], runs=1000)(x=[1.0, 1.0]).todense()
        array([2., 3.])
        """
        fixed = {**self._prepared, **{n: self._converted(n, x) for n, x in operands.items()}}
        return self._fixing(fixed) if runs is None else self._suited(fixed, runs)

    def _fixing(self, operands: dict[str, _core.Tensor]) -> Kernel:
        """The same kernel with these operands and no others fixed."""
        kernel = object.__new__(Kernel)
        kernel.__dict__.update(self.__dict__)
        kernel._shown, kernel._prepared = {}, operands
        return kernel

    def _suited(self, fixed: dict[str, _core.Tensor], runs: int) -> Kernel:
        """The same kernel with these operands as they are best stored for so many runs."""
        times = index(runs)
        if times < 1:
            raise ValueError(f"runs is a number of calls, and {times} is none")
        names = [n for n, _ in self._ranks]
        declared = [(r, self._layouts[n], str(self._dtypes[n])) for n, r in self._ranks]
        own = {n: wrap(t).copy()._tensor if t.foreign else t for n, t in fixed.items()}
        result, suited = self._statement.suited([own.get(n) for n in names], declared, min(times, _MANY))
        better = {n: t for n, t in zip(names, suited, strict=True) if t is not None}
        expr, layouts, dtypes, given, *others = self._declared
        # The format of a result that nobody chose follows from those of the operands.
        follows = better and given is None
        kernel = Kernel(expr, layouts, dtypes, result, *others) if follows else self
        return kernel._fixing({**own, **better})

    def _converted(self, name: str, x) -> _core.Tensor:
        expected = self._expected.get(name)
        if expected is None:
            raise no_operand(self._statement.text, name, self._formats)
        array = x if type(x) is Array else asarray(x)
        if expected.holds(array._tensor):
            return array._tensor
        if array.dtype != self._dtypes[name]:
            raise refuse(
                "E0212", f"`{name}` has dtype {array.dtype}, the kernel expects {self._dtypes[name]}"
            )
        same = array._tensor.format == self._formats[name]
        return (array if same else array.asformat(self._layouts[name]))._tensor

    def __call__(self, *, out: Array | np.ndarray | None = None, **operands: Any) -> Any:
        """Runs the kernel.

        ``out`` is an array of the result's shape and dtype, such as an earlier result. It is returned with the new
        values, or left as it was where the call fails or is interrupted; it may be an operand as well. Its memory is
        used again by the call after, so that two results take turns, unless something else reads it (a view, or what
        ``todense`` gave); then it is left alone. A NumPy array gets the values of the result, every coordinate written
        out, and keeps its dtype.
        """
        return _into(out, self._statement, self._tensors(operands))

    def timed(self, **operands: Any) -> tuple[Array, Times]:
        """Runs the kernel, and tells how long that took and which variant of the plan ran.

        Examples
        --------
        >>> import openwork as ow
        >>> y, times = ow.kernel("y(i) = 2 * x(i)").timed(x=[1.0, 2.0])
        >>> y.todense()
        array([2., 4.])
        >>> times.conversions + times.kernel <= times.total
        True
        >>> times.variant, times.threads
        ('2 kernel; `x` stored as dense, from a list', 1)
        """
        start = perf_counter()
        converting, given, done = 0.0, {}, []
        for n, x in operands.items():
            begun = perf_counter()
            given[n] = self._converted(n, x)
            how = _stored_differently(x, given[n])
            if how is not None:
                converting += perf_counter() - begun
                done.append(f"; `{n}` {how}")
        result, (conversions, inside, _), ran, spread = self._statement.timed(*self._ordered(given))
        fixed = {n: t.format for n, t in self._prepared.items() if n not in operands}
        done += [f"; `{n}` prepared as {f}" for n, f in fixed.items() if f != self._formats[n]]
        times = (converting + conversions, inside, perf_counter() - start)
        return wrap(result), Times(*times, ran + "".join(done), *spread)

    def _tensors(self, operands) -> list[_core.Tensor]:
        """The tensors of all operands, in the order of the statement."""
        return self._ordered({n: self._converted(n, x) for n, x in operands.items()})

    def _ordered(self, given: dict[str, _core.Tensor]) -> list[_core.Tensor]:
        """Tensors of operands, and of those that are prepared, in the order of the statement."""
        try:
            return [given[n] if n in given else self._prepared[n] for n, _ in self._ranks]
        except KeyError as e:
            raise refuse("E0211", f"the operand `{e.args[0]}` was not given") from None

    def pattern(self, **operands: Any) -> Pattern:
        """Which elements the result stores for these operands; only how they are stored matters, not their values.

        Examples
        --------
        >>> import scipy.sparse as sp, openwork as ow
        >>> A = sp.csr_array([[0.0, 2.0], [3.0, 4.0]])
        >>> square = ow.kernel("C(i,k) = A(i,j) * A(j,k)", {"A": "csr"}, format="csr")
        >>> pattern = square.pattern(A=A)
        >>> pattern
        <openwork.Pattern: C(i,k) = A(i,j) * A(j,k), nnz=4>
        >>> [pattern(A=A * step).todense().tolist() for step in (1, 10)]
        [[[6.0, 8.0], [12.0, 22.0]], [[600.0, 800.0], [1200.0, 2200.0]]]
        """
        return Pattern(self, self._tensors(operands))


def _stored_differently(x, tensor: _core.Tensor) -> str | None:
    """How an operand became a tensor, in words; nothing where that reads what was given in place, or a number."""
    if type(x) is Array:
        return None if x._tensor is tensor else f"converted from {x.format} to {tensor.format}"
    if not tensor.ndim or isinstance(x, np.ndarray) and tensor.foreign:
        return None
    return f"stored as {tensor.format}, from a {type(x).__name__}"


def _remade(declared, prepared) -> Kernel:
    """A kernel from its pickled parts. A worker gets the same kernel with every task, and compiles it with the first."""
    with _MADE_LOCK:
        found = next((made for known, made in _MADE if known == declared), None)
    if found is None:
        found = Kernel(*declared)
        with _MADE_LOCK:
            _MADE.append((declared, found))
    return found._fixing({n: a._tensor for n, a in prepared.items()})


# More calls than anyone makes.
_MANY = 2**62
# The last kernels that came from pickles; what was prepared is not among them.
_MADE: deque[tuple[Any, Kernel]] = deque(maxlen=16)
_MADE_LOCK = Lock()


class Pattern:
    """The structure of a sparse result, made once by :meth:`Kernel.pattern`; a call computes values for it.

    The results share the index arrays of the pattern. An operand that stores other elements than the one that the pattern
    was made for is refused with :class:`OperandError`.
    """

    def __init__(self, kernel: Kernel, tensors: list[_core.Tensor]):
        self._kernel, self._pattern = kernel, kernel._statement.pattern(*tensors)
        # Index arrays, whose memory the operands share: a pickle has what the pattern is made of again, but no values.
        self._structures = [_structure(t) for t in tensors]

    def __repr__(self) -> str:
        return f"<openwork.Pattern: {self._kernel._statement.text}, nnz={self.nnz}>"

    def __reduce__(self):
        return _pattern_remade, (self._kernel, self._structures)

    @property
    def nnz(self) -> int:
        """How many elements the result stores."""
        return self._pattern.nnz

    @property
    def array(self) -> Array:
        """The pattern as an array of bools, true where the result stores an element."""
        return wrap(self._pattern.tensor)

    def __call__(self, **operands: Any) -> Array:
        """The result for operands with other values."""
        return wrap(self._pattern(*self._kernel._tensors(operands)))


def _structure(t: _core.Tensor) -> tuple[Any, ...]:
    """All of a tensor but its values, of which the number is kept."""
    arrays = [[np.asarray(m) for m in level] for level in t.arrays()]
    return t.shape, t.layout, t.fill, arrays, len(np.asarray(t.values())), t.dtype


def _pattern_remade(kernel: Kernel, structures) -> Pattern:
    """A pattern from its pickled parts: it is made again of the structures of the operands, which are checked like any input."""
    given = [
        _restored(shape, layout, fill, arrays, np.zeros(count, dtype))._tensor
        for shape, layout, fill, arrays, count, dtype in structures
    ]
    return Pattern(kernel, given)


def kernel(
    expr: str,
    formats: dict[str, str] | None = None,
    dtypes: dict[str, Any] | None = None,
    *,
    format: str | None = None,
    dtype=None,
    dims: dict[str, int | tuple[int, ...]] | None = None,
    exact: bool | None = None,
    schedule: str | None = None,
    variant: int | None = None,
) -> Kernel:
    """Compiles a statement once, for operands of any shape.

    Parameters
    ----------
    expr : str
        A statement in index notation.
    formats, dtypes : dict, optional
        By operand; dense and ``float64`` where nothing is said.
    format, dtype : optional
        Of the result.
    dims : dict, optional
        Sizes of index variables that no operand has, and the shape of a result that is assigned where values say: ``{"y": (10, 20)}``.
    exact : bool, optional
        Arithmetic as NumPy has it for dense arrays, in every call; by default that of :func:`openwork.exact` now.
    schedule : str, optional
        Commands that rewrite the plan, as TACO has them; what would change the result is refused.
    variant : int, optional
        The number of the variant of the plan that calls try first, as :func:`explain` lists them: one that would not be faster
        as well. Where it cannot be right for the operands the next one runs; :meth:`Kernel.timed` tells which one ran.

    Examples
    --------
    >>> import openwork as ow
    >>> tiled = ow.kernel("C(i,k) = A(i,j) * B(j,k)", schedule="split(k,k0,k1,64), reorder(k0,i,j,k1)")
    >>> tiled.explanation.cin
    'forall k0 forall i forall j forall k1 forall k C(i,k) += A(i,j) * B(j,k)'
    >>> deciding = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}, variant=2)
    >>> deciding.timed(A=[[0.0, 2.0], [3.0, 0.0]], x=[1.0, 1.0])[1].variant
    '2 deciding; `A` stored as csr, from a list; `x` stored as dense, from a list'
    >>> product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
    >>> product
    <openwork.Kernel: y(i) = A(i,j) * x(j) [A: csr float64, x: dense float64]>
    >>> y = product(A=[[0.0, 2.0], [3.0, 0.0]], x=[1.0, 1.0])
    >>> y = product(A=[[0.0, 2.0], [3.0, 0.0]], x=[2.0, 1.0], out=y)
    >>> y.todense()
    array([2., 6.])
    """
    return Kernel(expr, formats or {}, dtypes or {}, format, dtype, dims, exact, schedule, variant)
