"""Triangles of a graph, counted, beside SciPy; on little data networkx counts them as well.

With every edge told once, from the higher to the lower end, a triangle is an edge i-j and a k below both: two rows that
meet. Here nothing but the number is made; SciPy needs the product of the graph with itself.
"""

import networkx as nx
import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a graph, such as graphs/ca-AstroPh.mtx.gz")
nodes, edges = given.pick((20_000, 200_000), (60, 300))

if given.file:
    S = ow.load(given.file).to_scipy()
else:
    # Some are known by many.
    ends = (nodes * np.random.default_rng(0).random((2, edges)) ** 2).astype(int)
    S = sp.coo_array((np.ones(edges), ends), shape=(nodes, nodes)).tocsr()
S = sp.tril(S + S.T, -1, format="csr")
S = sp.csr_array((np.ones(S.nnz), S.indices, S.indptr), shape=S.shape)
L = ow.asarray(S)


def with_openwork():
    return int(ow.einsum("ij,ik,jk->", L, L, L))


def with_scipy():
    return int((S @ S).multiply(S).sum())


found = with_openwork()
assert found == with_scipy() > 0
if given.small:
    assert found == sum(nx.triangles(nx.from_scipy_sparse_array(S)).values()) // 3
compare(with_openwork, with_scipy, "SciPy", given.turns)
