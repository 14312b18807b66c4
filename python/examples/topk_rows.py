"""The largest values of every row of a sparse matrix, beside NumPy.

What recommends and what searches ends so: of a row of scores, the few best. NumPy sorts all elements by row and value.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__)
rows, columns, density, best = given.pick((20_000, 10_000, 0.01, 10), (60, 40, 0.2, 3))

S = sp.random_array((rows, columns), density=density, format="csr", rng=np.random.default_rng(0))
A = ow.asarray(S)


def with_openwork():
    return ow.topk(A, best)


def with_numpy():
    """Elements in order of rows, those of a row from the largest on; the first few of each are taken."""
    count = np.diff(S.indptr)
    row = np.repeat(np.arange(rows), count)
    order = np.lexsort((-S.data, row))
    kept = np.sort(order[np.arange(S.nnz) - np.repeat(S.indptr[:-1], count) < best])
    ends = np.concatenate([[0], np.cumsum(np.minimum(count, best))])
    return sp.csr_array((S.data[kept], S.indices[kept], ends), shape=S.shape)


def with_partition():
    """Row by row, which is faster where rows are long."""
    kept = []
    for start, end in zip(S.indptr[:-1], S.indptr[1:]):
        few = end - start <= best
        found = np.arange(end - start) if few else np.argpartition(S.data[start:end], -best)[-best:]
        kept.append(start + np.sort(found))
    ends = np.cumsum([0, *map(len, kept)])
    kept = np.concatenate(kept)
    return sp.csr_array((S.data[kept], S.indices[kept], ends), shape=S.shape)


found = with_openwork().to_scipy()
for peer in (with_numpy(), with_partition()):
    assert np.array_equal(found.indices, peer.indices) and np.array_equal(found.data, peer.data)
compare(with_openwork, with_numpy, "NumPy, sorted", given.turns)
compare(with_openwork, with_partition, "NumPy, row by row", given.turns)
