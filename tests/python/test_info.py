"""`openwork info --json` for every matrix file, against SciPy."""

import numpy as np
import pytest
import scipy.io
from support import NOT_FOR_SCIPY, dtype_name, matrices, name, openwork, reference

MATRICES = matrices()


def transposed(a):
    """The transposed entries in the same order, by row and then by column."""
    order = np.lexsort((a.row, a.col))
    return a.col[order], a.row[order], a.data[order]


def symmetry(a):
    """What entries and their mirror images have in common."""
    rows, cols, vals = transposed(a)
    row, col = a.row.astype(np.int64), a.col.astype(np.int64)
    mirrored = np.isin(col * a.shape[1] + row, row * a.shape[1] + col).mean() if a.nnz else 1.0
    pattern = bool(np.array_equal(rows, a.row) and np.array_equal(cols, a.col))
    out = {"pattern": pattern, "value": False, "skew": False, "hermitian": False, "mirrored": mirrored}
    if pattern:
        out["value"] = bool(np.array_equal(a.data, vals, equal_nan=a.dtype.kind in "fc"))
        # Values of fewer than 64 bits would wrap when negated.
        out["skew"] = bool(np.all(a.data == -vals.astype(np.result_type(a.dtype, np.int64))))
        out["hermitian"] = a.dtype.kind == "c" and bool(np.all(a.data == vals.conj()))
    return out


@pytest.mark.parametrize("path", MATRICES, ids=map(name, MATRICES))
def test_info(path):
    info, a = openwork("info", path, "--json").report, reference(path)
    assert info["shape"] == list(a.shape)
    assert info["nnz"] == a.nnz
    assert info["dtype"] == dtype_name(a.dtype)
    assert info["density"] == pytest.approx(a.nnz / max(1, a.shape[0] * a.shape[1]), rel=1e-15)
    if path.name not in NOT_FOR_SCIPY:
        *_, listed, _, field, declared = scipy.io.mminfo(path)
        assert (info["declared_symmetry"], info["field"]) == (declared, field)
    values = info["values"]
    assert values["explicit_zeros"] == np.sum(a.data == 0)
    assert values["nans"] == np.sum(np.isnan(a.data))
    if a.dtype == np.float64 and a.nnz:
        # JSON has no infinities.
        expected = [v if np.isfinite(v) else None for v in (np.nanmin(a.data), np.nanmax(a.data))]
        assert [values["min"], values["max"]] == expected
    check_structure(info["matrix"], a)


def check_structure(found, a):
    """The part of the report that is about where entries are."""
    per_row, per_col = (np.bincount(c, minlength=n) for c, n in zip((a.row, a.col), a.shape))
    assert found["empty_rows"] == np.sum(per_row == 0)
    assert found["empty_columns"] == np.sum(per_col == 0)
    assert (found["per_row"]["min"], found["per_row"]["max"]) == (per_row.min(), per_row.max())
    assert found["per_row"]["mean"] == pytest.approx(per_row.mean())
    assert sum(b["rows"] for b in found["per_row"]["histogram"]) == a.shape[0]
    for b in found["per_row"]["histogram"]:
        assert b["rows"] == np.sum((per_row >= b["from"]) & (per_row <= b["to"]))
    across = a.col.astype(np.int64) - a.row
    assert found["diagonals"] == len(np.unique(across))
    assert found["upper_bandwidth"] == max(0, across.max(initial=0))
    assert found["lower_bandwidth"] == max(0, (-across).max(initial=0))
    for block in found["block_fill"]:
        b = block["size"]
        blocks = len(np.unique(a.row.astype(np.int64) // b * (a.shape[1] // b + 1) + a.col // b))
        assert block["blocks"] == blocks
        assert block["fill"] == pytest.approx(a.nnz / (blocks * b * b) if blocks else 0.0)
    if a.shape[0] != a.shape[1]:
        assert found["symmetry"] is None
    else:
        assert found["symmetry"] == symmetry(a)
