"""What SciPy's solvers ask of a matrix: products with vectors and with a few columns, from both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array
from ._core import access
from ._errors import refuse
from ._statements import is_exact, product, run, statement

if TYPE_CHECKING:
    from types import FrameType

    from ._array import Array

# The indices of the result, of the sum and of the other factor, by the number of its modes.
_FROM_THE_RIGHT = {1: (["i"], ["j"], ["j"]), 2: (["i", "k"], ["j"], ["j", "k"])}
_FROM_THE_LEFT = {1: (["j"], ["i"], ["i"]), 2: (["j", "k"], ["i"], ["i", "k"])}


#: The functions of SciPy's that ask for a dtype before they do what is slow: the first makes a dense identity, the others solve
#: by iterations what is no class of SciPy's.
ASKING = frozenset({"_ident_like", "__init__", "aslinearoperator"})
_IDENTITY = "scipy.sparse.linalg._expm_multiply"
_EIGENVALUES = "scipy.sparse.linalg._eigen.arpack.arpack"


def refuse_slow_ways(frame: FrameType) -> None:
    """Refuses what SciPy would do to an array because it is no class of its own; the frame is who asks for a dtype."""
    name, module = frame.f_code.co_name, frame.f_globals.get("__name__")
    if name == "_ident_like" and module == _IDENTITY:
        message = "scipy.sparse.linalg.expm and expm_multiply make a dense identity for what is no class of SciPy's"
        raise refuse("E0103", message, "to_scipy() is an array of SciPy's, for which the identity is sparse")
    caller = frame if name == "__init__" else frame.f_back
    inverts = name == "__init__" or caller is not None and caller.f_code.co_name == "get_OPinv_matvec"
    if inverts and caller is not None and caller.f_globals.get("__name__") == _EIGENVALUES:
        message = "scipy.sparse.linalg.eigs and eigsh with sigma or M solve a system by iterations in each step for what is no class of SciPy's"
        raise refuse("E0103", message, "to_scipy() is an array of SciPy's, which is factorized once")


class LinearMap:
    """The methods by which ``scipy.sparse.linalg.aslinearoperator`` knows a matrix, so that ``cg``, ``gmres``, ``eigsh``,
    ``svds``, ``lsqr`` and others take an array as it is. All of them give NumPy arrays.

    Functions that look into SciPy's own classes (``spsolve``, ``splu``, ``expm_multiply``) take
    :meth:`Array.to_scipy`, as do ``eigs`` and ``eigsh`` with ``sigma`` or ``M``.
    """

    __slots__ = ()

    def matvec(self: Any, x) -> np.ndarray:
        """The product with a vector, of shape ``(n,)`` or ``(n, 1)``.

        Examples
        --------
        >>> import numpy as np, scipy.sparse.linalg as sla, openwork as ow
        >>> A = ow.asarray([[4.0, 1.0], [1.0, 3.0]], format="csr")
        >>> A.matvec([1.0, 2.0])
        array([6., 7.])
        >>> x, info = sla.cg(A, np.array([6.0, 7.0]))
        >>> x.round(6), info
        (array([1., 2.]), 0)
        """
        return _product(self, x, _FROM_THE_RIGHT)

    def matmat(self: Any, x) -> np.ndarray:
        """The product with a matrix of a few columns."""
        return _product(self, x, _FROM_THE_RIGHT)

    def rmatvec(self: Any, x) -> np.ndarray:
        """The product of the conjugate transpose with a vector; nothing is transposed for it.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[1j, 2.0], [0.0, 1j]], format="csr").rmatvec([1.0, 1.0])
        array([0.-1.j, 2.-1.j])
        """
        return _adjoint(self, x)

    def rmatmat(self: Any, x) -> np.ndarray:
        """The product of the conjugate transpose with a matrix of a few columns."""
        return _adjoint(self, x)


def _adjoint(a: Array, x) -> np.ndarray:
    x = np.asarray(x)
    if a.dtype.kind != "c":
        return _product(a, x, _FROM_THE_LEFT)
    return np.conj(_product(a, np.conj(x), _FROM_THE_LEFT))


def _product(a: Array, x, sides: dict[int, tuple[list[str], list[str], list[str]]]) -> np.ndarray:
    if a.ndim != 2:
        raise refuse("E0202", f"an array of {a.ndim} modes is no matrix", "openwork.evaluate sums over any mode")
    x = np.asarray(x)
    if x.ndim not in sides:
        raise refuse("E0202", f"an array of {x.ndim} modes is neither a vector nor columns of a matrix")
    inner = a.shape[1] if sides is _FROM_THE_RIGHT else a.shape[0]
    if x.shape[0] != inner:
        raise refuse("E0203", f"a product over {inner} values has no operand of shape {x.shape}")
    left, over, other = sides[x.ndim]
    factors = (access("matrix", ["i", "j"]), access("operand", other))
    built = product(access("result", left), over, factors, truth=a.dtype == x.dtype == bool)
    s, t = a._tensor, _array.asarray(x)._tensor
    done = run(statement(built, ("matrix", "operand"), "dense", exact=is_exact(s, t)), s, t)
    return np.asarray(done.take_dense())

