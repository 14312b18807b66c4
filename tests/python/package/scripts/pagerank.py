"""PageRank of a random graph, as one writes it for SciPy."""

import numpy as np
import scipy.sparse as sp

import openwork as ow

n, damping = 1000, 0.85
links = sp.random_array((n, n), density=0.005, format="csr", rng=1)
links.data[:] = 1
degree = links.sum(axis=1)
M = (sp.diags_array(1 / np.maximum(degree, 1)) @ links).T.tocsr()
M = ow.asarray(M)  # the changed line

dangling = degree == 0
rank = np.full(n, 1 / n)
for iterations in range(200):
    lost = rank[dangling].sum() / n
    new = damping * (M @ rank + lost) + (1 - damping) / n
    change = np.abs(new - rank).sum()
    rank = new
    if change < 1e-12:
        break

assert abs(rank.sum() - 1) < 1e-9
print(f"{iterations} iterations, highest rank {rank.max():.5f} at node {rank.argmax()}")
