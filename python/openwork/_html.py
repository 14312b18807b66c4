"""The array in a notebook: a table of what it is, and where its values are."""

from __future__ import annotations

import html as escape

import numpy as np

# Cells along the longer side of the picture, and the most values that are looked at for it.
_CELLS = 40
_MOST = 1_000_000


def html(array) -> str:
    """The table, and for a matrix of moderate size the picture."""
    rows = [("shape", array.shape), ("dtype", array.dtype), ("format", array.format), ("nnz", array.nnz)]
    rows += [("fill", array.fill_value), ("bytes", array.nbytes), ("as NumPy", "todense()")]
    cells = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{escape.escape(str(value))}</td></tr>'
        for name, value in rows
    )
    drawn = array.ndim == 2 and 0 < array.nnz <= _MOST and 0 not in array.shape
    picture = f"<td>{spy(array)}</td>" if drawn else ""
    return f"<table><tr><td><table>{cells}</table></td>{picture}</tr></table>"


def spy(array) -> str:
    """A small picture of a matrix: the darker a cell, the more of its places are stored."""
    (rows, columns), _ = array.to_coo()
    cell = max(1, -(-max(array.shape) // _CELLS))
    height, width = (-(-n // cell) for n in array.shape)
    count = np.bincount(rows.astype(np.int64) // cell * width + columns // cell, minlength=height * width)
    shade = np.sqrt(count / max(1, count.max()))
    squares = "".join(
        f'<rect x="{n % width}" y="{n // width}" width="1" height="1" fill-opacity="{shade[n]:.2f}"/>'
        for n in np.flatnonzero(count)
    )
    size = f'width="{4 * width}" height="{4 * height}" viewBox="0 0 {width} {height}"'
    return f'<svg {size} style="border:1px solid" role="img" aria-label="spy plot">{squares}</svg>'
