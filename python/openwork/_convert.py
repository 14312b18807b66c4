"""Arrays of other libraries in and out, and files."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core, _scipys
from ._array import Array, wrap
from ._errors import refuse
from ._foreign import taken
from ._statements import dtype_of


def is_scipy(x) -> bool:
    """Whether something is a sparse array or matrix of SciPy, which is not imported to find out."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(x)


def is_matrix(x) -> bool:
    """Whether something is of SciPy's older classes, such as ``csr_matrix``."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and isinstance(x, sparse.spmatrix)


def asarray(x, format: str | None = None, fill_value: Any = None, dtype=None, copy: bool | None = None) -> Array:
    """An array from a NumPy array, a SciPy sparse array or matrix, nested lists, or an array of ours.

    Parameters
    ----------
    x : array_like or sparse
        All seven formats of SciPy are taken. Coordinates in any order and more than once are sorted and added up; those
        outside the shape are refused.
    format : str, optional
        A preset (``"csr"``), letters (``"ds"``) or levels in full (``"(i,j) -> (j-i,i,j) : squeezed, range, offset"``).
        By default the format that ``x`` has; ``"csr"`` for ``lil``, ``"coo"`` for ``dok``.
    fill_value : scalar, optional
        The value of coordinates that are not stored: by default the one that ``x`` has, and 0 for what has none. Of a dense
        ``x``, values that are equal to it are not stored in a sparse format; of a sparse one, what is stored stays stored.
    dtype : dtype, optional
        Values are cast as NumPy casts them.
    copy : bool, optional
        Values are read in place where their dtype and layout allow it (contiguous, aligned, of the machine's byte
        order; read-only memory too), and copied otherwise. ``True`` always copies them; ``False`` raises
        ``ValueError`` rather than copy them. Index arrays and bools are always copied: what kernels trust is checked
        once, and nobody can change it afterwards. A value that is changed later in memory that is read in place is
        changed in the array, too.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, openwork as ow
    >>> ow.asarray(sp.eye_array(3, format="csr"))
    <openwork.Array: shape=(3, 3), dtype=float64, format=csr, nnz=3: (0,0) 1, (1,1) 1, (2,2) 1>
    >>> ow.asarray([[1, np.inf], [np.inf, 2]], format="csr", fill_value=np.inf)
    <openwork.Array: shape=(2, 2), dtype=float64, format=csr, nnz=2, fill=inf: (0,0) 1, (1,1) 2>
    """
    if type(x) is np.ndarray and format is None and fill_value is None and dtype is None and copy is None:
        tensor = _core.in_place(x)
        if tensor is not None:
            return wrap(tensor)
    fill = 0 if fill_value is None else fill_value
    if type(x) is Array:
        array = x if dtype is None else x.astype(dtype, copy=False)
        if fill_value is not None:
            array = _from_numpy(array.todense(), fill, None, copy) if array._tensor.dense else refilled(array, fill, array.dtype)
    elif is_scipy(x):
        array = _from_scipy(x, format, fill, dtype, copy)
    elif not isinstance(x, (np.ndarray, list, tuple)) and (other := taken(x)) is not None:
        array = asarray(other, fill_value=fill_value, dtype=dtype, copy=copy)
    else:
        array = _from_numpy(x, fill, dtype, copy)
    array = array if format is None else array.asformat(format)
    # Another dtype or format has values of its own, another fill value has those that were there.
    return array.copy() if copy and type(x) is Array and _reads(array, x) else array


def _reads(a: Array, b: Array) -> bool:
    """Whether two arrays have values in the same memory."""
    return np.may_share_memory(np.asarray(a._tensor.values()), np.asarray(b._tensor.values()))


def refilled(x: Array, fill, dtype: np.dtype) -> Array:
    """An array of what a sparse one stores, all else having another value."""
    t = x._tensor
    if x.dtype == dtype and t.fill == fill:
        return x
    if not t.padded:
        return wrap(t.refilled(_number(fill, dtype), str(dtype)))
    # Blocks, diagonals and runs store values that nobody gave: those that are the fill value are nothing.
    coords, values = x.to_coo()
    given = ~((values == x.fill_value) | ((values != values) & (x.fill_value != x.fill_value)))
    return from_coo([c[given] for c in coords], values[given].astype(dtype), x.shape, fill_value=fill)


def _from_numpy(x, fill, dtype, copy) -> Array:
    if isinstance(x, np.ma.MaskedArray):
        raise refuse("E0601", "a masked array lacks values", "x.filled(0) has a value everywhere")
    given = np.asarray(x, dtype=dtype)
    if copy is False and given is not x:
        raise ValueError("the array cannot be read in place: it must be converted first (copy=False)")
    dtype_of(given.dtype)
    if given.ndim == 0:
        return wrap(_core.single(given.item(), str(given.dtype.newbyteorder("="))))
    plain = _plain(given, copy)
    shared = isinstance(x, np.ndarray) and np.may_share_memory(plain, x)
    return wrap(_core.dense(plain, _number(fill, plain.dtype), copy is True and shared))


def _number(value, dtype: np.dtype):
    """A fill value as Python's number."""
    number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    return int(number) if dtype.kind in "iu" and isinstance(number, float) and number.is_integer() else number


