"""Semirings, masks and functions of two arrays against NumPy on everything written out."""

import numpy as np
import pytest
import scipy.sparse as sp

import openwork as ow

ADD = {
    "plus": (np.add, 0.0), "times": (np.multiply, 1.0), "min": (np.minimum, np.inf), "max": (np.maximum, -np.inf),
    "any": (np.maximum, -np.inf),
    "lor": (np.logical_or, False), "land": (np.logical_and, True), "lxor": (np.logical_xor, False),
    "lxnor": (lambda a, b: a == b, True), "eq": (lambda a, b: a == b, True), "bor": (np.bitwise_or, 0), "bxor": (np.bitwise_xor, 0),
    "band": (np.bitwise_and, -1), "bxnor": (lambda a, b: ~(a ^ b), -1),
}
NUMBERS = {
    "times": np.multiply, "plus": np.add, "minus": np.subtract, "min": np.minimum, "max": np.maximum,
    "rminus": lambda a, b: b - a, "div": np.divide, "rdiv": lambda a, b: b / a,
    "iseq": np.equal, "isne": np.not_equal, "isgt": np.greater, "islt": np.less, "isge": np.greater_equal, "isle": np.less_equal,
    "first": lambda a, b: a, "second": lambda a, b: b, "pair": lambda a, b: 1, "oneb": lambda a, b: 1,
    "lor": np.logical_or, "land": np.logical_and, "lxor": np.logical_xor, "pow": np.power, "hypot": np.hypot,
    "atan2": np.arctan2, "fmod": np.fmod, "remainder": np.remainder, "copysign": np.copysign,
}
PLACES = ["firsti", "firsti1", "firstj", "firstj1", "secondi", "secondi1", "secondj", "secondj1"]
COMPARED = {"eq": np.equal, "ne": np.not_equal, "gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal}
TRUTH = {"land": np.logical_and, "lor": np.logical_or, "lxor": np.logical_xor, "pair": lambda a, b: True, "oneb": lambda a, b: True}
TRUTH |= {"first": lambda a, b: a, "second": lambda a, b: b}
BITS = {"band": np.bitwise_and, "bor": np.bitwise_or, "bxor": np.bitwise_xor, "bxnor": lambda a, b: ~(a ^ b)}
BITS |= {name: NUMBERS[name] for name in ("first", "second", "pair", "oneb")}
LOGICAL = {"lor", "land", "lxor", "lxnor", "eq"}


def products_of(add):
    """The products that go with a sum."""
    if add in ("bor", "bxor", "band", "bxnor"):
        return BITS
    if add == "any":
        return NUMBERS | COMPARED
    return TRUTH | COMPARED if add in LOGICAL else NUMBERS


NAMES = [f"{a}_{m}" for a in ADD for m in products_of(a)]


def random(rng, shape, density=0.4, dtype=float):
    """Values between 1 and 8, the places where there are any, and an array of ours with both."""
    there = rng.random(shape) < density
    values = rng.integers(1, 9, shape).astype(dtype) * there
    return values, there


def ends(out):
    """Numbers and coordinates of elements: integers, of which `min` and `max` of nothing are the ends."""
    least = np.iinfo("int64")
    numbers = np.where(np.isfinite(out), out, 0).astype("int64")
    return np.where(out == np.inf, least.max, np.where(out == -np.inf, least.min, numbers))


def product(name, a, a_there, b, b_there):
    """What GraphBLAS has for a matrix product: only what is there on both sides meets."""
    add, multiply = name.split("_")
    op, zero = ADD["lor" if add == "any" and multiply in COMPARED else add]
    if name in ("any_pair", "any_oneb"):
        zero = 0.0
    out = np.full((a.shape[0], b.shape[1]), zero)
    for i in range(a.shape[0]):
        for k in range(b.shape[1]):
            for j in range(a.shape[1]):
                if a_there[i, j] and b_there[j, k]:
                    out[i, k] = op(out[i, k], products_of(add)[multiply](a[i, j], b[j, k]))
    return ends(out) if multiply in ("pair", "oneb") and add in ("min", "max", "any") else out


@pytest.mark.parametrize("format", ["csr", "coo", "dia", "bcsr(2,2)", "dcsr", "rle"])
@pytest.mark.parametrize("name", NAMES)
def test_products_meet_where_both_are_there(name, format, rng=np.random.default_rng(1)):
    (a, at), (b, bt) = random(rng, (6, 8)), random(rng, (8, 4))
    add, multiply = name.split("_")
    if add in LOGICAL and multiply not in COMPARED:
        a, b = a != 0, b != 0
    if add in ("bor", "bxor", "band", "bxnor"):
        a, b = a.astype("int32"), b.astype("int32")
    got = ow.einsum("ij,jk->ik", ow.asarray(a, format=format), ow.asarray(b, format="csr"), semiring=name)
    np.testing.assert_allclose(got.todense(), product(name, a, at, b, bt))


@pytest.mark.parametrize("format", ["csr", "csc", "bcsr(2,2)", "rle"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("add", ["plus", "min", "max", "any", "times"])
def test_products_of_coordinates(add, place, format, rng=np.random.default_rng(2)):
    (a, at), (b, bt) = random(rng, (6, 8)), random(rng, (8, 4))
    got = ow.einsum("ij,jk->ik", ow.asarray(a, format=format), ow.asarray(b, format="csr"), semiring=f"{add}_{place}")
    op, zero = ADD[add]
    want = np.full((6, 4), zero)
    for i, j, k in np.ndindex(6, 8, 4):
        if at[i, j] and bt[j, k]:
            value = {"firsti": i, "firstj": j, "secondi": j, "secondj": k}[place.rstrip("1")] + place.endswith("1")
            want[i, k] = op(want[i, k], value)
    np.testing.assert_array_equal(got.todense(), ends(want))
    # A vector is a column.
    x = np.arange(1.0, 9.0)
    got = ow.einsum("ij,j->i", ow.asarray(a, format=format), x, semiring=f"max_{place}").todense()
    value = {"firsti": lambda i, j: i, "firstj": lambda i, j: j, "secondi": lambda i, j: j, "secondj": lambda i, j: 0}[place.rstrip("1")]
    want = [max((value(i, j) + place.endswith("1") for j in range(8) if at[i, j]), default=-np.inf) for i in range(6)]
    np.testing.assert_array_equal(got, ends(np.array(want)))


@pytest.mark.parametrize("format", ["csr", "coo", "dcsr", "hash"])
@pytest.mark.parametrize("name", ["land_first", "land_pair", "lxnor_land", "eq_second", "eq_pair", "land_land"])
def test_truth_values_that_are_stored_meet_whatever_they_are(name, format, rng=np.random.default_rng(4)):
    made = []
    for shape in ((6, 8), (8, 4)):
        there, values = rng.random(shape) < 0.4, rng.random(shape) < 0.5
        at = np.nonzero(there)
        made.append((ow.from_coo(at, values[at], shape).asformat(format), values, there))
    (A, a, at), (B, b, bt) = made
    np.testing.assert_array_equal(ow.einsum("ij,jk->ik", A, B, semiring=name).todense(), product(name, a, at, b, bt) != 0)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "uint64"])
@pytest.mark.parametrize("name", ["band_bor", "band_band", "bxnor_bxor", "bxnor_first", "bor_bxnor"])
def test_sums_of_bits(name, dtype, rng=np.random.default_rng(6)):
    add, multiply = name.split("_")
    a, b = (rng.integers(1, 100, shape).astype(dtype) * (rng.random(shape) < 0.5).astype(dtype) for shape in ((5, 7), (7, 3)))
    got = ow.einsum("ij,jk->ik", ow.asarray(a, format="csr"), ow.asarray(b, format="csc"), semiring=name)
    op = ADD[add][0]
    want = np.full((5, 3), 0 if add == "bor" else ~np.zeros(1, dtype)[0], dtype=dtype)
    for i, j, k in np.ndindex(5, 7, 3):
        if a[i, j] and b[j, k]:
            want[i, k] = op(want[i, k], BITS[multiply](a[i, j], b[j, k]))
    np.testing.assert_array_equal(got.todense(), want)
    assert got.dtype == want.dtype


def test_semirings_that_ask_for_places_take_arrays_alone():
    a = ow.asarray(np.eye(3), format="csr")
    with pytest.raises(ow.OpenworkError, match="asks where elements are stored"):
        ow.evaluate("y(i) = min_firstj(j, 2 * A(i,j), A(j,i))", A=a)


@pytest.mark.parametrize("format", ["sv", "dense", "bitmap", "hash", "coo", "rle"])
@pytest.mark.parametrize("dtype", ["bool", "int32", "float64", "complex128"])
def test_structural_masks(format, dtype, rng=np.random.default_rng(21)):
    n = 9
    a, x = random(rng, (n, n))[0], rng.random(n)
    there = rng.random(n) < 0.6
    values = (rng.integers(0, 2, n) * there).astype(dtype)
    at = np.nonzero(there)
    m = ow.from_coo(at, values[at], (n,))
    m = m.asformat(format)
    # What a format with padding keeps of a stored 0, `nnz` says.
    if m.nnz == n and format == "dense":
        there = np.ones(n, bool)
    elif m.nnz != there.sum():
        there = there & (values != 0)
    for A in (ow.asarray(a, format="csr"), ow.asarray(a, format="csc"), ow.asarray(a, format="dcsr")):
        given = {"A": A, "x": x, "m": m}
        dense = lambda y: y.todense() if isinstance(y, ow.Array) else y  # noqa: E731
        np.testing.assert_allclose(dense(ow.evaluate("y(i) = A(i,j) * x(j) where structure(m(i))", **given)), np.where(there, a @ x, 0))
        got = dense(ow.evaluate("y(i) = A(i,j) * x(j) where !structure(m(i))", **given))
        np.testing.assert_allclose(got, np.where(there, 0, a @ x))
        got = dense(ow.evaluate("y(i) += A(i,j) * x(j) where structure(m(i))", y=np.ones(n), **given))
        np.testing.assert_allclose(got, np.where(there, 1 + a @ x, 1))
        got = dense(ow.evaluate("y(i) = min(j, A(i,j)) where !structure(m(i))", A=A, m=m))
        np.testing.assert_allclose(got, np.where(there, np.inf, a.min(axis=1)))
        # Masks by both: stored, and true.
        got = dense(ow.evaluate("y(i) = A(i,j) * x(j) where structure(m(i)) & !bool(m(i))", **given))
        np.testing.assert_allclose(got, np.where(there & (values == 0), a @ x, 0))


@pytest.mark.parametrize("mask", ["m(i)", "!m(i)", "structure(m(i))", "!structure(m(i))"])
@pytest.mark.parametrize("stored", ["sv", "dense"])
def test_masks_accumulate_and_replace_as_in_graphblas(mask, stored, rng=np.random.default_rng(23)):
    n = 12
    a, x = random(rng, (n, n))[0], rng.random(n)
    there, y = rng.random(n) < 0.6, rng.random(n) * (rng.random(n) < 0.5)
    values = rng.integers(0, 2, n) * there
    at = np.nonzero(there)
    kept = there if "structure" in mask else values != 0
    kept = ~kept if "!" in mask else kept
    given = {
        "A": ow.asarray(a, format="csr"), "x": x, "m": ow.from_coo(at, values[at].astype(float), (n,), format="sv"),
        "y": ow.asarray(y, format=stored),
    }  # fmt: skip
    plain = lambda found: found.todense() if isinstance(found, ow.Array) else found  # noqa: E731
    new = a @ x
    only = {name: t for name, t in given.items() if name != "y"}
    np.testing.assert_allclose(plain(ow.evaluate(f"z(i) = A(i,j) * x(j) where {mask}", **only)), np.where(kept, new, 0))
    condition = mask.replace("!m(i)", "!bool(m(i))")
    got = ow.evaluate(f"z(i) = where({condition}, sum(j, A(i,j) * x(j)), y(i))", **given)
    np.testing.assert_allclose(plain(got), np.where(kept, new, y))
    np.testing.assert_allclose(plain(ow.evaluate(f"y(i) += A(i,j) * x(j) where {mask}", **given)), np.where(kept, y + new, y))
    np.testing.assert_allclose(plain(ow.evaluate(f"z(i) = y(i) + A(i,j) * x(j) where {mask}", **given)), np.where(kept, y + new, 0))


def test_structures_follow_the_array(rng=np.random.default_rng(22)):
    values = np.array([0.0, 3.0])
    a = ow.asarray(sp.csr_array((values, [1, 0], [0, 1, 2]), shape=(2, 2)))
    of = lambda: ow.evaluate("P(i,j) = structure(A(i,j))", A=a).todense()  # noqa: E731
    for _ in range(3):
        np.testing.assert_array_equal(of(), [[False, True], [True, False]])
        values[:] = 0.0
    blocks = ow.from_coo(([0, 1], [1, 0]), [2.0, 3.0], (2, 2), fill_value=7.0).asformat("bcsr(2,2); fill = 7")
    got = ow.evaluate("P(i,j) = structure(A(i,j))", A=blocks)
    np.testing.assert_array_equal(got.todense(), [[False, True], [True, False]])
    assert got.dtype == bool and not got.fill_value
    empty = ow.from_coo(([], []), np.zeros(0), (0, 3))
    assert ow.evaluate("P(i,j) = structure(A(i,j))", A=empty).shape == (0, 3)
    with pytest.raises(ow.OpenworkError) as caught:
        ow.evaluate("y(i) = x(i) where structure(i)", x=np.ones(3))
    assert caught.value.code == "E0204"


def test_missing_is_nothing_whatever_the_fill_and_dense_arrays_have_everything():
    a = ow.from_coo(([0, 1], [1, 0]), [2.0, 0.0], (2, 2), fill_value=7.0, format="csr")
    got = ow.einsum("ij,j->i", a, np.array([10.0, 20.0]), semiring="min_plus")
    np.testing.assert_array_equal(got.todense(), [22.0, 10.0])
    assert ow.einsum("ij,jk->ik", a, a, semiring="min_plus").fill_value == np.inf
    # Integers have no infinity: nothing is the end of their dtype.
    b = ow.asarray(np.array([[0, 3], [4, 0]]), format="csr")
    got = ow.einsum("ij,jk->ik", b, b, semiring="min_plus")
    most = np.iinfo("int64").max
    np.testing.assert_array_equal(got.todense(), [[7, most], [most, 7]])
    assert got.fill_value == most and got.dtype == np.int64


@pytest.mark.parametrize("name, dtype", [
    ("max_times", "int8"), ("min_plus", "int8"), ("max_first", "int64"), ("plus_isgt", "float32"), ("plus_times", "uint8"),
    ("max_min", "int16"), ("min_max", "uint8"), ("min_times", "float32"), ("times_plus", "int8"), ("any_second", "uint16"),
])
def test_products_are_of_the_common_dtype_both_ways(name, dtype, rng=np.random.default_rng(8)):
    """Sums and products wrap in the dtype of what they are of, in statements and in einsum."""
    there = rng.random((5, 6)) < 0.5
    values = rng.integers(1, 120, (5, 6)).astype(dtype)
    x = rng.integers(1, 120, 6).astype(dtype)
    A = ow.from_coo(np.nonzero(there), values[there], (5, 6), format="csr")
    got = ow.einsum("ij,j->i", A, x, semiring=name)
    add, multiply = name.split("_")
    least = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    float_ends = (np.inf, -np.inf) if np.dtype(dtype).kind == "f" else (least.max, least.min)
    zero = {"plus": 0, "times": 1, "min": float_ends[0], "max": float_ends[1], "any": float_ends[1]}[add]
    want = np.full(5, zero, dtype)
    with np.errstate(over="ignore"):
        for i, j in zip(*np.nonzero(there)):
            value = np.asarray(NUMBERS[multiply](values[i, j], x[j])).astype(dtype)
            want[i] = ADD[add][0](want[i], value).astype(dtype)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got.todense(), want)
    fill = {"min": float_ends[0], "max": float_ends[1]}.get(add, 0)
    B = A
    if add in ("min", "max"):
        B = ow.from_coo(np.nonzero(there), values[there], (5, 6), format="csr", fill_value=fill)
    again = ow.evaluate(f"y(i) = {name}(j, A(i,j), x(j))", A=B, x=x)
    assert again.dtype == want.dtype
    np.testing.assert_array_equal(again.todense(), want)


