"""What equal results have in common; as `Sums` in sums.rs."""

import numpy as np
import scipy.sparse as sp


def left(i):
    return 1.0 + (np.asarray(i, dtype=np.int64) * 7919 % 1009) / 1009.0


def right(j):
    return 1.0 + (np.asarray(j, dtype=np.int64) * 7907 % 1013) / 1013.0


def sums(result):
    """The sum of values weighted by where they lie, the same of their magnitudes, and how many are not negligible."""
    if hasattr(result, "entries"):
        result = result.entries()
    elif isinstance(result, np.ndarray) and result.ndim == 1:
        result = np.arange(result.size), np.zeros(result.size, dtype=np.int64), result
    elif isinstance(result, np.ndarray):
        rows, cols = result.shape
        weights = left(np.arange(rows)), right(np.arange(cols))
        return weights[0] @ (result @ weights[1]), weights[0] @ (np.abs(result) @ weights[1]), counted(result)
    elif sp.issparse(result):
        result = result.tocoo()
        result = *result.coords, result.data
    i, j, v = result
    weights = left(i) * right(j)
    return weights @ v, weights @ np.abs(v), counted(v)


def counted(values):
    """Zeros that one side stores and another drops do not count, nor what is left of a sum that cancels."""
    size = np.abs(values)
    return np.count_nonzero(size > 1e-9 * size.max(initial=0.0))
