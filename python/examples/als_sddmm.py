"""ALS of ratings: factors of those who rate, by conjugate gradients whose products are sampled, beside SciPy.

With the factors V of what is rated held fixed, the factors U of all people solve (V'V over what each has rated + penalty) u =
V' ratings. The product with that matrix needs U V' only where somebody has rated something: a sampled product of dense
matrices (SDDMM), then a product with V. Here both are one kernel, and U V' is never stored.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__)
people, things, rank, density = given.pick((20_000, 4_000, 16, 0.005), (200, 60, 4, 0.1))

rng = np.random.default_rng(0)
truth = rng.random((people, rank)), rng.random((things, rank))
seen = sp.random_array((people, things), density=density, format="csr", rng=rng)
seen.data[:] = 1
i, j = seen.tocoo().coords
ratings = seen.copy()
ratings.data = np.einsum("nk,nk->n", truth[0][i], truth[1][j])
V, penalty = rng.random((things, rank)), 0.1


def solved(product, right):
    """Conjugate gradients for all people at once."""
    u, r = np.zeros_like(right), right
    p, size = r, (r * r).sum(axis=1)
    for _ in range(5):
        q = product(p) + penalty * p
        step = size / np.maximum((p * q).sum(axis=1), 1e-300)
        u, r = u + step[:, None] * p, r - step[:, None] * q
        size, last = (r * r).sum(axis=1), size
        p = r + (size / np.maximum(last, 1e-300))[:, None] * p
    return u


M, R = ow.asarray(seen), ow.asarray(ratings)
normal = ow.kernel("Q(i,l) = M(i,j) * P(i,k) * V(j,k) * V(j,l)", {"M": "csr"}).prepare(M=M, V=V)


def with_openwork():
    return solved(lambda p: normal(P=p).todense(), R @ V)


def with_scipy():
    def product(p):
        sampled = sp.csr_array((np.einsum("nk,nk->n", p[i], V[j]), seen.indices, seen.indptr), shape=seen.shape)
        return sampled @ V

    return solved(product, ratings @ V)


factors = with_openwork()
np.testing.assert_allclose(factors, with_scipy(), rtol=1e-6, atol=1e-8)
missed = ow.evaluate("E(i,j) = R(i,j) - M(i,j) * U(i,k) * V(j,k)", R=R, M=M, U=factors, V=V)
assert np.linalg.norm(missed) < 0.3 * np.linalg.norm(R)
compare(with_openwork, with_scipy, "SciPy", given.turns)