def test_statements_refuse_operands_with_another_fill():
    G = ow.from_coo(([0, 1, 2], [1, 2, 0]), [1.0, 1.0, 1.0], (3, 3), format="csr")
    labels = np.array([5.0, 6.0, 7.0])
    with pytest.raises(ow.OpenworkError, match=r"asarray\(G, fill_value=inf\)") as caught:
        ow.evaluate("y(i) = min_second(j, G(i,j), l(j))", G=G, l=labels)
    assert caught.value.code == "E0218"
    # What is stored stays; what is not is nothing.
    got = ow.evaluate("y(i) = min_second(j, G(i,j), l(j))", G=ow.from_coo(G.to_coo()[0], G.to_coo()[1], (3, 3), fill_value=np.inf), l=labels)
    np.testing.assert_array_equal(got.todense(), [6.0, 7.0, 5.0])
    np.testing.assert_array_equal(ow.einsum("ij,j->i", G, labels, semiring="min_second").todense(), [6.0, 7.0, 5.0])


@pytest.mark.parametrize("format", ["csr", "bcsr(2,2)", "rle"])
def test_truth_values_of_numbers_with_another_fill(format):
    # Whatever the fill value is, what is not stored is no edge; what is stored is one if it is not zero.
    a = ow.from_coo(([0, 1], [1, 0]), [2.0, 3.0], (2, 2), fill_value=7.0).asformat(f"{format}; fill = 7")
    got = ow.einsum("ij,jk->ik", a, a, semiring="lor_land").todense()
    np.testing.assert_array_equal(got, [[True, False], [False, True]])
    nan = ow.from_coo(([0, 1], [1, 0]), [2.0, 3.0], (2, 2), fill_value=np.nan).asformat(f"{format}; fill = nan")
    np.testing.assert_array_equal(ow.einsum("ij->i", nan, semiring="min_plus").todense(), [2.0, 3.0])


