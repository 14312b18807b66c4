"""What a notebook shows of an array: a table, and a picture of where its values are, beside NumPy.

A notebook calls ``_repr_html_`` of the last value of a cell. SciPy's arrays show a line of text; with NumPy, the picture is a
histogram in two dimensions.
"""

import re

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a matrix, such as matrices/nasa2910.mtx.gz")
size, stored, cells = given.pick((20_000, 300_000, 40), (80, 200, 40))

if given.file:
    S = ow.load(given.file).to_scipy()
else:
    rng = np.random.default_rng(0)
    row = rng.integers(0, size, stored)
    near = np.clip(row + rng.normal(0, size / 20, stored).astype(int), 0, size - 1)
    S = sp.coo_array((np.ones(stored), (row, near)), shape=(size, size)).tocsr()
A = ow.asarray(S)


def with_openwork():
    return A._repr_html_()


def with_numpy():
    row, column = S.tocoo().coords
    cell = -(-max(S.shape) // cells)
    edges = [np.arange(0, n + cell, cell) for n in S.shape]
    count, _, _ = np.histogram2d(row, column, bins=edges)
    shade = np.sqrt(count / count.max())
    squares = (
        f'<rect x="{x}" y="{y}" width="1" height="1" fill-opacity="{shade[y, x]:.2f}"/>' for y, x in np.argwhere(count)
    )
    return f"<svg>{''.join(squares)}</svg>"


html = with_openwork()
assert str(A.nnz) in html and str(A.shape) in html and "csr" in html
assert re.findall("<rect[^>]*>", html) == re.findall("<rect[^>]*>", with_numpy())
print(A)
compare(with_openwork, with_numpy, "NumPy", given.turns)
