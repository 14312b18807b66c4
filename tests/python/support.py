"""Running the openwork command, and what its results are compared with."""

import gzip
import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("OPENWORK_DATA") or ROOT.parent / "shared" / "data")
BIN = os.environ.get("OPENWORK_BIN") or str(ROOT / "target" / "release" / "openwork")
FULL = os.environ.get("OPENWORK_FULL") == "1"
BACKENDS = ["clif", "c", "interp"]
# A run that takes longer than this hangs.
LIMIT_S = 120

# SciPy takes the header's word for the values of these, but a GraphBLAS comment or a blank line changes how they are
# to be read; `plain` reads them.
NOT_FOR_SCIPY = {"matrix_fp64.mtx.gz", "west0067_jumbled.mtx.gz"}
# SciPy accepts these, but they contradict themselves: a Hermitian pattern, and negative values of an unsigned type.
CONTRADICTORY = {"mangled5.mtx.gz", "mangled_skew.mtx.gz"}


def files(*patterns):
    """The paths of data files below DATA that match, in a fixed order."""
    return sorted({p for pattern in patterns for p in DATA.glob(pattern)}, key=str)


def name(path):
    """A path as a test is called."""
    return str(path.relative_to(DATA))


def matrices():
    """Every valid matrix file."""
    return [p for p in files("*/*.mtx", "*/*.mtx.gz") if p.name in NOT_FOR_SCIPY or scipy_accepts(p)]


def scipy_accepts(path):
    """Whether the file is a matrix for SciPy, and no contradiction."""
    if path.name in CONTRADICTORY:
        return False
    # Only the small ones are ever malformed, so the others need not be read to be collected.
    if path.parent.name != "format_cases":
        return True
    return scipy_reads(path)


def scipy_reads(path):
    """Whether SciPy reads the file."""
    try:
        scipy.io.mmread(path)
        return True
    except Exception:
        return False


# Running

# Presets whose stored values are not their elements: slots are left over, or values shared.
PADDED = {"banded", "bcsc", "bcsr", "bitmap", "bytemap", "dia", "dok", "ell", "hash", "lil", "modegeneric", "ragged"}
PADDED |= {"rle", "sell", "sky"}

@dataclass
class Done:
    """A finished command."""

    argv: list
    status: int
    out: str
    err: str

    @property
    def report(self):
        """What the command printed with --json; fails when the command did."""
        assert self.status == 0, f"exit status {self.status}\n{self.err}"
        return json.loads(self.out)

    def __str__(self):
        return shlex.join(self.argv)


def openwork(*args, env=None):
    """Runs the command to its end, in the environment and what `env` adds to it."""
    argv = [BIN, *map(str, args)]
    env = {**os.environ, **(env or {})}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=env)
    return Done(argv, done.returncode, done.stdout, done.stderr)


def check_all(cases, check):
    """Runs `check(*case)` for all cases, two at a time, and fails with everything that failed."""

    def failure(case):
        try:
            check(*case)
        except Exception as e:  # an assertion among others; all are shown
            return f"{' '.join(map(str, case))}: {e}"
        return None

    with ThreadPoolExecutor(2) as pool:
        failed = [f for f in pool.map(failure, cases) if f]
    assert not failed, f"{len(failed)} of {len(cases)} failed\n" + "\n".join(failed)


def compute(statement, folder, tag, result, *args, backend="clif"):
    """Runs a statement, and gives its report and the coordinates and values of its result."""
    out = folder / f"{result}_{tag}.tns"
    done = openwork("run", statement, *args, "-o", f"{result}={out}", "--backend", backend, "--json")
    try:
        report = done.report
        line = report["results"][0]
        assert report["backend"] == backend
        coords, vals = read_tns(out, len(line["shape"]), line["dtype"])
        padded = line["format"].split("(")[0] in PADDED
        assert padded or len(vals) == line["nnz"], f"{len(vals)} entries in the file, {line['nnz']} reported"
    except AssertionError as e:
        raise AssertionError(f"{e}\n  {done}") from e
    out.unlink()
    return done, line, coords, vals


# Files


def text(path):
    """The text of a file, gzip'd or not."""
    raw = path.read_bytes()
    return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("latin-1")