def test_complex_numbers_have_no_minimum():
    with pytest.raises(ow.OpenworkError) as caught:
        ow.einsum("ij,j->i", ow.asarray(np.eye(2) * 1j, format="csr"), np.ones(2), semiring="min_plus")
    assert caught.value.code == "E0204"


def test_shortest_paths():
    rng = np.random.default_rng(3)
    weights = rng.random((40, 40)) * (rng.random((40, 40)) < 0.1)
    graph = ow.asarray(weights, format="csr")
    far = np.full(40, np.inf)
    far[0] = 0.0
    want = far.copy()
    edges = np.where(weights > 0, weights, np.inf)
    for _ in range(40):
        step = ow.einsum("ji,j->i", graph, far, semiring="min_plus")
        far = np.minimum(far, step.todense())
        want = np.minimum(want, (edges + want[:, None]).min(axis=0))
    np.testing.assert_allclose(far, want)


@pytest.mark.parametrize("semiring", ["min_plus", "lor_land"])
@pytest.mark.parametrize("format", ["csr", "bcsr(2,2)"])
def test_operands_that_are_kept_for_semirings_follow_their_values(format, semiring):
    values = np.array([2.0, 3.0])
    ones = np.ones(2) if semiring == "min_plus" else np.ones(2, bool)
    given = {"fill_value": 7.0, "format": "csr"}
    a = ow.from_coo(([0, 1], [1, 0]), values, (2, 2), **given).asformat(f"{format}; fill = 7")
    of = lambda: ow.einsum("ij,j->i", a, ones, semiring=semiring).todense().astype(float)  # noqa: E731
    first, second = ([3.0, 4.0], [6.0, 1.0]) if semiring == "min_plus" else ([1.0, 1.0], [1.0, 0.0])
    np.testing.assert_array_equal(of(), first)
    kept = a._refilled[-1]
    np.testing.assert_array_equal(of(), first)
    assert a._refilled[-1] is kept
    other = ow.from_coo(([0, 1], [1, 0]), [5.0, 0.0], (2, 2), **given).asformat(f"{format}; fill = 7")
    ow.evaluate("B(i,j) = C(i,j)", C=other, out=a)
    np.testing.assert_array_equal(of(), second)


