"""Files of matrices, read and written: Matrix Market and .npz, beside SciPy.

What one of the two writes the other reads.
"""

import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a matrix to read, such as matrices/memplus.mtx.gz")
size, density = given.pick((20_000, 0.002), (50, 0.1))

folder = Path(tempfile.mkdtemp())
S = sp.random_array((size, size), density=density, format="csr", rng=np.random.default_rng(0))
A = ow.asarray(S)
ow.save(folder / "ours.mtx", A)
scipy.io.mmwrite(folder / "theirs.mtx", S)
for name in ("ours.mtx", "theirs.mtx"):
    assert (ow.load(folder / name) != A).nnz == 0
    assert (sp.csr_array(scipy.io.mmread(folder / name)) != S).nnz == 0

if given.file:
    read = given.file
    assert (ow.load(read) != ow.asarray(scipy.io.mmread(read))).nnz == 0
else:
    read = folder / "theirs.mtx"
compare(lambda: ow.load(read), lambda: scipy.io.mmread(read, spmatrix=False).tocsr(), "SciPy, read .mtx", given.turns)
compare(
    lambda: ow.save(folder / "a.mtx", A), lambda: scipy.io.mmwrite(folder / "s.mtx", S), "SciPy, write .mtx", given.turns
)
compare(
    lambda: ow.save(folder / "a.npz", A), lambda: sp.save_npz(folder / "s.npz", S), "SciPy, write .npz", given.turns
)
assert (sp.load_npz(folder / "a.npz") != S).nnz == 0 and (ow.load(folder / "s.npz") != A).nnz == 0
compare(lambda: ow.load(folder / "s.npz"), lambda: sp.load_npz(folder / "s.npz"), "SciPy, read .npz", given.turns)
