"""Openwork for somebody who knows SciPy: run it, or read it from top to bottom."""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import openwork as ow

# 1. What you have works as it is. A SciPy array comes in without its values being copied, and operators with NumPy
#    arrays give NumPy arrays, as SciPy's do.
S = sp.random_array((1000, 800), density=0.01, format="csr", rng=0)
x = np.random.default_rng(1).random(800)
A = ow.asarray(S)
print(A)
assert np.allclose(A @ x, S @ x)

# 2. Going back is said out loud: `np.asarray(A)` does not do it, these do.
assert isinstance(A.todense(), np.ndarray)
assert (A.to_scipy() != S).nnz == 0

#    SciPy's solvers take arrays as they are, and NumPy's functions what they can; what they cannot is refused by name.
x1, info = sla.cg(A.T @ A + 10 * ow.asarray(sp.eye_array(800, format="csr")), A.T @ np.ones(1000))
assert info == 0 and np.allclose(np.sqrt(abs(A)).todense(), np.sqrt(abs(S.toarray())))
print(A[3], A[:, 5].nnz)

# 3. Any number of dimensions, any format. A format is a name, letters (d dense, s sparse), or levels in full.
T = ow.from_coo(([0, 1, 1], [2, 0, 3], [1, 1, 0]), [1.0, 2.0, 3.0], (2, 4, 2), format="csf")
D = A.asformat("dcsr")
print(T, D, T.sum(axis=(0, 2)).todense())

# 4. What SciPy makes of several calls is one statement, and one kernel: no temporaries. Here the product of two dense
#    factors is computed only where S stores something.
B, C = np.random.default_rng(2).random((2, 1000, 16))
sampled = ow.evaluate("Y(i,j) = S(i,j) * B(i,k) * C(j,k)", S=S, B=B, C=C[:800])
assert np.allclose(sampled.todense(), S.toarray() * (B @ C[:800].T))
print(ow.explain("Y(i,j) = S(i,j) * B(i,k) * C(j,k)", S=S, B=B, C=C[:800]).reasons)

# 5. The value that is not stored need not be zero, and a reduction need not be a sum. Roads that do not exist are
#    infinitely long; one step of a shortest-path search is a minimum.
roads = ow.from_coo(([0, 0, 1], [1, 2, 2]), [4.0, 9.0, 3.0], (3, 3), fill_value=np.inf)
distance = np.array([0.0, np.inf, np.inf])
for _ in range(3):
    distance = ow.evaluate("d(j) = min(i, R(i,j) + s(i))", R=roads, s=distance).todense()
    distance = np.minimum(distance, [0, np.inf, np.inf])
assert distance.tolist() == [0, 4, 7]

# 6. NumPy's einsum, over anything.
assert np.allclose(ow.einsum("ij,kj->ik", A, A, format="csr").todense(), (S @ S.T).toarray())

# 7. In a loop, compile once, convert once, and use the memory of the last result again.
step = ow.kernel("y(i) = A(i,j) * x(j) + b(i)", {"A": "csr"}).prepare(A=A, b=np.ones(1000))
y = step(x=x)
for _ in range(3):
    y = step(x=x, out=y)
assert np.allclose(y.todense(), S @ x + 1)

# 8. Which format suits a matrix?
print(ow.info(sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(500, 500)))["recommended"])

# 9. Mistakes are named, with the place, before anything runs.
try:
    ow.evaluate("y(i) = A(i,j) * x(i)", A=A, x=x)
except ow.ShapeError as e:
    print(e)