def test_values_of_others_are_read_anew_in_every_semiring():
    # SciPy's values are read in place.
    values = np.array([2.0, 3.0])
    a = ow.asarray(sp.csr_array((values, [1, 0], [0, 1, 2]), shape=(2, 2)))
    for semiring, x, want in [("min_plus", np.zeros(2), [0.0, 3.0]), ("lor_land", np.ones(2, bool), [False, True])]:
        values[0] = 2.0
        ow.einsum("ij,j->i", a, x, semiring=semiring)
        values[0] = 0.0
        np.testing.assert_array_equal(ow.einsum("ij,j->i", a, x, semiring=semiring).todense(), want)


def test_unknown_semirings_are_refused_by_name():
    with pytest.raises(ow.OpenworkError, match="min_plus") as caught:
        ow.einsum("ij,j->i", np.eye(2), np.ones(2), semiring="min_pluss")
    assert caught.value.code == "E0211"


def test_masks_by_value_and_their_complements():
    rng = np.random.default_rng(5)
    a, _ = random(rng, (9, 9))
    x, m = rng.random(9), rng.random(9) < 0.5
    for format in ("csr", "csc", "dcsr"):
        A = ow.asarray(a, format=format)
        for mask in (m, ow.asarray(m, format="s"), ow.asarray(m, format="bitmap")):
            given = {"A": A, "x": x, "m": mask}
            got = ow.evaluate("y(i) = A(i,j) * x(j) where m(i)", **given)
            np.testing.assert_allclose(got.todense(), np.where(m, a @ x, 0))
            got = ow.evaluate("y(i) = A(i,j) * x(j) where !m(i)", **given)
            np.testing.assert_allclose(got.todense(), np.where(m, 0, a @ x))
            got = ow.evaluate("y(i) = min(j, A(i,j)) where m(i)", A=A, m=mask)
            np.testing.assert_allclose(got.todense(), np.where(m, a.min(axis=1), np.inf))
            got = ow.evaluate("y(i) += A(i,j) * x(j) where !m(i)", y=np.ones(9), **given)
            np.testing.assert_allclose(got.todense(), np.where(m, 1, 1 + a @ x))


