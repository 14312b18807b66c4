"""Operators, broadcasting, reductions and products agree with NumPy, over formats, dtypes, fills and orders."""

import operator
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import openwork as ow
from openwork import _core
from cases import DTYPES, NUMERIC, REAL, arrays, check, shapes, values

ARITHMETIC = [operator.add, operator.mul]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]


@given(st.data(), st.sampled_from([*ARITHMETIC, operator.eq, operator.ne]))
def test_binary(data, op):
    a, x = data.draw(arrays(fills=(0, 1)))
    b, y = data.draw(arrays(shape=x.shape, fills=(0, 1)))
    check(op(a, b), op(x, y))


@given(st.data(), st.sampled_from(COMPARISONS))
def test_comparisons(data, op):
    a, x = data.draw(arrays(dtypes=REAL))
    b, y = data.draw(arrays(shape=x.shape, dtypes=REAL))
    check(op(a, b), op(x, y))


@given(st.data())
def test_differences(data):
    a, x = data.draw(arrays(dtypes=NUMERIC))
    b, y = data.draw(arrays(shape=x.shape, dtypes=NUMERIC))
    check(a - b, x - y)
    check(-a, -x)
    check(+a, +x)


@given(st.data())
def test_quotients(data):
    a, x = data.draw(arrays(dtypes=["int32", "float32", "float64", "complex128"]))
    y = data.draw(values(x.shape, "float64", fill=2, zeros=False))
    check(a / ow.asarray(y), x / y, exact=False)
    check(a / 2, x / 2, exact=False)


@given(arrays(dtypes=NUMERIC))
def test_absolute_values(pair):
    a, x = pair
    check(abs(a), abs(x), exact=False)


@given(st.data(), st.sampled_from([operator.and_, operator.or_, operator.xor]))
def test_bits(data, op):
    dtypes = ["bool", "int8", "uint16", "int64"]
    a, x = data.draw(arrays(dtypes=dtypes))
    b, y = data.draw(arrays(shape=x.shape, dtypes=[x.dtype.name]))
    check(op(a, b), op(x, y))
    check(~a, ~x)


@given(st.data(), st.sampled_from([*ARITHMETIC, operator.eq, operator.ne]))
def test_broadcasting(data, op):
    shape = data.draw(shapes(ranks=(1, 2, 3), least=1))
    cut = data.draw(st.integers(0, len(shape)))
    other = tuple(1 if data.draw(st.booleans()) else n for n in shape[cut:])
    a, x = data.draw(arrays(shape=shape))
    b, y = data.draw(arrays(shape=other))
    check(op(a, b), op(x, y))
    check(op(b, a), op(y, x))


@given(st.data(), st.sampled_from([*ARITHMETIC, operator.sub, operator.eq, operator.ne]))
def test_numbers(data, op):
    a, x = data.draw(arrays(dtypes=NUMERIC, fills=(0, 1)))
    number = data.draw(st.sampled_from([0, 1, 2, 2.5, np.float32(1.5), np.int64(3), True]))
    assume(op is not operator.sub or number is not True)
    check(op(a, number), op(x, number))
    check(op(number, a), op(number, x))


@given(st.data())
def test_operators_with_numpy_arrays(data):
    a, x = data.draw(arrays(ranks=(1, 2), dtypes=NUMERIC))
    y = data.draw(values(x.shape, "float64"))
    check(a + y, x + y)
    check(y + a, y + x)
    check(y * a, y * x)
    assert isinstance(y + a, np.ndarray)


@given(st.data(), st.sampled_from(["csr", "csc", "coo"]))
def test_operators_with_scipy_arrays(data, format):
    shape = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    a, x = data.draw(arrays(shape=shape, dtypes=["float64", "int32"]))
    y = data.draw(values(shape, "float64"))
    s = sp.csr_array(y).asformat(format)
    for got, want in [(a + s, x + y), (s + a, y + x), (a * s, x * y), (s * a, y * x), (s - a, y - x)]:
        check(got.todense() if sp.issparse(got) else got, want)
    check(a @ s.T, x @ y.T)
    check(s.T @ a, y.T @ x)


