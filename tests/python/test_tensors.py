"""Statements over every tensor file, in CSF and COO, against sums over the coordinates in NumPy.

Cranelift runs everything; C and the interpreter run tensors of at most 40,000 entries. SDDMM runs on every real matrix
of at most 500,000 entries and, in C and the interpreter, of at most 20,000. OPENWORK_FULL=1 lifts the limits of C and
the interpreter.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from support import BACKENDS, FULL, assert_close, check_all, compute, files, matrices, name, read_tns, reference
from support import text, write_array, write_tns

TENSORS = files("tensors/*.tns", "tensors/*.tns.gz")
FORMATS = ["csf", "coo"]
RANK = 8


@dataclass
class Sparse:
    """Coordinates, one row per mode, and values; no coordinates twice."""

    shape: tuple
    at: np.ndarray
    vals: np.ndarray

    @classmethod
    def of(cls, shape, at, vals):
        """Adds duplicates up and sorts."""
        size = np.prod([int(n) for n in shape], dtype=object)
        assert size < 2**63, "coordinates as one number do not fit"
        keys, which = np.unique(np.ravel_multi_index(at, shape) if at.size else [], return_inverse=True)
        sums = np.zeros(len(keys), vals.dtype)
        np.add.at(sums, which, vals)
        return cls(tuple(shape), np.array(np.unravel_index(keys.astype(np.int64), shape)), sums)

    @classmethod
    def read(cls, path):
        rank = len(next(line for line in text(path).splitlines() if line and line[0] != "#").split()) - 1
        at, vals = read_tns(path, rank)
        return cls.of(at.max(axis=1) + 1, at, vals)

    def __abs__(self):
        return Sparse(self.shape, self.at, abs(self.vals))

    def plus(self, other):
        """Both, each grown to the other's shape."""
        shape = np.maximum(self.shape, other.shape)
        return Sparse.of(shape, np.hstack([self.at, other.at]), np.hstack([self.vals, other.vals]))

    def times(self, other):
        """The values where both have one."""
        shape = np.maximum(self.shape, other.shape)
        mine, theirs = (np.ravel_multi_index(t.at, shape) for t in (self, other))
        keys, m, t = np.intersect1d(mine, theirs, return_indices=True)
        return Sparse(tuple(shape), np.array(np.unravel_index(keys, shape)), self.vals[m] * other.vals[t])

    def moved(self):
        """Other entries of the same shape, some of them at the same coordinates."""
        shape = np.array(self.shape)[:, None]
        step = (np.arange(self.at.shape[1]) % 3 == 0) * np.arange(1, len(self.shape) + 1)[:, None]
        vals = np.random.default_rng(5).uniform(-1, 1, len(self.vals))
        return Sparse.of(self.shape, (self.at + step) % shape, vals)


def ttv(x, v):
    """Sums the last mode against a vector."""
    return Sparse.of(x.shape[:-1], x.at[:-1], x.vals * v[x.at[-1]])