def _plain(x: np.ndarray, copy: bool | None = None) -> np.ndarray:
    """An array as the compiler reads memory: contiguous, aligned, in the machine's byte order."""
    flags = x.flags
    if (flags.c_contiguous or flags.f_contiguous) and flags.aligned and x.dtype.isnative:
        return x
    if copy is False:
        raise ValueError(
            "the array cannot be read in place: it is strided, unaligned or byte-swapped (copy=False)"
        )
    return np.array(x, dtype=x.dtype.newbyteorder("="), order="C")


def _index(x: np.ndarray) -> np.ndarray:
    """Coordinates of 32 or 64 bits."""
    x = np.asarray(x)
    if x.dtype.kind not in "iu" and x.size:
        raise refuse("E0805", f"coordinates are integers, not {x.dtype}")
    same = x.dtype in (np.int32, np.int64)
    if x.dtype == np.uint64 and x.size and x.max() > np.iinfo(np.int64).max:
        raise refuse("E0601", f"the coordinate {x.max()} is out of range")
    return _plain(np.ravel(x) if same else np.ravel(x).astype(np.int64))


def _values(x, dtype, copy) -> np.ndarray:
    """Values of a supported dtype."""
    given = np.asarray(x)
    dtype_of(given.dtype)
    cast = given if dtype is None else given.astype(dtype_of(dtype), copy=False)
    if copy is False and cast is not given:
        raise ValueError("the values cannot be read in place: they must be cast first (copy=False)")
    return _plain(cast, copy)


def _from_scipy(x, wanted: str | None, fill, dtype, copy) -> Array:
    if x.format in _scipys.COMPRESSED and x.ndim == 2:
        return _compressed(x, fill, dtype, copy)
    if copy is False:
        raise ValueError(f"a {x.format} array cannot be read in place (copy=False)")
    format = _scipys.STORED.get(x.format, "coo" if x.ndim > 1 else "sv")
    if wanted is not None and (facts := _core.facts(wanted, x.ndim)) is not None and facts.rows is not None:
        # Entries in no order are put into rows as they come.
        format = wanted
    x = _CHECKED[x.format](x) if x.format in _CHECKED else x
    listed = x if x.format == _scipys.LIST else x.tocoo()
    coords = listed.coords if hasattr(listed, "coords") else (listed.row, listed.col)
    return from_coo(coords, listed.data, x.shape, format=format, fill_value=fill, dtype=dtype)


def _diagonals(x):
    """A dia array of SciPy's as its constructor makes it, of the diagonals that have an element."""
    offsets, data = _index(x.offsets), np.asarray(x.data)
    if data.ndim != 2:
        raise refuse("E0601", f"the diagonals of a dia array have 2 modes, not {data.ndim}")
    if len(offsets) != len(data):
        raise refuse("E0601", f"a dia array has {len(data)} diagonals and {len(offsets)} offsets")
    if len(np.unique(offsets)) != len(offsets):
        raise refuse("E0601", "a dia array has two diagonals with one offset")
    rows, columns = x.shape
    widest = np.iinfo(np.int32 if max(rows, columns) <= np.iinfo(np.int32).max else np.int64)
    outside = (offsets < widest.min) | (offsets > widest.max)
    if outside.any():
        raise refuse("E0601", f"the offset {offsets[outside][0]} is out of range")
    kept = (offsets > -rows) & (offsets < columns)
    return type(x)((data[kept], offsets[kept]), shape=x.shape)


