"""Arrays of shapes that no memory and no 64 bits hold, and of rows most of which store nothing: right, or refused by name."""

import json
import pickle

import numpy as np
import pytest
from process import script

import openwork as ow

SMALL = 64
AT = ([0, SMALL // 2, SMALL - 1, 3], [1, SMALL - 1, 0, SMALL // 2])
VALUES = [1.0, 0.25, 3.0, -1.0]


def wide(format, n):
    """The same elements whatever the size is: at the beginning, in the middle, at the end."""
    far = {SMALL // 2: n // 2, SMALL - 1: n - 1}
    return ow.from_coo([[far.get(c, c) for c in mode] for mode in AT], VALUES, (n, n), format=format)


# What has the same values whatever the size is.
FUNCTIONS = {
    "mask": lambda a: a[a > 0.5], "mask of all": lambda a: a[a != 0], "pairs": lambda a: a[[0, a.shape[0] - 1, 1], [1, 0, 1]],
    "pairs of three": lambda a: a[None][:, [0, a.shape[0] - 1], [1, 0]], "mesh": lambda a: a[np.ix_([0, a.shape[0] - 1], [0, 1])],
    "half": lambda a: a[: a.shape[0] // 2], "steps": lambda a: a[1 : a.shape[0] - 1 : 2, 5:], "backwards": lambda a: a[::-1],
    "list": lambda a: a[[0, a.shape[0] - 1]], "columns": lambda a: a[:, [0, a.shape[1] - 1]], "row": lambda a: a[a.shape[0] - 1],
    "sum": lambda a: a.sum(), "sum 0": lambda a: a.sum(0), "sum 1": lambda a: a.sum(1), "max": lambda a: a.max(), "max 1": lambda a: a.max(1),
    "min 0": lambda a: a.min(0, keepdims=True), "prod 1": lambda a: a.prod(1), "all 1": lambda a: (a == 0).all(1) == False,  # noqa: E712
    "any 0": lambda a: (a != 0).any(0),
    "argmax 1": lambda a: ow.argmax(a, 1) > 0, "sort": lambda a: ow.sort(a), "median 1": lambda a: ow.median(a, 1), "topk": lambda a: ow.topk(a, 1),
    "topk 0": lambda a: ow.topk(a, 1, axis=0), "norm": lambda a: ow.norm(a), "norm 1": lambda a: ow.norm(a, axis=1), "normalize": lambda a: ow.normalize(a),
    "normalize sum": lambda a: ow.normalize(a, 0, "sum"), "normalize max": lambda a: ow.normalize(a, (0, 1), "max"),
    "turned": lambda a: a.T, "plus": lambda a: a + a, "greater": lambda a: a > 0.5, "product": lambda a: a @ a.T, "vstack": lambda a: np.vstack([a, a]),
    "hstack": lambda a: np.hstack([a, a]), "stack": lambda a: np.stack([a, a]), "roll 0": lambda a: np.roll(a, 1, axis=0),
    "roll 1": lambda a: np.roll(a, 1, axis=1), "roll": lambda a: np.roll(a, 1), "tril": lambda a: np.tril(a), "triu": lambda a: np.triu(a, 1),
    "diagonal": lambda a: np.diagonal(a, 1), "trace": lambda a: a.trace(), "flip": lambda a: np.flip(a), "rot90": lambda a: np.rot90(a),
    "repeat": lambda a: np.repeat(a, 2, axis=0), "tile": lambda a: np.tile(a, (2, 1)), "ravel": lambda a: a.ravel(), "one more": lambda a: a[None],
    "kron": lambda a: np.kron(a, a), "take": lambda a: np.take(a, [0, 1], axis=1), "split": lambda a: np.array_split(a, 2)[0],
    "delete": lambda a: np.delete(a, [0, 1], axis=0), "delete a slice": lambda a: np.delete(a, slice(0, 9, 2), axis=1), "count": lambda a: ow.count_nonzero(a),
    "count 1": lambda a: ow.count_nonzero(a, 1), "coo": lambda a: a.asformat("coo"), "dcsc": lambda a: a.asformat("dcsc"), "dcsr": lambda a: a.asformat("dcsr"),
    "csr": lambda a: a.asformat("csr"), "float32": lambda a: a.astype("f4"), "where": lambda a: np.where(a > 0.5, a, 0), "clip": lambda a: np.clip(a, 0, 1),
    "nansum 1": lambda a: ow.nansum(a, 1), "nanmax 0": lambda a: ow.nanmax(a, 0), "ptp": lambda a: np.ptp(a), "hypot": lambda a: np.hypot.reduce(a, axis=1),
    "broadcast": lambda a: np.broadcast_to(a, (2, *a.shape)), "close": lambda a: np.allclose(a, a), "equal": lambda a: np.array_equal(a, a),
    "equivalent": lambda a: np.array_equiv(a, a), "einsum": lambda a: ow.einsum("ij,ij->i", a, a), "divide": lambda a: np.divide(a, a, where=a != 0),
    "pickle": lambda a: pickle.loads(pickle.dumps(a)), "masked sum": lambda a: a.sum(1, where=a > 0), "scipy": lambda a: ow.asarray(a.to_scipy()),
    "argsort": lambda a: ow.argsort(a), "cumsum": lambda a: ow.cumsum(a, 1), "argmax": lambda a: ow.argmax(a) > 0, "median": lambda a: ow.median(a),
    "masked out": lambda a: a[a <= 0.5], "average": lambda a: ow.average(a, axis=1) != 0, "var 1": lambda a: ow.count_nonzero(a.var(1)),
    "std 0": lambda a: ow.count_nonzero(a.std(0)), "mean": lambda a: a.mean() != 0, "where out": lambda a: a[:, None].shape[1],
}  # fmt: skip
# What has to be of so many values, or positions in 64 bits, that it is refused.
REFUSED = {"argsort", "cumsum", "argmax", "median", "masked out", "ravel", "roll", "kron", "csr"}


def stored(found):
    """The values of a result, in order; what is not stored does not count."""
    if not isinstance(found, ow.Array):
        return [float(found)]
    if found._tensor.dense:
        return sorted(v for v in found.todense().ravel().tolist() if v)
    return sorted(v for v in found.to_coo()[1].tolist() if v != found.fill_value)


def outcomes(format):
    """Of every function and size: whether it was right, refused, or what else."""
    told = {}
    for name, function in FUNCTIONS.items():
        right = None if name in REFUSED else stored(function(wide(format, SMALL)))
        for n in (2**31 - 4, 2**31, 2**32, 2**62, 2**63 - 4):
            try:
                found = stored(function(wide(format, n)))
                told[f"{name} {n}"] = "right" if right is None or np.allclose(found, right) else f"{found} for {right}"
            except ow.OpenworkError as e:
                told[f"{name} {n}"] = e.code
            except Exception as e:
                told[f"{name} {n}"] = f"{type(e).__name__}: {e}"
    return told


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dcsr", "dcsc", "coo", "dok"])
def test_every_function_of_arrays_beyond_memory(format):
    head = f"import sys, json; sys.path.insert(0, {__file__.rpartition('/')[0]!r})\nimport test_huge\n"
    told = json.loads(script(head, f"print(json.dumps(test_huge.outcomes({format!r})))", 300, OPENWORK_MEMORY_LIMIT="1G"))
    wrong = {n: o for n, o in told.items() if o not in ("right", "E0603", "E0605")}
    assert not wrong
    # Shapes that become larger have no more than 63 bits.
    refused = {n for n, o in told.items() if o != "right" and n.rpartition(" ")[0] not in REFUSED}
    larger = {f"{name} {n}" for name in ("vstack", "hstack", "repeat", "tile") for n in (2**62, 2**63 - 4)}
    assert refused <= larger


@pytest.mark.parametrize("fill", [0.0, 1.0, 2.5, np.inf])
@pytest.mark.parametrize("shape", [(2**28, 3), (2**21, 40), (3, 5, 2**27)])
def test_reductions_along_modes_of_many_rows(fill, shape):
    rng = np.random.default_rng(1)
    some = [rng.integers(0, n, 12) for n in shape]
    some[int(np.argmax(shape))] = rng.integers(0, 4, 12)
    small = tuple(min(n, 40) for n in shape)
    a, b = (ow.from_coo(some, rng.integers(-3, 4, 12) * 0.5, s, fill_value=fill) for s in (shape, small))
    b = ow.from_coo(a.to_coo()[0], a.to_coo()[1], small, fill_value=fill)
    gone = tuple(n for n, size in enumerate(shape) if size <= 40)
    for axis in (gone, gone[-1]):
        for name in ("max", "min", "prod", "all", "any", "var", "std"):
            for keepdims in (False, True):
                with np.errstate(all="ignore"):
                    want = getattr(b.todense(), name)(axis=axis, keepdims=keepdims)
                got = getattr(a, name)(axis, keepdims=keepdims)
                assert got.dtype == want.dtype and got.ndim == want.ndim
                assert got._tensor.dense == (got.size < 2**27)
                part = got[tuple(slice(0, n) for n in want.shape)].todense()
                np.testing.assert_allclose(part, want, rtol=1e-12, atol=1e-12, err_msg=f"{name} {axis}")


def test_parts_of_rows_that_store_nothing_have_no_position_for_each():
    n, rng = 2**40, np.random.default_rng(1)
    for format in ("dcsr", "dcsc", "coo", "dok"):
        h = ow.from_coo([rng.integers(0, n, 20000)] * 2, np.ones(20000), (n, n), format=format)
        assert h[: n // 2].nnz + h[n // 2 :].nnz == h[:, ::2].nnz + h[:, 1::2].nnz == h.nnz
        assert h[h > 0.5].shape == (h.nnz,) and np.vstack([h, h]).nnz == 2 * h.nnz