def ttm(x, u):
    """Replaces the last mode of three by the columns of a matrix; the first two are coordinates."""
    i, j, k = x.at
    out = np.zeros((x.shape[0] * x.shape[1], u.shape[1]))
    np.add.at(out, i * x.shape[1] + j, x.vals[:, None] * u[k])
    rows = np.unique(i * x.shape[1] + j)
    r = np.arange(u.shape[1])
    at = [np.repeat(rows // x.shape[1], len(r)), np.repeat(rows % x.shape[1], len(r)), np.tile(r, len(rows))]
    return Sparse((*x.shape[:2], u.shape[1]), np.array(at), out[rows].ravel())


def mttkrp(x, b, c):
    """The matricised tensor times the Khatri-Rao product of two matrices."""
    i, j, k = x.at
    out = np.zeros((x.shape[0], b.shape[1]))
    np.add.at(out, i, x.vals[:, None] * b[j] * c[k])
    at = np.indices(out.shape).reshape(2, -1)
    return Sparse(out.shape, at, out.ravel())


def assert_same(got, want, bound):
    """Same values; what only one of them stores is zero in it, but nothing is stored twice."""
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    keys = [np.ravel_multi_index(t.at, want.shape) if t.at.size else np.array([], int) for t in (got, want, bound)]
    assert len(np.unique(keys[0])) == len(keys[0]), "an entry is there twice"
    every = np.unique(np.hstack(keys))

    def spread(t, keys):
        out = np.zeros(len(every), t.vals.dtype)
        out[np.searchsorted(every, keys)] = t.vals
        return out

    assert_close(*(spread(t, k) for t, k in zip((got, want, bound), keys)))


def some(shape, seed):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def check(statement, folder, tag, inputs, want, bound, backend):
    """Runs a statement and compares its result with what NumPy says."""
    result = statement.split("(")[0]
    done, line, at, vals = compute(statement, folder, tag, result, *inputs, backend=backend)
    try:
        assert_same(Sparse(tuple(line["shape"]), at, vals), want, bound)
    except AssertionError as e:
        raise AssertionError(f"{e}\n  {done}") from e


def backends(entries, small):
    return [b for b in BACKENDS if b == "clif" or FULL or entries <= small]


def stated(x):
    """Sizes of the modes in full: generated or moved operands may have other largest coordinates."""
    return [flag for i, n in zip("ijklm", x.shape) for flag in ("-d", f"{i}={n}")]


@pytest.fixture(scope="module", params=TENSORS, ids=map(name, TENSORS))
def x(request, tmp_path_factory):
    """A tensor, its file and a folder with other operands."""
    path = request.param
    x = Sparse.read(path)
    folder = tmp_path_factory.mktemp(path.name.split(".")[0])
    for other, t in {"V": x.moved(), "W": x.moved().moved()}.items():
        write_tns(folder / f"{other}.tns", t.at, t.vals)
    write_array(folder / "v.mtx", some(x.shape[-1], 1))
    for n, size in enumerate(x.shape):
        write_array(folder / f"m{n}.mtx", some((size, RANK), 10 + n))
    return x, path, folder


class TestTensor:
    """Statements over one tensor `X`."""

    def every(self, x, path, folder, statement, want, bound, inputs=(), results=(None,)):
        """A statement in all formats of its tensor and of its result."""

        def one(format, result, backend):
            flags = ["-i", f"X={path}", "-f", f"X={format}", *stated(x), *inputs]
            flags += ["-f", f"{statement.split('(')[0]}={result}"] if result else []
            check(statement, folder, f"{format}_{result}_{backend}", flags, want, bound, backend)

        cases = [(f, r, b) for f in FORMATS for r in results for b in backends(len(x.vals), 40_000)]
        check_all(cases, one)

    def test_ttv(self, x):
        x, path, folder = x
        letters = "ijklm"[: len(x.shape)]
        statement = f"Y({','.join(letters[:-1])}) = X({','.join(letters)}) * v({letters[-1]})"
        v = some(x.shape[-1], 1)
        # Sparse results; dense ones too where they are small.
        sparse = "csr" if len(x.shape) == 3 else "csf"
        results = [sparse, "coo"] + (["dense"] if np.prod(x.shape[:-1]) <= 1_000_000 else [])
        inputs = ["-i", f"v={folder}/v.mtx"]
        self.every(x, path, folder, statement, ttv(x, v), ttv(abs(x), abs(v)), inputs, results)

    def test_add(self, x):
        x, path, folder = x
        at = ",".join("ijklm"[: len(x.shape)])
        v, w = Sparse.read(folder / "V.tns"), Sparse.read(folder / "W.tns")
        inputs = [f for t in ("V", "W") for f in ("-i", f"{t}={folder}/{t}.tns")] + ["-f", "W=coo"]
        want, bound = x.plus(v).plus(w), abs(x).plus(abs(v)).plus(abs(w))
        self.every(x, path, folder, f"Y({at}) = X({at}) + V({at}) + W({at})", want, bound, inputs)

    def test_square(self, x):
        x, path, folder = x
        at = ",".join("ijklm"[: len(x.shape)])
        self.every(x, path, folder, f"Y({at}) = X({at}) * X({at})", x.times(x), x.times(x))

    def test_multiply(self, x):
        x, path, folder = x
        at = ",".join("ijklm"[: len(x.shape)])
        v = Sparse.read(folder / "V.tns")
        want = x.times(v)
        inputs = ["-i", f"V={folder}/V.tns"]
        self.every(x, path, folder, f"Y({at}) = X({at}) * V({at})", want, abs(want), inputs)

    def test_mttkrp(self, x):
        x, path, folder = x
        if len(x.shape) != 3:
            pytest.skip("MTTKRP is written for three modes")
        b, c = (some((x.shape[n], RANK), 10 + n) for n in (1, 2))
        inputs = ["-i", f"B={folder}/m1.mtx", "-i", f"C={folder}/m2.mtx"]
        want, bound = mttkrp(x, b, c), mttkrp(abs(x), abs(b), abs(c))
        self.every(x, path, folder, "A(i,r) = X(i,j,k) * B(j,r) * C(k,r)", want, bound, inputs)

    def test_ttm(self, x):
        x, path, folder = x
        if len(x.shape) != 3:
            pytest.skip("TTM is written for three modes")
        u = some((x.shape[2], RANK), 12)
        results = ["ssd"] + (["dense"] if np.prod(x.shape[:2]) <= 100_000 else [])
        inputs = ["-i", f"U={folder}/m2.mtx"]
        want, bound = ttm(x, u), ttm(abs(x), abs(u))
        self.every(x, path, folder, "Y(i,j,r) = X(i,j,k) * U(k,r)", want, bound, inputs, results)


MATRICES = matrices()


@pytest.mark.parametrize("path", MATRICES, ids=map(name, MATRICES))
def test_sddmm(path, tmp_path):
    """A dense product at the entries of a real matrix: `Y(i,j) = S(i,j) * B(i,k) * C(k,j)`."""
    s = reference(path)
    if s.dtype.kind != "f" or s.nnz > 500_000:
        pytest.skip("not real" if s.dtype.kind != "f" else "too many entries")
    b, c = some((s.shape[0], RANK), 1), some((RANK, s.shape[1]), 2)
    write_array(tmp_path / "B.mtx", b)
    write_array(tmp_path / "C.mtx", c)
    with np.errstate(invalid="ignore"):
        # Entry by entry as written, the value of `S` within the sum: infinity times that sum is not the same.
        terms = s.data[:, None] * b[s.row] * c.T[s.col]
        want = Sparse(s.shape, np.array([s.row, s.col]), terms.sum(axis=1))
        bound = Sparse(s.shape, want.at, abs(terms).sum(axis=1))

    def one(format, backend):
        flags = ["-i", f"S={path}", "-f", f"S={format}", "-i", f"B={tmp_path}/B.mtx", "-i", f"C={tmp_path}/C.mtx"]
        check("Y(i,j) = S(i,j) * B(i,k) * C(k,j)", tmp_path, f"{format}_{backend}", flags, want, bound, backend)

    check_all([(f, b) for f in ["csr", "coo", "dcsr"] for b in backends(s.nnz, 20_000)], one)
