"""`y(i) = A(i,j) * x(j)` for every matrix file there is, in every format, by every backend, against SciPy.

Limits, so that everything takes minutes: `dense` for matrices of at most 4,000,000 values (1,000,000 in the
interpreter), the interpreter for at most 200,000 entries. OPENWORK_FULL=1 lifts those of the interpreter.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from support import BACKENDS, FULL, assert_close, check_all, compute, dtype_name, matrices, name, reference
from support import values_for, write_array

FORMATS = ["csr", "csc", "coo", "dcsr", "dense"]
MATRICES = matrices()


def cases(number, a):
    """Formats and backends for the matrix of a number."""
    size = a.shape[0] * a.shape[1]
    for format in FORMATS:
        for backend in BACKENDS:
            interp = backend == "interp" and not FULL
            if format == "dense" and size > (1_000_000 if interp else 4_000_000):
                continue
            if interp and a.nnz > 200_000:
                continue
            yield format, backend


@pytest.mark.parametrize("path", MATRICES, ids=map(name, MATRICES))
def test_spmv(path, tmp_path):
    a = reference(path)
    x = values_for(a.dtype, a.shape[1])
    write_array(tmp_path / "x.mtx", x)
    wide = a.astype(np.result_type(a.dtype, x.dtype))
    csr = sp.csr_array(wide)
    with np.errstate(invalid="ignore"):
        want, bound = csr @ x, abs(csr) @ abs(x)

    def check(format, backend):
        inputs = ["-f", f"A={format}", "-i", f"A={path}", "-i", f"x={tmp_path}/x.mtx"]
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

    check_all(list(cases(MATRICES.index(path), a)), check)
