"""The gradient of logistic regression, with L2, over sparse features, beside SciPy.

Of every row there is a score, of every score an error, and the gradient adds up rows times errors.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare
from scipy.special import expit

import openwork as ow

given = arguments(__doc__)
rows, features, density = given.pick((100_000, 20_000, 1e-3), (500, 100, 0.05))

rng = np.random.default_rng(0)
S = sp.random_array((rows, features), density=density, format="csr", rng=rng)
truth = rng.standard_normal(features)
labels = (S @ truth + 0.1 * rng.standard_normal(rows) > 0).astype(float)
weights, penalty = np.zeros(features), 1e-4
A = ow.asarray(S)


def with_openwork(w):
    errors = (expit(A @ w) - labels) / rows
    return A.T @ errors + penalty * w


def with_scipy(w):
    errors = (expit(S @ w) - labels) / rows
    return S.T @ errors + penalty * w


# Some steps downhill: the gradients are the same all the way.
for _ in range(20):
    gradient = with_openwork(weights)
    np.testing.assert_allclose(gradient, with_scipy(weights), rtol=1e-9, atol=1e-12)
    weights -= 50 * gradient
assert ((S @ weights > 0) == labels).mean() > 0.7
compare(lambda: with_openwork(weights), lambda: with_scipy(weights), "SciPy", given.turns)
