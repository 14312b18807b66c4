"""`einsum` agrees with NumPy's, in every form of its notation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import arrays, check

EXAMPLES = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij->ji", [(2, 3)]),
    ("ba", [(2, 3)]),
    ("ii", [(3, 3)]),
    ("ii->i", [(3, 3)]),
    ("iij->j", [(3, 3, 2)]),
    ("i,i", [(3,), (3,)]),
    ("i,j->ij", [(2,), (3,)]),
    ("ij,ij->", [(2, 3), (2, 3)]),
    ("i->", [(3,)]),
    ("ijk,jl,kl->il", [(2, 3, 4), (3, 2), (4, 2)]),
    ("...ij,...jk->...ik", [(2, 2, 3), (2, 3, 4)]),
    ("...ij,...jk->...ik", [(2, 2, 3), (3, 4)]),
    ("...ij,...jk->...ik", [(2, 2, 3), (1, 3, 4)]),
    ("...i->...", [(2, 3, 4)]),
    ("i...,i...", [(3, 2), (3, 2)]),
    ("...", [(2, 3)]),
    ("...,...", [(2, 3), (3,)]),
    ("a...b,b->a...", [(2, 3, 4), (4,)]),
    (",ij->ij", [(), (2, 3)]),
    ("Ab,bA->A", [(2, 3), (3, 2)]),
    (" i j , j -> i ", [(2, 3), (3,)]),
    ("ab,bc,cd->ad", [(2, 3), (3, 2), (2, 2)]),
]


@pytest.mark.parametrize(("subscripts", "shapes"), EXAMPLES)
@given(st.data())
def test_agrees_with_numpy(subscripts, shapes, data):
    dtypes = [data.draw(st.sampled_from(["int64", "float64", "complex64", "int8", "bool"]))]
    pairs = [data.draw(arrays(shape=s, dtypes=dtypes)) for s in shapes]
    check(ow.einsum(subscripts, *(a for a, _ in pairs)), np.einsum(subscripts, *(x for _, x in pairs)))
    if dtypes == ["bool"] and len(shapes) > 1:
        # Truth values are counted where a number is asked for. NumPy's views of one operand have its dtype, whatever is asked for.
        check(ow.einsum(subscripts, *(a for a, _ in pairs), dtype="int64"), np.einsum(subscripts, *(x for _, x in pairs), dtype="int64"))


def test_lists_of_numbers():
    x, y = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    check(ow.einsum(x, [0, 1], y, [1, 2]), np.einsum(x, [0, 1], y, [1, 2]))
    check(ow.einsum(x, [0, 1], y, [1, 2], [2, 0]), np.einsum(x, [0, 1], y, [1, 2], [2, 0]))
    check(ow.einsum(x, [Ellipsis, 1], [Ellipsis]), np.einsum(x, [Ellipsis, 1], [Ellipsis]))
    check(ow.einsum(x, [30, 1], [1, 30]), np.einsum(x, [30, 1], [1, 30]))


def test_formats_and_dtypes_of_results():
    a = ow.asarray(np.eye(3), format="csr")
    assert ow.einsum("ij,jk->ik", a, a, format="dcsr").format == "dcsr"
    assert ow.einsum("ij,j->i", a, np.ones(3), dtype="complex128").dtype == np.complex128


@pytest.mark.parametrize(
    ("subscripts", "error"),
    [
        ("ij,jk->ik", ow.ShapeError),
        ("ijk->i", ow.ShapeError),
        ("ij->ijj", ow.ParseError),
        ("ij->k", ow.ParseError),
        ("i1->i", ow.ParseError),
        ("i->", ow.ShapeError),
    ],
)
def test_refusals(subscripts, error):
    with pytest.raises(error):
        ow.einsum(subscripts, np.eye(3))


def test_sizes_that_disagree():
    with pytest.raises(ow.ShapeError, match="ranges over"):
        ow.einsum("ij,jk->ik", np.eye(3), np.eye(4))
    with pytest.raises(ow.ShapeError, match="do not broadcast"):
        ow.einsum("...i,...i", np.ones((2, 3)), np.ones((4, 3)))


REFUSED = [
    ("ij,jk->ik", [(2, 3), (4, 2)], {}, ow.ShapeError, "index `j` of `ij,jk->ik` ranges over 3 values in operand 0, but over 4 in 1"),
    ("ii->i", [(2, 3)], {}, ow.ShapeError, "index `i` of `ii->i` ranges over 2 values in operand 0, but over 3 in 0"),
    ("ij,j->i", [(2, 3), (3,)], {"dtype": "int32"}, ow.DTypeError, "float64|f64"),
    ("ij,j->i", [(2, 3), (3,)], {"format": "csr"}, ow.FormatError, "modes"),
]


@pytest.mark.parametrize(("subscripts", "shapes", "more", "kind", "part"), REFUSED)
def test_refusals_speak_of_subscripts(subscripts, shapes, more, kind, part):
    with pytest.raises(kind, match=part) as caught:
        ow.einsum(subscripts, *(np.ones(s) for s in shapes), **more)
    text = f"{caught.value} {caught.value.help}"
    assert not any(invented in text for invented in ("v_", "t0", "t1", "y(")), text
    if kind is ow.DTypeError:
        assert f"in `{subscripts}`" in text


def test_refusals_of_lists_speak_of_lists():
    with pytest.raises(ow.ShapeError, match=r"index `1` of `\[0, 1\], \[1, 2\] -> \[0, 2\]` ranges over 3 values"):
        ow.einsum(np.ones((2, 3)), [0, 1], np.ones((4, 2)), [1, 2], [0, 2])
    with pytest.raises(ow.ShapeError, match=r"`\[0, 1\]` does not have the 3 modes"):
        ow.einsum(np.ones((2, 3, 4)), [0, 1], [0])


PRODUCTS = {
    "matrices": lambda a, b, v: a @ b,
    "a vector": lambda a, b, v: a @ v,
    "a vector before": lambda a, b, v: v @ b,
    "vectors": lambda a, b, v: v @ v,
    "a stack": lambda a, b, v: np.stack([a, a]) @ b,
    "stacks that repeat": lambda a, b, v: np.stack([a, a])[:, :1] @ b[None],
    "dot": lambda a, b, v: np.dot(a, b),
    "vdot": lambda a, b, v: np.vdot(a, a),
    "inner": lambda a, b, v: np.inner(a, a),
    "outer": lambda a, b, v: np.outer(v, v),
    "tensordot": lambda a, b, v: np.tensordot(a, b, axes=([0, 1], [1, 0])),
    "einsum": lambda a, b, v: np.einsum("ij,jk,kl->il", a, b, a),
    "counts": lambda a, b, v: np.einsum("ij,j->i", a, v, dtype=int),
    "trace": lambda a, b, v: np.trace(a @ b),
    "one row": lambda a, b, v: a & a[:1],
    "one column": lambda a, b, v: a[:, :1] | a,
    "where": lambda a, b, v: np.where(a[:1], a, True),
}


@given(st.data(), st.sampled_from(sorted(PRODUCTS)))
def test_products_of_truth_values_are_truth_values(data, name):
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    pairs = [data.draw(arrays(shape=s, dtypes=["bool"])) for s in ((rows, columns), (columns, rows), (columns,))]
    ours, numpys = zip(*pairs)
    check(PRODUCTS[name](*ours), PRODUCTS[name](*numpys))
    a, _, v = ours
    check(a.matvec(numpys[2]), numpys[0] @ numpys[2])
    check(a.rmatmat(numpys[1].T), numpys[0].T @ numpys[1].T)


@given(st.data(), st.sampled_from(["ij,jk->ik", "ij,ij->ij", "ij,jk,k->i", "ij,ji->", "i,j->ij", "ijk,ik->j", "ij,ij", "ii,i->i", "...ij,jk->...ik"]))
def test_sizes_of_one_are_repeated(data, subscripts):
    letters = {i: data.draw(st.sampled_from([1, 2, 3])) for i in "ijk"}
    dtype = data.draw(st.sampled_from(["int64", "float64", "bool"]))
    pairs = []
    for term in subscripts.partition("->")[0].split(","):
        one = {i: data.draw(st.booleans()) for i in term}
        shape = tuple(1 if one[i] else letters[i] for i in term.replace("...", ""))
        pairs.append(data.draw(arrays(shape=(2,) * term.count("...") + shape, dtypes=[dtype])))
    ours, numpys = zip(*pairs)
    check(ow.einsum(subscripts, *ours), np.einsum(subscripts, *numpys))
    check(np.einsum(subscripts, *ours), np.einsum(subscripts, *numpys))


def test_sizes_of_one_in_one_operand_are_not_repeated():
    for subscripts, shapes in [("ii->i", [(1, 3)]), ("i,ii->i", [(3,), (1, 3)]), ("i,ii->i", [(1,), (3, 1)])]:
        for call in (np.einsum, ow.einsum):
            with pytest.raises(ValueError):
                call(subscripts, *(np.ones(s) for s in shapes))
    roads = ow.asarray([[np.inf, 2.0], [3.0, np.inf]], "csr", fill_value=np.inf)
    check(ow.einsum("ij,j->i", roads, [5.0], semiring="min_plus"), np.array([7.0, 8.0]))