TWO = [
    np.power, np.float_power, np.floor_divide, np.remainder, np.fmod, np.fmin, np.fmax, np.hypot, np.arctan2,
    np.copysign, np.logaddexp, np.nextafter,
]
WHOLE = [np.gcd, np.lcm, np.left_shift, np.right_shift, np.floor_divide, np.remainder, np.fmod, np.power]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ufunc", TWO)
def test_functions_of_two_arrays(ufunc, dtype, rng=np.random.default_rng(7)):
    a, _ = random(rng, (5, 6), dtype=dtype)
    b, _ = random(rng, (5, 6), dtype=dtype)
    for other in (ow.asarray(b, format="csc"), b):
        got = ufunc(ow.asarray(a, format="csr"), other)
        want = ufunc(a, b)
        np.testing.assert_allclose(got if isinstance(got, np.ndarray) else got.todense(), want, rtol=1e-6)
        assert got.dtype == want.dtype


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("ufunc", WHOLE)
def test_functions_of_two_arrays_of_integers(ufunc, dtype, rng=np.random.default_rng(8)):
    a, _ = random(rng, (5, 6), dtype=dtype)
    b, _ = random(rng, (5, 6), dtype=dtype)
    got, want = ufunc(ow.asarray(a, format="csr"), ow.asarray(b, format="csr")), ufunc(a, b)
    np.testing.assert_array_equal(got.todense(), want)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("ufunc", [np.fmin, np.fmax, np.vdot])
