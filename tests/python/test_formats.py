"""Tensors in padded, blocked, hashed, bitmapped and listed formats against SciPy and NumPy: products with a vector,
conversions, statements whose operands are stored differently, and tensors of three modes.

Limits, so that the default takes a minute: a sample of the matrices, of the tensors and of the pairs of formats; C for
the three matrices of `IN_C` and one tensor; the interpreter for at most 2,000 entries in at most 100,000 slots.
OPENWORK_FULL=1 takes every matrix, tensor and pair, C for the sample and the interpreter for at most 4,000,000 slots.
A matrix that would take more than 4,000,000 slots and more than 50 for an entry (in formats with a slot for every
coordinate: more than 4,000,000) is not stored: there the test is that it is refused with E0605 under a limit below its
size. Runs are for matrices of at most 400,000,000 coordinates, because products visit them all.
"""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from support import BACKENDS, DATA, FULL, assert_close, check_all, compute, dtype_name, matrices, name, openwork
from support import read_tns, reference, values_for, write_array, write_tns
from test_tensors import TENSORS, Sparse, assert_same, check, mttkrp, some, stated, ttv

MANY_SLOTS = 4_000_000

# What a format has slots for; those of the others grow with the entries alone.
COMPLETE = ["bitmap", "bytemap", "ragged", "sky"]
PADDED = ["dia", "banded", "ell", "hash", "sell(8)", "bcsr(2,2)", "bcsr(3,3)", "bcsc(2,2)"]
LISTED = ["csb(64)", "hicoo(16)", "jad", "lil", "dok", "rle", "coo_aos", "dcsc"]
FORMATS = PADDED + COMPLETE + LISTED
# An array before that of the values may be the one that is too large.
PARTS = ["bitmap", "bytemap", "ell", "hash", "sell(8)"]
# In these a stored zero is an entry like any other; the others cannot tell it from padding, or from a run of zeros.
KEEPS_ZEROS = ["bitmap", "bytemap", "coo", "coo_aos", "csb(64)", "csc", "csr", "dcsr", "dok", "ell", "hash"]
KEEPS_ZEROS += ["hicoo(16)", "jad", "lil", "sell(8)", "(i,j) -> (i,j) : compressed, hashed"]

# Small and medium ones of every kind: empty rows, no entries, no columns, rectangular, symmetric, skew, Hermitian,
# pattern, integer, Boolean, complex, infinite values, stored zeros, one diagonal, a few, blocks, long rows.
SAMPLE = {
    "format_cases": "LFAT5 LFAT5_hypersparse cholmod_3by0 cholmod_cha comments_west0067 complex empty full karate "
    "matrix_bool matrix_fp64 matrix_int64 skew_fp32 skew_int32 structure west0067_jumbled",
    "matrices": "Chem97ZtZ add32 arc130 ash219 bcsstk04 bcsstm21 bibd_9_5 bwm2000 dwg961b gr_30_30 illc1033 lp_afiro "
    "lp_ship04l lp_wood1p memplus mhd1280b n3c4-b4 olm1000 plskz362 rajat11 tols2000 west0479 young1c",
    "graphs": "p2p-Gnutella08",
    "gnn": "cora_adj",
}
IN_C = ["cholmod_cha", "lp_afiro", "rajat11"]
ALL = matrices()


def stem(path):
    return path.name.split(".")[0]


SAMPLED = [p for p in ALL if stem(p) in SAMPLE.get(p.parent.name, "").split()]
MATRICES = ALL if FULL else SAMPLED


def test_data_is_there():
    """The other tests have no cases at all without data; this one says so."""
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not there")
    wanted = [f"{folder}/{m}" for folder, names in SAMPLE.items() for m in names.split()]
    assert sorted(f"{p.parent.name}/{stem(p)}" for p in SAMPLED) == sorted(wanted)


