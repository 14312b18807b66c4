"""Several statements, one after the other."""

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow
from openwork import _core

RNG = np.random.default_rng(3)
N = 300


def matrix():
    return sp.random(N, N, density=0.05, format="csr", random_state=4)


def test_statements_read_what_those_before_them_compute():
    A, p = matrix(), RNG.random(N)
    made = ow.evaluate_all("q(i) = A(i,j) * p(j); a = p(i) * q(i); z(i) = 2 * q(i)", A=A, p=p)
    assert list(made) == ["a", "z"]
    np.testing.assert_allclose(made["a"].item(), p @ (A @ p))
    np.testing.assert_allclose(made["z"].todense(), 2 * (A @ p))
    made = ow.evaluate_all(["q(i) = A(i,j) * p(j)", "a = p(i) * q(i)"], results=["q"], A=A, p=p)
    assert list(made) == ["q"]
    np.testing.assert_allclose(made["q"].todense(), A @ p)


def test_a_name_that_is_computed_again_is_another_array_from_there_on():
    A, x = matrix(), RNG.random(N)
    made = ow.evaluate_all("y(i) = A(i,j) * x(j)\ny(i) = A(i,j) * y(j)\nz(i) = y(i) + x(i)", A=A, x=x)
    np.testing.assert_allclose(made["z"].todense(), A @ (A @ x) + x)


def test_formats_and_dtypes_of_results_can_be_chosen():
    A = matrix()
    made = ow.evaluate_all(
        "B(i,j) = A(j,i); C(i,j) = A(i,j) + B(i,j)", formats={"B": "csc"}, dtypes={"C": "complex128"}, results=["B", "C"], A=A
    )
    assert (made["B"].format, made["C"].dtype) == ("csc", np.complex128)
    np.testing.assert_allclose(made["C"].todense(), (A + A.T).toarray())


@pytest.mark.parametrize("n", [0, 1, 5, 3000])
def test_any_size(n):
    x = RNG.random(n)
    made = ow.evaluate_all("y(i) = x(i) + 1.0; s = y(i) * y(i); m = max(i, y(i))", results=["y", "s"], x=x) if n else None
    if n:
        np.testing.assert_allclose(made["s"].item(), (x + 1) @ (x + 1))
        np.testing.assert_allclose(made["y"].todense(), x + 1)
    empty = ow.evaluate_all("y(i) = x(i) + 1.0; s = y(i) * y(i)", x=x)
    np.testing.assert_allclose(empty["s"].item(), (x + 1) @ (x + 1))


def test_results_do_not_depend_on_threads():
    A, p = matrix(), RNG.random(N)
    text = "q(i) = A(i,j) * p(j); a = p(i) * q(i); b = q(i) * q(i)"
    before = ow.get_num_threads()
    try:
        bits = set()
        for threads in (1, 2, 3):
            ow.set_num_threads(threads)
            made = ow.evaluate_all(text, results=["q", "a", "b"], A=A, p=p)
            bits.add((made["q"].todense().tobytes(), made["a"].item().hex(), made["b"].item().hex()))
        assert len(bits) == 1
    finally:
        ow.set_num_threads(before)


def test_kernels_that_share_rows_run_together():
    x = ow.asarray(RNG.random(N))
    made = _core.Statements("y(i) = 2 * x(i); s = y(i) * y(i); t = x(j)", ["x"])
    assert made.together(x._tensor) == [[0, 1, 2]]


def test_infinities_beside_zeros_are_as_in_single_statements():
    A = ow.asarray(np.array([[0.0, 1.0], [2.0, 0.0]]))
    x = np.array([np.inf, 1.0])
    made = ow.evaluate_all("y(i) = A(i,j) * x(j); s = y(i) + 0.0", results=["y"], A=A, x=x)
    np.testing.assert_array_equal(made["y"].todense(), [1.0, np.inf])
    made = ow.evaluate_all("y(i) = A(i,j) * x(j); s = y(i) + 0.0", results=["y"], exact=True, A=A, x=x)
    np.testing.assert_array_equal(made["y"].todense(), [np.nan, np.inf])


