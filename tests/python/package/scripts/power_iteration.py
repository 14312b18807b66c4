"""The largest eigenvalue of a matrix by power iteration, as one writes it for SciPy."""

import numpy as np
import scipy.sparse as sp

import openwork as ow

n = 400
A = sp.diags_array(
    [np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1], format="csr"
)
A = ow.asarray(A)  # the changed line

rng = np.random.default_rng(0)
v = rng.random(A.shape[1])
for _ in range(3000):
    w = A @ v
    v = w / np.linalg.norm(w)
eigenvalue = v @ (A @ v)

exact = 2 - 2 * np.cos(np.pi * n / (n + 1))
assert abs(eigenvalue - exact) < 1e-3, (eigenvalue, exact)
print(f"largest eigenvalue {eigenvalue:.6f}, exactly {exact:.6f}")