def spread(at, n):
    """The first and the last coordinate of each of `n` groups; -1 and -2 where there is none."""
    group, coord = at
    first, last = np.full(n, np.iinfo(np.int64).max), np.full(n, -2, np.int64)
    np.minimum.at(first, group, coord)
    np.maximum.at(last, group, coord)
    first[last == -2] = -1
    return first, last


def slots(format, a):
    """How many values a format has room for."""
    rows, cols = (int(n) for n in a.shape)
    if "->" in format:
        format = "dia" if "squeezed" in format else "hash"
    across = a.col.astype(np.int64) - a.row
    longest = int(np.bincount(a.row, minlength=1).max())
    preset, _, sizes = format.rstrip(")").partition("(")
    sizes = [int(n) for n in sizes.split(",") if n]
    if a.nnz == 0:
        return rows * cols if preset in ("bitmap", "bytemap") else 0
    match preset:
        case "bitmap" | "bytemap":
            return rows * cols
        case "ragged":
            return int((spread((a.row, a.col), rows)[1] + 1).clip(0).sum())
        case "sky":
            first, last = spread((a.row, a.col), rows)
            return int((last - first + 1).clip(0).sum())
        case "dia":
            return len(np.unique(across)) * rows
        case "banded":
            return rows * int(across.max() - across.min() + 1)
        case "ell":
            return rows * longest
        case "hash":
            return rows * 2 ** int(np.ceil(np.log2(2 * longest)))
        case "sell":
            lengths = np.bincount(a.row, minlength=-(-rows // sizes[0]) * sizes[0]).reshape(-1, sizes[0])
            return int(lengths.max(axis=1).sum()) * sizes[0]
        case "bcsr" | "bcsc":
            blocks = np.unique((a.row // sizes[0]).astype(np.int64) * cols + a.col // sizes[1])
            return len(blocks) * sizes[0] * sizes[1]
    return a.nnz


def least(format, a):
    """The bytes of the values in a format, and of the coordinates of every slot."""
    return slots(format, a) * (a.dtype.itemsize + (4 if format in ("hash", "ell", "sell(8)") else 0))


def fits(format, a):
    """Whether a matrix is to be stored in the format here."""
    return slots(format, a) <= (MANY_SLOTS if format in COMPLETE else max(MANY_SLOTS, 50 * a.nnz))


def backends(path, format, a):
    """What runs a matrix in a format."""
    # Every coordinate of a run is visited, so `rle` is for small matrices only.
    every = int(np.prod(a.shape))
    if format == "rle" and every > 4e8:
        return []
    size = every if format == "rle" else slots(format, a)
    few = size <= MANY_SLOTS if FULL else size <= 100_000 and a.nnz <= 2_000
    in_c = path in SAMPLED if FULL else stem(path) in IN_C
    return [b for b in BACKENDS if b == "clif" or (few and (b == "interp" or in_c))]


def refused(done, size, limit, whole=True):
    """The command was refused for the memory it would take: `size` bytes, or those of an array that is part of that."""
    assert done.status == 1 and "error[E0605]" in done.err, f"status {done.status}\n{done.err}\n  {done}"
    amount = r"([\d.]+) (bytes|KiB|MiB|GiB)"
    found = re.search(f"would take {amount}, more than the memory limit of {amount}", done.err)
    assert found, f"no size\n{done.err}\n  {done}"
    unit = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    said, bound = (float(found[n]) * unit[found[n + 1]] for n in (1, 3))
    # Whole units from ten on, else one decimal; what else the format stores is part of it.
    digit = unit[found[2]] / (2 if said >= 10 * unit[found[2]] else 20)
    assert (size if whole else limit) - digit <= said <= 1.3 * size + digit, f"{size} bytes\n{done.err}\n  {done}"
    assert bound == pytest.approx(limit, abs=max(digit, 0.05 * limit)), f"limit {limit}\n{done.err}\n  {done}"


# Products with a vector


@pytest.mark.parametrize("path", MATRICES, ids=map(name, MATRICES))
def test_spmv(path, tmp_path):
    """`y(i) = A(i,j) * x(j)`, in every format by every backend; what is too large for it is refused."""
    a = reference(path)
    x = values_for(a.dtype, a.shape[1])
    write_array(tmp_path / "x.mtx", x)
    wide = a.astype(np.result_type(a.dtype, x.dtype))
    csr = sp.csr_array(wide)
    with np.errstate(invalid="ignore"):
        want, bound = csr @ x, abs(csr) @ abs(x)

    def one(format, backend):
        inputs = ["-f", f"A={format}", "-i", f"A={path}", "-i", f"x={tmp_path}/x.mtx"]
        if backend == "refused":
            size = least(format, a)
            # At most 4 GiB, so that no part of it is beyond the machine.
            limit = min(size // 2, 4 << 30)
            env = {"OPENWORK_MEMORY_LIMIT": str(limit)}
            done = openwork("run", "y(i) = A(i,j) * x(j)", *inputs, env=env)
            return refused(done, size, limit, whole=format not in PARTS)
        tag = f"{format}_{backend}"
        done, line, [rows], vals = compute("y(i) = A(i,j) * x(j)", tmp_path, tag, "y", *inputs, backend=backend)
        try:
            assert line["dtype"] == dtype_name(wide.dtype)
            assert line["shape"] == [a.shape[0]]
            y = np.zeros(a.shape[0], wide.dtype)
            y[rows] = vals
            assert len(set(rows.tolist())) == len(rows), "a row is there twice"
            assert_close(y, want, bound)
        except AssertionError as e:
            raise AssertionError(f"{e}\n  {done}") from e

    check_all([(f, b) for f in FORMATS for b in (backends(path, f, a) if fits(f, a) else ["refused"])], one)


# Conversions

CONVERTED = [p for p in MATRICES if FULL or stem(p) not in ("memplus", "lp_wood1p")]
TARGETS = ["csr", "csc", "coo", "dcsr", "dense", *FORMATS]
TARGETS += ["(i,j) -> (j-i,i,j) : squeezed, range, offset", "(i,j) -> (i,j) : compressed, hashed"]


def entries(rows, cols, vals, zeros):
    """Sorted entries, with or without those of value zero."""
    keep = np.ones(len(vals), bool) if zeros else vals != 0
    order = np.lexsort((cols[keep], rows[keep]))
    return rows[keep][order], cols[keep][order], vals[keep][order]


@pytest.mark.parametrize("path", CONVERTED, ids=map(name, CONVERTED))
def test_convert(path, tmp_path):
    """`convert --to` keeps every entry: what SciPy reads from the .mtx and NumPy from the .tns is the source."""
    a = reference(path)

    def one(number, format, suffix):
        out = tmp_path / f"{number}{suffix}"
        done = openwork("convert", path, out, "--to", format, "--json")
        try:
            report = done.report
            assert (report["shape"], report["dtype"]) == (list(a.shape), dtype_name(a.dtype))
            if suffix == ".mtx":
                b = reference(out)
                assert (b.shape, b.dtype) == (a.shape, a.dtype)
                got = b.row, b.col, b.data
            else:
                (rows, cols), vals = read_tns(out, 2, report["dtype"])
                got = rows, cols, vals.astype(a.dtype)
            zeros = format in KEEPS_ZEROS
            want = entries(a.row, a.col, a.data, zeros)
            # Files of dense matrices list every value; all others only elements. `test_dcsc` is about its zeros.
            exact = format not in ("dense", "dcsc")
            assert report["elements"] == len(want[0]) or not exact
            for g, w in zip(entries(*got, exact), want):
                np.testing.assert_array_equal(g, w)
        except AssertionError as e:
            raise AssertionError(f"{e}\n  {done}") from e
        out.unlink()

    def stored(format):
        # `dcsc` takes as much while it is made: see `test_dcsc`.
        format = "bitmap" if format in ("dense", "dcsc") else format
        return fits(format, a) and (FULL or slots(format, a) <= max(250_000, 10 * a.nnz))

    # By default one kind of file for a format.
    kinds = [(n, f, s) for n, f in enumerate(TARGETS) if stored(f) for s in (".mtx", ".tns")]
    every = [(n, f, s) for n, f, s in kinds if FULL or n % 2 == (s == ".tns")]
    check_all(every, one)


@pytest.mark.parametrize("path", [p for p in ALL if stem(p) in ("rajat11", "memplus")], ids=name)
def test_dcsc(path, tmp_path):
    """DCSC keeps stored zeros as DCSR and CSC do, in memory that grows with the entries."""
    a = reference(path)
    env = {"OPENWORK_MEMORY_LIMIT": str(100 * (a.nnz + sum(a.shape)))}
    done = openwork("convert", path, tmp_path / "o.tns", "--to", "dcsc", "--json", env=env)
    assert done.report["elements"] == a.nnz


LIMIT = 64 << 20
SCATTERED = [p for p in ALL if p.parent.name != "format_cases" and (FULL or stem(p) in ("memplus", "pubmed_adj"))]


@pytest.mark.parametrize("path", SCATTERED, ids=map(name, SCATTERED))
def test_convert_refuses_what_is_too_large(path, tmp_path):
    """A format that does not suit a matrix is refused with its size, and leaves no file, or the one that was there."""
    a = reference(path)
    formats = [f for f in [*PADDED, *COMPLETE] if least(f, a) > 4 * LIMIT]
    if not formats or 24 * a.nnz > LIMIT:
        pytest.skip("it fits")
    for n, format in enumerate(formats):
        size = least(format, a)
        there = tmp_path / "there.tns"
        there.write_text("1 1 1\n")
        for out in (tmp_path / f"{n}.mtx", tmp_path / f"{n}.tns.gz", there):
            done = openwork("convert", path, out, "--to", format, env={"OPENWORK_MEMORY_LIMIT": "64M"})
            refused(done, size, LIMIT, whole=format not in PARTS)
            assert done.out == "" and [p.name for p in tmp_path.iterdir()] == [there.name], str(done)
            assert there.read_text() == "1 1 1\n"
        done = openwork("convert", path, out, "--to", format, "--json", env={"OPENWORK_MEMORY_LIMIT": "64M"})
        assert done.status == 1 and "E0605" in json.dumps(json.loads(done.err)), f"{done.err}\n  {done}"


# Statements over operands in different formats

# Real matrices of the same shape; the types of some differ.
PAIRS = [
    ("sherman1", "saylr3"),
    ("olm1000", "tub1000"),
    ("illc1033", "well1033"),
    ("pde900", "gr_30_30"),
    ("matrix_int64", "matrix_fp64"),
    ("matrix_bool", "comments_cover"),
    ("west0067", "comments_west0067"),
    ("cholmod_cha", "full"),
    ("full", "complex"),
    ("rajat11", "rajat11"),
]
LEFT = ["dia", "bcsr(2,2)", "bcsr(3,3)", "ell", "sell(8)", "hash", "dok", "bitmap", "sky", "jad", "hicoo(16)", "rle"]
RIGHT = ["csr", "coo", "csc", "dcsr", "bcsr(2,2)", "dia", "lil"]
STATEMENTS = {
    "A(i,j) + B(i,j)": lambda a, b: a + b,
    "A(i,j) * B(i,j)": lambda a, b: a * b,
    "A(i,j) - 2 * B(i,j)": lambda a, b: a - 2 * b,
    "A(i,j) + B(j,i)": lambda a, b: a + b.T,
    "A(i,k) * B(k,j)": lambda a, b: a @ b,
}


def of(matrix):
    """SciPy's entries."""
    m = sp.coo_array(matrix)
    return Sparse.of(m.shape, np.array([m.row, m.col], np.int64), m.data)


def located(wanted):
    return next(p for p in ALL if stem(p) == wanted)


@pytest.mark.parametrize("pair", PAIRS if ALL else [], ids="-".join)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_mixed(pair, statement, tmp_path):
    """Two matrices, stored differently."""
    paths = [located(s) for s in pair]
    a, b = (reference(p) for p in paths)
    # Whole numbers are summed in any width: those of the files are small.
    dtype = np.result_type(a.dtype, b.dtype)
    a, b = (sp.csr_array(m.astype(np.int64 if dtype.kind in "iub" else dtype)) for m in (a, b))
    if a.shape != (b.shape[::-1] if "B(j,i)" in statement or "k" in statement else b.shape):
        pytest.skip("shapes do not suit the statement")
    if statement != "A(i,j) + B(i,j)" and not (np.isfinite(a.data).all() and np.isfinite(b.data).all()):
        pytest.skip("SciPy multiplies infinities with what is not stored")
    apply = STATEMENTS[statement]
    bound = abs(a) + 2 * abs(b) if "-" in statement else apply(abs(a), abs(b))
    want, bound = of(apply(a, b)), of(bound)

    def one(left, right, result, backend):
        flags = ["-f", f"A={left}", "-i", f"A={paths[0]}", "-f", f"B={right}", "-i", f"B={paths[1]}"]
        flags += ["-f", f"C={result}"] if result else []
        tag = f"{left}_{right}_{result}_{backend}"
        check(f"C(i,j) = {statement}", tmp_path, tag, flags, want, bound, backend)

    # The results of these would be dense, millions of lines.
    plain = "csr" if "k" in statement or "B(j,i)" in statement else None
    # By default one right format for each left one, others for every statement and pair; and as many results.
    start = list(STATEMENTS).index(statement) + PAIRS.index(pair)
    cases = []
    for n, left in enumerate(LEFT):
        rights = RIGHT if FULL else [RIGHT[(n + start) % len(RIGHT)]]
        results = ["csr" if left == "rle" else plain]
        if FULL or (n + start) % 3 == 0:
            results.append(LEFT[(n * 5 + start) % len(LEFT)])
        for right in rights:
            found = BACKENDS if FULL and right == "csr" else ["clif"]
            cases += [(left, right, result, b) for result in results for b in found]
    check_all(cases, one)


COPIED = [p for p in SAMPLED if FULL or stem(p) in ("rajat11", "lp_afiro")]


@pytest.mark.parametrize("path", COPIED, ids=map(name, COPIED))
def test_copy(path, tmp_path):
    """`B(i,j) = A(i,j)` from every format into every other."""
    a = reference(path)
    want = of(a)

    def one(source, target):
        flags = ["-f", f"A={source}", "-i", f"A={path}", "-f", f"B={target}"]
        check("B(i,j) = A(i,j)", tmp_path, f"{source}_{target}", flags, want, want, "clif")

    every = [f for f in ["csr", "csc", *FORMATS] if fits(f, a)]
    pairs = [(s, t) for s in every for t in every]
    # By default every other pair, the others of another matrix.
    check_all(pairs if FULL else pairs[COPIED.index(path) % 2 :: 2], one)


# Tensors of three modes

THREE = ["csf", "csr", "modegeneric", "hicoo(16)", "coo_aos", "hash", "dok", "bitmap", "lil"]


def slots_three(format, x):
    """About how many values a format has room for."""
    fibres = int(np.prod(x.shape[:2]))
    match format:
        case "bitmap":
            return fibres * x.shape[2]
        case "hash":
            return fibres * 2 ** int(np.ceil(np.log2(2 * np.bincount(x.at[0] * x.shape[1] + x.at[1]).max())))
        case "lil":
            return fibres + len(x.vals)
        case "modegeneric":
            return len(np.unique(x.at[0] * x.shape[1] + x.at[1])) * x.shape[2]
    return len(x.vals)


def fits_three(format, x):
    """Whether a tensor is to be stored in the format here."""
    return slots_three(format, x) <= (max(MANY_SLOTS, 50 * len(x.vals)) if format == "modegeneric" else MANY_SLOTS)


@pytest.fixture(scope="module", params=TENSORS, ids=map(name, TENSORS))
def x(request, tmp_path_factory):
    """A tensor of three modes, its file and a folder with other operands."""
    t = Sparse.read(request.param)
    if len(t.shape) != 3:
        pytest.skip("not three modes")
    if len(t.vals) > 100_000 and not FULL:
        pytest.skip("large; OPENWORK_FULL=1 runs it")
    folder = tmp_path_factory.mktemp(stem(request.param))
    write_array(folder / "v.mtx", some(t.shape[-1], 1))
    for n, size in enumerate(t.shape):
        write_array(folder / f"m{n}.mtx", some((size, 8), 10 + n))
    return t, request.param, folder


class TestThree:
    """Statements over one tensor `X`."""

    def every(self, x, path, folder, statement, want, bound, inputs=(), in_c=True):
        """A statement in every format of its tensor."""

        def one(format, backend):
            flags = ["-i", f"X={path}", "-f", f"X={format}", *stated(x), *inputs]
            check(statement, folder, f"{format}_{backend}", flags, want, bound, backend)

        def suits(format, backend):
            if backend == "c" and not FULL:
                return in_c and len(x.vals) < 10
            few = slots_three(format, x) <= (400_000 if FULL else 20_000)
            return backend == "clif" or few

        stored = [f for f in THREE if fits_three(f, x)]
        check_all([(f, b) for f in stored for b in BACKENDS if suits(f, b)], one)

    def test_ttv(self, x):
        x, path, folder = x
        v = some(x.shape[-1], 1)
        want, bound = ttv(x, v), ttv(abs(x), abs(v))
        self.every(x, path, folder, "Y(i,j) = X(i,j,k) * v(k)", want, bound, ["-i", f"v={folder}/v.mtx", "-f", "Y=csr"])

    def test_mttkrp(self, x):
        x, path, folder = x
        b, c = (some((x.shape[n], 8), 10 + n) for n in (1, 2))
        inputs = ["-i", f"B={folder}/m1.mtx", "-i", f"C={folder}/m2.mtx"]
        want, bound = mttkrp(x, b, c), mttkrp(abs(x), abs(b), abs(c))
        self.every(x, path, folder, "A(i,r) = X(i,j,k) * B(j,r) * C(k,r)", want, bound, inputs)

    def test_add(self, x):
        """With a tensor that is stored in another format."""
        x, path, folder = x
        v = x.moved()
        write_tns(folder / "V.tns", v.at, v.vals)
        want, bound = x.plus(v), abs(x).plus(abs(v))
        for other in ("csf", "coo"):
            inputs = ["-i", f"V={folder}/V.tns", "-f", f"V={other}"]
            self.every(x, path, folder, "Y(i,j,k) = X(i,j,k) + V(i,j,k)", want, bound, inputs, in_c=False)

    def test_convert(self, x):
        """`convert --to` keeps every entry."""
        x, path, folder = x

        def one(format):
            out = folder / f"converted_{format}.tns"
            done = openwork("convert", path, out, "--to", format, "--json")
            try:
                at, vals = read_tns(out, 3, done.report["dtype"])
                assert at.shape[1] == done.report["elements"]
                zeros = format in KEEPS_ZEROS or format == "csf"
                keep = np.ones(len(x.vals), bool) if zeros else x.vals != 0
                want = Sparse(x.shape, x.at[:, keep], x.vals[keep])
                assert at.shape[1] == len(want.vals)
                assert_same(Sparse(x.shape, at, vals), want, Sparse(x.shape, want.at, np.zeros(len(want.vals))))
            except AssertionError as e:
                raise AssertionError(f"{e}\n  {done}") from e
            out.unlink()

        check_all([(f,) for f in ["coo", *THREE] if fits_three(f, x)], one)
