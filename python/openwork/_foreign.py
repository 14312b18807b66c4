"""Operands of libraries that are never imported here: whoever has such an object has imported them.

| library | what is taken |
|---|---|
| pandas | series, indices and frames; sparse ones without writing out what they leave out |
| PyData/Sparse | arrays of every kind, with their fill values |
| networkx | graphs, as their adjacency matrices |
| others | what gives its memory by DLPack: torch, JAX, CuPy on the host |
"""

from __future__ import annotations

import sys
from itertools import chain

import numpy as np

from . import _array
from ._errors import refuse
from ._listed import same


def taken(x):
    """An array of ours or of NumPy for an object of another library; nothing for other objects."""
    for kind in type(x).__mro__[:-1]:
        found = _LIBRARIES.get(kind.__module__.partition(".")[0])
        if found is not None:
            return found(x)
    if hasattr(x, "__dlpack__") and not isinstance(x, np.generic):
        return _by_dlpack(x)
    return None


def _pandas(x):
    if not hasattr(x, "to_numpy"):
        return None
    sparse = sys.modules["pandas"].SparseDtype
    if getattr(x, "ndim", 1) == 1:
        return _column(x) if isinstance(x.dtype, sparse) else _plain(x.to_numpy(), x)
    kinds = [isinstance(d, sparse) for d in x.dtypes]
    if not any(kinds):
        return _plain(_numbers(x), x)
    return _frame(x, kinds)


def _numbers(frame) -> np.ndarray:
    """The values of a frame. Of columns that may lack values pandas makes objects together, and numbers one by one."""
    together = frame.to_numpy()
    if together.dtype.kind != "O" or frame.shape[1] == 0:
        return together
    return np.column_stack([frame.iloc[:, n].to_numpy() for n in range(frame.shape[1])])


def _plain(x: np.ndarray, of) -> np.ndarray:
    if x.dtype.kind in "OUSMmV":
        name = type(of).__name__
        raise refuse(
            "E0805",
            f"the {name} has values of dtype {x.dtype}, which is not supported",
            "take its columns of numbers, or cast them: .astype(float)",
        )
    return x


def _listed(column):
    """The coordinates and values that a sparse column stores, and the value of the others."""
    stored = column.array if hasattr(column, "array") else column
    return stored.sp_index.to_int_index().indices, stored.sp_values, stored.fill_value


def _column(x):
    rows, values, fill = _listed(x)
    return _array.from_coo((rows,), values, (len(x),), fill_value=fill)


def _frame(x, kinds: list[bool]):
    """A frame with sparse columns. What most of it does not store is the fill value; columns with another one, or with none, have all
    of their values among the elements that differ from it."""
    rows = len(x)
    columns = [_listed(x.iloc[:, n]) if sparse else (None, _plain(x.iloc[:, n].to_numpy(), x), None) for n, sparse in enumerate(kinds)]
    numbers = (fill.item() if isinstance(fill, np.generic) else fill for at, _, fill in columns if at is not None)
    dtype = np.result_type(*(values.dtype for _, values, _ in columns), *numbers)
    left_out: dict[str, int] = {}
    fills = {}
    for at, _, fill in columns:
        if at is not None:
            name = str(dtype.type(fill))
            fills[name] = dtype.type(fill)
            left_out[name] = left_out.get(name, 0) + rows - len(at)
    name = max(left_out, key=lambda name: left_out[name])
    listed = [_beside(column, rows, fills[name], name) for column in columns]
    places = np.repeat(np.arange(x.shape[1]), [len(at) for at, _ in listed])
    values = np.concatenate([values for _, values in listed]).astype(dtype, copy=False)
    return _array.from_coo((np.concatenate([at for at, _ in listed]), places), values, x.shape, fill_value=fills[name])


def _beside(column, rows: int, wanted, name: str):
    """The coordinates and values of a column that may differ from a fill value, which has this name."""
    at, values, fill = column
    if at is not None and str(type(wanted)(fill)) == name:
        return at, values
    every = values
    if at is not None:
        every = np.full(rows, fill, np.result_type(values, wanted))
        every[at] = values
    other = np.flatnonzero(~np.asarray(same(every, wanted)))
    return other, every[other]


def _pydata(x):
    if not hasattr(x, "asformat"):
        return None
    listed = x.asformat("coo")
    return _array.from_coo(tuple(listed.coords), listed.data, listed.shape, fill_value=listed.fill_value)


def _graph(x):
    if not hasattr(x, "adjacency"):
        return None
    if len(x) == 0:
        return _array.from_coo(([], []), np.zeros(0), (0, 0))
    if x.is_multigraph():
        return _array.asarray(sys.modules["networkx"].to_scipy_sparse_array(x, format="csr"))
    # The neighbours of every node, one node after the other: compressed rows, but for the order in each.
    place = {node: n for n, node in enumerate(x)}
    rows = [row for _, row in x.adjacency()]
    count = np.fromiter(map(len, rows), np.int64, len(place))
    stored = int(count.sum())
    columns = np.fromiter(map(place.__getitem__, chain.from_iterable(rows)), np.int64, stored)
    weights = np.array([link.get("weight", 1) for row in rows for link in row.values()])
    weights = weights if stored else np.zeros(0)
    return _array.from_coo((np.repeat(np.arange(len(place)), count), columns), weights, (len(place),) * 2)


def _by_dlpack(x):
    try:
        return np.from_dlpack(x)
    except Exception as e:
        name = f"{type(x).__module__.partition('.')[0]}.{type(x).__name__}"
        raise refuse(
            "E0601",
            f"the memory of the {name} cannot be read: {e}",
            "it has to lie in the memory of the processor, dense and detached from gradients; of a sparse tensor, give its"
            " indices and values to openwork.from_coo",
        ) from e


_LIBRARIES = {"pandas": _pandas, "sparse": _pydata, "networkx": _graph}
