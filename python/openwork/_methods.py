"""Methods under the names that NumPy's and SciPy's arrays have for them; each is a function of NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array

if TYPE_CHECKING:
    from ._array import Array

# What functions that know SciPy's classes only ask for, and what of NumPy's there is on dense arrays.
_SCIPYS = (
    "A data indices indptr row col offsets blocksize has_canonical_format has_sorted_indices sort_indices sum_duplicates "
    "eliminate_zeros getrow getcol getnnz get_shape tobsr todia todok tolil setdiag"
)
_NUMPYS = "flat strides flags tolist view"
_INSTEAD = {name: "to_scipy() is an array of SciPy's" for name in _SCIPYS.split()}
_INSTEAD |= {name: "todense() is an array of NumPy's" for name in _NUMPYS.split()}
# What SciPy's arrays have as methods beside NumPy's functions.
_FUNCTIONS = (
    "sin tan arcsin arctan sinh tanh arcsinh arctanh rint sign expm1 log1p deg2rad rad2deg floor ceil trunc sqrt"
)
_INSTEAD |= {name: f"numpy.{name} takes the array" for name in _FUNCTIONS.split()}
_INSTEAD |= {name: "a.conj().T is the conjugate transpose" for name in ("H", "getH")}
_INSTEAD |= {name: "an array does not change: make another one" for name in ("resize", "fill", "sort", "put", "itemset")}


class Methods:
    """What functions of NumPy's do, as methods."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # Only what is not there comes here.
            instead = f": {_INSTEAD[name]}" if name in _INSTEAD else ""
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{instead}", name=name, obj=self)

    def diagonal(self: Any, offset: int = 0):
        """A diagonal of a matrix. ``numpy.diagonal``.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[1, 2], [0, 3]], format="csr").diagonal().todense()
        array([1, 3])
        """
        return np.diagonal(self, offset)

    def trace(self: Any, offset: int = 0):
        """The sum of a diagonal of a matrix. ``numpy.trace``.

        Examples
        --------
        >>> import openwork as ow
        >>> int(ow.asarray([[1, 2], [0, 3]], format="csr").trace())
        4
        """
        return np.trace(self, offset)

    def nonzero(self: Any) -> tuple[np.ndarray, ...]:
        """The coordinates of what is not zero, row by row. ``numpy.nonzero``.

        Examples
        --------
        >>> import openwork as ow
        >>> rows, columns = ow.asarray([[0, 2], [3, 0]], format="csc").nonzero()
        >>> rows.tolist(), columns.tolist()
        ([0, 1], [1, 0])
        """
        return np.nonzero(self)

    def argsort(self: Any, axis: int | None = -1, kind=None, order=None, *, stable=None) -> Array:
        """The coordinates along a mode in order of their values; see :func:`openwork.argsort`."""
        return _ours(np.argsort(self, axis, kind, order, stable=stable))

    def maximum(self: Any, other) -> Any:
        """The larger value of two, element by element. ``numpy.maximum``."""
        return np.maximum(self, other)

    def minimum(self: Any, other) -> Any:
        """The smaller value of two, element by element. ``numpy.minimum``."""
        return np.minimum(self, other)

    def power(self: Any, n) -> Any:
        """Every value to a power. ``numpy.power``."""
        return np.power(self, n)

    def clip(self: Any, min=None, max=None) -> Array:
        """Every value, or the bound beyond which it is. ``numpy.clip``."""
        return np.clip(self, min, max)

    def round(self: Any, decimals: int = 0) -> Array:
        """Every value rounded. ``numpy.round``."""
        return np.round(self, decimals)

    def __round__(self: Any, ndigits: int | None = None) -> Array:
        return np.round(self, ndigits or 0)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        """The array with two modes exchanged. ``numpy.swapaxes``."""
        return np.swapaxes(self, axis1, axis2)

    def reshape(self: Any, *shape, order: str = "C", copy: bool | None = None) -> Array:
        """The same elements in another shape, one size of which may be -1. ``numpy.reshape``.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]], format="csr").reshape(3, -1)
        <openwork.Array: shape=(3, 2), dtype=float64, format=csr, nnz=3: (0,1) 2, (1,1) 3, (2,1) 4>
        """
        return _ours(np.reshape(self, shape[0] if len(shape) == 1 else shape, order=order, copy=copy))  # type: ignore[call-overload]

    def ravel(self: Any, order: str = "C") -> Array:
        """All elements as one row. ``numpy.ravel``.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr").ravel()
        <openwork.Array: shape=(4,), dtype=float64, format=sv, nnz=2: (1) 2, (2) 3>
        """
        return _ours(np.ravel(self, order))  # type: ignore[call-overload]

    def flatten(self: Any, order: str = "C") -> Array:
        """All elements as one row; see :meth:`ravel`."""
        return self.ravel(order)

    def squeeze(self: Any, axis=None) -> Array:
        """The array without its modes of size 1, or without some of them. ``numpy.squeeze``."""
        return _ours(np.squeeze(self, axis))

    def take(self: Any, indices, axis: int | None = None, out=None, mode: str = "raise") -> Any:
        """The elements at some coordinates of a mode, or of all of them as one row. ``numpy.take``."""
        return _ours(np.take(self, indices, axis, out, mode))  # type: ignore[call-overload]

    def repeat(self: Any, repeats, axis: int | None = None) -> Array:
        """Everything along a mode as often as is said. ``numpy.repeat``."""
        return _ours(np.repeat(self, repeats, axis))

    def tocoo(self: Any) -> Array:
        """The array as a list of coordinates.

        Examples
        --------
        >>> import openwork as ow
        >>> ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr").tocoo()
        <openwork.Array: shape=(2, 2), dtype=float64, format=coo, nnz=2: (0,1) 2, (1,0) 3>
        """
        return self.asformat("coo")


def _ours(x: Any) -> Any:
    """An array of ours, where a function of NumPy's gave one of its own for a dense array."""
    return _array.asarray(x) if isinstance(x, np.ndarray) else x