def _rows(x):
    """A lil array of SciPy's, whose lists are as many and as long as its shape and one another."""
    if not x.shape[:1] == np.shape(x.rows) == np.shape(x.data):
        raise refuse("E0601", f"a lil array of {x.shape[0]} rows has no list for each")
    if list(map(len, x.rows)) != list(map(len, x.data)):
        raise refuse("E0601", "a row of a lil array has more columns than values, or fewer")
    return x


# What SciPy's conversions read beyond unless it is looked at before.
_CHECKED = {_scipys.DIAGONALS: _diagonals, _scipys.ROWS_OF_LISTS: _rows}


def _compressed(x, fill, dtype, copy) -> Array:
    pos, crd = _index(x.indptr), _index(x.indices)
    if pos.dtype != crd.dtype:
        pos, crd = pos.astype(np.int64), crd.astype(np.int64)
    values = _values(x.data, dtype, copy)
    # SciPy's arrays may have room behind the last element.
    stored = int(pos[-1]) if pos.size else 0
    if 0 <= stored < min(len(crd), len(values)):
        crd, values = crd[:stored], values[:stored]
    format = x.format
    if format == _scipys.BLOCKS:
        if values.ndim != 3:
            raise refuse("E0601", f"the blocks of a bsr array have 3 modes, not {values.ndim}")
        format = f"bcsr({values.shape[1]},{values.shape[2]})"
        values = np.ascontiguousarray(values).reshape(-1)
    arrays = (pos, crd, values)
    return wrap(_core.compressed(x.shape, format, _number(fill, values.dtype), arrays, copy is True))


# From this many rows on a matrix gets no position for each of them unless it is asked for; so do results.
_HUGE = 2**27


def from_coo(coords, values, shape, *, format: str | None = None, fill_value: Any = 0, dtype=None) -> Array:
    """An array from coordinates, one sequence for each mode, and values; both are copied.

    Coordinates come in any order; values of the same coordinates are added up. ``format`` is ``"csr"`` for matrices,
    ``"dcsr"`` for those of 2**27 rows and more, and ``"csf"`` for other numbers of modes unless another one is given.

    Examples
    --------
    >>> import openwork as ow
    >>> ow.from_coo(([0, 1, 0], [1, 0, 1]), [1.0, 5.0, 2.0], (2, 2)).todense()
    array([[0., 3.],
           [5., 0.]])
    """
    shape = tuple(int(n) for n in shape)
    if not all(0 <= n < 2**63 for n in shape):
        raise refuse("E0603", f"no array has the shape {shape}", "sizes are numbers of 0 and more, below 2**63")
    if format is None:
        matrix = "dcsr" if len(shape) == 2 and shape[0] >= _HUGE else "csr"
        format = {0: "dense", 1: "sv", 2: matrix}.get(len(shape), "csf")
    values = _values(np.atleast_1d(np.asarray(values)), dtype, None)
    arrays = [_index(c) for c in coords]
    if len(arrays) == 0 < len(shape):
        arrays = [np.zeros(0, np.int64)] * len(shape)
    fill = _number(fill_value, values.dtype)
    return wrap(_core.coordinates(shape, format, fill, arrays, np.ravel(values)))


def to_scipy(array: Array, copy: bool):
    """See :meth:`Array.to_scipy`."""
    import scipy.sparse as sp

    if array.fill_value != 0:
        raise refuse("E0602", f"SciPy has no fill value {array.fill_value}, only zero")
    t = array._tensor
    rows, blocks = t.facts.rows, t.facts.blocks
    if rows is None and blocks is None:
        coords, values = array.to_coo()
        return sp.coo_array((values, coords), shape=array.shape)
    pos, crd = (np.asarray(m) for m in t.arrays()[1])
    values = np.asarray(t.values())
    if blocks is not None:
        values = values.reshape(-1, *blocks)
        if any(n % size for n, size in zip(array.shape, blocks)):
            return to_scipy(array.asformat("csr"), copy)
    kind = sp.bsr_array if blocks is not None else sp.csc_array if rows else sp.csr_array
    made = kind((values, crd, pos), shape=array.shape, copy=copy)
    if blocks is None:
        made.has_canonical_format = True
    return made


def convert(x, format: str) -> Array:
    """Anything that :func:`asarray` takes, in a format; see :meth:`Array.asformat`.

    Examples
    --------
    >>> import openwork as ow
    >>> ow.convert([[1.0, 0.0], [0.0, 2.0]], "(i,j) -> (j-i,i,j) : squeezed, range, offset").format
    'dia'
    """
    return asarray(x).asformat(format)
