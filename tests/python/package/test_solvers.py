"""SciPy's solvers take arrays of ours as they are; what insists on SciPy's own classes takes one conversion."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import openwork as ow
from cases import check

N = 40
L = sp.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(N, N), format="csr")
R = sp.random_array((50, 30), density=0.2, rng=0, format="csr")
B = np.linspace(1, 2, N)
FORMATS = ["csr", "csc", "coo", "dia", "ell", "bcsr(2,2)", "dense"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
def test_products_of_a_linear_operator(format, dtype):
    x = (R.toarray() * 8).astype(dtype)
    x = x + 1j * x[::-1] if dtype == "complex128" else x
    a = ow.asarray(x, format)
    v, w = np.arange(30).astype(dtype), np.arange(50).astype(dtype)
    for left, right in [(v, w), (v[:, None], w[:, None]), (np.asfortranarray(np.stack([v, -v], 1)), np.stack([w, w], 1))]:
        check(a.matmat(left) if left.ndim == 2 else a.matvec(left), x @ left, exact=False)
        check(a.rmatmat(right) if right.ndim == 2 else a.rmatvec(right), x.conj().T @ right, exact=False)
    m = sla.aslinearoperator(a)
    assert (m.shape, m.dtype) == (x.shape, x.dtype)
    for got, want in [(m @ v, x @ v), (m.H @ w, x.conj().T @ w), (m.T @ w, x.T @ w), (m @ np.eye(30), x)]:
        np.testing.assert_allclose(got, want, rtol=1e-5)
    for got in (a.matvec(v), a.rmatvec(w)):
        assert type(got) is np.ndarray and got.flags.writeable


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 1)])
def test_products_of_empty_matrices(shape):
    a = ow.asarray(np.zeros(shape), "csr")
    check(a.matvec(np.ones(shape[1])), np.zeros(shape[0]))
    check(a.rmatvec(np.ones(shape[0])), np.zeros(shape[1]))
    check(a.matmat(np.ones((shape[1], 2))), np.zeros((shape[0], 2)))


@pytest.mark.parametrize("format", FORMATS)
def test_solvers(format):
    a = ow.asarray(L, format)
    for solve in (sla.cg, sla.gmres, sla.bicgstab, sla.minres, sla.lgmres, sla.qmr):
        x, info = solve(a, B)
        assert info == 0
        np.testing.assert_allclose(L @ x, B, rtol=1e-3)
    for solve in (sla.lsqr, sla.lsmr):
        np.testing.assert_allclose(L @ solve(a, B, atol=1e-10, btol=1e-10)[0], B, rtol=1e-5)


@pytest.mark.parametrize("format", ["csr", "dia", "dense"])
def test_eigenvalues_and_singular_values(format):
    a = ow.asarray(L, format)
    wanted = np.linalg.eigvalsh(L.toarray())
    np.testing.assert_allclose(sla.eigsh(a, k=3, return_eigenvectors=False), wanted[-3:])
    np.testing.assert_allclose(sorted(sla.eigs(a, k=3, return_eigenvectors=False).real), wanted[-3:])
    # SciPy factorizes its own classes, and would solve a system by iterations in every step for others.
    for solve in (sla.eigs, sla.eigsh):
        for given in ({"sigma": 0.4}, {"sigma": 0}, {"M": a}, {"M": a, "sigma": 0.4}):
            with pytest.raises(ow.UnsupportedError, match="to_scipy"):
                solve(a, k=2, **given)
    near, _ = sla.eigsh(ow.asarray(a, format="csc").to_scipy(), k=2, sigma=0.4, which="LM")
    np.testing.assert_allclose(near, wanted[:2], rtol=1e-6)
    operator = sla.LinearOperator(a.shape, a.matvec, dtype=a.dtype)
    np.testing.assert_allclose(sla.eigsh(operator, k=2, sigma=0.4, which="LM")[0], wanted[:2], rtol=1e-6)
    np.testing.assert_allclose(
        np.sort(sla.svds(ow.asarray(R, format), k=4)[1]), np.linalg.svd(R.toarray())[1][3::-1]
    )
    guess = np.linalg.qr(np.random.default_rng(0).random((N, 2)))[0]
    largest, _ = sla.lobpcg(a, guess, tol=1e-6, maxiter=400)
    np.testing.assert_allclose(np.sort(largest), wanted[-2:], rtol=1e-3)


def test_operands_without_a_product_are_refused():
    a = ow.asarray(R)
    for call in (lambda: a.matvec(np.ones(50)), lambda: a.rmatvec(np.ones(30)), lambda: a.matmat(np.ones((50, 2)))):
        with pytest.raises(ow.ShapeError):
            call()
    with pytest.raises(ow.ShapeError, match="no matrix"):
        ow.asarray(np.ones(3)).matvec(np.ones(3))
    with pytest.raises(ow.ShapeError):
        a.matvec(np.ones((30, 2, 2)))


def test_what_needs_scipys_classes_takes_to_scipy():
    a = ow.asarray(L.tocsc())
    np.testing.assert_allclose(sla.spsolve(a.to_scipy(), B), np.linalg.solve(L.toarray(), B))
    np.testing.assert_allclose(sla.splu(a.to_scipy()).solve(B), np.linalg.solve(L.toarray(), B))
    # What converts by itself comes to the refusal that names the call; SciPy's constructors raise their own from it.
    for call in (lambda: sp.save_npz("a.npz", a), lambda: a.indptr, lambda: a.tolil()):
        with pytest.raises(AttributeError, match=r"to_scipy\(\)"):
            call()
    with pytest.raises(AttributeError, match=r"todense\(\)"):
        a.tolist()
    assert not hasattr(a, "indices") and not hasattr(a, "__array_interface__")
    calls = [sla.spsolve, sla.splu, sp.csr_array, sp.csc_matrix, sp.csgraph.connected_components, sp.vstack, R.multiply]
    for call in calls:
        with pytest.raises((ow.UnsupportedError, ValueError)) as found:
            call(*{sla.spsolve: (a, B), sp.vstack: ([a, a],)}.get(call, (a,)))
        assert "to_scipy()" in str(found.value) + str(found.value.__cause__)


def test_sklearn_takes_to_scipy():
    linear = pytest.importorskip("sklearn.linear_model")
    y = np.arange(50) % 2
    from_ours = linear.LogisticRegression().fit(ow.asarray(R).to_scipy(copy=True), y)
    np.testing.assert_allclose(from_ours.coef_, linear.LogisticRegression().fit(R, y).coef_)
    dense = ow.evaluate("C(i,j) = A(i,j) * 2.0", "dense", A=R)
    np.testing.assert_allclose(linear.Ridge().fit(dense, y).coef_, linear.Ridge().fit(2 * R.toarray(), y).coef_)
    with pytest.raises(ow.UnsupportedError, match=r"to_scipy\(\)"):
        linear.Ridge().fit(ow.asarray(R), y)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.dia_array, sp.lil_array])
def test_scipys_operators_leave_the_operation_to_arrays(kind):
    s, a = kind(L), ow.asarray(L)
    for got in (s @ a, s + a, s - a, s == a, s != a, s < a, s >= a, s / a):
        assert type(got) is ow.Array
    check((s @ a).todense(), (L @ L).toarray(), exact=False)


@pytest.mark.parametrize("name", ["expm", "expm_multiply", "expm_multiply at times"])
def test_what_scipy_makes_dense_is_refused(name):
    s = sp.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(30, 30)).tocsc()
    calls = {
        "expm": lambda m: sla.expm(m).toarray(), "expm_multiply": lambda m: sla.expm_multiply(m, np.ones(30)),
        "expm_multiply at times": lambda m: sla.expm_multiply(m, np.ones(30), 0, 1, 3),
    }  # fmt: skip
    a = ow.asarray(s)
    with pytest.raises(ow.UnsupportedError, match=r"to_scipy\(\)"):
        calls[name](a)
    np.testing.assert_allclose(calls[name](a.to_scipy()), calls[name](s))
