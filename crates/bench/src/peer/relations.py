"""Triangles, bands, rows, columns and what is gathered of a csr matrix, and stencils and correlations, by SciPy: one line per command.

`load DIR n` reads the arrays `pos`, `crd` and `vals` of an n x n matrix, a vector `x` and positions `p` and `q`, weights `w`, `b`, `g` and `h`, an image `m` and a volume `u`; `run NAME` answers the seconds that one call took, how
many elements the result stores and what they add up to.
"""

import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy import ndimage


def place(a, k, v):
    """The last value counts: NumPy stores one after the other."""
    out = np.zeros(len(v["x"]))
    out[v["p"]] = v["x"]
    return out


CALLS = {
    "below": lambda a, k, v: sp.tril(a, -1, format="csr"),
    "above": lambda a, k, v: sp.triu(a, 0, format="csr"),
    "band": lambda a, k, v: sp.triu(sp.tril(a, 2, format="csr"), -2, format="csr"),
    "diagonal": lambda a, k, v: sp.diags_array(a.diagonal(), format="csr"),
    "row": lambda a, k, v: a[[k]],
    "column": lambda a, k, v: a[:, [k]],
    "gather": lambda a, k, v: np.take(v["x"], v["p"]),
    "backwards": lambda a, k, v: v["x"][::-1].copy(),
    "place": place,
    "rows": lambda a, k, v: a[v["p"]],
    "columns": lambda a, k, v: a[:, v["q"]],
    "product": lambda a, k, v: a @ v["x"][v["p"]],
    "bincount": lambda a, k, v: np.bincount(v["p"], v["x"], len(v["x"])),
    "sent": lambda a, k, v: sp.csr_array((np.ones(a.shape[0]), (v["p"], np.arange(a.shape[0]))), shape=a.shape) @ a,
    "largest_in_rows": lambda a, k, v: np.asarray(a.argmax(axis=1)).ravel(),
    "largest_in_columns": lambda a, k, v: np.asarray(a.argmax(axis=0)).ravel(),
    "largest_in_image": lambda a, k, v: v["m"].argmax(axis=1),
    "stencil": lambda a, k, v: v["x"][:-2] - 2 * v["x"][1:-1] + v["x"][2:],
    "padded_stencil": lambda a, k, v: ndimage.correlate1d(v["x"], [1, -2, 1], mode="constant"),
    "taps": lambda a, k, v: np.convolve(v["x"], v["w"][::-1], "valid"),
    "padded_taps": lambda a, k, v: ndimage.correlate1d(v["x"], v["w"], mode="constant"),
    "image": lambda a, k, v: ndimage.correlate(v["m"], v["b"], mode="constant"),
    "inner_image": lambda a, k, v: ndimage.correlate(v["m"], v["b"], mode="constant")[1:-1, 1:-1],
    "wide_image": lambda a, k, v: ndimage.correlate(v["m"], v["g"], mode="constant"),
    "volume": lambda a, k, v: ndimage.correlate(v["u"], v["h"], mode="constant"),
}


def main():
    matrix, middle, vectors = None, 0, {}
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "load":
                folder, n = Path(words[1]), int(words[2])
                pos = np.fromfile(folder / "pos", np.int64)
                crd = np.fromfile(folder / "crd", np.int32)
                matrix = sp.csr_array((np.fromfile(folder / "vals", np.float64), crd, pos), shape=(n, n))
                middle = n // 2
                dtypes = dict.fromkeys("xwbmghu", np.float64) | dict.fromkeys("pq", np.int64)
                vectors = {name: np.fromfile(folder / name, dtype) for name, dtype in dtypes.items()}
                shapes = {"b": (3, 3), "g": (7, 7), "h": (3, 3, 3), "m": (1000, 1000), "u": (128, 128, 128)}
                vectors |= {name: vectors[name].reshape(shape) for name, shape in shapes.items()}
                answer = "loaded"
            else:
                call = CALLS[words[1]]
                start = time.perf_counter()
                result = call(matrix, middle, vectors)
                taken = time.perf_counter() - start
                stored = np.count_nonzero(result) if isinstance(result, np.ndarray) else result.count_nonzero()
                answer = f"{taken} {stored} {result.sum()}"
        except Exception as e:
            answer = f"error {type(e).__name__}: {e}".replace("\n", " ")
        print(answer, flush=True)


main()
