"""A layer of pruned weights with bias and ReLU, relu(W x + b) for many x, beside SciPy and NumPy.

Most weights of a pruned network are zero. Bias and ReLU are part of the kernel, so what it writes is written once.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a pattern of pruned weights, dlmc/*.smtx.gz")
outputs, inputs, kept, batch = given.pick((2048, 512, 0.05, 256), (32, 20, 0.2, 4))

rng = np.random.default_rng(0)
if given.file:
    pattern = ow.load(given.file).to_scipy().astype(np.float32)
    outputs, inputs = pattern.shape
else:
    pattern = sp.random_array((outputs, inputs), density=kept, format="csr", dtype=np.float32, rng=rng)
S = pattern.copy()
S.data = rng.standard_normal(S.nnz).astype(np.float32)
dense = S.toarray()
x, b = rng.random((inputs, batch), np.float32), rng.standard_normal(outputs).astype(np.float32)
layer = ow.kernel(
    "y(i,n) = max(sum(j, W(i,j) * x(j,n)) + b(i), 0)",
    {"W": "csr"},
    {"W": "float32", "x": "float32", "b": "float32"},
).prepare(W=S, b=b)


def with_openwork():
    return layer(x=x).todense()


def with_scipy():
    return np.maximum(S @ x + b[:, None], 0)


def with_numpy():
    return np.maximum(dense @ x + b[:, None], 0)


np.testing.assert_allclose(with_openwork(), with_scipy(), rtol=1e-3, atol=1e-4)
np.testing.assert_allclose(with_openwork(), with_numpy(), rtol=1e-3, atol=1e-4)
compare(with_openwork, with_scipy, "SciPy", given.turns)
compare(with_openwork, with_numpy, "NumPy", given.turns)
