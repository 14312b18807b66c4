"""Triangles, bands, rows and columns of a csr matrix by SciPy: one line per command.

`load DIR n` reads the arrays `pos`, `crd` and `vals` of an n x n matrix; `run NAME` answers the seconds that one call took, how
many elements the result stores and what they add up to.
"""

import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

CALLS = {
    "below": lambda a, k: sp.tril(a, -1, format="csr"),
    "above": lambda a, k: sp.triu(a, 0, format="csr"),
    "band": lambda a, k: sp.triu(sp.tril(a, 2, format="csr"), -2, format="csr"),
    "diagonal": lambda a, k: sp.diags_array(a.diagonal(), format="csr"),
    "row": lambda a, k: a[[k]],
    "column": lambda a, k: a[:, [k]],
}


def main():
    matrix, middle = None, 0
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "load":
                folder, n = Path(words[1]), int(words[2])
                pos = np.fromfile(folder / "pos", np.int64)
                crd = np.fromfile(folder / "crd", np.int32)
                matrix = sp.csr_array((np.fromfile(folder / "vals", np.float64), crd, pos), shape=(n, n))
                middle = n // 2
                answer = "loaded"
            else:
                call = CALLS[words[1]]
                start = time.perf_counter()
                result = call(matrix, middle)
                taken = time.perf_counter() - start
                result.eliminate_zeros()
                answer = f"{taken} {result.nnz} {result.sum()}"
        except Exception as e:
            answer = f"error {type(e).__name__}: {e}".replace("\n", " ")
        print(answer, flush=True)


main()
