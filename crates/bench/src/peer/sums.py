"""What equal results have in common; as `Sums` in sums.rs."""

import numpy as np
import scipy.sparse as sp


def left(i):
    return 1.0 + (np.asarray(i, dtype=np.int64) * 7919 % 1009) / 1009.0


def right(j):
    return 1.0 + (np.asarray(j, dtype=np.int64) * 7907 % 1013) / 1013.0


def sums(result):
    """The sum of values weighted by where they lie, the same of their magnitudes, and how many are not negligible."""
    if hasattr(result, "fill_value"):
        result = differences(result)
    elif np.ndim(result) == 0 and not hasattr(result, "entries"):
        result = np.zeros(1, dtype=int), np.zeros(1, dtype=int), np.reshape(result, 1)
    elif hasattr(result, "entries"):
        result = result.entries()
    elif isinstance(result, np.ndarray) and result.ndim == 1:
        result = np.arange(result.size), np.zeros(result.size, dtype=np.int64), result
    elif isinstance(result, np.ndarray):
        result = result.astype(float)
        rows, cols = result.shape
        weights = left(np.arange(rows)), right(np.arange(cols))
        return weights[0] @ (result @ weights[1]), weights[0] @ (np.abs(result) @ weights[1]), counted(result)
    elif sp.issparse(result):
        result = result.tocoo()
        result = *result.coords, result.data
    i, j, v = result
    # What is infinitely far is no entry.
    finite = np.isfinite(v)
    i, j, v = i[finite], j[finite], v[finite].astype(float)
    weights = left(i) * right(j)
    return weights @ v, weights @ np.abs(v), counted(v)


def differences(result):
    """Coordinates of the first mode and of all others as one, and how far values are from those that are not stored."""
    first, *others = result.coords if result.ndim else [np.zeros(len(result.data), dtype=int)]
    rest = np.zeros(len(result.data), dtype=np.int64)
    for size, at in zip(result.shape[1:], others):
        rest = rest * size + at
    fill = float(result.fill_value)
    values = result.data.astype(float)
    if result.ndim == 0 and not len(values):
        return np.zeros(1, dtype=int), np.zeros(1, dtype=int), np.array([fill])
    return first, rest, values - (fill if np.isfinite(fill) and result.ndim else 0.0)


def counted(values):
    """Zeros that one side stores and another drops do not count, nor what is left of a sum that cancels."""
    size = np.abs(values)
    return np.count_nonzero(size > 1e-9 * size.max(initial=0.0))