def test_functions_of_bools_are_bools(ufunc):
    a, b = np.array([True, False, True, False]), np.array([True, True, False, False])
    want = ufunc(a, b)
    for other in (ow.asarray(b, format="sv"), b):
        got = ufunc(ow.asarray(a, format="sv"), other)
        np.testing.assert_array_equal(got.todense() if isinstance(got, ow.Array) else got, want)
        assert got.dtype == want.dtype


def test_what_is_not_stored_stays_so():
    rng = np.random.default_rng(9)
    a, _ = random(rng, (50, 60), density=0.1)
    n = rng.integers(0, 5, (50, 60)).astype(np.int32)
    got = np.ldexp(ow.asarray(a, format="csr"), ow.asarray(n))
    assert got.format == "csr" and got.nnz == np.count_nonzero(a)
    np.testing.assert_array_equal(got.todense(), np.ldexp(a, n))


def test_negative_integer_powers_are_refused_as_in_numpy():
    a = ow.asarray(np.array([[2, 0], [0, 3]]), format="csr")
    with pytest.raises(ValueError, match="negative"):
        np.power(a, ow.asarray(np.array([[-1, 0], [0, 2]]), format="csr"))


def test_where():
    rng = np.random.default_rng(11)
    a, _ = random(rng, (5, 6))
    b, _ = random(rng, (5, 6))
    A, B = ow.asarray(a, format="csr"), ow.asarray(b, format="csr")
    np.testing.assert_array_equal(np.where(A > B, A, B).todense(), np.where(a > b, a, b))
    np.testing.assert_array_equal(np.where(A != 0, B, 0.0).todense(), np.where(a != 0, b, 0))
    got = np.where(A, 1.0, b)
    np.testing.assert_array_equal(got if isinstance(got, np.ndarray) else got.todense(), np.where(a, 1.0, b))
    for g, w in zip(np.where(A), np.where(a), strict=True):
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "float64", "complex128"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("ddof", [0, 1])
def test_variances(dtype, axis, ddof, rng=np.random.default_rng(13)):
    a, _ = random(rng, (7, 5))
    a = (a * (1 + 2j) if dtype == "complex128" else a).astype(dtype)
    for A in (ow.asarray(a, format="csr"), ow.asarray(a, format="coo"), ow.asarray(a)):
        for keepdims in (False, True):
            got = A.var(axis=axis, ddof=ddof, keepdims=keepdims)
            want = a.var(axis=axis, ddof=ddof, keepdims=keepdims)
            np.testing.assert_allclose(got.todense() if isinstance(got, ow.Array) else got, want, rtol=1e-5, atol=1e-12)
            assert got.dtype == want.dtype
        got = np.std(A, axis=axis, ddof=ddof)
        np.testing.assert_allclose(got.todense() if isinstance(got, ow.Array) else got, a.std(axis=axis, ddof=ddof), rtol=1e-5)
    if dtype == "float64":
        full = np.where(a == 0, 3.0, a)
        A = ow.asarray(full, format="csr", fill_value=3.0)
        np.testing.assert_allclose(np.asarray(A.var(axis=0).todense()), full.var(axis=0))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float64"])