def test_refusals_name_what_is_wrong():
    x = np.ones(3)
    with pytest.raises(ow.OpenworkError, match="no statement computes `q`"):
        ow.evaluate_all("y(i) = 2 * x(i)", results=["q"], x=x)
    with pytest.raises(ow.OpenworkError, match="no statement reads an operand `w`"):
        ow.evaluate_all("y(i) = 2 * x(i); z(i) = y(i)", x=x, w=x)
    with pytest.raises(ow.OpenworkError, match="`formats` names `Y`.*no statement computes"):
        ow.evaluate_all("y(i) = 2 * x(i)", formats={"Y": "dense"}, x=x)
    with pytest.raises(ow.OpenworkError, match="no statement has an index variable `k`"):
        ow.evaluate_all("y(i) = 2 * x(i)", dims={"k": 3}, x=x)
    with pytest.raises(ow.OpenworkError, match="is text"):
        ow.evaluate_all("y(i) = 2 * x(i)", results="y", x=x)
    with pytest.raises(ow.ParseError, match="(?s)another statement.*evaluate_all"):
        ow.evaluate("y(i) = 2 * x(i); z(i) = y(i)", x=x)
    with pytest.raises(ow.ParseError):
        ow.evaluate_all("y(i) = 2 * x(i); z(i = 3", x=x)
    with pytest.raises(ow.ShapeError):
        ow.evaluate_all("y(i) = 2 * x(i); z(i) = y(i) + w(i)", x=x, w=np.ones(4))


def test_what_is_computed_anew_owes_nothing_to_what_had_its_name():
    D, E, y = np.eye(2, dtype="i1"), np.eye(2, dtype=int), np.array([300, 300])
    made = ow.evaluate_all("z(i) = D(i,j) * y(j); D(i,j) = E(i,j) * y(i)", results=["D"], D=D, E=E, y=y)
    np.testing.assert_array_equal(made["D"].todense(), [[300, 0], [0, 300]])
    b, s = np.ones((3, 3), bool), np.ones(3, bool)
    made = ow.evaluate_all("y(i) = s(i) / s(i); z(i) = y(i) * 2; y(i) = any(j, b(i,j) & s(j))", results=["y"], b=b, s=s)
    assert made["y"].dtype == bool
    w = ow.asarray(np.array([1.0, 1, 2])).asformat("rle")
    text = "y(i) = A(i,j) * w(j); w(i) = max(j, A(i,j))"
    assert ow.evaluate_all(text, results=["y", "w"], A=np.eye(3), w=w)["w"].format == "dense"
    A, x = np.ones((3, 2)), np.ones(2)
    assert ow.evaluate_all("z(i) = y(i); y(i) = A(i,j) * x(j)", results=["z", "y"], A=A, x=x, y=np.ones(4))["y"].shape == (3,)
    assert ow.evaluate_all("z(i) = y(i) * 2; y = x(i)", results=["z", "y"], x=x, y=np.ones(4))["y"].item() == 2
    made = ow.evaluate_all("z(i) = y(i) * 2; y(i) = x(i) / 3", results=["y"], dtypes={"y": "f8"}, x=x, y=np.ones(2, int))
    np.testing.assert_allclose(made["y"].todense(), x / 3)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("between", ["bitmap", "hash", "sv", "dense"])
def test_later_statements_know_the_fill_of_a_result(format, between):
    A, w = np.array([[1.0, 2], [3, 4]]), np.array([1.0, 2])
    S = ow.asarray(A).asformat(format)
    made = ow.evaluate_all("y(i) = min(j, A(i,j) + w(j)); z(i) = y(i) * 2", formats={"y": between}, A=S, w=w)
    np.testing.assert_array_equal(made["z"].todense(), [4, 8])


def test_zero_by_a_complex_number_that_is_infinite_in_both_parts_is_nan():
    w, y = np.array([0], "c8"), np.array([complex(np.inf, np.inf)], "c8")
    for format in ("hash", "sv", "dense"):
        got = ow.evaluate("z(i) = w(i) / y(i)", w=ow.asarray(w).asformat(format), y=y, exact=True).todense()
        assert np.isnan(got).all(), format


