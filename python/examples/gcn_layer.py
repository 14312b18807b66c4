"""A layer of a graph convolutional network, relu(N X W + b), beside SciPy.

N is the adjacency matrix with loops, every link divided by the roots of the degrees of both ends.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "the graph of a network, such as gnn/pubmed_adj.mtx.gz")
nodes, links, width, hidden = given.pick((20_000, 100_000, 128, 32), (100, 300, 8, 4))

rng = np.random.default_rng(0)
if given.file:
    A = ow.load(given.file, dtype="float64")
    nodes = len(A)
else:
    ends = rng.integers(0, nodes, (2, links))
    A = ow.from_coo(ends, np.ones(links), (nodes, nodes))
    A = (A + A.T != 0).astype(float)
X, W, b = rng.random((nodes, width)), rng.standard_normal((width, hidden)), rng.standard_normal(hidden)

loops = A + ow.asarray(sp.eye_array(nodes, format="csr"))
root = 1 / np.sqrt(loops.sum(axis=1).todense())
N = root[:, None] * loops * root
S = N.to_scipy()


def with_openwork():
    return ow.evaluate("H(i,k) = max(sum(j, N(i,j) * Y(j,k)) + b(k), 0)", N=N, Y=X @ W, b=b).todense()


def with_scipy():
    return np.maximum(S @ (X @ W) + b, 0)


np.testing.assert_allclose(with_openwork(), with_scipy(), rtol=1e-9, atol=1e-9)
np.testing.assert_allclose(S.sum(), np.einsum("i,ij,j->", root, loops.todense(), root) if given.small else N.sum())
compare(with_openwork, with_scipy, "SciPy", given.turns)