def test_masks_of_numbers_and_their_complements_are_apart(dtype):
    m = np.array([0, 1, 3, 0]).astype(dtype)
    a = np.arange(1.0, 5.0)
    given = {"a": a, "m": m}
    np.testing.assert_array_equal(ow.evaluate("y(i) = a(i) where m(i)", **given).todense(), np.where(m, a, 0))
    np.testing.assert_array_equal(ow.evaluate("y(i) = a(i) where !m(i)", **given).todense(), np.where(m, 0, a))
    np.testing.assert_array_equal(ow.evaluate("y(i) = a(i) where !!m(i)", **given).todense(), np.where(m, a, 0))


@pytest.mark.parametrize("mask", ["where m(i)", "where !m(i)", "where m(k)", "where !m(k)"])
@pytest.mark.parametrize("value", ["A(i,k)", "A(i,j) * A(j,k)"])
def test_no_mask_makes_a_sparse_result_dense(mask, value, rng=np.random.default_rng(17)):
    a, _ = random(rng, (12, 12), density=0.2)
    m = rng.random(12) < 0.5
    index = np.s_[:, None] if "(i)" in mask else np.s_[None, :]
    kept = (~m if "!" in mask else m)[index]
    A = ow.asarray(a, format="csr")
    for given in (m, ow.asarray(m, format="s"), ow.asarray(m, format="rle")):
        got = ow.evaluate(f"C(i,k) = {value} {mask}", A=A, m=given)
        np.testing.assert_allclose(got.todense(), np.where(kept, a if "j" not in value else a @ a, 0))
        assert got.format in ("csr", "dcsr"), got.format


