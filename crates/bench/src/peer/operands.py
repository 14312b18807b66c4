"""Operands by name, each in every format that a peer asks for; conversions are made once and are not timed."""

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp

given, made = {}, {}


def clear():
    given.clear(), made.clear()


def coordinates(at, rows, cols):
    i = np.fromfile(at + "/rows.i32", dtype=np.int32)
    j = np.fromfile(at + "/cols.i32", dtype=np.int32)
    v = np.fromfile(at + "/vals.f64", dtype=np.float64)
    return sp.coo_array((v, (i, j)), shape=(int(rows), int(cols)))


def load(name, at, rows, cols):
    given[name] = coordinates(at, rows, cols).tocsr()
    given[name].sort_indices()


def loose(name, at, rows, cols):
    given[name] = coordinates(at, rows, cols)


def dense(name, seed, *dims):
    shape = tuple(map(int, dims))
    n = np.arange(np.prod(shape), dtype=np.uint64)
    bits = n * np.uint64(0x9E3779B97F4A7C15) + np.uint64((int(seed) * 0xBF58476D1CE4E5B9) % 2**64)
    given[name] = ((bits >> np.uint64(40)) / 2.0**24).reshape(shape)


DTYPES = {"bool": np.bool_, "i64": np.int64, "f64": np.float64}


def array(name, at, dtype, *dims):
    """An array by its coordinates, in any order; some have been moved round."""
    coords = tuple(np.fromfile(f"{at}/{mode}.i32", dtype=np.int32) for mode in range(len(dims)))
    values = np.fromfile(at + "/vals", dtype=DTYPES[dtype])
    given[name] = SimpleNamespace(shape=tuple(map(int, dims)), coords=coords, vals=values)


def text(name, path):
    given[name] = path


def fibres(name, at, *dims):
    """Compressed fibres from sorted coordinates without duplicates."""
    i, j, k = (np.fromfile(f"{at}/{m}.i32", dtype=np.int32) for m in range(3))
    vals = np.fromfile(at + "/vals.f64", dtype=np.float64)
    slices = np.flatnonzero(np.diff(i, prepend=-1))
    new = np.diff(i, prepend=-1) != 0
    starts = np.flatnonzero(new | (np.diff(j, prepend=-1) != 0))
    pos = [[0, slices.size], np.append(np.searchsorted(starts, slices), starts.size), np.append(starts, i.size)]
    given[name] = SimpleNamespace(
        shape=tuple(map(int, dims)),
        pos=[np.asarray(p, dtype=np.int32) for p in pos],
        crd=[np.ascontiguousarray(c) for c in (i[slices], j[starts], k)],
        vals=vals,
    )


def stored(name, kind="csr"):
    """A matrix in a format: csr, csc, coo, dia, bsr3, ell, sell8."""
    a = given[name]
    if kind == "csr" or not sp.issparse(a):
        return a
    if (name, kind) not in made:
        made[name, kind] = converted(a, kind)
    return made[name, kind]


def converted(a, kind):
    if kind.startswith("bsr"):
        size = int(kind[3:])
        b = a.tobsr((size, size))
        return sp.bsr_array((b.data, b.indices.astype(np.int32), b.indptr.astype(np.int32)), shape=a.shape)
    if kind == "ell":
        return ell(a, 0)
    if kind.startswith("sell"):
        return sell(a, int(kind[4:]), 0)
    out = a.asformat(kind)
    if kind == "coo":
        out.has_canonical_format = True
    return out


def ell(csr, empty=-1):
    """Rows padded to the longest, slot by slot; SciPy has no such format, so this is NumPy's best route."""
    counts = np.diff(csr.indptr)
    width = int(counts.max(initial=0))
    rows = np.repeat(np.arange(csr.shape[0]), counts)
    slots = np.arange(csr.nnz) - np.repeat(csr.indptr[:-1], counts)
    columns = np.full((width, csr.shape[0]), empty, dtype=np.int32)
    values = np.zeros((width, csr.shape[0]))
    columns[slots, rows] = csr.indices
    values[slots, rows] = csr.data
    return columns, values


def sell(csr, height, empty=-1):
    """Slices of rows, each padded to its longest: where slices start, columns, values."""
    counts = np.diff(csr.indptr)
    slices = -(-csr.shape[0] // height)
    widths = np.zeros(slices * height, dtype=np.int64)
    widths[: csr.shape[0]] = counts
    starts = np.concatenate([[0], np.cumsum(widths.reshape(slices, height).max(axis=1))]).astype(np.int32)
    rows = np.repeat(np.arange(csr.shape[0]), counts)
    slots = np.arange(csr.nnz) - np.repeat(csr.indptr[:-1], counts)
    at = (starts[rows // height] + slots) * height + rows % height
    columns = np.full(starts[-1] * height, empty, dtype=np.int32)
    values = np.zeros(starts[-1] * height)
    columns[at] = csr.indices
    values[at] = csr.data
    return starts, columns, values
