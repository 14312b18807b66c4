"""Results whose structure is kept while their values change."""

import pickle

import numpy as np
import openwork as ow
import pytest
import scipy.sparse as sp

FORMATS = ["csr", "csc", "dcsr", "coo", "(i,j) -> (i,j) : dense, compressed(unordered)"]


def matrices(n=30):
    rng = np.random.default_rng(4)
    A = sp.random_array((n, n), density=0.1, format="csr", rng=rng)
    B = sp.random_array((n, n), density=0.15, format="csr", rng=rng)
    return A, B


@pytest.mark.parametrize("format", FORMATS)
def test_values_follow(format):
    A, B = matrices()
    product = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr"}, format=format)
    pattern = product.pattern(A=A, B=B)
    whole = product(A=A, B=B)
    assert pattern.nnz == whole.nnz
    assert pattern.array.dtype == bool
    for step in (1.0, -2.5, 0.0):
        C = pattern(A=A * step if step else A * 0, B=B)
        assert C.nnz == whole.nnz
        np.testing.assert_allclose(C.todense(), (step * A @ B).toarray(), atol=1e-12)


def test_prepared_operands_stay():
    A, B = matrices()
    product = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr"}, format="csr").prepare(B=B)
    pattern = product.pattern(A=A)
    np.testing.assert_allclose(pattern(A=3 * A).todense(), (3 * A @ B).toarray())


def test_other_elements_are_refused():
    A, B = matrices()
    product = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr"}, format="csr")
    pattern = product.pattern(A=A, B=B)
    with pytest.raises(ow.OperandError, match="E0213"):
        pattern(A=B, B=B)
    with pytest.raises(ow.OperandError, match="E0211"):
        pattern(A=A)


def test_no_pattern_without_a_structure_of_its_own():
    A, _ = matrices()
    with pytest.raises(ow.UnsupportedError, match="E0409"):
        ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).pattern(A=A, x=np.ones(30))


def test_results_outlive_their_pattern():
    A, B = matrices()
    product = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr"}, format="csr")
    pattern = product.pattern(A=A, B=B)
    first, second = pattern(A=A, B=B), pattern(A=2 * A, B=B)
    del pattern
    np.testing.assert_allclose(second.todense(), 2 * first.todense())
    assert (first + second).nnz == first.nnz


@pytest.mark.parametrize("other", ["csr", "dcsr", "coo", "hash"])
def test_pickles(other):
    A, B = matrices()
    product = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": other, "B": "csr"}, format="csr")
    for pattern, given in ((product.pattern(A=A, B=B), {"B": B}), (product.prepare(B=B).pattern(A=A), {})):
        data = pickle.dumps(pattern)
        again = pickle.loads(data)
        assert repr(again) == repr(pattern)
        np.testing.assert_array_equal(again.array.todense(), pattern.array.todense())
        np.testing.assert_allclose(again(A=A * 3, **given).todense(), (3 * A @ B).toarray())
        with pytest.raises(ow.OperandError):
            again(A=sp.eye_array(30), **given)


def test_pickles_have_no_values_but_prepared_ones():
    A = ow.asarray(sp.eye_array(20_000, format="csr"))
    pattern = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr"}, format="csr").pattern(A=A, B=A)
    # Twice as many coordinates, and positions of 8 bytes.
    assert len(pickle.dumps(pattern)) < 2 * 20_000 * (4 + 8) + 10_000
