"""Indices and slices are NumPy's, in every format."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import arrays, check

X = np.arange(42.0).reshape(6, 7) * (np.arange(42).reshape(6, 7) % 3 == 0)
FORMATS = ["csr", "csc", "dcsr", "coo", "coo_aos", "dia", "ell", "jad", "bcsr(2,2)", "sell(2)", "hash", "dok", "bitmap", "bytemap",
           "lil", "rle", "ragged", "csb(2)", "hicoo(2)", "sky", "dense", "dense:1,0"]  # fmt: skip
KEYS = [
    0, -1, 5, np.int32(2), np.uint8(3), np.array(4), slice(None), slice(1, 4), slice(4, 1), slice(None, None, -1), slice(5, 0, -2),
    slice(-3, None), slice(0, 100), Ellipsis, (), (2, 3), (-1, -1), (slice(None), 0), (slice(None), -2), (slice(1, 5, 2), slice(None, None, 3)),
    (Ellipsis, 1), (1, Ellipsis), (slice(2, 3), 1), (slice(0, 0), slice(None)), (slice(6, None), 2), (slice(None), slice(-1, None, -1)),
]  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_keys(format):
    a = ow.asarray(X, format)
    for key in KEYS:
        got, want = a[key], X[key]
        check(got, want)
        assert isinstance(got, ow.Array) == isinstance(want, np.ndarray), key
        if isinstance(got, ow.Array) and not a._tensor.full:
            assert got.nnz <= a.nnz and not got._tensor.dense, key
    check(a[np.int64(1) :], X[1:])
    check(a[1:, 2:] @ np.ones(5), X[1:, 2:] @ np.ones(5))


@given(st.data())
def test_keys_of_any_array(data):
    a, x = data.draw(arrays(fills=(0, 1)))

    def one(size):
        ends = st.one_of(st.none(), st.integers(-size - 1, size + 1))
        step = st.one_of(st.none(), st.integers(-3, 3).filter(bool))
        slices = st.builds(slice, ends, ends, step)
        return data.draw(st.one_of(slices, st.integers(-size, size - 1)) if size else slices)

    key = tuple(one(n) for n in x.shape[: data.draw(st.integers(0, x.ndim))])
    got = a[key]
    check(got, x[key])
    if isinstance(got, ow.Array):
        assert got.fill_value == a.fill_value
        check(got + got, x[key] + x[key])


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "dok", "bitmap", "dense"])
def test_a_slice_of_everything_is_an_array_of_its_own(format):
    A = ow.asarray(np.eye(3)).asformat(format)
    slices = (A[:], A[0:3], A[...])
    ow.evaluate_all("x(i,j) = 2 * x(i,j)", out={"x": A}, x=A)
    for B in slices:
        np.testing.assert_array_equal(B.todense() * 2, A.todense())


def test_formats_of_slices():
    for format in ("coo:1,0", "sd", "(i,j) -> (i,j) : dense, compressed(unordered)"):
        a = ow.asarray(X, format)
        assert (a[1:].format, a[:, [1, 0]].format, a[:, 1].format) == (a.format, a.format, "sv"), format
        check(a[:, [1, 0]], X[:, [1, 0]])
    a = ow.asarray(X, "csc")
    assert (a[1:].format, a[:, 1].format, a[0].format) == ("csc", "sv", "sv")
    t = ow.asarray(np.ones((2, 3, 4)), "csf")
    assert (t[0].format, t[0, 1].format, t[:, 1:].format) == ("csr", "sv", "csf")
    assert ow.asarray(np.tril(np.ones((3, 3))), "lower")[:, 1:].format == "csr"
    s = ow.asarray(np.eye(3) + np.ones((3, 3)), "sym")
    check(s[0, :], (np.eye(3) + 1)[0])
    assert a[:] is not a and a[...].format == "csc"


@pytest.mark.parametrize("format", FORMATS)
def test_lists_take_coordinates_of_one_mode_as_numpy_does(format):
    a = ow.asarray(X, format)
    rows, columns = len(X), X.shape[1]
    keys = [[0, 1], np.array([4, 2, 2, -1]), [], np.arange(rows)[::-1].astype("u1"), np.arange(rows) % 2 == 0]
    for key in [*keys, (..., [3, 0]), (slice(None), [-1, 1, 1]), (slice(1, 4), [2, 0]), ([2, 0], slice(None, None, 2)),
                (slice(None), np.arange(columns) > 2), (0, [1, 2]), ([1, 2], 0)]:  # fmt: skip
        check(a[key], X[key])
    for far in ([6], [-7], [True], ([0], 1, 2)):
        with pytest.raises(IndexError):
            a[far]


def test_lists_take_coordinates_of_any_rank():
    t = np.arange(24.0).reshape(2, 3, 4) % 5
    for format in ("csf", "coo"):
        a = ow.asarray(t, format)
        check(a[:, [2, 0]], t[:, [2, 0]])
        check(a[..., [1, 2], :], t[..., [1, 2], :])
        check(a[1:, :, [3]], t[1:, :, [3]])
        check(a[0, :, [1, 2]], t[0, :, [1, 2]])
    v = ow.asarray([0.0, 3.0, 0.0, 4.0], "sv")
    check(v[[3, 3, 0]], np.array([4.0, 4.0, 0.0]))
    assert ow.asarray(X, "csc")[:, [1, 0]].format == "csc"


@pytest.mark.parametrize("key", [True, "x", 1.0, (None, True), ([0], 1.0)])
def test_other_indices_of_sparse_arrays_are_refused(key):
    with pytest.raises(ow.UnsupportedError, match="numbers, slices, lists and bools|beside lists") as caught:
        ow.asarray(X, "csr")[key]
    assert caught.value.code == "E0103" and "not with a bool" not in str(caught.value)


@pytest.mark.parametrize("format", FORMATS)
def test_bools_and_pairs_take_values_as_numpy_does(format):
    a = ow.asarray(X, format)
    for key in [X > 3, X < 0, np.ones((6, 7), bool), ([0], [1]), ([0, 5, 5], [3, -1, -1]), ([[0, 1], [2, 3]], [[4], [5]]), ([], []),
                ([0, 2], np.array([[1], [3]])), (np.arange(6) % 2 == 0, [0, 3, 6]), (2, [[0, 1]]), ([[1, 2]], 0), [[0, 1], [1, 0]],
                (slice(1, 5), [[0, 1], [1, 0]]), (np.array(1), [3, 4]), (..., [1, 2], [3, 4])]:  # fmt: skip
        check(a[key], X[key])
    assert a[[0, 5], [0, 5]]._tensor.dense and type(a[X > 3]) is ow.Array
    rows, columns = [4, 0, 0], np.arange(7) % 3 == 0
    mesh = a[np.ix_(rows, columns)]
    check(mesh, X[np.ix_(rows, columns)])
    check(a[np.array(rows)[:, None], [1, 2]], X[np.array(rows)[:, None], [1, 2]])
    assert a._tensor.dense or not mesh._tensor.dense
    for far in (([6], [0]), ([0], [-8]), ([0, 1], [0, 1, 2]), np.ones((6, 6), bool), np.ones((6, 7, 1), bool), ([0], [0], [0]), ([0.5], [1])):
        with pytest.raises(IndexError):
            a[far]


@given(st.data())
def test_masks_of_ours(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3), fills=(0, 1)))
    rank = data.draw(st.integers(1, x.ndim))
    m, y = data.draw(arrays(shape=x.shape[:rank], dtypes=["bool"], fills=(0, 1)))
    check(a[m], x[y])
    check(a[y], x[y])
    check(a[a != 0], x[x != 0])
    check(a[a == 0], x[x == 0])


@given(st.data())
def test_lists_for_any_modes(data):
    a, x = data.draw(arrays(ranks=(2, 3, 4), fills=(0, 1)))
    shape = data.draw(st.sampled_from([(3,), (1,), (2, 2), (0,)]))
    count = int(np.prod(shape))

    def one(sizes):
        """An item of a key, the same for NumPy, and how many modes it is for."""
        size = sizes[0]
        kind = data.draw(st.sampled_from(["list", "list", "sequence", "mask", "slice", "number"])) if size else "slice"
        if kind == "slice":
            cut = slice(*data.draw(st.sampled_from([(None,), (1, None), (None, None, -1), (0, 0)])))
            return cut, cut, 1
        if kind == "mask":
            # As many are true as the lists have coordinates, or one.
            several = sizes[: data.draw(st.integers(1, len(sizes)))]
            mask = np.zeros(several, bool)
            total = count if shape in ((3,), (1,), (0,)) else 1
            mask.reshape(-1)[data.draw(st.permutations(range(mask.size)))[:total]] = True
            fill = data.draw(st.sampled_from([0, 1]))
            ours = st.sampled_from(["sv" if len(several) == 1 else "coo", "dense"]).map(lambda f: ow.asarray(mask, f, fill_value=fill))
            return data.draw(st.one_of(st.just(mask), ours)), mask, len(several)
        number = st.integers(-size, size - 1)
        if kind == "number":
            n = data.draw(number)
            return n, n, 1
        at = data.draw(st.lists(number, min_size=count, max_size=count))
        if kind == "sequence" and len(shape) == 1:
            return tuple(at), tuple(at), 1
        return np.array(at, int).reshape(shape), np.array(at, int).reshape(shape), 1

    key, twin, modes = [], [], 0
    wanted = data.draw(st.integers(1, x.ndim))
    while modes < wanted:
        ours, numpys, covered = one(x.shape[modes:])
        key, twin, modes = [*key, ours], [*twin, numpys], modes + covered
    keys = [(key, twin)]
    # An ellipsis at the end is for all other modes, and anywhere where there are none.
    at = data.draw(st.integers(0, len(key))) if modes == x.ndim else len(key)
    keys.append(((*key[:at], ..., *key[at:]), (*twin[:at], ..., *twin[at:])))
    for ours, numpys in keys:
        try:
            want = x[tuple(numpys)]
        except IndexError:
            with pytest.raises(IndexError):
                a[tuple(ours)]
        else:
            check(a[tuple(ours)], want)


def test_an_ellipsis_for_no_mode_lies_between_lists():
    x = np.arange(60.0).reshape(3, 4, 5) % 7
    for format in ("csf", "coo", "dense"):
        a = ow.asarray(x, format)
        mask = x[0] > 3
        for key in [(slice(None), 0, ..., [0, 1, 2]), (0, ..., slice(None), [1, 2]), ([0, 1], ..., 1, [0, 2]), ([0, 1], ..., [1, 2], slice(None)),
                    (slice(None), [0, 1], ..., [2, 3]), (..., mask), (slice(None), mask), (0, mask), ([1], mask), (slice(None), (0, 1)),
                    (range(2), slice(None)), (range(2), (0, 3)), (slice(None), ())]:  # fmt: skip
            check(a[key], x[key])
        for fill in (False, True):
            m = ow.asarray(mask, "csr", fill_value=fill)
            check(a[..., m], x[..., mask])
            check(a[[0], m], x[[0], mask])
            check(a[:, m], x[:, mask])
        check(a[1, sp.csr_array(mask)], x[1, mask])
        check(a[range(2)], x[range(2)])
        for key in ((..., mask.T), (mask,), (0, mask, 0), (ow.asarray(mask, "coo"), 0)):
            with pytest.raises(IndexError):
                a[key]


def test_bools_of_other_libraries_and_formats_of_picked_values():
    a = ow.asarray(X, "csr")
    check(a[sp.csr_array(X > 3)], X[X > 3])
    check(a[ow.asarray([0, 2])], X[[0, 2]])
    check(a[ow.asarray([0, 2]), ow.asarray([0, 3])], X[[0, 2], [0, 3]])
    check(a[a.sum(1) > 50], X[X.sum(1) > 50])
    t = ow.asarray(np.arange(24.0).reshape(2, 3, 4) % 5, "csf")
    x = t.todense()
    check(t[np.ones((2, 3), bool), 1], x[np.ones((2, 3), bool), 1])
    check(t[1, np.eye(3, 4, dtype=bool)], x[1, np.eye(3, 4, dtype=bool)])
    assert (t[[0, 1], [1, 2]].format, t[np.ones((2, 3), bool)].format) == ("csr", "csr")
    n = 2**30
    huge = ow.from_coo(([1, 5], [2, n - 1]), [3.0, 4.0], (n, n), format="dcsr")
    check(huge[[1, 1, 5], [2, 3, -1]], np.array([3.0, 0.0, 4.0]))
    rest = huge[huge != 3.0]
    assert rest.shape == (n * n - 1,) and rest.format == "sv" and rest[5 * n + n - 2] == 4.0
    check(huge[huge > 3.0], np.array([4.0]))
    with pytest.raises(IndexError, match="broadcast together"):
        a[[0, 1], [0, 1, 2]]


@pytest.mark.parametrize("key", [[0, 1], np.array([1, 2]), None, (None, 0), X > 3, (0, [1])])
def test_other_indices_of_dense_arrays_are_numpys(key):
    a = ow.asarray(X)
    check(a[key], X[key])
    check(a[a > 3], X[X > 3])


@pytest.mark.parametrize("format", ["csr", "dense"])
def test_indices_out_of_bounds(format):
    a = ow.asarray(X, format)
    for key in (6, -7, (0, 7), (0, 0, 0), (slice(None), 7), (Ellipsis, 0, Ellipsis)):
        with pytest.raises(IndexError):
            a[key]
    with pytest.raises(ValueError, match="zero"):
        a[::0]


def test_parts_are_not_assigned():
    for format in ("csr", "dense"):
        a = ow.asarray(X, format)
        with pytest.raises(ow.UnsupportedError, match="does not change"):
            a[0, 0] = 1.0
        with pytest.raises(ow.UnsupportedError):
            a[0] += 1.0
        check(a, X)


def test_rows_take_as_long_as_they_are_long():
    n = 2_000_000
    a = ow.from_coo((np.arange(n), np.arange(n)[::-1].copy()), np.ones(n), (n, n), format="csr")
    start = time.perf_counter()
    for i in range(100):
        assert a[i].nnz == 1 and a[i, n - 1 - i] == 1.0
    # A walk over all rows, a hundred times, takes seconds.
    assert time.perf_counter() - start < 0.5


def test_values_that_change_in_memory():
    x = X.copy()
    a = ow.asarray(x)
    part = a[1:3]
    x[1] = 5.0
    check(a, x)
    assert part.shape == (2, 7)


def test_new_modes():
    for format in FORMATS:
        a = ow.asarray(X, format)
        for key in (None, (None, 0), (0, None), (0, 1, None), (slice(None), None), (..., None), (None, ..., 1, None), (None, slice(1, 3), None, -1)):
            check(a[key], X[key])
            assert a._tensor.dense or key == (0, 1, None) or not a[key]._tensor.dense
    v = ow.asarray([0.0, 2.0, 3.0], "sv")
    check(v[:, None] * v[None, :], np.outer(v.todense(), v.todense()))
    a = ow.asarray(X, "csr")
    for key in (([0, 1], None), ([0], None, None)):
        with pytest.raises(ow.UnsupportedError, match=r"new modes \(None\) beside lists"):
            a[key]
    for key in ((0, 1, 2, None), (None, 6), (None, ..., ...)):
        with pytest.raises(IndexError):
            a[key]
    with pytest.raises(IndexError, match="3 are indexed"):
        a[0, 1, 2]


PRESETS = ["csr", "csc", "dcsr", "dcsc", "csf", "coo", "coo_aos", "hash", "dok", "lil", "rle", "ell", "jad", "dia", "banded", "sky", "ragged",
           "bytemap", "bitmap", "bcsr(4,4)", "bcsc(4,4)", "sell(8)", "csb(16)", "hicoo(16)"]  # fmt: skip


@pytest.mark.parametrize("format", PRESETS)
@pytest.mark.parametrize("fill", [0.0, 2.0])
def test_parts_of_larger_arrays(format, fill):
    # Large enough that levels are scanned and that large parts are cut from rows; some stored values are the fill value.
    x = np.full((130, 170), fill)
    at = np.random.default_rng(4).integers(0, 130 * 170, 9000)
    x.flat[at] = at % 5
    a = ow.from_coo(np.unravel_index(np.unique(at), x.shape), x.flat[np.unique(at)], x.shape, fill_value=fill).asformat(format)
    for key in [7, (slice(None), 7), (3, 4), slice(5, 9), (slice(None), slice(160, 163)), slice(1, -1), (slice(1, -1), slice(None, None, -1))]:
        got = a[key]
        check(got, x[key])
        assert not isinstance(got, ow.Array) or got.fill_value == fill


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "dcsc", "ell", "hash"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "c16"])
def test_lists_of_larger_matrices(format, dtype):
    # Long rows, short rows and empty rows; lists in order, in reverse, with coordinates more than once and without any.
    rng = np.random.default_rng(6)
    x = (rng.random((90, 400)) < np.linspace(0, 0.9, 90)[:, None] ** 4) * rng.integers(1, 9, (90, 400))
    x[7:30] = 0
    x = x.astype(dtype)
    for index in (np.int32, np.int64):
        s = sp.csr_array(x)
        a = ow.asarray(sp.csr_array((s.data, s.indices.astype(index), s.indptr.astype(index)), x.shape)).asformat(format)
        for n, mode in [(90, 0), (400, 1)]:
            for at in [rng.permutation(n), np.arange(n)[::-1], np.sort(rng.integers(0, n, n // 2)), rng.integers(-n, n, 3 * n), rng.random(n) < 0.3, []]:
                key = (slice(None),) * mode + (at,)
                check(a[key], x[(slice(None),) * mode + (np.asarray(at, int if len(at) == 0 else None),)])
        check(a[::-2, ::-1], x[::-2, ::-1])
        check(a[5:80, 20:-3], x[5:80, 20:-3])


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_pairs_and_sparse_masks_of_larger_matrices(format):
    rng = np.random.default_rng(9)
    x = (rng.random((70, 900)) < 0.2) * rng.integers(-4, 5, (70, 900))
    for fill in (0, 3):
        a = ow.asarray(x, format=format, fill_value=fill)
        rows, columns = rng.integers(-70, 70, 50_000), rng.integers(-900, 900, 50_000)
        check(a[rows, columns], x[rows, columns])
        check(a[np.sort(rows), np.sort(columns)], x[np.sort(rows), np.sort(columns)])
        for mask in (x > 1, x != 0):
            check(a[ow.asarray(mask, format=format)], x[mask])
        # A mask that stores that it is false in some places.
        some = ow.asarray(x != 0, format=format) & ow.asarray(x > 1, format=format)
        check(a[some], x[x > 1])


def test_lists_of_huge_modes():
    a = ow.from_coo([[0, 3, 9], [5, 2**39, 2**40 - 1]], [1.0, 2.0, 3.0], (10, 2**40), format="csr")
    got = a[:, [2**40 - 1, 5, 6, 5]]
    want = np.zeros((10, 4))
    want[9, 0], want[0, 1], want[0, 3] = 3, 1, 1
    check(got, want)
    assert a[:, ::2].nnz == 1 and a[::-1][6, 2**39] == 2