def read_tns(path, rank, dtype="f64"):
    """Coordinates from 0, one row per mode, and values."""
    whole = dtype[0] in "iub"
    width = rank + (2 if dtype[0] == "c" else 1)
    lines = text(path)
    said = lines.partition("\n")[0] if lines.startswith("# openwork: ") else ""
    assert dtype == "f64" or f"values are {dtype}" in said, said
    table = np.fromstring(lines[len(said) :].lstrip("\n"), dtype=np.int64 if whole else np.float64, sep=" ")
    assert len(table) % width == 0, f"{path}: {len(table)} numbers in rows of {width}"
    table = table.reshape(-1, width)
    coords = table[:, :rank].astype(np.int64).T - 1
    vals = table[:, rank] if width == rank + 1 else table[:, rank] + 1j * table[:, rank + 1]
    return coords, vals


def write_tns(path, coords, vals):
    """Coordinates from 0 and real values."""
    columns = [*(c + 1 for c in coords)]
    lines = (" ".join(map(str, row)) for row in zip(*(c.tolist() for c in columns), map(repr, vals.tolist())))
    path.write_text("\n".join(lines) + "\n")


def write_array(path, a):
    """A dense vector or matrix as a MatrixMarket array, to the last digit."""
    a = np.asarray(a)
    kind = {"i": "integer", "f": "real", "c": "complex"}[a.dtype.kind]
    flat = a.ravel(order="F").tolist()
    lines = [f"{v.real!r} {v.imag!r}" if kind == "complex" else repr(v) for v in flat]
    rows, cols = a.shape if a.ndim == 2 else (len(a), 1)
    path.write_text("\n".join([f"%%MatrixMarket matrix array {kind} general", f"{rows} {cols}", *lines]) + "\n")
    return path


GRAPHBLAS = {
    "bool": np.bool_,
    "int8_t": np.int8,
    "int16_t": np.int16,
    "int32_t": np.int32,
    "int64_t": np.int64,
    "uint8_t": np.uint8,
    "uint16_t": np.uint16,
    "uint32_t": np.uint32,
    "uint64_t": np.uint64,
    "float": np.float32,
    "double": np.float64,
}


def reference(path):
    """The matrix as SciPy reads it, in the type that a GraphBLAS comment states, duplicates added up."""
    if path.name in NOT_FOR_SCIPY:
        a = plain(path)
    else:
        a = scipy.io.mmread(path, spmatrix=False)
    if isinstance(a, np.ndarray):
        # Every value of an array is an entry, zeros too.
        at = np.indices(a.shape).reshape(2, -1)
        a = sp.coo_array((a.ravel(), (at[0], at[1])), shape=a.shape)
    for line in text(path)[:4096].splitlines():
        if line.lower().startswith("%%graphblas type"):
            a = a.astype(GRAPHBLAS[line.split()[2]])
    a.sum_duplicates()
    order = np.lexsort((a.col, a.row))
    return sp.coo_array((a.data[order], (a.row[order], a.col[order])), shape=a.shape)


def plain(path):
    """A general coordinate matrix of real values, whatever lines are between them."""
    lines = [line.split() for line in text(path).splitlines() if line.strip() and line[0] != "%"]
    rows, cols, count = map(int, lines[0])
    assert len(lines) == count + 1
    i, j, v = zip(*lines[1:])
    at = (np.array(i, int) - 1, np.array(j, int) - 1)
    return sp.coo_array((np.array(v, float), at), shape=(rows, cols))


# Values


def values_for(dtype, shape, seed=1):
    """Operand values that suit a matrix: whole numbers for whole numbers, complex for complex."""
    rng = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.complexfloating):
        return rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(-1, 1, shape)
    return rng.integers(-9, 10, shape)


def dtype_name(dtype):
    """A NumPy dtype as openwork calls it."""
    dtype = np.dtype(dtype)
    return "bool" if dtype == np.bool_ else f"{dtype.kind}{dtype.itemsize * 8}"


def assert_close(got, want, bound):
    """|got - want| <= 1e-12 bound for every value; whole numbers, infinities and NaN must be the same.

    The bound is the same expression over absolute values, so that cancellation is no excuse and no offence.
    """
    got, want, bound = np.asarray(got), np.asarray(want), np.asarray(bound)
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    if want.dtype.kind in "iub":
        wrong = got != want
    else:
        finite = np.isfinite(want)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore"):
            close = np.abs(got - want) <= 1e-12 * bound
        wrong = ~np.where(finite, close | same, same)
    if wrong.any():
        at = tuple(int(c[0]) for c in np.nonzero(wrong))
        message = f"{wrong.sum()} of {wrong.size} values are wrong, first at {at}: {got[at]!r}, expected {want[at]!r}"
        raise AssertionError(message)