@given(st.data(), st.sampled_from(["sum", "prod", "min", "max", "any", "all"]))
def test_reductions(data, name):
    dtypes = REAL if name in ("min", "max") else DTYPES
    a, x = data.draw(arrays(dtypes=dtypes, fills=(0, 1)))
    axes = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim), tuple(range(x.ndim))]))
    keep = data.draw(st.booleans())
    assume(name not in ("min", "max") or 0 not in x.shape)
    check(getattr(a, name)(axis=axes, keepdims=keep), getattr(x, name)(axis=axes, keepdims=keep))


@given(arrays(dtypes=["int32", "float32", "float64"], ranks=(1, 2, 3)))
def test_means(pair):
    a, x = pair
    assume(0 not in x.shape)
    check(a.mean(axis=0), x.mean(axis=0), exact=False)


@given(st.data())
def test_products(data):
    n, m, k = (data.draw(st.integers(0, 4)) for _ in range(3))
    left = data.draw(st.sampled_from([(n, m), (m,)]))
    right = data.draw(st.sampled_from([(m, k), (m,)]))
    dtypes = ["bool", "int32", "uint8", "float64", "complex64"]
    a, x = data.draw(arrays(shape=left, dtypes=dtypes))
    b, y = data.draw(arrays(shape=right, dtypes=dtypes))
    check(a @ b, x @ y)
    check(x @ b, x @ y)
    check(a @ y, x @ y)


@given(st.data())
def test_batches_of_products(data):
    n, m, k = (data.draw(st.integers(1, 3)) for _ in range(3))
    batch = data.draw(st.sampled_from([(), (2,), (1,)]))
    a, x = data.draw(arrays(shape=(2, n, m), dtypes=["int64", "float64"]))
    b, y = data.draw(arrays(shape=(*batch, m, k), dtypes=["int64", "float64"]))
    check(a @ b, x @ y)


@given(st.data())
def test_transposes(data):
    a, x = data.draw(arrays())
    check(a.T, x.T)
    axes = data.draw(st.permutations(range(x.ndim)))
    check(a.transpose(axes), x.transpose(axes))


def test_matrix_products_need_modes():
    a = ow.asarray([[1.0]])
    with pytest.raises(ow.ShapeError):
        a @ ow.asarray(2.0)
    with pytest.raises(ow.ShapeError, match="ranges over"):
        a @ ow.asarray([1.0, 2.0])
    with pytest.raises(ow.ShapeError, match="do not broadcast"):
        ow.asarray([1.0, 2.0]) + ow.asarray([1.0, 2.0, 3.0])


def test_other_objects_get_their_turn():
    class Other:
        def __radd__(self, a):
            return "added"

        def __rmatmul__(self, a):
            return "multiplied"

    a = ow.asarray([1.0])
    assert (a + Other(), a @ Other()) == ("added", "multiplied")
    with pytest.raises(TypeError):
        a + "text"


def test_minimum_of_nothing_is_refused():
    with pytest.raises(ow.ShapeError):
        ow.asarray(np.zeros((0, 2))).min()


EDGES = [0, 1, 5, 2**53, 2**53 + 1, 2**63 - 1]


@pytest.mark.parametrize("formats", [("dense", "dense"), ("csr", "dense"), ("coo", "csr"), ("dense", "csc")])
def test_signed_and_unsigned_integers_compare_by_value(formats):
    signed = np.array([*EDGES, -1, -5, -(2**63), -(2**53) - 1], "int64")
    unsigned = np.array([*EDGES, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 5], "uint64")
    x, y = (np.ascontiguousarray(m) for m in np.meshgrid(signed, unsigned))
    for small in ["int64", "int32", "int8"]:
        z = x if small == "int64" else np.where(abs(x) < 100, x, 0).astype(small)
        a, b = ow.asarray(z, format=formats[0]), ow.asarray(y, format=formats[1])
        for compare in [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]:
            check(compare(a, b), compare(z, y))
            check(compare(b, a), compare(y, z))