def test_a_variant_is_taken_by_the_statements_that_have_it():
    A, x = sp.random_array((50, 40), density=0.2, format="csr"), np.ones(40)
    text = "y(i) = A(i,j) * x(j); z(i) = 2 * y(i)"
    for variant in (None, 1, 2):
        made = ow.evaluate_all(text, results=["y", "z"], variant=variant, A=A, x=x)
        np.testing.assert_allclose(made["z"].todense(), 2 * (A @ x))
    for variant in (0, 3, -1):
        with pytest.raises(ow.OperandError, match=f"there is no variant {variant}"):
            ow.evaluate_all(text, variant=variant, A=A, x=x)


ROUNDS = {
    "power": ("y(i) = A(i,j) * x(j); s = y(i) * y(i); x(i) = y(i) / sqrt(s)", {"x": np.ones(N)}),
    "gradients": (
        "q(i) = A(i,j) * p(j); a = p(i) * q(i); x(i) = x(i) + rr / a * p(i); r(i) = r(i) - rr / a * q(i);"
        "s = r(i) * r(i); p(i) = r(i) + s / rr * p(i); rr = 1 * s",
        {"x": np.zeros(N), "r": np.ones(N), "p": np.ones(N), "rr": np.float64(N)},
    ),
    "rank": ("x(j) = 0.15 / 300 + 0.85 * sum(i, A(i,j) * x(i) / 8)", {"x": np.ones(N) / N}),
}


@pytest.mark.parametrize("name", list(ROUNDS))
def test_rounds_ask_for_no_memory(name):
    text, first = ROUNDS[name]
    A = ow.asarray(matrix() + sp.eye(N) * 20).asformat("csr")
    A = ow.asarray((A.todense() + A.todense().T) / 2).asformat("csr")
    state = {k: ow.asarray(np.array(v)) for k, v in first.items()}
    alone = {k: ow.asarray(np.array(v)) for k, v in first.items()}
    asked = []
    for _ in range(20):
        before = _core.request_count()
        made = ow.evaluate_all(text, out=state, A=A, **state)
        asked.append(_core.request_count() - before)
        assert all(made[k] is x for k, x in state.items())
    assert not any(asked[3:]), asked
    ow.free_memory()
    before = _core.request_count()
    ow.evaluate_all(text, out=state, A=A, **state)
    assert _core.request_count() > before
    for _ in range(21):
        alone = ow.evaluate_all(text, results=list(first), A=A, **alone)
    for k, x in state.items():
        np.testing.assert_array_equal(np.asarray(x.todense()), np.asarray(alone[k].todense()))


def test_a_frontier_asks_for_memory_now_and_then():
    A = ow.asarray(sp.diags([np.ones(2000)], [1], shape=(2001, 2001)) + sp.diags([np.ones(1900)], [101], shape=(2001, 2001))).asformat("csr")
    start = ow.from_coo([[0]], [1.0], (2001,))
    state = {"f": start, "seen": ow.asarray(start.todense())}
    counts = []
    for _ in range(40):
        before = _core.request_count()
        text = "f(j) = any(i, (A(i,j) != 0) & (f(i) != 0)) where seen(j) == 0; seen(j) += f(j)"
        made = ow.evaluate_all(text, out=state, A=A, **state)
        counts.append(_core.request_count() - before)
    assert made["seen"] is state["seen"]
    assert sum(n > 0 for n in counts[3:]) <= 10, counts


def test_results_go_where_out_says():
    A, x = matrix(), RNG.random(N)
    y, s = np.zeros(N), ow.asarray(0.0)
    made = ow.evaluate_all("y(i) = A(i,j) * x(j); s = y(i) * y(i); z(i) = 2 * y(i)", out={"y": y, "s": s}, results=["y", "s", "z"], A=A, x=x)
    assert list(made) == ["y", "s", "z"]
    assert made["y"] is y and made["s"] is s
    np.testing.assert_allclose(y, A @ x)
    np.testing.assert_allclose(s.item(), y @ y)
    np.testing.assert_allclose(made["z"].todense(), 2 * y)
    # Results that are asked for are those in `out`, unless others are named.
    assert list(ow.evaluate_all("y(i) = A(i,j) * x(j); s = y(i) * y(i)", out={"y": y}, A=A, x=x)) == ["y"]


