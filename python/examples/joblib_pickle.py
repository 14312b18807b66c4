"""Arrays and kernels in other processes: pickles, and joblib's workers and caches, beside SciPy's arrays.

A kernel is pickled as its statement and what was prepared; a worker compiles it once, in a millisecond.
"""

import pickle

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare
from joblib import Parallel, delayed, hash

import openwork as ow

given = arguments(__doc__)
size, density, vectors = given.pick((20_000, 0.002, 16), (50, 0.1, 4))

rng = np.random.default_rng(0)
S = sp.random_array((size, size), density=density, format="csr", rng=rng)
X = rng.random((vectors, size))
step = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).prepare(A=S)
A = ow.asarray(S)


def copied(x):
    return pickle.loads(pickle.dumps(x, protocol=5))


assert (copied(A) != A).nnz == 0 and copied(A).format == A.format
assert hash(copied(A)) == hash(A)
np.testing.assert_allclose(copied(step)(x=X[0]).todense(), S @ X[0])


def walked(product, start):
    """Twenty steps of a walk from some places: enough to do for a worker."""
    for _ in range(20):
        start = start + product(start)
        start /= np.linalg.norm(start)
    return start


def with_kernel(x):
    return walked(lambda x: step(x=x).todense(), x)


def by_scipy(x):
    return walked(S.__matmul__, x)


with Parallel(n_jobs=2) as workers:

    def with_openwork():
        return workers(delayed(with_kernel)(x) for x in X)

    def with_scipy():
        return workers(delayed(by_scipy)(x) for x in X)

    for ours, theirs in zip(with_openwork(), with_scipy()):
        np.testing.assert_allclose(ours, theirs)
    compare(with_openwork, with_scipy, "SciPy, two workers", given.turns)
compare(lambda: copied(A), lambda: copied(S), "SciPy, pickle", given.turns)
compare(lambda: hash(A), lambda: hash(S), "SciPy, hash", given.turns)