def test_integers_compare_with_numbers_that_do_not_fit():
    small, wide = np.array([0, 7, 255], "uint8"), np.array([0, 2**63, 2**64 - 1], "uint64")
    signed = np.array([-(2**63), -1, 5], "int64")
    for x in [small, wide, signed]:
        for number in [-1, 300, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), np.uint64(2**63), np.int64(-1)]:
            for compare in [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]:
                check(compare(ow.asarray(x, format="sv"), number), compare(x, number))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "ell", "dense"])
@pytest.mark.parametrize("number", [np.longdouble(1), np.clongdouble(1), np.asarray(np.longdouble(1))], ids=repr)
def test_numbers_of_other_dtypes_are_refused(format, number):
    a = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format=format)
    for op in (operator.add, operator.mul, operator.truediv, operator.eq, operator.gt, np.maximum):
        for call in (lambda: op(a, number), lambda: op(number, a)):
            with pytest.raises(ow.DTypeError) as caught:
                call()
            assert caught.value.code == "E0805"


@pytest.mark.parametrize("format", ["csr", "dense", "rle"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float64"])
def test_integers_of_pythons_count_as_numpy_counts_them(format, dtype):
    x = np.array([[0, 2], [3, 0]], dtype)
    ops = [operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, operator.ne, operator.lt, operator.ge]
    ops += [operator.and_, operator.or_] if x.dtype.kind != "f" else []
    for a in (ow.asarray(x, format), ow.asarray(x, format, fill_value=1)):
        for number in (-1, 1000, -1000, 2**63, 2**64, 10**30, -(10**30), 10**400):
            for op in ops:
                for call in (lambda y: op(y, number), lambda y: op(number, y)):
                    try:
                        want = call(x)
                    except OverflowError:
                        with pytest.raises(OverflowError):
                            call(a)
                    else:
                        check(call(a), want)
    if x.dtype.kind != "f":
        with pytest.raises(ow.NumberError, match="does not fit") as caught:
            ow.asarray(x, format) - 10**30
        assert caught.value.code == "E0207" and isinstance(caught.value, ow.DTypeError)


INVENTED = [
    (lambda a: a & 0.5, ow.DTypeError),
    (lambda a: a ^ a, ow.DTypeError),
    (lambda a: a @ np.ones(4), ow.ShapeError),
    (lambda a: np.ones((2, 3, 4)) @ a, ow.ShapeError),
]


@pytest.mark.parametrize(("call", "kind"), INVENTED)
def test_messages_show_no_statement_that_nobody_wrote(call, kind):
    with pytest.raises(kind) as caught:
        call(ow.asarray(np.eye(3), format="csr"))
    text = str(caught.value)
    assert not any(part in text for part in ("statement:", "i0", "y(", "`a`", "`b`", "`j`", "`y`")), text


SCALES = [2, -3, 1.5, 1e-30, 2j, True, np.float32(2), np.float64(2), np.int64(3)]


@pytest.mark.parametrize("dtype", [bool, "i1", "u1", "i4", "i8", "u8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("number", SCALES, ids=repr)
def test_numbers_scale_what_is_stored(dtype, number):
    dense = np.array([[0, 1, 0, 3], [0, 0, 0, 0], [2, 0, 5, 0]]).astype(dtype)
    if np.dtype(dtype).kind == "u" and number == -3:
        pytest.skip("NumPy has no such number of this dtype")
    for name in ["csr", "csc", "coo", "ell", "bcsr(2,2)", "rle", "hash"]:
        a = ow.asarray(dense, format=name)
        for scaled in (lambda x: x * number, lambda x: number * x, lambda x: x / number):
            with np.errstate(all="ignore"):
                want = scaled(dense)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                got = scaled(a)
            assert got.dtype == want.dtype, name
            np.testing.assert_allclose(got.todense(), want, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_scaled_arrays_are_stored_as_the_statement_says(rank):
    dense = np.tril(np.arange(9.0).reshape(3, 3) + 1) if rank == 2 else np.arange(2.0**rank).reshape((2,) * rank)
    names = ["sv", "csr", "csc", "coo", "dcsr", "dcsc", "csf", "coo_aos", "hash", "dok", "bytemap", "bitmap", "ragged", "lil"]
    names += ["rle", "ell", "jad", "dia", "banded", "sky", "lower", "bcsr(2,2)", "sell(2)", "csb(2)", "hicoo(2)", "modegeneric"]
    names += ["(i,j) -> (i,j) : dense, compressed(unordered)", "(i,j) -> (i,j) : dense, compressed(zeroless)"]
    met = 0
    for name in names:
        try:
            a = ow.asarray(dense, format=name)
        except ow.OpenworkError:
            continue  # Not at this rank.
        met += 1
        modes = ",".join("ijk"[:rank])
        want = ow.evaluate(f"C({modes}) = A({modes}) * 2", A=a).format
        for got in (a * 2, 2.0 * a, a / 2, a * 1e30, a * np.int64(2)):
            assert got.format == want, name
    assert met >= 10


def test_what_was_made_of_values_does_not_follow_them():
    data = sp.random_array((50, 40), density=0.2, format="csr", rng=np.random.default_rng(3))
    a, x = ow.asarray(data), np.ones(50)
    made = [a * 2.0, a / 2.0, np.sqrt(a)]
    want = [b.todense().T @ x for b in made]
    data.data[:] = 7.0
    for b, y in zip(made * 2, want * 2, strict=True):
        np.testing.assert_allclose(b.T @ x, y)


@given(st.data())
def test_dot_is_numpys(data):
    a, x = data.draw(arrays(ranks=(1, 2, 3), dtypes=["float64", "int64", "bool"]))
    for number in (2, 2.5, np.float32(3), np.array(2)):
        check(a.dot(number), x.dot(number))
    rank = data.draw(st.integers(1, 3))
    shape = list(data.draw(shapes(ranks=(rank,), least=1)))
    shape[-2 if rank > 1 else 0] = x.shape[-1]
    b, y = data.draw(arrays(shape=tuple(shape), dtypes=["float64", "bool"]))
    check(a.dot(b), x.dot(y))
    check(a.dot(y), x.dot(y))
    for other in (None, "x", object()):
        with pytest.raises(TypeError):
            a.dot(other)


@given(st.data())
def test_products_of_more_modes_with_numpys_arrays_are_numpys(data):
    a, x = data.draw(arrays(ranks=(3,), dtypes=["float64", "int64"]))
    last = x.shape[-1]
    for shape in ((last, 2), (last,), (1, last, 2), (x.shape[0], last, 1)):
        y = np.arange(float(np.prod(shape))).reshape(shape)
        got = a @ y
        assert type(got) is np.ndarray
        check(got, x @ y)
    m, z = data.draw(arrays(shape=(2, x.shape[1]), dtypes=["float64"]))
    got = m @ x
    assert type(got) is np.ndarray
    check(got, z @ x)
    check(m @ a, z @ x)


def test_counts_are_numpys_numbers():
    x = np.array([[3, 0, 5], [0, 7, 0]])
    for format in ("csr", "hash", "dense"):
        a = ow.asarray(x, format)
        for count in (ow.count_nonzero(a), np.count_nonzero(a), a.count_nonzero(), ow.count_nonzero(a, axis=(0, 1)), ow.count_nonzero(x)):
            check(count, np.asarray(3))
            assert isinstance(count, np.integer)
    huge = ow.from_coo(([0], [0]), [1.0], (2**40, 2**40), fill_value=1.0)
    assert ow.count_nonzero(huge) == 2**80


def test_numbers_in_statements_are_told_apart():
    class Metres(float):
        def __repr__(self):
            return f"{float(self):.1f} m"

        __str__ = __repr__

    class Grade(int):
        __str__ = __repr__ = lambda self: "7"

    x = np.array([[0.0, 3.0], [-2.0, 0.0]])
    a = ow.asarray(x, "csr")
    for number in (1, 1.0, True, -1, Metres(1.04), Metres(1.01), Grade(3), np.float32(1.1), np.float64(1.1), -0.0, 0.0, 2**63, -(2**62)):
        check(a + number, x + number)
        check(a > number, x > number)
        check(number - a, number - x)
    assert np.signbit((ow.asarray(np.zeros(2), "sv") + -0.0).todense()).tolist() == [False, False]
    assert np.isnan((a + np.nan).todense()).all()


def test_operators_find_the_statement_of_what_they_are_called_with():
    x = np.array([[0.0, np.inf], [2.0, 0.0]])
    y = np.array([0.0, 1.0])
    with np.errstate(all="ignore"):
        for _ in range(3):
            for format in ("csr", "dense"):
                a = ow.asarray(x, format)
                plain = [np.asarray(v.todense()) for v in (a @ ow.asarray(y), a * a, 0.0 * a)]
                with ow.exact():
                    exact = [np.asarray(v.todense()) for v in (a @ ow.asarray(y), a * a, 0.0 * a)]
                for got, want in zip(exact, (x @ y, x * x, 0.0 * x), strict=True):
                    np.testing.assert_array_equal(got, want)
                if format == "csr":
                    assert not np.isnan(plain[2]).any() and np.isnan(exact[2]).any()
            for dtype in ("float64", "float32", "int8", "bool", "complex128"):
                for shape in ((2, 3), (3, 3), (0, 3), (1, 1), (3,)):
                    z = (np.arange(np.prod(shape)).reshape(shape) % 3).astype(dtype)
                    for left in ("dense", "csr" if len(shape) == 2 else "sv"):
                        b = ow.asarray(z, left)
                        check(b + b, z + z)
                        check(b * 3, z * 3)
                        check(3 * b, 3 * z)
                        check(b * 2.5, z * 2.5)
                        check(b * True, z * True)
                        check(b == b, z == z)
                        if shape[0] == shape[-1]:
                            check(b @ b, z @ z)


def test_expressions_have_no_truth_and_statements_of_one_text_are_equal():
    x, y = _core.access("x", ["i"]), _core.access("y", ["i"])
    for wrong in (lambda: 0 < x < 2, lambda: max(x, y), lambda: x and y, lambda: not x):
        with pytest.raises(TypeError, match="neither true nor false"):
            wrong()
    one, same, other = y.assign(2 * x), y.assign(2 * x), y.assign(2.0 * x)
    assert one == same and hash(one) == hash(same) and one != other and one != "y(i) = 2 * x(i)"
    assert repr(one) == "<statement y(i) = 2 * x(i)>" and repr(x + 1) == "<expression x(i) + 1>"
    for wrong in (5, None, b"y = x"):
        with pytest.raises(TypeError):
            ow.evaluate(wrong, x=1.0)
    with pytest.raises(ow.OpenworkError, match="no name"):
        y.assign(_core.access("a b", ["i"]))


def test_messages_of_operators_speak_of_operators():
    truths = ow.asarray([True, False])
    for wrong, what, help in ((lambda: -truths, "`-` is not defined for bool", "~"), (lambda: truths - truths, "`-` is not defined for bool and bool", r"\^")):
        with pytest.raises(ow.OpenworkError, match=what) as e:
            wrong()
        assert "statement:" not in str(e.value) and re.search(help, e.value.help)
    with pytest.raises(ow.OpenworkError, match="`out` has arrays by the names of results"):
        ow.evaluate_all("y(i) = x(i)", x=truths, out=truths)


def test_a_repr_of_long_runs_is_short_and_soon():
    import time

    n = 3_000_000_000
    a = ow.from_coo(([n - 1],), [1.0], (n,)).asformat("rle")
    begun = time.monotonic()
    assert repr(a).startswith("<openwork.Array: shape=(3000000000,)")
    assert time.monotonic() - begun < 60
