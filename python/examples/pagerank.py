"""PageRank of a directed graph, beside SciPy; on little data it is compared with networkx as well.

Somebody who follows links at random, and begins anew anywhere from time to time, is at a page as often as its rank says.
"""

import networkx as nx
import numpy as np
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a graph, such as graphs/soc-Epinions1.mtx.gz")
pages, links = given.pick((100_000, 1_000_000), (200, 1000))

if given.file:
    A = ow.load(given.file)
    pages = len(A)
else:
    # Few pages are linked to by most.
    rng = np.random.default_rng(0)
    to = (pages * rng.random(links) ** 3).astype(int)
    A = ow.from_coo((rng.integers(0, pages, links), to), np.ones(links), (pages, pages))
A = (A != 0).astype(float)
follow = 0.85


def ranks(links_to):
    """Steps until ranks stay. Where a page has no links, the reader begins anew."""
    x = np.full(pages, 1 / pages)
    for _ in range(100):
        last = x
        x = follow * (links_to @ (x / links_from) + x[without].sum() / pages) + (1 - follow) / pages
        if abs(x - last).sum() < pages * 1e-12:
            break
    return x


links_from = A.sum(axis=1).todense()
without = links_from == 0
links_from = np.where(without, 1, links_from)
links_to, peers = A.T.tocsr(), A.to_scipy().T.tocsr()


def with_openwork():
    return ranks(links_to)


def with_scipy():
    return ranks(peers)


np.testing.assert_allclose(with_openwork(), with_scipy(), rtol=1e-9)
if given.small:
    found = nx.pagerank(nx.from_scipy_sparse_array(A.to_scipy(), create_using=nx.DiGraph), follow, tol=1e-12)
    np.testing.assert_allclose(with_openwork(), list(found.values()), rtol=1e-6)
compare(with_openwork, with_scipy, "SciPy", given.turns)
