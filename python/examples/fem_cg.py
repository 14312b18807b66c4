"""FEM: Poisson's equation on a triangulated square, assembled and solved by conjugate gradients, beside SciPy.

Every triangle adds a 3 by 3 matrix to the equations of its corners; coordinates that come more than once are added up.
"""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__)
n = given.pick(400, 20)

# The corners of a grid, each of its squares cut into two triangles.
x, y = (g.ravel() for g in np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij"))
at = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
a, b, c, d = (at[i : n + i, j : n + j].ravel() for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)))
triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
steps, unknowns = 50, int((~edge).sum())
number = np.where(edge, -1, np.cumsum(~edge) - 1)


def elements():
    """Rows, columns and values of all triangles, and the right-hand side of the load 1."""
    px, py = x[triangles], y[triangles]
    dx, dy = np.roll(px, 1, 1) - np.roll(px, -1, 1), np.roll(py, -1, 1) - np.roll(py, 1, 1)
    area = abs(dx[:, 1] * dy[:, 2] - dx[:, 2] * dy[:, 1]) / 2
    local = (dx[:, :, None] * dx[:, None] + dy[:, :, None] * dy[:, None]) / (4 * area[:, None, None])
    corners = number[triangles]
    rows, columns = np.broadcast_arrays(corners[:, :, None], corners[:, None])
    inside = (rows >= 0) & (columns >= 0)
    load = np.bincount(corners[corners >= 0], np.repeat(area / 3, 3)[corners.ravel() >= 0], unknowns)
    return rows[inside], columns[inside], local[inside], load


rows, columns, values, load = elements()


def with_openwork():
    A = ow.from_coo((rows, columns), values, (unknowns, unknowns))
    return sla.cg(A, load, rtol=1e-12, maxiter=steps)[0]


def with_scipy():
    A = sp.coo_array((values, (rows, columns)), shape=(unknowns, unknowns)).tocsr()
    return sla.cg(A, load, rtol=1e-12, maxiter=steps)[0]


u = with_openwork()
np.testing.assert_allclose(u, with_scipy(), rtol=1e-8, atol=1e-12)
if given.small:
    # The known height of the membrane's middle.
    assert abs(u.max() - 0.0737) < 1e-3
compare(with_openwork, with_scipy, "SciPy", given.turns)
