"""A linear system solved by conjugate gradients, as one writes it for SciPy."""

import numpy as np
import scipy.sparse as sp

import openwork as ow

k = 30
one = sp.eye_array(k)
line = sp.diags_array([np.full(k - 1, -1.0), np.full(k, 2.0), np.full(k - 1, -1.0)], offsets=[-1, 0, 1])
A = (sp.kron(one, line) + sp.kron(line, one)).tocsr()
A = ow.asarray(A, format="dia")  # the changed line

b = np.ones(A.shape[0])
x = np.zeros_like(b)
r = b - A @ x
p = r.copy()
rr = r @ r
for iterations in range(1000):
    q = A @ p
    alpha = rr / (p @ q)
    x += alpha * p
    r -= alpha * q
    rr, before = r @ r, rr
    if np.sqrt(rr) < 1e-10:
        break
    p = r + (rr / before) * p

assert np.linalg.norm(b - A @ x) < 1e-8
print(f"solved in {iterations} iterations")