def test_out_is_as_it_was_where_something_is_refused():
    A, x = matrix(), RNG.random(N)
    y, s = ow.asarray(np.ones(N)), ow.asarray(np.ones(3))
    text = "y(i) = A(i,j) * x(j); s = y(i) * y(i)"
    for out, error, words in [
        ({"y": y, "s": s}, ow.ShapeError, "`s` is f64 of shape []"),
        ({"y": y, "q": s}, ValueError, "`out` names `q`"),
        ({"y": y, "s": y}, ValueError, "several names"),
        ({"y": [1.0]}, TypeError, "no list"),
        ({"s": ow.asarray(np.float32(1))}, ow.DTypeError, "f32"),
        ({"s": s, "y": np.ones(N - 1)}, ow.ShapeError, "out"),
        ({"y": y, "s": np.array(1)}, ow.DTypeError, "cannot hold"),
        ({"s": s, "y": np.broadcast_to(1.0, N)}, ValueError, "read-only"),
        ({"y": y, "s": np.ones(2)}, ow.ShapeError, "`s` has the shape []"),
    ]:
        with pytest.raises(error, match=words.replace("[", "\\[").replace("]", "\\]")):
            ow.evaluate_all(text, out=out, A=A, x=x)
        np.testing.assert_array_equal(y.todense(), np.ones(N))
        np.testing.assert_array_equal(s.todense(), np.ones(3))
        assert all(np.all(np.asarray(x) == 1) for x in out.values() if isinstance(x, np.ndarray))
    with pytest.raises(ValueError, match="not among `results`"):
        ow.evaluate_all(text, out={"y": y}, results=["s"], A=A, x=x)


def test_other_names_of_an_array_keep_it():
    x = ow.asarray(np.ones(N))
    shared, turned = x.copy(), x[::-1]
    other = x
    made = ow.evaluate_all("y(i) = 2 * x(i); z(i) = y(i) + 1; x(i) = z(i) * y(i)", results=["x"], x=x)
    np.testing.assert_array_equal(x.todense(), np.ones(N))
    np.testing.assert_array_equal(other.todense(), np.ones(N))
    state = {"x": x}
    for _ in range(5):
        made = ow.evaluate_all("y(i) = 2 * x(i); x(i) = y(i) + 1", out=state, x=x)
    assert made["x"] is x is other
    np.testing.assert_array_equal(shared.todense(), np.ones(N))
    np.testing.assert_array_equal(turned.todense(), np.ones(N))
    # A NumPy array is lent, and never written.
    lent = np.ones(N)
    made = ow.evaluate_all("x(i) += x(i) * x(i); y(i) = x(i) * 3", x=lent)
    np.testing.assert_array_equal(lent, np.ones(N))
    np.testing.assert_array_equal(made["y"].todense(), np.full(N, 6.0))


def test_arrays_of_out_share_no_memory():
    A, x, buffer = matrix(), RNG.random(N), np.zeros(2 * N)
    text = "y(i) = A(i,j) * x(j); z(i) = 2 * x(i)"
    for y, z in ((buffer[:N], buffer[:N]), (buffer[:N], buffer[1 : N + 1])):
        with pytest.raises(ValueError, match="share memory"):
            ow.evaluate_all(text, out={"y": y, "z": z}, A=A, x=x)
    assert not buffer.any()
    ow.evaluate_all(text, out={"y": buffer[::2], "z": buffer[1::2]}, A=A, x=x)
    np.testing.assert_allclose(buffer[::2], A @ x)
    np.testing.assert_allclose(buffer[1::2], 2 * x)


def test_statements_that_visit_the_same_elements_are_right_as_one_kernel():
    A = matrix()
    text = "s(i) = A(i,j); v(i) = A(i,j) * A(i,j); t = A(i,j); m(i) = max(j, A(i,j)); n(i) = min(j, A(i,j)); c(j) = A(i,j)"
    made = ow.evaluate_all(text, dtypes={"v": "float32"}, A=A)
    dense = A.toarray()
    for name, want in (
        ("s", dense.sum(1)), ("v", (dense * dense).sum(1)), ("t", dense.sum()), ("m", dense.max(1)), ("n", dense.min(1)), ("c", dense.sum(0)),
    ):
        found = made[name].todense() if made[name].ndim else made[name].item()
        np.testing.assert_allclose(found, want, rtol=1e-6 if name == "v" else 1e-12)
    assert made["v"].dtype == np.float32
