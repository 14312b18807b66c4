"""Tables of pandas and graphs of networkx as operands: sums of groups and neighbours of neighbours, beside both.

A table of who bought what how often is a sparse matrix: sums over rows and columns are sums of groups. A graph is its
adjacency matrix.
"""

import networkx as nx
import numpy as np
import pandas as pd
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__)
people, things, bought, nodes = given.pick((50_000, 5_000, 1_000_000, 5_000), (50, 20, 300, 60))

rng = np.random.default_rng(0)
sales = pd.DataFrame(
    {
        "who": rng.integers(0, people, bought),
        "what": rng.integers(0, things, bought),
        "amount": rng.integers(1, 5, bought).astype(float),
    }
)
price = pd.Series(rng.random(things))


def with_openwork():
    """What everybody spent: the sales as a matrix, times prices."""
    table = ow.from_coo((sales.who, sales.what), sales.amount, (people, things))
    return table @ price


def with_pandas():
    spent = sales.amount * sales.what.map(price)
    return spent.groupby(sales.who).sum().reindex(range(people), fill_value=0.0)


np.testing.assert_allclose(with_openwork(), with_pandas())
compare(with_openwork, with_pandas, "pandas", given.turns)

# A sparse frame stays sparse.
frame = pd.DataFrame(np.eye(4)).astype(pd.SparseDtype(float, 0))
assert ow.asarray(frame).nnz == 4

G = nx.barabasi_albert_graph(nodes, 5, seed=0)


def near_with_openwork():
    """How many are at most two links away from each node, itself included."""
    A = ow.asarray(G)
    return ((A + A @ A) != 0).sum(axis=1).todense()


def near_with_networkx():
    return np.array([len(set(G[n]).union(*(G[m] for m in G[n]))) for n in G])


np.testing.assert_array_equal(near_with_openwork(), near_with_networkx())
compare(near_with_openwork, near_with_networkx, "networkx", given.turns)