@pytest.mark.parametrize("indptr", ["int32", "int64"])
def test_rows_of_matrices_with_positions_of_any_width(indptr):
    import scipy.sparse as sp

    s = sp.csr_array(np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]]))
    s.indptr = s.indptr.astype(indptr)
    for rows in ([1, 0], [1, 1, 1], np.array([True, False])):
        np.testing.assert_array_equal(ow.asarray(s)[rows].todense(), s.toarray()[rows])
        np.testing.assert_array_equal(ow.asarray(s).T[:, rows].todense(), s.toarray().T[:, rows])


def test_norms_of_integers_are_floats():
    a = np.array([[3, 0, -128], [0, 3, 0]], "int8")
    A = ow.asarray(a, format="csr")
    for ord in (None, 1, np.inf, -np.inf, "fro"):
        got, want = np.linalg.norm(A, ord), np.linalg.norm(a, ord)
        assert got == want and got.dtype == want.dtype
    np.testing.assert_allclose(np.asarray(np.linalg.norm(A, axis=1).todense()), np.linalg.norm(a, axis=1))
    with pytest.raises(ow.UnsupportedError, match="order 2"):
        np.linalg.norm(A, 2)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "int64"])
def test_functions_of_floats_take_integers(dtype, rng=np.random.default_rng(19)):
    a, _ = random(rng, (4, 5), dtype=dtype)
    b, _ = random(rng, (4, 5), dtype=dtype)
    got, want = np.hypot(ow.asarray(a, format="csr"), ow.asarray(b, format="csr")), np.hypot(a, b)
    np.testing.assert_allclose(got.todense(), want, rtol=1e-6)
    assert got.dtype == want.dtype
    got = ow.evaluate("C(i,j) = rint(A(i,j)) + sqrt(A(i,j))", A=ow.asarray(a, format="csr"))
    assert got.dtype == (np.rint(a) + np.sqrt(a)).dtype


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dok", "bytemap"])
@pytest.mark.parametrize("sign", ["=", "+=", "max=", "min="])
def test_nothing_is_stored_where_a_computed_mask_is_false(sign, format, rng=np.random.default_rng(11)):
    """Elements of a product that a mask leaves out, with and without an accumulator, where nothing was before."""
    for _ in range(4):
        p, q, a, c = (rng.integers(0, 4, shape) * (rng.random(shape) < 0.5) for shape in ((4, 3), (3, 4), (4, 4), (4, 4)))
        P, Q, A, C = (ow.asarray(x, format=f) for x, f in ((p, "csr"), (q, "coo"), (a, "csr"), (c, "csr")))
        given = {"P": P, "Q": Q, "A": A} | ({} if sign == "=" else {"C": C})
        got = ow.evaluate(f"C(i,j) {sign} P(i,k) * Q(k,j) where A(i,j) > 2", format, **given)
        terms = p[:, :, None] * q[None, :, :]
        reduced = {"max=": terms.max(axis=1), "min=": terms.min(axis=1)}.get(sign, terms.sum(axis=1))
        combine = {"=": lambda old, new: new, "+=": np.add, "max=": np.maximum, "min=": np.minimum}[sign]
        old = 0 * c if sign == "=" else c
        want = np.where(a > 2, combine(old, reduced), old)
        np.testing.assert_array_equal(got.todense(), want)
        stored = np.zeros((4, 4), bool)
        stored[tuple(got.to_coo()[0])] = True
        assert not (stored & ~(a > 2) & (old == 0)).any()
