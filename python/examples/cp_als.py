"""CP-ALS: a sparse tensor as a sum of a few outer products, beside SciPy.

Each step fits the factors of one mode while those of the others stay. Its product of the tensor with two factors (MTTKRP) is
one statement here; SciPy has matrices only, so there it is made of the elements and a matrix that adds them up.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a tensor of three modes, such as tensors/uber3.tns.gz")
size, stored, rank = given.pick(((3000, 2000, 1000), 500_000, 16), ((30, 20, 10), 400, 3))

rng = np.random.default_rng(0)
if given.file:
    T = ow.load(given.file, "csf", dtype="float64")
else:
    T = ow.from_coo([rng.integers(0, n, stored) for n in size], rng.random(stored), size)
coords, values = T.to_coo()
start = [rng.random((n, rank)) for n in T.shape]
# The tensor once for each mode, so that its rows are that mode's.
turned = [T, T.transpose((1, 0, 2)).asformat("csf"), T.transpose((2, 0, 1)).asformat("csf")]
places = np.arange(T.nnz)
add_up = [sp.coo_array((values, (c, places)), shape=(n, T.nnz)).tocsr() for n, c in zip(T.shape, coords)]


def fitted(product, rounds=2):
    factors = list(start)
    for _ in range(rounds):
        for mode in range(3):
            others = [m for m in range(3) if m != mode]
            b, c = (factors[m] for m in others)
            right = product(mode, others, b, c)
            factors[mode] = np.linalg.solve((b.T @ b) * (c.T @ c), right.T).T
    return factors


def with_openwork():
    return fitted(lambda mode, _, b, c: ow.einsum("ijk,jr,kr->ir", turned[mode], b, c).todense())


def with_scipy():
    return fitted(lambda mode, o, b, c: add_up[mode] @ (b[coords[o[0]]] * c[coords[o[1]]]))


for ours, theirs in zip(with_openwork(), with_scipy()):
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
compare(with_openwork, with_scipy, "SciPy", given.turns)
